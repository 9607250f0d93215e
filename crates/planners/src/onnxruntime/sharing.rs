//! The allocation plan: which result gets a buffer of its own, and which takes over another's.

use std::collections::BTreeMap;

use super::network::{Kernel, Network, Role};
use memplan_core::problem::{Branches, BufferId};
use memplan_core::trace::Note;

/// How a result comes into a buffer that is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// The kernel gives it the name of an operand.
    View,
    /// The kernel overwrites an operand.
    InPlace,
    /// From the list of free buffers.
    FreeList,
}

/// What becomes of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// Nothing: it is there before the first node.
    Outside,
    /// It is a graph result, allocated by itself.
    Output,
    /// A buffer of its own.
    Allocate,
    /// The buffer of `owner`; `from` is the operand, or the value of the free list.
    Share {
        /// The value that the buffer was allocated for.
        owner: u32,
        /// The value that it is shared with.
        from: u32,
        /// How.
        way: Way,
    },
}

/// Why an operand is not overwritten, or that it is, with a number.
pub type Judged = (u32, Note, u64);

/// What decides beside the network.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// Whether free buffers are handed on (`enable_mem_reuse`).
    pub reuse: bool,
    /// Every size and offset of the block is a multiple of this many bytes.
    pub align: u64,
    /// Which buffers may share bytes.
    pub branches: &'a Branches,
}

/// The plan while it is made, kernel by kernel.
pub struct Sharing<'a> {
    network: &'a Network,
    setting: Setting<'a>,
    /// The value that owns the buffer of each.
    pub owner: Vec<u32>,
    /// What became of each result.
    pub decisions: Vec<Decision>,
    /// Uses of a buffer that are still to come, by owner.
    count: Vec<u32>,
    /// Buffers of the problem in each owner's; kept only if branches matter.
    pub members: Vec<Vec<BufferId>>,
    /// Free owners by number of their turn: the newest last.
    free: BTreeMap<u64, u32>,
    /// The same for each class.
    by_class: Vec<Vec<(u64, u32)>>,
    turns: u64,
}

