//! The system calls that no program of a task needs and that reach beyond the sandbox, as data with reasons.
//!
//! A call that programs try and can do without answers `ENOSYS`, so that they fall back; one that only an attack would
//! make answers `EPERM`.

use nix::errno::Errno;
use nix::libc::{self, c_long};

use super::Uncovered;

/// One rule about one system call.
#[derive(Debug)]
pub(crate) struct Rule {
    /// The call by name.
    pub(crate) name: &'static str,
    pub(crate) number: u32,
    pub(crate) act: Act,
    /// What it stops.
    pub(crate) stops: &'static str,
}

/// What becomes of a call.
#[derive(Debug)]
pub(crate) enum Act {
    /// It is refused.
    Refuse(Errno),
    /// It is refused in these cases. In each, all tests must hold.
    RefuseIf(&'static [&'static [Test]], Errno),
    /// It is refused in these cases, in each with an answer of its own.
    RefuseEach(&'static [(&'static [Test], Errno)]),
    /// It is allowed in these cases only.
    AllowIf(&'static [&'static [Test]], Errno),
    /// Init is told of it and lets it pass.
    Tell,
}

/// A test on an argument, given by its index.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Test {
    Is(u8, u32),
    IsNot(u8, u32),
    /// At least one of these bits is set.
    HasAny(u8, u32),
    /// The bits of the mask are this value.
    IsUnder(u8, u32, u32),
    /// The upper half, of an argument that is an address, is not this.
    UpperIsNot(u8, u32),
}

/// Answers that it is done, and does nothing: for what is the case anyway.
const DONE: Errno = Errno::UnknownErrno;

use Act::{AllowIf, Refuse, RefuseEach, RefuseIf};
use Errno::{EACCES, EAFNOSUPPORT, ENOMEM, ENOSYS, EPERM};
use Test::{HasAny, Is, IsNot, IsUnder, UpperIsNot};

/// `rule!(name, number, what becomes of it, what that stops)`
macro_rules! rule {
    ($name:ident, $number:expr, $act:expr, $stops:literal) => {
        Rule {
            name: stringify!($name),
            number: number($number),
            act: $act,
            stops: $stops,
        }
    };
}

/// Numbers of system calls are small.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "they are small and positive"
)]
const fn number(call: c_long) -> u32 {
    call as u32
}

