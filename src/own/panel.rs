//! The panel *Code*: the editor, or the program that equals the planner shown; below it the
//! statements of the shown decision, with what their variables hold.

use std::rc::Rc;

use yew::prelude::*;

use crate::context::{Layout, Page, use_page};
use crate::own::editor::{Editor, with_code};
use crate::own::help::help;
use crate::own::results::results;
use crate::own::text::{LineMarks, lines};
use crate::shell::state::action::{Action, OwnAction, StepAction};
use crate::widgets::button::IconButton;
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Message;
use memplan_planners as planner;

#[component]
pub fn CodePanel() -> Html {
    let page = use_page();
    let is_large = page.state.own.large && page.layout == Layout::Narrow;
    if page.state.own.open {
        return html! {
            <div class={classes!("own", is_large.then_some("large"))} id="own-panel">
                { results(&page) }
                <Editor />
                if page.state.is_own_shown() { { statements(&page) }{ to_order(&page) } }
                { help(&page) }
            </div>
        };
    }
    html! { <div class="own" id="own-panel">{ classic(&page) }{ statements(&page) }{ to_order(&page) }</div> }
}

/// When `order` ran, with the way to its statements: no frame of a buffer has them.
fn to_order(page: &Page) -> Html {
    let has_order = |code: Rc<str>| code.lines().any(|line| line.trim_start().starts_with("fn order("));
    if !page.state.code_shown().is_some_and(has_order) {
        return Html::default();
    }
    let is_here = page.state.frame() == 0;
    html! {
        <p class="muted own-order" id="own-order">{ with_code(&page.word(if is_here { "own.order-here" } else { "own.order-before" })) }
            if !is_here {
                { page.blank() }<button type="button" class="name" id="lines-of-order" onclick={page.on(|| Action::Step(StepAction::Seek(0)))}>{ page.word("own.order-show") }</button>
            }
        </p>
    }
}

/// The program that equals the planner shown, and the way to change it.
fn classic(page: &Page) -> Html {
    let Some((run, code)) = page.state.document.run.as_ref().zip(page.state.code_shown()) else {
        return html! { <p class="empty" id="code-comes">{ page.word("own.comes") }</p> };
    };
    let marks = LineMarks::of(page);
    let equals = Message::new("own.equals").text("planner", planner::name_in_text(&run.planner, false, page.speech()));
    let copy: Rc<str> = code.clone();
    // Of `best-fit`, as files are named.
    let name: Rc<str> = run.planner.replace('-', "_").into();
    html! { <>
        <div class="own-head">
            <p class="muted" id="code-equals">{ "✓ " }{ page.speech().say(&equals) }</p>
            <button type="button" class="btn line" id="make-yours" onclick={page.on(move || Action::Own(OwnAction::Begin(name.clone(), copy.clone())))}>{ glyph(Icon::Edit) }{ page.word("own.make-yours") }</button>
        </div>
        <div class="code-box" role="region" tabindex="0" aria-label={page.word("tab.code")}><div class="code-lines" id="code-lines">{ lines(code.trim_end(), &marks) }</div></div>
    </> }
}

/// The statement that is looked at, and the variables that it sees.
fn statements(page: &Page) -> Html {
    let Some((followed, at)) = page.state.lines_here() else { return Html::default() };
    let (kept, left_out) = (&followed.statements.kept, followed.statements.left_out);
    let statement = &kept[at];
    let before = at.checked_sub(1).map(|before| &kept[before].values);
    let place = Message::new("own.statement").count("line", statement.line);
    let place = place.count("at", at as u64 + 1 + left_out).count("n", kept.len() as u64 + left_out);
    let last = kept.len() - 1;
    // Behind a long line it may be out of sight.
    let value = LineMarks::of(page).values.remove(&statement.line);
    let go = |icon: Icon, key: &str, id: &'static str, to: usize, off: bool| {
        html! { <IconButton name={page.word(key)} {icon} {id} disabled={off} onclick={page.on(move || Action::Own(OwnAction::At(to)))} /> }
    };
    html! {
        <section class="own-statements" aria-label={page.word("own.variables")}>
            <div class="own-head"><p id="own-statement" role="status">{ page.speech().say(&place) }
                if let Some(value) = value { { " " }<b class="over" id="own-statement-value">{ value }</b> }</p>
                { go(Icon::First, "own.first-line", "line-first", 0, at == 0) }
                { go(Icon::Previous, "own.line-before", "line-before", at.saturating_sub(1), at == 0) }
                { go(Icon::Next, "own.line-after", "line-after", (at + 1).min(last), at == last) }
                { go(Icon::Last, "own.last-line", "line-last", last, at == last) }
            </div>
            if !statement.values.is_empty() {
                <table class="own-values" id="own-values">
                    <thead class="visually-hidden"><tr><th>{ page.word("own.name") }</th><th>{ page.word("own.value") }</th></tr></thead>
                    <tbody>{ for statement.values.iter().map(|(name, value)| {
                        let is_new = before.is_some_and(|before| before.iter().all(|known| known != &(name.clone(), value.clone())));
                        html! { <tr class={is_new.then_some("chosen")}><td><code>{ name }</code></td><td>{ value }</td></tr> }
                    }) }</tbody>
                </table>
            }
        </section>
    }
}
