//! The prompts as text files; the user can replace any of them.
//!
//! A prompt is a minijinja template. `--prompts DIR` names a folder whose files replace the bundled ones of the
//! same name (`self-debug/draft.txt` …); what it doesn't hold stays as bundled. A placeholder that the pattern
//! doesn't fill is an error before any model is called.

mod bundled;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior};

use bundled::BUNDLED;

/// A prompt that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    /// The folder or a file in it can't be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The template has a mistake.
    #[error("prompt {name}: {message}")]
    Template {
        /// The prompt's name.
        name: String,
        /// What is wrong, and where.
        message: String,
    },
}

/// The prompts in use.
#[derive(Debug)]
pub struct Prompts {
    environment: Environment<'static>,
}

impl Prompts {
    /// The bundled prompts.
    pub fn bundled() -> Self {
        Self::load(None).unwrap_or_else(|error| unreachable!("the bundled prompts are valid: {error}"))
    }

    /// The bundled prompts with those in `folder` put in their place.
    pub fn load(folder: Option<&Path>) -> Result<Self, PromptError> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        // Prompts are text: nothing in a program or a test is to be escaped.
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        if let Some(folder) = folder
            && !folder.is_dir()
        {
            let source = std::io::Error::new(std::io::ErrorKind::NotFound, "no such folder of prompts");
            return Err(PromptError::Read {
                path: folder.to_owned(),
                source,
            });
        }
        for &(name, bundled, fields) in BUNDLED {
            let replacement = folder
                .map(|folder| folder.join(name))
                .filter(|path| path.exists());
            let text = match replacement {
                None => bundled.to_owned(),
                Some(path) => {
                    std::fs::read_to_string(&path).map_err(|source| PromptError::Read { path, source })?
                }
            };
            let fail = |message: String| PromptError::Template {
                name: name.to_owned(),
                message,
            };
            environment
                .add_template_owned(name.to_owned(), text)
                .map_err(|error| fail(format!("{error:#}")))?;
            let template = environment
                .get_template(name)
                .map_err(|error| fail(error.to_string()))?;
            let mut unknown: Vec<String> = template
                .undeclared_variables(false)
                .into_iter()
                .filter(|f| !fields.contains(&&**f))
                .collect();
            unknown.sort();
            if let Some(field) = unknown.first() {
                return Err(fail(format!(
                    "no such placeholder as {{{{{field}}}}}; there are {}",
                    fields.join(", ")
                )));
            }
        }
        Ok(Self { environment })
    }

    /// The texts of the prompts in `folders` in one, for a hash that says which were in use.
    pub fn text(&self, folders: &[&str]) -> String {
        let used = BUNDLED.iter().filter(|(name, ..)| {
            name.split_once('/')
                .is_some_and(|(folder, _)| folders.contains(&folder))
        });
        let texts = used.filter_map(|(name, ..)| {
            let template = self.environment.get_template(name).ok()?;
            Some(format!("{name}\n{}\n", template.source()))
        });
        texts.collect()
    }

    /// Fills the prompt `name`.
    pub fn render(&self, name: &str, fields: &[(&str, &str)]) -> Result<String, PromptError> {
        let fail = |error: minijinja::Error| PromptError::Template {
            name: name.to_owned(),
            message: format!("{error:#}"),
        };
        let fields: BTreeMap<&str, &str> = fields.iter().copied().collect();
        self.environment
            .get_template(name)
            .map_err(fail)?
            .render(Serde(fields))
            .map_err(fail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_prompts_are_those_of_the_spec_word_for_word() {
        let prompts = Prompts::bundled();
        let text = prompts
            .render(
                "self-debug/fix.txt",
                &[
                    ("task", "T"),
                    ("code", "x < 1 && \"y\""),
                    ("failing_tests_with_expected_and_actual", "F"),
                    ("explanation", "E"),
                ],
            )
            .unwrap();
        assert_eq!(
            text,
            "<task>T</task>\n<code>x < 1 && \"y\"</code>\n<failures>F</failures>\n<explanation>E</explanation>\n\n\
             Using the explanation, fix the code so every failing test passes\nwithout breaking the ones that pass. \
             Return the complete fixed code\nin one code block, with no commentary."
        );
    }

    #[test]
    fn a_replaced_prompt_is_used_and_a_wrong_placeholder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("self-debug")).unwrap();
        let file = folder.path().join("self-debug/draft.txt");
        std::fs::write(&file, "Do {{task}}!").unwrap();
        let prompts = Prompts::load(Some(folder.path())).unwrap();
        let text = prompts.render(
            "self-debug/draft.txt",
            &[("language", "Python"), ("task", "it"), ("tests", "")],
        );
        assert_eq!(text.unwrap(), "Do it!");

        std::fs::write(&file, "Do {{tsak}}!").unwrap();
        let error = Prompts::load(Some(folder.path())).unwrap_err().to_string();
        assert_eq!(
            error,
            "prompt self-debug/draft.txt: no such placeholder as {{tsak}}; there are language, task, tests"
        );
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let error = Prompts::load(Some(Path::new("/nonexistent/prompts")))
            .unwrap_err()
            .to_string();
        assert_eq!(error, "/nonexistent/prompts: no such folder of prompts");
    }
}
