//! How networks and files open: at the step of the largest load, with what is alive there.

use std::path::Path;

use memplan_core::problem::{Fullest, Scope, lifetimes};
use memplan_e2e::Page;
use memplan_formats::import::{Answers, read};

use crate::imports::drop;
use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    smoke("a_network_opens_at_its_largest_load", network),
    full("a_step_of_training_shows_its_classes_over_time_and_where_they_lie", training),
    full("networks_of_all_sizes_open_at_their_largest_load_in_figures_that_can_be_read", networks),
    full("a_file_opens_with_the_planner_of_its_tool_under_its_own_name", tflite),
];

fn at_step(page: &Page, step: Option<&str>) {
    page.until_attribute("#plan", "data-step", step);
}

fn network(page: &mut Page) {
    page.open("doc=ex:unet_512&plan=inductor-tree&lang=en");
    at_step(page, Some("59"));
    page.until_says("#peak-headline", &["256", "step 59", "cat_3"]);
    page.until_count(".pk-row", 3);
    let row = |page: &Page, css: &str| {
        let of = |name: &str| page.attribute(&format!(".pk-row{css}"), name).unwrap_or_default();
        (of("data-bytes"), of("data-falls"))
    };
    assert_eq!(row(page, ":first-child"), ("134217728".into(), "67108864".into()));
    page.until_there("#slice");
    page.until("a link to it", "location.hash.includes('t=59')");
    // The planner runs again without a buffer once the list is pointed at.
    page.browser.hover(page.middle(".pk-row:first-child .fall"));
    page.until_there(".pk-row:first-child .fall[data-peak-without]");
    let words = page.attribute(".pk-row:first-child .fall", "title").unwrap_or_default();
    assert!(words.contains("peak of this plan"), "{words}");
    // The overview is as wide as the plan, not as plan and slice.
    page.until(
        "an overview under the plan alone",
        "(([plan, overview, slice]) => Math.abs(plan.right - overview.right) < 1 && overview.right <= slice.left + 1)(
            ['.plan', '.minimap', '#slice'].map(css => document.querySelector(css).getBoundingClientRect()))",
    );
    // Stepping shows decisions; X comes back, H switches the slice.
    page.press("ArrowLeft");
    at_step(page, None);
    page.until_there("#right-tab-why[aria-selected=true]");
    page.until_there("#why-headline");
    page.until_gone("#slice");
    page.press("x");
    at_step(page, Some("59"));
    page.until_there("#right-tab-peak[aria-selected=true]");
    page.press("h");
    page.until_gone("#slice");
    page.press("h");
    page.until_there("#slice");
    // However many buffers are alive, a part of them is drawn at a time.
    page.open("doc=ex:resnet18_train_b8&plan=first-fit&t=100&lang=en");
    page.until_count(".pk-row", 26);
    page.click("#peak-small");
    for drawn in [50, 100, 122] {
        page.until_count(".pk-row", drawn);
        if drawn < 122 {
            page.click(".pk-more button");
        }
    }
    page.until_gone(".pk-more");
    // A link with a frame shows that frame.
    page.open("doc=ex:unet_512&plan=inductor-tree&f=20&lang=en");
    page.until_frame(20);
    at_step(page, None);
}

/// The smallest network, one in the middle and the largest: what the page says of all of them is
/// checked natively.
fn networks(page: &mut Page) {
    page.open("lang=en");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/models");
    let mut files: Vec<_> = (std::fs::read_dir(folder).expect("the folder is there"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "gz"))
        .map(|path| (std::fs::read(&path).expect("the file is there"), path))
        .collect();
    files.sort_by_key(|(bytes, _)| bytes.len());
    for at in [0, files.len() / 2, files.len() - 1] {
        let (bytes, path) = &files[at];
        let name = path.file_name().expect("a name").to_string_lossy();
        let document = read(bytes, Answers::default()).unwrap_or_else(|faults| panic!("{name}: {faults:?}")).document;
        let graph = document.graph().expect("a graph");
        let problem = lifetimes(graph, &Scope::default()).expect("sizes are known");
        let fullest = Fullest::new(&problem).step().expect("it takes bytes");
        page.drop_file(&name, bytes);
        page.until_says("h1", &[&graph.name]);
        at_step(page, Some(&fullest.to_string()));
        page.until_there("#peak-headline");
        let words: String = page.eval("document.body.innerText");
        let unreadable = words.lines().find(|line| {
            let mut parts = line.split_whitespace();
            parts.any(|part| part.starts_with("0.00") && part[4..].parse::<u64>().is_ok_and(|rest| rest > 0))
        });
        assert_eq!(unreadable, None, "{name}");
    }
    // The last and largest is stepped like any other.
    let last = page.facts().frame;
    page.press("ArrowLeft");
    page.until_frame(last - 1);
    at_step(page, None);
}

/// How many colours a canvas has.
const COLOURS: &str = "(canvas => { if (!canvas || !canvas.width) return 0;
    const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    return new Set(pixels).size; })";

fn training(page: &mut Page) {
    page.open("lang=en");
    drop(page, "tests/data/pt2/training.pt2");
    page.until_says("h1", &["training.pt2"]);
    // Fills and borders of the classes, words, axis.
    page.until("areas above the plan", &format!("{COLOURS}(document.querySelector('#strata canvas')) > 8"));
    page.until_there("#right-tab-peak[aria-selected=true]");
    page.click_named("class");
    page.until_says(".pk-lines", &["temporary", "gradient"]);
    page.press("h");
    page.until_gone("#slice");
    let drawn = "[...document.querySelectorAll('.plan canvas')].map(canvas => canvas.toDataURL()).join()";
    page.until(
        "a plan at rest",
        &format!("(now => {{ const same = window.before === now; window.before = now; return same; }})({drawn})"),
    );
    page.click(".pk-lines > li:first-child .pk-line");
    page.until_there(".pk-line[aria-expanded=true]");
    page.until_there(".pk-lines .pk-row");
    page.until("outlines on the plan", &format!("{drawn} !== window.before"));
    // The strip can be put away.
    page.click("[aria-label='Classes over time']");
    page.until_gone("#strata");
    // A graph that is no training has none.
    page.open("doc=ex:diamond&plan=first-fit&lang=en");
    assert!(!page.is_there("#strata") && !page.is_there("[aria-label='Classes over time']"));
}

fn tflite(page: &mut Page) {
    page.open("lang=en");
    drop(page, "tests/data/tflite/small_cnn_int8.tflite");
    page.until_planner("tflite-arena");
    page.until_says("h1", &["small_cnn_int8.tflite"]);
    page.until_there("#peak-headline");
    page.until_there("#slice");
}
