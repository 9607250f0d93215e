//! The wheel over the plan: it moves and zooms, over an axis or with a key in one direction.

use yew::prelude::*;

use crate::plan::handler::Handler;
use memplan_scene::Target;

impl Handler {
    pub fn wheel(&self, event: &WheelEvent, at: (f64, f64)) {
        let unit = match event.delta_mode() {
            1 => 16.0,
            2 => 400.0,
            _ => 1.0,
        };
        let (dx, dy) = (event.delta_x() * unit, event.delta_y() * unit);
        let factor = (-dy * 0.0015).exp();
        let hits = self.hits(at);
        let over = |axis: Target| hits.first() == Some(&axis);
        self.change(|view, picture| {
            let (index, size, style) = (&picture.index, picture.size, &picture.style);
            if event.ctrl_key() || event.meta_key() {
                view.zoom(index, size, style, at, (-dy * 0.005).exp())
            } else if over(Target::AxisX) {
                view.zoom_time(index, size, style, at.0, factor)
            } else if over(Target::AxisY) || event.alt_key() {
                view.zoom_scale(index, size, style, at.1, factor)
            } else if event.shift_key() && dx == 0.0 {
                view.pan(index, size, style, (-dy, 0.0))
            } else {
                view.pan(index, size, style, (-dx, -dy))
            }
        });
    }
}
