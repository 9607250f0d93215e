//! The JSON of a model → graph.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::answers::Answers;
use super::super::aten::{self, Argument};
use super::super::build::{Builder, Slot, unknown_shape};
use super::super::document::{Document, Parsed};
use super::super::loose::{Loose, Object, member};
use super::super::peak;
use super::super::shape::Extent;
use super::super::source;
use super::meta::{Extents, Meta};
use super::views::{IF_VIEWABLE, is_view, takes_results};
use memplan_core::base::Message;
use memplan_core::graph::{Attr, Dtype, Fault, Kind, TrainingRole};

/// Major version of the schema that this reader supports.
const SCHEMA: u64 = 8;

fn missing(path: &str) -> Vec<Fault> {
    let field = path.rsplit('.').next().unwrap_or(path);
    vec![Fault::new(path, Message::new("fault.missing").text("field", field))]
}

fn object<'b, 'a>(of: &'b Object<'a>, key: &str, path: &str) -> Result<&'b Object<'a>, Vec<Fault>> {
    match of.get(key) {
        Some(Loose::Object(object)) => Ok(object),
        _ => Err(missing(path)),
    }
}

pub(super) fn items<'b, 'a>(of: &'b Object<'a>, key: &str) -> &'b [Loose<'a>] {
    if let Some(Loose::List(items)) = of.get(key) { items } else { &[] }
}

/// Names of the tensors in an argument: an object with one member, named after the argument's type.
fn tensors<'b>(argument: &'b Loose, found: &mut Vec<&'b str>) {
    let Loose::Object(union) = argument else { return };
    for (kind, value) in &union.0 {
        match (kind.as_ref(), value) {
            (
                "as_tensor" | "as_optional_tensor" | "as_tensors" | "as_optional_tensors" | "as_nested_tensors",
                value,
            ) => named(value, found),
            ("as_string_to_argument", Loose::Object(members)) => {
                members.0.iter().for_each(|(_, argument)| tensors(argument, found))
            }
            _ => {}
        }
    }
}

/// `{"name": …}`, `{"as_tensor": {"name": …}}`, or lists of them.
fn named<'b>(value: &'b Loose, found: &mut Vec<&'b str>) {
    match value {
        Loose::List(items) => items.iter().for_each(|item| named(item, found)),
        Loose::Object(object) => match object.get("name") {
            Some(Loose::Text(name)) => found.push(name),
            _ => tensors(value, found),
        },
        _ => {}
    }
}

pub(super) fn tensors_of(argument: Option<&Loose>) -> Vec<String> {
    let mut found = Vec::new();
    argument.iter().for_each(|argument| tensors(argument, &mut found));
    found.into_iter().map(str::to_string).collect()
}

/// An argument with numbers, a flag or a word, each in an object with one member that is named
/// after the type.
pub(super) fn stated(argument: Option<&Loose>) -> Argument {
    let Some(argument) = argument else { return Argument::Default };
    let value = |kind| member(argument, kind);
    let json = |value: &Loose| Argument::Stated(Attr::Json(value.json()));
    if let Some(Loose::List(items)) = value("as_sym_ints") {
        let numbers: Option<Vec<Loose>> = items.iter().map(|item| member(item, "as_int").cloned()).collect();
        return numbers.map_or(Argument::Open, |numbers| json(&Loose::List(numbers)));
    }
    if let Some(Loose::Text(word)) = value("as_string") {
        return Argument::Stated(Attr::Text(word.to_string()));
    }
    if value("as_none").is_some() {
        return Argument::Default;
    }
    let kinds = ["as_int", "as_ints", "as_bool", "as_float", "as_floats"];
    kinds.into_iter().find_map(value).map_or(Argument::Open, json)
}

/// Roles of the graph's inputs and outputs, from the program's signature.
#[derive(Default)]
pub(super) struct Signature {
    pub(super) kinds: BTreeMap<String, Kind>,
    pub(super) outputs: BTreeSet<String>,
    /// Value written back, with the parameter, buffer or input it is written to.
    pub(super) written: BTreeMap<String, String>,
    /// Results that training makes.
    pub(super) roles: BTreeMap<String, TrainingRole>,
}

