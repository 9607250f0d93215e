//! What teachers and their students ask for: an exercise of a link, its instances, result codes and
//! their check, worksheets. It is done here because links are read, instances are made and runs are
//! judged by code that the page does not carry.

use serde::{Deserialize, Serialize};

use super::answer::{Failure, refused};
use super::assignment::{Assignment, assignment, instance, read, run};
use super::deal::{GameRequest, Gamed, game};
use super::exercise_review::{AskedPicture, PictureLook, Wanted, asked};
use super::judge::{JudgeConfig, JudgedProgram, file_of, judged, shown};
use super::results::{CheckedList, checked};
use memplan_core::text::{Locale, Speech};
use memplan_formats::import::Answers;
use memplan_teach::exercise::activity::Asks;
use memplan_teach::exercise::code::{self, Outcome, Verdict};
use memplan_teach::exercise::link::ExerciseLink;
use memplan_teach::exercise::worksheet::{self, Paper, WorksheetConfig};

/// A request of the teacher's corner or of an exercise. `F` stands for a file, as in
/// [`Source`](super::Source).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum TeachTask<F = Vec<u8>> {
    /// Read the link of an exercise, as a fragment with or without `#`.
    Read(String),
    /// Make an instance for a student. When one has no more questions the next round has another.
    Make {
        /// The link of the exercise.
        link: String,
        /// Name of the student.
        name: String,
        /// Counts the instances of the exercise from 0.
        round: u32,
    },
    /// Write a result code.
    Code {
        /// The link of the exercise.
        link: String,
        /// Name of the student.
        name: String,
        /// How the exercise ended.
        outcome: Outcome,
        /// Whether each question was answered right.
        answers: Vec<bool>,
    },
    /// Read the code of a result that was kept, to show it again.
    Restore {
        /// The link of the exercise.
        link: String,
        /// Name of the student.
        name: String,
        /// The code.
        code: String,
    },
    /// Check lines that students sent.
    Check {
        /// Links of the exercises that they may be of, one a line; may be empty.
        links: String,
        /// The lines.
        lines: String,
        /// Language of the table.
        locale: Locale,
        /// The minute at which they are checked, as in codes.
        now: u32,
    },
    /// Write a worksheet.
    Worksheet {
        /// The document.
        file: F,
        /// How the document is read.
        choices: Answers,
        /// Ids of up to three planners.
        planners: Vec<String>,
        /// Decisions that are given.
        given: u32,
        /// Whether the paper is US letter.
        letter: bool,
        /// Its language.
        locale: Locale,
    },
    /// Draw the questions of a student once more, with their answers.
    Pictures {
        /// The link of the exercise.
        link: String,
        /// Name of the student.
        name: String,
        /// Whether each question was answered right; may be empty.
        answers: Vec<bool>,
        /// The document, where the link only names it.
        file: Option<F>,
        /// How the document is read.
        choices: Answers,
        /// Language of the pictures.
        locale: Locale,
        /// Where they are looked at.
        look: PictureLook,
    },
    /// Judge a program on instances that are not shown.
    Judge {
        /// The link of the exercise.
        link: String,
        /// Name of the student; may be empty.
        name: String,
        /// The text of the program.
        code: String,
        /// Language of the pictures.
        locale: Locale,
        /// Where they are looked at.
        look: PictureLook,
        /// Number of the instance to be shown, from 1; none: the first that is not right.
        wanted: Option<u32>,
    },
    /// Something for a game.
    Game(GameRequest<F>),
}

/// A result that was kept.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RestoredResult {
    /// The student's name.
    pub name: String,
    /// How the exercise ended.
    pub outcome: Outcome,
    /// The code, as it is written.
    pub code: String,
}

/// The answer to a [`TeachTask`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Taught {
    /// To [`TeachTask::Read`].
    Read(Box<Assignment>),
    /// To [`TeachTask::Make`]: the document as a file.
    Made(Vec<u8>),
    /// To [`TeachTask::Code`].
    Code(String),
    /// To [`TeachTask::Restore`].
    Restored(RestoredResult),
    /// To [`TeachTask::Check`].
    Checked(CheckedList),
    /// To [`TeachTask::Worksheet`]: an HTML document.
    Worksheet(String),
    /// To [`TeachTask::Pictures`].
    Pictures(Vec<AskedPicture>),
    /// To [`TeachTask::Judge`].
    Judged(JudgedProgram),
    /// To [`TeachTask::Game`].
    Game(Gamed),
}

