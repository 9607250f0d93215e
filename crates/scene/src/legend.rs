//! What the colours mean, with the number and the bytes of the buffers of each.

use std::collections::{BTreeMap, HashSet};

use super::callouts::blockers;
use super::drawing::{Drawing, Picture};
use super::geometry::Size;
use super::index::Index;
use super::ink::Class;
use super::style::{ColorBy, Style};
use super::view::View;
use super::{axes, bands, frame_marks, lane, reuse, tree_marks};
use memplan_core::base::{Family, Message};
use memplan_core::plan::PoolId;
use memplan_core::problem::BufferId;
use memplan_replay::{Frame, Run};

/// One line of the legend.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LegendEntry {
    /// The class that the entry explains.
    pub class: Class,
    /// What the class means.
    pub words: String,
    /// The buffers of the class, in order of ids.
    pub buffers: Vec<BufferId>,
    /// Sum of their sizes.
    pub bytes: u64,
}

/// The classes that the buffers of a run have under the reader's way of colouring.
pub fn legend(run: &Run, index: &Index, frame: &Frame, style: &Style) -> Vec<LegendEntry> {
    let size = (1.0, 1.0);
    let view = View::fit(index, size, style);
    let drawing = Drawing::new(Picture::new(run, index, frame, &view, size, style));
    let mut classes: BTreeMap<Class, Vec<BufferId>> = BTreeMap::new();
    // What a plan leaves out, such as inputs of the caller, has no box.
    let left_out: HashSet<BufferId> = run.plan.unplanned.iter().map(|&(id, _)| id).collect();
    let has_boxes = left_out.len() < run.problem.buffers.len();
    for id in run.problem.buffers.ids().filter(|id| !has_boxes || !left_out.contains(id)) {
        classes.entry(drawing.class(id)).or_default().push(id);
    }
    let entry = |(class, buffers): (Class, Vec<BufferId>)| LegendEntry {
        class,
        words: words(&drawing, class, &buffers),
        bytes: buffers.iter().map(|&id| run.problem.buffers[id].size).sum(),
        buffers,
    };
    classes.into_iter().map(entry).collect()
}

/// Lowest ground that is seen as one, in px.
const LOWEST: f64 = 4.0;

/// Lowest padding that is seen as such, in px.
const PADDED: f64 = 1.5;

/// Signs that some frames have and others have not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Signs {
    /// An outlined node of a tree that cuts bytes, with its letter.
    pub spatial: bool,
    /// An outlined node of a tree that cuts time, with its letter.
    pub temporal: bool,
    /// Padding high enough to be seen: far out, and on a phone, not even the most may be.
    pub padding: bool,
    /// The arrow from the buffer whose bytes are used again.
    pub reuse: bool,
    /// The dotted line of the peak that the finished plan has.
    pub final_peak: bool,
    /// The outline of the place that is taken in this frame.
    pub taken: bool,
    /// The frame of the first buffer that waits.
    pub next: bool,
    /// The ground of addresses that no buffer has used so far.
    pub unused: bool,
    /// The outlines of the buffers that were in the way.
    pub in_the_way: bool,
}

/// The signs on a frame.
pub fn signs(run: &Run, index: &Index, frame: &Frame, size: Size, style: &Style) -> Signs {
    let view = View::fit(index, size, style);
    let drawing = Drawing::new(Picture::new(run, index, frame, &view, size, style));
    let has_tree = style.show_tree && !style.narrow;
    let path = if has_tree { tree_marks::path(&drawing) } else { Vec::new() };
    let has = |spatial: bool| path.iter().any(|outline| outline.strong && outline.spatial == spatial);
    let final_peak = bands::level_lines(&drawing).iter().any(|(_, ink)| bands::is_final(ink));
    let next = drawing.projection.lane.is_some_and(|area| !lane::waiting(&drawing, area).is_empty());
    let is_seen = |id: BufferId| drawing.rect(id).and_then(|rect| drawing.projection.cut(rect)).is_some();
    Signs {
        spatial: has(true),
        temporal: has(false),
        padding: run.padding() as f64 * drawing.projection.per_byte() >= PADDED,
        reuse: reuse::is_drawn(&drawing),
        final_peak,
        taken: frame.focus.is_some_and(|id| is_seen(id) && frame_marks::is_outlined(&drawing, id)),
        next,
        unused: axes::unused(&drawing).iter().any(|rest| rest.h >= LOWEST),
        in_the_way: blockers(&drawing).into_iter().any(is_seen),
    }
}

fn words(drawing: &Drawing, class: Class, buffers: &[BufferId]) -> String {
    let number = match class {
        Class::Category(number) | Class::Step(number) => number,
    };
    let first = buffers.first().map(|&id| &drawing.run.problem.buffers[id]);
    let message = match drawing.style.color_by {
        ColorBy::Kind if drawing.run.classes().is_some() => {
            return buffers.first().map_or_else(String::new, |&id| {
                drawing.style.speech.word(&Family::KIND.of([drawing.run.kind_name(id)]))
            });
        }
        ColorBy::Kind => Message::new(match number {
            1 => "legend.kind.input",
            2 => "legend.kind.output",
            3 => "legend.kind.weight",
            _ => "legend.kind.intermediate",
        }),
        ColorBy::Op => match drawing.index.op_of_class(number) {
            Some(op) => return op.to_string(),
            None => Message::new("legend.other-ops"),
        },
        ColorBy::Pool => drawing.run.plan.pool_title(PoolId(number.into())),
        ColorBy::Device => {
            let device = first.map(|buffer| drawing.run.problem.memories[buffer.memory].device.clone());
            return device.unwrap_or_default();
        }
        ColorBy::Size => match limit(number, drawing.index.largest()) {
            (above, 0) => Message::new("legend.up-to-bytes").bytes("bytes", above),
            (_, over) => Message::new("legend.over-bytes").bytes("bytes", over),
        },
        ColorBy::Lifetime => match limit(number, drawing.index.longest() as u64) {
            (above, 0) => Message::new("legend.up-to-steps").count("n", above),
            (_, over) => Message::new("legend.over-steps").count("n", over),
        },
        ColorBy::ReuseDepth if number + 1 == Class::STEPS => Message::new("legend.reused-often").count("n", number),
        ColorBy::ReuseDepth => Message::new("legend.reused").count("n", number),
        ColorBy::InPeak => Message::new(if number == 5 { "legend.in-peak" } else { "legend.not-in-peak" }),
    };
    drawing.say(&message)
}

/// Largest value of a step, and the value that all of it are over; 0 for the lowest step.
fn limit(step: u8, largest: u64) -> (u64, u64) {
    let below = (Class::STEPS - 1 - step) as u32;
    (largest >> below, if step == 0 { 0 } else { largest >> (below + 1) })
}
