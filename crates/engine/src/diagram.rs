//! Graph → boxes in layers, by Sugiyama's method (library rust-sugiyama).

use std::collections::BTreeMap;

use rust_sugiyama::configure::Config;
use rust_sugiyama::from_vertices_and_edges;
use serde::{Deserialize, Serialize};

use memplan_core::base::Id;
use memplan_core::graph::{Graph, Kind, NodeId, TensorId};

/// Most boxes of a diagram; larger graphs are folded by the prefixes of their nodes' names.
pub const MAX_BOXES: usize = 500;

/// Width and height of a box, in px.
pub const BOX: (f64, f64) = (132.0, 34.0);

/// Room between boxes, in px.
const SPACE: f64 = 26.0;

/// The boxes of a graph and where they are drawn, in px from the upper left corner.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Diagram {
    /// The boxes.
    pub boxes: Vec<DiagramBox>,
    /// From producer to consumer, as indices of `boxes`.
    pub edges: Vec<(u32, u32)>,
    /// Width and height.
    pub size: (f64, f64),
}

/// A box of a diagram.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DiagramBox {
    /// What the box stands for.
    pub what: Boxed,
    /// Middle of the box.
    pub at: (f64, f64),
}

/// What a box of a diagram stands for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Boxed {
    /// A node.
    Node(NodeId),
    /// An input of the graph.
    Input(TensorId),
    /// Consecutive nodes whose names have a prefix in common.
    Folded {
        /// Index of the first node.
        from: u32,
        /// Index after the last node.
        to: u32,
        /// The prefix.
        prefix: String,
    },
}

/// Lays a graph out; returns none if it has too many nodes even when folded.
pub fn diagram(graph: &Graph) -> Option<Diagram> {
    let groups = groups(graph)?;
    let mut box_of_node = vec![0u32; graph.nodes.len()];
    let mut boxes = Vec::new();
    for group in groups {
        let (from, to) = (group.0, group.1);
        box_of_node[from as usize..to as usize].fill(boxes.len() as u32);
        boxes.push(match group {
            (from, to, _) if to == from + 1 => Boxed::Node(NodeId(from)),
            (from, to, prefix) => Boxed::Folded { from, to, prefix },
        });
    }
    let mut box_of: BTreeMap<TensorId, u32> = BTreeMap::new();
    for (id, node) in graph.nodes.enumerate() {
        node.outputs.iter().for_each(|&output| {
            box_of.insert(output, box_of_node[id.index()]);
        });
    }
    for (id, tensor) in graph.tensors.enumerate() {
        if tensor.kind == Kind::Input && !box_of.contains_key(&id) && boxes.len() < MAX_BOXES {
            box_of.insert(id, boxes.len() as u32);
            boxes.push(Boxed::Input(id));
        }
    }
    let mut edges = Vec::new();
    for (id, node) in graph.nodes.enumerate() {
        let consumer = box_of_node[id.index()];
        let producers = node.inputs.iter().filter_map(|input| box_of.get(input));
        edges.extend(producers.filter(|producer| **producer != consumer).map(|producer| (*producer, consumer)));
    }
    edges.sort_unstable();
    edges.dedup();
    Some(placed(boxes, edges))
}

