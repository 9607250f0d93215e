//! The buffers alive at the step, in groups: bytes, their running share, who makes and reads them,
//! what the bound would lose.

use yew::prelude::*;

use crate::browser::css;
use crate::context::names::{swatch, wrapped_name};
use crate::context::{Page, use_page};
use crate::shell::state::action::{Action, StepAction};
use crate::shell::state::lines::first;
use crate::step::panels::peak::AtPeak;
use crate::widgets::sort_button::sort_button;
use crate::widgets::sorting::Sorting;
use memplan_core::base::{Family, Message, exact};
use memplan_core::problem::{Alive, AliveGroup, BufferId, Shared};
use memplan_replay::{Run, common_path, made_and_read_by, under};

/// Rows for which the planner runs again without their buffers.
const PLANNED: usize = 20;

/// Rows drawn at once, and how many more each time they are asked for.
const DRAWN: usize = 50;

#[derive(Properties, PartialEq)]
pub struct ListProps {
    pub at_peak: AtPeak,
}

#[component]
pub fn List(props: &ListProps) -> Html {
    let page = use_page();
    let at_peak = &props.at_peak;
    let sorting = use_state_eq(Sorting::default);
    let unfolded = use_state_eq(|| false);
    let drawn = use_state_eq(|| DRAWN);
    let unfold = {
        let unfolded = unfolded.setter();
        Callback::from(move |_: MouseEvent| unfolded.set(true))
    };
    let more = {
        let (set, drawn) = (drawn.setter(), *drawn);
        Callback::from(move |_: MouseEvent| set.set(drawn + DRAWN))
    };
    let sorted = sorting.0.map(|_| sorted(at_peak, *sorting));
    let (groups, small) =
        sorted.as_deref().map_or((&at_peak.list.groups[..], &at_peak.list.small[..]), |one| (one, &[][..]));
    let unfolds: &[Alive] = if *unfolded { small } else { &[] };
    let all: usize = groups.iter().map(|group| group.rows.len()).sum::<usize>() + unfolds.len();
    let asked = groups.iter().flat_map(|group| &group.rows).map(|one| one.buffer).take(PLANNED);
    let asked: Vec<BufferId> = asked.collect();
    let ask: Callback<()> = page.on(move || Action::Step(StepAction::AskSensitivity(asked.clone())));
    let onfocusin = ask.reform(|_: FocusEvent| ());
    let onpointerenter = ask.reform(|_: PointerEvent| ());
    let pointing = page.pointing();
    let onpointerover = pointing.reform(|event: PointerEvent| event.target());
    let onpointerout = pointing.reform(|_: PointerEvent| None);
    let head = |column: usize, key: &'static str, is: &'static str| {
        let title = (!is.is_empty()).then(|| page.word(is));
        html! { <span {title}>{ sort_button(&sorting, column, html! { { page.word(key) } }) }</span> }
    };
    let listed = groups.iter().flat_map(|group| &group.rows).chain(small);
    let path = common_path(listed.map(|one| at_peak.run.label(one.buffer)));
    let mut sum = 0;
    let mut left = *drawn;
    html! {
        <div class="pk-list" {onpointerover} {onpointerout} {onpointerenter} {onfocusin}>
            <div class="pk-cols" role="group" aria-label={page.word("peak.sort")}>{ head(0, "peak.made-read", "") }{ head(1, "peak.bytes", "") }
                <span aria-hidden="true">{ page.word("peak.summed") }</span>{ head(2, "peak.falls", "peak.falls.is") }</div>
            { for groups.iter().map_while(|group| {
                let shown = first(&group.rows, &mut left)?;
                Some(html! { <>{ title(&page, group) }<ul>{ for shown.iter().map(|one| row(&page, at_peak, path, one, &mut sum)) }</ul></> })
            }) }
            if let Some(shown) = first(unfolds, &mut left) {
                <ul>{ for shown.iter().map(|one| row(&page, at_peak, path, one, &mut sum)) }</ul>
            }
            if all > *drawn {
                <p class="pk-more"><button type="button" class="name" onclick={more}>{ say(&page, "peak.more", all - *drawn) }</button></p>
            }
            if !small.is_empty() && !*unfolded {
                <p class="pk-more"><button type="button" class="name" id="peak-small" onclick={unfold}>{ say(&page, "peak.small", small.len()) }</button>
                    <span class="num muted">{ page.speech().bytes(small.iter().map(|one| one.bytes).sum()) }</span></p>
            }
        </div>
    }
}

/// All rows in the order of a column, without groups: names, bytes, or by how much the bound falls.
fn sorted(at_peak: &AtPeak, sorting: Sorting) -> Vec<AliveGroup> {
    let AtPeak { run, fullest, list } = at_peak;
    let grouped = list.groups.iter().flat_map(|group| &group.rows);
    let mut rows: Vec<(u64, Alive)> =
        grouped.chain(&list.small).map(|one| (fullest.falls(run.reached(), one.buffer).bytes, one.clone())).collect();
    sorting.sort(&mut rows, |(a_falls, a), (b_falls, b), column| match column {
        0 => run.label(a.buffer).cmp(run.label(b.buffer)),
        1 => a.bytes.cmp(&b.bytes),
        _ => a_falls.cmp(b_falls),
    });
    let rows = rows.into_iter().map(|(_, one)| one).collect();
    vec![AliveGroup { shared: Shared::All, rows, bytes: list.load }]
}

