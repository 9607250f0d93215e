//! Choice of planner, its options, and what is planned.

use yew::prelude::*;

use super::icons::{Icon, glyph};
use super::menu::Menu;
use super::page::Dark;
use super::rule_table::{RULES, RuleTable};
use super::stage::style_of;
use super::{Layout, Page, use_page};
use crate::app::state::{Action, Overlay, index_of};
use crate::engine::IMPORTED;
use crate::graph::Symbol;
use crate::paint::{Palette, Theme};
use crate::planner::{self, INFOS, OptionKind, OptionSpec};
use crate::problem::{Scope, Views};
use crate::scene::{Color, ColorBy, Part, Tone, legend};

pub fn planner_menu(page: &Page) -> Html {
    let state = page.state.clone();
    let shown = planner::info(&state.planner);
    let open = state.overlay == Some(Overlay::Planners);
    let options_open = state.overlay == Some(Overlay::Options);
    let changed = state.is_modified();
    let how = page.word("how.button");
    let options_name = match changed {
        true => format!("{}: {}", page.word("planner.options"), page.word("planner.modified")),
        false => page.word("planner.options"),
    };
    let reset = page.word("planner.reset-all");
    html! {
        <div class="planner menu-host">
            <span class="muted label">{ page.word("header.planner") }</span>
            <button type="button" class="btn line" id="planner-button" aria-haspopup="menu" aria-expanded={open.to_string()}
                aria-label={format!("{}: {}", page.word("header.planner"), shown.map_or_else(|| page.word("planner.imported"), |info| info.full_title(page.speech())))}
                onclick={page.on(|| Action::Overlay(Some(Overlay::Planners)))}>
                { match shown {
                    Some(info) => {
                        let (system, name) = info.title(page.speech());
                        html! { <><b class="cut">{ system }</b><span class="variant">{ " " }{ name }</span></> }
                    }
                    None => html! { <b class="cut">{ page.word("planner.imported") }</b> },
                } }
                { glyph(Icon::Down) }
            </button>
            <button type="button" class={classes!("btn", "icon-only", changed.then_some("on"))} id="options-button" aria-label={options_name.clone()}
                title={options_name} aria-expanded={options_open.to_string()} aria-haspopup="dialog"
                onclick={page.on(|| Action::Overlay(Some(Overlay::Options)))}>{ glyph(Icon::Options) }</button>
            if changed {
                <span class="modified" id="modified">{ page.word("planner.modified") }</span>
                <button type="button" class="btn" id="reset-button" aria-label={reset.clone()} title={reset}
                    onclick={page.on(|| Action::ResetAll)}>{ page.word("planner.reset") }</button>
            }
            // A phone has it in its menu: names want the room.
            if shown.is_some() && page.layout != Layout::Narrow {
                <button type="button" class="btn icon-only" id="how-button" aria-label={how.clone()} title={how} aria-haspopup="dialog"
                    onclick={page.on(|| Action::Overlay(Some(Overlay::How)))}>{ glyph(Icon::Question) }</button>
            }
            if open { { choices(page) } }
            if options_open { { options_dialog(page) } }
        </div>
    }
}

fn choices(page: &Page) -> Html {
    let state = page.state.clone();
    let has_graph = state.document.as_ref().is_some_and(|document| document.graph.is_some());
    let has_plan = state.document.as_ref().is_some_and(|document| document.has_plan);
    let choose = |id: &'static str| {
        let send = page.send.clone();
        Callback::from(move |_: MouseEvent| {
            send.emit(Action::Overlay(None));
            send.emit(Action::Planner(id.to_string()));
        })
    };
    html! {
        <Menu label={page.word("header.planner")} class="planners">
            if has_plan {
                <button type="button" role="menuitemradio" aria-checked={(state.planner == IMPORTED).to_string()} onclick={choose(IMPORTED)}>
                    <b>{ page.word("planner.imported") }</b><span class="muted">{ page.word("planner.imported.about") }</span>
                </button>
            }
            { for INFOS.iter().map(|info| {
                let blocked = planner::applicable(info, has_graph).is_err();
                let (system, name) = info.title(page.speech());
                let about = if blocked { page.word("fault.needs-graph") } else { page.word(&format!("planner.{}.about", info.id)) };
                html! {
                    <button type="button" role="menuitemradio" aria-checked={(state.planner == info.id).to_string()} disabled={blocked}
                        data-planner={info.id} onclick={choose(info.id)}>
                        <span><b>{ system }</b>{ " " }{ name }</span><span class="muted">{ about }</span>
                    </button>
                }
            }) }
        </Menu>
    }
}

