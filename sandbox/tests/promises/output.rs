//! What goes in and out through the pipes is exact, never stops a run, and is capped.

use redraft_sandbox::{End, Limits};

use crate::support::{confined, limits, python};

#[test]
fn both_streams_arrive_byte_for_byte() {
    let code = "import os\nos.write(1, bytes(range(256)) * 600)\nos.write(2, b'\\xff\\x00err')";
    let outcome = confined(code);
    let want: Vec<u8> = (0..=255_u8).cycle().take(256 * 600).collect();
    assert_eq!(outcome.stdout.bytes, want);
    assert_eq!(outcome.stderr.bytes, b"\xff\0err");
    assert_eq!(outcome.stderr.text(), "\u{fffd}\0err");
}

#[test]
fn too_much_output_ends_the_run_and_its_beginning_is_kept() {
    for stream in [1, 2] {
        let code = format!("import os\nwhile True: os.write({stream}, b'0123456789' * 10_000)");
        let limits = Limits {
            output: 1 << 20,
            ..limits()
        };
        let outcome = python(&code).limits(limits).run().unwrap();
        assert_eq!(outcome.end.name(), "output_limit");
        let (full, other) = if stream == 1 {
            (outcome.stdout, outcome.stderr)
        } else {
            (outcome.stderr, outcome.stdout)
        };
        assert_eq!(full.bytes.len(), 1 << 20);
        assert!(full.bytes.starts_with(b"01234567890123"));
        assert!(full.dropped > 0);
        assert_eq!((other.bytes.len(), other.dropped), (0, 0));
    }
}

#[test]
fn a_hundred_megabytes_do_not_stop_it() {
    let code =
        "import sys\nfor _ in range(100): sys.stdout.write('x' * (1 << 20)); sys.stderr.write('y' * 1000)";
    let limits = Limits {
        output: 200 << 20,
        ..limits()
    };
    let outcome = python(code).limits(limits).run().unwrap();
    assert_eq!(
        (outcome.end, outcome.stdout.bytes.len()),
        (End::Exited(0), 100 << 20)
    );
    assert_eq!(outcome.stderr.bytes.len(), 100_000);
}

#[test]
fn exactly_the_limit_is_allowed_and_one_byte_more_is_not() {
    let run = |bytes: usize| {
        let limits = Limits {
            output: 5000,
            ..limits()
        };
        python(&format!("import os; os.write(1, bytes({bytes}))"))
            .limits(limits)
            .run()
            .unwrap()
    };
    assert_eq!(run(5000).end, End::Exited(0));
    let outcome = run(5001);
    assert_eq!(
        (
            outcome.end.name(),
            outcome.stdout.bytes.len(),
            outcome.stdout.tail.as_slice(),
            outcome.stdout.dropped
        ),
        ("output_limit", 5000, &b"\0"[..], 0)
    );
}

#[test]
fn stdin_that_is_never_read_does_not_stop_it() {
    assert_eq!(
        python("print('on')")
            .stdin(vec![b'x'; 10 << 20])
            .run()
            .unwrap()
            .end,
        End::Exited(0)
    );
    let outcome = python("import os; os.close(0); print('on')")
        .stdin(vec![b'x'; 10 << 20])
        .run()
        .unwrap();
    assert_eq!(outcome.stdout.text(), "on\n");
}

#[test]
fn stdin_arrives_whole_also_when_read_late_and_echoed() {
    let input: Vec<u8> = (0..=255_u8).cycle().take(10 << 20).collect();
    let code = "import sys, time\ntime.sleep(0.2)\nwhile True:\n    chunk = sys.stdin.buffer.read(1 << 16)\n    if not chunk: break\n    sys.stdout.buffer.write(chunk)";
    let outcome = python(code).stdin(input.clone()).run().unwrap();
    assert_eq!(outcome.end, End::Exited(0));
    assert!(outcome.stdout.bytes == input);
}

#[test]
fn without_stdin_there_is_an_end_of_file() {
    assert_eq!(
        confined("import sys; print(repr(sys.stdin.read()))")
            .stdout
            .text(),
        "''\n"
    );
}

#[test]
fn the_streams_are_pipes() {
    let code = "import os, stat; print([stat.S_ISFIFO(os.fstat(n).st_mode) for n in range(3)], os.isatty(1))";
    assert_eq!(confined(code).stdout.text(), "[True, True, True] False\n");
}
