//! Whether programs near their CPU limit are judged alike on an idle and on a busy machine.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use redraft_sandbox::Limits;

use crate::{python, told};

const PROGRAMS: usize = 300;
const BUSY_LOOPS: usize = 16;
const CPU: f64 = 0.2;

pub(crate) fn compare() -> bool {
    let idle = verdicts(2);
    let over = AtomicBool::new(false);
    let busy = std::thread::scope(|scope| {
        for _ in 0..BUSY_LOOPS {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let busy = verdicts(2);
        over.store(true, Ordering::Relaxed);
        busy
    });
    let wrong = |verdicts: &[&str]| {
        let expected = |index: usize| {
            if index.is_multiple_of(2) {
                "exited"
            } else {
                "cpu_timeout"
            }
        };
        (0..PROGRAMS)
            .filter(|&index| verdicts[index] != expected(index))
            .count()
    };
    let differ = idle.iter().zip(&busy).filter(|(idle, busy)| idle != busy).count();
    told(
        differ == 0 && wrong(&idle) == 0,
        &format!(
            "{PROGRAMS} programs that use half of their CPU limit or twice it, beside {BUSY_LOOPS} busy loops: {differ} other verdicts than idle; {} wrong idle, {} busy",
            wrong(&idle),
            wrong(&busy),
        ),
    )
}

/// The end of each program by name, by so many workers.
fn verdicts(workers: usize) -> Vec<&'static str> {
    let next = AtomicUsize::new(0);
    let mut all: Vec<(usize, &str)> = std::thread::scope(|scope| {
        let work = || {
            let mut mine = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= PROGRAMS {
                    return mine;
                }
                mine.push((index, verdict(index)));
            }
        };
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap())
            .collect()
    });
    all.sort_unstable();
    all.into_iter().map(|(_, end)| end).collect()
}

fn verdict(index: usize) -> &'static str {
    let share = if index.is_multiple_of(2) { 0.5 } else { 2.0 };
    let code = format!("import time\nwhile time.process_time() < {}: pass", share * CPU);
    let limits = Limits {
        cpu: Duration::from_secs_f64(CPU),
        wall: Duration::from_mins(2),
        ..Limits::default()
    };
    python(&code, limits).run().unwrap().end.name()
}
