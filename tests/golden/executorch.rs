//! ExecuTorch: recorded plans, lifetimes from the recorded graphs, bounds of symbolic sizes, and
//! what the plan of one case looks like in a program file and in a trace of the inspection tool.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use memplan_core::graph::{Expr, Graph, Kind, Symbol, TensorId};
use memplan_core::problem::{Branches, BufferId, Live, MemoryId};
use memplan_core::trace::{Event, Note, Outcome, Recorder, Silent};
use memplan_formats::import::{self, Document};
use memplan_planners::executorch::bound::Sizes;
use memplan_planners::executorch::from_graph::{Collect, Collected, collect, roles};
use memplan_planners::executorch::{
    Algorithm, Answer, Assigned, Bank, BankFault, Base, Memory, Refusal, Search, Settings, Spec, Stage, banked,
    hierarchy, suite,
};
use serde_json::{Value, json};

/// A plan file: specs from the graph if there is one, then every run.
pub fn plan(case: &Value) -> Result<(), String> {
    let specs = read_specs(case)?;
    if let Some(graph) = case["graph"].as_str() {
        let graph = graph_beside(case, graph)?;
        check_collected(case, &graph, &specs)?;
    }
    let mut settings = Settings::new(case["options"]["alignment"].as_u64().unwrap_or(1));
    settings.padding = case["options"]["extra_padding"].as_u64().unwrap_or(0);
    settings.reserved = reserved(&case["options"]["input_bufsizes"])?;
    check_submodules(case)?;
    for run in list(&case["runs"])? {
        let name = text(&run["algorithm"])?;
        let found = execute(name, case, &specs, &settings)?;
        if run.get("error").is_some() {
            if let Ok(answer) = found {
                return Err(format!("{name} gives {:?} where the original stops", answer.arenas));
            }
            continue;
        }
        let answer = found.map_err(|refusal| format!("{name}: {refusal:?}"))?;
        let expected = &run["expected"];
        same(&format!("{name}: sizes"), &json!(bufsizes(&answer)), &expected["bufsizes"])?;
        for (expected, place) in list(&expected["specs"])?.iter().zip(&answer.places) {
            let place = place.ok_or(format!("{name}: spec {} has no place", expected["id"]))?;
            let mut ours = json!({"id": expected["id"], "mem_id": place.mem_id, "mem_offset": place.offset});
            if expected.get("mem_obj_id").is_some() {
                ours["mem_obj_id"] = place.object.into();
            }
            same(&format!("{name}: place"), &ours, expected)?;
        }
        same(
            &format!("{name}: number of places"),
            &json!(answer.places.len()),
            &json!(list(&expected["specs"])?.len()),
        )?;
    }
    Ok(())
}

/// Plans across a map of memories: bytes, places, decisions as the events tell them, or the kind of
/// error.
pub fn banked_plans(case: &Value) -> Result<(), String> {
    let specs = read_banked_specs(case)?;
    for run in list(&case["runs"])? {
        let (name, options) = (text(&run["algorithm"])?, &run["options"]);
        let banks = list(&options["banks"])?.iter().map(read_bank).collect::<Result<Vec<_>, _>>()?;
        let mut settings = Settings::new(whole(&options["alignment"])?);
        settings.padding = whole(&options["extra_padding"])?;
        settings.reserved = reserved(&options["input_bufsizes"])?;
        let stacking = name == "banked_greedy";
        let mut recorder = Recorder::default();
        let mut stage = Stage::new(&mut recorder, specs.len());
        let pins = specs.iter().filter_map(|spec| spec.mem_id);
        let arenas: BTreeMap<u32, MemoryId> =
            banks.iter().map(|bank| bank.mem_id).chain(pins).map(|mem_id| (mem_id, MemoryId(0))).collect();
        stage.enter(&arenas);
        let found = banked(&specs, &banks, &settings, stacking, &Branches::default(), &mut stage);
        if let Some(error) = run["error"].as_str() {
            let ours = match found {
                // The planner gives other devices banks of their own.
                Ok(_) if is_elsewhere(case)? => "device",
                Ok(answer) => return Err(format!("{name} gives {:?}, the original stops: {error}", answer.arenas)),
                Err(Refusal::NotSorted) => "assert",
                Err(Refusal::BadBase) => "inplace",
                Err(Refusal::Bank(fault)) => match fault {
                    BankFault::Align { .. } => "alignment",
                    BankFault::Pinned { .. } => "pin",
                    BankFault::Nowhere { .. } => "nowhere",
                    BankFault::Reserved { .. } => "capacity",
                },
                Err(refusal) => return Err(format!("{refusal:?}")),
            };
            same("error", &json!(ours), &json!(error))?;
            continue;
        }
        let answer = found.map_err(|refusal| format!("{name}: {refusal:?}"))?;
        let expected = &run["expected"];
        let last = answer.arenas.keys().last().copied().unwrap_or(0);
        let sizes: Vec<u64> = (0..=last).map(|arena| answer.arenas.get(&arena).copied().unwrap_or(0)).collect();
        same(&format!("{name}: sizes"), &json!(sizes), &expected["bufsizes"])?;
        let place = |(id, place): (usize, &Option<Assigned>)| {
            place.map(|place| json!({"id": id, "mem_id": place.mem_id, "mem_offset": place.offset, "mem_obj_id": place.object}))
        };
        let places: Vec<_> = answer.places.iter().enumerate().map(place).collect();
        same(&format!("{name}: places"), &json!(places), &expected["specs"])?;
        let numbers: Vec<u32> = arenas.keys().copied().collect();
        same(&format!("{name}: decisions"), &decisions(&recorder.events, &numbers), &expected["decisions"])?;
    }
    Ok(())
}

