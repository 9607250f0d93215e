use yew::prelude::*;

use crate::context::Page;
use crate::context::keys::shortcuts;
use crate::shell::state::action::{Action, StepAction, ViewAction};
use crate::shell::state::keys::Command;
use crate::shell::state::panels::Overlay;
use crate::step::state::breakpoints::{Targets, Wanted};
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::{Family, Message};

/// "Run to" with its menu: what to look for, and which of these stop play.
pub fn run_to(page: &Page) -> Html {
    let state = page.state.clone();
    let open = state.view.overlay == Some(Overlay::RunTo);
    let kind = |wanted: Wanted| page.word(&Family::WANTED.of([wanted.name()]));
    // A node can only be looked for where there are nodes.
    let has_tree = state.document.run.as_ref().is_some_and(|run| run.has_tree());
    let kinds = Wanted::ALL.into_iter().filter(|wanted| *wanted != Wanted::Node || has_tree);
    let marked = state.stepping.breaks.decisions.len() + state.stepping.breaks.kinds.len();
    html! {
        <div class="menu-host">
            <div class="split">
                <button type="button" class="btn" title={page.word("step.run-to")} aria-keyshortcuts={shortcuts(Command::NextEvent, state.settings.single_keys)} onclick={page.on(|| Action::Step(StepAction::RunTo { forward: true }))}>
                    { glyph(Icon::Flag) }<span>{ kind(state.stepping.wanted) }</span>
                    if marked > 0 { <span class="count breaks">{ marked }</span> }
                </button>
                <button type="button" class="btn icon-only" aria-label={page.word("step.run-to-menu")} aria-expanded={open.to_string()}
                    aria-haspopup="dialog" onclick={page.on(|| Action::View(ViewAction::Overlay(Some(Overlay::RunTo))))}>{ glyph(Icon::Down) }</button>
            </div>
            if open {
                <div class="menu up" role="dialog" aria-label={page.word("step.run-to-menu")}>
                    <table class="wanted">
                        <thead><tr><th>{ page.word("step.run-to") }</th><th>{ page.word("step.stops") }</th><th class="num">{ page.word("step.hits") }</th></tr></thead>
                        <tbody>{ for kinds.map(|wanted| {
                            let name = kind(wanted);
                            let pinned = state.stepping.breaks.kinds.contains(&wanted);
                            let label = page.speech().say(&Message::new("step.stop-at").text("what", name.clone()));
                            html! { <tr>
                                <td><label><input type="radio" name="wanted" checked={state.stepping.wanted == wanted}
                                    onchange={page.on(move || Action::Step(StepAction::Wanted(wanted)))} />{ name }</label>{ target(page, wanted) }</td>
                                <td><input type="checkbox" checked={pinned} aria-label={label} onchange={page.on(move || Action::Step(StepAction::BreakOn(wanted)))} /></td>
                                <td class="num">{ state.count(wanted) }</td>
                            </tr> }
                        }) }</tbody>
                    </table>
                    <div class="menu-foot">
                        <button type="button" class="btn" onclick={page.on(|| Action::Step(StepAction::BreakHere))}>{ glyph(Icon::Break) }{ page.word("step.break-here") }</button>
                        if marked > 0 {
                            <button type="button" class="btn" onclick={page.on(|| Action::Step(StepAction::ClearBreaks))}>{ page.word("step.clear-breaks") }</button>
                        }
                    </div>
                </div>
            }
        </div>
    }
}

/// The number that a kind looks for. Choosing one chooses its kind too.
fn target(page: &Page, wanted: Wanted) -> Html {
    let targets = page.state.stepping.breaks.targets;
    let set = |read: fn(&str, Targets) -> Option<Targets>| {
        let send = page.send.clone();
        Callback::from(move |event: Event| {
            let text = event.target_unchecked_into::<web_sys::HtmlInputElement>().value();
            // What is no number leaves the one before, which the field then shows again.
            send.emit(Action::Step(StepAction::Targets(read(text.trim(), targets).unwrap_or(targets))));
            send.emit(Action::Step(StepAction::Wanted(wanted)));
        })
    };
    match wanted {
        Wanted::Address => html! {
            <input type="text" class="small" id="wanted-address" autocomplete="off" aria-label={page.word("wanted.address-value")}
                title={page.word("wanted.address-value")} value={format!("0x{:X}", targets.address)}
                onchange={set(|text, targets| Some(Targets { address: address(text)?, ..targets }))} />
        },
        Wanted::Step => html! {
            <input type="number" class="small" id="wanted-step" min="0" aria-label={page.word("wanted.step-value")}
                title={page.word("wanted.step-value")} value={targets.step.to_string()}
                onchange={set(|text, targets| Some(Targets { step: text.parse().ok()?, ..targets }))} />
        },
        _ => Html::default(),
    }
}

/// An address in decimal, or in hexadecimal with `0x`.
fn address(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
