//! The summary strip: a number never stands without its scale.

use yew::prelude::*;

use crate::browser::css;
use crate::context::terms::TermWord;
use crate::context::{Layout, Page};
use crate::shell::state::action::{Action, CompareAction, ViewAction};
use crate::shell::state::look::Switch;
use crate::shell::state::panels::Mode;
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::{Message, Sizes, Term, Unit};
use memplan_core::plan::PoolRole;
use memplan_core::trace::StatePanel;
use memplan_replay::Run;

pub fn strip(page: &Page) -> Html {
    let Some(run) = page.state.document.run.clone() else { return html! { <div class="strip"></div> } };
    let speech = page.speech();
    let metrics = &run.metrics;
    let bound = metrics.bound();
    let share = if metrics.need() > 0 { 100.0 * bound as f64 / metrics.need() as f64 } else { 100.0 };
    let placed = page.frame.as_ref().map_or(0, |frame| frame.placed);
    let left_out = run.plan.unplanned.len() as u64;
    // A plan that breaks the rules has no result: its figure is the extent of something that does
    // not work.
    let invalid = !page.state.document.violations.is_empty();
    // Of a file that may be misread neither the peak nor the bound is known.
    let misread = run.plan.misreading.is_some();
    // Before the end the plan is not known: neither is what it needs, nor how good it is.
    let over = page.frame.as_ref().is_none_or(|frame| run.is_over(frame));
    let peak = page.frame.as_ref().filter(|_| !over).map_or(metrics.need(), |frame| frame.peak);
    let has_result = over && !invalid && !misread;
    // The figures of an allocator are what it obtained, not how near to a bound it came.
    let cached = run.cache_peaks().filter(|_| has_result);
    let stopped = run.stopped_at().filter(|_| has_result);
    let has_ratio = has_result && cached.is_none() && stopped.is_none();
    let narrow = page.layout == Layout::Narrow;
    let title = |key: &str| page.word(key);
    let units = speech.sizes.apart(&[peak, bound]);
    let amount = |bytes: u64, unit: Unit| {
        html! { <><b title={Sizes::Exact.words(bytes)}>{ unit.figure(bytes) }</b><u>{ unit.name() }</u></> }
    };
    html! {
        <div class="strip"><div class="stats">
            <span class={classes!("stat", (invalid || misread).then_some("invalid"))} id="strip-peak">
                { figure(if over { Term::Peak } else { Term::PeakSoFar }, html! { <>
                    <i>{ title(match metrics.held {
                        _ if !over => "term.peak-so-far",
                        Some(_) => "figure.held",
                        None => "term.peak",
                    }) }</i>{ amount(peak, units[0]) }
                </> }) }
                if misread { <em>{ title("strip.misread") }</em> } else if invalid { <em>{ title("strip.invalid") }</em> }
            </span>
            if let Some(sum) = metrics.held.filter(|_| over && !narrow).map(|_| metrics.peak) {
                <span class="stat" id="strip-storages"><u>{ speech.say(&Message::new("strip.storages").bytes("bytes", sum)) }</u></span>
            }
            if (cached.is_some() || has_result && is_file_plan(page, &run)) && !narrow {
                <span class="stat" id="strip-addresses"><u>{ title(if cached.is_some() { "strip.of-addresses" } else { "strip.addresses" }) }</u></span>
            }
            if let Some(step) = stopped {
                <span class="stat invalid" id="strip-stopped"><em>{ speech.say(&Message::new("strip.stopped").count("step", step)) }</em></span>
            }
            <span class="stat" id="strip-bound">
                { figure(Term::LowerBound, html! { <>
                    <span class="key dash"></span><i>{ title(if metrics.has_own_bound() { "term.lower-bound-placed" } else { "term.lower-bound" }) }</i>{ amount(bound, units[1]) }
                    if metrics.has_own_bound() && !narrow {
                        <u>{ speech.say(&Message::new("strip.bound-of-all").bytes("bound", metrics.lower_bound)) }</u>
                    }
                </> }) }
            </span>
            if let Some((reserved, allocated)) = cached.filter(|_| !narrow) {
                <span class="stat" id="strip-cache"><u>{ speech.say(&Message::new("strip.cache").bytes("reserved", reserved).bytes("allocated", allocated)) }</u></span>
            }
            if let Some(ratio) = metrics.ratio.filter(|_| has_ratio) {
                <span class="stat">{ figure(Term::Ratio, html! { <b>{ format!("{ratio:.2}×") }</b> }) }</span>
            }
            if let Some(optimal) = metrics.optimal.filter(|_| has_ratio) {
                <span class="stat">
                    { figure(if optimal { Term::Optimal } else { Term::BestFound }, html! { <b>{ title(if optimal { "term.optimal" } else { "term.best-found" }) }</b> }) }
                </span>
            }
            if !narrow {
                if has_ratio {
                    <span class={classes!("bullet", (left_out > 0).then_some("short"))} ~style={css(format!("--w:{share:.2}%"))} aria-hidden="true"></span>
                    <span class="stat optional">
                        { figure(Term::Waste, html! { <><i>{ title("term.waste") }</i>{ amount(metrics.waste, speech.sizes.unit(metrics.waste)) }</> }) }
                    </span>
                }
                // Where there is room for one of them, the number left out is more useful.
                if left_out > 0 {
                    <span class="stat optional">
                        { figure(Term::LeftOut, html! { <><i>{ title("term.unplanned") }</i><b>{ memplan_core::base::exact(left_out) }</b></> }) }
                    </span>
                }
                <span class={classes!("stat", "optional", (left_out > 0).then_some("extra"))}>
                    { figure(Term::Placed, html! { <>
                        <i>{ title("term.placed") }</i>
                        <b>{ memplan_core::base::exact(placed.into()) }<span class="muted">{ format!(" / {}", memplan_core::base::exact(metrics.placed.into())) }</span></b>
                    </> }) }
                </span>
            }
            </div>
            if !narrow { { what_if(page) }{ tools(page, &run) } }
        </div>
    }
}

