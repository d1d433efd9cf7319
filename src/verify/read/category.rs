//! What kind of thing a message is about.

use crate::task::Category;

/// Phrases of provers, compilers and test runners in lower case; the first that stands in a message decides.
const PHRASES: &[(&str, Category)] = &[
    // Before all else: a prover that gave up says nothing about the program.
    ("timed out", Category::Timeout),
    ("time out", Category::Timeout),
    ("timeout", Category::Timeout),
    ("time limit", Category::Timeout),
    ("resource limit", Category::Resource),
    ("rlimit exceeded", Category::Resource),
    ("out of resource", Category::Resource),
    ("out of memory", Category::Resource),
    ("memory exhausted", Category::Resource),
    // Provers: Verus, Dafny, Boogie, Frama-C, CBMC, Kani, Prusti, Creusot.
    ("postcondition", Category::Postcondition),
    ("failed ensures", Category::Postcondition),
    ("function requirements might not hold", Category::Precondition),
    ("precondition", Category::Precondition),
    ("failed requires", Category::Precondition),
    ("invariant", Category::Invariant),
    ("decreases", Category::Termination),
    ("termination", Category::Termination),
    ("might not terminate", Category::Termination),
    ("loop variant", Category::Termination),
    ("assertion", Category::Assertion),
    ("assert failed", Category::Assertion),
    ("possible arithmetic underflow/overflow", Category::Precondition),
    ("possible division by zero", Category::Precondition),
    ("possible bit shift underflow/overflow", Category::Precondition),
    ("index out of range", Category::Precondition),
    ("target object may be null", Category::Precondition),
    ("might not be in domain", Category::Precondition),
    (
        "value does not satisfy the subset constraints",
        Category::Precondition,
    ),
    ("might violate context's modifies clause", Category::Postcondition),
    ("might violate context", Category::Postcondition),
    ("insufficient reads clause", Category::Precondition),
    ("recommendation not met", Category::Lint),
    // Compilers and interpreters.
    ("no such file", Category::Other),
    ("file not found", Category::Other),
    ("syntax error", Category::Syntax),
    ("syntaxerror", Category::Syntax),
    ("indentationerror", Category::Syntax),
    ("taberror", Category::Syntax),
    ("parse error", Category::Syntax),
    ("parsing error", Category::Syntax),
    ("unexpected token", Category::Syntax),
    ("unexpected end of", Category::Syntax),
    ("unexpected eof", Category::Syntax),
    ("unterminated", Category::Syntax),
    ("missing terminating", Category::Syntax),
    ("stray ", Category::Syntax),
    ("mismatched types", Category::Type),
    ("type mismatch", Category::Type),
    ("type error", Category::Type),
    ("undeclared", Category::Type),
    ("not declared", Category::Type),
    ("undefined:", Category::Type),
    ("unresolved", Category::Type),
    ("incompatible type", Category::Type),
    ("has type", Category::Type),
];

/// The category of a message by its words; `None` where they say nothing.
pub(super) fn of(message: &str) -> Option<Category> {
    let message = message.to_lowercase();
    PHRASES
        .iter()
        .find(|(phrase, _)| message.contains(phrase))
        .map(|(_, category)| *category)
}

/// Words that only a prover uses; a compiler's message about types may hold others of the list.
pub(super) fn of_prover(message: &str) -> Option<Category> {
    of(message).filter(|category| !matches!(category, Category::Syntax | Category::Type))
}

/// `expected … before …` and the like: how parsers of braces languages complain.
pub(super) fn is_syntax(message: &str) -> bool {
    let lower = message.to_lowercase();
    of(&lower) == Some(Category::Syntax)
        || (lower.starts_with("expected ") && !lower.contains(" found type") && !lower.contains("argument"))
        || lower.starts_with("extraneous ")
        || lower.starts_with("unknown start of token")
        || lower.starts_with("unclosed ")
        || lower.starts_with("this file contains an un")
        || lower.starts_with("mismatched closing")
        || lower.starts_with("unexpected closing")
        || lower.starts_with("unexpected ")
        || lower.starts_with("missing ") && (lower.contains(" for `") || lower.contains("token"))
        || lower.starts_with("prefix `")
        || lower.contains(" expected") && lower.split_whitespace().count() <= 4
}
