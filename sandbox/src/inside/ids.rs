//! Who a cell is on the host.

use std::ffi::CString;

use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::libc;
use nix::sys::stat::Mode;
use nix::unistd::{getegid, geteuid, getpid, read, write};

use super::{INIT_ID, INSIDE_ID, calls};
use crate::message::HostIds;

/// Where the host's uids for cells begin when root has no use for them: above those that systemd gives to containers.
const FIRST_HOST_ID: u32 = 0x7000_0000;

/// The least id for a cell where those are out of reach, as in a container.
const FIRST_UNUSED_ID: u32 = 10_000;

/// Maps the ids that exist inside: as root to two unused ones without rights, one for the program and another for
/// init, different ones for each cell, so that cells don't share a count of processes and a program can't touch its
/// init; as an ordinary user to the user's own.
pub(super) fn map(init: libc::pid_t, cell: u32) -> nix::Result<HostIds> {
    let ids = geteuid().is_root().then(ids_for_cells).flatten();
    if let Some((first, count)) = ids.filter(|&(_, count)| count > 1) {
        let own = first + host_offset(count / 2, cell) * 2;
        let lines = format!("{INSIDE_ID} {own} 1\n{INIT_ID} {} 1\n", own + 1);
        write_file(init, "uid_map", &lines)?;
        write_file(init, "gid_map", &lines)?;
        return Ok(HostIds {
            uid: own,
            gid: own,
            separate: true,
        });
    }
    let (uid, gid) = (geteuid().as_raw(), getegid().as_raw());
    // An ordinary user must give up changing groups to be allowed to map one.
    write_file(init, "setgroups", "deny")?;
    write_file(init, "uid_map", &format!("{INSIDE_ID} {uid} 1"))?;
    write_file(init, "gid_map", &format!("{INSIDE_ID} {gid} 1"))?;
    Ok(HostIds {
        uid,
        gid,
        separate: false,
    })
}

/// Who the programs of a cell without namespaces are: as root somebody without rights whom only this cell has, as an
/// ordinary user that user. `None` when that would be the host's root: no program is ever that.
pub(crate) fn without_namespaces(cell: u32) -> Option<HostIds> {
    if !geteuid().is_root() || !is_root_outside() {
        return Some(HostIds {
            uid: geteuid().as_raw(),
            gid: getegid().as_raw(),
            separate: false,
        });
    }
    let (first, count) = ids_for_cells().filter(|_| calls::has_capabilities(TO_BECOME_ANOTHER))?;
    // Apart from those that cells with namespaces get.
    let own = first + (host_offset(count / 2, cell) * 2 + count / 2) % count;
    Some(HostIds {
        uid: own,
        gid: own,
        separate: true,
    })
}

/// Whether root here is root for who made this user namespace, too.
fn is_root_outside() -> bool {
    let text = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let mut lines = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    lines
        .next()
        .is_none_or(|line| !matches!(line[..], ["0", outside, _] if outside != "0"))
}

/// The capabilities to give files away, to use and remove those of others, to signal others and to become them.
const TO_BECOME_ANOTHER: u64 = 1 | 1 << 1 | 1 << 3 | 1 << 5 | 1 << 6 | 1 << 7;

/// The host's ids that root may give to cells: the first and how many. In a container they are what it was given;
/// with a single one, "root" is an ordinary user by another name, and there are none to give.
fn ids_for_cells() -> Option<(u32, u32)> {
    let (uids, gids) = (read_map("/proc/self/uid_map")?, read_map("/proc/self/gid_map")?);
    let first_and_last = |map: &[(u32, u32)]| {
        let high = map
            .iter()
            .find(|&&(first, last)| first <= FIRST_HOST_ID && FIRST_HOST_ID < last);
        let high = high.map(|&(_, last)| (FIRST_HOST_ID, last));
        high.or_else(|| map.iter().copied().max_by_key(|(first, last)| last - first))
    };
    let (uids, gids) = (first_and_last(&uids)?, first_and_last(&gids)?);
    // Neither root itself nor the ids that a system gives to its own services and users.
    let first = uids.0.max(gids.0).max(FIRST_UNUSED_ID);
    let last = uids.1.min(gids.1);
    (first <= last).then(|| (first, last - first + 1))
}

/// The ranges of ids that exist in our own user namespace, each by its first and its last.
fn read_map(path: &str) -> Option<Vec<(u32, u32)>> {
    let file = open(path, OFlag::O_RDONLY | OFlag::O_CLOEXEC, Mode::empty()).ok()?;
    let mut text = [0; 4096];
    let length = read(&file, &mut text).ok()?;
    let lines = std::str::from_utf8(&text[..length]).ok()?.lines();
    let range = |line: &str| {
        let mut numbers = line.split_whitespace().map(str::parse::<u32>);
        let (first, _, count) = (numbers.next()?.ok()?, numbers.next()?, numbers.next()?.ok()?);
        Some((first, first.saturating_add(count).checked_sub(1)?))
    };
    Some(lines.filter_map(range).collect())
}

fn host_offset(count: u32, cell: u32) -> u32 {
    let launcher = getpid().as_raw().unsigned_abs();
    (((launcher % 4096) << 12) + (cell % 4096)) % count
}

fn write_file(process: libc::pid_t, name: &str, text: &str) -> nix::Result<()> {
    let path = CString::new(format!("/proc/{process}/{name}")).map_err(|_| Errno::EINVAL)?;
    let file = open(path.as_c_str(), OFlag::O_WRONLY | OFlag::O_CLOEXEC, Mode::empty())?;
    write(&file, text.as_bytes()).map(drop)
}
