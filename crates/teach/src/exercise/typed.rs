//! Buffers that a teacher types into the form of an exercise, one a line: `A, 96 KiB, 0, 3`.
//!
//! Name, size, the first step and the step after the last one stand between commas, semicolons,
//! tabs or blanks; a live range may have its brackets, `[0, 3)`. What is read becomes a table as
//! any other document.

use std::collections::BTreeSet;
use std::fmt::Write;

use memplan_core::base::{Message, Unit};

/// Most buffers: what a link carries and a class looks over.
pub const MAX_BUFFERS: usize = 40;

/// Last step after a buffer's life.
pub const MAX_STEP: u32 = 1_000;

/// Most letters of a name.
pub const MAX_NAME: usize = 24;

/// Largest size, in bytes.
const MAX_BYTES: u64 = 1 << 40;

/// Returns the buffers as a table, `id,lower,upper,size` with a row each.
///
/// # Errors
/// The first line that is no buffer, and why.
pub fn table(text: &str) -> Result<String, Message> {
    let mut made = String::from("id,lower,upper,size\n");
    let mut names = BTreeSet::new();
    for (number, line) in (1_u64..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let fault = |key: &'static str| Message::new(key).count("n", number).text("line", line.trim());
        let [name, size, from, to] = parts(line).ok_or_else(|| fault("typed.line"))?;
        if !is_name(&name) {
            return Err(fault("typed.name").text("name", &name).count("most", MAX_NAME as u64));
        }
        let size = bytes(&size).ok_or_else(|| fault("typed.size").text("size", &size))?;
        let step = |text: &str| text.parse::<u32>().ok().filter(|step| *step <= MAX_STEP);
        let live = step(&from).zip(step(&to)).filter(|(from, to)| from < to);
        let (from, to) = live.ok_or_else(|| fault("typed.live").count("most", MAX_STEP))?;
        // Writing to a text cannot fail.
        let _ = writeln!(made, "{name},{from},{to},{size}");
        if !names.insert(name.clone()) {
            return Err(fault("typed.twice").text("name", name));
        }
        if names.len() > MAX_BUFFERS {
            return Err(Message::new("typed.many").count("most", MAX_BUFFERS as u64));
        }
    }
    if names.is_empty() { Err(Message::new("typed.none")) } else { Ok(made) }
}

/// Name, size with its unit, and the two steps.
fn parts(line: &str) -> Option<[String; 4]> {
    let is_mark = |letter: char| letter.is_whitespace() || ",;[]()，；".contains(letter);
    let mut words: Vec<&str> = line.split(is_mark).filter(|word| !word.is_empty()).collect();
    let (to, from) = (words.pop()?, words.pop()?);
    let (name, size) = words.split_first()?;
    (1..=2).contains(&size.len()).then(|| [name.to_string(), size.concat(), from.into(), to.into()])
}

fn is_name(name: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || "_.:/-".contains(letter);
    let is_first = |letter: char| letter.is_alphanumeric() || letter == '_';
    name.chars().all(is_part) && name.starts_with(is_first) && name.chars().count() <= MAX_NAME
}

/// A size with or without a unit, `96 KiB`; at least a byte.
fn bytes(text: &str) -> Option<u64> {
    let at = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (figure, name) = text.split_at(at);
    let is_named = |unit: &Unit| {
        let full = unit.name().to_ascii_lowercase();
        let name = name.to_ascii_lowercase();
        name == full || name == full.replace('i', "")
    };
    let unit = if name.is_empty() { Unit::B } else { Unit::ALL.into_iter().find(is_named)? };
    let bytes = figure.parse::<u64>().ok()?.checked_mul(unit.bytes())?;
    (1..=MAX_BYTES).contains(&bytes).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_formats::import::{self, Answers, Document};

    #[test]
    fn lines_become_a_table_that_is_read() {
        let text = "A, 96 KiB, 0, 3\n\n b 1000 [1, 4)\nC;2kb;2;9\nｄ，7，0，1\n";
        let made = table(text).expect("buffers");
        assert_eq!(made, "id,lower,upper,size\nA,0,3,98304\nb,1,4,1000\nC,2,9,2048\nｄ,0,1,7\n");
        let read = import::read(made.as_bytes(), Answers::default()).expect("a table");
        let Document::Buffers(problem) = read.document else { panic!("a list of buffers") };
        assert_eq!((problem.buffers.len(), problem.steps), (4, 9));
    }

    #[test]
    fn what_is_no_buffer_is_told_with_its_line() {
        let key = |text: &str| table(text).expect_err(text);
        for (text, wanted) in [
            ("", "typed.none"),
            ("A, 96", "typed.line"),
            ("A, 96 KiB more, 0, 3", "typed.line"),
            ("=A, 96, 0, 3", "typed.name"),
            ("A, many, 0, 3", "typed.size"),
            ("A, 0, 0, 3", "typed.size"),
            ("A, 99999999999 GiB, 0, 3", "typed.size"),
            ("A, 96, 3, 3", "typed.live"),
            ("A, 96, 0, 1001", "typed.live"),
            ("A, 96, -1, 3", "typed.live"),
            ("A, 96, 0, 3\nA, 96, 0, 3", "typed.twice"),
        ] {
            let why = key(text);
            assert_eq!(why.key, wanted, "{text}");
            assert!(!memplan_core::text::Speech::default().say(&why).contains('{'), "{why:?}");
        }
        let many: String = (0..=MAX_BUFFERS).map(|at| format!("b{at} 1 0 1\n")).collect();
        assert_eq!(key(&many).key, "typed.many");
        assert_eq!(key("A 1 0 1\nB 1 0").arg("n"), Some(&memplan_core::base::Arg::Count(2)));
    }
}
