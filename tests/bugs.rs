//! Public bug reports of other harnesses, made small: each gives the verdict that it should for every test, with the
//! detail that makes it useful, and its mended program passes.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod judged;

use std::path::Path;

use judged::shared;
use serde_json::Value;

macro_rules! bugs {
    ($($name:ident = $folder:literal,)*) => {
        $(#[test]
        fn $name() {
            if let Some(folder) = shared(concat!("cases/bugs/", $folder)) {
                is_right(&folder);
            }
        })*

        #[test]
        fn none_is_forgotten() {
            let Some(folder) = shared("cases/bugs") else { return };
            let mut there: Vec<String> = std::fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            there.sort();
            assert_eq!(there, [$($folder),*]);
        }
    };
}

bugs! {
    bug_01_cpu_loop_timeout = "01-cpu-loop-timeout",
    bug_03_partial_output_kept_on_timeout = "03-partial-output-kept-on-timeout",
    bug_05_fork_bomb_bounded = "05-fork-bomb-bounded",
    bug_07_cartesian_product_eats_memory = "07-cartesian-product-eats-memory",
    bug_08_infinite_output = "08-infinite-output",
    bug_10_many_short_lines = "10-many-short-lines",
    bug_12_rust_loop_timeout_does_not_abort_suite = "12-rust-loop-timeout-does-not-abort-suite",
    bug_14_recursion_crashes_interpreter = "14-recursion-crashes-interpreter",
    bug_15_threads_and_processes_in_solution = "15-threads-and-processes-in-solution",
    bug_17_solution_raises_rlimit = "17-solution-raises-rlimit",
    bug_19_text_then_binary_read = "19-text-then-binary-read",
    bug_21_interactive_prompt_in_stdout = "21-interactive-prompt-in-stdout",
    bug_22_stdin_10mb = "22-stdin-10mb",
    bug_24_crlf_stdin_bash = "24-crlf-stdin-bash",
    bug_26_no_trailing_newline = "26-no-trailing-newline",
    bug_28_leading_blank_line = "28-leading-blank-line",
    bug_29_crlf_in_expected_output = "29-crlf-in-expected-output",
    bug_31_float_tolerance = "31-float-tolerance",
    bug_33_nan_never_close = "33-nan-never-close",
    bug_35_set_order_depends_on_hash_seed = "35-set-order-depends-on-hash-seed",
    bug_36_unicode_output = "36-unicode-output",
    bug_38_compile_error_with_typographic_quotes = "38-compile-error-with-typographic-quotes",
    bug_40_windows_newlines_in_source = "40-windows-newlines-in-source",
    bug_42_future_import_first = "42-future-import-first",
    bug_43_warnings_on_stderr = "43-warnings-on-stderr",
    bug_45_class_tree_and_list_nodes = "45-class-tree-and-list-nodes",
    bug_47_global_state_between_tests = "47-global-state-between-tests",
    bug_49_generator_instead_of_list = "49-generator-instead-of-list",
    bug_50_big_integers_exact = "50-big-integers-exact",
    bug_52_tests_with_loops_and_helpers = "52-tests-with-loops-and-helpers",
    bug_54_chained_exception_traceback = "54-chained-exception-traceback",
    bug_56_go_toolchain_or_clear_error = "56-go-toolchain-or-clear-error",
    bug_57_go_compile_time_is_not_run_time = "57-go-compile-time-is-not-run-time",
    bug_59_js_deep_equal = "59-js-deep-equal",
    bug_61_unittest_with_setup = "61-unittest-with-setup",
    bug_63_collection_error_is_not_a_pass = "63-collection-error-is-not-a-pass",
    bug_64_no_tests_is_not_a_pass = "64-no-tests-is-not-a-pass",
    bug_66_hardcoded_visible_tests = "66-hardcoded-visible-tests",
    bug_68_sys_exit_zero_in_function = "68-sys-exit-zero-in-function",
    bug_70_atexit_forces_exit_code = "70-atexit-forces-exit-code",
    bug_71_raise_with_empty_expected = "71-raise-with-empty-expected",
    bug_73_host_files_not_readable = "73-host-files-not-readable",
    bug_75_files_do_not_leak_between_runs = "75-files-do-not-leak-between-runs",
    bug_77_compile_bomb = "77-compile-bomb",
    bug_78_method_name_shadowed_by_preamble = "78-method-name-shadowed-by-preamble",
}

/// Judges the case's program and its mended one as `redraft test` does.
fn is_right(folder: &Path) {
    let case = std::fs::read_to_string(folder.join("case.json")).unwrap();
    let case: Value = serde_json::from_str(&case).unwrap();
    let program = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.file_name().is_some_and(|name| name != "case.json"))
        .unwrap();
    let told = test(folder, &program);
    if let Some(why) = cant_run(&case, &told) {
        judged::skip(&format!("{}: {why}", case["id"]));
        return;
    }
    let wanted = Wanted::new(&case);
    wanted.compare(&told);
    let repeat = case["expected_detail"]["repeat"].as_u64().unwrap_or(1);
    for _ in 1..repeat {
        wanted.compare(&test(folder, &program));
    }
    if let Some(fixed) = case["fixed_program"].as_str() {
        let mended = tempfile::tempdir().unwrap();
        let file = mended.path().join(program.file_name().unwrap());
        std::fs::write(&file, fixed).unwrap();
        let told = test(folder, &file);
        if let Some(why) = cant_run(&case, &told) {
            judged::skip(&format!("{}, mended: {why}", case["id"]));
            return;
        }
        assert_eq!(told["verdict"], "passed", "mended: {told:#}");
    }
}

