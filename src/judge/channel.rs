//! Frames over a stream: four bytes of length, then that many of JSON. No wait is without a limit.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// How often a limit is looked at while nothing comes.
const TICK: Duration = Duration::from_millis(10);

/// Why there is no frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Silence<L> {
    /// The other end is closed.
    Closed,
    /// The frame would be larger than may be.
    TooLarge,
    /// A limit was reached while waiting.
    Limit(L),
}

/// Prepares a stream for [`receive`] and [`send`].
pub(crate) fn prepare(stream: &UnixStream) -> std::io::Result<()> {
    stream.set_read_timeout(Some(TICK))?;
    stream.set_write_timeout(Some(TICK))
}

/// Waits for a frame; `limit` is asked again and again whether to go on.
pub(crate) fn receive<L>(
    mut stream: &UnixStream,
    largest: u64,
    mut limit: impl FnMut() -> Option<L>,
) -> Result<Vec<u8>, Silence<L>> {
    let mut head = [0; 4];
    fill(&mut stream, &mut head, &mut limit)?;
    let length = u32::from_be_bytes(head);
    if u64::from(length) > largest {
        return Err(Silence::TooLarge);
    }
    let mut left = length as usize;
    let mut frame = Vec::new();
    while left > 0 {
        // What was only announced takes no memory.
        let more = left.min(1 << 20);
        let start = frame.len();
        frame.resize(start + more, 0);
        fill(&mut stream, &mut frame[start..], &mut limit)?;
        left -= more;
    }
    Ok(frame)
}

fn fill<L>(
    stream: &mut &UnixStream,
    mut buffer: &mut [u8],
    limit: &mut impl FnMut() -> Option<L>,
) -> Result<(), Silence<L>> {
    while !buffer.is_empty() {
        match stream.read(buffer) {
            Ok(0) => return Err(Silence::Closed),
            Ok(count) => buffer = &mut buffer[count..],
            Err(error) => pause(&error, limit)?,
        }
    }
    Ok(())
}

/// Sends a frame.
pub(crate) fn send<L>(
    mut stream: &UnixStream,
    frame: &[u8],
    mut limit: impl FnMut() -> Option<L>,
) -> Result<(), Silence<L>> {
    let length = u32::try_from(frame.len()).map_err(|_| Silence::TooLarge)?;
    let mut whole = Vec::with_capacity(frame.len() + 4);
    whole.extend_from_slice(&length.to_be_bytes());
    whole.extend_from_slice(frame);
    let mut left = whole.as_slice();
    while !left.is_empty() {
        match stream.write(left) {
            Ok(0) => return Err(Silence::Closed),
            Ok(count) => left = &left[count..],
            Err(error) => pause(&error, &mut limit)?,
        }
    }
    Ok(())
}

/// Goes on after an interruption, unless it is the end or a limit.
fn pause<L>(error: &std::io::Error, limit: &mut impl FnMut() -> Option<L>) -> Result<(), Silence<L>> {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => {
            limit().map_or(Ok(()), |limit| Err(Silence::Limit(limit)))
        }
        ErrorKind::Interrupted => Ok(()),
        _ => Err(Silence::Closed),
    }
}
