//! TFLite (`.tflite`, LiteRT): operators in the order in which the interpreter runs them, sizes as
//! the file states them, and the plan that its maker may have put in.
//!
//! **From**: tensorflow/tensorflow v2.21.0, `tensorflow/lite/schema/schema.fbs` and
//! `tensorflow/lite/arena_planner.cc`.
//! **Time**: operator *i* runs at step *i*.
//! **Storage**: where the interpreter lets an output be its input's bytes, it is a view here; where
//! it may overwrite a dying input, that is a permission. Never for graph inputs, into graph
//! outputs, or for constants, as there.
//! **Missing**: scratch buffers that kernels ask for when the model is loaded, and the persistent
//! part of the arena.

mod offline;
mod operators;
mod pads;
mod regions;
mod schema;
mod tensors;
#[cfg(test)]
mod tests;

use operators::{Named, Sharing};
use schema::{Model, Operator, RowOptions, SubGraph};
use tensors::Tensors;

use super::answers::{self, Answers};
use super::build::{Builder, Slot};
use super::content::Content;
use super::document::{Document, Parsed};
use super::flat;
use memplan_core::base::Message;
use memplan_core::graph::{Attr, Fault};

/// Whether a file has the identifier `TFL3`.
pub fn sniff(content: &Content) -> bool {
    content.bytes().get(4..8) == Some(b"TFL3")
}

/// Reads a TFLite file.
///
/// # Errors
/// Every fault found: what is damaged, an index that leads nowhere, an order that cannot run.
pub fn read(content: Content, answers: &Answers) -> Result<Parsed, Vec<Fault>> {
    let model = flat::root::<Model>(content.bytes()).map_err(|message| vec![Fault::new("", message)])?;
    let graphs: Vec<SubGraph> = model.subgraphs().into_iter().flatten().collect();
    let label = |(index, graph): (usize, &SubGraph)| match graph.name() {
        Some(name) if !name.is_empty() => name.to_string(),
        _ => format!("subgraph {index}"),
    };
    let labels: Vec<String> = graphs.iter().enumerate().map(label).collect();
    let (chosen, mut questions) = answers::model(labels, answers).map_err(|fault| vec![fault])?;
    let Some(graph) = graphs.get(chosen) else {
        return Err(vec![Fault::new("subgraphs", Message::new("fault.tflite-no-subgraph"))]);
    };
    let first: usize = graphs.iter().take(chosen).map(|graph| graph.tensors().map_or(0, |all| all.len())).sum();
    let all = graphs.iter().map(|graph| graph.tensors().map_or(0, |all| all.len())).sum();
    let stated = offline::offsets(&model, all);
    let offsets = stated.as_ref().ok().and_then(Option::as_deref);
    let offsets = offsets.and_then(|offsets| offsets.get(first..)).unwrap_or_default();
    let mut reader = SubgraphReader::new(&model, graph, offsets)?;
    reader.operators(&model, graph);
    let SubgraphReader { builder, tensors, mut facts, mut warnings, faults, .. } = reader;
    if !faults.is_empty() {
        return Err(faults);
    }
    let built = builder.finish(answers)?;
    warnings.extend(built.warnings);
    questions.extend(built.questions);
    let document = match &stated {
        Ok(None) => Document::Graph(built.graph),
        Ok(Some(_)) => offline::document(built.graph, &tensors.places(offsets), &mut facts),
        Err(message) => {
            warnings.push(Fault::new("metadata", message.clone()));
            Document::Graph(built.graph)
        }
    };
    Ok(Parsed { facts, warnings, questions, ..Parsed::plain(document) })
}

struct SubgraphReader {
    builder: Builder,
    tensors: Tensors,
    facts: Vec<Message>,
    warnings: Vec<Fault>,
    faults: Vec<Fault>,
    views: u64,
    permissions: u64,
    /// Operators that run other subgraphs.
    calls: u64,
}

/// Stride, padding, dilation and size of a window, rows first, and how a resize counts rows, as
/// attributes; nothing of other operators.
fn of_rows(options: RowOptions) -> Vec<(&'static str, Attr)> {
    let pair = |rows: i32, columns: i32| Attr::Json(format!("[{},{}]", rows.max(1), columns.max(1)));
    let (padding, stride, more) = match options {
        RowOptions::Conv(of) => (
            of.padding(),
            pair(of.stride_h(), of.stride_w()),
            Some(("dilations", pair(of.dilation_h(), of.dilation_w()))),
        ),
        RowOptions::Depthwise(of) => (
            of.padding(),
            pair(of.stride_h(), of.stride_w()),
            Some(("dilations", pair(of.dilation_h(), of.dilation_w()))),
        ),
        RowOptions::Pool(of) => {
            (of.padding(), pair(of.stride_h(), of.stride_w()), Some(("kernel", pair(of.filter_h(), of.filter_w()))))
        }
        RowOptions::Transposed(of) => (of.padding(), pair(of.stride_h(), of.stride_w()), None),
        RowOptions::Nearest(of) => {
            let stated = [("align_corners", of.align_corners()), ("half_pixel_centers", of.half_pixel_centers())];
            return stated.into_iter().map(|(name, is_set)| (name, Attr::Json(is_set.to_string()))).collect();
        }
        RowOptions::Other => return Vec::new(),
    };
    let padding = Attr::Text(if padding == 1 { "VALID" } else { "SAME" }.into());
    [("padding", padding), ("strides", stride)].into_iter().chain(more).collect()
}

