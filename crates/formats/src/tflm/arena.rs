//! What TensorFlow Lite Micro asks its planner for, and where its greedy planner puts it.

use std::collections::BTreeSet;

use super::kernels::KernelNeeds;
use super::model::{Model, Subgraph, VAR_HANDLE, rounded};
use super::tail::{Tail, tail};
use super::{Refusal, kernels};
use memplan_core::base::Message;

/// Most steps of the clock: subgraphs that run subgraphs multiply.
const MAX_CLOCK: i64 = 1_000_000;

/// Most requests looked at, over all operators that run subgraphs.
const MAX_VISITS: usize = 100_000_000;

/// How deep subgraphs may run subgraphs.
const MAX_DEPTH: usize = 64;

/// Who asks for bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Who {
    /// A tensor, by its index in the subgraph.
    Tensor(usize),
    /// The working memory of an operator, by its index in the subgraph.
    Scratch(usize),
}

/// Bytes that are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    /// Index of the subgraph.
    pub subgraph: usize,
    /// Tensor or operator.
    pub who: Who,
    /// Bytes, not rounded.
    pub bytes: u64,
    /// Bytes, rounded up to 16.
    pub size: u64,
    /// First and last time of use; -1 for what no operator that runs reaches.
    pub first: i64,
    /// See `first`.
    pub last: i64,
    /// The offset that a plan states.
    pub fixed: Option<u64>,
}

/// The arena as it will be at run time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arena {
    /// In the order in which they are asked for.
    pub requests: Vec<Request>,
    /// The offset of each.
    pub places: Vec<u64>,
    /// Bytes of the head: the part that is planned. Less than there will be if `unknown` is not
    /// empty.
    pub head: u64,
    /// `(subgraph, operator)`: operators whose working memory is not known, and is left out.
    pub unknown: Vec<(usize, usize)>,
    /// The part that is not planned.
    pub tail: Tail,
    /// `(subgraph, tensor)`: variables that get no bytes anywhere, so that their first use is a
    /// crash.
    pub lost: Vec<(usize, usize)>,
}

impl Request {
    fn meets(&self, other: &Request) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

impl Arena {
    /// The largest sum of sizes in use at one time: no plan has a smaller head.
    pub fn bound(&self) -> u64 {
        largest_load(self.requests.iter())
    }

    /// Returns the first tensor of a later subgraph that runs, is planned, and whose file leaves an
    /// extent open, as a message. Such a tensor may grow while the model runs, into what lies
    /// behind it: TensorFlow Lite Micro gives it the bytes of the extents that are stated. In the
    /// first subgraph the stated extents are those that the model runs with.
    pub fn open(&self, model: &Model) -> Option<Message> {
        let tensor = |request: &Request| match request.who {
            Who::Tensor(index) if request.subgraph > 0 && request.first != -1 => {
                Some(&model.graphs[request.subgraph].tensors[index])
            }
            _ => None,
        };
        let mut open = self.requests.iter().filter_map(tensor).filter(|tensor| tensor.is_open);
        let name = open.next()?.name.clone();
        Some(Message::new("tflm.open").name("name", name).count("count", 1 + open.count() as u64))
    }

    /// Returns the bytes of an arena in which the model can be loaded.
    pub fn total(&self) -> u64 {
        self.head.saturating_add(self.tail.bytes).max(self.tail.to_load)
    }

    /// Returns true if nothing of the total is unknown.
    pub fn is_known(&self) -> bool {
        self.unknown.is_empty() && self.tail.is_known
    }

    /// Returns what is to be said besides the bytes of the head: the operators whose working memory
    /// is not known, so that the head is a lower limit, and the tail.
    pub fn remarks(&self, model: &Model) -> Vec<Message> {
        let names = model.operator_names(&self.unknown);
        let unknown = Message::new("tflm.unknown").bytes("head", self.head).text("names", names);
        let unknown = (!self.unknown.is_empty()).then(|| unknown.count("count", self.unknown.len() as u64));
        let tail = Message::new(if self.is_known() { "tflm.tail" } else { "tflm.tail-least" });
        let tail = tail.bytes("tail", self.tail.bytes).bytes("total", self.total());
        unknown.into_iter().chain([tail]).collect()
    }

    /// Pairs of requests that share bytes while both are in use, by index.
    pub fn overlaps(&self) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (b, second) in self.requests.iter().enumerate() {
            for (a, first) in self.requests[..b].iter().enumerate() {
                let (low, high) = (self.places[a], self.places[b]);
                if first.meets(second)
                    && low < high.saturating_add(second.size)
                    && high < low.saturating_add(first.size)
                {
                    found.push((a, b));
                }
            }
        }
        found
    }
}

