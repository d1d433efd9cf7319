//! Finds the program in a model's reply.
//!
//! Fences follow `CommonMark` (any length, backticks or tildes, indented in lists, unclosed). Where there are
//! several blocks the last one that defines the entry point counts, with what other blocks must supply. Without
//! a fence, the reply itself is tried: whole, as a body that continues the starter code, and without the prose
//! around. Which rule found the program is part of the answer, so that it can be looked at later.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use serde::{Deserialize, Serialize};

use super::source::{Outline, outline, uses};
use crate::task::{Brief, Program};

/// How the program was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The only code block, or the only one that can be the program.
    Block,
    /// The last of several blocks that define the entry point.
    LastBlock,
    /// Several blocks put together, since the last one needs what others define.
    Blocks,
    /// A block or the whole reply as a function body behind the starter code.
    Continuation,
    /// The reply without any fence.
    WholeReply,
    /// The longest run of lines that is a program, prose left away.
    Lines,
    /// A block that isn't valid Python; the error is shown to the model.
    Invalid,
}

/// A program found in a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The program.
    pub program: Program,
    /// How it was found.
    pub rule: Rule,
}

/// Cuts the program for `brief` out of `reply`; `None` where there is no code in it.
pub fn find_program(reply: &str, brief: &Brief) -> Option<Found> {
    let reply = without_thoughts(&clean(reply));
    let blocks = code_blocks(&reply);
    let (source, rule) = if blocks.is_empty() {
        unfenced(&reply, brief)?
    } else {
        from_blocks(&blocks, brief).or_else(|| {
            // Fences that hold only usage or output: the program may stand outside of them.
            let (source, rule) = unfenced(&reply, brief)?;
            defines_entry(&outline(&source)?, brief).then_some((source, rule))
        })?
    };
    Some(Found {
        program: Program {
            language: brief.language,
            source,
        },
        rule,
    })
}

/// Line ends as `\n`, and none of the invisible characters that chat interfaces leave in text.
pub(super) fn clean(text: &str) -> String {
    text.replace("\r\n", "\n")
        .replace('\r', "\n")
        .chars()
        .filter(|c| !matches!(c, '\u{feff}' | '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{2060}'))
        .collect()
}

/// The reply behind its reasoning part. An unclosed one has used up the reply: nothing in it is an answer.
pub(super) fn without_thoughts(text: &str) -> String {
    let mut text = text.to_owned();
    for (open, close) in [("<think>", "</think>"), ("<thinking>", "</thinking>")] {
        // A missing opening tag is common: the chat template has already written it.
        while let Some(end) = text.find(close) {
            let start = text[..end].rfind(open).unwrap_or(0);
            text.replace_range(start..end + close.len(), "");
        }
        if text.trim_start().starts_with(open) {
            text.clear();
        }
    }
    text
}

/// One fenced block.
#[derive(Debug)]
struct Block {
    source: String,
    /// Whether the info string names Python, nothing, or something else.
    kind: BlockKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockKind {
    Python,
    Untagged,
    Other,
}

fn code_blocks(reply: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for event in Parser::new(reply) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                open = Some(Block {
                    source: String::new(),
                    kind: kind_of(&info),
                });
            }
            Event::Text(text) => {
                if let Some(block) = &mut open {
                    block.source.push_str(&text);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some(mut block) = open.take()
                    && !block.source.trim().is_empty()
                {
                    block.source = without_prompts(&block.source);
                    blocks.push(block);
                }
            }
            _ => {}
        }
    }
    blocks
}

fn kind_of(info: &str) -> BlockKind {
    let word: String = info
        .trim()
        .trim_start_matches(['{', '.'])
        .chars()
        .take_while(char::is_ascii_alphanumeric)
        .collect::<String>()
        .to_ascii_lowercase();
    match word.as_str() {
        "" => BlockKind::Untagged,
        "python" | "python3" | "py" | "py3" | "python2" | "ipython" | "pycon" | "code" => BlockKind::Python,
        _ => BlockKind::Other,
    }
}

