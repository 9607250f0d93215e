//! Planners, their options, and what is planned: the page shows what the crate computes.

use memplan_core::base::Sizes;
use memplan_core::problem::Scope;
use memplan_e2e::Page;
use memplan_planners::{self as planner, INFOS};

use crate::native;
use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    full("every_example_is_planned", every_example),
    smoke("the_list_shows_what_each_planner_takes", list_with_peaks),
    full("keys_that_come_before_the_list_is_drawn_choose_from_it", typed_ahead),
    full("p_goes_through_the_planners", by_key),
    full("a_planner_keeps_the_buffer_of_the_frame", keeps_the_buffer),
    smoke("an_option_plans_anew_at_once", option),
    full("alignment_plans_anew_at_once", alignment),
    full("inputs_can_be_left_out", inputs),
    full("options_can_be_reset", reset),
    full("branch_safe_holds_for_the_next_planner", branch_safe_stays),
    full("rules_for_arenas_are_a_table", rules),
    full("a_size_without_a_bound_is_told", unbounded),
    full("an_overlap_of_the_original_is_told", quirk),
    full("buffers_that_do_not_fit_are_named_and_drawn", conflict),
    full("a_recorded_plan_with_an_overlap_is_opened_from_the_list_and_from_its_planner", recorded_quirk),
    full("the_examples_of_a_planner_s_own_parts_open_with_it", special_examples),
    full("devices_have_frames_that_their_part_leads_to", devices),
    full("pairs_are_shown_with_what_decided_them", pairs),
];

/// Chooses a planner from the menu with the pointer.
pub fn choose(page: &Page, id: &str) {
    page.click("#planner-button");
    page.until_there(".picker");
    // Groups of many planners show the first of them; a filter shows all.
    page.browser.type_into("#picker-filter", id);
    page.click(&format!(".picker [data-planner='{id}']"));
    page.until_gone(".picker");
}

/// On a busy machine keys come faster than lists are drawn: here in one task, in which nothing is
/// drawn.
fn typed_ahead(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=first-fit&lang=en");
    let type_all = "const [css, text, ...keys] = arguments, field = document.querySelector(css);
        const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
        set.call(field, text);
        field.dispatchEvent(new InputEvent('input', { bubbles: true }));
        for (const key of keys) field.dispatchEvent(
            new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));";
    page.press("j");
    page.until("the focus", "document.activeElement.id === 'picker-filter'");
    let typed = ["#picker-filter", "worst fit", "ArrowDown", "Enter"].map(|text| text.into());
    page.browser.script::<serde_json::Value>(type_all, typed.to_vec());
    page.until_planner("worst-fit");
    page.until_gone(".picker");
    page.press("/");
    page.until("the focus", "document.activeElement.id === 'find-input'");
    let typed = ["#find-input", "relu_3", "Enter"].map(|text| text.into());
    page.browser.script::<serde_json::Value>(type_all, typed.to_vec());
    page.until_facts("a buffer of that name", |facts| {
        facts.selected.as_ref().is_some_and(|name| name.contains("relu_3"))
    });
}

fn list_with_peaks(page: &mut Page) {
    page.open("doc=ex:unet_512&plan=first-fit&lang=en");
    page.press("j");
    page.until_there(".picker");
    let bytes = native::example("unet_512");
    // The quick ones come by themselves, each with the peak that it has when it is chosen.
    let run = native::run(&bytes, "tflm-greedy");
    let peak = format!(
        "document.querySelector('.picker [data-planner=tflm-greedy] .bytes')?.title.replace(/\\D/g, '') === '{}'",
        run.metrics.peak
    );
    page.until("a peak", &peak);
    page.until_says(".picker [data-planner=tflm-greedy]", &["bound"]);
    // A search is measured when it is asked for.
    page.browser.type_into("#picker-filter", "search hill");
    page.press("ArrowDown");
    page.until_says(".pick-note", &["A search"]);
    page.press("ArrowRight");
    page.until("its peak", "!!document.querySelector('.picker .at .bytes')");
    page.press("c");
    page.until_there(".toast");
    page.press("Escape");
    page.until_gone(".picker");
}

