//! Export: files, pictures, a printed page, a link, and a plan written into the open model.

pub mod downloads;
pub mod menu;
pub mod picture;
pub mod pictured;
pub mod printing;
pub mod state;
pub mod write;
