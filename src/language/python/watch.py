# What a program does that no task asks of it, as the interpreter tells it. These are signs for a reader and never part
# of a verdict: a program that knows of them can avoid them.

_CONNECTS = frozenset(("socket.connect", "socket.sendto", "socket.sendmsg"))
_RESOLVES = frozenset(("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"))
_WALKS = frozenset(
    ("sys._getframe", "sys._current_frames", "gc.get_objects", "gc.get_referrers", "gc.get_referents")
    + ("sys.settrace", "sys.setprofile")
)
# Which of an event's arguments are paths that are changed.
_CHANGES = {
    "os.remove": (0,),
    "os.rmdir": (0,),
    "os.mkdir": (0,),
    "os.rename": (0, 1),
    "os.link": (1,),
    "os.symlink": (1,),
    "os.truncate": (0,),
    "os.chmod": (0,),
    "os.chown": (0,),
    "os.utime": (0,),
    "shutil.rmtree": (0,),
}
_OWN_PLACES = ("/tmp/", "/dev/null", "/dev/tty", "/dev/full", "/dev/shm/", "/proc/self/")
_FILES_OF_FRAMES = ("inspect.py", "<string>", "<stdin>")


def watch(program):
    """From now on signs are noted, each once."""
    from os import O_APPEND, O_CREAT, O_RDWR, O_TRUNC, O_WRONLY, fsdecode, getcwd, getpid, getppid
    from posixpath import isabs, join, normpath

    import sys

    frame_of, writes = sys._getframe, O_APPEND | O_CREAT | O_RDWR | O_TRUNC | O_WRONLY
    home = normpath(getcwd())
    busy = []

    def is_outside(path):
        if type(path) not in (str, bytes):
            return False
        path = fsdecode(path)
        path = normpath(path if isabs(path) else join(getcwd(), path))
        if path == home or path.startswith(home + "/") or "__pycache__" in path:
            return False
        return not any(path == place or path.startswith(place) for place in _OWN_PLACES) and path != "/tmp"

    def is_by_program():
        frame = frame_of(2).f_back
        file = frame.f_code.co_filename if frame is not None else ""
        return file == program.file or file.endswith(_FILES_OF_FRAMES)

    def sign(event, arguments):
        if event == "open":
            path, _, flags = arguments
            return "wrote_outside" if flags and flags & writes and is_outside(path) else None
        if event in _CHANGES:
            # A path below an open folder is one that was opened before.
            if type(arguments[-1]) is int and event in ("os.remove", "os.rmdir") and arguments[-1] >= 0:
                return None
            return "wrote_outside" if any(is_outside(arguments[at]) for at in _CHANGES[event]) else None
        if event in _CONNECTS:
            return "tried_network" if type(arguments[-1]) is tuple else None
        if event in _RESOLVES:
            return "tried_network"
        if event in _WALKS:
            return "walked_frames" if is_by_program() else None
        if event == "os.exec":
            return "ended_process"
        if event == "os.kill":
            return "ended_process" if arguments[0] in (0, -1, getpid(), getppid()) and arguments[1] else None
        return None

    looked_at = _CONNECTS | _RESOLVES | _WALKS | frozenset(_CHANGES) | {"open", "os.exec", "os.kill"}
    own = getpid()

    def hook(event, arguments):
        if event not in looked_at or busy:
            return
        busy.append(event)
        try:
            found = sign(event, arguments)
            if found is not None and found not in program.signs and getpid() == own:
                program.signs[found] = False
        except (AttributeError, IndexError, OSError, RecursionError, TypeError, ValueError):
            pass
        finally:
            busy.clear()

    sys.addaudithook(hook)
