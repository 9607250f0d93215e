//! Pictures of the present frame, with what a reader elsewhere needs, and the sheet that chooses
//! what they carry.

use std::collections::BTreeMap;

use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};
use yew::prelude::*;

use crate::browser::canvas::with_palette;
use crate::browser::dom::create;
use crate::browser::download::{save_picture, save_text};
use crate::browser::location::whole_address;
use crate::browser::{dialogs, painting};
use crate::context::same::Same;
use crate::context::{Dark, Page, use_page};
use crate::export::pictured::Pictured;
use crate::plan::style::style_of;
use crate::shell::state::action::{Action, ViewAction};
use crate::shell::state::panels::Mode;
use crate::widgets::dialog::Dialog;
use gloo_timers::callback::Timeout;
use memplan_core::base::{Family, Message};
use memplan_core::text::Speech;
use memplan_engine::file_stem;
use memplan_planners as planner;
use memplan_replay::{Frame, Level, Run};
use memplan_scene::paint::{Carries, Shown, Theme, export_figure, figure_svg, svg};
use memplan_scene::{Index, Scene, Size, Squeeze, Stretch, Style};

/// Canvas pixels a css pixel of PNG pictures.
const SCALE: f64 = 2.0;

/// Sizes to choose from, in css pixels, by the ends of their keys, each with how many times as
/// large as on a screen all is drawn: the smallest words of a slide are read from the last row.
const SIZES: [(&str, Size, f64); 3] =
    [("slide", (1600.0, 900.0), 2.2), ("page", (794.0, 1123.0), 1.0), ("column", (640.0, 480.0), 1.0)];

/// How a picture is drawn.
#[derive(Clone, Copy, PartialEq)]
pub struct Picture {
    /// Width and height in css pixels.
    pub size: Size,
    /// How many times as large as on a screen words and lines are.
    pub factor: f64,
    /// Whether it has a dark background.
    pub dark: bool,
    /// What it shows beside the plan.
    pub carries: Carries,
}

/// Options of the planner that are not defaults, and what is planned if that is not the default.
pub fn changed_options(page: &Page) -> BTreeMap<String, String> {
    let given = page.state.document.options.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    let Some(info) = planner::info(&page.state.document.planner) else { return BTreeMap::new() };
    let options = info.options(given).unwrap_or_default();
    let mut changed: BTreeMap<String, String> =
        options.changed(info).map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let scope = crate::shell::state::address::parts::write_scope(&page.state.document.scope);
    if !scope.is_empty() {
        changed.insert(page.word("picture.scope"), scope);
    }
    changed
}

/// All that a picture is drawn from.
#[derive(Clone, PartialEq)]
struct Drawn {
    shown: Pictures,
    link: String,
}

/// What is seen on the page.
#[derive(Clone, PartialEq)]
enum Pictures {
    Frame(Box<OneFrame>),
    Compared(Box<Pictured>),
}

/// The frame of the open document.
#[derive(Clone, PartialEq)]
struct OneFrame {
    run: Same<Run>,
    frame: Same<Frame>,
    style: Style,
    level: Level,
    options: BTreeMap<String, String>,
}

impl Drawn {
    fn of(page: &Page) -> Option<Drawn> {
        let shown = match page.state.view.mode {
            Mode::Compare => Pictures::Compared(Box::new(Pictured::of(page)?)),
            Mode::Diff => Pictures::Compared(Box::new(Pictured::of_files(page)?)),
            _ => {
                let (run, frame) = page.state.document.run.as_ref().zip(page.frame.as_ref())?;
                let filter = page.state.view.filter;
                let asks = page.state.hides().is_some() || page.state.has_open_figures();
                let breaks = page.state.view.look.squeeze && !asks && run.plan.pools.len() == 1;
                let squeeze =
                    breaks.then(|| Squeeze::of(Stretch::of(run, &page.state.document.index.of(run)))).flatten();
                let style = Style { titles: true, narrow: false, filter, squeeze, pixel: 1.0, ..style_of(page, run) };
                let (level, options) = (page.state.stepping.level, changed_options(page));
                Pictures::Frame(Box::new(OneFrame { run: run.into(), frame: frame.into(), style, level, options }))
            }
        };
        Some(Drawn { shown, link: whole_address() })
    }

