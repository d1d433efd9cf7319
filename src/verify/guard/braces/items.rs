//! Where an item begins and ends, and what it is.

use super::{Item, Kind, Walker, scope_is_class};
use crate::verify::guard::lex::{Sort, Token};
use crate::verify::guard::preset::Shape;

impl Walker<'_, '_> {
    pub(super) fn item(&self, begin: usize, end: usize, scope: &str) -> Item {
        let items = &self.preset.items;
        let among = |list: &[String], word: &str| list.iter().any(|known| known == word);
        let mut item = Item {
            kind: Kind::Other,
            name: None,
            begin,
            clauses: None,
            body: None,
            attributes: Vec::new(),
            end,
        };
        let mut at = begin;
        // Attributes and decorators in front, and annotations.
        loop {
            let open = match self.text(at) {
                "#" if self.text(at + 1) == "[" => at + 1,
                "#" if self.text(at + 1) == "!" && self.text(at + 2) == "[" => at + 2,
                "[" if self.text(at + 1) == "[" => at,
                "@" => {
                    let mut stop = at + 2;
                    while self.text(stop) == "." {
                        stop += 2;
                    }
                    if self.text(stop) == "(" { stop } else { stop - 1 }
                }
                "/*@" => {
                    let stop = (at..end).find(|at| self.text(*at) == "*/").unwrap_or(end);
                    item.attributes.push((at, stop));
                    at = stop + 1;
                    continue;
                }
                _ => break,
            };
            let stop = self.close(open).min(end);
            item.attributes.push((at, stop));
            at = stop + 1;
        }
        item.begin = at;
        let mut candidate = None;
        let mut assigned = false;
        let mut pending = 0_usize;
        while at < end {
            let word = self.text(at);
            let is_word = self.lexed.tokens[at].is_word();
            if is_word
                && at > item.begin
                && item.name.is_some()
                && among(&items.ends_at, word)
                && self.may_end(at)
            {
                item.end = at;
                return item;
            }
            if self.begins_statement(at, item.begin) {
                self.settle(&mut item, candidate, assigned, scope);
                item.end = at;
                return item;
            }
            match word {
                "(" | "[" => {
                    if word == "(" && candidate.is_none() && !assigned {
                        candidate = self.name_before(at);
                    }
                    at = self.close(at) + 1;
                    continue;
                }
                "{" => {
                    let stop = self.close(at).min(end);
                    let is_attribute = self.text(at + 1) == ":" && self.preset.shape == Shape::Keyword;
                    if is_attribute {
                        item.attributes.push((at, stop));
                    } else if item.kind == Kind::Function
                        && item.clauses.is_some()
                        && !self.body_begins(at, &mut pending)
                    {
                        // A set, a structure, or a branch in a specification.
                    } else if self.preset.shape == Shape::C && self.initializes(at, item.begin) {
                        // A member that is initialised, in front of the body.
                    } else {
                        self.settle(&mut item, candidate, assigned, scope);
                        item.body = Some((at, stop));
                        item.end = self.behind_body(&item, stop, end, assigned);
                        return item;
                    }
                    at = stop + 1;
                    continue;
                }
                ";" | "}" => {
                    self.settle(&mut item, candidate, assigned, scope);
                    item.end = at + 1;
                    return item;
                }
                "=" | ":=" => {
                    assigned = true;
                    if let Some(item) = self.function_value(&mut item, at, end) {
                        return item;
                    }
                }
                "#" if self.preset.lexing.preprocessor => {
                    at = (at..end).find(|at| self.text(*at) == "\n").unwrap_or(end);
                }
                _ if is_word && self.preset.shape != Shape::C && among(&items.functions, word) => {
                    if let Some(name) = self.function_name(at) {
                        item.attributes.extend(self.attributes_between(at + 1, name));
                        item.kind = Kind::Function;
                        item.name = Some(name);
                        at = name;
                    }
                }
                _ if is_word && item.kind == Kind::Other && among(&items.scopes, word) => {
                    item.kind = Kind::Scope;
                    item.name = Some(at);
                }
                _ if is_word
                    && item.kind == Kind::Other
                    && (among(&items.definitions, word) || among(&items.types, word))
                    && (self.lexed.tokens.get(at + 1).is_some_and(Token::is_word)
                        || self.text(at + 1) == "{") =>
                {
                    item.kind = Kind::Definition;
                    item.name = Some(at + 1);
                }
                "if" | "match" if item.clauses.is_some() => pending += 1,
                "then" => pending = pending.saturating_sub(1),
                _ if is_word
                    && item.kind == Kind::Function
                    && !self.preset.specifications.as_attributes
                    && self.preset.specifications.clause(word).is_some() =>
                {
                    item.clauses.get_or_insert(at);
                }
                _ => {}
            }
            at += 1;
        }
        self.settle(&mut item, candidate, assigned, scope);
        item
    }

