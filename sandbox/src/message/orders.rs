//! What the harness says: orders for cells and for runs.

/// The longest order for a run; a longer spec comes in a file.
pub(crate) const LONGEST_ORDER: usize = 32 << 10;

/// What the harness can say to init while a program runs: end everything.
pub(crate) const END_IT: &[u8] = b"end";

/// What an order for a cell says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CellMark {
    /// Whether it is to have a control group.
    pub(crate) in_groups: bool,
    /// Whether it is to do without namespaces.
    pub(crate) bare: bool,
}

impl CellMark {
    pub(crate) fn encode(self) -> [u8; 3] {
        [b'c', u8::from(self.in_groups), u8::from(self.bare)]
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [b'c', in_groups, bare] => Some(Self {
                in_groups: *in_groups != 0,
                bare: *bare != 0,
            }),
            _ => None,
        }
    }
}

/// How an order for a run begins. The spec follows, unless it comes in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "they are what crosses")]
pub(crate) struct RunOrder {
    /// Whether a fourth descriptor comes after the three streams.
    pub(crate) channel: bool,
    /// Whether the last descriptor is a file with the spec.
    pub(crate) spec_in_file: bool,
    /// Whether a control group counts and limits the processes.
    pub(crate) counted: bool,
    /// Whether the working directory is to come back with the end, as a descriptor.
    pub(crate) keep: bool,
}

impl RunOrder {
    pub(crate) fn encode(self) -> [u8; 5] {
        let flags = [self.channel, self.spec_in_file, self.counted, self.keep].map(u8::from);
        [b'r', flags[0], flags[1], flags[2], flags[3]]
    }

    /// The order, and what follows it.
    pub(crate) fn decode(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let ([b'r', channel, spec_in_file, counted, keep], rest) = bytes.split_first_chunk()? else {
            return None;
        };
        let order = Self {
            channel: *channel != 0,
            spec_in_file: *spec_in_file != 0,
            counted: *counted != 0,
            keep: *keep != 0,
        };
        Some((order, rest))
    }
}
