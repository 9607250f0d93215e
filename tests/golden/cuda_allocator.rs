//! PyTorch's CUDA caching allocator: every operation with its address, what the allocator did, all
//! segments and counters after it; and snapshots that torch wrote, replayed call by call.

use std::collections::BTreeMap;
use std::rc::Rc;

use memplan_core::base::Arg;
use memplan_core::problem::{Call, Problem, Recording};
use memplan_core::trace::Recorder;
use memplan_formats::import::{Answers, Document, read};
use memplan_planners::cuda_caching::{
    Addresses, Allocator, BlockId, BlockState, Card, Counted, Counts, Done, Refusal, Replay, Segment, Settings, Stat,
    Version, WhatIf, fidelity,
};
use memplan_planners::{Input, find, origin};
use memplan_replay::panel::{Cell, Row, View, sections};
use memplan_replay::{Frame, Level, Run};
use serde_json::{Value, json};

/// Bytes of the card of snapshots that have no expected figures beside them.
const CARD: u64 = 8 << 30;

/// Runs the operations of a case.
pub fn run(case: &Value) -> Result<(), String> {
    let device = &case["device"];
    let addresses = match device["addresses"].as_str() {
        None | Some("up") => Addresses::Up,
        Some("down") => Addresses::Down,
        Some("reuse") => Addresses::Reuse,
        other => return Err(format!("addresses {other:?}")),
    };
    let mut card = Card::new(whole(&device["total"])?, addresses);
    card.other = device["other"].as_u64().unwrap_or(0);
    let torch = case["torch"].as_str().unwrap_or("2.15.0");
    let version = Version::of(torch).ok_or_else(|| format!("version {torch}"))?;
    let text = case["settings"].as_str().unwrap_or_default();
    let settings = Settings::of(text, version).map_err(|error| error.to_string())?;
    let mut session = Session { allocator: Allocator::new(card, settings), live: BTreeMap::new() };
    let mut shown = BTreeMap::new();
    let operations = case["ops"].as_array().ok_or("no operations")?;
    let steps = case["steps"].as_array().ok_or("no steps")?;
    let every = case["state_every"].as_u64().unwrap_or(1);
    if operations.len() != steps.len() {
        return Err(format!("{} operations and {} steps", operations.len(), steps.len()));
    }
    for (number, (operation, step)) in operations.iter().zip(steps).enumerate() {
        let at = |what: &str| format!("step {number} {operation}: {what}");
        let (address, error) = session.call(operation).map_err(|error| at(&error))?;
        same(&at("address"), &address, &step["address"])?;
        same(&at("error"), &error, &step["error"])?;
        same(&at("events"), &events(std::mem::take(&mut session.allocator.trace)), &step["events"])?;
        same(&at("numbers"), &numbers(&session.allocator), &step["numbers"])?;
        let is_shown = (number as u64 + 1).is_multiple_of(every) || number + 1 == operations.len();
        if !is_shown {
            continue;
        }
        let now: BTreeMap<u64, Value> =
            session.allocator.segments().iter().map(|segment| (segment.address, row(segment))).collect();
        let changed: Vec<&Value> =
            now.iter().filter(|(address, row)| shown.get(*address) != Some(*row)).map(|(_, row)| row).collect();
        let gone: Vec<u64> = shown.keys().filter(|address| !now.contains_key(address)).copied().collect();
        same(&at("segments that changed"), &json!(changed), &step["changed"])?;
        same(&at("segments that are gone"), &json!(gone), &step["gone"])?;
        shown = now;
    }
    same("totals", &totals(&session.allocator.counts), &case["final"])
}

/// An allocator with the blocks of the ids of a case.
struct Session {
    allocator: Allocator,
    /// None for a request of 0 bytes, or one that failed.
    live: BTreeMap<u64, Option<BlockId>>,
}

