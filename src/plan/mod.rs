//! The plan on its canvases: what is painted, what is pointed at, what gestures and keys change.

pub mod beside;
pub mod canvases;
pub mod gestures;
pub mod handler;
pub mod keys;
pub mod label;
pub mod lane;
pub mod legend;
pub mod minimap;
pub mod motion;
pub mod paints;
mod placing;
pub mod shared;
pub mod slice;
pub mod small;
pub mod spot;
pub mod spot_menu;
pub mod stage;
mod strata;
pub mod style;
#[cfg(test)]
mod tests;
pub mod tooltip;
pub mod viewing;
mod wheel;
pub mod zoom;
