//! What is open and what is asked of the engine: documents, jobs, files, links.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::comparing::Compared;
use super::editing::Editing;
use super::settings::{Breaks, Theme};
use crate::base::Message;
use crate::engine::{Carried, Export, Task};
use crate::graph::{Fault, Graph, RawGraph};
use crate::import::{Choices, Format, Question};
use crate::problem::Scope;
use crate::replay::Level;
use crate::scene::{ColorBy, Window};
use crate::text::Locale;

/// Where a document came from: what a link says of it.
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

/// A file's bytes, kept so that the worker can be started anew and a link can carry them.
pub type Bytes = Rc<Vec<u8>>;

/// An open document.
#[derive(Debug)]
pub struct Document {
    /// Number of the job that brought it: what the worker holds is told by it.
    pub key: u32,
    pub origin: Origin,
    pub name: String,
    pub format: Format,
    pub graph: Option<Rc<Graph>>,
    pub has_plan: bool,
    pub facts: Vec<Message>,
    pub warnings: Vec<Fault>,
    pub questions: Vec<Question>,
    pub bytes: Bytes,
    /// The document for a link, as far as it is small enough for one.
    pub packed: Rc<Carried>,
    pub choices: Choices,
}

impl Document {
    /// Whether reading it gave more than what it holds.
    pub fn is_remarkable(&self) -> bool {
        !(self.warnings.is_empty() && self.facts.is_empty() && self.questions.is_empty())
    }
}

/// Something to be read and planned; the engine works off the newest one.
#[derive(Clone, Debug)]
pub struct Job {
    pub number: u32,
    /// [`Document::key`] of the document that is to be planned.
    pub key: u32,
    pub origin: Origin,
    /// The document as edited, in place of the bytes.
    pub draft: Option<Rc<RawGraph>>,
    pub bytes: Bytes,
    pub choices: Choices,
    pub scope: Scope,
    pub planner: String,
    pub options: BTreeMap<String, String>,
    /// Whether the document is the open one, so that a frame can be kept.
    pub same_document: bool,
    /// Where a link wants to be.
    pub place: Option<LinkPlace>,
    /// Decisions whose places looked at are to be kept, when the run is too long to keep all.
    pub window: Option<(u32, u32)>,
    /// Whether the graph is to be laid out as a diagram, too.
    pub diagram: bool,
    /// Something to be measured of the open document, in place of a plan.
    pub task: Option<Rc<Task>>,
    /// The plan is wanted as a file, not as a picture.
    pub export: Option<Export>,
}

/// A file that came with others: its name and its bytes, read only when it is opened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shelved {
    pub name: String,
    pub bytes: Bytes,
}

/// A file for the browser to save.
#[derive(PartialEq, Eq, Debug)]
pub struct Download {
    /// Counts the files of a visit, so that the same one can be saved twice.
    pub number: u32,
    pub name: String,
    pub text: String,
}

/// The moment a link points at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LinkPlace {
    pub frame: Option<u32>,
    pub selection: Option<String>,
}

/// What a link names of a file that it does not carry, until that file is opened.
#[derive(Clone, PartialEq, Debug)]
pub struct Awaited {
    pub file: String,
    pub place: LinkPlace,
    pub planner: String,
    pub options: BTreeMap<String, String>,
}

/// Changes that no file holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Recovery {
    pub name: String,
    pub editing: Editing,
}

/// A document that the browser keeps.
#[derive(Clone, PartialEq, Debug)]
pub struct Recent {
    pub name: String,
    /// When it was opened, in milliseconds since 1970.
    pub time: f64,
    /// Bytes.
    pub size: f64,
}

/// A fault that is shown until it is dismissed or mended; the last good picture stays below it.
#[derive(Clone, PartialEq, Debug)]
pub struct Notice {
    pub title: Message,
    pub faults: Vec<Fault>,
}

/// Settings that a link carries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Restored {
    pub planner: Option<String>,
    pub options: BTreeMap<String, String>,
    pub scope: Option<Scope>,
    pub level: Option<Level>,
    pub color_by: Option<ColorBy>,
    pub view: Option<Window>,
    pub breaks: Breaks,
    pub compared: Option<Compared>,
    pub locale: Option<Locale>,
    pub theme: Option<Theme>,
}
