//! Plans beside each other as one picture: bars of their peaks, the plans, and a sentence below
//! each of them.

use super::differences::differences;
use super::drawing::{Drawing, Picture};
use super::figure::{
    BODY, Caption, GAP, LEAST, LEAST_PART, PAD, SMALL, entries, header, key, lines, moved, rows, text,
};
use super::geometry::{Rect, Size};
use super::index::Index;
use super::ink::{Class, Color, Dash, Ink, Part, Texture, Tone};
use super::label::{shortened, width};
use super::mark::{Anchor, Layer, Mark, Scene, Shape};
use super::stage::stage;
use super::style::{Marks, Style};
use super::turned::{turned, turned_size};
use super::view::View;
use memplan_core::base::IdVec;
use memplan_core::problem::BufferId;
use memplan_replay::{Frame, Run, Twin};

/// Distance between columns.
const APART: f64 = 16.0;
/// Height of a row of bars, and of a bar in it.
const BAR: (f64, f64) = (20.0, 11.0);
/// Most part of the width that names of bars take.
const NAMES: f64 = 0.3;
/// The axis of the bars ends at this factor times the largest of them.
const HEAD_ROOM: f64 = 1.06;
/// Most lines of figures above a plan, and of a sentence below it.
const MOST: (usize, usize) = (2, 4);

/// A plan of the picture.
pub struct Beside<'a> {
    /// The run.
    pub run: &'a Run,
    /// What the scene knows of it.
    pub index: &'a Index,
    /// The moment that is shown.
    pub frame: &'a Frame,
    /// How it is drawn.
    pub style: Style,
    /// Whether the marks of a decision are drawn.
    pub stepping: bool,
    /// Where each buffer lies in the plan that differences are shown against.
    pub twins: Option<IdVec<BufferId, Option<Twin>>>,
    /// The planner in words.
    pub name: String,
    /// Peak and distance in words.
    pub figures: String,
    /// The sentence below the plan.
    pub why: String,
}

/// A bar above the plans.
#[derive(Clone, PartialEq, Debug)]
pub struct BoardBar {
    /// Name of the plan.
    pub name: String,
    /// The bytes that it needs; none for a plan that breaks rules.
    pub bytes: Option<u64>,
    /// The lower bound that it is measured against.
    pub bound: u64,
    /// What stands behind the bar.
    pub words: String,
}

/// What the picture holds beside the plans.
pub struct Board {
    /// Words around the plans; what happens is told below each of them.
    pub caption: Caption,
    /// Bars from the lowest need up.
    pub bars: Vec<BoardBar>,
    /// What no sharing at all would take, which may be longer than the axis.
    pub unshared: Option<BoardBar>,
    /// The lower bound that a line through all bars marks.
    pub bound: u64,
    /// Whether every plan has a scale of its own.
    pub fit_each: bool,
}

