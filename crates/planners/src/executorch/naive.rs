//! `naive`: no sharing at all.

use super::spec::{Answer, Assigned, Refusal, Settings, Spec};
use super::stage::Stage;
use memplan_core::trace::Outcome;

/// Puts every spec at the end of its arena.
///
/// # Errors
/// [`Refusal::Backed`] for a spec stored in another one, [`Refusal::Cancelled`] when stopped.
pub fn naive(specs: &[Spec], settings: &Settings, stage: &mut Stage) -> Result<Answer, Refusal> {
    let mut answer = Answer { arenas: settings.reserved.clone(), places: Vec::with_capacity(specs.len()) };
    for spec in specs {
        if spec.base.is_some() {
            return Err(Refusal::Backed);
        }
        stage.begin(spec)?;
        let end = answer.arenas.entry(spec.arena()).or_default();
        let place = Assigned { mem_id: spec.arena(), offset: *end, object: 0 };
        *end += spec.size(settings.align);
        stage.place(Outcome::Apart, spec, place.mem_id, place.offset);
        answer.places.push(Some(place));
    }
    Ok(answer)
}
