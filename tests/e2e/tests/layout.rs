//! Every width: nothing scrolls sideways, nothing covers anything, everything can be reached.

use memplan_e2e::Page;
use memplan_e2e::page::{MIDDLE, NARROW, WIDE};

use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    smoke("no_width_scrolls_sideways", sideways),
    full("no_reason_and_no_figure_is_cut_off", whole),
    full("no_control_is_covered_or_cut_off", covered),
    full("the_drawer_has_every_panel", drawer),
    smoke("a_narrow_page_steps_by_its_buttons", narrow_steps),
    full("side_panels_can_be_widened", splitters),
    full("a_click_beside_a_menu_closes_it", click_beside),
    full("targets_are_large_enough_for_a_finger", targets),
    full("no_step_moves_the_tabs_of_the_state", still_tabs),
    full("a_zoomed_page_and_a_phone_on_its_side_keep_half_the_height_for_the_plan", halves),
    full("a_backslash_leaves_the_plan_alone_in_every_layout", alone),
    full("edit_shows_rows_and_a_plan_on_a_small_window", small_edit),
    full("a_comparison_on_a_phone_on_its_side_shows_half_of_its_height_as_a_plan", compared_sideways),
    full("in_a_low_frame_nothing_lies_on_the_picture_and_the_rest_scrolls", low_frame),
    full("what_the_legend_says_is_never_cut", legend),
    full("modes_are_icons_with_names_where_there_is_little_room", mode_icons),
];

/// The usual window at a browser zoom of 150 and 200 %.
const ZOOMED: [(u32, u32); 2] = [(960, 600), (720, 450)];

/// A phone on its side.
const SIDEWAYS: (u32, u32) = (844, 390);

const SIZES: [(u32, u32); 11] = [
    WIDE,
    (1200, 800),
    (1199, 800),
    MIDDLE,
    (768, 1024),
    (767, 900),
    NARROW,
    (320, 640),
    ZOOMED[0],
    ZOOMED[1],
    SIDEWAYS,
];

/// What a list of complaints says of the page at a size. A layout comes in several steps, so only
/// what stays counts.
fn complaints(page: &Page, size: (u32, u32), list: &str) -> Vec<String> {
    page.viewport(size);
    page.until("the layout", &format!("innerWidth === {}", size.0));
    page.until_painted();
    let now: Vec<String> = page.eval(list);
    if now.is_empty() {
        return now;
    }
    let lines: String = page.until_still("the complaints", &format!("{list}.join('\\n')"));
    lines.lines().map(|line| format!("at {size:?}: {line}")).collect()
}

/// The page, if it is wider than the window, and those of its parts that are wider than their
/// place, at every kind of width.
pub fn too_wide(page: &Page, parts: &str) -> Vec<String> {
    let list = format!(
        "[document.scrollingElement, ...document.querySelectorAll('{parts}')]
            .filter((e, at) => e.scrollWidth > (at ? e.clientWidth + 1 : innerWidth))
            .map(e => `${{e.className || e.tagName}} is ${{e.scrollWidth}} wide`)"
    );
    [WIDE, MIDDLE, NARROW, (320, 640)].into_iter().flat_map(|size| complaints(page, size, &list)).collect()
}

/// Sizes of the page beyond those of the window.
const BEYOND: &str = "(e => [
    e.scrollWidth > innerWidth ? `it is ${e.scrollWidth} wide` : null,
    e.scrollHeight > innerHeight ? `it is ${e.scrollHeight} high, so that the plan scrolls out of sight` : null,
].filter(Boolean))(document.scrollingElement)";

