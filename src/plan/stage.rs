//! The plan: three stacked canvases, with their description for screen readers.
//!
//! Pan, zoom and hover change a [`Viewing`] and repaint the canvases. Components are drawn again
//! only if they show the change.

use std::rc::Rc;

use yew::prelude::*;

use crate::browser::canvas::use_size;
use crate::context::open::{pick_files, show_files};
use crate::context::same::Same;
use crate::context::{Layout, Page, use_page};
use crate::plan::canvases::Canvases;
use crate::plan::lane::{banner, use_opened};
use crate::plan::legend::LegendBar;
use crate::plan::minimap::Minimap;
use crate::plan::shared::{Shared, SharedView};
use crate::plan::slice::Slice;
use crate::plan::strata::Strata;
use crate::plan::style::style_of;
use crate::plan::viewing::{Picture, Viewing};
use crate::plan::zoom::zoom;
use crate::shell::state::State;
use crate::shell::state::action::{Action, ViewAction};
use crate::shell::state::panels::{Mode, Tab};
use crate::step::state::predicting::index_so_far;
use gloo_timers::callback::Timeout;
use memplan_core::problem::BufferId;
use memplan_replay::{Frame, Run};
use memplan_scene::{Index, Squeeze, Stretch, Style};

/// Room beside the plot for the buttons of [`zoom`], in px.
const GUTTER: f64 = 36.0;

#[derive(Properties, PartialEq)]
pub struct StageProps {
    pub dark: bool,
}

#[component]
pub fn StagePanel(props: &StageProps) -> Html {
    let page = use_page();
    let host = use_node_ref();
    let size = use_size(host.clone());
    let run = page.state.document.run.clone();
    let opened = use_opened(&page);
    let opened_frame = (*opened).as_ref().map(|opened| opened.frame.clone());
    let index = use_index(&page, opened_frame.as_ref());
    let squeeze = use_squeeze(&page, run.as_ref(), index.as_ref());
    let viewing = use_memo((), |()| Viewing::default());
    let step = page.state.shown_step();
    let frame = opened_frame.or(use_rest(&page));
    let has_slice = step.is_some() && has_room_for_slice(&page.state, page.layout);
    let picture = run.zip(index).zip(frame).filter(|_| size.0 > 0.0 && size.1 > 0.0).map(|((run, index), frame)| {
        let has_buttons = page.layout != Layout::Narrow && page.state.presenting().is_none();
        let gutter = if has_buttons { GUTTER } else { 0.0 };
        let style = Style {
            filter: page.state.view.filter,
            squeeze: squeeze.filter(|_| page.state.view.look.squeeze),
            gutter,
            words_inside: has_slice,
            ..style_of(&page, &run)
        };
        Picture { run, index, frame, style, size }
    });
    let has_strata = picture.as_ref().is_some_and(|picture| has_room_for_strata(&page, &picture.run, &picture.index));
    if let Some(picture) = &picture {
        let state = &page.state;
        let choose = page.send.reform(|window| Action::View(ViewAction::Viewed(window)));
        viewing.follow(picture, state.document.status.is_following(), state.view.window, choose);
    }
    let has_legend = picture.is_some() && page.state.settings.embed.is_none() && page.state.presenting().is_none();
    html! {
        <div class="stage" id="region-stage" tabindex="-1">
            { banner(&page, (*opened).as_ref()) }
            <div role="status">
                if page.state.editing.session.as_ref().is_some_and(|editing| !editing.faults.is_empty()) {
                    <div class="banner" id="stale-banner"><span>{ page.word("stage.before-change") }</span></div>
                }
            </div>
            if has_legend {
                <LegendBar picture={Shared(picture.clone())} viewing={SharedView(viewing.clone())} {squeeze} />
            }
            if has_strata { <Strata picture={Shared(picture.clone())} viewing={SharedView(viewing.clone())} dark={props.dark} /> }
            <div class="stage-row"><div class="plan" ref={host}>
                <Canvases picture={Shared(picture.clone())} viewing={SharedView(viewing.clone())} dark={props.dark} />
                if let Some(picture) = picture.as_ref().filter(|_| page.layout != Layout::Narrow && page.state.presenting().is_none()) { { zoom(&page, picture, &viewing) } }
                if page.state.document.run.as_ref().is_some_and(|run| run.problem.buffers.is_empty()) { { nothing_yet(&page) } }
            </div>
            if let Some(step) = step.filter(|_| has_slice) {
                <Slice {step} picture={Shared(picture.clone())} viewing={SharedView(viewing.clone())} dark={props.dark} />
            }
            if page.layout == Layout::Wide && page.state.shows_minimap() && page.state.presenting().is_none() {
                <Minimap picture={Shared(picture)} viewing={SharedView(viewing)} dark={props.dark} />
            }</div>
        </div>
    }
}

