//! What a journal already holds, looked up by the loop so that nothing finished is done again.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Mutex;

use super::Event;
use crate::model::ChatReply;
use crate::task::{Findings, ToolUse};

type AttemptId = (String, usize);

/// The events of an earlier, interrupted run.
///
/// A loop that is resumed runs again from its beginning: its model calls and reports are answered from here as
/// long as they are the same ones, and only then for real.
#[derive(Debug, Default)]
pub struct Past {
    events: Vec<Event>,
    replies: Mutex<HashMap<(AttemptId, String), VecDeque<ChatReply>>>,
    tools: Mutex<HashMap<(AttemptId, String), VecDeque<ToolUse>>>,
    versions: HashSet<(AttemptId, usize)>,
    findings: HashMap<(AttemptId, usize), Examined>,
    /// Over which versions a choice was made; 0 in journals that don't say.
    choices: HashMap<AttemptId, usize>,
    finished: HashSet<AttemptId>,
}

/// What was found in a version, and what was said on the way there.
#[derive(Debug)]
struct Examined {
    findings: Findings,
    /// Keys of the exchanges and tool calls that the examination consisted of.
    asked: Vec<String>,
    called: Vec<String>,
}

impl Past {
    pub(super) fn new(events: Vec<Event>) -> Self {
        let mut past = Self::default();
        let mut replies: HashMap<(AttemptId, String), VecDeque<ChatReply>> = HashMap::new();
        let mut tools: HashMap<(AttemptId, String), VecDeque<ToolUse>> = HashMap::new();
        // What each attempt asked since its last version.
        let mut asked: HashMap<AttemptId, (Vec<String>, Vec<String>)> = HashMap::new();
        for event in &events {
            let (task, sample) = event.attempt();
            let id = (task.to_owned(), sample);
            match event {
                Event::Exchange { key, reply, .. } => {
                    asked.entry(id.clone()).or_default().0.push(key.clone());
                    replies
                        .entry((id, key.clone()))
                        .or_default()
                        .push_back(reply.clone());
                }
                Event::Version { number, .. } => {
                    asked.remove(&id);
                    past.versions.insert((id, *number));
                }
                Event::Tool { key, call, .. } => {
                    asked.entry(id.clone()).or_default().1.push(key.clone());
                    tools
                        .entry((id, key.clone()))
                        .or_default()
                        .push_back(call.clone());
                }
                Event::Report { number, report, .. } => {
                    let findings = Findings::from_report(report.clone());
                    past.note_findings(id, *number, findings, &mut asked);
                }
                Event::Findings { number, findings, .. } => {
                    past.note_findings(id, *number, findings.clone(), &mut asked);
                }
                Event::Choice { by_round, .. } => {
                    past.choices.insert(id, by_round.len());
                }
                Event::Hidden { .. } => {
                    if past.is_whole(&id) {
                        past.finished.insert(id);
                    }
                }
                Event::Failed { .. } => {}
            }
        }
        past.replies = Mutex::new(replies);
        past.tools = Mutex::new(tools);
        past.events = events;
        past
    }

    fn note_findings(
        &mut self,
        id: AttemptId,
        number: usize,
        findings: Findings,
        asked: &mut HashMap<AttemptId, (Vec<String>, Vec<String>)>,
    ) {
        // Findings in a version of which nothing is known are made again behind it.
        if !self.versions.contains(&(id.clone(), number)) {
            return;
        }
        let (asked, called) = asked.remove(&id).unwrap_or_default();
        let examined = Examined {
            findings,
            asked,
            called,
        };
        self.findings.insert((id, number), examined);
    }

    /// Whether the versions, their findings and the choice of an attempt are all there. In a journal out of which a
    /// damaged line was taken they may not be.
    fn is_whole(&self, id: &AttemptId) -> bool {
        let Some(&chosen_from) = self.choices.get(id) else {
            return false;
        };
        let versions = self.versions.iter().filter(|(of, _)| of == id).count();
        let is_known = |number| self.findings.contains_key(&(id.clone(), number));
        (0..versions).all(is_known) && (chosen_from == 0 || chosen_from == versions)
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

    /// What a tool answered to a call of this attempt; each is given out once, in order.
    pub fn take_tool(&self, task: &str, sample: usize, key: &str) -> Option<ToolUse> {
        let mut tools = self
            .tools
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        tools
            .get_mut(&((task.to_owned(), sample), key.to_owned()))?
            .pop_front()
    }

    /// Whether the version was already written down.
    pub fn has_version(&self, task: &str, sample: usize, number: usize) -> bool {
        self.versions.contains(&((task.to_owned(), sample), number))
    }

    /// Whether the version was already examined.
    pub fn has_findings(&self, task: &str, sample: usize, number: usize) -> bool {
        self.findings.contains_key(&((task.to_owned(), sample), number))
    }

    /// What was found in the version, if it was already examined. What was said on the way there is given out to
    /// nobody any more: an equal question later is a new one.
    pub fn take_findings(&self, task: &str, sample: usize, number: usize) -> Option<Findings> {
        let examined = self.findings.get(&((task.to_owned(), sample), number))?;
        for key in &examined.asked {
            self.take_reply(task, sample, key);
        }
        for key in &examined.called {
            self.take_tool(task, sample, key);
        }
        Some(examined.findings.clone())
    }

    /// Whether the loop was over.
    pub fn has_choice(&self, task: &str, sample: usize) -> bool {
        self.choices.contains_key(&(task.to_owned(), sample))
    }

    /// Whether the attempt was carried through to its hidden tests.
    pub fn is_finished(&self, task: &str, sample: usize) -> bool {
        self.finished.contains(&(task.to_owned(), sample))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past(lines: &str) -> Past {
        Past::new(
            lines
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect(),
        )
    }

    fn exchange(reply: &str) -> String {
        format!(
            r#"{{"event":"exchange","task":"t","sample":0,"role":"verify","key":"k","model":"m","request":{{"messages":[],"temperature":0.0,"max_tokens":1,"seed":0}},"reply":{{"content":"{reply}"}}}}"#
        )
    }

    #[test]
    fn what_an_examination_asked_is_not_given_to_a_later_one() {
        let version =
            r#"{"event":"version","task":"t","sample":0,"number":0,"parent":null,"source":"a","rule":null}"#;
        let findings = r#"{"event":"findings","task":"t","sample":0,"number":0,"findings":{"satisfied":false,"critique":"c"}}"#;
        let second = version.replace("\"number\":0", "\"number\":1");
        let lines = [
            version,
            &exchange("first"),
            findings,
            &second,
            &exchange("second"),
        ]
        .join("\n");
        let past = past(&lines);
        let found = past.take_findings("t", 0, 0).unwrap();
        assert_eq!(found.critique.as_deref(), Some("c"));
        assert_eq!(past.take_reply("t", 0, "k").unwrap().content, "second");
        assert!(past.take_reply("t", 0, "k").is_none());
        assert!(!past.has_findings("t", 0, 1));
    }

    #[test]
    fn journals_from_before_there_were_findings_are_read() {
        let version =
            r#"{"event":"version","task":"t","sample":0,"number":0,"parent":null,"source":null,"rule":null}"#;
        let report = r#"{"event":"report","task":"t","sample":0,"number":0,"report":null}"#;
        let choice = r#"{"event":"choice","task":"t","sample":0,"number":0,"stopped":"nothing_to_examine"}"#;
        let past = past(&format!("{version}\n{report}\n{choice}"));
        assert!(past.take_findings("t", 0, 0).unwrap().unexamined);
        assert!(past.has_choice("t", 0));
    }
}