/// The rules for a sandbox that covers everything else itself.
#[rustfmt::skip]
pub(super) const ALWAYS: &[Rule] = &[
    // New namespaces are parts of the kernel with faults of their own, and a user namespace gives rights.
    rule!(clone3, libc::SYS_clone3, Refuse(ENOSYS), "new namespaces: its flags can't be seen by a filter, and the C library falls back to clone"),
    rule!(clone, libc::SYS_clone, RefuseIf(&[&[HasAny(CLONE_FLAGS, NAMESPACES)]], EPERM), "new namespaces"),
    rule!(unshare, libc::SYS_unshare, RefuseIf(&[&[HasAny(0, NAMESPACES | NEW_TIME)]], EPERM), "new namespaces"),
    rule!(setns, libc::SYS_setns, Refuse(EPERM), "entering the namespaces of others"),
    // What is mounted is the sandbox itself.
    rule!(mount, libc::SYS_mount, Refuse(EPERM), "changing what is mounted"),
    rule!(umount2, libc::SYS_umount2, Refuse(EPERM), "changing what is mounted"),
    rule!(pivot_root, libc::SYS_pivot_root, Refuse(EPERM), "changing what is mounted"),
    rule!(open_tree, libc::SYS_open_tree, Refuse(EPERM), "changing what is mounted"),
    rule!(move_mount, libc::SYS_move_mount, Refuse(EPERM), "changing what is mounted"),
    rule!(mount_setattr, libc::SYS_mount_setattr, Refuse(EPERM), "changing what is mounted"),
    rule!(fsopen, libc::SYS_fsopen, Refuse(EPERM), "changing what is mounted"),
    rule!(fspick, libc::SYS_fspick, Refuse(EPERM), "changing what is mounted"),
    rule!(fsconfig, libc::SYS_fsconfig, Refuse(EPERM), "changing what is mounted"),
    rule!(fsmount, libc::SYS_fsmount, Refuse(EPERM), "changing what is mounted"),
    rule!(open_tree_attr, 467, Refuse(EPERM), "changing what is mounted"),
    rule!(chroot, libc::SYS_chroot, Refuse(EPERM), "leaving the root"),
    // Files around their folders, and messages about files of others.
    rule!(name_to_handle_at, libc::SYS_name_to_handle_at, Refuse(EPERM), "opening files around the folders that they are in"),
    rule!(open_by_handle_at, libc::SYS_open_by_handle_at, Refuse(EPERM), "opening files around the folders that they are in"),
    rule!(fanotify_init, libc::SYS_fanotify_init, Refuse(EPERM), "watching and holding up what others do with files"),
    rule!(fanotify_mark, libc::SYS_fanotify_mark, Refuse(EPERM), "watching and holding up what others do with files"),
    rule!(inotify_init1, libc::SYS_inotify_init1, Refuse(ENOSYS), "seeing which of the host's files others open, as two runs could talk"),
    rule!(fcntl, libc::SYS_fcntl, RefuseIf(&[&[Is(1, SET_LEASE)], &[Is(1, NOTIFY)]], EPERM), "holding up who opens a file that one may read, and seeing what others open in a folder"),
    rule!(sync, libc::SYS_sync, Refuse(ENOSYS), "having the host write everything to its disks"),
    rule!(syncfs, libc::SYS_syncfs, Refuse(ENOSYS), "having the host write everything to its disks"),
    rule!(quotactl, libc::SYS_quotactl, Refuse(EPERM), "changing quotas"),
    rule!(quotactl_fd, libc::SYS_quotactl_fd, Refuse(EPERM), "changing quotas"),
    // Other processes.
    rule!(ptrace, libc::SYS_ptrace, Refuse(EPERM), "taking over other processes"),
    rule!(process_vm_readv, libc::SYS_process_vm_readv, Refuse(EPERM), "reading the memory of other processes"),
    rule!(process_vm_writev, libc::SYS_process_vm_writev, Refuse(EPERM), "writing the memory of other processes"),
    rule!(process_madvise, libc::SYS_process_madvise, Refuse(EPERM), "acting on the memory of other processes"),
    rule!(process_mrelease, libc::SYS_process_mrelease, Refuse(EPERM), "acting on the memory of other processes"),
    rule!(migrate_pages, libc::SYS_migrate_pages, Refuse(EPERM), "acting on the memory of other processes"),
    rule!(move_pages, libc::SYS_move_pages, Refuse(EPERM), "acting on the memory of other processes"),
    rule!(pidfd_getfd, libc::SYS_pidfd_getfd, Refuse(EPERM), "taking open files from other processes"),
    rule!(kcmp, libc::SYS_kcmp, Refuse(EPERM), "learning where the kernel keeps things"),
    rule!(prlimit64, libc::SYS_prlimit64, RefuseEach(&[(&[IsNot(0, 0)], EPERM), (&[Is(1, CORE), IsNot(2, 0)], DONE), (&[Is(1, CORE), UpperIsNot(2, 0)], DONE)]), "changing the limits of other processes, and having a program of the host's look at a crash"),
    // Only a limit of one byte keeps the kernel from handing a crashed program to a handler of the host's; with none it would.
    rule!(setrlimit, libc::SYS_setrlimit, RefuseIf(&[&[Is(0, CORE)]], DONE), "having a program of the host's look at a crash"),
    // Parts of the kernel that exploits are made of and programs of a task don't need.
    rule!(bpf, libc::SYS_bpf, Refuse(EPERM), "running code in the kernel"),
    rule!(perf_event_open, libc::SYS_perf_event_open, Refuse(EPERM), "watching the kernel and other processes"),
    rule!(userfaultfd, libc::SYS_userfaultfd, Refuse(ENOSYS), "stopping the kernel midway"),
    rule!(io_uring_setup, libc::SYS_io_uring_setup, Refuse(ENOSYS), "system calls that no filter sees"),
    rule!(io_uring_enter, libc::SYS_io_uring_enter, Refuse(ENOSYS), "system calls that no filter sees"),
    rule!(io_uring_register, libc::SYS_io_uring_register, Refuse(ENOSYS), "system calls that no filter sees"),
    rule!(vmsplice, libc::SYS_vmsplice, Refuse(ENOSYS), "pages that are changed after they were checked; splice and tee, which copying uses, stay"),
    rule!(personality, libc::SYS_personality, AllowIf(&[&[Is(0, 0)], &[Is(0, ASK_ONLY)], &[Is(0, NO_RANDOM)]], EPERM), "memory at address zero and data that is code, which exploits build on"),
    rule!(lookup_dcookie, libc::SYS_lookup_dcookie, Refuse(EPERM), "reading the paths of others"),
    rule!(lsm_set_self_attr, 460, Refuse(EPERM), "changing one's security label"),
    // Memory that is neither resident nor scratch, so that no limit of an ordinary user holds; and what outlives a run.
    rule!(memfd_create, libc::SYS_memfd_create, Refuse(ENOSYS), "memory beyond the limits"),
    rule!(memfd_secret, libc::SYS_memfd_secret, Refuse(ENOSYS), "memory beyond the limits"),
    rule!(mmap, libc::SYS_mmap, RefuseIf(&[&[HasAny(3, HUGE_PAGES)]], ENOMEM), "the host's store of huge pages, which no limit counts"),
    rule!(remap_file_pages, libc::SYS_remap_file_pages, Refuse(ENOSYS), "a way to arrange memory that nobody uses"),
    rule!(landlock_create_ruleset, libc::SYS_landlock_create_ruleset, Refuse(ENOSYS), "rules without end in the kernel's memory, beyond the limits"),
    rule!(landlock_add_rule, libc::SYS_landlock_add_rule, Refuse(ENOSYS), "rules without end in the kernel's memory, beyond the limits"),
    rule!(landlock_restrict_self, libc::SYS_landlock_restrict_self, Refuse(ENOSYS), "rules without end in the kernel's memory, beyond the limits"),
    rule!(shmget, libc::SYS_shmget, Refuse(ENOSYS), "objects that outlive their processes and memory beyond the limits"),
    rule!(shmat, libc::SYS_shmat, Refuse(ENOSYS), "objects that outlive their processes and memory beyond the limits"),
    rule!(shmdt, libc::SYS_shmdt, Refuse(ENOSYS), "objects that outlive their processes and memory beyond the limits"),
    rule!(shmctl, libc::SYS_shmctl, Refuse(ENOSYS), "objects that outlive their processes and memory beyond the limits"),
    rule!(semget, libc::SYS_semget, Refuse(ENOSYS), "objects that outlive their processes and memory beyond the limits"),
    rule!(semop, libc::SYS_semop, Refuse(ENOSYS), "objects that outlive their processes and memory beyond the limits"),
    rule!(semctl, libc::SYS_semctl, Refuse(ENOSYS), "objects that outlive their processes and memory beyond the limits"),
    rule!(semtimedop, libc::SYS_semtimedop, Refuse(ENOSYS), "objects that outlive their processes and memory beyond the limits"),
    rule!(msgget, libc::SYS_msgget, Refuse(ENOSYS), "objects that outlive their processes and memory beyond the limits"),
    rule!(msgsnd, libc::SYS_msgsnd, Refuse(ENOSYS), "objects that outlive their processes and memory beyond the limits"),
    rule!(msgrcv, libc::SYS_msgrcv, Refuse(ENOSYS), "objects that outlive their processes and memory beyond the limits"),
    rule!(msgctl, libc::SYS_msgctl, Refuse(ENOSYS), "objects that outlive their processes and memory beyond the limits"),
    rule!(mq_open, libc::SYS_mq_open, Refuse(ENOSYS), "objects that outlive their processes and memory beyond the limits"),
    rule!(mq_unlink, libc::SYS_mq_unlink, Refuse(ENOSYS), "objects that outlive their processes and memory beyond the limits"),
    rule!(mq_timedsend, libc::SYS_mq_timedsend, Refuse(ENOSYS), "objects that outlive their processes and memory beyond the limits"),
    rule!(mq_timedreceive, libc::SYS_mq_timedreceive, Refuse(ENOSYS), "objects that outlive their processes and memory beyond the limits"),
    rule!(mq_notify, libc::SYS_mq_notify, Refuse(ENOSYS), "objects that outlive their processes and memory beyond the limits"),
    rule!(mq_getsetattr, libc::SYS_mq_getsetattr, Refuse(ENOSYS), "objects that outlive their processes and memory beyond the limits"),
    // Keyrings belong to a user, not to a run, and aren't in any namespace but the user's.
    rule!(keyctl, libc::SYS_keyctl, Refuse(ENOSYS), "a store that all runs of a user share"),
    rule!(add_key, libc::SYS_add_key, Refuse(ENOSYS), "a store that all runs of a user share"),
    rule!(request_key, libc::SYS_request_key, Refuse(ENOSYS), "a store that all runs of a user share"),
    // The host as a whole.
    rule!(kexec_load, libc::SYS_kexec_load, Refuse(EPERM), "replacing the kernel"),
    rule!(kexec_file_load, libc::SYS_kexec_file_load, Refuse(EPERM), "replacing the kernel"),
    rule!(init_module, libc::SYS_init_module, Refuse(EPERM), "extending the kernel"),
    rule!(finit_module, libc::SYS_finit_module, Refuse(EPERM), "extending the kernel"),
    rule!(delete_module, libc::SYS_delete_module, Refuse(EPERM), "changing the kernel"),
    rule!(reboot, libc::SYS_reboot, Refuse(EPERM), "stopping the host"),
    rule!(swapon, libc::SYS_swapon, Refuse(EPERM), "changing the host's memory"),
    rule!(swapoff, libc::SYS_swapoff, Refuse(EPERM), "changing the host's memory"),
    rule!(acct, libc::SYS_acct, Refuse(EPERM), "changing the host's accounting"),
    rule!(syslog, libc::SYS_syslog, Refuse(EPERM), "reading the kernel's messages"),
    rule!(settimeofday, libc::SYS_settimeofday, Refuse(EPERM), "changing the clock"),
    rule!(clock_settime, libc::SYS_clock_settime, Refuse(EPERM), "changing the clock"),
    rule!(clock_adjtime, libc::SYS_clock_adjtime, Refuse(EPERM), "changing the clock"),
    rule!(adjtimex, libc::SYS_adjtimex, Refuse(EPERM), "changing the clock"),
    rule!(sethostname, libc::SYS_sethostname, Refuse(EPERM), "changing the host's name"),
    rule!(setdomainname, libc::SYS_setdomainname, Refuse(EPERM), "changing the host's name"),
    rule!(vhangup, libc::SYS_vhangup, Refuse(EPERM), "hanging up a terminal"),
    // Terminals and the network.
    rule!(ioctl, libc::SYS_ioctl, RefuseIf( &[&[Is(1, PUSH_INPUT)], &[Is(1, CONSOLE)], &[Is(1, LINE_DISCIPLINE)]], EPERM ), "typing into a terminal that it was started from, and loading what drives one"),
    rule!(socket, libc::SYS_socket, AllowIf(SOCKETS, EAFNOSUPPORT), "talking to the machine that this one runs in (AF_VSOCK), and protocols with faults of their own"),
    rule!(socketpair, libc::SYS_socketpair, AllowIf(&[&[Is(0, UNIX)]], EAFNOSUPPORT), "protocols with faults of their own"),
];

