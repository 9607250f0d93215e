//! `src/browser` alone asks the window of the page, and with it the document, the address, the
//! history and the like. Other folders of the page hold elements and events, and call what
//! `browser` gives them.

use super::imports::{PAGE, Sources, Used};

/// The one folder of the page that may ask for the window.
const BROWSER: &str = "src/browser/";

/// Whether a path, from the root of its crate, is a way to the window or to its document.
fn is_global(path: &[String]) -> bool {
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    match names.as_slice() {
        // A glob brings the function along.
        ["web_sys", "window" | "*", ..] | ["js_sys", "global" | "eval" | "*", ..] => true,
        ["gloo_utils", ..] | ["gloo", "utils", ..] => true,
        // What `browser` keeps to itself, should it ever be made public.
        [PAGE, "browser", .., "window" | "document"] => true,
        _ => false,
    }
}

/// Every place of the page outside `browser` that asks for a global object of the browser.
fn wrong_in(sources: &Sources) -> Vec<String> {
    let is_wrong =
        |used: &&Used| used.file.starts_with("src/") && !used.file.starts_with(BROWSER) && is_global(&used.path);
    let told = |used: &Used| format!("{}:{}: {}", used.file, used.line, used.path.join("::"));
    let mut found: Vec<String> = sources.used().iter().filter(is_wrong).map(told).collect();
    found.dedup();
    found
}

#[test]
fn only_one_folder_of_the_page_asks_the_window() {
    let sources = Sources::of_workspace();
    let wrong = wrong_in(sources);
    assert!(wrong.is_empty(), "call or write a function of src/browser instead:\n{}", wrong.join("\n"));
    // The rule reads what it is about.
    let asks = |used: &Used| used.file.starts_with(BROWSER) && is_global(&used.path);
    assert!(sources.used().iter().filter(|used| asks(used)).count() > 5);
}

#[test]
fn a_question_to_the_window_is_caught() {
    use super::tree;

    let sources = tree(&[
        ("lib.rs", "mod browser; mod plan; mod widgets;"),
        (
            "browser/mod.rs",
            "pub mod dom { pub fn document() { web_sys::window(); } pub fn find(css: &str) {} pub fn on_window() {} }",
        ),
        (
            "plan/mod.rs",
            "\
use web_sys::{Element, window};
use gloo_utils::document as page;
use web_sys;
fn now() { web_sys::window(); }
fn draw() { html! { <p>{ web_sys::window() }</p> } }
mod all { use web_sys::*; }
fn everything() { js_sys::global(); }
",
        ),
        (
            "widgets/mod.rs",
            "\
use crate::browser::dom::{self, find, on_window};
fn listen(window: &web_sys::EventTarget, document: u32) { on_window(); find(\"#window > .document\"); window.window(); }
fn here(run: scene::Window) { dom::find(\"p\"); run.document(); }
fn all() { dom::document(); }
#[cfg(test)] mod tests { use web_sys::window; }
",
        ),
    ]);
    let wrong = [
        "src/plan/mod.rs:1: web_sys::window",
        "src/plan/mod.rs:2: gloo_utils::document",
        "src/plan/mod.rs:4: web_sys::window",
        "src/plan/mod.rs:5: web_sys::window",
        "src/plan/mod.rs:7: js_sys::global",
        "src/plan/mod.rs:6: web_sys::*",
        "src/widgets/mod.rs:4: memplan::browser::dom::document",
    ];
    assert_eq!(wrong_in(&sources), wrong);
}
