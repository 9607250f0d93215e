//! Which rows of its inputs an operator needs for some rows of its output.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use memplan_core::graph::{Attr, Dim, Graph, Kind, Node, TensorId, plain_op};

/// Where the rows of an image stand in a shape of four extents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// Images, channels, rows, columns.
    ChannelsFirst,
    /// Images, rows, columns, channels.
    ChannelsLast,
}

impl Layout {
    /// TFLite keeps channels last; all other formats keep them first. A graph is TFLite's if an
    /// operator has a name that no other format writes.
    pub fn of(graph: &Graph) -> Layout {
        if graph.nodes.iter().any(|node| TFLITE_NAMES.contains(node.op.as_str())) {
            Layout::ChannelsLast
        } else {
            Layout::ChannelsFirst
        }
    }

    /// Position of the extent that counts rows.
    pub fn axis(self) -> usize {
        if self == Layout::ChannelsLast { 1 } else { 2 }
    }
}

/// TFLite's names of the operators that have rows; ONNX writes `LRN` and `LSTM` in capitals, but
/// none of these.
const TFLITE: &str = "\
    CONV_2D DEPTHWISE_CONV_2D TRANSPOSE_CONV MAX_POOL_2D AVERAGE_POOL_2D L2_POOL_2D RESIZE_NEAREST_NEIGHBOR RESIZE_BILINEAR \
    CONCATENATION FULLY_CONNECTED RESHAPE SOFTMAX PAD MEAN ADD SUB MUL DIV RELU RELU6 RELU_N1_TO_1 LOGISTIC TANH HARD_SWISH \
    LEAKY_RELU PRELU ELU GELU MAXIMUM MINIMUM QUANTIZE DEQUANTIZE SPACE_TO_BATCH_ND BATCH_TO_SPACE_ND STRIDED_SLICE SQUEEZE";

static TFLITE_NAMES: LazyLock<BTreeSet<&str>> = LazyLock::new(|| TFLITE.split_ascii_whitespace().collect());

/// A half-open range of rows.
pub type Rows = (u64, u64);

/// How output rows depend on input rows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RowRule {
    /// A window slides over the rows.
    Window {
        /// Rows from one position to the next.
        stride: u64,
        /// Rows of zeros before the first.
        pad: u64,
        /// Rows of the window.
        kernel: u64,
        /// Distance of its rows.
        dilation: u64,
    },
    /// A row depends on the same row of every input.
    Same,
    /// Every input row makes the same number of output rows.
    Scale,
    /// The operator runs whole; the key of the reason.
    Pinned(&'static str),
}

impl RowRule {
    /// The rows of an input of `h` rows that rows `[a, b)` of an output of `ho` rows need.
    pub fn need(self, (a, b): Rows, h: u64, ho: u64) -> Rows {
        match self {
            RowRule::Window { stride, pad, kernel, dilation } => {
                // Rows that are all padding need none, but a stripe has at least one.
                let low = (a * stride).saturating_sub(pad).min(h.saturating_sub(1));
                let high = ((b - 1) * stride + (kernel - 1) * dilation + 1).saturating_sub(pad).min(h);
                (low, high.max(low + 1))
            }
            RowRule::Same => (a, b),
            RowRule::Scale => (a * h / ho, (b * h).div_ceil(ho).min(h)),
            RowRule::Pinned(_) => (0, h),
        }
    }
}

/// An extent that is a number.
pub(super) fn extent(graph: &Graph, tensor: TensorId, axis: usize) -> Option<u64> {
    match graph.tensors[tensor].shape.get(axis)? {
        Dim::Fixed(extent) => Some(*extent),
        Dim::Expr(_) | Dim::Unknown => None,
    }
}

/// Rows of a tensor of four extents; none of any other.
pub fn rows_of(graph: &Graph, tensor: TensorId, layout: Layout) -> Option<u64> {
    if graph.tensors[tensor].shape.len() == 4 { extent(graph, tensor, layout.axis()) } else { None }
}