impl Session {
    /// Does an operation; returns the address and the error that are recorded of it.
    fn call(&mut self, operation: &Value) -> Result<(Value, Value), String> {
        let number = |at: usize| whole(&operation[at]);
        let text = operation[1].as_str();
        let allocator = &mut self.allocator;
        match operation[0].as_str().unwrap_or_default() {
            "alloc" => {
                return Ok(match allocator.malloc(number(2)?, number(3)?) {
                    Ok(block) => {
                        self.live.insert(number(1)?, block);
                        (json!(block.map_or(0, |block| allocator.address(block))), Value::Null)
                    }
                    Err(refusal @ Refusal::Breaks) => return Err(refusal.to_string()),
                    Err(refusal) => (Value::Null, json!(refusal.to_string())),
                });
            }
            "free" => {
                if let Some(block) = self.live.remove(&number(1)?).flatten() {
                    allocator.free(block);
                }
            }
            "record_stream" => {
                if let Some(block) = self.live.get(&number(1)?).copied().flatten() {
                    allocator.record_stream(block, number(2)?);
                }
            }
            "complete" => allocator.card.complete(number(1)?),
            "empty_cache" => allocator.empty_cache(),
            "memory_fraction" => allocator.set_memory_fraction(operation[1].as_f64().ok_or("a fraction")?),
            "settings" => allocator.set(text.ok_or("a text")?).map_err(|error| error.to_string())?,
            "other_memory" => allocator.card.other = number(1)?,
            "begin_pool" => allocator.begin_pool(number(1)?),
            "end_pool" => allocator.end_pool(number(1)?),
            "release_pool" => allocator.release_pool(number(1)?),
            "begin_capture" => allocator.set_capture(true),
            "end_capture" => allocator.set_capture(false),
            other => return Err(format!("unknown operation {other}")),
        }
        Ok((Value::Null, Value::Null))
    }
}

/// What was done, as recorded: neighbouring `free_completed` come in no fixed order and are sorted.
fn events(mut done: Vec<Done>) -> Value {
    let is_free = |done: &Done| done.action == memplan_planners::cuda_caching::Action::FreeCompleted;
    done.chunk_by_mut(|a, b| is_free(a) && is_free(b)).for_each(<[Done]>::sort_unstable);
    let row = |done: &Done| {
        let mut row = vec![json!(done.action.name()), json!(done.address), json!(done.size), json!(done.stream)];
        row.extend(done.private.map(|pool| json!(pool)));
        Value::Array(row)
    };
    done.iter().map(row).collect()
}

fn numbers(allocator: &Allocator) -> Value {
    let Allocator { counts, card, .. } = allocator;
    let mut numbers: Vec<u64> = Counted::ALL.map(|what| counts.now(what)).to_vec();
    numbers.extend([
        counts.alloc_retries,
        counts.ooms,
        counts.sync_all_streams,
        counts.device_allocs,
        counts.device_frees,
        counts.oversize_allocations.current,
        counts.oversize_segments.current,
        counts.oom_rejections,
        card.failed,
        card.free(),
    ]);
    json!(numbers)
}

fn row(segment: &Segment) -> Value {
    let state = |state| match state {
        BlockState::Free => 0,
        BlockState::Waiting => 1,
        BlockState::Allocated => 2,
    };
    let blocks: Vec<Value> =
        segment.blocks.iter().map(|block| json!([block.size, block.requested, state(block.state)])).collect();
    let private = segment.private.unwrap_or(0);
    let (large, expandable) = (u8::from(segment.is_large), u8::from(segment.is_expandable));
    json!([segment.address, segment.size, segment.stream, large, expandable, private, blocks])
}

fn totals(counts: &Counts) -> Value {
    let stat = |stat: Stat| json!([stat.current, stat.peak, stat.allocated, stat.freed]);
    let mut totals = serde_json::Map::new();
    for what in Counted::ALL {
        if !what.name().starts_with("inactive_split") {
            totals.insert(what.name().into(), json!(counts.of(what).map(stat)));
        }
    }
    totals.insert("oversize_allocations".into(), stat(counts.oversize_allocations));
    totals.insert("oversize_segments".into(), stat(counts.oversize_segments));
    for (name, number) in [
        ("num_alloc_retries", counts.alloc_retries),
        ("num_ooms", counts.ooms),
        ("num_sync_all_streams", counts.sync_all_streams),
        ("num_device_alloc", counts.device_allocs),
        ("num_device_free", counts.device_frees),
        ("num_oom_rejections", counts.oom_rejections),
    ] {
        totals.insert(name.into(), number.into());
    }
    Value::Object(totals)
}

