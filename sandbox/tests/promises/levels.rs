//! Never weaker in silence: the strongest level that the host allows is taken, a named one that it can't give is an
//! error that says how to get it, and what is missing is told.

#![expect(clippy::print_stdout, reason = "a test says why it is skipped")]

use std::process::Stdio;

use redraft_sandbox::{
    End, Error, LayerState, Level, Outcome, Primitive, landlock_at_most, set_isolation, strongest, survey,
    switch_off,
};

use crate::support::{confined, python};

/// Runs one of the tasks below in a process of its own, for what it switches off stays off. Gives what it says.
fn elsewhere(task: &str) -> String {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "levels::a_task_of_these_tests",
            "--nocapture",
            "--test-threads=1",
        ])
        .env("REDRAFT_TEST_LEVELS", task)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{task}\n{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(text.contains("it was done"), "{text}");
    text
}

/// Not a test by itself: what [`elsewhere`] runs.
#[test]
fn a_task_of_these_tests() {
    let Ok(task) = std::env::var("REDRAFT_TEST_LEVELS") else {
        return;
    };
    match task.as_str() {
        "no namespaces" => no_namespaces(),
        "nothing" => nothing(),
        "no groups" => no_groups(),
        "no landlock" => no_landlock(),
        "no overlays" => no_overlays(),
        "old landlock" => old_landlock(),
        "chosen" => chosen(),
        "no filter" => unnoticed(Primitive::FilterUnnoticed, "seccomp"),
        "no rules" => unnoticed(Primitive::LandlockUnnoticed, "landlock_tcp"),
        other => panic!("no such task: {other}"),
    }
    println!("it was done");
}

fn state<'a>(outcome: &'a Outcome, layer: &str) -> &'a LayerState {
    outcome
        .isolation
        .layers
        .get(layer)
        .unwrap_or_else(|| panic!("no layer {layer}"))
}

#[test]
fn the_strongest_level_is_taken_by_default() {
    let best = strongest().unwrap();
    assert_eq!(best.level.check().map_err(|error| error.to_string()), Ok(()));
    assert!(
        Level::ALL
            .iter()
            .all(|level| *level <= best.level || level.check().is_err())
    );
    assert_eq!(best.note.is_some(), best.level < Level::Standard);
    let outcome = confined("print(1)");
    assert_eq!(outcome.isolation.level, best.level);
}

