//! Fenced code blocks, by `CommonMark`'s rules and a few of common sense.
//!
//! `CommonMark`: three or more backticks or tildes open, as many of the same close, content loses the opening fence's
//! indentation, blocks can stand in lists and quotes, and one that isn't closed goes to the end. Models also indent
//! fences as they like, put them behind a sentence or write text behind the closing one, and have fences inside of
//! docstrings. So any indentation opens, and of several fences that could close a block the first counts behind
//! which the content is a program.

use super::kinds::Kind;
use super::tidy;

/// One block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// What its info string says.
    pub(super) kind: Kind,
    /// What stands in it.
    pub(super) source: String,
}

/// More fences than that behind one block aren't looked at.
const MOST_ENDS: usize = 40;

/// All blocks of `text` that hold something. `reads` says whether a text is a program.
pub(super) fn blocks(text: &str, kind_of: impl Fn(&str) -> Kind, reads: impl Fn(&str) -> bool) -> Vec<Block> {
    let lines: Vec<&str> = text.strip_suffix('\n').unwrap_or(text).split('\n').collect();
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let Some(fence) = Fence::opening(lines[at]) else {
            at += 1;
            continue;
        };
        let kind = kind_of(fence.info);
        if let Some(code) = fence.on_one_line {
            push(&mut blocks, kind, format!("{code}\n"));
            at += 1;
            continue;
        }
        let (mut source, next) = content(&lines, at + 1, &fence, kind, &reads);
        if source
            .strip_suffix('\n')
            .is_some_and(|cut_off| text.ends_with(cut_off))
        {
            // It was broken off in the middle of a line.
            source.pop();
        }
        push(&mut blocks, kind, source);
        at = next;
    }
    blocks
}

fn push(blocks: &mut Vec<Block>, kind: Kind, source: String) {
    if !source.trim().is_empty() {
        blocks.push(Block { kind, source });
    }
}

/// A line that opens a block.
#[derive(Debug)]
struct Fence<'a> {
    mark: char,
    length: usize,
    /// Columns in front of it, within its quotes; a list's marker counts.
    indent: usize,
    /// How many `>` stand in front.
    quotes: usize,
    info: &'a str,
    /// The code, where it all stands on one line.
    on_one_line: Option<&'a str>,
}

impl<'a> Fence<'a> {
    fn opening(line: &'a str) -> Option<Self> {
        let (quotes, inner) = unquoted(line, usize::MAX);
        let (indent, rest) = unindented(inner);
        let (indent, rest) = match run(rest) {
            Some(_) => (indent, rest),
            None => behind_marker(inner, indent, rest).or_else(|| behind_sentence(inner))?,
        };
        let (mark, length) = run(rest)?;
        let info = rest[length..].trim();
        let mut fence = Self {
            mark,
            length,
            indent,
            quotes,
            info,
            on_one_line: None,
        };
        if mark == '`' && info.contains('`') {
            // Inline code, and of any length.
            let code = info.strip_suffix(&rest[..length])?;
            if code.contains('`') {
                return None;
            }
            (fence.info, fence.on_one_line) = ("", Some(code.trim()));
        }
        Some(fence)
    }

    /// How well `line` closes it.
    fn closing(&self, line: &str) -> Option<Closing> {
        let (indent, rest) = unindented(unquoted(line, self.quotes).1);
        let Some((mark, length)) = run(rest) else {
            let end = rest.trim_end();
            let tail: String = std::iter::repeat_n(self.mark, self.length).collect();
            return (end.len() > tail.len() && end.ends_with(&tail)).then_some(Closing::Behind);
        };
        if mark != self.mark || length < self.length {
            return None;
        }
        Some(match rest[length..].trim().is_empty() {
            true if indent <= self.indent + 3 => Closing::Proper,
            true => Closing::Indented,
            false => Closing::WithText,
        })
    }
}

/// The ways in which a line can close a block, the proper one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Closing {
    Proper,
    Indented,
    WithText,
    Behind,
}

/// What stands in a block whose content begins at line `start`, and the line at which to go on.
fn content(
    lines: &[&str],
    start: usize,
    fence: &Fence<'_>,
    kind: Kind,
    reads: &impl Fn(&str) -> bool,
) -> (String, usize) {
    let inside =
        |end: usize| -> String { tidy::lines(lines[start..end].iter().map(|line| inner(line, fence))) };
    // A quote ends where its marks end; on an empty line they may be missing.
    let last = (start..lines.len())
        .find(|&at| {
            let next = lines[at..].iter().find(|line| !line.trim().is_empty());
            fence.quotes > 0 && next.is_none_or(|line| unquoted(line, fence.quotes).0 < fence.quotes)
        })
        .unwrap_or(lines.len());
    let ends: Vec<(usize, Closing)> = (start..last)
        .filter_map(|at| Some((at, fence.closing(lines[at])?)))
        .take(MOST_ENDS)
        .collect();
    let taken = |(end, closing): (usize, Closing)| -> (String, usize) {
        if closing == Closing::Behind {
            // The line's own code belongs to it.
            let line = inner(lines[end], fence).trim_end();
            let code = &line[..line.len() - fence.length];
            return (format!("{}{code}\n", inside(end)), end + 1);
        }
        // A fence with words behind it may open the next block.
        let opens_next = closing == Closing::WithText;
        (inside(end), if opens_next { end } else { end + 1 })
    };
    let proper = ends
        .iter()
        .copied()
        .find(|(_, closing)| *closing == Closing::Proper);
    if kind != Kind::Other {
        let whole = |end: &&(usize, Closing)| reads(&taken(**end).0);
        // First what CommonMark takes, then what else may have been meant.
        let strict = ends.iter().filter(|(_, closing)| *closing == Closing::Proper);
        let loose = ends.iter().filter(|(_, closing)| *closing != Closing::Proper);
        if let Some(end) = strict.chain(loose).find(whole) {
            return taken(*end);
        }
    }
    match proper.or_else(|| ends.iter().copied().min_by_key(|(at, closing)| (*closing, *at))) {
        Some(end) => taken(end),
        None => (inside(last), last),
    }
}