    /// A declaration keyword ends a declaration, unless it is part of an expression: `var x := …; x` in one.
    pub(super) fn may_end(&self, at: usize) -> bool {
        let before = self.before(at);
        let list = &self.preset.items.ends_at;
        let modifier = list.iter().any(|word| word == before);
        !(modifier || matches!(before, "=" | ":=" | "," | "|" | "by" | "==>" | "::"))
            // A `var` in an expression.
            && self.text(at) != "var"
    }

    /// The name that a function keyword announces.
    pub(super) fn function_name(&self, keyword: usize) -> Option<usize> {
        let mut at = keyword + 1;
        while self.text(at) == "*" || self.text(at) == "{" && self.text(at + 1) == ":" {
            at = self.close(at) + 1;
        }
        let token = self.lexed.tokens.get(at)?;
        let another = self.preset.items.functions.iter().any(|word| word == token.text);
        (token.is_word() && !another).then_some(at)
    }

    /// `{:attribute}` between a keyword and a name.
    fn attributes_between(&self, begin: usize, end: usize) -> Vec<(usize, usize)> {
        let opens = (begin..end).filter(|at| self.text(*at) == "{");
        opens.map(|open| (open, self.close(open))).collect()
    }

    /// The name before a parenthesis, where it can be that of a function.
    pub(super) fn name_before(&self, open: usize) -> Option<usize> {
        if self.preset.shape == Shape::Keyword {
            return None;
        }
        let at = open.checked_sub(1)?;
        let token = &self.lexed.tokens[at];
        let control = matches!(
            token.text,
            "if" | "for"
                | "while"
                | "switch"
                | "catch"
                | "return"
                | "sizeof"
                | "with"
                | "__attribute__"
                | "alignas"
                | "decltype"
                | "noexcept"
                | "function"
        );
        if token.is_word() && !control {
            return Some(at);
        }
        // `operator==(` and `[Symbol.iterator](`.
        (self.before(at) == "operator").then(|| at - 1)
    }

    /// Decides what an item is by its name before parentheses.
    pub(super) fn settle(&self, item: &mut Item, candidate: Option<usize>, assigned: bool, scope: &str) {
        if self.preset.shape == Shape::Keyword || item.kind == Kind::Function || assigned {
            return;
        }
        let Some(name) = candidate else { return };
        let of_c = self.preset.shape == Shape::C
            && (item.kind != Kind::Scope || self.text(item.begin) == "extern")
            && self.text(item.begin) != "typedef";
        // Outside of classes `name(…)` alone is a call.
        let of_script =
            self.preset.shape == Shape::Script && scope_is_class(scope) && item.kind == Kind::Other;
        if of_c || of_script {
            item.kind = Kind::Function;
            item.name = Some(name);
        }
    }

    /// `x_{x}` behind the colon of a constructor.
    pub(super) fn initializes(&self, open: usize, begin: usize) -> bool {
        let before = self.before(open);
        let after = self.text(self.close(open) + 1);
        let colon = (begin..open).any(|at| self.text(at) == ":" && self.before(at) == ")");
        colon
            && open > 0
            && self.lexed.tokens[open - 1].is_word()
            && before != "const"
            && (after == "," || after == "{")
    }

    /// `name = function (…) {` and `name = (…) => …`, as far as the language has such.
    pub(super) fn function_value(&self, item: &mut Item, assignment: usize, end: usize) -> Option<Item> {
        if self.preset.shape != Shape::Script || item.kind == Kind::Function {
            return None;
        }
        let mut at = assignment + 1;
        if self.text(at) == "async" {
            at += 1;
        }
        let is_function = self.text(at) == "function";
        let parameters = if is_function {
            (at..end.min(at + 4)).find(|at| self.text(*at) == "(")?
        } else {
            at
        };
        let mut stop = if self.text(parameters) == "(" {
            self.close(parameters) + 1
        } else {
            parameters + 1
        };
        if is_function {
            stop = (stop..end).find(|at| self.text(*at) == "{")?;
        } else {
            // The type of the result may stand before the arrow.
            let arrow = (stop..end.min(stop + 24)).find(|at| matches!(self.text(*at), "=>" | ";" | "{"))?;
            if self.text(arrow) != "=>" {
                return None;
            }
            stop = arrow + 1;
        }
        // `const add: Op = …`, `exports.add = …`: the last word of what is assigned to.
        let mut name = assignment.checked_sub(1)?;
        if let Some(colon) = (item.begin..assignment).find(|at| self.text(*at) == ":") {
            name = colon.checked_sub(1)?;
        }
        self.lexed.tokens[name].is_word().then_some(())?;
        let body = if self.text(stop) == "{" {
            (stop, self.close(stop).min(end))
        } else {
            // An expression: to the end of the statement.
            let mut last = stop;
            while last < end && !matches!(self.text(last), ";" | "}") && !self.begins_statement(last, stop) {
                last = self.close(last) + 1;
            }
            (stop, last.saturating_sub(1).max(stop))
        };
        let semicolon = usize::from(self.text(body.1 + 1) == ";");
        Some(Item {
            kind: Kind::Function,
            name: Some(name),
            begin: item.begin,
            clauses: None,
            body: Some(body),
            attributes: std::mem::take(&mut item.attributes),
            end: body.1 + 1 + semicolon,
        })
    }

