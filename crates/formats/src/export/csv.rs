//! Buffers, with or without a plan, as CSV (docs/buffer-csv.md): opens in MiniMalloc and in
//! spreadsheets.

use std::collections::{HashMap, HashSet};

use memplan_core::base::IdVec;
use memplan_core::base::shown::csv_field;
use memplan_core::graph::Kind;
use memplan_core::plan::{Plan, Pool, PoolId};
use memplan_core::problem::{Buffer, BufferId, Gap, Memory, MemoryId, Problem};

/// What an empty `pool` cell stands for.
const DEFAULT_DEVICE: &str = "cpu";

/// The file text: `id,lower,upper,size`, `upper` exclusive, and of
/// `alignment,gaps,pool,kind,offset,shares,quirks,memory` the columns that are not empty or default
/// throughout. With a plan, exactly the buffers that it places, each with its offset.
pub fn csv(problem: &Problem, plan: Option<&Plan>) -> String {
    let placed = |id: &BufferId| plan.is_none_or(|plan| plan.places[*id].is_some());
    let rows: Vec<BufferId> = problem.buffers.ids().filter(placed).collect();
    let offset = |id: BufferId| match plan {
        Some(plan) => plan.places[id].map(|place| place.offset),
        None => problem.buffers[id].fixed,
    };
    let pools = pools(problem, plan);
    let has_align = rows.iter().any(|&id| problem.buffers[id].align != 1);
    let has_gaps = rows.iter().any(|&id| !problem.buffers[id].gaps.is_empty());
    let has_pool = rows.iter().any(|id| pools[*id] != DEFAULT_DEVICE);
    let has_kind = rows.iter().any(|&id| problem.buffers[id].kind != Kind::Intermediate);
    let has_offset = plan.is_some() || rows.iter().any(|&id| offset(id).is_some());
    let donors = donors(problem, plan);
    let quirks = quirk_words(problem, plan);
    let memories = memories(problem, plan);

    let columns = [
        ("id", true),
        ("lower", true),
        ("upper", true),
        ("size", true),
        ("alignment", has_align),
        ("gaps", has_gaps),
        ("pool", has_pool),
        ("kind", has_kind),
        ("offset", has_offset),
        ("shares", !donors.is_empty()),
        ("quirks", !quirks.is_empty()),
        ("memory", memories.is_some()),
    ];
    let mut table = Table::default();
    let mut write = |cells: [&str; 12]| {
        table.row(cells.into_iter().zip(columns).filter(|(_, (_, wanted))| *wanted).map(|(cell, _)| cell));
    };
    write(columns.map(|(name, _)| name));
    for id in rows {
        let buffer = &problem.buffers[id];
        let (lower, upper) = (buffer.live.start.to_string(), buffer.live.end.to_string());
        let (size, align) = (buffer.size.to_string(), buffer.align.to_string());
        let offset = offset(id).map_or_else(String::new, |offset| offset.to_string());
        let gaps = gap_words(buffer, 0);
        let (kind, donor) = (buffer.kind.name(), donors.get(&id).copied().unwrap_or_default());
        let quirk = quirks.get(&id).map_or("", String::as_str);
        let memory = memories.as_ref().map_or("", |memories| &memories[id]);
        write([&buffer.name, &lower, &upper, &size, &align, &gaps, &pools[id], kind, &offset, donor, quirk, memory]);
    }
    table.text()
}

/// Rows of a CSV in the making.
#[derive(Default)]
pub struct Table(String);

impl Table {
    /// Adds a row. Cells of text never begin as formulas do; numbers stay as they are.
    pub fn row<C: AsRef<str>>(&mut self, cells: impl Iterator<Item = C>) {
        for (index, cell) in cells.enumerate() {
            if index > 0 {
                self.0.push(',');
            }
            self.0.push_str(&csv_field(cell.as_ref()));
        }
        self.0.push('\n');
    }

    /// The rows so far.
    pub fn text(self) -> String {
        self.0
    }
}

/// The name of the buffer whose storage each acceptor takes over in place.
pub fn donors<'a>(problem: &'a Problem, plan: Option<&Plan>) -> HashMap<BufferId, &'a str> {
    let shared = plan.map_or(&[][..], |plan| &plan.shared);
    shared.iter().map(|&(acceptor, donor)| (acceptor, problem.buffers[donor].name.as_str())).collect()
}

