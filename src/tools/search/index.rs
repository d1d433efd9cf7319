//! A small full-text index, made on the spot: passages ranked by BM25.

use std::collections::HashMap;

use super::excerpt::words;

/// How soon more of the same word stops to count, and how much long passages are held back: the usual values.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// A passage of a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Passage {
    pub(super) title: String,
    pub(super) text: String,
}

/// An index of passages.
#[derive(Debug, Default)]
pub(super) struct Index {
    passages: Vec<Passage>,
    /// For each word the passages that hold it, and how often.
    postings: HashMap<String, Vec<(usize, u32)>>,
    lengths: Vec<u32>,
}

impl Index {
    pub(super) fn of(passages: Vec<Passage>) -> Self {
        let mut index = Self::default();
        for (at, passage) in passages.iter().enumerate() {
            let mut counts: HashMap<String, u32> = HashMap::new();
            let mut length = 0;
            for (_, _, word) in words(&passage.title).chain(words(&passage.text)) {
                *counts.entry(word).or_default() += 1;
                length += 1;
            }
            for (word, count) in counts {
                index.postings.entry(word).or_default().push((at, count));
            }
            index.lengths.push(length);
        }
        index.passages = passages;
        index
    }

    pub(super) fn passage(&self, at: usize) -> &Passage {
        &self.passages[at]
    }

    /// The passages that hold any word of the query, best first, the earlier of equals first.
    pub(super) fn search(&self, query: &str) -> Vec<usize> {
        let total = self.passages.len() as f64;
        let average = self.lengths.iter().map(|length| f64::from(*length)).sum::<f64>() / total.max(1.0);
        let mut scores: HashMap<usize, f64> = HashMap::new();
        for (_, _, word) in words(query) {
            let Some(postings) = self.postings.get(&word) else {
                continue;
            };
            let holding = postings.len() as f64;
            let rarity = ((total - holding + 0.5) / (holding + 0.5)).ln_1p();
            for &(at, count) in postings {
                let count = f64::from(count);
                let length = f64::from(self.lengths[at]) / average.max(1.0);
                *scores.entry(at).or_default() +=
                    rarity * count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length));
            }
        }
        let mut ranked: Vec<(usize, f64)> = scores.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        ranked.into_iter().map(|(at, _)| at).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(texts: &[&str]) -> Index {
        let passages = texts.iter().map(|text| Passage {
            title: String::new(),
            text: (*text).to_owned(),
        });
        Index::of(passages.collect())
    }

    #[test]
    fn rare_words_count_more_and_long_passages_less() {
        let index = index(&[
            "the bridge and the river and the town",
            "the gate",
            "the golden gate bridge",
            "the golden gate bridge with a great many other words that say nothing at all about it",
        ]);
        assert_eq!(index.search("golden gate bridges"), [2, 3, 1, 0]);
        assert_eq!(index.search("GOLDEN"), [2, 3]);
        assert!(index.search("zebra").is_empty());
        assert!(index.search("").is_empty());
    }

    #[test]
    fn an_empty_index_finds_nothing() {
        assert!(index(&[]).search("a").is_empty());
    }
}
