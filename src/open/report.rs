//! What reading the document found and decided, and what it leaves for the user to answer.

use std::collections::BTreeMap;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use crate::context::sentence::words;
use crate::context::{Page, use_page};
use crate::open::state::document::Document;
use crate::shell::state::action::{Action, DocumentAction, ViewAction};
use crate::widgets::dialog::Dialog;
use memplan_core::base::{Family, Message, exact};
use memplan_formats::import::{Answers, Constants, EndRule, Parameters, Question, Unsized};

/// Remarks and open tensors listed at once.
const MAX_LISTED: usize = 100;

pub fn report(page: &Page) -> Html {
    let Some(document) = page.state.document.open.clone() else { return Html::default() };
    let run = page.state.document.run.clone();
    let counts = document.graph.as_ref().map(|graph| (graph.nodes.len() as u64, graph.tensors.len() as u64));
    let faults = |faults: &[memplan_core::graph::Fault]| {
        html! { <ul class="faults">{ for faults.iter().take(MAX_LISTED).map(|fault| html! {
            <li>if !fault.path.is_empty() { <code>{ &fault.path }</code>{ " " } }{ words(page, &fault.message) }</li>
        }) }</ul> }
    };
    html! {
        <Dialog title={page.speech().say(&Message::new("report.title").text("name", document.name.clone()))} close={page.word("dialog.close")} onclose={page.on(|| Action::View(ViewAction::Overlay(None)))}>
            <dl class="facts">
                <dt>{ page.word("report.format") }</dt><dd>{ document.format.name() }</dd>
                if let Some((nodes, tensors)) = counts {
                    <dt>{ page.word("report.nodes") }</dt><dd>{ exact(nodes) }</dd>
                    <dt>{ page.word("report.tensors") }</dt><dd>{ exact(tensors) }</dd>
                }
                if let Some(run) = &run {
                    <dt>{ page.word("tab.buffers") }</dt><dd>{ exact(run.metrics.buffers) }</dd>
                    <dt>{ page.word("report.unshared") }</dt><dd>{ page.speech().bytes(run.problem.unshared()) }</dd>
                    <dt>{ page.word("term.unplanned") }</dt><dd>{ run.plan.unplanned.len() }</dd>
                }
            </dl>
            { for document.questions.iter().map(|question| ask(page, &document, question)) }
            <h3>{ page.word("report.convention") }</h3>
            if !document.facts.is_empty() {
                <ul class="faults" id="report-facts">{ for document.facts.iter().map(|fact| html! { <li>{ words(page, fact) }</li> }) }</ul>
            }
            <p>{ page.word(if document.graph.is_some() { "report.convention.graph" } else { "report.convention.buffers" }) }</p>
            if let Some(run) = run.filter(|run| run.has_tree()) {
                <p>{ page.word(&Family::PLANNER_CONVENTION.of([&run.planner])) }</p>
            }
            <h3>{ page.speech().say(&Message::new("report.warnings").count("n", document.warnings.len() as u64)) }</h3>
            { faults(&document.warnings) }
        </Dialog>
    }
}

