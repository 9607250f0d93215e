//! Planners whose algorithm lies in another program: what that program is asked, and what it
//! answers. The page has planners of users this way: the program that runs them is fetched only
//! when the first one is written.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use serde::{Deserialize, Serialize};

use super::{BRANCH_SAFE, Complexity, Info, Input, OptionKind, OptionSpec, Options, PlanError, Planner};
use memplan_core::base::{MAX_SAFE, Message};
use memplan_core::graph::Graph;
use memplan_core::plan::Plan;
use memplan_core::problem::{BufferId, Problem};
use memplan_core::trace::{Event, Explanation, Probe, Sentences};

/// Longest program that a user may write, in bytes.
pub const MAX_CODE: usize = 100_000;

/// How a program decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Level {
    /// It chooses a place for one buffer after the other, in order of birth.
    Place,
    /// The same in an order of its own.
    Order,
    /// It does everything itself.
    Plan,
}

/// The value of an option: texts of options become values of the same kind.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum OptionValue {
    /// `true` or `false`.
    Flag(bool),
    /// A whole number from 0 on.
    Whole(u64),
    /// A text.
    Text(String),
    /// A whole number within limits.
    Range {
        /// The default.
        value: u64,
        /// The least.
        min: u64,
        /// The most.
        max: u64,
    },
    /// One of some texts.
    Choice {
        /// The default.
        value: String,
        /// All of them.
        of: Vec<String>,
    },
}

impl OptionValue {
    /// The value as options have it.
    pub fn text(&self) -> String {
        match self {
            OptionValue::Flag(value) => value.to_string(),
            OptionValue::Whole(value) | OptionValue::Range { value, .. } => value.to_string(),
            OptionValue::Text(value) | OptionValue::Choice { value, .. } => value.clone(),
        }
    }

    /// Which values the option takes.
    pub fn kind(&self) -> OptionKind {
        match self {
            OptionValue::Flag(_) => OptionKind::Flag,
            OptionValue::Whole(_) => OptionKind::Whole { min: 0, max: MAX_SAFE },
            OptionValue::Text(_) => OptionKind::Text,
            OptionValue::Range { min, max, .. } => OptionKind::Whole { min: *min, max: *max },
            OptionValue::Choice { of, .. } => {
                OptionKind::Choice(of.iter().map(|text| leaked(text)).collect::<Vec<_>>().leak())
            }
        }
    }
}

/// What a program states of itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Sheet {
    /// How it decides.
    pub level: Level,
    /// All offsets are multiples of it, in bytes.
    pub align: u64,
    /// Its options with their defaults.
    pub options: Vec<(String, OptionValue)>,
}

impl Default for Sheet {
    fn default() -> Sheet {
        Sheet { level: Level::Plan, align: 1, options: Vec::new() }
    }
}

impl Sheet {
    /// Returns the data sheet of the program, with what people call it. It is kept for the rest of
    /// the run.
    pub fn info(&self, id: &str, name: &str) -> &'static Info {
        let spec = |(key, value): &(String, OptionValue)| OptionSpec {
            key: leaked(key),
            original: leaked(key),
            kind: value.kind(),
            default: leaked(&value.text()),
        };
        let mut options: Vec<OptionSpec> = self.options.iter().map(spec).collect();
        let keeps_branches = self.level != Level::Plan && options.iter().all(|spec| spec.key != BRANCH_SAFE.key);
        options.extend(keeps_branches.then_some(BRANCH_SAFE));
        Box::leak(Box::new(Info {
            options: options.leak(),
            align: self.align,
            sweeps: self.level == Level::Place,
            ..base(id, name)
        }))
    }
}

/// Returns the data sheet of a planner of a user that states nothing of itself.
pub fn base(id: &str, name: &str) -> Info {
    let (id, name) = (leaked(id), leaked(name));
    Info {
        id,
        system: name,
        name,
        complexity: Complexity::Quadratic,
        explanation: Explanation { sentences: Sentences::Own, called: Some(name), ..Explanation::USUAL },
        ..Info::BASE
    }
}

