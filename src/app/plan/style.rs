use crate::app::browser::canvas::device_pixels;
use crate::app::context::{Layout, Page};
use crate::planner;
use crate::replay::Run;
use crate::scene::Style;

pub fn style_of(page: &Page, run: &Run) -> Style {
    let look = page.state.view.look;
    Style {
        speech: page.speech(),
        narrow: page.layout == Layout::Narrow,
        show_tree: look.tree && run.has_tree(),
        dim: look.dim,
        show_load: look.load,
        show_waste: look.waste,
        show_reuse: look.reuse,
        color_by: page.state.view.color_by,
        sweeps: planner::info(&run.planner).is_some_and(|info| info.sweeps),
        pixel: 1.0 / device_pixels(),
        ..Style::default()
    }
}
