# What two processes have each for itself and one would have had once: working directory, environment, arguments, and
# the state of random numbers. Whoever speaks tells what has changed since.


class World:
    def __init__(self):
        self.last = self.now()

    @staticmethod
    def now():
        import os

        try:
            folder = os.getcwd()
        except OSError:
            folder = None
        environment = {name: text for name, text in os.environ.items() if name[:7] != "PYTEST_"}
        seen = {"folder": folder, "environment": environment, "arguments": [str(each) for each in sys.argv]}
        if "random" in sys.modules:
            seen["random"] = plain_state(sys.modules["random"].getstate())
        if "numpy.random" in sys.modules:
            seen["numpy"] = plain_state(sys.modules["numpy.random"].get_state())
        return seen

    def news(self):
        before, self.last = self.last, self.now()
        return {name: value for name, value in self.last.items() if before.get(name) != value}

    def take(self, news):
        import os

        if news.get("folder"):
            try:
                os.chdir(news["folder"])
            except OSError:
                pass
        if "environment" in news:
            wanted = news["environment"]
            for name in [name for name in os.environ if name not in wanted and name[:7] != "PYTEST_"]:
                del os.environ[name]
            os.environ.update(wanted)
        if "arguments" in news:
            sys.argv[:] = news["arguments"]
        if "random" in news:
            import random

            version, numbers, rest = news["random"]
            random.setstate((version, tuple(numbers), rest))
        if "numpy" in news:
            import numpy

            numpy.random.set_state(tuple(news["numpy"]))
        self.last = self.now()


def plain_state(state):
    return [each.tolist() if hasattr(each, "tolist") else list(each) if type(each) is tuple else each for each in state]