fn sideways(page: &mut Page) {
    let mut found = Vec::new();
    for link in [
        "lang=en",
        "doc=ex:resnet18&plan=inductor-tree&f=37&lang=en",
        "doc=ex:resnet18_train_b8&plan=first-fit&f=50&lang=zh",
    ] {
        page.open(link);
        for size in SIZES {
            found.extend(complaints(page, size, BEYOND).iter().map(|told| format!("{link} {told}")));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Reasons that run out of their panel, and figures of the strip that are seen in part.
const CUT: &str = "(() => {
    const why = document.querySelector('.why'), stats = document.querySelector('.stats').getBoundingClientRect();
    const cut = [...document.querySelectorAll('.stats > *')].filter(e => {
        const r = e.getBoundingClientRect();
        return r.width && r.top < stats.bottom && (r.right > stats.right + 0.5 || r.bottom > stats.bottom + 0.5);
    }).map(e => e.textContent);
    return [why && why.scrollWidth > why.clientWidth ? 'why is ' + why.scrollWidth + ' wide in ' + why.clientWidth : null, ...cut].filter(Boolean) })()";

/// The cell of a notebook on a phone.
const LOW: (u32, u32) = (390, 438);

/// Tops and bottoms of the picture, the stepper and the drawer, and whether the page scrolls to its
/// end.
const PARTS: &str = "(() => {
    const at = css => { const r = document.querySelector(css).getBoundingClientRect(); return [r.top, r.bottom]; };
    const all = document.querySelector('.page');
    all.scrollTop = 0;
    const parts = [...at('#region-stage'), ...at('#region-stepper'), ...at('.drawer')];
    all.scrollTop = all.scrollHeight;
    const end = at('.drawer')[1];
    all.scrollTop = 0;
    return [...parts, end].map(Math.round);
})()";

fn low_frame(page: &mut Page) {
    for link in ["doc=ex:unet_512&plan=first-fit&lang=en", "doc=ex:resnet18_train_b8&plan=best-fit&lang=zh"] {
        page.viewport(WIDE);
        page.open(link);
        page.viewport(LOW);
        page.until("the layout", "innerWidth === 390 && document.querySelector('.page.narrow')");
        page.until_painted();
        let [top, bottom, stepper, under, drawer, _, end]: [i64; 7] = page.eval(PARTS);
        assert!(bottom - top >= 200, "{link}: a picture {} high", bottom - top);
        assert!(bottom <= stepper && under <= drawer, "{link}: {bottom} {stepper}, {under} {drawer}");
        assert!(end <= 438, "{link}: the drawer ends at {end}");
    }
}

fn whole(page: &mut Page) {
    let mut found = Vec::new();
    page.open("doc=ex:resnet18_train_b8&plan=inductor-tree&f=0&lang=en");
    for frame in [45, 105, 200, 275] {
        page.go(&format!("doc=ex:resnet18_train_b8&plan=inductor-tree&f={frame}&lang=en"));
        for size in SIZES {
            found.extend(complaints(page, size, CUT).iter().map(|told| format!("frame {frame} {told}")));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Controls outside scrolling lists whose middle is not theirs: covered, cut off or outside the
/// window.
const COVERED: &str = "(() => {
    const lists = '.tab-panel, .rows, .why, .drawer .tab-list, .selection, .legend-bar';
    const name = e => e?.getAttribute?.('aria-label') ?? e?.id ?? '';
    const controls = [...document.querySelectorAll('button, select, [role=tab], [role=slider], a[href], input')];
    return controls.filter(e => e.checkVisibility() && !e.closest(lists)).map(e => {
        const r = e.getBoundingClientRect();
        const top = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2);
        const whole = r.left >= 0 && r.top >= 0 && r.right <= innerWidth + 0.5 && r.bottom <= innerHeight + 0.5;
        const label = (name(e) || e.textContent.trim()).slice(0, 40);
        if (!whole) return label + ' is outside the window';
        if (top !== e && !e.contains(top)) return label + ' is under ' + (top ? top.tagName + ' ' + (name(top) || top.className || top.textContent.trim().slice(0, 30)) : 'nothing');
        return null;
    }).filter(Boolean) })()";

