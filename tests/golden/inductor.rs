//! PyTorch Inductor's `memory_plan` and its `AllocationPools` driven directly.

use std::collections::{BTreeMap, HashMap, HashSet};

use memplan_core::base::IdVec;
use memplan_core::graph::Expr;
use memplan_core::problem::BufferId;
use memplan_core::trace::{Event, Outcome, Recorder, Tree, TreeNode, TreeNodeId, Verdict};
use memplan_planners::inductor_tree::lines::groups as line_groups;
use memplan_planners::inductor_tree::{
    ALIGN, Group, MemoryPool, PoolState, Pools, Route, final_names, placement_order,
};
use memplan_planners::wrapper_lines::Line;
use serde_json::{Value, json};

pub fn run(case: &Value) -> Result<(), String> {
    let golden = Golden::new(case)?;
    golden.check_groups()?;
    let order = golden.order()?;
    let run = golden.place(&order);
    golden.check_steps(&run)?;
    golden.check_result(&run)?;
    golden.check_evaluations(&run)
}

struct Golden<'a> {
    case: &'a Value,
    names: Vec<String>,
    groups: Vec<Group>,
    /// Size expression of each group; a constant for plain sizes.
    sizes: Vec<Expr>,
    mode: MemoryPool,
    devices: Vec<String>,
}

/// A finished run: the tree and pools, and for each placement the events of it.
struct Run {
    tree: Tree,
    states: Vec<PoolState>,
    decisions: Vec<(usize, Vec<Event>)>,
}

impl<'a> Golden<'a> {
    fn new(case: &'a Value) -> Result<Self, String> {
        let mode = MemoryPool::from_name(text(&case["options"]["memory_pool"])?);
        let mut golden = Golden { case, names: vec![], groups: vec![], sizes: vec![], mode, devices: vec![] };
        for group in list(&case["groups"])? {
            let device = text(&group["device"])?;
            let known = golden.devices.iter().position(|other| other == device);
            let device = known.unwrap_or_else(|| {
                golden.devices.push(device.to_string());
                golden.devices.len() - 1
            });
            let size = whole(&group["bytes"])?;
            let expr = group["bytes_expr"].as_str().map_or_else(|| size.to_string(), str::to_string);
            golden.sizes.push(Expr::parse(&expr).map_err(|error| format!("{expr}: {error}"))?);
            golden.groups.push(Group {
                buffer: BufferId(golden.names.len() as u32),
                size,
                begin: whole(&group["begin"])? as u32,
                end: whole(&group["end"])? as u32,
                is_output: group["is_output"].as_bool().unwrap_or(false),
                device: device as u32,
                earliest_available: group["earliest_available"].as_u64().map(|step| step as u32),
            });
            golden.names.push(text(&group["buf"])?.to_string());
        }
        Ok(golden)
    }

    /// Groups, ranges and outputs derived from the wrapper lines equal the recorded ones.
    fn check_groups(&self) -> Result<(), String> {
        if self.case["lines"].is_null() {
            return Ok(());
        }
        let buffers = list(&self.case["buffers"])?;
        let mut ids: HashMap<&str, usize> = HashMap::new();
        for (index, buffer) in buffers.iter().enumerate() {
            ids.insert(text(&buffer["name"])?, index);
        }
        let parsed = parse_lines(&self.case["lines"], &ids)?;
        let set = |keys: &[&str]| -> HashSet<usize> {
            let names = keys.iter().filter_map(|key| self.case[key].as_array()).flatten();
            names.filter_map(|name| ids.get(name.as_str()?).copied()).collect()
        };
        let found = line_groups(&parsed, &set(&["removed"]), &set(&["outputs", "output_users"]));
        for (index, expected) in list(&self.case["groups"])?.iter().enumerate() {
            let found = found.get(index).ok_or(format!("only {} groups", found.len()))?;
            let names: Vec<&Value> = found.names.iter().map(|&name| &buffers[name]["name"]).collect();
            let mine = json!([names, found.begin, found.end, found.is_output]);
            let theirs = json!([expected["names"], expected["begin"], expected["end"], expected["is_output"]]);
            same(&format!("group {index}"), &mine, &theirs)?;
        }
        same("number of groups", &json!(found.len()), &json!(self.groups.len()))
    }

