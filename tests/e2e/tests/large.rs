//! A hundred thousand tensors: the page goes on painting while the worker works.

use std::sync::OnceLock;

use memplan_e2e::Page;
use serde_json::Value;

use crate::samples::{gzip, training_chain};
use crate::{Test, full, measure, smoke};

pub const TESTS: &[Test] = &[
    smoke("a_long_job_is_cancelled_begun_again_and_stepped_without_a_freeze", cancel),
    full("a_search_that_is_stopped_keeps_its_best_plan", keep),
    measure("panning_and_zooming_many_rectangles_ends_where_it_began", pan),
    measure("many_buffers_are_stepped", step),
    measure("a_million_buffers_are_opened_and_moved", million),
    full("a_planner_chosen_while_a_file_loads_is_for_that_file", choose_meanwhile),
];

/// Milliseconds of the processor in one task that are no freeze.
const FREEZE: f64 = 2000.0;

fn hundred_thousand() -> &'static [u8] {
    static FILE: OnceLock<Vec<u8>> = OnceLock::new();
    FILE.get_or_init(|| gzip(training_chain(16_700).as_bytes()))
}

fn cancel(page: &mut Page) {
    let file = hundred_thousand();
    let mut page = page.recorded();
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    let before = page.facts();
    page.drop_file("large.json.gz", file);
    page.until_there(".notice.working button");
    page.click(".notice.working button");
    page.until_gone(".notice.working");
    assert_eq!(page.facts(), before, "what was shown stays");
    page.until_text("h1", "teaching");
    page.press("ArrowLeft");
    page.until_frame(before.frame - 1);
    // The worker was ended with its job; a new one takes the next.
    page.drop_file("large.json.gz", file);
    page.until("the name of the large graph", "document.querySelector('h1').textContent.includes('training chain')");
    let facts = page.until_facts("its plan", |facts| facts.planner == "first-fit" && facts.frames > 100_000);
    page.until_painted();
    assert!(facts.peak >= facts.bound);
    for step in 1..=5 {
        page.press("ArrowLeft");
        page.until_frame(facts.frame - step);
    }
    // So long a run keeps no places looked at here until it is asked to.
    page.click("#look-closely");
    page.until_there("table.candidates");
    page.until_frame(facts.frame - 5);
    page.press("Home");
    page.until_frame(0);
    page.press("ArrowRight");
    page.until_frame(1);
    // The example and the large graph both go on: another planner of the large one.
    page.press("p");
    page.until_planner("best-fit");
    page.until_painted();
    let longest = page.browser.timeline().tasks.into_iter().fold(0.0, f64::max);
    println!("longest task of a hundred thousand tensors: {longest:.0} ms");
    assert!(longest > 0.0 && longest < FREEZE, "the page stood still for {longest:.0} ms");
    let errors = page.unexpected_errors();
    assert!(errors.is_empty(), "the console says: {}", errors.join("\n"));
}

/// Buffers of which no plan reaches the bound at once.
fn hard_buffers() -> String {
    let buffers = memplan_core::problem::sample(600, 3).buffers;
    let lines = buffers
        .iter()
        .map(|buffer| format!("{},{},{},{}", buffer.name, buffer.live.start, buffer.live.end, buffer.size));
    ["id,lower,upper,size".to_string()].into_iter().chain(lines).collect::<Vec<_>>().join("\n")
}

fn keep(page: &mut Page) {
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    page.drop_file("buffers.csv", hard_buffers().as_bytes());
    page.until_address("doc=z:");
    // A budget that lasts for minutes.
    page.eval::<Option<bool>>("void (location.hash = location.hash.replace(/plan=[^&]*/, 'plan=usmp-hill-climb&opt=attempts:1000000,work:1000000'))");
    page.until("the best so far", "document.querySelector('#best-so-far')?.textContent.includes('bound')");
    page.until(
        "it can be kept",
        "[...document.querySelectorAll('.notice.working button')].some(b => b.textContent.includes('keep the best'))",
    );
    // Meanwhile the plan of before is named, and pale.
    page.until_says("#shown-before", &["still the plan of", "portfolio"]);
    page.until_there(".page.stale");
    page.click(".notice.working button");
    page.until("it says so", "document.querySelector('#notice')?.textContent.includes('The search was stopped')");
    page.until_there("#notice[role=status]:not(.error)");
    page.until_gone(".page.stale");
    let facts = page.until_planner("usmp-hill-climb");
    assert!(facts.bound <= facts.peak && facts.frames == 601, "{facts:?}");
    page.press("Home");
    page.until_frame(0);
    // Only this part of the search gave it, which nobody can run again.
    page.click("#export-button");
    page.until_there("[role=menu]");
    page.click_named("Buffers (CSV, MiniMalloc)");
    page.until("a reason", "document.querySelector('.toast')?.textContent.includes('has no plan file')");
    page.press("p");
    page.until("another planner", "document.querySelector('#plan').dataset.planner !== 'usmp-hill-climb'");
}

fn choose_meanwhile(page: &mut Page) {
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    page.drop_file("large.json.gz", hundred_thousand());
    page.until_there(".notice.working button");
    page.press("p");
    page.until_facts("a plan by best-fit", |facts| facts.planner == "best-fit");
    let name = "document.querySelector('h1').textContent";
    page.until("the file in spite of the other planner", &format!("{name}.includes('training chain')"));
    page.until_planner("best-fit");
}

/// So many rectangles of one pixel and more, all visible at once.
fn visible_rectangles(count: u32) -> Vec<u8> {
    let columns = 400;
    let mut text = String::from("id,lower,upper,size,offset\n");
    for index in 0..count {
        let (step, row) = (index % columns, index / columns);
        text.push_str(&format!("b{index},{step},{},1000,{}\n", step + 1, row * 1000));
    }
    gzip(text.as_bytes())
}

