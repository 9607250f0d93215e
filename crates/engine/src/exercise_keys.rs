//! The parts of links that ask for figures, for a board or for a program, beyond those of all
//! exercises.

use super::answer::{Failure, refused};
use memplan_core::base::Message;
use memplan_planners as planner;
use memplan_teach::exercise::activity::{FEWEST_BUFFERS, FEWEST_STEPS};
use memplan_teach::exercise::board::can_be_broken;
use memplan_teach::exercise::figure::Figure;
use memplan_teach::exercise::link::{ExerciseLink, Source};

/// Figures as a link names them.
const ALLOWED: &str = "bound, peak, waste, load@3, offset:A";

/// The fault of a key that does not take its value.
pub(super) fn value<T>(key: &str, value: &str, allowed: impl Into<String>) -> Result<T, Failure> {
    Err(refused(Message::new("link.value").text("key", key).text("value", value).text("allowed", allowed.into())))
}

/// The figures that a link asks about. Of a document each is asked once; an instance made from a
/// seed is followed by another.
pub(super) fn figures(link: &ExerciseLink) -> Result<Vec<Figure>, Failure> {
    if link.ask.is_empty() {
        return Err(refused(Message::new("link.missing").text("key", "ask")));
    }
    let Some(figures) = Figure::list(&link.ask) else { return value("ask", &link.ask, ALLOWED) };
    let is_addressed = planner::info(&link.planner).is_none_or(|info| !info.storages);
    let offset = figures.iter().find(|figure| !is_addressed && matches!(figure, Figure::Offset(_)));
    if let Some(figure) = offset {
        return Err(refused(Message::new("number.none").text("figure", figure.write())));
    }
    match &link.source {
        Source::Document { .. } if usize::from(link.of) != figures.len() => {
            value("of", &link.of.to_string(), figures.len().to_string())
        }
        Source::Seed { .. } => match figures.iter().find(|figure| !is_in_every_instance(figure)) {
            Some(figure) => {
                let last = letter(FEWEST_BUFFERS - 1);
                value("ask", &figure.write(), format!("load@0 … load@{}, offset:A … offset:{last}", FEWEST_STEPS - 1))
            }
            None => Ok(figures),
        },
        _ => Ok(figures),
    }
}

/// Whether every instance has a figure, however few buffers and steps it has.
fn is_in_every_instance(figure: &Figure) -> bool {
    match figure {
        Figure::Load(step) => *step < FEWEST_STEPS,
        Figure::Offset(name) => (0..FEWEST_BUFFERS).any(|at| letter(at) == *name),
        Figure::Bound | Figure::Peak | Figure::Waste => true,
    }
}

fn letter(at: usize) -> String {
    ('A'..='Z').nth(at).map(String::from).unwrap_or_default()
}

/// Checks that the planner of a link can be broken, and that nothing is asked beside that.
pub(super) fn breakable(link: &ExerciseLink) -> Result<(), Failure> {
    let is_refused = planner::find(&link.planner).is_some_and(|planner| !can_be_broken(planner));
    match link.options.iter().next() {
        _ if link.of != 1 => value("of", &link.of.to_string(), "1"),
        _ if is_refused => Err(refused(Message::new("game.not-broken").text("planner", &link.planner))),
        // The worst boards that are known are those of planners with their defaults.
        Some((key, _)) => value("opt", key, ""),
        None => Ok(()),
    }
}

/// Checks that a link asks for a program that can be judged.
pub(super) fn writable(link: &ExerciseLink) -> Result<(), Failure> {
    let is_refused = planner::info(&link.planner).is_some_and(|info| info.storages);
    match (&link.source, link.options.iter().next()) {
        _ if is_refused => Err(refused(Message::new("write.no-addresses").text("planner", &link.planner))),
        _ if !link.ask.is_empty() => Err(refused(Message::new("link.unknown").text("keys", "ask"))),
        // Instances are chosen by what the planner does with its defaults.
        (_, Some((key, _))) => value("opt", key, ""),
        (Source::Seed { .. }, None) => Ok(()),
        _ => value("kind", link.kind.name(), "seed=…"),
    }
}
