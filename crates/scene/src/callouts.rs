//! The places looked at in this frame: where their outlines, numbers and reasons stand. Worked out
//! before names are set, so that names keep clear of them, and again for hit tests.

use super::bands;
use super::drawing::Drawing;
use super::geometry::{Point, Rect};
use super::label;
use memplan_core::base::{Arg, Message};
use memplan_core::problem::BufferId;
use memplan_core::trace::{StatePanel, Verdict};
use memplan_replay::Candidate;

/// Most candidates outlined at once; the list beside the picture is complete.
pub const MOST: usize = 24;
/// Radius of a number's disc.
pub const BADGE: f64 = 8.0;
/// Font size of its number: it stays inside the disc whatever the size of other text.
pub const BADGE_FONT: f64 = 10.5;
/// Height of a reason.
const CHIP: f64 = 19.0;
/// Distance of a reason from the column.
const CHIP_GAP: f64 = 8.0;
/// Widest name inside a reason.
const CHIP_ROOM: f64 = 220.0;

/// One candidate on the panel.
#[derive(Clone, PartialEq, Debug)]
pub struct Callout {
    /// The number of the candidate, from 1 in order of inspection.
    pub number: u32,
    /// Whether the planner took this place.
    pub chosen: bool,
    /// The place, over the life of this frame's buffer.
    pub rect: Rect,
    /// Centre of the number.
    pub badge: Point,
    /// The reason with its box.
    pub chip: Option<(Rect, String)>,
    /// Free bytes of a place that was too small, or not the best.
    pub room: Option<u64>,
}

impl Callout {
    /// Whether the number or the reason covers a part of a box.
    pub fn is_over(&self, rect: &Rect) -> bool {
        self.badge_box().meets(rect) || self.chip.as_ref().is_some_and(|(chip, _)| chip.meets(rect))
    }

    /// Returns the box of the number.
    pub fn badge_box(&self) -> Rect {
        badge_box(self.number, self.badge)
    }
}

/// A disc, or as wide as a number of three digits needs.
fn badge_box(number: u32, centre: Point) -> Rect {
    let width = (label::width(&number.to_string(), BADGE_FONT, true) + 6.0).max(2.0 * BADGE);
    Rect::new(centre.0 - width / 2.0, centre.1 - BADGE, width, 2.0 * BADGE)
}

/// The visible candidates of the frame, with those of the highest number dropped first.
pub fn callouts(drawing: &Drawing) -> Vec<Callout> {
    let Some((left, right)) = drawing.column() else { return Vec::new() };
    let candidates = &drawing.frame.candidates;
    // Outlines in a pool too low to see would all lie on one spot.
    let can_be_seen = |candidate: &&Candidate| {
        let band = drawing.projection.band(candidate.pool);
        let high_enough = || band.is_some_and(|band| !band.is_bare || band.height() >= 2.0 * BADGE);
        candidate.chosen || candidate.visited && high_enough()
    };
    let seen = || candidates.iter().filter(can_be_seen);
    let listed = seen().take(MOST).chain(seen().skip(MOST).filter(|candidate| candidate.chosen));
    let mut placed: Vec<Callout> = Vec::new();
    for candidate in listed {
        let Some(rect) = place(drawing, candidate) else { continue };
        let Some(seen) = rect.cut(&drawing.projection.plot) else { continue };
        // Where no number has room, the outline would be of little use either: the list beside the
        // picture is complete.
        let Some(badge) = badge(drawing, candidate, &seen, &placed) else { continue };
        let is_free = matches!(candidate.verdict, Verdict::TooSmall | Verdict::Fits) && !candidate.chosen;
        let room = Some(candidate.room).filter(|&room| is_free && room < u64::MAX);
        placed.push(Callout { number: candidate.number, chosen: candidate.chosen, rect, badge, chip: None, room });
    }
    // Reasons keep clear of all numbers, those of later candidates too.
    for index in 0..placed.len() {
        let candidate = candidates.iter().find(|candidate| candidate.number == placed[index].number);
        placed[index].chip =
            candidate.and_then(|candidate| chip(drawing, candidate, placed[index].badge, (left, right), &placed));
    }
    placed
}

