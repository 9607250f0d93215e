//! Elements of the page: finding, focusing, listening.

use gloo_events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{Document, Element, Event, EventTarget, PointerEvent, ScrollIntoViewOptions, ScrollLogicalPosition};

use crate::browser::window;

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
    focus_element(by_id(id));
}

/// Scrolls as little as brings an element into sight.
pub fn bring_into_sight(element: &Element) {
    let nearest = ScrollIntoViewOptions::new();
    nearest.set_block(ScrollLogicalPosition::Nearest);
    nearest.set_inline(ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&nearest);
}

/// Whether all of an element is in sight, in the column around it that css selects or in the
/// window.
pub fn is_in_sight(element: &Element, column: &str) -> bool {
    let own = element.get_bounding_client_rect();
    let around = element.closest(column).ok().flatten().or_else(root).map(|column| column.get_bounding_client_rect());
    around.is_some_and(|around| around.top() <= own.top() && own.bottom() <= around.bottom() + 1.0)
}

/// Scrolls the innermost element around this one that can be scrolled.
pub fn scroll_around(element: &Element, by: i32) {
    let mut around = element.parent_element();
    while let Some(column) = around {
        let before = column.scroll_top();
        column.set_scroll_top(before + by);
        if column.scroll_top() != before {
            return;
        }
        around = column.parent_element();
    }
}

/// Scrolls a row as little as brings an element of it into sight, so many px from its ends.
pub fn show_in_row(element: &Element, ends: f64) {
    let Some(row) = element.parent_element() else { return };
    let (own, around) = (element.get_bounding_client_rect(), row.get_bounding_client_rect());
    let right = own.right() + ends - around.right();
    let left = own.left() - around.left();
    let by = if left < right.max(0.0) && left < 0.0 { left } else { right.max(0.0) };
    row.set_scroll_left(row.scroll_left() + by.round() as i32);
}

/// The document of the window. Only this folder asks it; other folders call the functions below.
pub(super) fn document() -> Option<Document> {
    window().and_then(|window| window.document())
}

/// The element with an id.
pub fn by_id(id: &str) -> Option<Element> {
    document()?.get_element_by_id(id)
}

/// The first element that css selects.
pub fn find(css: &str) -> Option<Element> {
    document()?.query_selector(css).ok()?
}

/// The element of the whole document.
pub fn root() -> Option<Element> {
    document()?.document_element()
}

/// The element that has the focus. The body has it where nothing else does, and does not count.
pub fn active() -> Option<Element> {
    document()?.active_element().filter(|element| element.tag_name() != "BODY")
}

/// Whether an element has the focus, and the window has it, too.
pub fn has_focus(element: &Element) -> bool {
    document().is_some_and(|document| document.has_focus().unwrap_or(false)) && active().as_ref() == Some(element)
}

/// Makes an element that stands nowhere yet.
pub fn create(tag: &str) -> Option<Element> {
    document()?.create_element(tag).ok()
}

/// Names the page in the tab of the browser.
pub fn set_title(title: &str) {
    document().iter().for_each(|document| document.set_title(title));
}

/// Hears an event of the window until what is returned is dropped.
pub fn on_window(name: &'static str, heard: impl FnMut(&Event) + 'static) -> Option<EventListener> {
    boxed(name, EventListenerOptions::default(), Box::new(heard))
}

/// As [`on_window`], before the elements hear it or with the right to prevent what the browser
/// does.
pub fn on_window_with(
    name: &'static str,
    options: EventListenerOptions,
    heard: impl FnMut(&Event) + 'static,
) -> Option<EventListener> {
    boxed(name, options, Box::new(heard))
}

fn boxed(name: &'static str, options: EventListenerOptions, heard: Box<dyn FnMut(&Event)>) -> Option<EventListener> {
    let window = window()?;
    Some(EventListener::new_with_options(&window, name, options, heard))
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
pub fn target_of(event: &Event) -> Option<Element> {
    event.target().and_then(|target| target.dyn_into().ok())
}

/// The end of an effect: drops what had to live as long as it, a listener or a timer.
pub fn until_then<T>(kept: T) -> impl FnOnce() {
    move || drop(kept)
}
