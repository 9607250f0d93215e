//! The buffers of one memory as the search sees them: whole units instead of bytes, sections
//! instead of steps.
//!
//! A section is a run of steps up to the next end of a live range. Within a section buffers only
//! come to life, so all buffers in use at any of its steps are in use together at its last one, and
//! one section stands for all of its steps. The five buffers of [`memplan_core::problem`], with a
//! unit of 1 KiB:
//!
//! ```text
//! step        0     1     2     3     4     5     6
//! a, 2 units  |===========|
//! b, 1 unit         |=================|
//! c, 3 units              |===========|
//! d, 1 unit               |=====|
//! e, 4 units                          |===========|
//! section     |     0     |  1  |  2  |     3     |
//! in use      |    a b    |b c d| b c |     e     |
//! load        |     3     |  5  |  4  |     4     |
//! partition   |           0           |     1     |
//! ```
//!
//! * `a` and `b` are in use together at step 1 only; section 0 holds both.
//! * No live range crosses the border between sections 2 and 3, so both sides are searched apart:
//!   two partitions.
//! * The largest load, 5 units in section 1, is a bound that no plan can beat.

use std::collections::HashSet;

use memplan_core::problem::{Branches, Buffer, BufferId, Problem, Span};

/// Largest capacity that the search counts with, in units: sums of a few such numbers stay exact.
pub const MAX_UNITS: i32 = 1 << 28;

/// Most pairs of buffers in each other's way that are listed.
const MAX_PAIRS: usize = 8_000_000;

/// A buffer in units.
#[derive(Clone, Debug)]
pub struct Item {
    pub id: BufferId,
    pub size: i32,
    /// Offsets are multiples of this.
    pub align: i32,
    pub fixed: Option<i32>,
    /// First step of life and first after it.
    pub live: (u32, u32),
    /// Sections `[from, to)` that must be solved together with it: its own, and those of all that
    /// it may not share with.
    pub reach: (u32, u32),
}

/// Sections in which the same part of a buffer is in use.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub from: u32,
    pub to: u32,
    /// Units in use.
    pub height: i32,
}

/// A buffer that is in use in a section.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    pub item: u32,
    /// First unit in use, from the start of the buffer.
    pub low: i32,
}

/// A buffer that overlaps another one in time.
#[derive(Clone, Copy, Debug)]
pub struct Neighbour {
    pub item: u32,
    /// Units by which it must start above the start of the other if it lies above it.
    pub rise: i32,
}

/// Lists of different length in one vector.
#[derive(Clone, Debug)]
pub struct Lists<T> {
    starts: Box<[u32]>,
    entries: Box<[T]>,
}

impl<T> Lists<T> {
    fn new(lists: Vec<Vec<T>>) -> Lists<T> {
        let mut starts = vec![0];
        let mut entries = Vec::new();
        for list in lists {
            entries.extend(list);
            starts.push(entries.len() as u32);
        }
        Lists { starts: starts.into(), entries: entries.into() }
    }

    #[inline(always)]
    pub fn of(&self, index: u32) -> &[T] {
        let index = index as usize;
        &self.entries[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// All lists.
    pub fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.len() as u32).map(|index| self.of(index))
    }

    /// Length of all lists together.
    pub fn entries(&self) -> usize {
        self.entries.len()
    }

    /// Number of lists.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }
}

/// Everything about a memory that does not change during a search.
#[derive(Clone, Debug)]
pub struct Model {
    /// Bytes of a unit: all sizes, stated positions and alignments that matter are multiples.
    pub unit: u64,
    pub items: Box<[Item]>,
    /// Sizes of the items once more, side by side: the innermost loops of a search read nothing
    /// else of most of them.
    pub sizes: Box<[i32]>,
    /// The reaches of the items in the same way.
    pub reaches: Box<[(u32, u32)]>,
    pub pieces: Lists<Piece>,
    pub neighbours: Lists<Neighbour>,
    /// The buffers in use in each section, as lists of [`Member`]s.
    pub sections: Lists<Member>,
    /// A step in each section, for messages.
    pub steps: Vec<u32>,
    /// Units in use in each section.
    pub loads: Box<[i32]>,
    /// Whether a search that ends without a plan proves that there is none: windows can let a
    /// buffer lie below another one although it starts above it, and such plans are not met.
    pub complete: bool,
    /// Whether every buffer keeps all its bytes wherever it is in another one's way: no windows.
    pub plain: bool,
    /// Whether every buffer is wholly in use as long as it lives, and may lie at any offset: no
    /// windows, no alignments larger than the unit, no stated positions. Then what fits into a
    /// section fits above a buffer that lies low enough in it.
    pub free: bool,
}

