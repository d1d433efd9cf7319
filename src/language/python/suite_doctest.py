# Text with examples. Every example with an expected output is a test of its own; the others must only not fail.


def run_doctest(suite):
    import doctest

    try:
        examples = doctest.DocTestParser().get_examples(suite.code, _FILE)
    except ValueError as error:
        raise CantRun(f"the examples can't be read: {error}") from None
    tests = [example for example in examples if example.want]
    if not tests:
        raise CantRun("the tests hold no example with an expected output")
    suite.script = DoctestScript(examples)
    suite.watch = suite.tests.recorder = Watch(suite.script)
    suite.tests.classes = suite.script.classes
    be_strict(suite.script.imports)
    names = {id(example): str(example.lineno + 1) for example in examples}
    suite.plan([names[id(example)] for example in tests])
    scope = Globals(__name__=_SCRIPT, __builtins__=builtins)
    scope.borrowed = frozenset()
    sys.modules[_SCRIPT] = TestModule(_SCRIPT, scope)
    seen = 0
    for example in examples:
        name = names[id(example)]
        counted = bool(example.want)
        seen += counted
        options = {option for option, on in example.options.items() if on}
        if doctest.SKIP in options:
            if counted and seen > suite.skip:
                suite.begin(name)
                suite.leave_out(name, "marked SKIP")
            continue
        if counted and seen > suite.skip:
            suite.begin(name)
        shown, error = carry_out(example, scope, name)
        if counted and seen <= suite.skip:
            continue
        wrong = differs(example, options, shown, error)
        if not counted and wrong is None:
            continue
        if not counted:
            suite.keys[name] = None
        if not tell(suite, example, name, shown, error, wrong):
            return None
    return None


class DoctestScript:
    def __init__(self, examples):
        self.plan, self.sources, self.names = [], {}, []
        try:
            tree = ast.parse("".join(example.source for example in examples))
        except SyntaxError:
            # The example itself will show it.
            tree = ast.Module([], [])
        self.imports, self.classes = imports_of(tree), classes_in(tree)


def carry_out(example, scope, name):
    """What the example printed and what it raised."""
    import io

    said, before = io.StringIO(), (sys.stdout, sys.displayhook)
    sys.stdout = said
    sys.displayhook = display
    try:
        exec(compile(example.source, f"<example at line {name}>", "single", dont_inherit=True), scope)
    except BaseException as error:
        return said.getvalue(), error
    finally:
        sys.stdout, sys.displayhook = before
    return said.getvalue(), None


def display(value):
    if value is not None:
        builtins._ = None
        print(repr(value))
        builtins._ = value


def differs(example, options, shown, error):
    """What is wrong with it, if anything is."""
    import doctest

    flags = 0
    for option in options:
        flags |= option
    if isinstance(error, Ended):
        return error
    check = doctest.OutputChecker().check_output
    if error is None:
        if example.exc_msg is not None or not check(example.want, shown, flags):
            return "another output"
        return None
    if example.exc_msg is None:
        return error
    for text in raised_as(error):
        if check(example.exc_msg, text, flags):
            return None
        if doctest.IGNORE_EXCEPTION_DETAIL in options and detail_less(example.exc_msg) == detail_less(text):
            return None
    return "another exception"


def raised_as(error):
    """How a traceback ends: the class with and without its module."""
    import traceback

    lines = "".join(traceback.format_exception_only(type(error), error))
    name = type(error).__name__
    _, _, rest = lines.partition(name)
    return [lines, name + rest]


def detail_less(text):
    return text.partition("\n")[0].partition(":")[0].strip().rpartition(".")[2]


def tell(suite, example, name, shown, error, wrong):
    verdict, text = "passed", None
    if isinstance(wrong, BaseException):
        verdict, text = failure(wrong)
    elif wrong is not None:
        verdict = "wrong_answer"
    actual = shown if error is None or isinstance(error, Ended) else shown + raised_as(error)[-1]
    expected = example.want if example.exc_msg is None else example.exc_msg
    key = suite.keys[name]
    result = {"key": key, "time": 1, "line": name, "verdict": verdict, "error": text}
    about = {"input": cut(example.source.rstrip("\n")), "expected": cut(expected), "actual": cut(actual)}
    suite.runner.report({"result": {**result, **about}})
    return not isinstance(error, Ended) and not (suite.stop and verdict != "passed")
