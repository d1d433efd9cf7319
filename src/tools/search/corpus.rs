//! A recorded corpus: searches that were made once, with what was found.

use std::collections::{HashMap, HashSet};
use std::io::Read as _;
use std::path::Path;

use async_trait::async_trait;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::super::{SetupError, ToolError};
use super::index::{Index, Passage};
use super::{Hit, SearchSource};

/// A line of the file.
#[derive(Debug, Deserialize)]
struct Line {
    query: String,
    result: String,
}

/// Recorded searches: a query that was recorded finds what it found then, and after that, as any other query, what
/// matches it best among all that was ever found.
#[derive(Debug)]
pub struct Corpus {
    index: Index,
    /// What each recorded query found, by its folded text.
    recorded: HashMap<String, Vec<usize>>,
    hash: String,
    pages: usize,
}

impl Corpus {
    /// Reads JSON lines of `query` and `result`, packed with gzip or not. A result holds one page or several, each
    /// beginning with `Page: title`.
    pub fn open(path: &Path) -> Result<Self, SetupError> {
        let fail = |what: String| SetupError(format!("{}: {what}", path.display()));
        let mut bytes = crate::files::read(path).map_err(|error| fail(error.to_string()))?;
        if bytes.starts_with(&[0x1f, 0x8b]) {
            let mut plain = Vec::new();
            flate2::read::MultiGzDecoder::new(bytes.as_slice())
                .read_to_end(&mut plain)
                .map_err(|error| fail(format!("can't be unpacked: {error}")))?;
            bytes = plain;
        }
        let hash = format!("{:x}", Sha256::digest(&bytes));
        let mut passages: Vec<Passage> = Vec::new();
        let mut places: HashMap<Passage, usize> = HashMap::new();
        let mut recorded: HashMap<String, Vec<usize>> = HashMap::new();
        let lines = bytes.split(|byte| *byte == b'\n').enumerate();
        for (at, line) in lines.filter(|(_, line)| !line.trim_ascii().is_empty()) {
            let line: Line = serde_json::from_slice(line)
                .map_err(|error| fail(format!("line {}: no `query` with its `result`: {error}", at + 1)))?;
            let found = recorded.entry(folded(&line.query)).or_default();
            for page in pages(&line.result) {
                let place = *places.entry(page.clone()).or_insert_with(|| {
                    passages.push(page);
                    passages.len() - 1
                });
                if !found.contains(&place) {
                    found.push(place);
                }
            }
        }
        if passages.is_empty() {
            return Err(fail(
                "holds no recorded search; lines of {\"query\": …, \"result\": \"Page: …\"} are expected"
                    .to_owned(),
            ));
        }
        Ok(Self {
            pages: passages.len(),
            index: Index::of(passages),
            recorded,
            hash,
        })
    }
}

fn folded(query: &str) -> String {
    query
        .to_lowercase()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// The pages in a result; what is no page is an error message of whoever searched.
fn pages(result: &str) -> Vec<Passage> {
    // Some were recorded as an interpreter shows a text.
    let shown = result
        .strip_prefix("Out[")
        .and_then(|rest| rest.split_once("]: "));
    let text = match shown {
        Some((_, text)) => text
            .trim_matches(['\'', '"'])
            .replace("\\n", "\n")
            .replace("\\'", "'"),
        None => result.to_owned(),
    };
    let mut parts = text.split("Page: ");
    parts.next();
    parts
        .map(|page| {
            let (title, body) = page.split_once('\n').unwrap_or((page, ""));
            Passage {
                title: title.trim().to_owned(),
                text: body.trim().trim_start_matches("Summary: ").to_owned(),
            }
        })
        .collect()
}

#[async_trait]
impl SearchSource for Corpus {
    async fn find(&self, query: &str, nth: usize) -> Result<Option<Hit>, ToolError> {
        let first = self
            .recorded
            .get(&folded(query))
            .map(Vec::as_slice)
            .unwrap_or_default();
        let known: HashSet<usize> = first.iter().copied().collect();
        let others = self
            .index
            .search(query)
            .into_iter()
            .filter(|at| !known.contains(at));
        let at = first.iter().copied().chain(others).nth(nth);
        Ok(at.map(|at| {
            let page = self.index.passage(at);
            Hit {
                title: page.title.clone(),
                text: page.text.clone(),
                snippet: None,
            }
        }))
    }

    fn source(&self) -> String {
        format!("recorded searches {}", &self.hash[..16])
    }

    fn about(&self) -> String {
        format!("an encyclopedia ({} pages)", self.pages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus(lines: &[(&str, &str)]) -> Result<Corpus, SetupError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.jsonl");
        let text: Vec<String> = lines
            .iter()
            .map(|(query, result)| serde_json::json!({ "query": query, "result": result }).to_string())
            .collect();
        std::fs::write(&path, text.join("\n")).unwrap();
        Corpus::open(&path)
    }

    #[tokio::test]
    async fn a_recorded_query_finds_what_it_found_then_and_after_that_the_next_best() {
        let corpus = corpus(&[
            (
                "Ed Wood",
                "Page: Ed Wood\nSummary: An American filmmaker.\n\nPage: Ed Wood (film)\nSummary: A film.",
            ),
            (
                "film",
                "Out[1]: 'Page: Film\\nSummary: It\\'s a filmmaker\\'s work.'",
            ),
            ("broken", "I don't understand your input."),
        ])
        .unwrap();
        let mut found = Vec::new();
        while let Some(hit) = corpus.find(" ed  wood", found.len()).await.unwrap() {
            found.push((hit.title, hit.text));
        }
        let text = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(
            found,
            [
                text("Ed Wood", "An American filmmaker."),
                text("Ed Wood (film)", "A film.")
            ]
        );
        let other = corpus.find("a filmmaker's work", 0).await.unwrap().unwrap();
        assert_eq!(other.text, "It's a filmmaker's work.");
        assert_eq!(corpus.find("zebra", 0).await.unwrap(), None);
    }

    #[test]
    fn a_file_without_searches_is_told() {
        let error = corpus(&[("q", "nothing")]).unwrap_err().to_string();
        assert!(error.contains("holds no recorded search"), "{error}");
    }
}
