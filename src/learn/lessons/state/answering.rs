//! Answers to the exercises of a lesson.

use std::rc::Rc;

use crate::learn::lessons::state::progress::{Attempt, has_several, place_id, scene_of, task_of};
use crate::learn::lessons::state::writing::{WriteAction, Writing};
use crate::shell::state::State;
use crate::shell::state::action::{LearnAction, TaskAction};
use memplan_core::base::{Arg, Message, exact};
use memplan_core::plan::Plan;
use memplan_core::problem::BufferId;
use memplan_engine::shown_as_read;
use memplan_planners::origin;
use memplan_replay::Run;
use memplan_teach::exercise::packing::{addresses, moved};
use memplan_teach::lesson::{Feedback, Judged, Task, TaskKind, amounts, judge_choice, judge_number, judge_place};

/// What stands for the planner of a plan that the reader has made.
pub const BY_HAND: &str = "by-hand";

/// Moves that count as a wrong answer: a hint is due after two of those.
const MOVES: u32 = 3;

impl State {
    pub(crate) fn on_task(&mut self, id: &str, action: TaskAction) {
        let Some((at, task)) = self.task(id) else { return };
        // Who answers a question is at its paragraph, wherever the text is scrolled to.
        let is_kept = matches!(action, TaskAction::Program(WriteAction::Kept(_)));
        if !is_kept && !self.asks_lessons() && self.learning.place.paragraph != at {
            self.on_learn(LearnAction::Paragraph(at));
        }
        let moves_buffers = matches!(task.kind, TaskKind::Pack { .. });
        if moves_buffers && !matches!(action, TaskAction::Hint) && !self.is_beside(id) {
            if matches!(action, TaskAction::Shift { .. }) {
                self.on_learn(LearnAction::Show(at));
                self.learning.waiting = Some((id.to_string(), action));
                self.make_waiting_move();
            }
            return;
        }
        let was_away = self.is_away();
        let mut attempt = self.learning.attempts.remove(id).unwrap_or_default();
        let was_over = attempt.over;
        match action {
            TaskAction::Hint => attempt.hint = true,
            TaskAction::Again => attempt = self.again(attempt),
            TaskAction::Shift { buffer, up } => self.shift(&task, &mut attempt, buffer, up),
            TaskAction::Put { buffer, offset, goes_on } => self.put(&task, &mut attempt, (buffer, offset), goes_on),
            TaskAction::Undo => self.take_back(&task, &mut attempt),
            TaskAction::Program(action) => self.write_program(&task, &mut attempt, action),
            _ if attempt.over => {}
            TaskAction::Choose(choice) => choose(&task, &mut attempt, choice),
            TaskAction::Type(text) => {
                attempt.text = text;
                attempt.judged = None;
            }
            TaskAction::Check => check(&task, &mut attempt),
            TaskAction::Move { from, to } => reorder(&task, &mut attempt, from, to),
            TaskAction::ShowMe => self.show_answer(&task, &mut attempt),
        }
        if attempt.over {
            self.task_over(&task, &attempt);
        }
        let is_over = attempt.over && !was_over;
        self.learning.attempts.insert(id.to_string(), attempt);
        if is_over && !was_away && self.learning.staged == at {
            self.show_on_plan(&task);
        }
    }

    /// Makes the move that waited for the plan of its exercise.
    pub(crate) fn make_waiting_move(&mut self) {
        let is_beside = |(id, _): &mut (String, TaskAction)| self.is_beside(id);
        let mut waiting = self.learning.waiting.clone();
        if let Some((id, action)) = waiting.take_if(is_beside) {
            self.learning.waiting = None;
            self.on_task(&id, action);
        }
    }

    /// An exercise that begins anew with the planner's plan has no moves to take back.
    pub(crate) fn forget_moves(&mut self) {
        let Some(id) = self.open_task().map(|task| task.id.clone()) else { return };
        if let Some(attempt) = self.learning.attempts.get_mut(&id).filter(|attempt| !attempt.before.is_empty()) {
            attempt.before.clear();
            attempt.judged = None;
        }
    }