/// The arena of a model with these offsets, one a tensor of all subgraphs and -1 for none; `extra`
/// is working memory in bytes by subgraph and operator, in place of that of the reference kernels.
///
/// # Errors
/// A model that runs its subgraphs in a circle, or whose list of offsets has another length.
pub fn arena(
    model: &Model,
    offsets: Option<&[i32]>,
    extra: &dyn Fn(usize, usize) -> Option<Vec<u64>>,
) -> Result<Arena, Refusal> {
    let mut asked = Asked::new(model, offsets, extra)?;
    if !model.graphs.is_empty() {
        asked.walk(0, 0)?;
    }
    let all = asked.tensors.into_iter().chain(asked.scratch);
    let requests: Vec<Request> = all.filter_map(|(request, needed)| needed.then_some(request)).collect();
    let (places, head) = greedy(&requests);
    let scratch = requests.iter().filter(|request| matches!(request.who, Who::Scratch(_))).count() as u64;
    let planned = [scratch, requests.len() as u64];
    let tail = tail(model, asked.needs.iter().map(Option::as_ref), &asked.variables, planned);
    Ok(Arena { requests, places, head, unknown: asked.unknown, tail, lost: asked.lost })
}

/// Returns what the subgraphs that operators of the first subgraph run need, by the position of the
/// operator: the largest sum of sizes in use at one time, of one run of them. Every plan has room
/// for it beside what is in use around that operator, in whatever order operators run.
///
/// # Errors
/// As [`arena`].
pub fn within_operators(model: &Model) -> Result<Vec<(usize, u64)>, Refusal> {
    let mut asked = Asked::new(model, None, &|_, _| None)?;
    let mut found = Vec::new();
    let operators = model.graphs.first().map_or(&[][..], |graph| &graph.operators);
    let running = operators.iter().enumerate().filter(|(_, operator)| !operator.runs.is_empty());
    if running.clone().count().saturating_mul(asked.tensors.len() + asked.scratch.len()) > MAX_VISITS {
        return Err(Message::new("tflm.circle"));
    }
    for (number, operator) in running {
        for (request, _) in asked.tensors.iter_mut().chain(&mut asked.scratch) {
            (request.first, request.last) = (-1, -1);
        }
        for &run in operator.runs.iter().filter(|&&run| run != -1) {
            asked.clock += 1;
            asked.walk(run as usize, 1)?;
        }
        let used =
            asked.tensors.iter().chain(&asked.scratch).filter(|(request, needed)| *needed && request.first != -1);
        found.push((number, largest_load(used.map(|(request, _)| request))));
    }
    Ok(found)
}

fn largest_load<'r>(requests: impl Iterator<Item = &'r Request>) -> u64 {
    let mut edges: Vec<(i64, bool, u64)> = Vec::new();
    for request in requests {
        edges.push((request.first, true, request.size));
        edges.push((request.last + 1, false, request.size));
    }
    // Ends before beginnings.
    edges.sort_unstable_by_key(|&(time, begins, _)| (time, begins));
    let (mut bytes, mut most) = (0u64, 0);
    for (_, begins, size) in edges {
        bytes = if begins { bytes.saturating_add(size) } else { bytes.saturating_sub(size) };
        most = most.max(bytes);
    }
    most
}

struct Asked<'a> {
    graphs: &'a [Subgraph],
    /// Index of the first tensor of each subgraph.
    base: Vec<usize>,
    tensors: Vec<(Request, bool)>,
    scratch: Vec<(Request, bool)>,
    lost: Vec<(usize, usize)>,
    unknown: Vec<(usize, usize)>,
    /// Bytes of variables in the tail.
    variables: Vec<u64>,
    /// What the kernel of each operator asks for, subgraph by subgraph.
    needs: Vec<Option<KernelNeeds>>,
    clock: i64,
}

