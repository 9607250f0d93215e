//! The language of own planners: Rhai with buffers, gaps and placements.
//!
//! A program is read twice: the constants at its top level are computed first, so that its
//! functions can use them and a misspelt name is found before anything runs.

mod arrays;
mod conditions;
mod faults;
mod levels;
mod limits;
mod never;
mod raised;
mod slips;
mod values;
mod watch;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use memplan_core::base::{MAX_SAFE, Message};
use memplan_core::problem::BufferId;
use memplan_planners::Options;
use memplan_planners::outside::{Level, MAX_CODE, OptionValue, Sheet};
use rhai::debugger::{DebuggerCommand, DebuggerEvent};
use rhai::{AST, Dynamic, Engine, Map, Module, NativeCallContext, OptimizationLevel, Scope, Shared};

use crate::board::{Board, GapRules};
use crate::calls::Call;
use faults::{at, stated, stated_option, stopped, unreadable};
use limits::Budget;
use raised::{raise, type_word};
use values::{BufferValue, gap_values};
use watch::Watch;

pub use levels::{run, statements};

/// Constants with a meaning.
const OPTIONS: &str = "OPTIONS";
const STATE: &str = "STATE";
const ALIGN: &str = "ALIGN";
const PADDED: &str = "PADDED";

/// What a program declares.
#[derive(Clone, Debug)]
pub struct Declared {
    /// How it decides.
    pub level: Level,
    /// How gaps are made.
    pub rules: GapRules,
    /// Its options with their values.
    pub options: Vec<(String, OptionValue)>,
}

impl Declared {
    /// What others may know of it.
    pub fn sheet(&self) -> Sheet {
        Sheet { level: self.level, align: self.rules.align, options: self.options.clone() }
    }
}

/// The value of an option of the program; none if options cannot be of that kind.
fn option_value(value: &Dynamic) -> Option<OptionValue> {
    if let Ok(flag) = value.as_bool() {
        return Some(OptionValue::Flag(flag));
    }
    if let Ok(whole) = value.as_int() {
        return u64::try_from(whole).ok().filter(|&whole| whole <= MAX_SAFE).map(OptionValue::Whole);
    }
    value.clone().into_string().ok().map(OptionValue::Text)
}

/// The value of an option that states its limits: `#{ value: 4, min: 1, max: 8 }`, or
/// `#{ value: "low", of: ["low", "high"] }`; none if they are none, or the value is outside.
fn limited(map: &Map) -> Option<OptionValue> {
    let known = |key: &&rhai::Identifier| matches!(key.as_str(), "value" | "min" | "max" | "of");
    if map.keys().any(|key| !known(&key)) {
        return None;
    }
    let whole = |value: &Dynamic| match option_value(value) {
        Some(OptionValue::Whole(whole)) => Some(whole),
        _ => None,
    };
    let text = |value: &Dynamic| value.clone().into_string().ok();
    let value = map.get("value")?;
    if let Some(of) = map.get("of") {
        let of: Vec<String> = of.read_lock::<rhai::Array>()?.iter().map(text).collect::<Option<_>>()?;
        let value = text(value).filter(|value| of.contains(value) && map.len() == 2)?;
        return Some(OptionValue::Choice { value, of });
    }
    let limit = |key: &str, usual: u64| map.get(key).map_or(Some(usual), whole);
    let (value, min, max) = (whole(value)?, limit("min", 0)?, limit("max", MAX_SAFE)?);
    (min..=max).contains(&value).then_some(OptionValue::Range { value, min, max })
}

/// The value of the language that stands for the text of an option with this default.
fn given(default: &OptionValue, text: &str) -> Dynamic {
    match default {
        OptionValue::Flag(_) => (text == "true").into(),
        OptionValue::Whole(default) | OptionValue::Range { value: default, .. } => {
            (text.parse().unwrap_or(*default) as i64).into()
        }
        OptionValue::Text(_) | OptionValue::Choice { .. } => text.to_string().into(),
    }
}

