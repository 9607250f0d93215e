//! The panel *Predict*: the question with its list of places, the sentences about the answer, the
//! rules that were missed, and the summary at the end.

use std::rc::Rc;

use yew::prelude::*;

use crate::browser::dom::{active, focus};
use crate::context::clipboard::copy;
use crate::context::sentence::{frame_link, words};
use crate::context::terms::to_lesson;
use crate::context::{Layout, Page, use_page};
use crate::shell::state::action::{Action, Motion, PredictAction, StepAction};
use crate::step::panels::why::why_panel;
use crate::widgets::button::IconButton;
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Message;
use memplan_core::problem::BufferId;
use memplan_planners as planner;
use memplan_replay::{Frame, Run};
use memplan_teach::choices;
use memplan_teach::exercise::{self, Given, Missed, Place, Score, Verdict};

/// The head of the panel: what this is, the score, and the way out.
pub fn predict_head(page: &Page) -> Html {
    let score = page.state.score();
    let again = page.state.predicting.again;
    html! {
        <div class="panel-title predict-head">
            <h2 class="mode-chip">{ glyph(Icon::Eye) }{ page.word("predict.title") }</h2>
            // On a phone the header has room for the first word of a planner only.
            if page.layout == Layout::Narrow { <b id="predict-planner">{ planner::title_of(&page.state.document.planner, page.speech()) }</b> }
            <span class="grow"></span>
            <span class="score" id="predict-score">if score.of > 0 { { page.speech().say(&score.line()) } }
                if again > 0 { { " · " }{ page.speech().say(&Message::new("predict.attempt").count("n", again + 1)) } }</span>
            <IconButton name={page.word("predict.stop")} icon={Icon::Close} id="predict-stop" onclick={page.on(|| Action::Predict(PredictAction::Toggle))} />
        </div>
    }
}

/// What stands in place of the reason while questions are asked.
#[component]
pub fn PredictPanel() -> Html {
    let page = use_page();
    let state = page.state.clone();
    use_question_focus(&page);
    use_choice(&page);
    let Some((run, frame)) = state.document.run.clone().zip(page.frame.clone()) else { return Html::default() };
    let asked = state.asked_buffer(&run);
    html! {
        <div class="predict" id="predict" tabindex="-1">
            if let Some((_, count)) = state.predicting.skip { { skip(&page, count) } }
            if let Some(buffer) = asked { { question(&page, &run, &frame, buffer) } }
            <div role="status" id="predict-verdict">
                if asked.is_none() { { verdict(&page, &run) } }
            </div>
            if asked.is_none() {
                if state.is_predicted() && state.at_end() {
                    { summary(&page) }
                } else {
                    { go_on(&page, &run) }
                }
                { why_panel(&page) }
            }
            { missed(&page, &run) }
        </div>
    }
}

/// The way on from an answer: to the next question, or where none is left to the end.
fn go_on(page: &Page, run: &Run) -> Html {
    let (predicting, frame) = (&page.state.predicting, page.state.frame());
    let key = match () {
        () if frame < predicting.known => "step.next",
        () if predicting.last => "predict.to-end",
        () => "predict.go-on",
    };
    let more = run.timeline.decisions.len() as u64 - u64::from(frame);
    let left = Message::new("predict.none-left").count("n", more);
    html! { <>
        if key == "predict.to-end" { <p class="muted" id="predict-none-left">{ page.speech().say(&left) }</p> }
        <div class="acts">
            <button type="button" class="btn main" id="predict-next" onclick={page.on(|| Action::Step(StepAction::Move(Motion::Next)))}>
                { page.word(key) }<kbd>{ "→" }</kbd></button>
        </div>
    </> }
}

/// Where the keys act next: the list when a question opens, the way on after the answer. Whoever
/// works elsewhere stays there.
#[hook]
pub fn use_question_focus(page: &Page) {
    let asks = page.state.is_asking();
    let over = page.state.is_predicted() && page.state.at_end();
    let key = (asks, over, page.state.predicting.known, page.state.predicting.again);
    use_effect_with(key, move |_| {
        let is_here = active().is_none_or(|active| active.closest("#predict, .next-card").ok().flatten().is_some());
        if is_here {
            focus(match (asks, over) {
                (true, _) => "predict-place-0",
                // Focused as a whole, so that the verdict above the summary stays in sight.
                (_, true) => "predict",
                _ => "predict-next",
            });
        }
    });
}

