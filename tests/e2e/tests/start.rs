//! The first visit, and terms that define themselves.

use memplan_e2e::Page;
use memplan_e2e::page::{MIDDLE, NARROW};

use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    smoke("a_first_visit_begins_with_a_frame_that_one_can_follow", first),
    full("the_first_picture_is_there_before_the_program_and_lies_where_it_draws", before),
    full("who_returns_sees_no_introduction", returning),
    full("terms_define_themselves_and_light_up", terms),
    full("a_tap_shows_a_definition", tap),
    full("every_figure_of_the_strip_has_a_definition", strip),
    full("the_start_fits_every_layout", layouts),
];

const STATE: &str = "[role=treeitem], #block-rows";

fn first(page: &mut Page) {
    page.open("");
    let facts = page.until_frame(1);
    // The facts of the plan stay those of its end.
    assert_eq!((facts.peak, facts.bound, facts.planner.as_str()), (1704, 1704, "first-fit"));
    page.until_attribute("#left-tab-start", "aria-selected", Some("true"));
    page.until_text(".start h2", "See how a neural network’s memory is planned");
    page.until_says("#strip-peak", &["peak so far", "1 000"]);
    page.until("no ratio before the end", "!document.querySelector('.strip').textContent.includes('×')");
    page.until_says("#next-card h2", &["Next: E, 256 B, live only at step 0"]);
    page.until_there("#state-fold");
    page.until_gone(STATE);
    page.until_gone(".minimap");
    page.until_gone("header .icon-only[title='Import report']");
    page.click("#show-me");
    page.until_frame(2);
    page.press("ArrowRight");
    page.until_frame(3);
    page.until_there("#next-card");
    page.press("ArrowRight");
    page.until_frame(4);
    page.until_gone("#next-card");
    page.press("End");
    page.until_says("#strip-peak", &["peak", "1 704"]);
    page.until_says("#next-card", &["reached the lower bound"]);
    page.click("#right-tab-why");
    page.click("#unfold-state");
    page.until_there(STATE);
    // The striking plan is one click away.
    page.click("#start-striking");
    page.until_planner("inductor-tree");
    page.until_frame(8);
    page.until_says(".why", &["The range 1 664–1 728 B of the arena is free"]);
    page.until_there(STATE);
    page.click("#start-again");
    page.until_planner("first-fit");
    page.until_frame(1);
    page.until_there("#next-card");
    // So is a game.
    page.click("#start-pack");
    page.until_there(".blocks [data-block]");
}

/// Without its program, the page shows the picture that the program would draw.
fn before(page: &mut Page) {
    const PLACE: &str = "(e => { const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; })";
    let mut own = page.own(page.origin());
    own.browser
        .before_pages("WebAssembly.instantiateStreaming = WebAssembly.compileStreaming = () => new Promise(() => {});");
    for size in [(1440, 900), MIDDLE, (768, 1024), NARROW] {
        page.reset();
        page.viewport(size);
        page.open("");
        page.until_frame(1);
        page.until_gone("#first-picture");
        let drawn: Vec<f64> = page.eval(&format!("{PLACE}(document.querySelector('#plan'))"));
        own.viewport(size);
        own.visit("", "");
        own.until("the picture", "document.querySelector('#first-picture')?.naturalWidth > 0");
        let picture: Vec<f64> = own.eval(&format!("{PLACE}(document.querySelector('#first-picture'))"));
        let is_near = drawn.iter().zip(&picture).all(|(drawn, picture)| (drawn - picture).abs() <= 4.0);
        assert!(is_near, "{size:?}: {drawn:?} and {picture:?}");
        // A link leads elsewhere.
        own.visit("", "doc=ex:diamond&lang=en");
        own.until_gone("#first-picture");
    }
}

fn returning(page: &mut Page) {
    page.open("");
    page.until_frame(1);
    // Who does nothing is new the next time, too.
    page.open("");
    page.until_attribute("#left-tab-start", "aria-selected", Some("true"));
    for frame in 2..=5 {
        page.press("ArrowRight");
        page.until_frame(frame);
    }
    page.until("the visit to be remembered", "localStorage.getItem('memplan.visit')?.includes('f=5')");
    page.open("");
    page.until_frame(5);
    page.until_attribute("#left-tab-files", "aria-selected", Some("true"));
    page.until_gone("#next-card");
    page.until_there("#state-fold");
    // A link wins.
    page.open("doc=ex:diamond&plan=best-fit&f=2&lang=en");
    page.until_planner("best-fit");
    page.until_frame(2);
    // In a browser that was never here, it brings the page as it always is.
    page.reset();
    page.open("doc=ex:teaching&plan=first-fit&f=1&lang=en");
    page.until_frame(1);
    page.until_attribute("#left-tab-files", "aria-selected", Some("true"));
    page.until_there(STATE);
    page.until_gone("#next-card");
}