/// A line of a block without the quotes and the indentation that the block has.
fn inner<'a>(line: &'a str, fence: &Fence<'_>) -> &'a str {
    let mut rest = unquoted(line, fence.quotes).1;
    for _ in 0..fence.indent {
        match rest.strip_prefix(' ') {
            Some(shorter) => rest = shorter,
            None => break,
        }
    }
    rest
}

/// How many `>` a line begins with, `most` at most, and what is behind them.
fn unquoted(line: &str, most: usize) -> (usize, &str) {
    let (mut quotes, mut rest) = (0, line);
    while quotes < most {
        let Some(behind) = rest.trim_start_matches(' ').strip_prefix('>') else {
            break;
        };
        // `>>>` is the prompt of a session.
        if behind.starts_with(">>") || (quotes == 0 && line.trim_start().starts_with(">>>")) {
            break;
        }
        rest = behind.strip_prefix(' ').unwrap_or(behind);
        quotes += 1;
    }
    (quotes, rest)
}

/// The columns of blanks in front, and the rest.
fn unindented(line: &str) -> (usize, &str) {
    let rest = line.trim_start_matches([' ', '\t']);
    (line.len() - rest.len(), rest)
}

/// The run of three or more marks that a text begins with.
fn run(text: &str) -> Option<(char, usize)> {
    let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = text.chars().take_while(|c| *c == mark).count();
    (length >= 3).then_some((mark, length))
}

/// A fence behind the number or the mark of a list.
fn behind_marker<'a>(line: &str, indent: usize, rest: &'a str) -> Option<(usize, &'a str)> {
    let digits = rest.chars().take_while(char::is_ascii_digit).count();
    let marker = match digits {
        0 => rest.starts_with(['-', '*', '+']).then_some(1)?,
        _ => rest[digits..].starts_with(['.', ')']).then_some(digits + 1)?,
    };
    let (blanks, fence) = unindented(&rest[marker..]);
    debug_assert!(line.len() >= indent);
    (blanks > 0 && run(fence).is_some()).then_some((indent + marker + blanks, fence))
}

/// A fence at the end of a sentence is none to `CommonMark`.
fn behind_sentence(line: &str) -> Option<(usize, &str)> {
    let at = line.find("```")?;
    let fence = &line[at..];
    let info = fence.trim_start_matches('`').trim_end();
    let is_word = info.chars().all(|c| c.is_alphanumeric() || "+#".contains(c));
    (line[..at].ends_with([' ', ':', '>', ']']) && is_word).then_some((0, fence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::source::outline;

    fn found(text: &str) -> Vec<String> {
        let kind = |info: &str| super::super::kinds::kind_of(info, "python");
        blocks(text, kind, |source| outline(source).is_some())
            .into_iter()
            .map(|block| block.source)
            .collect()
    }

    #[test]
    fn every_kind_of_fence() {
        for text in [
            "```\nx = 1\n```",
            "~~~ python\nx = 1\n~~~~",
            "`````py\nx = 1\n`````\n",
            "  ```\n  x = 1\n  ```",
            "1. First:\n\n   ```python\n   x = 1\n   ```\n",
            "1. ```python\n   x = 1\n   ```\n",
            "> So:\n> ```python\n> x = 1\n> ```\nEnd",
            "> > ```\n> > x = 1\n> > ```",
            "> ```\n> x = 1\nEnd",
            "```python\nx = 1",
            "```python\nx = 1```",
            "Here: ```python\nx = 1\n```\nmore",
            "```x = 1```",
            "```\nx = 1\n``` That is all.",
            "        ```python\n        x = 1\n        ```",
        ] {
            let found = found(text);
            assert_eq!((found.len(), found[0].trim_end()), (1, "x = 1"), "{text}");
        }
    }

    #[test]
    fn not_every_mark_is_a_fence() {
        for text in [
            "a ``b`` c",
            "``\nx\n``",
            "use ```x``` and ```y```",
            "~~gone~~",
            "",
        ] {
            assert!(found(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn the_fence_that_makes_a_program_closes() {
        let inside = "def f():\n  '''\n  ```\n  f()\n  ```\n  '''\n  return 1\n";
        assert_eq!(found(&format!("```python\n{inside}```\n")), [inside]);
        assert_eq!(found("```\nx = 1\n```python\ny = 2\n```"), ["x = 1\n", "y = 2\n"]);
    }

    #[test]
    fn a_broken_block_ends_at_its_fence() {
        let text = "```python\ndef f(:\n```\nSorry:\n```python\ndef f(): pass\n```";
        assert_eq!(found(text), ["def f(:\n", "def f(): pass\n"]);
    }
}
