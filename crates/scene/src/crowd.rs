//! The buffers of a very large run, sorted and added up for one frame and kept for the next: a step
//! changes a few of a million, and only those are looked at.

use std::any::Any;
use std::collections::BTreeSet;
use std::rc::Rc;

use super::density::{self, Grid};
use super::drawing::{Drawing, Picture};
use super::filter::Filter;
use super::ink::{Class, Tone};
use super::mark::Layer;
use super::pieces::{inks, pieces};
use super::projection::Projection;
use super::style::ColorBy;
use memplan_core::base::PartedVec;
use memplan_core::plan::Place;
use memplan_core::problem::{BufferId, Live, Problem};

/// Buffers from which on a crowd is kept. In tests a few are many.
const MANY: usize = if cfg!(test) { 256 } else { 20_000 };

/// Changes after which all is added up anew, as sums of many have errors of rounding.
const STALE: usize = 100_000;

/// What is drawn of a crowd beside its large buffers.
#[derive(Debug, Default)]
pub(super) struct Summed {
    /// The density of the small ones.
    pub density: Layer,
    /// How many there are.
    pub merged: u32,
    /// The smallest of them.
    pub smallest: Option<BufferId>,
}

/// What a crowd depends on, besides the places.
#[derive(Clone, PartialEq, Debug)]
struct Looks {
    projection: Projection,
    filter: Filter,
    color_by: ColorBy,
    /// Whether buffers away from the one that is placed are pale.
    fades: bool,
}

/// Buffers under one view, each as it looks away from the buffer that is placed.
#[derive(Clone, Debug)]
pub(super) struct Crowd {
    problem: Rc<Problem>,
    looks: Looks,
    /// Where the buffers lay that are in it.
    places: PartedVec<BufferId, Option<Place>>,
    /// Those with a piece that is drawn by itself, in order of birth.
    large: BTreeSet<(u32, BufferId)>,
    /// Pieces that are too small.
    merged: usize,
    /// The smallest buffer of those, by bytes times steps, then by birth.
    smallest: Option<(u64, u32, BufferId)>,
    inks: Vec<(Tone, Class)>,
    /// Their coverage, in cells of the sizes that were needed.
    grids: Vec<Grid>,
    changes: usize,
}

/// The large buffers of a picture in order of birth, and the sum of the others; none of a run that
/// is not large.
pub(super) fn crowd(drawing: &Drawing) -> Option<(Vec<BufferId>, Summed)> {
    if drawing.index.buffers() < MANY {
        return None;
    }
    let mut kept = drawing.index.kept();
    let looks = Looks::of(drawing);
    let known = kept.take().and_then(|kept| kept.downcast::<Crowd>().ok());
    let cells = cells(drawing, known.as_deref());
    let known = known.filter(|crowd| crowd.is_of(drawing, &looks));
    let mut crowd = known.and_then(|crowd| crowd.follow(drawing)).unwrap_or_else(|| Crowd::new(drawing, looks, &cells));
    let summed = crowd.sum(drawing);
    let large = crowd.large.iter().map(|&(_, id)| id).collect();
    *kept = Some(Box::new(crowd));
    Some((large, summed))
}

/// The sides of cells that a picture will probably need: those of the last one, unless it showed
/// few buffers.
fn cells(drawing: &Drawing, last: Option<&Crowd>) -> Vec<f64> {
    let last = last.filter(|crowd| crowd.merged >= MANY);
    let last: Vec<f64> = last.iter().flat_map(|crowd| &crowd.grids).map(Grid::cell).collect();
    if !last.is_empty() {
        return last;
    }
    density::cells(drawing.index.buffers(), drawing.projection.plot).take(1).collect()
}

/// Changes from the last frame that are quickly followed: some milliseconds.
const QUICK: usize = 2_000;

/// Whether a picture is quickly drawn: its run is not large, or differs little from what was drawn
/// last.
pub fn is_quick(picture: Picture) -> bool {
    let drawing = Drawing::new(picture);
    let is_near = |crowd: &Crowd| {
        let changed = drawing.frame.places.changed(&crowd.places).take(QUICK).count();
        crowd.is_of(&drawing, &Looks::of(&drawing)) && changed < QUICK && crowd.changes + changed < STALE
    };
    drawing.index.buffers() < MANY || kept_crowd(&drawing.index.kept()).is_some_and(is_near)
}

