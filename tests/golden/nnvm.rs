//! NNVM's `PlanMemory`, and `DecorateMemoryPlan` with `SetupStorage` where a case ran them.

use std::collections::HashMap;

use memplan_core::graph::{Dtype, Graph};
use memplan_core::plan::{Plan, Violation, check};
use memplan_core::problem::{Branches, BufferId, Problem, Scope, lifetimes};
use memplan_core::trace::{Event, Note, Outcome, Recorder, Silent, Verdict};
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::nnvm::{
    Answer, Assign, Entry, Layout, Network, Nnvm, Node, Pair, Read, Request, Slot, Takeover, Try, decorate,
    plan_memory, set_up,
};
use memplan_planners::{self as planner, Input, Made, Planner};
use serde_json::{Map, Value, json};

pub fn run(case: &Value) -> Result<(), String> {
    let golden = Golden::new(case)?;
    let expected = &case["expected"];
    let variables: Vec<&str> = golden.nodes().filter(|(_, node)| node.variable).map(|(name, _)| name).collect();
    same("variables", &json!(variables), &expected["variables"])?;
    let mut recorder = Recorder::default();
    let answer = golden.answer(&mut recorder)?;
    let Some((chosen, layout)) = &answer.kept else {
        return same("no result", &json!(true), &expected["no_result"]);
    };
    same("counts", &golden.by_entry(golden.network.counts(), |count| json!(count)), &expected["ref_count"])?;
    same("storage", &golden.by_entry(layout.slots.clone(), slot_json), &expected["storage_id"])?;
    let takeover = |takeover| match takeover {
        Takeover::None => json!(-1),
        Takeover::Unread => json!(-2),
        Takeover::Input(slot) => json!(slot),
    };
    same("takeovers", &golden.by_entry(layout.takeovers.clone(), takeover), &expected["inplace_index"])?;
    let block = |(id, block): (usize, &memplan_planners::nnvm::Block)| json!({"id": id, "bytes": block.bytes, "device": golden.devices[block.device as usize]});
    let blocks: Vec<Value> = layout.blocks.iter().enumerate().map(block).collect();
    same("blocks", &json!(blocks), &expected["blocks"])?;
    same("total", &json!(layout.total), &expected["total_bytes"])?;
    same("not allocated", &json!(layout.not_allocated), &expected["num_not_allocated"])?;
    let tried =
        |tried: &Try| json!({"match_range": tried.match_range, "total_bytes": tried.total, "num_blocks": tried.blocks});
    same("tried", &json!(answer.tried.iter().map(tried).collect::<Vec<_>>()), &expected["tried"])?;
    same("chosen", &json!(chosen), &expected["chosen_match_range"])?;
    golden.check_colors(&answer, &recorder.events)?;
    golden.check_search(&recorder.events)?;
    same("events", &json!(golden.steps(&recorder.events)), &expected["events"])?;
    golden.check_runtime(layout)?;
    golden.check_from_file(layout)
}

struct Golden<'a> {
    case: &'a Value,
    network: Network,
    /// Names of nodes in planning order, and of entries.
    node_names: Vec<String>,
    entry_names: Vec<String>,
    /// Real bytes and types come from here; `null` is the default device.
    devices: Vec<Value>,
}

impl<'a> Golden<'a> {
    fn new(case: &'a Value) -> Result<Self, String> {
        let graph = &case["graph"];
        let (tensors, nodes) = (list(&graph["tensors"])?, list(&graph["nodes"])?);
        let mut golden =
            Golden { case, network: Network::default(), node_names: vec![], entry_names: vec![], devices: vec![] };
        let mut entry_of: HashMap<&str, u32> = HashMap::new();
        for tensor in tensors {
            entry_of.insert(text(&tensor["name"])?, golden.entry_names.len() as u32);
            golden.entry_names.push(text(&tensor["name"])?.to_string());
            let id = BufferId(golden.network.entries.len() as u32);
            golden.network.entries.push(entry(tensor, id, &case["options"]["initial_storage"])?);
        }
        let mut maker: HashMap<&str, usize> = HashMap::new();
        for (index, node) in nodes.iter().enumerate() {
            for output in list(&node["outputs"])? {
                maker.insert(text(output)?, index);
            }
        }
        let mut number_of: HashMap<&str, u32> = HashMap::new();
        for step in depth_first(tensors, nodes, &maker)? {
            let number = golden.network.nodes.len() as u32;
            let mut node = match step {
                Step::Variable(name) => {
                    number_of.insert(name, number);
                    golden.node_names.push(name.to_string());
                    Node { variable: true, outputs: vec![entry_of[name]], ..Node::default() }
                }
                Step::Node(index) => {
                    for output in list(&nodes[index]["outputs"])? {
                        number_of.insert(text(output)?, number);
                    }
                    golden.node_names.push(text(&nodes[index]["name"])?.to_string());
                    let device = golden.device(&nodes[index]["device"]);
                    let node = operator(&nodes[index], &entry_of, &number_of)?;
                    for &output in &node.outputs {
                        golden.network.entries[output as usize].device = device;
                    }
                    node
                }
            };
            node.id = number;
            golden.network.nodes.push(node);
        }
        same("order of the nodes", &json!(golden.node_names), &case["expected"]["node_order"])?;
        Ok(golden)
    }

