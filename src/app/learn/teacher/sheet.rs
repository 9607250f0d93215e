//! The form of a worksheet.

use yew::prelude::*;

use crate::app::context::Page;
use crate::app::learn::teacher::fields::{choice, documents, planners, text};
use crate::app::learn::teacher::link::refused;
use crate::app::model::teaching::{Corner, Field};
use crate::app::state::action::{Action, TeachAction};
use crate::app::widgets::icons::{Icon, glyph};
use crate::base::Message;
use crate::planner;

/// The form: the document and the first planner are those that are open.
pub fn sheet_form(page: &Page) -> Html {
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
    html! {
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
                    <button type="button" class="btn main" id="teach-sheet" onclick={page.on(|| Action::Teach(TeachAction::Sheet))}>
                        { glyph(Icon::Drop) }{ page.word("teach.sheet") }</button>
                </div>
                <p class="muted">{ page.word("teach.sheet-note") }</p>
            } else {
                { refused(page, &Message::new("teach.no-document")) }
            }
            { documents(page, Corner::Sheet) }
            if let Some(why) = &state.teaching.failure { { refused(page, why) } }
        </section>
    }
}
