//! Without namespaces: weaker, and what is promised holds all the same.

#![expect(clippy::print_stdout, reason = "a test says why it is skipped")]

use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::time::Duration;

use redraft_sandbox::{Command, End, Exit, LayerState, Level, Limits, Outcome};

use crate::support::{attempt, eventually, limits, marker, outside, processes_with, python};

/// Whether this host can; says so where not.
fn can() -> bool {
    Level::Minimal
        .check()
        .inspect_err(|error| println!("skipped: {error}"))
        .is_ok()
}

fn bare(code: &str) -> Command {
    let mut command = python(code);
    command.isolation(Level::Minimal);
    command
}

fn run(code: &str) -> Outcome {
    bare(code).run().unwrap()
}

fn inside(code: &str) -> String {
    let outcome = run(code);
    assert_eq!(outcome.end, End::Exited(0), "{code}\n{}", outcome.stderr.text());
    outcome.stdout.text().trim().to_owned()
}

/// Asserts that an act works outside and fails inside with one of these errors.
fn assert_refused(act: &str, errors: &[&str]) {
    let code = attempt(act);
    assert_eq!(outside(&code), "done", "the control doesn't work: {act}");
    let got = inside(&code);
    assert!(
        errors.contains(&got.as_str()),
        "{act}: {got}, not one of {errors:?}"
    );
}

#[test]
fn a_program_runs_and_the_receipt_says_how() {
    if !can() {
        return;
    }
    let outcome = bare("import sys; print(sys.stdin.read(), file=sys.stderr); print(6 * 7); sys.exit(3)")
        .stdin("given")
        .run()
        .unwrap();
    assert_eq!(outcome.end, End::Exited(3));
    assert_eq!(
        (outcome.stdout.text().as_str(), outcome.stderr.text().as_str()),
        ("42\n", "given\n")
    );
    let isolation = outcome.isolation;
    assert_eq!(isolation.level, Level::Minimal);
    assert!(isolation.proven);
    for layer in ["landlock", "seccomp", "no_new_privs", "capabilities"] {
        assert_eq!(isolation.layers[layer], LayerState::InForce, "{layer}");
    }
    for layer in ["user_ns", "mount_ns", "pid_ns", "net_ns", "root", "scratch"] {
        assert_ne!(isolation.layers[layer], LayerState::InForce, "{layer}");
    }
}

#[test]
fn files_of_the_host_cannot_be_read_or_written() {
    if !can() {
        return;
    }
    // Not below /tmp, for that is another folder inside.
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let path = folder.path().join("x");
    std::fs::write(&path, "secret").unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o666)).unwrap();
    let at = folder.path().display();
    for act in [
        format!("open('{at}/x').read()"),
        format!("open('{at}/x', 'r+')"),
        format!("os.truncate('{at}/x', 6)"),
        format!("os.listdir('{at}')"),
        format!("os.mkdir('{at}/d')\nos.rmdir('{at}/d')"),
        format!("os.symlink('x', '{at}/l')\nos.unlink('{at}/l')"),
        format!("os.link('{at}/x', '{at}/h')\nos.unlink('{at}/h')"),
        format!("os.rename('{at}/x', '{at}/y')\nos.rename('{at}/y', '{at}/x')"),
        format!("os.chmod('{at}/x', 0o666)"),
        format!("os.utime('{at}/x')"),
        "open('/etc/passwd').read()".to_owned(),
        "os.listdir('/')".to_owned(),
        "os.listdir('/proc')".to_owned(),
        "open('/proc/1/cmdline').read()".to_owned(),
    ] {
        assert_refused(&act, &["EACCES", "EPERM", "EXDEV"]);
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "secret");
}