/// What was kept of the last picture.
fn kept_crowd(kept: &Option<Box<dyn Any>>) -> Option<&Crowd> {
    kept.as_ref()?.downcast_ref()
}

impl Looks {
    fn of(drawing: &Drawing) -> Looks {
        Looks {
            projection: drawing.projection.clone(),
            filter: drawing.style.filter,
            color_by: drawing.style.color_by,
            fades: drawing.style.dim && drawing.focus_live.is_some(),
        }
    }
}

/// A stretch of time in which no buffer lives.
const NEVER: Live = Live { start: u32::MAX, end: u32::MAX };

impl Crowd {
    /// Adds all up, once for all sizes of cells that are likely: one more grid takes less time than
    /// another way through the crowd.
    fn new(drawing: &Drawing, looks: Looks, cells: &[f64]) -> Crowd {
        let mut crowd = Crowd {
            problem: drawing.run.problem.clone(),
            looks,
            places: drawing.frame.places.clone(),
            large: BTreeSet::new(),
            merged: 0,
            smallest: None,
            inks: Vec::new(),
            grids: cells.iter().map(|&cell| Grid::new(drawing.projection.plot, cell)).collect(),
            changes: 0,
        };
        let (from, to) = drawing.projection.visible_steps(drawing.index);
        drawing.index.alive(&drawing.run.problem, from, to, |id| {
            if let Some(place) = drawing.frame.places[id] {
                crowd.add(drawing, id, place);
            }
        });
        crowd
    }

    /// Whether it can come to what a picture shows. Where a colour stands for a pool, it changes
    /// with the place.
    fn is_of(&self, drawing: &Drawing, looks: &Looks) -> bool {
        let is_same = Rc::ptr_eq(&self.problem, &drawing.run.problem) && self.looks == *looks;
        is_same && looks.color_by != ColorBy::Pool
    }

    /// Comes to the places of another frame, unless it would be quicker to begin anew.
    fn follow(mut self, drawing: &Drawing) -> Option<Crowd> {
        let places = drawing.frame.places.clone();
        let changed: Vec<BufferId> = places.changed(&self.places).take(STALE).collect();
        self.changes += changed.len();
        if self.changes >= STALE {
            return None;
        }
        let before = std::mem::replace(&mut self.places, places);
        for id in changed {
            if before[id].is_some_and(|place| !self.remove(drawing, id, place)) {
                return None;
            }
            if let Some(place) = drawing.frame.places[id] {
                self.add(drawing, id, place);
            }
        }
        Some(self)
    }

    fn add(&mut self, drawing: &Drawing, id: BufferId, place: Place) {
        let Some(ink) = self.ink(drawing, id, NEVER) else { return };
        let live = self.problem.buffers[id].live;
        let (mut is_large, merged) = (false, self.merged);
        pieces(drawing, id, place, |rect, is_small| {
            if is_small {
                self.merged += 1;
                self.grids.iter_mut().for_each(|grid| grid.add(ink, &rect));
            }
            is_large |= !is_small;
        });
        if is_large {
            self.large.insert((live.start, id));
        }
        if self.merged > merged {
            let own = self.size(id);
            self.smallest = Some(self.smallest.map_or(own, |smallest| smallest.min(own)));
        }
    }

    /// Takes a buffer out. Returns false if that leaves open which is the smallest.
    fn remove(&mut self, drawing: &Drawing, id: BufferId, place: Place) -> bool {
        let Some(ink) = self.ink(drawing, id, NEVER) else { return true };
        let merged = self.merged;
        pieces(drawing, id, place, |rect, is_small| {
            if is_small {
                self.merged -= 1;
                self.grids.iter_mut().for_each(|grid| grid.remove(ink, &rect));
            }
        });
        self.large.remove(&(self.problem.buffers[id].live.start, id));
        self.merged == merged || self.smallest != Some(self.size(id))
    }

