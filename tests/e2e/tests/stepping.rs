//! Going through a run: keys, scrubber, play, run to, breakpoints, levels.

use memplan_e2e::Page;
use memplan_replay::Level;
use serde::Deserialize;

use crate::native;
use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    full("every_frame_of_resnet18_forwards_and_backwards", every_frame),
    full("every_frame_of_resnet18_has_its_own_picture", every_picture),
    full("every_frame_of_a_free_list", free_list),
    smoke("keys_go_to_the_ends_and_by_buffers", ends_and_buffers),
    smoke("the_pointer_scrubs", pointer_scrubs),
    full("the_scrubber_is_a_slider", slider),
    smoke("play_runs_to_the_end_and_can_be_paused", play),
    full("run_to_finds_the_next_growth", run_to),
    full("run_to_finds_an_address_a_step_and_a_node", run_to_targets),
    full("a_step_is_seen_moving_where_motion_is_wanted", motion),
    full("a_breakpoint_stops_play", breakpoint),
    full("levels_keep_the_moment", levels),
];

const RESNET: &str = "doc=ex:resnet18&plan=inductor-tree&f=0&lang=en";

/// Everything that is to be read at a frame.
#[derive(Clone, PartialEq, Debug, Deserialize)]
struct Seen {
    headline: String,
    focus: Option<String>,
    counter: String,
    tree: usize,
    new: Vec<String>,
}

const SEEN: &str = "(() => {
    const text = e => e?.textContent.trim().replace(/\\s+/g, ' ') ?? null;
    return { headline: text(document.querySelector('#why-headline')), focus: text(document.querySelector('.counter em')),
        counter: text(document.querySelector('.counter b')), tree: document.querySelectorAll('[role=treeitem]').length,
        new: [...document.querySelectorAll('[role=treeitem].new .name-cell')].map(text) } })()";

fn every_frame(page: &mut Page) {
    let run = native::run(&native::example("resnet18"), "inductor-tree");
    let last = run.timeline.decisions.len() as u32;
    page.open(RESNET);
    let mut forwards = Vec::new();
    for frame in 0..=last {
        if frame > 0 {
            page.press("ArrowRight");
        }
        page.until_frame(frame);
        page.until_text("#why-headline", &native::headline(&run, Level::Decisions, frame));
        page.until_text(".counter b", &format!("{frame} / {last}"));
        if frame > 0 {
            let focus = &run.problem.buffers[run.timeline.decisions[frame as usize - 1].buffer].name;
            page.until_text(".counter em", focus);
            page.until_says("#why-headline", &[focus]);
            page.until_texts("[role=treeitem].new .name-cell", &[focus]);
            page.until("rows of the tree", "document.querySelectorAll('[role=treeitem]').length >= 2");
        }
        forwards.push(page.eval::<Seen>(SEEN));
    }
    for frame in (0..last).rev() {
        page.press("ArrowLeft");
        page.until_frame(frame);
        page.until_equal("the way back", forwards[frame as usize].clone(), |page| page.eval(SEEN));
    }
}

/// A figure that two pictures share only when they are the same.
const PICTURE: &str = "const done = arguments[0];
    requestAnimationFrame(() => requestAnimationFrame(() => {
        let sum = 2166136261;
        for (const canvas of document.querySelectorAll('.plan canvas')) {
            const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            const words = new Uint32Array(data.buffer);
            for (let i = 0; i < words.length; i++) sum = Math.imul(sum ^ words[i], 16777619);
        }
        done(sum >>> 0);
    }));";

/// Most that a soft edge differs by. A line, an area or a word that is missing or left over differs
/// by more.
const SOFT: u32 = 32;

/// Keeps what one sees as the picture of a frame.
const KEEP: &str = "const [frame, done] = arguments;
    const all = document.querySelectorAll('.plan canvas'), { width, height } = all[0];
    window.seen = () => {
        const context = new OffscreenCanvas(width, height).getContext('2d');
        for (const canvas of all) context.drawImage(canvas, 0, 0);
        return context.getImageData(0, 0, width, height).data;
    };
    (window.kept ??= [])[frame] = window.seen();
    done(true);";

/// The largest difference of a colour between the picture that was kept of a frame and what one
/// sees, of 255. Soft edges of slanted and round lines depend on where the browser is told to paint
/// ([`SOFT`]).
const DIFFERENCE: &str = "const [frame, done] = arguments;
    requestAnimationFrame(() => requestAnimationFrame(() => {
        const kept = window.kept[frame], now = window.seen();
        let most = 0;
        for (let i = 0; i < now.length; i++) most = Math.max(most, Math.abs(now[i] - kept[i]));
        done(most);
    }));";

