//! Browsers shared by the tests of a run: as many as run side by side, each used again, none
//! started before it is needed.

use std::any::Any;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use crate::browser::Browser;
use crate::driver::Driver;
use crate::page::Page;
use crate::server::Server;
use crate::setup::Setup;

#[derive(Default)]
pub struct Pool {
    /// Dropped in this order: the browsers are closed while their driver still runs.
    free: Mutex<Vec<Page>>,
    running: Mutex<Option<Running>>,
    /// Held alone by a test that measures time.
    turn: RwLock<()>,
    failed: AtomicUsize,
    times: Mutex<Vec<(Duration, String)>>,
}

/// Failed tests after which no other is begun: a page that shows nothing would use up the patience
/// of every test.
const ENOUGH: usize = 10;

struct Running {
    driver: Driver,
    server: Server,
    browser: PathBuf,
}

impl Pool {
    /// Runs a test on a fresh page, alone if it measures time.
    ///
    /// # Errors
    /// What the test or the console of the page complained of.
    pub fn run(&self, name: &str, alone: bool, test: fn(&mut Page)) -> Result<(), String> {
        let _shared = (!alone).then(|| self.turn.read().unwrap_or_else(PoisonError::into_inner));
        let _alone = alone.then(|| self.turn.write().unwrap_or_else(PoisonError::into_inner));
        if self.failed.load(Ordering::Relaxed) >= ENOUGH {
            return Err(format!("not run: {ENOUGH} tests failed before"));
        }
        let mut page = self.take()?;
        let start = Instant::now();
        // A window that was closed or crashed is not used again.
        let result = catch_unwind(AssertUnwindSafe(|| {
            page.reset();
            test(&mut page);
            let errors = page.unexpected_errors();
            assert!(errors.is_empty(), "the console says: {}", errors.join("\n"));
        }));
        lock(&self.times).push((start.elapsed(), name.to_string()));
        if let Err(panic) = result {
            self.failed.fetch_add(1, Ordering::Relaxed);
            let reason = words(&*panic);
            let evidence = catch_unwind(AssertUnwindSafe(|| keep_evidence(&page, name, &reason)));
            let evidence = evidence.ok().flatten();
            let seen = evidence.map(|path| format!("\nwindow, address and console: {}.*", path.display()));
            return Err(format!("{reason}{}\nthis test alone: cargo xtask test {name}", seen.unwrap_or_default()));
        }
        lock(&self.free).push(page);
        Ok(())
    }

    /// The tests that were run and how long each took, the slowest first.
    pub fn times(&self) -> Vec<(Duration, String)> {
        let mut times = lock(&self.times).clone();
        times.sort_by(|a, b| b.cmp(a));
        times
    }

    /// A window of the pool, or of a new browser.
    pub fn take(&self) -> Result<Page, String> {
        if let Some(page) = lock(&self.free).pop() {
            return Ok(page);
        }
        let mut running = lock(&self.running);
        if running.is_none() {
            let setup = Setup::find()?;
            let (driver, server) = (Driver::start(&setup.driver)?, Server::start(&setup.dist)?);
            *running = Some(Running { driver, server, browser: setup.browser });
        }
        let Some(running) = running.as_ref() else { unreachable!("started above") };
        let browser = Browser::start(&running.driver.address(), &running.browser, &running.server.origin())?;
        Ok(Page::new(browser, running.server.address()))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A test that panicked left nothing half done behind these locks.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a picture of the window at the moment of failure, and a text with the reason, the address
/// and the console. Returns their path without its suffix.
fn keep_evidence(page: &Page, name: &str, reason: &str) -> Option<PathBuf> {
    let folder = std::env::temp_dir().join("memplan-e2e");
    fs::create_dir_all(&folder).ok()?;
    let path = folder.join(name.replace("::", "-"));
    let console = page.unexpected_errors().join("\n");
    let text = format!("{name}\n{reason}\n\naddress: {}\n\nconsole:\n{console}\n", page.address());
    fs::write(path.with_extension("txt"), text).ok()?;
    fs::write(path.with_extension("png"), page.browser.screenshot()).ok()?;
    Some(path)
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string())).unwrap_or_else(|| "a panic".into())
}
