//! Attention of ONNX and of ONNX Runtime (com.microsoft).

use super::Call;
use crate::import::shape::{Dims, Extent};

use Extent::{Known, Open};

fn number(call: &Call, name: &str) -> Extent {
    call.int(name).map_or(Open, Known)
}

/// Output, present key, present value, and the scores of queries against keys.
type Outputs = Vec<Option<Dims>>;

/// `Attention` of ONNX: heads in an axis of their own, or packed into the last one.
pub fn attention(call: &Call) -> Outputs {
    let outputs = || {
        let (query, key, value) = (call.dims(0)?, call.dims(1)?, call.dims(2)?);
        let (query_heads, kv_heads) = (number(call, "q_num_heads"), number(call, "kv_num_heads"));
        let split = |dims: &[Extent], heads: &Extent| match dims {
            [batch, heads, steps, size] => Some([batch.clone(), heads.clone(), steps.clone(), size.clone()]),
            [batch, steps, all] => Some([batch.clone(), heads.clone(), steps.clone(), all.over(heads)]),
            _ => None,
        };
        let [batch, heads, steps, _] = split(query, &query_heads)?;
        let [_, kv_heads, new, key_size] = split(key, &kv_heads)?;
        let [.., value_size] = split(value, &kv_heads)?;
        let total = match call.dims(4) {
            Some(past) => past.get(2)?.plus(&new),
            None => new,
        };
        let output = if query.len() == 4 {
            vec![batch.clone(), heads.clone(), steps.clone(), value_size.clone()]
        } else {
            vec![batch.clone(), steps.clone(), heads.times(&value_size)]
        };
        let present = |size: Extent| Some(vec![batch.clone(), kv_heads.clone(), total.clone(), size]);
        let scores = vec![batch.clone(), heads, steps, total.clone()];
        Some(vec![Some(output), present(key_size), present(value_size), Some(scores)])
    };
    outputs().unwrap_or_default()
}

/// `Attention` and `QAttention` of com.microsoft. `past`: the input that holds earlier keys and
/// values; `weights`: that of all three projections.
pub fn projected(call: &Call, past: usize) -> Outputs {
    let outputs = || {
        let [batch, steps, _] = call.dims(0)? else { return None };
        let sizes = call.ints("qkv_hidden_sizes").filter(|sizes| sizes.len() == 3);
        let projected = || call.dims(1).or(call.dims(2))?.last().map(|all| all.over(&Known(3)));
        let hidden = sizes.map(|sizes| Known(sizes[2])).or_else(projected).unwrap_or(Open);
        let heads = number(call, "num_heads");
        let size = sizes.map_or(hidden.clone(), |sizes| Known(sizes[0])).over(&heads);
        let mut present = vec![Known(2), batch.clone(), heads, steps.clone(), size];
        if let Some(past) = call.dims(past) {
            let length = past.get(3)?;
            let is_shared = call.int("past_present_share_buffer") == Some(1);
            present = past.to_vec();
            *present.get_mut(3)? = if is_shared { length.clone() } else { length.plus(steps) };
        }
        Some(vec![Some(vec![batch.clone(), steps.clone(), hidden]), Some(present)])
    };
    outputs().unwrap_or_default()
}

/// `PackedAttention`: all tokens in one axis.
pub fn packed(call: &Call) -> Outputs {
    let dims = || {
        let [tokens, _] = call.dims(0)? else { return None };
        let sizes = call.ints("qkv_hidden_sizes").filter(|sizes| sizes.len() == 3);
        let projected = || call.dims(1)?.last().map(|all| all.over(&Known(3)));
        let hidden = sizes.map(|sizes| Known(sizes[2])).or_else(projected)?;
        Some(vec![tokens.clone(), hidden])
    };
    vec![dims()]
}

pub fn packed_multi_head(call: &Call) -> Outputs {
    let dims = || match call.dims(0)? {
        [tokens, heads, _, size] => Some(vec![tokens.clone(), heads.times(size)]),
        [tokens, _] => Some(vec![tokens.clone(), call.dims(2)?.last()?.clone()]),
        _ => None,
    };
    vec![dims()]
}

/// `MultiHeadAttention` and `DecoderMaskedMultiHeadAttention`; `past`: the inputs of earlier keys
/// and of their number.
pub fn multi_head(call: &Call, past: usize, past_length: usize) -> Outputs {
    let outputs = || {
        let query = call.dims(0)?;
        let [batch, steps, ..] = query else { return None };
        let heads = number(call, "num_heads");
        let hidden = match (query, call.dims(1), call.dims(2)) {
            ([_, _, heads, _, size], ..) => heads.times(size),
            (_, Some([_, _, heads, _, size]), None) => heads.times(size),
            (_, _, Some([_, heads, _, size])) => heads.times(size),
            (_, _, Some([_, _, hidden])) => hidden.clone(),
            // Queries, keys and values lie side by side.
            ([_, _, all], None, None) => all.over(&Known(3)),
            _ => return None,
        };
        let new = match call.dims(1) {
            Some([_, length, _] | [_, length, _, _, _]) => length,
            Some([_, _, length, _]) => length,
            _ => steps,
        };
        let size = hidden.over(&heads);
        let key_size = match (query, call.dims(1)) {
            ([_, _, all], Some([_, _, _])) => all.over(&heads),
            _ => size.clone(),
        };
        let is_cross = matches!(call.dims(1), Some([_, _, _, _]));
        let total = match call.dims(past) {
            Some(past) if call.has(past_length) => past.get(2)?.clone(),
            Some(past) if !is_cross => past.get(2)?.plus(new),
            _ => new.clone(),
        };
        let present = |size: Extent| Some(vec![batch.clone(), heads.clone(), total.clone(), size]);
        let output = vec![batch.clone(), steps.clone(), hidden];
        let scores = vec![batch.clone(), heads.clone(), steps.clone(), total.clone()];
        Some(vec![Some(output), present(key_size), present(size), Some(scores)])
    };
    outputs().unwrap_or_default()
}

