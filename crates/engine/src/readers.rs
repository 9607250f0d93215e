//! File → document. In the browser the readers of other tools' files are a program of their own
//! (`reader`), which is fetched when the first such file is opened: most visits open only graphs
//! and plans in this project's formats.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::answer::Failure;
use memplan_core::graph::Fault;
use memplan_core::problem::Recording;
use memplan_formats::import::{self, Answers, Imported};

/// Reads a file, gzip or not.
///
/// # Errors
/// [`Failure::Faults`].
#[cfg(not(target_arch = "wasm32"))]
pub fn read(bytes: &[u8], answers: &Answers) -> Result<Imported, Failure> {
    import::read(bytes, answers.clone()).map_err(Failure::Faults)
}

/// Reads a file of another tool for another program: takes the file, no longer compressed, and the
/// encoded answers. Returns, encoded, the document or its faults, or that no reader recognises the
/// file.
pub fn read_packed(bytes: &[u8], answers: &[u8]) -> Vec<u8> {
    // Plain values: reading and writing them cannot fail.
    let answers: Answers = postcard::from_bytes(answers).unwrap_or_default();
    let mut read = import::read_others(bytes, &answers);
    let recordings = match &mut read {
        Some(Ok(imported)) => imported.document.take_recordings(),
        _ => Arc::default(),
    };
    postcard::to_stdvec(&ReadElsewhere { read, recordings: Arc::unwrap_or_clone(recordings) }).unwrap_or_default()
}

/// What another program has read.
#[derive(Serialize, Deserialize)]
struct ReadElsewhere {
    /// The document or its faults; none if no reader recognises the file.
    read: Option<Result<Imported, Vec<Fault>>>,
    /// What the file records of an allocator, which a document as bytes lacks.
    recordings: Vec<Recording>,
}

/// Returns what [`read_packed`] wrote: the document or its faults, or that no reader recognises the
/// file. The error says that the bytes are others.
///
/// # Errors
/// [`Failure::NoReaders`].
pub fn unpack_read(packed: &[u8]) -> Result<Option<Result<Imported, Vec<Fault>>>, Failure> {
    let ReadElsewhere { mut read, recordings } = postcard::from_bytes(packed).map_err(|_| Failure::NoReaders)?;
    if let Some(Ok(imported)) = &mut read {
        imported.document.put_recordings(Arc::new(recordings));
    }
    Ok(read)
}

/// Returns whether files of other tools can be read.
#[cfg(not(target_arch = "wasm32"))]
pub fn are_here() -> bool {
    true
}

#[cfg(target_arch = "wasm32")]
pub use beside::{are_here, bytes_of_readers, fetch, read, use_readers};

#[cfg(target_arch = "wasm32")]
mod beside {
    use std::cell::RefCell;

    use js_sys::Function;
    use wasm_bindgen::prelude::*;

    use super::{Answers, Failure, Imported, import};
    use crate::BUILD;

    thread_local! {
        /// The function `read` of the program `reader`, once it has been fetched.
        static READ: RefCell<Option<Function>> = const { RefCell::new(None) };
    }

    #[wasm_bindgen(module = "/src/readers.js")]
    extern "C" {
        #[wasm_bindgen(catch, js_name = fetchReaders)]
        async fn fetch_readers(build: f64) -> Result<JsValue, JsValue>;
        /// Returns the bytes that the program `reader` takes; 0 before it is fetched.
        #[wasm_bindgen(js_name = bytesOfReaders)]
        pub fn bytes_of_readers() -> f64;
        /// Calls `read`. The file is passed as a view of this program's memory, so its only copy is
        /// the one that `read` makes into its own.
        #[wasm_bindgen(catch, js_name = callReader)]
        fn call_reader(read: &Function, file: &[u8], answers: &[u8]) -> Result<Vec<u8>, JsValue>;
    }

    /// Reads a file, gzip or not.
    ///
    /// # Errors
    /// [`Failure::Faults`]; [`Failure::NoReaders`] for a file of another tool, unless [`are_here`].
    pub fn read(bytes: &[u8], answers: &Answers) -> Result<Imported, Failure> {
        let bytes = import::unpacked(bytes).map_err(Failure::Faults)?;
        if let Some(read) = import::read_own(&bytes, answers) {
            return read.map_err(Failure::Faults);
        }
        let read = READ.with_borrow(Option::clone).ok_or(Failure::NoReaders)?;
        // Plain values: writing them cannot fail.
        let packed = postcard::to_stdvec(answers).unwrap_or_default();
        // The reader throws only if it has a bug, which ends this program like one of its own.
        let answer = call_reader(&read, &bytes, &packed).unwrap_or_else(|thrown| wasm_bindgen::throw_val(thrown));
        super::unpack_read(&answer)?.unwrap_or_else(|| import::read_unclaimed(&bytes, answers)).map_err(Failure::Faults)
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
        READ.replace(Some(fetch_readers(BUILD as f64).await?.dyn_into()?));
        Ok(())
    }

    /// Passes `read` of the program `reader` to an engine that is not the page's worker.
    pub fn use_readers(read: Function) {
        READ.replace(Some(read));
    }
}
