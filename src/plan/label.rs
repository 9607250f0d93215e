use crate::context::Page;
use crate::plan::viewing::Picture;
use memplan_core::base::Message;
use memplan_core::problem::BufferId;
use memplan_planners as planner;
use memplan_replay::{Frame, Run};

/// What a screen reader and a test read of the plan.
pub fn plan_label(page: &Page, picture: &Picture) -> String {
    let metrics = &picture.run.metrics;
    let name = page.state.document.open.as_ref().map(|document| document.name.clone()).unwrap_or_default();
    let planner = planner::title_of(&picture.run.planner, page.speech());
    let left_out = picture.run.plan.unplanned.len();
    let is_whole = left_out == 0 || metrics.placed == 0;
    let key = if page.state.keeps_figures_back() {
        // An exercise of the lesson may ask for the figures.
        "aria.plan-asked"
    } else if is_whole {
        "aria.plan"
    } else {
        "aria.plan-partial"
    };
    page.speech().say(
        &Message::new(key)
            .count("out", left_out as u64)
            .bytes("placed-bound", metrics.placed_lower_bound)
            .text("graph", name)
            .text("planner", planner)
            .count("buffers", metrics.buffers)
            .bytes("peak", metrics.peak)
            .bytes("bound", metrics.lower_bound)
            .count("frame", page.state.frame())
            .count("frames", page.state.frames() - 1),
    )
}

pub fn buffer_words(page: &Page, run: &Run, frame: &Frame, id: BufferId) -> String {
    let buffer = &run.problem.buffers[id];
    let key = if frame.places[id].is_some() { "aria.buffer" } else { "aria.buffer-unplaced" };
    page.speech().say(
        &Message::new(key)
            .text("name", buffer.name.clone())
            .bytes("size", buffer.size)
            .live("live", buffer.live.start, buffer.live.end)
            .address("offset", frame.places[id].map_or(0, |place| place.offset)),
    )
}