fn terms(page: &mut Page) {
    page.open("");
    page.until_frame(1);
    let bound = ".start [data-term=bound]";
    page.browser.hover(page.middle(bound));
    page.until_says("#term-tip", &["lower bound", "At step 2, A, B, G are live together", "1 704 B"]);
    page.until_attribute(bound, "aria-describedby", Some("term-tip"));
    page.until("the tip inside the window", "(r => r.left >= 12 && r.right <= innerWidth && r.bottom <= innerHeight)(document.querySelector('#term-tip').getBoundingClientRect())");
    // It stays under the pointer, and goes when that leaves.
    page.browser.hover(page.middle("#term-tip"));
    page.until_painted();
    page.until_there("#term-tip");
    page.browser.hover(page.middle("#plan"));
    page.until_gone("#term-tip");
    page.until_attribute(bound, "aria-describedby", None);
    // The focus shows it, Esc closes it, and neither moves the run.
    page.eval::<()>("document.querySelector('.why .headline .term').focus()");
    page.until_says("#term-tip", &["live range", "A is live from step 0 to step 2."]);
    page.press("Escape");
    page.until_gone("#term-tip");
    page.until_frame(1);
    // Waste is not known yet.
    page.click(".start [data-term=waste]");
    page.until_says("#term-tip", &["It is known once all buffers are placed."]);
    page.browser.hover(page.middle("#plan"));
    page.until_painted();
    page.until_there("#term-tip");
    page.click(".start [data-term=waste]");
    page.until_gone("#term-tip");
    page.open("doc=ex:teaching&plan=inductor-tree&f=8&lang=zh");
    page.click(".why .headline [data-term=arena]");
    page.until_says("#term-tip", &["内存区", "此规划有 1 个内存区。"]);
}

fn tap(page: &mut Page) {
    page.device(NARROW, 2.0, true);
    page.open("doc=ex:teaching&plan=inductor-tree&f=8&lang=en");
    page.click("#strip-peak .term");
    page.until_says("#term-tip", &["This plan needs 1 856 B"]);
    page.click("#strip-peak .term");
    page.until_gone("#term-tip");
    page.click("#strip-peak .term");
    page.until_there("#term-tip");
    // A tap elsewhere closes it.
    page.click("#why-headline");
    page.until_gone("#term-tip");
}

fn strip(page: &mut Page) {
    // Wide enough for all of them.
    page.viewport((1900, 900));
    for fragment in ["doc=ex:teaching&plan=inductor-tree&f=8&lang=en", "doc=ex:two_branches&plan=exact&lang=zh"] {
        page.open(fragment);
        let count = page.count(".strip .stat");
        page.until_count(".strip .stat > .term", count);
        for number in 0..count {
            page.eval::<()>(&format!("document.querySelectorAll('.strip .stat > .term')[{number}].focus()"));
            let term = format!("document.querySelectorAll('.strip .stat > .term')[{number}]");
            page.until("its definition", &format!("{term}.getAttribute('aria-describedby') === 'term-tip' && document.querySelector('#term-tip p').textContent.length > 10"));
        }
    }
}

fn layouts(page: &mut Page) {
    const FITS: &str = "document.documentElement.scrollWidth <= innerWidth
        && [...document.querySelectorAll('.start *')].every(e => !e.getClientRects().length || e.getBoundingClientRect().right <= innerWidth + 1)";
    const WHOLE: &str = "[...document.querySelectorAll('.start button, .start a, .start p')].every(e => e.scrollWidth <= e.clientWidth + 1)";
    // The last one is a window of 1440 × 900 px at 150 %.
    for size in [NARROW, MIDDLE, (960, 600)] {
        page.viewport(size);
        page.open("");
        page.until_frame(1);
        page.until_attribute("#drawer-tab-start", "aria-selected", Some("true"));
        page.until("nothing beside the window", FITS);
        page.until("words that are not cut", WHOLE);
        page.click("#drawer-tab-why");
        page.click("#show-me");
        page.until_frame(2);
    }
}
