//! The life of a run: what is asked of the engine and not yet answered.

use std::rc::Rc;

use crate::open::state::document::Job;
use crate::open::state::link::Awaited;
use memplan_engine::Progress;

/// What the page waits for. The last good run stays visible until the next one has arrived.
#[derive(Clone, Debug, Default)]
pub enum Life {
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
#[derive(Clone, Debug)]
pub struct Working {
    /// What was asked.
    pub job: Rc<Job>,
    /// Progress of the engine; `None` until its first report.
    pub progress: Option<Progress>,
    /// The answer of the job if it ended now, encoded by postcard.
    pub best: Option<Rc<Vec<u8>>>,
}

impl Life {
    /// Returns true if nothing is waited for.
    pub fn is_idle(&self) -> bool {
        matches!(self, Life::Idle)
    }

    /// Returns the job that the engine has.
    pub fn job(&self) -> Option<&Rc<Job>> {
        self.working().map(|working| &working.job)
    }

    /// Returns what the engine does.
    pub fn working(&self) -> Option<&Working> {
        match self {
            Life::Working(working) | Life::Following(Some(working)) => Some(working),
            Life::Idle | Life::Following(None) | Life::Awaiting(_) => None,
        }
    }

    /// Returns what the engine does, to be changed.
    pub fn working_mut(&mut self) -> Option<&mut Working> {
        match self {
            Life::Working(working) | Life::Following(Some(working)) => Some(working),
            Life::Idle | Life::Following(None) | Life::Awaiting(_) => None,
        }
    }

    /// Returns true while a link is being followed and the page still shows the previous document.
    pub fn is_following(&self) -> bool {
        match self {
            Life::Following(_) => true,
            Life::Working(working) => working.job.place.is_some(),
            Life::Idle | Life::Awaiting(_) => false,
        }
    }

    /// Begins to follow a link.
    pub fn follow(&mut self) {
        *self = Life::Following(self.working().cloned());
    }

    /// The job is over.
    pub fn end_job(&mut self) {
        *self = match self {
            Life::Following(_) => Life::Following(None),
            Life::Idle | Life::Working(_) | Life::Awaiting(_) => Life::Idle,
        };
    }

    /// The document of a link did not come.
    pub fn stop_following(&mut self) {
        if let Life::Following(working) = self {
            *self = working.take().map_or(Life::Idle, Life::Working);
        }
    }

    /// Takes the file that is waited for, after which nothing is.
    pub fn take_awaited(&mut self) -> Option<Rc<Awaited>> {
        match std::mem::take(self) {
            Life::Awaiting(awaited) => Some(awaited),
            other => {
                *self = other;
                None
            }
        }
    }

    /// Returns true if both wait for the same, whatever the progress.
    pub fn is_same_but_progress(&self, other: &Life) -> bool {
        let same = |a: &Option<Working>, b: &Option<Working>| match (a, b) {
            (Some(a), Some(b)) => a.is_same_but_progress(b),
            (None, None) => true,
            _ => false,
        };
        match (self, other) {
            (Life::Idle, Life::Idle) => true,
            (Life::Working(a), Life::Working(b)) => a.is_same_but_progress(b),
            (Life::Following(a), Life::Following(b)) => same(a, b),
            (Life::Awaiting(a), Life::Awaiting(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl PartialEq for Life {
    fn eq(&self, other: &Life) -> bool {
        let progress = |life: &Life| life.working().and_then(|working| working.progress);
        let best = |life: &Life| life.working().and_then(|working| working.best.as_ref().map(Rc::as_ptr));
        self.is_same_but_progress(other) && progress(self) == progress(other) && best(self) == best(other)
    }
}

impl Working {
    /// A job that was just asked for.
    pub fn on(job: Job) -> Working {
        Working { job: Rc::new(job), progress: None, best: None }
    }

    /// Returns true if the page looks the same for both, apart from the progress bar. Whether there
    /// is a best plan decides whether the page offers to stop the search with it; the plan itself
    /// is not visible before.
    fn is_same_but_progress(&self, other: &Working) -> bool {
        Rc::ptr_eq(&self.job, &other.job) && self.best.is_some() == other.best.is_some()
    }
}
