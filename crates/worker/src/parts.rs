//! Long answers in parts: the page reads every message in a task of its own, and one that held a
//! whole large network would hold it up.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::message::WorkerReply;
use memplan_core::graph::{Graph, Node, Tensor};
use memplan_core::problem::Buffer;
use memplan_core::trace::Event;
use memplan_engine::{Answer, Done, Planned};

/// Items of a list that travel in one message: reading them takes the page some milliseconds.
const LENGTH: usize = 1_500;

/// Some of the items of a list.
#[derive(Debug, Serialize, Deserialize)]
pub struct Part {
    /// Number of the list in its reply.
    list: u32,
    /// Items of the whole list.
    whole: u32,
    items: Items,
}

#[derive(Debug, Serialize, Deserialize)]
enum Items {
    Tensors(Vec<Tensor>),
    Nodes(Vec<Node>),
    Buffers(Vec<Buffer>),
    Events(Vec<Event>),
}

impl Items {
    fn len(&self) -> usize {
        match self {
            Items::Tensors(items) => items.len(),
            Items::Nodes(items) => items.len(),
            Items::Buffers(items) => items.len(),
            Items::Events(items) => items.len(),
        }
    }
}

/// A list of a reply, to be emptied by the worker and filled by the page.
enum List<'a> {
    Tensors(&'a mut Vec<Tensor>),
    Nodes(&'a mut Vec<Node>),
    Buffers(&'a mut Vec<Buffer>),
    Events(&'a mut Vec<Event>),
}

/// Takes the lists that are too long for one message out of a reply and returns them in parts.
pub fn take_parts(reply: &mut WorkerReply) -> Vec<Part> {
    let mut parts = Vec::new();
    for (number, list) in (0..).zip(lists(reply)) {
        let (whole, cut) = match list {
            List::Tensors(list) => (list.len(), cut(list, Items::Tensors)),
            List::Nodes(list) => (list.len(), cut(list, Items::Nodes)),
            List::Buffers(list) => (list.len(), cut(list, Items::Buffers)),
            List::Events(list) => (list.len(), cut(list, Items::Events)),
        };
        parts.extend(cut.into_iter().map(|items| Part { list: number, whole: whole as u32, items }));
    }
    parts
}

/// The parts of a reply that have arrived.
#[derive(Debug, Default)]
pub struct Arrived {
    lists: BTreeMap<u32, Items>,
}

impl Arrived {
    /// Adds the next part.
    pub fn add(&mut self, Part { list, whole, items }: Part) {
        use Items::*;
        match (self.lists.get_mut(&list), items) {
            (Some(Tensors(known)), Tensors(more)) => known.extend(more),
            (Some(Nodes(known)), Nodes(more)) => known.extend(more),
            (Some(Buffers(known)), Buffers(more)) => known.extend(more),
            (Some(Events(known)), Events(more)) => known.extend(more),
            (_, mut first) => {
                // A list that grew would be copied again and again.
                let more = (whole as usize).saturating_sub(first.len());
                match &mut first {
                    Tensors(items) => items.reserve_exact(more),
                    Nodes(items) => items.reserve_exact(more),
                    Buffers(items) => items.reserve_exact(more),
                    Events(items) => items.reserve_exact(more),
                }
                self.lists.insert(list, first);
            }
        }
    }

    /// Puts the lists that came in parts back into their reply.
    pub fn complete(mut self, reply: &mut WorkerReply) {
        for (number, list) in (0..).zip(lists(reply)) {
            match (list, self.lists.remove(&number)) {
                (List::Tensors(list), Some(Items::Tensors(items))) => *list = items,
                (List::Nodes(list), Some(Items::Nodes(items))) => *list = items,
                (List::Buffers(list), Some(Items::Buffers(items))) => *list = items,
                (List::Events(list), Some(Items::Events(items))) => *list = items,
                _ => {}
            }
        }
    }
}

/// The lists of a reply that grow with the document, always in the same order.
fn lists(reply: &mut WorkerReply) -> Vec<List<'_>> {
    let mut lists = Vec::new();
    if let WorkerReply(Ok(Answer::Planned(done))) = reply {
        let Done { opened, planned, .. } = &mut **done;
        lists.extend(opened.iter_mut().filter_map(|opened| opened.graph.as_mut()).flat_map(of_graph));
        lists.extend(planned.iter_mut().flat_map(of_plan));
        return lists;
    }
    reply.plans_mut().into_iter().flat_map(of_plan).collect()
}

fn of_plan(planned: &mut Planned) -> impl Iterator<Item = List<'_>> {
    let own = [List::Buffers(planned.problem.buffers.items_mut()), List::Events(&mut planned.events)];
    own.into_iter().chain(planned.graph.iter_mut().flat_map(of_graph))
}

fn of_graph(graph: &mut Graph) -> [List<'_>; 2] {
    [List::Tensors(graph.tensors.items_mut()), List::Nodes(graph.nodes.items_mut())]
}

/// Empties a long list and returns what it held in parts; a short one stays where it is.
fn cut<T>(list: &mut Vec<T>, wrap: fn(Vec<T>) -> Items) -> Vec<Items> {
    if list.len() <= LENGTH {
        return Vec::new();
    }
    let mut rest = std::mem::take(list).into_iter().peekable();
    let mut parts = Vec::new();
    while rest.peek().is_some() {
        parts.push(wrap(rest.by_ref().take(LENGTH).collect()));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_engine::{Engine, NoListener, PlanTask, Request, Source, Task};

    /// A chain of so many operators, each with a result of its own.
    fn chain(length: usize) -> Vec<u8> {
        let tensors: Vec<String> = (0..=length)
            .map(|index| {
                let kind = if index == 0 { "input" } else { "intermediate" };
                format!(r#"{{"name":"t{index}","dtype":"float32","shape":[{}],"kind":"{kind}"}}"#, index % 7 + 1)
            })
            .collect();
        let nodes: Vec<String> = (0..length)
            .map(|index| {
                format!(r#"{{"name":"n{index}","op":"relu","inputs":["t{index}"],"outputs":["t{}"]}}"#, index + 1)
            })
            .collect();
        format!(
            r#"{{"format":"memory-graph/1","name":"chain","tensors":[{}],"nodes":[{}]}}"#,
            tensors.join(","),
            nodes.join(",")
        )
        .into_bytes()
    }

    fn reply(length: usize) -> WorkerReply {
        let source = Source::File { file: chain(length), choices: Default::default() };
        let task = Task::Plan(PlanTask::of("first-fit"));
        let request = Request { source, scope: Default::default(), task };
        WorkerReply(Engine::default().answer(&request, &|| 0.0, &mut NoListener))
    }

    fn bytes(reply: &WorkerReply) -> Vec<u8> {
        postcard::to_stdvec(reply).expect("plain values")
    }

    #[test]
    fn a_long_answer_arrives_whole_and_no_message_is_long() {
        let mut sent = reply(3 * LENGTH);
        let whole = bytes(&sent);
        let parts: Vec<Vec<u8>> =
            take_parts(&mut sent).iter().map(|part| postcard::to_stdvec(part).expect("plain values")).collect();
        let head = bytes(&sent);
        // Places and offsets of the plan are small: they stay.
        assert!(head.len() < whole.len() / 4, "{} of {} bytes", head.len(), whole.len());
        let longest = parts.iter().map(Vec::len).max().unwrap_or(0);
        assert!(parts.len() > 12 && longest < 300_000, "{} parts, {longest} bytes", parts.len());
        let mut arrived = Arrived::default();
        for part in &parts {
            arrived.add(postcard::from_bytes(part).expect("as sent"));
        }
        let mut received: WorkerReply = postcard::from_bytes(&head).expect("as sent");
        arrived.complete(&mut received);
        assert!(bytes(&received) == whole);
    }

    #[test]
    fn a_short_answer_is_one_message() {
        let mut sent = reply(10);
        let whole = bytes(&sent);
        assert!(take_parts(&mut sent).is_empty());
        Arrived::default().complete(&mut sent);
        assert!(bytes(&sent) == whole);
    }
}
