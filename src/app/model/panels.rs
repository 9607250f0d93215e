/// Tabs of the side panels and of the drawer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Tab {
    Files,
    Graph,
    Buffers,
    Why,
    State,
    Selection,
}

impl Tab {
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
    pub left: bool,
    pub right: bool,
    pub left_tab: Tab,
    pub drawer_tab: Tab,
    pub left_width: u32,
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
    pub const ALL: [Mode; 3] = [Mode::Step, Mode::Edit, Mode::Compare];

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
    Planners,
    Options,
    More,
    Help,
    Report,
    How,
    Find,
    RunTo,
    Templates,
    Export,
    /// The menu of a spot on the plan.
    Spot,
}
