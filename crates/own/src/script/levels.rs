//! The three levels: `place` alone, `place` in an order of the program, and `plan`.

use memplan_core::base::{Arg, Message};
use memplan_core::plan::Plan;
use memplan_core::problem::{Branches, BufferId, Problem};
use memplan_core::trace::{Event, Outcome, Probe, Silent};
use memplan_planners::outside::{Level, Statements};
use memplan_planners::{Input, Options, PlanError};
use rhai::{Array, CallFnOptions, Dynamic, EvalAltResult, FuncArgs, Scope};

use super::conditions::Mixed;
use super::faults::{at, stopped};
use super::limits::{ENDLESS, FOLLOWED};
use super::raised::type_word;
use super::values::{BufferValue, buffer_values, gap_values, problem_value};
use super::watch::Watched;
use super::{Program, in_range};
use crate::board::{Board, Gap};
use crate::calls::{Call, Reporter, listed};
use crate::facts::{ProblemFacts, facts};

/// Plans by a program.
///
/// # Errors
/// Where and why the program cannot be read or stopped, or which buffer has no place.
pub fn run(
    code: &str,
    input: Input,
    options: &Options,
    branches: Branches,
    probe: &mut dyn Probe,
) -> Result<Plan, PlanError> {
    // What is printed stands with its line.
    let follows = code.contains("print");
    let begun = |follows: bool| -> Result<Run, PlanError> {
        let program = Program::of(code, Some(options), input.problem.buffers.len()).map_err(PlanError::Refused)?;
        Ok(Run::new(program, code, input, follows))
    };
    match begun(follows)?.plan(input, branches.clone(), probe) {
        // The line is noted in a second run, which ends in the same way.
        Err(PlanError::Refused(reason)) if !follows && lacks_line(&reason) => {
            let mut again = begun(true)?;
            let is_endless = reason.key == ENDLESS;
            if is_endless {
                again.program.budget.cap(FOLLOWED);
            }
            Err(match again.plan(input, branches, &mut Silent).err() {
                Some(PlanError::Refused(again)) if is_endless => PlanError::Refused(in_line_of(&again, reason)),
                again => again.unwrap_or(PlanError::Refused(reason)),
            })
        }
        planned => planned,
    }
}

/// Whether the line of an error may be found. What takes ten seconds takes them again.
fn lacks_line(reason: &Message) -> bool {
    let has_none = ["at", "at-line", "unplaced", "too-much-work", "too-slow"];
    !reason.key.strip_prefix("own-planner.").is_some_and(|key| has_none.contains(&key))
}

/// A sentence with the line of another one.
fn in_line_of(other: &Message, reason: Message) -> Message {
    match other.arg("line") {
        Some(Arg::Count(line)) => Message::new("own-planner.at-line").count("line", *line).inner("reason", reason),
        _ => reason,
    }
}

/// Returns the statements that lead to the place of a buffer; without one, those of `order`.
///
/// # Errors
/// As for [`run`].
pub fn statements(
    code: &str,
    input: Input,
    options: &Options,
    branches: Branches,
    buffer: Option<BufferId>,
) -> Result<Statements, PlanError> {
    let program = Program::of(code, Some(options), input.problem.buffers.len()).map_err(PlanError::Refused)?;
    let level = program.declared.level;
    program.watch.wait_for(buffer.map_or(Watched::Order, Watched::Buffer));
    let mut run = Run::new(program, code, input, true);
    match buffer {
        Some(_) => drop(run.plan(input, branches, &mut Silent)?),
        None if level == Level::Order => drop(run.order(&by_birth(input.problem)).map_err(PlanError::Refused)?),
        None => {}
    }
    Ok(run.program.watch.take())
}

/// The buffers by birth, then by position.
fn by_birth(problem: &Problem) -> Vec<BufferId> {
    let mut order: Vec<BufferId> = problem.buffers.ids().collect();
    order.sort_by_key(|&id| (problem.buffers[id].live.start, id));
    order
}

