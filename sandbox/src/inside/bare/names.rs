//! Paths that a sandbox with a root of its own has, put in terms of the host: in arguments and variables, `/box/x` becomes
//! the same file's real path. Programs that have such a path in their own text don't find it.

use std::ffi::CString;

use crate::spec::{CellSpec, Kind};

/// Names inside, and what they are on the host.
#[derive(Clone, Debug, Default)]
pub(super) struct Names(Vec<(Vec<u8>, Vec<u8>)>);

impl Names {
    /// Those of the paths that a cell shows under other names than the host has for them.
    pub(super) fn of(spec: &CellSpec) -> Self {
        let mut names = Self::default();
        for entry in &spec.entries {
            if let Kind::HostFolder(source) | Kind::HostFile(source) = &entry.kind {
                let inside = [b"/", entry.path.as_bytes()].concat();
                if inside != source.as_bytes() {
                    names.add(&inside, source.as_bytes());
                }
            }
        }
        names
    }

    pub(super) fn add(&mut self, inside: &[u8], host: &[u8]) {
        self.0.push((inside.to_owned(), host.to_owned()));
        // Of two names, the longer one says more.
        self.0.sort_by_key(|(inside, _)| std::cmp::Reverse(inside.len()));
    }

    /// The text with each of the names that stands in it as a path of its own replaced.
    pub(super) fn put_into(&self, text: &CString) -> CString {
        let text = text.as_bytes();
        let mut out = Vec::with_capacity(text.len());
        let mut at = 0;
        while at < text.len() {
            let found = self
                .0
                .iter()
                .find(|(inside, _)| begins(text, at) && stands_at(inside, text, at));
            if let Some((inside, host)) = found {
                out.extend_from_slice(host);
                at += inside.len();
            } else {
                out.push(text[at]);
                at += 1;
            }
        }
        // Neither has a zero byte in it.
        CString::new(out).unwrap_or_default()
    }
}

/// Whether a path can begin here: it isn't the middle of another one.
fn begins(text: &[u8], at: usize) -> bool {
    let is_of_path = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte) || byte >= 0x80;
    // As in `-I/box`.
    let is_flag = at == 2 && text[0] == b'-' && text[1].is_ascii_alphabetic();
    at == 0 || is_flag || !is_of_path(text[at - 1])
}

fn stands_at(name: &[u8], text: &[u8], at: usize) -> bool {
    let Some(rest) = text[at..].strip_prefix(name) else {
        return false;
    };
    let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte) || *byte >= 0x80;
    !rest.first().is_some_and(goes_on)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_paths_are_replaced_and_parts_are_not() {
        let mut names = Names::default();
        names.add(b"/box", b"/tmp/r/box");
        names.add(b"/tmp", b"/tmp/r/tmp");
        names.add(b"/opt/program", b"/home/u/cache/1");
        for (text, want) in [
            ("/box", "/tmp/r/box"),
            ("/box/main.py", "/tmp/r/box/main.py"),
            ("/boxes", "/boxes"),
            ("/box.d", "/box.d"),
            ("a/box", "a/box"),
            ("/x/box/y", "/x/box/y"),
            ("-I/box/include", "-I/tmp/r/box/include"),
            ("--out=/box/a", "--out=/tmp/r/box/a"),
            ("/box:/tmp:/usr", "/tmp/r/box:/tmp/r/tmp:/usr"),
            (
                "open('/tmp/x').write(\"/box\")",
                "open('/tmp/r/tmp/x').write(\"/tmp/r/box\")",
            ),
            ("/opt/program/Main.class", "/home/u/cache/1/Main.class"),
            ("HOME=/box", "HOME=/tmp/r/box"),
            ("\u{fc}/box", "\u{fc}/box"),
            ("", ""),
        ] {
            let text = CString::new(text).unwrap();
            assert_eq!(names.put_into(&text).to_str().unwrap(), want, "{text:?}");
        }
    }
}
