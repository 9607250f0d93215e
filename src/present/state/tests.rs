//! The plan alone for an audience, panels that get out of its way, and the keys for both.

use crate::learn::lessons::state::progress::LearnPlace;
use crate::present::state::Presenting;
use crate::shell::state::action::{Action, DocumentAction, LearnAction, StepAction, ViewAction};
use crate::shell::state::keys::Command;
use crate::shell::state::layout::Room;
use crate::shell::state::panels::{Mode, Overlay};
use crate::shell::state::{State, address};
use crate::testing::opened;
use memplan_scene::{Index, Marks, Picture, Shape, Stage, Style, View, stage};

fn view(state: &State, action: ViewAction) -> State {
    state.reduce(Action::View(action))
}

/// The state after a key.
fn pressed(state: &State, command: Command) -> State {
    state.asked(command).map_or_else(|| state.clone(), |action| state.reduce(action))
}

#[test]
fn a_key_presents_the_plan_and_escape_ends_that() {
    let state = pressed(&opened(), Command::Present);
    assert_eq!(state.presenting(), Some(Presenting::default()));
    let state = pressed(&pressed(&state, Command::Blank), Command::Highlight);
    assert_eq!(state.presenting(), Some(Presenting { blank: true, highlight: true, ..Presenting::default() }));
    let state = pressed(&pressed(&state, Command::Blank), Command::Highlight);
    assert_eq!(state.presenting(), Some(Presenting::default()));
    // The frames are those of before.
    let stepped = pressed(&pressed(&state, Command::First), Command::Next);
    assert_eq!((stepped.frame(), stepped.presenting().is_some()), (1, true));
    assert_eq!(pressed(&stepped, Command::Escape).presenting(), None);
    assert_eq!(pressed(&stepped, Command::Present).presenting(), None);
    // Without a plan there is nothing to present.
    assert_eq!(pressed(&State::default(), Command::Present).view.presenting, None);
}

#[test]
fn escape_closes_the_list_of_keys_before_it_ends_the_presentation() {
    let state = pressed(&pressed(&opened(), Command::Present), Command::Help);
    assert_eq!(state.view.overlay, Some(Overlay::Help));
    let closed = pressed(&state, Command::Escape);
    assert_eq!((closed.view.overlay, closed.presenting().is_some()), (None, true));
    assert_eq!(pressed(&closed, Command::Escape).presenting(), None);
    // A browser ends the full screen by itself; the list goes with it.
    let left = view(&state, ViewAction::ScreenLeft);
    assert_eq!((left.view.overlay, left.presenting()), (None, None));
}

#[test]
fn arrows_step_the_presented_plan_from_every_mode() {
    let compared = view(&opened(), ViewAction::Mode(Mode::Compare));
    assert!(matches!(compared.asked(Command::Next), Some(Action::Compare(_))));
    let presented = view(&compared, ViewAction::Present(true));
    assert!(matches!(presented.asked(Command::Next), Some(Action::Step(_))));
    // So does play; the comparison stays where it is.
    let playing = pressed(&pressed(&presented, Command::First), Command::Play);
    let ticked = playing.reduce(Action::Step(StepAction::Tick));
    assert!(playing.stepping.playing && ticked.stepping.playing);
    assert_eq!((playing.frame(), ticked.frame()), (0, 1));
    assert_ne!(playing.playhead(), ticked.playhead(), "the next frame is due");
    assert_eq!(ticked.comparing.compared(), presented.comparing.compared());
    let state = pressed(&presented, Command::Escape);
    assert_eq!((state.view.mode, state.presenting()), (Mode::Compare, None), "the mode of before is there again");
}

#[test]
fn a_link_presents_the_plan() {
    let state = pressed(&opened(), Command::Present);
    let fragment = address::write(&state);
    assert!(fragment.contains("&present=1"), "{fragment}");
    let Target { present, unknown } = Target::of(&fragment);
    assert_eq!((present, unknown), (true, Vec::new()));
    let state =
        State::default().reduce(Action::Document(DocumentAction::Restore(Box::new(address::read(&fragment).restored))));
    assert_eq!((state.view.presenting.is_some(), state.presenting()), (true, None), "once there is a plan");
    assert!(!address::write(&opened()).contains("present"));
    assert!(!Target::of("doc=ex:teaching&present=0").present);
}

/// What a link says of presenting.
struct Target {
    present: bool,
    unknown: Vec<String>,
}

impl Target {
    fn of(fragment: &str) -> Target {
        let address = address::read(fragment);
        Target { present: address.restored.present, unknown: address.unknown }
    }
}

/// Sizes of the letters of a picture.
fn letters(stage: &Stage) -> Vec<f64> {
    let scenes = [&stage.base, &stage.frame, &stage.interaction];
    let marks = scenes.into_iter().flat_map(|scene| &scene.layers).flat_map(|layer| &layer.marks);
    marks.filter_map(|mark| if let Shape::Text(text) = &mark.shape { Some(text.size) } else { None }).collect()
}

#[test]
fn every_letter_on_a_projector_is_at_least_18_px_high() {
    let state = opened();
    let run = state.document.run.clone().expect("planned");
    // The outlines of the tree, whose tags are smaller, are not presented.
    let (index, style) = (Index::of(&run), Style { show_tree: false, ..Style::default() });
    let room = Room::of(1920.0, 1080.0);
    let size = (1856.0 / room.magnification, 800.0 / room.magnification);
    let view = View::fit(&index, size, &style);
    for cursor in 0..=run.timeline.events.len() as u32 {
        let drawn = stage(Picture::new(&run, &index, &run.frame(cursor), &view, size, &style), &Marks::default());
        let smallest = letters(&drawn).into_iter().fold(f64::INFINITY, f64::min);
        assert!(smallest * room.magnification >= 18.0, "{smallest} px after {cursor} events");
    }
}

