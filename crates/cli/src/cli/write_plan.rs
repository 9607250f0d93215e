//! A plan from a file, for the buffers of a model.

use std::collections::BTreeMap;
use std::path::Path;

use memplan_core::base::{Message, align_up};
use memplan_core::graph::Kind;
use memplan_core::plan::{Place, Plan};
use memplan_core::problem::{BufferId, Problem};
use memplan_formats::import::{self, Answers, Document};
use memplan_formats::tflm::ALIGN;

use super::error::CliError;
use super::input::file_bytes;

/// Reads a plan and finds its places for buffers by their names; those for which `is_optional` is
/// true may lack one.
///
/// # Errors
/// No plan, or the first difference between the buffers of the model and those of the plan.
pub fn plan_of_file(path: &Path, problem: &Problem, is_optional: impl Fn(BufferId) -> bool) -> Result<Plan, CliError> {
    let read = file_bytes(path)?;
    let read = import::read(&read, Answers::default()).map_err(|faults| CliError::faults(&faults))?;
    let (Document::Plan(of_file, stated) | Document::Planned(_, of_file, stated)) = read.document else {
        return Err(CliError::because(&Message::new("cli.no-plan").text("format", read.format.name())));
    };
    // Names may repeat, in subgraphs: they are met in the same order.
    let mut known: BTreeMap<&str, Vec<(u64, Place)>> = BTreeMap::new();
    for id in of_file.buffers.ids().rev() {
        let buffer = &of_file.buffers[id];
        if let Some(place) = stated.places[id].filter(|_| buffer.kind != Kind::Weight) {
            known.entry(&buffer.name).or_default().push((buffer.size, place));
        }
    }
    let mut plan = Plan::empty(problem);
    plan.pools = stated.pools.clone();
    for id in problem.buffers.ids() {
        let buffer = &problem.buffers[id];
        let other = |key: &'static str| Message::new(key).name("name", buffer.name.clone());
        match known.get_mut(&*buffer.name).and_then(Vec::pop) {
            Some((size, place)) if align_up(size, ALIGN) == align_up(buffer.size, ALIGN) => {
                plan.places[id] = Some(place);
            }
            Some((size, _)) => {
                let message = other("write.other-size").bytes("stated", size).bytes("size", buffer.size);
                return Err(CliError::because(&message));
            }
            None if is_optional(id) => {}
            None => return Err(CliError::because(&other("write.other-missing"))),
        }
    }
    match known.iter().find(|(_, left)| !left.is_empty()) {
        Some((name, _)) => Err(CliError::because(&Message::new("write.other-more").name("name", name.to_string()))),
        None => Ok(plan),
    }
}
