//! Make it fit: the page says what the command line says, changes are stepped through, and links
//! lead back.

use memplan_e2e::Page;
use memplan_e2e::axe::Axe;
use memplan_e2e::page::{MIDDLE, NARROW, WIDE};
use memplan_engine::WriteForm;

use crate::{Test, exports, full, nightly, smoke};

/// A network of the test data.
macro_rules! network {
    ($name:literal) => {
        include_bytes!(concat!("../../data/models/", $name, ".json.gz"))
    };
}

pub const TESTS: &[Test] = &[
    smoke("a_budget_is_met_step_by_step", met),
    full("what_is_out_of_reach_adds_up", impossible),
    full("a_link_leads_back_to_a_change", link),
    smoke("the_keyboard_alone_meets_a_budget", keyboard),
    full("a_press_on_the_curve_of_prices_sets_the_budget", curve),
    full("what_the_peak_is_made_of_adds_up", alive),
    full("a_model_is_saved_as_an_answer_has_it", model),
    nightly("answers_for_networks_are_timed", timed),
    full("operators_are_listed_with_their_names", listed),
    full("a_list_of_buffers_leads_to_a_graph", list_of_buffers),
    full("bad_budgets_say_what_to_do", bad),
    full("every_state_of_fit_is_accessible", accessible),
    full("fit_has_room_on_the_narrowest_page", narrowest),
    full("fit_fills_a_low_window", low),
    full("a_change_of_the_budget_is_taken_back", taken_back),
    full("a_link_keeps_the_name_of_a_model", link_of_a_model),
];

/// Three convolutions in a row: 64 bytes are alive at the second.
const TINY: &str = include_str!("../../data/fit/tiny.json");

fn open(page: &mut Page, settings: &str) {
    page.open(settings);
    page.drop_file("tiny.json", TINY.as_bytes());
    page.until_says("h1", &["tiny"]);
    page.until_planned();
    page.mode("fit");
}

/// Fills a field as a user does who leaves it with Enter.
fn fill(page: &Page, label: &str, text: &str) {
    let label = label.replace('\'', "\\'");
    page.eval::<()>(&format!(
        "(() => {{ const field = document.querySelector('[aria-label=\"{label}\"]'); field.value = '{text}'; field.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()"
    ));
}

fn met(page: &mut Page) {
    open(page, "lang=en");
    page.until_there("#fit-empty");
    fill(page, "Memory 1: size", "32");
    page.until_attribute("#fit-seal", "data-result", Some("impossible"));
    page.click("#fit-allow-stripes");
    page.until_attribute("#fit-seal", "data-result", Some("fits"));
    page.until_attribute("#fit-seal", "data-before", Some("64"));
    page.until_count(".diff-plan canvas[data-peak]", 2);
    page.until_attribute("#column-0", "data-peak", Some("64"));
    let after = page.attribute("#fit-seal", "data-after").expect("bytes");
    page.until_attribute("#column-1", "data-peak", Some(&after));
    page.until_says("#fit-why-headline", &["grow..join in"]);
    // What a plan alone does not give is told beside the verdict.
    page.until_says("#fit-caveat", &["only if the compiler runs it so"]);
    // The wheel scrolls the page past a plan; with Ctrl it zooms.
    let zooms = |page: &Page, held: bool| -> bool {
        page.eval(&format!(
            "(() => {{ const wheel = new WheelEvent('wheel', {{ deltaY: 40, ctrlKey: {held}, bubbles: true, cancelable: true }});
                return !document.querySelector('#column-1').dispatchEvent(wheel); }})()"
        ))
    };
    assert_eq!((zooms(page, false), zooms(page, true)), (false, true));
    // The menu has the files of the answer, apart from those of the plan before.
    page.click("#export-button");
    page.until_count("[role=menuitem][data-fit]", 4);
    page.press("Escape");
    page.until_gone("[role=menuitem][data-fit]");
    // A change is taken back, and applied again.
    page.click("#fit-move-0");
    page.until_attribute("#fit-move-0", "aria-current", Some("step"));
    page.until_count(".diff-plan canvas[data-peak]", 1);
    page.until_address("move=0");
    page.eval::<()>("document.activeElement.blur()");
    page.press("ArrowRight");
    page.until_attribute("#fit-move-1", "aria-current", Some("step"));
    page.clear_clipboard();
    page.click("#fit-command");
    assert_eq!(
        page.until_copied(),
        "memplan fit tiny.json --memory SRAM=32 --allow planner,order,inplace,views,stripes"
    );
}

