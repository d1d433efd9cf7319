//! A program beside the caller: they talk, its limits hold, and it goes when the caller lets go.

use std::io::{Read as _, Write as _};
use std::time::Duration;

use redraft_sandbox::{End, Limits};

use crate::support::{eventually, limits, marker, processes_with, python};

const ECHO: &str = "import socket
s = socket.socket(fileno=3)
while True:
    data = s.recv(100)
    if not data: break
    s.send(data.upper())
";

#[test]
fn they_talk_over_descriptor_3() {
    let child = python(ECHO).spawn().unwrap();
    let mut reply = [0; 5];
    for _ in 0..3 {
        child.channel().write_all(b"hello").unwrap();
        child.channel().read_exact(&mut reply).unwrap();
        assert_eq!(&reply, b"HELLO");
    }
    child.channel().shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(child.wait().unwrap().end, End::Exited(0));
}

#[test]
fn the_end_of_the_program_is_an_end_of_file() {
    let child = python("import os; os.write(3, b'bye'); print('out', flush=True); os._exit(4)")
        .spawn()
        .unwrap();
    let mut all = String::new();
    child.channel().read_to_string(&mut all).unwrap();
    let outcome = child.wait().unwrap();
    assert_eq!(
        (all.as_str(), outcome.end, outcome.stdout.text().as_str()),
        ("bye", End::Exited(4), "out\n")
    );
}

#[test]
fn a_read_can_time_out_and_the_program_goes_on() {
    let child = python(ECHO).spawn().unwrap();
    child
        .channel()
        .set_read_timeout(Some(Duration::from_millis(20)))
        .unwrap();
    assert!(child.channel().read(&mut [0; 1]).is_err());
    child.channel().set_read_timeout(None).unwrap();
    child.channel().write_all(b"x").unwrap();
    child.channel().read_exact(&mut [0; 1]).unwrap();
}

#[test]
fn usage_can_be_asked_while_it_runs() {
    let code = "import socket, time
s = socket.socket(fileno=3)
s.send(b'a'); s.recv(1)
x = bytearray(50 << 20)
end = time.process_time() + 0.2
while time.process_time() < end: pass
s.send(b'b'); s.recv(1)";
    let child = python(code).spawn().unwrap();
    child.channel().read_exact(&mut [0; 1]).unwrap();
    let before = (child.cpu_time(), child.peak_memory());
    child.channel().write_all(b"x").unwrap();
    child.channel().read_exact(&mut [0; 1]).unwrap();
    let used = child.cpu_time().saturating_sub(before.0);
    assert!(
        used >= Duration::from_millis(190) && used < Duration::from_secs(5),
        "{used:?}"
    );
    assert!(child.peak_memory() >= before.1 + (49 << 20));
}

#[test]
fn killing_ends_it_and_says_so() {
    let marker = marker();
    let child = python("import os, time\nos.fork(); os.write(3, b'x'); time.sleep(600)")
        .arg(&marker)
        .spawn()
        .unwrap();
    child.channel().read_exact(&mut [0; 2]).unwrap();
    assert_eq!(processes_with(&marker).len(), 2);
    child.kill();
    child.kill();
    assert_eq!(child.wait().unwrap().end, End::Killed);
    assert_eq!(processes_with(&marker), Vec::<u32>::new());
}

#[test]
fn what_was_over_before_the_kill_keeps_its_end() {
    for _ in 0..50 {
        let child = python("raise SystemExit(9)").spawn().unwrap();
        child.channel().read_to_end(&mut Vec::new()).unwrap();
        // The channel closes a moment before the exit is complete: either may come first, but nothing else.
        child.kill();
        let end = child.wait().unwrap().end;
        assert!(matches!(end, End::Exited(9) | End::Killed), "{end:?}");
    }
    let marker = marker();
    let child = python("import os; os.read(3, 1); raise SystemExit(9)")
        .arg(&marker)
        .spawn()
        .unwrap();
    eventually("the program is seen", || processes_with(&marker).len() == 1);
    let process = format!("/proc/{}", processes_with(&marker)[0]);
    child.channel().write_all(b"x").unwrap();
    eventually("the program is reaped", || {
        !std::path::Path::new(&process).exists()
    });
    child.kill();
    assert_eq!(child.wait().unwrap().end, End::Exited(9));
}

#[test]
fn limits_hold_though_nobody_waits() {
    let marker = marker();
    let limits = Limits {
        cpu: Duration::from_millis(200),
        ..limits()
    };
    let child = python("while True: pass")
        .arg(&marker)
        .limits(limits)
        .spawn()
        .unwrap();
    eventually("the program is seen", || !processes_with(&marker).is_empty());
    eventually("the program is gone", || processes_with(&marker).is_empty());
    assert!(child.cpu_time() >= Duration::from_millis(200));
    assert_eq!(child.wait().unwrap().end.name(), "cpu_timeout");
}

#[test]
fn letting_go_ends_it() {
    let marker = marker();
    let child = python("import os\nwhile True:\n    try: os.fork()\n    except OSError: pass")
        .arg(&marker)
        .spawn()
        .unwrap();
    eventually("the program is seen", || !processes_with(&marker).is_empty());
    drop(child);
    assert_eq!(processes_with(&marker), Vec::<u32>::new());
}

#[test]
fn stdin_and_stdout_work_beside_the_channel() {
    let code =
        "import os, sys; data = sys.stdin.read(); os.write(3, str(len(data)).encode()); print(data[:3])";
    let child = python(code).stdin(vec![b'q'; 1 << 20]).spawn().unwrap();
    let mut all = String::new();
    child.channel().read_to_string(&mut all).unwrap();
    assert_eq!(
        (all.as_str(), child.wait().unwrap().stdout.text().as_str()),
        ("1048576", "qqq\n")
    );
}