/// The chosen place by its number in the list.
fn chosen_number(page: &Page) -> Option<usize> {
    let (run, frame) = page.state.document.run.as_ref().zip(page.frame.as_ref())?;
    let (buffer, chosen) = page.state.asked_buffer(run).zip(page.state.predicting.chosen)?;
    exercise::options(run, frame, buffer).iter().position(|place| place.spot() == chosen)
}

/// The focus follows the choice inside the list, as it does where the browser moves both.
#[hook]
pub fn use_choice(page: &Page) {
    use_effect_with(chosen_number(page), move |chosen| {
        let is_in_list = active().is_some_and(|active| active.closest("#predict-places").ok().flatten().is_some());
        if let Some(number) = chosen.filter(|_| is_in_list) {
            focus(&format!("predict-place-{number}"));
        }
    });
}

/// The question with the places to choose from.
pub fn question(page: &Page, run: &Rc<Run>, frame: &Frame, buffer: BufferId) -> Html {
    let chosen = page.state.predicting.chosen;
    let size = run.problem.buffers[buffer].size;
    let list = exercise::options(run, frame, buffer);
    let send = page.send.clone();
    let onsubmit = Callback::from(move |event: SubmitEvent| {
        event.prevent_default();
        send.emit(Action::Predict(PredictAction::Check));
    });
    let row = |(number, place): (usize, &Place)| {
        let spot = place.spot();
        let is_chosen = chosen == Some(spot);
        let (at, what) = exercise::place_in_words(run, frame, place, size);
        let choose = page.on(move || Action::Predict(PredictAction::Choose(spot)));
        html! {
            <label class={classes!("place-row", is_chosen.then_some("on"))}>
                <input type="radio" name="place" id={format!("predict-place-{number}")} value={place.offset.to_string()} checked={is_chosen} onchange={choose} />
                <b>{ page.speech().say(&at) }</b><span>{ page.speech().say(&what) }</span>
            </label>
        }
    };
    html! {
        <form class="question" {onsubmit}>
            <p class="headline" id="predict-question">{ words(page, &exercise::question(run, buffer)) }</p>
            <p class="muted">{ words(page, &exercise::beside(run, frame, buffer)) }{ page.blank() }{ page.word("predict.hint") }</p>
            <div class="places" role="radiogroup" id="predict-places" aria-labelledby="predict-question">{ for list.iter().enumerate().map(row) }</div>
            <div class="acts">
                <button type="submit" class="btn main" id="predict-check" disabled={chosen.is_none()}>{ page.word("predict.check") }<kbd>{ "Enter" }</kbd></button>
                <button type="button" class="btn line" id="predict-show" onclick={page.on(|| Action::Predict(PredictAction::Show))}>{ page.word("predict.show") }</button>
            </div>
        </form>
    }
}

/// The sentences about the answer to the decision that the frame shows.
pub fn verdict(page: &Page, run: &Run) -> Html {
    let Some((decision, answer)) = page.state.answer_here() else { return Html::default() };
    let (class, icon, lines) = match answer.given {
        Given::Guess(guess) => {
            let Some(judged) = exercise::judge(run, decision, guess) else { return Html::default() };
            let rule = (judged.verdict != Verdict::Right)
                .then(|| Message::new("predict.rule-was").inner("rule", Message::new(judged.rule.clone())));
            let icon = match judged.verdict {
                Verdict::Right => Icon::Check,
                Verdict::Better => Icon::Bulb,
                Verdict::Growth | Verdict::Wrong => Icon::Close,
            };
            let lines: Vec<Message> = [Some(judged.feedback), judged.like, rule].into_iter().flatten().collect();
            (judged.verdict.name(), icon, lines)
        }
        Given::Shown => ("shown", Icon::Eye, vec![Message::new("predict.shown")]),
        Given::Skipped => ("shown", Icon::Eye, vec![Message::new("predict.skipped")]),
    };
    html! {
        <div class={classes!("verdict", class)} data-verdict={class}>
            <span class="mark">{ glyph(icon) }</span>
            <div>{ for lines.iter().map(|line| html! { <p>{ words(page, line) }</p> }) }</div>
        </div>
    }
}