fn listed(page: &mut Page) {
    open(page, "lang=en");
    fill(page, "Memory 1: size", "64");
    page.until_attribute("#fit-seal", "data-result", Some("fits"));
    page.eval::<bool>("document.querySelector('.fit-form details').open = true");
    page.click("#fit-list-operators");
    page.until("the names", r"document.querySelector('.fit-form textarea').value === 'grow,0\nbend,0\njoin,0\n'");
    page.until_gone("#fit-list-operators");
    page.until_attribute("#fit-seal", "data-result", Some("fits"));
}

fn list_of_buffers(page: &mut Page) {
    page.open("lang=en");
    page.drop_file("list.csv", b"id,lower,upper,size\na,0,2,8\nb,1,3,8\n");
    page.until_says("h1", &["list"]);
    page.until_planned();
    page.mode("fit");
    page.until_says("#fit-empty", &["Open the graph that it comes from"]);
    page.until_there("#fit-open");
}

fn impossible(page: &mut Page) {
    open(page, "lang=en");
    fill(page, "Memory 1: size", "40");
    page.until_there("#fit-certificate");
    let sum: u64 = page.eval("[...document.querySelectorAll('#fit-certificate [data-bytes]')].reduce((sum, row) => sum + +row.dataset.bytes, 0)");
    assert_eq!(page.attribute("#fit-certificate", "data-bound"), Some(sum.to_string()));
    page.until_says("#fit-certificate", &["read here", "made here", "alive together"]);
    assert!(page.is_there("#fit-else-stripes"), "the reason names it, too");
    page.click("#fit-remedy");
    page.until_attribute("#fit-seal", "data-result", Some("fits"));
    assert!(!page.is_there("#fit-remedy"));
}

fn alive(page: &mut Page) {
    open(page, "lang=en");
    fill(page, "Memory 1: size", "40");
    page.click("#fit-told-tab-alive");
    page.until_there("#fit-alive-headline");
    let sum = |page: &Page| -> u64 {
        page.eval("[...document.querySelectorAll('#fit-alive [data-bytes]')].reduce((sum, cell) => sum + +cell.dataset.bytes, 0)")
    };
    // The same 64 bytes as the verdict's, which is not computed from rows.
    page.until_attribute("#fit-alive-headline", "data-bytes", Some("64"));
    assert_eq!(sum(page), 64);
    page.until_says("#fit-alive", &["made here", "read here"]);
    assert!(page.count("#fit-fullest .over") > 0, "what is above the budget is marked");
    let first = page.attribute("#fit-alive-headline", "data-step").expect("a step");
    page.click("#fit-fullest li:last-child button");
    page.until(
        "another operator",
        &format!("document.querySelector('#fit-alive-headline').dataset.step !== '{first}'"),
    );
    assert_eq!(page.attribute("#fit-alive-headline", "data-bytes"), Some(sum(page).to_string()));
    page.click("#fit-told-tab-why");
    page.until_there("#fit-why-headline");
}

fn link(page: &mut Page) {
    page.visit("", "doc=ex:mobilenet_v2&mode=fit&mem=SRAM:3145728&scratch=4096&persistent=0&allow=planner,order,inplace,views,stripes&move=1&lang=zh");
    page.until_attribute("#fit-seal", "data-result", Some("fits"));
    page.until_attribute("#fit-seal", "data-available", Some("3141632"));
    page.until_attribute("#fit-move-1", "aria-current", Some("step"));
    page.until_says("#fit-seal", &["放得下"]);
    page.until_says("#mode-fit", &["适配"]);
    page.until_address("mode=fit&mem=SRAM:3145728&scratch=4096&persistent=0");
    page.mode("step");
    page.until_there("#plan");
    page.mode("fit");
    page.until_there("#fit-seal");
}

fn keyboard(page: &mut Page) {
    open(page, "lang=en");
    page.eval::<()>("document.querySelector('[aria-label=\"Memory 1: size\"]').focus()");
    for key in ["3", "2", "Enter"] {
        page.press(key);
    }
    page.until_there("#fit-certificate");
    page.eval::<()>("document.querySelector('#fit-allow-stripes').focus()");
    page.press("Space");
    page.until_attribute("#fit-seal", "data-result", Some("fits"));
    page.eval::<()>("document.querySelector('#fit-move-1').focus()");
    page.press("ArrowLeft");
    page.until_attribute("#fit-move-0", "aria-current", Some("step"));
    page.press("ArrowRight");
    page.until_attribute("#fit-move-1", "aria-current", Some("step"));
}

