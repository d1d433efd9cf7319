//! Paths of the host that are shown inside scratch. Scratch comes and goes, so they are kept where nobody sees them, and
//! shown again in each new one.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::mount::{MsFlags, mount};
use nix::sys::stat::{Mode, mkdirat};
use nix::unistd::symlinkat;

use super::calls;
use super::cell::Setup;
use super::root::write_new_file;
use crate::spec::{Entry, Kind};

/// Where a path begins that lies in scratch.
const INSIDE: &[u8] = b"tmp/";

/// What is kept.
#[derive(Debug, Default)]
pub(super) struct Vault {
    /// Folder and file mounts by number; none when there are none.
    folder: Option<OwnedFd>,
    contents: Vec<Content>,
}

/// One path below `/tmp`.
#[derive(Debug)]
struct Content {
    /// Relative to `/tmp`.
    path: CString,
    what: What,
}

#[derive(Debug)]
enum What {
    Folder,
    Link(CString),
    /// A mount, by its number.
    HostFolder(usize),
    HostFile(usize),
}

/// Whether a path of the root lies in scratch.
pub(super) fn is_inside(entry: &Entry) -> bool {
    entry.path.as_bytes().starts_with(INSIDE)
}

/// Takes in what lies in scratch, while the new root's scratch folders are still empty.
pub(super) fn fill_vault(setup: &mut Setup) -> nix::Result<()> {
    let mut trees = std::mem::take(&mut setup.trees);
    if !trees.iter().any(Option::is_some) && !setup.spec.entries.iter().any(is_inside) {
        return Ok(());
    }
    // Scratch itself will be mounted over it.
    let options = Some(c"mode=0755,size=1m");
    mount(
        Some(c"redraft"),
        c"box",
        Some(c"tmpfs"),
        MsFlags::empty(),
        options,
    )?;
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    let folder = open(c"box", flags, Mode::empty())?;
    for (number, (entry, tree)) in setup.spec.entries.iter().zip(&mut trees).enumerate() {
        let Some(path) = entry.path.as_bytes().strip_prefix(INSIDE) else {
            continue;
        };
        let what = match &entry.kind {
            Kind::Folder => What::Folder,
            Kind::Link(target) => What::Link(target.clone()),
            Kind::HostFolder(_) => What::HostFolder(number),
            Kind::HostFile(_) => What::HostFile(number),
            Kind::Device(_) | Kind::File(_) => continue,
        };
        if let Some(tree) = tree.take() {
            let name = CString::new(format!("box/{number}")).map_err(|_| Errno::EINVAL)?;
            match &what {
                What::HostFile(_) => write_new_file(nix::fcntl::AT_FDCWD, &name, &[])?,
                _ => nix::unistd::mkdir(name.as_c_str(), Mode::from_bits_truncate(0o755))?,
            }
            calls::move_mount(tree.as_fd(), &name)?;
        }
        let path = CString::new(path).map_err(|_| Errno::EINVAL)?;
        setup.vault.contents.push(Content { path, what });
    }
    setup.vault.folder = Some(folder);
    Ok(())
}

impl Vault {
    pub(super) fn is_empty(&self) -> bool {
        self.contents.is_empty()
    }

    /// Makes places for everything in a folder that will be seen as `/tmp`.
    pub(super) fn make_places(&self, folder: &OwnedFd) -> nix::Result<()> {
        for Content { path, what } in &self.contents {
            match what {
                What::Folder | What::HostFolder(_) => {
                    mkdirat(folder, path.as_c_str(), Mode::from_bits_truncate(0o755))?;
                }
                What::Link(target) => symlinkat(target.as_c_str(), folder, path.as_c_str())?,
                What::HostFile(_) => write_new_file(folder, path, &[])?,
            }
        }
        Ok(())
    }

    /// Shows the paths of the host in their places below `/tmp`.
    pub(super) fn show(&self) -> nix::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        for Content { path, what } in &self.contents {
            let (What::HostFolder(number) | What::HostFile(number)) = what else {
                continue;
            };
            let source = format!("/proc/self/fd/{}/{number}", folder.as_raw_fd());
            let place = [c"/tmp/".to_bytes(), path.to_bytes_with_nul()].concat();
            let place = CStr::from_bytes_with_nul(&place).map_err(|_| Errno::EINVAL)?;
            let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
            mount(Some(source.as_str()), place, None::<&CStr>, flags, None::<&CStr>)?;
        }
        Ok(())
    }
}
