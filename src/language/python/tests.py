# The tests' side: runs test code, with stand-ins for what the program defines. Only what this side decides counts.

# Modules that a test may use without importing them, where the program has imported them under that name.
_MODULES = {
    name: name
    for name in (
        "bisect cmath collections copy datetime decimal fractions functools heapq itertools json math numpy operator "
        "random re statistics string sys typing"
    ).split()
}
_MODULES.update(np="numpy", pd="pandas")
# The same for classes and functions of the library.
_NAMES = {
    **dict.fromkeys("Counter OrderedDict defaultdict deque namedtuple ChainMap".split(), "collections"),
    **dict.fromkeys("Any Callable Dict Iterable List Optional Sequence Set Tuple Union".split(), "typing"),
    "Decimal": "decimal",
    "Fraction": "fractions",
    "date": "datetime",
    "timedelta": "datetime",
}
_KINDS = {"function": RemoteFunction, "iterator": RemoteIterator, "awaitable": RemoteAwaitable}
# What a program may do with an object of the tests'.
_SERVED = set(
    "call next iter getattr setattr getitem setitem delitem contains len bool int float index complex abs neg pos "
    "invert str repr bytes hash format round await eq ne lt le gt ge add sub mul truediv floordiv mod pow matmul "
    "lshift rshift and or xor divmod isinstance enter exit aenter aexit aiter anext".split()
)
_SERVED.update(_IN_PLACE)
_CONTAINERS = (list, dict, set, bytearray)
_INNER = ("_", "f_", "gi_", "cr_", "ag_", "tb_", "co_", "func_")
_SCRIPT = "__tests__"


class Solution(_MODULE_TYPE):
    """What a test gets that imports the program."""

    def __getattr__(self, name):
        try:
            return _PEER[0].name(name, {name})
        except (KeyError, NameError):
            raise AttributeError(f"module 'solution' has no attribute '{name}'") from None

    def __setattr__(self, name, value):
        if name[:2] == "__":
            _MODULE_TYPE.__setattr__(self, name, value)
        else:
            _PEER[0].set_global(name, value)

    def __delattr__(self, name):
        _PEER[0].delete_global(name)

    def __dir__(self):
        return ask("dir")


def new_solution(name):
    module = Solution(name)
    beside = _PEER[0].beside
    if beside is not None:
        module.__file__ = beside.folder + "/solution.py"
    return module


class Globals(dict):
    """The script's names. One that it doesn't define is the program's, unless Python has it built in."""

    def __missing__(self, name):
        return _PEER[0].name(name, self.borrowed)

    borrowed = frozenset()


