//! The page without a network, and new versions of it.

use std::fs;

use memplan_e2e::Page;
use memplan_e2e::server::Server;
use memplan_e2e::setup::Setup;

use crate::versions::Site;
use crate::{Test, imports, native, smoke};

pub const TESTS: &[Test] = &[
    smoke("the_page_works_without_a_network_after_the_first_visit", alone),
    smoke("a_new_version_is_told_and_used_once_it_is_wanted", newer),
];

const MODEL: &str = "tests/import/onnx/squeezenet1_1_no_value_info.onnx";

/// Waits until the browser keeps the page.
fn until_kept(page: &Page) {
    const READY: &str = "const done = arguments[0];
        navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller ? done(true)
            : navigator.serviceWorker.addEventListener('controllerchange', () => done(true)));";
    assert!(page.browser.script_later::<bool>(READY, Vec::new()));
}

/// Checks that a visit which installs the version that it was loaded with reports no new one.
fn is_up_to_date(page: &Page) {
    const LATER: &str = "const done = arguments[0];
        setTimeout(() => done(!document.querySelector('#newer')), 1000);";
    assert!(page.browser.script_later::<bool>(LATER, Vec::new()), "a first visit has the newest version");
}

/// Drops a model of another tool, which needs a program that is fetched for it.
fn read_model(page: &Page, planner: &str) {
    let file = imports::file(MODEL);
    page.drop_file("squeezenet.onnx", &file);
    native::until_shown(page, MODEL, &native::run(&file, planner));
}

fn alone(page: &mut Page) {
    let server = Server::start(&Setup::find().expect("a built page").dist).expect("a server");
    let mut page = page.own(&server.origin());
    // A part of another page keeps nothing: whoever has it did not ask for that.
    page.open_in("sub/dir/?embed=1", "doc=ex:diamond&lang=en");
    let registered = "const done = arguments[0];
        requestIdleCallback(() => requestIdleCallback(() => navigator.serviceWorker.getRegistrations().then(all => done(all.length))));";
    assert_eq!(page.browser.script_later::<usize>(registered, Vec::new()), 0);
    page.open_in("sub/dir/", "lang=en");
    until_kept(&page);
    let caches: Vec<String> =
        page.browser.script_later("const done = arguments[0]; caches.keys().then(done);", Vec::new());
    assert!(matches!(&caches[..], [one] if one.contains("/sub/dir/ build-")), "{caches:?}");
    drop(server);
    page.open_in("sub/dir/", "doc=ex:resnet18&plan=first-fit&lang=en");
    assert_eq!(page.facts().planner, "first-fit");
    page.click("header [lang=zh-CN]");
    page.until("the other language", "document.documentElement.lang === 'zh-CN'");
    page.click("header [lang=en]");
    page.until("the language", "document.documentElement.lang === 'en'");
    read_model(&page, "first-fit");
    page.open_in("sub/dir/?embed=1", "doc=ex:diamond&lang=en");
}

fn newer(page: &mut Page) {
    let site = Site::new("newer");
    let mut page = page.own(&site.server.origin());
    page.open("lang=en");
    until_kept(&page);
    is_up_to_date(&page);
    page.eval::<Option<bool>>("void (window.same = true)");
    let (before, after) = (site.version(), "build-0123456789abcdef".to_string());
    // The site has nothing of the version before any more.
    fs::rename(site.folder.join(&before), site.folder.join(&after)).expect("renamed");
    for name in ["index.html", "service.js", "memplan.js"] {
        let text = fs::read_to_string(site.folder.join(name)).expect("a text");
        fs::write(site.folder.join(name), text.replace(&before, &after)).expect("written");
    }
    page.eval::<Option<bool>>("void navigator.serviceWorker.getRegistration().then(of => of.update())");
    page.until_says("#newer", &["new version"]);
    // The page goes on with what it was loaded with, though it has not fetched all of that yet.
    read_model(&page, "");
    let used: Vec<String> = used(&page);
    assert_eq!(used, std::slice::from_ref(&before), "one version");
    assert!(page.eval::<bool>("window.same"), "nothing is reloaded by itself");
    page.click("#newer-reload");
    page.until("the page afresh", "!window.same");
    page.until_planned();
    assert_eq!(self::used(&page), [after]);
    assert!(!page.is_there("#newer"));
}

/// The versions that the page and its worker have files of.
fn used(page: &Page) -> Vec<String> {
    page.eval(
        "[...new Set(performance.getEntriesByType('resource').map(e => e.name.match(/build-[0-9a-f]+/)?.[0]).filter(Boolean))]",
    )
}
