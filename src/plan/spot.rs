//! A spot on the plan that a menu is opened for.

use memplan_core::problem::BufferId;
use memplan_scene::Point;

/// A spot that the menu is open for, in px from the panel's corner.
#[derive(Clone, PartialEq)]
pub struct Spot {
    pub at: Point,
    /// Buffers that lie there, the topmost first.
    pub buffers: Vec<BufferId>,
    pub address: Option<u64>,
    pub step: Option<u32>,
}
