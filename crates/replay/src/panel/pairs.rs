//! Results that may lie on an operand: every pair that was judged, with the condition that allowed
//! or refused it.

use super::{Chip, Section, View};
use crate::why::filled;
use crate::{Frame, Run};
use memplan_core::base::Family;
use memplan_core::problem::BufferId;
use memplan_core::trace::Note;

/// Colours of the strip: one for pairs that are taken, one for those that are not.
const TAKEN: u8 = 1;
const REFUSED: u8 = 3;

/// A chip for each pair, in the order in which they were judged; those of this frame's buffer are
/// marked.
pub fn pairs(run: &Run, frame: &Frame) -> Option<Section> {
    let name = |buffer: BufferId| run.problem.buffers[buffer].name.as_str();
    let judged: Vec<Note> = Note::ALL.iter().copied().filter(|note| note.is_in_place()).collect();
    let chip = |(number, (note, subject, a, b)): (u32, (Note, u32, u64, u64))| {
        let acceptor = run.timeline.decisions[run.timeline.decision_at(number + 1)?].buffer;
        Some(Chip {
            label: format!("{} → {}", name(BufferId(subject)), name(acceptor)),
            class: if is_taken(note) { TAKEN } else { REFUSED },
            words: filled(run, Family::PANEL_PAIR, note, [subject.into(), a, b]),
            current: frame.focus == Some(acceptor),
        })
    };
    let chips: Vec<Chip> = run.noted(frame.events, &judged).filter_map(chip).collect();
    (!chips.is_empty()).then_some(Section { id: "pairs", view: View::Strip(chips) })
}

fn is_taken(note: Note) -> bool {
    matches!(note, Note::InPlaceGranted | Note::InPlaceIdentity | Note::InPlaceDies)
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::Level;
    use memplan_core::problem::{Scope, lifetimes};
    use memplan_core::text::{Locale, Speech};
    use memplan_core::trace::Recorder;
    use memplan_formats::import::{self, Answers, Document};
    use memplan_planners::{Input, find, origin};

    /// `a` is read by `b`, which may overwrite it, then `b` by `c` and `d`, which both may.
    const GRAPH: &str = r#"{"format":"memory-graph/1","tensors":[
        {"name":"a","dtype":"float32","shape":[16],"kind":"intermediate"},
        {"name":"b","dtype":"float32","shape":[16],"kind":"intermediate"},
        {"name":"c","dtype":"float32","shape":[16],"kind":"intermediate"},
        {"name":"d","dtype":"float32","shape":[16],"kind":"intermediate"},
        {"name":"e","dtype":"float32","shape":[1],"kind":"output"}],
        "nodes":[{"name":"na","op":"f","inputs":[],"outputs":["a"]},
        {"name":"nb","op":"f","inputs":["a"],"outputs":["b"],"inplace":[[0,0]]},
        {"name":"nc","op":"f","inputs":["b"],"outputs":["c"],"inplace":[[0,0]]},
        {"name":"nd","op":"f","inputs":["b"],"outputs":["d"],"inplace":[[0,0]]},
        {"name":"ne","op":"f","inputs":["c","d"],"outputs":["e"]}]}"#;

    /// Chips after so many decisions, at the end of each line the condition.
    fn chips(id: &str, option: &str, decisions: u32) -> Vec<(String, bool)> {
        let read = import::read(GRAPH.as_bytes(), Answers::default()).map(|read| read.document);
        let Ok(Document::Graph(graph)) = read else { panic!("{read:?}") };
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        let planner = find(id).expect("registered");
        let options = planner.info().options([(option, "true")]).expect("declared");
        let mut recorder = Recorder::default();
        let input = Input { problem: &problem, graph: Some(&graph) };
        let plan = planner.plan(input, &options, &mut recorder).expect("applicable");
        let run = Run::new(Rc::new(problem), origin(id, planner.info().align), plan, recorder.events)
            .with_graph(Some(graph.into()));
        let frame = run.frame(run.timeline.events_at(Level::Decisions, decisions));
        let Some(Section { view: View::Strip(chips), .. }) = pairs(&run, &frame) else { return Vec::new() };
        let line = |chip: Chip| (format!("{}: {}", chip.label, Speech::default().say(&chip.words)), chip.current);
        chips.into_iter().map(line).collect()
    }

    #[test]
    fn every_pair_has_the_condition_that_decided_it() {
        let line = |words: &str, current| (words.to_string(), current);
        let counted = chips("nnvm", "inplace", u32::MAX);
        let expected = [
            line("a → b: taken over: its only read left", false),
            line("b → c: refused: 2 reads left, not 1", false),
            line("b → d: taken over: its only read left", false),
        ];
        assert_eq!(counted, expected);
        assert_eq!(chips("nnvm", "inplace", 2), [line("a → b: taken over: its only read left", true)]);
        // Takers come last here, in the order of nodes.
        let judged = chips("tflite-arena", "inplace", u32::MAX);
        let expected = [
            line("b → c: refused: not its last use", false),
            line("b → d: refused: read more than once", false),
            line("a → b: taken over: its last use", true),
        ];
        assert_eq!(judged, expected);
        let judged = chips("inductor-reuse", "inplace_buffers", u32::MAX);
        let expected = [
            line("a → b: taken over: its last use", false),
            line("b → c: refused: not its last use", false),
            line("b → d: taken over: its last use", false),
        ];
        assert_eq!(judged, expected);
    }

    #[test]
    fn every_condition_has_words() {
        for note in Note::ALL.iter().filter(|note| note.is_in_place()) {
            for locale in Locale::ALL {
                let key = format!("panel.pair.{}", note.key());
                assert!(locale.keys().contains(&key.as_str()), "{key}");
            }
        }
    }
}
