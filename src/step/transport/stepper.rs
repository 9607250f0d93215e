//! The stepper: transport, detail level, run to, speed, and the scrubber.

use yew::prelude::*;

use crate::context::keys::shortcuts;
use crate::context::names::cut_name;
use crate::context::{Layout, Page};
use crate::plan::style::style_of;
use crate::shell::state::action::{Action, Motion, StepAction};
use crate::shell::state::keys::Command;
use crate::shell::state::panels::Mode;
use crate::step::state::speeds::SPEEDS;
use crate::step::transport::levels::{level_list, levels};
use crate::step::transport::predict_button::predict_button;
use crate::step::transport::run_to::run_to;
use crate::step::transport::scrubber::Scrubber;
use crate::widgets::button::IconButton;
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::decimal;
use memplan_core::trace::Outcome;

pub fn stepper(page: &Page) -> Html {
    let state = page.state.clone();
    let (frame, last) = (state.frame(), state.frames() - 1);
    let (line_before, line_after) = state.steps_in_lines();
    // What the reader has packed has no moments.
    let is_own = state.is_packing();
    let narrow = page.layout == Layout::Narrow;
    let focus = page.frame.as_ref().zip(state.document.run.as_ref()).and_then(|(frame, run)| {
        Some((run.label(frame.focus?).to_string(), run.problem.buffers[frame.focus?].name.clone()))
    });
    let keys = |command: Command| shortcuts(command, state.settings.single_keys);
    let button = |icon: Icon, key: &str, (motion, command): (Motion, Command), off: bool| {
        let name = page.word(key);
        html! {
            <IconButton name={name} icon={icon} keys={keys(command)} disabled={off || is_own} onclick={page.on(move || Action::Step(StepAction::Move(motion)))} />
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
        <section class={classes!("stepper", is_own.then_some("own"))} id="region-stepper" tabindex="-1" aria-label={page.word("step.title")}>
            <div class="transport">
                <div class={classes!("counter", (last > 9_999).then_some("long"))}>if !is_own { <b>{ frame }{ " / " }{ last }</b> }
                    if let Some(next) = state.document.run.as_ref().and_then(|run| Some(run.label(state.asked_buffer(run)?).to_string())) {
                        <span class="cut">{ page.word("predict.next") }{ " " }<em>{ next }</em></span>
                    } else if let Some((label, name)) = focus.filter(|_| !is_own) {
                        <span class="cut" title={format!("{} {name}", page.word("step.placing"))}><em>{ cut_name(&label, &name) }</em></span>
                    }
                </div>
                <div class="controls" role="group" aria-label={page.word("step.controls")}>
                    if !narrow {
                        { button(Icon::First, "step.first", (Motion::First, Command::First), frame == 0) }
                        { button(Icon::PreviousBuffer, "step.previous-buffer", (Motion::PreviousBuffer, Command::PreviousBuffer), frame == 0) }
                    }
                    { button(Icon::Previous, "step.previous", (Motion::Previous, Command::Previous), frame == 0 && !line_before) }
                    <button type="button" class="btn play" aria-label={play_name.clone()} title={play_name} aria-keyshortcuts={keys(Command::Play)}
                        disabled={last == 0 || state.predicting.on || is_own} onclick={page.on(move || Action::Step(StepAction::Play(!playing)))}>
                        { glyph(if playing { Icon::Pause } else { Icon::Play }) }
                    </button>
                    { button(Icon::Next, "step.next", (Motion::Next, Command::Next), frame == last && !line_after) }
                    if !narrow {
                        { button(Icon::NextBuffer, "step.next-buffer", (Motion::NextBuffer, Command::NextBuffer), frame == last) }
                        { button(Icon::Last, "step.last", (Motion::Last, Command::Last), frame == last) }
                    }
                    if narrow { { predict_button(page, false) } }
                </div>
                if !narrow && state.view.mode == Mode::Learn { { marks(page) } }
                if !narrow && state.view.mode != Mode::Learn && state.teaching.assigned.is_none() {
                    <div class="extras">
                        { predict_button(page, page.layout == Layout::Wide && state.predicting.on) }
                        if page.layout == Layout::Wide && !state.predicting.on { { levels(page) } }
                        // Elsewhere they stand beside the tabs of the drawer, where there is room.
                        if page.layout == Layout::Middle && !state.predicting.on && (page.beside || page.state.view.mode == Mode::Edit) { { level_list(page) } }
                        // While questions are asked nothing plays, and nothing shows where
                        // something will happen.
                        if !state.predicting.on { { run_to(page) }
                        <select key={state.stepping.speed.to_string()} class="small" aria-label={page.word("step.speed")} onchange={onspeed}>
                            { for SPEEDS.iter().map(|speed| html! {
                                <option value={speed.to_string()} selected={*speed == state.stepping.speed}>{ format!("{speed}×") }</option>
                            }) }
                        </select> }
                    </div>
                }
            </div>
            <Scrubber />
        </section>
    }
}

/// What the marks over the scrubber mean, as far as the run has them.
fn marks(page: &Page) -> Html {
    let Some(run) = &page.state.document.run else { return Html::default() };
    // Beside a lesson that has not come to the peak there are none.
    if !style_of(page, run).show_peak {
        return Html::default();
    }
    let has_pools = run.plan.pools.len() > 1;
    let decisions = &run.timeline.decisions;
    let marks = [
        ("mark.key.growth", decisions.iter().any(|decision| decision.grew)),
        ("mark.key.pool", has_pools && decisions.iter().any(|decision| decision.opens_pool())),
        ("mark.key.split", decisions.iter().any(|decision| decision.outcome == Outcome::Split)),
    ];
    html! {
        <div class="extras marks-key">{ for marks.into_iter().filter(|(_, is_there)| *is_there).map(|(key, _)| html! {
            <span>{ page.word(key) }</span>
        }) }</div>
    }
}
