//! Tokens of languages with braces. Blanks, comments and line ends are gone; what is in a text stays in it.

use super::literals::{cpp_text, quoted, raw_text, regex, template, verbatim_text};
use super::preset::Lexing;

/// What kind of token it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Word,
    Number,
    Text,
    Sign,
}

/// One token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    pub(super) sort: Sort,
    /// From 1.
    pub(super) line: usize,
}

impl Token<'_> {
    pub(super) fn is(&self, text: &str) -> bool {
        self.sort != Sort::Text && self.text == text
    }

    pub(super) fn is_word(&self) -> bool {
        self.sort == Sort::Word
    }
}

/// A comment, which may switch a check off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comment<'a> {
    pub(super) text: &'a str,
    pub(super) line: usize,
    /// Index of the next token.
    pub(super) at: usize,
}

/// A source text in tokens.
#[derive(Debug, Default)]
pub(super) struct Lexed<'a> {
    pub(super) tokens: Vec<Token<'a>>,
    pub(super) comments: Vec<Comment<'a>>,
    /// For each bracket the index of the other one; an open one without its other has the end.
    pub(super) partner: Vec<usize>,
}

/// Signs of more than one character, longer ones first.
const SIGNS: &[&str] = &[
    "<==>", "==>", "<==", "===", "!==", "&&&", "|||", "..=", "...", "&&", "||", "==", "!=", "<=", ">=", "=>",
    "->", "::", ":=", ":|", "..", "+=", "-=", "*=", "/=", "%=", "++", "--", "**", "??", "?.",
];

/// Takes a source text apart.
pub(super) fn lex<'a>(source: &'a str, how: &Lexing) -> Lexed<'a> {
    let mut lexer = Lexer {
        source,
        how,
        at: 0,
        line: 1,
        out: Lexed::default(),
        in_directive: false,
        in_annotation: false,
    };
    lexer.run();
    let mut lexed = lexer.out;
    lexed.partner = partners(&lexed.tokens);
    lexed
}

/// The other bracket of each; what is left open closes at the end, what closes nothing is its own.
pub(super) fn partners(tokens: &[Token<'_>]) -> Vec<usize> {
    let mut partner: Vec<usize> = (0..tokens.len()).collect();
    let mut open: Vec<(usize, char)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.sort != Sort::Sign {
            continue;
        }
        match token.text {
            "(" => open.push((at, ')')),
            "[" => open.push((at, ']')),
            "{" => open.push((at, '}')),
            ")" | "]" | "}" => {
                let Some(depth) = open.iter().rposition(|(_, close)| token.text.starts_with(*close)) else {
                    continue;
                };
                // A wrong bracket between them is left open by mistake.
                for (lost, _) in open.drain(depth + 1..) {
                    partner[lost] = at;
                }
                if let Some((begin, _)) = open.pop() {
                    partner[begin] = at;
                    partner[at] = begin;
                }
            }
            _ => {}
        }
    }
    for (lost, _) in open {
        partner[lost] = tokens.len();
    }
    partner
}

struct Lexer<'a, 'h> {
    source: &'a str,
    how: &'h Lexing,
    at: usize,
    line: usize,
    out: Lexed<'a>,
    in_directive: bool,
    in_annotation: bool,
}

