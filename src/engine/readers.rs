//! File → document. In the browser the readers of other tools' files are a program of their own (`reader`), which is fetched
//! when the first such file is opened: most visits open only graphs and plans in this project's formats.

use super::answer::Failure;
use crate::import::{self, Answers, Imported};

/// Reads a file, gzip or not.
///
/// # Errors
/// [`Failure::Faults`].
#[cfg(not(target_arch = "wasm32"))]
pub fn read(bytes: &[u8], choices: &Answers) -> Result<Imported, Failure> {
    import::read(bytes, choices.clone()).map_err(Failure::Faults)
}

/// Reads any file for another program: takes the file and the encoded choices, returns the encoded document or its faults.
pub fn read_packed(bytes: &[u8], choices: &[u8]) -> Vec<u8> {
    // Plain values: reading and writing them cannot fail.
    let choices: Answers = postcard::from_bytes(choices).unwrap_or_default();
    postcard::to_stdvec(&import::read(bytes, choices)).unwrap_or_default()
}

/// Returns whether files of other tools can be read.
#[cfg(not(target_arch = "wasm32"))]
pub fn are_here() -> bool {
    true
}

#[cfg(target_arch = "wasm32")]
pub use beside::{are_here, fetch, read};

#[cfg(target_arch = "wasm32")]
mod beside {
    use std::cell::RefCell;

    use js_sys::Function;
    use wasm_bindgen::prelude::*;

    use super::{Answers, Failure, Imported, import};
    use crate::graph::Fault;

    thread_local! {
        /// The function `read` of the program `reader`, once it has been fetched.
        static READ: RefCell<Option<Function>> = const { RefCell::new(None) };
    }

    #[wasm_bindgen(module = "/src/engine/readers.js")]
    extern "C" {
        #[wasm_bindgen(catch, js_name = fetchReaders)]
        async fn fetch_readers() -> Result<JsValue, JsValue>;
        /// Calls `read`. The file is passed as a view of this program's memory, so its only copy is the one that `read` makes
        /// into its own.
        #[wasm_bindgen(catch, js_name = callReader)]
        fn call_reader(read: &Function, file: &[u8], choices: &[u8]) -> Result<Vec<u8>, JsValue>;
    }

    /// Reads a file, gzip or not.
    ///
    /// # Errors
    /// [`Failure::Faults`]; [`Failure::NoReaders`] for a file of another tool, unless [`are_here`].
    pub fn read(bytes: &[u8], choices: &Answers) -> Result<Imported, Failure> {
        let bytes = import::unpacked(bytes).map_err(Failure::Faults)?;
        if let Some(read) = import::read_own(&bytes, choices) {
            return read.map_err(Failure::Faults);
        }
        let read = READ.with_borrow(Option::clone).ok_or(Failure::NoReaders)?;
        // Plain values: writing them cannot fail.
        let choices = postcard::to_stdvec(choices).unwrap_or_default();
        // The reader throws only if it has a bug, which ends this program like one of its own.
        let answer = call_reader(&read, &bytes, &choices).unwrap_or_else(|thrown| wasm_bindgen::throw_val(thrown));
        let answer: Result<Imported, Vec<Fault>> = postcard::from_bytes(&answer).map_err(|_| Failure::NoReaders)?;
        answer.map_err(Failure::Faults)
    }

    /// Returns whether files of other tools can be read.
    pub fn are_here() -> bool {
        READ.with_borrow(Option::is_some)
    }

    /// Fetches the program `reader`, which lies beside the engine's.
    ///
    /// # Errors
    /// The browser's error.
    pub async fn fetch() -> Result<(), JsValue> {
        READ.replace(Some(fetch_readers().await?.dyn_into()?));
        Ok(())
    }

    /// Passes `read` of the program `reader` to an engine that is not the page's worker.
    // What a browser program exports it also carries: only the engine reads.
    #[cfg(feature = "engine")]
    #[wasm_bindgen(js_name = useReaders, skip_typescript)]
    pub fn use_readers(read: Function) {
        READ.replace(Some(read));
    }
}