#[test]
fn a_named_level_is_given_exactly_or_not_at_all() {
    for level in Level::ALL {
        match python("print(1)").isolation(level).run() {
            Ok(outcome) => {
                assert_eq!(outcome.end, End::Exited(0));
                assert_eq!(outcome.isolation.level, level);
            }
            Err(Error::Unsupported { what, remedy }) => {
                assert!(
                    what.contains(level.name()) && remedy.len() > 10,
                    "{what}; {remedy}"
                );
                assert!(level.check().is_err());
            }
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn each_layer_is_in_the_receipt_with_its_state() {
    let outcome = confined("print(1)");
    for layer in [
        "user_ns",
        "mount_ns",
        "pid_ns",
        "net_ns",
        "root",
        "uid",
        "capabilities",
        "no_new_privs",
        "rlimits",
        "seccomp",
    ] {
        assert_eq!(*state(&outcome, layer), LayerState::InForce, "{layer}");
    }
    let layers = survey().unwrap();
    assert_eq!(layers.len(), outcome.isolation.layers.len());
    for layer in layers {
        assert!(
            outcome.isolation.layers.contains_key(layer.name),
            "{}",
            layer.name
        );
    }
}

#[test]
fn without_namespaces_it_is_minimal_and_says_so() {
    elsewhere("no namespaces");
}

fn no_namespaces() {
    switch_off(Primitive::Namespaces);
    if Level::Minimal.check().is_err() {
        println!("skipped: the host has no Landlock");
        return;
    }
    let best = strongest().unwrap();
    assert_eq!(best.level, Level::Minimal);
    let note = best.note.unwrap();
    assert!(
        note.starts_with("isolation is only `minimal`, because ") && note.contains("; "),
        "{note}"
    );
    let outcome = confined("print(1)");
    assert_eq!(
        (outcome.end, outcome.isolation.level),
        (End::Exited(0), Level::Minimal)
    );
    let LayerState::Missing(gap) = &outcome.isolation.layers["user_ns"] else {
        panic!("not in force")
    };
    assert!(gap.remedy.is_some(), "{gap}");
    for level in [Level::Standard, Level::Strict] {
        let error = python("print(1)").isolation(level).run().unwrap_err();
        assert!(error.to_string().contains(level.name()), "{error}");
    }
}

#[test]
fn with_nothing_to_confine_it_nothing_is_run() {
    elsewhere("nothing");
}

fn nothing() {
    switch_off(Primitive::Namespaces);
    switch_off(Primitive::Landlock);
    let error = python("print(1)").run().unwrap_err();
    assert!(
        error.to_string().starts_with("no program can be confined here: "),
        "{error}"
    );
    assert!(strongest().is_err() && set_isolation(Level::Minimal).is_err());
}

#[test]
fn without_control_groups_it_is_standard_and_strict_is_an_error_with_the_remedy() {
    elsewhere("no groups");
}

fn no_groups() {
    switch_off(Primitive::Cgroups);
    assert_eq!(strongest().unwrap().level, Level::Standard);
    let outcome = confined("print(1)");
    assert_eq!(outcome.isolation.level, Level::Standard);
    let LayerState::Missing(gap) = state(&outcome, "cgroup_memory") else {
        panic!("not in force")
    };
    assert!(gap.to_string().contains("mount the cgroup file system"), "{gap}");
    let error = python("print(1)").isolation(Level::Strict).run().unwrap_err();
    assert!(error.to_string().contains("`strict`"), "{error}");
    assert!(matches!(error, Error::Unsupported { .. }));
}

#[test]
fn without_overlays_readable_files_are_the_hosts_own_and_the_receipt_says_so() {
    elsewhere("no overlays");
}

fn no_overlays() {
    switch_off(Primitive::Overlays);
    let outcome = confined("print(1)");
    assert_eq!(outcome.stdout.text(), "1\n");
    let LayerState::Missing(gap) = state(&outcome, "own_files") else {
        panic!("in force")
    };
    assert!(gap.to_string().contains("Linux 5.11"), "{gap}");
}

#[test]
fn without_landlock_the_other_layers_hold_and_the_receipt_says_so() {
    elsewhere("no landlock");
}

fn no_landlock() {
    switch_off(Primitive::Landlock);
    let outcome = confined("print(1)");
    assert_eq!(outcome.end, End::Exited(0));
    let LayerState::Missing(gap) = state(&outcome, "landlock") else {
        panic!("not in force")
    };
    assert!(gap.to_string().contains("Linux 5.13"), "{gap}");
    assert_eq!(*state(&outcome, "seccomp"), LayerState::InForce);
    // The network isn't there all the same.
    let connect = "import socket\ntry: socket.create_connection(('127.0.0.1', 9))\nexcept OSError as error: print(error.errno)";
    assert_eq!(confined(connect).stdout.text(), "101\n");
}

#[test]
fn an_older_landlock_is_used_as_far_as_it_goes() {
    elsewhere("old landlock");
}

fn old_landlock() {
    landlock_at_most(3);
    let outcome = confined("open('/box/x', 'w').write('y'); print(1)");
    assert_eq!(outcome.end, End::Exited(0));
    let has_any = survey()
        .unwrap()
        .iter()
        .any(|layer| layer.name == "landlock" && layer.state == LayerState::InForce);
    if !has_any {
        println!("skipped: the host has no Landlock");
        return;
    }
    assert_eq!(*state(&outcome, "landlock"), LayerState::InForce);
    let LayerState::Missing(gap) = state(&outcome, "landlock_tcp") else {
        panic!("not in force")
    };
    assert!(gap.to_string().contains("Linux 6.7"), "{gap}");
}

#[test]
fn a_level_can_be_chosen_for_the_whole_process() {
    elsewhere("chosen");
}

fn chosen() {
    if Level::Standard.check().is_err() {
        println!("skipped: the host has no namespaces");
        return;
    }
    set_isolation(Level::Standard).unwrap();
    assert_eq!(confined("print(1)").isolation.level, Level::Standard);
    if Level::Strict.check().is_ok() {
        let named = python("print(1)").isolation(Level::Strict).run().unwrap();
        assert_eq!(named.isolation.level, Level::Strict);
    } else {
        set_isolation(Level::Strict).unwrap_err();
    }
}

#[test]
fn a_layer_that_does_not_hold_is_noticed_and_nothing_is_run() {
    elsewhere("no filter");
    let has_ports = survey()
        .unwrap()
        .iter()
        .any(|layer| layer.name == "landlock_tcp" && layer.state == LayerState::InForce);
    if has_ports {
        elsewhere("no rules");
    } else {
        println!("skipped: the host's Landlock knows no ports");
    }
}

fn unnoticed(primitive: Primitive, expected: &str) {
    switch_off(primitive);
    let error = python("print(1)").run().unwrap_err();
    assert!(
        matches!(error, Error::Unproven { layer, .. } if layer == expected),
        "{error}"
    );
    assert!(
        error.to_string().starts_with("the sandbox isn't tight: "),
        "{error}"
    );
}

#[test]
fn the_receipt_says_that_the_layers_were_proven() {
    assert!(confined("print(1)").isolation.proven);
}
