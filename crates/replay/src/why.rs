//! The reason for a frame, as messages: headline, places looked at, rule, effect, source.

mod places;
mod table;
#[cfg(test)]
mod tests;

use super::held::{Range, holder};
use super::{Candidate, Frame, Run};
use memplan_core::base::{Family, Message};
use memplan_core::graph::{DeviceId, NodeId};
use memplan_core::plan::{Place, Pool, PoolId, PoolRole, pool_words};
use memplan_core::problem::{BufferId, MemoryId};
use memplan_core::trace::{Decides, Event, Note, Outcome, SEARCH_ORDERS, Sentences, Slot, StatePanel, Verdict};
use places::{row, wanted_size};
use table::Case;

pub use places::{counted, verdict};

/// The contents of the Why panel for a frame.
#[derive(Clone, PartialEq, Debug)]
pub struct Why {
    /// What happened.
    pub headline: Message,
    /// The places looked at.
    pub rows: Vec<WhyRow>,
    /// Other facts that the planner reported: counts that fall, settings tried, conditions that
    /// hold or not.
    pub notes: Vec<Message>,
    /// The rule that decided.
    pub rule: Option<Message>,
    /// What became of the peak.
    pub effect: Option<Message>,
    /// Name of the function in the original system; never translated.
    pub source: Option<&'static str>,
}

/// One candidate in words.
#[derive(Clone, PartialEq, Debug)]
pub struct WhyRow {
    /// Order of inspection, from 1.
    pub number: u32,
    /// Whether it was looked at; the number of others is shown nowhere.
    pub visited: bool,
    /// Where it is.
    pub place: Message,
    /// What came of looking at it.
    pub verdict: Message,
    /// Whether the buffer went there.
    pub chosen: bool,
}

/// Explains a frame.
pub fn why(run: &Run, frame: &Frame) -> Why {
    let notes: Vec<Message> = frame.notes.iter().filter_map(|event| note(run, frame, event)).collect();
    let Some(focus) = frame.focus else {
        let start = start(run);
        return match notes.last() {
            // Before the first placement the latest fact is the headline.
            Some(latest) => Why { headline: latest.clone(), notes, ..start },
            None => start,
        };
    };
    // After the last placement buffers may still move: each time the latest fact is the headline.
    let round = frame.notes.iter().rev().find(|event| matches!(event, Event::Note { note, .. } if note.is_of_rounds()));
    if let Some(latest) = round.and_then(|event| note(run, frame, event)) {
        let rule = Some(Message::new("rule.rounds"));
        return Why {
            headline: latest,
            rows: Vec::new(),
            notes,
            rule,
            effect: None,
            source: source(run, frame, Outcome::Gap),
        };
    }
    let rows = frame.candidates.iter().map(|candidate| row(run, frame, candidate)).collect();
    let Some(outcome) = frame.outcome else {
        return Why { headline: looking(run, frame, focus), rows, notes, rule: None, effect: None, source: None };
    };
    let case = Case::new(run, frame, focus, outcome);
    Why {
        headline: headline(&case),
        rows,
        notes,
        rule: Some(own_rule(run, frame).unwrap_or_else(|| Message::new(case.rule()))),
        effect: Some(effect(run, frame, focus)),
        source: source(run, frame, outcome),
    }
}

/// A reported fact in words.
fn note(run: &Run, frame: &Frame, event: &Event) -> Option<Message> {
    match *event {
        Event::Refs { buffer, from, to } => {
            let name = run.problem.buffers[buffer].name.clone();
            let storage = frame.places[buffer]?.pool.0;
            let message = Message::new("note.refs").name("name", name).count("storage", storage);
            Some(message.count("from", from).count("to", to))
        }
        // The line is the rule of the frame.
        Event::Note { note: Note::CodeLine, .. } => None,
        // A place has its pool beside it, and the state panel has what became of free blocks.
        Event::Note {
            note: Note::CacheReplay | Note::CacheLook | Note::CacheFreed | Note::CacheEnter | Note::CacheLeave,
            ..
        } => None,
        Event::Note { note: Note::Overlap, subject, a, .. } => {
            Some(overlap(run, BufferId(subject), BufferId(a as u32)))
        }
        Event::Note { note, subject, a, b } => Some(filled(run, Family::NOTE, note, [subject.into(), a, b])),
        _ => None,
    }
}

