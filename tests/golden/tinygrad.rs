//! tinygrad's memory planner: the graph is read as any file, and lives, lanes, every open and close
//! with the free lists after it, offsets and arenas are compared.

use std::collections::{BTreeMap, BTreeSet};

use memplan_core::plan::check;
use memplan_core::problem::{Branches, BufferId, Problem, Scope, lifetimes};
use memplan_core::trace::{Event, Note, Recorder, Silent};
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::tinygrad::{Settings, Tinygrad, tlsf::Class, uses};
use memplan_planners::{Input, PlanError, Planner};
use serde_json::{Map, Value, json};

pub fn run(case: &Value) -> Result<(), String> {
    let read = import::read(case["graph"].to_string().as_bytes(), Answers::default());
    let graph = match read.map(|read| read.document) {
        Ok(Document::Graph(graph)) => graph,
        other => return Err(format!("the graph is not read: {other:?}")),
    };
    let scope = Scope { weights: true, ..Scope::default() };
    let problem = lifetimes(&graph, &scope).map_err(|error| format!("{error:?}"))?;
    let (given, expected) = (&case["options"], &case["expected"]);
    let copy_lanes = given["copy_lanes"] == true;
    let values = [
        ("block_size", given["block_size"].to_string()),
        ("copy_lanes", copy_lanes.to_string()),
        ("count_empty", "false".to_string()),
    ];
    let options = Tinygrad::INFO.options(values.iter().map(|(key, value)| (*key, value.as_str())));
    let options = options.map_err(|error| error.to_string())?;
    let input = Input { problem: &problem, graph: Some(&graph) };
    let mut recorder = Recorder::default();
    let plan = match Tinygrad.plan(input, &options, &mut recorder) {
        Ok(plan) => plan,
        Err(PlanError::Refused(message)) => {
            same("refusal", &json!(message.key), &json!("fault.tinygrad-full"))?;
            let said = format!("Can't allocate {} bytes", given["block_size"]);
            return same("error", &json!(said), &expected["error"]);
        }
        Err(error) => return Err(format!("{error:?}")),
    };
    same("no error", &Value::Null, &expected["error"])?;
    same("valid", &json!(check(&problem, &plan).len()), &json!(0))?;
    let name = |id: BufferId| problem.buffers[id].name.clone();
    let placed = |value: &dyn Fn(BufferId) -> Value| -> Value {
        let ids = problem.buffers.ids().filter(|&id| plan.places[id].is_some());
        Value::Object(ids.map(|id| (name(id), value(id))).collect::<Map<_, _>>())
    };
    if expected["unchanged"] == true {
        return same("nothing to plan", &placed(&|_| Value::Null), &json!({}));
    }
    let uses =
        uses(&problem, Some(&graph), Settings { held: true, copy_lanes }).map_err(|error| format!("{error:?}"))?;
    let by_name = |value: &dyn Fn(&memplan_planners::tinygrad::Use) -> u32| -> Value {
        Value::Object(uses.iter().map(|used| (name(used.buffer), json!(value(used)))).collect::<Map<_, _>>())
    };
    same("first calls", &by_name(&|used| used.first), &expected["first"])?;
    same("last calls", &by_name(&|used| used.last), &expected["last"])?;
    let place = |id: BufferId| plan.places[id].expect("placed");
    same("lanes of buffers", &placed(&|id| json!(place(id).pool.0)), &expected["lane"])?;
    same("offsets", &placed(&|id| json!(place(id).offset)), &expected["offsets"])?;
    same("total", &json!(plan.pools.iter().map(|pool| pool.size).sum::<u64>()), &expected["total_bytes"])?;
    let lives: BTreeMap<BufferId, u64> = uses.iter().flat_map(|used| [(used.buffer, used.close())]).collect();
    let firsts: BTreeMap<BufferId, u32> = uses.iter().map(|used| (used.buffer, used.first)).collect();
    let block = given["block_size"].as_u64().ok_or("no block size")?;
    let story = Story {
        problem: &problem,
        block,
        firsts,
        closes: lives,
        steps: Vec::new(),
        arenas: BTreeMap::new(),
        open: None,
    };
    let story = story.told(&recorder.events);
    let copied: BTreeSet<u32> = uses.iter().filter(|used| used.copied).map(|used| place(used.buffer).pool.0).collect();
    let lane = |(pool, room): (u32, u64), size: u64, device: &str| {
        // Tensors without a device are on the file's default one.
        let device = if device == "cpu" { "NULL" } else { device };
        json!({"device": device, "copies": copied.contains(&pool), "allocator_bytes": room, "arena_bytes": size})
    };
    let rooms = story.arenas.iter().map(|(pool, arena)| (*pool, arena.room));
    let lanes: Vec<Value> =
        rooms.zip(plan.pools.iter()).map(|(room, pool)| lane(room, pool.size, &pool.device)).collect();
    same("lanes", &json!(lanes), &expected["lanes"])?;
    let theirs = expected["events"].as_array().ok_or("no events")?;
    for (number, (ours, theirs)) in story.steps.iter().zip(theirs).enumerate() {
        same(&format!("event {number}"), ours, theirs)?;
    }
    same("number of events", &json!(story.steps.len()), &json!(theirs.len()))?;
    check_branches(input)
}

