//! What teachers and their students ask for: an exercise of a link, its instances, result codes and their check, worksheets.
//! It is done here because links are read, instances are made and runs are judged by code that the page does not carry.

use serde::{Deserialize, Serialize};

use super::answer::{Failure, refused};
use super::deal::{GameRequest, Gamed, game};
use super::listener::NoListener;
use super::plan::plan;
use super::request::{PlanRequest, Source};
use crate::base::{Arrange, Message, SortedMap, gather};
use crate::exercise::code::{self, Checked, Outcome, Verdict};
use crate::exercise::link::{ExerciseLink, Help, Hidden, LinkKind, Source as Made};
use crate::exercise::variant::{self, Instance, generate, seed_for};
use crate::exercise::worksheet::{self, Paper, Wish};
use crate::exercise::{Answer, Given, is_question};
use crate::export;
use crate::import::{Answers, Document};
use crate::planner;
use crate::problem::Scope;
use crate::replay::Run;
use crate::text::{Locale, Speech};

/// Most instances that one exercise is made of: each has four questions or more, and there are at most 255.
const MAX_ROUNDS: u32 = 64;

/// A request of the teacher's corner or of an exercise. `F` stands for a file, as in [`Source`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum TeachRequest<F = Vec<u8>> {
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
    /// Check lines that students sent.
    Check {
        /// Links of the exercises that they may be of, one a line; may be empty.
        links: String,
        /// The lines.
        lines: String,
        /// Language of the table.
        locale: Locale,
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
    /// Something for a game.
    Game(GameRequest<F>),
}

/// The answer to a [`TeachRequest`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Taught {
    /// To [`TeachRequest::Read`].
    Read(Box<Assignment>),
    /// To [`TeachRequest::Make`]: the document as a file.
    Made(Vec<u8>),
    /// To [`TeachRequest::Code`].
    Code(String),
    /// To [`TeachRequest::Check`].
    Checked(CheckedList),
    /// To [`TeachRequest::Worksheet`]: an HTML document.
    Worksheet(String),
    /// To [`TeachRequest::Game`].
    Game(Gamed),
}

/// What a link asks of a student.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Assignment {
    /// Name of what is done.
    pub kind: String,
    /// The seed of the instances, and how hard they are; none where the link has a document.
    pub seed: Option<(u64, u8)>,
    /// What the teacher calls it; may be empty.
    pub id: String,
    /// Id of the planner.
    pub planner: String,
    /// Options of the planner that are not at their defaults.
    pub options: Vec<(String, String)>,
    /// What a link has behind `doc=`; empty where instances are made from a seed.
    pub doc: String,
    /// Name of a packed document.
    pub name: String,
    /// The decision that is asked about alone, or the next one with a choice; none where all are.
    pub decision: Option<u32>,
    /// Parts of the picture that are kept back.
    pub hide: Vec<Hidden>,
    /// What may be looked at.
    pub help: Help,
    /// Right answers that are needed.
    pub pass: u8,
    /// Number of questions.
    pub of: u8,
    /// Attempts that a student has; none = any number.
    pub tries: Option<u8>,
    /// Whether results have a bit for each question.
    pub bits: bool,
    /// The language, if it is fixed.
    pub locale: Option<Locale>,
}

/// Checked lines.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct CheckedList {
    /// A row for each line.
    pub rows: Vec<CheckedRow>,
    /// What was missed, the most frequent first, each with how often: a rule, or the number of a question.
    pub missed: Vec<(Message, u32)>,
    /// The rows as CSV.
    pub csv: String,
}

/// A checked line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CheckedRow {
    /// The name as the line has it; the line itself if it has no code.
    pub name: String,
    /// What the exercise is called; empty if it is not known.
    pub exercise: String,
    /// How it ended; none if the code cannot be read.
    pub outcome: Option<Outcome>,
    /// Date and time in UTC; empty if the code cannot be read.
    pub date: String,
    /// The verdict in words.
    pub verdict: Message,
    /// Whether the student passed.
    pub passed: bool,
}