const SMALL_MODEL: &[u8] = include_bytes!("../../data/tflite/small_cnn_int8.tflite");

/// Opens a model that is so small that even a busy machine computes the curve of its prices in the
/// time of a search, some seconds.
fn open_small_model(page: &mut Page, settings: &str) {
    page.visit("", &format!("doc=ex:teaching&mode=fit{settings}"));
    page.until_there("#fit-seal");
    assert!(!page.is_there("#fit-model"), "the example is no model");
    page.drop_file("small.tflite", SMALL_MODEL);
    page.until_says("h1", &["small.tflite"]);
}

/// A point is found as a reader finds it: by what the chart tells under the pointer.
fn curve(page: &mut Page) {
    open_small_model(page, "&mem=SRAM:32768&allow=planner,stripes&lang=en");
    page.until_attribute("#fit-seal", "data-available", Some("32768"));
    page.until_there("#chart");
    const PRESS: &str = "const done = arguments[0], chart = document.querySelector('#chart');
        chart.scrollIntoView();
        const box = chart.getBoundingClientRect();
        const at = (type, x, y) => chart.dispatchEvent(
            new PointerEvent(type, { bubbles: true, clientX: box.left + x, clientY: box.top + y }));
        const painted = () => new Promise(then => requestAnimationFrame(() => setTimeout(then)));
        (async () => {
            for (let x = 80; x < box.width; x += 30) {
                for (let y = 40; y < box.height; y += 30) {
                    at('pointermove', x, y);
                    await painted();
                    if (document.querySelector('#chart-tip')) {
                        at('pointerup', x, y);
                        return done(true);
                    }
                }
            }
            done(false);
        })();";
    assert!(page.browser.script_later::<bool>(PRESS, Vec::new()), "no point of the curve was found");
    page.until("another budget", "+document.querySelector('#fit-seal').dataset.available < 32768");
    page.until_attribute("#fit-seal", "data-result", Some("fits"));
}

fn model(page: &mut Page) {
    open_small_model(page, "&mem=SRAM:22528&allow=planner,stripes&lang=en");
    page.until_there("#fit-model:not([disabled])");
    exports::catch(page);
    page.click("#fit-model");
    let (name, bytes) = exports::caught(page, 0);
    let written = exports::planned(SMALL_MODEL, "best", WriteForm::Model);
    assert_eq!(name, "small.fit-model.tflite");
    assert!(bytes == written.file, "what the command line writes");
    page.until_says(".toast", &["Model saved"]);
    // A graph that was changed is no matter of plan and order.
    fill(page, "Memory 1: size", "16384");
    page.until_attribute("#fit-seal", "data-result", Some("fits"));
    page.until_there("#fit-model[disabled]");
    page.until_says(
        "#fit-model-why",
        &["TensorFlow Lite Micro cannot run this answer", "stripes", "Planner and order alone need"],
    );
    let mut axe = Axe::load();
    axe.look(page, "a model that cannot be written");
    axe.assert_clean();
}

/// Graph, budget and levers, as in docs/benchmarks.md. All are asked if [`ALL_TIMES`] is set, else
/// the first and the fourth.
const TIMED: [(&str, &[u8], u64, &str); 6] = [
    ("mobilenet_v2", network!("mobilenet_v2"), 1_978_368, "planner,order,inplace,views,stripes"),
    ("resnet18", network!("resnet18"), 2_021_376, "planner,order,inplace,views,stripes"),
    ("unet_512", network!("unet_512"), 167_772_160, "planner,order,inplace,views,stripes"),
    ("sd15_unet", network!("sd15_unet"), 84_127_744, "planner,order,inplace,views,bank,spill,recompute,stripes"),
    ("sd15_unet", network!("sd15_unet"), 78_950_400, "planner,order,inplace,views,recompute"),
    ("sd15_unet", network!("sd15_unet"), 62_914_560, "planner,order,inplace,views,spill"),
];

/// The variable that asks for the times of every network.
const ALL_TIMES: &str = "MEMPLAN_ALL_TIMES";

