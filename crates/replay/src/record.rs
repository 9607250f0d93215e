//! A frame as plain values for files.

use super::{Candidate, Frame, Gap, Level, Run, why};
use memplan_core::base::Message;
use memplan_core::problem::BufferId;
use memplan_core::text::Speech;
use memplan_core::trace::{Outcome, TreeNode, Verdict};
use memplan_formats::export::{FrameRecord, FramesRecord, GapRecord, frame as records, frames, gap as gaps};

/// What is shown of frame `number` of a level, in the words of `speech`.
pub fn record(run: &Run, level: Level, number: u32, speech: Speech) -> FrameRecord {
    let frame = run.frame(run.timeline.events_at(level, number));
    let name = |id: BufferId| run.problem.buffers[id].name.clone();
    let explained = why(run, &frame);
    let focus = frame.focus.map(|id| focus(run, id));
    let pools = frame.pools.iter().map(|pool| records::PoolNow {
        id: pool.id.0,
        name: pool.name.clone(),
        device: pool.device.clone(),
        size: pool.end,
    });
    let placed = frame.places.enumerate().filter_map(|(id, place)| {
        place.map(|place| records::Placed { name: name(id), pool: place.pool.0, offset: place.offset })
    });
    let candidates = frame.candidates.iter().map(|candidate| looked(run, candidate));
    let sentence = |row: &super::WhyRow| format!("{}: {}", speech.say(&row.place), speech.say(&row.verdict));
    let words = records::Words {
        headline: speech.say(&explained.headline),
        candidates: explained.rows.iter().map(sentence).collect(),
        notes: explained.notes.iter().map(|note| speech.say(note)).collect(),
        rule: explained.rule.as_ref().map(|rule| speech.say(rule)),
        effect: explained.effect.as_ref().map(|effect| speech.say(effect)),
        source: explained.source,
    };
    FrameRecord {
        format: "memory-frame/1",
        graph: run.problem.name.clone(),
        planner: run.planner.clone(),
        planner_name: run.explanation.called,
        level: level.name(),
        frame: number,
        last: run.timeline.frames(level) - 1,
        focus,
        settled: frame.settled,
        outcome: frame.outcome.map(outcome_word),
        peak: frame.peak,
        peak_before: frame.peak_before,
        provisional: frame.provisional,
        pools: pools.collect(),
        buffers: placed.collect(),
        waiting: run.timeline.decisions.len() as u32 - frame.placed,
        freed: frame.freed.iter().map(|&id| name(id)).collect(),
        candidates: candidates.collect(),
        missed: frame.missed.map(|missed| records::Spot { pool: missed.pool.0, offset: missed.offset }),
        tree: nodes(run, &frame),
        why: words,
    }
}

/// Every frame of a level, each as what changed in it.
pub fn record_all(run: &Run, level: Level) -> FramesRecord {
    let last = run.timeline.frames(level).saturating_sub(1);
    let mut before = 0;
    let step = |number: u32| {
        let at = run.timeline.events_at(level, number);
        step(run, number, std::mem::replace(&mut before, at), at)
    };
    let (graph, planner, planner_name) = (run.problem.name.clone(), run.planner.clone(), run.explanation.called);
    FramesRecord { graph, planner, planner_name, level: level.name(), frames: (0..=last).map(step).collect() }
}

fn step(run: &Run, number: u32, before: u32, at: u32) -> frames::FrameChanges {
    let frame = run.frame(at);
    let explained = why(run, &frame);
    let name = |id: BufferId| run.problem.buffers[id].name.clone();
    let mut highlighted: Vec<BufferId> = frame.focus.into_iter().collect();
    highlighted.extend(frame.candidates.iter().flat_map(|candidate| candidate.blockers.iter().flat_map(|b| b.iter())));
    highlighted.extend(&frame.freed);
    let mut seen = std::collections::BTreeSet::new();
    highlighted.retain(|&id| seen.insert(id));
    let place = frame.focus.and_then(|id| Some((id, frame.places.get(id).copied().flatten()?)));
    let sentences = |messages: &[Message]| messages.iter().map(frames::MessageRecord::new).collect();
    frames::FrameChanges {
        frame: number,
        events: run.timeline.events.get(before as usize..at as usize).unwrap_or_default().to_vec(),
        focus: frame.focus.map(|id| focus(run, id)),
        settled: frame.settled,
        outcome: frame.outcome.map(outcome_word),
        placed: place.map(|(id, place)| records::Placed { name: name(id), pool: place.pool.0, offset: place.offset }),
        peak: frame.peak,
        peak_before: frame.peak_before,
        freed: frame.freed.iter().map(|&id| name(id)).collect(),
        candidates: frame.candidates.iter().map(|candidate| looked(run, candidate)).collect(),
        missed: frame.missed.map(|missed| records::Spot { pool: missed.pool.0, offset: missed.offset }),
        highlighted: highlighted.into_iter().map(name).collect(),
        why: frames::Reason {
            headline: frames::MessageRecord::new(&explained.headline),
            candidates: explained.rows.iter().map(|row| frames::MessageRecord::new(&row.verdict)).collect(),
            notes: sentences(&explained.notes),
            rule: explained.rule.as_ref().map(frames::MessageRecord::new),
            effect: explained.effect.as_ref().map(frames::MessageRecord::new),
            source: explained.source,
        },
    }
}