fn test(folder: &Path, program: &Path) -> Value {
    let output = assert_cmd::Command::cargo_bin("redraft")
        .unwrap()
        .current_dir(folder)
        .args(["test", "--tests", "case.json", "--json"])
        .arg(program)
        .output()
        .unwrap();
    let (stdout, stderr) = (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    );
    serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stdout}{stderr}"))
}

/// Why this host can't run it, where that is so.
fn cant_run(case: &Value, told: &Value) -> Option<String> {
    let errors = told["results"].as_array().unwrap().iter();
    let missing = errors
        .filter(|result| result["verdict"] == "harness_error")
        .find_map(|result| result["error"].as_str());
    let may_lack = case["language"] != "python" || case["needs"].is_array();
    missing
        .filter(|error| may_lack && (error.contains("install") || error.ends_with(" yet")))
        .map(str::to_owned)
}

/// What the case says of its program.
struct Wanted<'a> {
    case: &'a Value,
    accepted: Vec<String>,
}

impl<'a> Wanted<'a> {
    fn new(case: &'a Value) -> Self {
        let mut accepted = vec![verdict(&case["expected_verdict"])];
        accepted.extend(case["accept"].as_array().into_iter().flatten().map(verdict));
        Self { case, accepted }
    }

    fn compare(&self, told: &Value) {
        let got = told["verdict"].as_str().unwrap();
        assert!(
            self.accepted.iter().any(|accepted| accepted == got),
            "{:?}: {told:#}",
            self.accepted
        );
        for (key, wanted) in self.case["expected_detail"].as_object().unwrap() {
            self.detail(key, wanted, told);
        }
    }

    fn detail(&self, key: &str, wanted: &Value, told: &Value) {
        let results = told["results"].as_array().unwrap();
        let text = |field: &str| -> String {
            let of = results
                .iter()
                .map(|result| result[field].as_str().unwrap_or_default());
            of.collect::<Vec<_>>().join("\n")
        };
        // What is wanted of the output is said of the test that fails, or of the only one.
        let failing = results
            .iter()
            .find(|result| result["verdict"] != "passed")
            .unwrap_or(&results[0]);
        let said = text("error") + &text("stderr");
        let good = match key {
            "per_test" => {
                for (name, per_test) in wanted.as_object().unwrap() {
                    let result = results.iter().find(|result| result["name"] == name.as_str());
                    let got = result.unwrap_or_else(|| panic!("no {name}: {told:#}"))["verdict"]
                        .as_str()
                        .unwrap();
                    let per_test = verdict(per_test);
                    let fine = got == per_test
                        || (self.accepted.contains(&per_test)
                            && self.accepted.iter().any(|each| each == got));
                    assert!(fine, "{name} should be {per_test}: {told:#}");
                }
                true
            }
            "message_contains" | "stderr_contains" | "compile_output_contains" => {
                said.contains(wanted.as_str().unwrap())
            }
            "signal_or_stderr" => wanted
                .as_array()
                .unwrap()
                .iter()
                .any(|each| said.contains(each.as_str().unwrap())),
            "stdout" => failing["actual"] == *wanted,
            "actual_contains" => text("actual").contains(wanted.as_str().unwrap()),
            "must_not_contain" => !told.to_string().contains(wanted.as_str().unwrap()),
            "stderr_not_empty" => !text("stderr").is_empty(),
            "stdout_truncated" => text("actual").contains("characters cut"),
            "stdout_max_bytes" => text("actual").len() as u64 <= wanted.as_u64().unwrap(),
            // Of a busy machine a program gets only its share: what it got is what counts.
            "wall_ms_max" => results.iter().all(|result| {
                let within = |name: &str| result[name].as_u64() <= wanted.as_u64();
                within("wall_ms") || (within("cpu_ms") && self.case["limits"]["cpu_ms"].is_u64())
            }),
            "failure_must_show" => shows(failing, wanted),
            "ran" | "skipped" => results[0][key] == *wanted,
            "exit_code" => said.contains(&format!("exit status {wanted}")),
            "visible" | "hidden" => {
                let hidden = |result: &Value| {
                    let tests = self.case["tests"].as_array().unwrap().iter();
                    tests
                        .filter(|test| test["hidden"] == true)
                        .any(|test| test["name"] == result["name"])
                };
                let mut of_kind = results
                    .iter()
                    .filter(|result| hidden(result) == (key == "hidden"));
                let first = of_kind
                    .find(|result| result["verdict"] != "passed")
                    .map_or("passed", |result| result["verdict"].as_str().unwrap());
                first == verdict(wanted)
            }
            // What was put in, what is left on the disk and among the processes: promises of the sandbox's own tests.
            "stdin_bytes_min"
            | "disk_mb_max"
            | "no_surviving_process"
            | "repeat"
            | "if_toolchain_missing" => true,
            other => panic!("a detail that is not known: {other}"),
        };
        assert!(good, "{key} should be {wanted}: {told:#}");
    }
}

/// `expected '49'` stands for the field and what is in it.
fn shows(result: &Value, wanted: &Value) -> bool {
    wanted.as_array().unwrap().iter().all(|part| {
        let (field, content) = part.as_str().unwrap().split_once(' ').unwrap();
        result[field]
            .as_str()
            .unwrap()
            .contains(content.trim_matches('\''))
    })
}

fn verdict(name: &Value) -> String {
    match name.as_str().unwrap() {
        "pass" => "passed",
        "timeout" => "timed_out",
        other => other,
    }
    .to_owned()
}
