//! What other harnesses are made to do, each in a process of its own.

use std::time::{Duration, SystemTime};

use nix::libc;
use redraft_sandbox::{End, Error, LayerState, Level};
use rlimit::Resource;

use super::{nothing, python, with};

/// Not a test by itself: what `another_harness` runs.
#[test]
fn the_task_of_another_harness() {
    let Ok(task) = std::env::var("REDRAFT_TEST_TASK") else {
        return;
    };
    let (name, argument) = task.split_once(' ').unwrap_or((&task, ""));
    match name {
        "hostile-for-ever" => hostile_for_ever(argument),
        "without-standard-streams" => without_standard_streams(),
        "with-a-timer" => with_a_timer(),
        "with-busy-threads" => with_busy_threads(),
        "with-few-descriptors" => with_few_descriptors(),
        "without-file-size" => without_file_size(),
        "without-processes" => without_processes(),
        "in-a-lost-folder" => in_a_lost_folder(),
        "with-an-odd-mask" => with_an_odd_mask(),
        "after-a-fork" => after_a_fork(),
        "with-a-jumping-clock" => with_a_jumping_clock(),
        "as-process-one" => as_process_one(),
        "truthfully" => truthfully(),
        "many-hostile" => many_hostile(),
        other => panic!("no such task: {other}"),
    }
}

fn assert_it_works() {
    let outcome = python("print('on'); raise SystemExit(7)").run().unwrap();
    assert_eq!(
        (outcome.end, outcome.stdout.text().as_str()),
        (End::Exited(7), "on\n")
    );
}

fn hostile_for_ever(marker: &str) {
    let code = "import os, time
for _ in range(3): os.fork()
os.setsid() if os.getpid() > 3 else 0
open('/box/file%d' % os.getpid(), 'w').write('x')
time.sleep(0.02 if os.getpid() == 2 else 600)";
    println!("ready");
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let mut command = python(code);
                    command.arg(marker).file("given", "content");
                    command.run().unwrap();
                }
            });
        }
    });
}

fn without_standard_streams() {
    for number in 0..3 {
        // SAFETY: nobody in this process uses them from here on.
        unsafe { libc::close(number) };
    }
    assert_it_works();
    let outcome = python("print(len(open(0).read()))")
        .stdin(vec![b'x'; 100_000])
        .run();
    let outcome = outcome.unwrap();
    assert_eq!(outcome.stdout.text(), "100000\n");
    // The test runner would report to whatever has got the number of its stdout.
    // SAFETY: ends only this process, which has nothing left to do.
    unsafe { libc::_exit(0) }
}

extern "C" fn on_alarm(_: libc::c_int) {}

fn with_a_timer() {
    let period = libc::timeval {
        tv_sec: 0,
        tv_usec: 1000,
    };
    let timer = libc::itimerval {
        it_interval: period,
        it_value: period,
    };
    // SAFETY: the handler does nothing; the structures outlive the calls. Without SA_RESTART calls are interrupted.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_alarm as *const () as usize;
        libc::sigaction(libc::SIGALRM, &raw const action, std::ptr::null_mut());
        libc::setitimer(libc::ITIMER_REAL, &raw const timer, std::ptr::null_mut());
    }
    for _ in 0..5 {
        assert_it_works();
    }
    let outcome = python("import sys; print(len(sys.stdin.read()))")
        .stdin(vec![b'x'; 3 << 20])
        .run();
    assert_eq!(outcome.unwrap().stdout.text(), "3145728\n");
}

/// Forking from a process whose threads hold the allocator's locks is what goes wrong elsewhere.
fn with_busy_threads() {
    let over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for size in 0..32_usize {
            let over = &over;
            scope.spawn(move || {
                while !over.load(std::sync::atomic::Ordering::Relaxed) {
                    std::hint::black_box(vec![1_u8; 100 + size * 1000]);
                    std::thread::yield_now();
                }
            });
        }
        let runs: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| (0..10).all(|_| nothing().run().unwrap().end == End::Exited(0))))
            .collect();
        let fine = runs.into_iter().all(|run| run.join().unwrap());
        over.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(fine);
    });
}

fn with_few_descriptors() {
    let (soft, hard) = Resource::NOFILE.get().unwrap();
    for most in 3..40 {
        Resource::NOFILE.set(most, hard).unwrap();
        let result = nothing().run();
        Resource::NOFILE.set(soft, hard).unwrap();
        if let Ok(outcome) = result {
            assert_eq!(outcome.end, End::Exited(0), "with {most} descriptors");
        }
    }
    assert_it_works();
}

fn without_file_size() {
    let (_, hard) = Resource::FSIZE.get().unwrap();
    Resource::FSIZE.set(0, hard).unwrap();
    if let Ok(outcome) = nothing().run() {
        assert_eq!(outcome.end, End::Exited(0));
    }
}

fn without_processes() {
    let (soft, hard) = Resource::NPROC.get().unwrap();
    Resource::NPROC.set(1, hard).unwrap();
    if let Ok(outcome) = nothing().run() {
        assert_eq!(outcome.end, End::Exited(0));
    }
    Resource::NPROC.set(soft, hard).unwrap();
    assert_it_works();
}

fn in_a_lost_folder() {
    let folder = tempfile::tempdir().unwrap();
    std::env::set_current_dir(folder.path()).unwrap();
    folder.close().unwrap();
    assert!(std::env::current_dir().is_err(), "the control");
    assert_it_works();
}

