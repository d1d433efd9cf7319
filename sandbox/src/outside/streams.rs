//! The harness's ends of the program's pipes. None of them ever blocks.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::unistd::{read, write};
use sha2::{Digest as _, Sha256};

use crate::Captured;

/// How often to read or write before looking at the limits again.
const AT_ONCE: usize = 16;

/// What is still to be written to the program's stdin.
#[derive(Debug)]
pub(super) struct Feed {
    pipe: Option<OwnedFd>,
    bytes: Arc<[u8]>,
    written: usize,
}

impl Feed {
    pub(super) fn new(pipe: OwnedFd, bytes: Arc<[u8]>) -> nix::Result<Self> {
        do_not_block(&pipe)?;
        // With nothing to say, the end of file comes at once.
        let pipe = (!bytes.is_empty()).then_some(pipe);
        Ok(Self {
            pipe,
            bytes,
            written: 0,
        })
    }

    pub(super) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// How many bytes are out of our hands.
    pub(super) fn written(&self) -> u64 {
        self.written as u64
    }

    /// Writes as much as fits, but not for ever.
    pub(super) fn push(&mut self) {
        for _ in 0..AT_ONCE {
            let (Some(pipe), Some(rest)) = (&self.pipe, self.bytes.get(self.written..)) else {
                return;
            };
            match write(pipe, rest) {
                Ok(count) => {
                    self.written += count;
                    if self.written == self.bytes.len() {
                        self.pipe = None;
                    }
                }
                Err(Errno::EAGAIN) => return,
                Err(Errno::EINTR) => {}
                // Nobody reads any more.
                Err(_) => self.pipe = None,
            }
        }
    }
}

/// How much of the end is kept of a stream whose beginning doesn't hold it.
const TAIL: usize = 4 << 10;

/// What arrives from one of the program's outputs.
#[derive(Debug)]
pub(super) struct Drain {
    pipe: Option<OwnedFd>,
    limit: usize,
    head: Vec<u8>,
    /// The latest bytes beyond the head, at most twice as many as are kept.
    latest: Vec<u8>,
    total: u64,
    hash: Sha256,
}

impl Drain {
    pub(super) fn new(pipe: OwnedFd, limit: u64) -> nix::Result<Self> {
        do_not_block(&pipe)?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Ok(Self {
            pipe: Some(pipe),
            limit,
            head: Vec::new(),
            latest: Vec::new(),
            total: 0,
            hash: Sha256::new(),
        })
    }

    pub(super) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    pub(super) fn is_over_limit(&self) -> bool {
        self.total > self.limit as u64
    }

    /// Reads what is there, but not for ever.
    pub(super) fn pull(&mut self, buffer: &mut [u8]) {
        for _ in 0..AT_ONCE {
            let Some(pipe) = &self.pipe else { return };
            match read(pipe, buffer) {
                Ok(0) => self.pipe = None,
                Ok(count) => self.keep(&buffer[..count]),
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => return,
                Err(_) => self.pipe = None,
            }
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.total += bytes.len() as u64;
        let room = self.limit - self.head.len();
        let (head, beyond) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);
        self.latest
            .extend_from_slice(&beyond[beyond.len().saturating_sub(TAIL)..]);
        if self.latest.len() > 2 * TAIL {
            self.latest.drain(..self.latest.len() - TAIL);
        }
    }

    /// Reads what is left once nobody can write any more.
    pub(super) fn finish(mut self, buffer: &mut [u8]) -> Captured {
        while let Some(pipe) = &self.pipe {
            match read(pipe, buffer) {
                Err(Errno::EINTR) => {}
                Ok(0) | Err(_) => self.pipe = None,
                Ok(count) => self.keep(&buffer[..count]),
            }
        }
        let mut tail = self.latest;
        tail.drain(..tail.len().saturating_sub(TAIL));
        Captured {
            dropped: self.total - (self.head.len() + tail.len()) as u64,
            bytes: self.head,
            tail,
            total: self.total,
            sha256: self.hash.finalize().into(),
        }
    }
}

fn do_not_block(pipe: &OwnedFd) -> nix::Result<()> {
    fcntl(pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).map(drop)
}
