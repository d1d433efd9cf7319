use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use super::*;

/// Folders that look like mounted hierarchies, with the text that would tell of them.
struct Fake {
    folder: tempfile::TempDir,
    mountinfo: String,
}

impl Fake {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            mountinfo: String::new(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A hierarchy of version 1.
    fn one(mut self, controllers: &str, options: &str) -> Self {
        let path = self.path(controllers);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("cgroup.procs"), "").unwrap();
        let _ = writeln!(
            self.mountinfo,
            "9 9 0:1 / {} {options} - cgroup cgroup rw,{controllers}",
            path.display()
        );
        self
    }

    /// The hierarchy of version 2.
    fn two(mut self, options: &str) -> Self {
        self = self.two_group("", "cpu memory pids", "");
        let path = self.path("unified");
        let _ = writeln!(
            self.mountinfo,
            "9 9 0:1 / {} {options} - cgroup2 cgroup2 rw",
            path.display()
        );
        self
    }

    /// A group of version 2 with what it has and what it gives.
    fn two_group(self, name: &str, has: &str, gives: &str) -> Self {
        let path = self.path("unified").join(name);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("cgroup.procs"), "").unwrap();
        fs::write(path.join("cgroup.controllers"), has).unwrap();
        fs::write(path.join("cgroup.subtree_control"), gives).unwrap();
        self
    }

    fn host(&self, membership: &str) -> Host {
        Host::detect(&self.mountinfo, membership, &|_| false)
    }

    /// Where each part is, below the folder, or why not.
    fn told(&self, host: &Host) -> [String; 4] {
        [&host.memory, &host.processes, &host.cpu, &host.unified].map(|place| match place {
            Ok(place) => place
                .path
                .strip_prefix(self.folder.path())
                .unwrap()
                .display()
                .to_string(),
            Err(reason) => reason.replace(&self.folder.path().display().to_string(), ""),
        })
    }
}

#[test]
fn a_host_without_any_says_so() {
    let fake = Fake::new();
    let host = fake.host("");
    assert_eq!(host.mode(), Mode::None);
    assert_eq!(fake.told(&host), ["the host has no cgroup version 2"; 4]);
    assert!(host.group(GroupLimits::default()).unwrap().is_none());
}

#[test]
fn version_one_has_a_place_for_each_controller() {
    let fake = Fake::new()
        .one("memory", "rw")
        .one("pids", "rw,relatime")
        .one("cpu,cpuacct", "rw")
        .one("name=systemd", "rw");
    let host = fake.host("3:memory:/\n2:pids:/\n1:cpu,cpuacct:/\n");
    assert_eq!(host.mode(), Mode::V1);
    assert_eq!(
        fake.told(&host),
        [
            "memory",
            "pids",
            "cpu,cpuacct",
            "the host has no cgroup version 2"
        ]
    );
    assert!(host.can_limit());
}

#[test]
fn version_two_has_one_place_for_all() {
    let fake = Fake::new()
        .two("rw")
        .two_group("a/b", "cpu memory pids", "memory pids");
    let host = fake.host("0::/a/b\n");
    assert_eq!(host.mode(), Mode::V2);
    assert_eq!(fake.told(&host), ["unified/a/b"; 4]);
}

#[test]
fn the_hybrid_takes_controllers_from_the_one_and_the_rest_from_the_other() {
    let fake = Fake::new()
        .one("memory", "rw")
        .one("pids", "rw")
        .one("cpuacct", "rw")
        .two("rw")
        .two_group("", "hugetlb", "");
    let host = fake.host("3:memory:/\n0::/\n");
    assert_eq!(host.mode(), Mode::Hybrid);
    assert_eq!(fake.told(&host), ["memory", "pids", "unified", "unified"]);
}

#[test]
fn systemds_own_hierarchy_makes_no_hybrid() {
    let fake = Fake::new()
        .one("name=systemd", "rw")
        .two("rw")
        .two_group("", "memory pids", "memory pids");
    assert_eq!(fake.host("0::/\n").mode(), Mode::V2);
}