/// The box of any candidate of the frame, listed or not.
pub fn place_of(drawing: &Drawing, number: u32) -> Option<Rect> {
    let candidate = drawing.frame.candidates.iter().find(|candidate| candidate.number == number)?;
    place(drawing, candidate)
}

/// The box of a candidate; the unbounded top of an arena is as high as the buffer needs. The place
/// that was taken is where the buffer lies: alignment may keep it off the start of the free bytes.
fn place(drawing: &Drawing, candidate: &Candidate) -> Option<Rect> {
    let live = drawing.focus_live?;
    let band = drawing.projection.band(candidate.pool)?;
    let size = drawing.frame.focus.map_or(0, |focus| drawing.run.problem.buffers[focus].size);
    let bytes = if candidate.room == u64::MAX || candidate.chosen { size } else { candidate.room };
    let end = candidate.offset.saturating_add(candidate.room);
    let own = drawing.frame.focus.filter(|_| candidate.chosen).and_then(|focus| drawing.frame.places[focus]);
    let own = own.filter(|own| own.pool == candidate.pool && (candidate.offset..end).contains(&own.offset));
    let rect = drawing.region(band, live, own.map_or(candidate.offset, |own| own.offset), bytes);
    Some(Rect { h: rect.h.max(1.0), w: rect.w.max(1.0), ..rect })
}

/// In the middle of the place, or beside a low chosen one; moved where it would cover another
/// number or leave the panel.
fn badge(drawing: &Drawing, candidate: &Candidate, seen: &Rect, placed: &[Callout]) -> Option<Point> {
    let (x, y) = seen.centre();
    let has_name = seen.h > 40.0 && seen.w >= 2.0 * BADGE + 4.0 && !drawing.style.narrow;
    let is_small = seen.h < 2.0 * BADGE + 6.0 || drawing.style.narrow || seen.w < 2.0 * BADGE;
    let first = if !candidate.chosen {
        (x, y)
    } else if has_name {
        (x, y - 7.0)
    } else if is_small || has_room_for_name(drawing, seen) {
        beside(drawing, seen)
    } else {
        (x, y)
    };
    let number = candidate.number;
    let (plot, half) = (drawing.projection.plot, badge_box(number, first).w / 2.0);
    let inside = |at: Point| {
        let x = at.0.min(plot.right() + 6.0 - half).max(plot.x - 4.0 + half);
        (x, at.1.min(plot.bottom() + 6.0 - BADGE).max(plot.y - 6.0 + BADGE))
    };
    let shifts = [0.0, 0.25, -0.25, 0.38, -0.38].map(|part| (first.0, first.1 + part * seen.h));
    let sideways = (1..=24).flat_map(|step| [-1.0, 1.0].map(|side| side * step as f64 * (2.0 * half + 2.0)));
    let sideways = sideways.map(|along| (first.0 + along, first.1));
    let heads = [bands::name_boxes(drawing), bands::over_boxes(drawing)].concat();
    let free = |at: &Point| {
        let here = badge_box(number, *at).inset(-0.5);
        placed.iter().all(|other| !other.badge_box().meets(&here)) && !heads.iter().any(|head| head.meets(&here))
    };
    let tried = [first].into_iter().chain(shifts.into_iter().filter(|_| seen.h > 2.0 * BADGE)).chain(sideways);
    tried.map(inside).find(free)
}

fn has_room_for_name(drawing: &Drawing, seen: &Rect) -> bool {
    seen.h >= 13.0 && seen.w >= 20.0 && !drawing.style.narrow
}

fn beside(drawing: &Drawing, seen: &Rect) -> Point {
    let x = seen.x - 14.0;
    let x = if x - BADGE < drawing.projection.plot.x { seen.right() + 14.0 } else { x };
    (x, seen.centre().1)
}

