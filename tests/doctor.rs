//! `redraft doctor`: every layer and every language, with what to do about each gap; exit code 0 when the host is fit.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Output};

use redraft_sandbox::Level;
use serde_json::Value;

fn doctor(args: &[&str], env: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redraft"));
    command
        .arg("doctor")
        .args(args)
        .env("REDRAFT_PYTHON", "/usr/bin/python3");
    command.envs(env.iter().copied()).output().unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn it_tells_levels_layers_and_languages() {
    let output = doctor(&["--json"], &[]);
    let told = json(&output);
    let best = redraft_sandbox::strongest().unwrap();
    assert_eq!(
        output.status.code(),
        Some(i32::from(best.level < Level::Standard))
    );
    assert_eq!(told["isolation"]["level"], best.level.name());
    assert_eq!(told["isolation"]["problem"], Value::Null);
    for level in Level::ALL {
        let state = &told["isolation"]["levels"][level.name()];
        if level.check().is_ok() {
            assert_eq!(state, "available");
        } else {
            assert!(state["missing"]["remedy"].as_str().unwrap().len() > 10, "{state}");
        }
    }
    let layers = told["isolation"]["layers"].as_array().unwrap();
    assert!(layers.len() > 20, "{layers:?}");
    assert!(
        layers
            .iter()
            .any(|layer| layer["name"] == "seccomp" && layer["state"] == "in force")
    );
    assert!(["none", "v1", "v2", "hybrid"].contains(&told["isolation"]["cgroups"].as_str().unwrap()));
    assert_eq!(told["languages"]["python"]["found"]["path"], "/usr/bin/python3");
    for language in ["c", "cpp", "go", "java", "javascript", "rust"] {
        let state = &told["languages"][language];
        let known = state["found"]["version"].is_string() || state["missing"]["remedy"].is_string();
        assert!(known, "{language}: {state}");
    }
}

#[test]
fn for_a_reader_each_gap_comes_with_its_remedy() {
    let output = doctor(&[], &[("REDRAFT_GO", "/no/such/go")]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("redraft "), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    for level in Level::ALL {
        assert!(lines.iter().any(|line| line.contains(level.name())), "{text}");
    }
    let gap = lines.iter().position(|line| line.starts_with("  - Go ")).unwrap();
    assert!(lines[gap].contains("Go can't be used: /no/such/go"), "{text}");
    assert!(
        lines[gap + 1]
            .trim()
            .starts_with("to get it: install the package `golang-go`"),
        "{text}"
    );
}

#[test]
fn without_python_the_host_is_not_fit() {
    let output = doctor(&["--json"], &[("REDRAFT_PYTHON", "/no/such/python")]);
    assert_eq!(output.status.code(), Some(1));
    let told = json(&output);
    let gap = &told["languages"]["python"]["missing"];
    assert!(
        gap["reason"].as_str().unwrap().contains("/no/such/python"),
        "{gap}"
    );
}

#[test]
fn a_shim_is_named_and_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let shim = folder.path().join("python3");
    std::fs::write(&shim, "#!/bin/sh\nexec /usr/bin/python3 \"$@\"\n").unwrap();
    std::fs::set_permissions(&shim, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    let output = Command::new(env!("CARGO_BIN_EXE_redraft"))
        .args(["doctor", "--json"])
        .env_remove("REDRAFT_PYTHON")
        .env("PATH", path)
        .output()
        .unwrap();
    let told = json(&output);
    let python = &told["languages"]["python"]["found"];
    assert_eq!(python["path"], "/usr/bin/python3", "{python}");
    assert_eq!(python["shim"], shim.to_str().unwrap(), "{python}");
}

#[test]
fn without_namespaces_it_says_what_to_do_and_is_not_content() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    let redraft = folder.path().join("redraft");
    std::fs::copy(env!("CARGO_BIN_EXE_redraft"), &redraft).unwrap();
    let script = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"";
    let mut command = Command::new("unshare");
    command
        .args(["-Ur", "sh", "-c", script, "sh"])
        .arg(&redraft)
        .arg("doctor");
    if nix::unistd::geteuid().is_root() {
        command.uid(65534).gid(65534);
    }
    let output = command
        .env("REDRAFT_PYTHON", "/usr/bin/python3")
        .env("TMPDIR", folder.path())
        .current_dir(folder.path())
        .output();
    let Ok(output) = output else {
        println!("skipped: there is no `unshare` here");
        return;
    };
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let standard = lines
        .iter()
        .position(|line| line.starts_with("  - standard "))
        .unwrap();
    assert!(
        lines[standard].contains("no user namespaces are allowed"),
        "{text}"
    );
    let remedy = "to get it: as root: sysctl -w user.max_user_namespaces=10000";
    assert_eq!(lines[standard + 1].trim(), remedy);
}
