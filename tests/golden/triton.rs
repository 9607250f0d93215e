//! Triton's allocation of shared memory: order, first placement, every round with what interferes,
//! colours and offsets, and totals, function by function; then the planner's plan.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use memplan_core::plan::check;
use memplan_core::problem::{Buffer, KernelFacts, Live, Memory, Problem, WarpRegion};
use memplan_core::trace::Silent;
use memplan_planners::triton::{Asked, TritonShared, allocate};
use memplan_planners::{Input, Planner};
use serde_json::{Map, Value, json};

pub fn run(case: &Value) -> Result<(), String> {
    let partition = whole(&case["options"]["partition_size"])?;
    let mut totals: BTreeMap<&str, u64> = BTreeMap::new();
    for function in list(&case["functions"])? {
        let name = function["name"].as_str().ok_or("no name")?;
        let buffers = list(&function["buffers"])?;
        let total = play(buffers, partition, &function["expected"]).map_err(|error| format!("{name}: {error}"))?;
        for called in buffers.iter().filter(|buffer| buffer["kind"] == "virtual") {
            let callee = called["callee"].as_str().and_then(|callee| totals.get(callee));
            same(&format!("{name}: bytes of a callee"), &json!(callee), &called["size"])?;
        }
        if buffers.iter().any(|buffer| buffer.get("first_node").is_some()) {
            same("total by nodes", &json!(total_by_nodes(buffers)?), &json!(total))?;
        }
        totals.insert(name, total);
    }
    let is_called = |name: &&str| list(&case["called"]).is_ok_and(|called| called.iter().any(|called| called == name));
    let roots = totals.iter().filter(|(name, _)| !is_called(name)).map(|(_, total)| *total);
    same("bytes of the module", &json!(roots.max().unwrap_or(0)), &case["expected"]["shared_bytes"])
}

/// Allocates a function's buffers, compares every stage, and returns the total.
fn play(rows: &[Value], partition: u64, expected: &Value) -> Result<u64, String> {
    let buffers: Vec<Asked> = rows.iter().map(asked).collect::<Result<_, _>>()?;
    let found = allocate(&buffers, partition, None, &mut |_| ControlFlow::Continue(())).map_err(|_| "stopped")?;
    let id = |number: u32| &rows[number as usize]["id"];
    let by_id = |value: &dyn Fn(u32) -> Value| -> Value {
        let numbers = 0..rows.len() as u32;
        Value::Object(numbers.map(|number| (id(number).to_string(), value(number))).collect::<Map<_, _>>())
    };
    let order: Vec<&Value> = found.order.iter().map(|&number| id(number)).collect();
    same("order", &json!(order), &expected["order"])?;
    same("first placement", &by_id(&|number| json!(found.starts[number as usize])), &expected["starts"])?;
    let mut offsets = found.starts.clone();
    let theirs = list(&expected["rounds"])?;
    same("number of rounds", &json!(found.rounds.len()), &json!(theirs.len()))?;
    for (number, (round, theirs)) in found.rounds.iter().zip(theirs).enumerate() {
        let others = |others: &std::collections::BTreeSet<u32>| {
            let mut ids: Vec<&Value> = others.iter().map(|&other| id(other)).collect();
            ids.sort_by_key(|id| id.as_u64());
            json!(ids)
        };
        let pairs = round.interference.iter().map(|(&one, found)| (id(one).to_string(), others(found)));
        let pairs = json!(pairs.collect::<Map<_, _>>());
        same(&format!("interference of round {number}"), &pairs, &theirs["interference"])?;
        let colors = by_id(&|buffer| json!(round.colors.get(&buffer).copied().unwrap_or(0)));
        same(&format!("colours of round {number}"), &colors, &theirs["colors"])?;
        round.moves.iter().for_each(|&(buffer, _, to)| offsets[buffer as usize] = to);
        let offsets = by_id(&|buffer| json!(offsets[buffer as usize]));
        same(&format!("offsets of round {number}"), &offsets, &theirs["offsets"])?;
    }
    same("offsets", &by_id(&|number| json!(found.offsets[number as usize])), &expected["offsets"])?;
    same("total", &json!(found.total), &expected["total"])?;
    planned(rows, &buffers, partition, &found.offsets)?;
    Ok(found.total)
}

