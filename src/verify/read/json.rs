//! JSON of compilers and checkers, recognised by its fields.

use serde_json::Value;

use super::{braces, category, rust};
use crate::task::{Category, Diagnostic, Place, Related, Severity};

/// The diagnostics of all JSON in a text, and the text without the lines that held it.
pub(super) fn diagnostics(text: &str) -> (Vec<Diagnostic>, String) {
    let mut found = Vec::new();
    // Some tools print one document over many lines.
    if text.trim_start().starts_with(['[', '{'])
        && let Ok(value) = serde_json::from_str::<Value>(text)
        && read(&value, &mut found)
    {
        return (found, String::new());
    }
    let mut rest = String::new();
    for line in text.lines() {
        let is_json = line.trim_start().starts_with(['[', '{']);
        match is_json.then(|| serde_json::from_str::<Value>(line)) {
            Some(Ok(value)) if read(&value, &mut found) => {}
            _ => {
                rest.push_str(line);
                rest.push('\n');
            }
        }
    }
    (found, rest)
}

/// Takes what a value says; `false` where it is nothing that we know.
fn read(value: &Value, found: &mut Vec<Diagnostic>) -> bool {
    match value {
        Value::Array(items) => {
            let known = items.iter().filter(|item| read(item, found)).count();
            !items.is_empty() && known == items.len()
        }
        Value::Object(_) => object(value, found),
        _ => false,
    }
}

fn object(value: &Value, found: &mut Vec<Diagnostic>) -> bool {
    if let Some(reason) = value["reason"].as_str() {
        // cargo wraps the compiler's messages, and tells of other things.
        if reason == "compiler-message" {
            found.extend(rustc(&value["message"]));
        }
        return true;
    }
    if value["spans"].is_array() && value["level"].is_string() {
        found.extend(rustc(value));
    } else if value["generalDiagnostics"].is_array() {
        found.extend(each(&value["generalDiagnostics"]).filter_map(pyright));
    } else if value["messages"].is_array() && value["filePath"].is_string() {
        found.extend(each(&value["messages"]).map(|message| eslint(&value["filePath"], message)));
    } else if value["kind"].is_string() && value["locations"].is_array() {
        found.extend(gcc(value));
    } else if value["file"].is_string() && value["severity"].is_string() && value["message"].is_string() {
        mypy(value, found);
    } else if value["location"].is_object() && value["message"].is_string() {
        found.push(dafny(value));
    } else {
        return value["$message_type"].is_string() || value["verification-results"].is_object();
    }
    true
}

