//! Limits of a program: operations, depth, sizes and time.

use std::cell::Cell;
use std::rc::Rc;

use memplan_core::base::Message;
use rhai::{Dynamic, Engine};

use super::raised::Raised;

/// Operations without a placement after which a program is stopped: at most a second in a release
/// build.
pub const OPERATIONS: u64 = 3_000_000;

/// Operations that each buffer of the problem adds to [`OPERATIONS`].
pub const OPERATIONS_OF_BUFFER: u64 = 300;

/// Operations before anything is placed that each buffer allows `order` and `plan`, beside
/// [`OPERATIONS`]: some compute a whole plan first. With 286 buffers they take a second at most.
pub const FIRST_OPERATIONS_OF_BUFFER: u64 = 30_000;

/// Operations of a whole run that each buffer allows, beside [`OPERATIONS`].
pub const ALL_OPERATIONS_OF_BUFFER: u64 = 100_000;

/// Operations after which a run is stopped that only looks for the line of a loop without an end:
/// following lines takes several times as long.
pub const FOLLOWED: u64 = 1_000_000;

/// Functions that may be inside each other, so that a program cannot use up the stack, which is
/// smallest in a browser. Builds with checks need far more of it.
pub const DEPTH: usize = if cfg!(debug_assertions) { 8 } else { 32 };

/// Most elements of an array or map, and letters of a text, beside four for each buffer.
pub const ELEMENTS: usize = 100_000;

/// Most variables at a time.
const VARIABLES: usize = 256;

/// Most functions of a program.
const FUNCTIONS: usize = 200;

/// Deepest expression of the program, and of a function in it.
const EXPRESSION: (usize, usize) = if cfg!(debug_assertions) { (32, 20) } else { (48, 32) };

/// Most notes, places looked at and texts printed.
pub const SAID: usize = 200_000;

/// Most bytes of notes and reasons.
pub const WORDS: usize = 10_000_000;

/// Time without a placement after which a program is stopped that copies large arrays again and
/// again: few operations can take long then. A run that ends within it does not depend on it. In
/// seconds.
const TIME: u64 = 10;

/// Operations between two looks at the clock.
const LOOK: u64 = 256;

/// Key of the sentence about a program that goes on without a placement.
pub const ENDLESS: &str = "own-planner.endless";

/// Seconds of a clock.
#[cfg(target_arch = "wasm32")]
fn now() -> f64 {
    js_sys::Date::now() / 1000.0
}

/// Seconds of a clock.
#[cfg(not(target_arch = "wasm32"))]
fn now() -> f64 {
    static BEGUN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGUN.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
}

/// What a program has used up.
pub struct Budget {
    all: Cell<u64>,
    /// Those of `all` at the last placement.
    mark: Cell<u64>,
    most_at_once: Cell<u64>,
    cap: Cell<u64>,
    /// What a call of `place` may use up.
    most_for_one: u64,
    /// What a call of `order` or `plan` may use up without a placement.
    most_for_all: u64,
    /// What a run may use up.
    most: u64,
    /// When the last placement was.
    since: Cell<f64>,
}

impl Budget {
    /// The budget for so many buffers.
    pub fn new(buffers: usize) -> Budget {
        let buffers = buffers as u64;
        let most_for_one = OPERATIONS + buffers * OPERATIONS_OF_BUFFER;
        Budget {
            all: Cell::new(0),
            mark: Cell::new(0),
            most_at_once: Cell::new(most_for_one),
            cap: Cell::new(u64::MAX),
            most_for_one,
            most_for_all: OPERATIONS + buffers * FIRST_OPERATIONS_OF_BUFFER,
            most: OPERATIONS + buffers * ALL_OPERATIONS_OF_BUFFER,
            since: Cell::new(now()),
        }
    }

    /// Counts from here on: something was placed, or a run begins.
    pub fn renew(&self) {
        self.mark.set(self.all.get());
        self.since.set(now());
    }

    /// What comes decides about one buffer, or about all of them.
    pub fn is_for_all(&self, is_for_all: bool) {
        let most = if is_for_all { self.most_for_all } else { self.most_for_one };
        self.most_at_once.set(most.min(self.cap.get()));
    }

    /// Nothing may use up more without a placement.
    pub fn cap(&self, most: u64) {
        self.cap.set(most);
    }

    /// Counts an operation, and returns why the program has to stop.
    fn spend(&self) -> Option<Message> {
        let all = self.all.get() + 1;
        self.all.set(all);
        if all - self.mark.get() > self.most_at_once.get() {
            return Some(Message::new(ENDLESS).count("n", self.most_at_once.get()));
        }
        if all > self.most {
            return Some(Message::new("own-planner.too-much-work").count("n", self.most));
        }
        if all.is_multiple_of(LOOK) && now() - self.since.get() > TIME as f64 {
            return Some(Message::new("own-planner.too-slow").count("seconds", TIME));
        }
        None
    }
}

/// Sets all limits of an engine.
pub fn limit(engine: &mut Engine, buffers: usize, budget: &Rc<Budget>) {
    let elements = ELEMENTS + 4 * buffers;
    engine.set_max_call_levels(DEPTH);
    engine.set_max_array_size(elements);
    engine.set_max_map_size(elements);
    engine.set_max_string_size(elements);
    engine.set_max_variables(VARIABLES);
    engine.set_max_functions(FUNCTIONS);
    engine.set_max_expr_depths(EXPRESSION.0, EXPRESSION.1);
    let budget = Rc::clone(budget);
    engine.on_progress(move |_| budget.spend().map(|why| Dynamic::from(Raised(why))));
}
