//! The messages between the page and its worker as plain values. How they become bytes is in
//! `packing`.

use serde::{Deserialize, Serialize};

use super::file::FileData;
use memplan_core::base::Message;
use memplan_core::text::Locale;
use memplan_engine::{
    Done, Engine, Export, Failure, Listener, MeasureRequest, MeasureTask, Measured, PlanRequest, Planned, Progress,
    Taught, TeachRequest, teach,
};

/// A request of the page. `F` stands for a file: a handle on the page, bytes in the worker, nothing
/// in the encoded message.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum WorkerCommand<F = FileData> {
    /// Open and plan.
    Plan(PlanRequest<F>),
    /// Open, plan and return the plan as the text of a file.
    Export(PlanRequest<F>, Export),
    /// Open and measure several plans.
    Measure(MeasureRequest<F>),
    /// Do something for a teacher or a student.
    Teach(TeachRequest<F>),
}

/// What the page asks of the worker: a command, and the number of the job that waits for the reply.
#[derive(Clone, Debug)]
pub struct WorkerRequest {
    /// Number of the job.
    pub job: u32,
    /// What is asked.
    pub command: WorkerCommand,
}

/// The worker's reply to a [`WorkerRequest`], one variant for each command.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum WorkerReply {
    /// To [`WorkerCommand::Plan`].
    Planned(Box<Result<Done, Failure>>),
    /// To [`WorkerCommand::Export`]: the text, or why the format cannot hold the plan.
    Exported(Result<Result<String, Message>, Failure>),
    /// To [`WorkerCommand::Measure`].
    Measured(Box<Result<Measured, Failure>>),
    /// To [`WorkerCommand::Teach`].
    Taught(Result<Taught, Failure>),
}

/// What the page receives of a worker.
#[derive(Debug)]
pub enum WorkerEvent {
    /// The job goes on.
    Progress {
        /// Number of the job.
        job: u32,
        /// How far it is.
        progress: Progress,
    },
    /// A search found a better plan.
    Best {
        /// Number of the job.
        job: u32,
        /// The answer if the search ended now, encoded: most are never looked at.
        answer: Vec<u8>,
    },
    /// The job is over.
    Reply {
        /// Number of the job.
        job: u32,
        /// The answer.
        reply: WorkerReply,
        /// The document as a file, if the reply would hold it ([`WorkerReply::take_written`]).
        written: Option<FileData>,
    },
    /// The worker takes so much memory, which it does not give back, that another one is better.
    Large,
    /// The worker has stopped, because it ran out of memory or has a bug.
    Crashed {
        /// Number of the job.
        job: u32,
    },
    /// There is no worker that could be asked.
    Unstarted {
        /// Number of the job.
        job: u32,
        /// The reason.
        why: Unstarted,
    },
}

/// Why a worker cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unstarted {
    /// Its program could not be fetched: the site has none of this version any more, or there is no
    /// network.
    Missing,
    /// Its program was compiled of other sources than the page.
    OtherVersion,
}

impl Unstarted {
    /// Returns the reason as a message.
    pub fn message(self) -> Message {
        Message::new(match self {
            Unstarted::Missing => "notice.worker-missing",
            Unstarted::OtherVersion => "notice.worker-other-version",
        })
    }
}

impl<F> WorkerCommand<F> {
    /// Returns the same command with `map` applied to its files.
    pub fn map_files<G>(self, mut map: impl FnMut(F) -> G) -> WorkerCommand<G> {
        match self {
            WorkerCommand::Plan(request) => WorkerCommand::Plan(request.map_files(&mut map)),
            WorkerCommand::Export(request, export) => WorkerCommand::Export(request.map_files(&mut map), export),
            WorkerCommand::Measure(request) => WorkerCommand::Measure(request.map_files(&mut map)),
            WorkerCommand::Teach(request) => WorkerCommand::Teach(request.map_files(&mut map)),
        }
    }

