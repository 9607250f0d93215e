//! A picture that stands alone: the stage of a frame between the words that a reader elsewhere
//! needs.

use super::drawing::{Drawing, Picture};
use super::geometry::{Point, Rect, Size};
use super::index::Index;
use super::ink::{Color, Dash, Ink, Part, Texture, Tone};
use super::label::{shortened, width};
use super::legend::legend;
use super::mark::{Anchor, Layer, Mark, Scene, Shape, Text};
use super::stage::stage;
use super::style::{Marks, Style};
use super::view::View;
use super::{bands, curves};
use memplan_core::base::{Message, Term};
use memplan_replay::{Frame, Run};

/// Distance of the words from the edges.
pub(super) const PAD: f64 = 20.0;
/// Font size and line height of sentences.
pub(super) const BODY: (f64, f64) = (13.0, 18.0);
/// The same of the legend and the link.
pub(super) const SMALL: (f64, f64) = (11.0, 16.0);
/// Font size of the name of the graph.
const HEAD: f64 = 17.0;
/// Distance between blocks of words.
pub(super) const GAP: f64 = 6.0;
/// Lowest stage.
pub(super) const LEAST: f64 = 64.0;
/// Least part of the picture's height that long words leave to the stage.
pub(super) const LEAST_PART: f64 = 0.4;
/// Least room for a name beside other words.
const LEAST_NAME: f64 = 120.0;

/// What stands around the stage; nothing of it is required.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Caption {
    /// What was planned, by what, and how well.
    pub title: Option<Title>,
    /// Which frame it is.
    pub moment: Option<String>,
    /// Whether colours and lines are explained.
    pub legend: bool,
    /// What happens in the frame.
    pub why: Option<String>,
    /// Where the frame can be opened.
    pub link: Option<String>,
}

/// The title block.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Title {
    /// Name of the graph or buffer list.
    pub graph: String,
    /// The planner in words.
    pub planner: String,
    /// Options that are not defaults; may be empty.
    pub options: String,
    /// Peak, bound and ratio.
    pub figures: String,
}

/// Draws a frame with its caption. The stage takes what the words leave; without a caption it takes
/// all. Where the picture is too low for all words, those that give the reason go first, then the
/// legend.
pub fn figure(run: &Run, index: &Index, frame: &Frame, size: Size, style: &Style, caption: &Caption) -> Vec<Scene> {
    let room = size.0 - 2.0 * PAD;
    let mut words = Layer::default();
    let head = header(caption, room, &mut words);
    let fit = |height: f64| View::fit(index, (size.0, height), style);
    let explained = |height: f64| {
        if caption.legend {
            entries(&Drawing::new(Picture::new(run, index, frame, &fit(height), (size.0, height), style)), room)
        } else {
            Vec::new()
        }
    };
    let mut left = size.1 - head - LEAST.max(size.1 * LEAST_PART) - (PAD - GAP);
    // Takes as many lines as there is room for, with the gap above them.
    let mut take = |lines: usize, height: f64| {
        let taken = lines.min(((left - GAP).max(0.0) / height) as usize);
        left -= if taken > 0 { taken as f64 * height + GAP } else { 0.0 };
        taken
    };
    let link = caption.link.as_ref().filter(|_| take(1, SMALL.1) > 0);
    let all = explained((size.1 - head).max(LEAST));
    let legend_lines = take(rows(&all, room, style).len(), SMALL.1);
    let most = take(usize::MAX, BODY.1);
    let why = caption.why.as_deref().map_or_else(Vec::new, |why| lines(why, room, style.words(BODY.0), most));
    let blocks = [(why.len(), BODY.1), (legend_lines, SMALL.1), (usize::from(link.is_some()), SMALL.1)];
    let foot: f64 =
        blocks.iter().filter(|(lines, _)| *lines > 0).map(|(lines, height)| *lines as f64 * height + GAP).sum();
    let foot = if foot > 0.0 { foot + PAD - GAP } else { 0.0 };
    let inner = (size.0, (size.1 - head - foot).max(LEAST));
    let mut y = head + inner.1;
    let after = |y: f64, lines: usize| if lines > 0 { y + GAP } else { y };
    for line in &why {
        words.text(text(line.clone(), (PAD, y + BODY.1 / 2.0), Anchor::Start, style.words(BODY.0)), Color::Text);
        y += BODY.1;
    }
    y = after(y, why.len());
    // A lower stage never has more lines to explain.
    for row in rows(&explained(inner.1), room, style).iter().take(legend_lines) {
        row.iter().for_each(|&(x, entry)| key(entry, (PAD + x, y + SMALL.1 / 2.0), style, &mut words));
        y += SMALL.1;
    }
    y = after(y, legend_lines);
    if let Some(link) = link.and_then(|link| shortened(link, room, SMALL.0, false)) {
        words.text(text(link, (PAD, y + SMALL.1 / 2.0), Anchor::Start, SMALL.0), Color::Muted);
    }
    let mut ground = Layer::default();
    ground.rect(Rect::new(0.0, 0.0, size.0, size.1), Ink::fill(Color::Background));
    let drawn = stage(Picture::new(run, index, frame, &fit(inner.1), inner, style), &Marks::default());
    vec![
        Scene::new(size, vec![ground]),
        moved(drawn.base, (0.0, head), size),
        moved(drawn.frame, (0.0, head), size),
        Scene::new(size, vec![words]),
    ]
}

