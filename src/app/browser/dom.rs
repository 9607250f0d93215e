//! Elements of the page: finding, focusing, listening.

use wasm_bindgen::JsCast;
use web_sys::{Element, EventTarget, PointerEvent};

/// Whether an event comes from a field in which letters are text.
pub fn is_field(target: Option<EventTarget>) -> bool {
    let element = target.and_then(|target| target.dyn_into::<Element>().ok());
    element.is_some_and(|element| match element.tag_name().as_str() {
        // Boxes take no letters, nor does a field that is only read.
        "INPUT" => {
            let is_box = matches!(element.get_attribute("type").as_deref(), Some("checkbox" | "radio"));
            !is_box && !element.has_attribute("readonly")
        }
        name => matches!(name, "SELECT" | "TEXTAREA"),
    })
}

/// Moves the focus to an element by id.
pub fn focus(id: &str) {
    focus_element(document().and_then(|document| document.get_element_by_id(id)));
}

/// The document of the window.
pub fn document() -> Option<web_sys::Document> {
    web_sys::window().and_then(|window| window.document())
}

/// Moves the focus to an element, if there is one.
pub fn focus_element(element: Option<Element>) {
    if let Some(element) = element {
        // Elements of drawings have the method, too. One that cannot be focused is left alone.
        let _ = element.unchecked_into::<web_sys::HtmlElement>().focus();
    }
}

/// Sends all that the pointer does to an element until it is let go.
pub fn capture(element: Option<Element>, event: &PointerEvent) {
    if let Some(element) = element {
        // Without capture a drag merely ends at the element's edge.
        let _ = element.set_pointer_capture(event.pointer_id());
    }
}

/// Returns the element that an event happened on.
pub fn target_of(event: &web_sys::Event) -> Option<Element> {
    event.target().and_then(|target| target.dyn_into().ok())
}

/// The end of an effect: drops what had to live as long as it, a listener or a timer.
pub fn until_then<T>(kept: T) -> impl FnOnce() {
    move || drop(kept)
}
