//! What frames every mode: header, menus, notices, help, report, pictures.

pub mod beside;
pub mod by_hand;
pub mod drafts;
pub mod export;
pub mod find;
pub mod header;
pub mod help;
pub mod how;
pub mod more;
pub mod newer;
pub mod notices;
pub mod picture;
pub mod pictured;
pub mod report;
pub mod signs;
pub mod write;
