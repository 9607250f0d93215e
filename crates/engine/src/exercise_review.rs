//! The questions of an exercise once more, each with its answer and a picture of the plan: for a
//! student at the end, and for the teacher who looks over a result.

use serde::{Deserialize, Serialize};

use super::answer::{Failure, refused};
use super::assignment::{instance, run};
use memplan_core::base::Message;
use memplan_core::text::{Locale, Speech};
use memplan_formats::import::Answers;
use memplan_replay::{Run, why};
use memplan_scene::paint::{Theme, export_svg};
use memplan_teach::exercise::activity::Asks;
use memplan_teach::exercise::figure::Figure;
use memplan_teach::exercise::link::{ExerciseLink, Source as Made};
use memplan_teach::exercise::{choices, is_question};

/// Width and height of a picture in px, and of one for a phone, which would shrink the other one's
/// words until nobody could read them.
pub(super) const SIZES: [(f64, f64); 2] = [(640.0, 300.0), (320.0, 280.0)];

/// Most pictures: more would take long to draw and to look over.
const MOST: usize = 24;

/// A question that was asked.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AskedPicture {
    /// The question.
    pub question: Message,
    /// What is right.
    pub answer: Message,
    /// Whether it was answered right; none where the result does not tell.
    pub right: Option<bool>,
    /// The plan with what was asked about, as an SVG document.
    pub svg: String,
}

/// Where pictures are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PictureLook {
    /// On a dark page.
    pub dark: bool,
    /// On a phone.
    pub narrow: bool,
}

/// What pictures are made of.
pub(super) struct Wanted<'a> {
    /// The exercise.
    pub link: &'a ExerciseLink,
    /// Name of the student.
    pub name: &'a str,
    /// Whether each question was answered right; may be empty.
    pub right: &'a [bool],
    /// The document, where the link only names it.
    pub file: Option<(&'a [u8], &'a Answers)>,
    /// Language of the pictures.
    pub locale: Locale,
    /// Where they are looked at.
    pub look: PictureLook,
}

/// Returns the questions of a student with pictures, in the order of asking.
///
/// # Errors
/// Why there are none: a game asks nothing, and a document that the link only names is needed.
pub(super) fn asked(wanted: &Wanted) -> Result<Vec<AskedPicture>, Failure> {
    let link = wanted.link;
    if !link.kind.activity().asks_about_plan() {
        return Err(refused(Message::new("teach.pictures-game")));
    }
    let options: Vec<(String, String)> = link.options.clone().into_iter().collect();
    let (of, mut found) = (usize::from(link.of).min(MOST), Vec::new());
    match (&link.source, wanted.file) {
        (Made::Seed { .. }, _) => {
            for round in 0..u32::from(link.of) {
                if found.len() >= of {
                    break;
                }
                let instance = instance(link, wanted.name, round)?;
                ask(wanted, &run(&instance.document, &link.planner, &options)?, &mut found);
            }
        }
        (Made::Document { doc, .. }, _) if doc.starts_with("z:") => {
            let document = super::open::document_of(doc.as_bytes(), &Answers::default())?;
            ask(wanted, &run(&document, &link.planner, &options)?, &mut found);
        }
        (Made::Document { .. }, Some((file, choices))) => {
            let document = super::open::document_of(file, choices)?;
            ask(wanted, &run(&document, &link.planner, &options)?, &mut found);
        }
        (Made::Document { doc, .. }, None) => {
            return Err(refused(Message::new("teach.pictures-document").text("doc", doc)));
        }
        (Made::Board | Made::Lessons, _) => {}
    }
    found.truncate(of);
    for (at, picture) in found.iter_mut().enumerate() {
        picture.right = wanted.right.get(at).copied();
    }
    Ok(found)
}

