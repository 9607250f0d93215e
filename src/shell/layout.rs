//! What the window has room for.

use yew::prelude::*;

use crate::browser::dom::{on_window, until_then};
use crate::browser::media::window_size;
use crate::shell::state::layout::Room;

/// What the window has room for, kept up to date.
#[hook]
pub fn use_room() -> Room {
    let room = use_state_eq(present);
    let set = room.setter();
    use_effect_with((), move |_| until_then(on_window("resize", move |_| set.set(present()))));
    *room
}

fn present() -> Room {
    let (width, height) = window_size();
    Room::of(width, height)
}
