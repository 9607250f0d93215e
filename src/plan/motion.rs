//! What moves over the plan after a step: elements that the style sheet moves once and then hides.
//! The next step takes their place, so a movement never holds up the reader, and where the system
//! asks for less motion they last no time at all.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use yew::prelude::*;

use crate::browser::css;
use crate::context::Page;
use crate::plan::viewing::Picture;
use memplan_core::problem::Problem;
use memplan_scene::{self as scene, Rect, View};

/// Speed of play, in steps per 700 ms, above which steps follow each other too fast to be seen
/// moving.
const FASTEST: f64 = 2.5;

/// The run and the frame that were seen last, and the movements that led there.
#[derive(Default)]
pub struct Seen {
    run: Weak<Problem>,
    frame: u32,
    events: u32,
    moves: scene::Motion,
}

/// Movements that led from the frame seen before to this one, if it is the one after it.
pub fn movers(page: &Page, picture: &Picture, view: View, seen: &Rc<RefCell<Seen>>) -> Html {
    let state = &page.state;
    let (run, frame) = (Rc::downgrade(&picture.run.problem), state.frame());
    let mut seen = seen.borrow_mut();
    let same_run = seen.run.ptr_eq(&run);
    if !same_run || (seen.frame, seen.events) != (frame, picture.frame.events) {
        let stepped = same_run && seen.frame + 1 == frame && seen.events < picture.frame.events;
        let slow = !state.stepping.playing || state.stepping.speed <= FASTEST;
        let moves = if stepped && slow && state.stepping.lane.is_none() {
            scene::motion(picture.under(&view))
        } else {
            scene::Motion::default()
        };
        *seen = Seen { run, frame, events: picture.frame.events, moves };
    }
    let place = |rect: &Rect| format!("left:{}px;top:{}px;width:{}px;height:{}px;", rect.x, rect.y, rect.w, rect.h);
    html! { <>
        { for seen.moves.grown.iter().map(|rect| html! { <div key={format!("grown {frame}")} class="mover grown" ~style={css(place(rect))}></div> }) }
        if let Some((from, to)) = &seen.moves.taken {
            <div key={format!("taken {frame}")} class="mover taken" ~style={css(place(to) + &format!("--from:{}px;--flat:{}", from.y - to.y, from.h / to.h.max(1.0)))}></div>
        }
    </> }
}
