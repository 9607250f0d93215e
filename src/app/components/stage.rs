//! The plan: three stacked canvases, the gestures on them, the tooltip, and the scrubber's canvas.
//!
//! Pan, zoom and hover change a [`Viewing`] and repaint; the virtual DOM hears of them only where it shows something.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use gloo_events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{HtmlCanvasElement, HtmlElement};
use yew::prelude::*;

use super::canvas::{Repaint, device_pixels, paint, palette, use_size};
use super::minimap::Minimap;
use super::{Layout, Page, is_field, use_page};
use crate::app::hooks::until_then;
use crate::app::state::Action;
use crate::base::{Message, exact};
use crate::paint::canvas::Palette;
use crate::plan::PoolId;
use crate::planner;
use crate::problem::BufferId;
use crate::replay::{Frame, Run};
use crate::scene::{self, Index, Marks, Projection, Rect, ScrubberScale, Size, Style, Target, View};

/// What is seen of the run at the moment, shared by stage and minimap; each repaints when the other changes it.
#[derive(Default)]
pub struct Viewing {
    view: Cell<Option<View>>,
    /// Whether the reader chose the view; otherwise it follows the size of the panel.
    chosen: Cell<bool>,
    /// The run and the size that the view was made for.
    fitted: Cell<Option<(usize, u32, u32)>>,
    watchers: RefCell<[Option<Callback<()>>; 2]>,
}

/// The two pictures that show the view.
#[derive(Clone, Copy)]
pub enum Watcher {
    Stage,
    Minimap,
}

impl Viewing {
    pub fn view(&self) -> Option<View> {
        self.view.get()
    }

    /// Takes a view that the reader chose.
    pub fn choose(&self, view: View) {
        self.view.set(Some(view));
        self.chosen.set(true);
        // Copied first: a watcher may set itself anew.
        let watchers = self.watchers.borrow().clone();
        watchers.iter().flatten().for_each(|watcher| watcher.emit(()));
    }

    pub fn watch(&self, watcher: Watcher, repaint: Option<Callback<()>>) {
        self.watchers.borrow_mut()[watcher as usize] = repaint;
    }

    /// A new run, or a new size of a view that nobody chose, shows everything.
    fn fit_to(&self, picture: &Picture) {
        let key = (Rc::as_ptr(&picture.run) as usize, picture.size.0 as u32, picture.size.1 as u32);
        let known = self.fitted.replace(Some(key));
        if known == Some(key) && self.view.get().is_some() {
            return;
        }
        let same_run = known.is_some_and(|known| known.0 == key.0);
        let kept = self.view.get().filter(|_| self.chosen.get() && same_run);
        self.chosen.set(kept.is_some());
        self.view.set(Some(match kept {
            Some(view) => view.clamped(&picture.index, picture.size, &picture.style),
            None => View::fit(&picture.index, picture.size, &picture.style),
        }));
    }
}

/// Everything a paint needs.
#[derive(Clone)]
pub struct Picture {
    pub run: Rc<Run>,
    pub index: Rc<Index>,
    pub frame: Rc<Frame>,
    pub style: Style,
    pub size: Size,
}

/// A pointer held down: where it began and where it is.
#[derive(Clone, Copy)]
struct Held {
    from: (f64, f64),
    at: (f64, f64),
}

/// The gesture going on.
#[derive(Default)]
struct Gesture {
    held: HashMap<i32, Held>,
    moved: bool,
    /// Shift was down when it began: a rectangle to zoom to is being drawn.
    boxing: bool,
    hovered: Option<BufferId>,
    hovered_candidate: Option<u32>,
}

/// How far a pointer may move and still be a click, in px.
const CLICK: f64 = 4.0;

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
        sweeps: planner::find(&run.planner).is_some_and(|planner| planner.info().sweeps),
        pixel: 1.0 / device_pixels(),
        ..Style::default()
    }
}