/// Keeps a short text for the rest of the run, as data sheets need it.
pub fn leaked(text: &str) -> &'static str {
    Box::leak(text.to_string().into_boxed_str())
}

/// A program, and what it is to plan.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Given<'a> {
    /// The text of the program.
    pub code: Cow<'a, str>,
    /// The buffers.
    pub problem: Cow<'a, Problem>,
    /// The graph, if there is one.
    pub graph: Option<Cow<'a, Graph>>,
    /// Values of its options.
    pub options: BTreeMap<String, String>,
}

impl<'a> Given<'a> {
    /// Returns what there is to plan, without a copy.
    pub fn of(code: &'a str, input: Input<'a>, options: &Options) -> Given<'a> {
        let problem = Cow::Borrowed(input.problem);
        Given { code: code.into(), problem, graph: input.graph.map(Cow::Borrowed), options: options.to_map() }
    }

    /// The same as planners have it.
    pub fn input(&self) -> Input<'_> {
        Input { problem: &self.problem, graph: self.graph.as_deref() }
    }
}

/// What the other program is asked.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Ask<'a> {
    /// What a program states of itself.
    Read(Cow<'a, str>),
    /// The text of the program that equals a planner of memplan, by its id.
    Classic(Cow<'a, str>),
    /// A plan with its events.
    Plan {
        /// The program and the problem.
        given: Given<'a>,
        /// Decisions (first, end) of which the places looked at are wanted; none: of all, up to the
        /// usual limit.
        window: Option<(u32, u32)>,
    },
    /// The statements that lead to the place of a buffer.
    Statements {
        /// The program and the problem.
        given: Given<'a>,
        /// The buffer; none: the statements of `order`, which run before anything is placed.
        buffer: Option<BufferId>,
    },
}

/// What the other program answers, one variant for each [`Ask`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Told {
    /// What the program states, or where and why it cannot be read.
    Read(Result<Sheet, Message>),
    /// The text; none if no program equals the planner.
    Classic(Option<String>),
    /// The plan with its events, or where and why the program stopped.
    Planned(Result<(Plan, Vec<Event>), Message>),
    /// The statements, or where and why the program stopped.
    Statements(Result<Statements, Message>),
}

/// What a program does for one buffer.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Statements {
    /// The statements in the order in which they ran: the last ones, if they are many.
    pub kept: Vec<Statement>,
    /// How many before them are left out.
    pub left_out: u64,
    /// The places that were looked at for the buffer, in order: first byte, and first byte after
    /// it.
    pub places: Vec<(u64, u64)>,
}

/// A statement that ran.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Statement {
    /// Its line, from 1.
    pub line: u32,
    /// What the variables held before it ran: names and values, the newest variable last.
    pub values: Vec<(String, String)>,
    /// What it decides, where that is seen from values alone: the values that are compared, and
    /// whether it holds.
    pub condition: Option<(String, bool)>,
    /// How many of the places were looked at before it ran.
    pub looked: u32,
}

/// Passes a question on to the other program.
pub type Asking = fn(&Ask) -> Result<Told, Message>;

/// A planner whose algorithm is asked of another program.
pub struct Outside {
    info: &'static Info,
    asking: Asking,
}

/// Most programs whose texts are kept: those of a user's list, which is shorter, and those of the
/// runs before.
const KEPT: usize = 256;

/// A program that was registered.
struct Registered {
    planner: &'static Outside,
    sheet: Sheet,
    /// The text; none once newer programs have taken its place.
    code: Option<Arc<str>>,
}

/// All programs, the last one that was registered at the end. A data sheet is kept for the rest of
/// the run, as others hold it: one for each text and what that states, however often it runs.
static PROGRAMS: RwLock<Vec<Registered>> = RwLock::new(Vec::new());

