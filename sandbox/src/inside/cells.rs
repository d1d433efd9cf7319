//! The cells of a launcher: which processes they are, their control groups, and clearing away after them.

use nix::libc;
use nix::poll::PollTimeout;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::calls;
use crate::cgroup::{Group, GroupLimits, host};

/// All that live, and what is left of those that don't.
#[derive(Debug, Default)]
pub(super) struct Cells {
    count: u32,
    alive: Vec<(libc::pid_t, Option<Group>)>,
    /// Those without namespaces. They end by themselves when the harness lets go of them or is gone, and not before all that
    /// they keep has ended.
    keepers: Vec<libc::pid_t>,
    /// Groups of cells that have ended, for as long as the kernel isn't done with them.
    left: Vec<Group>,
}

/// How often to look whether groups can be removed, in milliseconds.
const PATIENCE: u16 = 5;

impl Cells {
    /// Notes a new one and gives its number.
    pub(super) fn add(&mut self, init: libc::pid_t) -> u32 {
        self.alive.push((init, None));
        self.next_number()
    }

    /// The number of the next one.
    pub(super) fn next_number(&mut self) -> u32 {
        self.count = self.count.wrapping_add(1);
        self.count
    }

    /// Notes one without namespaces.
    pub(super) fn add_keeper(&mut self, keeper: libc::pid_t) {
        self.keepers.push(keeper);
    }

    /// Makes a group and puts a cell into it. Gives its name, or after a colon why there is none.
    pub(super) fn give_group(&mut self, init: libc::pid_t) -> String {
        // More than there is: with a limit there is no swap. The harness sets that of each run.
        let limits = GroupLimits {
            memory: Some(1 << 46),
            processes: None,
        };
        let made = host().group(limits).and_then(|group| {
            if let Some(group) = &group {
                group.add(init.unsigned_abs())?;
            }
            Ok(group)
        });
        match made {
            Ok(None) => ":there is none on this host".to_owned(),
            Err(error) => format!(":{error}"),
            Ok(Some(group)) => {
                let name = group.name().unwrap_or_default().to_owned();
                if let Some((_, place)) = self.alive.iter_mut().find(|(pid, _)| *pid == init) {
                    *place = Some(group);
                }
                name
            }
        }
    }

    /// Reaps those that have ended and removes their groups.
    pub(super) fn clear_away(&mut self) {
        while let Some((pid, ..)) = calls::reap(libc::WNOHANG) {
            self.keepers.retain(|keeper| *keeper != pid);
            if let Some(index) = self.alive.iter().position(|(init, _)| *init == pid) {
                self.left.extend(self.alive.swap_remove(index).1);
            }
        }
        self.left.retain(|group| !group.try_remove());
    }

    /// For how long there is nothing to do but to wait for orders.
    pub(super) fn patience(&self) -> PollTimeout {
        if self.left.is_empty() {
            PollTimeout::NONE
        } else {
            PollTimeout::from(PATIENCE)
        }
    }

    /// Ends all and leaves nothing of them.
    pub(super) fn end_all(&mut self) {
        for (pid, _) in &self.alive {
            let _ = kill(Pid::from_raw(*pid), Signal::SIGKILL);
        }
        while let Some((pid, ..)) = calls::reap(0) {
            if let Some(index) = self.alive.iter().position(|(init, _)| *init == pid) {
                self.left.extend(self.alive.swap_remove(index).1);
            }
        }
        for group in self.left.drain(..) {
            let _ = group.remove();
        }
    }
}
