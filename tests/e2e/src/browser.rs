//! A browser window by WebDriver, one call after the other.
//!
//! A command that fails here is a test that fails, so these functions panic with what they were
//! asked to do instead of returning errors that every test would unwrap.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt::Debug;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use fantoccini::actions::{
    Actions, InputSource, KeyAction, KeyActions, MOUSE_BUTTON_LEFT, MOUSE_BUTTON_RIGHT, MouseActions, PointerAction,
    TouchActions,
};
use fantoccini::elements::Element;
use fantoccini::error::{CmdError, ErrorStatus};
use fantoccini::wd::{TimeoutConfiguration, WebDriverCompatibleCommand, WindowHandle};
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use crate::timeline::{CATEGORIES, DOCUMENT, SCRIPT_OF_TEST};

/// The switches of the browser tests, plus a language, so that the machine's own does not matter. A
/// page that was left is not kept: with its worker it would cost a third of all time.
const SWITCHES: [&str; 11] = [
    "--headless=new",
    "--disable-back-forward-cache",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--lang=en-US",
    "--window-size=1440,1000",
];

/// Longest wait for a condition. A condition that comes true ends its wait at once, so patience
/// costs nothing on an idle machine; on a busy one the page may get little of the processor.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Longest time that a script of a test may take.
const SCRIPT: Duration = Duration::from_secs(120);

/// How often a browser is started before that counts as a failure: one of some hundred ends at once
/// on a busy machine.
const STARTS: usize = 3;

/// Longest time for the answer to a command: more than the browser's own limits, and not forever.
const ANSWER: Duration = Duration::from_secs(300);

/// Begins the line of the console that tells what the policy of a document has forbidden.
pub const VIOLATION: &str = "test-violation";

/// Longest time that the page looks at a value that stays the same, in one command.
const GLANCE: Duration = Duration::from_millis(500);

/// Time until an element that cannot be used yet is tried again.
const AGAIN: Duration = Duration::from_millis(50);

pub struct Browser {
    runtime: Runtime,
    driver: String,
    program: PathBuf,
    /// Where the page comes from, without a slash at its end.
    origin: String,
    /// Taken out only to be closed.
    client: Option<Client>,
    /// Whether the tab is known to show a blank page.
    is_blank: Cell<bool>,
    /// What the tab emulates, by command.
    emulated: RefCell<HashMap<String, Value>>,
}

impl Browser {
    /// Starts a browser for the pages of an origin.
    ///
    /// # Errors
    /// A sentence when the driver starts none.
    pub fn start(driver: &str, program: &Path, origin: &str) -> Result<Browser, String> {
        let options = json!({ "binary": program, "args": SWITCHES });
        let browser = Browser::begin(driver, program, origin, options, json!({ "browser": "ALL" }))?;
        // Pages of one test keep nothing of themselves for those of the next.
        browser.before_pages("delete Navigator.prototype.serviceWorker;");
        Ok(browser)
    }

    /// Another browser, for pages of another origin that may keep themselves.
    pub fn own(&self, origin: &str) -> Browser {
        let options = json!({ "binary": self.program, "args": SWITCHES });
        let begun = Browser::begin(&self.driver, &self.program, origin, options, json!({ "browser": "ALL" }));
        begun.unwrap_or_else(|why| panic!("{why}"))
    }

    /// Another browser like this one, which records its timeline from the start.
    pub fn recorded(&self) -> Browser {
        let recorded = json!({ "enableNetwork": false, "enablePage": false, "traceCategories": CATEGORIES });
        let options = json!({ "binary": self.program, "args": SWITCHES, "perfLoggingPrefs": recorded });
        let logs = json!({ "browser": "ALL", "performance": "ALL" });
        let begun = Browser::begin(&self.driver, &self.program, &self.origin, options, logs);
        begun.unwrap_or_else(|why| panic!("{why}"))
    }

    /// Another browser like this one, which records what it asks for.
    pub fn observed(&self) -> Browser {
        let recorded = json!({ "enableNetwork": true, "enablePage": false });
        let options = json!({ "binary": self.program, "args": SWITCHES, "perfLoggingPrefs": recorded });
        let logs = json!({ "browser": "ALL", "performance": "ALL" });
        let begun = Browser::begin(&self.driver, &self.program, &self.origin, options, logs);
        begun.unwrap_or_else(|why| panic!("{why}"))
    }

