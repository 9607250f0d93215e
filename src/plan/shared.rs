use std::rc::Rc;

use yew::prelude::*;

use crate::plan::viewing::{Picture, Viewing};

/// A picture as a property: equal while nothing it is made of changed.
#[derive(Clone)]
pub struct Shared(pub Option<Picture>);

impl PartialEq for Shared {
    fn eq(&self, other: &Shared) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => {
                let same_run = Rc::ptr_eq(&a.run, &b.run) && Rc::ptr_eq(&a.index, &b.index);
                same_run && Rc::ptr_eq(&a.frame, &b.frame) && a.style == b.style && a.size == b.size
            }
            (None, None) => true,
            _ => false,
        }
    }
}

/// The view as a property: the same cell for good.
#[derive(Clone)]
pub struct SharedView(pub Rc<Viewing>);

impl PartialEq for SharedView {
    fn eq(&self, _: &SharedView) -> bool {
        true
    }
}

#[derive(Properties, PartialEq)]
pub struct CanvasesProps {
    pub picture: Shared,
    pub viewing: SharedView,
    pub dark: bool,
}
