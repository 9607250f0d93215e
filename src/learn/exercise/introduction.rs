//! What an exercise says before it begins: what is asked, how, and what is enough.

use crate::context::Page;
use memplan_core::base::Message;
use memplan_engine::Assignment;
use memplan_planners as planner;
use memplan_teach::exercise::activity::Asks;
use memplan_teach::exercise::code::Verdict;
use memplan_teach::exercise::link::ratio_text;

/// What is asked.
pub fn asks(page: &Page, task: &Assignment) -> Message {
    let planner = planner::title_of(&task.planner, page.speech());
    if let Some(most) = task.most {
        return Message::new("exercise.asks-write-most").text("most", ratio_text(most));
    }
    Message::new(task.kind.activity().asks_words).text("planner", planner).count("n", task.of)
}

/// What is enough to pass.
pub fn needs(task: &Assignment) -> Message {
    match task.beat {
        Some(beat) if task.pass > 0 => Message::new("exercise.needs-ratio").text("ratio", ratio_text(beat)),
        _ => {
            let needs = Message::new(match task.kind.activity().asks {
                Asks::Goals(_) => "exercise.needs-goals",
                Asks::Program => "exercise.needs-write",
                _ => "exercise.needs",
            });
            needs.count("n", task.pass).count("of", task.of)
        }
    }
}

/// The verdict on so many right answers, as the checker gives it.
pub fn verdict(task: &Assignment, right: u8) -> Message {
    match task.beat {
        _ if right >= task.pass => Message::new("code.passed"),
        Some(beat) => Message::new("code.not-beaten").text("ratio", ratio_text(beat)),
        None => Verdict::Below { needed: task.pass, goals: task.kind.is_game() }.message(),
    }
}
