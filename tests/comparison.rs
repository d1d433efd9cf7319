//! What equals what: every rule of docs/comparison.md, for calls, assertions and outputs.

mod judged;

use std::sync::LazyLock;

use judged::{has, judge, limits, passes, script};
use redraft::judge::Judge;
use redraft::task::{Compare, Program, Test, TestKind, Verdict};
use serde_json::{Value, json};

static JUDGE: LazyLock<Judge> = LazyLock::new(judge);
const NEAR: Compare = Compare::Float { abs: 1e-6, rel: 0.0 };

/// The verdict of one call, `f()`, of a function that returns `returned`.
fn call(returned: &str, expected: &Value, compare: Compare) -> Verdict {
    let program = format!(
        "import collections, dataclasses, datetime, decimal, enum, fractions, math\n\
         Point = collections.namedtuple('Point', 'x y')\n\
         @dataclasses.dataclass\nclass Data:\n    x: int = 1\n\
         class Level(enum.IntEnum):\n    LOW = 1\nclass Color(enum.Enum):\n    RED = 1\n\
         class Text(str):\n    pass\n\
         def f():\n    return {returned}\n"
    );
    let kind = TestKind::Call {
        entry: "f".to_owned(),
        args: Vec::new(),
        expected: expected.clone(),
        compare,
    };
    let test = Test {
        name: "t".to_owned(),
        kind,
    };
    JUDGE.test(&Program::python(program), &[test], &limits()).verdict
}

/// Each returned value with what it is compared to and whether that is right.
fn calls(compare: Compare, cases: &[(&str, Value, bool)]) {
    for (returned, expected, right) in cases {
        let verdict = call(returned, expected, compare);
        assert!(verdict != Verdict::HarnessError, "{returned} and {expected}");
        assert_eq!(
            verdict.passed(),
            *right,
            "{returned} and {expected} ({compare:?})"
        );
    }
}

#[test]
fn values_are_equal_as_python_says() {
    calls(
        Compare::Trim,
        &[
            ("True", json!(true), true),
            ("1", json!(true), true),
            ("1.0", json!(1), true),
            ("'1'", json!(1), false),
            ("None", json!(false), false),
            ("-0.0", json!(0), true),
            ("math.nan", json!(1.5), false),
            ("0.1 + 0.2", json!(0.3), false),
            (
                "10 ** 30",
                json!({"$int": "1000000000000000000000000000000"}),
                true,
            ),
            (
                "10 ** 30 + 1",
                json!({"$int": "1000000000000000000000000000000"}),
                false,
            ),
            ("(1, 2)", json!([1, 2]), true),
            ("Point(1, 2)", json!([1, 2]), true),
            ("[1, (2, [3])]", json!([1, [2, [3]]]), true),
            ("{1, 2}", json!([1, 2]), false),
            ("iter([1])", json!([1]), false),
            ("{1: 'a', None: 2}", json!({"1": "a", "null": 2}), true),
            ("collections.Counter('aab')", json!({"a": 2, "b": 1}), true),
            ("collections.OrderedDict(b=1, a=2)", json!({"a": 2, "b": 1}), true),
            ("collections.defaultdict(int, a=1)", json!({"a": 1}), true),
            ("collections.deque([1, 2])", json!([1, 2]), false),
            ("decimal.Decimal('1.50')", json!(1.5), true),
            ("fractions.Fraction(3, 2)", json!(1.5), true),
            ("datetime.date(2024, 1, 2)", json!("2024-01-02"), false),
            ("Level.LOW", json!(1), true),
            ("Color.RED", json!(1), false),
            ("Data()", json!({"x": 1}), false),
            ("Text('a')", json!("a"), true),
        ],
    );
}

#[test]
fn exact_looks_at_types_all_the_way_down() {
    calls(
        Compare::Exact,
        &[
            ("1", json!(1), true),
            ("True", json!(1), false),
            ("1.0", json!(1), false),
            ("[1, [2.5, 'a']]", json!([1, [2.5, "a"]]), true),
            ("[1, [True]]", json!([1, [1]]), false),
            ("[1.0]", json!([1]), false),
            ("(1, 2)", json!([1, 2]), false),
            ("{'a': [1]}", json!({"a": [1]}), true),
            ("{'a': [1.0]}", json!({"a": [1]}), false),
        ],
    );
}