impl Signature {
    fn of(module: &Object, graph: &Object) -> Signature {
        let mut read = Signature::default();
        let signature = module.get("signature");
        let specs = |key: &str| match signature.and_then(|signature| member(signature, key)) {
            Some(Loose::List(specs)) => &specs[..],
            _ => &[],
        };
        // Where parameters and buffers come from, by the names of the model.
        let mut sources: BTreeMap<String, String> = BTreeMap::new();
        for (kind, spec) in specs("input_specs").iter().flat_map(union) {
            let name = spec_tensor(spec);
            let owned = ["parameter_name", "buffer_name", "tensor_constant_name"]
                .iter()
                .find_map(|key| member(spec, key)?.text());
            for name in name {
                if let Some(owned) = owned {
                    sources.insert(owned.to_string(), name.clone());
                }
                let weight = matches!(kind, "parameter" | "buffer" | "tensor_constant");
                read.kinds.insert(name, if weight { Kind::Weight } else { Kind::Input });
            }
        }
        for (kind, spec) in specs("output_specs").iter().flat_map(union) {
            let target =
                ["buffer_name", "parameter_name", "user_input_name"].iter().find_map(|key| member(spec, key)?.text());
            let target = target.map(|target| sources.get(target).cloned().unwrap_or_else(|| target.to_string()));
            let role = match kind {
                "loss_output" => Some(TrainingRole::Loss),
                "gradient_to_parameter" | "gradient_to_user_input" => Some(TrainingRole::Gradient),
                _ => None,
            };
            for name in spec_tensor(spec) {
                read.roles.extend(role.map(|role| (name.clone(), role)));
                if let (true, Some(target)) = (kind.ends_with("_mutation"), &target) {
                    read.written.insert(name.clone(), target.clone());
                }
                read.outputs.insert(name);
            }
        }
        if specs("output_specs").is_empty() {
            read.outputs = items(graph, "outputs").iter().flat_map(|output| tensors_of(Some(output))).collect();
        }
        read
    }
}

fn union<'b, 'a>(value: &'b Loose<'a>) -> Option<(&'b str, &'b Loose<'a>)> {
    let Loose::Object(object) = value else { return None };
    object.0.first().map(|(kind, spec)| (kind.as_ref(), spec))
}

/// `arg` is an argument where any may stand, and a bare name elsewhere.
fn spec_tensor(spec: &Loose) -> Vec<String> {
    let mut found = Vec::new();
    member(spec, "arg").iter().for_each(|argument| named(argument, &mut found));
    found.into_iter().map(str::to_string).collect()
}

/// `torch.ops.aten.conv2d.default` → `conv2d` and `default`.
fn operator(target: &str) -> (&str, &str) {
    let (path, overload) = match target.strip_prefix("torch.ops.") {
        Some(rest) => {
            let mut parts = rest.splitn(3, '.').skip(1);
            (parts.next().unwrap_or(rest), parts.next().unwrap_or_default())
        }
        None => (target.rsplit('.').next().unwrap_or(target), ""),
    };
    let op = path.trim_start_matches('_');
    (if op.is_empty() { target } else { op }, overload)
}

/// Nodes that only ask for extents, or state what holds: they read no data and make none.
fn only_asks(op: &str) -> bool {
    op.starts_with("sym_") || op.starts_with("assert_") || matches!(op, "set_grad_enabled" | "lazy_load_decompositions")
}

/// What was found in nodes that run graphs of their own.
#[derive(Default)]
pub(super) struct Nested {
    /// How many graphs lie around the one being read.
    pub(super) depth: usize,
    /// Nodes whose graphs are counted, with the bytes that they need besides operands and results.
    pub(super) planned: Vec<(String, Extent)>,
    /// Nodes whose graphs are not counted, by operator.
    pub(super) unread: BTreeMap<String, u64>,
}

/// Reads one graph: that of the program, or one inside a node.
pub(super) struct ProgramReader<'a> {
    pub(super) builder: Builder,
    pub(super) slots: HashMap<String, Slot>,
    metas: HashMap<&'a str, Meta>,
    /// Shared by the program and the graphs inside its nodes.
    pub(super) extents: Extents<'a>,
    pub(super) signature: Signature,
    /// Inputs of the caller that an operator changes.
    changed: BTreeSet<String>,
    /// Nodes that run graphs of their own.
    pub(super) nested: Nested,
    /// Tensors with gaps between their elements whose size follows from symbols.
    padded: u64,
}