/// The planner gives the same offsets for a list with the facts of a kernel.
fn planned(rows: &[Value], asked: &[Asked], partition: u64, offsets: &[u64]) -> Result<(), String> {
    let last = asked.iter().map(|asked| asked.end).filter(|&end| end < u32::MAX).max().unwrap_or(1);
    let buffer = |(row, asked): (&Value, &Asked)| {
        let endless = asked.end == u32::MAX;
        let live = Live::new(asked.start, if endless { last.max(asked.start + 1) } else { asked.end });
        let facts = KernelFacts { endless, region: asked.region, group: asked.group, ..KernelFacts::default() };
        let (align, kernel) = (asked.align, Some(Box::new(facts)));
        Buffer { align, kernel, ..Buffer::of(row["id"].to_string(), asked.size, live) }
    };
    let buffers: Vec<Buffer> = rows.iter().zip(asked).map(buffer).collect();
    let plan_offsets = plan(buffers, partition)?.1;
    same("offsets of the planner", &json!(plan_offsets), &json!(offsets))
}

/// The total if the buffers of a network live at its nodes rather than at operations.
fn total_by_nodes(rows: &[Value]) -> Result<u64, String> {
    let buffer = |row: &Value| -> Result<Buffer, String> {
        let live = Live::new(whole(&row["first_node"])? as u32, whole(&row["last_node"])? as u32 + 1);
        let name = row["tensor"].as_str().ok_or("no tensor")?;
        Ok(Buffer { align: whole(&row["alignment"])?, ..Buffer::of(name, whole(&row["size"])?, live) })
    };
    Ok(plan(rows.iter().map(buffer).collect::<Result<_, _>>()?, 0)?.0)
}

/// Peak and offsets of the planner's plan, which is checked.
fn plan(buffers: Vec<Buffer>, partition: u64) -> Result<(u64, Vec<Option<u64>>), String> {
    let problem = Problem {
        steps: buffers.iter().map(|buffer| buffer.live.end).max().unwrap_or(1),
        buffers: buffers.into(),
        memories: vec![Memory { device: "gpu".into(), mem_id: None }].into(),
        ..Problem::default()
    };
    let options = TritonShared::INFO.options([("partition_size", partition.to_string().as_str())]);
    let options = options.map_err(|error| error.to_string())?;
    let plan = TritonShared.plan(Input { problem: &problem, graph: None }, &options, &mut Silent);
    let plan = plan.map_err(|error| format!("{error:?}"))?;
    same("faults", &json!(check(&problem, &plan).len()), &json!(0))?;
    Ok((plan.peak(&problem), plan.places.iter().map(|place| place.map(|place| place.offset)).collect()))
}

fn asked(row: &Value) -> Result<Asked, String> {
    let region = row["async"].as_u64().zip(row["region"].as_u64());
    // All parts of an allocation are neighbours: the least id names it.
    let neighbours = row["neighbors"].as_array().filter(|neighbours| !neighbours.is_empty());
    let group = neighbours.and_then(|ids| ids.iter().chain([&row["id"]]).filter_map(Value::as_u64).min());
    Ok(Asked {
        size: whole(&row["size"])?,
        align: whole(&row["alignment"])?,
        start: whole(&row["start"])? as u32,
        end: row["end"].as_u64().map_or(u32::MAX, |end| end as u32),
        region: region.map(|(specialize, region)| WarpRegion { specialize: specialize as u32, region: region as u32 }),
        group: group.map(|group| group as u32),
    })
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
