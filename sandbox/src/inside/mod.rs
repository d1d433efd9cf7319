//! What runs on the other side of the fork: the launcher, init, and the program up to its `execve`.
//!
//! All of it is single-threaded and talks through [`crate::message`] only. Nothing here may panic or print.

mod calls;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod filter;
mod init;
pub(crate) mod landlock;
mod launcher;
mod start;
mod steps;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub use filter::{RefusedCall, refused_calls};

pub(crate) use launcher::serve;
pub(crate) use steps::{CLONE, MAP, STEPS};

use std::os::fd::OwnedFd;

/// The uid and gid that the program has inside.
pub(crate) const INSIDE_ID: u32 = 1000;

/// The descriptors that come with a request, in this order.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) spec: OwnedFd,
    pub(crate) control: OwnedFd,
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
    pub(crate) channel: Option<OwnedFd>,
}

impl Order {
    fn from_fds(fds: Vec<OwnedFd>) -> Option<Self> {
        let mut fds = fds.into_iter();
        Some(Self {
            spec: fds.next()?,
            control: fds.next()?,
            stdin: fds.next()?,
            stdout: fds.next()?,
            stderr: fds.next()?,
            channel: fds.next(),
        })
    }
}
