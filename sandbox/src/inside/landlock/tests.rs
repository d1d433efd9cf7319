//! What the rules allow and refuse, tried in processes of their own; each act that is refused works without the rules.

use std::ffi::CString;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, fork};

use super::*;

/// Something to try.
type Act<'a> = &'a dyn Fn() -> std::io::Result<()>;

fn c(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).unwrap()
}

/// The host's version, or a word on why nothing can be tried.
fn host_version() -> Option<u32> {
    version()
        .inspect_err(|errno| println!("skipped, because the kernel has no Landlock: {errno}"))
        .ok()
}

/// The error of an act (0 for none) in a process of its own, under rules of this version or under none.
fn answer(version: Option<u32>, grants: &[(CString, Grant)], act: Act<'_>) -> i32 {
    const SETUP_FAILED: i32 = 255;
    // SAFETY: the child makes system calls and allocates, which works after a fork; it never returns.
    match unsafe { fork() }.unwrap() {
        ForkResult::Child => {
            let restrict = |version| -> nix::Result<()> {
                nix::sys::prctl::set_no_new_privs()?;
                let rules = Rules::new(version)?;
                for (path, grant) in grants {
                    rules.grant(path, *grant)?;
                }
                rules.restrict()
            };
            let status = match version.map_or(Ok(()), restrict) {
                Ok(()) => act().err().map_or(0, |error| error.raw_os_error().unwrap_or(254)),
                Err(_) => SETUP_FAILED,
            };
            // SAFETY: ends this process and runs nothing of the test.
            unsafe { libc::_exit(status) }
        }
        ForkResult::Parent { child } => match waitpid(child, None).unwrap() {
            WaitStatus::Exited(_, SETUP_FAILED) => panic!("the rules can't be put in force"),
            WaitStatus::Exited(_, status) => status,
            other => panic!("{other:?}"),
        },
    }
}

/// A folder to read from and one to write to, both with a file, and the grants for them.
fn folders() -> (tempfile::TempDir, Vec<(CString, Grant)>) {
    let folder = tempfile::tempdir().unwrap();
    let mut grants = Vec::new();
    for (name, grant) in [("read", Grant::Read), ("scratch", Grant::Scratch)] {
        let path = folder.path().join(name);
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join("x"), "content").unwrap();
        grants.push((c(&path), grant));
    }
    std::fs::write(folder.path().join("x"), "content").unwrap();
    (folder, grants)
}

#[test]
fn files_can_be_used_as_granted_and_not_otherwise() {
    let Some(newest) = host_version() else { return };
    let (folder, grants) = folders();
    let at = |name: &str| folder.path().join(name);
    let (read, scratch, other) = (at("read/x"), at("scratch/x"), at("x"));
    for version in 1..=newest {
        let refused = |act: Act<'_>| {
            let (with, without) = (answer(Some(version), &grants, act), answer(None, &[], act));
            assert_eq!(without, 0, "the control");
            assert_eq!(with, libc::EACCES, "by version {version}");
        };
        let allowed = |act: Act<'_>| {
            assert_eq!(answer(Some(version), &grants, act), 0, "by version {version}");
        };
        let open_to_write = |path: &Path| std::fs::OpenOptions::new().write(true).open(path).map(drop);
        allowed(&|| std::fs::read(&read).map(drop));
        allowed(&|| std::fs::read_dir(at("read")).map(drop));
        allowed(&|| std::fs::read(&scratch).map(drop));
        allowed(&|| open_to_write(&scratch));
        allowed(&|| std::fs::write(&scratch, "content"));
        allowed(&|| std::fs::create_dir(at("scratch/y")).and_then(|()| std::fs::remove_dir(at("scratch/y"))));
        refused(&|| std::fs::read(&other).map(drop));
        refused(&|| std::fs::read_dir(folder.path()).map(drop));
        refused(&|| std::fs::read_dir("/").map(drop));
        refused(&|| open_to_write(&read));
        refused(&|| open_to_write(&other));
        refused(&|| std::fs::create_dir(at("read/y")).and_then(|()| std::fs::remove_dir(at("read/y"))));
        refused(&|| {
            std::os::unix::fs::symlink("x", at("read/l")).and_then(|()| std::fs::remove_file(at("read/l")))
        });
        // A file can't be carried to where it could be changed.
        let moved = || {
            std::fs::hard_link(&read, at("scratch/l")).and_then(|()| std::fs::remove_file(at("scratch/l")))
        };
        let with = answer(Some(version), &grants, &moved);
        assert!(
            [libc::EACCES, libc::EXDEV].contains(&with),
            "{with} by version {version}"
        );
        assert_eq!(answer(None, &[], &moved), 0, "the control");
    }
}

