//! On tokio: many at once on one thread, and what is let go of ends.
#![cfg(feature = "tokio")]
#![expect(clippy::unwrap_used, reason = "a test that can't go on says where")]

use std::time::{Duration, Instant};

use redraft_sandbox::{Command, End, Error};

const PYTHON: &str = "/usr/bin/python3";

fn python(code: &str) -> Command {
    let mut command = Command::new(PYTHON);
    command.system_libraries().readable(PYTHON).arg("-c").arg(code);
    command
}

fn on_one_thread<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    runtime.unwrap().block_on(work)
}

/// A text that no other process has in its arguments.
fn marker(name: &str) -> String {
    format!("marker-{name}-{}.", std::process::id())
}

fn is_running(marker: &str) -> bool {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let mut lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).contains(marker))
}

async fn eventually(holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < Duration::from_secs(30));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[test]
fn many_run_at_once_on_one_thread() {
    on_one_thread(async {
        let runs: Vec<_> = (0..12)
            .map(|status| {
                let command = python(&format!(
                    "import time; time.sleep(0.1); raise SystemExit({status})"
                ));
                tokio::spawn(async move { (status, command.run_async().await.unwrap().end) })
            })
            .collect();
        for run in runs {
            let (status, end) = run.await.unwrap();
            assert_eq!(end, End::Exited(status));
        }
    });
}

#[test]
fn a_run_that_is_let_go_of_ends() {
    let marker = marker("run");
    let mut command = python("import time; time.sleep(600)");
    command.arg(&marker);
    on_one_thread(async {
        let run = tokio::spawn(async move { command.run_async().await });
        eventually(|| is_running(&marker)).await;
        run.abort();
        eventually(|| !is_running(&marker)).await;
    });
}

#[test]
fn a_child_can_be_awaited() {
    let end = on_one_thread(async {
        let code = "import os; os.write(3, os.read(3, 9)); raise SystemExit(5)";
        let child = python(code).spawn_async().await?;
        std::io::Write::write_all(&mut child.channel(), b"x").unwrap();
        Ok::<_, Error>(child.await?.end)
    });
    assert_eq!(end.unwrap(), End::Exited(5));
}

#[test]
fn a_child_that_is_let_go_of_while_awaited_ends() {
    let marker = marker("child");
    let mut command = python("import time; time.sleep(600)");
    command.arg(&marker);
    on_one_thread(async {
        let child = command.spawn_async().await.unwrap();
        eventually(|| is_running(&marker)).await;
        let waited = tokio::time::timeout(Duration::from_millis(50), child.wait_async()).await;
        assert!(waited.is_err());
        eventually(|| !is_running(&marker)).await;
    });
}

#[test]
fn what_cannot_be_run_is_an_error() {
    let error = on_one_thread(python("").readable("relative").run_async()).unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
}
