//! A hundred thousand tensors: the page goes on painting while the worker works.

use std::time::Duration;

use memplan_e2e::Page;
use serde_json::Value;

use crate::samples::{gzip, training_chain};
use crate::{Test, measure};

pub const TESTS: &[Test] = &[
    measure("a_hundred_thousand_tensors_do_not_freeze_the_page", no_freeze),
    measure("a_long_job_can_be_cancelled", cancel),
    measure("a_planner_chosen_while_a_file_loads_is_for_that_file", choose_meanwhile),
];

/// Longest time without a painted frame that is no freeze, in milliseconds.
const FREEZE: f64 = 2000.0;
/// Longest time for reading and planning on a busy machine.
const LIMIT: Duration = Duration::from_secs(90);

/// Counts painted frames from now on and keeps the longest gap between two.
const WATCH: &str = "window.watch = { longest: 0, frames: 0, last: performance.now() };
    const tick = () => { const now = performance.now(); watch.longest = Math.max(watch.longest, now - watch.last);
        watch.last = now; watch.frames++; requestAnimationFrame(tick); };
    requestAnimationFrame(tick);";

fn hundred_thousand() -> Vec<u8> {
    gzip(training_chain(16_700).as_bytes())
}

fn no_freeze(page: &mut Page) {
    let file = hundred_thousand();
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    page.browser.script::<Value>(WATCH, Vec::new());
    page.drop_file("large.json.gz", &file);
    let start = std::time::Instant::now();
    let shown = "document.querySelector('h1').textContent.includes('training chain') && document.querySelector('#plan').dataset.planner";
    page.until_within(LIMIT, "the plan of the large graph", shown);
    let waited = start.elapsed();
    page.until_painted();
    let (longest, frames): (f64, u32) = page.eval("[watch.longest, watch.frames]");
    let facts = page.facts();
    println!(
        "{} frames of first-fit after {:.1} s ({} kB of gzip); {frames} pictures, longest gap {longest:.0} ms",
        facts.frames,
        waited.as_secs_f64(),
        file.len() / 1000
    );
    assert!(facts.frames > 100_000, "{facts:?}");
    assert!(facts.peak >= facts.bound);
    assert_eq!(facts.planner, "first-fit");
    assert!(longest < FREEZE, "the page stood still for {longest:.0} ms");

    // Stepping is still quick.
    for step in 1..=5 {
        let start = std::time::Instant::now();
        page.press("ArrowLeft");
        page.until_frame(facts.frame - step);
        println!("step back in {} ms, WebDriver included", start.elapsed().as_millis());
    }
    // So long a run keeps no places looked at here until it is asked to.
    page.until_there("#look-closely");
    page.click("#look-closely");
    page.until_within(LIMIT, "the places looked at", "!!document.querySelector('table.candidates')");
    page.until_frame(facts.frame - 5);

    page.browser.script::<Value>("watch.longest = 0", Vec::new());
    page.press("Home");
    page.until_frame(0);
    page.press("ArrowRight");
    page.until_frame(1);
    page.until_painted();
    println!("to the start: longest gap {:.0} ms", page.eval::<f64>("watch.longest"));
    assert!(page.eval::<f64>("watch.longest") < FREEZE, "seeking stands still");
}

fn cancel(page: &mut Page) {
    let file = hundred_thousand();
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    let before = page.facts();
    page.drop_file("large.json.gz", &file);
    page.until_there(".notice.working button");
    page.click(".notice.working button");
    page.until_gone(".notice.working");
    assert_eq!(page.facts(), before, "what was shown stays");
    assert_eq!(page.text("h1"), "teaching");
    page.press("ArrowLeft");
    page.until_frame(before.frame - 1);
    // The worker was ended with its job; a new one takes the next.
    page.drop_file("large.json.gz", &file);
    let shown = "document.querySelector('h1').textContent.includes('training chain') && +document.querySelector('#plan').dataset.frames > 100000";
    page.until_within(LIMIT, "the plan of the large graph", shown);
    // The example and the large graph both go on: another planner of the large one.
    page.press("p");
    page.until_within(LIMIT, "best-fit", "document.querySelector('#plan').dataset.planner === 'best-fit'");
}

fn choose_meanwhile(page: &mut Page) {
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    page.drop_file("large.json.gz", &hundred_thousand());
    page.until_there(".notice.working button");
    page.press("p");
    page.until_facts("a plan by best-fit", |facts| facts.planner == "best-fit");
    let name = "document.querySelector('h1').textContent";
    page.until_within(LIMIT, "the file in spite of the other planner", &format!("{name}.includes('training chain')"));
    page.until_planner("best-fit");
}
