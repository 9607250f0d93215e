//! Lessons: read, answered right and wrong, by pointer and by keyboard, in both languages, and without script.

use std::path::Path;

use memplan::lesson::build::Course;
use memplan::lesson::{Lesson, Task, TaskKind};
use memplan_e2e::Page;
use memplan_e2e::axe::Axe;
use memplan_e2e::page::{MIDDLE, NARROW, WIDE};
use serde_json::json;

use crate::exports::catch;
use crate::{Test, test};

pub const TESTS: &[Test] = &[
    test("part_one_and_three_are_done_in_english", |page| done(page, "en", |part| part != 2)),
    test("part_two_is_done_in_english", |page| done(page, "en", |part| part == 2)),
    test("part_one_and_three_are_done_in_chinese", |page| done(page, "zh", |part| part != 2)),
    test("part_two_is_done_in_chinese", |page| done(page, "zh", |part| part == 2)),
    test("the_first_lessons_are_done_by_keyboard_in_english", |page| by_keyboard(page, "en")),
    test("the_first_lessons_are_done_by_keyboard_in_chinese", |page| by_keyboard(page, "zh")),
    test("nothing_beyond_the_frame_is_told_while_an_exercise_is_open", hidden),
    test("two_wrong_choices_count_as_shown_on_the_index", guessed),
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

/// Part of the box of an exercise.
fn inside(task: &Task, css: &str) -> String {
    format!("[data-task='{}'] {css}", task.id)
}

fn choose(page: &Page, task: &Task, id: &str) {
    page.click(&inside(task, &format!("[data-choice='{id}']")));
}

/// Writes a number in place of what stands in the field.
fn write(page: &Page, task: &Task, text: &str) {
    page.eval::<()>(&format!("document.querySelector(\"{}\").select()", inside(task, "input")));
    page.browser.type_into(&inside(task, "input"), text);
}

/// Answers wrong first, then right.
fn answer(page: &Page, task: &Task) {
    answer_wrong(page, task);
    let check = || page.click(&inside(task, ".btn.main"));
    match &task.kind {
        TaskKind::Choose(choices) => {
            choices.iter().filter(|choice| choice.right).for_each(|right| choose(page, task, &right.id));
        }
        TaskKind::Number { value, .. } => {
            write(page, task, &value.to_string());
            page.press("Enter");
        }
        TaskKind::Place { places, .. } => {
            let right = places.iter().find(|place| place.right).expect("a right one");
            choose(page, task, &right.offset.to_string());
            check();
        }
        TaskKind::Pack { .. } => {
            // Hint, then the answer.
            page.click(&inside(task, ".answer:last-child button"));
            page.until_there(&inside(task, ".hint"));
            page.click(&inside(task, ".answer:last-child button"));
        }
        TaskKind::Order { operators, solution, .. } => {
            for (to, wanted) in solution.iter().enumerate() {
                let row = format!("li[data-operator='{}']", operators.list[*wanted].name);
                while position(page, task, &row) > to {
                    let before = position(page, task, &row);
                    page.click(&inside(task, &format!("{row} button")));
                    page.until_equal("the move", true, |page| position(page, task, &row) < before);
                }
            }
        }
    }
}

/// Where a row of an exercise stands.
fn position(page: &Page, task: &Task, row: &str) -> usize {
    page.eval(&format!(
        "[...document.querySelectorAll(\"{}\")].findIndex(row => row.matches(\"{row}\"))",
        inside(task, "li")
    ))
}

/// Answers wrong, or moves something where there are no wrong answers.
fn answer_wrong(page: &Page, task: &Task) {
    let is_wrong = || page.until_there(&inside(task, ".said.wrong"));
    match &task.kind {
        TaskKind::Choose(choices) => {
            let wrong = choices.iter().find(|choice| !choice.right).expect("a wrong one");
            choose(page, task, &wrong.id);
            is_wrong();
        }
        TaskKind::Number { .. } => {
            write(page, task, "987654321");
            page.click(&inside(task, ".btn.main"));
            is_wrong();
            // Nobody foresaw this number: the rule that was missed follows.
            let said = page.text(&inside(task, ".said p"));
            assert!(said.chars().count() > 18, "{said}");
        }
        TaskKind::Place { places, .. } => {
            let wrong = places.iter().find(|place| !place.right).expect("a wrong one");
            choose(page, task, &wrong.offset.to_string());
            page.click(&inside(task, ".btn.main"));
            is_wrong();
        }
        TaskKind::Pack { .. } => {
            for _ in 0..3 {
                page.click(&inside(task, ".packing li:first-child button:nth-of-type(1)"));
                page.click(&inside(task, ".packing li:first-child button:nth-of-type(2)"));
            }
            page.until_there(&inside(task, ".said.part"));
        }
        TaskKind::Order { .. } => {
            page.click(&inside(task, "li:first-child button:nth-of-type(2)"));
            page.until_there(&inside(task, ".said"));
        }
    }
}

/// Lessons that are done by keys alone: they ask for choices, numbers and places.
const BY_KEYBOARD: usize = 3;

/// Every exercise is led to, answered right and left by keys alone.
fn by_keyboard(page: &mut Page, lang: &str) {
    for lesson in &lessons()[..BY_KEYBOARD] {
        open(page, lesson.number, lang);
        let tasks = lesson.paragraphs.iter().enumerate().filter_map(|(at, p)| Some((at, p.task.as_ref()?)));
        for (at, task) in tasks {
            let paragraph = format!(".para.on[data-at='{at}']");
            if !page.is_there(&paragraph) {
                page.press("e");
                // A screen reader goes where the focus goes.
                page.until("the focus", &format!("document.activeElement.matches(\"{paragraph}\")"));
            }
            until_scene(page, lesson, at);
            answer_by_keys(page, task);
            page.until_there(&format!("[data-task='{}'][data-over='true'] .said", task.id));
        }
        page.press("k");
        page.until("the focus", "document.activeElement.matches('.para.on')");
    }
}

fn answer_by_keys(page: &Page, task: &Task) {
    let press = |css: &str, key: &str| {
        tab_to(page, &inside(task, css));
        page.press(key);
    };
    match &task.kind {
        TaskKind::Choose(choices) => {
            for right in choices.iter().filter(|choice| choice.right) {
                press(&format!("[data-choice='{}']", right.id), "Enter");
            }
        }
        TaskKind::Place { places, .. } => {
            let right = places.iter().find(|place| place.right).expect("a right one");
            press(&format!("[data-choice='{}']", right.offset), "Enter");
            press(".btn.main", "Enter");
        }
        TaskKind::Number { value, .. } => {
            tab_to(page, &inside(task, "input"));
            value.to_string().chars().for_each(|letter| page.press(&letter.to_string()));
            page.press("Enter");
        }
        TaskKind::Order { .. } | TaskKind::Pack { .. } => panic!("no lesson up to {BY_KEYBOARD} asks for it"),
    }
}

/// The stage of a lesson tells nothing of coming frames: neither in words and attributes nor on the scrubber.
fn hidden(page: &mut Page) {
    let lesson = &lessons()[2];
    let place = |task: &Task| matches!(task.kind, TaskKind::Place { .. });
    let at = lesson.paragraphs.iter().position(|paragraph| paragraph.task.as_ref().is_some_and(place));
    let at = at.expect("a place is asked for");
    page.visit("", &format!("learn=3&p={}&lang=en", at + 1));
    page.until_there(&format!(".para.on[data-at='{at}']"));
    until_scene(page, lesson, at);
    let facts = page.facts();
    assert_eq!((facts.peak, facts.bound), (0, 0), "an exercise may ask for these figures");
    assert!(facts.frame + 1 < facts.frames);
    let caption = page.text(".caption-why");
    page.until(
        "the caption to be spoken",
        &format!(
            "document.querySelector('.page > [aria-live]').textContent.trim().replace(/\\s+/g, ' ') === {caption:?}"
        ),
    );
    // Final figures of this plan: peak and bound are both 384 KiB.
    let told: String = page.eval("(main => { main.querySelectorAll('svg').forEach(part => part.remove()); return main.outerHTML.replace(/[\\s\\u202f\\u2009]/g, '') })(document.querySelector('main').cloneNode(true))");
    for secret in ["393216", "384KiB"] {
        assert!(!told.contains(secret), "{secret} is told: {told}");
    }
    assert_eq!(
        marks_on_scrubber(page).into_iter().max().unwrap_or(0).max(facts.frame),
        facts.frame,
        "only what is there"
    );
    page.mode("step");
    page.until_facts("the figures of Step", |facts| facts.peak > 0 && facts.bound > 0);
    // What was reached by looking around is known: the same look finds marks where there are some.
    let lesson = &lessons()[4];
    let asked = lesson.paragraphs.iter().enumerate().filter(|(_, paragraph)| paragraph.task.is_some());
    let finds_more = |at: usize| {
        page.visit("", &format!("learn=5&p={}&lang=en", at + 1));
        page.until_there(&format!(".para.on[data-at='{at}']"));
        until_scene(page, lesson, at);
        let frame = page.facts().frame;
        assert!(marks_on_scrubber(page).iter().all(|mark| *mark <= frame), "paragraph {at}");
        page.click("#plan");
        page.press("End");
        page.until_there("#back-to-lesson");
        marks_on_scrubber(page).iter().any(|mark| *mark > frame)
    };
    assert!(asked.map(|(at, _)| at).any(finds_more), "no exercise hides a mark");
}

/// The frames whose marks on the scrubber tell something under the pointer.
fn marks_on_scrubber(page: &Page) -> Vec<u32> {
    page.until_painted();
    let (left, top, width, height) = page.place(".scrubber");
    let look = |at: u32| {
        page.browser.hover((left + width * f64::from(at) / 60.0, top + height / 2.0));
        page.until_painted();
        let said = page.texts(".scrubber .tooltip b").into_iter().next()?;
        said.chars().filter(char::is_ascii_digit).collect::<String>().parse().ok()
    };
    (1..60).filter_map(look).collect()
}

fn guessed(page: &mut Page) {
    let lesson = &lessons()[4];
    open(page, 5, "en");
    page.press("e");
    let task = lesson.paragraphs.iter().find_map(|paragraph| paragraph.task.as_ref()).expect("an exercise");
    let TaskKind::Choose(choices) = &task.kind else { panic!("choices") };
    page.until_there(".task.active");
    for wrong in choices.iter().filter(|choice| !choice.right).take(2) {
        choose(page, task, &wrong.id);
        page.until_there(&inside(task, &format!("[data-choice='{}'].wrong", wrong.id)));
    }
    let right = choices.iter().find(|choice| choice.right).expect("a right one");
    choose(page, task, &right.id);
    page.until_says(&inside(task, ".said"), &["counted as shown"]);
    page.visit("", "learn&lang=en");
    page.until_says(".lesson-card[data-lesson='5'] .score", &["0 right, 1 shown of 3"]);
    // Forgetting says what goes, and a copy can be kept.
    catch(page);
    page.click("#export");
    page.until("the file", "saved.length");
    let (name, text): (String, String) = page.eval("saved[0]");
    assert!(name == "memplan-progress.json" && text.contains("shown"), "{name}: {text}");
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
    // The plan points at its name in the text.
    let at = spot_of(page, &name);
    page.browser.hover((1.0, 1.0));
    let outline = "getComputedStyle(document.querySelector('.para.on .obj[data-buffer]')).outlineStyle";
    page.until("no name to be outlined", &format!("{outline} === 'none'"));
    page.browser.hover(at);
    page.until("the name to be outlined", &format!("{outline} === 'solid'"));
    // A term defines itself, and leads to the lesson on it.
    page.click(".lesson-text .term");
    page.until_there("#term-tip");
    page.open("doc=ex:teaching&f=3&lang=en");
    page.click("#strip-bound .term");
    page.until_says("#term-tip .to-lesson", &["lesson 2"]);
    page.click("#term-tip .to-lesson");
    page.until_address("learn=2");
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
    for (column, row) in [0.3, 0.12].into_iter().flat_map(|column| (1..40).map(move |row| (column, row))) {
        let at = (left + width * column, top + height * f64::from(row) / 40.0);
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
                page.browser.tap(spot);
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
    let wrong = |page: &mut Page, lesson: &Lesson, settings: &str| {
        page.visit("", &format!("learn={}&{settings}", lesson.number));
        page.until_there(".para.on");
        page.until_planned();
        page.press("e");
        page.until_there(".task.active");
        let task = lesson.paragraphs.iter().find_map(|paragraph| paragraph.task.as_ref()).expect("an exercise");
        page.until_there(&format!(".task.active[data-task='{}']", task.id));
        answer_wrong(page, task);
    };
    let lessons = lessons();
    for (at, settings) in ["lang=en&theme=light", "lang=zh&theme=dark"].into_iter().enumerate() {
        page.visit("", &format!("learn&{settings}"));
        page.until_there(".lesson-card");
        axe.look(page, "index of the lessons");
        // Every lesson in one of the two, those with moves in both.
        for lesson in lessons.iter().filter(|lesson| lesson.number as usize % 2 == at || lesson.number == 4) {
            wrong(page, lesson, settings);
            axe.look(page, &format!("lesson {}", lesson.number));
        }
        page.click("#plan");
        page.press("ArrowLeft");
        page.until_there("#back-to-lesson");
        axe.look(page, "looking around");
        page.viewport(NARROW);
        wrong(page, &lessons[3], settings);
        axe.look(page, "a lesson on a phone");
        page.viewport(WIDE);
    }
    for path in ["index.html", "03.html", "04.html", "glossary.html", "zh/05.html", "zh/12.html"] {
        page.visit_path(&format!("learn/{path}"));
        axe.look(page, path);
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
        // The way to the live page stands at every exercise, and at the end.
        page.until_there("section:last-of-type .live a[href*='learn=']");
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
