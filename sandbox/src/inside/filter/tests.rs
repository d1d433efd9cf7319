//! Each rule is tried: with the filter it answers what it says, without the filter the same call answers something else.

use std::collections::HashMap;

use nix::errno::Errno;
use nix::libc::{self, c_long};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, fork, setsid};

use super::compile::{FIRST_UNKNOWN, compile};
use super::rules::{Act, Rule, chosen, every_rule};
use super::*;

const EVERYTHING: Uncovered = Uncovered {
    no_namespaces: true,
    truncation: true,
};

/// What the filter says to a call: the error, or 0 for "allowed". As the kernel runs it.
fn verdict(program: &[sock_filter], arch: u32, number: u32, args: [u32; 6]) -> i32 {
    let mut data = [0_u8; 64];
    data[..4].copy_from_slice(&number.to_le_bytes());
    data[4..8].copy_from_slice(&arch.to_le_bytes());
    for (index, arg) in args.into_iter().enumerate() {
        data[16 + 8 * index..][..4].copy_from_slice(&arg.to_le_bytes());
    }
    let (mut at, mut accumulator) = (0, 0_u32);
    for _ in 0..4096 {
        let step = program[at];
        let code = u32::from(step.code);
        at += 1;
        let jump = |holds: bool| usize::from(if holds { step.jt } else { step.jf });
        if code == libc::BPF_LD | libc::BPF_W | libc::BPF_ABS {
            let offset = usize::try_from(step.k).unwrap();
            accumulator = u32::from_le_bytes(data[offset..][..4].try_into().unwrap());
        } else if code == libc::BPF_ALU | libc::BPF_AND | libc::BPF_K {
            accumulator &= step.k;
        } else if code == libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K {
            at += jump(accumulator == step.k);
        } else if code == libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K {
            at += jump(accumulator >= step.k);
        } else if code == libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K {
            at += jump(accumulator & step.k != 0);
        } else if code == libc::BPF_JMP | libc::BPF_JA {
            at += usize::try_from(step.k).unwrap();
        } else if step.k == libc::SECCOMP_RET_ALLOW {
            return 0;
        } else {
            return (step.k & 0xFFFF).cast_signed();
        }
    }
    panic!("the filter doesn't end")
}

#[cfg(target_arch = "x86_64")]
const HERE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const HERE: u32 = 0xC000_00B7;

#[test]
fn the_tree_decides_as_the_list_of_rules_does() {
    for uncovered in [Uncovered::default(), EVERYTHING] {
        let rules = chosen(uncovered);
        let program = compile(&rules);
        for number in (0..1000).chain([0x4000_0000, 0x4000_0027, u32::MAX]) {
            let rule = rules.iter().rev().find(|rule| rule.number == number);
            let want = match rule.map(|rule| &rule.act) {
                Some(Act::Refuse(errno)) => *errno as i32,
                Some(_) => continue,
                None if number >= FIRST_UNKNOWN => libc::ENOSYS,
                None => 0,
            };
            assert_eq!(verdict(&program, HERE, number, [0; 6]), want, "{number}");
            assert_eq!(
                verdict(&program, HERE + 1, number, [0; 6]),
                libc::ENOSYS,
                "{number}"
            );
        }
    }
}

#[test]
fn a_tree_of_any_size_decides_right() {
    let rules: Vec<Rule> = (0..FIRST_UNKNOWN)
        .map(|number| Rule {
            name: "x",
            number,
            act: Act::Refuse(Errno::from_raw(i32::try_from(number % 40 + 1).unwrap())),
            stops: "x",
        })
        .collect();
    for step in [1, 2, 3, 7, 469] {
        let chosen: Vec<&Rule> = rules.iter().step_by(step).collect();
        let program = compile(&chosen);
        for number in 0..FIRST_UNKNOWN {
            let ruled = usize::try_from(number).unwrap().is_multiple_of(step);
            let want = if ruled { number % 40 + 1 } else { 0 };
            assert_eq!(
                verdict(&program, HERE, number, [0; 6]).cast_unsigned(),
                want,
                "{number} of every {step}"
            );
        }
    }
}