/// That two buffers overlap, with the reason why they may not if they live at different steps.
fn overlap(run: &Run, one: BufferId, other: BufferId) -> Message {
    let [first, second] = [one, other].map(|id| &run.problem.buffers[id]);
    // Parts of one allocation live at the same steps, and so does what lives for good.
    let key = match first.live.meets(second.live) {
        false if run.are_beside(one, other) => "note.overlap-regions",
        false => "note.overlap-parallel",
        true => "note.overlap",
    };
    Message::new(key).name("name", first.name.clone()).name("other", second.name.clone())
}

/// The line of the user's own planner that led to a frame, with its number from 1.
pub fn code_line<'a>(run: &'a Run, frame: &Frame) -> Option<(u64, &'a str)> {
    let found = frame.notes.iter().rev().find_map(|event| match *event {
        Event::Note { note: Note::CodeLine, subject, a, .. } => Some((a, subject)),
        _ => None,
    });
    found.map(|(line, text)| (line, run.plan.texts.get(text as usize).map_or("", String::as_str)))
}

/// The rule of a frame of the user's own planner: the line of its code, if it is known.
fn own_rule(run: &Run, frame: &Frame) -> Option<Message> {
    if run.explanation.sentences != Sentences::Own {
        return None;
    }
    Some(match code_line(run, frame) {
        Some((line, "")) => Message::new("rule.own.line-only").count("line", line).text("planner", run.called()),
        Some((line, code)) => Message::new("rule.own.line").count("line", line).text("code", code),
        None => Message::new("rule.own.outside").text("planner", run.called()),
    })
}

/// The sentence of a note of a `family`, with its numbers as what they are.
pub fn filled(run: &Run, family: Family, note: Note, values: [u64; 3]) -> Message {
    let mut message = Message::new(family.of([note.key()]));
    for (&(slot, name), value) in note.slots().iter().zip(values) {
        message = match slot {
            Slot::Unused => message,
            Slot::Buffer => message.name(name, run.problem.buffers[BufferId(value as u32)].name.clone()),
            Slot::Node => message.name(name, node_name(run, value)),
            Slot::Memory => message.text(name, run.problem.memories[MemoryId(value as u32)].device.clone()),
            Slot::Order => message.text(name, SEARCH_ORDERS.get(value as usize).copied().unwrap_or_default()),
            Slot::Device => message.text(name, device_name(run, value)),
            Slot::Arena => message.inner(name, arena_name(run, PoolId(value as u32))),
            Slot::Pool | Slot::Count => message.count(name, value),
            Slot::Bytes => message.bytes(name, value),
            Slot::Way => message.text(name, run.way_name(value)),
            Slot::Text => message.text(name, run.plan.texts.get(value as usize).cloned().unwrap_or_default()),
        };
    }
    message
}

/// What one should know of a run before trusting its sizes: sizes without an upper bound for which
/// hints stand in.
pub fn cautions(run: &Run) -> Vec<Message> {
    let before = run.timeline.events.iter().take_while(|event| !matches!(event, Event::Begin { .. }));
    let caution = |event: &Event| match *event {
        Event::Note { note: note @ Note::Unbounded, subject, a, b } => {
            Some(filled(run, Family::NOTE, note, [subject.into(), a, b]))
        }
        _ => None,
    };
    before.filter_map(caution).collect()
}

/// An arena by name, by its number where others of the plan have the same name.
fn arena_name(run: &Run, id: PoolId) -> Message {
    let named = run.plan.pools.get(id).filter(|pool| !pool.name.is_empty());
    let alone = |pool: &&Pool| run.plan.pools.iter().filter(|other| other.name == pool.name).count() == 1;
    named.filter(alone).map_or_else(|| Message::new("pool.number").count("n", id.0), |pool| pool_words(&pool.name))
}

