//! The sheet of a plan for TensorFlow Lite Micro: the arena before anything is written, and the files.

use yew::prelude::*;

use crate::app::context::Page;
use crate::app::context::sentence::{plain_words, size};
use crate::app::state::action::{Action, DocumentAction, ViewAction};
use crate::app::widgets::dialog::Dialog;
use crate::base::Message;
use crate::engine::{TflmForm, TflmWritten};

pub fn write_sheet(page: &Page) -> Html {
    let close = page.on(|| Action::View(ViewAction::Overlay(None)));
    let planner = page.state.choice().words(page.speech());
    html! {
        <Dialog title={page.word("tflm.title")} close={page.word("dialog.close")} onclose={close}>
            <div class="write-sheet" id="write-sheet">
                <p>{ page.speech().say(&Message::new("tflm.planned-by").text("planner", planner)) }</p>
                { match &page.state.writing.found {
                    None => html! { <p class="muted" role="status">{ page.word("compare.waiting") }</p> },
                    Some(Err(why)) => html! { <p class="warning" role="alert" id="write-refused">{ plain_words(page, why) }</p> },
                    Some(Ok(written)) => figures(page, written),
                } }
                <p class="muted">{ page.word("tflm.needs") }</p>
                <p class="muted">{ page.word("tflm.needs-table") }</p>
            </div>
        </Dialog>
    }
}

/// The arena with the plan and without it. A plan that makes it larger is written only by a button that says so.
fn figures(page: &Page, written: &TflmWritten) -> Html {
    let TflmWritten { with, without, bound, .. } = *written;
    let busy = page.state.job().is_some();
    let fact = |key: &str, bytes: u64| html! { <><dt>{ page.word(key) }</dt><dd data-bytes={bytes.to_string()}>{ size(page, bytes) }</dd></> };
    let save = |form: TflmForm, id: &'static str, key: &str| {
        let onclick = page.on(move || Action::Document(DocumentAction::Tflm(form)));
        html! { <button type="button" class="btn line" {id} disabled={busy} {onclick}>{ page.word(key) }</button> }
    };
    let is_worse = with > without;
    let worse = Message::new("tflm.worse").bytes("bytes", with.saturating_sub(without));
    html! { <>
        <dl class="facts" id="write-figures">
            { fact("tflm.with", with) }{ fact("tflm.without", without) }{ fact("tflm.bound", bound) }
        </dl>
        if is_worse { <p class="warning" role="alert" id="write-worse">{ page.speech().say(&worse) }</p> }
        <p class="acts">
            { save(TflmForm::Model, "write-model", if is_worse { "tflm.save-anyway" } else { "tflm.save" }) }
            { save(TflmForm::Table, "write-table", "tflm.save-table") }
        </p>
    </> }
}