/// Questions that the user may answer about the file. An answer reads the file again.
fn ask(page: &Page, document: &Rc<Document>, question: &Question) -> Html {
    let choose = {
        let (send, choices) = (page.send.clone(), document.choices.clone());
        move |change: &dyn Fn(&mut Answers)| {
            let mut choices = choices.clone();
            change(&mut choices);
            send.emit(Action::Document(DocumentAction::Answers(choices)));
        }
    };
    let chosen = |event: &Event| event.target().and_then(|target| target.dyn_into::<HtmlSelectElement>().ok());
    match question {
        Question::End => {
            let exclusive = document.choices.end == EndRule::Exclusive;
            let end = if exclusive { EndRule::Format } else { EndRule::Exclusive };
            let onchange = Callback::from(move |_: Event| choose(&|choices| choices.end = end));
            html! { <label class="option"><input type="checkbox" checked={exclusive} {onchange} />{ page.word("report.end-exclusive") }</label> }
        }
        Question::Model(names) => {
            let onchange = Callback::from(move |event: Event| {
                if let Some(select) = chosen(&event) {
                    choose(&|choices| choices.model = select.value());
                }
            });
            let present = &document.choices.model;
            html! { <label class="option"><span>{ page.word("report.model") }</span><select class="small" id="report-model" {onchange}>
                { for names.iter().enumerate().map(|(index, name)| html! {
                    <option value={name.clone()} selected={if present.is_empty() { index == 0 } else { name == present }}>{ name }</option>
                }) }
            </select></label> }
        }
        Question::Parameters => {
            let roles = [Parameters::ByName, Parameters::Inputs, Parameters::Weights];
            let onchange = Callback::from(move |event: Event| {
                let role = chosen(&event)
                    .and_then(|select| roles.get(usize::try_from(select.selected_index()).ok()?).copied());
                if let Some(role) = role {
                    choose(&|choices| choices.parameters = role);
                }
            });
            let words = ["report.parameters.by-name", "report.parameters.inputs", "report.parameters.weights"];
            html! { <label class="option"><span>{ page.word("report.parameters") }</span><select class="small" id="report-parameters" {onchange}>
                { for roles.into_iter().zip(words).map(|(role, key)| html! {
                    <option selected={role == document.choices.parameters}>{ page.word(key) }</option>
                }) }
            </select></label> }
        }
        Question::Constants => {
            let kept = document.choices.constants == Constants::Keep;
            let constants = if kept { Constants::Fold } else { Constants::Keep };
            let onchange = Callback::from(move |_: Event| choose(&|choices| choices.constants = constants));
            html! { <label class="option"><input type="checkbox" id="report-constants" checked={kept} {onchange} />{ page.word("report.constants") }</label> }
        }
        Question::Shapes(open) => {
            html! { <Shapes open={Rc::new(open.clone())} choices={document.choices.shapes.clone()} /> }
        }
    }
}

#[derive(Properties, PartialEq)]
struct ShapesProps {
    open: Rc<Vec<Unsized>>,
    choices: BTreeMap<String, String>,
}

/// Tensors without a size, with a field for each. Reading the file again with one answer often
/// settles the others.
#[component]
fn Shapes(props: &ShapesProps) -> Html {
    let page = use_page();
    let typed = use_mut_ref(BTreeMap::<String, String>::new);
    let onsubmit = {
        let (page, typed) = (page.clone(), typed.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let Some(document) = page.state.document.open.clone() else { return };
            let mut choices = document.choices.clone();
            choices.shapes.extend(typed.borrow().iter().map(|(name, shape)| (name.clone(), shape.clone())));
            page.send.emit(Action::Document(DocumentAction::Answers(choices)));
        })
    };
    // Those that nobody is asked for follow from those that are.
    let graph = page.state.document.open.as_ref().and_then(|document| document.graph.as_ref());
    let others = graph.map_or(0, |graph| graph.unsized_tensors().saturating_sub(props.open.len())) as u64;
    let further: Vec<&str> = props.open.iter().skip(MAX_LISTED).map(|tensor| &*tensor.tensor).collect();
    let hidden = Message::new("report.unsized-more").count("n", further.len() as u64).text("names", further.join(", "));
    html! {
        <form {onsubmit} id="report-shapes">
            <h3>{ page.speech().say(&Message::new("report.unsized").count("n", props.open.len() as u64)) }</h3>
            if others > 0 { <p>{ page.speech().say(&Message::new("report.unsized-others").count("n", others)) }</p> }
            <p class="muted">{ page.word("report.unsized-how") }</p>
            <table class="keys"><tbody>{ for props.open.iter().take(MAX_LISTED).map(|tensor| {
                let (typed, name) = (typed.clone(), tensor.tensor.clone());
                let oninput = Callback::from(move |event: InputEvent| {
                    if let Some(input) = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok()) {
                        typed.borrow_mut().insert(name.clone(), input.value());
                    }
                });
                let label = page.speech().say(&Message::new("report.shape-of").text("name", &tensor.tensor));
                html! { <tr>
                    <th scope="row" class="mono">{ &tensor.tensor }</th>
                    <td class="muted">{ &tensor.made_by }</td>
                    <td><input class="small" aria-label={label} placeholder={tensor.known.clone()} value={tensor.answer.clone()} {oninput} /></td>
                </tr> }
            }) }</tbody></table>
            if !further.is_empty() { <p>{ page.speech().say(&hidden) }</p> }
            <p><button type="submit" class="btn line">{ page.word("report.unsized-go") }</button></p>
        </form>
    }
}
