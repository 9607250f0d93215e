//! Text with marks → parts.
//!
//! `*strong*`, and in braces: `{b:X}` a buffer, `{s:3}` a step, `{t:load|words}` a term,
//! `{lesson:5}` another lesson, `{planner:first-fit}` a planner, `{open:words}` the way to a file
//! of one's own, `{view:mode=fit|words}` the way to another view, `{f:words}` a figure that the
//! build has written.

use memplan_core::base::Term;
use memplan_core::text::Speech;
use memplan_planners as planner;

/// A part of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// Words, and whether they are stressed.
    Words(String, bool),
    /// The name of a buffer, which the plan shows.
    Buffer(String),
    /// A step, which the plan shows.
    Step(u32),
    /// Words with a definition.
    Term(Term, String),
    /// Another lesson, by its number.
    Lesson(u32),
    /// A planner, by its id, and whether a sentence begins with it.
    Planner(String, bool),
    /// Words that open a file of the reader's own.
    Open(String),
    /// The address of another view, without `#` and language, and words that lead there.
    View(String, String),
    /// A figure of the scene.
    Figure(String),
    /// A mark that means nothing, as it stands in the text.
    Unknown(String),
}

/// Returns the parts of a text in order.
pub fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut strong = false;
    let mut rest = text;
    while let Some(at) = rest.find(['*', '{']) {
        if at > 0 {
            parts.push(Part::Words(rest[..at].into(), strong));
        }
        let marked = &rest[at + 1..];
        if rest[at..].starts_with('*') {
            strong = !strong;
            rest = marked;
        } else {
            let (inside, after) = marked.split_once('}').unwrap_or((marked, ""));
            let found = match part(inside) {
                Part::Planner(id, _) => Part::Planner(id, begins_sentence(parts.last())),
                other => other,
            };
            parts.push(found);
            rest = after;
        }
    }
    if !rest.is_empty() {
        parts.push(Part::Words(rest.into(), strong));
    }
    parts
}

/// Whether what follows a part begins a sentence.
fn begins_sentence(before: Option<&Part>) -> bool {
    match before {
        None => true,
        Some(Part::Words(words, _)) => {
            let words = words.trim_end_matches(['“', '(']);
            words.is_empty() || [". ", "? ", "! "].iter().any(|end| words.ends_with(end))
        }
        Some(_) => false,
    }
}

fn part(inside: &str) -> Part {
    let unknown = || Part::Unknown(inside.to_string());
    let Some((key, value)) = inside.split_once(':') else { return unknown() };
    let known = match key {
        "b" => Some(Part::Buffer(value.into())),
        "s" => value.parse().ok().map(Part::Step),
        "t" => value.split_once('|').and_then(|(id, words)| Some(Part::Term(Term::from_name(id)?, words.into()))),
        "lesson" => value.parse().ok().map(Part::Lesson),
        "planner" => planner::info(value).map(|info| Part::Planner(info.id.into(), false)),
        "open" => Some(Part::Open(value.into())),
        "view" => value.split_once('|').map(|(address, words)| Part::View(address.into(), words.into())),
        "f" => Some(Part::Figure(value.into())),
        _ => None,
    };
    known.unwrap_or_else(unknown)
}

/// Returns the text without its marks. `lesson` gives the words for a link to a lesson.
pub fn plain(text: &str, speech: Speech, lesson: impl Fn(u32) -> String) -> String {
    let words = |part| match part {
        Part::Words(words, _)
        | Part::Term(_, words)
        | Part::Figure(words)
        | Part::Open(words)
        | Part::View(_, words)
        | Part::Unknown(words) => words,
        Part::Buffer(name) => name,
        Part::Step(step) => step.to_string(),
        Part::Lesson(number) => lesson(number),
        Part::Planner(id, begins) => planner::name_in_text(&id, begins, speech),
    };
    parts(text).into_iter().map(words).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planners_have_short_names_and_capitals_where_a_sentence_begins() {
        let shown = |text: &str| plain(text, Speech::default(), |_| String::new());
        let text = "Look at {planner:first-fit}. {planner:first-fit} adds more than {planner:executorch-greedy}.";
        assert_eq!(shown(text), "Look at first fit. First fit adds more than ExecuTorch greedy.");
        assert_eq!(shown("“{planner:naive}” is one."), "“No sharing” is one.");
    }

    #[test]
    fn every_mark_becomes_a_part() {
        let view = Part::View("mode=fit&doc=ex:a".into(), "Fit".into());
        assert_eq!(parts("{view:mode=fit&doc=ex:a|Fit}"), [view]);
        let found = parts("At {s:2}, *{b:A}* has a {t:load|load} of {f:8 B}.");
        let words = |words: &str| Part::Words(words.into(), false);
        assert_eq!(
            found,
            [
                words("At "),
                Part::Step(2),
                words(", "),
                Part::Buffer("A".into()),
                words(" has a "),
                Part::Term(Term::Load, "load".into()),
                words(" of "),
                Part::Figure("8 B".into()),
                words("."),
            ]
        );
        assert_eq!(parts("a *b* c")[1], Part::Words("b".into(), true));
    }

    #[test]
    fn what_means_nothing_is_kept_as_it_is() {
        for unknown in ["peak", "s:x", "t:nothing|words", "planner:none", "view:mode=fit", "wat:1"] {
            assert_eq!(parts(&format!("{{{unknown}}}")), [Part::Unknown(unknown.into())]);
        }
        assert_eq!(parts("{b:A"), [Part::Buffer("A".into())], "a brace that is not closed ends with the text");
        assert!(parts("").is_empty());
    }

    #[test]
    fn a_text_reads_without_its_marks() {
        let shown = plain("*See* {b:A} in {lesson:2}: {planner:naive}.", Speech::default(), |n| format!("lesson {n}"));
        assert!(shown.starts_with("See A in lesson 2: ") && !shown.contains('{'), "{shown}");
    }
}
