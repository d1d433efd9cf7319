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


def show(value):
    """The `repr` of a value, unless that would never end."""
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
    if isinstance(error, AssertionError) and not theirs:
        return "wrong_answer", error_text(error)
    if isinstance(error, ImportError) and not theirs:
        return "harness_error", f"the tests can't be run here: {error_text(error)}"
    if isinstance(error, Broken):
        return "runtime_error", f"the program broke the protocol: {error}"
    return "runtime_error", error_text(error)


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


class Recorder:
    """What the rewritten script calls."""

    def __init__(self, script, report, skip, stop=False):
        self.script = script
        self.report = report
        self.skip = skip
        # Whether one failure is enough.
        self.stop = stop
        self.failed = False
        self.started = 0
        self.times = [0] * len(script.plan)
        self.open = []
        self.calls = []
        self.last = None
        self.substantial = 0
        self.held = None
        self.insisted = None

    # Called by the tests' peer.

    def calling(self, text):
        call = Call(text)
        self.calls.append(call)
        return call

    def program_ended(self, error):
        if self.open:
            self.open[-1].ended = self.open[-1].ended or error

    # Called by the script.

    def begin(self, key):
        self.settle()
        if self.stop and self.failed:
            raise Stopped
        self.started += 1
        self.times[key] += 1
        if self.started <= self.skip or self.times[key] > _MOST_REPEATS:
            return False
        self.open.append(Assertion(key, self.calls))
        self.calls = self.open[-1].calls
        self.report({"begin": {"key": key, "time": self.times[key], "started": self.started}})
        return True

    def value(self, key, side, value):
        at = self.open[-1]
        at.values[side] = value
        at.called[side] = len(at.calls) - at.before - sum(at.called.values())
        return value

    def judge(self, key, truth):
        at = self.open[-1]
        passed = bool(truth)
        if at.ended is not None:
            raise at.ended
        error = None
        self.finish("passed" if passed else "wrong_answer", error)
        return passed

    def message(self, key, text):
        if self.held is not None:
            self.held["error"] = cut(str(text))
        return False

    def raised(self, key):
        if self.open and self.open[-1].key == key:
            self.finish(*verdict_of(sys.exc_info()[1]))

    def insist(self, key):
        if self.held is not None and self.held["key"] == key and self.held["verdict"] != "passed":
            self.insisted = AssertionError(self.held["error"] or "")
            raise self.insisted

    def caught(self, first, end, keys):
        """A handler of the script's caught an exception: what was asserted there doesn't count as failed."""
        error = sys.exc_info()[1]
        if isinstance(error, (Ended, Stopped)):
            raise error
        if self.open and first <= self.open[-1].key < end:
            self.open.pop()
        held = self.held
        if held is not None and first <= (held["key"] or 0) < end and held["verdict"] != "passed":
            # The assertion itself raised what was caught.
            self.held = None
            return
        for key in keys:
            if self.begin(key):
                shown = "nothing was raised" if error is None else f"raised {type(error).__name__}"
                self.finish("passed", None, actual=shown, expected="an exception")

    # Ends.

    def finish(self, verdict, error, actual=None, expected=None):
        at = self.open.pop()
        planned = self.script.plan[at.key]
        self.settle()
        here = at.calls[at.before :]
        if expected is None:
            expected, actual = self.sides(at, planned, here)
        if not planned["constant"]:
            self.substantial += 1
        self.held = {
            "key": at.key,
            "time": self.times[at.key],
            "verdict": verdict,
            "input": cut("; ".join(call.text for call in at.calls[-8:])) or planned["input"],
            "expected": expected,
            "actual": actual,
            "error": error,
        }
        self.calls = []

    def sides(self, at, planned, here):
        """Expected and actual, as text."""
        if planned["equal"] and 0 in at.values:
            actual = 1 if at.called.get(1) and not at.called.get(0) else 0
            expected = at.values.get(1 - actual, _MISSING)
            shown = planned["expected"] if expected is _MISSING else show(expected)
            return shown, (show(at.values[actual]) if actual in at.values else None)
        if planned["equal"]:
            return planned["expected"], None
        if len(here) == 1 and here[0].returned:
            return planned["expected"], show(here[0].result)
        side = 2 if 2 in at.values else 0
        return planned["expected"], (show(at.values[side]) if side in at.values else None)

    def settle(self):
        """Reports what is held back for its message."""
        held, self.held = self.held, None
        if held is not None:
            self.failed = self.failed or held["verdict"] != "passed"
            self.report({"result": held})

    def end(self, error, line):
        """The script ended; by an exception if there is one."""
        while self.open:
            self.finish(*verdict_of(error)) if error is not None else self.open.pop()
        self.settle()
        missing = [key for key, times in enumerate(self.times) if not times]
        if error is None:
            return
        verdict, text = verdict_of(error)
        for key in missing:
            self.not_run(key, verdict, f"not run: line {line} raised {text}")
        if not missing and error is not self.insisted:
            result = {"key": None, "line": str(line), "time": 1, "verdict": verdict, "error": text, "actual": None}
            made = "; ".join(call.text for call in self.calls[-8:])
            self.report({"result": {**result, "input": cut(made), "expected": "no exception"}})

    def whole(self, error, line):
        """The result of a script that raises by itself where others assert."""
        verdict, text = ("passed", None) if error is None else verdict_of(error)
        result = {"key": None, "line": str(line or ""), "time": 1, "verdict": verdict, "error": text, "actual": None}
        made = "; ".join(call.text for call in self.calls[-8:])
        self.report({"result": {**result, "input": cut(made), "expected": "no exception"}})

    def not_run(self, key, verdict, text):
        planned = self.script.plan[key]
        result = {"key": key, "time": 1, "verdict": verdict, "error": text, "actual": None}
        self.report({"result": {**result, "input": planned["input"], "expected": planned["expected"]}})
