//! Examples in a docstring.

/// The examples in the docstring of `entry_point`, each as an `assert`.
pub(super) fn examples(_prompt: &str, _entry_point: &str) -> Vec<String> {
    Vec::new()
}
