//! Calls of the browser: elements, storage, files, downloads, canvases. Nothing here knows what the
//! page shows. No other folder of the page asks the window or its document
//! (tests/native/floors/globals.rs).

pub mod canvas;
pub mod charts;
pub mod clipboard;
pub mod copied;
pub mod dialogs;
pub mod dom;
pub mod download;
pub mod files;
pub mod fullscreen;
pub mod idb;
pub mod kept;
pub mod later;
pub mod location;
pub mod media;
pub mod offline;
pub mod remote;
pub mod rule;
pub mod speaker;
pub mod tabs;
pub mod visit;
