use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

use crate::app::context::use_page;
use crate::app::model::panels::Panels;
use crate::app::state::action::Action;

#[derive(Properties, PartialEq)]
pub struct SplitterProps {
    pub left: bool,
}

/// The handle between a panel and the plan.
#[component]
pub fn Splitter(props: &SplitterProps) -> Html {
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
