use super::examples;

/// The examples of a function `f` with these parameters and this docstring.
fn of(parameters: &str, doc: &str) -> Vec<String> {
    examples(
        &format!("def f({parameters}):\n    \"\"\"{doc}\n    \"\"\"\n"),
        "f",
    )
}

#[test]
fn doctests() {
    let doc = "Twice.
    >>> f(2)
    4
    >>> f([1,
    ...    2])
    [1, 2,
     1, 2]
    >>> f('#') # a comment
    '##'
    >>> f(None)

    >>> round(f(1.5), 2)
    3.0";
    assert_eq!(
        of("x", doc),
        [
            "assert f(2) == 4",
            "assert f([1, 2]) == [1, 2, 1, 2]",
            "assert f('#') == '##'",
            "assert f(None) is None",
            "assert round(f(1.5), 2) == 3.0",
        ]
    );
}

#[test]
fn doctests_that_are_conditions_or_need_others_first() {
    let doc = "
    >>> f(2) == 4
    >>> f(0) == None
    >>> x = [1, 2]
    >>> f(x)
    3
    >>> print('unrelated')
    unrelated";
    assert_eq!(
        of("x", doc),
        [
            "assert f(2) == 4",
            "assert f(0) is None",
            "x = [1, 2]\nassert f(x) == 3"
        ]
    );
}

#[test]
fn what_a_doctest_raises_or_shortens_is_left_out() {
    let doc = "
    >>> f(-1)
    Traceback (most recent call last):
        ...
    ValueError: negative
    >>> f(5)
    <object at 0x7f>
    >>> f(1)
    1";
    assert_eq!(of("x", doc), ["assert f(1) == 1"]);
}

#[test]
fn calls_with_their_result() {
    let doc = "Examples:
    f(2) == 4
    f(3) => 6
    f(4) ==> 8
    f(5)➞10
    f(6) -> 12
    f(7) = 14
    f(8) should return 16.
    f(9) returns 18 # twice nine
    f(10) # => 20 (not 21)
    f(11)   # returns \"22\"
    * f(12) => true
    - f(-1) => None
    for f(13) == 26
    assert f(14) == 28
    f((1, 'a)b')) => {'x': [1, 2]}
    f([
      [1],
      [2],
    ]) == [(0, 1)]
    f(15) -> 1 + 2 * 3 = 7";
    assert_eq!(
        of("x", doc),
        [
            "assert f(2) == 4",
            "assert f(3) == 6",
            "assert f(4) == 8",
            "assert f(5) == 10",
            "assert f(6) == 12",
            "assert f(7) == 14",
            "assert f(8) == 16",
            "assert f(9) == 18",
            "assert f(10) == 20",
            "assert f(11) == \"22\"",
            "assert f(12) == True",
            "assert f(-1) is None",
            "assert f(13) == 26",
            "assert f(14) == 28",
            "assert f((1, 'a)b')) == {'x': [1, 2]}",
            "assert f([ [1], [2], ]) == [(0, 1)]",
            "assert f(15) == 7",
        ]
    );
}

#[test]
fn what_can_be_read_in_two_ways_is_left_out() {
    for doc in [
        "f(n) = n + 1",
        "f(2) == 3 or 4",
        "f(2) => [1, 2] # or [2, 1]",
        "f(2) => [1, 2] # any order",
        "1 + f(2) == 3",
        "g(f(2)) == 3",
        "not f(2) == 3",
        "f(2) == 3 and f(2) == 4",
        "f(2) returns the next number",
        "f(1, 2, 3) == 6",
        "f(x) => \"\"unbalanced\"",
        "f(2) == 3\n    f(2) == 4",
        "self.f(2) == 3",
    ] {
        assert_eq!(of("n", doc), [""; 0], "{doc}");
    }
}

