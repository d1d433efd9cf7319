//! What honest programs do works: threads, processes, locks, compilers, each language's own machinery.

use std::path::Path;
use std::time::Duration;

use redraft_sandbox::{Command, End, Limits};

use crate::support::{inside, limits};

/// Paths that one or the other of the languages below needs; those that aren't there are left out.
const NEEDED: [&str; 8] = [
    "/usr/bin",
    "/bin",
    "/usr/include",
    "/usr/libexec",
    "/usr/share/nodejs",
    "/etc/java-17-openjdk",
    "/etc/java-21-openjdk",
    "/etc/ssl/openssl.cnf",
];

/// A confined shell with the host's tools, for scripts of several steps.
fn shell(script: &str, readable: &[&Path]) -> Command {
    let mut command = Command::new("/bin/sh");
    command.system_libraries().arg("-ec").arg(script);
    for path in NEEDED.iter().map(Path::new).chain(readable.iter().copied()) {
        if path.exists() {
            command.readable(path);
        }
    }
    for (name, value) in [
        ("PATH", "/usr/bin:/bin"),
        ("HOME", "/box"),
        ("TMPDIR", "/tmp"),
        ("LANG", "C.UTF-8"),
    ] {
        command.env(name, value);
    }
    command.limits(Limits {
        cpu: Duration::from_mins(2),
        wall: Duration::from_mins(10),
        memory: 2 << 30,
        processes: 256,
        ..limits()
    });
    command
}

/// What a command prints; it must end well.
fn output(command: &Command) -> String {
    let outcome = command.run().unwrap();
    let text = outcome.stdout.text();
    assert!(
        matches!(outcome.end, End::Exited(0)),
        "{:?}\n{text}\n{}",
        outcome.end,
        outcome.stderr.text()
    );
    text.trim().to_owned()
}

/// Whether the host has a tool; says so where not.
#[expect(clippy::print_stdout, reason = "a test says why it is skipped")]
fn has(tool: &str) -> bool {
    let there = Path::new("/usr/bin").join(tool).exists();
    if !there {
        println!("skipped: /usr/bin/{tool} isn't there");
        assert!(
            std::env::var_os("REDRAFT_NO_SKIP").is_none(),
            "{tool} is needed here"
        );
    }
    there
}

#[test]
fn python_has_threads_processes_pools_locks_and_databases() {
    let code = "import asyncio, concurrent.futures as futures, fcntl, multiprocessing, os, queue, signal, socket
import sqlite3, subprocess, sys, tempfile, threading
with futures.ThreadPoolExecutor(4) as pool: assert sum(pool.map(abs, range(-9, 0))) == 45
with multiprocessing.Pool(2) as pool: assert pool.map(abs, [-1, -2]) == [1, 2]
q = multiprocessing.Queue()
p = multiprocessing.Process(target=q.put, args=(7,)); p.start(); assert q.get() == 7; p.join()
assert multiprocessing.Value('i', 3).value == 3
assert subprocess.run([sys.executable, '-c', 'print(5)'], capture_output=True, text=True).stdout == '5\\n'
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)
os.killpg(child.pid, signal.SIGTERM); assert child.wait() == -15
async def two(): return await asyncio.gather(asyncio.to_thread(lambda: 1), asyncio.sleep(0, 2))
assert asyncio.run(two()) == [1, 2]
a, b = socket.socketpair(); a.send(b'x'); assert b.recv(1) == b'x'
s = socket.socket(socket.AF_UNIX); s.bind('/tmp/s'); s.listen()
c = socket.socket(socket.AF_UNIX); c.connect('/tmp/s'); s.accept()
with tempfile.TemporaryDirectory() as d:
    db = sqlite3.connect(d + '/x.db'); db.execute('create table t (x)'); db.commit()
    with open(d + '/lock', 'w') as f: fcntl.flock(f, fcntl.LOCK_EX); fcntl.lockf(f, fcntl.LOCK_UN)
    os.chmod(d + '/lock', 0o600); os.rename(d + '/lock', '/tmp/moved'); os.symlink('moved', '/tmp/link')
seen = []
signal.signal(signal.SIGALRM, lambda *a: seen.append(1)); signal.setitimer(signal.ITIMER_REAL, 0.01); signal.pause()
assert seen == [1]
os.kill(os.getpid(), 0)
print('ok')";
    assert_eq!(inside(code), "ok");
}

#[test]
fn a_shell_has_pipes_jobs_and_redirections() {
    if !has("sort") {
        return;
    }
    let script = "echo b > x; echo a >> x; sort x | cat > /dev/null; sort < x | head -1
(sleep 600 & kill $!; wait) ; mkdir -p d/e; mv x d/e; cp d/e/x y; cat y | wc -l; date > /dev/null";
    assert_eq!(output(&shell(script, &[])), "a\n2");
}