/// A program that can be run.
struct Program {
    /// Notes the line of every statement.
    engine: Engine,
    /// Notes none, and is several times as fast.
    quick: Engine,
    ast: AST,
    /// What its functions find in `this` at first.
    state: Map,
    declared: Declared,
    budget: Rc<Budget>,
    /// The line of the statement that ran last; 0 before the first.
    line: Rc<Cell<u32>>,
    said: Rc<RefCell<Said>>,
    watch: Rc<Watch>,
}

/// What a program of the level [`Level::Plan`] has said so far.
#[derive(Default)]
struct Said {
    calls: Vec<Call>,
    /// What it has placed; none while nothing may be placed.
    board: Option<Board>,
    /// Most calls that it may make.
    most: usize,
    /// Bytes of its words.
    bytes: usize,
    /// The line at which each buffer was placed.
    lines: BTreeMap<u32, u32>,
}

/// Returns what a program declares.
///
/// # Errors
/// A sentence with the place at which it cannot be read, or that it has no function to plan with.
pub fn declared(code: &str) -> Result<Declared, Message> {
    Program::of(code, None, 0).map(|program| program.declared)
}

impl Program {
    /// Reads a program; `given` are the values of its options, if not their defaults.
    fn of(code: &str, given: Option<&Options>, buffers: usize) -> Result<Program, Message> {
        if code.len() > MAX_CODE {
            return Err(Message::new("own-planner.long-program").count("n", MAX_CODE as u64));
        }
        let (budget, line) = (Rc::new(Budget::new(buffers)), Rc::new(Cell::new(0)));
        let said = Rc::new(RefCell::new(Said { most: limits::SAID + buffers, ..Said::default() }));
        let watch = Rc::new(Watch::default());
        let equipped = || {
            let mut engine = values::engine();
            limits::limit(&mut engine, buffers, &budget);
            engine.set_optimization_level(OptimizationLevel::None);
            speak(&mut engine, &said, &budget, &line, &watch);
            engine
        };
        let (mut engine, mut quick) = (equipped(), equipped());
        follow(&mut engine, &line, &watch);
        let first = engine.compile(code).map_err(|error| unreadable(&error, code))?;
        let mut scope = Scope::new();
        engine
            .run_ast_with_scope(&mut scope, &first.clone_statements_only())
            .map_err(|error| stopped(*error, code, line.get()))?;
        let options = options(&scope, code)?;
        let mut state = Map::new();
        let (mut known, mut constants) = (Scope::new(), Module::new());
        for (name, _, value) in scope.iter() {
            let value = match name {
                OPTIONS => chosen(&options, given).into(),
                STATE => {
                    state = value
                        .clone()
                        .try_cast::<Map>()
                        .ok_or_else(|| stated(code, STATE, Message::new("own-planner.state")))?;
                    continue;
                }
                _ => value,
            };
            known.push_constant_dynamic(name, value.clone());
            constants.set_var(name, value);
        }
        let constants: Shared<Module> = constants.into();
        quick.register_global_module(constants.clone());
        engine.register_global_module(constants);
        engine.set_strict_variables(true);
        let ast = engine.compile_with_scope(&known, code).map_err(|error| unreadable(&error, code))?;
        let declared = Declared { level: level(&ast)?, rules: rules(&scope, code)?, options };
        if let Some((place, reason)) = never::never(&ast) {
            return Err(at(place, reason));
        }
        Ok(Program { engine, quick, ast, state, declared, budget, line, said, watch })
    }
}

