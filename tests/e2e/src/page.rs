//! The page under test: opening it, using it, reading what it shows.

use std::cell::RefCell;
use std::fmt::{Debug, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::browser::{Browser, VIOLATION};
use crate::keys;
use crate::server::BLANK;

/// The sizes at which the layouts are drawn.
pub const WIDE: (u32, u32) = (1440, 900);
pub const MIDDLE: (u32, u32) = (1024, 768);
pub const NARROW: (u32, u32) = (390, 844);

/// What the plan's canvas says of itself.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Facts {
    pub peak: u64,
    pub bound: u64,
    pub frame: u32,
    pub frames: u32,
    pub planner: String,
    pub selected: Option<String>,
}

pub(crate) const FACTS: &str = "(() => { const d = document.querySelector('#plan')?.dataset; return d?.planner
    ? { peak: +d.peak, bound: +d.lowerBound, frame: +d.frame, frames: +d.frames, planner: d.planner, selected: d.selected ?? null }
    : null })()";

/// A browser window with the page in it.
pub struct Page {
    pub browser: Browser,
    site: String,
    /// The address of an empty document, shown between two visits.
    blank: String,
    console_forgiven: bool,
    /// Errors on the console that were read from the browser since the last reset.
    errors: RefCell<Vec<String>>,
}

impl Page {
    /// A page of the suite's own server. Its browser keeps one process for all visits, and with it
    /// what it has compiled, because the blank document comes from the same origin.
    pub fn new(browser: Browser, site: String) -> Page {
        let blank = format!("{site}{BLANK}");
        Page { browser, site, blank, console_forgiven: false, errors: RefCell::default() }
    }

    /// A page in a browser that was never there.
    fn first_visit(browser: Browser, site: String) -> Page {
        let page = Page { blank: "about:blank".into(), ..Page::new(browser, site) };
        page.viewport(WIDE);
        page.prefers("light");
        page
    }

    /// The page in a browser of its own that was never there and records its timeline.
    pub fn recorded(&self) -> Page {
        Page::first_visit(self.browser.recorded(), self.site.clone())
    }

    /// The page in a browser of its own that was never there and records what it asks for.
    pub fn observed(&self) -> Page {
        Page::first_visit(self.browser.observed(), self.site.clone())
    }

    /// A page in a browser of its own that was never there; it comes from this origin and may keep
    /// itself.
    pub fn own(&self, origin: &str) -> Page {
        Page::first_visit(self.browser.own(origin), format!("{origin}/"))
    }

    /// Where the page comes from, without a slash at its end.
    pub fn origin(&self) -> &str {
        self.site.trim_end_matches('/')
    }

    /// Opens the page afresh at a fragment (with or without `#`) and waits for its plan.
    pub fn open(&mut self, fragment: &str) {
        self.open_in("", fragment);
    }

    /// Goes to another planner or frame of the document that is open, as a link inside the page
    /// does, and waits for both. This takes a tenth of the time of [`Page::open`], for tests which
    /// are not about the start of the page.
    pub fn go(&self, fragment: &str) {
        self.follow(fragment);
        let named = |key: &str| {
            let mut parts = fragment.split('&').filter_map(|part| part.split_once('='));
            parts.find(|(name, _)| *name == key).map(|(_, value)| value.to_string())
        };
        let (planner, frame) = (named("plan"), named("f").and_then(|frame| frame.parse::<u32>().ok()));
        self.until_facts(fragment, |facts| {
            planner.as_ref().is_none_or(|planner| facts.planner == *planner)
                && frame.is_none_or(|frame| facts.frame == frame)
        });
    }

    /// Follows a link inside the page without waiting for anything.
    pub fn follow(&self, fragment: &str) {
        self.browser.script::<Value>("location.hash = arguments[0];", vec![fragment.into()]);
    }

    /// The same in a sub-folder such as `sub/dir/`.
    pub fn open_in(&mut self, folder: &str, fragment: &str) {
        self.visit(folder, fragment);
        self.until_planned();
    }

    /// Opens the page afresh without waiting for anything but its load.
    pub fn visit(&mut self, folder: &str, fragment: &str) {
        // A change of the fragment alone would not load the page again.
        self.browser.leave_for(&self.blank);
        let site = &self.site;
        self.browser.visit(&format!("{site}{folder}#{}", fragment.trim_start_matches('#')));
    }

    /// Opens another page of the site, by its path.
    pub fn visit_path(&mut self, path: &str) {
        self.browser.visit(&format!("{}{path}", self.site));
    }