/// The weight of a convolution: the first constant of its rank. Others are shapes and biases.
pub(super) fn filter_of(graph: &Graph, node: &Node) -> Option<TensorId> {
    let weights = || node.inputs.iter().copied().filter(|&input| graph.tensors[input].kind == Kind::Weight);
    weights().find(|&weight| graph.tensors[weight].shape.len() >= 3).or_else(|| weights().next())
}

fn columns_of(graph: &Graph, tensor: TensorId, layout: Layout) -> Option<u64> {
    extent(graph, tensor, layout.axis() + 1)
}

/// Whole numbers of an attribute under any of these names: `[2, 2]`, `2` or text of either.
fn numbers(node: &Node, names: &[&str]) -> Option<Vec<u64>> {
    listed(names.iter().find_map(|name| node.attrs.get(*name))?).map(|number| number.parse().ok()).collect()
}

/// The parts of an attribute that is a list, or the whole of any other.
fn listed(attr: &Attr) -> impl Iterator<Item = &str> {
    let (Attr::Text(text) | Attr::Json(text)) = attr;
    let inner = text.trim().trim_start_matches(['[', '(']).trim_end_matches([']', ')']);
    inner.split(',').map(|part| part.trim().trim_matches('"'))
}

fn word(node: &Node, names: &[&str]) -> Option<String> {
    let attr = names.iter().find_map(|name| node.attrs.get(*name))?;
    let (Attr::Text(text) | Attr::Json(text)) = attr;
    Some(text.trim_matches('"').to_ascii_uppercase())
}

/// The plain name of an operator without the overload that ExecuTorch writes after a kernel of
/// PyTorch's: `aten::convolution.out` is `convolution`.
pub(super) fn kernel_name(op: &str) -> String {
    let plain = plain_op(op);
    match plain.split_once('.') {
        Some((name, _)) if op.contains("::") => name.to_string(),
        _ => plain,
    }
}

/// Names of the attributes of a window, rows first.
const STRIDE: [&str; 2] = ["stride", "strides"];
const PADDING: [&str; 3] = ["padding", "pads", "pad"];
const DILATION: [&str; 3] = ["dilation", "dilations", "dilate"];
/// Names of the attribute that states the rows and columns of a window.
const KERNEL: [&str; 4] = ["kernel", "kernel_shape", "kernel_size", "pool_size"];

pub(super) const CONVOLUTIONS: [&str; 4] = ["conv2d", "conv", "depthwiseconv2d", "convolution"];
pub(super) const TRANSPOSED: [&str; 3] = ["convtranspose2d", "transposeconv", "convtranspose"];
const POOLS: [&str; 8] = [
    "maxpool2d",
    "avgpool2d",
    "averagepool2d",
    "maxpool",
    "averagepool",
    "l2pool2d",
    "maxpool2dwithindices",
    "pooling",
];
/// Operators that put rows around an image, of which only a reflection depends on other rows.
const PADS: [&str; 3] = ["pad", "padv2", "mirrorpad"];
const NEAREST: [&str; 2] = ["upsamplenearest2d", "resizenearestneighbor"];
const POINTWISE: [&str; 40] = [
    "batchnorm",
    "batchnormalization",
    "relu",
    "relu6",
    "relun1to1",
    "hardtanh",
    "add",
    "sub",
    "mul",
    "div",
    "silu",
    "sigmoid",
    "logistic",
    "tanh",
    "gelu",
    "hardswish",
    "hardsigmoid",
    "elu",
    "leakyrelu",
    "prelu",
    "clip",
    "clamp",
    "neg",
    "abs",
    "exp",
    "sqrt",
    "rsqrt",
    "square",
    "maximum",
    "minimum",
    "max",
    "min",
    "quantize",
    "dequantize",
    "cast",
    "tocopy",
    "erf",
    "pow",
    "softplus",
    "mish",
];

