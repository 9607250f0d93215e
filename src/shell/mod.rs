//! The root of the page, its beginning, and the effects that tie the browser to the state.

pub mod address_bar;
pub mod downloads;
mod drafts;
pub mod drop_and_paste;
pub mod engine;
pub mod fullscreen;
pub mod layout;
pub mod menus;
mod offline;
pub mod playback;
mod printing;
pub mod remote;
pub mod root;
pub mod saving;
pub mod shortcuts;
pub mod shown;
pub mod start;
pub mod storage;
pub mod teaching;
#[cfg(test)]
mod tests;
pub mod theme;
pub mod words;
