//! From a request to an answer: all that is done with a document.
//!
//! In goes a request with its document ([`Request`]); out comes an answer ([`Answer`]) or the
//! reason why there is none ([`Failure`]). Page and worker ask so, and so does the command line for
//! tables, differences, fits and files; [`api`] has plain values for JavaScript and for commands.
//! [`lessons`] builds the lessons of the page, [`league`] the table of planners on public
//! instances. Begin with [`Engine`].
//!
//! From a file to a plan, without the engine: read the file, derive the buffers, run a planner,
//! check the plan.
//!
//! ```
//! use memplan_core::{plan, problem, trace};
//! use memplan_formats::import;
//! use memplan_planners as planner;
//!
//! let file = br#"{"format":"memory-graph/1","name":"chain",
//!   "tensors":[{"name":"a","dtype":"float32","shape":[256],"kind":"intermediate"},
//!              {"name":"b","dtype":"float32","shape":[256],"kind":"intermediate"}],
//!   "nodes":[{"name":"make","op":"fill","inputs":[],"outputs":["a"]},
//!            {"name":"twice","op":"mul","inputs":["a"],"outputs":["b"]}]}"#;
//! let read = import::read(file, import::Answers::default()).expect("a valid graph");
//! let import::Document::Graph(graph) = read.document else { panic!("a graph file") };
//! let problem = problem::lifetimes(&graph, &problem::Scope::default()).expect("sizes are known");
//! let first_fit = planner::find("first-fit").expect("a registered planner");
//! let input = planner::Input { problem: &problem, graph: Some(&graph) };
//! let options = first_fit.info().defaults();
//! let plan = first_fit.plan(input, &options, &mut trace::Silent).expect("applicable");
//! assert_eq!(plan.peak(&problem), 2048);
//! assert!(plan::check(&problem, &plan).is_empty());
//! ```
//!
//! | file | step |
//! |---|---|
//! | `request`, `source` | what is asked and answered; where the document comes from |
//! | `open`, `readers`, `reading`, `link` | file, draft, what was read before, or link → document |
//! | `plan` | document → plan and events |
//! | `compare`, `peaks`, `timing` | documents → figures of several plans, tables, charts; peaks alone |
//! | `diff`, `fit` | what differs between two documents; the cheapest changes that meet a budget |
//! | `own` | planners that users write in the page |
//! | `whatif` | what other settings would have done to a recorded program |
//! | `write`, `onnx_plan`, `program` | a plan → a model or program with it |
//! | `teach` | what teachers and students ask for; worksheets |
//! | `assignment`, `exercise_keys`, `exercise_review` | exercises of links with their instances; their questions once more |
//! | `results` | result codes that students sent |
//! | `judge` | programs that students wrote, on instances that are not shown |
//! | `deal`, `tries` | games, and the boards of Break that are kept |
//! | `export`, `diagram` | plan → text of a file; graph → boxes in layers |
//! | `first` | the answers that a first visit begins with |
//! | `answer`, `listener` | what is returned in the end, and what is reported until then |
//! | `build` | which sources a program was compiled of |

#![deny(unsafe_code)]
#![warn(missing_docs)]

pub mod api;
#[cfg(not(target_arch = "wasm32"))]
pub mod league;
#[cfg(not(target_arch = "wasm32"))]
pub mod lessons;

mod answer;
mod assignment;
mod build;
mod compare;
mod deal;
mod diagram;
mod diff;
mod exercise_keys;
mod exercise_review;
mod export;
mod first;
mod fit;
mod judge;
mod link;
mod listener;
mod onnx_plan;
mod open;
mod own;
mod peaks;
mod plan;
mod program;
mod readers;
mod reading;
mod request;
mod results;
mod source;
mod teach;
#[cfg(test)]
mod tests;
mod timing;
mod tries;
mod whatif;
mod write;

