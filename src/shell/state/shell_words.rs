//! Words of a command that is copied into a shell.

use memplan_core::problem::{Scope, Views};

/// A word as a shell takes it.
pub fn quoted(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-/=@%,:+".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_string()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// What is planned, as options of the command line; none where nothing is chosen.
pub fn scope_words(scope: &Scope) -> Vec<String> {
    let planned = [(scope.inputs, "inputs"), (scope.outputs, "outputs"), (scope.weights, "weights")];
    let planned: Vec<&str> = planned.into_iter().filter(|(is_planned, _)| *is_planned).map(|(_, name)| name).collect();
    let planned = if planned.is_empty() { "none".to_string() } else { planned.join(",") };
    let mut words: Vec<String> =
        (planned != "inputs,outputs").then(|| format!("--with {planned}")).into_iter().collect();
    words.extend((scope.views == Views::Copy).then(|| "--views copy".to_string()));
    words.extend((scope.align != 1).then(|| format!("--align {}", scope.align)));
    words.extend(scope.symbols.iter().map(|(name, value)| format!("--symbol {}", quoted(&format!("{name}={value}")))));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_ends_a_word() {
        for (text, word) in [
            ("net.tflite", "net.tflite"),
            ("", "''"),
            ("two words", "'two words'"),
            ("$(rm x)`;|&\"\\", "'$(rm x)`;|&\"\\'"),
            ("it's", "'it'\\''s'"),
            ("a\nb", "'a\nb'"),
        ] {
            assert_eq!(quoted(text), word);
        }
    }
}
