//! The scenes of the present picture, painted on the canvases of the stage.

use std::cell::RefCell;
use std::rc::Rc;

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