/// The picture that stays, once it is another than the one before.
fn picture(page: &Page, before: Option<u32>) -> u32 {
    let look = |page: &Page| page.browser.script_later::<u32>(PICTURE, Vec::new());
    page.until_some("another picture that stays", |page| {
        let picture = look(page);
        Some(picture).filter(|_| Some(picture) != before && look(page) == picture)
    })
}

fn every_picture(page: &mut Page) {
    page.open(RESNET);
    let last = page.until_frame(0).frames - 1;
    let mut before = None;
    for frame in 0..=last {
        if frame > 0 {
            page.press("ArrowRight");
            page.until_frame(frame);
        }
        before = Some(picture(page, before));
        assert!(page.browser.script_later::<bool>(KEEP, vec![frame.into()]));
    }
    for frame in (0..last).rev() {
        page.press("ArrowLeft");
        page.until_frame(frame);
        page.until_equal("the picture on the way back", true, |page| {
            page.browser.script_later::<u32>(DIFFERENCE, vec![frame.into()]) <= SOFT
        });
    }
}

fn free_list(page: &mut Page) {
    page.open("doc=ex:two_branches&plan=naive&f=0&lang=en");
    for planner in ["first-fit", "best-fit", "worst-fit"] {
        let run = native::run(&native::example("two_branches"), planner);
        page.go(&format!("doc=ex:two_branches&plan={planner}&f=0&lang=en"));
        for frame in 1..=run.timeline.decisions.len() as u32 {
            page.press("ArrowRight");
            page.until_frame(frame);
            page.until_text("#why-headline", &native::headline(&run, Level::Decisions, frame));
            page.until_there("#block-rows [role=row]:not(.head)");
        }
    }
}

fn ends_and_buffers(page: &mut Page) {
    page.open(&format!("{RESNET}&lv=all"));
    let last = page.facts().frames - 1;
    page.press("End");
    page.until_frame(last);
    page.press("ArrowRight");
    assert_eq!(page.facts().frame, last, "there is nothing after the end");
    page.press("Home");
    page.until_frame(0);
    page.press("ArrowLeft");
    assert_eq!(page.facts().frame, 0, "there is nothing before the start");
    // By buffers: from the end of one decision to the end of the next, over all that lies between.
    let run = native::run(&native::example("resnet18"), "inductor-tree");
    let ends: Vec<u32> = (1..=4).map(|buffer| run.timeline.events_at(Level::Decisions, buffer)).collect();
    let frames: Vec<u32> = ends.iter().map(|&end| run.timeline.frame_at(Level::All, end)).collect();
    assert!(frames.windows(2).any(|pair| pair[1] > pair[0] + 1), "something lies between: {frames:?}");
    for &frame in &frames {
        page.press("Shift+ArrowRight");
        page.until_frame(frame);
    }
    page.press("Shift+ArrowLeft");
    page.until_frame(frames[2]);
    for (name, frame) in [("Last frame", last), ("Previous frame", last - 1), ("Next frame", last), ("First frame", 0)]
    {
        page.click_named(name);
        page.until_frame(frame);
    }
}

fn pointer_scrubs(page: &mut Page) {
    page.open(RESNET);
    let (x, y, width, height) = page.place(".scrubber");
    let at = |share: f64| (x + width * share, y + height / 2.0);
    page.browser.drag(&[at(0.02), at(0.3), at(0.5)]);
    let middle = page.until_facts("a frame in the middle", |facts| (20..=48).contains(&facts.frame)).frame;
    page.until_attribute(".scrubber", "aria-valuenow", Some(&middle.to_string()));
    page.browser.drag(&[at(0.5), at(0.9), at(0.999)]);
    page.until_frame(68);
    page.browser.drag(&[at(0.9), at(0.4), (x + 1.0, y + height / 2.0)]);
    page.until_frame(0);
    // Let go: moving on changes nothing.
    page.browser.hover(at(0.7));
    assert_eq!(page.facts().frame, 0);
}

fn slider(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=inductor-tree&f=20&lang=en");
    page.eval::<Option<bool>>("document.querySelector('.scrubber').focus()");
    let focus = page.text(".counter em");
    let spoken = format!("frame 20 of 68, placing {focus}");
    page.until_attribute(".scrubber", "aria-valuetext", Some(&spoken));
    page.until_attribute(".scrubber", "aria-valuemin", Some("0"));
    page.until_attribute(".scrubber", "aria-valuemax", Some("68"));
    page.press("PageUp");
    page.until_frame(26);
    page.press("PageDown");
    page.until_frame(20);
    page.press("ArrowUp");
    page.until_frame(21);
    page.press("ArrowDown");
    page.until_frame(20);
    page.press("ArrowRight");
    page.until_frame(21);
    page.press("ArrowLeft");
    page.until_frame(20);
    page.until_attribute(".scrubber", "aria-valuetext", Some(&spoken));
}

