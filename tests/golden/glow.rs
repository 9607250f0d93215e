//! Glow's `MemoryAllocator`: every `allocateAll` of the recorded cases, strategy by strategy, and
//! the plans of the planner. Calls of the online functions of the same class are left out, and with
//! them the cases that have no other call.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use memplan_core::plan::check;
use memplan_core::problem::{Buffer, Live, Memory, Problem};
use memplan_core::trace::Silent;
use memplan_planners::glow::allocate::{Range, Tried, allocate_all};
use memplan_planners::{Input, find};
use serde_json::{Value, json};

pub fn run(file: &Value) -> Result<(), String> {
    for case in list(&file["cases"])? {
        let calls = list(&case["calls"])?;
        if calls.iter().all(|call| call["call"] == "allocate_all") {
            play(case, calls).map_err(|error| format!("{}: {error}", case["name"]))?;
        }
    }
    Ok(())
}

/// An operation of the list: whose, and its bytes if it is an allocation.
type Op = (u64, Option<u64>);

/// The calls on one allocator: with `reuse` false a call begins above what was used before.
fn play(case: &Value, calls: &[Value]) -> Result<(), String> {
    let (align, memory) = (whole(&case["align"])?, whole(&case["memory"])?);
    let memory = if memory == 0 { u64::MAX } else { memory };
    let (mut max_used, mut max_live) = (0u64, 0u64);
    // A handle that has a segment from an earlier call keeps it.
    let mut known: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for call in calls {
        let expected = &call["expected"];
        let ops: Vec<Op> = list(&call["ops"])?.iter().map(op).collect::<Result<_, _>>()?;
        let reuses = call["reuse"] == 1 || call["reuse"] == true;
        let base = if reuses { 0 } else { max_used };
        let (ids, sizes, ranges) = ranges(&ops, align)?;
        let found = allocate_all(&ranges, memory - base, None, &mut |_| ControlFlow::Continue(()));
        let found = found.map_err(|_| "stopped")?;
        let strategies: Vec<Value> = found.tried.iter().map(strategy).collect();
        if !ops.is_empty() {
            same("strategies", &json!(strategies), &expected["strategies"])?;
        }
        let used = match found.kept {
            _ if ops.is_empty() => json!(0),
            None => json!(-1),
            Some(kept) => {
                let best = &found.tried[kept];
                max_used = if reuses { max_used.max(best.used) } else { max_used + best.used };
                max_live = if reuses { max_live.max(found.bound) } else { max_live + found.bound };
                let mut addresses = vec![0; ids.len()];
                best.turns.iter().for_each(|turn| addresses[turn.range as usize] = base + turn.address);
                let segments = ids.iter().enumerate().map(|(number, &id)| {
                    let (address, size) = known.entry(id).or_insert((addresses[number], sizes[number]));
                    json!([id, address, size])
                });
                let segments: Vec<Value> = segments.collect();
                same("segments", &json!(segments), &expected["segments"])?;
                planned(&sizes, &ranges, &addresses, (base, align))?;
                json!(max_used)
            }
        };
        same("use", &used, &expected["used"])?;
        same("highest use", &json!(max_used), &expected["max_used"])?;
        let efficiency = if max_used == 0 { 0.0 } else { max_live as f32 / max_used as f32 };
        close("efficiency", efficiency, &expected["efficiency"])?;
        if !case["mem"].is_null() {
            same("use that Glow's test expects", &json!(max_used), &case["mem"])?;
            close("efficiency that Glow's test expects", efficiency, &case["eff"])?;
        }
    }
    Ok(())
}

/// The planner on buffers that begin and end at the times of the list gives the same addresses.
fn planned(sizes: &[u64], ranges: &[Range], addresses: &[u64], (base, align): (u64, u64)) -> Result<(), String> {
    let buffer = |(number, (&size, range)): (usize, (&u64, &Range))| {
        Buffer::of(format!("b{number}"), size, Live::new(range.start, range.end))
    };
    let buffers: Vec<Buffer> = sizes.iter().zip(ranges).enumerate().map(buffer).collect();
    let problem = Problem {
        steps: buffers.iter().map(|buffer| buffer.live.end).max().unwrap_or(1),
        buffers: buffers.into(),
        memories: vec![Memory { device: "cpu".into(), mem_id: None }].into(),
        ..Problem::default()
    };
    let planner = find("glow").ok_or("not registered")?;
    let align = align.to_string();
    let options = planner.info().options([("align", align.as_str())]).map_err(|error| error.to_string())?;
    let plan = planner.plan(Input { problem: &problem, graph: None }, &options, &mut Silent);
    let plan = plan.map_err(|error| format!("{error:?}"))?;
    same("faults", &json!(check(&problem, &plan).len()), &json!(0))?;
    let ours: Vec<_> = plan.places.iter().map(|place| place.map(|place| base + place.offset)).collect();
    // Bytes of size 0 lie at the start of the planner's arena.
    let theirs: Vec<_> = addresses.iter().map(|&address| Some(address)).collect();
    same("addresses of the planner", &json!(ours), &json!(theirs))
}

fn strategy(tried: &Tried) -> Value {
    let order: Vec<u32> = tried.turns.iter().map(|turn| turn.range).collect();
    let used = if tried.is_over { json!(-1) } else { json!(tried.used) };
    json!({"name": tried.strategy.name(), "used": used, "order": order})
}

/// Ids, sizes asked for, and ranges, in order of allocation.
type Listed = (Vec<u64>, Vec<u64>, Vec<Range>);

fn ranges(ops: &[Op], align: u64) -> Result<Listed, String> {
    let (mut ids, mut sizes, mut ranges) = Listed::default();
    for (time, &(id, size)) in (0..).zip(ops) {
        match size {
            Some(size) => {
                ids.push(id);
                sizes.push(size);
                ranges.push(Range { start: time, end: 0, size: size.next_multiple_of(align) });
            }
            None => {
                let number = ids.iter().position(|&known| known == id).ok_or("freed before it is allocated")?;
                ranges[number].end = time;
            }
        }
    }
    Ok((ids, sizes, ranges))
}

fn op(op: &Value) -> Result<Op, String> {
    Ok((whole(&op[1])?, if op[0] == "A" { Some(whole(&op[2])?) } else { None }))
}

fn close(what: &str, ours: f32, theirs: &Value) -> Result<(), String> {
    let stated = theirs.as_f64().or_else(|| theirs.as_str()?.parse().ok()).ok_or("no number")?;
    if (f64::from(ours) - stated).abs() < 2e-6 { Ok(()) } else { Err(format!("{what}: ours {ours}, theirs {stated}")) }
}

fn list(value: &Value) -> Result<&Vec<Value>, String> {
    value.as_array().ok_or(format!("{value} is no list"))
}

fn whole(value: &Value) -> Result<u64, String> {
    value.as_u64().ok_or(format!("{value} is no whole number"))
}

fn same(what: &str, ours: &Value, theirs: &Value) -> Result<(), String> {
    if ours == theirs { Ok(()) } else { Err(format!("{what}: ours {ours}, theirs {theirs}")) }
}
