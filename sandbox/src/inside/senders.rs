//! Who sends signals to whom: the kernel asks init about each sending, init notes it and lets it pass.
//!
//! That decides nothing about what a program may do. It is how the end of a program that a signal ended is told truthfully:
//! the kernel itself tells a parent which signal it was, and not where it came from.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd as _, OwnedFd, RawFd};

use nix::errno::Errno;
use nix::libc;

use super::of_proc;
use crate::message::SentBy;

/// The kernel's `struct seccomp_notif`.
#[repr(C)]
struct Asked {
    id: u64,
    pid: u32,
    flags: u32,
    call: libc::c_int,
    architecture: u32,
    instruction: u64,
    arguments: [u64; 6],
}

/// The kernel's `struct seccomp_notif_resp`.
#[repr(C)]
struct Answer {
    id: u64,
    value: i64,
    error: i32,
    flags: u32,
}

const RECEIVE: libc::Ioctl = request::<Asked>(0);
const SEND: libc::Ioctl = request::<Answer>(1);
/// The call is carried out as if nobody had been asked.
const CONTINUE: u32 = 1;

/// `_IOWR('!', number, T)`.
#[expect(clippy::cast_possible_truncation, reason = "a structure of a few bytes")]
const fn request<T>(number: u32) -> libc::Ioctl {
    let size = size_of::<T>() as u32;
    ((3 << 30) | (size << 16) | ((b'!' as u32) << 8) | number) as libc::Ioctl
}

/// How many signals there are, and one for those that there aren't.
const SIGNALS: usize = 66;

/// What was sent to one program.
#[derive(Debug)]
pub(super) struct Senders<'a> {
    listener: Option<OwnedFd>,
    own_proc: Option<&'a OwnedFd>,
    program: libc::pid_t,
    /// By the signal's number.
    last: [SentBy; SIGNALS],
}

impl<'a> Senders<'a> {
    pub(super) fn new(
        listener: Option<OwnedFd>,
        own_proc: Option<&'a OwnedFd>,
        program: libc::pid_t,
    ) -> Self {
        let nobody = if listener.is_some() {
            SentBy::NobodyInside
        } else {
            SentBy::Unknown
        };
        Self {
            listener,
            own_proc,
            program,
            last: [nobody; SIGNALS],
        }
    }

    /// What tells when somebody is waiting for an answer.
    pub(super) fn listener(&self) -> Option<BorrowedFd<'_>> {
        self.listener.as_ref().map(AsFd::as_fd)
    }

    /// To be called when the listener is ready, or gone.
    pub(super) fn answer(&mut self, is_gone: bool) {
        if is_gone {
            self.listener = None;
        }
        let Some(listener) = self.listener.as_ref().map(AsRawFd::as_raw_fd) else {
            return;
        };
        // SAFETY: all zeros is a value of this plain structure, and what the kernel wants to find.
        let mut asked: Asked = unsafe { std::mem::zeroed() };
        // SAFETY: the structure is the one of this request and outlives the call. Somebody is waiting, so it doesn't block;
        // should that one be gone meanwhile, it fails.
        if unsafe { libc::ioctl(listener, RECEIVE, &raw mut asked) } != 0 {
            return;
        }
        self.note(&asked);
        let mut answer = Answer {
            id: asked.id,
            value: 0,
            error: 0,
            flags: CONTINUE,
        };
        // SAFETY: the structure is the one of this request and outlives the call.
        unsafe { libc::ioctl(listener, SEND, &raw mut answer) };
    }

    fn note(&mut self, asked: &Asked) {
        let number = |index: usize| -> i32 {
            // The kernel looks at the lower half only.
            #[expect(clippy::cast_possible_truncation, reason = "on purpose")]
            let low = asked.arguments[index] as u32;
            low.cast_signed()
        };
        let (target, signal) = match libc::c_long::from(asked.call) {
            libc::SYS_kill => (Target::of_kill(number(0)), number(1)),
            libc::SYS_tkill => (Target::Thread(number(0)), number(1)),
            libc::SYS_tgkill | libc::SYS_rt_tgsigqueueinfo => (Target::Process(number(0)), number(2)),
            libc::SYS_rt_sigqueueinfo => (Target::Process(number(0)), number(1)),
            // Whose descriptor it is can't be seen from here.
            libc::SYS_pidfd_send_signal => (Target::AnyOf, number(1)),
            _ => return,
        };
        let itself = asked.pid.cast_signed() == self.program || self.has_thread(asked.pid.cast_signed());
        let reaches = match target {
            Target::Process(pid) => pid == self.program,
            Target::Thread(thread) => thread == self.program || self.has_thread(thread),
            // The program leads its group, unless it has left it.
            Target::Group(group) => group == 0 || group == self.program,
            // But for who sends it.
            Target::All => !itself,
            Target::AnyOf => true,
        };
        let place = usize::try_from(signal)
            .ok()
            .and_then(|signal| self.last.get_mut(signal));
        if let Some(place) = place.filter(|_| reaches) {
            *place = if itself { SentBy::Itself } else { SentBy::Another };
        }
    }

    fn has_thread(&self, thread: libc::pid_t) -> bool {
        of_proc::exists(self.own_proc, &format!("{}/task/{thread}", self.program))
    }

    /// Who sent the signal that ended the program.
    pub(super) fn of(&self, status: libc::c_int) -> SentBy {
        if !libc::WIFSIGNALED(status) {
            return SentBy::Unknown;
        }
        let signal = usize::try_from(libc::WTERMSIG(status)).unwrap_or(0);
        self.last.get(signal).copied().unwrap_or_default()
    }
}