#[test]
fn there_is_no_network_and_no_service_of_the_host() {
    if !can() {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let name = marker();
    // Not below /tmp, for that is another folder inside.
    let _abstract = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let path = folder.path().join("socket");
    let _named = UnixListener::bind(&path).unwrap();
    for act in [
        format!("socket.create_connection(('127.0.0.1', {port}))"),
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)".to_owned(),
        "socket.socket(socket.AF_INET).bind(('127.0.0.1', 0))".to_owned(),
        format!("socket.socket(socket.AF_UNIX).connect(chr(0) + {name:?})"),
        format!("socket.socket(socket.AF_UNIX).connect({path:?})"),
        format!(
            "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].connect({path:?}) if False else socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)"
        ),
    ] {
        assert_refused(&act, &["EACCES"]);
    }
    assert_eq!(
        inside("import socket\na, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))"),
        "b'x'"
    );
}

#[test]
fn other_processes_are_out_of_reach() {
    if !can() {
        return;
    }
    let layers = run("").isolation.layers;
    let parent = std::process::id();
    assert_refused(
        &format!("open('/proc/{parent}/environ', 'rb').read()"),
        &["EACCES"],
    );
    assert_eq!(
        inside(&attempt("call('ptrace', 16, os.getppid(), 0, 0)")),
        "EPERM"
    );
    if layers["landlock_scopes"] != LayerState::InForce {
        println!("skipped: signals can't be kept in by this kernel");
        return;
    }
    for target in [parent.to_string(), "os.getppid()".to_owned(), "1".to_owned()] {
        assert_eq!(inside(&attempt(&format!("os.kill({target}, 0)"))), "EPERM");
    }
    // Its own can be.
    let own = "pid = os.fork()\nif pid == 0: signal.pause()\nos.kill(pid, 9)\nos.wait()";
    assert_eq!(inside(&attempt(own)), "done");
}

#[test]
fn scratch_is_there_by_its_usual_names_and_gone_afterwards() {
    if !can() {
        return;
    }
    let code = "import os, sys, tempfile
assert sys.argv[1] == os.getcwd() + '/sub/x' and open(sys.argv[1]).read() == 'content'
assert os.path.expanduser('~') == os.getcwd()
open('made', 'w').write('y'); os.mkdir('d'); os.rename('made', 'd/made')
with tempfile.TemporaryDirectory() as d: open(d + '/z', 'w').write('z')
open('/tmp/direct', 'w').write('this is code, and arguments are put in terms of the host')
os.mkdir('deep'); os.mkdir('deep/locked', 0)
print(os.getcwd())";
    let outcome = bare(code)
        .arg("/box/sub/x")
        .env("HOME", "/box")
        .file("sub/x", "content")
        .run()
        .unwrap();
    assert_eq!(outcome.end, End::Exited(0), "{}", outcome.stderr.text());
    let path = outcome.stdout.text();
    assert!(
        !std::path::Path::new(path.trim()).parent().unwrap().exists(),
        "{path}"
    );
}

#[test]
fn files_can_be_kept() {
    if !can() {
        return;
    }
    let code = "import os\nos.mkdir('d'); open('d/x', 'w').write('kept'); print(os.getcwd())";
    let outcome = bare(code).keep("d/x").run().unwrap();
    assert_eq!(
        outcome.files.values().next().map(Vec::as_slice),
        Some(&b"kept"[..])
    );
    let path = outcome.stdout.text();
    eventually("scratch is gone", || !std::path::Path::new(path.trim()).exists());
}

#[test]
fn scratch_is_limited() {
    if !can() {
        return;
    }
    let limits = Limits {
        scratch: 8 << 20,
        ..limits()
    };
    let one = bare("open('x', 'wb').truncate(1 << 30)")
        .limits(limits)
        .run()
        .unwrap();
    assert!(
        matches!(one.end, End::ScratchFull(_) | End::Exited(1)),
        "{:?}",
        one.end
    );
    let code =
        "import time\nfor n in range(1000): open(f'x{n}', 'wb').write(bytes(1 << 20))\ntime.sleep(600)";
    let many = bare(code).limits(limits).run().unwrap();
    assert!(matches!(many.end, End::ScratchFull(_)), "{:?}", many.end);
}

