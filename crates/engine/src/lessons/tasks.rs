//! An exercise with its answers.

use super::figures::Scenes;
use super::source::{KindSource, TaskSource, WrongEntry, WrongSource};
use super::staged::{Staged, best_plan};
use super::texts::Texts;
use memplan_core::base::Message;
use memplan_core::problem::{BufferId, Problem, load};
use memplan_core::text::{Locale, Speech};
use memplan_replay::Level;
use memplan_teach::exercise;
use memplan_teach::exercise::activity::Kind;
use memplan_teach::exercise::link::ExerciseLink;
use memplan_teach::exercise::operators::Operators;
use memplan_teach::exercise::packing::standing;
use memplan_teach::lesson::is_same;
use memplan_teach::lesson::{Choice, LegalPlace, TaskKind, Value, Words};

/// Most operators whose orders are all tried.
const MAX_ORDERED: usize = 10;

/// Most buffers that are moved by hand.
const MAX_PACKED: usize = 40;

/// Returns what a task asks, with its answers.
///
/// # Errors
/// Why it has no answer, or another one than the planner gives.
pub fn kind(task: &TaskSource, scenes: Scenes, texts: &mut Texts) -> Result<TaskKind, String> {
    match task.kind {
        KindSource::Choose if task.choices.is_empty() => choose_buffers(task, scenes, texts),
        KindSource::Choose => choose(task, scenes, texts),
        KindSource::Number => number(task, scenes, texts),
        KindSource::Place => place(task, scenes, texts),
        KindSource::Pack => pack(task, scenes),
        KindSource::Order => order(task, scenes),
        KindSource::Write => write(task),
    }
}

fn choose(task: &TaskSource, scenes: Scenes, texts: &mut Texts) -> Result<TaskKind, String> {
    let mut choices = Vec::new();
    for choice in &task.choices {
        choices.push(Choice {
            id: choice.id.clone(),
            text: texts.words(&choice.text, scenes),
            is_buffer: false,
            right: scenes.holds(&choice.when)?,
            say: choice.say.as_ref().map(|say| texts.words(say, scenes)),
        });
    }
    at_least_one_right(choices)
}

fn at_least_one_right(choices: Vec<Choice>) -> Result<TaskKind, String> {
    let right = choices.iter().filter(|choice| choice.right).count();
    if right == 0 || right == choices.len() {
        return Err(format!("{right} of {} choices are right", choices.len()));
    }
    if let Some(silent) = choices.iter().find(|choice| !choice.right && choice.say.is_none()) {
        return Err(format!("{} is wrong, and nothing says why", silent.id));
    }
    Ok(TaskKind::Choose(choices))
}

fn choose_buffers(task: &TaskSource, scenes: Scenes, texts: &mut Texts) -> Result<TaskKind, String> {
    let staged = scenes.here.ok_or("no scene")?;
    let query = task.set.as_ref().ok_or("neither choices nor a set")?;
    let right = scenes.set(query)?;
    let problem = &staged.run.problem;
    let among = match &task.among {
        Some(names) => names.iter().map(|name| staged.buffer(name)).collect::<Result<Vec<_>, _>>()?,
        None => problem.buffers.ids().collect(),
    };
    if let Some(missing) = right.iter().find(|id| !among.contains(id)) {
        return Err(format!("{} is right, and cannot be chosen", problem.buffers[*missing].name));
    }
    let mut own = match &task.wrong {
        WrongSource::Named(named) => named.clone(),
        WrongSource::Listed(_) => Default::default(),
    };
    let mut choices = Vec::new();
    for id in among {
        let name = problem.buffers[id].name.clone();
        let is_right = right.contains(&id);
        let say = match own.remove(&name) {
            Some(_) if is_right => return Err(format!("a sentence for a wrong answer, but {name} is right")),
            Some(say) => Some(texts.words(&say, scenes)),
            None if is_right => None,
            None => not_live(query, problem, id),
        };
        let text = Words { en: format!("{{b:{name}}}"), zh: format!("{{b:{name}}}") };
        choices.push(Choice { id: name, text, is_buffer: true, right: is_right, say });
    }
    match own.into_keys().next() {
        Some(name) => Err(format!("a sentence for {name}, which cannot be chosen")),
        None => at_least_one_right(choices),
    }
}

/// What is said about a buffer that is not live at the step asked for.
fn not_live(query: &str, problem: &Problem, id: BufferId) -> Option<Words> {
    let step: u32 = query.strip_prefix("live@")?.parse().ok()?;
    let buffer = &problem.buffers[id];
    let message = Message::new("lesson.not-live").text("name", buffer.name.clone()).count("step", step);
    Some(general(message.live("live", buffer.live.start, buffer.live.end)))
}

