//! Other sandboxes, each as the command line that its manual suggests for a program that nobody trusts.
//!
//! One that is missing here takes about ten lines: its own command line, what its exit status says, and in a few words
//! what isolation that is.

use std::process::ExitStatus;

use super::sandbox::{Ending, Job};
use super::tool::{BARE, Tool, from_128, plain};

/// All of them, whether or not they are installed.
pub(crate) const ALL: &[Tool] = &[
    BARE,
    Tool {
        name: "bubblewrap",
        line: bubblewrap,
        ending: from_128,
        how: "user, mount, pid, net, ipc, uts, cgroup namespaces, minimal root, no capabilities, no namespaces inside; no limits",
        confines: true,
    },
    Tool {
        name: "firejail",
        line: firejail,
        ending: from_128,
        how: "mount, pid, net, ipc namespaces, the host's root but for private /dev, seccomp, no capabilities; no limits",
        confines: true,
    },
    Tool {
        name: "isolate",
        line: isolate,
        ending: isolate_ending,
        how: "mount, pid, net, ipc namespaces, minimal root, a user of its own, seccomp, limits",
        confines: true,
    },
    Tool {
        name: "nsjail",
        line: nsjail,
        ending: from_128,
        how: "user, mount, pid, net, ipc, uts, cgroup namespaces, minimal root, no capabilities, limits",
        confines: true,
    },
    Tool {
        name: "minijail0",
        line: minijail,
        ending: from_128,
        how: "mount, pid, net, ipc namespaces, the host's root, read-only /proc, a user of its own, no_new_privs; no limits",
        confines: true,
    },
    Tool {
        name: "hakoniwa",
        line: hakoniwa,
        ending: from_128,
        how: "user, mount, pid, net, ipc, uts namespaces, minimal root; no limits",
        confines: true,
    },
];

/// Splits a line into words and puts the job's folders in.
fn words(job: &Job, line: &str, readable: &[&str]) -> Vec<String> {
    let work = job.work.to_string_lossy();
    let mut words: Vec<String> = line
        .split_whitespace()
        .map(|word| word.replace("WORK", &work))
        .collect();
    let own = (!job.program.starts_with("/usr")).then_some(&job.program);
    for path in job.readable.iter().chain(own) {
        let path = path.to_string_lossy();
        words.extend(readable.iter().map(|word| word.replace("PATH", &path)));
    }
    words
}

fn bubblewrap(job: &Job) -> Vec<String> {
    let mut line = words(
        job,
        "bwrap --unshare-all --unshare-user --uid 1000 --gid 1000 --disable-userns --die-with-parent --new-session
         --cap-drop ALL --clearenv --hostname box --ro-bind /usr /usr --symlink usr/lib /lib --symlink usr/lib64 /lib64
         --symlink usr/bin /bin --proc /proc --dev /dev --tmpfs /tmp --tmpfs /dev/shm --bind WORK WORK --chdir WORK",
        &["--ro-bind", "PATH", "PATH"],
    );
    line.push("--".to_owned());
    line
}

fn firejail(job: &Job) -> Vec<String> {
    let mut line = words(
        job,
        "firejail --quiet --noprofile --net=none --private-dev --private-cwd=WORK --seccomp --caps.drop=all
         --nonewprivs --nogroups --noroot --ipc-namespace --disable-mnt --whitelist=WORK",
        &["--whitelist=PATH", "--read-only=PATH"],
    );
    line.push("--".to_owned());
    line
}

/// In isolate a box is made and taken away around each run.
fn isolate(job: &Job) -> Vec<String> {
    let cycle =
        "isolate --init >/dev/null && { isolate \"$@\"; status=$?; isolate --cleanup; exit $status; }";
    let mut line: Vec<String> = ["sh", "-c", cycle, "isolate"].map(str::to_owned).to_vec();
    line.extend(words(
        job,
        &format!(
            "--silent --processes={} --time={} --wall-time={} --mem={} --dir=box=WORK:rw --chdir=/box",
            job.limits.processes,
            job.limits.cpu.as_secs_f64(),
            job.limits.wall.as_secs_f64(),
            job.limits.memory >> 10,
        ),
        &["--dir=PATH"],
    ));
    line.extend(["--run", "--"].map(str::to_owned));
    line
}

fn isolate_ending(status: ExitStatus, stderr: &str) -> Ending {
    let signal = stderr
        .rsplit_once("Caught fatal signal ")
        .and_then(|(_, rest)| rest.trim().parse().ok());
    let exited = stderr
        .rsplit_once("Exited with error status ")
        .and_then(|(_, rest)| rest.trim().parse().ok());
    match (signal, exited) {
        (Some(signal), _) => Ending::Signalled(signal),
        (None, Some(code)) => Ending::Exited(code),
        (None, None) if stderr.contains("(wall clock)") => Ending::WallTimeout,
        (None, None) if stderr.contains("Time limit exceeded") => Ending::CpuTimeout,
        (None, None) => plain(status, stderr),
    }
}

fn nsjail(job: &Job) -> Vec<String> {
    let mut line = words(
        job,
        &format!(
            "nsjail -Mo --really_quiet --user 99999 --group 99999 --hostname box --rlimit_as inf --rlimit_fsize inf
             --rlimit_nproc {} --rlimit_cpu {} --time_limit {} -R /usr -s /usr/lib:/lib -s /usr/lib64:/lib64
             -s /usr/bin:/bin -T /tmp -T /dev/shm -R /dev/null -R /dev/zero -R /dev/urandom -B WORK --cwd WORK",
            job.limits.processes,
            job.limits.cpu.as_secs().max(1),
            job.limits.wall.as_secs().max(1),
        ),
        &["-R", "PATH"],
    );
    line.push("--".to_owned());
    line
}

fn minijail(job: &Job) -> Vec<String> {
    let mut line = words(
        job,
        "minijail0 -u nobody -g nogroup -G -v -l -p -r -n -e -N -c 0 -t",
        &[],
    );
    line.push("--".to_owned());
    line
}

fn hakoniwa(job: &Job) -> Vec<String> {
    let mut line = words(
        job,
        "hakoniwa run --unshare-all --rootfs / --tmpfs /tmp --tmpfs /dev/shm --bindmount-rw WORK --workdir WORK",
        &["--bindmount-ro", "PATH"],
    );
    line.push("--".to_owned());
    line
}
