//! A plan written into an ONNX model (docs/formats.md): entries beside the values.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::{self, ApiError, Code};
use crate::compare::PlannerChoice;
use crate::readers;
use memplan_core::base::Message;
use memplan_core::graph::{Dim, Dtype, Graph, Kind, Tensor};
use memplan_core::plan::{Plan, PoolId, PoolRole, check, metrics};
use memplan_core::problem::{Problem, Scope, Views, lifetimes, lower_bound};
use memplan_formats::import::{Answers, Imported, Unshown};
use memplan_formats::onnx_plan::{Annotation, Described, Outline, OutlinedNode, annotate, outline};
use memplan_planners::{ANNOTATOR, OnnxModel, OnnxNode, OnnxPlan, OnnxValue, has_bytes, info, plan_onnx};

/// A model with a plan.
pub struct AnnotatedModel {
    /// The file.
    pub data: Vec<u8>,
    /// Bytes of the arena.
    pub with: u64,
    /// Bytes of all values that are planned, without sharing.
    pub without: u64,
    /// The lower bound of the model's buffers, in bytes.
    pub bound: u64,
}

/// Types and shapes of values, as far as they are numbers.
type Types = BTreeMap<String, (Dtype, Vec<u64>)>;

impl AnnotatedModel {
    /// Plans a model, `read` with these answers, and writes the plan into it. The planner whose
    /// entries these are plans the file as it is, with the graphs of its nodes; every other one
    /// plans what was read.
    ///
    /// # Errors
    /// Why there is no plan, or why the model cannot have it.
    pub fn planned(
        data: &[u8],
        read: &Imported,
        answers: &Answers,
        choice: &PlannerChoice,
    ) -> Result<AnnotatedModel, ApiError> {
        let document = &read.document;
        let graph = document.graph().ok_or_else(|| refused(Message::new("onnx-plan.damaged")))?;
        let PlannerChoice { planner, options } = choice;
        let is_own = info(planner).is_some_and(|info| info.id == ANNOTATOR.info().id)
            && api::chosen(planner, options.iter().map(|(key, value)| (&**key, &**value))).is_ok()
            && options.keys().all(|key| key == "symbolic");
        if is_own {
            let outline = outline(data).map_err(refused)?;
            let mut inferred = read.unshown.clone();
            inferred.values.append(&mut types(graph));
            let model = model(&outline, &inferred, &BTreeMap::new());
            let mut annotation = annotation(&model, &plan_onnx(&model));
            describe(&mut annotation, &outline, inferred);
            let own = lifetimes(graph, &Scope { views: Views::Copy, ..Scope::default() });
            return written(data, graph, answers, &annotation, own.map_or(0, |problem| lower_bound(&problem)));
        }
        let ran = api::plan(document, planner, options, &Scope::default())?;
        if ran.problem.order.is_some() {
            return Err(refused(Message::new("onnx-plan.order")));
        }
        AnnotatedModel::with_plan(data, graph, answers, &ran.problem, &ran.plan)
    }