/// Asks before questions are passed over.
fn skip(page: &Page, count: u32) -> Html {
    let (place_in_words, yes) = match count {
        0 => (Message::new("predict.skip-none"), "predict.skip-yes"),
        _ => (Message::new("predict.skip").count("n", count), "predict.skip-go"),
    };
    html! {
        <div class="skip" id="predict-skip" role="alert">
            <p>{ page.speech().say(&place_in_words) }</p>
            <div class="acts">
                <button type="button" class="btn line" id="predict-skip-go" onclick={page.on(|| Action::Predict(PredictAction::Skip))}>{ page.word(yes) }</button>
                <button type="button" class="btn main" onclick={page.on(|| Action::Predict(PredictAction::Stay))}>{ page.word("predict.skip-stay") }</button>
            </div>
        </div>
    }
}

/// A rule with the frames at which it was missed.
fn missed_rule(page: &Page, run: &Run, missed: &Missed) -> Html {
    let name = |decision: u32| {
        run.timeline.decisions.get(decision as usize).map(|decision| run.label(decision.buffer).to_string())
    };
    html! {
        <li><span class="count">{ missed.decisions.len() }{ "×" }</span>
            <div>{ words(page, &Message::new(missed.rule.clone())) }{ page.blank() }{ to_lesson(page, choices::lesson_of_rule(&missed.rule)) }{ " " }
                { for missed.decisions.iter().map(|&decision| html! {
                    <span class="whole">{ frame_link(page, decision + 1) }{ "\u{a0}" }<span class="muted">{ name(decision) }</span>{ " " }</span>
                }) }</div></li>
    }
}

fn missed(page: &Page, run: &Run) -> Html {
    let score = page.state.score();
    if score.missed.is_empty() || page.state.is_predicted() && page.state.at_end() {
        return Html::default();
    }
    html! {
        <section class="missed" id="predict-missed">
            <h3>{ page.word("predict.missed") }<span class="muted">{ score.missed.len() }</span></h3>
            <ul>{ for score.missed.iter().map(|missed| missed_rule(page, run, missed)) }</ul>
        </section>
    }
}

/// What the answers add up to, and what can be done about it.
fn summary(page: &Page) -> Html {
    let Some(run) = page.state.document.run.clone() else { return Html::default() };
    let score: Score = page.state.score();
    let frequent = score.by_frequency();
    let has_miss = page.state.first_miss().is_some();
    let oncopy = {
        let (page, score) = (page.clone(), score.clone());
        let planner = planner::title_of(&run.planner, page.speech());
        Callback::from(move |_: MouseEvent| {
            let graph = page.state.document.open.as_ref().map_or(String::new(), |document| document.name.clone());
            let lines = score.lines(&graph, &planner);
            let text: Vec<String> = lines.iter().map(|line| page.speech().say(line)).collect();
            copy(text.join("\n"), &page.send, Message::new("predict.copied"));
        })
    };
    html! {
        <section class="summary" id="predict-summary" aria-label={page.word("predict.summary")}>
            <h3>{ page.word("predict.summary") }</h3>
            <p class="headline">{ page.speech().say(&score.line()) }</p>
            <p>{ page.speech().say(&score.growth_line()) }</p>
            if score.better > 0 { <p>{ page.speech().say(&score.better_line()) }</p> }
            if !frequent.is_empty() {
                <h3>{ page.word("predict.missed") }</h3>
                <ul class="missed-rules">{ for frequent.iter().map(|missed| missed_rule(page, &run, missed)) }</ul>
            }
            <div class="acts">
                if has_miss {
                    <button type="button" class="btn main" id="predict-again-miss" onclick={page.on(|| Action::Predict(PredictAction::AgainFromMiss))}>{ page.word("predict.again-miss") }</button>
                }
                if !frequent.is_empty() {
                    <button type="button" class="btn line" id="predict-again-kinds" onclick={page.on(|| Action::Predict(PredictAction::AgainKinds))}>{ page.word("predict.again-kinds") }</button>
                }
                <button type="button" class="btn line" id="predict-copy" onclick={oncopy}>{ page.word("predict.copy") }</button>
            </div>
        </section>
    }
}