    /// Indices of groups in the recorded order; checked against ours where the planner chose it.
    fn order(&self) -> Result<Vec<usize>, String> {
        let mut order = Vec::new();
        for name in list(&self.case["order"])? {
            let name = text(name)?;
            order.push(self.names.iter().position(|other| other == name).ok_or(format!("unknown {name}"))?);
        }
        if self.case["planner"] == "memory_plan" {
            let ours = placement_order(&self.groups, self.mode);
            let names = |order: &[usize]| json!(order.iter().map(|&index| &self.names[index]).collect::<Vec<_>>());
            same("order", &names(&ours), &names(&order))?;
        }
        Ok(order)
    }

    fn place(&self, order: &[usize]) -> Run {
        let mut recorder = Recorder::default();
        let mut pools = Pools::new(self.mode, ALIGN, &mut recorder);
        for &index in order {
            let group = &self.groups[index];
            let output = group.is_output && self.mode != MemoryPool::Combined;
            pools.allocate(group, if output { Route::AllocateOutput } else { Route::Allocate });
        }
        let (tree, states) = pools.finish();
        let mut decisions: Vec<(usize, Vec<Event>)> = Vec::new();
        for event in recorder.events {
            if let Event::Begin { buffer } = event {
                decisions.push((buffer.0 as usize, Vec::new()));
            } else if let Some((_, events)) = decisions.last_mut() {
                events.push(event);
            }
        }
        Run { tree, states, decisions }
    }

    /// Outcome, trace, tree and preview after every placement. The tree is rebuilt from the events
    /// alone.
    fn check_steps(&self, run: &Run) -> Result<(), String> {
        let Some(steps) = self.case["steps"].as_array() else { return Ok(()) };
        same("number of placements", &json!(run.decisions.len()), &json!(steps.len()))?;
        let mut tree = Tree::default();
        for (number, (step, (group, events))) in steps.iter().zip(&run.decisions).enumerate() {
            let at = |what: &str| format!("step {number} ({}): {what}", self.names[*group]);
            same(&at("buffer"), &json!(self.names[*group]), &step["buf"])?;
            let paths = self.paths(&tree, run);
            let trace: Vec<Value> = events
                .iter()
                .filter_map(|event| trace_entry(event, &paths, |pool| self.device_index(run, pool)))
                .collect();
            same(&at("trace"), &json!(trace), &step["trace"])?;
            let mut placed = None;
            for event in events {
                match *event {
                    Event::Tree(edit) => tree.apply(edit),
                    Event::Place { outcome, pool, offset, .. } => placed = Some((outcome, pool as usize, offset)),
                    _ => {}
                }
            }
            let (outcome, pool, offset) = placed.ok_or(at("never placed"))?;
            let name = match outcome {
                Outcome::NewPool => "new_pool",
                Outcome::AtEnd => "at_end",
                _ => "in_tree",
            };
            same(&at("outcome"), &json!(name), &step["outcome"])?;
            same(&at("pool"), &json!(self.device_index(run, pool)), &step["pool"])?;
            same(&at("tree"), &self.tree_json(&tree, tree.roots[pool]), &step["tree"])?;
            let hints = |buffer: BufferId| self.groups[buffer.0 as usize].size;
            let layout = tree.layouts(ALIGN, hints).swap_remove(pool);
            let symbols = self.hints();
            same(&at("preview of the pool"), &json!(layout.bytes), &json!(value_at(&step["pool_bytes"], &symbols)?))?;
            for (name, expected) in step["offsets"].as_object().ok_or(at("no offsets"))? {
                let ours = self.offset_in(&tree, &layout, name);
                same(&at(&format!("preview of {name}")), &json!(ours), &json!(value_at(expected, &symbols)?))?;
            }
            same(
                &at("offset reported"),
                &json!(Some(offset)),
                &json!(self.offset_in(&tree, &layout, &self.names[*group])),
            )?;
        }
        Ok(())
    }