#[test]
fn floats_may_differ_and_integers_may_not() {
    calls(
        NEAR,
        &[
            ("0.1 + 0.2", json!(0.3), true),
            ("[0.30000001, {'a': 1.0}]", json!([0.3, {"a": 1}]), true),
            ("1.1", json!(1.2), false),
            ("3", json!(4), false),
            ("math.nan", json!(1.0), false),
            ("math.inf", json!(1e308), false),
            ("True", json!(1.0), true),
            ("'0.3'", json!(0.3), false),
            ("decimal.Decimal('0.30000001')", json!(0.3), true),
            ("fractions.Fraction(1, 3)", json!(0.333_333_3), true),
            ("decimal.Decimal('0.31')", json!(0.3), false),
        ],
    );
    let wide = Compare::Float { abs: 5.0, rel: 0.0 };
    calls(
        wide,
        &[
            ("3", json!(4), false),
            ("3.0", json!(4), true),
            ("[]", json!([1.0]), false),
        ],
    );
}

#[test]
fn any_order_is_one_level_deep() {
    calls(
        Compare::Unordered,
        &[
            ("[2, 1, 2]", json!([1, 2, 2]), true),
            ("{1, 2}", json!([2, 1]), true),
            ("[1, 2]", json!([1, 2, 2]), false),
            ("[[2, 1]]", json!([[1, 2]]), false),
            ("[[3], [1, 2]]", json!([[1, 2], [3]]), true),
        ],
    );
    calls(
        Compare::Tokens,
        &[
            ("'a  b\\nc'", json!("a b c"), true),
            ("'ab'", json!("a b"), false),
        ],
    );
}

#[test]
fn numbers_and_arrays_of_numpy() {
    let judge = judge();
    if !has(&judge, "numpy") {
        return;
    }
    for (returned, expected, compare, right) in [
        ("np.int64(3)", json!(3), Compare::Trim, true),
        ("np.float64(0.5)", json!(0.5), Compare::Trim, true),
        ("np.bool_(True)", json!(true), Compare::Trim, true),
        ("np.array([1, 2])", json!([1, 2]), Compare::Trim, true),
        ("np.array([[1.5], [2]])", json!([[1.5], [2]]), Compare::Trim, true),
        ("[np.int32(1), 2]", json!([1, 2]), Compare::Trim, true),
        ("np.array([])", json!([1]), Compare::Trim, false),
        ("np.array([])", json!(1), Compare::Trim, false),
        ("np.array([0.30000001])", json!([0.3]), NEAR, true),
        ("np.float32(0.1)", json!(0.1), NEAR, true),
        ("np.float64('nan')", json!(0.1), NEAR, false),
    ] {
        let verdict = call(
            &returned.replace("np.", "__import__('numpy')."),
            &expected,
            compare,
        );
        assert_eq!(verdict.passed(), right, "{returned} and {expected}");
    }
}

/// Assertions compare what the test holds itself, so that Python's own rules hold on both sides.
#[test]
fn assertions_follow_pythons_rules() {
    passes(
        "
import collections, dataclasses, datetime, decimal, enum, fractions
Point = collections.namedtuple('Point', 'x y')
@dataclasses.dataclass(frozen=True, order=True)
class Data:
    x: int
    y: list = dataclasses.field(default_factory=list)
class Color(enum.Enum):
    RED = 1
    BLUE = 2
class Flag(enum.IntFlag):
    A = 1
    B = 2
def same(x): return x
def data(x): return Data(x)
def color(n): return Color(n)
def flags(): return Flag.A | Flag.B
def colors(): return [Color.RED, Color.BLUE]
def by_color(): return {Color.RED: 'r'}
def point(): return Point(1, 2)
",
        "
import collections, datetime, decimal, fractions, math
assert same(True) == 1 and same(1) is not True and same(1.0) == 1
nan = same(math.nan)
assert nan != nan and math.isnan(nan)
assert math.copysign(1, same(-0.0)) == -1.0
assert same(decimal.Decimal('1.10')) == decimal.Decimal('1.1')
assert str(same(decimal.Decimal('1.10'))) == '1.10'
assert same(fractions.Fraction(2, 4)) == fractions.Fraction(1, 2) == 0.5
assert same(datetime.datetime(2024, 1, 2, 3)) - datetime.timedelta(hours=3) == datetime.datetime(2024, 1, 2)
assert same(collections.Counter('aab')) == {'a': 2, 'b': 1}
assert same(collections.deque([1, 2])) == collections.deque([1, 2]) != [1, 2]
assert same(collections.OrderedDict(a=1, b=2)) != collections.OrderedDict(b=2, a=1)
assert same(collections.OrderedDict(a=1, b=2)) == dict(b=2, a=1)
assert point() == (1, 2) == Point(1, 2) and point().x == 1
assert data(1) == Data(1) != Data(2) and data(1) < Data(2) and data(1).y == []
assert data(1) != 1 and data([]) != ([], [])
assert color(1) == Color.RED and color(1) is Color.RED and color(2) is not Color.RED
assert color(1) != 1 and color(1).value == 1 and color(1).name == 'RED'
assert colors() == [Color.RED, Color.BLUE] == list(Color)
assert by_color()[Color.RED] == 'r'
assert flags() == 3 and flags() & Flag.A
",
    );
}