    fn device(&mut self, name: &Value) -> u32 {
        let known = self.devices.iter().position(|other| other == name);
        known.unwrap_or_else(|| {
            self.devices.push(name.clone());
            self.devices.len() - 1
        }) as u32
    }

    fn nodes(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.node_names.iter().map(String::as_str).zip(&self.network.nodes)
    }

    fn answer(&self, recorder: &mut Recorder) -> Result<Answer, String> {
        let options = &self.case["options"];
        let range = match options["node_range"].as_array().map(Vec::as_slice) {
            Some([first, end]) => whole(first)? as usize..whole(end)? as usize,
            _ => 0..self.network.nodes.len(),
        };
        let request = Request {
            keep: None,
            match_range: whole(&options["match_range"])?,
            search: options["auto_search"].as_bool().unwrap_or(false),
            num_temp: whole(&options["num_match_color"])?,
            inplace: true,
            range,
            branches: &Branches::default(),
        };
        plan_memory(&self.network, &request, recorder).map_err(|error| format!("{error:?}"))
    }

    /// Facts of the entries that the file lists, by name: those that some node makes or reads.
    fn by_entry<T>(&self, facts: Vec<T>, value: impl Fn(T) -> Value) -> Value {
        let named = self.entry_names.iter().zip(facts).map(|(name, fact)| (name.clone(), value(fact)));
        Value::Object(named.collect::<Map<_, _>>())
    }

    fn check_colors(&self, answer: &Answer, events: &[Event]) -> Result<(), String> {
        let expected = &self.case["expected"];
        let Some((colors, count)) = &answer.colors else {
            return same("colours", &Value::Null, &expected["colors"]);
        };
        let named: Map<String, Value> =
            self.node_names.iter().zip(colors).map(|(name, color)| (name.clone(), json!(color))).collect();
        same("colours", &Value::Object(named), &expected["colors"])?;
        same("number of colours", &json!(count), &expected["num_colors"])?;
        for event in events {
            if let Event::Note { note: Note::Color, subject, a, .. } = event {
                let name = &self.node_names[*subject as usize];
                same(&format!("colour of {name}"), &json!(a), &expected["colors"][name])?;
            }
        }
        Ok(())
    }

    /// The tries reported before the first decision are the recorded ones.
    fn check_search(&self, events: &[Event]) -> Result<(), String> {
        if self.case["options"]["auto_search"] != true {
            return Ok(());
        }
        let notes = |wanted: Note| -> Vec<Value> {
            let notes = events.iter().filter_map(|event| match *event {
                Event::Note { note, subject, a, .. } if note == wanted => Some(json!([subject, a])),
                _ => None,
            });
            notes.collect()
        };
        let tried = list(&self.case["expected"]["tried"])?.iter();
        let tried: Vec<Value> = tried.map(|tried| json!([tried["match_range"], tried["total_bytes"]])).collect();
        same("tries", &json!(notes(Note::Try)), &json!(tried))?;
        let kept = json!([[self.case["expected"]["chosen_match_range"], self.case["expected"]["total_bytes"]]]);
        same("range kept", &json!(notes(Note::Keep)), &kept)
    }

