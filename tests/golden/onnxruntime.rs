//! ONNX Runtime's allocation plan and memory pattern.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use memplan_core::base::align_up;
use memplan_core::graph::{Dtype, Graph};
use memplan_core::plan::faults;
use memplan_core::problem::{Branches, Buffer, BufferId, Live, Memory, Problem, Scope, lifetimes};
use memplan_core::trace::{Event, Note, Outcome, Recorder, Silent};
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::onnxruntime::order::runtime_order;
use memplan_planners::onnxruntime::{
    ALIGN, Decision, Extent, Kernel, Network, OnnxRuntime, Planned, Role, Setting, Value as Made, Way, run as plan,
};
use memplan_planners::{self as planner, Planner};
use serde_json::{Value, json};

/// What the arena rounds sizes up to when there is no pattern.
const ARENA: u64 = 64;

pub fn run(case: &Value) -> Result<(), String> {
    let session = Session::new(case)?;
    let expected = &case["expected"];
    same("order", &json!(session.order), &expected["order"])?;
    let branches = Branches::default();
    let reuse = case["options"]["enable_mem_reuse"] != json!(false);
    let setting = Setting { reuse, align: ALIGN, branches: &branches };
    let mut recorder = Recorder::default();
    let planned = plan(&session.problem, &session.network, setting, &mut recorder).ok_or("stopped")?;
    session.check_values(&planned, &expected["values"])?;
    same("block", &json!(planned.totals[0]), &expected["pattern_bytes"])?;
    if !expected["events"].is_null() {
        session.check_events(&planned, &recorder.events, &expected["events"])?;
    }
    check_from_file(case)
}

/// The graph of a case as the planner takes it.
struct Session {
    names: Vec<String>,
    bytes: Vec<u64>,
    order: Vec<String>,
    network: Network,
    problem: Problem,
}

impl Session {
    fn new(case: &Value) -> Result<Session, String> {
        let tensors = list(&case["graph"]["tensors"])?;
        let names: Vec<String> =
            tensors.iter().map(|tensor| Ok(text(&tensor["name"])?.into())).collect::<Result<_, String>>()?;
        let number: HashMap<&str, u32> = names.iter().map(String::as_str).zip(0..).collect();
        let mut problem = Problem {
            memories: vec![Memory { device: "cpu".into(), mem_id: None }].into(),
            steps: 1,
            ..Problem::default()
        };
        let (mut values, mut sizes) = (Vec::new(), Vec::new());
        for tensor in tensors {
            let (value, bytes) = value(tensor, &case["options"]["symbols"])?;
            let buffer = (value.role == Role::Made).then(|| {
                problem.buffers.push(Buffer::of(text(&tensor["name"]).unwrap_or_default(), bytes, Live::new(0, 1)))
            });
            values.push(Made { buffer, ..value });
            sizes.push(bytes);
        }
        let listed = list(&case["graph"]["nodes"])?;
        let nodes: Vec<&Value> = match case["options"]["file_order"].as_array() {
            Some(order) => order.iter().filter_map(|name| listed.iter().find(|node| node["name"] == *name)).collect(),
            None => listed.iter().collect(),
        };
        let of = |list: &Value| -> Result<Vec<u32>, String> {
            self::list(list)?
                .iter()
                .map(|name| number.get(text(name)?).copied().ok_or(format!("{name} is no tensor")))
                .collect()
        };
        let mut maker: HashMap<u32, u32> = HashMap::new();
        for (node, at) in nodes.iter().zip(0..) {
            maker.extend(of(&node["outputs"])?.into_iter().map(|output| (output, at)));
        }
        let mut makers: Vec<BTreeSet<u32>> = Vec::new();
        for node in &nodes {
            makers.push(of(&node["inputs"])?.iter().filter_map(|input| maker.get(input).copied()).collect());
        }
        let mut kernels = Vec::new();
        let mut order = Vec::new();
        for (node, at) in runtime_order(&makers).into_iter().map(|at| nodes[at as usize]).zip(0..) {
            let (inputs, outputs) = (of(&node["inputs"])?, of(&node["outputs"])?);
            let pairs = |pairs: Vec<(usize, usize)>| -> Vec<(u32, u32)> {
                let there = pairs.into_iter().filter(|&(input, output)| input < inputs.len() && output < outputs.len());
                there.map(|(input, output)| (inputs[input], outputs[output])).collect()
            };
            let views = match &node["attrs"]["alias"] {
                Value::String(text) if text == "true" => (0..outputs.len()).map(|output| (0, output)).collect(),
                Value::Number(input) => vec![(input.as_u64().unwrap_or(0) as usize, 0)],
                listed => slots(listed),
            };
            kernels.push(Kernel {
                node: at,
                views: pairs(views),
                pairs: pairs(slots(&node["inplace"])),
                inputs,
                outputs,
            });
            order.push(text(&node["name"])?.to_string());
        }
        Ok(Session { names, bytes: sizes, order, network: Network::new(values, kernels), problem })
    }

