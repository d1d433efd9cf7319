//! Nothing of the host can be seen or changed.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};

use redraft_sandbox::End;

use crate::support::{assert_refused, attempt, eventually, inside, marker, outside, processes_with, python};

#[test]
fn no_file_of_the_host_can_be_read() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"secret").unwrap();
    assert_refused(&format!("open({:?}).read()", file.path()), &["ENOENT"]);
    assert_refused("open('/etc/hostname').read()", &["ENOENT"]);
    assert_refused("open('/etc/fstab').read()", &["ENOENT"]);
    assert_refused("os.stat('/etc/shadow')", &["ENOENT"]);
    for folder in ["/root", "/home", "/var", "/sys", "/usr/share", "/opt", "/boot"] {
        assert_refused(&format!("os.stat({folder:?})"), &["ENOENT"]);
    }
    let project = env!("CARGO_MANIFEST_DIR");
    assert_eq!(inside(&attempt(&format!("os.stat({project:?})"))), "ENOENT");
}

#[test]
fn the_root_holds_what_it_must_and_no_more() {
    let names = "print(sorted(set(os.listdir('/')) - {'lib', 'lib32', 'lib64', 'libx32'}))";
    assert_eq!(
        inside(&format!("import os; {names}")),
        "['box', 'dev', 'etc', 'proc', 'tmp', 'usr']"
    );
    assert_eq!(
        inside(
            "import os; print(sorted(set(os.listdir('/usr')) - {'lib', 'lib32', 'lib64', 'libx32', 'local'}))"
        ),
        "['bin']"
    );
    assert_eq!(
        inside("import os; print([n for n in os.listdir('/usr/bin') if not n.startswith('python3')])"),
        "[]"
    );
    assert_eq!(
        inside("import os; print(sorted(os.listdir('/dev')))"),
        "['fd', 'full', 'null', 'random', 'shm', 'stderr', 'stdin', 'stdout', 'urandom', 'zero']"
    );
    assert_eq!(
        inside("import os; print(sorted(set(os.listdir('/etc')) - {'ld.so.cache', 'alternatives'}))"),
        "['group', 'hosts', 'nsswitch.conf', 'passwd']"
    );
    assert_eq!(
        inside("import getpass, os; print(getpass.getuser(), os.path.expanduser('~'))"),
        "box /box"
    );
}

#[test]
fn devices_work() {
    let code = "import os
open('/dev/null', 'w').write('x')
assert open('/dev/zero', 'rb').read(4) == bytes(4)
assert len(open('/dev/urandom', 'rb').read(4)) == len(open('/dev/random', 'rb').read(4)) == 4
open('/dev/stdout', 'w').write('through the link ' + open('/dev/stdin').read())
try: open('/dev/full', 'wb', buffering=0).write(b'x')
except OSError as error: print(error.errno)";
    assert_eq!(inside(code), "through the link 28");
}

#[test]
fn the_root_cannot_be_written_to() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("usr")).unwrap();
    assert_eq!(
        outside(&attempt(&format!(
            "open('{}/usr/x', 'w')",
            folder.path().display()
        ))),
        "done"
    );
    for path in [
        "/x",
        "/usr/x",
        "/usr/lib/x",
        "/usr/bin/python3",
        "/etc/passwd",
        "/etc/x",
        "/dev/x",
        "/proc/x",
    ] {
        let got = inside(&attempt(&format!("open({path:?}, 'w')")));
        assert!(
            ["EROFS", "EACCES", "ENOENT", "EPERM"].contains(&got.as_str()),
            "{path}: {got}"
        );
    }
    for act in [
        "os.remove('/etc/passwd')",
        "os.rename('/box', '/xob')",
        "os.chmod('/etc/passwd', 0o777)",
        "os.mkdir('/y')",
    ] {
        let got = inside(&attempt(act));
        assert!(
            ["EROFS", "EACCES", "EBUSY"].contains(&got.as_str()),
            "{act}: {got}"
        );
    }
}

