//! The timeline that a browser records of itself: how long the tasks of the page take.

use serde_json::Value;

use crate::browser::Browser;

/// Marks on the timeline: where a document of the suite's own origin begins, what a script of a
/// test does, and where one counts.
pub(crate) const DOCUMENT: &str = "test-document";
pub(crate) const SCRIPT_OF_TEST: &str = "test-script";
const COUNT_OF_TEST: &str = "test-count";
const COUNTS: usize = 10;

/// What is recorded of a browser with a timeline: tasks and marks.
pub(crate) const CATEGORIES: &str = "blink.user_timing,disabled-by-default-devtools.timeline";

/// CPU times in milliseconds, without what scripts of a test take.
#[derive(Debug)]
pub struct Timeline {
    /// Of the tasks of documents.
    pub tasks: Vec<f64>,
    /// Of the shortest [count](Browser::count), infinite without one.
    pub counting: f64,
}

impl Browser {
    /// What the timeline of a [recorded](Browser::recorded) browser holds since the last call.
    pub fn timeline(&self) -> Timeline {
        let events: Vec<Value> = self.log("performance").iter().filter_map(event).collect();
        let thread = |event: &Value| (event["pid"].as_i64(), event["tid"].as_i64());
        let marks = |name: &str| -> Vec<_> {
            let marks = events.iter().filter(|event| event["name"] == name);
            marks.map(|event| (thread(event), event["ts"].as_f64().unwrap_or(0.0))).collect()
        };
        let (documents, scripts, counts) = (marks(DOCUMENT), marks(SCRIPT_OF_TEST), marks(COUNT_OF_TEST));
        let mut timeline = Timeline { tasks: Vec::new(), counting: f64::INFINITY };
        for task in events.iter().filter(|event| event["name"] == "RunTask") {
            let (Some(start), Some(wall)) = (task["ts"].as_f64(), task["dur"].as_f64()) else { continue };
            let holds = |(of, at): &(_, f64)| *of == thread(task) && (start..=start + wall).contains(at);
            let millis = task["tdur"].as_f64().unwrap_or(wall) / 1e3;
            if counts.iter().any(holds) {
                timeline.counting = timeline.counting.min(millis);
            } else if documents.iter().any(|(of, _)| *of == thread(task)) && !scripts.iter().any(holds) {
                timeline.tasks.push(millis);
            }
        }
        timeline
    }

    /// Counts in some tasks of the page. The [timeline](Browser::timeline) keeps the CPU time of
    /// the shortest. A task takes up to twenty times as long before V8 has optimized the loop: at
    /// first on a busy machine, and again when V8 compiles it anew. So the tasks are many and
    /// short.
    pub fn count(&self) {
        let count = format!(
            "performance.mark('{COUNT_OF_TEST}');
            window.testCount ??= () => {{ let x = 1; for (let i = 0; i < 1e7 || x === 7; i++) x = Math.imul(x, 1664525) + 1013904223 | 0; return x; }};
            return window.testCount();"
        );
        for _ in 0..COUNTS {
            self.script::<f64>(&count, Vec::new());
        }
    }
}

/// An event of the timeline, if that is what an entry of the log is.
fn event(entry: &Value) -> Option<Value> {
    let entry: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
    let message = &entry["message"];
    (message["method"] == "Tracing.dataCollected").then(|| message["params"].clone())
}