/// Waits until a plan is shown, and at its last frame the figures of the strip.
fn until_figures(page: &Page, example: &str, id: &str) {
    let run = native::run(&native::example(example), id);
    // Where storages go back to an allocator the strip tells what is held at once.
    let (need, bound) = (run.metrics.need(), run.metrics.lower_bound);
    native::until_shown(page, &format!("{example} by {id}"), &run);
    // Before the last frame the strip tells the peak so far.
    page.press("End");
    page.until_frame(run.timeline.decisions.len() as u32);
    // What the planner leaves out counts on neither side of the strip.
    let yardstick = if run.metrics.placed == 0 { bound } else { run.metrics.placed_lower_bound };
    assert!(need >= yardstick, "{example} by {id}: {need} below {yardstick}");
    let units = Sizes::Readable.apart(&[need, yardstick]);
    let expected = [units[0].figure(need), units[1].figure(yardstick)].map(|text| native::single_blanks(&text));
    let figures = |page: &Page| page.texts(".strip .stat b").into_iter().take(2).collect::<Vec<_>>();
    page.until_equal(&format!("the strip of {example} by {id}"), expected.to_vec(), figures);
}

fn every_example(page: &mut Page) {
    // All planners plan all examples by the module (api.rs): here it is another planner for each. A
    // counter-example is opened with its own planner by a test of the list of examples.
    let examples = native::examples();
    let examples = examples.iter().filter(|name| !name.starts_with("cases/"));
    for (example, info) in examples.zip(INFOS.iter().cycle().step_by(4)) {
        page.open(&format!("doc=ex:{example}&plan={}&lang=en", INFOS[1].id));
        choose(page, info.id);
        until_figures(page, example, info.id);
    }
}

fn by_key(page: &mut Page) {
    page.open(&format!("doc=ex:mobilenet_v2&plan={}&lang=en", INFOS[0].id));
    for info in INFOS[1..].iter().chain(&INFOS[..1]) {
        page.press("p");
        until_figures(page, "mobilenet_v2", info.id);
    }
    page.press("Shift+P");
    page.until_planner(INFOS[INFOS.len() - 1].id);
}

fn keeps_the_buffer(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=inductor-tree&f=12&lang=en");
    page.until_frame(12);
    let focus = page.text(".counter em");
    choose(page, "first-fit");
    page.until_planner("first-fit");
    // The same buffer's placement by another planner.
    page.until_text(".counter em", &focus);
}

/// Opens the options and marks the control of the one with this name.
fn mark_option(page: &Page, key: &str) -> &'static str {
    if !page.is_there(".menu.options") {
        page.click("#options-button");
        page.until_there(".menu.options");
    }
    const MARK: &str = "document.querySelector('[data-option]')?.removeAttribute('data-option');
        const label = [...document.querySelectorAll('label.option')].find(l => l.textContent.includes(arguments[0]));
        label?.querySelector('input, select')?.setAttribute('data-option', ''); return !!label;";
    page.until_equal(&format!("an option `{key}`"), true, |page| page.browser.script(MARK, vec![key.into()]));
    "[data-option]"
}

fn option(page: &mut Page) {
    let bytes = native::example("resnet18");
    page.open("doc=ex:resnet18&plan=inductor-tree&lang=en");
    let usual = page.facts().peak;
    for value in ["none", "outputs", "combined"] {
        let field = mark_option(page, "memory_pool");
        page.browser.choose(field, value);
        let run = native::run_with(&bytes, "inductor-tree", &[("memory_pool", value)], Scope::default());
        native::until_shown(page, value, &run);
        page.until_address(&format!("opt=memory_pool:{value}"));
    }
    let none = native::run_with(&bytes, "inductor-tree", &[("memory_pool", "none")], Scope::default());
    assert_ne!(none.metrics.peak, usual, "the option makes a difference in this example");
    // Another planner starts with its own usual options.
    page.press("Escape");
    choose(page, "first-fit");
    page.until_planner("first-fit");
    page.until("no options in the address", "!location.hash.includes('opt=')");
}

