//! An answer → what is said about it.

use super::content::{Choice, LegalPlace, Value, Words};
use memplan_core::base::{Message, Unit, decimal};

/// What is said about an answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Feedback {
    /// A sentence of the lesson.
    Lesson(Words),
    /// A general sentence.
    General(Message),
}

/// An answer with its verdict.
#[derive(Clone, PartialEq, Debug)]
pub struct Judged {
    /// Whether it is right.
    pub right: bool,
    /// Why; none where the lesson's sentence on the right answer says it.
    pub feedback: Option<Feedback>,
}

impl Judged {
    const RIGHT: Judged = Judged { right: true, feedback: None };

    fn wrong(words: Option<&Words>, general: impl FnOnce() -> Message) -> Judged {
        let feedback = words.cloned().map_or_else(|| Feedback::General(general()), Feedback::Lesson);
        Judged { right: false, feedback: Some(feedback) }
    }
}

/// Judges one of several things that were chosen.
pub fn judge_choice(choice: &Choice) -> Judged {
    let general = || Message::new("lesson.choice-wrong");
    if choice.right { Judged::RIGHT } else { Judged::wrong(choice.say.as_ref(), general) }
}

/// Judges a place that was chosen.
pub fn judge_place(place: &LegalPlace) -> Judged {
    let general = || Message::new("lesson.place-wrong");
    if place.right { Judged::RIGHT } else { Judged::wrong(place.say.as_ref(), general) }
}

/// How far a size that was rounded may be from the right one, as a share of it.
const ROUNDING: f64 = 0.005;

/// How far apart numbers are that are the same, for the rounding of their sum.
const ERROR: f64 = 1e-9;

/// Returns true if two numbers are the same; where decimals are asked for, if they round to the
/// same.
pub fn is_same(one: f64, other: f64, decimals: u32) -> bool {
    let scaled = |number: f64| (number * 10f64.powi(decimals as i32) + ERROR).round();
    if decimals > 0 { scaled(one) == scaled(other) } else { (one - other).abs() <= ERROR }
}

/// Judges a number as it was written. `value` is right, as is what rounds to it at the decimals
/// that are asked for.
pub fn judge_number(text: &str, is_bytes: bool, value: f64, decimals: u32, wrong: &[Value]) -> Judged {
    let read = amounts(text, is_bytes);
    // Of two meanings the larger one is that of whoever groups digits with commas.
    let Some(&meant) = read.last() else {
        let key = if is_bytes { "lesson.no-bytes" } else { "lesson.no-number" };
        return Judged::wrong(None, || Message::new(key).bytes("n", 64).bytes("m", 64 << 10));
    };
    // A unit rounds: 1.66 KiB is meant for 1 704 B.
    let rounded = if is_bytes { rounded(text) } else { 0.0 };
    let is_near =
        |other: f64, read: f64| is_same(other, read, decimals) || (other - read).abs() <= rounded.min(other * ROUNDING);
    if read.iter().any(|&read| is_near(value, read)) {
        return Judged::RIGHT;
    }
    let known = wrong.iter().find(|known| read.iter().any(|&read| is_near(known.value, read)));
    let key = if meant < value { "lesson.too-small" } else { "lesson.too-large" };
    Judged::wrong(known.map(|known| &known.say), || Message::new(key))
}

