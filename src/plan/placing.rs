//! Places that an open question or exercise offers: the pointer shows and chooses them.

use crate::plan::handler::Handler;
use memplan_core::plan::Place;
use memplan_scene::{Projection, Region, Target};

impl Handler {
    /// The offered place that a point of the panel means: the nearest one. A box is no place where
    /// it is alive at other steps than the buffer asked about: there it is selected, as ever.
    pub fn place_at(&self, at: (f64, f64)) -> Option<Place> {
        let offer = self.offer.as_ref()?;
        let (picture, view) = self.paints.picture.as_ref().zip(self.paints.view())?;
        let projection = Projection::new(&picture.index, &view, picture.size, &picture.style);
        let buffers = &picture.run.problem.buffers;
        let live = buffers[offer.buffer].live;
        let is_elsewhere = |target: &Target| matches!(target, Target::Buffer(id) if !buffers[*id].live.meets(live));
        // Above the plot the arena grows.
        let plot = projection.plot;
        let is_inside = (plot.x..=plot.right()).contains(&at.0) && at.1 <= plot.bottom();
        if !is_inside || self.hits(at).iter().any(is_elsewhere) {
            return None;
        }
        let regions = offer.places.iter();
        let regions = regions.map(|place| Region { pool: place.pool, offset: place.offset, room: place.room });
        projection.nearest(at.1, regions).map(|number| offer.places[number].spot())
    }

    /// Shows the buffer at the offered place that is pointed at; elsewhere at the one that is
    /// chosen.
    pub(super) fn aim(&self, at: Option<(f64, f64)>) {
        let aimed = at.and_then(|at| self.place_at(at));
        let mut gesture = self.gesture.borrow_mut();
        if gesture.aimed == aimed {
            return;
        }
        gesture.aimed = aimed;
        drop(gesture);
        let Some(offer) = &self.offer else { return };
        self.paints.marks.borrow_mut().guess = aimed.or(offer.chosen).and_then(|place| offer.guess(place));
        let paints = self.paints.clone();
        self.repaint_top.ask(move || paints.top());
    }
}
