use std::cell::RefCell;
use std::rc::Rc;

use yew::prelude::*;

use crate::browser::canvas::Repaint;
use crate::browser::css;
use crate::browser::dom::until_then;
use crate::context::hover::{Hover, Pointed, Side};
use crate::context::{Drawn, Page, use_page};
use crate::plan::gestures::listen;
use crate::plan::handler::{Gesture, Handler};
use crate::plan::label::{buffer_words, plan_label};
use crate::plan::motion::{Seen, movers};
use crate::plan::paints::{Paints, Shot};
use crate::plan::shared::{CanvasesProps, Shared};
use crate::plan::spot::Spot;
use crate::plan::spot_menu::spot_menu;
use crate::plan::tooltip::{Tip, tooltip};
use crate::plan::viewing::{Picture, Watcher};
use crate::shell::state::State;
use crate::shell::state::panels::Mode;
use crate::step::state::offering::Offer;
use gloo_timers::callback::Timeout;
use memplan_core::plan::Place;
use memplan_scene::{Guess, GuessTone, Marks, Rect};
use memplan_teach::exercise::{Given, judge};

#[component]
pub fn Canvases(props: &CanvasesProps) -> Html {
    let page = use_page();
    let (base, middle, top) = (use_node_ref(), use_node_ref(), use_node_ref());
    let gesture = use_mut_ref(Gesture::default);
    let repaint_all = use_mut_ref(Repaint::default);
    let shot = use_mut_ref(Shot::default);
    let repaint_top = use_mut_ref(Repaint::default);
    let tip = use_state_eq(|| None::<Tip>);
    let rubber = use_state_eq(|| None::<Rect>);
    let spot = use_state_eq(|| None::<Spot>);
    let seen = use_mut_ref(Seen::default);

    let hover = page.hover.clone();

    let state = page.state.clone();
    let offer = props.picture.0.as_ref().and_then(|picture| state.offer(&picture.run, &picture.frame));
    let marks = marks_of(&state, &gesture.borrow(), &props.picture, offer.as_ref());
    let scene_of = {
        let (picture, viewing, dark) = (props.picture.0.clone(), props.viewing.0.clone(), props.dark);
        Rc::new(Paints {
            picture,
            viewing,
            dark,
            nodes: (base.clone(), middle.clone(), top.clone()),
            marks: RefCell::new(marks),
            shot,
            made: RefCell::default(),
        })
    };
    use_painting(props, &scene_of, &state, [&repaint_all.borrow(), &repaint_top.borrow()], &tip.setter());
    // Listeners are set once; they find the handler of the newest render here.
    let handler = use_mut_ref(|| None::<Handler>);
    *handler.borrow_mut() = Some(Handler {
        paints: scene_of.clone(),
        send: page.send.clone(),
        repaint_top: repaint_top.borrow().clone(),
        hover: hover.clone(),
        gesture: gesture.clone(),
        tip: tip.setter(),
        pinned: tip.as_ref().is_some_and(|tip| tip.pinned),
        rubber: rubber.setter(),
        single_keys: state.settings.single_keys,
        embedded: state.settings.embed.is_some(),
        has_cursor: state.settings.embed.is_none() && matches!(state.view.mode, Mode::Step | Mode::Learn),
        step: state.shown_step(),
        packs: state.is_to_pack(),
        presenting: state.presenting(),
        selection: state.stepping.selection,
        offer: offer.clone(),
        spot: spot.setter(),
    });
    use_listeners(&handler, &top, hover);

    let picked = props.picture.0.as_ref().zip(state.stepping.selection);
    let spoken = picked.map(|(picture, id)| buffer_words(&page, &picture.run, &picture.frame, id)).unwrap_or_default();
    html! { <>
        <canvas ref={base} aria-hidden="true"></canvas>
        <canvas ref={middle} aria-hidden="true"></canvas>
        { top_canvas(&page, top, &props.picture, offer.as_ref()) }
        if let Some((picture, view)) = props.picture.0.as_ref().zip(props.viewing.0.view()) {
            { movers(&page, picture, view, &seen) }
        }
        <p id="plan-keys" class="visually-hidden">{ page.word("aria.plan-keys") }</p>
        <p class="visually-hidden" role="status">{ spoken }</p>
        if let Some(rect) = &*rubber {
            <div class="rubber" ~style={css(format!("left:{}px;top:{}px;width:{}px;height:{}px", rect.x, rect.y, rect.w, rect.h))}></div>
        }
        if let (Some(tip), Some(picture)) = ((*tip).clone(), props.picture.0.clone()) {
            { tooltip(&page, &picture, &tip) }
        }
        if let (Some(spot), Some(picture)) = ((*spot).clone(), props.picture.0.clone()) {
            { spot_menu(&page, &picture, &spot, &handler) }
        }
    </> }
}