#[test]
fn it_is_a_tree() {
    // As deep as the number of ranges asks for, and some loads and tests of arguments.
    let program = compiled(EVERYTHING);
    assert!(program.len() < 700, "{}", program.len());
    let every: Vec<&Rule> = every_rule().collect();
    assert!(every.len() > 90);
}

#[test]
fn each_rule_says_what_it_stops() {
    for rule in every_rule() {
        assert!(rule.stops.len() > 8, "{}", rule.name);
    }
}

/// One call to try: its name, arguments with which it can do no harm, and what the filter answers.
struct Try(&'static str, [c_long; 5], Errno);

const BAD: c_long = -1;
/// An address where nothing is.
const NOWHERE: c_long = 8;

#[rustfmt::skip]
const TRIES: &[Try] = &[
    Try("clone3", [0, 0, 0, 0, 0], Errno::ENOSYS),
    Try("clone", [0x1000_0000 | 0x200, 0, 0, 0, 0], Errno::EPERM),
    Try("unshare", [0x1000_0000, 0, 0, 0, 0], Errno::EPERM),
    Try("unshare", [0x80, 0, 0, 0, 0], Errno::EPERM),
    Try("setns", [BAD, 0, 0, 0, 0], Errno::EPERM),
    Try("mount", [0, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("umount2", [NOWHERE, 0, 0, 0, 0], Errno::EPERM),
    Try("pivot_root", [NOWHERE, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("open_tree", [BAD, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("move_mount", [BAD, NOWHERE, BAD, NOWHERE, 0], Errno::EPERM),
    Try("mount_setattr", [BAD, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("fsopen", [NOWHERE, 0, 0, 0, 0], Errno::EPERM),
    Try("fspick", [BAD, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("fsconfig", [BAD, 99, 0, 0, 0], Errno::EPERM),
    Try("fsmount", [BAD, 0, 0, 0, 0], Errno::EPERM),
    Try("open_tree_attr", [BAD, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("chroot", [NOWHERE, 0, 0, 0, 0], Errno::EPERM),
    Try("name_to_handle_at", [BAD, NOWHERE, NOWHERE, NOWHERE, 0], Errno::EPERM),
    Try("open_by_handle_at", [BAD, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("fanotify_init", [BAD, 0, 0, 0, 0], Errno::EPERM),
    Try("fanotify_mark", [BAD, 0, 0, BAD, 0], Errno::EPERM),
    Try("inotify_init1", [BAD, 0, 0, 0, 0], Errno::ENOSYS),
    Try("fcntl", [BAD, 1024, 1, 0, 0], Errno::EPERM),
    Try("fcntl", [BAD, 1026, 1, 0, 0], Errno::EPERM),
    Try("sync", [0, 0, 0, 0, 0], Errno::ENOSYS),
    Try("syncfs", [BAD, 0, 0, 0, 0], Errno::ENOSYS),
    Try("quotactl", [0, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("quotactl_fd", [BAD, 0, 0, 0, 0], Errno::EPERM),
    Try("ptrace", [9999, 999_999_999, 0, 0, 0], Errno::EPERM),
    Try("process_vm_readv", [0, 0, 0, 0, 0], Errno::EPERM),
    Try("process_vm_writev", [0, 0, 0, 0, 0], Errno::EPERM),
    Try("process_madvise", [BAD, 0, 0, 0, 0], Errno::EPERM),
    Try("process_mrelease", [BAD, 0, 0, 0, 0], Errno::EPERM),
    Try("migrate_pages", [999_999_999, 0, 0, 0, 0], Errno::EPERM),
    Try("move_pages", [999_999_999, 0, 0, 0, 0], Errno::EPERM),
    Try("pidfd_getfd", [BAD, 0, 0, 0, 0], Errno::EPERM),
    Try("kcmp", [999_999_999, 999_999_999, 0, 0, 0], Errno::EPERM),
    Try("prlimit64", [999_999_999, 0, 0, 0, 0], Errno::EPERM),
    Try("prlimit64", [0, 4, NOWHERE, 0, 0], Errno::UnknownErrno),
    Try("prlimit64", [0, 4, NOWHERE << 32, 0, 0], Errno::UnknownErrno),
    Try("setrlimit", [4, NOWHERE, 0, 0, 0], Errno::UnknownErrno),
    Try("bpf", [9999, 0, 0, 0, 0], Errno::EPERM),
    Try("perf_event_open", [NOWHERE, 0, 0, BAD, 0], Errno::EPERM),
    Try("userfaultfd", [BAD, 0, 0, 0, 0], Errno::ENOSYS),
    Try("io_uring_setup", [0, 0, 0, 0, 0], Errno::ENOSYS),
    Try("io_uring_enter", [BAD, 0, 0, 0, 0], Errno::ENOSYS),
    Try("io_uring_register", [BAD, 0, 0, 0, 0], Errno::ENOSYS),
    Try("vmsplice", [BAD, 0, 0, 0, 0], Errno::ENOSYS),
    Try("personality", [0x0040_0000, 0, 0, 0, 0], Errno::EPERM),
    Try("lookup_dcookie", [0, 0, 0, 0, 0], Errno::EPERM),
    Try("lsm_set_self_attr", [0, 0, 0, 0, 0], Errno::EPERM),
    Try("memfd_create", [NOWHERE, 0, 0, 0, 0], Errno::ENOSYS),
    Try("memfd_secret", [BAD, 0, 0, 0, 0], Errno::ENOSYS),
    // Also without the filter it fails, for its size, and otherwise.
    Try("mmap", [0, 0, 0, 0x0004_0022, BAD], Errno::ENOMEM),
    Try("remap_file_pages", [NOWHERE, 0, 0, 0, 0], Errno::ENOSYS),
    Try("landlock_create_ruleset", [NOWHERE, 0, 0, 0, 0], Errno::ENOSYS),
    Try("landlock_add_rule", [BAD, 99, NOWHERE, 0, 0], Errno::ENOSYS),
    Try("landlock_restrict_self", [BAD, 99, 0, 0, 0], Errno::ENOSYS),
    Try("shmget", [1, 0, 0, 0, 0], Errno::ENOSYS),
    Try("shmat", [BAD, 0, 0, 0, 0], Errno::ENOSYS),
    Try("shmdt", [NOWHERE, 0, 0, 0, 0], Errno::ENOSYS),
    Try("shmctl", [BAD, 99, 0, 0, 0], Errno::ENOSYS),
    Try("semget", [1, 0, 0, 0, 0], Errno::ENOSYS),
    Try("semop", [BAD, 0, 0, 0, 0], Errno::ENOSYS),
    Try("semctl", [BAD, 0, 99, 0, 0], Errno::ENOSYS),
    Try("semtimedop", [BAD, 0, 0, 0, 0], Errno::ENOSYS),
    Try("msgget", [1, 0, 0, 0, 0], Errno::ENOSYS),
    Try("msgsnd", [BAD, 0, 0, 0, 0], Errno::ENOSYS),
    Try("msgrcv", [BAD, 0, 0, 0, 0], Errno::ENOSYS),
    Try("msgctl", [BAD, 99, 0, 0, 0], Errno::ENOSYS),
    Try("mq_open", [NOWHERE, 0, 0, 0, 0], Errno::ENOSYS),
    Try("mq_unlink", [NOWHERE, 0, 0, 0, 0], Errno::ENOSYS),
    Try("mq_timedsend", [BAD, 0, 0, 0, 0], Errno::ENOSYS),
    Try("mq_timedreceive", [BAD, 0, 0, 0, 0], Errno::ENOSYS),
    Try("mq_notify", [BAD, 0, 0, 0, 0], Errno::ENOSYS),
    Try("mq_getsetattr", [BAD, 0, 0, 0, 0], Errno::ENOSYS),
    Try("keyctl", [9999, 0, 0, 0, 0], Errno::ENOSYS),
    Try("add_key", [NOWHERE, 0, 0, 0, 0], Errno::ENOSYS),
    Try("request_key", [NOWHERE, 0, 0, 0, 0], Errno::ENOSYS),
    Try("kexec_load", [0, 99_999, 0, 0, 0], Errno::EPERM),
    Try("kexec_file_load", [BAD, BAD, 0, 0, 0xFFFF], Errno::EPERM),
    Try("init_module", [0, 0, 0, 0, 0], Errno::EPERM),
    Try("finit_module", [BAD, 0, 0, 0, 0], Errno::EPERM),
    Try("delete_module", [NOWHERE, 0, 0, 0, 0], Errno::EPERM),
    Try("reboot", [0, 0, 0, 0, 0], Errno::EPERM),
    Try("swapon", [NOWHERE, 0, 0, 0, 0], Errno::EPERM),
    Try("swapoff", [NOWHERE, 0, 0, 0, 0], Errno::EPERM),
    Try("acct", [NOWHERE, 0, 0, 0, 0], Errno::EPERM),
    Try("syslog", [9999, 0, 0, 0, 0], Errno::EPERM),
    Try("settimeofday", [NOWHERE, 0, 0, 0, 0], Errno::EPERM),
    Try("clock_settime", [9999, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("clock_adjtime", [9999, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("adjtimex", [NOWHERE, 0, 0, 0, 0], Errno::EPERM),
    Try("sethostname", [0, BAD, 0, 0, 0], Errno::EPERM),
    Try("setdomainname", [0, BAD, 0, 0, 0], Errno::EPERM),
    // In a session of its own there is no terminal to hang up.
    Try("vhangup", [0, 0, 0, 0, 0], Errno::EPERM),
    Try("ioctl", [BAD, 0x5412, 0, 0, 0], Errno::EPERM),
    Try("ioctl", [BAD, 0x541C, 0, 0, 0], Errno::EPERM),
    Try("ioctl", [BAD, 0x5423, 0, 0, 0], Errno::EPERM),
    Try("socket", [40, 1, 0, 0, 0], Errno::EAFNOSUPPORT),
    Try("socket", [38, 5, 0, 0, 0], Errno::EAFNOSUPPORT),
    Try("socket", [17, 3, 0, 0, 0], Errno::EAFNOSUPPORT),
    Try("socket", [16, 3, 15, 0, 0], Errno::EAFNOSUPPORT),
    Try("socket", [2, 3, 1, 0, 0], Errno::EAFNOSUPPORT),
    Try("socketpair", [30, 1, 0, NOWHERE, 0], Errno::EAFNOSUPPORT),
];

#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
const TRIES_HERE: &[Try] = &[
    Try("iopl", [99, 0, 0, 0, 0], Errno::EPERM),
    Try("ioperm", [BAD, 1, 1, 0, 0], Errno::EPERM),
    Try("modify_ldt", [0, 0, 0, 0, 0], Errno::ENOSYS),
    Try("inotify_init", [0, 0, 0, 0, 0], Errno::ENOSYS),
    Try("uselib", [NOWHERE, 0, 0, 0, 0], Errno::ENOSYS),
    Try("ustat", [0, 0, 0, 0, 0], Errno::ENOSYS),
    Try("sysfs", [99, 0, 0, 0, 0], Errno::ENOSYS),
    Try("_sysctl", [0, 0, 0, 0, 0], Errno::ENOSYS),
];
#[cfg(not(target_arch = "x86_64"))]
const TRIES_HERE: &[Try] = &[];

/// Those that the rules for a host without namespaces add or change.
#[rustfmt::skip]
const TRIES_BARE: &[Try] = &[
    Try("socket", [1, 1, 0, 0, 0], Errno::EACCES),
    Try("socket", [2, 1, 0, 0, 0], Errno::EACCES),
    Try("socketpair", [1, 2, 0, NOWHERE, 0], Errno::EACCES),
    Try("socketpair", [2, 1, 0, NOWHERE, 0], Errno::EACCES),
    Try("connect", [BAD, 0, 0, 0, 0], Errno::EACCES),
    Try("bind", [BAD, 0, 0, 0, 0], Errno::EACCES),
    Try("listen", [BAD, 0, 0, 0, 0], Errno::EACCES),
    Try("fchmod", [BAD, 0, 0, 0, 0], Errno::EPERM),
    Try("fchmodat", [BAD, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("fchmodat2", [BAD, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("fchown", [BAD, 0, 0, 0, 0], Errno::EPERM),
    Try("fchownat", [BAD, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("utimensat", [BAD, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("setxattr", [NOWHERE, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("lsetxattr", [NOWHERE, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("fsetxattr", [BAD, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("removexattr", [NOWHERE, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("lremovexattr", [NOWHERE, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("fremovexattr", [BAD, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("setxattrat", [BAD, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("removexattrat", [BAD, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("file_setattr", [BAD, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("ioctl", [BAD, 0x6602, 0, 0, 0], Errno::EPERM),
    Try("ioctl", [BAD, 0x5820, 0, 0, 0], Errno::EPERM),
    Try("ioctl", [BAD, 0x7602, 0, 0, 0], Errno::EPERM),
    Try("sched_setaffinity", [999_999_999, 0, NOWHERE, 0, 0], Errno::EPERM),
    Try("sched_setscheduler", [999_999_999, 0, NOWHERE, 0, 0], Errno::EPERM),
    Try("sched_setparam", [999_999_999, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("sched_setattr", [999_999_999, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("setpriority", [2, 999_999_999, 0, 0, 0], Errno::EPERM),
    Try("setpriority", [0, 999_999_999, 0, 0, 0], Errno::EPERM),
    Try("ioprio_set", [3, 999_999_999, 0, 0, 0], Errno::EPERM),
    Try("ioprio_set", [1, 999_999_999, 0, 0, 0], Errno::EPERM),
    Try("truncate", [NOWHERE, 0, 0, 0, 0], Errno::EACCES),
    Try("openat", [BAD, NOWHERE, libc::O_TRUNC as c_long, 0, 0], Errno::EACCES),
    Try("openat2", [BAD, NOWHERE, NOWHERE, 24, 0], Errno::ENOSYS),
];

#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
const TRIES_BARE_HERE: &[Try] = &[
    Try("chmod", [NOWHERE, 0, 0, 0, 0], Errno::EPERM),
    Try("chown", [NOWHERE, 0, 0, 0, 0], Errno::EPERM),
    Try("lchown", [NOWHERE, 0, 0, 0, 0], Errno::EPERM),
    Try("utime", [NOWHERE, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("utimes", [NOWHERE, NOWHERE, 0, 0, 0], Errno::EPERM),
    Try("futimesat", [BAD, NOWHERE, NOWHERE, 0, 0], Errno::EPERM),
    Try("open", [NOWHERE, libc::O_TRUNC as c_long, 0, 0, 0], Errno::EACCES),
];
#[cfg(not(target_arch = "x86_64"))]
const TRIES_BARE_HERE: &[Try] = &[];

/// What a call answers in a process of its own, with or without the filter. Errors of setting up are negative.
fn answer(filter: Option<Uncovered>, number: u32, args: [c_long; 5]) -> i32 {
    if let Some(uncovered) = filter {
        compiled(uncovered);
    }
    // SAFETY: the child makes system calls only.
    match unsafe { fork() }.unwrap() {
        ForkResult::Child => {
            let installed = setsid().is_ok()
                && filter.is_none_or(|uncovered| {
                    nix::sys::prctl::set_no_new_privs().is_ok() && install(uncovered).is_ok()
                });
            // SAFETY: no address among the arguments is one that the kernel could use.
            let done = unsafe { libc::syscall(number.into(), args[0], args[1], args[2], args[3], args[4]) };
            let errno = Errno::result(done).err().map_or(0, |errno| errno as i32);
            // SAFETY: ends this process and runs nothing of the test.
            unsafe { libc::_exit(if installed { errno } else { 255 }) }
        }
        ForkResult::Parent { child } => match waitpid(child, None).unwrap() {
            WaitStatus::Exited(_, status) => status,
            other => panic!("{number}: {other:?}"),
        },
    }
}

fn try_all(uncovered: Uncovered, tries: &[&[Try]]) {
    let numbers: HashMap<&str, u32> = every_rule().map(|rule| (rule.name, rule.number)).collect();
    let root = nix::unistd::geteuid().is_root();
    let mut untried: Vec<&str> = chosen(uncovered).iter().map(|rule| rule.name).collect();
    for &Try(name, args, errno) in tries.iter().copied().flatten() {
        let number = numbers[name];
        untried.retain(|other| *other != name);
        assert_eq!(
            answer(Some(uncovered), number, args),
            errno as i32,
            "{name} {args:?}"
        );
        let without = answer(None, number, args);
        let unknown = [libc::ENOSYS, libc::EAFNOSUPPORT].contains(&without);
        if unknown || (!root && without == libc::EPERM) {
            println!("{name}: no control, for this kernel doesn't have it or this user may not call it");
        } else {
            assert_ne!(without, errno as i32, "the control of {name} {args:?}");
        }
    }
    assert_eq!(untried, Vec::<&str>::new(), "rules that no test tries");
}

#[test]
fn every_rule_of_a_sandbox_with_namespaces_holds() {
    try_all(Uncovered::default(), &[TRIES, TRIES_HERE]);
}

#[test]
fn every_rule_of_a_sandbox_without_namespaces_holds() {
    let but_sockets: Vec<Try> = TRIES
        .iter()
        .filter(|Try(name, ..)| !name.starts_with("socket"))
        .map(|&Try(name, args, errno)| Try(name, args, errno))
        .collect();
    try_all(
        EVERYTHING,
        &[&but_sockets, TRIES_HERE, TRIES_BARE, TRIES_BARE_HERE],
    );
}

#[test]
#[rustfmt::skip]
fn what_programs_need_stays_allowed() {
    let program = compiled(Uncovered::default());
    let allowed = |number: c_long, args| verdict(program, HERE, u32::try_from(number).unwrap(), args);
    assert_eq!(allowed(libc::SYS_clone, [0x0001_0F00, 0, 0, 0, 0, 0]), 0, "a thread");
    assert_eq!(allowed(libc::SYS_unshare, [0x400, 0, 0, 0, 0, 0]), 0, "sharing no files");
    assert_eq!(allowed(libc::SYS_prlimit64, [0, 7, 0, 0, 0, 0]), 0, "the own limits");
    assert_eq!(allowed(libc::SYS_personality, [u32::MAX, 0, 0, 0, 0, 0]), 0, "a question");
    assert_eq!(allowed(libc::SYS_ioctl, [1, 0x5401, 0, 0, 0, 0]), 0, "isatty");
    for socket in [[1, 1, 0], [1, 2, 0], [2, 1, 0], [2, 1, 6], [2, 2, 17], [10, 1, 0], [10, 1, 6], [16, 3, 0]] {
        let [family, kind, protocol] = socket;
        assert_eq!(allowed(libc::SYS_socket, [family, kind, protocol, 0, 0, 0]), 0, "{socket:?}");
    }
    let bare = compiled(EVERYTHING);
    let allowed = |number: c_long, args| verdict(bare, HERE, u32::try_from(number).unwrap(), args);
    for kind in [1, 5, 1 | libc::SOCK_CLOEXEC.cast_unsigned(), 5 | libc::SOCK_NONBLOCK.cast_unsigned()] {
        assert_eq!(allowed(libc::SYS_socketpair, [1, kind, 0, 0, 0, 0]), 0, "{kind}");
    }
    let write = (libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC).cast_unsigned();
    assert_eq!(allowed(libc::SYS_openat, [0, 0, write, 0, 0, 0]), 0, "Landlock asks whether it may be written");
    assert_eq!(allowed(libc::SYS_openat, [0, 0, 0, 0, 0, 0]), 0, "reading");
    assert_eq!(allowed(libc::SYS_setpriority, [0, 0, 5, 0, 0, 0]), 0, "the own priority");
}
