use std::rc::Rc;

use yew::prelude::*;

use crate::context::Page;
use crate::context::same::Same;
use crate::shell::state::action::{Action, StepAction};
use memplan_core::base::Message;
use memplan_replay::Frame;
use memplan_replay::panel::opened;

/// The state that the plan shows in place of its own: its name and its frame.
pub struct Opened {
    pub title: Message,
    pub frame: Rc<Frame>,
}

/// The open state, made anew only when another is opened.
#[hook]
pub fn use_opened(page: &Page) -> Rc<Option<Opened>> {
    let key = (page.state.document.run.as_ref().map(Same::from), page.state.stepping.lane);
    use_memo(key, |(run, lane)| {
        let (run, lane) = run.as_ref().zip(*lane)?;
        let (title, frame) = opened(run, &run.frame(lane.events), lane.index as usize)?;
        Some(Opened { title, frame: Rc::new(frame) })
    })
}

/// The line over the plan while it shows a state of the beam.
pub fn banner(page: &Page, opened: Option<&Opened>) -> Html {
    html! {
        <div role="status">
            if let Some(opened) = opened {
                <div class="banner" id="lane-banner">
                    <span>{ page.speech().say(&opened.title) }</span>
                    <button type="button" class="btn line" onclick={page.on(|| Action::Step(StepAction::Lane(None)))}>{ page.word("lane.back") }</button>
                </div>
            }
        </div>
    }
}