    /// Shows an answer on the plan: the frame that places what the reader was asked about, or the
    /// scene that has it.
    pub(crate) fn show_on_plan(&mut self, task: &Task) {
        if task.shows.is_some() {
            self.stage(self.learning.staged);
        } else if matches!(task.kind, TaskKind::Place { .. }) {
            let frame = self.scene_beside().map(|scene| scene.frame + 1);
            frame.into_iter().for_each(|frame| self.seek(frame));
        }
    }

    pub(crate) fn task_over(&mut self, task: &Task, attempt: &Attempt) {
        // What is handed in to a teacher is no progress of a reader.
        let Some(lesson) = self.learning.place.lesson.filter(|_| self.teaching.assigned.is_none()) else { return };
        let progress = self.learning.learned.lessons.entry(lesson).or_default();
        if attempt.shown {
            if !progress.right.contains(&task.id) {
                progress.shown.insert(task.id.clone());
            }
        } else {
            progress.shown.remove(&task.id);
            progress.right.insert(task.id.clone());
        }
    }

    /// A choice by a click on the plan: buffers are chosen where an open exercise asks for buffers.
    pub(crate) fn choose_on_plan(&mut self, buffer: BufferId) {
        let Some(task) = self.open_task().filter(|_| !self.is_away()) else { return };
        let TaskKind::Choose(choices) = &task.kind else { return };
        let Some(run) = &self.document.run else { return };
        let name = run.problem.buffers.get(buffer).map(|buffer| buffer.name.clone());
        let choice = name.filter(|name| choices.iter().any(|choice| choice.is_buffer && choice.id == *name));
        let id = task.id.clone();
        if let Some(choice) = choice {
            self.on_task(&id, TaskAction::Choose(choice));
        }
    }

    /// Whether the plan shown is the one that the reader makes in the exercise beside it.
    pub fn is_packing(&self) -> bool {
        let is_pack = |task: &Task| matches!(task.kind, TaskKind::Pack { .. });
        self.staged_task().is_some_and(is_pack) && self.document.run.as_ref().is_some_and(|run| run.planner == BY_HAND)
    }

    /// Whether an exercise of the lesson puts the nodes of the graph beside the text into an order:
    /// they have the same names in every paragraph.
    pub fn orders_nodes(&self) -> bool {
        let Some((lesson, scene)) = self.learning.lesson.as_deref().zip(self.scene_beside()) else { return false };
        let is_order =
            |at: &usize| task_of(lesson, *at).is_some_and(|task| matches!(task.kind, TaskKind::Order { .. }));
        let orders = (0..lesson.paragraphs.len()).filter(is_order).filter_map(|at| scene_of(lesson, at));
        let is_same = |name: &str| lesson.scenes.get(name).is_some_and(|other| other.document == scene.document);
        orders.into_iter().any(is_same) && !self.is_away()
    }

    fn again(&mut self, attempt: Attempt) -> Attempt {
        if let Some(first) = attempt.before.first() {
            self.show_plan(first.clone());
        }
        Attempt { wrong: attempt.wrong, hint: attempt.hint, ..Attempt::default() }
    }

    fn shift(&mut self, task: &Task, attempt: &mut Attempt, buffer: BufferId, up: bool) {
        let Some(run) = self.document.run.clone() else { return };
        let Some(place) = run.plan.places.get(buffer).copied().flatten() else { return };
        let offered = addresses(&run.problem, &run.plan.places, buffer);
        let next = if up {
            offered.into_iter().find(|offset| *offset > place.offset)
        } else {
            offered.into_iter().rev().find(|offset| *offset < place.offset)
        };
        next.into_iter().for_each(|offset| self.put(task, attempt, (buffer, offset), false));
    }