    fn check_values(&self, planned: &Planned, expected: &Value) -> Result<(), String> {
        for (name, theirs) in expected.as_object().ok_or("no values")? {
            let number = self.names.iter().position(|other| other == name).ok_or(format!("{name} is no tensor"))?;
            if theirs["plan"] == "empty" {
                continue;
            }
            let mut ours = match planned.decisions[number] {
                Decision::Outside if theirs["plan"] == "static" => json!({"plan": "static"}),
                Decision::Outside => json!({"plan": "pre_existing"}),
                Decision::Output => json!({"plan": "output"}),
                Decision::Allocate => json!({"plan": "allocate"}),
                Decision::Share { owner, way, .. } => {
                    json!({"plan": "reuse", "of": self.names[owner as usize], "in_place": way != Way::FreeList})
                }
            };
            let owner = planned.owners[number] as usize;
            if let Some(offset) = planned.offsets[owner] {
                ours["offset"] = json!(offset);
                // Every value of the block lies in the plan where its buffer does.
                let place = self.network.values[number].buffer.and_then(|id| planned.plan.places[id]);
                same(&format!("place of {name}"), &json!(place.map(|place| place.offset)), &json!(offset))?;
            }
            same(name, &ours, theirs)?;
        }
        Ok(())
    }

    /// Allocations and frees as the trace has them, and those of results, which it does not have.
    fn check_events(&self, planned: &Planned, events: &[Event], expected: &Value) -> Result<(), String> {
        let value_of: HashMap<BufferId, usize> =
            self.network.values.iter().enumerate().filter_map(|(at, value)| Some((value.buffer?, at))).collect();
        let mut at = 0;
        let mut allocated: Vec<usize> = Vec::new();
        let mut freed: BTreeSet<(u64, &str)> = BTreeSet::new();
        for event in events {
            match *event {
                Event::Note { note: Note::Node, subject, .. } => at = u64::from(subject),
                Event::Place { outcome: Outcome::InPlace | Outcome::Reuse | Outcome::Nothing, .. } => {}
                Event::Place { buffer, .. } => allocated.push(value_of[&buffer]),
                Event::Release { buffer } => {
                    let owner = planned.owners[value_of[&buffer]] as usize;
                    freed.insert((at + 1, &self.names[owner]));
                }
                _ => {}
            }
        }
        let mut ours: Vec<Value> = Vec::new();
        let mut in_order = allocated.iter();
        for (kernel, at) in self.network.kernels.iter().zip(0u64..) {
            ours.extend(freed.iter().filter(|(time, _)| *time == at).map(|(time, name)| json!(["free", name, time])));
            for &output in &kernel.outputs {
                let is_output = planned.decisions[output as usize] == Decision::Output;
                if !is_output && !allocated.contains(&(output as usize)) {
                    continue;
                }
                if !is_output {
                    same("order of allocations", &json!(in_order.next()), &json!(output))?;
                }
                let bytes = align_up(self.bytes[output as usize], ARENA);
                if bytes > 0 {
                    ours.push(json!(["alloc", self.names[output as usize], bytes, at]));
                }
            }
        }
        // Frees at one time have no fixed order.
        let mut theirs = list(expected)?.to_vec();
        let key = |event: &Value| {
            let is_free = event[0] == "free";
            let time = event[if is_free { 2 } else { 3 }].as_u64().unwrap_or(0);
            (time, !is_free, if is_free { event.to_string() } else { String::new() })
        };
        ours.sort_by_key(key);
        theirs.sort_by_key(key);
        let count = self.network.kernels.len() as u64;
        theirs.retain(|event| event[0] == "alloc" || event[2].as_u64() < Some(count));
        same("events", &json!(ours), &json!(theirs))
    }
}

/// A tensor as a value without a buffer, and its bytes.
fn value(tensor: &Value, symbols: &Value) -> Result<(Made, u64), String> {
    let name = text(&tensor["name"])?;
    let dtype = text(&tensor["dtype"])?;
    let bits = Dtype::from_name(dtype).ok_or(format!("{name}: unknown type {dtype}"))?.bits();
    let mut bytes = bits / 8;
    let mut shape = Vec::new();
    for extent in list(&tensor["shape"])? {
        let (extent, number) = match extent {
            Value::String(symbol) => {
                (Extent::Name(symbol.clone()), symbols[symbol].as_u64().ok_or(format!("{symbol} has no value"))?)
            }
            number => (Extent::Number(whole(number)?), whole(number)?),
        };
        bytes *= number;
        shape.push(extent);
    }
    let role = match text(&tensor["kind"])? {
        "input" | "weight" => Role::Outside,
        "output" => Role::Output,
        _ => Role::Made,
    };
    let is_unknown = tensor["attrs"]["unknown_shape"] == json!(true);
    let shape = (!is_unknown).then_some(shape);
    Ok((Made { buffer: None, role, bits, shape, stated: None, size: bytes, memory: 0, is_kept: false }, bytes))
}

