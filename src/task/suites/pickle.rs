//! Python's pickles, as far as they are data.
//!
//! A pickle is a program for a small machine that can import and call anything. This reader knows only the
//! instructions that make texts, numbers, lists, dicts and the like, and refuses a pickle with any other; so nothing in
//! it can be run.

use std::collections::HashMap;

use serde_json::{Map, Number, Value};

/// More than that, all copies counted, is no data of a task.
const LARGEST: usize = 1 << 30;

/// Reads a pickle.
pub(super) fn read(bytes: &[u8]) -> Result<Value, String> {
    Machine {
        bytes,
        at: 0,
        stack: Vec::new(),
        marks: Vec::new(),
        memo: HashMap::new(),
        copied: 0,
    }
    .run()
}

struct Machine<'a> {
    bytes: &'a [u8],
    at: usize,
    stack: Vec<Value>,
    marks: Vec<usize>,
    memo: HashMap<usize, Value>,
    copied: usize,
}

impl Machine<'_> {
    fn run(mut self) -> Result<Value, String> {
        loop {
            let place = self.at;
            match self.byte()? {
                // PROTO and FRAME say how the rest is written.
                0x80 => drop(self.byte()?),
                0x95 => drop(self.take(8)?),
                b'.' => {
                    let value = self.pop()?;
                    return if self.stack.is_empty() && self.marks.is_empty() {
                        Ok(value)
                    } else {
                        Err("the pickle ends in the middle".to_owned())
                    };
                }
                b'(' => self.marks.push(self.stack.len()),
                b'N' => self.stack.push(Value::Null),
                0x88 => self.stack.push(Value::Bool(true)),
                0x89 => self.stack.push(Value::Bool(false)),
                b'J' => {
                    let number = i32::from_le_bytes(self.array()?);
                    self.stack.push(number.into());
                }
                b'K' => {
                    let number = self.byte()?;
                    self.stack.push(number.into());
                }
                b'M' => {
                    let number = u16::from_le_bytes(self.array()?);
                    self.stack.push(number.into());
                }
                0x8a => {
                    let length = self.byte()?.into();
                    self.long(length)?;
                }
                b'I' | b'L' => self.digits()?,
                b'G' => {
                    let number = f64::from_be_bytes(self.array()?);
                    self.float(number)?;
                }
                b'F' => {
                    let line = self.line()?;
                    let number = line
                        .trim()
                        .parse()
                        .map_err(|_| format!("{line:?} is no number"))?;
                    self.float(number)?;
                }
                // Bytes and the texts of Python 2 are taken as texts.
                0x8c | b'C' | b'U' => {
                    let length = self.byte()?.into();
                    self.text(length)?;
                }
                b'X' | b'B' | b'T' => {
                    let length = self.length4()?;
                    self.text(length)?;
                }
                0x8d | 0x8e => {
                    let length = self.length8()?;
                    self.text(length)?;
                }
                b'V' => {
                    let line = self.line()?;
                    self.stack.push(Value::String(unescaped(&line)?));
                }
                b']' | b')' => self.stack.push(Value::Array(Vec::new())),
                b'}' => self.stack.push(Value::Object(Map::new())),
                b'l' | b't' => {
                    let items = self.since_mark()?;
                    self.stack.push(Value::Array(items));
                }
                count @ 0x85..=0x87 => {
                    let count = usize::from(count - 0x84);
                    let start = self.stack.len().checked_sub(count).ok_or_else(short)?;
                    let items = self.stack.split_off(start);
                    self.stack.push(Value::Array(items));
                }
                b'a' => {
                    let item = self.pop()?;
                    self.list()?.push(item);
                }
                b'e' => {
                    let items = self.since_mark()?;
                    self.list()?.extend(items);
                }
                b's' => {
                    let value = self.pop()?;
                    let key = self.pop()?;
                    self.set(vec![key, value])?;
                }
                b'u' => {
                    let items = self.since_mark()?;
                    self.set(items)?;
                }
                b'd' => {
                    let items = self.since_mark()?;
                    self.stack.push(Value::Object(Map::new()));
                    self.set(items)?;
                }
                b'0' => drop(self.pop()?),
                0x94 => self.remember(self.memo.len())?,
                b'q' => {
                    let place = self.byte()?.into();
                    self.remember(place)?;
                }
                b'r' => {
                    let place = self.length4()?;
                    self.remember(place)?;
                }
                b'p' => {
                    let place = self.number_line()?;
                    self.remember(place)?;
                }
                b'h' => {
                    let place = self.byte()?.into();
                    self.recall(place)?;
                }
                b'j' => {
                    let place = self.length4()?;
                    self.recall(place)?;
                }
                b'g' => {
                    let place = self.number_line()?;
                    self.recall(place)?;
                }
                other => {
                    return Err(format!(
                        "the pickle holds more than data: instruction {other:#04x} at byte {place} isn't carried out"
                    ));
                }
            }
        }
    }

    fn byte(&mut self) -> Result<u8, String> {
        let byte = *self.bytes.get(self.at).ok_or_else(short)?;
        self.at += 1;
        Ok(byte)
    }

    fn take(&mut self, length: usize) -> Result<&[u8], String> {
        let end = self.at.checked_add(length).ok_or_else(short)?;
        let taken = self.bytes.get(self.at..end).ok_or_else(short)?;
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        self.take(N)?.try_into().map_err(|_| short())
    }

    fn length4(&mut self) -> Result<usize, String> {
        usize::try_from(u32::from_le_bytes(self.array()?)).map_err(|_| short())
    }

    fn length8(&mut self) -> Result<usize, String> {
        usize::try_from(u64::from_le_bytes(self.array()?)).map_err(|_| short())
    }

    fn line(&mut self) -> Result<String, String> {
        let rest = self.bytes.get(self.at..).ok_or_else(short)?;
        let length = rest.iter().position(|byte| *byte == b'\n').ok_or_else(short)?;
        // Lines are Latin-1.
        let line = rest[..length].iter().map(|byte| char::from(*byte)).collect();
        self.at += length + 1;
        Ok(line)
    }

    fn number_line(&mut self) -> Result<usize, String> {
        let line = self.line()?;
        line.trim().parse().map_err(|_| format!("{line:?} is no number"))
    }

    fn text(&mut self, length: usize) -> Result<(), String> {
        let text = std::str::from_utf8(self.take(length)?)
            .map_err(|_| "a text of the pickle isn't UTF-8".to_owned())?
            .to_owned();
        self.stack.push(Value::String(text));
        Ok(())
    }

    fn digits(&mut self) -> Result<(), String> {
        let line = self.line()?;
        let digits = line.trim().trim_end_matches('L');
        self.stack.push(match digits {
            "00" => Value::Bool(false),
            "01" => Value::Bool(true),
            digits => {
                let number: i64 = digits.parse().map_err(|_| format!("{line:?} is no number"))?;
                number.into()
            }
        });
        Ok(())
    }

    fn long(&mut self, length: usize) -> Result<(), String> {
        let bytes = self.take(length)?;
        if bytes.len() > 8 {
            return Err("an integer of the pickle is larger than 64 bits".to_owned());
        }
        let negative = bytes.last().is_some_and(|byte| byte & 0x80 != 0);
        let mut whole = [if negative { 0xff } else { 0 }; 8];
        whole[..bytes.len()].copy_from_slice(bytes);
        self.stack.push(i64::from_le_bytes(whole).into());
        Ok(())
    }

    fn float(&mut self, number: f64) -> Result<(), String> {
        let number = Number::from_f64(number).ok_or("a float of the pickle is no number")?;
        self.stack.push(Value::Number(number));
        Ok(())
    }

    fn pop(&mut self) -> Result<Value, String> {
        // What is below a mark isn't this instruction's.
        if self.marks.last().is_some_and(|mark| self.stack.len() <= *mark) {
            return Err(short());
        }
        self.stack.pop().ok_or_else(short)
    }

    fn since_mark(&mut self) -> Result<Vec<Value>, String> {
        let mark = self.marks.pop().ok_or_else(short)?;
        if mark > self.stack.len() {
            return Err(short());
        }
        Ok(self.stack.split_off(mark))
    }

    fn list(&mut self) -> Result<&mut Vec<Value>, String> {
        match self.stack.last_mut() {
            Some(Value::Array(items)) => Ok(items),
            _ => Err("the pickle adds to something that is no list".to_owned()),
        }
    }

    fn set(&mut self, items: Vec<Value>) -> Result<(), String> {
        let Some(Value::Object(fields)) = self.stack.last_mut() else {
            return Err("the pickle adds to something that is no dict".to_owned());
        };
        let mut items = items.into_iter();
        while let (Some(key), Some(value)) = (items.next(), items.next()) {
            let Value::String(key) = key else {
                return Err("a key of the pickle is no text".to_owned());
            };
            fields.insert(key, value);
        }
        Ok(())
    }

    fn remember(&mut self, place: usize) -> Result<(), String> {
        let value = self.stack.last().ok_or_else(short)?.clone();
        self.count(&value)?;
        self.memo.insert(place, value);
        Ok(())
    }

    fn recall(&mut self, place: usize) -> Result<(), String> {
        let value = self
            .memo
            .get(&place)
            .cloned()
            .ok_or_else(|| format!("the pickle refers to {place}, which isn't there"))?;
        // Lists and dicts are noted while they are empty; what became of them isn't known here.
        let unknown = match &value {
            Value::Array(items) => items.is_empty(),
            Value::Object(fields) => fields.is_empty(),
            _ => false,
        };
        if unknown {
            return Err("the pickle holds the same list twice, which isn't carried out".to_owned());
        }
        self.count(&value)?;
        self.stack.push(value);
        Ok(())
    }

    /// Copies of copies grow without bound; ours don't.
    fn count(&mut self, value: &Value) -> Result<(), String> {
        self.copied = self.copied.saturating_add(size(value));
        if self.copied > LARGEST {
            return Err("the pickle is too large".to_owned());
        }
        Ok(())
    }
}

fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 32,
        Value::Array(items) => 32 + items.iter().map(size).sum::<usize>(),
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| key.len() + 32 + size(value);
            32 + fields.iter().map(field).sum::<usize>()
        }
        _ => 32,
    }
}

/// A text of protocol 0, in which some characters are written as `\u0041`.
fn unescaped(line: &str) -> Result<String, String> {
    let wrong = || format!("{line:?} is no text of a pickle");
    let mut text = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("\\u").or_else(|| rest.find("\\U")) {
        text.push_str(&rest[..at]);
        let length = if rest[at..].starts_with("\\u") { 4 } else { 8 };
        let digits = rest.get(at + 2..at + 2 + length).ok_or_else(wrong)?;
        let code = u32::from_str_radix(digits, 16).map_err(|_| wrong())?;
        text.push(char::from_u32(code).ok_or_else(wrong)?);
        rest = &rest[at + 2 + length..];
    }
    text.push_str(rest);
    Ok(text)
}

fn short() -> String {
    "the pickle is cut off or damaged".to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::read;

    /// What Python writes for `[{"input": "1\n", "n": -3, "f": 0.5}, None, True, ("é", 70000, 2**40)]`, protocols 0 to 5.
    #[test]
    fn every_protocol() {
        let expected =
            json!([{"input": "1\n", "n": -3, "f": 0.5}, null, true, ["é", 70000, 1_099_511_627_776_i64]]);
        for hex in PICKLES {
            let bytes: Vec<u8> = (0..hex.len() / 2)
                .map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap())
                .collect();
            assert_eq!(read(&bytes), Ok(expected.clone()), "{hex}");
            for end in 0..bytes.len() {
                assert!(read(&bytes[..end]).is_err(), "cut at {end}");
            }
        }
    }

    #[test]
    fn what_would_run_is_refused() {
        for pickle in [
            &b"cos\nsystem\n(S'true'\ntR."[..],
            b"\x80\x04\x8c\x02os\x8c\x06system\x93.",
            b"\x80\x02N\x81.",
            b"(i__main__\nX\n.",
        ] {
            let error = read(pickle).unwrap_err();
            assert!(error.contains("more than data"), "{error}");
        }
        assert!(read(b"]\x94h\x00a.").unwrap_err().contains("same list twice"));
        assert!(read(b"]\x940h\x07.").unwrap_err().contains("isn't there"));
    }

    #[test]
    fn copies_of_copies_end() {
        let mut bomb = b"\x8c\x0axxxxxxxxxx".to_vec();
        for place in 0..60 {
            bomb.extend([b'q', place, b'0', b']', b'(']);
            for _ in 0..10 {
                bomb.extend([b'h', place]);
            }
            bomb.push(b'e');
        }
        bomb.push(b'.');
        assert!(read(&bomb).unwrap_err().contains("too large"));
    }

    const PICKLES: [&str; 6] = [
        "286c70300a286470310a56696e7075740a70320a56315c75303030610a70330a73566e0a70340a492d330a7356660a70350a46302e350a73614e614930310a612856e90a70360a4937303030300a4c313039393531313632373737364c0a7470370a612e",
        "5d7100287d7101285805000000696e70757471025802000000310a710358010000006e71044afdffffff5801000000667105473fe0000000000000754e4930310a285802000000c3a971064a701101004c313039393531313632373737364c0a747107652e",
        "80025d7100287d7101285805000000696e70757471025802000000310a710358010000006e71044afdffffff5801000000667105473fe0000000000000754e885802000000c3a971064a701101008a06000000000001877107652e",
        "80035d7100287d7101285805000000696e70757471025802000000310a710358010000006e71044afdffffff5801000000667105473fe0000000000000754e885802000000c3a971064a701101008a06000000000001877107652e",
        "80049542000000000000005d94287d94288c05696e707574948c02310a948c016e944afdffffff8c016694473fe0000000000000754e888c02c3a9944a701101008a060000000000018794652e",
        "80059542000000000000005d94287d94288c05696e707574948c02310a948c016e944afdffffff8c016694473fe0000000000000754e888c02c3a9944a701101008a060000000000018794652e",
    ];
}
