//! Calls of the browser: elements, storage, files, downloads, canvases. Nothing here knows what the page shows.

pub mod canvas;
pub mod charts;
pub mod copied;
pub mod dom;
pub mod download;
pub mod files;
pub mod hooks;
pub mod idb;
pub mod kept;
pub mod later;
pub mod location;
pub mod media;
pub mod offline;
pub mod remote;
pub mod rule;
pub mod tabs;
pub mod visit;
