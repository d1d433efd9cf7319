# Data frames, series and what they hold, as data: each column on its own, with its kind, so that both sides have the
# same frame. One that a call changes in place changes for its owner, too.


_EXTENSIONS = ("string", "str", "Int", "UInt", "Float", "boolean", "datetime64", "category")


class NoParts(Exception):
    """What has a kind of which we know nothing, and stays where it is."""


def frame_parts(value, kind):
    """As `parts`, for pandas' own classes; what is below them stays where it is."""
    try:
        return known_parts(value, kind, sys.modules["pandas"])
    except NoParts:
        return None


def known_parts(value, kind, pandas):
    if value is pandas.NA or value is pandas.NaT:
        return "pandas", False, (), {"kind": "na" if value is pandas.NA else "nat"}
    if kind is pandas.Timestamp:
        zone = None if value.tz is None else str(value.tz)
        return "pandas", False, (value.value, value.unit if hasattr(value, "unit") else "ns", zone), {"kind": "stamp"}
    if kind is pandas.Timedelta:
        return "pandas", False, (value.value,), {"kind": "delta"}
    if kind is pandas.DataFrame:
        columns = tuple(column_parts(value.iloc[:, at]) for at in range(value.shape[1]))
        return "pandas", False, (index_parts(value.columns), index_parts(value.index), columns), {"kind": "frame"}
    if kind is pandas.Series:
        return "pandas", False, (column_parts(value), index_parts(value.index), value.name), {"kind": "series"}
    if isinstance_of(value, pandas.Index):
        return "pandas", False, (index_parts(value),), {"kind": "index"}
    return None


def column_parts(values):
    pandas, numpy = sys.modules["pandas"], sys.modules["numpy"]
    dtype = values.dtype
    if isinstance(dtype, numpy.dtype):
        if dtype.kind in "biufcmM":
            return "array", numpy.array(values.to_numpy()), None
        return "object", tuple(values.tolist()), None
    if not str(dtype).startswith(_EXTENSIONS):
        raise NoParts
    plain = tuple(None if each is pandas.NA or each is pandas.NaT or each != each else each for each in values.tolist())
    if isinstance(dtype, pandas.CategoricalDtype):
        return "category", plain, (tuple(dtype.categories.tolist()), bool(dtype.ordered))
    return "extension", plain, str(dtype)


def index_parts(index):
    pandas = sys.modules["pandas"]
    if type(index) is pandas.RangeIndex:
        return "range", (index.start, index.stop, index.step), index.name
    if isinstance_of(index, pandas.MultiIndex):
        return "multi", tuple(index.tolist()), tuple(index.names)
    frequency = getattr(index, "freqstr", None) if type(index) is pandas.DatetimeIndex else None
    return "plain", (*column_parts(index), frequency), index.name


def build_frame(kind, parts):
    import pandas

    if kind in ("na", "nat"):
        return pandas.NA if kind == "na" else pandas.NaT
    if kind == "stamp":
        number, unit, zone = parts
        moment = pandas.Timestamp(number, unit="ns", tz=zone)
        return moment.as_unit(unit) if hasattr(moment, "as_unit") else moment
    if kind == "delta":
        return pandas.Timedelta(parts[0], unit="ns")
    if kind == "index":
        return build_index(pandas, parts[0])
    if kind == "series":
        column, index, name = parts
        return pandas.Series(build_column(pandas, column), index=build_index(pandas, index), name=name)
    if kind != "frame":
        raise Broken(f"an unknown kind of pandas': {kind}")
    labels, index, columns = parts
    built = {at: build_column(pandas, column) for at, column in enumerate(columns)}
    frame = pandas.DataFrame(built, index=build_index(pandas, index))
    frame.columns = build_index(pandas, labels)
    return frame


def build_column(pandas, column):
    kind, values, about = column
    if kind == "array":
        return values
    if kind == "object":
        import numpy

        array = numpy.empty(len(values), dtype=object)
        array[:] = list(values)
        return array
    if kind == "category":
        return pandas.Categorical(list(values), categories=list(about[0]), ordered=about[1])
    return pandas.array(list(values), dtype=about)


def build_index(pandas, index):
    kind, values, name = index
    if kind == "range":
        return pandas.RangeIndex(*values, name=name)
    if kind == "multi":
        return pandas.MultiIndex.from_tuples(list(values), names=list(name))
    *column, frequency = values
    built = pandas.Index(build_column(pandas, column), name=name)
    if frequency is not None:
        built = pandas.DatetimeIndex(built, freq=frequency, name=name)
    return built


def refresh_frame(target, value):
    """Makes a frame of ours what the other side has made of it."""
    if type(target) is not type(value) or not hasattr(target, "_update_inplace"):
        return
    same = target.shape == value.shape and target.index.equals(value.index) and target.equals(value)
    if not same or (hasattr(target, "columns") and not target.columns.equals(value.columns)):
        target._update_inplace(value)
