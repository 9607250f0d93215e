//! The contents of a link.

use std::collections::BTreeMap;

use crate::compare::state::comparison::Compared;
use crate::fit::state::form::FitForm;
use crate::learn::lessons::state::progress::LearnPlace;
use crate::learn::play::state::address::GameLink;
use crate::learn::teacher::state::form::Corner;
use crate::shell::state::look::Theme;
use crate::shell::state::panels::Tab;
use crate::step::state::breakpoints::Breaks;
use memplan_core::problem::Scope;
use memplan_core::text::Locale;
use memplan_engine::PlannerChoice;
use memplan_replay::Level;
use memplan_scene::{ColorBy, Filter, Window};

/// The moment a link points at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LinkPlace {
    /// Number of the frame.
    pub frame: Option<u32>,
    /// Name of the selected buffer.
    pub selection: Option<String>,
    /// Step of the cursor.
    pub step: Option<u32>,
}

/// What a link names of a file that it does not carry, until that file is opened.
#[derive(Clone, PartialEq, Debug)]
pub struct Awaited {
    /// Name of the file.
    pub file: String,
    /// The moment that the link points at.
    pub place: LinkPlace,
    /// Id of the planner.
    pub planner: String,
    /// Options of the planner.
    pub options: BTreeMap<String, String>,
}

/// The comparison of two documents in a link, without the documents.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DiffLink {
    /// Planner of both, if one was chosen.
    pub planner: Option<PlannerChoice>,
    /// Whether weights are left out.
    pub without_weights: bool,
    /// Name of the buffer that is looked at.
    pub selection: Option<String>,
}

/// Settings that a link carries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Restored {
    /// Id of the planner.
    pub planner: Option<String>,
    /// Options of the planner.
    pub options: BTreeMap<String, String>,
    /// The planner that somebody wrote, packed.
    pub code: Option<String>,
    /// What the planners of `code` are called, if anybody named them.
    pub names: Option<String>,
    /// Whether this page wrote the link itself, when the reader had agreed to its programs.
    pub ours: bool,
    /// What is planned.
    pub scope: Option<Scope>,
    /// What a frame is.
    pub level: Option<Level>,
    /// What colours stand for.
    pub color_by: Option<ColorBy>,
    /// Classes of the colours that are brought out or not drawn.
    pub filter: Filter,
    /// The part of the plan that is seen.
    pub view: Option<Window>,
    /// The tab of the right panel that was chosen.
    pub panel: Option<Tab>,
    /// The slice is switched off.
    pub no_slice: bool,
    /// What stops play.
    pub breaks: Breaks,
    /// Whether questions are asked about what the planner does next.
    pub predict: bool,
    /// Whether the plan is presented.
    pub present: bool,
    /// The comparison, if it is shown.
    pub compared: Option<Compared>,
    /// The comparison of two documents, if it is shown.
    pub diff: Option<DiffLink>,
    /// The budget and the number of changes, if that is shown.
    pub fit: Option<(FitForm, Option<usize>)>,
    /// The card of a kernel, or the bytes that its blocks may have.
    pub card: Option<String>,
    /// The language.
    pub locale: Option<Locale>,
    /// The colours.
    pub theme: Option<Theme>,
    /// Where in the lessons.
    pub learn: Option<LearnPlace>,
    /// The part of the teacher's corner.
    pub teach: Option<Corner>,
    /// Decisions that a worksheet of the document gives; none: no worksheet is asked for.
    pub given: Option<u32>,
    /// A game.
    pub game: Option<GameLink>,
}
