//! Rules added to the style sheet of the page: its policy forbids elements `style`.

use js_sys::{Array, Function, Reflect};
use wasm_bindgen::{JsCast, JsValue};

use crate::browser::dom::document;

/// A rule at the end of the last style sheet. Dropping it removes the rule; there is at most one at
/// a time.
pub struct Rule {
    sheet: JsValue,
    at: JsValue,
}

impl Rule {
    /// Adds a rule; none if the browser does not take it.
    pub fn add(text: &str) -> Option<Rule> {
        let sheets = member(document()?.as_ref(), "styleSheets")?;
        let count = member(&sheets, "length")?.as_f64()? as u32;
        let sheet = Reflect::get_u32(&sheets, count.checked_sub(1)?).ok()?;
        let at = member(&member(&sheet, "cssRules")?, "length")?;
        call(&sheet, "insertRule", &Array::of2(&text.into(), &at))?;
        Some(Rule { sheet, at })
    }
}

impl Drop for Rule {
    fn drop(&mut self) {
        // A sheet that is gone has no rule to remove.
        let _ = call(&self.sheet, "deleteRule", &Array::of1(&self.at));
    }
}

fn member(object: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(object, &name.into()).ok()
}

fn call(object: &JsValue, method: &str, arguments: &Array) -> Option<JsValue> {
    member(object, method)?.dyn_into::<Function>().ok()?.apply(object, arguments).ok()
}