/// The axis that a node with a result of `rank` extents states, counted from the first; the rank
/// for a number that names none.
pub fn stated_axis(node: &Node, rank: usize) -> Option<usize> {
    let attr = ["axis", "dim"].iter().find_map(|name| node.attrs.get(*name))?;
    let (Attr::Text(text) | Attr::Json(text)) = attr;
    let axis: Option<i64> = text.trim().parse().ok();
    let axis = axis.map(|axis| if axis < 0 { axis + rank as i64 } else { axis });
    Some(axis.and_then(|axis| usize::try_from(axis).ok()).unwrap_or(rank))
}

/// The rows `[a, b)` that a node of a striped graph makes, as its attribute says.
pub fn stated_rows(node: &Node) -> Option<Rows> {
    match numbers(node, &["rows"])?[..] {
        [a, b] if a < b => Some((a, b)),
        _ => None,
    }
}

/// Most rows of an image that stripes divide, and of a window.
const MOST_ROWS: u64 = 1 << 16;

/// The row rule of a node. Strides, paddings and dilations are those of its attributes; where they
/// are missing they are inferred only if exactly one setting explains the shapes.
pub fn rule_of(graph: &Graph, node: &Node, layout: Layout) -> RowRule {
    let op = kernel_name(&node.op);
    let is = |list: &[&str]| list.contains(&op.as_str());
    let has_window = is(&CONVOLUTIONS) || is(&TRANSPOSED) || is(&POOLS) || is(&NEAREST);
    let is_padding = is(&PADS) && node.attrs.contains_key("paddings");
    if !has_window && !is_padding && !node.is_concatenation() && !is(&POINTWISE) {
        return RowRule::Pinned("fit.pinned-op");
    }
    if stated_rows(node).is_some() || node.aliases().next().is_some() {
        return RowRule::Pinned("fit.pinned-op");
    }
    let &[output] = node.results() else { return RowRule::Pinned("fit.pinned-outputs") };
    let images: Vec<TensorId> =
        node.inputs.iter().copied().filter(|&input| graph.tensors[input].kind != Kind::Weight).collect();
    let rows: Option<Vec<u64>> = images.iter().map(|&input| rows_of(graph, input, layout)).collect();
    let (Some(rows), Some(ho)) = (rows, rows_of(graph, output, layout)) else {
        return RowRule::Pinned("fit.pinned-rows");
    };
    let Some(&h) = rows.first() else { return RowRule::Pinned("fit.pinned-rows") };
    if ho < 2 || rows.iter().any(|&rows| rows < 2) || ho.max(h) > MOST_ROWS {
        return RowRule::Pinned("fit.pinned-rows");
    }
    // Batches are normalised by what all their rows hold.
    if is_set(node, "training") || is_set(node, "training_mode") {
        return RowRule::Pinned("fit.pinned-op");
    }
    if is(&POINTWISE) || node.is_concatenation() {
        // A join along another axis than channels, and a broadcast over rows, have other extents.
        let batch = extent(graph, output, 0);
        let is_plain = rows.iter().all(|&rows| rows == ho) && images.iter().all(|&one| extent(graph, one, 0) == batch);
        return if is_plain { RowRule::Same } else { RowRule::Pinned("fit.pinned-rows") };
    }
    // Of a weight that the graph computes, every row of the result needs all rows.
    let is_made = |image: &TensorId| matches!(graph.tensors[*image].kind, Kind::Intermediate | Kind::Output);
    if images.iter().skip(1).any(is_made) {
        return RowRule::Pinned("fit.pinned-weight");
    }
    if has_other_layout(node, layout) {
        return RowRule::Pinned("fit.pinned-layout");
    }
    if is_padding {
        return padded(node, layout, (h, ho)).unwrap_or(RowRule::Pinned("fit.pinned-rows"));
    }
    if is(&NEAREST) || is(&TRANSPOSED) || is_set(node, "transposed") {
        let kernel = numbers(node, &KERNEL).and_then(|all| all.first().copied());
        let weight = filter_of(graph, node);
        let kernel = kernel.or_else(|| extent(graph, weight?, if layout == Layout::ChannelsLast { 1 } else { 2 }));
        let is_apart =
            if is(&NEAREST) { is_by_edges(node, ho / h) } else { kernel == Some(ho / h) && is_plain(node, ho / h) };
        return if ho.is_multiple_of(h) && is_apart { RowRule::Scale } else { RowRule::Pinned("fit.pinned-stride") };
    }
    window(graph, node, layout, (h, ho), is(&CONVOLUTIONS))
}