/// `GroupQueryAttention`: fewer heads of keys and values than of queries. A cache whose length is a
/// number is taken to be written in place; one with a symbol grows by the new tokens.
pub fn group_query(call: &Call) -> Outputs {
    let outputs = || {
        let [batch, steps, all] = call.dims(0)? else { return None };
        let (heads, kv_heads) = (number(call, "num_heads"), number(call, "kv_num_heads"));
        let size = if call.has(1) { all.over(&heads) } else { all.over(&heads.plus(&kv_heads.times(&Known(2)))) };
        let stated = call.contents(6).and_then(|contents| contents.first().cloned()).unwrap_or(Open);
        let total = match call.dims(3).and_then(|past| past.get(2)) {
            Some(past) if stated != Open => past.at_least(&stated),
            Some(Known(past)) if *past > 0 => Known(*past),
            Some(past) => past.plus(steps),
            None if stated != Open => stated,
            None => steps.clone(),
        };
        let present = |input: usize| {
            let mut dims = match call.dims(input) {
                Some(past) => past.to_vec(),
                None => vec![batch.clone(), kv_heads.clone(), Open, size.clone()],
            };
            *dims.get_mut(2)? = total.clone();
            Some(dims)
        };
        let output = vec![batch.clone(), steps.clone(), heads.times(&size)];
        let scores = vec![batch.clone(), heads.clone(), steps.clone(), total.clone()];
        Some(vec![Some(output), present(3), present(4), Some(scores)])
    };
    outputs().unwrap_or_default()
}

/// `SparseAttention` and `PagedAttention`: caches of a fixed size, which are written in place.
pub fn cached(call: &Call) -> Outputs {
    let outputs = || {
        let query = call.dims(0)?;
        let (before, all) = query.split_last().map(|(last, before)| (before, last))?;
        let (heads, kv_heads) = (number(call, "num_heads"), number(call, "kv_num_heads"));
        let hidden =
            if call.has(1) { all.clone() } else { all.over(&heads.plus(&kv_heads.times(&Known(2)))).times(&heads) };
        let cache = |input: usize| call.dims(input).map(<[Extent]>::to_vec);
        Some(vec![Some([before, &[hidden]].concat()), cache(3), cache(4)])
    };
    outputs().unwrap_or_default()
}

/// `LinearAttention`: output, and the state of `kv_num_heads` matrices.
pub fn linear(call: &Call) -> Outputs {
    let outputs = || {
        let ([batch, steps, _], [_, _, keys], [_, _, values]) = (call.dims(0)?, call.dims(1)?, call.dims(2)?) else {
            return None;
        };
        let (heads, kv_heads) = (number(call, "q_num_heads"), number(call, "kv_num_heads"));
        let (key_size, value_size) = (keys.over(&kv_heads), values.over(&kv_heads));
        let state = match call.dims(3) {
            Some(past) => past.to_vec(),
            None => vec![batch.clone(), kv_heads.clone(), key_size, value_size.clone()],
        };
        let output = vec![batch.clone(), steps.clone(), heads.at_least(&kv_heads).times(&value_size)];
        Some(vec![Some(output), Some(state)])
    };
    outputs().unwrap_or_default()
}

/// `CausalConvWithState`: output, and the last values of every channel.
pub fn causal_conv(call: &Call) -> Outputs {
    let input = call.dims(0).map(<[Extent]>::to_vec);
    let state = || {
        if let Some(past) = call.dims(3) {
            return Some(past.to_vec());
        }
        let ([batch, channels, _], [.., kernel]) = (call.dims(0)?, call.dims(1)?) else { return None };
        let length = kernel.minus(&Known(1)).times(&Known(call.int("dilation").unwrap_or(1)));
        Some(vec![batch.clone(), channels.clone(), length])
    };
    vec![input, state()]
}

/// `EmbedLayerNormalization`: output, index of the mask, and the sum of embeddings.
pub fn embedding(call: &Call) -> Outputs {
    let outputs = || {
        let [batch, steps] = call.dims(0)? else { return None };
        let output = vec![batch.clone(), steps.clone(), call.dims(2)?.last()?.clone()];
        Some(vec![Some(output.clone()), Some(vec![batch.clone()]), Some(output)])
    };
    outputs().unwrap_or_default()
}
