//! `greedy` up to v0.5.0: in order of collection, the free shared object whose size is closest,
//! enlarged if need be.

use std::collections::BTreeMap;

use super::spec::{Answer, Assigned, Refusal, Settings, Spec};
use super::stage::Stage;
use memplan_core::problem::{Branches, BufferId};
use memplan_core::trace::{Note, Outcome, Verdict};

/// A shared object of the older planner: it may grow, and only its last use counts.
#[derive(Clone, Debug)]
struct Slot {
    size: u64,
    /// First byte in its arena with the sizes of this moment.
    start: u64,
    /// First step at which it is free.
    end: u32,
    /// Index of the spec for whose sake it is not free before.
    last: usize,
    /// Indices of its specs.
    members: Vec<usize>,
}

impl Slot {
    /// Whether nobody in it is alive together with the spec: only a pick that went elsewhere keeps
    /// it from being free.
    fn is_only_marked(&self, spec: &Spec, specs: &[Spec]) -> bool {
        self.members.last() != Some(&self.last) && self.members_alive(spec, specs).next().is_none()
    }

    /// For whose sake it is not free.
    fn held_by(&self, spec: &Spec, specs: &[Spec]) -> Vec<BufferId> {
        if self.members.last() == Some(&self.last) {
            vec![specs[self.last].buffer]
        } else {
            self.members_alive(spec, specs).collect()
        }
    }

    fn members_alive(&self, spec: &Spec, specs: &[Spec]) -> impl Iterator<Item = BufferId> {
        let alive = |member: &&Spec| member.live.meets(spec.live);
        self.members.iter().map(|&member| &specs[member]).filter(alive).map(|member| member.buffer)
    }
}

/// An object that was the pick for a moment, with its size before.
struct Pick {
    slot: usize,
    size: u64,
}

/// Places specs.
///
/// # Errors
/// [`Refusal::Backed`] for a spec stored in another one, [`Refusal::Cancelled`] when stopped.
pub fn closest(specs: &[Spec], settings: &Settings, branches: &Branches, stage: &mut Stage) -> Result<Answer, Refusal> {
    let mut arenas: BTreeMap<u32, Vec<Slot>> = BTreeMap::new();
    for (index, spec) in specs.iter().enumerate() {
        if spec.base.is_some() {
            return Err(Refusal::Backed);
        }
        let mem_id = spec.arena();
        let detail = stage.begin(spec)?;
        let size = spec.size(settings.align);
        let slots = arenas.entry(mem_id).or_default();
        let mut picks = pick(slots, index, size, specs, branches, stage, detail);
        let taken = picks.pop();
        for beaten in picks {
            stage.note(Note::ObjectMarked, beaten.slot as u32, beaten.size, u64::from(spec.live.end - 1));
        }
        let (number, outcome) = match taken {
            Some(Pick { slot, size: before }) if before < size => {
                stage.note(Note::ObjectGrows, slot as u32, before, size);
                (slot, Outcome::Enlarge)
            }
            Some(Pick { slot, .. }) => (slot, Outcome::Reuse),
            None => {
                let start = slots.last().map_or(settings.reserved(mem_id), |last| last.start + last.size);
                slots.push(Slot { size, start, end: spec.live.end, last: index, members: Vec::new() });
                stage.note(Note::Object, slots.len() as u32 - 1, size, start);
                (slots.len() - 1, Outcome::NewStorage)
            }
        };
        let Slot { size: room, start, .. } = slots[number];
        slots[number].members.push(index);
        stage.note(Note::Member, number as u32, 0, room - size);
        stage.place(outcome, spec, mem_id, start);
        if outcome == Outcome::Enlarge {
            shift(slots, number, specs, mem_id, stage, detail);
        }
    }
    Ok(answer(specs, &arenas))
}

/// The objects that were the pick for a moment, the one that stays it last. Such an object is
/// changed at once, and stays changed when a closer one beats it.
fn pick(
    slots: &mut [Slot],
    index: usize,
    size: u64,
    specs: &[Spec],
    branches: &Branches,
    stage: &mut Stage,
    detail: bool,
) -> Vec<Pick> {
    let spec = &specs[index];
    let mut looked = Vec::new();
    let mut picks: Vec<Pick> = Vec::new();
    for (number, slot) in slots.iter_mut().enumerate() {
        let allowed = |&member: &usize| branches.allow(specs[member].buffer, spec.buffer);
        let verdict = if spec.live.start < slot.end {
            // Only told where detail is wanted: an object has ever more buffers.
            if detail && slot.is_only_marked(spec, specs) { Verdict::Marked } else { Verdict::Overlaps }
        } else if branches.is_on() && !slot.members.iter().all(allowed) {
            Verdict::Parallel
        } else {
            Verdict::Fits
        };
        if detail {
            let against = match verdict {
                Verdict::Overlaps => slot.held_by(spec, specs),
                Verdict::Marked => vec![specs[slot.last].buffer],
                Verdict::Parallel => {
                    let members = slot.members.iter().filter(|member| !allowed(member));
                    members.map(|&member| specs[member].buffer).collect()
                }
                _ => Vec::new(),
            };
            looked.push((verdict, number, slot.start, slot.size, against));
        }
        // A pick that was too small has been enlarged to the size asked for: nothing is closer.
        let distance = |of: u64| of.max(size) - size;
        let closer = |pick: &Pick| slot.size.abs_diff(size) < distance(pick.size);
        if verdict == Verdict::Fits && picks.last().is_none_or(closer) {
            picks.push(Pick { slot: number, size: slot.size });
            slot.end = spec.live.end;
            slot.last = index;
            slot.size = slot.size.max(size);
        }
    }
    let chosen = picks.last().map(|pick| pick.slot);
    for (verdict, number, start, room, against) in looked {
        let verdict = match verdict {
            Verdict::Fits if chosen == Some(number) => Verdict::Chosen,
            Verdict::Fits => Verdict::Farther,
            refused => refused,
        };
        stage.in_the_way(against.into_iter());
        stage.block(verdict, start, room);
    }
    picks
}

/// Objects above an enlarged one begin higher. Their members are reported only where the viewer
/// wants detail: the end of the run corrects all of them.
fn shift(slots: &mut [Slot], from: usize, specs: &[Spec], mem_id: u32, stage: &mut Stage, detail: bool) {
    let mut start = slots[from].start;
    for slot in &mut slots[from..] {
        slot.start = start;
        start += slot.size;
        if detail {
            slot.members.iter().for_each(|&member| stage.relocate(&specs[member], mem_id, slot.start));
        }
    }
}

fn answer(specs: &[Spec], arenas: &BTreeMap<u32, Vec<Slot>>) -> Answer {
    let mut answer = Answer { arenas: BTreeMap::new(), places: vec![None; specs.len()] };
    for (&mem_id, slots) in arenas {
        for (number, slot) in slots.iter().enumerate() {
            for &member in &slot.members {
                answer.places[member] = Some(Assigned { mem_id, offset: slot.start, object: number as u32 });
            }
        }
        answer.arenas.insert(mem_id, slots.last().map_or(0, |last| last.start + last.size));
    }
    answer
}
