//! What moves over the plan after a step: elements that the style sheet moves once and then hides.
//! The next step takes their place, so a movement never holds up the reader, and where the system
//! asks for less motion they last no time at all.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use yew::prelude::*;

use crate::browser::css;
use crate::browser::later::now;
use crate::context::Page;
use crate::plan::viewing::Picture;
use memplan_core::problem::Problem;
use memplan_scene::{self as scene, Rect, View};

/// Speed of play, in steps per 700 ms, above which steps follow each other too fast to be seen
/// moving.
const FASTEST: f64 = 2.5;

/// How long the longest movement lasts, in milliseconds (`--m-grow`).
const LASTS: f64 = 200.0;

/// The run and the frame that were seen last, and the movements that led there.
#[derive(Default)]
pub struct Seen {
    run: Weak<Problem>,
    frame: u32,
    events: u32,
    moves: scene::Motion,
    /// When the last step was made, in milliseconds.
    stepped: Option<f64>,
    /// The buffer that took its place last, from where and where to.
    taken: Option<(Rect, Rect)>,
    /// Whether that was an odd number of buffers: each one's movement is another one than that of
    /// the one before, so that it begins anew.
    is_odd: bool,
}

impl Seen {
    /// Comes to a frame of a run at a time. It moves if it is the one after the frame seen before,
    /// unless the movement that led there is still going on: what is cut off in the middle says
    /// nothing, and who holds a key down waits for it.
    fn come_to(
        &mut self,
        (run, frame, events): (Weak<Problem>, u32, u32),
        at: f64,
        moves: impl FnOnce() -> scene::Motion,
    ) {
        let same_run = self.run.ptr_eq(&run);
        if same_run && (self.frame, self.events) == (frame, events) {
            return;
        }
        let is_step = same_run && self.frame + 1 == frame && self.events < events;
        let is_soon = self.stepped.is_some_and(|before| at - before < LASTS);
        self.moves = if is_step && !is_soon { moves() } else { scene::Motion::default() };
        (self.run, self.frame, self.events) = (run, frame, events);
        if is_step {
            self.stepped = Some(at);
        }
        if self.moves.taken.is_some() {
            (self.taken, self.is_odd) = (self.moves.taken, !self.is_odd);
        }
    }
}

/// Movements that led from the frame seen before to this one, if it is the one after it.
pub fn movers(page: &Page, picture: &Picture, view: View, seen: &Rc<RefCell<Seen>>) -> Html {
    let state = &page.state;
    let frame = state.frame();
    let mut seen = seen.borrow_mut();
    let slow = !state.stepping.playing || state.stepping.speed <= FASTEST;
    let is_seen = slow && state.stepping.lane.is_none();
    seen.come_to((Rc::downgrade(&picture.run.problem), frame, picture.frame.events), now(), || {
        if is_seen { scene::motion(picture.under(&view)) } else { scene::Motion::default() }
    });
    let place = |rect: &Rect| format!("left:{}px;top:{}px;width:{}px;height:{}px;", rect.x, rect.y, rect.w, rect.h);
    let moves = seen.moves.taken.is_some();
    // The same element for good: one more or less would have the browser arrange all that lies over
    // the plan anew, before the movement and after it.
    let taken = seen
        .taken
        .map(|(from, to)| place(&to) + &format!("--from:{}px;--flat:{}", from.y - to.y, from.h / to.h.max(1.0)));
    let class = classes!("arrival", moves.then_some("mover"), (moves && seen.is_odd).then_some("odd"));
    html! { <>
        { for seen.moves.grown.iter().map(|rect| html! { <div key={format!("grown {frame}")} class="mover grown" ~style={css(place(rect))}></div> }) }
        <div key="arrival" {class} ~style={css(taken.unwrap_or_default())}></div>
    </> }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::opened;

    fn one() -> scene::Motion {
        let rect = Rect::new(1.0, 2.0, 3.0, 4.0);
        scene::Motion { taken: Some((rect, rect)), grown: Vec::new() }
    }

    #[test]
    fn a_step_moves_unless_it_follows_another_at_once() {
        let problem = opened().document.run.expect("a run").problem.clone();
        let mut seen = Seen::default();
        let mut moves = |frame: u32, at: f64| {
            seen.come_to((Rc::downgrade(&problem), frame, 4 * frame), at, one);
            (seen.moves.taken.is_some(), seen.is_odd)
        };
        assert_eq!(moves(3, 0.0), (false, false), "where one begins");
        assert_eq!(moves(4, 10.0), (true, true));
        assert_eq!(moves(4, 20.0), (true, true), "the same frame drawn again");
        assert_eq!(moves(5, 60.0), (false, true), "while the other still moves");
        assert_eq!(moves(6, 250.0), (false, true), "a key is held down");
        assert_eq!(moves(7, 450.0), (true, false));
        assert_eq!(moves(6, 900.0), (false, false), "back");
        assert_eq!(moves(9, 1200.0), (false, false), "a leap");
        assert_eq!(moves(10, 1201.0), (true, true), "a leap delays nothing");
    }
}
