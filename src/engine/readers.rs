//! Reads documents. In the browser the readers of other tools' files are a program of their own (`reader`), fetched beside the
//! engine when the first such file comes: most visits open graphs and plans of this project alone.

use super::Failure;
use crate::import::{self, Answers, Imported};

/// Reads a file, gzip or not.
///
/// # Errors
/// [`Failure::Faults`]; in the browser [`Failure::NoReaders`] for a file of another tool, unless [`are_here`].
#[cfg(not(target_arch = "wasm32"))]
pub fn read(bytes: &[u8], choices: &Answers) -> Result<Imported, Failure> {
    import::read(bytes, choices.clone()).map_err(Failure::Faults)
}

/// Reads any file for another program: its bytes and the choices made for it in, the document or every fault out.
pub fn read_packed(bytes: &[u8], choices: &[u8]) -> Vec<u8> {
    // Plain values: reading and writing them cannot fail.
    let choices: Answers = postcard::from_bytes(choices).unwrap_or_default();
    postcard::to_stdvec(&import::read(bytes, choices)).unwrap_or_default()
}

/// Whether files of other tools can be read.
#[cfg(not(target_arch = "wasm32"))]
pub fn are_here() -> bool {
    true
}

#[cfg(target_arch = "wasm32")]
pub use beside::{are_here, fetch, read};

#[cfg(target_arch = "wasm32")]
mod beside {
    use std::cell::RefCell;

    use js_sys::{Function, Uint8Array};
    use wasm_bindgen::prelude::*;

    use super::{Answers, Failure, Imported, import};
    use crate::graph::Fault;

    thread_local! {
        /// `read` of the program of the readers.
        static READ: RefCell<Option<Function>> = const { RefCell::new(None) };
    }

    #[wasm_bindgen(module = "/src/engine/readers.js")]
    extern "C" {
        #[wasm_bindgen(catch, js_name = fetchReaders)]
        async fn fetch_readers() -> Result<JsValue, JsValue>;
    }

    pub fn read(bytes: &[u8], choices: &Answers) -> Result<Imported, Failure> {
        let bytes = import::unpacked(bytes).map_err(Failure::Faults)?;
        if let Some(read) = import::read_own(&bytes, choices) {
            return read.map_err(Failure::Faults);
        }
        let read = READ.with_borrow(Option::clone).ok_or(Failure::NoReaders)?;
        // Plain values: writing them cannot fail.
        let choices = postcard::to_stdvec(choices).unwrap_or_default();
        let answer = read.call2(&JsValue::NULL, &Uint8Array::from(&*bytes), &Uint8Array::from(&*choices));
        // A bug of ours there is one here.
        let answer =
            answer.and_then(JsCast::dyn_into::<Uint8Array>).unwrap_or_else(|thrown| wasm_bindgen::throw_val(thrown));
        let answer: Result<Imported, Vec<Fault>> =
            postcard::from_bytes(&answer.to_vec()).map_err(|_| Failure::NoReaders)?;
        answer.map_err(Failure::Faults)
    }

    pub fn are_here() -> bool {
        READ.with_borrow(Option::is_some)
    }

    /// Fetches the readers from beside the engine.
    ///
    /// # Errors
    /// What the browser says when it cannot.
    pub async fn fetch() -> Result<(), JsValue> {
        READ.replace(Some(fetch_readers().await?.dyn_into()?));
        Ok(())
    }

    /// Gives the engine `read` of the readers' program, where it is not the worker of the page.
    // What a browser program exports it also carries: only the engine reads.
    #[cfg(feature = "engine")]
    #[wasm_bindgen(js_name = useReaders, skip_typescript)]
    pub fn use_readers(read: Function) {
        READ.replace(Some(read));
    }
}
