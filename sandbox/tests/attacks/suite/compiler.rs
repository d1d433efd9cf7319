//! Programs in C, each compiled once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError};

use tempfile::TempDir;

/// The program made from `source`; `None` when there is no compiler.
pub(crate) fn compiled(source: &'static str) -> Option<PathBuf> {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    static MADE: Mutex<Option<HashMap<&'static str, PathBuf>>> = Mutex::new(None);
    let compiler = compiler()?;
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(folder.path(), mode).unwrap();
        folder
    });
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let made = made.get_or_insert_default();
    if let Some(path) = made.get(source) {
        return Some(path.clone());
    }
    let text = folder.path().join(format!("{}.c", made.len()));
    let program = text.with_extension("");
    std::fs::write(&text, source).unwrap();
    let output = Command::new(compiler)
        .args(["-O1", "-w", "-pthread", "-o"])
        .args([&program, &text])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    made.insert(source, program.clone());
    Some(program)
}

fn compiler() -> Option<&'static Path> {
    ["/usr/bin/cc", "/usr/bin/gcc", "/usr/bin/clang"]
        .map(Path::new)
        .into_iter()
        .find(|path| path.exists())
}
