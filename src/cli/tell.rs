//! What happens in a loop, told while it happens. Made from events alone.

use super::output;
use crate::journal::Event;

/// Longest text of a line, in characters.
const LONGEST: usize = 160;

/// Tells one event.
pub(crate) fn tell(event: &Event) {
    match event {
        Event::Exchange { role, reply, .. } => output::talk(&format!(
            "  {role}: {} tokens in {:.1} s",
            reply.usage.completion,
            reply.latency_ms as f64 / 1000.0
        )),
        Event::Tool { call, .. } => {
            let claim = call
                .claim
                .as_ref()
                .map(|claim| format!("  [{claim}]"))
                .unwrap_or_default();
            output::talk(&format!(
                "    {} {}{claim}",
                call.tool,
                short(&call.arguments.to_string())
            ));
            output::talk(&format!("      {}", short(&call.result)));
        }
        Event::Findings { number, findings, .. } => {
            let verdict = match (&findings.critique, findings.satisfied) {
                (Some(critique), _) => short(critique),
                (None, true) => "nothing wrong was found".to_owned(),
                (None, false) => match &findings.result {
                    Some(result) => format!("came to {}", short(result)),
                    None => "not good enough".to_owned(),
                },
            };
            output::talk(&format!("version {number}: {verdict}"));
            if let Some(note) = &findings.note {
                output::talk(&format!("  ({})", short(note)));
            }
        }
        _ => {}
    }
}

/// One line, cut where it is long.
fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