/// The planner as everybody runs it, on the graph read as any file: the recorded order and offsets,
/// a plan with nothing wrong, and branches that stay parallel if that is asked for. Left out where
/// a file cannot say what the case needs.
fn check_from_file(case: &Value) -> Result<(), String> {
    let unknown = |tensor: &Value| tensor["attrs"]["unknown_shape"] == json!(true);
    if list(&case["graph"]["tensors"])?.iter().any(unknown) || !case["options"]["file_order"].is_null() {
        return Ok(());
    }
    let (graph, reads) = (read(&case["graph"])?, case["options"]["enable_mem_reuse"] != json!(false));
    let given = [("inplace", "stated"), ("enable_mem_reuse", if reads { "true" } else { "false" })];
    check_plan(&graph, &given, &case["expected"]).map_err(|error| format!("from the file: {error}"))?;
    if case["expected"]["pattern_bytes_real_kernels"].is_u64() {
        // The operators alone permit what was measured on their kernels.
        let mut bare = case["graph"].clone();
        for node in bare["nodes"].as_array_mut().into_iter().flatten() {
            node.as_object_mut().map(|node| node.remove("inplace"));
        }
        let given = [("inplace", "operators")];
        check_plan(&read(&bare)?, &given, &case["expected"]).map_err(|error| format!("by operators: {error}"))?;
    }
    check_branches(&graph)
}

fn read(graph: &Value) -> Result<Graph, String> {
    match import::read(graph.to_string().as_bytes(), Answers::default()).map(|read| read.document) {
        Ok(Document::Graph(graph)) => Ok(graph),
        other => Err(format!("the graph is not read: {other:?}")),
    }
}

fn check_plan(graph: &Graph, given: &[(&str, &str)], expected: &Value) -> Result<(), String> {
    let problem = lifetimes(graph, &Scope::default()).map_err(|error| format!("{error:?}"))?;
    let options = OnnxRuntime.info().options(given.iter().copied()).map_err(|error| error.to_string())?;
    let made = planner::run(&OnnxRuntime, &problem, Some(graph), &Scope::default(), &options, &mut Silent);
    let made = made.map_err(|error| format!("{error:?}"))?;
    let ran = made.reordered.as_ref().unwrap_or(graph);
    let order: Vec<&str> = ran.nodes.iter().map(|node| &*node.name).collect();
    same("order", &json!(order), &expected["order"])?;
    same("faults", &json!(faults(&made.problem, &made.plan).len()), &json!(0))?;
    let mut lies: BTreeMap<&str, Option<u64>> = BTreeMap::new();
    for (id, buffer) in made.problem.buffers.enumerate() {
        let offset = made.plan.places[id].map(|place| place.offset);
        lies.extend(buffer.tensors.iter().map(|&tensor| (&*ran.tensors[tensor].name, offset)));
    }
    for (name, theirs) in expected["values"].as_object().ok_or("no values")? {
        if theirs["plan"] != "empty" {
            same(name, &json!(lies.get(&**name)), &theirs["offset"])?;
        }
    }
    Ok(())
}

/// With branches kept parallel, whatever shares bytes is ordered by paths of the graph.
fn check_branches(graph: &Graph) -> Result<(), String> {
    let problem = lifetimes(graph, &Scope::default()).map_err(|error| format!("{error:?}"))?;
    let options = OnnxRuntime.info().options([("branch_safe", "true")]).map_err(|error| error.to_string())?;
    let made = planner::run(&OnnxRuntime, &problem, Some(graph), &Scope::default(), &options, &mut Silent);
    let made = made.map_err(|error| format!("{error:?}"))?;
    let branches = Branches::of(made.reordered.as_ref().unwrap_or(graph), &made.problem).ok_or("too large")?;
    let spans: Vec<(BufferId, u64, u64)> = made
        .problem
        .buffers
        .enumerate()
        .filter_map(|(id, buffer)| made.plan.places[id].map(|place| (id, place.offset, place.offset + buffer.size)))
        .collect();
    for (index, &(a, from, to)) in spans.iter().enumerate() {
        if let Some(&(b, ..)) =
            spans[..index].iter().find(|&&(b, start, end)| from < end && start < to && !branches.allow(a, b))
        {
            let name = |id: BufferId| &made.problem.buffers[id].name;
            return Err(format!("{} and {} share bytes across branches", name(a), name(b)));
        }
    }
    same("faults with branches kept", &json!(faults(&made.problem, &made.plan).len()), &json!(0))
}

/// The pairs of a list `[[a, b], …]`; none of anything else.
fn slots(pairs: &Value) -> Vec<(usize, usize)> {
    let number = |value: &Value| value.as_u64().map(|number| number as usize);
    pairs.as_array().into_iter().flatten().filter_map(|pair| Some((number(&pair[0])?, number(&pair[1])?))).collect()
}

fn same(what: &str, ours: &Value, theirs: &Value) -> Result<(), String> {
    if ours == theirs { Ok(()) } else { Err(format!("{what}: ours {ours}, theirs {theirs}")) }
}

fn list(value: &Value) -> Result<&[Value], String> {
    value.as_array().map(Vec::as_slice).ok_or(format!("{value} is no list"))
}

fn text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or(format!("{value} is no text"))
}

fn whole(value: &Value) -> Result<u64, String> {
    value.as_u64().ok_or(format!("{value} is no whole number"))
}
