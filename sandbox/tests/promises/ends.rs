//! How a program ended is told truthfully, and what isn't its end is an error.

use redraft_sandbox::{Command, End, Error, Exit};

use crate::support::{confined, python};

#[test]
fn exit_statuses_are_told() {
    for status in [0, 1, 2, 42, 127, 137, 255] {
        assert_eq!(
            confined(&format!("raise SystemExit({status})")).end,
            End::Exited(status)
        );
    }
}

#[test]
fn signals_are_told() {
    assert_eq!(confined("import os; os.abort()").exit, Some(Exit::Signal(6)));
    for signal in [1, 2, 3, 9, 11, 13, 15] {
        let code = format!(
            "import os, signal\nif {signal} != 9: signal.signal({signal}, signal.SIG_DFL)\nos.kill(os.getpid(), {signal})"
        );
        assert_eq!(confined(&code).exit, Some(Exit::Signal(signal)), "{signal}");
    }
}

#[test]
fn a_program_that_is_not_there_is_an_error() {
    let error = Command::new("/usr/bin/no-such-program")
        .system_libraries()
        .run()
        .unwrap_err();
    assert!(
        matches!(&error, Error::Exec { program, source }
        if program == "/usr/bin/no-such-program" && source.kind() == std::io::ErrorKind::NotFound),
        "{error:?}"
    );
}

#[test]
fn a_program_that_may_not_be_executed_is_an_error() {
    let error = Command::new("/etc/passwd").run().unwrap_err();
    assert!(
        matches!(&error, Error::Exec { source, .. }
        if source.kind() == std::io::ErrorKind::PermissionDenied),
        "{error:?}"
    );
}

#[test]
fn what_cannot_be_carried_out_is_said_before_anything_starts() {
    for (command, said) in [
        (python("").readable("/no/such/path"), "/no/such/path"),
        (python("").readable("relative"), "not absolute"),
        (python("").readable("/"), "whole host"),
        (python("").readable("/etc"), "secrets"),
        (python("").readable("/proc/sys"), "made inside"),
        (python("").readable("/dev"), "made inside"),
        (python("").readable("/tmp"), "made inside"),
        (python("").file("../up", ""), "not a relative path"),
        (python("").file("/abs", ""), "not a relative path"),
        (python("").file("", ""), "not a relative path"),
        (python("").arg("a\0b"), "zero byte"),
        (python("").env("A=B", "c"), "name of a variable"),
        (python("").env("", "c"), "name of a variable"),
    ] {
        let error = command.run().unwrap_err();
        assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
        assert!(error.to_string().contains(said), "{error}");
    }
}

#[test]
fn ignored_signals_of_the_harness_are_not_passed_on() {
    // Rust ignores SIGPIPE; the program must not.
    let outcome = confined(
        "import signal; print(signal.getsignal(signal.SIGCHLD) == signal.SIG_DFL); print(open('/proc/self/status').read())",
    );
    let text = outcome.stdout.text();
    assert!(text.starts_with("True"), "{text}");
    assert!(text.contains("SigBlk:\t0000000000000000"), "{text}");
    let mut yes = Command::new("/bin/sh");
    yes.system_libraries()
        .readable("/bin/sh")
        .arg("-c")
        .arg("kill -PIPE $$; exit 5");
    assert_eq!(yes.run().unwrap().exit, Some(Exit::Signal(13)));
}

#[test]
fn usage_is_told() {
    let outcome = confined(
        "import time\nx = bytearray(100 << 20)\nend = time.process_time() + 0.2\nwhile time.process_time() < end: pass\ntime.sleep(0.3)",
    );
    let usage = outcome.usage;
    assert_eq!(outcome.end, End::Exited(0));
    assert!(usage.cpu.as_secs_f64() >= 0.2, "{usage:?}");
    assert!(usage.wall.as_secs_f64() >= 0.5, "{usage:?}");
    assert!(
        usage.peak_memory >= 100 << 20 && usage.peak_memory < 130 << 20,
        "{usage:?}"
    );
    assert!(!usage.setup.is_zero());
}

#[test]
fn the_memory_of_a_short_program_is_its_own_and_not_the_harness_s() {
    redraft_sandbox::prepare().unwrap();
    let ballast = vec![1_u8; 300 << 20];
    let mut command = Command::new("/usr/bin/true");
    let usage = command
        .system_libraries()
        .readable("/usr/bin/true")
        .run()
        .unwrap()
        .usage;
    assert!(usage.peak_memory < 100 << 20, "{usage:?}");
    drop(ballast);
}

#[test]
fn the_receipt_names_each_layer() {
    let isolation = confined("").isolation;
    let json = serde_json::to_value(&isolation).unwrap();
    let level = if nix::unistd::geteuid().is_root() {
        "strict"
    } else {
        "standard"
    };
    assert_eq!(json["level"], level);
    for layer in [
        "user_ns", "mount_ns", "pid_ns", "net_ns", "ipc_ns", "uts_ns", "root", "proc", "scratch", "uid",
    ] {
        assert_eq!(json["layers"][layer], "in force", "{json}");
    }
}
