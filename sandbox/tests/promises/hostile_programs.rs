//! Every hostile program at hand, run plainly: it ends within its limits and leaves nothing.

use std::path::PathBuf;
use std::time::Duration;

use redraft_sandbox::Limits;

use crate::support::{Traces, limits, marker, processes_with, python};

fn shared() -> PathBuf {
    let given = std::env::var_os("REDRAFT_SHARED").map(PathBuf::from);
    given.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"))
}

#[test]
fn hostile_programs_end_and_leave_nothing() {
    let folder = shared().join("cases/hacks");
    let Ok(files) = std::fs::read_dir(&folder) else {
        println!("skipped: there is no {}", folder.display());
        return;
    };
    let limits = Limits {
        cpu: Duration::from_secs(5),
        wall: Duration::from_secs(20),
        ..limits()
    };
    let mut count = 0;
    for path in files.flatten().map(|entry| entry.path()) {
        let source = std::fs::read_to_string(&path).unwrap();
        let marker = marker();
        let empty = tempfile::tempdir().unwrap();
        let before = Traces::look(empty.path());
        // As it is, and with its function called, as a test would.
        for call in ["", "\n\nfor n in (0, 1, 5, 100): print(sum_to_n(n))\n"] {
            let run = "import runpy, sys; runpy.run_path('/box/main.py', run_name='__main__')";
            let outcome = python(run)
                .arg(&marker)
                .file("main.py", format!("{source}{call}"))
                .limits(limits)
                .run()
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            println!("{}: {:?} {:?}", path.display(), outcome.end, outcome.usage);
            assert!(
                outcome.usage.cpu < Duration::from_secs(6),
                "{}: {:?}",
                path.display(),
                outcome.usage
            );
            assert_eq!(processes_with(&marker), Vec::<u32>::new(), "{}", path.display());
            assert_eq!(Traces::look(empty.path()), before, "{}", path.display());
        }
        count += 1;
    }
    assert!(count > 0, "{} is empty", folder.display());
}
