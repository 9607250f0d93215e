//! Parts of any page: icons, menus, dialogs, tabs, lists. They know nothing of memory.

pub mod dialog;
pub mod filter;
pub mod icons;
pub mod late;
pub mod menu;
pub mod rows;
pub mod sorting;
pub mod splitter;
pub mod tabs;
pub mod typed;
