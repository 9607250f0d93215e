//! Scenes become pictures. SVG everywhere, Canvas 2D in the browser.

mod changes;
mod chart;
mod export;
mod palette;
mod surface;
pub mod svg;
mod texture;

pub use changes::{Changes, changes, reaches_into};
pub use chart::{chart_svg, draw as draw_chart};
pub use export::{Carries, Shown, caption, export_figure, export_svg, figure_svg};
pub use export::{introduction_svg, invalid_svg, print_page};
pub use palette::{Palette, Rgba, Theme, slot};
pub use surface::{Surface, draw, draw_wanted};
pub use texture::{Tile, tile};
