//! What fails for root fails for an ordinary user.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt as _;

/// An id that no test machine gives rights to.
const ORDINARY: u32 = 65534;

#[test]
fn all_attacks_fail_for_an_ordinary_user_too() {
    if !nix::unistd::geteuid().is_root() {
        println!("skipped: these tests run as an ordinary user already");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o777)).unwrap();
    let copy = folder.path().join("attacks");
    std::fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    let mut tests = std::process::Command::new(copy);
    tests
        .args(["--skip", "as_ordinary_user"])
        .current_dir(folder.path())
        .env("TMPDIR", folder.path());
    let output = tests.uid(ORDINARY).gid(ORDINARY).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(text.contains("test result: ok"), "{text}");
}