/// A general sentence in both languages.
fn general(message: Message) -> Words {
    let phrase = |locale| Speech { locale, ..Speech::default() }.say(&message);
    Words { en: phrase(Locale::En), zh: phrase(Locale::Zh) }
}

fn listed(task: &TaskSource) -> Result<&[WrongEntry], String> {
    match &task.wrong {
        WrongSource::Listed(entries) => Ok(entries),
        WrongSource::Named(_) => Err("sentences for wrong numbers are a list".into()),
    }
}

fn number(task: &TaskSource, scenes: Scenes, texts: &mut Texts) -> Result<TaskKind, String> {
    if task.hint.is_none() {
        return Err("a number needs a hint: nobody foresees every wrong one".into());
    }
    let figure = scenes.number(task.figure.as_ref().ok_or("no figure")?)?;
    // A ratio is asked for as it is written: with decimals.
    let scale = 10f64.powi(task.decimals as i32);
    let value = if task.decimals > 0 { (figure.value * scale).round() / scale } else { figure.value };
    if task.decimals == 0 && value.fract() != 0.0 {
        return Err(format!("{value} is no whole number, and no decimals are asked for"));
    }
    let mut wrong = Vec::new();
    for entry in listed(task)? {
        let other = scenes.number(&entry.when.text())?.value;
        if is_same(other, value, task.decimals) {
            return Err(format!("{other} is said to be wrong"));
        }
        wrong.push(Value { value: other, say: texts.words(&entry.say, scenes) });
    }
    Ok(TaskKind::Number { value, decimals: task.decimals, is_bytes: figure.is_bytes, wrong })
}

fn place(task: &TaskSource, scenes: Scenes, texts: &mut Texts) -> Result<TaskKind, String> {
    let staged = scenes.here.ok_or("no scene")?;
    let name = task.buffer.as_ref().ok_or("no buffer")?;
    let id = staged.buffer(name)?;
    let run = &staged.run;
    // A place is named by its offset alone.
    if run.plan.pools.len() != 1 {
        return Err("a place is asked for in one arena only".into());
    }
    let frame = |number| run.frame(run.timeline.events_at(Level::Decisions, number));
    let (before, after) = (frame(staged.scene.frame), frame((staged.scene.frame + 1).min(staged.frames - 1)));
    let (None, Some(taken)) = (before.places[id], after.places[id]) else {
        return Err(format!("{name} is not placed in frame {}", staged.scene.frame + 1));
    };
    let free =
        |place: exercise::Place| Free { offset: place.offset, room: (place.room != u64::MAX).then_some(place.room) };
    let mut places: Vec<Free> = exercise::places(run, &before, id).into_iter().map(free).collect();
    if !places.iter().any(|place| place.offset == taken.offset) {
        let room = before.peak.checked_sub(taken.offset).filter(|room| *room > 0);
        places.push(Free { offset: taken.offset, room });
    }
    places.sort_by_key(|place| place.offset);
    // Below what the planner takes on top there is a place without a buffer above it, too.
    let highest = places.last().map_or(0, |place| place.offset);
    for place in places.iter_mut().filter(|place| place.room.is_none() && place.offset < highest) {
        place.room = before.peak.checked_sub(place.offset);
    }
    let mut wrong = Vec::new();
    for entry in listed(task)? {
        let offset = scenes.number(&entry.when.text())?.value as u64;
        if offset == taken.offset || !places.iter().any(|place| place.offset == offset) {
            return Err(format!("{offset} is no wrong place for {name}"));
        }
        wrong.push((offset, texts.words(&entry.say, scenes)));
    }
    let size = run.problem.buffers[id].size;
    let places = places.iter().map(|place| {
        let right = place.offset == taken.offset;
        let own = wrong.iter().find(|(offset, _)| *offset == place.offset).map(|(_, say)| say.clone());
        LegalPlace {
            offset: place.offset,
            room: place.room,
            text: place.text(staged),
            right,
            say: own.or_else(|| (!right).then(|| place.rule(&places, before.peak, size)).flatten()),
        }
    });
    Ok(TaskKind::Place { buffer: name.clone(), places: places.collect() })
}

/// A legal place for a buffer.
struct Free {
    offset: u64,
    /// Bytes to the next buffer; none on top.
    room: Option<u64>,
}

