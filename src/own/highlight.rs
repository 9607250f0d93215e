//! The text of a program in coloured parts, line by line.

/// What a part of a program is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Names and signs.
    Plain,
    /// A word of the language.
    Keyword,
    /// The name of a function where it is written or called.
    Function,
    /// A text.
    Text,
    /// A number.
    Number,
    /// A comment.
    Remark,
}

impl Kind {
    /// The class of its element; none for what is not coloured.
    pub const fn class(self) -> Option<&'static str> {
        match self {
            Kind::Plain => None,
            Kind::Keyword => Some("k"),
            Kind::Function => Some("f"),
            Kind::Text => Some("t"),
            Kind::Number => Some("n"),
            Kind::Remark => Some("r"),
        }
    }
}

const KEYWORDS: [&str; 18] = [
    "let", "const", "fn", "return", "if", "else", "for", "in", "while", "loop", "do", "until", "break", "continue",
    "switch", "this", "true", "false",
];

/// What reaches from one line into the next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Nothing,
    Remark,
    Template,
}

/// The parts of each line; joined they are the line.
pub fn parts(code: &str) -> Vec<Vec<(Kind, String)>> {
    let mut open = Open::Nothing;
    code.split('\n').map(|line| line_parts(line, &mut open)).collect()
}

fn line_parts(line: &str, open: &mut Open) -> Vec<(Kind, String)> {
    let letters: Vec<char> = line.chars().collect();
    let mut found: Vec<(Kind, String)> = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let (kind, end) = next_part(&letters, at, open);
        let text: String = letters[at..end].iter().collect();
        match found.last_mut().filter(|(last, _)| *last == kind && kind == Kind::Plain) {
            Some((_, before)) => before.push_str(&text),
            None => found.push((kind, text)),
        }
        at = end;
    }
    found
}

/// The kind of the part that begins at a letter, and where it ends.
fn next_part(letters: &[char], at: usize, open: &mut Open) -> (Kind, usize) {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let pair = [letters.get(at).copied(), letters.get(at + 1).copied()];
    match (*open, pair) {
        (Open::Remark, _) => (Kind::Remark, until_pair(letters, at, open)),
        (Open::Template, _) => (Kind::Text, until_quote(letters, at, '`', open)),
        (_, [Some('/'), Some('/')]) => (Kind::Remark, letters.len()),
        (_, [Some('/'), Some('*')]) => {
            *open = Open::Remark;
            (Kind::Remark, until_pair(letters, at + 2, open))
        }
        (_, [Some('`'), _]) => {
            *open = Open::Template;
            (Kind::Text, until_quote(letters, at + 1, '`', open))
        }
        (_, [Some(quote @ ('"' | '\'')), _]) => (Kind::Text, until_quote(letters, at + 1, quote, &mut Open::Nothing)),
        (_, [Some(letter), _]) if is_word(letter) => {
            let end = (at..letters.len()).find(|&index| !is_word(letters[index])).unwrap_or(letters.len());
            let word: String = letters[at..end].iter().collect();
            let is_called = letters[end..].iter().find(|letter| **letter != ' ') == Some(&'(');
            let kind = match KEYWORDS.contains(&&*word) {
                true => Kind::Keyword,
                false if letter.is_ascii_digit() => Kind::Number,
                false if is_called => Kind::Function,
                false => Kind::Plain,
            };
            (kind, end)
        }
        _ => (Kind::Plain, at + 1),
    }
}

/// The end of a comment between `/*` and `*/`.
fn until_pair(letters: &[char], from: usize, open: &mut Open) -> usize {
    match (from..letters.len()).find(|&index| letters[index] == '*' && letters.get(index + 1) == Some(&'/')) {
        Some(end) => {
            *open = Open::Nothing;
            end + 2
        }
        None => letters.len(),
    }
}

/// The end of a text: behind its second quotation mark, or the end of the line.
fn until_quote(letters: &[char], from: usize, quote: char, open: &mut Open) -> usize {
    let mut at = from;
    while at < letters.len() {
        match letters[at] {
            '\\' if quote != '`' => at += 1,
            letter if letter == quote => {
                *open = Open::Nothing;
                return at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    letters.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(code: &str) -> Vec<Vec<(Kind, String)>> {
        parts(code)
    }

    #[test]
    fn parts_joined_are_the_text() {
        let code = "fn place(buffer, gaps) { // why\n  let a = `x\n${1}`; /* b\n*/ \"c\\\"\" + 'd' + 12\n}\n";
        let joined: Vec<String> =
            of(code).iter().map(|line| line.iter().map(|(_, text)| text.as_str()).collect()).collect();
        assert_eq!(joined.join("\n"), code);
    }

    #[test]
    fn words_texts_numbers_and_comments_are_told_apart() {
        let line = &of("return max(a.size, 12); // \"x\"")[0];
        let found: Vec<(Kind, &str)> = line.iter().map(|(kind, text)| (*kind, text.as_str())).collect();
        assert_eq!(
            found,
            [
                (Kind::Keyword, "return"),
                (Kind::Plain, " "),
                (Kind::Function, "max"),
                (Kind::Plain, "(a.size, "),
                (Kind::Number, "12"),
                (Kind::Plain, "); "),
                (Kind::Remark, "// \"x\""),
            ]
        );
    }

    #[test]
    fn what_is_open_goes_on_in_the_next_line() {
        let lines = of("let t = `a\nlet b`; /* c\nlet */ let");
        assert_eq!(lines[1][0], (Kind::Text, "let b`".into()));
        assert_eq!(
            lines[2],
            [(Kind::Remark, "let */".into()), (Kind::Plain, " ".into()), (Kind::Keyword, "let".into())]
        );
    }
}