/// Draws plans beside each other, back to front.
pub fn beside(plans: &[Beside], board: &Board, size: Size, style: &Style) -> Vec<Scene> {
    let room = size.0 - 2.0 * PAD;
    let (mut words, mut ground) = (Layer::default(), Layer::default());
    ground.rect(Rect::new(0.0, 0.0, size.0, size.1), Ink::fill(Color::Background));
    let mut top = header(&board.caption, room, &mut words).max(PAD / 2.0);
    top += bars(board, top, room, style, &mut words);
    let count = plans.len().max(1) as f64;
    let wide = ((room - APART * (count - 1.0)) / count).max(1.0);
    let left = |number: usize| PAD + number as f64 * (wide + APART);
    let heads: Vec<Vec<String>> =
        plans.iter().map(|plan| lines(&plan.figures, wide, style.words(SMALL.0), MOST.0)).collect();
    let head = BODY.1 + SMALL.1 * heads.iter().map(Vec::len).max().unwrap_or(0) as f64 + GAP;
    // The link, the legend and the sentences take what the plans leave.
    let mut spare = size.1 - top - head - LEAST.max(size.1 * LEAST_PART) - (PAD - GAP);
    let mut take = |lines: usize, height: f64| {
        let taken = lines.min(((spare - GAP).max(0.0) / height) as usize);
        spare -= if taken > 0 { taken as f64 * height + GAP } else { 0.0 };
        taken
    };
    let link = board.caption.link.as_ref().filter(|_| take(1, SMALL.1) > 0);
    let sentences = |most: usize| {
        let of = |plan: &Beside| lines(&plan.why, wide, style.words(SMALL.0), most);
        plans.iter().map(of).collect::<Vec<Vec<String>>>()
    };
    let whys = take(sentences(MOST.1).iter().map(Vec::len).max().unwrap_or(0).min(MOST.1), SMALL.1);
    let sentences = if whys > 0 { sentences(whys) } else { Vec::new() };
    let panel = |foot: f64| (wide, (size.1 - top - head - foot).max(LEAST));
    let explained = |panel: Size| match plans.first().filter(|_| board.caption.legend) {
        Some(plan) => {
            let laid_out = laid_out(plan, panel);
            let view = View::fit(plan.index, laid_out, &plan.style);
            entries(&Drawing::new(Picture::new(plan.run, plan.index, plan.frame, &view, laid_out, &plan.style)), room)
        }
        None => Vec::new(),
    };
    let legend = explained(panel(0.0));
    let legend = rows(&legend, room, style);
    let legend_rows = take(legend.len(), SMALL.1);
    let blocks = [whys, legend_rows, usize::from(link.is_some())];
    let foot: f64 = blocks.iter().filter(|rows| **rows > 0).map(|rows| *rows as f64 * SMALL.1 + GAP).sum();
    let panel = panel(if foot > 0.0 { foot + PAD - GAP } else { PAD / 2.0 });
    for (number, plan) in plans.iter().enumerate() {
        let at = |y: f64| (left(number), y);
        if let Some(name) = shortened(&plan.name, wide, style.words(BODY.0), true) {
            words.text(text(name, at(top + BODY.1 / 2.0), Anchor::Start, style.words(BODY.0)).bold(), Color::Text);
        }
        for (row, line) in heads[number].iter().enumerate() {
            let y = top + BODY.1 + SMALL.1 * (row as f64 + 0.5);
            words.text(text(line.clone(), at(y), Anchor::Start, style.words(SMALL.0)), Color::Text);
        }
        for (row, line) in sentences.get(number).into_iter().flatten().enumerate() {
            let y = top + head + panel.1 + SMALL.1 * (row as f64 + 0.5);
            words.text(text(line.clone(), at(y), Anchor::Start, style.words(SMALL.0)), Color::Text);
        }
    }
    let mut y = top + head + panel.1 + if whys > 0 { whys as f64 * SMALL.1 + GAP } else { 0.0 };
    for row in legend.iter().take(legend_rows) {
        row.iter().for_each(|&(x, entry)| key(entry, (PAD + x, y + SMALL.1 / 2.0), style, &mut words));
        y += SMALL.1;
    }
    y += if legend_rows > 0 { GAP } else { 0.0 };
    if let Some(link) = link.and_then(|link| shortened(link, room, SMALL.0, false)) {
        words.text(text(link, (PAD, y + SMALL.1 / 2.0), Anchor::Start, SMALL.0), Color::Muted);
    }
    let scale = plans.iter().map(|plan| View::fit(plan.index, laid_out(plan, panel), &plan.style).scale);
    let scale = scale.fold(f64::INFINITY, f64::min);
    let mut scenes = vec![Scene::new(size, vec![ground])];
    for (number, plan) in plans.iter().enumerate() {
        let fit = View::fit(plan.index, laid_out(plan, panel), &plan.style);
        let view = if board.fit_each { fit } else { View { scale, ..fit } };
        let corner = (left(number), top + head);
        scenes.extend(drawn(plan, &view, panel).into_iter().map(|scene| moved(scene, corner, size)));
    }
    scenes.push(Scene::new(size, vec![words]));
    scenes
}

