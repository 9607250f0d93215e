//! The graph as tables and as a diagram, to be changed; the plan beside it follows.

mod boxes;
mod cells;
mod checks;
mod diagram;
mod drafting;
mod field;
pub mod keeping;
mod listed;
mod nodes;
pub mod saving;
pub mod state;
mod symbols;
mod templates;
mod tensors;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use yew::prelude::*;

use crate::context::same::Same;
use crate::context::sentence::words;
use crate::context::{Page, use_page};
use crate::edit::checks::checks;
use crate::edit::diagram::DiagramView;
use crate::edit::drafting::use_drafting;
use crate::edit::listed::{Listed, use_listed};
use crate::edit::nodes::{Nodes, by_node};
use crate::edit::state::draft::EditCommand;
use crate::edit::symbols::Symbols;
use crate::edit::templates::templates;
use crate::edit::tensors::{by_tensor, tensors};
use crate::shell::state::action::{Action, EditAction, StepAction};
use crate::widgets::button::IconButton;
use crate::widgets::icons::{Icon, glyph};
use crate::widgets::tabs::{TabItem, Tabs, tabs};
use memplan_core::base::Family;
use memplan_core::graph::Kind;
use memplan_core::graph::edit::{self, Change, Draft};

/// What is chosen in the editor, by position in the draft.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pick {
    Node(usize),
    Tensor(usize),
}

/// What the parts of the editor share.
#[derive(Clone, PartialEq)]
pub struct Desk {
    pub draft: Rc<Draft>,
    pub pick: Option<Pick>,
    pub choose: Callback<Option<Pick>>,
    /// Makes a change and chooses something in the changed draft; nothing if the change is refused.
    pub change: Callback<(Change, Option<Pick>)>,
    pub nodes: Listed,
    pub tensors: Listed,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Nodes,
    Tensors,
    Symbols,
    Diagram,
    History,
}

impl Part {
    const ALL: [Part; 5] = [Part::Nodes, Part::Tensors, Part::Symbols, Part::Diagram, Part::History];

    const fn name(self) -> &'static str {
        match self {
            Part::Nodes => "nodes",
            Part::Tensors => "tensors",
            Part::Symbols => "symbols",
            Part::Diagram => "diagram",
            Part::History => "history",
        }
    }
}

#[component]
pub fn Editor() -> Html {
    let page = use_page();
    let part = use_state_eq(|| Part::Nodes);
    let pick = use_state_eq(|| None::<Pick>);
    let graph = page.state.document.open.as_ref().and_then(|document| document.graph.clone());
    let edited = page.state.editing.session.clone();
    let plain = graph.as_ref().and_then(|graph| page.state.editing.plain(graph));
    use_drafting(graph.clone().filter(|_| edited.is_none() && plain.is_none()), page.send.clone());
    let draft = {
        let key = edited.as_ref().map(Same::from);
        use_memo(key, |edited| edited.as_ref().map(|editing| Rc::new(editing.draft.clone())))
    };
    let draft = (*draft).clone().or(plain);
    let (nodes, listed_tensors) = use_tables(&page, draft.as_deref());
    let Some(draft) = draft else {
        return html! {
            <section class="panel editor" id="region-left" tabindex="-1" aria-label={page.word("mode.edit")}>
                // A large graph is made ready in some tasks.
                if graph.is_none() { <p class="empty">{ page.word("editor.no-graph") }</p> }
                <div class="editor-tools">{ templates(&page) }</div>
            </section>
        };
    };
    let choose_in = {
        let (pick, page) = (pick.setter(), page.clone());
        Rc::new(move |draft: &Draft, chosen: Option<Pick>| {
            pick.set(chosen);
            let name = chosen.and_then(|chosen| shown(draft, chosen));
            let buffer = page.state.document.run.as_ref().zip(name).and_then(|(run, name)| run.buffer_named(&name));
            if buffer.is_some() {
                page.send.emit(Action::Step(StepAction::Select(buffer)));
            }
        })
    };
    let choose = {
        let (draft, choose_in) = (draft.clone(), choose_in.clone());
        Callback::from(move |chosen: Option<Pick>| choose_in(&draft, chosen))
    };
    let change = {
        let (page, draft) = (page.clone(), draft.clone());
        Callback::from(move |(wanted, then): (Change, Option<Pick>)| {
            // Positions chosen are those after the change.
            if let Ok((_, edit)) = edit::change(&draft, &wanted) {
                let mut changed = (*draft).clone();
                changed.apply(edit);
                choose_in(&changed, then);
            }
            make(&page, wanted);
        })
    };
    let desk = Desk { draft, pick: *pick, choose, change, nodes, tensors: listed_tensors };
    let title = |part: &Part| page.word(&Family::EDITOR_PART.of([part.name()]));
    let items = Part::ALL.iter().map(|part| TabItem { id: part.name(), title: title(part), count: None }).collect();
    let selected = Part::ALL.iter().position(|each| *each == *part).unwrap_or(0);
    let onselect = {
        let part = part.setter();
        Callback::from(move |index: usize| part.set(Part::ALL[index]))
    };
    html! {
        <section class="panel editor" id="region-left" tabindex="-1" aria-label={page.word("mode.edit")}>
            { tools(&page, &desk) }
            { tabs(Tabs { items, selected, onselect, prefix: "editor", label: &page.word("mode.edit"), class: None, beside: Html::default() }) }
            <div class="tab-panel" role="tabpanel" id="editor-panel" aria-labelledby={format!("editor-tab-{}", part.name())}>
                { match *part {
                    Part::Nodes => html! { <Nodes desk={desk.clone()} /> },
                    Part::Tensors => tensors(&page, &desk),
                    Part::Symbols => html! { <Symbols desk={desk.clone()} /> },
                    Part::Diagram => html! { <DiagramView desk={desk.clone()} /> },
                    Part::History => steps(&page),
                } }
            </div>
            { checks(&page, &desk) }
        </section>
    }
}

