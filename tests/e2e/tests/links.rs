//! The address is the state.

use memplan_e2e::Page;

use crate::native;
use crate::planners::choose;
use crate::samples::GRAPH;
use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    smoke("a_link_leads_back_to_the_same_state", same_state),
    full("a_small_file_travels_in_the_link", inline),
    full("a_large_file_is_named_by_the_link", large_file),
    full("the_address_names_a_file_whose_sizes_are_still_to_be_stated", unsized_file),
    smoke("back_undoes_a_planner", back),
    full("stepping_after_back_keeps_the_way_forward", forward),
    full("back_undoes_a_document", back_to_document),
    full("stepping_adds_no_history", no_history),
    full("unknown_keys_are_told_once", unknown),
    full("nonsense_in_a_link_does_no_harm", nonsense),
    smoke("a_link_can_be_copied", copied),
    full("a_link_shows_the_same_part_of_the_plan", part),
    full("the_minimap_chooses_the_steps_in_sight", minimap),
];

fn same_state(page: &mut Page) {
    page.open("doc=ex:resnet18&lang=en");
    choose(page, "best-fit");
    page.until_planner("best-fit");
    page.press("1");
    page.press("Home");
    page.until_frame(0);
    for _ in 0..7 {
        page.press("ArrowRight");
    }
    page.until_frame(7);
    page.press("b");
    page.click("#left-tab-buffers");
    page.click("#buffer-row-4");
    page.until_there("#buffer-row-4[aria-selected=true]");
    page.click("header [lang]");
    // The words come a moment later.
    page.until_there("header button[title*=主题]");
    page.click("header button[title*=主题]");
    page.until_address("theme=light");
    page.until_address("sel=");
    page.until_address("bp=d");
    page.until_address("lang=zh");
    let (before, headline) = (page.facts(), page.text("#why-headline"));
    let fragment = page.fragment();
    for key in ["doc=ex:resnet18", "plan=best-fit", "f=7", "lv=all", "sel=", "lang=zh", "theme=light", "bp=d"] {
        assert!(fragment.contains(key), "{key} in {fragment}");
    }
    page.open(&fragment);
    page.until_facts("the same state", |facts| *facts == before);
    page.until_text("#why-headline", &headline);
    page.until_attribute("html", "lang", Some("zh-CN"));
    page.until_attribute("html", "data-theme", Some("light"));
    page.until_painted();
    assert_eq!(page.fragment(), fragment, "opening a link does not change it");
    // The same by reloading.
    page.browser.reload();
    page.until_facts("the same state", |facts| *facts == before);
}

fn inline(page: &mut Page) {
    page.open("lang=en");
    page.drop_file("little.json", GRAPH.as_bytes());
    page.until_address("doc=z:");
    page.press("ArrowLeft");
    page.until_address("f=2");
    let before = page.until_frame(2);
    let fragment = page.fragment();
    assert!(fragment.len() < 1000, "a small file makes a short link: {} characters", fragment.len());
    page.open(&fragment);
    page.until_facts("the same state", |facts| *facts == before);
    page.until_text("h1", "little");
}

fn large_file(page: &mut Page) {
    page.open("plan=first-fit&lang=en");
    // Names that do not repeat do not pack: too long for a link.
    let mut state = 1u64;
    let mut name = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        format!("b{:016x}", state ^ (state >> 29))
    };
    let rows: String = (0..2000).map(|row| format!("{},{},{row},{}\n", name(), 64 + row % 97, row + 3)).collect();
    let text = format!("name,size,start,end\n{rows}");
    page.drop_file("many.csv", text.as_bytes());
    page.until_address("doc=local:many.csv");
    let last = page
        .until_facts("the end of the file's run", |facts| facts.frames > 2000 && facts.frame + 1 == facts.frames)
        .frame;
    page.press("ArrowLeft");
    page.until_address(&format!("f={}", last - 1));
    let (fragment, before) = (page.fragment(), page.facts());
    // It was opened here before.
    page.open(&fragment);
    page.until_facts("the same state", |facts| *facts == before);
    // Somewhere else it was not: the reader has to open it, and is then where the link leads.
    page.reset();
    page.visit("", &fragment);
    page.until_says("#notice", &["This link refers to the file many.csv"]);
    assert_eq!(page.fragment(), fragment, "the address stays");
    page.drop_file("many.csv", text.as_bytes());
    page.until_facts("the same state", |facts| *facts == before);
    page.until_gone("#notice");
}

