//! Limits at their ends, and verdicts that must not depend on who else is busy.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use redraft_sandbox::{Command, End, Error, Limits};

use super::{nothing, python, with};
use crate::suite::AMPLE;

/// ioi/isolate#195: the limit of the run before persists.
#[test]
fn a_limit_holds_for_its_own_run_only() {
    let code = "x = b'x' * (100 << 20)";
    for _ in 0..2 {
        let small = with(|limits| limits.memory = 32 << 20);
        let end = python(code).limits(small).run().unwrap().end;
        assert!(matches!(end, End::MemoryLimit(_)), "{end:?}");
        assert_eq!(python(code).run().unwrap().end, End::Exited(0));
    }
}

/// judge0 1.13.0: a limit of next to nothing is taken for none.
#[test]
fn a_limit_of_nothing_is_a_limit() {
    let ends = |change: fn(&mut Limits), code: &str| python(code).limits(with(change)).run();
    let sleep = "import time; time.sleep(600)";
    for (end, expected) in [
        (ends(|limits| limits.wall = Duration::ZERO, sleep), "wall_timeout"),
        (
            ends(|limits| limits.cpu = Duration::ZERO, "while True: pass"),
            "cpu_timeout",
        ),
        (ends(|limits| limits.memory = 0, sleep), "memory_limit"),
        (ends(|limits| limits.output = 0, "print('x')"), "output_limit"),
    ] {
        assert_eq!(end.unwrap().end.name(), expected);
    }
    let code =
        "open('/box/x', 'wb', buffering=0).write(bytes(1 << 20)) == 1 << 20 or exit()\nprint('written')";
    let outcome = ends(|limits| limits.scratch = 0, code).unwrap();
    assert_eq!(outcome.stdout.text(), "");
    // Not even its own process: refused in words, or ended for it.
    match ends(|limits| limits.processes = 0, "") {
        Err(error) => assert!(matches!(error, Error::Invalid { .. }), "{error:?}"),
        Ok(outcome) => assert_eq!(outcome.end.name(), "process_limit"),
    }
}

#[test]
fn the_largest_limits_are_no_limits() {
    let limits = Limits {
        cpu: Duration::MAX,
        wall: Duration::MAX,
        memory: u64::MAX,
        processes: u32::MAX,
        output: u64::MAX,
        scratch: u64::MAX,
    };
    let code = "x = bytes(1 << 20)\nopen('/box/x', 'wb').write(x)\nprint('on')";
    let outcome = python(code).limits(limits).run().unwrap();
    assert_eq!(
        (outcome.end, outcome.stdout.text().as_str()),
        (End::Exited(0), "on\n")
    );
}

/// piston#629: a crash when the program exits while its output has it killed.
#[test]
fn exiting_just_over_the_output_limit_is_always_told_alike() {
    let mut command = Command::new("/usr/bin/head");
    command
        .system_libraries()
        .readable("/usr/bin/head")
        .arg("-c")
        .arg("10001")
        .arg("/dev/zero")
        .limits(with(|limits| limits.output = 10_000));
    for _ in 0..100 {
        let outcome = command.run().unwrap();
        assert!(matches!(outcome.end, End::OutputLimit(_)), "{:?}", outcome.end);
        assert_eq!(outcome.stdout.bytes.len(), 10_000);
    }
}

/// piston#535, verl#3478: killed without an explanation, or billed for waiting, when much runs at once.
#[test]
fn a_hundred_at_once_all_end_by_themselves() {
    let runs: Vec<_> = (0..100)
        .map(|_| {
            std::thread::spawn(|| {
                let limits = with(|limits| limits.cpu = Duration::from_secs(2));
                nothing().limits(limits).run().unwrap()
            })
        })
        .collect();
    for run in runs {
        let outcome = run.join().unwrap();
        assert_eq!(outcome.end, End::Exited(0), "{:?}", outcome.usage);
    }
}

