//! The cell's root: what it holds, and how it takes the place of the host's. Each paragraph is a system call.

use std::ffi::CStr;
use std::os::fd::AsFd as _;

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, OFlag, openat};
use nix::libc;
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sys::stat::Mode;
use nix::unistd::{chdir, mkdir, pivot_root, symlinkat, write};

use super::calls;
use super::cell::Setup;
use super::vault::is_inside;
use crate::spec::Kind;

/// A mount point that every host has. What it hides doesn't matter: the host's paths are open by then.
pub(super) const MOUNT_POINT: &CStr = c"/tmp";

/// While the host's root is still there and, as root, still readable for us.
pub(super) fn open_host_paths(setup: &mut Setup) -> nix::Result<()> {
    for entry in &setup.spec.entries {
        let (source, attributes) = match &entry.kind {
            Kind::HostFolder(source) | Kind::HostFile(source) => (
                source,
                libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV,
            ),
            Kind::Device(source) => (source, libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NOEXEC),
            Kind::Folder | Kind::Link(_) | Kind::File(_) => {
                setup.trees.push(None);
                continue;
            }
        };
        setup.about = source.to_string_lossy().into_owned();

        let tree = calls::open_tree(source)?;

        calls::add_mount_attributes(tree.as_fd(), attributes)?;

        setup.trees.push(Some(tree));
    }
    setup.about.clear();
    Ok(())
}

/// So that nothing below shows on the host.
pub(super) fn make_mounts_private(_: &mut Setup) -> nix::Result<()> {
    let flags = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    mount(None::<&CStr>, c"/", None::<&CStr>, flags, None::<&CStr>)
}

/// A small tmpfs, which nobody can write to once it is filled.
pub(super) fn mount_root(_: &mut Setup) -> nix::Result<()> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(
        Some(c"redraft"),
        MOUNT_POINT,
        Some(c"tmpfs"),
        flags,
        Some(c"mode=0755,size=16m"),
    )?;

    chdir(MOUNT_POINT)
}

pub(super) fn fill_root(setup: &mut Setup) -> nix::Result<()> {
    for (entry, tree) in setup.spec.entries.iter().zip(&mut setup.trees) {
        if is_inside(entry) {
            continue;
        }
        setup.about = entry.path.to_string_lossy().into_owned();
        let path = entry.path.as_c_str();
        match &entry.kind {
            Kind::Folder | Kind::HostFolder(_) => mkdir(path, Mode::from_bits_truncate(0o755))?,
            Kind::Link(target) => symlinkat(target.as_c_str(), AT_FDCWD, path)?,
            Kind::File(content) => write_new_file(AT_FDCWD, path, content)?,
            Kind::HostFile(_) | Kind::Device(_) => write_new_file(AT_FDCWD, path, &[])?,
        }
        if let Some(tree) = tree.take() {
            calls::move_mount(tree.as_fd(), path)?;
        }
    }
    setup.about.clear();
    Ok(())
}

/// Makes a file that isn't there yet.
pub(super) fn write_new_file(
    folder: impl std::os::fd::AsFd,
    path: &CStr,
    mut content: &[u8],
) -> nix::Result<()> {
    let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let file = openat(folder, path, flags, Mode::from_bits_truncate(0o644))?;
    while !content.is_empty() {
        let written = write(&file, content)?;
        content = content.get(written..).ok_or(Errno::EIO)?;
    }
    Ok(())
}

/// Before the host's own is out of sight: the kernel gives a new one only to who can see a whole one. Read-only,
/// so that `/proc/sys/kernel/core_pattern` and its like can't be written whoever one becomes.
pub(super) fn mount_proc(setup: &mut Setup) -> nix::Result<()> {
    // One that is mounted nowhere, for init itself and for the harness.
    let attributes = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV | libc::MOUNT_ATTR_NOEXEC;
    setup.own_proc = calls::new_mount(c"proc", &[], attributes).ok();

    // Who can't be traced isn't shown in the program's: what init has used tells of all programs before it.
    let options = setup.own_proc.is_some().then_some(c"hidepid=2");
    let flags = MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    mount(Some(c"proc"), c"proc", Some(c"proc"), flags, options)
}

pub(super) fn change_root(_: &mut Setup) -> nix::Result<()> {
    // The old root is put on top of the new one …
    pivot_root(c".", c".")?;

    // … and taken away from there, with all that is mounted in it.
    umount2(c".", MntFlags::MNT_DETACH)?;

    chdir(c"/")
}

/// The folders for scratch will be mounts of their own and stay writable.
pub(super) fn seal_root(_: &mut Setup) -> nix::Result<()> {
    let flags =
        MsFlags::MS_REMOUNT | MsFlags::MS_BIND | MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(None::<&CStr>, c"/", None::<&CStr>, flags, None::<&CStr>)
}