impl<F> TeachTask<F> {
    /// Returns the same request with `map` applied to its file.
    pub fn map_files<G>(self, map: &mut impl FnMut(F) -> G) -> TeachTask<G> {
        match self {
            TeachTask::Read(link) => TeachTask::Read(link),
            TeachTask::Make { link, name, round } => TeachTask::Make { link, name, round },
            TeachTask::Code { link, name, outcome, answers } => TeachTask::Code { link, name, outcome, answers },
            TeachTask::Restore { link, name, code } => TeachTask::Restore { link, name, code },
            TeachTask::Check { links, lines, locale, now } => TeachTask::Check { links, lines, locale, now },
            TeachTask::Worksheet { file, choices, planners, given, letter, locale } => {
                TeachTask::Worksheet { file: map(file), choices, planners, given, letter, locale }
            }
            TeachTask::Pictures { link, name, answers, file, choices, locale, look } => {
                TeachTask::Pictures { link, name, answers, file: file.map(map), choices, locale, look }
            }
            TeachTask::Judge { link, name, code, locale, look, wanted } => {
                TeachTask::Judge { link, name, code, locale, look, wanted }
            }
            TeachTask::Game(request) => TeachTask::Game(request.map_files(map)),
        }
    }

    /// The language whose words the answer needs.
    pub fn locale(&self) -> Option<Locale> {
        match self {
            TeachTask::Check { locale, .. }
            | TeachTask::Worksheet { locale, .. }
            | TeachTask::Pictures { locale, .. }
            | TeachTask::Judge { locale, .. } => Some(*locale),
            _ => None,
        }
    }
}

/// Answers a request.
///
/// # Errors
/// Why there is no answer: a link that is no exercise, an instance that there is none of, a
/// worksheet that has no room.
pub(super) fn taught(request: &TeachTask) -> Result<Taught, Failure> {
    match request {
        TeachTask::Read(link) => assignment(&read(link)?).map(|read| Taught::Read(Box::new(read))),
        TeachTask::Make { link, name, round } => {
            let link = &read(link)?;
            let instance = match link.kind.activity().asks {
                Asks::Program => shown(link, name)?,
                _ => instance(link, name, *round)?,
            };
            Ok(Taught::Made(file_of(&instance)))
        }
        TeachTask::Code { link, name, outcome, answers } => {
            let link = read(link)?;
            Ok(Taught::Code(if link.bits {
                code::write_long(&link, name, outcome, answers)
            } else {
                code::write(&link, name, outcome)
            }))
        }
        TeachTask::Restore { link, name, code } => restored(&read(link)?, name, code).map(Taught::Restored),
        TeachTask::Check { links, lines, locale, now } => checked(links, lines, *locale, *now).map(Taught::Checked),
        TeachTask::Worksheet { file, choices, planners, given, letter, locale } => {
            let document = super::open::document_of(file, choices)?;
            let runs = planners.iter().map(|id| run(&document, id, &[])).collect::<Result<Vec<_>, _>>()?;
            let paper = if *letter { Paper::Letter } else { Paper::A4 };
            let speech = Speech { locale: *locale, ..Speech::default() };
            let config = WorksheetConfig { runs: &runs, given: *given, paper, link: "", speech };
            worksheet::write(&config).map(Taught::Worksheet).map_err(refused)
        }
        TeachTask::Pictures { link, name, answers, file, choices, locale, look } => {
            let file = file.as_deref().map(|file| (file, choices));
            let link = &read(link)?;
            asked(&Wanted { link, name, right: answers, file, locale: *locale, look: *look }).map(Taught::Pictures)
        }
        TeachTask::Judge { link, name, code, locale, look, wanted } => {
            let link = &read(link)?;
            let config = JudgeConfig { link, name, code, locale: *locale, look: *look, wanted: *wanted };
            judged(&config).map(Taught::Judged)
        }
        TeachTask::Game(request) => game(request).map(Taught::Game),
    }
}