fn unsized_file(page: &mut Page) {
    page.open("lang=en");
    page.drop_file("little.json", GRAPH.as_bytes());
    page.until_address("name=little.json");
    let open = r#"{"format":"memory-graph/1","name":"open","symbols":{},"tensors":[
        {"name":"x","dtype":"float32","shape":[1,"?"],"kind":"input"},
        {"name":"y","dtype":"float32","shape":[1,64],"kind":"output"}],
        "nodes":[{"name":"relu","op":"relu","inputs":["x"],"outputs":["y"]}]}"#;
    page.drop_file("open.json", open.as_bytes());
    page.until_address("name=open.json");
    assert!(!page.fragment().contains("&f="), "{}", page.fragment());
}

fn back(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=inductor-tree&f=20&lang=en");
    page.until_address("f=20");
    choose(page, "first-fit");
    page.until_planner("first-fit");
    page.until_address("plan=first-fit");
    page.browser.back();
    page.until_facts("the frame before", |facts| facts.planner == "inductor-tree" && facts.frame == 20);
}

fn forward(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=inductor-tree&f=20&lang=en");
    choose(page, "first-fit");
    page.until_address("plan=first-fit");
    page.browser.back();
    page.until_planner("inductor-tree");
    page.press("ArrowRight");
    page.until_address("f=21");
    page.eval::<Option<bool>>("history.forward()");
    page.until_planner("first-fit");
}

fn back_to_document(page: &mut Page) {
    page.open("lang=en");
    page.until_address("doc=ex:teaching");
    page.click("[data-example=diamond]");
    page.until_address("doc=ex:diamond");
    page.drop_file("little.json", GRAPH.as_bytes());
    page.until_address("doc=z:");
    for name in ["diamond", "teaching"] {
        page.browser.back();
        page.until(name, &format!("document.querySelector('h1').textContent.includes('{name}')"));
    }
}

fn no_history(page: &mut Page) {
    page.open("doc=ex:resnet18&f=0&lang=en");
    page.until_address("f=0");
    let before: u32 = page.eval("history.length");
    for frame in 1..=5 {
        page.press("ArrowRight");
        page.until_address(&format!("f={frame}"));
    }
    assert_eq!(page.eval::<u32>("history.length"), before, "Back undoes a navigation, not frames");
}

fn unknown(page: &mut Page) {
    page.open("doc=ex:teaching&wat=1&huh=2&lang=en");
    page.until_there(".toast");
    page.until_texts(".toast", &["Ignored keys of this link, because they are unknown: wat, huh."]);
    page.until("a tidied address", "!location.hash.includes('wat')");
    page.browser.reload();
    page.until_planned();
    page.until_painted();
    // It is told once.
    assert!(!page.is_there(".toast"));
}

fn nonsense(page: &mut Page) {
    for fragment in [
        "doc=ex:resnet18&f=99999&sel=nobody&lv=some&bp=x,d99999&lang=en",
        "doc=ex:resnet18&plan=inductor-tree&f=-3&with=align:7&lang=en",
        "doc=&plan=&f=&lang=",
        "&&&===%%%",
        "doc=ex:teaching&plan=inductor-tree&opt=memory_pool:often&lang=en",
        "doc=ex:teaching&plan=magic&lang=en",
    ] {
        page.visit("", fragment);
        // Either the plan is there, or a sentence says why not; the page itself works.
        page.until(fragment, "document.querySelector('#plan')?.dataset.planner || document.querySelector('#notice')");
        page.click("#left-tab-files");
        page.click("[data-example=diamond]");
        page.until_address("doc=ex:diamond");
    }
}

