//! A calculator: arithmetic and nothing else, exact for whole numbers.

use async_trait::async_trait;

use super::{Arguments, Tool, ToolError};

/// The calculator tool.
#[derive(Clone, Copy, Debug, Default)]
pub struct Calculator;

#[async_trait]
impl Tool for Calculator {
    fn name(&self) -> &'static str {
        "calculator"
    }

    fn description(&self) -> String {
        "Computes an arithmetic expression with + - * / // % ** and parentheses, and sqrt, abs, round, floor, ceil, min, \
         max, log, exp, sin, cos, tan, pi, e."
            .to_owned()
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str)] {
        &[("expression", "such as (17 * 23) / 4")]
    }

    async fn call(&self, arguments: &Arguments<'_>, _nth: usize) -> Result<String, ToolError> {
        evaluate(&arguments.text("expression")?).map_err(ToolError)
    }
}

/// A number: exact as long as it is whole and fits.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    Whole(i128),
    Float(f64),
}

use Number::{Float, Whole};

impl Number {
    #[expect(
        clippy::cast_precision_loss,
        reason = "whole numbers beyond 2^53 lose digits as floats, as everywhere"
    )]
    fn float(self) -> f64 {
        match self {
            Whole(number) => number as f64,
            Float(number) => number,
        }
    }
}

/// The value of an arithmetic expression as text, or what is wrong with it.
pub fn evaluate(expression: &str) -> Result<String, String> {
    let text: Vec<char> = expression.chars().filter(|c| !c.is_whitespace()).collect();
    let mut reader = Reader {
        text: &text,
        at: 0,
        depth: 0,
        calls: 0,
    };
    let value = reader.sum()?;
    if let Some(c) = reader.peek() {
        return Err(format!("`{c}` isn't expected at character {}", reader.at + 1));
    }
    match value {
        Whole(number) => Ok(number.to_string()),
        Float(number) if number.is_finite() => Ok(shown(number)),
        Float(_) => Err("the result is no number".to_owned()),
    }
}

/// Twelve digits: enough for any claim, and without the noise of binary fractions.
fn shown(number: f64) -> String {
    let rounded: f64 = format!("{number:.11e}").parse().unwrap_or(number);
    if rounded != 0.0 && !(1e-6..1e15).contains(&rounded.abs()) {
        format!("{rounded:e}")
    } else {
        rounded.to_string()
    }
}

struct Reader<'a> {
    text: &'a [char],
    at: usize,
    depth: usize,
    /// Within how many functions' arguments it reads: there a comma separates.
    calls: usize,
}

