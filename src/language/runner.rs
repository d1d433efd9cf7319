//! From a program to a command that runs it, or to what the compiler says against it.

use std::collections::HashMap;
use std::hash::Hash;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use redraft_sandbox::{Command, Limits};
use sha2::{Digest, Sha256};

use super::cache::{Cache, Kept};
use super::compile::{Job, Made, OUT, PREPARED, base_environment};
use super::definition::{CompileLimits, Definition, Library};
use super::expand::Values;
use super::naming::naming;
use super::python::{Interpreter, WITH_COMMON_IMPORTS};
use super::registry;
use super::toolchain::{Missing, Toolchain, remedy};
use crate::task::{Language, Program};

/// Where what was compiled is readable when it runs.
const PROGRAM: &str = "/program";
/// Files of a prepared toolchain may be large: a compiled header, a whole standard library.
const PREPARED_BYTES: u64 = 1 << 30;
const PREPARED_CPU: Duration = Duration::from_mins(10);
/// How many programs are remembered beside the cache on disk.
const MOST_REMEMBERED: usize = 128;

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
    interpreter: Option<Interpreter>,
}

/// A program, or a program with tests around it, to be compiled.
#[derive(Clone, Debug)]
pub(crate) struct Sources {
    pub(crate) language: Language,
    /// The file that the compiler is given; the others lie beside it.
    pub(crate) file: String,
    /// What is started, where that isn't a file: Java's class.
    pub(crate) main: String,
    pub(crate) files: Vec<(String, Vec<u8>)>,
    /// Whether tests are in it: then it is compiled to show faults, not to be fast.
    pub(crate) with_tests: bool,
    /// CPU time for compiling, where a task sets it.
    pub(crate) compile_cpu: Option<Duration>,
}

impl Sources {
    /// Those of a program alone.
    pub(crate) fn of(program: &Program) -> Result<Self, Unprepared> {
        Self::of_text(program.language, program.source.as_bytes(), None)
    }

    /// Those of a program in a file that is called `name`, unless the language decides what it is called.
    fn of_text(language: Language, text: &[u8], name: Option<&str>) -> Result<Self, Unprepared> {
        let definition = registry::definition(language).ok_or_else(|| unknown(language))?;
        let naming = naming(&definition, &String::from_utf8_lossy(text));
        let file = match name {
            Some(name) if naming.file == definition.file => name.to_owned(),
            _ => naming.file,
        };
        Ok(Self {
            language,
            files: vec![(file.clone(), text.to_vec())],
            file,
            main: naming.main,
            with_tests: false,
            compile_cpu: None,
        })
    }
}

fn unknown(language: Language) -> Unprepared {
    Unprepared::Harness(format!(
        "{language} is no language that is known here; --languages adds one"
    ))
}

/// A program that is ready to run.
#[derive(Clone, Debug)]
pub struct Prepared {
    toolchain: Arc<Toolchain>,
    sources: Arc<Sources>,
    kept: Option<Arc<Kept>>,
    libraries: Vec<Installed>,
    values: Values,
}

/// A library that a program uses and that is there.
#[derive(Clone, Debug)]
struct Installed {
    library: Library,
    path: String,
}