impl<F> TeachRequest<F> {
    /// Returns the same request with `map` applied to its file.
    pub fn map_files<G>(self, map: &mut impl FnMut(F) -> G) -> TeachRequest<G> {
        match self {
            TeachRequest::Read(link) => TeachRequest::Read(link),
            TeachRequest::Make { link, name, round } => TeachRequest::Make { link, name, round },
            TeachRequest::Code { link, name, outcome, answers } => TeachRequest::Code { link, name, outcome, answers },
            TeachRequest::Check { links, lines, locale } => TeachRequest::Check { links, lines, locale },
            TeachRequest::Worksheet { file, choices, planners, given, letter, locale } => {
                TeachRequest::Worksheet { file: map(file), choices, planners, given, letter, locale }
            }
            TeachRequest::Game(request) => TeachRequest::Game(request.map_files(map)),
        }
    }

    /// The language whose words the answer needs.
    pub fn locale(&self) -> Option<Locale> {
        match self {
            TeachRequest::Check { locale, .. } | TeachRequest::Worksheet { locale, .. } => Some(*locale),
            _ => None,
        }
    }
}

/// Answers a request.
///
/// # Errors
/// Why there is no answer: a link that is no exercise, an instance that there is none of, a worksheet that has no room.
pub fn teach(request: &TeachRequest) -> Result<Taught, Failure> {
    match request {
        TeachRequest::Read(link) => assignment(&read(link)?).map(|read| Taught::Read(Box::new(read))),
        TeachRequest::Make { link, name, round } => {
            let instance = instance(&read(link)?, name, *round)?;
            Ok(Taught::Made(match &instance.document {
                Document::Graph(graph) => export::graph(graph).into_bytes(),
                _ => export::csv(&instance.problem, None).into_bytes(),
            }))
        }
        TeachRequest::Code { link, name, outcome, answers } => {
            let link = read(link)?;
            Ok(Taught::Code(match link.bits {
                true => code::write_long(&link, name, outcome, answers),
                false => code::write(&link, name, outcome),
            }))
        }
        TeachRequest::Check { links, lines, locale } => checked(links, lines, *locale).map(Taught::Checked),
        TeachRequest::Worksheet { file, choices, planners, given, letter, locale } => {
            let document = super::open::document_of(file, choices)?;
            let runs = planners.iter().map(|id| run(&document, id, &[])).collect::<Result<Vec<_>, _>>()?;
            let paper = if *letter { Paper::Letter } else { Paper::A4 };
            let speech = Speech { locale: *locale, ..Speech::default() };
            let wish = Wish { runs: &runs, given: *given, paper, link: "", speech };
            worksheet::write(&wish).map(Taught::Worksheet).map_err(refused)
        }
        TeachRequest::Game(request) => game(request).map(Taught::Game),
    }
}

fn read(link: &str) -> Result<ExerciseLink, Failure> {
    let fragment = link.rsplit('#').next().unwrap_or_default();
    ExerciseLink::read(fragment).map_err(|fault| refused(fault.message()))
}

/// What a student's page has to know of a link.
fn assignment(link: &ExerciseLink) -> Result<Assignment, Failure> {
    match link.kind {
        LinkKind::Predict => {}
        LinkKind::Place => placeable(link)?,
        LinkKind::Number => return Err(refused(Message::new("teach.other-kind").text("kind", link.kind.name()))),
        LinkKind::Pack | LinkKind::Order | LinkKind::Tetris | LinkKind::Debug => playable(link)?,
    }
    if planner::info(&link.planner).is_none() {
        return Err(refused(Message::new("fault.unknown-planner").text("id", &link.planner)));
    }
    let (doc, name, seed) = match &link.source {
        Made::Document { doc, name } => (doc.clone(), name.clone(), None),
        Made::Seed { seed, difficulty } => (String::new(), String::new(), Some((*seed, difficulty.number()))),
    };
    Ok(Assignment {
        kind: link.kind.name().into(),
        seed,
        id: link.id.clone(),
        planner: link.planner.clone(),
        options: gather(link.options.clone()),
        doc,
        name,
        decision: link.frame.filter(|_| link.kind == LinkKind::Place),
        hide: gather(link.hide.iter().copied()),
        help: link.help,
        pass: link.pass,
        of: link.of,
        tries: link.tries,
        bits: link.bits,
        locale: link.lang,
    })
}

fn value<T>(key: &str, value: &str, allowed: impl Into<String>) -> Result<T, Failure> {
    Err(refused(Message::new("link.value").text("key", key).text("value", value).text("allowed", allowed.into())))
}

