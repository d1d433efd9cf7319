//! The processes that come from another one, found in the host's `/proc`.

use std::collections::HashMap;
use std::fs;

use nix::libc;

/// All processes that come from this one, parents before their children. Some may be missing that are being made or
/// are ending right now.
pub(crate) fn below(root: u32) -> Vec<u32> {
    let mut all = vec![root];
    let mut next = 0;
    while let Some(&pid) = all.get(next) {
        match children(pid) {
            Some(children) => all.extend(children),
            None => return below_by_parents(root),
        }
        next += 1;
    }
    all.swap_remove(0);
    all
}

/// The children of a process; `None` when the kernel doesn't tell them like this.
fn children(pid: u32) -> Option<Vec<u32>> {
    let mut found = Vec::new();
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return Some(found);
    };
    for thread in threads.flatten() {
        match fs::read_to_string(thread.path().join("children")) {
            Ok(text) => found.extend(text.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok())),
            // The thread has ended, or the kernel was built without it.
            Err(_)
                if fs::exists("/proc/self/task/self/children").unwrap_or(false) || has_children_files() => {}
            Err(_) => return None,
        }
    }
    Some(found)
}

fn has_children_files() -> bool {
    let pid = std::process::id();
    fs::exists(format!("/proc/{pid}/task/{pid}/children")).unwrap_or(false)
}

/// The same, by asking each process of the host for its parent.
fn below_by_parents(root: u32) -> Vec<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let pid = entry.file_name().to_str().and_then(|name| name.parse().ok());
        let parent = pid.and_then(parent);
        if let (Some(pid), Some(parent)) = (pid, parent) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut all = vec![root];
    let mut next = 0;
    while let Some(pid) = all.get(next) {
        all.extend(children.remove(pid).unwrap_or_default());
        next += 1;
    }
    all.swap_remove(0);
    all
}

fn parent(pid: u32) -> Option<u32> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The name of the process is in brackets and may hold anything; the state follows, then the parent.
    let after_name = text.iter().rposition(|&byte| byte == b')')? + 2;
    let mut fields = text.get(after_name..)?.split(|&byte| byte == b' ');
    std::str::from_utf8(fields.nth(1)?).ok()?.parse().ok()
}

/// Kills all that come from this process. Who is being made meanwhile may be left, so it has to be called until nobody is.
pub(crate) fn kill_below(root: u32) {
    for pid in below(root) {
        let Ok(pid) = libc::pid_t::try_from(pid) else {
            continue;
        };
        let none = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        // SAFETY: the structure outlives the call; nothing is written. What it has made before that is found in the
        // next round.
        unsafe {
            libc::prlimit(pid, libc::RLIMIT_NPROC, &raw const none, std::ptr::null_mut());
            libc::kill(pid, libc::SIGKILL);
        }
    }
}

/// How many tasks the user of this process has on the host.
pub(super) fn tasks_of_user() -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    let own = nix::unistd::getuid().as_raw();
    let mut count = 0;
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let is_process = entry
            .file_name()
            .to_str()
            .is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
        if is_process && entry.metadata().is_ok_and(|metadata| metadata.uid() == own) {
            count += fs::read_dir(entry.path().join("task")).map_or(1, |tasks| tasks.count() as u64);
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_and_theirs_are_found_by_either_way() {
        let mut child = std::process::Command::new("/bin/sh")
            .args(["-c", "sleep 600 & sleep 600 & wait"])
            .spawn()
            .unwrap();
        let begin = std::time::Instant::now();
        while below(child.id()).len() < 2 {
            assert!(begin.elapsed().as_secs() < 60);
            std::thread::yield_now();
        }
        let (mut one, mut other) = (below(child.id()), below_by_parents(child.id()));
        one.sort_unstable();
        other.sort_unstable();
        assert_eq!(one, other);
        assert!(below_by_parents(std::process::id()).len() >= 3);
        kill_below(child.id());
        child.wait().unwrap();
    }

    #[test]
    fn this_user_has_tasks() {
        assert!(tasks_of_user() >= 1);
    }
}
