//! Where groups can be made: a folder of a hierarchy with the controllers that are wanted.

use std::fs;
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, eaccess};

use super::mounts::{Hierarchy, Version};

/// A folder below which groups can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) version: Version,
    pub(super) path: PathBuf,
}

/// The place for a controller of version 1: the group that this process is in, so that its own limits stay in force.
pub(super) fn of_version_one(
    hierarchies: &[Hierarchy],
    controller: &str,
    membership: &str,
) -> Result<Place, String> {
    let hierarchy = hierarchies
        .iter()
        .find(|one| one.version == Version::One && one.controllers.iter().any(|known| known == controller))
        .ok_or_else(|| format!("the host has no cgroup controller `{controller}`"))?;
    let path = hierarchy.own_folder(membership);
    let version = Version::One;
    writable(hierarchy, &path).map(|()| Place { version, path })
}

/// The place in the hierarchy of version 2, and for each wanted controller whether its groups will have it.
///
/// A group whose processes aren't all in groups below it can't give controllers to these. So the candidates are the
/// group that this process is in, once the process itself was moved aside, and then those above it.
pub(super) fn of_version_two(
    hierarchies: &[Hierarchy],
    wanted: &[&str],
    membership: &str,
    move_aside: &dyn Fn(&Path) -> bool,
) -> Result<(Place, Vec<Result<(), String>>), String> {
    let hierarchy = hierarchies
        .iter()
        .find(|one| one.version == Version::Two)
        .ok_or_else(|| "the host has no cgroup version 2".to_owned())?;
    let own = hierarchy.own_folder(membership);
    let candidates = || {
        own.ancestors()
            .take_while(|path| path.starts_with(&hierarchy.mount_point))
            .filter(|path| writable(hierarchy, path).is_ok())
    };
    let top = words(&hierarchy.mount_point.join("cgroup.controllers"));
    let is_offered = |one: &&str| top.iter().any(|known| known == one);
    let offered: Vec<&str> = wanted.iter().copied().filter(is_offered).collect();
    let full = candidates().find(|path| {
        missing(path, &offered).is_empty()
            // The groups above are taken as they are: only in its own is this process at home.
            || (*path == own && (enable(path, &offered) || move_aside(path) && enable(path, &offered)))
    });
    let Some(path) = full.or_else(|| candidates().next()) else {
        let refusal = writable(hierarchy, &own).err();
        return Err(refusal.unwrap_or_else(|| "no group may be made".to_owned()));
    };
    let left = missing(path, &offered);
    let state = |one: &&str| {
        if !offered.contains(one) {
            Err(format!("the host has no cgroup controller `{one}` here"))
        } else if left.contains(one) {
            Err(format!(
                "the cgroup controller `{one}` can't be given to groups below {}, because other processes are in it",
                path.display()
            ))
        } else {
            Ok(())
        }
    };
    let place = Place {
        version: Version::Two,
        path: path.to_owned(),
    };
    Ok((place, wanted.iter().map(state).collect()))
}

/// Why no group can be made below a folder.
fn writable(hierarchy: &Hierarchy, path: &Path) -> Result<(), String> {
    if hierarchy.read_only {
        return Err(format!(
            "{} is mounted read-only",
            hierarchy.mount_point.display()
        ));
    }
    let may = |path: &Path, flags| eaccess(path, flags).is_ok();
    if may(path, AccessFlags::W_OK | AccessFlags::X_OK) && may(&path.join("cgroup.procs"), AccessFlags::W_OK)
    {
        return Ok(());
    }
    Err(format!("{} isn't this user's to write to", path.display()))
}

/// Which of the controllers the groups below a folder don't have.
fn missing<'a>(path: &Path, wanted: &[&'a str]) -> Vec<&'a str> {
    let given = words(&path.join("cgroup.subtree_control"));
    let is_given = |one: &&&str| !given.iter().any(|known| known == **one);
    wanted.iter().filter(is_given).copied().collect()
}

/// Gives the groups below a folder the controllers.
fn enable(path: &Path, wanted: &[&str]) -> bool {
    let missing_now = missing(path, wanted);
    if missing_now.is_empty() {
        return true;
    }
    let order: Vec<String> = missing_now.iter().map(|one| format!("+{one}")).collect();
    fs::write(path.join("cgroup.subtree_control"), order.join(" ")).is_ok()
        && missing(path, wanted).is_empty()
}

fn words(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}
