//! Keys of links to lessons.

use crate::learn::lessons::state::progress::LearnPlace;
use crate::shell::state::State;
use crate::shell::state::address::key::Leads::ToLearn;
use crate::shell::state::address::key::LinkKey;

/// The lesson and its paragraph.
pub const LESSON: [LinkKey; 2] = [
    LinkKey {
        key: "learn",
        of: &[ToLearn],
        write: |state, _| Some(place(state)?.lesson.map(|number| number.to_string()).unwrap_or_default()),
        read: Some(|link, _, value| {
            link.address.restored.learn = Some(LearnPlace { lesson: value.parse().ok(), paragraph: 0 });
        }),
    },
    LinkKey {
        key: "p",
        of: &[ToLearn],
        write: |state, _| {
            let LearnPlace { lesson, paragraph } = place(state)?;
            (lesson.is_some() && paragraph > 0).then(|| (paragraph + 1).to_string())
        },
        read: Some(|link, _, value| link.paragraph = value.parse().unwrap_or(1)),
    },
];

/// Returns the place in the lessons, where neither a game nor the teacher's corner is open.
fn place(state: &State) -> Option<LearnPlace> {
    (state.game.is_none() && state.teaching.corner.is_none()).then_some(state.learning.place)
}
