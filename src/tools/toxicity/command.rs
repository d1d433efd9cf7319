//! A command of the user's that scores: the text on its stdin, scores as JSON on its stdout.

use std::process::Stdio;

use async_trait::async_trait;
use tokio::io::AsyncWriteExt as _;

use super::super::ToolError;
use super::{Scorer, Scores, parse_scores};

/// A command that scores. It is the user's own and runs as the user, not confined.
#[derive(Debug)]
pub struct ScorerCommand {
    command: String,
}

impl ScorerCommand {
    /// A command for the shell.
    pub fn new(command: &str) -> Self {
        Self {
            command: command.trim().to_owned(),
        }
    }
}

#[async_trait]
impl Scorer for ScorerCommand {
    async fn score(&self, text: &str) -> Result<Scores, ToolError> {
        let failed = |error: std::io::Error| ToolError(format!("the scorer `{}`: {error}", self.command));
        let mut child = tokio::process::Command::new("sh")
            .args(["-c", &self.command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // When the time is up, the waiting is dropped, and the command with it.
            .kill_on_drop(true)
            .spawn()
            .map_err(failed)?;
        let mut stdin = child.stdin.take();
        let write = async {
            if let Some(mut stdin) = stdin.take() {
                // One that doesn't read its input may still score.
                let _ = stdin.write_all(text.as_bytes()).await;
            }
        };
        let ((), output) = tokio::join!(write, child.wait_with_output());
        let output = output.map_err(failed)?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.lines().rev().find(|line| !line.trim().is_empty());
            return Err(ToolError(format!(
                "the scorer `{}` ended with {}: {}",
                self.command,
                output.status,
                last.unwrap_or("it said nothing")
            )));
        }
        parse_scores(&String::from_utf8_lossy(&output.stdout))
            .map_err(|problem| ToolError(format!("the scorer `{}` gives {problem}", self.command)))
    }

    fn source(&self) -> String {
        format!("command {}", self.command)
    }
}