    /// The recorded steps, rebuilt from the trace alone.
    fn steps(&self, events: &[Event]) -> Vec<Value> {
        let name = |buffer: BufferId| json!(self.entry_names[buffer.0 as usize]);
        let (mut node, mut donor) = (0, Value::Null);
        let mut sizes: HashMap<u32, u64> = HashMap::new();
        let mut lies: HashMap<BufferId, u32> = HashMap::new();
        let mut steps = Vec::new();
        for event in events {
            match *event {
                Event::Note { note: Note::Node, subject, .. } => node = subject as usize,
                Event::Note { note: Note::InPlaceGranted | Note::InPlaceIdentity, subject, .. } => {
                    donor = name(BufferId(subject));
                }
                Event::Place { outcome, buffer, pool, .. } => {
                    lies.insert(buffer, pool);
                    let outcome_name = match outcome {
                        Outcome::NewStorage => "new",
                        Outcome::Enlarge => "reuse_smaller",
                        Outcome::Reuse => "reuse_larger",
                        _ => "inplace",
                    };
                    let step = &self.node_names[node];
                    let tensor = name(buffer);
                    steps.push(if outcome_name == "inplace" {
                        json!({"node": step, "event": outcome_name, "tensor": tensor, "input": donor, "id": pool})
                    } else {
                        let request = self.network.entries[buffer.0 as usize].request.unwrap_or(0);
                        let before = sizes.get(&pool).copied().unwrap_or(0);
                        let after = before.max(request);
                        sizes.insert(pool, after);
                        json!({"node": step, "event": outcome_name, "tensor": tensor, "id": pool, "request": request,
                            "before": before, "after": after})
                    });
                }
                Event::AskStorage { verdict: Verdict::Chosen, pool, size } if sizes.get(&pool) != Some(&size) => {
                    steps.push(json!(format!("storage {pool} reported with {size} bytes")));
                }
                Event::Release { buffer } => {
                    let (step, pool) = (&self.network.nodes[node], lies[&buffer]);
                    let unread = step.outputs.contains(&buffer.0);
                    let name = &self.node_names[node];
                    let bytes = sizes.get(&pool);
                    steps.push(if unread {
                        json!({"node": name, "event": "release_unread", "tensor": self.entry_names[buffer.0 as usize],
                            "id": pool, "bytes": bytes})
                    } else {
                        json!({"node": name, "event": "release", "id": pool, "bytes": bytes})
                    });
                }
                _ => {}
            }
        }
        steps
    }

    /// The planner as everybody runs it, on the graph read as any file: a plan with nothing wrong
    /// but what it names itself, and the recorded storages wherever a file can say what the case
    /// needs.
    fn check_from_file(&self, layout: &Layout) -> Result<(), String> {
        let options = &self.case["options"];
        let read = import::read(self.readable_graph().to_string().as_bytes(), Answers::default());
        let graph = match read.map(|read| read.document) {
            Ok(Document::Graph(graph)) => graph,
            other => return Err(format!("the graph is not read: {other:?}")),
        };
        let problem = lifetimes(&graph, &Scope::default()).map_err(|error| format!("{error:?}"))?;
        let values = [
            ("match_range", options["match_range"].to_string()),
            ("search", options["auto_search"].to_string()),
            ("num_temp", options["num_match_color"].to_string()),
            ("element_bytes", "4".to_string()),
            ("inplace", "true".to_string()),
        ];
        let chosen = Nnvm.info().options(values.iter().map(|(key, value)| (*key, value.as_str())));
        let chosen = chosen.map_err(|error| error.to_string())?;
        let made = planner::run(&Nnvm, &problem, Some(&graph), &Scope::default(), &chosen, &mut Silent);
        let Made { problem, plan, .. } = made.map_err(|error| format!("{error:?}"))?;
        same("faults of the plan", &json!(faults(&problem, &plan)), &json!([]))?;
        self.check_branches(&graph, &problem)?;
        let entry = |entry: u32| &self.network.entries[entry as usize];
        let crosses = layout.shared.iter().any(|&(acceptor, donor)| entry(acceptor).device != entry(donor).device);
        let starts = self.network.entries.iter().any(|entry| entry.start != Slot::Unset || entry.request.is_none());
        if crosses || starts || !options["node_range"].is_null() {
            return Ok(());
        }
        for (id, buffer) in problem.buffers.enumerate() {
            let ours = plan.places[id].map_or(-1, |place| i64::from(place.pool.0));
            let theirs = &self.case["expected"]["storage_id"][&buffer.name];
            same(&format!("storage of {} from the file", buffer.name), &json!(ours), theirs)?;
        }
        Ok(())
    }

