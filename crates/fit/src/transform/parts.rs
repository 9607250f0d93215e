//! Concatenations in parts: where each input is one range of bytes of the output, it is made there,
//! and nothing is copied.

use std::collections::{BTreeMap, BTreeSet};

use super::rows::stated_axis;
use memplan_core::base::IdVec;
use memplan_core::graph::{Attr, Dim, Dtype, Graph, Kind, Node, NodeId, TensorId};

/// What is known of the uses of tensors.
struct Uses {
    /// The operator that makes each tensor.
    maker: IdVec<TensorId, Option<NodeId>>,
    /// How often concatenations read each.
    joins: IdVec<TensorId, u32>,
    /// The tensor that owns the storage of each.
    root: IdVec<TensorId, TensorId>,
    /// Storages that an operator writes into after they were made.
    written: BTreeSet<TensorId>,
}

impl Uses {
    fn of(graph: &Graph) -> Uses {
        let mut uses = Uses {
            maker: IdVec::from_elem(None, graph.tensors.len()),
            joins: IdVec::from_elem(0, graph.tensors.len()),
            root: graph.tensors.ids().collect(),
            written: BTreeSet::new(),
        };
        for (id, node) in graph.nodes.enumerate() {
            node.outputs.iter().for_each(|&output| uses.maker[output] = Some(id));
            for (input, output) in node.aliases() {
                uses.root[output] = uses.root[input];
                if !node.is_view() {
                    uses.written.insert(uses.root[input]);
                }
            }
            if node.is_concatenation() {
                node.inputs.iter().for_each(|&input| uses.joins[input] += 1);
            }
        }
        uses
    }
}

/// Marks every concatenation whose inputs may be made in its output, whatever the order of the
/// operators. Offsets are multiples of `align`.
pub fn in_parts(graph: &Graph, align: u64) -> Graph {
    let mut out = graph.clone();
    for (id, ranges) in judged(graph, align).into_iter().filter_map(|(id, ranges)| Some((id, ranges.ok()?))) {
        let ranges: Vec<String> = ranges.iter().map(|(from, to)| format!("[{from},{to}]")).collect();
        out.nodes[id].attrs_mut().insert("parts".into(), Attr::Json(format!("[{}]", ranges.join(","))));
    }
    out
}

/// Whether [`in_parts`] marks any.
pub fn may_part(graph: &Graph, align: u64) -> bool {
    judged(graph, align).iter().any(|(_, ranges)| ranges.is_ok())
}

/// Concatenations whose inputs stay apart, each with the key of the reason.
pub fn refused_parts(graph: &Graph, align: u64) -> Vec<(NodeId, &'static str)> {
    judged(graph, align).into_iter().filter_map(|(id, ranges)| Some((id, ranges.err()?))).collect()
}

/// The graph in which these concatenations copy.
pub fn apart(graph: &Graph, joins: &[NodeId]) -> Graph {
    let mut out = graph.clone();
    for &join in joins {
        out.nodes[join].attrs_mut().remove("parts");
    }
    out
}

/// The ranges of the inputs of a concatenation along the axis, or the key of the reason why they
/// stay apart.
type Judged = Result<Vec<(u64, u64)>, &'static str>;

fn judged(graph: &Graph, align: u64) -> Vec<(NodeId, Judged)> {
    let is_open = |node: &Node| node.is_concatenation() && !node.attrs.contains_key("parts");
    if !graph.nodes.iter().any(is_open) {
        return Vec::new();
    }
    let uses = Uses::of(graph);
    let symbols = graph.symbol_values(&BTreeMap::new());
    let open = graph.nodes.enumerate().filter(|(_, node)| is_open(node));
    open.map(|(id, node)| (id, judge(graph, &uses, &symbols, node, align))).collect()
}

