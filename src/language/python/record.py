# Keeps what becomes of each assertion, as text for the reader.

_SHOWN = 4000
_MOST_REPEATS = 1000


class Ended(BaseException):
    """The program ended or used up a limit while it was asked. Not an `Exception`: no test may take it for one."""

    def __init__(self, verdict, text):
        super().__init__(text)
        self.verdict = verdict
        self.text = text


class Stopped(BaseException):
    """Enough is known: an assertion failed."""


def ended(content):
    return Ended(content["verdict"], content["error"])


def cut(text):
    """Long text loses its middle."""
    text = clean(text)
    if len(text) <= _SHOWN:
        return text
    half = _SHOWN // 2
    return f"{text[:half]} … {len(text) - _SHOWN:,} characters cut … {text[-half:]}"


def show(value, stand_ins="class"):
    """The `repr` of a value, unless that would never end. The program isn't asked, but for what `stand_ins` says."""
    before, _SHOW[0] = _SHOW[0], stand_ins
    try:
        return shown_whole(value)
    finally:
        _SHOW[0] = before


def shown_whole(value):
    stack, seen = [(value, 0)], 0
    while stack:
        item, depth = stack.pop()
        seen += 1
        if seen > 100_000 or depth > 200:
            return f"({type(value).__name__}, too large to show) {begin_of(value)}"
        if isinstance(item, dict):
            stack.extend((each, depth + 1) for pair in item.items() for each in pair)
        elif isinstance(item, (list, tuple, set, frozenset)):
            stack.extend((each, depth + 1) for each in item)
    try:
        return cut(repr(value))
    except Exception as error:
        return f"({type(value).__name__}, can't be shown: {type(error).__name__})"


def begin_of(value):
    if type(value) in (list, tuple, set, frozenset):
        import itertools

        items = [cut(repr(each)) for each in itertools.islice(value, 50) if type(each) in (int, float, str, bool)]
        return ", ".join(items)[:_SHOWN] + " …"
    return "…"


def error_text(error):
    """`Type: message`, then the program's own lines."""
    try:
        text = str(error)
    except Exception:
        text = ""
    name = type(error).__name__
    first = f"{name}: {text}" if text else name
    if isinstance(error, SystemExit):
        first = f"exited before the test finished ({first})"
    return "\n".join([cut(first), *(f"  {line}" for line in trace_of(error))])


def trace_of(error):
    return vars(error).get("_redraft_trace", ())


def verdict_of(error):
    """What an exception that came out of an assertion says about the program."""
    if isinstance(error, Ended):
        return error.verdict, error.text
    theirs = "_redraft_trace" in vars(error)
    if isinstance(error, MemoryError):
        return "memory_limit", error_text(error)
    # What pytest raises where nothing was raised is a failed assertion, too.
    failed = isinstance(error, AssertionError) or type(error) is loaded("_pytest.outcomes", "Failed")
    if failed and not theirs:
        return "wrong_answer", error_text(error)
    if isinstance(error, ImportError) and not theirs and getattr(error, "name", None) != "solution":
        return "harness_error", f"the tests can't be run here: {error_text(error)}"
    if isinstance(error, Broken):
        return "runtime_error", f"the program broke the protocol: {error}"
    return "runtime_error", error_text(error)


def failure(error):
    """As `verdict_of`; whatever was raised, it is no answer."""
    verdict, text = verdict_of(error)
    return ("runtime_error" if verdict == "passed" else verdict), text


def frames_of(error):
    frames, at = set(), None if error is None else error.__traceback__
    while at is not None:
        frames.add(at.tb_frame)
        at = at.tb_next
    return frames


class Call:
    """A call of the program."""

    def __init__(self, text):
        self.text = text
        self.returned = False
        self.result = None


class Assertion:
    """One assertion being evaluated."""

    def __init__(self, key, calls):
        self.key = key
        self.calls = calls
        self.before = len(calls)
        self.values = {}
        self.called = {}
        self.ended = None


def sides(at, planned, here, stand_ins):
    """Expected and actual, as text."""
    if planned["equal"] and 0 in at.values:
        actual = 1 if at.called.get(1) and not at.called.get(0) else 0
        expected = at.values.get(1 - actual, _MISSING)
        shown = planned["expected"] if expected is _MISSING else show(expected, stand_ins)
        return shown, (show(at.values[actual], stand_ins) if actual in at.values else None)
    if planned["equal"]:
        return planned["expected"], None
    if len(here) == 1 and here[0].returned:
        return planned["expected"], show(here[0].result, stand_ins)
    side = 2 if 2 in at.values else 0
    return planned["expected"], (show(at.values[side], stand_ins) if side in at.values else None)


def bind_names(names, wanted):
    """Puts names that are looked up elsewhere into the dictionary itself."""
    for name in wanted:
        try:
            names[name] = names[name]
        except LookupError:
            # Python's own, or one that is defined later.
            pass
        except NameError:
            pass