#[test]
fn a_read_only_mount_is_told() {
    let fake = Fake::new().one("memory", "ro").one("pids", "ro").two("ro,nosuid");
    let host = fake.host("3:memory:/\n0::/\n");
    assert_eq!(host.mode(), Mode::Hybrid);
    let told = fake.told(&host);
    assert_eq!(told[0], "/memory is mounted read-only");
    assert_eq!(told[3], "/unified is mounted read-only");
    assert!(!host.can_limit());
}

#[test]
fn a_controller_that_is_not_given_is_looked_for_above() {
    // As a service manager leaves it: processes in the leaf, controllers given by the groups above.
    let fake = Fake::new()
        .two("rw")
        .two_group("app", "memory pids", "memory pids")
        .two_group("app/scope", "memory pids", "");
    // Writing to it isn't refused as a kernel would, but has no effect that shows.
    let leaf = fake.path("unified/app/scope/cgroup.subtree_control");
    fs::remove_file(&leaf).unwrap();
    fs::create_dir(&leaf).unwrap();
    let host = fake.host("0::/app/scope\n");
    assert_eq!(fake.told(&host), ["unified/app"; 4]);
}

#[test]
fn one_that_cannot_be_given_is_told_and_the_rest_is_used() {
    let fake = Fake::new().two("rw").two_group("", "memory pids", "pids");
    let control = fake.path("unified/cgroup.subtree_control");
    fs::remove_file(&control).unwrap();
    fs::create_dir(&control).unwrap();
    let told = fake.told(&fake.host("0::/\n"));
    assert!(told[0].contains("`memory` can't be given"), "{told:?}");
    assert_eq!(told[3], "unified");
}

#[test]
fn moving_aside_is_tried_only_where_it_helps() {
    let fake = Fake::new().two("rw").two_group("own", "memory pids", "");
    let control = fake.path("unified/own/cgroup.subtree_control");
    fs::remove_file(&control).unwrap();
    let moved = std::cell::Cell::new(0);
    let move_aside = |path: &Path| {
        assert!(path.ends_with("own"));
        moved.set(moved.get() + 1);
        fs::write(&control, "memory pids").is_ok()
    };
    let host = Host::detect(&fake.mountinfo, "0::/own\n", &move_aside);
    assert_eq!((fake.told(&host)[0].as_str(), moved.get()), ("unified/own", 1));
    Host::detect(&fake.mountinfo, "0::/own\n", &move_aside);
    assert_eq!(moved.get(), 1);
}

#[test]
fn what_does_not_work_when_tried_is_left_out() {
    // Folders that are made here don't get the files that a kernel would put into them.
    let fake = Fake::new().one("memory", "rw").one("pids", "rw").two("rw");
    let host = fake.host("0::/\n").tried();
    assert!(
        host.parts().iter().all(|(_, state)| state.is_err()),
        "{:?}",
        host.parts()
    );
    assert_eq!(
        fs::read_dir(fake.path("memory")).unwrap().count(),
        1,
        "the trial is removed"
    );
}

/// The group of this host, or a word on why there is none.
fn real() -> Option<&'static Host> {
    let host = host();
    if host.can_limit() && host.unified.is_ok() {
        return Some(host);
    }
    println!("skipped, because groups can't be had: {:?}", host.parts());
    None
}

/// A program that begins in the group.
fn python(group: &Group, code: &str) -> std::process::Child {
    let mut child = std::process::Command::new("/bin/sh")
        .args(["-c", "read go && exec /usr/bin/python3 -c \"$0\"", code])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    group.add(child.id()).unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"go\n").unwrap();
    child
}

fn metered(host: &Host, group: &Group, limits: GroupLimits) -> Meter {
    let meter = host.meter(group.name().unwrap()).unwrap();
    meter.begin(limits).unwrap();
    meter
}

