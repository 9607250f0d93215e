//! ggml's graph allocator: the graph is read as any file, and leafs, counts, every takeover,
//! allocation and free with the free blocks after it, places and chunks are compared.

use std::collections::BTreeMap;

use memplan_core::graph::Graph;
use memplan_core::plan::{Place, check};
use memplan_core::problem::{Branches, BufferId, Problem, Scope, lifetimes};
use memplan_core::trace::{CheckingProbe, Event, Note, Outcome, Recorder};
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::ggml::Ggml;
use memplan_planners::ggml::chunks::Allocator;
use memplan_planners::ggml::network::{InPlace, Network};
use memplan_planners::ggml::walk::{Ground, walk};
use memplan_planners::{Input, PlanError, Planner};
use serde_json::{Map, Value, json};

pub fn run(case: &Value) -> Result<(), String> {
    let (given, expected) = (&case["options"], &case["expected"]);
    let (graph, problem) = read(&case["graph"], given)?;
    let network = Network::of(&problem, Some(&graph), InPlace::Stated);
    let mut recorder = Recorder::default();
    let mut probe = CheckingProbe::new(&mut recorder, &problem);
    let answer = if given["buffers"].is_array() {
        plan_devices(&problem, &network, given, &mut probe)
    } else {
        plan(&problem, &graph, given, &mut probe)
    };
    if !expected["error"].is_null() {
        let Err(Failed::Plan(PlanError::Refused(message))) = answer else { return Err("it does not stop".into()) };
        same("refusal", &json!(message.key), &json!("fault.ggml-blocks"))?;
        same("error", &json!("out of free blocks"), &expected["error"])?;
        let last = recorder.events.iter().rev().find_map(|event| match *event {
            Event::Note { note: Note::Node, subject, .. } => Some(subject),
            _ => None,
        });
        let at = last.map(|node| graph.nodes[memplan_core::graph::NodeId(node)].name.clone());
        return same("stops at", &json!(at), &expected["at"]);
    }
    let breaches = probe.finish();
    if !breaches.is_empty() {
        return Err(format!("the contract of the events is broken: {breaches:?}"));
    }
    let answer = answer.map_err(Failed::words)?;
    let name = |tensor: usize| graph.tensors.iter().nth(tensor).expect("known").name.clone();

    let leafs: Vec<String> = network.leafs.iter().map(|&leaf| name(leaf)).collect();
    same("leafs", &json!(leafs), &expected["leafs"])?;
    let counts: Map<String, Value> =
        network.counts().into_iter().enumerate().map(|(id, count)| (name(id), json!(count))).collect();
    same("reads", &Value::Object(counts), &expected["reads"])?;

    let story = Story::new(&problem, &graph, &network, &answer).told(&recorder.events);
    let theirs = expected["events"].as_array().ok_or("no events")?;
    for (number, (ours, theirs)) in story.steps.iter().zip(theirs).enumerate() {
        same(&format!("event {number}"), ours, theirs)?;
    }
    same("number of events", &json!(story.steps.len()), &json!(theirs.len()))?;

    let mut held: Vec<String> = story.held.iter().map(|&id| problem.buffers[id].name.clone()).collect();
    held.sort();
    let mut theirs: Vec<String> = serde_json::from_value(expected["held_at_end"].clone()).map_err(|e| e.to_string())?;
    theirs.sort();
    same("held at the end", &json!(held), &json!(theirs))?;
    let places = places(&network, &answer, &case["ggml"], &name);
    same("places", &places, &expected["places"])?;
    same("chunks", &json!(answer.chunks), &expected["chunks"])?;
    let total: u64 = answer.chunks.iter().flatten().sum();
    same("total", &json!(total), &expected["total_bytes"])?;
    if expected["second"].is_object() {
        second(case, &network, &places, &name)?;
    }
    Ok(())
}

