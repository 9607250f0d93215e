//! `memplan fit --arena`: what the search counts of the arena of TensorFlow Lite Micro, and whether
//! the model with the answer stays within the memory.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use memplan_core::base::{Message, align_up};
use memplan_core::graph::Graph;
use memplan_core::problem::{Scope, Views};
use memplan_engine::api;
use memplan_fit::{Answer, Finished, Lever, Request};
use memplan_formats::import::{self, Document};
use memplan_formats::tflm::{self, ALIGN, Arena, Model, Who};
use memplan_planners::PORTFOLIO;

use super::error::{CliError, note, say_readable};
use super::input::file_bytes;

/// A `.tflite` file and its arena.
pub struct FileArena {
    data: Vec<u8>,
    model: Model,
    /// With the plan that the file has.
    stated: Arena,
    /// Whether another plan may take its place.
    is_replaceable: bool,
}

/// Bytes of an arena.
struct Need {
    head: u64,
    tail: u64,
    total: u64,
}

impl Need {
    fn of(arena: &Arena) -> Need {
        Need { head: arena.head, tail: arena.tail.bytes, total: arena.total() }
    }
}

impl FileArena {
    /// Returns what TensorFlow Lite Micro needs for a file as it is; none if it cannot be read.
    pub fn read(path: &Path) -> Option<FileArena> {
        let data = file_bytes(path).ok()?;
        let data = import::unpacked(&data).ok()?.into_owned();
        let model = Model::read(&data).ok()?;
        let plan = model.plan(&data).ok()?;
        let stated = tflm::arena(&model, plan.as_deref(), &|_, _| None).ok()?;
        let is_replaceable = tflm::check_replaceable(&model, &data).is_ok();
        Some(FileArena { data, model, stated, is_replaceable })
    }

    /// The arena for which another plan is made, or that of the file where none may be.
    fn before(&self) -> Result<Arena, Message> {
        if self.is_replaceable { tflm::arena(&self.model, None, &|_, _| None) } else { Ok(self.stated.clone()) }
    }

    /// Counts the arena in a request: the tail, and at each operator of the first subgraph its
    /// working memory and the most that the subgraphs that it runs have in use. Sizes are rounded
    /// up as there, but in stripes, whose rows are rounded apart. No output shares the storage of
    /// an input, since no kernel of TensorFlow Lite Micro gets them at one place.
    ///
    /// # Errors
    /// A graph that is not the first subgraph of the file.
    pub fn count(&self, request: &mut Request, graph: &Graph) -> Result<(), Message> {
        let mut names = graph.nodes.iter().enumerate();
        if graph.nodes.len() != self.model.operators(0)
            || names.any(|(at, node)| node.name != self.model.operator_name(0, at))
        {
            return Err(Message::new("fit.no-arena"));
        }
        let arena = self.before()?;
        request.allow.retain(|lever| !is_shared(*lever));
        request.scope.align = request.scope.align.max(ALIGN);
        if self.is_replaceable {
            request.scope.views = Views::Copy;
            request.budget.granule = (!request.has(Lever::Stripes)).then_some(ALIGN);
        }
        let budget = &mut request.budget;
        (budget.persistent, budget.scratch) = (Some(arena.tail.bytes), Some(0));
        let of_operator = arena.requests.iter().filter(|request| request.subgraph == 0);
        let scratch = of_operator.filter_map(|request| match request.who {
            Who::Scratch(operator) => Some((operator, request.size)),
            Who::Tensor(_) => None,
        });
        let inside = tflm::within_operators(&self.model)?;
        for (operator, bytes) in scratch.chain(inside).filter(|(_, bytes)| *bytes > 0) {
            *budget.by_operator.entry(self.model.operator_name(0, operator)).or_default() += bytes;
        }
        Ok(())
    }

