//! What launcher and init tell the harness, one datagram each, with the file descriptors that go with it.

mod ended;
mod orders;
mod transport;

use std::os::fd::{BorrowedFd, OwnedFd, RawFd};

use nix::errno::Errno;

pub(crate) use ended::{Ended, SentBy, Space};
pub(crate) use orders::{CellMark, END_IT, LONGEST_ORDER, RunOrder};
pub(crate) use transport::{pair, receive, receive_into, send, send_parts};

use transport::LONGEST;

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
        /// What has no files of its own, and why; empty when all have.
        shared: String,
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
        /// The steps of the set-up, each with the nanoseconds from `taken` to its beginning.
        steps: Vec<(u8, u32)>,
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
            Self::Ready {
                groups_dropped,
                shared,
            } => {
                out.extend([1, u8::from(*groups_dropped)]);
                out.extend(shared.bytes().take(LONGEST - 2));
            }
            Self::Started {
                taken,
                began,
                user_micros,
                system_micros,
                steps,
            } => {
                out.push(2);
                let numbers = [taken, began, user_micros, system_micros];
                out.extend(numbers.into_iter().flat_map(|number| number.to_le_bytes()));
                for (step, at) in steps {
                    out.push(*step);
                    out.extend(at.to_le_bytes());
                }
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
                shared: text(rest.get(1..)?),
            }),
            2 => {
                let (first, steps) = rest.split_at_checked(4 * size_of::<u64>())?;
                let [taken, began, user_micros, system_micros] = numbers(first)?;
                let step = |[step, at @ ..]: &[u8; 5]| (*step, u32::from_le_bytes(*at));
                Some(Self::Started {
                    taken,
                    began,
                    user_micros,
                    system_micros,
                    steps: steps.as_chunks().0.iter().map(step).collect(),
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

#[cfg(test)]
mod tests {
    use std::os::fd::{AsFd as _, AsRawFd as _};

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
            Message::Ready {
                groups_dropped: true,
                shared: "/x: no".to_owned(),
            },
            Message::Started {
                taken: 1,
                began: u64::MAX,
                user_micros: 3,
                system_micros: 4,
                steps: vec![(5, 6), (7, u32::MAX)],
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
                waited: 12,
                sent_by: SentBy::Another,
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