/// What raised the peak past the bound.
pub fn record_gap(run: &Run, gap: &Gap) -> GapRecord {
    let name = |id: BufferId| run.problem.buffers[id].name.clone();
    // Decisions are counted from 0, and frame 0 is the one before the first.
    let frame = |decision: usize| decision as u32 + 1;
    let decisions = gap.growths.iter().map(|growth| {
        let reason = growth.reason.as_ref();
        let buffer = &run.problem.buffers[growth.buffer];
        let blockers = reason.map_or(&[][..], |reason| &reason.blockers).iter().map(|blocker| gaps::BlockerRecord {
            name: name(blocker.buffer),
            frame: blocker.decision.map(frame),
            from: blocker.from,
            to: blocker.to,
        });
        gaps::GrowthRecord {
            frame: frame(growth.decision),
            buffer: buffer.name.clone(),
            size: buffer.size,
            start: buffer.live.start,
            end: buffer.live.end,
            pool: growth.pool.0,
            offset: growth.offset,
            adds: growth.adds,
            case: reason.map(|reason| reason.case.name()),
            hole: reason.and_then(|reason| reason.hole),
            free: reason.map(|reason| reason.free),
            free_pool: reason.filter(|reason| reason.hole.is_some() || reason.free > 0).map(|reason| reason.pool.0),
            pieces: reason.map(|reason| reason.pieces),
            blockers: blockers.collect(),
            more_blockers: reason.map_or(0, |reason| reason.others),
        }
    });
    GapRecord {
        format: gaps::FORMAT,
        graph: run.problem.name.clone(),
        planner: run.planner.clone(),
        peak: gap.peak,
        waste: run.metrics.waste,
        bound: gap.bound,
        placed_bound: gap.placed_bound,
        decisions: decisions.collect(),
    }
}

fn focus(run: &Run, id: BufferId) -> records::Focus {
    let buffer = &run.problem.buffers[id];
    records::Focus { name: buffer.name.clone(), size: buffer.size, start: buffer.live.start, end: buffer.live.end }
}

fn looked(run: &Run, candidate: &Candidate) -> records::CandidateRecord {
    let name = |id: BufferId| run.problem.buffers[id].name.clone();
    records::CandidateRecord {
        number: candidate.visited.then_some(candidate.number),
        pool: candidate.pool.0,
        offset: candidate.offset,
        room: (candidate.room != u64::MAX).then_some(candidate.room),
        verdict: verdict_word(candidate.verdict),
        blockers: candidate.blockers.iter().map(|blocker| blocker.iter().map(|&id| name(id)).collect()).collect(),
        chosen: candidate.chosen,
    }
}

fn nodes(run: &Run, frame: &Frame) -> Vec<records::NodeNow> {
    let mut nodes = Vec::new();
    for (pool, layout) in frame.layouts.iter().enumerate() {
        let mut parents = std::collections::HashMap::new();
        for region in &layout.regions {
            let (kind, buffer) = match &frame.state.tree.nodes[region.node] {
                TreeNode::Leaf { buffer } => ("allocation", Some(run.problem.buffers[*buffer].name.clone())),
                TreeNode::Empty { .. } => ("empty", None),
                TreeNode::Temporal { children } => {
                    parents.extend(children.iter().map(|child| (*child, region.node.0)));
                    ("temporal", None)
                }
                TreeNode::Spatial { left, right } => {
                    parents.extend([(*left, region.node.0), (*right, region.node.0)]);
                    ("spatial", None)
                }
            };
            let bytes = match &frame.state.tree.nodes[region.node] {
                TreeNode::Empty { bytes } => *bytes,
                _ => region.bytes,
            };
            let parent = parents.get(&region.node).copied();
            let (id, pool) = (region.node.0, pool as u32);
            nodes.push(records::NodeNow { id, parent, pool, kind, offset: region.offset, bytes, buffer });
        }
    }
    nodes
}

fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::NewPool => "new_pool",
        Outcome::Exact => "exact",
        Outcome::Split => "split",
        Outcome::Grow => "grow",
        Outcome::AtEnd => "at_end",
        Outcome::Apart => "apart",
        Outcome::Stated => "stated",
        Outcome::Nothing => "nothing",
        Outcome::NewStorage => "new_storage",
        Outcome::Reuse => "reuse",
        Outcome::Enlarge => "enlarge",
        Outcome::InPlace => "in_place",
        Outcome::Gap => "gap",
        Outcome::Overlap => "overlap",
    }
}

fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Chosen => "chosen",
        Verdict::Fits => "fits",
        Verdict::TooSmall => "too_small",
        Verdict::ManyOverlaps => "many_overlaps",
        Verdict::ChildRefused => "live_buffer",
        Verdict::InChild | Verdict::InTree | Verdict::Left | Verdict::Right => "inside",
        Verdict::Exact => "exact",
        Verdict::Split => "split",
        Verdict::Grow => "grow",
        Verdict::Refused | Verdict::Full => "refused",
        Verdict::AtEnd => "at_end",
        Verdict::OutsideRestrictedRange => "outside_restricted_range",
        Verdict::SizeNotKnown => "size_not_known",
        Verdict::BelowClass => "below_class",
        Verdict::BelowRange => "below_range",
        Verdict::AboveRange => "above_range",
        Verdict::OtherDevice => "other_device",
        Verdict::OtherKey => "other_key",
        Verdict::OtherColor => "other_color",
        Verdict::Overlaps => "overlaps",
        Verdict::Marked => "marked",
        Verdict::Parallel => "parallel",
        Verdict::RaisesPeak => "raises_peak",
        Verdict::Farther => "farther",
    }
}