/// Checks that the page can ask about one buffer of the document of a link.
fn placeable(link: &ExerciseLink) -> Result<(), Failure> {
    match &link.source {
        _ if link.of != 1 => value("of", &link.of.to_string(), "1"),
        _ if !link.ask.is_empty() => Err(refused(Message::new("link.unknown").text("keys", "ask"))),
        _ if link.frame.is_none() => Err(refused(Message::new("link.missing").text("key", "f"))),
        Made::Seed { .. } => value("kind", "place", "doc=…"),
        Made::Document { .. } => Ok(()),
    }
}

/// Checks that the page can deal the game of a link.
fn playable(link: &ExerciseLink) -> Result<(), Failure> {
    if link.kind.goals() != Some(link.of) {
        let goals = link.kind.goals().map(|goals| goals.to_string()).unwrap_or_default();
        return value("of", &link.of.to_string(), goals);
    }
    match &link.source {
        Made::Document { doc, .. } if doc.starts_with("url:") => value("doc", doc, "ex:…, z:…"),
        Made::Document { .. } if link.kind == LinkKind::Debug => value("kind", "debug", "seed=…"),
        _ => Ok(()),
    }
}

/// The instance of a round of a student.
fn instance(link: &ExerciseLink, name: &str, round: u32) -> Result<Instance, Failure> {
    let Made::Seed { seed, difficulty } = link.source else {
        return Err(refused(Message::new("link.missing").text("key", "seed")));
    };
    let unknown = || refused(Message::new("fault.unknown-planner").text("id", &link.planner));
    let planner = planner::find(&link.planner).ok_or_else(unknown)?;
    let own = seed_for(seed, name);
    let seed = if round == 0 { own } else { seed_for(own, &round.to_string()) };
    let kind = link.kind.of_variant().unwrap_or(variant::Kind::Predict);
    generate(kind, planner, seed, difficulty).map_err(|error| refused(error.message()))
}

/// The run of a planner on a document.
fn run(document: &Document, planner: &str, options: &[(String, String)]) -> Result<Run, Failure> {
    let request = PlanRequest {
        source: Source::Keep,
        scope: Scope::default(),
        planner: planner.into(),
        options: options.iter().cloned().collect(),
        own_plan: false,
        window: None,
        diagram: false,
    };
    let planned = plan(document, &request, None, &mut NoListener).map_err(|none| refused(none.why))?;
    Ok(planned.into_run(document.graph().cloned().map(std::rc::Rc::new).as_ref()))
}

/// Keys of the rules behind the questions of a run that have a choice.
fn rules(run: &Run) -> Vec<String> {
    let decisions = 0..run.timeline.decisions.len() as u32;
    let asked = decisions.filter(|&decision| is_question(run, decision));
    let answers = asked.map(|decision| Answer::none(run, decision, Given::Skipped));
    answers.filter(|answer| answer.counts).map(|answer| answer.rule).collect()
}

/// Keys of the rules behind the questions of a student, as many as the exercise has; nothing where the document is not in
/// the link.
fn rules_of(link: &ExerciseLink, name: &str) -> Option<Vec<String>> {
    let options: Vec<(String, String)> = gather(link.options.clone());
    match &link.source {
        Made::Document { doc, .. } if doc.starts_with("z:") => {
            let document = super::open::document_of(doc.as_bytes(), &Answers::default()).ok()?;
            Some(rules(&run(&document, &link.planner, &options).ok()?))
        }
        Made::Document { .. } => None,
        Made::Seed { .. } => {
            let mut found = Vec::new();
            for round in 0..MAX_ROUNDS {
                if found.len() >= usize::from(link.of) {
                    break;
                }
                let instance = instance(link, name, round).ok()?;
                found.extend(rules(&run(&instance.document, &link.planner, &options).ok()?));
            }
            Some(found)
        }
    }
}