/// The topmost canvas, which takes focus and pointer. Its label is for screen readers, its data for
/// scripts and tests.
fn top_canvas(page: &Page, top: NodeRef, picture: &Shared, offer: Option<&Offer>) -> Html {
    let (state, picture) = (&page.state, picture.0.as_ref());
    let label = picture.map(|picture| plan_label(page, picture)).unwrap_or_default();
    // The figures may be what is asked.
    let figures = picture.filter(|_| !state.keeps_figures_back()).map(|picture| &picture.run.metrics);
    let (peak, bound) = figures.map_or((0, 0), |metrics| (metrics.peak, metrics.lower_bound));
    let placed = picture.map_or(0, |picture| picture.frame.placed);
    let planner = state.document.run.as_ref().filter(|_| page.drawn == Drawn::All).map(|run| run.planner.clone());
    let selected = picture.zip(state.stepping.selection);
    let selected = selected.map(|(picture, id)| picture.run.problem.buffers[id].name.clone());
    let conflict = picture.map(|picture| picture.index.conflict().len()).filter(|count| *count > 0);
    html! {
        <canvas ref={top} class="top" id="plan" tabindex="0" role="application" aria-label={label} aria-describedby="plan-keys"
            data-peak={peak.to_string()} data-lower-bound={bound.to_string()} data-frame={state.frame().to_string()}
            data-frames={state.frames().to_string()} data-planner={planner} data-selected={selected}
            data-conflict={conflict.map(|count| count.to_string())}
            data-offers={offer.map(|offer| offer.places.len().to_string())}
            data-lane={state.stepping.lane.map(|lane| lane.index.to_string())} data-placed={placed.to_string()}
            data-step={state.shown_step().map(|step| step.to_string())}></canvas>
    }
}

/// What is outlined on the plan.
fn marks_of(state: &State, gesture: &Gesture, picture: &Shared, offer: Option<&Offer>) -> Marks {
    // What was pointed at may be of the document before.
    let buffers = picture.0.as_ref().map_or(0, |picture| picture.run.problem.buffers.len());
    let points = state.presenting().is_none_or(|presenting| presenting.highlight);
    Marks {
        selected: state.stepping.selection,
        hovered: gesture.hovered.buffer.filter(|id| (id.0 as usize) < buffers && points),
        hovered_step: gesture.hovered.step.filter(|_| points),
        focused: None,
        candidate: state.stepping.candidate.or(gesture.hovered_candidate),
        missed: false,
        node: state.stepping.node,
        step: None,
        cursor: state.shown_step(),
        term: state.lit_term(),
        guess: match offer {
            // What was pointed at may be of the question before.
            Some(offer) => {
                let mark = |place: Option<Place>| place.and_then(|place| offer.guess(place));
                mark(gesture.aimed).or_else(|| mark(offer.chosen))
            }
            None => picture.0.as_ref().and_then(|picture| guessed(state, picture)),
        },
        budget: None,
        claim: None,
    }
}

/// The place that was guessed, once the answer is there.
fn guessed(state: &State, picture: &Picture) -> Option<Guess> {
    let (decision, answer) = state.answer_here()?;
    let Given::Guess(place) = answer.given else { return None };
    let is_free = || judge(&picture.run, decision, place).is_some_and(|judged| judged.is_free);
    let tone = match answer.is_right() {
        true => GuessTone::Right,
        false if is_free() => GuessTone::Free,
        false => GuessTone::Taken,
    };
    Some(Guess { buffer: picture.frame.focus?, place, tone })
}

/// Paints all when what is shown changes, and what has moved when the view does, which closes the
/// tooltip.
#[hook]
fn use_painting(
    props: &CanvasesProps,
    paints: &Rc<Paints>,
    state: &State,
    repaints: [&Repaint; 2],
    tip: &UseStateSetter<Option<Tip>>,
) {
    let [repaint, repaint_top] = repaints;
    let stepping = &state.stepping;
    let picked = (stepping.selection, stepping.candidate, stepping.node);
    let guess = paints.marks.borrow().guess;
    let key = (props.picture.clone(), props.dark, picked, state.presenting(), guess);
    {
        let (paints, repaint) = (paints.clone(), repaint.clone());
        use_effect_with(key, move |_| {
            let task = paints.is_long().then(|| {
                let (paints, repaint) = (paints.clone(), repaint.clone());
                Timeout::new(0, move || {
                    paints.make();
                    repaint.ask(move || paints.all());
                })
            });
            if task.is_none() {
                repaint.ask(move || paints.all());
            }
            move || drop(task)
        });
    }
    {
        // What a term means lies on the topmost canvas.
        let (paints, repaint) = (paints.clone(), repaint_top.clone());
        use_effect_with(state.lit_term(), move |_| repaint.ask(move || paints.top()));
    }
    let (paints, repaint) = (paints.clone(), repaint.clone());
    let tip = tip.clone();
    let repaint = move |()| {
        // What it points at moves away from under it.
        tip.set(None);
        let paints = paints.clone();
        repaint.ask(move || paints.moved());
    };
    props.viewing.0.watch(Watcher::Stage, Some(Callback::from(repaint)));
}

/// Listens to the canvas, and to lists in which buffers are pointed at.
#[hook]
fn use_listeners(handler: &Rc<RefCell<Option<Handler>>>, top: &NodeRef, hover: Rc<Hover>) {
    {
        let (handler, top) = (handler.clone(), top.clone());
        use_effect_with((), move |_| until_then(listen(&top, &handler)));
    }
    let handler = handler.clone();
    use_effect_with((), move |_| {
        let outline = move |pointed: Pointed| {
            if let Some(handler) = &*handler.borrow() {
                handler.outline(pointed, None);
            }
        };
        hover.watch(Side::Plan, Some(Callback::from(outline)));
        move || hover.watch(Side::Plan, None)
    });
}
