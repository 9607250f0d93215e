//! What a program does for one buffer, statement by statement, with the values that it sees.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use memplan_core::problem::BufferId;
use memplan_planners::outside::{Statement, Statements};
use rhai::{ASTNode, Array, Dynamic, Map, Scope};

use super::conditions::condition;
use super::values::{BufferValue, GapValue};

/// Most statements that are kept: the last ones, which lead to the place.
const MOST: usize = 2_000;

/// Most variables of a statement.
const VARIABLES: usize = 24;

/// Most letters of a value, and elements of an array or map in it.
const LETTERS: usize = 80;
const ELEMENTS: usize = 6;

/// Keeps the statements that lead to the place of one buffer.
#[derive(Default)]
pub struct Watch {
    /// The buffer; none if nobody watches.
    buffer: Cell<Option<BufferId>>,
    is_on: Cell<bool>,
    is_over: Cell<bool>,
    found: RefCell<VecDeque<Statement>>,
    /// Statements before those that are kept.
    left_out: Cell<u64>,
}

impl Watch {
    /// Watches what is done for a buffer.
    pub fn wait_for(&self, buffer: BufferId) {
        self.buffer.set(Some(buffer));
    }

    /// Whether somebody watches this buffer.
    pub fn is_of(&self, buffer: BufferId) -> bool {
        self.buffer.get() == Some(buffer)
    }

    /// Keeps what runs from here on.
    pub fn begin(&self) {
        self.found.borrow_mut().clear();
        self.left_out.set(0);
        self.is_on.set(self.buffer.get().is_some() && !self.is_over.get());
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

    /// A statement is about to run.
    pub fn step(&self, line: u32, node: ASTNode, scope: &Scope, state: Option<&Dynamic>) {
        // Functions see their parameters. Where nothing is seen, a call begins or ends.
        if !self.is_on.get() || scope.is_empty() {
            return;
        }
        let values = values(scope, state);
        let mut found = self.found.borrow_mut();
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
        if found.len() == MOST {
            found.pop_front();
            self.left_out.set(self.left_out.get() + 1);
        }
        found.push_back(Statement { line, values, condition });
    }

    /// The statements that were kept.
    pub fn take(&self) -> Statements {
        Statements { kept: self.found.take().into(), left_out: self.left_out.get() }
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