/// Whether it is the plan in a snapshot of an allocator, whose addresses lie in many segments.
fn is_file_plan(page: &Page, run: &Run) -> bool {
    let records = page.state.document.open.as_ref().is_some_and(|document| !document.recorded.is_empty());
    records && memplan_planners::info(&run.planner).is_none()
}

/// A figure that defines itself.
fn figure(term: Term, words: Html) -> Html {
    html! { <TermWord {term} class="figure">{ words }</TermWord> }
}

/// The way to other settings of the allocator, if the document records its calls.
fn what_if(page: &Page) -> Html {
    let records = page.state.document.open.as_ref().is_some_and(|document| !document.recorded.is_empty());
    if !records || page.state.view.mode != Mode::Step {
        return Html::default();
    }
    html! { <button type="button" class="btn line" id="what-if" onclick={page.on(|| Action::Compare(CompareAction::OpenWhatIf))}>{ page.word("whatif.button") }</button> }
}

/// The switches of the picture.
fn tools(page: &Page, run: &Run) -> Html {
    let has_tree = run.has_tree();
    // Storages show no load.
    let has_load = run.plan.pools.iter().any(|pool| pool.role != PoolRole::Storage);
    let look = page.state.view.look;
    let sliced = look.slice && page.state.shown_step().is_some();
    // Above the plan stands what training holds bytes for, or what an allocator holds.
    let caches = run.has_panel(StatePanel::CachedBlocks) && run.is_recorded_program();
    let over_time = if caches { "whatif.curves" } else { "switch.classes" };
    let switches = [
        (Switch::Slice, Icon::Slice, "switch.slice", sliced, page.state.view.mode == Mode::Step),
        (Switch::Tree, Icon::Tree, "switch.tree", look.tree, has_tree),
        (Switch::Dim, Icon::Dim, "switch.dim", look.dim, true),
        (Switch::Load, Icon::Load, "switch.load", look.load, has_load),
        (Switch::Classes, Icon::Classes, over_time, look.classes, caches || run.classes().is_some()),
        (Switch::Waste, Icon::Waste, "switch.waste", look.waste, true),
        (Switch::Reuse, Icon::Reuse, "switch.reuse", look.reuse, true),
    ];
    html! {
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
}
