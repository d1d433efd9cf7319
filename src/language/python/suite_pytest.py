# Running a file of pytest's, with our own record of what becomes of each test. pytest itself is only here.


def run_pytest(suite):
    try:
        import pytest
    except ImportError:
        raise CantRun("the tests need pytest, which the interpreter lacks: install the package `pytest`") from None
    import io
    import tempfile

    be_strict(["pytest"])

    # pytest wants a path; the tests themselves are in no file.
    folder = tempfile.mkdtemp()
    path = f"{folder}/{_FILE}"
    open(path, "w").close()
    plugin = plugin_of(suite, pytest)
    options = ["-c", "/dev/null", "--rootdir", folder, "--noconftest", "--assert=plain", "--capture=sys", "-q", "--tb=no"]
    said, before = io.StringIO(), (sys.stdout, sys.stderr)
    sys.stdout = sys.stderr = said
    try:
        status = pytest.main([*options, "-p", "no:cacheprovider", path], plugins=[plugin])
    finally:
        sys.stdout, sys.stderr = before
    if plugin.problem is not None:
        raise plugin.problem
    if not plugin.collected:
        raise CantRun(f"pytest ended with status {int(status)}: {cut(said.getvalue().strip())}")
    return None


def plugin_of(suite, pytest):
    class MemoryModule(pytest.Module):
        """The file, which has been run already."""

        def _getobj(self):
            return suite.module

    class Plugin:
        def __init__(self):
            self.problem = None
            self.collected = False
            self.error = self.wrong = self.skip_reason = None
            self.passed = False

        @pytest.hookimpl(tryfirst=True)
        def pytest_pycollect_makemodule(self, module_path, parent):
            return MemoryModule.from_parent(parent, path=module_path)

        @pytest.hookimpl(tryfirst=True)
        def pytest_pycollect_makeitem(self, collector, name, obj):
            # What the program calls a test is none.
            return [] if standing_for(obj) is not None else None

        def pytest_exception_interact(self, node, call, report):
            if isinstance(report, pytest.CollectReport) and self.problem is None:
                self.problem = call.excinfo.value

        def pytest_collectreport(self, report):
            if report.failed and self.problem is None:
                self.problem = CantRun(f"pytest can't collect the tests: {report.longrepr}")

        @pytest.hookimpl(trylast=True)
        def pytest_collection_modifyitems(self, session, items):
            names = [self.name(item) for item in items]
            if self.problem is not None:
                return
            if not items:
                why = "pytest finds functions whose names begin with `test`, and such methods of classes named `Test…`"
                self.problem = CantRun(f"the tests hold no test: {why}")
                return
            suite.plan(names)
            self.collected = True
            items[:] = items[suite.skip :]

        @staticmethod
        def name(item):
            return item.nodeid.partition("::")[2]

        @pytest.hookimpl(wrapper=True, tryfirst=True)
        def pytest_runtest_protocol(self, item, nextitem):
            name = self.name(item)
            self.error = self.wrong = self.skip_reason = None
            self.passed = False
            suite.begin(name)
            result = yield
            go_on = True
            if self.error is not None or suite.watch.ended:
                go_on = suite.finish(name, self.error)
            elif self.wrong is not None:
                go_on = suite.finish(name, wrong=self.wrong)
            elif self.skip_reason is not None:
                suite.leave_out(name, self.skip_reason)
            elif self.passed:
                go_on = suite.finish(name)
            else:
                go_on = suite.finish(name, wrong="it was not run to its end")
            if not go_on:
                item.session.shouldstop = "enough is known"
            return result

        @pytest.hookimpl(wrapper=True, tryfirst=True)
        def pytest_runtest_makereport(self, item, call):
            report = yield
            expected = hasattr(report, "wasxfail")
            if report.failed:
                if call.excinfo is not None and self.error is None:
                    self.error = call.excinfo.value
                elif call.excinfo is None:
                    self.wrong = "it passed, and was expected to fail"
            elif report.skipped:
                self.skip_reason = f"it failed, as expected: {report.wasxfail}" if expected else reason_of(report)
            elif call.when == "call":
                self.passed = True
            return report

        @pytest.hookimpl(tryfirst=True)
        def pytest_pyfunc_call(self, pyfuncitem):
            """A test that is a coroutine needs nobody's help to be run."""
            import inspect

            if not inspect.iscoroutinefunction(pyfuncitem.obj):
                return None
            import asyncio

            arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
            asyncio.run(pyfuncitem.obj(**arguments))
            return True

        def pytest_internalerror(self, excrepr, excinfo):
            if self.problem is None:
                error = excinfo.value
                self.problem = error if isinstance(error, Ended) else CantRun(f"pytest failed: {error_text(error)}")

    return Plugin()


def reason_of(report):
    where = report.longrepr
    return where[2] if isinstance(where, tuple) and len(where) == 3 else str(where)