fn covered(page: &mut Page) {
    let mut found = Vec::new();
    for link in [
        "doc=ex:resnet18&plan=inductor-tree&f=37&lang=en",
        "doc=ex:resnet18&plan=inductor-tree&f=37&lang=zh",
        "doc=ex:resnet18_train_b8&plan=first-fit&f=150&lang=en",
    ] {
        page.open(link);
        for size in SIZES {
            found.extend(complaints(page, size, COVERED).iter().map(|told| format!("{link} {told}")));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn drawer(page: &mut Page) {
    for (size, count) in [(MIDDLE, 8), (NARROW, 8), ((320, 640), 8)] {
        page.viewport(size);
        page.open("doc=ex:resnet18&plan=inductor-tree&f=37&sel=relu_12&lang=en");
        page.until_count(".drawer [role=tab]", count);
        for (tab, inside) in [
            ("start", ".start h2"),
            ("peak", "#peak-panel"),
            ("why", "#why-headline"),
            ("state", "#tree-rows [role=treeitem]"),
            ("buffers", "#buffer-rows [role=row]"),
            ("graph", "#graph-rows [role=row]"),
            ("selection", ".selection h2"),
            ("files", "[data-example=diamond]"),
        ] {
            page.click(&format!("#drawer-tab-{tab}"));
            page.until_there(&format!("#drawer-panel {inside}"));
            page.until(
                &format!("the height of {tab} at {size:?}"),
                "document.querySelector('#drawer-panel').getBoundingClientRect().height > 60",
            );
        }
        page.click("[data-example=diamond]");
        page.until("the example", "document.querySelector('h1').textContent.includes('diamond')");
    }
    // What the rail of the middle layout opens.
    page.viewport(MIDDLE);
    page.open("lang=en");
    page.click(".rail [aria-label=Buffers]");
    page.until_there("#drawer-panel #buffer-rows");
    page.until_attribute(".rail [aria-label=Buffers]", "aria-pressed", Some("true"));
}

fn narrow_steps(page: &mut Page) {
    page.device(NARROW, 2.0, true);
    page.open("doc=ex:resnet18&plan=inductor-tree&f=37&lang=en");
    page.click("[aria-label='Next frame']");
    page.until_frame(38);
    page.click("[aria-label='Previous frame']");
    page.until_frame(37);
    page.until_spoken();
    // The canvas has the pixels of the screen.
    page.until("its pixels", "(c => c.width && c.width === c.clientWidth * 2)(document.querySelector('#plan'))");
    // Language and theme are in the menu.
    page.click_named("More");
    page.click_named("中文");
    page.until("Chinese", "document.documentElement.lang === 'zh-CN'");
}

fn splitters(page: &mut Page) {
    page.open("f=8&lang=en");
    let width = |page: &Page, css: &str| page.place(css).2;
    for (panel, wider, from) in [("aside.left", 80.0, 280.0), ("aside.right", -80.0, 360.0)] {
        let splitter = format!("{panel} .splitter");
        page.until_equal(panel, from, |page| width(page, panel));
        let (x, y) = page.middle(&splitter);
        page.browser.drag(&[(x, y), (x + wider / 2.0, y), (x + wider, y)]);
        page.until(
            panel,
            &format!("Math.abs(document.querySelector('{panel}').getBoundingClientRect().width - {}) < 3", from + 80.0),
        );
        page.eval::<Option<bool>>(&format!("document.querySelector('{splitter}').focus()"));
        page.until_painted();
        let before = width(page, panel);
        page.press(if wider > 0.0 { "ArrowRight" } else { "ArrowLeft" });
        page.until(panel, &format!("document.querySelector('{panel}').getBoundingClientRect().width > {before}"));
        assert_eq!(page.facts().frame, 8, "arrows on a splitter do not step");
        page.browser.script::<serde_json::Value>(
            "document.querySelector(arguments[0]).dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))",
            vec![splitter.into()],
        );
        page.until(panel, &format!("document.querySelector('{panel}').getBoundingClientRect().width === {from}"));
    }
}

fn click_beside(page: &mut Page) {
    page.open("lang=en");
    for button in ["#planner-button", "#options-button", "[aria-label=More]", "[aria-label='Run to and breakpoints']"] {
        page.click(button);
        page.until_there(".menu");
        let (left, top, _, height) = page.place("#plan");
        page.browser.drag(&[(left + 20.0, top + height * 0.9)]);
        page.until_gone(".menu");
    }
}

fn targets(page: &mut Page) {
    page.device(NARROW, 2.0, true);
    page.open("doc=ex:resnet18&plan=inductor-tree&f=37&lang=en");
    let small: Vec<String> = page.eval(
        "[...document.querySelectorAll('header button, .stepper button, .drawer [role=tab]')].filter(e => e.checkVisibility()).map(e => {
            const r = e.getBoundingClientRect();
            return r.width < 44 || r.height < 44 ? `${e.getAttribute('aria-label') ?? e.textContent.trim()}: ${r.width}×${r.height}` : null;
        }).filter(Boolean)",
    );
    assert!(small.is_empty(), "below 44 px: {small:?}");
}

/// Tops of the rows of tabs and how many tabs they have.
const TABS: &str = "[...document.querySelectorAll('[role=tablist]')].map(e => {
    const r = e.getBoundingClientRect();
    return `${e.getAttribute('aria-label')} ${r.top} ${e.childElementCount}`; }).join(', ')";

