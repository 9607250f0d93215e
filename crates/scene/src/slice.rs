//! What lies where at one step: the bands of the plan as columns, with whole names.

use std::collections::BTreeMap;

use super::drawing::{Drawing, Picture};
use super::gaps;
use super::geometry::Rect;
use super::ink::{Color, Dash, Ink, Part, Texture, Tone};
use super::label;
use super::mark::{Anchor, Layer, Mark, Scene, Shape};
use super::projection::Band;
use super::torn;
use memplan_core::base::{Arg, Message};
use memplan_core::problem::{BufferId, Live, Shared, alive_groups};
use memplan_replay::made_and_read;

/// Lowest block with a name of its own.
const NAMED: f64 = 14.0;
/// Lowest block with a second line.
const TWO_LINES: f64 = 34.0;
/// Distance of words from the edges.
const PAD: f64 = 8.0;
/// Buffers named that use free bytes at other steps.
const USERS: usize = 2;
/// Where more than so many are alive, neighbours of one module are one block.
const SINGLE: usize = 200;

/// A block of the column: a buffer, or neighbours of one module.
struct Block {
    /// The largest of them.
    id: BufferId,
    rect: Rect,
    /// Buffers in it.
    count: usize,
    bytes: u64,
    /// What it is called.
    name: String,
}

/// Modules with their buffers: the place of each buffer's module among the names.
#[derive(Default)]
struct Modules {
    names: Vec<String>,
    of: BTreeMap<BufferId, usize>,
}

/// Draws the step of a plan that is `size` large, on a panel as high and `width` wide.
pub fn slice(picture: Picture, (step, width): (u32, f64)) -> Scene {
    let Picture { size, .. } = picture;
    let drawing = Drawing::new(picture);
    let plot = drawing.projection.plot;
    let mut ground = Layer::default();
    ground.rect(Rect::new(0.0, 0.0, width, size.1), Ink::fill(Color::Background));
    let mut column = Layer::clipped(Rect::new(0.0, plot.y - 2.0, width, plot.h + 4.0));
    let modules = modules(&drawing, step);
    let mut used = 0;
    for band in &drawing.projection.bands {
        used += draw(&drawing, band, &modules, (step, width), &mut column);
    }
    torn::draw(&drawing, strip(&drawing, width), &mut column);
    let mut head = Layer::default();
    let end: u64 = drawing.projection.bands.iter().map(|band| drawing.end(band)).sum();
    let top = drawing.projection.bands.iter().map(|band| band.edges().0).fold(plot.bottom(), f64::min);
    let y = (top.max(plot.y) - 12.0).max(8.0);
    let words = drawing.say(&Message::new("slice.step").count("step", step));
    let name = drawing.words(words, (0.0, y), Anchor::Start, 11.0).bold();
    let room = width - name.bounds().w - 8.0;
    head.text(name, Color::Accent);
    let words = drawing.say(&Message::new("slice.used").bytes("used", used).bytes("end", end));
    let words = drawing.words(words, (width, y), Anchor::End, 11.0);
    if words.bounds().w <= room {
        head.text(words, Color::Muted);
    }
    Scene::new((width, size.1), vec![ground, column, head])
}

/// Where a broken axis cuts the column.
fn strip(drawing: &Drawing, width: f64) -> Option<Rect> {
    torn::strip(drawing).map(|strip| Rect { x: 0.0, w: width, ..strip })
}

/// The larger part of a block beside that cut, which hides its middle.
fn beside_cut(drawing: &Drawing, rect: Rect) -> Rect {
    let Some(strip) = strip(drawing, rect.w).filter(|strip| strip.meets(&rect)) else { return rect };
    let (above, below) = (strip.y - rect.y, rect.bottom() - strip.bottom());
    if above > below {
        Rect { h: above.max(0.0), ..rect }
    } else {
        Rect { y: strip.bottom(), h: below.max(0.0), ..rect }
    }
}

