//! The scrubber: a slider whose track shows what every frame places.

use std::rc::Rc;

use web_sys::HtmlElement;
use yew::prelude::*;

use crate::browser::canvas::{Repaint, paint, use_size, with_palette};
use crate::browser::css;
use crate::browser::dom::capture;
use crate::context::same::Same;
use crate::context::{Dark, Page, use_page};
use crate::plan::style::style_of;
use crate::shell::state::action::{Action, StepAction};
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Message;
use memplan_replay::Run;
use memplan_scene::{ScrubberBars, ScrubberMark, ScrubberScale};
use memplan_teach::exercise::Answer;

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
    // What comes gives answers away where an exercise is open.
    let known = if state.keeps_figures_back() { frame } else { u32::MAX };
    let run = state.document.run.clone();
    let style = run.as_ref().map(|run| style_of(&page, run));
    let looks = style.as_ref().map(|style| (style.narrow, style.show_peak));
    let key = (run.as_ref().map(Same::from), state.stepping.level, size, looks);
    // Hundreds of thousands of frames are gone through once, and not at every step.
    let bars = use_memo(key, move |(run, level, size, _)| {
        let (run, style) = run.as_ref().zip(style).filter(|_| size.0 > 0.0)?;
        Some(ScrubberBars::new(run, *level, *size, &style))
    });
    if let Some(run) = run.clone().filter(|_| bars.is_some()) {
        let (node, bars, breaks) = (node.clone(), bars.clone(), breaks(&page, &run));
        repaint.borrow().ask(move || {
            let Some(scene) = (*bars).as_ref().map(|bars| bars.scene(frame, known, &breaks)) else { return };
            with_palette(dark, |palette| paint(&node, scene, size, palette));
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
    let pointed = use_state_eq(|| None::<(u32, u32)>);
    let onpointermove = {
        let (held, pointed, bars, track) = (held.clone(), pointed.clone(), bars.clone(), host.clone());
        Callback::from(move |event: PointerEvent| {
            if *held.borrow() {
                seek(&event);
            }
            pointed
                .set((*bars).as_ref().and_then(|bars| mark_under(bars, known, &track, &event)).map(|mark| mark.frames));
        })
    };
    let onpointerleave = {
        let pointed = pointed.clone();
        Callback::from(move |_: PointerEvent| pointed.set(None))
    };
    let onpointerup = Callback::from(move |_: PointerEvent| *held.borrow_mut() = false);
    let onkeydown = keys(&page);
    html! {
        <div class="scrubber" ref={host} role="slider" tabindex="0" aria-label={page.word("step.scrubber")} aria-valuemin="0"
            aria-valuemax={(frames - 1).to_string()} aria-valuenow={frame.to_string()} aria-valuetext={spoken(&page)}
            {onpointerdown} {onpointermove} {onpointerup} {onpointerleave} {onkeydown}>
            <canvas ref={node} aria-hidden="true"></canvas>
            if let Some(run) = run.as_ref().filter(|_| state.predicting.on) { { answers(&page, run, size) } }
            if let Some((run, bars)) = run.as_ref().zip((*bars).as_ref()).filter(|_| pointed.is_some()) { { tip(&page, run, bars, size, pointed.filter(|at| at.1 <= known)) } }
        </div>
    }
}

/// Frames at which the reader stops.
fn breaks(page: &Page, run: &Run) -> Vec<u32> {
    let stepping = &page.state.stepping;
    let decisions = stepping.breaks.decisions.iter();
    decisions
        .filter_map(|&decision| run.timeline.decisions.get(decision as usize))
        .map(|decision| run.timeline.frame_at(stepping.level, decision.end))
        .collect()
}

/// Least distance of two answers, in px.
const ANSWER_PITCH: f64 = 12.0;

/// A check or a cross over every frame that was asked about.
fn answers(page: &Page, run: &Run, size: (f64, f64)) -> Html {
    let scale = ScrubberScale::new(run, page.state.stepping.level, size, &style_of(page, run));
    if size.0 <= 0.0 || scale.pitch() < ANSWER_PITCH {
        return Html::default();
    }
    let mark = |(&decision, answer): (&u32, &Answer)| {
        let (class, icon) = if answer.is_right() { ("right", Icon::Check) } else { ("wrong", Icon::Close) };
        let left = format!("left:{}px", scale.frame_to_x(decision + 1));
        html! { <i class={classes!("answer-mark", class)} ~style={css(left)} data-frame={(decision + 1).to_string()}>{ glyph(icon) }</i> }
    };
    html! { <span aria-hidden="true">{ for page.state.predicting.answers.iter().map(mark) }</span> }
}

/// How far beside a mark a pointer still finds it, in px.
const REACH: f64 = 6.0;

/// The nearest mark within reach of the pointer.
fn mark_under(bars: &ScrubberBars, known: u32, track: &NodeRef, event: &PointerEvent) -> Option<ScrubberMark> {
    let x = event.client_x() as f64 - track.cast::<HtmlElement>()?.get_bounding_client_rect().left();
    let near = bars.marks_until(known).copied().filter(|mark| (mark.at.0 - x).abs() <= REACH);
    near.min_by(|a, b| (a.at.0 - x).abs().total_cmp(&(b.at.0 - x).abs()))
}

/// What the mark over some frames means, above it.
fn tip(page: &Page, run: &Run, bars: &ScrubberBars, size: (f64, f64), frames: Option<(u32, u32)>) -> Html {
    let Some(mark) = bars.marks_until(u32::MAX).find(|mark| Some(mark.frames) == frames) else {
        return Html::default();
    };
    let (first, last) = mark.frames;
    let speech = page.speech();
    let happens = mark.happens;
    let counted = [("mark.growth", happens.growths), ("mark.pool", happens.pools), ("mark.split", happens.splits)];
    let counted = counted.into_iter().filter(|(_, count)| *count > 0);
    let events = run.timeline.events_at(page.state.stepping.level, last);
    let decision = run.timeline.decision_at(events).map(|index| run.timeline.decisions[index]);
    let place = decision.filter(|_| first == last).map(|decision| {
        let buffer = &run.problem.buffers[decision.buffer];
        format!("{} \u{b7} {}", buffer.name, speech.bytes(buffer.size))
    });
    let key = if first == last { "mark.frame" } else { "mark.frames" };
    let title = speech.say(&Message::new(key).count("frame", first).count("last", last));
    let side = if mark.at.0 > size.0 / 2.0 {
        format!("right:{}px", size.0 - mark.at.0)
    } else {
        format!("left:{}px", mark.at.0)
    };
    html! {
        <div class="tooltip above" role="tooltip" ~style={css(side)}>
            <b>{ title }</b>
            if let Some(place) = place { <span class="muted">{ place }</span> }
            { for counted.map(|(key, count)| html! {
                <span>{ speech.say(&Message::new(key).count("n", count).bytes("peak", decision.map_or(0, |decision| decision.peak))) }</span>
            }) }
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