/// Code from an interactive session without its prompts and outputs.
fn without_prompts(source: &str) -> String {
    if !source.trim_start().starts_with(">>>") {
        return source.to_owned();
    }
    let mut code = String::new();
    for line in source.lines() {
        let line = line.trim_start();
        let rest = line.strip_prefix(">>>").or_else(|| line.strip_prefix("..."));
        if let Some(rest) = rest {
            code.push_str(rest.strip_prefix(' ').unwrap_or(rest));
            code.push('\n');
        }
    }
    code
}

fn from_blocks(blocks: &[Block], brief: &Brief) -> Option<(String, Rule)> {
    // Blocks tagged with another language count only where nothing else is there.
    let ours: Vec<&Block> = blocks
        .iter()
        .filter(|block| block.kind != BlockKind::Other)
        .collect();
    let ours = if ours.is_empty() {
        blocks.iter().collect()
    } else {
        ours
    };
    let parsed: Vec<(&Block, Option<Outline>)> = ours
        .iter()
        .map(|&block| (block, outline(&block.source)))
        .collect();
    let main = match &brief.entry_point {
        Some(_) => parsed.iter().rposition(|(_, outline)| {
            outline
                .as_ref()
                .is_some_and(|outline| defines_entry(outline, brief))
        }),
        None => main_of_script(&parsed),
    };
    if let Some(main) = main {
        return Some(with_suppliers(&parsed, main));
    }
    if let Some(source) = split_program(&ours, brief) {
        return Some((source, Rule::Blocks));
    }
    if let Some(source) = ours
        .iter()
        .rev()
        .find_map(|block| continuation(&block.source, brief))
    {
        return Some((source, Rule::Continuation));
    }
    // Nothing fits: the longest block, so that its own error is what the model is shown.
    let longest = ours.iter().max_by_key(|block| block.source.len())?;
    if outline(&longest.source).is_some() && brief.entry_point.is_some() {
        // A valid block that lacks the entry point is still the model's answer: the tests say what is missing.
        return Some((longest.source.clone(), Rule::Block));
    }
    Some((longest.source.clone(), Rule::Invalid))
}

/// For a program that reads stdin: the last block that does something and isn't only a definition, preferring
/// one that reads its input.
fn main_of_script(parsed: &[(&Block, Option<Outline>)]) -> Option<usize> {
    let valid = |index: &usize| parsed[*index].1.as_ref().is_some_and(|outline| !outline.is_empty);
    let reads = |index: &usize| {
        let source = &parsed[*index].0.source;
        ["input(", "stdin", "open(0"]
            .iter()
            .any(|word| source.contains(word))
    };
    let all = || (0..parsed.len()).filter(valid);
    let acts = |index: &usize| parsed[*index].1.as_ref().is_some_and(|outline| outline.acts);
    all()
        .rfind(reads)
        .or_else(|| all().rfind(acts))
        .or_else(|| all().next_back())
}

/// The main block, behind those earlier or later blocks that define names which it uses and doesn't define.
fn with_suppliers(parsed: &[(&Block, Option<Outline>)], main: usize) -> (String, Rule) {
    let Some(outline) = &parsed[main].1 else {
        return (parsed[main].0.source.clone(), Rule::Block);
    };
    let mut text = parsed[main].0.source.clone();
    let mut defined = outline.defines.clone();
    let mut taken = false;
    // From the last to the first: a later definition replaces an earlier one.
    for (index, (block, supplier)) in parsed.iter().enumerate().rev() {
        let Some(supplier) = supplier else { continue };
        if index == main || supplier.acts || supplier.defines.is_empty() {
            continue;
        }
        let repeats = supplier.defines.iter().any(|name| outline.defines.contains(name));
        let needed = supplier
            .defines
            .iter()
            .any(|name| !defined.contains(name) && uses(&text, name));
        if needed && !repeats {
            text = format!("{}\n{text}", block.source.trim_end_matches('\n'));
            defined.extend(supplier.defines.iter().cloned());
            taken = true;
        }
    }
    let rule = match (taken, parsed.len()) {
        (true, _) => Rule::Blocks,
        (false, 1) => Rule::Block,
        (false, _) => Rule::LastBlock,
    };
    (text, rule)
}

/// One program that was cut into several blocks, none of which stands alone.
fn split_program(blocks: &[&Block], brief: &Brief) -> Option<String> {
    if blocks.len() < 2 {
        return None;
    }
    let mut joined = String::new();
    for block in blocks {
        joined.push_str(block.source.trim_end_matches('\n'));
        joined.push('\n');
    }
    let outline = outline(&joined)?;
    (brief.entry_point.is_none() || defines_entry(&outline, brief)).then_some(joined)
}

