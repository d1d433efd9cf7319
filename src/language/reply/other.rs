//! The program in a reply, where it isn't Python: there is no parser, so declarations are told by their words.

use super::fences::{self, Block};
use super::kinds::{Kind, kind_of};
use super::{Rule, tags, tidy, wrapped};
use crate::language::source::uses;
use crate::task::Brief;

/// Words in front of a name that declare it, in any of the languages.
const DECLARING: [&str; 16] = [
    "function",
    "func",
    "fn",
    "def",
    "sub",
    "class",
    "struct",
    "const",
    "let",
    "var",
    "interface",
    "enum",
    "impl",
    "type",
    "trait",
    "local",
];

/// Beginnings of lines that bring in what other files define.
const IMPORTING: [&str; 9] = [
    "#include", "using ", "import ", "use ", "package ", "require", "from ", "const fs", "extern ",
];

/// What is looked for.
#[derive(Clone, Copy, Debug)]
struct Wanted<'a> {
    /// The language's name in lower case.
    language: &'a str,
    entry: Option<&'a str>,
    starter: &'a str,
}

/// Finds the program.
pub(super) fn find(reply: &str, brief: &Brief) -> Option<(String, Rule)> {
    let wanted = Wanted {
        language: brief.language.name(),
        entry: brief.entry_point.as_deref(),
        starter: &brief.starter_code,
    };
    find_wanted(reply, wanted)
}

fn find_wanted(reply: &str, wanted: Wanted<'_>) -> Option<(String, Rule)> {
    let (answer, unended) = tidy::without_thoughts(&tidy::tidy(reply));
    let found = answer_in(&answer, wanted, true);
    match (found, unended) {
        (Some(found), _) => Some(found),
        (None, Some(thoughts)) => {
            let (source, rule) = answer_in(&thoughts, wanted, true)?;
            (rule != Rule::Invalid).then_some((source, Rule::Thought))
        }
        (None, None) => None,
    }
}

fn answer_in(text: &str, wanted: Wanted<'_>, unwrap: bool) -> Option<(String, Rule)> {
    let language = wanted.language;
    if unwrap {
        let inner = |text: &String| answer_in(text, wanted, false);
        let good = |(_, rule): &(String, Rule)| *rule != Rule::Invalid;
        if let Some((source, _)) = wrapped::texts(text).iter().filter_map(inner).find(good) {
            return Some((source, Rule::Json));
        }
    }
    let mut blocks = fences::blocks(text, |info| kind_of(info, language), |_| false);
    if blocks.is_empty() {
        blocks = tags::blocks(text, language);
    }
    if blocks.is_empty() {
        return unfenced(text, wanted);
    }
    let tagged: Vec<&Block> = blocks.iter().filter(|block| block.kind == Kind::Ours).collect();
    let plain: Vec<&Block> = blocks.iter().filter(|block| block.kind != Kind::Other).collect();
    let all: Vec<&Block> = blocks.iter().collect();
    [&tagged, &plain, &all]
        .into_iter()
        .filter(|blocks| !blocks.is_empty())
        .find_map(|blocks| from_blocks(blocks, wanted))
        .or_else(|| {
            let longest = if plain.is_empty() { &all } else { &plain };
            let longest = longest.iter().max_by_key(|block| block.source.len())?;
            Some((longest.source.clone(), Rule::Invalid))
        })
}

fn from_blocks(blocks: &[&Block], wanted: Wanted<'_>) -> Option<(String, Rule)> {
    let declares = |block: &&Block| declares_entry(&block.source, wanted);
    let Some(main) = blocks.iter().rposition(declares) else {
        return blocks
            .iter()
            .rev()
            .find_map(|block| continuation(&block.source, wanted))
            .map(|source| (source, Rule::Continuation));
    };
    let main_source = &blocks[main].source;
    // What it uses and another block declares; a block that declares the entry point as well is a draft.
    let mut text = main_source.clone();
    let mut taken = false;
    for (at, block) in blocks.iter().enumerate().rev() {
        let helps = at != main
            && !declares(block)
            && declared(&block.source)
                .iter()
                .any(|name| uses(&text, name) && !declares_name(&text, name));
        if helps {
            text = format!("{}\n\n{text}", block.source.trim_end());
            taken = true;
        }
    }
    let rule = match (taken, blocks.len()) {
        (true, _) => Rule::Blocks,
        (false, 1) => Rule::Block,
        (false, _) => Rule::LastBlock,
    };
    Some((with_imports(text, wanted), rule))
}

