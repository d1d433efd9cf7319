//! How far a bench is: a bar on a terminal, a line now and then elsewhere. Made from events alone.

use std::fmt::Write as _;
use std::sync::Mutex;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output;
use crate::journal::Event;

/// Lines printed over a whole run where stderr is no terminal.
const LINES: usize = 10;

#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    total: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    done: usize,
    passed: usize,
    failed: usize,
    calls: usize,
}

impl Progress {
    pub(crate) fn new(total: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len}  {msg}  {elapsed}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(std::time::Duration::from_millis(500));
        Self {
            bar,
            total,
            state: Mutex::default(),
        }
    }

    /// Attempts that an earlier, interrupted run has done.
    pub(crate) fn already(&self, done: usize) {
        self.state
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .done = done;
        self.bar.set_position(done as u64);
        self.bar.reset_eta();
    }

    /// Called with each new event.
    pub(crate) fn note(&self, event: &Event) {
        let mut state = self
            .state
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        match event {
            Event::Exchange { .. } => state.calls += 1,
            Event::Hidden { reports, .. } => {
                state.done += 1;
                // The last one is the returned version: versions are chosen in rising order of quality.
                state.passed += usize::from(
                    reports
                        .last()
                        .is_some_and(|hidden| hidden.report.verdict.passed()),
                );
            }
            Event::Failed { .. } => {
                state.done += 1;
                state.failed += 1;
            }
            _ => return,
        }
        let mut message = format!("{} passed, {} model calls", state.passed, state.calls);
        if state.failed > 0 {
            let _ = write!(message, ", {} not carried through", state.failed);
        }
        let (done, total) = (state.done, self.total);
        drop(state);
        self.bar.set_position(done as u64);
        let step = total.div_ceil(LINES).max(1);
        if self.bar.is_hidden()
            && !matches!(event, Event::Exchange { .. })
            && (done % step == 0 || done == total)
        {
            output::talk(&format!("{done}/{total}  {message}"));
        }
        self.bar.set_message(message);
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
