//! What init is told to do, and how that crosses to it: as bytes in an anonymous file, length before content.

use std::ffi::CString;

/// One path of the new root, relative to it. Parents come before what is below them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) path: CString,
    pub(crate) kind: Kind,
}

/// What is to be at a path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An empty folder.
    Folder,
    /// A folder that the program may write to.
    Scratch,
    /// A symbolic link.
    Link(CString),
    /// A folder of the host.
    HostFolder(CString),
    /// A file of the host.
    HostFile(CString),
    /// A device file of the host.
    Device(CString),
    /// A file with this content.
    File(Vec<u8>),
}

/// Everything that init needs to know.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Spec {
    pub(crate) program: CString,
    /// Including the name of the program itself.
    pub(crate) args: Vec<CString>,
    pub(crate) env: Vec<CString>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) disk_bytes: u64,
    pub(crate) disk_inodes: u64,
    pub(crate) processes: u64,
    pub(crate) file_size: u64,
}

impl Spec {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put(&mut out, self.program.as_bytes());
        put_all(&mut out, &self.args);
        put_all(&mut out, &self.env);
        put_number(&mut out, self.entries.len() as u64);
        for entry in &self.entries {
            put(&mut out, entry.path.as_bytes());
            let (tag, content): (u8, &[u8]) = match &entry.kind {
                Kind::Folder => (0, &[]),
                Kind::Scratch => (1, &[]),
                Kind::Link(target) => (2, target.as_bytes()),
                Kind::HostFolder(source) => (3, source.as_bytes()),
                Kind::HostFile(source) => (4, source.as_bytes()),
                Kind::Device(source) => (5, source.as_bytes()),
                Kind::File(content) => (6, content),
            };
            out.push(tag);
            put(&mut out, content);
        }
        for number in [self.disk_bytes, self.disk_inodes, self.processes, self.file_size] {
            put_number(&mut out, number);
        }
        out
    }

    /// `None` when the bytes are not what [`Self::encode`] wrote.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader(bytes);
        let program = reader.text()?;
        let args = reader.texts()?;
        let env = reader.texts()?;
        let count = reader.number()?;
        let mut entries = Vec::new();
        for _ in 0..count {
            let path = reader.text()?;
            let kind = match reader.tag()? {
                0 => reader.bytes().map(|_| Kind::Folder)?,
                1 => reader.bytes().map(|_| Kind::Scratch)?,
                2 => Kind::Link(reader.text()?),
                3 => Kind::HostFolder(reader.text()?),
                4 => Kind::HostFile(reader.text()?),
                5 => Kind::Device(reader.text()?),
                6 => Kind::File(reader.bytes()?.to_vec()),
                _ => return None,
            };
            entries.push(Entry { path, kind });
        }
        Some(Self {
            program,
            args,
            env,
            entries,
            disk_bytes: reader.number()?,
            disk_inodes: reader.number()?,
            processes: reader.number()?,
            file_size: reader.number()?,
        })
    }
}

fn put_number(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&number.to_le_bytes());
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn put_all(out: &mut Vec<u8>, texts: &[CString]) {
    put_number(out, texts.len() as u64);
    for text in texts {
        put(out, text.as_bytes());
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn tag(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<u64> {
        let (first, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*first))
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (first, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(first)
    }

    fn text(&mut self) -> Option<CString> {
        CString::new(self.bytes()?).ok()
    }

    fn texts(&mut self) -> Option<Vec<CString>> {
        let count = self.number()?;
        (0..count).map(|_| self.text()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Spec {
        Spec {
            program: c"/usr/bin/true".to_owned(),
            args: vec![c"true".to_owned(), c"".to_owned(), c"a b".to_owned()],
            env: vec![c"LANG=C.UTF-8".to_owned()],
            entries: vec![
                Entry {
                    path: c"box".to_owned(),
                    kind: Kind::Scratch,
                },
                Entry {
                    path: c"box/x".to_owned(),
                    kind: Kind::File(vec![0, 1, 255]),
                },
                Entry {
                    path: c"lib".to_owned(),
                    kind: Kind::Link(c"usr/lib".to_owned()),
                },
                Entry {
                    path: c"usr".to_owned(),
                    kind: Kind::Folder,
                },
                Entry {
                    path: c"usr/lib".to_owned(),
                    kind: Kind::HostFolder(c"/usr/lib".to_owned()),
                },
            ],
            disk_bytes: 1,
            disk_inodes: 2,
            processes: 3,
            file_size: u64::MAX,
        }
    }

    #[test]
    fn decoding_gives_back_what_was_encoded() {
        let spec = sample();
        assert_eq!(Spec::decode(&spec.encode()), Some(spec));
    }

    #[test]
    fn cut_bytes_are_refused() {
        let bytes = sample().encode();
        for length in 0..bytes.len() {
            assert_eq!(Spec::decode(&bytes[..length]), None, "{length} bytes");
        }
    }
}