/// A node by name, by its step where no graph is at hand.
pub fn node_name(run: &Run, node: u64) -> String {
    let named = run.graph.as_ref().and_then(|graph| graph.nodes.get(NodeId(node as u32)));
    named.map_or_else(|| format!("#{node}"), |node| node.name.clone())
}

/// A device type by name, by its number where no graph is at hand.
pub fn device_name(run: &Run, device: u64) -> String {
    let index = device.checked_sub(1).map(|index| DeviceId(index as u32));
    let named = run.graph.as_ref().zip(index).and_then(|(graph, id)| graph.devices.get(id));
    named.cloned().unwrap_or_else(|| device.to_string())
}

fn start(run: &Run) -> Why {
    let waiting = run.timeline.decisions.len() as u64;
    let headline = match run.timeline.decisions.first() {
        Some(first) => Message::new("why.start")
            .count("n", waiting)
            .name("first", run.problem.buffers[first.buffer].name.clone())
            .bytes("size", run.problem.buffers[first.buffer].size),
        None if run.metrics.peak > 0 => Message::new("why.figure").bytes("peak", run.metrics.peak),
        None => Message::new("why.nothing-to-place"),
    };
    let is_stated = run.timeline.decisions.first().is_some_and(|first| first.outcome == Outcome::Stated);
    let by = if is_stated { table::stated_by(run) } else { &run.planner };
    let order = || match run.explanation.sentences {
        Sentences::Own if !is_stated => Message::new("rule.own.order").text("planner", run.called()),
        _ => Message::new(Family::RULE.of([by, "order"])),
    };
    let rule = (waiting > 0).then(order);
    Why { headline, rows: Vec::new(), notes: Vec::new(), rule, effect: None, source: None }
}

fn source(run: &Run, frame: &Frame, outcome: Outcome) -> Option<&'static str> {
    // Only a planner with several searches has recorded one, and all of its events may be looked
    // through for it.
    let has_ways = run.explanation.functions.iter().any(|(decides, _)| matches!(decides, Decides::SearchBy(_)));
    run.explanation.function(outcome, if has_ways { searched_by(run, frame) } else { None })
}

/// The way in which a planner that has several searches for places: the one that it turned to last.
fn searched_by(run: &Run, frame: &Frame) -> Option<&'static str> {
    let (_, (_, way, ..)) = run.noted(frame.events, &[Note::SearchBy]).next_back()?;
    Some(run.way_name(way.into()))
}

/// Name, size and life of a buffer, as every headline begins.
fn subject(run: &Run, key: impl Into<std::borrow::Cow<'static, str>>, buffer: BufferId) -> Message {
    let facts = &run.problem.buffers[buffer];
    Message::new(key).name("name", facts.name.clone()).bytes("size", facts.size).live(
        "live",
        facts.live.start,
        facts.live.end,
    )
}

fn looking(run: &Run, frame: &Frame, focus: BufferId) -> Message {
    if let (Some(&freed), true) = (frame.freed.last(), frame.candidates.is_empty()) {
        return Message::new("why.release")
            .name("freed", run.problem.buffers[freed].name.clone())
            .bytes("size", run.problem.buffers[freed].size)
            .name("name", run.problem.buffers[focus].name.clone())
            .count("step", run.problem.buffers[focus].live.start);
    }
    match frame.candidates.iter().rfind(|candidate| candidate.visited) {
        Some(candidate) => subject(run, "why.looking", focus)
            .count("number", candidate.number)
            .inner("verdict", verdict(run, frame, candidate)),
        None => subject(run, "why.turn", focus),
    }
}

