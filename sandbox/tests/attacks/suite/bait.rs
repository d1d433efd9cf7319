//! What is laid out on the host for an act to reach, and looked at from outside when it is over.
//!
//! An act gets as variables only what it names: a folder, a listening port, a process. Everything readable among it
//! holds one secret, so that whatever way it got out shows in the output.

use std::fmt::Write as _;
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use nix::libc;

use super::sandbox::Sandbox;
use super::victim::Victim;

/// What the readable file holds before and, if all is well, after.
const CONTENT: &str = "as it was\n";

/// The bait for one run.
#[derive(Debug)]
pub(crate) struct Bait {
    /// The secret, and the text in the arguments of all its processes.
    pub(crate) secret: String,
    pub(crate) marker: String,
    folder: tempfile::TempDir,
    tcp: Option<TcpListener>,
    udp: Option<UdpSocket>,
    abstract_socket: Option<(String, UnixListener)>,
    socket: Option<UnixListener>,
    victim: Option<Victim>,
    memory: Option<SharedMemory>,
    key: Option<libc::c_long>,
    readable: bool,
}

impl Bait {
    /// Lays out what `code` names.
    pub(crate) fn new(code: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let secret = format!("secret-{}-{number}", std::process::id());
        let marker = format!("marker-{}-{number}.", std::process::id());
        let folder = tempfile::tempdir().unwrap();
        let open = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
        open(folder.path());
        for name in ["open", "readable", "work"] {
            fs::create_dir(folder.path().join(name)).unwrap();
            open(&folder.path().join(name));
        }
        fs::write(folder.path().join("secret"), &secret).unwrap();
        fs::write(folder.path().join("readable/file"), CONTENT).unwrap();
        fs::set_permissions(
            folder.path().join("readable/file"),
            fs::Permissions::from_mode(0o666),
        )
        .unwrap();

        let tcp = code
            .contains("TCP_PORT")
            .then(|| TcpListener::bind("127.0.0.1:0").unwrap());
        if let Some(tcp) = &tcp {
            tcp.set_nonblocking(true).unwrap();
        }
        let udp = code
            .contains("UDP_PORT")
            .then(|| UdpSocket::bind("127.0.0.1:0").unwrap());
        if let Some(udp) = &udp {
            udp.set_nonblocking(true).unwrap();
        }
        let abstract_socket = code.contains("ABSTRACT").then(|| {
            let name = format!("bait-{}-{number}", std::process::id());
            let listener = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
            listener.set_nonblocking(true).unwrap();
            (name, listener)
        });
        let socket = code.contains("SOCKET_FILE").then(|| {
            let path = folder.path().join("readable/socket");
            let listener = UnixListener::bind(&path).unwrap();
            open(&path);
            listener.set_nonblocking(true).unwrap();
            listener
        });
        let victim = code.contains("VICTIM").then(|| Victim::start(&secret));
        let memory = code.contains("SHM_KEY").then(|| SharedMemory::new(&secret));
        let key = code.contains("KEY_NAME").then(|| add_key(&marker, &secret));
        Self {
            secret,
            marker,
            folder,
            tcp,
            udp,
            abstract_socket,
            socket,
            victim,
            memory,
            key,
            readable: code.contains("READABLE") || code.contains("SOCKET_FILE"),
        }
    }

    /// The folder that the policy lets it read.
    pub(crate) fn readable(&self) -> Option<PathBuf> {
        self.readable.then(|| self.path("readable"))
    }

