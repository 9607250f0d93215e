//! Parts of any page: icons, menus, dialogs, tabs, lists. They know nothing of memory.

#[cfg(target_arch = "wasm32")]
pub mod dialog;
#[cfg(target_arch = "wasm32")]
pub mod dragging;
#[cfg(target_arch = "wasm32")]
pub mod filter;
#[cfg(target_arch = "wasm32")]
pub mod icons;
pub mod in_sight;
#[cfg(target_arch = "wasm32")]
pub mod late;
#[cfg(target_arch = "wasm32")]
pub mod menu;
#[cfg(target_arch = "wasm32")]
pub mod rows;
#[cfg(target_arch = "wasm32")]
pub mod sort_button;
pub mod sorting;
#[cfg(target_arch = "wasm32")]
pub mod splitter;
#[cfg(target_arch = "wasm32")]
pub mod tabs;
#[cfg(target_arch = "wasm32")]
pub mod typed;
