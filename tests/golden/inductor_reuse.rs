//! PyTorch Inductor's `memory_plan_reuse` on recorded wrapper lines, and the planner on the graphs
//! they came from.

use std::collections::{BTreeSet, HashMap};

use memplan_core::graph::{Dim, Dtype, Expr, Graph, Kind, Node, Tensor};
use memplan_core::problem::{Scope, lifetimes};
use memplan_core::trace::{Event, Outcome, Recorder};
use memplan_planners::inductor_reuse::{Facts, InductorReuse, LineTraversal, PeakEstimate, Reason, Rules, Span, tail};
use memplan_planners::wrapper_lines::{Line, lines_of};
use memplan_planners::{Input, Planner};
use serde_json::{Value, json};

use crate::inductor::{list, parse_lines, same, text, whole};

pub fn run(case: &Value) -> Result<(), String> {
    let golden = Golden::new(case)?;
    golden.check_keys()?;
    golden.check_estimate()?;
    golden.check_walk()?;
    if case["how"] == "fx-live-ranges" || case["how"] == "random" { golden.check_as_graph() } else { Ok(()) }
}

struct Golden<'a> {
    case: &'a Value,
    names: Vec<&'a str>,
    ids: HashMap<&'a str, usize>,
    facts: Vec<Facts>,
    lines: Vec<Line>,
}

impl<'a> Golden<'a> {
    fn new(case: &'a Value) -> Result<Self, String> {
        let mut golden = Golden { case, names: vec![], ids: HashMap::new(), facts: vec![], lines: vec![] };
        let mut keys: HashMap<String, u32> = HashMap::new();
        for (index, buffer) in list(&case["buffers"])?.iter().enumerate() {
            let name = text(&buffer["name"])?;
            golden.ids.insert(name, index);
            golden.names.push(name);
            let flag = |flag: &str| buffer["flags"].as_array().is_some_and(|flags| flags.iter().any(|one| one == flag));
            let next = keys.len() as u32;
            golden.facts.push(Facts {
                key: *keys.entry(buffer["key"].to_string()).or_insert(next),
                bytes: buffer["bytes"].as_u64().unwrap_or(0),
                removed: flag("removed"),
                bound: flag("aliases_an_input") || flag("multi_output"),
                kept_apart: flag("never_reuse_but_free"),
            });
        }
        golden.lines = parse_lines(&case["lines"], &golden.ids)?;
        Ok(golden)
    }

    fn is_output(&self, buffer: usize) -> bool {
        list(&self.case["outputs"]).is_ok_and(|outputs| outputs.iter().any(|name| *name == self.names[buffer]))
    }

    /// The length in the key follows from shape and strides, and one text stands for one
    /// polynomial.
    fn check_keys(&self) -> Result<(), String> {
        for buffer in list(&self.case["buffers"])? {
            let (Some(shape), Some(stride)) = (buffer["shape"].as_array(), buffer["stride"].as_array()) else {
                continue;
            };
            let length = match shape.iter().any(|extent| extent == 0) {
                true => "0".to_string(),
                false => shape.iter().zip(stride).fold("1".to_string(), |length, (extent, stride)| {
                    format!("{length} + (({})-1)*({})", plain(extent), plain(stride))
                }),
            };
            let normal =
                |text: &str| Expr::parse(text).map(|expr| expr.normal()).map_err(|error| format!("{text}: {error}"));
            let theirs = text(&buffer["key"][2])?;
            same(&format!("length of {}", buffer["name"]), &json!(normal(&length)?), &json!(normal(theirs)?))?;
        }
        Ok(())
    }