    /// Puts a buffer of the reader's plan to an address that is legal there.
    fn put(&mut self, task: &Task, attempt: &mut Attempt, (buffer, offset): (BufferId, u64), goes_on: bool) {
        let TaskKind::Pack { goal, .. } = task.kind else { return };
        let Some(run) = self.document.run.clone() else { return };
        let is_legal =
            run.plan.places.get(buffer).is_some_and(|place| place.is_some_and(|place| place.offset != offset))
                && addresses(&run.problem, &run.plan.places, buffer).contains(&offset);
        if !is_legal {
            return;
        }
        let first = attempt.before.first().unwrap_or(&run.plan).peak(&run.problem);
        if !goes_on || attempt.before.is_empty() {
            attempt.before.push(run.plan.clone());
        }
        self.show_plan(moved(&run.problem, &run.plan, buffer, offset));
        self.stepping.selection = Some(buffer);
        let peak = self.document.run.as_ref().map_or(first, |run| run.metrics.peak);
        attempt.judged = Some(packed(peak, first, goal));
        attempt.over |= peak <= goal;
        attempt.move_made(MOVES);
    }

    fn take_back(&mut self, task: &Task, attempt: &mut Attempt) {
        let TaskKind::Pack { goal, .. } = task.kind else { return };
        if let Some(plan) = attempt.before.pop() {
            self.show_plan(plan);
            let run = self.document.run.as_ref();
            let first = attempt.before.first().zip(run).map(|(plan, run)| plan.peak(&run.problem));
            attempt.judged = first.zip(run).map(|(first, run)| packed(run.metrics.peak, first, goal));
        }
    }

    /// Shows a plan of the same buffers in place of the planner's.
    fn show_plan(&mut self, plan: Plan) {
        let Some(run) = &self.document.run else { return };
        let shown = shown_as_read(&run.problem, &plan);
        let made = Run::new(run.problem.clone(), origin(BY_HAND, run.align), plan, shown.events);
        let made = made.with_graph(run.graph.clone());
        self.stepping.cursor =
            made.timeline.events_at(self.stepping.level, made.timeline.frames(self.stepping.level) - 1);
        self.document.run = Some(Rc::new(made));
    }

    fn show_answer(&mut self, task: &Task, attempt: &mut Attempt) {
        match &task.kind {
            TaskKind::Choose(choices) => {
                attempt.chosen = choices.iter().filter(|choice| choice.right).map(|choice| choice.id.clone()).collect();
            }
            TaskKind::Place { places, .. } => {
                attempt.chosen = places.iter().filter(|place| place.right).map(place_id).collect();
            }
            TaskKind::Number { value, .. } => {
                let whole = value.fract() == 0.0;
                attempt.text = if whole { exact(*value as u64) } else { format!("{value:.2}") };
            }
            TaskKind::Order { solution, .. } => attempt.order.clone_from(solution),
            TaskKind::Write { solution, .. } => attempt.writing = Some(Writing::of(solution)),
            TaskKind::Pack { solution, .. } => {
                let Some(run) = self.document.run.clone() else { return };
                attempt.before.push(run.plan.clone());
                let mut plan = run.plan.clone();
                for (name, offset) in solution {
                    if let Some(id) = run.buffer_named(name) {
                        plan = moved(&run.problem, &plan, id, *offset);
                    }
                }
                self.show_plan(plan);
            }
        }
        attempt.judged = None;
        attempt.shown = true;
        attempt.over = true;
    }
}

/// The sentences about a plan of the reader's own.
fn packed(peak: u64, first: u64, goal: u64) -> Judged {
    let message = match peak {
        _ if peak <= goal => return Judged { right: true, feedback: None },
        _ if peak < first => Message::new("lesson.better").bytes("less", first - peak),
        _ if peak > first => Message::new("lesson.worse").bytes("more", peak - first),
        _ => Message::new("lesson.same").bytes("peak", peak),
    };
    Judged { right: false, feedback: Some(Feedback::General(message)) }
}

