//! SQL on a `SQLite` file that can only be read: what would write is refused by the engine itself.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use super::cut::middle;
use super::{Arguments, SetupError, Tool, ToolError, named_file};

/// Longest result in characters.
const LONGEST: usize = 2000;
/// Longest schema in the tool's description.
const LONGEST_SCHEMA: usize = 2000;
/// Rows that are shown.
const MOST_ROWS: usize = 50;
/// A statement that works longer is interrupted.
const PATIENCE: Duration = Duration::from_secs(20);
/// How many steps of the engine are between two looks at the clock.
const STEPS: std::ffi::c_int = 10_000;

/// The SQL tool.
#[derive(Clone, Debug)]
pub struct Sql {
    path: PathBuf,
    schema: String,
    source: String,
}

impl Sql {
    /// Opens the database to see that it is one, and to tell the model its tables.
    pub fn open(path: &Path) -> Result<Self, SetupError> {
        let fail = |error: rusqlite::Error| SetupError(format!("{}: {error}", path.display()));
        if !path.is_file() {
            return Err(SetupError(format!("{}: no such file", path.display())));
        }
        let connection = connect(path).map_err(fail)?;
        let mut statement = connection
            .prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND type IN ('table', 'view') ORDER BY name")
            .map_err(fail)?;
        let tables: Result<Vec<String>, _> =
            statement.query_map([], |row| row.get(0)).map_err(fail)?.collect();
        let schema = tables.map_err(fail)?.join("; ");
        Ok(Self {
            path: path.to_owned(),
            source: named_file(path)?,
            schema: middle(
                &schema.split_whitespace().collect::<Vec<_>>().join(" "),
                LONGEST_SCHEMA,
            ),
        })
    }
}

/// A connection that can do nothing but read this one file: three locks, each of which would do.
fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.authorizer(Some(allowed))?;
    Ok(connection)
}

/// Reading and computing are allowed; writing, attaching other files, changing settings and loading code are not.
fn allowed(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Select
        | AuthAction::Read { .. }
        | AuthAction::Recursive
        | AuthAction::Pragma {
            pragma_name:
                "table_info" | "table_xinfo" | "table_list" | "foreign_key_list" | "index_list" | "index_info",
            ..
        } => Authorization::Allow,
        AuthAction::Function { function_name } if !function_name.eq_ignore_ascii_case("load_extension") => {
            Authorization::Allow
        }
        _ => Authorization::Deny,
    }
}

fn query(path: &Path, text: &str) -> Result<String, rusqlite::Error> {
    let mut connection = connect(path)?;
    let until = Instant::now() + PATIENCE;
    connection.progress_handler(STEPS, Some(move || Instant::now() > until))?;
    let mut statement = connection.prepare(text)?;
    if statement.column_count() == 0 || !statement.readonly() {
        return Err(rusqlite::Error::InvalidQuery);
    }
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.query([])?;
    let mut lines = vec![names.join(" | ")];
    let mut more = false;
    while let Some(row) = rows.next()? {
        if lines.len() > MOST_ROWS {
            more = true;
            break;
        }
        let cells: Result<Vec<String>, _> = (0..names.len()).map(|at| row.get_ref(at).map(shown)).collect();
        lines.push(cells?.join(" | "));
    }
    match lines.len() {
        1 => lines.push("(no rows)".to_owned()),
        _ if more => lines.push(format!("(only the first {MOST_ROWS} rows)")),
        _ => {}
    }
    Ok(lines.join("\n"))
}

fn shown(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "NULL".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        ValueRef::Blob(bytes) => format!("({} bytes)", bytes.len()),
    }
}

