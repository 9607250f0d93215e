//! A plan on two canvases. All plots beside each other share steps, scale and pointer; pan and zoom
//! of one moves all.

use std::cell::RefCell;
use std::rc::Rc;

use gloo_events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

use crate::browser::canvas::{Repaint, paint, use_size, with_palette};
use crate::browser::dom::{capture, target_of, until_then};
use crate::compare::common::{Common, Zoom};
use crate::context::same::Same;
use crate::context::use_page;
use crate::plan::beside::style_beside;
use memplan_core::base::IdVec;
use memplan_core::problem::BufferId;
use memplan_replay::{Frame, Level, Run, Twin, twins};
use memplan_scene::{
    self as scene, Index, Marks, Point, Projection, Scene, Size, Squeeze, Style, Target, View, differences, turned,
    turned_size, unturned,
};

#[derive(Properties, PartialEq)]
pub struct PlotProps {
    /// Place among the plots that share a view.
    pub number: usize,
    pub run: Same<Run>,
    pub index: Same<Index>,
    pub frame: Same<Frame>,
    /// Whether the marks of a decision are drawn.
    pub stepping: bool,
    /// The step of the cursor.
    pub step: u32,
    /// Whether the plan is read off at that step.
    pub reads: bool,
    pub selected: Option<BufferId>,
    /// The plan against which differences are marked.
    #[prop_or_default]
    pub against: Option<Same<Run>>,
    /// What the plots of the same scale show, and how the axis of each is broken.
    pub beside: Vec<(Same<Index>, Option<Squeeze>)>,
    #[prop_or_default]
    pub turned: bool,
    /// How the axis of addresses is broken.
    #[prop_or_default]
    pub squeeze: Option<Squeeze>,
    /// Fade what is not alive at the cursor.
    pub dim: bool,
    pub common: Same<Common>,
    pub label: String,
    /// Hears of a click: the step, and the buffer if it was on one.
    pub onpick: Callback<(Option<u32>, Option<BufferId>)>,
    /// Bytes that the first pool may take.
    #[prop_or_default]
    pub budget: Option<u64>,
    pub dark: bool,
}

/// Where each buffer lies in another plan.
type Twins = IdVec<BufferId, Option<Twin>>;

/// All that a painting needs.
#[derive(Clone)]
struct Painting {
    run: Rc<Run>,
    index: Rc<Index>,
    frame: Rc<Frame>,
    /// The places in the plan that differences are shown against.
    twins: Rc<Option<Twins>>,
    common: Rc<Common>,
    /// Pixels a byte when everything is seen.
    whole: f64,
    /// Of the picture as it is laid out.
    size: Size,
    /// Of the panel, which shows it with swapped axes if asked to.
    panel: Size,
    style: Style,
    marks: Marks,
    stepping: bool,
    dark: bool,
}

impl Painting {
    fn index(&self) -> &Index {
        &self.index
    }

    fn view(&self) -> View {
        let steps = self.index().steps() as f64;
        match self.common.zoom.get() {
            None => View { time: (0.0, steps), scale: self.whole, scroll: 0.0 },
            Some(zoom) => {
                let scale = self.whole * zoom.factor.max(1.0);
                let view = View { time: zoom.time, scale, scroll: zoom.scroll };
                let view = view.clamped(self.index(), self.size, &self.style);
                // Alone it would be seen larger: the scale is that of all plots.
                View { scale: view.scale.min(scale), ..view }
            }
        }
    }

    fn choose(&self, view: View) {
        let zoom = Zoom { time: view.time, factor: view.scale / self.whole, scroll: view.scroll };
        self.common.choose(Some(zoom));
    }

    fn picture<'a>(&'a self, view: &'a View) -> scene::Picture<'a> {
        scene::Picture::new(&self.run, self.index(), &self.frame, view, self.size, &self.style)
    }

    fn paint(&self, nodes: (&NodeRef, &NodeRef)) {
        let view = self.view();
        let stage = scene::stage(self.picture(&view), &self.marks);
        let mut layers = stage.base.layers;
        if self.stepping {
            layers.extend(stage.frame.layers);
        }
        if let Some(twins) = &*self.twins {
            layers.extend(differences(self.picture(&view), twins).layers);
        }
        let laid = |scene: Scene| if self.style.turned { turned(scene, self.panel) } else { scene };
        with_palette(self.dark, |palette| {
            paint(nodes.0, laid(Scene::new(self.size, layers)), self.panel, palette);
            paint(nodes.1, laid(stage.interaction), self.panel, palette);
        });
    }