/// A program while it runs.
struct Run<'a> {
    program: Program,
    code: &'a str,
    /// `this` of its functions.
    state: Dynamic,
    facts: ProblemFacts,
    buffers: Vec<BufferValue>,
    /// Whether the line of every statement is noted.
    follows: bool,
}

impl<'a> Run<'a> {
    fn new(program: Program, code: &'a str, input: Input, follows: bool) -> Run<'a> {
        let facts = facts(input.problem, input.graph);
        let state = program.state.clone().into();
        let buffers = buffer_values(&facts);
        Run { program, code, state, facts, buffers, follows }
    }

    /// Runs it.
    fn plan(&mut self, input: Input, branches: Branches, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let problem = input.problem;
        let rules = self.program.declared.rules;
        let board = || Board::new(problem, rules, branches.clone());
        let mut reporter = Reporter::new(problem, self.code, board());
        match self.program.declared.level {
            Level::Plan => {
                self.program.said.borrow_mut().board = Some(board());
                let value = problem_value(&self.facts, &self.buffers);
                self.program.watch.begin();
                let done = self.call("plan", (value,), self.follows);
                let calls = std::mem::take(&mut self.program.said.borrow_mut().calls);
                // What was placed before an error is shown all the same.
                let told = reporter.tell(&calls, probe);
                done.map(drop).map_err(PlanError::Refused)?;
                told?;
            }
            Level::Place | Level::Order => self.places(input, &mut reporter, probe)?,
        }
        Ok(reporter.into_plan())
    }

    /// Calls a function of the program; `follows`: the line of every statement is noted.
    fn call(&mut self, name: &str, arguments: impl FuncArgs, follows: bool) -> Result<Dynamic, Message> {
        self.program.budget.renew();
        self.program.budget.is_for_all(name != "place");
        let options = CallFnOptions::new().eval_ast(false).bind_this_ptr(&mut self.state);
        let Program { engine, quick, ast, line, .. } = &self.program;
        line.set(0);
        let engine = if follows { engine } else { quick };
        let called: Result<Dynamic, Box<EvalAltResult>> =
            engine.call_fn_with_options(options, &mut Scope::new(), ast, name, arguments);
        called.map_err(|error| stopped(*error, self.code, line.get()))
    }

    /// A sentence about what a function returned, with the line that ran last.
    fn about_result(&self, reason: Message) -> Message {
        match self.program.line.get() {
            0 => reason,
            line => at(rhai::Position::new(line.min(u32::from(u16::MAX)) as u16, 0), reason),
        }
    }

    /// Places one buffer after the other.
    fn places(&mut self, input: Input, reporter: &mut Reporter, probe: &mut dyn Probe) -> Result<(), PlanError> {
        let problem = input.problem;
        let mut order = by_birth(problem);
        let is_by_birth = self.program.declared.level == Level::Place;
        if !is_by_birth {
            order = self.order(&order).map_err(PlanError::Refused)?;
        }
        // Only in order of birth is a buffer dead for good once a later one is born.
        let mut deaths: Vec<BufferId> = if is_by_birth { problem.buffers.ids().collect() } else { Vec::new() };
        deaths.sort_by_key(|&id| (problem.buffers[id].live.end, id));
        let mut deaths = deaths.into_iter().peekable();
        for (decision, &id) in order.iter().enumerate() {
            if probe.pulse(decision as u64, order.len() as u64).is_break() {
                return Err(PlanError::Cancelled);
            }
            let buffer = &problem.buffers[id];
            let detail = reporter.begin(id, probe);
            while let Some(dead) = deaths.next_if(|&dead| problem.buffers[dead].live.end <= buffer.live.start) {
                probe.event(Event::Release { buffer: dead });
            }
            if buffer.size == 0 {
                reporter.place(id, 0, Outcome::Nothing, probe);
                continue;
            }
            let gaps = reporter.board.gaps(id);
            let value = self.buffers[id.0 as usize].clone();
            if self.program.watch.is_of(id) {
                self.program.watch.begin_place();
            }
            // The line is shown where the places are that were looked at.
            let result = self.call("place", (value, gap_values(&gaps)), self.follows || detail);
            self.program.watch.placed(id);
            if self.program.watch.is_over() {
                // The rest of the plan is not wanted.
                return result.map(drop).map_err(PlanError::Refused);
            }
            // What was printed on the way belongs to this decision.
            let printed = std::mem::take(&mut self.program.said.borrow_mut().calls);
            printed.iter().for_each(|call: &Call| reporter.note(call, probe));
            let offset = result.and_then(|result| self.offset(&result, &buffer.name));
            let offset = offset.map_err(|reason| PlanError::Refused(self.why_nothing(id, &gaps).unwrap_or(reason)))?;
            let outcome = reporter.look_at_gaps(id, &gaps, offset, detail, probe);
            reporter.line(self.program.line.get(), probe);
            reporter.place(id, offset, outcome, probe);
        }
        Ok(())
    }

    /// What `place` returned, as an offset.
    fn offset(&self, result: &Dynamic, name: &str) -> Result<u64, Message> {
        let reason = match result.as_int() {
            Ok(offset) => match in_range(offset, name) {
                Ok(offset) => return Ok(offset),
                Err(reason) => reason,
            },
            Err(_) if result.is_unit() => Message::new("own-planner.no-offset").name("name", name),
            Err(_) => Message::new("own-planner.not-an-offset")
                .name("name", name)
                .text("found", type_word(result.type_name())),
        };
        Err(self.about_result(reason))
    }

    /// Why `place` returned nothing, if a comparison that never holds is in its way. It runs once
    /// more, as nobody looks at comparisons else.
    fn why_nothing(&mut self, id: BufferId, gaps: &[Gap]) -> Option<Message> {
        self.program.watch.doubt();
        let buffer = self.buffers[id.0 as usize].clone();
        let name = buffer.0.facts.name.clone();
        let result = self.call("place", (buffer, gap_values(gaps)), true);
        let Mixed { place, sign, types: [one, other] } = self.program.watch.take_mixed()?;
        let message = Message::new("own-planner.mixed").text("sign", sign).text("one", one).text("other", other);
        result.ok().filter(Dynamic::is_unit).map(|_| at(place, message.name("name", name)))
    }

    /// The order that the program returns: every buffer once.
    fn order(&mut self, births: &[BufferId]) -> Result<Vec<BufferId>, Message> {
        let all: Array = births.iter().map(|id| Dynamic::from(self.buffers[id.0 as usize].clone())).collect();
        if self.program.watch.is_of_order() {
            self.program.watch.begin();
        }
        let result = self.call("order", (all,), self.follows)?;
        let found = type_word(result.type_name()).to_string();
        let refused = || self.about_result(Message::new("own-planner.not-an-array").text("found", &*found));
        let result = result.try_cast::<Array>().ok_or_else(refused)?;
        let mut order = Vec::with_capacity(result.len());
        let mut is_there = vec![false; self.buffers.len()];
        for value in result {
            let found = type_word(value.type_name()).to_string();
            let refused = || self.about_result(Message::new("own-planner.not-an-array").text("found", &*found));
            let buffer = value.try_cast::<BufferValue>().ok_or_else(refused)?;
            let facts = &buffer.0.facts;
            if std::mem::replace(&mut is_there[facts.id as usize], true) {
                return Err(self.about_result(Message::new("own-planner.order-twice").name("name", &facts.name)));
            }
            order.push(BufferId(facts.id));
        }
        let left = self.buffers.iter().zip(is_there).filter(|(_, is_there)| !is_there);
        let left: Vec<String> = left.map(|(buffer, _)| buffer.0.facts.name.clone()).collect();
        if left.is_empty() {
            return Ok(order);
        }
        let message =
            Message::new("own-planner.order-lacks").count("n", left.len() as u64).text("names", listed(&left));
        Err(self.about_result(message))
    }
}
