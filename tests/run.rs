//! `redraft run`: what the program prints comes through, and how it ended is told in a line and an exit code.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_redraft"))
        .arg("run")
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn with_program(source: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.py"), source).unwrap();
    folder
}

#[test]
fn streams_arguments_and_stdin_pass_through() {
    let folder = with_program(
        "import os, sys\nsys.stdout.buffer.write(b'\\xff' + sys.stdin.buffer.read())\nprint(sys.argv[1:], file=sys.stderr)\nprint(os.getcwd(), os.listdir('.'), file=sys.stderr)",
    );
    std::fs::write(folder.path().join("in"), "given\n").unwrap();
    let output = run(folder.path(), &["p.py", "--stdin", "in", "--", "-x", "y z"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stdout, b"\xffgiven\n");
    let stderr = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<&str> = stderr.lines().collect();
    assert_eq!(lines[..2], ["['-x', 'y z']", "/box ['p.py']"]);
    assert!(lines[2].starts_with("exit status 0; CPU "), "{stderr}");
    assert_eq!(lines.len(), 3, "{stderr}");
}

#[test]
fn each_end_is_named_with_its_limit() {
    for (source, flags, said) in [
        ("raise SystemExit(3)", &[][..], "exit status 3;"),
        ("import os; os.abort()", &[], "ended by signal 6 (SIGABRT);"),
        (
            "while True: pass",
            &["--cpu", "200ms"],
            "CPU time used up (limit 200 ms);",
        ),
        (
            "import time; time.sleep(600)",
            &["--wall", "0.3s"],
            "wall time used up (limit 300 ms);",
        ),
        (
            "x = bytearray(200 << 20)",
            &["--memory", "100MiB"],
            "too much memory used (limit 100 MiB);",
        ),
        (
            "print('x' * 5000)",
            &["--output", "1KiB"],
            "too much output written (limit 1 KiB);",
        ),
    ] {
        let folder = with_program(source);
        let output = run(folder.path(), &[&["p.py"], flags].concat());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{source}: {stderr}");
        assert!(
            stderr.lines().last().unwrap().starts_with(said),
            "{source}: {stderr}"
        );
    }
}

#[test]
fn json_is_one_object_with_everything() {
    let folder = with_program("import sys; print('out'); print('err', file=sys.stderr); sys.exit(5)");
    let output = run(folder.path(), &["p.py", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (json["end"].as_str(), json["exit_code"].as_i64()),
        (Some("exited"), Some(5))
    );
    assert_eq!(json["stdout"]["text"], "out\n");
    assert_eq!(json["stderr"]["text"], "err\n");
    assert!(json["usage"]["memory_bytes"].as_u64().unwrap() > 1 << 20);
    assert_eq!(json["isolation"]["layers"]["user_ns"], "in force");
}

#[test]
fn bad_input_is_one_sentence_and_exit_code_2() {
    let folder = with_program("");
    std::fs::write(folder.path().join("p.xyz"), "").unwrap();
    for (args, said) in [
        (&["nowhere.py"][..], "nowhere.py"),
        (&["p.xyz"], "ending"),
        (&["p.py", "--stdin", "nowhere"], "stdin"),
        (&["p.py", "--cpu", "ten"], "as in 500ms"),
        (&["p.py", "--memory", "0"], "above zero"),
        (&["p.py", "--processes", "0"], "0"),
    ] {
        let output = run(folder.path(), args);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(
            stderr.starts_with("error: ") && stderr.contains(said),
            "{args:?}: {stderr}"
        );
    }
}

#[test]
fn without_user_namespaces_it_says_what_is_missing_and_how_to_get_it() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;

    let folder = with_program("print(1)");
    let open = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(folder.path(), open).unwrap();
    // Everybody can run this one.
    let redraft = folder.path().join("redraft");
    std::fs::copy(env!("CARGO_BIN_EXE_redraft"), &redraft).unwrap();
    // A namespace in which no further ones may be made.
    let script = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"";
    let run = |level: &[&str]| {
        let mut command = Command::new("unshare");
        command
            .args(["-Ur", "sh", "-c", script, "sh"])
            .arg(&redraft)
            .args(["run", "p.py"])
            .args(level);
        if nix::unistd::geteuid().is_root() {
            command.uid(65534).gid(65534);
        }
        command
            .env("REDRAFT_PYTHON", "/usr/bin/python3")
            .env("TMPDIR", folder.path())
            .current_dir(folder.path())
            .output()
    };
    let (Ok(output), Ok(standard)) = (run(&[]), run(&["--isolation", "standard"])) else {
        println!("skipped: there is no `unshare` here");
        return;
    };
    let stderr = String::from_utf8(standard.stderr).unwrap();
    assert_eq!(standard.status.code(), Some(3), "{stderr}");
    assert_eq!(
        stderr.trim(),
        "error: this host can't give the isolation level `standard`: no user namespaces are allowed; as root: sysctl -w \
         user.max_user_namespaces=10000"
    );
    assert!(standard.stdout.is_empty());

    let stderr = String::from_utf8(output.stderr).unwrap();
    if redraft_sandbox::Level::Minimal.check().is_err() {
        println!("skipped: there is no Landlock here");
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    let note = "note: isolation is only `minimal`, because no user namespaces are allowed; as root: sysctl -w \
                user.max_user_namespaces=10000";
    assert_eq!(stderr.lines().next(), Some(note));
    assert_eq!(output.stdout, b"1\n");
}
