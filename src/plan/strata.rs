//! What training holds bytes for, over time, above the plan and at its steps. The list of the peak
//! panel says the same of one step.

use std::rc::Rc;

use yew::prelude::*;

use crate::browser::canvas::{Repaint, paint, use_size, with_palette};
use crate::plan::shared::{Shared, SharedView};
use crate::plan::viewing::Watcher;
use memplan_scene as scene;

#[derive(Properties, PartialEq)]
pub struct StrataProps {
    pub picture: Shared,
    pub viewing: SharedView,
    pub dark: bool,
}

#[component]
pub fn Strata(props: &StrataProps) -> Html {
    let (host, node) = (use_node_ref(), use_node_ref());
    let height = use_size(host.clone()).1;
    let repaint = use_mut_ref(Repaint::default);
    let draw = {
        let (picture, viewing, dark) = (props.picture.0.clone(), props.viewing.0.clone(), props.dark);
        let (repaint, node) = (repaint.clone(), node.clone());
        Rc::new(move || {
            let Some((picture, view)) = picture.clone().zip(viewing.view()).filter(|_| height > 0.0) else { return };
            let node = node.clone();
            repaint.borrow().ask(move || {
                let scene = scene::strata(picture.under(&view), height);
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
    props.viewing.0.watch(Watcher::Strata, Some(Callback::from(move |()| draw())));
    {
        let viewing = props.viewing.0.clone();
        use_effect_with((), move |_| move || viewing.watch(Watcher::Strata, None));
    }
    let width = props.picture.0.as_ref().map_or(0.0, |picture| picture.size.0);
    html! {
        <div class="strata" id="strata" ref={host} aria-hidden="true">
            <canvas ref={node} ~style={crate::browser::css(format!("width:{width}px"))}></canvas>
        </div>
    }
}
