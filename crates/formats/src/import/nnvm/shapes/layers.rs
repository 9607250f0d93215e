//! Layers with weights, pooling and losses. Data lies channels first unless a layout states
//! otherwise.

use super::{Call, Shape, product};

/// Where the channels lie in data of this rank: never first, which is the batch.
fn channel_axis(call: &Call, rank: usize) -> Option<usize> {
    let layout = call.node.attr("layout").filter(|layout| !matches!(*layout, "None" | "__undef__" | ""));
    match layout {
        None => (rank > 1).then_some(1),
        Some(layout) => layout.find('C').filter(|at| *at > 0 && *at < rank),
    }
}

/// One number for each spatial axis, `default` where the attribute is missing; a single one counts
/// for all.
fn spread(call: &Call, keys: &[&str], default: u64, rank: usize) -> Option<Vec<u64>> {
    let numbers = call.numbers(keys).unwrap_or_default();
    let numbers: Vec<u64> = numbers.into_iter().map(|number| u64::try_from(number).ok()).collect::<Option<_>>()?;
    match numbers[..] {
        [] => Some(vec![default; rank]),
        [one] => Some(vec![one; rank]),
        _ => Some(numbers),
    }
}

/// Padding before and after each spatial axis together; NNVM may state both.
fn padding(call: &Call, rank: usize) -> Option<Vec<u64>> {
    let pads = spread(call, &["pad", "padding"], 0, rank)?;
    match pads.len() {
        length if length == rank => pads.iter().map(|pad| pad.checked_mul(2)).collect(),
        length if length == 2 * rank => (0..rank).map(|axis| pads[axis].checked_add(pads[axis + rank])).collect(),
        _ => None,
    }
}

/// Extent that a kernel covers.
fn covered(kernel: u64, dilation: u64) -> Option<u64> {
    dilation.checked_mul(kernel.checked_sub(1)?)?.checked_add(1)
}

fn strides(call: &Call, rank: usize) -> Option<Vec<u64>> {
    let strides = spread(call, &["stride", "strides"], 1, rank)?;
    (strides.len() == rank && !strides.contains(&0)).then_some(strides)
}

fn kernel(call: &Call) -> Option<Vec<u64>> {
    let kernel = call.numbers(&["kernel", "kernel_size", "pool_size"])?;
    kernel.into_iter().map(|extent| u64::try_from(extent).ok().filter(|extent| *extent > 0)).collect()
}

fn without_bias(call: &Call) -> bool {
    call.flag("no_bias") || call.node.attr("use_bias").is_some() && !call.flag("use_bias")
}

/// The data with its channels and spatial extents exchanged.
fn replaced(data: &Shape, channels_at: usize, channels: u64, spatial: &[u64]) -> Option<Shape> {
    let mut extents = spatial.iter().copied();
    let mut shape = data.clone();
    for (axis, extent) in shape.iter_mut().enumerate().skip(1) {
        *extent = if axis == channels_at { channels } else { extents.next()? };
    }
    Some(shape)
}

fn spatial(data: &Shape, channels_at: usize) -> Vec<u64> {
    data.iter().enumerate().filter(|(axis, _)| *axis != 0 && *axis != channels_at).map(|(_, extent)| *extent).collect()
}

struct Window {
    data: Shape,
    channels_at: usize,
    kernel: Vec<u64>,
    strides: Vec<u64>,
    padding: Vec<u64>,
    dilation: Vec<u64>,
}

fn window(call: &Call) -> Option<Window> {
    let data = call.input(0)?.clone();
    let channels_at = channel_axis(call, data.len())?;
    let rank = data.len().checked_sub(2).filter(|rank| *rank > 0)?;
    let mut kernel = kernel(call)?;
    if kernel.len() == 1 && rank > 1 {
        kernel = vec![kernel[0]; rank];
    }
    let dilation = spread(call, &["dilate", "dilation"], 1, rank)?;
    (kernel.len() == rank && dilation.len() == rank).then_some(())?;
    Some(Window { strides: strides(call, rank)?, padding: padding(call, rank)?, data, channels_at, kernel, dilation })
}

/// Weights of a layer with one filter set: `outer x inner x kernel`, in the order that the layout
/// asks for.
fn filters(call: &Call, outer: u64, inner: u64, kernel: &[u64]) -> Shape {
    let last = call.node.attr("layout").is_some_and(|layout| layout.ends_with('C'));
    match call.node.attr("kernel_layout") {
        Some("HWIO") => kernel.iter().copied().chain([inner, outer]).collect(),
        Some("HWOI") => kernel.iter().copied().chain([outer, inner]).collect(),
        None if last => [outer].into_iter().chain(kernel.iter().copied()).chain([inner]).collect(),
        _ => [outer, inner].into_iter().chain(kernel.iter().copied()).collect(),
    }
}

