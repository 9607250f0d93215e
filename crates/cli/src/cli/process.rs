//! Other programs that run for a while and are ended when their time is over.

use std::io::Read;
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

/// Longest wait between two looks at a run.
const PAUSE: Duration = Duration::from_millis(10);

/// Waits for a program; none if it was ended because its time is over.
pub fn wait(child: &mut Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begun.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(PAUSE.min(limit));
    }
}

/// Returns what was collected; none if the pipe is still open after this time, because something
/// that the program started holds it.
pub fn finished(collected: thread::JoinHandle<Vec<u8>>, limit: Duration) -> Option<Vec<u8>> {
    let begun = Instant::now();
    while !collected.is_finished() {
        if begun.elapsed() > limit {
            return None;
        }
        thread::sleep(PAUSE.min(limit));
    }
    Some(collected.join().unwrap_or_default())
}

/// Reads at most so many bytes of a pipe beside the run, which would wait for a full one.
pub fn collected(pipe: Option<impl Read + Send + 'static>, most: u64) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            // What is missing after an error is missing in the answer.
            let _ = pipe.take(most).read_to_end(&mut bytes);
        }
        bytes
    })
}