#[test]
fn data_frames_are_data() {
    let judge = judge();
    if !has(&judge, "pandas") {
        return;
    }
    let program = "
import pandas as pd
def same(x): return x
def frame(): return pd.DataFrame({'a': [1, 2], 'b': ['x', None], 'c': [0.5, float('nan')]}, index=['p', 'q'])
def series(): return pd.Series([1, 2, 3], name='s')
def dates(): return pd.DataFrame({'d': pd.date_range('2024-01-01', periods=2)}).set_index('d')
def groups(df): return df.groupby('k')['v'].sum()
def wide(df): return df.pivot_table(index='k', columns='w', values='v', aggfunc='sum')
def add_column(df):
    df['twice'] = df['v'] * 2
def stamp(): return pd.Timestamp('2024-01-01 10:00')
def odd(): return pd.DataFrame({'i': pd.array([1, None], dtype='Int64'), 'c': pd.Categorical(['a', 'b'], ['b', 'a'], ordered=True), 't': pd.to_datetime(['2024-01-01', None], utc=True)})
";
    let code = "
import pandas as pd
from pandas.testing import assert_frame_equal, assert_series_equal
expected = pd.DataFrame({'a': [1, 2], 'b': ['x', None], 'c': [0.5, float('nan')]}, index=['p', 'q'])
assert isinstance(frame(), pd.DataFrame) and frame().equals(expected)
assert list(frame().columns) == ['a', 'b', 'c'] and frame().loc['p', 'a'] == 1
assert_frame_equal(frame(), expected)
assert_series_equal(series(), pd.Series([1, 2, 3], name='s'))
df = pd.DataFrame({'k': ['a', 'b', 'a'], 'v': [1, 2, 3], 'w': ['x', 'x', 'y']})
assert_frame_equal(same(df), df)
assert same(df) is df
assert groups(df).to_dict() == {'a': 4, 'b': 2} and groups(df).index.name == 'k'
assert wide(df).loc['a', 'y'] == 3
add_column(df)
assert df['twice'].tolist() == [2, 4, 6]
assert stamp() == pd.Timestamp('2024-01-01 10:00') and isinstance(stamp(), pd.Timestamp)
assert dates().index[1] == pd.Timestamp('2024-01-02')
assert odd().dtypes.astype(str).tolist()[:2] == ['Int64', 'category'] and odd()['i'].isna().tolist() == [False, True]
assert odd()['c'].max() == 'a' and odd()['t'].dt.year[0] == 2024 and same(pd.NaT) is pd.NaT
assert pd.DataFrame().equals(same(pd.DataFrame()))
";
    passes(program, code);
    for wrong in [
        "def frame(): return pd.DataFrame()",
        "def frame(): return pd.DataFrame({'a': [1]})",
        "class Lie(pd.DataFrame):\n    def equals(self, other): return True\ndef frame(): return Lie()",
        "class Lie:\n    def equals(self, other): return True\n    def __eq__(self, other): return True\ndef frame(): return Lie()",
    ] {
        let code =
            "import pandas as pd\npd.testing.assert_frame_equal(frame(), pd.DataFrame({'a': [1, 2]}))\n";
        let report = script(&judge, &format!("import pandas as pd\n{wrong}\n"), code);
        assert!(
            !report.verdict.passed() && report.verdict != Verdict::HarnessError,
            "{wrong}: {:#?}",
            report.results
        );
    }
}
