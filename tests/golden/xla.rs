//! XLA's heap algorithm.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use memplan::base::IdVec;
use memplan::planner::gap_fit::xla_heap::clock::{Clock, HeapEvent, IntervalId, Request};
use memplan::planner::gap_fit::xla_heap::heap::{Heap, Order, Packing, total};
use serde_json::{Value, json};

/// The recorded heaps of a dump: events, and where each buffer lies.
pub fn heaps(case: &Value) -> Result<(), String> {
    list(&case["cases"])?.iter().try_for_each(heap)
}

fn heap(case: &Value) -> Result<(), String> {
    let mut sizes = BTreeMap::new();
    for event in list(&case["events"])? {
        sizes.insert(whole(&event["buffer"])?, whole(&event["size"])?);
    }
    // Ties go by the numbers of the file.
    let ids: Vec<u64> = sizes.keys().copied().collect();
    let id = |value: &Value| -> Result<IntervalId, String> {
        let found = ids.binary_search(&whole(value)?).map_err(|_| format!("no buffer {value}"))?;
        Ok(IntervalId(found as u32))
    };
    let align = whole(&case["alignment"])?;
    let requests: IdVec<IntervalId, Request> = sizes.values().map(|&size| Request { size, align }).collect();
    let mut events = Vec::new();
    for event in list(&case["events"])? {
        let buffer = id(&event["buffer"])?;
        events.push(match event["kind"].as_str() {
            Some("ALLOC") => HeapEvent::Alloc(buffer),
            Some("SHARE_WITH") => HeapEvent::ShareWith(buffer, id(&event["with"])?),
            Some("FREE") => HeapEvent::Free(buffer),
            other => return Err(format!("event {other:?}")),
        });
    }
    let clock = Clock::new(&requests, &events);
    let limit = case["limit"].as_u64();
    let pack = |order| {
        let packing = Packing { clock: &clock, order, limit, bars: None };
        packing.run(|_| ControlFlow::Continue(())).ok_or("stopped")
    };
    let heaps: Vec<(Order, Vec<Heap>)> =
        Order::ALL.into_iter().map(|order| Ok((order, pack(order)?))).collect::<Result<_, &str>>()?;
    let totals: BTreeMap<&str, u64> = heaps.iter().map(|(order, heaps)| (order.name(), total(heaps))).collect();
    same("totals", &json!(totals), &case["totals"])?;
    // The first of equals.
    let (order, chosen) = heaps.into_iter().min_by_key(|(_, heaps)| total(heaps)).ok_or("no order")?;
    same("chosen", &json!(order.name()), &case["chosen"])?;
    let mut mine: Vec<Value> = Vec::new();
    for (number, heap) in chosen.iter().enumerate() {
        let mut offsets: BTreeMap<String, u64> =
            heap.offsets.iter().map(|&(id, offset)| (ids[id.0 as usize].to_string(), offset)).collect();
        let empty = sizes.iter().filter(|&(_, &size)| size == 0 && number == 0);
        offsets.extend(empty.map(|(id, _)| (id.to_string(), 0)));
        mine.push(json!({"size": heap.size, "offsets": offsets}));
    }
    let theirs = list(&case["heaps"])?.iter().map(|heap| json!({"size": heap["size"], "offsets": heap["offsets"]}));
    same("heaps", &mine.into(), &theirs.collect())
}

fn same(what: &str, mine: &Value, theirs: &Value) -> Result<(), String> {
    if mine == theirs { Ok(()) } else { Err(format!("{what}: {mine} instead of {theirs}")) }
}

fn list(value: &Value) -> Result<&Vec<Value>, String> {
    value.as_array().ok_or_else(|| format!("no list: {value}"))
}

fn whole(value: &Value) -> Result<u64, String> {
    value.as_u64().ok_or_else(|| format!("no whole number: {value}"))
}
