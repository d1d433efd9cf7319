//! What a journal already holds, looked up by the loop so that nothing finished is done again.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Mutex;

use super::Event;
use crate::model::ChatReply;
use crate::task::Report;

type AttemptId = (String, usize);

/// The events of an earlier, interrupted run.
///
/// A loop that is resumed runs again from its beginning: its model calls and reports are answered from here as
/// long as they are the same ones, and only then for real.
#[derive(Debug, Default)]
pub struct Past {
    events: Vec<Event>,
    replies: Mutex<HashMap<(AttemptId, String), VecDeque<ChatReply>>>,
    versions: HashSet<(AttemptId, usize)>,
    reports: HashMap<(AttemptId, usize), Option<Report>>,
    choices: HashSet<AttemptId>,
    finished: HashSet<AttemptId>,
}

impl Past {
    pub(super) fn new(events: Vec<Event>) -> Self {
        let mut past = Self::default();
        let mut replies: HashMap<(AttemptId, String), VecDeque<ChatReply>> = HashMap::new();
        for event in &events {
            let (task, sample) = event.attempt();
            let id = (task.to_owned(), sample);
            match event {
                Event::Exchange { key, reply, .. } => {
                    replies
                        .entry((id, key.clone()))
                        .or_default()
                        .push_back(reply.clone());
                }
                Event::Version { number, .. } => {
                    past.versions.insert((id, *number));
                }
                Event::Report { number, report, .. } => {
                    past.reports.insert((id, *number), report.clone());
                }
                Event::Choice { .. } => {
                    past.choices.insert(id);
                }
                Event::Hidden { .. } => {
                    past.finished.insert(id);
                }
                Event::Failed { .. } => {}
            }
        }
        past.replies = Mutex::new(replies);
        past.events = events;
        past
    }

    /// All events, in order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The reply to a request of this attempt; each is given out once, in order.
    pub fn take_reply(&self, task: &str, sample: usize, key: &str) -> Option<ChatReply> {
        let mut replies = self
            .replies
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        replies
            .get_mut(&((task.to_owned(), sample), key.to_owned()))?
            .pop_front()
    }

    /// Whether the version was already written down.
    pub fn has_version(&self, task: &str, sample: usize, number: usize) -> bool {
        self.versions.contains(&((task.to_owned(), sample), number))
    }

    /// The version's report, if it was already examined.
    pub fn report(&self, task: &str, sample: usize, number: usize) -> Option<&Option<Report>> {
        self.reports.get(&((task.to_owned(), sample), number))
    }

    /// Whether the loop was over.
    pub fn has_choice(&self, task: &str, sample: usize) -> bool {
        self.choices.contains(&(task.to_owned(), sample))
    }

    /// Whether the attempt was carried through to its hidden tests.
    pub fn is_finished(&self, task: &str, sample: usize) -> bool {
        self.finished.contains(&(task.to_owned(), sample))
    }
}