/// The size in which a plan is laid out that is shown in this panel.
fn laid_out(plan: &Beside, panel: Size) -> Size {
    if plan.style.turned { turned_size(panel) } else { panel }
}

/// One plan in a panel of this size.
fn drawn(plan: &Beside, view: &View, panel: Size) -> Vec<Scene> {
    let Beside { run, index, frame, style, .. } = plan;
    let size = laid_out(plan, panel);
    let marks = Marks { step: style.at_step, ..Marks::default() };
    let picture = Picture::new(run, index, frame, view, size, style);
    let stage = stage(picture, &marks);
    let mut scenes = vec![stage.base];
    scenes.extend(plan.stepping.then_some(stage.frame));
    scenes.extend(plan.twins.as_ref().map(|twins| differences(picture, twins)));
    scenes.push(stage.interaction);
    scenes.into_iter().map(|scene| if style.turned { turned(scene, panel) } else { scene }).collect()
}

/// Draws the bars from a height down, and gives the height that they take.
fn bars(board: &Board, top: f64, room: f64, style: &Style, layer: &mut Layer) -> f64 {
    let all: Vec<&BoardBar> = board.bars.iter().chain(&board.unshared).collect();
    if all.is_empty() {
        return 0.0;
    }
    let size = style.words(SMALL.0);
    let most = |widths: &mut dyn Iterator<Item = f64>| widths.fold(0.0, f64::max);
    let names = most(&mut all.iter().map(|bar| width(&bar.name, size, false))).min(room * NAMES);
    let values = most(&mut all.iter().map(|bar| width(&bar.words, size, false))).min(room * NAMES);
    let start = PAD + names + 8.0;
    let track = (room - names - values - 16.0).max(1.0);
    let longest = board.bars.iter().filter_map(|bar| bar.bytes).fold(board.bound, u64::max).max(1) as f64 * HEAD_ROOM;
    let across = |bytes: u64| start + track * (bytes as f64 / longest).min(1.0);
    let color = |part| Color::Buffer(part, Class::Category(0), Tone::Full);
    for (row, bar) in all.iter().enumerate() {
        let middle = top + BAR.0 * (row as f64 + 0.5);
        if let Some(name) = shortened(&bar.name, names, size, false) {
            layer.text(text(name, (start - 8.0, middle), Anchor::End, size), Color::Text);
        }
        let is_plan = row < board.bars.len();
        let tall = if is_plan { BAR.1 } else { BAR.1 / 2.0 };
        let rect = |from: f64, to: f64| Rect::new(from, middle - tall / 2.0, (to - from).max(0.0), tall);
        let end = bar.bytes.map_or(start, across);
        match bar.bytes {
            Some(bytes) if is_plan => {
                let within = rect(start, across(bytes.min(bar.bound)));
                layer.marks.push(filled(within, color(Part::Fill), color(Part::Border)));
                if bytes > bar.bound {
                    let over = rect(within.right(), end);
                    let hatched = Ink::texture(color(Part::Border), Texture::Gap);
                    layer.marks.push(Mark { ink: hatched, ..filled(over, Color::Background, color(Part::Border)) });
                }
            }
            Some(bytes) => {
                layer.rect(rect(start, end), Ink::fill(Color::Line2));
                if bytes as f64 > longest {
                    broken((end - 12.0, middle), layer);
                }
            }
            None => {}
        }
        if let Some(words) = shortened(&bar.words, PAD + room - end - 6.0, size, false) {
            layer.text(text(words, (end + 6.0, middle), Anchor::Start, size), Color::Text);
        }
    }
    let height = BAR.0 * all.len() as f64;
    let at = across(board.bound);
    layer.line((at, top), (at, top + height), Ink::dashed(Color::Bound, 1.5, Dash::Bound));
    height + GAP
}

fn filled(rect: Rect, fill: Color, edge: Color) -> Mark {
    Mark { edge: Some(edge), ..Mark::new(Shape::Rect(rect), Ink::fill(fill)) }
}

