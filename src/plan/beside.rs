//! What is said of plans beside each other, on the page and in its pictures.

use crate::compare::state::Comparing;
use crate::compare::state::comparison::{Column, Shown};
use crate::context::Page;
use crate::plan::style::style_of;
use memplan_core::base::{Arg, Message};
use memplan_core::plan::{Distance, Figures, Unplanned};
use memplan_core::problem::BufferId;
use memplan_replay::{Frame, Level, Run};
use memplan_scene::{Size, Style};

/// The columns with a plan, each with its number, from the lowest need up.
pub fn by_need(comparing: &Comparing) -> Vec<(usize, &Column, &Figures)> {
    let columns = comparing.columns.iter().enumerate();
    let mut shown: Vec<(usize, &Column, &Figures)> =
        columns.filter_map(|(number, column)| Some((number, column, &column.plan()?.found.figures))).collect();
    shown.sort_by_key(|&(number, _, figures)| (figures.standing(), figures.metrics.need(), number));
    shown
}

/// The length of a plan's bar in bytes; none for a plan that breaks rules.
pub fn peak_of(figures: &Figures) -> Option<u64> {
    Some(figures.metrics.need()).filter(|_| figures.broken == 0)
}

/// Peak, ratio and distance of a finished plan in plain words.
pub fn finished_words(page: &Page, figures: &Figures, is_reference: bool) -> String {
    match figures.objection() {
        Some(objection) if figures.broken > 0 => page.speech().say(&objection),
        _ => {
            let [before, need, after] = parts_of_figures(page, figures, is_reference);
            format!("{before} {need}{after}")
        }
    }
}

/// What stands before the need of a plan, the need, and what stands behind it.
pub fn parts_of_figures(page: &Page, figures: &Figures, is_reference: bool) -> [String; 3] {
    let speech = page.speech();
    // Plans are set against each other where both have all buffers and keep the rules.
    let reference = page.state.comparing.reference().map(|shown| &shown.found.figures);
    let reference = reference.filter(|_| !is_reference && figures.can_be_best());
    let metrics = &figures.metrics;
    let need = metrics.need();
    let ratio = metrics.ratio.map(|ratio| format!(" · {ratio:.2}×")).unwrap_or_default();
    let rest = match reference.filter(|other| other.can_be_best()).map(|other| other.metrics.need()) {
        Some(other) if need >= other => format!("+{}", speech.bytes(need - other)),
        Some(other) => format!("−{}", speech.bytes(other - need)),
        None => match figures.remark() {
            Some(remark) => speech.say(&remark),
            None if figures.quirks > 0 => distance(page, figures),
            None => format!("{} {}", page.word("figure.waste"), speech.bytes(metrics.waste)),
        },
    };
    let name = page.word(if metrics.held.is_some() { "figure.held" } else { "term.peak" });
    [name, speech.bytes(need), format!("{ratio} · {rest}")]
}

/// Returns the distance of a plan to its bound in words. If its own bound is not the line of the
/// chart, the sentence names it.
pub fn distance(page: &Page, figures: &Figures) -> String {
    let metrics = &figures.metrics;
    let of_part = metrics.has_own_bound();
    let (key, bytes) = match (metrics.distance(), of_part) {
        (Distance::At, false) => ("compare.at-bound", 0),
        (Distance::At, true) => ("compare.at-own-bound", 0),
        (Distance::Above(waste), false) => ("compare.over-bound", waste),
        (Distance::Above(waste), true) => ("compare.over-own-bound", waste),
        (Distance::Below(less), _) if figures.quirks > 0 => ("compare.under-bound-quirk", less),
        (Distance::Below(less), false) => ("compare.under-bound", less),
        (Distance::Below(less), true) => ("compare.under-own-bound", less),
    };
    let left_out = metrics.buffers - metrics.placed;
    page.speech().say(&Message::new(key).bytes("bytes", bytes).bytes("bound", metrics.bound()).count("n", left_out))
}

/// The number of the frame, the peak up to it, and that of the finished plan.
pub fn figures_words(page: &Page, shown: &Shown, frame: &Frame) -> [String; 3] {
    let timeline = &shown.run.timeline;
    let number = timeline.frame_at(Level::Decisions, frame.events);
    let words = [
        Message::new("compare.frame-of").count("frame", number).count("frames", timeline.decisions.len()),
        Message::new("compare.now").bytes("peak", frame.peak),
        Message::new("compare.at-end").bytes("peak", shown.found.figures.metrics.peak),
    ];
    words.map(|message| page.speech().say(&message))
}

/// Why a plan has no place for the buffer of this moment.
pub fn why_left_out(run: &Run, id: BufferId) -> [Option<Message>; 2] {
    let name = run.problem.buffers[id].name.clone();
    let reason = run.plan.unplanned.iter().find(|(other, _)| *other == id).map(|&(_, reason)| reason);
    [Some(Message::new("compare.left-out").name("name", name)), reason.map(Unplanned::message)]
}

/// How a plan beside others is drawn in a panel; `dim` fades what is not live at the cursor.
pub fn style_beside(page: &Page, run: &Run, panel: Size, is_turned: bool, dim: bool) -> Style {
    Style {
        narrow: panel.0 < 520.0 || is_turned,
        turned: is_turned,
        words_inside: !is_turned,
        show_tree: false,
        show_reuse: false,
        show_waiting: false,
        dim,
        ..style_of(page, run)
    }
}

/// Buffers named with the bound.
const NAMED: usize = 3;

/// What the line through all bars is: what is live at the step of the largest load, or the sum over
/// several memories.
pub fn bound_is(page: &Page, reference: &Shown) -> String {
    let speech = page.speech();
    let bound = reference.found.figures.metrics.lower_bound;
    let problem = &reference.run.problem;
    let memories = problem.memories.len();
    let Some(causes) = reference.found.causes.as_ref().filter(|_| memories == 1) else {
        return speech.say(&Message::new("compare.bound-of-memories").bytes("bound", bound).count("n", memories));
    };
    let load = &causes.load;
    let named = load
        .live
        .iter()
        .take(NAMED)
        .map(|cause| format!("{} {}", problem.buffers[cause.buffer].name, speech.bytes(cause.size)));
    let names: Vec<String> = named.collect();
    let more = load.live.len().saturating_sub(NAMED);
    let key = if more == 0 { "compare.bound-is" } else { "compare.bound-is-more" };
    let message = Message::new(key).bytes("bound", bound).count("step", load.step).with("names", Arg::Names(names));
    speech.say(&message.count("n", more))
}