    /// The estimate from what the nodes write and read, where the file records that.
    fn check_estimate(&self) -> Result<(), String> {
        let (Some(nodes), Some(recorded)) =
            (self.case["nodes"].as_array(), self.case["result"]["peak_estimate"].as_array())
        else {
            return Ok(());
        };
        let mut last: HashMap<&str, usize> = HashMap::new();
        for (index, node) in nodes.iter().enumerate() {
            for name in list(&node["reads"])? {
                last.insert(text(name)?, index);
            }
        }
        let mut spans = Vec::new();
        for input in list(&self.case["inputs"])?.iter().filter(|input| input["freeable"] == true) {
            let name = text(&input["name"])?;
            if let Some(reader) = last.get(name) {
                spans.push(Span { bytes: whole(&input["bytes"])?, from: 0, until: Some(reader + 1) });
            }
        }
        for (from, node) in nodes.iter().enumerate() {
            for name in list(&node["writes"])? {
                let name = text(name)?;
                let buffer = *self.ids.get(name).ok_or(format!("unknown buffer {name}"))?;
                let until = (!self.is_output(buffer)).then(|| last.get(name).copied().unwrap_or(from) + 1);
                // What is fused away is never allocated.
                let bytes = if self.facts[buffer].removed { 0 } else { self.facts[buffer].bytes };
                spans.push(Span { bytes, from, until });
            }
        }
        let ours = PeakEstimate::of(nodes.len(), spans);
        // Nothing is recorded where nothing was estimated, as reuse was not allowed.
        let Some(recorded) = recorded.first() else {
            return same("reuse", &self.case["options"]["allow_buffer_reuse"], &json!(false));
        };
        same("peak estimate", &json!({"overall_peak": ours.peak(), "by_node": ours.by_node()}), recorded)
    }

    fn check_walk(&self) -> Result<(), String> {
        let result = &self.case["result"];
        let recorded = result["peak_estimate"].as_array().map_or(&[][..], Vec::as_slice);
        let mut estimates = Vec::new();
        for estimate in recorded {
            let values = list(&estimate["by_node"])?.iter().map(whole).collect::<Result<Vec<u64>, String>>()?;
            estimates.push(PeakEstimate::from_values(values));
        }
        let dropped = tail(&self.lines, |buffer| self.is_output(buffer));
        let rules = Rules { reuse: self.case["options"]["allow_buffer_reuse"] == true, peak_test: true };
        let mut walk = LineTraversal::new(&self.facts, rules, estimates, &|_, _| true);
        let (mut decisions, mut assignments, mut stopped) = (vec![], vec![], false);
        // A run of other lines is one entry of the file.
        let mut next = 0;
        for (entry, &line) in self.lines[..self.lines.len() - dropped].iter().enumerate() {
            let index = next;
            next += self.case["lines"][entry][1].as_u64().filter(|_| line == Line::Other).unwrap_or(1);
            let asked = walk.step(line);
            let Line::Alloc { buffer, node } = line else { continue };
            if let Some(asked) = asked {
                stopped |= asked.reason == Reason::Inverted;
                let peak = walk.estimate().peak();
                let mut decision = json!({"buf": self.names[buffer], "candidate": self.names[asked.candidate],
                    "bytes": self.facts[buffer].bytes, "free_node": asked.free_node, "alloc_node": node,
                    "reuse": asked.is_taken()});
                let (why, between) = match asked.reason {
                    Reason::Adjacent => ("adjacent", None),
                    Reason::Fits { between } => ("fits_under_peak", Some(between)),
                    Reason::WouldRaise { between } => ("would_raise_peak", Some(between)),
                    other => (if other == Reason::Inverted { "inverted" } else { "not of the original" }, None),
                };
                decision["why"] = json!(why);
                if let Some(between) = between {
                    decision["peak_between"] = json!(between);
                    decision["overall_peak"] = json!(peak);
                }
                decisions.push(decision);
            }
            if !self.facts[buffer].removed {
                let taken = asked.filter(|asked| asked.is_taken()).map(|asked| self.names[asked.candidate]);
                assignments.push(json!({"line": index, "buf": self.names[buffer], "reuses": taken}));
            }
        }
        same("stops with an error", &json!(stopped), &json!(!result["raises"].is_null()))?;
        if stopped {
            return Ok(());
        }
        same("dropped lines", &json!(dropped), &result["dropped_tail_lines"])?;
        same("decisions", &json!(decisions), &result["decisions"])?;
        same("assignments", &json!(assignments), &result["assignments"])?;
        let written = walk.lines().enumerate().map(|(index, (line, taken))| self.written(index, line, taken));
        same("lines after", &json!(written.collect::<Vec<_>>()), &result["lines_after"])
    }

