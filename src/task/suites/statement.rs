//! Statements that need more than the data's own words.

/// A problem's text, and the code that a program has to begin with.
pub(super) fn with_starter(text: &str, starter: &str) -> String {
    if starter.trim().is_empty() {
        text.trim().to_owned()
    } else {
        format!("{}\n\nBegin with this code:\n\n{}", text.trim(), starter.trim())
    }
}
