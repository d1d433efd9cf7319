//! What stands around an assertion and may keep it from failing.

use super::Walker;
use crate::verify::guard::preset::Shape;

impl Walker<'_, '_> {
    /// Blocks, conditions and ends between `begin` and what stands at `at`, as words in front of it.
    pub(super) fn around(&self, begin: usize, at: usize) -> String {
        let mut found = String::new();
        let mut from = begin;
        let mut next = begin;
        while next < at {
            let close = self.close(next);
            if close > at && matches!(self.text(next), "{" | "(") {
                if self.leaves(from, next) {
                    found.push_str("never ");
                }
                if self.text(next) == "{" {
                    found.push_str(self.introduced_by(next, from));
                }
                next += 1;
                from = next;
            } else {
                next = close + 1;
            }
        }
        if self.leaves(from, at) {
            found.push_str("never ");
        }
        found.push_str(&self.joined_to(at));
        // A new way out in front of it may keep it from being reached.
        let ends = (begin..at)
            .filter(|at| matches!(self.text(*at), "return" | "throw" | "goto"))
            .count();
        if ends > 0 {
            found = format!("behind {ends} ends: {found}");
        }
        found
    }

    /// The word that begins the statement of a block.
    fn introduced_by(&self, open: usize, from: usize) -> &'static str {
        let mut at = open;
        while at > from {
            let before = self.before(at);
            if matches!(before, ";" | "{" | "}") {
                break;
            }
            at -= 1;
            if matches!(before, ")" | "]") {
                at = self.lexed.partner.get(at).copied().unwrap_or(at).min(at);
            }
        }
        match self.text(at) {
            "if" => "if ",
            "else" => "else ",
            "for" | "while" | "loop" | "do" => "loop ",
            "match" | "switch" => "case ",
            "try" => "try ",
            "catch" => "catch ",
            "fn" | "function" => "function ",
            _ => "block ",
        }
    }

    /// Whether a statement between two indices leaves the block, whatever comes.
    fn leaves(&self, from: usize, to: usize) -> bool {
        let mut at = from;
        while at < to {
            let starts = at == from || matches!(self.before(at), ";" | "{" | "}");
            if starts
                && matches!(
                    self.text(at),
                    "return" | "break" | "continue" | "throw" | "goto" | "panic" | "unreachable" | "todo"
                )
            {
                return true;
            }
            at = self.close(at) + 1;
        }
        false
    }

    /// What a statement hangs on without a block: `if (x) assert(y)`, `x && assert(y)`.
    fn joined_to(&self, at: usize) -> String {
        let Some(before) = at.checked_sub(1) else {
            return String::new();
        };
        let token = &self.lexed.tokens[before];
        let new_line = self.preset.shape == Shape::Script && token.line < self.lexed.tokens[at].line;
        match self.before(at) {
            ";" | "{" | "}" | "*/" | "" | "\n" | "await" => String::new(),
            ")" => {
                let open = self.lexed.partner.get(before).copied().unwrap_or(before);
                match self.before(open) {
                    "if" => "if ".to_owned(),
                    "for" | "while" => "loop ".to_owned(),
                    _ if self.preset.shape == Shape::C => "if ".to_owned(),
                    _ => String::new(),
                }
            }
            _ if new_line => String::new(),
            word => format!("{word} "),
        }
    }
}
