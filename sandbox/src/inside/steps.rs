//! The set-up inside the namespaces, as one ordered list. Each step is a function, each paragraph a system call.

use std::ffi::CStr;
use std::os::fd::{AsFd, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::libc;
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::sys::stat::Mode;
use nix::unistd::{
    Gid, Uid, chdir, getgroups, mkdir, pivot_root, setgroups, sethostname, setresgid, setresuid, setsid,
    symlinkat, write,
};
use rlimit::Resource;

use super::{INSIDE_ID, calls, landlock};
use crate::spec::{Kind, Spec};

/// One step: its name as errors give it, and what it does when it is init's to run in the list's order.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(super) act: Option<fn(&mut Setup) -> nix::Result<()>>,
}

const fn step(name: &'static str, act: fn(&mut Setup) -> nix::Result<()>) -> Step {
    Step { name, act: Some(act) }
}

/// A step that launcher or init does elsewhere.
const fn named(name: &'static str) -> Step {
    Step { name, act: None }
}

/// What the steps hand on to each other.
#[derive(Debug)]
pub(crate) struct Setup {
    pub(crate) spec: Spec,
    /// Detached mounts of the host's paths, one for each entry that has one.
    trees: Vec<Option<OwnedFd>>,
    /// What the step was at when it failed.
    pub(crate) about: String,
    pub(crate) groups_dropped: bool,
}

impl Setup {
    pub(crate) fn new(spec: Spec) -> Self {
        Self {
            spec,
            trees: Vec::new(),
            about: String::new(),
            groups_dropped: false,
        }
    }
}

/// Index of "new namespaces" in [`STEPS`]; the launcher does it.
pub(crate) const CLONE: u8 = 0;
/// Index of "user and group map" in [`STEPS`]; the launcher does it.
pub(crate) const MAP: u8 = 1;
/// Index of "order" in [`STEPS`]; init does it to have something to set up at all.
pub(super) const ORDER: u8 = 2;
/// Index of the last step, which is the start of the program itself.
pub(super) const START: usize = STEPS.len() - 1;

/// All steps in their order. The first three and the last are only names here: launcher and init do them.
pub(crate) const STEPS: &[Step] = &[
    named("new namespaces"),
    named("user and group map"),
    named("reading the order"),
    step("opening the readable paths", open_host_paths),
    step("user and group", change_user),
    step("private mounts", make_mounts_private),
    step("new root", mount_root),
    step("content of the new root", fill_root),
    step("proc", mount_proc),
    step("change of root", change_root),
    step("read-only root", seal_root),
    step("host name", name_host),
    step("limits", set_limits),
    step("capabilities", drop_capabilities),
    step("no new privileges", forbid_new_privileges),
    step("access to files", restrict_files),
    step("filter of system calls", filter_calls),
    named("start of the program"),
];

/// A mount point that every host has. What it hides doesn't matter: the host's paths are open by then.
const MOUNT_POINT: &CStr = c"/tmp";

