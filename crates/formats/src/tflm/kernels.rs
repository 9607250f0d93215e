//! What reference kernels ask for: working memory while they run, and bytes that they keep in the
//! tail. Optimised kernels ask for other sizes.
//!
//! **From**: tensorflow/tflite-micro 90b983c, `tensorflow/lite/micro/kernels/` and
//! `signal/micro/kernels/`; every size is that of a build for 64 bits.

use super::model::{BATCH_MATMUL, Operator, Options, Subgraph, Tensor, element, rounded};
use memplan_core::base::MAX_SAFE;
use memplan_core::graph::tflite_operator;

const FLOAT32: u8 = 0;
const INT16: u8 = 7;
const INT8: u8 = 9;
const INT4: u8 = 17;

/// Bytes of a pointer.
const POINTER: u64 = 8;

/// What an operator asks for when a model is loaded.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KernelNeeds {
    /// Bytes and alignment of its options, which are kept.
    pub options: Option<(u64, u64)>,
    /// Bytes of each other request that is kept; several alike count as one of all their bytes,
    /// each rounded up.
    pub kept: Vec<u64>,
    /// Bytes of each request for working memory, in the order of the requests.
    pub scratch: Vec<u64>,
}

/// What the kernels of most operators keep, whatever their operands: names, bytes and alignment of
/// the options, bytes of what the kernel remembers; 0 for none.
const PLAIN: &[(&str, (u64, u64), u64)] = &[
    ("ABS RSQRT PRELU RELU", (0, 1), 28),
    ("ADD", (8, 4), 60),
    ("ARG_MAX ARG_MIN SHAPE SPLIT SPLIT_V", (4, 4), 0),
    ("AVERAGE_POOL_2D MAX_POOL_2D", (40, 4), 32),
    (
        "BATCH_TO_SPACE_ND BROADCAST_ARGS BROADCAST_TO CEIL COS DYNAMIC_UPDATE_SLICE EXP EXPAND_DIMS FILL FLOOR \
         FLOOR_DIV FLOOR_MOD LOG LOGICAL_AND LOGICAL_NOT LOGICAL_OR MAXIMUM MINIMUM NEG READ_VARIABLE REVERSE_V2 \
         ROUND SIN SLICE SQRT SQUARE TRANSPOSE ZEROS_LIKE SignalFftAutoScale SignalFilterBankSquareRoot",
        (0, 1),
        0,
    ),
    ("CALL_ONCE", (4, 4), 8),
    ("CAST PACK UNPACK", (8, 4), 0),
    ("CIRCULAR_BUFFER RELU6 SignalEnergy SignalFilterBankLog SignalWindow", (0, 1), 8),
    ("CONCATENATION", (8, 4), 80),
    ("CONV_2D DEPTHWISE_CONV_2D", (28, 4), 80),
    ("CUMSUM RESIZE_BILINEAR RESIZE_NEAREST_NEIGHBOR", (2, 1), 0),
    ("DEQUANTIZE QUANTIZE EQUAL NOT_EQUAL GREATER GREATER_EQUAL LESS LESS_EQUAL", (0, 1), 32),
    ("DIV", (4, 4), 28),
    ("ELU", (0, 1), 256),
    ("FULLY_CONNECTED", (32, 8), 72),
    ("GATHER", (8, 4), 0),
    ("HARD_SWISH", (0, 1), 20),
    ("IF", (8, 4), 8),
    ("L2_NORMALIZATION", (4, 4), 4),
    ("L2_POOL_2D", (40, 4), 0),
    ("LEAKY_RELU", (4, 4), 24),
    ("LOGISTIC TANH", (0, 1), 16),
    ("MEAN SUM REDUCE_MAX REDUCE_MIN", (1, 1), 44),
    ("MIRROR_PAD", (4, 4), 20),
    ("MUL", (4, 4), 36),
    ("PAD PADV2", (0, 1), 56),
    ("RESHAPE SQUEEZE", (36, 4), 0),
    ("SELECT_V2", (0, 1), 1),
    ("SOFTMAX", (4, 4), 80),
    ("SPACE_TO_BATCH_ND ASSIGN_VARIABLE SignalPCAN", (0, 1), 4),
    ("SPACE_TO_DEPTH DEPTH_TO_SPACE", (4, 4), 0),
    ("SQUARED_DIFFERENCE TFLite_Detection_PostProcess", (0, 1), 112),
    ("STRIDED_SLICE", (24, 4), 84),
    ("SUB", (8, 4), 52),
    ("SVDF", (12, 4), 36),
    ("TRANSPOSE_CONV", (20, 4), 88),
    ("UNIDIRECTIONAL_SEQUENCE_LSTM", (16, 4), 688),
    ("VAR_HANDLE", (16, 8), 4),
    ("WHILE", (8, 4), 8),
    ("BATCH_MATMUL", (3, 1), 32),
    ("SignalRfft", (0, 1), 48),
    ("SignalIrfft SignalDelay SignalOverlapAdd", (0, 1), 32),
    ("SignalFramer", (0, 1), 40),
    ("SignalStacker SignalFilterBankSpectralSubtraction", (0, 1), 56),
    ("SignalFilterBank", (0, 1), 64),
    ("ADD_N GATHER_ND LOG_SOFTMAX", (0, 1), 0),
];

