//! How the page is set: mode, panels, theme, switches of the picture, what a run stops at.

/// Switches of the picture and of the state panel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look {
    /// Regions of the tree are outlined.
    pub tree: bool,
    /// Buffers not yet placed are faded.
    pub dim: bool,
    /// The load curve is drawn.
    pub load: bool,
    /// Bytes below the top that no buffer covers are hatched.
    pub waste: bool,
    /// Bytes handed from buffer to buffer are linked.
    pub reuse: bool,
    /// What lies where at the cursor's step stands beside the plan.
    pub slice: bool,
    /// What training holds bytes for, over time, stands above the plan.
    pub classes: bool,
    /// Whether the whole run stands in a strip below the plan; none: for runs of many buffers.
    pub minimap: Option<bool>,
    /// The axis of addresses is broken where one buffer takes most of the height.
    pub squeeze: bool,
    /// The state panel shows the frame before this one.
    pub before: bool,
}

impl Default for Look {
    fn default() -> Self {
        Look {
            tree: true,
            dim: true,
            load: true,
            waste: false,
            reuse: true,
            slice: true,
            classes: true,
            minimap: None,
            squeeze: false,
            before: false,
        }
    }
}

/// A switch of [`Look`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Switch {
    /// See [`Look::tree`].
    Tree,
    /// See [`Look::dim`].
    Dim,
    /// See [`Look::load`].
    Load,
    /// See [`Look::waste`].
    Waste,
    /// See [`Look::reuse`].
    Reuse,
    /// See [`Look::minimap`].
    Minimap,
    /// See [`Look::slice`].
    Slice,
    /// See [`Look::classes`].
    Classes,
    /// See [`Look::squeeze`].
    Squeeze,
    /// See [`Look::before`].
    Before,
}

/// The colours of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Theme {
    /// As the system asks for.
    #[default]
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    /// Name in links.
    pub const fn name(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    /// Key of the words on the switch to the next theme.
    pub const fn key(self) -> &'static str {
        match self {
            Theme::System => "theme.system",
            Theme::Light => "theme.light",
            Theme::Dark => "theme.dark",
        }
    }

    /// Reads the name in links; any other text is [`Theme::System`].
    pub fn from_name(name: &str) -> Theme {
        [Theme::Light, Theme::Dark].into_iter().find(|theme| theme.name() == name).unwrap_or_default()
    }

    /// Returns the theme that the switch goes to.
    pub const fn next(self) -> Theme {
        match self {
            Theme::System => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::System,
        }
    }
}

/// A state of a beam that the plan shows in place of its own: lane `index` of the moment after
/// `events` events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaneShown {
    /// Number of events applied.
    pub events: u32,
    /// Index of the lane.
    pub index: u32,
}

impl Look {
    /// Turns a switch; that of the overview is turned where the run is known.
    pub fn flip(&mut self, switch: Switch) {
        let on = match switch {
            // Whether it is there depends on the run.
            Switch::Minimap => return,
            Switch::Tree => &mut self.tree,
            Switch::Dim => &mut self.dim,
            Switch::Load => &mut self.load,
            Switch::Waste => &mut self.waste,
            Switch::Reuse => &mut self.reuse,
            Switch::Slice => &mut self.slice,
            Switch::Classes => &mut self.classes,
            Switch::Squeeze => &mut self.squeeze,
            Switch::Before => &mut self.before,
        };
        *on = !*on;
    }
}
