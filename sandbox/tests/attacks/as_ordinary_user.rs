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
        .args([
            "--skip",
            "as_ordinary_user",
            "--test-threads",
            "4",
            "--show-output",
        ])
        .current_dir(folder.path())
        .env("TMPDIR", folder.path());
    tests.uid(ORDINARY).gid(ORDINARY);
    let output = loop {
        match tests.output() {
            // A process that another test has just forked holds the copy open for writing until its own `execve`.
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            other => break other.unwrap(),
        }
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(text.contains("test result: ok"), "{text}");
    // Which of them can't be shown to this user, and why.
    println!("{text}");
}
