//! Outlines of tree nodes: nested frames are the tree.

use super::callouts::MOST;
use super::drawing::Drawing;
use super::geometry::Rect;
use super::ink::{Color, Dash, Ink};
use super::mark::{Anchor, Layer, Shape, Text};
use memplan_core::base::{Id, IdVec};
use memplan_core::plan::PoolId;
use memplan_core::problem::Live;
use memplan_core::trace::{Region, Tree, TreeNode, TreeNodeId};

/// Nodes of the path drawn in full strength, from the innermost.
const STRONG: usize = 4;
/// Opacity of the others.
const WEAK: f64 = 0.38;
/// Most ancestors looked at: a tree may be thousands deep.
const DEEPEST: usize = 40;
/// Most buffers whose live ranges are merged one by one.
const MERGED: usize = 1000;

/// A node with where and when it lies.
#[derive(Clone, PartialEq, Debug)]
pub struct Outline {
    /// The pool of its tree.
    pub pool: PoolId,
    /// The node.
    pub node: TreeNodeId,
    /// First byte, from the base of the pool.
    pub offset: u64,
    /// Bytes that it takes up.
    pub bytes: u64,
    /// Steps at which something below the node is alive, merged, in order.
    pub lives: Vec<Live>,
    /// A spatial node; otherwise a temporal one.
    pub spatial: bool,
    /// Drawn in full strength, with its letter.
    pub strong: bool,
}

impl Outline {
    fn hull(&self) -> Live {
        Live::new(self.lives[0].start, self.lives[self.lives.len() - 1].end)
    }
}

/// Nodes on the path of this frame, outer ones first.
pub fn path(drawing: &Drawing) -> Vec<Outline> {
    let frame = drawing.frame;
    let pools = 0..frame.layouts.len();
    pools.flat_map(|pool| path_in(drawing, pool)).collect()
}

fn path_in(drawing: &Drawing, pool: usize) -> Vec<Outline> {
    let frame = drawing.frame;
    let (tree, regions) = (&frame.state.tree, &frame.layouts[pool].regions);
    let mut wanted: IdVec<TreeNodeId, bool> = IdVec::from_elem(false, tree.nodes.len());
    // Places looked at, nodes asked on the way (a search may ask thousands), and what encloses the
    // new buffer.
    let listed = frame.candidates.iter().take(MOST).filter_map(|candidate| candidate.node);
    listed.chain(frame.visited.iter().take(DEEPEST).copied()).for_each(|node| wanted[node] = true);
    let is_focus = |region: &&Region| match tree.nodes[region.node] {
        TreeNode::Leaf { buffer } => frame.settled && frame.focus == Some(buffer),
        _ => false,
    };
    if let Some(leaf) = regions.iter().find(is_focus) {
        let parents = parents(tree, regions);
        let ancestors = std::iter::successors(parents[leaf.node], |&node| parents[node]);
        ancestors.take(DEEPEST).for_each(|node| wanted[node] = true);
    }
    let in_tree = frame.candidates.iter().any(|candidate| candidate.chosen && candidate.node.is_some());
    let mut outlines: Vec<Outline> = Vec::new();
    for region in regions.iter().filter(|region| region.bytes > 0 && wanted[region.node]) {
        let Some(outline) = outline(drawing, PoolId(pool as u32), region) else { continue };
        let same = |other: &Outline| {
            (other.offset, other.bytes, &other.lives) == (outline.offset, outline.bytes, &outline.lives)
        };
        if !outlines.last().is_some_and(same) {
            outlines.push(outline);
        }
    }
    let count = outlines.len();
    for (place, outline) in outlines.iter_mut().enumerate() {
        let numbered = frame.candidates.iter().any(|candidate| candidate.node == Some(outline.node));
        outline.strong = if in_tree { place + STRONG >= count } else { numbered };
    }
    outlines
}

/// The parent of every node of a pool.
fn parents(tree: &Tree, regions: &[Region]) -> IdVec<TreeNodeId, Option<TreeNodeId>> {
    let mut parents = IdVec::from_elem(None, tree.nodes.len());
    for region in regions {
        match &tree.nodes[region.node] {
            TreeNode::Temporal { children } => children.iter().for_each(|&child| parents[child] = Some(region.node)),
            TreeNode::Spatial { left, right } => {
                parents[*left] = Some(region.node);
                parents[*right] = Some(region.node);
            }
            TreeNode::Leaf { .. } | TreeNode::Empty { .. } => {}
        }
    }
    parents
}

/// The outline of a temporal or spatial node with anything alive in it.
fn outline(drawing: &Drawing, pool: PoolId, region: &Region) -> Option<Outline> {
    let spatial = match drawing.frame.state.tree.nodes[region.node] {
        TreeNode::Temporal { .. } => false,
        TreeNode::Spatial { .. } => true,
        TreeNode::Leaf { .. } | TreeNode::Empty { .. } => return None,
    };
    let lives = lives(drawing, region.node);
    let (offset, bytes) = (region.offset, region.bytes);
    (!lives.is_empty()).then_some(Outline { pool, node: region.node, offset, bytes, lives, spatial, strong: true })
}

