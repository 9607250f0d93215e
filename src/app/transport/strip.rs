//! The summary strip: a number never stands without its scale.

use yew::prelude::*;

use crate::app::context::{Layout, Page};
use crate::app::model::look::Switch;
use crate::app::state::action::{Action, ViewAction};
use crate::app::widgets::icons::{Icon, glyph};

pub fn strip(page: &Page) -> Html {
    let Some(run) = page.state.document.run.clone() else { return html! { <div class="strip"></div> } };
    let speech = page.speech();
    let metrics = &run.metrics;
    let bound = metrics.placed_lower_bound.max(if metrics.placed == 0 { metrics.lower_bound } else { 0 });
    let share = if metrics.peak > 0 { 100.0 * bound as f64 / metrics.peak as f64 } else { 100.0 };
    let placed = page.frame.as_ref().map_or(0, |frame| frame.placed);
    let left_out = run.plan.unplanned.len() as u64;
    // A plan that breaks the rules has no result: its figure is the extent of something that does not work.
    let invalid = !page.state.document.violations.is_empty();
    let narrow = page.layout == Layout::Narrow;
    let title = |key: &str| page.word(key);
    let exact = |bytes: u64| format!("{}\u{202f}B", crate::base::exact(bytes));
    let switches = [
        (Switch::Tree, Icon::Tree, "switch.tree", page.state.view.look.tree, run.has_tree()),
        (Switch::Dim, Icon::Dim, "switch.dim", page.state.view.look.dim, true),
        (Switch::Load, Icon::Load, "switch.load", page.state.view.look.load, true),
        (Switch::Waste, Icon::Waste, "switch.waste", page.state.view.look.waste, true),
        (Switch::Reuse, Icon::Reuse, "switch.reuse", page.state.view.look.reuse, true),
    ];
    html! {
        <div class="strip"><div class="stats">
            <span class={classes!("stat", invalid.then_some("invalid"))} id="strip-peak" title={exact(metrics.peak)}>
                <i>{ title("term.peak") }</i><b>{ speech.unit.figure(metrics.peak) }</b><u>{ speech.unit.name() }</u>
                if invalid { <em>{ title("strip.invalid") }</em> }
            </span>
            <span class="stat" title={format!("{}: {}", title("term.lower-bound"), exact(metrics.lower_bound))}>
                <span class="key dash"></span><i>{ title(if bound == metrics.lower_bound { "term.lower-bound" } else { "term.lower-bound-placed" }) }</i><b>{ speech.unit.figure(bound) }</b>
            </span>
            if let Some(ratio) = metrics.ratio.filter(|_| !invalid) {
                <span class="stat" title={title("tip.ratio")}><b>{ format!("{ratio:.2}×") }</b></span>
            }
            if let Some(optimal) = metrics.optimal.filter(|_| !invalid) {
                <span class="stat" title={format!("{}: {}", title("term.proved-bound"), exact(metrics.proved_bound.unwrap_or(0)))}>
                    <b>{ title(if optimal { "term.optimal" } else { "term.best-found" }) }</b>
                </span>
            }
            if !narrow {
                if !invalid {
                    <span class={classes!("bullet", (left_out > 0).then_some("short"))} style={format!("--w:{share:.2}%")} aria-hidden="true"></span>
                    <span class="stat optional" title={exact(metrics.waste)}>
                        <i>{ title("term.waste") }</i><b>{ speech.unit.figure(metrics.waste) }</b>
                    </span>
                }
                // Where there is room for one of them, what was left out says more.
                if left_out > 0 {
                    <span class="stat optional" title={title("tip.unplanned")}>
                        <i>{ title("term.unplanned") }</i><b>{ crate::base::exact(left_out) }</b>
                    </span>
                }
                <span class={classes!("stat", "optional", (left_out > 0).then_some("extra"))}>
                    <i>{ title("term.placed") }</i>
                    <b>{ crate::base::exact(placed.into()) }<span class="muted">{ format!(" / {}", crate::base::exact(metrics.placed.into())) }</span></b>
                </span>
            }
            </div>
            if !narrow {
                <span class="tools">
                    { for switches.into_iter().filter(|switch| switch.4).map(|(switch, icon, key, on, _)| {
                        let name = page.word(key);
                        html! {
                            <button type="button" class={classes!("btn", "icon-only", on.then_some("on"))} aria-pressed={on.to_string()}
                                aria-label={name.clone()} title={name} onclick={page.on(move || Action::View(ViewAction::Switch(switch)))}>
                                { glyph(icon) }
                            </button>
                        }
                    }) }
                </span>
            }
        </div>
    }
}
