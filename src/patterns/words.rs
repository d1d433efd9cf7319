//! A text as words, each with what stands around it: for looking up pieces of one text in another.

/// A word of a text, without the punctuation around it.
#[derive(Debug)]
pub(super) struct Word {
    pub(super) text: String,
    /// What stands between the word before and this one, white space folded.
    pub(super) glue: String,
    /// Whether it stands at the beginning of a sentence or line.
    pub(super) begins: bool,
    /// Whether it is the number of a list's item.
    pub(super) numbers_item: bool,
    /// Number of the passage in quotation marks that it stands in.
    pub(super) quotation: Option<usize>,
}

/// The words of a text, in order.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) words: Vec<Word>,
}

impl Text {
    pub(super) fn of(text: &str) -> Self {
        let mut words: Vec<Word> = Vec::new();
        let mut quotations = Quotations::default();
        let mut glue = String::new();
        for line in text.lines() {
            let mut begins = true;
            for (place, raw) in line.split_whitespace().enumerate() {
                let around = |c: char| !c.is_alphanumeric() && !matches!(c, '%' | '$' | '€' | '£');
                let rest = raw.trim_start_matches(around);
                let word = rest.trim_end_matches(around);
                let quotation = quotations.around(raw);
                glue.push(' ');
                if word.is_empty() {
                    glue.push_str(raw);
                    continue;
                }
                glue.push_str(&raw[..raw.len() - rest.len()]);
                let glue = std::mem::replace(&mut glue, rest[word.len()..].to_owned());
                words.push(Word {
                    text: word.to_owned(),
                    glue,
                    begins,
                    numbers_item: place == 0
                        && word.len() < 3
                        && raw.ends_with(['.', ')'])
                        && word.parse::<u8>().is_ok(),
                    quotation,
                });
                begins = raw.ends_with(['.', ':', '!', '?']);
            }
            quotations.end_line();
        }
        Self { words }
    }
}

/// Which quotation is open.
#[derive(Debug, Default)]
struct Quotations {
    open: Option<(usize, char)>,
    count: usize,
}

impl Quotations {
    /// The quotation that this word stands in, if any.
    fn around(&mut self, raw: &str) -> Option<usize> {
        let mut within = self.open.map(|(number, _)| number);
        let mut previous: Option<char> = None;
        let mut chars = raw.chars().peekable();
        while let Some(c) = chars.next() {
            match self.open {
                Some((_, end)) if c == end => {
                    // An apostrophe inside of a word ends nothing.
                    let inside = end == '\'' && chars.peek().is_some_and(|next| next.is_alphanumeric());
                    if !inside {
                        self.open = None;
                    }
                }
                None => {
                    let end = match c {
                        '"' => Some('"'),
                        '“' | '„' => Some('”'),
                        '«' => Some('»'),
                        '`' => Some('`'),
                        '‘' => Some('’'),
                        '\'' if !previous.is_some_and(char::is_alphanumeric) => Some('\''),
                        _ => None,
                    };
                    if let Some(end) = end {
                        self.count += 1;
                        self.open = Some((self.count, end));
                        within = Some(self.count);
                    }
                }
                Some(_) => {}
            }
            previous = Some(c);
        }
        within
    }

    /// A quotation mark that nobody closes opens nothing beyond its line.
    fn end_line(&mut self) {
        self.open = None;
    }
}
