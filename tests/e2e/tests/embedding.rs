//! The page inside another one.

use memplan_e2e::Page;
use memplan_e2e::axe::Axe;
use memplan_e2e::server::Server;
use memplan_e2e::setup::Setup;
use serde_json::{Value, json};

use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    full("it_shows_the_plan_why_and_the_stepper", parts),
    smoke("the_parent_steers_it_and_hears_of_it", messages),
    full("only_the_parent_is_heard", stranger),
    full("what_is_refused_is_answered", refusals),
    full("an_exercise_tells_how_it_goes", exercise),
    smoke("a_stranger_sees_nothing_that_the_browser_keeps", strangers),
    full("the_wheel_scrolls_the_parent_until_the_plan_is_clicked", wheel),
    full("the_embed_code_leads_back", code),
];

/// A page with the page in a frame; messages from it are gathered.
fn frame(page: &mut Page, query: &str, fragment: &str) {
    // Any file of the site serves as the parent's document.
    page.visit("graphs/index.json", "");
    put_frame(page, &format!("../?{query}#{fragment}"));
    page.until(
        "the plan in the frame",
        "document.querySelector('iframe').contentDocument.querySelector('#plan')?.dataset.planner",
    );
}

fn put_frame(page: &Page, address: &str) {
    page.browser.script::<Value>(
        "document.body.innerHTML = ''; window.heard = [];
            addEventListener('message', event => event.data.type === 'memplan' && heard.push(event.data));
            const frame = document.createElement('iframe');
            frame.style = 'width: 700px; height: 460px'; frame.src = arguments[0]; document.body.append(frame);
            document.body.style.height = '3000px';",
        vec![address.into()],
    );
}

fn inside(page: &Page, css: &str) -> bool {
    page.eval(&format!("!!document.querySelector('iframe').contentDocument.querySelector('{css}')"))
}

fn until_inside(page: &Page, css: &str) {
    page.until_equal(&format!("{css} in the frame"), true, |page| inside(page, css));
}

fn tell(page: &Page, message: Value) {
    let whole = |mut message: Value| {
        message["type"] = "memplan".into();
        message["v"] = 1.into();
        message
    };
    page.browser.script::<Value>(
        "document.querySelector('iframe').contentWindow.postMessage(arguments[0], '*')",
        vec![whole(message)],
    );
}

fn until_heard(page: &Page, condition: &str) {
    page.until("a message", &format!("heard.some(m => m.v === 1 && {condition})"));
}

fn parts(page: &mut Page) {
    frame(page, "embed=1", "doc=ex:diamond&lang=en");
    for part in ["#region-stepper", "#why-headline", "#open-full"] {
        until_inside(page, part);
    }
    assert!(!inside(page, "#region-header") && !inside(page, "#region-left") && !inside(page, "#region-right"));
    frame(page, "embed=1&controls=0&panel=state", "doc=ex:diamond&lang=en");
    until_inside(page, ".embed-state");
    assert!(!inside(page, "#region-stepper"));
    let full: String = page.eval("document.querySelector('iframe').contentDocument.querySelector('#open-full').href");
    assert!(!full.contains("embed") && full.contains("doc=ex:diamond"), "{full}");
    let mut axe = Axe::load();
    for theme in ["light", "dark"] {
        page.visit("?embed=1&panel=state", &format!("doc=ex:diamond&lang=en&theme={theme}"));
        page.until_planned();
        axe.look(page, &format!("embedded, {theme}"));
    }
    axe.assert_clean();
}

fn messages(page: &mut Page) {
    frame(page, "embed=1", "doc=ex:diamond&plan=first-fit&lang=en");
    until_heard(page, "m.event === 'ready'");
    until_heard(
        page,
        "m.event === 'metrics' && m.planner === 'first-fit' && m.peak >= m.lowerBound && m.lowerBound > 0",
    );
    tell(page, json!({ "action": "seek", "frame": 2 }));
    until_heard(page, "m.event === 'frame' && m.frame === 2 && m.frames > 2");
    tell(page, json!({ "action": "planner", "planner": "best-fit" }));
    until_heard(page, "m.event === 'metrics' && m.planner === 'best-fit'");
    tell(page, json!({ "action": "load", "document": crate::samples::GRAPH, "name": "mine" }));
    until_heard(page, "m.event === 'metrics' && m.buffers <= 4");
    tell(page, json!({ "action": "select", "name": "a" }));
    until_heard(page, "m.event === 'selection' && m.name === 'a'");
    tell(page, json!({ "action": "select", "name": "nobody" }));
    until_heard(page, "m.event === 'error' && m.message.includes('nobody')");
    tell(page, json!({ "action": "lang", "lang": "zh" }));
    page.until("Chinese", "document.querySelector('iframe').contentDocument.documentElement.lang === 'zh-CN'");
    tell(page, json!({ "action": "theme", "theme": "dark" }));
    page.until("the dark", "document.querySelector('iframe').contentDocument.documentElement.dataset.theme === 'dark'");
    tell(page, json!({ "action": "seek", "frame": 0 }));
    until_heard(page, "m.event === 'frame' && m.frame === 0");
    // An example begins at frame 1, of which the page told then.
    page.eval::<Option<bool>>("(heard.length = 0, null)");
    tell(page, json!({ "action": "play" }));
    until_heard(page, "m.event === 'frame' && m.frame === 1");
    tell(page, json!({ "action": "pause" }));
}

