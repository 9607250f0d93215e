//! Calls of the browser: elements, storage, files, downloads, canvases. Nothing here knows what the page shows.

pub mod canvas;
pub mod charts;
pub mod dom;
pub mod download;
pub mod files;
pub mod idb;
pub mod location;
pub mod media;
