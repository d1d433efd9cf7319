//! Talking to anybody outside.

use crate::suite::{Act, attacks};

attacks! {
    connects_to_a_port_of_the_host {
        cites: "srt, codex: no network is the first promise of a sandbox",
        layers: &["net_ns", "landlock"],
        act: Act::Python("
import socket
socket.create_connection(('127.0.0.1', TCP_PORT), 5).close()"),
    }

    sends_a_datagram_to_the_host {
        cites: "Landlock before Linux 7.2 doesn't stop UDP",
        layers: &["net_ns"],
        act: Act::Python("
import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', UDP_PORT))"),
    }

    connects_to_an_abstract_socket_of_the_host {
        cites: "Landlock before ABI 6, nsjail without a network namespace",
        layers: &["net_ns", "landlock"],
        act: Act::Python("
import socket
socket.socket(socket.AF_UNIX).connect(chr(0) + ABSTRACT)"),
    }

    connects_to_a_socket_file_in_a_folder_that_it_may_read {
        cites: "bubblewrap --ro-bind / /: a socket can be connected to on a read-only mount",
        layers: &["own_files", "landlock_sockets"],
        act: Act::Python("
import socket
socket.socket(socket.AF_UNIX).connect(SOCKET_FILE)"),
    }

    shares_the_network_of_the_host {
        cites: "isolate --share-net, minijail without -e",
        layers: &["net_ns"],
        act: Act::Python("if os.readlink('/proc/self/ns/net') != HOST_NETWORK: refused('another one')"),
    }

    learns_the_routes_of_the_host {
        cites: "a map of the network is what an intruder wants first",
        layers: &["net_ns"],
        host_may_say: &["none"],
        act: Act::Python("if len(open('/proc/net/route').readlines()) < 2: refused('none')"),
    }

    lists_the_connections_of_the_host {
        cites: "measured: /proc/net of the host",
        layers: &["net_ns"],
        act: Act::Python("if f':{TCP_PORT:04X} ' not in open('/proc/net/tcp').read(): refused('not there')"),
    }

    lists_the_sockets_of_the_host {
        cites: "measured: /proc/net of the host",
        layers: &["net_ns"],
        act: Act::Python("if ABSTRACT not in open('/proc/net/unix').read(): refused('not there')"),
    }

    learns_the_name_of_the_host {
        cites: "measured: without a namespace for it",
        layers: &["uts_ns"],
        act: Act::Python("if os.uname().nodename != HOST_NAME: refused('another one')"),
    }

    opens_a_vsock_socket {
        cites: "isolate NEWS 2.4, measured: reachable in all but isolate and sandlock",
        layers: &["seccomp"],
        host_may_say: &["EAFNOSUPPORT"],
        act: Act::Python("
import socket
socket.socket(40, socket.SOCK_STREAM)"),
    }

    sniffs_packets {
        cites: "nsjail#168 and others: capabilities in a network of one's own",
        layers: &["capabilities", "seccomp"],
        needs_root: true,
        act: Act::Python("
import socket
socket.socket(17, socket.SOCK_RAW, 3)"),
    }

    opens_a_raw_socket {
        cites: "docker: NET_RAW by default",
        layers: &["capabilities", "user_ns", "seccomp"],
        needs_root: true,
        act: Act::Python("
import socket
socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)"),
    }

    opens_a_socket_of_the_kernels_ciphers {
        cites: "AF_ALG: a way into the kernel that no program of a task needs",
        layers: &["seccomp"],
        host_may_say: &["EAFNOSUPPORT"],
        act: Act::Python("
import socket
socket.socket(38, socket.SOCK_SEQPACKET)"),
    }

    opens_a_socket_of_an_unusual_family {
        cites: "faults of CAN, TIPC, RDS, Bluetooth and the like load with the first socket",
        layers: &["seccomp"],
        host_may_say: &["EAFNOSUPPORT"],
        act: Act::Python("
import socket
for family in (3, 4, 5, 9, 15, 21, 26, 29, 30, 31, 35, 36, 37, 39, 41, 42, 43, 44):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        try: socket.socket(family, kind)
        except OSError as error: last = error
        else: reached = True
if 'reached' not in globals(): raise OSError(errno.EAFNOSUPPORT, 'none')"),
    }

    talks_to_the_kernels_firewall {
        cites: "CVE-2022-1015, CVE-2023-32233: nf_tables",
        layers: &["seccomp"],
        host_may_say: &["EPROTONOSUPPORT"],
        act: Act::Python("
import socket
socket.socket(16, socket.SOCK_RAW, 12)"),
    }

    listens_to_the_events_of_devices {
        cites: "netlink for uevents needs no rights",
        layers: &["seccomp"],
        host_may_say: &["EPROTONOSUPPORT"],
        act: Act::Python("
import socket
socket.socket(16, socket.SOCK_RAW, 15).bind((0, 1))"),
    }

    makes_a_tunnel_out {
        cites: "docker: /dev/net/tun",
        layers: &["dev", "landlock"],
        host_may_say: &["ENOENT", "ENODEV"],
        needs_root: true,
        act: Act::Python("os.open('/dev/net/tun', os.O_RDWR)"),
    }
}