/// The rule of an operator that puts rows around an image: those before the first shift the others,
/// as a window of one row does. None if images are put in front as well, if rows are reflected, or
/// if what is stated does not explain the rows that are made.
fn padded(node: &Node, layout: Layout, (h, ho): (u64, u64)) -> Option<RowRule> {
    let stated = numbers(node, &["paddings"]).filter(|all| all.len() == 8)?;
    let (before, behind) = (stated[2 * layout.axis()], stated[2 * layout.axis() + 1]);
    let explains = h.checked_add(before)?.checked_add(behind)? == ho && stated[..2] == [0, 0];
    let is_reflected = kernel_name(&node.op) == "mirrorpad" && (before, behind) != (0, 0);
    (explains && !is_reflected).then_some(RowRule::Window { stride: 1, pad: before, kernel: 1, dilation: 1 })
}

/// Whether an attribute is there and true.
pub(super) fn is_set(node: &Node, name: &str) -> bool {
    word(node, &[name]).is_some_and(|word| ["TRUE", "1"].contains(&word.as_str()))
}

/// Whether a node states that its image has its extents in another order than the graph, as NNVM
/// and Relay do.
fn has_other_layout(node: &Node, layout: Layout) -> bool {
    let own = if layout == Layout::ChannelsLast { "NHWC" } else { "NCHW" };
    let is_other = |name: &str, none: &[&str]| word(node, &[name]).is_some_and(|word| !none.contains(&word.as_str()));
    let default = ["", "NONE", "__UNDEF__", own];
    is_other("layout", &default) || is_other("data_layout", &default)
}

/// Whether an attribute has this number for rows wherever it states one; what is no list of numbers
/// has not.
fn says(node: &Node, names: &[&str], at: &[usize], number: u64) -> bool {
    let is_stated = names.iter().any(|name| node.attrs.contains_key(*name));
    let is_same = |all: Vec<u64>| at.iter().filter_map(|&index| all.get(index)).all(|&stated| stated == number);
    !is_stated || numbers(node, names).is_some_and(is_same)
}

/// Paddings that are a word.
const WORDS: [&str; 5] = ["SAME", "SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET"];

/// Whether a transposed convolution whose kernel has `stride` rows puts them side by side: no
/// padding moves them, and none is left out. A padding that is a word is none for such a kernel.
fn is_plain(node: &Node, stride: u64) -> bool {
    let is_word = |name: &str| word(node, &[name]).is_none_or(|word| WORDS.contains(&word.as_str()));
    says(node, &STRIDE, &[0], stride)
        && says(node, &DILATION, &[0], 1)
        && says(node, &["output_padding", "adj"], &[0], 0)
        && says(node, &["pads", "pad"], &[0, 2], 0)
        && (is_word("padding") || says(node, &["padding"], &[0, 2], 0))
        && is_word("auto_pad")
}

/// Whether a resize by a whole number takes the row whose edges an output row lies between. That is
/// so for corners of pixels, and for centres of pixels as well, but not where the first and the
/// last row are laid on each other.
fn is_by_edges(node: &Node, scale: u64) -> bool {
    !is_set(node, "align_corners") && is_scaled_by(node, scale)
}