impl<'a> Asked<'a> {
    fn new(
        model: &'a Model,
        offsets: Option<&[i32]>,
        extra: &dyn Fn(usize, usize) -> Option<Vec<u64>>,
    ) -> Result<Asked<'a>, Refusal> {
        let mut asked = Asked {
            graphs: &model.graphs,
            base: Vec::new(),
            tensors: Vec::new(),
            scratch: Vec::new(),
            lost: Vec::new(),
            unknown: Vec::new(),
            variables: Vec::new(),
            needs: Vec::new(),
            clock: 0,
        };
        if let Some(stated) = offsets.map(<[i32]>::len).filter(|length| *length != model.tensors()) {
            return Err(Message::new("tflm.count").count("stated", stated as u64).count("tensors", model.tensors()));
        }
        for (subgraph, graph) in model.graphs.iter().enumerate() {
            asked.base.push(asked.tensors.len());
            // A kernel gives the name of a variable its bytes.
            let handles = graph.operators.iter().filter(|operator| operator.code == VAR_HANDLE);
            let handles: BTreeSet<i32> = handles.flat_map(|operator| operator.outputs.iter().copied()).collect();
            for (index, tensor) in graph.tensors.iter().enumerate() {
                let offset = offsets.map_or(-1, |offsets| offsets[asked.tensors.len()]);
                // Where variables get their bytes, the list is read by the index inside the
                // subgraph, whichever it is.
                let in_tail = tensor.is_variable && offsets.is_none_or(|offsets| offsets[index] == -1);
                asked.variables.extend(in_tail.then_some(tensor.bytes));
                let is_planned = tensor.is_variable && offset != -1;
                let has_bytes = tensor.is_constant || tensor.is_variable || handles.contains(&(index as i32));
                let needed = is_planned || !has_bytes && tensor.bytes != 0;
                if tensor.is_variable && !in_tail && !needed && tensor.bytes != 0 {
                    asked.lost.push((subgraph, index));
                }
                let fixed = u64::try_from(offset).ok();
                asked.tensors.push((request(subgraph, Who::Tensor(index), tensor.bytes, fixed), needed));
            }
        }
        for (subgraph, graph) in model.graphs.iter().enumerate() {
            for (index, operator) in graph.operators.iter().enumerate() {
                let needs = kernels::needs(graph, operator);
                let own = extra(subgraph, index).or_else(|| Some(needs.as_ref()?.scratch.clone()));
                match own {
                    Some(own) => asked.scratch.extend(
                        own.into_iter().map(|bytes| (request(subgraph, Who::Scratch(index), bytes, None), true)),
                    ),
                    None => asked.unknown.push((subgraph, index)),
                }
                asked.needs.push(needs);
            }
        }
        Ok(asked)
    }

    fn tensor(&mut self, subgraph: usize, index: i32) -> &mut Request {
        // Indices were checked when the model was read.
        &mut self.tensors[self.base[subgraph] + index as usize].0
    }

    fn begins(&mut self, subgraph: usize, index: i32) {
        let clock = self.clock;
        let request = self.tensor(subgraph, index);
        if request.first == -1 {
            request.first = clock;
        }
    }

    fn is_used(&mut self, subgraph: usize, index: i32) {
        self.tensor(subgraph, index).last = self.clock;
    }

    fn walk(&mut self, subgraph: usize, depth: usize) -> Result<(), Refusal> {
        if depth > self.graphs.len().min(MAX_DEPTH) || self.clock > MAX_CLOCK {
            return Err(Message::new("tflm.circle"));
        }
        let graphs = self.graphs;
        let graph = &graphs[subgraph];
        for &index in &graph.inputs {
            self.begins(subgraph, index);
            self.is_used(subgraph, index);
        }
        for (number, operator) in graph.operators.iter().enumerate() {
            self.clock += 1;
            let start = self.clock;
            operator.outputs.iter().for_each(|&index| self.begins(subgraph, index));
            for &run in operator.runs.iter().filter(|&&run| run != -1) {
                self.clock += 1;
                self.walk(run as usize, depth + 1)?;
            }
            let read = operator.inputs.iter().filter(|&&index| index >= 0);
            read.chain(&operator.outputs).for_each(|&index| self.is_used(subgraph, index));
            let clock = self.clock;
            let own = |request: &&mut (Request, bool)| {
                (request.0.subgraph, request.0.who) == (subgraph, Who::Scratch(number))
            };
            for (request, _) in self.scratch.iter_mut().filter(own) {
                if request.first == -1 {
                    request.first = start;
                }
                request.last = clock;
            }
        }
        for &index in &graph.outputs {
            self.begins(subgraph, index);
            self.is_used(subgraph, index);
        }
        Ok(())
    }
}

fn request(subgraph: usize, who: Who, bytes: u64, fixed: Option<u64>) -> Request {
    Request { subgraph, who, bytes, size: rounded(bytes), first: -1, last: -1, fixed }
}

/// The greedy planner: what is fixed first, then the largest; of equal ones the one asked for last.
/// Each goes to the lowest gap between what is in use at the same time.
fn greedy(requests: &[Request]) -> (Vec<u64>, u64) {
    let (fixed, mut free): (Vec<usize>, Vec<usize>) = (0..requests.len()).partition(|&at| requests[at].fixed.is_some());
    free.reverse();
    free.sort_by_key(|&at| std::cmp::Reverse(requests[at].size));
    let mut placed: Vec<(usize, u64)> = Vec::new();
    let mut places = vec![0; requests.len()];
    for at in fixed.into_iter().chain(free) {
        let request = &requests[at];
        let place = request.fixed.unwrap_or_else(|| gap(requests, request, &placed));
        places[at] = place;
        // Behind all with an offset that is not larger.
        let behind = placed.partition_point(|&(_, offset)| offset <= place);
        placed.insert(behind, (at, place));
    }
    let ends = requests.iter().zip(&places).map(|(request, place)| place.saturating_add(request.size));
    (places.clone(), ends.max().unwrap_or(0))
}

fn gap(requests: &[Request], request: &Request, placed: &[(usize, u64)]) -> u64 {
    let (mut place, mut before): (u64, Option<u64>) = (0, None);
    for &(other, offset) in placed.iter().filter(|&&(other, _)| requests[other].meets(request)) {
        if let Some(end) = before {
            place = end.max(place);
        }
        if offset.checked_sub(place).is_some_and(|room| room >= request.size) {
            return place;
        }
        before = Some(offset.saturating_add(requests[other].size));
    }
    before.map_or(place, |end| end.max(place))
}
