//! Faults and progress, shown where they can be acted on; the last good picture stays below.

use gloo_timers::callback::Timeout;
use yew::prelude::*;

use super::icons::{Glyph, Icon};
use super::sentence::words;
use super::use_page;
use crate::app::hooks::{discard, until_then};
use crate::app::state::{Action, Recovery};
use crate::base::Message;

/// Faults listed at once.
const MAX_FAULTS: usize = 100;

#[component]
pub fn Notices() -> Html {
    let page = use_page();
    let state = page.state.clone();
    let close = page.word("notice.dismiss");
    let hidden = state.notice.as_ref().map_or(0, |notice| notice.faults.len().saturating_sub(MAX_FAULTS)) as u64;
    html! { <>
        <Working />
        if let Some(recovery) = state.recovery.clone() {
            <div class="notice" role="status" id="recovery">
                <Glyph icon={Icon::Warning} />
                <div class="notice-body"><b>{ words(&page, &Message::new("recovery.found").text("name", &recovery.name)) }</b></div>
                <button type="button" class="btn line" id="recover" onclick={page.on(move || {
                    let Recovery { name, draft } = (*recovery).clone();
                    Action::Recover { name, draft: Box::new(draft) }
                })}>{ page.word("recovery.recover") }</button>
                <button type="button" class="btn line" id="discard" onclick={
                    let send = page.send.clone();
                    Callback::from(move |_: MouseEvent| discard(send.clone()))
                }>{ page.word("recovery.discard") }</button>
            </div>
        }
        if let Some(notice) = state.notice.clone() {
            <div class="notice error" role="alert" id="notice">
                <Glyph icon={Icon::Warning} />
                <div class="notice-body">
                    <b>{ words(&page, &notice.title) }</b>
                    if !notice.faults.is_empty() {
                        <ul class="faults">{ for notice.faults.iter().take(MAX_FAULTS).map(|fault| html! {
                            <li>if !fault.path.is_empty() { <code>{ &fault.path }</code>{ " " } }{ words(&page, &fault.message) }</li>
                        }) }</ul>
                        if hidden > 0 { <p>{ page.speech().say(&Message::new("notice.more").count("n", hidden)) }</p> }
                    }
                    if state.run.is_some() && !notice.faults.is_empty() { <p class="muted">{ page.word("notice.kept") }</p> }
                </div>
                <button type="button" class="btn icon-only" aria-label={close.clone()} title={close} onclick={page.on(|| Action::DismissNotice)}>
                    <Glyph icon={Icon::Close} />
                </button>
            </div>
        }
        if !state.violations.is_empty() {
            <div class="notice error" role="alert" id="violations">
                <Glyph icon={Icon::Warning} />
                <div class="notice-body">
                    <b>{ page.speech().say(&Message::new("notice.invalid").count("n", state.violations.len() as u64)) }</b>
                    <ul class="faults">{ for state.violations.iter().take(MAX_FAULTS).map(|message| html! { <li>{ words(&page, message) }</li> }) }</ul>
                </div>
            </div>
        }
        if let Some(run) = state.run.as_ref().filter(|run| !run.plan.quirks.is_empty()) {
            <div class="notice" role="status" id="quirks">
                <Glyph icon={Icon::Warning} />
                <div class="notice-body">
                    <b>{ page.speech().say(&Message::new("notice.quirks").count("n", run.plan.quirks.len() as u64)) }</b>
                    <ul class="faults">{ for run.plan.quirks.iter().take(MAX_FAULTS).map(|quirk| html! {
                        <li>{ words(&page, &quirk.message(&run.problem)) }</li>
                    }) }</ul>
                </div>
            </div>
        }
    </> }
}

/// The bar of a job that takes longer than a blink, with Cancel.
#[component]
fn Working() -> Html {
    let page = use_page();
    let number = page.state.job.as_ref().map(|job| job.number);
    let slow = use_state_eq(|| None::<u32>);
    {
        let slow = slow.setter();
        use_effect_with(number, move |number| {
            let number = *number;
            // Shown only when it takes longer than a blink.
            until_then(number.map(|number| Timeout::new(150, move || slow.set(Some(number)))))
        });
    }
    if number.is_none() || *slow != number {
        return Html::default();
    }
    let progress = page.state.progress.filter(|progress| progress.total > 0);
    let share = progress.map(|progress| 100.0 * progress.done as f64 / progress.total as f64);
    let label = match progress {
        Some(progress) => page
            .speech()
            .say(&Message::new("working.planning").count("done", progress.done).count("total", progress.total)),
        None => page.word("working.reading"),
    };
    html! {
        <div class="notice working" role="status">
            <span>{ label.clone() }</span>
            <progress max="100" value={share.map(|share| format!("{share:.1}"))} aria-label={label}></progress>
            <button type="button" class="btn line" onclick={page.on(|| Action::Cancel)}>{ page.word("working.cancel") }</button>
        </div>
    }
}

/// The frame around the window while a file is dragged over it.
#[component]
pub fn DropFrame() -> Html {
    let page = use_page();
    html! { <div class="drop-frame"><div><b>{ page.word("drop.here") }</b><p>{ page.word("files.formats") }</p></div></div> }
}

/// A confirmation of something that cannot be seen; it goes by itself.
#[component]
pub fn Toast() -> Html {
    let page = use_page();
    let shown = page.state.toast.clone();
    let number = shown.as_ref().map(|(number, _)| *number);
    {
        let send = page.send.clone();
        use_effect_with(number, move |number| {
            let number = *number;
            until_then(number.map(|number| Timeout::new(5000, move || send.emit(Action::ToastOver(number)))))
        });
    }
    html! {
        <div class="toast-place" role="status">
            if let Some((_, message)) = shown { <div class="toast">{ words(&page, &message) }</div> }
        </div>
    }
}
