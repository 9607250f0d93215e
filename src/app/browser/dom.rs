use wasm_bindgen::JsCast;

/// Whether an event comes from a field in which letters are text.
pub fn is_field(target: Option<web_sys::EventTarget>) -> bool {
    let element = target.and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    element.is_some_and(|element| match element.tag_name().as_str() {
        // Boxes take no letters.
        "INPUT" => !matches!(element.get_attribute("type").as_deref(), Some("checkbox" | "radio")),
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
pub fn focus_element(element: Option<web_sys::Element>) {
    use wasm_bindgen::JsCast;
    if let Some(element) = element {
        // Elements of drawings have the method, too. One that cannot be focused is left alone.
        let _ = element.unchecked_into::<web_sys::HtmlElement>().focus();
    }
}

/// The end of an effect: drops what had to live as long as it, a listener or a timer.
pub fn until_then<T>(kept: T) -> impl FnOnce() {
    move || drop(kept)
}
