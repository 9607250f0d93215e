//! Lessons: read, answered right and wrong, by pointer and by keyboard, in both languages, and without script.

use std::path::Path;

use memplan::lesson::build::Course;
use memplan::lesson::{Lesson, Task, TaskKind};
use memplan_e2e::Page;
use memplan_e2e::axe::Axe;
use memplan_e2e::page::{MIDDLE, NARROW, WIDE};
use serde_json::json;

use crate::{Test, test};

pub const TESTS: &[Test] = &[
    test("part_one_and_three_are_done_in_english", |page| done(page, "en", |part| part != 2)),
    test("part_two_is_done_in_english", |page| done(page, "en", |part| part == 2)),
    test("part_one_and_three_are_done_in_chinese", |page| done(page, "zh", |part| part != 2)),
    test("part_two_is_done_in_chinese", |page| done(page, "zh", |part| part == 2)),
    test("a_lesson_is_done_by_keyboard", by_keyboard),
    test("reading_moves_the_plan_and_looking_around_stops_it", reading),
    test("names_are_linked_with_the_plan_both_ways", linked),
    test("a_buffer_is_dragged_where_an_exercise_asks_for_it", dragged),
    test("a_click_or_a_touch_on_a_gap_chooses_the_place", placed),
    test("links_and_back_lead_to_paragraphs", links),
    test("axe_finds_nothing_in_lessons", axe),
    test("lessons_fit_every_width", widths),
    test("plain_pages_are_read_without_script", plain),
];

fn lessons() -> Vec<Lesson> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../www");
    let course = Course::read(&root.join("lessons"), &root.join("graphs"));
    assert!(course.faults.is_empty(), "{:?}", course.faults);
    course.lessons.into_iter().map(|resolved| resolved.lesson).collect()
}

fn open(page: &mut Page, lesson: u32, lang: &str) {
    page.visit("", &format!("learn={lesson}&lang={lang}"));
    page.until_there(".para.on");
    page.until_planned();
}

/// The frame and the planner of a paragraph's scene.
fn until_scene(page: &Page, lesson: &Lesson, paragraph: usize) {
    let name = lesson.paragraphs[..=paragraph].iter().filter_map(|paragraph| paragraph.scene.as_ref()).next_back();
    let scene = &lesson.scenes[name.expect("a scene")];
    page.until_there(&format!("#plan[data-planner='{}'][data-frame='{}']", scene.planner, scene.frame));
}

fn done(page: &mut Page, lang: &str, wanted: impl Fn(u32) -> bool) {
    for lesson in lessons().iter().filter(|lesson| wanted(lesson.part)) {
        open(page, lesson.number, lang);
        let tasks =
            lesson.paragraphs.iter().enumerate().filter_map(|(at, paragraph)| Some((at, paragraph.task.as_ref()?)));
        for (at, task) in tasks {
            if !page.eval::<bool>(&format!("!!document.querySelector(\".para.on[data-at='{at}']\")")) {
                page.press("e");
            }
            page.until_there(&format!(".para.on[data-at='{at}']"));
            until_scene(page, lesson, at);
            answer(page, task);
            page.until_there(&format!("[data-task='{}'][data-over='true'] .said", task.id));
        }
        let last = lesson.paragraphs.len() - 1;
        for _ in 0..=last {
            page.press("j");
        }
        page.until_there(&format!(".para.on[data-at='{last}']"));
        page.visit("", &format!("learn&lang={lang}"));
        page.until_there(&format!(".lesson-card[data-lesson='{}'] .st.done", lesson.number));
    }
}

