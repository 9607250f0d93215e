//! Parts of any page: icons, menus, dialogs, tabs, lists. They know nothing of memory.

pub mod button;
pub mod dialog;
pub mod dragging;
pub mod filter;
pub mod icons;
pub mod in_sight;
pub mod kept_row;
pub mod late;
pub mod menu;
pub mod rows;
pub mod sort_button;
pub mod sorting;
pub mod splitter;
pub mod tabs;
pub mod typed;
