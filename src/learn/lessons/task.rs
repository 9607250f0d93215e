//! An exercise: one box for every kind.

use yew::prelude::*;

use crate::browser::dom::{bring_into_sight, by_id, is_in_sight, scroll_around};
use crate::context::Page;
use crate::context::sentence::plain_words;
use crate::learn::lessons::answers::{choices, number, places};
use crate::learn::lessons::marked::marked;
use crate::learn::lessons::moving::{Packing, operators};
use crate::learn::lessons::program::Program;
use crate::learn::lessons::state::progress::{Attempt, has_several};
use crate::learn::lessons::tried::{Tried, part_of};
use crate::shell::state::action::TaskAction;
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Message;
use memplan_core::problem::load;
use memplan_teach::lesson::{Feedback, Task, TaskKind};

/// What is said about an answer stands above the choices. The text is scrolled by as much as that
/// grows or shrinks, so that the choices stay where the reader has just chosen. Whoever answers on
/// the plan sees it, too: it comes into sight.
#[hook]
pub fn use_answer_in_sight(page: &Page, task: Option<&Task>) {
    let attempt = task.and_then(|task| page.state.learning.attempts.get(&task.id));
    // A move has its own sentence each time, or a reason why nothing moved.
    let answered = |attempt: &Attempt| (attempt.wrong, attempt.moves, attempt.chosen.len(), attempt.over);
    let answered = attempt.map(answered).unwrap_or_default();
    let id = task.map(|task| part_of(task, "said"));
    let (was, room) = (use_mut_ref(|| answered), use_mut_ref(|| None::<i32>));
    use_effect(move || {
        let Some(said) = id.as_deref().and_then(by_id) else { return };
        let height = said.client_height();
        if let Some(before) = room.replace(Some(height)).filter(|before| *before != height) {
            scroll_around(&said, height - before);
        }
        if answered > was.replace(answered) && !is_in_sight(&said, ".lesson-text") {
            bring_into_sight(&said);
        }
    });
}

pub fn task_box(page: &Page, task: &Task, is_active: bool) -> Html {
    let learning = &page.state.learning;
    let nothing = Attempt::default();
    let attempt = learning.attempts.get(&task.id).unwrap_or(&nothing);
    let tried = Tried { page, task, attempt };
    let speech = page.speech();
    let (icon, how, answer) = match &task.kind {
        TaskKind::Choose(list) => {
            let on_plan = list.iter().all(|choice| choice.is_buffer);
            let how = if on_plan { "lesson.choose" } else { "lesson.choose-text" };
            let how = if on_plan || has_several(task) { page.word(how) } else { String::new() };
            (Icon::List, how, choices(&tried, list))
        }
        TaskKind::Number { is_bytes, .. } => {
            let how = if *is_bytes { "lesson.number-bytes" } else { "lesson.number-plain" };
            (Icon::Edit, page.word(how), number(&tried))
        }
        TaskKind::Place { places: list, .. } => (Icon::Question, page.word("lesson.place-here"), places(&tried, list)),
        TaskKind::Pack { goal, .. } => {
            let how = Message::new("lesson.pack-here").bytes("goal", *goal);
            (Icon::Step, speech.say(&how), html! { <Packing task={task.clone()} /> })
        }
        TaskKind::Write { link, planner, template, .. } => {
            let onwrite = tried.on_write();
            let (link, planner, template) = (link.clone(), planner.clone(), template.clone());
            let writing = attempt.writing.clone();
            let field = html! { <Program id={tried.part("code")} {link} {template} {planner} {writing} draws_planner={true} {onwrite} /> };
            (Icon::Edit, page.word("write.how-lesson"), field)
        }
        TaskKind::Order { goal, operators: list, .. } => {
            let how = Message::new("lesson.order-here").bytes("goal", *goal);
            (Icon::List, speech.say(&how), operators(&tried, list))
        }
    };
    html! {
        <div class={classes!("task", is_active.then_some("active"))} role="group" aria-label={page.word("lesson.exercise")} data-task={task.id.clone()}
            data-over={attempt.over.to_string()}>
            <div class="ask">
                <span class="kind" aria-hidden="true">{ glyph(icon) }</span>
                <div>
                    <p class="q" id={tried.part("ask")}>{ marked(page, &task.ask) }</p>
                    if !how.is_empty() { <p class="how" id={tried.part("how")}>{ how }</p> }
                    // Above the choices; it stays at the top of a column that is lower.
                    <div class="says" role="status" aria-live="polite" id={tried.part("said")}>{ feedback(&tried) }</div>
                    { answer }
                    { help(&tried) }
                </div>
            </div>
        </div>
    }
}

