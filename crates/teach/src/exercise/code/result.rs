//! An outcome → the letters of a result code, and back.

use serde::{Deserialize, Serialize};

use super::letters;
use crate::exercise::link::{ExerciseLink, MAX_TRIES, fnv1a};
use memplan_core::base::Message;

/// Version of the contents, which is also the digit of the first part of a code.
const VERSION: u8 = 1;

/// The same of codes that hold a ratio.
const WITH_RATIO: u8 = 2;

/// All versions.
pub(super) const VERSIONS: [u8; 2] = [VERSION, WITH_RATIO];

/// The first part of the codes of a version, without its digit.
pub(super) const PREFIX: &str = "MP";

/// Bytes of a code. A ratio takes two more.
const fn bytes_of(version: u8) -> usize {
    if version == WITH_RATIO { 16 } else { 14 }
}

/// Letters of a code.
const fn letters_of(version: u8) -> usize {
    (bytes_of(version) * 8).div_ceil(5)
}

/// Most letters of the part for single questions: 255 bits, and a check of 8.
const MAX_MORE: usize = 255_usize.div_ceil(5) + CHECK_LETTERS;

/// Letters that hold the check of the second part.
const CHECK_LETTERS: usize = 2;

/// Largest minute that a code can tell: 31 years after its first.
const MAX_MINUTE: u32 = (1 << 24) - 1;

/// Seconds from 1970 to the first minute, 2026-01-01 00:00 UTC.
const FIRST_SECOND: u64 = 1_767_225_600;

/// How an exercise ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// Right answers.
    pub right: u8,
    /// Questions.
    pub of: u8,
    /// Attempts; more than 63 are told as 63.
    pub attempts: u8,
    /// Whether help was looked at.
    pub helped: bool,
    /// Whether an answer was shown.
    pub shown: bool,
    /// Minutes since 2026-01-01 00:00 UTC; later than 2057 is told as then.
    pub minute: u32,
    /// The ratio that was reached, in hundredths; none where no ratio is asked for.
    pub ratio: Option<u16>,
}

/// What a code says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Code {
    /// Fingerprint of the exercise.
    pub fingerprint: u32,
    /// Hash of the name.
    pub name: u16,
    /// How the exercise ended.
    pub outcome: Outcome,
    /// Whether each question was answered right; none in a short code.
    pub answers: Option<Vec<bool>>,
}

/// Why letters are no code. Positions count letters and marks of the text from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CodeFault {
    /// It does not begin with `MP1` or `MP2`.
    Prefix,
    /// There is a letter that no code has.
    Letter {
        /// Its position.
        position: usize,
    },
    /// There are too few or too many letters.
    Length {
        /// How many there are.
        found: usize,
        /// How many there should be.
        wanted: usize,
    },
    /// The letters do not belong together: at least one is wrong.
    Check,
    /// It is of another version.
    Version(u8),
}

impl CodeFault {
    /// The fault in words.
    pub fn message(self) -> Message {
        match self {
            CodeFault::Prefix => Message::new("code.prefix"),
            CodeFault::Letter { position } => Message::new("code.letter").count("n", position as u64),
            CodeFault::Length { found, wanted } => {
                Message::new("code.length").count("n", found as u64).count("wanted", wanted as u64)
            }
            CodeFault::Check => Message::new("code.check"),
            CodeFault::Version(version) => Message::new("code.version").count("n", version),
        }
    }
}

impl Code {
    /// Whether it was made for this name. Capitals and blanks make no difference.
    pub fn is_of(&self, name: &str) -> bool {
        self.name == name_hash(name)
    }
}

/// The minute of a moment, given in seconds since 1970 (UTC); 0 for one before 2026.
pub fn minute_of(seconds: u64) -> u32 {
    let minutes = seconds.saturating_sub(FIRST_SECOND) / 60;
    u32::try_from(minutes).unwrap_or(MAX_MINUTE).min(MAX_MINUTE)
}

/// A minute as date and time in UTC, `2026-03-01 10:05`.
pub fn date(minute: u32) -> String {
    let (days, minute) = (minute / 1440, minute % 1440);
    // Civil from days (H. Hinnant, chrono-compatible low-level date algorithms), in years that
    // begin in March: 2026-01-01 is day 306 of the year that begins at 2025-03-01.
    let days = u64::from(days) + 306 + 2025 * 365 + 2025 / 4 - 2025 / 100 + 2025 / 400;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day = day_of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day_of_month = day - (153 * month + 2) / 5 + 1;
    let (month, late) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + year + late;
    format!("{year:04}-{month:02}-{day_of_month:02} {:02}:{:02}", minute / 60, minute % 60)
}