fn checked(links: &str, lines: &str, locale: Locale) -> Result<CheckedList, Failure> {
    let links = links.lines().filter(|link| !link.trim().is_empty()).map(read).collect::<Result<Vec<_>, _>>()?;
    let speech = Speech { locale, ..Speech::default() };
    let mut rows: Vec<(Checked, Option<usize>)> = Vec::new();
    for row in code::check(lines, None) {
        let own =
            row.code.as_ref().and_then(|code| links.iter().position(|link| link.fingerprint() == code.fingerprint));
        let verdict = match (&row.code, own.map(|own| &links[own])) {
            (Some(_), None) if !links.is_empty() => Verdict::OtherExercise,
            (Some(code), Some(link)) if row.verdict == Verdict::Passed && code.outcome.right < link.pass => {
                Verdict::Below { needed: link.pass }
            }
            _ => row.verdict,
        };
        rows.push((Checked { verdict, ..row }, own));
    }
    let missed = missed(&links, &rows);
    let row = |(row, own): &(Checked, Option<usize>)| CheckedRow {
        name: row.name.clone(),
        exercise: own.map(|own| called(&links[own])).unwrap_or_default(),
        outcome: row.code.as_ref().map(|code| code.outcome),
        date: row.code.as_ref().map(|code| code::date(code.outcome.minute)).unwrap_or_default(),
        verdict: row.verdict.message(),
        passed: row.verdict == Verdict::Passed,
    };
    let shown = rows.iter().map(row).collect();
    let plain: Vec<Checked> = rows.into_iter().map(|(row, _)| row).collect();
    Ok(CheckedList { rows: shown, missed, csv: code::csv(&plain, speech) })
}

/// What a table calls an exercise.
fn called(link: &ExerciseLink) -> String {
    if link.id.is_empty() { format!("{} · {}", link.kind.name(), link.planner) } else { link.id.clone() }
}

