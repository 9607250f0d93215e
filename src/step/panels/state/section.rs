//! A section of the state panel as it is seen: a table, a ruler of sizes, a strip of nodes, or
//! lanes of plans.

use std::rc::Rc;

use yew::prelude::*;

use crate::browser::css;
use crate::context::Page;
use crate::context::names::breaking;
use crate::context::same::Same;
use crate::context::sentence::words;
use crate::shell::state::action::{Action, StepAction};
use crate::step::panels::state::head::{Head, copy_part, head};
use crate::step::panels::state::lanes::lanes;
use crate::step::panels::state::ruler::ruler;
use crate::step::panels::state::table::TableView;
use memplan_core::base::Message;
use memplan_replay::panel::{Chip, Section, View, device_steps, section_json};
use memplan_replay::{Level, Run};

/// Draws a section; `rows` are those that its table comes to at the end of the run.
pub fn section_view(page: &Page, section: &Rc<Section>, title: &str, rows: usize) -> Html {
    let Some((run, frame)) = page.state.document.run.clone().zip(page.frame.clone()) else { return Html::default() };
    let at_request = matches!(section.view, View::Ruler(_));
    let oncopy = {
        let (page, run) = (page.clone(), run.clone());
        let (section, title) = (section.clone(), title.to_string());
        Callback::from(move |_: MouseEvent| {
            copy_part(&page, section.id, &title, || section_json(&run, &section, page.speech()))
        })
    };
    let head = head(page, Head { title, at_request, oncopy: Some(oncopy), ..Head::default() });
    let body = match &section.view {
        // Another table has columns and an order of its own.
        View::Table(_) => {
            html! { <TableView key={section.id} section={Same::from(section)} title={title.to_string()} {rows} {head} /> }
        }
        View::Ruler(scale) => html! { <>{ head }{ ruler(page, scale) }</> },
        View::Strip(chips) => html! { <>{ head }{ device_frames(page, &run, section.id) }{ strip(page, chips) }</> },
        View::Lanes(held) => html! { <>{ head }{ lanes(page, &run, &frame, held) }</> },
    };
    html! {
        <section class="state" key={section.id} aria-label={title.to_string()} data-section={section.id} ~style={css(tracks(page, section))}>
            { body }
        </section>
    }
}

/// A section that has nothing to show at the moment, with the key of the sentence in its place.
pub fn nothing(page: &Page, title: &str, words: &str) -> Html {
    html! {
        <section class="state" aria-label={title.to_string()}>
            { head(page, Head { title, ..Head::default() }) }
            <p class="empty">{ page.word(words) }</p>
        </section>
    }
}

/// Columns as wide as what is in them, the same in every row. Where the panel is too narrow for
/// that, words are cut before a column leaves the panel.
fn tracks(page: &Page, section: &Section) -> Option<String> {
    let View::Table(table) = &section.view else { return None };
    let widths = &page.state.settings.columns;
    let last = table.columns.len().saturating_sub(1);
    let track = |column: usize| match widths.of(section.id, column) {
        Some(width) => format!("{width}px"),
        None if column == last && table.columns[column].numeric => "minmax(max-content, 1fr)".into(),
        None if column == last => "minmax(56px, 1fr)".into(),
        None if table.columns[column].numeric || column == 0 => "max-content".into(),
        None => "minmax(44px, max-content)".into(),
    };
    let mut tracks: Vec<String> = (0..table.columns.len()).map(track).collect();
    if table.rows.iter().any(|row| row.changed.is_some()) {
        // What happened stands behind the first column.
        tracks.insert(tracks.len().min(1), "max-content".into());
    }
    Some(format!("--tracks: {}", tracks.join(" ")))
}

/// The way to the frames in which devices are given: all lie before the first placement, where only
/// the finest level stops.
fn device_frames(page: &Page, run: &Run, section: &str) -> Html {
    let Some((count, events)) = device_steps(run).filter(|_| section == "devices") else { return Html::default() };
    let send = page.send.clone();
    let frame = run.timeline.frame_at(Level::All, events);
    let onclick = Callback::from(move |_: MouseEvent| {
        send.emit(Action::Step(StepAction::Level(Level::All)));
        send.emit(Action::Step(StepAction::Seek(frame)));
    });
    let words = page.speech().say(&Message::new("panel.devices.frames").count("n", count as u64));
    html! { <p class="own-frames"><button type="button" class="btn line" id="device-frames" {onclick}>{ words }</button></p> }
}

fn strip(page: &Page, chips: &[Chip]) -> Html {
    html! { <ol class="chips">
        { for chips.iter().map(|chip| html! {
            <li class={classes!("chip", chip.current.then_some("current"))} aria-current={chip.current.then_some("step")}
                ~style={css(format!("--chip: var(--c{0}); --chip-b: var(--c{0}b)", chip.class % 8 + 1))} title={format!("{}: {}", chip.label, page.speech().say(&chip.words))}>
                <span>{ breaking(&chip.label) }</span><span class="muted">{ words(page, &chip.words) }</span>
            </li>
        }) }
    </ol> }
}
