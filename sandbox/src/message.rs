//! What launcher and init tell the harness, one datagram each, with the file descriptors that go with it.

use std::io::{IoSlice, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use nix::cmsg_space;
use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, ControlMessage, ControlMessageOwned, MsgFlags, SockFlag, SockType, recvmsg, sendmsg,
    socketpair,
};

/// The most descriptors that go with one datagram.
const MOST_FDS: usize = 8;
/// The longest of our messages; paths in failures are cut to fit.
const LONGEST: usize = 4096;
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

/// Who a cell's program is on the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HostIds {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    /// Whether these ids are nobody else's, not even init's.
    pub(crate) separate: bool,
}

/// News from inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Message {
    /// Init exists; comes with its pidfd.
    Launched {
        ids: HostIds,
        /// The name of its control group, or why it has none after a colon.
        group: String,
    },
    /// The cell is set up; comes with the folder `/proc` of its namespace.
    Ready {
        /// Whether no group of the host's user is left.
        groups_dropped: bool,
    },
    /// The program runs.
    Started {
        /// When init had the order, by the monotonic clock in nanoseconds.
        taken: u64,
        /// When the program began.
        began: u64,
        /// CPU time in user mode of all earlier programs of the cell, in microseconds.
        user_micros: u64,
        /// The same in the kernel.
        system_micros: u64,
    },
    /// A step failed. Index into the list of all steps, error number, and what it was about.
    Failed { step: u8, errno: i32, about: String },
    /// The program file could not be executed.
    NotExecuted { errno: i32 },
    /// All processes are gone.
    Ended(Ended),
    /// The cell can't be used again: this is not as it was. It is gone by now.
    Spent { about: String },
}

/// What init knows when all is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ended {
    /// The program's wait status; `None` when it was still running when the order to end came.
    pub(crate) status: Option<i32>,
    /// CPU time in user mode of everything that was reaped, in microseconds.
    pub(crate) user_micros: u64,
    /// The same in the kernel.
    pub(crate) system_micros: u64,
    /// The largest resident size of one process, in KiB.
    pub(crate) peak_kib: u64,
    /// What `peak_kib` would be for a program that uses nothing, because forks inherit it.
    pub(crate) floor_kib: u64,
    /// How often what was reaped gave up the CPU.
    pub(crate) voluntary: u64,
    /// How often the CPU was taken from it.
    pub(crate) involuntary: u64,
    /// CPU time that init itself has used so far, in microseconds.
    pub(crate) own_micros: u64,
    /// When everything was over, by the monotonic clock in nanoseconds.
    pub(crate) over: u64,
    /// What is in scratch.
    pub(crate) scratch: Space,
}

/// What is used of the scratch space, and what there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Space {
    pub(crate) bytes: u64,
    pub(crate) most_bytes: u64,
    pub(crate) files: u64,
    pub(crate) most_files: u64,
}

impl Ended {
    fn numbers(&self) -> [u64; 14] {
        [
            u64::from(self.status.is_some()),
            u64::from(self.status.unwrap_or(0).cast_unsigned()),
            self.user_micros,
            self.system_micros,
            self.peak_kib,
            self.floor_kib,
            self.voluntary,
            self.involuntary,
            self.own_micros,
            self.over,
            self.scratch.bytes,
            self.scratch.most_bytes,
            self.scratch.files,
            self.scratch.most_files,
        ]
    }

    fn from_numbers(numbers: [u64; 14]) -> Option<Self> {
        let [
            natural,
            status,
            user,
            system,
            peak,
            floor,
            voluntary,
            involuntary,
            own_micros,
            over,
            space @ ..,
        ] = numbers;
        let [bytes, most_bytes, files, most_files] = space;
        let status = u32::try_from(status).ok()?.cast_signed();
        Some(Self {
            status: (natural != 0).then_some(status),
            user_micros: user,
            system_micros: system,
            peak_kib: peak,
            floor_kib: floor,
            voluntary,
            involuntary,
            own_micros,
            over,
            scratch: Space {
                bytes,
                most_bytes,
                files,
                most_files,
            },
        })
    }
}

