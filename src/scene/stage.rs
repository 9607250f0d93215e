//! The stage: three scenes that lie on top of each other, so that hovering repaints only the topmost.

use super::buffers::{self, Visible};
use super::callouts::{Callout, blockers, callouts};
use super::drawing::Drawing;
use super::geometry::{Rect, Size};
use super::index::Index;
use super::ink::{Color, Ink};
use super::mark::{Layer, Scene};
use super::style::{Marks, Style};
use super::view::View;
use super::{axes, bands, curves, frame_marks, names, pointer, reuse, tree_marks, waste};
use crate::problem::BufferId;
use crate::replay::{Frame, Run};

/// The picture of one frame.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Stage {
    /// Axes, bands, buffers, curves and names.
    pub base: Scene,
    /// What happens in this frame.
    pub frame: Scene,
    /// Selection, focus and pointer; the only one that depends on [`Marks`].
    pub interaction: Scene,
    /// Visible buffers smaller than a pixel, drawn as density.
    pub merged: u32,
    /// The smallest of them, to zoom to.
    pub smallest: Option<BufferId>,
}

/// Draws a frame.
pub fn stage(run: &Run, index: &Index, frame: &Frame, view: &View, size: Size, style: &Style, marks: &Marks) -> Stage {
    let drawing = Drawing::new(run, index, frame, view, size, style);
    let visible = Visible::new(&drawing);
    let callouts = callouts(&drawing);
    let blockers = blockers(&drawing);
    let mut taken = obstacles(&callouts);
    let frame = frame_scene(&drawing, &callouts, &blockers, &mut taken);
    Stage {
        base: base_scene(&drawing, &visible, &blockers, taken),
        frame,
        interaction: interaction_scene(&drawing, marks),
        merged: visible.merged.len() as u32,
        smallest: visible.smallest(&drawing),
    }
}

/// Draws the topmost scene alone, for pointer moves.
pub fn interaction(
    run: &Run,
    index: &Index,
    frame: &Frame,
    view: &View,
    size: Size,
    style: &Style,
    marks: &Marks,
) -> Scene {
    let drawing = Drawing::new(run, index, frame, view, size, style);
    interaction_scene(&drawing, marks)
}

/// Draws everything but the data, for a gesture: the earlier picture of the panel is moved inside it.
pub fn surroundings(run: &Run, index: &Index, frame: &Frame, view: &View, size: Size, style: &Style) -> Scene {
    let drawing = Drawing::new(run, index, frame, view, size, style);
    let plot = drawing.projection.plot;
    let mut ground = Layer::default();
    ground.rect(Rect::new(0.0, 0.0, size.0, size.1), Ink::fill(Color::Background));
    let mut panel = Layer::clipped(Rect { h: plot.h + 1.0, ..plot });
    axes::grid(&drawing, &mut panel);
    let mut around = Layer::default();
    bands::margin(&drawing, &mut around);
    axes::y_numbers(&drawing, &mut around);
    axes::x_numbers(&drawing, &mut around);
    axes::lane(&drawing, &mut around);
    Scene::new(size, vec![ground, panel, around])
}

/// Numbers, reasons and the sides of the places: names keep clear of them.
fn obstacles(callouts: &[Callout]) -> Vec<Rect> {
    let boxes = |callout: &Callout| {
        let rect = callout.rect;
        let sides = [rect.x, rect.right()].map(|x| Some(Rect::new(x - 2.0, rect.y, 4.0, rect.h)));
        let chip = callout.chip.as_ref().map(|(rect, _)| rect.inset(-2.0));
        sides.into_iter().chain([Some(callout.badge_box()), chip, callout.chosen.then_some(rect)]).flatten()
    };
    callouts.iter().flat_map(boxes).collect()
}

fn base_scene(drawing: &Drawing, visible: &Visible, blockers: &[BufferId], mut taken: Vec<Rect>) -> Scene {
    let (plot, size) = (drawing.projection.plot, drawing.projection.size);
    let mut ground = Layer::default();
    ground.rect(Rect::new(0.0, 0.0, size.0, size.1), Ink::fill(Color::Background));
    let mut panel = Layer::clipped(Rect { h: plot.h + 1.0, ..plot });
    axes::grid(drawing, &mut panel);
    bands::growth(drawing, &mut panel);
    // The column goes on through the lane under the axis.
    let mut column = Layer::clipped(Rect { h: size.1 - plot.y, ..plot });
    frame_marks::column(drawing, &mut column);
    let mut data = Layer::clipped(plot);
    buffers::draw(drawing, visible, &mut data);
    if drawing.style.show_waste {
        waste::everywhere(drawing, &mut data);
    }
    frame_marks::collisions(drawing, &mut data);
    frame_marks::conflict(drawing, &mut data);
    // The lines of the outermost levels lie half outside.
    let mut levels = Layer::clipped(Rect { y: plot.y - 2.0, h: plot.h + 4.0, ..plot });
    if drawing.style.show_load {
        curves::loads(drawing, &mut levels);
        curves::names(drawing, visible, &mut taken, &mut levels);
    }
    bands::levels(drawing, &mut levels);
    names::draw(drawing, visible, &taken, blockers, &mut levels);
    let mut around = Layer::default();
    bands::headers(drawing, &taken, &mut around);
    bands::margin(drawing, &mut around);
    axes::y_numbers(drawing, &mut around);
    axes::x_numbers(drawing, &mut around);
    axes::lane(drawing, &mut around);
    Scene::new(size, vec![ground, panel, column, data, levels, around])
}

fn frame_scene(drawing: &Drawing, callouts: &[Callout], blockers: &[BufferId], taken: &mut Vec<Rect>) -> Scene {
    let plot = drawing.projection.plot;
    let mut inside = Layer::clipped(plot.inset(-4.0));
    frame_marks::sweep(drawing, &mut inside);
    reuse::draw(drawing, taken, &mut inside);
    let has_tree = drawing.style.show_tree && !drawing.style.narrow;
    let path = if has_tree { tree_marks::path(drawing) } else { Vec::new() };
    let boxes = tree_marks::draw(drawing, &path, &mut inside);
    frame_marks::blockers(drawing, blockers, &mut inside);
    tree_marks::tags(drawing, &path, &boxes, taken, &mut inside);
    frame_marks::growth(drawing, taken, &mut inside);
    frame_marks::missed(drawing, taken, &mut inside);
    let mut over = Layer::clipped(plot.inset(-10.0));
    frame_marks::candidates(drawing, callouts, &mut over);
    Scene::new(drawing.projection.size, vec![inside, over])
}

fn interaction_scene(drawing: &Drawing, marks: &Marks) -> Scene {
    let mut layer = Layer::default();
    pointer::draw(drawing, marks, &mut layer);
    Scene::new(drawing.projection.size, vec![layer])
}