fn copied(page: &mut Page) {
    page.open("doc=ex:diamond&lang=en");
    let frame = page.facts().frame - 1;
    page.clear_clipboard();
    page.press("ArrowLeft");
    page.until_frame(frame);
    page.press("l");
    page.until_text(".toast", "Link copied.");
    let copied = page.until_copied();
    page.until_equal("the address", copied.clone(), Page::address);
    assert!(copied.contains(&format!("f={frame}")), "the frame is in it: {copied}");
    page.click_named("Share");
    page.until_there(".toast");
}

/// What the link says of the part in sight.
fn view(page: &Page) -> Option<String> {
    page.fragment().split('&').find(|part| part.starts_with("view=")).map(str::to_string)
}

/// Waits until the link says of another part that it is in sight, and of none after it: a movement
/// is written down on its way.
fn until_another_part(page: &Page, before: &Option<String>) -> Option<String> {
    let known = before.clone().unwrap_or_else(|| "nothing".into());
    let here = "location.hash.split('&').find(part => part.startsWith('view='))";
    page.until("another part", &format!("(now => now && now !== {known:?})({here})"));
    Some(page.until_still("the part in sight", here))
}

/// The first and the last of the steps in sight.
fn steps(view: &Option<String>) -> (f64, f64) {
    let numbers = view.iter().flat_map(|view| view[5..].split(',').map(|number| number.parse().expect("a number")));
    let numbers: Vec<f64> = numbers.collect();
    (numbers[0], numbers[1])
}

fn minimap(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=first-fit&lang=en");
    let all = native::run(&native::example("resnet18"), "first-fit").problem.steps as f64;
    let (x, y, width, height) = page.place(".minimap");
    let at = |part: f64| (x + width * part, y + height / 2.0);
    let settled = |page: &Page, before: &Option<String>| until_another_part(page, before);
    page.click("#plan");
    for _ in 0..4 {
        page.press("+");
    }
    let near = settled(page, &None);
    let (from, to) = steps(&near);
    // The frame is dragged: other steps, as many.
    page.browser.drag(&[at(0.5), at(0.45), at(0.4)]);
    let moved = settled(page, &near);
    let (left, right) = steps(&moved);
    assert!(left < from && ((right - left) - (to - from)).abs() < 0.1, "{near:?} {moved:?}");
    // Beside the frame a new one is drawn.
    page.browser.drag(&[at(0.8), at(0.85), at(0.9)]);
    let drawn = settled(page, &moved);
    let (left, right) = steps(&drawn);
    assert!(left > 0.7 * all && right - left < 0.2 * all, "{drawn:?} of {all} steps");
    // A click goes there.
    page.browser.drag(&[at(0.3)]);
    let (left, right) = steps(&settled(page, &drawn));
    assert!(left < 0.35 * all && right > 0.25 * all, "{left} {right} of {all} steps");
}

fn part(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=first-fit&lang=en");
    assert!(!page.fragment().contains("view="), "all of it needs no words");
    page.click("#plan");
    page.press("+");
    page.press("+");
    let seen = until_another_part(page, &None);
    let span = |view: &Option<String>| {
        let (from, to) = steps(view);
        to - from
    };
    page.open(&page.fragment());
    page.until_painted();
    page.until_equal("the part in sight", seen.clone(), view);
    // One step nearer from there, not from all of it.
    page.click("#plan");
    page.press("+");
    let part = span(&until_another_part(page, &seen)) / span(&seen);
    assert!((0.7..0.9).contains(&part), "{part}");
    // Everything again, and then another plan.
    page.click("#plan");
    page.press("0");
    page.until("no view", "!location.hash.includes('view=')");
    page.press("+");
    page.until_address("view=");
    choose(page, "best-fit");
    page.until_planner("best-fit");
    page.until("no view of another plan", "!location.hash.includes('view=')");
}
