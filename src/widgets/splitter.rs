//! The handle between a panel and what stands beside it: dragged, moved by arrow keys, put back by
//! a double click.

use yew::prelude::*;

use crate::browser::dom::{capture, target_of};
use crate::browser::media::window_size;

/// What a handle moves, in px.
#[derive(Properties, PartialEq)]
pub struct SplitterProps {
    /// Whether the panel stands at the left edge of the window; otherwise at the right one.
    pub left: bool,
    /// Width of the panel.
    pub width: u32,
    /// Least and most width.
    pub bounds: (u32, u32),
    /// Width after a double click.
    pub usual: u32,
    /// Name for screen readers.
    pub label: AttrValue,
    /// Called with the width that is wanted; it may lie outside the bounds.
    pub onresize: Callback<u32>,
}

/// Px that an arrow key moves the handle.
const STEP: u32 = 16;

/// Draws the handle.
#[component]
pub fn Splitter(props: &SplitterProps) -> Html {
    let (left, width, usual) = (props.left, props.width, props.usual);
    let held = use_mut_ref(|| false);
    let onpointerdown = {
        let held = held.clone();
        Callback::from(move |event: PointerEvent| {
            *held.borrow_mut() = true;
            capture(target_of(&event), &event);
        })
    };
    let onpointermove = {
        let (held, resize) = (held.clone(), props.onresize.clone());
        Callback::from(move |event: PointerEvent| {
            if *held.borrow() {
                let x = event.client_x() as f64;
                resize.emit(if left { x } else { window_size().0 - x }.max(0.0) as u32);
            }
        })
    };
    let onpointerup = Callback::from(move |_: PointerEvent| *held.borrow_mut() = false);
    let onkeydown = {
        let resize = props.onresize.clone();
        Callback::from(move |event: KeyboardEvent| {
            let wider = if left { "ArrowRight" } else { "ArrowLeft" };
            match event.key().as_str() {
                key @ ("ArrowLeft" | "ArrowRight") if key == wider => resize.emit(width + STEP),
                "ArrowLeft" | "ArrowRight" => resize.emit(width.saturating_sub(STEP)),
                _ => return,
            }
            event.prevent_default();
            event.stop_propagation();
        })
    };
    let ondblclick = props.onresize.reform(move |_: MouseEvent| usual);
    let (least, most) = props.bounds;
    html! {
        <div class={classes!("splitter", if left { "at-right" } else { "at-left" })} role="separator" aria-orientation="vertical" tabindex="0"
            aria-label={props.label.clone()} aria-valuenow={width.to_string()} aria-valuemin={least.to_string()} aria-valuemax={most.to_string()}
            {onpointerdown} {onpointermove} {onpointerup} {onkeydown} {ondblclick}></div>
    }
}
