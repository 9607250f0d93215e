//! The second half: buffers that overlap although they may not are pushed up, by colours, until
//! nothing overlaps.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use super::{Asked, Stopped};
use crate::live_index::LiveIndex;
use memplan_core::base::align_up;
use memplan_core::id_type;
use memplan_core::problem::Live;

id_type!(
    /// A buffer by its number.
    Number
);

/// Partitions of the memory, and which buffers must not share one.
pub struct Parts {
    /// Bytes of a partition; 0 if there are none.
    pub size: u64,
    sizes: Vec<u64>,
    /// The other parts of the same allocation, by number.
    neighbours: Vec<Vec<u32>>,
}

impl Parts {
    /// Partitions of `size` bytes, 0 for none, with the groups of these buffers.
    pub fn new(buffers: &[Asked], size: u64) -> Parts {
        let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (number, buffer) in (0..).zip(buffers) {
            buffer.group.into_iter().for_each(|group| groups.entry(group).or_default().push(number));
        }
        let of = |(number, buffer): (u32, &Asked)| {
            let group = buffer.group.and_then(|group| groups.get(&group));
            group.map_or_else(Vec::new, |group| group.iter().copied().filter(|&other| other != number).collect())
        };
        let neighbours = (0..).zip(buffers).map(of).collect();
        Parts { size, sizes: buffers.iter().map(|buffer| buffer.size).collect(), neighbours }
    }

    /// First and last partition of a buffer that lies at `offset`.
    fn of(&self, number: u32, offset: u64) -> (u64, u64) {
        let last = offset + self.sizes[number as usize].max(1) - 1;
        (offset / self.size, last / self.size)
    }

    /// Whether a buffer at `offset` shares no partition with a neighbour that is placed.
    pub fn is_clear(&self, number: u32, offset: u64, offsets: &[u64], placed: &[bool]) -> bool {
        let placed = self.neighbours[number as usize].iter().filter(|&&other| placed[other as usize]);
        placed.into_iter().all(|&other| !self.share((number, offset), (other, offsets[other as usize])))
    }

    /// The first byte of the partition above all neighbours that are placed.
    pub fn above_neighbours(&self, number: u32, offsets: &[u64], placed: &[bool]) -> u64 {
        let placed = self.neighbours[number as usize].iter().filter(|&&other| placed[other as usize]);
        placed.map(|&other| self.behind(other, offsets[other as usize])).max().unwrap_or(0)
    }

    fn behind(&self, number: u32, offset: u64) -> u64 {
        (self.of(number, offset).1 + 1) * self.size
    }

    fn share(&self, (a, at): (u32, u64), (b, there): (u32, u64)) -> bool {
        let ((from, to), (low, high)) = (self.of(a, at), self.of(b, there));
        from <= high && low <= to
    }
}

/// Whether two buffers, by their numbers, must not share bytes whenever they live.
pub type Apart<'a> = &'a dyn Fn(u32, u32) -> bool;

/// One round: what overlaps, the colours, and who moves.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Round {
    /// Numbers of buffers that overlap although they may not, each with those that it overlaps.
    pub interference: BTreeMap<u32, BTreeSet<u32>>,
    /// Colours of the buffers that have one but 0.
    pub colors: BTreeMap<u32, u32>,
    /// Number of each buffer that moves, where it lay, and where it lies now.
    pub moves: Vec<(u32, u64, u64)>,
}

