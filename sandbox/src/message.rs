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
/// The longest datagram; paths in failures are cut to fit.
const LONGEST: usize = 4096;

/// What the harness can say to init: end everything.
pub(crate) const END_IT: &[u8] = b"end";

/// News from inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Message {
    /// Init exists; comes with its pidfd.
    Launched,
    /// The program runs; comes with the folder `/proc` of its namespace.
    Started {
        /// Whether no group of the host's user is left.
        groups_dropped: bool,
    },
    /// A step failed. Index into the list of all steps, error number, and what it was about.
    Failed { step: u8, errno: i32, about: String },
    /// The program file could not be executed.
    NotExecuted { errno: i32 },
    /// All processes are gone.
    Ended(Ended),
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
    fn numbers(&self) -> [u64; 12] {
        [
            u64::from(self.status.is_some()),
            u64::from(self.status.unwrap_or(0).cast_unsigned()),
            self.user_micros,
            self.system_micros,
            self.peak_kib,
            self.floor_kib,
            self.voluntary,
            self.involuntary,
            self.scratch.bytes,
            self.scratch.most_bytes,
            self.scratch.files,
            self.scratch.most_files,
        ]
    }

    fn from_numbers(numbers: [u64; 12]) -> Option<Self> {
        let [
            natural,
            status,
            user,
            system,
            peak,
            floor,
            voluntary,
            involuntary,
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
        let mut out = Vec::with_capacity(64);
        match self {
            Self::Launched => out.push(0),
            Self::Started { groups_dropped } => out.extend([1, u8::from(*groups_dropped)]),
            Self::Failed { step, errno, about } => {
                out.extend([2, *step]);
                out.extend(errno.to_le_bytes());
                out.extend(about.bytes().take(LONGEST - 16));
            }
            Self::NotExecuted { errno } => {
                out.push(3);
                out.extend(errno.to_le_bytes());
            }
            Self::Ended(ended) => {
                out.push(4);
                out.extend(ended.numbers().into_iter().flat_map(u64::to_le_bytes));
            }
        }
        out
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (tag, rest) = bytes.split_first()?;
        match tag {
            0 => Some(Self::Launched),
            1 => Some(Self::Started {
                groups_dropped: *rest.first()? != 0,
            }),
            2 => {
                let (step, rest) = rest.split_first()?;
                let (errno, about) = rest.split_first_chunk::<4>()?;
                let about = String::from_utf8_lossy(about).into_owned();
                Some(Self::Failed {
                    step: *step,
                    errno: i32::from_le_bytes(*errno),
                    about,
                })
            }
            3 => Some(Self::NotExecuted {
                errno: i32::from_le_bytes(*rest.first_chunk()?),
            }),
            4 => {
                let mut numbers = [0; 12];
                for (number, bytes) in numbers.iter_mut().zip(rest.as_chunks::<8>().0) {
                    *number = u64::from_le_bytes(*bytes);
                }
                (rest.len() == size_of_val(&numbers)).then_some(())?;
                Some(Self::Ended(Ended::from_numbers(numbers)?))
            }
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
    let rights = [ControlMessage::ScmRights(fds)];
    let control: &[ControlMessage<'_>] = if fds.is_empty() { &[] } else { &rights };
    loop {
        let sent = sendmsg::<()>(
            socket.as_raw_fd(),
            &[IoSlice::new(bytes)],
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
    let mut buffer = vec![0; LONGEST];
    let mut space = cmsg_space!([RawFd; MOST_FDS]);
    let mut fds = Vec::new();
    let length = loop {
        let mut parts = [IoSliceMut::new(&mut buffer)];
        let flags = MsgFlags::MSG_CMSG_CLOEXEC;
        match recvmsg::<()>(socket.as_fd().as_raw_fd(), &mut parts, Some(&mut space), flags) {
            Err(Errno::EINTR) => {}
            Err(errno) => return Err(errno),
            Ok(received) => {
                for control in received.cmsgs()? {
                    if let ControlMessageOwned::ScmRights(raw) = control {
                        // SAFETY: the kernel has just made these descriptors for us; nobody else knows them.
                        fds.extend(raw.into_iter().map(|fd| unsafe { OwnedFd::from_raw_fd(fd) }));
                    }
                }
                break received.bytes;
            }
        }
    };
    buffer.truncate(length);
    Ok((buffer, fds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_arrives_as_it_was_sent() {
        let (one, other) = pair().unwrap();
        let messages = [
            Message::Launched,
            Message::Started { groups_dropped: true },
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
