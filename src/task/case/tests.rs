use super::*;

fn one(test: &str) -> TestKind {
    let case = Case::read(&format!(r#"{{"tests": [{{"name": "a", {test}}}]}}"#)).unwrap();
    case.tests.into_iter().next().unwrap().kind
}

fn wrong(test: &str) -> String {
    Case::read(&format!(r#"{{"tests": [{{"name": "a", {test}}}]}}"#)).unwrap_err()
}

#[test]
fn limits_of_a_case() {
    let case = Case::read(r#"{"tests": [], "limits": {"wall_ms": 2000, "memory_mb": 256}}"#).unwrap();
    assert_eq!(
        (case.limits.cpu_ms, case.limits.wall_ms, case.limits.memory_bytes),
        (2000, 2000, 256 << 20)
    );
}

#[test]
fn lists_and_trees_are_marked() {
    let TestKind::Call { args, expected, .. } = one(
        r#""type": "call", "entry": "Solution.merge", "args": [[1], [2, null, 3], [[1], []], 5],
           "arg_types": ["ListNode", "Optional[TreeNode]", "List[ListNode]"], "result_type": "ListNode", "expected": null"#,
    ) else {
        panic!()
    };
    assert_eq!(
        serde_json::to_string(&args).unwrap(),
        r#"[{"$ListNode":[1]},{"$TreeNode":[2,null,3]},[{"$ListNode":[1]},{"$ListNode":[]}],5]"#
    );
    assert_eq!(expected.to_string(), r#"{"$ListNode":[]}"#);
}

#[test]
fn data_is_made() {
    let text = r#"{"tests": [
        {"name": "a", "type": "stdin", "stdin_gen": "in", "expected_stdout_gen": "out"},
        {"name": "b", "type": "stdin", "stdin_from_setup": "path", "expected_stdout": "no access\n"},
        {"name": "c", "type": "stdin", "stdin_gen": "in", "checker": {"language": "python", "code": "exit(0)"}}]}"#;
    let mut case = Case::read(text).unwrap();
    let files = case.make(|snippet| Ok(format!("made of {snippet}"))).unwrap();
    let stdin = |at: usize| match &case.tests[at].kind {
        TestKind::Stdin { stdin, expected, .. } => (stdin.clone(), expected.clone()),
        TestKind::Checked { stdin, answer, .. } => (stdin.clone(), answer.clone()),
        other => panic!("{other:?}"),
    };
    assert_eq!(stdin(0), ("made of in".to_owned(), "made of out".to_owned()));
    let path = stdin(1).0;
    let content = std::fs::read_to_string(path.trim_end()).unwrap();
    assert!(content.contains("CANARY"), "{content}");
    assert_eq!(stdin(2), ("made of in".to_owned(), String::new()));
    drop(files);
    assert!(std::fs::read_to_string(path.trim_end()).is_err());
}

#[test]
fn what_is_wrong_is_said() {
    for (test, what) in [
        (r#""type": "ask""#, "types are stdin, call"),
        (r#""type": "stdin""#, "no `expected_stdout` and no `checker`"),
        (r#""type": "files""#, "neither `expected_files` nor"),
        (r#""type": "interactive""#, "no `talker`"),
        (r#""type": "pytest""#, "no `code`"),
        (r#""type": "call", "args": []"#, "no `entry`"),
        (
            r#""type": "call", "entry": "f", "args": [], "arg_types": ["ListNode"]"#,
            "1 `arg_types` for 0",
        ),
        (
            r#""type": "call", "entry": "f", "args": [1], "arg_types": ["ListNode"]"#,
            "as a list, not as 1",
        ),
        (
            r#""type": "call", "entry": "f", "args": [[]], "arg_types": ["GraphNode"]"#,
            "types are ListNode",
        ),
    ] {
        let error = wrong(test);
        assert!(
            error.starts_with("test \"a\": ") && error.contains(what),
            "{error}"
        );
    }
}