    fn begin(driver: &str, program: &Path, origin: &str, options: Value, logs: Value) -> Result<Browser, String> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
        let Value::Object(wanted) = json!({
            "goog:chromeOptions": options,
            "goog:loggingPrefs": logs,
        }) else {
            unreachable!("written as an object")
        };
        let client = runtime.block_on(async {
            let mut tries = 1;
            let client = loop {
                let mut builder = ClientBuilder::new(HttpConnector::new());
                match builder.capabilities(wanted.clone()).connect(driver).await {
                    Ok(client) => break client,
                    Err(error) if tries == STARTS => {
                        return Err(format!("{} does not start: {error}.", program.display()));
                    }
                    Err(_) => tries += 1,
                }
            };
            let limits = TimeoutConfiguration::new(Some(SCRIPT), Some(SCRIPT), None);
            client.update_timeouts(limits).await.map_err(|error| error.to_string())?;
            Ok::<_, String>(client)
        })?;
        let (driver, program, origin) = (driver.to_string(), program.to_path_buf(), origin.to_string());
        let mark = format!(
            "if (location.origin === {}) performance.mark('{DOCUMENT}');
            addEventListener('securitypolicyviolation', event => console.error('{VIOLATION}', event.effectiveDirective,
                event.blockedURI, event.sourceFile, event.lineNumber, event.sample));",
            json!(origin)
        );
        let (is_blank, emulated) = (Cell::new(false), RefCell::default());
        let browser = Browser { runtime, driver, program, origin, client: Some(client), is_blank, emulated };
        browser.before_pages(&mark);
        Ok(browser)
    }

    /// Runs a script in every document of this window before its own.
    pub fn before_pages(&self, script: &str) {
        self.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script }));
    }

    /// Opens another tab and goes there; its name.
    pub fn new_tab(&self) -> WindowHandle {
        let opened = self.wait(|| "open a tab".into(), self.client().new_window(true));
        self.go_to_tab(&opened.handle);
        opened.handle
    }

    /// The name of this tab.
    pub fn tab(&self) -> WindowHandle {
        self.wait(|| "name the tab".into(), self.client().window())
    }

    pub fn go_to_tab(&self, tab: &WindowHandle) {
        self.is_blank.set(false);
        self.emulated.take();
        self.wait(|| "go to a tab".into(), self.client().switch_to_window(tab.clone()));
    }

    /// Closes this tab; another one is to be gone to.
    pub fn close_tab(&self) {
        self.wait(|| "close the tab".into(), self.client().close_window());
    }

    fn client(&self) -> &Client {
        self.client.as_ref().expect("a browser is used until it is closed")
    }

    fn wait<T, E: Debug>(&self, what: impl FnOnce() -> String, work: impl Future<Output = Result<T, E>>) -> T {
        match self.answer(work) {
            Some(Ok(value)) => value,
            Some(Err(error)) => panic!("{}: {error:?}", what()),
            None => panic!("{}: no answer within {ANSWER:?}", what()),
        }
    }

    /// What a command comes to, unless the browser hangs.
    fn answer<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.runtime.block_on(async { tokio::time::timeout(ANSWER, work).await.ok() })
    }

    /// Does something with the first element found, as soon as it is there and lets itself be used.
    fn with(&self, what: impl Fn() -> String, css: &str, work: impl AsyncFn(Element) -> Result<(), CmdError>) {
        let start = Instant::now();
        loop {
            let tried = self.answer(async { work(self.client().find(Locator::Css(css)).await?).await });
            match tried {
                Some(Ok(())) => return,
                Some(Err(error)) if is_not_yet(&error) && start.elapsed() < PATIENCE => thread::sleep(AGAIN),
                Some(Err(error)) => panic!("{}: {error:?}", what()),
                None => panic!("{}: no answer within {ANSWER:?}", what()),
            }
        }
    }

    /// Goes to a blank page, unless the tab shows one already.
    pub fn leave_for(&self, blank: &str) {
        if !self.is_blank.get() {
            self.visit(blank);
            self.is_blank.set(true);
        }
    }

    pub fn visit(&self, address: &str) {
        self.is_blank.set(false);
        self.wait(|| format!("visit {address}"), self.client().goto(address));
    }

    pub fn reload(&self) {
        self.wait(|| "reload".into(), self.client().refresh());
    }

    pub fn back(&self) {
        self.is_blank.set(false);
        self.wait(|| "back".into(), self.client().back());
    }

    /// The value of a JavaScript expression.
    pub fn eval<T: DeserializeOwned>(&self, expression: &str) -> T {
        self.script(&format!("return ({expression});"), Vec::new())
    }

    /// What a function body returns; its arguments are in `arguments`.
    pub fn script<T: DeserializeOwned>(&self, body: &str, arguments: Vec<Value>) -> T {
        let marked =
            format!("performance.mark('{SCRIPT_OF_TEST}'); return (function () {{ {body} }}).apply(this, arguments);");
        let value = self.wait(|| format!("run {body}"), self.client().execute(&marked, arguments));
        typed(body, value)
    }

    /// What a function body gives to the callback that is its last argument.
    pub fn script_later<T: DeserializeOwned>(&self, body: &str, arguments: Vec<Value>) -> T {
        let marked =
            format!("performance.mark('{SCRIPT_OF_TEST}'); (function () {{ {body} }}).apply(this, arguments);");
        let value = self.wait(|| format!("run {body}"), self.client().execute_async(&marked, arguments));
        typed(body, value)
    }

    /// The value of a JavaScript expression as soon as it is another one than `known`, or after
    /// `GLANCE`. An error is a value, too. The page itself looks: a command for each look would
    /// take more of the processor than the page does. Nothing when the document goes away
    /// meanwhile.
    pub fn watch(&self, expression: &str, known: &Value) -> Option<Value> {
        let body = format!(
            "const [known, glance, done] = arguments, end = performance.now() + glance;
            const value = () => {{ try {{ return {expression}; }} catch (error) {{ return String(error); }} }};
            let pause = 4;
            (function look() {{
                performance.mark('{SCRIPT_OF_TEST}');
                const now = value();
                if (performance.now() >= end || JSON.stringify(now ?? null) !== known) return done(now ?? null);
                setTimeout(look, pause);
                pause = Math.min(pause * 2, 50);
            }})();"
        );
        let arguments = vec![json!(known.to_string()), json!(GLANCE.as_millis() as u64)];
        match self.answer(self.client().execute_async(&body, arguments)) {
            Some(Ok(value)) => Some(value),
            Some(Err(error)) if is_of_another_document(&error) => None,
            Some(Err(error)) => panic!("look at {expression}: {error:?}"),
            None => panic!("look at {expression}: no answer within {ANSWER:?}"),
        }
    }

    /// Clicks the first element that the selector finds, as a pointer does: something that stays
    /// over it is an error.
    pub fn click(&self, css: &str) {
        self.with(|| format!("click {css}"), css, async |element| element.click().await);
    }

    /// Types into a field, or names a file to a file input.
    pub fn type_into(&self, css: &str, text: &str) {
        self.with(|| format!("type into {css}"), css, async |element| element.send_keys(text).await);
    }

    /// Chooses an option of a list by its value.
    pub fn choose(&self, css: &str, value: &str) {
        self.with(|| format!("choose {value} in {css}"), css, async |element| element.select_by_value(value).await);
    }

    /// Presses keys together, the last one last, and lets go of them.
    pub fn chord(&self, keys: &[char]) {
        let down = keys.iter().map(|&value| KeyAction::Down { value });
        let up = keys.iter().rev().map(|&value| KeyAction::Up { value });
        let actions = down.chain(up).fold(KeyActions::new("keys".into()), |actions, action| actions.then(action));
        self.wait(|| format!("press {keys:?}"), self.client().perform_actions(actions));
    }

    /// Presses the pointer at the first of some points of the window, moves over the others, lets
    /// go at the last.
    pub fn drag(&self, points: &[(f64, f64)]) {
        let to = |&(x, y): &(f64, f64)| PointerAction::MoveTo { duration: Some(Duration::from_millis(20)), x, y };
        let mut actions = MouseActions::new("pointer".into());
        for (index, point) in points.iter().enumerate() {
            actions = actions.then(to(point));
            if index == 0 {
                actions = actions.then(PointerAction::Down { button: MOUSE_BUTTON_LEFT });
            }
        }
        actions = actions.then(PointerAction::Up { button: MOUSE_BUTTON_LEFT });
        self.wait(|| format!("drag over {points:?}"), self.client().perform_actions(Actions::from(actions)));
    }

    /// Presses the other button of the mouse.
    pub fn press_right(&self, (x, y): (f64, f64)) {
        let there = PointerAction::MoveTo { duration: Some(Duration::from_millis(20)), x, y };
        let (down, up) =
            (PointerAction::Down { button: MOUSE_BUTTON_RIGHT }, PointerAction::Up { button: MOUSE_BUTTON_RIGHT });
        let actions = MouseActions::new("pointer".into()).then(there).then(down).then(up);
        self.wait(|| "press the right button".into(), self.client().perform_actions(Actions::from(actions)));
    }

    /// Puts a finger on a point and leaves it there until it is [lifted](Browser::lift_finger).
    pub fn rest_finger(&self, (x, y): (f64, f64)) {
        let there = PointerAction::MoveTo { duration: Some(Duration::ZERO), x, y };
        let down = PointerAction::Down { button: MOUSE_BUTTON_LEFT };
        let actions = TouchActions::new("finger".into()).then(there).then(down);
        self.wait(|| "rest a finger".into(), self.client().perform_actions(Actions::from(actions)));
    }

    /// Puts a finger on a point and lifts it at once: one command, so that a busy machine does not
    /// make it a long press.
    pub fn tap(&self, (x, y): (f64, f64)) {
        let there = PointerAction::MoveTo { duration: Some(Duration::ZERO), x, y };
        let (down, up) =
            (PointerAction::Down { button: MOUSE_BUTTON_LEFT }, PointerAction::Up { button: MOUSE_BUTTON_LEFT });
        let actions = TouchActions::new("finger".into()).then(there).then(down).then(up);
        self.wait(|| "tap".into(), self.client().perform_actions(Actions::from(actions)));
    }

    pub fn lift_finger(&self) {
        let up = PointerAction::Up { button: MOUSE_BUTTON_LEFT };
        let actions = TouchActions::new("finger".into()).then(up);
        self.wait(|| "lift the finger".into(), self.client().perform_actions(Actions::from(actions)));
    }

    /// Moves the pointer without pressing it.
    pub fn hover(&self, (x, y): (f64, f64)) {
        let there = PointerAction::MoveTo { duration: Some(Duration::from_millis(20)), x, y };
        let actions = MouseActions::new("pointer".into()).then(there);
        self.wait(|| "move the pointer".into(), self.client().perform_actions(actions));
    }

    pub fn screenshot(&self) -> Vec<u8> {
        self.wait(|| "take a screenshot".into(), self.client().screenshot())
    }

    /// A command of the browser's own protocol that makes the tab another one, unless it is that
    /// one already.
    pub fn emulate(&self, command: &str, parameters: Value) {
        if self.emulated.borrow().get(command) != Some(&parameters) {
            self.devtools(command, parameters.clone());
            self.emulated.borrow_mut().insert(command.to_string(), parameters);
        }
    }

    /// A command of the browser's own protocol.
    pub fn devtools(&self, command: &str, parameters: Value) {
        let body = json!({ "cmd": command, "params": parameters });
        self.wait(|| command.into(), self.client().issue_cmd(Extension { path: "goog/cdp/execute", body }));
    }

    pub(crate) fn log(&self, kind: &str) -> Vec<Value> {
        let body = json!({ "type": kind });
        let entries =
            self.wait(|| format!("read the log `{kind}`"), self.client().issue_cmd(Extension { path: "se/log", body }));
        entries.as_array().cloned().unwrap_or_default()
    }

    /// The addresses that a browser of [`Browser::observed`] asked for since the last call.
    pub fn requests(&self) -> Vec<String> {
        let asked = |entry: Value| {
            let event: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
            let event = &event["message"];
            let is_request = event["method"] == "Network.requestWillBeSent";
            is_request.then(|| event["params"]["request"]["url"].as_str().map(str::to_string)).flatten()
        };
        self.log("performance").into_iter().filter_map(asked).collect()
    }

    /// Goes on inside a frame of the document, until the next visit.
    pub fn enter_frame(&self, number: u16) {
        self.wait(|| format!("enter frame {number}"), self.client().enter_frame(number));
    }

    /// Errors on the console since the last call, but for those of documents that are not the
    /// suite's.
    pub fn errors(&self) -> Vec<String> {
        let entries = self.log("browser").into_iter().filter(|entry| entry["level"] == "SEVERE");
        let texts = entries.map(|entry| entry["message"].as_str().unwrap_or_default().to_string());
        texts.filter(|text| !is_of_the_browser(text)).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            // Without this the browser would outlive its driver. One that is gone already needs no
            // closing.
            let _ = self.runtime.block_on(client.close());
        }
    }
}

