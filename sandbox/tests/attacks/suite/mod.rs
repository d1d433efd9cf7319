//! Attacks as data, and what it takes to try them on a sandbox and to tell whether it held.
//!
//! An attack is a small program that says how far it got. It runs *bare* first, where it must get through, or else
//! its failing inside would show nothing (sandlock PR#103: security tests that passed without security); then
//! confined, where it must not. What it says is half of the answer: the other half is looked at from outside, on the
//! [`bait`] that was laid out for it.

pub(crate) mod adapters;
pub(crate) mod bait;
#[cfg(test)]
mod check;
pub(crate) mod compiler;
pub(crate) mod judge;
pub(crate) mod ours;
pub(crate) mod sandbox;
pub(crate) mod themes;
pub(crate) mod tool;
#[cfg(test)]
pub(crate) mod trial;
pub(crate) mod victim;

use std::time::Duration;

use redraft_sandbox::Limits;

use sandbox::Ending;

/// One attack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attack {
    /// What it tries.
    pub(crate) name: &'static str,
    /// The bug report or measurement that it comes from.
    pub(crate) cites: &'static str,
    /// The layers that stop it. Where none of them is in force it can't be held against the sandbox.
    pub(crate) layers: &'static [&'static str],
    /// What runs.
    pub(crate) act: Act,
    /// A run before it, which leaves what the act then looks for.
    pub(crate) first: Option<First>,
    /// Files in the working directory.
    pub(crate) files: &'static [(&'static str, &'static str)],
    /// So many bytes can be read from stdin.
    pub(crate) stdin: usize,
    /// The limits inside.
    pub(crate) limits: Limits,
    /// What a sandbox that holds lets happen.
    pub(crate) right: Right,
    /// How it is shown that the act works where nothing stops it.
    pub(crate) control: Control,
    /// It takes root to do it where nothing stops it.
    pub(crate) needs_root: bool,
    /// What the act says bare when the host has no such thing (an error's name), so that no control is possible.
    pub(crate) host_may_say: &'static [&'static str],
}

/// The program of an attack.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Act {
    /// Python, run by the prelude.
    Python(&'static str),
    /// C, compiled on the spot where there is a compiler. It speaks like the prelude.
    C(&'static str),
    /// A file that isn't there.
    Missing,
}

/// The earlier run of two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct First {
    pub(crate) act: &'static str,
    /// It is still running when the other one looks.
    pub(crate) stays: bool,
}

/// What must come of an attack.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Right {
    /// It says itself that it was refused.
    Refused,
    /// It is refused, or ended in one of these ways.
    RefusedOr(&'static [Ending]),
    /// The run ends in one of these ways.
    Ends(&'static [Ending]),
    /// The sandbox says that it could not be run, and not that it ended.
    NotRun,
    /// It exits with 0 and has said exactly this.
    Says(&'static str),
    /// It ends like this with exactly so many bytes kept of its stdout.
    Keeps(&'static [Ending], usize),
}

/// How it is shown that an attack can succeed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Control {
    /// Bare, it gets through.
    Bare,
    /// Bare, it doesn't end by itself or leaves what goes on.
    BareStays,
    /// Bare, the right thing happens too: it is about telling the truth.
    BareToo,
    /// The program itself does the same where it may, and says `ABLE`. For what must never be tried bare.
    Within,
    /// Confined with these limits instead, it gets through.
    Looser(Limits),
}

/// More than enough of everything.
pub(crate) const AMPLE: Limits = Limits {
    cpu: Duration::from_mins(1),
    wall: Duration::from_mins(2),
    memory: 512 << 20,
    processes: 64,
    output: 16 << 20,
    scratch: 64 << 20,
};

impl Attack {
    /// What most attacks have in common.
    pub(crate) const NEW: Self = Self {
        name: "",
        cites: "",
        layers: &[],
        act: Act::Python(""),
        first: None,
        files: &[],
        stdin: 0,
        limits: AMPLE,
        right: Right::Refused,
        control: Control::Bare,
        needs_root: false,
        host_may_say: &[],
    };
}

/// A theme: a table of attacks and, in a test, one test for each.
macro_rules! attacks {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $value:expr),* $(,)? })*) => {
        pub(crate) const ATTACKS: &[$crate::suite::Attack] = &[$(
            $crate::suite::Attack {
                name: stringify!($name),
                $($field: $value,)*
                ..$crate::suite::Attack::NEW
            },
        )*];
        $(
            $(#[$doc])*
            #[test]
            fn $name() {
                $crate::suite::trial::show(ATTACKS, stringify!($name));
            }
        )*
    };
}
pub(crate) use attacks;
