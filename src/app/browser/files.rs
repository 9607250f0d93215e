use js_sys::Uint8Array;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

/// What lies at an address, or the status with which the site refused it; no status if there was no answer to be read.
pub async fn fetch(address: &str) -> Result<Vec<u8>, Option<u16>> {
    let window = web_sys::window().ok_or(None::<u16>)?;
    let answer = JsFuture::from(window.fetch_with_str(address)).await.map_err(|_| None::<u16>)?;
    let response: Response = answer.dyn_into().map_err(|_| None::<u16>)?;
    if !response.ok() {
        return Err(Some(response.status()));
    }
    let buffer = JsFuture::from(response.array_buffer().map_err(|_| None::<u16>)?).await.map_err(|_| None::<u16>)?;
    Ok(Uint8Array::new(&buffer).to_vec())
}
