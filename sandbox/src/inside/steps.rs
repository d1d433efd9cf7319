//! The set-up as one ordered list: of the cell, then of each run, then of the program before it becomes itself.

use super::cell::{self, Setup};
use super::program::{self, Program};
use super::run::{self, Run};
use super::vault;
use super::{own_files, root};

/// One step: its name as errors give it, and what it does.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(super) act: Act,
}

/// Whose step it is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Act {
    /// Only a name here; launcher or init do it.
    Elsewhere,
    /// Done once by the init of a cell.
    OfCell(fn(&mut Setup) -> nix::Result<()>),
    /// Done by init for each run.
    OfRun(fn(&mut Run<'_>) -> nix::Result<()>),
    /// Done by the program's process itself. It shares init's memory and must not allocate any.
    OfProgram(fn(&Program<'_>) -> nix::Result<()>),
}

const fn elsewhere(name: &'static str) -> Step {
    Step {
        name,
        act: Act::Elsewhere,
    }
}

const fn of_cell(name: &'static str, act: fn(&mut Setup) -> nix::Result<()>) -> Step {
    let act = Act::OfCell(act);
    Step { name, act }
}

const fn of_run(name: &'static str, act: fn(&mut Run<'_>) -> nix::Result<()>) -> Step {
    let act = Act::OfRun(act);
    Step { name, act }
}

const fn of_program(name: &'static str, act: fn(&Program<'_>) -> nix::Result<()>) -> Step {
    let act = Act::OfProgram(act);
    Step { name, act }
}

/// Index of "new namespaces" in [`STEPS`]; the launcher does it.
pub(crate) const CLONE: u8 = index_of("new namespaces");
/// Index of "user and group map" in [`STEPS`]; the launcher does it.
pub(crate) const MAP: u8 = index_of("user and group map");
/// Index of "reading the order" in [`STEPS`]; init does it to have something to set up at all.
pub(super) const ORDER: u8 = index_of("reading the order for a cell");
/// Index of the first step of a run, which is to read what is to run.
pub(super) const RUN_ORDER: u8 = index_of("reading the order for a run");
/// Index of "start of the program": the new process itself.
pub(super) const START: u8 = index_of("start of the program");

/// Index of "proof that the layers hold", which is done once for a cell by what would be the program.
pub(crate) const PROOF: u8 = index_of("proof that the layers hold");

/// Index of "execution of the program", the last step of a run.
pub(super) const EXECUTION: u8 = index_of("execution of the program");

/// Index of "making the keeper" of a cell without namespaces.
pub(super) const KEEPER: u8 = index_of("making the keeper");
/// Index of the proof for such a cell.
pub(crate) const BARE_PROOF: u8 = index_of("proof that the layers hold without namespaces");
/// Index of "reaching the readable paths" as the user that a program has without namespaces.
pub(crate) const UNREACHABLE: u8 = index_of("reaching the readable paths");
/// Index of "folder for scratch" of a run in such a cell.
pub(super) const FOLDER: u8 = index_of("folder for scratch");

/// Where a step of this name is in the list.
const fn index_of(name: &str) -> u8 {
    let mut index = 0_u8;
    while (index as usize) < STEPS.len() {
        if is_same(STEPS[index as usize].name.as_bytes(), name.as_bytes()) {
            return index;
        }
        index += 1;
    }
    panic!("there is no step of this name")
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// All steps in their order.
pub(crate) const STEPS: &[Step] = &[
    elsewhere("new namespaces"),
    elsewhere("user and group map"),
    elsewhere("reading the order for a cell"),
    of_cell("private mounts", root::make_mounts_private),
    of_cell("opening the readable paths", root::open_host_paths),
    of_cell("files of its own", own_files::make_own),
    of_cell("user and group", cell::change_user),
    of_cell("control group namespace", cell::hide_groups),
    of_cell("new root", root::mount_root),
    of_cell("content of the new root", root::fill_root),
    of_cell("paths in scratch", vault::fill_vault),
    of_cell("proc", root::mount_proc),
    of_cell("change of root", root::change_root),
    of_cell("read-only root", root::seal_root),
    of_cell("host name", cell::name_host),
    of_cell("bound on capabilities", cell::bound_capabilities),
    of_cell("no new privileges", cell::forbid_new_privileges),
    elsewhere("reading the order for a run"),
    of_run("scratch", run::provide_scratch),
    of_run("files", run::put_files),
    elsewhere("start of the program"),
    of_program("session and streams", program::take_streams),
    of_program("limits", program::set_limits),
    of_program("user of the program", program::change_user),
    of_program("capabilities", program::drop_capabilities),
    of_program("access to files", program::restrict_files),
    of_program("filter of system calls", program::filter_calls),
    of_program("closing of descriptors", program::close_the_rest),
    elsewhere("execution of the program"),
    elsewhere("proof that the layers hold"),
    elsewhere("making the keeper"),
    elsewhere("proof that the layers hold without namespaces"),
    elsewhere("folder for scratch"),
    elsewhere("reaching the readable paths"),
];
