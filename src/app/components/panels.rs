//! The side panels of the wide layout, with splitters that mouse and arrow keys move.

use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

use super::files::files;
use super::icons::{Icon, glyph};
use super::selection::selection_box;
use super::state_panel::StatePanel;
use super::tables::{BufferTable, GraphTable};
use super::tabs::{Tabs, tabs};
use super::why_panel::why_panel;
use super::{Page, use_page};
use crate::app::state::{Action, Panels, Tab};

pub fn left_panel(page: &Page) -> Html {
    let panels = page.state.panels;
    let name = page.word("panel.left");
    let collapse = html! {
        <button type="button" class="btn icon-only" aria-label={name.clone()} title={name.clone()} aria-expanded={panels.left.to_string()}
            onclick={page.on(|| Action::ToggleLeft)}>{ glyph(Icon::Panel) }</button>
    };
    if !panels.left {
        return html! { <aside class="panel left closed" id="region-left" tabindex="-1" aria-label={name}>{ collapse }</aside> };
    }
    let send = page.send.clone();
    let onselect = Callback::from(move |tab| send.emit(Action::LeftTab(tab)));
    let buffers = page.state.run.as_ref().map_or(0, |run| run.problem.buffers.len());
    html! {
        <aside class="panel left" id="region-left" tabindex="-1" aria-label={name.clone()}>
            { tabs(page, Tabs {
                tabs: &[Tab::Files, Tab::Graph, Tab::Buffers],
                selected: panels.left_tab,
                onselect,
                prefix: "left",
                label: &name,
                count: Some((Tab::Buffers, buffers)),
                beside: collapse,
            }) }
            <div class="tab-panel" role="tabpanel" id="left-panel" aria-labelledby={format!("left-tab-{}", panels.left_tab.name())}>
                { tab_body(page, panels.left_tab) }
            </div>
            if panels.left_tab != Tab::Files || page.state.selection.is_some() { { selection_box(page) } }
            <Splitter left={true} />
        </aside>
    }
}

pub fn right_panel(page: &Page) -> Html {
    let open = page.state.panels.right;
    let name = page.word("panel.right");
    let collapse = html! {
        <button type="button" class="btn icon-only" aria-label={name.clone()} title={name.clone()} aria-expanded={open.to_string()}
            onclick={page.on(|| Action::ToggleRight)}>{ glyph(Icon::Panel) }</button>
    };
    if !open {
        return html! { <aside class="panel right closed" id="region-right" tabindex="-1" aria-label={name}>{ collapse }</aside> };
    }
    html! {
        <aside class="panel right" id="region-right" tabindex="-1" aria-label={name}>
            <Splitter left={false} />
            <section class="why-section" id="why-panel" tabindex="-1" aria-label={page.word("tab.why")}>
                <div class="panel-title"><h2>{ page.word("tab.why") }</h2><span class="grow"></span>{ collapse }</div>
                { why_panel(page) }
            </section>
            { tab_body(page, Tab::State) }
        </aside>
    }
}

/// What a tab shows.
pub fn tab_body(page: &Page, tab: Tab) -> Html {
    let is_early = page.state.run.is_some() && !page.settled;
    match tab {
        Tab::Graph | Tab::Buffers | Tab::State if is_early => Html::default(),
        Tab::Files => files(page),
        Tab::Graph => html! { <GraphTable /> },
        Tab::Buffers => html! { <BufferTable /> },
        Tab::Why => why_panel(page),
        Tab::State => html! { <StatePanel /> },
        Tab::Selection => selection_box(page),
    }
}

#[derive(Properties, PartialEq)]
struct SplitterProps {
    left: bool,
}

/// The handle between a panel and the plan.
#[component]
fn Splitter(props: &SplitterProps) -> Html {
    let page = use_page();
    let left = props.left;
    let width = if left { page.state.panels.left_width } else { page.state.panels.right_width };
    let set = {
        let send = page.send.clone();
        Callback::from(move |width: f64| send.emit(Action::PanelWidth { left, width: width.max(0.0) as u32 }))
    };
    let held = use_mut_ref(|| false);
    let onpointerdown = {
        let held = held.clone();
        Callback::from(move |event: PointerEvent| {
            *held.borrow_mut() = true;
            if let Some(element) = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok()) {
                // Without capture a drag merely ends at the handle's edge.
                let _ = element.set_pointer_capture(event.pointer_id());
            }
        })
    };
    let onpointermove = {
        let (held, set) = (held.clone(), set.clone());
        Callback::from(move |event: PointerEvent| {
            if *held.borrow() {
                let whole =
                    web_sys::window().and_then(|window| window.inner_width().ok()).and_then(|width| width.as_f64());
                let x = event.client_x() as f64;
                set.emit(if left { x } else { whole.unwrap_or(1440.0) - x });
            }
        })
    };
    let onpointerup = Callback::from(move |_: PointerEvent| *held.borrow_mut() = false);
    let onkeydown = {
        let set = set.clone();
        Callback::from(move |event: KeyboardEvent| {
            let wider = if left { "ArrowRight" } else { "ArrowLeft" };
            match event.key().as_str() {
                key @ ("ArrowLeft" | "ArrowRight") => set.emit(width as f64 + if key == wider { 16.0 } else { -16.0 }),
                _ => return,
            }
            event.prevent_default();
            event.stop_propagation();
        })
    };
    let usual = Panels::default();
    let ondblclick =
        Callback::from(move |_: MouseEvent| set.emit(if left { usual.left_width } else { usual.right_width } as f64));
    let (least, most) = if left { ("220", "480") } else { ("300", "520") };
    html! {
        <div class={classes!("splitter", if left { "at-right" } else { "at-left" })} role="separator" aria-orientation="vertical" tabindex="0"
            aria-label={page.word(if left { "panel.left-width" } else { "panel.right-width" })} aria-valuenow={width.to_string()} aria-valuemin={least} aria-valuemax={most}
            {onpointerdown} {onpointermove} {onpointerup} {onkeydown} {ondblclick}></div>
    }
}
