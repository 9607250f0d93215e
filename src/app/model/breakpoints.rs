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
