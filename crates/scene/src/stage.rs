//! The stage: three scenes that lie on top of each other, so that hovering repaints only the
//! topmost.

use super::buffers::{self, Visible};
use super::callouts::{Callout, blockers, callouts};
use super::drawing::{Drawing, Picture};
use super::geometry::Rect;
use super::ink::{Color, Ink};
use super::lines::Lines;
use super::mark::{Layer, Mark, Scene, Shape};
use super::style::Marks;
use super::{
    axes, bands, budget, cursor, curves, frame_marks, gaps, guess, held, lane, lit, names, notes, pointer, reuse, torn,
    tree_marks,
};
use memplan_core::base::Term;
use memplan_core::problem::BufferId;

/// The picture of one frame.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Stage {
    /// Axes, bands, buffers, curves and names.
    pub base: Scene,
    /// What happens in this frame.
    pub frame: Scene,
    /// Selection, focus and pointer; the only one that depends on [`Marks`].
    pub interaction: Scene,
    /// Words inside the panel, which rings of the interaction do not cross.
    pub labels: Vec<Mark>,
    /// Visible buffers smaller than a pixel, drawn as density.
    pub merged: u32,
    /// The smallest of them, to zoom to.
    pub smallest: Option<BufferId>,
}

/// Draws a frame.
pub fn stage(picture: Picture, marks: &Marks) -> Stage {
    let Picture { style, .. } = picture;
    let drawing = Drawing::new(picture);
    let visible = Visible::new(&drawing);
    let callouts = if style.notes { Vec::new() } else { callouts(&drawing) };
    let blockers = blockers(&drawing);
    let mut taken = obstacles(&callouts);
    taken.extend(torn::strip(&drawing));
    taken.extend(bands::name_boxes(&drawing));
    taken.extend(bands::over_boxes(&drawing));
    taken.extend(frame_marks::given(&drawing).map(|rect| rect.edges(7.0)).into_iter().flatten());
    let levels = bands::level_lines(&drawing).into_iter().map(|(y, _)| y).chain(bands::former(&drawing)).collect();
    let plot = drawing.projection.plot;
    let sweep = frame_marks::sweep_x(&drawing).map(|x| vec![(x, plot.y), (x, plot.bottom())]);
    let lines = Lines::new(curves::shown(&drawing).chain(sweep).collect(), levels).turned(style.turned);
    let frame = frame_scene(&drawing, &visible, (&callouts, &blockers), &lines, &mut taken);
    let missed = frame_marks::missed_rect(&drawing);
    let outlines = callouts.iter().map(|callout| callout.rect).chain(missed).flat_map(|rect| rect.edges(7.0)).collect();
    let base = base_scene(&drawing, &visible, &blockers, &lines, (taken, outlines));
    let labels = labels(&drawing, [&base, &frame]);
    Stage {
        base,
        frame,
        interaction: interaction_scene(&drawing, marks, &labels),
        labels,
        merged: visible.merged(),
        smallest: visible.smallest(&drawing),
    }
}

/// Draws the topmost scene alone, for pointer moves. `labels` are those of the stage; without them
/// rings may cross words.
pub fn interaction(picture: Picture, marks: &Marks, labels: &[Mark]) -> Scene {
    interaction_scene(&Drawing::new(picture), marks, labels)
}

/// Draws everything but the data, for a gesture: the earlier picture of the panel is moved inside
/// it.
pub fn surroundings(picture: Picture) -> Scene {
    let Picture { size, .. } = picture;
    let drawing = Drawing::new(picture);
    let plot = drawing.projection.plot;
    let mut ground = Layer::default();
    ground.rect(Rect::new(0.0, 0.0, size.0, size.1), Ink::fill(Color::Background));
    let mut panel = Layer::clipped(Rect { h: plot.h + 1.0, ..plot });
    axes::grid(&drawing, &mut panel);
    let mut around = Layer::default();
    bands::margin(&drawing, &Lines::default(), &mut around);
    axes::y_numbers(&drawing, &mut around);
    axes::x_numbers(&drawing, &mut around);
    lane::draw(&drawing, &mut around);
    Scene::new(size, vec![ground, panel, around])
}

/// Numbers, reasons and the sides of the places: names keep clear of them.
fn obstacles(callouts: &[Callout]) -> Vec<Rect> {
    let boxes = |callout: &Callout| {
        let [left, right, outline] = frame_marks::own_marks(callout);
        let chip = callout.chip.as_ref().map(|(rect, _)| rect.inset(-2.0));
        let number = Some(callout.badge_box());
        [Some(left), Some(right), number, chip, callout.chosen.then_some(outline)].into_iter().flatten()
    };
    callouts.iter().flat_map(boxes).collect()
}

/// Words with a halo inside the panel or the lane of waiting buffers.
fn labels(drawing: &Drawing, scenes: [&Scene; 2]) -> Vec<Mark> {
    let (plot, lane) = (drawing.projection.plot, drawing.projection.lane);
    // A header ends at the edge of the panel; the words of the highest line may stand above it.
    let above = if drawing.projection.words_inside { bands::words_above(drawing.style) } else { 0.0 };
    let home = Rect { y: plot.y - above, h: plot.h + above, ..plot }.inset(-2.0);
    let is_home = |at| home.contains(at) || lane.is_some_and(|lane| lane.contains(at));
    let inside = |mark: &&Mark| matches!(&mark.shape, Shape::Text(text) if text.halo.is_some() && is_home(text.at));
    scenes.into_iter().flat_map(Scene::marks).filter(inside).cloned().collect()
}