impl Message {
    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(128);
        match self {
            Self::Launched { ids, group } => {
                out.push(0);
                out.extend(ids.uid.to_le_bytes());
                out.extend(ids.gid.to_le_bytes());
                out.push(u8::from(ids.separate));
                out.extend(group.bytes().take(LONGEST - 16));
            }
            Self::Ready { groups_dropped } => out.extend([1, u8::from(*groups_dropped)]),
            Self::Started {
                taken,
                began,
                user_micros,
                system_micros,
            } => {
                out.push(2);
                let numbers = [taken, began, user_micros, system_micros];
                out.extend(numbers.into_iter().flat_map(|number| number.to_le_bytes()));
            }
            Self::Failed { step, errno, about } => {
                out.extend([3, *step]);
                out.extend(errno.to_le_bytes());
                out.extend(about.bytes().take(LONGEST - 16));
            }
            Self::NotExecuted { errno } => {
                out.push(4);
                out.extend(errno.to_le_bytes());
            }
            Self::Ended(ended) => {
                out.push(5);
                out.extend(ended.numbers().into_iter().flat_map(u64::to_le_bytes));
            }
            Self::Spent { about } => {
                out.push(6);
                out.extend(about.bytes().take(LONGEST - 16));
            }
        }
        out
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (tag, rest) = bytes.split_first()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match tag {
            0 => {
                let (uid, rest) = rest.split_first_chunk()?;
                let (gid, rest) = rest.split_first_chunk()?;
                let (separate, group) = rest.split_first()?;
                let ids = HostIds {
                    uid: u32::from_le_bytes(*uid),
                    gid: u32::from_le_bytes(*gid),
                    separate: *separate != 0,
                };
                let group = text(group);
                Some(Self::Launched { ids, group })
            }
            1 => Some(Self::Ready {
                groups_dropped: *rest.first()? != 0,
            }),
            2 => {
                let [taken, began, user_micros, system_micros] = numbers(rest)?;
                Some(Self::Started {
                    taken,
                    began,
                    user_micros,
                    system_micros,
                })
            }
            3 => {
                let (step, rest) = rest.split_first()?;
                let (errno, about) = rest.split_first_chunk::<4>()?;
                Some(Self::Failed {
                    step: *step,
                    errno: i32::from_le_bytes(*errno),
                    about: text(about),
                })
            }
            4 => Some(Self::NotExecuted {
                errno: i32::from_le_bytes(*rest.first_chunk()?),
            }),
            5 => Some(Self::Ended(Ended::from_numbers(numbers(rest)?)?)),
            6 => Some(Self::Spent { about: text(rest) }),
            _ => None,
        }
    }

    /// Sends it; nobody listening any more is not an error, for then nobody cares.
    pub(crate) fn send(&self, socket: BorrowedFd<'_>, fds: &[RawFd]) {
        let _ = send(socket, &self.encode(), fds);
    }

    /// The next message; `None` when the other side is gone.
    pub(crate) fn receive(socket: BorrowedFd<'_>) -> nix::Result<Option<(Self, Vec<OwnedFd>)>> {
        let (bytes, fds) = receive(socket)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        Self::decode(&bytes)
            .map(|message| Some((message, fds)))
            .ok_or(Errno::EBADMSG)
    }
}

/// Exactly as many numbers as asked for.
fn numbers<const N: usize>(bytes: &[u8]) -> Option<[u64; N]> {
    let mut numbers = [0; N];
    for (number, bytes) in numbers.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *number = u64::from_le_bytes(*bytes);
    }
    (bytes.len() == size_of_val(&numbers)).then_some(numbers)
}

/// Two ends of a connection that keeps datagrams apart, neither of which a new program would inherit.
pub(crate) fn pair() -> nix::Result<(OwnedFd, OwnedFd)> {
    socketpair(
        AddressFamily::Unix,
        SockType::SeqPacket,
        None,
        SockFlag::SOCK_CLOEXEC,
    )
}

/// Sends bytes and copies of descriptors as one datagram.
pub(crate) fn send(socket: BorrowedFd<'_>, bytes: &[u8], fds: &[RawFd]) -> nix::Result<()> {
    send_parts(socket, &[bytes], fds)
}