    /// Takes an answer that fits back if the arena of the model with it does not, and tells so:
    /// the arena is that of `memplan write`.
    ///
    /// # Errors
    /// What the model needs with this answer is not known, or the answer cannot be written.
    pub fn settle(&self, answer: &mut Answer, graph: &Graph, room: u64) -> Result<(), CliError> {
        // No lever that is left out does anything for this runtime.
        let shared = || Lever::ALL.into_iter().filter(|lever| is_shared(*lever));
        answer.record.levers.retain(|row| shared().all(|lever| lever.name() != row.lever));
        let Some(finished) = answer.finished.as_ref().filter(|_| answer.record.result == "fits") else { return Ok(()) };
        let need = self.need(answer, graph, finished)?;
        if need.total > room {
            answer.take_back(need.total.saturating_sub(need.tail));
            let message = Message::new("fit.arena-more").bytes("head", need.head).bytes("tail", need.tail);
            note(&say_readable(&message.bytes("total", need.total).bytes("room", room)));
        }
        Ok(())
    }

    fn need(&self, answer: &Answer, graph: &Graph, finished: &Finished) -> Result<Need, CliError> {
        let because = |message: Message| CliError::readable(&message);
        let before = self.before().map_err(because)?;
        if !before.is_known() {
            let names = self.model.operator_names(&before.unknown);
            let unknown = Message::new("fit.arena-unsure").text("names", names);
            return Err(because(unknown.count("count", before.unknown.len() as u64)));
        }
        if !self.is_replaceable {
            return Ok(Need::of(&before));
        }
        let Ok(order) = answer.record.order_to_write(graph, &finished.graph) else {
            return self.changed(&before, finished.peak).map_err(because);
        };
        let data = match &order[..] {
            [] => Cow::Borrowed(&self.data),
            order => Cow::Owned(tflm::reorder(&self.data, 0, order).map_err(because)?),
        };
        let model = Model::read(&data).map_err(because)?;
        let alone = tflm::arena(&model, None, &|_, _| None).map_err(because)?;
        let asked = Document::Buffers(tflm::problem(&model, &alone, &graph.name));
        let ran = api::plan(&asked, PORTFOLIO, &BTreeMap::new(), &Scope::default())?;
        let offsets = tflm::offsets(&model, &alone, &ran.plan).map_err(because)?;
        Ok(Need::of(&tflm::check(&model, &offsets, &|_, _| None).map_err(because)?))
    }

    /// What a model needs after changes of its operators, whose tail is taken for that of the file.
    ///
    /// # Errors
    /// The model runs subgraphs, whose tensors the answer has no places for.
    fn changed(&self, before: &Arena, peak: u64) -> Result<Need, Message> {
        if !tflm::within_operators(&self.model)?.is_empty() {
            return Err(Message::new("fit.arena-subgraphs"));
        }
        let unused = before.requests.iter().filter(|request| request.first == -1).map(|request| request.size);
        let head = align_up(peak, ALIGN).max(unused.fold(0, u64::saturating_add));
        let tail = before.tail.bytes;
        Ok(Need { head, tail, total: head.saturating_add(tail).max(before.tail.to_load) })
    }

    /// Tells what of the arena a user has to give besides the tensors.
    pub fn tell(&self, room: u64) {
        let (model, arena) = (&self.model, &self.stated);
        let key = if arena.is_known() { "fit.arena-is" } else { "fit.arena-at-least" };
        let message = Message::new(key).bytes("head", arena.head).bytes("tail", arena.tail.bytes);
        note(&say_readable(&message.bytes("total", arena.total()).bytes("room", room)));
        if !arena.unknown.is_empty() {
            let names = model.operator_names(&arena.unknown);
            let unknown = Message::new("fit.arena-unknown").text("names", names);
            note(&say_readable(&unknown.count("count", arena.unknown.len() as u64)));
        }
    }
}

/// Whether a lever lets tensors share a storage.
fn is_shared(lever: Lever) -> bool {
    matches!(lever, Lever::InPlace | Lever::Views)
}
