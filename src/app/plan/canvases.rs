use std::cell::RefCell;
use std::rc::Rc;

use yew::prelude::*;

use crate::app::browser::canvas::Repaint;
use crate::app::browser::dom::until_then;
use crate::app::context::hover::Side;
use crate::app::context::use_page;
use crate::app::plan::gestures::listen;
use crate::app::plan::label::{buffer_words, plan_label};
use crate::app::plan::motion::{Seen, movers};
use crate::app::plan::paints::{Paints, Shot};
use crate::app::plan::present::{Gesture, Present};
use crate::app::plan::shared::CanvasesProps;
use crate::app::plan::spot::Spot;
use crate::app::plan::spot_menu::spot_menu;
use crate::app::plan::tooltip::{Tip, tooltip};
use crate::app::plan::viewing::Watcher;
use crate::base::Message;
use crate::problem::BufferId;
use crate::scene::{Marks, Rect};

#[component]
pub fn Canvases(props: &CanvasesProps) -> Html {
    let page = use_page();
    let (base, middle, top) = (use_node_ref(), use_node_ref(), use_node_ref());
    let gesture = use_mut_ref(Gesture::default);
    let repaint_all = use_mut_ref(Repaint::default);
    let shot = use_mut_ref(Shot::default);
    let repaint_top = use_mut_ref(Repaint::default);
    let tip = use_state_eq(|| None::<Tip>);
    let merged = use_state_eq(|| (0u32, None::<BufferId>));
    let rubber = use_state_eq(|| None::<Rect>);
    let spot = use_state_eq(|| None::<Spot>);
    let seen = use_mut_ref(Seen::default);

    let hover = page.hover.clone();

    let state = page.state.clone();
    let marks = {
        let gesture = gesture.borrow();
        // What was pointed at may be of the document before.
        let buffers = props.picture.0.as_ref().map_or(0, |picture| picture.run.problem.buffers.len());
        Marks {
            selected: state.stepping.selection,
            hovered: gesture.hovered.filter(|id| (id.0 as usize) < buffers),
            focused: None,
            candidate: state.stepping.candidate.or(gesture.hovered_candidate),
            missed: false,
            node: state.stepping.node,
            step: None,
        }
    };
    let scene_of = {
        let (picture, viewing, dark) = (props.picture.0.clone(), props.viewing.0.clone(), props.dark);
        Rc::new(Paints {
            picture,
            viewing,
            dark,
            nodes: (base.clone(), middle.clone(), top.clone()),
            marks: RefCell::new(marks),
            merged: merged.setter(),
            shot,
        })
    };
    {
        let (paints, repaint) = (scene_of.clone(), repaint_all.clone());
        let key = (
            props.picture.clone(),
            props.dark,
            state.stepping.selection,
            state.stepping.candidate,
            state.stepping.node,
        );
        use_effect_with(key, move |_| repaint.borrow().ask(move || paints.all()));
    }
    {
        let (paints, repaint) = (scene_of.clone(), repaint_all.borrow().clone());
        let repaint = move |()| {
            let paints = paints.clone();
            repaint.ask(move || paints.moved());
        };
        props.viewing.0.watch(Watcher::Stage, Some(Callback::from(repaint)));
    }
    // Listeners are set once; they find the present page here.
    let present = use_mut_ref(|| None::<Present>);
    *present.borrow_mut() = Some(Present {
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
        selection: state.stepping.selection,
        spot: spot.setter(),
    });
    {
        let (present, top) = (present.clone(), top.clone());
        use_effect_with((), move |_| until_then(listen(&top, &present)));
    }
    {
        let present = present.clone();
        use_effect_with((), move |_| {
            let outline = move |buffer: Option<BufferId>| {
                if let Some(present) = &*present.borrow() {
                    present.outline(buffer, None);
                }
            };
            hover.watch(Side::Plan, Some(Callback::from(outline)));
            move || hover.watch(Side::Plan, None)
        });
    }

    let label = props.picture.0.as_ref().map(|picture| plan_label(&page, picture)).unwrap_or_default();
    let facts = props.picture.0.as_ref().map(|picture| (picture.run.metrics.peak, picture.run.metrics.lower_bound));
    let (peak, bound) = facts.unwrap_or((0, 0));
    let placed = props.picture.0.as_ref().map_or(0, |picture| picture.frame.placed);
    let picked = props.picture.0.as_ref().zip(state.stepping.selection);
    let spoken = picked.map(|(picture, id)| buffer_words(&page, &picture.run, &picture.frame, id)).unwrap_or_default();
    html! { <>
        <canvas ref={base} aria-hidden="true"></canvas>
        <canvas ref={middle} aria-hidden="true"></canvas>
        <canvas ref={top} class="top" id="plan" tabindex="0" role="application" aria-label={label} aria-describedby="plan-keys"
            data-peak={peak.to_string()} data-lower-bound={bound.to_string()} data-frame={state.frame().to_string()}
            data-frames={state.frames().to_string()} data-planner={state.document.run.as_ref().filter(|_| page.settled).map(|run| run.planner.clone())}
            data-selected={picked.map(|(picture, id)| picture.run.problem.buffers[id].name.clone())}
            data-conflict={props.picture.0.as_ref().map(|picture| picture.index.conflict().len()).filter(|count| *count > 0).map(|count| count.to_string())}
            data-lane={state.stepping.lane.map(|lane| lane.index.to_string())} data-placed={placed.to_string()}></canvas>
        if let Some((picture, view)) = props.picture.0.as_ref().zip(props.viewing.0.view()) {
            { movers(&page, picture, view, &seen) }
        }
        <p id="plan-keys" class="visually-hidden">{ page.word("aria.plan-keys") }</p>
        <p class="visually-hidden" role="status">{ spoken }</p>
        if let Some(rect) = &*rubber {
            <div class="rubber" style={format!("left:{}px;top:{}px;width:{}px;height:{}px", rect.x, rect.y, rect.w, rect.h)}></div>
        }
        if let (Some(tip), Some(picture)) = ((*tip).clone(), props.picture.0.clone()) {
            { tooltip(&page, &picture, &tip) }
        }
        if let (Some(spot), Some(picture)) = ((*spot).clone(), props.picture.0.clone()) {
            { spot_menu(&page, &picture, &spot, &present) }
        }
        if merged.0 > 0 {
            <p class="density">
                { page.speech().say(&Message::new("stage.merged").count("n", merged.0)) }
                if let Some(smallest) = merged.1 {
                    { " " }<button type="button" class="name" onclick={
                        let present = present.clone();
                        Callback::from(move |_| if let Some(present) = &*present.borrow() { present.zoom_to_buffer(smallest); })
                    }>{ page.word("stage.zoom-smallest") }</button>
                }
            </p>
        }
    </> }
}
