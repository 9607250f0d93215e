//! Every exercise of every lesson, answered wrong and then right by keys alone, each in the
//! language in which it is not answered by pointer.

use memplan_e2e::Page;
use memplan_teach::lesson::{Lesson, Task, TaskKind};

use crate::exercises::{inside, position, put_program};
use crate::lessons::{lessons, open, until_scene};
use crate::{Test, full};

pub const TESTS: &[Test] = &[
    full("part_one_is_done_in_english", |page| done(page, "en", 1)),
    full("part_three_is_done_in_english", |page| done(page, "en", 3)),
    full("part_two_is_done_in_chinese", |page| done(page, "zh", 2)),
];

/// Every exercise is led to, answered and left by keys; the lesson then counts as done.
fn done(page: &mut Page, lang: &str, part: u32) {
    for lesson in lessons().iter().filter(|lesson| lesson.part == part) {
        open(page, lesson.number, lang);
        for (at, task) in tasks(lesson) {
            let paragraph = format!(".para.on[data-at='{at}']");
            if !page.is_there(&paragraph) {
                page.press("e");
                // A screen reader goes where the focus goes.
                page.until("the focus", &format!("document.activeElement.matches(\"{paragraph}\")"));
            }
            until_scene(page, lesson, at);
            answer_wrong(page, task);
            answer(page, task);
            page.until_there(&format!("[data-task='{}'][data-over='true'] .said", task.id));
        }
        let last = lesson.paragraphs.len() - 1;
        for _ in 0..=last {
            page.press("j");
        }
        page.until("the focus", &format!("document.activeElement.matches(\".para.on[data-at='{last}']\")"));
        page.visit("", &format!("learn&lang={lang}"));
        page.until_there(&format!(".lesson-card[data-lesson='{}'] .st.done", lesson.number));
    }
}

fn tasks(lesson: &Lesson) -> impl Iterator<Item = (usize, &Task)> {
    lesson.paragraphs.iter().enumerate().filter_map(|(at, paragraph)| Some((at, paragraph.task.as_ref()?)))
}

/// Answers wrong, or moves something where there are no wrong answers.
fn answer_wrong(page: &Page, task: &Task) {
    match &task.kind {
        TaskKind::Choose(choices) => {
            let wrong = choices.iter().find(|choice| !choice.right).expect("a wrong one");
            press(page, task, &format!("[data-choice='{}']", wrong.id), "Enter");
        }
        TaskKind::Number { .. } => write(page, task, "987654321"),
        TaskKind::Place { places, .. } => {
            let wrong = places.iter().find(|place| !place.right).expect("a wrong one");
            press(page, task, &format!("[data-choice='{}']", wrong.offset), "Enter");
        }
        TaskKind::Pack { .. } => {
            page.until_there(&inside(task, ".packing:not(.waits)"));
            press(page, task, "li:first-child button:nth-of-type(1)", "Enter");
            page.until_there(&inside(task, ".said.part"));
            // Nothing is lost by a move.
            press(page, task, ".packing + .answer button:first-child", "Enter");
            return page.until_there(&inside(task, ".packing + .answer button:first-child[aria-disabled]:focus"));
        }
        TaskKind::Write { template, .. } => {
            put_program(page, task, template);
            press(page, task, ".btn.main", "Enter");
            return page.until_there(&inside(task, ".program-sum.wrong"));
        }
        TaskKind::Order { .. } => {
            press(page, task, "li:first-child button:nth-of-type(2)", "Enter");
            return page.until_there(&inside(task, ".said"));
        }
    }
    page.until_there(&inside(task, ".said.wrong"));
}

fn answer(page: &Page, task: &Task) {
    match &task.kind {
        TaskKind::Choose(choices) => {
            for right in choices.iter().filter(|choice| choice.right) {
                press(page, task, &format!("[data-choice='{}']", right.id), "Enter");
            }
        }
        TaskKind::Number { value, .. } => write(page, task, &value.to_string()),
        TaskKind::Place { places, .. } => {
            let right = places.iter().find(|place| place.right).expect("a right one");
            press(page, task, &format!("[data-choice='{}']", right.offset), "Enter");
        }
        TaskKind::Write { solution, .. } => {
            put_program(page, task, solution);
            press(page, task, ".btn.main", "Enter");
        }
        TaskKind::Pack { solution, .. } => {
            page.until_there(&inside(task, ".packing:not(.waits)"));
            pack(page, task, solution)
        }
        TaskKind::Order { operators, solution, .. } => {
            for (to, wanted) in solution.iter().enumerate() {
                let row = format!("li[data-operator='{}']", operators.list[*wanted].name);
                while position(page, task, &row) > to {
                    let before = position(page, task, &row);
                    press(page, task, &format!("{row} button:nth-of-type(1)"), "Enter");
                    page.until_equal("the move", true, |page| position(page, task, &row) < before);
                }
            }
        }
    }
}

/// Stacks the buffers in the order of the places that they shall have, and then lets each down, the
/// lowest first.
fn pack(page: &Page, task: &Task, solution: &[(String, u64)]) {
    let mut wanted: Vec<(u64, usize)> = solution.iter().enumerate().map(|(at, (_, offset))| (*offset, at)).collect();
    wanted.sort_unstable();
    for &(_, at) in &wanted {
        while moves(page, task, at, 1) {}
    }
    for &(offset, at) in &wanted {
        while !is_over(page, task) && place(page, task, at) > offset && moves(page, task, at, 2) {}
    }
}

/// Whether a buffer is elsewhere after one of its buttons was pressed: the first one is up.
fn moves(page: &Page, task: &Task, buffer: usize, button: u32) -> bool {
    let before = place(page, task, buffer);
    press(page, task, &format!("li[data-buffer='{buffer}'] button:nth-of-type({button})"), "Enter");
    page.until_painted();
    place(page, task, buffer) != before
}

fn place(page: &Page, task: &Task, buffer: usize) -> u64 {
    let row = inside(task, &format!("li[data-buffer='{buffer}']"));
    page.eval(&format!("Number(document.querySelector(\"{row}\").dataset.offset)"))
}

fn is_over(page: &Page, task: &Task) -> bool {
    page.is_there(&format!("[data-task='{}'][data-over='true']", task.id))
}

/// Presses a key on a part of the box, which Tab leads to.
fn press(page: &Page, task: &Task, css: &str, key: &str) {
    tab_to(page, &inside(task, css));
    page.press(key);
}

/// Writes a number in place of what stands in the field, and has it judged.
fn write(page: &Page, task: &Task, text: &str) {
    tab_to(page, &inside(task, "input"));
    page.press("Control+a");
    text.chars().for_each(|letter| page.press(&letter.to_string()));
    page.press("Enter");
}

/// Goes on to an element, or back where it stands before the focus: on the way out of a paragraph
/// its plan would go.
fn tab_to(page: &Page, css: &str) {
    let is_there = format!("document.activeElement.matches(\"{css}\")");
    let is_before = format!(
        "!!(document.activeElement.compareDocumentPosition(document.querySelector(\"{css}\")) & Node.DOCUMENT_POSITION_PRECEDING) \
            || document.activeElement === document.body"
    );
    for _ in 0..400 {
        if page.eval::<bool>(&is_there) {
            return;
        }
        if page.eval("document.activeElement.matches('textarea')") {
            // There Tab indents the program.
            page.press("Escape");
        }
        page.press(if page.eval::<bool>(&is_before) { "Shift+Tab" } else { "Tab" });
    }
    panic!("{css} is not reached by Tab");
}
