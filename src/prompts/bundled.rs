//! Every bundled prompt: name, text, and the placeholders that it may use.

/// Name, text and placeholders.
pub(super) type Bundled = (&'static str, &'static str, &'static [&'static str]);

pub(super) const BUNDLED: &[Bundled] = &[
    (
        "self-debug/draft.txt",
        include_str!("self-debug/draft.txt"),
        &["language", "task", "tests"],
    ),
    (
        "self-debug/explain.txt",
        include_str!("self-debug/explain.txt"),
        &["task", "code", "failing_tests_with_expected_and_actual"],
    ),
    (
        "self-debug/fix.txt",
        include_str!("self-debug/fix.txt"),
        &[
            "task",
            "code",
            "failing_tests_with_expected_and_actual",
            "explanation",
        ],
    ),
    (
        "self-debug/fix-without-explanation.txt",
        include_str!("self-debug/fix-without-explanation.txt"),
        &["task", "code", "failing_tests_with_expected_and_actual"],
    ),
    (
        "tools/protocol.txt",
        include_str!("tools/protocol.txt"),
        &["tools"],
    ),
    (
        "tools/results.txt",
        include_str!("tools/results.txt"),
        &["results"],
    ),
    (
        "critic-search/answer.txt",
        include_str!("critic-search/answer.txt"),
        &["question"],
    ),
    (
        "critic-search/answer-short.txt",
        include_str!("critic-search/answer-short.txt"),
        &["question"],
    ),
    (
        "critic-search/verify.txt",
        include_str!("critic-search/verify.txt"),
        &["question", "answer"],
    ),
    (
        "critic-search/revise.txt",
        include_str!("critic-search/revise.txt"),
        &["question", "answer", "critique"],
    ),
];
