//! Plans side by side.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::open::state::indexed::AT_ONCE;
use memplan_core::base::Message;
use memplan_core::graph::Graph;
use memplan_engine::{Measurement, Planned, PlannerChoice, SweepPoint, Vary};
use memplan_replay::Run;
use memplan_scene::{Index, Stretch};

/// Fewest and most columns.
pub const COLUMNS: (usize, usize) = (2, 4);

/// Positions of stepping by parts of the run.
pub const PARTS: u32 = 100;

/// How columns step together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sync {
    /// All columns at the frame that places the same buffer, in the order of the reference.
    #[default]
    Buffer,
    /// All columns at the frame of the same number.
    Frame,
    /// All columns at the same part of their run.
    Fraction,
    /// Each at a frame of its own.
    Own,
}

impl Sync {
    /// All ways, in the order of the menu.
    pub const ALL: [Sync; 4] = [Sync::Buffer, Sync::Frame, Sync::Fraction, Sync::Own];

    /// Reads the name in links, also in those of before.
    pub fn from_name(name: &str) -> Option<Sync> {
        match name {
            // Results only: no way to step, but a position that every way has.
            "final" => Some(Sync::Buffer),
            "independent" => Some(Sync::Own),
            _ => Sync::ALL.into_iter().find(|sync| sync.name() == name),
        }
    }

    /// Name in links.
    pub const fn name(self) -> &'static str {
        match self {
            Sync::Buffer => "buffer",
            Sync::Frame => "frame",
            Sync::Fraction => "fraction",
            Sync::Own => "own",
        }
    }
}

/// What fills the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sheet {
    /// Plans side by side.
    #[default]
    Columns,
    /// A row for each planner.
    Ranking,
    /// One figure over the values of one option.
    Sweep,
    /// A row for each of many graphs.
    Graphs,
    /// Charts of the plans.
    Charts,
    /// A row for each setting of the allocator that a program was recorded with.
    WhatIf,
}

impl Sheet {
    /// All sheets, in order.
    pub const ALL: [Sheet; 6] =
        [Sheet::Columns, Sheet::Ranking, Sheet::Sweep, Sheet::Graphs, Sheet::Charts, Sheet::WhatIf];

    /// Reads the name in links.
    pub fn from_name(name: &str) -> Option<Sheet> {
        Sheet::ALL.into_iter().find(|sheet| sheet.name() == name)
    }

    /// Name in links.
    pub const fn name(self) -> &'static str {
        match self {
            Sheet::Columns => "columns",
            Sheet::Ranking => "ranking",
            Sheet::Sweep => "sweep",
            Sheet::Graphs => "graphs",
            Sheet::Charts => "charts",
            Sheet::WhatIf => "whatif",
        }
    }
}

/// The comparison in a link.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Compared {
    /// Planners with their options, a column each.
    pub choices: Vec<PlannerChoice>,
    /// Index of the column that the others are compared with.
    pub reference: usize,
    /// How columns step together.
    pub sync: Sync,
    /// Whether differences from the reference are marked.
    pub differences: bool,
    /// Whether each column has a scale of its own.
    pub fit_each: bool,
    /// Whether addresses go across and time goes down.
    pub turned: bool,
    /// Whether the axis of addresses is broken where one buffer takes most of the height.
    pub squeezed: bool,
    /// What fills the page.
    pub sheet: Sheet,
    /// What is varied.
    pub vary: Vary,
    /// Bytes of the card that other settings are tried on.
    pub card: Option<u64>,
    /// Step of the time cursor, if one was chosen.
    pub step: Option<u32>,
    /// Position of the common stepper; none for the finished plans.
    pub position: Option<u32>,
    /// Places of columns that step for themselves, in events.
    pub cursors: Vec<u32>,
}

/// A sweep with its points.
#[derive(Clone, PartialEq, Debug)]
pub struct Swept {
    /// The planner with its options.
    pub choice: PlannerChoice,
    /// What is varied.
    pub vary: Vary,
    /// Each value with what was measured, or why nothing was.
    pub points: Vec<(SweepPoint, Result<Measurement, Message>)>,
}

/// One plan of the comparison.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    /// The planner with its options.
    pub choice: PlannerChoice,
    /// Nothing until the engine has answered.
    pub shown: Option<Result<Rc<Shown>, Message>>,
    /// Number of events applied, where columns step for themselves; the largest number for the
    /// finished plan.
    pub cursor: u32,
}

/// A plan with all that is shown of it.
#[derive(Debug)]
pub struct Shown {
    /// The run.
    pub run: Rc<Run>,
    /// Its figures.
    pub found: Measurement,
    index: OnceCell<Rc<Index>>,
    stretch: OnceCell<Option<Stretch>>,
}

impl Shown {
    /// What the scene knows of the run, worked out when it is asked for first. That of a large one
    /// takes a task.
    pub fn index(&self) -> &Rc<Index> {
        self.index.get_or_init(|| Rc::new(Index::of(&self.run)))
    }

    /// Where the axis of addresses can be broken.
    pub fn stretch(&self) -> Option<Stretch> {
        *self.stretch.get_or_init(|| Stretch::of(&self.run, self.index()))
    }

    /// Whether the run can be drawn at once.
    pub fn is_ready(&self) -> bool {
        self.index.get().is_some() || self.run.problem.buffers.len() <= AT_ONCE
    }
}

impl PartialEq for Shown {
    /// A plan is equal to itself alone: comparing two of them would take as long as drawing them.
    fn eq(&self, other: &Shown) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Column {
    /// Returns a column that waits for its plan.
    pub fn of(choice: PlannerChoice) -> Column {
        Column { choice, shown: None, cursor: u32::MAX }
    }

    /// The plan, if there is one.
    pub fn plan(&self) -> Option<&Rc<Shown>> {
        self.shown.as_ref()?.as_ref().ok()
    }
}

/// Returns a plan with all that is drawn of it.
pub fn shown(planned: Planned, found: Measurement, graph: Option<&Rc<Graph>>) -> Shown {
    Shown { run: Rc::new(planned.into_run(graph)), found, index: OnceCell::new(), stretch: OnceCell::new() }
}
