//! The headline of the peak, and the steps that are equally full.

use yew::prelude::*;

use crate::context::Page;
use crate::context::keys::shortcuts;
use crate::context::sentence::words;
use crate::shell::state::action::{Action, StepAction};
use crate::shell::state::keys::Command;
use crate::shell::state::lines::around;
use crate::step::panels::peak::AtPeak;
use crate::step::panels::peak::kernel::kernel_line;
use crate::step::panels::peak::lines::file_of;
use crate::step::state::PeakBy;
use memplan_core::base::Message;
use memplan_core::problem::{Live, Shared};

/// Most steps of the largest load that have a button each.
const SEGMENTS: usize = 4;

/// Most of them that the menu lists: those around the present one.
const OPTIONS: usize = 200;

/// Letters of a module in the headline.
const ROOM: usize = 32;

/// Smallest share of the load, in parts of 100, that is worth a word in the headline.
const WORTH_TELLING: u64 = 25;

/// `by` is how the list below is grouped, one of `ways`.
pub fn head(page: &Page, at_peak: &AtPeak, by: PeakBy, ways: &[PeakBy]) -> Html {
    let AtPeak { fullest, list, .. } = at_peak;
    let here = fullest.stretches.iter().any(|stretch| stretch.contains(list.step));
    html! {
        <div class="pk-head">
            <p class="headline" id="peak-headline">{ words(page, &headline(at_peak)) }</p>
            { kernel_line(page) }
            if fullest.stretches.len() > 1 && here { { equals(page, at_peak) } }
            if fullest.count() > 1 && here {
                <p class="sub">{ words(page, &Message::new("peak.equal").count("n", fullest.count())) }</p>
            }
            if !here && let Some(step) = fullest.step() {
                <p class="sub">{ words(page, &Message::new("peak.elsewhere").bytes("load", fullest.most).count("step", step)) }{ page.blank() }
                    <button type="button" class="name" id="to-fullest" aria-keyshortcuts={shortcuts(Command::Fullest, page.state.settings.single_keys)}
                        onclick={page.on(|| Action::Step(StepAction::Fullest { next: false }))}>{ page.word("peak.go") }</button></p>
            }
            if fullest.bound > fullest.most {
                <p class="sub">{ words(page, &Message::new("peak.memories").bytes("bound", fullest.bound)) }</p>
            }
            if ways.len() > 1 {
                <div class="segments" role="group" aria-label={page.word("peak.by")} id="peak-by">
                    { for ways.iter().map(|&one| html! {
                        <button type="button" aria-pressed={(one == by).to_string()} onclick={page.on(move || Action::Step(StepAction::PeakBy(one)))}>{ page.word(one.key()) }</button>
                    }) }
                </div>
            }
        </div>
    }
}

/// How much is alive, what the step makes, and who holds most of it.
fn headline(at_peak: &AtPeak) -> Message {
    let AtPeak { run, list, .. } = at_peak;
    let name = |id: memplan_core::problem::BufferId| run.problem.buffers[id].name.clone();
    let half = list.load as u128 / 2;
    let percent = |bytes: u64| (bytes as u128 * 100 + half).checked_div(list.load as u128).unwrap_or(0) as u64;
    let groups = list.groups.iter().filter(|group| group.rows.len() > 1);
    let groups = groups.filter_map(|group| match &group.shared {
        Shared::Module(module) => Some((group.bytes, tail(module))),
        Shared::Line(line) if line.code.is_empty() => Some((group.bytes, file_of(&line.place).to_string())),
        Shared::Line(line) => Some((group.bytes, line.code.clone())),
        Shared::Class(_) | Shared::Outside | Shared::Rest | Shared::All => None,
    });
    let rows =
        list.groups.iter().flat_map(|group| &group.rows).map(|row| (row.bytes, run.label(row.buffer).to_string()));
    let holder = groups.chain(rows).reduce(|most, other| if other.0 > most.0 { other } else { most });
    let holder = holder.filter(|(bytes, _)| (WORTH_TELLING..100).contains(&percent(*bytes)));
    let key = match (list.made, &holder) {
        (Some(_), Some(_)) => "peak.alive-made-held",
        (Some(_), None) => "peak.alive-made",
        (None, Some(_)) => "peak.alive-held",
        (None, None) => "peak.alive",
    };
    let mut message = Message::new(key).bytes("load", list.load).count("step", list.step);
    if let Some(made) = list.made {
        message = message.name("made", name(made));
    }
    match holder {
        Some((bytes, holder)) => message.text("holder", holder).count("percent", percent(bytes)),
        None => message,
    }
}

/// The last components of a module, as many as a headline has room for.
fn tail(module: &str) -> String {
    let starts = module.match_indices('.').map(|(at, _)| at);
    let shorter = starts.map(|at| format!("…{}", &module[at..])).find(|words| words.chars().count() <= ROOM);
    if module.chars().count() <= ROOM { module.to_string() } else { shorter.unwrap_or_else(|| module.to_string()) }
}

/// A button for each stretch of steps that is as full as any; a menu where they are many.
fn equals(page: &Page, at_peak: &AtPeak) -> Html {
    let AtPeak { fullest, list, .. } = at_peak;
    let label = |stretch: &Live| match stretch.len() {
        1 => stretch.start.to_string(),
        _ => format!("{}–{}", stretch.start, stretch.end - 1),
    };
    if fullest.stretches.len() > SEGMENTS {
        let send = page.send.clone();
        let onchange = Callback::from(move |event: Event| {
            let value = event.target_unchecked_into::<web_sys::HtmlSelectElement>().value();
            send.emit(Action::Step(StepAction::Cursor(value.parse().ok())));
        });
        let here = fullest.stretches.iter().position(|stretch| stretch.contains(list.step));
        let listed = &fullest.stretches[around(fullest.stretches.len(), here.unwrap_or(0), OPTIONS)];
        return html! {
            <label class="pk-equal"><span>{ page.word("peak.step") }</span><select class="small" {onchange}>
                { for listed.iter().map(|stretch| html! {
                    <option value={stretch.start.to_string()} selected={stretch.contains(list.step)}>{ label(stretch) }</option>
                }) }
            </select></label>
        };
    }
    html! {
        <div class="segments" role="group" aria-label={page.word("peak.fullest")}>
            { for fullest.stretches.iter().enumerate().map(|(number, stretch)| {
                let start = stretch.start;
                let onclick = page.on(move || Action::Step(StepAction::Cursor(Some(start))));
                html! { <button type="button" aria-pressed={stretch.contains(list.step).to_string()} {onclick}>
                    if number == 0 { { page.word("peak.step") }{ " " } }{ label(stretch) }</button> }
            }) }
        </div>
    }
}