    /// Writes a plan of the buffers of a graph into its model, read with these answers.
    ///
    /// # Errors
    /// The first fault of the plan, or why the model cannot have it.
    pub fn with_plan(
        data: &[u8],
        graph: &Graph,
        answers: &Answers,
        problem: &Problem,
        plan: &Plan,
    ) -> Result<AnnotatedModel, ApiError> {
        if let Some(violation) = check(problem, plan).first() {
            return Err(refused(violation.message(problem)));
        }
        let pools: BTreeSet<PoolId> = plan.places.iter().flatten().map(|place| place.pool).collect();
        let is_arena = |&pool: &PoolId| !matches!(plan.pools[pool].role, PoolRole::Storage | PoolRole::Figure);
        if pools.len() > 1 || !pools.iter().all(is_arena) {
            return Err(refused(Message::new("onnx-plan.one-arena")));
        }
        let others = outline(data).map_err(refused)?.others;
        let mut types = types(graph);
        types.retain(|name, _| !others.contains(name));
        let mut annotation = Annotation { arena: plan.peak(problem), ..Annotation::default() };
        let mut placed = BTreeSet::new();
        for (id, buffer) in problem.buffers.enumerate() {
            let Some(place) = plan.places[id] else { continue };
            for &tensor in &buffer.tensors {
                let name = &graph.tensors[tensor].name;
                // A size that symbols decide is none that a file can state. Nor has a sequence
                // one.
                let Some(bytes) = types.get(name).and_then(|(dtype, shape)| bytes_of(*dtype, shape)) else { continue };
                annotation.naive += bytes;
                annotation.values.insert(name.clone(), (place.offset, buffer.size));
                placed.insert(name);
            }
        }
        let left_out =
            graph.tensors.iter().filter(|tensor| tensor.kind != Kind::Weight && !placed.contains(&tensor.name));
        annotation.unplanned = left_out.map(|tensor| tensor.name.clone()).collect();
        annotation.unplanned.sort_unstable();
        annotation.types = types;
        written(data, graph, answers, &annotation, metrics(problem, plan).lower_bound)
    }

    /// Why the arena is smaller than the bound, if it is.
    pub fn remark(&self) -> Option<Message> {
        (self.with < self.bound).then(|| Message::new("onnx-plan.below-bound"))
    }
}

fn refused(message: Message) -> ApiError {
    ApiError::new(Code::Refused, "", message)
}

/// Writes the plan, and reads the file again with the reader of all other commands, which shares no
/// code with the writer.
fn written(
    data: &[u8],
    graph: &Graph,
    answers: &Answers,
    annotation: &Annotation,
    bound: u64,
) -> Result<AnnotatedModel, ApiError> {
    let differs = |what: &str| refused(Message::new("tflm.differs").text("what", what));
    let written = annotate(data, annotation).map_err(refused)?;
    let read = |data: &[u8]| readers::read(data, answers).map(|read| read.document).map_err(|_| differs("graph"));
    if read(&written)?.graph() != Some(graph) {
        // A plan that places constants is read with steps that make them.
        let bare = |data: &[u8]| read(&annotate(data, &Annotation::default()).map_err(refused)?);
        if bare(data)?.graph() != bare(&written)?.graph() {
            return Err(differs("graph"));
        }
    }
    Ok(AnnotatedModel { data: written, with: annotation.arena, without: annotation.naive, bound })
}

/// Types and shapes of the tensors of a graph.
fn types(graph: &Graph) -> Types {
    let fixed = |tensor: &Tensor| {
        let extent = |dim: &Dim| if let Dim::Fixed(extent) = dim { Some(*extent) } else { None };
        let shape = tensor.shape.iter().map(extent).collect::<Option<Vec<u64>>>()?;
        (tensor.bytes.is_none()).then(|| (tensor.name.clone(), (tensor.dtype, shape)))
    };
    graph.tensors.iter().filter_map(fixed).collect()
}

/// Bytes of a value; none for scalars and types of less than a byte, which are not planned.
fn bytes_of(dtype: Dtype, shape: &[u64]) -> Option<u64> {
    let bytes = shape.iter().try_fold(dtype.bits() / 8, |bytes, extent| bytes.checked_mul(*extent));
    bytes.filter(|_| has_bytes(dtype) && !shape.is_empty())
}

