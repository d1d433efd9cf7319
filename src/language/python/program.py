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
        self.namespace = {}
        self.named = {}

    def load(self, common_imports):
        from os import getcwd, path

        self.file = path.join(getcwd(), _FILE)
        with open(self.file, "rb") as source:
            text = source.read()
        module = _MODULE_TYPE(_NAME)
        module.__file__ = self.file
        self.namespace = vars(module)
        if common_imports:
            supply_common_imports(self.namespace)
        supply_site_builtins()
        sys.modules[_NAME] = module
        sys.argv[:] = [self.file]
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
        try:
            self.load(start["common_imports"])
        except BaseException as error:
            encoder = Encoder(self)
            content = self.describe_error(encoder, error)
            content["compile"] = isinstance(error, SyntaxError) and not self.trace(error)
            content["args"] = []
            self.channel.send({"broken": content})
            return
        self.channel.send({"ready": {}})
        while True:
            with self.lock:
                ask = self.channel.receive()
            if ask is None:
                return
            self.serve(ask["ask"])


def supply_site_builtins():
    """What `site` puts among the builtins: some programs leave with `exit()`."""
    import _sitebuiltins

    for name in ("exit", "quit"):
        setattr(builtins, name, _sitebuiltins.Quitter(name, "Ctrl-D (i.e. EOF)"))


def wait_for(program, awaitable):
    import asyncio

    async def main():
        return await awaitable

    return asyncio.run(main())


def copied(name):
    def operation(program, value):
        import copy

        return getattr(copy, name)(value)

    return operation


def plain(function):
    return lambda program, *operands: function(*operands)


def operations():
    import _operator as operator

    table = {
        "lookup": Program.lookup,
        "await": wait_for,
        "copy": copied("copy"),
        "deepcopy": copied("deepcopy"),
        "call": lambda _, function, *args, **named: function(*args, **named),
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
    for name in "add sub mul truediv floordiv mod pow matmul lshift rshift xor lt le gt ge eq ne".split():
        table[name] = plain(getattr(operator, name))
    for name in "getitem setitem delitem contains".split():
        table[name] = plain(getattr(operator, name))
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