/// The numbers that a text may mean, in bytes where it is a size: `1 704`, `1,704` (a decimal or a
/// thousand), `1.66 KiB`. Empty if it is none.
pub fn amounts(text: &str, is_bytes: bool) -> Vec<f64> {
    let (figure, unit) = split(text);
    let scale = match unit.to_ascii_lowercase().as_str() {
        "" => 1.0,
        name if is_bytes => match unit_of(name) {
            Some(unit) => unit.bytes() as f64,
            None => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let mut meant = vec![figure.replace(',', ".")];
    let is_thousands = |part: &str| part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_digit());
    if figure.contains(',') && figure.split(',').skip(1).all(is_thousands) {
        meant.push(figure.replace(',', ""));
    }
    meant.iter().filter_map(|figure| number(figure)).map(|number| number * scale).collect()
}

/// A number that is not below zero.
fn number(figure: &str) -> Option<f64> {
    if let Some(figure) = figure.strip_prefix('-') {
        return decimal(figure).filter(|&number| number == 0.0);
    }
    let figure = figure.strip_prefix('+').unwrap_or(figure);
    let is_whole = !figure.is_empty() && figure.bytes().all(|byte| byte.is_ascii_digit());
    // A whole number that does not fit is larger than every right answer, and stays so as the
    // largest one that fits.
    decimal(figure).or(is_whole.then_some(u64::MAX as f64))
}

/// Figure and unit of a text, without the spaces that group digits.
fn split(text: &str) -> (String, String) {
    let text: String = text.chars().filter(|letter| !letter.is_whitespace() && *letter != '\u{202f}').collect();
    let at = text.find(|letter: char| letter.is_alphabetic()).unwrap_or(text.len());
    (text[..at].to_string(), text[at..].to_string())
}

fn unit_of(name: &str) -> Option<Unit> {
    let is = |unit: &Unit| {
        let full = unit.name().to_ascii_lowercase();
        name == full || *unit != Unit::B && name == full.replace('i', "") || name == &full[..1] && *unit != Unit::B
    };
    Unit::ALL.into_iter().find(is).or_else(|| ["byte", "bytes"].contains(&name).then_some(Unit::B))
}

/// Half of the last digit that a size in a unit shows, in bytes.
fn rounded(text: &str) -> f64 {
    let (figure, unit) = split(text);
    let Some(unit) = unit_of(&unit.to_ascii_lowercase()).filter(|unit| *unit != Unit::B) else { return 0.0 };
    let decimals = figure.split(['.', ',']).nth(1).map_or(0, str::len);
    unit.bytes() as f64 / 10f64.powi(decimals.min(9) as i32) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for text in ["1704", "1 704", "1\u{202f}704 B", "1,704", "1704 bytes", "1704.0"] {
            assert!(amounts(text, true).contains(&1704.0), "{text}");
        }
        for text in ["384 KiB", "384kib", "384 KB", "384k", "0.375 MiB", "0,375 MiB"] {
            assert!(amounts(text, true).contains(&393_216.0), "{text}");
        }
        assert!(amounts("1,09", false).contains(&1.09));
        for (text, number) in [("+5", 5.0), ("-0", 0.0), (".5", 0.5), ("5.", 5.0)] {
            assert_eq!(amounts(text, true), [number], "{text}");
        }
        assert!(amounts("99999999999999999999999", true).iter().all(|&number| number > 1e19), "too large, not unread");
        for text in ["", "KiB", "-1", "about 5", "5 apples", "1e999", "inf", "nan"] {
            assert!(amounts(text, true).is_empty(), "{text}");
        }
        assert!(amounts("5 KiB", false).is_empty(), "a count has no unit");
    }

    #[test]
    fn a_size_in_a_larger_unit_is_meant_as_it_is_rounded() {
        assert!(judge_number("1.66 KiB", true, 1704.0, 0, &[]).right);
        for wrong in ["1.6 KiB", "2 KiB", "0 MiB", "0 GiB"] {
            assert!(!judge_number(wrong, true, 1704.0, 0, &[]).right, "{wrong}");
        }
        assert!(!judge_number("1703", true, 1704.0, 0, &[]).right);
    }

    #[test]
    fn a_ratio_is_right_as_far_as_it_rounds_to_the_decimals_asked_for() {
        let judged = |text: &str| judge_number(text, false, 1.09, 2, &[]);
        for right in ["1.09", "1,09", "1.090", "1.093", "1.0938", "1.085", "1.0949"] {
            assert!(judged(right).right, "{right}");
        }
        for (wrong, key) in [
            ("1.08", "lesson.too-small"),
            ("1", "lesson.too-small"),
            ("1.1", "lesson.too-large"),
            ("1.10", "lesson.too-large"),
            ("1.095", "lesson.too-large"),
        ] {
            let Some(Feedback::General(message)) = judged(wrong).feedback else { panic!("{wrong}") };
            assert_eq!(message.key, key, "{wrong}");
        }
        // A known wrong number counts as such as far as it rounds, too.
        let say = Words { en: "Of another plan.".into(), zh: "另一个规划的。".into() };
        let wrong = [Value { value: 1.0244, say: say.clone() }];
        assert_eq!(judge_number("1.02", false, 1.09, 2, &wrong).feedback, Some(Feedback::Lesson(say)));
    }

    #[test]
    fn a_known_wrong_number_has_its_own_sentence() {
        let say = Words { en: "That is the sum.".into(), zh: "那是总和。".into() };
        let wrong = [Value { value: 3580.0, say: say.clone() }];
        let judged = |text: &str| judge_number(text, true, 1704.0, 0, &wrong);
        assert_eq!(judged("3580").feedback, Some(Feedback::Lesson(say)));
        let general = |text: &str| match judged(text).feedback {
            Some(Feedback::General(message)) => message.key.into_owned(),
            other => panic!("{other:?}"),
        };
        assert_eq!((general("1"), general("9999")), ("lesson.too-small".into(), "lesson.too-large".into()));
        assert_eq!((general("1,900"), general("1,600")), ("lesson.too-large".into(), "lesson.too-small".into()));
        assert_eq!(general("much"), "lesson.no-bytes");
    }
}
