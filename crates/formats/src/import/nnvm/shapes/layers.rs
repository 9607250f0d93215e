//! Layers with weights, pooling and losses. Data lies channels first unless a layout states
//! otherwise.

use super::{Call, Shape};
use crate::import::shape::{self, Extent, Rounding, Window, product, replaced};

use Extent::Known;

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
fn spread(call: &Call, keys: &[&str], default: i64, rank: usize) -> Option<Vec<i64>> {
    let numbers = call.numbers(keys).unwrap_or_default();
    match numbers[..] {
        _ if numbers.iter().any(|number| *number < 0) => None,
        [] => Some(vec![default; rank]),
        [one] => Some(vec![one; rank]),
        _ => Some(numbers),
    }
}

/// Padding before and after each spatial axis; NNVM may state both.
fn padding(call: &Call, rank: usize) -> Option<Vec<(i64, i64)>> {
    let pads = spread(call, &["pad", "padding"], 0, rank)?;
    match pads.len() {
        length if length == rank => Some(pads.into_iter().map(|pad| (pad, pad)).collect()),
        length if length == 2 * rank => Some((0..rank).map(|axis| (pads[axis], pads[axis + rank])).collect()),
        _ => None,
    }
}

fn kernel(call: &Call, rank: usize) -> Option<Vec<i64>> {
    let kernel = call.numbers(&["kernel", "kernel_size", "pool_size"])?;
    let kernel = if kernel.len() == 1 { vec![kernel[0]; rank] } else { kernel };
    (kernel.len() == rank && kernel.iter().all(|extent| *extent > 0)).then_some(kernel)
}

fn without_bias(call: &Call) -> bool {
    call.flag("no_bias") || call.node.attr("use_bias").is_some() && !call.flag("use_bias")
}

/// An image, and the windows that slide over it.
struct Image {
    data: Shape,
    channels_at: usize,
    windows: Vec<Window>,
}

impl Image {
    fn of(call: &Call) -> Option<Image> {
        let data = call.input(0)?.clone();
        let channels_at = channel_axis(call, data.len())?;
        let rank = data.len().checked_sub(2).filter(|rank| *rank > 0)?;
        let (kernel, pads) = (kernel(call, rank)?, padding(call, rank)?);
        let dilation = spread(call, &["dilate", "dilation"], 1, rank).filter(|dilation| dilation.len() == rank)?;
        let strides = spread(call, &["stride", "strides"], 1, rank)?;
        if strides.len() != rank || strides.contains(&0) {
            return None;
        }
        let window = |axis: usize| Window {
            kernel: Known(kernel[axis]),
            stride: strides[axis],
            dilation: dilation[axis],
            pads: pads[axis],
        };
        Some(Image { windows: (0..rank).map(window).collect(), data, channels_at })
    }

    fn channels(&self) -> &Extent {
        &self.data[self.channels_at]
    }

    /// The kernel of weights.
    fn kernel(&self) -> Vec<Extent> {
        self.windows.iter().map(|window| window.kernel.clone()).collect()
    }

    /// The image with other channels, and each spatial extent as `extent` gives it.
    fn with(&self, channels: Extent, extent: impl FnMut((&Extent, &Window)) -> Option<Extent>) -> Option<Vec<Shape>> {
        let spatial = spatial(self.data.len(), self.channels_at).map(|axis| &self.data[axis]);
        let extents: Vec<Extent> = spatial.zip(&self.windows).map(extent).collect::<Option<_>>()?;
        image(&self.data, self.channels_at, channels, extents)
    }
}

/// The axes of an image but for batch and channels.
fn spatial(rank: usize, channels_at: usize) -> impl Iterator<Item = usize> {
    (1..rank).filter(move |axis| *axis != channels_at)
}

/// The data with its channels and spatial extents exchanged.
fn image(
    data: &Shape,
    channels_at: usize,
    channels: Extent,
    extents: impl IntoIterator<Item = Extent>,
) -> Option<Vec<Shape>> {
    let mut shape = replaced(data, channels_at, channels)?;
    for (axis, extent) in spatial(data.len(), channels_at).zip(extents) {
        shape[axis] = extent;
    }
    Some(vec![shape])
}

/// Weights of a layer with one filter set: `outer x inner x kernel`, in the order that the layout
/// asks for.
fn filters(call: &Call, outer: Extent, inner: Extent, kernel: &[Extent]) -> Shape {
    let last = call.node.attr("layout").is_some_and(|layout| layout.ends_with('C'));
    match call.node.attr("kernel_layout") {
        Some("HWIO") => [kernel, &[inner, outer]].concat(),
        Some("HWOI") => [kernel, &[outer, inner]].concat(),
        None if last => [&[outer], kernel, &[inner]].concat(),
        _ => [&[outer, inner], kernel].concat(),
    }
}

fn groups(call: &Call) -> Extent {
    Known(call.size(&["num_group", "groups"]).unwrap_or(1).max(1))
}