impl SubgraphReader {
    fn new(model: &Model, graph: &SubGraph, offsets: &[i32]) -> Result<SubgraphReader, Vec<Fault>> {
        let mut builder = Builder::new(graph.name().unwrap_or("TFLite model"));
        let mut facts = vec![
            Message::new("fact.tflite-file")
                .count("version", model.version())
                .text("description", model.description().unwrap_or("?")),
        ];
        let mut warnings = Vec::new();
        let tensors = Tensors::read(model, graph, offsets, &mut builder, &mut facts, &mut warnings)?;
        let faults = Vec::new();
        Ok(SubgraphReader { builder, tensors, facts, warnings, faults, views: 0, permissions: 0, calls: 0 })
    }

    fn operators(&mut self, model: &Model, graph: &SubGraph) {
        let names = operators::names(model.operator_codes().into_iter().flatten());
        let windows = graph.options().into_iter().flatten().map(|options| of_rows(options.get()));
        for (index, (operator, mut attrs)) in graph.operators().into_iter().flatten().zip(windows).enumerate() {
            let code = operator.opcode_index();
            match names.get(code as usize) {
                Some(named) => {
                    attrs.extend(pads::of(&named.name, model, graph, &operator));
                    self.operator(index, &operator, named, attrs);
                }
                None => self.faults.push(Fault::new(
                    format!("operators[{index}]"),
                    Message::new("fault.flat-index").count("index", code).count("count", names.len()),
                )),
            }
        }
        for (key, count) in [("fact.tflite-views", self.views), ("fact.tflite-inplace", self.permissions)] {
            if count > 0 {
                self.facts.push(Message::new(key).count("count", count));
            }
        }
        self.facts.push(Message::new("fact.tflite-scratch"));
        if self.calls > 0 {
            self.warnings.push(Fault::new("", Message::new("warning.tflite-calls").count("count", self.calls)));
        }
    }

    /// For an operator with tensors in the memory of an accelerator: names that memory once among
    /// what it reads, and returns the attribute by which its results there are views of it. None
    /// for other operators.
    fn within_region(&self, inputs: &[i32], outputs: &[i32], from: &mut Vec<Slot>) -> Option<Option<(String, Attr)>> {
        let region = inputs.iter().chain(outputs).find_map(|&tensor| self.tensors.region_of(tensor))?;
        let made: Vec<usize> = (0..outputs.len()).filter(|&at| self.tensors.region_of(outputs[at]).is_some()).collect();
        let mut is_first = true;
        from.retain(|slot| *slot != region || std::mem::take(&mut is_first));
        if !made.is_empty() && !from.contains(&region) {
            from.push(region);
        }
        let at = from.iter().position(|slot| *slot == region);
        let pairs: Vec<String> =
            at.into_iter().flat_map(|at| made.iter().map(move |to| format!("[{at},{to}]"))).collect();
        Some((!pairs.is_empty()).then(|| ("alias".into(), Attr::Json(format!("[{}]", pairs.join(","))))))
    }

    fn operator(&mut self, index: usize, operator: &Operator, named: &Named, window: Vec<(&str, Attr)>) {
        let name = named.name.as_str();
        let inputs: Vec<i32> = operator.inputs().into_iter().flatten().filter(|&index| index != -1).collect();
        let outputs: Vec<i32> = operator.outputs().into_iter().flatten().filter(|&index| index != -1).collect();
        let mut slots = |list: &[i32], key: &str| -> Vec<Slot> {
            let tensors = &self.tensors;
            let faults = &mut self.faults;
            let slot = |(at, &tensor): (usize, &i32)| {
                let slot = tensors.slot(tensor);
                if slot.is_none() {
                    let message = Message::new("fault.flat-index").text("index", tensor.to_string());
                    faults.push(Fault::new(
                        format!("operators[{index}].{key}[{at}]"),
                        message.count("count", tensors.len()),
                    ));
                }
                slot
            };
            list.iter().enumerate().filter_map(slot).collect()
        };
        let (mut from, to) = (slots(&inputs, "inputs"), slots(&outputs, "outputs"));
        let within = self.within_region(&inputs, &outputs, &mut from);
        let has_state = |input| self.tensors.is_state(input);
        self.calls += u64::from(operators::runs_subgraphs(name));
        let node = self.builder.node(&format!("{name}_{index}"), name, &from, &to);
        for (key, value) in window {
            node.attrs_mut().insert(key.into(), value);
        }
        // A state outlives the run, and what reads it depends on what ran before.
        if named.is_custom || inputs.iter().any(|&input| has_state(input)) {
            node.attrs_mut().insert("custom".into(), Attr::Text("true".into()));
        }
        if let Some(views) = within {
            node.attrs_mut().extend(views);
            return;
        }
        let &[output] = &outputs[..] else { return };
        match operators::sharing(name) {
            Sharing::Same if inputs.first().is_some_and(|&input| self.tensors.may_alias(input, output)) => {
                node.attrs_mut().insert("alias".into(), Attr::Text("true".into()));
                self.views += 1;
            }
            Sharing::Overwrite(candidates) => {
                let may = |input: &i32| self.tensors.may_overwrite(*input, output);
                // Positions count only the inputs that are there, as in the node.
                let open = inputs.iter().take(candidates).enumerate().filter(|(_, input)| may(input));
                node.inplace = open.map(|(at, _)| (at as u32, 0)).collect();
                self.permissions += u64::from(!node.inplace.is_empty());
            }
            Sharing::Same | Sharing::No => {}
        }
    }
}