fn placed(boxes: Vec<Boxed>, edges: Vec<(u32, u32)>) -> Diagram {
    let vertices: Vec<(u32, (f64, f64))> = (0..boxes.len() as u32).map(|index| (index, BOX)).collect();
    let config = Config { vertex_spacing: SPACE, ..Config::default() };
    let mut at = vec![(0.0, 0.0); boxes.len()];
    let (mut left, mut height) = (SPACE, 0.0f64);
    // Parts that no edge connects stand side by side.
    for (places, ..) in from_vertices_and_edges(&vertices, &edges, &config) {
        let low = |axis: fn(&(f64, f64)) -> f64| places.iter().map(|(_, place)| axis(place)).fold(f64::MAX, f64::min);
        let (low_x, low_y) = (low(|place| place.0), low(|place| place.1));
        // The library may put consumers at smaller y than their producers.
        let high_y = places.iter().map(|(_, place)| place.1).fold(f64::MIN, f64::max);
        let down = edges.iter().find_map(|&(producer, consumer)| {
            let y = |wanted: u32| places.iter().find(|(index, _)| *index == wanted as usize).map(|(_, place)| place.1);
            Some(y(consumer)? >= y(producer)?)
        });
        let mut right = left;
        for (index, (x, y)) in places {
            let from_top = if down.unwrap_or(true) { y - low_y } else { high_y - y };
            let place = (left + x - low_x + BOX.0 / 2.0, SPACE + from_top + BOX.1 / 2.0);
            right = right.max(place.0 + BOX.0 / 2.0);
            height = height.max(place.1 + BOX.1 / 2.0);
            if let Some(slot) = at.get_mut(index) {
                *slot = place;
            }
        }
        left = right + SPACE;
    }
    let boxes = boxes.into_iter().zip(at).map(|(what, at)| DiagramBox { what, at }).collect();
    Diagram { boxes, edges, size: (left, height + SPACE) }
}

/// Returns runs of consecutive nodes, each with the prefix of its names: single nodes if they are
/// few enough, else the longest prefixes that give at most [`MAX_BOXES`] runs.
fn groups(graph: &Graph) -> Option<Vec<(u32, u32, String)>> {
    let count = graph.nodes.len();
    if count <= MAX_BOXES {
        return Some((0..count as u32).map(|index| (index, index + 1, String::new())).collect());
    }
    let parts = |name: &str| name.split(['.', '/', '_']).filter(|part| !part.is_empty()).count();
    let deepest = graph.nodes.iter().map(|node| parts(&node.name)).max().unwrap_or(1).min(16);
    (1..deepest.max(2)).rev().find_map(|depth| {
        let prefix = |id: usize| {
            let name = &graph.nodes[NodeId(id as u32)].name;
            let end = name.match_indices(['.', '/', '_']).nth(depth - 1).map_or(name.len(), |(end, _)| end);
            &name[..end]
        };
        let mut runs: Vec<(u32, u32, String)> = Vec::new();
        for id in 0..count {
            let full = runs.len() == MAX_BOXES;
            match runs.last_mut() {
                Some(last) if last.2 == prefix(id) => last.1 += 1,
                _ if full => return None,
                _ => runs.push((id as u32, id as u32 + 1, prefix(id).to_string())),
            }
        }
        Some(runs)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consumers_stand_below_producers_and_boxes_do_not_overlap() {
        for count in [1, 12, 60] {
            let graph = memplan_core::graph::sample(count, 5);
            let drawn = diagram(&graph).expect("small");
            assert!(drawn.boxes.len() >= count as usize);
            for &(producer, consumer) in &drawn.edges {
                assert!(drawn.boxes[consumer as usize].at.1 > drawn.boxes[producer as usize].at.1);
            }
            for (index, a) in drawn.boxes.iter().enumerate() {
                for b in &drawn.boxes[index + 1..] {
                    let apart = (a.at.0 - b.at.0).abs() >= BOX.0 || (a.at.1 - b.at.1).abs() >= BOX.1;
                    assert!(apart, "{:?} {:?}", a, b);
                }
                assert!(a.at.0 - BOX.0 / 2.0 >= 0.0 && a.at.0 + BOX.0 / 2.0 <= drawn.size.0);
                assert!(a.at.1 - BOX.1 / 2.0 >= 0.0 && a.at.1 + BOX.1 / 2.0 <= drawn.size.1);
            }
        }
    }

    #[test]
    fn large_graphs_are_folded_by_name() {
        let mut graph = memplan_core::graph::sample(900, 5);
        for (index, node) in graph.nodes.iter_mut().enumerate() {
            node.name = format!("layer{}.op{index}", index / 10);
        }
        let drawn = diagram(&graph).expect("folded");
        let folded = drawn.boxes.iter().filter(|drawn| matches!(drawn.what, Boxed::Folded { .. })).count();
        assert_eq!(folded, 90);
        graph.nodes.iter_mut().enumerate().for_each(|(index, node)| node.name = format!("op{index}"));
        assert_eq!(diagram(&graph), None);
    }
}
