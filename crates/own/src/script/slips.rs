//! Slips of people who know another language, or whose keyboard writes full-width signs: where a
//! program cannot be read, they say more than what the language expected there.

use memplan_core::base::Message;
use rhai::{ParseErrorType, Position};

/// Words of Python, with what stands for them here.
const PYTHON: [(&str, &str); 16] = [
    ("def", "fn"),
    ("elif", "else if"),
    ("and", "&&"),
    ("or", "||"),
    ("not", "!"),
    ("None", "()"),
    ("True", "true"),
    ("False", "false"),
    ("len", "array.len()"),
    ("append", "array.push(value)"),
    ("sorted", "array.sort(|a, b| a.size - b.size)"),
    ("lambda", "|a, b| a.size - b.size"),
    ("str", "to_string(value)"),
    ("int", "parse_int(text)"),
    ("pass", "{ }"),
    ("self", "this"),
];

/// Full-width signs without a half-width form at the usual distance, with what they stand for.
const SIGNS: [(char, &str); 16] = [
    ('。', "."),
    ('、', ","),
    ('“', "\""),
    ('”', "\""),
    ('‘', "\""),
    ('’', "\""),
    ('【', "["),
    ('】', "]"),
    ('《', "<"),
    ('》', ">"),
    ('×', "*"),
    ('÷', "/"),
    ('−', "-"),
    ('≥', ">="),
    ('≤', "<="),
    ('≠', "!="),
];

/// Distance of a full-width sign from its half-width form.
const DISTANCE: u32 = '！' as u32 - '!' as u32;

/// Words that begin a block.
const BLOCKS: [&str; 7] = ["fn", "if", "else", "elif", "for", "while", "loop"];

/// Words before a name that are no type, and no word for one.
const NO_TYPES: [&str; 9] = ["let", "const", "fn", "return", "in", "else", "if", "and", "or"];

/// The lines of a program with blanks in place of its comments and of what stands in texts.
pub struct Bare(Vec<Vec<char>>);

/// What the scan of a program is inside of.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    Code,
    Remark,
    LongRemark,
    Text(char),
}

impl Bare {
    /// The lines of a program.
    pub fn of(code: &str) -> Bare {
        let (mut lines, mut inside) = (Vec::new(), Inside::Code);
        for line in code.split('\n') {
            let letters: Vec<char> = line.chars().collect();
            let mut bare = letters.clone();
            let mut at = 0;
            while at < letters.len() {
                let next = letters.get(at + 1).copied();
                let (after, length, is_bare) = match (inside, letters[at]) {
                    (Inside::Code, '/') if next == Some('/') => (Inside::Remark, 2, false),
                    (Inside::Code, '/') if next == Some('*') => (Inside::LongRemark, 2, false),
                    (Inside::Code, quote @ ('"' | '\'' | '`')) => (Inside::Text(quote), 1, true),
                    (Inside::Code, _) => (Inside::Code, 1, true),
                    (Inside::Text(quote), '\\') if quote != '`' => (inside, 2, false),
                    (Inside::Text(quote), letter) if letter == quote => (Inside::Code, 1, true),
                    (Inside::LongRemark, '*') if next == Some('/') => (Inside::Code, 2, false),
                    _ => (inside, 1, false),
                };
                if !is_bare {
                    let end = (at + length).min(letters.len());
                    bare[at..end].fill(' ');
                }
                (inside, at) = (after, at + length);
            }
            // Only long comments and texts between backticks go on in the next line.
            if !matches!(inside, Inside::LongRemark | Inside::Text('`')) {
                inside = Inside::Code;
            }
            lines.push(bare);
        }
        Bare(lines)
    }

    /// A line, from 1.
    fn line(&self, number: usize) -> String {
        number.checked_sub(1).and_then(|index| self.0.get(index)).map(|line| line.iter().collect()).unwrap_or_default()
    }

    /// What follows a word that stands at a place.
    fn after_word(&self, word: &str, position: Position) -> String {
        let line = self.line(position.line().unwrap_or(0));
        let skipped = position.position().unwrap_or(1).saturating_sub(1) + word.chars().count();
        line.chars().skip(skipped).collect()
    }

    /// Whether something is assigned to the name at a place.
    pub fn is_assigned(&self, name: &str, position: Position) -> bool {
        let after = self.after_word(name, position);
        after.trim_start().strip_prefix('=').is_some_and(|rest| !rest.starts_with('='))
    }

