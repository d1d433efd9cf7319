//! Datagrams with descriptors between processes.

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
pub(super) const LONGEST: usize = 4096;

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