/// Turns the parsed JSON into a graph.
///
/// # Errors
/// What is no graph, or every fault of the graph.
pub fn read<'a>(top: &'a Object<'a>, name: &str, answers: &Answers) -> Result<Parsed, Vec<Fault>> {
    let module = object(top, "graph_module", "graph_module")?;
    let graph = object(module, "graph", "graph_module.graph")?;
    let signature = Signature::of(module, graph);
    let mut reader = ProgramReader::new(Builder::new(name), Extents::default(), signature, graph)?;
    reader.graph(graph)?;
    reader.return_inputs();
    let without = reader.extents.limit(top.get("range_constraints"));
    for (name, symbol) in std::mem::take(&mut reader.extents.symbols) {
        reader.builder.symbol(&name, symbol);
    }
    let (mut facts, mut warnings) = reader.remarks(top);
    if !without.is_empty() {
        let message = Message::new("warning.symbols-without-value").text("names", without.join(", "));
        warnings.push(Fault::new("range_constraints", message));
    }
    let (count, first) = reader.extents.unread;
    if count > 0 {
        let message = Message::new("warning.extents-unread").count("count", count).text("text", first);
        warnings.push(Fault::new("graph_module.graph.tensor_values", message));
    }
    let built = reader.builder.finish(answers)?;
    warnings.extend(built.warnings);
    // What the graph is not: the one that torch.compile plans.
    let about = ["fact.pt2-before", "fact.pt2-outside", "fact.node-order"];
    facts.splice(0..0, about.map(Message::new));
    let questions = built.questions;
    Ok(Parsed { facts, warnings, questions, ..Parsed::plain(Document::Graph(built.graph)) })
}