/// Spec, pinned or free, arena, object, offset inside, whether the object is new; `arenas` are
/// those of the pools.
fn decisions(events: &[Event], arenas: &[u32]) -> Value {
    let mut all = Vec::new();
    let (mut pinned, mut member, mut new) = (false, (0, 0), false);
    for event in events {
        match *event {
            Event::Begin { .. } => (pinned, new) = (false, false),
            Event::Note { note: Note::BankPin, .. } => pinned = true,
            Event::Note { note: Note::Object, .. } => new = true,
            Event::Note { note: Note::Member, subject, a, .. } => member = (subject, a),
            Event::Place { outcome, buffer, pool, .. } if outcome != Outcome::InPlace => {
                let word = if pinned { "pin" } else { "free" };
                all.push(json!([buffer.0, word, arenas[pool as usize], member.0, member.1, new]));
            }
            _ => {}
        }
    }
    json!(all)
}

/// Specs of the file itself, or of a recorded plan with some of them pinned.
fn read_banked_specs(case: &Value) -> Result<Vec<Spec>, String> {
    let mut specs = case["specs"].clone();
    if let Some(file) = case["specs_from"].as_str() {
        specs = json_beside(case, file)?["specs"].clone();
        for (id, mem_id) in case["pins"].as_object().into_iter().flatten() {
            specs[id.parse::<usize>().map_err(|error| error.to_string())?]["mem_id"] = mem_id.clone();
        }
    }
    for spec in specs.as_array_mut().ok_or("no specs")? {
        spec["storage_base"] = spec["inplace_base"].clone();
        if spec["alignment"].is_null() {
            spec["alignment"] = json!(memplan_planners::executorch::ALIGN);
        }
    }
    read_specs(&json!({"specs": specs}))
}

fn is_elsewhere(case: &Value) -> Result<bool, String> {
    Ok(list(&case["specs"])?.iter().any(|spec| spec["device"].as_str().is_some_and(|device| device != "CPU")))
}

fn read_bank(bank: &Value) -> Result<Bank, String> {
    Ok(Bank {
        name: text(&bank["name"])?.to_string(),
        size: whole(&bank["size"])?,
        mem_id: whole(&bank["mem_id"])? as u32,
        align: bank["alignment"].as_u64(),
    })
}

