//! The allocation tree of a pool as rows of a list: which nodes are open, and the words of each
//! row.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{Frame, Run};
use memplan_core::plan::PoolId;
use memplan_core::problem::BufferId;
use memplan_core::trace::{Region, Tree, TreeNode, TreeNodeId};

/// Names shown of what a closed row holds.
const MAX_BENEATH: usize = 4;

/// One row of the tree.
#[derive(Clone, PartialEq, Debug)]
pub struct TreeRow {
    /// The node.
    pub node: TreeNodeId,
    /// Nodes between it and its root.
    pub depth: u32,
    /// Bytes from the base of the pool, as if finalised now.
    pub offset: u64,
    /// Bytes that it takes, or that it has free.
    pub bytes: u64,
    /// No buffer lies in it.
    pub is_hollow: bool,
    /// The buffer of a leaf.
    pub buffer: Option<BufferId>,
    /// Name of a leaf's buffer.
    pub label: Option<String>,
    /// Whether a node with children is open; none for leaves.
    pub expanded: Option<bool>,
    /// Message key of the row's part in its parent: root, lower, upper.
    pub part: Option<&'static str>,
    /// Where a spatial node is cut.
    pub cut: Option<u64>,
    /// How many children it has.
    pub children: u64,
    /// The first buffers beneath, for a closed row.
    pub beneath: Vec<String>,
}

/// Which nodes of a tree are open.
#[derive(Clone, Copy)]
pub enum Open<'a> {
    /// The path of the frame and of the selected buffer, except those toggled by hand, for which it
    /// is the other way round.
    Path(&'a BTreeSet<TreeNodeId>, Option<BufferId>),
    /// Every node.
    All,
}

/// Rows of a pool's tree. With [`Open::Path`] nodes above this frame's buffer, its candidates and
/// the selected buffer are open and all others closed, except those in its set, for which it is the
/// other way round.
pub fn tree_rows(run: &Run, frame: &Frame, pool: PoolId, opening: Open) -> Vec<TreeRow> {
    let Some(layout) = frame.layouts.get(pool.0 as usize) else { return Vec::new() };
    let tree = &frame.state.tree;
    let regions: HashMap<TreeNodeId, Region> = layout.regions.iter().map(|region| (region.node, *region)).collect();
    let mut rows = Vec::new();
    let Some(root) = layout.regions.first().map(|region| region.node) else { return rows };
    let selected = match opening {
        Open::Path(_, selected) => selected,
        Open::All => None,
    };
    let on_path = opened(frame, tree, root, selected);
    let mut stack = vec![(root, 0, Some("tree.root"))];
    while let Some((node, depth, part)) = stack.pop() {
        let region = regions[&node];
        let mut row = TreeRow {
            node,
            depth,
            offset: region.offset,
            bytes: region.bytes,
            is_hollow: false,
            buffer: None,
            label: None,
            expanded: None,
            part,
            cut: None,
            children: 0,
            beneath: Vec::new(),
        };
        let children: Vec<(TreeNodeId, Option<&'static str>)> = match &tree.nodes[node] {
            TreeNode::Leaf { buffer } => {
                row.buffer = Some(*buffer);
                row.label = Some(run.problem.buffers[*buffer].name.clone());
                Vec::new()
            }
            TreeNode::Empty { .. } => Vec::new(),
            TreeNode::Temporal { children } => children.iter().map(|&child| (child, None)).collect(),
            TreeNode::Spatial { left, right } => {
                row.cut = Some(regions[right].offset);
                vec![(*left, Some("tree.lower")), (*right, Some("tree.upper"))]
            }
        };
        // What takes no bytes may have some for later buffers.
        if let Some(bytes) = Some(node).filter(|_| region.bytes == 0).and_then(|node| hollow(tree, node)) {
            (row.bytes, row.is_hollow) = (bytes, true);
        }
        if !children.is_empty() {
            let open = match opening {
                Open::Path(toggled, _) => on_path.contains(&node) != toggled.contains(&node),
                Open::All => true,
            };
            row.expanded = Some(open);
            row.children = children.len() as u64;
            if open {
                stack.extend(children.into_iter().rev().map(|(child, part)| (child, depth + 1, part)));
            } else {
                row.beneath = names_beneath(run, tree, node);
            }
        }
        rows.push(row);
    }
    rows
}