/// The modules of what is alive, where that is too much to be named one by one; none otherwise.
fn modules(drawing: &Drawing, step: u32) -> Modules {
    let run = drawing.run;
    let alive = run.problem.buffers.iter().filter(|buffer| buffer.live.contains(step)).take(SINGLE + 1).count();
    let mut modules = Modules::default();
    if alive <= SINGLE {
        return modules;
    }
    for group in alive_groups(&run.problem, run.graph.as_deref(), step) {
        let name = match group.shared {
            Shared::Module(module) => module,
            Shared::Outside => drawing.word("peak.outside"),
            Shared::Rest => drawing.word("peak.rest"),
            // Nothing is known of modules, and groups are of nothing else.
            Shared::All | Shared::Line(_) | Shared::Class(_) => continue,
        };
        modules.of.extend(group.rows.iter().map(|row| (row.buffer, modules.names.len())));
        modules.names.push(name);
    }
    modules
}

/// Neighbours of one module as one block.
fn joined(blocks: Vec<Block>, modules: &Modules) -> Vec<Block> {
    let mut joined: Vec<Block> = Vec::new();
    let mut module = None;
    let mut largest = 0;
    for block in blocks {
        let own = modules.of.get(&block.id);
        match joined.last_mut().filter(|last| own.is_some() && own == module && block.rect.y - last.rect.bottom() < 1.0)
        {
            Some(last) => {
                last.rect.h = block.rect.bottom().max(last.rect.bottom()) - last.rect.y;
                last.count += block.count;
                last.bytes = last.bytes.saturating_add(block.bytes);
                own.into_iter().for_each(|&own| last.name.clone_from(&modules.names[own]));
                if block.bytes > largest {
                    (last.id, largest) = (block.id, block.bytes);
                }
            }
            None => {
                largest = block.bytes;
                joined.push(block);
            }
        }
        module = own;
    }
    joined
}

/// Draws one pool and returns the bytes in use.
fn draw(drawing: &Drawing, band: &Band, modules: &Modules, (step, width): (u32, f64), layer: &mut Layer) -> u64 {
    let (plot, end) = (drawing.projection.plot, drawing.end(band));
    let members = gaps::members(drawing, band, step, step + 1);
    let in_use = |&id: &BufferId| {
        let (place, bytes) = (drawing.frame.places[id]?, drawing.run.problem.buffers[id].used_at(step));
        (!bytes.is_empty()).then(|| (id, place.offset + bytes.start, place.offset + bytes.end))
    };
    let spans: Vec<(BufferId, u64, u64)> = members.iter().filter_map(in_use).collect();
    let used = spans.iter().map(|(_, from, to)| to - from).sum();
    let region = |from: u64, to: u64| {
        let (a, b) = (drawing.projection.snap(band.y(from)), drawing.projection.snap(band.y(to)));
        Rect::between((0.0, a), (width, b)).cut(&Rect::new(0.0, plot.y, width, plot.h))
    };
    let Some(whole) = region(0, end) else { return used };
    let free = gaps::free_between(spans.iter().map(|&(_, from, to)| (from, to)).collect(), end);
    for &(from, to) in &free {
        if let Some(rect) = region(from, to) {
            layer.rect(rect, Ink::texture(Color::Hatch, Texture::Gap));
        }
    }
    let mut blocks: Vec<Block> = Vec::new();
    for &(id, from, to) in &spans {
        let Some(rect) = region(from, to) else { continue };
        // A buffer too thin to see is seen all the same.
        let rect = Rect { h: rect.h.max(1.0), ..rect };
        let (bytes, name) = (to - from, drawing.run.label(id).to_string());
        blocks.push(Block { id, rect, count: 1, bytes, name });
    }
    blocks.sort_by(|a, b| a.rect.y.total_cmp(&b.rect.y));
    let blocks = joined(blocks, modules);
    for &Block { id, rect, .. } in &blocks {
        let part = |part| Color::Buffer(part, drawing.class(id), Tone::Full);
        let mut mark = Mark::new(Shape::Rect(rect), Ink::fill(part(Part::Fill)));
        mark.edge = (rect.h >= 3.0).then_some(part(Part::Border));
        layer.marks.push(mark);
    }
    let mut taken: Vec<Rect> = Vec::new();
    blocks.iter().filter(|block| block.rect.h >= NAMED).for_each(|block| name(drawing, block, &mut taken, layer));
    for thin in blocks.chunk_by(|a, b| a.rect.h < NAMED && b.rect.h < NAMED && b.rect.y - a.rect.bottom() < 2.0) {
        if thin[0].rect.h < NAMED {
            names(drawing, thin, whole, &mut taken, layer);
        }
    }
    for &(from, to) in &free {
        if let Some(rect) = region(from, to) {
            free_words(drawing, band, (from, to), (rect, step), &mut taken, layer);
        }
    }
    levels(drawing, band, whole, layer);
    used
}

