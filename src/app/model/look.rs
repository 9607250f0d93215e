//! How the page is set: mode, panels, theme, switches of the picture, what a run stops at.

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

    /// Key of what the switch to the next theme says.
    pub const fn key(self) -> &'static str {
        match self {
            Theme::System => "theme.system",
            Theme::Light => "theme.light",
            Theme::Dark => "theme.dark",
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

/// A state of a beam that the plan shows in place of its own: lane `index` of the moment after `events` events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaneShown {
    pub events: u32,
    pub index: u32,
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