fn still_tabs(page: &mut Page) {
    let examples = ["teaching", "two_branches", "resnet18"];
    let planners = ["inductor-tree", "first-fit", "tvm-relay", "nnvm"];
    for example in examples {
        let link = |planner: &str, frame: u32| format!("doc=ex:{example}&plan={planner}&f={frame}&lang=en");
        page.open(&link(planners[0], 0));
        for planner in planners {
            if planner != planners[0] {
                page.follow(&link(planner, 0));
            }
            let last = page.until_facts(planner, |facts| facts.planner == planner && facts.frame == 0).frames - 1;
            page.until_there(".state-parts");
            let tabs: String = page.until_still("the tabs", TABS);
            // The first steps, the middle and the end say very different things.
            for _ in 0..4.min(last) {
                page.press("ArrowRight");
            }
            page.until_frame(4.min(last));
            page.until_painted();
            assert_eq!(page.eval::<String>(TABS), tabs, "{example}, {planner}, frame {}", 4.min(last));
            // What the page has yet to write into the address would undo a step that is taken
            // there.
            page.until_address(&format!("&f={}", 4.min(last)));
            for frame in [last / 2, last] {
                page.follow(&link(planner, frame));
                page.until_frame(frame);
                page.until_painted();
                assert_eq!(page.eval::<String>(TABS), tabs, "{example}, {planner}, frame {frame}");
            }
        }
    }
}

fn halves(page: &mut Page) {
    for size in [(1152, 720), ZOOMED[0], ZOOMED[1], SIDEWAYS] {
        page.device((size.0, size.1), 1.0, size == SIDEWAYS);
        for link in ["lang=en", "doc=ex:resnet18&plan=first-fit&f=30&lang=zh"] {
            page.open(link);
            page.until(
                &format!("half the height at {size:?}"),
                "document.querySelector('#plan').clientHeight * 2 >= innerHeight",
            );
            // What is said of the frame is beside it.
            page.until_there("#why-headline");
            let (_, top, _, height) = page.place("#why-headline");
            assert!(top >= 0.0 && top + height <= f64::from(size.1), "Why at {size:?}: {top} + {height}");
        }
        page.press("ArrowLeft");
        page.until_frame(29);
    }
}

/// Area of the plan in px².
fn area(page: &Page) -> f64 {
    page.until_still(
        "the plan",
        "(e => e.clientWidth * e.clientHeight)(document.querySelector('#plan, .plot canvas.top'))",
    )
}

