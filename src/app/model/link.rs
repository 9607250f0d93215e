//! What a link says.

use std::collections::BTreeMap;

use crate::app::model::breakpoints::Breaks;
use crate::app::model::comparison::Compared;
use crate::app::model::look::Theme;
use crate::problem::Scope;
use crate::replay::Level;
use crate::scene::{ColorBy, Window};
use crate::text::Locale;

/// The moment a link points at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LinkPlace {
    /// Number of the frame.
    pub frame: Option<u32>,
    /// Name of the selected buffer.
    pub selection: Option<String>,
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

/// Settings that a link carries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Restored {
    /// Id of the planner.
    pub planner: Option<String>,
    /// Options of the planner.
    pub options: BTreeMap<String, String>,
    /// What is planned.
    pub scope: Option<Scope>,
    /// What a frame is.
    pub level: Option<Level>,
    /// What colours tell.
    pub color_by: Option<ColorBy>,
    /// The part of the plan that is seen.
    pub view: Option<Window>,
    /// What stops play.
    pub breaks: Breaks,
    /// The comparison, if it is shown.
    pub compared: Option<Compared>,
    /// The language.
    pub locale: Option<Locale>,
    /// The colours.
    pub theme: Option<Theme>,
}