pub fn convolution(call: &mut Call) -> Option<Vec<Shape>> {
    let image = Image::of(call)?;
    let channels = Known(call.size(&["num_filter", "channels"])?);
    let inner = image.channels().over(&groups(call));
    call.require(1, &filters(call, channels.clone(), inner, &image.kernel()));
    if !without_bias(call) {
        call.require(2, std::slice::from_ref(&channels));
    }
    image.with(channels, |(extent, window)| fitting(extent, window, Rounding::Down))
}

/// Number of windows, of which at least one must fit.
fn fitting(extent: &Extent, window: &Window, rounding: Rounding) -> Option<Extent> {
    window.room(extent).is_extent().then(|| window.count(extent, rounding))
}

pub fn deconvolution(call: &mut Call) -> Option<Vec<Shape>> {
    let image = Image::of(call)?;
    let channels = Known(call.size(&["num_filter", "channels"])?);
    let inner = channels.over(&groups(call));
    call.require(1, &filters(call, image.channels().clone(), inner, &image.kernel()));
    // Without a statement MXNet leaves the bias of a deconvolution out; then the node does not read
    // one.
    call.require(2, std::slice::from_ref(&channels));
    let rank = image.windows.len();
    let target = spread(call, &["target_shape"], 0, rank).filter(|target| target.len() == rank)?;
    let added = spread(call, &["adj", "output_padding"], 0, rank).filter(|added| added.len() == rank)?;
    let mut stated = target.into_iter().zip(added);
    image.with(channels, |(extent, window)| {
        let (target, added) = stated.next()?;
        let made = Some(window.slid_over(extent, &Known(added))).filter(|made| made.is_extent())?;
        (*extent != Known(0)).then_some(if target > 0 { Known(target) } else { made })
    })
}

pub fn pooling(call: &mut Call) -> Option<Vec<Shape>> {
    if call.flag("global_pool") {
        return global_pooling(call);
    }
    let mut image = Image::of(call)?;
    image.windows.iter_mut().for_each(|window| window.dilation = 1);
    let convention = call.node.attr("pooling_convention").unwrap_or("valid");
    let is_up = convention == "full" || call.flag("ceil_mode");
    let rounding = if is_up { Rounding::Up } else { Rounding::Down };
    image.with(image.channels().clone(), |(extent, window)| match convention {
        "same" => Some(window.count(extent, Rounding::Same)),
        _ => fitting(extent, window, rounding),
    })
}

pub fn global_pooling(call: &mut Call) -> Option<Vec<Shape>> {
    let data = call.input(0)?;
    let channels_at = channel_axis(call, data.len())?;
    image(data, channels_at, data[channels_at].clone(), std::iter::repeat(Known(1)))
}

/// MXNet's layer, which flattens all axes but the first by default.
pub fn fully_connected(call: &mut Call) -> Option<Vec<Shape>> {
    if call.node.attr("flatten").is_some() && !call.flag("flatten") {
        return dense(call);
    }
    let units = Known(call.size(&["num_hidden", "units"])?);
    let (batch, rest) = call.input(0)?.split_first()?;
    let (shape, inner) = (vec![batch.clone(), units.clone()], product(rest));
    own(call, units, inner);
    Some(vec![shape])
}

/// NNVM's layer, which works on the last axis.
pub fn dense(call: &mut Call) -> Option<Vec<Shape>> {
    let units = Known(call.size(&["num_hidden", "units"])?);
    let (inner, kept) = call.input(0)?.split_last()?;
    let (shape, inner) = ([kept, std::slice::from_ref(&units)].concat(), inner.clone());
    own(call, units, inner);
    Some(vec![shape])
}

/// States the weights and the bias of a dense layer.
fn own(call: &mut Call, units: Extent, inner: Extent) {
    call.require(1, &[units.clone(), inner]);
    if !without_bias(call) {
        call.require(2, &[units]);
    }
}

/// Scale, shift, and the two running statistics are one value a channel, as are the mean and
/// variance it gives out.
pub fn batch_norm(call: &mut Call) -> Option<Vec<Shape>> {
    let data = call.input(0)?.clone();
    let channels = [data[call.axis(&["axis"], 1, data.len())?].clone()];
    for index in 1..call.inputs.len().min(5) {
        call.require(index, &channels);
    }
    Some([data].into_iter().chain((1..call.outputs).map(|_| channels.to_vec())).take(5).collect())
}

/// Mean and deviation beside the data: one for all values normalised together.
pub fn layer_norm(call: &mut Call) -> Option<Vec<Shape>> {
    let data = call.input(0)?.clone();
    let axis = call.axis(&["axis"], -1, data.len())?;
    scale_and_shift(call, &data[axis]);
    let statistics = replaced(&data, axis, Known(1))?;
    let rest = call.outputs.saturating_sub(1).min(2);
    Some([data].into_iter().chain(vec![statistics; rest]).collect())
}

/// Gives out the data only.
pub fn channel_norm(call: &mut Call) -> Option<Vec<Shape>> {
    let data = call.input(0)?.clone();
    scale_and_shift(call, data.get(1)?);
    Some(vec![data])
}

