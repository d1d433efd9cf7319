//! Any bytes as a message of a program's: refused, or understood exactly as they are written again, never a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use redraft::judge::reads_as_written;

fuzz_target!(|frame: &[u8]| {
    assert_ne!(reads_as_written(frame), Some(false));
});