/// Reads a graph, and gives tensors the sizes and flags that the options of a case state.
fn read(graph: &Value, given: &Value) -> Result<(Graph, Problem), String> {
    let mut graph = graph.clone();
    let flagged = |name: &Value| given["input_flags"].as_array().is_some_and(|flagged| flagged.contains(name));
    for node in graph["nodes"].as_array_mut().ok_or("no nodes")? {
        if flagged(&node["name"]) {
            node["attrs"]["ggml_input"] = "1".into();
        }
    }
    let graph = match import::read(graph.to_string().as_bytes(), Answers::default()).map(|read| read.document) {
        Ok(Document::Graph(graph)) => graph,
        other => return Err(format!("the graph is not read: {other:?}")),
    };
    let mut problem = lifetimes(&graph, &Scope::default()).map_err(|error| format!("{error:?}"))?;
    let steps = problem.steps;
    for buffer in problem.buffers.iter_mut() {
        if let Some(size) = given["alloc_size"][&buffer.name].as_u64() {
            buffer.size = size;
        }
        if given["output_flags"].as_array().is_some_and(|flagged| flagged.contains(&json!(buffer.name))) {
            buffer.kind = memplan_core::graph::Kind::Output;
            buffer.live.end = steps;
        }
    }
    Ok((graph, problem))
}

/// Why there is no plan, or none that can be compared.
enum Failed {
    Plan(PlanError),
    Other(&'static str, String),
}

impl Failed {
    fn words(self) -> String {
        match self {
            Failed::Plan(error) => format!("{error:?}"),
            Failed::Other(what, which) => format!("{what} {which}"),
        }
    }
}

/// What was planned.
struct Answer {
    /// Buffer type and chunk of each pool.
    pools: Vec<(usize, usize)>,
    /// The place of each buffer.
    places: Vec<Place>,
    /// Sizes of the chunks of each buffer type.
    chunks: Vec<Vec<u64>>,
    /// The number of the buffer type of each memory, if there are several.
    numbers: Option<Vec<usize>>,
}

/// One buffer type: the planner itself, whose plan is checked.
fn plan(problem: &Problem, graph: &Graph, given: &Value, probe: &mut CheckingProbe) -> Result<Answer, Failed> {
    let values = [
        ("alignment", given["alignment"].to_string()),
        ("max_size", given["max_size"].as_u64().unwrap_or(0).to_string()),
        ("inplace", "stated".into()),
        ("limit_blocks", "true".into()),
    ];
    let options = Ggml::INFO.options(values.iter().map(|(key, value)| (*key, value.as_str())));
    let options = options.map_err(|error| Failed::Other("options", error.to_string()))?;
    let plan = Ggml.plan(Input { problem, graph: Some(graph) }, &options, probe).map_err(Failed::Plan)?;
    let violations = check(problem, &plan);
    if !violations.is_empty() {
        return Err(Failed::Other("the plan is not valid", format!("{violations:?}")));
    }
    let places: Option<Vec<Place>> = plan.places.iter().copied().collect();
    Ok(Answer {
        pools: (0..plan.pools.len()).map(|chunk| (0, chunk)).collect(),
        places: places.ok_or_else(|| Failed::Other("a buffer has no place", String::new()))?,
        chunks: vec![plan.pools.iter().map(|pool| pool.size).collect()],
        numbers: None,
    })
}

/// Several buffer types, between which the original hands tensors over.
fn plan_devices(
    problem: &Problem,
    network: &Network,
    given: &Value,
    probe: &mut CheckingProbe,
) -> Result<Answer, Failed> {
    let types = given["buffers"].as_array().expect("checked");
    let number = |device: &str| types.iter().position(|kind| kind["device"] == device).expect("a known device");
    let shared = |number: usize| types[number]["same_as"].as_u64().map_or(number, |other| other as usize);
    let allocator = |kind: &Value| {
        let align = kind["alignment"].as_u64().unwrap_or(1);
        Allocator::new(align, kind["max_size"].as_u64())
    };
    let ground = Ground {
        problem,
        network,
        branches: &Branches::default(),
        allocator_of: problem.memories.iter().map(|memory| shared(number(&memory.device))).collect(),
        across: true,
        limits_blocks: true,
    };
    let walked = walk(&ground, types.iter().map(allocator).collect(), probe).map_err(Failed::Plan)?;
    let mut places = BTreeMap::new();
    for (tensor, place) in network.tensors.iter().zip(&walked.places) {
        places.extend(tensor.buffer.zip(*place));
    }
    let mut chunks = vec![Vec::new(); types.iter().filter(|kind| kind["same_as"].is_null()).count()];
    for (id, &(kind, _)) in walked.pools.enumerate() {
        chunks[kind].push(walked.ends[id]);
    }
    Ok(Answer {
        pools: walked.pools.iter().copied().collect(),
        places: places.into_values().collect(),
        chunks,
        numbers: Some(problem.memories.iter().map(|memory| number(&memory.device)).collect()),
    })
}

/// Buffer type, chunk and offset of each tensor that has a place; a view lies in its root.
fn places(network: &Network, answer: &Answer, facts: &Value, name: &dyn Fn(usize) -> String) -> Value {
    let mut found = Map::new();
    for (id, tensor) in network.tensors.iter().enumerate() {
        let Some(buffer) = tensor.buffer else { continue };
        let place = answer.places[buffer.0 as usize];
        let (kind, chunk) = answer.pools[place.pool.0 as usize];
        let inside = facts[&name(id)]["view_offs"].as_u64().unwrap_or(0);
        found.insert(name(id), json!([kind, chunk, place.offset + inside]));
    }
    Value::Object(found)
}

/// A second graph gets the recorded places by position, as long as nothing in it is larger.
fn second(case: &Value, first: &Network, places: &Value, name: &dyn Fn(usize) -> String) -> Result<(), String> {
    let expected = &case["expected"]["second"];
    let (graph, problem) = read(&case["second_graph"], &case["options"])?;
    let network = Network::of(&problem, Some(&graph), InPlace::Stated);
    if expected["planned_again"] == true {
        let mut silent = Recorder::default();
        let mut probe = CheckingProbe::new(&mut silent, &problem);
        let answer = plan(&problem, &graph, &case["options"], &mut probe).map_err(Failed::words)?;
        let name = |tensor: usize| graph.tensors.iter().nth(tensor).expect("known").name.clone();
        return same("second places", &self::places(&network, &answer, &Value::Null, &name), &expected["places"]);
    }
    let alike = (first.leafs.len(), first.steps.len()) == (network.leafs.len(), network.steps.len());
    same("as many leafs and nodes", &json!(alike), &json!(true))?;
    let named = |network: &Network| -> Vec<usize> {
        let of_step =
            |step: &memplan_planners::ggml::network::Operation| [step.outputs.clone(), step.sources.clone()].concat();
        network.leafs.iter().copied().chain(network.steps.iter().flat_map(of_step)).collect()
    };
    let mut given = Map::new();
    for (before, now) in named(first).into_iter().zip(named(&network)) {
        let now_name = graph.tensors.iter().nth(now).expect("known").name.clone();
        if let Some(place) = places.get(name(before)) {
            given.insert(now_name, place.clone());
        }
    }
    same("second places", &Value::Object(given), &expected["places"])
}

/// A chunk, rebuilt from the notes.
#[derive(Default)]
struct Chunk {
    /// First byte and size of each free block; none = endless.
    free: Vec<(u64, Option<u64>)>,
    max: u64,
}

/// The recorded form of what the events tell.
struct Story<'a> {
    problem: &'a Problem,
    graph: &'a Graph,
    network: &'a Network,
    pools: &'a [(usize, usize)],
    chunks: Vec<Chunk>,
    steps: Vec<Value>,
    held: Vec<BufferId>,
    /// The node whose turn it is.
    node: Option<u32>,
    /// The buffer that is being placed, and how many of its sources were tried.
    tries: (BufferId, usize),
    again: bool,
    /// Request and rounded size.
    request: (u64, u64),
    sizes: BTreeMap<BufferId, u64>,
    lies: BTreeMap<BufferId, (u32, u64)>,
    /// The number of the buffer type of each memory, if several are told apart; two numbers may
    /// share an allocator.
    numbers: Option<&'a Vec<usize>>,
    /// The number that each buffer was placed under.
    placed_as: BTreeMap<BufferId, usize>,
}