fn scale_and_shift(call: &mut Call, extent: &Extent) {
    (1..3).for_each(|index| call.require(index, std::slice::from_ref(extent)));
}

pub fn embedding(call: &mut Call) -> Option<Vec<Shape>> {
    let (rows, width) = (Known(call.size(&["input_dim"])?), Known(call.size(&["output_dim"])?));
    call.require(1, &[rows, width.clone()]);
    Some(vec![[&call.input(0)?[..], &[width]].concat()])
}

pub fn up_sampling(call: &mut Call) -> Option<Vec<Shape>> {
    let scale = call.size(&["scale"])?;
    let bilinear = matches!(call.node.attr("sample_type"), Some("bilinear"));
    let mut shape = call.input(0)?.clone();
    let channels_at = channel_axis(call, shape.len())?;
    for axis in spatial(shape.len(), channels_at) {
        shape[axis] = shape[axis].times(&Known(scale));
    }
    if bilinear {
        let kernel = Known(scale.checked_mul(2)?.checked_sub(scale % 2)?);
        call.require(1, &[shape[channels_at].clone(), Known(1), kernel.clone(), kernel]);
    } else if call.node.attr("multi_input_mode") != Some("sum") {
        let channels = call.inputs.iter().map(|input| input.as_ref()?.get(channels_at));
        let channels: Vec<&Extent> = channels.collect::<Option<_>>()?;
        shape[channels_at] = channels.into_iter().fold(Known(0), |sum, extent| sum.plus(extent));
    }
    Some(vec![shape])
}

/// The fused recurrent layer: data is time x batch x features.
pub fn recurrent(call: &mut Call) -> Option<Vec<Shape>> {
    let [steps, batch, features] = &call.input(0)?[..] else { return None };
    let (steps, batch, features) = (steps.clone(), batch.clone(), features.clone());
    let (hidden, layers) = (Known(call.size(&["state_size"])?), call.size(&["num_layers"])?.max(1));
    let directions = Known(if call.flag("bidirectional") { 2 } else { 1 });
    let gates = Known(match call.node.attr("mode")? {
        "lstm" => 4,
        "gru" => 3,
        "rnn_relu" | "rnn_tanh" => 1,
        _ => return None,
    });
    // Weights for input and state and two biases, for each gate; layers above the first read all
    // directions.
    let rows = product(&[directions.clone(), gates, hidden.clone()]);
    let parameters = |width: &Extent| rows.times(&width.plus(&hidden).plus(&Known(2)));
    let both = hidden.times(&directions);
    let above = parameters(&both).times(&Known(layers - 1));
    call.require(1, &[parameters(&features).plus(&above)]);
    let state = vec![Known(layers).times(&directions), batch.clone(), hidden.clone()];
    call.require(2, &state);
    call.require(3, &state);
    let first = vec![steps, batch, both];
    Some([first].into_iter().chain((1..call.outputs.min(3)).map(|_| state.clone())).collect())
}

/// A product of two matrices, or two stacks, of equal and allowed rank.
pub fn multiplied(call: &mut Call, allows: fn(usize) -> bool) -> Option<Vec<Shape>> {
    let (mut a, mut b) = (call.input(0)?.clone(), call.input(1)?.clone());
    let rank = a.len();
    (allows(rank) && rank == b.len()).then_some(())?;
    if call.flag("transpose_a") {
        a.swap(rank - 1, rank - 2);
    }
    if call.flag("transpose_b") {
        b.swap(rank - 1, rank - 2);
    }
    let (stack, matrix) = a.split_at(rank - 2);
    Some(vec![[stack, &shape::multiplied(matrix, &b[rank - 2..])?].concat()])
}

/// Losses give out the data; the label is a value of its own for each element.
pub fn loss_of_values(call: &mut Call) -> Option<Vec<Shape>> {
    let data = call.input(0)?.clone();
    let label = if let [rows, Known(1)] = &data[..] { vec![rows.clone()] } else { data.clone() };
    call.require(1, &label);
    Some(vec![data])
}

/// The label is one class a row, or one for each place.
pub fn loss_of_classes(call: &mut Call) -> Option<Vec<Shape>> {
    let data = call.input(0)?.clone();
    let kept = if call.flag("preserve_shape") { data.len().saturating_sub(1) } else { 1 };
    let is_kept = |axis: usize| if call.flag("multi_output") { axis != 1 } else { axis < kept };
    let label: Shape = (0..data.len()).filter(|&axis| is_kept(axis)).map(|axis| data[axis].clone()).collect();
    call.require(1, &label);
    Some(vec![data])
}

/// A learnt slope is one value a channel.
pub fn leaky_relu(call: &mut Call) -> Option<Vec<Shape>> {
    let data = call.input(0)?.clone();
    call.require(1, &[data.get(1).or(data.first())?.clone()]);
    Some(vec![data; call.outputs.min(2)])
}