impl Free {
    fn text(&self, staged: &Staged) -> Words {
        match self.room {
            Some(room) => {
                let (from, to) = (staged.bytes(self.offset), staged.bytes(self.offset + room));
                let unit = |words: &str| words.rsplit('\u{202f}').next().unwrap_or_default().to_string();
                // A unit that both ends have is written once.
                let is_same = self.offset == 0 || unit(&from) == unit(&to);
                let from = from.rsplit_once('\u{202f}').filter(|_| is_same).map_or(from.as_str(), |(figure, _)| figure);
                Words { en: format!("{from}–{to}"), zh: format!("{from}–{to}") }
            }
            None => general(Message::new("lesson.on-top").text("from", staged.bytes(self.offset))),
        }
    }

    /// The rule that would take this place.
    fn rule(&self, places: &[Free], peak: u64, size: u64) -> Option<Words> {
        let rooms = || places.iter().filter_map(|place| place.room);
        let key = match self.room {
            None if self.offset + size > peak => "lesson.place-grows",
            None => "lesson.place-top",
            Some(_) if places.first().is_some_and(|first| first.offset == self.offset) => "lesson.place-lowest",
            Some(room) if rooms().min() == Some(room) => "lesson.place-smallest",
            Some(room) if rooms().max() == Some(room) => "lesson.place-largest",
            Some(_) => return None,
        };
        Some(general(Message::new(key)))
    }
}

fn pack(task: &TaskSource, scenes: Scenes) -> Result<TaskKind, String> {
    let staged = scenes.here.ok_or("no scene")?;
    let goal = scenes.number(&task.goal.as_ref().ok_or("no goal")?.text())?.value as u64;
    if staged.run.problem.buffers.len() > MAX_PACKED {
        return Err(format!("more than {MAX_PACKED} buffers"));
    }
    if staged.run.plan.pools.len() != 1 {
        return Err("only one arena can be packed".into());
    }
    if staged.run.metrics.peak <= goal {
        return Err(format!("the plan shown needs {} and meets the goal", staged.run.metrics.peak));
    }
    let found = best_plan(staged).filter(|plan| plan.peak(&staged.run.problem) <= goal);
    let plan = found.ok_or_else(|| format!("nothing shows that a peak of {goal} can be reached"))?;
    let buffers = || staged.run.problem.buffers.enumerate();
    let solution = buffers().filter_map(|(id, buffer)| Some((buffer.name.clone(), plan.places[id]?.offset))).collect();
    let begins = standing(&staged.run.problem, &staged.run.plan).into_iter().map(|(_, buffer)| buffer).collect();
    Ok(TaskKind::Pack { goal, solution, begins: (begins, staged.run.metrics.peak) })
}

/// A program that is judged as an exercise is. Whether the programs of the lesson are right and
/// wrong is known where programs run: a test does that (`tests/native/written.rs`).
fn write(task: &TaskSource) -> Result<TaskKind, String> {
    let link = task.exercise.as_ref().ok_or("no exercise")?;
    let read = ExerciseLink::read(link).map_err(|fault| general(fault.message()).en)?;
    if read.kind != Kind::Write || read.write() != *link {
        return Err(format!("{link} is no exercise that asks for a program; it is written {}", read.write()));
    }
    let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    if task.template.is_empty() || task.solution.is_empty() || task.template == task.solution {
        return Err("a program to begin with and another one that is right are needed".into());
    }
    let (template, solution) = (text(&task.template), text(&task.solution));
    Ok(TaskKind::Write { link: link.clone(), planner: read.planner, template, solution })
}

fn order(task: &TaskSource, scenes: Scenes) -> Result<TaskKind, String> {
    let staged = scenes.here.ok_or("no scene")?;
    let goal = scenes.number(&task.goal.as_ref().ok_or("no goal")?.text())?.value as u64;
    let graph = staged.run.graph.as_deref().ok_or("no graph to order")?;
    if graph.nodes.len() > MAX_ORDERED {
        return Err(format!("more than {MAX_ORDERED} operators"));
    }
    let operators = Operators::of(graph, &staged.run.problem);
    let given: Vec<usize> = (0..operators.list.len()).collect();
    let loads = operators.loads(&given);
    let real = load(&staged.run.problem, |_| true).by_step(staged.run.problem.steps);
    if loads != real {
        return Err(format!("the loads are {real:?}, the exercise has {loads:?}"));
    }
    let (highest, (solution, best)) = (loads.into_iter().max().unwrap_or(0), operators.best());
    if highest <= goal || best > goal {
        return Err(format!("the goal is {goal}; the file's order has {highest}, the best one {best}"));
    }
    Ok(TaskKind::Order { goal, operators, solution })
}
