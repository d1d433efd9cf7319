# Files of a test framework: what all of them have in common. Loaded on the tests' side only when there is one.

_FILE = "tests.py"
# Methods and functions that compare their first two arguments.
_EQUALITIES = set(
    "assertEqual assertEquals assertAlmostEqual assertAlmostEquals assertListEqual assertTupleEqual assertSetEqual "
    "assertDictEqual assertSequenceEqual assertMultiLineEqual assertCountEqual assertIs assert_equal assert_allclose "
    "assert_almost_equal assert_array_equal assert_array_almost_equal assert_frame_equal assert_series_equal "
    "assert_index_equal assert_approx_equal".split()
)


class CantRun(Exception):
    """The tests can't be run, for a reason that isn't the program's."""


class SuiteScript(Script):
    """A framework's file: every assertion is watched, and works as it does without us."""

    def __init__(self, code):
        tree = ast.parse(code, _FILE)
        self.entry = self.check = self.parameter = None
        self.bound = {
            node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        }
        self.borrowed_builtins = borrowed_builtins(tree, None)
        self.plan, self.lines = [], {}
        self.classes = classes_in(tree)
        self.sources = sources_of(tree)
        self.imports = imports_of(tree)
        self.names = list(self.sources)
        body = Watcher(self).visit(tree)
        self.code = compile(ast.fix_missing_locations(body), _FILE, "exec", dont_inherit=True)


def sources_of(tree):
    """The source of each test by the name that frameworks give it, as far as the text tells."""
    found = {}
    for node in tree.body:
        if is_test(node):
            found[node.name] = source(node)
        elif isinstance(node, ast.ClassDef):
            found.update((f"{node.name}.{each.name}", source(each)) for each in node.body if is_test(each))
    return found


def is_test(node):
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test")


class Watcher(ast.NodeTransformer):
    """Notes what each assertion is about, and leaves the rest to the framework."""

    def __init__(self, script):
        self.script = script

    def visit_ClassDef(self, node):
        return names_first(self.script, self.generic_visit(node))

    def visit_Assert(self, node):
        test = node.test
        key = self.script.assertion(node, test)
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            test.left = record("value", key, 0, test.left)
            test.comparators[0] = record("value", key, 1, test.comparators[0])
        else:
            node.test = record("value", key, 2, test)
        return self.between(node, key)

    def visit_Expr(self, node):
        call = node.value
        if isinstance(call, ast.Await):
            call = call.value
        name = ""
        if isinstance(call, ast.Call):
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if not name.startswith("assert") or any(isinstance(each, ast.Starred) for each in call.args):
            return self.generic_visit(node)
        if name in _EQUALITIES and len(call.args) > 1:
            key = self.script.assertion(node, ast.Compare(call.args[0], [ast.Eq()], [call.args[1]]))
            call.args[:2] = [record("value", key, at, each) for at, each in enumerate(call.args[:2])]
        elif len(call.args) == 1:
            key = self.script.assertion(node, call.args[0] if name == "assertTrue" else call)
            call.args[0] = record("value", key, 2, call.args[0])
        else:
            key = self.script.assertion(node, call)
        return self.between(node, key)

    def between(self, node, key):
        around = [statement("open", key), node, statement("close", key)]
        for each in (inner for outer in (around[0], around[2]) for inner in ast.walk(outer)):
            ast.copy_location(each, node)
        return around


class Watch:
    """What a test is at, for the reader of its failure."""

    def __init__(self, script):
        self.script = script
        self.names = {}
        self.begin()

    def bind(self, *names):
        bind_names(self.names, names)

    def begin(self):
        self.at = None
        self.calls = []
        self.ended = None

    # Called by the tests' peer.

    def calling(self, text):
        call = Call(text)
        self.calls.append(call)
        return call

    def program_ended(self, error):
        self.ended = self.ended or error

    # Called by the test.

    def open(self, key):
        self.at = Assertion(key, self.calls)

    def value(self, key, side, value):
        at = self.at
        if at is not None and at.key == key:
            at.values[side] = value
            at.called[side] = len(at.calls) - at.before - sum(at.called.values())
        return value

    def close(self, key):
        self.at = None

    def about(self, error, stand_ins):
        """Input, expected and actual, as text."""
        made = cut("; ".join(call.text for call in self.calls[-8:]))
        if self.at is None:
            last = self.calls[-1] if self.calls else None
            actual = show(last.result, stand_ins) if error is not None and last is not None and last.returned else None
            return made, ("no exception" if error is not None else ""), actual
        planned = self.script.plan[self.at.key]
        expected, actual = planned["expected"], None
        try:
            expected, actual = sides(self.at, planned, self.at.calls[self.at.before :], stand_ins)
        except (Exception, Ended):
            pass
        return made or planned["input"], expected, actual


class TestModule(_MODULE_TYPE):
    """The tests as a module. What it holds is in the dictionary that its functions look names up in."""

    def __init__(self, name, names):
        super().__init__(name)
        _MODULE_TYPE.__setattr__(self, "_names", names)

    @property
    def __dict__(self):
        return _MODULE_TYPE.__getattribute__(self, "_names")

    def __getattr__(self, name):
        names = _MODULE_TYPE.__getattribute__(self, "_names")
        if dict.__contains__(names, name):
            return dict.__getitem__(names, name)
        raise AttributeError(f"module '{_SCRIPT}' has no attribute '{name}'")

    def __setattr__(self, name, value):
        self.__dict__[name] = value

    def __delattr__(self, name):
        try:
            del self.__dict__[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self):
        return list(self.__dict__)