/// Repeats rounds until nothing overlaps; there is always one. Moves the `offsets`.
pub fn rounds(
    buffers: &[Asked],
    order: &[u32],
    parts: &Parts,
    apart: Option<Apart>,
    offsets: &mut [u64],
    pulse: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Vec<Round>, Stopped> {
    let mut rank = vec![0; buffers.len()];
    (0u32..).zip(order).for_each(|(at, &number)| rank[number as usize] = at);
    let field = Field::new(buffers, parts, apart);
    let mut interference: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    let mut changed: Vec<u32> = order.to_vec();
    let mut rounds = Vec::new();
    loop {
        for &number in &changed {
            if pulse(buffers.len() as u64).is_break() {
                return Err(Stopped);
            }
            for other in field.overlapping(number, offsets) {
                interference.entry(number).or_default().insert(other);
                interference.entry(other).or_default().insert(number);
            }
        }
        if interference.is_empty() && !rounds.is_empty() {
            return Ok(rounds);
        }
        let mut involved: Vec<u32> = interference.keys().copied().collect();
        involved.sort_by_key(|&number| rank[number as usize]);
        let colors = colors(&involved, &interference);
        let mut moves = Vec::new();
        for &number in involved.iter().filter(|number| colors.contains_key(number)) {
            let end = |&other: &u32| {
                let offset = offsets[other as usize];
                if parts.size > 0 && parts.neighbours[number as usize].contains(&other) {
                    parts.behind(other, offset)
                } else {
                    offset + buffers[other as usize].size
                }
            };
            let above = interference[&number].iter().map(end).max().unwrap_or(0);
            let to = align_up(above, buffers[number as usize].align);
            let from = std::mem::replace(&mut offsets[number as usize], to);
            moves.push((number, from, to));
        }
        changed = moves.iter().map(|&(number, ..)| number).collect();
        // Two that overlap have two colours, so at least one of every pair has moved.
        let round = Round { interference: std::mem::take(&mut interference), colors, moves };
        rounds.push(round);
    }
}

/// The smallest colour that nobody overlapping has yet, in order; those of colour 0 are left out.
fn colors(involved: &[u32], interference: &BTreeMap<u32, BTreeSet<u32>>) -> BTreeMap<u32, u32> {
    let mut colors: BTreeMap<u32, u32> = BTreeMap::new();
    for number in involved {
        let used: BTreeSet<u32> = interference[number].iter().filter_map(|other| colors.get(other)).copied().collect();
        let free = (0..).zip(&used).find(|(color, used)| color != *used).map(|(color, _)| color);
        colors.insert(*number, free.unwrap_or(used.len() as u32));
    }
    colors.retain(|_, color| *color > 0);
    colors
}

/// Who may not overlap whom.
struct Field<'a> {
    buffers: &'a [Asked],
    parts: &'a Parts,
    apart: Option<Apart<'a>>,
    index: LiveIndex<Number>,
    /// Numbers of the buffers inside each `warp_specialize`.
    inside: BTreeMap<u32, Vec<u32>>,
}

impl<'a> Field<'a> {
    fn new(buffers: &'a [Asked], parts: &'a Parts, apart: Option<Apart<'a>>) -> Field<'a> {
        let lives = buffers.iter().map(|buffer| Live { start: buffer.start, end: buffer.end }).collect();
        let mut index = LiveIndex::over(&lives);
        lives.ids().for_each(|id| index.insert(id));
        let mut inside: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (number, buffer) in (0..).zip(buffers) {
            let specialize = buffer.region.map(|region| region.specialize);
            specialize.into_iter().for_each(|specialize| inside.entry(specialize).or_default().push(number));
        }
        Field { buffers, parts, apart, index, inside }
    }

    /// The buffers that overlap this one although they may not.
    fn overlapping(&self, number: u32, offsets: &[u64]) -> BTreeSet<u32> {
        let own = &self.buffers[number as usize];
        let span =
            |number: u32| (offsets[number as usize], offsets[number as usize] + self.buffers[number as usize].size);
        let (from, to) = span(number);
        let meets = |other: u32| other != number && from < span(other).1 && span(other).0 < to;
        let mut found = BTreeSet::new();
        self.index.each_meeting(Live { start: own.start, end: own.end }, |Number(other)| {
            if meets(other) {
                found.insert(other);
            }
        });
        if let Some(region) = own.region {
            let there = |other: &u32| self.buffers[*other as usize].region.is_some_and(|there| there.is_beside(region));
            let beside = self.inside.get(&region.specialize).into_iter().flatten();
            found.extend(beside.copied().filter(|&other| meets(other) && there(&other)));
        }
        if let Some(apart) = self.apart {
            let all = 0..self.buffers.len() as u32;
            found.extend(all.filter(|&other| meets(other) && apart(number, other)));
        }
        if self.parts.size > 0 {
            let neighbours = self.parts.neighbours[number as usize].iter().copied();
            found.extend(neighbours.filter(|&other| {
                self.parts.share((number, offsets[number as usize]), (other, offsets[other as usize]))
            }));
        }
        found
    }
}
