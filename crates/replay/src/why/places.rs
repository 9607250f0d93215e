//! The places looked at, one row each: where, and what came of it with the numbers compared.

use std::cmp::Ordering;

use super::{WhyRow, is_alone, own_name, sides};
use crate::types::{storage_type, type_of};
use crate::{Blocker, Candidate, Frame, Run};
use memplan_core::base::{Arg, Message};
use memplan_core::plan::Place;
use memplan_core::problem::BufferId;
use memplan_core::trace::{Event, Note, Sentences, Verdict};

/// Most names listed one by one in a sentence.
const MAX_NAMES: usize = 3;

/// Returns a candidate in words.
pub fn row(run: &Run, frame: &Frame, candidate: &Candidate) -> WhyRow {
    let span = if candidate.room == u64::MAX {
        Message::new("place.from").bytes("from", candidate.offset)
    } else {
        Message::new("place.span").span("span", candidate.offset, candidate.offset.saturating_add(candidate.room))
    };
    let place = if candidate.storage {
        Message::new("place.storage").count("pool", candidate.pool.0).bytes("size", candidate.room)
    } else if frame.pools.len() > 1 {
        match own_name(frame, candidate.pool) {
            Some(name) => Message::new("place.in-named").inner("name", name).inner("place", span),
            None => Message::new("place.in-pool").count("pool", candidate.pool.0).inner("place", span),
        }
    } else {
        span
    };
    let Candidate { number, visited, chosen, .. } = *candidate;
    WhyRow { number, visited, place, verdict: verdict(run, frame, candidate), chosen }
}

/// How the planner counts bytes, where its figures need that said. A size may be rounded up. A
/// place may end above the next one or above the top: a tree counts the rest of a slot by itself,
/// and then aligns where that begins.
pub fn counted(run: &Run, frame: &Frame) -> Option<Message> {
    rounded(run, frame).or_else(|| reaching_over(run, frame))
}

/// That the planner counts a rounded size, where that is another one.
fn rounded(run: &Run, frame: &Frame) -> Option<Message> {
    let size = wanted_size(run, frame);
    let counted = run.counted_size(size);
    let message = Message::new("why.rounded").bytes("size", size).bytes("counted", counted);
    (counted != size).then(|| message.count("align", run.align))
}

/// Bytes asked for: those of the buffer, or of its upper bound where that is reserved.
pub(super) fn wanted_size(run: &Run, frame: &Frame) -> u64 {
    let bound = frame.notes.iter().find_map(|event| match *event {
        Event::Note { note: Note::Bound, b, .. } => Some(b),
        _ => None,
    });
    bound.unwrap_or_else(|| frame.focus.map_or(0, |focus| run.problem.buffers[focus].size))
}

fn reaching_over(run: &Run, frame: &Frame) -> Option<Message> {
    let focus = frame.focus.filter(|_| !frame.layouts.is_empty())?;
    let live = run.problem.buffers[focus].live;
    let end = |place: &Candidate| place.offset.saturating_add(place.room);
    let reaches_over = |place: &Candidate| {
        let reaches = |from: u64| place.offset < from && from < end(place);
        let top = frame.pools.iter().find(|pool| pool.id == place.pool).map_or(u64::MAX, |pool| pool.end);
        let is_next = |other: &Candidate| other.pool == place.pool && reaches(other.offset);
        let is_beside = |(id, lies): (BufferId, &Option<Place>)| {
            let is_alive = id != focus && run.problem.buffers[id].live.meets(live);
            is_alive && lies.is_some_and(|lies| lies.pool == place.pool && reaches(lies.offset))
        };
        place.offset < top && end(place) > top
            || frame.candidates.iter().any(is_next)
            || place.blockers.is_empty() && frame.places.enumerate().any(is_beside)
    };
    let bounded = frame.candidates.iter().filter(|place| place.room != u64::MAX && !place.storage);
    bounded.into_iter().any(reaches_over).then(|| Message::new("why.counted"))
}

