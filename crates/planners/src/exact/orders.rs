//! The orders in which buffers are tried at equal offsets. A word of letters is compared letter by
//! letter, larger first; the last tie is the index.

use super::model::Model;

/// Words in the order in which a race runs them. T is the load around a buffer, W its length, A
/// size times length, Z its size.
pub const WORDS: [&str; 3] = memplan_core::trace::SEARCH_ORDERS;

/// Items of a part, in the order of a word whose first letter is multiplied by `scales`, in
/// 65,536ths by item, unless that is empty. `totals` is what is still to be placed in each section.
pub fn rank(
    model: &Model,
    order: usize,
    scales: &[u32],
    totals: &[i32],
    members: &mut Vec<(Key, u32)>,
    items: impl Iterator<Item = u32>,
) {
    members.clear();
    members.extend(items.map(|item| (key(model, order, scales, totals, item), item)));
    members.sort_unstable();
}

/// Buffers and sections that [`rank`] looks at.
pub fn work(model: &Model, order: usize, members: &[(Key, u32)]) -> u64 {
    let reach = |item: u32| model.items[item as usize].reach;
    let sections = |&(_, item): &(Key, u32)| u64::from(reach(item).1 - reach(item).0);
    let by_load = if WORDS[order].contains('T') { members.iter().map(sections).sum() } else { 0 };
    members.len() as u64 + by_load
}

/// Values of the letters, made smaller for larger ones; unused ones are 0.
pub type Key = [u64; 3];

fn key(model: &Model, order: usize, scales: &[u32], totals: &[i32], index: u32) -> Key {
    let item = &model.items[index as usize];
    let length = u64::from(item.live.1 - item.live.0);
    let value = |letter: u8| match letter {
        b'A' => item.size as u64 * length,
        b'T' => {
            let pieces = model.pieces.of(index).iter();
            let sections = pieces.flat_map(|piece| &totals[piece.from as usize..piece.to as usize]);
            sections.copied().max().unwrap_or(0) as u64
        }
        b'W' => length,
        _ => item.size as u64,
    };
    let mut key = [0; 3];
    key.iter_mut().zip(WORDS[order].bytes()).for_each(|(slot, letter)| *slot = u64::MAX - value(letter));
    if let Some(scale) = scales.get(index as usize) {
        key[0] = u64::MAX - ((u128::from(u64::MAX - key[0]) * u128::from(*scale)) >> 16) as u64;
    }
    key
}
