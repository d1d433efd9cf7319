# The program's side: loads the program and answers questions about it. It is never told what would be right.

_KINDS = {"function": RemoteFunction, "iterator": RemoteIterator, "awaitable": RemoteAwaitable}
_NAME = "solution"
_FILE = "solution.py"


class Global:
    """A global of the program's, to be told by its name."""

    def __init__(self, remote):
        self.remote = remote


class Program(Peer):
    side = "program"
    other = "tests"

    def __init__(self, channel, start):
        super().__init__(channel)
        from os import getpid

        self.getpid = getpid
        self.process = getpid()
        # Numbers tell this process's objects from those of an earlier one that ended.
        self.generation = start["generation"]
        self.file = "/" + _FILE
        self.folder = start.get("folder")
        self.common_imports = start["common_imports"]
        self.module, self.namespace = None, {}
        # Only where tests share a sandbox with it.
        self.world = None
        self.subclasses = {}
        self.named = {}
        self.common = {}
        self.outputs = []
        self.watched = start.get("watch", False)
        # Signs of cheating, and whether they were told.
        self.signs = {}

    def relay(self):
        """From now on keeps what is printed, to be told."""
        from fcntl import F_DUPFD_CLOEXEC, fcntl
        from os import O_RDWR, O_TMPFILE, close, dup2, ftruncate, lseek, open

        self.ftruncate, self.lseek = ftruncate, lseek
        for descriptor, stream in ((1, sys.__stdout__), (2, sys.__stderr__)):
            low = open("/tmp", O_TMPFILE | O_RDWR)
            dup2(low, descriptor)
            # Away from the low numbers that programs may close.
            kept = fcntl(low, F_DUPFD_CLOEXEC, 200)
            close(low)
            self.outputs.append((kept, stream))

    def heard(self, content):
        if self.world is not None and "world" in content:
            self.world.take(content["world"])

    def tell_signs(self):
        if self.getpid() != self.process:
            return
        for name in [name for name, told in self.signs.items() if not told]:
            self.signs[name] = True
            with self.lock:
                self.channel.send({"seen": name})

    def add_output(self, frame):
        self.tell_signs()
        if self.world is not None:
            news = self.world.news()
            if news:
                frame["world"] = news
        if not self.outputs:
            return
        written = []
        for kept, stream in self.outputs:
            try:
                stream.flush()
            except (OSError, ValueError):
                pass
            try:
                written.append(self.taken(kept))
            except OSError:
                # The program has closed what it isn't to know of.
                written.append("")
        if any(written):
            frame["output"] = written

    def taken(self, kept):
        """What was written to a file that has no name; it is empty then."""
        length = self.lseek(kept, 0, 1)
        self.lseek(kept, 0, 0)
        chunks = []
        while length > 0:
            chunk = self.channel.read(kept, min(length, 1 << 20))
            if not chunk:
                break
            chunks.append(chunk)
            length -= len(chunk)
        self.ftruncate(kept, 0)
        self.lseek(kept, 0, 0)
        return b"".join(chunks).decode("utf-8", "replace")

    def load(self):
        from os import getcwd, path

        self.file = path.join(self.folder or getcwd(), _FILE)
        with open(self.file, "rb") as source:
            text = source.read()
        module = _MODULE_TYPE(_NAME)
        module.__file__ = self.file
        self.module, self.namespace = module, vars(module)
        if self.common_imports:
            supply_common_imports(self.namespace)
        supply_site_builtins()
        if b"random" in text:
            # Two runs of a program shall be the same.
            import random

            random.seed(0)
        sys.modules[_NAME] = module
        sys.argv[:] = [self.file]
        if self.watched:
            watch(self)
        exec(compile(text, self.file, "exec", dont_inherit=True), self.namespace)

    def __call__(self, encoder, value):
        if type(value) is Global:
            return {"remote": value.remote}
        return super().__call__(encoder, value)

    def keeps(self, value):
        return bool(self.named) and self.named_bases(value) != []

    def named_bases(self, value):
        """The names of those of its classes that the tests name themselves."""
        named = self.named
        return [named[kind] for kind in type.__dict__["__mro__"].__get__(type(value)) if kind in named]

    def describe(self, value):
        if isinstance_of(value, type) and value in self.named:
            return self.by_name(self.named[value], value)
        remote = super().describe(value)
        if self.named:
            remote["classes"] = self.named_bases(value)
        return remote

    def by_name(self, name, value):
        """What the tests name stands for whatever has that name, in this process and in a later one."""
        remote = super().describe(value)
        remote.update(id=0, generation=0, name=name)
        remote["global"] = name
        if remote["kind"] == "class":
            mro = type.__dict__["__mro__"].__get__(value)
            remote["mro"] = [clean(kind.__name__) for kind in mro[:-1]]
            remote["own"] = value.__module__ == _NAME
            remote["module"] = clean(str(value.__module__))
            if tuple in mro and hasattr(value, "_fields"):
                remote["fields"] = [clean(str(field)) for field in value._fields]
            elif remote["own"] and BaseException not in mro:
                self.named[value] = name
        return remote

    def resolve(self, decoder, remote):
        if "global" in remote:
            value = self.find(remote["global"])
            if isinstance_of(value, type):
                self.by_name(remote["global"], value)
            return value
        return super().resolve(decoder, remote)

    def find(self, name):
        if name in self.namespace:
            return self.namespace[name]
        if name in self.subclasses:
            return self.subclasses[name]
        raise NameError(f"name '{name}' is not defined")

    def new_stand_in(self, remote):
        if remote["kind"] == "class":
            return remote_class(remote)
        return new_stand_in(_KINDS.get(remote["kind"], OpenObject), remote)

    def library(self, name):
        module, _, name = name.partition(":")
        __import__(module)
        value = sys.modules[module]
        for part in name.split("."):
            value = getattr(value, part)
        return value

    def lookup(self, name):
        value = self.find(name)
        if type(value) is _MODULE_TYPE:
            return {"module": value.__name__}
        if standing_for(value) is not None:
            return {"value": value}
        if isinstance_of(value, type) or type(value) in _FUNCTION_TYPES or callable(value):
            return Global(self.by_name(name, value))
        return {"value": value}

    def perform(self, op, operands, named):
        # A forked child of the program must not answer for it.
        return OPERATIONS[op](self, *operands, **named)

    def send_reply(self, frame):
        if self.getpid() != self.process:
            sys.exit(0)
        super().send_reply(frame)

    def trace(self, error):
        """The program's own lines on the way to the error."""
        lines = []
        at = error.__traceback__
        while at is not None:
            code = at.tb_frame.f_code
            if code.co_filename == self.file:
                lines.append(clean(f"line {at.tb_lineno}, in {code.co_name}"))
            at = at.tb_next
        return lines if len(lines) <= 20 else lines[:10] + [f"… {len(lines) - 20} more calls …"] + lines[-10:]

    def run(self, start):
        if start["relay"]:
            self.relay()
        try:
            self.load()
        except BaseException as error:
            encoder = Encoder(self)
            content = self.describe_error(encoder, error)
            content["compile"] = isinstance(error, SyntaxError) and not self.trace(error)
            content["args"] = []
            self.tell_signs()
            self.channel.send({"broken": content})
            return
        if "World" in globals():
            OPERATIONS.update(MORE_OPERATIONS)
            self.world = World()
        self.tell_signs()
        self.channel.send({"ready": {}})
        while True:
            with self.lock:
                ask = self.channel.receive()
            if ask is None:
                return
            self.heard(ask["ask"])
            self.serve(ask["ask"])


