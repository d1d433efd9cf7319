//! A text on the command line, or `@FILE` for what a file says.

use std::ops::Deref;
use std::str::FromStr;

/// A text argument: `@FILE` is the content of FILE, `@@x` is the text `@x`, and anything else is itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextArg(String);

impl FromStr for TextArg {
    type Err = String;

    fn from_str(value: &str) -> Result<Self, String> {
        let Some(file) = value.strip_prefix('@') else {
            return Ok(Self(value.to_owned()));
        };
        if file.starts_with('@') {
            return Ok(Self(file.to_owned()));
        }
        if file.is_empty() {
            return Err("`@` needs the name of a file; the text `@` itself is written `@@`".to_owned());
        }
        let bytes = crate::files::read(file)
            .map_err(|error| format!("the file {file} can't be read: {}", error.kind()))?;
        String::from_utf8(bytes)
            .map(Self)
            .map_err(|_| format!("the file {file} is no UTF-8 text"))
    }
}

impl Deref for TextArg {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> Result<String, String> {
        value.parse::<TextArg>().map(|text| text.to_string())
    }

    #[test]
    fn a_text_is_itself_or_what_a_file_says() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t.txt");
        std::fs::write(&file, "line 1\nline 2 é\n").unwrap();
        assert_eq!(
            read(&format!("@{}", file.display())).unwrap(),
            "line 1\nline 2 é\n"
        );
        assert_eq!(read("say a@b").unwrap(), "say a@b");
        assert_eq!(read("").unwrap(), "");
        assert_eq!(read("@@home").unwrap(), "@home");
        assert_eq!(read("@@").unwrap(), "@");
    }

    #[test]
    fn a_file_that_cannot_be_read_is_told() {
        assert_eq!(
            read("@/no/file").unwrap_err(),
            "the file /no/file can't be read: entity not found"
        );
        assert!(read("@").unwrap_err().contains("`@` needs the name of a file"));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("b");
        std::fs::write(&file, [0xff, 0xfe]).unwrap();
        assert!(
            read(&format!("@{}", file.display()))
                .unwrap_err()
                .ends_with("/b is no UTF-8 text")
        );
    }
}