/// A code as the result of an exercise.
///
/// # Errors
/// A code that cannot be read, or is of another exercise or another name.
fn restored(exercise: &ExerciseLink, name: &str, text: &str) -> Result<RestoredResult, Failure> {
    let code = code::read(text).map_err(|fault| refused(fault.message()))?;
    if code.fingerprint != exercise.fingerprint() {
        return Err(refused(Verdict::OtherExercise.message()));
    }
    if !code.is_of(name) {
        return Err(refused(Verdict::NameDiffers.message()));
    }
    let outcome = code.outcome;
    let code = match code.answers {
        Some(answers) => code::write_long(exercise, name, &outcome, &answers),
        None => code::write(exercise, name, &outcome),
    };
    Ok(RestoredResult { name: name.to_string(), outcome, code })
}

#[cfg(test)]
mod tests {
    use super::super::results::rules_of;
    use super::*;
    use memplan_teach::exercise::code::line;
    use memplan_teach::exercise::figure::Figure;
    use memplan_teach::exercise::link::{ExerciseLink, Help};

    const LINK: &str = "#exercise=1&seed=7&difficulty=1&plan=first-fit&kind=predict&help=why&pass=4&of=6&bits=1&id=ws7";

    fn answered(request: TeachTask) -> Taught {
        taught(&request).expect("an answer")
    }

    fn why(request: TeachTask) -> String {
        let Err(Failure::Faults(faults)) = taught(&request) else { panic!("no answer was expected") };
        faults[0].message.key.to_string()
    }

    fn sent(link: &str, name: &str, answers: &[bool]) -> String {
        let right = answers.iter().filter(|is_right| **is_right).count() as u8;
        let outcome = Outcome {
            right,
            of: answers.len() as u8,
            attempts: 1,
            helped: false,
            shown: false,
            minute: 605,
            ratio: None,
        };
        let code = TeachTask::Code { link: link.into(), name: name.into(), outcome, answers: answers.to_vec() };
        let Taught::Code(code) = answered(code) else { panic!("a code") };
        line(name, (&outcome, ExerciseLink::read(link).expect("an exercise").kind), &code, Speech::default())
    }

    fn check(links: &str, lines: &str) -> CheckedList {
        let request = TeachTask::Check { links: links.into(), lines: lines.into(), locale: Locale::En, now: u32::MAX };
        let Taught::Checked(list) = answered(request) else { panic!("a list") };
        list
    }

    #[test]
    fn a_link_says_what_is_asked() {
        let Taught::Read(read) = answered(TeachTask::Read(format!("https://example.org/{LINK}"))) else {
            panic!("a link")
        };
        assert_eq!((read.of, read.pass, read.id.as_str(), read.doc.as_str()), (6, 4, "ws7", ""));
        assert_eq!((read.help, read.planner.as_str()), (Help::Why, "first-fit"));
        let refused = |from: &str, to: &str| why(TeachTask::Read(LINK.replace(from, to)));
        assert_eq!(refused("kind=predict", "kind=pack"), "link.value", "a game has three goals");
        let game = LINK.replace("kind=predict", "kind=pack").replace("pass=4&of=6", "pass=2&of=3");
        let Taught::Read(read) = answered(TeachTask::Read(game.clone())) else { panic!("a link") };
        assert_eq!((read.kind.name(), read.seed, read.of), ("pack", Some((7, 1)), 3));
        let url = game.replace("seed=7&difficulty=1", "doc=url:https://example.org/a.csv");
        assert_eq!(why(TeachTask::Read(url)), "link.value");
        let place = LINK.replace("seed=7&difficulty=1", "doc=ex:teaching").replace("kind=predict", "kind=place&f=3");
        let place = place.replace("pass=4&of=6", "of=1");
        let Taught::Read(read) = answered(TeachTask::Read(place.clone())) else { panic!("a link") };
        assert_eq!((read.kind.name(), read.decision, read.of), ("place", Some(3), 1));
        for (from, to, key) in [
            ("of=1", "of=2", "link.value"),
            ("&f=3", "", "link.missing"),
            ("&f=3", "&f=3&ask=A", "link.unknown"),
            ("doc=ex:teaching", "seed=7", "link.value"),
        ] {
            assert_eq!(why(TeachTask::Read(place.replace(from, to))), key, "{to}");
        }
        assert_eq!(refused("plan=first-fit", "plan=none"), "fault.unknown-planner");
        assert_eq!(refused("help=", "hepl="), "link.unknown");
    }