/// Calls that other processors don't have.
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
pub(super) const ALWAYS_HERE: &[Rule] = &[
    rule!(iopl, libc::SYS_iopl, Refuse(EPERM), "talking to devices"),
    rule!(ioperm, libc::SYS_ioperm, Refuse(EPERM), "talking to devices"),
    rule!(modify_ldt, libc::SYS_modify_ldt, Refuse(ENOSYS), "segments of memory, which exploits build on"),
    rule!(inotify_init, libc::SYS_inotify_init, Refuse(ENOSYS), "seeing which of the host's files others open, as two runs could talk"),
    rule!(uselib, libc::SYS_uselib, Refuse(ENOSYS), "a way to load code that nobody uses"),
    rule!(ustat, libc::SYS_ustat, Refuse(ENOSYS), "asking about file systems of the host"),
    rule!(sysfs, libc::SYS_sysfs, Refuse(ENOSYS), "asking about file systems of the host"),
    rule!(_sysctl, libc::SYS__sysctl, Refuse(ENOSYS), "changing kernel settings"),
];

/// More of them where there are no namespaces.
#[rustfmt::skip]
pub(super) const WITHOUT_NAMESPACES: &[Rule] = &[
    // The host's network is there.
    rule!(socket, libc::SYS_socket, Refuse(EACCES), "the network, and the sockets of services on this host"),
    rule!(socketpair, libc::SYS_socketpair, AllowIf( &[ &[Is(0, UNIX), IsUnder(1, KIND, STREAM)], &[Is(0, UNIX), IsUnder(1, KIND, PACKETS)] ], EACCES ), "a socket that can be pointed at a service's"),
    rule!(connect, libc::SYS_connect, Refuse(EACCES), "the network, and the sockets of services on this host"),
    rule!(bind, libc::SYS_bind, Refuse(EACCES), "being reached from outside"),
    rule!(listen, libc::SYS_listen, Refuse(EACCES), "being reached from outside"),
    // Landlock doesn't control what a file's owner may do with it unopened, and the program has the user's name here.
    rule!(fchmod, libc::SYS_fchmod, Refuse(EPERM), "changing the rights of the user's files"),
    rule!(fchmodat, libc::SYS_fchmodat, Refuse(EPERM), "changing the rights of the user's files"),
    rule!(fchmodat2, libc::SYS_fchmodat2, Refuse(EPERM), "changing the rights of the user's files"),
    rule!(fchown, libc::SYS_fchown, Refuse(EPERM), "changing the owner of the user's files"),
    rule!(fchownat, libc::SYS_fchownat, Refuse(EPERM), "changing the owner of the user's files"),
    rule!(utimensat, libc::SYS_utimensat, Refuse(EPERM), "changing the times of the user's files"),
    rule!(setxattr, libc::SYS_setxattr, Refuse(EPERM), "changing the attributes of the user's files"),
    rule!(lsetxattr, libc::SYS_lsetxattr, Refuse(EPERM), "changing the attributes of the user's files"),
    rule!(fsetxattr, libc::SYS_fsetxattr, Refuse(EPERM), "changing the attributes of the user's files"),
    rule!(removexattr, libc::SYS_removexattr, Refuse(EPERM), "changing the attributes of the user's files"),
    rule!(lremovexattr, libc::SYS_lremovexattr, Refuse(EPERM), "changing the attributes of the user's files"),
    rule!(fremovexattr, libc::SYS_fremovexattr, Refuse(EPERM), "changing the attributes of the user's files"),
    rule!(setxattrat, 463, Refuse(EPERM), "changing the attributes of the user's files"),
    rule!(removexattrat, 466, Refuse(EPERM), "changing the attributes of the user's files"),
    rule!(file_setattr, 469, Refuse(EPERM), "changing the attributes of the user's files"),
    rule!(ioctl, libc::SYS_ioctl, RefuseIf(&[&[Is(1, PUSH_INPUT)], &[Is(1, CONSOLE)], &[Is(1, LINE_DISCIPLINE)], &[IsUnder(1, FAMILY, OF_FILES)], &[IsUnder(1, FAMILY, OF_XFS)], &[IsUnder(1, FAMILY, OF_VERSIONS)]], EPERM), "changing flags of the user's files, and what is refused to all"),
    // The user's other processes are there.
    rule!(sched_setaffinity, libc::SYS_sched_setaffinity, RefuseIf(&[&[IsNot(0, 0)]], EPERM), "slowing down the user's other processes"),
    rule!(sched_setscheduler, libc::SYS_sched_setscheduler, RefuseIf(&[&[IsNot(0, 0)]], EPERM), "slowing down the user's other processes"),
    rule!(sched_setparam, libc::SYS_sched_setparam, RefuseIf(&[&[IsNot(0, 0)]], EPERM), "slowing down the user's other processes"),
    rule!(sched_setattr, libc::SYS_sched_setattr, RefuseIf(&[&[IsNot(0, 0)]], EPERM), "slowing down the user's other processes"),
    rule!(setpriority, libc::SYS_setpriority, RefuseIf(&[&[IsNot(0, 0)], &[IsNot(1, 0)]], EPERM), "slowing down the user's other processes"),
    rule!(ioprio_set, libc::SYS_ioprio_set, RefuseIf(&[&[IsNot(0, IO_PROCESS)], &[IsNot(1, 0)]], EPERM), "slowing down the user's other processes"),
];