/// The graph of a file as its planner reads it. `inferred`: types of values that the file does not
/// describe, also inside nodes. `outer`: bytes of the values of graphs around it.
fn model<'a>(outline: &'a Outline, inferred: &Unshown, outer: &BTreeMap<String, Option<u64>>) -> OnnxModel {
    let mut sizes = outer.clone();
    sizes.extend(inferred.values.iter().map(|(name, (dtype, shape))| (name.clone(), bytes_of(*dtype, shape))));
    for (name, Described { dtype, shape, .. }) in &outline.values {
        let stated = dtype.zip(shape.as_ref());
        if stated.is_some() || !sizes.contains_key(name) {
            sizes.insert(name.clone(), stated.and_then(|(dtype, shape)| bytes_of(dtype, shape)));
        }
    }
    sizes.extend(outline.others.iter().map(|name| (name.clone(), None)));
    let mut model = OnnxModel::default();
    let mut numbers: BTreeMap<&'a str, u32> = BTreeMap::new();
    let [inputs, outputs, weights] = [&outline.inputs, &outline.outputs, &outline.weights]
        .map(|names| names.iter().map(String::as_str).collect::<BTreeSet<&str>>());
    fn number<'a>(
        name: &'a str,
        numbers: &mut BTreeMap<&'a str, u32>,
        model: &mut OnnxModel,
        make: &dyn Fn(&str) -> OnnxValue,
    ) -> Option<u32> {
        (!name.is_empty()).then(|| {
            *numbers.entry(name).or_insert_with(|| {
                model.values.push(make(name));
                model.values.len() as u32 - 1
            })
        })
    }
    let make = |name: &str| OnnxValue {
        name: name.to_string(),
        size: sizes.get(name).copied().flatten(),
        is_input: inputs.contains(name),
        is_output: outputs.contains(name),
        is_weight: weights.contains(name),
        ..OnnxValue::default()
    };
    for name in outline.inputs.iter().chain(&outline.outputs) {
        number(name, &mut numbers, &mut model, &make);
    }
    for node in &outline.nodes {
        let mut of = |names: &'a [String]| -> Vec<Option<u32>> {
            names.iter().map(|name| number(name, &mut numbers, &mut model, &make)).collect()
        };
        let (inputs, outputs) = (of(&node.inputs), of(&node.outputs));
        let unknown = Unshown::default();
        let known = |inner: &Outline| inferred.graphs.get(&key(node, inner)).unwrap_or(&unknown);
        let subgraphs = node.subgraphs.iter().map(|inner| self::model(inner, known(inner), &sizes)).collect();
        model.nodes.push(OnnxNode { op: node.op.clone(), inputs, outputs, stated: None, subgraphs });
    }
    model
}

/// By what a graph of a node goes in [`Unshown`].
fn key(node: &OutlinedNode, inner: &Outline) -> (String, String) {
    let first = node.outputs.iter().find(|name| !name.is_empty());
    (first.cloned().unwrap_or_default(), inner.attribute.clone())
}

/// Adds types to a plan, also to those of graphs in nodes, for values that the file does not
/// describe.
fn describe(annotation: &mut Annotation, outline: &Outline, inferred: Unshown) {
    let Unshown { values, mut graphs } = inferred;
    annotation.types = values;
    let inner = outline.nodes.iter().flat_map(|node| node.subgraphs.iter().map(move |inner| (node, inner)));
    for (annotation, (node, inner)) in annotation.subgraphs.iter_mut().zip(inner) {
        if let Some(inferred) = graphs.remove(&key(node, inner)) {
            describe(annotation, inner, inferred);
        }
    }
}

/// A plan as it is written into a file, without types.
pub fn annotation(model: &OnnxModel, laid: &OnnxPlan) -> Annotation {
    let name = |value: usize| model.values[value].name.clone();
    let placed = laid.offsets.iter().enumerate().filter_map(|(value, place)| Some((name(value), (*place)?)));
    let inner = model.nodes.iter().flat_map(|node| &node.subgraphs);
    Annotation {
        arena: laid.arena,
        naive: laid.grouped.naive,
        unplanned: laid.grouped.unplanned.iter().map(|&value| name(value as usize)).collect(),
        reserved: laid.grouped.reserved,
        values: placed.collect(),
        types: Types::new(),
        subgraphs: laid.grouped.subgraphs.iter().zip(inner).map(|((_, laid), model)| annotation(model, laid)).collect(),
    }
}
