//! The legend above the plan: what colours and lines stand for. Its entries bring a class out or
//! take it away.

use yew::prelude::*;

use crate::browser::css;
use crate::context::same::Same;
use crate::context::{Dark, Page, use_page};
use crate::plan::shared::{Shared, SharedView};
use crate::plan::viewing::Picture;
use crate::shell::state::action::{Action, ViewAction};
use crate::shell::state::look::Switch;
use crate::shell::state::panels::Mode;
use memplan_core::base::{Family, Message, Term, exact};
use memplan_core::plan::PoolRole;
use memplan_core::problem::{Buffer, BufferId};
use memplan_replay::Run;
use memplan_scene::paint::{Palette, Theme};
use memplan_scene::{Color, ColorBy, LegendEntry, Part, Signs, Squeeze, Tone, fullest_steps, legend, signs};

/// Buffers from which some may be too small to be drawn one by one.
const MANY: usize = 200;

#[derive(Properties, PartialEq)]
pub struct LegendProps {
    pub picture: Shared,
    pub viewing: SharedView,
    /// How the axis of addresses can be broken.
    pub squeeze: Option<Squeeze>,
}

/// The meaning of the plan's colours and lines, and how many buffers are too small to be seen.
#[component]
pub fn LegendBar(props: &LegendProps) -> Html {
    let page = use_page();
    let color_by = page.state.view.color_by;
    let picture = props.picture.0.clone();
    // A run of a million buffers is gone through once, and not at every step.
    let has_rest = *use_memo(picture.as_ref().map(|picture| Same::from(&picture.run)), |run| {
        run.as_ref().is_some_and(|run| has_rest(run))
    });
    // The classes of a finished run stay the same over its frames.
    let key = (picture.as_ref().map(|picture| Same::from(&picture.run)), color_by, page.speech());
    let entries = {
        let picture = picture.clone();
        use_memo(key, move |_| {
            let legend = |picture: Picture| legend(&picture.run, &picture.index, &picture.frame, &picture.style);
            picture.map(legend).unwrap_or_default()
        })
    };
    let onchange = {
        let send = page.send.clone();
        Callback::from(move |event: Event| {
            let name = event.target_unchecked_into::<web_sys::HtmlSelectElement>().value();
            send.emit(Action::View(ViewAction::ColorBy(ColorBy::from_name(&name).unwrap_or_default())));
        })
    };
    let dark = use_context::<Dark>().is_some_and(|dark| dark.0);
    let colors = Palette::of(if dark { Theme::Dark } else { Theme::Light });
    if page.state.has_open_figures() {
        // The bytes of a class may be the answer to an open question.
        let lines = picture.as_ref().map(|picture| lines(&page, picture, has_rest));
        return html! { <div class="legend-bar" role="group" aria-label={page.word("legend.title")}>{ for lines }</div> };
    }
    html! {
        <div class="legend-bar" role="group" aria-label={page.word("legend.title")}>
            <label><span class="muted">{ page.word("legend.colour") }</span>
                <select class="small" id="color-by" {onchange}>
                    { for ColorBy::ALL.into_iter().map(|color_by| html! {
                        <option value={color_by.name()} selected={color_by == page.state.view.color_by}>{ page.word(&Family::COLOR_BY.of([color_by.name()])) }</option>
                    }) }
                </select>
            </label>
            { for entries.iter().map(|shown| entry(&page, shown, &colors)) }
            if let Some(picture) = &props.picture.0 { { lines(&page, picture, has_rest) } }
            if let Some(squeeze) = props.squeeze { { axis_switch(&page, squeeze) } }
            <MergedNote picture={props.picture.clone()} viewing={props.viewing.clone()} />
        </div>
    }
}

/// A class with the number and the bytes of its buffers.
fn entry(page: &Page, entry: &LegendEntry, colors: &Palette) -> Html {
    let (class, filter) = (entry.class, page.state.view.filter);
    let send = page.send.clone();
    let onclick = Callback::from(move |event: MouseEvent| {
        let action = if event.shift_key() { ViewAction::Hide(class) } else { ViewAction::Isolate(class) };
        send.emit(Action::View(action));
    });
    let hidden = filter.hides(class);
    let count = entry.buffers.len() as u64;
    // Sums of sizes are what exercises ask for.
    let is_asked = page.state.view.mode == Mode::Learn || page.state.teaching.assigned.is_some();
    let key = if is_asked { "legend.how-many" } else { "legend.how" };
    let title = Message::new(key).text("words", entry.words.clone()).text("bytes", exact(entry.bytes));
    let counted =
        if is_asked { exact(count) } else { format!("{} · {}", exact(count), page.speech().bytes(entry.bytes)) };
    let fill = colors.color(Color::Buffer(Part::Fill, class, Tone::Full)).css(1.0);
    html! {
        <button type="button" class={classes!(hidden.then_some("off"))} aria-pressed={filter.isolates(class).to_string()}
            title={page.speech().say(&title)} {onclick}>
            <i class="swatch" ~style={css(format!("background:{fill}"))}></i>{ &entry.words }
            <span class="muted">{ counted }</span>
            if hidden { <span class="visually-hidden">{ page.word("legend.hidden") }</span> }
        </button>
    }
}

