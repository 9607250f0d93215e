//! Networks, buffers and plans: what all of memplan speaks of.
//!
//! In goes a network as a reader found it ([`graph::RawGraph`]). [`graph::check()`] resolves its
//! names, [`problem::lifetimes()`] derives the buffers with their sizes and live ranges, a planner
//! makes a [`plan::Plan`] of them and reports its decisions as [`trace::Event`]s, and
//! [`plan::check()`] judges the plan. Messages come out as keys with arguments ([`base::Message`]);
//! [`text`] has their sentences in English and Chinese.
//!
//! Begin with [`problem`]: its picture runs through the comments of all crates.

#![deny(unsafe_code)]
#![warn(missing_docs)]

pub mod base;
pub mod graph;
pub mod plan;
pub mod problem;
pub mod text;
pub mod trace;
