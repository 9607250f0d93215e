use std::rc::Rc;

use yew::prelude::*;

use crate::app::context::Page;
use crate::app::state::action::{Action, StepAction};
use crate::base::Message;
use crate::replay::Frame;
use crate::replay::panel::opened;

/// The state that the plan shows in place of its own: its name and its frame.
pub struct Opened {
    pub title: Message,
    pub frame: Rc<Frame>,
}

/// The open state, made anew only when another is opened.
#[hook]
pub fn use_opened(page: &Page) -> Rc<Option<Opened>> {
    let (run, lane) = (page.state.document.run.clone(), page.state.stepping.lane);
    let key = (run.as_ref().map(|run| Rc::as_ptr(run) as usize), lane);
    use_memo(key, move |_| {
        let (run, lane) = run.zip(lane)?;
        let (title, frame) = opened(&run, &run.frame(lane.events), lane.index as usize)?;
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