/// As [`send`], with bytes that lie in several places.
pub(crate) fn send_parts(socket: impl AsFd, parts: &[&[u8]], fds: &[RawFd]) -> nix::Result<()> {
    let parts: Vec<IoSlice<'_>> = parts.iter().map(|part| IoSlice::new(part)).collect();
    let rights = [ControlMessage::ScmRights(fds)];
    let control: &[ControlMessage<'_>] = if fds.is_empty() { &[] } else { &rights };
    loop {
        let sent = sendmsg::<()>(
            socket.as_fd().as_raw_fd(),
            &parts,
            control,
            MsgFlags::MSG_NOSIGNAL,
            None,
        );
        match sent {
            Err(Errno::EINTR) => {}
            other => return other.map(drop),
        }
    }
}

/// Receives one datagram; no bytes means that the other side is gone.
pub(crate) fn receive(socket: BorrowedFd<'_>) -> nix::Result<(Vec<u8>, Vec<OwnedFd>)> {
    let mut buffer = [0; LONGEST];
    let (length, fds) = receive_into(socket, &mut buffer)?;
    Ok((buffer[..length].to_vec(), fds))
}

/// As [`receive`], into a place of the caller's; gives the length.
pub(crate) fn receive_into(socket: BorrowedFd<'_>, buffer: &mut [u8]) -> nix::Result<(usize, Vec<OwnedFd>)> {
    let mut space = cmsg_space!([RawFd; MOST_FDS]);
    let mut fds = Vec::new();
    loop {
        let mut parts = [IoSliceMut::new(buffer)];
        let flags = MsgFlags::MSG_CMSG_CLOEXEC;
        match recvmsg::<()>(socket.as_raw_fd(), &mut parts, Some(&mut space), flags) {
            Err(Errno::EINTR) => {}
            Err(errno) => return Err(errno),
            Ok(received) => {
                for control in received.cmsgs()? {
                    if let ControlMessageOwned::ScmRights(raw) = control {
                        // SAFETY: the kernel has just made these descriptors for us; nobody else knows them.
                        fds.extend(raw.into_iter().map(|fd| unsafe { OwnedFd::from_raw_fd(fd) }));
                    }
                }
                return Ok((received.bytes, fds));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_read_with_what_follows() {
        let order = RunOrder {
            channel: true,
            spec_in_file: false,
            counted: true,
            keep: false,
        };
        let bytes = [&order.encode()[..], b"rest"].concat();
        assert_eq!(RunOrder::decode(&bytes), Some((order, &b"rest"[..])));
        assert_eq!(RunOrder::decode(END_IT), None);
        assert_eq!(RunOrder::decode(b"r"), None);
    }

    #[test]
    fn every_message_arrives_as_it_was_sent() {
        let (one, other) = pair().unwrap();
        let messages = [
            Message::Launched {
                ids: HostIds {
                    uid: 1,
                    gid: u32::MAX,
                    separate: true,
                },
                group: "redraft-x".to_owned(),
            },
            Message::Ready { groups_dropped: true },
            Message::Started {
                taken: 1,
                began: u64::MAX,
                user_micros: 3,
                system_micros: 4,
            },
            Message::Spent {
                about: "mounts".to_owned(),
            },
            Message::Failed {
                step: 3,
                errno: 13,
                about: "/usr/lib".to_owned(),
            },
            Message::NotExecuted { errno: 2 },
            Message::Ended(Ended::default()),
            Message::Ended(Ended {
                status: Some(-1),
                user_micros: 1,
                system_micros: 2,
                peak_kib: u64::MAX,
                floor_kib: 3,
                voluntary: 4,
                involuntary: 5,
                own_micros: 11,
                over: 10,
                scratch: Space {
                    bytes: 6,
                    most_bytes: 7,
                    files: 8,
                    most_files: 9,
                },
            }),
        ];
        for message in messages {
            message.send(one.as_fd(), &[other.as_raw_fd()]);
            let (arrived, fds) = Message::receive(other.as_fd()).unwrap().unwrap();
            assert_eq!((arrived, fds.len()), (message, 1));
        }
        drop(one);
        assert_eq!(
            Message::receive(other.as_fd())
                .unwrap()
                .map(|(message, _)| message),
            None
        );
    }
}
