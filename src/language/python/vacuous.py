# Comparisons of libraries that hold of nothing at all: an empty array is close to every number, because each of its
# elements is. Here it is close to nothing but another one.

_NUMPY = "allclose array_equiv"
_NUMPY_TESTING = (
    "assert_allclose assert_almost_equal assert_approx_equal assert_array_almost_equal assert_array_almost_equal_nulp "
    "assert_array_equal assert_array_less assert_array_max_ulp assert_equal"
)
_STRICT = set()


def be_strict(modules):
    """For the libraries that a test imports."""
    wanted = {name.partition(".")[0] for name in modules}
    for name in sorted(wanted & {"numpy", "pandas", "pytest"} - _STRICT):
        try:
            __import__(name)
        except ImportError:
            # The test itself will meet the reason.
            continue
        _STRICT.add(name)
        strict_pytest() if name == "pytest" else strict_numpy()


def strict_numpy():
    if "numpy.testing" in _STRICT:
        return
    _STRICT.add("numpy.testing")
    import numpy
    import numpy.testing

    def wrapped(function, refuse):
        def strict(actual, desired, *args, **named):
            if is_vacuous(actual, desired):
                return refuse(actual, desired)
            return function(actual, desired, *args, **named)

        strict.__name__ = function.__name__
        return strict

    def deny(actual, desired):
        return False

    def fail(actual, desired):
        raise AssertionError(f"nothing is compared: {actual!r} and {desired!r}")

    for name in _NUMPY.split():
        setattr(numpy, name, wrapped(getattr(numpy, name), deny))
    for name in _NUMPY_TESTING.split():
        setattr(numpy.testing, name, wrapped(getattr(numpy.testing, name), fail))


def size_of(value):
    """How many numbers there are in it; nothing where that can't be told."""
    import numpy

    if value is None or isinstance(value, (int, float, complex, str, bytes, dict)):
        return None
    try:
        return numpy.size(value)
    except Exception:
        return None


def is_vacuous(actual, desired):
    """Whether one of the two holds nothing and the other something."""
    sizes = size_of(actual), size_of(desired)
    return 0 in sizes and sizes != (0, 0)


def strict_pytest():
    import pytest

    kind = type(pytest.approx(1.0))
    inner = kind.__eq__

    def __eq__(self, actual):
        result = inner(self, actual)
        return result and not (not isinstance(actual, (int, float, complex)) and size_of_array(actual) == 0)

    kind.__eq__ = __eq__


def size_of_array(value):
    return size_of(value) if "numpy" in sys.modules else None
