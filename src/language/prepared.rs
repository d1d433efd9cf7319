//! A program that is ready to run, as often as wanted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use redraft_sandbox::{Command, Limits};

use super::cache::Kept;
use super::compile::base_environment;
use super::expand::Values;
use super::libraries::Installed;
use super::python::WITH_COMMON_IMPORTS;
use super::runner::{PROGRAM, folder};
use super::sources::Sources;
use super::toolchain::Toolchain;

/// What UTC is, for those who ask the system.
const TIME_ZONES: &str = "/usr/share/zoneinfo";

/// A program that is ready to run.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub(super) toolchain: Arc<Toolchain>,
    pub(super) sources: Arc<Sources>,
    pub(super) kept: Option<Arc<Kept>>,
    pub(super) libraries: Vec<Installed>,
    pub(super) values: Values,
}

impl Prepared {
    /// A confined run of the program with these limits, and with what its language itself needs on top of them.
    pub fn command(&self, limits: &Limits) -> Command {
        let run = &self.toolchain.definition.run;
        let mut values = self.values.clone();
        values.set("memory_mb", (limits.memory >> 20).max(1).to_string());
        if let Some(interpreter) = &self.toolchain.interpreter {
            let mut command = interpreter.command();
            self.finish(&mut command, limits);
            return command.arg(&self.sources.file).clone();
        }
        let tests = self
            .toolchain
            .definition
            .tests
            .as_ref()
            .filter(|_| self.sources.with_tests);
        let words = values.expand_all(
            tests
                .and_then(|tests| tests.command.as_ref())
                .unwrap_or(&run.command),
        );
        let mut command = Command::new(words.first().map_or("", String::as_str));
        command.system_libraries();
        for word in words.into_iter().skip(1) {
            command.arg(word);
        }
        for path in self.readable(&run.readable) {
            command.readable(path);
        }
        if Path::new(TIME_ZONES).exists() {
            command.readable(TIME_ZONES);
        }
        for (name, value) in base_environment() {
            command.env(name, value);
        }
        for (name, value) in &run.env {
            command.env(name, values.expand(value).concat());
        }
        for installed in &self.libraries {
            command.readable(installed.folder());
            for (name, value) in &installed.library.env {
                command.env(name, values.expand(value).concat());
            }
        }
        self.finish(&mut command, limits);
        command
    }

    /// As [`Self::command`]; for Python with the imports in front that graders commonly put there.
    pub(crate) fn command_with(&self, limits: &Limits, common_imports: bool) -> Command {
        match &self.toolchain.interpreter {
            Some(interpreter) if common_imports => {
                let mut command = interpreter.command();
                command.arg("-c").arg(WITH_COMMON_IMPORTS);
                self.finish(&mut command, limits);
                command.arg(&self.sources.file).clone()
            }
            _ => self.command(limits),
        }
    }

    fn finish(&self, command: &mut Command, limits: &Limits) {
        let extra = self.toolchain.definition.run.extra;
        for (name, text) in &self.sources.beside {
            command.file(name, text.as_slice());
        }
        match self.kept.as_deref().and_then(folder) {
            Some(folder) => {
                command.readable_as(folder, PROGRAM);
            }
            None => {
                for (name, text) in &self.sources.files {
                    command.file(name, text.as_slice());
                }
            }
        }
        command.limits(Limits {
            cpu: limits.cpu + extra.cpu,
            memory: limits.memory.saturating_add(extra.memory),
            processes: limits.processes.saturating_add(extra.processes),
            ..*limits
        });
    }

    /// Whether what a failed program wrote to stderr says that it had no memory left.
    pub(crate) fn is_out_of_memory(&self, stderr: &str) -> bool {
        let words = &self.toolchain.definition.run.out_of_memory;
        words.iter().any(|word| stderr.contains(word.as_str()))
    }

    pub(super) fn readable(&self, paths: &[String]) -> Vec<PathBuf> {
        let libraries = self
            .libraries
            .iter()
            .map(|installed| installed.folder().to_owned());
        let paths = self.values.expand_all(paths);
        let paths = paths.iter().map(PathBuf::from).chain(libraries);
        paths.filter(|path| path.is_absolute() && path.exists()).collect()
    }

    pub(super) fn env(&self, env: &BTreeMap<String, String>) -> Vec<(String, String)> {
        env.iter()
            .map(|(name, value)| (name.clone(), self.values.expand(value).concat()))
            .collect()
    }
}
