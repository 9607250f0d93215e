//! XLA's heap algorithm, and the reader of its dumps: graph, live ranges, plan, donation.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

use memplan_core::base::{Arg, IdVec};
use memplan_core::graph::{Graph, Kind, NodeId};
use memplan_core::plan::{Plan, check};
use memplan_core::problem::{Buffer, Memory, Problem, Scope, ends, lower_bound};
use memplan_core::trace::Silent;
use memplan_formats::export;
use memplan_formats::import::{self, Answers, Document, Format, Imported};
use memplan_planners::gap_fit::xla_heap::clock::{Clock, HeapEvent, IntervalId, Request};
use memplan_planners::gap_fit::xla_heap::heap::{Heap, Order, Packing, total};
use memplan_planners::{self as planner, Input};
use serde_json::{Value, json};

/// The recorded heaps of a dump: events, and where each buffer lies.
pub fn heaps(case: &Value) -> Result<(), String> {
    list(&case["cases"])?.iter().try_for_each(heap)
}

fn heap(case: &Value) -> Result<(), String> {
    let mut sizes = BTreeMap::new();
    for event in list(&case["events"])? {
        sizes.insert(whole(&event["buffer"])?, whole(&event["size"])?);
    }
    // Ties go by the numbers of the file.
    let ids: Vec<u64> = sizes.keys().copied().collect();
    let id = |value: &Value| -> Result<IntervalId, String> {
        let found = ids.binary_search(&whole(value)?).map_err(|_| format!("no buffer {value}"))?;
        Ok(IntervalId(found as u32))
    };
    let align = whole(&case["alignment"])?;
    let requests: IdVec<IntervalId, Request> = sizes.values().map(|&size| Request { size, align }).collect();
    let mut events = Vec::new();
    for event in list(&case["events"])? {
        let buffer = id(&event["buffer"])?;
        events.push(match event["kind"].as_str() {
            Some("ALLOC") => HeapEvent::Alloc(buffer),
            Some("SHARE_WITH") => HeapEvent::ShareWith(buffer, id(&event["with"])?),
            Some("FREE") => HeapEvent::Free(buffer),
            other => return Err(format!("event {other:?}")),
        });
    }
    let clock = Clock::new(&requests, &events);
    let limit = case["limit"].as_u64();
    if limit.is_none() && !events.iter().any(|event| matches!(event, HeapEvent::ShareWith(..))) {
        packing_search(&ids, &requests, &clock, case)?;
    }
    let pack = |order| {
        let packing = Packing { clock: &clock, order, limit, bars: None };
        packing.run(|_| ControlFlow::Continue(())).ok_or("stopped")
    };
    let heaps: Vec<(Order, Vec<Heap>)> =
        Order::ALL.into_iter().map(|order| Ok((order, pack(order)?))).collect::<Result<_, &str>>()?;
    let totals: BTreeMap<&str, u64> = heaps.iter().map(|(order, heaps)| (order.name(), total(heaps))).collect();
    same("totals", &json!(totals), &case["totals"])?;
    // The first of equals.
    let (order, chosen) = heaps.into_iter().min_by_key(|(_, heaps)| total(heaps)).ok_or("no order")?;
    same("chosen", &json!(order.name()), &case["chosen"])?;
    let mut mine: Vec<Value> = Vec::new();
    for (number, heap) in chosen.iter().enumerate() {
        let mut offsets: BTreeMap<String, u64> =
            heap.offsets.iter().map(|&(id, offset)| (ids[id.0 as usize].to_string(), offset)).collect();
        let empty = sizes.iter().filter(|&(_, &size)| size == 0 && number == 0);
        offsets.extend(empty.map(|(id, _)| (id.to_string(), 0)));
        mine.push(json!({"size": heap.size, "offsets": offsets}));
    }
    let theirs = list(&case["heaps"])?.iter().map(|heap| json!({"size": heap["size"], "offsets": heap["offsets"]}));
    same("heaps", &mine.into(), &theirs.collect())
}