/// Whether the factor of the rows is this one wherever it is stated, mostly with a decimal point.
/// Another one of the same shapes takes other rows: 2.1 makes 8 rows of 4, too.
fn is_scaled_by(node: &Node, scale: u64) -> bool {
    let Some(attr) = ["scale_factor", "scale_factors", "scales_h"].iter().find_map(|name| node.attrs.get(*name)) else {
        return true;
    };
    let is_none = |text: &str| ["", "null", "None"].contains(&text);
    listed(attr).next().is_none_or(|first| is_none(first) || first.parse() == Ok(scale as f64))
}

/// A window that slides over `h` rows to make `ho`.
struct Window {
    h: u64,
    ho: u64,
    stride: u64,
    kernel: u64,
    dilation: u64,
}

impl Window {
    /// Rows of padding before the first row; none if what is stated does not explain the number of
    /// rows that are made, or is beyond any image.
    fn padded(&self, mode: &str, (before, behind): (u64, u64), is_ceil: bool) -> Option<u64> {
        let Window { h, ho, stride, kernel, dilation } = *self;
        let span = (kernel - 1).checked_mul(dilation)?.checked_add(1)?;
        let total = (ho - 1).checked_mul(stride)?.checked_add(span)?.saturating_sub(h);
        let made = |rows: u64| Some(rows.checked_sub(span)? / stride + 1);
        match mode {
            "SAME" | "SAME_UPPER" => (h.div_ceil(stride) == ho).then_some(total / 2),
            "SAME_LOWER" => (h.div_ceil(stride) == ho).then_some(total.div_ceil(2)),
            "VALID" => (made(h)? == ho).then_some(0),
            _ => {
                let rows = h.checked_add(before)?.checked_add(behind)?;
                let explains = made(rows)? == ho || is_ceil && made(rows.checked_add(stride - 1)?)? == ho;
                (explains && before < span).then_some(before)
            }
        }
    }
}

fn window(graph: &Graph, node: &Node, layout: Layout, (h, ho): (u64, u64), is_convolution: bool) -> RowRule {
    let pinned = RowRule::Pinned("fit.pinned-stride");
    let stated = numbers(node, &KERNEL);
    let weight = filter_of(graph, node);
    let of_weight = |offset: usize| extent(graph, weight?, if layout == Layout::ChannelsLast { 1 } else { 2 } + offset);
    let axis = |index: usize| {
        let of_attr = stated.as_ref().and_then(|all| all.get(index.min(all.len().saturating_sub(1))).copied());
        if is_convolution { of_weight(index).or(of_attr) } else { of_attr }
    };
    let first = |names: &[&str]| numbers(node, names).and_then(|all| all.first().copied());
    let is_open =
        |names: &[&str]| names.iter().any(|name| node.attrs.contains_key(*name)) && numbers(node, names).is_none();
    let is_word = word(node, &["padding"]).is_some_and(|word| WORDS.contains(&word.as_str()));
    if is_open(&STRIDE) || is_open(&DILATION) || is_open(&PADDING) && !is_word {
        return pinned;
    }
    let (stride, dilation) = (first(&STRIDE), first(&DILATION).unwrap_or(1));
    if let (Some(kernel), Some(stride)) = (axis(0), stride)
        && stride > 0
        && kernel > 0
        && dilation > 0
    {
        let mode = word(node, &["padding", "auto_pad"]).unwrap_or_default();
        let pads = first(&PADDING).unwrap_or(0);
        // `[rows, columns]` on both sides alike, or
        // `[rows before, columns before, rows after, columns after]`.
        let behind = numbers(node, &PADDING).filter(|all| all.len() == 4).map_or(pads, |all| all[2]);
        let is_full = word(node, &["pooling_convention"]).is_some_and(|word| word == "FULL");
        let is_ceil = is_full || is_set(node, "ceil_mode");
        let window = Window { h, ho, stride, kernel, dilation };
        return window.padded(&mode, (pads, behind), is_ceil).map_or(pinned, |pad| RowRule::Window {
            stride,
            pad,
            kernel,
            dilation,
        });
    }
    // What is inferred is not dilated. Of XLA's convolution, which the graph has without its
    // window, the order of the extents is not known either.
    if dilation != 1 || kernel_name(&node.op) == "convolution" && stated.is_none() {
        return pinned;
    }
    let inputs = node.inputs.first().and_then(|&input| columns_of(graph, input, layout));
    let outputs = node.outputs.first().and_then(|&output| columns_of(graph, output, layout));
    let (Some(w), Some(wo)) = (inputs, outputs) else { return pinned };
    let (Some(kernel), Some(wide)) = (axis(0), axis(1)) else {
        let mut says = STRIDE.iter().chain(&PADDING).chain(&["auto_pad", "ceil_mode"]);
        let says_some = stated.is_some() || says.any(|name| node.attrs.contains_key(*name));
        let is_open = !is_convolution && !says_some && layout == Layout::ChannelsFirst;
        return if is_open { common_pool((h, ho), (w, wo)) } else { pinned };
    };
    if kernel.max(wide).max(w).max(wo) > MOST_ROWS {
        return pinned;
    }
    let mut found = None;
    for stride in 1..=h {
        let Some((least, most)) = paddings(layout, stride, kernel, (h, ho)) else { continue };
        // Both directions have one stride, unless only one position is possible along the row.
        if wo > 1 && (stride > w || paddings(layout, stride, wide, (w, wo)).is_none()) {
            continue;
        }
        if least < most || found.is_some() {
            return pinned;
        }
        found = Some(RowRule::Window { stride, pad: least, kernel, dilation: 1 });
    }
    found.unwrap_or(pinned)
}