/// Milliseconds from the change of the budget to the first answer and to the last, from inside the
/// page.
fn timed(page: &mut Page) {
    const ASK: &str = "const [budget, done] = arguments;
        const field = document.querySelector('[aria-label=\"Memory 1: size\"]');
        const seal = () => document.querySelector('#fit-seal');
        const old = seal(), start = performance.now();
        field.value = budget;
        field.dispatchEvent(new Event('change', { bubbles: true }));
        let first = null;
        const look = () => {
            const now = performance.now(), found = seal();
            if (first === null && found !== null && found !== old && found.dataset.available === budget)
                first = [found.dataset.result, now - start];
            const busy = document.querySelector('#region-stage').getAttribute('aria-busy') === 'true';
            if (first !== null && !busy) done([first, [found.dataset.result, now - start]]);
            else setTimeout(look, 4);
        };
        look();";
    let step = if std::env::var_os(ALL_TIMES).is_some() { 1 } else { 3 };
    for (name, file, budget, allow) in TIMED.into_iter().step_by(step) {
        let memories = "SRAM:1099511627776,DRAM:1099511627776@4";
        page.visit("", &format!("doc=ex:teaching&mode=fit&mem={memories}&allow={allow}&lang=en"));
        page.until_there("#fit-seal");
        page.drop_in_pieces(&format!("{name}.json.gz"), file);
        page.until_says("h1", &[name]);
        page.until_there("#fit-seal");
        page.until_attribute("#region-stage", "aria-busy", Some("false"));
        let budget_text = budget.to_string();
        let answers: [(String, f64); 2] = page.browser.script_later(ASK, vec![budget_text.into()]);
        let [(first, soon), (last, late)] = answers;
        println!("fit of {name} in {budget} bytes: {first} after {soon:.0} ms, {last} after {late:.0} ms");
        // The others are found late in the search, on a machine that does nothing else.
        assert!(last == "fits" || !allow.contains("stripes"), "{name}: {last}");
    }
}

fn bad(page: &mut Page) {
    open(page, "lang=en");
    for (size, told) in [("0", "has 0 bytes"), ("-4", "is no size"), ("1e99 GiB", "is no size")] {
        fill(page, "Memory 1: size", size);
        page.until_says("#fit-none", &[told]);
    }
    fill(page, "Memory 1: size", "64,5 KiB");
    page.until_says("#fit-none", &["64,5 KiB is no size. Use a number, with a point before decimals"]);
    fill(page, "Memory 1: size", "64");
    page.until_there("#fit-seal[data-available='64']");
    page.until_says("#fit-no-unit", &["64 has no unit: it counts as 64 bytes."]);
    page.click("#fit-no-unit button");
    page.until_there("#fit-seal[data-available='65536']");
    page.until_gone("#fit-no-unit");
    // The row of a new memory is filled in before another one comes.
    page.click("#fit-add-memory");
    page.click("#fit-add-memory");
    page.until_count("#fit-memories .memory-row:not(.head)", 2);
    page.until_there("#fit-seal");
    fill(page, "Memory 2: size", "8 MiB");
    fill(page, "Memory 2: name", "SRAM");
    page.until_says("#fit-none", &["Two memories have the name SRAM"]);
}

/// What sticks out of the window and does not lie in a list that scrolls by itself.
const OUTSIDE: &str = "[...document.querySelectorAll('.fit *')].filter(e => {
    const lists = '.moves ol, .chart, .plot, .visually-hidden, details:not([open])';
    return e.checkVisibility() && !e.closest(lists) && e.getBoundingClientRect().right > innerWidth + 0.5;
}).map(e => `${e.tagName} ${e.id || e.className}: ${e.textContent.trim().slice(0, 40)}`)";

/// A laptop at 150 %, and a phone on its side.
fn low(page: &mut Page) {
    for size in [(960, 600), (740, 360)] {
        page.viewport(size);
        page.visit("", "doc=ex:teaching&mode=fit&mem=SRAM:32&lang=en");
        page.until_there("#fit-seal");
        let filled: f64 = page.eval("document.querySelector('.fit-body').getBoundingClientRect().width / innerWidth");
        assert!(filled > 0.95, "{filled} of {size:?}");
    }
}