/// The bytes that a part has for later buffers; none if a buffer lies in it.
fn hollow(tree: &Tree, root: TreeNodeId) -> Option<u64> {
    let mut free: HashMap<TreeNodeId, u64> = HashMap::new();
    for node in tree.preorder(root).into_iter().rev() {
        let of = |child: &TreeNodeId| free.get(child).copied().unwrap_or(0);
        let bytes = match &tree.nodes[node] {
            TreeNode::Leaf { .. } => return None,
            TreeNode::Empty { bytes } => *bytes,
            TreeNode::Temporal { children } => children.iter().map(of).max().unwrap_or(0),
            TreeNode::Spatial { left, right } => of(left).saturating_add(of(right)),
        };
        free.insert(node, bytes);
    }
    free.get(&root).copied()
}

/// Returns true if a part in sight that holds no buffer seems to reach beyond the part around it.
/// The tree counts free bytes without those skipped for alignment.
pub fn reach_beyond(rows: &[TreeRow]) -> bool {
    let end = |row: &TreeRow| row.offset.saturating_add(row.bytes);
    let around = |at: usize| rows[..at].iter().rev().find(|above| above.depth < rows[at].depth);
    let is_beyond =
        |(at, row): (usize, &TreeRow)| row.is_hollow && around(at).is_some_and(|outer| end(row) > end(outer));
    rows.iter().enumerate().any(is_beyond)
}

/// Candidates whose nodes are opened: more would bury the path of the frame.
const MAX_OPENED: usize = 24;

/// Nodes above the leaves of this frame's buffer and of the selected one, and above the candidates.
fn opened(frame: &Frame, tree: &Tree, root: TreeNodeId, selected: Option<BufferId>) -> HashSet<TreeNodeId> {
    let mut parents: HashMap<TreeNodeId, TreeNodeId> = HashMap::new();
    let mut ends: Vec<TreeNodeId> =
        frame.candidates.iter().take(MAX_OPENED).filter_map(|candidate| candidate.node).collect();
    for node in tree.preorder(root) {
        match &tree.nodes[node] {
            TreeNode::Temporal { children } => children.iter().for_each(|&child| {
                parents.insert(child, node);
            }),
            TreeNode::Spatial { left, right } => {
                parents.insert(*left, node);
                parents.insert(*right, node);
            }
            TreeNode::Leaf { buffer } if [frame.focus, selected].contains(&Some(*buffer)) => ends.push(node),
            _ => {}
        }
    }
    let mut opened = HashSet::from([root]);
    for end in ends {
        let mut at = end;
        while let Some(&parent) = parents.get(&at) {
            opened.insert(parent);
            at = parent;
        }
    }
    opened
}

/// The rows that pass, in order, with the rows above each of them, so that it is seen where it
/// stands. With each row whether it passes itself.
pub fn with_ancestors(rows: Vec<TreeRow>, passes: impl Fn(&TreeRow) -> bool) -> Vec<(TreeRow, bool)> {
    let mut kept = Vec::new();
    // From the end: a row is needed when one below it, deeper than it, was kept and no row between
    // was as shallow.
    let mut needed = 0;
    for row in rows.into_iter().rev() {
        let own = passes(&row);
        if own || row.depth < needed {
            needed = row.depth;
            kept.push((row, own));
        }
    }
    kept.reverse();
    kept
}