/// With branches kept parallel, whatever shares bytes is ordered by paths of the graph.
fn check_branches(input: Input) -> Result<(), String> {
    let options = Tinygrad::INFO.options([("branch_safe", "true")]).map_err(|error| error.to_string())?;
    let plan = Tinygrad.plan(input, &options, &mut Silent).map_err(|error| format!("{error:?}"))?;
    let graph = input.graph.ok_or("no graph")?;
    let branches = Branches::of(graph, input.problem).ok_or("the graph is too large")?;
    let spans = plan.places.enumerate().filter_map(|(id, place)| {
        let (place, size) = (place.as_ref()?, input.problem.buffers[id].size);
        (size > 0).then_some((id, place.pool, place.offset, place.offset + size))
    });
    let spans: Vec<_> = spans.collect();
    for (index, a) in spans.iter().enumerate() {
        for b in &spans[..index] {
            if a.1 == b.1 && a.2 < b.3 && b.2 < a.3 && !branches.allow(a.0, b.0) {
                return Err(format!("{:?} and {:?} share bytes across branches", a.0, b.0));
            }
        }
    }
    same("valid with branches kept", &json!(check(input.problem, &plan).len()), &json!(0))
}

/// Free lists of an arena, rebuilt from the notes.
#[derive(Default)]
struct Arena {
    room: u64,
    lists: BTreeMap<Class, Vec<(u64, u64)>>,
    open: usize,
}

/// The recorded form of what the events tell.
struct Story<'a> {
    problem: &'a Problem,
    /// Smallest block in bytes.
    block: u64,
    firsts: BTreeMap<BufferId, u32>,
    closes: BTreeMap<BufferId, u64>,
    steps: Vec<Value>,
    arenas: BTreeMap<u32, Arena>,
    /// What is told of the open or close that goes on, and its arena.
    open: Option<(Map<String, Value>, u32)>,
}

impl Story<'_> {
    fn told(mut self, events: &[Event]) -> Self {
        let mut lies: BTreeMap<BufferId, (u32, u64)> = BTreeMap::new();
        let mut sizes: BTreeMap<BufferId, u64> = BTreeMap::new();
        for &event in events {
            match event {
                Event::Note { note: Note::ClassEnter | Note::ClassJoin, subject, a, b } => {
                    let arena = self.arenas.entry(subject).or_default();
                    arena.room = arena.room.max(a + b);
                    arena.lists.entry(Class::of(b)).or_default().push((a, b));
                }
                Event::Note { note: Note::ClassLeave, subject, a, b } => {
                    let arena = self.arenas.entry(subject).or_default();
                    let list = arena.lists.entry(Class::of(b)).or_default();
                    let at = list.iter().position(|&block| block == (a, b)).expect("it is listed");
                    list.remove(at);
                    if let Some((step, pool)) =
                        self.open.as_mut().filter(|(step, _)| step["event"] == "alloc" && !step.contains_key("found"))
                    {
                        let class = Class::of(b);
                        assert_eq!(at, 0, "the oldest of its class is taken");
                        *pool = subject;
                        step.insert("found".into(), json!([class.level, class.part, a, b]));
                    }
                }
                Event::Note { note: Note::ClassSearch, subject, a, b } => {
                    self.end();
                    let buffer = BufferId(subject);
                    sizes.insert(buffer, a.max(self.block));
                    let step = json!({"at": self.firsts[&buffer], "event": "alloc", "buffer": self.name(buffer), "request": a, "search": b});
                    self.open = step.as_object().cloned().map(|step| (step, 0));
                }
                Event::Place { buffer, pool, offset, .. } => {
                    lies.insert(buffer, (pool, offset));
                    self.arenas.entry(pool).or_default().open += 1;
                    if let Some((step, _)) = &mut self.open {
                        step.insert("lane".into(), json!(pool));
                        step.insert("offset".into(), json!(offset));
                    }
                }
                Event::Release { buffer } => {
                    self.end();
                    let (pool, offset) = lies[&buffer];
                    self.arenas.entry(pool).or_default().open -= 1;
                    let step = json!({"at": self.closes[&buffer], "event": "free", "buffer": self.name(buffer), "lane": pool, "offset": offset, "size": sizes[&buffer]});
                    self.open = step.as_object().cloned().map(|step| (step, pool));
                }
                _ => {}
            }
        }
        self.end();
        self
    }

    fn name(&self, buffer: BufferId) -> &str {
        &self.problem.buffers[buffer].name
    }

    /// Ends the open or close with the state after it.
    fn end(&mut self) {
        let Some((mut step, pool)) = self.open.take() else { return };
        let arena = self.arenas.entry(pool).or_default();
        arena.lists.retain(|_, list| !list.is_empty());
        let list = |(class, list): (&Class, &Vec<(u64, u64)>)| json!([class.level, class.part, list]);
        let free: usize = arena.lists.values().map(Vec::len).sum();
        step.insert("buckets".into(), arena.lists.iter().map(list).collect());
        step.insert("blocks".into(), json!(free + arena.open));
        self.steps.push(Value::Object(step));
    }
}

fn same(what: &str, ours: &Value, theirs: &Value) -> Result<(), String> {
    if ours == theirs { Ok(()) } else { Err(format!("{what}: ours {ours}, theirs {theirs}")) }
}