class Tests(Peer):
    side = "tests"
    other = "program"
    trusts_comparison = False

    def __init__(self, channel):
        super().__init__(channel)
        self.recorder = None
        self.asks = 0
        self.serving = 0
        self.names = {}
        # Containers of the program's that tests have looked up, with what they held when both sides agreed last.
        self.live = {}
        # The program's process, where it is in this sandbox.
        self.beside = None
        # Which of the program's objects the test has made itself, and which came of a value and an answer's operators.
        self.made = set()
        self.mixed = set()
        self.met = set()
        # The program's names that the test uses as classes, by the looks of it.
        self.classes = frozenset()

    # Names of the program's.

    def name(self, name, borrowed=frozenset()):
        builtin = name in _BUILTIN_NAMES
        if (builtin and name not in borrowed) or name[:2] == "__":
            raise KeyError(name)
        if name in self.names:
            return self.names[name]
        try:
            found = self.ask("lookup", name)
        except NameError:
            # If the program defines none of the names that could be its own, this one was meant.
            if builtin and any(self.defines(other) for other in sorted(borrowed - {name})):
                raise KeyError(name) from None
            raise
        if type(found) is dict and "value" in found:
            found = found["value"]
            if self.beside is None or type(found) not in _CONTAINERS:
                return found
            self.live[name] = written(found)
        if type(found) is dict and "module" in found:
            found = self.module(name if self.beside is None else found["module"])
        self.names[name] = found
        return found

    def defines(self, name):
        try:
            self.ask("lookup", name)
        except NameError:
            return False
        return True

    def module(self, name):
        wanted = name if self.beside is not None else _MODULES.get(name)
        if wanted is None:
            raise NameError(f"name '{name}' is not defined")
        __import__(wanted)
        return sys.modules[wanted]

    def forget(self):
        """The program was loaded anew: its names mean others."""
        self.names.clear()
        self.live.clear()

    # What can only be done to a program in the same sandbox.

    def reach(self, why):
        if self.beside is None:
            from os import _exit

            self.channel.send({"reaches": {"why": why}})
            _exit(0)

    def set_global(self, name, value):
        self.reach("they replace a name of the program's")
        self.detach(name)
        self.ask("set_global", name, value)

    def delete_global(self, name):
        self.reach("they replace a name of the program's")
        self.detach(name)
        self.ask("delete_global", name)

    def detach(self, name):
        """What stood for whatever has the name stands for what has it now, from here on."""
        self.live.pop(name, None)
        standing = self.names.pop(name, None)
        remote = None if standing is None else standing_for(standing)
        if remote is not None and "global" in remote:
            bound = standing_for(self.ask("bound", name))
            remote.clear()
            remote.update(bound)

    def new_class(self, meta, name, bases, body, options):
        self.reach("they have a class below one of the program's")
        return class_below(meta, name, bases, body, options)

    def named_class(self, remote):
        """A class that the tests name: a real one, made here."""
        name, mro = remote["global"], remote["mro"]
        if not remote.get("own") and name in _NAMES:
            __import__(_NAMES[name])
            return getattr(sys.modules[_NAMES[name]], name)
        if "BaseException" in mro:
            return error_class(mro[0], mro, remote.get("module", "solution"), remote)
        if remote.get("fields") is not None:
            return named_tuple(mro[0], tuple(remote["fields"]))
        return remote_class(remote)

    def resolve(self, decoder, remote):
        if "global" not in remote:
            return super().resolve(decoder, remote)
        name = remote["global"]
        if name not in self.names:
            known = remote["kind"] == "class" and "mro" in remote
            self.names[name] = self.named_class(remote) if known else self.new_stand_in(remote)
        return self.names[name]

    def new_stand_in(self, remote):
        if remote["kind"] == "class":
            return remote_class(remote)
        kind = _KINDS.get(remote["kind"], RemoteObject)
        for name in remote.get("classes", ()):
            named = self.names.get(name)
            if isinstance(named, RemoteClass) and (looks_like_a_class(name) or name in self.classes):
                kind = named
                break
        return new_stand_in(kind, remote)

    # Asking.

    def ask(self, op, /, *operands, **named):
        if self.beside is not None:
            self.beside.begin()
        if not self.live:
            return self.ask_alone(op, *operands, **named)
        for name, before in list(self.live.items()):
            if written(self.names[name]) != before:
                self.ask_alone("fill_global", name, self.names[name])
        try:
            return self.ask_alone(op, *operands, **named)
        finally:
            self.look_again()

    def look_again(self):
        """What the program's containers hold now, its tests see."""
        names = [name for name in self.live if name in self.names]
        if not names or self.beside.child is None:
            return
        for name, value in zip(names, self.ask_alone("read_globals", names)):
            own = self.names[name]
            if type(own) is not type(value):
                del self.names[name], self.live[name]
                continue
            if written(own) != written(value):
                if isinstance(own, (list, bytearray)):
                    own[:] = value
                else:
                    own.clear()
                    own.update(value)
            self.live[name] = written(own)

    def ask_alone(self, op, /, *operands, **named):
        self.asks += 1
        call = None
        if op == "call" and self.recorder is not None and not self.serving:
            call = self.recorder.calling(call_text(operands, named))
        met, self.met = self.met, set()
        try:
            result = super().ask(op, *operands, **named)
            # What comes as an answer is no longer sure to be what the test has made …
            came_of_made = op in _OPERATORS and any(self.is_made(each) for each in operands)
            self.made -= self.met
            # … unless it comes of that.
            if came_of_made:
                self.make(result)
        except Ended as error:
            if self.recorder is not None:
                self.recorder.program_ended(error)
            raise
        finally:
            self.met = met
        if call is not None:
            call.returned, call.result = True, result
        return result

    def stand_in(self, remote):
        value = super().stand_in(remote)
        self.met.add(key_of(value))
        return value

    def make(self, value):
        if standing_for(value) is not None:
            self.made.add(key_of(value))

    def mix(self, value):
        self.mixed.add(key_of(value))

    def is_made(self, value):
        return standing_for(value) is not None and key_of(value) in self.made

    def is_mixed(self, value):
        return bool(self.mixed) and standing_for(value) is not None and key_of(value) in self.mixed

    # Answering: the program must not get at more than what was handed to it.

    def perform(self, op, operands, named):
        if op not in _SERVED or not operands:
            raise TypeError("this can't be asked of a test")
        subject = operands[0]
        asked = operands[:2] if op in _BINARY or op == "divmod" else operands[:1]
        if not any(self.own.get(self.own_ids.get(id(each))) is each for each in asked):
            raise TypeError("not an object of the tests")
        if op in ("getattr", "setattr"):
            name = operands[1]
            if type(name) is not str or name.startswith(_INNER) or type(subject) in _FUNCTION_TYPES:
                raise AttributeError(f"'{type(subject).__name__}' object has no attribute '{name}'")
            if op == "setattr" and name in vars(type(subject)):
                raise AttributeError(f"'{name}' can't be replaced")
        self.serving += 1
        try:
            return SERVICES[op](*operands, **named)
        finally:
            self.serving -= 1

    def add_output(self, frame):
        if self.beside is not None:
            news = self.beside.world.news()
            if news:
                frame["world"] = news

    def lost(self):
        if self.beside is None:
            super().lost()
        raise self.beside.over()

    def describe(self, value):
        remote = super().describe(value)
        mock = loaded("unittest.mock", "NonCallableMock")
        if mock is not None and isinstance_of(value, mock):
            remote["kind"] = "object"
        return remote

    def heard(self, content):
        if self.beside is not None and "world" in content:
            self.beside.world.take(content["world"])
        for text, stream in zip(content.get("output") or (), (sys.stdout, sys.stderr)):
            if text:
                stream.write(text)

    def __call__(self, encoder, value):
        library = library_name(value)
        return {"library": library} if library else super().__call__(encoder, value)

    def trace(self, error):
        return []