    /// A line of the result as the file writes it.
    fn written(&self, index: usize, line: Line, taken: bool) -> Value {
        let name = |buffer: usize| self.names[buffer];
        match line {
            Line::Alloc { buffer, node } => json!(["alloc", name(buffer), node]),
            Line::Free { buffer, node } if taken => json!(["free", name(buffer), node, "reused"]),
            Line::Free { buffer, node } => json!(["free", name(buffer), node]),
            Line::Reuse { old, new } => json!(["reuse", name(old), name(new)]),
            Line::View { base, new } => json!(["view", name(base), name(new)]),
            Line::Null => json!(["null"]),
            // The count of a run of other lines is no matter of planning.
            Line::EnterSubgraph | Line::ExitSubgraph | Line::Other => self.case["lines"][index].clone(),
        }
    }

    /// The same network as an ordinary graph: the lines made from it are the recorded ones, and so
    /// are the takeovers.
    fn check_as_graph(&self) -> Result<(), String> {
        let mut graph = Graph { name: "golden".into(), ..Graph::default() };
        let device = graph.devices.push("cpu".into());
        let mut tensors = HashMap::new();
        for (index, buffer) in list(&self.case["buffers"])?.iter().enumerate() {
            let dtype = Dtype::from_name(text(&buffer["dtype"])?).ok_or("unknown element type")?;
            let extents = list(&buffer["shape"])?.iter().map(whole).collect::<Result<Vec<u64>, String>>()?;
            let id = graph.tensors.push(Tensor {
                name: self.names[index].to_string(),
                dtype,
                shape: extents.into_iter().map(Dim::Fixed).collect(),
                kind: if self.is_output(index) { Kind::Output } else { Kind::Intermediate },
                bytes: None,
                device,
                own_device: true,
                align: None,
                mem_id: None,
                role: None,
            });
            tensors.insert(self.names[index], id);
        }
        let mut tops = BTreeSet::new();
        for node in list(&self.case["nodes"])? {
            let ids = |names: &Value| -> Result<Vec<_>, String> {
                let ids = list(names)?.iter().filter_map(|name| tensors.get(name.as_str()?).copied());
                Ok(ids.collect())
            };
            let outputs = ids(&node["writes"])?;
            tops.extend(outputs.iter().copied());
            graph.nodes.push(Node {
                name: format!("n{}", graph.nodes.len()),
                op: "op".into(),
                inputs: ids(&node["reads"])?,
                outputs,
                device: None,
                inplace: vec![],
                ignore_inputs: vec![],
                attrs: Default::default(),
            });
        }
        let problem = lifetimes(&graph, &Scope::default()).map_err(|error| format!("{error:?}"))?;
        same("buffers of the graph", &json!(problem.buffers.len()), &json!(tops.len()))?;
        let name = |buffer: usize| problem.buffers.as_slice()[buffer].name.as_str();
        let by_name = |line: Line| match line {
            Line::Alloc { buffer, node } => json!(["alloc", name(buffer), node]),
            Line::Free { buffer, node } => json!(["free", name(buffer), node]),
            _ => json!(["other", 1]),
        };
        let ours: Vec<Value> = lines_of(&problem, |_| None).into_iter().map(by_name).collect();
        same("lines of the graph", &json!(ours), &self.case["lines"])?;

        let input = Input { problem: &problem, graph: Some(&graph) };
        let mut recorder = Recorder::default();
        let plan = InductorReuse.plan(input, &InductorReuse.info().defaults(), &mut recorder);
        let plan = plan.map_err(|error| format!("{error:?}"))?;
        let mut tenants: HashMap<u32, &str> = HashMap::new();
        let mut takeovers = Vec::new();
        for event in &recorder.events {
            let Event::Place { outcome, buffer, pool, .. } = *event else { continue };
            let name = problem.buffers[buffer].name.as_str();
            let before = tenants.insert(pool, name);
            let taken = before.filter(|_| outcome == Outcome::Reuse);
            takeovers.push(json!({"buf": name, "reuses": taken}));
            same("storage in the plan", &json!(plan.places[buffer].map(|place| place.pool.0)), &json!(pool))?;
        }
        let recorded = list(&self.case["result"]["assignments"])?.iter();
        let recorded: Vec<Value> = recorded.map(|one| json!({"buf": one["buf"], "reuses": one["reuses"]})).collect();
        same("takeovers of the planner", &json!(takeovers), &json!(recorded))
    }
}

/// An extent as text of an expression.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}