fn with_an_odd_mask() {
    nix::sys::stat::umask(nix::sys::stat::Mode::from_bits_truncate(0o777));
    let code = "import os
print(open('sub/given').read())
for folder in ('/box', '/tmp', '/dev/shm', '/box/sub'): open(folder + '/new', 'w').write('x')
print(oct(os.umask(0)), os.listdir('/etc') != [])";
    let outcome = python(code).file("sub/given", "content").run().unwrap();
    assert_eq!(
        outcome.stdout.text(),
        "content\n0o22 True\n",
        "{}",
        outcome.stderr.text()
    );
}

fn after_a_fork() {
    assert_it_works();
    // SAFETY: this process has one thread but for those of runs, and there is none at the moment.
    match unsafe { nix::unistd::fork() }.unwrap() {
        nix::unistd::ForkResult::Child => {
            assert_it_works();
            // SAFETY: ends only this process.
            unsafe { libc::_exit(0) }
        }
        nix::unistd::ForkResult::Parent { child } => {
            assert_it_works();
            let status = nix::sys::wait::waitpid(child, None).unwrap();
            assert_eq!(status, nix::sys::wait::WaitStatus::Exited(child, 0));
        }
    }
    assert_it_works();
}

/// A library that is loaded before all others has the wall clock jump by an hour at each look.
fn with_a_jumping_clock() {
    let (one, other) = (SystemTime::now(), SystemTime::now());
    let jump = one.max(other).duration_since(one.min(other)).unwrap();
    assert!(jump > Duration::from_mins(30), "the control: {jump:?}");

    let outcome = python("import time; time.sleep(0.2)").run().unwrap();
    assert_eq!(outcome.end, End::Exited(0));
    let wall = outcome.usage.wall;
    assert!(
        wall >= Duration::from_millis(200) && wall < Duration::from_mins(5),
        "{wall:?}"
    );
    let limits = with(|limits| limits.wall = Duration::from_millis(300));
    let outcome = python("import time; time.sleep(600)")
        .limits(limits)
        .run()
        .unwrap();
    assert!(matches!(outcome.end, End::WallTimeout(_)), "{:?}", outcome.end);
    assert!(
        outcome.usage.wall < Duration::from_mins(5),
        "{:?}",
        outcome.usage.wall
    );
}

fn as_process_one() {
    assert_eq!(std::process::id(), 1, "the control");
    for _ in 0..5 {
        let code =
            "import os\nfor _ in range(5):\n    if os.fork() == 0: os.setsid(); os.fork(); os._exit(0)";
        assert_eq!(python(code).run().unwrap().end, End::Exited(0));
    }
    let zombies = std::fs::read_dir("/proc").unwrap().flatten().filter(|entry| {
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        stat.rsplit_once(')')
            .is_some_and(|(_, rest)| rest.starts_with(" Z"))
    });
    assert_eq!(zombies.count(), 0);
}

/// On a host that refuses something: what is missing is said, as an error or in the receipt.
fn truthfully() {
    match nothing().run() {
        Err(error) => {
            assert!(matches!(error, Error::Unsupported { .. }), "{error:?}");
            println!("an error: {error}");
        }
        Ok(outcome) => {
            assert_eq!(outcome.end, End::Exited(0));
            let isolation = outcome.isolation;
            if isolation.level == Level::Minimal {
                assert!(
                    matches!(isolation.layers["user_ns"], LayerState::Missing(_)),
                    "{isolation:?}"
                );
            }
            println!("{:?}", isolation.level);
            for (name, state) in isolation.layers {
                println!("{name}: {state:?}");
            }
        }
    }
    println!("it was truthful");
}

/// What a process has of the kernel's, besides memory.
#[derive(Debug, PartialEq, Eq)]
struct Holdings {
    descriptors: usize,
    threads: usize,
    children: usize,
    mounts: usize,
}

impl Holdings {
    fn of_this_process() -> Self {
        let count = |path: &str| std::fs::read_dir(path).unwrap().count();
        let children = std::fs::read_to_string(format!("/proc/self/task/{}/children", std::process::id()));
        Self {
            descriptors: count("/proc/self/fd"),
            threads: count("/proc/self/task"),
            children: children.unwrap_or_default().split_whitespace().count(),
            mounts: std::fs::read_to_string("/proc/self/mountinfo")
                .unwrap()
                .lines()
                .count(),
        }
    }
}

fn many_hostile() {
    let hostile = [
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
        "x = [b'x' * (1 << 20) for _ in range(1000)]",
        "import os\nwhile True: os.write(1, b'x' * 100_000)",
        "import os\nfor n in range(500): os.dup(0)\nos.kill(0, 9)",
        "import os, time\nif os.fork() == 0: os.setsid(); time.sleep(600)",
        "open('/box/x', 'wb').write(bytes(100 << 20))",
    ];
    let limits = with(|limits| {
        limits.cpu = Duration::from_millis(150);
        limits.memory = 64 << 20;
        limits.output = 1 << 20;
        limits.scratch = 8 << 20;
    });
    let all = || {
        for code in hostile {
            let end = python(code).limits(limits).run().unwrap().end;
            assert!(
                !matches!(end, End::SandboxFailed | End::Killed),
                "{code}: {end:?}"
            );
        }
    };
    all();
    let before = Holdings::of_this_process();
    all();
    all();
    assert_eq!(Holdings::of_this_process(), before);
}
