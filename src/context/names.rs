//! Names of buffers on the page: short where there is little room, whole when pointed at, copied or
//! read out.

use yew::prelude::*;

use crate::planners::state::humps::hump_parts;
use memplan_core::problem::BufferId;
use memplan_replay::Run;

/// Letters at the end of a long name that are never cut off.
const TAIL: usize = 8;

/// Most letters at the end that stay where they are the last two parts of a name: names often
/// differ in the last but one (`q_proj.weight`, `k_proj.weight`).
const TWO_PARTS: usize = 20;

/// Most letters of a name that may be cut at its end: it is hardly longer than what would be left.
const SHORT: usize = 2 * TAIL;

/// Most letters of a name that may take several lines in a list.
const WRAPPED: usize = 80;

/// The colour of a buffer's kind before its name. In a step of training outputs are mostly
/// gradients, so that another colour is left for the loss.
pub fn swatch(run: &Run, buffer: BufferId) -> Html {
    let name = match run.kind_name(buffer) {
        "output" if run.classes().is_some() => "loss",
        name => name,
    };
    html! { <i class={format!("swatch kind-{name}")}></i> }
}

/// The label of a buffer in a cell that may be too narrow for it: the middle goes then.
pub fn cell_name(run: &Run, buffer: BufferId) -> Html {
    cut_name(run.label(buffer), &run.problem.buffers[buffer].name)
}

/// A label of a name in a cell that may be too narrow for it.
pub fn cut_name(label: &str, name: &str) -> Html {
    let from = |letters: usize| label.char_indices().rev().nth(letters - 1).map_or(0, |(at, _)| at);
    let parts = label.rmatch_indices(['/', '.', ' ']).nth(1).map_or(0, |(at, separator)| at + separator.len());
    let tail = if (from(TWO_PARTS)..from(TAIL)).contains(&parts) { parts } else { from(TAIL) };
    // Counted no further than it matters: a name may have a hundred thousand letters.
    let is_long = label.chars().nth(SHORT).is_some();
    let (head, tail) = label.split_at(if is_long { tail } else { label.len() });
    let (head, tail) = (head.to_string(), tail.to_string());
    html! {
        <span class="name-cut" title={name.to_string()} data-name={name.to_string()}>
            <span class="head">{ head }</span>
            if !tail.is_empty() { <span class="tail">{ tail }</span> }
        </span>
    }
}

/// A label that takes several lines rather than lose letters, unless it is very long.
pub fn wrapped_name(label: &str, name: &str) -> Html {
    if label.chars().nth(WRAPPED).is_some() {
        return cut_name(label, name);
    }
    html! { <span class="name-wrapped" title={name.to_string()} data-name={name.to_string()}>{ breaking(label) }</span> }
}

/// A name in running text: lines break behind its separators.
pub fn breaking(label: &str) -> Html {
    let parts: Vec<String> = label.split_inclusive(['/', '_', ';', '.', ':', '-']).map(str::to_string).collect();
    let last = parts.len().saturating_sub(1);
    html! { <>{ for parts.into_iter().enumerate().map(|(at, part)| html! {
        <>{ part }if at < last { <wbr /> }</>
    }) }</> }
}

/// A name of a planner: lines break between its words, also those that are written together.
pub fn humps(name: &str) -> Html {
    let parts = hump_parts(name);
    let last = parts.len().saturating_sub(1);
    html! { <>{ for parts.into_iter().enumerate().map(|(at, part)| html! {
        <>{ part }if at < last { <wbr /> }</>
    }) }</> }
}
