//! The whole run in a strip under the plan, with the visible steps as a frame to drag.

use std::rc::Rc;

use web_sys::HtmlElement;
use yew::prelude::*;

use crate::browser::canvas::{Repaint, paint, use_size, with_palette};
use crate::browser::dom::capture;
use crate::context::use_page;
use crate::plan::shared::CanvasesProps;
use crate::plan::viewing::Watcher;
use memplan_scene::{self as scene, Grip, MinimapScale, View};

#[component]
pub fn Minimap(props: &CanvasesProps) -> Html {
    let page = use_page();
    let (host, node) = (use_node_ref(), use_node_ref());
    let size = use_size(host.clone());
    let repaint = use_mut_ref(Repaint::default);
    let dragged = use_mut_ref(|| None::<(Grip, f64, View)>);
    let draw = {
        let (picture, viewing, dark) = (props.picture.0.clone(), props.viewing.0.clone(), props.dark);
        let (repaint, node) = (repaint.clone(), node.clone());
        Rc::new(move || {
            let Some((picture, view)) = picture.clone().zip(viewing.view()).filter(|_| size.0 > 0.0) else { return };
            let node = node.clone();
            repaint.borrow().ask(move || {
                let scene = scene::minimap(scene::Picture { size, ..picture.under(&view) });
                with_palette(dark, |palette| paint(&node, scene, size, palette));
            });
        })
    };
    draw();
    {
        let draw = draw.clone();
        props.viewing.0.watch(Watcher::Minimap, Some(Callback::from(move |()| draw())));
    }
    {
        let viewing = props.viewing.0.clone();
        use_effect_with((), move |_| move || viewing.watch(Watcher::Minimap, None));
    }
    let x_of = {
        let host = host.clone();
        Rc::new(move |event: &PointerEvent| {
            let element = host.cast::<HtmlElement>();
            element.map_or(0.0, |element| event.client_x() as f64 - element.get_bounding_client_rect().left())
        })
    };
    let apply = {
        let (picture, viewing) = (props.picture.0.clone(), props.viewing.0.clone());
        Rc::new(move |change: &dyn Fn(&MinimapScale, View) -> View| {
            let Some((picture, view)) = picture.as_ref().zip(viewing.view()) else { return };
            let scale = MinimapScale::new(&picture.index, size, &picture.style);
            viewing.choose(change(&scale, view).clamped(&picture.index, picture.size, &picture.style));
        })
    };
    let onpointerdown = {
        let (dragged, picture, viewing) = (dragged.clone(), props.picture.0.clone(), props.viewing.0.clone());
        let (held, x_of) = (host.clone(), x_of.clone());
        Callback::from(move |event: PointerEvent| {
            let Some((picture, view)) = picture.as_ref().zip(viewing.view()) else { return };
            capture(held.cast(), &event);
            let scale = MinimapScale::new(&picture.index, size, &picture.style);
            let x = x_of(&event);
            *dragged.borrow_mut() = Some((scale.grip(&view, x), x, view));
        })
    };
    let onpointermove = {
        let (dragged, apply, x_of) = (dragged.clone(), apply.clone(), x_of.clone());
        Callback::from(move |event: PointerEvent| {
            let Some((grip, from, view)) = *dragged.borrow() else { return };
            let x = x_of(&event);
            if (x - from).abs() > 3.0 {
                apply(&|scale, _| scale.dragged(&view, grip, from, x));
            }
        })
    };
    let onpointerup = Callback::from(move |event: PointerEvent| {
        if let Some((_, from, _)) = dragged.borrow_mut().take()
            && (x_of(&event) - from).abs() <= 3.0
        {
            apply(&|scale, view| scale.centred(&view, from));
        }
    });
    html! {
        <div class="minimap" ref={host} aria-hidden="true" title={page.word("stage.minimap")} {onpointerdown} {onpointermove} {onpointerup}>
            <canvas ref={node}></canvas>
        </div>
    }
}