/// Why there is no model: the search would need too much memory or wider numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The largest unit in which all sizes and positions are whole, and all alignments that are larger
/// are multiples.
fn unit_of(buffers: &[(BufferId, &Buffer)]) -> u64 {
    let mut unit = 0;
    for (_, buffer) in buffers {
        unit = gcd(unit, buffer.size);
        unit = gcd(unit, buffer.fixed.unwrap_or(0));
        let windows = buffer.gaps.iter().filter_map(|gap| gap.window);
        unit = windows.fold(unit, |unit, (low, high)| gcd(gcd(unit, low), high));
    }
    for (_, buffer) in buffers {
        if !unit.is_multiple_of(buffer.align) {
            unit = gcd(unit, buffer.align);
        }
    }
    unit.max(1)
}

/// Every size, alignment and stated position is within what is counted with.
fn fits(buffers: &[(BufferId, &Buffer)], unit: u64) -> bool {
    let most = MAX_UNITS as u128 * u128::from(unit);
    buffers.iter().all(|(_, buffer)| {
        let end = u128::from(buffer.size) + u128::from(buffer.fixed.unwrap_or(0));
        end < most && u128::from(buffer.align) < most
    })
}

impl Model {
    /// The buffers of `ids` that have a size.
    ///
    /// # Errors
    /// [`TooLarge`] when the numbers or the lists would not fit.
    pub fn new(problem: &Problem, ids: &[BufferId], branches: &Branches) -> Result<Model, TooLarge> {
        let mut buffers: Vec<(BufferId, &Buffer)> = ids.iter().map(|&id| (id, &problem.buffers[id])).collect();
        buffers.retain(|(_, buffer)| buffer.size > 0);
        let unit = unit_of(&buffers);
        if !fits(&buffers, unit) {
            return Err(TooLarge);
        }
        let units = |bytes: u64| (bytes / unit) as i32;
        let spans: Vec<Vec<Span>> = buffers.iter().map(|(_, buffer)| buffer.spans()).collect();
        let (sections, pieces, steps) = sweep(&spans, units);
        let mut neighbours = pairs(&buffers, &spans, units)?;
        if branches.is_on() {
            add_branches(&buffers, branches, units, &mut neighbours)?;
        }
        let complete = neighbours.iter().flatten().all(|neighbour| neighbour.rise > 0);
        let of_size = |(own, list): (&(BufferId, &Buffer), &Vec<Neighbour>)| {
            list.iter().all(|neighbour| neighbour.rise == units(own.1.size))
        };
        let plain = buffers.iter().zip(&neighbours).all(of_size);
        let own = |pieces: &Vec<Piece>| {
            let (from, to) = (pieces.first().map_or(0, |piece| piece.from), pieces.last().map_or(0, |piece| piece.to));
            (from, to)
        };
        let hulls: Vec<(u32, u32)> = pieces.iter().map(own).collect();
        let item = |(index, &(id, buffer)): (usize, &(BufferId, &Buffer))| {
            let (mut from, mut to) = hulls[index];
            if branches.is_on() {
                for neighbour in &neighbours[index] {
                    let other = hulls[neighbour.item as usize];
                    (from, to) = (from.min(other.0), to.max(other.1));
                }
            }
            Item {
                id,
                size: units(buffer.size),
                align: units(buffer.align).max(1),
                fixed: buffer.fixed.map(units),
                live: (buffer.live.start, buffer.live.end),
                reach: (from, to),
            }
        };
        let items: Box<[Item]> = buffers.iter().enumerate().map(item).collect();
        let sizes = items.iter().map(|item| item.size).collect();
        let reaches = items.iter().map(|item| item.reach).collect();
        let whole = |(item, pieces): (&Item, &Vec<Piece>)| {
            item.align == 1 && item.fixed.is_none() && pieces.iter().all(|piece| piece.height == item.size)
        };
        let free = plain && !branches.is_on() && items.iter().zip(&pieces).all(whole);
        let mut loads = vec![0i32; sections.len()];
        for piece in pieces.iter().flatten() {
            let loads = &mut loads[piece.from as usize..piece.to as usize];
            loads.iter_mut().for_each(|load| *load = load.saturating_add(piece.height));
        }
        if loads.iter().any(|load| *load >= MAX_UNITS) {
            return Err(TooLarge);
        }
        let (pieces, neighbours, sections) = (Lists::new(pieces), Lists::new(neighbours), Lists::new(sections));
        let loads = loads.into();
        Ok(Model { unit, items, sizes, reaches, pieces, neighbours, sections, steps, loads, complete, plain, free })
    }

