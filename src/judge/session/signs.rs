//! Signs of cheating, which the program's driver tells between its answers.

use std::collections::BTreeSet;

use crate::judge::channel::Silence;
use crate::judge::message::FromProgram;
use crate::judge::side::Side;
use crate::judge::value::Impossible;
use crate::task::Flag;

/// More signs than there are can't be told in one go.
const MOST: usize = 32;

/// Waits for a message that isn't a sign; signs that come before it are noted.
pub(super) fn hear(
    side: &Side,
    mut limit: impl FnMut() -> Option<()>,
    signs: &mut BTreeSet<Flag>,
) -> Result<Result<FromProgram, Impossible>, Silence<()>> {
    for _ in 0..MOST {
        let frame = side.receive(&mut limit)?;
        match FromProgram::read(&frame) {
            Ok(FromProgram::Seen(flag)) => signs.insert(flag),
            other => return Ok(other),
        };
    }
    Ok(Err(Impossible("signs without end")))
}
