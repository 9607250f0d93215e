//! The memory trace of ExecuTorch: axes swapped, one event for every buffer and step.
//!
//! **From**: pytorch/executorch, `util/activation_memory_profiler.py` (11879d81),
//! `generate_memory_trace`.
//! **Layout**: `tid` is the step, `dur` the size in bytes, `pid` the memory. `ts` is the offset if
//! the trace was written with offsets, else the sum of the sizes before it in its step, which is no
//! address.
//! **Time**: steps are nodes of the planner's graph, placeholders and allocations too; a buffer
//! lives from the first to the last step that names it, both included. Steps between that do not
//! name it are gaps: another branch runs there.

use std::collections::BTreeMap;

use crate::import::csv::{MAX_STEPS, memory_of};
use crate::import::document::{Document, Parsed};
use crate::import::loose::{Loose, Object};
use memplan_core::base::{MAX_SAFE, Message, Names};
use memplan_core::graph::Fault;
use memplan_core::plan::{Place, Plan, Pool, PoolId, PoolRole};
use memplan_core::problem::{Buffer, BufferId, Gap, Live, Memory, MemoryId, Problem};

/// Whether an event is of this layout.
pub fn tells(event: &Loose) -> bool {
    let Loose::Object(event) = event else { return false };
    matches!(event.get("args"), Some(Loose::Object(args)) if args.get("Memory ID").is_some() && args.get("bytes").is_some())
}

struct Event<'t> {
    /// In the list of the file.
    index: usize,
    name: &'t str,
    offset: u64,
    size: u64,
    memory: u64,
    step: u32,
    /// The buffer whose storage it takes over; only files of this program state it.
    shares: Option<&'t str>,
    /// The memory that its pool is a part of; only files of this program state it.
    part_of: Option<&'t str>,
}

/// What is known by a name and numbers. One type for all of it: every other one brings the code of
/// a map of its own.
type Known<'t> = BTreeMap<(&'t str, [u64; 4]), u64>;

