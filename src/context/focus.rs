//! The focus, kept where it is while what is around it changes places.

use yew::prelude::*;

use crate::browser::dom::{active, focus_element};

/// Keeps the focus on its element when what a component draws in an order is drawn in another one:
/// the browser takes it from an element that is put elsewhere in the document.
#[hook]
pub fn use_kept_focus<T: PartialEq + Clone + 'static>(order: T) {
    let before = use_memo(order.clone(), |_| active());
    use_effect_with(order, move |_| {
        if active().is_none() {
            focus_element((*before).clone());
        }
    });
}
