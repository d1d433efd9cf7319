//! The two drivers, compiled once by the interpreter that will run them.

use std::sync::OnceLock;

use redraft_sandbox::{Command, End};

use super::Interpreter;

/// Reads compiled code from the channel and runs it: what both sides are started with.
const BOOT: &str = "import marshal, os, sys
sys.path[1:] = SEARCH
def _take(n):
    b = b''
    while len(b) < n:
        c = os.read(3, n - len(b))
        if not c:
            os._exit(0)
        b += c
    return b
exec(marshal.loads(_take(int.from_bytes(_take(4), 'big'))))
";

/// Compiles what comes on stdin and writes it to stdout, ready to be loaded.
const COMPILE: &str = "import marshal, sys
sys.stdout.buffer.write(marshal.dumps(compile(sys.stdin.buffer.read(), '<redraft>', 'exec')))
";

const SHARED: [&str; 5] = [
    include_str!("codec.py"),
    include_str!("decoder.py"),
    include_str!("frames.py"),
    include_str!("peer.py"),
    include_str!("stand_ins.py"),
];
const PROGRAM: [&str; 3] = [
    include_str!("common.py"),
    include_str!("watch.py"),
    include_str!("program.py"),
];
const TESTS: [&str; 5] = [
    include_str!("rewrite.py"),
    include_str!("record.py"),
    include_str!("compare.py"),
    include_str!("vacuous.py"),
    include_str!("tests.py"),
];

/// What the tests' side loads only to run a framework's file.
const SUITES: [&str; 4] = [
    include_str!("suite.py"),
    include_str!("suite_unittest.py"),
    include_str!("suite_pytest.py"),
    include_str!("suite_doctest.py"),
];

/// What the tests' side loads only to have the program in its own sandbox …
const BESIDE: [&str; 3] = [
    include_str!("world.py"),
    include_str!("beside.py"),
    include_str!("reach.py"),
];
/// … and what the program's side then has on top.
const REACHED: [&str; 2] = [include_str!("world.py"), include_str!("reached.py")];

/// Drivers for both sides in one sandbox: compiled, and in base64.
#[derive(Debug)]
pub(crate) struct Together {
    /// What the tests' side loads.
    pub(crate) tests: String,
    /// What the program's side runs.
    pub(crate) program: String,
}

/// The drivers as compiled code.
#[derive(Debug)]
pub(crate) struct Drivers {
    /// Loads a program and answers calls.
    pub(crate) program: Vec<u8>,
    /// Runs tests with stand-ins for the program.
    pub(crate) tests: Vec<u8>,
    interpreter: Interpreter,
    suites: OnceLock<Result<String, String>>,
    together: OnceLock<Result<Together, String>>,
    /// What both are started with: Python that reads the driver from the channel.
    pub(crate) boot: String,
}

impl Drivers {
    /// Compiles them, in a sandbox; so this also shows whether the interpreter can be run at all.
    pub(crate) fn compile(interpreter: &Interpreter) -> Result<Self, String> {
        let (program, tests) = std::thread::scope(|scope| {
            let program = scope.spawn(|| compiled(interpreter, whole(&PROGRAM)));
            let tests = compiled(interpreter, whole(&TESTS));
            (program.join(), tests)
        });
        let program = program.map_err(|_| "compiling the drivers failed".to_owned())??;
        let tests = tests?;
        // JSON's lists of strings are Python's, too.
        let search = serde_json::to_string(interpreter.search()).map_err(|error| error.to_string())?;
        Ok(Self {
            program,
            tests,
            interpreter: interpreter.clone(),
            suites: OnceLock::new(),
            together: OnceLock::new(),
            boot: BOOT.replacen("SEARCH", &search, 1),
        })
    }

    /// What the tests' side loads for a framework's file: compiled, and in base64. Made when it is first needed.
    pub(crate) fn suites(&self) -> Result<&str, String> {
        let made = self
            .suites
            .get_or_init(|| Ok(base64(&compiled(&self.interpreter, SUITES.join("\n"))?)));
        made.as_deref().map_err(Clone::clone)
    }

    /// The drivers for both sides in one sandbox. Made when they are first needed.
    pub(crate) fn together(&self) -> Result<&Together, String> {
        let made = self.together.get_or_init(|| {
            let program = whole(&[&REACHED[..], &PROGRAM[..]].concat());
            Ok(Together {
                tests: base64(&compiled(&self.interpreter, BESIDE.join("\n"))?),
                program: base64(&compiled(&self.interpreter, program)?),
            })
        });
        made.as_ref().map_err(Clone::clone)
    }
}

/// A whole driver's source.
fn whole(own: &[&str]) -> String {
    [&SHARED, own].concat().join("\n")
}

fn compiled(interpreter: &Interpreter, source: String) -> Result<Vec<u8>, String> {
    let mut command: Command = interpreter.bare_command();
    command.arg("-c").arg(COMPILE).stdin(source);
    let outcome = command.run().map_err(|error| crate::judge::whole_error(&error))?;
    if outcome.end == End::Exited(0) && !outcome.stdout.bytes.is_empty() {
        Ok(outcome.stdout.bytes)
    } else {
        Err(format!(
            "{} doesn't run in the sandbox ({:?}): {}",
            interpreter.executable().display(),
            outcome.end,
            outcome.stderr.text().trim()
        ))
    }
}

/// Bytes as text, as the drivers read them.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk
            .iter()
            .fold(0_u32, |group, byte| group << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for at in 0..4 {
            let digit = ALPHABET[(group >> (18 - 6 * at) & 63) as usize];
            text.push(if at > chunk.len() { '=' } else { char::from(digit) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn bytes_as_text() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("fo\u{fb}ob", "Zm/Du29i"),
        ] {
            assert_eq!(super::base64(bytes.as_bytes()), text);
        }
    }
}
