//! How programs are found, rule by rule.

use super::*;
use crate::task::Limits;

fn brief(entry: Option<&str>, starter: &str) -> Brief {
    Brief {
        language: Language::PYTHON,
        statement: String::new(),
        entry_point: entry.map(str::to_owned),
        starter_code: starter.to_owned(),
        visible: Vec::new(),
        limits: Limits::default(),
    }
}

fn found(reply: &str) -> (String, Rule) {
    let found = find_program(reply, &brief(Some("f"), "def f(n):\n    \"\"\"Doc.\"\"\"\n")).unwrap();
    (found.program.source, found.rule)
}

#[test]
fn one_block() {
    assert_eq!(
        found("Sure:\n```python\ndef f(n): return 1\n```\nDone."),
        ("def f(n): return 1\n".into(), Rule::Block)
    );
    assert_eq!(
        found("~~~py\ndef f(n): return 1\n"),
        ("def f(n): return 1\n".into(), Rule::Block)
    );
}

#[test]
fn a_longer_fence_may_hold_a_shorter_one() {
    let reply = "````python\ndef f(n):\n    '''\n```\nx\n```\n    '''\n    return 2\n````";
    assert_eq!(
        found(reply),
        (
            "def f(n):\n    '''\n```\nx\n```\n    '''\n    return 2\n".into(),
            Rule::Block
        )
    );
}

#[test]
fn the_last_block_that_defines_the_entry_point_counts() {
    let reply = "Draft:\n```python\ndef f(n): return 1\n```\nBetter:\n```python\ndef f(n): return 2\n```\n\
                 Use:\n```python\nprint(f(3))\n```";
    assert_eq!(found(reply), ("def f(n): return 2\n".into(), Rule::LastBlock));
}

#[test]
fn helpers_from_other_blocks_come_along() {
    let reply = "```python\ndef g(n): return n\n```\nand\n```python\ndef f(n): return g(n)\n```";
    assert_eq!(
        found(reply),
        ("def g(n): return n\ndef f(n): return g(n)\n".into(), Rule::Blocks)
    );
}

#[test]
fn one_program_cut_into_blocks() {
    let reply = "```python\nclass A:\n    pass\n\ndef f(n):\n```\nthen\n```python\n    return n\n```";
    let (source, rule) = found(reply);
    assert!(source.contains("return n"), "{source}");
    assert_eq!(rule, Rule::Blocks);
}

#[test]
fn a_body_continues_the_starter_code() {
    let expected = "def f(n):\n    \"\"\"Doc.\"\"\"\n    return n + 1\n";
    assert_eq!(found("    return n + 1\n"), (expected.into(), Rule::Continuation));
    assert_eq!(
        found("```python\nreturn n + 1\n```"),
        (expected.into(), Rule::Continuation)
    );
}

#[test]
fn thoughts_are_not_answers() {
    let reply = "<think>\n```python\ndef f(n): return 1\n```\n</think>\n```python\ndef f(n): return 2\n```";
    assert_eq!(found(reply).0, "def f(n): return 2\n");
    // Thoughts that never end are all that there is; the rule says so.
    assert_eq!(
        found("<think>\n```python\ndef f(n): return 1\n```"),
        ("def f(n): return 1\n".into(), Rule::Thought)
    );
}

#[test]
fn prose_around_an_unfenced_program_is_left_away() {
    let reply =
        "Here it is:\n\nimport math\n\ndef f(n):\n    return math.sqrt(n)\n\nIt returns the root, you see.";
    assert_eq!(
        found(reply),
        (
            "import math\n\ndef f(n):\n    return math.sqrt(n)\n\n".into(),
            Rule::Lines
        )
    );
}

#[test]
fn prompts_of_a_session_and_invisible_characters_go() {
    assert_eq!(
        found("```\n>>> def f(n):\n...     return 3\n>>> f(1)\n3\n```").0,
        "def f(n):\n    return 3\nf(1)\n"
    );
    assert_eq!(
        found("\u{feff}```python\r\ndef f(n):\r\n    return\u{200b} 3\r\n```").0,
        "def f(n):\n    return 3\n"
    );
}

