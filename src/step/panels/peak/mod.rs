//! What is alive at the step of the largest load, or at the cursor: who makes it, who reads it
//! last, what the bound would be without it.

mod head;
mod kernel;
pub mod lines;
mod list;

use std::rc::Rc;

use yew::prelude::*;

use crate::context::same::Same;
use crate::context::use_page;
use crate::step::panels::graph::nothing;
use crate::step::panels::peak::head::head;
use crate::step::panels::peak::lines::Lines;
use crate::step::panels::peak::list::List;
use crate::step::state::PeakBy;
use memplan_core::problem::{AliveList, Fullest, alive, alive_by_class, alive_by_line, knows_lines};
use memplan_replay::Run;

/// The panel: the load of the run, and what is alive at one step of it.
#[derive(Clone, PartialEq)]
pub struct AtPeak {
    run: Same<Run>,
    fullest: Same<Fullest>,
    list: Same<AliveList>,
}

#[component]
pub fn PeakPanel() -> Html {
    let page = use_page();
    let run = page.state.document.run.as_ref().map(Same::from);
    let fullest = use_memo(run.clone(), |run| run.as_ref().map(|run| Same(Rc::new(Fullest::new(run.reached())))));
    let fullest = (*fullest).clone();
    let step = page.state.stepping.step.or(fullest.as_ref().and_then(|fullest| fullest.step()));
    let ways = use_memo(run.clone(), |run| run.as_ref().map_or_else(Vec::new, |run| ways(run)));
    let by = Some(page.state.stepping.peak_by).filter(|by| ways.contains(by)).unwrap_or_default();
    let list = use_memo((run.clone(), step, by), |(run, step, by)| {
        let (run, step) = (run.as_ref()?, (*step)?);
        let (problem, graph) = (&run.problem, run.graph.as_deref());
        Some(Same(Rc::new(match (by, run.classes()) {
            (PeakBy::Line, _) => alive_by_line(problem, graph, step),
            (PeakBy::Class, Some(classes)) => alive_by_class(problem, graph, classes, step),
            _ => alive(problem, graph, step),
        })))
    });
    let Some(((run, fullest), list)) = run.zip(fullest).zip((*list).clone()) else { return nothing(&page) };
    let at_peak = AtPeak { run, fullest, list };
    html! {
        <div class="pk" id="peak-panel" tabindex="-1">
            { head(&page, &at_peak, by, &ways) }
            if by == PeakBy::Module { <List at_peak={at_peak} /> } else { <Lines at_peak={at_peak} /> }
        </div>
    }
}

/// The ways in which what is alive can be grouped.
fn ways(run: &Run) -> Vec<PeakBy> {
    let has_lines = knows_lines(&run.problem, run.graph.as_deref());
    let ways = [(PeakBy::Line, has_lines), (PeakBy::Module, true), (PeakBy::Class, run.classes().is_some())];
    ways.into_iter().filter(|way| way.1).map(|way| way.0).collect()
}
