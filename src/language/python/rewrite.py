# Rewrites a test script so that every assertion is reported on its own and a failing one doesn't end the script.

import ast

_RECORD = "__redraft__"
_BUILTIN_NAMES = {name for name in vars(builtins)}


class Script:
    """A test script, taken apart: the code to run, and what is known of its assertions before it runs."""

    def __init__(self, code, form, entry):
        tree = ast.parse(code, "tests.py")
        self.entry = entry
        self.check = "check" if form == "check" else None
        self.parameter = None
        self.self_calling = False
        if self.check:
            self.find_check(tree)
        self.bound = {
            node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        }
        self.borrowed_builtins = borrowed_builtins(tree, entry)
        self.raises = any(isinstance(node, ast.Raise) for node in ast.walk(tree))
        self.imports = imports_of(tree)
        self.classes = classes_in(tree, {name: entry for name in ("candidate", self.parameter) if name and entry})
        self.plan = []
        self.lines = {}
        body = Rewriter(self).visit(tree)
        self.code = compile(ast.fix_missing_locations(body), "tests.py", "exec", dont_inherit=True)

    def find_check(self, tree):
        found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == self.check]
        if not found:
            raise LookupError("the tests define no function `check`")
        arguments = found[-1].args.posonlyargs + found[-1].args.args
        self.parameter = arguments[0].arg if arguments else None
        if self.entry == self.check or any(is_call_of(node, self.check) for node in ast.walk(found[-1])):
            # The program has a function of that name, too, and every other use of the name means that one.
            self.check = "_redraft_check"
            found[-1].name = self.check
            for node in tree.body:
                if isinstance(node, ast.Expr) and is_call_of(node.value, "check"):
                    node.value.func.id = self.check
        rest = (node for node in tree.body if not isinstance(node, (ast.FunctionDef, ast.ClassDef)))
        self.self_calling = any(is_call_of(node, self.check) for item in rest for node in ast.walk(item))

    def assertion(self, node, test):
        """Notes an assertion in the plan and gives its number."""
        line = node.lineno
        self.lines[line] = self.lines.get(line, 0) + 1
        name = str(line) if self.lines[line] == 1 else f"{line}.{self.lines[line]}"
        subject = {name for name in (self.entry, self.parameter, "candidate") if name}
        equal = isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)
        normal = Renamed(subject, "candidate").visit(copy_of(test))
        shown = Renamed(subject if self.entry else (), self.entry).visit(copy_of(test))
        if equal:
            for each in (normal, shown):
                if not calls_program(each.left, self) and calls_program(each.comparators[0], self):
                    each.left, each.comparators[0] = each.comparators[0], each.left
        self.plan.append(
            {
                "line": name,
                "input": source(shown.left if equal else shown),
                "expected": source(shown.comparators[0] if equal else shown),
                "equal": equal,
                "assertion": source(normal),
                "constant": not any(isinstance(each, (ast.Name, ast.Call)) for each in ast.walk(test)),
            }
        )
        return len(self.plan) - 1


def imports_of(tree):
    """The modules that a script imports, by name."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
    return sorted(found)


def looks_like_a_class(name):
    """By the usual way of writing; one that the test makes below the program's has a number behind its name."""
    return name.lstrip("_")[:1].isupper() or " " in name


def classes_in(tree, other_names=()):
    """The names whose objects a test asks for attributes: those are used as classes, however they are written."""
    other_names = dict(other_names)
    found, made = set(), {}

    def called(node):
        node = node.func if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Attribute):
            return node.attr
        return other_names.get(node.id, node.id) if isinstance(node, ast.Name) else None

    def behind(node):
        """The names that the object comes of whose attribute is asked for."""
        if isinstance(node, ast.Call) and called(node):
            found.add(called(node))
        elif isinstance(node, ast.Name):
            found.add(made.get(node.id, other_names.get(node.id, node.id)))
        elif isinstance(node, ast.BinOp):
            behind(node.left), behind(node.right)
        elif isinstance(node, ast.UnaryOp):
            behind(node.operand)

    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and called(node.value):
            made.update((target.id, called(node.value)) for target in node.targets if isinstance(target, ast.Name))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            behind(node.value)
        elif called(node) in ("isinstance", "issubclass"):
            found.update(each.id for each in node.args[1:] if isinstance(each, ast.Name))
    return frozenset(found)


def copy_of(tree):
    return ast.parse(source(tree), mode="eval").body


def source(tree):
    return ast.unparse(tree)


def is_call_of(node, name):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def calls_program(tree, script):
    """Whether a call that the test doesn't answer itself is below `tree`."""
    names = (node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name))
    own = script.bound | (_BUILTIN_NAMES - script.borrowed_builtins)
    return any(name not in own for name in names)


