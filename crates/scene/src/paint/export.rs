//! A picture of a frame for files, and the page that is printed.

use std::collections::BTreeMap;

use super::svg::{harmless, to_svg};
use super::{Theme, svg};
use crate::{Caption, Index, Marks, Picture, Scene, Size, Style, Title, View, figure, stage};
use maud::{Markup, PreEscaped, html};
use memplan_core::base::Message;
use memplan_core::text::{Speech, live};
use memplan_planners as planner;
use memplan_replay::{Frame, Gap, Growth, Level, Run, gap, gap_sentences, left_out, reason, why};

/// What a picture contains beside the plan. Everything can be left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Carries {
    /// Graph, planner, options that are not defaults, peak and bound.
    pub title: bool,
    /// Which frame it is.
    pub moment: bool,
    /// What colours and lines mean.
    pub legend: bool,
    /// What happens in the frame.
    pub why: bool,
    /// Where the frame can be opened.
    pub link: bool,
}

impl Carries {
    /// Everything.
    pub const ALL: Carries = Carries { title: true, moment: true, legend: true, why: true, link: true };
    /// The plan alone.
    pub const NONE: Carries = Carries { title: false, moment: false, legend: false, why: false, link: false };
}

/// What is known of a frame beside the run.
#[derive(Clone, Debug, Default)]
pub struct Shown<'a> {
    /// How frames are counted.
    pub level: Level,
    /// Options that are not defaults, with what is planned if that is not the default either.
    pub options: BTreeMap<String, String>,
    /// The address that shows the frame; may be empty.
    pub link: &'a str,
}

/// The stage of a frame as an SVG document: axes, bands, buffers with their facts, curves.
pub fn export_svg(run: &Run, frame: &Frame, size: Size, theme: Theme, speech: Speech) -> String {
    stage_svg(run, frame, size, theme, &Style { speech, titles: true, narrow: is_narrow(size), ..Style::default() })
}

/// The same of a plan that breaks rules: its peak is crossed out.
pub fn invalid_svg(run: &Run, frame: &Frame, size: Size, theme: Theme, speech: Speech) -> String {
    let style = Style { speech, titles: true, invalid: true, narrow: is_narrow(size), ..Style::default() };
    stage_svg(run, frame, size, theme, &style)
}

/// The stage of a first visit, which the page shows while its program is on its way: as the
/// program draws it, with notes on what is seen.
pub fn introduction_svg(run: &Run, frame: &Frame, size: Size, theme: Theme, speech: Speech) -> String {
    stage_svg(run, frame, size, theme, &Style { speech, notes: true, narrow: is_narrow(size), ..Style::default() })
}

fn is_narrow(size: Size) -> bool {
    size.0 < 600.0
}

fn stage_svg(run: &Run, frame: &Frame, size: Size, theme: Theme, style: &Style) -> String {
    let index = Index::new(run);
    let view = View::fit(&index, size, style);
    let stage = stage(Picture::new(run, &index, frame, &view, size, style), &Marks::default());
    svg::to_svg(&[&stage.base, &stage.frame], size, theme, &title(run, style.speech))
}

fn title(run: &Run, speech: Speech) -> String {
    let message = Message::new("stage.title").name("graph", run.problem.name.clone());
    speech.say(&message.text("planner", run.called()))
}

/// A figure as an SVG document.
pub fn figure_svg(run: &Run, scenes: &[Scene], size: Size, theme: Theme, speech: Speech) -> String {
    let scenes: Vec<&Scene> = scenes.iter().collect();
    to_svg(&scenes, size, theme, &title(run, speech))
}

/// Draws a frame with what a reader elsewhere needs to know of it, back to front.
pub fn export_figure(
    run: &Run,
    index: &Index,
    frame: &Frame,
    size: Size,
    style: &Style,
    carries: Carries,
    shown: &Shown,
) -> Vec<Scene> {
    figure(run, index, frame, size, style, &caption(run, frame, carries, shown, style.speech))
}

/// The words of a picture.
pub fn caption(run: &Run, frame: &Frame, carries: Carries, shown: &Shown, speech: Speech) -> Caption {
    let title = carries.title.then(|| Title {
        graph: run.problem.name.clone(),
        planner: planner::title_of(&run.planner, speech),
        options: options_words(shown),
        figures: figures_words(run, speech),
    });
    let reasons = carries.why.then(|| {
        let why = why(run, frame);
        let sentences = [Some(why.headline), why.effect];
        let sentences: Vec<String> = sentences.iter().flatten().map(|sentence| speech.say(sentence)).collect();
        sentences.join(" ")
    });
    Caption {
        title,
        moment: carries.moment.then(|| frame_words(run, frame, shown.level, speech)),
        legend: carries.legend,
        why: reasons,
        link: (carries.link && !shown.link.is_empty()).then(|| shown.link.to_string()),
    }
}

fn options_words(shown: &Shown) -> String {
    let words: Vec<String> = shown.options.iter().map(|(key, value)| format!("{key}={value}")).collect();
    words.join(", ")
}