#[test]
fn mounts_cannot_be_changed() {
    // As root outside these work, but are not for a test to try; the arguments are those that the set-up uses.
    for act in [
        "call('mount', None, b'/', None, 32 | 4096, None)",
        "call('mount', b'tmpfs', b'/tmp', b'tmpfs', 0, None)",
        "call('mount', b'/usr', b'/tmp', None, 4096, None)",
        "call('umount2', b'/box', 2)",
        "call('umount2', b'/proc', 2)",
        "call('pivot_root', b'/tmp', b'/tmp') if hasattr(libc, 'pivot_root') else call('chroot', b'/tmp')",
        "call('chroot', b'/tmp')",
        "call('sethostname', b'x', 1)",
        "call('setns', os.open('/proc/self/ns/mnt', 0), 0)",
    ] {
        assert_eq!(inside(&attempt(act)), "EPERM", "{act}");
    }
}

#[test]
fn only_its_own_processes_are_there() {
    let list = "import os; print(sorted(int(n) for n in os.listdir('/proc') if n.isdigit()))";
    // Not even the first process of the cell, which has seen others.
    assert_eq!(inside(list), "[2]");
    assert!(outside(list).split(',').count() > 2);
    let harness = std::process::id();
    assert_refused(&format!("os.kill({harness}, 0)"), &["ESRCH"]);
    assert_refused(&format!("open('/proc/{harness}/status').read()"), &["ENOENT"]);
}

#[test]
fn the_program_is_never_the_first_process() {
    assert_eq!(
        inside("import os; print(os.getpid() > 1, os.getppid())"),
        "True 1"
    );
}

#[test]
fn init_is_out_of_reach() {
    for path in ["/proc/1/mem", "/proc/1/environ", "/proc/1/maps"] {
        let own = path.replace('1', "self");
        assert_eq!(
            inside(&attempt(&format!("open({own:?}, 'rb')"))),
            "done",
            "the control"
        );
        let got = inside(&attempt(&format!("open({path:?}, 'rb').read()")));
        assert!(
            ["EACCES", "EPERM", "ENOENT"].contains(&got.as_str()),
            "{path}: {got}"
        );
    }
    for path in ["/proc/1/root", "/proc/1/cwd", "/proc/1/fd", "/proc/1/exe"] {
        let got = inside(&attempt(&format!("os.listdir({path:?})")));
        assert!(
            ["EACCES", "EPERM", "ENOENT"].contains(&got.as_str()),
            "{path}: {got}"
        );
    }
    assert_eq!(inside(&attempt("call('ptrace', 16, 1, 0, 0)")), "EPERM");
    let child = "import time\npid = os.fork()\nif pid == 0: time.sleep(9)\ncall('ptrace', 16, pid, 0, 0)\nos.kill(pid, 9)";
    assert_eq!(outside(&attempt(child)), "done");
    // Signals that would end anybody else; where init has the program's user they may be sent.
    let code = "import os
for s in range(1, 65):
    try: os.kill(1, s)
    except PermissionError: pass
print('alive')";
    assert_eq!(inside(code), "alive");
}

#[test]
fn the_command_line_of_the_harness_is_not_shown() {
    let own = std::fs::read("/proc/self/cmdline").unwrap();
    assert!(!own.is_empty());
    let lines = "import glob; print([path for path in glob.glob('/proc/[0-9]*/cmdline') if 'python' not in open(path).read()])";
    assert_eq!(inside(lines), "[]");
}

#[test]
fn kernel_settings_cannot_be_written() {
    let path = "/proc/sys/kernel/core_pattern";
    if nix::unistd::geteuid().is_root() {
        assert_eq!(outside(&attempt(&format!("open({path:?}, 'r+')"))), "done");
    }
    let got = inside(&attempt(&format!("open({path:?}, 'r+')")));
    assert!(["EROFS", "EACCES"].contains(&got.as_str()), "{got}");
    assert_refused("open('/proc/self/oom_score_adj', 'r+')", &["EROFS"]);
}

#[test]
fn there_is_no_network() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let act = format!("socket.create_connection(('127.0.0.1', {}))", address.port());
    assert_refused(&act, &["ENETUNREACH", "ECONNREFUSED", "EACCES"]);
    let interfaces = "import socket; print([name for _, name in socket.if_nameindex() if name != 'lo' and not name.endswith('0')])";
    assert_eq!(inside(interfaces), "[]");
}

#[test]
fn abstract_sockets_of_the_host_are_not_there() {
    let name = marker();
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _listener = UnixListener::bind_addr(&address).unwrap();
    let act = format!("socket.socket(socket.AF_UNIX).connect(chr(0) + {name:?})");
    assert_refused(&act, &["ECONNREFUSED", "EPERM"]);
}