/// Reads the events of this layout; others are left out.
///
/// # Errors
/// Every event without a name or with a number that is missing or too large.
pub fn read(events: &[Loose]) -> Result<Parsed, Vec<Fault>> {
    let (mut events_of_memory, mut faults) = (Vec::new(), Vec::new());
    for (index, event) in events.iter().enumerate().filter(|(_, event)| tells(event)) {
        let Loose::Object(event) = event else { continue };
        match of(index, event) {
            Ok(event) => events_of_memory.push(event),
            Err(fault) => faults.push(fault),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let packed = is_packed(&events_of_memory);
    let mut problem = Problem::default();
    let mut plan = Plan::default();
    let (mut pools, mut counts, mut first) = (Known::new(), Known::new(), Known::new());
    let mut memories: Names<String, u64> = Names::default();
    let mut acceptors = Vec::new();
    for (event, steps) in buffers(&events_of_memory, packed) {
        let Event { name, size, memory, .. } = *event;
        let (live, gaps) = life(steps);
        let offset = if packed { 0 } else { event.offset };
        let mem_id = u32::try_from(memory).ok();
        let there = event.part_of.map_or(Memory { device: "cpu".into(), mem_id }, memory_of);
        let pool = *pools.entry(("", [memory, 0, 0, 0])).or_insert_with(|| {
            let (name, device) = (format!("arena {memory}"), there.device.clone());
            plan.pools.push(Pool { name, size: 0, device, role: PoolRole::Arena }).0.into()
        });
        let pool = PoolId(pool as u32);
        let key = format!("{}/{:?}", there.device, there.mem_id);
        let memory = MemoryId(*memories.entry(key).or_insert_with(|| problem.memories.push(there).0.into()) as u32);
        let count = counts.entry((name, [0; 4])).or_default();
        *count += 1;
        // A result of several tensors has one name for all.
        let name = if *count == 1 { name.to_string() } else { format!("{name}#{count}") };
        problem.steps = problem.steps.max(live.end);
        let id = problem.buffers.push(Buffer { memory, gaps, ..Buffer::of(name, size, live) });
        first.entry((event.name, [0; 4])).or_insert(id.0.into());
        acceptors.extend(event.shares.map(|donor| (id, donor, event.index)));
        plan.places.push(Some(Place { pool, offset }));
        let top = &mut plan.pools[pool].size;
        *top = (*top).max(offset.saturating_add(size));
    }
    for (acceptor, donor, index) in acceptors {
        let path = format!("traceEvents[{index}].args.shares");
        let unknown = || vec![Fault::new(path, Message::new("fault.plan-unknown-donor").text("name", donor))];
        plan.shared.push((acceptor, BufferId(*first.get(&(donor, [0; 4])).ok_or_else(unknown)? as u32)));
    }
    let tops: u64 = plan.pools.iter().map(|pool| pool.size).fold(0, u64::saturating_add);
    if !problem.total_is_safe(1) || tops > MAX_SAFE {
        return Err(vec![Fault::new("traceEvents", Message::new("fault.sum-too-large"))]);
    }
    let mut facts = vec![Message::new("fact.trace-swapped")];
    let document = if packed {
        facts.push(Message::new("fact.trace-packed"));
        Document::Buffers(problem)
    } else {
        Document::Plan(problem, plan)
    };
    Ok(Parsed { facts, ..Parsed::plain(document) })
}

fn of<'t>(index: usize, event: &'t Object) -> Result<Event<'t>, Fault> {
    let path = |key: &str| format!("traceEvents[{index}].{key}");
    let whole = |key: &'static str, limit: u64| match event.get(key).and_then(Loose::whole) {
        Some(found) if found <= limit => Ok(found),
        Some(_) => Err(Fault::new(path(key), Message::new("fault.too-large"))),
        None => Err(Fault::new(path(key), Message::new("fault.trace-number").text("field", key))),
    };
    let name = event.get("name").and_then(Loose::text).filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| Fault::new(path("name"), Message::new("fault.empty-name")))?;
    let arg = |key: &str| match event.get("args") {
        Some(Loose::Object(args)) => args.get(key).and_then(Loose::text),
        _ => None,
    };
    Ok(Event {
        index,
        name,
        shares: arg("shares"),
        part_of: arg("memory"),
        offset: whole("ts", MAX_SAFE)?,
        size: whole("dur", MAX_SAFE)?,
        memory: whole("pid", MAX_SAFE)?,
        step: whole("tid", MAX_STEPS - 1)? as u32,
    })
}

/// Whether `ts` is a running sum: it is so in every step, and gives some buffer more than one
/// place.
fn is_packed(events: &[Event]) -> bool {
    let (mut sums, mut first) = (Known::new(), Known::new());
    let mut moves = false;
    for event in events {
        let sum = sums.entry(("", [event.step.into(), 0, 0, 0])).or_default();
        if event.offset != *sum {
            return false;
        }
        *sum = sum.saturating_add(event.size);
        let key = (event.name, [event.size, event.memory, 0, 0]);
        moves |= *first.entry(key).or_insert(event.offset) != event.offset;
    }
    moves
}

/// Buffers in the order in which they are first met, each with its first event and the steps of
/// all. Events are one buffer if they agree in name, size and memory, and in the offset or the
/// place among equals in a step.
fn buffers<'e, 't>(events: &'e [Event<'t>], packed: bool) -> Vec<(&'e Event<'t>, Vec<u32>)> {
    let mut found: Vec<(&Event, Vec<u32>)> = Vec::new();
    let (mut known, mut equals) = (Known::new(), Known::new());
    for event in events {
        let (offset, turn) = if packed {
            let turn = equals.entry((event.name, [event.step.into(), event.size, event.memory, 0])).or_default();
            *turn += 1;
            (0, *turn)
        } else {
            (event.offset, 0)
        };
        let index = *known.entry((event.name, [event.size, event.memory, offset, turn])).or_insert_with(|| {
            found.push((event, Vec::new()));
            found.len() as u64 - 1
        });
        found[index as usize].1.push(event.step);
    }
    found
}

