# Runs one act and says how far it got: REACHED if it came to its end, REFUSED and why if it was stopped.
# The arguments: the act; a text that marks its processes. Acts see everything that is defined here.
import errno
import os
import sys

# Numbers of system calls: x86-64, and those of the newer processors.
NUMBERS = {
    'acct': (163, 89), 'add_key': (248, 217), 'bpf': (321, 280), 'clone': (56, 220), 'clone3': (435, 435),
    'fanotify_init': (300, 262), 'finit_module': (313, 273), 'fsopen': (430, 430), 'getpid': (39, 172),
    'init_module': (175, 105), 'inotify_init1': (294, 26), 'io_uring_setup': (425, 425), 'ioperm': (173, None),
    'iopl': (172, None), 'kcmp': (312, 272), 'kexec_load': (246, 104), 'keyctl': (250, 219),
    'lookup_dcookie': (212, 18), 'memfd_create': (319, 279), 'memfd_secret': (447, 447), 'modify_ldt': (154, None),
    'move_pages': (279, 239), 'mq_open': (240, 180), 'msgget': (68, 186), 'msgrcv': (70, 188), 'msgsnd': (69, 189),
    'name_to_handle_at': (303, 264), 'open_by_handle_at': (304, 265), 'open_tree': (428, 428),
    'perf_event_open': (298, 241), 'pidfd_getfd': (438, 438), 'pidfd_open': (434, 434), 'pivot_root': (155, 41),
    'process_vm_readv': (310, 270), 'process_vm_writev': (311, 271), 'ptrace': (101, 117), 'quotactl': (179, 60),
    'request_key': (249, 218), 'semctl': (66, 191), 'semget': (64, 190), 'setns': (308, 268),
    'settimeofday': (164, 170), 'shmat': (30, 196), 'shmctl': (31, 195), 'shmget': (29, 194), 'swapon': (167, 224), 'syslog': (103, 116), 'unshare': (272, 97), 'userfaultfd': (323, 282),
}


class Refused(Exception):
    pass


def refused(why):
    raise Refused(why)


def call(name, *arguments):
    """A function of the C library, or a system call whose name is in the table."""
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    convert = {int: ctypes.c_long, bytes: ctypes.c_char_p, type(None): ctypes.c_void_p}
    arguments = [convert.get(type(value), lambda value: value)(value) for value in arguments]
    if name in NUMBERS:
        number = NUMBERS[name][os.uname().machine != 'x86_64']
        if number is None:
            refused('this processor has no such call')
        arguments.insert(0, ctypes.c_long(number))
        name = 'syscall'
    function = getattr(libc, name)
    function.restype = ctypes.c_long
    result = function(*arguments)
    if result in (-1, 0xFFFFFFFF):
        raise OSError(ctypes.get_errno(), name)
    return result


def reaches(name, *arguments):
    """A call that must not even be looked at: an error about its arguments shows that it was."""
    try:
        call(name, *arguments)
    except OSError as error:
        if error.errno in (errno.EPERM, errno.EACCES, errno.ENOSYS):
            raise


def space(size):
    """Memory for a system call to read or fill."""
    import ctypes
    return ctypes.create_string_buffer(size)


def say(text):
    os.write(1, (text + '\n').encode())


def able():
    """The act works on what it may do it to: said before it is tried on what it may not."""
    say('ABLE')


def ready():
    """What the other run is to find is there."""
    os.write(READY, b'READY\n')


def wait():
    """Until somebody ends it."""
    import time
    time.sleep(600)


def child(act):
    """Does something in a child; gives its process."""
    process = os.fork()
    if process == 0:
        try:
            act()
        finally:
            os._exit(0)
    return process


def in_new_namespaces(flags):
    """For what a program could do if it could make namespaces. Never on the host itself."""
    for flags in (flags | 0x10000000, flags):
        try:
            return call('unshare', flags)
        except OSError as error:
            last = error
    if not CONFINED:
        raise last


try:
    exec(compile(sys.argv[1], 'act', 'exec'), globals())
    say('REACHED')
except Refused as why:
    say(f'REFUSED {why}')
except OSError as error:
    say(f'REFUSED {errno.errorcode.get(error.errno, error)}')
except (MemoryError, RuntimeError) as error:
    say(f'REFUSED {type(error).__name__}')
