//! A first plan for the search to beat: buffers in several orders, each at the lowest place that is
//! free.

use std::cmp::Reverse;

use super::model::Model;

/// Offsets of all items in units with their peak, the best of several orders; the first of equals.
pub fn best(model: &Model) -> (Vec<i64>, i64) {
    let key = |order: usize, index: u32| {
        let item = &model.items[index as usize];
        let (size, length) = (item.size as u64, u64::from(item.live.1 - item.live.0));
        let value = match order {
            0 => size,
            1 => size * length,
            2 => length,
            _ => u64::MAX - u64::from(item.live.0),
        };
        // Stated positions come first: nobody else may take them.
        (item.fixed.is_none(), Reverse(value), Reverse(size), index)
    };
    let plans = (0..4).map(|order| {
        let mut items: Vec<u32> = (0..model.items.len() as u32).collect();
        items.sort_by_key(|&index| key(order, index));
        place_all(model, &items)
    });
    plans.min_by_key(|(_, peak)| *peak).unwrap_or_default()
}

/// Every item of `order` at the lowest offset that those before it leave.
pub fn place_all(model: &Model, order: &[u32]) -> (Vec<i64>, i64) {
    let mut offsets: Vec<Option<i64>> = vec![None; model.items.len()];
    let mut peak = 0;
    let mut taken: Vec<(i64, i64)> = Vec::new();
    for &index in order {
        let item = &model.items[index as usize];
        // Where this one must not start: strictly between the two.
        taken.clear();
        taken.extend(model.neighbours.of(index).iter().filter_map(|there| {
            let offset = offsets[there.item as usize]?;
            Some((offset - i64::from(there.rise), offset + i64::from(model.rise(there.item, index))))
        }));
        taken.sort_unstable();
        let mut start = 0;
        for &(from, to) in &taken {
            if start <= from {
                break;
            }
            let align = i64::from(item.align);
            start = (start.max(to) + align - 1) / align * align;
        }
        let start = item.fixed.map_or(start, i64::from);
        offsets[index as usize] = Some(start);
        peak = peak.max(start + i64::from(item.size));
    }
    (offsets.into_iter().map(Option::unwrap_or_default).collect(), peak)
}
