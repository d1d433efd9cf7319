//! The harness is killed: whatever ran for it goes too, and nothing is left anywhere.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::{another_harness, eventually};
use crate::suite::bait::processes_with;

/// A harness that runs hostile programs until it is ended, and has begun to.
fn hostile(marker: &str) -> Child {
    let mut harness = another_harness(&[], &format!("hostile-for-ever {marker}"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let stdout = BufReader::new(harness.stdout.take().unwrap());
    assert!(stdout.lines().any(|line| line.unwrap().contains("ready")));
    harness
}

/// What must be as before when all is over.
fn traces() -> (String, Vec<String>) {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    let mut cgroups: Vec<String> = mounts
        .lines()
        .filter_map(|line| {
            let (mount, kind) = line.split_once(" - ")?;
            let is_cgroup = kind.starts_with("cgroup");
            is_cgroup
                .then(|| mount.split(' ').nth(4))
                .flatten()
                .map(str::to_owned)
        })
        .collect();
    cgroups.sort();
    (mounts, cgroups)
}

/// google/nsjail#152, snekbox#95 and #96, E2B#1034: what ran outlives the one that ran it.
#[test]
fn killed_at_any_moment_it_leaves_nothing() {
    let before = traces();
    for number in 0..6_u64 {
        let marker = format!("killed-harness-{}-{number}.", std::process::id());
        let mut harness = hostile(&marker);
        // Spread over the phases of a run: setting up, running, ending.
        std::thread::sleep(Duration::from_micros(1_700 * number * number + 500 * number));
        harness.kill().unwrap();
        harness.wait().unwrap();
        eventually("nothing of it runs", || processes_with(&marker).is_empty());
    }
    assert_eq!(traces(), before);
}

/// bubblewrap#726: a Ctrl-C at the harness doesn't reach what runs for it.
#[test]
fn interrupted_politely_it_leaves_nothing() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT] {
        let marker = format!("interrupted-harness-{}-{signal}.", std::process::id());
        let mut harness = hostile(&marker);
        eventually("its programs run", || processes_with(&marker).len() > 3);
        kill(Pid::from_raw(harness.id().cast_signed()), signal).unwrap();
        harness.wait().unwrap();
        eventually("nothing of it runs", || processes_with(&marker).is_empty());
    }
}