    /// Where a point of the panel lies in the picture as it was laid out.
    fn point(&self, at: Point) -> Point {
        if self.style.turned { unturned(at, self.panel) } else { at }
    }

    fn step_at(&self, x: f64) -> Option<u32> {
        Projection::new(self.index(), &self.view(), self.size, &self.style).step_at(x, self.index())
    }
}

#[component]
pub fn Plot(props: &PlotProps) -> Html {
    let page = use_page();
    let (host, base, top) = (use_node_ref(), use_node_ref(), use_node_ref());
    let size = use_size(host.clone());
    let repaint = use_mut_ref(Repaint::default);
    let (run, index, frame) = (props.run.0.clone(), props.index.0.clone(), props.frame.0.clone());
    let panel = size;
    let size = if props.turned { turned_size(panel) } else { panel };
    let cursor = props.reads.then_some(props.step);
    let style =
        Style { at_step: cursor, squeeze: props.squeeze, ..style_beside(&page, &run, panel, props.turned, props.dim) };
    // Worked out when one of the two plans changes.
    let twins = use_memo((props.run.clone(), props.against.clone()), |(run, against)| {
        against.as_ref().map(|against| twins(&run.0, &against.0))
    });
    let painting = Painting {
        whole: whole_scale(props, size, &style),
        frame: frame.clone(),
        twins,
        common: props.common.0.clone(),
        marks: Marks { selected: props.selected, step: cursor, budget: props.budget, ..Marks::default() },
        size,
        panel,
        style,
        stepping: props.stepping,
        dark: props.dark,
        run: run.clone(),
        index,
    };
    // Listeners are set once; they find the present painting here.
    let present = use_mut_ref(|| None::<Painting>);
    *present.borrow_mut() = Some(painting);
    use_painting(props, &present, (&base, &top), &repaint.borrow());
    let Pointer { down, moved, up } = use_pointer(&present, props.onpick.clone());
    let fit = {
        let common = props.common.0.clone();
        Callback::from(move |_: MouseEvent| common.choose(None))
    };
    let name = |id: BufferId| run.problem.buffers[id].name.clone();
    html! {
        <div class="plot" ref={host}>
            <canvas ref={base} aria-hidden="true"></canvas>
            <canvas ref={top} class="top" id={format!("column-{}", props.number)} tabindex="0" role="application" aria-label={props.label.clone()}
                data-planner={run.planner.clone()} data-peak={run.metrics.peak.to_string()} data-lower-bound={run.metrics.lower_bound.to_string()}
                data-step={props.step.to_string()} data-placed={frame.placed.to_string()} data-frame={run.timeline.frame_at(Level::Decisions, frame.events).to_string()}
                data-focus={frame.focus.map(name)} data-now={frame.peak.to_string()} data-selected={props.selected.map(name)}
                onpointerdown={down} onpointermove={moved} onpointerup={up} ondblclick={fit}></canvas>
        </div>
    }
}

/// How far a pointer may move and still be a click, in px.
const CLICK: f64 = 4.0;

/// A pointer held down on the plot, in px of it.
struct Press {
    from: Point,
    at: Point,
    moved: bool,
}

/// What the pointer does: drags move the view, clicks choose a step and a buffer.
struct Pointer {
    down: Callback<PointerEvent>,
    moved: Callback<PointerEvent>,
    up: Callback<PointerEvent>,
}

/// The present painting, where listeners that are set once find it.
type Present = Rc<RefCell<Option<Painting>>>;

