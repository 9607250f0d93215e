//! An exercise that asks for a program: the program beside the planner's plan of a set of buffers,
//! which is the first one that the program did not get right once it was checked.

use yew::prelude::*;

use crate::browser::kept::{keep_text, kept_text};
use crate::chrome::notices::notices;
use crate::context::clipboard::copy;
use crate::context::{Page, use_page};
use crate::learn::exercise::introduction::asks;
use crate::learn::exercise::onward::{finish, refused, rule};
use crate::learn::exercise::state::Assigned;
use crate::learn::exercise::state::drafts::{find, with};
use crate::learn::lessons::program::Program;
use crate::learn::lessons::state::writing::WriteAction;
use crate::own::help::language;
use crate::plan::stage::StagePanel;
use crate::shell::state::action::{Action, TeachAction};
use crate::step::panels::why::why_panel;
use crate::step::transport::stepper::stepper;
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Message;
use memplan_engine::Assignment;
use memplan_planners::outside::MAX_CODE;
use memplan_teach::exercise::link::Help;

/// What programs that were begun are kept under.
const DRAFTS: &str = "memplan.write-drafts.1";

#[derive(Properties, PartialEq)]
pub struct WritePageProps {
    pub dark: bool,
}

/// The plan, and the program beside it.
#[component]
pub fn WritePage(props: &WritePageProps) -> Html {
    let page = use_page();
    let state = page.state.clone();
    use_draft(&page);
    let Some((assigned, task)) = state.teaching.assigned.as_ref().and_then(|it| Some((it, it.task.as_ref()?))) else {
        return Html::default();
    };
    let title = page.speech().say(&asks(&page, task));
    html! { <>
        <main aria-label={page.word("exercise.plan")}>{ notices(&page) }<StagePanel dark={props.dark} />{ stepper(&page) }</main>
        <aside class="panel exercise-panel written" id="region-right" tabindex="-1" aria-label={page.word("write.title")}>
            <p class="headline" id="write-asks">{ title }</p>
            { program(&page, assigned, task) }
            if assigned.writing.verdict().is_some() { { finish(&page, "write-next") } }
            if let Some(why) = &assigned.failure { { refused(&page, why) } }
            if task.help != Help::None { { rule(&page, assigned, &task.planner) } }
            if task.help == Help::Why { { why_panel(&page) } }
            { language(&page) }
        </aside>
    </> }
}

/// Brings back what the same person wrote for this link in this browser, and keeps what is written.
#[hook]
fn use_draft(page: &Page) {
    let keeps = page.state.settings.keeps();
    let assigned = page.state.teaching.assigned.as_ref();
    let of = assigned.map(|assigned| (assigned.link.clone(), assigned.name.trim().to_string()));
    let template = assigned.and_then(|it| it.task.as_ref()).map(|task| task.template.clone()).unwrap_or_default();
    let code = assigned.map(|assigned| assigned.writing.code.clone()).unwrap_or_default();
    let is_begun = !code.trim().is_empty() && *code != *template;
    {
        let send = page.send.clone();
        use_effect_with(of.clone(), move |of| {
            let kept = of.as_ref().filter(|_| keeps && !is_begun).and_then(|(link, name)| kept_program(link, name));
            let brought = kept.map(|code| Action::Teach(TeachAction::Program(WriteAction::Type(code.into()))));
            brought.into_iter().for_each(|action| send.emit(action));
        });
    }
    // The template says nothing of what was written before, so that a mistaken press loses nothing.
    let written = of.filter(|_| keeps && is_begun).map(|(link, name)| (link, name, code));
    use_effect_with(written, |written| {
        if let Some((link, name, code)) = written {
            keep_text(DRAFTS, &with(&kept_text(DRAFTS).unwrap_or_default(), link, name, code));
        }
    });
}

/// The program that was begun for a link under a name.
fn kept_program(link: &str, name: &str) -> Option<String> {
    find(&kept_text(DRAFTS)?, link, name.trim()).filter(|code| code.len() <= MAX_CODE)
}

fn program(page: &Page, assigned: &Assigned, task: &Assignment) -> Html {
    let send = page.send.clone();
    let onwrite = Callback::from(move |action| send.emit(Action::Teach(TeachAction::Program(action))));
    html! {
        <Program id="write-code" link={assigned.link.clone()} template={task.template.clone()} planner={task.planner.clone()}
            writing={assigned.writing.clone()} draws_planner={false} {onwrite} />
    }
}

/// The button that copies the program, for who hands it in with the code.
pub fn copy_program(page: &Page, assigned: &Assigned) -> Html {
    // A result that was kept has no program; the browser may have it.
    let kept = || kept_program(&assigned.link, &assigned.name).filter(|_| page.state.settings.keeps());
    let written = Some(assigned.writing.code.to_string()).filter(|code| !code.is_empty());
    let Some(code) = written.or_else(kept).filter(|_| page.state.asks_program()) else { return Html::default() };
    let send = page.send.clone();
    let onclick = Callback::from(move |_: MouseEvent| {
        copy(code.clone(), &send, Message::new("write.copied"));
    });
    html! { <button type="button" class="btn line" id="exercise-copy-program" {onclick}>{ glyph(Icon::Copy) }{ page.word("write.copy") }</button> }
}
