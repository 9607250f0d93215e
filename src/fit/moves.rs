//! The changes as frames of their own, and what can be taken away.

use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

use crate::browser::dom::{active, bring_into_sight, by_id};
use crate::context::clipboard::copy;
use crate::context::same::Same;
use crate::context::sentence::plain_words;
use crate::context::{Page, use_page};
use crate::export::state::ModelKind;
use crate::fit::change;
use crate::fit::state::FitChange;
use crate::fit::state::answer::FitShown;
use crate::open::state::document::Origin;
use crate::widgets::button::IconButton;
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Message;
use memplan_engine::FitFile;

#[derive(Properties, PartialEq)]
pub struct MovesProps {
    pub shown: Same<FitShown>,
    /// Number of changes after which the graph is looked at.
    pub at: usize,
}

/// The changes one after the other. That which is looked at is in sight, and has the focus if one
/// of them had it.
#[component]
pub fn Moves(props: &MovesProps) -> Html {
    let page = use_page();
    use_effect_with(props.at, |at| {
        let Some(chip) = by_id(&format!("fit-move-{at}")) else { return };
        bring_into_sight(&chip);
        if active().is_some_and(|element| element.id().starts_with("fit-move-")) {
            // One that cannot be focused is still in sight.
            let _ = chip.unchecked_into::<HtmlElement>().focus();
        }
    });
    moves(&page, &props.shown.0, props.at)
}

fn moves(page: &Page, shown: &FitShown, at: usize) -> Html {
    let record = &shown.record;
    let all = record.moves.len();
    let speech = page.speech();
    let step = |number: usize| {
        let (badge, words, peak) = match number.checked_sub(1) {
            None => (Html::default(), html! { { page.word("fit.as-it-is") } }, record.required.before),
            Some(index) => {
                let one = &record.moves[index];
                (
                    html! { <span class="badge">{ number }</span> },
                    plain_words(page, &record.short_why(&one.why)),
                    one.peak.after,
                )
            }
        };
        html! { <li key={number}><button type="button" class="move" id={format!("fit-move-{number}")} aria-current={(at == number).then_some("step")}
        onclick={page.on(move || change(FitChange::Move(number)))}>{ badge }<span>{ words }</span>{ " " }<span class="muted">{ speech.bytes(peak) }</span></button></li> }
    };
    let turn = |icon: Icon, key: &str, forward: bool, off: bool| {
        let name = page.word(key);
        html! { <IconButton name={name} icon={icon} disabled={off} onclick={page.on(move || change(FitChange::Next { forward }))} /> }
    };
    html! {
        <nav class="moves" aria-label={page.word("fit.moves")}>
            <ol>{ for (0..=all).map(step) }</ol>
            if all > 0 { { turn(Icon::Previous, "fit.take-back", false, at == 0) }{ turn(Icon::Next, "fit.apply", true, at == all) } }
            else if record.result == "fits" { <span class="muted">{ page.word("fit.no-moves") }</span> }
        </nav>
    }
}

/// The open model as the answer has it, or why it cannot be written.
fn model(page: &Page, refusal: Option<&Message>) -> Html {
    let is_program = page.state.model() == Some(ModelKind::ExecuTorch);
    let word = page.word(if is_program { "fit.file-program" } else { "fit.file-model" });
    let why = refusal.or(page.state.fitting.unsaved.as_ref());
    let describes = why.is_some().then_some("fit-model-why");
    html! { <>
        <button type="button" class="btn line" id="fit-model" disabled={refusal.is_some()} aria-describedby={describes}
            onclick={page.on(|| change(FitChange::SaveModel))}>{ glyph(Icon::Drop) }{ word }</button>
        if let Some(why) = why { <p class="muted fit-model-why" id="fit-model-why" role={refusal.is_none().then_some("alert")}>{ plain_words(page, why) }</p> }
    </> }
}

/// Why the model cannot be saved if a link brought its graph alone.
fn without_model(page: &Page, shown: &FitShown) -> Html {
    let is_missed = page.state.model_of_link().is_some() && shown.record.refusal(page.state.runtime()).is_none();
    let Some(document) = page.state.document.open.as_ref().filter(|_| is_missed && shown.record.result == "fits")
    else {
        return Html::default();
    };
    let why = Message::new("fit.link-model").text("name", document.origin.name());
    html! { <p class="muted fit-model-why" id="fit-link-model">{ plain_words(page, &why) }</p> }
}

pub fn taken_along(page: &Page, shown: &FitShown) -> Html {
    let file = |kind: FitFile| {
        let id = match kind {
            FitFile::Graph => "fit-graph",
            FitFile::Plan => "fit-plan",
            FitFile::Report => "fit-report",
            FitFile::Markdown => "fit-markdown",
        };
        html! { <button type="button" class="btn line" {id} onclick={page.on(move || change(FitChange::Save(kind)))}>{ glyph(Icon::Drop) }{ page.word(kind.key()) }</button> }
    };
    let input = page.state.document.open.as_ref().map_or_else(String::new, |document| match &document.origin {
        Origin::Example(name) => format!("ex:{name}"),
        origin => origin.name().to_string(),
    });
    let command = page.state.fitting.form.command(&input, &page.state.document.scope);
    let copied = {
        let (send, command) = (page.send.clone(), command.clone());
        Callback::from(move |_: MouseEvent| copy(command.clone(), &send, Message::new("fit.copied")))
    };
    html! {
        <footer class="fit-foot">
            <span class="muted">{ page.word("fit.take") }</span>
            { for shown.files.iter().map(|(kind, _)| file(*kind)) }
            if let Some(to_write) = page.state.model_to_write() { { model(page, to_write.as_ref().err()) } }
            { without_model(page, shown) }
            if shown.files.iter().any(|(kind, _)| *kind == FitFile::Plan) { <span class="muted" id="fit-take-hint">{ page.word("fit.take.hint") }</span> }
            <span class="grow"></span>
            <button type="button" class="btn" id="fit-command" title={command.clone()} onclick={copied}>{ glyph(Icon::Copy) }<span class="visually-hidden">{ page.word("fit.copy") }{ " " }</span><code class="cut">{ command }</code></button>
        </footer>
    }
}