/// Replays a snapshot with its own settings: every recorded address, and the recorded segments at
/// the end. `NAME.expected.json` beside it has what torch itself counted: the version, the card,
/// the counters at the end, and figures of runs of the same program with other settings or cards.
pub fn snapshot(case: &Value) -> Result<(), String> {
    let path = case["path"].as_str().ok_or("no path")?;
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let expected = match path.strip_suffix(".pickle.gz").map(|stem| std::fs::read(format!("{stem}.expected.json"))) {
        Some(Ok(expected)) => serde_json::from_slice(&expected).map_err(|error| error.to_string())?,
        _ => Value::Null,
    };
    let read = read(&bytes, Answers::default()).map_err(|faults| format!("{faults:?}"))?;
    let Document::Plan(problem, _) = &read.document else { return Err("no plan".into()) };
    let recordings: &[Recording] = &problem.recordings;
    if recordings.iter().all(|recording| recording.calls.is_empty()) {
        return Err("nothing was read of the calls".into());
    }
    let torch = expected["torch"].as_str();
    let version = torch.map_or(Some(Version::NEWEST), Version::of).ok_or("no version")?;
    let card = expected["card"].as_u64().unwrap_or(CARD);
    let mut is_whole = true;
    for recording in recordings {
        let settings = Settings::of(&recording.settings, version).map_err(|error| error.to_string())?;
        let fidelity = fidelity(recording, &settings, card);
        if expected["equal"].is_array() {
            same("equal requests", &json!([fidelity.equal, fidelity.requests]), &expected["equal"])?;
            is_whole = false;
        } else if !fidelity.is_whole() {
            return Err(format!("{fidelity:?}"));
        }
    }
    if !expected["counters"].is_null() {
        counters(&recordings[0], version, card, &expected["counters"])?;
    }
    other_runs(&recordings[0], &version.to_string(), &expected)?;
    if is_whole && recordings.len() == 1 { frames(problem, version, card) } else { Ok(()) }
}

/// What the allocator counts at the end of a recording is what torch counted, under its names.
fn counters(recording: &Recording, version: Version, card: u64, expected: &Value) -> Result<(), String> {
    let settings = Settings::of(&recording.settings, version).map_err(|error| error.to_string())?;
    let mut replay = Replay::new(recording, &settings, settings.clone(), card);
    while replay.step().is_some() {
        replay.allocator.trace.clear();
    }
    let counts = &replay.allocator.counts;
    let counter = |name: &str| match name {
        "num_device_alloc" => Some(counts.device_allocs),
        "num_device_free" => Some(counts.device_frees),
        "num_alloc_retries" => Some(counts.alloc_retries),
        "num_ooms" => Some(counts.ooms),
        _ => {
            let what = Counted::ALL.into_iter().find(|what| name.split('.').next() == Some(what.name()))?;
            let stat = counts.of(what)[0];
            name.split('.').next_back().map(|part| if part == "peak" { stat.peak } else { stat.current })
        }
    };
    for (name, value) in expected.as_object().ok_or("no counters")? {
        same(name, &json!(counter(name)), value)?;
    }
    Ok(())
}

/// What is predicted of other settings and cards is what a run of torch with them did.
fn other_runs(recording: &Recording, version: &str, expected: &Value) -> Result<(), String> {
    let what_if = WhatIf::new(recording, Some(version)).map_err(|why| format!("{why:?}"))?;
    let measure = |change: &str, card| what_if.measure(change, card).map_err(|why| format!("{change}: {why:?}"));
    for (change, figures) in expected["whatif"].as_object().into_iter().flatten() {
        // A card is needed to know what part of it a process may hold; the figures have no limit.
        let measured = measure(change, expected["card"].as_u64())?;
        let ours = json!({
            "reserved_peak": measured.reserved,
            "allocated_peak": measured.allocated,
            "cudamalloc_calls": measured.obtained,
        });
        same(change, &ours, figures)?;
    }
    for row in expected["cards"].as_array().into_iter().flatten() {
        let (change, card) = (row[0].as_str().ok_or("a change")?, whole(&row[1])?);
        let measured = measure(change, Some(card))?;
        let runs = measured.on_card.is_some_and(|on_card| on_card.stop.is_none());
        let is_enough = measured.smallest.is_some_and(|smallest| smallest <= card);
        same(&format!("{change} on {card}"), &json!([runs, is_enough]), &json!([row[2], row[2]]))?;
    }
    Ok(())
}

