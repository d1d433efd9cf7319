//! Bodies that continue the starter code.

use ruff_python_ast::Stmt;
use ruff_python_ast::visitor::{Visitor, walk_stmt};

use crate::language::source::{Kind, outline};
use crate::task::Brief;

/// How sure it is that a text is the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// It returns, yields or raises.
    Gives,
    /// It does something at least: a task may be to change its argument.
    Acts,
}

/// Longest tail that is cut off a body in search for one that is whole, in lines.
const MOST_CUT: usize = 200;

/// The starter code with `body` behind it, where that makes the entry point whole.
pub(super) fn complete(body: &str, brief: &Brief, proof: Proof) -> Option<String> {
    if brief.starter_code.is_empty() || body.trim().is_empty() {
        return None;
    }
    let starter = brief.starter_code.trim_end_matches('\n');
    readings(body)
        .into_iter()
        .map(|body| format!("{starter}\n{body}"))
        .find(|source| is_whole(source, brief, proof))
}

/// As [`complete`], for a text that may go on behind the body or break off in the middle of a line.
pub(super) fn complete_beginning(text: &str, brief: &Brief) -> Option<String> {
    complete(text, brief, Proof::Gives).or_else(|| {
        let lines: Vec<&str> = text.lines().collect();
        let least = lines.len().saturating_sub(MOST_CUT).max(1);
        // First where something new begins at the margin, then anywhere.
        let begins = |end: &usize| !lines[*end].is_empty() && !lines[*end].starts_with([' ', '\t']);
        let at_margin = (1..lines.len()).filter(begins).rev().take(MOST_CUT);
        at_margin
            .chain((least..lines.len()).rev())
            .find_map(|end| complete(&format!("{}\n", lines[..end].join("\n")), brief, Proof::Gives))
    })
}

/// The body as it is, with its first line indented as the others, and indented as a whole.
fn readings(body: &str) -> Vec<String> {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let filled = || body.lines().filter(|line| !line.trim().is_empty());
    let Some(first) = filled().next().map(indent) else {
        return Vec::new();
    };
    if first > 0 {
        return vec![body.to_owned()];
    }
    let mut readings = Vec::new();
    // Whoever strips a completion takes the blanks in front of its first line.
    if filled().count() > 1
        && let Some(least) = filled().skip(1).map(indent).min().filter(|least| *least > 0)
    {
        let start = body.len() - body.trim_start_matches('\n').len();
        let (empty, rest) = body.split_at(start);
        readings.push(format!("{empty}{}{rest}", " ".repeat(least)));
    }
    let indented = body.lines().map(|line| {
        if line.is_empty() {
            "\n".to_owned()
        } else {
            format!("    {line}\n")
        }
    });
    readings.push(indented.collect());
    readings
}

fn is_whole(source: &str, brief: &Brief, proof: Proof) -> bool {
    let Some(outline) = outline(source) else {
        return false;
    };
    let defined = match &brief.entry_point {
        Some(entry) => outline.entry(entry) == Some(Kind::Real),
        None => !outline.is_empty(),
    };
    defined && gives(source, brief, proof)
}

/// Whether the entry point's function does something: "Here is the code" can be a valid body, too.
fn gives(source: &str, brief: &Brief, proof: Proof) -> bool {
    let Ok(parsed) = ruff_python_parser::parse_module(source) else {
        return false;
    };
    let mut found = Found {
        name: brief
            .entry_point
            .as_deref()
            .map(|entry| entry.rsplit('.').next().unwrap_or(entry)),
        inside: false,
        gives: false,
        acts: false,
    };
    found.visit_body(&parsed.syntax().body);
    match proof {
        Proof::Gives => found.gives,
        Proof::Acts => found.gives || found.acts,
    }
}

struct Found<'n> {
    name: Option<&'n str>,
    inside: bool,
    gives: bool,
    acts: bool,
}

impl<'a> Visitor<'a> for Found<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::FunctionDef(function) = statement {
            let was = self.inside;
            self.inside |= self.name.is_none_or(|name| name == function.name.as_str());
            walk_stmt(self, statement);
            self.inside = was;
            return;
        }
        if self.inside {
            self.gives |= match statement {
                Stmt::Return(returned) => returned.value.is_some(),
                Stmt::Raise(_) => true,
                Stmt::Expr(expression) => {
                    expression.value.is_yield_expr() || expression.value.is_yield_from_expr()
                }
                _ => false,
            };
            self.acts |= match statement {
                Stmt::Assign(_) | Stmt::AugAssign(_) | Stmt::Delete(_) => true,
                Stmt::Expr(expression) => expression.value.is_call_expr(),
                _ => false,
            };
        }
        walk_stmt(self, statement);
    }
}
