//! The stepper: transport, detail level, run to, speed, and the scrubber.

use yew::prelude::*;

use super::icons::{Icon, glyph};
use super::scrubber::Scrubber;
use super::{Layout, Page};
use crate::app::hooks::SPEEDS;
use crate::app::state::{Action, Motion, Overlay, Targets, Wanted};
use crate::base::{Message, decimal};
use crate::replay::Level;

pub fn stepper(page: &Page) -> Html {
    let state = page.state.clone();
    let (frame, last) = (state.frame(), state.frames() - 1);
    let narrow = page.layout == Layout::Narrow;
    let focus = page
        .frame
        .as_ref()
        .zip(state.run.as_ref())
        .and_then(|(frame, run)| Some(run.problem.buffers[frame.focus?].name.clone()));
    let button = |icon: Icon, key: &str, motion: Motion, off: bool| {
        let name = page.word(key);
        html! {
            <button type="button" class="btn icon-only" aria-label={name.clone()} title={name} disabled={off}
                onclick={page.on(move || Action::Move(motion))}>{ glyph(icon) }</button>
        }
    };
    let play_name = page.word(if state.playing { "step.pause" } else { "step.play" });
    let playing = state.playing;
    let onspeed = {
        let send = page.send.clone();
        Callback::from(move |event: Event| {
            let value = event.target_unchecked_into::<web_sys::HtmlSelectElement>().value();
            send.emit(Action::Speed(decimal(&value).unwrap_or(1.0)));
        })
    };
    html! {
        <section class="stepper" id="region-stepper" tabindex="-1" aria-label={page.word("step.title")}>
            <div class="transport">
                <div class={classes!("counter", (last > 9_999).then_some("long"))}><b>{ frame }{ " / " }{ last }</b>
                    if let Some(name) = focus {
                        <span class="cut" title={format!("{} {name}", page.word("step.placing"))}><em>{ name }</em></span>
                    }
                </div>
                <div class="controls" role="group" aria-label={page.word("step.controls")}>
                    if !narrow {
                        { button(Icon::First, "step.first", Motion::First, frame == 0) }
                        { button(Icon::PreviousBuffer, "step.previous-buffer", Motion::PreviousBuffer, frame == 0) }
                    }
                    { button(Icon::Previous, "step.previous", Motion::Previous, frame == 0) }
                    <button type="button" class="btn play" aria-label={play_name.clone()} title={play_name}
                        disabled={last == 0} onclick={page.on(move || Action::Play(!playing))}>
                        { glyph(if playing { Icon::Pause } else { Icon::Play }) }
                    </button>
                    { button(Icon::Next, "step.next", Motion::Next, frame == last) }
                    if !narrow {
                        { button(Icon::NextBuffer, "step.next-buffer", Motion::NextBuffer, frame == last) }
                        { button(Icon::Last, "step.last", Motion::Last, frame == last) }
                    }
                </div>
                if !narrow {
                    <div class="extras">
                        if page.layout == Layout::Wide { { levels(page) } }
                        { run_to(page) }
                        <select key={state.speed.to_string()} class="small" aria-label={page.word("step.speed")} onchange={onspeed}>
                            { for SPEEDS.iter().map(|speed| html! {
                                <option value={speed.to_string()} selected={*speed == state.speed}>{ format!("{speed}×") }</option>
                            }) }
                        </select>
                    </div>
                }
            </div>
            <Scrubber />
        </section>
    }
}

pub fn levels(page: &Page) -> Html {
    html! {
        <div class="segments" role="radiogroup" aria-label={page.word("step.level")}>
            { for Level::ALL.into_iter().map(|level| {
                let on = page.state.level == level;
                html! {
                    <button type="button" role="radio" aria-checked={on.to_string()} onclick={page.on(move || Action::Level(level))}>
                        { page.word(&format!("level.{}", level.name())) }
                    </button>
                }
            }) }
        </div>
    }
}

/// "Run to" with its menu: what to look for, and which of these stop play.
fn run_to(page: &Page) -> Html {
    let state = page.state.clone();
    let open = state.overlay == Some(Overlay::RunTo);
    let kind = |wanted: Wanted| page.word(&format!("wanted.{}", wanted.name()));
    // A node can only be looked for where there are nodes.
    let has_tree = state.run.as_ref().is_some_and(|run| run.has_tree());
    let kinds = Wanted::ALL.into_iter().filter(|wanted| *wanted != Wanted::Node || has_tree);
    let marked = state.breaks.decisions.len() + state.breaks.kinds.len();
    html! {
        <div class="menu-host">
            <div class="split">
                <button type="button" class="btn" title={page.word("step.run-to")} onclick={page.on(|| Action::RunTo { forward: true })}>
                    { glyph(Icon::Flag) }<span>{ kind(state.wanted) }</span>
                    if marked > 0 { <span class="count breaks">{ marked }</span> }
                </button>
                <button type="button" class="btn icon-only" aria-label={page.word("step.run-to-menu")} aria-expanded={open.to_string()}
                    aria-haspopup="dialog" onclick={page.on(|| Action::Overlay(Some(Overlay::RunTo)))}>{ glyph(Icon::Down) }</button>
            </div>
            if open {
                <div class="menu up" role="dialog" aria-label={page.word("step.run-to-menu")}>
                    <table class="wanted">
                        <thead><tr><th>{ page.word("step.run-to") }</th><th>{ page.word("step.stops") }</th><th class="num">{ page.word("step.hits") }</th></tr></thead>
                        <tbody>{ for kinds.map(|wanted| {
                            let name = kind(wanted);
                            let pinned = state.breaks.kinds.contains(&wanted);
                            let label = page.speech().say(&Message::new("step.stop-at").text("what", name.clone()));
                            html! { <tr>
                                <td><label><input type="radio" name="wanted" checked={state.wanted == wanted}
                                    onchange={page.on(move || Action::Wanted(wanted))} />{ name }</label>{ target(page, wanted) }</td>
                                <td><input type="checkbox" checked={pinned} aria-label={label} onchange={page.on(move || Action::BreakOn(wanted))} /></td>
                                <td class="num">{ state.count(wanted) }</td>
                            </tr> }
                        }) }</tbody>
                    </table>
                    <div class="menu-foot">
                        <button type="button" class="btn" onclick={page.on(|| Action::BreakHere)}>{ glyph(Icon::Break) }{ page.word("step.break-here") }</button>
                        if marked > 0 {
                            <button type="button" class="btn" onclick={page.on(|| Action::ClearBreaks)}>{ page.word("step.clear-breaks") }</button>
                        }
                    </div>
                </div>
            }
        </div>
    }
}

/// The number that a kind looks for. Choosing one chooses its kind too.
fn target(page: &Page, wanted: Wanted) -> Html {
    let targets = page.state.breaks.targets;
    let set = |read: fn(&str, Targets) -> Option<Targets>| {
        let send = page.send.clone();
        Callback::from(move |event: Event| {
            let text = event.target_unchecked_into::<web_sys::HtmlInputElement>().value();
            // What is no number leaves the one before, which the field then shows again.
            send.emit(Action::Targets(read(text.trim(), targets).unwrap_or(targets)));
            send.emit(Action::Wanted(wanted));
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