impl<'a> ProgramReader<'a> {
    /// Reads the types and extents of a graph's tensors.
    ///
    /// # Errors
    /// Every tensor that is not understood.
    pub(super) fn new(
        builder: Builder,
        mut extents: Extents<'a>,
        signature: Signature,
        graph: &'a Object<'a>,
    ) -> Result<ProgramReader<'a>, Vec<Fault>> {
        let mut metas = HashMap::new();
        let mut faults = Vec::new();
        if let Some(Loose::Object(values)) = graph.get("tensor_values") {
            for (name, value) in &values.0 {
                match extents.meta(name, value) {
                    Ok(meta) => _ = metas.insert(name.as_ref(), meta),
                    Err(fault) => faults.push(fault),
                }
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let (slots, changed, nested) = (HashMap::new(), BTreeSet::new(), Nested::default());
        Ok(ProgramReader { builder, slots, metas, extents, signature, changed, nested, padded: 0 })
    }

    /// Walks over a graph, inputs first.
    ///
    /// # Errors
    /// Nodes that are not understood.
    pub(super) fn graph(&mut self, graph: &'a Object<'a>) -> Result<(), Vec<Fault>> {
        for input in items(graph, "inputs") {
            for name in tensors_of(Some(input)) {
                let kind = self.signature.kinds.get(&name).copied().unwrap_or(Kind::Input);
                self.tensor(&name, kind, false);
            }
        }
        for (index, node) in items(graph, "nodes").iter().enumerate() {
            let Loose::Object(node) = node else {
                return Err(missing(&format!("graph_module.graph.nodes[{index}].target")));
            };
            self.node(index, node)?;
        }
        Ok(())
    }

    fn tensor(&mut self, name: &str, kind: Kind, view: bool) -> Slot {
        let Some(meta) = self.metas.get(name) else {
            let slot = self.builder.tensor(name, Dtype::Float32, unknown_shape(), kind);
            self.slots.insert(name.to_string(), slot);
            return slot;
        };
        let slot = self.builder.tensor(name, meta.dtype, meta.shape.clone(), kind);
        let span = if view { None } else { meta.span() };
        if let Some(tensor) = self.builder.tensor_mut(slot) {
            tensor.device = meta.device.clone();
            match span {
                Some(span) if span.fixed => tensor.bytes = Some(span.bytes),
                Some(_) => self.padded += 1,
                None => {}
            }
        }
        self.slots.insert(name.to_string(), slot);
        slot
    }

    fn is_input(&self, name: &str) -> bool {
        self.signature.kinds.get(name) == Some(&Kind::Input)
    }

    /// An input that is returned or changed is read by the caller after the last node.
    fn return_inputs(&mut self) {
        let returned = self.signature.outputs.iter().filter(|name| self.is_input(name));
        let names: BTreeSet<&String> = returned.chain(&self.changed).collect();
        let slots: Vec<Slot> = names.into_iter().filter_map(|name| self.slots.get(name).copied()).collect();
        if !slots.is_empty() {
            self.builder.node("output", "output", &slots, &[]);
        }
    }

    fn node(&mut self, index: usize, node: &'a Object<'a>) -> Result<(), Vec<Fault>> {
        let path = || format!("graph_module.graph.nodes[{index}]");
        let Some(target) = node.get("target").and_then(Loose::text) else {
            return Err(missing(&format!("{}.target", path())));
        };
        let (op, overload) = operator(target);
        let arguments = items(node, "inputs");
        let argument = |key: &str| arguments.iter().find(|one| member(one, "name").and_then(Loose::text) == Some(key));
        let reads: Vec<String> = arguments.iter().flat_map(|one| tensors_of(member(one, "arg"))).collect();
        let makes: Vec<String> = items(node, "outputs").iter().flat_map(|output| tensors_of(Some(output))).collect();
        if makes.is_empty() && (reads.is_empty() || only_asks(op)) {
            return Ok(());
        }
        let mut inputs = Vec::with_capacity(reads.len());
        for (slot, name) in reads.iter().enumerate() {
            let unknown = || {
                Fault::new(
                    format!("{}.inputs[{slot}]", path()),
                    Message::new("fault.unknown-tensor").text("name", name),
                )
            };
            inputs.push(*self.slots.get(name).ok_or_else(|| vec![unknown()])?);
        }
        // Of an export that is not functional yet: `mul_`, `copy_`.
        if let Some(first) = reads.first().filter(|first| op.ends_with('_') && self.is_input(first)) {
            self.changed.insert(first.clone());
        }
        let trains = ["train", "training"].iter().any(|key| {
            argument(key).and_then(|one| member(member(one, "arg")?, "as_bool")) == Some(&Loose::Flag(true))
        });
        let meta = |name: Option<&String>| self.metas.get(name?.as_str());
        // Tensors by keyword, which the overload `out` and its like write and give back.
        let keywords: Vec<(&str, String)> = arguments
            .iter()
            .filter(|one| member(one, "kind").and_then(Loose::whole) == Some(2))
            .filter_map(|one| Some((member(one, "name")?.text()?, tensors_of(member(one, "arg")).pop()?)))
            .collect();
        let names: Vec<&str> = keywords.iter().map(|(name, _)| *name).collect();
        let written: Vec<String> = if names.len() == makes.len() && takes_results(overload, &names) {
            keywords.into_iter().map(|(_, tensor)| tensor).collect()
        } else {
            Vec::new()
        };
        self.changed.extend(written.iter().filter(|name| self.is_input(name)).cloned().collect::<Vec<_>>());
        let lies: Vec<usize> = written.iter().filter_map(|name| reads.iter().position(|read| read == name)).collect();
        let view = written.is_empty()
            && !inputs.is_empty()
            && is_view(op, overload, meta(reads.first()), meta(makes.first()), trains);
        let mut outputs = Vec::with_capacity(makes.len());
        for name in &makes {
            let kind = if self.signature.outputs.contains(name) { Kind::Output } else { Kind::Intermediate };
            let slot = self.tensor(name, kind, view || !written.is_empty());
            if let Some(tensor) = self.builder.tensor_mut(slot) {
                tensor.role = self.signature.roles.get(name).copied();
            }
            outputs.push(slot);
        }
        // A value written back may lie where the old one was read.
        let place = |name: &String| u32::try_from(reads.iter().position(|read| read == name)?).ok();
        let pairs: Vec<(u32, u32)> = (0u32..)
            .zip(&makes)
            .filter_map(|(output, name)| {
                let target = self.signature.written.get(name)?;
                let same = self.metas.get(name.as_str())?.same_as(self.metas.get(target.as_str())?);
                Some((place(target).filter(|_| same)?, output))
            })
            .collect();
        let name = node.get("name").and_then(Loose::text).or(makes.first().map(String::as_str)).unwrap_or_default();
        let scratch = self.scratch(name, op, arguments, &outputs)?;
        outputs.extend(scratch);
        let op = if op == "unsafe_view" { "view" } else { op };
        let made = self.builder.node(name, op, &inputs, &outputs);
        if scratch.is_some() {
            made.attrs_mut().insert("memplan.scratch".into(), Attr::Text("true".into()));
        }
        if view {
            made.attrs_mut().insert("alias".into(), Attr::Text("true".into()));
        } else if let [first] = lies[..] {
            made.attrs_mut().insert("alias".into(), Attr::Json(first.to_string()));
        } else if !lies.is_empty() {
            let pairs: Vec<String> = lies.iter().enumerate().map(|(output, at)| format!("[{at},{output}]")).collect();
            made.attrs_mut().insert("alias".into(), Attr::Json(format!("[{}]", pairs.join(","))));
        } else {
            made.inplace = pairs;
            // The input lies in pieces: the copy is needed.
            if IF_VIEWABLE.contains(&op) {
                made.attrs_mut().insert("alias".into(), Attr::Text("false".into()));
            }
        }
        let window = aten::attributes(op, |_, key| {
            let other = if key == "scale_factors" { argument("scales_h") } else { None };
            stated(argument(key).or(other).and_then(|one| member(one, "arg")))
        });
        if !window.is_empty() {
            made.attrs_mut().extend(window);
        }
        // What is not PyTorch's own may do anything.
        let library = target.strip_prefix("torch.ops.").and_then(|rest| rest.split('.').next());
        if library.is_some_and(|library| !["aten", "prims", "higher_order"].contains(&library)) {
            made.attrs_mut().insert("custom".into(), Attr::Text("true".into()));
        }
        let metadata = |key| node.get("metadata").and_then(|data| member(data, key)).and_then(Loose::text);
        if let Some(module) = metadata("nn_module_stack") {
            made.attrs_mut().extend(layer(module).map(|layer| ("module".to_string(), Attr::Text(layer.to_string()))));
        }
        if let Some(trace) = metadata("stack_trace") {
            source::state(made.attrs_mut(), &source::python(trace));
        }
        Ok(())
    }

    fn remarks(&self, top: &Object) -> (Vec<Message>, Vec<Fault>) {
        let (mut facts, mut warnings) = (Vec::new(), Vec::new());
        let version = top.get("torch_version").and_then(Loose::text);
        facts.extend(version.map(|version| Message::new("fact.torch-version").text("version", version)));
        let written = self.signature.written.len() as u64;
        if written > 0 {
            facts.push(Message::new("fact.written-back").count("count", written));
        }
        let schema = top.get("schema_version");
        let major = schema.and_then(|schema| schema.whole().or_else(|| member(schema, "major")?.whole()));
        if let Some(major) = major.filter(|major| *major != SCHEMA) {
            let message = Message::new("warning.schema").count("found", major).count("known", SCHEMA);
            warnings.push(Fault::new("schema_version", message));
        }
        facts.extend(peak::told(&self.nested.planned));
        if !self.nested.unread.is_empty() {
            let ops: Vec<&str> = self.nested.unread.keys().map(String::as_str).collect();
            let message =
                Message::new("warning.nested-graphs").count("count", self.nested.unread.values().sum::<u64>());
            warnings.push(Fault::new("graph_module.graph.nodes", message.text("ops", ops.join(", "))));
        }
        if self.padded > 0 {
            let message = Message::new("warning.symbolic-gaps").count("count", self.padded);
            warnings.push(Fault::new("graph_module.graph.tensor_values", message));
        }
        (facts, warnings)
    }
}

/// The innermost layer: `L__self__,,Net;L__self___stem,stem,torch.nn.Conv2d` → `stem`.
fn layer(stack: &str) -> Option<&str> {
    let innermost = stack.rsplit(';').next()?;
    innermost.split(',').nth(1).filter(|layer| !layer.is_empty())
}
