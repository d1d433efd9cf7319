//! Files of the host seen through layers of the cell's own: with the same content, and with nothing else in common.
//!
//! A mount of a host's folder shows the folder itself. Then a lock on a file in it, a socket, a pipe or a lease is the same for all
//! that see it, so that two runs can talk, and a program can talk to a service. An overlay without an upper layer shows
//! the same names and bytes by files that belong to this cell alone.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::libc;
use nix::mount::{MsFlags, mount};
use nix::sys::stat::Mode;

use super::calls;
use super::cell::Setup;
use super::root::MOUNT_POINT;
use crate::isolation::{Primitive, is_off};
use crate::spec::{Entry, Kind};

const ATTRIBUTES: u64 = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;

/// What the system's own folders begin with. They change so seldom that a cell may go on with what it knows of their names.
const OF_THE_SYSTEM: [&[u8]; 3] = [b"/usr/", b"/lib", b"/etc/"];

/// A path of the host that is an entry's.
struct Wanted {
    entry: usize,
    is_folder: bool,
    /// With a slash before each name.
    path: Vec<u8>,
}

/// Takes an overlay's in place of the host's own folders and files wherever there can be one. What can't have one is told.
pub(super) fn make_own(setup: &mut Setup) -> nix::Result<()> {
    // One for all that lies in the same folder of the host's root: each costs time to make and to take away.
    let mut groups: BTreeMap<Vec<u8>, Vec<Wanted>> = BTreeMap::new();
    for (entry, Entry { kind, .. }) in setup.spec.entries.iter().enumerate() {
        let (source, is_folder) = match kind {
            Kind::HostFolder(source) => (source, true),
            Kind::HostFile(source) => (source, false),
            Kind::Folder | Kind::Link(_) | Kind::Device(_) | Kind::File(_) => continue,
        };
        let path = source.to_bytes().to_vec();
        let first = path.iter().skip(1).position(|&byte| byte == b'/');
        let above = match first {
            Some(first) => path[..=first].to_vec(),
            None if is_folder => path.clone(),
            None => b"/".to_vec(),
        };
        let wanted = Wanted {
            entry,
            is_folder,
            path,
        };
        groups.entry(above).or_default().push(wanted);
    }
    // What is below the mount point is out of sight later, so all is opened before.
    let mut opened = Vec::new();
    for (above, group) in groups {
        let alone: Vec<_> = group.iter().map(|wanted| open_folder(wanted.folder())).collect();
        opened.push((open_folder(&above), above, group, alone));
    }
    // An overlay wants two layers; this one holds nothing. All of these mounts go with the old root, for each that is taken away
    // by itself has the kernel wait for all processors.
    let options = Some(c"mode=0755,size=4k,nr_inodes=4");
    mount(
        Some(c"redraft"),
        MOUNT_POINT,
        Some(c"tmpfs"),
        MsFlags::empty(),
        options,
    )?;
    let nothing = open(MOUNT_POINT, OFlag::O_PATH | OFlag::O_CLOEXEC, Mode::empty())?;
    for (folder, above, group, alone) in opened {
        let together = folder.and_then(|folder| show(setup, &above, &group, &folder, &nothing));
        if together.is_ok() {
            continue;
        }
        // Something else may be mounted beside what is wanted.
        for (wanted, folder) in group.into_iter().zip(alone) {
            let above = wanted.folder().to_vec();
            let path = String::from_utf8_lossy(&wanted.path).into_owned();
            let done = folder.and_then(|folder| show(setup, &above, &[wanted], &folder, &nothing));
            if let Err(errno) = done
                && setup.shared.is_empty()
            {
                setup.shared = format!("{path}: {}", errno.desc());
            }
        }
    }
    Ok(())
}

impl Wanted {
    /// The folder that an overlay for this alone is made of.
    fn folder(&self) -> &[u8] {
        let end = self.path.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        match end {
            _ if self.is_folder => &self.path,
            0 => b"/",
            end => &self.path[..end],
        }
    }

    fn may_change(&self) -> bool {
        // Another file in place of a single one is noticed by the harness.
        self.is_folder && !OF_THE_SYSTEM.iter().any(|of| self.path.starts_with(of))
    }
}

fn open_folder(path: &[u8]) -> nix::Result<OwnedFd> {
    let flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    open(path, flags, Mode::empty())
}

/// Shows these by one overlay of the folder above them.
fn show(
    setup: &mut Setup,
    above: &[u8],
    group: &[Wanted],
    folder: &OwnedFd,
    nothing: &OwnedFd,
) -> nix::Result<()> {
    if is_off(Primitive::Overlays) {
        return Err(Errno::ENODEV);
    }
    let overlay = overlay(folder, nothing)?;
    calls::move_mount(overlay.as_fd(), MOUNT_POINT)?;
    let tree = |wanted: &Wanted| {
        let rest = wanted.path.strip_prefix(above).unwrap_or(&wanted.path);
        let rest = rest.strip_prefix(b"/").unwrap_or(rest);
        let path = CString::new([MOUNT_POINT.to_bytes(), b"/", rest].concat());
        calls::open_tree(&path.map_err(|_| Errno::EINVAL)?)
    };
    let trees: nix::Result<Vec<OwnedFd>> = group.iter().map(tree).collect();
    for (wanted, tree) in group.iter().zip(trees?) {
        calls::add_mount_attributes(tree.as_fd(), ATTRIBUTES)?;
        setup.trees[wanted.entry] = Some(tree);
    }
    if group.iter().any(Wanted::may_change) {
        setup.changing.push(overlay);
    }
    Ok(())
}

fn overlay(folder: &OwnedFd, nothing: &OwnedFd) -> nix::Result<OwnedFd> {
    // By number, so that no character of a path means anything.
    let layers = format!(
        "/proc/self/fd/{}:/proc/self/fd/{}",
        folder.as_raw_fd(),
        nothing.as_raw_fd()
    );
    let layers = CString::new(layers).map_err(|_| Errno::EINVAL)?;
    calls::new_mount(c"overlay", &[(c"lowerdir", &layers)], ATTRIBUTES)
}
