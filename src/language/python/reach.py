# How tests reach into the program that they share a sandbox with: what they replace in a library is replaced in the
# program's process as well, a class that they put below one of the program's is made there, and what they ask
# `inspect` about the program is answered there.

# What is printed comes back by itself, and what a framework needs stays its own.
_OWN = {("sys:", "stdout"), ("sys:", "stderr"), ("sys:", "modules"), ("os:", "environ"), ("sys:", "displayhook")}
# Modules that the program has nothing to do with.
_FRAMEWORKS = {_SCRIPT, "__main__", "solution", "_pytest", "pluggy", "pytest", "pytest_asyncio", "pytest_mock", "unittest"}
_INSPECTED = (
    "signature getsource getsourcelines getdoc getcomments getfullargspec getmembers getsourcefile isfunction ismethod "
    "isroutine isabstract isgeneratorfunction iscoroutinefunction isasyncgenfunction isdatadescriptor"
).split()
# What a class's body holds that isn't a member.
_NO_MEMBERS = set(
    "__module__ __qualname__ __classcell__ __firstlineno__ __static_attributes__ __annotate__ __annotate_func__ "
    "__annotations_cache__ __annotations__ __dict__ __weakref__".split()
)


def library_path(target):
    """How the program's side finds the same module or class; nothing for what is no library's."""
    if type(target) is Solution or standing_for(target) is not None:
        return None
    path = None
    if isinstance_of(target, _MODULE_TYPE):
        path = target.__name__ + ":" if sys.modules.get(target.__name__) is target else None
    elif isinstance_of(target, type):
        path = library_name(target)
    return None if path is None or path.partition(":")[0].partition(".")[0] in _FRAMEWORKS else path


def replaced(target, name):
    """The test has put something in place of what a library has under that name."""
    path = library_path(target)
    if path is None or (path, name) in _OWN:
        return
    value = vars(target).get(name, _MISSING)
    if value is _MISSING:
        ask("replace", path, name)
    elif isinstance_of(target, type):
        ask("replace", path, name, *member_kind(value))
    else:
        ask("replace", path, name, "value", value)


def put_back(target, name):
    path = library_path(target)
    if path is not None and (path, name) not in _OWN:
        ask("put_back", path, name)


def member_kind(value):
    """How a member of a class is told to the other side."""
    if type(value) is staticmethod:
        return "static", value.__func__
    if type(value) is classmethod:
        return "class", value.__func__
    if type(value) is property:
        return "property", [value.fget, value.fset, value.fdel]
    return ("function" if type(value) is type(member_kind) else "value"), value


def hook_mock():
    from unittest import mock

    patch = mock._patch
    enter, leave = patch.__enter__, patch.__exit__

    def entered(self):
        value = enter(self)
        replaced(self.target, self.attribute)
        return value

    def left(self, *about):
        target = getattr(self, "target", None)
        result = leave(self, *about)
        put_back(target, self.attribute)
        return result

    patch.__enter__, patch.__exit__ = entered, left
    table = mock._patch_dict
    fill, empty = table._patch_dict, table._unpatch_dict

    def filled(self):
        before = dict(sys.modules)
        fill(self)
        if self.in_dict is sys.modules:
            for name in {**before, **sys.modules}:
                if before.get(name) is not sys.modules.get(name):
                    ask("replace_module", name, *([sys.modules[name]] if name in sys.modules else []))

    def emptied(self):
        before = dict(sys.modules)
        empty(self)
        if self.in_dict is sys.modules:
            for name, module in before.items():
                if sys.modules.get(name) is not module:
                    ask("replace_module", name)

    table._patch_dict, table._unpatch_dict = filled, emptied


def hook_monkeypatch():
    try:
        import pytest
    except ImportError:
        # Who runs the tests will say so.
        return

    kind = pytest.MonkeyPatch
    set_, delete, undo = kind.setattr, kind.delattr, kind.undo

    def told(function):
        def hooked(self, *args, **named):
            count = len(self._setattr)
            function(self, *args, **named)
            for target, name, _ in self._setattr[count:]:
                replaced(target, name)

        return hooked

    def undone(self):
        changed = list(self._setattr)
        undo(self)
        for target, name, _ in reversed(changed):
            put_back(target, name)

    kind.setattr, kind.delattr, kind.undo = told(set_), told(delete), undone