/// The least and the most rows of padding with which a window that is not dilated makes `ho` rows
/// of `h`: channels last, those of `SAME` or `VALID`; else half the window at most, on both sides
/// alike. None if there are none.
fn paddings(layout: Layout, stride: u64, kernel: u64, (h, ho): (u64, u64)) -> Option<(u64, u64)> {
    let span = (ho - 1) * stride + kernel;
    if layout == Layout::ChannelsLast {
        let is_valid = h.checked_sub(kernel).is_some_and(|room| room / stride + 1 == ho);
        let same = (h.div_ceil(stride) == ho).then(|| span.saturating_sub(h) / 2);
        return same.or(is_valid.then_some(0)).map(|pad| (pad, pad));
    }
    let least = span.saturating_sub(h).div_ceil(2);
    let most = ((span + stride - 1).checked_sub(h)? / 2).min(kernel.saturating_sub(1) / 2);
    (least <= most).then_some((least, most))
}

/// The rows that pooling needs whose window is not stated: those of both common windows at stride
/// 2, two rows without padding and three rows with or without one of padding, where the number of
/// positions is rounded down.
fn common_pool((h, ho): (u64, u64), (w, wo): (u64, u64)) -> RowRule {
    let halves = |all: u64, out: u64| out == all / 2 || out == all.div_ceil(2);
    if !halves(h, ho) || !halves(w, wo) {
        return RowRule::Pinned("fit.pinned-stride");
    }
    // Without padding, a window of three rows ends with the last of an odd number of rows.
    let pad = u64::from(h % 2 == 0 || ho > h / 2);
    RowRule::Window { stride: 2, pad, kernel: 3, dilation: 1 }
}

/// Whether the window of a node with this rule is a common one, because the graph states none.
pub fn is_assumed(node: &Node, rule: RowRule) -> bool {
    let is_pool = POOLS.contains(&kernel_name(&node.op).as_str());
    is_pool && matches!(rule, RowRule::Window { .. }) && numbers(node, &KERNEL).is_none()
}
