//! What the state panel shows as plain JSON: words in the language of the page, sizes and addresses
//! as bytes, buffers by name.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::{Cell, Chip, Lane, Row, Ruler, Section, Table, View};
use crate::{Frame, Run, blocks};
use memplan_core::base::Arg;
use memplan_core::plan::PoolId;
use memplan_core::problem::BufferId;
use memplan_core::text::Speech;
use memplan_core::trace::{TreeNode, TreeNodeId};

/// The members of a section. A table has `columns` (titles) and `rows` (`cells` in the order of the
/// columns; `changed`, `buffer` where they apply); a ruler `request`, `window`, `marks`; a strip
/// `chips`; lanes `lanes` with `places`.
pub fn section_json(run: &Run, section: &Section, speech: Speech) -> Map<String, Value> {
    let name = |buffer: BufferId| run.problem.buffers[buffer].name.as_str();
    match &section.view {
        View::Table(table) => table_json(table, &name, speech),
        View::Ruler(ruler) => ruler_json(ruler),
        View::Strip(chips) => {
            let chip = |chip: &Chip| json!({ "label": chip.label, "class": chip.class, "words": speech.say(&chip.words), "current": chip.current });
            one("chips", chips.iter().map(chip).collect())
        }
        View::Lanes(lanes) => {
            let place = |&(buffer, offset): &(BufferId, u64)| json!({ "buffer": name(buffer), "offset": offset });
            let lane = |lane: &Lane| {
                json!({
                    "title": speech.say(&lane.title),
                    "parent": lane.parent,
                    "pruned": lane.pruned.as_ref().map(|pruned| speech.say(pruned)),
                    "current": lane.current,
                    "places": lane.places.iter().map(place).collect::<Vec<_>>(),
                })
            };
            one("lanes", lanes.iter().map(lane).collect())
        }
    }
}

fn one(key: &str, items: Vec<Value>) -> Map<String, Value> {
    [(key.to_string(), Value::Array(items))].into_iter().collect()
}

fn table_json<'a>(table: &Table, name: &impl Fn(BufferId) -> &'a str, speech: Speech) -> Map<String, Value> {
    let row = |row: &Row| {
        let cells = row.cells.iter().map(|cell| cell_json(cell, speech)).collect();
        let mut members = one("cells", cells);
        if let Some(changed) = &row.changed {
            members.insert("changed".into(), speech.say(changed).into());
        }
        if let Some(buffer) = row.buffer {
            members.insert("buffer".into(), name(buffer).into());
        }
        Value::Object(members)
    };
    let mut members = one("rows", table.rows.iter().map(row).collect());
    let columns: Vec<String> = table.columns.iter().map(|column| speech.say(&column.title)).collect();
    members.insert("columns".into(), columns.into());
    members
}

fn cell_json(cell: &Cell, speech: Speech) -> Value {
    match cell {
        Cell::Empty => Value::Null,
        Cell::Value(arg) => match arg {
            Arg::Text(text) | Arg::Name(text) => text.as_str().into(),
            Arg::Count(number) | Arg::Bytes(number) | Arg::Address(number) => (*number).into(),
            Arg::Live(from, to) => vec![*from, *to].into(),
            Arg::Span(from, to) => vec![*from, *to].into(),
            Arg::Names(names) => names.clone().into(),
            Arg::Frames(frames) => frames.clone().into(),
            Arg::Inner(message) => speech.say(message).into(),
        },
        Cell::Say(message) => speech.say(message).into(),
        Cell::Change(from, to) | Cell::Grown(from, to) => json!({ "from": from, "to": to }),
        Cell::Bar(share) => (*share).into(),
    }
}

fn ruler_json(ruler: &Ruler) -> Map<String, Value> {
    let mark = |mark: &super::RulerMark| json!({ "storage": mark.pool.0, "bytes": mark.bytes, "number": mark.number, "chosen": mark.chosen });
    let mut members = one("marks", ruler.marks.iter().map(mark).collect());
    members.insert("request".into(), ruler.request.into());
    members.insert("window".into(), vec![ruler.window.0, ruler.window.1].into());
    members
}

/// The `nodes` of a pool's allocation tree, parents before children, with addresses as if finalised
/// now.
pub fn tree_json(run: &Run, frame: &Frame, pool: PoolId) -> Map<String, Value> {
    let Some(layout) = frame.layouts.get(pool.0 as usize) else { return one("nodes", Vec::new()) };
    let tree = &frame.state.tree;
    let mut parents: HashMap<TreeNodeId, TreeNodeId> = HashMap::new();
    for region in &layout.regions {
        match &tree.nodes[region.node] {
            TreeNode::Temporal { children } => parents.extend(children.iter().map(|&child| (child, region.node))),
            TreeNode::Spatial { left, right } => parents.extend([(*left, region.node), (*right, region.node)]),
            TreeNode::Leaf { .. } | TreeNode::Empty { .. } => {}
        }
    }
    let nodes = layout.regions.iter().map(|region| {
        let (kind, buffer) = match &tree.nodes[region.node] {
            TreeNode::Temporal { .. } => ("temporal", None),
            TreeNode::Spatial { .. } => ("spatial", None),
            TreeNode::Leaf { buffer } => ("allocation", Some(run.problem.buffers[*buffer].name.as_str())),
            TreeNode::Empty { .. } => ("empty", None),
        };
        json!({
            "node": region.node.0,
            "parent": parents.get(&region.node).map(|parent| parent.0),
            "kind": kind,
            "offset": region.offset,
            "bytes": region.bytes,
            "buffer": buffer,
        })
    });
    one("nodes", nodes.collect())
}

