//! Long results made short enough for a prompt.

/// `text` with at most `limit` characters; the cut is in the middle, and marked.
pub(crate) fn middle(text: &str, limit: usize) -> String {
    let length = text.chars().count();
    if length <= limit {
        return text.to_owned();
    }
    let mark = format!(" … [{} characters cut] … ", length - limit);
    let kept = limit.saturating_sub(mark.chars().count());
    let head: String = text.chars().take(kept.div_ceil(2)).collect();
    let tail: String = text.chars().skip(length - kept / 2).collect();
    format!("{head}{mark}{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_stay_and_the_cut_is_marked() {
        assert_eq!(middle("short", 10), "short");
        let cut = middle(&"é".repeat(100), 60);
        assert_eq!(cut.chars().count(), 60);
        assert!(cut.contains("[40 characters cut]"), "{cut}");
        assert!(cut.starts_with('é') && cut.ends_with('é'));
    }
}