/// Answers wrong first, then right.
fn answer(page: &Page, task: &Task) {
    let inside = |css: &str| format!("[data-task='{}'] {css}", task.id);
    let choose = |id: &str| page.click(&inside(&format!("[data-choice='{id}']")));
    let is_wrong = || page.until_there(&inside(".said.wrong"));
    let check = || page.click(&inside(".btn.main"));
    match &task.kind {
        TaskKind::Choose(choices) => {
            let wrong = choices.iter().find(|choice| !choice.right).expect("a wrong one");
            choose(&wrong.id);
            is_wrong();
            choices.iter().filter(|choice| choice.right).for_each(|choice| choose(&choice.id));
        }
        TaskKind::Number { value, .. } => {
            let write = |text: &str| {
                page.eval::<()>(&format!("document.querySelector(\"{}\").select()", inside("input")));
                page.browser.type_into(&inside("input"), text);
            };
            write("987654321");
            check();
            is_wrong();
            write(&value.to_string());
            page.press("Enter");
        }
        TaskKind::Place { places, .. } => {
            let wrong = places.iter().find(|place| !place.right).expect("a wrong one");
            choose(&wrong.offset.to_string());
            check();
            is_wrong();
            let right = places.iter().find(|place| place.right).expect("a right one");
            choose(&right.offset.to_string());
            check();
        }
        TaskKind::Pack { .. } => {
            for _ in 0..3 {
                page.click(&inside(".packing li:first-child button:nth-of-type(1)"));
                page.click(&inside(".packing li:first-child button:nth-of-type(2)"));
            }
            page.until_there(&inside(".said.part"));
            // Hint, then the answer.
            page.click(&inside(".answer:last-child button"));
            page.until_there(&inside(".hint"));
            page.click(&inside(".answer:last-child button"));
        }
        TaskKind::Order { operators, solution, .. } => {
            for (to, wanted) in solution.iter().enumerate() {
                let row = format!("li[data-operator='{}']", operators.list[*wanted].name);
                let place = format!(
                    "[...document.querySelectorAll(\"{}\")].findIndex(row => row.matches(\"{row}\"))",
                    inside("li")
                );
                while page.eval::<usize>(&place) > to {
                    let before: usize = page.eval(&place);
                    page.click(&inside(&format!("{row} button")));
                    page.until("the move", &format!("{place} < {before}"));
                }
            }
        }
    }
}

fn by_keyboard(page: &mut Page) {
    let lesson = &lessons()[2];
    open(page, 3, "en");
    for (at, task) in lesson.paragraphs.iter().enumerate().filter_map(|(at, p)| Some((at, p.task.as_ref()?))) {
        page.press("e");
        page.until_there(&format!(".para.on[data-at='{at}']"));
        until_scene(page, lesson, at);
        let rights: Vec<String> = match &task.kind {
            TaskKind::Place { places, .. } => {
                places.iter().filter(|place| place.right).map(|place| place.offset.to_string()).collect()
            }
            TaskKind::Choose(choices) => {
                choices.iter().filter(|choice| choice.right).map(|choice| choice.id.clone()).collect()
            }
            _ => panic!("places and choices"),
        };
        for right in rights {
            tab_to(page, &format!("[data-task='{}'] [data-choice='{right}']", task.id));
            page.press("Enter");
        }
        if matches!(task.kind, TaskKind::Place { .. }) {
            tab_to(page, &format!("[data-task='{}'] .btn.main", task.id));
            page.press("Enter");
        }
        page.until_there(&format!("[data-task='{}'][data-over='true'] .said.right", task.id));
    }
}

fn tab_to(page: &Page, css: &str) {
    let is_there = format!("document.activeElement.matches(\"{css}\")");
    for _ in 0..400 {
        if page.eval::<bool>(&is_there) {
            return;
        }
        page.press("Tab");
    }
    panic!("{css} is not reached by Tab");
}

fn reading(page: &mut Page) {
    let lesson = &lessons()[2];
    let last = lesson.paragraphs.len() - 1;
    open(page, 3, "en");
    until_scene(page, lesson, 0);
    let scroll =
        |page: &Page, to: &str| page.eval::<f64>(&format!("document.querySelector('.lesson-text').scrollTop = {to}"));
    scroll(page, "1e6");
    page.until_there(&format!(".para.on[data-at='{last}']"));
    until_scene(page, lesson, last);
    scroll(page, "0");
    page.until_there(".para.on[data-at='0']");
    until_scene(page, lesson, 0);
    // Arrow keys on the plan look around; the lesson waits.
    let frame = page.facts().frame;
    page.click("#plan");
    page.press("ArrowLeft");
    page.until_there("#back-to-lesson");
    scroll(page, "1e6");
    page.until_there(&format!(".para.on[data-at='{last}']"));
    page.until_frame(frame - 1);
    page.click("#back-to-lesson");
    until_scene(page, lesson, last);
    page.until_gone("#back-to-lesson");
    page.click("#open-in-step");
    page.until_address("doc=ex:");
    page.until_gone(".lesson-text");
}

