//! The distance to the bound in words: one paragraph, and one sentence for each decision.

use super::{Blocker, Case, Gap, Growth, Reason};
use crate::why::{verdict, why};
use crate::{Level, Run};
use memplan_core::base::{Arg, Message};
use memplan_core::plan::{PoolId, PoolRole};
use memplan_core::problem::BufferId;
use memplan_core::trace::Outcome;

/// Most names, and most frames, listed in a sentence.
const MOST_NAMES: usize = 6;
/// Most buffers in the way that a sentence names.
const MOST_BLOCKERS: usize = 3;
/// Most groups of neighbouring decisions; beyond, equal ones are reported together wherever they
/// stand.
const MOST_GROUPS: usize = 5;

/// Decisions with the same reason.
type Group<'a> = Vec<&'a Growth>;

/// Returns the paragraph, sentence by sentence: how many decisions caused the distance, and the
/// reason of each. Neighbouring decisions with the same reason share a sentence. `level`: how the
/// frames are counted that the sentences name.
pub fn gap_sentences(run: &Run, gap: &Gap, level: Level) -> Vec<Message> {
    // Neither the bound nor the peak is known of a file that may be misread.
    if let Some(why) = &run.plan.misreading {
        return vec![why.clone()];
    }
    let all = gap.growths.len() as u64;
    if let Some(held) = run.metrics.held.filter(|_| gap.above() > 0) {
        let sum = run.metrics.peak;
        return vec![Message::new("gap.held").bytes("held", held).bytes("above", gap.above()).bytes("sum", sum)];
    }
    if all == 0 {
        return vec![Message::new("gap.none").bytes("peak", gap.peak).bytes("bound", gap.bound)];
    }
    // What a recording found there was placed by no decision of this run.
    let is_recorded = |growth: &Growth| growth.reason.as_ref().is_some_and(|reason| reason.case == Case::Recorded);
    if gap.growths.iter().all(is_recorded) {
        return [Message::new("gap.recorded-all").count("n", all)].into_iter().chain(left_out(gap)).collect();
    }
    // What buffers that are left out take is no decision's.
    let key = match (all, gap.bound > gap.placed_bound) {
        (1, false) => "gap.one",
        (1, true) => "gap.one-part",
        (_, false) => "gap.many",
        (_, true) => "gap.many-part",
    };
    let mut sentences = vec![Message::new(key).count("n", all).bytes("adds", gap.above())];
    for group in groups(run, &gap.growths) {
        match *group {
            [only] => {
                sentences.push(placed(run, only, level));
                sentences.push(reason(run, only, level));
                sentences.extend(rule(run, only));
            }
            _ => sentences.extend(together(run, &group, level)),
        }
    }
    let silent: Vec<&Growth> = gap.growths.iter().filter(|growth| growth.reason.is_none()).collect();
    if !silent.is_empty() {
        let bytes = silent.iter().map(|growth| growth.adds).sum();
        sentences.push(Message::new("gap.not-looked").count("n", silent.len() as u64).bytes("bytes", bytes));
    }
    sentences.extend(left_out(gap));
    sentences
}

/// Returns the sentence for what lies between the two bounds of a plan that leaves buffers out: no
/// decision causes it, and without it the growths do not sum to the waste.
pub fn left_out(gap: &Gap) -> Option<Message> {
    let bytes = gap.bound - gap.placed_bound;
    (bytes > 0).then(|| Message::new("gap.left-out").bytes("bytes", bytes).bytes("bound", gap.bound))
}

/// Decisions with a known reason, equal ones together.
fn groups<'a>(run: &Run, growths: &'a [Growth]) -> Vec<Group<'a>> {
    let key = |growth: &Growth| {
        let reason = growth.reason.as_ref()?;
        let fixed = run.problem.buffers[growth.buffer].fixed.is_some();
        let align = (reason.case == Case::Rounding).then(|| (align_of(run, growth), reason.skipped > 0));
        let kinds = (reason.parallel, reason.overlaps, reason.held.is_some(), fixed);
        Some((reason.case, reason.storage, growth.outcome, kinds, align))
    };
    let known: Vec<&Growth> = growths.iter().filter(|growth| growth.reason.is_some()).collect();
    let rows: Vec<Group> = known.chunk_by(|a, b| key(a) == key(b)).map(<[_]>::to_vec).collect();
    if rows.len() <= MOST_GROUPS {
        return rows;
    }
    let mut merged: Vec<Group> = Vec::new();
    for row in rows {
        match merged.iter_mut().find(|group| key(group[0]) == key(row[0])) {
            Some(group) => group.extend(row),
            None => merged.push(row),
        }
    }
    merged
}

fn frame_of(run: &Run, decision: usize, level: Level) -> u32 {
    run.timeline.frame_at(level, run.timeline.decisions[decision].end)
}

/// The alignment that decides on the place of a buffer: its own where each keeps to its own.
fn align_of(run: &Run, growth: &Growth) -> u64 {
    let own = run.problem.buffers[growth.buffer].align;
    if run.granule() < run.align && own > 1 { own } else { run.align }
}

