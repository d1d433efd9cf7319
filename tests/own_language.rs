//! The languages that docs/languages.md adds work as it says.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;

use assert_cmd::Command;

const DOCS: &str = include_str!("../docs/languages.md");

/// The fenced blocks of that kind.
fn blocks(kind: &str) -> Vec<String> {
    let open = format!("```{kind}\n");
    DOCS.split(&open)
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap().to_owned())
        .collect()
}

fn redraft(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::cargo_bin("redraft")
        .unwrap()
        .current_dir(folder)
        .env("XDG_CONFIG_HOME", folder.join("config"))
        .args(args)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// A folder with the documented definitions.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let definitions = blocks("toml");
    assert_eq!(definitions.len(), 2);
    for text in definitions {
        let name = text.lines().next().unwrap().split('"').nth(1).unwrap().to_owned();
        std::fs::write(folder.path().join(format!("{name}.toml")), text).unwrap();
    }
    folder
}

#[test]
fn an_interpreted_one() {
    let folder = folder();
    std::fs::write(folder.path().join("sum.awk"), blocks("awk")[0].as_str()).unwrap();
    std::fs::write(folder.path().join("numbers"), "20\n22\n").unwrap();
    let args = ["--languages", "awk.toml", "run", "sum.awk", "--stdin", "numbers"];
    let (code, stdout, stderr) = redraft(folder.path(), &args);
    if stderr.contains("isn't installed") {
        assert!(std::env::var_os("REDRAFT_NO_SKIP").is_none(), "{stderr}");
        eprintln!("skipped: {stderr}");
        return;
    }
    assert_eq!((code, stdout.as_str()), (Some(0), "42\n"), "{stderr}");

    let (code, _, stderr) = redraft(folder.path(), &args[2..]);
    assert_eq!(code, Some(2), "only with --languages: {stderr}");
    std::fs::create_dir_all(folder.path().join("config/redraft/languages")).unwrap();
    std::fs::copy(
        folder.path().join("awk.toml"),
        folder.path().join("config/redraft/languages/awk.toml"),
    )
    .unwrap();
    let (code, stdout, stderr) = redraft(folder.path(), &args[2..]);
    assert_eq!(
        (code, stdout.as_str()),
        (Some(0), "42\n"),
        "or with the user's folder: {stderr}"
    );
}

#[test]
#[cfg(target_arch = "x86_64")]
fn a_compiled_one() {
    let folder = folder();
    let program = "
        .globl _start
_start: mov $1, %eax
        mov $1, %edi
        lea text(%rip), %rsi
        mov $6, %edx
        syscall
        mov $60, %eax
        xor %edi, %edi
        syscall
text:   .ascii \"hello\\n\"
";
    std::fs::write(folder.path().join("hello.s"), program).unwrap();
    let case =
        r#"{"language": "assembler", "tests": [{"name": "a", "type": "stdin", "expected_stdout": "hello"}]}"#;
    std::fs::write(folder.path().join("case.json"), case).unwrap();
    let args = ["--languages", ".", "test", "hello.s", "--tests", "case.json"];
    let (code, stdout, stderr) = redraft(folder.path(), &args);
    if stderr.contains("isn't installed") {
        assert!(std::env::var_os("REDRAFT_NO_SKIP").is_none(), "{stderr}");
        eprintln!("skipped: {stderr}");
        return;
    }
    assert_eq!((code, stdout.as_str()), (Some(0), "passed  1/1\n"), "{stderr}");

    std::fs::write(folder.path().join("hello.s"), "mov $1, %nothing\n").unwrap();
    let (code, stdout, stderr) = redraft(folder.path(), &args);
    assert_eq!(code, Some(1), "{stderr}");
    assert!(
        stdout.contains("compile_error") && stdout.contains("solution.s:1"),
        "{stdout}"
    );
}

#[test]
fn what_is_wrong_is_said() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.toml"), "name = \"x\"\ntitel = \"X\"\n").unwrap();
    std::fs::write(folder.path().join("p.py"), "print(1)\n").unwrap();
    for (args, wanted) in [
        (
            &["--languages", "x.toml", "run", "p.py"][..],
            "x.toml: line 2: unknown field `titel`",
        ),
        (
            &["--languages", "missing.toml", "run", "p.py"],
            "missing.toml: No such file",
        ),
        (
            &["run", "p.py", "--language", "cobol"],
            "--language cobol: no such language; known are bash, c, cpp",
        ),
        (
            &["run", "x.toml"],
            "the language of x.toml can't be told by its ending",
        ),
    ] {
        let (code, stdout, stderr) = redraft(folder.path(), args);
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{stderr}");
        assert!(stderr.contains(wanted), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }
}

#[test]
fn a_language_goes_by_name_or_by_ending() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("program"), "echo \"$((6 * 7))\"\n").unwrap();
    std::fs::write(folder.path().join("program.bash"), "echo \"$((6 * 7))\"\n").unwrap();
    for args in [
        &["run", "program", "--language", "Bash"][..],
        &["run", "program.bash"],
    ] {
        let (code, stdout, stderr) = redraft(folder.path(), args);
        assert_eq!((code, stdout.as_str()), (Some(0), "42\n"), "{stderr}");
    }
}