/// Bounds of expressions.
pub fn symbolic(case: &Value) -> Result<(), String> {
    let symbols = read_symbols(&case["symbols"])?;
    let hints: BTreeMap<String, u64> = symbols.iter().map(|(name, symbol)| (name.clone(), symbol.hint)).collect();
    for entry in list(&case["cases"])? {
        for form in ["expr", "written"] {
            let source = text(&entry[form])?;
            let error = |error: memplan_core::graph::ExprError| format!("{source}: {error}");
            let expr = Expr::parse(source).map_err(error)?;
            let hint = expr.size(&hints).map_err(error)?;
            same(&format!("{source} at the hints"), &json!(hint), &entry["hint"])?;
            // The bounds are those of the form that the system keeps.
            if form == "expr" {
                let upper = expr.upper(&symbols).map_err(error)?.unwrap_or(hint);
                same(&format!("upper end of {source}"), &json!(upper), &entry["upper"])?;
            }
        }
    }
    Ok(())
}

/// A program file as its own reader gives it back: its tensors lie where the plan of the graph
/// beside it puts them.
pub fn program(case: &Value) -> Result<(), String> {
    let planned = Planned::beside(case)?;
    same("sizes", &json!(bufsizes(&planned.answer)), &case["non_const_buffer_sizes"])?;
    let mut expected = Vec::new();
    for value in list(&case["values"])? {
        let place = &value["allocation_info"];
        if place.is_object() {
            let sizes = list(&value["sizes"])?;
            let elements: u64 = sizes.iter().filter_map(Value::as_u64).product();
            expected.push(json!([elements * 4, place["memory_id"], place["offset"]]));
        }
    }
    // Values are numbered in the order in which the program first names them, as specs are
    // collected.
    let value = |index: usize| {
        let (spec, place) = (&planned.collected.specs[index], planned.answer.places[index]);
        json!([spec.bytes, place.map(|p| p.mem_id), place.map(|p| p.offset)])
    };
    let ours: Vec<Value> = planned.emitted().map(value).collect();
    same("values", &json!(ours), &json!(expected))
}

/// A trace of the inspection tool: bytes along its time axis, steps as rows.
pub fn trace(case: &Value) -> Result<(), String> {
    let planned = Planned::beside(case)?;
    let with_offsets = text(&case["path"])?.contains(".offsets.");
    let (graph, collected) = (&planned.graph, &planned.collected);
    let node_of = |tensor: TensorId| {
        let makes = |node: &&memplan_core::graph::Node| node.outputs.contains(&tensor);
        graph.nodes.iter().find(makes).map_or("", |node| if node.is_placeholder() { &node.name } else { &node.op })
    };
    let mut ours = Vec::new();
    let mut row = 0;
    for step in 0..graph.steps() {
        let mut pushed = 0;
        for index in planned.emitted().filter(|index| collected.specs[*index].live.contains(step)) {
            let spec = &collected.specs[index];
            let place = planned.answer.places[index].ok_or("no place")?;
            let tensor = collected.tensors[index];
            let start = if with_offsets { place.offset } else { pushed };
            let name = &graph.tensors[tensor].name;
            ours.push(json!([name, start, spec.bytes, place.mem_id, row, node_of(tensor)]));
            pushed += spec.bytes;
        }
        row += u32::from(pushed > 0);
    }
    let event = |event: &Value| {
        json!([event["name"], event["ts"], event["dur"], event["pid"], event["tid"], event["args"]["op_name"]])
    };
    let theirs: Vec<Value> = list(&case["traceEvents"])?.iter().map(event).collect();
    same("events", &json!(ours), &json!(theirs))
}

/// The case that a program or trace file belongs to, planned from its graph.
struct Planned {
    graph: Graph,
    collected: Collected,
    answer: Answer,
}

impl Planned {
    fn beside(case: &Value) -> Result<Planned, String> {
        let path = PathBuf::from(text(&case["path"])?);
        let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = file.split('.').next().unwrap_or_default();
        let graph = graph_beside(case, &format!("{name}.graph.json"))?;
        let which = Collect { inputs: true, outputs: true, mutable_buffers: true, sizes: Sizes::Upper };
        let collected = collect(&graph, which).map_err(|error| error.to_string())?;
        let settings = Settings::new(memplan_planners::executorch::ALIGN);
        let mut silent = Silent;
        let mut stage = Stage::new(&mut silent, collected.specs.len());
        let answer = Algorithm::Greedy.run(&collected.specs, &settings, &Branches::default(), &mut stage);
        Ok(Planned { answer: answer.map_err(|refusal| format!("{refusal:?}"))?, graph, collected })
    }