pub(super) fn text(words: String, at: Point, anchor: Anchor, size: f64) -> Text {
    Text { at, anchor, size, bold: false, words, halo: None, on_end: false }
}

/// Writes the title block and gives its height.
pub(super) fn header(caption: &Caption, room: f64, layer: &mut Layer) -> f64 {
    let mut y = 12.0;
    let at = |y: f64, anchor: Anchor| (if anchor == Anchor::End { PAD + room } else { PAD }, y);
    let words = |words: &str, y: f64, anchor: Anchor, size: f64| text(words.to_string(), at(y, anchor), anchor, size);
    if let Some(title) = &caption.title {
        let graph = words(&title.graph, y + 12.0, Anchor::Start, HEAD).bold();
        let figures = words(&title.figures, y + 12.0, Anchor::End, BODY.0);
        y += 24.0 + both_ends([graph, figures], Color::Text, room, layer);
    }
    let planner = caption.title.as_ref().map(|title| {
        if title.options.is_empty() { title.planner.clone() } else { format!("{} · {}", title.planner, title.options) }
    });
    if planner.is_none() && caption.moment.is_none() {
        return 0.0;
    }
    let planner = words(&planner.unwrap_or_default(), y + 9.0, Anchor::Start, BODY.0);
    let moment = words(caption.moment.as_deref().unwrap_or_default(), y + 9.0, Anchor::End, BODY.0);
    y + 22.0 + both_ends([planner, moment], Color::Muted, room, layer)
}

/// Sets words at both ends of a line, the right ones below the left ones where they would leave
/// them too little room. Gives the height that this adds.
fn both_ends([left, right]: [Text; 2], color: Color, room: f64, layer: &mut Layer) -> f64 {
    let wide = right.bounds().w;
    let beside = if wide > 0.0 { room - wide - 16.0 } else { room };
    let is_below = beside < left.bounds().w.min(LEAST_NAME);
    let down = if is_below { BODY.1 + 2.0 } else { 0.0 };
    let right =
        if is_below { Text { at: (left.at.0, right.at.1 + down), anchor: Anchor::Start, ..right } } else { right };
    for (text, room) in [(left, if is_below { room } else { beside }), (right, room)] {
        if let Some(words) = shortened(&text.words, room, text.size, text.bold).filter(|words| !words.is_empty()) {
            layer.text(Text { words, ..text }, color);
        }
    }
    down
}

/// One thing that the legend explains.
pub(super) struct Entry {
    swatch: Swatch,
    words: String,
}

