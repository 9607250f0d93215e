//! The answers that a first visit begins with. They are made when the page is built, so that its
//! first picture need not wait until the worker has come.

use super::answer::{Done, Failure};
use super::request::{Answer, Request, Task};
use super::source::{PlanTask, Source};
use super::{Engine, NoListener};
use memplan_core::problem::Scope;
use memplan_formats::import::Answers;
use memplan_teach::choices;

/// The built-in example that opens at the start.
pub const START: &str = "teaching";

/// Frame at which a first visit begins.
pub const START_FRAME: u32 = 1;

/// Name of the file with the answers, which lies beside the programs.
pub const FIRST_ANSWERS: &str = "first.bin";

/// Planners that are asked for: at a first visit, and, as none, by a link that leaves the choice to
/// the engine.
const PLANNERS: [&str; 2] = [choices::WELCOME, ""];

/// What is known of the example's file besides its contents.
fn choices() -> Answers {
    Answers { file: START.into(), ..Answers::default() }
}

/// Returns the contents of [`FIRST_ANSWERS`]; `file` is the example [`START`].
///
/// # Errors
/// The example cannot be read.
pub fn first_answers(file: &[u8]) -> Result<Vec<u8>, Failure> {
    let answer = |planner: &str| {
        let source = Source::File { file: file.to_vec(), choices: choices() };
        let request = Request { source, scope: Scope::default(), task: Task::Plan(PlanTask::of(planner)) };
        let answer = Engine::default().answer(&request, &|| 0.0, &mut NoListener)?;
        Ok(if let Answer::Planned(done) = answer { Some(*done) } else { None })
    };
    let answers: Vec<Done> = PLANNERS.into_iter().filter_map(|id| answer(id).transpose()).collect::<Result<_, _>>()?;
    // Plain values: writing them cannot fail.
    Ok(postcard::to_stdvec(&answers).unwrap_or_default())
}

/// Reads the answer to a request for the example from the contents of [`FIRST_ANSWERS`]; none if
/// they do not hold it.
pub fn first_answer(contents: &[u8], planner: &str) -> Option<Done> {
    let answers: Vec<Done> = postcard::from_bytes(contents).ok()?;
    PLANNERS.into_iter().zip(answers).find(|(id, _)| *id == planner).map(|(_, done)| done)
}

/// Returns true if [`FIRST_ANSWERS`] hold the answer to this request, provided that its document is
/// the example [`START`].
pub fn is_answered_first<F>(request: &Request<F>) -> bool {
    let Task::Plan(task) = &request.task else { return false };
    let is_plain = matches!(&request.source, Source::File { choices: given, .. } if *given == choices());
    is_plain
        && request.scope == Scope::default()
        && PLANNERS.contains(&task.planner.as_str())
        && *task == PlanTask::of(&task.planner)
}
