//! What part of the runs is seen, in all columns at once.

use std::cell::{Cell, RefCell};

use yew::prelude::*;

/// What part of the runs is seen, in all columns.
#[derive(Default)]
pub struct Common {
    pub zoom: Cell<Option<Zoom>>,
    watchers: RefCell<Vec<Option<Callback<()>>>>,
}

/// The common view: steps, how much larger than the whole, and pixels scrolled.
#[derive(Clone, Copy)]
pub struct Zoom {
    pub time: (f64, f64),
    pub factor: f64,
    pub scroll: f64,
}

impl Common {
    pub fn choose(&self, zoom: Option<Zoom>) {
        self.zoom.set(zoom);
        let watchers = self.watchers.borrow().clone();
        watchers.iter().flatten().for_each(|watcher| watcher.emit(()));
    }

    pub fn watch(&self, number: usize, watcher: Option<Callback<()>>) {
        let mut watchers = self.watchers.borrow_mut();
        if watchers.len() <= number {
            watchers.resize(number + 1, None);
        }
        watchers[number] = watcher;
    }
}
