//! Files that users name: read whole, but never without an end; written whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read as _, Write};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

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

/// Whether both are the same file on disk, by whatever names.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    }
}

/// Puts `content` in the place of what `path` holds, whole or not at all.
///
/// # Errors
/// As [`Replacement::begin`], and what the system says while writing.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut new = Replacement::begin(path)?;
    new.write_all(content)?;
    new.finish()
}

/// A file that is being written beside the one whose place it takes in the end; dropped before that, it is gone.
/// What is no regular file, such as a pipe or `/dev/stdout`, is written to as it is.
#[derive(Debug)]
pub(crate) struct Replacement {
    file: BufWriter<File>,
    /// Where it is written, and whose place it takes.
    places: Option<(PathBuf, PathBuf)>,
}

impl Replacement {
    /// Begins to write what will be the content of `path`.
    ///
    /// # Errors
    /// What the system says, and `PermissionDenied` for a file that is write-protected, which could be replaced in a folder
    /// that isn't.
    pub(crate) fn begin(path: &Path) -> io::Result<Self> {
        let (target, permissions) = match fs::metadata(path) {
            Ok(there) if there.is_file() => {
                if there.permissions().readonly() {
                    let why = "is write-protected";
                    return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
                }
                // A link keeps pointing to where it does.
                (path.canonicalize()?, Some(there.permissions()))
            }
            Ok(there) if there.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(_) => {
                let file = BufWriter::new(File::options().write(true).open(path)?);
                return Ok(Self { file, places: None });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => (path.to_owned(), None),
            Err(error) => return Err(error),
        };
        let mut beside = target.clone().into_os_string();
        beside.push(".partial");
        let beside = PathBuf::from(beside);
        let file = File::create(&beside)?;
        let new = Self {
            file: BufWriter::with_capacity(1 << 16, file),
            places: Some((beside, target)),
        };
        if let Some(permissions) = permissions {
            let mode = fs::Permissions::from_mode(permissions.mode() & 0o777);
            new.file.get_ref().set_permissions(mode)?;
        }
        Ok(new)
    }

    /// Takes the place of the file.
    ///
    /// # Errors
    /// What the system says; the file is as it was, then.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        if let Some((beside, target)) = self.places.take() {
            let moved = self
                .file
                .get_ref()
                .sync_data()
                .and_then(|()| fs::rename(&beside, &target));
            if moved.is_err() {
                let _ = fs::remove_file(&beside);
            }
            moved?;
        }
        Ok(())
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some((beside, _)) = &self.places {
            let _ = fs::remove_file(beside);
        }
    }
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

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        let link = folder.path().join("link");
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink("a", &link).unwrap();
        assert!(is_same(&file, &link));

        let mut dropped = Replacement::begin(&link).unwrap();
        dropped.write_all(b"half").unwrap();
        drop(dropped);
        assert_eq!(fs::read(&file).unwrap(), b"old");

        replace(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        replace(Path::new("/dev/null"), b"nothing").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn a_write_protected_file_stays_as_it_is() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o400)).unwrap();
        let error = replace(file.path(), b"new").unwrap_err();
        assert_eq!(error.to_string(), "is write-protected");
    }
}
