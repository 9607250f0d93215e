//! What is placed, what that leaves room for, and how it is taken back. Every number is in units of
//! the model.

use super::model::{Member, Model};

/// Lowest offset of a buffer that is placed: larger than any other, so that it is never below
/// anything.
pub const PLACED: i32 = i32::MAX / 2;

/// Why a buffer cannot go where it was tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reject {
    /// Another buffer is pushed so high that it ends above the capacity, by so many units, or above
    /// its stated position.
    Pushed { other: u32, by: i32 },
    /// What is still to be placed in a section would end above the capacity.
    Section { section: u32, by: i32 },
}

/// The buffers placed so far. Lists of a fixed length are boxed: an index into a `Vec` is a call
/// where code is kept small.
pub struct PartialPacking<'a> {
    pub model: &'a Model,
    pub capacity: i32,
    /// Lowest offset that is still possible, by item.
    pub lowest: Box<[i32]>,
    /// Sum of what is not placed yet, by section.
    pub totals: Box<[i32]>,
    /// Number of buffers not placed yet that hold section `k` and the one after it together.
    cuts: Box<[i32]>,
    /// A member of each section that was low enough when it was looked for last.
    witness: Box<[Member]>,
    /// The section that refused a buffer last, by item.
    refused: Box<[u32]>,
    /// Whether the numbers of a [`Reject`] are read.
    pub explains: bool,
    /// Round of [`PartialPacking::stuck`] in which a section was looked at last.
    held: Box<[u64]>,
    round: u64,
    /// Lowest end above a node's offset of each buffer, for [`PartialPacking::stuck`].
    ends: Box<[i32]>,
    /// Former values of `lowest`.
    log: Vec<(u32, i32)>,
    /// Buffers that were passed over, with their lowest offsets while other ones stand in for them.
    lifted: Vec<(u32, i32)>,
    /// Buffers and sections looked at so far.
    pub work: u64,
}

