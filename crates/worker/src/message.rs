//! The messages between the page and its worker as plain values. How they become bytes is in
//! `packing`.

use serde::{Deserialize, Serialize};

use super::file::FileData;
use memplan_core::base::Message;
use memplan_engine::{
    Answer, Comparison, Engine, Failure, NoListener, OwnProgram, Planned, Progress, Request, register_own,
};

/// A request with the number of the job that waits for its reply.
#[derive(Clone, Debug)]
pub struct WorkerRequest {
    /// Number of the job.
    pub job: u32,
    /// What is asked.
    pub request: Request<FileData>,
    /// Planners that the user wrote, which it may name.
    pub own: Vec<OwnProgram>,
}

/// The worker's reply to a [`WorkerRequest`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorkerReply(pub Result<Answer, Failure>);

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

impl WorkerRequest {
    /// Returns the reply of a worker with this engine, for tests of the page: in a browser the
    /// worker does this.
    pub fn run(self, engine: &mut Engine) -> WorkerReply {
        for program in &self.own {
            if let Err(failure) = register_own(program) {
                return WorkerReply(Err(failure));
            }
        }
        let request = self.request.map_files(|file| file.bytes().unwrap_or_default().to_vec());
        WorkerReply(engine.answer(&request, &|| 0.0, &mut NoListener))
    }
}

impl WorkerReply {
    /// The plans of the reply, to be made ready one after the other.
    pub fn plans_mut(&mut self) -> Vec<&mut Planned> {
        let Ok(answer) = &mut self.0 else { return Vec::new() };
        match answer {
            Answer::Planned(done) => done.planned.iter_mut().collect(),
            Answer::Compared(Comparison::Columns(columns, _)) => {
                columns.iter_mut().flat_map(|column| &mut column.result).map(|(planned, _)| planned).collect()
            }
            Answer::Fitted(found) => {
                found.iter_mut().flat_map(|fitted| &mut fitted.stages).map(|(_, planned)| planned).collect()
            }
            Answer::Diff(found) => found.iter_mut().flat_map(|diffed| &mut diffed.plans).collect(),
            _ => Vec::new(),
        }
    }

    /// Makes the document as a file, which the reply would hold, a handle that travels beside the
    /// reply: the page shares or keeps it, and never looks into it. If there is no handle, the
    /// reply holds the bytes on.
    pub fn take_written<T>(&mut self, handle: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        let Ok(Answer::Planned(done)) = &mut self.0 else { return None };
        let written = &mut done.opened.as_mut()?.written;
        let handle = handle(written.as_ref()?)?;
        *written = None;
        Some(handle)
    }
}