/// The outline with the lines of peak and bound.
fn levels(drawing: &Drawing, band: &Band, whole: Rect, layer: &mut Layer) {
    layer.push(Shape::Rect(whole.inset(0.5)), Ink::line(Color::Line2, 1.0));
    if band.is_bare {
        return;
    }
    let plot = drawing.projection.plot;
    let facts = &drawing.index.pools()[band.pool.0 as usize];
    let mut level = |bytes: u64, ink: Ink| {
        let y = drawing.projection.snap(band.y(bytes));
        if bytes > 0 && y > plot.y - 2.0 && y < plot.bottom() + 2.0 {
            layer.line((0.0, y), (whole.w, y), ink);
        }
    };
    level(drawing.end(band), Ink::line(Color::Peak, 2.0));
    if drawing.style.has_bound() && facts.bound < drawing.end(band) {
        level(facts.bound, Ink::dashed(Color::Bound, 2.0, Dash::Bound));
    }
}

/// Name and bytes of a block; where there is room who makes it and who reads it last, or how many
/// are in it.
fn name(drawing: &Drawing, block: &Block, taken: &mut Vec<Rect>, layer: &mut Layer) {
    let &Block { id, rect, count, .. } = block;
    let rect = beside_cut(drawing, rect);
    let color = |part| Color::Buffer(part, drawing.class(id), Tone::Full);
    let (y, two) = (rect.centre().1, rect.h >= TWO_LINES * drawing.style.text_scale);
    let first = if two { y - 8.0 * drawing.style.text_scale } else { y };
    let bytes = drawing.name(drawing.style.speech.bytes(block.bytes), (rect.right() - PAD, first), Anchor::End, 11.0);
    let room = rect.w - 3.0 * PAD - bytes.bounds().w;
    if let Some(words) = label::shortened(&block.name, room, drawing.style.font(11.0), true) {
        layer.text(drawing.name(words, (PAD, first), Anchor::Start, 11.0).bold(), color(Part::Label));
        taken.push(bytes.bounds());
        layer.text(bytes, color(Part::Label));
    }
    if two {
        let words = match count {
            1 => made_and_read(drawing.run, drawing.style.speech, id),
            count => drawing.say(&Message::new("peak.tensors").count("n", count)),
        };
        if let Some(words) = label::shortened(&words, rect.w - 2.0 * PAD, drawing.style.font(11.0), false) {
            let at = (PAD, y + 8.0 * drawing.style.text_scale);
            layer.text(drawing.words(words, at, Anchor::Start, 11.0), color(Part::Label));
        }
    }
    taken.push(rect);
}

