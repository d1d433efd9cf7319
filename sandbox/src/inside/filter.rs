//! The system calls that no program of a task needs and that reach beyond the sandbox, as data with reasons.

use nix::errno::Errno;
use nix::libc::{self, sock_filter};

/// A system call that is refused, with what, and why.
struct Refused(
    libc::c_long,
    Errno,
    #[expect(dead_code, reason = "read by people")] &'static str,
);

/// New namespaces of any kind: each is a part of the kernel with faults of its own, and a user namespace gives rights.
const NAMESPACES: libc::c_int = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP;

/// The kinds of sockets that may be made. Not `AF_VSOCK` above all: in a virtual machine it talks to its host.
const FAMILIES: [libc::c_int; 4] = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

const REFUSED: [Refused; 28] = [
    Refused(
        libc::SYS_clone3,
        Errno::ENOSYS,
        "its flags can't be seen by a filter; the C library falls back to clone",
    ),
    Refused(libc::SYS_setns, Errno::EPERM, "enters namespaces"),
    Refused(libc::SYS_mount, Errno::EPERM, "changes mounts"),
    Refused(libc::SYS_umount2, Errno::EPERM, "changes mounts"),
    Refused(libc::SYS_pivot_root, Errno::EPERM, "changes mounts"),
    Refused(libc::SYS_open_tree, Errno::EPERM, "changes mounts"),
    Refused(libc::SYS_move_mount, Errno::EPERM, "changes mounts"),
    Refused(libc::SYS_mount_setattr, Errno::EPERM, "changes mounts"),
    Refused(libc::SYS_fsopen, Errno::EPERM, "changes mounts"),
    Refused(libc::SYS_fspick, Errno::EPERM, "changes mounts"),
    Refused(
        libc::SYS_keyctl,
        Errno::ENOSYS,
        "keyrings are shared by all runs of a user",
    ),
    Refused(
        libc::SYS_add_key,
        Errno::ENOSYS,
        "keyrings are shared by all runs of a user",
    ),
    Refused(
        libc::SYS_request_key,
        Errno::ENOSYS,
        "keyrings are shared by all runs of a user",
    ),
    Refused(libc::SYS_bpf, Errno::EPERM, "runs code in the kernel"),
    Refused(libc::SYS_perf_event_open, Errno::EPERM, "watches the kernel"),
    Refused(
        libc::SYS_userfaultfd,
        Errno::ENOSYS,
        "stops the kernel midway, which exploits are made of",
    ),
    Refused(
        libc::SYS_io_uring_setup,
        Errno::ENOSYS,
        "makes system calls that no filter sees",
    ),
    Refused(
        libc::SYS_io_uring_enter,
        Errno::ENOSYS,
        "makes system calls that no filter sees",
    ),
    Refused(
        libc::SYS_io_uring_register,
        Errno::ENOSYS,
        "makes system calls that no filter sees",
    ),
    Refused(libc::SYS_ptrace, Errno::EPERM, "takes over other processes"),
    Refused(libc::SYS_process_vm_readv, Errno::EPERM, "reads other processes"),
    Refused(
        libc::SYS_process_vm_writev,
        Errno::EPERM,
        "writes other processes",
    ),
    Refused(
        libc::SYS_open_by_handle_at,
        Errno::EPERM,
        "opens files around their folders",
    ),
    Refused(libc::SYS_kexec_load, Errno::EPERM, "replaces the kernel"),
    Refused(libc::SYS_finit_module, Errno::EPERM, "extends the kernel"),
    Refused(libc::SYS_init_module, Errno::EPERM, "extends the kernel"),
    Refused(
        libc::SYS_memfd_create,
        Errno::ENOSYS,
        "memory that is neither resident nor scratch, so no limit holds",
    ),
    Refused(
        libc::SYS_shmget,
        Errno::ENOSYS,
        "memory that is neither resident nor scratch, so no limit holds",
    ),
];

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xC000_00B7;

/// From here on the numbers are those of x32, a second door to the same calls.
#[cfg(target_arch = "x86_64")]
const FIRST_X32: u32 = 0x4000_0000;

// Where things are in the kernel's `struct seccomp_data`; both processors are little-endian.
const NUMBER: u32 = 0;
const ARCH: u32 = 4;
const FIRST_ARGUMENT: u32 = 16;

/// Installs the filter for this process and all that come from it. Needs `no_new_privs`.
pub(super) fn install() -> nix::Result<()> {
    let mut program = build();
    let program = libc::sock_fprog {
        len: u16::try_from(program.len()).map_err(|_| Errno::E2BIG)?,
        filter: program.as_mut_ptr(),
    };
    // SAFETY: the structure and the program that it points to outlive the call.
    let done = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            0,
            &raw const program,
        )
    };
    Errno::result(done).map(drop)
}

fn build() -> Vec<sock_filter> {
    let allow = give(libc::SECCOMP_RET_ALLOW);
    // Another architecture, as by `int 0x80`, has other numbers.
    let mut program = vec![
        load(ARCH),
        skip_if(libc::BPF_JEQ, ARCHITECTURE, 1),
        refuse(Errno::ENOSYS),
        load(NUMBER),
    ];
    #[cfg(target_arch = "x86_64")]
    program.extend([skip_unless(libc::BPF_JGE, FIRST_X32, 1), refuse(Errno::ENOSYS)]);
    for Refused(call, errno, _) in &REFUSED {
        program.extend([skip_unless(libc::BPF_JEQ, number(*call), 1), refuse(*errno)]);
    }
    for call in [libc::SYS_clone, libc::SYS_unshare] {
        program.extend([
            skip_unless(libc::BPF_JEQ, number(call), 4),
            load(FIRST_ARGUMENT),
            skip_unless(libc::BPF_JSET, NAMESPACES.cast_unsigned(), 1),
            refuse(Errno::EPERM),
            allow,
        ]);
    }
    program.extend([
        skip_unless(libc::BPF_JEQ, number(libc::SYS_socket), 10),
        load(FIRST_ARGUMENT),
    ]);
    for family in FAMILIES {
        program.extend([skip_unless(libc::BPF_JEQ, family.cast_unsigned(), 1), allow]);
    }
    program.extend([refuse(Errno::EAFNOSUPPORT), allow]);
    program
}

/// Numbers of system calls are small.
fn number(call: libc::c_long) -> u32 {
    u32::try_from(call).unwrap_or(u32::MAX)
}

fn instruction(code: u32, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter {
        code: u16::try_from(code).unwrap_or(0),
        jt,
        jf,
        k,
    }
}

fn load(offset: u32) -> sock_filter {
    instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, offset)
}

fn skip_if(test: u32, value: u32, count: u8) -> sock_filter {
    instruction(libc::BPF_JMP | test | libc::BPF_K, count, 0, value)
}

fn skip_unless(test: u32, value: u32, count: u8) -> sock_filter {
    instruction(libc::BPF_JMP | test | libc::BPF_K, 0, count, value)
}

fn give(verdict: u32) -> sock_filter {
    instruction(libc::BPF_RET | libc::BPF_K, 0, 0, verdict)
}

fn refuse(errno: Errno) -> sock_filter {
    give(libc::SECCOMP_RET_ERRNO | (errno as i32).cast_unsigned())
}