/// The first two of the ways that the packing search tries are this algorithm, where no buffers
/// share a place: with ticks for steps it must find the recorded offsets too.
fn packing_search(
    ids: &[u64],
    requests: &IdVec<IntervalId, Request>,
    clock: &Clock,
    case: &Value,
) -> Result<(), String> {
    let buffer = |(id, request): (IntervalId, &Request)| Buffer {
        align: request.align,
        ..Buffer::of(ids[id.0 as usize].to_string(), request.size, clock.lives[id])
    };
    let problem = Problem {
        steps: clock.lives.iter().map(|live| live.end).max().unwrap_or(1),
        buffers: requests.enumerate().map(buffer).collect(),
        memories: vec![Memory { device: "cpu".into(), mem_id: None }].into(),
        ..Problem::default()
    };
    let planner = planner::find("xla-packing-search").ok_or("no planner")?;
    let options = planner.info().options([("order", "spatial-or-temporal"), ("fit", "tightest")]);
    let options = options.map_err(|error| error.to_string())?;
    let plan = planner.plan(Input { problem: &problem, graph: None }, &options, &mut Silent);
    let plan = plan.map_err(|error| format!("{error:?}"))?;
    let mut offsets: BTreeMap<&str, u64> = BTreeMap::new();
    for (buffer, place) in problem.buffers.iter().zip(plan.places.iter()) {
        offsets.insert(&buffer.name, place.ok_or("not placed")?.offset);
    }
    same("offsets of the packing search", &json!(offsets), &case["heaps"][0]["offsets"])
}

/// A dump against what was taken from it: the file lies beside the case.
pub fn dump(case: &Value) -> Result<(), String> {
    let path = case["path"].as_str().ok_or("no path")?;
    let stem = path.split(".expected.json").next().ok_or("no case")?;
    let file = std::fs::read(format!("{stem}.hlo.pb.gz")).map_err(|error| error.to_string())?;
    let read = import::read(&file, Answers::default());
    if case["error"] == true {
        return if read.is_err() { Ok(()) } else { Err("read, though it is broken".into()) };
    }
    let read = read.map_err(|faults| format!("{faults:?}"))?;
    if read.format != Format::Hlo {
        return Err(format!("read as {:?}", read.format));
    }
    let graph = read.document.graph().ok_or("no graph")?;
    let steps: Vec<&str> = graph.nodes.iter().map(|node| node.name.as_str()).collect();
    same("steps", &json!(steps), &case["schedule"]["flat"])?;
    if case["plan"] == false {
        return if graph.tensors.is_empty() { Err("no tensors".into()) } else { Ok(()) };
    }
    let Document::Planned(graph, problem, plan) = &read.document else { return Err("no plan".into()) };
    same("violations", &json!(check(problem, plan).len()), &json!(0))?;
    if !read.warnings.is_empty() {
        return Err(format!("warnings: {:?}", read.warnings));
    }
    check_graph(graph, &beside(stem, "graph")?)?;
    check_plan(problem, plan, &beside(stem, "plan")?)?;
    check_lives(graph, problem, case)?;
    check_facts(&read, case)?;
    check_bounds(&read.document, (problem, plan), case)?;
    check_readers(graph, problem)?;
    let file = std::fs::read(format!("{stem}.plan.json.gz")).map_err(|error| error.to_string())?;
    let alone = import::read(&file, Answers::default()).map_err(|faults| format!("{faults:?}"))?.document;
    check_bounds(&alone, alone.own_plan().ok_or("no plan")?, case)
}

/// No valid plan of all buffers lies below the bound: neither XLA's own, nor one of planners on the
/// same file, which are asked for the same bytes. `in_use`: the most bytes that hold a value at a
/// step by XLA's live ranges and places, so that what is handed over in place counts once.
fn check_bounds(document: &Document, (problem, plan): (&Problem, &Plan), case: &Value) -> Result<(), String> {
    if !case["in_use"].is_null() {
        same("bytes in use", &json!(lower_bound(problem)), &case["in_use"])?;
    }
    let sound = |what: &str, problem: &Problem, plan: &Plan, bound: u64| {
        same(&format!("violations of {what}"), &json!(check(problem, plan).len()), &json!(0))?;
        let (peak, own_bound) = (plan.peak(problem), lower_bound(problem));
        same(&format!("bound of {what}"), &json!(own_bound), &json!(bound))?;
        let is_whole = plan.places.iter().all(Option::is_some);
        if is_whole && peak < bound { Err(format!("{what}: peak {peak} below the bound {bound}")) } else { Ok(()) }
    };
    sound("the own plan", problem, plan, lower_bound(problem))?;
    let settings = Scope::default();
    let (asked, beside) = document.own_plan_beside(&settings).ok_or("no plan")?;
    let (planned, graph) = memplan_engine::api::problem(document, &settings).map_err(|error| format!("{error:?}"))?;
    let bound = lower_bound(&planned);
    sound("the own plan beside planners", &asked, &beside, bound)?;
    same("left out", &json!(beside.places.iter().filter(|place| place.is_none()).count()), &json!(0))?;
    for id in ["greedy-by-size", "xla-heap", "first-fit", "executorch-greedy", "ggml", "tvm-relay", "nnvm"] {
        let planner = planner::find(id).ok_or("no planner")?;
        if planner::applicable(planner.info(), graph.is_some()).is_ok() {
            let input = Input { problem: &planned, graph: graph.as_ref() };
            let plan = planner.plan(input, &planner.info().defaults(), &mut Silent);
            sound(id, &planned, &plan.map_err(|error| format!("{id}: {error:?}"))?, bound)?;
        }
    }
    Ok(())
}

