//! What every target does with a file: the whole way, on the stack of a program in the browser.

use std::thread;

#[path = "../tests/slow/mutation/whole.rs"]
mod whole;

/// Stack of the thread that works.
const STACK: usize = 1 << 20;

/// Takes a file the whole way; its bytes choose the planner.
///
/// # Panics
/// If anything on the way does.
pub fn run(bytes: &[u8]) {
    let turn = bytes.iter().fold(bytes.len() as u64, |turn, byte| turn.wrapping_mul(31) ^ u64::from(*byte));
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || whole::whole(bytes, turn));
        if let Err(panic) = worker.expect("a thread").join() {
            std::panic::resume_unwind(panic);
        }
    });
}
