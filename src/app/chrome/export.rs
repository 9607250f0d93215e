//! The menu of files that the page writes.

use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};
use yew::prelude::*;

use crate::app::browser::canvas::with_palette;
use crate::app::browser::dom::document;
use crate::app::browser::download::{save_picture, save_text};
use crate::app::context::link::copy_link;
use crate::app::context::{Dark, Page, use_page};
use crate::app::model::panels::Overlay;
use crate::app::plan::style::style_of;
use crate::app::state::action::{Action, DocumentAction, ViewAction};
use crate::app::state::index_of;
use crate::app::widgets::icons::{Icon, glyph};
use crate::app::widgets::menu::Menu;
use crate::engine::{Export, stem};
use crate::paint::{Theme, canvas, export_svg};
use crate::scene::{Marks, Size, Style, View, stage};

/// Size of pictures in css pixels.
const PICTURE: Size = (1200.0, 760.0);

/// Canvas pixels a css pixel of PNG pictures.
const SCALE: f64 = 2.0;

#[component]
pub fn ExportMenu() -> Html {
    let page = use_page();
    let Dark(dark) = use_context::<Dark>().unwrap_or(Dark(false));
    let state = page.state.clone();
    let open = state.view.overlay == Some(Overlay::Export);
    let name = page.word("export.title");
    let refusal = |needs_graph: bool, needs_storages: bool| {
        let has_graph = state.document.open.as_ref().is_some_and(|document| document.graph.is_some());
        match () {
            () if state.document.run.is_none() => Some(page.word("export.no-plan")),
            () if needs_graph && !has_graph => Some(page.word("export.no-graph")),
            () if needs_storages && !state.document.run.as_ref().is_some_and(|run| run.plan.is_of_storages()) => {
                Some(page.word("export.no-storages"))
            }
            () if state.is_faulty() => Some(page.word("export.faulty")),
            () if state.job().is_some() => Some(page.word("export.busy")),
            () => None,
        }
    };
    // Why an entry is disabled stands below its name, so that it is read without a pointer.
    let entry = |key: &str, refused: Option<String>, action: Callback<MouseEvent>| {
        html! {
            <button type="button" role="menuitem" disabled={refused.is_some()} onclick={action}>
                { page.word(key) }
                if let Some(reason) = refused { <span class="muted">{ " · " }{ reason }</span> }
            </button>
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
    html! {
        <div class="menu-host">
            <button type="button" class="btn icon-only" id="export-button" aria-haspopup="menu" aria-label={name.clone()} title={name.clone()}
                aria-expanded={open.to_string()} onclick={page.on(|| Action::View(ViewAction::Overlay(Some(Overlay::Export))))}>{ glyph(Icon::Drop) }</button>
            if open {
                <Menu label={name} class="right">
                    { for Export::ALL.into_iter().map(|export| {
                        entry(export.key(), refusal(export.needs_graph(), export.needs_storages()), page.on(move || Action::Document(DocumentAction::Export(export))))
                    }) }
                    { entry("export.svg", refusal(false, false), close_then(Box::new(move |page| save_svg(page, dark)))) }
                    { entry("export.png", refusal(false, false), close_then(Box::new(move |page| save_png(page, dark)))) }
                    { entry("export.link", refusal(false, false), close_then(Box::new(move |_| copy.emit(())))) }
                </Menu>
            }
        </div>
    }
}

/// Name of a picture: the document, the planner and the frame.
fn picture_name(page: &Page, suffix: &str) -> String {
    let document = page.state.document.open.as_ref().map_or("plan", |document| stem(&document.name));
    let safe: String = document.chars().take(80).map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    format!("{safe}-{}-{}.{suffix}", page.state.document.planner, page.state.frame())
}

fn save_svg(page: &Page, dark: bool) {
    let Some((run, frame)) = page.state.document.run.as_ref().zip(page.frame.as_ref()) else { return };
    let theme = if dark { Theme::Dark } else { Theme::Light };
    save_text(&picture_name(page, "svg"), &export_svg(run, frame, PICTURE, theme, page.speech()));
}

/// The whole plan at the present frame, painted on a canvas of its own.
fn save_png(page: &Page, dark: bool) {
    let Some((run, frame)) = page.state.document.run.as_ref().zip(page.frame.as_ref()) else { return };
    let element = document().and_then(|document| document.create_element("canvas").ok());
    let Some(element) = element.and_then(|element| element.dyn_into::<HtmlCanvasElement>().ok()) else { return };
    element.set_width((PICTURE.0 * SCALE) as u32);
    element.set_height((PICTURE.1 * SCALE) as u32);
    let context = element.get_context("2d").ok().flatten().and_then(|context| context.dyn_into().ok());
    let Some(context): Option<CanvasRenderingContext2d> = context else { return };
    let style = Style { pixel: 1.0 / SCALE, ..style_of(page, run) };
    let index = index_of(run);
    let view = View::fit(&index, PICTURE, &style);
    let stage = stage(run, &index, frame, &view, PICTURE, &style, &Marks::default());
    canvas::clear(&context, PICTURE, SCALE);
    with_palette(dark, |palette| {
        canvas::fill(&context, PICTURE, palette);
        canvas::paint(&context, &stage.base, palette, SCALE);
        canvas::paint(&context, &stage.frame, palette, SCALE);
    });
    save_picture(&element, picture_name(page, "png"));
}