#[test]
fn node_has_workers_children_and_files() {
    if !has("node") {
        return;
    }
    let code = "const { Worker, isMainThread, parentPort } = require('worker_threads');
const { execFileSync } = require('child_process'); const fs = require('fs'); const os = require('os');
fs.writeFileSync('/tmp/x', 'y'); fs.chmodSync('/tmp/x', 0o600);
if (execFileSync(process.execPath, ['-e', 'console.log(6)']).toString() !== '6\\n') throw 1;
require('crypto').randomBytes(8); os.networkInterfaces(); os.cpus();
new Worker('require(\"worker_threads\").parentPort.postMessage(7)', { eval: true }).on('message', m => console.log(m));";
    let mut command = shell("exec node main.js", &[]);
    command.file("main.js", code);
    assert_eq!(output(&command), "7");
}

#[test]
fn java_compiles_and_runs_with_threads() {
    if !has("javac") {
        return;
    }
    let code = "import java.util.*; import java.util.concurrent.*; import java.util.stream.*;
public class Main { public static void main(String[] a) throws Exception {
  var pool = Executors.newFixedThreadPool(4);
  var futures = IntStream.range(0, 8).mapToObj(i -> pool.submit(() -> i)).collect(Collectors.toList());
  int sum = 0; for (var f : futures) sum += f.get(); pool.shutdown();
  System.out.println(sum + IntStream.range(0, 1000).parallel().map(i -> 0).sum()); } }";
    let mut command = shell("javac -J-Xss4m Main.java && exec java -Xss4m Main", &[]);
    command.file("Main.java", code);
    assert_eq!(output(&command), "28");
}

#[test]
fn c_compiles_links_and_runs_with_threads() {
    if !has("gcc") {
        return;
    }
    let code = "#include <pthread.h>\n#include <stdio.h>\n#include <semaphore.h>\n#include <sys/mman.h>
static void *work(void *p) { ++*(int *)p; return 0; }
int main(void) { int x = 6; pthread_t t; sem_t s; sem_init(&s, 0, 1);
  pthread_create(&t, 0, work, &x); pthread_join(t, 0);
  int *m = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); *m = x; printf(\"%d\\n\", *m); }";
    let mut command = shell("gcc -O2 -pthread -o main main.c && exec ./main", &[]);
    command.file("main.c", code);
    assert_eq!(output(&command), "7");
}

#[test]
fn rust_compiles_links_and_runs_with_threads() {
    let sysroot = std::process::Command::new("rustc")
        .args(["--print", "sysroot"])
        .output();
    let Ok(sysroot) = sysroot else {
        println!("skipped: rustc isn't there");
        return;
    };
    let sysroot = String::from_utf8(sysroot.stdout).unwrap();
    let sysroot = Path::new(sysroot.trim());
    if !has("gcc") || nix::unistd::access(&sysroot.join("bin/rustc"), nix::unistd::AccessFlags::X_OK).is_err()
    {
        println!("skipped: {} isn't this user's to read", sysroot.display());
        return;
    }
    let code = "fn main() { let t = std::thread::spawn(|| 3); std::fs::write(\"/tmp/x\", \"y\").unwrap();
  let o = std::process::Command::new(\"/bin/echo\").arg(\"4\").output().unwrap();
  println!(\"{} {}\", t.join().unwrap(), String::from_utf8(o.stdout).unwrap().trim()); }";
    let script = format!("{}/bin/rustc -o main main.rs && exec ./main", sysroot.display());
    let mut command = shell(&script, &[sysroot]);
    command.file("main.rs", code);
    assert_eq!(output(&command), "3 4");
}

#[test]
fn go_programs_run_with_their_scheduler_and_children() {
    if !has("go") {
        return;
    }
    if !nix::unistd::geteuid().is_root() && std::env::var_os("REDRAFT_NO_SKIP").is_none() {
        // It would compile Go's own library again, which takes a minute of CPU.
        println!("skipped: for an ordinary user only where nothing may be skipped");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("main.go");
    let code = "package main
import (\"fmt\"; \"net\"; \"os\"; \"os/exec\"; \"runtime\"; \"sync\")
func main() { var w sync.WaitGroup; x := make(chan int, 9)
  for i := 0; i < 9; i++ { w.Add(1); go func(i int) { defer w.Done(); runtime.Gosched(); x <- i }(i) }
  w.Wait(); close(x); s := 0; for i := range x { s += i }
  if _, err := net.Interfaces(); err != nil { panic(err) }
  if err := os.WriteFile(\"/tmp/x\", nil, 0o600); err != nil { panic(err) }
  o, err := exec.Command(\"/bin/echo\", \"z\").Output(); if err != nil { panic(err) }
  fmt.Println(s, string(o)) }";
    std::fs::write(&source, code).unwrap();
    let binary = folder.path().join("main");
    let built = std::process::Command::new("go")
        .args(["build", "-o"])
        .arg(&binary)
        .arg(&source)
        .env("GO111MODULE", "off")
        .env("GOCACHE", std::env::temp_dir().join("redraft-test-go-cache"))
        .env("HOME", folder.path())
        .output()
        .unwrap();
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    let mut command = shell("cp main.bin main && chmod +x main && exec ./main", &[]);
    command.file("main.bin", std::fs::read(&binary).unwrap());
    assert_eq!(output(&command), "36 z");
}
