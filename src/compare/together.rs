//! One transport for all columns: what the reference places, how columns step together, and the
//! differences on the scrubber.

use std::rc::Rc;

use web_sys::HtmlElement;
use yew::prelude::*;

use crate::browser::canvas::{Repaint, paint, use_size, with_palette};
use crate::browser::dom::capture;
use crate::compare::differing::Differing;
use crate::compare::state::Change;
use crate::compare::state::comparison::Sync;
use crate::compare::{change, is_narrow};
use crate::context::keys::shortcuts;
use crate::context::same::Same;
use crate::context::{Page, use_page};
use crate::plan::style::style_of;
use crate::shell::state::action::{Action, StepAction};
use crate::shell::state::keys::Command;
use crate::step::state::speeds::SPEEDS;
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::{Family, Message, decimal};
use memplan_replay::{Differences, Level};
use memplan_scene::{self as scene, ScrubberScale};

#[derive(Properties, PartialEq)]
pub struct TogetherProps {
    pub differing: Same<Differing>,
    pub dark: bool,
}

/// The bar below all columns.
#[component]
pub fn Together(props: &TogetherProps) -> Html {
    let page = use_page();
    let narrow = is_narrow(&page);
    let mut others = props.differing.0.from_reference.iter().flatten();
    let differ = others.any(|differences| !differences.0.elsewhere.is_empty());
    html! {
        <section class="stepper together" id="region-stepper" tabindex="-1" aria-label={page.word("step.title")}>
            <div class="transport">
                { counter(&page) }
                { controls(&page) }
                <div class="extras">
                    if narrow { { ways_in_menu(&page) } } else { { ways(&page) } }
                    <button type="button" class="btn" id="next-difference" title={page.word("compare.next-difference.is")} aria-keyshortcuts={shortcuts(Command::NextDifference, page.state.settings.single_keys)} disabled={!differ}
                        onclick={page.on(|| change(Change::Difference { forward: true }))}>{ glyph(Icon::Flag) }
                        <span class="words">{ page.word("compare.next-difference") }</span></button>
                    if !narrow { { speeds(&page) } }
                </div>
            </div>
            <Track differing={props.differing.clone()} dark={props.dark} />
        </section>
    }
}

/// The frame of the reference, and the buffer that all columns stand at.
fn counter(page: &Page) -> Html {
    let comparing = &page.state.comparing;
    let (frame, last) = comparing.frame();
    let placing = comparing.reference_stand().filter(|(_, stand)| !stand.finished).and_then(|(shown, stand)| {
        let timeline = &shown.run.timeline;
        let decision = timeline.decisions.get(timeline.decision_at(stand.events)?)?;
        let buffer = &shown.run.problem.buffers[decision.buffer];
        let facts =
            Message::new("compare.placing").bytes("size", buffer.size).live("live", buffer.live.start, buffer.live.end);
        Some((buffer.name.clone(), page.speech().say(&facts)))
    });
    // Said again at every step, but not while playing.
    let live = if page.state.stepping.playing { "off" } else { "polite" };
    html! {
        <div class={classes!("counter", (last > 9_999).then_some("long"))} aria-live={live}><b id="together-frame">{ frame }{ " / " }{ last }</b>
            { match placing {
                Some((name, facts)) => html! { <span class="cut" title={name.clone()}>{ page.word("step.placing") }{ " " }<em id="together-buffer">{ name }</em>{ " " }{ facts }</span> },
                None if comparing.is_finished() => html! { <span class="cut">{ page.word("compare.finished") }</span> },
                None => Html::default(),
            } }
        </div>
    }
}

/// First, back, play, forward, last.
fn controls(page: &Page) -> Html {
    let comparing = &page.state.comparing;
    let finished = comparing.is_finished();
    let at_start = !finished && comparing.frame().0 == 0;
    let empty = comparing.reference().is_none();
    let button = |icon: Icon, key: &str, to: Change, off: bool| {
        let name = page.word(key);
        html! { <button type="button" class="btn icon-only" data-step={key.to_string()} aria-label={name.clone()} title={name} disabled={off || empty}
        onclick={page.on(move || change(to.clone()))}>{ glyph(icon) }</button> }
    };
    let playing = page.state.stepping.playing;
    let play = page.word(if playing { "step.pause" } else { "step.play" });
    html! {
        <div class="controls" role="group" aria-label={page.word("step.controls")}>
            { button(Icon::First, "step.first", Change::Position(Some(0)), at_start) }
            { button(Icon::Previous, "step.previous", Change::Move(-1), at_start) }
            <button type="button" class="btn play" aria-label={play.clone()} title={play} disabled={empty}
                onclick={page.on(move || Action::Step(StepAction::Play(!playing)))}>{ glyph(if playing { Icon::Pause } else { Icon::Play }) }</button>
            { button(Icon::Next, "step.next", Change::Move(1), finished) }
            { button(Icon::Last, "step.last", Change::Position(None), finished) }
        </div>
    }
}

