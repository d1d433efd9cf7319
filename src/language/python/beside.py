# The program's process in the tests' own sandbox: for tests that share files with the program, or reach into it. It is
# another process all the same. It can't look into ours, and what we talk to the harness over isn't there for it.

import os

_PR_SET_DUMPABLE = 4
_MOST_ENDS = 25
_LAST_WORDS = 0.5


def close_up():
    """From now on no process of this sandbox can read our memory or take our descriptors."""
    try:
        import ctypes

        done = ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) == 0
    except (ImportError, OSError, AttributeError):
        done = False
    if not done:
        raise LookupError("tests that reach into the program need the module `ctypes`, which the interpreter lacks")
    os.set_inheritable(3, False)


class Link(Channel):
    """The way to the program. That it is gone is told as its end."""

    def __init__(self, descriptor, beside):
        super().__init__(descriptor)
        self.beside = beside

    def send(self, frame):
        try:
            super().send(frame)
        except OSError:
            raise self.beside.over() from None

    def receive(self):
        try:
            frame = super().receive()
        except OSError:
            frame = None
        except ValueError:
            raise self.beside.over("it broke the protocol") from None
        if frame is None:
            raise self.beside.over()
        return frame


class Beside:
    """Starts the program, and starts it again when it has ended."""

    def __init__(self, tests, boot, driver, common_imports):
        close_up()
        self.tests = tests
        self.boot = boot
        self.driver = a2b_base64(driver)
        self.common_imports = common_imports
        self.folder = os.getcwd()
        self.child = self.broken = None
        self.ends = 0
        self.world = World()
        self.before_start = lambda: None

    def begin(self):
        """Sees to it that the program runs."""
        if self.broken is not None:
            raise Ended(*self.broken)
        if self.child is None:
            self.start()

    def start(self):
        import socket

        self.before_start()
        ours, theirs = socket.socketpair()
        arguments = [sys.executable, "-s", "-B", "-S", "-c", self.boot]
        actions = [(os.POSIX_SPAWN_DUP2, theirs.fileno(), 3)]
        self.child = os.posix_spawn(sys.executable, arguments, os.environ, file_actions=actions)
        theirs.close()
        link = self.tests.channel = Link(ours.detach(), self)
        self.ends += 1
        self.world = World()
        try:
            link.write(link.descriptor, len(self.driver).to_bytes(4, "big") + self.driver)
        except OSError:
            raise self.over() from None
        start = {"generation": self.ends, "common_imports": self.common_imports, "relay": True, "folder": self.folder}
        link.send({"start": start})
        ((kind, content),) = link.receive().items()
        if kind == "ready":
            return
        self.over()
        self.broken = verdict_of_loading(content)
        raise Ended(*self.broken)

    def over(self, how=None):
        """What is to be said of a program that is gone."""
        link, child = self.tests.channel, self.child
        self.child = None
        if child is None:
            return Ended("runtime_error", "it has ended")
        os.close(link.descriptor)
        text = how or end_of(child)
        error = Ended("runtime_error", text)
        if self.ends >= _MOST_ENDS:
            self.broken = ("runtime_error", f"not run: the program ended {_MOST_ENDS} times before it: {text}")
        if self.tests.recorder is not None:
            self.tests.recorder.program_ended(error)
        return error


def end_of(child):
    """Waits for a process that has nothing more to say; one that doesn't end is ended."""
    import signal
    import time

    begun = time.monotonic()
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            break
        if time.monotonic() - begun > _LAST_WORDS:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return "closed its channel before the test finished"
        time.sleep(0.001)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        name = next((each.name for each in signal.Signals if each == number), f"signal {number}")
        return f"{name} ended it before the test finished"
    return f"exited before the test finished (status {os.WEXITSTATUS(status)})"


def verdict_of_loading(content):
    """What it says about the program that it can't be loaded."""
    text = content["type"] + (f": {content['text']}" if content["text"] else "")
    text = "\n".join([text, *(f"  {line}" for line in content["trace"])])
    if content.get("compile"):
        return "compile_error", text
    if content["type"] in ("SystemExit", "KeyboardInterrupt"):
        return "runtime_error", f"exited before the test finished ({text})"
    return ("memory_limit" if content["type"] == "MemoryError" else "runtime_error"), text