    /// Units as bytes. A unit can be so large that a few of them are beyond 64 bits.
    pub fn bytes(&self, units: impl Into<i64>) -> u64 {
        let bytes = i128::from(units.into().max(0)) * i128::from(self.unit);
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }

    /// How far above the start of `lower` a neighbour must start if it is the upper one.
    pub fn rise(&self, lower: u32, upper: u32) -> i32 {
        if self.plain {
            return self.sizes[lower as usize];
        }
        let neighbours = self.neighbours.of(lower);
        let found = neighbours.binary_search_by_key(&upper, |neighbour| neighbour.item);
        found.map_or(0, |index| neighbours[index].rise)
    }

    /// The plan of a search with its peak.
    pub fn with_peak(&self, offsets: Vec<i32>) -> (Vec<i64>, i64) {
        let peak = self.items.iter().zip(&offsets).map(|(item, offset)| offset + item.size).max();
        (offsets.into_iter().map(i64::from).collect(), peak.unwrap_or(0).into())
    }

    /// Returns a peak that no plan can beat, in units: the largest load, the largest buffer, or the
    /// end of the highest stated position.
    pub fn bound(&self) -> i32 {
        let ends = self.items.iter().map(|item| item.fixed.unwrap_or(0) + item.size);
        self.loads.iter().copied().chain(ends).max().unwrap_or(0)
    }

    /// Returns ranges `[from, to)` of sections that share no buffer and no conflict: each can be
    /// solved by itself.
    pub fn partitions(&self) -> Vec<(u32, u32)> {
        let sections = self.sections.len();
        let mut crossed = vec![0i32; sections + 1];
        for item in &self.items {
            if item.reach.0 < item.reach.1 {
                crossed[item.reach.0 as usize + 1] += 1;
                crossed[item.reach.1 as usize] -= 1;
            }
        }
        let (mut ranges, mut start, mut open) = (Vec::new(), 0, 0);
        for (border, change) in (0..).zip(crossed) {
            open += change;
            if border > start && open == 0 {
                ranges.push((start, border));
                start = border;
            }
        }
        ranges
    }
}

type Swept = (Vec<Vec<Member>>, Vec<Vec<Piece>>, Vec<u32>);

/// Returns one section for each step at which a span ends, with the buffers in use just before it.
fn sweep(spans: &[Vec<Span>], units: impl Fn(u64) -> i32) -> Swept {
    struct Point {
        step: u32,
        begins: bool,
        item: u32,
        span: Span,
    }
    let mut points = Vec::new();
    for (item, spans) in (0..).zip(spans) {
        for &span in spans {
            points.push(Point { step: span.live.end, begins: false, item, span });
            points.push(Point { step: span.live.start, begins: true, item, span });
        }
    }
    points.sort_by_key(|point| (point.step, point.begins, point.item));
    let mut active: Vec<Member> = Vec::new();
    let mut begun = vec![0u32; spans.len()];
    let mut pieces: Vec<Vec<Piece>> = vec![Vec::new(); spans.len()];
    let mut sections: Vec<Vec<Member>> = Vec::new();
    let mut steps: Vec<u32> = Vec::new();
    for Point { step, begins, item, span } in points {
        if begins {
            active.push(Member { item, low: units(span.low) });
            begun[item as usize] = sections.len() as u32;
            continue;
        }
        if steps.last() != Some(&(step - 1)) {
            sections.push(active.clone());
            steps.push(step - 1);
        }
        active.retain(|member| member.item != item);
        let height = units(span.high - span.low);
        pieces[item as usize].push(Piece { from: begun[item as usize], to: sections.len() as u32, height });
    }
    (sections, pieces, steps)
}