    fn scenes(&self, picture: Picture, pixel: f64) -> Vec<Scene> {
        let (factor, link) = (picture.factor, &self.link);
        let (size, pixel) = ((picture.size.0 / factor, picture.size.1 / factor), pixel / factor);
        let scenes = match &self.shown {
            Pictures::Compared(pictured) => pictured.scenes(size, pixel, picture.carries, link),
            Pictures::Frame(one) => {
                let style = Style { pixel, ..one.style };
                let shown = Shown { level: one.level, options: one.options.clone(), link };
                export_figure(&one.run, &Index::of(&one.run), &one.frame, size, &style, picture.carries, &shown)
            }
        };
        scenes.into_iter().map(|scene| if factor == 1.0 { scene } else { scene.scaled(factor) }).collect()
    }

    fn svg(&self, picture: Picture, speech: Speech) -> String {
        let theme = if picture.dark { Theme::Dark } else { Theme::Light };
        let scenes = self.scenes(picture, 1.0);
        match &self.shown {
            Pictures::Frame(one) => figure_svg(&one.run, &scenes, picture.size, theme, speech),
            Pictures::Compared(pictured) => {
                svg::to_svg(&scenes.iter().collect::<Vec<_>>(), picture.size, theme, pictured.graph())
            }
        }
    }
}

/// Whether plans are seen beside each other.
pub fn compares(page: &Page) -> bool {
    matches!(page.state.view.mode, Mode::Compare | Mode::Diff)
}

/// Name of a picture: the document, the planner and the frame, or that it is a comparison.
fn picture_name(page: &Page, suffix: &str) -> String {
    let document = page.state.document.open.as_ref().map_or("plan", |document| &document.name);
    let stem = file_stem(document);
    if compares(page) {
        return format!("{stem}-compare.{suffix}");
    }
    let planner = &page.state.document.planner;
    // The id of a program of the user stands for its text.
    let called = planner::own_name(planner).map(|name| file_stem(name.trim_end_matches(".rhai")));
    let planner = called.as_deref().unwrap_or(planner);
    format!("{stem}-{planner}-{}.{suffix}", page.state.frame())
}

pub fn save_svg(page: &Page, picture: Picture) {
    if let Some(drawn) = Drawn::of(page) {
        save_text(&picture_name(page, "svg"), &drawn.svg(picture, page.speech()));
    }
}

/// Saves the picture painted on a canvas of its own.
pub fn save_png(page: &Page, picture: Picture) {
    let Some(scenes) = Drawn::of(page).map(|drawn| drawn.scenes(picture, 1.0 / SCALE)) else { return };
    let Some(element) = create("canvas").and_then(|element| element.dyn_into::<HtmlCanvasElement>().ok()) else {
        return;
    };
    element.set_width((picture.size.0 * SCALE) as u32);
    element.set_height((picture.size.1 * SCALE) as u32);
    let context = element.get_context("2d").ok().flatten().and_then(|context| context.dyn_into().ok());
    let Some(context): Option<CanvasRenderingContext2d> = context else { return };
    painting::clear(&context, picture.size, SCALE);
    let paint = |palette: &painting::Palette| {
        scenes.iter().for_each(|scene| painting::paint(&context, scene, palette, SCALE));
    };
    with_palette(picture.dark, paint);
    save_picture(&element, picture_name(page, "png"));
}

/// Opens the print dialog of the browser.
pub fn print() {
    // The menu or the sheet closes first, so that it is not in the way of the dialog.
    Timeout::new(0, dialogs::print).forget();
}