/// Whether what a command stumbled over may pass: the element has yet to come, is about to be
/// replaced, or something that is about to go lies over it.
fn is_not_yet(error: &CmdError) -> bool {
    use ErrorStatus::{ElementClickIntercepted, ElementNotInteractable, NoSuchElement, StaleElementReference};
    let CmdError::Standard(error) = error else { return false };
    matches!(error.error, ElementClickIntercepted | ElementNotInteractable | NoSuchElement | StaleElementReference)
}

/// Whether a script ended because its document went away.
fn is_of_another_document(error: &CmdError) -> bool {
    let CmdError::Standard(error) = error else { return false };
    ["unload", "navigation", "execution context", "detached"].iter().any(|word| error.message.contains(word))
}

/// Whether a line of the console comes from a document of the browser's own, such as the blank page
/// between two tests. A line begins with the address of its document, if it has one.
fn is_of_the_browser(line: &str) -> bool {
    ["about:", "chrome:", "chrome-error:", "chrome-extension:", "data:", "devtools:"]
        .iter()
        .any(|own| line.starts_with(own))
}

fn typed<T: DeserializeOwned>(body: &str, value: Value) -> T {
    let shown = value.to_string();
    serde_json::from_value(value).unwrap_or_else(|error| panic!("{body} gave {shown}: {error}"))
}

/// A command that ChromeDriver has beyond the standard.
#[derive(Debug)]
struct Extension {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for Extension {
    fn endpoint(&self, base: &url::Url, session: Option<&str>) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(self.body.to_string()))
    }
}