/// How columns step together.
fn ways(page: &Page) -> Html {
    let name = page.word("compare.sync");
    html! { <>
        <span class="muted">{ name.clone() }</span>
        <div class="segments" role="group" aria-label={name}>
            { for Sync::ALL.into_iter().map(|sync| html! {
                <button type="button" id={format!("compare-sync.{}", sync.name())} aria-pressed={(sync == page.state.comparing.sync).to_string()}
                    title={page.word(&Family::COMPARE_SYNC_IS.of([sync.name()]))}
                    onclick={page.on(move || change(Change::Sync(sync)))}>{ page.word(&Family::COMPARE_SYNC.of([sync.name()])) }</button>
            }) }
        </div>
    </> }
}

/// The same for a phone.
fn ways_in_menu(page: &Page) -> Html {
    let send = page.send.clone();
    let chosen = Callback::from(move |event: Event| {
        let value = event.target_unchecked_into::<web_sys::HtmlSelectElement>().value();
        if let Some(sync) = Sync::from_name(&value) {
            send.emit(change(Change::Sync(sync)));
        }
    });
    html! {
        <select class="small" id="compare-sync" aria-label={page.word("compare.sync")} onchange={chosen}>
            { for Sync::ALL.into_iter().map(|sync| html! {
                <option value={sync.name()} selected={sync == page.state.comparing.sync}>{ page.word(&Family::COMPARE_SYNC.of([sync.name()])) }</option>
            }) }
        </select>
    }
}

fn speeds(page: &Page) -> Html {
    let send = page.send.clone();
    let chosen = Callback::from(move |event: Event| {
        let value = event.target_unchecked_into::<web_sys::HtmlSelectElement>().value();
        send.emit(Action::Step(StepAction::Speed(decimal(&value).unwrap_or(1.0))));
    });
    let speed = page.state.stepping.speed;
    html! {
        <select key={speed.to_string()} class="small" aria-label={page.word("step.speed")} onchange={chosen}>
            { for SPEEDS.iter().map(|value| html! { <option value={value.to_string()} selected={*value == speed}>{ format!("{value}×") }</option> }) }
        </select>
    }
}

/// The scrubber of the reference; below each bar a mark for every other column, coloured where that
/// buffer lies elsewhere.
#[component]
fn Track(props: &TogetherProps) -> Html {
    let page = use_page();
    let (host, node) = (use_node_ref(), use_node_ref());
    let size = use_size(host.clone());
    let repaint = use_mut_ref(Repaint::default);
    let held = use_mut_ref(|| false);
    let comparing = &page.state.comparing;
    let (frame, last) = comparing.frame();
    let reference = comparing.reference().cloned();
    if let Some(shown) = reference.clone().filter(|_| size.0 > 0.0) {
        let style = style_of(&page, &shown.run);
        let (node, differing, dark) = (node.clone(), props.differing.clone(), props.dark);
        repaint.borrow().ask(move || {
            let others: Vec<&Differences> =
                differing.0.from_reference.iter().flatten().map(|found| &*found.0).collect();
            let scene = scene::scrubber_of_many(&shown.run, frame, size, &style, &others);
            with_palette(dark, |palette| paint(&node, scene, size, palette));
        });
    }
    let seek = {
        let (page, reference, track) = (page.clone(), reference.clone(), host.clone());
        Rc::new(move |event: &PointerEvent| {
            let (Some(shown), Some(element)) = (&reference, track.cast::<HtmlElement>()) else { return };
            let x = event.client_x() as f64 - element.get_bounding_client_rect().left();
            let scale = ScrubberScale::new(&shown.run, Level::Decisions, size, &style_of(&page, &shown.run));
            page.send.emit(change(Change::Seek(scale.frame_at(x))));
        })
    };
    let onpointerdown = {
        let (seek, held, track) = (seek.clone(), held.clone(), host.clone());
        Callback::from(move |event: PointerEvent| {
            *held.borrow_mut() = true;
            capture(track.cast(), &event);
            seek(&event);
        })
    };
    let onpointermove = {
        let held = held.clone();
        Callback::from(move |event: PointerEvent| {
            if *held.borrow() {
                seek(&event);
            }
        })
    };
    let onpointerup = Callback::from(move |_: PointerEvent| *held.borrow_mut() = false);
    let text = Message::new("aria.frame").count("frame", frame).count("frames", last);
    html! {
        <div class="scrubber" id="position" ref={host} role="slider" tabindex="0" aria-label={page.word("compare.position")} aria-valuemin="0"
            aria-valuemax={last.to_string()} aria-valuenow={frame.to_string()} aria-valuetext={page.speech().say(&text)}
            {onpointerdown} {onpointermove} {onpointerup} onkeydown={keys(&page)}>
            <canvas ref={node} aria-hidden="true"></canvas>
        </div>
    }
}

/// Arrows up and down go a frame, the page keys a tenth of the run.
fn keys(page: &Page) -> Callback<KeyboardEvent> {
    let (frame, last) = page.state.comparing.frame();
    let send = page.send.clone();
    Callback::from(move |event: KeyboardEvent| {
        let by = (last / 10).max(1);
        let to = match event.key().as_str() {
            "ArrowUp" => (frame + 1).min(last),
            "ArrowDown" => frame.saturating_sub(1),
            "PageUp" => (frame + by).min(last),
            "PageDown" => frame.saturating_sub(by),
            _ => return,
        };
        event.prevent_default();
        send.emit(change(Change::Seek(to)));
    })
}
