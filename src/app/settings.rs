//! How the page is set: mode, panels, theme, switches of the picture, what a run stops at.

use std::collections::BTreeSet;

/// What "run to" and breakpoints look for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Wanted {
    Growth,
    NewPool,
    Fresh,
    Rejected,
    Selection,
    /// The buffer lies on [`Targets::address`] in the finished plan.
    Address,
    /// The buffer is alive at [`Targets::step`].
    Step,
    /// The selected node of the tree is asked or changed.
    Node,
}

/// What the kinds of [`Wanted`] that take a number look for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Targets {
    /// Bytes from the base of a pool, whichever.
    pub address: u64,
    pub step: u32,
}

impl Wanted {
    pub const ALL: [Wanted; 8] = [
        Wanted::Growth,
        Wanted::NewPool,
        Wanted::Fresh,
        Wanted::Rejected,
        Wanted::Selection,
        Wanted::Address,
        Wanted::Step,
        Wanted::Node,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Wanted::Growth => "grow",
            Wanted::NewPool => "pool",
            Wanted::Fresh => "fresh",
            Wanted::Rejected => "reject",
            Wanted::Selection => "selection",
            Wanted::Address => "address",
            Wanted::Step => "step",
            Wanted::Node => "node",
        }
    }

    pub fn from_name(name: &str) -> Option<Wanted> {
        Wanted::ALL.into_iter().find(|wanted| wanted.name() == name)
    }
}

/// Where play stops.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Breaks {
    pub kinds: BTreeSet<Wanted>,
    /// Decisions marked by hand.
    pub decisions: BTreeSet<u32>,
    pub targets: Targets,
}

/// Switches of the picture and of the state panel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look {
    pub tree: bool,
    pub dim: bool,
    pub load: bool,
    pub waste: bool,
    pub reuse: bool,
    pub minimap: bool,
    /// The state panel shows the frame before this one.
    pub before: bool,
}

impl Default for Look {
    fn default() -> Self {
        Look { tree: true, dim: true, load: true, waste: false, reuse: true, minimap: true, before: false }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Switch {
    Tree,
    Dim,
    Load,
    Waste,
    Reuse,
    Minimap,
    Before,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    pub const fn name(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    pub fn from_name(name: &str) -> Theme {
        [Theme::Light, Theme::Dark].into_iter().find(|theme| theme.name() == name).unwrap_or_default()
    }

    pub const fn next(self) -> Theme {
        match self {
            Theme::System => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::System,
        }
    }
}

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

/// A state of a beam that the plan shows in place of its own: lane `index` of the moment after `events` events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaneShown {
    pub events: u32,
    pub index: u32,
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

impl Look {
    pub fn flip(&mut self, switch: Switch) {
        let on = match switch {
            Switch::Tree => &mut self.tree,
            Switch::Dim => &mut self.dim,
            Switch::Load => &mut self.load,
            Switch::Waste => &mut self.waste,
            Switch::Reuse => &mut self.reuse,
            Switch::Minimap => &mut self.minimap,
            Switch::Before => &mut self.before,
        };
        *on = !*on;
    }
}
