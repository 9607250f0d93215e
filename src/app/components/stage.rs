//! The plan: three stacked canvases with what a screen reader is told of them.
//!
//! Pan, zoom and hover change a [`Viewing`] and repaint; the virtual DOM hears of them only where it shows something.

use std::cell::RefCell;
use std::rc::Rc;

use yew::prelude::*;

use super::canvas::{Repaint, device_pixels, use_size};
use super::gestures::{Gesture, Present, listen};
use super::header::show_files;
use super::hover::Side;
use super::lanes::{banner, use_opened};
use super::minimap::Minimap;
use super::motion::{Seen, movers};
use super::paints::{Paints, Shot};
use super::spot::{Spot, spot_menu};
use super::tooltip::{Tip, tooltip};
use super::viewing::{Picture, Viewing, Watcher};
use super::{Layout, Page, use_page};
use crate::app::hooks::{pick_files, until_then};
use crate::app::state::{Action, Mode, index_of};
use crate::base::Message;
use crate::paint::canvas::Palette;
use crate::planner;
use crate::problem::BufferId;
use crate::replay::{Frame, Run};
use crate::scene::{Marks, Rect, Style};

pub fn style_of(page: &Page, run: &Run) -> Style {
    let look = page.state.look;
    Style {
        speech: page.speech(),
        narrow: page.layout == Layout::Narrow,
        show_tree: look.tree && run.has_tree(),
        dim: look.dim,
        show_load: look.load,
        show_waste: look.waste,
        show_reuse: look.reuse,
        color_by: page.state.color_by,
        sweeps: planner::info(&run.planner).is_some_and(|info| info.sweeps),
        pixel: 1.0 / device_pixels(),
        ..Style::default()
    }
}

#[derive(Properties, PartialEq)]
pub struct StageProps {
    pub dark: bool,
}

#[component]
pub fn StagePanel(props: &StageProps) -> Html {
    let page = use_page();
    let host = use_node_ref();
    let size = use_size(host.clone());
    let run = page.state.run.clone();
    let opened = use_opened(&page);
    let opened_frame = (*opened).as_ref().map(|opened| opened.frame.clone());
    let conflict = use_conflict(&page);
    let index = {
        let (run, conflict) = (run.clone(), conflict.clone());
        let key = (run.as_ref().map_or(0, |run| Rc::as_ptr(run) as usize), conflict.clone());
        use_memo(key, move |_| run.map(|run| Rc::new(index_of(&run).with_conflict(conflict))))
    };
    // A state that was given up may reach higher than the plan ever does.
    let index = {
        let (run, index, frame) = (run.clone(), (*index).clone(), opened_frame.clone());
        let key = (index.as_ref().map(|index| Rc::as_ptr(index) as usize), page.state.lane);
        let conflict = conflict.clone();
        use_memo(key, move |_| match (run, index, frame) {
            (Some(run), Some(index), Some(frame)) if !index.has_room(&frame) => {
                Some(Rc::new(index_of(&run).with_conflict(conflict).with_room(&frame)))
            }
            (_, index, _) => index,
        })
    };
    let viewing = use_memo((), |()| Viewing::default());
    let frame = opened_frame.or(page.frame.clone());
    let picture =
        run.zip((*index).clone()).zip(frame).filter(|_| size.0 > 0.0 && size.1 > 0.0).map(|((run, index), frame)| {
            let style = style_of(&page, &run);
            Picture { run, index, frame, style, size }
        });
    if let Some(picture) = &picture {
        let state = &page.state;
        viewing.follow(picture, state.visiting, state.view, page.send.reform(Action::Viewed));
    }
    html! {
        <div class="stage" id="region-stage" tabindex="-1">
            { banner(&page, (*opened).as_ref()) }
            <div role="status">
                if page.state.editing.as_ref().is_some_and(|editing| !editing.faults.is_empty()) {
                    <div class="banner" id="stale-banner"><span>{ page.word("stage.before-change") }</span></div>
                }
            </div>
            <div class="plan" ref={host}>
                <Canvases picture={Shared(picture.clone())} viewing={SharedView(viewing.clone())} dark={props.dark} />
                if page.state.run.as_ref().is_some_and(|run| run.problem.buffers.is_empty()) { { nothing_yet(&page) } }
            </div>
            if page.layout == Layout::Wide && page.state.look.minimap {
                <Minimap picture={Shared(picture)} viewing={SharedView(viewing)} dark={props.dark} />
            }
        </div>
    }
}

/// Where there is nothing to draw: what to do about it.
fn nothing_yet(page: &Page) -> Html {
    let send = page.send.clone();
    let pick = Callback::from(move |_: MouseEvent| pick_files(send.clone()));
    let examples = show_files(page);
    let is_graph = page.state.document.as_ref().is_some_and(|document| document.graph.is_some());
    html! {
        <div class="nothing">
            <p>{ page.word("stage.nothing") }</p>
            if is_graph {
                <button type="button" class="btn line" onclick={page.on(|| Action::Mode(Mode::Edit))}>{ page.word("stage.nothing-edit") }</button>
            }
            <button type="button" class="btn line" onclick={pick}>{ page.word("files.open") }</button>
            <button type="button" class="btn line" onclick={examples}>{ page.word("files.examples") }</button>
        </div>
    }
}