/// Options of the planner with the original system's names, then what is planned at all. A change runs again at once.
fn options_dialog(page: &Page) -> Html {
    let state = page.state.clone();
    let info = planner::info(&state.planner);
    let graph = state.document.as_ref().and_then(|document| document.graph.clone());
    let flag = |key: &str, on: bool, change: fn(&mut Scope, bool)| {
        let (send, scope) = (page.send.clone(), state.scope.clone());
        let onchange = Callback::from(move |_: Event| {
            let mut scope = scope.clone();
            change(&mut scope, !on);
            send.emit(Action::Scope(scope));
        });
        html! { <label class="option"><input type="checkbox" checked={on} {onchange} />{ page.word(key) }</label> }
    };
    let onalign = {
        let (send, scope) = (page.send.clone(), state.scope.clone());
        Callback::from(move |event: Event| {
            let value = event.target_unchecked_into::<web_sys::HtmlSelectElement>().value();
            send.emit(Action::Scope(Scope { align: value.parse().unwrap_or(1), ..scope.clone() }));
        })
    };
    html! {
        <div class="menu options" role="dialog" aria-label={page.word("planner.options")}>
            if state.is_modified() {
                <p class="option"><span class="modified">{ page.word("planner.modified") }</span>
                    <button type="button" class="btn line" onclick={page.on(|| Action::ResetAll)}>{ page.word("planner.reset-all") }</button></p>
            }
            if let Some(info) = info.filter(|info| !info.options.is_empty()) {
                <h2>{ info.full_title(page.speech()) }</h2>
                { for info.options.iter().map(|spec| {
                    let send = page.send.clone();
                    let set = Callback::from(move |value: String| send.emit(Action::Option { key: spec.key.to_string(), value }));
                    option_field(page, spec, info.id, state.options.get(spec.key).cloned(), set)
                }) }
                <button type="button" class="btn" disabled={state.options.is_empty()} onclick={page.on(|| Action::ResetOptions)}>
                    { page.word("planner.reset") }
                </button>
            }
            <h2>{ page.word("scope.title") }</h2>
            if graph.is_some() {
                { flag("scope.inputs", state.scope.inputs, |scope, on| scope.inputs = on) }
                { flag("scope.outputs", state.scope.outputs, |scope, on| scope.outputs = on) }
                { flag("scope.weights", state.scope.weights, |scope, on| scope.weights = on) }
                { flag("scope.copies", state.scope.views == Views::Copy, |scope, on| scope.views = if on { Views::Copy } else { Views::Share }) }
            }
            <label class="option"><span>{ page.word("scope.align") }</span>
                <select class="small" onchange={onalign}>
                    { for (0..=12).map(|power| 1u64 << power).map(|align| html! {
                        <option value={align.to_string()} selected={align == state.scope.align}>{ align }</option>
                    }) }
                </select>
            </label>
            if let Some(info) = info.filter(|info| info.align > 1) {
                <p class="muted">{ page.speech().say(&crate::base::Message::new("scope.own-align").count("align", info.align)) }</p>
            }
            <Colours />
            if let Some(graph) = graph.filter(|graph| !graph.symbols.is_empty()) {
                <h2>{ page.word("scope.symbols") }</h2>
                { for graph.symbols.iter().map(|(name, symbol)| symbol_field(page, name, symbol)) }
            }
        </div>
    }
}

/// What the colours of the plan tell, and the legend.
#[component]
fn Colours() -> Html {
    let page = use_page();
    let chosen = page.state.color_by;
    let onchange = {
        let send = page.send.clone();
        Callback::from(move |event: Event| {
            let name = event.target_unchecked_into::<web_sys::HtmlSelectElement>().value();
            send.emit(Action::ColorBy(ColorBy::from_name(&name).unwrap_or_default()));
        })
    };
    let entries = page
        .state
        .run
        .as_ref()
        .zip(page.frame.as_ref())
        .map(|(run, frame)| legend(run, &index_of(run), frame, &style_of(&page, run)));
    let colors = Palette::of(if use_context::<Dark>().is_some_and(|dark| dark.0) { Theme::Dark } else { Theme::Light });
    html! { <>
        <h2>{ page.word("header.color-by") }</h2>
        <label class="option"><span class="visually-hidden">{ page.word("header.color-by") }</span>
            <select class="small" {onchange}>
                { for ColorBy::ALL.into_iter().map(|color_by| html! {
                    <option value={color_by.name()} selected={color_by == chosen}>{ page.word(&format!("color-by.{}", color_by.name())) }</option>
                }) }
            </select>
        </label>
        <ul class="legend">
            { for entries.into_iter().flatten().map(|entry| html! {
                <li><i class="swatch" style={format!("background:{}", colors.color(Color::Buffer(Part::Fill, entry.class, Tone::Full)).css(1.0))}></i><span class="cut">{ entry.words }</span>
                    <span class="num muted">{ entry.buffers.len() }</span><span class="num">{ page.speech().column(entry.bytes) }</span></li>
            }) }
        </ul>
    </> }
}