/// FNV-1a of the name in small letters with single blanks, its two halves mixed: two bytes tell
/// typing mistakes, not who somebody is.
fn name_hash(name: &str) -> u16 {
    let words: Vec<String> = name.split_whitespace().map(str::to_lowercase).collect();
    let hash = fnv1a(words.join(" ").as_bytes());
    (hash >> 16) as u16 ^ hash as u16
}

fn version_of(outcome: &Outcome) -> u8 {
    if outcome.ratio.is_some() { WITH_RATIO } else { VERSION }
}

fn packed(exercise: &ExerciseLink, name: &str, outcome: &Outcome) -> Vec<u8> {
    let flags = u8::from(outcome.helped) << 6 | u8::from(outcome.shown) << 7;
    let mut bytes = vec![version_of(outcome)];
    bytes.extend(exercise.fingerprint().to_be_bytes());
    bytes.extend(name_hash(name).to_be_bytes());
    bytes.extend([outcome.right, outcome.of, outcome.attempts.min(MAX_TRIES) | flags]);
    bytes.extend(&outcome.minute.min(MAX_MINUTE).to_be_bytes()[1..]);
    bytes.extend(outcome.ratio.into_iter().flat_map(u16::to_be_bytes));
    bytes.push(letters::crc8(&bytes));
    bytes
}

/// Groups of four letters.
fn grouped(letters: &str) -> String {
    let letters: Vec<char> = letters.chars().collect();
    let groups: Vec<String> = letters.chunks(4).map(|group| group.iter().collect()).collect();
    groups.join("-")
}

/// The code of an outcome.
pub fn write(exercise: &ExerciseLink, name: &str, outcome: &Outcome) -> String {
    let version = version_of(outcome);
    format!("{PREFIX}{version}-{}", grouped(&letters::write(&packed(exercise, name, outcome))))
}

/// The code with a bit for each question: whether it was answered right.
pub fn write_long(exercise: &ExerciseLink, name: &str, outcome: &Outcome, answers: &[bool]) -> String {
    let bytes = packed(exercise, name, outcome);
    let check = letters::crc8(&[bytes, bits(answers)].concat());
    let shown: String = letters::write(&bits(answers)).chars().take(answers.len().div_ceil(5)).collect();
    format!("{}+{}", write(exercise, name, outcome), grouped(&(shown + &letters::write(&[check]))))
}

/// Bits as bytes, the last one filled up with zeros.
fn bits(answers: &[bool]) -> Vec<u8> {
    let byte = |chunk: &[bool]| chunk.iter().enumerate().fold(0, |byte, (at, &bit)| byte | u8::from(bit) << (7 - at));
    answers.chunks(8).map(byte).collect()
}

/// The values of the letters of a text, which begins at a position. Hyphens and blanks are left
/// out.
fn values(text: &str, first: usize) -> Result<Vec<u8>, CodeFault> {
    let marked = text.chars().enumerate().filter(|(_, letter)| !letters::is_mark(*letter));
    let value = |(at, letter): (usize, char)| letters::value(letter).ok_or(CodeFault::Letter { position: first + at });
    marked.map(value).collect()
}