fn play(page: &mut Page) {
    page.open("lang=en");
    page.until_there("[aria-label=Play]");
    page.browser.choose("select[aria-label=Speed]", "4");
    page.eval::<Option<bool>>("document.activeElement.blur()");
    page.press("Space");
    page.until_facts("the run from its start again", |facts| facts.frame < 8);
    page.until_there("[aria-label=Pause]");
    page.until_facts("a frame on the way", |facts| facts.frame >= 2);
    page.press("Space");
    page.until_there("[aria-label=Play]");
    let here = page.facts().frame;
    page.until_painted();
    assert_eq!(page.facts().frame, here);
    page.press(".");
    page.until("a faster speed", "document.querySelector('select[aria-label=Speed]').value === '8'");
    page.press(",");
    page.until("a slower speed", "document.querySelector('select[aria-label=Speed]').value === '4'");
    page.click("[aria-label=Play]");
    page.until_frame(8);
    page.until_there("[aria-label=Play]");
}

fn run_to(page: &mut Page) {
    let run = native::run(&native::example("resnet18"), "inductor-tree");
    let growths: Vec<u32> =
        (1..).zip(&run.timeline.decisions).filter(|(_, facts)| facts.grew).map(|(frame, _)| frame).collect();
    assert!(growths.len() >= 2, "the example has something to find");
    page.open(RESNET);
    for &frame in &growths {
        page.press("n");
        page.until_frame(frame);
    }
    page.press("n");
    page.until_there(".toast");
    page.until_text(".toast", "No such frame in this direction.");
    for &frame in growths.iter().rev().skip(1) {
        page.press("Shift+N");
        page.until_frame(frame);
    }
    // Another kind, chosen in the menu.
    page.click_named("Run to and breakpoints");
    page.until_there(".wanted");
    page.click(".wanted tbody tr:nth-child(2) input[type=radio]");
    page.press("Escape");
    page.press("Home");
    page.until_frame(0);
    page.click("button[title='Run to']");
    let opened =
        (1..).zip(&run.timeline.decisions).find(|(_, facts)| facts.outcome == memplan_core::trace::Outcome::NewPool);
    page.until_frame(opened.expect("some pool is opened").0);
}

fn breakpoint(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=inductor-tree&f=5&lang=en");
    page.press("b");
    page.until_address("bp=d4");
    page.browser.choose("select[aria-label=Speed]", "16");
    page.eval::<Option<bool>>("document.activeElement.blur()");
    page.press("Home");
    page.until_frame(0);
    page.press("Space");
    // Play stops where the mark is.
    page.until_frame(5);
    page.until_there("[aria-label=Play]");
    page.until_painted();
    assert_eq!(page.facts().frame, 5);
    page.press("b");
    page.until("no mark in the address", "!location.hash.includes('bp=')");
}

fn levels(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=inductor-tree&f=30&lang=en");
    let (decisions, headline) = (page.until_frame(30), page.text("#why-headline"));
    page.press("1");
    let all = page.until_facts("all events", |facts| facts.frames > decisions.frames && facts.frame > decisions.frame);
    // The moment is the same at level all.
    page.until_text("#why-headline", &headline);
    page.press("2");
    page.until_facts("decisions", |facts| *facts == decisions);
    page.until_text("#why-headline", &headline);
    page.press("3");
    let run = native::run(&native::example("resnet18"), "inductor-tree");
    let moment = run.timeline.events_at(Level::Decisions, 30);
    let outcomes = (run.timeline.frames(Level::Outcomes), run.timeline.frame_at(Level::Outcomes, moment));
    assert!(outcomes.0 < decisions.frames);
    page.until_facts("outcomes", |facts| (facts.frames, facts.frame) == outcomes);
    page.press("2");
    page.until_facts("the moment from before", |facts| *facts == decisions);
    page.click("[role=radiogroup] [role=radio]:first-child");
    page.until_facts("all events", |facts| *facts == all);
}