/// How the axis of addresses can be broken; not while a question is open, whose answer it would
/// tell.
#[hook]
fn use_squeeze(page: &Page, run: Option<&Rc<Run>>, index: Option<&Rc<Index>>) -> Option<Squeeze> {
    let asks = page.state.hides().is_some() || page.state.has_open_figures();
    // A link names what is seen by the addresses of one pool.
    let is_offered = !asks && index.is_some_and(|index| index.pools().len() == 1);
    let both = run.zip(index).filter(|_| is_offered).map(|(run, index)| (Same(run.clone()), Same(index.clone())));
    *use_memo(both, |both| both.as_ref().and_then(|(run, index)| Squeeze::of(Stretch::of(&run.0, &index.0))))
}

/// The index of the run shown, with room for a frame that was opened from a list.
#[hook]
fn use_index(page: &Page, opened: Option<&Rc<Frame>>) -> Option<Rc<Index>> {
    let run = page.state.document.run.clone();
    let (conflict, outlined) = (use_conflict(page), outlined(&page.state));
    let index = {
        let (run, conflict, last) = (run.clone(), conflict.clone(), page.state.document.index.clone());
        let outlined = outlined.clone();
        let (known, asks_figures) = (page.state.hides(), page.state.has_open_figures());
        let height = page.state.height_of_places();
        let names = page.state.orders_nodes();
        let is_ready = use_ready(page);
        let run = run.filter(|_| is_ready);
        let key = (
            run.as_ref().map_or(0, |run| Rc::as_ptr(run) as usize),
            conflict.clone(),
            outlined.clone(),
            known,
            height,
            names,
        );
        use_memo(key, move |_| {
            let index = |run: &Rc<Run>| {
                let index = last.of(run);
                if known.is_none() && !names && height == 0 && conflict.is_empty() && outlined.is_empty() {
                    return index;
                }
                let index = (*index).clone();
                let index = match known {
                    Some(known) => index_so_far(index, run, known, asks_figures),
                    None => index,
                };
                let index = match run.graph.as_ref().filter(|_| names) {
                    Some(graph) => index.with_step_names(graph.nodes.iter().map(|node| node.name.as_str())),
                    None => index,
                };
                Rc::new(index.with_height(height).with_conflict(conflict).with_outlined(outlined))
            };
            run.as_ref().map(index)
        })
    };
    // A state that the planner abandoned may reach higher than the finished plan.
    let index = {
        let (index, frame) = ((*index).clone(), opened.cloned());
        let key = (index.as_ref().map(|index| Rc::as_ptr(index) as usize), page.state.stepping.lane);
        use_memo(key, move |_| match (index, frame) {
            (Some(index), Some(frame)) if !index.has_room(&frame) => Some(Rc::new((*index).clone().with_room(&frame))),
            (index, _) => index,
        })
    };
    (*index).clone()
}

/// Works the index of a large run out in a task of its own, and returns whether it is there: with
/// the first picture it would hold up the page.
#[hook]
fn use_ready(page: &Page) -> bool {
    let again = use_force_update();
    let waiting = page.state.document.run.clone().filter(|run| !page.state.document.index.is_ready(run));
    let last = page.state.document.index.clone();
    let is_ready = waiting.is_none();
    use_effect_with(waiting.as_ref().map(|run| Rc::as_ptr(run) as usize), move |_| {
        let task = waiting.map(|run| {
            Timeout::new(0, move || {
                last.of(&run);
                again.force_update();
            })
        });
        move || drop(task)
    });
    is_ready
}