/// Reads a code: capitals or not, with or without its hyphens, O for 0, I and L for 1.
///
/// # Errors
/// [`CodeFault`]. One letter that is another is always found.
pub fn read(text: &str) -> Result<Code, CodeFault> {
    let text = text.trim();
    let prefix: Vec<char> = text.chars().take(3).collect();
    let version = match prefix.as_slice() {
        ['M' | 'm', 'P' | 'p', digit] => letters::value(*digit).filter(|version| VERSIONS.contains(version)),
        _ => None,
    };
    let version = version.ok_or(CodeFault::Prefix)?;
    let (size, wanted) = (bytes_of(version), letters_of(version));
    let rest: String = text.chars().skip(3).collect();
    let (short, more) = match rest.split_once('+') {
        Some((short, more)) => (short, Some(more)),
        None => (rest.as_str(), None),
    };
    let found = values(short, 4)?;
    if found.len() != wanted {
        return Err(CodeFault::Length { found: found.len(), wanted });
    }
    let bytes = letters::bytes(&found).filter(|bytes| letters::crc8(&bytes[..size - 1]) == bytes[size - 1]);
    let bytes = bytes.ok_or(CodeFault::Check)?;
    if bytes[0] != version {
        return Err(CodeFault::Version(bytes[0]));
    }
    let number = |from: usize, to: usize| bytes[from..to].iter().fold(0, |sum, &byte| sum << 8 | u32::from(byte));
    let outcome = Outcome {
        right: bytes[7],
        of: bytes[8],
        attempts: bytes[9] & MAX_TRIES,
        helped: bytes[9] & 0x40 != 0,
        shown: bytes[9] & 0x80 != 0,
        minute: number(10, 13),
        ratio: (version == WITH_RATIO).then(|| number(13, 15) as u16),
    };
    if outcome.right > outcome.of {
        return Err(CodeFault::Check);
    }
    let answers = more.map(|more| read_more(more, 5 + short.chars().count(), &bytes, &outcome)).transpose()?;
    Ok(Code { fingerprint: number(1, 5), name: number(5, 7) as u16, outcome, answers })
}

