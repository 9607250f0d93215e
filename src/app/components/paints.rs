//! The scenes of the present picture, painted on the canvases of the stage.

use std::cell::RefCell;
use std::rc::Rc;

use web_sys::Element;
use yew::prelude::*;

use super::canvas::{paint, palette};
use super::viewing::{Picture, Viewing};
use crate::paint::canvas::Palette;
use crate::problem::BufferId;
use crate::scene::{self, Marks, View};

/// Scenes of the present picture and the canvases they go to.
pub struct Paints {
    pub picture: Option<Picture>,
    pub viewing: Rc<Viewing>,
    pub dark: bool,
    pub colours: Rc<RefCell<Option<(bool, Palette)>>>,
    pub nodes: (NodeRef, NodeRef, NodeRef),
    pub marks: RefCell<Marks>,
    pub merged: UseStateSetter<(u32, Option<BufferId>)>,
}

impl Paints {
    pub fn view(&self) -> Option<View> {
        self.viewing.view()
    }

    fn with_palette(&self, paint: impl FnOnce(&Palette)) {
        let mut colours = self.colours.borrow_mut();
        if colours.as_ref().is_none_or(|(dark, _)| *dark != self.dark) {
            *colours = Some((self.dark, palette(self.dark)));
        }
        if let Some((_, palette)) = &*colours {
            paint(palette);
        }
    }

    /// Names the buffer pointed at on the canvas's element, where a test reads it.
    pub fn tell_hovered(&self, buffer: Option<BufferId>) {
        let Some(canvas) = self.nodes.2.cast::<Element>() else { return };
        let picture = self.picture.as_ref().zip(buffer);
        let told = match picture.and_then(|(picture, id)| picture.run.problem.buffers.get(id)) {
            Some(buffer) => canvas.set_attribute("data-hovered", &buffer.name),
            None => canvas.remove_attribute("data-hovered"),
        };
        // An element takes any attribute whose name is well formed, as this one is.
        debug_assert!(told.is_ok());
    }

    pub fn all(&self) {
        let Some((picture, view)) = self.picture.as_ref().zip(self.view()) else { return };
        let marks = *self.marks.borrow();
        let stage =
            scene::stage(&picture.run, &picture.index, &picture.frame, &view, picture.size, &picture.style, &marks);
        self.with_palette(|palette| {
            paint(&self.nodes.0, &stage.base, picture.size, palette);
            paint(&self.nodes.1, &stage.frame, picture.size, palette);
            paint(&self.nodes.2, &stage.interaction, picture.size, palette);
        });
        self.merged.set((stage.merged, stage.smallest));
    }

    pub fn top(&self) {
        let Some((picture, view)) = self.picture.as_ref().zip(self.view()) else { return };
        let marks = *self.marks.borrow();
        let scene = scene::interaction(
            &picture.run,
            &picture.index,
            &picture.frame,
            &view,
            picture.size,
            &picture.style,
            &marks,
        );
        self.with_palette(|palette| paint(&self.nodes.2, &scene, picture.size, palette));
    }
}
