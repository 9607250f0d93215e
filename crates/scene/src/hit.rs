//! What lies under a point.

use super::callouts::{self, callouts};
use super::drawing::{Drawing, Picture};
use super::geometry::{Point, Rect};
use super::lane;
use super::projection::Band;
use super::tree_marks;
use memplan_core::base::{Id, IdVec};
use memplan_core::plan::PoolId;
use memplan_core::problem::BufferId;
use memplan_core::trace::{TreeNode, TreeNodeId};

/// Something that can be pointed at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// A placed or waiting buffer.
    Buffer(BufferId),
    /// Number of a candidate of the frame.
    Candidate(u32),
    /// A node of the allocation tree of a pool.
    Node(PoolId, TreeNodeId),
    /// The header of a pool that is folded.
    Folded(PoolId),
    /// An execution step, on the panel or under it.
    Step(u32),
    /// The axis of steps.
    AxisX,
    /// The axis of addresses.
    AxisY,
    /// Nothing else of the panel.
    Background,
}

/// How far beside a thin buffer a pointer still finds it.
const REACH: f64 = 3.0;

/// Everything under a point, topmost first.
pub fn hit(picture: Picture, point: Point) -> Vec<Target> {
    let Picture { index, style, .. } = picture;
    let drawing = Drawing::new(picture);
    let projection = &drawing.projection;
    let step = projection.step_at(point.0, index);
    let mut found = Vec::new();
    if projection.lane.is_some_and(|lane| lane.contains(point)) {
        lane(&drawing, point, &mut found);
        found.extend(step.map(Target::Step));
        found.push(Target::Background);
        return found;
    }
    if point.1 >= projection.plot.bottom() {
        found.extend(step.filter(|_| projection.plot.x <= point.0).map(Target::Step));
        found.push(Target::AxisX);
        return found;
    }
    if point.0 < projection.plot.x {
        return vec![Target::AxisY];
    }
    for callout in callouts(&drawing) {
        let on_badge = callout.badge_box().inset(-2.0).contains(point);
        let on_chip = callout.chip.is_some_and(|(rect, _)| rect.contains(point));
        if on_badge || on_chip {
            found.push(Target::Candidate(callout.number));
        }
    }
    let is_pointed_at = |band: &&Band| band.is_folded && band.head.is_some_and(|head| head.contains(point));
    found.extend(projection.bands.iter().find(is_pointed_at).map(|band| Target::Folded(band.pool)));
    if let Some(step) = step.filter(|_| projection.plot.contains(point)) {
        buffers(&drawing, point, &mut found);
        if style.show_tree {
            nodes(&drawing, step, point.1, &mut found);
        }
        found.push(Target::Step(step));
    }
    found.push(Target::Background);
    found
}

/// The visible box of something on the stage, for tooltips beside it.
pub fn bounds(picture: Picture, target: Target) -> Option<Rect> {
    let Picture { size, .. } = picture;
    let drawing = Drawing::new(picture);
    let plot = drawing.projection.plot;
    let rect = match target {
        Target::Buffer(id) => drawing.rect(id),
        Target::Candidate(number) => callouts::place_of(&drawing, number),
        Target::Node(_, node) => tree_marks::node_rect(&drawing, node),
        Target::Step(step) => {
            let x = |step: u32| drawing.projection.step_to_x(step as f64);
            Some(Rect::between((x(step), plot.y), (x(step + 1), plot.bottom())))
        }
        Target::Folded(pool) => drawing.projection.band(pool).and_then(|band| band.head),
        Target::AxisX => Some(drawing.projection.axis_x),
        Target::AxisY => Some(drawing.projection.axis_y),
        Target::Background => Some(plot),
    };
    rect?.inset(-1.0).cut(&Rect::new(0.0, 0.0, size.0, size.1))
}

fn lane(drawing: &Drawing, point: Point, found: &mut Vec<Target>) {
    let Some(lane) = drawing.projection.lane else { return };
    for (id, bar) in lane::waiting(drawing, lane) {
        if bar.inset(-1.0).contains(point) {
            found.push(Target::Buffer(id));
        }
    }
}

/// Buffers at the point, the smaller and then the later born on top; else the nearest one too thin
/// to be hit.
fn buffers(drawing: &Drawing, point: Point, found: &mut Vec<Target>) {
    let near = Rect::new(point.0 - REACH, point.1 - REACH, 2.0 * REACH, 2.0 * REACH);
    let steps = drawing.index.steps();
    let step = |x: f64| drawing.projection.x_to_step(x).clamp(0.0, steps as f64) as u32;
    let (from, to) = (step(near.x), step(near.right()).saturating_add(1));
    let mut on: Vec<(f64, BufferId)> = Vec::new();
    let mut thin: Option<(f64, BufferId)> = None;
    drawing.index.alive(&drawing.run.problem, from, to, |id| {
        let Some(rect) = drawing.rect(id).filter(|_| !drawing.is_unseen(id)) else { return };
        if rect.contains(point) {
            on.push((rect.area(), id));
        } else if (rect.w < 2.0 * REACH || rect.h < 2.0 * REACH) && rect.inset(-REACH).contains(point) {
            let centre = rect.centre();
            let distance = (centre.0 - point.0).abs().min(rect.w) + (centre.1 - point.1).abs().min(rect.h);
            if thin.is_none_or(|(nearest, _)| distance < nearest) {
                thin = Some((distance, id));
            }
        }
    });
    on.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    found.extend(on.iter().rev().map(|&(_, id)| Target::Buffer(id)));
    if on.is_empty() {
        found.extend(thin.map(|(_, id)| Target::Buffer(id)));
    }
}

/// Tree nodes with something alive at the step over these bytes, the deepest first.
fn nodes(drawing: &Drawing, step: u32, y: f64, found: &mut Vec<Target>) {
    let Some((pool, address)) = drawing.projection.y_to_address(y) else { return };
    let Some(layout) = drawing.frame.layouts.get(pool.index()) else { return };
    let tree = &drawing.frame.state.tree;
    let mut alive: IdVec<TreeNodeId, bool> = IdVec::from_elem(false, tree.nodes.len());
    // Children come after their parents, so in reverse order all nodes below one are done before
    // it.
    for region in layout.regions.iter().rev() {
        alive[region.node] = match &tree.nodes[region.node] {
            TreeNode::Leaf { buffer } => drawing.run.problem.buffers[*buffer].live.contains(step),
            TreeNode::Empty { .. } => false,
            TreeNode::Temporal { children } => children.iter().any(|&child| alive[child]),
            TreeNode::Spatial { left, right } => alive[*left] || alive[*right],
        };
        let here = region.offset <= address && address < region.offset + region.bytes;
        if here && alive[region.node] {
            found.push(Target::Node(pool, region.node));
        }
    }
}
