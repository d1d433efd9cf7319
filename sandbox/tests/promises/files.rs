//! What is put in is there, what is made readable can be read, and only scratch can be written.

use std::os::unix::fs::symlink;

use crate::support::{inside, python};

#[test]
fn files_are_put_into_the_working_directory() {
    let code = "import os\nprint(os.getcwd(), sorted(os.listdir('.')), open('a.txt').read(), open('sub/deep/b').read())\nopen('a.txt', 'a').write('!'); open('new', 'w'); os.mkdir('sub/more')\nprint(open('a.txt').read())";
    let outcome = python(code)
        .file("a.txt", "hello")
        .file("sub/deep/b", vec![b'z'; 10_000])
        .run()
        .unwrap();
    let want = format!("/box ['a.txt', 'sub'] hello {}\nhello!\n", "z".repeat(10_000));
    assert_eq!(outcome.stdout.text(), want, "{}", outcome.stderr.text());
}

#[test]
fn files_that_are_put_in_take_nothing_from_the_program() {
    let limits = redraft_sandbox::Limits {
        scratch: 1 << 20,
        ..crate::support::limits()
    };
    let code = "print(open('/tmp/x', 'wb', buffering=0).write(bytes(1 << 20)))";
    let outcome = python(code)
        .file("large", vec![1; 8 << 20])
        .limits(limits)
        .run()
        .unwrap();
    assert_eq!(outcome.stdout.text(), "1048576\n", "{}", outcome.stderr.text());
}

#[test]
fn readable_paths_are_as_on_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().join("real/data");
    std::fs::create_dir_all(&real).unwrap();
    std::fs::write(real.join("file"), "content").unwrap();
    std::fs::write(folder.path().join("hidden"), "secret").unwrap();
    symlink("real", folder.path().join("link")).unwrap();
    symlink(real.join("file"), folder.path().join("absolute")).unwrap();
    let code = "import os, sys
base = sys.argv[1]
print(open(base + '/link/data/file').read(), open(base + '/absolute').read(), os.readlink(base + '/link'), sorted(os.listdir(base)))
for act in (lambda: open(base + '/link/data/new', 'w'), lambda: os.remove(base + '/real/data/file')):
    try: act(); print('worked')
    except OSError as error: print(error.errno)";
    // The temporary folder may itself be below the program's own /tmp.
    let path = folder.path().canonicalize().unwrap();
    let outcome = python(code)
        .arg(&path)
        .readable(path.join("link/data"))
        .readable(path.join("absolute"))
        .run()
        .unwrap();
    assert_eq!(
        outcome.stdout.text(),
        "content content real ['absolute', 'link', 'real']\n30\n30\n",
        "{}",
        outcome.stderr.text()
    );
}

#[test]
fn a_single_file_can_be_made_readable() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut file, b"one").unwrap();
    std::fs::set_permissions(file.path(), std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    let path = file.path().canonicalize().unwrap();
    let outcome = python("import sys; print(open(sys.argv[1]).read())")
        .arg(&path)
        .readable(&path)
        .run()
        .unwrap();
    assert_eq!(outcome.stdout.text(), "one\n", "{}", outcome.stderr.text());
}

#[test]
fn what_changes_in_a_readable_folder_is_seen_by_the_next_run() {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = folder.path().canonicalize().unwrap();
    let look = || {
        let code = "import os, sys
os.chdir(sys.argv[1])
for name in 'abc': print(os.path.exists(name) and open(name).read(), end=' ')
print(sorted(os.listdir()))";
        let outcome = python(code).arg(&path).readable(&path).run().unwrap();
        outcome.stdout.text()
    };
    let write = |name: &str, text: &str| std::fs::write(path.join(name), text).unwrap();
    write("a", "one");
    write("c", "three");
    assert_eq!(look(), "one False three ['a', 'c']\n");
    // Another file by the same name, one that wasn't there, and one that is gone.
    write("new", "another");
    std::fs::rename(path.join("new"), path.join("a")).unwrap();
    write("b", "two");
    std::fs::remove_file(path.join("c")).unwrap();
    assert_eq!(look(), "another two False ['a', 'b']\n");
    write("a", "longer than before");
    assert_eq!(look(), "longer than before two False ['a', 'b']\n");
}

#[test]
fn what_is_mounted_in_a_readable_folder_is_there() {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    let mut points = mounts.lines().filter_map(|line| line.split(' ').nth(4));
    let Some(point) = points.find(|point| point.starts_with("/sys/fs/cgroup/")) else {
        return;
    };
    let code = "import os, sys; print(os.listdir(sys.argv[1]) != [])";
    let outcome = python(code).arg(point).readable("/sys/fs").run().unwrap();
    assert_eq!(outcome.stdout.text(), "True\n", "{}", outcome.stderr.text());
    let state = &outcome.isolation.layers["own_files"];
    assert!(
        matches!(state, redraft_sandbox::LayerState::Missing(gap) if gap.to_string().contains("/sys/fs")),
        "{state:?}"
    );
}

#[test]
fn a_script_can_be_made_in_scratch_and_run() {
    let code = "import os, subprocess\nopen('/tmp/s', 'w').write('#!/usr/bin/python3\\nprint(6*7)')\nos.chmod('/tmp/s', 0o755)\nprint(subprocess.run(['/tmp/s'], capture_output=True, text=True).stdout)";
    assert_eq!(inside(code), "42");
}

#[test]
fn the_usual_modules_work() {
    let code = "import multiprocessing, tempfile, threading, sqlite3, socket, ssl, uuid, secrets
def square(x): return x * x
if __name__ == '__main__':
    with multiprocessing.Pool(2) as pool: print(pool.map(square, range(4)))
    with tempfile.TemporaryDirectory() as folder: print(folder[:5])
    a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))
    from multiprocessing import shared_memory
    memory = shared_memory.SharedMemory(create=True, size=100); memory.close(); memory.unlink()";
    assert_eq!(inside(code), "[0, 1, 4, 9]\n/tmp/\nb'x'");
}

#[test]
fn files_that_are_left_can_be_kept() {
    let code = "import os
os.mkdir('sub'); open('sub/a.txt', 'w').write('left'); open('later', 'w').write('here'); os.symlink('later', 'inner')
os.symlink('/etc/passwd', 'passwd'); os.symlink('/proc/self/environ', 'environ'); os.mkfifo('pipe'); os.remove('given')
open('/tmp/elsewhere', 'w').write('no')
raise SystemExit(3)";
    let mut command = python(code);
    command.file("given", "x");
    for name in [
        "sub/a.txt",
        "later",
        "inner",
        "passwd",
        "environ",
        "pipe",
        "given",
        "sub",
        "../tmp/elsewhere",
        "/etc/passwd",
        "missing",
    ] {
        command.keep(name);
    }
    let outcome = command.run().unwrap();
    assert_eq!(outcome.end, redraft_sandbox::End::Exited(3));
    let found: Vec<_> = outcome
        .files
        .iter()
        .map(|(path, content)| (path.to_str().unwrap(), content.as_slice()))
        .collect();
    assert_eq!(
        found,
        [
            ("inner", b"here".as_slice()),
            ("later", b"here"),
            ("sub/a.txt", b"left")
        ]
    );
}