    fn check_result(&self, run: &Run) -> Result<(), String> {
        let names = final_names(&run.states);
        let hints = |buffer: BufferId| self.groups[buffer.0 as usize].size;
        let layouts = run.tree.layouts(ALIGN, hints);
        let pools = list(&self.case["result"]["pools"])?;
        same("number of pools", &json!(run.states.len()), &json!(pools.len()))?;
        for expected in pools {
            let name = text(&expected["name"])?;
            let pool = names.iter().position(|other| other == name).ok_or(format!("no {name}"))?;
            let state = &run.states[pool];
            let ours = json!([
                self.devices[state.device as usize],
                self.device_index(run, pool),
                state.can_expand,
                layouts[pool].bytes
            ]);
            let bytes = expected["bytes"].as_u64().or(expected["bytes_hint"].as_u64());
            same(name, &ours, &json!([expected["device"], expected["index"], expected["can_expand"], bytes]))?;
            let finalized = self.final_json(&run.tree, &layouts[pool]);
            same(&format!("final tree of {name}"), &finalized, &expected["tree"])?;
        }
        for expected in list(&self.case["result"]["placements"])? {
            let name = text(&expected["buf"])?;
            let pool = names.iter().position(|other| Some(other.as_str()) == expected["pool"].as_str());
            let pool = pool.ok_or(format!("{name}: no such pool"))?;
            let ours = self.offset_in(&run.tree, &layouts[pool], name);
            let offset = expected["offset"].as_u64().or(expected["offset_hint"].as_u64());
            same(&format!("offset of {name}"), &json!(ours), &json!(offset))?;
        }
        let total: u64 = layouts.iter().map(|layout| layout.bytes).sum();
        same("total", &json!(total), &self.case["result"]["total_bytes"])
    }

    /// Symbolic sizes: the same tree laid out for other values.
    fn check_evaluations(&self, run: &Run) -> Result<(), String> {
        let Some(evaluations) = self.case["result"]["evaluations"].as_array() else { return Ok(()) };
        let names = final_names(&run.states);
        for evaluation in evaluations {
            let symbols = symbols(&evaluation["symbols"])?;
            let at = |what: &str| format!("at {}: {what}", evaluation["symbols"]);
            let mut sizes = Vec::new();
            for size in &self.sizes {
                sizes.push(size.size(&symbols).map_err(|error| error.to_string())?);
            }
            let mut offsets = serde_json::Map::new();
            let mut pools = serde_json::Map::new();
            let layouts = run.tree.layouts(ALIGN, |buffer| sizes[buffer.0 as usize]);
            for (layout, pool_name) in layouts.into_iter().zip(&names) {
                pools.insert(pool_name.clone(), json!(layout.bytes));
                for name in &self.names {
                    if let Some(offset) = self.offset_in(&run.tree, &layout, name) {
                        offsets.insert(name.clone(), json!(offset));
                    }
                }
            }
            same(&at("offsets"), &Value::Object(offsets), &evaluation["offsets"])?;
            same(&at("pools"), &Value::Object(pools), &evaluation["pools"])?;
        }
        Ok(())
    }

    fn offset_in(&self, tree: &Tree, layout: &memplan_core::trace::Layout, name: &str) -> Option<u64> {
        let is_it = |node: TreeNodeId| matches!(&tree.nodes[node], TreeNode::Leaf { buffer } if self.names[buffer.0 as usize] == name);
        layout.regions.iter().find(|region| is_it(region.node)).map(|region| region.offset)
    }

    /// Index of a pool within its device's list.
    fn device_index(&self, run: &Run, pool: usize) -> usize {
        run.states[..pool].iter().filter(|state| state.device == run.states[pool].device).count()
    }