impl<'a> Sharing<'a> {
    /// Counts the uses of every value.
    pub fn new(network: &'a Network, setting: Setting<'a>) -> Sharing<'a> {
        let given = |role: Role| u32::from(role != Role::Made);
        let values = &network.values;
        let mut count: Vec<u32> = values.iter().map(|value| given(value.role) + u32::from(value.is_kept)).collect();
        for kernel in &network.kernels {
            kernel.inputs.iter().chain(&kernel.outputs).for_each(|&value| count[value as usize] += 1);
        }
        let classes = network.classes.iter().flatten().max().map_or(0, |&last| last as usize + 1);
        Sharing {
            network,
            setting,
            owner: (0..values.len() as u32).collect(),
            decisions: vec![Decision::Outside; values.len()],
            count,
            members: vec![Vec::new(); values.len()],
            free: BTreeMap::new(),
            by_class: vec![Vec::new(); classes],
            turns: 0,
        }
    }

    /// Decides about a result of a kernel. `judged` receives the operands that it might have
    /// overwritten, with the reason.
    pub fn decide(&mut self, kernel: &Kernel, value: u32, judged: &mut Vec<Judged>) -> Decision {
        let decision = self.decision(kernel, value, judged);
        self.decisions[value as usize] = decision;
        if let Decision::Share { owner, way, .. } = decision {
            if way == Way::FreeList {
                self.leave(owner);
            }
            self.owner[value as usize] = owner;
            self.count[owner as usize] += self.count[value as usize];
        }
        if self.setting.branches.is_on()
            && let Some(buffer) = self.network.values[value as usize].buffer
        {
            let members = &mut self.members[self.owner[value as usize] as usize];
            if members.last() != Some(&buffer) {
                members.push(buffer);
            }
        }
        decision
    }

    fn decision(&self, kernel: &Kernel, value: u32, judged: &mut Vec<Judged>) -> Decision {
        match self.network.values[value as usize].role {
            Role::Outside => return Decision::Outside,
            Role::Output => return Decision::Output,
            Role::Made => {}
        }
        if let Some(&(from, _)) = kernel.views.iter().find(|&&(_, view)| view == value) {
            return Decision::Share { owner: self.owner[from as usize], from, way: Way::View };
        }
        for &(from, _) in kernel.pairs.iter().filter(|&&(_, result)| result == value) {
            let refused = self.refused(from, value);
            judged.push((from, refused.map_or(Note::InPlaceDies, |why| why.0), refused.map_or(0, |why| why.1)));
            if refused.is_none() {
                return Decision::Share { owner: self.owner[from as usize], from, way: Way::InPlace };
            }
        }
        match self.newest(value) {
            Some(owner) => Decision::Share { owner, from: owner, way: Way::FreeList },
            None => Decision::Allocate,
        }
    }

    /// Why a result does not overwrite an operand, with a number; none if it does.
    fn refused(&self, from: u32, value: u32) -> Option<(Note, u64)> {
        let owner = self.owner[from as usize];
        let left = self.count[owner as usize];
        if self.network.values[owner as usize].role != Role::Made {
            Some((Note::InPlaceKind, 0))
        } else if left != 1 {
            Some((Note::InPlaceReads, left.into()))
        } else if !self.is_alike(from, value) || !self.holds(owner, value) {
            Some((Note::InPlaceShape, 0))
        } else if !self.allowed(owner, value) {
            Some((Note::InPlaceParallel, 0))
        } else {
            None
        }
    }

    /// Whether a result is served from the free list at all: not if nobody reads it, and not
    /// without a known shape with extents.
    pub fn may_reuse(&self, value: u32) -> bool {
        let has_extents = self.network.values[value as usize].shape.as_ref().is_some_and(|shape| !shape.is_empty());
        self.setting.reuse && has_extents && self.is_read(value)
    }

    /// Whether anybody reads a result.
    pub fn is_read(&self, value: u32) -> bool {
        self.count[value as usize] > 1
    }

    /// The newest free buffer of a result's shape and element size.
    fn newest(&self, value: u32) -> Option<u32> {
        let class = self.network.classes[value as usize].filter(|_| self.may_reuse(value))?;
        let list = &self.by_class[class as usize];
        list.iter().rev().map(|&(_, owner)| owner).find(|&owner| self.allowed(owner, value) && self.holds(owner, value))
    }

    /// Whether branches allow a value in a buffer, beside all that were in it.
    pub fn allowed(&self, owner: u32, value: u32) -> bool {
        let branches = self.setting.branches;
        let buffer = self.network.values[value as usize].buffer.filter(|_| branches.is_on());
        buffer.is_none_or(|buffer| self.members[owner as usize].iter().all(|&member| branches.allow(member, buffer)))
    }

    /// Whether a buffer has the bytes of a value. It lacks them only where a graph states a view
    /// that is larger than its source, which no kernel makes.
    fn holds(&self, owner: u32, value: u32) -> bool {
        self.network.values[value as usize].size <= self.network.values[owner as usize].size
    }

    /// Returns the free buffers, the newest first.
    pub fn free(&self) -> impl Iterator<Item = u32> + '_ {
        self.free.values().rev().copied()
    }

    /// Number of free buffers.
    pub fn free_count(&self) -> u64 {
        self.free.len() as u64
    }

    /// Whether two values have the same shape and element size.
    pub fn is_alike(&self, a: u32, b: u32) -> bool {
        let class = |value: u32| self.network.classes[value as usize];
        class(a).is_some() && class(a) == class(b)
    }

    /// Counts what a kernel used; returns the buffers that become free, in order.
    pub fn finish(&mut self, kernel: &Kernel) -> Vec<u32> {
        let mut freed = Vec::new();
        for &value in kernel.inputs.iter().chain(&kernel.outputs) {
            let owner = self.owner[value as usize];
            let count = &mut self.count[owner as usize];
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.free.insert(self.turns, owner);
                if let Some(class) = self.network.classes[owner as usize] {
                    self.by_class[class as usize].push((self.turns, owner));
                }
                self.turns += 1;
                freed.push(owner);
            }
        }
        freed
    }

    /// Takes a buffer out of the free list.
    fn leave(&mut self, owner: u32) {
        let Some(class) = self.network.classes[owner as usize] else { return };
        let list = &mut self.by_class[class as usize];
        if let Some(at) = list.iter().rposition(|&(_, other)| other == owner) {
            let (turn, _) = list.remove(at);
            self.free.remove(&turn);
        }
    }
}