/// Older calls for the same, which other processors don't have.
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
pub(super) const WITHOUT_NAMESPACES_HERE: &[Rule] = &[
    rule!(chmod, libc::SYS_chmod, Refuse(EPERM), "changing the rights of the user's files"),
    rule!(chown, libc::SYS_chown, Refuse(EPERM), "changing the owner of the user's files"),
    rule!(lchown, libc::SYS_lchown, Refuse(EPERM), "changing the owner of the user's files"),
    rule!(utime, libc::SYS_utime, Refuse(EPERM), "changing the times of the user's files"),
    rule!(utimes, libc::SYS_utimes, Refuse(EPERM), "changing the times of the user's files"),
    rule!(futimesat, libc::SYS_futimesat, Refuse(EPERM), "changing the times of the user's files"),
];

/// Signals to others and to oneself: who sent the one that ends a program is told with its end.
pub(super) const TOLD: &[Rule] = &[
    rule!(kill, libc::SYS_kill, Act::Tell, "nothing"),
    rule!(tkill, libc::SYS_tkill, Act::Tell, "nothing"),
    rule!(tgkill, libc::SYS_tgkill, Act::Tell, "nothing"),
    rule!(rt_sigqueueinfo, libc::SYS_rt_sigqueueinfo, Act::Tell, "nothing"),
    rule!(
        rt_tgsigqueueinfo,
        libc::SYS_rt_tgsigqueueinfo,
        Act::Tell,
        "nothing"
    ),
    rule!(
        pidfd_send_signal,
        libc::SYS_pidfd_send_signal,
        Act::Tell,
        "nothing"
    ),
];