    #[test]
    fn every_student_gets_instances_of_their_own() {
        let make = |name: &str, round: u32| {
            let Taught::Made(bytes) = answered(TeachTask::Make { link: LINK.into(), name: name.into(), round }) else {
                panic!("an instance")
            };
            bytes
        };
        assert_eq!(make("Ann", 0), make(" Ann ", 0));
        assert!(make("Ann", 0) != make("Bob", 0) && make("Ann", 0) != make("Ann", 1));
        let naive = TeachTask::Make { link: LINK.replace("first-fit", "naive"), name: "Ann".into(), round: 0 };
        assert!(taught(&naive).is_err(), "there is nothing to ask");
    }

    #[test]
    fn rules_that_were_missed_are_found_from_the_seed() {
        let link = ExerciseLink::read(LINK).expect("a link");
        let rules = rules_of(&link, "Ann").expect("of a seed");
        assert!(rules.len() >= 6, "{rules:?}");
        let ann = sent(LINK, "Ann", &[false, true, true, true, true, true]);
        let bob = sent(LINK, "Bob", &[true; 6]);
        let list = check(LINK, &format!("{ann}\n{bob}\nnothing"));
        assert_eq!(list.missed.len(), 1);
        assert_eq!((list.missed[0].0.key.as_ref(), list.missed[0].1), (rules[0].as_str(), 1));
        let rows: Vec<(&str, &str, Option<bool>)> =
            list.rows.iter().map(|row| (row.name.as_str(), row.exercise.as_str(), row.passed)).collect();
        assert_eq!(rows, [("Ann", "ws7", Some(true)), ("Bob", "ws7", Some(true)), ("nothing", "", Some(false))]);
        assert_eq!(list.csv.lines().count(), 4);
    }

    #[test]
    fn the_table_has_words_for_exercises_and_counts_a_copy_once() {
        let link = LINK.replace("&id=ws7", "");
        let ann = sent(&link, "Ann", &[false, true, true, true, true, true]);
        let list = check(&link, &format!("{ann}\n{ann}"));
        let passed: Vec<Option<bool>> = list.rows.iter().map(|row| row.passed).collect();
        assert_eq!(passed, [Some(true), None]);
        assert_eq!((list.missed[0].1, list.rows[1].verdict.key.as_ref()), (1, "code.copy"));
        let exercise = &list.rows[0].exercise;
        assert!(exercise.starts_with("Predict · ") && !exercise.contains("first-fit"), "{exercise}");
    }

    #[test]
    fn figures_that_were_missed_are_told_by_their_rules() {
        let link = "exercise=1&seed=7&plan=first-fit&kind=number&ask=bound,load@3&of=3&bits=1";
        let list = check(link, &sent(link, "Ann", &[false, true, false]));
        let missed: Vec<(&str, u32)> = list.missed.iter().map(|(rule, times)| (rule.key.as_ref(), *times)).collect();
        assert_eq!(missed, [("number.rule-load", 2)], "the third question is the first one of another instance");
    }

    #[test]
    fn a_ratio_that_was_reached_is_checked() {
        let link = "exercise=1&plan=first-fit&kind=break&beat=1.82&of=1";
        let outcome = Outcome { right: 0, of: 1, attempts: 2, ratio: Some(182), ..Outcome::default() };
        let code = TeachTask::Code { link: link.into(), name: "Ann".into(), outcome, answers: vec![false] };
        let Taught::Code(code) = answered(code) else { panic!("a code") };
        let kind = ExerciseLink::read(link).expect("an exercise").kind;
        let list = check(link, &line("Ann", (&outcome, kind), &code, Speech::default()));
        assert_eq!((list.rows[0].outcome, list.rows[0].passed), (Some(outcome), Some(false)));
        assert_eq!(list.rows[0].verdict.key, "code.not-beaten");
    }