pub(super) enum Swatch {
    Box(Color, Option<(Color, Texture)>),
    Line(Ink),
}

/// What the picture shows, in words that fit a row.
pub(super) fn entries(drawing: &Drawing, room: f64) -> Vec<Entry> {
    let Drawing { run, index, frame, style, .. } = *drawing;
    // What is not drawn needs no explanation.
    let seen = legend(run, index, frame, style).into_iter().filter(|entry| !style.filter.hides(entry.class));
    let boxes = seen.map(|entry| {
        let color = |part| Color::Buffer(part, entry.class, Tone::Full);
        let texture = entry.class.texture();
        let pattern = (texture != Texture::Solid).then(|| (color(Part::Border), texture));
        Entry { swatch: Swatch::Box(color(Part::Fill), pattern), words: entry.words }
    });
    let mut entries: Vec<Entry> = boxes.collect();
    if let Some(focus) = frame.focus.filter(|_| style.dim && style.at_step.is_none())
        && let Some(first) = entries.first()
        && let Swatch::Box(Color::Buffer(part, class, _), _) = first.swatch
    {
        let words = drawing.say(&Message::new("picture.pale").name("name", run.label(focus).to_string()));
        entries.push(Entry { swatch: Swatch::Box(Color::Buffer(part, class, Tone::Pale), None), words });
    }
    // Storages have no lines, and low bands have no curve.
    let levels = bands::level_lines(drawing);
    let has_level = |color: Color| levels.iter().any(|(_, ink)| ink.color == color);
    let peak = if run.peak_term(frame) == Term::Peak { "term.peak" } else { "term.peak-so-far" };
    let lines = [
        (has_level(Color::Peak), Ink::line(Color::Peak, 2.0), peak),
        (curves::shown(drawing).next().is_some(), Ink::line(Color::Load, 2.0), "term.load"),
        (has_level(Color::Bound), Ink::dashed(Color::Bound, 2.0, Dash::Bound), "term.lower-bound"),
    ];
    for (_, ink, key) in lines.into_iter().filter(|(is_drawn, ..)| *is_drawn) {
        entries.push(Entry { swatch: Swatch::Line(ink), words: drawing.word(key) });
    }
    if style.show_waste {
        let swatch = Swatch::Box(Color::Background, Some((Color::Hatch, Texture::Gap)));
        entries.push(Entry { swatch, words: drawing.word("picture.free") });
    }
    let fits = |entry: Entry| {
        let words = shortened(&entry.words, room - SWATCH, style.words(SMALL.0), false)?;
        Some(Entry { words, ..entry })
    };
    entries.into_iter().filter_map(fits).collect()
}

/// Width of a swatch with its distance to the words.
const SWATCH: f64 = 20.0;

/// The entries side by side, each with its left edge, in as many rows as they need.
pub(super) fn rows<'e>(entries: &'e [Entry], room: f64, style: &Style) -> Vec<Vec<(f64, &'e Entry)>> {
    let mut rows: Vec<Vec<(f64, &Entry)>> = Vec::new();
    let mut x = f64::INFINITY;
    for entry in entries {
        let wide = SWATCH + width(&entry.words, style.words(SMALL.0), false);
        if x + wide > room {
            rows.push(Vec::new());
            x = 0.0;
        }
        rows.last_mut().into_iter().for_each(|row| row.push((x, entry)));
        x += wide + 16.0;
    }
    rows
}

pub(super) fn key(entry: &Entry, (x, y): Point, style: &Style, layer: &mut Layer) {
    let rect = Rect::new(x, y - 5.0, 14.0, 10.0);
    match entry.swatch {
        Swatch::Box(fill, pattern) => {
            layer.marks.push(Mark { edge: Some(Color::Line2), ..Mark::new(Shape::Rect(rect), Ink::fill(fill)) });
            if let Some((color, texture)) = pattern {
                layer.rect(rect.inset(1.0), Ink::texture(color, texture));
            }
        }
        Swatch::Line(ink) => layer.line((x, y), (x + 14.0, y), ink),
    }
    let words = text(entry.words.clone(), (x + SWATCH, y), Anchor::Start, style.words(SMALL.0));
    layer.text(words, Color::Text);
}

