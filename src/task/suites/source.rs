//! A suite's content as text, however it is packed.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use sha2::{Digest, Sha256};

use super::SuiteError;

/// No suite is larger than this when unpacked; a gzip bomb ends here.
const LARGEST: u64 = 1 << 30;
/// The most that is read of a file, in bytes: some suites are published as more than a GiB of text.
const LARGEST_FILE: u64 = 4 << 30;

/// The first two bytes of every gzip file.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The text of a suite and where it came from.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

impl Source {
    /// Reads a file, unpacked if it is gzipped, whatever its name says.
    pub(super) fn read(path: &Path) -> Result<Self, SuiteError> {
        let unreadable = |source| SuiteError::Unreadable {
            path: path.to_owned(),
            source,
        };
        Self::unpack(path, crate::files::up_to(path, LARGEST_FILE).map_err(unreadable)?)
    }

    /// What a file called `path` holds, unpacked if it is gzipped.
    pub(super) fn unpack(path: &Path, mut bytes: Vec<u8>) -> Result<Self, SuiteError> {
        if bytes.starts_with(&GZIP_MAGIC) {
            let mut unpacked = Vec::new();
            MultiGzDecoder::new(bytes.as_slice())
                .take(LARGEST + 1)
                .read_to_end(&mut unpacked)
                .map_err(|error| Self::broken(path, format!("the gzip data is damaged ({error})")))?;
            if unpacked.len() as u64 > LARGEST {
                return Err(Self::broken(
                    path,
                    "unpacks to more than 1 GiB, which is no suite".to_owned(),
                ));
            }
            bytes = unpacked;
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = good.split(|&byte| byte == b'\n').count();
            SuiteError::Entry {
                path: path.to_owned(),
                place: format!("line {line}"),
                problem: "is not UTF-8 text".to_owned(),
            }
        })?;
        Ok(Self {
            path: path.to_owned(),
            text,
        })
    }

    /// The file's name without folder and without the endings that say how it is packed.
    pub(super) fn stem(&self) -> String {
        let name = self
            .path
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        if stem.is_empty() {
            name.to_owned()
        } else {
            stem.to_owned()
        }
    }

    /// SHA-256 over the unpacked content, in hex.
    pub(super) fn hash(&self) -> String {
        hash_of([self.text.as_str()])
    }

    /// An error about the file as a whole.
    pub(super) fn file_error(&self, problem: impl Into<String>) -> SuiteError {
        Self::broken(&self.path, problem.into())
    }

    fn broken(path: &Path, problem: String) -> SuiteError {
        SuiteError::File {
            path: path.to_owned(),
            problem,
        }
    }
}

/// SHA-256 over texts one after another, in hex.
pub(super) fn hash_of<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = Sha256::new();
    for text in texts {
        hasher.update(text);
    }
    format!("{:x}", hasher.finalize())
}