fn each(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> Option<String> {
    Some(value.as_str()?.to_owned())
}

fn count(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

fn place(file: &Value, line: &Value, column: &Value) -> Option<Place> {
    Some(Place {
        file: text(file)?,
        line: count(line),
        column: count(column),
    })
}

/// rustc's own messages; Verus uses the same form.
fn rustc(value: &Value) -> Option<Diagnostic> {
    let severity = match value["level"].as_str()? {
        "error" | "error: internal compiler error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => return None,
    };
    let message = text(&value["message"])?;
    let spans: Vec<&Value> = each(&value["spans"]).collect();
    if spans.is_empty() && rust::is_summary(&message) {
        return None;
    }
    let of_span = |span: &Value| place(&span["file_name"], &span["line_start"], &span["column_start"]);
    let main = spans.iter().find(|span| span["is_primary"] == true).copied();
    let code = text(&value["code"]["code"]);
    let labels = spans.iter().filter_map(|span| {
        Some(Related {
            place: of_span(span),
            message: text(&span["label"])?,
        })
    });
    let notes = each(&value["children"]).filter_map(|child| {
        Some(Related {
            place: each(&child["spans"]).next().and_then(of_span),
            message: text(&child["message"])?,
        })
    });
    Some(Diagnostic {
        category: rust::of(severity, code.as_deref(), &message, main.is_some()),
        severity,
        place: main.and_then(of_span),
        code,
        test: None,
        related: labels.chain(notes).collect(),
        message,
    })
}

fn gcc(value: &Value) -> Option<Diagnostic> {
    let severity = match value["kind"].as_str()? {
        "error" | "fatal error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => return None,
    };
    let message = text(&value["message"])?;
    let of_caret = |value: &Value| {
        let caret = &value["locations"][0]["caret"];
        place(&caret["file"], &caret["line"], &caret["column"])
    };
    let code = text(&value["option"]);
    let of = match (severity, &code) {
        (Severity::Warning, _) | (_, Some(_)) => Category::Lint,
        _ if category::is_syntax(&message) => Category::Syntax,
        _ => Category::Type,
    };
    let related = each(&value["children"]).filter_map(|child| {
        Some(Related {
            place: of_caret(child),
            message: text(&child["message"])?,
        })
    });
    Some(Diagnostic {
        category: of,
        severity,
        place: of_caret(value),
        code,
        test: None,
        message,
        related: related.collect(),
    })
}

fn mypy(value: &Value, found: &mut Vec<Diagnostic>) {
    let Some(message) = text(&value["message"]) else {
        return;
    };
    // It counts columns from 0 here and from 1 in its text.
    let place = place(&value["file"], &value["line"], &value["column"]).map(|place| Place {
        column: place.column.map(|column| column + 1),
        ..place
    });
    let severity = match value["severity"].as_str() {
        Some("error") => Severity::Error,
        Some("warning") => Severity::Warning,
        _ => {
            if let Some(last) = found.last_mut() {
                last.related.push(Related { place, message });
            }
            return;
        }
    };
    let code = text(&value["code"]);
    let of = match code.as_deref() {
        Some("syntax") => Category::Syntax,
        _ if severity == Severity::Warning => Category::Lint,
        _ => Category::Type,
    };
    let related = text(&value["hint"]).map(|message| Related { place: None, message });
    found.push(Diagnostic {
        category: of,
        severity,
        place,
        code,
        test: None,
        message,
        related: related.into_iter().collect(),
    });
}

fn pyright(value: &Value) -> Option<Diagnostic> {
    let severity = match value["severity"].as_str()? {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => return None,
    };
    let message = text(&value["message"])?;
    let code = text(&value["rule"]);
    // What has no rule is the parser's.
    let of = match (severity, &code) {
        (Severity::Warning, _) => Category::Lint,
        (_, None) => Category::Syntax,
        _ => Category::Type,
    };
    // It counts from 0.
    let start = &value["range"]["start"];
    let place = text(&value["file"]).map(|file| Place {
        file,
        line: count(&start["line"]).map(|line| line + 1),
        column: count(&start["character"]).map(|column| column + 1),
    });
    let mut diagnostic = Diagnostic::error(of, message).at(place).coded(code);
    diagnostic.severity = severity;
    Some(diagnostic)
}

fn eslint(file: &Value, value: &Value) -> Diagnostic {
    let message = text(&value["message"]).unwrap_or_default();
    let of = if value["fatal"] == true || message.starts_with("Parsing error") {
        Category::Syntax
    } else {
        Category::Lint
    };
    let mut diagnostic = Diagnostic::error(of, message)
        .at(place(file, &value["line"], &value["column"]))
        .coded(text(&value["ruleId"]));
    if value["severity"] == 1 {
        diagnostic.severity = Severity::Warning;
    }
    diagnostic
}

/// Dafny 4 with `--json-diagnostics` or `/jsonDiagnostics`.
fn dafny(value: &Value) -> Diagnostic {
    let of_location = |location: &Value| {
        let start = &location["range"]["start"];
        place(&location["filename"], &start["line"], &start["character"])
    };
    let message = text(&value["message"]).unwrap_or_default();
    let severity = if value["severity"] == 1 {
        Severity::Error
    } else {
        Severity::Warning
    };
    let of = match value["source"].as_str() {
        _ if severity == Severity::Warning => Category::Lint,
        Some("Parser") => Category::Syntax,
        Some("Resolver") => Category::Type,
        _ => braces::of(severity, None, &message),
    };
    let related = each(&value["relatedInformation"]).filter_map(|related| {
        Some(Related {
            place: of_location(&related["location"]),
            message: text(&related["message"])?,
        })
    });
    Diagnostic {
        category: of,
        severity,
        place: of_location(&value["location"]),
        code: None,
        test: None,
        message,
        related: related.collect(),
    }
}