fn stranger(page: &mut Page) {
    frame(page, "embed=1", "doc=ex:diamond&f=3&lang=en");
    until_heard(page, "m.event === 'frame' && m.frame === 3");
    // The frame's own window is not its parent.
    page.browser.script::<Value>(
        "const own = document.querySelector('iframe').contentWindow, data = { type: 'memplan', v: 1, action: 'seek', frame: 1 };
            own.addEventListener('message', event => event.data.event === 'error' && (window.refused = event.data.message));
            own.dispatchEvent(new own.MessageEvent('message', { data, source: own }));",
        Vec::new(),
    );
    page.until("an answer", "window.refused === 'only the page around this one is heard'");
    tell(page, json!({ "action": "seek", "frame": 2 }));
    until_heard(page, "m.event === 'frame' && m.frame === 2");
    assert!(!page.eval::<bool>("heard.some(m => m.event === 'frame' && m.frame === 1)"));
}

fn exercise(page: &mut Page) {
    page.visit("graphs/index.json", "");
    put_frame(
        page,
        "../?embed=1#exercise=1&seed=7&difficulty=1&plan=first-fit&kind=predict&pass=0&of=2&bits=1&lang=en",
    );
    until_heard(page, "m.event === 'ready'");
    until_inside(page, "#exercise-name");
    for action in ["load", "planner", "seek", "play", "select"] {
        page.eval::<Option<bool>>("(heard.length = 0, null)");
        tell(page, json!({ "action": action, "example": "diamond", "planner": "naive", "frame": 3 }));
        until_heard(page, &format!("m.event === 'error' && m.message.includes('`{action}` is refused while')"));
    }
    let inner = "document.querySelector('iframe').contentDocument";
    page.eval::<Option<bool>>(&format!(
        "(name => (name.value = 'Ann', name.dispatchEvent(new Event('input', {{ bubbles: true }})), null))({inner}.querySelector('#exercise-name'))"
    ));
    until_inside(page, "#exercise-begin:not([disabled])");
    let click = |css: &str| {
        until_inside(page, css);
        page.eval::<Option<bool>>(&format!("({inner}.querySelector('{css}').click(), null)"));
    };
    click("#exercise-begin");
    until_heard(page, "m.event === 'exercise' && m.state === 'started' && m.right === 0 && m.of === 2");
    while !inside(page, "#exercise-done") {
        if inside(page, "#predict-place-0") {
            click("#predict-place-0");
            click("#predict-check:not([disabled])");
            until_inside(page, "#predict-next");
        } else if inside(page, "#predict-next") {
            click("#predict-next");
            page.until_equal("the way on to be gone", false, |page| inside(page, "#predict-next"));
        }
    }
    until_heard(page, "m.event === 'exercise' && m.state === 'answered' && m.answered === 1 && !('code' in m)");
    until_heard(
        page,
        "m.event === 'exercise' && m.state === 'done' && m.passed && m.score === m.right / 2 && m.code.startsWith('MP1-')",
    );
    // Below another page nothing is kept; that page may have the result shown again.
    let code: String = page.eval(&format!("{inner}.querySelector('#exercise-code').textContent"));
    assert!(!inside(page, "#exercise-keep"));
    page.eval::<Option<bool>>(&format!("({inner}.defaultView.location.reload(), heard.length = 0, null)"));
    until_inside(page, "#exercise-name");
    let own = code.rsplit(" · ").next().expect("a code");
    tell(page, json!({ "action": "restore", "name": "Eve", "code": own }));
    until_inside(page, ".refused");
    tell(page, json!({ "action": "restore", "name": "Ann" }));
    until_heard(page, "m.event === 'error' && m.message.includes('`code`')");
    tell(page, json!({ "action": "restore", "name": "Ann", "code": own }));
    until_inside(page, "#exercise-done");
    until_heard(page, "m.event === 'exercise' && m.state === 'done' && m.answered === 2 && m.code.startsWith('MP1-')");
}

