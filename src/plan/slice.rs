//! What lies where at the cursor's step, beside the plan and at its scale. The list of the peak
//! panel has the same contents.

use std::rc::Rc;

use yew::prelude::*;

use crate::browser::canvas::{Repaint, paint, with_palette};
use crate::plan::shared::{Shared, SharedView};
use crate::plan::viewing::Watcher;
use memplan_scene as scene;

/// Width in px.
const WIDTH: f64 = 192.0;

#[derive(Properties, PartialEq)]
pub struct SliceProps {
    pub step: u32,
    pub picture: Shared,
    pub viewing: SharedView,
    pub dark: bool,
}

#[component]
pub fn Slice(props: &SliceProps) -> Html {
    let node = use_node_ref();
    let repaint = use_mut_ref(Repaint::default);
    let draw = {
        let (picture, viewing, dark, step) = (props.picture.0.clone(), props.viewing.0.clone(), props.dark, props.step);
        let (repaint, node) = (repaint.clone(), node.clone());
        Rc::new(move || {
            let Some((picture, view)) = picture.clone().zip(viewing.view()) else { return };
            let node = node.clone();
            repaint.borrow().ask(move || {
                let scene = scene::slice(picture.under(&view), (step, WIDTH));
                let size = scene.size;
                with_palette(dark, |palette| paint(&node, scene, size, palette));
            });
        })
    };
    {
        let draw = draw.clone();
        // After the canvas is there.
        use_effect(move || draw());
    }
    props.viewing.0.watch(Watcher::Slice, Some(Callback::from(move |()| draw())));
    {
        let viewing = props.viewing.0.clone();
        use_effect_with((), move |_| move || viewing.watch(Watcher::Slice, None));
    }
    html! { <div class="slice" id="slice" data-step={props.step.to_string()} aria-hidden="true"><canvas ref={node}></canvas></div> }
}