/// Words in lines that fit, at most `most` of them. Lines break at blanks, inside names after what
/// parts them, and anywhere in scripts without blanks; a word that is wider than a line is cut
/// where the line ends.
pub(super) fn lines(words: &str, room: f64, size: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let mut rest = words;
    while !rest.is_empty() && lines.len() <= most {
        let (word, after) = rest.split_at(word_end(rest));
        // No line begins with what closes a sentence.
        let closes = word.starts_with(['，', '。', '；', '：', '）', '、']);
        let is_wide = width((line.clone() + word).trim_end(), size, false) > room;
        if is_wide && !line.is_empty() && !closes {
            lines.push(line.trim_end().to_string());
            line.clear();
        } else if is_wide && line.is_empty() {
            let (part, after) = rest.split_at(fitting(word, room, size));
            line += part;
            rest = after;
        } else {
            line += word;
            rest = after;
        }
    }
    lines.push(line.trim_end().to_string());
    lines.retain(|line| !line.is_empty());
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            while !last.is_empty() && width(last, size, false) + width("…", size, false) > room {
                last.pop();
            }
            last.push('…');
        }
    }
    lines
}

/// Where the first word ends.
fn word_end(words: &str) -> usize {
    let mut letters = words.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let is_end = match letter {
            ' ' | '/' | '_' => true,
            // A decimal point is no end.
            '.' => letters.peek().is_some_and(|(_, next)| next.is_alphabetic()),
            _ => letter >= '\u{2E80}',
        };
        if is_end {
            return at + letter.len_utf8();
        }
    }
    words.len()
}

/// The end of the letters of a word that fit, at least one.
fn fitting(word: &str, room: f64, size: f64) -> usize {
    let mut used = 0.0;
    let mut ends = word.char_indices().map(|(at, letter)| {
        used += width(&word[at..at + letter.len_utf8()], size, false);
        (at + letter.len_utf8(), used)
    });
    let first = ends.next().map_or(word.len(), |(end, _)| end);
    ends.take_while(|(_, used)| *used <= room).last().map_or(first, |(end, _)| end)
}