/// The keys of the lines that are drawn.
fn lines(page: &Page, picture: &Picture, has_rest: bool) -> Html {
    let style = &picture.style;
    // Storages have neither a peak nor a bound.
    let has_levels = picture.index.pools().iter().any(|pool| pool.role != PoolRole::Storage);
    let key = |kind: &'static str, word: &str| html! { <span class="line-item"><i class={kind}></i>{ page.word(word) }</span> };
    let tag = |kind: &'static str, letter: &str, word: &str| html! { <><i class={classes!("tag-key", kind)}>{ letter }</i>{ page.word(word) }</> };
    let cursor = page.state.shown_step();
    let flagged = cursor.is_some_and(|step| !fullest_steps(&picture.index, style, step).is_empty());
    let is_lit = |term: Term| page.state.lit_term() == Some(term);
    let Signs { spatial, temporal, padding, reuse, final_peak, taken, next, unused, in_the_way } =
        signs(&picture.run, &picture.index, &picture.frame, picture.size, style);
    let narrow = style.narrow;
    // Its line is called the same.
    let is_over = picture.run.peak_term(&picture.frame) == Term::Peak;
    html! { <>
        if style.show_peak && has_levels { { key("line-key top", if is_over { "term.peak" } else { "term.peak-so-far" }) } }
        // Its line is drawn, though what the peak will be is kept back.
        if !style.show_peak && has_levels && picture.frame.focus.is_some() && picture.frame.placed > 0 { { key("line-key top", "term.peak-so-far") } }
        if style.show_load && has_levels || is_lit(Term::Load) { { key("line-key", "stage.load") } }
        if style.has_bound() && has_levels || is_lit(Term::LowerBound) { { key("line-key bound", "term.lower-bound") } }
        if is_lit(Term::LowerBound) { { key("fullest-key", "legend.fullest") } }
        // Beside a lesson nothing else says it.
        if picture.frame.missed.is_some() && !style.narrow && page.state.view.mode == Mode::Learn { { key("missed-key", "legend.missed") } }
        if flagged { { key("step-key", "legend.fullest-step") } }
        if style.show_waste {
            { key("hatch-key", "picture.free") }
        } else if [Term::Waste, Term::Gap, Term::Fragmentation].into_iter().any(is_lit) {
            { key("hatch-key", "picture.free-fullest") }
        }
        if has_levels && padding && !style.show_waste { { key("padding-key", "picture.padding") } }
        if has_rest { { key("padding-key", "legend.storage-rest") } }
        if spatial { <span class="line-item">{ tag("spatial", "S", "legend.spatial") }</span> }
        if temporal { <span class="line-item">{ tag("temporal", "T", "legend.temporal") }</span> }
        if style.show_peak && has_levels {
            // It keeps its room when the peak is reached.
            <span class={classes!("line-item", (!final_peak).then_some("none"))} aria-hidden={(!final_peak).then_some("true")}>
                <i class="line-key final"></i>{ page.word("legend.final-peak") }</span>
        }
        // Elsewhere the panels tell it.
        if reuse && page.state.view.mode == Mode::Learn { { key("reuse-key", "legend.reuse") } }
        // On a phone neither chips nor words beside the plan tell these.
        if narrow && taken { { key("taken-key", "legend.taken") } }
        if narrow && in_the_way { { key("blocks-key", "legend.in-the-way") } }
        if narrow && next { { key("next-key", "legend.next") } }
        if narrow && unused { { key("unused-key", "legend.unused") } }
    </> }
}

/// Whether a buffer is smaller than its storage.
fn has_rest(run: &Run) -> bool {
    let is_smaller = |(id, buffer): (BufferId, &Buffer)| {
        let pool = run.plan.places[id].and_then(|place| run.plan.pools.get(place.pool));
        pool.is_some_and(|pool| pool.role == PoolRole::Storage && buffer.size < pool.size)
    };
    run.problem.buffers.enumerate().any(is_smaller)
}

/// Breaks the axis of addresses, or draws it to scale again.
fn axis_switch(page: &Page, squeeze: Squeeze) -> Html {
    let key = if page.state.view.look.squeeze { "axis.to-scale" } else { "axis.break" };
    let title = page.speech().say(&Message::new("axis.why").bytes("size", squeeze.to - squeeze.from));
    html! {
        <span><button type="button" class="name" id="break-axis" {title}
            onclick={page.on(|| Action::View(ViewAction::Switch(Switch::Squeeze)))}>{ page.word(key) }</button></span>
    }
}

#[derive(Properties, PartialEq)]
struct MergedProps {
    picture: Shared,
    viewing: SharedView,
}

/// How many buffers are too small to be drawn one by one, and the way to the smallest of them. The
/// painting tells it, which comes after the words around this.
#[component]
fn MergedNote(props: &MergedProps) -> Html {
    let page = use_page();
    let viewing = props.viewing.0.clone();
    let merged = use_state_eq(|| viewing.merged());
    {
        let merged = merged.setter();
        use_effect_with((), move |()| {
            viewing.watch_merged(Some(Callback::from(move |found| merged.set(found))));
            move || viewing.watch_merged(None)
        });
    }
    let (count, smallest) = *merged;
    // Where many buffers come one by one, the note has its room from the start: the bar is as high
    // at every frame.
    let buffers = props.picture.0.as_ref().map_or(0, |picture| picture.run.problem.buffers.len());
    if count == 0 && buffers < MANY {
        return Html::default();
    }
    let widest = Message::new("stage.merged").count("n", buffers as u64);
    let width = page.speech().say(&widest).chars().count();
    let zoom = |smallest: BufferId| {
        let (viewing, picture) = (props.viewing.0.clone(), props.picture.0.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(picture) = &picture {
                viewing.show_buffer(picture, smallest);
            }
        })
    };
    html! {
        <p class={classes!("density", (count == 0).then_some("none"))}>
            <span class="num" ~style={css(format!("min-width:{width}ch"))}>{ page.speech().say(&Message::new("stage.merged").count("n", count)) }</span>
            if let Some(smallest) = smallest {
                { " " }<button type="button" class="name" onclick={zoom(smallest)}>{ page.word("stage.zoom-smallest") }</button>
            }
        </p>
    }
}
