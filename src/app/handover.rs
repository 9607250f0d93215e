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
    /// Whether the program with the other modes is to take over. A draft on its way to its plan arrives first: what is open and
    /// what was done to it belong together.
    pub fn wants_studio(&self) -> bool {
        self.lean && self.mode != Mode::Step && self.job.as_ref().is_none_or(|job| job.draft.is_none())
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::editing::Step;
    use crate::app::state::{Action, Switch};
    use crate::graph::edit::Change;
    use crate::graph::{Graph, RawGraph};

    fn passed(state: &State) -> State {
        let bytes = postcard::to_stdvec(&Handover::of(state)).expect("plain values");
        let handover: Handover = postcard::from_bytes(&bytes).expect("what was written");
        assert_eq!(handover, Handover::of(state));
        State::default().reduce(Action::TakeOver(Box::new(handover), LinkPlace::default()))
    }

    fn opening(text: &str) -> State {
        let (origin, bytes) = (Origin::File("mine.json".into()), Rc::new(text.as_bytes().to_vec()));
        State::new(None, true).reduce(Action::Open { origin, bytes, choices: Choices::default(), place: None })
    }

    #[test]
    fn a_file_on_its_way_in_is_opened_by_the_other_program() {
        let state = opening("{}").reduce(Action::Mode(Mode::Edit)).reduce(Action::Switch(Switch::Minimap));
        let next = passed(&state);
        let job = next.job.as_ref().expect("it is opened");
        assert_eq!((&job.origin, &**job.bytes), (&Origin::File("mine.json".into()), b"{}".as_slice()));
        assert_eq!((next.mode, next.look.minimap, next.lean), (Mode::Edit, false, false));
    }

    #[test]
    fn a_draft_arrives_with_all_that_can_be_taken_back() {
        let mut editing = Editing::new(&Graph::default());
        assert!(editing.take(Step::Make(Change::Rename("mine".into()))));
        let mut state = opening("{}");
        if let Some(job) = &mut state.job {
            Rc::make_mut(job).same_document = true;
        }
        state.editing = Some(Rc::new(editing.clone()));
        state.document = Some(Rc::new(crate::app::state::Document {
            key: 1,
            origin: Origin::File("mine.json".into()),
            name: "mine".into(),
            format: crate::import::Format::MemoryGraph,
            graph: None,
            has_plan: false,
            facts: Vec::new(),
            warnings: Vec::new(),
            questions: Vec::new(),
            bytes: Bytes::default(),
            packed: Rc::default(),
            choices: Choices::default(),
        }));
        let handover = Handover::of(&state);
        assert!(handover.is_edited());
        let job = passed(&state).job.expect("it is opened");
        let mut arrived = (**job.editing.as_ref().expect("the draft")).clone();
        assert_eq!(arrived, editing);
        assert!(arrived.take(Step::Undo));
        assert_eq!(arrived.draft, RawGraph::from(&Graph::default()));
    }

    #[test]
    fn a_draft_on_its_way_is_waited_for() {
        let step = opening("{}");
        assert!(!step.wants_studio());
        let mut edit = step.reduce(Action::Mode(Mode::Edit));
        assert!(edit.wants_studio());
        if let Some(job) = &mut edit.job {
            Rc::make_mut(job).draft = Some(Rc::new(RawGraph::from(&Graph::default())));
        }
        assert!(!edit.wants_studio());
        assert!(!State::default().reduce(Action::Mode(Mode::Edit)).wants_studio(), "it has every mode");
    }

    #[test]
    fn without_a_document_the_address_is_enough() {
        let handover = Handover::of(&State::new(None, true));
        assert!(handover.document.is_none() && !handover.is_edited());
        assert!(passed(&State::new(None, true)).job.is_none());
    }
}
