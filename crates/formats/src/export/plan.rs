//! A plan as `memory-plan/1` JSON (docs/memory-plan.md).

use std::iter;

use serde::Serialize;

use super::{json, list, member};
use memplan_core::plan::PlanFile;

/// The file text of a plan, one pool or buffer a line.
pub fn plan(file: &PlanFile) -> String {
    plan_pieces(file, file.buffers.iter()).collect()
}

/// The same piece by piece, with these buffers in place of those of `file`: a million need not be
/// there at once.
pub fn plan_pieces<T: Serialize>(file: &PlanFile, buffers: impl Iterator<Item = T>) -> impl Iterator<Item = String> {
    let mut head = format!("{{\"format\":{}", json(&file.format));
    member(&mut head, "graph", &file.graph);
    member(&mut head, "planner", &file.planner);
    file.planner_name.iter().for_each(|name| member(&mut head, "planner_name", name));
    member(&mut head, "options", &file.options);
    member(&mut head, "steps", &file.steps);
    file.order.iter().for_each(|order| member(&mut head, "order", order));
    if file.returned {
        member(&mut head, "returned", &file.returned);
    }
    list(&mut head, "pools", file.pools.iter());
    head.push_str(",\n\"buffers\":[");
    let mut tail = String::from("\n]");
    list(&mut tail, "unplanned", file.unplanned.iter());
    if !file.quirks.is_empty() {
        list(&mut tail, "quirks", file.quirks.iter());
    }
    member(&mut tail, "metrics", &file.metrics);
    tail.push_str("\n}\n");
    let lines = buffers.enumerate().map(|(index, buffer)| {
        let mut line = String::from(if index == 0 { "\n" } else { ",\n" });
        line.push_str(&json(&buffer));
        line
    });
    iter::once(head).chain(lines).chain(iter::once(tail))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::import::{Answers, Document, read};
    use memplan_core::base::IdVec;
    use memplan_core::graph::Kind;
    use memplan_core::plan::{Place, Plan, Pool, PoolId, PoolRole, Quirk, QuirkKind, Unplanned};
    use memplan_core::problem::{Buffer, BufferId, Live, Memory, MemoryId, Order, Problem};

    fn buffer(name: &str, live: Live, memory: u32, align: u64, kind: Kind) -> Buffer {
        let memory = MemoryId(memory);
        Buffer {
            name: name.into(),
            size: 8,
            live,
            align,
            memory,
            kind,
            fixed: None,
            gaps: vec![],
            tensors: vec![],
            stack: None,
            kernel: None,
        }
    }

    #[test]
    fn what_is_written_reads_back_equal() {
        let buffers = vec![
            buffer("a, \"b\"", Live::new(0, 2), 0, 1, Kind::Input),
            buffer("c", Live::new(1, 3), 0, 64, Kind::Output),
            buffer("d", Live::new(1, 2), 1, 1, Kind::Intermediate),
            buffer("e", Live::new(0, 5), 0, 1, Kind::Intermediate),
        ];
        let memory = |device: &str| Memory { device: device.into(), mem_id: None };
        let problem = Problem {
            name: "four".into(),
            buffers: buffers.into(),
            memories: vec![memory("cpu"), memory("gpu")].into(),
            steps: 7,
            order: Some(Order { nodes: ["n1", "n0"].map(String::from).into(), search: None }),
            ..Problem::default()
        };
        let pool =
            |device: &str, size| Pool { name: "arena".into(), size, device: device.into(), role: PoolRole::Arena };
        let place = |pool, offset| Some(Place { pool: PoolId(pool), offset });
        let plan_ = Plan {
            pools: vec![pool("cpu", 8), pool("gpu", 16)].into(),
            places: IdVec::from(vec![place(0, 0), place(0, 0), place(1, 8), None]),
            unplanned: vec![(BufferId(3), Unplanned::StatedByFile)],
            shared: vec![(BufferId(1), BufferId(0))],
            quirks: vec![Quirk { kind: QuirkKind::UncountedAlias, a: BufferId(0), b: BufferId(2) }],
            ..Plan::default()
        };
        let options = BTreeMap::from([("tie".to_string(), "size".to_string())]);
        let file = PlanFile::new(&problem, &plan_, "first-fit", options, |message| message.key.to_string());
        let file = file.called(Some("mine.rhai"));
        let text = plan(&file);
        assert_eq!(serde_json::from_str::<PlanFile>(&text).ok().as_ref(), Some(&file));
        let read = read(text.as_bytes(), Answers::default()).unwrap_or_else(|faults| panic!("{faults:?}"));
        let mut written = Document::Plan(problem, plan_);
        written.count_handed_bytes_once();
        assert_eq!(read.document, written);
        assert_eq!(read.warnings, []);
        assert_eq!(text.lines().filter(|line| line.starts_with("{\"name\":")).count(), 4, "one buffer a line");
    }
}
