//! How many attacks each sandbox holds.

use std::fmt::Write as _;
use std::time::Duration;

use redraft_sandbox::Limits;

use crate::suite::judge::attempt;
use crate::suite::sandbox::Sandbox;
use crate::suite::themes;
use crate::suite::{Attack, Control};
use crate::table::aligned;

/// The longest that a harness around another sandbox waits.
const PATIENCE: Duration = Duration::from_secs(4);

/// Attacks held, by theme; with what failed in the end, where that is wanted.
pub(crate) fn table(sandboxes: &[&dyn Sandbox], show_failed: bool) -> String {
    let mut head = vec!["attacks held".to_owned(), "all".to_owned()];
    head.extend(themes::ALL.iter().map(|(theme, _)| (*theme).to_owned()));
    let mut rows = vec![head];
    let mut failed = String::new();
    for sandbox in sandboxes {
        let mut row = vec![sandbox.name().to_owned(), String::new()];
        let (mut all_held, mut all_tried) = (0, 0);
        for (_, attacks) in themes::ALL {
            let mut held = 0;
            let mut tried = 0;
            for attack in *attacks {
                tried += 1;
                match try_it(attack, *sandbox) {
                    Verdict::Held => held += 1,
                    Verdict::NotTried => tried -= 1,
                    Verdict::Fell(why) => {
                        let name = sandbox.name();
                        writeln!(failed, "{name}: {}: {why} [{}]", attack.name, attack.cites).unwrap();
                    }
                }
            }
            row.push(format!("{held}/{tried}"));
            all_held += held;
            all_tried += tried;
        }
        row[1] = format!("{all_held}/{all_tried}");
        rows.push(row);
    }
    let table = aligned(&rows);
    if show_failed {
        format!("{table}\n\n{failed}")
    } else {
        table
    }
}

enum Verdict {
    Held,
    Fell(String),
    /// There is no compiler for it.
    NotTried,
}

fn try_it(attack: &Attack, sandbox: &dyn Sandbox) -> Verdict {
    if !sandbox.confines() && matches!(attack.control, Control::Within) {
        return Verdict::Fell("never tried where nothing confines".to_owned());
    }
    let limits = Limits {
        wall: if sandbox.has_limits() {
            attack.limits.wall
        } else {
            attack.limits.wall.min(PATIENCE)
        },
        ..attack.limits
    };
    let attack = Attack { limits, ..*attack };
    match attempt(&attack, sandbox).map(|result| result.wrong(&attack)) {
        None => Verdict::NotTried,
        Some(None) => Verdict::Held,
        Some(Some(why)) => Verdict::Fell(why),
    }
}