#[test]
fn shared_memory_of_the_host_is_not_there() {
    let key = 0x5EED_0000 + std::process::id() % 0xFFFF;
    let make = format!("call('shmget', {key}, 4096, 0o1666)");
    assert_eq!(outside(&attempt(&make)), "done");
    let find = format!("call('shmget', {key}, 0, 0)");
    assert_refused(&find, &["ENOENT", "ENOSYS"]);
    outside(&attempt(&format!(
        "call('shmctl', libc.shmget({key}, 0, 0), 0, None)"
    )));
}

#[test]
fn the_environment_is_empty_but_for_what_is_given() {
    let show = "import os; print(sorted(k for k in os.environ if k != 'LC_CTYPE'))";
    assert_eq!(inside(show), "[]");
    assert!(outside(show).len() > 2);
    let outcome = python(show).env("A", "1").env("B", "x=y").run().unwrap();
    assert_eq!(outcome.stdout.text(), "['A', 'B']\n");
}

#[test]
fn no_descriptor_of_the_host_comes_along() {
    let open = std::fs::File::open("/etc/hostname").unwrap();
    nix::fcntl::fcntl(&open, nix::fcntl::FcntlArg::F_SETFD(nix::fcntl::FdFlag::empty())).unwrap();
    let list = "import os; print(len([f for f in os.listdir('/proc/self/fd') if os.path.exists('/proc/self/fd/' + f) and int(f) > 2]))";
    assert_eq!(inside(list), "0");
    assert_ne!(outside(list), "0");
}

#[test]
fn it_has_no_rights() {
    let status = inside("print(open('/proc/self/status').read())");
    for line in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
        assert!(status.contains(&format!("{line}:\t0000000000000000")), "{status}");
    }
    assert!(status.contains("NoNewPrivs:\t1"), "{status}");
    assert_eq!(
        inside("import os; print(os.getresuid(), os.getresgid())"),
        "(1000, 1000, 1000) (1000, 1000, 1000)"
    );
    assert_eq!(inside(&attempt("os.setuid(0)")), "EINVAL");
    assert_eq!(inside(&attempt("os.setgroups([0])")), "EPERM");
}

#[test]
fn it_is_nobody_on_the_host() {
    let marker = marker();
    let child = python("import time; time.sleep(100)")
        .arg(&marker)
        .spawn()
        .unwrap();
    eventually("the program is seen", || !processes_with(&marker).is_empty());
    let pid = processes_with(&marker)[0];
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let ids = |name: &str| -> Vec<u32> {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.split_whitespace().map(|id| id.parse().unwrap()).collect()
    };
    let own = nix::unistd::geteuid().as_raw();
    for id in ids("Uid:").into_iter().chain(ids("Gid:")) {
        if own == 0 {
            assert!(id >= 0x7000_0000, "{id}");
        } else {
            assert_eq!(id, own);
        }
    }
    if own == 0 {
        assert_eq!(ids("Groups:"), Vec::<u32>::new());
    }
    child.kill();
    assert_eq!(child.wait().unwrap().end, End::Killed);
}

#[test]
fn two_runs_share_nothing() {
    let name = marker();
    let leave = format!(
        "import socket, time
open('/box/x', 'w'); open('/tmp/x', 'w'); open('/dev/shm/x', 'w')
s = socket.socket(socket.AF_UNIX); s.bind(chr(0) + {name:?}); s.listen()
socket.socket(fileno=3).send(b'ready')
time.sleep(100)"
    );
    let find = format!(
        "import os
print([p for p in ('/box/x', '/tmp/x', '/dev/shm/x') if os.path.exists(p)])
{}",
        attempt(&format!(
            "socket.socket(socket.AF_UNIX).connect(chr(0) + {name:?})"
        ))
    );
    let first = python(&leave).spawn().unwrap();
    first.channel().read_exact(&mut [0; 5]).unwrap();
    let found = inside(&find);
    assert!(
        ["[]\nECONNREFUSED", "[]\nEPERM"].contains(&found.as_str()),
        "{found}"
    );
}