#[test]
fn a_program_for_stdin_is_the_block_that_reads() {
    let reply = "```python\nprint(sum(map(int, input().split())))\n```\nExample:\n```\n1 2\n```";
    let found = find_program(reply, &brief(None, "")).unwrap();
    assert_eq!(found.program.source, "print(sum(map(int, input().split())))\n");
}

#[test]
fn prose_alone_holds_no_program() {
    for reply in [
        "",
        "   \n",
        "I can't do that.",
        "Sorry",
        "The answer is 42, I think.",
    ] {
        assert_eq!(
            find_program(reply, &brief(Some("f"), "def f(n):\n    \"\"\"Doc.\"\"\"\n")),
            None,
            "{reply:?}"
        );
        assert_eq!(find_program(reply, &brief(None, "")), None, "{reply:?}");
    }
}

#[test]
fn a_broken_block_is_kept_so_that_its_error_can_be_shown() {
    assert_eq!(found("```python\ndef f(n:\n    return 1\n```").1, Rule::Invalid);
}

/// One program in every dress in which models send it.
#[test]
fn one_program_however_it_is_written() {
    let code = "def f(n):\n    return n < 3\n";
    let replies = [
        (
            "in a list",
            "1. So:\n\n   ```python\n   def f(n):\n       return n < 3\n   ```\n2. Done",
        ),
        (
            "in a quote",
            "> ```python\n> def f(n):\n>     return n < 3\n> ```\n",
        ),
        (
            "behind a sentence",
            "The code is ```python\ndef f(n):\n    return n < 3\n```",
        ),
        (
            "with a closing fence behind code",
            "```python\ndef f(n):\n    return n < 3```",
        ),
        ("unclosed", "```\ndef f(n):\n    return n < 3\n"),
        (
            "tagged",
            "Sure.\n[PYTHON]\ndef f(n):\n    return n < 3\n[/PYTHON]\nOk.",
        ),
        (
            "as HTML",
            "<pre><code class=\"language-python\">def f(n):\n    return n &lt; 3\n</code></pre>",
        ),
        ("escaped", "```python\ndef f(n):\n    return n &lt; 3\n```"),
        (
            "as JSON",
            r#"{"why": "f", "code": "def f(n):\n    return n < 3\n"}"#,
        ),
        (
            "as JSON in a fence",
            "```json\n{\"code\": \"def f(n):\\n    return n < 3\\n\"}\n```",
        ),
        (
            "as a fence in JSON",
            r#"{"answer": "```python\ndef f(n):\n    return n < 3\n```"}"#,
        ),
        ("as a dict", "{'code': \"\"\"def f(n):\n    return n < 3\n\"\"\"}"),
        (
            "as a patch",
            "```diff\n def f(n):\n-    return n > 3\n+    return n < 3\n```",
        ),
        ("with numbers", "```\n1  def f(n):\n2      return n < 3\n```"),
        (
            "with no-break spaces",
            "```\ndef f(n):\n\u{a0}\u{a0}\u{a0}\u{a0}return n < 3\n```",
        ),
        (
            "with a token at the end",
            "```python\ndef f(n):\n    return n < 3\n```<|im_end|>",
        ),
        (
            "in a wrong language's fence",
            "```ruby\ndef f(n):\n    return n < 3\n```",
        ),
        (
            "with a stub behind",
            "```\ndef f(n):\n    return n < 3\n```\nFill in:\n```\ndef f(n):\n    ...\n```",
        ),
        (
            "with an example that imports it",
            "```\ndef f(n):\n    return n < 3\n```\n```\nfrom answer import f\nprint(f(1))\n```",
        ),
        (
            "with an answer behind its thoughts",
            "hm ```python\ndef f(n): return 0\n``` </think>\n```\ndef f(n):\n    return n < 3\n```",
        ),
        (
            "between sentences",
            "So:\n\ndef f(n):\n    return n < 3\n\nNote: it is short.\nDone",
        ),
    ];
    for (how, reply) in replies {
        let (source, rule) = found(reply);
        assert_eq!(source.trim_end(), code.trim_end(), "{how} ({rule:?})");
    }
}