fn narrowest(page: &mut Page) {
    page.viewport((320, 640));
    let all = "planner,order,inplace,views,bank,spill,recompute,stripes";
    for settings in ["lang=en", "lang=zh"] {
        for (state, budget, there) in [
            ("nothing asked", String::new(), "#fit-empty"),
            ("stripes", "&mem=SRAM:32768&scratch=1024&persistent=1024&allow=planner,inplace,stripes".into(), "#chart"),
            ("memories", format!("&mem=SRAM:2097152,DRAM:8388608@10&allow={all}"), "#fit-ladder"),
            ("out of reach", "&mem=SRAM:1048576".into(), "#fit-certificate"),
        ] {
            if there == "#chart" {
                open_small_model(page, &format!("{budget}&{settings}"));
            } else {
                page.visit("", &format!("doc=ex:mobilenet_v2&mode=fit{budget}&{settings}"));
            }
            page.until_there(there);
            page.until_attribute("#region-stage", "aria-busy", Some("false"));
            if page.is_there("#fit-form-button") {
                page.click("#fit-form-button");
                page.until_there("#fit-memories");
            }
            let wide: u32 = page.eval("document.scrollingElement.scrollWidth");
            let outside: Vec<String> = page.eval(OUTSIDE);
            assert!(wide <= 320 && outside.is_empty(), "{state}, {settings}: {wide} {outside:#?}");
        }
    }
    page.viewport(WIDE);
}

fn taken_back(page: &mut Page) {
    open(page, "lang=en");
    page.until_there("#fit-undo[aria-disabled]");
    // What it needs now, and two budgets to begin with.
    page.until_says("#fit-empty", &["this graph needs", "A budget to begin with"]);
    let budgets: Vec<u64> =
        page.eval("[...document.querySelectorAll('#fit-empty [data-budget]')].map(e => +e.dataset.budget)");
    assert_eq!(budgets.len(), 2, "{budgets:?}");
    page.click(&format!("#fit-empty [data-budget='{}']", budgets[1]));
    page.until_attribute("#fit-seal", "data-available", Some(&budgets[1].to_string()));
    let active: String = page.eval("document.activeElement.id");
    assert_eq!(active, "region-stage", "the focus stays in the page");
    fill(page, "Memory 1: size", "64");
    page.until_attribute("#fit-seal", "data-available", Some("64"));
    fill(page, "Memory 1: size", "40");
    page.until_attribute("#fit-seal", "data-result", Some("impossible"));
    page.click("#fit-allow-stripes");
    page.until_attribute("#fit-seal", "data-result", Some("fits"));
    page.click("#fit-undo");
    page.until_attribute("#fit-seal", "data-result", Some("impossible"));
    // By the keyboard, outside the fields, which have changes of their own.
    page.eval::<()>("document.activeElement.blur()");
    page.press("Control+z");
    page.until_attribute("#fit-seal", "data-available", Some("64"));
    page.click("#fit-redo");
    page.until_attribute("#fit-seal", "data-result", Some("impossible"));
}

fn link_of_a_model(page: &mut Page) {
    page.visit("", "doc=ex:teaching&mode=fit&mem=SRAM:131072&allow=planner&lang=en");
    page.until_there("#fit-seal");
    // Too large for a link as it is.
    page.drop_file("small.tflite", include_bytes!("../../data/tflite/small_cnn_float32.tflite"));
    page.until_says("h1", &["small.tflite"]);
    page.until_there("#fit-model:not([disabled])");
    page.until_address("name=small.tflite");
    page.browser.reload();
    page.until_says("h1", &["small.tflite"]);
    page.until_says("#fit-link-model", &["carries the graph of small.tflite", "Open the file again"]);
}

fn accessible(page: &mut Page) {
    let mut axe = Axe::load();
    for (settings, sizes) in [("lang=en&theme=light", [WIDE, NARROW]), ("lang=zh&theme=dark", [MIDDLE, NARROW])] {
        for size in sizes {
            page.viewport(size);
            for (budget, state) in [
                ("", "nothing asked"),
                (
                    "&mem=SRAM:5242880,DRAM:8388608@10&allow=planner,order,inplace,views,bank,spill,recompute,stripes",
                    "fits",
                ),
                ("&mem=SRAM:1048576", "out of reach"),
            ] {
                page.visit("", &format!("doc=ex:mobilenet_v2&mode=fit{budget}&{settings}"));
                page.until_there(if budget.is_empty() { "#fit-empty" } else { "#fit-ladder" });
                page.until_attribute("#region-stage", "aria-busy", Some("false"));
                axe.look(page, state);
                let wider: bool = page.eval("document.documentElement.scrollWidth > innerWidth");
                assert!(!wider, "{state} at {size:?} scrolls sideways");
            }
        }
    }
    page.viewport(WIDE);
    axe.assert_clean();
}
