//! A press on the plan as the answer to an open question.

use crate::app::plan::present::Present;
use crate::exercise;
use crate::plan::Place;
use crate::scene::Projection;

impl Present {
    /// The place of the open question that lies nearest to a point of the panel.
    pub fn place_at(&self, at: (f64, f64)) -> Option<Place> {
        let (picture, view) = self.paints.picture.as_ref().zip(self.paints.view())?;
        let projection = Projection::new(&picture.index, &view, picture.size, &picture.style);
        let (pool, address) = projection.y_to_address(at.1).filter(|_| projection.plot.contains(at))?;
        let size = picture.frame.focus.map_or(0, |buffer| picture.run.problem.buffers[buffer].size);
        let distance = |place: &&exercise::Place| match address.checked_sub(place.offset) {
            Some(into) => into.saturating_sub(size),
            None => place.offset - address,
        };
        let own = self.places.iter().filter(|place| place.pool == pool);
        own.min_by_key(distance).map(exercise::Place::spot)
    }
}