fn names_beneath(run: &Run, tree: &Tree, node: TreeNodeId) -> Vec<String> {
    let mut names = Vec::new();
    for node in tree.preorder(node) {
        if let TreeNode::Leaf { buffer } = tree.nodes[node] {
            if names.len() == MAX_BENEATH {
                names.push("…".to_string());
                break;
            }
            names.push(run.problem.buffers[buffer].name.clone());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use memplan_core::graph::sample;
    use memplan_core::problem::{Scope, lifetimes};
    use memplan_core::trace::Recorder;
    use memplan_planners::{Input, find, origin};

    fn at_end() -> (Run, Frame) {
        let graph = sample(60, 3);
        let problem = lifetimes(&graph, &Scope::default()).unwrap();
        let planner = find("inductor-tree").unwrap();
        let mut recorder = Recorder::default();
        let input = Input { problem: &problem, graph: Some(&graph) };
        let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).unwrap();
        let run = Run::new(Rc::new(problem), origin("inductor-tree", planner.info().align), plan, recorder.events);
        let frame = run.frame(run.timeline.events.len() as u32);
        (run, frame)
    }

    #[test]
    fn all_open_lists_every_buffer_of_the_pool() {
        let (run, frame) = at_end();
        let rows = tree_rows(&run, &frame, PoolId(0), Open::All);
        let leaves = rows.iter().filter(|row| row.buffer.is_some()).count();
        let in_pool = frame.places.iter().flatten().filter(|place| place.pool == PoolId(0)).count();
        assert_eq!(leaves, in_pool);
        assert_eq!(rows.len(), frame.layouts[0].regions.len());
        assert!(tree_rows(&run, &frame, PoolId(0), Open::Path(&BTreeSet::new(), None)).len() < rows.len());
    }

    #[test]
    fn a_part_without_a_buffer_has_the_bytes_of_what_is_empty_in_it() {
        let (run, frame) = at_end();
        let tree = &frame.state.tree;
        let rows = tree_rows(&run, &frame, PoolId(0), Open::All);
        for row in &rows {
            let has_leaf =
                tree.preorder(row.node).iter().any(|&node| matches!(tree.nodes[node], TreeNode::Leaf { .. }));
            assert_eq!(row.is_hollow, !has_leaf, "{row:?}");
            if let TreeNode::Empty { bytes } = tree.nodes[row.node] {
                assert_eq!(row.bytes, bytes);
            }
        }
        assert!(
            rows.iter().any(|row| row.is_hollow && row.expanded.is_some() && row.bytes > 0),
            "a part of empty ones"
        );
    }

    #[test]
    fn the_selected_buffer_has_a_row_wherever_it_lies() {
        let (run, frame) = at_end();
        for row in tree_rows(&run, &frame, PoolId(0), Open::All).iter().filter(|row| row.buffer.is_some()) {
            let rows = tree_rows(&run, &frame, PoolId(0), Open::Path(&BTreeSet::new(), row.buffer));
            assert!(rows.iter().any(|other| other.node == row.node), "{:?}", row.label);
        }
    }

    #[test]
    fn what_passes_stands_below_its_ancestors_and_nothing_else() {
        let (run, frame) = at_end();
        let rows = tree_rows(&run, &frame, PoolId(0), Open::All);
        for wanted in rows.iter().filter(|row| row.buffer.is_some()).take(20) {
            let kept = with_ancestors(rows.clone(), |row| row.node == wanted.node);
            assert_eq!(kept.iter().filter(|(_, own)| *own).count(), 1);
            let depths: Vec<u32> = kept.iter().map(|(row, _)| row.depth).collect();
            assert_eq!(depths, (0..=wanted.depth).collect::<Vec<_>>(), "one ancestor a level, the row last");
            assert_eq!(kept.last().map(|(row, _)| row.node), Some(wanted.node));
        }
        assert_eq!(with_ancestors(rows.clone(), |_| true).len(), rows.len());
        assert!(with_ancestors(rows, |_| false).is_empty());
    }
}
