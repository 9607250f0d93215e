//! A picture of a frame for files.

use super::{Theme, svg};
use crate::base::Message;
use crate::replay::{Frame, Run};
use crate::scene::{Index, Marks, Size, Style, View, stage};
use crate::text::Speech;

/// The stage of a frame as an SVG document: axes, bands, buffers with their facts, curves.
pub fn export_svg(run: &Run, frame: &Frame, size: Size, theme: Theme, speech: Speech) -> String {
    let style = Style { speech, titles: true, narrow: size.0 < 600.0, ..Style::default() };
    let index = Index::new(run);
    let view = View::fit(&index, size, &style);
    let stage = stage(run, &index, frame, &view, size, &style, &Marks::default());
    let title =
        Message::new("stage.title").name("graph", run.problem.name.clone()).text("planner", run.planner.clone());
    svg::to_svg(&[&stage.base, &stage.frame], size, theme, &speech.say(&title))
}