def supply_site_builtins():
    """What `site` puts among the builtins: some programs leave with `exit()`."""
    import _sitebuiltins

    for name in ("exit", "quit"):
        setattr(builtins, name, _sitebuiltins.Quitter(name, "Ctrl-D (i.e. EOF)"))


def copied(name):
    def operation(program, value):
        import copy

        return getattr(copy, name)(value)

    return operation


def show_soon(program, value):
    """`repr`, for a reader only: one that takes long is given up."""
    import signal

    def stop(number, frame):
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.2)
    try:
        return repr(value)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def node_class(program, kind):
    """The program's own class for linked lists or trees, or else the usual one."""
    if kind not in program.namespace:
        exec(COMMON_CLASSES, program.common)
    return program.namespace.get(kind) or program.common[kind]


def build(program, kind, values):
    """A linked list, or a tree from its levels, with `None` for a child that isn't there. Nothing at all is `None`."""
    make = node_class(program, kind)
    nodes = [None if value is None and kind == "TreeNode" else make(value) for value in values]
    if kind == "ListNode":
        for node, after in zip(nodes, nodes[1:]):
            node.next = after
        return nodes[0] if nodes else None
    if not nodes or nodes[0] is None:
        return None
    rest = iter(nodes[1:])
    for node in nodes:
        if node is not None:
            node.left, node.right = next(rest, None), next(rest, None)
    return nodes[0]


