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
        "verifier/fix.txt",
        include_str!("verifier/fix.txt"),
        &["task", "file", "code", "check", "categories", "rejected"],
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
    (
        "critic-program/draft.txt",
        include_str!("critic-program/draft.txt"),
        &["question"],
    ),
    (
        "critic-program/critique.txt",
        include_str!("critic-program/critique.txt"),
        &["question", "code", "execution", "answer"],
    ),
    (
        "critic-program/correct.txt",
        include_str!("critic-program/correct.txt"),
        &["question", "code", "execution", "answer", "critique"],
    ),
    (
        "critic-toxicity/draft.txt",
        include_str!("critic-toxicity/draft.txt"),
        &["prompt"],
    ),
    (
        "critic-toxicity/rewrite.txt",
        include_str!("critic-toxicity/rewrite.txt"),
        &["prompt", "text", "critique"],
    ),
    (
        "evaluator-separate/generate.txt",
        include_str!("evaluator-separate/generate.txt"),
        &["artifact", "task", "feedback"],
    ),
    (
        "evaluator-separate/evaluate.txt",
        include_str!("evaluator-separate/evaluate.txt"),
        &["criteria", "draft"],
    ),
    (
        "evaluator-separate/not-json.txt",
        include_str!("evaluator-separate/not-json.txt"),
        &[],
    ),
    (
        "evaluator-same/draft.txt",
        include_str!("evaluator-same/draft.txt"),
        &["artifact", "task"],
    ),
    (
        "evaluator-same/critique.txt",
        include_str!("evaluator-same/critique.txt"),
        &["criteria", "draft"],
    ),
    (
        "evaluator-same/refine.txt",
        include_str!("evaluator-same/refine.txt"),
        &["artifact", "task", "drafts_and_feedback"],
    ),
    (
        "evaluator-tools/generate.txt",
        include_str!("evaluator-tools/generate.txt"),
        &["artifact", "task", "feedback"],
    ),
    (
        "evaluator-tools/evaluate.txt",
        include_str!("evaluator-tools/evaluate.txt"),
        &["criteria", "draft"],
    ),
    (
        "evaluator-tools/not-json.txt",
        include_str!("evaluator-tools/not-json.txt"),
        &[],
    ),
    (
        "evaluator-tools/no-evidence.txt",
        include_str!("evaluator-tools/no-evidence.txt"),
        &[],
    ),
];