#[test]
fn truncation_is_controlled_where_the_kernel_can() {
    let Some(newest) = host_version() else { return };
    let (folder, grants) = folders();
    let path = folder.path().join("read/x");
    let empty = || Ok(nix::unistd::truncate(&path, 7)?);
    assert_eq!(answer(None, &[], &empty), 0, "the control");
    for version in 1..=newest {
        let want = if version >= 3 { libc::EACCES } else { 0 };
        assert_eq!(
            answer(Some(version), &grants, &empty),
            want,
            "by version {version}"
        );
    }
}

#[test]
fn a_path_that_is_not_there_costs_only_its_own_rule() {
    let Some(newest) = host_version() else { return };
    let (folder, mut grants) = folders();
    grants.insert(0, (c"/not/there".to_owned(), Grant::Read));
    let (inside, outside) = (folder.path().join("read/x"), folder.path().join("x"));
    assert_eq!(
        answer(Some(newest), &grants, &|| std::fs::read(&inside).map(drop)),
        0
    );
    assert_eq!(
        answer(Some(newest), &grants, &|| std::fs::read(&outside).map(drop)),
        libc::EACCES
    );
    let rules = Rules::new(newest).unwrap();
    assert_eq!(rules.grant(c"/not/there", Grant::Read), Ok(false));
    assert_eq!(
        rules.grant(c"/dev/null", Grant::Scratch),
        Ok(true),
        "a file takes what fits it"
    );
}

#[test]
fn the_network_and_the_neighbours_are_out_of_reach_where_the_kernel_can() {
    let Some(newest) = host_version() else { return };
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let name = format!("landlock-{}", std::process::id());
    let local = std::os::unix::net::SocketAddr::from_abstract_name(&name).unwrap();
    let _listener = std::os::unix::net::UnixListener::bind_addr(&local).unwrap();
    let parent = nix::unistd::getpid();
    let acts: [(u32, i32, Act<'_>); 4] = [
        (4, libc::EACCES, &|| {
            std::net::TcpStream::connect(address).map(drop)
        }),
        (4, libc::EACCES, &|| {
            std::net::TcpListener::bind("127.0.0.1:0").map(drop)
        }),
        (6, libc::EPERM, &|| {
            std::os::unix::net::UnixStream::connect_addr(&local).map(drop)
        }),
        (6, libc::EPERM, &|| Ok(nix::sys::signal::kill(parent, None)?)),
    ];
    for (index, (since, errno, act)) in acts.into_iter().enumerate() {
        assert_eq!(answer(None, &[], act), 0, "the control of {index}");
        for version in 1..=newest {
            let want = if version >= since { errno } else { 0 };
            assert_eq!(
                answer(Some(version), &[], act),
                want,
                "{index} by version {version}"
            );
        }
    }
}

#[test]
fn its_own_children_can_be_signalled() {
    let Some(newest) = host_version() else { return };
    let own_child = || {
        // SAFETY: the child only waits to be ended.
        match unsafe { fork() }? {
            ForkResult::Child => loop {
                nix::unistd::pause();
            },
            ForkResult::Parent { child } => {
                nix::sys::signal::kill(child, nix::sys::signal::Signal::SIGKILL)?;
                waitpid(child, None)?;
                Ok(())
            }
        }
    };
    assert_eq!(answer(Some(newest), &[], &own_child), 0);
}

#[test]
fn devices_can_be_used_and_none_can_be_made() {
    let Some(newest) = host_version() else { return };
    let (folder, mut grants) = folders();
    grants.push((c"/dev/null".to_owned(), Grant::Devices));
    let write = || std::fs::write("/dev/null", "x");
    assert_eq!(answer(Some(newest), &grants, &write), 0);
    let zero = || std::fs::read_dir("/dev").map(drop);
    assert_eq!(answer(Some(newest), &grants, &zero), libc::EACCES);
    let path = folder.path().join("scratch/device");
    let make = || {
        let device = nix::sys::stat::makedev(1, 3);
        Ok(nix::sys::stat::mknod(
            &path,
            SFlag::S_IFCHR,
            Mode::S_IRUSR,
            device,
        )?)
    };
    let with = answer(Some(newest), &grants, &make);
    assert!([libc::EACCES, libc::EPERM].contains(&with), "{with}");
}