    /// The line of `const NAME`, from 1.
    pub fn line_of_constant(&self, name: &str) -> Option<usize> {
        (1..=self.0.len()).find(|&number| {
            let line = self.line(number);
            let rest = line.trim_start().strip_prefix("const ").map(str::trim_start);
            rest.and_then(|rest| rest.strip_prefix(name)).is_some_and(|rest| rest.trim_start().starts_with('='))
        })
    }

    /// The first line from this one on in which something is given to a key of a map.
    pub fn line_of_key(&self, key: &str, from: usize) -> Option<usize> {
        (from..=self.0.len()).find(|&number| {
            let line = self.line(number);
            let mut places = line.match_indices(key);
            places.any(|(at, _)| {
                let (before, after) = (&line[..at], line[at + key.len()..].trim_start_matches('"'));
                !before.ends_with(is_of_word) && after.trim_start().starts_with(':')
            })
        })
    }

    /// Whether a place is inside of `const NAME = …;`.
    pub fn is_in_constant(&self, name: &str, position: Position) -> bool {
        let (Some(first), Some(number)) = (self.line_of_constant(name), position.line()) else { return false };
        let before = (first..number).map(|number| self.line(number));
        let here = self.line(number).chars().take(position.position().unwrap_or(1)).collect::<String>();
        first <= number && !before.chain([here]).any(|line| line.contains(';'))
    }

    /// A word of another language for the type, at a place, and the name behind it to which
    /// something is assigned: `var i`, with `let i`.
    pub fn typed_name(&self, position: Position) -> Option<(String, String)> {
        let line = self.line(position.line()?);
        let rest: String = line.chars().skip(position.position()?.checked_sub(1)?).collect();
        let word = first_word(&rest)?;
        let gap = rest[word.len()..].len() - rest[word.len()..].trim_start().len();
        let name = first_word(&rest[word.len() + gap..]).filter(|_| gap > 0)?;
        let after = rest[word.len() + gap + name.len()..].trim_start();
        let is_assigned = after.starts_with('=') && !after.starts_with("==");
        let typed = rest[..word.len() + gap + name.len()].to_string();
        let instead = if word == "mut" { name.to_string() } else { format!("let {name}") };
        is_assigned.then_some((typed, instead))
    }

    /// The same where the name stands at a place, with the place of the word before it.
    pub fn typed_before(&self, position: Position) -> Option<(Position, String, String)> {
        let number = position.line()?;
        let line = self.line(number);
        let before: String = line.chars().take(position.position()?.checked_sub(1)?).collect();
        let bare = before.trim_end();
        let word = bare.len() - bare.trim_end_matches(is_of_word).len();
        let begins = place(number, bare[..bare.len() - word].chars().count() + 1);
        if word == 0 || NO_TYPES.contains(&&bare[bare.len() - word..]) {
            return None;
        }
        self.typed_name(begins).map(|(typed, instead)| (begins, typed, instead))
    }

    /// The end of the line with code before the line of a place, if nothing stands before that.
    pub fn end_before(&self, position: Position) -> Option<Position> {
        let (number, column) = position.line().zip(position.position())?;
        let is_first = self.line(number).chars().take(column - 1).all(char::is_whitespace);
        let mut before = (1..number).rev().map(|number| (number, self.line(number).trim_end().chars().count()));
        let (number, length) = before.find(|(_, length)| *length > 0).filter(|_| is_first)?;
        Some(place(number, length + 1))
    }

    /// The line of the innermost `while`, `loop` or `do` around a place.
    pub fn loop_around(&self, position: Position) -> Option<usize> {
        let (to, column) = (position.line()?, position.position().unwrap_or(usize::MAX));
        let mut open: Vec<Option<usize>> = Vec::new();
        // The loop whose block comes next, if one does.
        let mut begun = None;
        for (index, line) in self.0.iter().enumerate().take(to) {
            let end = if index + 1 == to { column.min(line.len()) } else { line.len() };
            let mut word = String::new();
            for &letter in line[..end].iter().chain([&' ']) {
                if letter.is_alphanumeric() || letter == '_' {
                    word.push(letter);
                    continue;
                }
                match &*std::mem::take(&mut word) {
                    "while" | "loop" | "do" => begun = Some(index + 1),
                    "for" | "fn" | "if" | "else" => begun = None,
                    _ => {}
                }
                match letter {
                    '{' => open.push(begun.take()),
                    '}' => drop(open.pop()),
                    ';' => begun = None,
                    _ => {}
                }
            }
        }
        begun.or_else(|| open.into_iter().rev().flatten().next())
    }

