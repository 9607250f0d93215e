//! Result codes that students sent: who passed, and what was missed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::answer::Failure;
use super::assignment::{instance, read, run};
use memplan_core::base::Message;
use memplan_core::text::{Locale, Speech};
use memplan_formats::import::Answers;
use memplan_planners as planner;
use memplan_replay::Run;
use memplan_teach::exercise::activity::{Asks, Kind};
use memplan_teach::exercise::code::{self, Checked, Outcome, Verdict};
use memplan_teach::exercise::figure::Figure;
use memplan_teach::exercise::link::{ExerciseLink, Source as Made};
use memplan_teach::exercise::{Answer, Given, is_question};

/// Most instances that one exercise is made of: each has four questions or more, and there are at
/// most 255.
const MAX_ROUNDS: u32 = 64;

/// Checked lines.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct CheckedList {
    /// A row for each line.
    pub rows: Vec<CheckedRow>,
    /// What was missed, the most frequent first, each with how often: a rule, or the number of a
    /// question.
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
    /// Its kind; none if it is not known.
    pub kind: Option<Kind>,
    /// How it ended; none if the code cannot be read.
    pub outcome: Option<Outcome>,
    /// Date and time in UTC; empty if the code cannot be read.
    pub date: String,
    /// The verdict in words.
    pub verdict: Message,
    /// Whether the student passed; none if the link that says what is needed is not given.
    pub passed: Option<bool>,
    /// The link of the exercise; empty if it is not known, or if it asks no questions.
    pub link: String,
    /// Whether each question was answered right; empty where the code does not tell.
    pub answers: Vec<bool>,
}

/// Keys of the rules behind the questions of a run that have a choice.
fn rules(run: &Run) -> Vec<String> {
    let decisions = 0..run.timeline.decisions.len() as u32;
    let asked = decisions.filter(|&decision| is_question(run, decision));
    let answers = asked.map(|decision| Answer::none(run, decision, Given::Skipped));
    answers.filter(|answer| answer.counts).map(|answer| answer.rule).collect()
}

/// Keys of the rules behind the questions of a student, as many as the exercise has; nothing where
/// the document is not in the link.
pub(super) fn rules_of(link: &ExerciseLink, name: &str) -> Option<Vec<String>> {
    let options: Vec<(String, String)> = link.options.clone().into_iter().collect();
    if link.kind.activity().asks == Asks::Figures {
        // The same figures are asked about one document after the other.
        let rules: Vec<String> = Figure::list(&link.ask)?.iter().map(|figure| figure.rule().to_string()).collect();
        return Some(rules.into_iter().cycle().take(link.of.into()).collect());
    }
    match &link.source {
        Made::Document { doc, .. } if doc.starts_with("z:") => {
            let document = super::open::document_of(doc.as_bytes(), &Answers::default()).ok()?;
            Some(rules(&run(&document, &link.planner, &options).ok()?))
        }
        Made::Document { .. } | Made::Board | Made::Lessons => None,
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

/// Checks lines against the links that they may be of, at the minute `now`.
///
/// # Errors
/// A link that is none of an exercise.
pub(super) fn checked(links: &str, lines: &str, locale: Locale, now: u32) -> Result<CheckedList, Failure> {
    let links = links.lines().filter(|link| !link.trim().is_empty()).map(read).collect::<Result<Vec<_>, _>>()?;
    let speech = Speech { locale, ..Speech::default() };
    let mut rows: Vec<(Checked, Option<usize>)> = Vec::new();
    for row in code::check(lines, None, now) {
        let own =
            row.code.as_ref().and_then(|code| links.iter().position(|link| link.fingerprint() == code.fingerprint));
        let verdict = match (&row.code, own.map(|own| &links[own])) {
            (Some(_), None) if !links.is_empty() => Verdict::OtherExercise,
            (Some(code), Some(link)) if row.verdict == Verdict::Unknown => Verdict::of_code(code, Some(link), now),
            _ => row.verdict,
        };
        rows.push((Checked { verdict, ..row }, own));
    }
    let missed = missed(&links, &rows, speech);
    let row = |(row, own): &(Checked, Option<usize>)| CheckedRow {
        name: row.name.clone(),
        exercise: own.map(|own| called(&links[own], speech)).unwrap_or_default(),
        kind: own.map(|own| links[own].kind),
        outcome: row.code.as_ref().map(|code| code.outcome),
        date: row.code.as_ref().map(|code| code::date(code.outcome.minute)).unwrap_or_default(),
        verdict: row.verdict.message(),
        passed: row.verdict.passed(),
        link: own
            .map(|own| &links[own])
            .filter(|link| link.kind.activity().asks_about_plan())
            .map(ExerciseLink::write)
            .unwrap_or_default(),
        answers: row.code.as_ref().and_then(|code| code.answers.clone()).unwrap_or_default(),
    };
    let shown = rows.iter().map(row).collect();
    let plain: Vec<Checked> = rows.into_iter().map(|(row, _)| row).collect();
    Ok(CheckedList { rows: shown, missed, csv: code::csv(&plain, speech) })
}

/// What a table calls an exercise.
fn called(link: &ExerciseLink, speech: Speech) -> String {
    let kind = || speech.word(link.kind.activity().title);
    match (link.id.is_empty(), link.planner.is_empty()) {
        (false, _) => link.id.clone(),
        // Lessons have their own planners.
        (true, true) => kind(),
        (true, false) => format!("{} · {}", kind(), planner::title_of(&link.planner, speech)),
    }
}

/// What was missed in all exercises.
fn missed(links: &[ExerciseLink], rows: &[(Checked, Option<usize>)], speech: Speech) -> Vec<(Message, u32)> {
    let mut by_rule: BTreeMap<String, u32> = BTreeMap::new();
    let mut by_number: Vec<(Message, u32)> = Vec::new();
    for (number, link) in links.iter().enumerate() {
        let is_counted = |row: &Checked| matches!(row.verdict, Verdict::Passed | Verdict::Below { .. });
        let own: Vec<&Checked> =
            rows.iter().filter(|(row, own)| *own == Some(number) && is_counted(row)).map(|(row, _)| row).collect();
        // Which rule was missed is known where all questions can be asked again.
        let is_elsewhere = matches!(&link.source, Made::Document { doc, .. } if !doc.starts_with("z:"));
        let is_known = match link.kind.activity().asks {
            Asks::Figures => true,
            Asks::EveryPlace => !is_elsewhere,
            Asks::OnePlace | Asks::Lessons | Asks::Program | Asks::Goals(_) => false,
        };
        if !is_known {
            let own: Vec<Checked> = own.into_iter().cloned().collect();
            by_number.extend(code::most_missed(&own).into_iter().map(|(question, times)| {
                let message = Message::new("teach.question").count("n", question as u64);
                (message.text("exercise", called(link, speech)), times as u32)
            }));
            continue;
        }
        for row in own {
            let answers = row.code.as_ref().and_then(|code| code.answers.as_ref());
            let Some((answers, rules)) = answers.zip(rules_of(link, &row.name)) else { continue };
            for (_, rule) in answers.iter().zip(rules).filter(|(is_right, _)| !**is_right) {
                *by_rule.entry(rule).or_insert(0) += 1;
            }
        }
    }
    let rules = by_rule.into_iter().map(|(rule, times)| (Message::new(rule), times));
    let mut all: Vec<(Message, u32)> = rules.chain(by_number).collect();
    all.sort_by_key(|(message, times)| (u32::MAX - times, message.key.clone()));
    all
}
