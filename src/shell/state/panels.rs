//! Panels, tabs, modes and overlays.

/// Tabs of the side panels and of the drawer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Tab {
    /// What is alive at one step.
    Peak,
    /// What this is, and where to begin.
    Start,
    /// Documents and examples.
    Files,
    /// The graph by execution step.
    Graph,
    /// The list of buffers.
    Buffers,
    /// The reason of the decision.
    Why,
    /// The program of the planner.
    Code,
    /// The state of the planner.
    State,
    /// The selected buffer.
    Selection,
}

impl Tab {
    /// Name in ids of elements and keys of words.
    pub const fn name(self) -> &'static str {
        match self {
            Tab::Peak => "peak",
            Tab::Start => "start",
            Tab::Files => "files",
            Tab::Graph => "graph",
            Tab::Buffers => "buffers",
            Tab::Why => "why",
            Tab::Code => "code",
            Tab::State => "state",
            Tab::Selection => "selection",
        }
    }

    /// Tabs of the right panel, in order.
    pub const RIGHT: [Tab; 3] = [Tab::Peak, Tab::Why, Tab::State];

    /// The same beside a plan whose planner has a program.
    pub const RIGHT_WITH_CODE: [Tab; 4] = [Tab::Peak, Tab::Why, Tab::Code, Tab::State];

    /// Reads the name of a tab of the right panel in links.
    pub fn from_name(name: &str) -> Option<Tab> {
        Tab::RIGHT_WITH_CODE.into_iter().find(|tab| tab.name() == name)
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
    /// Whether the drawer is open, which the other layouts have in place of the right panel.
    pub drawer: bool,
    /// Whether the tables of Edit stand beside the plan.
    pub editor: bool,
    /// Whether the figures of Compare stand beside the plans.
    pub figures: bool,
    /// Tab of the left panel.
    pub left_tab: Tab,
    /// Tab of the right panel or of the drawer that the user chose; none = the one that fits what
    /// is done.
    pub tab: Option<Tab>,
    /// Width of the left panel in px.
    pub left_width: u32,
    /// Width of the right panel in px.
    pub right_width: u32,
}

impl Default for Panels {
    fn default() -> Self {
        let (left_tab, tab) = (Tab::Files, None);
        let (left, right, drawer, editor, figures) = (true, true, true, true, true);
        Panels { left, right, drawer, editor, figures, left_tab, tab, left_width: 280, right_width: 360 }
    }
}

impl Panels {
    /// Opens or closes what stands on the left of the plan in a mode.
    pub fn toggle_left(&mut self, mode: Mode) {
        match mode {
            Mode::Step => self.left = !self.left,
            Mode::Edit => self.editor = !self.editor,
            Mode::Compare | Mode::Diff | Mode::Fit | Mode::Learn => {}
        }
    }

    /// Opens or closes what stands on the right of the plan in a mode, or below it.
    pub fn toggle_right(&mut self, mode: Mode) {
        match mode {
            Mode::Step => {
                let open = !(self.right && self.drawer);
                (self.right, self.drawer) = (open, open);
            }
            Mode::Edit | Mode::Diff | Mode::Fit | Mode::Learn => {}
            Mode::Compare => self.figures = !self.figures,
        }
    }

    /// Leaves the plan alone, or brings everything around it back.
    pub fn toggle_all(&mut self, mode: Mode) {
        match mode {
            Mode::Step => {
                let open = !(self.left || self.right || self.drawer);
                (self.left, self.right, self.drawer) = (open, open, open);
            }
            Mode::Edit => self.toggle_left(mode),
            Mode::Compare => self.toggle_right(mode),
            Mode::Diff | Mode::Fit | Mode::Learn => {}
        }
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
    /// Two documents with their plans, a part of Compare.
    Diff,
    /// What makes the graph fit into a memory.
    Fit,
    /// Lessons, each beside a plan.
    Learn,
}

impl Mode {
    /// All modes of the header, in its order.
    pub const ALL: [Mode; 5] = [Mode::Learn, Mode::Step, Mode::Compare, Mode::Fit, Mode::Edit];

    /// The mode of the header that it belongs to.
    pub const fn in_header(self) -> Mode {
        if matches!(self, Mode::Diff) { Mode::Compare } else { self }
    }

    /// Name in ids of elements and keys of words.
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Step => "step",
            Mode::Edit => "edit",
            Mode::Compare => "compare",
            Mode::Diff => "diff",
            Mode::Fit => "fit",
            Mode::Learn => "learn",
        }
    }
}

/// Overlays that cover part of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overlay {
    /// The list of planners.
    Planners,
    /// What the open document can be compared with.
    Older,
    /// What can be opened beside an older document.
    Newer,
    /// Options of the planner, and what is planned.
    Options,
    /// The menu of the page.
    More,
    /// The list of keys.
    Help,
    /// The meaning of the signs on the plan.
    Signs,
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
    /// A plan for TensorFlow Lite Micro.
    Write,
    /// What a picture of this frame carries.
    Picture,
    /// A text to be copied by hand.
    ByHand,
    /// The menu of a spot on the plan.
    Spot,
}
