//! How durations and sizes are written on the command line: `10s`, `1.5m`, `256MiB`.

use std::time::Duration;

/// For `clap`'s `value_parser`: a duration such as `500ms`, `10s`, `1.5m`, `2h` or `1h30m`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || {
        format!(
            "\"{text}\" is not a duration; write a number and ms, s, m or h, as in 500ms, 10s, 1.5m or 1h30m"
        )
    };
    let mut seconds = 0.0;
    let mut rest = text.trim();
    // Each unit once, from the longest to the shortest.
    let mut longest = f64::INFINITY;
    loop {
        let (number, behind) = split(rest).ok_or_else(wrong)?;
        let end = behind
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(behind.len());
        let unit = match &behind[..end] {
            "ms" => 0.001,
            "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            _ => return Err(wrong()),
        };
        if unit >= longest {
            return Err(wrong());
        }
        longest = unit;
        seconds += number * unit;
        rest = behind[end..].trim_start();
        if rest.is_empty() {
            break;
        }
    }
    if seconds <= 0.0 {
        return Err(format!(
            "\"{text}\" is no time at all; write something above zero"
        ));
    }
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("\"{text}\" is too long"))
}

/// For `clap`'s `value_parser`: a size in bytes such as `65536`, `64KiB`, `256MiB`, `16MB` or `1.5GiB`.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let wrong = || {
        format!("\"{text}\" is not a size; write a number and KiB, MiB or GiB (or kB, MB, GB), as in 256MiB")
    };
    let (number, unit) = split(text).ok_or_else(wrong)?;
    let factor = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1024.0 * 1024.0,
        "g" | "gib" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err(wrong()),
    };
    let bytes = (number * factor).round();
    // Beyond 2^53 a number of bytes can't be told exactly, and no machine has as many.
    if bytes > 9_007_199_254_740_992.0 {
        return Err(format!("\"{text}\" is too large"));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number from 0 to 2^53"
    )]
    Ok(bytes as u64)
}

/// For `clap`'s `value_parser`: a size that isn't nothing.
pub(crate) fn some_size(text: &str) -> Result<u64, String> {
    match size(text)? {
        0 => Err(format!(
            "\"{text}\" is no size at all; write something above zero"
        )),
        bytes => Ok(bytes),
    }
}

/// A number without sign or exponent, and the unit after it.
fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    Some((number.parse().ok()?, unit.trim_start()))
}

/// A duration for people: `1.25 s`, `340 ms`.
pub(crate) fn show_duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds >= 120.0 {
        format!("{:.1} min", seconds / 60.0)
    } else if seconds >= 1.0 {
        format!("{seconds:.2} s")
    } else {
        format!("{:.0} ms", seconds * 1000.0)
    }
}

/// A size for people: `18.2 MiB`, `512 MiB`, `77 B`.
pub(crate) fn show_size(bytes: u64) -> String {
    let mut value = bytes as f64;
    let mut unit = "B";
    for larger in ["KiB", "MiB", "GiB", "TiB"] {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = larger;
    }
    let digits = usize::from(value.fract() > 0.05 && value < 100.0 && unit != "B");
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, millis) in [
            ("500ms", 500),
            ("10s", 10_000),
            ("1.5m", 90_000),
            ("2 min", 120_000),
            ("1h", 3_600_000),
            ("0.25s", 250),
            ("1h30m", 5_400_000),
            ("2m 30s", 150_000),
            ("1s500ms", 1500),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in [
            "",
            "10",
            "s",
            "ten s",
            "-1s",
            "+1s",
            "1e3s",
            "nans",
            "infs",
            "10 parsecs",
            "1.2.3s",
            "1s1s",
            "30m1h",
            "1h30",
        ] {
            assert!(duration(text).unwrap_err().contains("as in 500ms"), "{text}");
        }
        assert!(duration("0s").unwrap_err().contains("above zero"));
        assert!(
            duration("99999999999999999999h")
                .unwrap_err()
                .contains("too long")
        );
    }

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("0", 0),
            ("77", 77),
            ("1kB", 1000),
            ("16MB", 16_000_000),
            ("64KiB", 65_536),
            ("256MiB", 268_435_456),
            ("256mib", 268_435_456),
            ("1.5GiB", 1_610_612_736),
            ("512 M", 536_870_912),
        ] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "MiB", "-1", "12MiBs", "a lot", "1e6"] {
            assert!(size(text).unwrap_err().contains("as in 256MiB"), "{text}");
        }
        assert!(size("99999999GiB").unwrap_err().contains("too large"));
        assert!(some_size("0").unwrap_err().contains("above zero"));
    }

    #[test]
    fn for_people() {
        assert_eq!(show_duration(Duration::from_millis(340)), "340 ms");
        assert_eq!(show_duration(Duration::from_millis(1250)), "1.25 s");
        assert_eq!(show_duration(Duration::from_mins(10)), "10.0 min");
        assert_eq!(show_size(77), "77 B");
        assert_eq!(show_size(512 << 20), "512 MiB");
        assert_eq!(show_size((18 << 20) + (200 << 10)), "18.2 MiB");
    }
}
