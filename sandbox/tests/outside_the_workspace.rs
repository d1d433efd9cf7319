//! A program of twenty lines in a package of its own uses the crate.

use std::fs;
use std::path::Path;
use std::process::Command;

const PROGRAM: &str = include_str!("../examples/twenty_lines.rs");

#[test]
fn a_program_of_twenty_lines_uses_the_crate() {
    assert!(PROGRAM.lines().count() <= 20);
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::create_dir(path("src")).unwrap();
    fs::write(path("src/main.rs"), PROGRAM).unwrap();
    // The workspace's profile and lock, so that what is compiled already is used again.
    let manifest = format!(
        "[package]\nname = \"elsewhere\"\nedition = \"2024\"\n\n[dependencies]\nredraft-sandbox.path = {here:?}\n\n\
         [profile.dev]\ndebug = \"line-tables-only\"\n\n[profile.dev.package.\"*\"]\ndebug = false\n"
    );
    fs::write(path("Cargo.toml"), manifest).unwrap();
    fs::copy(here.join("../Cargo.lock"), path("Cargo.lock")).unwrap();

    // `target/debug/deps/` is where this test is.
    let test = std::env::current_exe().unwrap();
    let target = test.ancestors().nth(3).unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--offline"])
        .current_dir(folder.path())
        .env("CARGO_TARGET_DIR", target)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.starts_with("5050\n") && said.contains("bytes of memory"),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