    /// Specs that a program holds and the tool draws: not those that writing a changed buffer back
    /// leaves at `output`.
    fn emitted(&self) -> impl Iterator<Item = usize> + '_ {
        let at_output = |tensor: &TensorId| {
            let mut nodes = self.graph.nodes.iter().filter(|node| node.op == "output");
            nodes.any(|node| node.outputs.contains(tensor))
        };
        (0..self.collected.specs.len()).filter(move |&index| !at_output(&self.collected.tensors[index]))
    }
}

fn execute(name: &str, case: &Value, specs: &[Spec], settings: &Settings) -> Result<Result<Answer, Refusal>, String> {
    let branches = Branches::default();
    let mut silent = Silent;
    let mut stage = Stage::new(&mut silent, specs.len());
    if let Some(names) = name.strip_prefix("suite[").and_then(|rest| rest.strip_suffix(']')) {
        let algorithms: Option<Vec<Algorithm>> = names.split(',').map(Algorithm::from_name).collect();
        let algorithms = algorithms.ok_or(format!("unknown algorithm in {name}"))?;
        return Ok(suite(&algorithms, specs, settings, &branches).map(|tried| tried.answer));
    }
    let search = match name {
        "cadence_position_greedy" => Search::Position,
        "cadence_greedy_heuristic" => Search::Gap,
        _ => {
            let algorithm = Algorithm::from_name(name).ok_or(format!("unknown algorithm {name}"))?;
            return Ok(algorithm.run(specs, settings, &branches, &mut stage));
        }
    };
    let mut memories = Vec::new();
    for memory in list(&case["options"]["memories"])? {
        let mem_id = whole(&memory["mem_id"])? as u32;
        memories.push(Memory { mem_id, size: whole(&memory["size"])?, align: whole(&memory["alignment"])? });
    }
    let answer = hierarchy(specs, &memories, search, &branches, &mut stage);
    // A memory that nobody is in has a size of 0 all the same.
    Ok(answer.map(|mut answer| {
        memories.iter().for_each(|memory| {
            answer.arenas.entry(memory.mem_id).or_default();
        });
        answer
    }))
}

/// The original's list of sizes: by arena, at least two entries, the first one 0.
fn bufsizes(answer: &Answer) -> Vec<u64> {
    (0..answer.entries()).map(|arena| answer.arenas.get(&arena).copied().unwrap_or(0)).collect()
}

fn reserved(sizes: &Value) -> Result<BTreeMap<u32, u64>, String> {
    let Some(sizes) = sizes.as_array() else { return Ok(BTreeMap::new()) };
    sizes.iter().enumerate().skip(1).map(|(arena, size)| Ok((arena as u32, whole(size)?))).collect()
}

/// Branches are planned first, as graphs of their own; the main graph keeps their largest arenas
/// free.
fn check_submodules(case: &Value) -> Result<(), String> {
    let Some(submodules) = case["submodules"].as_array() else { return Ok(()) };
    let mut largest: BTreeMap<u32, u64> = BTreeMap::new();
    for submodule in submodules {
        let mut submodule = submodule.clone();
        submodule["path"] = case["path"].clone();
        plan(&submodule)?;
        let specs = read_specs(&submodule)?;
        let settings = Settings::new(whole(&submodule["options"]["alignment"])?);
        let answer = execute("greedy", &submodule, &specs, &settings)?;
        for (arena, size) in answer.map_err(|refusal| format!("{refusal:?}"))?.arenas {
            let entry = largest.entry(arena).or_default();
            *entry = (*entry).max(size);
        }
    }
    let recorded = reserved(&case["options"]["input_bufsizes"])?;
    same("reserved for branches", &json!(largest), &json!(recorded))
}