impl<'a> PartialPacking<'a> {
    pub fn new(model: &'a Model) -> PartialPacking<'a> {
        let (items, sections) = (model.items.len(), model.loads.len());
        PartialPacking {
            model,
            capacity: 0,
            lowest: vec![0; items].into(),
            totals: vec![0; sections].into(),
            cuts: vec![0; sections].into(),
            witness: model.sections.iter().map(|members| members[0]).collect(),
            refused: vec![0; items].into(),
            explains: false,
            held: vec![0; sections].into(),
            round: 0,
            ends: vec![0; items].into(),
            log: Vec::new(),
            lifted: Vec::new(),
            work: 0,
        }
    }

    /// Nothing placed.
    pub fn reset(&mut self, capacity: i32) {
        let model = self.model;
        self.capacity = capacity;
        self.lowest.iter_mut().zip(&model.items).for_each(|(lowest, item)| *lowest = item.fixed.unwrap_or(0));
        self.totals.copy_from_slice(&model.loads);
        self.cuts.fill(0);
        for item in &model.items {
            let (from, to) = item.reach;
            self.cuts[from as usize..to.saturating_sub(1).max(from) as usize].iter_mut().for_each(|cut| *cut += 1);
        }
        self.witness.iter_mut().zip(model.sections.iter()).for_each(|(witness, members)| *witness = members[0]);
        self.log.clear();
    }

    pub fn is_placed(&self, item: u32) -> bool {
        self.lowest[item as usize] == PLACED
    }

    /// A mark to take back to.
    pub fn mark(&self) -> u32 {
        self.log.len() as u32
    }

    /// The section that a buffer at `offset` leaves no room for.
    pub fn fullest(&self, sections: (u32, u32), offset: i32) -> Reject {
        let over = |section: &u32| self.totals[*section as usize] + offset - self.capacity;
        let section = (sections.0..sections.1).max_by_key(over).unwrap_or(sections.0);
        Reject::Section { section, by: over(&section) }
    }

    /// Places a buffer and raises what it overlaps. Returns true if all its neighbours were placed
    /// before.
    pub fn place(&mut self, item: u32, offset: i32) -> Result<bool, Reject> {
        let model = self.model;
        self.log.push((item, self.lowest[item as usize]));
        self.lowest[item as usize] = PLACED;
        for piece in model.pieces.of(item) {
            self.totals[piece.from as usize..piece.to as usize].iter_mut().for_each(|total| *total -= piece.height);
        }
        let own = model.pieces.of(item);
        let (mut from, mut to) = (own.first().map_or(0, |piece| piece.from), own.last().map_or(0, |piece| piece.to));
        let mut neighbours_placed = true;
        self.work += model.neighbours.of(item).len() as u64;
        if model.free {
            // The search has asked whether all that is left of each section fits above `offset`, so
            // none is pushed too high.
            let raised = offset + model.sizes[item as usize];
            for there in model.neighbours.of(item) {
                let lowest = &mut self.lowest[there.item as usize];
                let before = *lowest;
                neighbours_placed &= before == PLACED;
                if raised > before {
                    *lowest = raised;
                    self.log.push((there.item, before));
                    let reach = model.reaches[there.item as usize];
                    (from, to) = (from.min(reach.0), to.max(reach.1));
                }
            }
        } else {
            for &neighbour in model.neighbours.of(item) {
                let before = self.lowest[neighbour.item as usize];
                neighbours_placed &= before == PLACED;
                let raised = offset + neighbour.rise;
                if raised <= before {
                    continue;
                }
                let other = &model.items[neighbour.item as usize];
                let raised = align_up(raised, other.align);
                self.log.push((neighbour.item, before));
                self.lowest[neighbour.item as usize] = raised;
                let end = raised + other.size - self.capacity;
                let above = other.fixed.map_or(0, |fixed| raised - fixed);
                if end > 0 || above > 0 {
                    return Err(Reject::Pushed { other: neighbour.item, by: end.max(above) });
                }
                (from, to) = (from.min(other.reach.0), to.max(other.reach.1));
            }
        }
        // What refused a buffer the last time is likely to do so again. Whoever asks why gets the
        // first section of all, and everything else goes on as if nobody asked.
        let last = self.refused[item as usize];
        if from <= last && last < to && !self.holds(last) {
            return Err(match self.explains {
                true => self.overfull((from..=last).find(|&section| !self.has_room(section)).unwrap_or(last)),
                false => Reject::Section { section: last, by: 0 },
            });
        }
        self.work += u64::from(to.saturating_sub(from));
        let mut next = from;
        while let Some(section) = self.tight(next, to) {
            if !self.holds(section) {
                self.refused[item as usize] = section;
                return Err(if self.explains { self.overfull(section) } else { Reject::Section { section, by: 0 } });
            }
            next = section + 1;
        }
        Ok(neighbours_placed)
    }

    /// The first of the sections `[from, to)` in which the buffer that was low enough no longer is.
    fn tight(&self, from: u32, to: u32) -> Option<u32> {
        let sections = from as usize..to.max(from) as usize;
        let mut known = self.totals[sections.clone()].iter().zip(&self.witness[sections]);
        let place = known.position(|(total, witness)| self.low(witness) > self.capacity - total);
        place.map(|place| from + place as u32)
    }

    /// Returns true if some buffer of the section can still lie low enough for all of them to fit
    /// above each other.
    fn holds(&mut self, section: u32) -> bool {
        let total = self.totals[section as usize];
        let highest = self.capacity - total;
        if total == 0 || self.low(&self.witness[section as usize]) <= highest {
            return true;
        }
        // Backwards, because that finds one sooner: after a third fewer looks on MiniMalloc's
        // instances.
        let members = self.model.sections.of(section);
        self.work += members.len() as u64;
        let found = members.iter().rev().find(|member| self.low(member) <= highest);
        found.is_some_and(|member| {
            self.witness[section as usize] = *member;
            true
        })
    }

    /// The same without a note of what was found.
    fn has_room(&self, section: u32) -> bool {
        let total = self.totals[section as usize];
        total == 0 || self.model.sections.of(section).iter().any(|member| self.low(member) <= self.capacity - total)
    }

    /// A section that does not hold.
    fn overfull(&self, section: u32) -> Reject {
        let floor = self.model.sections.of(section).iter().map(|member| self.low(member)).fold(PLACED, i32::min);
        Reject::Section { section, by: floor + self.totals[section as usize] - self.capacity }
    }

    /// Lowest offset of what a buffer has in use in a section.
    #[inline(always)]
    fn low(&self, member: &Member) -> i32 {
        self.lowest[member.item as usize] + member.low
    }

    pub fn unplace(&mut self, item: u32, log: u32) {
        for (item, lowest) in self.log.drain(log as usize..).rev() {
            self.lowest[item as usize] = lowest;
        }
        for piece in self.model.pieces.of(item) {
            self.totals[piece.from as usize..piece.to as usize].iter_mut().for_each(|total| *total += piece.height);
        }
    }

    /// Takes a placed buffer out of the borders it crosses; the ranges that `sections` falls into,
    /// if it does.
    pub fn cut(&mut self, item: u32, sections: (u32, u32)) -> Option<Vec<(u32, u32)>> {
        let (from, to) = self.model.items[item as usize].reach;
        let (mut ranges, mut start) = (Vec::new(), sections.0);
        for border in from..to.saturating_sub(1).max(from) {
            let cut = &mut self.cuts[border as usize];
            *cut -= 1;
            if *cut == 0 {
                ranges.push((start, border + 1));
                start = border + 1;
            }
        }
        if ranges.is_empty() {
            return None;
        }
        ranges.push((start, sections.1));
        Some(ranges)
    }

    pub fn uncut(&mut self, item: u32) {
        let (from, to) = self.model.items[item as usize].reach;
        self.cuts[from as usize..to.saturating_sub(1).max(from) as usize].iter_mut().for_each(|cut| *cut += 1);
    }

    /// The first of `members` that can no longer be placed if the next buffer lies at `offset` or
    /// above, and there has at least `rank`. Those that come before it were passed over, so they
    /// must end up on a buffer that is still to be placed: on the lowest possible end of one in
    /// their way. None if all of them can. `lows` are the lowest offsets of the members.
    pub fn stuck(&mut self, members: &[u32], lows: &[i32], offset: i32, rank: u32) -> Option<u32> {
        let model = self.model;
        let mut lifted = std::mem::take(&mut self.lifted);
        lifted.clear();
        let at_rank = rank as usize;
        let [before, from] = [&lows[..at_rank], &lows[at_rank..]].map(|lows| lows.iter());
        lifted.extend(members.iter().zip(before).filter(|(_, own)| **own <= offset).map(|(item, own)| (*item, *own)));
        let rest = members[at_rank..].iter().zip(from);
        lifted.extend(rest.filter(|(_, own)| **own < offset).map(|(item, own)| (*item, *own)));
        if !lifted.is_empty() {
            self.work += self.ends.len() as u64;
            // Once for all of them: a pass over every buffer costs less than the neighbours of two.
            // What is placed ends beyond all others, and nothing wraps: PLACED leaves room for a
            // size.
            let lows = self.lowest.iter().zip(&model.sizes);
            self.ends.iter_mut().zip(lows).for_each(|(end, (low, size))| *end = (*low).max(offset).wrapping_add(*size));
        }
        for (item, low) in &mut lifted {
            let ends = model.neighbours.of(*item).iter().map(|there| self.ends[there.item as usize]);
            let end = ends.fold(PLACED, i32::min);
            self.work += model.neighbours.of(*item).len() as u64;
            let above = model.items[*item as usize].fixed.is_some_and(|fixed| end > fixed);
            if above || end > self.capacity - model.sizes[*item as usize] {
                let stuck = Some(*item);
                self.lifted = lifted;
                return stuck;
            }
            *low = end;
        }
        let swap = |state: &mut Self, lifted: &mut [(u32, i32)]| {
            lifted.iter_mut().for_each(|(item, low)| std::mem::swap(low, &mut state.lowest[*item as usize]));
        };
        swap(self, &mut lifted);
        // A section that holds does so for all of them.
        self.round += 1;
        let holds = |state: &mut Self, item: u32| {
            let mut sections = model.pieces.of(item).iter().flat_map(|piece| piece.from..piece.to);
            sections.all(|section| {
                let seen = std::mem::replace(&mut state.held[section as usize], state.round);
                seen == state.round || state.holds(section)
            })
        };
        let stuck = lifted.iter().map(|(item, _)| *item).find(|&item| !holds(self, item));
        swap(self, &mut lifted);
        self.lifted = lifted;
        stuck
    }
}

fn align_up(offset: i32, align: i32) -> i32 {
    // Nearly all alignments are powers of two, which need no division.
    if align & (align - 1) == 0 { (offset + align - 1) & -align } else { (offset + align - 1) / align * align }
}
