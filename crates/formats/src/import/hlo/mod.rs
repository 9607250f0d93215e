//! XLA dumps (`*.hlo.pb`): a module in the order of its schedule, and the buffer assignment that
//! XLA made for it.
//!
//! **From**: openxla/xla 5a9e73c (in jaxlib 0.10.2), `xla/service/hlo.proto`, `xla/xla_data.proto`,
//! written by `--xla_dump_to` with `--xla_dump_hlo_as_proto`.
//! **Time**: one step an instruction of the flattened schedule; the bodies of loops and branches
//! stand before what calls them, each once, and fusions are one instruction.
//! **Tensors**: one for all values that must lie in one place: the state of a loop, a donated
//! parameter with its output.
//! **Plan**: one pool an allocation; what is thread-local is left out. Without an assignment there
//! is only the graph.
//! **Storages**: the graph states which parameters the caller keeps, where a storage holds nothing,
//! and whose bytes are handed over, so that planners are asked for what XLA has planned.
//! **Missing**: which parameters are weights, and permissions to overwrite that went unused.

mod graph;
mod module;
mod places;
mod plan;
#[cfg(test)]
mod tests;
mod values;
mod wire;

use std::collections::BTreeSet;

use module::Module;
use places::Run;
use plan::Use;
use values::Values;
use wire::{BufferAssignmentProto, HloModuleProto, HloProto};

use super::answers::Answers;
use super::build::Builder;
use super::content::{Content, whole};
use super::document::{Document, Parsed};
use super::protobuf::{self, Refusal};
use memplan_core::base::{Message, Names};
use memplan_core::graph::Fault;

/// Kinds of events of the heap simulator; the third allocates.
const FREE: i64 = 1;
const SHARE_WITH: i64 = 2;

/// Whether a file is an `HloProto` or a bare `HloModuleProto`.
pub fn sniff(content: &Content) -> bool {
    wire::holds_module(content.bytes())
}

/// Reads a dump.
///
/// # Errors
/// What is damaged, or a reference that leads nowhere.
pub fn read(content: Content, answers: &Answers) -> Result<Parsed, Vec<Fault>> {
    let (proto, assignment) = decode(content.bytes()).map_err(|refusal| whole(wire::message(&refusal)))?;
    let assignment = assignment.filter(|assignment| !assignment.buffers.is_empty());
    let module = Module::new(&proto).map_err(whole)?;
    if let Some(message) = graph::rank_fault(&module) {
        return Err(whole(message));
    }
    let values = Values::new(&module, assignment.as_ref()).map_err(whole)?;
    let mut facts = vec![
        Message::new("fact.hlo-file")
            .text("module", &proto.name)
            .count("n", module.instructions.len() as u64)
            .count("steps", module.end()),
    ];
    let mut warnings = Vec::new();
    let (mut runs, mut takeovers) = (Vec::new(), Vec::new());
    if let Some(assignment) = &assignment {
        runs = places::runs(&values, assignment).map_err(whole)?;
        takeovers = places::takeovers(&runs, assignment);
    } else {
        warnings.push(Fault::new("", Message::new("warning.hlo-no-plan")));
    }
    if !module.is_scheduled {
        warnings.push(Fault::new("", Message::new("warning.hlo-no-schedule")));
    }
    let mut builder = Builder::new(&proto.name);
    let pairs: Vec<(usize, usize)> = takeovers.iter().filter_map(|&pair| ends(&runs, pair)).collect();
    let slots = graph::build(&module, &values, &pairs, &mut builder);
    let mut built = builder.finish(answers)?;
    built.graph.stated = places::stated(&module, &values, &runs, &takeovers, &slots, &built.graph);
    // Values that nothing reads are usual: XLA keeps what a caller may ask for.
    warnings.extend(built.warnings.into_iter().filter(|warning| warning.message.key != "warning.never-read"));
    let Some(assignment) = assignment else {
        let document = Document::Graph(built.graph);
        return Ok(Parsed { facts, warnings, questions: built.questions, ..Parsed::plain(document) });
    };
    let (problem, plan) = plan::plan(&module, &values, &assignment, &runs, &takeovers, &slots).map_err(whole)?;
    facts.extend(totals(&values, &assignment));
    facts.extend(donation(&proto));
    if !events_agree(&values, &assignment) {
        warnings.push(Fault::new("", Message::new("warning.hlo-events")));
    }
    let document = Document::Planned(built.graph, problem, plan);
    Ok(Parsed { facts, warnings, questions: built.questions, ..Parsed::plain(document) })
}

/// The module and, if there is one, the assignment. Field 1 is the module, or in a bare module its
/// name.
fn decode(bytes: &[u8]) -> Result<(HloModuleProto, Option<BufferAssignmentProto>), Refusal> {
    let both = match protobuf::read::<HloProto>(bytes) {
        Ok(HloProto { module: Some(module), assignment }) if !module.computations.is_empty() => {
            return Ok((module, assignment));
        }
        both => both.err(),
    };
    match protobuf::read::<HloModuleProto>(bytes) {
        Ok(module) if !module.computations.is_empty() => Ok((module, None)),
        // A module by itself is seldom whole as the other message.
        Err(Refusal::TooMany) => Err(Refusal::TooMany),
        bare => Err(both.or(bare.err()).unwrap_or(Refusal::Damaged("HloModuleProto"))),
    }
}