_MOST_NODES = 1_000_000


def unbuild(program, kind, node):
    """The values of a linked list or a tree, in a tuple; nothing for what is neither."""
    fields = ("next",) if kind == "ListNode" else ("left", "right")
    if node is not None and not all(hasattr(node, name) for name in ("val", *fields)):
        return ()
    values, seen = [], set()
    if kind == "ListNode":
        while node is not None:
            if id(node) in seen:
                return ([*values, "… and on in a circle"],)
            seen.add(id(node))
            values.append(node.val)
            node = node.next
        return (values,)
    level = [node] if node is not None else []
    while level:
        values.extend(None if node is None else node.val for node in level)
        if len(values) > _MOST_NODES:
            return ([*values[:100], "… and on without end"],)
        level = [child for node in level if node is not None for child in (node.left, node.right)]
        if all(node is None for node in level):
            break
    return (values,)


def inspect_it(program, what, subject, *arguments):
    """What `inspect` says about something of the program's; without a subject, about the program."""
    import inspect

    return getattr(inspect, what)(program.module if subject is None else subject, *arguments)


def plain(function):
    return lambda program, *operands: function(*operands)


def operations():
    import _operator as operator

    table = {
        "lookup": Program.lookup,
        "await": plain(run_awaitable),
        "dir": lambda program: sorted(name for name in program.namespace if type(name) is str),
        "inspect": inspect_it,
        "copy": copied("copy"),
        "deepcopy": copied("deepcopy"),
        "call": lambda _, function, /, *args, **named: function(*args, **named),
        "show": show_soon,
        "build": build,
        "unbuild": unbuild,
        "index": plain(operator.index),
        "pos": plain(operator.pos),
        "neg": plain(operator.neg),
        "invert": plain(operator.invert),
        "and": plain(operator.and_),
        "or": plain(operator.or_),
    }
    for function in (getattr, setattr, delattr, next, iter, repr, format, round, isinstance, issubclass, divmod):
        table[function.__name__] = plain(function)
    for function in (len, bool, int, float, complex, abs, str, bytes, hash):
        table[function.__name__] = plain(function)
    for name in [*"add sub mul truediv floordiv mod pow matmul lshift rshift xor lt le gt ge eq ne".split(), *_IN_PLACE]:
        table[name] = plain(getattr(operator, name))
    for name in "getitem setitem delitem contains".split():
        table[name] = plain(getattr(operator, name))
    for name, function in CONTEXTS.items():
        table[name] = plain(function)
    return table


OPERATIONS = operations()


def main():
    # Away from the low numbers that programs may close or write to.
    from fcntl import F_DUPFD_CLOEXEC, fcntl
    from os import close

    channel = Channel(fcntl(3, F_DUPFD_CLOEXEC, 200))
    close(3)
    start = channel.receive()["start"]
    program = Program(channel, start)
    _PEER.append(program)
    program.run(start)
    from os import _exit

    _exit(0)


main()