/// Returns for each buffer the buffers that it overlaps in time, and how far above its start each
/// of them must start.
fn pairs(
    buffers: &[(BufferId, &Buffer)],
    spans: &[Vec<Span>],
    units: impl Fn(u64) -> i32,
) -> Result<Vec<Vec<Neighbour>>, TooLarge> {
    let mut order: Vec<u32> = (0..buffers.len() as u32).collect();
    order.sort_by_key(|&item| (buffers[item as usize].1.live.start, item));
    let mut found: Vec<Vec<Neighbour>> = vec![Vec::new(); buffers.len()];
    let (mut alive, mut count): (Vec<u32>, usize) = (Vec::new(), 0);
    for item in order {
        let own = buffers[item as usize].1;
        alive.retain(|&other| buffers[other as usize].1.live.end > own.live.start);
        for &other in &alive {
            let there = buffers[other as usize].1;
            let rises = if own.gaps.is_empty() && there.gaps.is_empty() {
                Some((units(own.size), units(there.size)))
            } else {
                rises(&spans[item as usize], &spans[other as usize], &units)
            };
            if let Some((up, down)) = rises {
                found[item as usize].push(Neighbour { item: other, rise: up });
                found[other as usize].push(Neighbour { item, rise: down });
                count += 1;
            }
        }
        if count > MAX_PAIRS {
            return Err(TooLarge);
        }
        alive.push(item);
    }
    found.iter_mut().for_each(|list| list.sort_by_key(|neighbour| neighbour.item));
    Ok(found)
}

/// Returns how far above `a` the other must start, and how far above the other `a` must; none if
/// they are never in use together.
fn rises(a: &[Span], b: &[Span], units: impl Fn(u64) -> i32) -> Option<(i32, i32)> {
    let mut found: Option<(i32, i32)> = None;
    for one in a {
        for other in b.iter().filter(|other| one.live.meets(other.live)) {
            let pair = (units(one.high) - units(other.low), units(other.high) - units(one.low));
            found = Some(found.map_or(pair, |(up, down)| (up.max(pair.0), down.max(pair.1))));
        }
    }
    found
}

/// Adds the pairs that parallel branches keep apart.
fn add_branches(
    buffers: &[(BufferId, &Buffer)],
    branches: &Branches,
    units: impl Fn(u64) -> i32,
    neighbours: &mut [Vec<Neighbour>],
) -> Result<(), TooLarge> {
    let mut count = 0;
    for item in 0..buffers.len() {
        let known: HashSet<u32> = neighbours[item].iter().map(|neighbour| neighbour.item).collect();
        let (own, size) = (buffers[item].0, units(buffers[item].1.size));
        let others = (0..buffers.len()).filter(|&other| other != item && !branches.allow(own, buffers[other].0));
        // A gap does not show when a parallel branch is done: the whole buffer is kept apart.
        let more: Vec<u32> = others.map(|other| other as u32).collect();
        count += more.len();
        if count > 2 * MAX_PAIRS {
            return Err(TooLarge);
        }
        let whole: HashSet<u32> = more.iter().copied().collect();
        neighbours[item].iter_mut().filter(|there| whole.contains(&there.item)).for_each(|there| there.rise = size);
        let new = more.into_iter().filter(|other| !known.contains(other));
        neighbours[item].extend(new.map(|item| Neighbour { item, rise: size }));
        neighbours[item].sort_by_key(|neighbour| neighbour.item);
    }
    Ok(())
}
