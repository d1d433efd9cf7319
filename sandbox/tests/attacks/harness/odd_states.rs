//! A harness that was started or has got into a state that nobody thinks of.

use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;

use super::{another_harness, does, told};

/// bubblewrap NEWS #731: a descriptor 0 that is taken for none.
#[test]
fn its_standard_streams_are_closed() {
    does("without-standard-streams");
}

/// google/nsjail#168: a clone that begins anew at each signal, for ever.
#[test]
fn a_timer_interrupts_it_every_millisecond() {
    does("with-a-timer");
}

/// youki#3027, kata#166: a fork in a process with threads stops in the allocator.
#[test]
fn its_threads_allocate_all_the_time() {
    does("with-busy-threads");
}

/// DMOJ PR#1250: a step that fails and isn't noticed. Hydro#698: told as the program's fault.
#[test]
fn it_may_open_hardly_any_file() {
    does("with-few-descriptors");
}

/// Hydro#698 again: a limit of the harness's own.
#[test]
fn it_may_write_no_byte_to_a_file() {
    does("without-file-size");
}

/// sunwalker-box#10: nothing left to start processes with.
#[test]
fn it_may_start_no_process() {
    does("without-processes");
}

#[test]
fn its_folder_is_gone() {
    does("in-a-lost-folder");
}

/// ioi/isolate NEWS 2.5: files made with what the caller happens to have.
#[test]
fn its_files_are_made_unreadable() {
    does("with-an-odd-mask");
}

#[test]
fn it_forks_and_both_go_on() {
    does("after-a-fork");
}

/// sunwalker-box#10, Clawith#636: what hostile programs use up is the harness's.
#[test]
fn hostile_programs_take_nothing_from_it_for_good() {
    does("many-hostile");
}

const JUMPING_CLOCK: &str = "#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    static int looks;
    if (!real) real = dlsym(RTLD_NEXT, \"clock_gettime\");
    int result = real(clock, now);
    if (clock == CLOCK_REALTIME) now->tv_sec += ++looks % 2 ? 3600 : -3600;
    return result;
}
";

/// ioi/isolate#178: a wall time below zero, because the wall clock went back.
#[test]
fn the_wall_clock_jumps_back_and_forth() {
    let folder = tempfile::tempdir().unwrap();
    let (source, library) = (folder.path().join("clock.c"), folder.path().join("clock.so"));
    std::fs::write(&source, JUMPING_CLOCK).unwrap();
    let compiler = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .args(["-ldl"])
        .output();
    if !compiler.is_ok_and(|output| output.status.success()) {
        println!("not run: there is no C compiler");
        return;
    }
    let output = another_harness(&[], "with-a-jumping-clock")
        .env("LD_PRELOAD", library.as_os_str())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", told(&output));
    assert!(!library.as_os_str().as_bytes().is_empty());
}