/// What a node reads has a last reader, though the caller may keep it longer.
fn check_readers(graph: &Graph, problem: &Problem) -> Result<(), String> {
    for buffer in problem.buffers.iter().filter(|buffer| buffer.kind == Kind::Input) {
        let reads = |step: u32| {
            let node = &graph.nodes[NodeId(step)];
            node.inputs.iter().any(|input| buffer.tensors.contains(input))
        };
        let last = (buffer.live.start..buffer.live.end).rev().find(|&step| reads(step));
        same(
            &format!("last reader of {}", buffer.name),
            &json!(ends(graph, buffer).1.map(|reader| reader.0)),
            &json!(last),
        )?;
    }
    Ok(())
}

fn beside(stem: &str, what: &str) -> Result<Value, String> {
    let packed = std::fs::read(Path::new(&format!("{stem}.{what}.json.gz"))).map_err(|error| error.to_string())?;
    let mut text = String::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut text).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

/// The graph as written, item by item.
fn check_graph(graph: &Graph, theirs: &Value) -> Result<(), String> {
    let mut plain = graph.clone();
    // What the recordings do not have: the calls that led to an instruction.
    plain.nodes.iter_mut().for_each(|node| drop(node.attrs_mut().remove("stack")));
    let mine: Value = serde_json::from_str(&export::graph(&plain)).map_err(|error| error.to_string())?;
    same("name", &mine["name"], &theirs["name"])?;
    for part in ["tensors", "nodes"] {
        let (mine, theirs) = (list(&mine[part])?, list(&theirs[part])?);
        same(part, &json!(mine.len()), &json!(theirs.len()))?;
        mine.iter().zip(theirs).try_for_each(|(mine, theirs)| same(part, mine, theirs))?;
    }
    Ok(())
}

/// Pools and buffers in order, each with its place and the buffer whose bytes it takes over.
fn check_plan(problem: &Problem, plan: &Plan, theirs: &Value) -> Result<(), String> {
    same("steps", &json!(problem.steps), &theirs["steps"])?;
    let device = |device: &str| if device == "cpu" { Value::Null } else { device.into() };
    let pool =
        |pool: &memplan_core::plan::Pool| json!({"name": pool.name, "size": pool.size, "device": device(&pool.device)});
    let pools: Vec<Value> = plan.pools.iter().map(pool).collect();
    let their_pools = list(&theirs["pools"])?.iter();
    let their_pools: Vec<Value> =
        their_pools.map(|pool| json!({"name": pool["name"], "size": pool["size"], "device": pool["device"]})).collect();
    same("pools", &pools.into(), &their_pools.into())?;
    let buffers = problem.buffers.enumerate().zip(plan.places.iter());
    let buffers = buffers.map(|((id, buffer), place)| {
        json!({
            "name": buffer.name, "size": buffer.size, "start": buffer.live.start, "end": buffer.live.end,
            "pool": place.map(|place| place.pool.0), "offset": place.map(|place| place.offset),
            "kind": buffer.kind.name(), "shares": plan.donor(id).map(|donor| problem.buffers[donor].name.clone()),
        })
    });
    let keys = ["name", "size", "start", "end", "pool", "offset", "kind", "shares"];
    let buffers: Vec<Value> = buffers.collect();
    let their_buffers = list(&theirs["buffers"])?;
    same("buffers", &json!(buffers.len()), &json!(their_buffers.len()))?;
    for (mine, theirs) in buffers.iter().zip(their_buffers) {
        keys.iter().try_for_each(|key| same(&format!("{key} of {}", mine["name"]), &mine[key], &theirs[key]))?;
    }
    Ok(())
}