/// Registers the planner of a program, in place of one with the same id, and returns its data
/// sheet. The texts of the oldest programs are dropped: such a planner is unknown from then on,
/// until it is registered again.
pub fn register(id: &str, name: &str, code: &str, sheet: &Sheet, asking: Asking) -> &'static Info {
    let mut all = PROGRAMS.write().unwrap_or_else(PoisonError::into_inner);
    let is_same = |known: &Registered| known.planner.info.id == id && known.sheet == *sheet;
    let planner: &'static Outside = match all.iter().position(is_same) {
        Some(at) => all.remove(at).planner,
        None => Box::leak(Box::new(Outside { info: sheet.info(id, name), asking })),
    };
    all.iter_mut().filter(|other| other.planner.info.id == id).for_each(|other| other.code = None);
    all.push(Registered { planner, sheet: sheet.clone(), code: Some(code.into()) });
    let surplus = all.iter().filter(|known| known.code.is_some()).count().saturating_sub(KEPT);
    all.iter_mut().filter(|known| known.code.is_some()).take(surplus).for_each(|oldest| oldest.code = None);
    planner.info
}

/// Returns the planner of a registered program whose text is kept.
pub fn find(id: &str) -> Option<&'static Outside> {
    program(id).map(|(planner, _)| planner)
}

/// Returns a registered program with its text.
fn program(id: &str) -> Option<(&'static Outside, Arc<str>)> {
    let all = PROGRAMS.read().unwrap_or_else(PoisonError::into_inner);
    all.iter().filter(|known| known.planner.info.id == id).find_map(|known| Some((known.planner, known.code.clone()?)))
}

impl Planner for Outside {
    fn info(&self) -> &'static Info {
        self.info
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let total = input.problem.buffers.len() as u32;
        if probe.pulse(0, total.into()).is_break() {
            return Err(PlanError::Cancelled);
        }
        // A recorder wants everything until it is full, or a window; others want nothing.
        let wanted = |decision: &u32| probe.wants_detail(*decision);
        let first = (0..total).find(wanted);
        let is_all = first == Some(0) && (0..total).all(|decision| wanted(&decision));
        let end = first.map(|first| (first..total).find(|decision| !wanted(decision)).unwrap_or(total));
        let window = if is_all { None } else { Some(first.zip(end).unwrap_or_default()) };
        // Whoever plans by an old program registers it before.
        let Some((_, code)) = program(self.info.id) else { return Err(PlanError::Cancelled) };
        let told = (self.asking)(&Ask::Plan { given: Given::of(&code, input, options), window });
        match told.map_err(PlanError::Refused)? {
            Told::Planned(Ok((plan, events))) => {
                events.into_iter().for_each(|event| probe.event(event));
                Ok(plan)
            }
            Told::Planned(Err(why)) => Err(PlanError::Refused(why)),
            // It answers what it is asked.
            _ => Err(PlanError::Cancelled),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn silent(_: &Ask) -> Result<Told, Message> {
        Err(Message::new("notice.crashed"))
    }

    #[test]
    fn a_program_has_one_data_sheet_and_old_texts_are_dropped() {
        let sheet = Sheet { options: vec![("k".into(), OptionValue::Whole(4))], ..Sheet::default() };
        let registers = |id: &str, sheet: &Sheet| register(id, "mine", "fn place(b, g) { 0 }", sheet, silent);
        let first = registers("own-a", &sheet);
        for _ in 0..1000 {
            assert!(std::ptr::eq(first, registers("own-a", &sheet)), "the same at each run");
        }
        let plain = registers("own-a", &Sheet::default());
        assert!(plain.options.len() < first.options.len(), "what states something else is something else");
        assert!(find("own-a").is_some_and(|planner| std::ptr::eq(planner.info(), plain)));
        assert!(std::ptr::eq(first, registers("own-a", &sheet)));
        let text = program("own-a").map(|(_, code)| Arc::downgrade(&code)).expect("a text");
        for number in 0..KEPT {
            assert!(text.upgrade().is_some(), "{number}");
            registers(&format!("own-b{number}"), &sheet);
        }
        assert!(text.upgrade().is_none() && find("own-a").is_none());
        assert!(std::ptr::eq(first, registers("own-a", &sheet)) && find("own-a").is_some());
        assert!(find("own-b0").is_none() && find("own-b1").is_some());
    }
}