fn judge(graph: &Graph, uses: &Uses, symbols: &BTreeMap<String, u64>, node: &Node, align: u64) -> Judged {
    let &[whole] = node.results() else { return Err("fit.parts-axis") };
    if node.inputs.is_empty() || node.aliases().next().is_some() {
        return Err("fit.parts-axis");
    }
    let tensor = &graph.tensors[whole];
    if node.inputs.iter().any(|&input| graph.tensors[input].kind != Kind::Intermediate) {
        return Err("fit.parts-kept");
    }
    let extents = axis_extents(graph, node, whole).ok_or("fit.parts-axis")?;
    let is_joined = |&input: &TensorId| uses.maker[input].is_some_and(|maker| graph.nodes[maker].is_concatenation());
    if node.inputs.iter().any(is_joined) {
        return Err("fit.parts-nested");
    }
    if node.inputs.iter().any(|&input| uses.joins[input] > 1) {
        return Err("fit.parts-twice");
    }
    let is_own = |&input: &TensorId| uses.root[input] == input && !uses.written.contains(&input);
    if !node.inputs.iter().all(is_own) || uses.root[whole] != whole || uses.written.contains(&whole) {
        return Err("fit.parts-shared");
    }
    // TFLite rescales unsigned inputs whose quantization differs from that of the output, which
    // readers do not carry.
    let may_scale = tensor.dtype == Dtype::UInt8 && node.op == "CONCATENATION";
    let is_alike = |&input: &TensorId| {
        let part = &graph.tensors[input];
        (part.dtype, part.device, part.mem_id) == (tensor.dtype, tensor.device, tensor.mem_id)
    };
    if may_scale || !node.inputs.iter().all(is_alike) {
        return Err("fit.parts-type");
    }
    let bytes = |tensor: TensorId| graph.bytes_of(tensor, symbols).map_err(|_| "fit.parts-axis");
    let (mut ranges, mut from, mut at) = (Vec::new(), 0, 0);
    for (&input, extent) in node.inputs.iter().zip(&extents) {
        if !u64::is_multiple_of(at, align.max(graph.tensors[input].align.unwrap_or(1))) {
            return Err("fit.parts-align");
        }
        ranges.push((from, from + extent));
        at = at.checked_add(bytes(input)?).ok_or("fit.parts-axis")?;
        from += extent;
    }
    // Extents and bytes in one proportion: no input has padding of its own.
    let size = bytes(whole)?;
    let share = |&extent: &u64| u128::from(size) * u128::from(extent) / u128::from(from.max(1));
    let fits = |(&input, extent): (&TensorId, &u64)| bytes(input).is_ok_and(|own| u128::from(own) == share(extent));
    (at == size && node.inputs.iter().zip(&extents).all(fits)).then_some(ranges).ok_or("fit.parts-axis")
}

/// Extents of the inputs along the axis, if each is one range of bytes of the output: the axis is
/// stated, or the only one that explains the shapes, and all before it are 1.
fn axis_extents(graph: &Graph, node: &Node, whole: TensorId) -> Option<Vec<u64>> {
    let shape = |tensor: TensorId| -> Option<Vec<u64>> {
        let extents = graph.tensors[tensor].shape.iter();
        extents.map(|dim| if let Dim::Fixed(extent) = dim { Some(*extent) } else { None }).collect()
    };
    let output = shape(whole)?;
    let inputs: Vec<Vec<u64>> = node.inputs.iter().map(|&input| shape(input)).collect::<Option<_>>()?;
    let explains = |&axis: &usize| {
        let is_same = |input: &Vec<u64>| {
            input.len() == output.len() && (0..output.len()).all(|at| at == axis || input[at] == output[at])
        };
        let is_plain = inputs.iter().all(is_same);
        is_plain && inputs.iter().try_fold(0u64, |sum, input| sum.checked_add(input[axis])) == Some(output[axis])
    };
    let mut axes = (0..output.len()).filter(explains);
    let axis = match stated_axis(node, output.len()) {
        Some(axis) => axes.find(|&at| at == axis)?,
        None => axes.next().filter(|_| axes.next().is_none())?,
    };
    let is_outer = output[..axis].iter().all(|&extent| extent == 1) && inputs.iter().all(|input| input[axis] > 0);
    is_outer.then(|| inputs.iter().map(|input| input[axis]).collect())
}