fn refusals(page: &mut Page) {
    page.forgive_console();
    frame(page, "embed=1", "doc=ex:diamond&lang=en");
    until_heard(page, "m.event === 'ready'");
    for (message, told) in [
        (json!({}), "needs `action`"),
        (json!({ "action": "fly" }), "`fly`"),
        (json!({ "action": "seek" }), "needs `frame`"),
        (json!({ "action": "planner", "planner": "magic" }), "`magic`"),
        (json!({ "action": "theme", "theme": "purple" }), "`purple`"),
        (json!({ "action": "lang", "lang": "fr" }), "`fr`"),
        (json!({ "action": "load" }), "`document`"),
        (json!({ "action": "load", "document": { "a": 1 } }), "must be text"),
        (json!({ "action": "load", "example": "../index" }), "`../index`"),
        (json!({ "action": "load", "example": "nothing" }), "nothing could not be downloaded"),
        (json!({ "action": "load", "document": "hello" }), "embedded was not opened"),
    ] {
        page.eval::<Option<bool>>("(heard.length = 0, null)");
        tell(page, message);
        until_heard(page, &format!("m.event === 'error' && m.message.includes({told:?})"));
    }
    page.eval::<Option<bool>>("(heard.length = 0, document.querySelector('iframe').contentWindow.postMessage({ type: 'memplan', v: 2, action: 'play' }, '*'), null)");
    until_heard(page, "m.event === 'error' && m.message.includes('`v` must be 1')");
    // The reader sees why a file does not come. The page around hears only that it does not.
    page.visit("graphs/index.json", "");
    put_frame(page, "../?embed=1#doc=url:graphs/nothing.json&lang=en");
    until_heard(page, "m.event === 'error'");
    assert!(
        page.eval::<bool>("heard.every(m => m.event !== 'error' || m.message === 'The document could not be opened.')")
    );
    page.until(
        "the status",
        "document.querySelector('iframe').contentDocument.querySelector('#notice').textContent.includes('status 404')",
    );
    tell(page, json!({ "action": "play" }));
    until_heard(page, "m.event === 'error' && m.message.includes('none is shown yet')");
}

fn strangers(page: &mut Page) {
    page.open("lang=en");
    page.drop_file("little.json", crate::samples::GRAPH.as_bytes());
    page.until_address("name=little.json");
    crate::storage::until_kept(page, "recent", 1);
    let site: String = page.eval("location.origin");
    // A page of the same site may show what was opened before.
    frame(page, "embed=1", "doc=local:little.json&lang=en");
    until_heard(page, "m.event === 'metrics' && m.buffers <= 4");
    // Another port is another origin with the same storage.
    let setup = Setup::find().expect("the page is there");
    let other = Server::start(&setup.dist).expect("a port is free");
    for file in ["little.json", "never.json"] {
        page.browser.visit(&format!("{}graphs/index.json", other.address()));
        put_frame(page, &format!("{site}/?embed=1#doc=local:{file}&lang=en"));
        until_heard(page, &format!("m.event === 'error' && m.message.includes('This link refers to the file {file}')"));
        tell(page, json!({ "action": "seek", "frame": 1 }));
        until_heard(page, "m.event === 'error' && m.message.includes('none is shown yet')");
        assert!(!page.eval::<bool>("heard.some(m => m.event === 'metrics')"), "{file}");
    }
}

fn wheel(page: &mut Page) {
    frame(page, "embed=1", "doc=ex:diamond&lang=en");
    let turn = |page: &Page| {
        let params = json!({ "type": "mouseWheel", "x": 300, "y": 200, "deltaX": 0, "deltaY": 120 });
        page.browser.devtools("Input.dispatchMouseEvent", params);
    };
    turn(page);
    page.until("the parent to scroll", "scrollY > 0");
    page.eval::<Option<bool>>("(scrollTo(0, 0), null)");
    page.browser.drag(&[(300.0, 200.0)]);
    page.until("the focus", "document.querySelector('iframe').contentDocument.activeElement.id === 'plan'");
    turn(page);
    page.until_painted();
    assert_eq!(page.eval::<f64>("scrollY"), 0.0, "the plan takes the wheel now");
}

fn code(page: &mut Page) {
    page.open("doc=ex:diamond&lang=en");
    page.until_address("doc=ex:diamond");
    page.eval::<Option<bool>>("(navigator.clipboard.writeText = async text => { window.copied = text; }, null)");
    page.click("header > .menu-host:last-child > button");
    page.until_there("[role=menu]");
    page.click_named("Copy embed code");
    page.until("the code", "window.copied");
    let source: String =
        page.eval("new DOMParser().parseFromString(window.copied, 'text/html').querySelector('iframe').src");
    assert!(source.contains("?embed=1#") && source.contains("doc=ex:diamond"), "{source}");
}
