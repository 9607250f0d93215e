//! onnxsim's plan for the activations of a model.

use std::collections::{BTreeMap, HashMap};

use memplan_core::graph::Dtype;
use memplan_core::plan::faults;
use memplan_core::problem::{Scope, lifetimes};
use memplan_core::trace::Silent;
use memplan_engine::{AnnotatedModel, PlannerChoice, annotation};
use memplan_formats::import::{self, Answers, Document};
use memplan_formats::onnx_plan::{Annotation, Outline, outline};
use memplan_planners::onnxsim::model::{Model, Node, Value as Made};
use memplan_planners::onnxsim::plan::{Laid, lay};
use memplan_planners::onnxsim::{Onnxsim, has_bytes};
use memplan_planners::{self as planner, ANNOTATOR, Planner};
use serde_json::{Value, json};

/// Bytes of each value by name; none for what is not planned.
type Sizes = HashMap<String, Option<u64>>;

pub fn run(case: &Value) -> Result<(), String> {
    let model = model(&case["model"], &Sizes::new())?;
    let expected = &case["expected"];
    let laid = lay(&model);
    same("plan", &answer(&model, &laid), expected)?;
    if !case["annotations"].is_null() {
        check_annotations(&annotation(&model, &laid), &case["annotations"])?;
    }
    if !case["graph"].is_null() {
        check_from_file(&case["graph"], expected)?;
    }
    let path = text(&case["path"])?;
    let stem = path.strip_suffix(".gz").unwrap_or(path).strip_suffix(".json").ok_or("no case")?;
    match (std::fs::read(format!("{stem}.onnx")), std::fs::read(format!("{stem}.annotated.onnx"))) {
        (Ok(plain), Ok(annotated)) => check_model(&plain, &annotated, expected),
        _ => Ok(()),
    }
}

/// The entries of a plan are those that the original writes: of the model, then of graphs in nodes,
/// depth first.
fn check_annotations(ours: &Annotation, theirs: &Value) -> Result<(), String> {
    fn entries(of: &Annotation, is_inside: bool, list: &mut Vec<Value>) {
        let totals: BTreeMap<String, String> = of.totals(is_inside).into_iter().collect();
        let span = |(name, (offset, size)): (&String, &(u64, u64))| {
            let (offset, size) = (offset.to_string(), size.to_string());
            (name.clone(), json!({"onnxsim.mem_offset": offset, "onnxsim.mem_size": size}))
        };
        let values: BTreeMap<String, Value> = of.values.iter().map(span).collect();
        list.push(json!([totals, values]));
        of.subgraphs.iter().for_each(|inner| entries(inner, true, list));
    }
    let (mut ours_listed, mut listed) = (Vec::new(), vec![json!([theirs["model"], theirs["values"]])]);
    entries(ours, false, &mut ours_listed);
    let inner = theirs["subgraphs"].as_array().into_iter().flatten();
    listed.extend(inner.map(|graph| json!([graph["graph_metadata"], graph["values"]])));
    same("annotations", &json!(ours_listed), &json!(listed))
}

/// Writing the plan into the model gives the entries of the original, and its file is read as a
/// plan.
fn check_model(plain: &[u8], annotated: &[u8], expected: &Value) -> Result<(), String> {
    let read = |bytes: &[u8]| import::read(bytes, Answers::default()).map_err(|faults| format!("{faults:?}"));
    let choice = PlannerChoice { planner: ANNOTATOR.info().id.to_string(), options: BTreeMap::new() };
    let model = read(plain)?;
    let written =
        AnnotatedModel::planned(plain, &model, &Answers::default(), &choice).map_err(|error| format!("{error:?}"))?;
    let entries = |bytes: &[u8]| outline(bytes).map(|outline| noted(&outline)).map_err(|error| format!("{error:?}"));
    same("entries of the model", &entries(&written.data)?, &entries(annotated)?)?;
    let is_open = model.document.graph().is_some_and(|graph| graph.unsized_tensors() > 0);
    for bytes in [annotated, &written.data] {
        let (problem, plan) = match read(bytes)?.document {
            Document::Planned(_, problem, plan) => (problem, plan),
            // While some tensors have no size, there is nothing to draw.
            Document::Graph(_) if is_open => continue,
            other => return Err(format!("no plan is read: {other:?}")),
        };
        same("faults of the plan read", &json!(faults(&problem, &plan).len()), &json!(0))?;
        same("arena", &json!(plan.pools.iter().map(|pool| pool.size).sum::<u64>()), &expected["arena_bytes"])?;
        for (name, span) in expected["offsets"].as_object().ok_or("no offsets")? {
            let place = problem.buffer_named(name).and_then(|id| plan.places[id]);
            same(&format!("place of {name}"), &json!(place.map(|place| place.offset)), &span[0])?;
        }
    }
    Ok(())
}

/// All entries of a graph and of those in its nodes.
fn noted(outline: &Outline) -> Value {
    let inner: Vec<Value> = outline.nodes.iter().flat_map(|node| &node.subgraphs).map(noted).collect();
    json!([outline.name, outline.entries, outline.value_entries, inner])
}