/// Hint and answer, once they are offered.
fn help(tried: &Tried) -> Html {
    let Tried { page, task, attempt } = tried;
    let button = |key: &str, action: fn() -> TaskAction| {
        html! { <button type="button" class="btn line" onclick={tried.on(action)}>{ page.word(key) }</button> }
    };
    html! { <>
        if attempt.hint && !attempt.over {
            if let Some(hint) = &task.hint { <p class="hint">{ marked(page, hint) }</p> }
        }
        if attempt.offers_hint(task) || attempt.offers_answer(task) {
            <div class="answer">
                if attempt.offers_hint(task) { { button("lesson.hint", || TaskAction::Hint) } }
                if attempt.offers_answer(task) { { button("lesson.show-me", || TaskAction::ShowMe) } }
            </div>
        }
    </> }
}

/// That the last of so many answers is right.
fn right(page: &Page, tries: usize) -> String {
    match tries {
        0 | 1 => page.word("lesson.right"),
        2 => page.word("lesson.right-second"),
        tries => page.speech().say(&Message::new("lesson.right-later").count("n", tries as u64)),
    }
}

/// That the plan beside the text shows another order than the answer, if it does.
fn another_order(tried: &Tried) -> Option<String> {
    let (TaskKind::Order { operators, .. }, Some(_)) = (&tried.task.kind, &tried.task.shows) else { return None };
    let run = tried.page.state.document.run.as_ref()?;
    let shown = load(&run.problem, |_| true).by_step(run.problem.steps);
    (operators.loads(&tried.attempt.order) != shown).then(|| tried.page.word("lesson.order-other"))
}

/// What is said about the last answer.
fn feedback(tried: &Tried) -> Html {
    let Tried { page, task, attempt } = tried;
    let is_right = attempt.judged.as_ref().is_some_and(|judged| judged.right);
    let general = |message: &Message| plain_words(page, message);
    let (class, icon, lead, words) = match (&attempt.judged, attempt.over) {
        (_, true) if attempt.shown => ("part", Icon::Check, page.word("lesson.shown"), marked(page, &task.right)),
        (_, true) if attempt.was_right_before() => {
            ("part", Icon::Check, page.word("lesson.solved-before"), Html::default())
        }
        (_, true) => {
            let words = html! { <>{ marked(page, &task.right) }{ for another_order(tried).map(|words| format!("{}{words}", page.blank())) }</> };
            ("right", Icon::Check, right(page, attempt.tries()), words)
        }
        (Some(judged), false) => {
            // A move is no answer.
            let is_move = matches!(task.kind, TaskKind::Pack { .. } | TaskKind::Order { .. });
            let words = match &judged.feedback {
                Some(Feedback::Lesson(words)) => marked(page, words),
                Some(Feedback::General(message)) => {
                    // The rule that was missed, where the lesson has no sentence of its own for the
                    // answer.
                    let is_answer = !is_move && !matches!(message.key.as_ref(), "lesson.no-bytes" | "lesson.no-number");
                    let rule = task.hint.as_ref().filter(|_| !is_right && is_answer && !attempt.hint);
                    html! { <>{ general(message) }{ for rule.map(|hint| html! { <>{ page.blank() }{ marked(page, hint) }</> }) }</> }
                }
                None => Html::default(),
            };
            match is_right || is_move {
                true => ("part", Icon::Right, String::new(), words),
                false => ("wrong", Icon::Close, page.word("lesson.not-right"), words),
            }
        }
        (None, false) => return Html::default(),
    };
    html! {
        <div class={classes!("said", class)}>
            <span class="mark" aria-hidden="true">{ glyph(icon) }</span>
            <p>if !lead.is_empty() { <b>{ lead }</b>{ page.blank() } }{ words }</p>
        </div>
    }
}
