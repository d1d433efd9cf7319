//! From a program to a command that runs it, or to what the compiler says against it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::cache::{Cache, Kept};
use super::compile::{Job, Made, OUT, PREPARED};
use super::definition::{CompileLimits, Definition, Prepare};
use super::libraries::{Installed, libraries};
use super::memo::Memo;
use super::prepared::Prepared;
use super::python::{Interpreter, InterpreterError};
use super::registry;
use super::sources::Sources;
use super::together::ASSERT_IN_GO;
use super::toolchain::{Missing, Toolchain, remedy};
use crate::task::{Language, Program};

/// Where what was compiled is readable when it runs.
pub(super) const PROGRAM: &str = "/program";
/// Files of a prepared toolchain may be large: a compiled header, a whole standard library.
const PREPARED_BYTES: u64 = 1 << 30;
const PREPARED_CPU: Duration = Duration::from_mins(10);

/// Why a program can't be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unprepared {
    /// It isn't a program of its language: the compiler's words.
    Refused(String),
    /// Our fault or the host's, never the program's: a missing compiler, a full disk.
    Harness(String),
}

/// Compiles programs and says how to run them. What was compiled is kept, in this process and on disk.
#[derive(Debug, Default)]
pub struct Runner {
    toolchains: Memo<Language, Result<Arc<Toolchain>, Missing>>,
    prepared: Memo<String, Result<Arc<Kept>, Unprepared>>,
    compiled: Memo<String, Result<Arc<Kept>, Unprepared>>,
    checked: Memo<String, Option<String>>,
    cache: OnceLock<Result<Cache, String>>,
    interpreter: OnceLock<Result<Interpreter, InterpreterError>>,
}

pub(super) fn unknown(language: Language) -> Unprepared {
    Unprepared::Harness(format!(
        "{language} is no language that is known here; --languages adds one"
    ))
}

impl Runner {
    /// The interpreter for Python, looked for once.
    pub(crate) fn interpreter(&self) -> Result<&Interpreter, &InterpreterError> {
        self.interpreter.get_or_init(Interpreter::find).as_ref()
    }

    /// Makes a program ready to run.
    pub fn prepare(&self, program: &Program) -> Result<Prepared, Unprepared> {
        self.prepare_sources(Sources::of(program)?)
    }

    /// Makes the program of a file ready to run, under the file's own name.
    pub fn prepare_file(&self, language: Language, name: &str, text: &[u8]) -> Result<Prepared, Unprepared> {
        self.prepare_sources(Sources::of_text(language, text, Some(name))?)
    }

    pub(crate) fn prepare_sources(&self, sources: Sources) -> Result<Prepared, Unprepared> {
        let toolchain = self.toolchain(sources.language)?;
        let definition = &toolchain.definition;
        let mut values = toolchain.values.clone();
        values.set_all("file", sources.compiled.clone());
        values.set("main", &sources.main);
        values.set("out", OUT);
        values.set("program", PROGRAM);
        values.set("prepared", PREPARED);
        values.set("version", &toolchain.version);
        values.set("cache", cache_folder().to_string_lossy());
        let libraries = libraries(&toolchain, &values, &sources)?;
        let mut flags = Vec::new();
        for installed in &libraries {
            let mut values = values.clone();
            values.set("path", &installed.path);
            flags.extend(values.expand_all(&installed.library.flags));
        }
        values.set_all("libraries", flags);
        let tests = definition
            .tests
            .as_ref()
            .filter(|_| sources.with_tests)
            .and_then(|tests| tests.flags.as_ref());
        let flags = tests.or(definition.compile.as_ref().map(|compile| &compile.flags));
        let flags = flags.map_or_else(Vec::new, |flags| values.expand_all(flags));
        values.set_all("flags", flags);
        let mut prepared = Prepared {
            sources: Arc::new(sources),
            kept: None,
            libraries,
            values,
            toolchain,
        };
        if prepared.toolchain.definition.compile.is_some() {
            prepared.kept = Some(self.compiled(&prepared)?);
        }
        Ok(prepared)
    }

