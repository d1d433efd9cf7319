//! Whether an answer is right: by the words, as `SQuAD` compares them, or by the number.

use std::collections::HashMap;

use crate::task::AnswerRule;

/// Whether `answer` is one of the `accepted`.
pub fn is_right(answer: &str, accepted: &[String], rule: AnswerRule) -> bool {
    accepted.iter().any(|right| match rule {
        AnswerRule::Words => exact_match(answer, right),
        AnswerRule::Number => same_number(answer, right),
    })
}

/// The words of an answer as `SQuAD` compares them: lower case, without punctuation and articles.
fn normalised(text: &str) -> Vec<String> {
    let text: String = text
        .to_lowercase()
        .chars()
        .filter(|c| !c.is_ascii_punctuation())
        .collect();
    text.split_whitespace()
        .filter(|word| !matches!(*word, "a" | "an" | "the"))
        .map(str::to_owned)
        .collect()
}

/// Whether two answers are the same words in the same order.
pub fn exact_match(answer: &str, right: &str) -> bool {
    normalised(answer) == normalised(right)
}

/// How much the words of an answer and of the nearest accepted one overlap: the harmonic mean of precision and recall.
pub fn f1(answer: &str, accepted: &[String]) -> f64 {
    let best = accepted.iter().map(|right| overlap(answer, right));
    best.fold(0.0, f64::max)
}

fn overlap(answer: &str, right: &str) -> f64 {
    let (answer, right) = (normalised(answer), normalised(right));
    if answer.is_empty() || right.is_empty() {
        return if answer == right { 1.0 } else { 0.0 };
    }
    let mut left: HashMap<&str, usize> = HashMap::new();
    for word in &right {
        *left.entry(word).or_default() += 1;
    }
    let mut same = 0_usize;
    for word in &answer {
        if let Some(count) = left.get_mut(word.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            same += 1;
        }
    }
    if same == 0 {
        return 0.0;
    }
    let (precision, recall) = (
        same as f64 / answer.len() as f64,
        same as f64 / right.len() as f64,
    );
    2.0 * precision * recall / (precision + recall)
}

/// Whether two texts are the same number, the answer rounded to as many decimals as the right one has.
pub fn same_number(answer: &str, right: &str) -> bool {
    let (Some(answer), Some(wanted)) = (number(answer), number(right)) else {
        return false;
    };
    let decimals = right
        .trim()
        .split_once('.')
        .map_or(0, |(_, digits)| digits.trim_end_matches('0').len().min(12));
    let scale = 10_f64.powi(i32::try_from(decimals).unwrap_or(0));
    // Python's `round`: of two equally near ones the even one.
    ((answer * scale).round_ties_even() - (wanted * scale).round_ties_even()).abs() < 0.5
}

/// A number as people and programs write it: `$1,234.50`, `-3/4`, `12 %`.
pub(super) fn number(text: &str) -> Option<f64> {
    let text: String = text
        .trim()
        .trim_start_matches('$')
        .trim_end_matches(['%', '.'])
        .chars()
        .filter(|c| !matches!(c, ',' | '_') && !c.is_whitespace())
        .collect();
    let plain = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
    match text.split_once('/') {
        Some((above, below)) => {
            let below = plain(below).filter(|below| *below != 0.0)?;
            Some(plain(above)? / below)
        }
        None => plain(&text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_compared_as_squad_does() {
        assert!(exact_match(
            "The  Teach the Controversy campaign.",
            "\"Teach the Controversy\" campaign"
        ));
        assert!(exact_match("a U.S. president", "us President"));
        assert!(!exact_match("1937", "1936"));
        assert!(exact_match("the", ""));
    }

    #[test]
    fn f1_is_the_overlap_with_the_nearest() {
        let accepted = ["Robert Erskine Childers DSC".to_owned(), "Childers".to_owned()];
        let near = |answer: &str, wanted: f64| {
            let found = f1(answer, &accepted);
            assert!((found - wanted).abs() < 1e-9, "{answer}: {found}");
        };
        near("Robert Erskine Childers", 6.0 / 7.0);
        near("Childers", 1.0);
        near("Henry Roth", 0.0);
        near("childers childers", 2.0 / 3.0);
        near("", 0.0);
    }

    #[test]
    fn numbers_are_rounded_before_they_are_compared() {
        for (answer, right) in [
            ("18", "18"),
            ("18.0", "18"),
            ("17.999999", "18"),
            ("18.4", "18"),
            ("$1,234", "1234"),
            ("0.755", "0.76"),
            ("-3", "-3.0"),
            ("7/2", "3.5"),
            ("2.5", "2"),
            ("12 %", "12"),
        ] {
            assert!(same_number(answer, right), "{answer} {right}");
        }
        for (answer, right) in [
            ("18.6", "18"),
            ("0.18", "18"),
            ("1800", "18"),
            ("eighteen", "18"),
            ("nan", "18"),
            ("inf", "18"),
            ("3.5", "3"),
            ("1/0", "0"),
        ] {
            assert!(!same_number(answer, right), "{answer} {right}");
        }
    }
}
