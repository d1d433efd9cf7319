//! Names of what is made on the host: they tell whose it is, so that what a crash has left can be told from what is in use.

use std::fs;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use nix::unistd::getpid;

const PREFIX: &str = "redraft-";

/// A process, told apart from every other one that ever had or will have the same number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    /// Of this start of the machine.
    boot: String,
    /// The pid namespace in which the number counts.
    namespace: u64,
    pid: u32,
    /// When it began, in ticks since the machine did.
    start: u64,
}

/// Whether an owner can still use what is its.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    Alive,
    Dead,
    /// It lives or lived where we can't look.
    Unknown,
}

impl Owner {
    /// This process.
    pub(crate) fn current() -> Self {
        Self::with(getpid().as_raw().unsigned_abs(), None)
    }

    /// Another process, if it lives.
    #[cfg(test)]
    pub(crate) fn of_process(pid: u32) -> Option<Self> {
        start_of(pid).map(|start| Self::with(pid, Some(start)))
    }

    fn with(pid: u32, start: Option<u64>) -> Self {
        Self {
            boot: boot().to_owned(),
            namespace: namespace(),
            pid,
            start: start.or_else(|| start_of(pid)).unwrap_or(0),
        }
    }

    /// A name for one more thing of this owner.
    pub(crate) fn new_name(&self) -> String {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let Self {
            boot,
            namespace,
            pid,
            start,
        } = self;
        format!("{PREFIX}{boot}-{namespace}-{pid}-{start}-{count}")
    }

    /// Whose thing has this name; `None` when it is none of ours.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let mut parts = name.strip_prefix(PREFIX)?.split('-');
        let owner = Self {
            boot: parts.next()?.to_owned(),
            namespace: parts.next()?.parse().ok()?,
            pid: parts.next()?.parse().ok()?,
            start: parts.next()?.parse().ok()?,
        };
        parts.next()?.parse::<u64>().ok()?;
        parts.next().is_none().then_some(owner)
    }

    pub(crate) fn life(&self) -> Life {
        if self.boot != boot() {
            return Life::Dead;
        }
        if self.namespace != namespace() {
            return Life::Unknown;
        }
        match start_of(self.pid) {
            Some(start) if start == self.start => Life::Alive,
            _ => Life::Dead,
        }
    }
}

/// The beginning of the kernel's own name for this start of the machine; without its hyphens.
fn boot() -> &'static str {
    static BOOT: OnceLock<String> = OnceLock::new();
    BOOT.get_or_init(|| {
        let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        id.chars().filter(char::is_ascii_hexdigit).take(12).collect()
    })
}

fn namespace() -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    static NAMESPACE: OnceLock<u64> = OnceLock::new();
    *NAMESPACE.get_or_init(|| fs::metadata("/proc/self/ns/pid").map_or(0, |metadata| metadata.ino()))
}

/// When a process began; `None` when there is none, or only what is left of one.
fn start_of(pid: u32) -> Option<u64> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The name of the process is in brackets and may hold anything; field 3, the state, follows.
    let after_name = text.iter().rposition(|&byte| byte == b')')? + 2;
    let mut fields = text.get(after_name..)?.split(|&byte| byte == b' ');
    let state = fields.next()?;
    if state == b"Z" || state == b"X" {
        return None;
    }
    std::str::from_utf8(fields.nth(22 - 4)?).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_its_owner() {
        let owner = Owner::current();
        assert_ne!(owner.start, 0);
        let (one, other) = (owner.new_name(), owner.new_name());
        assert_ne!(one, other);
        assert_eq!(Owner::of(&one), Some(owner.clone()));
        assert_eq!(owner.life(), Life::Alive);
    }

    #[test]
    fn names_of_others_are_nobodys() {
        for name in [
            "",
            "redraft-",
            "redraft-abc-1-2",
            "user.slice",
            "redraft-abc-1-2-3-4-5",
            "redraft-abc-1-2-x-4",
        ] {
            assert_eq!(Owner::of(name), None, "{name}");
        }
    }

    #[test]
    fn a_number_used_again_is_somebody_else() {
        let mut owner = Owner::current();
        owner.start += 1;
        assert_eq!(owner.life(), Life::Dead);
        owner.namespace += 1;
        assert_eq!(owner.life(), Life::Unknown);
        owner.boot = "0".to_owned();
        assert_eq!(owner.life(), Life::Dead);
    }

    #[test]
    fn a_zombie_is_dead() {
        let mut child = std::process::Command::new("/bin/true").spawn().unwrap();
        let pid = child.id();
        while start_of(pid).is_some() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        child.wait().unwrap();
    }
}