fn headline(case: &Case) -> Message {
    let Case { run, frame, focus, .. } = *case;
    let place = frame.places[focus];
    let pool = place.map_or(PoolId(0), |place| place.pool);
    let offset = place.map_or(0, |place| place.offset);
    let mut message = subject(run, case.headline(), focus)
        .bytes("offset", offset)
        .bytes("from", frame.peak_before)
        .bytes("to", frame.peak)
        .bytes("storage", frame.pools.get(pool.0 as usize).map_or(0, |pool| pool.end))
        .bytes("storage-before", frame.pools.get(pool.0 as usize).map_or(0, |pool| pool.end_before))
        .name(
            "donor",
            donor(run, frame, focus).map_or_else(String::new, |donor| run.problem.buffers[donor].name.clone()),
        )
        .inner("pool", pool_name(run, frame, pool));
    if let Some((width, height)) = sides(frame, Note::Texture, None).filter(|_| case.asks_for_texture()) {
        message = message.count("width", width).count("height", height);
    }
    if let Some(chosen) = frame.chosen().filter(|chosen| chosen.room != u64::MAX) {
        let size = run.counted_size(wanted_size(run, frame));
        message = message.bytes("room", chosen.room).bytes("left", chosen.room.saturating_sub(size));
    }
    message
}

/// Whether nothing that is placed in a pool is live at the same time as a buffer.
fn is_alone(run: &Run, frame: &Frame, focus: BufferId, pool: PoolId) -> bool {
    let live = run.problem.buffers[focus].live;
    let is_beside = |(id, place): (BufferId, &Option<Place>)| {
        let other = &run.problem.buffers[id];
        id != focus && other.size > 0 && other.live.meets(live) && place.is_some_and(|place| place.pool == pool)
    };
    let all = Range { pool, from: 0, to: u64::MAX };
    !frame.places.enumerate().any(is_beside) && holder(run, (&frame.places, &frame.released), all, live).is_none()
}

/// Width and height of a texture from a note of this frame, of one storage or of any.
fn sides(frame: &Frame, wanted: Note, storage: Option<PoolId>) -> Option<(u64, u64)> {
    frame.notes.iter().find_map(|event| match *event {
        Event::Note { note, subject, a, b } if note == wanted && storage.is_none_or(|id| id.0 == subject) => {
            Some((a, b))
        }
        _ => None,
    })
}

/// Whose bytes the focus took over. Where both go on holding the same the plan counts the pair
/// among its overlaps, and only the planner's own words name the donor.
fn donor(run: &Run, frame: &Frame, focus: BufferId) -> Option<BufferId> {
    let emitted = frame.notes.iter().find_map(|event| match *event {
        Event::Note { note: Note::InPlaceIdentity | Note::InPlaceGranted, subject, .. } => Some(BufferId(subject)),
        Event::Note { note: Note::Reshape, a, .. } => Some(BufferId(a as u32)),
        _ => None,
    });
    run.plan.donor(focus).or(emitted)
}

/// `pool 1` when there are several, else just the arena.
fn pool_name(run: &Run, frame: &Frame, pool: PoolId) -> Message {
    match frame.pools.get(pool.0 as usize).map(|pool| pool.role) {
        Some(PoolRole::Storage) => Message::new("pool.storage").count("n", pool.0),
        // The first segment has a name, too: others come.
        _ if run.has_panel(StatePanel::CachedBlocks) => pool_words(&frame.pools[pool.0 as usize].name),
        _ if frame.pools.len() <= 1 => Message::new("pool.only"),
        _ => match own_name(frame, pool) {
            Some(name) => name,
            None => Message::new("pool.number").count("n", pool.0),
        },
    }
}

/// The name that a planner gave a pool, unless all its pools have the same one.
fn own_name(frame: &Frame, pool: PoolId) -> Option<Message> {
    let name = &frame.pools.get(pool.0 as usize)?.name;
    let is_own = frame.pools.iter().filter(|other| &other.name == name).count() == 1;
    let is_arena = frame.pools[pool.0 as usize].role == PoolRole::Arena;
    (is_arena && is_own && !name.is_empty()).then(|| pool_words(name))
}