#[hook]
fn use_pointer(present: &Present, onpick: Callback<(Option<u32>, Option<BufferId>)>) -> Pointer {
    let held = use_mut_ref(|| None::<Press>);
    let down = {
        let held = held.clone();
        Callback::from(move |event: PointerEvent| {
            let at = (event.offset_x() as f64, event.offset_y() as f64);
            *held.borrow_mut() = Some(Press { from: at, at, moved: false });
            capture(target_of(&event), &event);
        })
    };
    let moved = {
        let (held, present) = (held.clone(), present.clone());
        Callback::from(move |event: PointerEvent| {
            let at = (event.offset_x() as f64, event.offset_y() as f64);
            let mut held = held.borrow_mut();
            let Some(press) = held.as_mut() else { return };
            press.moved |= (at.0 - press.from.0).abs().max((at.1 - press.from.1).abs()) > CLICK;
            let by = (at.0 - press.at.0, at.1 - press.at.1);
            press.at = at;
            if let Some(painting) = present.borrow().as_ref().filter(|_| press.moved) {
                let by = if painting.style.turned { (by.1, -by.0) } else { by };
                painting.choose(painting.view().pan(painting.index(), painting.size, &painting.style, by));
            }
        })
    };
    let up = {
        let present = present.clone();
        Callback::from(move |event: PointerEvent| {
            let Some(Press { at, moved: false, .. }) = held.borrow_mut().take() else { return };
            let Some(painting) = present.borrow().clone() else { return };
            event.prevent_default();
            let at = painting.point(at);
            let hits = scene::hit(painting.picture(&painting.view()), at);
            let buffer = hits.iter().find_map(|target| if let Target::Buffer(id) = target { Some(*id) } else { None });
            onpick.emit((painting.step_at(at.0), buffer));
        })
    };
    Pointer { down, moved, up }
}

/// Paints after every render, and when another column changes the common view; listens to the
/// wheel.
#[hook]
fn use_painting(props: &PlotProps, present: &Present, nodes: (&NodeRef, &NodeRef), repaint: &Repaint) {
    let (base, top) = nodes;
    let paint_soon = {
        let (present, base, top) = (present.clone(), base.clone(), top.clone());
        let repaint = repaint.clone();
        Callback::from(move |()| {
            let (present, base, top) = (present.clone(), base.clone(), top.clone());
            repaint.ask(move || {
                if let Some(painting) = present.borrow().as_ref().filter(|painting| painting.size.0 > 0.0) {
                    painting.paint((&base, &top));
                }
            });
        })
    };
    {
        let paint_soon = paint_soon.clone();
        use_effect(move || paint_soon.emit(()));
    }
    {
        let (common, number) = (props.common.0.clone(), props.number);
        use_effect_with(number, move |&number| {
            common.watch(number, Some(paint_soon));
            move || common.watch(number, None)
        });
    }
    {
        let (present, top, scrolls) = (present.clone(), top.clone(), props.budget.is_some());
        use_effect_with((), move |_| {
            until_then(top.cast::<HtmlElement>().map(|element| wheel(&element, present, scrolls)))
        });
    }
}

/// The scale at which everything is seen, here and beside.
fn whole_scale(props: &PlotProps, size: Size, style: &Style) -> f64 {
    let own = View::fit(&props.index.0, size, style).scale;
    let scale = |(index, squeeze): &(Same<Index>, Option<Squeeze>)| {
        View::fit(&index.0, size, &Style { squeeze: *squeeze, ..*style }).scale
    };
    props.beside.iter().map(scale).fold(own, f64::min)
}

/// The wheel zooms steps; with Shift, addresses. Where the plot is a part of what scrolls, it zooms
/// with Ctrl only.
fn wheel(element: &HtmlElement, present: Rc<RefCell<Option<Painting>>>, scrolls: bool) -> EventListener {
    let options = EventListenerOptions::enable_prevent_default();
    EventListener::new_with_options(element, "wheel", options, move |event| {
        let Some(event) = event.dyn_ref::<WheelEvent>() else { return };
        let Some(painting) = present.borrow().clone() else { return };
        if scrolls && !event.ctrl_key() && !event.shift_key() {
            return;
        }
        event.prevent_default();
        let turned = if event.delta_y() == 0.0 { event.delta_x() } else { event.delta_y() };
        let factor = (-turned / 300.0).exp();
        let (x, y) = painting.point((event.offset_x() as f64, event.offset_y() as f64));
        let (index, size, style) = (painting.index(), painting.size, &painting.style);
        painting.choose(if event.shift_key() {
            painting.view().zoom_scale(index, size, style, y, factor)
        } else {
            painting.view().zoom_time(index, size, style, x, factor)
        });
    })
}