/// One line for neighbours that are too thin for names of their own: the largest of them, how many
/// more, and their sum.
fn names(drawing: &Drawing, thin: &[Block], whole: Rect, taken: &mut Vec<Rect>, layer: &mut Layer) {
    let Some(largest) = thin.iter().max_by_key(|block| block.bytes) else { return };
    let sum = thin.iter().fold(0u64, |sum, block| sum.saturating_add(block.bytes));
    let (top, bottom) = (thin[0].rect.y, thin[thin.len() - 1].rect.bottom());
    let height = 15.0 * drawing.style.text_scale;
    let y = ((top + bottom) / 2.0)
        .clamp(whole.y + height / 2.0, (whole.bottom() - height / 2.0).max(whole.y + height / 2.0));
    let frame = Rect::new(PAD - 4.0, y - height / 2.0, whole.w - 2.0 * (PAD - 4.0), height);
    if whole.h < height || taken.iter().any(|other| other.meets(&frame)) {
        return;
    }
    let name = largest.name.clone();
    let words = match thin.iter().map(|block| block.count).sum::<usize>() - largest.count {
        0 => name,
        more => drawing.say(&Message::new("slice.more").text("name", name).count("n", more)),
    };
    let bytes = drawing.name(drawing.style.speech.bytes(sum), (whole.w - PAD, y), Anchor::End, 11.0);
    let room = whole.w - 3.0 * PAD - bytes.bounds().w;
    let Some(words) = label::shortened(&words, room, drawing.style.font(11.0), true) else { return };
    layer.rect(frame, Ink::fill(Color::Background).alpha(0.9));
    layer.text(drawing.name(words, (PAD, y), Anchor::Start, 11.0).bold(), Color::Text);
    layer.text(bytes, Color::Text);
    taken.push(frame);
}

/// How many bytes are free, and who uses them at other steps.
fn free_words(
    drawing: &Drawing,
    band: &Band,
    (from, to): (u64, u64),
    (rect, step): (Rect, u32),
    taken: &mut Vec<Rect>,
    layer: &mut Layer,
) {
    let scale = drawing.style.text_scale;
    let two = rect.h >= 42.0 * scale;
    let (x, y) = (rect.w / 2.0, rect.centre().1);
    let words = drawing.say(&Message::new("slice.free").bytes("free", to - from));
    let first = if two { y - 8.0 * scale } else { y };
    let first = drawing.words(words, (x, first), Anchor::Middle, 11.0).bold();
    let users = if two { users(drawing, band, (from, to), step) } else { None };
    let users = users.and_then(|words| label::shortened(&words, rect.w - 2.0 * PAD, drawing.style.font(11.0), false));
    let second = users.map(|words| drawing.words(words, (x, y + 8.0 * scale), Anchor::Middle, 11.0));
    let bounds = first.bounds();
    let (w, h) =
        (second.as_ref().map_or(0.0, |text| text.bounds().w).max(bounds.w), if second.is_some() { 34.0 } else { 16.0 });
    let top = if second.is_some() || !two { y } else { y - 8.0 * scale };
    let frame = Rect::new(x - w / 2.0 - 6.0, top - h * scale / 2.0, w + 12.0, h * scale);
    if rect.h < 18.0 * scale || w > rect.w || taken.iter().any(|other| other.meets(&frame)) {
        return;
    }
    layer.rect(frame, Ink::fill(Color::Background));
    layer.text(first, Color::Chosen);
    if let Some(second) = second {
        layer.text(second, Color::Muted);
    }
    taken.push(frame);
}