/// Notes the line of everything that runs, and what it sees if somebody watches.
fn follow(engine: &mut Engine, line: &Rc<Cell<u32>>, watch: &Rc<Watch>) {
    let (line, watch) = (Rc::clone(line), Rc::clone(watch));
    #[allow(deprecated)] // Its types may change; the version is pinned.
    engine.register_debugger(
        |_, debugger| arrays::begin(debugger),
        move |mut context, event, node, _, position| {
            arrays::forget_calls(context.global_runtime_state_mut().debugger_mut());
            // The end of a function is no statement.
            let runs = matches!(event, DebuggerEvent::Start | DebuggerEvent::Step);
            if let Some(here) = position.line().filter(|_| runs) {
                line.set(here as u32);
                watch.step(here as u32, node, context.scope(), context.this_ptr());
            }
            Ok(DebuggerCommand::StepInto)
        },
    );
}

/// Registers what a program says: `place`, `look`, `note`, and `gaps` between what is placed.
fn speak(engine: &mut Engine, said: &Rc<RefCell<Said>>, budget: &Rc<Budget>, line: &Rc<Cell<u32>>, watch: &Rc<Watch>) {
    type Result<T> = std::result::Result<T, Box<rhai::EvalAltResult>>;
    let line_of = |context: &NativeCallContext| context.call_position().line().unwrap_or(0) as u32;
    let (here, budget, watched) = (Rc::clone(said), Rc::clone(budget), Rc::clone(watch));
    engine.register_fn("place", move |context: NativeCallContext, buffer: BufferValue, offset: i64| -> Result<()> {
        let facts = &buffer.0.facts;
        let offset = in_range(offset, &facts.name).map_err(raise)?;
        let mut said = here.borrow_mut();
        let line = line_of(&context);
        if let Some(earlier) = said.lines.get(&facts.id) {
            let message = Message::new("own-planner.placed-twice").name("name", &facts.name);
            return Err(raise(message.count("earlier", *earlier)));
        }
        let buffer = BufferId(facts.id);
        said.board.as_mut().ok_or_else(|| raise(Message::new("own-planner.place-outside")))?.put(buffer, offset);
        said.lines.insert(facts.id, line);
        budget.renew();
        watched.placed(buffer);
        said.add(Call::Place { buffer, offset, line })
    });
    let (here, watch) = (Rc::clone(said), Rc::clone(watch));
    engine.register_fn(
        "look",
        move |context: NativeCallContext, buffer: BufferValue, offset: i64, reason: &str| -> Result<()> {
            let facts = &buffer.0.facts;
            let offset = in_range(offset, &facts.name).map_err(raise)?;
            let mut said = here.borrow_mut();
            if said.lines.contains_key(&facts.id) {
                return Err(raise(Message::new("own-planner.looked-late").name("name", &facts.name)));
            }
            let (buffer, line) = (BufferId(facts.id), line_of(&context));
            watch.looked(buffer, (offset, offset.saturating_add(1)));
            said.add(Call::Look { buffer, offset, reason: reason.to_string(), line })
        },
    );
    let here = Rc::clone(said);
    engine.register_fn("note", move |context: NativeCallContext, text: Dynamic| -> Result<()> {
        let line = line_of(&context);
        here.borrow_mut().add(Call::Note { text: text.to_string(), line })
    });
    let here = Rc::clone(said);
    engine.register_fn("gaps", move |buffer: BufferValue| -> Result<rhai::Array> {
        let said = here.borrow();
        let board = said.board.as_ref().ok_or_else(|| raise(Message::new("own-planner.place-outside")))?;
        Ok(gap_values(&board.gaps(BufferId(buffer.0.facts.id))))
    });
    let (here, line) = (Rc::clone(said), Rc::clone(line));
    engine.on_print(move |text| {
        // What cannot be kept any more is left out: the limit of `note` is an error, and nobody
        // counts on printed words.
        let _ = here.borrow_mut().add(Call::Note { text: text.to_string(), line: line.get() });
    });
}

impl Said {
    fn add(&mut self, call: Call) -> Result<(), Box<rhai::EvalAltResult>> {
        if self.calls.len() >= self.most {
            return Err(raise(Message::new("own-planner.said-too-much").count("n", limits::SAID as u64)));
        }
        if let Call::Note { text, .. } | Call::Look { reason: text, .. } = &call {
            self.bytes += text.len();
        }
        if self.bytes > limits::WORDS {
            return Err(raise(Message::new("own-planner.said-too-long").count("n", limits::WORDS as u64)));
        }
        self.calls.push(call);
        Ok(())
    }
}