#[test]
fn a_real_group_counts_limits_kills_and_goes() {
    let Some(host) = real() else { return };
    let limits = GroupLimits {
        memory: Some(64 << 20),
        processes: Some(5),
    };
    let group = host.group(limits).unwrap().unwrap();
    let meter = metered(host, &group, limits);
    let hungry = python(&group, "x = bytearray(200 << 20)").wait().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&hungry), Some(9));
    let counted = meter.end();
    assert_eq!(counted.oom_kills, Some(1), "{counted:?}");
    assert!(
        counted.memory_peak.unwrap() > 60 << 20 && counted.memory_peak.unwrap() <= 64 << 20,
        "{counted:?}"
    );
    assert_eq!(counted.forks_denied, Some(0), "{counted:?}");

    let forks = "import os, time
n = 0
try:
    while True:
        if os.fork() == 0: os.setsid(); time.sleep(600)
        n += 1
except BlockingIOError: os._exit(n)";
    let forked = python(&group, forks).wait().unwrap();
    assert_eq!(forked.code(), Some(4));
    let counted = meter.end();
    assert_eq!(counted.forks_denied, Some(1), "{counted:?}");
    assert!(counted.processes_peak.is_none_or(|peak| peak == 5), "{counted:?}");

    // Those with a session of their own are in it as well.
    group.kill();
    group.remove().unwrap();
    for place in host.places() {
        let own = owner().new_name();
        let own = own.rsplit_once('-').unwrap().0.to_owned();
        let left = fs::read_dir(&place.path)
            .unwrap()
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(&own));
        assert!(left.count() <= 1, "{place:?}");
    }
}

#[test]
fn a_group_counts_the_time_of_those_that_nobody_waits_for() {
    let Some(host) = real() else { return };
    let group = host.group(GroupLimits::default()).unwrap().unwrap();
    let meter = metered(host, &group, GroupLimits::default());
    let code = "import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while time.process_time() < 0.2: pass
    os._exit(0)
os.wait(); time.sleep(0.1)";
    python(&group, code).wait().unwrap();
    let begin = std::time::Instant::now();
    while meter.end().cpu.unwrap() < Duration::from_millis(200) {
        assert!(begin.elapsed() < Duration::from_mins(1), "{:?}", meter.end());
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn limits_of_a_group_can_be_changed_and_taken_away() {
    let Some(host) = real() else { return };
    let limits = |memory| GroupLimits {
        memory,
        processes: memory,
    };
    let group = host.group(limits(Some(8 << 20))).unwrap().unwrap();
    group.limit(limits(Some(64 << 20))).unwrap();
    group.limit(limits(Some(16 << 20))).unwrap();
    group.limit(limits(None)).unwrap();
    assert!(
        python(&group, "x = bytearray(100 << 20)")
            .wait()
            .unwrap()
            .success()
    );
}

fn sweep_all(places: &[Place]) {
    for place in places {
        sweep(place.version, &place.path);
    }
}

#[test]
fn what_a_dead_harness_left_is_ended_and_removed() {
    let Some(host) = real() else { return };
    let mut harness = std::process::Command::new("/bin/sleep")
        .arg("600")
        .spawn()
        .unwrap();
    let name = Owner::of_process(harness.id()).unwrap().new_name();
    let places = host.places();
    for place in &places {
        Folder::make(place.version, &place.path, &name).unwrap();
    }
    let mut left = std::process::Command::new("/bin/sleep")
        .arg("600")
        .spawn()
        .unwrap();
    for place in &places {
        fs::write(place.path.join(&name).join("cgroup.procs"), left.id().to_string()).unwrap();
    }
    sweep_all(&places);
    assert!(
        places.iter().all(|place| place.path.join(&name).is_dir()),
        "its owner lives"
    );
    harness.kill().unwrap();
    harness.wait().unwrap();
    let reaper = std::thread::spawn(move || left.wait().unwrap());
    sweep_all(&places);
    assert!(places.iter().all(|place| !place.path.join(&name).exists()));
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&reaper.join().unwrap()),
        Some(9)
    );
}