fn read_more(text: &str, first: usize, bytes: &[u8], outcome: &Outcome) -> Result<Vec<bool>, CodeFault> {
    let found = values(text, first)?;
    let count = usize::from(outcome.of);
    let wanted = count.div_ceil(5) + CHECK_LETTERS;
    if found.len() != wanted || wanted > MAX_MORE {
        return Err(CodeFault::Length { found: found.len(), wanted });
    }
    let (shown, check) = found.split_at(wanted - CHECK_LETTERS);
    let bit = |at: usize| shown[at / 5] >> (4 - at % 5) & 1 == 1;
    let answers: Vec<bool> = (0..count).map(bit).collect();
    let is_filled = (count..shown.len() * 5).all(|at| !bit(at));
    let check = letters::bytes(check);
    let expected = letters::crc8(&[bytes, &bits(&answers)].concat());
    let right = answers.iter().filter(|&&is_right| is_right).count();
    if !is_filled || check != Some(vec![expected]) || right != usize::from(outcome.right) {
        return Err(CodeFault::Check);
    }
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn exercise() -> ExerciseLink {
        let link = "exercise=1&doc=ex:learn/fits-best&plan=first-fit&kind=predict&pass=6&of=8&bits=1";
        ExerciseLink::read(link).expect("an exercise")
    }

    fn outcome() -> Outcome {
        Outcome { right: 7, of: 8, attempts: 2, helped: true, shown: false, minute: 473_000, ratio: None }
    }

    const ANSWERS: [bool; 8] = [true, true, false, true, true, true, true, true];

    #[test]
    fn codes_stay_as_they_are() {
        assert_eq!(write(&exercise(), "Li Lei", &outcome()), "MP1-07NX-E7W7-0070-E222-0WVT-H8R");
        assert_eq!(write_long(&exercise(), "Li Lei", &outcome(), &ANSWERS), "MP1-07NX-E7W7-0070-E222-0WVT-H8R+VW2C");
    }

    #[test]
    fn a_code_with_a_ratio_is_of_another_version() {
        let outcome = Outcome { ratio: Some(182), ..outcome() };
        let code = write(&exercise(), "Li Lei", &outcome);
        assert_eq!(code, "MP2-0BNX-E7W7-0070-E222-0WVT-G05P-YG");
        assert_eq!(read(&code).map(|code| code.outcome), Ok(outcome));
        // The digit of the one before a code of the other.
        assert_eq!(read(&code.replacen("MP2", "MP1", 1)), Err(CodeFault::Length { found: 26, wanted: 23 }));
        assert_eq!(read(&code.replacen("MP2", "MP3", 1)), Err(CodeFault::Prefix));
    }

    #[test]
    fn a_code_is_read_however_it_is_typed() {
        let code = write(&exercise(), "Li Lei", &outcome());
        let read_back = read(&code).expect("it was written");
        assert_eq!((read_back.outcome, read_back.fingerprint), (outcome(), exercise().fingerprint()));
        assert!(read_back.is_of(" li  LEI ") && !read_back.is_of("Li Leo"));
        let typed = [
            code.to_lowercase(),
            code.replace('-', ""),
            code.replace('-', " "),
            code.replace('-', " – "),
            code.replace('-', "\u{3000}"),
            code.replace('0', "O").replacen("MP1", "mpl", 1),
            code.replace('1', "i"),
            format!("  {code}\t"),
        ];
        for typed in typed {
            assert_eq!(read(&typed), Ok(read_back.clone()), "{typed}");
        }
        let long = write_long(&exercise(), "Li Lei", &outcome(), &ANSWERS);
        assert_eq!(read(&long.to_lowercase()).expect("it was written").answers, Some(ANSWERS.to_vec()));
    }

    #[test]
    fn names_do_not_stand_in_a_code() {
        let codes = ["Ann", "Bob"].map(|name| write(&exercise(), name, &outcome()));
        let differing = codes[0].chars().zip(codes[1].chars()).filter(|(one, other)| one != other).count();
        // Two bytes of the hash and one of the check.
        assert!((1..=7).contains(&differing), "{codes:?}");
    }

    #[test]
    fn what_is_no_code_says_where() {
        let code = write(&exercise(), "Li Lei", &outcome());
        assert_eq!(read(""), Err(CodeFault::Prefix));
        assert_eq!(read("MQ1-0000"), Err(CodeFault::Prefix));
        let mut letters: Vec<char> = code.chars().collect();
        letters[9] = 'U';
        assert_eq!(read(&letters.iter().collect::<String>()), Err(CodeFault::Letter { position: 10 }));
        assert_eq!(read(&code[..code.len() - 1]), Err(CodeFault::Length { found: 22, wanted: 23 }));
        assert_eq!(read(&format!("{code}0")), Err(CodeFault::Length { found: 24, wanted: 23 }));
        let long = write_long(&exercise(), "Li Lei", &outcome(), &ANSWERS);
        let position = long.find('+').expect("two parts") + 2;
        let wrong: String =
            long.chars().enumerate().map(|(at, letter)| if at + 1 == position { 'ü' } else { letter }).collect();
        assert_eq!(read(&wrong), Err(CodeFault::Letter { position }));
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(date(0), "2026-01-01 00:00");
        assert_eq!(date(59 * 1440 + 605), "2026-03-01 10:05");
        assert_eq!(date((365 * 2 + 59) * 1440), "2028-02-29 00:00");
        assert_eq!(date(minute_of(1_798_761_599)), "2026-12-31 23:59");
        assert_eq!((minute_of(0), minute_of(u64::MAX)), (0, MAX_MINUTE));
    }

    /// Every letter of a code in turn is every other one.
    fn one_mistake(code: &str) -> impl Iterator<Item = (usize, String)> + '_ {
        let all: Vec<char> = "0123456789ABCDEFGHJKMNPQRSTVWXYZU+-*".chars().collect();
        code.chars().enumerate().filter(|(_, letter)| *letter != '-').flat_map(move |(at, letter)| {
            let others: Vec<char> = all.iter().copied().filter(|other| *other != letter && *other != '-').collect();
            others.into_iter().map(move |other| {
                let typed = code.chars().enumerate().map(|(place, letter)| if place == at { other } else { letter });
                (at, typed.collect())
            })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn one_wrong_letter_is_always_found(
            name in ".*", of in 1..=255_u8, part in 0.0..=1.0, attempts in 0..=63_u8,
            helped in any::<bool>(), shown in any::<bool>(), minute in 0..=MAX_MINUTE, seed in any::<u64>(),
            ratio in prop::option::of(any::<u16>()),
        ) {
            let right = (f64::from(of) * part) as u8;
            let outcome = Outcome { right, of, attempts, helped, shown, minute, ratio };
            let mut dice = crate::exercise::dice::Dice::new(seed);
            let mut answers: Vec<bool> = (0..of).map(|at| at < right).collect();
            (0..of).for_each(|at| answers.swap(usize::from(at), dice.below(of.into()) as usize));
            let (short, long) =
                (write(&exercise(), &name, &outcome), write_long(&exercise(), &name, &outcome, &answers));
            prop_assert_eq!(read(&short).map(|code| code.outcome), Ok(outcome));
            prop_assert_eq!(read(&long).map(|code| code.answers), Ok(Some(answers)));
            for code in [&short, &long] {
                for (at, typed) in one_mistake(code) {
                    prop_assert!(read(&typed).is_err(), "letter {} of {}: {}", at, code, typed);
                }
            }
        }
    }
}
