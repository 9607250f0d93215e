//! Why the plan is above its bound: one paragraph, and the decisions that caused it.

use std::rc::Rc;

use yew::prelude::*;

use crate::browser::css;
use crate::context::same::Same;
use crate::context::sentence::{frame_link, link, words};
use crate::context::{Page, use_page};
use crate::shell::state::action::{Action, DocumentAction};
use memplan_core::base::Message;
use memplan_core::plan::Standing;
use memplan_core::text::live;
use memplan_engine::RankingEntry;
use memplan_replay::{Frame, Growth, Level, Run, gap, gap_sentences};

/// Buffers looked at for reasons, over all decisions: some milliseconds in a browser.
const WORK: u64 = 1_000_000;
/// Decisions listed.
const MAX_ROWS: usize = 50;

/// The paragraph at the last frame of a plan above its bound; nothing elsewhere.
pub fn gap_section(page: &Page, run: &Rc<Run>, frame: &Frame) -> Html {
    let is_last = frame.events == run.timeline.events_at(Level::Decisions, u32::MAX);
    if !is_last || run.metrics.need() <= run.metrics.bound() {
        return Html::default();
    }
    html! { <GapSection run={Same::from(run)} level={page.state.stepping.level} /> }
}

#[derive(Properties, PartialEq)]
struct GapProps {
    run: Same<Run>,
    level: Level,
}

#[component]
fn GapSection(props: &GapProps) -> Html {
    let page = use_page();
    let GapProps { run, level } = props;
    let found = use_memo((run.clone(), *level), |(run, level)| {
        let gap = gap(run, WORK);
        let sentences = gap_sentences(run, &gap, *level);
        (gap, sentences)
    });
    let (gap, sentences) = &*found;
    let share = 100.0 * run.metrics.bound() as f64 / gap.peak.max(1) as f64;
    let blank = page.blank();
    let hidden = gap.growths.len().saturating_sub(MAX_ROWS) as u64;
    html! {
        <section class="told" id="gap">
            <h3>{ words(&page, &Message::new("gap.title").bytes("above", run.metrics.waste)) }</h3>
            <div class="bar-sum" aria-hidden="true"><i ~style={css(format!("width:{share:.2}%"))}></i><i ~style={css(format!("width:{:.2}%", 100.0 - share))}></i></div>
            <p id="gap-paragraph">{ for sentences.iter().map(|sentence| html! { <>{ words(&page, sentence) }{ blank }</> }) }</p>
            <ol aria-label={page.word("gap.list")}>
                { for gap.growths.iter().take(MAX_ROWS).enumerate().map(|(index, growth)| row(&page, run, *level, index, growth)) }
            </ol>
            if hidden > 0 { <p class="muted">{ words(&page, &Message::new("gap.more").count("n", hidden)) }</p> }
            if gap.growths.len() > 1 { <p class="sub">{ page.word("gap.exact") }</p> }
            { helped(&page, run) }
        </section>
    }
}

/// The planner with the smallest peak, once all of them have been ranked: a press runs it.
fn helped(page: &Page, run: &Run) -> Html {
    let (document, comparing) = (&page.state.document, &page.state.comparing);
    let here = document.open.as_ref().map(|open| (open.key, document.scope.clone()));
    let entries = comparing.ranking.iter().filter(|_| comparing.of == here).flat_map(|entries| entries.iter());
    let peak = |entry: &RankingEntry| {
        let figures = &entry.result.as_ref().ok()?.figures;
        (figures.is_sound() && figures.standing() == Standing::Whole).then_some(figures.metrics.need())
    };
    let best = entries.filter_map(|entry| Some((peak(entry)?, entry))).min_by_key(|(peak, _)| *peak);
    let Some((peak, entry)) = best.filter(|(peak, _)| *peak < run.metrics.need()) else { return Html::default() };
    let id = entry.choice.planner.clone();
    let onclick = page.on(move || Action::Document(DocumentAction::Planner(id.clone())));
    html! {
        <p id="gap-helped">{ page.word("gap.helped") }{ page.blank() }
            <button type="button" class="name" {onclick}>{ entry.choice.words(page.speech()) }</button>{ " " }<b>{ page.speech().bytes(peak) }</b></p>
    }
}

fn row(page: &Page, run: &Run, level: Level, index: usize, growth: &Growth) -> Html {
    let buffer = &run.problem.buffers[growth.buffer];
    let frame = run.timeline.frame_at(level, run.timeline.decisions[growth.decision].end);
    let grown = Message::new("stage.grown").bytes("bytes", growth.adds);
    html! {
        <li>
            <span class="badge chosen" aria-hidden="true">{ index + 1 }</span>
            <span class="cut">{ link(page, buffer.name.clone()) }<span class="muted">{ " " }{ live(buffer.live.start, buffer.live.end) }</span></span>
            <span class="num">{ page.word("fact.frame") }{ " " }{ frame_link(page, frame) }</span>
            <span class="num add">{ words(page, &grown) }</span>
        </li>
    }
}
