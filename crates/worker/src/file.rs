//! A file as the page has it: a handle of the browser, so that its bytes do not pass through the
//! page's memory.

use std::rc::Rc;

/// The contents of a file. Bytes are equal by value, handles if they are the same object of the
/// browser.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FileData {
    /// Bytes that the page has anyway: those of a link, of pasted text or of a small edited graph;
    /// natively of every file.
    Bytes(Rc<Vec<u8>>),
    /// A file that the user chose, a download, a document that the browser keeps, or one that was
    /// edited or that the worker wrote. The worker reads it.
    Handle(web_sys::Blob),
}

impl FileData {
    /// Returns the size in bytes.
    pub fn size(&self) -> f64 {
        match self {
            FileData::Bytes(bytes) => bytes.len() as f64,
            FileData::Handle(blob) => blob.size(),
        }
    }

    /// Returns the bytes; none of a handle, which the worker reads.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            FileData::Bytes(bytes) => Some(bytes),
            FileData::Handle(_) => None,
        }
    }

    /// Returns the file as a JavaScript value that can be posted to a worker and be part of a
    /// `Blob`: a `Blob` or a new `Uint8Array`.
    pub fn to_js(&self) -> wasm_bindgen::JsValue {
        match self {
            FileData::Bytes(bytes) => js_sys::Uint8Array::from(&bytes[..]).into(),
            FileData::Handle(blob) => blob.into(),
        }
    }

    /// Reads the bytes into an array of the browser.
    ///
    /// # Errors
    /// The file was moved, changed or deleted.
    pub async fn read(&self) -> Result<js_sys::Uint8Array, wasm_bindgen::JsValue> {
        read(self.to_js()).await
    }
}

/// Reads what [`FileData::to_js`] returned, in the page or in the worker.
///
/// # Errors
/// The file was moved, changed or deleted.
pub(super) async fn read(file: wasm_bindgen::JsValue) -> Result<js_sys::Uint8Array, wasm_bindgen::JsValue> {
    use wasm_bindgen::JsCast;
    match file.dyn_into::<web_sys::Blob>() {
        Ok(blob) => Ok(js_sys::Uint8Array::new(&wasm_bindgen_futures::JsFuture::from(blob.array_buffer()).await?)),
        Err(array) => array.dyn_into(),
    }
}

impl Default for FileData {
    fn default() -> FileData {
        Vec::new().into()
    }
}

impl From<Vec<u8>> for FileData {
    fn from(bytes: Vec<u8>) -> FileData {
        FileData::Bytes(Rc::new(bytes))
    }
}

impl From<web_sys::Blob> for FileData {
    fn from(blob: web_sys::Blob) -> FileData {
        FileData::Handle(blob)
    }
}
