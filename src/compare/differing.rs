//! How each column differs from the reference, and which columns show the same plan.

use std::rc::Rc;

use yew::prelude::*;

use crate::compare::change;
use crate::compare::state::Change;
use crate::compare::state::comparison::{Column, Sheet, Shown};
use crate::context::Page;
use crate::context::same::Same;
use crate::shell::state::State;
use memplan_core::base::Message;
use memplan_replay::{Differences, differences};

/// How the compared plans differ.
pub struct Differing {
    /// How each column differs from the reference; none for the reference and for columns without a
    /// plan.
    pub from_reference: Vec<Option<Same<Differences>>>,
    /// For each column, the number of the first column to its left that shows the same plan.
    pub repeats: Vec<Option<usize>>,
}

/// Returns the differences, computed again only when a plan or the reference changes; nothing while
/// the columns are out of sight.
#[hook]
pub fn use_differing(state: &Rc<State>) -> Same<Differing> {
    let comparing = &state.comparing;
    let columns: &[Column] = if comparing.sheet == Sheet::Columns { &comparing.columns } else { &[] };
    let plans: Vec<Option<Same<Shown>>> = columns.iter().map(|column| column.plan().map(Same::from)).collect();
    let key = (plans, comparing.reference);
    let state = state.clone();
    Same(use_memo(key, move |(plans, _)| {
        let found = if plans.is_empty() { Vec::new() } else { state.comparing.differences() };
        Differing {
            from_reference: found.into_iter().map(|found| Some(Same(Rc::new(found?)))).collect(),
            repeats: (0..plans.len()).map(|number| repeats(plans, number)).collect(),
        }
    }))
}

fn repeats(plans: &[Option<Same<Shown>>], number: usize) -> Option<usize> {
    let own = plans[number].as_ref()?;
    let is_same = |other: &usize| {
        let other = plans[*other].as_ref();
        other.is_some_and(|other| differences(&other.0.run, &own.0.run).is_identical())
    };
    (0..number).find(is_same)
}

/// Returns the line below a column: the first decision that differs from the reference, and how
/// many differ. For the reference itself: its number of frames.
pub fn difference_line(page: &Page, column: &Column, is_reference: bool, found: Option<&Differences>) -> Html {
    let speech = page.speech();
    let line = match (found, column.plan()) {
        (_, Some(shown)) if is_reference => {
            let frames = shown.run.timeline.decisions.len();
            html! { { speech.say(&Message::new("compare.reference-frames").count("n", frames)) } }
        }
        (Some(found), _) if found.is_identical() => {
            html! { <span class="same">{ page.word("compare.identical") }</span> }
        }
        (Some(found), _) => match (found.elsewhere.first(), page.state.comparing.reference()) {
            (Some(&first), Some(reference)) => {
                let decision = &reference.run.timeline.decisions[first as usize];
                let name = &reference.run.problem.buffers[decision.buffer].name;
                let message = Message::new("compare.first-difference").count("frame", first + 1).text("name", name);
                let elsewhere =
                    Message::new("compare.elsewhere").count("n", found.elsewhere.len()).count("of", found.decisions);
                let (send, frame) = (page.send.clone(), first + 1);
                let lead = Callback::from(move |_: MouseEvent| send.emit(change(Change::Seek(frame))));
                html! { <>
                    <button type="button" class="name cut" data-first={frame.to_string()} onclick={lead}>{ speech.say(&message) }</button>
                    { " · " }{ speech.say(&elsewhere) }
                </> }
            }
            _ => html! { { speech.say(&Message::new("compare.places-more").count("n", found.more)) } },
        },
        _ => Html::default(),
    };
    html! { <p class="difference">{ line }</p> }
}
