//! Versions do not mix, and what is missing is told as that.

use std::fs;
use std::path::{Path, PathBuf};

use memplan_e2e::Page;
use memplan_e2e::server::Server;
use memplan_e2e::setup::Setup;

use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    full("what_is_missing_or_of_another_version_is_told", told),
    smoke("a_worker_that_dies_while_idle_is_replaced", replaced),
    full("a_worker_with_a_large_memory_is_replaced_while_it_is_idle", given_back),
];

/// A copy of the page that a test may change, served at an origin of its own.
pub struct Site {
    pub folder: PathBuf,
    pub server: Server,
}

impl Site {
    pub fn new(name: &str) -> Site {
        let dist = Setup::find().expect("a built page").dist;
        let folder = std::env::temp_dir().join(format!("memplan-e2e-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        copy(&dist, &folder);
        let server = Server::start(&folder).expect("a server");
        Site { folder, server }
    }

    /// The name of the version: the folder of its programs.
    pub fn version(&self) -> String {
        let names = fs::read_dir(&self.folder).expect("readable").map(|entry| entry.expect("readable").file_name());
        let mut names = names.map(|name| name.to_string_lossy().into_owned());
        names.find(|name| name.starts_with("build-")).expect("the folder of a version")
    }

    /// A file of the version.
    fn program(&self, name: &str) -> PathBuf {
        self.folder.join(self.version()).join(name)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("readable") {
        let entry = entry.expect("readable").path();
        let to = to.join(entry.file_name().expect("a name"));
        if entry.is_dir() {
            copy(&entry, &to);
        } else {
            fs::copy(&entry, &to).expect("a copy");
        }
    }
}

fn told(page: &mut Page) {
    let site = Site::new("told");
    let mut page = page.own(&site.server.origin());
    let worker = fs::read(site.program("worker.js")).expect("a script");
    fs::write(site.program("worker.js"), "postMessage([0, 'ready', 1]);").expect("written");
    page.visit("", "lang=en");
    page.until_says("#notice", &["different versions", "Reload"]);
    fs::write(site.program("worker.js"), worker).expect("written");
    for missing in ["engine.js", "engine_bg.wasm", "worker.js"] {
        let bytes = fs::read(site.program(missing)).expect("a file");
        fs::remove_file(site.program(missing)).expect("removed");
        page.visit(&format!("without/{missing}/"), "lang=en");
        page.until_says("#notice", &["could not be downloaded", "Reload"]);
        fs::write(site.program(missing), bytes).expect("written");
    }
    // The page itself without its program: words that need none.
    for program in ["app_bg.wasm", "app_first.wasm"] {
        fs::remove_file(site.program(program)).expect("removed");
    }
    page.visit("without/app/", "");
    page.until("words", "getComputedStyle(document.querySelector('#no-program')).visibility === 'visible'");
    page.until_says("#no-program", &["Reload the page", "重新载入"]);
    let links = |page: &Page| -> Vec<String> {
        page.eval("[...document.querySelectorAll('#no-program a')].map(link => link.pathname.split('/learn/')[1])")
    };
    assert_eq!(links(&page), ["index.html", "zh/index.html"]);
    // A lesson has a page that needs no program.
    page.visit("without/lesson/", "learn=3&p=2");
    page.until("words", "getComputedStyle(document.querySelector('#no-program')).visibility === 'visible'");
    page.until_equal("the pages of the lesson", vec!["03.html".to_string(), "zh/03.html".to_string()], links);
}

/// Collects the workers of a page.
const WORKERS: &str = "window.workers = []; const Own = Worker;
    window.Worker = class extends Own { constructor(...given) { super(...given); workers.push(this); } };";

fn replaced(page: &mut Page) {
    let mut page = page.own(page.origin());
    page.browser.before_pages(WORKERS);
    page.open("lang=en");
    until_watched(&page);
    // The browser ends it, and says nothing.
    page.eval::<Option<bool>>("void workers.at(-1).terminate()");
    page.until("another worker", "workers.length === 2");
    until_watched(&page);
    page.click("#left-tab-files");
    page.click("[data-example='diamond']");
    page.until("its plan", "document.querySelector('h1').textContent.includes('diamond')");
    assert_eq!(page.eval::<usize>("workers.length"), 2, "the next document found a worker");
}

fn given_back(page: &mut Page) {
    let mut page = page.own(page.origin());
    page.browser.before_pages(WORKERS);
    page.open("doc=ex:diamond&plan=first-fit&lang=en");
    page.until_planner("first-fit");
    // What a worker says whose memory is above 1 GB after a reply.
    page.eval::<Option<bool>>("void workers[0].dispatchEvent(new MessageEvent('message', { data: [1, 'large'] }))");
    page.until("another worker", "workers.length === 2");
    until_watched(&page);
    crate::planners::choose(&page, "best-fit");
    page.until_planner("best-fit");
    assert_eq!(page.eval::<usize>("workers.length"), 2, "the document was opened anew in the second one");
}

/// Waits until a worker has said what tells of its end.
fn until_watched(page: &Page) {
    const HELD: &str = "const done = arguments[0];
        navigator.locks.query().then(({ held, pending }) =>
            done(held.some(l => l.name.startsWith('memplan worker')) && pending.some(l => l.name.startsWith('memplan worker'))));";
    page.until_equal("a worker that is watched", true, |page| page.browser.script_later::<bool>(HELD, Vec::new()));
}