/// Adds the questions about a run.
fn ask(wanted: &Wanted, run: &Run, found: &mut Vec<AskedPicture>) {
    let link = wanted.link;
    let left = usize::from(link.of).min(MOST).saturating_sub(found.len());
    let theme = if wanted.look.dark { Theme::Dark } else { Theme::Light };
    let size = SIZES[usize::from(wanted.look.narrow)];
    let speech = Speech { locale: wanted.locale, ..Speech::default() };
    let drawn = |events: u32| export_svg(run, &run.frame(events), size, theme, speech);
    let events = |decision: u32| run.timeline.decisions[decision as usize].end;
    if link.kind.activity().asks == Asks::Figures {
        let last = run.timeline.decisions.last().map_or(0, |decision| decision.end);
        let figures = Figure::list(&link.ask).unwrap_or_default();
        found.extend(figures.iter().take(left).map(|figure| AskedPicture {
            question: figure.ask(run),
            answer: figure.solution(run),
            right: None,
            svg: drawn(last),
        }));
        return;
    }
    // One question is about the decision of the link, or the next one with a choice.
    let from = link.frame.filter(|_| link.kind.activity().asks == Asks::OnePlace).unwrap_or(0);
    let decisions = from..run.timeline.decisions.len() as u32;
    let asked = decisions.filter(|&decision| is_question(run, decision) && choices(run, decision) > 1);
    found.extend(asked.take(left).map(|decision| AskedPicture {
        question: memplan_teach::exercise::question(run, run.timeline.decisions[decision as usize].buffer),
        answer: why(run, &run.frame(events(decision))).headline,
        right: None,
        svg: drawn(events(decision)),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted<'a>(link: &'a ExerciseLink, file: Option<(&'a [u8], &'a Answers)>) -> Wanted<'a> {
        Wanted { link, name: "Ann", right: &[true, false], file, locale: Locale::En, look: PictureLook::default() }
    }

    fn link(text: &str) -> ExerciseLink {
        ExerciseLink::read(text).expect("a link")
    }

    #[test]
    fn every_question_comes_again_with_its_answer_and_a_picture() {
        let seeded = link("exercise=1&seed=7&difficulty=1&plan=first-fit&kind=predict&pass=4&of=6&bits=1");
        let found = asked(&wanted(&seeded, None)).expect("pictures");
        assert_eq!(found.len(), 6);
        let marks: Vec<Option<bool>> = found.iter().map(|picture| picture.right).collect();
        assert_eq!(marks[..3], [Some(true), Some(false), None]);
        for picture in &found {
            assert_eq!(picture.question.key, "predict.ask");
            assert!(picture.answer.key.starts_with("why."), "{:?}", picture.answer);
            assert!(picture.svg.starts_with("<svg") && picture.svg.len() > 1_000);
            // Question and answer are about the same buffer.
            assert_eq!(picture.question.arg("name"), picture.answer.arg("name"));
        }
    }

    #[test]
    fn a_document_that_the_link_names_is_needed() {
        let named = link("exercise=1&doc=ex:teaching&plan=first-fit&kind=place&f=4&of=1");
        let Err(Failure::Faults(faults)) = asked(&wanted(&named, None)) else { panic!("it is not there") };
        assert_eq!(faults[0].message.key, "teach.pictures-document");
        let (file, choices) = (include_bytes!("../../../www/graphs/teaching.json"), Answers::default());
        let found = asked(&wanted(&named, Some((file, &choices)))).expect("a picture");
        assert_eq!((found.len(), found[0].right), (1, Some(true)));
        let figures = link("exercise=1&doc=ex:teaching&plan=first-fit&kind=number&ask=load@3,bound&of=2");
        let found = asked(&wanted(&figures, Some((file, &choices)))).expect("pictures");
        let keys: Vec<&str> = found.iter().map(|picture| picture.answer.key.as_ref()).collect();
        assert_eq!(keys, ["number.told-load", "number.told-bound"]);
    }

    #[test]
    fn games_ask_nothing() {
        let game = link("exercise=1&seed=7&plan=first-fit&kind=pack&pass=2&of=3");
        let Err(Failure::Faults(faults)) = asked(&wanted(&game, None)) else { panic!("a game") };
        assert_eq!(faults[0].message.key, "teach.pictures-game");
    }
}