impl Runner {
    /// A runner whose Python is the one that is given.
    pub fn with_python(interpreter: Interpreter) -> Self {
        Self {
            interpreter: Some(interpreter),
            ..Self::default()
        }
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
        let libraries = libraries(&toolchain, &sources)?;
        let mut values = toolchain.values.clone();
        values.set("file", &sources.file);
        values.set("main", &sources.main);
        values.set("out", OUT);
        values.set("program", PROGRAM);
        values.set("prepared", PREPARED);
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
            .map(|tests| &tests.flags);
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
            &key("check", &job),
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
                    let found = self.interpreter.clone().map_or_else(Interpreter::find, Ok);
                    let found = found.map_err(|error| Missing {
                        problem: error.to_string(),
                        remedy: remedy(&definition.packages),
                    })?;
                    return Ok(Arc::new(Toolchain::of_interpreter(
                        Arc::clone(definition),
                        &found,
                    )));
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
        let key = key("program", &job);
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
            files: Vec::new(),
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
        let key = key("prepare", &job);
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

fn folder(kept: &Kept) -> Option<PathBuf> {
    match kept {
        Kept::Files { folder, .. } => Some(folder.clone()),
        Kept::Refused(_) => None,
    }
}

/// The libraries that the program uses; one that isn't there is no fault of the program.
fn libraries(toolchain: &Toolchain, sources: &Sources) -> Result<Vec<Installed>, Unprepared> {
    let mut used = Vec::new();
    for library in &toolchain.definition.library {
        let uses = |text: &[u8]| {
            let text = String::from_utf8_lossy(text);
            library.words.iter().any(|word| text.contains(word.as_str()))
        };
        if !sources.files.iter().any(|(_, text)| uses(text)) {
            continue;
        }
        let paths = toolchain.values.expand_all(&library.paths);
        let Some(path) = paths.into_iter().find(|path| std::path::Path::new(path).exists()) else {
            let name = &library.name;
            return Err(Unprepared::Harness(format!(
                "the {} library {name} isn't installed: {}",
                toolchain.definition.title,
                remedy(&library.packages)
            )));
        };
        used.push(Installed {
            library: library.clone(),
            path,
        });
    }
    Ok(used)
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
        let words = values.expand_all(&run.command);
        let mut command = Command::new(words.first().map_or("", String::as_str));
        command.system_libraries();
        for word in words.into_iter().skip(1) {
            command.arg(word);
        }
        for path in self.readable(&run.readable) {
            if path.exists() {
                command.readable(path);
            }
        }
        for (name, value) in base_environment() {
            command.env(name, value);
        }
        for (name, value) in &run.env {
            command.env(name, values.expand(value).concat());
        }
        for installed in &self.libraries {
            command.readable(&installed.path);
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

    fn readable(&self, paths: &[String]) -> Vec<PathBuf> {
        let libraries = self.libraries.iter().map(|installed| &installed.path);
        let paths = self.values.expand_all(paths);
        let paths = paths.iter().chain(libraries).map(PathBuf::from);
        paths.filter(|path| path.is_absolute() && path.exists()).collect()
    }

    fn env(&self, env: &std::collections::BTreeMap<String, String>) -> Vec<(String, String)> {
        env.iter()
            .map(|(name, value)| (name.clone(), self.values.expand(value).concat()))
            .collect()
    }
}

/// The identity of what a job makes: everything that goes into it.
fn key(what: &str, job: &Job<'_>) -> String {
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
    for (name, content) in &job.files {
        add(name.as_bytes());
        add(content);
    }
    format!("{:x}", hasher.finalize())
}

/// What went wrong on our side may go right the next time.
fn lasts<T>(made: &Result<T, Unprepared>) -> bool {
    !matches!(made, Err(Unprepared::Harness(_)))
}

/// Values by key, each made once even if many ask at the same time.
#[derive(Debug)]
struct Memo<K, V>(Mutex<HashMap<K, Arc<OnceLock<V>>>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self(Mutex::new(HashMap::new()))
    }
}

impl<K: Clone + Eq + Hash, V: Clone> Memo<K, V> {
    /// What is known under `key`, or what `make` makes; `lasts` says whether that is to be remembered.
    fn get(&self, key: &K, lasts: impl FnOnce(&V) -> bool, make: impl FnOnce() -> V) -> V {
        let slot = {
            let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if slots.len() >= MOST_REMEMBERED && !slots.contains_key(key) {
                // Those that are being made are left alone.
                slots.retain(|_, slot| slot.get().is_none());
            }
            Arc::clone(slots.entry(key.clone()).or_default())
        };
        let value = slot.get_or_init(make).clone();
        if !lasts(&value) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
        }
        value
    }
}