fn unfenced(text: &str, wanted: Wanted<'_>) -> Option<(String, Rule)> {
    if declares_entry(text, wanted) {
        let code = without_prose(text);
        let rule = if code.trim() == text.trim() {
            Rule::WholeReply
        } else {
            Rule::Lines
        };
        return Some((with_imports(code, wanted), rule));
    }
    continuation(text, wanted).map(|source| (source, Rule::Continuation))
}

/// The starter code with a body behind it; braces that it left open are closed.
fn continuation(body: &str, wanted: Wanted<'_>) -> Option<String> {
    if wanted.starter.trim().is_empty() || body.trim().is_empty() || !looks_like_code(body) {
        return None;
    }
    let mut source = format!("{}\n{body}", wanted.starter.trim_end_matches('\n'));
    let open = source.matches('{').count();
    let closed = source.matches('}').count();
    for _ in closed..open {
        source.push_str("\n}");
    }
    source.push('\n');
    Some(source)
}

fn looks_like_code(text: &str) -> bool {
    let ends = [";", "{", "}", ")", "end", "fi", "done"];
    text.lines()
        .map(str::trim)
        .any(|line| ends.iter().any(|end| line.ends_with(end)) || line.starts_with("return"))
}

/// Whether `source` declares what the tests call; for a program that reads stdin, whether it is code.
fn declares_entry(source: &str, wanted: Wanted<'_>) -> bool {
    let entry = wanted
        .entry
        .or_else(|| wanted.starter.lines().rev().find_map(declared_in));
    match entry {
        Some(entry) => declares_name(source, entry.rsplit(['.', ':']).next().unwrap_or(entry)),
        None => looks_like_code(source),
    }
}

/// Whether a line of `source` declares `name`: behind a word that declares, assigned to, or as a function with its
/// body or its type.
fn declares_name(source: &str, name: &str) -> bool {
    source
        .lines()
        .any(|line| uses(line, name) && declared_in(line).is_some_and(|declared| declared == name))
}

/// All names that lines at the margin, or one level in, declare.
fn declared(source: &str) -> Vec<String> {
    source
        .lines()
        .filter_map(declared_in)
        .map(str::to_owned)
        .collect()
}

