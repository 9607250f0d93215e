use std::rc::Rc;

use crate::base::Message;
use crate::engine::{Measurement, Planned, PlannerChoice, SweepPoint, Vary};
use crate::graph::Graph;
use crate::replay::Run;
use crate::scene::Index;

/// Fewest and most columns.
pub const COLUMNS: (usize, usize) = (2, 4);

/// Positions of stepping by parts of the run.
pub const PARTS: u32 = 100;

/// How columns step together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sync {
    /// Results only.
    #[default]
    Final,
    /// All columns at the frame that places the same buffer.
    Buffer,
    /// All columns at the same part of their run.
    Fraction,
    /// Each for itself.
    Independent,
}

impl Sync {
    pub const ALL: [Sync; 4] = [Sync::Final, Sync::Buffer, Sync::Fraction, Sync::Independent];

    pub fn from_name(name: &str) -> Option<Sync> {
        Sync::ALL.into_iter().find(|sync| sync.name() == name)
    }

    pub const fn name(self) -> &'static str {
        match self {
            Sync::Final => "final",
            Sync::Buffer => "buffer",
            Sync::Fraction => "fraction",
            Sync::Independent => "independent",
        }
    }
}

/// What fills the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sheet {
    #[default]
    Columns,
    Ranking,
    Sweep,
    Graphs,
    Charts,
}

impl Sheet {
    pub const ALL: [Sheet; 5] = [Sheet::Columns, Sheet::Ranking, Sheet::Sweep, Sheet::Graphs, Sheet::Charts];

    pub fn from_name(name: &str) -> Option<Sheet> {
        Sheet::ALL.into_iter().find(|sheet| sheet.name() == name)
    }

    pub const fn name(self) -> &'static str {
        match self {
            Sheet::Columns => "columns",
            Sheet::Ranking => "ranking",
            Sheet::Sweep => "sweep",
            Sheet::Graphs => "graphs",
            Sheet::Charts => "charts",
        }
    }
}

/// What a link says of a comparison.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Compared {
    pub choices: Vec<PlannerChoice>,
    pub reference: usize,
    pub sync: Sync,
    pub differences: bool,
    pub fit_each: bool,
    pub turned: bool,
    pub sheet: Sheet,
    pub step: Option<u32>,
    pub position: Option<u32>,
    /// Places of columns that step for themselves, in events.
    pub cursors: Vec<u32>,
}

/// A sweep with its points.
#[derive(Clone, PartialEq, Debug)]
pub struct Swept {
    pub choice: PlannerChoice,
    pub vary: Vary,
    pub points: Vec<(SweepPoint, Result<Measurement, Message>)>,
}

/// One plan of the comparison.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    pub choice: PlannerChoice,
    /// Nothing until the engine has answered.
    pub shown: Option<Result<Rc<Shown>, Message>>,
    /// Number of events applied, where columns step for themselves.
    pub cursor: u32,
}

/// A plan with all that is drawn and told of it.
#[derive(Debug)]
pub struct Shown {
    pub run: Rc<Run>,
    pub index: Rc<Index>,
    pub found: Measurement,
}

impl PartialEq for Shown {
    /// A plan is equal to itself alone: comparing two of them would take as long as drawing them.
    fn eq(&self, other: &Shown) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Column {
    pub fn of(choice: PlannerChoice) -> Column {
        Column { choice, shown: None, cursor: u32::MAX }
    }

    /// The plan, if there is one.
    pub fn plan(&self) -> Option<&Rc<Shown>> {
        self.shown.as_ref()?.as_ref().ok()
    }
}

pub fn shown(planned: Planned, found: Measurement, graph: Option<&Rc<Graph>>, index: impl Fn(&Run) -> Index) -> Shown {
    let run = planned.into_run(graph);
    Shown { index: Rc::new(index(&run)), run: Rc::new(run), found }
}
