use std::rc::Rc;

use crate::browser::canvas::device_pixels;
use crate::compare::state::comparison::Column;
use crate::context::{Layout, Page};
use memplan_planners as planner;
use memplan_replay::Run;
use memplan_scene::{ColorBy, Style};
use memplan_teach::lesson::Hidden;

pub fn style_of(page: &Page, run: &Run) -> Style {
    let look = page.state.view.look;
    // Who looks around while an exercise asks sees no more than before.
    let state = &page.state;
    let scene = state.scene_beside().filter(|_| !state.is_away() || state.open_task().is_some());
    let shows = |hidden: Hidden| !scene.is_some_and(|scene| scene.hides(hidden)) && !state.exercise_hides(hidden);
    let is_run = |other: &Rc<Run>| std::ptr::eq(&**other, run);
    let is_broken = !state.document.violations.is_empty() && state.document.run.as_ref().is_some_and(is_run);
    let mut beside = state.comparing.columns.iter().filter_map(Column::plan);
    Style {
        speech: page.speech(),
        invalid: is_broken || beside.any(|shown| shown.found.figures.broken > 0 && is_run(&shown.run)),
        narrow: page.layout == Layout::Narrow && page.magnified <= 1.0,
        // Outlines of the tree and their tags are too fine for an audience.
        show_tree: look.tree && run.has_tree() && page.state.presenting().is_none(),
        dim: (look.dim || page.state.shown_step().is_some()) && shows(Hidden::Alive),
        at_step: page.state.shown_step(),
        show_load: look.load && shows(Hidden::Load),
        show_bound: shows(Hidden::Bound),
        show_peak: shows(Hidden::Peak),
        show_waste: look.waste && !state.has_open_figures(),
        show_reuse: look.reuse,
        // Which buffers are in the peak is part of a figure.
        color_by: if state.has_open_figures() { ColorBy::default() } else { state.view.color_by },
        sweeps: planner::info(&run.planner).is_some_and(|info| info.sweeps),
        notes: page.state.shows_notes() && page.state.presenting().is_none(),
        pixel: 1.0 / (device_pixels() * page.magnified),
        ..Style::default()
    }
}