fn alignment(page: &mut Page) {
    page.open("plan=first-fit&lang=en");
    let bytes = native::example("teaching");
    for align in [256, 4096, 1] {
        let field = mark_option(page, "alignment in bytes");
        page.browser.choose(field, &align.to_string());
        let run = native::run_with(&bytes, "first-fit", &[], Scope { align, ..Scope::default() });
        native::until_shown(page, &format!("alignment {align}"), &run);
    }
}

fn inputs(page: &mut Page) {
    page.open("doc=ex:two_branches&plan=first-fit&lang=en");
    let bytes = native::example("two_branches");
    let run = native::run_with(&bytes, "first-fit", &[], Scope { inputs: false, ..Scope::default() });
    assert_ne!(run.metrics.lower_bound, page.facts().bound, "inputs make a difference in this example");
    let field = mark_option(page, "graph inputs");
    page.click(field);
    native::until_shown(page, "the plan without inputs", &run);
    page.until_address("with=inputs:0");
    let field = mark_option(page, "weights");
    page.click(field);
    let with_weights = Scope { inputs: false, weights: true, ..Scope::default() };
    let run = native::run_with(&bytes, "first-fit", &[], with_weights);
    native::until_shown(page, "the plan with weights", &run);
}

fn reset(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=inductor-tree&opt=memory_pool:none&lang=en");
    let info = planner::find("inductor-tree").expect("registered").info();
    assert!(info.options.iter().any(|option| option.key == "memory_pool"));
    let usual = native::run(&native::example("resnet18"), "inductor-tree").metrics.peak;
    assert_ne!(page.facts().peak, usual);
    page.click("#options-button");
    page.click_named("Reset");
    page.until_facts("the usual peak", |facts| facts.peak == usual);
    // A list that was changed by hand shows the present value too.
    let field = mark_option(page, "memory_pool");
    page.browser.choose(field, "outputs");
    page.until_address("opt=memory_pool:outputs");
    page.click_named("Reset");
    page.until_facts("the usual peak", |facts| facts.peak == usual);
    let default = info.options.iter().find(|option| option.key == "memory_pool").map(|option| option.default);
    page.until_equal("the value of the list", default.map(str::to_string), |page| {
        page.eval(&format!("document.querySelector('{field}').value"))
    });
}

fn branch_safe_stays(page: &mut Page) {
    page.open("doc=ex:two_branches&plan=best-fit&opt=branch_safe:true&lang=en");
    choose(page, "worst-fit");
    page.until_planner("worst-fit");
    page.until_address("opt=branch_safe:true");
}

fn rules(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=executorch-greedy&lang=en");
    let pools = |rules: &str| {
        let options = [("rules", rules)];
        native::run_with(&native::example("resnet18"), "executorch-greedy", &options, Scope::default()).metrics.peak
    };
    page.click("#options-button");
    page.until_there("#rules");
    page.browser.type_into("#rule-what", "kind:input");
    page.click("#rule-add");
    let peak = pools("kind:input=2");
    page.until_facts("an arena of its own", |facts| facts.peak == peak);
    page.until_says("#rules tbody tr", &["kind:input"]);
    page.until_says("#rules tbody tr", &["1 buffer"]);
    page.browser.type_into("#rule-what", "nosuchop");
    page.click("#rule-add");
    page.until("the second rule", "document.querySelectorAll('#rules tbody tr').length === 3");
    page.until_says("#rules tbody tr:nth-child(2)", &["matches no buffer"]);
    page.click("#rules tbody tr:nth-child(2) button");
    page.click("#rules tbody tr:nth-child(1) button");
    let before = pools("");
    page.until_facts("one arena", |facts| facts.peak == before);
    page.until("no rule", "document.querySelectorAll('#rules tbody tr').length === 1");
}