fn name(run: &Run, growth: &Growth) -> String {
    run.problem.buffers[growth.buffer].name.clone()
}

fn pool(run: &Run, id: PoolId) -> Message {
    match run.plan.pools.get(id) {
        Some(pool) if pool.role == PoolRole::Storage => Message::new("pool.storage").count("n", id.0),
        _ if run.plan.pools.len() <= 1 => Message::new("pool.only"),
        _ => run.plan.pool_title(id),
    }
}

/// Where one decision put its buffer.
fn placed(run: &Run, growth: &Growth, level: Level) -> Message {
    let buffer = &run.problem.buffers[growth.buffer];
    let is_storage = growth.reason.as_ref().is_some_and(|reason| reason.storage);
    let key = match &growth.reason {
        Some(reason) if reason.case == Case::Pushed => "gap.pushed-to",
        _ if is_storage => "gap.placed-in",
        _ => "gap.placed",
    };
    Message::new(key)
        .with("frame", Arg::Frames(vec![frame_of(run, growth.decision, level)]))
        .name("name", name(run, growth))
        .bytes("size", buffer.size)
        .live("live", buffer.live.start, buffer.live.end)
        .span("span", growth.offset, growth.offset + buffer.size)
        .inner("pool", pool(run, growth.pool))
}

/// Returns why one decision took no lower place; nothing is known of it if the work allowed did not
/// reach so far.
pub fn reason(run: &Run, growth: &Growth, level: Level) -> Message {
    let Some(reason) = &growth.reason else { return Message::new("gap.reason-not-looked") };
    let size = run.problem.buffers[growth.buffer].size;
    let (from, to) = reason.hole.unwrap_or_default();
    let message = |key: &'static str| {
        Message::new(key)
            .bytes("free", reason.free)
            .bytes("size", size)
            .bytes("hole", to - from)
            .span("span", from, to)
            .count("n", reason.pieces)
            .bytes("first", reason.largest.0)
            .bytes("second", reason.largest.1)
            .inner("pool", pool(run, reason.pool))
    };
    let message = match (reason.case, reason.storage) {
        (Case::Missed, _) if growth.outcome == Outcome::Stated => message("gap.missed-stated"),
        (Case::Missed, _) if let Some(held) = reason.held => {
            message("gap.missed-held").name("holder", run.problem.buffers[held].name.clone())
        }
        (Case::Missed, _) if reason.parallel => message("gap.missed-parallel"),
        (Case::Missed, true) => match refusal(run, growth, reason) {
            Some(refusal) => message("gap.missed-storage-for").inner("refusal", refusal),
            None => message("gap.missed-storage"),
        },
        (Case::Missed, false) => message("gap.missed"),
        (Case::Cut, true) => message("gap.cut-storages"),
        (Case::Cut, false) => {
            let is_one = reason.pieces == 1;
            let cut = between(run, reason, level, message(if is_one { "gap.cut-below" } else { "gap.cut-between" }));
            // More is needed than was free, so the reader may wonder.
            let enough = Message::new(if is_one { "gap.cut-enough-one" } else { "gap.cut-enough" });
            if reason.free < size { enough.inner("cut", cut) } else { cut }
        }
        (Case::Pool, _) => message("gap.pool").inner("own", pool(run, growth.pool)),
        (Case::Rounding, _) if reason.skipped > 0 => {
            message("gap.aligned").bytes("skipped", reason.skipped).count("align", align_of(run, growth))
        }
        (Case::Rounding, _) => message("gap.rounding").count("align", align_of(run, growth)),
        (Case::Pushed, _) if reason.blockers.is_empty() => message("gap.pushed-silent"),
        (Case::Pushed, _) => message("gap.pushed").with("names", blockers(run, reason)),
        (Case::Recorded, _) => message("gap.recorded"),
        (Case::Full, _) if reason.blockers.is_empty() => message("gap.full-alone").inner("own", pool(run, growth.pool)),
        (Case::Full, true) if reason.free == 0 => message("gap.full-storages").with("names", blockers(run, reason)),
        (Case::Full, false) if reason.free == 0 => message("gap.full").with("names", blockers(run, reason)),
        (Case::Full, _) => message("gap.full-rest").with("names", blockers(run, reason)),
    };
    let has_figures = reason.free > 0 && matches!(reason.case, Case::Cut | Case::Full);
    if reason.rounded && has_figures {
        return Message::new("gap.rounded").inner("reason", message).count("align", run.align);
    }
    let beside = beside(run, growth);
    match beside.len() {
        0 => message,
        count => Message::new("gap.beside")
            .inner("reason", message)
            .with("beside", names(run, &beside, MOST_BLOCKERS, count.saturating_sub(MOST_BLOCKERS)))
            .count("count", count as u64),
    }
}

/// The words of the planner for the storage that was free and not taken, if they were kept.
fn refusal(run: &Run, growth: &Growth, reason: &Reason) -> Option<Message> {
    let frame = run.frame(run.timeline.decisions[growth.decision].end);
    let candidate = frame.candidates.iter().find(|candidate| candidate.storage && candidate.pool == reason.pool)?;
    Some(verdict(run, &frame, candidate))
}

