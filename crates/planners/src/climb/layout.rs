//! A placement in an order that is changed little by little: only what a change can reach is placed
//! anew.

use super::field::Field;
use crate::gap_fit::Fit;
use memplan_core::base::align_up;

/// An order with the offsets that the loop of the gap planners gives it.
#[derive(Clone)]
pub struct Layout<'a> {
    pub field: &'a Field,
    pub fit: Fit,
    /// Buffers in order of placement.
    pub order: Vec<u32>,
    /// Position of each in `order`.
    pub places: Vec<u32>,
    /// First byte of each.
    pub offsets: Vec<u64>,
    /// Positions that were swapped, or shifted from or to, since the offsets were computed.
    stale: Vec<u32>,
    stale_before: Vec<u32>,
    /// What the last settling overwrote.
    undo: Vec<(u32, u64)>,
    dirty: Vec<bool>,
    taken: Vec<(u64, u64)>,
    /// Neighbours looked at so far.
    pub work: u64,
}

impl<'a> Layout<'a> {
    /// Places all buffers in this order.
    pub fn new(field: &'a Field, order: Vec<u32>, fit: Fit) -> Layout<'a> {
        let count = order.len();
        let mut places = vec![0; count];
        order.iter().enumerate().for_each(|(at, &buffer)| places[buffer as usize] = at as u32);
        let mut layout = Layout {
            field,
            fit,
            order,
            places,
            offsets: vec![0; count],
            stale: Vec::new(),
            stale_before: Vec::new(),
            undo: Vec::new(),
            dirty: vec![false; count],
            taken: Vec::new(),
            work: 0,
        };
        for at in 0..count {
            let buffer = layout.order[at];
            layout.offsets[buffer as usize] = layout.place(buffer);
        }
        layout
    }

    /// Swaps the buffers at two positions; the offsets follow when it is settled.
    pub fn swap(&mut self, a: u32, b: u32) {
        self.order.swap(a as usize, b as usize);
        for position in [a, b] {
            self.places[self.order[position as usize] as usize] = position;
            self.stale.push(position);
        }
    }

    /// Moves a buffer to an earlier or later position; those between make room. The offsets follow
    /// when it is settled.
    pub fn shift(&mut self, from: u32, to: u32) {
        let (low, high) = (from.min(to) as usize, from.max(to) as usize);
        let between = &mut self.order[low..=high];
        if from > to {
            between.rotate_right(1)
        } else {
            between.rotate_left(1)
        }
        (low..=high).for_each(|at| self.places[self.order[at] as usize] = at as u32);
        self.stale.push(to);
        if from < to {
            // Those that it now comes after are placed anew from there on.
            self.stale.push(from);
        }
    }

    /// Brings the offsets up to date with the order. Stops and returns false as soon as a buffer
    /// ends above `limit`; then everything must be taken back.
    pub fn settle(&mut self, limit: u64) -> bool {
        self.undo.clear();
        self.stale_before = std::mem::take(&mut self.stale);
        let Some(first) = self.stale_before.iter().copied().min() else { return true };
        let field = self.field;
        for &position in &self.stale_before {
            let moved = self.order[position as usize];
            self.dirty[moved as usize] = true;
            field.neighbours(moved).iter().for_each(|&other| self.dirty[other as usize] = true);
        }
        let mut is_within = true;
        for at in first as usize..self.order.len() {
            let buffer = self.order[at];
            let index = buffer as usize;
            if !std::mem::take(&mut self.dirty[index]) || !is_within {
                continue;
            }
            let offset = self.place(buffer);
            if offset == self.offsets[index] {
                continue;
            }
            self.undo.push((buffer, self.offsets[index]));
            self.offsets[index] = offset;
            is_within = offset + field.sizes[index] <= limit;
            for &other in field.neighbours(buffer) {
                // Earlier ones do not look at it.
                self.dirty[other as usize] |= self.places[other as usize] as usize > at;
            }
        }
        // What came before the first change was marked in vain.
        for &position in &self.stale_before {
            let moved = self.order[position as usize];
            field.neighbours(moved).iter().for_each(|&other| self.dirty[other as usize] = false);
        }
        is_within
    }

    /// Takes the last settling back: the offsets are again those before, whatever the order is now.
    pub fn restore(&mut self) {
        for (buffer, offset) in self.undo.drain(..).rev() {
            self.offsets[buffer as usize] = offset;
        }
        self.stale.append(&mut self.stale_before);
    }

    /// As [`Layout::restore`], where the order is again that before, too.
    pub fn take_back(&mut self) {
        self.restore();
        self.stale.clear();
    }

    /// Highest end in each memory.
    pub fn peaks(&self) -> Vec<u64> {
        let mut peaks = vec![0; self.field.bounds.len()];
        for (index, &offset) in self.offsets.iter().enumerate() {
            let peak: &mut u64 = &mut peaks[self.field.memories[index]];
            *peak = (*peak).max(offset + self.field.sizes[index]);
        }
        peaks
    }

    /// Buffers that end at one of the wanted peaks, in order of placement.
    pub fn touching(&self, peaks: &[u64], wanted: impl Fn(usize) -> bool) -> Vec<u32> {
        let field = self.field;
        let touches = |&buffer: &u32| {
            let (index, memory) = (buffer as usize, field.memories[buffer as usize]);
            self.offsets[index] + field.sizes[index] == peaks[memory] && wanted(memory)
        };
        self.order.iter().copied().filter(touches).collect()
    }

    /// Neighbours of a buffer that are placed before it.
    pub fn earlier(&self, buffer: u32) -> impl Iterator<Item = u32> + '_ {
        let own = self.places[buffer as usize];
        self.field.neighbours(buffer).iter().copied().filter(move |&other| self.places[other as usize] < own)
    }

    /// Where a buffer goes between its earlier neighbours.
    fn place(&mut self, buffer: u32) -> u64 {
        let field = self.field;
        let neighbours = field.neighbours(buffer);
        self.work += neighbours.len() as u64;
        let mut taken = std::mem::take(&mut self.taken);
        taken.clear();
        let span =
            |other: u32| (self.offsets[other as usize], self.offsets[other as usize] + field.rooms[other as usize]);
        taken.extend(self.earlier(buffer).map(span));
        taken.sort_unstable();
        let (room, align) = (field.rooms[buffer as usize], field.aligns[buffer as usize]);
        let (mut end, mut best) = (0, None);
        for &(start, until) in &taken {
            let offset = align_up(end, align);
            if offset + room <= start && best.is_none_or(|(length, _)| start - offset < length) {
                best = Some((start - offset, offset));
                if self.fit == Fit::Lowest {
                    break;
                }
            }
            end = end.max(until);
        }
        self.taken = taken;
        best.map_or(align_up(end, align), |(_, offset)| offset)
    }
}
