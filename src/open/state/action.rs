//! What happens to the document that is open.

use std::rc::Rc;

use crate::open::state::document::{BatchFile, Bytes, Origin};
use crate::open::state::link::{LinkPlace, Restored};
use crate::open::state::recovery::{Recent, Unkept};
use crate::open::state::sites::RemoteChange;
use crate::shell::state::notice::Notice;
use memplan_core::problem::Scope;
use memplan_engine::{Answer, Export, Failure, Progress, WriteForm};
use memplan_formats::import::Answers;
use memplan_worker::Unstarted;

/// What happens to the document, its planner and its run.
#[derive(Clone, Debug)]
pub enum DocumentAction {
    /// Read a document and plan it.
    Open {
        /// Where it came from.
        origin: Origin,
        /// The file.
        bytes: Bytes,
        /// What was answered about it.
        choices: Answers,
        /// Where a link leads to; none for a document opened by hand.
        place: Option<LinkPlace>,
    },
    /// Open the first of several files that can be read, and list them all.
    OpenAll(Vec<BatchFile>),
    /// Open the large document that was asked about.
    OpenLarge,
    /// Documents that the browser keeps.
    Recents(Vec<Recent>),
    /// The browser did not keep something.
    NotKept(Unkept),
    /// Read the open document again with other choices.
    Answers(Answers),
    /// No document that is on its way is wanted any more.
    Forget,
    /// A file could not even be fetched.
    NotFetched(Notice),
    /// A document at an address.
    Remote(RemoteChange),
    /// A link names a file that is not here: the reader has to open it.
    Awaits {
        /// Name of the file.
        file: String,
        /// Where the link leads to.
        place: LinkPlace,
    },
    /// The worker answered.
    Answered {
        /// Number of the job.
        job: u32,
        /// What came of it.
        result: Box<Result<Answer, Failure>>,
        /// The document as a file, if it is none that the page has.
        written: Option<Bytes>,
    },
    /// Write the plan shown to a file.
    Export(Export),
    /// Write the plan into the open model.
    Write(WriteForm),
    /// The worker is at work.
    Progress {
        /// Number of the job.
        job: u32,
        /// How far it is.
        progress: Progress,
    },
    /// What a search would give if it ended now.
    Best {
        /// Number of the job.
        job: u32,
        /// The answer, packed.
        answer: Rc<Vec<u8>>,
    },
    /// The worker is gone.
    Crashed {
        /// Number of the job.
        job: u32,
    },
    /// There is no worker that could do the job with this number; 0 where none was asked of it.
    Unstarted(u32, Unstarted),
    /// End the present job.
    Cancel,
    /// Plan with another planner.
    Planner(String),
    /// The next planner that applies, or the one before.
    NextPlanner {
        /// Whether it is the next one.
        forward: bool,
    },
    /// Plan with another value of an option.
    Option {
        /// Key of the option.
        key: String,
        /// Its value.
        value: String,
    },
    /// Several options at once.
    Options(Vec<(String, String)>),
    /// All options back to their defaults.
    ResetOptions,
    /// Options and what is planned, all back to the defaults.
    ResetAll,
    /// Run again and keep the places looked at around this frame.
    LookClosely,
    /// Plan something else of the document.
    Scope(Scope),
    /// Everything in a link beside the document.
    Restore(Box<Restored>),
    /// The notice was read.
    DismissNotice,
    /// The list of broken rules was read, or is to be shown again.
    HideViolations(bool),
    /// The remarks on the open file were read.
    DismissRemarks,
}