    /// The path of every node: index of the pool in its device's list, then child numbers, `L` and
    /// `R`.
    fn paths(&self, tree: &Tree, run: &Run) -> HashMap<TreeNodeId, String> {
        let mut paths = HashMap::new();
        for (pool, &root) in tree.roots.iter().enumerate() {
            paths.insert(root, self.device_index(run, pool).to_string());
            for node in tree.preorder(root) {
                let path = paths[&node].clone();
                match &tree.nodes[node] {
                    TreeNode::Temporal { children } => children.iter().enumerate().for_each(|(number, child)| {
                        paths.insert(*child, format!("{path}.{number}"));
                    }),
                    TreeNode::Spatial { left, right } => {
                        paths.insert(*left, format!("{path}.L"));
                        paths.insert(*right, format!("{path}.R"));
                    }
                    _ => {}
                }
            }
        }
        paths
    }

    fn slots(&self, tree: &Tree, root: TreeNodeId, end: impl Fn(TreeNodeId) -> TreeNodeId) -> IdVec<TreeNodeId, u64> {
        let mut slots: IdVec<TreeNodeId, u64> = IdVec::from_elem(0, tree.nodes.len());
        for &node in tree.preorder(root).iter().rev() {
            slots[node] = match &tree.nodes[node] {
                TreeNode::Leaf { buffer } => self.groups[buffer.0 as usize].size,
                TreeNode::Empty { bytes } => *bytes,
                _ if end(node) != node => slots[end(node)],
                TreeNode::Temporal { children } => children.iter().map(|&child| slots[child]).max().unwrap_or(0),
                TreeNode::Spatial { left, right } => slots[*left].next_multiple_of(ALIGN) + slots[*right],
            };
        }
        slots
    }

    /// The tree while building, with size hints.
    fn tree_json(&self, tree: &Tree, root: TreeNodeId) -> Value {
        let slots = self.slots(tree, root, |node| node);
        self.node_json(tree, root, &slots, &|node| node)
    }

    /// The tree after finalising.
    fn final_json(&self, tree: &Tree, layout: &memplan_core::trace::Layout) -> Value {
        let ends: HashMap<TreeNodeId, TreeNodeId> =
            layout.regions.iter().map(|region| (region.node, region.becomes)).collect();
        let root = layout.regions[0].node;
        let end = |node: TreeNodeId| ends[&node];
        let slots = self.slots(tree, root, end);
        self.node_json(tree, root, &slots, &end)
    }

    fn node_json(
        &self,
        tree: &Tree,
        node: TreeNodeId,
        slots: &IdVec<TreeNodeId, u64>,
        end: &dyn Fn(TreeNodeId) -> TreeNodeId,
    ) -> Value {
        let node = end(node);
        let child = |child: TreeNodeId| self.node_json(tree, child, slots, end);
        match &tree.nodes[node] {
            TreeNode::Leaf { buffer } => json!(["A", self.names[buffer.0 as usize]]),
            TreeNode::Empty { bytes } => json!(["E", bytes]),
            TreeNode::Temporal { children } => {
                json!(["T", slots[node], children.iter().map(|&id| child(id)).collect::<Vec<_>>()])
            }
            TreeNode::Spatial { left, right } => json!(["S", slots[node], child(*left), child(*right)]),
        }
    }

    fn hints(&self) -> BTreeMap<String, u64> {
        let Some(all) = self.case["symbols"].as_object() else { return BTreeMap::new() };
        all.iter().filter_map(|(name, symbol)| Some((name.clone(), symbol["hint"].as_u64()?))).collect()
    }
}

/// An event as the recorded trace writes it.
fn trace_entry(event: &Event, paths: &HashMap<TreeNodeId, String>, index: impl Fn(usize) -> usize) -> Option<Value> {
    Some(match *event {
        Event::AskPool { verdict, is_last, can_expand, pool } => {
            json!([index(pool as usize).to_string(), "P", is_last, can_expand, name_of(verdict)])
        }
        Event::AskTemporal { verdict, is_last, node, overlaps, slot } => {
            json!([paths[&node], "T", slot, overlaps, is_last, name_of(verdict)])
        }
        Event::AskSpatial { verdict, is_last, node } => json!([paths[&node], "S", is_last, name_of(verdict)]),
        Event::AtEnd { pool } => json!([index(pool as usize).to_string(), "end"]),
        _ => return None,
    })
}

