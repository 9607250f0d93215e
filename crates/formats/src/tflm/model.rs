//! What of a `.tflite` file decides about its arena.

use std::rc::Rc;

use super::{ALIGN, Refusal, flex};
use crate::bytes::{Bytes, damaged};
use memplan_core::base::{MAX_SAFE, Message};
use memplan_core::graph::tflite_operator;

/// Name of the metadata entry that holds a plan.
pub const NAME: &[u8] = b"OfflineMemoryAllocation";

/// Codes of the operators that run subgraphs.
pub const CALL_ONCE: i32 = 129;
const IF: i32 = 118;
const WHILE: i32 = 119;

/// Codes of operators with options that decide what is asked for.
const CUSTOM: i32 = 32;
pub(super) const RESHAPE: i32 = 22;
pub(super) const BATCH_MATMUL: i32 = 126;
pub(super) const VAR_HANDLE: i32 = 142;
pub(super) const ASSIGN_VARIABLE: i32 = 144;

/// A model, with the positions of what is written back.
#[derive(Clone, Debug)]
pub struct Model {
    /// Subgraphs in file order.
    pub(super) graphs: Vec<Subgraph>,
    /// Positions of the buffers.
    pub(super) buffers: Vec<usize>,
    /// Name, buffer and position of each metadata entry.
    pub(super) metadata: Vec<(Vec<u8>, usize, usize)>,
    /// Position of the root table.
    pub(super) root: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Subgraph {
    pub tensors: Vec<Tensor>,
    pub operators: Vec<Operator>,
    pub inputs: Vec<i32>,
    pub outputs: Vec<i32>,
    pub position: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Tensor {
    pub name: String,
    /// Element type, by its number in the schema.
    pub dtype: u8,
    pub shape: Vec<u64>,
    pub bytes: u64,
    /// Whether the file holds its contents.
    pub is_constant: bool,
    pub is_variable: bool,
    /// Whether the file leaves an extent open, and states one that may be too small.
    pub is_open: bool,
    /// Number of scales, if it is quantised with scales and zero points; else 0.
    pub scales: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Operator {
    /// Number of the built-in operator.
    pub code: i32,
    /// Its name, if it is a custom one; else empty.
    pub custom: Rc<str>,
    pub inputs: Vec<i32>,
    pub outputs: Vec<i32>,
    /// Subgraphs that it runs.
    pub runs: Vec<i32>,
    pub options: Options,
    pub position: usize,
}

/// Options that decide what a kernel asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Options {
    /// None that matter.
    None,
    /// Which operands of a matrix product are stated transposed.
    Adjoint([bool; 2]),
    /// Whole numbers of a custom operator, in the order of [`numbers`]; none if one is
    /// missing.
    Numbers(Option<Vec<i64>>),
    /// Name of a variable.
    Variable(String),
}

/// Number and name of an operator.
type Code = (i32, Rc<str>);

/// Most names of operators in a sentence.
const NAMED: usize = 8;

/// Most bytes kept of the name of a custom operator or of a variable.
const MAX_NAME: usize = 256;

/// Bytes of an element of a type of the schema; int4 counts a whole byte here.
pub(super) fn element(dtype: u8) -> Option<u64> {
    Some(match dtype {
        3 | 6 | 9 | 17 => 1,
        1 | 7 | 16 | 18 => 2,
        0 | 2 | 13 | 15 => 4,
        4 | 8 | 10 | 12 => 8,
        11 => 16,
        _ => return None,
    })
}

impl Model {
    /// Reads a `.tflite` file.
    ///
    /// # Errors
    /// A damaged file, an index that leads nowhere, a type without a known size.
    pub fn read(data: &[u8]) -> Result<Model, Refusal> {
        if data.get(4..8) != Some(b"TFL3") {
            return Err(Message::new("tflm.not-tflite"));
        }
        let bytes = Bytes(data);
        let root = bytes.u32(0)?;
        let code = |table: usize| {
            let code = i32::from(bytes.u8_of(table, 0)?).max(bytes.i32_of(table, 3)?);
            let name = if code == CUSTOM { bytes.data(table, 1)? } else { &[] };
            // Operators that are known have short names.
            let name = String::from_utf8_lossy(&name[..name.len().min(MAX_NAME)]);
            Ok((code, Rc::from(&*name)))
        };
        let codes: Vec<Code> = bytes.tables(root, 1)?.into_iter().map(code).collect::<Result<_, Refusal>>()?;
        let buffers = bytes.tables(root, 4)?;
        let entry = |table: usize| Ok((bytes.data(table, 0)?.to_vec(), bytes.u32_of(table, 1)?, table));
        let metadata = bytes.tables(root, 6)?.into_iter().map(entry).collect::<Result<Vec<_>, Refusal>>()?;
        let mut cost = Cost { left: data.len().saturating_mul(4) };
        let mut graphs = Vec::new();
        for table in bytes.tables(root, 2)? {
            graphs.push(subgraph(bytes, &mut cost, table, &buffers, &codes)?);
        }
        let model = Model { graphs, buffers, metadata, root };
        model.check_indices()?;
        Ok(model)
    }

    /// Number of tensors of all subgraphs: the length of a plan.
    pub fn tensors(&self) -> usize {
        self.graphs.iter().map(|graph| graph.tensors.len()).sum()
    }

    /// Number of operators of a subgraph.
    pub fn operators(&self, subgraph: usize) -> usize {
        self.graphs.get(subgraph).map_or(0, |graph| graph.operators.len())
    }

    /// Returns the names of operators, as pairs of subgraph and position, in a sentence: the first
    /// few of them.
    pub fn operator_names(&self, operators: &[(usize, usize)]) -> String {
        let names = operators.iter().take(NAMED).map(|&(subgraph, operator)| self.operator_name(subgraph, operator));
        let rest = if operators.len() > NAMED { ", …" } else { "" };
        names.collect::<Vec<_>>().join(", ") + rest
    }

    /// Returns the name of an operator with its position, as other commands name it.
    pub fn operator_name(&self, subgraph: usize, operator: usize) -> String {
        let Some(found) = self.graphs.get(subgraph).and_then(|graph| graph.operators.get(operator)) else {
            return String::new();
        };
        let name = match tflite_operator(found.code) {
            Some(_) if found.code == CUSTOM && !found.custom.is_empty() => found.custom.to_string(),
            Some(name) => name.to_string(),
            None => format!("BUILTIN_{}", found.code),
        };
        if subgraph == 0 { format!("{name}_{operator}") } else { format!("{name}_{subgraph}:{operator}") }
    }

    /// The offsets of a plan in the file, as TensorFlow Lite Micro reads them: the last entry
    /// counts, and neither the version nor the number of subgraphs is looked at.
    ///
    /// # Errors
    /// A plan of another length than the model has tensors.
    pub fn plan(&self, data: &[u8]) -> Result<Option<Vec<i32>>, Refusal> {
        let Some((_, buffer, _)) = self.metadata.iter().rev().find(|(name, ..)| name == NAME) else { return Ok(None) };
        let table = *self.buffers.get(*buffer).ok_or_else(damaged)?;
        let words = Bytes(data).data(table, 0)?;
        let words: Vec<i32> =
            words.chunks_exact(4).map(|word| i32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
        let count = words.get(2).copied().unwrap_or(-1);
        if count < 0 || count as usize != self.tensors() || words.len() < 3 + count as usize {
            return Err(Message::new("tflm.count")
                .count("stated", count.max(0) as u64)
                .count("tensors", self.tensors()));
        }
        Ok(Some(words[3..3 + count as usize].to_vec()))
    }

    fn check_indices(&self) -> Result<(), Refusal> {
        for graph in &self.graphs {
            let operands = graph.operators.iter().flat_map(|operator| operator.inputs.iter().chain(&operator.outputs));
            let ends = graph.inputs.iter().chain(&graph.outputs);
            let made = graph.operators.iter().flat_map(|operator| &operator.outputs);
            let is_inside = |index: &i32| usize::try_from(*index).is_ok_and(|index| index < graph.tensors.len());
            let is_run = |index: &i32| usize::try_from(*index).is_ok_and(|index| index < self.graphs.len());
            let runs = graph.operators.iter().flat_map(|operator| &operator.runs);
            let is_sound = operands.clone().all(|index| *index == -1 || is_inside(index))
                && ends.chain(made).all(is_inside)
                && runs.into_iter().all(|index| *index == -1 || is_run(index));
            if !is_sound {
                return Err(damaged());
            }
        }
        Ok(())
    }
}

/// What has been read may not be much larger than the file: parts of a damaged file may be named
/// over and over.
struct Cost {
    left: usize,
}

impl Cost {
    fn pay(&mut self, items: usize) -> Result<(), Refusal> {
        self.left = self.left.checked_sub(items).ok_or_else(damaged)?;
        Ok(())
    }
}

fn subgraph(
    bytes: Bytes,
    cost: &mut Cost,
    table: usize,
    buffers: &[usize],
    codes: &[Code],
) -> Result<Subgraph, Refusal> {
    let (inputs, outputs) = (bytes.ints(table, 1)?, bytes.ints(table, 2)?);
    cost.pay(inputs.len() + outputs.len())?;
    let (mut tensors, mut operators) = (Vec::new(), Vec::new());
    for table in bytes.tables(table, 0)? {
        let tensor = tensor(bytes, table, buffers)?;
        cost.pay(1 + tensor.name.len() + tensor.shape.len())?;
        tensors.push(tensor);
    }
    for table in bytes.tables(table, 3)? {
        let operator = operator(bytes, table, codes)?;
        let name = if let Options::Variable(name) = &operator.options { name.len() } else { 0 };
        cost.pay(1 + operator.inputs.len() + operator.outputs.len() + name)?;
        operators.push(operator);
    }
    Ok(Subgraph { tensors, operators, inputs, outputs, position: table })
}

fn tensor(bytes: Bytes, table: usize, buffers: &[usize]) -> Result<Tensor, Refusal> {
    let dtype = bytes.u8_of(table, 1)?;
    let name = String::from_utf8_lossy(bytes.data(table, 3)?).into_owned();
    let buffer = *buffers.get(bytes.u32_of(table, 2)?).ok_or_else(damaged)?;
    let is_constant = bytes.vector(buffer, 0, 1)?.1 > 0;
    let extents = bytes.ints(table, 0)?;
    let shape: Vec<u64> = extents
        .iter()
        .map(|&extent| u64::try_from(extent))
        .collect::<Result<_, _>>()
        .map_err(|_| Message::new("tflm.shape").name("name", name.clone()))?;
    let size =
        element(dtype).and_then(|element| shape.iter().try_fold(element, |bytes, extent| bytes.checked_mul(*extent)));
    let size = match size {
        Some(bytes) if bytes <= MAX_SAFE => bytes,
        // Contents that the file holds need no place, whatever their type.
        _ if is_constant => 0,
        _ => return Err(Message::new("tflm.size").name("name", name)),
    };
    let scales = match bytes.target(table, 4)? {
        Some(quantisation) if bytes.vector(quantisation, 3, 8)?.1 > 0 => bytes.vector(quantisation, 2, 4)?.1 as u64,
        _ => 0,
    };
    let is_variable = bytes.u8_of(table, 5)? != 0;
    // A list of another length says nothing of these extents.
    let is_stated = bytes.vector(table, 7, 4)?.1 == shape.len();
    let is_open = is_stated && bytes.ints(table, 7)?.contains(&-1);
    Ok(Tensor { name, dtype, shape, bytes: size, is_constant, is_variable, is_open, scales })
}

fn operator(bytes: Bytes, table: usize, codes: &[Code]) -> Result<Operator, Refusal> {
    let (code, custom) = codes.get(bytes.u32_of(table, 0)?).ok_or_else(damaged)?.clone();
    let count = match code {
        IF | WHILE => 2,
        CALL_ONCE => 1,
        _ => 0,
    };
    let options = bytes.target(table, 4)?;
    let runs =
        options.map_or(Ok(Vec::new()), |options| (0..count).map(|field| bytes.i32_of(options, field)).collect())?;
    let (inputs, outputs) = (bytes.ints(table, 1)?, bytes.ints(table, 2)?);
    let options = match (code, options) {
        (BATCH_MATMUL, Some(options)) => {
            Options::Adjoint([bytes.u8_of(options, 0)? != 0, bytes.u8_of(options, 1)? != 0])
        }
        (VAR_HANDLE, Some(options)) => {
            let name = bytes.data(options, 1)?;
            Options::Variable(String::from_utf8_lossy(&name[..name.len().min(MAX_NAME)]).into_owned())
        }
        (CUSTOM, _) => match numbers(&custom) {
            [] => Options::None,
            keys => Options::Numbers(flex::whole_numbers(bytes.data(table, 5)?, keys)),
        },
        _ => Options::None,
    };
    Ok(Operator { code, custom, inputs, outputs, runs, options, position: table })
}

/// Returns the options of a custom operator that decide what it asks for; none of most.
fn numbers(custom: &str) -> &'static [&'static str] {
    match custom {
        "SignalRfft" | "SignalIrfft" => &["fft_length", "T"],
        "SignalDelay" => &["delay_length"],
        "SignalFramer" => &["frame_size"],
        "SignalStacker" => &["num_channels", "stacker_left_context", "stacker_right_context"],
        "SignalFilterBank" | "SignalFilterBankSpectralSubtraction" => &["num_channels"],
        "TFLite_Detection_PostProcess" => &["max_detections", "num_classes"],
        _ => &[],
    }
}

/// Bytes rounded up to what addresses are multiples of.
pub(super) fn rounded(bytes: u64) -> u64 {
    memplan_core::base::align_up(bytes, ALIGN)
}