/// evalplus#5, #294: verdicts that depend on how busy the machine is.
#[test]
fn near_its_cpu_limit_a_program_is_judged_the_same_on_a_busy_machine() {
    let ends = |share: f64| {
        let code = format!("import time\nwhile time.process_time() < {share} * 0.4: pass");
        let limits = with(|limits| limits.cpu = Duration::from_millis(400));
        python(&code).limits(limits).run().unwrap().end.name()
    };
    let verdicts = || [ends(0.5), ends(2.0), ends(0.5), ends(2.0)];
    let idle = verdicts();
    let over = AtomicBool::new(false);
    let busy = std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let busy = verdicts();
        over.store(true, Ordering::Relaxed);
        busy
    });
    assert_eq!(idle, ["exited", "cpu_timeout", "exited", "cpu_timeout"]);
    assert_eq!(busy, idle);
}

/// google/nsjail#155, #230: odd orders of mounts crash it.
#[test]
fn readable_paths_in_odd_orders_are_an_error_or_work() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(base.join("a/b/c")).unwrap();
    std::fs::write(base.join("a/b/c/file"), "content").unwrap();
    for path in [&base, &base.join("a"), &base.join("a/b"), &base.join("a/b/c")] {
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    std::os::unix::fs::symlink("loop", base.join("loop")).unwrap();
    std::os::unix::fs::symlink("a/b", base.join("link")).unwrap();
    std::os::unix::fs::symlink("..", base.join("a/up")).unwrap();
    for paths in [
        &["a", "a/b", "a/b/c/file"][..],
        &["a/b/c/file", "a/b", "a"],
        &["a/b/c", "link/c/file", "link"],
        &["a", "a", "a/up/a/b"],
        &["link/../b/c/file"],
        &["a/./b//c/"],
        &["loop"],
    ] {
        let mut command = python("import sys; print(open(sys.argv[1]).read())");
        command.arg(base.join("a/b/c/file"));
        for path in paths {
            command.readable(base.join(path));
        }
        match command.run() {
            Ok(outcome) => assert_eq!(
                outcome.stdout.text(),
                "content\n",
                "{paths:?} {}",
                outcome.stderr.text()
            ),
            Err(error) => assert!(
                paths == ["loop"] && matches!(error, Error::Invalid { .. }),
                "{paths:?}: {error:?}"
            ),
        }
    }
}

/// NVIDIA/OpenShell#664: one path that isn't there switches a whole layer off, and all seems well.
#[test]
fn a_readable_path_that_is_not_there_is_an_error() {
    let mut command = python("print('on')");
    command.readable("/usr/share/no-such-path");
    let error = command.run().unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
    assert!(error.to_string().contains("no-such-path"), "{error}");
}

/// google/nsjail#76: V8 and the JVM reserve more than any limit on addresses lets them.
#[test]
fn large_runtimes_start_under_the_default_limits() {
    for (program, args, needs) in [
        (
            "/usr/bin/node",
            &["-e", "console.log(6 * 7)"][..],
            "/usr/share/nodejs",
        ),
        ("/usr/bin/java", &["-version"], "/usr/lib/jvm"),
    ] {
        let Ok(path) = std::fs::canonicalize(program) else {
            println!("not run: there is no {program}");
            continue;
        };
        let mut command = Command::new(&path);
        command.system_libraries().readable(&path).limits(Limits {
            cpu: AMPLE.cpu,
            wall: AMPLE.wall,
            ..Limits::default()
        });
        for path in [
            needs,
            "/etc/ssl/openssl.cnf",
            "/etc/java-17-openjdk",
            "/proc/self",
        ] {
            if std::path::Path::new(path).exists() && !path.starts_with("/proc") {
                command.readable(path);
            }
        }
        for arg in args {
            command.arg(*arg);
        }
        let outcome = command.run().unwrap();
        assert_eq!(
            outcome.end,
            End::Exited(0),
            "{program}: {}",
            outcome.stderr.text()
        );
    }
}
