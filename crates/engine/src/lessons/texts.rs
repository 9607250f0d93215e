//! Texts with their figures.

use super::figures::Scenes;
use memplan_core::text::Locale;
use memplan_teach::lesson::Words;
use memplan_teach::lesson::amounts;
use memplan_teach::lesson::{Part, parts};

/// Writes figures into texts and collects what is wrong with them.
#[derive(Default)]
pub struct Texts {
    /// What is wrong, one line each.
    pub faults: Vec<String>,
    /// What is being written, for the faults.
    pub place: String,
}

impl Texts {
    /// Notes what is wrong, once.
    pub fn fault(&mut self, fault: impl Into<String>) {
        let fault = format!("{}: {}", self.place, fault.into());
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    /// A text with its figures in both languages.
    pub fn words(&mut self, words: &Words, scenes: Scenes) -> Words {
        let mut texts = Locale::ALL.into_iter().map(|locale| self.text(words.of(locale), locale, scenes));
        let (en, zh) = (texts.next().unwrap_or_default(), texts.next().unwrap_or_default());
        drop(texts);
        // The words that open a file are those of each language.
        let marks = |text: &str| -> Vec<String> {
            let mut marks: Vec<String> = text
                .split('{')
                .skip(1)
                .map(|rest| rest.split(['}', '|']).next().unwrap_or_default())
                .map(|mark| if mark.starts_with("open:") { "open".into() } else { mark.to_string() })
                .collect();
            marks.sort();
            marks.dedup();
            marks
        };
        if marks(&words.en) != marks(&words.zh) {
            self.fault(format!("other marks in Chinese: {:?} and {:?}", marks(&words.en), marks(&words.zh)));
        }
        Words { en, zh }
    }

    fn text(&mut self, text: &str, locale: Locale, scenes: Scenes) -> String {
        let mut written = String::new();
        let mut sizes = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            self.no_digits(before);
            let Some((mark, after)) = after.split_once('}') else {
                self.fault(format!("a brace is not closed: {text}"));
                return written;
            };
            written.push_str(before);
            match mark_of(mark, locale, scenes) {
                Ok(shown) => {
                    sizes.extend(scenes.bytes(mark).map(|bytes| Rounded { bytes, read: read(&shown) }));
                    written.push_str(&shown);
                }
                Err(fault) => self.fault(format!("{{{mark}}}: {fault}")),
            }
            rest = after;
        }
        self.no_digits(rest);
        if text.trim().is_empty() {
            self.fault("an empty text");
        }
        if text.matches('*').count() % 2 == 1 {
            self.fault(format!("a star is alone: {text}"));
        }
        if let Some((one, other)) = not_adding_up(&sizes) {
            let why = format!("{one} and {other} bytes do not add up as they are rounded: write them with !");
            self.fault(format!("{why}: {text}"));
        }
        written + rest
    }

    fn no_digits(&mut self, words: &str) {
        if words.contains(|letter: char| letter.is_ascii_digit()) {
            self.fault(format!("a figure is typed, not computed: {}", words.trim()));
        }
    }
}

/// A size in a text.
struct Rounded {
    bytes: u64,
    /// The bytes that its words stand for: others where they are rounded.
    read: f64,
}

/// The bytes that a figure stands for as it is written.
fn read(shown: &str) -> f64 {
    let words = shown.trim_start_matches("{f:").trim_end_matches('}');
    amounts(words, true).last().copied().unwrap_or(0.0)
}

/// Two sizes whose sum stands in the same text, where readers who add them up as they are written
/// get another sum.
fn not_adding_up(sizes: &[Rounded]) -> Option<(u64, u64)> {
    let with = |bytes: u64| sizes.iter().filter(move |size| size.bytes == bytes);
    let adds_up = |one: u64, other: u64| {
        let pairs = with(one).flat_map(|one| with(other).map(move |other| one.read + other.read));
        pairs.into_iter().any(|sum| with(one + other).any(|total| (total.read - sum).abs() < 0.5))
    };
    let pairs = sizes.iter().enumerate().flat_map(|(at, one)| sizes[at + 1..].iter().map(move |other| (one, other)));
    let mut sums = pairs.map(|(one, other)| (one.bytes, other.bytes)).filter(|&(one, other)| one > 0 && other > 0);
    sums.find(|&(one, other)| with(one + other).next().is_some() && !adds_up(one, other))
}

/// A mark as the page reads it: figures are written out.
fn mark_of(mark: &str, locale: Locale, scenes: Scenes) -> Result<String, String> {
    if let Some(name) = mark.strip_prefix("b:") {
        scenes.here.ok_or("no scene")?.buffer(name)?;
    } else if let Some(step) = mark.strip_prefix("s:") {
        let steps = scenes.here.ok_or("no scene")?.run.problem.steps;
        // The end of a live range may be named, too.
        step.parse::<u32>().ok().filter(|step| *step <= steps).ok_or("no such step")?;
    } else if let Some(id) = mark.strip_prefix("planner:") {
        memplan_planners::info(id).ok_or("no such planner")?;
    } else if let Some(number) = mark.strip_prefix("lesson:") {
        number
            .parse::<u32>()
            .ok()
            .filter(|number| (1..=super::source::LESSONS).contains(number))
            .ok_or("no such lesson")?;
    } else if mark.starts_with("open:") {
        // Its words are text.
    } else if mark.starts_with("view:") {
        if let [Part::Unknown(_)] = parts(&format!("{{{mark}}}"))[..] {
            return Err("an address and words are needed".into());
        }
    } else if mark.starts_with("t:") {
        if let [Part::Unknown(_)] = parts(&format!("{{{mark}}}"))[..] {
            return Err("no such term".into());
        }
    } else {
        return Ok(format!("{{f:{}}}", scenes.words(mark, locale)?));
    }
    Ok(format!("{{{mark}}}"))
}