/// The tables of nodes and of tensors, as they are sorted.
#[hook]
fn use_tables(page: &Page, draft: Option<&Draft>) -> (Listed, Listed) {
    let (nodes, tensors) = draft.map_or_else(Default::default, |draft| (&draft.nodes[..], &draft.tensors[..]));
    let nodes = use_listed(page, nodes.len(), |a, b, column| by_node((a, &nodes[a]), (b, &nodes[b]), column));
    let tensors = use_listed(page, tensors.len(), |a, b, column| by_tensor(&tensors[a], &tensors[b], column));
    (nodes, tensors)
}

/// The tensor that stands for what is chosen.
fn shown(draft: &Draft, pick: Pick) -> Option<String> {
    match pick {
        Pick::Node(at) => draft.nodes.get(at)?.outputs.first().cloned(),
        Pick::Tensor(at) => draft.tensors.get(at)?.name.clone(),
    }
}

#[derive(Properties, PartialEq)]
pub struct DeskProps {
    pub desk: Desk,
}

/// Asks for a change.
pub fn make(page: &Page, wanted: Change) {
    page.send.emit(Action::Edit(EditAction::Change(EditCommand::Make(wanted))));
}

fn tools(page: &Page, desk: &Desk) -> Html {
    let Desk { draft, pick, change, .. } = desk.clone();
    let editing = page.state.editing.session.clone();
    let last = editing.as_ref().and_then(|editing| editing.history.made().next_back().cloned());
    let next = editing.as_ref().and_then(|editing| editing.history.undone().next().cloned());
    let named = |key: &'static str, step: Option<&memplan_core::base::Message>| match step {
        Some(step) => format!("{}: {}", page.word(key), page.speech().say(step)),
        None => page.word(key),
    };
    let button = |id: &'static str, icon: Icon, name: String, wanted: Option<Callback<MouseEvent>>| {
        html! { <IconButton name={name} icon={icon} {id} disabled={wanted.is_none()} onclick={wanted.unwrap_or_else(Callback::noop)} /> }
    };
    let change = |wanted: Change, then: Option<Pick>| {
        let change = change.clone();
        Callback::from(move |_: MouseEvent| change.emit((wanted.clone(), then)))
    };
    let after = if let Some(Pick::Node(at)) = pick { Some(at) } else { draft.nodes.len().checked_sub(1) };
    let added = Pick::Node(after.map_or(0, |after| after + 1));
    let duplicate = pick.map(|pick| match pick {
        Pick::Node(at) => change(Change::DuplicateNode(at), Some(Pick::Node(at + 1))),
        Pick::Tensor(at) => change(Change::DuplicateTensor(at), Some(Pick::Tensor(at + 1))),
    });
    let delete = pick.map(|pick| {
        let desk = desk.clone();
        Callback::from(move |_: MouseEvent| cells::delete(&desk, pick))
    });
    // What stands beside a node in another order does not run before or after it.
    let is_as_filed = desk.nodes.listing.is_as_filed();
    let move_name = |key: &'static str| {
        if is_as_filed { page.word(key) } else { format!("{}: {}", page.word(key), page.word("editor.sorted")) }
    };
    let node = if let Some(Pick::Node(at)) = pick { Some(at).filter(|_| is_as_filed) } else { None };
    let earlier = node.filter(|at| *at > 0).map(|at| {
        let to = at - 1;
        change(Change::MoveNode { from: at, to }, Some(Pick::Node(to)))
    });
    let later = node.filter(|at| at + 1 < draft.nodes.len()).map(|at| {
        let to = at + 1;
        change(Change::MoveNode { from: at, to }, Some(Pick::Node(to)))
    });
    html! {
        <div class="editor-tools" role="toolbar" aria-label={page.word("editor.tools")}>
            { button("edit-undo", Icon::Undo, named("editor.undo", last.as_ref()), last.is_some().then(|| page.on(|| Action::Edit(EditAction::Change(EditCommand::Undo))))) }
            { button("edit-redo", Icon::Redo, named("editor.redo", next.as_ref()), next.is_some().then(|| page.on(|| Action::Edit(EditAction::Change(EditCommand::Redo))))) }
            <button type="button" class="btn" id="edit-add-node" onclick={change(Change::AddNode { after, op: "add".into() }, Some(added))}>
                { glyph(Icon::Add) }{ page.word("editor.add-node") }</button>
            <button type="button" class="btn" id="edit-add-input" onclick={change(Change::AddTensor { kind: Kind::Input }, Some(Pick::Tensor(draft.tensors.len())))}>
                { glyph(Icon::Add) }{ page.word("editor.add-input") }</button>
            { button("edit-duplicate", Icon::Copy, page.word("editor.duplicate"), duplicate) }
            { button("edit-delete", Icon::Delete, page.word("editor.delete"), delete) }
            { button("edit-up", Icon::Up, move_name("editor.earlier"), earlier) }
            { button("edit-down", Icon::Low, move_name("editor.later"), later) }
            <span class="grow"></span>
            { templates(page) }
        </div>
    }
}

