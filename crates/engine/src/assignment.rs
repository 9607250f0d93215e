//! What the link of an exercise asks, and the instances that it is made of.

use serde::{Deserialize, Serialize};

use super::answer::{Failure, refused};
use super::exercise_keys::{breakable, figures, value, writable};
use super::listener::NoListener;
use super::plan::plan;
use super::source::PlanTask;
use memplan_core::base::Message;
use memplan_core::problem::Scope;
use memplan_core::text::Locale;
use memplan_formats::import::Document;
use memplan_planners as planner;
use memplan_replay::Run;
use memplan_teach::exercise::activity::{Asks, Buffers, Kind, TEMPLATE};
use memplan_teach::exercise::figure::Figure;
use memplan_teach::exercise::link::{ExerciseLink, Help, Hidden, Source as Made, lesson_questions};
use memplan_teach::exercise::variant::{Difficulty, Instance, generate, seed_for};

/// What a link asks of a student.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Assignment {
    /// What is done.
    pub kind: Kind,
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
    /// Where figures are asked, the decisions that are shown at most.
    pub decision: Option<u32>,
    /// The figures that are asked about each document, in this order.
    pub ask: Vec<Figure>,
    /// The questions of lessons that are asked, each with the number of its lesson.
    pub lessons: Vec<(u32, String)>,
    /// The ratio to be beaten, in hundredths; none but for buffers on which the planner wastes
    /// much.
    pub beat: Option<u16>,
    /// The largest ratio of a program's peak to the bound, in hundredths; none where its places are
    /// compared.
    pub most: Option<u16>,
    /// What a program begins with; empty where none is written.
    pub template: String,
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

/// Reads the link of an exercise, as a fragment with or without `#`.
pub(super) fn read(link: &str) -> Result<ExerciseLink, Failure> {
    let fragment = link.rsplit('#').next().unwrap_or_default();
    ExerciseLink::read(fragment).map_err(|fault| refused(fault.message()))
}

/// What a student's page has to know of a link.
pub(super) fn assignment(link: &ExerciseLink) -> Result<Assignment, Failure> {
    let (mut ask, mut lessons) = (Vec::new(), Vec::new());
    let activity = link.kind.activity();
    match activity.asks {
        Asks::EveryPlace => {}
        Asks::OnePlace => placeable(link)?,
        Asks::Figures => ask = figures(link)?,
        Asks::Lessons => lessons = questions(link)?,
        Asks::Program => writable(link)?,
        Asks::Goals(_) if activity.buffers == Buffers::Board => breakable(link)?,
        Asks::Goals(goals) => playable(link, goals.count)?,
    }
    if planner::info(&link.planner).is_none() && activity.buffers != Buffers::Lessons {
        return Err(refused(Message::new("fault.unknown-planner").text("id", &link.planner)));
    }
    let (doc, name, seed) = match &link.source {
        Made::Document { doc, name } => (doc.clone(), name.clone(), None),
        Made::Seed { seed, difficulty } => (String::new(), String::new(), Some((*seed, difficulty.number()))),
        Made::Board | Made::Lessons => Default::default(),
    };
    Ok(Assignment {
        kind: link.kind,
        seed,
        id: link.id.clone(),
        planner: link.planner.clone(),
        options: link.options.clone().into_iter().collect(),
        doc,
        name,
        decision: link.frame.filter(|_| matches!(activity.asks, Asks::OnePlace | Asks::Figures)),
        ask,
        lessons,
        beat: link.beat,
        most: link.most,
        template: match activity.asks {
            Asks::Program if link.template.is_empty() => TEMPLATE.into(),
            _ => link.template.clone(),
        },
        hide: link.hide.iter().copied().collect(),
        help: link.help,
        pass: link.pass,
        of: link.of,
        tries: link.tries,
        bits: link.bits,
        locale: link.lang,
    })
}

/// Checks that the page can ask about one buffer of the document of a link.
fn placeable(link: &ExerciseLink) -> Result<(), Failure> {
    match &link.source {
        _ if link.of != 1 => value("of", &link.of.to_string(), "1"),
        _ if !link.ask.is_empty() => Err(refused(Message::new("link.unknown").text("keys", "ask"))),
        _ if link.frame.is_none() => Err(refused(Message::new("link.missing").text("key", "f"))),
        Made::Seed { .. } | Made::Board | Made::Lessons => value("kind", link.kind.name(), "doc=…"),
        Made::Document { .. } => Ok(()),
    }
}

/// The questions of lessons that a link asks: as many as it says.
fn questions(link: &ExerciseLink) -> Result<Vec<(u32, String)>, Failure> {
    let Some(asked) = lesson_questions(&link.ask) else { return value("ask", &link.ask, "1.a,2.c") };
    if asked.len() != usize::from(link.of) {
        return value("of", &link.of.to_string(), asked.len().to_string());
    }
    Ok(asked)
}

/// Checks that the page can deal the game of a link.
fn playable(link: &ExerciseLink, goals: u8) -> Result<(), Failure> {
    if link.of != goals {
        return value("of", &link.of.to_string(), goals.to_string());
    }
    match &link.source {
        Made::Document { doc, .. } if doc.starts_with("url:") => value("doc", doc, "ex:…, z:…"),
        Made::Document { .. } if !link.kind.activity().buffers.has_document() => {
            value("kind", link.kind.name(), "seed=…")
        }
        _ => Ok(()),
    }
}

/// The instance of a round of a student.
pub(super) fn instance(link: &ExerciseLink, name: &str, round: u32) -> Result<Instance, Failure> {
    let Made::Seed { seed, .. } = link.source else {
        return Err(refused(Message::new("link.missing").text("key", "seed")));
    };
    if link.kind.activity().asks == Asks::Figures {
        figures(link)?;
    }
    let own = seed_for(seed, name);
    instance_of(link, if round == 0 { own } else { seed_for(own, &round.to_string()) }, None)
}

/// The instance of a seed, of this difficulty or else that of the link.
pub(super) fn instance_of(link: &ExerciseLink, seed: u64, difficulty: Option<Difficulty>) -> Result<Instance, Failure> {
    let Made::Seed { difficulty: usual, .. } = link.source else {
        return Err(refused(Message::new("link.missing").text("key", "seed")));
    };
    let unknown = || refused(Message::new("fault.unknown-planner").text("id", &link.planner));
    let planner = planner::find(&link.planner).ok_or_else(unknown)?;
    generate(link.kind, planner, seed, difficulty.unwrap_or(usual)).map_err(|error| refused(error.message()))
}

/// The run of a planner on a document.
pub(super) fn run(document: &Document, planner: &str, options: &[(String, String)]) -> Result<Run, Failure> {
    let task = PlanTask { options: options.iter().cloned().collect(), ..PlanTask::of(planner) };
    let planned = plan(document, &Scope::default(), &task, None, &mut NoListener).map_err(|none| refused(none.why))?;
    Ok(planned.into_run(document.graph().cloned().map(std::rc::Rc::new).as_ref()))
}
