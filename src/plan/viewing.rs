//! The visible part of the plan, shared by the stage and the minimap.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use yew::prelude::*;

use crate::browser::canvas::Repaint;
use crate::browser::later::now;
use crate::browser::media::is_still;
use gloo_timers::callback::Timeout;
use memplan_core::problem::{BufferId, Problem};
use memplan_replay::{Frame, Run};
use memplan_scene::{Index, Size, Squeeze, Style, View, Window};

/// The visible part of the run, shared by stage, minimap and slice. Each repaints when another one
/// changes it.
#[derive(Default)]
pub struct Viewing {
    view: Cell<Option<View>>,
    /// Whether the reader chose the view; otherwise it follows the size of the panel.
    chosen: Cell<bool>,
    /// The run, the size and the index that the view was made for.
    fitted: RefCell<Fitted>,
    watchers: RefCell<[Option<Callback<()>>; Watcher::COUNT]>,
    /// The part that the link names. A part that the reader chose is reported to the link by
    /// `on_chosen` after a pause.
    linked: Cell<Option<Window>>,
    reporting: RefCell<Option<Timeout>>,
    on_chosen: RefCell<Option<Callback<Option<Window>>>>,
    picture: RefCell<Option<Picture>>,
    merged: Cell<Merged>,
    on_merged: RefCell<Option<Callback<Merged>>>,
    /// Counts the changes of the view. A glide remembers the number and ends when another change
    /// raised it.
    changes: Cell<u32>,
    frames: Repaint,
}

/// How many buffers are too small to be drawn one by one, and which is the smallest of them.
pub type Merged = (u32, Option<BufferId>);

/// How long a view takes to go to another one, in milliseconds.
const GLIDE: f64 = 200.0;

/// How long a chosen view must stand still before it is written to the link, in milliseconds.
const STILL: u32 = 300;

/// The pictures that show the view.
#[derive(Clone, Copy)]
pub enum Watcher {
    Stage,
    Minimap,
    Slice,
    Strata,
}

impl Watcher {
    const COUNT: usize = Watcher::Strata as usize + 1;
}

impl Viewing {
    pub fn view(&self) -> Option<View> {
        self.view.get()
    }

    /// Ends a glide where it is, because something else was asked for.
    fn stop_gliding(&self) {
        self.changes.set(self.changes.get() + 1);
    }

    /// Takes a view that the reader chose.
    pub fn choose(self: &Rc<Self>, view: View) {
        self.stop_gliding();
        self.chosen.set(true);
        self.show(view);
    }

    /// Glides to a view, or jumps if the user prefers reduced motion. Another change ends the
    /// glide. A view that is not `chosen` follows the size of the panel.
    pub fn glide(self: &Rc<Self>, to: View, chosen: bool) {
        let from = self.view.get().filter(|_| !is_still());
        self.choose(to);
        self.chosen.set(chosen);
        if let Some(from) = from {
            self.view.set(Some(from));
            self.go_on(from, to, now(), self.changes.get());
        }
    }

