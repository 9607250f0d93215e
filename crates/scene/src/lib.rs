//! Pictures of plans: what is drawn where, in css pixels and colour tokens, and what lies under the
//! pointer.
//!
//! ```text
//! Run ──▶ Index ─┐
//! Frame ─────────┼──▶ stage ──▶ base, frame, interaction ──▶ paint
//! View, Style ───┘      └────▶ hit
//! ```
//!
//! In goes a run with a frame and a view of it; out come marks ([`Mark`]). They depend on neither a
//! canvas nor SVG, so pictures are tested natively and printed as text. [`paint`] makes SVG of
//! them, and of charts; the page paints them on a canvas. Begin with [`stage()`].

#![deny(unsafe_code)]
#![warn(missing_docs)]

pub mod paint;

mod axes;
mod bands;
mod beside;
mod budget;
mod buffers;
mod cache;
mod callouts;
mod chart;
mod classes;
mod crowd;
mod cursor;
mod curves;
mod density;
mod differences;
mod drawing;
mod figure;
mod filter;
mod frame_marks;
mod gaps;
pub mod geometry;
mod ghost;
mod guess;
mod held;
mod hit;
mod index;
mod ink;
mod label;
mod lane;
mod lane_room;
mod legend;
mod lines;
mod lit;
mod many;
mod margins;
mod mark;
mod minimap;
mod motion;
mod names;
mod notes;
mod overlaid;
mod pieces;
mod pointer;
mod projection;
mod regions;
mod reuse;
mod rows;
mod scrubber;
mod slice;
mod sparkline;
mod squeeze;
mod stage;
mod strata;
mod style;
#[cfg(test)]
mod tests;
mod thumbnail;
mod ticks;
mod torn;
mod tree_marks;
mod turned;
mod view;

pub use beside::{Beside, Board, BoardBar, beside};
pub use cache::{CacheLoad, HeldPart};
pub use chart::{Chart, ChartForm, ChartScale, Series};
pub use crowd::is_quick;
pub use cursor::fullest_steps;
pub use differences::differences;
pub use drawing::Picture;
pub use figure::{Caption, Title, figure};
pub use filter::Filter;
pub use geometry::{Point, Rect, Size};
pub use ghost::ghost;
pub use hit::{Target, bounds, hit};
pub use index::{Index, PoolFacts};
pub use ink::{Class, Color, Dash, Ink, Part, Stroke, Texture, Tone};
pub use lane_room::waiting_rows;
pub use legend::{LegendEntry, Signs, legend, signs};
pub use many::scrubber_of_many;
pub use mark::{Anchor, Layer, Mark, Scene, Shape, Text};
pub use minimap::{Grip, MinimapScale, minimap};
pub use motion::{Motion, motion};
pub use projection::{Band, Projection};
pub use regions::Region;
pub use scrubber::{Happenings, ScrubberBars, ScrubberMark, ScrubberScale, scrubber, scrubber_frame_at};
pub use slice::slice;
pub use sparkline::sparkline;
pub use squeeze::{Squeeze, Stretch};
pub use stage::{Stage, interaction, stage, surroundings};
pub use strata::strata;
pub use style::{ColorBy, Guess, GuessTone, Marks, Style};
pub use thumbnail::{Small, thumbnail, thumbnail_to};
pub use turned::{turned, turned_size, unturned};
pub use view::{Shift, View, Window};
