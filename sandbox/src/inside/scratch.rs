//! Scratch: one tmpfs, limited in bytes and in files, that is seen as `/box`, `/tmp` and `/dev/shm`.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd as _, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::{OFlag, openat};
use nix::libc;
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sys::stat::{Mode, mkdirat};
use nix::sys::statvfs::fstatvfs;

use super::vault::Vault;
use super::{INIT_ID, INSIDE_ID, calls};
use crate::message::Space;

/// Its folders, and where each of them is seen. The first is where the tmpfs itself is mounted, out of sight.
const FOLDERS: [(&CStr, &CStr); 3] = [(c"box", c"/box"), (c"tmp", c"/tmp"), (c"shm", c"/dev/shm")];

/// How much fits in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    pub(super) bytes: u64,
    pub(super) files: u64,
}

/// A scratch that is mounted.
#[derive(Debug)]
pub(super) struct Scratch {
    root: OwnedFd,
    folders: [OwnedFd; 3],
    room: Room,
    /// How all of it looked when it was new.
    new: State,
    /// Whether there is more in it than can be looked at.
    holds_more: bool,
}

/// What can be seen of a tmpfs from outside of its files. Two that look the same hold the same: nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    bytes_free: u64,
    files_free: u64,
    folders: [Folder; 3],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Folder {
    mode: u16,
    links: u32,
    owner: (u32, u32),
    size: u64,
    attributes: u64,
    changed: (i64, u32),
    modified: (i64, u32),
    named_attributes: bool,
}

impl Scratch {
    /// Mounts a new one. `separate` when the program isn't init.
    pub(super) fn mount(room: Room, separate: bool, vault: &Vault) -> nix::Result<Self> {
        let number = |number: u64| CString::new(number.to_string()).map_err(|_| Errno::EINVAL);
        let (bytes, files) = (number(room.bytes)?, number(room.files)?);
        let options = [
            (c"mode", c"0755"),
            (c"size", bytes.as_c_str()),
            (c"nr_inodes", files.as_c_str()),
        ];
        let attributes = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;
        let root = calls::new_mount(c"tmpfs", &options, attributes)?;
        if separate {
            calls::act_as(INSIDE_ID);
        }
        let made = make_folders(&root, vault);
        if separate {
            calls::act_as(INIT_ID);
        }
        let folders = made?;

        // A part of a mount can be shown elsewhere only once the whole is shown somewhere. Its first folder covers it.
        calls::move_mount(root.as_fd(), FOLDERS[0].1)?;
        for (name, place) in FOLDERS.iter().rev() {
            let source = [c"/box/".to_bytes(), name.to_bytes_with_nul()].concat();
            let source = CStr::from_bytes_with_nul(&source).map_err(|_| Errno::EINVAL)?;
            mount(
                Some(source),
                *place,
                None::<&CStr>,
                MsFlags::MS_BIND,
                None::<&CStr>,
            )?;
        }

        vault.show()?;

        let new = State::look(&root, &folders)?;
        Ok(Self {
            root,
            folders,
            room,
            new,
            holds_more: !vault.is_empty(),
        })
    }

    /// Takes it away with all that is in it. It is gone when nobody has a file of it open any more.
    pub(super) fn unmount(self) -> nix::Result<()> {
        drop(self.folders);
        for (_, place) in FOLDERS {
            umount2(place, MntFlags::MNT_DETACH)?;
        }
        umount2(FOLDERS[0].1, MntFlags::MNT_DETACH)
    }

    pub(super) fn room(&self) -> Room {
        self.room
    }

    /// The program's working directory.
    pub(super) fn home(&self) -> &OwnedFd {
        &self.folders[0]
    }

    /// What is used of it, and what there is.
    pub(super) fn space(&self) -> nix::Result<Space> {
        let all = fstatvfs(&self.root)?;
        let block = all.fragment_size();
        Ok(Space {
            bytes: (all.blocks() - all.blocks_free()) * block,
            most_bytes: all.blocks() * block,
            files: all.files() - all.files_free(),
            most_files: all.files(),
        })
    }

    /// Whether it is as it was when it was mounted, so that nobody can tell that it was there before.
    pub(super) fn is_untouched(&self) -> bool {
        !self.holds_more && State::look(&self.root, &self.folders) == Ok(self.new)
    }
}

fn make_folders(root: &OwnedFd, vault: &Vault) -> nix::Result<[OwnedFd; 3]> {
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let make = |index: usize| {
        let name = FOLDERS[index].0;
        mkdirat(root, name, Mode::from_bits_truncate(0o755))?;
        openat(root, name, flags, Mode::empty())
    };
    let folders = [make(0)?, make(1)?, make(2)?];
    vault.make_places(&folders[1])?;
    Ok(folders)
}

impl State {
    fn look(root: &OwnedFd, folders: &[OwnedFd; 3]) -> nix::Result<Self> {
        let all = fstatvfs(root)?;
        let [one, two, three] = folders;
        Ok(Self {
            bytes_free: all.blocks_free(),
            files_free: all.files_free(),
            folders: [Folder::look(one)?, Folder::look(two)?, Folder::look(three)?],
        })
    }
}

impl Folder {
    fn look(folder: &OwnedFd) -> nix::Result<Self> {
        let seen = calls::look_at(folder.as_fd())?;
        let time = |time: libc::statx_timestamp| (time.tv_sec, time.tv_nsec);
        Ok(Self {
            mode: seen.stx_mode,
            links: seen.stx_nlink,
            owner: (seen.stx_uid, seen.stx_gid),
            size: seen.stx_size,
            attributes: seen.stx_attributes,
            changed: time(seen.stx_ctime),
            modified: time(seen.stx_mtime),
            named_attributes: calls::has_named_attributes(folder.as_fd()),
        })
    }
}
