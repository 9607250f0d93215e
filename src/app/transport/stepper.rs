//! The stepper: transport, detail level, run to, speed, and the scrubber.

use yew::prelude::*;

use crate::app::context::{Layout, Page};
use crate::app::model::speeds::SPEEDS;
use crate::app::state::action::{Action, Motion, StepAction};
use crate::app::transport::levels::levels;
use crate::app::transport::run_to::run_to;
use crate::app::transport::scrubber::Scrubber;
use crate::app::widgets::icons::{Icon, glyph};
use crate::base::decimal;

pub fn stepper(page: &Page) -> Html {
    let state = page.state.clone();
    let (frame, last) = (state.frame(), state.frames() - 1);
    let narrow = page.layout == Layout::Narrow;
    let focus = page
        .frame
        .as_ref()
        .zip(state.document.run.as_ref())
        .and_then(|(frame, run)| Some(run.problem.buffers[frame.focus?].name.clone()));
    let button = |icon: Icon, key: &str, motion: Motion, off: bool| {
        let name = page.word(key);
        html! {
            <button type="button" class="btn icon-only" aria-label={name.clone()} title={name} disabled={off}
                onclick={page.on(move || Action::Step(StepAction::Move(motion)))}>{ glyph(icon) }</button>
        }
    };
    let play_name = page.word(if state.stepping.playing { "step.pause" } else { "step.play" });
    let playing = state.stepping.playing;
    let onspeed = {
        let send = page.send.clone();
        Callback::from(move |event: Event| {
            let value = event.target_unchecked_into::<web_sys::HtmlSelectElement>().value();
            send.emit(Action::Step(StepAction::Speed(decimal(&value).unwrap_or(1.0))));
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
                        disabled={last == 0} onclick={page.on(move || Action::Step(StepAction::Play(!playing)))}>
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
                        <select key={state.stepping.speed.to_string()} class="small" aria-label={page.word("step.speed")} onchange={onspeed}>
                            { for SPEEDS.iter().map(|speed| html! {
                                <option value={speed.to_string()} selected={*speed == state.stepping.speed}>{ format!("{speed}×") }</option>
                            }) }
                        </select>
                    </div>
                }
            </div>
            <Scrubber />
        </section>
    }
}