fn alone(page: &mut Page) {
    for size in [WIDE, MIDDLE, NARROW, ZOOMED[0], ZOOMED[1], SIDEWAYS] {
        page.viewport(size);
        page.open("doc=ex:resnet18&plan=first-fit&f=20&lang=en");
        let before = area(page);
        page.press("\\");
        page.until_gone("#why-headline, .rail, .candidates");
        let wide = area(page);
        assert!(wide > before * 1.15, "at {size:?}: {before} px² become {wide}");
        // The way back needs no keyboard.
        if size != WIDE {
            page.click("#drawer-button");
            page.until_there("#why-headline");
            page.press("\\");
            page.until_gone("#why-headline");
        }
        page.press("\\");
        page.until_there("#why-headline");
        assert_eq!(area(page), before, "at {size:?}");
    }
    page.viewport(WIDE);
    for (mode, gone, back) in
        [("edit", ".editor", "#region-left button"), ("compare", ".side:not(.closed)", "#region-right button")]
    {
        page.mode(mode);
        page.until_there(gone);
        let before = area(page);
        page.press("\\");
        page.until_gone(gone);
        assert!(area(page) > before, "{mode}");
        page.click(back);
        page.until_there(gone);
    }
}

fn small_edit(page: &mut Page) {
    for size in [MIDDLE, SIDEWAYS, ZOOMED[0]] {
        page.viewport(size);
        page.open("lang=en");
        page.mode("edit");
        page.until_there("#edit-nodes .edit-row");
        // Whole rows that can be read, and a plan that can be, too.
        const ROWS: &str = "(list => [...document.querySelectorAll('#edit-nodes .edit-row:not(.head)')].filter(e => {
            const r = e.getBoundingClientRect(); return r.bottom <= list.bottom && r.top >= list.top; }).length)
            (document.querySelector('#edit-nodes').getBoundingClientRect())";
        page.until(&format!("rows at {size:?}"), &format!("{ROWS} >= 4"));
        page.until(&format!("a plan at {size:?}"), "document.querySelector('#plan').clientHeight >= 220");
    }
}

fn compared_sideways(page: &mut Page) {
    page.device(SIDEWAYS, 1.0, true);
    page.visit("", "doc=ex:unet_512&cmp=inductor-tree|first-fit|tflm-greedy&lang=en");
    page.until_there(".plot canvas");
    // In sight at once, above the stepper, and next to the bars that choose the column.
    page.until(
        "a plan in sight",
        "(([plot, bars, stepper]) => plot.height >= innerHeight / 2 && plot.bottom <= stepper.top + 1 && plot.left >= bars.right - 1 \
         && stepper.bottom <= innerHeight)(['.plot', '.bars', '.together'].map(css => document.querySelector(css).getBoundingClientRect()))",
    );
    // The bars change places as plans arrive.
    page.click(".bars button.bar[data-planner=tflm-greedy]");
    page.until_there(".bars button.bar[data-planner=tflm-greedy][aria-pressed=true]");
}

fn legend(page: &mut Page) {
    for size in [WIDE, MIDDLE, ZOOMED[0]] {
        page.viewport(size);
        page.open("doc=ex:resnet18_train_b8&plan=first-fit&lang=en");
        page.until_there(".legend-bar .density");
        page.until(
            &format!("all of it at {size:?}"),
            "(bar => [...bar.children].every(e => { const [r, b] = [e, bar].map(e => e.getBoundingClientRect()); \
             return r.right <= b.right + 1 && r.bottom <= b.bottom + 1 && e.scrollWidth <= e.clientWidth + 1; }))(document.querySelector('.legend-bar'))",
        );
    }
}

fn mode_icons(page: &mut Page) {
    page.open("lang=en");
    page.until_texts(".mode", &["Learn", "Step", "Compare", "Fit", "Edit"]);
    let seen = |page: &Page| {
        page.eval::<Vec<bool>>(
            "[...document.querySelectorAll('.mode-name')].map(e => getComputedStyle(e).opacity !== '0')",
        )
    };
    assert_eq!(seen(page), [true; 5]);
    page.viewport(MIDDLE);
    page.until_equal("the names", vec![false; 5], seen);
    page.eval::<Option<bool>>("document.querySelector('#region-header').focus()");
    for _ in 0..12 {
        page.press("Tab");
        if page.eval::<bool>("document.activeElement.id === 'mode-compare'") {
            break;
        }
    }
    page.until_equal("the name of the mode with the focus", vec![false, false, true, false, false], seen);
    page.press("Enter");
    page.until_there(".comparing");
    page.viewport(NARROW);
    page.until_gone(".mode");
    page.mode("step");
}
