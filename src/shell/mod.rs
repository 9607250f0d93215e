//! The root of the page, its beginning, and the effects that tie the browser to the state.

pub mod address_bar;
pub mod engine;
pub mod layout;
pub mod menus;
mod offline;
pub mod root;
pub mod shortcuts;
pub mod shown;
pub mod start;
pub mod state;
pub mod storage;
#[cfg(test)]
mod tests;
pub mod theme;
pub mod words;