fn figures_words(run: &Run, speech: Speech) -> String {
    let metrics = &run.metrics;
    let figures = Message::new("picture.figures").bytes("peak", metrics.need()).bytes("bound", metrics.bound());
    speech.say(&figures.text("ratio", ratio_words(run)))
}

fn ratio_words(run: &Run) -> String {
    run.metrics.ratio.map_or_else(|| "–".to_string(), |ratio| format!("{ratio:.2}×"))
}

fn frame_words(run: &Run, frame: &Frame, level: Level, speech: Speech) -> String {
    let last = run.timeline.frames(level).saturating_sub(1);
    let number = run.timeline.frame_at(level, frame.events);
    speech.say(&Message::new("picture.frame").count("frame", number).count("last", last))
}

/// Size of the picture on the printed page.
const PRINTED: Size = (1000.0, 520.0);
/// Rows of tables on the printed page: it is one page.
const PRINTED_ROWS: usize = 7;
/// Buffers looked at for the reasons on the printed page.
const PRINTED_WORK: u64 = 1_000_000;

/// The page that is printed, as HTML: names, figures, picture, explanation, and the distance to the
/// bound.
pub fn print_page(run: &Run, index: &Index, frame: &Frame, style: &Style, shown: &Shown) -> String {
    let speech = style.speech;
    let say = |message: &Message| harmless(&speech.say(message));
    let heading = Message::new("picture.heading").name("graph", run.problem.name.clone());
    let heading = heading.text("planner", planner::title_of(&run.planner, speech));
    let options = options_words(shown);
    let metrics = &run.metrics;
    let placed = format!("{} / {}", metrics.placed, metrics.buffers);
    let facts = [
        (if metrics.held.is_some() { "figure.held" } else { "term.peak" }, speech.bytes(metrics.need())),
        ("term.lower-bound", speech.bytes(metrics.bound())),
        ("figure.ratio", ratio_words(run)),
        ("term.waste", speech.bytes(metrics.waste)),
        ("term.placed", placed),
        ("fact.frame", frame_words(run, frame, shown.level, speech)),
    ];
    let carries = Carries { legend: true, ..Carries::NONE };
    let style = Style { titles: false, narrow: false, pixel: 0.5, ..*style };
    let scenes = export_figure(run, index, frame, PRINTED, &style, carries, shown);
    let why = why(run, frame);
    let found = gap(run, PRINTED_WORK);
    let page = html! {
        h1 { (say(&heading)) }
        @if !options.is_empty() { p { (harmless(&options)) } }
        dl {
            @for (name, value) in facts { div { dt { (speech.word(name)) } dd { (harmless(&value)) } } }
        }
        (PreEscaped(figure_svg(run, &scenes, PRINTED, Theme::Light, speech)))
        h2 { (speech.word("tab.why")) }
        p { (say(&why.headline)) }
        @if !why.rows.is_empty() {
            ol {
                @for row in why.rows.iter().take(PRINTED_ROWS) { li { (say(&row.place)) ": " (say(&row.verdict)) } }
            }
        }
        @for (name, sentence) in [("why.rule", &why.rule), ("why.effect", &why.effect)] {
            @if let Some(sentence) = sentence { p { b { (speech.word(name)) } " " (say(sentence)) } }
        }
        @if !found.growths.is_empty() { (printed_gap(run, &found, shown.level, speech)) }
        footer { span { "memplan" } span { (harmless(shown.link)) } }
    };
    page.into_string()
}

/// The decisions that raised the peak past the bound.
fn printed_gap(run: &Run, gap: &Gap, level: Level, speech: Speech) -> Markup {
    let say = |message: &Message| harmless(&speech.say(message));
    // The sentences hold more than the rows that fit. Where all fit, one may be missing from their
    // sum.
    let sentences = if gap.growths.len() > PRINTED_ROWS {
        gap_sentences(run, gap, level)
    } else {
        left_out(gap).into_iter().collect()
    };
    let sentences = sentences.iter().map(say).collect::<Vec<_>>().join(" ");
    let hidden = gap.growths.len().saturating_sub(PRINTED_ROWS) as u64;
    let row = |growth: &Growth| {
        let buffer = &run.problem.buffers[growth.buffer];
        let frame = run.timeline.frame_at(level, run.timeline.decisions[growth.decision].end);
        // Long names would push the reasons off the page.
        html! {
            tr {
                td { (say(&Message::new("frame.link").count("frame", frame))) }
                td { (harmless(run.label(growth.buffer))) }
                td { (harmless(&speech.bytes(buffer.size))) }
                td { (live(buffer.live.start, buffer.live.end)) }
                td { (say(&Message::new("stage.grown").bytes("bytes", growth.adds))) }
                td { (say(&reason(run, growth, level))) }
            }
        }
    };
    html! {
        h2 { (say(&Message::new("gap.title").bytes("above", run.metrics.waste))) }
        @if !sentences.is_empty() { p { (sentences) } }
        table { @for growth in gap.growths.iter().take(PRINTED_ROWS) { (row(growth)) } }
        @if hidden > 0 { p { (say(&Message::new("gap.more").count("n", hidden))) } }
    }
}
