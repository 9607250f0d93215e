//! Parts of a request that run beside each other: on several threads where there are some, else one
//! after the other. What they return is the same either way.

use crate::listener::{Clock, Listener, Progress};
#[cfg(not(target_arch = "wasm32"))]
use threads::run_on_threads;

/// Units of progress of one part.
const WHOLE: u64 = 1_000;

/// Numbers of the parts of a request, from 0 on, in the order in which they begin.
pub(super) struct Parts {
    /// Those that may run at the same time.
    pub together: Vec<usize>,
    /// Those that run by themselves, after all others.
    pub alone: Vec<usize>,
}

/// Calls `run` once for each part, on up to so many threads, and returns the results by number.
/// The progress of all parts is reported as that of the whole.
pub(super) fn run_parts<T: Send>(
    parts: &Parts,
    threads: usize,
    clock: &Clock,
    listener: &mut dyn Listener,
    run: impl Fn(usize, &Clock, &mut dyn Listener) -> T + Sync,
) -> Vec<T> {
    let count = parts.together.len() + parts.alone.len();
    let mut found: Vec<Option<T>> = (0..count).map(|_| None).collect();
    #[cfg(not(target_arch = "wasm32"))]
    if threads.min(parts.together.len()) > 1 {
        let taken = |part: usize, result| found[part] = Some(result);
        run_on_threads(&parts.together, (threads, count), clock, listener, &run, taken);
    }
    #[cfg(target_arch = "wasm32")]
    let _ = threads;
    // Also those for which the system gave no thread.
    let left: Vec<usize> =
        parts.together.iter().chain(&parts.alone).copied().filter(|&part| found[part].is_none()).collect();
    for (number, &part) in left.iter().enumerate() {
        let mut progress = part_of(listener, count - left.len() + number, count);
        found[part] = Some(run(part, clock, &mut progress));
    }
    found.into_iter().flatten().collect()
}

/// Reports the progress of the `number`th of `count` equal parts as progress of the whole.
pub(super) struct PartProgress<'a> {
    listener: &'a mut dyn Listener,
    number: u64,
    count: u64,
}

/// Returns the listener of the `number`th of `count` equal parts, which begins.
pub(super) fn part_of(listener: &mut dyn Listener, number: usize, count: usize) -> PartProgress<'_> {
    let mut part = PartProgress { listener, number: number as u64, count: count as u64 };
    part.progress(Progress::default());
    part
}

impl Listener for PartProgress<'_> {
    fn progress(&mut self, progress: Progress) {
        let (done, total) = (self.number * WHOLE + reached(progress), self.count * WHOLE);
        self.listener.progress(Progress { done, total, best: None });
    }
}

/// Returns how far a part is, up to [`WHOLE`].
fn reached(Progress { done, total, .. }: Progress) -> u64 {
    (done.min(total) as u128 * WHOLE as u128).checked_div(total as u128).unwrap_or(0) as u64
}

#[cfg(not(target_arch = "wasm32"))]
mod threads {
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
    use std::sync::mpsc::{self, RecvTimeoutError, Sender};
    use std::thread;
    use std::time::Duration;

    use super::{WHOLE, reached};
    use crate::listener::{Clock, Listener, Progress};

    /// Stack of a thread in bytes: as much as the main thread of a program usually has.
    const STACK: usize = 8 << 20;

    /// Time between two reports of progress.
    const REPORT_EVERY: Duration = Duration::from_millis(50);

    /// How far a part is. The listener of the request belongs to the thread that asked.
    struct Reached<'a>(&'a AtomicU64);

    impl Listener for Reached<'_> {
        fn progress(&mut self, progress: Progress) {
            self.0.store(reached(progress), Ordering::Relaxed);
        }
    }

    /// Calls `run` for the parts in this order, and `taken` with each result as it arrives. `count`
    /// parts are the whole of which progress is reported.
    pub(super) fn run_on_threads<T: Send>(
        order: &[usize],
        (threads, count): (usize, usize),
        clock: &Clock,
        listener: &mut dyn Listener,
        run: &(impl Fn(usize, &Clock, &mut dyn Listener) -> T + Sync),
        mut taken: impl FnMut(usize, T),
    ) {
        let so_far: Vec<AtomicU64> = order.iter().map(|_| AtomicU64::new(0)).collect();
        let next = AtomicUsize::new(0);
        let begin = || {
            let number = next.fetch_add(1, Ordering::Relaxed);
            order.get(number).zip(so_far.get(number))
        };
        let work = |results: Sender<(usize, T)>| {
            while let Some((&part, own)) = begin() {
                let result = run(part, clock, &mut Reached(own));
                own.store(WHOLE, Ordering::Relaxed);
                // The other end waits for as long as there is a sender.
                let _ = results.send((part, result));
            }
        };
        thread::scope(|scope| {
            let (results, arriving) = mpsc::channel();
            for _ in 0..threads.min(order.len()) {
                let (work, results) = (&work, results.clone());
                let thread = thread::Builder::new().stack_size(STACK);
                // Without it the other threads take all parts; without any, the caller does.
                let _ = thread.spawn_scoped(scope, move || work(results));
            }
            drop(results);
            loop {
                match arriving.recv_timeout(REPORT_EVERY) {
                    Ok((part, result)) => taken(part, result),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                let done = so_far.iter().map(|reached| reached.load(Ordering::Relaxed)).sum();
                listener.progress(Progress { done, total: count as u64 * WHOLE, best: None });
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use std::time::Duration;

    /// Keeps the last report, and checks that none is past the end.
    #[derive(Default)]
    struct Last(Progress);

    impl Listener for Last {
        fn progress(&mut self, progress: Progress) {
            assert!(progress.done <= progress.total, "{progress:?}");
            self.0 = progress;
        }
    }

    #[test]
    fn results_stand_at_their_numbers_however_many_threads_there_are() {
        let parts = Parts { together: vec![4, 0, 2, 5], alone: vec![3, 1] };
        for threads in [0, 1, 2, 3, 64] {
            let mut last = Last::default();
            let found = run_parts(&parts, threads, &|| 7.0, &mut last, |part, clock, listener| {
                listener.progress(Progress { done: 1, total: 2, best: None });
                (part, clock())
            });
            assert_eq!(found, [0, 1, 2, 3, 4, 5].map(|part| (part, 7.0)), "{threads} threads");
            assert_eq!((last.0.total, last.0.done), (6_000, 5_500), "{threads} threads");
        }
    }

    #[test]
    fn two_parts_run_at_the_same_time_and_those_alone_after_them() {
        let parts = Parts { together: vec![0, 1], alone: vec![2] };
        let (begun, waiting) = (Mutex::new(0), std::sync::Condvar::new());
        let order = Mutex::new(Vec::new());
        run_parts(&parts, 2, &|| 0.0, &mut Last::default(), |part, _, _| {
            if part < 2 {
                // Each waits for the other: one after the other they would never end.
                *begun.lock().expect("no panic") += 1;
                waiting.notify_all();
                let both = waiting
                    .wait_timeout_while(begun.lock().expect("no panic"), Duration::from_secs(60), |begun| *begun < 2)
                    .expect("no panic");
                assert!(!both.1.timed_out(), "part {part} ran without the other one");
            }
            order.lock().expect("no panic").push(part);
        });
        assert_eq!(order.into_inner().expect("no panic").last(), Some(&2));
    }
}