/// More of them where Landlock doesn't control truncation (before Linux 6.2).
#[rustfmt::skip]
pub(super) const TRUNCATION: &[Rule] = &[
    rule!(truncate, libc::SYS_truncate, Refuse(EACCES), "emptying the user's files"),
    rule!(openat, libc::SYS_openat, RefuseIf(&[&[IsUnder(2, ACCESS | TRUNCATE, TRUNCATE)]], EACCES), "emptying the user's files by opening them"),
    rule!(openat2, libc::SYS_openat2, Refuse(ENOSYS), "emptying the user's files by opening them: its flags can't be seen by a filter"),
];

/// Older calls for the same, which other processors don't have.
#[cfg(target_arch = "x86_64")]
pub(super) const TRUNCATION_HERE: &[Rule] = &[rule!(
    open,
    libc::SYS_open,
    RefuseIf(&[&[IsUnder(1, ACCESS | TRUNCATE, TRUNCATE)]], EACCES),
    "emptying the user's files by opening them"
)];

#[cfg(not(target_arch = "x86_64"))]
pub(super) const ALWAYS_HERE: &[Rule] = &[];
#[cfg(not(target_arch = "x86_64"))]
pub(super) const WITHOUT_NAMESPACES_HERE: &[Rule] = &[];
#[cfg(not(target_arch = "x86_64"))]
pub(super) const TRUNCATION_HERE: &[Rule] = &[];