/// The last value of the donor and the first of the acceptor.
fn ends(runs: &[Run], (donor, acceptor): (usize, usize)) -> Option<(usize, usize)> {
    Some((*runs[donor].values.last()?, *runs[acceptor].values.first()?))
}

/// What the allocations take, and the peak with and without temporaries.
fn totals(values: &Values, assignment: &BufferAssignmentProto) -> Vec<Message> {
    let bytes = |size: i64| u64::try_from(size).unwrap_or(0);
    let (local, shared): (Vec<_>, Vec<_>) =
        assignment.allocations.iter().partition(|allocation| allocation.is_thread_local);
    let sum = |wanted: Use| {
        let of_use = shared.iter().filter(|allocation| plan::use_of(allocation) == wanted);
        of_use.map(|allocation| bytes(allocation.size)).fold(0, u64::saturating_add)
    };
    let total = assignment.allocations.iter().map(|allocation| bytes(allocation.size)).fold(0, u64::saturating_add);
    let kept = shared.iter().filter(|allocation| plan::use_of(allocation) != Use::Temp);
    let largest = |allocation: &&&wire::BufferAllocationProto| {
        allocation.assigned.iter().map(|assigned| bytes(assigned.size)).max().unwrap_or(0)
    };
    let fixed = kept.map(|allocation| largest(&allocation)).fold(0, u64::saturating_add);
    let with_temps = fixed.saturating_add(peak_of_trace(values, assignment));
    let mut facts = vec![
        Message::new("fact.hlo-plan")
            .bytes("total", total)
            .bytes("parameters", sum(Use::Parameter))
            .bytes("constants", sum(Use::Constant))
            .bytes("outputs", sum(Use::Output))
            .bytes("temp", sum(Use::Temp)),
        Message::new("fact.hlo-peak").bytes("static", fixed).bytes("peak", with_temps),
        Message::new("fact.hlo-beside"),
    ];
    if !local.is_empty() {
        let all = local.iter().map(|allocation| bytes(allocation.size)).fold(0, u64::saturating_add);
        facts.push(Message::new("fact.hlo-thread-local").count("n", local.len() as u64).bytes("size", all));
    }
    facts
}

/// The most bytes that the events of the first heap hold at a time; those that share a place hold
/// it together.
fn peak_of_trace(values: &Values, assignment: &BufferAssignmentProto) -> u64 {
    let (mut now, mut most) = (0u64, 0u64);
    // The buffer that was allocated, for each, and how many share its place.
    let mut owner: Names<i64, i64> = Names::default();
    let mut sharing: Names<i64, u64> = Names::default();
    for event in assignment.traces.iter().take(1).flat_map(|trace| &trace.events) {
        let size = values.find(event.buffer).map_or(0, |value| values.all[value].size);
        if event.kind == FREE {
            let count = owner.get(&event.buffer).and_then(|place| sharing.get_mut(place));
            let is_last = count.is_some_and(|count| {
                *count = count.saturating_sub(1);
                *count == 0
            });
            now = now.saturating_sub(if is_last { size } else { 0 });
            continue;
        }
        let place = if event.kind == SHARE_WITH { owner.get(&event.with).copied() } else { None };
        let place = place.unwrap_or(event.buffer);
        owner.insert(event.buffer, place);
        let count = sharing.entry(place).or_insert(0);
        now = now.saturating_add(if *count == 0 { size } else { 0 });
        *count += 1;
        most = most.max(now);
    }
    most
}

/// Which parameters were given away, and which of them in vain.
fn donation(proto: &HloModuleProto) -> Vec<Message> {
    let aliased: BTreeSet<(i64, &[i64])> =
        proto.alias.iter().flat_map(|alias| &alias.entries).map(|entry| (entry.parameter, &entry.index[..])).collect();
    let given = proto.donors.iter().flat_map(|donors| &donors.entries);
    let unused: BTreeSet<(i64, &[i64])> = given.map(|entry| (entry.parameter, &entry.index[..])).collect();
    let unused = unused.difference(&aliased);
    let names: Vec<String> = unused
        .map(|(parameter, path)| {
            let path: String = path.iter().map(|number| format!(".{number}")).collect();
            format!("{parameter}{path}")
        })
        .collect();
    let mut facts = Vec::new();
    if !aliased.is_empty() {
        facts.push(Message::new("fact.hlo-donated").count("n", aliased.len() as u64));
    }
    if !names.is_empty() {
        let n = names.len() as u64;
        facts.push(Message::new("fact.hlo-donated-unused").count("n", n).text("parameters", names.join(", ")));
    }
    facts
}

/// Whether the events of every heap are in the order of the live ranges: an allocation stands at
/// the start of its buffer, a free at the end.
fn events_agree(values: &Values, assignment: &BufferAssignmentProto) -> bool {
    assignment.traces.iter().all(|trace| {
        let step = |event: &wire::TraceEvent| {
            let live = values.all[values.find(event.buffer)?].live?;
            Some(if event.kind == FREE { live.1 } else { live.0 })
        };
        let steps: Vec<u32> = trace.events.iter().filter_map(step).collect();
        steps.len() == trace.events.len() && steps.windows(2).all(|pair| pair[0] <= pair[1])
    })
}