/// Returns what an operator asks for; none if its kernel is not known, its operands are not those
/// of such an operator, or are too large.
pub fn needs(graph: &Subgraph, operator: &Operator) -> Option<KernelNeeds> {
    let name = match tflite_operator(operator.code)? {
        "CUSTOM" => &*operator.custom,
        name => name,
    };
    let is_this = |row: &&(&str, (u64, u64), u64)| row.0.split_ascii_whitespace().any(|own| own == name);
    let &(_, (bytes, align), state) = PLAIN.iter().find(is_this)?;
    let mut needs = KernelNeeds { options: (bytes > 0).then_some((bytes, align)), ..KernelNeeds::default() };
    needs.kept.extend((state > 0).then_some(state));
    let operands = Operands { graph, operator };
    if operator.code == BATCH_MATMUL {
        operands.product(&mut needs)?
    } else {
        operands.add(name, &mut needs)?
    }
    Some(needs)
}

#[derive(Clone, Copy)]
struct Operands<'a> {
    graph: &'a Subgraph,
    operator: &'a Operator,
}

impl<'a> Operands<'a> {
    fn input(self, at: usize) -> Option<&'a Tensor> {
        self.tensor(*self.operator.inputs.get(at)?)
    }

    fn output(self) -> Option<&'a Tensor> {
        self.tensor(*self.operator.outputs.first()?)
    }

    fn tensor(self, index: i32) -> Option<&'a Tensor> {
        self.graph.tensors.get(usize::try_from(index).ok()?)
    }

    fn numbers<const N: usize>(self) -> Option<[u64; N]> {
        let Options::Numbers(Some(numbers)) = &self.operator.options else { return None };
        let numbers: Vec<u64> = numbers.iter().map(|&number| u64::try_from(number).ok()).collect::<Option<_>>()?;
        numbers.try_into().ok()
    }

    /// Adds what depends on the operands.
    fn add(self, name: &str, needs: &mut KernelNeeds) -> Option<()> {
        let KernelNeeds { kept, scratch, .. } = needs;
        match name {
            "ADD_N" => {
                kept.extend((self.output()?.dtype == INT8).then_some(40));
                scratch.push(POINTER * self.operator.inputs.len() as u64);
            }
            "CONV_2D" | "DEPTHWISE_CONV_2D" | "TRANSPOSE_CONV" => self.convolution(name, kept, scratch)?,
            "CUMSUM" => kept.extend((self.input(0)?.dtype == INT8).then_some(36)),
            "FULLY_CONNECTED" => {
                let weights = self.input(1)?;
                if weights.scales > 1 {
                    kept.extend([product([4, *weights.shape.first()?])?; 2]);
                }
                scratch.extend(unpacked(weights)?);
            }
            // Extents that the kernel may change.
            "GATHER" | "GATHER_ND" | "L2_POOL_2D" | "SPACE_TO_DEPTH" | "DEPTH_TO_SPACE" => {
                kept.push(extents(self.output()?));
            }
            "LOG_SOFTMAX" => kept.extend((self.input(0)?.dtype == INT8).then_some(40)),
            "MEAN" | "SUM" | "REDUCE_MAX" | "REDUCE_MIN" => {
                let (first, axes) = (self.input(0)?, self.input(1)?);
                if matches!(name, "MEAN" | "SUM") && matches!(first.dtype, INT16 | INT8) {
                    scratch.push(elements(4, self.output()?)?);
                }
                scratch.extend([4 * first.shape.len() as u64, elements(4, axes)?]);
            }
            "MIRROR_PAD" => scratch.extend([4 * self.input(0)?.shape.len() as u64; 2]),
            // Two tables of values.
            "SOFTMAX" => kept.extend([1026; 2].into_iter().filter(|_| self.input(0).is_some_and(|x| x.dtype == INT16))),
            "SVDF" => {
                let (first, weights, out) = (self.input(0)?, self.input(1)?, self.output()?);
                let (batch, filters, units) = (*first.shape.first()?, *weights.shape.first()?, *out.shape.last()?);
                scratch.push(product([batch, filters, 4])?);
                if first.dtype == INT8 {
                    scratch.push(product([batch, units, 4])?);
                }
            }
            "UNIDIRECTIONAL_SEQUENCE_LSTM" => {
                let (first, cell) = (self.input(0)?, self.input(19)?);
                // Time comes first in some; the state has the number of sequences in any case.
                let (batch, state) = (*cell.shape.first()?, *self.input(18)?.shape.get(1)?);
                first.shape.first()?;
                scratch.extend([product([batch, state, element(cell.dtype)?])?; 4]);
            }
            "TFLite_Detection_PostProcess" => self.detection(scratch)?,
            name if name.starts_with("Signal") => self.signal(name, kept, scratch)?,
            _ => {}
        }
        Some(())
    }

    fn convolution(self, name: &str, kept: &mut Vec<u64>, scratch: &mut Vec<u64>) -> Option<()> {
        let weights = self.input(1)?;
        // Depthwise weights have their channels last.
        let axis = if name == "DEPTHWISE_CONV_2D" { weights.shape.last() } else { weights.shape.first() };
        kept.extend([product([4, *axis?])?; 2]);
        scratch.extend(unpacked(weights)?);
        if name == "TRANSPOSE_CONV" {
            let (image, out) = (self.input(2)?, self.output()?);
            match image.dtype {
                INT8 => scratch.push(elements(4, out)?),
                INT16 => scratch.push(elements(8, out)?),
                _ => {}
            }
            if let Some(bias) = self.input(3).filter(|bias| image.dtype == INT16 && bias.dtype == INT16) {
                scratch.push(elements(8, bias)?);
            }
        }
        Some(())
    }

    /// A matrix product turns its second factor around, unless the model has done so, and keeps a
    /// turned factor.
    fn product(self, needs: &mut KernelNeeds) -> Option<()> {
        let Options::Adjoint([is_first, is_second]) = self.operator.options else { return None };
        let (first, second) = (self.input(0)?, self.input(1)?);
        needs.kept.extend((first.dtype != FLOAT32).then_some(28));
        for (factor, is_turned) in [(first, is_first), (second, !is_second)] {
            if is_turned {
                needs.kept.extend([24, extents(factor), elements(element(factor.dtype)?, factor)?]);
            }
        }
        needs.kept.push(extents(self.output()?));
        Some(())
    }

    fn detection(self, scratch: &mut Vec<u64>) -> Option<()> {
        let [detections, classes] = self.numbers()?;
        let (boxes, scores) = (*self.input(0)?.shape.get(1)?, self.input(1)?);
        let of_boxes = |each: u64| product([boxes, each, 4]);
        scratch.extend([boxes, of_boxes(4)?, product([4, *scores.shape.get(1)?, *scores.shape.get(2)?])?]);
        scratch.extend([of_boxes(1)?, of_boxes(1)?, of_boxes(detections)?, of_boxes(detections)?]);
        scratch.extend([of_boxes(1)?, of_boxes(detections)?]);
        scratch.extend([of_boxes(classes.max(detections))?, of_boxes(boxes.min(detections))?]);
        Some(())
    }

    /// Operators of the audio front end.
    fn signal(self, name: &str, kept: &mut Vec<u64>, scratch: &mut Vec<u64>) -> Option<()> {
        let first = self.input(0)?;
        let frames = || product(first.shape.split_last()?.1.iter().copied());
        // A list of states and one of their bytes, then a ring of two-byte numbers for each, twice
        // as long as what it holds.
        let rings = |kept: &mut Vec<u64>, count: u64, held: u64| {
            kept.extend([product([POINTER, count])?; 2]);
            kept.push(product([count, rounded(ring(held)?)])?);
            Some(())
        };
        match name {
            "SignalRfft" | "SignalIrfft" => {
                let [length, dtype] = self.numbers()?;
                let size = element(u8::try_from(dtype).ok()?)?;
                let (half, pair) = (length / 2, 2 * size);
                let tables = product([half.checked_mul(3)? / 2 + half, pair])?;
                let is_float_back = name == "SignalIrfft" && dtype == u64::from(FLOAT32);
                kept.push(tables.checked_add(if is_float_back { 304 } else { 288 })?);
                if name == "SignalRfft" {
                    scratch.push(product([length, size])?);
                }
            }
            "SignalDelay" => {
                let [delay] = self.numbers()?;
                rings(kept, frames()?, first.shape.last()?.checked_add(delay)?)?;
            }
            "SignalFramer" => {
                let [frame] = self.numbers()?;
                rings(kept, frames()?, frame)?;
            }
            "SignalStacker" => {
                let [channels, left, right] = self.numbers()?;
                kept.push(ring(product([channels, left.checked_add(right)?.checked_add(1)?])?)?);
            }
            "SignalOverlapAdd" => {
                let &[.., _, frame] = &first.shape[..] else { return None };
                let count = product(first.shape[..first.shape.len() - 2].iter().copied())?;
                kept.push(product([POINTER, count])?);
                kept.push(product([count, rounded(product([frame, element(first.dtype)?])?)])?);
            }
            "SignalFilterBank" => {
                let [channels] = self.numbers()?;
                kept.push(product([8, channels.checked_add(1)?])?);
            }
            "SignalFilterBankSpectralSubtraction" => {
                let [channels] = self.numbers()?;
                kept.push(product([4, channels])?);
            }
            _ => {}
        }
        Some(())
    }
}

/// Returns the bytes of a ring that holds so many numbers of two bytes.
fn ring(held: u64) -> Option<u64> {
    product([4, held])?.checked_add(40)
}

/// Returns the bytes of a list of a tensor's extents.
fn extents(tensor: &Tensor) -> u64 {
    4 + 4 * tensor.shape.len() as u64
}

/// Returns the working memory for weights of four bits, which are unpacked to a byte each.
fn unpacked(weights: &Tensor) -> Option<Option<u64>> {
    if weights.dtype == INT4 { elements(1, weights).map(Some) } else { Some(None) }
}

fn elements(bytes: u64, tensor: &Tensor) -> Option<u64> {
    product(std::iter::once(bytes).chain(tensor.shape.iter().copied()))
}

fn product(factors: impl IntoIterator<Item = u64>) -> Option<u64> {
    let product = factors.into_iter().try_fold(1u64, u64::checked_mul);
    product.filter(|product| *product <= MAX_SAFE)
}
