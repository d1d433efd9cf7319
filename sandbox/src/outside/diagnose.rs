//! Turns a refusal by the kernel into what is missing and how to get it.

use std::fs;
use std::path::Path;

use nix::errno::Errno;

use crate::Error;
use crate::inside::{BARE_PROOF, CLONE, MAP, PROOF, PROOFS, STEPS, UNREACHABLE};

/// What the host says about user namespaces.
#[derive(Debug, Default)]
struct Host {
    /// `kernel.unprivileged_userns_clone`, which Debian has.
    clone_allowed: Option<u64>,
    /// `kernel.apparmor_restrict_unprivileged_userns`, which Ubuntu has.
    apparmor_restricts: Option<u64>,
    /// `user.max_user_namespaces`.
    most: Option<u64>,
    in_container: bool,
}

impl Host {
    fn look() -> Self {
        let value = |name: &str| {
            fs::read_to_string(format!("/proc/sys/{name}"))
                .ok()?
                .trim()
                .parse()
                .ok()
        };
        Self {
            clone_allowed: value("kernel/unprivileged_userns_clone"),
            apparmor_restricts: value("kernel/apparmor_restrict_unprivileged_userns"),
            most: value("user/max_user_namespaces"),
            in_container: Path::new("/.dockerenv").exists() || Path::new("/run/.containerenv").exists(),
        }
    }
}

/// The layer that didn't hold, and what a program could do then; `None` when it was another step that failed.
fn failed_proof(step: u8, about: &str) -> Option<(&'static str, &'static str)> {
    let index: usize = about.parse().ok()?;
    match step {
        PROOF => PROOFS.get(index).map(|proof| (proof.layer, proof.fear)),
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        BARE_PROOF => crate::inside::bare::PROOFS
            .get(index)
            .map(|proof| (proof.layer, proof.fear)),
        _ => None,
    }
}

/// The error for a step that failed.
pub(super) fn failed_step(step: u8, errno: i32, about: &str) -> Error {
    if let Some((layer, fear)) = failed_proof(step, about) {
        return Error::Unproven { layer, fear };
    }
    if step == UNREACHABLE {
        return Error::Unsupported {
            what: format!("{about} is out of reach for the user that a program gets without namespaces"),
            remedy: "let others pass through the folders above it, or run redraft as an ordinary user"
                .to_owned(),
        };
    }
    let errno = Errno::from_raw(errno);
    let refused = matches!(errno, Errno::EPERM | Errno::EACCES);
    let no_namespaces = step == CLONE
        && matches!(
            errno,
            Errno::ENOSPC | Errno::EUSERS | Errno::ENOSYS | Errno::EINVAL
        );
    // A path that can't be opened is the caller's matter, not the host's.
    if no_namespaces || (refused && (step <= MAP || about.is_empty())) {
        return explain(&Host::look(), step, errno);
    }
    let name = STEPS
        .get(usize::from(step))
        .map_or("an unknown step", |step| step.name);
    let source = std::io::Error::from(errno);
    if errno == Errno::ENOSYS {
        let what = format!("the kernel has no system call for the step \"{name}\"");
        return Error::Unsupported {
            what,
            remedy: "Linux 5.12 or newer is needed".to_owned(),
        };
    }
    let source = if about.is_empty() {
        source
    } else {
        std::io::Error::new(source.kind(), format!("{about}: {source}"))
    };
    Error::Setup { step: name, source }
}

fn explain(host: &Host, step: u8, errno: Errno) -> Error {
    let sysctl = |name: &str, value: &str| format!("as root: sysctl -w {name}={value}");
    let (what, remedy) = if host.clone_allowed == Some(0) {
        (
            "user namespaces are switched off for ordinary users".to_owned(),
            sysctl("kernel.unprivileged_userns_clone", "1"),
        )
    } else if host.most == Some(0) {
        (
            "no user namespaces are allowed".to_owned(),
            sysctl("user.max_user_namespaces", "10000"),
        )
    } else if errno == Errno::ENOSPC || errno == Errno::EUSERS {
        (
            "there are too many namespaces, or they are nested too deeply".to_owned(),
            sysctl("user.max_user_namespaces", "100000"),
        )
    } else if host.apparmor_restricts == Some(1) {
        (
            "AppArmor takes away the rights that come with a user namespace".to_owned(),
            sysctl("kernel.apparmor_restrict_unprivileged_userns", "0"),
        )
    } else if errno == Errno::EINVAL || errno == Errno::ENOSYS {
        (
            "the kernel was built without one of the namespaces user, mount, pid, net, ipc, uts and cgroup"
                .to_owned(),
            "a kernel with all of them is needed".to_owned(),
        )
    } else if host.in_container {
        (
            format!("this container may not make namespaces ({})", step_name(step)),
            "start it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined, or run outside"
                .to_owned(),
        )
    } else {
        (
            format!(
                "the host refuses the step \"{}\" of making namespaces",
                step_name(step)
            ),
            "look for a security module or a container that forbids user namespaces, or run as root"
                .to_owned(),
        )
    };
    Error::Unsupported { what, remedy }
}

fn step_name(step: u8) -> &'static str {
    STEPS
        .get(usize::from(step))
        .map_or("an unknown step", |step| step.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(host: &Host, errno: Errno) -> String {
        explain(host, CLONE, errno).to_string()
    }

    #[test]
    fn each_refusal_names_its_remedy() {
        let debian = Host {
            clone_allowed: Some(0),
            ..Host::default()
        };
        assert!(said(&debian, Errno::EPERM).contains("kernel.unprivileged_userns_clone=1"));
        let ubuntu = Host {
            apparmor_restricts: Some(1),
            most: Some(9),
            ..Host::default()
        };
        assert!(said(&ubuntu, Errno::EPERM).contains("kernel.apparmor_restrict_unprivileged_userns=0"));
        let none = Host {
            most: Some(0),
            ..Host::default()
        };
        assert!(said(&none, Errno::ENOSPC).contains("user.max_user_namespaces=10000"));
        let container = Host {
            in_container: true,
            ..Host::default()
        };
        assert!(said(&container, Errno::EPERM).contains("seccomp=unconfined"));
        assert!(said(&Host::default(), Errno::EINVAL).contains("kernel with all of them"));
        assert!(said(&Host::default(), Errno::EPERM).contains("run as root"));
    }
}
