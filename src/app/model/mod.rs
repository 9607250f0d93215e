//! What the page holds: data alone, with no effect and no element of the page.

pub mod breakpoints;
pub mod comparison;
pub mod document;
pub mod editing;
pub mod embed;
pub mod examples;
pub mod link;
pub mod look;
pub mod notice;
pub mod panels;
pub mod recent;
pub mod recovery;
pub mod speeds;
