//! Hosts that lack something or refuse it, made with `unshare` where that is allowed.

use std::process::Command;

use super::{another_harness, told};

/// Whether a shell in new namespaces can do this at all here.
fn can(script: &str, flags: &str) -> bool {
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", flags, "sh", "-ec", script])
        .output();
    match output {
        Ok(output) if output.status.success() => true,
        Ok(output) => {
            println!("not run: {}", told(&output));
            false
        }
        Err(error) => {
            println!("not run: unshare: {error}");
            false
        }
    }
}

/// Has another harness run truthfully after `script` has changed its host; what it said.
fn truthful_after(script: &str, flags: &str) -> Option<String> {
    if !can(script, flags) {
        return None;
    }
    let script = format!("{script}\nexec \"$@\"");
    let before = [
        "unshare",
        "--user",
        "--map-root-user",
        flags,
        "sh",
        "-ec",
        &script,
        "sh",
    ];
    let output = another_harness(&before, "truthfully").output().unwrap();
    let said = told(&output);
    assert!(
        output.status.success() && said.contains("it was truthful"),
        "{said}"
    );
    Some(said)
}

/// human-eval#65, codex#9292, #23468, #6828, Conway automaton#176: where it can't confine, it doesn't run unconfined and say nothing.
#[test]
fn no_user_namespaces_can_be_made() {
    let script = "echo 0 > /proc/sys/user/max_user_namespaces";
    let Some(said) = truthful_after(script, "--mount") else {
        return;
    };
    assert!(
        said.contains("max_user_namespaces") || said.contains("Minimal"),
        "{said}"
    );
}

/// judge0#325 and its eight likes: other forms of cgroups make everything an internal error.
#[test]
fn the_tree_of_cgroups_is_hidden() {
    if let Some(said) = truthful_after("mount -t tmpfs none /sys/fs/cgroup", "--mount") {
        assert!(!said.contains("an error"), "{said}");
    }
}

/// judge0#325: read-only, as in most containers.
#[test]
fn the_tree_of_cgroups_is_read_only() {
    let script = "mount -t tmpfs none /sys/fs/cgroup; mount -o remount,ro /sys/fs/cgroup";
    if let Some(said) = truthful_after(script, "--mount") {
        assert!(!said.contains("an error"), "{said}");
    }
}

/// bubblewrap#697: zombies are left to a process 1 that doesn't reap.
#[test]
fn the_harness_is_the_first_process_of_its_container() {
    let flags = "--pid";
    let before = [
        "unshare",
        "--user",
        "--map-root-user",
        flags,
        "--fork",
        "--mount-proc",
    ];
    let probe = Command::new(before[0]).args(&before[1..]).arg("true").output();
    if !probe.is_ok_and(|output| output.status.success()) {
        println!("not run: unshare can't make such a container here");
        return;
    }
    let output = another_harness(&before, "as-process-one").output().unwrap();
    assert!(output.status.success(), "{}", told(&output));
}
