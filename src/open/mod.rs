//! Open: documents by example, picker, drop, paste or address, and what reading them found.

pub mod drop_and_paste;
pub mod recent_list;
pub mod remote;
pub mod report;
pub mod start;
pub mod state;