    /// By what the smallest is found.
    fn size(&self, id: BufferId) -> (u64, u32, BufferId) {
        let buffer = &self.problem.buffers[id];
        (buffer.size.saturating_mul(buffer.live.len() as u64), buffer.live.start, id)
    }

    /// The number of the ink of a buffer, as if it lived in a stretch of time; none if it is not
    /// drawn, because its class or its steps are out of sight.
    fn ink(&mut self, drawing: &Drawing, id: BufferId, live: Live) -> Option<usize> {
        let (from, to) = drawing.projection.visible_steps(drawing.index);
        let own = self.problem.buffers[id].live;
        let class = drawing.class(id);
        if own.is_empty() || own.start >= to || own.end <= from || drawing.style.filter.hides(class) {
            return None;
        }
        let ink = (drawing.tone(class, live), class);
        Some(self.inks.iter().position(|known| *known == ink).unwrap_or_else(|| {
            self.inks.push(ink);
            self.inks.len() - 1
        }))
    }

    /// Draws the density of the small ones, those beside the buffer that is placed in their own
    /// tone.
    fn sum(&mut self, drawing: &Drawing) -> Summed {
        let mut density = Layer::default();
        if self.merged > 0 {
            let near = self.near(drawing);
            let order = self.order();
            let mut cells = density::cells(self.merged, drawing.projection.plot).peekable();
            let mut used = Vec::new();
            while let Some(cell) = cells.next() {
                let own = match self.grids.iter().position(|grid| grid.cell() == cell) {
                    Some(at) => self.grids.swap_remove(at),
                    None => self.grid(drawing, cell),
                };
                let mut grid = own.clone();
                used.push(own);
                for &(id, place, from, to) in &near {
                    pieces(drawing, id, place, |rect, is_small| {
                        if is_small {
                            grid.remove(from, &rect);
                            grid.add(to, &rect);
                        }
                    });
                }
                let stripes = grid.stripes(&order);
                if !density::are_too_many(&stripes) || cells.peek().is_none() {
                    density::paint(
                        stripes,
                        &order.iter().map(|&ink| inks(self.inks[ink])).collect::<Vec<_>>(),
                        &mut density,
                    );
                    break;
                }
            }
            // Others would have to be kept up to date for nothing.
            self.grids = used;
        }
        let smallest = self.smallest.filter(|_| self.merged > 0).map(|(.., id)| id);
        Summed { density, merged: self.merged as u32, smallest }
    }

    /// The placed buffers beside the one that is placed, where they look otherwise than away from
    /// it: each with its place and the numbers of both inks.
    fn near(&mut self, drawing: &Drawing) -> Vec<(BufferId, Place, usize, usize)> {
        let Some(focus) = drawing.focus_live.filter(|_| self.looks.fades) else { return Vec::new() };
        let mut placed = Vec::new();
        drawing.index.alive(&drawing.run.problem, focus.start, focus.end, |id| {
            placed.extend(drawing.frame.places[id].map(|place| (id, place)));
        });
        let inks = placed.into_iter().filter_map(|(id, place)| {
            let from = self.ink(drawing, id, NEVER)?;
            let to = self.ink(drawing, id, self.problem.buffers[id].live)?;
            (from != to).then_some((id, place, from, to))
        });
        inks.collect()
    }

    /// The coverage of all small ones in cells of a size that was not expected.
    fn grid(&mut self, drawing: &Drawing, cell: f64) -> Grid {
        let mut grid = Grid::new(drawing.projection.plot, cell);
        let (from, to) = drawing.projection.visible_steps(drawing.index);
        drawing.index.alive(&drawing.run.problem, from, to, |id| {
            let Some((place, ink)) =
                drawing.frame.places[id].and_then(|place| Some((place, self.ink(drawing, id, NEVER)?)))
            else {
                return;
            };
            pieces(drawing, id, place, |rect, is_small| {
                if is_small {
                    grid.add(ink, &rect);
                }
            });
        });
        grid
    }

    /// The numbers of the inks in the order that those of a smaller run have.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.inks.len()).collect();
        order.sort_by_key(|&ink| self.inks[ink]);
        order
    }
}