pub use answer::{Done, Failure, NoPlan, Opened, Planned};
pub use assignment::Assignment;
pub use build::BUILD;
pub use compare::{
    Better, ChartBound, CompareTask, Comparison, Counted, FIGURES, Figure, FigureTable, FigureValue, GraphRow,
    GrowthLine, MeasuredColumn, Measurement, PlannerChoice, RankingEntry, SweepPoint, SweepPoints, TableFormat, Vary,
    curves, graphs_verdict, growth_chart, histogram, in_tables, not_varied, peaks, points, rank, ranked,
    ranking_verdict, rankings, ranks, refused_by_all, sweep_chart, sweep_verdict, swept_values, swept_words, varies,
};
pub use deal::{BLOCKS, Broken, Deal, DealFrom, GameRequest, Gamed, OPERATORS, Proved, Rung};
pub use diagram::{BOX, Boxed, Diagram, DiagramBox, MAX_BOXES, diagram};
pub use diff::{DiffTask, Diffed, DiffedRow, LoadCurve, Undiffed, load_curves, pair_name, planner_of_both};
pub use exercise_review::{AskedPicture, PictureLook};
pub use export::{Export, file_stem, is_of_another_tool, stem};
pub use first::{FIRST_ANSWERS, START, START_FRAME, first_answer, first_answers, is_answered_first};
pub use fit::{Curve, FitFile, FitTask, Fitted, KernelTask};
pub use judge::{FailedInstance, InstanceVerdict, JudgedProgram};
pub use link::{Carried, MAX_LINK, in_own_form, pack, write_scope};
pub use listener::{Clock, Listener, NoListener, Progress};
pub use onnx_plan::{AnnotatedModel, annotation};
pub use open::MANY;
#[cfg(target_arch = "wasm32")]
pub use own::fetch_writer;
pub use own::{
    CodeOf, Followed, Mistake, OWN_NAME, OwnAnswer, OwnChecked, OwnProgram, OwnRead, OwnTask, Writer, is_own, know_own,
    register_own, use_writer,
};
pub use peaks::{PeakEntry, PeakFound};
pub use plan::{first_planner, shown_as_read};
pub use program::{PlannedProgram, WrittenProgram};
#[cfg(target_arch = "wasm32")]
pub use readers::{bytes_of_readers, fetch as fetch_readers, use_readers};
pub use readers::{read, read_packed, unpack_read, write_reading};
pub use request::{Answer, Request, Task, lacks_readers, lacks_writer};
pub use results::{CheckedList, CheckedRow};
pub use source::{IMPORTED, PlanTask, Source};
pub use teach::{Taught, TeachTask};
pub use timing::Timing;
pub use tries::{TriedBoard, Tries, TriesFrom};
pub use whatif::{
    PeakLines, Recorded, UNKNOWN, WhatIfAnswer, WhatIfEntry, WhatIfRow, WhatIfTask, arithmetic as whatif_arithmetic,
    bare_change, cheapest_row, check as whatif_check, name_of as whatif_name, own as whatif_own, peak as whatif_peak,
    recorded, recorded_memories, result as whatif_result, row as whatif_row, verdict as whatif_verdict,
};
pub use write::{AnswerToWrite, WriteForm, WriteTask, Written};

use memplan_core::base::Message;
use memplan_core::graph::{Fault, Format};
use memplan_core::problem::Scope;
use memplan_formats::import::{Document, Imported};

/// Answers requests and keeps the open document between them.
#[derive(Debug, Default)]
pub struct Engine {
    document: Option<Document>,
    /// What reading the document told; nothing of a graph as edited.
    told: Option<Told>,
    /// Most threads that plan at the same time.
    threads: usize,
}

/// What a reader told of a file beside its document.
#[derive(Clone, Debug)]
struct Told {
    format: Format,
    facts: Vec<Message>,
    warnings: Vec<Fault>,
}

impl Engine {
    /// Returns an engine that has this document open.
    pub fn with_document(document: Document) -> Engine {
        Engine { document: Some(document), ..Engine::default() }
    }

    /// Returns the same engine, which makes the plans of a comparison on up to so many threads. The
    /// browser has none: there it makes one plan after the other.
    pub fn on_threads(self, threads: usize) -> Engine {
        Engine { threads, ..self }
    }