    /// Returns the language whose words the reply needs. Files are written in English, like those
    /// of the command line.
    pub fn locale(&self) -> Option<Locale> {
        match self {
            WorkerCommand::Export(_, export) => export.needs_words().then_some(Locale::En),
            WorkerCommand::Teach(request) => request.locale(),
            WorkerCommand::Measure(request) => {
                matches!(request.task, MeasureTask::Diff(_) | MeasureTask::Fit(_)).then_some(Locale::En)
            }
            WorkerCommand::Plan(_) => None,
        }
    }

    /// Returns the reply that the command fails for this reason.
    pub fn fail(&self, failure: Failure) -> WorkerReply {
        match self {
            WorkerCommand::Plan(_) => WorkerReply::Planned(Box::new(Err(failure))),
            WorkerCommand::Export(..) => WorkerReply::Exported(Err(failure)),
            WorkerCommand::Measure(_) => WorkerReply::Measured(Box::new(Err(failure))),
            WorkerCommand::Teach(_) => WorkerReply::Taught(Err(failure)),
        }
    }
}

impl WorkerCommand<Vec<u8>> {
    /// Returns the engine's answer; `clock` returns milliseconds.
    pub fn run(&self, engine: &mut Engine, clock: &dyn Fn() -> f64, listener: &mut dyn Listener) -> WorkerReply {
        match self {
            WorkerCommand::Plan(request) => WorkerReply::Planned(Box::new(engine.plan(request, listener))),
            WorkerCommand::Export(request, export) => WorkerReply::Exported(engine.export(request, *export, listener)),
            WorkerCommand::Measure(request) => {
                WorkerReply::Measured(Box::new(engine.measure(request, clock, listener)))
            }
            WorkerCommand::Teach(request) => WorkerReply::Taught(teach(request)),
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl WorkerRequest {
    /// Returns the reply of a worker with this engine, for tests of the page: in a browser the
    /// worker does this.
    pub fn run(self, engine: &mut Engine) -> WorkerReply {
        self.command.map_files(|file| file.bytes().unwrap_or_default().to_vec()).run(
            engine,
            &|| 0.0,
            &mut memplan_engine::NoListener,
        )
    }
}

impl WorkerReply {
    /// The plans of the reply, to be made ready one after the other.
    pub fn plans_mut(&mut self) -> Vec<&mut Planned> {
        match self {
            WorkerReply::Planned(result) => result.iter_mut().flat_map(|done| &mut done.planned).collect(),
            WorkerReply::Measured(result) => match &mut **result {
                Ok(Measured::Columns(columns, _)) => {
                    columns.iter_mut().flat_map(|column| &mut column.result).map(|(planned, _)| planned).collect()
                }
                Ok(Measured::Fitted(found)) => {
                    found.iter_mut().flat_map(|fitted| &mut fitted.stages).map(|(_, planned)| planned).collect()
                }
                Ok(Measured::Diff(found)) => found.iter_mut().flat_map(|diffed| &mut diffed.plans).collect(),
                _ => Vec::new(),
            },
            WorkerReply::Exported(_) | WorkerReply::Taught(_) => Vec::new(),
        }
    }

    /// Makes the document as a file, which the reply would hold, a handle that travels beside the
    /// reply: the page shares or keeps it, and never looks into it. If there is no handle, the
    /// reply holds the bytes on.
    pub fn take_written<T>(&mut self, handle: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        let WorkerReply::Planned(result) = self else { return None };
        let written = &mut result.as_mut().as_mut().ok()?.opened.as_mut()?.written;
        let handle = handle(written.as_ref()?)?;
        *written = None;
        Some(handle)
    }

    /// Returns whether the readers of other tools' files have to be fetched first.
    pub fn lacks_readers(&self) -> bool {
        let failure = match self {
            WorkerReply::Planned(result) => (**result).as_ref().err(),
            WorkerReply::Exported(result) => result.as_ref().err(),
            WorkerReply::Measured(result) => (**result).as_ref().err(),
            WorkerReply::Taught(result) => result.as_ref().err(),
        };
        failure == Some(&Failure::NoReaders)
    }
}