/// What was missed in all exercises.
fn missed(links: &[ExerciseLink], rows: &[(Checked, Option<usize>)]) -> Vec<(Message, u32)> {
    let mut by_rule: SortedMap<String, u32> = SortedMap::new();
    let mut by_number: Vec<(Message, u32)> = Vec::new();
    for (number, link) in links.iter().enumerate() {
        let is_counted = |row: &Checked| matches!(row.verdict, Verdict::Passed | Verdict::Below { .. });
        let own: Vec<&Checked> =
            rows.iter().filter(|(row, own)| *own == Some(number) && is_counted(row)).map(|(row, _)| row).collect();
        // Which rule was missed is known where all questions can be asked again.
        let is_known = link.kind == LinkKind::Predict
            && !matches!(&link.source, Made::Document { doc, .. } if !doc.starts_with("z:"));
        if !is_known {
            let own: Vec<Checked> = own.into_iter().cloned().collect();
            by_number.extend(code::most_missed(&own).into_iter().map(|(question, times)| {
                let message = Message::new("teach.question").count("n", question as u64);
                (message.text("exercise", called(link)), times as u32)
            }));
            continue;
        }
        for row in own {
            let answers = row.code.as_ref().and_then(|code| code.answers.as_ref());
            let Some((answers, rules)) = answers.zip(rules_of(link, &row.name)) else { continue };
            for (_, rule) in answers.iter().zip(rules).filter(|(is_right, _)| !**is_right) {
                *by_rule.or_insert(rule, 0) += 1;
            }
        }
    }
    let rules = by_rule.into_iter().map(|(rule, times)| (Message::new(rule), times));
    let mut all: Vec<(Message, u32)> = rules.chain(by_number).collect();
    all.arrange_by_key(|(message, times)| (u32::MAX - times, message.key.clone()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exercise::code::line;

    const LINK: &str = "#exercise=1&seed=7&difficulty=1&plan=first-fit&kind=predict&help=why&pass=4&of=6&bits=1&id=ws7";

    fn taught(request: TeachRequest) -> Taught {
        teach(&request).expect("an answer")
    }

    fn why(request: TeachRequest) -> String {
        let Err(Failure::Faults(faults)) = teach(&request) else { panic!("no answer was expected") };
        faults[0].message.key.to_string()
    }

    fn sent(link: &str, name: &str, answers: &[bool]) -> String {
        let right = answers.iter().filter(|is_right| **is_right).count() as u8;
        let outcome = Outcome { right, of: answers.len() as u8, attempts: 1, helped: false, shown: false, minute: 605 };
        let code = TeachRequest::Code { link: link.into(), name: name.into(), outcome, answers: answers.to_vec() };
        let Taught::Code(code) = taught(code) else { panic!("a code") };
        line(name, &outcome, &code, Speech::default())
    }

    fn check(links: &str, lines: &str) -> CheckedList {
        let request = TeachRequest::Check { links: links.into(), lines: lines.into(), locale: Locale::En };
        let Taught::Checked(list) = taught(request) else { panic!("a list") };
        list
    }

    #[test]
    fn a_link_says_what_is_asked() {
        let Taught::Read(read) = taught(TeachRequest::Read(format!("https://example.org/{LINK}"))) else {
            panic!("a link")
        };
        assert_eq!((read.of, read.pass, read.id.as_str(), read.doc.as_str()), (6, 4, "ws7", ""));
        assert_eq!((read.help, read.planner.as_str()), (Help::Why, "first-fit"));
        let refused = |from: &str, to: &str| why(TeachRequest::Read(LINK.replace(from, to)));
        assert_eq!(refused("kind=predict", "kind=number"), "teach.other-kind");
        assert_eq!(refused("kind=predict", "kind=pack"), "link.value", "a game has three goals");
        let game = LINK.replace("kind=predict", "kind=pack").replace("pass=4&of=6", "pass=2&of=3");
        let Taught::Read(read) = taught(TeachRequest::Read(game.clone())) else { panic!("a link") };
        assert_eq!((read.kind.as_str(), read.seed, read.of), ("pack", Some((7, 1)), 3));
        let url = game.replace("seed=7&difficulty=1", "doc=url:https://example.org/a.csv");
        assert_eq!(why(TeachRequest::Read(url)), "link.value");
        let place = LINK.replace("seed=7&difficulty=1", "doc=ex:teaching").replace("kind=predict", "kind=place&f=3");
        let place = place.replace("pass=4&of=6", "of=1");
        let Taught::Read(read) = taught(TeachRequest::Read(place.clone())) else { panic!("a link") };
        assert_eq!((read.kind.as_str(), read.decision, read.of), ("place", Some(3), 1));
        for (from, to, key) in [
            ("of=1", "of=2", "link.value"),
            ("&f=3", "", "link.missing"),
            ("&f=3", "&f=3&ask=A", "link.unknown"),
            ("doc=ex:teaching", "seed=7", "link.value"),
        ] {
            assert_eq!(why(TeachRequest::Read(place.replace(from, to))), key, "{to}");
        }
        assert_eq!(refused("plan=first-fit", "plan=none"), "fault.unknown-planner");
        assert_eq!(refused("help=", "hepl="), "link.unknown");
    }

    #[test]
    fn every_student_gets_instances_of_their_own() {
        let make = |name: &str, round: u32| {
            let Taught::Made(bytes) = taught(TeachRequest::Make { link: LINK.into(), name: name.into(), round }) else {
                panic!("an instance")
            };
            bytes
        };
        assert_eq!(make("Ann", 0), make(" Ann ", 0));
        assert!(make("Ann", 0) != make("Bob", 0) && make("Ann", 0) != make("Ann", 1));
        let naive = TeachRequest::Make { link: LINK.replace("first-fit", "naive"), name: "Ann".into(), round: 0 };
        assert!(teach(&naive).is_err(), "there is nothing to ask");
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
        let rows: Vec<(&str, &str, bool)> =
            list.rows.iter().map(|row| (row.name.as_str(), row.exercise.as_str(), row.passed)).collect();
        assert_eq!(rows, [("Ann", "ws7", true), ("Bob", "ws7", true), ("nothing", "", false)]);
        assert_eq!(list.csv.lines().count(), 4);
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
        assert_eq!(verdicts(""), ["code.passed", "code.passed"]);
        let missed = check(other, &lines).missed;
        assert_eq!((missed.len(), missed[0].0.key.as_ref(), missed[0].1), (1, "teach.question", 1));
    }

    #[test]
    fn a_worksheet_is_written_or_refused() {
        let sheet = |planners: &[&str], given: u32| TeachRequest::Worksheet {
            file: include_bytes!("../../www/graphs/learn/fits-best.csv").to_vec(),
            choices: Answers::default(),
            planners: planners.iter().map(|id| id.to_string()).collect(),
            given,
            letter: true,
            locale: Locale::Zh,
        };
        let Taught::Worksheet(html) = taught(sheet(&["first-fit", "best-fit"], 6)) else { panic!("a worksheet") };
        assert!(html.contains("size:letter") && html.contains("lang=\"zh"), "{}", &html[..400]);
        assert_eq!(why(sheet(&["first-fit"], 99)), "worksheet.given-too-many");
    }
}
