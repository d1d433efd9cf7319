//! What a program wrote to one of its streams.

use std::borrow::Cow;

/// One output stream: its beginning, its end, and a checksum of all of it.
///
/// Up to the output limit everything is kept, in `bytes`. Beyond that the run is ended; what came until then is in
/// `tail`, as far as there is room.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Captured {
    /// The bytes kept, from the beginning.
    pub bytes: Vec<u8>,
    /// The last bytes that were written, where `bytes` doesn't hold them.
    pub tail: Vec<u8>,
    /// How many bytes were written between `bytes` and `tail`.
    pub dropped: u64,
    /// How many bytes were written altogether.
    pub total: u64,
    /// The SHA-256 of everything that was written, the dropped bytes too.
    pub sha256: [u8; 32],
}

impl Captured {
    /// The beginning as text; what isn't UTF-8 becomes U+FFFD.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// Whether more was written than `bytes` holds.
    pub fn is_cut(&self) -> bool {
        self.total > self.bytes.len() as u64
    }

    /// Beginning and end as text for people, with a mark in between where bytes are missing. No character is cut in two.
    pub fn shown(&self) -> String {
        if !self.is_cut() {
            return self.text();
        }
        let text = |bytes| -> Cow<'_, str> { String::from_utf8_lossy(bytes) };
        if self.dropped == 0 {
            return String::from_utf8_lossy(&[&*self.bytes, &*self.tail].concat()).into_owned();
        }
        let (head, tail) = (whole_head(&self.bytes), whole_tail(&self.tail));
        let lost = self.total - head.len() as u64 - tail.len() as u64;
        format!("{}[… {lost} bytes …]{}", text(head), text(tail))
    }

    /// The checksum in hexadecimal digits.
    pub fn sha256_hex(&self) -> String {
        use std::fmt::Write as _;
        self.sha256
            .iter()
            .fold(String::with_capacity(64), |mut text, byte| {
                let _ = write!(text, "{byte:02x}");
                text
            })
    }
}

/// Without a last character that was cut.
fn whole_head(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => &bytes[..error.valid_up_to()],
        _ => bytes,
    }
}

/// Without the rest of a first character that was cut.
fn whole_tail(bytes: &[u8]) -> &[u8] {
    let is_rest = |byte: &&u8| **byte & 0xC0 == 0x80;
    let rest = bytes.iter().take(3).take_while(is_rest).count();
    &bytes[rest..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(head: &str, at: usize, tail: &str, from: usize, dropped: u64) -> Captured {
        let (bytes, tail) = (head.as_bytes()[..at].to_vec(), tail.as_bytes()[from..].to_vec());
        Captured {
            total: (bytes.len() + tail.len()) as u64 + dropped,
            bytes,
            tail,
            dropped,
            sha256: [0xAB; 32],
        }
    }

    #[test]
    fn no_character_is_shown_in_part() {
        assert_eq!(cut("añb", 2, "ñz", 1, 10).shown(), "a[… 12 bytes …]z");
        assert_eq!(cut("ab", 2, "yz", 0, 3).shown(), "ab[… 3 bytes …]yz");
    }

    #[test]
    fn nothing_is_marked_where_nothing_is_missing() {
        assert_eq!(cut("ab", 2, "yz", 0, 0).shown(), "abyz");
        assert_eq!(cut("añ", 2, "ñz", 1, 0).shown(), "añz");
        assert_eq!(cut("ab", 2, "", 0, 0).shown(), "ab");
    }

    #[test]
    fn the_checksum_is_shown_in_hexadecimal() {
        assert_eq!(cut("", 0, "", 0, 0).sha256_hex(), "ab".repeat(32));
    }
}
