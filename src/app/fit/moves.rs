//! The changes as frames of their own, and what can be taken away.

use yew::prelude::*;

use crate::app::context::Page;
use crate::app::context::clipboard::copy;
use crate::app::context::sentence::plain_words;
use crate::app::fit::change;
use crate::app::model::fitted::FitShown;
use crate::app::state::fitting::FitChange;
use crate::app::widgets::icons::{Icon, glyph};
use crate::base::Message;
use crate::engine::FitFile;

pub fn moves(page: &Page, shown: &FitShown, at: usize) -> Html {
    let record = &shown.record;
    let all = record.moves.len();
    let speech = page.speech();
    let step = |number: usize| {
        let (badge, words, peak) = match number.checked_sub(1) {
            None => (Html::default(), html! { { page.word("fit.as-it-is") } }, record.required.before),
            Some(index) => {
                let one = &record.moves[index];
                (html! { <span class="badge">{ number }</span> }, plain_words(page, &one.why.message()), one.peak.after)
            }
        };
        html! { <li key={number}><button type="button" class="move" id={format!("fit-move-{number}")} aria-current={(at == number).then_some("step")}
        onclick={page.on(move || change(FitChange::Move(number)))}>{ badge }<span>{ words }</span>{ " " }<span class="muted">{ speech.bytes(peak) }</span></button></li> }
    };
    let turn = |icon: Icon, key: &str, forward: bool, off: bool| {
        let name = page.word(key);
        html! { <button type="button" class="btn icon-only" aria-label={name.clone()} title={name} disabled={off}
        onclick={page.on(move || change(FitChange::Next { forward }))}>{ glyph(icon) }</button> }
    };
    html! {
        <nav class="moves" aria-label={page.word("fit.moves")}>
            <ol>{ for (0..=all).map(step) }</ol>
            if all > 0 { { turn(Icon::Previous, "fit.take-back", false, at == 0) }{ turn(Icon::Next, "fit.apply", true, at == all) } }
            else { <span class="muted">{ page.word("fit.no-moves") }</span> }
        </nav>
    }
}

pub fn taken_along(page: &Page, shown: &FitShown) -> Html {
    let file = |kind: FitFile| {
        let (id, key) = match kind {
            FitFile::Graph => ("fit-graph", "fit.file-graph"),
            FitFile::Plan => ("fit-plan", "fit.file-plan"),
            FitFile::Report => ("fit-report", "fit.file-report"),
            FitFile::Markdown => ("fit-markdown", "fit.file-markdown"),
        };
        html! { <button type="button" class="btn line" {id} onclick={page.on(move || change(FitChange::Save(kind)))}>{ glyph(Icon::Drop) }{ page.word(key) }</button> }
    };
    let name =
        page.state.document.open.as_ref().map_or_else(String::new, |document| document.origin.name().to_string());
    let command = page.state.fitting.form.command(&name);
    let copied = {
        let (send, command) = (page.send.clone(), command.clone());
        Callback::from(move |_: MouseEvent| copy(command.clone(), &send, Message::new("fit.copied")))
    };
    html! {
        <footer class="fit-foot">
            <span class="muted">{ page.word("fit.take") }</span>
            { for shown.files.iter().map(|(kind, _)| file(*kind)) }
            <span class="grow"></span>
            <button type="button" class="btn" id="fit-command" title={command.clone()} onclick={copied}>{ glyph(Icon::Copy) }<span class="visually-hidden">{ page.word("fit.copy") }{ " " }</span><code class="cut">{ command }</code></button>
        </footer>
    }
}