    /// The first full-width sign, with its half-width form.
    fn full_width(&self) -> Option<(Position, Message)> {
        let signs = self.0.iter().enumerate().flat_map(|(line, letters)| {
            letters.iter().enumerate().map(move |(column, letter)| (place(line + 1, column + 1), *letter))
        });
        let mut signs = signs.filter_map(|(place, letter)| Some((place, letter, half_width(letter)?)));
        let (place, letter, instead) = signs.next()?;
        let message = Message::new("own-planner.full-width").text("word", letter.to_string());
        Some((place, message.text("instead", instead)))
    }

    /// The colon at the end of the line of a place that begins a block of Python.
    fn block(&self, position: Position) -> Option<(Position, Message)> {
        let number = position.line()?;
        let line = self.line(number);
        let code = line.trim_end().strip_suffix(':')?;
        let mut words = code.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        let begins = words.next().is_some_and(|word| BLOCKS.contains(&word));
        begins.then(|| (place(number, code.chars().count() + 1), with_braces("own-planner.block")))
    }

    /// A word in the line of a place.
    fn word(&self, wanted: &str, position: Position) -> Option<Position> {
        let (number, line) = (position.line()?, self.line(position.line()?));
        let found = line.match_indices(wanted).find(|(at, _)| {
            let (before, after) = (&line[..*at], &line[at + wanted.len()..]);
            !before.ends_with(is_of_word) && !after.starts_with(is_of_word)
        });
        found.map(|(at, _)| place(number, line[..at].chars().count() + 1))
    }
}

/// A sentence about a block, whose braces would be names of values in a sentence of ours.
pub fn with_braces(key: &'static str) -> Message {
    Message::new(key).text("open", "{").text("close", "}")
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The word that a text begins with.
fn first_word(text: &str) -> Option<&str> {
    let word = &text[..text.find(|letter| !is_of_word(letter)).unwrap_or(text.len())];
    word.starts_with(|first: char| first.is_alphabetic() || first == '_').then_some(word)
}

/// A place in a program; the language counts no further than this.
fn place(line: usize, column: usize) -> Position {
    let short = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
    Position::new(short(line), short(column))
}

/// The half-width form of a full-width sign, letter or digit.
fn half_width(letter: char) -> Option<String> {
    if ('！'..='～').contains(&letter) {
        return char::from_u32(letter as u32 - DISTANCE).map(String::from);
    }
    SIGNS.iter().find(|(sign, _)| *sign == letter).map(|(_, instead)| (*instead).to_string())
}

/// Returns the slip that keeps a program from being read, with its place.
pub fn slip(error: &ParseErrorType, code: &str, position: Position) -> Option<(Position, Message)> {
    let bare = Bare::of(code);
    if let ParseErrorType::Reserved(word) = error
        && word == "#"
    {
        return Some((position, Message::new("own-planner.remark").text("word", "#").text("instead", "//")));
    }
    let lambda = || bare.word("lambda", position).zip(python("lambda"));
    bare.full_width().or_else(lambda).or_else(|| bare.block(position))
}

/// What stands here for a word of Python.
pub fn python(word: &str) -> Option<Message> {
    let (_, instead) = PYTHON.iter().find(|(python, _)| *python == word)?;
    Some(Message::new("own-planner.python").text("word", word).text("instead", *instead))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_texts_are_left_out() {
        let code = "a; // （\n\"（\\\"；\" + `x\n；` /* ，\n， */ b";
        let bare = Bare::of(code);
        assert!(bare.full_width().is_none());
        assert_eq!(bare.line(1).trim_end(), "a;");
        assert_eq!(bare.line(4).trim_start(), "b");
        let (place, message) = Bare::of("// ；\n  x；").full_width().expect("a sign");
        assert_eq!((place.line(), place.position()), (Some(2), Some(4)));
        assert_eq!(message.key, "own-planner.full-width");
    }

    #[test]
    fn the_loop_around_a_place_is_the_innermost_that_may_never_end() {
        let code = "fn f() {\n  while a {\n    for b in c {\n      let d = #{ e: 1 };\n    }\n    loop { x }\n    y\n  }\n  z\n}";
        let bare = Bare::of(code);
        let around = |line: u16, column: u16| bare.loop_around(Position::new(line, column));
        assert_eq!(around(4, 9), Some(2));
        assert_eq!(around(6, 13), Some(6));
        assert_eq!(around(7, 5), Some(2));
        assert_eq!(around(2, 10), Some(2), "its condition");
        assert_eq!(around(9, 3), None);
    }
}
