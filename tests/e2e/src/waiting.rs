//! Waiting until the page is as it is wanted.

use std::cell::RefCell;
use std::fmt::Debug;
use std::thread;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::browser::PATIENCE;
use crate::page::{FACTS, Facts, Page, count, quoted, texts};

/// Time between the first two looks at the page: short, because most waits end then. It is twice
/// as long each time, up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(4);

/// Longest time between two looks at the page.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// Time after which a wait also looks at the console: what was written there may be why nothing
/// comes.
const DOUBT: Duration = Duration::from_secs(10);

impl Page {
    /// Looks again and again until there is something to give.
    ///
    /// # Panics
    /// With what was waited for, after [`PATIENCE`]; earlier when the console says that the page
    /// has failed.
    pub(crate) fn wait<T>(&self, what: impl Fn() -> String, look: impl FnMut() -> Option<T>) -> T {
        self.wait_with_pauses(LONGEST_PAUSE, what, look)
    }

    fn wait_with_pauses<T>(
        &self,
        longest: Duration,
        what: impl Fn() -> String,
        mut look: impl FnMut() -> Option<T>,
    ) -> T {
        let (start, mut pause) = (Instant::now(), FIRST_PAUSE.min(longest));
        let mut doubt = DOUBT;
        loop {
            if let Some(found) = look() {
                return found;
            }
            let waited = start.elapsed();
            if waited > doubt {
                let errors = self.unexpected_errors();
                assert!(errors.is_empty(), "waiting for {}, the console says: {}", what(), errors.join("\n"));
                doubt = waited + DOUBT;
            }
            assert!(waited <= PATIENCE, "waited {PATIENCE:?} for {}\n{}", what(), self.describe());
            thread::sleep(pause);
            pause = (pause * 2).min(longest);
        }
    }

    /// Waits for a value of a JavaScript expression that is accepted. It is looked at again
    /// whenever it has become another one.
    fn watch<T>(
        &self,
        what: impl Fn(&Value) -> String,
        expression: &str,
        mut accept: impl FnMut(&Value) -> Option<T>,
    ) -> T {
        // No value of the page, so that the first one is new.
        let last = RefCell::new(json!({ "nothing": "seen" }));
        // The page pauses between its own looks.
        self.wait_with_pauses(
            FIRST_PAUSE,
            || what(&last.borrow()),
            || {
                let seen = self.browser.watch(expression, &last.borrow())?;
                let accepted = accept(&seen);
                *last.borrow_mut() = seen;
                accepted
            },
        )
    }

    /// As [`Page::watch`], with a value of a type of Rust.
    fn until_value<T: DeserializeOwned>(
        &self,
        what: impl Fn(&Value) -> String,
        expression: &str,
        accept: impl Fn(&T) -> bool,
    ) -> T {
        self.watch(what, expression, |value| {
            // An error of the page is none yet.
            serde_json::from_value(value.clone()).ok().filter(&accept)
        })
    }

    /// Waits until a JavaScript condition holds. One that throws does not hold yet.
    pub fn until(&self, what: &str, condition: &str) {
        let told = |last: &Value| format!("{what}: {condition}, which is {last}");
        self.watch(told, &format!("!!({condition})"), |value| (*value == true).then_some(()));
    }

    /// Waits until what is read has a value.
    pub fn until_equal<T: PartialEq + Debug>(&self, what: &str, wanted: T, read: impl Fn(&Page) -> T) {
        let last = RefCell::new(None);
        let told = || format!("{what} to be {wanted:?}, which is {:?}", last.borrow());
        self.wait(told, || {
            *last.borrow_mut() = Some(read(self));
            (last.borrow().as_ref() == Some(&wanted)).then_some(())
        });
    }

    /// Looks until there is something to give.
    pub fn until_some<T>(&self, what: &str, look: impl Fn(&Page) -> Option<T>) -> T {
        self.wait(|| what.to_string(), || look(self))
    }

