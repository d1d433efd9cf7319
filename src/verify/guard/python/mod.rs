//! The outline of a Python program, from its syntax tree; a text with mistakes in it has one as well.

mod inside;

use std::borrow::Cow;

use ruff_python_ast::comparable::ComparableStmt;
use ruff_python_ast::token::TokenKind;
use ruff_python_ast::{Decorator, Expr, Parameters, PySourceType, Stmt};
use ruff_python_parser::{Parsed, parse_unchecked_source};
use ruff_text_size::{Ranged, TextRange, TextSize};

use inside::{Inside, called};

use super::clauses::conjuncts;
use super::escapes;
use super::lex::{Comment, Lexed, Sort, Token, joined, partners};
use super::outline::{Clause, ClauseKind, Function, Outline, Test};
use super::preset::Preset;

/// The outline of a source text.
pub(super) fn outline(source: &str, preset: &Preset) -> Outline {
    let parsed = parse_unchecked_source(source, PySourceType::Python);
    let lines = Lines::of(source);
    let (lexed, starts) = lexed(source, &parsed, &lines);
    let mut walker = Walker {
        source,
        broken: parsed.has_invalid_syntax(),
        lexed: &lexed,
        starts: &starts,
        lines: &lines,
        preset,
        out: Outline::default(),
        ranges: Vec::new(),
        calls: Vec::new(),
    };
    let body = &parsed.syntax().body;
    walker.examples("", body);
    walker.block("", body, false);
    walker.started_tests();
    let Walker { mut out, ranges, .. } = walker;
    out.escapes = escapes::in_tokens(&lexed, preset, &ranges);
    out
}

/// What a text says, whatever its layout: the statements, or the tokens of a text that isn't quite a program.
pub(super) fn said(source: &str) -> Vec<String> {
    let parsed = parse_unchecked_source(source, PySourceType::Python);
    if parsed.has_valid_syntax() {
        let statements = parsed.syntax().body.iter();
        return statements
            .map(|one| format!("{:?}", ComparableStmt::from(one)))
            .collect();
    }
    let (lexed, _) = lexed(source, &parsed, &Lines::of(source));
    lexed
        .tokens
        .iter()
        .map(|token| plain_quotes(token).into_owned())
        .collect()
}

/// Where lines begin.
struct Lines(Vec<usize>);

impl Lines {
    fn of(source: &str) -> Self {
        let ends = source.match_indices('\n').map(|(at, _)| at + 1);
        Self(std::iter::once(0).chain(ends).collect())
    }

    /// From 1.
    fn line(&self, at: TextSize) -> usize {
        self.0.partition_point(|start| *start <= at.to_usize())
    }
}

/// Tokens, and where each begins.
fn lexed<'a, T>(source: &'a str, parsed: &Parsed<T>, lines: &Lines) -> (Lexed<'a>, Vec<TextSize>) {
    let mut lexed = Lexed::default();
    let mut starts = Vec::new();
    for token in parsed.tokens() {
        let range = token.range();
        let text = &source[range];
        let line = lines.line(range.start());
        let (text, sort) = match token.kind() {
            TokenKind::Comment => {
                lexed.comments.push(Comment {
                    text,
                    line,
                    at: lexed.tokens.len(),
                });
                continue;
            }
            TokenKind::NonLogicalNewline | TokenKind::EndOfFile => continue,
            TokenKind::Newline => ("\n", Sort::Sign),
            TokenKind::Indent => ("->|", Sort::Sign),
            TokenKind::Dedent => ("|<-", Sort::Sign),
            TokenKind::Int | TokenKind::Float | TokenKind::Complex => (text, Sort::Number),
            TokenKind::String
            | TokenKind::FStringStart
            | TokenKind::FStringMiddle
            | TokenKind::FStringEnd
            | TokenKind::TStringStart
            | TokenKind::TStringMiddle
            | TokenKind::TStringEnd => (text, Sort::Text),
            _ if text.starts_with(|c: char| c.is_alphabetic() || c == '_') => (text, Sort::Word),
            _ => (text, Sort::Sign),
        };
        lexed.tokens.push(Token { text, sort, line });
        starts.push(range.start());
    }
    lexed.partner = partners(&lexed.tokens);
    (lexed, starts)
}

