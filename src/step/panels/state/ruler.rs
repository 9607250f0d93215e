use yew::prelude::*;

use crate::context::Page;
use crate::context::sentence::words;
use memplan_core::base::Message;
use memplan_replay::panel::Ruler;

/// Width and height of the ruler's drawing.
const RULER: (f64, f64) = (400.0, 76.0);

pub fn ruler(page: &Page, scale: &Ruler) -> Html {
    let sizes = scale.marks.iter().map(|mark| mark.bytes).chain([scale.request, scale.window.0, scale.window.1]);
    let used: Vec<f64> = sizes.map(|bytes| (bytes.max(1) as f64).log2()).collect();
    let (low, high) = used.iter().fold((f64::MAX, f64::MIN), |(low, high), &at| (low.min(at), high.max(at)));
    let x = |bytes: u64| 12.0 + (RULER.0 - 24.0) * ((bytes.max(1) as f64).log2() - low) / (high - low).max(1.0);
    let (from, to, request) = (x(scale.window.0), x(scale.window.1), x(scale.request));
    let message = Message::new("panel.ruler.says")
        .bytes("request", scale.request)
        .bytes("low", scale.window.0)
        .bytes("high", scale.window.1)
        .count("n", scale.marks.len() as u64);
    html! { <div class="ruler">
        <svg viewBox={format!("0 0 {} {}", RULER.0, RULER.1)} role="img" aria-label={page.speech().say(&message)}>
            <rect class="window" x={from.to_string()} y="14" width={(to - from).max(1.0).to_string()} height="30" />
            <line class="axis" x1="4" x2={(RULER.0 - 4.0).to_string()} y1="44" y2="44" />
            <line class="request" x1={request.to_string()} x2={request.to_string()} y1="8" y2="50" />
            <text class="request" x={request.to_string()} y="62" text-anchor="middle">{ page.speech().bytes(scale.request) }</text>
            { for scale.marks.iter().map(|mark| {
                let at = x(mark.bytes);
                html! { <g class={classes!("mark", mark.chosen.then_some("chosen"))}>
                    <circle cx={at.to_string()} cy="44" r="5"><title>{ page.speech().bytes(mark.bytes) }</title></circle>
                    <text x={at.to_string()} y="34" text-anchor="middle">{ format!("s{}", mark.pool.0) }</text>
                    if let Some(number) = mark.number { <text class="number" x={at.to_string()} y="10" text-anchor="middle">{ number }</text> }
                </g> }
            }) }
        </svg>
        <p>{ words(page, &message) }</p>
    </div> }
}
