//! From a request to an answer: all that is done with a document.
//!
//! In goes a request with its document ([`PlanRequest`]); out comes an answer ([`Done`]) or the
//! reason why there is none ([`Failure`]). Page, worker, command line and JavaScript use the same
//! types; [`api`] has plain values for programs. [`lessons`] builds the lessons of the page. Begin
//! with [`Engine`].
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
//! | `request` | what is asked for, and where the document comes from |
//! | `open`, `readers`, `link` | file, draft or link → document |
//! | `plan` | document → plan and events |
//! | `measure`, `timing` | documents → figures of several plans, tables, charts |
//! | `teach` | what teachers and students ask for; worksheets |
//! | `assignment`, `kinds`, `results` | exercises of links with their instances; result codes that students sent |
//! | `deal`, `tries` | games, and the boards of Break that are kept |
//! | `export`, `diagram` | plan → text of a file; graph → boxes in layers |
//! | `first` | the answers that a first visit begins with |
//! | `answer`, `listener` | what is returned in the end, and what is reported until then |

#![deny(unsafe_code)]
#![warn(missing_docs)]

pub mod api;
#[cfg(not(target_arch = "wasm32"))]
pub mod lessons;

mod answer;
mod asked;
mod assignment;
mod build;
mod deal;
mod diagram;
mod export;
mod first;
mod kinds;
mod link;
mod listener;
mod measure;
mod open;
mod plan;
mod readers;
mod request;
mod results;
mod teach;
#[cfg(test)]
mod tests;
mod timing;
mod tries;

use std::collections::BTreeMap;

pub use answer::{Done, Failure, NoPlan, Opened, Planned};
pub use asked::AskedPicture;
pub use assignment::Assignment;
pub use build::BUILD;
pub use deal::{BLOCKS, Broken, Deal, DealFrom, GameRequest, Gamed, OPERATORS, Proved, Rung};
pub use diagram::{BOX, Boxed, Diagram, DiagramBox, MAX_BOXES, diagram};
pub use export::{Export, file_stem, is_of_another_tool, stem};
pub use first::{FIRST_ANSWERS, START, START_FRAME, first_answer, first_answers, is_answered_first};
pub use link::{Carried, MAX_LINK, pack};
pub use listener::{Listener, NoListener, Progress};
pub use measure::{
    AnswerToWrite, Better, ChartBound, Counted, Curve, DiffTask, Diffed, DiffedRow, FIGURES, Figure, FigureTable,
    FigureValue, FitFile, FitTask, Fitted, GraphRow, GrowthLine, LoadCurve, MeasureRequest, MeasureTask, Measured,
    MeasuredColumn, Measurement, PeakEntry, PeakFound, PlannedProgram, PlannerChoice, RankingEntry, SweepPoint,
    SweepPoints, TableFormat, Undiffed, Vary, WriteForm, WriteTask, Written, WrittenProgram, curves, graphs_verdict,
    growth_chart, histogram, in_tables, load_curves, pair_name, peaks, planner_of_both, points, rank, ranked,
    ranking_verdict, ranks, refused_by_all, sweep_chart, sweep_verdict, swept_values, varies,
};
pub use open::MANY;
pub use plan::{first_planner, shown_as_read};
#[cfg(target_arch = "wasm32")]
pub use readers::{bytes_of_readers, fetch as fetch_readers, use_readers};
pub use readers::{read, read_packed};
pub use request::{IMPORTED, PlanRequest, Source};
pub use results::{CheckedList, CheckedRow};
pub use teach::{Taught, TeachRequest, teach};
pub use timing::Timing;
pub use tries::{TriedBoard, Tries, TriesFrom};

use memplan_core::base::Message;
use memplan_formats::import::Document;
use memplan_planners as planner;

/// Answers requests and keeps the open document between them.
#[derive(Debug, Default)]
pub struct Engine {
    document: Option<Document>,
}

impl Engine {
    /// Returns an engine that has this document open.
    pub fn with_document(document: Document) -> Engine {
        Engine { document: Some(document) }
    }

    /// Opens the document of a request and plans it.
    ///
    /// # Errors
    /// There is no document to plan; the one before stays open. A document without a plan is an
    /// answer, no error.
    pub fn plan(&mut self, request: &PlanRequest, listener: &mut dyn Listener) -> Result<Done, Failure> {
        let opened = self.open(&request.source)?;
        let document = self.document()?;
        let diagram = document.graph().filter(|_| request.diagram).and_then(diagram);
        let planned = plan::plan(document, request, opened.as_ref(), listener);
        Ok(Done { opened, planned, diagram })
    }

    /// Plans as [`Engine::plan`] does and returns the text of a file. Planners are deterministic,
    /// so the file is of the plan that is shown.
    ///
    /// # Errors
    /// As [`Engine::plan`]; inside, why the format cannot hold the plan.
    pub fn export(
        &mut self,
        request: &PlanRequest,
        export: Export,
        listener: &mut dyn Listener,
    ) -> Result<Result<String, Message>, Failure> {
        self.open(&request.source)?;
        let document = self.document()?;
        if export.is_of_graph() {
            return Ok(export::write_graph(document.graph()));
        }
        let planned = match plan::plan(document, request, None, listener) {
            Ok(planned) => planned,
            Err(none) => return Ok(Err(none.why)),
        };
        let given = request.options.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let options = planner::info(&planned.planner).and_then(|info| info.options(given).ok());
        let options = options.map_or_else(BTreeMap::new, |options| options.to_map());
        Ok(export::write_plan(planned, document.graph(), &options, export))
    }

    fn document(&self) -> Result<&Document, Failure> {
        self.document.as_ref().ok_or(Failure::NoDocument)
    }

    /// Opens the document of a source and returns what is new about it; none if the source keeps
    /// the document before.
    fn open(&mut self, source: &Source) -> Result<Option<Opened>, Failure> {
        let Some((document, opened)) = open::open(source)? else { return Ok(None) };
        self.document = Some(document);
        Ok(Some(opened))
    }
}