/// Moves the plan there and back in two ways and prints how long its pictures took.
fn move_and_print(page: &Page, count: u32) {
    // Thirty such steps go less far than the limit of the view, which is half of the plan.
    for (what, wheel) in [("pan", "deltaX: 3, deltaY: 0"), ("zoom", "deltaY: -6, ctrlKey: true")] {
        page.browser.script::<Value>(
            &format!(
                "window.gaps = []; window.over = false;
                const plan = document.querySelector('#plan'), box = plan.getBoundingClientRect();
                const at = {{ clientX: box.x + box.width / 2, clientY: box.y + box.height / 2, bubbles: true, cancelable: true }};
                let last = performance.now(), left = 60;
                const tick = () => {{ const now = performance.now(); gaps.push(now - last); last = now;
                    if (!left--) {{ over = true; return; }}
                    const back = left < 30;
                    const wheel = {{ {wheel} }};
                    if (back) {{ wheel.deltaX = -(wheel.deltaX || 0); wheel.deltaY = -wheel.deltaY; }}
                    plan.dispatchEvent(new WheelEvent('wheel', {{ ...at, ...wheel }})); requestAnimationFrame(tick); }};
                requestAnimationFrame(tick);"
            ),
            Vec::new(),
        );
        page.until("the end of the movement", "window.over");
        print_gaps(&format!("{what} over {count} rectangles: median frame"), page.eval("gaps"));
    }
}

/// Prints the middle, the end of all but one in twenty, and the longest of some times in
/// milliseconds.
fn print_gaps(what: &str, mut gaps: Vec<f64>) {
    gaps.sort_by(f64::total_cmp);
    println!(
        "{what} {:.1} ms, 95 of 100 within {:.1} ms, longest {:.1} ms",
        gaps[gaps.len() / 2],
        gaps[gaps.len() * 95 / 100],
        gaps[gaps.len() - 1]
    );
}

/// Drops a list of buffers that is made up in the page, some forty of them alive at a time. A
/// million are 43 MB.
fn drop_many(page: &mut Page, count: u32) {
    const DROP: &str = "const [count] = arguments, lines = ['id,lower,upper,size'];
        let state = 7;
        const random = below => (state = Math.imul(state, 1103515245) + 12345 >>> 0, (state >>> 8) % below);
        for (let at = 0; at < count; at++) {
            const from = at + random(5);
            lines.push(`activation_of_node_${at},${from},${from + 1 + random(78)},${64 * (1 + random(1000))}`);
        }
        const transfer = new DataTransfer();
        transfer.items.add(new File([lines.join('\\n')], 'many.csv'));
        window.dropped = performance.now();
        document.querySelector('main').dispatchEvent(
            new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: transfer }));";
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    page.browser.script::<Value>(DROP, vec![count.into()]);
    page.until(
        "the plan of the buffers",
        // The address is that of the new document, too, before a frame is put into it.
        &format!("+document.querySelector('#plan').dataset.frames > {count} && !location.hash.includes('doc=ex:')"),
    );
    page.until_painted();
}

/// Steps from the middle of many buffers on and prints how long each step took.
fn step_and_print(page: &mut Page, count: u32) {
    let middle = count / 2;
    page.eval::<Option<bool>>(&format!("void (location.hash = location.hash.replace(/&f=\\d+/, '') + '&f={middle}')"));
    page.until_frame(middle);
    page.until_painted();
    const STEPS: &str = "const done = arguments[0], plan = document.querySelector('#plan'), steps = [];
        const task = () => new Promise(then => { const { port1, port2 } = new MessageChannel();
            port1.onmessage = then; port2.postMessage(0); });
        (async () => {
            for (let left = 40; left; left--) {
                const { frame } = plan.dataset, begin = performance.now();
                plan.dispatchEvent(new KeyboardEvent('keydown',
                    { key: 'ArrowRight', code: 'ArrowRight', bubbles: true, cancelable: true }));
                while (plan.dataset.frame === frame) await task();
                await new Promise(requestAnimationFrame);
                await task();
                steps.push(performance.now() - begin);
                await new Promise(then => setTimeout(then, 100));
            }
            done(steps);
        })();";
    let steps: Vec<f64> = page.browser.script_later(STEPS, Vec::new());
    print_gaps(&format!("a step of {count} buffers: median"), steps);
}

fn step(page: &mut Page) {
    // A hundred show what a step takes that does not depend on their number.
    for count in [100, 10_000, 100_000] {
        drop_many(page, count);
        step_and_print(page, count);
    }
}

fn million(page: &mut Page) {
    drop_many(page, 1_000_000);
    let opened: f64 = page.eval("performance.now() - window.dropped");
    println!("a million buffers opened and painted after {opened:.0} ms");
    move_and_print(page, 1_000_000);
    step_and_print(page, 1_000_000);
}

/// The canvas of the data as it is painted now.
const PICTURE: &str = "document.querySelector('.plan canvas').toDataURL()";

fn pan(page: &mut Page) {
    for count in [10_000, 50_000] {
        page.open("doc=ex:teaching&plan=first-fit&lang=en");
        page.drop_file("many.csv.gz", &visible_rectangles(count));
        let shown = format!(
            "document.querySelectorAll('h1').length && +document.querySelector('#plan').dataset.frames > {count}"
        );
        page.until("the plan of the rectangles", &shown);
        page.until_painted();
        let before: String = page.until_still("the picture", PICTURE);
        move_and_print(page, count);
        // There and back again: when the movement pauses everything is drawn as it was.
        page.until_equal("the length of the picture", before.len(), |page| page.eval(&format!("{PICTURE}.length")));
    }
}