pub fn convolution(call: &mut Call) -> Option<Vec<Shape>> {
    let window = window(call)?;
    let channels = call.size(&["num_filter", "channels"])?;
    let groups = call.size(&["num_group", "groups"]).unwrap_or(1).max(1);
    let inner = window.data[window.channels_at] / groups;
    call.require(1, &filters(call, channels, inner, &window.kernel));
    if !without_bias(call) {
        call.require(2, &[channels]);
    }
    let mut extents = Vec::new();
    for (axis, &extent) in spatial(&window.data, window.channels_at).iter().enumerate() {
        let covered = covered(window.kernel[axis], window.dilation[axis])?;
        let room = extent.checked_add(window.padding[axis])?.checked_sub(covered)?;
        extents.push(room / window.strides[axis] + 1);
    }
    Some(vec![replaced(&window.data, window.channels_at, channels, &extents)?])
}

pub fn deconvolution(call: &mut Call) -> Option<Vec<Shape>> {
    let window = window(call)?;
    let channels = call.size(&["num_filter", "channels"])?;
    let groups = call.size(&["num_group", "groups"]).unwrap_or(1).max(1);
    let outer = window.data[window.channels_at];
    call.require(1, &filters(call, outer, channels / groups, &window.kernel));
    // Without a statement MXNet leaves the bias of a deconvolution out; then the node does not read
    // one.
    call.require(2, &[channels]);
    let rank = window.kernel.len();
    let target = spread(call, &["target_shape"], 0, rank)?;
    let added = spread(call, &["adj", "output_padding"], 0, rank)?;
    (target.len() == rank && added.len() == rank).then_some(())?;
    let mut extents = Vec::new();
    for (axis, &extent) in spatial(&window.data, window.channels_at).iter().enumerate() {
        let covered = covered(window.kernel[axis], window.dilation[axis])?;
        let grown = window.strides[axis].checked_mul(extent.checked_sub(1)?)?.checked_add(covered)?;
        let made = grown.checked_add(added[axis])?.checked_sub(window.padding[axis])?;
        extents.push(if target[axis] > 0 { target[axis] } else { made });
    }
    Some(vec![replaced(&window.data, window.channels_at, channels, &extents)?])
}

pub fn pooling(call: &mut Call) -> Option<Vec<Shape>> {
    let data = call.input(0)?.clone();
    let channels_at = channel_axis(call, data.len())?;
    let channels = data[channels_at];
    let op = call.node.op.as_deref().unwrap_or_default();
    if op.starts_with("global_") || call.flag("global_pool") {
        let ones = vec![1; data.len().checked_sub(2)?];
        return Some(vec![replaced(&data, channels_at, channels, &ones)?]);
    }
    let window = window(call)?;
    let convention = call.node.attr("pooling_convention").unwrap_or("valid");
    let up = convention == "full" || call.flag("ceil_mode");
    let mut extents = Vec::new();
    for (axis, &extent) in spatial(&data, channels_at).iter().enumerate() {
        let stride = window.strides[axis];
        if convention == "same" {
            extents.push(extent.div_ceil(stride));
            continue;
        }
        let room = extent.checked_add(window.padding[axis])?.checked_sub(window.kernel[axis])?;
        extents.push(if up { room.div_ceil(stride) } else { room / stride } + 1);
    }
    Some(vec![replaced(&data, channels_at, channels, &extents)?])
}

pub fn dense(call: &mut Call) -> Option<Vec<Shape>> {
    let units = call.size(&["num_hidden", "units"])?;
    let data = call.input(0)?.clone();
    // NNVM's `dense` works on the last axis; MXNet's layer flattens all but the first by default.
    let keeps =
        call.node.op.as_deref() == Some("dense") || call.node.attr("flatten").is_some() && !call.flag("flatten");
    let (last, kept) = data.split_last()?;
    let (inner, shape) = if keeps {
        (*last, kept.iter().copied().chain([units]).collect())
    } else {
        (product(&data[1..])?, vec![data[0], units])
    };
    call.require(1, &[units, inner]);
    if !without_bias(call) {
        call.require(2, &[units]);
    }
    Some(vec![shape])
}

/// Scale, shift, and the two running statistics are one value a channel, as are the mean and
/// variance it gives out.
pub fn batch_norm(call: &mut Call) -> Option<Vec<Shape>> {
    let data = call.input(0)?.clone();
    let channels = [data[call.axis(&["axis"], 1, data.len())?]];
    for index in 1..call.inputs.len().min(5) {
        call.require(index, &channels);
    }
    Some([data].into_iter().chain((1..call.outputs).map(|_| channels.to_vec())).take(5).collect())
}

