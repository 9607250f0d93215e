//! The form of a worksheet, with the worksheet as it will be printed.

use yew::prelude::*;

use crate::browser::dialogs::print;
use crate::context::{Page, use_page};
use crate::learn::exercise::onward::refused;
use crate::learn::teacher::fields::{choice, documents, open_small, planners, text};
use crate::learn::teacher::state::form::{Corner, Field};
use crate::shell::state::action::{Action, TeachAction};
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Message;
use memplan_engine::START;
use memplan_planners as planner;
use memplan_teach::exercise::worksheet::pages;

/// Opens the first example where nothing is open.
#[hook]
fn use_document(page: &Page) {
    let is_empty = page.state.document.open.is_none() && page.state.document.status.is_idle();
    let page = page.clone();
    use_effect_with(is_empty, move |is_empty| {
        if *is_empty {
            open_small(&page, START, Corner::Sheet);
        }
    });
}

/// Keeps the preview as the form is.
#[hook]
fn use_preview(page: &Page) {
    let state = &page.state;
    let document = state.document.open.as_ref().map(|document| document.key);
    let planned = state.document.run.as_ref().map(|run| (run.planner.clone(), run.problem.buffers.len()));
    let fields = [Field::Second, Field::Third, Field::Given, Field::Paper];
    let fields = fields.map(|field| state.teaching.form.read(field).to_string());
    let send = page.send.clone();
    use_effect_with((document, planned, fields, state.settings.locale), move |(document, planned, ..)| {
        if document.is_some() && planned.is_some() {
            send.emit(Action::Teach(TeachAction::Preview));
        }
    });
}

/// The form: the document and the first planner are those that are open.
#[component]
pub fn SheetForm() -> Html {
    let page = &use_page();
    use_document(page);
    use_preview(page);
    let state = &page.state;
    let mut more = planners(page, false);
    more.insert(0, ("", page.word("teach.no-planner")));
    let papers = [("a4", page.word("teach.paper-a4")), ("letter", page.word("teach.paper-letter"))];
    let run = state.document.run.as_ref();
    let planner = run.map(|run| planner::title_of(&run.planner, page.speech())).unwrap_or_default();
    let of = state.document.open.as_ref().zip(run).map(|(document, run)| {
        let n = run.problem.buffers.len();
        Message::new("teach.sheet-of").text("name", &document.name).text("planner", planner).count("n", n)
    });
    let sheet = state.teaching.sheet.as_ref().filter(|_| state.teaching.failure.is_none());
    let prints = Callback::from(|_: MouseEvent| print());
    html! { <>
        <section class="tcard" aria-labelledby="teach-sheet-title">
            <h2 id="teach-sheet-title">{ page.word("teach.tab-sheet") }</h2>
            <p class="muted">{ page.word("teach.sheet-about") }</p>
            if let Some(of) = &of {
                <p id="teach-sheet-of">{ page.speech().say(of) }</p>
                <div class="fields">
                    { choice(page, Field::Second, "teach.second", &more) }
                    { choice(page, Field::Third, "teach.third", &more) }
                    { text(page, Field::Given, "teach.given", "number") }
                    { choice(page, Field::Paper, "teach.paper", &papers) }
                </div>
                <div class="acts-row">
                    <button type="button" class="btn main" id="teach-sheet-print" disabled={sheet.is_none()} onclick={prints}>
                        { page.word("teach.sheet-print") }</button>
                    <button type="button" class="btn line" id="teach-sheet" onclick={page.on(|| Action::Teach(TeachAction::Sheet))}>
                        { glyph(Icon::Drop) }{ page.word("teach.sheet") }</button>
                </div>
                <p class="muted">{ page.word("teach.sheet-note") }</p>
            } else {
                <p class="muted" role="status">{ page.word("learn.loading") }</p>
            }
            { documents(page, Corner::Sheet) }
            if let Some(why) = &state.teaching.failure { { refused(page, why) } }
        </section>
        if let Some(sheet) = sheet {
            <section class="tcard" aria-labelledby="teach-preview-title">
                <h2 id="teach-preview-title">{ page.word("teach.preview") }</h2>
                <div class="sheet-preview" id="teach-preview" tabindex="0" role="group" aria-labelledby="teach-preview-title">
                    <div class="paper">{ Html::from_html_unchecked(AttrValue::from(pages(sheet).to_string())) }</div>
                </div>
            </section>
        }
    </> }
}