/// What came of a candidate, with the numbers compared.
pub fn verdict(run: &Run, frame: &Frame, candidate: &Candidate) -> Message {
    let asked = wanted_size(run, frame);
    let size = run.counted_size(asked);
    let left = candidate.room.saturating_sub(size);
    let sentences = run.explanation.sentences;
    // A search tries the top even when a hole fits.
    let searches = sentences == Sentences::TopTried && candidate.room == u64::MAX;
    let of_planner = texture(frame, candidate).or_else(|| in_chunk(frame, candidate));
    if let Some(emitted) = of_planner.or_else(|| in_cache(frame, candidate)) {
        return emitted;
    }
    match candidate.verdict {
        Verdict::Chosen if sentences == Sentences::Slots => Message::new("verdict.slot-taken"),
        Verdict::Refused if sentences == Sentences::Slots => Message::new("verdict.slot-dropped"),
        Verdict::BelowClass => Message::new("verdict.below-class").bytes("left", left),
        Verdict::Chosen if sentences == Sentences::Classes && candidate.room == u64::MAX => {
            Message::new("verdict.class-rest")
        }
        Verdict::Chosen if sentences == Sentences::Classes => Message::new("verdict.class-oldest").bytes("left", left),
        Verdict::Fits if sentences == Sentences::Classes => Message::new("verdict.class-younger").bytes("left", left),
        Verdict::BelowRange => Message::new("verdict.below-range").bytes("room", candidate.room),
        Verdict::AboveRange => Message::new("verdict.above-range").bytes("room", candidate.room),
        Verdict::OtherKey if sentences == Sentences::Shapes => Message::new("verdict.other-shape"),
        Verdict::OtherKey if sentences == Sentences::Types => other_type(run, frame, candidate),
        Verdict::OtherKey => Message::new("verdict.other-key"),
        _ if !candidate.visited => Message::new("verdict.not-looked-at"),
        Verdict::Chosen | Verdict::Fits | Verdict::TooSmall
            if candidate.storage && sentences == Sentences::Distance =>
        {
            near(run, frame, candidate)
        }
        // Why a program of the user's takes a place or leaves it is not known.
        Verdict::Chosen if sentences == Sentences::Own && candidate.room == u64::MAX => {
            Message::new("verdict.above-taken")
        }
        Verdict::Fits if sentences == Sentences::Own && candidate.room == u64::MAX => {
            Message::new("verdict.above-left")
        }
        // A place that the program itself looked at has no bytes but those that it asks for.
        Verdict::Chosen if sentences == Sentences::Own && left == 0 => Message::new("verdict.free-taken"),
        Verdict::Fits if sentences == Sentences::Own && left == 0 => Message::new("verdict.free-left"),
        Verdict::Fits if sentences == Sentences::Own => Message::new("verdict.fits-left").bytes("left", left),
        Verdict::Fits if sentences == Sentences::Flow => Message::new("verdict.not-in-flow"),
        Verdict::Chosen if searches => Message::new("verdict.top-wins"),
        Verdict::Fits if searches => Message::new("verdict.top-tried"),
        // Long enough by its bytes: the planner's alignment takes the rest.
        Verdict::TooSmall if candidate.room >= size => {
            Message::new("verdict.misaligned").bytes("size", size).bytes("room", candidate.room)
        }
        Verdict::TooSmall if asked < size => Message::new("verdict.too-small-rounded")
            .bytes("size", asked)
            .bytes("counted", size)
            .bytes("room", candidate.room),
        Verdict::TooSmall => Message::new("verdict.too-small").bytes("size", size).bytes("room", candidate.room),
        Verdict::ManyOverlaps => Message::new("verdict.many-overlaps")
            .count("n", candidate.blockers.len() as u64)
            .with("names", Arg::Names(blocker_names(run, &candidate.blockers))),
        Verdict::ChildRefused => match candidate.blockers.first().and_then(|blocker| blocker.first()) {
            Some(&buffer) => {
                let there = &run.problem.buffers[buffer];
                Message::new("verdict.live").name("name", there.name.clone()).live(
                    "live",
                    there.live.start,
                    there.live.end,
                )
            }
            None => Message::new("verdict.overlap"),
        },
        Verdict::Chosen if candidate.storage && candidate.room == size => Message::new("verdict.storage-exact"),
        Verdict::Chosen if candidate.storage && left > 0 => Message::new("verdict.storage-left").bytes("left", left),
        Verdict::Chosen if candidate.storage => {
            Message::new("verdict.storage-grown").bytes("grow", size.saturating_sub(candidate.room))
        }
        Verdict::Fits if candidate.storage && candidate.room < size => {
            Message::new("verdict.storage-would-grow").bytes("grow", size - candidate.room)
        }
        Verdict::Fits if candidate.storage => Message::new("verdict.storage-fits").bytes("left", left),
        Verdict::OtherDevice => Message::new("verdict.other-device"),
        Verdict::OtherColor => Message::new("verdict.other-color"),
        Verdict::Overlaps | Verdict::Parallel => {
            let key = match (candidate.verdict, candidate.blockers.is_empty()) {
                (Verdict::Overlaps, true) => "verdict.overlaps",
                (Verdict::Overlaps, false) => "verdict.overlaps-with",
                (_, true) => "verdict.parallel",
                (_, false) => "verdict.parallel-with",
            };
            Message::new(key).with("names", Arg::Names(blocker_names(run, &candidate.blockers)))
        }
        Verdict::Marked => match candidate.blockers.first().and_then(|blocker| blocker.first()) {
            Some(&buffer) => {
                let there = &run.problem.buffers[buffer];
                let last = there.live.end.saturating_sub(1);
                Message::new("verdict.marked").name("name", there.name.clone()).count("step", last)
            }
            None => Message::new("verdict.overlaps"),
        },
        Verdict::RaisesPeak => Message::new("verdict.raises-peak"),
        Verdict::Farther => {
            let difference = candidate.room.abs_diff(size);
            let chosen = frame.chosen().map_or(u64::MAX, |chosen| chosen.room.abs_diff(size));
            let key = match difference.cmp(&chosen) {
                Ordering::Greater => "verdict.farther",
                Ordering::Equal => "verdict.as-far",
                // One that was enlarged on the way differs by nothing from then on.
                Ordering::Less => "verdict.enlarged-first",
            };
            Message::new(key).bytes("difference", difference)
        }
        Verdict::Chosen if candidate.room < size => {
            Message::new("verdict.grow").bytes("room", candidate.room).bytes("size", size)
        }
        Verdict::Exact => Message::new("verdict.exact").bytes("size", size),
        Verdict::Split => Message::new("verdict.split").bytes("left", left),
        Verdict::Grow => Message::new("verdict.grow").bytes("room", candidate.room).bytes("size", size),
        Verdict::AtEnd => Message::new("verdict.at-end").count("align", run.align),
        Verdict::Chosen if candidate.room == u64::MAX && sentences == Sentences::Stacked => {
            Message::new("verdict.top-only")
        }
        Verdict::Chosen
            if candidate.room == u64::MAX
                && frame.focus.is_some_and(|focus| is_alone(run, frame, focus, candidate.pool)) =>
        {
            Message::new("verdict.top-alone")
        }
        Verdict::Chosen if candidate.room == u64::MAX => {
            let pool = frame.pools.iter().find(|pool| pool.id == candidate.pool);
            // The arena has been higher: its top is elsewhere.
            let is_inside = pool.is_some_and(|pool| candidate.offset.saturating_add(size) <= pool.end_before);
            Message::new(if is_inside { "verdict.top-inside" } else { "verdict.top" })
        }
        Verdict::Chosen if left == 0 => Message::new("verdict.exact").bytes("size", size),
        Verdict::Chosen => Message::new("verdict.split").bytes("left", left),
        Verdict::Fits if candidate.room == u64::MAX => Message::new("verdict.top-unused"),
        Verdict::Fits => Message::new("verdict.fits").bytes("left", left),
        Verdict::OutsideRestrictedRange => Message::new("verdict.outside-range"),
        Verdict::SizeNotKnown => Message::new("verdict.size-not-known"),
        Verdict::InChild | Verdict::Left | Verdict::Right | Verdict::InTree => Message::new("verdict.inside"),
        Verdict::Full => Message::new("verdict.memory-full"),
        Verdict::Refused => Message::new("verdict.refused"),
    }
}