/// The largest buffers that lie on these bytes at other steps.
fn users(drawing: &Drawing, band: &Band, (from, to): (u64, u64), step: u32) -> Option<String> {
    let problem = &drawing.run.problem;
    let lies = |id: &BufferId| {
        let (buffer, place) = (&problem.buffers[*id], drawing.frame.places[*id]);
        let here = place.is_some_and(|place| {
            place.pool == band.pool && place.offset < to && from < place.offset.saturating_add(buffer.size)
        });
        here && buffer.size > 0 && !buffer.live.meets(Live { start: step, end: step + 1 })
    };
    let mut found: Vec<BufferId> = problem.buffers.ids().filter(lies).collect();
    found.sort_by_key(|&id| std::cmp::Reverse(problem.buffers[id].size));
    let names: Vec<String> = found.iter().take(USERS).map(|&id| drawing.run.label(id).to_string()).collect();
    (!names.is_empty()).then(|| drawing.say(&Message::new("slice.others").with("names", Arg::Names(names))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::run;
    use crate::{Index, Style, View};
    use memplan_replay::Run;

    #[test]
    fn blocks_lie_at_their_addresses_and_words_inside_the_panel() {
        // Three alive at step 1 with a hole between, a thin one, and a second pool.
        let run = run(&[
            (400, 0, 4, 0, 0),
            (300, 1, 3, 0, 500),
            (2, 1, 2, 0, 800),
            (100, 2, 4, 0, 400),
            (60, 0, 2, 1, 0),
            (60, 3, 4, 1, 0),
        ]);
        let (index, frame) = (Index::new(&run), run.frame(run.timeline.events.len() as u32));
        let (size, style, step) = ((600.0, 400.0), Style::default(), 1);
        let view = View::fit(&index, size, &style);
        let scene = slice(Picture::new(&run, &index, &frame, &view, size, &style), (step, 192.0));
        assert_eq!(scene.size, (192.0, 400.0));
        let drawing = Drawing::new(Picture::new(&run, &index, &frame, &view, size, &style));
        let rect = |mark: &Mark| match (mark.ink.color, &mark.shape) {
            (Color::Buffer(Part::Fill, ..), Shape::Rect(rect)) => Some(*rect),
            _ => None,
        };
        let mut drawn: Vec<(f64, f64)> = scene.marks().filter_map(rect).map(|rect| (rect.y, rect.h)).collect();
        let alive = [0, 1, 2, 4].map(BufferId);
        let mut wanted: Vec<(f64, f64)> =
            alive.iter().filter_map(|&id| drawing.rect(id)).map(|rect| (rect.y, rect.h.max(1.0))).collect();
        drawn.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
        wanted.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
        assert_eq!(drawn, wanted);
        let words = |mark: &Mark| if let Shape::Text(text) = &mark.shape { Some(text.bounds()) } else { None };
        for bounds in scene.marks().filter_map(words) {
            assert!(bounds.x >= -0.5 && bounds.right() <= 192.5, "{bounds:?}");
        }
        let is_free = |mark: &&Mark| mark.ink.texture == Texture::Gap;
        assert_eq!(scene.marks().filter(is_free).count(), 1, "the hole between the two");
    }

    #[test]
    fn more_than_two_hundred_are_grouped_by_module() {
        let blocks = |count: u64| {
            let boxes: Vec<_> = (0..count).map(|number| (10, 0, 2, 0, 10 * number)).collect();
            let plain = run(&boxes);
            let mut problem = (*plain.problem).clone();
            // Two modules, one above the other.
            for (number, buffer) in problem.buffers.iter_mut().enumerate() {
                buffer.name = format!("{}/t{number}", if (number as u64) < count / 3 { "net/low" } else { "net/high" });
            }
            let run = Run::new(
                std::rc::Rc::new(problem),
                memplan_planners::origin("first-fit", 1),
                plain.plan.clone(),
                plain.timeline.events.clone(),
            );
            let (index, frame) = (Index::new(&run), run.frame(run.timeline.events.len() as u32));
            let (size, style) = ((600.0, 400.0), Style::default());
            let view = View::fit(&index, size, &style);
            let scene = slice(Picture::new(&run, &index, &frame, &view, size, &style), (0, 192.0));
            let is_block = |mark: &&Mark| matches!(mark.ink.color, Color::Buffer(Part::Fill, ..));
            let words: Vec<String> = scene
                .marks()
                .filter_map(|mark| if let Shape::Text(text) = &mark.shape { Some(text.words.clone()) } else { None })
                .collect();
            (scene.marks().filter(is_block).count(), words)
        };
        assert_eq!(blocks(200).0, 200);
        let (count, words) = blocks(201);
        assert_eq!(count, 2);
        for wanted in ["low", "high", "67 buffers", "134 buffers", "670 B"] {
            assert!(words.iter().any(|words| words.replace('\u{202f}', " ") == wanted), "{wanted}: {words:?}");
        }
    }
}
