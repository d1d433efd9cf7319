# Runs a file as `python FILE` does, in a namespace that has the common imports already.

import sys


def _run(sys, supply):
    from os import path

    del sys.argv[0]
    file = path.abspath(sys.argv[0])
    sys.path[0] = path.dirname(file)
    with open(file, "rb") as source:
        text = source.read()
    namespace = vars(sys.modules["__main__"])
    for name in [name for name in namespace if not name.startswith("__")]:
        del namespace[name]
    supply(namespace)
    namespace["__file__"] = file
    exec(compile(text, file, "exec", dont_inherit=True), namespace)


_run(sys, supply_common_imports)