    /// The value of an expression once it has stayed the same for half a second of the page's own
    /// time.
    pub fn until_still<T: DeserializeOwned>(&self, what: &str, expression: &str) -> T {
        let stays = format!(
            "(now => {{ const known = window.testStill, at = performance.now();
                if (known?.now !== now) window.testStill = {{ now, at }};
                return known?.now === now && at - known.at > 500; }})({expression})"
        );
        self.until(&format!("{what} to stay"), &stays);
        self.eval("window.testStill.now")
    }

    /// Waits until the first element found has this text.
    pub fn until_text(&self, css: &str, wanted: &str) {
        self.until_texts_are(css, &format!("{wanted:?} first"), |texts| {
            texts.first().is_some_and(|text| text == wanted)
        });
    }

    /// Waits until the elements found have these texts.
    pub fn until_texts<Text: AsRef<str>>(&self, css: &str, wanted: &[Text]) {
        let wanted: Vec<&str> = wanted.iter().map(AsRef::as_ref).collect();
        self.until_texts_are(css, &format!("{wanted:?}"), |texts| *texts == wanted);
    }

    fn until_texts_are(&self, css: &str, wanted: &str, accept: impl Fn(&Vec<String>) -> bool) -> Vec<String> {
        self.until_value(|last| format!("{css} to be {wanted}, which is {last}"), &texts(css), accept)
    }

    /// Waits until the text of the first element found has all of these pieces, and gives it.
    pub fn until_says(&self, css: &str, pieces: &[&str]) -> String {
        let has_all = |text: &String| pieces.iter().all(|piece| text.contains(piece));
        let found =
            self.until_texts_are(css, &format!("{pieces:?} at first"), |texts| texts.first().is_some_and(has_all));
        found.into_iter().next().unwrap_or_default()
    }

    pub fn until_count(&self, css: &str, wanted: usize) {
        let told = |last: &Value| format!("{wanted} of {css}, of which there are {last}");
        self.until_value(told, &count(css), |found: &usize| *found == wanted);
    }

    /// Waits until the first element found has an attribute with this value, or is there without
    /// it.
    pub fn until_attribute(&self, css: &str, name: &str, wanted: Option<&str>) {
        let told = |last: &Value| format!("{name} of {css} to be {wanted:?}, which is {last}");
        // A list, so that an element without the attribute is not taken for none.
        let read =
            format!("(e => e ? [e.getAttribute({})] : [])(document.querySelector({}))", quoted(name), quoted(css));
        self.until_value(told, &read, |found: &Vec<Option<String>>| {
            found.first().is_some_and(|value| value.as_deref() == wanted)
        });
    }

    /// Waits until the headline of the frame has been spoken, as a screen reader hears it.
    pub fn until_spoken(&self) {
        self.until(
            "the headline to be spoken",
            "(said => said && said === document.querySelector('#why-headline').textContent)(document.querySelector('[aria-live=polite]').textContent)",
        );
    }

    /// The text on the clipboard, as soon as there is one.
    pub fn until_copied(&self) -> String {
        let body = "navigator.clipboard.readText().then(arguments[0], error => arguments[0](String(error)))";
        let read = || self.browser.script_later::<String>(body, Vec::new());
        self.wait(|| "something on the clipboard".into(), || Some(read()).filter(|text| !text.is_empty()))
    }

    /// Waits until a plan is shown and its facts satisfy a condition.
    pub fn until_facts(&self, what: &str, condition: impl Fn(&Facts) -> bool) -> Facts {
        self.until_value(|last| format!("{what}, the plan being {last}"), FACTS, condition)
    }

    pub fn until_planned(&self) -> Facts {
        self.until_facts("a plan", |_| true)
    }

    pub fn until_planner(&self, planner: &str) -> Facts {
        self.until_facts(planner, |facts| facts.planner == planner)
    }

    pub fn until_frame(&self, frame: u32) -> Facts {
        self.until_facts(&format!("frame {frame}"), |facts| facts.frame == frame)
    }

    pub fn until_selected(&self, name: Option<&str>) {
        self.until_facts(&format!("the selection {name:?}"), |facts| facts.selected.as_deref() == name);
    }

    pub fn until_there(&self, css: &str) {
        self.until(css, &format!("document.querySelector({})", quoted(css)));
    }

    pub fn until_gone(&self, css: &str) {
        self.until(&format!("the end of {css}"), &format!("!document.querySelector({})", quoted(css)));
    }

    /// Waits until what was asked to be drawn has been drawn.
    pub fn until_painted(&self) {
        let body = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(true)));";
        assert!(self.browser.script_later::<bool>(body, Vec::new()));
    }

    /// Waits until the address holds a piece of text, which it does a moment after the state.
    pub fn until_address(&self, piece: &str) {
        self.until(&format!("{piece} in the address"), &format!("location.hash.includes({})", quoted(piece)));
    }
}
