//! A run of which only the first decisions are known, as if the planner had just made them: for
//! questions about what it does next. Whoever shows such a run cannot give anything away, because
//! the answer is not in it.

use std::rc::Rc;

use super::run::Run;
use super::timeline::{Level, Timeline};
use memplan_core::base::IdVec;
use memplan_core::plan::{Plan, Pool, Proof, metrics};
use memplan_core::problem::BufferId;
use memplan_core::trace::{Event, Note};

impl Run {
    /// The same run up to a number of decisions. Of later ones only the order of the buffers is
    /// kept; what was found out before the first decision, such as the totals of a search, is left
    /// out, as it may reveal how the run ends.
    ///
    /// Frames at the level of decisions have the same numbers, and so have the events up to the
    /// last decision kept.
    #[must_use]
    pub fn prefix(&self, decisions: u32) -> Run {
        let decided = self.timeline.events_at(Level::Decisions, decisions);
        let first = self.timeline.decisions.first().map_or(0, |first| first.begin);
        let buffer = self.problem.buffers.ids().next();
        let mut events: Vec<Event> = self.timeline.events[..decided.max(first) as usize].to_vec();
        for event in &mut events[..first as usize] {
            // An empty event in its place keeps the numbers of all others.
            if let (Event::Note { note, .. }, Some(buffer)) = (&*event, buffer)
                && *note != Note::Unbounded
            {
                *event = Event::InTheWay { buffer };
            }
        }
        let later = &self.timeline.decisions[(decisions as usize).min(self.timeline.decisions.len())..];
        events.extend(later.iter().map(|decision| Event::Begin { buffer: decision.buffer }));
        let frame = self.frame(decided);
        let known = |id: BufferId| frame.places.get(id).is_some_and(Option::is_some);
        let pool = |(index, pool): (usize, &Pool)| Pool {
            size: frame.pools.get(index).map_or(0, |pool| pool.end),
            ..pool.clone()
        };
        let plan = Plan {
            // The first one shows whether buffers get addresses or storages, which gives nothing
            // away.
            pools: self.plan.pools.iter().take(frame.pools.len().max(1)).enumerate().map(pool).collect::<IdVec<_, _>>(),
            places: (&frame.places).into(),
            unplanned: self.plan.unplanned.clone(),
            shared: self.plan.shared.iter().filter(|(a, b)| known(*a) && known(*b)).copied().collect(),
            quirks: self.plan.quirks.iter().filter(|quirk| known(quirk.a) && known(quirk.b)).copied().collect(),
            proof: Proof::None,
            returned: self.plan.returned,
            misreading: self.plan.misreading.clone(),
            texts: self.plan.texts.iter().take(texts_named(&events)).cloned().collect(),
        };
        let mut figures = metrics(&self.problem, &plan);
        (figures.peak, figures.held) = (frame.peak, None);
        // What is to be placed, and the bound of that, are no secret; how good the plan is shows at
        // its end.
        figures.placed = self.metrics.placed;
        figures.lower_bound = self.metrics.lower_bound;
        figures.placed_lower_bound = self.metrics.placed_lower_bound;
        (figures.ratio, figures.waste) = (None, 0);
        (figures.optimal, figures.proved_bound) = (None, None);
        let timeline = Timeline::new(events, &self.problem);
        let run = Run::of_timeline(self.problem.clone(), self.origin(), plan, figures, timeline);
        let mut run = run.with_graph(self.graph.as_ref().map(Rc::clone));
        run.align = self.align;
        run.window = self.window;
        run.collisions = self.collisions.iter().filter(|(a, b)| known(*a) && known(*b)).copied().collect();
        run.hands_over = self.hands_over;
        run
    }
}

/// How many texts of a plan its first events name: texts come in the order of the notes.
fn texts_named(events: &[Event]) -> usize {
    let named = events.iter().filter_map(|event| match *event {
        Event::Note { note: Note::CodeLine | Note::OwnReason | Note::OwnNote, subject, .. } => {
            Some(subject as usize + 1)
        }
        _ => None,
    });
    named.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{next, why};
    use memplan_core::problem::five_buffers;
    use memplan_core::trace::Recorder;
    use memplan_planners::{self as planner, Input, REGISTRY, origin};

    fn run_of(planner: &dyn planner::Planner) -> Option<Run> {
        let (problem, graph) = (five_buffers::problem(), five_buffers::graph());
        let (mut recorder, info) = (Recorder::default(), planner.info());
        let input = Input { problem: &problem, graph: Some(&graph) };
        let plan = planner.plan(input, &info.defaults(), &mut recorder).ok()?;
        let run = Run::new(Rc::new(problem), origin(info.id, info.align), plan, recorder.events);
        Some(run.with_graph(Some(Rc::new(graph))))
    }

    #[test]
    fn what_is_told_is_the_same_and_the_rest_is_not_there() {
        let mut seen = 0;
        for planner in REGISTRY {
            let Some(run) = run_of(*planner) else { continue };
            let decisions = run.timeline.decisions.len() as u32;
            for decided in 0..decisions {
                let prefix = run.prefix(decided);
                let at = run.timeline.events_at(Level::Decisions, decided);
                let about = format!("{} after {decided} decisions", run.planner);
                assert_eq!(prefix.timeline.frames(Level::Decisions), decisions + 1, "{about}");
                assert_eq!(prefix.timeline.frame_at(Level::Decisions, at), decided, "{about}");
                let (whole, known) = (run.frame(at), prefix.frame(at));
                assert_eq!((&known.places, known.peak, known.placed), (&whole.places, whole.peak, decided), "{about}");
                assert_eq!(next(&prefix, &known), next(&run, &whole), "{about}");
                if decided > 0 {
                    assert_eq!(why(&prefix, &known).headline, why(&run, &whole).headline, "{about}");
                }
                assert_eq!(prefix.metrics.peak, whole.peak, "{about}");
                assert!(!prefix.is_over(&known), "{about}");
                let coming = run.timeline.decisions[decided as usize];
                assert!(prefix.plan.places[coming.buffer].is_none(), "{about}");
                let last = prefix.frame(prefix.timeline.events_at(Level::Decisions, decisions));
                assert_eq!(last.peak, whole.peak, "{about}: nothing comes after it");
                seen += 1;
            }
        }
        assert!(seen > 100, "{seen}");
    }

    #[test]
    fn words_about_later_decisions_are_left_out() {
        let mut run = run_of(planner::find("first-fit").expect("registered")).expect("a plan");
        let note = |subject| Event::Note { note: Note::OwnNote, subject, a: 0, b: 0 };
        let mut events = Vec::new();
        for event in std::mem::take(&mut run.timeline.events) {
            events.push(event);
            if let Event::Begin { buffer } = event {
                events.push(note(buffer.0));
                run.plan.texts.push(format!("word {}", buffer.0));
            }
        }
        run.timeline = Timeline::new(events, &run.problem);
        assert_eq!(run.prefix(2).plan.texts, ["word 0", "word 1"]);
        assert_eq!(run.prefix(0).plan.texts, [""; 0]);
    }
}
