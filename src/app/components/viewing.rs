//! What part of the plan is seen, shared by the stage and the minimap.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use yew::prelude::*;

use crate::replay::{Frame, Run};
use crate::scene::{Index, Size, Style, View};

/// What is seen of the run at the moment, shared by stage and minimap; each repaints when the other changes it.
#[derive(Default)]
pub struct Viewing {
    view: Cell<Option<View>>,
    /// Whether the reader chose the view; otherwise it follows the size of the panel.
    chosen: Cell<bool>,
    /// The run, the size and the index that the view was made for.
    fitted: Cell<Option<(usize, u32, u32, usize)>>,
    watchers: RefCell<[Option<Callback<()>>; 2]>,
}

/// The two pictures that show the view.
#[derive(Clone, Copy)]
pub enum Watcher {
    Stage,
    Minimap,
}

impl Viewing {
    pub fn view(&self) -> Option<View> {
        self.view.get()
    }

    /// Takes a view that the reader chose.
    pub fn choose(&self, view: View) {
        self.view.set(Some(view));
        self.chosen.set(true);
        // Copied first: a watcher may set itself anew.
        let watchers = self.watchers.borrow().clone();
        watchers.iter().flatten().for_each(|watcher| watcher.emit(()));
    }

    /// Back to a view that follows the size of the panel.
    pub fn forget_choice(&self) {
        self.chosen.set(false);
    }

    pub fn watch(&self, watcher: Watcher, repaint: Option<Callback<()>>) {
        self.watchers.borrow_mut()[watcher as usize] = repaint;
    }

    /// A new run, or a new size of a view that nobody chose, shows everything.
    pub fn fit_to(&self, picture: &Picture) {
        let (run, index) = (Rc::as_ptr(&picture.run) as usize, Rc::as_ptr(&picture.index) as usize);
        let key = (run, picture.size.0 as u32, picture.size.1 as u32, index);
        let known = self.fitted.replace(Some(key));
        if known == Some(key) && self.view.get().is_some() {
            return;
        }
        let same_run = known.is_some_and(|known| known.0 == key.0);
        let kept = self.view.get().filter(|_| self.chosen.get() && same_run);
        self.chosen.set(kept.is_some());
        self.view.set(Some(match kept {
            Some(view) => view.clamped(&picture.index, picture.size, &picture.style),
            None => View::fit(&picture.index, picture.size, &picture.style),
        }));
    }
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
