//! Node data of Model Explorer: a number for each node, by which it colours the graph.
//!
//! Source: google-ai-edge/model-explorer, `node_data_builder.py` of the PyPI package
//! ai-edge-model-explorer 0.1.34 (`ModelNodeData.to_json_string`).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use memplan_core::base::{Id, IdVec};
use memplan_core::graph::{Graph, TensorId};
use memplan_core::plan::{Place, Plan};
use memplan_core::problem::{BufferId, Load, Problem, load};

/// What is said of each node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeValue {
    /// Bytes alive while the node runs.
    Live,
    /// Offset in bytes of what the node makes; nodes whose outputs have no place are left out.
    Offset,
    /// Bytes below the highest live buffer of each pool that no live buffer covers, while the node
    /// runs.
    Free,
}

impl NodeValue {
    /// What Model Explorer calls the column.
    const fn title(self) -> &'static str {
        match self {
            NodeValue::Live => "live bytes",
            NodeValue::Offset => "offset",
            NodeValue::Free => "free bytes",
        }
    }
}

/// Ids under which Model Explorer's own readers file a graph, whatever its name: those of TFLite
/// and of exported programs of PyTorch. It ignores ids that it does not have.
const READERS: [&str; 2] = ["main", "graph"];

/// The least and the most of all nodes, as colours.
const COLORS: [&str; 2] = ["#e3eef9", "#e7a26b"];

/// The file text. A node is found by its name and by the names of its outputs. Without a plan,
/// nodes have offsets that the problem itself states, and no free bytes.
pub fn node_data(graph: &Graph, problem: &Problem, plan: Option<&Plan>, value: NodeValue) -> String {
    let (live, free) = (load(problem, |_| true), plan.map(|plan| free(problem, plan)));
    let buffers = buffer_of(graph, problem);
    let offset = |tensor: TensorId| {
        let id = buffers[tensor]?;
        plan.map_or(problem.buffers[id].fixed, |plan| plan.places[id].map(|place| place.offset))
    };
    let mut results = Map::new();
    for (id, node) in graph.nodes.enumerate() {
        let step = id.index() as u32;
        let number = match value {
            NodeValue::Live => Some(live.at(step)),
            NodeValue::Offset => node.outputs.iter().find_map(|&output| offset(output)),
            NodeValue::Free => free.as_ref().map(|free| free[step as usize]),
        };
        let Some(number) = number else { continue };
        let outputs = node.outputs.iter().map(|&output| &graph.tensors[output].name);
        for name in std::iter::once(&node.name).chain(outputs) {
            results.insert(name.clone(), json!({ "value": number }));
        }
    }
    let stops = COLORS.iter().enumerate().map(|(stop, color)| json!({ "stop": stop, "bgColor": color }));
    let data = json!({ "results": results, "name": value.title(), "gradient": stops.collect::<Vec<Value>>() });
    let ids = READERS.into_iter().chain([graph.name.as_str()]);
    let all: Map<String, Value> = ids.map(|id| (id.to_string(), data.clone())).collect();
    format!("{:#}\n", Value::Object(all))
}

/// The buffer that holds each tensor.
fn buffer_of(graph: &Graph, problem: &Problem) -> IdVec<TensorId, Option<BufferId>> {
    let mut found = IdVec::from_elem(None, graph.tensors.len());
    for (id, buffer) in problem.buffers.enumerate() {
        buffer.tensors.iter().for_each(|&tensor| found[tensor] = Some(id));
    }
    found
}

/// The free bytes at each step.
fn free(problem: &Problem, plan: &Plan) -> Vec<u64> {
    let steps = problem.steps as usize;
    let mut free = vec![0; steps];
    for pool in plan.pools.ids() {
        let place = |id: BufferId| plan.places[id].filter(|place: &Place| place.pool == pool);
        let members = problem.buffers.ids().filter(|&id| place(id).is_some() && problem.buffers[id].size > 0);
        let used: Load = load(problem, |id| place(id).is_some());
        // Ends of the buffers that come and go at each step.
        let mut changes: BTreeMap<u32, Vec<(u64, i64)>> = BTreeMap::new();
        for id in members {
            let buffer = &problem.buffers[id];
            let end = place(id).map_or(0, |place| place.offset + buffer.size);
            changes.entry(buffer.live.start).or_default().push((end, 1));
            changes.entry(buffer.live.end).or_default().push((end, -1));
        }
        let mut ends: BTreeMap<u64, i64> = BTreeMap::new();
        for step in 0..problem.steps {
            for &(end, by) in changes.get(&step).into_iter().flatten() {
                let count = ends.entry(end).or_insert(0);
                *count += by;
                if *count == 0 {
                    ends.remove(&end);
                }
            }
            let top = ends.last_key_value().map_or(0, |(end, _)| *end);
            // Buffers that share bytes are counted twice.
            free[step as usize] += top.saturating_sub(used.at(step));
        }
    }
    free
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Answers, Document, read};
    use memplan_core::plan::{Pool, PoolId, PoolRole};
    use memplan_core::problem::{Scope, lifetimes};

    const GRAPH: &str = r#"{"format":"memory-graph/1","name":"net","tensors":[
        {"name":"a","dtype":"uint8","shape":[8],"kind":"intermediate"},
        {"name":"b","dtype":"uint8","shape":[4],"kind":"intermediate"},
        {"name":"c","dtype":"uint8","shape":[4],"kind":"output"}],"nodes":[
        {"name":"first","op":"f","inputs":[],"outputs":["a"]},
        {"name":"second","op":"f","inputs":["a"],"outputs":["b"]},
        {"name":"third","op":"f","inputs":["b"],"outputs":["c"]}]}"#;

    #[test]
    fn each_node_has_its_number_by_its_own_name_and_those_of_its_outputs() {
        let read = read(GRAPH.as_bytes(), Answers::default()).expect("a graph");
        let Document::Graph(graph) = read.document else { panic!("a graph") };
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes");
        let pool = Pool { name: "arena".into(), size: 12, device: "cpu".into(), role: PoolRole::Arena };
        let place = |offset| Some(Place { pool: PoolId(0), offset });
        let places = vec![place(0), place(8), place(0)].into();
        let plan = Plan { pools: vec![pool].into(), places, ..Plan::default() };
        let values = |plan, value| {
            let text = node_data(&graph, &problem, plan, value);
            let file: Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(file["main"], file["net"]);
            assert_eq!(file["graph"], file["net"]);
            let of = |name: &str| file["net"]["results"][name]["value"].as_u64();
            for (node, output) in [("first", "a"), ("second", "b"), ("third", "c")] {
                assert_eq!(of(node), of(output));
            }
            ["a", "b", "c"].map(of)
        };
        assert_eq!(values(Some(&plan), NodeValue::Live), [Some(8), Some(12), Some(8)]);
        assert_eq!(values(Some(&plan), NodeValue::Offset), [Some(0), Some(8), Some(0)]);
        // b lies above 8 bytes of which c takes the lower 4.
        assert_eq!(values(Some(&plan), NodeValue::Free), [Some(0), Some(0), Some(4)]);
        assert_eq!(values(None, NodeValue::Free), [None; 3]);
    }
}
