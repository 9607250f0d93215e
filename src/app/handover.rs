//! What one program of the page leaves to the other: the small one that everybody loads shows one planner, the large one
//! takes over when the graph is edited or planners are compared. Nothing done so far is lost on the way.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::editing::Editing;
use super::state::{Bytes, LinkPlace, Look, Mode, Origin, Panels, Shelved, State};
use crate::import::Choices;

/// What a link does not say. Everything else goes by the address, which is written first.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Handover {
    /// None if the address alone leads to it.
    pub document: Option<Handed>,
    pub mode: Mode,
    pub look: Look,
    pub panels: Panels,
    pub speed: f64,
    pub single_keys: bool,
    pub hint: bool,
    /// Files that came together.
    pub files: Vec<Shelved>,
}

/// An open document, or one on its way in.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Handed {
    pub origin: Origin,
    pub bytes: Bytes,
    pub choices: Choices,
    /// The draft with all that can be taken back.
    pub editing: Option<Editing>,
}

impl Handover {
    /// Whether there is a draft among it.
    pub fn is_edited(&self) -> bool {
        self.document.as_ref().is_some_and(|document| document.editing.is_some())
    }

    pub fn of(state: &State) -> Handover {
        let opening = state.job.as_ref().filter(|job| !job.same_document && job.draft.is_none());
        let editing = || state.editing.as_deref().cloned();
        let document = match (opening, &state.document) {
            (Some(job), _) => Some((&job.origin, &job.bytes, &job.choices, None)),
            (None, Some(open)) => Some((&open.origin, &open.bytes, &open.choices, editing())),
            (None, None) => None,
        };
        let handed = |(origin, bytes, choices, editing): (&Origin, &Bytes, &Choices, _)| Handed {
            origin: origin.clone(),
            bytes: bytes.clone(),
            choices: choices.clone(),
            editing,
        };
        Handover {
            document: document.map(handed),
            mode: state.mode,
            look: state.look,
            panels: state.panels,
            speed: state.speed,
            single_keys: state.single_keys,
            hint: state.hint,
            files: state.batch.files.to_vec(),
        }
    }
}

impl State {
    /// Goes on where the other program stopped, after its address was followed.
    pub(super) fn take_over(&mut self, handover: Handover, place: LinkPlace) {
        let Handover { document, mode, look, panels, speed, single_keys, hint, files } = handover;
        self.mode = mode;
        (self.look, self.panels, self.speed) = (look, panels, speed);
        (self.single_keys, self.hint) = (single_keys, hint);
        self.batch.files = Rc::new(files);
        if let Some(Handed { origin, bytes, choices, editing }) = document {
            self.reopen(origin, bytes, choices, editing, place);
        }
    }
}