/// Whom a signal is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Process(libc::pid_t),
    Thread(libc::pid_t),
    /// Zero for the sender's own.
    Group(libc::pid_t),
    All,
    AnyOf,
}

impl Target {
    fn of_kill(pid: libc::pid_t) -> Self {
        match pid {
            -1 => Self::All,
            0 => Self::Group(0),
            pid if pid < 0 => Self::Group(-pid),
            pid => Self::Process(pid),
        }
    }
}

/// Room for one descriptor that goes along with a byte.
type Control = [u64; 4];

/// Hands a descriptor over without allocating.
pub(super) fn hand_over(socket: RawFd, fd: RawFd) -> nix::Result<()> {
    let mut byte = 0_u8;
    let mut part = libc::iovec {
        iov_base: (&raw mut byte).cast(),
        iov_len: 1,
    };
    let mut control: Control = [0; 4];
    let mut message = message(&mut part, &mut control);
    // SAFETY: the header lies in `control`, which has room for it and a descriptor, and all outlives the call.
    unsafe {
        message.msg_controllen = libc::CMSG_SPACE(4) as _;
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(4) as _;
        libc::CMSG_DATA(header).cast::<RawFd>().write_unaligned(fd);
        Errno::result(libc::sendmsg(socket, &raw const message, libc::MSG_NOSIGNAL)).map(drop)
    }
}

/// Takes what was handed over, if anything was.
pub(super) fn take_over(socket: BorrowedFd<'_>) -> Option<OwnedFd> {
    let mut byte = 0_u8;
    let mut part = libc::iovec {
        iov_base: (&raw mut byte).cast(),
        iov_len: 1,
    };
    let mut control: Control = [0; 4];
    let mut message = message(&mut part, &mut control);
    let flags = libc::MSG_DONTWAIT | libc::MSG_CMSG_CLOEXEC;
    // SAFETY: all outlives the call; a header that is there was written by the kernel, with a descriptor of ours.
    unsafe {
        if libc::recvmsg(socket.as_raw_fd(), &raw mut message, flags) != 1 {
            return None;
        }
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        if header.is_null() || (*header).cmsg_type != libc::SCM_RIGHTS {
            return None;
        }
        let fd = libc::CMSG_DATA(header).cast::<RawFd>().read_unaligned();
        Some(OwnedFd::from_raw_fd(fd))
    }
}

fn message(part: &mut libc::iovec, control: &mut Control) -> libc::msghdr {
    // SAFETY: all zeros is a value of this plain structure.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = part;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = size_of_val(control) as _;
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(call: libc::c_long, pid: u32, arguments: [i64; 3]) -> Asked {
        let mut asked = Asked {
            id: 0,
            pid,
            flags: 0,
            call: i32::try_from(call).unwrap(),
            architecture: 0,
            instruction: 0,
            arguments: [0; 6],
        };
        for (place, argument) in asked.arguments.iter_mut().zip(arguments) {
            *place = argument.cast_unsigned();
        }
        asked
    }

    /// What is known of signal 9 to a program with a pid that no process has, after one sending.
    fn after(call: libc::c_long, from: u32, arguments: [i64; 3]) -> SentBy {
        let mut senders = Senders::new(None, None, 0x7FFF_0000);
        senders.last = [SentBy::NobodyInside; SIGNALS];
        senders.note(&asked(call, from, arguments));
        senders.of(9)
    }

    #[test]
    fn what_reaches_the_program_counts() {
        let program = 0x7FFF_0000;
        let own = 0x7FFF_0000;
        assert_eq!(after(libc::SYS_kill, own, [program, 9, 0]), SentBy::Itself);
        assert_eq!(after(libc::SYS_kill, 5, [program, 9, 0]), SentBy::Another);
        assert_eq!(after(libc::SYS_kill, 5, [-1, 9, 0]), SentBy::Another);
        assert_eq!(after(libc::SYS_kill, 5, [-program, 9, 0]), SentBy::Another);
        assert_eq!(
            after(libc::SYS_tgkill, own, [program, program, 9]),
            SentBy::Itself
        );
        assert_eq!(after(libc::SYS_tkill, 5, [program, 9, 0]), SentBy::Another);
        assert_eq!(after(libc::SYS_pidfd_send_signal, 5, [3, 9, 0]), SentBy::Another);
    }

    #[test]
    fn what_is_for_others_does_not() {
        let own = 0x7FFF_0000;
        for arguments in [[4, 9, 0], [-4, 9, 0], [-1, 9, 0], [own, 15, 0]] {
            assert_eq!(
                after(libc::SYS_kill, 0x7FFF_0000, arguments),
                SentBy::NobodyInside,
                "{arguments:?}"
            );
        }
    }

    #[test]
    fn a_descriptor_is_handed_over() {
        let (one, other) = crate::message::pair().unwrap();
        assert!(take_over(other.as_fd()).is_none());
        hand_over(one.as_raw_fd(), one.as_raw_fd()).unwrap();
        assert!(take_over(other.as_fd()).is_some());
        assert!(take_over(other.as_fd()).is_none());
    }
}
