//! The filter of system calls: [`rules`] as data, compiled to a search tree that the kernel runs at every call.

mod compile;
mod rules;
#[cfg(test)]
mod tests;

use std::os::fd::{FromRawFd as _, OwnedFd, RawFd};
use std::sync::OnceLock;

use nix::errno::Errno;
use nix::libc::{self, sock_filter};

use crate::isolation::{Primitive, is_off};

/// What the rest of the sandbox doesn't cover, so that the filter must.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Uncovered {
    /// There are no namespaces: the host's network, sockets and files are there.
    pub(crate) no_namespaces: bool,
    /// Truncation isn't among what Landlock controls.
    pub(crate) truncation: bool,
}

/// A system call that programs inside are refused, always or with some arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusedCall {
    /// Its name.
    pub name: &'static str,
    /// Its number on this processor.
    pub number: u32,
    /// Whether it is refused whatever its arguments are.
    pub always: bool,
    /// What it answers when it is refused.
    pub errno: i32,
    /// What that stops.
    pub stops: &'static str,
}

/// Every system call that is refused in a sandbox with namespaces, in no particular order. Those that are newer than
/// this list are refused as well.
pub fn refused_calls() -> Vec<RefusedCall> {
    let refused = |rule: &rules::Rule| {
        let (always, errno) = match rule.act {
            rules::Act::Refuse(errno) => (true, errno),
            rules::Act::RefuseIf(_, errno) | rules::Act::AllowIf(_, errno) => (false, errno),
            rules::Act::RefuseEach(cases) => {
                let errno = cases.first().map_or(Errno::EPERM, |(_, errno)| *errno);
                (false, errno)
            }
            // Not among the rules that are chosen here.
            rules::Act::Tell => (false, Errno::UnknownErrno),
        };
        RefusedCall {
            name: rule.name,
            number: rule.number,
            always,
            errno: errno as i32,
            stops: rule.stops,
        }
    };
    rules::chosen(Uncovered::default())
        .into_iter()
        .map(refused)
        .collect()
}

/// Compiles the filter ahead, so that whoever is forked from this process finds it ready.
pub(crate) fn compiled(uncovered: Uncovered) -> &'static [sock_filter] {
    static COMPILED: [OnceLock<Vec<sock_filter>>; 3] = [const { OnceLock::new() }; 3];
    let index =
        usize::from(uncovered.no_namespaces) + usize::from(uncovered.no_namespaces && uncovered.truncation);
    COMPILED[index].get_or_init(|| compile::compile(&rules::chosen(uncovered)))
}

/// Installs the filter for this process and all that come from it. Needs `no_new_privs`.
pub(crate) fn install(uncovered: Uncovered) -> nix::Result<()> {
    if is_off(Primitive::FilterUnnoticed) {
        return Ok(());
    }
    load(compiled(uncovered), 0).map(drop)
}

/// The filter for a sandbox with namespaces, where init is told of signals, compiled ahead.
pub(crate) fn compiled_telling() -> &'static [sock_filter] {
    static COMPILED: OnceLock<Vec<sock_filter>> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let mut all = rules::chosen(Uncovered::default());
        all.extend(rules::TOLD);
        compile::compile(&all)
    })
}

/// As [`install`], and gives what tells of signals. `None` when this kernel or what is around us can't do that.
pub(crate) fn install_telling() -> nix::Result<Option<OwnedFd>> {
    /// Since Linux 5.19: only a deadly signal ends the waiting for an answer.
    const WAIT_KILLABLE: libc::c_ulong = 1 << 5;
    if is_off(Primitive::FilterUnnoticed) {
        return Ok(None);
    }
    for flags in [
        libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | WAIT_KILLABLE,
        libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
    ] {
        if let Ok(fd) = load(compiled_telling(), flags) {
            let fd = RawFd::try_from(fd).map_err(|_| Errno::EOVERFLOW)?;
            // SAFETY: the kernel has just made it for us.
            return Ok(Some(unsafe { OwnedFd::from_raw_fd(fd) }));
        }
    }
    install(Uncovered::default()).map(|()| None)
}

fn load(program: &[sock_filter], flags: libc::c_ulong) -> nix::Result<libc::c_long> {
    let program = libc::sock_fprog {
        len: u16::try_from(program.len()).map_err(|_| Errno::E2BIG)?,
        // The kernel copies it and writes nothing.
        filter: program.as_ptr().cast_mut(),
    };
    // SAFETY: the structure and the program that it points to outlive the call.
    let done = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            flags,
            &raw const program,
        )
    };
    Errno::result(done)
}