    /// With branches kept parallel, whatever lies in one storage is ordered by paths of the graph.
    fn check_branches(&self, graph: &Graph, problem: &Problem) -> Result<(), String> {
        let options = Nnvm.info().options([("branch_safe", "true"), ("inplace", "true")]);
        let options = options.map_err(|error| error.to_string())?;
        let input = Input { problem, graph: Some(graph) };
        let plan = Nnvm.plan(input, &options, &mut Silent).map_err(|error| format!("{error:?}"))?;
        let branches = Branches::of(graph, problem).ok_or("the graph is too large")?;
        let placed: Vec<BufferId> = problem.buffers.ids().filter(|&id| plan.places[id].is_some()).collect();
        for (index, &a) in placed.iter().enumerate() {
            let together = placed[..index].iter().filter(|&&b| plan.places[a] == plan.places[b]);
            if let Some(&b) = together.into_iter().find(|&&b| !branches.allow(a, b)) {
                let name = |id: BufferId| &problem.buffers[id].name;
                return Err(format!("{} and {} share a storage across branches", name(a), name(b)));
            }
        }
        same("faults with branches kept", &json!(faults(problem, &plan)), &json!([]))
    }

    /// The graph without permissions between different numbers of bytes: reading a file refuses
    /// them, the pass never uses them.
    fn readable_graph(&self) -> Value {
        let mut graph = self.case["graph"].clone();
        let bytes: HashMap<&str, u64> =
            self.entry_names.iter().map(String::as_str).zip(self.network.entries.iter().map(|e| e.bytes)).collect();
        for node in graph["nodes"].as_array_mut().into_iter().flatten() {
            let Some(pairs) = node["inplace"].as_array().cloned() else { continue };
            let size = |list: &str, index: &Value| {
                let name = node[list].get(index.as_u64()? as usize)?.as_str()?;
                bytes.get(name).copied()
            };
            let fits = |pair: &Value| size("inputs", &pair[0]) == size("outputs", &pair[1]);
            let kept: Vec<bool> = pairs.iter().map(fits).collect();
            let keep = |index: &usize| kept.get(*index).copied().unwrap_or(false);
            let flags = node["attrs"]["inplace_identity"].as_str().map(|flags| {
                let flags = flags.split(',').enumerate().filter(|(index, _)| keep(index));
                flags.map(|(_, flag)| flag).collect::<Vec<_>>().join(",")
            });
            let pairs: Vec<Value> =
                pairs.into_iter().enumerate().filter(|(index, _)| keep(index)).map(|(_, pair)| pair).collect();
            node["inplace"] = json!(pairs);
            if let Some(flags) = flags {
                node["attrs"]["inplace_identity"] = json!(flags);
            }
        }
        graph
    }

    fn check_runtime(&self, layout: &Layout) -> Result<(), String> {
        let options = &self.case["options"]["decorate"];
        if options.is_null() {
            return Ok(());
        }
        let mut network = self.network.clone();
        let mut cases = Vec::new();
        for (name, node) in self.node_names.iter().zip(&mut network.nodes) {
            let case = match options["assign_flag"][name].as_u64() {
                Some(2) => Assign::Nothing,
                Some(1) => Assign::Copy,
                _ => Assign::No,
            };
            node.assign = case != Assign::No;
            cases.push(case);
        }
        let slots = decorate(&network, &layout.slots, &cases);
        let expected = &self.case["expected"]["decorated"];
        same("decorated storage", &self.by_entry(slots.clone(), slot_json), &expected["storage_id"])?;
        let contexts: Vec<u64> = match options["contexts"].as_array() {
            Some(contexts) => contexts.iter().map(whole).collect::<Result<_, _>>()?,
            None => vec![1],
        };
        let first = contexts.first().copied().unwrap_or(1);
        // A type for which there is no context is served by the first.
        let device = |name: &String| {
            let own = options["device_type"][name].as_u64().filter(|own| *own != 0).unwrap_or(first);
            if contexts.contains(&own) { own as u32 } else { first as u32 }
        };
        let devices: Vec<u32> = self.entry_names.iter().map(device).collect();
        let rooms = set_up(&network, &slots, &devices).map_err(|fault| format!("{fault:?}"))?;
        let room = |(id, room): (usize, &memplan_planners::nnvm::Room)| json!({"id": id, "bytes": room.floats(), "device_type": room.device});
        same("pool", &json!(rooms.iter().enumerate().map(room).collect::<Vec<_>>()), &expected["pool"])
    }
}

/// What is wrong with a plan besides the overlaps that it names itself.
fn faults(problem: &Problem, plan: &Plan) -> Vec<String> {
    let named = |a, b| plan.quirks.iter().any(|quirk| (quirk.a, quirk.b) == (a, b));
    let found = check(problem, plan).into_iter().filter(|violation| match *violation {
        Violation::Overlap { a, b, .. } => !named(a, b),
        _ => true,
    });
    found.map(|violation| violation.message(problem).key.into_owned()).collect()
}

