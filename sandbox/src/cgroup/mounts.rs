//! Where cgroups are mounted, and where in them this process is.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

/// The two interfaces of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    One,
    Two,
}

/// One mounted hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hierarchy {
    pub(super) version: Version,
    /// Of version 1: its controllers, and `name=…` where it has a name.
    pub(super) controllers: Vec<String>,
    pub(super) mount_point: PathBuf,
    /// Which group the mount point shows.
    root: PathBuf,
    pub(super) read_only: bool,
}

impl Hierarchy {
    /// Reads one line of `/proc/self/mountinfo`; `None` when it is about something else.
    fn parse(line: &str) -> Option<Self> {
        let (mount, file_system) = line.split_once(" - ")?;
        let mut mount = mount.split(' ').skip(3);
        let (root, mount_point, options) = (mount.next()?, mount.next()?, mount.next()?);
        let mut file_system = file_system.split(' ');
        let (kind, _, more_options) = (file_system.next()?, file_system.next()?, file_system.next()?);
        let version = match kind {
            "cgroup" => Version::One,
            "cgroup2" => Version::Two,
            _ => return None,
        };
        let is_read_only = |options: &str| options.split(',').any(|option| option == "ro");
        let controllers = if version == Version::One {
            more_options.split(',').map(str::to_owned).collect()
        } else {
            Vec::new()
        };
        Some(Self {
            version,
            controllers,
            mount_point: unescape(mount_point),
            root: unescape(root),
            read_only: is_read_only(options) || is_read_only(more_options),
        })
    }

    /// All of them. What is mounted later at the same place hides what was there.
    pub(super) fn all(mountinfo: &str) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for line in mountinfo.lines() {
            if let Some(found) = Self::parse(line) {
                all.retain(|known| known.mount_point != found.mount_point);
                all.push(found);
            }
        }
        all
    }

    /// The folder of the group that this process is in, by the text of `/proc/self/cgroup`. Where the mount doesn't show
    /// that group, the topmost that it shows.
    pub(super) fn own_folder(&self, membership: &str) -> PathBuf {
        let line = membership.lines().find_map(|line| {
            let (_, rest) = line.split_once(':')?;
            let (controllers, path) = rest.split_once(':')?;
            let mine = match self.version {
                Version::Two => controllers.is_empty(),
                Version::One => controllers
                    .split(',')
                    .any(|one| !one.is_empty() && self.controllers.iter().any(|known| known == one)),
            };
            mine.then_some(path)
        });
        let below = line
            .and_then(|path| Path::new(path).strip_prefix(&self.root).ok())
            .filter(|below| !below.iter().any(|part| part == ".."));
        let below = below.filter(|below| !below.as_os_str().is_empty());
        let own = below.map(|below| self.mount_point.join(below));
        own.filter(|own| own.is_dir())
            .unwrap_or_else(|| self.mount_point.clone())
    }
}

/// Spaces and such are written as `\` and three octal digits.
fn unescape(text: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| first == b'\\');
        let octal = digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        bytes.push(octal.unwrap_or(first));
        rest = if octal.is_some() { &after[3..] } else { after };
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HYBRID: &str = "\
22 27 0:21 / /proc rw,relatime - proc proc rw
32 31 0:29 / /cg/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 /docker/x /cg/memory ro,relatime - cgroup cgroup rw,memory
40 31 0:37 / /cg/sys\\040temd rw,relatime - cgroup cgroup rw,name=systemd
41 31 0:38 / /cg/unified rw,relatime shared:1 master:2 - cgroup2 cgroup2 rw,nsdelegate
";

    #[test]
    fn each_hierarchy_is_found_with_what_it_is() {
        let all = Hierarchy::all(HYBRID);
        let told: Vec<_> = all
            .iter()
            .map(|one| (one.version, one.mount_point.to_str().unwrap(), one.read_only))
            .collect();
        let want = [
            (Version::One, "/cg/cpu,cpuacct", false),
            (Version::One, "/cg/memory", true),
            (Version::One, "/cg/sys temd", false),
            (Version::Two, "/cg/unified", false),
        ];
        assert_eq!(told, want);
        assert_eq!(all[0].controllers, ["rw", "cpu", "cpuacct"]);
    }

    #[test]
    fn the_later_mount_hides_the_earlier() {
        let text = format!("{HYBRID}50 31 0:50 / /cg/unified ro - cgroup2 cgroup2 rw\n");
        let all = Hierarchy::all(&text);
        assert_eq!(all.len(), 4);
        assert!(all[3].read_only);
    }

    #[test]
    fn the_own_group_is_looked_for_below_what_is_mounted() {
        let folder = tempfile::tempdir().unwrap();
        let mount = |root: &str| Hierarchy {
            version: Version::One,
            controllers: vec!["memory".to_owned()],
            mount_point: folder.path().to_owned(),
            root: PathBuf::from(root),
            read_only: false,
        };
        std::fs::create_dir_all(folder.path().join("a:b/c")).unwrap();
        let membership = "4:memory:/a:b/c\n2:cpu,cpuacct:/x\n0::/y\n";
        assert_eq!(mount("/").own_folder(membership), folder.path().join("a:b/c"));
        // A container is shown its own group as the root.
        assert_eq!(mount("/a:b/c").own_folder(membership), folder.path());
        // Out of sight, gone, or above what a cgroup namespace shows.
        assert_eq!(mount("/other").own_folder(membership), folder.path());
        assert_eq!(mount("/").own_folder("4:memory:/gone\n"), folder.path());
        assert_eq!(mount("/").own_folder("4:memory:/../..\n"), folder.path());
        assert_eq!(mount("/").own_folder(""), folder.path());
        let unified = Hierarchy {
            version: Version::Two,
            ..mount("/")
        };
        std::fs::create_dir(folder.path().join("y")).unwrap();
        assert_eq!(unified.own_folder(membership), folder.path().join("y"));
    }
}
