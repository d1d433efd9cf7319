//! What holds for the table of attacks as a whole.

use std::collections::BTreeSet;

use super::adapters;
use super::judge::{PRELUDE, attempt};
use super::ours::Ours;
use super::sandbox::{Ending, Job, Sandbox, Seen};
use super::themes::ALL;
use super::tool::Tool;

#[test]
fn each_attack_has_a_name_of_its_own_a_source_and_a_layer() {
    let mut names = BTreeSet::new();
    for attack in ALL.iter().flat_map(|(_, attacks)| *attacks) {
        assert!(names.insert(attack.name), "{} is there twice", attack.name);
        assert!(!attack.cites.is_empty(), "{} cites nothing", attack.name);
        assert!(!attack.layers.is_empty(), "{} names no layer", attack.name);
    }
    assert!(names.len() >= 150, "{} attacks", names.len());
}

#[test]
fn what_is_handed_to_other_sandboxes_is_not_too_long_for_them() {
    // firejail refuses an argument of 4096 bytes or more, and would seem to hold nothing.
    assert!(PRELUDE.len() < 4096, "{}", PRELUDE.len());
}

#[test]
fn the_same_attacks_tell_other_sandboxes_apart() {
    let held = |sandbox: &dyn Sandbox, name: &str| {
        let mut all = ALL.iter().flat_map(|(_, attacks)| *attacks);
        let attack = all.find(|attack| attack.name == name).unwrap();
        attempt(attack, sandbox).unwrap().wrong(attack).is_none()
    };
    let [bare, bubblewrap] = ["bare spawn", "bubblewrap"]
        .map(|name| adapters::ALL.iter().find(|tool| tool.name() == name).unwrap());
    assert!(!held(bare, "connects_to_a_port_of_the_host"));
    assert!(held(&Ours, "connects_to_a_port_of_the_host"));
    println!("redraft: {}", Ours.how());
    if is_usable(bubblewrap) {
        println!("bubblewrap: {}", bubblewrap.how());
        assert!(held(bubblewrap, "connects_to_a_port_of_the_host"));
        assert!(held(bubblewrap, "kills_itself_politely"));
        assert!(!held(bubblewrap, "joins_a_keyring"));
        assert!(held(&Ours, "joins_a_keyring"));
    } else {
        println!("bubblewrap can't be tried: it isn't there, or the host doesn't let it");
    }
}

/// Whether the tool is there and runs anything at all.
fn is_usable(tool: &Tool) -> bool {
    let job = Job::nothing();
    let Seen { ending, .. } = tool.run(&job);
    tool.is_there(&job) && ending == Ending::Exited(0)
}