/// The reason, left of the column or right of it, where it covers no other.
fn chip(
    drawing: &Drawing,
    candidate: &Candidate,
    badge: Point,
    column: (f64, f64),
    placed: &[Callout],
) -> Option<(Rect, String)> {
    if drawing.style.narrow || candidate.chosen {
        return None;
    }
    let size = drawing.style.words(11.5);
    let words = reason(drawing, candidate)?;
    let words = label::shortened(&words, CHIP_ROOM * drawing.style.text_scale, size, false)?;
    let width = label::width(&words, size, false) + 12.0;
    let plot = drawing.projection.plot;
    let gap = CHIP_GAP.max(BADGE + 4.0 - (column.1 - column.0) / 2.0);
    let sides = [column.0 - gap - width, column.1 + gap];
    let height = CHIP * drawing.style.text_scale;
    let free = |rect: &Rect| {
        placed.iter().all(|other| {
            !other.badge_box().meets(rect) && other.chip.as_ref().is_none_or(|(chip, _)| !chip.inset(-1.0).meets(rect))
        })
    };
    let boxes = sides.into_iter().flat_map(|x| {
        [0.0, -0.6, 0.6, -1.1, 1.1]
            .map(|lines| Rect::new(x.round(), (badge.1 - height / 2.0 + lines * height).round(), width, height))
    });
    let heads = [bands::name_boxes(drawing), bands::over_boxes(drawing)].concat();
    let inside = |rect: &Rect| {
        rect.x >= plot.x
            && rect.right() <= plot.right()
            && rect.y >= plot.y - 8.0
            && rect.bottom() <= plot.bottom() + 4.0
            && !heads.iter().any(|head| head.meets(rect))
    };
    let mut boxes = boxes.filter(inside);
    boxes.find(free).map(|rect| (rect, words))
}

/// Why a place was not taken, in few words.
fn reason(drawing: &Drawing, candidate: &Candidate) -> Option<String> {
    let need = drawing.frame.focus.map_or(0, |focus| drawing.run.problem.buffers[focus].size);
    let buffers = &drawing.run.problem.buffers;
    let live = |id: BufferId, key: &'static str| {
        let buffer = &buffers[id];
        Message::new(key)
            .name("name", drawing.run.label(id))
            .with("live", Arg::Live(buffer.live.start, buffer.live.end))
    };
    let message = match (candidate.verdict, candidate.blockers.as_slice()) {
        (Verdict::TooSmall, _) => Message::new("chip.too-small").address("room", candidate.room).address("need", need),
        (Verdict::ManyOverlaps, children) => Message::new("chip.children-overlap").count("n", children.len() as u64),
        (Verdict::ChildRefused | Verdict::Overlaps, [child]) if child.len() == 1 => live(child[0], "chip.is-live"),
        (Verdict::ChildRefused, _) => Message::new("chip.child-refused"),
        (Verdict::Refused, _) if drawing.run.has_panel(StatePanel::OpenSlots) => Message::new("chip.slot-dropped"),
        (Verdict::Refused, _) => Message::new("chip.halves-refused"),
        (Verdict::Full, _) => Message::new("chip.full"),
        (Verdict::OutsideRestrictedRange, _) => Message::new("chip.outside-range"),
        (Verdict::SizeNotKnown, _) => Message::new("chip.size-not-known"),
        (Verdict::Fits, _) => Message::new("chip.fits"),
        (Verdict::Parallel, _) => Message::new("chip.parallel"),
        (Verdict::BelowClass, _) => Message::new("chip.below-class"),
        _ => return None,
    };
    Some(drawing.say(&message))
}

/// Buffers in the way of the listed candidates, each once.
pub fn blockers(drawing: &Drawing) -> Vec<BufferId> {
    let candidates = drawing.frame.candidates.iter().take(MOST);
    let mut ids: Vec<BufferId> =
        candidates.flat_map(|candidate| candidate.blockers.iter().flatten().copied()).collect();
    ids.sort();
    ids.dedup();
    ids
}
