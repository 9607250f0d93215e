//! Both plans, at one scale. What is looked at is lit in both.

use std::rc::Rc;

use yew::prelude::*;

use crate::compare::common::Common;
use crate::compare::diff::change;
use crate::compare::diff::state::DiffChange;
use crate::compare::diff::state::shown::DiffShown;
use crate::compare::is_narrow;
use crate::compare::plot::Plot;
use crate::context::same::Same;
use crate::context::sentence::size;
use crate::context::use_page;
use memplan_core::base::Message;
use memplan_core::problem::BufferId;

/// Keys of the names of the sides.
const SIDES: [&str; 2] = ["diff.old", "diff.new"];

#[derive(Properties, PartialEq)]
pub struct PlansProps {
    pub shown: Same<DiffShown>,
    pub dark: bool,
}

#[component]
pub fn Plans(props: &PlansProps) -> Html {
    let page = use_page();
    let common = use_memo((), |()| Common::default());
    let diffing = &page.state.diffing;
    let narrow = is_narrow(&page);
    let front = usize::from(!diffing.shows_old);
    let sides = (0..2).filter(|side| !narrow || *side == front);
    html! { <>
        if narrow {
            <div class="segments views" role="group" aria-label={page.word("diff.plans")}>
                { for (0..2).map(|side| html! {
                    <button type="button" aria-pressed={(side == front).to_string()}
                        onclick={page.on(move || change(DiffChange::ShowOld(side == 0)))}>{ page.word(SIDES[side]) }</button>
                }) }
            </div>
        }
        <div class="diff-plans">{ for sides.map(|side| html! {
            <Side key={side} {side} shown={props.shown.clone()} common={Same(common.clone())} dark={props.dark} />
        }) }</div>
    </> }
}

#[derive(Properties, PartialEq)]
struct SideProps {
    side: usize,
    shown: Same<DiffShown>,
    common: Same<Common>,
    dark: bool,
}

/// One plan with its heading.
#[component]
fn Side(props: &SideProps) -> Html {
    let page = use_page();
    let side = props.side;
    let (run, index) = props.shown.0.sides[side].clone();
    let frame = use_memo(Same(run.clone()), |run| Rc::new(run.0.finished()));
    let diffing = &page.state.diffing;
    let step = diffing.steps()[side];
    let figures = &props.shown.figures[side];
    let name = page.word(SIDES[side]);
    let label = Message::new("diff.aria-plan").text("side", &name).bytes("peak", figures.peak);
    let label = page.speech().say(&label.bytes("bound", figures.bound).count("step", step));
    let onpick = {
        let send = page.send.clone();
        Callback::from(move |(step, buffer): (Option<u32>, Option<BufferId>)| {
            step.into_iter().for_each(|step| send.emit(change(DiffChange::Step(side, step))));
            send.emit(change(DiffChange::Select(side, buffer)));
        })
    };
    let beside = vec![(Same(props.shown.0.sides[1 - side].1.clone()), None)];
    html! {
        <section class="diff-plan" aria-label={name.clone()}>
            <h3><i class={["side-mark old", "side-mark new"][side]}></i>{ name }{ " · " }{ page.word("term.peak") }{ " " }{ size(&page, figures.peak) }</h3>
            <Plot number={side} run={Same(run)} index={Same(index)} frame={Same((*frame).clone())} stepping=false {step} reads=true
                selected={diffing.pair[side]} {beside} dim=true common={props.common.clone()} {label} {onpick} dark={props.dark} />
        </section>
    }
}