    /// An empty folder for a sandbox that has none of its own to run in.
    pub(crate) fn work(&self) -> PathBuf {
        self.path("work")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Code that tells the act what there is.
    pub(crate) fn variables(&self, sandbox: &dyn Sandbox) -> String {
        let mut code = String::new();
        let mut text = |name: &str, value: &str| writeln!(code, "{name} = {value:?}").unwrap();
        text("SECRET_FILE", &self.path("secret").to_string_lossy());
        text("OPEN_FOLDER", &self.path("open").to_string_lossy());
        text("READABLE", &self.path("readable").to_string_lossy());
        text("SOCKET_FILE", &self.path("readable/socket").to_string_lossy());
        text("KEY_NAME", &self.marker);
        text("MARKER", &self.marker);
        text("HARNESS_ARGUMENT", &std::env::args().next().unwrap());
        text(
            "HOST_NAME",
            nix::sys::utsname::uname().unwrap().nodename().to_str().unwrap(),
        );
        text(
            "HOST_NETWORK",
            &fs::read_link("/proc/self/ns/net").unwrap().to_string_lossy(),
        );
        if let Some((name, _)) = &self.abstract_socket {
            text("ABSTRACT", name);
        }
        let mut number = |name: &str, value: i64| writeln!(code, "{name} = {value}").unwrap();
        number("READY", sandbox.ready_descriptor().into());
        number("HARNESS", std::process::id().into());
        number("OPEN_DESCRIPTOR", open_descriptor().into());
        if let Some(tcp) = &self.tcp {
            number("TCP_PORT", tcp.local_addr().unwrap().port().into());
        }
        if let Some(udp) = &self.udp {
            number("UDP_PORT", udp.local_addr().unwrap().port().into());
        }
        if let Some(victim) = &self.victim {
            number("VICTIM", victim.pid().into());
        }
        if let Some(memory) = &self.memory {
            number("SHM_KEY", memory.key.into());
        }
        let confined = if sandbox.confines() { "True" } else { "False" };
        writeln!(code, "CONFINED = {confined}").unwrap();
        let names: Vec<String> = std::env::vars_os()
            .filter_map(|(name, _)| name.into_string().ok())
            .filter(|name| name != "LC_CTYPE")
            .collect();
        writeln!(code, "ENVIRONMENT = {names:?}").unwrap();
        code
    }

    /// What has been done to the host, as far as it can be seen from here.
    pub(crate) fn touched(&self) -> Vec<String> {
        let mut touched = Vec::new();
        let names = |folder: &str| -> Vec<String> {
            let mut names: Vec<String> = fs::read_dir(self.path(folder))
                .unwrap()
                .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
                .collect();
            names.sort();
            names
        };
        let made = names("open");
        if !made.is_empty() {
            touched.push(format!(
                "there are {} new files in a folder of the host",
                made.len()
            ));
        }
        let expected: &[&str] = if self.socket.is_some() {
            &["file", "socket"]
        } else {
            &["file"]
        };
        if names("readable") != expected {
            touched.push(format!("the readable folder holds {:?}", names("readable")));
        }
        if fs::read_to_string(self.path("readable/file")).ok().as_deref() != Some(CONTENT) {
            touched.push("the readable file has changed".to_owned());
        }
        if fs::read_to_string(self.path("secret")).ok().as_deref() != Some(&self.secret) {
            touched.push("the secret file has changed".to_owned());
        }
        if self.tcp.as_ref().is_some_and(|tcp| tcp.accept().is_ok()) {
            touched.push("somebody connected to a port of the host".to_owned());
        }
        if self
            .udp
            .as_ref()
            .is_some_and(|udp| udp.recv(&mut [0; 64]).is_ok())
        {
            touched.push("a port of the host got a datagram".to_owned());
        }
        if self
            .abstract_socket
            .as_ref()
            .is_some_and(|(_, socket)| socket.accept().is_ok())
        {
            touched.push("somebody connected to an abstract socket of the host".to_owned());
        }
        if self.socket.as_ref().is_some_and(|socket| socket.accept().is_ok()) {
            touched.push("somebody connected to a socket file of the host".to_owned());
        }
        if let Some(victim) = &self.victim {
            touched.extend(victim.harm());
        }
        touched
    }

    /// Whether this is the secret, or has it in it.
    pub(crate) fn is_in(&self, output: &[u8]) -> bool {
        let contains = |secret: &[u8]| output.windows(secret.len()).any(|window| window == secret);
        contains(self.secret.as_bytes()) || contains(open_secret().as_bytes())
    }
}

impl Drop for Bait {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            // SAFETY: takes plain numbers.
            unsafe { libc::syscall(libc::SYS_keyctl, libc::KEYCTL_UNLINK, key, KEY_SPEC_USER_KEYRING) };
        }
        // What an act made unreadable would stay.
        let _ = Command::new("chmod")
            .args(["-R", "u+rwx"])
            .arg(self.folder.path())
            .stderr(Stdio::null())
            .status();
    }
}

/// A segment of shared memory by key, with the secret in it.
#[derive(Debug)]
struct SharedMemory {
    key: libc::key_t,
    id: libc::c_int,
}

impl SharedMemory {
    fn new(secret: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let key =
            libc::key_t::try_from(0x0BA1_0000 + (std::process::id() % 0xFFF) * 16 + count % 16).unwrap();
        // SAFETY: the segment is as large as asked for, and the secret is much smaller.
        let id = unsafe {
            let id = libc::shmget(key, 4096, libc::IPC_CREAT | 0o666);
            assert!(id >= 0, "a segment of shared memory can be made");
            let start = libc::shmat(id, std::ptr::null(), 0);
            std::ptr::copy_nonoverlapping(secret.as_ptr(), start.cast(), secret.len());
            libc::shmdt(start);
            id
        };
        Self { key, id }
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        // SAFETY: removing needs no structure.
        unsafe { libc::shmctl(self.id, libc::IPC_RMID, std::ptr::null_mut()) };
    }
}

const KEY_SPEC_USER_KEYRING: libc::c_long = -4;

/// Puts the secret into the user's keyring. A kernel without keyrings has nothing to find either.
fn add_key(name: &str, secret: &str) -> libc::c_long {
    let name = std::ffi::CString::new(name).unwrap();
    // SAFETY: the strings outlive the call, and the length is that of the secret.
    unsafe {
        libc::syscall(
            libc::SYS_add_key,
            c"user".as_ptr(),
            name.as_ptr(),
            secret.as_ptr(),
            secret.len(),
            KEY_SPEC_USER_KEYRING,
        )
    }
}

/// What can be read through the open descriptor.
fn open_secret() -> String {
    format!("secret-{}-descriptor", std::process::id())
}

/// A descriptor that every new program would inherit, open on a file that has no name any more.
fn open_descriptor() -> i32 {
    static FILE: OnceLock<OwnedFd> = OnceLock::new();
    let file = FILE.get_or_init(|| {
        let mut file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut file, open_secret().as_bytes()).unwrap();
        // Out of the way of the numbers that programs get; `dup` keeps it open across `execve`.
        // SAFETY: duplicates a descriptor that is open into one that is ours.
        unsafe { OwnedFd::from_raw_fd(libc::fcntl(file.as_raw_fd(), libc::F_DUPFD, 100)) }
    });
    file.as_raw_fd()
}

/// The processes of the host that have this text in their arguments.
pub(crate) fn processes_with(text: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let arguments = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if arguments
            .windows(text.len())
            .any(|window| window == text.as_bytes())
            && pid != std::process::id()
        {
            found.push(pid);
        }
    }
    found
}

/// Ends the processes that have this text in their arguments, and waits until they are gone.
pub(crate) fn end_processes_with(text: &str) {
    for _ in 0..500 {
        let left = processes_with(text);
        if left.is_empty() {
            return;
        }
        for pid in left {
            // SAFETY: takes plain numbers; the process has our own marker in its arguments.
            unsafe { libc::kill(pid.cast_signed(), libc::SIGKILL) };
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
