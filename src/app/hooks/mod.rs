//! Effects, one hook each: what the page asks of the browser.

mod address_bar;
mod charts;
mod downloads;
mod engine;
mod files;
mod layout;
mod menus;
mod parent;
mod playback;
mod save;
mod shortcuts;
mod storage;
mod store;
mod theme;
mod words;

pub use address_bar::use_address_bar;
pub use charts::{draw_chart, save_chart};
pub use downloads::{save_picture, save_text, use_downloads};
pub use engine::use_engine;
pub use files::{
    fetch, open_address, open_case, open_example, open_special, open_template, pick_files, use_drop_and_paste,
};
pub use layout::use_layout;
pub use menus::use_menus;
pub use parent::use_parent;
pub use playback::use_playback;
pub use save::use_saving;
pub use shortcuts::{SPEEDS, use_shortcuts};
pub use storage::{discard, forget_all, forget_recent, open_kept, open_recent, use_storage};
pub use theme::use_theme;
pub use words::{first_language, learn, once_understood};

/// The end of an effect: drops what had to live as long as it, a listener or a timer.
pub fn until_then<T>(kept: T) -> impl FnOnce() {
    move || drop(kept)
}