fn declared_in(line: &str) -> Option<&str> {
    let code = line.trim();
    if code.starts_with("//") || code.starts_with('*') || code.starts_with("return ") {
        return None;
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let words: Vec<&str> = code
        .split(|c: char| !is_word(c))
        .filter(|word| !word.is_empty())
        .collect();
    let keyword = words.iter().take(5).position(|word| DECLARING.contains(word));
    if let Some(at) = keyword {
        // Go's methods and Lua's have something in between: `func (s *S) name(`, `function M.name(`.
        let head = code.split_once('(').map_or(code, |(head, _)| head);
        let in_head = head.split(|c: char| !is_word(c)).rfind(|word| !word.is_empty());
        return match in_head.filter(|word| !DECLARING.contains(word)) {
            Some(name) if !code.contains('=') => Some(name),
            _ => words
                .iter()
                .skip(at + 1)
                .find(|word| !DECLARING.contains(word))
                .copied(),
        };
    }
    // `int name(…) {`, `public static List<Integer> name(…)`, `name() {`: a name in front of a bracket, and no call.
    let (head, rest) = code.split_once('(')?;
    let name = head.split(|c: char| !is_word(c)).rfind(|word| !word.is_empty())?;
    let opens = rest.trim_end().ends_with('{') || rest.trim_end().ends_with(')') && head.contains(' ');
    let is_statement = [
        "if", "for", "while", "switch", "catch", "return", "else", "foreach", "until",
    ];
    let is_call = head.contains('=') || head.contains('.') && !head.contains(' ');
    (opens && !is_call && !is_statement.contains(&name) && head.ends_with(name)).then_some(name)
}

/// Lines of the starter code that bring something in, in front of a program that has none of them.
fn with_imports(source: String, wanted: Wanted<'_>) -> String {
    let language = wanted.language;
    // Go refuses imports that aren't used, so only the author can write them.
    if !["c", "cpp", "java", "rust"].contains(&language) {
        return source;
    }
    let imports = wanted
        .starter
        .lines()
        .filter(|line| IMPORTING.iter().any(|word| line.starts_with(word)))
        .filter(|line| !source.lines().any(|own| own.trim() == line.trim()));
    let missing = tidy::lines(imports);
    format!("{missing}{source}")
}

/// An unfenced reply without the sentences in front of its code and behind it.
fn without_prose(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let is_prose = |line: &str| {
        let line = line.trim();
        let sentence = line.ends_with(['.', ':', '!', '?']) && line.starts_with(|c: char| c.is_uppercase());
        sentence && line.contains(' ') && !line.contains([';', '{', '}', '=', '<'])
    };
    let is_empty = |line: &str| line.trim().is_empty();
    let skip = |line: &&&str| is_prose(line) || is_empty(line);
    let front = lines.iter().take_while(skip).count();
    let back = lines[front..].iter().rev().take_while(skip).count();
    let mut code = lines[front..lines.len() - back].join("\n");
    code.push('\n');
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(reply: &str, language: &str, entry: Option<&str>, starter: &str) -> (String, Rule) {
        let wanted = Wanted {
            language,
            entry,
            starter,
        };
        find_wanted(reply, wanted).unwrap()
    }

    /// A declaration of `add` in each language.
    const ADD: [(&str, &str); 12] = [
        ("javascript", "function add(a, b) {\n  return a + b;\n}\n"),
        ("javascript", "const add = (a, b) => {\n  return a + b;\n};\n"),
        (
            "typescript",
            "export function add(a: number, b: number): number {\n  return a + b;\n}\n",
        ),
        ("c", "int add(int a, int b) {\n    return a + b;\n}\n"),
        (
            "cpp",
            "vector<int> add(vector<int> a, int b) {\n    return a;\n}\n",
        ),
        (
            "java",
            "class Solution {\n    public int add(int a, int b) {\n        return a + b;\n    }\n}\n",
        ),
        ("go", "func add(a int, b int) int {\n\treturn a + b\n}\n"),
        ("rust", "pub fn add(a: i64, b: i64) -> i64 {\n    a + b\n}\n"),
        ("ruby", "def add(a, b)\n  a + b\nend\n"),
        ("php", "function add($a, $b) {\n    return $a + $b;\n}\n"),
        (
            "perl",
            "sub add {\n    my ($a, $b) = @_;\n    return $a + $b;\n}\n",
        ),
        ("lua", "function add(a, b)\n  return a + b\nend\n"),
    ];

    #[test]
    fn declarations_in_every_language() {
        for (language, code) in ADD {
            let reply = format!(
                "First:\n```{language}\nx(1)\n```\nIn Python:\n```python\ndef add(a, b): return a\n```\n\
                 ```{language}\n{code}```\nUse it:\n```{language}\nprint(add(1, 2));\n```\n"
            );
            assert_eq!(
                found(&reply, language, Some("add"), ""),
                (code.to_owned(), Rule::LastBlock),
                "{language}"
            );
            assert_eq!(found(code, language, Some("add"), "").0, code, "{language}");
            let prose = format!("Here is the code:\n\n{code}\nIt adds two numbers.\n");
            assert_eq!(found(&prose, language, Some("add"), "").0, code, "{language}");
        }
    }

    #[test]
    fn what_another_block_declares_comes_along() {
        let helper = "```js\nfunction one() {\n  return 1;\n}\n```\n";
        let main = "```js\nfunction add(a) {\n  return a + one();\n}\n```\n";
        let (source, rule) = found(&format!("{helper}{main}"), "javascript", Some("add"), "");
        assert!(
            source.starts_with("function one()") && source.contains("function add(a)"),
            "{source}"
        );
        assert_eq!(rule, Rule::Blocks);
    }

    #[test]
    fn a_body_continues_the_declaration_and_is_closed() {
        let starter = "#include <vector>\nint add(int a, int b) {\n";
        for body in [
            "    return a + b;\n}\n",
            "    return a + b;\n",
            "```cpp\n    return a + b;\n}\n```",
        ] {
            let (source, rule) = found(body, "cpp", None, starter);
            assert_eq!(rule, Rule::Continuation);
            assert_eq!(
                source.matches('{').count(),
                source.matches('}').count(),
                "{source}"
            );
        }
        let (source, _) = found(
            "```cpp\nint add(int a, int b) {\n    return 1;\n}\n```",
            "cpp",
            None,
            starter,
        );
        assert!(source.starts_with("#include <vector>\nint add("), "{source}");
    }
}