/// What came of a free block of a chunk. Its last block is compared by the bytes that the chunk
/// grows or that stay unused.
fn in_chunk(frame: &Frame, candidate: &Candidate) -> Option<Message> {
    let size = frame.notes.iter().find_map(|event| match *event {
        Event::Note { note: Note::ChunkRequest, b, .. } => Some(b),
        _ => None,
    })?;
    let highest = frame.notes.iter().find_map(|event| match *event {
        Event::Note { note: Note::EndLook, subject, a, .. } if subject == candidate.pool.0 => Some(a),
        _ => None,
    });
    let taken = candidate.verdict == Verdict::Chosen;
    match candidate.verdict {
        Verdict::TooSmall => {
            return Some(Message::new("verdict.too-small").bytes("size", size).bytes("room", candidate.room));
        }
        Verdict::Chosen | Verdict::Fits => {}
        _ => return None,
    }
    // Without any hole that will do, whatever is large enough is the end of its chunk.
    let Some(highest) = highest else {
        let key = if taken { "verdict.hole-taken" } else { "verdict.hole-fits" };
        return Some(Message::new(key).bytes("left", candidate.room.saturating_sub(size)));
    };
    let end = candidate.offset + size;
    let key = match (taken, end > highest) {
        (true, true) => "verdict.end-taken-grows",
        (true, false) => "verdict.end-taken-spare",
        (false, true) => "verdict.end-grows",
        (false, false) => "verdict.end-spare",
    };
    Some(Message::new(key).bytes("n", end.abs_diff(highest)))
}