_OPERATORS = {*_BINARY, *_IN_PLACE, *_UNARY, "divmod", "round", "copy", "deepcopy"}


def key_of(value):
    remote = standing_for(value)
    return remote["generation"], remote["id"], remote.get("global")


def library_name(value):
    """How the program's side finds the same function, class or module of a library."""
    if isinstance_of(value, _MODULE_TYPE):
        own = type(value) is Solution or value.__name__ in (_SCRIPT, "__main__")
        return None if own else value.__name__ + ":"
    if not (isinstance_of(value, type) or type(value) in _FUNCTION_TYPES):
        return None
    if isinstance_of(value, type) and (_TYPES.get(value.__name__) is value or standing_for(value) is not None):
        return None
    module = getattr(value, "__module__", None)
    if type(module) is not str or module in (_SCRIPT, "__main__", "solution") or module not in sys.modules:
        return None
    found = sys.modules[module]
    for part in str(value.__qualname__).split("."):
        found = getattr(found, part, None)
    return f"{module}:{value.__qualname__}" if found is value else None


def call_text(operands, named):
    function, *arguments = operands
    remote = standing_for(function)
    name = remote.get("name", "?") if remote else getattr(function, "__name__", "?")
    shown = [show(each) for each in arguments] + [f"{key}={show(each)}" for key, each in named.items()]
    return f"{name.removeprefix('Solution.')}({', '.join(shown)})"


def services():
    import operator

    table = {name: getattr(builtins, name) for name in _SERVED if hasattr(builtins, name)}
    for name in _SERVED - set(table) - {"call", "await", *CONTEXTS}:
        table[name] = getattr(operator, name, None) or getattr(operator, name + "_")
    table["call"] = lambda function, /, *args, **named: function(*args, **named)
    table["index"] = operator.index
    table["await"] = run_awaitable
    table.update(CONTEXTS)
    return table


SERVICES = services()


def written(value):
    """A value as text that tells it from others."""
    encoder = Encoder(_PEER[0])
    return repr((encoder.encode(value), encoder.nodes))