/// An offset of the language in bytes.
fn in_range(offset: i64, name: &str) -> Result<u64, Message> {
    let message = || Message::new("own-planner.out-of-range").text("offset", offset.to_string()).name("name", name);
    u64::try_from(offset).ok().filter(|&offset| offset <= MAX_SAFE).ok_or_else(message)
}

/// Which functions a program has.
fn level(ast: &AST) -> Result<Level, Message> {
    let parameters = |name: &str| {
        ast.iter_functions().filter(|function| function.name == name).map(|f| f.params.len()).collect::<Vec<_>>()
    };
    let takes = |name: &str, wanted: &str, count: usize| {
        let found = parameters(name);
        let is_right = found.is_empty() || found.contains(&count);
        let message = || Message::new("own-planner.parameters").text("name", name).text("wanted", wanted);
        if is_right { Ok(!found.is_empty()) } else { Err(message()) }
    };
    let has_order = takes("order", "order(buffers)", 1)?;
    let has_plan = takes("plan", "plan(problem)", 1)?;
    let has_place = takes("place", "place(buffer, gaps)", 2)?;
    match (has_plan, has_place) {
        (true, true) => Err(Message::new("own-planner.both")),
        (true, false) => Ok(Level::Plan),
        (false, true) if has_order => Ok(Level::Order),
        (false, true) => Ok(Level::Place),
        (false, false) => Err(Message::new("own-planner.no-function-to-plan")),
    }
}

/// How gaps are made, as the program states it.
fn rules(scope: &Scope, code: &str) -> Result<GapRules, Message> {
    let align = match scope.get(ALIGN) {
        None => 1,
        Some(value) => {
            let align = value.as_int().ok().and_then(|align| u64::try_from(align).ok());
            let align = align.filter(|align| align.is_power_of_two() && *align <= 1 << 32);
            align.ok_or_else(|| stated(code, ALIGN, Message::new("own-planner.align")))?
        }
    };
    let padded = scope.get(PADDED).map_or(Ok(false), Dynamic::as_bool);
    let padded = padded.map_err(|_| stated(code, PADDED, Message::new("own-planner.padded")))?;
    Ok(GapRules { align, padded })
}

/// The options that a program states, in order of their names.
fn options(scope: &Scope, code: &str) -> Result<Vec<(String, OptionValue)>, Message> {
    let Some(value) = scope.get(OPTIONS) else { return Ok(Vec::new()) };
    let map =
        value.clone().try_cast::<Map>().ok_or_else(|| stated(code, OPTIONS, Message::new("own-planner.options")))?;
    let option = |(key, value): (&rhai::Identifier, &Dynamic)| {
        let refused = |reason: Message| stated_option(code, OPTIONS, key, reason.text("key", key.as_str()));
        if let Some(map) = value.read_lock::<Map>() {
            let limits = || refused(Message::new("own-planner.option-limits"));
            return Ok((key.to_string(), limited(&map).ok_or_else(limits)?));
        }
        // A number is one that options cannot be: its value says more than its type.
        let found = value.as_int().map_or_else(|_| type_word(value.type_name()).to_string(), |whole| whole.to_string());
        let other = || refused(Message::new("own-planner.option").text("found", found));
        Ok((key.to_string(), option_value(value).ok_or_else(other)?))
    };
    map.iter().map(option).collect()
}

/// The options with the values that were given.
fn chosen(options: &[(String, OptionValue)], given: Option<&Options>) -> Map {
    let value = |(key, default): &(String, OptionValue)| {
        let text = given.map_or_else(|| default.text(), |given| given.get(key).to_string());
        (key.as_str().into(), self::given(default, &text))
    };
    options.iter().map(value).collect()
}
