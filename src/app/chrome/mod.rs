//! What frames every mode: header, menus, notices, help, report.

pub mod export;
pub mod find;
pub mod header;
pub mod help;
pub mod how;
pub mod more;
pub mod notices;
pub mod report;
