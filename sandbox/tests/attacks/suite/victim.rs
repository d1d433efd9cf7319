//! A process of the host that nobody inside has any business with.

use std::fs;
use std::process::{Child, Command, Stdio};

/// A sleeping process of our own user with a secret in its environment.
#[derive(Debug)]
pub(crate) struct Victim {
    process: Child,
    before: Option<State>,
}

/// What somebody else could have changed about it.
#[derive(Debug, PartialEq, Eq)]
struct State {
    nice: String,
    cores: String,
    limits: String,
}

impl Victim {
    pub(crate) fn start(secret: &str) -> Self {
        let process = Command::new("/usr/bin/sleep")
            .arg("600")
            .env("VICTIMS_SECRET", secret)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let before = state(process.id());
        Self { process, before }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// What has been done to it.
    pub(crate) fn harm(&self) -> Option<String> {
        let pid = self.pid();
        match stat(pid)
            .as_deref()
            .and_then(|fields| fields.first())
            .map(String::as_str)
        {
            None | Some("Z" | "X") => return Some("a process of the host was ended".to_owned()),
            Some("T" | "t") => return Some("a process of the host was stopped".to_owned()),
            Some(_) => {}
        }
        let now = state(pid);
        (now != self.before).then(|| {
            format!(
                "a process of the host was changed: {:?}, now {now:?}",
                self.before
            )
        })
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The fields of `/proc/PID/stat` from the state on.
fn stat(pid: u32) -> Option<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = text.rsplit_once(')')?;
    Some(rest.split_whitespace().map(str::to_owned).collect())
}

fn state(pid: u32) -> Option<State> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let cores = status.lines().find(|line| line.starts_with("Cpus_allowed:"))?;
    Some(State {
        nice: stat(pid)?.get(16)?.clone(),
        cores: cores.to_owned(),
        limits: fs::read_to_string(format!("/proc/{pid}/limits")).ok()?,
    })
}

/// Whether a process is stopped.
pub(crate) fn is_stopped(pid: u32) -> bool {
    stat(pid).is_some_and(|fields| fields.first().is_some_and(|state| state == "T"))
}

/// Whether a process is there and has not ended.
pub(crate) fn is_alive(pid: u32) -> bool {
    stat(pid).is_some_and(|fields| fields.first().is_some_and(|state| state != "Z" && state != "X"))
}
