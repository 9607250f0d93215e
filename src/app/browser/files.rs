use js_sys::{ArrayBuffer, Promise, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, Response};

use crate::worker::FileData;

/// Returns the bytes at an address.
///
/// # Errors
/// The status with which the site refused; none if it did not answer.
pub async fn fetch(address: &str) -> Result<Vec<u8>, Option<u16>> {
    let buffer = body(respond(address).await?.array_buffer()).await?;
    Ok(Uint8Array::new(&buffer.unchecked_into::<ArrayBuffer>()).to_vec())
}

/// Returns a handle of the file at an address, for the worker to read.
///
/// # Errors
/// As [`fetch`].
pub async fn fetch_file(address: &str) -> Result<FileData, Option<u16>> {
    let blob = body(respond(address).await?.blob()).await?;
    Ok(blob.unchecked_into::<Blob>().into())
}

async fn body(reading: Result<Promise, JsValue>) -> Result<JsValue, Option<u16>> {
    JsFuture::from(reading.map_err(|_| None::<u16>)?).await.map_err(|_| None)
}

async fn respond(address: &str) -> Result<Response, Option<u16>> {
    let window = web_sys::window().ok_or(None::<u16>)?;
    let answer = JsFuture::from(window.fetch_with_str(address)).await.map_err(|_| None::<u16>)?;
    let response: Response = answer.dyn_into().map_err(|_| None::<u16>)?;
    if response.ok() { Ok(response) } else { Err(Some(response.status())) }
}
