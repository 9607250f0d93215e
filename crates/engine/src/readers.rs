//! File → document. In the browser the readers of other tools' files are a program of their own
//! (`reader`), which is fetched when the first such file is opened: most visits open only graphs
//! and plans in this project's formats.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::answer::Failure;
use super::reading::MARK;
use crate::BUILD;
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

/// Writes what was read of a file, for a page of the same version that is one HTML file: it opens
/// that without the program `reader`, and without the file's weights. Questions about the file are
/// left out, since nobody can read it again with other answers.
pub fn write_reading(mut read: Imported) -> Vec<u8> {
    read.questions.clear();
    let recordings = Arc::unwrap_or_clone(read.document.take_recordings());
    let packed = postcard::to_stdvec(&ReadElsewhere { read: Some(Ok(read)), recordings }).unwrap_or_default();
    [format!("{MARK}{BUILD}\n").as_bytes(), &packed].concat()
}

/// Returns what [`write_reading`] wrote; none if the bytes are others, or of another version.
#[cfg_attr(not(target_arch = "wasm32"), cfg(test))]
fn read_reading(bytes: &[u8]) -> Option<Imported> {
    let packed = bytes.strip_prefix(format!("{MARK}{BUILD}\n").as_bytes())?;
    unpack_read(packed).ok()??.ok()
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

    use super::{Answers, BUILD, Failure, Imported, import};

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
        /// Returns whether the page is one HTML file, whose maker's program made all that it holds.
        #[wasm_bindgen(js_name = isInside)]
        fn is_inside() -> bool;
    }

    /// Reads a file, gzip or not.
    ///
    /// # Errors
    /// [`Failure::Faults`]; [`Failure::NoReaders`] for a file of another tool, unless [`are_here`].
    pub fn read(bytes: &[u8], answers: &Answers) -> Result<Imported, Failure> {
        let bytes = import::unpacked(bytes).map_err(Failure::Faults)?;
        // Elsewhere such bytes come from anybody, and nothing checks them.
        if let Some(read) = super::read_reading(&bytes).filter(|_| is_inside()) {
            return Ok(read);
        }
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::PlannerChoice;
    use crate::reading::is_reading;
    use crate::write::{WriteForm, WriteTask, written};

    #[test]
    fn what_was_read_of_a_file_is_read_back_without_its_questions() {
        for file in ["data/executorch/moe_noio.pte", "golden/data/cuda_allocator/snapshots/plain.pickle.gz"] {
            let path = format!("{}/../../tests/{file}", env!("CARGO_MANIFEST_DIR"));
            let read = import::read(&std::fs::read(&path).expect(file), Answers::default()).expect("a document");
            let reading = write_reading(read.clone());
            assert!(is_reading(&reading));
            let back = read_reading(&reading).expect("the same version");
            assert_eq!(back.document, read.document, "{file}");
            assert_eq!(back.document.recordings(), read.document.recordings(), "{file}");
            assert_eq!((back.format, back.facts, back.questions.len()), (read.format, read.facts, 0), "{file}");
            let other = [b"memplan-read/1\n", &reading[reading.len() / 2..]].concat();
            assert!(is_reading(&other) && read_reading(&other).is_none(), "of another version");
        }
    }

    #[test]
    fn nothing_is_written_into_a_file_that_is_only_there_as_read() {
        let path = format!("{}/../../tests/data/executorch/unused.pte", env!("CARGO_MANIFEST_DIR"));
        let file = std::fs::read(&path).expect("a file");
        let planner = PlannerChoice { planner: "first-fit".into(), options: BTreeMap::new() };
        let task = |file| WriteTask {
            file,
            answers: Answers::default(),
            planner: planner.clone(),
            form: WriteForm::Figures,
            answer: None,
        };
        assert!(written(&task(file.clone())).expect("readers").is_ok());
        let read = import::read(&file, Answers::default()).expect("a document");
        let refused = written(&task(write_reading(read))).expect("no reader is asked");
        assert_eq!(refused.map_err(|why| why.key), Err("write.only-read".into()));
    }
}
