//! What the parts of the state panel have in common: which moment is shown, the switch to the frame
//! before, the filter and the copy.

use serde_json::{Map, Value};
use yew::prelude::*;

use crate::context::{Page, clipboard};
use crate::shell::state::action::{Action, ViewAction};
use crate::shell::state::look::Switch;
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Message;
use memplan_formats::export::json::pretty;

/// Whether the panel shows the frame before.
pub fn shows_before(page: &Page) -> bool {
    page.state.view.look.before && page.state.cursor_before().is_some()
}

/// The words in the head of a part. Heads and filters are functions: a component each would weigh
/// more than it draws.
#[derive(Default)]
pub struct Head<'a> {
    pub title: &'a str,
    /// More about the moment, such as that addresses may still move.
    pub remark: Option<String>,
    /// A part that belongs to this frame's request alone is marked as such and has no switch.
    pub at_request: bool,
    /// None where there is nothing to copy.
    pub oncopy: Option<Callback<MouseEvent>>,
}

/// Title, moment, switch and copy.
pub fn head(page: &Page, props: Head) -> Html {
    let before = shows_before(page);
    let moment = if props.at_request {
        page.word("panel.at-request")
    } else if before {
        page.speech().say(&Message::new("panel.before-frame").count("frame", page.state.frame() - 1))
    } else {
        page.word("tree.after")
    };
    let moment = match &props.remark {
        Some(remark) => format!("{moment} · {remark}"),
        None => moment,
    };
    let copy = page.word("panel.copy");
    html! {
        <div class="panel-title">
            <h2>{ props.title }</h2>
            <span class="muted moment" title={moment.clone()}>{ moment }</span>
            <span class="grow"></span>
            if !props.at_request {
                <button type="button" class={classes!("btn", "before", before.then_some("on"))} aria-pressed={before.to_string()}
                    title={page.word("panel.before-title")} disabled={page.state.cursor_before().is_none()}
                    onclick={page.on(|| Action::View(ViewAction::Switch(Switch::Before)))}>{ page.word("panel.before") }</button>
            }
            if let Some(oncopy) = &props.oncopy {
                <button type="button" class="btn icon-only copy" aria-label={copy.clone()} title={copy} onclick={oncopy}>
                    { glyph(Icon::Copy) }
                </button>
            }
        </div>
    }
}

/// Copies a part: the moment and the planner first, then what it shows.
pub fn copy_part(page: &Page, id: &str, title: &str, content: impl FnOnce() -> Map<String, Value>) {
    let Some((run, frame)) = page.state.document.run.as_ref().zip(page.frame.as_ref()) else { return };
    let mut record = content();
    let document = page.state.document.open.as_ref().map(|document| document.name.clone());
    record.insert("graph".into(), document.into());
    record.insert("planner".into(), run.planner.as_str().into());
    record.insert("level".into(), page.state.stepping.level.name().into());
    record.insert("frame".into(), run.timeline.frame_at(page.state.stepping.level, frame.events).into());
    record.insert("part".into(), id.into());
    record.insert("title".into(), title.into());
    let copied = Message::new("toast.copied-json").text("title", title);
    clipboard::copy(pretty(&Value::Object(record)), &page.send, copied);
}
