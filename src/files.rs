//! Files that users name: read whole, but never without an end.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// The most that is read of one file, in bytes. More is no program, no tests and no suite, and devices such as `/dev/zero` never end.
pub(crate) const LARGEST: u64 = 1 << 30;

/// What a file, a pipe or a device holds.
///
/// # Errors
/// As [`std::fs::read`], and `FileTooLarge` for more than [`LARGEST`].
pub(crate) fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    up_to(path.as_ref(), LARGEST)
}

/// The same with another bound, in bytes.
pub(crate) fn up_to(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let too_large = || {
        io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("is larger than {} MiB", most >> 20),
        )
    };
    let file = File::open(path)?;
    let about = file.metadata()?;
    if about.is_file() && about.len() > most {
        return Err(too_large());
    }
    let mut content = Vec::new();
    file.take(most + 1).read_to_end(&mut content)?;
    if content.len() as u64 > most {
        return Err(too_large());
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_refused() {
        let error = up_to(Path::new("/dev/zero"), 1 << 20).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(error.to_string(), "is larger than 1 MiB");
    }

    #[test]
    fn a_large_file_is_refused_unread() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(LARGEST + 1).unwrap();
        assert_eq!(read(file.path()).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        file.as_file().set_len(5).unwrap();
        assert_eq!(read(file.path()).unwrap(), [0; 5]);
    }
}