/// One option of a planner, by its id. The value is the default if none is set.
pub fn option_field(
    page: &Page,
    spec: &'static OptionSpec,
    planner: &str,
    value: Option<String>,
    set: Callback<String>,
) -> Html {
    let value = value.unwrap_or_else(|| spec.default.to_string());
    let control = match spec.kind {
        OptionKind::Flag => {
            let on = value == "true";
            let onchange = Callback::from(move |_: Event| set.emit((!on).to_string()));
            html! { <input type="checkbox" checked={on} {onchange} /> }
        }
        OptionKind::Choice(choices) => {
            let onchange = Callback::from(move |event: Event| {
                set.emit(event.target_unchecked_into::<web_sys::HtmlSelectElement>().value())
            });
            html! { <select class="small" {onchange}>
                { for choices.iter().map(|choice| html! { <option value={*choice} selected={*choice == value}>{ *choice }</option> }) }
            </select> }
        }
        OptionKind::Text => {
            let onchange = Callback::from(move |event: Event| {
                set.emit(event.target_unchecked_into::<web_sys::HtmlInputElement>().value())
            });
            html! { <input type="text" class="small" value={value.clone()} {onchange} /> }
        }
        OptionKind::Whole { min, max } => {
            let onchange = Callback::from(move |event: Event| {
                set.emit(event.target_unchecked_into::<web_sys::HtmlInputElement>().value())
            });
            html! { <input type="number" class="small" min={min.to_string()} max={max.to_string()} value={value.clone()} {onchange} /> }
        }
    };
    let shown = if spec.default.is_empty() { page.word("how.none") } else { spec.default.to_string() };
    let default = crate::base::Message::new("planner.default").text("value", shown);
    let words_of_option = planner::info(planner).map(|info| page.word(&info.option_key(spec.key)));
    if spec.key == RULES {
        return html! { <fieldset class="option-table" key={spec.key}><legend>{ words_of_option }
        <span class="muted mono">{ " " }{ spec.original }</span><span class="muted">{ " " }{ page.speech().say(&default) }</span></legend>
        <RuleTable /></fieldset> };
    }
    html! {
        <label class="option" key={spec.key} title={words_of_option}><span>{ spec.key }
            if !spec.original.is_empty() && spec.original != spec.key { <span class="muted mono">{ " " }{ spec.original }</span> }
            <span class="muted">{ " " }{ page.speech().say(&default) }</span></span>{ control }</label>
    }
}

fn symbol_field(page: &Page, name: &str, symbol: &Symbol) -> Html {
    let value = page.state.scope.symbols.get(name).copied().unwrap_or(symbol.hint);
    let onchange = {
        let (send, scope, name, symbol) = (page.send.clone(), page.state.scope.clone(), name.to_string(), *symbol);
        Callback::from(move |event: Event| {
            let input = event.target_unchecked_into::<web_sys::HtmlInputElement>();
            let text = input.value();
            match text.parse().ok().filter(|value| symbol.admits(*value)) {
                Some(value) => {
                    let mut scope = scope.clone();
                    scope.symbols.insert(name.clone(), value);
                    send.emit(Action::Scope(scope));
                }
                None => {
                    send.emit(Action::Toast(symbol.refusal(&name, &text)));
                    input.set_value(&value.to_string());
                }
            }
        })
    };
    html! {
        <label class="option" key={name}><span class="mono">{ name }</span>
            <input type="number" class="small" min={symbol.min.map(|min| min.to_string())} max={symbol.max.map(|max| max.to_string())}
                value={value.to_string()} {onchange} /></label>
    }
}