class Suite:
    """One run of a framework's file."""

    def __init__(self, runner, code, skip, stop):
        self.runner = runner
        self.tests = runner.tests
        self.code = code
        self.skip = skip
        self.stop = stop
        self.keys = {}
        self.started = 0
        self.current = None
        self.errors = []
        # Which of a test's parts failed first.
        self.part = None
        self.script = self.watch = self.module = None

    # Loading.

    def load(self):
        """Runs the file, which defines the tests."""
        self.script = SuiteScript(self.code)
        self.watch = self.tests.recorder = Watch(self.script)
        self.tests.classes = self.script.classes
        names = Globals(__name__=_SCRIPT, __builtins__=builtins, __file__=_FILE)
        names.borrowed = frozenset(self.script.borrowed_builtins)
        names[_RECORD] = self.watch
        self.watch.names = names
        be_strict(self.script.imports)
        if "random" in self.code:
            __import__("random").seed(0)
        self.module = TestModule(_SCRIPT, names)
        sys.modules[_SCRIPT] = self.module
        if self.tests.beside is not None:
            watch_modules(self.script.imports)
            # Should the program take the whole sandbox with it as it is loaded, these are the tests that fail.
            self.tests.beside.before_start = lambda: self.keys or self.announce(self.script.names or [""])
        exec(self.script.code, names)

    # Telling.

    def plan(self, names):
        """What will be run, by name; the order is the framework's."""
        self.keys = {name: at for at, name in enumerate(names)}
        self.announce(names)

    def announce(self, names):
        sources = self.script.sources if self.script else {}
        source = lambda name: sources.get(name.partition("[")[0].replace("::", "."), name)
        planned = [{"line": name, "input": "", "expected": "", "assertion": source(name)} for name in names]
        self.runner.report({"plan": {"assertions": planned}})

    def begin(self, name):
        self.current = name
        self.errors, self.part = [], None
        self.watch.begin()
        self.started += 1
        self.runner.report({"begin": {"key": self.keys[name], "time": 1, "started": self.skip + self.started}})

    def leave_out(self, name, why):
        self.current = None
        self.runner.report({"skipped": {"key": self.keys[name], "why": cut(str(why))}})

    def finish(self, name, error=None, wrong=None):
        """What became of a test: the error that ended it, what is wrong otherwise, or nothing. Whether to go on."""
        self.current = None
        error = self.watch.ended or error
        verdict, text = ("passed", None)
        if error is not None:
            verdict, text = failure(error)
            text = text if self.part is None else f"{self.part} {text}"
            text = text if self.watch.ended or not line_of(error) else f"{text}\n  line {line_of(error)} of the tests"
        elif wrong is not None:
            verdict, text = "wrong_answer", cut(wrong)
        made, expected, actual = self.watch.about(error or wrong, "class" if verdict == "passed" else "show")
        result = {"key": self.keys.get(name), "time": 1, "verdict": verdict, "error": text, "actual": actual}
        self.runner.report({"result": {**result, "line": name, "input": made, "expected": expected}})
        # After the program's end its objects are gone: the next tests begin anew.
        return not self.watch.ended and not (self.stop and verdict != "passed")

    def fail_all(self, names, error):
        """No test could be run: because of the program, so each fails for that reason; or for one that isn't its."""
        verdict, text = failure(error)
        if verdict == "harness_error":
            return text
        self.plan(names or [""])
        for name in names or [""]:
            result = {"key": self.keys[name], "time": 1, "verdict": verdict, "error": text, "actual": None}
            self.runner.report({"result": {**result, "input": "", "expected": "no exception"}})
        return None


def run_suite(runner, code, form, skip, stop, modules):
    """Runs a file; a reason why that can't be done, if there is one."""
    suite = Suite(runner, code, skip, stop)
    import_as(modules)
    if suite.tests.beside is not None:
        reach_in(modules, code)
    try:
        if form == "doctest":
            return run_doctest(suite)
        # A file that runs its tests by itself shall define them first.
        unittest = __import__("unittest")
        before, unittest.main = unittest.main, lambda *args, **named: None
        try:
            suite.load()
        finally:
            unittest.main = before
        return run_unittest(suite) if form == "unittest" else run_pytest(suite)
    except BaseException as error:
        if type(error) in (loaded("unittest", "SkipTest"), loaded("_pytest.outcomes", "Skipped")):
            return f"no test was run: the file leaves itself out: {error}"
        if isinstance(error, SyntaxError) and error.filename == _FILE:
            return f"the tests aren't valid Python: {error.msg} (line {error.lineno})"
        if isinstance(error, CantRun):
            return str(error)
        if suite.started and "_redraft_trace" in vars(error):
            # What the program raised is meant to end everything, and ended that test.
            if suite.current is not None:
                suite.finish(suite.current, error)
            return None
        if suite.keys or not (isinstance(error, Ended) or trace_of(error) or line_of(error)):
            return f"the tests can't be run: {error_text(error)}"
        return suite.fail_all(suite.script.names if suite.script else [], error)