    /// Whether a statement begins on a new line, in a language that needs no semicolons.
    pub(super) fn begins_statement(&self, at: usize, first: usize) -> bool {
        if at <= first || self.preset.shape != Shape::Script {
            return false;
        }
        let (before, token) = (&self.lexed.tokens[at - 1], &self.lexed.tokens[at]);
        let value = match before.sort {
            Sort::Number | Sort::Text => true,
            Sort::Sign => matches!(before.text, ")" | "]" | "}" | "++" | "--"),
            Sort::Word => !matches!(
                before.text,
                "return"
                    | "async"
                    | "function"
                    | "class"
                    | "const"
                    | "let"
                    | "var"
                    | "new"
                    | "export"
                    | "default"
                    | "import"
                    | "extends"
                    | "typeof"
                    | "await"
                    | "yield"
                    | "case"
                    | "else"
                    | "do"
                    | "static"
                    | "get"
                    | "set"
                    | "public"
                    | "private"
                    | "protected"
                    | "readonly"
                    | "abstract"
                    | "declare"
                    | "type"
                    | "interface"
                    | "enum"
                    | "namespace"
                    | "of"
                    | "in"
                    | "as"
                    | "from"
            ),
        };
        let goes_on = matches!(
            token.text,
            "in" | "of"
                | "instanceof"
                | "as"
                | "extends"
                | "implements"
                | "from"
                | "else"
                | "catch"
                | "finally"
                | "while"
                | "is"
                | "satisfies"
        );
        token.line > before.line && value && (token.is_word() && !goes_on || token.is("@"))
    }

    /// Whether a brace in the clauses of a function begins its body, and not a part of an expression.
    pub(super) fn body_begins(&self, open: usize, pending: &mut usize) -> bool {
        let Some(before) = open.checked_sub(1).map(|at| &self.lexed.tokens[at]) else {
            return true;
        };
        if before.text == "else" {
            return false;
        }
        if *pending > 0 {
            *pending -= 1;
            return false;
        }
        if before.is("*") {
            return self.preset.specifications.clause(self.before(open - 1)).is_some();
        }
        match before.sort {
            Sort::Number | Sort::Text => true,
            Sort::Sign => match before.text {
                ")" | "]" | "}" | "@" | "?" => true,
                "," => self.preset.specifications.commas,
                _ => false,
            },
            Sort::Word => {
                !matches!(
                    before.text,
                    "in" | "is" | "as" | "by" | "then" | "else" | "returns" | "old" | "fresh" | "assigns"
                ) && self.preset.specifications.clause(before.text).is_none()
                    || matches!(before.text, "no_unwind" | "any" | "none")
            }
        }
    }

    pub(super) fn behind_body(&self, item: &Item, stop: usize, end: usize, assigned: bool) -> usize {
        // `function … by method { … }`.
        if self.text(stop + 1) == "by" && self.text(stop + 2) == "method" && self.text(stop + 3) == "{" {
            return self.close(stop + 3) + 1;
        }
        let mut next = stop + 1;
        if item.kind != Kind::Function
            && (assigned || self.preset.shape == Shape::C && item.kind == Kind::Definition)
        {
            while next < end && !matches!(self.text(next), ";" | "}") {
                if self.preset.shape == Shape::Keyword
                    && self
                        .preset
                        .items
                        .ends_at
                        .iter()
                        .any(|word| word == self.text(next))
                {
                    return next;
                }
                next = self.close(next) + 1;
            }
        }
        if self.text(next) == ";" { next + 1 } else { next }
    }
}
