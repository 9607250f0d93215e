//! What a program does for one buffer, statement by statement, with the values that it sees.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use memplan_core::problem::BufferId;
use memplan_planners::outside::{Statement, Statements};
use rhai::{ASTNode, Array, Dynamic, Map, Position, Scope, Stmt};

use super::conditions::{Mixed, condition, mixed};
use super::values::{BufferValue, GapValue};

/// Most statements that are kept: the last ones, which lead to the place.
const MOST: usize = 2_000;

/// Most variables of a statement.
const VARIABLES: usize = 24;

/// Most letters of a value, and elements of an array or map in it.
const LETTERS: usize = 80;
const ELEMENTS: usize = 6;

/// What is watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Watched {
    /// The function `order`.
    Order,
    /// What leads to the place of a buffer.
    Buffer(BufferId),
}

/// Keeps the statements of what is watched.
#[derive(Default)]
pub struct Watch {
    /// None if nobody watches.
    watched: Cell<Option<Watched>>,
    is_on: Cell<bool>,
    is_over: Cell<bool>,
    /// Whether variables hold what is looked at: gaps that a function `place` was given.
    sees_gaps: Cell<bool>,
    found: RefCell<VecDeque<Statement>>,
    /// Statements before those that are kept.
    left_out: Cell<u64>,
    /// The places looked at for the buffer: first byte, and first byte after it.
    places: RefCell<Vec<(u64, u64)>>,
    /// The loops that were begun.
    loops: RefCell<Vec<Loop>>,
    /// Whether comparisons are looked at, and the first that never holds.
    doubts: Cell<bool>,
    mixed: RefCell<Option<Mixed>>,
}

/// A `for` through something.
struct Loop {
    line: u32,
    /// Line of the first statement of its block.
    first: u32,
    /// The variables that each turn sets.
    names: Vec<String>,
}

impl Loop {
    /// The loop of a statement, if it is one.
    fn of(node: &ASTNode) -> Option<Loop> {
        let ASTNode::Stmt(Stmt::For(parts, position)) = node else { return None };
        let (name, counter, flow) = &**parts;
        let line = |position: Position| position.line().map(|line| line as u32);
        let names = std::iter::once(name).chain(counter).map(|ident| ident.name.to_string());
        let first = flow.body.iter().next()?.position();
        Some(Loop { line: line(*position)?, first: line(first)?, names: names.collect() })
    }

    /// The values at the head of the loop before its next turn, if this is the first statement of
    /// one: the variables of the loop still hold what they held in the turn before.
    fn head(&self, last: &Statement, line: u32, values: &[(String, String)]) -> Option<Vec<(String, String)>> {
        let held = |name: &String| last.values.iter().find(|(known, _)| known == name).map(|(_, value)| value);
        let is_next = |(name, value): &(String, String)| {
            self.names.contains(name) && held(name).is_some_and(|held| held != value)
        };
        if line != self.first || !values.iter().any(is_next) {
            return None;
        }
        let before = |(name, value): &(String, String)| {
            let held = held(name).filter(|_| self.names.contains(name)).unwrap_or(value);
            (name.clone(), held.clone())
        };
        Some(values.iter().map(before).collect())
    }
}

impl Watch {
    /// Watches from when this begins.
    pub fn wait_for(&self, watched: Watched) {
        self.watched.set(Some(watched));
    }

    /// Whether somebody watches `order`.
    pub fn is_of_order(&self) -> bool {
        self.watched.get() == Some(Watched::Order)
    }

    /// Whether somebody watches this buffer.
    pub fn is_of(&self, buffer: BufferId) -> bool {
        self.watched.get() == Some(Watched::Buffer(buffer))
    }

    /// Keeps what a function `place` does from here on.
    pub fn begin_place(&self) {
        self.sees_gaps.set(true);
        self.begin();
    }

    /// Looks for a comparison that never holds from here on.
    pub fn doubt(&self) {
        self.doubts.set(true);
    }

    /// The comparison that never holds, if there was one.
    pub fn take_mixed(&self) -> Option<Mixed> {
        self.doubts.set(false);
        self.mixed.take()
    }

    /// Keeps what runs from here on.
    pub fn begin(&self) {
        self.found.borrow_mut().clear();
        self.loops.borrow_mut().clear();
        self.left_out.set(0);
        self.is_on.set(self.watched.get().is_some() && !self.is_over.get());
    }

    /// A buffer has its place: what comes is about another one.
    pub fn placed(&self, buffer: BufferId) {
        if self.is_of(buffer) {
            self.is_on.set(false);
            self.is_over.set(true);
        } else if !self.is_over.get() && self.is_on.get() {
            self.begin();
        }
    }

    /// Whether the buffer has its place.
    pub fn is_over(&self) -> bool {
        self.is_over.get()
    }

    /// A place was looked at for a buffer.
    pub fn looked(&self, buffer: BufferId, place: (u64, u64)) {
        if self.is_of(buffer) && !self.is_over.get() {
            self.places.borrow_mut().push(place);
        }
    }

