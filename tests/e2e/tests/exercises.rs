//! Exercises of the lessons: answered right and wrong by pointer, each in the language in which it
//! is not answered by keys, and what stays hidden meanwhile.

use memplan_e2e::Page;
use memplan_e2e::page::{NARROW, WIDE};
use memplan_teach::lesson::{Task, TaskKind};

use crate::exports::catch;
use crate::lessons::{lessons, open, spot_of, until_scene};
use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    full("part_two_is_done_in_english", |page| done(page, "en", |part| part == 2)),
    full("part_one_and_three_are_done_in_chinese", |page| done(page, "zh", |part| part != 2)),
    full("nothing_beyond_the_frame_is_told_while_an_exercise_is_open", hidden),
    smoke("what_is_said_about_an_answer_comes_into_sight_on_a_phone", in_sight),
    full("a_third_try_is_right_on_the_index", third_try),
    smoke("a_buffer_is_dragged_where_an_exercise_asks_for_it", dragged),
    full("a_click_or_a_touch_on_a_gap_chooses_the_place", placed),
];

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
            if let Some(scene) = task.shows.as_ref().map(|name| &lesson.scenes[name]) {
                page.until_there(&format!("#plan[data-planner='{}'][data-frame='{}']", scene.planner, scene.frame));
            }
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

/// The button that gives the hint or the answer of an exercise with moves; the others belong to the
/// list of its buffers.
const HELP: &str = ".answer:not(.packing + .answer) button";

/// Part of the box of an exercise.
pub fn inside(task: &Task, css: &str) -> String {
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
        }
        TaskKind::Write { solution, .. } => program(page, task, solution),
        TaskKind::Pack { .. } => {
            // Hint, then the answer.
            page.click(&inside(task, HELP));
            page.until_there(&inside(task, ".hint"));
            page.click(&inside(task, HELP));
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

/// Puts a program in place of what stands in the field, as a keyboard would.
pub fn put_program(page: &Page, task: &Task, code: &str) {
    let script = "const field = document.querySelector(arguments[0]);
        field.focus();
        field.select();
        document.execCommand('insertText', false, arguments[1]);";
    let field = inside(task, "textarea");
    page.browser.script::<serde_json::Value>(script, vec![field.into(), code.into()]);
}

fn program(page: &Page, task: &Task, code: &str) {
    put_program(page, task, code);
    page.click(&inside(task, ".btn.main"));
}

/// Where a row of an exercise stands.
pub fn position(page: &Page, task: &Task, row: &str) -> usize {
    page.eval(&format!(
        "[...document.querySelectorAll(\"{}\")].findIndex(row => row.matches(\"{row}\"))",
        inside(task, "li")
    ))
}

/// Answers wrong, or moves something where there are no wrong answers.
pub fn answer_wrong(page: &Page, task: &Task) {
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
            is_wrong();
        }
        TaskKind::Pack { .. } => {
            page.until_there(&inside(task, ".packing:not(.waits)"));
            for _ in 0..3 {
                page.click(&inside(task, ".packing li:first-child button:nth-of-type(1)"));
                page.click(&inside(task, ".packing li:first-child button:nth-of-type(2)"));
            }
            page.until_there(&inside(task, ".said.part"));
        }
        TaskKind::Write { template, .. } => {
            program(page, task, template);
            page.until_there(&inside(task, ".program-sum.wrong"));
        }
        TaskKind::Order { .. } => {
            page.click(&inside(task, "li:first-child button:nth-of-type(2)"));
            page.until_there(&inside(task, ".said"));
        }
    }
}

/// The stage of a lesson tells nothing of coming frames: neither in words and attributes nor on the
/// scrubber.
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

fn in_sight(page: &mut Page) {
    page.device(NARROW, 2.0, true);
    let lesson = &lessons()[4];
    let asked = lesson.paragraphs.iter().enumerate();
    for (at, task) in asked.filter_map(|(at, paragraph)| Some((at, paragraph.task.as_ref()?))) {
        page.visit("", &format!("learn=5&p={}&lang=en", at + 1));
        page.until_there(&format!(".para.on[data-at='{at}']"));
        answer_wrong(page, task);
        page.until(
            "the whole of what is said in the window",
            &format!(
                "(said => said.top >= 0 && said.bottom <= innerHeight + 1)(document.querySelector(\"{}\").getBoundingClientRect())",
                inside(task, ".said")
            ),
        );
    }
}

fn third_try(page: &mut Page) {
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
    page.until_says(&inside(task, ".said"), &["Right, try 3."]);
    page.visit("", "learn&lang=en");
    page.until_says(".lesson-card[data-lesson='5'] .score", &["1 right, 0 shown of 3"]);
    // Forgetting says what goes, and a copy can be kept.
    catch(page);
    page.click("#export");
    page.until("the file", "saved.length");
    let (name, text): (String, String) = page.eval("saved[0]");
    assert!(name == "memplan-progress.json" && text.contains(&task.id), "{name}: {text}");
}

fn dragged(page: &mut Page) {
    let lesson = &lessons()[3];
    let is_pack = |task: &Task| matches!(task.kind, TaskKind::Pack { .. });
    let at = lesson.paragraphs.iter().position(|paragraph| paragraph.task.as_ref().is_some_and(is_pack));
    let at = at.expect("buffers to move");
    page.visit("", &format!("learn=4&p={}&lang=en", at + 1));
    page.until_there(&format!(".para.on[data-at='{at}'] .packing:not(.waits) li"));
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
        // Upwards, each place is chosen and judged by one press, and none by a place beside it. The
        // lowest one is that of first fit; the right one ends the exercise.
        let mut found: Vec<u64> = Vec::new();
        let right = places.iter().find(|place| place.right).expect("a right one").offset;
        for row in (1..21).rev() {
            press(f64::from(row) / 32.0);
            page.until("a place to be chosen", &format!("!!{pressed}"));
            page.until_painted();
            found.extend(chosen(page));
            if found.len() == 1 {
                page.until_says(&format!("[data-task='{id}'] .said.wrong"), &["first fit"]);
                assert_eq!(page.facts().frame, lesson.scenes["gaps"].frame, "a wrong answer moves nothing");
            }
            if found.last() == Some(&right) {
                break;
            }
        }
        found.dedup();
        let wanted: Vec<u64> = places.iter().map(|place| place.offset).take_while(|&offset| offset <= right).collect();
        assert_eq!(found, wanted, "by touch: {by_touch}");
        page.until_there(&format!("[data-task='{id}'] .said.right"));
    }
    page.viewport(WIDE);
}