/// Specs, order and lifetimes derived from the graph equal the recorded ones.
fn check_collected(case: &Value, graph: &Graph, specs: &[Spec]) -> Result<(), String> {
    let flag = |key: &str| case["options"][key].as_bool().unwrap_or(true);
    let sizes = if case["sym_shape_eval"] == "hint" { Sizes::Hint } else { Sizes::Upper };
    let which = Collect {
        inputs: flag("alloc_graph_input"),
        outputs: flag("alloc_graph_output"),
        mutable_buffers: flag("alloc_mutable_buffers"),
        sizes,
    };
    same("number of nodes", &json!(graph.nodes.len()), &case["num_nodes"])?;
    let collected = collect(graph, which).map_err(|error| error.to_string())?;
    let roles = roles(graph);
    let mut ours = Vec::new();
    for (spec, &tensor) in collected.specs.iter().zip(&collected.tensors) {
        let role = roles[tensor];
        let input = graph.tensors[tensor].kind == Kind::Input && !role.mutable_buffer;
        let flags = json!([input, role.returned, role.mutable_buffer]);
        ours.push(json!([graph.tensors[tensor].name, spec.bytes, spec.live.start, spec.live.end, flags]));
    }
    let mut theirs = Vec::new();
    for (spec, recorded) in specs.iter().zip(list(&case["specs"])?) {
        let flags = json!([recorded["input"], recorded["output"], recorded["mutable_buffer"]]);
        theirs.push(json!([recorded["name"], spec.bytes, spec.live.start, spec.live.end, flags]));
    }
    for (ours, theirs) in ours.iter().zip(&theirs) {
        same("spec from the graph", ours, theirs)?;
    }
    same("number of specs", &json!(ours.len()), &json!(theirs.len()))
}

fn read_specs(case: &Value) -> Result<Vec<Spec>, String> {
    let read = |(index, spec): (usize, &Value)| -> Result<Spec, String> {
        let base = spec["storage_base"]
            .as_u64()
            .map(|base| Base { spec: base as usize, offset: spec["storage_base_offset"].as_u64().unwrap_or(0) });
        let bytes = whole(&spec["nbytes"])?;
        Ok(Spec {
            buffer: BufferId(index as u32),
            bytes,
            held: bytes,
            live: Live::new(whole(&spec["lifetime"][0])? as u32, whole(&spec["lifetime"][1])? as u32 + 1),
            mem_id: spec["mem_id"].as_u64().map(|mem_id| mem_id as u32),
            align: whole(&spec["alignment"])?,
            base,
        })
    };
    list(&case["specs"])?.iter().enumerate().map(read).collect()
}

fn read_symbols(symbols: &Value) -> Result<BTreeMap<String, Symbol>, String> {
    let object = symbols.as_object().ok_or("no symbols")?;
    let symbol = |(name, symbol): (&String, &Value)| {
        let (min, max) = (symbol["min"].as_u64(), symbol["max"].as_u64());
        Ok((name.clone(), Symbol { hint: whole(&symbol["hint"])?, min, max }))
    };
    object.iter().map(symbol).collect()
}

/// A file by its path from the folder of a case, packed or not.
fn bytes_beside(case: &Value, name: &str) -> Result<Vec<u8>, String> {
    let folder = Path::new(text(&case["path"])?).parent().unwrap_or(Path::new("")).to_path_buf();
    let plain = folder.join(name);
    let file = if plain.exists() { plain } else { folder.join(format!("{name}.gz")) };
    std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))
}

fn json_beside(case: &Value, name: &str) -> Result<Value, String> {
    let bytes = bytes_beside(case, name)?;
    let mut text = Vec::new();
    match flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut text) {
        Ok(_) => serde_json::from_slice(&text),
        Err(_) => serde_json::from_slice(&bytes),
    }
    .map_err(|error| format!("{name}: {error}"))
}

fn graph_beside(case: &Value, name: &str) -> Result<Graph, String> {
    let bytes = bytes_beside(case, name)?;
    match import::read(&bytes, import::Answers::default()) {
        Ok(import::Imported { document: Document::Graph(graph), .. }) => Ok(graph),
        Ok(_) => Err(format!("{name} is no graph")),
        Err(faults) => Err(format!("{name}: {faults:?}")),
    }
}

fn same(what: &str, ours: &Value, theirs: &Value) -> Result<(), String> {
    if ours == theirs { Ok(()) } else { Err(format!("{what}\n  ours:   {ours}\n  theirs: {theirs}")) }
}

fn text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| format!("{value} is no text"))
}

fn whole(value: &Value) -> Result<u64, String> {
    value.as_u64().ok_or_else(|| format!("{value} is no whole number"))
}

fn list(value: &Value) -> Result<&Vec<Value>, String> {
    value.as_array().ok_or_else(|| format!("{value} is no list"))
}
