//! The buffers alive at the step by the lines of the program that make them, or by what training
//! holds them for: what each group holds, and its buffers once it is pressed.

use std::rc::Rc;

use yew::prelude::*;

use crate::browser::css;
use crate::context::{Page, use_page};
use crate::shell::state::action::{Action, StepAction};
use crate::shell::state::lines::first;
use crate::step::panels::peak::AtPeak;
use crate::step::panels::peak::list::{percent, row, say};
use crate::step::state::Outlined;
use memplan_core::base::Family;
use memplan_core::problem::{AliveGroup, BufferClass, BufferId, Shared, SourceLine};
use memplan_replay::Run;

/// Lines, and buffers of the open one, drawn at once.
const DRAWN: usize = 100;

#[derive(Properties, PartialEq)]
pub struct LinesProps {
    pub at_peak: AtPeak,
}

#[component]
pub fn Lines(props: &LinesProps) -> Html {
    let page = use_page();
    let open = page.state.stepping.outlined.as_ref().map(|open| &open.shared);
    let at_peak = &props.at_peak;
    let groups = &at_peak.list.groups;
    let most = groups.first().map_or(1, |group| group.bytes).max(1);
    let pointing = page.pointing();
    let onpointerover = pointing.reform(|event: PointerEvent| event.target());
    let onpointerout = pointing.reform(|_: PointerEvent| None);
    let mut above = 0;
    html! {
        <ul class="pk-lines" {onpointerover} {onpointerout}>
            { for groups.iter().take(DRAWN).map(|group| {
                let is_open = open == Some(&group.shared);
                let toggle = {
                    let buffers: Vec<BufferId> = group.rows.iter().map(|row| row.buffer).collect();
                    let outlined = Outlined { shared: group.shared.clone(), buffers: Rc::new(buffers) };
                    let outlined = Some(outlined).filter(|_| !is_open);
                    page.on(move || Action::Step(StepAction::Outline(outlined.clone())))
                };
                let mut sum = above;
                above += group.bytes;
                html! { <li key={format!("{:?}", group.shared)} data-bytes={group.bytes.to_string()}>
                    { heading(&page, at_peak, group, most, is_open, toggle) }
                    if is_open { { buffers(&page, at_peak, group, &mut sum) } }
                </li> }
            }) }
            if groups.len() > DRAWN { <li class="pk-more">{ say(&page, "peak.more", groups.len() - DRAWN) }</li> }
        </ul>
    }
}

/// The line, its bytes and its share; a bar as long as its share of the largest.
fn heading(
    page: &Page,
    at_peak: &AtPeak,
    group: &AliveGroup,
    most: u64,
    is_open: bool,
    onclick: Callback<MouseEvent>,
) -> Html {
    let (title, place) = match &group.shared {
        Shared::Line(line) => (code_of(line), (!line.code.is_empty()).then(|| file_of(&line.place).to_string())),
        Shared::Class(class) => (html! { { page.word(&Family::KIND.of([class.name()])) } }, None),
        Shared::Outside => (html! { { page.word("peak.outside") } }, None),
        _ => (html! { { page.word("peak.no-line") } }, None),
    };
    let full = match &group.shared {
        Shared::Line(line) => Some(line.place.clone()),
        _ => None,
    };
    let parts = parts(&at_peak.run, group);
    let counted = match parts.len() {
        0 | 1 => vec![say(page, "peak.tensors", group.rows.len())],
        _ => parts
            .iter()
            .map(|(class, bytes, _)| {
                format!("{} {}", page.word(&Family::KIND.of([class.name()])), page.speech().bytes(*bytes))
            })
            .collect(),
    };
    let below = place.into_iter().chain(counted);
    let width = |bytes: u64| css(format!("width:{:.2}%", 100.0 * bytes as f64 / most as f64));
    html! {
        <button type="button" class="pk-line" aria-expanded={is_open.to_string()} title={full} {onclick}>
            <span class="nm cut">{ title }</span>
            <span class="bytes">{ page.speech().bytes(group.bytes) }</span>
            <span class="share">{ percent(group.bytes, at_peak.list.load) }</span>
            <span class="life">{ below.collect::<Vec<_>>().join(" · ") }</span>
            <span class="share-bar">
                { for parts.iter().map(|(_, bytes, name)| html! { <i class={format!("kind-{name}")} ~style={width(*bytes)}></i> }) }
                if parts.is_empty() { <i ~style={width(group.bytes)}></i> }
            </span>
        </button>
    }
}

/// What training holds the buffers of a group for, with the bytes of each class and the name of its
/// colour, most bytes first; empty if the run is no step of training.
fn parts(run: &Run, group: &AliveGroup) -> Vec<(BufferClass, u64, &'static str)> {
    let Some(classes) = run.classes() else { return Vec::new() };
    let bytes = |class| group.rows.iter().filter(|row| classes.class(row.buffer) == class).map(|row| row.bytes).sum();
    let part = |class| (class, bytes(class), if class == BufferClass::Output { "loss" } else { class.name() });
    let mut parts: Vec<(BufferClass, u64, &str)> = BufferClass::ALL.into_iter().map(part).collect();
    parts.retain(|part| part.1 > 0);
    parts.sort_by_key(|part| std::cmp::Reverse(part.1));
    parts
}

/// The text of a line; its place where the text is not known.
fn code_of(line: &SourceLine) -> Html {
    if line.code.is_empty() {
        html! { { file_of(&line.place) } }
    } else {
        html! { <code>{ line.code.clone() }</code> }
    }
}

/// A place without the folders of its file.
pub fn file_of(place: &str) -> &str {
    place.rsplit(['/', '\\']).next().unwrap_or(place)
}

fn buffers(page: &Page, at_peak: &AtPeak, group: &AliveGroup, sum: &mut u64) -> Html {
    let mut left = DRAWN;
    let shown = first(&group.rows, &mut left).unwrap_or_default();
    html! { <>
        <ul>{ for shown.iter().map(|one| row(page, at_peak, "", one, sum)) }</ul>
        if group.rows.len() > shown.len() {
            <p class="pk-more">{ say(page, "peak.more", group.rows.len() - shown.len()) }</p>
        }
    </> }
}
