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