fn effect(run: &Run, frame: &Frame, focus: BufferId) -> Message {
    let growth = frame.peak.saturating_sub(frame.peak_before);
    if growth == 0 {
        return match reused(run, frame, focus) {
            Some(earlier) => Message::new("effect.reuse")
                .bytes("peak", frame.peak)
                .name("earlier", run.problem.buffers[earlier].name.clone())
                .count("step", run.problem.buffers[earlier].live.end.saturating_sub(1)),
            None => Message::new("effect.none").bytes("peak", frame.peak),
        };
    }
    let size = run.problem.buffers[focus].size;
    let name = run.problem.buffers[focus].name.clone();
    // A plan shown in order of birth grows past room that fills later.
    let is_stated = frame.outcome == Some(Outcome::Stated);
    let grown = if growth > size && !is_stated {
        Message::new("effect.growth-padding")
            .bytes("growth", growth)
            .bytes("padding", growth - size)
            .bytes("size", size)
            .name("name", name)
    } else {
        Message::new("effect.growth").bytes("growth", growth).bytes("peak", frame.peak)
    };
    match frame.missed.filter(|_| !is_stated) {
        Some(missed) => {
            let live = run.problem.buffers[focus].live;
            let (from, to) = (missed.offset, missed.offset + size);
            let range = Range { pool: missed.pool, from, to };
            let held = holder(run, (&frame.places, &frame.released), range, live);
            let is_listed = |place: &Candidate| {
                let reaches = place.offset.saturating_add(place.room);
                place.verdict == Verdict::Fits && place.pool == missed.pool && place.offset <= from && to <= reaches
            };
            let key = match frame.layouts.is_empty() {
                // Where a program of the user's searches is its own affair.
                _ if run.explanation.sentences == Sentences::Own => "effect.missed-own",
                _ if held.is_some() => "effect.missed-held",
                true if frame.candidates.iter().any(is_listed) => "effect.missed-listed",
                true => "effect.missed",
                false => "effect.missed-tree",
            };
            Message::new(key)
                .inner("grown", grown)
                .span("span", missed.offset, missed.offset + size)
                .inner("pool", pool_name(run, frame, missed.pool))
                .live("live", live.start, live.end)
                .name("holder", held.map_or_else(String::new, |held| run.problem.buffers[held].name.clone()))
        }
        None => grown,
    }
}

/// The buffer that used the focus's bytes last before it.
pub fn reused(run: &Run, frame: &Frame, focus: BufferId) -> Option<BufferId> {
    let place = frame.places[focus]?;
    // Of a buffer that is overwritten, this is the last step, too.
    if let Some(donor) = run.plan.donor(focus).filter(|_| frame.outcome == Some(Outcome::InPlace)) {
        return Some(donor);
    }
    let wanted = &run.problem.buffers[focus];
    let (earlier, longest) = run.born_until(wanted.live.start);
    let mut last: Option<(u32, BufferId)> = None;
    for other in earlier {
        let buffer = &run.problem.buffers[other];
        if last.is_some_and(|(end, _)| buffer.live.start.saturating_add(longest) < end) {
            // Those before it end earlier still.
            break;
        }
        let lies_there = frame.places[other].is_some_and(|there| {
            let meets = there.offset < place.offset + wanted.size && place.offset < there.offset + buffer.size;
            there.pool == place.pool && meets
        });
        if other != focus && buffer.live.end <= wanted.live.start && lies_there {
            last = last.max(Some((buffer.live.end, other)));
        }
    }
    last.map(|(_, other)| other)
}

/// Whether the decision's buffer lies on bytes that nobody used before it.
pub fn is_fresh(run: &Run, decision: usize) -> bool {
    let decision = &run.timeline.decisions[decision];
    let emitted = &run.timeline.events[decision.begin as usize..decision.end as usize];
    let rejected = emitted.iter().any(|event| matches!(event, Event::Grow { .. }));
    rejected || matches!(decision.outcome, Outcome::NewPool | Outcome::Apart | Outcome::Stated)
}
