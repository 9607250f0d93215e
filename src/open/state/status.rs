//! The life of a run: what is asked of the engine and not yet answered.

use std::rc::Rc;

use crate::open::state::document::Job;
use crate::open::state::link::Awaited;
use memplan_engine::Progress;

/// What the page waits for. The last good run stays visible until the next one has arrived.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Status {
    /// For nothing: the run that was asked for is shown.
    #[default]
    Idle,
    /// For the engine.
    Working(Working),
    /// For the document of a link. Until it arrives, the page shows the previous document, whose
    /// view is not written to the address, and a job of that document keeps running.
    Following(Option<Working>),
    /// For the user to open the file that a link names. The address stays until a document is
    /// opened.
    Awaiting(Rc<Awaited>),
}

/// A job of the engine.
#[derive(Clone, PartialEq, Debug)]
pub struct Working {
    /// What was asked.
    pub job: Rc<Job>,
    /// Progress of the engine; `None` until its first report.
    pub progress: Passing<Option<Progress>>,
    /// The answer of the job if it ended now, encoded by postcard. Whether there is one decides
    /// whether the page offers to stop the search with it.
    pub best: Option<Passing<Rc<Vec<u8>>>>,
}

/// A value that comes many times a second and is shown in one place, which asks for it by itself:
/// it makes no difference between two states.
#[derive(Clone, Debug)]
pub struct Passing<T>(pub T);

impl<T> PartialEq for Passing<T> {
    fn eq(&self, _: &Passing<T>) -> bool {
        true
    }
}

impl Status {
    /// Returns true if nothing is waited for.
    pub fn is_idle(&self) -> bool {
        matches!(self, Status::Idle)
    }

    /// Returns the job that the engine has.
    pub fn job(&self) -> Option<&Rc<Job>> {
        self.working().map(|working| &working.job)
    }

    /// Returns what the engine does.
    pub fn working(&self) -> Option<&Working> {
        match self {
            Status::Working(working) | Status::Following(Some(working)) => Some(working),
            Status::Idle | Status::Following(None) | Status::Awaiting(_) => None,
        }
    }

    /// Returns the progress of the job; none until the engine's first report.
    pub fn progress(&self) -> Option<Progress> {
        self.working().and_then(|working| working.progress.0)
    }

    /// Returns true if the job is no further than in another status.
    pub fn has_passed_nothing(&self, other: &Status) -> bool {
        let best = |life: &Status| life.working()?.best.as_ref().map(|best| Rc::as_ptr(&best.0));
        self.progress() == other.progress() && best(self) == best(other)
    }

    /// Returns what the engine does, to be changed.
    pub fn working_mut(&mut self) -> Option<&mut Working> {
        match self {
            Status::Working(working) | Status::Following(Some(working)) => Some(working),
            Status::Idle | Status::Following(None) | Status::Awaiting(_) => None,
        }
    }

    /// Returns true while a link is being followed and the page still shows the previous document.
    pub fn is_following(&self) -> bool {
        match self {
            Status::Following(_) => true,
            Status::Working(working) => working.job.place.is_some(),
            Status::Idle | Status::Awaiting(_) => false,
        }
    }

    /// Begins to follow a link.
    pub fn follow(&mut self) {
        *self = Status::Following(self.working().cloned());
    }

    /// The job is over.
    pub fn end_job(&mut self) {
        *self = match self {
            Status::Following(_) => Status::Following(None),
            Status::Idle | Status::Working(_) | Status::Awaiting(_) => Status::Idle,
        };
    }

    /// The document of a link did not come.
    pub fn stop_following(&mut self) {
        if let Status::Following(working) = self {
            *self = working.take().map_or(Status::Idle, Status::Working);
        }
    }

    /// Takes the file that is waited for, after which nothing is.
    pub fn take_awaited(&mut self) -> Option<Rc<Awaited>> {
        match std::mem::take(self) {
            Status::Awaiting(awaited) => Some(awaited),
            other => {
                *self = other;
                None
            }
        }
    }
}

impl Working {
    /// A job that was just asked for.
    pub fn on(job: Job) -> Working {
        Working { job: Rc::new(job), progress: Passing(None), best: None }
    }
}
