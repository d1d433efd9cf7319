//! Any bytes through the readers of suites: a suite or one error, never a panic. Whatever is read can be contradicted or not,
//! and what it becomes can be read again.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use redraft::judge::impossible;
use redraft::task::{How, suites};

fuzz_target!(|bytes: &[u8]| {
    let Ok(suite) = suites::from_bytes(Path::new("suite"), bytes.to_vec()) else {
        return;
    };
    for task in &suite.tasks {
        for how in [How::Conflict, How::OneOff] {
            let Some(written) = impossible(task, how) else {
                continue;
            };
            let line = serde_json::to_vec(&written).expect("a task can be written");
            let read = suites::from_bytes(Path::new("written"), line).expect("what was written can be read");
            assert_eq!(read.tasks[0].id, task.id);
            assert!(read.impossible);
        }
    }
});
