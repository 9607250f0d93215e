//! The present version of `greedy`. Large tensors are placed first. Each goes into the first shared
//! object that is free during its life, else above the live tensors inside one, else into a new
//! object.

use std::collections::BTreeMap;

use super::objects::Object;
use super::spec::{Answer, Assigned, Refusal, Settings, Spec};
use super::stage::Stage;
use memplan_core::problem::Branches;
use memplan_core::trace::{Note, Outcome, Verdict};

/// Returns the indices of `specs` in the order of placement: by falling size, rounded to the spec's
/// own alignment. Of equal sizes, the spec that was collected last comes first. Specs stored inside
/// others are left out.
pub fn order(specs: &[Spec]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..specs.len()).filter(|&index| specs[index].base.is_none()).collect();
    order.sort_by_key(|&index| specs[index].size(specs[index].align));
    order.reverse();
    order
}

/// Places specs; `stacking` is `allow_overlapping_allocations`.
///
/// # Errors
/// [`Refusal::NotSorted`] where the original's assertion fails, [`Refusal::BadBase`] for a spec
/// stored in one that has no place or is too small, [`Refusal::Cancelled`] when stopped.
pub fn greedy(
    specs: &[Spec],
    settings: &Settings,
    stacking: bool,
    branches: &Branches,
    stage: &mut Stage,
) -> Result<Answer, Refusal> {
    let mut arenas: BTreeMap<u32, Vec<Object>> = BTreeMap::new();
    let mut places = vec![None; specs.len()];
    for index in order(specs) {
        let spec = &specs[index];
        let mem_id = spec.arena();
        let detail = stage.begin(spec)?;
        let size = spec.size(settings.align);
        let objects = arenas.entry(mem_id).or_default();
        let found = match free(objects, spec, size, true, branches, stage, detail)? {
            Some(object) => Some((object, 0, Outcome::Reuse)),
            None if stacking => stack(objects, spec, size, branches, stage, detail)
                .map(|(object, inside)| (object, inside, Outcome::Gap)),
            None => None,
        };
        let (number, inside, outcome) = found.unwrap_or_else(|| {
            let start = objects.last().map_or(settings.reserved(mem_id), |last| last.start + last.size);
            objects.push(Object::new(start, size));
            let number = objects.len() - 1;
            stage.note(Note::Object, number as u32, size, start);
            (number, 0, Outcome::NewStorage)
        });
        let object = &mut objects[number];
        object.add(spec, (inside, inside + size));
        stage.note(Note::Member, number as u32, inside, object.size - inside - size);
        stage.place(outcome, spec, mem_id, object.start + inside);
        places[index] = Some(Assigned { mem_id, offset: object.start + inside, object: number as u32 });
    }
    backed(specs, settings, &arenas, &mut places, stage)?;
    let size = |objects: &Vec<Object>| objects.last().map_or(0, |last| last.start + last.size) + settings.padding;
    Ok(Answer { arenas: arenas.iter().map(|(&mem_id, objects)| (mem_id, size(objects))).collect(), places })
}

/// Returns the first object whose members are all dead during the life of the spec. If `sorted`,
/// large specs came first, so every object is large enough; otherwise objects that are too small
/// are skipped.
pub fn free(
    objects: &[Object],
    spec: &Spec,
    size: u64,
    sorted: bool,
    branches: &Branches,
    stage: &mut Stage,
    detail: bool,
) -> Result<Option<usize>, Refusal> {
    for (number, object) in objects.iter().enumerate() {
        let verdict = if !object.is_free(spec.live) {
            Verdict::Overlaps
        } else if !sorted && size > object.size {
            Verdict::TooSmall
        } else if !object.allows(spec, (0, size), branches) {
            Verdict::Parallel
        } else {
            Verdict::Chosen
        };
        if detail {
            match verdict {
                Verdict::Overlaps => stage.in_the_way(object.alive(spec.live)),
                Verdict::Parallel => stage.in_the_way(object.parallel(spec, (0, size), branches)),
                _ => {}
            }
            stage.block(verdict, object.start, object.size);
        }
        if verdict == Verdict::Chosen {
            return if size <= object.size { Ok(Some(number)) } else { Err(Refusal::NotSorted) };
        }
    }
    Ok(None)
}

/// Returns the first object with enough bytes above all members that are alive together with the
/// spec, and the offset in the object at which these bytes begin.
pub fn stack(
    objects: &[Object],
    spec: &Spec,
    size: u64,
    branches: &Branches,
    stage: &mut Stage,
    detail: bool,
) -> Option<(usize, u64)> {
    for (number, object) in objects.iter().enumerate() {
        let inside = object.room_above(spec.live, size);
        let allowed = inside.filter(|&inside| object.allows(spec, (inside, inside + size), branches));
        if detail {
            let top = inside.unwrap_or_else(|| object.top(spec.live));
            let verdict = match (inside, allowed) {
                (_, Some(_)) => Verdict::Chosen,
                (Some(_), None) => Verdict::Parallel,
                // There are enough bytes above, but a member there belongs to a parallel branch,
                // and no path of the graph orders the two.
                (None, None) if object.size - top >= size => Verdict::Parallel,
                (None, None) => Verdict::TooSmall,
            };
            if verdict == Verdict::Parallel {
                stage.in_the_way(object.parallel(spec, (top, top + size), branches));
            }
            stage.block(verdict, object.start + top, object.size - top);
        }
        if let Some(inside) = allowed {
            return Some((number, inside));
        }
    }
    None
}

/// Places the specs that are stored inside other specs. A host may be stored in another spec
/// itself, so this repeats until every host has a place.
fn backed(
    specs: &[Spec],
    settings: &Settings,
    arenas: &BTreeMap<u32, Vec<Object>>,
    places: &mut [Option<Assigned>],
    stage: &mut Stage,
) -> Result<(), Refusal> {
    let mut waiting: Vec<usize> = (0..specs.len()).filter(|&index| specs[index].base.is_some()).collect();
    while !waiting.is_empty() {
        let before = waiting.len();
        let mut left = Vec::new();
        for &index in &waiting {
            let spec = &specs[index];
            let Some(base) = spec.base else { continue };
            let Some(host) = places.get(base.spec).copied().flatten() else {
                left.push(index);
                continue;
            };
            let size = spec.size(settings.align);
            let inside = base.offset.checked_add(size).is_some_and(|end| end <= specs[base.spec].size(settings.align));
            if !base.offset.is_multiple_of(settings.align) || !inside || !arenas.contains_key(&host.mem_id) {
                return Err(Refusal::BadBase);
            }
            stage.begin(spec)?;
            stage.place(Outcome::InPlace, spec, host.mem_id, host.offset + base.offset);
            places[index] = Some(Assigned { offset: host.offset + base.offset, ..host });
        }
        waiting = left;
        if waiting.len() == before {
            return Err(Refusal::BadBase);
        }
    }
    Ok(())
}
