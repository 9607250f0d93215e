//! Panels, tabs, modes and overlays.

/// Tabs of the side panels and of the drawer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Tab {
    /// Documents and examples.
    Files,
    /// The graph by execution step.
    Graph,
    /// The list of buffers.
    Buffers,
    /// The reason of the decision.
    Why,
    /// The state of the planner.
    State,
    /// The selected buffer.
    Selection,
}

impl Tab {
    /// Name in ids of elements and keys of words.
    pub const fn name(self) -> &'static str {
        match self {
            Tab::Files => "files",
            Tab::Graph => "graph",
            Tab::Buffers => "buffers",
            Tab::Why => "why",
            Tab::State => "state",
            Tab::Selection => "selection",
        }
    }
}

/// Least and most width of the left panel, in px.
pub const LEFT_WIDTH: (u32, u32) = (220, 480);

/// Least and most width of the right panel, in px.
pub const RIGHT_WIDTH: (u32, u32) = (300, 520);

/// Which panels are open, and at which tab.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Panels {
    /// Whether the left panel is open.
    pub left: bool,
    /// Whether the right panel is open.
    pub right: bool,
    /// Tab of the left panel.
    pub left_tab: Tab,
    /// Tab of the drawer.
    pub drawer_tab: Tab,
    /// Width of the left panel in px.
    pub left_width: u32,
    /// Width of the right panel in px.
    pub right_width: u32,
}

impl Default for Panels {
    fn default() -> Self {
        let (left_tab, drawer_tab) = (Tab::Files, Tab::Why);
        Panels { left: true, right: true, left_tab, drawer_tab, left_width: 280, right_width: 360 }
    }
}

/// What the page is used for. Document, selection and view stay when it changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// One planner, frame by frame.
    #[default]
    Step,
    /// The graph beside the plan that it gives.
    Edit,
    /// Plans of several planners side by side.
    Compare,
}

impl Mode {
    /// All modes, in the order of the header.
    pub const ALL: [Mode; 3] = [Mode::Step, Mode::Edit, Mode::Compare];

    /// Name in ids of elements and keys of words.
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Step => "step",
            Mode::Edit => "edit",
            Mode::Compare => "compare",
        }
    }
}

/// Overlays that cover part of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overlay {
    /// The list of planners.
    Planners,
    /// Options of the planner, and what is planned.
    Options,
    /// The menu of the page.
    More,
    /// The list of keys.
    Help,
    /// What reading the document found.
    Report,
    /// How the planner works.
    How,
    /// The box that finds things.
    Find,
    /// What to run to.
    RunTo,
    /// Graphs to begin with.
    Templates,
    /// The menu of files to write.
    Export,
    /// The menu of a spot on the plan.
    Spot,
}
