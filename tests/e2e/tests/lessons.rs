//! Lessons: read, linked with the plan, at every width, and without script.

use std::path::Path;

use memplan_e2e::Page;
use memplan_e2e::axe::Axe;
use memplan_e2e::page::{NARROW, WIDE};
use memplan_engine::lessons::Course;
use memplan_teach::lesson::Lesson;
use serde_json::json;

use crate::exercises::answer_wrong;
use crate::layout::too_wide;
use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    smoke("reading_moves_the_plan_and_looking_around_stops_it", reading),
    full("names_are_linked_with_the_plan_both_ways", linked),
    full("links_and_back_lead_to_paragraphs", links),
    full("axe_finds_nothing_in_lessons", axe),
    full("lessons_fit_every_width", widths),
    smoke("plain_pages_are_read_without_script", plain),
];

pub fn lessons() -> Vec<Lesson> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../www");
    let course = Course::read(&root.join("lessons"), &root.join("graphs"));
    assert!(course.faults.is_empty(), "{:?}", course.faults);
    course.lessons.into_iter().map(|resolved| resolved.lesson).collect()
}

pub fn open(page: &mut Page, lesson: u32, lang: &str) {
    page.visit("", &format!("learn={lesson}&lang={lang}"));
    page.until_there(".para.on");
    page.until_planned();
}

/// The frame and the planner of a paragraph's scene.
pub fn until_scene(page: &Page, lesson: &Lesson, paragraph: usize) {
    let name = lesson.paragraphs[..=paragraph].iter().filter_map(|paragraph| paragraph.scene.as_ref()).next_back();
    let scene = &lesson.scenes[name.expect("a scene")];
    page.until_there(&format!("#plan[data-planner='{}'][data-frame='{}']", scene.planner, scene.frame));
}

/// A place on the plan where the pointer is on a buffer.
pub fn spot_of(page: &Page, name: &str) -> (f64, f64) {
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

fn reading(page: &mut Page) {
    let lesson = &lessons()[2];
    let last = lesson.paragraphs.len() - 1;
    open(page, 3, "en");
    until_scene(page, lesson, 0);
    // Small plans that come later move what stands below them.
    let scroll = |page: &Page, to: &str, at: usize| {
        page.until(
            &format!("paragraph {at} to be read"),
            &format!("(document.querySelector('.lesson-text').scrollTop = {to}, !!document.querySelector(\".para.on[data-at='{at}']\"))"),
        );
    };
    scroll(page, "1e6", last);
    until_scene(page, lesson, last);
    scroll(page, "0", 0);
    until_scene(page, lesson, 0);
    page.until_there(".lesson-challenge a[href^='#pack=']");
    // Arrow keys in the text belong to reading.
    page.press("j");
    page.until_there(".para.on[data-at='1']");
    until_scene(page, lesson, 1);
    page.press("ArrowLeft");
    page.until_painted();
    assert!(!page.is_there("#back-to-lesson"), "the scene is left");
    page.press("k");
    page.until_there(".para.on[data-at='0']");
    until_scene(page, lesson, 0);
    // Arrow keys on the plan look around; the lesson waits.
    let frame = page.facts().frame;
    page.click("#plan");
    page.press("ArrowLeft");
    page.until_there("#back-to-lesson");
    scroll(page, "1e6", last);
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
    // So it is with a step and its column.
    open(page, 1, "en");
    let number = ".lesson-text .obj[data-step='0']";
    page.eval::<bool>(&format!("(document.querySelector(\"{number}\").scrollIntoView({{ block: 'center' }}), true)"));
    page.until_painted();
    page.browser.hover(page.middle(number));
    page.until_attribute("#plan", "data-hovered-step", Some("0"));
    page.browser.hover((1.0, 1.0));
    page.until_attribute("#plan", "data-hovered-step", None);
    let (left, top, _, height) = page.place("#plan");
    let is_outlined = format!("getComputedStyle(document.querySelector(\"{number}\")).outlineStyle === 'solid'");
    let found = (0..60).any(|at| {
        page.browser.hover((left + 30.0 + 4.0 * f64::from(at), top + height / 2.0));
        page.eval::<bool>(&is_outlined)
    });
    assert!(found, "the column of step 0 outlines its number");
    // A term defines itself, and leads to the lesson on it.
    page.click(".lesson-text .term");
    page.until_there("#term-tip");
    page.open("doc=ex:teaching&f=3&lang=en");
    page.click("#strip-bound .term");
    page.until_says("#term-tip .to-lesson", &["lesson 2"]);
    page.click("#term-tip .to-lesson");
    page.until_address("learn=2");
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
    page.until_count(".lesson-card[data-lesson]", 15);
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
    let lessons = (1..=15).map(|lesson| (format!("learn={lesson}&lang=zh"), ".para.on"));
    for (link, shown) in lessons.chain([("learn&lang=en".into(), ".lesson-card")]) {
        page.visit("", &link);
        page.until_there(shown);
        assert_eq!(too_wide(page, ".learn, .lesson-text"), Vec::<String>::new(), "{link}");
    }
}

fn plain(page: &mut Page) {
    page.browser.devtools("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    for (path, title) in [("learn/index.html", "Learn memory planning"), ("learn/zh/index.html", "学习内存规划")]
    {
        page.visit_path(path);
        page.until_says("h1", &[title]);
        page.until_count("main li a", 15);
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
    // On a phone, whose scroll bars take no room, each picture has the width of the screen, and is
    // not shrunk.
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