pub fn say(page: &Page, key: &'static str, count: usize) -> String {
    page.speech().say(&Message::new(key).count("n", count))
}

/// What the rows of a group have in common.
fn title(page: &Page, group: &AliveGroup) -> Html {
    let name = match &group.shared {
        Shared::All => return Html::default(),
        Shared::Module(module) => module.clone(),
        Shared::Line(line) => line.place.clone(),
        Shared::Class(class) => page.word(&Family::KIND.of([class.name()])),
        Shared::Outside => page.word("peak.outside"),
        Shared::Rest => page.word("peak.rest"),
    };
    let count = (group.rows.len() > 1).then(|| say(page, "peak.tensors", group.rows.len()));
    html! {
        <p class="pk-group"><b class="cut tail" title={name.clone()}><bdi>{ name }</bdi></b><i>{ count }</i><span>{ page.speech().bytes(group.bytes) }</span></p>
    }
}

/// One buffer; `path` is what all names of the list begin with, `sum` the bytes of the rows above,
/// to which it adds its own.
pub fn row(page: &Page, at_peak: &AtPeak, path: &str, one: &Alive, sum: &mut u64) -> Html {
    let AtPeak { run, fullest, list } = at_peak;
    let (id, speech) = (one.buffer, page.speech());
    let buffer = &run.problem.buffers[id];
    let share = |bytes: u64| 100.0 * bytes as f64 / list.load.max(1) as f64;
    let above = *sum;
    *sum += one.bytes;
    let falls = fullest.falls(run.reached(), id);
    let chosen = page.state.stepping.selection == Some(id);
    let is_callers = run.plan.places[id].is_none() && run.metrics.placed > 0;
    let life = made_and_read_by(run, speech, id, (one.maker, one.reader));
    let stays = falls.stays.map(|step| speech.say(&Message::new("peak.stays").count("step", step)));
    let bytes = |bytes: u64| format!("{}\u{202f}B", exact(bytes));
    let without = page.state.peak_without(id);
    let fall_title = std::iter::once(bytes(falls.bytes)).chain(without.map(|peak| plan_falls(page, run, peak)));
    html! {
        <li class={classes!("pk-row", chosen.then_some("selected"))} key={id.0} data-buffer={id.0.to_string()} data-bytes={one.bytes.to_string()}
            data-falls={falls.bytes.to_string()} data-stays={falls.stays.map(|step| step.to_string())}>
            <span class="nm">{ swatch(run, id) }
                <button type="button" class="pk-name named" aria-label={buffer.name.clone()} aria-pressed={chosen.to_string()}
                    onclick={page.on(move || Action::Step(StepAction::Select((!chosen).then_some(id))))}>{ wrapped_name(under(run.label(id), path), &buffer.name) }</button>
                if is_callers { <span class="mark-callers" title={page.word("peak.callers.is")}>{ page.word("peak.callers") }</span> }
            </span>
            <span class="bytes" title={bytes(one.bytes)}>{ speech.bytes(one.bytes) }</span>
            <span class="cum"><i ~style={css(format!("width:{:.2}%", share(*sum)))}></i>
                <i ~style={css(format!("left:{:.2}%;width:{:.2}%", share(above), share(one.bytes)))}></i><em>{ percent(*sum, list.load) }</em></span>
            <span class="life" title={life.clone()}>{ life }</span>
            <span class={classes!("fall", (falls.bytes == 0).then_some("none"))} title={fall_title.collect::<Vec<_>>().join("\n")} data-peak-without={without.map(|peak| peak.to_string())}>
                { if falls.bytes == 0 { "0".to_string() } else { format!("−{}", speech.bytes(falls.bytes)) } }</span>
            if let Some(stays) = stays { <span class="why-zero">{ stays }</span> }
        </li>
    }
}

/// What the plan's own peak does without a buffer.
fn plan_falls(page: &Page, run: &Run, peak: u64) -> String {
    let before = run.metrics.peak;
    page.speech().say(&match peak {
        _ if peak < before => Message::new("peak.plan-falls").bytes("bytes", before - peak),
        _ if peak > before => Message::new("peak.plan-rises").bytes("bytes", peak - before),
        _ => Message::new("peak.plan-stays"),
    })
}

/// Whole percents; less than all is never 100 %.
pub fn percent(part: u64, whole: u64) -> String {
    let rounded = (part as u128 * 100 + whole as u128 / 2) / (whole as u128).max(1);
    if rounded == 100 && part < whole { "> 99 %".into() } else { format!("{rounded} %") }
}