/// The rules for a sandbox with these gaps, less special ones first.
pub(super) fn chosen(uncovered: Uncovered) -> Vec<&'static Rule> {
    let mut all = vec![ALWAYS, ALWAYS_HERE];
    if uncovered.no_namespaces {
        all.extend([WITHOUT_NAMESPACES, WITHOUT_NAMESPACES_HERE]);
        if uncovered.truncation {
            all.extend([TRUNCATION, TRUNCATION_HERE]);
        }
    }
    all.into_iter().flatten().collect()
}

/// Every rule of every sandbox.
#[cfg(test)]
pub(super) fn every_rule() -> impl Iterator<Item = &'static Rule> {
    let all = Uncovered {
        no_namespaces: true,
        truncation: true,
    };
    chosen(all).into_iter()
}

const CLONE_FLAGS: u8 = 0;
const NAMESPACES: u32 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP)
    .cast_unsigned();
/// `CLONE_NEWTIME`, which `clone` can't have: there these bits are the signal.
const NEW_TIME: u32 = 0x80;

/// Asks `personality` and changes nothing.
const ASK_ONLY: u32 = u32::MAX;
/// `ADDR_NO_RANDOMIZE`, by which debuggers and some runtimes make addresses repeatable.
const NO_RANDOM: u32 = 0x0004_0000;

