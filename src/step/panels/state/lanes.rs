//! The states of a beam as thumbnails that open on the plan, and the line that names the open one.

use yew::prelude::*;

use crate::context::Page;
use crate::shell::state::action::{Action, StepAction};
use crate::shell::state::look::LaneShown;
use memplan_core::base::Message;
use memplan_replay::panel::Lane;
use memplan_replay::{Frame, Run};

/// A thumbnail a state; pressing it shows the state on the plan, pressing it again goes back.
pub fn lanes(page: &Page, run: &Run, frame: &Frame, held: &[Lane]) -> Html {
    let steps = run.problem.steps.max(1) as f64;
    let top = |lane: &Lane| lane.places.iter().map(|&(id, offset)| offset + run.problem.buffers[id].size).max();
    let peak = held.iter().filter_map(top).max().unwrap_or(1).max(1) as f64;
    let about = page.word("lane.show");
    html! { <ol class="lanes">
        { for held.iter().enumerate().map(|(index, lane)| {
            let shown = LaneShown { events: frame.events, index: index as u32 };
            let open = page.state.stepping.lane == Some(shown);
            html! {
                <li class={classes!("lane", lane.current.then_some("current"), lane.pruned.is_some().then_some("faded"))}>
                    <button type="button" aria-pressed={open.to_string()} title={about.clone()}
                        onclick={page.on(move || Action::Step(StepAction::Lane((!open).then_some(shown))))}>
                        <svg viewBox="0 0 100 50" preserveAspectRatio="none" aria-hidden="true">
                            { for lane.places.iter().map(|&(id, offset)| {
                                let buffer = &run.problem.buffers[id];
                                let (x, width) = (buffer.live.start as f64 / steps * 100.0, buffer.live.len() as f64 / steps * 100.0);
                                let (height, bottom) = (buffer.size as f64 / peak * 50.0, offset as f64 / peak * 50.0);
                                html! { <rect x={x.to_string()} width={width.to_string()} y={(50.0 - bottom - height).to_string()} height={height.to_string()} /> }
                            }) }
                        </svg>
                        <span>{ page.speech().say(&lane.title) }
                            if let Some(parent) = lane.parent {
                                <span class="muted">{ " " }{ page.speech().say(&Message::new("panel.lane.parent").count("parent", parent as u64)) }</span>
                            }
                            if let Some(pruned) = &lane.pruned { <span class="muted">{ " " }{ page.speech().say(pruned) }</span> }
                        </span>
                    </button>
                </li>
            }
        }) }
    </ol> }
}
