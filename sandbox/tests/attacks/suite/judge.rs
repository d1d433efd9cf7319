//! Whether what was seen of an attack is what a sandbox that holds lets happen.

use std::time::Duration;

use redraft_sandbox::{Isolation, LayerState};

use super::bait::{Bait, end_processes_with, processes_with};
use super::compiler::compiled;
use super::sandbox::{Ending, Job, Sandbox, Seen};
use super::{Act, Attack, Right};

pub(crate) const PRELUDE: &str = include_str!("prelude.py");
/// What a tool has ended may take so long to be gone when it says that it is over.
const GRACE: Duration = Duration::from_millis(300);
const PYTHON: &str = "/usr/bin/python3";

/// All that was seen of an attack, from inside and from outside.
#[derive(Debug)]
pub(crate) struct Outside {
    pub(crate) seen: Seen,
    /// Processes that were there when the sandbox said that it was over.
    pub(crate) left: usize,
    /// What it did to the host.
    pub(crate) touched: Vec<String>,
    /// The secret is in what it said.
    pub(crate) knows: bool,
}

/// Tries an attack on a sandbox. `None` when there is no compiler for it.
pub(crate) fn attempt(attack: &Attack, sandbox: &dyn Sandbox) -> Option<Outside> {
    let code = match attack.act {
        Act::Python(code) => code,
        Act::C(_) | Act::Missing => "",
    };
    let first_code = attack.first.map_or("", |first| first.act);
    let bait = Bait::new(&format!("{code}\n{first_code}"));
    let variables = bait.variables(sandbox);
    let job = |code: &str| python(attack, &bait, &format!("{variables}{code}"));

    let _first = attack.first.map(|first| {
        let job = job(first.act);
        if first.stays {
            let mut running = sandbox.start(&job);
            running.is_ready().then_some(running)
        } else {
            sandbox.run(&job);
            None
        }
    });
    let job = match attack.act {
        Act::Python(code) => job(code),
        Act::Missing => {
            let mut job = job("");
            job.program = "/usr/bin/no-such-program".into();
            job
        }
        Act::C(source) => {
            let mut job = job("");
            let program = compiled(source)?;
            job.program = program;
            job.args = vec![bait.marker.clone()];
            job
        }
    };
    let seen = sandbox.run(&job);
    let stays = attack.first.is_some_and(|first| first.stays);
    let left = || {
        if stays {
            0
        } else {
            processes_with(&bait.marker).len()
        }
    };
    let mut still_there = left();
    if still_there > 0 && !sandbox.has_limits() {
        std::thread::sleep(GRACE);
        still_there = left();
    }
    let touched = bait.touched();
    let knows = bait.is_in(&seen.stdout) || bait.is_in(&seen.stderr);
    end_processes_with(&bait.marker);
    Some(Outside {
        seen,
        left: still_there,
        touched,
        knows,
    })
}

fn python(attack: &Attack, bait: &Bait, code: &str) -> Job {
    let args = ["-I", "-S", "-c", PRELUDE, code, &bait.marker];
    let files = attack.files.iter();
    Job {
        program: PYTHON.into(),
        args: args.map(str::to_owned).to_vec(),
        readable: bait.readable().into_iter().collect(),
        files: files
            .map(|(path, content)| ((*path).to_owned(), content.as_bytes().to_vec()))
            .collect(),
        stdin: vec![b'q'; attack.stdin],
        limits: attack.limits,
        work: bait.work(),
        marker: bait.marker.clone(),
    }
}

impl Outside {
    /// Why this isn't how a sandbox that holds lets it end; `None` when it is.
    pub(crate) fn wrong(&self, attack: &Attack) -> Option<String> {
        let Seen {
            ending,
            stdout,
            stderr,
            ..
        } = &self.seen;
        let is_not_run = matches!(attack.right, Right::NotRun);
        if let Ending::NotRun(why) = ending
            && !is_not_run
        {
            return Some(format!("it was not run: {why}"));
        }
        if self.left > 0 {
            return Some(format!("{} processes are left", self.left));
        }
        if let Some(touched) = self.touched.first() {
            return Some(touched.clone());
        }
        if self.knows {
            return Some("it has read the secret".to_owned());
        }
        let said = || {
            let error = String::from_utf8_lossy(stderr);
            let last = error.trim_end().lines().last().unwrap_or_default().to_owned();
            format!("{ending:?}, said {:?} {last}", shortened(&self.seen.text()))
        };
        let right = match attack.right {
            Right::Refused => {
                *ending == Ending::Exited(0) && self.seen.says("REFUSED") && !self.seen.says("REACHED")
            }
            Right::RefusedOr(endings) => {
                endings.contains(ending)
                    || (*ending == Ending::Exited(0)
                        && self.seen.says("REFUSED")
                        && !self.seen.says("REACHED"))
            }
            Right::Ends(endings) => endings.contains(ending),
            Right::NotRun => matches!(ending, Ending::NotRun(_)),
            Right::Says(text) => *ending == Ending::Exited(0) && stdout == text.as_bytes(),
            Right::Keeps(endings, bytes) => endings.contains(ending) && stdout.len() == bytes,
        };
        (!right).then(said)
    }

    /// Whether the act got through, as is meant to happen where nothing stops it.
    pub(crate) fn reached(&self, attack: &Attack) -> bool {
        match attack.right {
            Right::Refused | Right::RefusedOr(_) => {
                self.seen.says("REACHED") || self.left > 0 || self.knows || !self.touched.is_empty()
            }
            Right::Ends(_) | Right::NotRun | Right::Says(_) | Right::Keeps(..) => {
                self.wrong(attack).is_some()
            }
        }
    }

    /// The reason why none of the layers that stop the attack is in force, if so.
    pub(crate) fn missing_layer(&self, attack: &Attack) -> Option<String> {
        missing_layer(attack, self.seen.isolation.as_ref()?)
    }
}

fn missing_layer(attack: &Attack, isolation: &Isolation) -> Option<String> {
    let states = attack
        .layers
        .iter()
        .map(|layer| (*layer, isolation.layers.get(*layer)));
    let mut missing = Vec::new();
    for (layer, state) in states {
        match state {
            Some(LayerState::InForce) => return None,
            Some(LayerState::Missing(why)) => missing.push(format!("{layer} is missing: {why}")),
            None => missing.push(format!("there is no layer {layer}")),
        }
    }
    (!missing.is_empty()).then(|| missing.join("; "))
}

fn shortened(text: &str) -> String {
    let text = text.trim_end();
    match text.char_indices().nth(200) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
