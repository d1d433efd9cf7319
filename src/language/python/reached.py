# What tests may do to a program that they share a sandbox with: replace names in it and in the libraries that it uses,
# put classes below its own, look at its source. Only loaded for such tests.

_REPLACED = {}
_NOTHING = object()


def library_object(path):
    """A module of a library, or something in it, by `module:name`."""
    module, _, name = path.partition(":")
    __import__(module)
    value = sys.modules[module]
    for part in name.split(".") if name else ():
        value = getattr(value, part)
    return value


def replace(program, path, name, *member):
    """Puts something in place of what a library has under that name, or takes that away."""
    target = library_object(path)
    if (path, name) not in _REPLACED:
        _REPLACED[path, name] = vars(target).get(name, _NOTHING)
    if member:
        setattr(target, name, member_of(*member))
    else:
        delattr(target, name)


def put_back(program, path, name):
    target, before = library_object(path), _REPLACED.pop((path, name), _MISSING)
    if before is _NOTHING:
        delattr(target, name)
    elif before is not _MISSING:
        setattr(target, name, before)


def replace_module(program, name, *value):
    if value:
        sys.modules[name] = value[0]
    else:
        sys.modules.pop(name, None)


def bound(program, name):
    """The thing itself, not what has its name later."""
    return Global(Peer.describe(program, program.find(name)))


def set_global(program, name, value):
    _REPLACED.setdefault(name, program.namespace.get(name, _NOTHING))
    program.namespace[name] = value


def delete_global(program, name):
    """What a test has replaced is there again once it takes that away."""
    before = _REPLACED.pop(name, _MISSING)
    if before is _MISSING:
        if name not in program.namespace:
            raise AttributeError(name)
        _REPLACED[name] = program.namespace.pop(name)
    elif before is _NOTHING:
        program.namespace.pop(name, None)
    else:
        program.namespace[name] = before


def fill_global(program, name, value):
    """Makes a container of the program's hold the same as the test's copy of it."""
    target = program.namespace.get(name)
    if type(target) is not type(value):
        program.namespace[name] = value
    elif isinstance(value, (list, bytearray)):
        target[:] = value
    else:
        target.clear()
        target.update(value)


def read_globals(program, names):
    return [program.namespace.get(name) for name in names]


def load_again(program):
    program.load()


def run_as_main(program):
    """Runs the file as `python solution.py` would, in this process."""
    import runpy

    found = runpy.run_path(program.file, run_name="__main__")
    return {name: value for name, value in found.items() if name[:2] != "__" and atom(value) is not _MISSING}


# What tests replace in the program's own classes.


def set_attribute(program, target, name, value):
    if not isinstance_of(target, type):
        setattr(target, name, value)
        return
    _REPLACED.setdefault((target, name), vars(target).get(name, _NOTHING))
    setattr(target, name, function_for(value) if type(value) is RemoteFunction else value)


def delete_attribute(program, target, name):
    """What a test has replaced is there again once it takes that away."""
    if not isinstance_of(target, type):
        delattr(target, name)
        return
    before = _REPLACED.pop((target, name), _MISSING)
    if before is _MISSING:
        _REPLACED[target, name] = vars(target).get(name, _NOTHING)
        delattr(target, name)
    elif before is _NOTHING:
        delattr(target, name)
    else:
        setattr(target, name, before)


# Classes that a test puts below the program's.


def subclass(program, name, bases, members, options):
    import types

    def fill(namespace):
        namespace["__module__"] = _NAME
        for member, kind, value in members:
            namespace[member] = member_of(kind, value)

    made = types.new_class(name, tuple(bases), options, fill)
    key = f"{name} {len(program.subclasses) + 1}"
    program.subclasses[key] = made
    program.named[made] = key
    return Global(program.by_name(key, made))


def member_of(kind, value):
    """A member of a class as the other side told it."""
    if kind == "function":
        return function_for(value)
    if kind == "static":
        return staticmethod(function_for(value))
    if kind == "class":
        return classmethod(function_for(value))
    if kind == "property":
        return property(*(each and function_for(each) for each in value))
    return value


def function_for(stand_in):
    """A real function, so that it becomes a method."""

    def method(*args, **named):
        return stand_in(*args, **named)

    method.__name__ = method.__qualname__ = StandIn._redraft.__get__(stand_in).get("name", "method")
    return method


def members_of(program, kind):
    """The names that a class has, each with whether it is to be looked up in the class or in the object."""
    found = []
    for name in dir(kind):
        value = next((vars(each)[name] for each in kind.__mro__ if name in vars(each)), None)
        found.append([name, hasattr(type(value), "__get__")])
    return found


def member_above(program, kind, subject, name):
    """What `super()` finds."""
    for each in kind.__mro__:
        if name in vars(each):
            value = vars(each)[name]
            get = getattr(type(value), "__get__", None)
            return value if get is None else get(value, subject, type(subject))
    raise AttributeError(f"'super' object has no attribute '{name}'")


MORE_OPERATIONS = {
    "replace": replace,
    "put_back": put_back,
    "replace_module": replace_module,
    "bound": bound,
    "setattr": set_attribute,
    "delattr": delete_attribute,
    "set_global": set_global,
    "delete_global": delete_global,
    "fill_global": fill_global,
    "read_globals": read_globals,
    "load_again": load_again,
    "run_as_main": run_as_main,
    "subclass": subclass,
    "members_of": members_of,
    "member_above": member_above,
}