/// What came of a free block of an allocator that caches: sizes are compared as it rounds them.
fn in_cache(frame: &Frame, candidate: &Candidate) -> Option<Message> {
    let noted = |wanted: Note| {
        frame.notes.iter().find_map(|event| match *event {
            Event::Note { note, a, b, .. } if note == wanted => Some((a, b)),
            _ => None,
        })
    };
    let (_, rounded) = noted(Note::CacheRequest)?;
    let left = candidate.room.saturating_sub(rounded);
    let key = match candidate.verdict {
        Verdict::Chosen if left == 0 => return Some(Message::new("verdict.exact").bytes("size", rounded)),
        Verdict::Chosen if noted(Note::CacheWhole).is_some() => "verdict.cache-whole",
        Verdict::Chosen => "verdict.split",
        Verdict::Fits => "verdict.cache-later",
        Verdict::Refused => return Some(Message::new("verdict.cache-refused")),
        _ => return None,
    };
    Some(Message::new(key).bytes("left", left))
}

/// What came of a free texture: its sides decide, not its bytes.
fn texture(frame: &Frame, candidate: &Candidate) -> Option<Message> {
    let asked = sides(frame, Note::TextureRequest, None)?;
    let there = sides(frame, Note::TextureFree, Some(candidate.pool))?;
    let key = match candidate.verdict {
        Verdict::OtherDevice => "verdict.texture-other-scope",
        Verdict::OtherKey => "verdict.texture-other-type",
        Verdict::BelowRange | Verdict::AboveRange => "verdict.texture-ratio",
        Verdict::Chosen => "verdict.texture-taken",
        Verdict::Fits => "verdict.texture-fits",
        _ => return None,
    };
    let sides = Message::new(key).count("width", there.0).count("height", there.1);
    let added = (asked.0.saturating_sub(there.0), asked.1.saturating_sub(there.1));
    let wasted = (there.0.saturating_sub(asked.0), there.1.saturating_sub(asked.1));
    let sides = sides.count("more-width", added.0).count("more-height", added.1);
    Some(sides.count("waste-width", wasted.0).count("waste-height", wasted.1))
}

/// A free storage whose memory or element type is another one.
fn other_type(run: &Run, frame: &Frame, candidate: &Candidate) -> Message {
    let wanted = frame.focus.and_then(|focus| type_of(run, focus));
    match storage_type(run, candidate.pool).zip(wanted) {
        Some((there, wanted)) if there != wanted => {
            Message::new("verdict.other-type").text("there", there.name()).text("wanted", wanted.name())
        }
        Some(_) => Message::new("verdict.other-memory"),
        None => Message::new("verdict.other-key"),
    }
}

/// A free object whose distance in time decides, with that distance.
fn near(run: &Run, frame: &Frame, candidate: &Candidate) -> Message {
    let size = frame.focus.map_or(0, |focus| run.problem.buffers[focus].size);
    let Some(steps) = distance(run, frame, candidate) else { return Message::new("verdict.overlaps") };
    if candidate.verdict == Verdict::Chosen {
        let taken = match candidate.room {
            room if room == size => Message::new("verdict.storage-exact"),
            room if room > size => Message::new("verdict.storage-left").bytes("left", room - size),
            room => Message::new("verdict.storage-grown").bytes("grow", size - room),
        };
        return Message::new("verdict.nearest").inner("taken", taken).count("steps", steps);
    }
    let nearest = frame.chosen().and_then(|chosen| distance(run, frame, chosen));
    Message::new(if nearest == Some(steps) { "verdict.as-near" } else { "verdict.farther-in-time" })
        .count("steps", steps)
}

/// Steps from the focus to the nearest member of an object.
fn distance(run: &Run, frame: &Frame, candidate: &Candidate) -> Option<u32> {
    let focus = frame.focus?;
    let live = run.problem.buffers[focus].live;
    let members = frame
        .places
        .enumerate()
        .filter(|(other, place)| *other != focus && place.is_some_and(|place| place.pool == candidate.pool));
    members.filter_map(|(other, _)| live.distance(run.problem.buffers[other].live)).min()
}

/// One name a blocker; a whole subtree is named by its first buffers.
fn blocker_names(run: &Run, blockers: &[Blocker]) -> Vec<String> {
    let name = |buffer: &BufferId| run.problem.buffers[*buffer].name.clone();
    let mut names: Vec<String> = blockers.iter().flatten().map(name).take(MAX_NAMES).collect();
    if blockers.iter().flatten().count() > MAX_NAMES {
        names.push("…".into());
    }
    names
}
