//! Faults and progress, shown where they can be acted on; the last good picture stays below.

use yew::prelude::*;

use crate::browser::dom::{by_id, focus_element, until_then};
use crate::browser::later::once_drawn;
use crate::chrome::drafts::drafts;
use crate::chrome::link_programs::link_programs;
use crate::chrome::newer::newer;
use crate::context::sentence::{words, words_with_code};
use crate::context::{Page, use_page, use_progress};
use crate::open::state::remote::short;
use crate::open::state::sites::RemoteChange;
use crate::open::state::{OPENS_VIOLATIONS, VIOLATIONS};
use crate::shell::state::action::{Action, DocumentAction, ViewAction};
use crate::shell::state::panels::{Mode, Overlay};
use crate::widgets::button::IconButton;
use crate::widgets::icons::{Icon, glyph};
use gloo_timers::callback::Timeout;
use memplan_core::base::Message;
use memplan_core::graph::Fault;
use memplan_formats::import::Question;
use memplan_planners as planner;
use memplan_replay::cautions;

/// Faults listed at once.
const MAX_FAULTS: usize = 100;

pub fn notices(page: &Page) -> Html {
    let state = page.state.clone();
    let close = page.word("notice.dismiss");
    let hidden =
        state.document.notice.as_ref().map_or(0, |notice| notice.faults.len().saturating_sub(MAX_FAULTS)) as u64;
    // A reader stops at some number of faults.
    let is_cut =
        state.document.notice.as_ref().is_some_and(|notice| notice.faults.last().is_some_and(Fault::stands_for_more));
    let more = if is_cut { "notice.more-at-least" } else { "notice.more" };
    let cautions = state.document.run.as_deref().map_or_else(Vec::new, cautions);
    html! { <>
        <Working />
        { newer(page) }
        { drafts(page) }
        { address(page) }
        { link_programs(page) }
        if let Some(notice) = state.document.notice.clone() {
            <div class={classes!("notice", (!notice.quiet).then_some("error"))} role={if notice.quiet { "status" } else { "alert" }} id="notice">
                { glyph(if notice.quiet { Icon::Flag } else { Icon::Warning }) }
                <div class="notice-body">
                    <b>{ words_with_code(page, &notice.title) }</b>
                    if !notice.faults.is_empty() {
                        <ul class="faults">{ for notice.faults.iter().take(MAX_FAULTS).map(|fault| html! {
                            <li>if !fault.path.is_empty() { <code>{ &fault.path }</code>{ " " } }{ words(page, &fault.message) }</li>
                        }) }</ul>
                        if hidden > 0 { <p>{ page.speech().say(&Message::new(more).count("n", hidden)) }</p> }
                    }
                    if state.document.run.is_some() && !notice.conflict.is_empty() { <p class="muted" id="conflict">{ page.word("notice.conflict") }</p> }
                    if state.document.notice.as_ref().is_some_and(|notice| notice.large.is_some()) {
                        <p><button type="button" class="btn line" id="open-anyway" onclick={page.on(|| Action::Document(DocumentAction::OpenLarge))}>{ page.word("notice.open-anyway") }</button></p>
                    }
                    if state.document.run.is_some() && !notice.faults.is_empty() { <p class="muted">{ page.word("notice.kept") }</p> }
                </div>
                <IconButton name={close} icon={Icon::Close} onclick={page.on(|| Action::Document(DocumentAction::DismissNotice))} />
            </div>
        }
        // Compare shows plans, not how the file was read.
        if state.view.mode.in_header() != Mode::Compare { { remarks(page) } }
        if let Some(why) = state.document.run.as_ref().and_then(|run| run.plan.misreading.as_ref()) {
            <div class="notice" role="alert" id="misread">
                { glyph(Icon::Warning) }
                <div class="notice-body"><p>{ words(page, why) }</p></div>
            </div>
        }
        if !state.document.violations.is_empty() && !state.document.hides_violations {
            <div class="notice error" role="alert" id={VIOLATIONS} tabindex="-1" onkeydown={closes_by_escape(page)}>
                { glyph(Icon::Warning) }
                <div class="notice-body">
                    <b>{ page.speech().say(&invalid(page)) }</b>
                    <ul class="faults">{ for state.document.violations.iter().take(MAX_FAULTS).map(|message| html! { <li>{ words(page, message) }</li> }) }</ul>
                </div>
                <IconButton name={page.word("notice.dismiss")} icon={Icon::Close} id="violations-close" onclick={close_violations(page).reform(|_: MouseEvent| ())} />
            </div>
        }
        if !cautions.is_empty() {
            <div class="notice" role="status" id="cautions">
                { glyph(Icon::Warning) }
                <div class="notice-body">
                    <ul class="faults">{ for cautions.iter().take(MAX_FAULTS).map(|caution| html! { <li>{ words(page, caution) }</li> }) }</ul>
                    if cautions.len() > MAX_FAULTS {
                        <p>{ page.speech().say(&Message::new("notice.more").count("n", cautions.len() - MAX_FAULTS)) }</p>
                    }
                </div>
            </div>
        }
        if let Some(run) = state.document.run.as_ref().filter(|run| !run.plan.quirks.is_empty()) {
            <div class="notice" role="status" id="quirks">
                { glyph(Icon::Warning) }
                <div class="notice-body">
                    <b>{ page.speech().say(&Message::new("notice.quirks").count("n", run.plan.quirks.len() as u64)) }</b>
                    <ul class="faults">{ for run.plan.quirks.iter().take(MAX_FAULTS).map(|quirk| html! {
                        <li>{ words(page, &quirk.message(&run.problem)) }</li>
                    }) }</ul>
                </div>
            </div>
        }
    </> }
}

