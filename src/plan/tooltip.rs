//! The facts of the buffer under the pointer.

use yew::prelude::*;

use crate::browser::css;
use crate::context::Page;
use crate::plan::viewing::Picture;
use memplan_core::base::{Family, exact};
use memplan_core::problem::BufferId;

/// What the tooltip shows and where, in px from the panel's corner.
#[derive(Clone, PartialEq)]
pub struct Tip {
    pub buffer: BufferId,
    pub at: (f64, f64),
    pub pinned: bool,
}

pub fn tooltip(page: &Page, picture: &Picture, tip: &Tip) -> Html {
    let Some(buffer) = picture.run.problem.buffers.get(tip.buffer) else { return Html::default() };
    let speech = page.speech();
    let graph = page.state.document.open.as_ref().and_then(|document| document.graph.clone());
    let tensor = graph.as_ref().zip(buffer.tensors.first().copied());
    let place = picture.frame.places[tip.buffer];
    let maker = graph.as_ref().and_then(|graph| graph.nodes.get(memplan_core::graph::NodeId(buffer.live.start)));
    // When a buffer comes that is still to be placed, is part of what is predicted.
    let number = picture.run.timeline.decision_of(tip.buffer).map(|decision| decision + 1);
    let number = number.filter(|_| place.is_some() || !page.state.predicting.on);
    let (right, below) = (tip.at.0 > picture.size.0 / 2.0, tip.at.1 > picture.size.1 / 2.0);
    let mut side = if right {
        format!("right:{}px;", picture.size.0 - tip.at.0 + 14.0)
    } else {
        format!("left:{}px;", tip.at.0 + 14.0)
    };
    side += &if below {
        format!("bottom:{}px", picture.size.1 - tip.at.1 + 10.0)
    } else {
        format!("top:{}px", tip.at.1 + 10.0)
    };
    let padding = buffer.size.next_multiple_of(picture.run.granule()) - buffer.size;
    html! {
        <div class={classes!("tooltip", tip.pinned.then_some("pinned"))} ~style={css(side)} role="tooltip">
            <b>{ &buffer.name }</b>
            <span class="muted">
                { page.word(&Family::KIND.of([picture.run.kind_name(tip.buffer)])) }
                if let Some((graph, tensor)) = &tensor { { format!(" · {} · {}", graph.tensors[*tensor].dtype.name(), graph.shape_words(*tensor)) } }
                if let Some(maker) = maker { { format!(" · {}", maker.op) } }
            </span>
            <span>{ speech.bytes(buffer.size) }<span class="muted">{ format!(" {}\u{202f}B", exact(buffer.size)) }
                if padding > 0 { { format!(" + {}\u{202f}B {}", exact(padding), page.word("tip.padding")) } }</span></span>
            <span>{ page.word("fact.live") }{ " " }{ memplan_core::text::live(buffer.live.start, buffer.live.end) }</span>
            if let Some(place) = place {
                <span>{ page.word("fact.address") }{ " " }<span class="mono">{ format!("0x{:X}–0x{:X}", place.offset, place.offset + buffer.size) }</span>
                    if picture.frame.pools.len() > 1 { { " " }{ speech.say(&picture.run.plan.pool_title(place.pool)) } }</span>
            }
            if let Some(number) = number { <span class="muted">{ page.word("fact.frame") }{ " " }{ number }</span> }
        </div>
    }
}