    /// Puts the window back to what every test starts from.
    pub fn reset(&mut self) {
        self.browser.leave_for(&self.blank);
        // What a test leaves behind for its next visit is not for another test.
        let kept = json!({ "origin": self.site.trim_end_matches('/'), "storageTypes": "indexeddb,local_storage" });
        self.browser.devtools("Storage.clearDataForOrigin", kept);
        self.viewport(WIDE);
        self.prefers("light");
        self.browser.errors();
        self.errors.take();
        self.console_forgiven = false;
    }

    /// A viewport of exactly this size in css pixels.
    pub fn viewport(&self, size: (u32, u32)) {
        self.device(size, 1.0, false);
    }

    /// A viewport as that of a device; a mobile one has a coarse pointer.
    pub fn device(&self, (width, height): (u32, u32), scale: f64, mobile: bool) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": scale, "mobile": mobile });
        self.browser.emulate("Emulation.setDeviceMetricsOverride", metrics);
        self.browser.emulate("Emulation.setTouchEmulationEnabled", json!({ "enabled": mobile }));
    }

    /// What the system asks for: a `light` or a `dark` page. Motion is asked to be reduced, which
    /// keeps pictures still.
    pub fn prefers(&self, scheme: &str) {
        self.emulate(scheme, "reduce");
    }

    /// Whether the system asks for motion, on a light page.
    pub fn wants_motion(&self, wanted: bool) {
        self.emulate("light", if wanted { "no-preference" } else { "reduce" });
    }

    fn emulate(&self, scheme: &str, motion: &str) {
        let features = json!([
            { "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": motion },
        ]);
        self.browser.emulate("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Errors on the console are part of this test.
    pub fn forgive_console(&mut self) {
        self.console_forgiven = true;
    }

    /// Errors on the console that nobody expected. What the policy of the page forbids is never
    /// expected.
    pub fn unexpected_errors(&self) -> Vec<String> {
        self.errors.borrow_mut().extend(self.browser.errors());
        let errors = self.errors.borrow();
        errors.iter().filter(|error| !self.console_forgiven || error.contains(VIOLATION)).cloned().collect()
    }

    /// Takes away what the policy of the page has forbidden since the last call: it is part of this
    /// test.
    pub fn take_violations(&self) -> Vec<String> {
        self.errors.borrow_mut().extend(self.browser.errors());
        self.errors.borrow_mut().extract_if(.., |error| error.contains(VIOLATION)).collect()
    }

    pub fn eval<T: DeserializeOwned>(&self, expression: &str) -> T {
        self.browser.eval(expression)
    }

    /// Lets the page copy, and empties what was copied before.
    pub fn clear_clipboard(&self) {
        let permissions = json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] });
        self.browser.devtools("Browser.grantPermissions", permissions);
        // A document may copy only while it has the focus, which another window can take from it.
        self.browser.emulate("Emulation.setFocusEmulationEnabled", json!({ "enabled": true }));
        let body =
            "navigator.clipboard.writeText('').then(() => arguments[0](''), error => arguments[0](String(error)))";
        let error: String = self.browser.script_later(body, Vec::new());
        assert_eq!(error, "");
    }

    /// What the plan's canvas says of itself, as soon as there is a plan.
    pub fn facts(&self) -> Facts {
        self.until_planned()
    }

    pub fn address(&self) -> String {
        self.eval("location.href")
    }

    pub fn fragment(&self) -> String {
        self.eval("location.hash.slice(1)")
    }

    pub fn is_there(&self, css: &str) -> bool {
        self.count(css) > 0
    }

    pub fn count(&self, css: &str) -> usize {
        self.eval(&count(css))
    }

    /// The text of the first element found, as soon as there is one.
    pub fn text(&self, css: &str) -> String {
        self.wait(|| css.to_string(), || self.texts(css).into_iter().next())
    }

    pub fn texts(&self, css: &str) -> Vec<String> {
        self.eval(&texts(css))
    }

    pub fn attribute(&self, css: &str, name: &str) -> Option<String> {
        self.eval(&format!("document.querySelector({})?.getAttribute({}) ?? null", quoted(css), quoted(name)))
    }

    /// Presses a chord such as `Shift+ArrowRight` on whatever has the focus.
    pub fn press(&self, chord: &str) {
        self.browser.chord(&keys::chord(chord));
    }

    pub fn click(&self, css: &str) {
        self.browser.click(css);
    }

    /// Goes to a mode of the page: by its tab, or on a phone by the menu.
    pub fn mode(&self, name: &str) {
        let tab = format!("#mode-{name}");
        if self.count(&tab) == 0 {
            self.click("#more-button");
            self.until_there(&tab);
        }
        self.click(&tab);
        let class = match name {
            "edit" => ".editing",
            "compare" | "fit" => ".comparing",
            _ => ":not(.editing, .comparing)",
        };
        self.until_there(&format!(".page{class}"));
    }

    /// Clicks the button with this visible text or name.
    pub fn click_named(&self, name: &str) {
        let mark = "const found = [...document.querySelectorAll('button, [role=menuitem]')].find(e =>
            e.checkVisibility() && [e.textContent.trim(), e.getAttribute('aria-label')].includes(arguments[0]));
            document.querySelector('[data-wanted]')?.removeAttribute('data-wanted');
            found?.setAttribute('data-wanted', ''); return !!found;";
        let marked = || self.browser.script::<bool>(mark, vec![name.into()]).then_some(());
        self.wait(|| format!("a button `{name}`"), marked);
        self.click("[data-wanted]");
    }

    /// Middle of the first element found, in css pixels of the window.
    pub fn middle(&self, css: &str) -> (f64, f64) {
        let (x, y, width, height) = self.place(css);
        (x + width / 2.0, y + height / 2.0)
    }

    /// Left, top, width and height of the first element found, as soon as there is one.
    pub fn place(&self, css: &str) -> (f64, f64, f64, f64) {
        let place = format!(
            "(r => r ? [r.x, r.y, r.width, r.height] : null)(document.querySelector({})?.getBoundingClientRect())",
            quoted(css)
        );
        self.wait(|| css.to_string(), || self.eval(&place))
    }

    /// Drops a file on the middle of the page as a file manager would.
    pub fn drop_file(&self, name: &str, bytes: &[u8]) {
        self.drop_files(&[(name, bytes.to_vec())]);
    }

    /// Drops a large file, brought over in pieces: to take it in at once would be a long task of
    /// the test, not of the page.
    pub fn drop_in_pieces(&self, name: &str, bytes: &[u8]) {
        const PIECE: &str = "(window.pieces ??= []).push(Uint8Array.from(atob(arguments[0]), c => c.charCodeAt(0)));";
        const DROP: &str = "const transfer = new DataTransfer();
            transfer.items.add(new File(window.pieces, arguments[0]));
            delete window.pieces;
            document.querySelector('main').dispatchEvent(
                new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: transfer }));";
        for piece in bytes.chunks(50_000) {
            self.browser.script::<Value>(PIECE, vec![STANDARD.encode(piece).into()]);
        }
        self.browser.script::<Value>(DROP, vec![name.into()]);
    }

    /// Drops several files at once.
    pub fn drop_files(&self, files: &[(&str, Vec<u8>)]) {
        const DROP: &str = "const transfer = new DataTransfer();
            for (const [name, data] of arguments[0])
                transfer.items.add(new File([Uint8Array.from(atob(data), c => c.charCodeAt(0))], name));
            const target = document.querySelector('main') ?? document.body;
            for (const type of ['dragenter', 'dragover', 'drop'])
                target.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer }));";
        let files: Vec<Value> = files.iter().map(|(name, bytes)| json!([name, STANDARD.encode(bytes)])).collect();
        self.browser.script::<Value>(DROP, vec![files.into()]);
    }

    /// Pastes text with the focus on the page itself.
    pub fn paste(&self, text: &str) {
        const PASTE: &str = "const data = new DataTransfer(); data.setData('text/plain', arguments[0]);
            document.body.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data }));";
        self.browser.script::<Value>(PASTE, vec![text.into()]);
    }

    /// What a failed test needs to say of the page.
    pub fn describe(&self) -> String {
        let mut text = format!("at {}\n", self.address().chars().take(300).collect::<String>());
        // Writing to a string cannot fail.
        let _ = writeln!(text, "the plan: {:?}", self.eval::<Option<Facts>>(FACTS));
        for notice in self.texts(".notice, .toast") {
            let _ = writeln!(text, "it says: {notice}");
        }
        text
    }
}

/// The number of elements that css selects, as an expression.
pub(crate) fn count(css: &str) -> String {
    format!("document.querySelectorAll({}).length", quoted(css))
}

/// The texts of the elements that css selects, as an expression.
pub(crate) fn texts(css: &str) -> String {
    let css = quoted(css);
    format!("[...document.querySelectorAll({css})].map(e => e.textContent.trim().replace(/\\s+/g, ' '))")
}

/// A text as a JavaScript literal.
pub fn quoted(text: &str) -> String {
    json!(text).to_string()
}
