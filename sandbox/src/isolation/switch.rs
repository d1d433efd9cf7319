//! Switching off what the host has, so that what happens on a host without it can be tested. Not for anything else: what
//! is off is told as missing, like on such a host.

use std::sync::atomic::{AtomicU32, Ordering};

/// Something of the kernel that a host may lack.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primitive {
    /// User namespaces, and with them all others for who isn't root.
    Namespaces,
    /// Control groups.
    Cgroups,
    /// Landlock.
    Landlock,
    /// The filter of system calls, without anybody knowing: the proof must find out.
    FilterUnnoticed,
    /// The rules of Landlock, without anybody knowing.
    LandlockUnnoticed,
    /// Overlays.
    Overlays,
}

static OFF: AtomicU32 = AtomicU32::new(0);
static LANDLOCK: AtomicU32 = AtomicU32::new(u32::MAX);

/// From now on this process and its launcher act as if the host hadn't it. Call it before the first run.
#[doc(hidden)]
pub fn switch_off(primitive: Primitive) {
    OFF.fetch_or(bit(primitive), Ordering::Relaxed);
}

/// From now on Landlock's interface is taken to be no newer than this.
#[doc(hidden)]
pub fn landlock_at_most(version: u32) {
    LANDLOCK.store(version, Ordering::Relaxed);
}

pub(crate) fn is_off(primitive: Primitive) -> bool {
    OFF.load(Ordering::Relaxed) & bit(primitive) != 0
}

/// The newest interface of Landlock that may be used.
pub(crate) fn newest_landlock() -> u32 {
    LANDLOCK.load(Ordering::Relaxed)
}

fn bit(primitive: Primitive) -> u32 {
    match primitive {
        Primitive::Namespaces => 1,
        Primitive::Cgroups => 2,
        Primitive::Landlock => 4,
        Primitive::FilterUnnoticed => 8,
        Primitive::LandlockUnnoticed => 16,
        Primitive::Overlays => 32,
    }
}
