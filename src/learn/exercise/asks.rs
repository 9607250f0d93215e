//! What an exercise says before it begins: what is asked, how, and what is enough.

use crate::context::Page;
use memplan_core::base::{Family, Message};
use memplan_engine::Assignment;
use memplan_planners as planner;
use memplan_teach::exercise::link::ratio_text;

/// What is asked.
pub fn asks(page: &Page, task: &Assignment) -> Message {
    let planner = planner::title_of(&task.planner, page.speech());
    let key = match () {
        () if page.state.is_game_assigned() => {
            return Message::new(Family::EXERCISE_GAME.of([&task.kind])).text("planner", planner);
        }
        () if !task.lessons.is_empty() => return Message::new("exercise.asks-lessons").count("n", task.of),
        () if !task.ask.is_empty() => "exercise.asks-figures",
        () if task.decision.is_some() => return Message::new("exercise.asks-place").text("planner", planner),
        () => "exercise.asks",
    };
    Message::new(key).text("planner", planner).count("n", task.of)
}

/// Key of the sentences on how it is done.
pub fn how(page: &Page, task: &Assignment) -> &'static str {
    match () {
        () if task.beat.is_some() => "exercise.how-break",
        () if page.state.is_game_assigned() => "exercise.how-game",
        () if !task.lessons.is_empty() => "exercise.how-lessons",
        () if !task.ask.is_empty() => "exercise.how-figures",
        () => "exercise.how",
    }
}

/// What is enough to pass.
pub fn needs(page: &Page, task: &Assignment) -> Message {
    match task.beat {
        Some(beat) if task.pass > 0 => Message::new("exercise.needs-ratio").text("ratio", ratio_text(beat)),
        _ => {
            let needs =
                Message::new(if page.state.is_game_assigned() { "exercise.needs-goals" } else { "exercise.needs" });
            needs.count("n", task.pass).count("of", task.of)
        }
    }
}

/// The verdict on so many right answers, as the checker gives it.
pub fn verdict(task: &Assignment, right: u8) -> Message {
    match task.beat {
        _ if right >= task.pass => Message::new("code.passed"),
        Some(beat) => Message::new("code.not-beaten").text("ratio", ratio_text(beat)),
        None => Message::new("code.below").count("needed", task.pass),
    }
}
