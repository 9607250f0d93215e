//! The page under test: opening it, using it, reading what it shows.

use std::cell::RefCell;
use std::fmt::{Debug, Write};
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::browser::{Browser, PATIENCE, VIOLATION};
use crate::keys;

/// Times between two looks at the page: short at first, when most waits end, then twice as long
/// each time.
const LOOK_AGAIN: (Duration, Duration) = (Duration::from_millis(4), Duration::from_millis(100));

/// Time after which a wait also looks at the console: what was written there may be why nothing
/// comes.
const DOUBT: Duration = Duration::from_secs(10);

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

const FACTS: &str = "(() => { const d = document.querySelector('#plan')?.dataset; return d?.planner
    ? { peak: +d.peak, bound: +d.lowerBound, frame: +d.frame, frames: +d.frames, planner: d.planner, selected: d.selected ?? null }
    : null })()";

/// A browser window with the page in it.
pub struct Page {
    pub browser: Browser,
    site: String,
    console_forgiven: bool,
    /// Errors on the console that were read from the browser since the last reset.
    errors: RefCell<Vec<String>>,
}

impl Page {
    pub fn new(browser: Browser, site: String) -> Page {
        Page { browser, site, console_forgiven: false, errors: RefCell::default() }
    }

    /// The page in a browser of its own that was never there and records its timeline.
    pub fn recorded(&self) -> Page {
        let page = Page::new(self.browser.recorded(), self.site.clone());
        page.viewport(WIDE);
        page.prefers("light");
        page
    }

    /// A page in a browser of its own that was never there; it comes from this origin and may keep
    /// itself.
    pub fn own(&self, origin: &str) -> Page {
        let page = Page::new(self.browser.own(origin), format!("{origin}/"));
        page.viewport(WIDE);
        page.prefers("light");
        page
    }

    /// Where the page comes from, without a slash at its end.
    pub fn origin(&self) -> &str {
        self.site.trim_end_matches('/')
    }

    /// Opens the page afresh at a fragment (with or without `#`) and waits for its plan.
    pub fn open(&mut self, fragment: &str) {
        self.open_in("", fragment);
    }

    /// The same in a sub-folder such as `sub/dir/`.
    pub fn open_in(&mut self, folder: &str, fragment: &str) {
        self.visit(folder, fragment);
        self.until_planned();
    }

    /// Opens the page afresh without waiting for anything but its load.
    pub fn visit(&mut self, folder: &str, fragment: &str) {
        // A change of the fragment alone would not load the page again.
        self.browser.visit("about:blank");
        let site = &self.site;
        self.browser.visit(&format!("{site}{folder}#{}", fragment.trim_start_matches('#')));
    }

    /// Opens another page of the site, by its path.
    pub fn visit_path(&mut self, path: &str) {
        self.browser.visit(&format!("{}{path}", self.site));
    }

    /// Puts the window back to what every test starts from.
    pub fn reset(&mut self) {
        self.browser.visit("about:blank");
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
        self.browser.devtools("Emulation.setDeviceMetricsOverride", metrics);
        self.browser.devtools("Emulation.setTouchEmulationEnabled", json!({ "enabled": mobile }));
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
        self.browser.devtools("Emulation.setEmulatedMedia", json!({ "features": features }));
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

    /// Looks again and again until there is something to give.
    ///
    /// # Panics
    /// With what was waited for, after the limit; earlier when the console says that the page has
    /// failed.
    fn wait<T>(&self, limit: Duration, what: impl Fn() -> String, mut look: impl FnMut() -> Option<T>) -> T {
        let (start, (mut pause, longest)) = (Instant::now(), LOOK_AGAIN);
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
            assert!(waited <= limit, "waited {limit:?} for {}\n{}", what(), self.describe());
            thread::sleep(pause);
            pause = (pause * 2).min(longest);
        }
    }

    /// Waits until a JavaScript condition holds. One that throws does not hold yet.
    pub fn until(&self, what: &str, condition: &str) {
        self.until_within(PATIENCE, what, condition);
    }

    /// The same with a limit of its own, for what takes minutes.
    pub fn until_within(&self, limit: Duration, what: &str, condition: &str) {
        let body = format!("try {{ return !!({condition}); }} catch (error) {{ return String(error); }}");
        let last = RefCell::new(Value::Null);
        self.wait(
            limit,
            || format!("{what}: {condition}, which is {}", last.borrow()),
            || {
                *last.borrow_mut() = self.browser.script(&body, Vec::new());
                (*last.borrow() == true).then_some(())
            },
        );
    }