/// Whether the memory of one step is shown beside the plan: it was asked for, and nothing else
/// needs the room.
fn has_room_for_slice(state: &State, layout: Layout) -> bool {
    let is_asked = state.view.look.slice && state.view.mode != Mode::Learn;
    is_asked && layout != Layout::Narrow && state.presenting().is_none()
}

/// Whether the classes of a step of training, or the curves of an allocator that caches, are shown
/// above the plan. Their bytes may be the answer to an open question.
fn has_room_for_strata(page: &Page, run: &Run, index: &Index) -> bool {
    let is_asked = page.state.view.look.classes && page.state.view.mode == Mode::Step;
    let has_room = page.layout != Layout::Narrow && page.state.presenting().is_none();
    is_asked && has_room && !page.state.has_open_figures() && (run.classes().is_some() || index.cache().is_some())
}

/// The buffers that the panel *Peak* points out, while it is shown.
fn outlined(state: &State) -> Rc<Vec<BufferId>> {
    let open = state.stepping.outlined.as_ref().filter(|_| state.right_tab() == Tab::Peak || state.tab() == Tab::Peak);
    open.map(|open| open.buffers.clone()).unwrap_or_default()
}

/// The hint in place of an empty plan: what to do next.
fn nothing_yet(page: &Page) -> Html {
    let (send, locale) = (page.send.clone(), page.state.settings.locale);
    let pick = Callback::from(move |_: MouseEvent| pick_files(locale, send.clone()));
    let examples = show_files(page);
    let is_graph = page.state.document.open.as_ref().is_some_and(|document| document.graph.is_some());
    html! {
        <div class="nothing">
            <p>{ page.word("stage.nothing") }</p>
            if is_graph {
                <button type="button" class="btn line" onclick={page.on(|| Action::View(ViewAction::Mode(Mode::Edit)))}>{ page.word("stage.nothing-edit") }</button>
            }
            <button type="button" class="btn line" onclick={pick}>{ page.word("files.open") }</button>
            <button type="button" class="btn line" onclick={examples}>{ page.word("files.examples") }</button>
        </div>
    }
}

/// Whether the plan is drawn without the marks of the last decision: they would only distract from
/// a step, from what a lesson says of the whole plan, and from a question about a figure.
pub fn is_at_rest(state: &State) -> bool {
    let is_scene = state.scene_beside().is_some_and(|scene| scene.rests() && !state.is_away());
    state.shown_step().is_some() || is_scene || state.has_open_figures()
}

/// Returns the frame to draw. With a cursor, and where a lesson speaks of the whole plan, marks of
/// the last decision are left out. While a question is open, the frame's focus is the buffer that
/// is asked about.
#[hook]
fn use_rest(page: &Page) -> Option<Rc<Frame>> {
    let asked = page.state.document.run.as_ref().and_then(|run| page.state.asked_buffer(run));
    let rests = is_at_rest(&page.state);
    let key = (page.frame.as_ref().map_or(0, |frame| Rc::as_ptr(frame) as usize), rests, asked);
    let frame = page.frame.clone();
    let rest = use_memo(key, move |(_, rests, asked)| match frame {
        Some(frame) if asked.is_some() => Some(Rc::new(Frame { focus: *asked, ..frame.at_rest() })),
        Some(frame) if *rests => Some(Rc::new(frame.at_rest())),
        frame => frame,
    });
    (*rest).clone()
}

/// Returns the buffers that do not fit into the requested capacity, as long as the notice about it
/// is shown.
#[hook]
fn use_conflict(page: &Page) -> Rc<Vec<BufferId>> {
    let notice = page.state.document.notice.clone().filter(|_| page.state.document.run.is_some());
    let key = notice.map(|notice| notice.conflict.clone()).unwrap_or_default();
    use_memo(key, |conflict| conflict.clone())
}
