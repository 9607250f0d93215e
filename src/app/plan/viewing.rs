//! What part of the plan is seen, shared by the stage and the minimap.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use gloo_timers::callback::Timeout;
use yew::prelude::*;

use crate::app::browser::canvas::Repaint;
use crate::app::browser::later::later;
use crate::app::browser::media::is_still;
use crate::problem::{BufferId, Problem};
use crate::replay::{Frame, Run};
use crate::scene::{Index, Size, Style, View, Window};

/// What is seen of the run at the moment, shared by stage and minimap; each repaints when the other changes it.
#[derive(Default)]
pub struct Viewing {
    view: Cell<Option<View>>,
    /// Whether the reader chose the view; otherwise it follows the size of the panel.
    chosen: Cell<bool>,
    /// The run, the size and the index that the view was made for.
    fitted: RefCell<Fitted>,
    watchers: RefCell<[Option<Callback<()>>; 3]>,
    /// What the link says of it, and the moment at which a chosen view is told to it.
    linked: Cell<Option<Window>>,
    telling: RefCell<Option<Timeout>>,
    told: RefCell<Option<Callback<Option<Window>>>>,
    picture: RefCell<Option<Picture>>,
    /// Number of the last change of the view; a glide ends when it is no longer its own.
    changes: Cell<u32>,
    frames: Repaint,
}

/// How long a view takes to go to another one, in milliseconds.
const GLIDE: f64 = 200.0;

/// How long a chosen view must stand still before the link is told, in milliseconds.
const STILL: u32 = 300;

/// The pictures that show the view.
#[derive(Clone, Copy)]
pub enum Watcher {
    Stage,
    Minimap,
    Slice,
}

impl Viewing {
    pub fn view(&self) -> Option<View> {
        self.view.get()
    }

    /// A view on its way to another one stays where it is: what it was going to is no longer meant.
    fn stop_gliding(&self) {
        self.changes.set(self.changes.get() + 1);
    }

    /// Takes a view that the reader chose.
    pub fn choose(self: &Rc<Self>, view: View) {
        self.stop_gliding();
        self.chosen.set(true);
        self.show(view);
    }

    /// Goes to a view by and by, or at once where motion is not wanted; another choice on the way ends it. A view that is
    /// not `chosen` follows the size of the panel.
    pub fn glide(self: &Rc<Self>, to: View, chosen: bool) {
        let from = self.view.get().filter(|_| !is_still());
        self.choose(to);
        self.chosen.set(chosen);
        if let Some(from) = from {
            self.view.set(Some(from));
            self.go_on(from, to, now(), self.changes.get());
        }
    }

    /// Goes to a buffer with as much around it as it is large itself; a buffer without a place changes nothing.
    pub fn show_buffer(self: &Rc<Self>, picture: &Picture, id: BufferId) {
        let Some(place) = picture.frame.places[id] else { return };
        let buffer = &picture.run.problem.buffers[id];
        let (index, style) = (&picture.index, &picture.style);
        self.glide(View::fit_selection(index, picture.size, style, buffer.live, place, buffer.size), true);
    }

    /// Goes to everything, and follows the size of the panel again.
    pub fn show_all(self: &Rc<Self>, picture: &Picture) {
        self.glide(View::fit(&picture.index, picture.size, &picture.style), false);
    }

    /// Goes to the steps around the largest load.
    pub fn show_largest_load(self: &Rc<Self>, picture: &Picture) {
        self.glide(View::fit_largest_load(&picture.index, picture.size, &picture.style), true);
    }

    /// Enlarges what is seen about the middle of the panel.
    pub fn zoom(self: &Rc<Self>, picture: &Picture, factor: f64) {
        let Some(view) = self.view() else { return };
        let middle = (picture.size.0 / 2.0, picture.size.1 / 2.0);
        self.glide(view.zoom(&picture.index, picture.size, &picture.style, middle, factor), true);
    }

