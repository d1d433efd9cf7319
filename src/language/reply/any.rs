//! Finds a whole source text in a model's reply, whatever its language.

use super::fences;
use super::kinds::Kind;
use super::tidy::{tidy, without_thoughts};

/// Lines shorter than this stand in too many texts to tell anything.
const TELLING: usize = 8;

/// The new text of a program whose text was `old`: the last code block that isn't much shorter than it, else the
/// longest; without a block the reply itself, if it shares lines with the old text.
pub fn last_block(reply: &str, old: &str) -> Option<String> {
    let (reply, _) = without_thoughts(&tidy(reply));
    let blocks = blocks(&reply);
    let whole = |block: &&String| block.trim().len() * 2 >= old.trim().len();
    if let Some(block) = blocks
        .iter()
        .rfind(whole)
        .or_else(|| blocks.iter().max_by_key(|block| block.len()))
    {
        return Some(block.clone());
    }
    let shared = |line: &str| {
        let line = line.trim();
        line.len() >= TELLING && old.lines().any(|old| old.trim() == line)
    };
    reply.lines().any(shared).then(|| format!("{}\n", reply.trim()))
}

fn blocks(reply: &str) -> Vec<String> {
    let found = fences::blocks(reply, |_| Kind::Untagged, |_| true);
    found.into_iter().map(|block| block.source).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "method M() returns (m: int)\n  ensures m > 0\n{ m := 0; }\n";

    #[test]
    fn the_last_whole_block_counts() {
        let reply = "Before:\n```dafny\nmethod M() returns (m: int)\n  ensures m > 0\n{ m := 0; }\n```\nAfter:\n\
                     ```dafny\nmethod M() returns (m: int)\n  ensures m > 0\n{ m := 1; }\n```\nCall it so:\n```\nM();\n```";
        assert!(last_block(reply, OLD).unwrap().contains("m := 1"));
        assert_eq!(last_block("```\nx\n```\n```\nxyz\n```", OLD).unwrap(), "xyz\n");
    }

    #[test]
    fn without_a_block_the_reply_counts_if_it_is_code() {
        let reply = "method M() returns (m: int)\n  ensures m > 0\n{ m := 1; }";
        assert_eq!(last_block(reply, OLD).unwrap(), format!("{reply}\n"));
        assert_eq!(last_block("I can't do that.", OLD), None);
        assert_eq!(last_block("<think>\n```\nx\n```", OLD), None);
    }
}