    #[test]
    fn codes_of_several_exercises_are_told_apart() {
        let other = "exercise=1&doc=ex:learn/fits-best&plan=best-fit&kind=predict&pass=3&of=4&bits=1";
        let lines = [sent(LINK, "Ann", &[false; 6]), sent(other, "Bob", &[true, false, true, true])].join("\n");
        let verdicts = |links: &str| -> Vec<String> {
            check(links, &lines).rows.into_iter().map(|row| row.verdict.key.into_owned()).collect()
        };
        assert_eq!(verdicts(&format!("{LINK}\n\n{other}")), ["code.below", "code.passed"]);
        assert_eq!(verdicts(other), ["code.other-exercise", "code.passed"]);
        assert_eq!(verdicts(""), ["code.unknown", "code.unknown"]);
        let missed = check(other, &lines).missed;
        assert_eq!((missed.len(), missed[0].0.key.as_ref(), missed[0].1), (1, "teach.question", 1));
    }

    #[test]
    fn a_worksheet_is_written_or_refused() {
        let sheet = |planners: &[&str], given: u32| TeachTask::Worksheet {
            file: include_bytes!("../../../www/graphs/learn/fits-best.csv").to_vec(),
            choices: Answers::default(),
            planners: planners.iter().map(|id| id.to_string()).collect(),
            given,
            letter: true,
            locale: Locale::Zh,
        };
        let Taught::Worksheet(html) = answered(sheet(&["first-fit", "best-fit"], 6)) else { panic!("a worksheet") };
        assert!(html.contains("size:letter") && html.contains("lang=\"zh"), "{}", &html[..400]);
        assert_eq!(why(sheet(&["first-fit"], 99)), "worksheet.given-too-many");
    }

    const NUMBER: &str = "exercise=1&doc=ex:teaching&plan=first-fit&kind=number&ask=peak,bound,load@3&of=3&help=rule";
    const BREAK: &str = "exercise=1&plan=first-fit&kind=break&beat=1.82&of=1";

    /// Key of what is said about a link with a part that is another.
    fn wrong(link: &str, from: &str, to: &str) -> String {
        assert!(link.contains(from), "{from}");
        why(TeachTask::Read(link.replace(from, to)))
    }

    #[test]
    fn figures_are_asked_in_an_order_in_which_none_gives_another_away() {
        let Taught::Read(read) = answered(TeachTask::Read(NUMBER.into())) else { panic!("an exercise") };
        assert_eq!((read.kind.name(), read.of, read.decision), ("number", 3, None));
        assert_eq!(read.ask, [Figure::Load(3), Figure::Bound, Figure::Peak]);
        let seeded = NUMBER.replace("doc=ex:teaching", "seed=7").replace("of=3", "of=7");
        assert!(taught(&TeachTask::Read(seeded.clone())).is_ok(), "two instances and one question more");
        assert_eq!(wrong(NUMBER, "&ask=peak,bound,load@3", ""), "link.missing");
        assert_eq!(wrong(NUMBER, "peak", "speed"), "link.value");
        assert_eq!(wrong(NUMBER, "of=3", "of=2"), "link.value");
        assert_eq!(wrong(&seeded, "load@3", "load@5"), "link.value");
        assert_eq!(wrong(&seeded, "load@3", "offset:G"), "link.value");
        let offset = seeded.replace("load@3", "offset:F");
        assert!(taught(&TeachTask::Read(offset.clone())).is_ok());
        let storages = offset.replace("first-fit", "tvm-relay");
        assert_eq!(why(TeachTask::Make { link: storages, name: "Ann".into(), round: 0 }), "number.none");
    }

    #[test]
    fn a_board_is_for_a_planner_that_places_and_for_nothing_else() {
        let Taught::Read(read) = answered(TeachTask::Read(BREAK.into())) else { panic!("an exercise") };
        assert_eq!((read.kind.name(), read.beat, read.doc.as_str(), read.seed), ("break", Some(182), "", None));
        assert_eq!(wrong(BREAK, "of=1", "of=2"), "link.value");
        assert_eq!(wrong(BREAK, "first-fit", "lower-bound"), "game.not-broken");
        assert_eq!(wrong(BREAK, "plan=first-fit", "plan=best-fit&opt=tie:size"), "link.value");
        assert_eq!(wrong(BREAK, "plan=first-fit", "plan=nobody"), "fault.unknown-planner");
        assert_eq!(wrong(BREAK, "&beat=1.82", ""), "link.missing");
    }
}
