//! A section of the state panel as it is seen: a table, a ruler of sizes, a strip of nodes, or lanes of plans.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::context::Page;
use crate::app::context::sentence::words;
use crate::app::panels::state::head::{Head, copy_part, head};
use crate::app::panels::state::lanes::lanes;
use crate::app::panels::state::ruler::ruler;
use crate::app::panels::state::table::TableView;
use crate::app::state::action::{Action, StepAction};
use crate::base::Message;
use crate::replay::panel::{Chip, Section, View, device_steps, section_json};
use crate::replay::{Level, Run};

pub fn section_view(page: &Page, section: &Rc<Section>, title: &str) -> Html {
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
        View::Table(_) => html! { <TableView section={section.clone()} title={title.to_string()} {head} /> },
        View::Ruler(scale) => html! { <>{ head }{ ruler(page, scale) }</> },
        View::Strip(chips) => html! { <>{ head }{ device_frames(page, &run, section.id) }{ strip(page, chips) }</> },
        View::Lanes(held) => html! { <>{ head }{ lanes(page, &run, &frame, held) }</> },
    };
    html! {
        <section class="state" key={section.id} aria-label={title.to_string()} data-section={section.id} style={tracks(&section.view)}>
            { body }
        </section>
    }
}

/// A section that had nothing to show one frame earlier.
pub fn nothing(page: &Page, title: &str) -> Html {
    html! {
        <section class="state" aria-label={title.to_string()}>
            { head(page, Head { title, ..Head::default() }) }
            <p class="empty">{ page.word("panel.nothing-before") }</p>
        </section>
    }
}

/// Columns as wide as what is in them, the same in every row.
fn tracks(view: &View) -> Option<String> {
    let View::Table(table) = view else { return None };
    let happened = table.rows.iter().any(|row| row.changed.is_some()).then_some("max-content");
    let last = table.columns.len().saturating_sub(1);
    let tracks =
        (0..table.columns.len()).map(|column| if column == last { "minmax(max-content, 1fr)" } else { "max-content" });
    Some(format!("--tracks: {}", happened.into_iter().chain(tracks).collect::<Vec<_>>().join(" ")))
}

/// The way to the frames in which devices are given: all lie before the first placement, where only the finest level stops.
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
                style={format!("--chip: var(--c{0}); --chip-b: var(--c{0}b)", chip.class % 8 + 1)} title={format!("{}: {}", chip.label, page.speech().say(&chip.words))}>
                <span class="cut">{ &chip.label }</span><span class="muted">{ words(page, &chip.words) }</span>
            </li>
        }) }
    </ol> }
}