class Runner:
    """Runs what our side sends, one test after another."""

    def __init__(self, channel, tests):
        self.channel = channel
        self.tests = tests

    def report(self, frame):
        self.channel.send(frame)

    def beside(self, driver, program, boot, common_imports):
        """The program is to be in this sandbox, too."""
        exec(load_code(driver), globals())
        self.tests.beside = Beside(self.tests, boot, program, common_imports)

    def run(self):
        while True:
            frame = self.channel.receive()
            if frame is None:
                return
            ((kind, content),) = frame.items()
            self.tests.asks = 0
            tests = self.tests
            tests.classes = frozenset()
            for table in (tests.names, tests.stand_ins, tests.own, tests.own_ids, tests.made, tests.mixed):
                table.clear()
            try:
                if "beside" in content:
                    self.beside(**content.pop("beside"))
                problem = getattr(self, kind)(**content)
            except LookupError as error:
                problem = str(error.args[0])
            self.tests.recorder = None
            self.report({"end": {"problem": problem}})

    def script(self, code, form, entry, skip, stop, modules):
        try:
            script = Script(code, form, entry)
        except SyntaxError as error:
            return f"the tests aren't valid Python: {error.msg} (line {error.lineno})"
        except (LookupError, ValueError, RecursionError) as error:
            return str(error.args[0])
        recorder = self.tests.recorder = Recorder(script, self.report, skip, stop)
        self.tests.classes = script.classes
        self.report({"plan": {"assertions": script.plan}})
        names = Globals(__name__=_SCRIPT, __builtins__=builtins)
        names.borrowed = frozenset(script.borrowed_builtins)
        names[_RECORD] = recorder
        recorder.names = names
        be_strict(script.imports)
        if "random" in code:
            # Two runs of a test shall be the same.
            __import__("random").seed(0)
        if entry and not script.check and "candidate" in code:
            names["candidate"] = self.candidate(entry, names)
        if entry and script.check and "." not in entry:
            names[entry] = self.candidate(entry, names)
        import_as(modules)
        if self.tests.beside is not None:
            reach_in(modules, code)
            watch_modules(script.imports)
        error, line = None, 0
        try:
            exec(script.code, names)
            if script.check and not script.self_calling:
                if not entry:
                    return "`check(candidate)` needs the name of the function that `candidate` is"
                names[script.check](names.get(entry) or self.candidate(entry, names))
        except Stopped:
            pass
        except SystemExit as caught:
            # A script may leave when it is done.
            if "_redraft_trace" in vars(caught) or caught.code not in (None, 0):
                error, line = caught, line_of(caught)
        except BaseException as caught:
            error, line = caught, line_of(caught)
        return self.end(script, recorder, error, line)

    def suite(self, driver, code, form, skip, stop, modules):
        if "run_suite" not in globals():
            exec(load_code(driver), globals())
        return run_suite(self, code, form, skip, stop, modules)

    def candidate(self, entry, names):
        try:
            return self.entry_point(entry, names)
        except (Ended, NameError):
            # Every assertion shall meet the reason by itself.
            here = {"side": "program", "generation": 0, "id": 0, "kind": "function", "name": entry, "global": entry}
            return new_stand_in(RemoteFunction, here)

    def entry_point(self, entry, names):
        if "." not in entry:
            return self.tests.name(entry, names.borrowed)
        owner, _, method = entry.partition(".")
        return getattr(self.tests.name(owner)(), method)

    def end(self, script, recorder, error, line):
        if not script.plan and script.raises and self.tests.asks:
            recorder.whole(error, line)
            return None
        if not script.plan:
            return "the tests hold no assertion"
        if not recorder.end(error, line):
            return "an assertion was lost"
        if error is not None or not any(recorder.times):
            return None if error is not None else "no assertion of the tests was reached"
        if not self.tests.asks and not recorder.skip:
            return "the tests never used the program"
        return None

    def call(self, entry, arguments, expected, compare):
        expected, given = from_json(expected), from_json(arguments)
        call = Recorder(Script("", "asserts", entry), self.report, 0)
        self.tests.recorder = call
        self.report({"begin": {"key": None, "time": 1, "started": 1}})
        verdict, actual, error = "passed", None, None
        try:
            names = {entry} & _BUILTIN_NAMES
            function = self.entry_point(entry, Globals()) if "." in entry else self.tests.name(entry, names)
            arguments = built(from_json(arguments))
            call.calls.clear()
            result = unbuilt(function(*arguments), expected)
            actual = show(result)
            if not same(result, expected, compare):
                verdict, actual = "wrong_answer", show(result, "show")
        except BaseException as caught:
            verdict, error = failure(caught)
        text = f"{entry}({', '.join(show(each) for each in given)})"
        result = {"key": None, "line": "", "time": 1, "verdict": verdict, "error": error, "actual": actual}
        self.report({"result": {**result, "input": text, "expected": show(expected)}})
        return None


def load_code(text):
    return __import__("marshal").loads(a2b_base64(text))


def import_as(names):
    """Tests find the program under each of these names."""
    for name in names:
        sys.modules[name] = new_solution(name)


def line_of(error):
    """The line of the script that raised."""
    line, at = 0, error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename == "tests.py":
            line = at.tb_lineno
        at = at.tb_next
    return line


def main():
    sys.setrecursionlimit(10_000)
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    # Nothing is imported from where a program can write.
    sys.path[:] = [path for path in sys.path if path]
    channel = Channel(3)
    tests = Tests(channel)
    _PEER.append(tests)
    Runner(channel, tests).run()


main()
