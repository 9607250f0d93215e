//! An exercise that asks for a program: the program beside the planner's plan of a set of buffers,
//! which is the first one that the program did not get right once it was checked.

use yew::prelude::*;

use crate::chrome::notices::notices;
use crate::context::clipboard::copy;
use crate::context::{Page, use_page};
use crate::learn::exercise::introduction::asks;
use crate::learn::exercise::onward::{finish, refused, rule};
use crate::learn::exercise::state::Assigned;
use crate::learn::lessons::begun::kept_program;
use crate::learn::lessons::program::Program;
use crate::own::help::language;
use crate::plan::stage::StagePanel;
use crate::shell::state::action::{Action, TeachAction};
use crate::step::panels::why::why_panel;
use crate::step::transport::stepper::stepper;
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Message;
use memplan_engine::Assignment;
use memplan_teach::exercise::link::Help;

#[derive(Properties, PartialEq)]
pub struct WritePageProps {
    pub dark: bool,
}

/// The plan, and the program beside it.
#[component]
pub fn WritePage(props: &WritePageProps) -> Html {
    let page = use_page();
    let state = page.state.clone();
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
