//! What frames every mode: header, menus, notices, help, report, pictures.

pub mod by_hand;
pub mod drafts;
pub mod find;
pub mod header;
pub mod help;
mod link_programs;
pub mod more;
pub mod newer;
pub mod notices;
pub mod signs;