def hook_inspect():
    import inspect

    def hooked(name, function):
        def about(subject, *args, **named):
            if type(subject) is Solution:
                return ask("inspect", name, None, *args)
            if standing_for(subject) is not None and not isinstance_of(subject, BaseException):
                return ask("inspect", name, subject, *args)
            return function(subject, *args, **named)

        return about

    for name in _INSPECTED:
        setattr(inspect, name, hooked(name, getattr(inspect, name)))


class Finder:
    """Imports the program again after a test has forgotten it."""

    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path=None, target=None):
        if name not in self.names:
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, self)

    def create_module(self, spec):
        ask("load_again")
        _PEER[0].forget()
        return new_solution(spec.name)

    def exec_module(self, module):
        pass


def hook_imports(names):
    import importlib
    import runpy

    sys.meta_path.insert(0, Finder(names))
    again, path = importlib.reload, runpy.run_path

    def load_again(module):
        if type(module) is not Solution:
            return again(module)
        ask("load_again")
        _PEER[0].forget()
        return module

    def run_path(place, *args, **named):
        if os.path.basename(str(place)) != "solution.py":
            return path(place, *args, **named)
        return ask("run_as_main")

    importlib.reload, runpy.run_path = load_again, run_path


_BEFORE = {}


class Direct(_MODULE_TYPE):
    """A library's module; what the test itself puts into it is put there in the program's process, too."""

    def __setattr__(self, name, value):
        before = vars(self).get(name, _MISSING)
        _MODULE_TYPE.__setattr__(self, name, value)
        if sys._getframe(1).f_globals.get("__name__") != _SCRIPT:
            return
        if _BEFORE.setdefault((self.__name__, name), before) is value:
            put_back(self, name)
        else:
            replaced(self, name)


def watch_modules(wanted=()):
    """The modules that a test can name are watched from here on."""
    for name in wanted:
        try:
            __import__(name)
        except Exception:
            # The test itself will meet the reason.
            pass
    for module in list(sys.modules.values()):
        if type(module) is _MODULE_TYPE and module.__name__ != "__main__":
            module.__class__ = Direct


def reach_in(names, code):
    """Sees to it that a test reaches the program as it would in one process."""
    hook_inspect()
    hook_imports(names)
    if "mock" in code:
        hook_mock()
    if "monkeypatch" in code or "MonkeyPatch" in code:
        hook_monkeypatch()


# Classes below the program's.


class Above:
    """A member of the program's class, for `super()` in a class of the test's."""

    def __init__(self, owner, name, in_class):
        self.owner, self.name, self.in_class = owner, name, in_class

    def __get__(self, subject, owner=None):
        if subject is None:
            return ask("getattr", self.owner, self.name)
        if self.in_class:
            return ask("member_above", self.owner, subject, self.name)
        return ask("getattr", subject, self.name)


def open_up(kind):
    if vars(kind).get("_redraft_open"):
        return
    type.__setattr__(kind, "_redraft_open", True)
    for name, in_class in ask("members_of", kind):
        if name == "__init__" or (not hasattr(OpenObject, name) and name != "_redraft_open"):
            type.__setattr__(kind, name, Above(kind, name, in_class))


def class_below(meta, name, bases, body, options):
    """A class of the test's below one of the program's: made on both sides."""
    theirs = [each for each in bases if isinstance_of(each, RemoteClass)]
    for each in theirs:
        open_up(each)
    members = {}
    for base in reversed(bases):
        if not isinstance_of(base, RemoteClass):
            for kind in reversed(base.__mro__[:-1]):
                members.update(vars(kind))
    members.update(body)
    told = [[key, *member_kind(value)] for key, value in members.items() if key not in _NO_MEMBERS]
    made = ask("subclass", name, theirs, told, options)
    remote = standing_for(made)
    kind = type.__new__(meta, name, bases, {**body, "_redraft": remote})
    _PEER[0].names[remote["global"]] = kind
    return kind