/// Two strokes through a bar that is longer than the axis.
fn broken((x, y): (f64, f64), layer: &mut Layer) {
    layer.rect(Rect::new(x - 1.0, y - 6.0, 7.0, 12.0), Ink::fill(Color::Background));
    for right in [0.0, 5.0] {
        layer.line((x + right - 2.0, y + 6.0), (x + right + 2.0, y - 6.0), Ink::line(Color::Line2, 1.5));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Title;
    use crate::tests::run;
    use memplan_replay::Level;

    fn board(bars: Vec<BoardBar>) -> Board {
        let title = Title { graph: "small".into(), planner: "lower bound 70 B".into(), ..Title::default() };
        let caption = Caption {
            title: Some(title),
            moment: Some("finished plans".into()),
            legend: true,
            why: None,
            link: Some("https://example.org/#doc=x".into()),
        };
        let unshared = BoardBar { name: "without".into(), bytes: Some(700), bound: 70, words: "700 B".into() };
        Board { caption, bars, unshared: Some(unshared), bound: 70, fit_each: false }
    }

    #[test]
    fn a_slide_shows_all_plans_at_one_scale_in_letters_that_are_read_from_the_last_row() {
        // The second plan is half empty.
        let runs = [run(&[(40, 0, 3, 0, 0), (30, 1, 4, 0, 40)]), run(&[(40, 0, 3, 0, 0), (30, 1, 4, 0, 110)])];
        let indexes: Vec<Index> = runs.iter().map(Index::new).collect();
        for stepping in [false, true] {
            let frames = [0, 1].map(|number: usize| {
                let run = &runs[number];
                if stepping { run.frame(run.timeline.events_at(Level::Decisions, 2)) } else { run.finished() }
            });
            for narrow in [false, true] {
                let style = Style { narrow, words_inside: true, dim: false, ..Style::default() };
                let plan = |number: usize| Beside {
                    run: &runs[number],
                    index: &indexes[number],
                    frame: &frames[number],
                    style,
                    stepping,
                    twins: None,
                    name: format!("planner {number}"),
                    figures: "peak 70 B · 1.00×".into(),
                    why: "At the lower bound: no plan of these buffers is smaller.".into(),
                };
                let bar = |number: usize| BoardBar {
                    name: format!("bar {number}"),
                    bytes: Some([70, 140][number]),
                    bound: 70,
                    words: "bytes".into(),
                };
                let board = board(vec![bar(0), bar(1)]);
                let (factor, size) = (2.2, (1600.0, 900.0));
                let laid_out = (size.0 / factor, size.1 / factor);
                let scenes = beside(&[plan(0), plan(1)], &board, laid_out, &Style::default());
                let scenes: Vec<Scene> = scenes.into_iter().map(|scene| scene.scaled(factor)).collect();
                let texts: Vec<_> = scenes
                    .iter()
                    .flat_map(Scene::marks)
                    .filter_map(|mark| if let Shape::Text(text) = &mark.shape { Some(text) } else { None })
                    .collect();
                for text in &texts {
                    assert!(text.size >= 22.0, "{} px: {}", text.size, text.words);
                    let of = text.bounds();
                    assert!(of.x >= 0.0 && of.right() <= size.0 && of.y >= 0.0 && of.bottom() <= size.1, "{text:?}");
                }
                for words in ["small", "planner 0", "planner 1", "bar 0", "bar 1", "without", "At the lower bound: no"]
                {
                    assert!(texts.iter().any(|text| text.words.starts_with(words)), "{words}");
                }
                // The buffer of 40 bytes is as high in both.
                let heights: Vec<u64> = scenes
                    .iter()
                    .flat_map(Scene::marks)
                    .filter(|mark| matches!(mark.ink.color, Color::Buffer(Part::Fill, ..)))
                    .filter_map(
                        |mark| if let Shape::Rect(rect) = &mark.shape { Some(rect.h.round() as u64) } else { None },
                    )
                    .collect();
                let highest = heights.iter().max().expect("boxes");
                let alike = heights.iter().filter(|height| height.abs_diff(*highest) <= 2).count();
                assert!(alike >= 2, "{heights:?}");
            }
        }
    }
}