#[test]
fn nothing_outlives_a_run() {
    if !can() {
        return;
    }
    let marker = marker();
    let code = "import os, signal, time
for n in range(3):
    if os.fork() == 0:
        os.setsid()
        for s in (1, 2, 15): signal.signal(s, signal.SIG_IGN)
        if os.fork() == 0:
            while True: time.sleep(1)
        os._exit(0)
print('over', flush=True)
os._exit(0)";
    let outcome = bare(code).arg(&marker).run().unwrap();
    assert_eq!(
        (outcome.end, outcome.stdout.text().as_str()),
        (End::Exited(0), "over\n")
    );
    assert_eq!(processes_with(&marker), Vec::<u32>::new());
}

#[test]
fn a_fork_bomb_ends() {
    if !can() {
        return;
    }
    let marker = marker();
    let code = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass";
    let limits = Limits {
        cpu: Duration::from_millis(500),
        wall: Duration::from_secs(30),
        processes: 32,
        ..limits()
    };
    let outcome = bare(code).arg(&marker).limits(limits).run().unwrap();
    assert!(
        matches!(outcome.end, End::CpuTimeout(_) | End::Signalled { .. }),
        "{:?}",
        outcome.end
    );
    assert_eq!(processes_with(&marker), Vec::<u32>::new());
}

#[test]
fn each_limit_ends_a_run() {
    if !can() {
        return;
    }
    let with = |limits, code| bare(code).limits(limits).run().unwrap();
    let cpu = Limits {
        cpu: Duration::from_millis(300),
        ..limits()
    };
    let outcome = with(cpu, "import os\nos.fork()\nwhile True: pass");
    assert!(matches!(outcome.end, End::CpuTimeout(_)), "{:?}", outcome.end);
    let wall = Limits {
        wall: Duration::from_millis(300),
        ..limits()
    };
    let outcome = with(wall, "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)");
    assert!(matches!(outcome.end, End::WallTimeout(_)), "{:?}", outcome.end);
    let memory = Limits {
        memory: 100 << 20,
        ..limits()
    };
    let outcome = with(memory, "x = bytearray(300 << 20)\nimport time; time.sleep(600)");
    assert!(matches!(outcome.end, End::MemoryLimit(_)), "{:?}", outcome.end);
    let output = Limits {
        output: 1000,
        ..limits()
    };
    let outcome = with(output, "while True: print('x' * 100)");
    assert!(matches!(outcome.end, End::OutputLimit(_)), "{:?}", outcome.end);
}

#[test]
fn signals_are_told() {
    if !can() {
        return;
    }
    let outcome = run("import os; os.abort()");
    assert_eq!(outcome.exit, Some(Exit::Signal(6)));
    let missing = Command::new("/no/such/program")
        .isolation(Level::Minimal)
        .run()
        .unwrap_err();
    assert!(
        matches!(missing, redraft_sandbox::Error::Exec { .. }),
        "{missing}"
    );
}

#[test]
fn a_path_that_the_program_cannot_reach_is_an_error_that_says_so() {
    if !can() || !nix::unistd::geteuid().is_root() {
        return;
    }
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let path = folder.path().join("x");
    std::fs::write(&path, "y").unwrap();
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let error = bare("print(1)").readable(&path).run().unwrap_err();
    assert!(
        error
            .to_string()
            .contains("is out of reach for the user that a program gets without namespaces"),
        "{error}"
    );
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let outcome = bare(&format!("print(open('{}').read())", path.display()))
        .readable(&path)
        .run()
        .unwrap();
    assert_eq!(outcome.stdout.text(), "y\n");
}

#[test]
fn runs_one_after_another_know_nothing_of_each_other() {
    if !can() {
        return;
    }
    let code = "import os; print(os.listdir('.'), os.listdir(os.environ['TMPDIR'])); open('x', 'w'); open(os.environ['TMPDIR'] + '/x', 'w')";
    for _ in 0..3 {
        assert_eq!(inside(code), "[] []");
    }
}

#[test]
fn a_harness_that_is_killed_leaves_no_process() {
    if !can() {
        return;
    }
    let marker = marker();
    let mut harness = crate::support::another_harness(&format!("sleep-minimal {marker}"));
    eventually("the program is seen", || processes_with(&marker).len() >= 4);
    harness.kill().unwrap();
    harness.wait().unwrap();
    eventually("nothing is left", || processes_with(&marker).is_empty());
}
