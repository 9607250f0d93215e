//! What the stepper looks for, and where play stops.

/// What "run to" and breakpoints look for.
use std::collections::BTreeSet;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Wanted {
    /// The arena grows.
    Growth,
    /// A pool is opened.
    NewPool,
    /// The buffer gets bytes that no other buffer had.
    Fresh,
    /// A place is refused.
    Rejected,
    /// The selected buffer is placed.
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
    /// Index of a step.
    pub step: u32,
}

impl Wanted {
    /// All kinds, in the order of the menu.
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

    /// Name in links.
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

    /// Reads the name in links.
    pub fn from_name(name: &str) -> Option<Wanted> {
        Wanted::ALL.into_iter().find(|wanted| wanted.name() == name)
    }
}

/// Where play stops.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Breaks {
    /// Kinds of decisions.
    pub kinds: BTreeSet<Wanted>,
    /// Decisions marked by hand.
    pub decisions: BTreeSet<u32>,
    /// What the kinds with a number look for.
    pub targets: Targets,
}