fn unbounded(page: &mut Page) {
    page.open("plan=executorch-greedy&opt=sizes:upper&lang=en");
    let graph = |symbol: &str| {
        format!(
            r#"{{"format":"memory-graph/1","name":"open","symbols":{{"s0":{symbol}}},"tensors":[
                {{"name":"x","dtype":"float32","shape":["s0",4],"kind":"input"}},
                {{"name":"y","dtype":"float32","shape":["s0",4],"kind":"output"}}],
                "nodes":[{{"name":"n","op":"relu","inputs":["x"],"outputs":["y"]}}]}}"#
        )
    };
    page.drop_file("open.json", graph(r#"{"hint":2,"min":1}"#).as_bytes());
    page.until_there("#cautions");
    page.until_says("#cautions", &["x has no upper bound"]);
    page.drop_file("closed.json", graph(r#"{"hint":2,"min":1,"max":8}"#).as_bytes());
    page.until_gone("#cautions");
}

/// `a` is read by `last` only as an ignored input: its storage is given away before.
const QUIRK: &[u8] = include_bytes!("../../data/ignored_input.json");

fn quirk(page: &mut Page) {
    page.open("doc=ex:teaching&plan=nnvm&lang=en");
    assert!(!page.is_there("#quirks"));
    page.drop_file("ignored.json", QUIRK);
    page.until_says("#quirks", &["a and b lie on the same bytes", "inputs that an operator ignores"]);
    assert!(!page.is_there("#violations"), "it is what the original does");
    page.until_planner("nnvm");
}

fn conflict(page: &mut Page) {
    // The counts of the red pixels of the data's canvas.
    const RED: &str = "(() => { const c = document.querySelector('.plan canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        let n = 0; for (let i = 0; i < d.length; i += 4) n += d[i] > 150 && d[i + 1] < 90 && d[i + 2] < 90; return n; })()";
    page.open("plan=exact&lang=en");
    page.until_painted();
    let before: u32 = page.eval(RED);
    // The bound of this example is 1 704 bytes.
    page.open("plan=exact&opt=capacity:1703&lang=en");
    page.until_there("#conflict");
    page.until_there("#plan[data-conflict]");
    page.until_says("#notice", &["No plan fits into 1 703 bytes"]);
    let names = page.texts("#notice .name");
    assert!(names.len() > 1, "{names:?}");
    page.until_attribute("#plan", "data-conflict", Some(&names.len().to_string()));
    page.until("they are drawn", &format!("{RED} > {before} + 200"));
    // Each name selects its buffer.
    page.click("#notice .name");
    page.until_selected(Some(&names[0]));
    // Without the notice the picture is as it was.
    page.press("p");
    page.until_gone("#notice");
    page.until_gone("#plan[data-conflict]");
}

fn recorded_quirk(page: &mut Page) {
    page.open("doc=ex:teaching&plan=inductor-tree&lang=en");
    page.click("#left-tab-files");
    page.click(".cases summary");
    page.click("[data-example='cases/inductor-tree-quirk']");
    page.until_says("#quirks", &["y and c lie on the same bytes", "never freed"]);
    assert!(!page.is_there("#violations"), "it is what the original does");
    page.until_facts("the recorded peak", |facts| facts.peak == 1536);
    page.open("doc=ex:teaching&plan=inductor-tree&lang=en");
    page.click("#how-button");
    page.click("#how-quirk");
    page.until_there("#quirks");
}

fn special_examples(page: &mut Page) {
    page.open("doc=ex:teaching&plan=tvm-relay&lang=en");
    page.click("#how-button");
    page.click("[data-special='cases/tvm-relay-devices']");
    page.until("the example", "document.querySelector('h1').textContent.includes('tvm-relay-devices')");
    page.until_planned();
    page.until_there("#part-tab-devices");
    page.click("#left-tab-files");
    if !page.eval::<bool>("document.querySelector('.cases').open") {
        page.click(".cases summary");
    }
    page.click("[data-example='cases/nnvm-ignored-read']");
    page.until_there("#quirks");
    page.until_planner("nnvm");
    assert!(!page.is_there("#violations"), "it is what the original does");
}

const TWO_DEVICES: &str = r#"{"format":"memory-graph/1","name":"two","tensors":[
    {"name":"x","dtype":"uint8","shape":[64],"kind":"input","device":"gpu"},
    {"name":"a","dtype":"uint8","shape":[64],"kind":"intermediate","device":"cpu"},
    {"name":"b","dtype":"uint8","shape":[64],"kind":"intermediate","device":"gpu"},
    {"name":"y","dtype":"uint8","shape":[48],"kind":"output","device":"gpu"}],"nodes":[
    {"name":"f","op":"op","inputs":["x"],"outputs":["a"]},
    {"name":"to_gpu","op":"device_copy","inputs":["a"],"outputs":["b"]},
    {"name":"g","op":"op","inputs":["b"],"outputs":["y"]}]}"#;

/// Goes from the peak, where a file opens, to the last decision.
fn show_why(page: &Page) {
    page.until_there("#right-tab-peak[aria-selected=true]");
    page.click("#right-tab-why");
    page.until_there("#why-headline");
}

fn devices(page: &mut Page) {
    page.open("doc=ex:teaching&plan=tvm-relay&opt=version:0.6.1&lang=en");
    page.drop_file("two.json", TWO_DEVICES.as_bytes());
    page.until("the other document", "document.querySelector('h1').textContent.includes('two')");
    page.until_planned();
    show_why(page);
    page.click("#part-tab-devices");
    page.until_says("#device-frames", &["4 devices"]);
    let before = page.facts();
    page.click("#device-frames");
    page.until("finer frames", &format!("+document.querySelector('#plan').dataset.frames > {}", before.frames));
    let decided = |page: &Page| {
        page.texts("[data-section=devices] .chip .muted").iter().filter(|text| text.starts_with("runs on")).count()
    };
    let first = page.facts().frame;
    page.until_equal("devices decided, the copy first", 1, decided);
    page.press("ArrowRight");
    page.until_frame(first + 1);
    page.until_equal("devices decided", 2, decided);
}

fn pairs(page: &mut Page) {
    let graph = r#"{"format":"memory-graph/1","name":"over","tensors":[
        {"name":"a","dtype":"float32","shape":[16],"kind":"intermediate"},
        {"name":"b","dtype":"float32","shape":[16],"kind":"intermediate"},
        {"name":"c","dtype":"float32","shape":[16],"kind":"intermediate"},
        {"name":"y","dtype":"float32","shape":[16],"kind":"output"}],"nodes":[
        {"name":"na","op":"f","inputs":[],"outputs":["a"]},
        {"name":"nb","op":"f","inputs":["a"],"outputs":["b"],"inplace":[[0,0]]},
        {"name":"nc","op":"f","inputs":["b"],"outputs":["c"],"inplace":[[0,0]]},
        {"name":"ny","op":"f","inputs":["b","c"],"outputs":["y"]}]}"#;
    page.open("doc=ex:teaching&plan=nnvm&opt=inplace:true&lang=en");
    page.drop_file("over.json", graph.as_bytes());
    page.until("the other document", "document.querySelector('h1').textContent.includes('over')");
    page.until_planned();
    show_why(page);
    page.click("#part-tab-pairs");
    page.until_count("[data-section=pairs] .chip", 2);
    let chips = page.texts("[data-section=pairs] .chip");
    assert!(chips[0].contains("a → b") && chips[0].contains("taken over"), "{chips:?}");
    assert!(chips[1].contains("b → c") && chips[1].contains("2 reads left, not 1"), "{chips:?}");
}