/// `kind:name` of the overlaps that the original makes too, separated by blanks: in the row of one
/// buffer, by the name of the other.
pub fn quirk_words(problem: &Problem, plan: Option<&Plan>) -> HashMap<BufferId, String> {
    let mut words: HashMap<BufferId, String> = HashMap::new();
    let quirks = plan.into_iter().flat_map(|plan| plan.quirks.iter().map(move |quirk| (plan, quirk)));
    for (_, quirk) in quirks.filter(|(plan, quirk)| plan.places[quirk.a].is_some() && plan.places[quirk.b].is_some()) {
        let cell = words.entry(quirk.a).or_default();
        if !cell.is_empty() {
            cell.push(' ');
        }
        cell.push_str(quirk.kind.name());
        cell.push(':');
        for letter in problem.buffers[quirk.b].name.chars() {
            // Blanks separate, and a name may hold any.
            match letter {
                '%' => cell.push_str("%25"),
                letter if letter.is_ascii_whitespace() => cell.push_str(&format!("%{:02X}", letter as u32)),
                letter => cell.push(letter),
            }
        }
    }
    words
}

/// `a-b` or `a-b@low:high`, separated by blanks; `b` is this number of steps before the end.
pub fn gap_words(buffer: &Buffer, before: u32) -> String {
    let text = |gap: &Gap| {
        let Gap { live, window } = gap;
        let window = window.map_or_else(String::new, |(low, high)| format!("@{low}:{high}"));
        format!("{}-{}{window}", live.start, live.end.saturating_sub(before))
    };
    buffer.gaps.iter().map(text).collect::<Vec<_>>().join(" ")
}

/// The `pool` cell of each buffer: its memory, unless a plan divides memories into pools.
pub fn pools(problem: &Problem, plan: Option<&Plan>) -> IdVec<BufferId, String> {
    let labels = divides(problem, plan).map(|plan| (plan, labels(&plan.pools)));
    let of_buffer = |id: BufferId| match &labels {
        Some((plan, labels)) => plan.places[id].map_or_else(String::new, |place| labels[place.pool].clone()),
        None => memory_words(&problem.memories[problem.buffers[id].memory]),
    };
    problem.buffers.ids().map(of_buffer).collect()
}

/// The memory of each buffer, where a plan divides memories into pools.
pub fn memories(problem: &Problem, plan: Option<&Plan>) -> Option<IdVec<BufferId, String>> {
    let words = |buffer: &Buffer| memory_words(&problem.memories[buffer.memory]);
    divides(problem, plan).map(|_| problem.buffers.iter().map(words).collect())
}

fn divides<'a>(problem: &Problem, plan: Option<&'a Plan>) -> Option<&'a Plan> {
    plan.filter(|plan| !pools_are_memories(problem, plan))
}

fn pools_are_memories(problem: &Problem, plan: &Plan) -> bool {
    let mut memory_of: HashMap<PoolId, MemoryId> = HashMap::new();
    let mut pool_of: HashMap<MemoryId, PoolId> = HashMap::new();
    plan.places.enumerate().filter_map(|(id, place)| Some((problem.buffers[id].memory, place.as_ref()?.pool))).all(
        |(memory, pool)| {
            *memory_of.entry(pool).or_insert(memory) == memory && *pool_of.entry(memory).or_insert(pool) == pool
        },
    )
}

/// A different word for every pool: its name where names differ, else its device and number.
fn labels(pools: &IdVec<PoolId, Pool>) -> IdVec<PoolId, String> {
    let names: HashSet<&str> = pools.iter().map(|pool| pool.name.as_str()).collect();
    if names.len() == pools.len() && !names.contains("") {
        return pools.iter().map(|pool| pool.name.clone()).collect();
    }
    pools.enumerate().map(|(id, pool)| format!("{}/{}", pool.device, id.0)).collect()
}

