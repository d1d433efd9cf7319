//! The rules by which other harnesses cut a program out of a reply, for numbers that can be compared with theirs.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged as _;

use super::{Found, Rule, find_program};
use crate::language::source::outline;
use crate::task::{Brief, Program};

/// How a program is cut out of a reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extract {
    /// Not at all: the text is the program, or its rest.
    #[default]
    None,
    /// By redraft's own rules.
    Auto,
    /// The first fenced block, or the whole reply where there is none (`OpenCompass`, version 2).
    First,
    /// The last fenced block, or the whole reply where there is none (`OpenCompass`, version 3).
    Last,
    /// What stands between the last two lines that hold a fence, or nothing (`LiveCodeBench`).
    Lcb,
    /// The longest run of lines that is Python, and of it what the entry point needs (`EvalPlus`' sanitizer).
    Evalplus,
}

impl Extract {
    /// All of them, by the names that the command line uses.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("none", Self::None),
        ("auto", Self::Auto),
        ("first", Self::First),
        ("last", Self::Last),
        ("lcb", Self::Lcb),
        ("evalplus", Self::Evalplus),
    ];

    /// The name that the command line uses.
    pub fn name(self) -> &'static str {
        let named = Self::NAMES.iter().find(|(_, mode)| *mode == self);
        named.map_or("none", |(name, _)| name)
    }

    /// The program in `reply`, or `None` where this rule finds nothing.
    pub fn find(self, reply: &str, brief: &Brief) -> Option<Found> {
        let source = match self {
            Self::None => reply.to_owned(),
            Self::Auto => return find_program(reply, brief),
            Self::First => fenced(reply, false).unwrap_or_else(|| reply.to_owned()),
            Self::Last => fenced(reply, true).unwrap_or_else(|| reply.to_owned()),
            Self::Lcb => between_last_fences(reply)?,
            Self::Evalplus => sanitized(reply, brief.entry_point.as_deref())?,
        };
        Some(Found {
            program: Program {
                language: brief.language,
                source,
            },
            rule: Rule::Peer,
        })
    }
}

/// What stands between two lines of three backticks, a word behind the first of which is allowed: as a pattern of
/// theirs has it, without regard to nesting.
fn fenced(reply: &str, last: bool) -> Option<String> {
    let mut blocks = Vec::new();
    let mut rest = reply;
    while let Some(open) = rest.find("```") {
        let behind = &rest[open + 3..];
        let word = behind.len()
            - behind
                .trim_start_matches(|c: char| c.is_alphanumeric() || c == '_')
                .len();
        let Some(inner) = behind[word..].strip_prefix('\n') else {
            rest = behind;
            continue;
        };
        let Some(close) = inner.find("```") else { break };
        blocks.push(&inner[..close]);
        rest = &inner[close + 3..];
    }
    let block = if last { blocks.last() } else { blocks.first() };
    block.map(|block| (*block).to_owned())
}

fn between_last_fences(reply: &str) -> Option<String> {
    let lines: Vec<&str> = reply.split('\n').collect();
    let mut fences = (0..lines.len()).rev().filter(|&at| lines[at].contains("```"));
    let (close, open) = (fences.next()?, fences.next()?);
    Some(lines[open + 1..close].join("\n"))
}

/// More lines than that aren't searched: the search is quadratic.
const MOST_LINES: usize = 400;

/// Imports and definitions of the longest run of lines that is Python, of which only those stay that the entry point
/// reaches: functions that return, classes, and values with one name each. Of two definitions of a name the first
/// stays; decorated ones and all other statements go.
fn sanitized(reply: &str, entry: Option<&str>) -> Option<String> {
    let code = longest_run(reply)?;
    let parsed = ruff_python_parser::parse_module(&code).ok()?;
    let mut imports = String::new();
    let mut kept: Vec<(String, String)> = Vec::new();
    for statement in &parsed.syntax().body {
        let range = statement.range();
        let text = code
            .get(range.start().to_usize()..range.end().to_usize())
            .unwrap_or_default();
        let name = match statement {
            Stmt::Import(_) | Stmt::ImportFrom(_) => {
                imports.push_str(text);
                imports.push('\n');
                continue;
            }
            Stmt::FunctionDef(function) if function.decorator_list.is_empty() && text.contains("return") => {
                function.name.to_string()
            }
            Stmt::ClassDef(class) if class.decorator_list.is_empty() => class.name.to_string(),
            Stmt::Assign(assign) => match assign.targets.as_slice() {
                [Expr::Name(name)] => name.id.to_string(),
                _ => continue,
            },
            _ => continue,
        };
        if !kept.iter().any(|(known, _)| *known == name) {
            kept.push((name, text.to_owned()));
        }
    }
    if let Some(entry) = entry {
        let reached = reached(&kept, entry);
        kept.retain(|(name, _)| reached.contains(name));
    }
    let body: Vec<String> = kept.into_iter().map(|(_, text)| text).collect();
    Some(format!("{imports}{}", body.join("\n")))
}

/// The names that `entry` uses, and those that these use, and so on.
fn reached(kept: &[(String, String)], entry: &str) -> BTreeSet<String> {
    let uses: BTreeMap<&str, BTreeSet<String>> = kept
        .iter()
        .map(|(name, text)| {
            let free = outline(text).and_then(|outline| outline.tops.into_iter().next());
            (name.as_str(), free.map(|top| top.free).unwrap_or_default())
        })
        .collect();
    let mut reached = BTreeSet::from([entry.to_owned()]);
    let mut open = vec![entry.to_owned()];
    while let Some(name) = open.pop() {
        for next in uses.get(name.as_str()).into_iter().flatten() {
            if reached.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    reached
}

/// The run of lines with the most that aren't empty, the first of equals.
fn longest_run(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.split('\n').take(MOST_LINES).collect();
    let mut best: Option<(usize, String)> = None;
    for start in 0..lines.len() {
        for end in (start + 1..=lines.len()).rev() {
            let filled = lines[start..end]
                .iter()
                .filter(|line| !line.trim().is_empty())
                .count();
            if best.as_ref().is_some_and(|(most, _)| *most >= filled) {
                break;
            }
            let run = lines[start..end].join("\n");
            if outline(&run).is_some() {
                best = Some((filled, run));
                break;
            }
        }
    }
    best.map(|(_, run)| run)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPLY: &str = "One:\n```python\na = 1\n```\nTwo:\n```\nb = 2\n```\nDone.";

    #[test]
    fn first_last_and_between() {
        assert_eq!(fenced(REPLY, false).as_deref(), Some("a = 1\n"));
        assert_eq!(fenced(REPLY, true).as_deref(), Some("b = 2\n"));
        assert_eq!(fenced("no fence", true), None);
        assert_eq!(between_last_fences(REPLY).as_deref(), Some("b = 2"));
        assert_eq!(between_last_fences("```\nunclosed"), None);
    }

    #[test]
    fn what_a_sanitizer_keeps() {
        let reply = "Sure:\n```python\nimport math\n@cache\ndef g(): return 1\ndef f(n):\n    return h(n)\n\
                     def h(n):\n    return n\ndef h(n):\n    return -n\na, b = 1, 2\nprint(f(1))\n```";
        assert_eq!(
            sanitized(reply, Some("f")).as_deref(),
            Some("import math\ndef f(n):\n    return h(n)\ndef h(n):\n    return n")
        );
    }
}