/// Where the focus goes with a node that is moved: nowhere if the move will be refused.
pub fn moved(draft: &Draft, from: usize, to: usize) -> usize {
    let wanted = Change::MoveNode { from, to };
    if edit::change(draft, &wanted).is_ok() { to } else { from }
}

/// What was done, the latest first; a press takes everything after it back.
fn steps(page: &Page) -> Html {
    let Some(editing) = page.state.editing.session.clone() else {
        return html! { <p class="empty">{ page.word("editor.no-history") }</p> };
    };
    let made: Vec<_> = editing.history.made().cloned().collect();
    let undone: Vec<_> = editing.history.undone().cloned().collect();
    let times = |command: EditCommand, count: usize| {
        let send = page.send.clone();
        Callback::from(move |_: MouseEvent| {
            (0..count).for_each(|_| send.emit(Action::Edit(EditAction::Change(command.clone()))))
        })
    };
    html! {
        <ol class="steps" id="edit-history">
            { for undone.iter().enumerate().rev().map(|(index, name)| html! {
                <li><button type="button" class="found muted" onclick={times(EditCommand::Redo, index + 1)}>{ words(page, name) }</button></li>
            }) }
            { for made.iter().enumerate().rev().map(|(index, name)| {
                let back = made.len() - 1 - index;
                html! { <li><button type="button" class={classes!("found", (back == 0).then_some("current"))} onclick={times(EditCommand::Undo, back)}>
                    { words(page, name) }</button></li> }
            }) }
            <li><button type="button" class="found" onclick={times(EditCommand::Undo, made.len())}>{ page.word("editor.opened") }</button></li>
        </ol>
    }
}
