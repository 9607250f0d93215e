//! The graph as it is and after the changes, at one scale, with the budget.

use std::rc::Rc;

use yew::prelude::*;

use crate::compare::common::{Common, Zoom};
use crate::compare::plot::Plot;
use crate::context::same::Same;
use crate::context::sentence::size;
use crate::context::use_page;
use crate::fit::state::answer::FitShown;
use crate::widgets::button::IconButton;
use crate::widgets::icons::Icon;
use memplan_core::base::{Id, Message};
use memplan_core::problem::BufferId;
use memplan_replay::Run;
use memplan_scene::Index;

/// Steps that are shown before and after what changed.
const AROUND: u32 = 10;

#[derive(Properties, PartialEq)]
pub struct PicturesProps {
    pub shown: Same<FitShown>,
    pub moves: usize,
    pub dark: bool,
}

#[component]
pub fn Pictures(props: &PicturesProps) -> Html {
    let page = use_page();
    let shown: &Rc<FitShown> = &props.shown.0;
    let Some(before) = shown.side(0) else { return Html::default() };
    let after = (props.moves > 0).then(|| shown.side(props.moves));
    let budget = shown.record.budget.available;
    let after_bytes = props.moves.checked_sub(1).map_or(0, |index| shown.record.moves[index].peak.after);
    let title = match props.moves {
        0 => String::new(),
        number => page.speech().say(&Message::new("fit.after-move").count("number", number as u64)),
    };
    let beside = |index: &Rc<Index>| vec![Same(index.clone())];
    let first = around(shown.fullest(&before.0));
    html! {
        <div class="diff-plans">
            <Side key="before" number={0} run={Same(before.0.clone())} index={Same(before.1.clone())} beside={after.flatten().map_or_else(Vec::new, |side| beside(&side.1))}
                title={page.word("fit.as-it-is")} {budget} load={shown.record.required.before} window={first} dark={props.dark} />
            { match after {
                None => Html::default(),
                Some(None) => html! { <section class="diff-plan"><p class="empty">{ page.word("fit.no-picture") }</p></section> },
                Some(Some(side)) => html! {
                    <Side key={format!("after-{}", props.moves)} number={1} run={Same(side.0.clone())} index={Same(side.1.clone())} beside={beside(&before.1)}
                        {title} {budget} load={after_bytes} window={changed(shown, props.moves, &side.0).unwrap_or_else(|| around(shown.fullest(&side.0)))} dark={props.dark} />
                },
            } }
        </div>
    }
}

fn around((step, _): (u32, u64)) -> (u32, u32) {
    (step, step + 1)
}

/// The steps of the operators that a change made or moved.
fn changed(shown: &FitShown, number: usize, run: &Run) -> Option<(u32, u32)> {
    let ops = &shown.record.moves.get(number.checked_sub(1)?)?.ops;
    let graph = run.graph.as_ref()?;
    let is_of = |name: &str| {
        ops.iter()
            .any(|op| name == op || name.strip_prefix(op.as_str()).is_some_and(|rest| rest.starts_with(['/', ' '])))
    };
    let mut steps = graph.nodes.enumerate().filter(|(_, node)| is_of(&node.name)).map(|(id, _)| id.index() as u32);
    let first = steps.next()?;
    Some((first, steps.next_back().unwrap_or(first) + 1))
}

#[derive(Properties, PartialEq)]
struct SideProps {
    number: usize,
    run: Same<Run>,
    index: Same<Index>,
    beside: Vec<Same<Index>>,
    title: String,
    budget: u64,
    /// Largest load of the fast memory.
    load: u64,
    /// The steps that are looked at.
    window: (u32, u32),
    dark: bool,
}

/// One plan with its heading.
#[component]
fn Side(props: &SideProps) -> Html {
    let page = use_page();
    let run = &props.run.0;
    let steps = run.problem.steps;
    let common = use_memo((), |()| Common::default());
    let near = (props.window.0.saturating_sub(AROUND), (props.window.1 + AROUND).min(steps));
    let whole = use_state(|| false);
    {
        let common = common.clone();
        use_effect_with((near, steps, *whole), move |&(near, steps, whole)| {
            let is_all = whole || near == (0, steps);
            let time = (f64::from(near.0), f64::from(near.1));
            common.choose((!is_all).then_some(Zoom { time, factor: 1.0, scroll: 0.0 }));
        });
    }
    let frame = use_memo(props.run.clone(), |run| Rc::new(run.0.finished()));
    let selected = use_state(|| None::<BufferId>);
    let onpick = {
        let set = selected.setter();
        Callback::from(move |(_, buffer): (Option<u32>, Option<BufferId>)| set.set(buffer))
    };
    let seen = if *whole { (0, steps) } else { near };
    let count = Message::new("fit.steps").count("from", seen.0).count("to", seen.1).count("all", steps);
    let load = props.load;
    let label =
        Message::new("fit.aria-plan").text("side", &props.title).bytes("load", load).bytes("budget", props.budget);
    let toggle = {
        let (set, now) = (whole.setter(), *whole);
        Callback::from(move |_: MouseEvent| set.set(!now))
    };
    let name = page.word(if *whole { "fit.show-part" } else { "fit.show-all" });
    let named = selected.map(|id| {
        let buffer = &run.problem.buffers[id];
        html! { <p class="fit-picked">{ buffer.name.clone() }{ " · " }{ size(&page, buffer.size) }</p> }
    });
    html! {
        <section class="diff-plan" aria-label={props.title.clone()}>
            <h2><span>{ props.title.clone() }</span><span class="muted">{ page.speech().say(&count) }</span><span class="grow"></span><b>{ size(&page, load) }</b>
                <IconButton name={name} icon={Icon::Fit} pressed={*whole} onclick={toggle} /></h2>
            <Plot number={props.number} run={props.run.clone()} index={props.index.clone()} frame={Same((*frame).clone())} stepping=false step={props.window.0} reads=false
                selected={*selected} beside={props.beside.iter().map(|index| (index.clone(), None)).collect::<Vec<_>>()} dim=false common={Same(common)} label={page.speech().say(&label)} {onpick} budget={props.budget} dark={props.dark} />
            { named }
        </section>
    }
}