/// While the host's root is still there and, as root, still readable for us.
fn open_host_paths(setup: &mut Setup) -> nix::Result<()> {
    for entry in &setup.spec.entries {
        let (source, attributes) = match &entry.kind {
            Kind::HostFolder(source) | Kind::HostFile(source) => (
                source,
                libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV,
            ),
            Kind::Device(source) => (source, libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NOEXEC),
            Kind::Folder | Kind::Scratch | Kind::Link(_) | Kind::File(_) => {
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

/// From here on nothing is done as the host's root any more.
fn change_user(setup: &mut Setup) -> nix::Result<()> {
    // As an ordinary user they can't be dropped; then they grant no more than the user has.
    setup.groups_dropped = setgroups(&[]).is_ok() || getgroups().is_ok_and(|groups| groups.is_empty());

    let gid = Gid::from_raw(INSIDE_ID);
    setresgid(gid, gid, gid)?;

    let uid = Uid::from_raw(INSIDE_ID);
    setresuid(uid, uid, uid)?;

    // A new user clears the death signal.
    prctl::set_pdeathsig(Signal::SIGKILL)?;

    // Its own session, so that nothing is shared with the launcher's.
    setsid().map(drop)
}

/// So that nothing below shows on the host.
fn make_mounts_private(_: &mut Setup) -> nix::Result<()> {
    mount(
        None::<&CStr>,
        c"/",
        None::<&CStr>,
        MsFlags::MS_REC | MsFlags::MS_PRIVATE,
        None::<&CStr>,
    )
}

/// One small tmpfs holds the root and all that can be written, so one limit counts for all together.
fn mount_root(setup: &mut Setup) -> nix::Result<()> {
    let options = format!(
        "mode=0755,size={},nr_inodes={}",
        setup.spec.disk_bytes, setup.spec.disk_inodes
    );
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(
        Some(c"redraft"),
        MOUNT_POINT,
        Some(c"tmpfs"),
        flags,
        Some(options.as_str()),
    )?;

    chdir(MOUNT_POINT)
}

fn fill_root(setup: &mut Setup) -> nix::Result<()> {
    for (entry, tree) in setup.spec.entries.iter().zip(&setup.trees) {
        setup.about = entry.path.to_string_lossy().into_owned();
        let path = entry.path.as_c_str();
        match &entry.kind {
            Kind::Folder | Kind::HostFolder(_) => mkdir(path, Mode::from_bits_truncate(0o755))?,
            Kind::Scratch => {
                mkdir(path, Mode::from_bits_truncate(0o755))?;
                mount(Some(path), path, None::<&CStr>, MsFlags::MS_BIND, None::<&CStr>)?;
            }
            Kind::Link(target) => symlinkat(target.as_c_str(), nix::fcntl::AT_FDCWD, path)?,
            Kind::File(content) => write_new_file(path, content)?,
            Kind::HostFile(_) | Kind::Device(_) => write_new_file(path, &[])?,
        }
        if let Some(tree) = tree {
            calls::move_mount(tree.as_fd(), path)?;
        }
    }
    setup.about.clear();
    setup.trees.clear();
    Ok(())
}

fn write_new_file(path: &CStr, mut content: &[u8]) -> nix::Result<()> {
    let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let file = open(path, flags, Mode::from_bits_truncate(0o644))?;
    while !content.is_empty() {
        let written = write(&file, content)?;
        content = content.get(written..).ok_or(Errno::EIO)?;
    }
    Ok(())
}

/// Before the host's own is out of sight: the kernel gives a new one only to who can see a whole one. Read-only,
/// so that `/proc/sys/kernel/core_pattern` and its like can't be written whoever one becomes.
fn mount_proc(_: &mut Setup) -> nix::Result<()> {
    let flags = MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    mount(Some(c"proc"), c"proc", Some(c"proc"), flags, None::<&CStr>)
}

fn change_root(_: &mut Setup) -> nix::Result<()> {
    // The old root is put on top of the new one …
    pivot_root(c".", c".")?;

    // … and taken away from there, with all that is mounted in it.
    umount2(c".", MntFlags::MNT_DETACH)?;

    chdir(c"/")
}

/// The folders for scratch are mounts of their own and stay writable.
fn seal_root(_: &mut Setup) -> nix::Result<()> {
    let flags =
        MsFlags::MS_REMOUNT | MsFlags::MS_BIND | MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(None::<&CStr>, c"/", None::<&CStr>, flags, None::<&CStr>)
}

fn name_host(_: &mut Setup) -> nix::Result<()> {
    sethostname("box")
}

fn set_limits(setup: &mut Setup) -> nix::Result<()> {
    // Init has the same user and is counted with the program's processes.
    limit(Resource::NPROC, setup.spec.processes.saturating_add(1))?;
    limit(Resource::FSIZE, setup.spec.file_size)?;
    limit(Resource::NOFILE, MOST_OPEN_FILES)?;
    limit(Resource::CORE, 0)
}

/// Enough for any program of a task; a harness full of such programs stays clear of the host's own limit.
const MOST_OPEN_FILES: u64 = 1024;

/// Lowers both the limit and the bound up to which it could be raised again.
fn limit(resource: Resource, value: u64) -> nix::Result<()> {
    let errno = |error: std::io::Error| Errno::from_raw(error.raw_os_error().unwrap_or(libc::EIO));
    let (_, most) = resource.get().map_err(errno)?;
    resource.set(value.min(most), value.min(most)).map_err(errno)
}

fn drop_capabilities(_: &mut Setup) -> nix::Result<()> {
    calls::drop_capabilities()
}

fn forbid_new_privileges(_: &mut Setup) -> nix::Result<()> {
    prctl::set_no_new_privs()
}

/// A kernel without it has the other walls; the receipt says so.
fn restrict_files(_: &mut Setup) -> nix::Result<()> {
    let Ok(version) = landlock::version() else {
        return Ok(());
    };
    let rules = landlock::Rules::new(version)?;
    for (path, grant) in landlock::IN_OWN_ROOT {
        rules.grant(path, grant)?;
    }
    rules.restrict()
}

/// The last one, for it would refuse some of the others.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn filter_calls(_: &mut Setup) -> nix::Result<()> {
    super::filter::install(super::filter::Uncovered::default())
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn filter_calls(_: &mut Setup) -> nix::Result<()> {
    Ok(())
}