fn defines_entry(outline: &Outline, brief: &Brief) -> bool {
    match &brief.entry_point {
        Some(entry) => outline.defines.contains(entry.split('.').next().unwrap_or(entry)),
        None => !outline.is_empty,
    }
}

/// The starter code with `body` behind it, where that makes the entry point whole.
fn continuation(body: &str, brief: &Brief) -> Option<String> {
    if brief.starter_code.is_empty() || body.trim().is_empty() {
        return None;
    }
    let indented: String = if body
        .lines()
        .find(|line| !line.trim().is_empty())?
        .starts_with([' ', '\t'])
    {
        body.to_owned()
    } else {
        body.lines()
            .map(|line| {
                if line.is_empty() {
                    "\n".to_owned()
                } else {
                    format!("    {line}\n")
                }
            })
            .collect()
    };
    let source = format!("{}\n{indented}", brief.starter_code.trim_end_matches('\n'));
    let outline = outline(&source)?;
    // A bare expression such as "Here is the code" must not pass as a body: it has to return or act.
    let acts = ["return", "yield", "raise", "print", "="]
        .iter()
        .any(|word| body.contains(word));
    (defines_entry(&outline, brief) && acts).then_some(source)
}

fn unfenced(reply: &str, brief: &Brief) -> Option<(String, Rule)> {
    let whole = without_prompts(reply);
    if let Some(outline) = outline(&whole)
        && defines_entry(&outline, brief)
        && (!outline.defines.is_empty() || outline.acts && looks_like_code(&whole))
    {
        return Some((whole, Rule::WholeReply));
    }
    if let Some(source) = longest_program(reply, brief) {
        return Some((source, Rule::Lines));
    }
    continuation(reply, brief).map(|source| (source, Rule::Continuation))
}

/// A lone word or sentence can be valid Python; a program has more than names.
fn looks_like_code(text: &str) -> bool {
    text.contains(['(', '=', ':'])
}

/// A reply of thousands of lines without a fence isn't worth a quadratic search.
const MOST_STARTS: usize = 50;
const MOST_ENDS: usize = 400;