/// Deeper nesting is no expression that anybody wrote.
const DEEPEST: usize = 100;

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self, wanted: &str) -> bool {
        let there = wanted
            .chars()
            .enumerate()
            .all(|(offset, c)| self.text.get(self.at + offset) == Some(&c));
        if there {
            self.at += wanted.chars().count();
        }
        there
    }

    fn sum(&mut self) -> Result<Number, String> {
        let mut value = self.product()?;
        loop {
            value = if self.take("+") {
                whole_or(value, self.product()?, i128::checked_add, |a, b| a + b)
            } else if self.take("-") || self.take("−") {
                whole_or(value, self.product()?, i128::checked_sub, |a, b| a - b)
            } else {
                return Ok(value);
            };
        }
    }

    fn product(&mut self) -> Result<Number, String> {
        let mut value = self.sign()?;
        loop {
            value = if self.take("//") {
                let by = nonzero(self.sign()?)?;
                whole_or(value, by, floor_div, |a, b| (a / b).floor())
            } else if self.take("/") || self.take("÷") {
                let by = nonzero(self.sign()?)?;
                match (value, by) {
                    (Whole(a), Whole(b)) if a % b == 0 => Whole(a / b),
                    (a, b) => Float(a.float() / b.float()),
                }
            } else if self.take("%") {
                let by = nonzero(self.sign()?)?;
                let modulo =
                    |a: i128, b: i128| floor_div(a, b).and_then(|q| a.checked_sub(q.checked_mul(b)?));
                whole_or(value, by, modulo, |a, b| a - b * (a / b).floor())
            } else if self.peek() == Some('*') && self.text.get(self.at + 1) != Some(&'*')
                || self.peek() == Some('×')
            {
                self.at += 1;
                whole_or(value, self.sign()?, i128::checked_mul, |a, b| a * b)
            } else {
                return Ok(value);
            };
        }
    }

    fn sign(&mut self) -> Result<Number, String> {
        self.deeper()?;
        let value = if self.take("-") || self.take("−") {
            match self.sign()? {
                Whole(number) => number
                    .checked_neg()
                    .map_or(Float(-(Whole(number).float())), Whole),
                Float(number) => Float(-number),
            }
        } else if self.take("+") {
            self.sign()?
        } else {
            self.power()?
        };
        self.depth -= 1;
        Ok(value)
    }

    fn power(&mut self) -> Result<Number, String> {
        let base = self.atom()?;
        if !(self.take("**") || self.take("^")) {
            return Ok(base);
        }
        let exponent = self.sign()?;
        Ok(match (base, exponent) {
            (Whole(a), Whole(b)) => u32::try_from(b)
                .ok()
                .and_then(|b| a.checked_pow(b))
                .map_or_else(|| Float(base.float().powf(exponent.float())), Whole),
            (a, b) => Float(a.float().powf(b.float())),
        })
    }

    fn atom(&mut self) -> Result<Number, String> {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                let value = self.sum()?;
                self.closing()?;
                Ok(value)
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() => self.name(),
            Some(c) => Err(format!("`{c}` isn't expected at character {}", self.at + 1)),
            None => Err("the expression ends too early".to_owned()),
        }
    }

    fn closing(&mut self) -> Result<(), String> {
        if self.take(")") {
            Ok(())
        } else {
            Err("a `)` is missing".to_owned())
        }
    }

    fn number(&mut self) -> Result<Number, String> {
        let mut digits = String::new();
        while let Some(c) = self.peek() {
            // A comma between groups of three digits, and an exponent with its sign, belong to the number.
            let group = self.calls == 0
                && c == ','
                && self.text[self.at + 1..]
                    .iter()
                    .take_while(|c| c.is_ascii_digit())
                    .count()
                    == 3;
            let exponent = matches!(c, 'e' | 'E')
                && self.text[self.at + 1..]
                    .iter()
                    .find(|c| !matches!(c, '+' | '-'))
                    .is_some_and(char::is_ascii_digit);
            if group || c == '_' {
                self.at += 1;
            } else if exponent {
                digits.push('e');
                self.at += 1;
                if let Some(sign @ ('+' | '-')) = self.peek() {
                    digits.push(sign);
                    self.at += 1;
                }
            } else if c.is_ascii_digit() || c == '.' {
                digits.push(c);
                self.at += 1;
            } else {
                break;
            }
        }
        match digits.parse::<i128>() {
            Ok(number) => Ok(Whole(number)),
            Err(_) => digits
                .parse()
                .map(Float)
                .map_err(|_| format!("`{digits}` is no number")),
        }
    }

    fn name(&mut self) -> Result<Number, String> {
        let mut name = String::new();
        while let Some(c) = self
            .peek()
            .filter(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
        {
            name.push(c);
            self.at += 1;
        }
        let name = name.trim_start_matches("math.");
        match name {
            "pi" => return Ok(Float(std::f64::consts::PI)),
            "e" => return Ok(Float(std::f64::consts::E)),
            _ => {}
        }
        if !self.take("(") {
            return Err(format!("`{name}` is nothing that can be computed"));
        }
        self.deeper()?;
        self.calls += 1;
        let mut arguments = Vec::new();
        if self.peek() != Some(')') {
            arguments.push(self.sum()?);
            while self.take(",") {
                arguments.push(self.sum()?);
            }
        }
        self.closing()?;
        self.depth -= 1;
        self.calls -= 1;
        apply(name, &arguments)
    }

    fn deeper(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("the expression is nested too deeply".to_owned());
        }
        Ok(())
    }
}

fn nonzero(by: Number) -> Result<Number, String> {
    if by.float() == 0.0 {
        return Err("division by zero".to_owned());
    }
    Ok(by)
}

fn floor_div(a: i128, b: i128) -> Option<i128> {
    let quotient = a.checked_div(b)?;
    Some(if a % b != 0 && (a < 0) != (b < 0) {
        quotient - 1
    } else {
        quotient
    })
}

fn whole_or(
    a: Number,
    b: Number,
    whole: impl Fn(i128, i128) -> Option<i128>,
    float: impl Fn(f64, f64) -> f64,
) -> Number {
    if let (Whole(a), Whole(b)) = (a, b)
        && let Some(exact) = whole(a, b)
    {
        return Whole(exact);
    }
    Float(float(a.float(), b.float()))
}