/// Buffers of the run shown that do not fit into the capacity that was asked for, as long as the notice says so.
#[hook]
fn use_conflict(page: &Page) -> Rc<Vec<BufferId>> {
    let told = page.state.notice.as_ref().and_then(|notice| planner::conflict(&notice.title));
    let run = page.state.run.clone();
    let key = (run.as_ref().map(|run| Rc::as_ptr(run) as usize), told.map(<[String]>::to_vec));
    use_memo(key, |(_, told)| {
        let named = told.iter().flatten().filter_map(|name| run.as_ref()?.problem.buffer_named(name));
        named.collect::<Vec<BufferId>>()
    })
}

/// A picture as a property: equal while nothing it is made of changed.
#[derive(Clone)]
pub struct Shared(pub Option<Picture>);

impl PartialEq for Shared {
    fn eq(&self, other: &Shared) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => {
                let same_run = Rc::ptr_eq(&a.run, &b.run) && Rc::ptr_eq(&a.index, &b.index);
                same_run && Rc::ptr_eq(&a.frame, &b.frame) && a.style == b.style && a.size == b.size
            }
            (None, None) => true,
            _ => false,
        }
    }
}

/// The view as a property: the same cell for good.
#[derive(Clone)]
pub struct SharedView(pub Rc<Viewing>);

impl PartialEq for SharedView {
    fn eq(&self, _: &SharedView) -> bool {
        true
    }
}

#[derive(Properties, PartialEq)]
pub struct CanvasesProps {
    pub picture: Shared,
    pub viewing: SharedView,
    pub dark: bool,
}

#[component]
fn Canvases(props: &CanvasesProps) -> Html {
    let page = use_page();
    let (base, middle, top) = (use_node_ref(), use_node_ref(), use_node_ref());
    let colours = use_mut_ref(|| None::<(bool, Palette)>);
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
            selected: state.selection,
            hovered: gesture.hovered.filter(|id| (id.0 as usize) < buffers),
            focused: None,
            candidate: state.candidate.or(gesture.hovered_candidate),
            missed: false,
            node: state.node,
            step: None,
        }
    };
    let scene_of = {
        let (picture, viewing, dark) = (props.picture.0.clone(), props.viewing.0.clone(), props.dark);
        Rc::new(Paints {
            picture,
            viewing,
            dark,
            colours,
            nodes: (base.clone(), middle.clone(), top.clone()),
            marks: RefCell::new(marks),
            merged: merged.setter(),
            shot,
        })
    };
    {
        let (paints, repaint) = (scene_of.clone(), repaint_all.clone());
        let key = (props.picture.clone(), props.dark, state.selection, state.candidate, state.node);
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
        single_keys: state.single_keys,
        embedded: state.embed.is_some(),
        selection: state.selection,
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
    let picked = props.picture.0.as_ref().zip(state.selection);
    let spoken = picked.map(|(picture, id)| buffer_words(&page, &picture.run, &picture.frame, id)).unwrap_or_default();
    html! { <>
        <canvas ref={base} aria-hidden="true"></canvas>
        <canvas ref={middle} aria-hidden="true"></canvas>
        <canvas ref={top} class="top" id="plan" tabindex="0" role="application" aria-label={label} aria-describedby="plan-keys"
            data-peak={peak.to_string()} data-lower-bound={bound.to_string()} data-frame={state.frame().to_string()}
            data-frames={state.frames().to_string()} data-planner={state.run.as_ref().filter(|_| page.settled).map(|run| run.planner.clone())}
            data-selected={picked.map(|(picture, id)| picture.run.problem.buffers[id].name.clone())}
            data-conflict={props.picture.0.as_ref().map(|picture| picture.index.conflict().len()).filter(|count| *count > 0).map(|count| count.to_string())}
            data-lane={state.lane.map(|lane| lane.index.to_string())} data-placed={placed.to_string()}></canvas>
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

/// What a screen reader and a test read of the plan.
fn plan_label(page: &Page, picture: &Picture) -> String {
    let metrics = &picture.run.metrics;
    let name = page.state.document.as_ref().map(|document| document.name.clone()).unwrap_or_default();
    let planner = planner::info(&picture.run.planner)
        .map_or_else(|| page.word("planner.imported"), |info| info.full_title(page.speech()));
    let left_out = picture.run.plan.unplanned.len();
    let is_whole = left_out == 0 || metrics.placed == 0;
    let key = if is_whole { "aria.plan" } else { "aria.plan-partial" };
    page.speech().say(
        &Message::new(key)
            .count("out", left_out as u64)
            .bytes("placed-bound", metrics.placed_lower_bound)
            .text("graph", name)
            .text("planner", planner)
            .count("buffers", metrics.buffers)
            .bytes("peak", metrics.peak)
            .bytes("bound", metrics.lower_bound)
            .count("frame", page.state.frame())
            .count("frames", page.state.frames() - 1),
    )
}

fn buffer_words(page: &Page, run: &Run, frame: &Frame, id: BufferId) -> String {
    let buffer = &run.problem.buffers[id];
    let key = if frame.places[id].is_some() { "aria.buffer" } else { "aria.buffer-unplaced" };
    page.speech().say(
        &Message::new(key)
            .text("name", buffer.name.clone())
            .bytes("size", buffer.size)
            .live("live", buffer.live.start, buffer.live.end)
            .address("offset", frame.places[id].map_or(0, |place| place.offset)),
    )
}