impl<'a> Story<'a> {
    fn new(problem: &'a Problem, graph: &'a Graph, network: &'a Network, answer: &'a Answer) -> Story<'a> {
        Story {
            problem,
            graph,
            network,
            pools: &answer.pools,
            chunks: answer.pools.iter().map(|_| Chunk::default()).collect(),
            steps: Vec::new(),
            held: Vec::new(),
            node: None,
            tries: (BufferId(0), 0),
            again: false,
            request: (0, 0),
            sizes: BTreeMap::new(),
            lies: BTreeMap::new(),
            numbers: answer.numbers.as_ref(),
            placed_as: BTreeMap::new(),
        }
    }

    fn name(&self, buffer: BufferId) -> &str {
        &self.problem.buffers[buffer].name
    }

    fn at(&self, buffer: BufferId) -> String {
        let is_leaf = self.network.leafs.iter().any(|&leaf| self.network.tensors[leaf].buffer == Some(buffer));
        match self.node {
            Some(node) => self.graph.nodes[memplan_core::graph::NodeId(node)].name.clone(),
            None if is_leaf && !self.again => "leafs".into(),
            None => "inputs".into(),
        }
    }

    fn tell(&mut self, event: &str, buffer: BufferId, more: Value) {
        let mut step = json!({"at": self.at(buffer), "event": event, "tensor": self.name(buffer)});
        for (key, value) in more.as_object().expect("an object") {
            step[key] = value.clone();
        }
        self.steps.push(step);
    }

    /// Where something lies, in the recorded form.
    fn lie(&self, buffer: BufferId, pool: u32, offset: u64) -> Value {
        let (_, chunk) = self.pools[pool as usize];
        let mut place = json!({"chunk": chunk, "offset": offset});
        if let Some(number) = self.placed_as.get(&buffer) {
            place["buffer"] = json!(number);
        }
        place
    }

    /// The source that is tried next: its index, and its name.
    fn source(&mut self) -> (usize, String) {
        let (buffer, tried) = self.tries;
        self.tries.1 += 1;
        let owner = |output: usize| self.network.tensors[output].buffer == Some(buffer);
        let step = self.network.steps.iter().find(|step| step.outputs.iter().any(|&output| owner(output)));
        let step = step.expect("some node makes it");
        let (slot, _) = *step.candidates.iter().filter(|&&(_, output)| owner(output)).nth(tried).expect("a source");
        (slot, self.graph.tensors.iter().nth(step.sources[slot]).expect("known").name.clone())
    }

    fn refuse(&mut self, why: &str) {
        let (slot, parent) = self.source();
        let is_view = |tensor: &(usize, &memplan_core::graph::Tensor)| tensor.1.name == parent;
        let tensor = self.graph.tensors.iter().enumerate().find(is_view).expect("known").0;
        let why = if self.network.tensors[tensor].root.is_some() { "view" } else { why };
        self.tell("not_inplace", self.tries.0, json!({"parent": parent, "src": slot, "why": why}));
    }

    /// Adds the state of a chunk to the last step.
    fn state(&mut self, pool: u32) {
        let chunk = &self.chunks[pool as usize];
        let step = self.steps.last_mut().expect("a step");
        step["free"] = json!(chunk.free);
        step["max"] = json!(chunk.max);
    }

    fn freed(&mut self, pool: u32, merge: &str) {
        if let Some(step) = self.steps.last_mut() {
            step["merge"] = merge.into();
        }
        self.state(pool);
    }

    fn told(mut self, events: &[Event]) -> Self {
        for &event in events {
            match event {
                Event::Note { note, subject, a, b } => self.note(note, subject, a, b),
                Event::Begin { buffer } => (self.tries, self.again) = ((buffer, 0), false),
                Event::Place { outcome: Outcome::InPlace, buffer, pool, offset } => {
                    // The note of the takeover is the last try.
                    self.tries.1 -= 1;
                    let (slot, parent) = self.source();
                    let donor = self.problem.buffer_named(&parent).expect("a buffer");
                    let mut more = self.lie(donor, pool, offset);
                    more["parent"] = parent.into();
                    more["src"] = slot.into();
                    self.tell("inplace", buffer, more);
                    self.sizes.insert(buffer, self.sizes[&donor]);
                    self.lies.insert(buffer, (pool, offset));
                    self.placed_as.extend(self.placed_as.get(&donor).map(|&number| (buffer, number)));
                }
                Event::Place { outcome, buffer, pool, offset } => self.allocated(outcome, buffer, pool, offset),
                Event::Move { buffer, pool, offset } => self.allocated(Outcome::Nothing, buffer, pool, offset),
                Event::Release { buffer } => {
                    let (pool, offset) = self.lies[&buffer];
                    let mut more = self.lie(buffer, pool, offset);
                    more["size"] = self.sizes[&buffer].into();
                    self.tell("free", buffer, more);
                }
                _ => {}
            }
        }
        self
    }

    fn allocated(&mut self, outcome: Outcome, buffer: BufferId, pool: u32, offset: u64) {
        let free = &self.chunks[pool as usize].free;
        let block = free.iter().position(|&(start, _)| start == offset).expect("a free block");
        let is_new = outcome == Outcome::NewPool || (free.len() == 1 && offset == 0 && self.lies_nothing(pool));
        let way = if is_new {
            "new_chunk"
        } else if block + 1 == free.len() {
            "last"
        } else {
            "hole"
        };
        let (request, size) = self.request;
        let number = self.numbers.map(|numbers| numbers[self.problem.buffers[buffer].memory.0 as usize]);
        self.placed_as.extend(number.map(|number| (buffer, number)));
        let mut more = self.lie(buffer, pool, offset);
        more["size"] = size.into();
        if request != size {
            more["request"] = request.into();
        }
        more["way"] = way.into();
        more["block"] = block.into();
        self.tell("alloc", buffer, more);
        let chunk = &mut self.chunks[pool as usize];
        chunk.max = chunk.max.max(offset + size);
        self.sizes.insert(buffer, size);
        self.lies.insert(buffer, (pool, offset));
        self.state(pool);
    }

    fn lies_nothing(&self, pool: u32) -> bool {
        self.lies.values().all(|&(other, _)| other != pool)
    }

    fn note(&mut self, note: Note, subject: u32, a: u64, b: u64) {
        let buffer = BufferId(subject);
        let pool = subject as usize;
        match note {
            Note::Node => self.node = Some(subject),
            Note::ChunkRequest => self.request = (a, b),
            Note::PlacedAgain => self.again = true,
            Note::ChunkNew => self.chunks[pool].free.push((0, Some(a))),
            Note::ChunkEndless => self.chunks[pool].free.push((0, None)),
            Note::InPlaceDies => self.tries.1 += 1,
            Note::InPlaceView | Note::SourceOutside => self.refuse("external"),
            Note::InPlaceKept => self.refuse("output"),
            Note::InPlaceCounts => self.refuse(if a == 1 { "views" } else { "reads" }),
            Note::KeptOutput => self.tell("keep", buffer, json!({})),
            Note::HeldOutput | Note::HeldUnread => self.held.push(buffer),
            Note::FreeCut | Note::EndCut | Note::FreeUsedUp => {
                let at = self.steps.last().and_then(|step| step["block"].as_u64()).expect("an allocation") as usize;
                match note {
                    Note::FreeUsedUp => drop(self.chunks[pool].free.remove(at)),
                    _ => self.chunks[pool].free[at] = (a, (note == Note::FreeCut).then_some(b)),
                }
                self.state(subject);
            }
            Note::TakeoverRest => {
                let (taker, (pool, offset)) = (self.tries.0, self.lies[&self.tries.0]);
                let kept = self.sizes[&taker] - a;
                self.sizes.insert(taker, kept);
                let mut more = self.lie(taker, pool, offset + kept);
                more["parent"] = self.name(buffer).into();
                more["size"] = a.into();
                self.tell("free_extra", taker, more);
            }
            Note::FreedAlone => {
                let free = &mut self.chunks[pool].free;
                let at = free.iter().position(|block| block.0 >= a).unwrap_or(free.len());
                free.insert(at, (a, Some(b)));
                self.freed(subject, "none");
            }
            Note::FreedBelow | Note::FreedBoth => {
                let free = &mut self.chunks[pool].free;
                let at = free.iter().position(|block| block.0 == a).expect("the block below");
                free[at].1 = Some(b);
                if note == Note::FreedBoth {
                    free.remove(at + 1);
                }
                self.freed(subject, if note == Note::FreedBoth { "both" } else { "below" });
            }
            Note::FreedAbove => {
                let free = &mut self.chunks[pool].free;
                let end = |block: &(u64, Option<u64>)| block.1.map(|size| block.0 + size);
                let at = free.iter().position(|block| end(block) == Some(a + b)).expect("the block above");
                free[at] = (a, Some(b));
                self.freed(subject, "above");
            }
            Note::FreedToEnd => {
                let free = &mut self.chunks[pool].free;
                free.pop();
                let below = free.pop_if(|block| block.0 == a);
                free.push((a, None));
                self.freed(subject, if below.is_some() { "both" } else { "above" });
            }
            _ => {}
        }
    }
}

fn same(what: &str, ours: &Value, theirs: &Value) -> Result<(), String> {
    if ours == theirs { Ok(()) } else { Err(format!("{what}: ours {ours}, theirs {theirs}")) }
}
