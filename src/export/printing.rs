//! What the browser prints: a page of its own with the plan, its figures and the explanation, in
//! place of the window.

use yew::prelude::*;

use crate::browser::dom::{by_id, on_window, until_then};
use crate::browser::location::whole_address;
use crate::context::Page;
use crate::export::picture::changed_options;
use crate::learn::teacher::state::form::Corner;
use crate::plan::style::style_of;
use crate::shell::state::panels::Mode;
use memplan_scene::Style;
use memplan_scene::paint::{Shown, print_page};
use memplan_teach::exercise::worksheet::pages;

/// Fills the printed page when printing begins, and empties it afterwards: it is never drawn while
/// stepping.
#[hook]
pub fn use_printing(page: &Page) {
    let latest = use_mut_ref(|| page.clone());
    *latest.borrow_mut() = page.clone();
    use_effect_with((), move |_| {
        let before = on_window("beforeprint", move |_| {
            let page = latest.borrow().clone();
            match sheet(&page) {
                Some(pages) => fill(&pages, PAPER),
                None => fill(&printed(&page).unwrap_or_default(), ""),
            }
        });
        until_then((before, on_window("afterprint", |_| fill("", ""))))
    });
}

fn fill(html: &str, class: &str) {
    if let Some(place) = by_id("print") {
        place.set_inner_html(html);
        place.set_class_name(class);
    }
}

/// The class with the rules of worksheets.
const PAPER: &str = "paper";

/// The worksheet that the teacher's corner shows: it is printed in place of its form.
fn sheet(page: &Page) -> Option<String> {
    let is_shown = page.state.teaching.corner == Some(Corner::Sheet) && page.state.view.mode == Mode::Learn;
    let sheet = page.state.teaching.sheet.as_ref().filter(|_| is_shown)?;
    Some(pages(sheet).to_string())
}

/// The page of the present frame. A comparison is printed as it stands, and so is a question about
/// a figure of the page.
fn printed(page: &Page) -> Option<String> {
    if page.state.view.mode.in_header() == Mode::Compare || page.state.has_open_figures() {
        return None;
    }
    if page.state.teaching.corner.is_some() && page.state.view.mode == Mode::Learn {
        // Teachers print the plan of their lesson, and worksheets.
        return Some(by_id("hour")?.inner_html());
    }
    let (run, frame) = page.state.document.run.as_ref().zip(page.frame.as_ref())?;
    let address = whole_address();
    let shown = Shown { level: page.state.stepping.level, options: changed_options(page), link: &address };
    let style = Style { filter: page.state.view.filter, ..style_of(page, run) };
    Some(print_page(run, &page.state.document.index.of(run), frame, &style, &shown))
}
