//! IREE's LayoutSlices: offsets and total of every pack, for all values of its unknown sizes.

use std::collections::BTreeMap;

use memplan_core::base::IdVec;
use memplan_core::plan::check;
use memplan_core::problem::{Branches, Buffer, BufferId, Live, Memory, Problem};
use memplan_core::trace::Silent;
use memplan_planners::iree::{IreeLayoutSlices, Settings, layout};
use memplan_planners::{Input, Planner};
use serde_json::{Map, Value, json};

pub fn run(case: &Value) -> Result<(), String> {
    let options = &case["options"];
    for pack in list(&case["packs"])? {
        for expected in list(&pack["expected"])? {
            let name = format!("{} at {}", pack["name"], expected["values"]);
            play(options, list(&pack["slices"])?, expected).map_err(|error| format!("{name}: {error}"))?;
        }
    }
    Ok(())
}

fn play(options: &Value, slices: &[Value], expected: &Value) -> Result<(), String> {
    let settings = Settings {
        offset_alignment: whole(&options["offset_alignment"])?,
        range_alignment: whole(&options["range_alignment"])?,
        base: expected["base"].as_u64().unwrap_or(0),
    };
    let mut names: BTreeMap<&str, u32> = BTreeMap::new();
    let mut values: IdVec<BufferId, Option<u32>> = IdVec::new();
    let mut buffers: Vec<Buffer> = Vec::new();
    for slice in slices {
        let live = Live::new(whole(&slice["first"])? as u32, whole(&slice["last"])? as u32 + 1);
        let name = slice["name"].as_str().ok_or("no name")?;
        let size = match slice["size"].as_str() {
            Some(size) => whole(&expected["values"][size])?,
            None => whole(&slice["bytes"])?,
        };
        let next = names.len() as u32;
        values.push(slice["size"].as_str().map(|size| *names.entry(size).or_insert(next)));
        buffers.push(Buffer::of(name, size, live));
    }
    let problem = Problem {
        steps: buffers.iter().map(|buffer| buffer.live.end).max().unwrap_or(1),
        buffers: buffers.into(),
        memories: vec![Memory { device: "cpu".into(), mem_id: None }].into(),
        ..Problem::default()
    };
    let plan = layout(&problem, &values, &Branches::default(), settings, &mut Silent);
    let plan = plan.map_err(|error| format!("{error:?}"))?;
    same("faults", &json!(check(&problem, &plan).len()), &json!(0))?;
    let places = problem.buffers.iter().zip(plan.places.iter());
    let offsets = places.map(|(buffer, place)| (buffer.name.clone(), json!(place.map(|place| place.offset))));
    same("offsets", &json!(offsets.collect::<Map<_, _>>()), &expected["offsets"])?;
    let total: u64 = plan.pools.iter().map(|pool| pool.size).sum();
    same("total", &json!(total), &expected["total"])?;
    // A list of known sizes is what the planner itself gets.
    if names.is_empty() && settings.base == 0 {
        let [offset, range] = [settings.offset_alignment, settings.range_alignment].map(|align| align.to_string());
        let given = [("offset_alignment", offset.as_str()), ("range_alignment", range.as_str())];
        let options = IreeLayoutSlices::INFO.options(given).map_err(|error| error.to_string())?;
        let again = IreeLayoutSlices.plan(Input { problem: &problem, graph: None }, &options, &mut Silent);
        same("plan of the planner", &json!(again.map_err(|error| format!("{error:?}"))? == plan), &json!(true))?;
    }
    Ok(())
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