/// Whether the counters of every frame are those of the allocator when its decision is over.
fn frames(problem: &Problem, version: Version, card: u64) -> Result<(), String> {
    let planner = find("cuda-caching").ok_or("no planner")?;
    let info = planner.info();
    let given = [("card", card.to_string()), ("version", version.to_string())];
    let options = info.options(given.iter().map(|(key, value)| (*key, value.as_str())));
    let options = options.map_err(|error| format!("{error:?}"))?;
    let mut recorder = Recorder::default();
    let input = Input { problem, graph: None };
    let plan = planner.plan(input, &options, &mut recorder).map_err(|error| format!("{error:?}"))?;
    let run = Run::new(Rc::new(problem.clone()), origin(info.id, info.align), plan, recorder.events);
    let all = counted(&problem.recordings[0], version, card)?;
    same("decisions", &json!(run.timeline.decisions.len()), &json!(all.len()))?;
    // A long run is looked at here and there.
    let apart = all.len().div_ceil(400);
    for (decision, expected) in (1..).zip(all).step_by(apart) {
        let frame = run.frame(run.timeline.events_at(Level::Decisions, decision));
        // The panel is left out while nothing is held.
        let expected = if expected[0] == json!(0) { Value::Null } else { expected };
        same(&format!("counters after decision {decision}"), &shown(&run, &frame), &expected)?;
    }
    Ok(())
}

/// The counters of a frame by their names; what waits is named only where something does.
fn shown(run: &Run, frame: &Frame) -> Value {
    let section = sections(run, frame).into_iter().find(|section| section.id == "cache-counters");
    let Some(View::Table(table)) = section.map(|section| section.view) else { return Value::Null };
    let figure = |row: &Row| match (&row.cells[0], &row.cells[1]) {
        (Cell::Say(name), Cell::Value(Arg::Bytes(figure) | Arg::Count(figure))) => {
            Some((name.key.to_string(), *figure))
        }
        _ => None,
    };
    let mut figures: BTreeMap<String, u64> = table.rows.iter().filter_map(figure).collect();
    let waits = figures.remove("panel.cache.waiting").unwrap_or(0);
    let of = |name: &str| figures.get(&format!("panel.cache.{name}")).copied();
    let [reserved, allocated] = ["reserved", "allocated"].map(|name| of(name).unwrap_or(0));
    json!([reserved, allocated, allocated + waits, of("obtained"), of("given")])
}

/// The same as the allocator itself counts it: bytes reserved, allocated and active, and how often
/// memory was obtained and given back.
fn counted(recording: &Recording, version: Version, card: u64) -> Result<Vec<Value>, String> {
    let settings = Settings::of(&recording.settings, version).map_err(|error| error.to_string())?;
    let mut replay = Replay::new(recording, &settings, settings.clone(), card);
    let now = |replay: &Replay| {
        let counts = &replay.allocator.counts;
        let bytes = [Counted::ReservedBytes, Counted::AllocatedBytes, Counted::ActiveBytes];
        let [reserved, allocated, active] = bytes.map(|what| counts.now(what));
        json!([reserved, allocated, active, counts.device_allocs, counts.device_frees])
    };
    // What was there at first is shown block by block, before the first call.
    let mut all = vec![now(&replay); recording.blocks.len()];
    while let Some(call) = replay.call() {
        let is_decision = matches!(call.call, Call::Alloc { id, .. } if recording.owners[id as usize].is_some());
        if is_decision {
            // What waited until then belongs to the decision before.
            replay.allocator.process_events();
            let before = now(&replay);
            all.last_mut().into_iter().for_each(|last| last.clone_from(&before));
        }
        replay.step();
        replay.allocator.trace.clear();
        let after = now(&replay);
        match all.last_mut() {
            Some(last) if !is_decision => *last = after,
            _ if is_decision => all.push(after),
            _ => {}
        }
    }
    Ok(all)
}

fn whole(value: &Value) -> Result<u64, String> {
    value.as_u64().ok_or_else(|| format!("{value} is no whole number"))
}

fn same(what: &str, ours: &Value, theirs: &Value) -> Result<(), String> {
    if ours == theirs { Ok(()) } else { Err(format!("{what}\n  ours   {ours}\n  theirs {theirs}")) }
}
