//! Scenes of one run that follow each other.

use crate::learn::lessons::state::progress::scene_of;
use crate::learn::lessons::state::tests::{lessons, opened};
use crate::shell::state::action::{Action, LearnAction, Motion, StepAction};

#[test]
fn a_scene_a_few_frames_on_is_stepped_to() {
    // The second paragraph of the tree has two buffers placed, the third one four.
    let (lesson, at) = (&lessons()[4], 1);
    let frame = |at: usize| lesson.scenes[scene_of(lesson, at).expect("a scene")].frame;
    assert!(frame(at) + 1 < frame(at + 1) && lesson.paragraphs[at].task.is_none());
    let mut state = opened(lesson, at).reduce(Action::Learn(LearnAction::Paragraph(at + 1)));
    for seen in frame(at) + 1..frame(at + 1) {
        assert_eq!((state.frame(), state.learning.gliding, state.is_away()), (seen, true, false));
        assert_eq!(state.stepping.selection, None);
        state = state.reduce(Action::Step(StepAction::Tick));
    }
    assert_eq!((state.frame(), state.learning.gliding, state.is_away()), (frame(at + 1), false, false));
    // Back goes the same way, and whoever steps by hand on the way looks around.
    let mut back = state.reduce(Action::Learn(LearnAction::Paragraph(at)));
    for seen in (frame(at) + 1..frame(at + 1)).rev() {
        assert_eq!((back.frame(), back.learning.gliding, back.is_away()), (seen, true, false));
        back = back.reduce(Action::Step(StepAction::Tick));
    }
    assert_eq!((back.frame(), back.learning.gliding, back.is_away()), (frame(at), false, false));
    let stepped = back.reduce(Action::Learn(LearnAction::Paragraph(at + 1)));
    let stepped = stepped.reduce(Action::Step(StepAction::Move(Motion::Previous)));
    assert!(stepped.is_away() && !stepped.learning.gliding);
}