/// The `blocks` of a pool's free list from bottom to top; the unbounded top has no `bytes`, a free
/// block no `buffer`.
pub fn blocks_json(run: &Run, frame: &Frame, pool: PoolId) -> Map<String, Value> {
    let block = |block: super::super::Block| {
        let buffer = block.buffer.map(|buffer| run.problem.buffers[buffer].name.as_str());
        json!({ "offset": block.offset, "bytes": block.bytes, "buffer": buffer })
    };
    one("blocks", blocks(run, frame, pool).into_iter().map(block).collect())
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::super::sections;
    use super::*;
    use memplan_core::graph::sample;
    use memplan_core::problem::{Scope, lifetimes};
    use memplan_core::text::Locale;
    use memplan_core::trace::Recorder;
    use memplan_planners::{Input, REGISTRY, origin};

    fn run(planner: &str) -> Run {
        let planner = REGISTRY.iter().find(|known| known.info().id == planner).expect("registered");
        let graph = sample(40, 3);
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        let mut recorder = Recorder::default();
        let input = Input { problem: &problem, graph: Some(&graph) };
        let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).expect("plans");
        Run::new(Rc::new(problem), origin(planner.info().id, planner.info().align), plan, recorder.events)
    }

    fn at_end(run: &Run) -> Frame {
        run.frame(run.timeline.events.len() as u32)
    }

    #[test]
    fn a_table_keeps_its_numbers_and_speaks_the_language() {
        let run = run("first-fit");
        let frame = at_end(&run);
        let order = sections(&run, &frame).into_iter().find(|section| section.id == "order").expect("an order");
        let speech = Speech { locale: Locale::Zh, ..Speech::default() };
        let emitted = section_json(&run, &order, speech);
        let View::Table(table) = &order.view else { panic!("a table") };
        assert_eq!(emitted["columns"][1], speech.say(&table.columns[1].title).as_str());
        let rows = emitted["rows"].as_array().expect("rows");
        assert_eq!(rows.len(), run.timeline.decisions.len());
        for (row, decision) in rows.iter().zip(&run.timeline.decisions) {
            let buffer = &run.problem.buffers[decision.buffer];
            assert_eq!(row["buffer"], buffer.name.as_str());
            assert_eq!(row["cells"][2], buffer.size);
            assert_eq!(row["cells"][3], json!([buffer.live.start, buffer.live.end]));
        }
    }

    #[test]
    fn every_section_of_every_planner_has_a_record() {
        let mut kinds = 0;
        for planner in REGISTRY.iter().map(|planner| planner.info()).filter(|info| info.ranked) {
            let run = run(planner.id);
            let frame = at_end(&run);
            for section in sections(&run, &frame) {
                let emitted = section_json(&run, &section, Speech::default());
                let count = |key: &str| emitted[key].as_array().map_or(0, Vec::len);
                match &section.view {
                    View::Table(table) => assert_eq!(count("rows"), table.rows.len()),
                    View::Ruler(ruler) => assert_eq!(count("marks"), ruler.marks.len()),
                    View::Strip(chips) => assert_eq!(count("chips"), chips.len()),
                    View::Lanes(lanes) => assert_eq!(count("lanes"), lanes.len()),
                }
                kinds += 1;
            }
        }
        assert!(kinds > 20, "{kinds}");
    }

    #[test]
    fn a_tree_tells_each_buffer_once_where_it_lies() {
        let run = run("inductor-tree");
        let frame = at_end(&run);
        let mut seen = 0;
        for pool in 0..frame.layouts.len() as u32 {
            let emitted = tree_json(&run, &frame, PoolId(pool));
            for node in emitted["nodes"].as_array().expect("nodes").iter().filter(|node| node["kind"] == "allocation") {
                let id = run.problem.buffer_named(node["buffer"].as_str().expect("a name")).expect("known");
                assert_eq!(frame.places[id].map(|place| place.offset), node["offset"].as_u64());
                seen += 1;
            }
        }
        assert_eq!(seen, frame.placed);
        assert!(tree_json(&run, &frame, PoolId(99))["nodes"].as_array().is_some_and(Vec::is_empty));
    }

    #[test]
    fn blocks_end_with_the_unbounded_top() {
        let run = run("best-fit");
        let emitted = blocks_json(&run, &at_end(&run), PoolId(0));
        let blocks = emitted["blocks"].as_array().expect("blocks");
        assert!(blocks.last().is_some_and(|top| top["bytes"].is_null() && top["buffer"].is_null()));
    }
}
