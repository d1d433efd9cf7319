//! There is one loop: no file of a pattern loops by itself, and each is short.

use std::path::Path;

const LONGEST: usize = 200;

/// A file's code, without comments and unit tests.
fn code(text: &str) -> Vec<&str> {
    let tested = text.split("#[cfg(test)]").next().unwrap_or(text);
    tested
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect()
}

#[test]
fn no_pattern_loops_by_itself_and_each_is_short() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/patterns");
    let mut patterns = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines = text.split("#[cfg(test)]").next().unwrap().lines().count();
        assert!(lines < LONGEST, "{name}: {lines} lines without tests");
        let loops = |line: &&str| {
            let line = line.trim_start();
            ["loop ", "while ", "for "]
                .iter()
                .any(|word| line.starts_with(word))
                || line.contains(" = loop {")
        };
        let code = code(&text);
        let looping: Vec<_> = code.iter().filter(|line| loops(line)).collect();
        // Whoever asks a model or runs something waits for it.
        let waits = code.iter().any(|line| line.contains(".await"));
        assert!(
            !waits || looping.is_empty(),
            "{name} loops by itself: {looping:?}"
        );
        patterns += usize::from(code.iter().any(|line| line.contains("stop: StopRule {")));
    }
    assert!(patterns >= 9, "{patterns} patterns were found");
}
