//! The outline of a Python program, from its syntax tree; a text with mistakes in it has one as well.

mod functions;
mod inside;
mod names;

use std::borrow::Cow;

use ruff_python_ast::comparable::ComparableStmt;
use ruff_python_ast::token::TokenKind;
use ruff_python_ast::{Expr, PySourceType, Stmt};
use ruff_python_parser::{Parsed, parse_unchecked_source};
use ruff_text_size::{Ranged, TextRange, TextSize};

use inside::{called, claims};
use names::Names;

use super::escapes;
use super::lex::{Comment, Lexed, Sort, Token, joined, partners};
use super::outline::{Clause, ClauseKind, Definition, Escape, Function, Outline, Test, words};
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
    walker.names(Names::of(body));
    let Walker { mut out, ranges, .. } = walker;
    out.escapes.extend(escapes::in_tokens(&lexed, preset, &ranges));
    out.words = lexed
        .tokens
        .iter()
        .filter(|token| token.is_word())
        .map(|token| token.text.to_owned())
        .collect();
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
                self.loose(statement);
            }
            // A check at the top that ends the program is a test.
            Stmt::If(branch) if inside::ends(&branch.body) && !is_main(branch) => {
                self.check(scope, statement);
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
            // At the top these are tests as a whole, if they claim something.
            Stmt::Try(_) | Stmt::With(_) | Stmt::For(_) | Stmt::While(_) | Stmt::Match(_)
                if claims(statement) =>
            {
                self.check(scope, statement);
                self.inner(scope, statement, in_tests);
            }
            Stmt::Try(_) | Stmt::With(_) | Stmt::For(_) | Stmt::While(_) => {
                self.loose(statement);
                self.inner(scope, statement, in_tests);
            }
            Stmt::Assign(assign) => {
                assign
                    .targets
                    .iter()
                    .for_each(|target| self.value(scope, target, statement));
                self.loose(statement);
            }
            Stmt::AnnAssign(assign) => self.value(scope, &assign.target, statement),
            _ => self.loose(statement),
        }
    }

    /// A statement at the top that is a test as a whole.
    fn check(&mut self, scope: &str, statement: &Stmt) {
        let whole = self.text(statement.range());
        let head: String = whole.chars().take(40).collect();
        self.out.tests.push(Test {
            name: within(scope, &head),
            line: self.lines.line(statement.start()),
            whole: self.meaning(statement).unwrap_or(whole),
        });
    }

    /// What stands within a statement at the top.
    fn inner(&mut self, scope: &str, statement: &Stmt, in_tests: bool) {
        match statement {
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
            _ => {}
        }
    }

    /// A value that is bound at the top.
    fn value(&mut self, scope: &str, target: &Expr, statement: &Stmt) {
        let Expr::Name(name) = target else { return };
        let whole = self.text(statement.range());
        self.out.values.push(Definition {
            name: within(scope, &name.id),
            line: self.lines.line(statement.start()),
            words: words(&whole).map(str::to_owned).collect(),
            whole,
            always: false,
            is_macro: false,
        });
    }

    /// A statement at the top that may touch what others are made of.
    fn loose(&mut self, statement: &Stmt) {
        let text = self.text(statement.range());
        let said = words(&text).map(str::to_owned).collect();
        self.out.loose.push((text, said));
    }

    /// What stands in a test class and is no test.
    fn beside(&mut self, scope: &str, name: &str, range: TextRange) {
        self.out.beside_tests.push(Test {
            name: within(scope, name),
            line: self.lines.line(range.start()),
            whole: format!("{scope}::{}", self.text(range)),
        });
    }

    /// Names, and what is done to them anywhere.
    fn names(&mut self, names: Names) {
        self.out.bound.extend(names.bound);
        self.out.imports.extend(names.imports);
        for (what, range) in names.odd {
            let (at, _) = self.span(range);
            self.out.escapes.push(Escape {
                what: what.to_owned(),
                text: self.text(range),
                line: self.lines.line(range.start()),
                within: escapes::owner(&self.ranges, at),
                trusted: false,
            });
        }
    }

    fn names_test(&self, name: &str) -> bool {
        let prefixes = &self.preset.tests.prefixes;
        prefixes.iter().any(|prefix| name.starts_with(prefix.as_str()))
    }

    /// Calls outside of functions that start tests: of test functions, of functions with assertions, of runners.
    fn started_tests(&mut self) {
        const RUNNERS: [&str; 8] = [
            "sys.exit",
            "exit",
            "quit",
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
        if is_test {
            for member in &class.body {
                if !matches!(member, Stmt::FunctionDef(_) | Stmt::Pass(_)) && !is_text(member) {
                    self.beside(&name, "a statement", member.range());
                }
            }
        }
        self.block(&name, &class.body, is_test);
    }
}

/// `if __name__ == "__main__"`.
fn is_main(branch: &ruff_python_ast::StmtIf) -> bool {
    matches!(branch.test.as_ref(), Expr::Compare(test)
        if matches!(test.left.as_ref(), Expr::Name(name) if name.id == "__name__"))
}

fn is_text(statement: &Stmt) -> bool {
    matches!(statement, Stmt::Expr(expression) if expression.value.is_string_literal_expr())
}

fn within(scope: &str, name: &str) -> String {
    if scope.is_empty() {
        name.to_owned()
    } else {
        format!("{scope}::{name}")
    }
}
