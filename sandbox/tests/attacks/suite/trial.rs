//! One attack as a test of this crate: its control first, then the attack itself.

use std::time::Duration;

use nix::unistd::geteuid;

use super::judge::{Outside, attempt};
use super::ours::Ours;
use super::sandbox::Seen;
use super::tool::BARE;
use super::{Attack, Control};

/// What doesn't end bare gets this long to show it.
const SHORT: Duration = Duration::from_millis(800);

/// Shows that the attack called `name` works where it may, and not in our sandbox.
pub(crate) fn show(attacks: &[Attack], name: &str) {
    let attack = attacks.iter().find(|attack| attack.name == name).unwrap();
    if let Control::Within | Control::Looser(_) = attack.control {
    } else if let Err(why) = bare_control(attack) {
        panic!("the control doesn't work: {why}");
    }
    let Some(result) = attempt(attack, &Ours) else {
        println!("not run: there is no C compiler");
        return;
    };
    let cannot = (matches!(attack.control, Control::Within) && !result.seen.says("ABLE"))
        .then(|| "the control doesn't work".to_owned());
    if let Some(why) = cannot.or_else(|| result.wrong(attack)) {
        match result.missing_layer(attack) {
            Some(missing) => println!("can't be held: {missing}"),
            None => panic!("{why}\n{}", told(&result.seen)),
        }
    }
    if let Control::Looser(limits) = attack.control {
        let looser = Attack { limits, ..*attack };
        let result = attempt(&looser, &Ours).unwrap();
        assert!(
            result.reached(&looser),
            "the control doesn't work: {}",
            told(&result.seen)
        );
    }
}

/// Runs it bare. `Ok` when that shows what it must, or when the host can't show it.
fn bare_control(attack: &Attack) -> Result<(), String> {
    let bare = Attack {
        limits: redraft_sandbox::Limits {
            wall: if matches!(attack.control, Control::BareStays) {
                SHORT
            } else {
                attack.limits.wall
            },
            ..attack.limits
        },
        ..*attack
    };
    let Some(result) = attempt(&bare, &BARE) else {
        return Ok(());
    };
    if let Some(word) = refusal(&result) {
        if attack.needs_root && !geteuid().is_root() {
            println!("no control: it takes root to do it ({word})");
            return Ok(());
        }
        if attack.host_may_say.contains(&word.as_str()) {
            println!("no control: the host itself says {word}");
            return Ok(());
        }
    }
    let good = match attack.control {
        Control::BareToo => result.wrong(attack).is_none(),
        _ => result.reached(attack),
    };
    if good { Ok(()) } else { Err(told(&result.seen)) }
}

/// Why the act says that it was refused.
fn refusal(result: &Outside) -> Option<String> {
    let text = result.seen.text();
    text.lines()
        .find_map(|line| line.strip_prefix("REFUSED "))
        .map(str::to_owned)
}

fn told(seen: &Seen) -> String {
    format!(
        "{:?} after {:?}\n{}\n{}",
        seen.ending,
        seen.took,
        seen.text(),
        String::from_utf8_lossy(&seen.stderr)
    )
}