    /// Zooms to a buffer, with a margin of the buffer's own size. Does nothing if the buffer has no
    /// place.
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
        // A copy, because a watcher may replace itself while it runs.
        let watchers = self.watchers.borrow().clone();
        watchers.iter().flatten().for_each(|watcher| watcher.emit(()));
        self.report_later(STILL);
    }

    /// Reports a chosen view to the link once it has stood still for `delay` milliseconds.
    fn report_later(self: &Rc<Self>, delay: u32) {
        let viewing = self.clone();
        let reporting = Timeout::new(delay, move || {
            let picture = viewing.picture.borrow().clone();
            let seen = picture.zip(viewing.view.get()).filter(|_| viewing.chosen.get());
            let seen = seen.map(|(picture, view)| Window::of(view, &picture.index, picture.size, &picture.style));
            let on_chosen = viewing.on_chosen.borrow().clone().filter(|_| viewing.linked.replace(seen) != seen);
            on_chosen.into_iter().for_each(|on_chosen| on_chosen.emit(seen));
        });
        *self.reporting.borrow_mut() = Some(reporting);
    }

    /// Shows the part that the link names, if that is new. `on_chosen` gets the views that the
    /// reader chooses. While a link is being followed (`visiting`), it is about a run that is not
    /// there yet.
    pub fn follow(
        self: &Rc<Self>,
        picture: &Picture,
        visiting: bool,
        linked: Option<Window>,
        on_chosen: Callback<Option<Window>>,
    ) {
        self.fit_to(picture);
        if visiting {
            return self.linked.set(None);
        }
        *self.picture.borrow_mut() = Some(picture.clone());
        *self.on_chosen.borrow_mut() = Some(on_chosen);
        if self.linked.replace(linked) != linked {
            self.stop_gliding();
            self.chosen.set(linked.is_some());
            self.view.set(Some(match linked {
                Some(window) => window.view(&picture.index, picture.size, &picture.style),
                None => View::fit(&picture.index, picture.size, &picture.style),
            }));
            // A run that is on the panel already is painted anew by nothing else.
            let watchers = self.watchers.borrow().clone();
            watchers.iter().flatten().for_each(|watcher| watcher.emit(()));
        } else if linked.is_some() && !self.chosen.get() {
            // Another run was shown as a whole, so the link must drop the part it names.
            self.report_later(0);
        }
    }

    pub fn watch(&self, watcher: Watcher, repaint: Option<Callback<()>>) {
        self.watchers.borrow_mut()[watcher as usize] = repaint;
    }

    /// What was too small to be drawn one by one in the last painting.
    pub fn merged(&self) -> Merged {
        self.merged.get()
    }

    /// The painting found what is too small. Only the words about it are drawn anew.
    pub fn tell_merged(&self, merged: Merged) {
        self.merged.set(merged);
        let on_merged = self.on_merged.borrow().clone();
        on_merged.into_iter().for_each(|on_merged| on_merged.emit(merged));
    }

    pub fn watch_merged(&self, watcher: Option<Callback<Merged>>) {
        self.on_merged.replace(watcher);
    }

    /// Shows the whole plan if the run is new, or if the size changed and the reader did not choose
    /// the view.
    fn fit_to(&self, picture: &Picture) {
        let fitted = Fitted {
            run: Rc::downgrade(&picture.run.problem),
            index: Rc::downgrade(&picture.index),
            size: (picture.size.0 as u32, picture.size.1 as u32),
            squeeze: picture.style.squeeze,
        };
        let same_axis = self.fitted.borrow().squeeze == fitted.squeeze;
        let same_run = self.fitted.borrow().run.ptr_eq(&fitted.run);
        let same_picture = same_run && self.fitted.borrow().index.ptr_eq(&fitted.index);
        let same_size = self.fitted.replace(fitted.clone()).size == fitted.size;
        if same_picture && same_size && same_axis && self.view.get().is_some() {
            return;
        }
        self.stop_gliding();
        let kept = self.view.get().filter(|_| self.chosen.get() && same_run && same_axis);
        self.chosen.set(kept.is_some());
        self.view.set(Some(match kept {
            Some(view) => view.clamped(&picture.index, picture.size, &picture.style),
            None => View::fit(&picture.index, picture.size, &picture.style),
        }));
    }
}

/// What a view was fitted to. `Weak` frees the contents, yet keeps the addresses from being reused,
/// so comparing them is safe.
#[derive(Clone, Default)]
struct Fitted {
    /// The problem of the run: while *Predict* reveals decisions one by one, the run is a new
    /// object each time.
    run: Weak<Problem>,
    index: Weak<Index>,
    size: (u32, u32),
    squeeze: Option<Squeeze>,
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

impl Picture {
    /// The picture as a view shows it.
    pub fn under<'a>(&'a self, view: &'a View) -> memplan_scene::Picture<'a> {
        memplan_scene::Picture::new(&self.run, &self.index, &self.frame, view, self.size, &self.style)
    }
}