fn name_of(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::InTree => "in_tree",
        Verdict::AtEnd => "at_end",
        Verdict::Full => "full",
        Verdict::OutsideRestrictedRange => "outside_restricted_range",
        Verdict::SizeNotKnown => "size_not_known_at_pool_start",
        Verdict::TooSmall => "too_big",
        Verdict::ManyOverlaps => "many_overlaps",
        Verdict::ChildRefused => "child_refused",
        Verdict::InChild => "in_child",
        Verdict::Exact => "exact",
        Verdict::Split => "split",
        Verdict::Grow => "grow",
        Verdict::Left => "L",
        Verdict::Right => "R",
        Verdict::Refused => "refused",
        _ => "not a verdict of a tree",
    }
}

/// A number, or an expression of the reference at the given symbol values. `align(...)` is the
/// original's rounding.
fn value_at(value: &Value, symbols: &BTreeMap<String, u64>) -> Result<u64, String> {
    if let Some(number) = value.as_u64() {
        return Ok(number);
    }
    let source = text(value)?;
    // align(x) = 64 * ceil(x / 64): rewritten into functions the expression reader has.
    let mut rewritten = source.to_string();
    while let Some(at) = rewritten.find("align(") {
        let inner = at + "align(".len();
        let mut depth = 1;
        let end = rewritten[inner..].find(|c| {
            depth += (c == '(') as i32 - (c == ')') as i32;
            depth == 0
        });
        let end = inner + end.ok_or("unbalanced align")?;
        rewritten = format!("{}64*CeilDiv({}, 64){}", &rewritten[..at], &rewritten[inner..end], &rewritten[end + 1..]);
    }
    let expr = Expr::parse(&rewritten).map_err(|error| format!("{source}: {error}"))?;
    expr.size(symbols).map_err(|error| format!("{source}: {error}"))
}

fn symbols(value: &Value) -> Result<BTreeMap<String, u64>, String> {
    let object = value.as_object().ok_or("no symbols")?;
    object.iter().map(|(name, value)| Ok((name.clone(), whole(value)?))).collect()
}

/// The wrapper lines of a file.
pub fn parse_lines(lines: &Value, ids: &HashMap<&str, usize>) -> Result<Vec<Line>, String> {
    let id = |value: &Value| -> Result<usize, String> {
        let name = text(value)?;
        ids.get(name).copied().ok_or(format!("unknown buffer {name}"))
    };
    let parse = |line: &Value| -> Result<Line, String> {
        let node = || whole(&line[2]).map(|node| node as usize);
        Ok(match text(&line[0])? {
            "alloc" => Line::Alloc { buffer: id(&line[1])?, node: node()? },
            "free" => Line::Free { buffer: id(&line[1])?, node: node()? },
            "reuse" => Line::Reuse { old: id(&line[1])?, new: id(&line[2])? },
            "view" => Line::View { base: id(&line[1])?, new: id(&line[2])? },
            "null" => Line::Null,
            "enter_subgraph" => Line::EnterSubgraph,
            "exit_subgraph" => Line::ExitSubgraph,
            _ => Line::Other,
        })
    };
    list(lines)?.iter().map(parse).collect()
}

pub fn same(what: &str, ours: &Value, theirs: &Value) -> Result<(), String> {
    if ours == theirs { Ok(()) } else { Err(format!("{what}\n  ours:   {ours}\n  theirs: {theirs}")) }
}

pub fn text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| format!("{value} is no text"))
}

pub fn whole(value: &Value) -> Result<u64, String> {
    value.as_u64().ok_or_else(|| format!("{value} is no whole number"))
}

pub fn list(value: &Value) -> Result<&Vec<Value>, String> {
    value.as_array().ok_or_else(|| format!("{value} is no list"))
}
