//! Figures that an exercise asks about: the question with its field, what is said of the answer,
//! and the buffers as a table.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::browser::dom::focus;
use crate::context::sentence::plain_words;
use crate::context::{Page, use_page};
use crate::learn::exercise::onward::{finish, next_plan, refused, rule};
use crate::learn::exercise::state::figures::{Answered, Figures};
use crate::shell::state::action::{Action, FigureAction, TeachAction};
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Message;
use memplan_replay::{Frame, Run};
use memplan_teach::exercise::figure::Figure;
use memplan_teach::exercise::link::Help;

fn on(page: &Page, action: FigureAction) -> Callback<MouseEvent> {
    page.on(move || Action::Teach(TeachAction::Figure(action.clone())))
}

/// The panel beside the plan.
#[component]
pub fn FigurePanel() -> Html {
    let page = use_page();
    use_figure_focus(&page);
    let state = page.state.clone();
    let (Some(assigned), Some(figures)) = (&state.teaching.assigned, state.figures()) else { return Html::default() };
    let Some((run, frame)) = state.document.run.as_ref().zip(page.frame.as_ref()) else { return Html::default() };
    let help = assigned.task.as_ref().map(|task| task.help).unwrap_or_default();
    let open = figures.open();
    // Loads and their highest one are the same for every planner.
    let needs_planner = open.is_some_and(|at| !matches!(figures.asked[at], Figure::Load(_) | Figure::Bound));
    html! {
        <div class="predict worked" id="figures">
            if let Some(at) = open { { question(&page, figures, at) } }
            if needs_planner && help != Help::None { { rule(&page, assigned, &run.planner) } }
            <div role="status" id="figure-verdict">
                if let Some(why) = &figures.unread { <p class="refused">{ glyph(Icon::Warning) }<span>{ plain_words(&page, why) }</span></p> }
                if let Some(answered) = figures.answers.last().filter(|_| figures.looks) { { verdict(&page, figures, answered) } }
            </div>
            if open.is_none() {
                { onward(&page, figures) }
                if let Some(why) = &assigned.failure { { refused(&page, why) } }
            }
            { buffers(&page, run, frame) }
        </div>
    }
}

/// The field has the focus when a question opens, the way on after the answer.
#[hook]
fn use_figure_focus(page: &Page) {
    let key = page.state.figures().map(|figures| (figures.answers.len(), figures.looks));
    use_effect_with(key, |key| {
        if let Some((_, looks)) = key {
            focus(if *looks { "figure-next" } else { "figure-answer" });
        }
    });
}

/// The question with its field.
fn question(page: &Page, figures: &Figures, at: usize) -> Html {
    let send = page.send.clone();
    let oninput = Callback::from(move |event: InputEvent| {
        let text = event.target_unchecked_into::<HtmlInputElement>().value();
        send.emit(Action::Teach(TeachAction::Figure(FigureAction::Write(text))));
    });
    let send = page.send.clone();
    let onsubmit = Callback::from(move |event: SubmitEvent| {
        event.prevent_default();
        send.emit(Action::Teach(TeachAction::Figure(FigureAction::Check)));
    });
    let is_empty = figures.text.trim().is_empty();
    html! {
        <form class="question" {onsubmit}>
            <p class="headline"><label for="figure-answer" id="figure-question">{ plain_words(page, &figures.questions[at]) }</label></p>
            <p class="muted" id="figure-how">{ page.word("lesson.number-bytes") }</p>
            <p><input type="text" id="figure-answer" class="small wide" autocomplete="off" aria-describedby="figure-how"
                aria-invalid={figures.unread.is_some().then_some("true")} value={figures.text.clone()} {oninput} /></p>
            <div class="acts">
                <button type="submit" class="btn main" id="figure-check" disabled={is_empty}>{ page.word("predict.check") }<kbd>{ "Enter" }</kbd></button>
                <button type="button" class="btn line" id="figure-show" onclick={on(page, FigureAction::Show)}>{ page.word("predict.show") }</button>
            </div>
        </form>
    }
}

/// What is said of the answer. The question stands above it, as it is asked no longer.
fn verdict(page: &Page, figures: &Figures, answered: &Answered) -> Html {
    let question = figures.questions.get(figures.answers.len() - 1);
    let (class, icon, lead) = match (answered.right, answered.shown) {
        (true, _) => ("right", Icon::Check, "lesson.right"),
        (false, true) => ("shown", Icon::Eye, "predict.shown"),
        (false, false) => ("wrong", Icon::Close, "lesson.not-right"),
    };
    html! { <>
        if let Some(question) = question { <p class="headline">{ plain_words(page, question) }</p> }
        <div class={classes!("verdict", class)} data-verdict={class}>
            <span class="mark">{ glyph(icon) }</span>
            <div>
                <p><b>{ page.word(lead) }</b></p>
                { for answered.feedback.iter().map(|line| html! { <p>{ plain_words(page, line) }</p> }) }
            </div>
        </div>
    </> }
}

/// The way on after an answer: the next figure, the next document, or the end.
fn onward(page: &Page, figures: &Figures) -> Html {
    let state = &page.state;
    match () {
        () if state.is_full() || figures.is_over() && !state.has_next_plan() => finish(page, "figure-next"),
        () if figures.is_over() => next_plan(page, "figure-next"),
        () => html! {
            <div class="acts"><button type="button" class="btn main" id="figure-next" onclick={on(page, FigureAction::Next)}>{ page.word("predict.go-on") }</button></div>
        },
    }
}

/// What there is to calculate with: the buffers, and the places that are known.
fn buffers(page: &Page, run: &Run, frame: &Frame) -> Html {
    let heads = ["exercise.column-name", "exercise.column-size", "exercise.column-live", "exercise.column-offset"];
    let row = |(id, buffer): (memplan_core::problem::BufferId, &memplan_core::problem::Buffer)| {
        let place = frame.places.get(id).copied().flatten();
        let at = place.map_or_else(|| page.word("number.waits"), |place| page.speech().bytes(place.offset));
        html! {
            <tr><th scope="row">{ &buffer.name }</th><td class="num">{ page.speech().bytes(buffer.size) }</td>
                <td class="num">{ memplan_core::text::live(buffer.live.start, buffer.live.end) }</td><td class="num">{ at }</td></tr>
        }
    };
    html! {
        <section class="figure-table" aria-labelledby="figure-buffers">
            <h3 id="figure-buffers">{ page.word("number.buffers") }</h3>
            <p class="muted">{ page.speech().say(&Message::new("number.live-is").live("live", 2, 5)) }</p>
            <table class="results">
                <thead><tr>{ for heads.iter().map(|key| html! { <th scope="col">{ page.word(key) }</th> }) }</tr></thead>
                <tbody>{ for run.problem.buffers.enumerate().map(row) }</tbody>
            </table>
        </section>
    }
}