/// The graph of a case, whose outer values have these bytes.
fn model(graph: &Value, outer: &Sizes) -> Result<Model, String> {
    let mut sizes = outer.clone();
    for (name, value) in graph["values"].as_object().ok_or("no values")? {
        sizes.insert(name.clone(), bytes(value));
    }
    let names = |list: &Value| -> Result<Vec<String>, String> {
        self::list(list)?.iter().map(|name| Ok(text(name)?.to_string())).collect()
    };
    let (inputs, outputs, weights) = (names(&graph["inputs"])?, names(&graph["outputs"])?, names(&graph["weights"])?);
    let mut made = Model::default();
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut number = |made: &mut Model, name: &str| -> Option<u32> {
        if name.is_empty() {
            return None;
        }
        Some(*numbers.entry(name.to_string()).or_insert_with(|| {
            let has = |list: &[String]| list.iter().any(|other| other == name);
            made.values.push(Made {
                name: name.to_string(),
                size: sizes.get(name).copied().flatten(),
                is_input: has(&inputs),
                is_output: has(&outputs),
                is_weight: has(&weights),
                ..Made::default()
            });
            made.values.len() as u32 - 1
        }))
    };
    inputs.iter().chain(&outputs).for_each(|name| _ = number(&mut made, name));
    for node in list(&graph["nodes"])? {
        let mut of = |list: &Value| -> Result<Vec<Option<u32>>, String> {
            Ok(names(list)?.iter().map(|name| number(&mut made, name)).collect())
        };
        let (inputs, outputs) = (of(&node["inputs"])?, of(&node["outputs"])?);
        let subgraphs = node["subgraphs"].as_array().into_iter().flatten();
        let subgraphs = subgraphs.map(|inner| model(inner, &sizes)).collect::<Result<_, _>>()?;
        made.nodes.push(Node { op: text(&node["op"])?.to_string(), inputs, outputs, stated: None, subgraphs });
    }
    Ok(made)
}

/// Bytes of a value; none if the original does not plan it.
fn bytes(value: &Value) -> Option<u64> {
    let dtype = Dtype::from_name(value["dtype"].as_str()?).filter(|&dtype| has_bytes(dtype))?;
    let shape = value["shape"].as_array().filter(|shape| !shape.is_empty())?;
    shape.iter().try_fold(dtype.bits() / 8, |bytes, extent| Some(bytes * extent.as_u64()?))
}

/// The plan as the files have it.
fn answer(model: &Model, laid: &Laid) -> Value {
    let name = |value: usize| model.values[value].name.clone();
    let offsets: BTreeMap<String, (u64, u64)> =
        laid.offsets.iter().enumerate().filter_map(|(value, place)| Some((name(value), (*place)?))).collect();
    let inner = model.nodes.iter().flat_map(|node| &node.subgraphs);
    let subgraphs: BTreeMap<&str, Value> =
        laid.grouped.subgraphs.iter().zip(inner).map(|((key, laid), model)| (&**key, answer(model, laid))).collect();
    json!({
        "arena_bytes": laid.arena,
        "naive_bytes": laid.grouped.naive,
        "unplanned": laid.grouped.unplanned.iter().map(|&value| name(value as usize)).collect::<Vec<_>>(),
        "subgraph_reserved_bytes": laid.grouped.reserved,
        "offsets": offsets,
        "subgraphs": subgraphs,
    })
}

/// The planner as everybody runs it, on the graph read as any file, with branches kept parallel as
/// well.
fn check_from_file(graph: &Value, expected: &Value) -> Result<(), String> {
    let read = import::read(graph.to_string().as_bytes(), Answers::default()).map(|read| read.document);
    let Ok(Document::Graph(graph)) = read else { return Err(format!("the graph is not read: {read:?}")) };
    let problem = lifetimes(&graph, &Scope::default()).map_err(|error| format!("{error:?}"))?;
    for branch_safe in ["false", "true"] {
        let options = Onnxsim.info().options([("branch_safe", branch_safe), ("symbolic", "left-out")]);
        let options = options.map_err(|error| error.to_string())?;
        let made = planner::run(&Onnxsim, &problem, Some(&graph), &Scope::default(), &options, &mut Silent);
        let made = made.map_err(|error| format!("{error:?}"))?;
        same("faults", &json!(faults(&made.problem, &made.plan).len()), &json!(0))?;
        if branch_safe == "true" {
            continue;
        }
        same("arena from the file", &json!(made.plan.peak(&made.problem)), &expected["arena_bytes"])?;
        let placed = made.problem.buffers.enumerate().filter_map(|(id, buffer)| {
            let place = made.plan.places[id]?;
            Some((&*buffer.name, (place.offset, buffer.size)))
        });
        let offsets: BTreeMap<&str, (u64, u64)> = placed.collect();
        same("offsets from the file", &json!(offsets), &expected["offsets"])?;
    }
    Ok(())
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
