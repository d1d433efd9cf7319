//! What the two sides say to us and to each other.

use serde::{Deserialize, Serialize};

use super::value::{Atom, Impossible, Node, Raised, check};
use crate::task::Flag;

/// One side's question to the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ask {
    pub(crate) id: u64,
    op: String,
    operands: Vec<Atom>,
    named: Vec<(String, Atom)>,
    nodes: Vec<Node>,
    /// What the program has printed since it last said something, on stdout and stderr.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output: Option<(String, String)>,
}

/// The answer: a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Return {
    pub(crate) id: u64,
    value: Atom,
    nodes: Vec<Node>,
    /// Which nodes are which of the question's: arguments that may have changed.
    same: Vec<(usize, usize)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output: Option<(String, String)>,
}

/// The answer: an exception.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Raise {
    pub(crate) id: u64,
    error: Raised,
    nodes: Vec<Node>,
    same: Vec<(usize, usize)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output: Option<(String, String)>,
}

/// What comes from the program's side. All of it is data that a program could have made up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FromProgram {
    /// The program is loaded.
    Ready {},
    /// It could not be loaded.
    Broken(Raised),
    Ask(Ask),
    Return(Return),
    Raise(Raise),
    /// It did something that is a sign of cheating.
    Seen(Flag),
}

impl FromProgram {
    /// Reads and checks a frame.
    pub(crate) fn read(frame: &[u8]) -> Result<Self, Impossible> {
        let message: Self =
            serde_json::from_slice(frame).map_err(|_| Impossible("a message that can't be read"))?;
        match &message {
            Self::Ready {} | Self::Broken(_) | Self::Seen(_) => {}
            Self::Ask(ask) => ask.check()?,
            Self::Return(answer) => {
                same(&answer.same, &answer.nodes)?;
                check(&answer.nodes, [&answer.value])?;
            }
            Self::Raise(answer) => {
                same(&answer.same, &answer.nodes)?;
                check(&answer.nodes, answer.error.args())?;
            }
        }
        Ok(message)
    }
}

impl Ask {
    fn check(&self) -> Result<(), Impossible> {
        check(
            &self.nodes,
            self.operands
                .iter()
                .chain(self.named.iter().map(|(_, atom)| atom)),
        )
    }

    /// How many nodes the question has, for the answer to refer to.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes.len()
    }
}

impl Return {
    /// Checks that all `same` are nodes of a question with that many.
    pub(crate) fn answers(&self, nodes: usize) -> bool {
        self.same.iter().all(|(_, origin)| *origin < nodes)
    }
}

impl ToTests<'_> {
    /// Whether the program is to run in the tests' sandbox.
    pub(crate) fn is_together(&self) -> bool {
        matches!(
            self,
            Self::Script { beside: Some(_), .. } | Self::Suite { beside: Some(_), .. }
        )
    }
}

impl Raise {
    /// As [`Return::answers`].
    pub(crate) fn answers(&self, nodes: usize) -> bool {
        self.same.iter().all(|(_, origin)| *origin < nodes)
    }
}

fn same(same: &[(usize, usize)], nodes: &[Node]) -> Result<(), Impossible> {
    let good = same.iter().all(|(at, _)| *at < nodes.len());
    good.then_some(())
        .ok_or(Impossible("an argument that isn't there"))
}

/// What we say to the program's side.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ToProgram<'a> {
    Start {
        generation: u64,
        common_imports: bool,
        /// Whether what it prints is to be told with its answers.
        relay: bool,
        /// Whether signs of cheating are to be told.
        watch: bool,
    },
    Ask(&'a Ask),
    Return(&'a Return),
    Raise(&'a Raise),
}

/// What comes from the tests' side.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FromTests {
    /// The assertions that a script holds, before it runs.
    Plan {
        assertions: Vec<Planned>,
    },
    /// An assertion begins.
    Begin(Begin),
    /// An assertion is over.
    Result(Judged),
    /// A test of a framework's file was left out by the file itself.
    Skipped {
        key: usize,
    },
    /// The test can't be kept apart from the program; nothing more comes.
    Reaches {
        why: String,
    },
    /// The test is over, or could not be run for a reason that isn't the program's.
    End {
        problem: Option<String>,
    },
    Ask(Ask),
    Return(Return),
    Raise(Raise),
}

/// An assertion of a script, as its source says.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Planned {
    pub(crate) line: String,
    pub(crate) input: String,
    pub(crate) expected: String,
    pub(crate) assertion: String,
}

/// An assertion that begins.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Begin {
    /// Its number in the plan; none for a call.
    pub(crate) key: Option<usize>,
    /// How often it has begun.
    pub(crate) time: usize,
    /// How many have begun in all.
    pub(crate) started: usize,
}

/// What became of an assertion.
#[derive(Debug, Deserialize)]
pub(crate) struct Judged {
    pub(crate) key: Option<usize>,
    /// Where there is no key: the line.
    #[serde(default)]
    pub(crate) line: String,
    pub(crate) time: usize,
    pub(crate) verdict: crate::task::Verdict,
    pub(crate) input: String,
    pub(crate) expected: String,
    pub(crate) actual: Option<String>,
    pub(crate) error: Option<String>,
}

/// What the tests' side needs to run the program in its own sandbox. Code is compiled, and in base64.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Beside<'a> {
    /// What it loads itself.
    driver: &'a str,
    /// What the program's process is to run.
    program: &'a str,
    /// What that one is started with.
    boot: &'a str,
    common_imports: bool,
}

impl<'a> Beside<'a> {
    pub(crate) fn new(bench: &'a super::Bench) -> Result<Self, super::Trouble> {
        let drivers = &bench.python()?.drivers;
        let together = drivers.together().map_err(super::Trouble)?;
        Ok(Self {
            driver: &together.tests,
            program: &together.program,
            boot: &drivers.boot,
            common_imports: bench.options.common_imports,
        })
    }
}

/// What we say to the tests' side.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ToTests<'a> {
    /// Run a script, but for the first `skip` assertions.
    Script {
        code: &'a str,
        form: crate::task::ScriptForm,
        entry: Option<&'a str>,
        skip: usize,
        /// Whether one failure is enough.
        stop: bool,
        /// Under which names it can import the program.
        modules: &'a [String],
        #[serde(skip_serializing_if = "Option::is_none")]
        beside: Option<Beside<'a>>,
    },
    /// Run a framework's file, but for its first `skip` tests.
    Suite {
        /// What runs it, compiled and in base64.
        driver: &'a str,
        code: &'a str,
        form: crate::task::ScriptForm,
        skip: usize,
        stop: bool,
        modules: &'a [String],
        #[serde(skip_serializing_if = "Option::is_none")]
        beside: Option<Beside<'a>>,
    },
    /// Make one call and compare what it returns.
    Call {
        entry: &'a str,
        arguments: &'a [serde_json::Value],
        expected: &'a serde_json::Value,
        compare: crate::task::Compare,
    },
    Ask(&'a Ask),
    Return(&'a Return),
    Raise(&'a Raise),
    /// There is no answer: the program ended or used up a limit.
    Ended {
        id: u64,
        verdict: crate::task::Verdict,
        error: &'a str,
    },
}
