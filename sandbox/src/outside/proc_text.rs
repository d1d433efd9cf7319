//! What the files in `/proc` say, and the units that they say it in.

use std::sync::OnceLock;
use std::time::Duration;

use nix::unistd::{SysconfVar, sysconf};

/// What one process uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Process {
    /// Its own, with its threads, in ticks.
    pub(super) own_ticks: u64,
    /// That of the children that it has waited for, in ticks.
    pub(super) reaped_ticks: u64,
    pub(super) threads: u64,
    pub(super) resident_pages: u64,
}

/// The names in what `getdents64` gives: an inode (8 bytes), an offset (8), a length (2), a type (1), a name.
pub(super) fn names(mut records: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let length = usize::from(u16::from_ne_bytes(*records.get(16..18)?.first_chunk()?));
        let (record, rest) = records.split_at_checked(length)?;
        records = rest;
        record.get(19..)?.split(|&byte| byte == 0).next()
    })
}

/// A whole number in decimal digits and nothing else.
pub(super) fn number<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    let text = text.trim_ascii();
    text.iter()
        .all(u8::is_ascii_digit)
        .then(|| std::str::from_utf8(text).ok()?.parse().ok())?
}

pub(super) fn parse_stat(text: &[u8]) -> Option<Process> {
    // The name is in brackets and may hold anything, brackets too; field 3 follows the last of them.
    let after_name = text.iter().rposition(|&byte| byte == b')')? + 2;
    let fields: Vec<&[u8]> = text.get(after_name..)?.split(|&byte| byte == b' ').collect();
    let field = |index: usize| number::<u64>(fields.get(index - 3)?);
    Some(Process {
        own_ticks: field(14)? + field(15)?,
        reaped_ticks: field(16)? + field(17)?,
        threads: field(20)?,
        resident_pages: field(24)?,
    })
}

pub(super) fn pss_kib(text: &[u8]) -> Option<u64> {
    let line = text
        .split(|&byte| byte == b'\n')
        .find_map(|line| line.strip_prefix(b"Pss:"))?;
    number(line.strip_suffix(b"kB")?)
}

pub(super) fn ticks(count: u64) -> Duration {
    static PER_SECOND: OnceLock<u64> = OnceLock::new();
    let per_second = *PER_SECOND.get_or_init(|| system_value(SysconfVar::CLK_TCK, 100));
    Duration::from_nanos(count * (1_000_000_000 / per_second))
}

/// Microseconds as whole ticks, as `/proc` shows them.
pub(super) fn ticks_of(micros: u64) -> u64 {
    u64::try_from(Duration::from_micros(micros).as_nanos() / ticks(1).as_nanos().max(1)).unwrap_or(u64::MAX)
}

pub(super) fn page() -> u64 {
    static SIZE: OnceLock<u64> = OnceLock::new();
    *SIZE.get_or_init(|| system_value(SysconfVar::PAGE_SIZE, 4096))
}

pub(super) fn system_value(name: SysconfVar, usual: u64) -> u64 {
    sysconf(name)
        .ok()
        .flatten()
        .and_then(|value| u64::try_from(value).ok())
        .unwrap_or(usual)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_is_read_behind_any_name() {
        let text = b"7 (a) b) R 1 7 7 0 -1 4194304 99 98 0 0 11 22 33 44 20 0 3 0 123 1000000 250 18446744073709551615 1\n";
        let want = Process {
            own_ticks: 33,
            reaped_ticks: 77,
            threads: 3,
            resident_pages: 250,
        };
        assert_eq!(parse_stat(text), Some(want));
        assert_eq!(parse_stat(b"7 (cut"), None);
    }

    #[test]
    fn the_shared_part_is_read() {
        assert_eq!(
            pss_kib(b"00-ff ---p 0 [rollup]\nRss:   2000 kB\nPss:    1234 kB\n"),
            Some(1234)
        );
    }
}
