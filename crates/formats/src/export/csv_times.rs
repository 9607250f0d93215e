//! Buffers as `tensor_name,size,offset,start_time,end_time`, the columns that home-made planners
//! print.

use super::csv::{Table, donors, gap_words, memories, pools, quirk_words};
use memplan_core::plan::Plan;
use memplan_core::problem::{BufferId, Problem};

/// The file text. `end_time` is the last step of a life. With a plan, exactly the buffers that it
/// places. The column `offset` is left out when no buffer has one. Other columns are added where
/// they say something: `gaps` in lives, with their last steps; `pool` when there are several,
/// because offsets in different pools are no collisions, and `memory` when those divide one;
/// `shares` when storage is taken over in place; and `quirks` when the original's own overlaps are
/// named. Alignments and kinds have no column.
pub fn csv_times(problem: &Problem, plan: Option<&Plan>) -> String {
    let placed = |id: &BufferId| plan.is_none_or(|plan| plan.places[*id].is_some());
    let rows: Vec<BufferId> = problem.buffers.ids().filter(placed).collect();
    let offset = |id: BufferId| match plan {
        Some(plan) => plan.places[id].map(|place| place.offset),
        None => problem.buffers[id].fixed,
    };
    let pools = pools(problem, plan);
    let has_offset = plan.is_some() || rows.iter().any(|&id| offset(id).is_some());
    let has_pool = rows.iter().any(|id| Some(&pools[*id]) != rows.first().map(|first| &pools[*first]));
    let donors = donors(problem, plan);
    let quirks = quirk_words(problem, plan);
    let memories = memories(problem, plan);
    let columns = [
        ("tensor_name", true),
        ("size", true),
        ("offset", has_offset),
        ("start_time", true),
        ("end_time", true),
        ("gaps", rows.iter().any(|&id| !problem.buffers[id].gaps.is_empty())),
        ("pool", has_pool),
        ("shares", !donors.is_empty()),
        ("quirks", !quirks.is_empty()),
        ("memory", memories.is_some()),
    ];
    let mut table = Table::default();
    let mut write = |cells: [&str; 10]| {
        table.row(cells.into_iter().zip(columns).filter(|(_, (_, wanted))| *wanted).map(|(cell, _)| cell));
    };
    write(columns.map(|(name, _)| name));
    for id in rows {
        let buffer = &problem.buffers[id];
        let (start, last) = (buffer.live.start.to_string(), buffer.live.end.saturating_sub(1).to_string());
        let offset = offset(id).map_or_else(String::new, |offset| offset.to_string());
        let donor = donors.get(&id).copied().unwrap_or_default();
        let quirk = quirks.get(&id).map_or("", String::as_str);
        let memory = memories.as_ref().map_or("", |memories| &memories[id]);
        let (size, gaps) = (buffer.size.to_string(), gap_words(buffer, 1));
        write([&buffer.name, &size, &offset, &start, &last, &gaps, &pools[id], donor, quirk, memory]);
    }
    table.text()
}