    /// Notes the gaps that variables hold: a function `place` looks at them.
    fn look_at_gaps(&self, scope: &Scope) {
        let mut places = self.places.borrow_mut();
        for (_, _, value) in scope.iter_raw() {
            let gap = value.read_lock::<GapValue>().map(|gap| (gap.0.from, gap.0.end));
            if let Some(gap) = gap.filter(|gap| !places.contains(gap)) {
                places.push(gap);
            }
        }
    }

    /// A statement is about to run.
    pub fn step(&self, line: u32, node: ASTNode, scope: &Scope, state: Option<&Dynamic>) {
        if self.doubts.get() && self.mixed.borrow().is_none() {
            *self.mixed.borrow_mut() = mixed(&node, scope, state);
        }
        // Functions see their parameters. Where nothing is seen, a call begins or ends.
        if !self.is_on.get() || scope.is_empty() {
            return;
        }
        self.keep_step(line, node, scope, state);
        if self.sees_gaps.get() {
            // From here on: what this statement does with them is seen before the next one.
            self.look_at_gaps(scope);
        }
    }

    fn keep_step(&self, line: u32, node: ASTNode, scope: &Scope, state: Option<&Dynamic>) {
        let looked = self.places.borrow().len() as u32;
        let values = values(scope, state);
        let mut found = self.found.borrow_mut();
        let mut loops = self.loops.borrow_mut();
        if let Some(begun) = Loop::of(&node).filter(|begun| loops.iter().all(|known| known.line != begun.line)) {
            loops.push(begun);
        }
        // The language tells of the head of a `for` once, and not of each turn.
        let head = found
            .back()
            .and_then(|last| loops.iter().rev().find_map(|known| Some((known.line, known.head(last, line, &values)?))));
        if let Some((line, values)) = head {
            self.keep(&mut found, Statement { line, values, condition: None, looked });
        }
        // Parts of one statement are no steps of their own.
        if found.back().is_some_and(|last| last.line == line && last.values == values) {
            return;
        }
        // A part of the condition before it is told there.
        let is_told = |(words, _): &(String, bool)| {
            let mut here = found.iter().rev().take_while(|last| last.line == line);
            here.any(|last| last.condition.as_ref().is_some_and(|(all, _)| all.contains(words.as_str())))
        };
        let condition = condition(&node, scope, state).filter(|found| !is_told(found));
        self.keep(&mut found, Statement { line, values, condition, looked });
    }

    fn keep(&self, found: &mut VecDeque<Statement>, statement: Statement) {
        if found.len() == MOST {
            found.pop_front();
            self.left_out.set(self.left_out.get() + 1);
        }
        found.push_back(statement);
    }

    /// The statements that were kept.
    pub fn take(&self) -> Statements {
        let places = self.places.take();
        Statements { kept: self.found.take().into(), left_out: self.left_out.get(), places }
    }
}

/// The variables that a statement sees, and what it keeps in `this`.
fn values(scope: &Scope, state: Option<&Dynamic>) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    // The newest comes first, and hides an older one of its name.
    for (name, _, value) in scope.iter_raw() {
        if found.len() < VARIABLES && found.iter().all(|(known, _)| known != name) {
            found.push((name.to_string(), shown(value)));
        }
    }
    let kept = state.and_then(|state| state.read_lock::<Map>()).into_iter();
    let kept =
        kept.flat_map(|map| map.iter().map(|(name, value)| (format!("this.{name}"), shown(value))).collect::<Vec<_>>());
    found.extend(kept.take(VARIABLES));
    found.reverse();
    found
}

/// A value as people read it.
fn shown(value: &Dynamic) -> String {
    if let Some(array) = value.read_lock::<Array>() {
        let mut words: Vec<String> = array.iter().take(ELEMENTS).map(plain).collect();
        if array.len() > ELEMENTS {
            words.push("…".into());
        }
        return cut(format!("{}: {}", array.len(), words.join(", ")));
    }
    if let Some(map) = value.read_lock::<Map>() {
        let mut words: Vec<String> =
            map.iter().take(ELEMENTS).map(|(key, value)| format!("{key}: {}", plain(value))).collect();
        if map.len() > ELEMENTS {
            words.push("…".into());
        }
        return cut(format!("#{{ {} }}", words.join(", ")));
    }
    cut(plain(value))
}

/// A value inside another one.
fn plain(value: &Dynamic) -> String {
    if let Some(buffer) = value.read_lock::<BufferValue>() {
        return buffer.0.facts.name.clone();
    }
    if let Some(gap) = value.read_lock::<GapValue>() {
        return gap.words();
    }
    if let Some(array) = value.read_lock::<Array>() {
        return format!("[{}]", array.len());
    }
    if value.is_map() {
        return "#{ … }".into();
    }
    match value.clone().into_string() {
        Ok(text) => format!("\"{text}\""),
        Err(_) if value.is_unit() => "()".into(),
        Err(_) => value.to_string(),
    }
}

fn cut(text: String) -> String {
    if text.chars().count() <= LETTERS {
        return text;
    }
    text.chars().take(LETTERS - 1).chain(['…']).collect()
}
