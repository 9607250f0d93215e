//! The focus while what has it changes places.

use std::cell::RefCell;

use memplan::context::focus::use_kept_focus;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{Document, HtmlElement};
use yew::prelude::*;

use super::until;

thread_local! {
    static SET: RefCell<Option<UseStateSetter<Vec<&'static str>>>> = const { RefCell::new(None) };
}

/// Rows that change places with the buttons in them.
#[component]
fn Rows() -> Html {
    let order = use_state(|| vec!["a", "b", "c"]);
    SET.set(Some(order.setter()));
    use_kept_focus((*order).clone());
    html! {
        <ol>{ for order.iter().map(|name| html! { <li key={*name}><button id={format!("row-{name}")}>{ *name }</button></li> }) }</ol>
    }
}

fn document() -> Document {
    web_sys::window().and_then(|window| window.document()).expect("a browser")
}

fn focused() -> String {
    document().active_element().map(|element| element.id()).unwrap_or_default()
}

/// Draws the rows in an order. The focus comes back after they are drawn.
async fn show(root: &web_sys::Element, order: [&'static str; 3]) {
    SET.with_borrow(|set| set.as_ref().expect("drawn").set(order.to_vec()));
    until("the order", || root.text_content().as_deref() == Some(&order.concat())).await;
}

#[wasm_bindgen_test]
async fn a_row_that_moves_keeps_the_focus() {
    let root = document().create_element("div").expect("an element");
    document().body().expect("a body").append_child(&root).expect("a place");
    let handle = yew::Renderer::<Rows>::with_root(root.clone()).render();
    until("the rows", || document().get_element_by_id("row-c").is_some()).await;
    let focus = |name: &str| {
        let row = document().get_element_by_id(name).expect("a row");
        row.unchecked_into::<HtmlElement>().focus().expect("a button");
    };
    // Each row in turn, because which elements are put elsewhere is for the library to choose.
    for name in ["row-a", "row-b", "row-c"] {
        for order in [["c", "b", "a"], ["a", "c", "b"], ["b", "a", "c"], ["a", "b", "c"]] {
            focus(name);
            show(&root, order).await;
            until(&format!("{name} in {order:?}"), || focused() == name).await;
        }
    }
    handle.destroy();
    root.remove();
}
