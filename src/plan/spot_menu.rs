//! The menu of a spot on the plan: what lies there, and what can be done with it.

use std::cell::RefCell;
use std::rc::Rc;

use yew::prelude::*;

use crate::browser::css;
use crate::context::Page;
use crate::context::clipboard::copy;
use crate::plan::handler::Handler;
use crate::plan::spot::Spot;
use crate::plan::viewing::Picture;
use crate::shell::state::action::{Action, StepAction, ViewAction};
use crate::shell::state::panels::Overlay;
use crate::step::state::breakpoints::{Targets, Wanted};
use crate::widgets::menu::Menu;
use memplan_core::base::Message;
use memplan_core::problem::BufferId;
use memplan_scene::Point;

/// Buffers that are offered where many lie on one pixel.
const OFFERED: usize = 8;

pub fn spot_menu(page: &Page, picture: &Picture, spot: &Spot, handler: &Rc<RefCell<Option<Handler>>>) -> Html {
    if page.state.view.overlay != Some(Overlay::Spot) {
        return Html::default();
    }
    let buffers = &picture.run.problem.buffers;
    let here = spot.buffers.iter().filter(|id| buffers.get(**id).is_some()).take(OFFERED);
    let here: Vec<(BufferId, String)> = here.map(|id| (*id, buffers[*id].name.clone())).collect();
    // What is done to a buffer is done to the selected one, if it lies here.
    let subject = here.iter().find(|(id, _)| Some(*id) == page.state.stepping.selection).or(here.first());
    let speech = page.speech();
    // An entry acts on the page as it is when it is chosen.
    let act = |done: Box<dyn Fn(&Handler)>| {
        let handler = handler.clone();
        Callback::from(move |_: MouseEvent| {
            if let Some(handler) = &*handler.borrow() {
                handler.send.emit(Action::View(ViewAction::CloseMenus));
                done(handler);
            }
        })
    };
    let entry = |label: String, done: Box<dyn Fn(&Handler)>| html! { <button type="button" role="menuitem" onclick={act(done)}>{ label }</button> };
    let named = |key: &'static str, name: &str| speech.say(&Message::new(key).text("name", name));
    let targets = page.state.stepping.breaks.targets;
    let run_to = |wanted: Wanted, targets: Targets| {
        Box::new(move |handler: &Handler| {
            handler.send.emit(Action::Step(StepAction::Targets(targets)));
            handler.send.emit(Action::Step(StepAction::Wanted(wanted)));
            handler.send.emit(Action::Step(StepAction::RunTo { forward: true }));
        })
    };
    let side = side_of(picture, spot.at);
    html! {
        <div class="menu-host spot" id="spot-menu" ~style={css(side)}>
            <Menu label={page.word("spot.title")}>
                if here.len() > 1 {
                    { for here.iter().map(|(id, name)| {
                        let id = *id;
                        html! { <button type="button" role="menuitemradio" aria-checked={(page.state.stepping.selection == Some(id)).to_string()}
                            onclick={act(Box::new(move |handler| handler.send.emit(Action::Step(StepAction::Select(Some(id))))))}>{ named("spot.select", name) }</button> }
                    }) }
                }
                if let Some((id, name)) = subject.cloned() {
                    if here.len() == 1 { { entry(named("spot.select", &name), Box::new(move |handler| handler.send.emit(Action::Step(StepAction::Select(Some(id)))))) } }
                    if picture.frame.places[id].is_some() {
                        { entry(named("spot.zoom", &name), Box::new(move |handler| handler.zoom_to_buffer(id))) }
                    }
                    { entry(named("spot.placed", &name), Box::new(move |handler| handler.send.emit(Action::Step(StepAction::SeekBuffer(id))))) }
                    { entry(named("spot.copy", &name), Box::new(move |handler| {
                        copy(name.clone(), &handler.send, Message::new("toast.copied-name").text("name", name.clone()));
                    })) }
                }
                if let Some(address) = spot.address {
                    { entry(speech.say(&Message::new("spot.address").text("address", format!("0x{address:X}"))),
                        run_to(Wanted::Address, Targets { address, ..targets })) }
                }
                if let Some(step) = spot.step {
                    { entry(speech.say(&Message::new("spot.step").count("step", step)), run_to(Wanted::Step, Targets { step, ..targets })) }
                }
                { entry(page.word("spot.fit"), Box::new(|handler| handler.fit())) }
            </Menu>
        </div>
    }
}

/// Where the menu stands: towards the middle of the plan, so that it is not cut off.
fn side_of(picture: &Picture, (x, y): Point) -> String {
    let (width, height) = picture.size;
    let across = if x > width / 2.0 {
        format!("right:{}px;max-width:{x}px;", width - x)
    } else {
        format!("left:{x}px;max-width:{}px;", width - x)
    };
    let along = if y > height / 2.0 { format!("bottom:{}px", height - y) } else { format!("top:{y}px") };
    across + &along
}