/// The live ranges that XLA states itself, and its sets of values that lie in one place.
fn check_lives(graph: &Graph, problem: &Problem, case: &Value) -> Result<(), String> {
    let mut lives: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    let mut name_of: BTreeMap<u64, &str> = BTreeMap::new();
    for buffer in list(&case["buffers"])? {
        let name = buffer["name"].as_str().ok_or("no name")?;
        name_of.insert(whole(&buffer["id"])?, name);
        if let Some(live) = buffer["live"].as_array() {
            lives.insert(name, (whole(&live[0])?, whole(&live[1])?));
        }
    }
    let in_sets: Vec<Vec<&str>> = list(&case["alias_sets"])?
        .iter()
        .map(|set| list(set)?.iter().map(|id| Ok(*name_of.get(&whole(id)?).ok_or("unknown")?)).collect())
        .collect::<Result<_, String>>()?;
    let joined: BTreeSet<&str> = in_sets.iter().flatten().copied().collect();
    let tensors: BTreeSet<&str> = graph.tensors.iter().map(|tensor| tensor.name.as_str()).collect();
    for set in &in_sets {
        let shown = set.iter().filter(|name| tensors.contains(**name)).count();
        same(&format!("tensors of {set:?}"), &json!(shown <= 1), &json!(true))?;
    }
    // A value alone in its set is a buffer of its own.
    for buffer in problem.buffers.iter().filter(|buffer| buffer.kind != Kind::Weight) {
        let Some(&(start, end)) = lives.get(buffer.name.as_str()) else {
            return Err(format!("no life of {}", buffer.name));
        };
        same(&format!("start of {}", buffer.name), &json!(buffer.live.start), &json!(start))?;
        if !joined.contains(buffer.name.as_str()) {
            let end = (end + 1).min(problem.steps.into());
            same(&format!("end of {}", buffer.name), &json!(buffer.live.end), &json!(end))?;
        }
    }
    Ok(())
}

/// What the report states of the assignment.
fn check_facts(read: &Imported, case: &Value) -> Result<(), String> {
    let stated = |key: &str, name: &str| {
        let fact = read.facts.iter().find(|fact| fact.key == key)?;
        fact.args.iter().find(|(known, _)| *known == name).map(|(_, arg)| arg.clone())
    };
    let bytes = |key: &str, name: &str| match stated(key, name) {
        Some(Arg::Bytes(bytes) | Arg::Count(bytes)) => bytes,
        _ => 0,
    };
    let totals = &case["totals"];
    for (name, theirs) in [
        ("total", "allocation_bytes"),
        ("parameters", "parameter"),
        ("constants", "constant"),
        ("outputs", "live_out"),
        ("temp", "temp"),
    ] {
        same(theirs, &json!(bytes("fact.hlo-plan", name)), &totals[theirs])?;
    }
    same("static", &json!(bytes("fact.hlo-peak", "static")), &totals["static"])?;
    same("peak", &json!(bytes("fact.hlo-peak", "peak")), &totals["peak"])?;
    same("thread-local", &json!(bytes("fact.hlo-thread-local", "size")), &totals["thread_local"])?;
    if let Some(memory) = case["memory_analysis"].as_object() {
        let of = |key: &str| memory.get(key).cloned().unwrap_or_default();
        same("arguments", &json!(bytes("fact.hlo-plan", "parameters")), &of("argument_size_in_bytes"))?;
        same("temporaries", &json!(bytes("fact.hlo-plan", "temp")), &of("temp_size_in_bytes"))?;
        same("peak of JAX", &json!(bytes("fact.hlo-peak", "static")), &of("peak_memory_in_bytes"))?;
        let own = whole(&of("output_size_in_bytes"))?.checked_sub(whole(&of("alias_size_in_bytes"))?);
        same("outputs", &json!(bytes("fact.hlo-plan", "outputs")), &json!(own))?;
    }
    let count = |list: &Value| json!(list.as_array().map_or(0, Vec::len));
    let donation = &case["donation"];
    same("donated", &json!(bytes("fact.hlo-donated", "n")), &count(&donation["aliased"]))?;
    same("donated in vain", &json!(bytes("fact.hlo-donated-unused", "n")), &count(&donation["donated_unused"]))
}

fn same(what: &str, mine: &Value, theirs: &Value) -> Result<(), String> {
    if mine == theirs { Ok(()) } else { Err(format!("{what}: {mine} instead of {theirs}")) }
}

fn list(value: &Value) -> Result<&Vec<Value>, String> {
    value.as_array().ok_or_else(|| format!("no list: {value}"))
}

fn whole(value: &Value) -> Result<u64, String> {
    value.as_u64().ok_or_else(|| format!("no whole number: {value}"))
}
