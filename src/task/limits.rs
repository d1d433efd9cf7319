//! What one test of a program may use.

use serde::{Deserialize, Serialize};

/// Limits for one test (one call, one stdin/stdout pair). CPU time decides; wall time is the backstop for
/// programs that sleep or block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// CPU time in milliseconds, of the whole process tree.
    pub cpu_ms: u64,
    /// Wall time in milliseconds.
    pub wall_ms: u64,
    /// Resident memory of the process tree in bytes.
    pub memory_bytes: u64,
    /// Processes and threads alive at the same time.
    pub processes: u32,
    /// Bytes on stdout, and as many on stderr.
    pub output_bytes: u64,
    /// Bytes of files in the scratch directory.
    pub scratch_bytes: u64,
    /// CPU time for compiling the program, in milliseconds, where it isn't the language's usual.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compile_cpu_ms: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            cpu_ms: 10_000,
            wall_ms: 60_000,
            memory_bytes: 512 << 20,
            processes: 64,
            output_bytes: 16 << 20,
            scratch_bytes: 256 << 20,
            compile_cpu_ms: None,
        }
    }
}
