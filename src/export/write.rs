//! The sheet of a plan for the open model: what it needs before anything is written, and the files.

use yew::prelude::*;

use crate::context::Page;
use crate::context::sentence::{plain_words, size};
use crate::export::state::ModelKind;
use crate::shell::state::action::{Action, DocumentAction, ViewAction};
use crate::widgets::dialog::Dialog;
use memplan_core::base::Message;
use memplan_engine::{WriteForm, Written};

/// The words of a sheet, by their keys.
struct Words {
    title: &'static str,
    planned_by: &'static str,
    with: &'static str,
    without: &'static str,
    worse: &'static str,
    needs: &'static [&'static str],
}

const OF_TFLITE: Words = Words {
    title: "tflm.title",
    planned_by: "tflm.planned-by",
    with: "tflm.with",
    without: "tflm.without",
    worse: "tflm.worse",
    needs: &["tflm.needs", "tflm.needs-table"],
};

const OF_PROGRAM: Words = Words {
    title: "pte.title",
    planned_by: "pte.planned-by",
    with: "pte.with",
    without: "pte.without",
    worse: "pte.worse",
    needs: &["pte.needs"],
};

const OF_ONNX: Words = Words {
    title: "onnx-plan.title",
    planned_by: "onnx-plan.planned-by",
    with: "onnx-plan.with",
    without: "onnx-plan.without",
    worse: "onnx-plan.worse",
    needs: &["onnx-plan.needs"],
};

pub fn write_sheet(page: &Page) -> Html {
    let kind = page.state.model().unwrap_or(ModelKind::TfLite);
    let words = match kind {
        ModelKind::TfLite => &OF_TFLITE,
        ModelKind::ExecuTorch => &OF_PROGRAM,
        ModelKind::Onnx => &OF_ONNX,
    };
    let close = page.on(|| Action::View(ViewAction::Overlay(None)));
    let planner = page.state.choice().words(page.speech());
    html! {
        <Dialog title={page.word(words.title)} close={page.word("dialog.close")} onclose={close}>
            <div class="write-sheet" id="write-sheet">
                <p>{ page.speech().say(&Message::new(words.planned_by).text("planner", planner)) }</p>
                { match &page.state.writing.found {
                    None => html! { <p class="muted" role="status">{ page.word("compare.waiting") }</p> },
                    Some(Err(why)) => html! { <p class="warning" role="alert" id="write-refused">{ plain_words(page, why) }</p> },
                    Some(Ok(written)) => figures(page, kind, words, written),
                } }
                // Of what was refused nothing was written.
                { for words.needs.iter().filter(|_| !matches!(page.state.writing.found, Some(Err(_)))).map(|key| html! { <p class="muted">{ page.word(key) }</p> }) }
            </div>
        </Dialog>
    }
}

/// The bytes with the plan and without it. A plan that needs more is written only by a button that
/// states it.
fn figures(page: &Page, kind: ModelKind, words: &Words, written: &Written) -> Html {
    let Written { with, without, bound, .. } = *written;
    let busy = page.state.job().is_some();
    let fact = |key: &str, bytes: u64| html! { <><dt>{ page.word(key) }</dt><dd data-bytes={bytes.to_string()}>{ size(page, bytes) }</dd></> };
    let save = |form: WriteForm, id: &'static str, key: &str| {
        let onclick = page.on(move || Action::Document(DocumentAction::Write(form)));
        html! { <button type="button" class="btn line" {id} disabled={busy} {onclick}>{ page.word(key) }</button> }
    };
    let is_worse = with > without;
    let worse = Message::new(words.worse).bytes("bytes", with.saturating_sub(without));
    html! { <>
        <dl class="facts" id="write-figures">
            { fact(words.with, with) }{ fact(words.without, without) }{ fact("tflm.bound", bound) }
        </dl>
        if is_worse { <p class="warning" role="alert" id="write-worse">{ page.speech().say(&worse) }</p> }
        { for written.remarks.iter().map(|remark| html! { <p class="muted" data-remark={remark.key.to_string()}>{ page.speech().say(remark) }</p> }) }
        <p class="acts">
            { save(WriteForm::Model, "write-model", if is_worse { "tflm.save-anyway" } else { "tflm.save" }) }
            if kind == ModelKind::TfLite { { save(WriteForm::Table, "write-table", "tflm.save-table") } }
        </p>
    </> }
}
