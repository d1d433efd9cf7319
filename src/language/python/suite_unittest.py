# Running a file of `unittest`'s, with our own record of what becomes of each test.


def short_name(test):
    return str(test.id()).removeprefix(_SCRIPT + ".")


def flat(suite):
    """The tests of a suite, whatever it is nested in."""
    stack, found = [suite], []
    while stack:
        item = stack.pop()
        if hasattr(item, "__iter__"):
            stack.extend(reversed(list(item)))
        else:
            found.append(item)
    return found


def run_unittest(suite):
    import unittest

    loader = unittest.TestLoader()
    found = flat(loader.loadTestsFromModule(suite.module))
    if loader.errors:
        raise CantRun(f"the tests can't be loaded: {loader.errors[0].strip().splitlines()[-1]}")
    if not found:
        raise CantRun("the tests hold no test method: unittest finds those whose names begin with `test`")
    names = [short_name(test) for test in found]
    suite.plan(names)
    unittest.TestSuite(found[suite.skip :]).run(results_of(suite, names[suite.skip :]))
    return None


def results_of(suite, names):
    import unittest

    class Results(unittest.TestResult):
        """Our own record. What a fixture of a class or of the file raised counts for every test that it kept from running."""

        def __init__(self):
            super().__init__()
            self.left = list(names)
            self.skip_reason = self.succeeded = self.unexpected = None

        def startTest(self, test):
            super().startTest(test)
            self.left.remove(short_name(test))
            self.skip_reason = self.succeeded = self.unexpected = None
            suite.begin(short_name(test))

        def stopTest(self, test):
            super().stopTest(test)
            name = short_name(test)
            go_on = True
            ending = sys.exc_info()[1]
            if ending is not None and not suite.errors:
                # What the framework lets through: it is meant to end everything.
                suite.errors.append(ending)
            if suite.errors or suite.watch.ended:
                go_on = suite.finish(name, suite.errors[0] if suite.errors else None)
            elif self.unexpected:
                go_on = suite.finish(name, wrong="it passed, and was expected to fail")
            elif self.skip_reason is not None:
                suite.leave_out(name, self.skip_reason)
            elif self.succeeded:
                go_on = suite.finish(name)
            else:
                go_on = suite.finish(name, wrong="it was not run to its end")
            suite.current = None
            if not go_on:
                self.stop()

        def addSuccess(self, test):
            self.succeeded = True

        def addError(self, test, err):
            if suite.current is not None:
                suite.errors.append(err[1])
                return
            for name in self.concerned(test):
                suite.begin(name)
                suite.finish(name, err[1])
                self.left.remove(name)
                suite.current = None
            if suite.watch.ended:
                self.stop()

        addFailure = addError

        def addSubTest(self, test, subtest, err):
            if err is not None:
                suite.errors.append(err[1])
                suite.part = suite.part or subtest._subDescription()

        def addSkip(self, test, reason):
            if suite.current is not None:
                self.skip_reason = str(reason)
                return
            for name in self.concerned(test):
                suite.begin(name)
                suite.leave_out(name, reason)
                self.left.remove(name)
                suite.current = None

        def addExpectedFailure(self, test, err):
            self.skip_reason = "it failed, as expected"

        def addUnexpectedSuccess(self, test):
            self.unexpected = True

        def concerned(self, holder):
            """The tests that a fixture was for: those of its class, or all that are left."""
            _, _, owner = str(holder).partition("(")
            owner = owner.rstrip(")").removeprefix(_SCRIPT).removeprefix(".")
            if str(holder).startswith("tearDown"):
                return []
            return [name for name in self.left if not owner or name.startswith(owner + ".")]

    return Results()