/// The sheet: what a picture is for and what it carries, beside the picture as it will be.
#[component]
pub fn PictureSheet() -> Html {
    let page = use_page();
    let Dark(dark) = use_context::<Dark>().unwrap_or(Dark(false));
    let chosen = use_state(|| Picture { size: SIZES[0].1, factor: SIZES[0].2, dark, carries: Carries::ALL });
    let is_png = use_state(|| false);
    let picture = *chosen;
    let close = page.on(|| Action::View(ViewAction::Overlay(None)));
    let set = |change: Box<dyn Fn(&mut Picture)>| {
        let chosen = chosen.clone();
        Callback::from(move |_: MouseEvent| {
            let mut picture = *chosen;
            change(&mut picture);
            chosen.set(picture);
        })
    };
    let save = {
        let (page, is_png) = (page.clone(), *is_png);
        Callback::from(move |_: MouseEvent| if is_png { save_png(&page, picture) } else { save_svg(&page, picture) })
    };
    let print = {
        let send = page.send.clone();
        Callback::from(move |_: MouseEvent| {
            send.emit(Action::View(ViewAction::Overlay(None)));
            print();
        })
    };
    let format = |png: bool| {
        let is_png = is_png.clone();
        Callback::from(move |_: MouseEvent| is_png.set(png))
    };
    let speech = page.speech();
    let preview = use_memo((Drawn::of(&page), picture), move |(drawn, picture)| {
        let svg = drawn.as_ref().map(|drawn| drawn.svg(*picture, speech));
        AttrValue::from(svg.unwrap_or_default())
    });
    let compares = compares(&page);
    let (width, height) = picture.size;
    let measure = Message::new("picture.size").count("width", width as u64).count("height", height as u64);
    html! {
        <Dialog title={page.word(if compares { "picture.title-compare" } else { "picture.title" })} close={page.word("dialog.close")} onclose={close}>
            <div class="picture-sheet" id="picture-sheet">
                <div class="picture-choices">
                    { segments(&page, "picture.as", vec![
                        ("SVG".into(), !*is_png, format(false)),
                        ("PNG".into(), *is_png, format(true)),
                    ]) }
                    { segments(&page, "picture.for", SIZES.into_iter().map(|(name, size, factor)| {
                        let label = page.word(&Family::PICTURE_SIZE.of([name]));
                        (label, picture.size == size, set(Box::new(move |picture| (picture.size, picture.factor) = (size, factor))))
                    }).collect()) }
                    { carried(&page, picture.carries, &set) }
                    { segments(&page, "picture.look", vec![
                        (page.word("picture.light"), !picture.dark, set(Box::new(|picture| picture.dark = false))),
                        (page.word("picture.dark"), picture.dark, set(Box::new(|picture| picture.dark = true))),
                    ]) }
                </div>
                <div class="picture-figure" role="img" aria-label={page.word("picture.preview")}>
                    { Html::from_html_unchecked((*preview).clone()) }
                </div>
            </div>
            <div class="picture-foot">
                <span class="muted">{ page.speech().say(&measure) }</span><span class="grow"></span>
                <button type="button" class="btn line" id="picture-print" onclick={print}>{ page.word("export.print") }</button>
                <button type="button" class="btn line" id="picture-save" onclick={save}>{ page.word("picture.save") }</button>
            </div>
        </Dialog>
    }
}

/// Buttons of which one is pressed.
fn segments(page: &Page, key: &str, choices: Vec<(String, bool, Callback<MouseEvent>)>) -> Html {
    html! {
        <div><h3>{ page.word(key) }</h3>
            <div class="segments" role="radiogroup" aria-label={page.word(key)}>
                { for choices.into_iter().map(|(label, on, onclick)| html! {
                    <button type="button" role="radio" aria-checked={on.to_string()} {onclick}>{ label }</button>
                }) }
            </div>
        </div>
    }
}

/// A change of what is exported.
type Change = Box<dyn Fn(&mut Picture)>;

/// A box for each thing that the picture can carry.
fn carried(page: &Page, carries: Carries, set: &dyn Fn(Change) -> Callback<MouseEvent>) -> Html {
    type Part = fn(&mut Carries) -> &mut bool;
    let parts: [(&str, Part); 5] = [
        ("title", |carries| &mut carries.title),
        ("frame", |carries| &mut carries.moment),
        ("legend", |carries| &mut carries.legend),
        ("why", |carries| &mut carries.why),
        ("link", |carries| &mut carries.link),
    ];
    html! {
        <div><h3>{ page.word("picture.carries") }</h3>
            { for parts.into_iter().map(|(name, part)| {
                let mut now = carries;
                let on = *part(&mut now);
                let onclick = set(Box::new(move |picture| *part(&mut picture.carries) = !on));
                html! { <label class="option"><input type="checkbox" id={format!("carries-{name}")} checked={on} {onclick} />{ page.word(&Family::PICTURE_PART.of([name])) }</label> }
            }) }
        </div>
    }
}
