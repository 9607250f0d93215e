//! Keys by the names that the page knows them by.

/// The characters that WebDriver sends for a chord such as `Shift+ArrowRight` or `n`.
pub fn chord(text: &str) -> Vec<char> {
    // A plus sign alone is a key, not a separator.
    if text == "+" {
        return vec!['+'];
    }
    text.split('+').map(key).collect()
}

fn key(name: &str) -> char {
    match name {
        "Shift" => '\u{e008}',
        "Control" => '\u{e009}',
        "Alt" => '\u{e00a}',
        "Backspace" => '\u{e003}',
        "Delete" => '\u{e017}',
        "Tab" => '\u{e004}',
        "Enter" => '\u{e007}',
        "Escape" => '\u{e00c}',
        "Space" => ' ',
        "PageUp" => '\u{e00e}',
        "PageDown" => '\u{e00f}',
        "End" => '\u{e010}',
        "Home" => '\u{e011}',
        "ArrowLeft" => '\u{e012}',
        "ArrowUp" => '\u{e013}',
        "ArrowRight" => '\u{e014}',
        "ArrowDown" => '\u{e015}',
        "F6" => '\u{e036}',
        "F10" => '\u{e03a}',
        _ => {
            let mut letters = name.chars();
            match (letters.next(), letters.next()) {
                (Some(letter), None) => letter,
                _ => panic!("no key is called `{name}`"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_are_keys_joined_by_plus() {
        assert_eq!(chord("Shift+N"), ['\u{e008}', 'N']);
        assert_eq!(chord("+"), ['+']);
    }
}
