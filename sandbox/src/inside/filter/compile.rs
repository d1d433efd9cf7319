//! From rules to the kernel's filter language: a balanced tree of comparisons.
//!
//! The kernel runs the whole filter for every system call that there is when it is loaded, and then again at each call
//! that looks at arguments. A list of comparisons takes ten times as long to load as a tree.

use std::collections::BTreeMap;

use nix::errno::Errno;
use nix::libc::{self, sock_filter};

use super::rules::{Act, Rule, Test};

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xC000_00B7;

/// The first number beyond the calls that were looked at: `file_setattr` of Linux 6.17 is the last one. What is newer has no
/// rule yet, so it is refused. The numbers of x32, a second door to all calls of x86-64, lie above it too.
pub(super) const FIRST_UNKNOWN: u32 = 470;

// Where things are in the kernel's `struct seccomp_data`; both processors are little-endian.
const NUMBER: u32 = 0;
const ARCH: u32 = 4;
const FIRST_ARGUMENT: u32 = 16;

/// The filter of these rules; of two about the same call the later one counts.
pub(super) fn compile(rules: &[&Rule]) -> Vec<sock_filter> {
    let by_number: BTreeMap<u32, &Rule> = rules.iter().map(|rule| (rule.number, *rule)).collect();
    // Ranges of numbers by their first; each lasts until the next begins.
    let mut ranges: Vec<(u32, Option<&Act>)> = vec![(0, None)];
    for (&number, rule) in &by_number {
        if ranges.last().is_some_and(|&(first, _)| first == number) {
            ranges.pop();
        }
        ranges.push((number, Some(&rule.act)));
        ranges.push((number + 1, None));
    }
    ranges.retain(|&(first, _)| first < FIRST_UNKNOWN);
    ranges.push((FIRST_UNKNOWN, Some(&Act::Refuse(Errno::ENOSYS))));
    // Neighbours with the same verdict are one: the shorter the filter, the less every run waits for it to be loaded.
    ranges.dedup_by(|next, range| is_same(next.1, range.1));

    // Another architecture, as by `int 0x80`, has other numbers.
    let mut program = vec![
        load(ARCH),
        jump(libc::BPF_JEQ, ARCHITECTURE, 1, 0),
        refuse(Errno::ENOSYS),
        load(NUMBER),
    ];
    program.extend(tree(&ranges));
    program
}

fn is_same(one: Option<&Act>, other: Option<&Act>) -> bool {
    match (one, other) {
        (None, None) | (Some(Act::Tell), Some(Act::Tell)) => true,
        (Some(Act::Refuse(one)), Some(Act::Refuse(other))) => one == other,
        _ => false,
    }
}

/// The search among these ranges, of which the first is known to have begun.
fn tree(ranges: &[(u32, Option<&Act>)]) -> Vec<sock_filter> {
    let (below, above) = ranges.split_at(ranges.len() / 2);
    let Some(&(pivot, _)) = above.first().filter(|_| !below.is_empty()) else {
        return ranges.first().map_or_else(Vec::new, |(_, act)| leaf(*act));
    };
    let (below, above) = (tree(below), tree(above));
    let length = below.len();
    let mut code = match u8::try_from(length) {
        Ok(length) => vec![jump(libc::BPF_JGE, pivot, length, 0)],
        // Conditional jumps reach 255 instructions, unconditional ones all.
        Err(_) => vec![jump(libc::BPF_JGE, pivot, 0, 1), jump_always(length)],
    };
    code.extend(below);
    code.extend(above);
    code
}

fn leaf(act: Option<&Act>) -> Vec<sock_filter> {
    match act {
        None => vec![allow()],
        Some(Act::Refuse(errno)) => vec![refuse(*errno)],
        Some(Act::RefuseIf(cases, errno)) => {
            decide(cases.iter().map(|case| (*case, refuse(*errno))), allow())
        }
        Some(Act::RefuseEach(cases)) => {
            decide(cases.iter().map(|(case, errno)| (*case, refuse(*errno))), allow())
        }
        Some(Act::AllowIf(cases, errno)) => decide(cases.iter().map(|case| (*case, allow())), refuse(*errno)),
        Some(Act::Tell) => vec![tell()],
    }
}

/// The verdict of the first case of which all tests hold, else `otherwise`.
fn decide<'a>(
    cases: impl Iterator<Item = (&'a [Test], sock_filter)>,
    otherwise: sock_filter,
) -> Vec<sock_filter> {
    let mut code = Vec::new();
    for (case, then) in cases {
        let tests: Vec<Vec<sock_filter>> = case.iter().map(test).collect();
        // What is left of this case behind each test: the other tests, and its verdict.
        let mut left = tests.iter().map(Vec::len).sum::<usize>() + 1;
        for mut test in tests {
            left -= test.len();
            if let Some(last) = test.last_mut() {
                // A case has a few instructions only.
                let skip = u8::try_from(left).unwrap_or(u8::MAX);
                if last.jf == NEXT {
                    last.jf = skip;
                }
                if last.jt == NEXT {
                    last.jt = skip;
                }
            }
            code.extend(test);
        }
        code.push(then);
    }
    code.push(otherwise);
    code
}

/// Stands for the distance to the next case until that is known.
const NEXT: u8 = u8::MAX;

/// The lower half of an argument decides but for addresses: the calls in question take no more of it.
fn test(test: &Test) -> Vec<sock_filter> {
    let argument = |index: u8| load(FIRST_ARGUMENT + 8 * u32::from(index));
    match *test {
        Test::Is(index, value) => vec![argument(index), jump(libc::BPF_JEQ, value, 0, NEXT)],
        Test::IsNot(index, value) => vec![argument(index), jump(libc::BPF_JEQ, value, NEXT, 0)],
        Test::UpperIsNot(index, value) => vec![
            load(FIRST_ARGUMENT + 8 * u32::from(index) + 4),
            jump(libc::BPF_JEQ, value, NEXT, 0),
        ],
        Test::HasAny(index, bits) => vec![argument(index), jump(libc::BPF_JSET, bits, 0, NEXT)],
        Test::IsUnder(index, mask, value) => vec![
            argument(index),
            instruction(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, 0, 0, mask),
            jump(libc::BPF_JEQ, value, 0, NEXT),
        ],
    }
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

/// Skips `then` instructions when the test holds and `otherwise` when it doesn't.
fn jump(test: u32, value: u32, then: u8, otherwise: u8) -> sock_filter {
    instruction(libc::BPF_JMP | test | libc::BPF_K, then, otherwise, value)
}

fn jump_always(count: usize) -> sock_filter {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    instruction(libc::BPF_JMP | libc::BPF_JA, 0, 0, count)
}

fn allow() -> sock_filter {
    instruction(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW)
}

fn tell() -> sock_filter {
    instruction(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_USER_NOTIF)
}

fn refuse(errno: Errno) -> sock_filter {
    let verdict = libc::SECCOMP_RET_ERRNO | (errno as i32).cast_unsigned();
    instruction(libc::BPF_RET | libc::BPF_K, 0, 0, verdict)
}
