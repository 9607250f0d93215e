//! The menu of what the page exports: files, pictures, a printed page and a link.

use yew::prelude::*;

use crate::browser::download::save_text;
use crate::context::link::copy_link;
use crate::context::{Dark, Page, use_page};
use crate::export::picture::{Picture, compares, print, save_png, save_svg};
use crate::export::state::ModelKind;
use crate::fit::state::FitChange;
use crate::shell::state::action::{Action, DocumentAction, ViewAction};
use crate::shell::state::panels::{Mode, Overlay};
use crate::widgets::button::IconButton;
use crate::widgets::icons::Icon;
use crate::widgets::menu::Menu;
use memplan_core::base::{Family, Message};
use memplan_engine::{Export, FitFile};
use memplan_scene::Size;
use memplan_scene::paint::Carries;

/// Size of the pictures in CSS pixels.
const PICTURE: Size = (1200.0, 760.0);

#[component]
pub fn ExportMenu() -> Html {
    let page = use_page();
    let Dark(dark) = use_context::<Dark>().unwrap_or(Dark(false));
    let state = page.state.clone();
    let open = state.view.overlay == Some(Overlay::Export);
    let name = page.word("export.title");
    let refusal = |needs_graph: bool, needs_storages: bool| {
        let has_graph = state.document.open.as_ref().is_some_and(|document| document.graph.is_some());
        if state.document.run.is_none() {
            Some(page.word("export.no-plan"))
        } else if needs_graph && !has_graph {
            Some(page.word("export.no-graph"))
        } else if needs_storages && !state.document.run.as_ref().is_some_and(|run| run.plan.is_of_storages()) {
            Some(page.word("export.no-storages"))
        } else if state.is_faulty() {
            Some(page.word("export.faulty"))
        } else if state.job().is_some() {
            Some(page.word("export.busy"))
        } else {
            None
        }
    };
    // The reason why an entry is disabled is part of its text: a tooltip would need a pointer.
    let entry = |key: &str, refused: Option<String>, action: Callback<MouseEvent>| {
        html! { <>
            <button type="button" role="menuitem" disabled={refused.is_some()} aria-describedby={format!("{key}-is")} onclick={action}>
                { page.word(key) }
                if let Some(reason) = refused { <span class="muted">{ " · " }{ reason }</span> }
            </button>
            <div class="export-is" id={format!("{key}-is")}>{ page.word(&Family::EXPORT_IS.of([key.trim_start_matches("export.")])) }</div>
        </>
        }
    };
    let close_then = |act: Box<dyn Fn(&Page)>| {
        let page = page.clone();
        Callback::from(move |_: MouseEvent| {
            page.send.emit(Action::View(ViewAction::Overlay(None)));
            act(&page);
        })
    };
    let copy = copy_link(&page.send);
    let picture = Picture { size: PICTURE, factor: 1.0, dark, carries: Carries::ALL };
    let compares = compares(&page);
    html! {
        <div class="menu-host">
            <IconButton name={name.clone()} icon={Icon::Drop} id="export-button" popup="menu" expanded={open} onclick={page.on(|| Action::View(ViewAction::Overlay(Some(Overlay::Export))))} />
            if open {
                <Menu label={name} class="right exports">
                    { entry(if compares { "export.picture-compare" } else { "export.picture" }, refusal(false, false), page.on(|| Action::View(ViewAction::Overlay(Some(Overlay::Picture))))) }
                    { entry(if compares { "export.svg-compare" } else { "export.svg" }, refusal(false, false), close_then(Box::new(move |page| save_svg(page, picture)))) }
                    { entry(if compares { "export.png-compare" } else { "export.png" }, refusal(false, false), close_then(Box::new(move |page| save_png(page, picture)))) }
                    { entry("export.print", refusal(false, false), close_then(Box::new(|_| print()))) }
                    { entry("export.link", refusal(false, false), close_then(Box::new(move |_| copy.emit(())))) }
                    if let Some(program) = state.own.program().filter(|_| state.own.open) {
                        { entry("export.program", None, close_then(Box::new(move |_| save_text(&program.name, &program.code)))) }
                    }
                    { of_fit(&page) }
                    if compares {
                        <div class="export-head">{ page.speech().say(&Message::new("export.of-step").text("name", state.choice().words(page.speech()))) }</div>
                    }
                    if let Some(kind) = state.model() {
                        { entry(of_model(kind), refusal(false, false), page.on(|| Action::View(ViewAction::Overlay(Some(Overlay::Write))))) }
                    }
                    { for Export::ALL.into_iter().map(|export| {
                        entry(export.key(), refusal(export.needs_graph(), export.needs_storages()), page.on(move || Action::Document(DocumentAction::Export(export))))
                    }) }
                </Menu>
            }
        </div>
    }
}

/// In *Fit*, the files of its answer, apart from those of the plan that was there before.
/// Key of the words for a model with a plan.
const fn of_model(kind: ModelKind) -> &'static str {
    match kind {
        ModelKind::TfLite => "export.tflite",
        ModelKind::ExecuTorch => "export.pte",
        ModelKind::Onnx => "export.onnx",
    }
}

fn of_fit(page: &Page) -> Html {
    let state = &page.state;
    let Some(shown) = state.fitting.shown().filter(|_| state.view.mode == Mode::Fit) else { return Html::default() };
    let file = |kind: FitFile| {
        let send = page.send.clone();
        let onclick = Callback::from(move |_: MouseEvent| {
            send.emit(Action::View(ViewAction::Overlay(None)));
            send.emit(Action::Fit(FitChange::Save(kind)));
        });
        html! { <button type="button" role="menuitem" data-fit={kind.suffix()} {onclick}>{ page.word(kind.key()) }</button> }
    };
    html! { <>
        <div class="export-head">{ page.word("export.of-fit") }</div>
        { for shown.files.iter().map(|(kind, _)| file(*kind)) }
        <div class="export-head">{ page.word("export.before-fit") }</div>
    </> }
}