impl<'a> Lexer<'a, '_> {
    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn push(&mut self, length: usize, sort: Sort) {
        let text = &self.source[self.at..self.at + length];
        self.out.tokens.push(Token {
            text,
            sort,
            line: self.line,
        });
        self.skip(length);
    }

    fn skip(&mut self, length: usize) {
        let text = &self.source[self.at..self.at + length];
        self.line += text.matches('\n').count();
        self.at += length;
    }

    fn run(&mut self) {
        while let Some(c) = self.peek() {
            let rest = self.rest();
            if c == '\n' {
                if self.in_directive {
                    self.in_directive = false;
                    self.push(1, Sort::Sign);
                } else {
                    self.skip(1);
                }
            } else if self.in_directive && rest.starts_with("\\\n") {
                self.skip(2);
            } else if c.is_whitespace() {
                self.skip(c.len_utf8());
            } else if self.in_annotation && rest.starts_with("*/") {
                self.in_annotation = false;
                self.push(2, Sort::Sign);
            } else if self.in_annotation && c == '@' {
                // Decoration at the beginning of a line of an annotation.
                self.skip(1);
            } else if self.comment(rest) || self.literal(rest, c) {
            } else if self.is_word_start(c) {
                let end = rest.find(|c| !self.is_word_part(c)).unwrap_or(rest.len());
                self.push(end.max(c.len_utf8()), Sort::Word);
            } else if c.is_ascii_digit() {
                self.number(rest);
            } else {
                self.sign(rest, c);
            }
        }
        if self.in_directive {
            self.out.tokens.push(Token {
                text: "\n",
                sort: Sort::Sign,
                line: self.line,
            });
        }
    }

    fn is_word_start(&self, c: char) -> bool {
        c.is_alphabetic() || c == '_' || c == '$' && self.how.templates || c == '\\' && self.in_annotation
    }

    fn is_word_part(&self, c: char) -> bool {
        c.is_alphanumeric()
            || c == '_'
            || c == '$' && self.how.templates
            || (c == '\'' || c == '?') && self.how.primes
            || c == '\\' && self.in_annotation
    }

    fn comment(&mut self, rest: &'a str) -> bool {
        if let Some(mark) = self
            .how
            .line_comments
            .iter()
            .find(|mark| rest.starts_with(mark.as_str()))
        {
            let end = rest.find('\n').unwrap_or(rest.len());
            if self.annotated(&rest[mark.len()..]) {
                // One line of specification: its words count.
                let line = self.line;
                let inner = &rest[mark.len() + 1..end];
                self.out.tokens.push(Token {
                    text: "/*@",
                    sort: Sort::Sign,
                    line,
                });
                let inside = lex(inner, self.how);
                self.out
                    .tokens
                    .extend(inside.tokens.into_iter().map(|token| Token { line, ..token }));
                self.out.tokens.push(Token {
                    text: "*/",
                    sort: Sort::Sign,
                    line,
                });
                self.skip(end);
                return true;
            }
            self.note(&rest[..end]);
            self.skip(end);
            return true;
        }
        let Some((open, close)) = self.how.block_comment.as_ref() else {
            return false;
        };
        if !rest.starts_with(open.as_str()) {
            return false;
        }
        if self.annotated(&rest[open.len()..]) {
            self.in_annotation = true;
            self.push(open.len() + 1, Sort::Sign);
            return true;
        }
        let mut depth = 1;
        let mut end = open.len();
        while depth > 0 && end < rest.len() {
            let inner = &rest[end..];
            if inner.starts_with(close.as_str()) {
                depth -= 1;
                end += close.len();
            } else if self.how.nested_comments && inner.starts_with(open.as_str()) {
                depth += 1;
                end += open.len();
            } else {
                end += inner.chars().next().map_or(1, char::len_utf8);
            }
        }
        self.note(&rest[..end]);
        self.skip(end);
        true
    }

    fn annotated(&self, inner: &str) -> bool {
        self.how.annotations && inner.starts_with('@')
    }

    fn note(&mut self, text: &'a str) {
        self.out.comments.push(Comment {
            text,
            line: self.line,
            at: self.out.tokens.len(),
        });
    }

    fn literal(&mut self, rest: &'a str, c: char) -> bool {
        let length = if self.how.raw_texts && (c == 'r' || c == 'b' || c == 'c') {
            raw_text(rest)
        } else if self.how.cpp_texts && rest.starts_with("R\"") {
            cpp_text(rest)
        } else if self.how.primes && rest.starts_with("@\"") {
            verbatim_text(rest)
        } else {
            None
        };
        if let Some(length) = length {
            self.push(length, Sort::Text);
            return true;
        }
        if self.how.lifetimes && (c == '\'' || rest.starts_with("b'")) {
            let quote = usize::from(c == 'b');
            let mut inner = rest[quote + 1..].chars();
            let is_char = match inner.next() {
                Some('\\') => true,
                Some(_) => inner.next() == Some('\''),
                None => false,
            };
            if is_char {
                self.push(quote + quoted(&rest[quote..]), Sort::Text);
            } else {
                let end = rest[1..]
                    .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                    .map_or(rest.len(), |end| end + 1);
                self.push(end.max(1), Sort::Word);
            }
            return true;
        }
        if self.how.templates && c == '`' {
            self.push(template(rest), Sort::Text);
            return true;
        }
        if self.how.quotes.contains(c) {
            self.push(quoted(rest), Sort::Text);
            return true;
        }
        if self.how.regexes
            && c == '/'
            && self.expects_value()
            && let Some(length) = regex(rest)
        {
            self.push(length, Sort::Text);
            return true;
        }
        false
    }

    /// Whether a value and not an operator comes next, as far as the last token tells.
    fn expects_value(&self) -> bool {
        match self.out.tokens.last() {
            None => true,
            Some(token) => match token.sort {
                Sort::Sign => !matches!(token.text, ")" | "]" | "}" | "++" | "--"),
                Sort::Word => matches!(
                    token.text,
                    "return"
                        | "typeof"
                        | "case"
                        | "in"
                        | "of"
                        | "do"
                        | "else"
                        | "void"
                        | "delete"
                        | "throw"
                        | "new"
                ),
                Sort::Number | Sort::Text => false,
            },
        }
    }

    fn number(&mut self, rest: &str) {
        let mut end = 0;
        let bytes = rest.as_bytes();
        while end < bytes.len() {
            let byte = bytes[end];
            let part = byte.is_ascii_alphanumeric()
                || byte == b'_'
                || byte == b'.' && bytes.get(end + 1).is_some_and(u8::is_ascii_digit)
                || byte == b'\''
                    && self.how.cpp_texts
                    && bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric);
            if !part {
                break;
            }
            end += 1;
        }
        self.push(end.max(1), Sort::Number);
    }

    fn sign(&mut self, rest: &'a str, c: char) {
        if c == '#' && self.how.preprocessor {
            let before = &self.source[..self.at];
            let line_start = before.rfind('\n').map_or(0, |at| at + 1);
            self.in_directive |= before[line_start..].trim().is_empty();
        }
        let length = SIGNS
            .iter()
            .find(|sign| rest.starts_with(**sign))
            .map_or(c.len_utf8(), |sign| sign.len());
        self.push(length, Sort::Sign);
    }
}

/// Tokens as text that reads like code. Two lists of tokens are the same if their texts are.
pub(super) fn joined(tokens: &[Token<'_>]) -> String {
    let mut text = String::new();
    let mut tight = true;
    for token in tokens {
        let closes = matches!(token.text, ")" | "]" | "," | ";" | "." | "?." | ":");
        // Only after a word: `f(x)`, `a[i]`, `#[test]`, and never `(x)` for `( x )` of another.
        let calls = matches!(token.text, "(" | "[")
            && text.ends_with(|c: char| c.is_alphanumeric() || "_)]!#".contains(c));
        let bang = token.text == "!" && text.ends_with(char::is_alphanumeric);
        if !(text.is_empty() || tight || closes || calls || bang) {
            text.push(' ');
        }
        text.push_str(token.text);
        tight = matches!(token.text, "(" | "[" | "." | "?." | "!" | "#" | "\\");
    }
    text
}