/// The scene with its upper left corner at a point of a picture of this size.
pub(super) fn moved(scene: Scene, (right, down): Point, size: Size) -> Scene {
    let at = |(x, y): Point| (x + right, y + down);
    scene.mapped(size, at, |text| Text { at: at(text.at), ..text })
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::tests::run;
    use memplan_core::plan::PoolRole;
    use memplan_planners::origin;
    use memplan_replay::Level;

    #[test]
    fn sentences_are_broken_where_the_room_ends() {
        let found = lines("a hole of 40 MiB was free", 90.0, 13.0, 9);
        assert!(found.len() > 1 && found.iter().all(|line| width(line, 13.0, false) <= 90.0), "{found:?}");
        assert_eq!(found.join(" "), "a hole of 40 MiB was free");
        let chinese = lines("高出下界，因为空隙太小。", 60.0, 12.0, 9);
        assert!(chinese.len() > 1 && chinese.iter().all(|line| !line.starts_with(['，', '。'])), "{chinese:?}");
        assert_eq!(lines("", 60.0, 12.0, 9), Vec::<String>::new());
    }

    #[test]
    fn names_break_where_their_parts_end_and_wherever_they_must() {
        let found = lines("layers.10.self_attn/out_proj takes 1.25 MiB", 90.0, 13.0, 20);
        assert_eq!(found, ["layers.10.", "self_attn/out_", "proj takes", "1.25 MiB"]);
        let long = "x".repeat(300);
        let found = lines(&long, 90.0, 13.0, 100);
        assert!(found.iter().all(|line| width(line, 13.0, false) <= 90.0), "{found:?}");
        assert_eq!(found.concat(), long);
        let cut = lines(&long, 90.0, 13.0, 2);
        assert!(cut.len() == 2 && cut[1].ends_with('…') && width(&cut[1], 13.0, false) <= 90.0, "{cut:?}");
        assert_eq!(lines(&long, 90.0, 13.0, 0), Vec::<String>::new());
    }

    fn named(name: &str) -> Run {
        let run = run(&[(40, 0, 3, 0, 0), (30, 1, 4, 0, 40)]);
        let mut problem = (*run.problem).clone();
        problem.buffers.iter_mut().for_each(|buffer| buffer.name = format!("{name}{}", buffer.size));
        Run::new(Rc::new(problem), origin("first-fit", 1), run.plan, run.timeline.events)
    }

    #[test]
    fn words_stay_inside_the_picture_and_apart_whatever_its_size() {
        for name in ["x".repeat(300), "decoder.layers/self_attn_".repeat(12), "模型".repeat(150)] {
            let run = named(&name);
            let index = Index::new(&run);
            let frame = run.frame(run.timeline.events_at(Level::Decisions, 2));
            let title = Title {
                graph: name.clone(),
                planner: "first fit".into(),
                options: format!("tie={name}"),
                figures: "peak 70 B · bound 70 B · 1.00×".into(),
            };
            let caption = Caption {
                title: Some(title),
                moment: Some("frame 2 of 2".into()),
                legend: true,
                why: Some(format!("Buffer {name} went above {name}.")),
                link: Some(format!("https://example.org/#doc={name}")),
            };
            for size in [(1000.0, 640.0), (300.0, 400.0), (240.0, 200.0), (1000.0, 160.0), (64.0, 64.0)] {
                let drawn = figure(&run, &index, &frame, size, &Style::default(), &caption);
                let words = drawn.last().expect("the words").marks().filter_map(|mark| match &mark.shape {
                    Shape::Text(text) => Some(text.bounds()),
                    _ => None,
                });
                let boxes: Vec<Rect> = words.collect();
                assert!(boxes.len() > 2 || size.0 < 100.0, "{size:?}");
                for (number, of) in boxes.iter().enumerate() {
                    let is_inside = of.x >= 0.0 && of.y >= 0.0 && of.right() <= size.0 && of.bottom() <= size.1;
                    assert!(is_inside || size.0 < 100.0, "{size:?}: {of:?}");
                    assert!(!boxes[..number].iter().any(|other| other.meets(of)), "{size:?}: {of:?}");
                }
            }
        }
    }

    #[test]
    fn the_legend_explains_only_lines_that_are_drawn() {
        let explained = |run: &Run, at: u32| {
            let (index, style) = (Index::new(run), Style::default());
            let frame = run.frame(run.timeline.events_at(Level::Decisions, at));
            let height = 600.0;
            let size = (800.0, height);
            let view = View::fit(&index, size, &style);
            let words = entries(&Drawing::new(Picture::new(run, &index, &frame, &view, size, &style)), 760.0);
            let lines = words.into_iter().filter(|entry| matches!(entry.swatch, Swatch::Line(_)));
            lines.map(|entry| entry.words).collect::<Vec<String>>()
        };
        let arena = run(&[(40, 0, 3, 0, 0), (30, 1, 4, 0, 40)]);
        let speech = Style::default().speech;
        let [peak, load, bound] = ["term.peak", "term.load", "term.lower-bound"].map(|key| speech.word(key));
        // The line and its key have the same name at every frame.
        let so_far = speech.word("term.peak-so-far");
        assert_eq!(explained(&arena, 1), [so_far, load.clone(), bound.clone()]);
        assert_eq!(explained(&arena, u32::MAX), [peak, load, bound]);
        let mut plan = arena.plan.clone();
        plan.pools.iter_mut().for_each(|pool| pool.role = PoolRole::Storage);
        let events = arena.timeline.events.clone();
        let storages = Run::new(arena.problem.clone(), origin("first-fit", 1), plan, events);
        assert!(explained(&storages, u32::MAX).is_empty(), "the boxes of a storage are its load");
    }
}
