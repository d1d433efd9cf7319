//! The two drivers, compiled once by the interpreter that will run them.

use redraft_sandbox::{Command, End, Isolation};

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

const SHARED: [&str; 4] = [
    include_str!("codec.py"),
    include_str!("decoder.py"),
    include_str!("peer.py"),
    include_str!("stand_ins.py"),
];
const PROGRAM: [&str; 2] = [include_str!("common.py"), include_str!("program.py")];
const TESTS: [&str; 4] = [
    include_str!("rewrite.py"),
    include_str!("record.py"),
    include_str!("compare.py"),
    include_str!("tests.py"),
];

/// Both drivers as compiled code.
#[derive(Debug)]
pub(crate) struct Drivers {
    /// Loads a program and answers calls.
    pub(crate) program: Vec<u8>,
    /// Runs tests with stand-ins for the program.
    pub(crate) tests: Vec<u8>,
    /// The layers that were in force when they were compiled.
    pub(crate) isolation: Isolation,
    /// What both are started with: Python that reads the driver from the channel.
    pub(crate) boot: String,
}

impl Drivers {
    /// Compiles them, in a sandbox; so this also shows whether programs can be run at all.
    pub(crate) fn compile(interpreter: &Interpreter) -> Result<Self, String> {
        let (program, tests) = std::thread::scope(|scope| {
            let program = scope.spawn(|| compiled(interpreter, &PROGRAM));
            let tests = compiled(interpreter, &TESTS);
            (program.join(), tests)
        });
        let (program, isolation) = program.map_err(|_| "compiling the drivers failed".to_owned())??;
        let (tests, _) = tests?;
        // JSON's lists of strings are Python's, too.
        let search = serde_json::to_string(interpreter.search()).map_err(|error| error.to_string())?;
        Ok(Self {
            program,
            tests,
            isolation,
            boot: BOOT.replacen("SEARCH", &search, 1),
        })
    }
}

fn compiled(interpreter: &Interpreter, own: &[&str]) -> Result<(Vec<u8>, Isolation), String> {
    let source = SHARED.iter().chain(own).copied().collect::<Vec<_>>().join("\n");
    let mut command: Command = interpreter.bare_command();
    command.arg("-c").arg(COMPILE).stdin(source);
    let outcome = command.run().map_err(|error| crate::judge::whole_error(&error))?;
    if outcome.end == End::Exited(0) && !outcome.stdout.bytes.is_empty() {
        Ok((outcome.stdout.bytes, outcome.isolation))
    } else {
        Err(format!(
            "{} doesn't run in the sandbox ({:?}): {}",
            interpreter.executable().display(),
            outcome.end,
            outcome.stderr.text().trim()
        ))
    }
}
