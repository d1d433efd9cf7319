//! How long a literal is that a text begins with.

/// Length of a text in quotes, with backslashes.
pub(super) fn quoted(rest: &str) -> usize {
    let mut chars = rest.char_indices();
    let Some((_, quote)) = chars.next() else { return 0 };
    while let Some((at, c)) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c == quote {
            return at + c.len_utf8();
        }
    }
    rest.len()
}

/// Length of a Rust text that isn't an ordinary one: `r"…"`, `r#"…"#`, `b"…"`, `br"…"`, `c"…"`.
pub(super) fn raw_text(rest: &str) -> Option<usize> {
    let prefix = rest
        .find(|c| !matches!(c, 'r' | 'b' | 'c'))
        .filter(|at| *at <= 2)?;
    let behind = &rest[prefix..];
    if !rest[..prefix].contains('r') {
        return behind.starts_with('"').then(|| prefix + quoted(behind));
    }
    let hashes = behind.len() - behind.trim_start_matches('#').len();
    let inner = behind[hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let end = inner.find(&close).map_or(inner.len(), |at| at + close.len());
    Some(prefix + hashes + 1 + end)
}

/// Length of `R"mark(…)mark"`.
pub(super) fn cpp_text(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix("R\"")?;
    let (mark, _) = inner.split_once('(')?;
    let close = format!("){mark}\"");
    Some(2 + inner.find(&close)? + close.len())
}

/// Length of `@"…"`, in which a doubled quote is one.
pub(super) fn verbatim_text(rest: &str) -> Option<usize> {
    let mut at = 2;
    loop {
        at += rest.get(at..)?.find('"')? + 1;
        if !rest[at..].starts_with('"') {
            return Some(at);
        }
        at += 1;
    }
}

/// Length of a template with what is put into it.
pub(super) fn template(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '$' if chars.peek().is_some_and(|(_, next)| *next == '{') => {
                depth += 1;
                chars.next();
            }
            '{' if depth > 0 => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            '`' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Length of a regular expression of JavaScript; `None` where the line ends first.
pub(super) fn regex(rest: &str) -> Option<usize> {
    let mut in_class = false;
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '\n' => return None,
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => {
                let flags = rest[at + 1..].find(|c: char| !c.is_ascii_alphabetic());
                return Some(at + 1 + flags.unwrap_or(rest.len() - at - 1));
            }
            _ => {}
        }
    }
    None
}