/// Lives of the buffers below a node, merged where they meet; their hull alone where they are very
/// many.
fn lives(drawing: &Drawing, node: TreeNodeId) -> Vec<Live> {
    let tree = &drawing.frame.state.tree;
    let leaf = |node: TreeNodeId| match tree.nodes[node] {
        TreeNode::Leaf { buffer } => Some(drawing.run.problem.buffers[buffer].live),
        _ => None,
    };
    let mut all: Vec<Live> = tree.preorder(node).into_iter().filter_map(leaf).filter(|live| !live.is_empty()).collect();
    if all.len() > MERGED {
        let hull = |a: Live, b: Live| Live::new(a.start.min(b.start), a.end.max(b.end));
        return all.into_iter().reduce(hull).into_iter().collect();
    }
    all.sort();
    let mut merged: Vec<Live> = Vec::new();
    for live in all {
        match merged.last_mut() {
            Some(last) if live.start <= last.end => last.end = last.end.max(live.end),
            _ => merged.push(live),
        }
    }
    merged
}

/// The box of any node, for selection: buffers and reserved bytes too.
pub fn node_rect(drawing: &Drawing, node: TreeNodeId) -> Option<Rect> {
    let (pool, region) = drawing.frame.layouts.iter().enumerate().find_map(|(pool, layout)| {
        layout.regions.iter().find(|region| region.node == node).map(|region| (pool, region))
    })?;
    let lives = lives(drawing, node);
    let (first, last) = (lives.first()?, lives.last()?);
    let band = drawing.projection.band(PoolId::from_index(pool))?;
    Some(drawing.region(band, Live::new(first.start, last.end), region.offset, region.bytes))
}

/// Draws the path and returns its boxes by place in the path: an edge moves in for every enclosing
/// outline that has the same edge.
pub fn draw(drawing: &Drawing, outlines: &[Outline], layer: &mut Layer) -> Vec<(usize, Rect)> {
    let mut boxes: Vec<(usize, Rect)> = Vec::new();
    for (place, outline) in outlines.iter().enumerate() {
        let Some(band) = drawing.projection.band(outline.pool) else { continue };
        let hull = outline.hull();
        let outer = outlines[..place].iter().filter(|other| other.pool == outline.pool);
        let (mut left, mut right, mut low, mut high) = (0.0, 0.0, 0.0, 0.0);
        for other in outer {
            left += 2.0 * (other.hull().start == hull.start) as u8 as f64;
            right += 2.0 * (other.hull().end == hull.end) as u8 as f64;
            low += 2.0 * (other.offset == outline.offset) as u8 as f64;
            high += 2.0 * (other.offset + other.bytes == outline.offset + outline.bytes) as u8 as f64;
        }
        let rect = drawing.region(band, hull, outline.offset, outline.bytes);
        if !rect.meets(&drawing.projection.plot) {
            continue;
        }
        let (top, bottom) = if band.is_upright() { (high, low) } else { (low, high) };
        let corner = (rect.x + 0.5 + left, rect.y + 0.5 + top);
        let far = (rect.right() - 0.5 - right, rect.bottom() - 0.5 - bottom);
        if far.0 <= corner.0 || far.1 <= corner.1 {
            continue;
        }
        let rect = Rect::between(corner, far);
        edges(drawing, outline, &rect, layer);
        boxes.push((place, rect));
    }
    boxes
}

fn color(outline: &Outline) -> Color {
    if outline.spatial { Color::NodeS } else { Color::NodeT }
}

/// Solid over lives, dotted over holes between them.
fn edges(drawing: &Drawing, outline: &Outline, rect: &Rect, layer: &mut Layer) {
    let (width, alpha) = if outline.strong { (1.5, 1.0) } else { (1.0, WEAK) };
    let x = |step: u32| drawing.projection.step_to_x(step as f64).clamp(rect.x, rect.right());
    let mut solid =
        vec![((rect.x, rect.y), (rect.x, rect.bottom())), ((rect.right(), rect.y), (rect.right(), rect.bottom()))];
    let mut dotted = Vec::new();
    let last = outline.lives.len() - 1;
    for (number, live) in outline.lives.iter().enumerate() {
        let from = if number == 0 { rect.x } else { x(live.start) };
        let to = if number == last { rect.right() } else { x(live.end) };
        for y in [rect.y, rect.bottom()] {
            solid.push(((from, y), (to, y)));
            if number < last {
                dotted.push(((to, y), (x(outline.lives[number + 1].start), y)));
            }
        }
    }
    layer.push(Shape::Lines(solid), Ink::line(color(outline), width).alpha(alpha));
    if !dotted.is_empty() {
        layer.push(Shape::Lines(dotted), Ink::dashed(color(outline), width, Dash::Hole).alpha(alpha));
    }
}

/// A letter in the upper left corner of each strong outline, beside those already there.
pub fn tags(
    drawing: &Drawing,
    outlines: &[Outline],
    boxes: &[(usize, Rect)],
    taken: &mut Vec<Rect>,
    layer: &mut Layer,
) {
    let mut tags: Vec<Rect> = Vec::new();
    for (place, rect) in boxes.iter().filter(|(place, _)| outlines[*place].strong) {
        let mut tag = Rect::new(rect.x + 0.5, rect.y + 0.5, 11.0, 12.0);
        while tags.iter().chain(taken.iter()).any(|other| other.meets(&tag)) && tag.right() <= rect.right() {
            tag.x += 13.0;
        }
        let inside = tag.cut(&drawing.projection.plot) == Some(tag);
        if tag.right() > rect.right() || tag.bottom() > rect.bottom() || !inside {
            continue;
        }
        tags.push(tag);
        let outline = &outlines[*place];
        layer.rect(tag, Ink::fill(color(outline)));
        let letter = if outline.spatial { "S" } else { "T" };
        let at = (tag.centre().0, tag.centre().1 + 0.5);
        let text =
            Text { at, anchor: Anchor::Middle, size: 9.0, bold: true, words: letter.into(), halo: None, on_end: false };
        layer.text(text.halo(color(outline), 2.0), Color::Background);
    }
    taken.extend(tags);
}