fn linked(page: &mut Page) {
    open(page, 3, "en");
    let name: String = page.eval("document.querySelector('.para.on .obj[data-buffer]').textContent");
    page.browser.hover(page.middle(".para.on .obj[data-buffer]"));
    page.until_attribute("#plan", "data-hovered", Some(&name));
    page.click(".para.on .obj[data-buffer]");
    page.until_selected(Some(&name));
    // A term defines itself.
    page.click(".lesson-text .term");
    page.until_there("#term-tip");
}

fn dragged(page: &mut Page) {
    let lesson = &lessons()[3];
    let is_pack = |task: &Task| matches!(task.kind, TaskKind::Pack { .. });
    let at = lesson.paragraphs.iter().position(|paragraph| paragraph.task.as_ref().is_some_and(is_pack));
    let at = at.expect("buffers to move");
    page.visit("", &format!("learn=4&p={}&lang=en", at + 1));
    page.until_there(&format!(".para.on[data-at='{at}'] .packing li"));
    until_scene(page, lesson, at);
    let peak = |page: &Page| page.eval::<String>("document.querySelector('[data-own-peak]').dataset.ownPeak");
    let before = peak(page);
    let (x, y) = spot_of(page, "B");
    // Far above everything: the arena grows.
    let (_, top, _, _) = page.place("#plan");
    page.browser.drag(&[(x, y), (x, y - 40.0), (x, top + 8.0)]);
    page.until("a larger peak", &format!("document.querySelector('[data-own-peak]').dataset.ownPeak > {before}"));
    page.click(".para.on .packing + .answer button");
    page.until_equal("the peak of before", before, peak);
    page.until_gone("#back-to-lesson");
}

/// A place on the plan where the pointer is on a buffer.
fn spot_of(page: &Page, name: &str) -> (f64, f64) {
    let (left, top, width, height) = page.place("#plan");
    for row in 1..40 {
        let at = (left + width * 0.3, top + height * f64::from(row) / 40.0);
        page.browser.hover(at);
        if page.eval::<Option<String>>("document.querySelector('#plan').dataset.hovered ?? null").as_deref()
            == Some(name)
        {
            return at;
        }
    }
    panic!("{name} is nowhere on the plan");
}

fn placed(page: &mut Page) {
    let lesson = &lessons()[2];
    let asked = lesson.paragraphs.iter().enumerate().find_map(|(at, paragraph)| match paragraph.task.as_ref()? {
        Task { id, kind: TaskKind::Place { places, .. }, .. } => Some((at, id, places)),
        _ => None,
    });
    let (at, id, places) = asked.expect("a place is asked for");
    for (size, by_touch) in [(WIDE, false), (NARROW, true)] {
        page.viewport(size);
        page.visit("", &format!("learn=3&p={}&lang=en", at + 1));
        page.until_there(&format!(".para.on[data-at='{at}']"));
        until_scene(page, lesson, at);
        page.until_there(&format!("#plan[data-offers='{}']", places.len()));
        page.until_painted();
        let (left, top, width, height) = page.place("#plan");
        let press = |part: f64| {
            let spot = (left + width * 0.6, top + height * part);
            if by_touch {
                page.browser.rest_finger(spot);
                page.browser.lift_finger();
            } else {
                page.browser.drag(&[spot]);
            }
        };
        let pressed = format!("document.querySelector('[data-task=\"{id}\"] .pill[aria-pressed=true]')");
        let chosen = |page: &Page| {
            page.eval::<Option<u64>>(&format!("(at => at ? Number(at.dataset.choice) : null)({pressed})"))
        };
        // From the top down, each place is chosen by one press, and none by a place beside it.
        let mut found = Vec::new();
        for row in 1..24 {
            press(f64::from(row) / 32.0);
            page.until("a place to be chosen", &format!("!!{pressed}"));
            page.until_painted();
            found.extend(chosen(page));
        }
        found.dedup();
        let mut wanted: Vec<u64> = places.iter().map(|place| place.offset).collect();
        wanted.reverse();
        assert_eq!(found, wanted, "by touch: {by_touch}");
        assert_eq!(page.facts().frame, lesson.scenes["gaps"].frame, "nothing was answered yet");
        // The last one is the lowest, which is that of first fit.
        page.click(&format!("[data-task='{id}'] .btn.main"));
        page.until_says(&format!("[data-task='{id}'] .said.wrong"), &["first fit"]);
    }
    page.viewport(WIDE);
}