fn entry(tensor: &Value, buffer: BufferId, starts: &Value) -> Result<Entry, String> {
    let name = text(&tensor["name"])?;
    let dtype = text(&tensor["dtype"])?;
    let dtype = Dtype::from_name(dtype).ok_or(format!("{name}: unknown type {dtype}"))?;
    let shape: Vec<u64> = list(&tensor["shape"])?.iter().map(whole).collect::<Result<_, _>>()?;
    let elements = if shape.is_empty() { 0 } else { shape.iter().product() };
    Ok(Entry {
        buffer,
        elements,
        bits: dtype.bits(),
        dtype: dtype as u32,
        request: (!shape.is_empty()).then_some(elements * 4),
        bytes: shape.iter().product::<u64>() * dtype.bits().div_ceil(8),
        outputs: u32::from(tensor["kind"] == "output"),
        device: 0,
        start: match starts[name].as_i64() {
            Some(-2) => Slot::External,
            Some(-3) => Slot::Dynamic,
            Some(id) if id >= 0 => return Err(format!("{name}: starts in storage {id}")),
            _ => Slot::Unset,
        },
    })
}

fn operator(node: &Value, entry_of: &HashMap<&str, u32>, number_of: &HashMap<&str, u32>) -> Result<Node, String> {
    let name = text(&node["name"])?;
    let ignored: Vec<u64> = node["ignore_inputs"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    let mut reads = Vec::new();
    for (slot, input) in list(&node["inputs"])?.iter().enumerate() {
        let input = text(input)?;
        reads.push(Read {
            entry: entry_of.get(input).copied(),
            producer: number_of.get(input).copied(),
            ignored: ignored.contains(&(slot as u64)),
        });
    }
    let outputs = list(&node["outputs"])?.iter().map(|output| Ok(entry_of[text(output)?]));
    let outputs = outputs.collect::<Result<Vec<u32>, String>>()?;
    let flags: Vec<bool> =
        node["attrs"]["inplace_identity"].as_str().map_or(vec![], |flags| flags.split(',').map(|f| f == "1").collect());
    let listed = node["inplace"].as_array().map_or(&[][..], Vec::as_slice);
    if !flags.is_empty() && flags.len() != listed.len() {
        return Err(format!("{name}: {} pairs, {} flags", listed.len(), flags.len()));
    }
    let mut pairs = Vec::new();
    for (index, pair) in listed.iter().enumerate() {
        let output = outputs.get(whole(&pair[1])? as usize).copied().ok_or(format!("{name}: no such output"))?;
        let identity = flags.get(index).copied().unwrap_or(false);
        pairs.push(Pair { input: whole(&pair[0])? as u32, output, identity });
    }
    Ok(Node { reads, outputs, pairs, ..Node::default() })
}

enum Step<'a> {
    Variable(&'a str),
    Node(usize),
}

/// Depth-first post-order from the outputs; a node is marked when it is pushed.
fn depth_first<'a>(
    tensors: &'a [Value],
    nodes: &'a [Value],
    maker: &HashMap<&'a str, usize>,
) -> Result<Vec<Step<'a>>, String> {
    let mut order = Vec::new();
    let mut marked: std::collections::HashSet<&str> = Default::default();
    let id = |tensor: &'a str| -> Result<&'a str, String> {
        maker.get(tensor).map_or(Ok(tensor), |&node| text(&nodes[node]["outputs"][0]))
    };
    for output in tensors.iter().filter(|tensor| tensor["kind"] == "output") {
        let root = id(text(&output["name"])?)?;
        let mut stack = if marked.insert(root) { vec![(root, 0)] } else { vec![] };
        while let Some((tensor, next)) = stack.last_mut() {
            let node = maker.get(*tensor).copied();
            let input = node.and_then(|node| nodes[node]["inputs"].get(*next));
            *next += 1;
            match (input, node) {
                (Some(input), _) => {
                    let input = id(text(input)?)?;
                    if marked.insert(input) {
                        stack.push((input, 0));
                    }
                }
                (None, Some(node)) => {
                    order.push(Step::Node(node));
                    stack.pop();
                }
                (None, None) => {
                    order.push(Step::Variable(tensor));
                    stack.pop();
                }
            }
        }
    }
    Ok(order)
}

fn slot_json(slot: Slot) -> Value {
    match slot {
        Slot::Unset => json!(-1),
        Slot::External => json!(-2),
        Slot::Dynamic => json!(-3),
        Slot::Block(id) => json!(id),
    }
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
