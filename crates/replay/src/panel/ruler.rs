//! Free storages on an axis of bytes with the request and the window of sizes it may take, in the
//! order in which they were looked at. For every planner that emits [`Note::Request`] and
//! [`Note::Window`].

use super::{Ruler, RulerMark, Section, View};
use crate::{Frame, Run, is_visited};
use memplan_core::plan::PoolId;
use memplan_core::trace::{Event, Note, Verdict};

pub fn ruler(run: &Run, frame: &Frame) -> Option<Section> {
    let begin = run.timeline.decisions[frame.decision?].begin;
    let emitted = &run.timeline.events[begin as usize..frame.events as usize];
    let mut request = None;
    let mut window = None;
    let mut marks = Vec::new();
    let mut number = 0;
    for event in emitted {
        match *event {
            Event::Note { note: Note::Request, a, .. } => request = Some(a),
            Event::Note { note: Note::Window, a, b, .. } => window = Some((a, b)),
            Event::AskStorage { verdict, pool, size } => {
                let visited = is_visited(verdict, marks.iter().any(|mark: &RulerMark| mark.chosen));
                number += u32::from(visited);
                marks.push(RulerMark {
                    pool: PoolId(pool),
                    bytes: size,
                    number: visited.then_some(number),
                    chosen: verdict == Verdict::Chosen,
                });
            }
            _ => {}
        }
    }
    let view = View::Ruler(Ruler { request: request?, window: window?, marks });
    Some(Section { id: "ruler", view })
}