fn apply(name: &str, arguments: &[Number]) -> Result<Number, String> {
    let rounded = |value: f64| {
        if value.abs() < 1e30 {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "it is whole and far from the limit"
            )]
            Whole(value as i128)
        } else {
            Float(value)
        }
    };
    match (name, arguments) {
        ("abs", [Whole(a)]) => Ok(Whole(a.abs())),
        ("floor" | "ceil" | "round", [Whole(a)]) => Ok(Whole(*a)),
        ("floor", [a]) => Ok(rounded(a.float().floor())),
        ("ceil", [a]) => Ok(rounded(a.float().ceil())),
        ("round", [a]) => Ok(rounded(a.float().round_ties_even())),
        ("round", [a, Whole(digits)]) => {
            let digits =
                usize::try_from(*digits).map_err(|_| "round to a number of digits from 0".to_owned())?;
            format!("{:.*}", digits.min(30), a.float())
                .parse()
                .map(Float)
                .map_err(|_| "the result is no number".to_owned())
        }
        ("min", [first, rest @ ..]) => Ok(rest
            .iter()
            .fold(*first, |a, b| if b.float() < a.float() { *b } else { a })),
        ("max", [first, rest @ ..]) => Ok(rest
            .iter()
            .fold(*first, |a, b| if b.float() > a.float() { *b } else { a })),
        ("log", [a, base]) => Ok(Float(a.float().ln() / base.float().ln())),
        (_, [a]) => {
            let a = a.float();
            Ok(Float(match name {
                "sqrt" => a.sqrt(),
                "abs" => a.abs(),
                "log" | "ln" => a.ln(),
                "log10" => a.log10(),
                "log2" => a.log2(),
                "exp" => a.exp(),
                "sin" => a.sin(),
                "cos" => a.cos(),
                "tan" => a.tan(),
                _ => return Err(format!("there is no function `{name}`")),
            }))
        }
        _ => Err(format!(
            "there is no function `{name}` of {} arguments",
            arguments.len()
        )),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::evaluate;

    #[test]
    fn arithmetic_is_that_of_paper() {
        for (expression, value) in [
            ("1 + 2 * 3", "7"),
            ("(17*23)/4", "97.75"),
            ("2**10 - 24", "1000"),
            ("2**3**2", "512"),
            ("-2**2", "-4"),
            ("7 // 2 + 7 % 4 - -1", "7"),
            ("-7 // 2", "-4"),
            ("-7 % 3", "2"),
            ("1,234,567 + 1", "1234568"),
            ("0.1 + 0.2", "0.3"),
            ("6 / 3", "2"),
            ("1 / 3", "0.333333333333"),
            ("99999999999999999999 * 10", "999999999999999999990"),
            ("sqrt(16) + max(1, 2, 3)", "7"),
            ("max(1,200) + 1,000", "1200"),
            ("round(2.675, 2)", "2.67"),
            ("round(-2.5)", "-2"),
            ("math.floor(3.9) × 2 ÷ 3", "2"),
            ("1e3 + .5", "1000.5"),
            ("2 * pi", "6.28318530718"),
        ] {
            assert_eq!(evaluate(expression).as_deref(), Ok(value), "{expression}");
        }
    }

    #[test]
    fn what_is_no_arithmetic_is_told() {
        for (expression, problem) in [
            ("", "the expression ends too early"),
            ("1 +", "the expression ends too early"),
            ("1 / 0", "division by zero"),
            ("1 % (2 - 2)", "division by zero"),
            ("(1", "a `)` is missing"),
            ("1 2)", "`)` isn't expected at character 3"),
            ("open('x')", "`'` isn't expected at character 6"),
            ("year", "`year` is nothing that can be computed"),
            ("sqrt(-1)", "the result is no number"),
            ("9**9**9", "the result is no number"),
        ] {
            assert_eq!(evaluate(expression), Err(problem.to_owned()), "{expression}");
        }
        assert!(evaluate(&"(".repeat(100_000)).is_err());
        assert!(evaluate(&"-".repeat(100_000)).is_err());
    }

    proptest! {
        #[test]
        fn nothing_breaks_it(expression in "([0-9+*/%().,e -]|sqrt|round|max){0,60}") {
            let _ = evaluate(&expression);
        }

        #[test]
        fn whole_numbers_are_exact(a in -1_000_000_000_000i128..1_000_000_000_000, b in -1_000_000_000_000i128..1_000_000_000_000) {
            prop_assert_eq!(evaluate(&format!("({a}) * ({b}) + {a}")).unwrap(), (a * b + a).to_string());
        }
    }
}