#[test]
fn a_formula_is_no_example() {
    let doc = "
    f(1) = 3
    f(n) = f(n - 1) + 2
    For example: f(2) = 3 + 2 = 5
    Examples:
    f(3) = [3, 5, 7]";
    assert_eq!(of("n", doc), ["assert f(3) == [3, 5, 7]"]);
}

#[test]
fn another_name_for_the_function() {
    assert_eq!(
        of("x", "g(2) ==> 4\n    g(3) ==> 6"),
        ["assert f(2) == 4", "assert f(3) == 6"]
    );
    // Two other names: who knows which is meant?
    assert_eq!(of("x", "g(2) ==> 4\n    h(3) ==> 6"), [""; 0]);
}

#[test]
fn words_for_strings_and_a_tuple_of_one() {
    assert_eq!(
        of("s", "Takes a string.\n    f(abc) => True"),
        ["assert f('abc') == True"]
    );
    assert_eq!(of("s", "Takes a string.\n    f(s) => True"), [""; 0]);
    assert_eq!(of("x", "Takes a number.\n    f(abc) => True"), [""; 0]);
    assert_eq!(
        of("x", "f(1) => (1, 2)\n    f(2) => (3)"),
        ["assert f(1) == (1, 2)", "assert f(2) == (3,)"]
    );
    assert_eq!(
        of("x", "f(1) => 5\n    f(2) => (3)"),
        ["assert f(1) == 5", "assert f(2) == (3)"]
    );
}

#[test]
fn inputs_and_outputs() {
    let doc = "
    Input: arr = [1, 2], k = 3
    Output: [4] # because
    Input: k = 1, arr = []
    Output: []
    Input:
        grid : [[0,
                 1]]
        size : 2
    Output: None
    Input: 1
    Output: 2";
    assert_eq!(
        of("arr, k", doc),
        [
            "assert f([1, 2], 3) == [4]",
            "assert f([], 1) == []",
            "assert f([[0, 1]], 2) is None"
        ]
    );
}

#[test]
fn sentences_and_assignments() {
    let doc = "
    For a = \"x\", b = 2 the output should be \"xx\".
    For a = \"y\" and b = 0, the sum is 7 and the result should be ('', True)";
    assert_eq!(
        of("a, b", doc),
        ["assert f(\"x\", 2) == \"xx\"", "assert f(\"y\", 0) == ('', True)"]
    );
    let doc = "
      arr = [2, 1]
         -> sorted [1, 2]
      return [1, 2]

      arr = []
      returns = []

      return 7";
    assert_eq!(
        of("arr", doc),
        ["assert f([2, 1]) == [1, 2]", "assert f([]) == []"]
    );
}

#[test]
fn backslashes_mean_what_the_author_meant() {
    let single = "def f(s):\n    \"\"\"\n    >>> f(\"a\\nb\")\n    1\n    \"\"\"\n";
    let doubled = "def f(s):\n    \"\"\"\n    >>> f(\"a\\\\nb\")\n    1\n    \"\"\"\n";
    let raw = "def f(s):\n    r\"\"\"\n    >>> f(\"a\\nb\")\n    1\n    \"\"\"\n";
    for prompt in [single, doubled, raw] {
        assert_eq!(examples(prompt, "f"), ["assert f(\"a\\nb\") == 1"], "{prompt}");
    }
}

#[test]
fn the_right_function_and_its_docstring_are_found() {
    let prompt = "import math\n\ndef g(x):\n    \"\"\"\n    >>> g(1)\n    9\n    \"\"\"\n    return 9\n\n\
                  def f(x):\n    import math\n    '''\n    f(g(1)) == 81\n    '''\n";
    assert_eq!(examples(prompt, "f"), ["assert f(g(1)) == 81"]);
    assert_eq!(examples(prompt, "g"), ["assert g(1) == 9"]);
    assert_eq!(examples(prompt, "h"), [""; 0]);
    assert_eq!(examples("def f(x):\n    pass\n", "f"), [""; 0]);
    assert_eq!(examples("no python at all", "f"), [""; 0]);
}