/// That the plan is invalid; beside other plans, which of them.
fn invalid(page: &Page) -> Message {
    let state = &page.state;
    let is_beside = matches!(state.view.mode, Mode::Compare | Mode::Fit);
    let message = match state.document.run.as_ref().filter(|_| is_beside) {
        Some(run) => {
            let planner = planner::name_in_text(&run.planner, false, page.speech());
            Message::new("notice.invalid-of").text("planner", planner)
        }
        None => Message::new("notice.invalid"),
    };
    message.count("n", state.document.violations.len() as u64)
}

/// Closes the list of violations. The focus goes to the button that opens it again, else to the
/// plan.
fn close_violations(page: &Page) -> Callback<()> {
    let send = page.send.clone();
    Callback::from(move |()| {
        send.emit(Action::Document(DocumentAction::HideViolations(true)));
        once_drawn(|| {
            let is_closed = by_id(VIOLATIONS).is_none();
            if is_closed {
                focus_element(by_id(OPENS_VIOLATIONS).or_else(|| by_id("region-stage")));
            }
            is_closed
        });
    })
}

/// Escape inside the list of violations closes it.
fn closes_by_escape(page: &Page) -> Callback<KeyboardEvent> {
    let close = close_violations(page);
    Callback::from(move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            event.prevent_default();
            event.stop_propagation();
            close.emit(());
        }
    })
}

/// Asks before a file of another site is fetched, and shows how much of it has arrived.
fn address(page: &Page) -> Html {
    let Some(remote) = page.state.document.remote.clone() else { return Html::default() };
    let on = |change: RemoteChange| page.on(move || Action::Document(DocumentAction::Remote(change.clone())));
    let cancel = html! { <button type="button" class="btn line" id="address-cancel" onclick={on(RemoteChange::Drop)}>{ page.word("working.cancel") }</button> };
    let address = short(&remote.address);
    let Some((done, total)) = remote.coming else {
        let asks = Message::new("notice.address-asks").text("origin", remote.origin.clone().unwrap_or_default());
        return html! {
            <div class="notice" role="alert" id="address">
                { glyph(Icon::Question) }
                <div class="notice-body"><b>{ words(page, &asks) }</b><p class="muted"><code>{ address }</code></p></div>
                <button type="button" class="btn line" id="address-fetch" onclick={on(RemoteChange::Agree)}>{ page.word("notice.address-fetch") }</button>
                { cancel }
            </div>
        };
    };
    let label = match total {
        Some(total) => Message::new("working.fetching-of").bytes("done", done).bytes("total", total),
        None => Message::new("working.fetching").bytes("done", done),
    };
    let label = page.speech().say(&label.text("address", address));
    let share = total.map(|total| format!("{:.1}", 100.0 * done as f64 / total.max(1) as f64));
    html! {
        <div class="notice working" role="status" id="address">
            <span>{ label.clone() }</span>
            <progress max="100" value={share} aria-label={label}></progress>
            { cancel }
        </div>
    }
}

