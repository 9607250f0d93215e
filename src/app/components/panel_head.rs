//! What the parts of the state panel have in common: which moment is shown, the switch to the frame before, the filter
//! and the copy.

use serde_json::{Map, Value};
use yew::prelude::*;

use super::icons::{Glyph, Icon};
use super::{Page, clipboard, use_page};
use crate::app::state::{Action, Switch};
use crate::base::Message;

/// Fewest rows that a filter is offered for: fewer are seen at a glance.
const WORTH_FILTERING: usize = 9;

/// Whether the panel shows the frame before.
pub fn shows_before(page: &Page) -> bool {
    page.state.look.before && page.state.cursor_before().is_some()
}

#[derive(Properties, PartialEq)]
pub struct HeadProps {
    pub title: AttrValue,
    /// More about the moment, such as that addresses may still move.
    #[prop_or_default]
    pub remark: Option<AttrValue>,
    /// A part that belongs to this frame's request alone says so and has no switch.
    #[prop_or_default]
    pub at_request: bool,
    /// None where there is nothing to copy.
    #[prop_or_default]
    pub oncopy: Option<Callback<MouseEvent>>,
}

/// Title, moment, switch and copy.
#[component]
pub fn Head(props: &HeadProps) -> Html {
    let page = use_page();
    let before = shows_before(&page);
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
            <h2>{ &props.title }</h2>
            <span class="muted moment" title={moment.clone()}>{ moment }</span>
            <span class="grow"></span>
            if !props.at_request {
                <button type="button" class={classes!("btn", "before", before.then_some("on"))} aria-pressed={before.to_string()}
                    title={page.word("panel.before-title")} disabled={page.state.cursor_before().is_none()}
                    onclick={page.on(|| Action::Switch(Switch::Before))}>{ page.word("panel.before") }</button>
            }
            if let Some(oncopy) = &props.oncopy {
                <button type="button" class="btn icon-only copy" aria-label={copy.clone()} title={copy} onclick={oncopy}>
                    <Glyph icon={Icon::Copy} />
                </button>
            }
        </div>
    }
}

/// Copies a part: the moment and the planner first, then what it shows.
pub fn copy_part(page: &Page, id: &str, title: &str, content: impl FnOnce() -> Map<String, Value>) {
    let Some((run, frame)) = page.state.run.as_ref().zip(page.frame.as_ref()) else { return };
    let mut record = content();
    let document = page.state.document.as_ref().map(|document| document.name.clone());
    record.insert("graph".into(), document.into());
    record.insert("planner".into(), run.planner.as_str().into());
    record.insert("level".into(), page.state.level.name().into());
    record.insert("frame".into(), run.timeline.frame_at(page.state.level, frame.events).into());
    record.insert("part".into(), id.into());
    record.insert("title".into(), title.into());
    // Plain values have a JSON form.
    let text = serde_json::to_string_pretty(&record).unwrap_or_default();
    let copied = Message::new("toast.copied-json").text("title", title);
    clipboard::copy(text, &page.send, copied, Message::new("toast.json-not-copied"));
}

#[derive(Properties, PartialEq)]
pub struct FilterProps {
    pub id: &'static str,
    pub label: AttrValue,
    pub text: AttrValue,
    pub onfilter: Callback<String>,
    /// Rows that pass, and all there are.
    pub shown: usize,
    pub all: usize,
    /// Offered even for a few rows.
    #[prop_or_default]
    pub always: bool,
}

/// The box that leaves only the rows that say something. Escape clears it before it does anything else.
#[component]
pub fn Filter(props: &FilterProps) -> Html {
    let page = use_page();
    if props.all < WORTH_FILTERING && props.text.is_empty() && !props.always {
        return Html::default();
    }
    let oninput = {
        let onfilter = props.onfilter.clone();
        Callback::from(move |event: InputEvent| {
            onfilter.emit(event.target_unchecked_into::<web_sys::HtmlInputElement>().value())
        })
    };
    let onkeydown = {
        let (onfilter, empty) = (props.onfilter.clone(), props.text.is_empty());
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" && !empty {
                event.prevent_default();
                event.stop_propagation();
                onfilter.emit(String::new());
            }
        })
    };
    let count = page
        .speech()
        .say(&Message::new("panel.filtered").count("shown", props.shown as u64).count("all", props.all as u64));
    let about = format!("{}-count", props.id);
    html! {
        <div class="filter">
            <input id={props.id} type="search" autocomplete="off" spellcheck="false" placeholder={props.label.clone()}
                aria-label={props.label.clone()} aria-describedby={about.clone()} value={props.text.clone()} {oninput} {onkeydown} />
            <span class="muted num" id={about}>{ count }</span>
        </div>
    }
}
