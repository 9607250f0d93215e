//! What the page holds: data alone, with no effect and no element of the page.

pub mod breakpoints;
pub mod columns;
pub mod comparison;
pub mod defining;
pub mod diffing;
pub mod document;
pub mod editing;
pub mod embed;
pub mod encoding;
pub mod examples;
pub mod keys;
pub mod layout;
pub mod learning;
pub mod lines;
pub mod link;
pub mod listing;
pub mod look;
pub mod notice;
pub mod panels;
pub mod presenting;
pub mod recent;
pub mod recovery;
pub mod remote;
pub mod speeds;
pub mod teaching;
pub mod visit;