/// The life of a buffer that is named at these steps, and its gaps.
fn life(mut steps: Vec<u32>) -> (Live, Vec<Gap>) {
    steps.sort_unstable();
    steps.dedup();
    let live = Live::new(steps.first().copied().unwrap_or_default(), steps.last().map_or(0, |last| last + 1));
    let pairs = steps.windows(2).filter(|pair| pair[1] > pair[0] + 1);
    (live, pairs.map(|pair| Gap { live: Live::new(pair[0] + 1, pair[1]), window: None }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Answers, read};

    fn event(name: &str, ts: u64, dur: u64, pid: u64, tid: u64) -> String {
        format!(
            r#"{{"name":"{name}","ph":"X","ts":{ts},"dur":{dur},"pid":{pid},"tid":{tid},"args":{{"Memory ID":{pid},"bytes":{dur}}}}}"#
        )
    }

    fn document(events: &[String]) -> Document {
        let text = format!("[{}]", events.join(","));
        read(text.as_bytes(), Answers::default()).unwrap_or_else(|faults| panic!("{faults:?}")).document
    }

    #[test]
    fn events_of_one_buffer_are_joined_and_memories_kept_apart() {
        let events = [
            event("a", 64, 8, 1, 0),
            event("a", 64, 8, 1, 2),
            event("a", 72, 8, 1, 1),
            event("b", 0, 16, 2, 1),
            r#"{"ph":"M","name":"process_name","args":{"name":"x"}}"#.to_string(),
        ];
        let Document::Plan(problem, plan) = document(&events) else { panic!("a plan") };
        let found: Vec<_> = problem.buffers.iter().map(|there| (&there.name[..], there.size, there.live)).collect();
        assert_eq!(found, [("a", 8, Live::new(0, 3)), ("a#2", 8, Live::new(1, 2)), ("b", 16, Live::new(1, 2))]);
        assert_eq!(problem.buffers[BufferId(0)].gaps, [Gap { live: Live::new(1, 2), window: None }]);
        assert_eq!(
            plan.pools.iter().map(|pool| (&pool.name[..], pool.size)).collect::<Vec<_>>(),
            [("arena 1", 80), ("arena 2", 16)]
        );
    }

    #[test]
    fn a_running_sum_is_no_address() {
        let moved = [event("a", 0, 8, 1, 0), event("b", 8, 4, 1, 0), event("b", 0, 4, 1, 1), event("b", 4, 4, 1, 1)];
        let Document::Buffers(problem) = document(&moved) else { panic!("buffers") };
        let found: Vec<_> = problem.buffers.iter().map(|there| (&there.name[..], there.live)).collect();
        assert_eq!(found, [("a", Live::new(0, 1)), ("b", Live::new(0, 2)), ("b#2", Live::new(1, 2))]);
        // The same places in every step may well be addresses.
        let stays = [event("a", 0, 8, 1, 0), event("b", 8, 4, 1, 0), event("a", 0, 8, 1, 1), event("b", 8, 4, 1, 1)];
        assert!(matches!(document(&stays), Document::Plan(..)));
    }

    #[test]
    fn numbers_that_are_none_are_faults() {
        let keys = |text: &str| {
            let faults = read(text.as_bytes(), Answers::default()).expect_err("refused");
            faults.iter().map(|fault| format!("{} {}", fault.path, fault.message.key)).collect::<Vec<_>>()
        };
        let good = event("a", 0, 8, 1, 0);
        let text = |from: &str, to: &str| format!("[{}]", good.replace(from, to));
        assert_eq!(keys(&text(r#""ts":0"#, r#""ts":-1"#)), ["traceEvents[0].ts fault.trace-number"]);
        assert_eq!(keys(&text(r#""tid":0"#, r#""tid":99999999999"#)), ["traceEvents[0].tid fault.too-large"]);
        assert_eq!(keys(&text(r#""name":"a""#, r#""name":"""#)), ["traceEvents[0].name fault.empty-name"]);
        assert_eq!(keys(r#"{"traceEvents":[{"ph":"X","name":"a"}]}"#), ["traceEvents fault.trace-no-memory"]);
    }
}