/// A text in single quotes as one in double quotes, where that is no other text.
fn plain_quotes<'a>(token: &Token<'a>) -> Cow<'a, str> {
    let inner = token
        .text
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''))
        .filter(|inner| token.sort == Sort::Text && !inner.contains(['"', '\\', '\'']));
    match inner {
        Some(inner) => Cow::Owned(format!("\"{inner}\"")),
        None => Cow::Borrowed(token.text),
    }
}

struct Walker<'l, 'a> {
    source: &'a str,
    /// The text isn't quite a program, so that its tree is only a guess.
    broken: bool,
    lexed: &'l Lexed<'a>,
    starts: &'l [TextSize],
    lines: &'l Lines,
    preset: &'l Preset,
    out: Outline,
    ranges: Vec<escapes::Range>,
    /// Calls outside of functions: scope, name, place.
    calls: Vec<(String, String, TextRange)>,
}

impl<'a> Walker<'_, 'a> {
    fn span(&self, range: TextRange) -> (usize, usize) {
        let index = |at: TextSize| self.starts.partition_point(|start| *start < at);
        (index(range.start()), index(range.end()))
    }

    fn tokens(&self, range: TextRange) -> &[Token<'a>] {
        let (mut from, to) = self.span(range);
        // The end of a block has no width and may stand at the beginning of what follows.
        while from < to && matches!(self.lexed.tokens[from].text, "|<-" | "->|" | "\n") {
            from += 1;
        }
        &self.lexed.tokens[from..to.max(from)]
    }

    fn text(&self, range: TextRange) -> String {
        let tokens = self.tokens(range);
        let texts: Vec<Cow<'a, str>> = tokens.iter().map(plain_quotes).collect();
        let plain: Vec<Token<'_>> = tokens
            .iter()
            .zip(&texts)
            .map(|(token, text)| Token { text, ..*token })
            .collect();
        joined(&plain)
    }

    /// What a statement says, whatever its layout.
    fn meaning(&self, statement: &Stmt) -> Option<String> {
        (!self.broken).then(|| format!("{:?}", ComparableStmt::from(statement)))
    }

    fn block(&mut self, scope: &str, statements: &[Stmt], in_tests: bool) {
        for statement in statements {
            self.statement(scope, statement, in_tests);
        }
    }

    fn statement(&mut self, scope: &str, statement: &Stmt, in_tests: bool) {
        match statement {
            Stmt::FunctionDef(function) => self.function(scope, statement, function, in_tests),
            Stmt::ClassDef(class) => self.class(scope, class),
            Stmt::Assert(_) => {
                // Behind a condition, or where it is caught, it is another one.
                let text = within(scope, &self.text(statement.range()));
                self.out.assertions.push(Clause {
                    kind: ClauseKind::Assertion,
                    text,
                    line: self.lines.line(statement.start()),
                });
            }
            Stmt::Expr(expression) => {
                if let Some(name) = called(&expression.value) {
                    self.calls.push((scope.to_owned(), name, statement.range()));
                }
            }
            Stmt::If(branch) => {
                let name = within(scope, &format!("if {}", self.text(branch.test.range())));
                self.block(&name, &branch.body, in_tests);
                for clause in &branch.elif_else_clauses {
                    let test = clause.test.as_ref().map(|test| self.text(test.range()));
                    let name = format!("{name} else {}", test.unwrap_or_default());
                    self.block(&name, &clause.body, in_tests);
                }
            }
            Stmt::Try(attempt) => {
                let name = within(scope, "try");
                self.block(&name, &attempt.body, in_tests);
                self.block(&name, &attempt.orelse, in_tests);
                self.block(&name, &attempt.finalbody, in_tests);
                for handler in &attempt.handlers {
                    let ruff_python_ast::ExceptHandler::ExceptHandler(handler) = handler;
                    self.block(&within(&name, "except"), &handler.body, in_tests);
                }
            }
            Stmt::With(with) => self.block(&within(scope, "with"), &with.body, in_tests),
            Stmt::For(each) => self.block(&within(scope, "for"), &each.body, in_tests),
            Stmt::While(repeat) => self.block(&within(scope, "while"), &repeat.body, in_tests),
            Stmt::Assign(assign) => assign.targets.iter().for_each(|target| self.bind(scope, target)),
            Stmt::AnnAssign(assign) => self.bind(scope, &assign.target),
            Stmt::Delete(delete) => delete.targets.iter().for_each(|target| self.bind(scope, target)),
            Stmt::Import(import) => {
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name);
                    self.out.bound.insert(within(scope, name));
                }
            }
            Stmt::ImportFrom(import) => {
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name);
                    self.out.bound.insert(within(scope, name));
                }
            }
            _ => {}
        }
    }

    fn names_test(&self, name: &str) -> bool {
        let prefixes = &self.preset.tests.prefixes;
        prefixes.iter().any(|prefix| name.starts_with(prefix.as_str()))
    }

    /// Calls outside of functions that start tests: of test functions, of functions with assertions, of runners.
    fn started_tests(&mut self) {
        const RUNNERS: [&str; 5] = [
            "unittest.main",
            "doctest.testmod",
            "doctest.testfile",
            "pytest.main",
            "main",
        ];
        for (scope, name, range) in std::mem::take(&mut self.calls) {
            let asserts = self.out.functions.iter().any(|function| {
                let claims = |clause: &Clause| clause.kind == ClauseKind::Assertion;
                function.name == name && (function.is_test || function.clauses.iter().any(claims))
            });
            if !(asserts || self.names_test(&name) || RUNNERS.contains(&name.as_str())) {
                continue;
            }
            let whole = self.text(range);
            self.out.tests.push(Test {
                name: within(&scope, &whole),
                line: self.lines.line(range.start()),
                whole,
            });
        }
    }

    fn bind(&mut self, scope: &str, target: &Expr) {
        match target {
            Expr::Name(name) => {
                self.out.bound.insert(within(scope, &name.id));
            }
            // `Class.method = …` from outside.
            Expr::Attribute(attribute) => {
                if let Expr::Name(base) = attribute.value.as_ref() {
                    self.out
                        .bound
                        .insert(within(scope, &format!("{}::{}", base.id, attribute.attr)));
                }
            }
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|target| self.bind(scope, target)),
            _ => {}
        }
    }

    fn class(&mut self, scope: &str, class: &ruff_python_ast::StmtClassDef) {
        let name = within(scope, &class.name);
        let bases = class
            .arguments
            .as_ref()
            .map(|arguments| self.text(arguments.range()))
            .unwrap_or_default();
        let is_test = class.name.starts_with("Test") || bases.contains("TestCase");
        let (from, to) = self.span(class.range());
        self.ranges.push((from, to, name.clone()));
        let mut head = Function {
            name: format!("class {name}"),
            line: self.lines.line(class.name.start()),
            signature: format!("class {}{bases}", class.name),
            has_body: true,
            ..Function::default()
        };
        self.decorators(&class.decorator_list, &mut head);
        head.is_test = false;
        self.out.functions.push(head);
        self.examples(&name, &class.body);
        self.block(&name, &class.body, is_test);
    }

    fn function(
        &mut self,
        scope: &str,
        statement: &Stmt,
        function: &ruff_python_ast::StmtFunctionDef,
        in_tests: bool,
    ) {
        let name = within(scope, &function.name);
        let (from, to) = self.span(function.range());
        self.ranges.push((from, to, name.clone()));
        let (parameters, mut annotations) = self.parameters(&function.parameters);
        if let Some(returns) = &function.returns {
            annotations.push(("its result".to_owned(), self.text(returns.range())));
        }
        let mut inside = Inside::default();
        inside.read(&function.body);
        let asynchronous = if function.is_async { "async " } else { "" };
        let mut made = Function {
            line: self.lines.line(function.name.start()),
            signature: format!("{asynchronous}def {}({})", function.name, parameters.join(", ")),
            annotations,
            has_body: true,
            loops: inside.loops,
            whole: self.text(function.range()),
            meaning: self.meaning(statement),
            ..Function::default()
        };
        let tests = &self.preset.tests;
        let named = tests
            .prefixes
            .iter()
            .any(|prefix| function.name.starts_with(prefix.as_str()));
        made.is_test = in_tests || named && !inside.returns;
        self.decorators(&function.decorator_list, &mut made);
        if made.is_test {
            made.clauses.clear();
        } else {
            let body = function.body.iter().map(Ranged::range).reduce(TextRange::cover);
            let words = body.map(|body| self.tokens(body)).unwrap_or_default();
            made.words = words
                .iter()
                .filter(|token| token.is_word())
                .map(|token| token.text.to_owned())
                .collect();
            let calls = inside.calls.into_iter().filter(|(name, _)| self.names_test(name));
            let calls = calls.map(|(_, range)| (String::new(), range));
            for (around, range) in inside.assertions.into_iter().chain(calls) {
                made.clauses.push(Clause {
                    kind: ClauseKind::Assertion,
                    text: format!("{around}{}", self.text(range)),
                    line: self.lines.line(range.start()),
                });
            }
            self.examples(&name, &function.body);
        }
        made.name = name;
        self.out.functions.push(made);
    }

    /// Parameters with their kinds and defaults, and their annotations.
    fn parameters(&self, parameters: &Parameters) -> (Vec<String>, Vec<(String, String)>) {
        let mut all = Vec::new();
        let mut annotations = Vec::new();
        let mut annotate = |name: &str, annotation: Option<&Expr>| {
            if let Some(annotation) = annotation {
                annotations.push((format!("its parameter {name}"), self.text(annotation.range())));
            }
        };
        let named = |parameter: &ruff_python_ast::ParameterWithDefault| match &parameter.default {
            Some(default) => format!("{}={}", parameter.parameter.name, self.text(default.range())),
            None => parameter.parameter.name.to_string(),
        };
        for parameter in &parameters.posonlyargs {
            annotate(
                &parameter.parameter.name,
                parameter.parameter.annotation.as_deref(),
            );
            all.push(named(parameter));
        }
        if !parameters.posonlyargs.is_empty() {
            all.push("/".to_owned());
        }
        for parameter in &parameters.args {
            annotate(
                &parameter.parameter.name,
                parameter.parameter.annotation.as_deref(),
            );
            all.push(named(parameter));
        }
        if let Some(rest) = &parameters.vararg {
            annotate(&rest.name, rest.annotation.as_deref());
            all.push(format!("*{}", rest.name));
        } else if !parameters.kwonlyargs.is_empty() {
            all.push("*".to_owned());
        }
        for parameter in &parameters.kwonlyargs {
            annotate(
                &parameter.parameter.name,
                parameter.parameter.annotation.as_deref(),
            );
            all.push(named(parameter));
        }
        if let Some(rest) = &parameters.kwarg {
            annotate(&rest.name, rest.annotation.as_deref());
            all.push(format!("**{}", rest.name));
        }
        (all, annotations)
    }

    fn decorators(&self, decorators: &[Decorator], function: &mut Function) {
        for decorator in decorators {
            let tokens = self.tokens(decorator.expression.range());
            let path: String = tokens
                .iter()
                .take_while(|token| token.is_word() || token.is("."))
                .map(|token| token.text)
                .collect();
            let last = path.rsplit('.').next().unwrap_or(&path);
            function.is_test |= self
                .preset
                .tests
                .attributes
                .iter()
                .any(|known| *known == path || known == last);
            let open = tokens.iter().position(|token| token.is("("));
            if let Some(kind) = self.preset.specifications.clause(&path)
                && let Some(open) = open
                && tokens.last().is_some_and(|token| token.is(")"))
            {
                function
                    .clauses
                    .extend(conjuncts(kind, &tokens[open + 1..tokens.len() - 1], false));
                continue;
            }
            function
                .attributes
                .push(format!("@{}", self.text(decorator.expression.range())));
        }
    }

    /// Examples in the docstring of a body, each of which is a test of its own.
    fn examples(&mut self, name: &str, body: &[Stmt]) {
        let Some(Stmt::Expr(first)) = body.first() else {
            return;
        };
        if !first.value.is_string_literal_expr() {
            return;
        }
        let text = &self.source[first.range()];
        let line = self.lines.line(first.start());
        let mut lines = text.lines().enumerate().peekable();
        while let Some((at, row)) = lines.next() {
            let Some(source) = row.trim().strip_prefix(">>>") else {
                continue;
            };
            let mut whole = source.trim().to_owned();
            while let Some((_, row)) = lines.peek() {
                let row = row.trim();
                if row.is_empty()
                    || row.starts_with(">>>")
                    || row.starts_with("\"\"\"")
                    || row.starts_with("'''")
                {
                    break;
                }
                whole.push('\n');
                whole.push_str(row);
                lines.next();
            }
            self.out.tests.push(Test {
                name: within(name, &format!(">>> {}", source.trim())),
                line: line + at,
                whole,
            });
        }
    }
}

fn within(scope: &str, name: &str) -> String {
    if scope.is_empty() {
        name.to_owned()
    } else {
        format!("{scope}::{name}")
    }
}