#[test]
fn panels_get_out_of_the_way_in_every_mode() {
    let open = |state: &State| {
        let panels = state.view.panels;
        [panels.left, panels.right, panels.drawer, panels.editor, panels.figures]
    };
    let toggled = |mode: Mode| pressed(&view(&opened(), ViewAction::Mode(mode)), Command::Panels);
    let (on, off) = (true, false);
    for (mode, wanted) in [
        (Mode::Step, [off, off, off, on, on]),
        (Mode::Edit, [on, on, on, off, on]),
        (Mode::Compare, [on, on, on, on, off]),
    ] {
        let state = toggled(mode);
        assert_eq!(open(&state), wanted, "{mode:?}");
        assert_eq!(open(&pressed(&state, Command::Panels)), [on; 5], "{mode:?}");
        // Whoever goes to a mode finds what it is for.
        let back = view(&view(&state, ViewAction::Mode(Mode::Step)), ViewAction::Mode(mode));
        assert_eq!(open(&back)[3..], [on, on], "{mode:?}");
    }
    // A tab that is asked for opens the drawer; the right panel of the other layout stays as it is.
    let closed = toggled(Mode::Step);
    let graph = view(&closed, ViewAction::RightTab(crate::shell::state::panels::Tab::Graph));
    assert_eq!(open(&graph), [off, off, on, on, on]);
    assert_eq!(open(&pressed(&graph, Command::Panels)), [off, off, off, on, on]);
}

#[test]
fn keys_without_a_use_do_nothing() {
    let (empty, state) = (State::default(), opened());
    for command in [Command::Find, Command::Compare, Command::Undo, Command::Redo] {
        assert!(empty.asked(command).is_none(), "{command:?}");
    }
    assert!(state.asked(Command::Undo).is_none() && state.asked(Command::Find).is_some());
    // Speeds end at the slowest and the fastest.
    let fastest = (0..20).fold(state.clone(), |state, _| pressed(&state, Command::Faster));
    let slowest = (0..20).fold(state, |state, _| pressed(&state, Command::Slower));
    assert!(slowest.stepping.speed < 1.0 && fastest.stepping.speed > 1.0);
}

#[test]
fn the_speaker_sees_every_answer_before_the_audience() {
    let lesson =
        crate::learn::lessons::state::tests::lessons().into_iter().find(|lesson| lesson.number == 1).expect("a lesson");
    let place = LearnPlace { lesson: Some(1), paragraph: 0 };
    let state = crate::learn::lessons::state::tests::learn(State::default(), LearnAction::Open(place));
    let state = crate::learn::lessons::state::tests::learn(state, LearnAction::Lesson(lesson));
    assert_eq!(state.spoken(), None, "nothing is presented");
    let mut state = crate::learn::lessons::state::tests::settled(view(&state, ViewAction::Present(true)));
    let mut asked = 0;
    for stop in 1..40 {
        let spoken = state.spoken().expect("it is presented");
        assert!(spoken.of > 0 && !spoken.title.is_empty() && !spoken.shows.contains('{'), "{spoken:?}");
        let next = crate::learn::lessons::state::tests::settled(pressed(&state, Command::Next));
        if let Some((_, false)) = state.presented_task() {
            asked += 1;
            assert!(!spoken.answer.is_empty() && !spoken.is_revealed && !spoken.notes.is_empty(), "{spoken:?}");
            let after = next.spoken().expect("it is presented");
            assert_eq!((after.answer, after.is_revealed), (spoken.answer.clone(), true));
        }
        if next.learning.staged == state.learning.staged && state.presented_task().is_none_or(|(_, revealed)| revealed)
        {
            assert!(asked >= 2 && spoken.next.is_empty(), "{spoken:?}");
            return;
        }
        assert!(stop < 39 && !spoken.next.is_empty() || state.presented_task().is_some(), "{spoken:?}");
        state = next;
    }
}

#[test]
fn the_speaker_of_a_plan_sees_the_next_frame() {
    let state = pressed(&pressed(&opened(), Command::Present), Command::First);
    let first = state.spoken().expect("it is presented");
    let second = pressed(&state, Command::Next).spoken().expect("it is presented");
    assert_eq!((first.at, first.next.as_str(), first.answer.as_str()), (0, second.shows.as_str(), ""));
    let last = pressed(&state, Command::Last).spoken().expect("it is presented");
    assert_eq!((last.at, last.next.as_str()), (last.of, ""));
}

#[test]
fn a_window_with_notes_takes_the_screen_and_presenting_goes_on() {
    let state = pressed(&opened(), Command::Present);
    assert_eq!(view(&state, ViewAction::ScreenLeft).presenting(), None);
    let state = view(&state, ViewAction::Notes(true));
    assert!(view(&state, ViewAction::ScreenLeft).presenting().is_some());
    assert_eq!(pressed(&state, Command::Escape).presenting(), None);
    assert_eq!(view(&opened(), ViewAction::Notes(true)).presenting(), None, "there is nothing to speak about");
}