/// What was in the way of a buffer although it lives at other steps: it stands in a region of a
/// kernel that counts as running at the same time.
fn beside(run: &Run, growth: &Growth) -> Vec<Blocker> {
    let live = |id: BufferId| run.problem.buffers[id].live;
    let is_beside = |blocker: &&Blocker| {
        !live(blocker.buffer).meets(live(growth.buffer)) && run.are_beside(blocker.buffer, growth.buffer)
    };
    let blockers = growth.reason.iter().flat_map(|reason| &reason.blockers);
    blockers.filter(is_beside).copied().collect()
}

/// What keeps the two largest pieces apart, and since when.
fn between(run: &Run, reason: &Reason, level: Level, message: Message) -> Message {
    let shown = reason.blockers.iter().take(MOST_NAMES);
    let frames = shown.filter_map(|blocker| Some(frame_of(run, blocker.decision?, level)));
    let hidden = reason.blockers.len().saturating_sub(MOST_NAMES) + reason.others as usize;
    message
        .with("names", names(run, &reason.blockers, MOST_NAMES, hidden))
        .count("count", reason.blockers.len() as u64)
        .with("frames", Arg::Frames(frames.collect()))
}

fn blockers(run: &Run, reason: &Reason) -> Arg {
    let hidden = reason.blockers.len().saturating_sub(MOST_BLOCKERS) + reason.others as usize;
    names(run, &reason.blockers, MOST_BLOCKERS, hidden)
}

fn names(run: &Run, blockers: &[Blocker], most: usize, hidden: usize) -> Arg {
    let shown = blockers.iter().take(most).map(|blocker| run.problem.buffers[blocker.buffer].name.clone());
    Arg::Names(shown.chain((hidden > 0).then(|| "…".to_string())).collect())
}

/// The planner's rule, where it alone decided against a free place.
fn rule(run: &Run, growth: &Growth) -> Option<Message> {
    let reason = growth.reason.as_ref()?;
    let decides = reason.case == Case::Missed && growth.outcome != Outcome::Stated && reason.held.is_none();
    let rule = decides.then(|| why(run, &run.frame(run.timeline.decisions[growth.decision].end)).rule)??;
    Some(Message::new("gap.rule").inner("rule", rule))
}

/// Several decisions with the same reason.
fn together(run: &Run, group: &[&Growth], level: Level) -> Vec<Message> {
    let Some((first, reason)) = group.first().and_then(|first| Some((*first, first.reason.as_ref()?))) else {
        return Vec::new();
    };
    let shown = &group[..group.len().min(MOST_NAMES)];
    let hidden = group.len() > MOST_NAMES;
    let mut frames: Vec<u32> = shown.iter().map(|growth| frame_of(run, growth.decision, level)).collect();
    frames.dedup();
    let names = shown.iter().map(|growth| name(run, growth)).collect();
    let placed = Message::new(match (reason.case, hidden) {
        (Case::Pushed, true) => "gap.pushed-many",
        (Case::Pushed, false) => "gap.pushed-several",
        (_, true) => "gap.placed-many",
        (_, false) => "gap.placed-several",
    });
    let placed = placed
        .count("n", group.len() as u64)
        .count("count", frames.len() as u64)
        .with("frames", Arg::Frames(frames))
        .with("names", Arg::Names(names))
        .bytes("adds", group.iter().map(|growth| growth.adds).sum());
    let key = match (reason.case, reason.storage) {
        (Case::Missed, _) if first.outcome == Outcome::Stated => "gap.each.missed-stated",
        (Case::Missed, _) if reason.held.is_some() => "gap.each.missed-held",
        (Case::Missed, _) if reason.parallel => "gap.each.missed-parallel",
        (Case::Missed, true) => "gap.each.missed-storage",
        (Case::Missed, false) => "gap.each.missed",
        (Case::Cut, true) => "gap.each.cut-storages",
        (Case::Cut, false) => "gap.each.cut",
        (Case::Pool, _) => "gap.each.pool",
        (Case::Rounding, _) if reason.skipped > 0 => "gap.each.aligned",
        (Case::Rounding, _) => "gap.each.rounding",
        (Case::Pushed, _) => "gap.each.pushed",
        (Case::Recorded, _) => "gap.each.recorded",
        (Case::Full, true) => "gap.each.full-storages",
        (Case::Full, false) => "gap.each.full",
    };
    let holes = group.iter().filter_map(|growth| growth.reason.as_ref()?.hole);
    let smallest = holes.map(|(from, to)| to - from).min().unwrap_or(0);
    let each = Message::new(key).bytes("hole", smallest).count("align", align_of(run, first));
    let is_beside = group.iter().any(|growth| !beside(run, growth).is_empty());
    let beside = is_beside.then(|| Message::new("gap.each.beside"));
    [placed, each].into_iter().chain(beside).chain(rule(run, first)).collect()
}