fn run_to_targets(page: &mut Page) {
    let run = native::run(&native::example("resnet18"), "first-fit");
    let next = |from: usize, found: &dyn Fn(memplan_core::problem::BufferId) -> bool| {
        let decisions = &run.timeline.decisions;
        (from..decisions.len()).find(|&index| found(decisions[index].buffer)).map(|index| index as u32 + 1)
    };
    page.open("doc=ex:resnet18&plan=first-fit&f=0&lang=en");
    page.click(".split [aria-haspopup=dialog]");
    page.until_there("#wanted-address");
    // Without a tree no node can be looked for.
    page.until_count(".wanted tbody tr", 7);
    let set = |page: &Page, css: &str, value: &str| {
        page.eval::<Option<bool>>(&format!("document.querySelector('{css}').select()"));
        page.browser.type_into(css, value);
        page.press("Tab");
    };
    set(page, "#wanted-address", "0x300000");
    page.press("Escape");
    page.until_gone(".wanted");
    for _ in 0..2 {
        let here = page.facts().frame as usize;
        let frame = next(here, &|id| run.lies_on(id, 0x30_0000)).expect("two buffers lie there");
        page.press("n");
        page.until_frame(frame);
    }
    page.press("Home");
    page.until_frame(0);
    page.click(".split [aria-haspopup=dialog]");
    page.until_there("#wanted-step");
    set(page, "#wanted-step", "20");
    page.press("Escape");
    page.until_gone(".wanted");
    let frame = next(0, &|id| run.problem.buffers[id].live.contains(20)).expect("something lives");
    page.press("n");
    page.until_frame(frame);

    page.open("doc=ex:teaching&plan=inductor-tree&f=8&lang=en");
    page.click(".split [aria-haspopup=dialog]");
    page.until_there(".wanted");
    page.click(".wanted tbody tr:nth-child(8) input[type=radio]");
    page.press("Escape");
    page.until_gone(".wanted");
    page.click("[role=treeitem]");
    let tree = native::run(&native::example("teaching"), "inductor-tree");
    let end = tree.frame(tree.timeline.events.len() as u32);
    let pool = end.focus.and_then(|focus| end.places[focus]).expect("placed").pool;
    let root = end.layouts[pool.0 as usize].regions[0].node;
    let first = (0..tree.timeline.decisions.len()).find(|&index| tree.touches(index, root)).expect("it was made");
    // Home would be the first row of the tree.
    page.click(".controls .btn");
    page.until_frame(0);
    page.press("n");
    page.until_frame(first as u32 + 1);
}

/// Milliseconds that the movements over the plan last, and the number of them.
fn movements(page: &Page) -> (f64, usize) {
    page.eval(
        "(found => [Math.max(0, ...found.map(element => Math.max(...getComputedStyle(element).animationDuration.split(',').map(parseFloat)) * 1000)),
            found.length])([...document.querySelectorAll('.mover')])",
    )
}

fn motion(page: &mut Page) {
    let settings = "doc=ex:resnet18&plan=first-fit&lang=en";
    page.open(settings);
    page.press("Home");
    page.until_frame(0);
    page.press("ArrowRight");
    page.until_frame(1);
    // A first buffer takes its place, the arena grows, and neither takes any time.
    page.until_equal("movements", (0.0, 2), movements);
    page.wants_motion(true);
    page.open(settings);
    page.press("Home");
    page.until_frame(0);
    // Nothing moves backwards.
    page.until_equal("movements", (0.0, 0), movements);
    page.press("ArrowRight");
    page.until_frame(1);
    page.until_equal("movements", (200.0, 2), movements);
    page.press("End");
    page.until_frame(page.facts().frames - 1);
    // A leap is no step.
    page.until_equal("movements", (0.0, 0), movements);
    // The view goes on its way and arrives where it would have been at once.
    let look = |page: &mut Page, moving: bool| {
        page.wants_motion(moving);
        page.open(&format!("{settings}&sel=conv2d_3"));
        page.press("z");
        page.until_address("view=");
        page.fragment()
    };
    let (gone, there) = (look(page, true), look(page, false));
    assert_eq!(gone, there);
    // Another run that comes while the view is on its way is seen whole.
    let whole = |page: &mut Page, moving: bool| {
        page.wants_motion(moving);
        page.open(&format!("{settings}&sel=conv2d_3"));
        let planner = page.facts().planner;
        page.press("z");
        page.press("p");
        page.until_facts("another planner's run", |facts| facts.planner != planner);
        page.until("every movement is over", "(window.begin ??= performance.now()) + 500 < performance.now()");
        page.eval::<String>("document.querySelector('#plan').toDataURL()")
    };
    let (moved, still) = (whole(page, true), whole(page, false));
    assert!(moved == still, "the picture of the next planner is not where it is without motion");
}