/// Chooses something, or takes the choice back. What is judged one by one is judged at once.
fn choose(task: &Task, attempt: &mut Attempt, choice: String) {
    match &task.kind {
        TaskKind::Choose(choices) => {
            let Some(chosen) = choices.iter().find(|other| other.id == choice) else { return };
            if attempt.chosen.remove(&choice) {
                attempt.judged = None;
                return;
            }
            if !has_several(task) {
                attempt.chosen.clear();
            }
            attempt.chosen.insert(choice.clone());
            let missing = choices.iter().filter(|choice| choice.right && !attempt.chosen.contains(&choice.id)).count();
            match judge_choice(chosen) {
                judged if !judged.right => {
                    attempt.tried.insert(choice);
                    attempt.note(judged);
                }
                judged if missing == 0 => {
                    // The mistake has been explained, and need not be undone first.
                    attempt.chosen.retain(|id| choices.iter().any(|choice| choice.right && choice.id == *id));
                    attempt.note(judged);
                }
                _ => {
                    let is_right = |id: &String| choices.iter().any(|choice| choice.right && choice.id == *id);
                    let wrong: Vec<String> = attempt.chosen.iter().filter(|id| !is_right(id)).cloned().collect();
                    attempt.chosen.retain(is_right);
                    let so_far = match wrong.is_empty() {
                        true => Message::new("lesson.so-far"),
                        false if chosen.is_buffer => Message::new("lesson.so-far-but")
                            .name("right", &*choice)
                            .count("k", wrong.len() as u64)
                            .with("wrong", Arg::Names(wrong)),
                        false => Message::new("lesson.so-far-one"),
                    };
                    let so_far = so_far.count("n", missing as u64);
                    attempt.judged = Some(Judged { right: true, feedback: Some(Feedback::General(so_far)) });
                }
            }
        }
        TaskKind::Place { places, .. } => {
            let Some(place) = places.iter().find(|place| place_id(place) == choice) else { return };
            let judged = judge_place(place);
            if !judged.right {
                attempt.tried.insert(choice.clone());
            }
            // The same place once more is no other answer.
            if attempt.chosen != [choice.clone()].into() {
                attempt.note(judged);
            }
            attempt.chosen = [choice].into();
        }
        _ => {}
    }
}

/// Judges what was typed.
fn check(task: &Task, attempt: &mut Attempt) {
    let TaskKind::Number { value, decimals, is_bytes, wrong } = &task.kind else { return };
    if attempt.text.trim().is_empty() {
        return;
    }
    let judged = judge_number(&attempt.text, *is_bytes, *value, *decimals, wrong);
    // What is no number was no guess, and the same number in other words is no other.
    if let Some(amount) = amounts(&attempt.text, *is_bytes).last().filter(|_| !judged.right) {
        attempt.tried.insert(amount.to_string());
    }
    attempt.note(judged);
}

/// Moves an operator to another position, unless it would run before what it reads is made.
fn reorder(task: &Task, attempt: &mut Attempt, from: usize, to: usize) {
    let TaskKind::Order { goal, operators, .. } = &task.kind else { return };
    let mut order = attempt.order.clone();
    if order.is_empty() {
        order = (0..operators.list.len()).collect();
    }
    if from >= order.len() || to >= order.len() || from == to {
        return;
    }
    let operator = order.remove(from);
    order.insert(to, operator);
    attempt.move_made(MOVES);
    if let Some((operator, needed)) = operators.fault(&order) {
        let name = |at: usize| operators.list[at].name.clone();
        let message = Message::new("lesson.order-illegal").text("name", name(operator)).text("needed", name(needed));
        attempt.judged = Some(Judged { right: false, feedback: Some(Feedback::General(message)) });
        return;
    }
    let highest = |order: &[usize]| operators.loads(order).into_iter().max().unwrap_or(0);
    let given: Vec<usize> = (0..operators.list.len()).collect();
    attempt.judged = Some(packed(highest(&order), highest(&given), *goal));
    attempt.over = highest(&order) <= *goal;
    attempt.order = order;
}