fn links(page: &mut Page) {
    let lesson = &lessons()[4];
    page.visit("", "learn=5&p=3&lang=en");
    page.until_there(".para.on[data-at='2']");
    until_scene(page, lesson, 2);
    page.press("j");
    page.until_address("p=4");
    page.click(".eyebrow a");
    page.until_there(".lesson-card");
    page.until_count(".lesson-card[data-lesson]", 13);
    page.browser.back();
    page.until_there(".para.on[data-at='3']");
    page.until_address("learn=5&p=4");
    // The mode is left and entered again.
    page.mode("step");
    page.until_gone(".lesson-text");
    page.mode("learn");
    page.until_there(".para.on[data-at='3']");
    until_scene(page, lesson, 3);
}

fn axe(page: &mut Page) {
    let mut axe = Axe::load();
    for settings in ["lang=en&theme=light", "lang=zh&theme=dark"] {
        page.visit("", &format!("learn&{settings}"));
        page.until_there(".lesson-card");
        axe.look(page, "index of the lessons");
        for lesson in [3, 4] {
            page.visit("", &format!("learn={lesson}&{settings}"));
            page.until_there(".para.on");
            page.until_planned();
            page.press("e");
            page.until_there(".task.active");
            axe.look(page, "a lesson");
        }
        page.click("#plan");
        page.press("ArrowLeft");
        page.until_there("#back-to-lesson");
        axe.look(page, "looking around");
    }
    axe.assert_clean();
}

fn widths(page: &mut Page) {
    for size in [WIDE, MIDDLE, NARROW, (320, 640)] {
        page.viewport(size);
        page.visit("", "learn&lang=en");
        page.until_there(".lesson-card");
        let is_wide = "document.scrollingElement.scrollWidth > innerWidth || [...document.querySelectorAll('.learn, .lesson-text')].some(e => e.scrollWidth > e.clientWidth + 1)";
        assert!(!page.eval::<bool>(is_wide), "the index at {size:?}");
        for lesson in 1..=13 {
            page.visit("", &format!("learn={lesson}&lang=zh"));
            page.until_there(".para.on");
            assert!(!page.eval::<bool>(is_wide), "lesson {lesson} at {size:?}");
        }
    }
}

fn plain(page: &mut Page) {
    page.browser.devtools("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    for (path, title) in [("learn/index.html", "Learn memory planning"), ("learn/zh/index.html", "学习内存规划")]
    {
        page.visit_path(path);
        page.until_says("h1", &[title]);
        page.until_count("main li a", 13);
    }
    for lesson in lessons() {
        page.visit_path(&format!("learn/{:02}.html", lesson.number));
        page.until_says("h1", &[lesson.title.en.as_str()]);
        whole_pictures(page);
        let tasks = lesson.paragraphs.iter().filter(|paragraph| paragraph.task.is_some()).count();
        page.until_count("details", tasks);
    }
    page.prefers("dark");
    page.visit_path("learn/zh/05.html");
    page.until_attribute("html", "lang", Some("zh-CN"));
    whole_pictures(page);
    // On a phone, whose scroll bars take no room, each picture has the width of the screen, and is not shrunk.
    page.device(NARROW, 2.0, true);
    for path in ["learn/03.html", "learn/zh/12.html"] {
        page.visit_path(path);
        whole_pictures(page);
        let fits = "document.scrollingElement.scrollWidth <= innerWidth \
            && [...document.querySelectorAll('section > figure img')].every(image => image.currentSrc.includes('-narrow') \
                && image.width >= image.naturalWidth && image.getBoundingClientRect().right <= innerWidth)";
        page.until("pictures of the phone's width", fits);
    }
    page.viewport(WIDE);
    page.browser.devtools("Emulation.setScriptExecutionDisabled", json!({ "value": false }));
}

/// Every picture of the page is there, also those that are fetched only when they come into sight.
fn whole_pictures(page: &Page) {
    page.eval::<Option<()>>("[...document.images].forEach(image => image.loading = 'eager') ?? null");
    let whole = "[...document.images].every(image => image.complete && image.naturalWidth > 0)";
    page.until("pictures", &format!("document.images.length > 0 && {whole}"));
}
