//! Reserved and allocated bytes over the events of two rows, at one scale.

use std::fmt::Write;

use yew::prelude::*;

use crate::browser::css;
use crate::compare::state::whatif::WhatIfChange;
use crate::compare::whatif::{change, name_of};
use crate::context::Page;
use crate::context::sentence::{plain_words, size};
use memplan_core::base::Message;
use memplan_core::problem::Problem;
use memplan_engine::{WhatIfRow, whatif_name, whatif_result};

/// Width and height of a picture in its own units: it is stretched to the room there is.
const SIZE: (f64, f64) = (1000.0, 200.0);

/// Where bytes and events lie in both pictures.
#[derive(Clone, Copy)]
struct Scale {
    bytes: u64,
    steps: u32,
}

impl Scale {
    fn x(self, step: u32) -> f64 {
        SIZE.0 * f64::from(step) / f64::from(self.steps.max(1))
    }

    fn y(self, bytes: u64) -> f64 {
        SIZE.1 - SIZE.1 * bytes as f64 / self.bytes.max(1) as f64
    }

    /// The corners of a curve that holds its value until the next moment.
    fn corners(self, curve: &[(u32, u64)], end: u32) -> String {
        let mut path = String::new();
        let ends = curve.iter().skip(1).map(|(step, _)| *step).chain([end]);
        for ((step, bytes), until) in curve.iter().zip(ends) {
            let (from, to, y) = (self.x(*step), self.x(until), self.y(*bytes));
            // Writing to a text cannot fail.
            let _ = write!(path, "{}{from:.1} {y:.1}L{to:.1} {y:.1}", if path.is_empty() { "M" } else { "L" });
        }
        path
    }
}

/// The curves of the two rows that are chosen, and the way to their plans.
pub fn curves(page: &Page, problem: &Problem) -> Html {
    let trying = &page.state.comparing.whatif;
    let pair = trying.pair();
    let row = |at: usize| trying.rows.get(at).and_then(|(settings, row)| Some((settings, row.as_ref().ok()?)));
    let places = if pair[0] == pair[1] { &pair[..1] } else { &pair[..] };
    let shown: Vec<(&str, &String, &WhatIfRow)> = ["A", "B"]
        .into_iter()
        .zip(places)
        .filter_map(|(letter, &at)| row(at).map(|(s, row)| (letter, s, row)))
        .collect();
    let most = shown.iter().flat_map(|(.., row)| row.measured.curve.iter().map(|(_, reserved, _)| *reserved)).max();
    let Some(most) = most else { return Html::default() };
    // A card that is much larger would leave the curves no height.
    let card = trying.card.filter(|card| *card <= most.saturating_mul(2));
    // Above the highest line stands its figure.
    let scale = Scale { bytes: most.max(card.unwrap_or(0)) / 8 * 9, steps: problem.steps };
    html! {
        <section class="whatif-curves" aria-label={page.word("whatif.curves")}>
            <p class="acts">
                <span class="whatif-key reserved">{ page.word("whatif.reserved") }</span>
                <span class="whatif-key allocated">{ page.word("whatif.allocated") }</span>
                <span class="whatif-key free">{ page.word("whatif.unused") }</span>
                if card.is_some() { <span class="whatif-key card">{ page.word("whatif.the-card") }</span> }
                if shown.len() == 2 {
                    <button type="button" class="btn line" id="whatif-beside" onclick={page.on(|| change(WhatIfChange::Beside))}>{ page.word("whatif.beside") }</button>
                }
            </p>
            <div class="whatif-pair">{ for shown.iter().map(|(letter, settings, row)| curve(page, letter, settings, row, scale)) }</div>
        </section>
    }
}

fn curve(page: &Page, letter: &str, settings: &str, row: &WhatIfRow, scale: Scale) -> Html {
    let measured = &row.measured;
    let stop = measured.on_card.and_then(|on_card| on_card.stop);
    let end = stop.map_or(scale.steps, |stop| stop.step.max(1));
    let line = |value: fn(&(u32, u64, u64)) -> u64| {
        let points: Vec<(u32, u64)> = measured.curve.iter().map(|moment| (moment.0, value(moment))).collect();
        scale.corners(&points, end)
    };
    let (reserved, allocated) = (line(|moment| moment.1), line(|moment| moment.2));
    let first = measured.curve.first().map_or(0.0, |moment| scale.x(moment.0));
    let ground = |path: &str| format!("{path}L{:.1} {}L{first:.1} {}Z", scale.x(end), SIZE.1, SIZE.1);
    // On the card, not on one that never runs out.
    let most = measured.curve.iter().map(|moment| moment.1).max().unwrap_or(0);
    let name = name_of(page, settings);
    let label = Message::new("whatif.curve").text("name", name.clone()).bytes("reserved", measured.reserved);
    let label = page.speech().say(&label.bytes("allocated", measured.allocated));
    let level = page.state.comparing.whatif.card.map(|card| scale.y(card)).filter(|y| *y >= 0.0);
    html! {
        <figure class="whatif-curve" data-row={letter.to_string()}>
            <figcaption><b class="whatif-letter">{ letter.to_string() }</b>{ " " }<b>{ name }</b>
                if let Some(on_card) = measured.on_card { { " " }<span class="muted">{ plain_words(page, &whatif_result(on_card)) }</span> }</figcaption>
            <div class="whatif-plot">
                <span class="whatif-top muted" ~style={css(format!("--y:{:.1}%", 100.0 * scale.y(most) / SIZE.1))} aria-hidden="true">{ page.word("whatif.reserved") }{ " " }{ size(page, most) }</span>
                <svg viewBox={format!("0 0 {} {}", SIZE.0, SIZE.1)} preserveAspectRatio="none" role="img" aria-label={label}>
                    <path class="free" d={ground(&reserved)} />
                    <path class="used" d={ground(&allocated)} />
                    <path class="allocated" d={allocated.clone()} />
                    <path class="reserved" d={reserved} />
                    if let Some(y) = level { <path class="card" d={format!("M0 {y:.1}L{} {y:.1}", SIZE.0)} /> }
                    if stop.is_some() { <path class="stop" d={format!("M{:.1} 0L{:.1} {}", scale.x(end), scale.x(end), SIZE.1)} /> }
                </svg>
            </div>
            <p class="whatif-axis muted" aria-hidden="true"><span>{ page.word("whatif.event") }{ " 0" }</span><span>{ scale.steps }</span></p>
            if let Some(stop) = stop {
                <p class="whatif-asks">{ plain_words(page, &Message::new("whatif.asks").text("line", whatif_name(row)).bytes("bytes", stop.bytes).bytes("free", stop.free).bytes("largest", stop.largest)) }</p>
            }
        </figure>
    }
}