    /// Waits until what is read has a value.
    pub fn until_equal<T: PartialEq + Debug>(&self, what: &str, wanted: T, read: impl Fn(&Page) -> T) {
        let last = RefCell::new(None);
        let told = || format!("{what} to be {wanted:?}, which is {:?}", last.borrow());
        self.wait(PATIENCE, told, || {
            *last.borrow_mut() = Some(read(self));
            (last.borrow().as_ref() == Some(&wanted)).then_some(())
        });
    }

    /// Looks until there is something to give.
    pub fn until_some<T>(&self, what: &str, look: impl Fn(&Page) -> Option<T>) -> T {
        self.wait(PATIENCE, || what.to_string(), || look(self))
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
        self.until_equal(css, Some(wanted.to_string()), |page| page.texts(css).into_iter().next());
    }

    /// Waits until the elements found have these texts.
    pub fn until_texts<Text: AsRef<str>>(&self, css: &str, wanted: &[Text]) {
        let wanted: Vec<String> = wanted.iter().map(|text| text.as_ref().to_string()).collect();
        self.until_equal(css, wanted, |page| page.texts(css));
    }

    /// Waits until the text of the first element found has all of these pieces, and gives it.
    pub fn until_says(&self, css: &str, pieces: &[&str]) -> String {
        let last = RefCell::new(None);
        self.wait(
            PATIENCE,
            || format!("{pieces:?} in {css}, which says {:?}", last.borrow()),
            || {
                *last.borrow_mut() = self.texts(css).into_iter().next();
                last.borrow().clone().filter(|text| pieces.iter().all(|piece| text.contains(piece)))
            },
        )
    }

    pub fn until_count(&self, css: &str, wanted: usize) {
        self.until_equal(&format!("the number of {css}"), wanted, |page| page.count(css));
    }

    /// Waits until the first element found has an attribute with this value, or is there without
    /// it.
    pub fn until_attribute(&self, css: &str, name: &str, wanted: Option<&str>) {
        let wanted = (true, wanted.map(str::to_string));
        self.until_equal(&format!("{name} of {css}"), wanted, |page| (page.is_there(css), page.attribute(css, name)));
    }

    /// Waits until the headline of the frame has been spoken, as a screen reader hears it.
    pub fn until_spoken(&self) {
        self.until(
            "the headline to be spoken",
            "(said => said && said === document.querySelector('#why-headline').textContent)(document.querySelector('[aria-live=polite]').textContent)",
        );
    }

    /// Lets the page copy, and empties what was copied before.
    pub fn clear_clipboard(&self) {
        let permissions = json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] });
        self.browser.devtools("Browser.grantPermissions", permissions);
        // A document may copy only while it has the focus, which another window can take from it.
        self.browser.devtools("Emulation.setFocusEmulationEnabled", json!({ "enabled": true }));
        let body =
            "navigator.clipboard.writeText('').then(() => arguments[0](''), error => arguments[0](String(error)))";
        let error: String = self.browser.script_later(body, Vec::new());
        assert_eq!(error, "");
    }

    /// The text on the clipboard, as soon as there is one.
    pub fn until_copied(&self) -> String {
        let body = "navigator.clipboard.readText().then(arguments[0], error => arguments[0](String(error)))";
        let read = || self.browser.script_later::<String>(body, Vec::new());
        self.wait(PATIENCE, || "something on the clipboard".into(), || Some(read()).filter(|text| !text.is_empty()))
    }

    /// Waits until a plan is shown and its facts satisfy a condition.
    pub fn until_facts(&self, what: &str, condition: impl Fn(&Facts) -> bool) -> Facts {
        self.wait(PATIENCE, || what.to_string(), || self.eval::<Option<Facts>>(FACTS).filter(&condition))
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
        self.eval(&format!("document.querySelectorAll({}).length", quoted(css)))
    }

    /// The text of the first element found, as soon as there is one.
    pub fn text(&self, css: &str) -> String {
        self.wait(PATIENCE, || css.to_string(), || self.texts(css).into_iter().next())
    }

    pub fn texts(&self, css: &str) -> Vec<String> {
        let css = quoted(css);
        self.eval(&format!(
            "[...document.querySelectorAll({css})].map(e => e.textContent.trim().replace(/\\s+/g, ' '))"
        ))
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
        self.wait(PATIENCE, || format!("a button `{name}`"), marked);
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
        self.wait(PATIENCE, || css.to_string(), || self.eval(&place))
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

/// A text as a JavaScript literal.
pub fn quoted(text: &str) -> String {
    json!(text).to_string()
}