/// The longest run of whole lines that parses and defines the entry point. Runs begin where a line begins that
/// can open a program, so that the search stays linear in practice.
fn longest_program(reply: &str, brief: &Brief) -> Option<String> {
    brief.entry_point.as_ref()?;
    let lines: Vec<&str> = reply.lines().collect();
    let opens = |line: &str| {
        ["def ", "class ", "import ", "from ", "@", "async def "]
            .iter()
            .any(|word| line.starts_with(word))
    };
    let mut best: Option<String> = None;
    for (start, _) in lines
        .iter()
        .enumerate()
        .filter(|(_, line)| opens(line))
        .take(MOST_STARTS)
    {
        for end in (start + 1..=lines.len()).rev().take(MOST_ENDS) {
            let source = format!("{}\n", lines[start..end].join("\n"));
            if best.as_ref().is_some_and(|best| best.len() >= source.len()) {
                break;
            }
            if outline(&source).is_some_and(|outline| defines_entry(&outline, brief)) {
                best = Some(source);
                break;
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{Language, Limits};

    fn brief(entry: Option<&str>, starter: &str) -> Brief {
        Brief {
            language: Language::PYTHON,
            statement: String::new(),
            entry_point: entry.map(str::to_owned),
            starter_code: starter.to_owned(),
            visible: Vec::new(),
            limits: Limits::default(),
        }
    }

    fn found(reply: &str) -> (String, Rule) {
        let found = find_program(reply, &brief(Some("f"), "def f(n):\n    \"\"\"Doc.\"\"\"\n")).unwrap();
        (found.program.source, found.rule)
    }

    #[test]
    fn one_block() {
        assert_eq!(
            found("Sure:\n```python\ndef f(n): return 1\n```\nDone."),
            ("def f(n): return 1\n".into(), Rule::Block)
        );
        assert_eq!(
            found("~~~py\ndef f(n): return 1\n"),
            ("def f(n): return 1\n".into(), Rule::Block)
        );
    }

    #[test]
    fn a_longer_fence_may_hold_a_shorter_one() {
        let reply = "````python\ndef f(n):\n    '''\n```\nx\n```\n    '''\n    return 2\n````";
        assert_eq!(
            found(reply),
            (
                "def f(n):\n    '''\n```\nx\n```\n    '''\n    return 2\n".into(),
                Rule::Block
            )
        );
    }

    #[test]
    fn the_last_block_that_defines_the_entry_point_counts() {
        let reply = "Draft:\n```python\ndef f(n): return 1\n```\nBetter:\n```python\ndef f(n): return 2\n```\n\
                     Use:\n```python\nprint(f(3))\n```";
        assert_eq!(found(reply), ("def f(n): return 2\n".into(), Rule::LastBlock));
    }

    #[test]
    fn helpers_from_other_blocks_come_along() {
        let reply = "```python\ndef g(n): return n\n```\nand\n```python\ndef f(n): return g(n)\n```";
        assert_eq!(
            found(reply),
            ("def g(n): return n\ndef f(n): return g(n)\n".into(), Rule::Blocks)
        );
    }

    #[test]
    fn one_program_cut_into_blocks() {
        let reply = "```python\nclass A:\n    pass\n\ndef f(n):\n```\nthen\n```python\n    return n\n```";
        let (source, rule) = found(reply);
        assert!(source.contains("return n"), "{source}");
        assert_eq!(rule, Rule::Blocks);
    }

    #[test]
    fn a_body_continues_the_starter_code() {
        let expected = "def f(n):\n    \"\"\"Doc.\"\"\"\n    return n + 1\n";
        assert_eq!(found("    return n + 1\n"), (expected.into(), Rule::Continuation));
        assert_eq!(
            found("```python\nreturn n + 1\n```"),
            (expected.into(), Rule::Continuation)
        );
    }

    #[test]
    fn thoughts_are_not_answers() {
        let reply =
            "<think>\n```python\ndef f(n): return 1\n```\n</think>\n```python\ndef f(n): return 2\n```";
        assert_eq!(found(reply).0, "def f(n): return 2\n");
        assert_eq!(
            find_program(
                "<think>\n```python\ndef f(n): return 1\n```",
                &brief(Some("f"), "")
            ),
            None
        );
    }

    #[test]
    fn prose_around_an_unfenced_program_is_left_away() {
        let reply = "Here it is:\n\nimport math\n\ndef f(n):\n    return math.sqrt(n)\n\nIt returns the root, you see.";
        assert_eq!(
            found(reply),
            (
                "import math\n\ndef f(n):\n    return math.sqrt(n)\n\n".into(),
                Rule::Lines
            )
        );
    }

    #[test]
    fn prompts_of_a_session_and_invisible_characters_go() {
        assert_eq!(
            found("```\n>>> def f(n):\n...     return 3\n>>> f(1)\n3\n```").0,
            "def f(n):\n    return 3\nf(1)\n"
        );
        assert_eq!(
            found("\u{feff}```python\r\ndef f(n):\r\n    return\u{200b} 3\r\n```").0,
            "def f(n):\n    return 3\n"
        );
    }

    #[test]
    fn a_program_for_stdin_is_the_block_that_reads() {
        let reply = "```python\nprint(sum(map(int, input().split())))\n```\nExample:\n```\n1 2\n```";
        let found = find_program(reply, &brief(None, "")).unwrap();
        assert_eq!(found.program.source, "print(sum(map(int, input().split())))\n");
    }

    #[test]
    fn prose_alone_holds_no_program() {
        for reply in [
            "",
            "   \n",
            "I can't do that.",
            "Sorry",
            "The answer is 42, I think.",
        ] {
            assert_eq!(
                find_program(reply, &brief(Some("f"), "def f(n):\n    \"\"\"Doc.\"\"\"\n")),
                None,
                "{reply:?}"
            );
            assert_eq!(find_program(reply, &brief(None, "")), None, "{reply:?}");
        }
    }

    #[test]
    fn a_broken_block_is_kept_so_that_its_error_can_be_shown() {
        assert_eq!(found("```python\ndef f(n:\n    return 1\n```").1, Rule::Invalid);
    }
}
