//! Programs begun in exercises, as they are kept: lines of a link, a name and the program,
//! with tabs between.

/// Most programs that are kept; the oldest one goes.
const MOST: usize = 20;

/// The program that somebody began for a link.
pub fn find(text: &str, link: &str, name: &str) -> Option<String> {
    let (link, name) = (escaped(link), escaped(name));
    let line = |line: &str| {
        let (of, rest) = line.split_once('\t')?;
        let (by, code) = rest.split_once('\t')?;
        (of == link && by == name).then(|| unescaped(code))
    };
    text.lines().find_map(line)
}

/// The text with this program in place of the one before.
pub fn with(text: &str, link: &str, name: &str, code: &str) -> String {
    let begin = format!("{}\t{}\t", escaped(link), escaped(name));
    let own = format!("{begin}{}", escaped(code));
    let others = text.lines().filter(|line| !line.starts_with(&begin)).map(str::to_string);
    let mut lines: Vec<String> = others.chain([own]).collect();
    lines.drain(..lines.len().saturating_sub(MOST));
    lines.join("\n")
}

/// A text without what separates texts.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t")
}

fn unescaped(text: &str) -> String {
    let mut letters = text.chars();
    let mut found = String::new();
    while let Some(letter) = letters.next() {
        match (letter, letter == '\\') {
            (_, true) => found.extend(letters.next().map(|letter| match letter {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                other => other,
            })),
            (letter, false) => found.push(letter),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_again_by_its_link_and_name() {
        let code = "fn place(b, g) {\n\t`\\n`\r\n}\n";
        let text = with("", "a=1", "Li", code);
        let text = with(&text, "a=1", "Han", "other");
        assert_eq!(find(&text, "a=1", "Li").as_deref(), Some(code));
        assert_eq!(find(&text, "a=1", "Han").as_deref(), Some("other"));
        assert_eq!((find(&text, "b=2", "Li"), find(&text, "a=1", "L")), (None, None));
        let text = with(&text, "a=1", "Li", "newer");
        assert_eq!((find(&text, "a=1", "Li").as_deref(), text.lines().count()), (Some("newer"), 2));
        let many = (0..30).fold(text, |text, at| with(&text, &format!("n={at}"), "Li", code));
        assert_eq!((many.lines().count(), find(&many, "a=1", "Li")), (MOST, None));
    }
}
