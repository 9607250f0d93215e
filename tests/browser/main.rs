//! What only a browser can show: painting on a canvas.
#![cfg(target_arch = "wasm32")]
