//! What stands below the heading of a column: its moment in figures, its plan, and why.

use std::rc::Rc;

use yew::prelude::*;

use crate::compare::common::Common;
use crate::compare::differing::difference_line;
use crate::compare::finished::{Why, finished_figures};
use crate::compare::plot::Plot;
use crate::compare::state::Change;
use crate::compare::state::comparison::{Column, Shown, Sync};
use crate::compare::state::together::Stand;
use crate::compare::{change, selected_in};
use crate::context::same::Same;
use crate::context::sentence::words;
use crate::context::{Page, use_page};
use crate::plan::beside::{figures_words, why_left_out};
use crate::shell::state::action::{Action, StepAction};
use crate::widgets::late::Late;
use memplan_core::base::Message;
use memplan_core::problem::BufferId;
use memplan_replay::{Differences, Frame, Level, Run, counterpart, why};

#[derive(Properties, PartialEq)]
pub struct BodyProps {
    pub number: usize,
    pub shown: Same<Shown>,
    /// How many of the plans beside each other are ready to be drawn: all of them have one scale.
    pub ready: usize,
    pub differences: Option<Same<Differences>>,
    pub common: Same<Common>,
    pub dark: bool,
}

#[component]
pub fn Body(props: &BodyProps) -> Html {
    let page = use_page();
    let comparing = &page.state.comparing;
    let shown = props.shown.0.clone();
    let column = comparing.columns.get(props.number);
    let stand = column
        .map_or(Stand { events: u32::MAX, finished: true, left_out: None }, |column| comparing.stand(column, &shown));
    let frame = use_memo((props.shown.clone(), stand), |(shown, stand)| {
        let run = &shown.0.run;
        if stand.finished { run.finished() } else { run.frame(stand.events) }
    });
    let Some(column) = column else { return Html::default() };
    let is_reference = comparing.reference_column().is_some_and(|other| std::ptr::eq(other, column));
    html! { <>
        <p class="column-figures">{ if stand.finished { finished_figures(&page, column, is_reference) } else { figures_of(&page, &shown, &frame) } }</p>
        { difference_line(&page, column, is_reference, props.differences.as_ref().map(|found| &*found.0)) }
        <div class="plot-place">
            { plot(&page, props, column, &frame, stand) }
            if comparing.sync == Sync::Own { { stepper(&page, props.number, column, &shown) } }
        </div>
        { match stand {
            Stand { left_out: Some(id), .. } => html! { <div class="above decision"><p>{ left_out(&page, &shown.run, id) }</p></div> },
            Stand { finished: true, .. } => html! { <Late><Why shown={props.shown.clone()} step={comparing.step()} /></Late> },
            _ => decision(&page, &shown.run, &frame),
        } }
    </> }
}

/// The plan of a column; a click chooses a step of all columns, and a buffer of the open document.
fn plot(page: &Page, props: &BodyProps, column: &Column, frame: &Rc<Frame>, stand: Stand) -> Html {
    let comparing = &page.state.comparing;
    let run = props.shown.0.run.clone();
    let metrics = &run.metrics;
    let label = Message::new("aria.column").text("planner", column.choice.words(page.speech()));
    let label = label.bytes("peak", metrics.peak).bytes("bound", metrics.bound()).count("step", comparing.step());
    let plans = comparing.columns.iter().filter(|_| !comparing.fit_each).filter_map(Column::plan);
    let ready = plans.filter(|shown| shown.is_ready());
    let beside = ready.map(|shown| (Same(shown.index().clone()), comparing.squeeze_of(shown)));
    let against = comparing.reference().filter(|other| comparing.differences && !Rc::ptr_eq(other, &props.shown.0));
    let onpick = {
        let (send, own, run) = (page.send.clone(), page.state.document.run.clone(), run.clone());
        Callback::from(move |(step, buffer): (Option<u32>, Option<BufferId>)| {
            step.into_iter().for_each(|step| send.emit(change(Change::Step(step))));
            let found = buffer.zip(own.as_ref()).and_then(|(id, own)| counterpart(&run, id, own));
            send.emit(Action::Step(StepAction::Select(found)));
        })
    };
    // The cursor reads finished plans; a decision is looked at for itself.
    let reads = stand.finished && stand.left_out.is_none();
    html! {
        <Plot number={props.number} run={Same(run.clone())} index={Same(props.shown.0.index().clone())} frame={Same(frame.clone())} stepping={!stand.finished}
            step={comparing.step()} {reads} selected={selected_in(page, &run)} against={against.map(|shown| Same(shown.run.clone()))} beside={beside.collect::<Vec<_>>()}
            turned={comparing.turned} squeeze={comparing.squeeze_of(&props.shown.0)} dim={!comparing.differences} common={props.common.clone()} label={page.speech().say(&label)} {onpick} dark={props.dark} />
    }
}

/// The number of the frame, the peak up to it, and that of the finished plan.
fn figures_of(page: &Page, shown: &Shown, frame: &Frame) -> Html {
    let [number, now, end] = figures_words(page, shown, frame);
    let class = (shown.found.figures.broken > 0).then_some("struck");
    html! { <>{ number }{ " · " }<b {class}>{ now }</b>{ " · " }<span {class}>{ end }</span></> }
}

/// What happens in this frame, and the rule that decided.
fn decision(page: &Page, run: &Run, frame: &Frame) -> Html {
    let why = why(run, frame);
    html! { <div class="above decision">
        <p class="headline-line">{ words(page, &why.headline) }</p>
        if let Some(rule) = why.rule { <p class="muted">{ words(page, &rule) }</p> }
    </div> }
}

fn left_out(page: &Page, run: &Run, id: BufferId) -> Html {
    let [sentence, reason] = why_left_out(run, id);
    html! { <>{ sentence.map(|sentence| words(page, &sentence)) }{ page.blank() }{ reason.map(|reason| words(page, &reason)) }</> }
}

/// The stepper of one column.
fn stepper(page: &Page, number: usize, column: &Column, shown: &Rc<Shown>) -> Html {
    let timeline = &shown.run.timeline;
    let last = timeline.frames(Level::Decisions) - 1;
    let here = timeline.frame_at(Level::Decisions, page.state.comparing.stand(column, shown).events);
    let oninput = {
        let (send, shown) = (page.send.clone(), shown.clone());
        Callback::from(move |event: InputEvent| {
            let value = event.target_unchecked_into::<web_sys::HtmlInputElement>().value();
            let events = shown.run.timeline.events_at(Level::Decisions, value.parse().unwrap_or(0));
            send.emit(change(Change::Cursor { column: number, events }));
        })
    };
    html! { <label class="own-stepper"><span class="visually-hidden">{ page.word("compare.frame") }</span>
    <input type="range" min="0" max={last.to_string()} value={here.to_string()} {oninput} /><span class="num">{ format!("{here} / {last}") }</span></label> }
}