/// `F_SETLEASE`.
const SET_LEASE: u32 = 1024;
/// `F_NOTIFY`.
const NOTIFY: u32 = 1026;

/// `RLIMIT_CORE`.
const CORE: u32 = 4;

/// `MAP_HUGETLB`.
const HUGE_PAGES: u32 = 0x0004_0000;

/// The bits of an `ioctl`'s number that say whom it is for.
const FAMILY: u32 = 0xFF00;
/// File systems, and those that took after XFS.
const OF_FILES: u32 = 0x6600;
const OF_XFS: u32 = 0x5800;
const OF_VERSIONS: u32 = 0x7600;

/// `TIOCSTI`.
const PUSH_INPUT: u32 = 0x5412;
/// `TIOCLINUX`.
const CONSOLE: u32 = 0x541C;
/// `TIOCSETD`.
const LINE_DISCIPLINE: u32 = 0x5423;

const UNIX: u32 = libc::AF_UNIX.cast_unsigned();
/// The sockets that may be made: local ones, the two of the Internet with the protocols that everybody uses, and the
/// question which interfaces there are.
const SOCKETS: &[&[Test]] = &[
    &[Is(0, UNIX)],
    &[Is(0, INET), Is(2, 0)],
    &[Is(0, INET), Is(2, TCP)],
    &[Is(0, INET), Is(2, UDP)],
    &[Is(0, INET_6), Is(2, 0)],
    &[Is(0, INET_6), Is(2, TCP)],
    &[Is(0, INET_6), Is(2, UDP)],
    &[Is(0, NETLINK), Is(2, ROUTES)],
];
const INET: u32 = libc::AF_INET.cast_unsigned();
const INET_6: u32 = libc::AF_INET6.cast_unsigned();
const NETLINK: u32 = libc::AF_NETLINK.cast_unsigned();
const TCP: u32 = libc::IPPROTO_TCP.cast_unsigned();
const UDP: u32 = libc::IPPROTO_UDP.cast_unsigned();
const ROUTES: u32 = libc::NETLINK_ROUTE.cast_unsigned();

/// The bits of a socket's type that tell its kind; beside them are flags.
const KIND: u32 = 0xF;
const STREAM: u32 = libc::SOCK_STREAM.cast_unsigned();
const PACKETS: u32 = libc::SOCK_SEQPACKET.cast_unsigned();

/// `IOPRIO_WHO_PROCESS`.
const IO_PROCESS: u32 = 1;

const ACCESS: u32 = libc::O_ACCMODE.cast_unsigned();
const TRUNCATE: u32 = libc::O_TRUNC.cast_unsigned();
