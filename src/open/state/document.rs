//! What is open and what is asked of the engine: documents, jobs, files, links.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::open::state::link::LinkPlace;
use memplan_core::base::Message;
use memplan_core::graph::edit::Draft;
use memplan_core::graph::{Fault, Graph};
use memplan_core::problem::Scope;
use memplan_engine::{Carried, Export, OwnProgram, Task};
use memplan_formats::import::{Answers, Format, Question};
use memplan_worker::FileData;

/// Where a document came from, as a link states it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A built-in example, by name.
    Example(String),
    /// A file, pasted text or a link's own graph.
    File(String),
    /// A file of another site, by its address.
    Remote(String),
}

impl Origin {
    /// What to call a document that has no name of its own.
    pub fn name(&self) -> &str {
        match self {
            Origin::Example(name) | Origin::File(name) => name,
            Origin::Remote(address) => {
                let path = address.split(['?', '#']).next().unwrap_or_default();
                path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(address)
            }
        }
    }
}

/// A file's contents, kept so that the worker can be started anew.
pub type Bytes = FileData;

/// An open document.
#[derive(Debug)]
pub struct Document {
    /// Number of the job that opened it. The worker keeps its copy under this number.
    pub key: u32,
    /// Where it came from.
    pub origin: Origin,
    /// Its name.
    pub name: String,
    /// Format of its file.
    pub format: Format,
    /// The graph; none for a list of buffers.
    pub graph: Option<Rc<Graph>>,
    /// Whether the file has a plan of its own.
    pub has_plan: bool,
    /// Memories whose allocator the file records.
    pub recorded: Vec<u32>,
    /// What the reader found.
    pub facts: Vec<Message>,
    /// Warnings of the reader.
    pub warnings: Vec<Fault>,
    /// Questions that the file leaves open.
    pub questions: Vec<Question>,
    /// The file.
    pub bytes: Bytes,
    /// The document as text for a link, if it is small enough.
    pub packed: Rc<Carried>,
    /// The user's answers to the questions.
    pub choices: Answers,
}

impl PartialEq for Document {
    /// Equal to itself alone: comparing two graphs would take as long as drawing them.
    fn eq(&self, other: &Document) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Document {
    /// Returns true if the user should look at the report of the reader. Built-in examples are as
    /// intended.
    pub fn is_doubtful(&self) -> bool {
        self.is_remarkable() && !matches!(self.origin, Origin::Example(_))
    }

    /// Returns true if the reader reported anything: facts, warnings or questions.
    pub fn is_remarkable(&self) -> bool {
        !(self.warnings.is_empty() && self.facts.is_empty() && self.questions.is_empty())
    }
}

/// A request to open and plan a document. The engine runs only the newest one.
#[derive(Clone, Debug)]
pub struct Job {
    /// Counts the jobs of a visit from 1.
    pub number: u32,
    /// [`Document::key`] of the document that is to be planned.
    pub key: u32,
    /// Where it came from.
    pub origin: Origin,
    /// The document as edited, in place of the bytes.
    pub draft: Option<Rc<Draft>>,
    /// The file.
    pub bytes: Bytes,
    /// What was answered about it.
    pub choices: Answers,
    /// What is planned.
    pub scope: Scope,
    /// Id of the planner.
    pub planner: String,
    /// Its options, as far as they differ from the defaults.
    pub options: BTreeMap<String, String>,
    /// Whether the document is the open one, so that a frame can be kept.
    pub same_document: bool,
    /// The view that a link asks for.
    pub place: Option<LinkPlace>,
    /// Decisions whose candidates are recorded, if the run is too long to record all of them.
    pub window: Option<(u32, u32)>,
    /// Whether the graph is to be laid out as a diagram, too.
    pub diagram: bool,
    /// Something else that is asked of the open document, in place of a plan.
    pub task: Option<Rc<Task<FileData>>>,
    /// The plan is wanted as a file, not as a picture.
    pub export: Option<Export>,
    /// Planners that the user wrote.
    pub own: Rc<Vec<OwnProgram>>,
}

impl PartialEq for Job {
    /// Jobs are equal if their numbers are.
    fn eq(&self, other: &Job) -> bool {
        self.number == other.number
    }
}

/// A file that came with others: its name and its bytes, read only when it is opened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BatchFile {
    /// Its name.
    pub name: String,
    /// The file.
    pub bytes: Bytes,
}

/// A file for the browser to save.
#[derive(PartialEq, Eq, Debug)]
pub struct Download {
    /// Counts the files of a visit, so that the same one can be saved twice.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// The contents.
    pub contents: Vec<u8>,
    /// The contents are a document that is saved with this page around it.
    pub page: Option<OnePage>,
}

/// What a page holds that is one HTML file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OnePage {
    /// What the browser calls it.
    pub title: String,
    /// The fragment that it begins with.
    pub link: String,
    /// Where it holds the document.
    pub path: String,
}
