//! Reading and writing what is not the program's.

use redraft_sandbox::Limits;

use crate::suite::{AMPLE, Act, Control, First, Right, attacks};

attacks! {
    reads_the_hosts_shadow_file {
        cites: "measured: readable in unshare, bubblewrap, firejail, nsjail and hakoniwa",
        layers: &["root"],
        needs_root: true,
        act: Act::Python("open('/etc/shadow').read(1)"),
    }

    reads_a_file_of_the_host {
        cites: "measured: bubblewrap with the host's root bound read-only",
        layers: &["root", "landlock"],
        act: Act::Python("say(open(SECRET_FILE).read())"),
    }

    climbs_out_of_the_root_by_dots {
        cites: "compiler-explorer#6026",
        layers: &["root", "landlock"],
        act: Act::Python("
os.chdir('/')
say(open('../' * 40 + SECRET_FILE).read())"),
    }

    climbs_out_through_the_root_of_init {
        cites: "youki and runc: a root reached through /proc",
        layers: &["pid_ns", "root", "landlock"],
        act: Act::Python("
for process in [name for name in os.listdir('/proc') if name.isdigit()]:
    try: say(open(f'/proc/{process}/root{SECRET_FILE}').read())
    except OSError as error: last = error
    else: break
else: raise last"),
    }

    climbs_out_by_a_second_change_of_root {
        cites: "the classic way out of a chroot: a directory held open, then dots",
        layers: &["capabilities", "seccomp"],
        needs_root: true,
        act: Act::Python("
os.mkdir('jail')
start = os.open('.', os.O_RDONLY)
os.chroot('jail')
os.fchdir(start)
for _ in range(40): os.chdir('..')
os.chroot('.')
say(open(SECRET_FILE).read())"),
    }

    follows_a_link_that_it_made_itself {
        cites: "compiler-explorer#6026, Hydro PR#1111: a symbolic link leads out",
        layers: &["root", "landlock"],
        act: Act::Python("
os.symlink(SECRET_FILE, 'link')
say(open('link').read())"),
    }

    opens_the_root_of_the_disk_by_its_handle {
        cites: "CVE-2014-3519 and its like: open_by_handle_at reaches around every mount",
        layers: &["seccomp", "capabilities"],
        needs_root: true,
        act: Act::Python("
import struct
mount = os.open('/usr/lib', os.O_RDONLY)
handle = struct.pack('IiII', 8, 1, 2, 0)
root = call('open_by_handle_at', mount, handle, os.O_RDONLY)
os.listdir(root)"),
    }

    writes_into_a_folder_of_the_host {
        cites: "measured: every sandbox that binds the host's folders writable",
        layers: &["root", "landlock"],
        act: Act::Python("open(OPEN_FOLDER + '/file', 'w').write('x')"),
    }

    writes_to_a_folder_that_it_may_only_read {
        cites: "Firecracker jailer, codex: a folder bound read-only",
        layers: &["root", "landlock"],
        act: Act::Python("open(READABLE + '/new', 'w').write('x')"),
    }

    changes_a_file_that_it_may_only_read {
        cites: "judge0 CVE-2024-28185: the sandbox changes a file that the host trusts",
        layers: &["root", "landlock"],
        act: Act::Python("open(READABLE + '/file', 'r+').write('changed')"),
    }

    removes_a_file_that_it_may_only_read {
        cites: "codex: symlink and rename replacement attacks",
        layers: &["root", "landlock"],
        act: Act::Python("os.remove(READABLE + '/file')"),
    }

    changes_the_mode_of_a_file_that_it_may_only_read {
        cites: "Landlock can't stop chmod; the mount must",
        layers: &["root"],
        act: Act::Python("
os.chmod(READABLE + '/file', 0o600)
os.rename(READABLE + '/file', READABLE + '/gone')"),
    }

    hardlinks_a_readable_file_into_scratch {
        cites: "judge0 CVE-2024-28189: a link in the sandbox to a file of the host",
        layers: &["scratch", "root", "landlock"],
        act: Act::Python("
os.link(READABLE + '/file', 'mine')
open('mine', 'w').write('changed')"),
    }

    reopens_a_readable_file_for_writing {
        cites: "CVE-2019-5736: a descriptor reopened through /proc/self/fd",
        layers: &["root", "landlock"],
        act: Act::Python("
file = os.open(READABLE + '/file', os.O_RDONLY)
os.write(os.open(f'/proc/self/fd/{file}', os.O_WRONLY), b'changed')"),
    }

    overwrites_the_interpreter {
        cites: "CVE-2019-5736: what runs next on the host is overwritten",
        layers: &["root", "landlock"],
        needs_root: true,
        act: Act::Python("
open(os.path.realpath(sys.executable) + '.new', 'w').close()
os.remove(os.path.realpath(sys.executable) + '.new')"),
    }

    plants_a_link_where_the_next_run_gets_its_file {
        cites: "judge0 CVE-2024-28185, judge0 PR#550, Hydro PR#1111",
        layers: &["scratch"],
        first: Some(First {
            act: "
for name in ('given', 'other'):
    if os.path.lexists(name): os.remove(name)
    os.symlink(OPEN_FOLDER + '/planted', name)",
            stays: false,
        }),
        files: &[("given", "content")],
        act: Act::Python("if os.readlink('given'): pass"),
    }

    opens_the_core_pattern_for_writing {
        cites: "measured: bubblewrap, hakoniwa and srt as root, a way to the host's root",
        layers: &["proc", "user_ns"],
        needs_root: true,
        act: Act::Python("open('/proc/sys/kernel/core_pattern', 'r+')"),
    }

    opens_the_system_request_trigger {
        cites: "runc: paths of /proc that must be masked",
        layers: &["proc", "user_ns"],
        needs_root: true,
        host_may_say: &["ENOENT"],
        act: Act::Python("open('/proc/sysrq-trigger', 'w')"),
    }

    reads_the_kernels_memory {
        cites: "runc: paths of /proc that must be masked",
        layers: &["proc", "user_ns", "capabilities"],
        needs_root: true,
        host_may_say: &["ENOENT", "EPERM"],
        act: Act::Python("open('/proc/kcore', 'rb').read(4)"),
    }

    finds_the_addresses_of_the_kernel {
        cites: "what every kernel exploit begins with",
        layers: &["proc", "capabilities"],
        needs_root: true,
        host_may_say: &["ENOENT", "hidden"],
        act: Act::Python("
if not any(int(line.split()[0], 16) for line in list(open('/proc/kallsyms'))[:50]): refused('hidden')"),
    }

    reads_the_hosts_hardware_from_sys {
        cites: "measured: /sys of the host in unshare, bubblewrap, firejail and minijail",
        layers: &["root", "landlock"],
        act: Act::Python("os.listdir('/sys/devices')"),
    }

    makes_a_group_of_processes_in_the_hosts_tree {
        cites: "google/nsjail#199: the jail can mkdir in cgroupfs",
        layers: &["root", "landlock"],
        needs_root: true,
        act: Act::Python("
last = FileNotFoundError(2, 'no cgroups')
for line in open('/proc/mounts'):
    kind, path = line.split()[2], line.split()[1]
    if kind in ('cgroup', 'cgroup2'):
        try:
            os.mkdir(path + '/' + MARKER)
            os.rmdir(path + '/' + MARKER)
            break
        except OSError as error: last = error
else: raise last"),
        host_may_say: &["ENOENT", "EROFS"],
    }

    makes_the_hosts_disk_as_a_device_node {
        cites: "docker: mknod of the host's disk by a root inside",
        layers: &["user_ns", "capabilities"],
        needs_root: true,
        act: Act::Python("
import stat
os.mknod('null', stat.S_IFCHR | 0o666, os.makedev(1, 3))
open('null', 'w').write('x')"),
    }

    opens_the_virtual_machine_monitor {
        cites: "measured: /dev/kvm in unshare, firejail and nsjail",
        layers: &["dev", "landlock"],
        needs_root: true,
        host_may_say: &["ENOENT", "ENXIO", "ENODEV"],
        act: Act::Python("os.open('/dev/kvm', os.O_RDWR)"),
    }

    opens_the_device_of_userspace_file_systems {
        cites: "measured: /dev/fuse reachable",
        layers: &["dev", "landlock"],
        host_may_say: &["ENOENT", "ENXIO", "ENODEV"],
        needs_root: true,
        act: Act::Python("os.open('/dev/fuse', os.O_RDWR)"),
    }

    opens_the_vsock_device {
        cites: "measured: /dev/vsock opens; it is the control channel of virtual machines",
        layers: &["dev", "landlock"],
        host_may_say: &["ENOENT", "ENXIO", "ENODEV"],
        needs_root: true,
        act: Act::Python("os.open('/dev/vsock', os.O_RDONLY)"),
    }

    reads_the_kernels_log_from_its_device {
        cites: "runc: devices that must not be there",
        layers: &["dev", "landlock"],
        host_may_say: &["ENOENT", "ENXIO", "ENODEV"],
        needs_root: true,
        act: Act::Python("os.open('/dev/kmsg', os.O_RDONLY | os.O_NONBLOCK)"),
    }

    opens_a_new_terminal {
        cites: "CVE-2017-5226: a terminal that the program can type into",
        layers: &["dev", "landlock"],
        host_may_say: &["ENOENT"],
        act: Act::Python("os.open('/dev/ptmx', os.O_RDWR)"),
    }

    reads_a_descriptor_that_was_left_open {
        cites: "measured: unshare, bubblewrap, minijail and srt pass open descriptors on",
        layers: &["descriptors", "root"],
        act: Act::Python("
os.lseek(OPEN_DESCRIPTOR, 0, 0)
say(os.read(OPEN_DESCRIPTOR, 100).decode())"),
    }

    finds_the_hosts_environment {
        cites: "measured: 35 to 62 variables passed by unshare, bubblewrap, firejail, minijail, sandlock and srt",
        layers: &["environment", "root"],
        act: Act::Python("
if not set(ENVIRONMENT) & set(os.environ): refused('none of them')"),
    }

    writes_more_than_scratch_holds_into_all_of_its_folders {
        cites: "measured: 300 MiB to the working directory, /tmp and /dev/shm",
        layers: &["scratch"],
        limits: Limits { scratch: 8 << 20, ..AMPLE },
        act: Act::Python("
import tempfile
files = [open('fill', 'wb', buffering=0)]
for folder in ('/tmp', '/dev/shm'):
    try: files.append(tempfile.TemporaryFile(dir=folder, buffering=0))
    except OSError: pass
for file in files:
    for _ in range(24): file.write(bytes(1 << 20))"),
    }

    writes_where_the_host_shares_memory {
        cites: "measured: nsjail writes to the host's /dev/shm",
        layers: &["scratch", "root"],
        first: Some(First { act: "open('/dev/shm/' + MARKER, 'w').write(MARKER)", stays: false }),
        act: Act::Python("
text = open('/dev/shm/' + MARKER).read()
os.remove('/dev/shm/' + MARKER)"),
    }

    makes_a_file_larger_than_scratch {
        cites: "measured: sparse files that fill the disk later",
        layers: &["scratch", "rlimits"],
        limits: Limits { scratch: 8 << 20, ..AMPLE },
        act: Act::Python("
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
os.ftruncate(os.open('sparse', os.O_CREAT | os.O_RDWR), 1 << 36)"),
    }

    makes_files_without_end {
        cites: "judge0#143: cleanup of the sandbox failed",
        layers: &["scratch"],
        control: Control::Within,
        act: Act::Python("
for number in range(20_000):
    os.close(os.open(f'{number:x}', os.O_CREAT | os.O_WRONLY))
    if number == 1000: able()"),
    }

    leaves_folders_that_cannot_be_removed {
        cites: "judge0#143: cleanup of the sandbox failed",
        layers: &["scratch"],
        act: Act::Python("
def litter(base):
    os.makedirs(base + '/deep' + '/d' * 60)
    os.mkdir(base + '/\\udcff\\n')
    for number in range(100): open(f'{base}/deep/{number}', 'w').close()
    os.chmod(base + '/deep/d', 0)
    os.chmod(base + '/deep', 0)
litter('.')
os.listdir(OPEN_FOLDER)
litter(OPEN_FOLDER)"),
    }

    dumps_its_core {
        cites: "NVIDIA/OpenShell#803: limits that were thought to be set",
        layers: &["rlimits"],
        act: Act::Python("
import resource
resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
if resource.getrlimit(resource.RLIMIT_CORE)[1] <= 1: refused('none allowed')"),
        host_may_say: &["none allowed"],
    }

    has_a_program_of_the_host_look_at_its_crash {
        cites: "core(5), CVE-2022-4415, CVE-2025-4598: a core_pattern with a pipe runs root's handler whatever the limit is, unless it is 1",
        layers: &["rlimits", "seccomp"],
        host_may_say: &["one byte"],
        act: Act::Python("
import resource
resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
if resource.getrlimit(resource.RLIMIT_CORE)[0] == 1: refused('one byte')"),
    }

    holds_up_who_opens_a_file {
        cites: "fcntl(2): a lease on a file that one may read makes others wait",
        layers: &["seccomp"],
        host_may_say: &["EINVAL"],
        act: Act::Python("
import fcntl
open('own', 'w').close()
fcntl.fcntl(os.open('own', os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK)"),
    }

    has_the_host_write_all_its_disks {
        cites: "sync(2) is for the whole host, and each call waits for all others' writing",
        layers: &["seccomp"],
        act: Act::Python("call('syncfs', os.open('/', os.O_RDONLY))"),
    }

    runs_a_file_of_another_type_as_the_next_ones_program {
        cites: "Hydro PR#1111: a FIFO where a file is expected",
        layers: &["scratch"],
        first: Some(First {
            act: "
if os.path.lexists('given'): os.remove('given')
os.mkfifo('given')",
            stays: false,
        }),
        files: &[("given", "content")],
        right: Right::Says("content\nREACHED\n"),
        control: Control::BareStays,
        act: Act::Python("say(open('given').read())"),
    }
}