    /// Opens the document of a request, unless it is open, and answers; `clock` returns
    /// milliseconds.
    ///
    /// # Errors
    /// There is no document, or it cannot be read: the one before stays open. The readers of a
    /// file, or the words of a language, have not been fetched. Why a teacher or a student has no
    /// answer.
    pub fn answer(&mut self, request: &Request, clock: &Clock, listener: &mut dyn Listener) -> Result<Answer, Failure> {
        let Request { source, scope, task } = request;
        if let Task::Teach(task) = task {
            return teach::taught(task).map(Answer::Taught);
        }
        let opened = self.open(source)?;
        let document = self.document.as_ref().ok_or(Failure::NoDocument)?;
        Ok(match task {
            Task::Plan(task) => {
                let diagram = document.graph().filter(|_| task.diagram).and_then(diagram);
                let planned = plan::plan(document, scope, task, opened.as_ref(), listener);
                Answer::Planned(Box::new(Done { opened, planned, diagram }))
            }
            Task::Export(task, Export::Html) => {
                Answer::Exported(self.for_one_page(document, scope, task, listener).map_err(|none| none.why))
            }
            Task::Export(task, form) => {
                let text = export::exported(document, scope, task, *form, listener);
                Answer::Exported(text.map(String::into_bytes))
            }
            Task::Compare(task) => {
                let measuring = compare::Measuring { threads: self.threads, clock, listener };
                Answer::Compared(compare::compared(task, document, scope, measuring)?)
            }
            Task::Peaks(choices) => Answer::Peaks(
                choices.iter().map(|choice| (choice.clone(), peaks::peak(document, scope, choice))).collect(),
            ),
            Task::Without(choice, buffers) => Answer::Without(peaks::without(document, scope, choice, buffers)),
            Task::Diff(task) => Answer::Diff(Box::new(diff::diffed(task, document, scope, listener)?)),
            Task::Write(task) => Answer::Written(Box::new(write::written(task)?)),
            Task::Fit(task) => Answer::Fitted(Box::new(fit::fitted(task, document, scope, clock, listener))),
            Task::Kernel(task) => Answer::Kernel(Box::new(fit::kernel(document, task))),
            Task::WhatIf(task) => Answer::WhatIf(Box::new(whatif::asked(document, task))),
            Task::Own(task) => Answer::Own(Box::new(own::answered(task, document, scope)?)),
            Task::Teach(task) => Answer::Taught(teach::taught(task)?),
        })
    }

    /// Opens the document of a source and returns what is new about it; none if the source keeps
    /// the document before.
    fn open(&mut self, source: &Source) -> Result<Option<Opened>, Failure> {
        let Some((document, opened)) = open::open(source)? else { return Ok(None) };
        self.document = Some(document);
        let is_file = matches!(source, Source::File { .. });
        let (facts, warnings) = (&opened.facts, &opened.warnings);
        let told = || Told { format: opened.format, facts: facts.clone(), warnings: warnings.clone() };
        self.told = is_file.then(told);
        Ok(Some(opened))
    }

    /// The document for a page that is one HTML file. That page has no readers, so a file of
    /// another tool goes there as what was read of it; and it runs no planner of the user, so that
    /// one's plan goes with the document.
    fn for_one_page(
        &self,
        document: &Document,
        scope: &Scope,
        task: &PlanTask,
        listener: &mut dyn Listener,
    ) -> Result<Vec<u8>, NoPlan> {
        let read = |document: Document, format, (facts, warnings)| {
            let (questions, unshown) = Default::default();
            write_reading(Imported { document, format, facts, warnings, questions, unshown })
        };
        if is_own(&task.planner) {
            let found = plan::plan(document, scope, task, None, listener)?;
            let planned = match document.graph() {
                Some(graph) => Document::Planned(graph.clone(), found.problem, found.plan),
                None => Document::Plan(found.problem, found.plan),
            };
            return Ok(read(planned, Format::MemoryPlan, Default::default()));
        }
        Ok(match &self.told {
            Some(Told { format, facts, warnings }) if !format.is_own() => {
                read(document.clone(), *format, (facts.clone(), warnings.clone()))
            }
            _ => in_own_form(document, task.planner == IMPORTED).into_bytes(),
        })
    }
}