    /// What is against the program being one of its language, where that is found without running it and the
    /// language isn't compiled.
    pub(crate) fn refusal_of(&self, program: &Program) -> Option<String> {
        registry::definition(program.language)?.check.as_ref()?;
        self.refusal(&self.prepare(program).ok()?)
    }

    /// As [`Self::refusal_of`], of a program that is ready to run.
    pub(crate) fn refusal(&self, prepared: &Prepared) -> Option<String> {
        let check = prepared.toolchain.definition.check.as_ref()?;
        let steps: Vec<_> = check
            .steps
            .iter()
            .map(|step| prepared.values.expand_all(step))
            .collect();
        let job = Job {
            readable: prepared.readable(&prepared.toolchain.definition.run.readable),
            env: Vec::new(),
            prepared: None,
            files: prepared.sources.files.clone(),
            limits: CompileLimits::default(),
            keep: false,
            toolchain: &prepared.toolchain,
            steps,
        };
        self.checked.get(
            &key("check", &job, &[]),
            |_| true,
            || match job.carry_out() {
                Ok(Made::Refused(diagnostics)) => Some(diagnostics),
                // It is only asked about programs that failed by themselves.
                Ok(Made::Files(_) | Made::Exceeded(_)) | Err(_) => None,
            },
        )
    }

    /// The toolchain of a language, looked for once.
    pub(crate) fn toolchain(&self, language: Language) -> Result<Arc<Toolchain>, Unprepared> {
        let definition = registry::definition(language).ok_or_else(|| unknown(language))?;
        let found = self.found(language, &definition);
        found.map_err(|missing| Unprepared::Harness(missing.to_string()))
    }

    /// As [`Self::toolchain`], with what is missing in parts.
    pub(super) fn found(
        &self,
        language: Language,
        definition: &Arc<Definition>,
    ) -> Result<Arc<Toolchain>, Missing> {
        self.toolchains.get(
            &language,
            |_| true,
            || {
                if language == Language::PYTHON {
                    let found = self.interpreter().map_err(|error| Missing {
                        problem: error.to_string(),
                        remedy: remedy(&definition.packages),
                    })?;
                    return Ok(Arc::new(Toolchain::of_interpreter(Arc::clone(definition), found)));
                }
                Toolchain::find(definition).map(Arc::new)
            },
        )
    }

    fn cache(&self) -> Result<&Cache, Unprepared> {
        let opened = self
            .cache
            .get_or_init(|| Cache::open().map_err(|error| error.to_string()));
        opened.as_ref().map_err(|error| {
            Unprepared::Harness(format!("there is no place to keep compiled programs in: {error}"))
        })
    }

    fn compiled(&self, program: &Prepared) -> Result<Arc<Kept>, Unprepared> {
        let toolchain = &program.toolchain;
        let Some(compile) = &toolchain.definition.compile else {
            return Err(Unprepared::Harness("there is nothing to compile".to_owned()));
        };
        let prepared = self.prepared(program)?;
        let mut limits = compile.limits;
        limits.cpu = program.sources.compile_cpu.unwrap_or(limits.cpu);
        let mut env = program.env(&compile.env);
        for installed in &program.libraries {
            env.extend(program.env(&installed.library.env));
        }
        let job = Job {
            toolchain,
            steps: compile
                .steps
                .iter()
                .map(|step| program.values.expand_all(step))
                .collect(),
            files: program.sources.files.clone(),
            prepared: prepared.as_deref().and_then(folder),
            readable: program.readable(&compile.readable),
            env,
            limits,
            keep: true,
        };
        let key = key("program", &job, &program.libraries);
        self.compiled.get(&key, lasts, || self.make(&key, &job))
    }

