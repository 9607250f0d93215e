use js_sys::{Array, ArrayBuffer, Promise, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, Response};

use crate::browser::inside::nearby;
use crate::browser::window;
use memplan_worker::FileData;

/// Bytes that leave the program piece by piece, so that no task copies all of them.
#[derive(Clone, Debug, Default)]
pub struct Pieces(Array);

impl Pieces {
    /// Hands the next bytes to the browser.
    pub fn add(&self, bytes: &[u8]) {
        let bytes = Uint8Array::from(bytes);
        // A browser that can make no file of them joins the array itself.
        let piece = Blob::new_with_u8_array_sequence(&Array::of1(&bytes)).map_or(bytes.into(), JsValue::from);
        self.0.push(&piece);
    }

    /// Returns all bytes, of which these are the last: as they are if there is no other piece.
    ///
    /// # Errors
    /// The browser has no room for them.
    pub fn join(self, last: Vec<u8>) -> Result<FileData, JsValue> {
        if self.0.length() == 0 {
            return Ok(last.into());
        }
        self.add(&last);
        Ok(Blob::new_with_blob_sequence(&self.0)?.into())
    }
}

/// Returns the bytes at an address.
///
/// # Errors
/// The status with which the site refused; none if it did not answer.
pub async fn fetch(address: &str) -> Result<Vec<u8>, Option<u16>> {
    let buffer = body(respond(address).await?.array_buffer()).await?;
    Ok(Uint8Array::new(&buffer.unchecked_into::<ArrayBuffer>()).to_vec())
}

/// Returns a handle of a file beside the page, such as an example. Nobody is asked for what a page
/// that is one HTML file does not have inside.
///
/// # Errors
/// As [`fetch`].
pub async fn fetch_nearby(path: &str) -> Result<FileData, Option<u16>> {
    let address = nearby(path).ok_or(None::<u16>)?;
    let blob = body(respond(&address).await?.blob()).await?;
    Ok(blob.unchecked_into::<Blob>().into())
}

/// Returns the text of a file; none if the browser cannot read it any more.
pub async fn text_of(file: &Blob) -> Option<String> {
    JsFuture::from(file.text()).await.ok()?.as_string()
}

async fn body(reading: Result<Promise, JsValue>) -> Result<JsValue, Option<u16>> {
    JsFuture::from(reading.map_err(|_| None::<u16>)?).await.map_err(|_| None)
}

async fn respond(address: &str) -> Result<Response, Option<u16>> {
    let window = window().ok_or(None::<u16>)?;
    let answer = JsFuture::from(window.fetch_with_str(address)).await.map_err(|_| None::<u16>)?;
    let response: Response = answer.dyn_into().map_err(|_| None::<u16>)?;
    if response.ok() { Ok(response) } else { Err(Some(response.status())) }
}
