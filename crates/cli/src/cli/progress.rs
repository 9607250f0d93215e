//! A line on the terminal while work lasts: what is done, how far it is and for how long. Nothing
//! of it stays, and nothing is printed where standard error is no terminal.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use memplan_core::base::Message;
use memplan_core::trace::{Event, Probe};
use memplan_engine::{self as engine, Listener};

use super::error::{is_quiet, say, say_readable};
use super::status::{draw, erase};

/// Work that takes less has no line.
const FIRST: Duration = Duration::from_millis(500);

/// How long a line stays as it is.
const NEXT: Duration = Duration::from_millis(250);

/// Widest line: one that breaks cannot be erased.
const WIDTH: usize = 79;

/// Work that is being done; over when dropped.
pub struct Progress {
    reached: Arc<Reached>,
    thread: Option<(Sender<()>, JoinHandle<()>)>,
}

/// What the thread shows. The work only stores numbers, which costs it next to nothing.
#[derive(Default)]
struct Reached {
    label: Mutex<String>,
    done: AtomicU64,
    total: AtomicU64,
    /// Peak and bound of the best plan so far; the peak is 0 without one.
    best: [AtomicU64; 2],
}

impl Progress {
    /// Starts a line with these words.
    pub fn start(label: &Message) -> Progress {
        let reached = Arc::new(Reached { label: Mutex::new(say(label)), ..Reached::default() });
        let is_dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
        if is_quiet() || is_dumb || !io::stderr().is_terminal() {
            return Progress { reached, thread: None };
        }
        let (end, ended) = mpsc::channel();
        let shown = reached.clone();
        let thread = thread::spawn(move || {
            let begin = Instant::now();
            let mut wait = FIRST;
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(wait) {
                draw(&shown.line(begin.elapsed()));
                wait = NEXT;
            }
            erase();
        });
        Progress { reached, thread: Some((end, thread)) }
    }

    /// Changes the words, such as to those of the next file.
    pub fn set(&self, label: &Message) {
        if self.thread.is_some()
            && let Ok(mut words) = self.reached.label.lock()
        {
            *words = say(label);
        }
    }

    fn reach(&self, done: u64, total: u64) {
        self.reached.done.store(done, Ordering::Relaxed);
        self.reached.total.store(total, Ordering::Relaxed);
    }

    fn found(&self, peak: u64, bound: u64) {
        self.reached.best[0].store(peak, Ordering::Relaxed);
        self.reached.best[1].store(bound, Ordering::Relaxed);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.thread.take() {
            drop(end);
            let _ = thread.join();
        }
    }
}

impl Listener for &Progress {
    fn progress(&mut self, progress: engine::Progress) {
        self.reach(progress.done, progress.total);
        if let Some((peak, bound)) = progress.best {
            self.found(peak, bound);
        }
    }
}

/// Passes events on, and shows how far a planner is.
pub struct Watched<'a> {
    pub progress: &'a Progress,
    pub probe: &'a mut dyn Probe,
}

impl Probe for Watched<'_> {
    fn event(&mut self, event: Event) {
        self.probe.event(event);
    }

    fn wants_detail(&self, decision: u32) -> bool {
        self.probe.wants_detail(decision)
    }

    fn pulse(&mut self, done: u64, total: u64) -> std::ops::ControlFlow<()> {
        self.progress.reach(done, total);
        self.probe.pulse(done, total)
    }

    fn best(&mut self, peak: u64, bound: u64, offsets: &mut dyn FnMut() -> Vec<u64>) -> bool {
        self.progress.found(peak, bound);
        self.probe.best(peak, bound, offsets)
    }
}

impl Reached {
    /// `exact, 12 s, 40 %, best so far 3 MiB, bound 2.5 MiB`, cut to one line.
    fn line(&self, elapsed: Duration) -> String {
        let label = self.label.lock().map(|label| label.clone()).unwrap_or_default();
        let [done, total, peak, bound] =
            [&self.done, &self.total, &self.best[0], &self.best[1]].map(|number| number.load(Ordering::Relaxed));
        let mut parts = vec![format!("{} s", elapsed.as_secs())];
        if total > 0 {
            parts.push(format!("{} %", (u128::from(done.min(total)) * 100 / u128::from(total))));
        }
        if peak > 0 {
            parts.push(say_readable(&Message::new("cli.progress-best").bytes("peak", peak).bytes("bound", bound)));
        }
        let rest = format!(", {}", parts.join(", ").replace('\u{202f}', " "));
        let room = WIDTH.saturating_sub(rest.chars().count());
        let words: String = label.chars().take(room).collect();
        (words + &rest).chars().take(WIDTH).collect()
    }
}