/// A device, the number of an arena on the default device, or `device/number`.
fn memory_words(memory: &Memory) -> String {
    match (memory.device.as_str(), memory.mem_id) {
        (device, None) => device.to_string(),
        (DEFAULT_DEVICE, Some(id)) => id.to_string(),
        (device, Some(id)) => format!("{device}/{id}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Answers, Document, read};
    use memplan_core::plan::{Place, PoolRole, check};
    use memplan_core::problem::Live;

    fn reread(text: &str) -> Document {
        read(text.as_bytes(), Answers::default()).unwrap_or_else(|faults| panic!("{faults:?}\n{text}")).document
    }

    fn problem(memories: &[(&str, Option<u32>)], buffers: &[(u64, u32)]) -> Problem {
        let buffer = |(index, &(size, memory)): (usize, &(u64, u32))| Buffer {
            memory: MemoryId(memory),
            ..Buffer::of(format!("b{index}"), size, Live::new(index as u32, index as u32 + 2))
        };
        let memory = |&(device, mem_id): &(&str, Option<u32>)| Memory { device: device.into(), mem_id };
        Problem {
            buffers: buffers.iter().enumerate().map(buffer).collect(),
            memories: memories.iter().map(memory).collect(),
            steps: buffers.len() as u32 + 1,
            ..Problem::default()
        }
    }

    fn pool(name: &str, size: u64, device: &str) -> Pool {
        Pool { name: name.into(), size, device: device.into(), role: PoolRole::Arena }
    }

    fn place(pool: u32, offset: u64) -> Option<Place> {
        Some(Place { pool: PoolId(pool), offset })
    }

    #[test]
    fn only_columns_that_say_something_are_written() {
        let mut problem = problem(&[("cpu", None)], &[(8, 0), (16, 0)]);
        assert_eq!(csv(&problem, None), "id,lower,upper,size\nb0,0,2,8\nb1,1,3,16\n");
        assert_eq!(reread(&csv(&problem, None)), Document::Buffers(problem.clone()));
        problem.buffers[BufferId(0)].align = 64;
        problem.buffers[BufferId(1)].kind = Kind::Output;
        problem.buffers[BufferId(1)].fixed = Some(32);
        problem.buffers[BufferId(1)].name = "with, comma and \"quotes\"".into();
        let text = csv(&problem, None);
        assert!(text.starts_with("id,lower,upper,size,alignment,kind,offset\nb0,0,2,8,64,intermediate,\n"), "{text}");
        assert_eq!(reread(&text), Document::Buffers(problem));
    }

    #[test]
    fn memories_are_named_in_the_pool_column() {
        let memories = [("cuda:0", None), ("cpu", Some(2)), ("cuda:0", Some(1)), ("cpu", None)];
        let problem = problem(&memories, &[(8, 0), (16, 1), (4, 2), (2, 3)]);
        let text = csv(&problem, None);
        assert_eq!(text.lines().nth(3), Some("b2,2,4,4,cuda:0/1"));
        assert_eq!(reread(&text), Document::Buffers(problem));
    }

    #[test]
    fn a_plan_is_written_with_its_offsets() {
        let mut problem = problem(&[("gpu", None), ("cpu", Some(1))], &[(8, 0), (16, 1), (8, 0)]);
        let plan = Plan {
            pools: vec![pool("gpu", 8, "gpu"), pool("1", 20, "cpu")].into(),
            places: vec![place(0, 0), place(1, 4), place(0, 0)].into(),
            ..Plan::default()
        };
        let text = csv(&problem, Some(&plan));
        assert_eq!(text.lines().nth(2), Some("b1,1,3,16,1,4"));
        for (id, place) in plan.places.enumerate() {
            problem.buffers[id].fixed = place.map(|place| place.offset);
        }
        assert_eq!(reread(&text), Document::Plan(problem, plan));
    }

    #[test]
    fn gaps_are_written_as_they_are_read() {
        let mut problem = problem(&[("cpu", None)], &[(8, 0), (16, 0)]);
        let gap = |start, end, window| Gap { live: Live::new(start, end), window };
        problem.buffers[BufferId(1)].gaps = vec![gap(1, 2, None), gap(2, 3, Some((4, 12)))];
        let text = csv(&problem, None);
        assert_eq!(text, "id,lower,upper,size,gaps\nb0,0,2,8,\nb1,1,3,16,1-2 2-3@4:12\n");
        assert_eq!(reread(&text), Document::Buffers(problem.clone()));
        // Last steps are included in the other dialect.
        let times = crate::export::csv_times(&problem, None);
        assert_eq!(times, "tensor_name,size,start_time,end_time,gaps\nb0,8,0,1,\nb1,16,1,2,1-1 2-2@4:12\n");
        assert_eq!(reread(&times), Document::Buffers(problem));
    }

    #[test]
    fn pools_of_one_memory_stay_apart() {
        let problem = problem(&[("cpu", None)], &[(8, 0), (16, 0), (4, 0)]);
        for (names, expected) in [(["p0", "p1"], "p1"), (["p", "p"], "cpu/1")] {
            let plan = Plan {
                pools: vec![pool(names[0], 8, "cpu"), pool(names[1], 16, "cpu")].into(),
                places: vec![place(0, 0), place(1, 0), None].into(),
                ..Plan::default()
            };
            let text = csv(&problem, Some(&plan));
            assert_eq!(
                text,
                format!(
                    "id,lower,upper,size,pool,offset,memory\nb0,0,2,8,{},0,cpu\nb1,1,3,16,{expected},0,cpu\n",
                    if expected == "p1" { "p0" } else { "cpu/0" }
                )
            );
            let Document::Plan(again, read) = reread(&text) else { panic!("a plan") };
            assert_eq!((check(&again, &read), read.pools.len(), again.memories.len()), (vec![], 2, 1));
        }
    }
}