    /// What is made once for a toolchain and its flags.
    fn prepared(&self, program: &Prepared) -> Result<Option<Arc<Kept>>, Unprepared> {
        let definition = &program.toolchain.definition;
        let (Some(prepare), Some(compile)) = (&definition.prepare, &definition.compile) else {
            return Ok(None);
        };
        let mut values = program.values.clone();
        values.set_all("libraries", Vec::new());
        let job = Job {
            toolchain: &program.toolchain,
            steps: prepare.steps.iter().map(|step| values.expand_all(step)).collect(),
            files: prepare_files(prepare),
            prepared: None,
            readable: program.readable(&compile.readable),
            env: program.env(&compile.env),
            limits: CompileLimits {
                cpu: PREPARED_CPU,
                scratch: PREPARED_BYTES,
                ..compile.limits
            },
            keep: true,
        };
        let key = key("prepare", &job, &[]);
        let made = self.prepared.get(&key, lasts, || self.make(&key, &job));
        match made {
            Ok(kept) => Ok(Some(kept)),
            Err(Unprepared::Refused(why)) if prepare.needed => Err(Unprepared::Harness(format!(
                "{} can't be prepared: {why}",
                definition.title
            ))),
            Err(Unprepared::Refused(why)) => {
                tracing::warn!("{} can't be prepared: {why}", definition.title);
                Ok(None)
            }
            Err(harness) => Err(harness),
        }
    }

    fn make(&self, key: &str, job: &Job<'_>) -> Result<Arc<Kept>, Unprepared> {
        let cache = self.cache()?;
        let ours =
            |error: std::io::Error| Unprepared::Harness(format!("a compiled program can't be kept: {error}"));
        let kept = match cache.get(key) {
            Some(kept) => kept,
            None => match job.carry_out().map_err(Unprepared::Harness)? {
                Made::Files(files) => cache.put(key, &files).map_err(ours)?,
                Made::Refused(diagnostics) => cache.put_refused(key, &diagnostics).map_err(ours)?,
                Made::Exceeded(what) => return Err(Unprepared::Refused(what)),
            },
        };
        match kept {
            Kept::Refused(diagnostics) => Err(Unprepared::Refused(diagnostics)),
            files @ Kept::Files { .. } => Ok(Arc::new(files)),
        }
    }
}

/// A file whose content is `{assert}` is a stand-in of ours for Go's usual library of assertions.
fn prepare_files(prepare: &Prepare) -> Vec<(String, Vec<u8>)> {
    let content = |text: &String| match text.as_str() {
        "{assert}" => ASSERT_IN_GO.as_bytes().to_vec(),
        other => other.as_bytes().to_vec(),
    };
    prepare
        .files
        .iter()
        .map(|(name, text)| (name.clone(), content(text)))
        .collect()
}

pub(super) fn folder(kept: &Kept) -> Option<PathBuf> {
    match kept {
        Kept::Files { folder, .. } => Some(folder.clone()),
        Kept::Refused(_) => None,
    }
}

/// What went wrong on our side may go right the next time.
fn lasts<T>(made: &Result<T, Unprepared>) -> bool {
    !matches!(made, Err(Unprepared::Harness(_)))
}

/// The identity of what a job makes: everything that goes into it.
fn key(what: &str, job: &Job<'_>, libraries: &[Installed]) -> String {
    let mut hasher = Sha256::new();
    let mut add = |text: &[u8]| {
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    };
    add(what.as_bytes());
    add(job.toolchain.identity.as_bytes());
    add(format!(
        "{:?} {:?} {:?} {:?}",
        job.steps,
        job.env,
        job.limits,
        job.prepared.is_some()
    )
    .as_bytes());
    for installed in libraries {
        add(installed.stamp().as_bytes());
    }
    for (name, content) in &job.files {
        add(name.as_bytes());
        add(content);
    }
    format!("{:x}", hasher.finalize())
}

/// Where redraft keeps what can be made again.
fn cache_folder() -> PathBuf {
    let suites = crate::task::suites::cache_dir();
    suites.parent().map_or_else(PathBuf::new, Path::to_owned)
}