class Recorder:
    """What the rewritten script calls."""

    def __init__(self, script, report, skip, stop=False):
        self.script = script
        self.names = {}
        self.report = report
        self.skip = skip
        # Whether one failure is enough.
        self.stop = stop
        self.failed = False
        self.started = 0
        self.times = [0] * len(script.plan)
        # By the frame that evaluates it: a callback of the test's may hold assertions as well.
        self.open = {}
        self.calls = []
        self.held = None
        self.insisted = None
        # Assertions that began, and those of which it is known what became of them.
        self.opened = self.closed = 0

    # Called by the tests' peer.

    def bind(self, *names):
        bind_names(self.names, names)

    def calling(self, text):
        call = Call(text)
        self.calls.append(call)
        return call

    def program_ended(self, error):
        for at in self.open.values():
            at.ended = at.ended or error

    # Called by the script.

    def begin(self, key, frame=None):
        self.settle()
        if self.stop and self.failed:
            raise Stopped
        self.started += 1
        self.times[key] += 1
        if self.started <= self.skip:
            return False
        self.opened += 1
        self.open[frame or sys._getframe(1)] = Assertion(key, self.calls)
        self.report({"begin": {"key": key, "time": self.times[key], "started": self.started}})
        return True

    def value(self, key, side, value):
        at = self.open[sys._getframe(1)]
        at.values[side] = value
        at.called[side] = len(at.calls) - at.before - sum(at.called.values())
        return value

    def judge(self, key, truth):
        frame = sys._getframe(1)
        passed = bool(truth)
        if self.open[frame].ended is not None:
            raise self.open[frame].ended
        self.finish(self.open.pop(frame), "passed" if passed else "wrong_answer")
        return passed

    def message(self, key, text):
        if self.held is not None:
            self.held["error"] = cut(str(text))
        return False

    def raised(self, key):
        at = self.open.pop(sys._getframe(1), None)
        if at is not None:
            self.finish(at, *failure(sys.exc_info()[1]))

    def insist(self, key):
        if self.held is not None and self.held["key"] == key and self.held["verdict"] != "passed":
            self.insisted = AssertionError(self.held["error"] or "")
            raise self.insisted

    def caught(self, first, end, keys):
        """A handler of the script's caught an exception: what was asserted there doesn't count as failed."""
        error = sys.exc_info()[1]
        if isinstance(error, (Ended, Stopped)):
            raise error
        frame = sys._getframe(1)
        if self.open.pop(frame, None) is not None:
            self.closed += 1
        held = self.held
        if held is not None and first <= (held["key"] or 0) < end and held["verdict"] != "passed":
            # The assertion itself raised what was caught.
            self.held = self.insisted = None
            return
        for key in keys:
            if self.begin(key, frame):
                shown = "nothing was raised" if error is None else f"raised {type(error).__name__}"
                self.finish(self.open.pop(frame), "passed", actual=shown, expected="an exception")

    # Ends.

    def finish(self, at, verdict, error=None, actual=None, expected=None):
        self.closed += 1
        planned = self.script.plan[at.key]
        self.settle()
        # First what counts, then what is only for the reader: the program may end while it shows itself.
        held = self.held = {
            "key": at.key,
            "time": self.times[at.key],
            "verdict": verdict,
            "input": cut("; ".join(call.text for call in at.calls[-8:])) or planned["input"],
            "expected": expected or planned["expected"],
            "actual": actual,
            "error": error,
        }
        if expected is None:
            try:
                stand_ins = "class" if verdict == "passed" else "show"
                held["expected"], held["actual"] = sides(at, planned, at.calls[at.before :], stand_ins)
            except (Exception, Ended):
                pass
        self.calls = []

    def settle(self):
        """Reports what is held back for its message."""
        held, self.held = self.held, None
        if held is None:
            return
        passed = held["verdict"] == "passed"
        if not passed or held["time"] <= _MOST_REPEATS:
            self.failed = self.failed or not passed
            self.report({"result": held})

    def end(self, error, line):
        """The script ended; by an exception if there is one. Whether it is known what became of each assertion."""
        raising = frames_of(error)
        for frame, at in list(self.open.items()):
            # One that is left was ended by an exception; if the script caught that elsewhere, it doesn't count.
            if at.ended is not None:
                self.finish(at, *failure(at.ended))
            elif frame in raising:
                self.finish(at, *failure(error))
            else:
                self.closed += 1
        self.settle()
        missing = [key for key, times in enumerate(self.times) if not times]
        if error is None:
            return self.opened == self.closed
        verdict, text = failure(error)
        for key in missing:
            self.not_run(key, verdict, f"not run: line {line} raised {text}")
        if not missing and error is not self.insisted:
            result = {"key": None, "line": str(line), "time": 1, "verdict": verdict, "error": text, "actual": None}
            made = "; ".join(call.text for call in self.calls[-8:])
            self.report({"result": {**result, "input": cut(made), "expected": "no exception"}})
        return self.opened == self.closed

    def whole(self, error, line):
        """The result of a script that raises by itself where others assert."""
        verdict, text = ("passed", None) if error is None else failure(error)
        result = {"key": None, "line": str(line or ""), "time": 1, "verdict": verdict, "error": text, "actual": None}
        made = "; ".join(call.text for call in self.calls[-8:])
        self.report({"result": {**result, "input": cut(made), "expected": "no exception"}})

    def not_run(self, key, verdict, text):
        planned = self.script.plan[key]
        result = {"key": key, "time": 1, "verdict": verdict, "error": text, "actual": None}
        self.report({"result": {**result, "input": planned["input"], "expected": planned["expected"]}})