def borrowed_builtins(tree, entry):
    """Names of builtins that mean the program's function: the entry's; or, without one, if nothing else can be meant."""
    if entry:
        return {entry} & _BUILTIN_NAMES
    imported = imports_of(tree)
    if "solution" in imported:
        # Then it says itself which names are the program's.
        return set()
    loads, stores, called = set(), set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (loads if isinstance(node.ctx, ast.Load) else stores).add(node.id)
        elif isinstance(node, ast.arg):
            stores.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            stores.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            stores.update((name.asname or name.name).partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            stores.add(node.name)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called.add(node.func.id)
    foreign = loads - stores - _BUILTIN_NAMES
    return set() if foreign else (called - stores) & _BUILTIN_NAMES


class Renamed(ast.NodeTransformer):
    """A copy with some names made one."""

    def __init__(self, names, name):
        self.names = names
        self.name = name

    def visit_Name(self, node):
        return ast.copy_location(ast.Name(self.name, node.ctx), node) if node.id in self.names else node


class Rewriter(ast.NodeTransformer):
    """Puts the recorder around every assertion."""

    def __init__(self, script):
        self.script = script
        # Inside `try` an assertion has to raise, for its handlers to see it.
        self.must_raise = False
        self.impossible = []

    def inside(self, must_raise, nodes):
        before, self.must_raise = self.must_raise, must_raise
        result = []
        for node in nodes:
            visited = self.visit(node)
            result.extend(visited if isinstance(visited, list) else [visited])
        self.must_raise = before
        return result

    def visit_FunctionDef(self, node):
        node.body = self.inside(False, node.body)
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node):
        return names_first(self.script, self.visit_FunctionDef(node))

    def visit_Try(self, node):
        before, self.impossible = self.impossible, []
        first = len(self.script.plan)
        node.body = self.inside(self.must_raise or bool(node.handlers), node.body)
        end = len(self.script.plan)
        node.orelse = self.inside(self.must_raise, node.orelse)
        impossible, self.impossible = self.impossible, before
        for handler in node.handlers:
            keys = ast.List([ast.Constant(key) for key in impossible], ast.Load())
            caught = ast.copy_location(statement("caught", first, end, keys), handler)
            handler.body = [caught, *self.inside(self.must_raise, handler.body)]
        node.finalbody = self.inside(self.must_raise, node.finalbody)
        return node

    visit_TryStar = visit_Try

    def visit_With(self, node):
        swallows = any(
            getattr(each, "attr", getattr(each, "id", "")) in ("raises", "assertRaises", "suppress")
            for item in node.items
            for each in ast.walk(item.context_expr)
        )
        first = len(self.script.plan)
        node.body = self.inside(self.must_raise or swallows, node.body)
        if not swallows:
            return node
        caught = statement("caught", first, len(self.script.plan), ast.List([], ast.Load()))
        return [node, ast.copy_location(caught, node)]

    visit_AsyncWith = visit_With

    def visit_Assert(self, node):
        test = node.test
        key = self.script.assertion(node, test)
        if isinstance(test, ast.Constant) and not test.value:
            self.impossible.append(key)
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            test.left = record("value", key, 0, test.left)
            test.comparators[0] = record("value", key, 1, test.comparators[0])
        else:
            test = record("value", key, 2, test)
        verdict = record("judge", key, test)
        if node.msg is not None:
            verdict = ast.BoolOp(ast.Or(), [verdict, record("message", key, node.msg)])
        return self.guarded(node, key, [ast.Expr(verdict)])

    def visit_Expr(self, node):
        """A call of a library's `assert_…` is an assertion, too."""
        call = node.value
        name = ""
        if isinstance(call, ast.Call):
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if not name.startswith("assert") or name in self.script.bound:
            return node
        key = self.script.assertion(node, call)
        return self.guarded(node, key, [node, ast.Expr(record("judge", key, ast.Constant(True)))])

    def guarded(self, node, key, body):
        if self.must_raise:
            body = [*body, statement("insist", ast.Constant(key))]
        else:
            handler = ast.ExceptHandler(None, None, [statement("raised", ast.Constant(key))])
            body = [ast.Try(body, [handler], [], [])]
        result = ast.If(record("begin", key), body, [])
        for each in ast.walk(result):
            if not hasattr(each, "lineno"):
                ast.copy_location(each, node)
        return result


def names_first(script, node):
    """A class with those of the program's names before it that its body looks up: there, Python itself looks no further
    than a plain dictionary."""
    loads, stores = set(), set(script.bound) | _BUILTIN_NAMES

    def look(tree):
        for each in ast.iter_child_nodes(tree):
            if isinstance(each, ast.Name):
                (loads if isinstance(each.ctx, ast.Load) else stores).add(each.id)
            if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                stores.add(each.name)
            if not isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                look(each)

    look(node)
    free = sorted(loads - stores - {_RECORD})
    if not free:
        return node
    before = statement("bind", *free)
    for each in ast.walk(before):
        ast.copy_location(each, node)
    return [before, node]


def record(method, *arguments):
    """A call of the recorder."""
    target = ast.Attribute(ast.Name(_RECORD, ast.Load()), method, ast.Load())
    arguments = [each if isinstance(each, ast.AST) else ast.Constant(each) for each in arguments]
    return ast.Call(target, arguments, [])


def statement(method, *arguments):
    return ast.Expr(record(method, *arguments))