    fn go_on(self: &Rc<Self>, from: View, to: View, start: f64, change: u32) {
        let viewing = self.clone();
        self.frames.ask(move || {
            if viewing.changes.get() != change {
                return;
            }
            let part = ((now() - start) / GLIDE).clamp(0.0, 1.0);
            // Fast at first, and slowly into place.
            viewing.show(if part < 1.0 { from.towards(to, 1.0 - (1.0 - part).powi(3)) } else { to });
            if part < 1.0 {
                viewing.go_on(from, to, start, change);
            }
        });
    }

    fn show(self: &Rc<Self>, view: View) {
        self.view.set(Some(view));
        // Copied first: a watcher may set itself anew.
        let watchers = self.watchers.borrow().clone();
        watchers.iter().flatten().for_each(|watcher| watcher.emit(()));
        self.tell_later(STILL);
    }

    /// Tells the link what is seen, once it stands still.
    fn tell_later(self: &Rc<Self>, delay: u32) {
        let viewing = self.clone();
        let telling = later(delay, move || {
            let picture = viewing.picture.borrow().clone();
            let seen = picture.zip(viewing.view.get()).filter(|_| viewing.chosen.get());
            let seen = seen.map(|(picture, view)| Window::of(view, &picture.index, picture.size, &picture.style));
            let told = viewing.told.borrow().clone().filter(|_| viewing.linked.replace(seen) != seen);
            told.into_iter().for_each(|told| told.emit(seen));
        });
        *self.telling.borrow_mut() = Some(telling);
    }

    /// Shows what the link says, if it says something new; `told` hears of what the reader chooses. A link that is still
    /// being followed is of another run.
    pub fn follow(
        self: &Rc<Self>,
        picture: &Picture,
        visiting: bool,
        linked: Option<Window>,
        told: Callback<Option<Window>>,
    ) {
        self.fit_to(picture);
        if visiting {
            return self.linked.set(None);
        }
        *self.picture.borrow_mut() = Some(picture.clone());
        *self.told.borrow_mut() = Some(told);
        if self.linked.replace(linked) != linked {
            self.stop_gliding();
            self.chosen.set(linked.is_some());
            self.view.set(Some(match linked {
                Some(window) => window.view(&picture.index, picture.size, &picture.style),
                None => View::fit(&picture.index, picture.size, &picture.style),
            }));
        } else if linked.is_some() && !self.chosen.get() {
            // Another run was fitted.
            self.tell_later(0);
        }
    }

    pub fn watch(&self, watcher: Watcher, repaint: Option<Callback<()>>) {
        self.watchers.borrow_mut()[watcher as usize] = repaint;
    }

    /// A new run, or a new size of a view that nobody chose, shows everything.
    fn fit_to(&self, picture: &Picture) {
        let fitted = Fitted {
            run: Rc::downgrade(&picture.run.problem),
            index: Rc::downgrade(&picture.index),
            size: (picture.size.0 as u32, picture.size.1 as u32),
        };
        let same_run = self.fitted.borrow().run.ptr_eq(&fitted.run);
        let same_picture = same_run && self.fitted.borrow().index.ptr_eq(&fitted.index);
        let same_size = self.fitted.replace(fitted.clone()).size == fitted.size;
        if same_picture && same_size && self.view.get().is_some() {
            return;
        }
        self.stop_gliding();
        let kept = self.view.get().filter(|_| self.chosen.get() && same_run);
        self.chosen.set(kept.is_some());
        self.view.set(Some(match kept {
            Some(view) => view.clamped(&picture.index, picture.size, &picture.style),
            None => View::fit(&picture.index, picture.size, &picture.style),
        }));
    }
}

/// What a view was fitted to. It keeps none of it, but the place of a run in memory, so that no other run takes it.
#[derive(Clone, Default)]
struct Fitted {
    /// Its buffers: while its decisions are told one by one, the run itself is another each time.
    run: Weak<Problem>,
    index: Weak<Index>,
    size: (u32, u32),
}

/// Everything a paint needs.
#[derive(Clone)]
pub struct Picture {
    pub run: Rc<Run>,
    pub index: Rc<Index>,
    pub frame: Rc<Frame>,
    pub style: Style,
    pub size: Size,
}

/// Milliseconds since the page was opened.
fn now() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or(0.0, |clock| clock.now())
}