#[test]
fn no_namespace_can_be_made_inside() {
    for flag in [
        0x1000_0000,
        0x0002_0000,
        0x2000_0000,
        0x4000_0000,
        0x0800_0000,
        0x0400_0000,
        0x0200_0000,
    ] {
        assert_eq!(inside(&attempt(&format!("call('unshare', {flag})"))), "EPERM");
    }
    assert_eq!(outside(&attempt("call('unshare', 0x10000000)")), "done");
    // SYS_clone with CLONE_NEWUSER and SIGCHLD, SYS_clone3; numbers of x86-64.
    if cfg!(target_arch = "x86_64") {
        assert_eq!(
            inside(&attempt("call('syscall', 56, 0x10000011, 0, 0, 0, 0)")),
            "EPERM"
        );
        assert_eq!(inside(&attempt("call('syscall', 435, 0, 0)")), "ENOSYS");
    }
    assert_eq!(
        inside(&attempt("call('unshare', 0x400)")),
        "done",
        "sharing no files any more is harmless"
    );
}

#[test]
fn unusual_sockets_cannot_be_made() {
    for family in [40, 38, 17, 15] {
        assert_eq!(
            inside(&attempt(&format!("socket.socket({family}, socket.SOCK_DGRAM)"))),
            "EAFNOSUPPORT"
        );
    }
    // Whether it works outside is up to the host's kernel, and no other error may come.
    let bare = outside(&attempt("socket.socket(40, socket.SOCK_STREAM)"));
    assert!(["done", "EAFNOSUPPORT"].contains(&bare.as_str()), "{bare}");
    for family in ["AF_UNIX", "AF_INET", "AF_INET6"] {
        assert_eq!(
            inside(&attempt(&format!(
                "socket.socket(socket.{family}, socket.SOCK_DGRAM)"
            ))),
            "done"
        );
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn calls_that_reach_into_the_kernel_are_refused() {
    for (number, errors) in [
        (250, "ENOSYS"),         // keyctl
        (248, "ENOSYS"),         // add_key
        (321, "EPERM"),          // bpf
        (425, "ENOSYS"),         // io_uring_setup
        (323, "ENOSYS"),         // userfaultfd
        (298, "EPERM"),          // perf_event_open
        (101, "EPERM"),          // ptrace
        (310, "EPERM"),          // process_vm_readv
        (304, "EPERM"),          // open_by_handle_at
        (319, "ENOSYS"),         // memfd_create
        (0x4000_0027, "ENOSYS"), // getpid by the numbers of x32
    ] {
        assert_eq!(
            inside(&attempt(&format!("call('syscall', {number}, 0, 0, 0, 0, 0)"))),
            errors,
            "{number}"
        );
    }
    // The joining of a session's keyring, user-mode page faults: they work outside.
    assert_eq!(outside(&attempt("call('syscall', 250, 1, 0, 0, 0, 0)")), "done");
    assert_eq!(outside(&attempt("call('memfd_create', b'x', 0)")), "done");
}

/// `mov eax, 20; int 0x80; ret`: getpid by the numbers of 32-bit x86, written into executable memory.
#[test]
#[cfg(target_arch = "x86_64")]
fn the_door_of_another_architecture_is_closed() {
    let code = "import ctypes, mmap
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(b'\\xb8\\x14\\0\\0\\0\\xcd\\x80\\xc3')
print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))())";
    assert_eq!(inside(code), "-38");
    let bare: i32 = outside(code).parse().unwrap();
    assert!(bare > 0 || bare == -38, "{bare}");
}

/// Each call that is refused whatever its arguments are, tried from inside.
#[test]
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn every_refused_call_is_refused_inside() {
    let calls = redraft_sandbox::refused_calls();
    let always: Vec<(u32, i32)> = calls
        .iter()
        .filter(|call| call.always)
        .map(|call| (call.number, call.errno))
        .collect();
    assert!(always.len() > 80, "{}", always.len());
    let list: Vec<String> = always
        .iter()
        .map(|(number, errno)| format!("({number}, {errno})"))
        .collect();
    let code = format!(
        "import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for number, errno in [{}]:
    if libc.syscall(number, -1, 8, 8, 8, 8) != -1 or ctypes.get_errno() != errno:
        print(number, ctypes.get_errno())
# The controls: calls that are allowed answer otherwise, and so do those that nobody knows.
print(libc.syscall({}) == os.getpid(), libc.syscall(1000), ctypes.get_errno())",
        list.join(", "),
        nix::libc::SYS_getpid
    );
    assert_eq!(inside(&code), "True -1 38");
}
