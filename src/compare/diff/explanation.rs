//! What happened, in sentences, and the same as Markdown.

use yew::prelude::*;

use crate::compare::diff::state::shown::DiffShown;
use crate::context::Page;
use crate::context::clipboard::copy;
use crate::context::sentence::plain_words;
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Message;

pub fn explanation(page: &Page, shown: &DiffShown) -> Html {
    let copied = {
        let (send, text) = (page.send.clone(), shown.markdown.clone());
        Callback::from(move |_: MouseEvent| copy(text.clone(), &send, Message::new("diff.copied")))
    };
    let sentences = if shown.sentences.is_empty() && !shown.is_same() {
        html! { <p>{ page.word("diff.no-cause") }</p> }
    } else {
        html! { <>{ for shown.sentences.iter().map(|line| html! { <p>{ plain_words(page, line) }</p> }) }</> }
    };
    html! {
        <aside class="side diff-told" id="region-right" tabindex="-1" aria-label={page.word("diff.told")}>
            <header class="side-head"><h2>{ page.word("diff.told") }</h2></header>
            if shown.is_same() { <p>{ page.word("diff.nothing-differs") }</p> }
            { sentences }
            <ul>{ for shown.details.iter().map(|line| html! { <li class="muted">{ plain_words(page, line) }</li> }) }</ul>
            <header class="side-head"><h2>{ page.word("diff.in-ci") }</h2></header>
            <pre><code>{ "memplan diff OLD NEW --fail-above 3% --format markdown" }</code></pre>
            <p><button type="button" class="btn line" id="diff-copy" onclick={copied}>{ glyph(Icon::Copy) }{ page.word("diff.copy") }</button></p>
        </aside>
    }
}
