//! A folder of documents, full-text indexed on the spot.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use sha2::{Digest as _, Sha256};

use super::super::{SetupError, ToolError};
use super::index::{Index, Passage};
use super::{Hit, SearchSource};

/// A longer file is no document.
const LONGEST_FILE: u64 = 64 << 20;
/// More files than this are no folder of documents; indexing a whole disk would be a mistake.
const MOST_FILES: usize = 200_000;
/// About how long a passage is, in bytes: a few paragraphs.
const PASSAGE: usize = 1000;

/// A folder of documents: every file below it that is UTF-8 text.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    index: Index,
    hash: String,
    files: usize,
}

impl Folder {
    /// Reads and indexes all documents below `path`. Hidden files and folders, links and what isn't text are left out.
    pub fn open(path: &Path) -> Result<Self, SetupError> {
        let mut files = Vec::new();
        collect(path, &mut files)?;
        files.sort();
        let mut passages = Vec::new();
        let mut hash = Sha256::new();
        let mut documents = 0;
        for file in files {
            let Some(text) = text_of(&file)? else { continue };
            let title = file.strip_prefix(path).unwrap_or(&file).display().to_string();
            hash.update(&title);
            hash.update([0]);
            hash.update(&text);
            hash.update([0]);
            documents += 1;
            passages.extend(split(&text).into_iter().map(|text| Passage {
                title: title.clone(),
                text,
            }));
        }
        if documents == 0 {
            return Err(SetupError(format!(
                "{}: holds no document; a folder with text files is expected",
                path.display()
            )));
        }
        Ok(Self {
            path: path.to_owned(),
            index: Index::of(passages),
            hash: format!("{:x}", hash.finalize()),
            files: documents,
        })
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), SetupError> {
    let fail = |error: std::io::Error| SetupError(format!("{}: {error}", folder.display()));
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let kind = entry.file_type().map_err(fail)?;
        if kind.is_dir() {
            collect(&entry.path(), files)?;
        } else if kind.is_file() {
            files.push(entry.path());
        }
        if files.len() > MOST_FILES {
            return Err(SetupError(format!(
                "{}: holds more than {MOST_FILES} files; name a smaller folder",
                folder.display()
            )));
        }
    }
    Ok(())
}

fn text_of(file: &Path) -> Result<Option<String>, SetupError> {
    let fail = |error: std::io::Error| SetupError(format!("{}: {error}", file.display()));
    if std::fs::metadata(file).map_err(fail)?.len() > LONGEST_FILE {
        return Ok(None);
    }
    let bytes = crate::files::read(file).map_err(fail)?;
    Ok(String::from_utf8(bytes)
        .ok()
        .filter(|text| !text.contains('\0') && !text.trim().is_empty()))
}

/// Paragraphs, put together to passages of a fair length.
fn split(text: &str) -> Vec<String> {
    let mut passages: Vec<String> = Vec::new();
    for paragraph in text.replace("\r\n", "\n").split("\n\n") {
        let paragraph = paragraph.trim();
        if paragraph.is_empty() {
            continue;
        }
        match passages.last_mut() {
            Some(last) if last.len() + paragraph.len() <= PASSAGE => {
                last.push_str("\n\n");
                last.push_str(paragraph);
            }
            _ => passages.push(paragraph.to_owned()),
        }
    }
    passages
}

#[async_trait]
impl SearchSource for Folder {
    async fn find(&self, query: &str, nth: usize) -> Result<Option<Hit>, ToolError> {
        let ranked = self.index.search(query);
        Ok(ranked.get(nth).map(|at| {
            let passage = self.index.passage(*at);
            Hit {
                title: passage.title.clone(),
                text: passage.text.clone(),
                snippet: None,
            }
        }))
    }

    fn source(&self) -> String {
        format!("documents {}", &self.hash[..16])
    }

    fn about(&self) -> String {
        let name = self
            .path
            .file_name()
            .map_or_else(String::new, |name| format!(" `{}`", name.display()));
        match self.files {
            1 => format!("the document in the folder{name}"),
            files => format!("the {files} documents of the folder{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn documents_are_found_best_first() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &[u8]| std::fs::write(folder.path().join(name), text).unwrap();
        write("bridge.md", b"# The bridge\n\nIt opened on 27 May 1937.");
        write("ferry.txt", b"The ferry ran until the bridge opened.");
        write("image.bin", b"bridge\0opened");
        write(".hidden", b"bridge opened");
        std::fs::create_dir(folder.path().join("more")).unwrap();
        write("more/tunnel.txt", b"A tunnel.");
        let documents = Folder::open(folder.path()).unwrap();
        assert!(documents.about().starts_with("the 3 documents"));
        let mut titles = Vec::new();
        while let Some(hit) = documents.find("bridge opened 1937", titles.len()).await.unwrap() {
            titles.push(hit.title);
        }
        assert_eq!(titles, ["bridge.md", "ferry.txt"]);
        write("ferry.txt", b"Changed.");
        assert_ne!(Folder::open(folder.path()).unwrap().source(), documents.source());
    }

    #[test]
    fn a_folder_without_documents_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let error = Folder::open(folder.path()).unwrap_err().to_string();
        assert!(
            error.ends_with("holds no document; a folder with text files is expected"),
            "{error}"
        );
        let error = Folder::open(&folder.path().join("none")).unwrap_err().to_string();
        assert!(error.contains("No such file"), "{error}");
    }
}