/// What the scene knows of a run whatever the frame.
pub fn index_of(run: &Run) -> Index {
    let index = Index::new(run);
    match &run.graph {
        Some(graph) => index.with_ops(&run.problem, graph.nodes.iter().map(|node| node.op.clone()).collect()),
        None => index,
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
    let index = {
        let run = run.clone();
        let key = run.as_ref().map_or(0, |run| Rc::as_ptr(run) as usize);
        use_memo(key, move |_| run.map(|run| Rc::new(index_of(&run))))
    };
    let viewing = use_memo((), |()| Viewing::default());
    let picture = run.zip((*index).clone()).zip(page.frame.clone()).filter(|_| size.0 > 0.0 && size.1 > 0.0).map(
        |((run, index), frame)| {
            let style = style_of(&page, &run);
            Picture { run, index, frame, style, size }
        },
    );
    if let Some(picture) = &picture {
        viewing.fit_to(picture);
    }
    html! {
        <div class="stage" id="region-stage" tabindex="-1">
            <div class="plan" ref={host}>
                <Canvases picture={Shared(picture.clone())} viewing={SharedView(viewing.clone())} dark={props.dark} />
            </div>
            if page.layout == Layout::Wide && page.state.look.minimap {
                <Minimap picture={Shared(picture)} viewing={SharedView(viewing)} dark={props.dark} />
            }
        </div>
    }
}

/// A picture as a property: equal while nothing it is made of changed.
#[derive(Clone)]
pub struct Shared(pub Option<Picture>);

impl PartialEq for Shared {
    fn eq(&self, other: &Shared) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => {
                Rc::ptr_eq(&a.frame, &b.frame) && Rc::ptr_eq(&a.run, &b.run) && a.style == b.style && a.size == b.size
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

/// What the tooltip shows and where, in px from the panel's corner.
#[derive(Clone, PartialEq)]
struct Tip {
    buffer: BufferId,
    at: (f64, f64),
    pinned: bool,
}

#[component]
fn Canvases(props: &CanvasesProps) -> Html {
    let page = use_page();
    let (base, middle, top) = (use_node_ref(), use_node_ref(), use_node_ref());
    let colours = use_mut_ref(|| None::<(bool, Palette)>);
    let gesture = use_mut_ref(Gesture::default);
    let repaint_all = use_mut_ref(Repaint::default);
    let repaint_top = use_mut_ref(Repaint::default);
    let tip = use_state_eq(|| None::<Tip>);
    let merged = use_state_eq(|| (0u32, None::<BufferId>));
    let rubber = use_state_eq(|| None::<Rect>);

    let state = page.state.clone();
    let marks = {
        let gesture = gesture.borrow();
        Marks {
            selected: state.selection,
            hovered: gesture.hovered,
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
            repaint.ask(move || paints.all());
        };
        props.viewing.0.watch(Watcher::Stage, Some(Callback::from(repaint)));
    }
    // Listeners are set once; they find the present page here.
    let present = use_mut_ref(|| None::<Present>);
    *present.borrow_mut() = Some(Present {
        paints: scene_of.clone(),
        send: page.send.clone(),
        repaint_top: repaint_top.borrow().clone(),
        gesture: gesture.clone(),
        tip: tip.setter(),
        pinned: tip.as_ref().is_some_and(|tip| tip.pinned),
        rubber: rubber.setter(),
        single_keys: state.single_keys,
        selection: state.selection,
    });
    {
        let (present, top) = (present.clone(), top.clone());
        use_effect_with((), move |_| until_then(listen(&top, &present)));
    }

    let label = props.picture.0.as_ref().map(|picture| plan_label(&page, picture)).unwrap_or_default();
    let facts = props.picture.0.as_ref().map(|picture| (picture.run.metrics.peak, picture.run.metrics.lower_bound));
    let (peak, bound) = facts.unwrap_or((0, 0));
    let picked = props.picture.0.as_ref().zip(state.selection);
    let spoken = picked.map(|(picture, id)| buffer_words(&page, &picture.run, &picture.frame, id)).unwrap_or_default();
    html! { <>
        <canvas ref={base} aria-hidden="true"></canvas>
        <canvas ref={middle} aria-hidden="true"></canvas>
        <canvas ref={top} class="top" id="plan" tabindex="0" role="application" aria-label={label} aria-describedby="plan-keys"
            data-peak={peak.to_string()} data-lower-bound={bound.to_string()} data-frame={state.frame().to_string()}
            data-frames={state.frames().to_string()} data-planner={state.run.as_ref().map(|run| run.planner.clone())}
            data-selected={picked.map(|(picture, id)| picture.run.problem.buffers[id].name.clone())}></canvas>
        <p id="plan-keys" class="visually-hidden">{ page.word("aria.plan-keys") }</p>
        <p class="visually-hidden" role="status">{ spoken }</p>
        if let Some(rect) = &*rubber {
            <div class="rubber" style={format!("left:{}px;top:{}px;width:{}px;height:{}px", rect.x, rect.y, rect.w, rect.h)}></div>
        }
        if let (Some(tip), Some(picture)) = ((*tip).clone(), props.picture.0.clone()) {
            { tooltip(&page, &picture, &tip) }
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
    let planner = planner::find(&picture.run.planner).map_or_else(
        || page.word("planner.imported"),
        |planner| format!("{} {}", planner.info().system, planner.info().name),
    );
    page.speech().say(
        &Message::new("aria.plan")
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

fn tooltip(page: &Page, picture: &Picture, tip: &Tip) -> Html {
    let Some(buffer) = picture.run.problem.buffers.get(tip.buffer) else { return Html::default() };
    let speech = page.speech();
    let graph = page.state.document.as_ref().and_then(|document| document.graph.clone());
    let tensor = graph.as_ref().zip(buffer.tensors.first().copied());
    let place = picture.frame.places[tip.buffer];
    let maker = graph.as_ref().and_then(|graph| graph.nodes.get(crate::graph::NodeId(buffer.live.start)));
    let number = picture.run.timeline.decision_of(tip.buffer).map(|decision| decision + 1);
    let (right, below) = (tip.at.0 > picture.size.0 / 2.0, tip.at.1 > picture.size.1 / 2.0);
    let mut side = if right {
        format!("right:{}px;", picture.size.0 - tip.at.0 + 14.0)
    } else {
        format!("left:{}px;", tip.at.0 + 14.0)
    };
    side += &if below {
        format!("bottom:{}px", picture.size.1 - tip.at.1 + 10.0)
    } else {
        format!("top:{}px", tip.at.1 + 10.0)
    };
    let padding = buffer.size.next_multiple_of(picture.run.align.max(1)) - buffer.size;
    html! {
        <div class={classes!("tooltip", tip.pinned.then_some("pinned"))} style={side} role="tooltip">
            <b>{ &buffer.name }</b>
            <span class="muted">
                { page.word(&format!("kind.{}", buffer.kind.name())) }
                if let Some((graph, tensor)) = &tensor { { format!(" · {} · {}", graph.tensors[*tensor].dtype.name(), graph.shape_words(*tensor)) } }
                if let Some(maker) = maker { { format!(" · {}", maker.op) } }
            </span>
            <span>{ speech.bytes(buffer.size) }<span class="muted">{ format!(" {}\u{2009}B", exact(buffer.size)) }
                if padding > 0 { { format!(" + {}\u{2009}B {}", exact(padding), page.word("tip.padding")) } }</span></span>
            <span>{ page.word("fact.live") }{ " " }{ crate::text::live(buffer.live.start, buffer.live.end) }</span>
            if let Some(place) = place {
                <span>{ page.word("fact.address") }{ " " }<span class="mono">{ format!("0x{:X}–0x{:X}", place.offset, place.offset + buffer.size) }</span>
                    if picture.frame.pools.len() > 1 { { " " }{ speech.say(&Message::new("pool.number").count("n", place.pool.0)) } }</span>
            }
            if let Some(number) = number { <span class="muted">{ page.word("fact.frame") }{ " " }{ number }</span> }
        </div>
    }
}

/// Scenes of the present picture and the canvases they go to.
struct Paints {
    picture: Option<Picture>,
    viewing: Rc<Viewing>,
    dark: bool,
    colours: Rc<RefCell<Option<(bool, Palette)>>>,
    nodes: (NodeRef, NodeRef, NodeRef),
    marks: RefCell<Marks>,
    merged: UseStateSetter<(u32, Option<BufferId>)>,
}

impl Paints {
    fn view(&self) -> Option<View> {
        self.viewing.view()
    }

    fn with_palette(&self, paint: impl FnOnce(&Palette)) {
        let mut colours = self.colours.borrow_mut();
        if colours.as_ref().is_none_or(|(dark, _)| *dark != self.dark) {
            *colours = Some((self.dark, palette(self.dark)));
        }
        if let Some((_, palette)) = &*colours {
            paint(palette);
        }
    }

    fn all(&self) {
        let Some((picture, view)) = self.picture.as_ref().zip(self.view()) else { return };
        let marks = *self.marks.borrow();
        let stage =
            scene::stage(&picture.run, &picture.index, &picture.frame, &view, picture.size, &picture.style, &marks);
        self.with_palette(|palette| {
            paint(&self.nodes.0, &stage.base, picture.size, palette);
            paint(&self.nodes.1, &stage.frame, picture.size, palette);
            paint(&self.nodes.2, &stage.interaction, picture.size, palette);
        });
        self.merged.set((stage.merged, stage.smallest));
    }

    fn top(&self) {
        let Some((picture, view)) = self.picture.as_ref().zip(self.view()) else { return };
        let marks = *self.marks.borrow();
        let scene = scene::interaction(
            &picture.run,
            &picture.index,
            &picture.frame,
            &view,
            picture.size,
            &picture.style,
            &marks,
        );
        self.with_palette(|palette| paint(&self.nodes.2, &scene, picture.size, palette));
    }
}

/// What the listeners need of the present render.
struct Present {
    paints: Rc<Paints>,
    send: Callback<Action>,
    repaint_top: Repaint,
    gesture: Rc<RefCell<Gesture>>,
    tip: UseStateSetter<Option<Tip>>,
    pinned: bool,
    rubber: UseStateSetter<Option<Rect>>,
    single_keys: bool,
    selection: Option<BufferId>,
}

impl Present {
    /// Changes the view and repaints.
    fn change(&self, change: impl FnOnce(View, &Picture) -> View) {
        let Some((picture, view)) = self.paints.picture.as_ref().zip(self.paints.view()) else { return };
        self.paints.viewing.choose(change(view, picture));
    }

    fn fit(&self) {
        self.change(|_, picture| View::fit(&picture.index, picture.size, &picture.style));
        self.paints.viewing.chosen.set(false);
    }

    fn zoom_to_buffer(&self, id: BufferId) {
        self.change(|view, picture| match picture.frame.places[id] {
            Some(place) => {
                let buffer = &picture.run.problem.buffers[id];
                View::fit_selection(&picture.index, picture.size, &picture.style, buffer.live, place, buffer.size)
            }
            None => view,
        });
    }

    fn hits(&self, at: (f64, f64)) -> Vec<Target> {
        let Some((picture, view)) = self.paints.picture.as_ref().zip(self.paints.view()) else { return Vec::new() };
        scene::hit(&picture.run, &picture.index, &picture.frame, &view, picture.size, &picture.style, at)
    }

    fn hover(&self, at: Option<(f64, f64)>) {
        let hits = at.map(|at| self.hits(at)).unwrap_or_default();
        let buffer = hits.iter().find_map(|target| if let Target::Buffer(id) = target { Some(*id) } else { None });
        let candidate =
            hits.iter().find_map(|target| if let Target::Candidate(number) = target { Some(*number) } else { None });
        let changed = {
            let mut gesture = self.gesture.borrow_mut();
            let changed = gesture.hovered != buffer || gesture.hovered_candidate != candidate;
            gesture.hovered = buffer;
            gesture.hovered_candidate = candidate;
            changed
        };
        if changed {
            {
                let mut marks = self.paints.marks.borrow_mut();
                marks.hovered = buffer;
                marks.candidate = candidate;
            }
            let paints = self.paints.clone();
            self.repaint_top.ask(move || paints.top());
        }
        if !self.pinned {
            self.tip.set(buffer.zip(at).map(|(buffer, at)| Tip { buffer, at, pinned: false }));
        }
    }

    fn click(&self, at: (f64, f64)) {
        let buffers: Vec<BufferId> = self
            .hits(at)
            .into_iter()
            .filter_map(|target| if let Target::Buffer(id) = target { Some(id) } else { None })
            .collect();
        // Again on the same spot: the next one that lies there.
        let here = buffers.iter().position(|id| Some(*id) == self.selection);
        let picked = match here {
            Some(here) => buffers.get((here + 1) % buffers.len()).copied(),
            None => buffers.first().copied(),
        };
        self.send.emit(Action::Select(picked));
    }

    fn down(&self, id: i32, at: (f64, f64), shift: bool) {
        let mut gesture = self.gesture.borrow_mut();
        if gesture.held.is_empty() {
            gesture.moved = false;
            gesture.boxing = shift;
        }
        gesture.held.insert(id, Held { from: at, at });
        drop(gesture);
        self.tip.set(None);
    }

    fn moved(&self, id: i32, at: (f64, f64)) {
        let mut gesture = self.gesture.borrow_mut();
        let Some(held) = gesture.held.get(&id).copied() else {
            drop(gesture);
            return self.hover(Some(at));
        };
        if !gesture.moved && (at.0 - held.from.0).hypot(at.1 - held.from.1) < CLICK {
            return;
        }
        gesture.moved = true;
        let others: Vec<Held> = gesture.held.iter().filter(|(other, _)| **other != id).map(|(_, held)| *held).collect();
        let boxing = gesture.boxing;
        gesture.held.insert(id, Held { at, ..held });
        drop(gesture);
        match others.first() {
            Some(other) => {
                let apart = |a: (f64, f64)| (a.0 - other.at.0).hypot(a.1 - other.at.1).max(1.0);
                let factor = apart(at) / apart(held.at);
                let middle = ((at.0 + other.at.0) / 2.0, (at.1 + other.at.1) / 2.0);
                self.change(|view, picture| view.zoom(&picture.index, picture.size, &picture.style, middle, factor));
            }
            None if boxing => self.rubber.set(Some(Rect::between(held.from, at))),
            None => {
                let by = (at.0 - held.at.0, at.1 - held.at.1);
                self.change(|view, picture| view.pan(&picture.index, picture.size, &picture.style, by));
            }
        }
    }

    fn up(&self, id: i32) {
        let mut gesture = self.gesture.borrow_mut();
        let Some(held) = gesture.held.remove(&id) else { return };
        let (moved, boxing) = (gesture.moved, gesture.boxing);
        drop(gesture);
        if !moved {
            self.click(held.at);
        } else if boxing {
            self.rubber.set(None);
            let rect = Rect::between(held.from, held.at);
            self.change(|view, picture| view.zoom_to(&picture.index, picture.size, &picture.style, rect));
        }
    }

    fn wheel(&self, event: &WheelEvent, at: (f64, f64)) {
        let unit = match event.delta_mode() {
            1 => 16.0,
            2 => 400.0,
            _ => 1.0,
        };
        let (dx, dy) = (event.delta_x() * unit, event.delta_y() * unit);
        let factor = (-dy * 0.0015).exp();
        let hits = self.hits(at);
        let over = |axis: Target| hits.first() == Some(&axis);
        self.change(|view, picture| {
            let (index, size, style) = (&picture.index, picture.size, &picture.style);
            if event.ctrl_key() || event.meta_key() {
                view.zoom(index, size, style, at, (-dy * 0.005).exp())
            } else if over(Target::AxisX) {
                view.zoom_time(index, size, style, at.0, factor)
            } else if over(Target::AxisY) || event.alt_key() {
                view.zoom_scale(index, size, style, at.1, factor)
            } else if event.shift_key() && dx == 0.0 {
                view.pan(index, size, style, (-dy, 0.0))
            } else {
                view.pan(index, size, style, (-dx, -dy))
            }
        });
    }

    /// Keys of the picture. Movement keys go by their place on the keyboard.
    fn key(&self, event: &KeyboardEvent) -> bool {
        if event.ctrl_key() || event.meta_key() {
            return false;
        }
        if event.alt_key() {
            return match event.key().as_str() {
                "ArrowLeft" => self.neighbour(-1, 0),
                "ArrowRight" => self.neighbour(1, 0),
                "ArrowUp" => self.neighbour(0, 1),
                "ArrowDown" => self.neighbour(0, -1),
                _ => false,
            };
        }
        if !self.single_keys {
            return false;
        }
        const STEP: f64 = 60.0;
        let zoom = |factor: f64| {
            self.change(|view, picture| {
                let middle = (picture.size.0 / 2.0, picture.size.1 / 2.0);
                view.zoom(&picture.index, picture.size, &picture.style, middle, factor)
            });
            true
        };
        let pan = |dx: f64, dy: f64| {
            self.change(|view, picture| view.pan(&picture.index, picture.size, &picture.style, (dx, dy)));
            true
        };
        match event.code().as_str() {
            "KeyW" => return zoom(1.25),
            "KeyS" => return zoom(0.8),
            "KeyA" => return pan(STEP, 0.0),
            "KeyD" => return pan(-STEP, 0.0),
            "KeyR" => return pan(0.0, STEP),
            "KeyF" => return pan(0.0, -STEP),
            _ => {}
        }
        match event.key().as_str() {
            "+" | "=" => zoom(1.25),
            "-" => zoom(0.8),
            "0" => {
                self.fit();
                true
            }
            "9" => {
                self.change(|_, picture| {
                    let focus = picture.frame.focus.and_then(|focus| picture.frame.places[focus]);
                    let pool = focus.map_or(PoolId(0), |place| place.pool);
                    View::fit_pool(&picture.index, picture.size, &picture.style, pool)
                });
                true
            }
            "z" | "Z" => {
                self.selection.into_iter().for_each(|id| self.zoom_to_buffer(id));
                true
            }
            "i" | "I" => {
                let picture = self.paints.picture.as_ref().zip(self.selection).zip(self.paints.view());
                let tip = picture.filter(|_| !self.pinned).and_then(|((picture, id), view)| {
                    let projection = Projection::new(&picture.index, &view, picture.size, &picture.style);
                    let buffer = &picture.run.problem.buffers[id];
                    let place = picture.frame.places[id]?;
                    let y = projection.address_to_y(place.pool, place.offset + buffer.size)?;
                    Some(Tip { buffer: id, at: (projection.step_to_x(buffer.live.start as f64), y), pinned: true })
                });
                self.tip.set(tip);
                true
            }
            _ => false,
        }
    }

    /// Selects the nearest buffer in a direction: `time` and `address` are -1, 0 or 1.
    fn neighbour(&self, time: i64, address: i64) -> bool {
        let Some(picture) = &self.paints.picture else { return true };
        let found = crate::replay::neighbour(
            &picture.run,
            &picture.frame,
            self.selection.or(picture.frame.focus),
            time,
            address,
        );
        if found.is_some() {
            self.send.emit(Action::Select(found));
        }
        true
    }
}

/// Sets the listeners of the topmost canvas for as long as it lives.
fn listen(top: &NodeRef, present: &Rc<RefCell<Option<Present>>>) -> Vec<EventListener> {
    let Some(canvas) = top.cast::<HtmlCanvasElement>() else { return Vec::new() };
    let options = EventListenerOptions::enable_prevent_default();
    let mut listeners = Vec::new();
    let mut on = |name: &'static str, handler: fn(&Present, &web_sys::Event, &HtmlElement)| {
        let (present, element) = (present.clone(), canvas.clone());
        listeners.push(EventListener::new_with_options(&canvas, name, options, move |event| {
            if let Some(present) = &*present.borrow() {
                handler(present, event, &element);
            }
        }));
    };
    on("pointerdown", |present, event, canvas| {
        let Some(event) = event.dyn_ref::<PointerEvent>().filter(|event| event.button() == 0) else { return };
        // Without capture a drag merely ends at the panel's edge.
        let _ = canvas.set_pointer_capture(event.pointer_id());
        present.down(event.pointer_id(), place_of(event, canvas), event.shift_key());
    });
    on("pointermove", |present, event, canvas| {
        if let Some(event) = event.dyn_ref::<PointerEvent>() {
            present.moved(event.pointer_id(), place_of(event, canvas));
        }
    });
    on("pointerup", |present, event, _| {
        if let Some(event) = event.dyn_ref::<PointerEvent>() {
            present.up(event.pointer_id());
        }
    });
    on("pointercancel", |present, _, _| {
        present.gesture.borrow_mut().held.clear();
        present.rubber.set(None);
    });
    on("pointerleave", |present, _, _| present.hover(None));
    on("dblclick", |present, _, _| present.fit());
    on("wheel", |present, event, canvas| {
        event.prevent_default();
        if let Some(event) = event.dyn_ref::<WheelEvent>() {
            present.wheel(event, place_of(event, canvas));
        }
    });
    if let Some(window) = web_sys::window() {
        let (present, canvas) = (present.clone(), canvas.clone());
        listeners.push(EventListener::new_with_options(&window, "keydown", options, move |event| {
            let Some(event) = event.dyn_ref::<KeyboardEvent>().filter(|event| !is_field(event.target())) else {
                return;
            };
            // Alt+arrows belong to the browser outside the canvas.
            let on_canvas = event.target().as_ref() == Some(canvas.unchecked_ref());
            if event.default_prevented() || (event.alt_key() && !on_canvas) {
                return;
            }
            if present.borrow().as_ref().is_some_and(|present| present.key(event)) {
                event.prevent_default();
            }
        }));
    }
    listeners
}

/// The pointer's place in px from the canvas's corner.
fn place_of(event: &MouseEvent, canvas: &HtmlElement) -> (f64, f64) {
    let rect = canvas.get_bounding_client_rect();
    (event.client_x() as f64 - rect.left(), event.client_y() as f64 - rect.top())
}

/// The scrubber: a slider whose track shows what every frame places.
#[component]
pub fn Scrubber() -> Html {
    let page = use_page();
    let (host, node) = (use_node_ref(), use_node_ref());
    let size = use_size(host.clone());
    let dark = use_context::<super::page::Dark>().is_some_and(|dark| dark.0);
    let colours = use_mut_ref(|| None::<(bool, Palette)>);
    let repaint = use_mut_ref(Repaint::default);
    let held = use_mut_ref(|| false);
    let state = page.state.clone();
    let (frame, frames) = (state.frame(), state.frames());
    let run = state.run.clone();
    if let Some(run) = run.clone().filter(|_| size.0 > 0.0) {
        let style = style_of(&page, &run);
        let breaks: Vec<u32> = state
            .breaks
            .decisions
            .iter()
            .filter_map(|&decision| run.timeline.decisions.get(decision as usize))
            .map(|decision| run.timeline.frame_at(state.level, decision.end))
            .collect();
        let (node, level) = (node.clone(), state.level);
        repaint.borrow().ask(move || {
            let scene = scene::scrubber(&run, level, frame, size, &style, &breaks);
            let mut colours = colours.borrow_mut();
            if colours.as_ref().is_none_or(|(known, _)| *known != dark) {
                *colours = Some((dark, palette(dark)));
            }
            if let Some((_, palette)) = &*colours {
                paint(&node, &scene, size, palette);
            }
        });
    }
    let seek = {
        let (page, run, track) = (page.clone(), run.clone(), host.clone());
        Rc::new(move |event: &PointerEvent| {
            let Some(run) = &run else { return };
            let Some(element) = track.cast::<HtmlElement>() else { return };
            let x = event.client_x() as f64 - element.get_bounding_client_rect().left();
            let style = style_of(&page, run);
            page.send.emit(Action::Seek(ScrubberScale::new(run, page.state.level, size, &style).frame_at(x)));
        })
    };
    let onpointerdown = {
        let (seek, held, track) = (seek.clone(), held.clone(), host.clone());
        Callback::from(move |event: PointerEvent| {
            *held.borrow_mut() = true;
            if let Some(element) = track.cast::<HtmlElement>() {
                // Without capture a drag merely ends at the track's edge.
                let _ = element.set_pointer_capture(event.pointer_id());
            }
            seek(&event);
        })
    };
    let onpointermove = {
        let held = held.clone();
        Callback::from(move |event: PointerEvent| {
            if *held.borrow() {
                seek(&event);
            }
        })
    };
    let onpointerup = Callback::from(move |_: PointerEvent| *held.borrow_mut() = false);
    let onkeydown = {
        let send = page.send.clone();
        Callback::from(move |event: KeyboardEvent| {
            let by = (frames / 10).max(1);
            let to = match event.key().as_str() {
                "ArrowUp" => (frame + 1).min(frames - 1),
                "ArrowDown" => frame.saturating_sub(1),
                "PageUp" => (frame + by).min(frames - 1),
                "PageDown" => frame.saturating_sub(by),
                _ => return,
            };
            event.prevent_default();
            send.emit(Action::Seek(to));
        })
    };
    let focus = page
        .frame
        .as_ref()
        .zip(run.as_ref())
        .and_then(|(frame, run)| Some(run.problem.buffers[frame.focus?].name.clone()));
    let mut value = Message::new(if focus.is_some() { "aria.frame-placing" } else { "aria.frame" })
        .count("frame", frame)
        .count("frames", frames - 1);
    if let Some(name) = focus {
        value = value.text("name", name);
    }
    html! {
        <div class="scrubber" ref={host} role="slider" tabindex="0" aria-label={page.word("step.scrubber")} aria-valuemin="0"
            aria-valuemax={(frames - 1).to_string()} aria-valuenow={frame.to_string()} aria-valuetext={page.speech().say(&value)}
            {onpointerdown} {onpointermove} {onpointerup} {onkeydown}>
            <canvas ref={node} aria-hidden="true"></canvas>
        </div>
    }
}
