//! Python in the sandbox, as a tool: what a snippet prints, and the value of its last expression.

use std::time::Duration;

use async_trait::async_trait;
use redraft_sandbox::{End, Limits};

use super::cut::middle;
use super::{Arguments, SetupError, Tool, ToolError};
use crate::judge::whole_error;
use crate::language::python::Interpreter;

/// Longest result in characters.
const LONGEST: usize = 2000;

/// Runs the snippet in place of `__main__`; the value of a last expression is printed, as at a prompt.
const RUN: &str = "import ast, sys
source = sys.stdin.read()
tree = ast.parse(source, '<code>')
last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
names = {'__name__': '__main__'}
exec(compile(tree, '<code>', 'exec'), names)
if last is not None:
    value = eval(compile(ast.Expression(last.value), '<code>', 'eval'), names)
    if value is not None:
        print(repr(value))
";

/// The Python tool.
#[derive(Debug)]
pub struct PythonTool {
    interpreter: Interpreter,
    limits: Limits,
}

impl PythonTool {
    /// Finds the interpreter.
    pub fn new() -> Result<Self, SetupError> {
        let interpreter = Interpreter::find().map_err(|error| SetupError(error.to_string()))?;
        Ok(Self {
            interpreter,
            limits: Limits {
                cpu: Duration::from_secs(10),
                wall: Duration::from_secs(20),
                memory: 512 << 20,
                output: 64 << 10,
                ..Limits::default()
            },
        })
    }
}

#[async_trait]
impl Tool for PythonTool {
    fn name(&self) -> &'static str {
        "python"
    }

    fn description(&self) -> String {
        "Runs Python code, without network and files, and returns what it prints and the value of its last line.".to_owned()
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str)] {
        &[("code", "the complete code")]
    }

    async fn call(&self, arguments: &Arguments<'_>, _nth: usize) -> Result<String, ToolError> {
        let mut command = self.interpreter.command();
        command
            .limits(self.limits)
            .arg("-c")
            .arg(RUN)
            .stdin(arguments.text("code")?);
        let outcome = tokio::task::spawn_blocking(move || command.run())
            .await
            .map_err(ToolError::new)?
            .map_err(|error| ToolError(whole_error(&error)))?;
        let printed = outcome.stdout.text();
        match outcome.end {
            End::Exited(0) if printed.trim().is_empty() => Err(ToolError(
                "the code ran and printed nothing; print what you want to know".to_owned(),
            )),
            End::Exited(0) => Ok(middle(printed.trim_end(), LONGEST)),
            End::Exited(_) => {
                let complaint = outcome.stderr.text();
                let last = complaint.lines().rev().find(|line| !line.trim().is_empty());
                Err(ToolError(middle(last.unwrap_or("the code failed"), LONGEST)))
            }
            End::CpuTimeout(_) | End::WallTimeout(_) => Err(ToolError("timed out".to_owned())),
            End::MemoryLimit(_) => Err(ToolError("used too much memory".to_owned())),
            End::OutputLimit(_) => Err(ToolError("printed too much".to_owned())),
            _ => Err(ToolError("the code crashed".to_owned())),
        }
    }
}
