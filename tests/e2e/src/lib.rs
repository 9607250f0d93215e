//! Drives the built page in a real browser.
//!
//! A test gets a [`Page`]: a browser window at the page, which a small static server of this
//! package serves. Every wait is for something that the page shows or does; nothing sleeps for a
//! while and hopes.

#![forbid(unsafe_code)]

pub mod axe;
pub mod browser;
pub mod driver;
pub mod keys;
pub mod page;
pub mod pool;
pub mod server;
pub mod setup;
pub mod timeline;
mod waiting;

pub use page::{Facts, Page};
pub use pool::Pool;