/// What one should know of the file just opened before trusting its figures.
fn remarks(page: &Page) -> Html {
    let Some(document) = page.state.document.open.clone().filter(|_| page.state.document.remarks) else {
        return Html::default();
    };
    let mut remarks: Vec<Message> = document.questions.iter().filter_map(remark).collect();
    let (warnings, facts) = (&document.warnings, document.facts.iter().filter(|fact| fact.key != OFFLINE));
    remarks.extend(document.facts.iter().filter(|fact| fact.key == OFFLINE).cloned());
    if document.has_plan && document.graph.is_some() {
        remarks.push(Message::new("remark.own-plan").text("format", document.format.name()));
    }
    if remarks.is_empty() && !document.is_remarkable() {
        return Html::default();
    }
    let close = page.word("notice.dismiss");
    let format = Message::new("remark.format").text("format", document.format.name());
    let counts = document.graph.as_ref().map(|graph| {
        let counts = Message::new("remark.graph").count("nodes", graph.nodes.len());
        counts.count("tensors", graph.tensors.len())
    });
    let warned = (!warnings.is_empty()).then(|| Message::new("report.warnings").count("n", warnings.len()));
    let decided = facts.clone().count();
    let chosen = (decided > 0).then(|| Message::new("remark.facts").count("n", decided));
    let head: Vec<String> =
        [Some(format), counts, warned, chosen].iter().flatten().map(|part| page.speech().say(part)).collect();
    let listed = warnings.iter().map(|fault| (fault.path.as_str(), &fault.message)).chain(facts.map(|fact| ("", fact)));
    let details = html! { <>
        { for remarks.iter().map(|remark| html! { <p>{ words(page, remark) }</p> }) }
        <ul class="faults">{ for listed.take(MAX_FAULTS).map(|(path, message)| html! {
            <li>if !path.is_empty() { <code>{ path.to_string() }</code>{ " " } }{ words(page, message) }</li>
        }) }</ul>
    </> };
    let has_details = !remarks.is_empty() || !warnings.is_empty() || decided > 0;
    html! {
        <div class="notice line" role="status" id="remarks">
            { glyph(if warnings.is_empty() { Icon::Question } else { Icon::Warning }) }
            <div class="notice-body">
                if has_details {
                    // Another document begins closed.
                    <details key={document.key.to_string()}>
                        <summary class="cut"><b>{ head.join(" · ") }</b>
                            if let Some(first) = remarks.first() { <span>{ " · " }{ page.speech().say(first) }</span> }</summary>
                        { details }
                    </details>
                } else {
                    <p class="cut"><b>{ head.join(" · ") }</b></p>
                }
            </div>
            <button type="button" class="btn line" id="remarks-report" onclick={page.on(|| Action::View(ViewAction::Overlay(Some(Overlay::Report))))}>{ page.word("header.report") }</button>
            <IconButton name={close} icon={Icon::Close} onclick={page.on(|| Action::Document(DocumentAction::DismissRemarks))} />
        </div>
    }
}

/// The fact of a memory snapshot that compares the allocator with an offline plan: it is what such
/// files are opened for.
const OFFLINE: &str = "fact.snapshot-offline";

/// The hint on an open question that is shown outside the report. How a CSV's end is meant is
/// rarely doubtful, and for tensors without a size the report opens by itself.
fn remark(question: &Question) -> Option<Message> {
    match question {
        Question::End | Question::Constants | Question::Shapes(_) => None,
        Question::Model(names) => Some(Message::new("remark.models").count("n", names.len() as u64)),
        Question::Parameters => Some(Message::new("remark.parameters")),
    }
}

/// The bar of a job that takes longer than a blink, with Cancel.
#[component]
fn Working() -> Html {
    let page = use_page();
    let progress = use_progress().filter(|progress| progress.total > 0);
    let number = page.state.job().map(|job| job.number);
    let slow = use_state_eq(|| None::<u32>);
    {
        let slow = slow.setter();
        use_effect_with(number, move |number| {
            let number = *number;
            // Shown only when it takes longer than a blink.
            until_then(number.map(|number| Timeout::new(150, move || slow.set(Some(number)))))
        });
    }
    // The list of planners and a comparison show by themselves what they still wait for.
    let task = page.state.job().and_then(|job| job.task.clone());
    let elsewhere = task
        .is_some_and(|task| task.is_quick() || matches!(page.state.view.mode, Mode::Compare | Mode::Diff | Mode::Fit));
    if number.is_none() || *slow != number || elsewhere {
        return Html::default();
    }
    let share = progress.map(|progress| 100.0 * progress.done as f64 / progress.total as f64);
    let label = match progress {
        Some(progress) => page.speech().say(
            &Message::new(if progress.best.is_some() { "working.searching" } else { "working.planning" })
                .count("done", progress.done)
                .count("total", progress.total),
        ),
        None => page.word("working.reading"),
    };
    let best = progress.and_then(|progress| progress.best).map(|(peak, bound)| {
        page.speech().say(&Message::new("working.best").bytes("peak", peak).bytes("bound", bound))
    });
    let before = page.state.document.run.as_ref().filter(|_| page.state.shows_before()).map(|run| {
        let planner = planner::title_of(&run.planner, page.speech());
        page.speech().say(&Message::new("working.before").text("planner", planner).bytes("peak", run.metrics.peak))
    });
    let stop = page.word(if page.state.document.status.working().is_some_and(|working| working.best.is_some()) {
        "working.keep"
    } else {
        "working.cancel"
    });
    html! {
        <div class="notice working" role="status">
            <span>{ label.clone() }{ best.map(|best| html! { <>{ " " }<span id="best-so-far">{ best }</span></> }) }
                { before.map(|before| html! { <>{ " · " }<b id="shown-before">{ before }</b></> }) }</span>
            <progress max="100" value={share.map(|share| format!("{share:.1}"))} aria-label={label}></progress>
            <button type="button" class="btn line" onclick={page.on(|| Action::Document(DocumentAction::Cancel))}>{ stop }</button>
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
    let shown = page.state.view.toast.clone();
    let number = shown.as_ref().map(|(number, _)| *number);
    {
        let send = page.send.clone();
        use_effect_with(number, move |number| {
            let number = *number;
            until_then(
                number.map(|number| Timeout::new(5000, move || send.emit(Action::View(ViewAction::ToastOver(number))))),
            )
        });
    }
    html! {
        <div class="toast-place" role="status">
            if let Some((_, message)) = shown { <div class="toast">{ words(&page, &message) }</div> }
        </div>
    }
}
