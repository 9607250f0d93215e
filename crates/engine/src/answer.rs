//! What the engine returns: a document, its plan, or why there is none.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::diagram::Diagram;
use super::link::Carried;
use memplan_core::base::Message;
use memplan_core::graph::{Fault, Graph};
use memplan_core::plan::{Metrics, Plan};
use memplan_core::problem::{BufferId, Problem};
use memplan_core::text::Locale;
use memplan_core::trace::Event;
use memplan_formats::import::{Format, Question};
use memplan_planners::{PlanError, origin};
use memplan_replay::{Run, TimelineBuilder};

/// The answer to a [`PlanTask`](super::PlanTask).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Done {
    /// The document, unless the request kept the one before.
    pub opened: Option<Opened>,
    /// The plan, or why there is none: the document is open all the same.
    pub planned: Result<Planned, NoPlan>,
    /// The diagram, if the request asked for one; none for a document without a graph or with too
    /// large a one.
    pub diagram: Option<Diagram>,
}

/// A document that was opened.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Opened {
    /// Name of the graph or list; empty if the file states none.
    pub name: String,
    /// Format of the file.
    pub format: Format,
    /// The graph; none for a list of buffers.
    pub graph: Option<Graph>,
    /// Whether the file holds a plan of its own.
    pub has_plan: bool,
    /// Memories whose allocator the file records, so that other settings can be tried.
    pub recorded: Vec<u32>,
    /// What was found out about the file while it was read.
    pub facts: Vec<Message>,
    /// What may be wrong with the file.
    pub warnings: Vec<Fault>,
    /// What the file leaves open.
    pub questions: Vec<Question>,
    /// The document as a file, if it came as a draft or in a link.
    #[serde(with = "serde_bytes")]
    pub written: Option<Vec<u8>>,
    /// The document as text for a link, if it is short enough for one.
    pub packed: Carried,
}

/// Why a document that is open has no plan.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NoPlan {
    /// The reason as a message.
    pub why: Message,
    /// Buffers of the problem that do not fit into the capacity asked for; empty for any other
    /// reason.
    pub conflict: Vec<BufferId>,
}

impl From<Message> for NoPlan {
    fn from(why: Message) -> NoPlan {
        NoPlan { why, conflict: Vec::new() }
    }
}

impl From<PlanError> for NoPlan {
    fn from(error: PlanError) -> NoPlan {
        NoPlan { why: error.message(), conflict: error.conflict().to_vec() }
    }
}

/// Events of a plan that the page adds up in one task.
const SHARE: usize = 50_000;

/// A plan with its events.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Planned {
    /// Id of the planner that was used.
    pub planner: String,
    /// The buffers that were planned.
    pub problem: Problem,
    /// The graph in the order in which its nodes run, if that is not the order of the file.
    pub graph: Option<Graph>,
    /// Where the buffers lie.
    pub plan: Plan,
    /// Figures of the plan.
    #[serde(with = "memplan_core::plan::whole_metrics")]
    pub metrics: Metrics,
    /// How the planner came to the plan.
    pub events: Vec<Event>,
    /// The planner's own alignment in bytes.
    pub align: u64,
    /// Rules that the plan breaks, without the quirks of the original system.
    pub violations: Vec<Message>,
    /// Pairs of buffers that hold the same bytes at the same step, those of the original system
    /// included.
    pub collisions: Vec<(BufferId, BufferId)>,
    /// The decisions whose candidates were recorded, if not those at the beginning.
    pub window: Option<(u32, u32)>,
    /// The timeline of the events, as far as it has been worked out; `events` is empty then.
    #[serde(skip)]
    pub builder: Option<TimelineBuilder>,
}

impl Planned {
    /// Goes on with the timeline by a share of the events and returns whether there are more. The
    /// page does this in tasks of their own, before it makes a run of the plan.
    pub fn build_timeline(&mut self) -> bool {
        let begin = || TimelineBuilder::new(std::mem::take(&mut self.events), &self.problem);
        self.builder.get_or_insert_with(begin).go_on(SHARE)
    }

    /// Returns the run that can be stepped through; `of_file` is the graph that was planned, in the
    /// order of the file.
    pub fn into_run(self, of_file: Option<&Rc<Graph>>) -> Run {
        let timeline = self.builder.unwrap_or_else(|| TimelineBuilder::new(self.events, &self.problem)).finish();
        let graph = self.graph.map(Rc::new).or_else(|| of_file.cloned());
        let run = Run::of_timeline(
            Rc::new(self.problem),
            origin(&self.planner, self.align),
            self.plan,
            self.metrics,
            timeline,
        );
        run.with_graph(graph).with_window(self.window).with_collisions(self.collisions)
    }
}

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Failure {
    /// The file has these faults; never empty.
    Faults(Vec<Fault>),
    /// The bytes of the file are out of reach: it was moved, changed or deleted since it was
    /// chosen.
    NotRead,
    /// The request keeps a document that the engine does not hold, because the worker was
    /// restarted.
    NoDocument,
    /// The file is one of another tool, and the program that reads those has not been fetched yet.
    NoReaders,
    /// The planner is one that the user wrote, and the program that runs those has not been fetched
    /// yet.
    NoWriter,
    /// The text of the answer needs words of this language, which could not be fetched.
    NoWords(Locale),
    /// The graph has more nodes or tensors, this many, than are planned without asking.
    Large(u64),
}

/// The failure of a request that is refused for a reason.
pub(super) fn refused(why: Message) -> Failure {
    Failure::Faults(vec![Fault::new("", why)])
}

impl Failure {
    /// Returns the first reason as a message.
    pub fn message(self) -> Message {
        match self {
            Failure::Faults(faults) => {
                faults.into_iter().next().map_or_else(|| Message::new("fault.unreadable"), |fault| fault.message)
            }
            Failure::NotRead => Message::new("fault.unreadable"),
            Failure::NoReaders => Message::new("notice.no-readers"),
            Failure::NoWriter => Message::new("notice.no-writer"),
            Failure::NoWords(locale) => Message::new("toast.no-words").text("language", locale.own_name()),
            // A document that is open has been asked about before: the worker that held it is gone.
            Failure::NoDocument | Failure::Large(_) => Message::new("notice.crashed"),
        }
    }
}