#[async_trait]
impl Tool for Sql {
    fn name(&self) -> &'static str {
        "sql"
    }

    fn description(&self) -> String {
        format!(
            "Runs one SQL query on a SQLite database that can only be read, and returns its rows. Tables: {}",
            self.schema
        )
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str)] {
        &[("query", "one SELECT statement")]
    }

    fn source(&self) -> String {
        self.source.clone()
    }

    async fn call(&self, arguments: &Arguments<'_>, _nth: usize) -> Result<String, ToolError> {
        let (path, text) = (self.path.clone(), arguments.text("query")?);
        let rows = tokio::task::spawn_blocking(move || query(&path, &text))
            .await
            .map_err(ToolError::new)?;
        match rows {
            Ok(rows) => Ok(middle(&rows, LONGEST)),
            Err(rusqlite::Error::SqliteFailure(error, _))
                if error.code == rusqlite::ErrorCode::OperationInterrupted =>
            {
                Err(ToolError("timed out".to_owned()))
            }
            Err(error) => Err(ToolError::new(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn database(folder: &Path) -> PathBuf {
        let path = folder.join("shop.db");
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch(
                "CREATE TABLE sales (month TEXT, total INTEGER);
                 CREATE INDEX by_month ON sales (month);
                 INSERT INTO sales VALUES ('May', 1937), ('June', NULL);",
            )
            .unwrap();
        path
    }

    async fn ask(tool: &Sql, query: &str) -> Result<String, String> {
        let arguments = json!({ "query": query });
        let result = tool.call(&Arguments::new(&arguments), 0).await;
        result.map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn it_reads_and_tells_its_tables() {
        let folder = tempfile::tempdir().unwrap();
        let tool = Sql::open(&database(folder.path())).unwrap();
        assert!(
            tool.description()
                .contains("CREATE TABLE sales (month TEXT, total INTEGER)")
        );
        assert_eq!(
            ask(&tool, "SELECT * FROM sales ORDER BY month DESC")
                .await
                .unwrap(),
            "month | total\nMay | 1937\nJune | NULL"
        );
        assert_eq!(
            ask(&tool, "SELECT month FROM sales WHERE total > 9999")
                .await
                .unwrap(),
            "month\n(no rows)"
        );
        assert_eq!(
            ask(&tool, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT sum(i) FROM n")
                .await
                .unwrap(),
            "sum(i)\n6"
        );
        let error = ask(&tool, "SELECT * FROM nowhere").await.unwrap_err();
        assert!(error.contains("no such table"), "{error}");
    }

    #[tokio::test]
    async fn whatever_writes_is_refused_by_the_engine() {
        let folder = tempfile::tempdir().unwrap();
        let path = database(folder.path());
        let before = std::fs::read(&path).unwrap();
        let tool = Sql::open(&path).unwrap();
        let other = folder.path().join("other.db");
        for statement in [
            "INSERT INTO sales VALUES ('July', 1)".to_owned(),
            "UPDATE sales SET total = 0".to_owned(),
            "DELETE FROM sales".to_owned(),
            "DROP TABLE sales".to_owned(),
            "CREATE TABLE t (a)".to_owned(),
            "CREATE TEMP TABLE t (a)".to_owned(),
            "REPLACE INTO sales VALUES ('May', 1)".to_owned(),
            "WITH x AS (SELECT 1) INSERT INTO sales SELECT 'July', 1 FROM x".to_owned(),
            "/* SELECT */ DELETE FROM sales RETURNING month".to_owned(),
            "VACUUM".to_owned(),
            format!("VACUUM INTO '{}'", other.display()),
            format!("ATTACH '{}' AS other", other.display()),
            "PRAGMA query_only = OFF".to_owned(),
            "PRAGMA journal_mode = WAL".to_owned(),
            "PRAGMA writable_schema = ON".to_owned(),
            "BEGIN IMMEDIATE".to_owned(),
            "SELECT load_extension('x')".to_owned(),
            "REINDEX".to_owned(),
        ] {
            assert!(ask(&tool, &statement).await.is_err(), "{statement}");
        }
        assert_eq!(std::fs::read(&path).unwrap(), before);
        assert!(!other.exists());
    }

    #[tokio::test]
    async fn only_the_first_statement_could_be_run_so_a_second_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = database(folder.path());
        let tool = Sql::open(&path).unwrap();
        assert!(ask(&tool, "SELECT 1; DELETE FROM sales").await.is_err());
    }

    #[test]
    fn what_is_no_database_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        assert!(
            Sql::open(&path)
                .unwrap_err()
                .to_string()
                .ends_with("x.db: no such file")
        );
        std::fs::write(
            &path,
            "This is a text and no database at all, however long.".repeat(50),
        )
        .unwrap();
        let error = Sql::open(&path).unwrap_err().to_string();
        assert!(error.contains("not a database"), "{error}");
    }
}
