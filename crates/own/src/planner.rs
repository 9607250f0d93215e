//! A program as a planner.

use memplan_core::base::Message;
use memplan_core::plan::Plan;
use memplan_core::problem::Branches;
use memplan_core::trace::Probe;
use memplan_planners::outside::{base, leaked};
use memplan_planners::{Info, Input, OptionKind, OptionSpec, Options, PlanError, Planner, branches};

use crate::board::{Board, GapRules};
use crate::calls::Reporter;
use crate::exchange::{calls, problem_text};
use crate::script;

/// Returns the answer of another program to a problem, both as text of `memory-problem/1`, with
/// these options.
pub type Answering = Box<dyn Fn(&str, &Options) -> Result<String, Message> + Send + Sync>;

/// A planner that a user wrote.
pub struct Own {
    info: &'static Info,
    program: Program,
}

enum Program {
    /// Rhai.
    Code(String),
    /// Another program.
    Outside(Answering),
}

impl Own {
    /// Returns the planner of a Rhai program, with what people call it; its data sheet is kept for
    /// the rest of the run.
    ///
    /// # Errors
    /// A sentence with the place at which the program cannot be read.
    pub fn of_code(id: &str, name: &str, code: String) -> Result<Own, Message> {
        let declared = script::declared(&code).map_err(|reason| of_program(id, reason))?;
        Ok(Own { info: declared.sheet().info(id, name), program: Program::Code(code) })
    }

    /// Returns the planner that asks another program, with what people call it. It takes these
    /// options.
    pub fn of_answers(id: &str, name: &str, options: Vec<OptionSpec>, answering: Answering) -> Own {
        let info = Info { options: options.leak(), ..base(id, name) };
        Own { info: Box::leak(Box::new(info)), program: Program::Outside(answering) }
    }

    /// Returns an option of any text, which the program may read.
    pub fn option(key: &str) -> OptionSpec {
        OptionSpec { key: leaked(key), original: leaked(key), kind: OptionKind::Text, default: "" }
    }
}

/// A sentence with the program that it is about.
fn of_program(id: &str, reason: Message) -> Message {
    Message::new("own-planner.of").text("planner", id).inner("reason", reason)
}

impl Planner for Own {
    fn info(&self) -> &'static Info {
        self.info
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let branches = branches(input, options)?;
        let planned = match &self.program {
            Program::Code(code) => script::run(code, input, options, branches, probe),
            Program::Outside(answering) => outside(answering, input, options, branches, probe),
        };
        // A program is found again by its path; an answer may lie in a file that is gone by then.
        let named = if matches!(self.program, Program::Code(_)) { self.info.id } else { self.info.name };
        planned.map_err(|error| match error {
            PlanError::Refused(reason) => PlanError::Refused(of_program(named, reason)),
            error => error,
        })
    }
}

/// Plans by the answer of another program.
fn outside(
    answering: &Answering,
    input: Input,
    options: &Options,
    branches: Branches,
    probe: &mut dyn Probe,
) -> Result<Plan, PlanError> {
    let text = problem_text(input.problem, input.graph, options);
    let answer = answering(&text, options).map_err(PlanError::Refused)?;
    let calls = calls(&answer, input.problem).map_err(PlanError::Refused)?;
    let rules = GapRules { align: 1, padded: false };
    let mut reporter = Reporter::new(input.problem, "", Board::new(input.problem, rules, branches));
    reporter.tell(&calls, probe)?;
    Ok(reporter.into_plan())
}