#[test]
fn a_whole_program_stays_as_it_is() {
    for source in [
        "def f(n):\n    '''\n    ```python\n    f(1)\n    ```\n    '''\n    return 1\n",
        "def f(n):\n    return '</think>' + '\u{200b}' + '&lt;'",
        "def f(n):\r\n    return 1\r\n",
        "f = lambda n: {'code': 'def f(n): pass'}\n",
    ] {
        assert_eq!(found(source), (source.into(), Rule::WholeReply));
    }
}

#[test]
fn bodies_continue_the_starter_code() {
    let expected = "def f(n):\n    \"\"\"Doc.\"\"\"\n    m = n\n    return m\n";
    for reply in [
        "    m = n\n    return m\n",
        "m = n\n    return m\n",
        "m = n\nreturn m\n",
        "```python\n    m = n\n    return m\n```\n```python\nprint(f(1))\n```",
        "The body is\n\n    m = n\n    return m\n\nas you see.",
        "    m = n\n    return m\n\nprint(f(1",
    ] {
        let (source, rule) = found(reply);
        let source = source.replace("\"\"\"\n\n", "\"\"\"\n");
        assert_eq!(source.trim_end(), expected.trim_end(), "{reply}");
        assert_eq!(rule, Rule::Continuation, "{reply}");
    }
}

#[test]
fn what_the_starter_code_brings_in_stays() {
    let brief = brief(
        Some("f"),
        "from typing import List\nimport re\n\ndef g(n):\n    return n\n\ndef f(n: List[int]):\n    '''Doc.'''\n",
    );
    let found = find_program("```python\ndef f(n: List[int]):\n    return g(n)\n```", &brief).unwrap();
    assert_eq!(
        found.program.source,
        "from typing import List\ndef g(n):\n    return n\ndef f(n: List[int]):\n    return g(n)\n"
    );
}

#[test]
fn a_revised_function_keeps_its_helpers() {
    let reply = "```python\nimport math\ndef g(n):\n    return math.floor(n)\ndef f(n):\n    return g(n)\nprint(f(2))\n```\n\
                 Replace `f`:\n```python\ndef f(n):\n    return g(n) + 1\n```";
    assert_eq!(
        found(reply).0,
        "import math\ndef g(n):\n    return math.floor(n)\ndef f(n):\n    return g(n) + 1\n"
    );
}

#[test]
fn a_demonstration_behind_the_same_program_is_left_away() {
    let reply = "```python\ndef f(n):\n    return 1\n```\nAll:\n\
                 ```python\ndef f(n):\n    return 1\n\nassert f(input()) == 2\n```";
    assert_eq!(found(reply).0, "def f(n):\n    return 1\n");
}

#[test]
fn scripts_are_told_from_their_examples() {
    let script = |reply: &str| find_program(reply, &brief(None, "")).unwrap().program.source;
    assert_eq!(
        script(
            "```\nimport sys\nprint(len(sys.stdin.read()))\n```\nRun it:\n\
             ```bash\npython a.py\n```\n```\n5\n```"
        ),
        "import sys\nprint(len(sys.stdin.read()))\n"
    );
    assert_eq!(
        script("```python\ndef main():\n    print(input())\n```\nand call it\n```python\nmain()\n```"),
        "def main():\n    print(input())\nmain()\n"
    );
    assert_eq!(
        script("Here you are:\n\nn = int(input())\nprint(n * 2)\n\nThis doubles n.").trim_end(),
        "n = int(input())\nprint(n * 2)"
    );
}
