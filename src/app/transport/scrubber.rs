//! The scrubber: a slider whose track shows what every frame places.

use std::rc::Rc;

use web_sys::HtmlElement;
use yew::prelude::*;

use crate::app::browser::canvas::{Repaint, paint, use_size, with_palette};
use crate::app::browser::dom::capture;
use crate::app::context::{Dark, Page, use_page};
use crate::app::plan::style::style_of;
use crate::app::state::action::{Action, StepAction};
use crate::base::Message;
use crate::scene::{self, ScrubberScale};

/// The scrubber: a slider whose track shows what every frame places.
#[component]
pub fn Scrubber() -> Html {
    let page = use_page();
    let (host, node) = (use_node_ref(), use_node_ref());
    let size = use_size(host.clone());
    let dark = use_context::<Dark>().is_some_and(|dark| dark.0);
    let repaint = use_mut_ref(Repaint::default);
    let held = use_mut_ref(|| false);
    let state = page.state.clone();
    let (frame, frames) = (state.frame(), state.frames());
    let run = state.document.run.clone();
    if let Some(run) = run.clone().filter(|_| size.0 > 0.0) {
        let style = style_of(&page, &run);
        let breaks: Vec<u32> = state
            .stepping
            .breaks
            .decisions
            .iter()
            .filter_map(|&decision| run.timeline.decisions.get(decision as usize))
            .map(|decision| run.timeline.frame_at(state.stepping.level, decision.end))
            .collect();
        let (node, level) = (node.clone(), state.stepping.level);
        repaint.borrow().ask(move || {
            let scene = scene::scrubber(&run, level, frame, size, &style, &breaks);
            with_palette(dark, |palette| paint(&node, &scene, size, palette));
        });
    }
    let seek = {
        let (page, run, track) = (page.clone(), run.clone(), host.clone());
        Rc::new(move |event: &PointerEvent| {
            let Some(run) = &run else { return };
            let Some(element) = track.cast::<HtmlElement>() else { return };
            let x = event.client_x() as f64 - element.get_bounding_client_rect().left();
            let style = style_of(&page, run);
            page.send.emit(Action::Step(StepAction::Seek(
                ScrubberScale::new(run, page.state.stepping.level, size, &style).frame_at(x),
            )));
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
    let onkeydown = keys(&page);
    html! {
        <div class="scrubber" ref={host} role="slider" tabindex="0" aria-label={page.word("step.scrubber")} aria-valuemin="0"
            aria-valuemax={(frames - 1).to_string()} aria-valuenow={frame.to_string()} aria-valuetext={spoken(&page)}
            {onpointerdown} {onpointermove} {onpointerup} {onkeydown}>
            <canvas ref={node} aria-hidden="true"></canvas>
        </div>
    }
}

/// Arrows up and down go a frame, the page keys a tenth of the run.
fn keys(page: &Page) -> Callback<KeyboardEvent> {
    let (frame, frames) = (page.state.frame(), page.state.frames());
    let send = page.send.clone();
    Callback::from(move |event: KeyboardEvent| {
        let by = (frames / 10).max(1);
        let to = match event.key().as_str() {
            "ArrowUp" => (frame + 1).min(frames - 1),
            "ArrowDown" => frame.saturating_sub(1),
            "PageUp" => (frame + by).min(frames - 1),
            "PageDown" => frame.saturating_sub(by),
            _ => return,
        };
        event.prevent_default();
        send.emit(Action::Step(StepAction::Seek(to)));
    })
}

/// The frame in words, with the buffer that it places.
fn spoken(page: &Page) -> String {
    let run = page.state.document.run.as_ref();
    let focus = page.frame.as_ref().zip(run).and_then(|(frame, run)| Some(&run.problem.buffers[frame.focus?].name));
    let value = Message::new(if focus.is_some() { "aria.frame-placing" } else { "aria.frame" })
        .count("frame", page.state.frame())
        .count("frames", page.state.frames() - 1);
    page.speech().say(&match focus {
        Some(name) => value.text("name", name.clone()),
        None => value,
    })
}