pub fn other_norm(call: &mut Call) -> Option<Vec<Shape>> {
    let data = call.input(0)?.clone();
    let layer = call.node.op.as_deref() == Some("LayerNorm");
    let axis = if layer { call.axis(&["axis"], -1, data.len())? } else { 1 };
    let extent = *data.get(axis)?;
    call.require(1, &[extent]);
    call.require(2, &[extent]);
    let mut statistics = data.clone();
    statistics[axis] = 1;
    // Mean and deviation: one for all values normalised together. Other layers give out the data
    // only.
    let rest = if layer { call.outputs.saturating_sub(1).min(2) } else { 0 };
    Some([data].into_iter().chain(vec![statistics; rest]).collect())
}

pub fn embedding(call: &mut Call) -> Option<Vec<Shape>> {
    let (rows, width) = (call.size(&["input_dim"])?, call.size(&["output_dim"])?);
    call.require(1, &[rows, width]);
    let mut shape = call.input(0)?.clone();
    shape.push(width);
    Some(vec![shape])
}

pub fn up_sampling(call: &mut Call) -> Option<Vec<Shape>> {
    let scale = call.size(&["scale"])?;
    let bilinear = matches!(call.node.attr("sample_type"), Some("bilinear"));
    let mut shape = call.input(0)?.clone();
    let channels_at = channel_axis(call, shape.len())?;
    (1..shape.len()).filter(|axis| *axis != channels_at).try_for_each(|axis| {
        shape[axis] = shape[axis].checked_mul(scale)?;
        Some(())
    })?;
    if bilinear {
        let kernel = scale.checked_mul(2)?.checked_sub(scale % 2)?;
        call.require(1, &[shape[channels_at], 1, kernel, kernel]);
    } else if call.node.attr("multi_input_mode") != Some("sum") {
        let channels: Option<Vec<u64>> =
            call.inputs.iter().map(|input| input.as_ref()?.get(channels_at).copied()).collect();
        shape[channels_at] = channels?.into_iter().try_fold(0u64, u64::checked_add)?;
    }
    Some(vec![shape])
}

/// The fused recurrent layer: data is time x batch x features.
pub fn recurrent(call: &mut Call) -> Option<Vec<Shape>> {
    let data = call.input(0)?.clone();
    let [steps, batch, features] = data[..] else { return None };
    let (hidden, layers) = (call.size(&["state_size"])?, call.size(&["num_layers"])?.max(1));
    let directions = if call.flag("bidirectional") { 2 } else { 1 };
    let gates = match call.node.attr("mode")? {
        "lstm" => 4,
        "gru" => 3,
        "rnn_relu" | "rnn_tanh" => 1,
        _ => return None,
    };
    // Weights for input and state and two biases, for each gate; layers above the first read all
    // directions.
    let parameters = |width: u64| product(&[directions, gates, hidden, width.checked_add(hidden)?.checked_add(2)?]);
    let above = parameters(hidden.checked_mul(directions)?)?.checked_mul(layers - 1)?;
    call.require(1, &[parameters(features)?.checked_add(above)?]);
    let state = [layers.checked_mul(directions)?, batch, hidden];
    call.require(2, &state);
    call.require(3, &state);
    let first = vec![steps, batch, hidden.checked_mul(directions)?];
    Some([first].into_iter().chain((1..call.outputs.min(3)).map(|_| state.to_vec())).collect())
}

pub fn product_of_matrices(call: &mut Call) -> Option<Vec<Shape>> {
    let (mut a, mut b) = (call.input(0)?.clone(), call.input(1)?.clone());
    if call.node.op.as_deref() == Some("batch_dot") {
        (a.len() >= 3 && a.len() == b.len()).then_some(())?;
    } else {
        (a.len() == 2 && b.len() == 2).then_some(())?;
    }
    let rank = a.len();
    if call.flag("transpose_a") {
        a.swap(rank - 1, rank - 2);
    }
    if call.flag("transpose_b") {
        b.swap(rank - 1, rank - 2);
    }
    (a[rank - 1] == b[rank - 2]).then_some(())?;
    a[rank - 1] = b[rank - 1];
    Some(vec![a])
}

/// Losses give out the data; the label is one class a row, or a value of its own for each element.
pub fn loss(call: &mut Call) -> Option<Vec<Shape>> {
    let data = call.input(0)?.clone();
    let op = call.node.op.as_deref().unwrap_or_default();
    let label: Shape = if op.ends_with("RegressionOutput") {
        match data[..] {
            [rows, 1] => vec![rows],
            _ => data.clone(),
        }
    } else if call.flag("multi_output") {
        data.iter().enumerate().filter(|(axis, _)| *axis != 1).map(|(_, extent)| *extent).collect()
    } else {
        let kept = if call.flag("preserve_shape") { data.len().saturating_sub(1) } else { 1 };
        data.iter().copied().take(kept).collect()
    };
    call.require(1, &label);
    Some(vec![data])
}

/// A learnt slope is one value a channel.
pub fn leaky_relu(call: &mut Call) -> Option<Vec<Shape>> {
    let data = call.input(0)?.clone();
    let channels = *data.get(1).or(data.first())?;
    call.require(1, &[channels]);
    Some(vec![data; call.outputs.min(2)])
}
