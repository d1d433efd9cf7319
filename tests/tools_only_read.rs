//! Tools change nothing: what a model writes for them runs where there is nothing to change.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use redraft::judge::{Judge, Options};
use redraft::model::ToolCall;
use redraft::tools::{PythonTool, Sql, TestRun, Tool, Toolbox};
use serde_json::json;

/// What the tool says, and whether it is an error.
async fn call(tool: Arc<dyn Tool>, argument: &str, text: &str) -> (String, bool) {
    let name = tool.name().to_owned();
    let toolbox = Toolbox::new(vec![tool]).with_timeout(Duration::from_mins(1));
    let call = ToolCall {
        id: String::new(),
        name,
        arguments: json!({ argument: text }).to_string(),
    };
    let done = toolbox.make(toolbox.read(&call, &[])).await;
    (done.result, done.failed)
}

/// Code that tries to write a file and to reach a port, and prints what it managed.
fn greedy(path: &str, port: u16) -> String {
    format!(
        "import socket
done = []
try:
    open({path:?}, 'w').write('x')
    done.append('written')
except OSError:
    pass
try:
    socket.create_connection(('127.0.0.1', {port}), 1)
    done.append('connected')
except OSError:
    pass
print('did', done)
"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn python_reaches_no_file_and_no_network() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bait.txt");
    std::fs::write(&file, "untouched").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let code = greedy(&file.display().to_string(), listener.local_addr().unwrap().port());
    let (result, failed) = call(Arc::new(PythonTool::new().unwrap()), "code", &code).await;
    assert_eq!((result.as_str(), failed), ("did []", false));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "untouched");
    assert!(listener.accept().is_err(), "nobody connected");
}

#[tokio::test(flavor = "multi_thread")]
async fn python_tells_values_and_errors_and_ends() {
    let python = || Arc::new(PythonTool::new().unwrap());
    assert_eq!(call(python(), "code", "17 * 3").await, ("51".to_owned(), false));
    assert_eq!(
        call(python(), "code", "1 / 0").await,
        ("error: ZeroDivisionError: division by zero".to_owned(), true)
    );
    let (result, failed) = call(python(), "code", "x = 1").await;
    assert!(failed && result.contains("printed nothing"), "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_run_tells_what_fails_and_leaves_the_tests_alone() {
    let folder = tempfile::tempdir().unwrap();
    let tests = folder.path().join("tests.py");
    std::fs::write(&tests, "assert double(2) == 4\nassert double(5) == 10\n").unwrap();
    let judge = Arc::new(Judge::new(Options::default()).unwrap());
    let tool = Arc::new(TestRun::new(&tests, judge).unwrap());
    let code = format!(
        "try:\n    open({:?}, 'w').write('')\nexcept OSError:\n    pass\ndef double(n):\n    return n * n",
        tests.display().to_string()
    );
    let (result, failed) = call(tool, "code", &code).await;
    assert!(!failed && result.starts_with("1 of 2 tests pass"), "{result}");
    assert!(
        result.contains("Input: double(5)\nExpected: 10\nActual: 25"),
        "{result}"
    );
    assert!(std::fs::read_to_string(&tests).unwrap().contains("double(5)"));
}

#[tokio::test(flavor = "multi_thread")]
async fn sql_that_writes_is_refused_by_the_engine() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection
        .execute_batch("CREATE TABLE sales (total); INSERT INTO sales VALUES (1350)")
        .unwrap();
    drop(connection);
    let before = std::fs::read(&path).unwrap();
    for query in [
        "DELETE FROM sales",
        "WITH x AS (SELECT 1) UPDATE sales SET total = 0",
        "INSERT INTO sales VALUES (1) RETURNING total",
        "PRAGMA query_only = 0",
    ] {
        let (result, failed) = call(Arc::new(Sql::open(&path).unwrap()), "query", query).await;
        assert!(failed && result.starts_with("error: "), "{query}: {result}");
    }
    let select = call(
        Arc::new(Sql::open(&path).unwrap()),
        "query",
        "SELECT total FROM sales",
    )
    .await;
    assert_eq!(select, ("total\n1350".to_owned(), false));
    assert_eq!(std::fs::read(&path).unwrap(), before);
}
