//! The scenes of the present picture, painted on the canvases of the stage.

use std::cell::RefCell;
use std::rc::Rc;

use web_sys::{Element, HtmlCanvasElement};
use yew::prelude::*;

use crate::browser::canvas::{copy, paint_finely, stamp, with_palette};
use crate::browser::dom::by_id;
use crate::context::hover::Pointed;
use crate::plan::viewing::{Picture, Viewing};
use gloo_timers::callback::Timeout;
use memplan_scene::{self as scene, Mark, Marks, Scene, Shift, Stage, View};

/// Scenes of the present picture and the canvases they go to.
pub struct Paints {
    pub picture: Option<Picture>,
    pub viewing: Rc<Viewing>,
    pub dark: bool,
    pub nodes: (NodeRef, NodeRef, NodeRef),
    pub marks: RefCell<Marks>,
    pub shot: Rc<RefCell<Shot>>,
    /// The scenes, if they were made before they are painted, and what they show.
    pub made: RefCell<Option<(View, Marks, Stage)>>,
}

/// The last whole painting, which stands in for a new one while a large plan is moved.
#[derive(Default)]
pub struct Shot {
    view: Option<View>,
    /// Its words, which rings do not cross.
    labels: Vec<Mark>,
    /// Whether the painting took so many marks that it cannot be made anew in every animation
    /// frame.
    heavy: bool,
    /// Its picture, taken off the canvases when the first movement needs it.
    image: Option<HtmlCanvasElement>,
    /// Paints everything anew once the movement pauses.
    pause: Option<Timeout>,
}

/// Marks from which a painting is put off to the end of a movement: about 8 ms of painting without
/// a GPU.
const HEAVY: usize = 4_000;

/// How long a movement rests before the whole is painted, in ms.
const PAUSE: u32 = 120;

fn stage(picture: &Picture, view: &View, marks: &Marks) -> Stage {
    scene::stage(picture.under(view), marks)
}

/// Canvas pixels a css pixel.
fn pixels(picture: &Picture) -> f64 {
    1.0 / picture.style.pixel
}

impl Paints {
    pub fn view(&self) -> Option<View> {
        self.viewing.view()
    }

    /// Names what is outlined on the canvas's element, where a test reads it.
    pub fn tell_hovered(&self, pointed: Pointed) {
        let Some(canvas) = self.nodes.2.cast::<Element>() else { return };
        let picture = self.picture.as_ref().zip(pointed.buffer);
        let buffer = picture.and_then(|(picture, id)| picture.run.problem.buffers.get(id));
        let step = pointed.step.map(|step| step.to_string());
        for (name, value) in [("data-hovered", buffer.map(|buffer| &buffer.name)), ("data-hovered-step", step.as_ref())]
        {
            let done = match value {
                Some(value) => canvas.set_attribute(name, value),
                None => canvas.remove_attribute(name),
            };
            // An element takes any attribute whose name is well formed, as these are.
            debug_assert!(done.is_ok());
        }
    }

    /// Whether making the scenes and painting them takes too long for one task: then the scenes are
    /// made in the one before.
    pub fn is_long(&self) -> bool {
        let picture = self.picture.as_ref().zip(self.view());
        picture.is_some_and(|(picture, view)| !scene::is_quick(picture.under(&view)))
    }

    /// Makes the scenes that [`Paints::all`] will paint.
    pub fn make(&self) {
        let Some((picture, view)) = self.picture.as_ref().zip(self.view()) else { return };
        let marks = *self.marks.borrow();
        *self.made.borrow_mut() = Some((view, marks, stage(picture, &view, &marks)));
    }

    pub fn all(&self) {
        let Some((picture, view)) = self.picture.as_ref().zip(self.view()) else { return };
        let marks = *self.marks.borrow();
        let made = self.made.take().filter(|(of, with, _)| *of == view && *with == marks);
        let stage = made.map_or_else(|| stage(picture, &view, &marks), |(.., stage)| stage);
        let marks: usize = stage.base.layers.iter().map(|layer| layer.marks.len()).sum();
        with_palette(self.dark, |palette| {
            paint_finely(&self.nodes.0, stage.base, picture.size, pixels(picture), palette);
            paint_finely(&self.nodes.1, stage.frame, picture.size, pixels(picture), palette);
            paint_finely(&self.nodes.2, stage.interaction, picture.size, pixels(picture), palette);
        });
        *self.shot.borrow_mut() =
            Shot { view: Some(view), labels: stage.labels, heavy: marks > HEAVY, image: None, pause: None };
        self.viewing.tell_merged((stage.merged, stage.smallest));
        // What stood here while the program was on its way.
        by_id("first-picture").iter().for_each(Element::remove);
    }

    /// Paints after the view alone has changed. A large plan is not drawn anew while it moves: its
    /// last picture is put where it belongs, and the whole is painted when the movement pauses or
    /// has gone far.
    pub fn moved(self: &Rc<Self>) {
        if self.shift().is_none() {
            self.all();
        }
    }

    fn shift(self: &Rc<Self>) -> Option<()> {
        let (picture, view) = self.picture.as_ref().zip(self.view())?;
        let before = self.shot.borrow().view.filter(|_| self.shot.borrow().heavy)?;
        let shift = Shift::new(before, view, &picture.index, picture.size, &picture.style);
        if !shift.is_small() {
            return None;
        }
        let mut shot = self.shot.borrow_mut();
        if shot.image.is_none() {
            shot.image = copy([&self.nodes.0, &self.nodes.1]);
        }
        let image = shot.image.as_ref()?;
        let around = scene::surroundings(picture.under(&view));
        with_palette(self.dark, |palette| {
            paint_finely(&self.nodes.0, around, picture.size, pixels(picture), palette);
            paint_finely(&self.nodes.1, Scene::default(), picture.size, pixels(picture), palette);
        });
        stamp(&self.nodes.0, image, &shift, pixels(picture))?;
        let paints = self.clone();
        shot.pause = Some(Timeout::new(PAUSE, move || paints.all()));
        drop(shot);
        self.top();
        Some(())
    }

    pub fn top(&self) {
        let Some((picture, view)) = self.picture.as_ref().zip(self.view()) else { return };
        let marks = *self.marks.borrow();
        let shot = self.shot.borrow();
        // While the last picture is moved its words are not where they were.
        let labels = if shot.view == Some(view) { shot.labels.as_slice() } else { &[] };
        let scene = scene::interaction(picture.under(&view), &marks, labels);
        with_palette(self.dark, |palette| paint_finely(&self.nodes.2, scene, picture.size, pixels(picture), palette));
    }
}