fn base_scene(
    drawing: &Drawing,
    visible: &Visible,
    blockers: &[BufferId],
    lines: &Lines,
    (mut taken, outlines): (Vec<Rect>, Vec<Rect>),
) -> Scene {
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
    held::draw(drawing, &mut data);
    buffers::draw(drawing, visible, &mut data);
    let hatched = if drawing.style.show_waste { gaps::everywhere(drawing, &mut data) } else { Vec::new() };
    frame_marks::collisions(drawing, &mut data);
    frame_marks::conflict(drawing, &mut data);
    frame_marks::outlined(drawing, &mut data);
    held::stopped(drawing, &mut data);
    // The lines of the outermost levels lie half outside.
    let mut levels = Layer::clipped(Rect { y: plot.y - 2.0, h: plot.h + 4.0, ..plot });
    if drawing.style.show_load {
        curves::loads(drawing, &mut levels);
        curves::names(drawing, visible, lines, &mut taken, &mut levels);
    }
    bands::levels(drawing, &mut levels);
    torn::draw(drawing, torn::strip(drawing), &mut levels);
    // The sizes of gaps keep clear of outlines too, which are drawn over them.
    let mut around = outlines;
    around.extend(&taken);
    let before = around.len();
    gaps::sizes(drawing, &hatched, (lines, &mut around), false, &mut levels);
    taken.extend(around.drain(before..));
    bands::slab_sizes(drawing, visible, lines, &mut taken, &mut levels);
    names::draw(drawing, visible, lines, &mut taken, blockers, &mut levels);
    // Words about a line may stand on boxes, though not on their names.
    taken.extend(lit::letters(&levels.marks));
    let mut around = Layer::default();
    bands::headers(drawing, lines, &taken, &mut around);
    bands::margin(drawing, lines, &mut around);
    axes::y_numbers(drawing, &mut around);
    axes::x_numbers(drawing, &mut around);
    lane::draw(drawing, &mut around);
    Scene::new(size, vec![ground, panel, column, data, levels, around])
}

fn frame_scene(
    drawing: &Drawing,
    visible: &Visible,
    (callouts, blockers): (&[Callout], &[BufferId]),
    lines: &Lines,
    taken: &mut Vec<Rect>,
) -> Scene {
    let plot = drawing.projection.plot;
    let mut inside = Layer::clipped(plot.inset(-4.0));
    frame_marks::sweep(drawing, &mut inside);
    reuse::draw(drawing, lines, taken, &mut inside);
    let has_tree = drawing.style.show_tree && !drawing.style.narrow;
    let path = if has_tree { tree_marks::path(drawing) } else { Vec::new() };
    let boxes = tree_marks::draw(drawing, &path, &mut inside);
    frame_marks::blockers(drawing, blockers, &mut inside);
    tree_marks::tags(drawing, &path, &boxes, taken, &mut inside);
    // Words about a growth and a name may stand above the plot.
    let up_to_edge = |rect: Rect| Rect { y: 0.0, h: rect.bottom(), ..rect };
    let mut grown = Layer::clipped(up_to_edge(plot.inset(-4.0)));
    frame_marks::growth(drawing, lines, taken, &mut grown);
    let mut after = Layer::clipped(plot.inset(-4.0));
    frame_marks::missed(drawing, lines, taken, &mut after);
    let mut over = Layer::clipped(up_to_edge(plot.inset(-10.0)));
    frame_marks::candidates(drawing, callouts, lines, taken, &mut over);
    frame_marks::name(drawing, (callouts, lines), taken, &mut over);
    if !drawing.style.notes {
        names::tags(drawing, visible, lines, taken, &mut over);
    }
    // One of the notes stands above the plot.
    let mut noted = Layer::default();
    if drawing.style.notes {
        notes::draw(drawing, taken, &mut noted);
    }
    Scene::new(drawing.projection.size, vec![inside, grown, after, over, noted])
}

fn interaction_scene(drawing: &Drawing, marks: &Marks, labels: &[Mark]) -> Scene {
    let mut layer = Layer::default();
    if let Some(bytes) = marks.budget {
        budget::draw(drawing, bytes, labels, &mut layer);
    }
    if let Some(peak) = marks.claim {
        budget::claim(drawing, peak, labels, &mut layer);
    }
    if let Some(step) = marks.cursor {
        cursor::draw(drawing, step, labels, &mut layer);
    }
    // The words about the waste are read over a ring.
    let is_over = marks.term == Some(Term::Waste);
    if let Some(term) = marks.term.filter(|_| !is_over) {
        lit::draw(drawing, term, marks.selected, labels, &mut layer);
    }
    if let Some(guessed) = &marks.guess {
        guess::draw(drawing, guessed, labels, &mut layer);
    }
    pointer::draw(drawing, marks, labels, &mut layer);
    if let Some(term) = marks.term.filter(|_| is_over) {
        lit::draw(drawing, term, marks.selected, labels, &mut layer);
    }
    Scene::new(drawing.projection.size, vec![layer])
}
