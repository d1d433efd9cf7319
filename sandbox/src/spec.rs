//! What init is told to do, and how that crosses to it: as bytes in an anonymous file, length before content.

use std::ffi::{CStr, CString};

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

/// What is put into scratch before a program begins.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Put {
    Folder,
    File(Vec<u8>),
}

/// Everything that init needs to know to set up a cell.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CellSpec {
    pub(crate) entries: Vec<Entry>,
    /// Room in the first scratch.
    pub(crate) disk_bytes: u64,
    pub(crate) disk_inodes: u64,
    /// Where scratch is made without namespaces.
    pub(crate) base: CString,
}

/// Everything that init needs to know for one run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RunSpec {
    pub(crate) program: CString,
    /// Including the name of the program itself.
    pub(crate) args: Vec<CString>,
    pub(crate) env: Vec<CString>,
    /// Below the program's working directory; parents come first.
    pub(crate) files: Vec<(CString, Put)>,
    pub(crate) disk_bytes: u64,
    pub(crate) disk_inodes: u64,
    pub(crate) processes: u64,
    pub(crate) file_size: u64,
}

impl CellSpec {
    pub(crate) fn encode(entries: &[Entry], disk_bytes: u64, disk_inodes: u64, base: &CStr) -> Vec<u8> {
        let mut out = Vec::new();
        put_number(&mut out, entries.len() as u64);
        for entry in entries {
            put(&mut out, entry.path.as_bytes());
            let (tag, content): (u8, &[u8]) = match &entry.kind {
                Kind::Folder => (0, &[]),
                Kind::Link(target) => (1, target.as_bytes()),
                Kind::HostFolder(source) => (2, source.as_bytes()),
                Kind::HostFile(source) => (3, source.as_bytes()),
                Kind::Device(source) => (4, source.as_bytes()),
                Kind::File(content) => (5, content),
            };
            out.push(tag);
            put(&mut out, content);
        }
        put_number(&mut out, disk_bytes);
        put_number(&mut out, disk_inodes);
        put(&mut out, base.to_bytes());
        out
    }

    /// `None` when the bytes are not what [`Self::encode`] wrote.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader(bytes);
        let count = reader.number()?;
        let mut entries = Vec::new();
        for _ in 0..count {
            let path = reader.text()?;
            let kind = match reader.tag()? {
                0 => reader.bytes().map(|_| Kind::Folder)?,
                1 => Kind::Link(reader.text()?),
                2 => Kind::HostFolder(reader.text()?),
                3 => Kind::HostFile(reader.text()?),
                4 => Kind::Device(reader.text()?),
                5 => Kind::File(reader.bytes()?.to_vec()),
                _ => return None,
            };
            entries.push(Entry { path, kind });
        }
        Some(Self {
            entries,
            disk_bytes: reader.number()?,
            disk_inodes: reader.number()?,
            base: reader.text()?,
        })
    }
}

impl RunSpec {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(1024);
        put(&mut out, self.program.as_bytes());
        put_all(&mut out, &self.args);
        put_all(&mut out, &self.env);
        put_number(&mut out, self.files.len() as u64);
        for (path, what) in &self.files {
            put(&mut out, path.as_bytes());
            let (tag, content): (u8, &[u8]) = match what {
                Put::Folder => (0, &[]),
                Put::File(content) => (1, content),
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
        let mut files = Vec::new();
        for _ in 0..count {
            let path = reader.text()?;
            let what = match reader.tag()? {
                0 => reader.bytes().map(|_| Put::Folder)?,
                1 => Put::File(reader.bytes()?.to_vec()),
                _ => return None,
            };
            files.push((path, what));
        }
        Some(Self {
            program,
            args,
            env,
            files,
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

    fn cell() -> CellSpec {
        let entry = |path: &CStr, kind| Entry {
            path: path.to_owned(),
            kind,
        };
        CellSpec {
            entries: vec![
                entry(c"box", Kind::Folder),
                entry(c"etc/x", Kind::File(vec![0, 1, 255])),
                entry(c"lib", Kind::Link(c"usr/lib".to_owned())),
                entry(c"usr/lib", Kind::HostFolder(c"/usr/lib".to_owned())),
                entry(c"usr/bin/x", Kind::HostFile(c"/usr/bin/x".to_owned())),
                entry(c"dev/null", Kind::Device(c"/dev/null".to_owned())),
            ],
            disk_bytes: 1,
            disk_inodes: u64::MAX,
            base: c"/tmp".to_owned(),
        }
    }

    fn encoded(cell: &CellSpec) -> Vec<u8> {
        CellSpec::encode(&cell.entries, cell.disk_bytes, cell.disk_inodes, &cell.base)
    }

    fn run() -> RunSpec {
        RunSpec {
            program: c"/usr/bin/true".to_owned(),
            args: vec![c"true".to_owned(), c"".to_owned(), c"a b".to_owned()],
            env: vec![c"LANG=C.UTF-8".to_owned()],
            files: vec![
                (c"sub".to_owned(), Put::Folder),
                (c"sub/x".to_owned(), Put::File(vec![0, 1, 255])),
            ],
            disk_bytes: 1,
            disk_inodes: 2,
            processes: 3,
            file_size: u64::MAX,
        }
    }

    #[test]
    fn decoding_gives_back_what_was_encoded() {
        assert_eq!(CellSpec::decode(&encoded(&cell())), Some(cell()));
        assert_eq!(RunSpec::decode(&run().encode()), Some(run()));
    }

    #[test]
    fn cut_bytes_are_refused() {
        let bytes = encoded(&cell());
        for length in 0..bytes.len() {
            assert_eq!(CellSpec::decode(&bytes[..length]), None, "{length} bytes");
        }
        let bytes = run().encode();
        for length in 0..bytes.len() {
            assert_eq!(RunSpec::decode(&bytes[..length]), None, "{length} bytes");
        }
    }
}
