//! JSON Lines, packed or not, from a file or stdin.

use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use serde_json::Value;

use super::{Raw, SamplesError};

/// No sample is longer, in bytes; a file that is one endless line ends here.
const LONGEST: u64 = 64 << 20;

/// The lines of a file as objects.
pub(super) fn texts(path: &Path, stdin: bool) -> Result<Lines, SamplesError> {
    let name = if stdin {
        "stdin".to_owned()
    } else {
        path.display().to_string()
    };
    let unreadable = |error: std::io::Error| SamplesError(format!("{name}: {error}"));
    let mut reader: Box<dyn BufRead> = if stdin {
        Box::new(BufReader::new(std::io::stdin()))
    } else {
        Box::new(BufReader::with_capacity(
            1 << 16,
            File::open(path).map_err(unreadable)?,
        ))
    };
    let packed = reader.fill_buf().map_err(unreadable)?.starts_with(&[0x1f, 0x8b]);
    if packed {
        reader = Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(reader)));
    }
    Ok(Lines {
        name,
        reader,
        packed,
        number: 0,
        line: Vec::new(),
        over: false,
    })
}

/// Objects, one a line.
pub(super) struct Lines {
    name: String,
    reader: Box<dyn BufRead>,
    packed: bool,
    number: usize,
    line: Vec<u8>,
    over: bool,
}

impl Lines {
    fn read(&mut self) -> Result<Option<Raw>, SamplesError> {
        loop {
            self.line.clear();
            self.number += 1;
            let place = format!("{}: line {}", self.name, self.number);
            // Split on the newline alone: strings may hold other characters that end a line elsewhere.
            let read = (&mut self.reader).take(LONGEST).read_until(b'\n', &mut self.line);
            let length = read.map_err(|error| {
                SamplesError(if self.packed {
                    format!("{}: can't be unpacked: {error}", self.name)
                } else {
                    format!("{}: {error}", self.name)
                })
            })?;
            if length == 0 {
                return Ok(None);
            }
            if length as u64 == LONGEST {
                return Err(SamplesError(format!(
                    "{place}: is longer than 64 MiB, which is no sample"
                )));
            }
            let text = std::str::from_utf8(&self.line)
                .map_err(|_| SamplesError(format!("{place}: isn't UTF-8 text")))?;
            if text.trim().is_empty() {
                continue;
            }
            let value: Value = serde_json::from_str(text)
                .map_err(|error| SamplesError(format!("{place}: broken JSON: {error}")))?;
            let Value::Object(fields) = value else {
                let what = "not a JSON object with `task_id` and `completion` or `solution`";
                return Err(SamplesError(format!("{place}: {what}")));
            };
            return Ok(Some(Raw { place, fields }));
        }
    }
}

impl Iterator for Lines {
    type Item = Result<Raw, SamplesError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let next = self.read().transpose();
        // Behind an error nothing can be trusted.
        self.over = !matches!(next, Some(Ok(_)));
        next
    }
}
