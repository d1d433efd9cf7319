//! How busy the machine is, and what that took from a run.

use std::fs;
use std::time::Duration;

use super::proc_text::ticks;
use crate::Contention;

/// What the machine has counted since it started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Machine {
    /// CPU time of everybody, on all processors.
    busy: Duration,
    /// What its own host took from it.
    stolen: Option<Duration>,
    /// For how long somebody was waiting for a processor.
    pressure: Option<Duration>,
}

/// A run that waited for more than this part of its time was kept from it.
const STARVED: u32 = 4;

impl Machine {
    pub(super) fn look() -> Self {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        Self::parse(&read("/proc/stat"), &read("/proc/pressure/cpu"))
    }

    fn parse(stat: &str, pressure: &str) -> Self {
        let line = stat.lines().next().unwrap_or_default();
        let fields: Vec<u64> = line
            .split_whitespace()
            .skip(1)
            .map_while(|field| field.parse().ok())
            .collect();
        // user, nice, system, idle, iowait, irq, softirq, steal
        let field = |index: usize| fields.get(index).copied();
        let busy: u64 = [0, 1, 2, 5, 6].into_iter().filter_map(field).sum();
        let some = pressure.lines().find_map(|line| line.strip_prefix("some "));
        let total = some.and_then(|line| {
            line.split_whitespace()
                .find_map(|part| part.strip_prefix("total="))
        });
        Self {
            busy: ticks(busy),
            stolen: field(7).map(ticks),
            pressure: total
                .and_then(|total| total.parse().ok())
                .map(Duration::from_micros),
        }
    }

    /// For how long all processors together were away from a tree that itself used `own` since `self` was looked at.
    pub(super) fn taken_by_others(&self, now: &Self, own: Duration) -> Duration {
        let stolen = now
            .stolen
            .unwrap_or_default()
            .saturating_sub(self.stolen.unwrap_or_default());
        let others = now.busy.saturating_sub(self.busy).saturating_sub(own) + stolen;
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
        others / u32::try_from(processors).unwrap_or(u32::MAX)
    }

    /// Whether a run that lasted for `wall`, and for `waited` of it could have used a processor, was kept from it.
    pub(super) fn contention(before: Option<Self>, waited: Duration, wall: Duration) -> Option<Contention> {
        if waited <= wall / STARVED {
            return None;
        }
        let before = before?;
        let now = Self::look();
        let since = |now: Option<Duration>, before: Option<Duration>| Some(now?.saturating_sub(before?));
        Some(Contention {
            waited,
            pressure: since(now.pressure, before.pressure),
            stolen: since(now.stolen, before.stolen),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_s_words_are_understood() {
        let stat = "cpu  10 20 30 1000 7 1 2 40 0 0\ncpu0 1 2 3\n";
        let pressure = "some avg10=1.00 avg60=0.50 avg300=0.10 total=123456\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";
        let want = Machine {
            busy: ticks(63),
            stolen: Some(ticks(40)),
            pressure: Some(Duration::from_micros(123_456)),
        };
        assert_eq!(Machine::parse(stat, pressure), want);
        assert_eq!(Machine::parse("", ""), Machine::default());
    }

    #[test]
    fn what_the_run_itself_used_is_not_taken_by_others() {
        let now = Machine {
            busy: Duration::from_secs(10),
            ..Machine::default()
        };
        let none = Machine::default().taken_by_others(&now, Duration::from_secs(10));
        assert_eq!(none, Duration::ZERO);
        assert!(Machine::default().taken_by_others(&now, Duration::ZERO) > Duration::ZERO);
    }
}
