//! The plan of a game: blocks that are dragged up and down, and those that wait below the axis.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

use crate::app::browser::canvas::{Repaint, paint_finely, use_size, with_palette};
use crate::app::browser::dom::capture;
use crate::app::browser::hooks::{use_effect_with, use_mut_ref};
use crate::app::context::{Page, use_page};
use crate::app::plan::style::style_of;
use crate::app::state::action::{Action, GameAction};
use crate::app::state::game::Game;
use crate::app::state::game::blocks::events_of;
use crate::app::state::index_of;
use crate::base::Message;
use crate::plan::{Place, PoolId};
use crate::problem::BufferId;
use crate::replay::{Frame, Run};
use crate::scene::{self, Guess, GuessTone, Index, Marks, Projection, Scene, Size, Style, Target, View};

/// How near an edge attracts a block, in px.
const REACH: f64 = 6.0;

/// How far a pointer may move and still only select, in px.
const CLICK: f64 = 4.0;

/// What is drawn.
struct Picture {
    run: Run,
    index: Index,
    frame: Frame,
    view: View,
    style: Style,
    size: Size,
    marks: Marks,
}

impl Picture {
    fn new(page: &Page, game: &Game, size: Size) -> Option<Picture> {
        let run = game.drawn().filter(|_| size.0 > 0.0 && size.1 > 0.0)?;
        let blockers = game.tray().filter(|_| game.shown.is_none()).map(|tray| tray.blockers()).unwrap_or_default();
        let index = index_of(&run).so_far(&run.problem, &[game.height()]).with_conflict(Rc::new(blockers));
        let frame = run.frame(events_of(&run)).at_rest();
        let style = Style {
            dim: false,
            notes: false,
            show_reuse: false,
            show_tree: false,
            at_step: None,
            ..style_of(page, &run)
        };
        let held = game.tray().and_then(|tray| tray.held()).filter(|held| held.at != held.drop);
        let guess = held.map(|held| Guess {
            buffer: held.id,
            place: Place { pool: PoolId(0), offset: held.drop },
            tone: GuessTone::Drops,
        });
        let view = View::fit(&index, size, &style);
        let marks = Marks { selected: game.selected, guess, ..Marks::default() };
        Some(Picture { run, index, frame, view, style, size, marks })
    }

    fn paint(&self, node: &NodeRef, dark: bool) {
        let Picture { run, index, frame, view, style, size, marks } = self;
        let stage = scene::stage(run, index, frame, view, *size, style, marks);
        let layers = [stage.base, stage.frame, stage.interaction].into_iter().flat_map(|scene| scene.layers);
        let scene = Scene::new(*size, layers.collect());
        with_palette(dark, |palette| paint_finely(node, &scene, *size, 1.0 / style.pixel, palette));
    }

    fn block_at(&self, at: (f64, f64)) -> Option<BufferId> {
        let hits = scene::hit(&self.run, &self.index, &self.frame, &self.view, self.size, &self.style, at);
        hits.into_iter().find_map(|target| if let Target::Buffer(id) = target { Some(id) } else { None })
    }

    /// The address at a height, below and above the plot, too; and the bytes of a px.
    fn address(&self, y: f64) -> (f64, f64) {
        let projection = Projection::new(&self.index, &self.view, self.size, &self.style);
        let zero = projection.address_to_y(PoolId(0), 0).unwrap_or(0.0);
        let bytes = 1.0 / projection.per_byte().max(f64::MIN_POSITIVE);
        ((zero - y) * bytes, bytes)
    }
}

/// A block under a pointer that is down.
#[derive(Clone, Copy)]
struct Grip {
    id: BufferId,
    /// How far above its lower edge it was taken, in bytes.
    above: f64,
    from: (f64, f64),
    moves: bool,
}

#[derive(Properties, PartialEq)]
pub struct BoardProps {
    pub dark: bool,
}

#[component]
pub fn Board(props: &BoardProps) -> Html {
    let page = use_page();
    let (host, node) = (use_node_ref(), use_node_ref());
    let size = use_size(host.clone());
    let repaint = use_mut_ref(Repaint::default);
    let shown = use_mut_ref(|| None::<Picture>);
    let grip = use_mut_ref(|| None::<Grip>);
    let game = page.state.game_shown().cloned();
    {
        let (shown, node, page, dark) = (shown.clone(), node.clone(), page.clone(), props.dark);
        let key = (game.clone(), size, dark, page.state.settings.locale, page.layout, page.state.view.look);
        use_effect_with(key, move |(game, size, ..)| {
            *shown.borrow_mut() = game.as_ref().and_then(|game| Picture::new(&page, game, *size));
            repaint.borrow().ask(move || shown.borrow().iter().for_each(|picture| picture.paint(&node, dark)));
        });
    }
    let Some(game) = game else { return Html::default() };
    let [down, moved, up, cancelled] = handlers(&page, &shown, &grip, &node);
    let peak = game.tray().map_or(0, |tray| tray.peak());
    let label = Message::new("game.board").count("n", game.tray().map_or(0, |tray| tray.placed())).bytes("peak", peak);
    html! {
        <div class="stage game-board"><div class="plan" ref={host}>
            <canvas ref={node} class="top" id="game-plan" role="img" aria-label={page.speech().say(&label)}
                data-peak={peak.to_string()} data-places={game.tray().map(|tray| tray.text())}
                onpointerdown={down} onpointermove={moved} onpointerup={up} onpointercancel={cancelled}></canvas>
        </div></div>
    }
}

/// What the pointer does: it takes a block, moves it, and lets it go.
fn handlers(
    page: &Page,
    shown: &Rc<RefCell<Option<Picture>>>,
    grip: &Rc<RefCell<Option<Grip>>>,
    node: &NodeRef,
) -> [Callback<PointerEvent>; 4] {
    let send = |action: GameAction| (page.send.clone(), action);
    let emit = |(send, action): (Callback<Action>, GameAction)| send.emit(Action::Game(action));
    let (picture, held, element, out) = (shown.clone(), grip.clone(), node.clone(), page.send.clone());
    let down = Callback::from(move |event: PointerEvent| {
        let Some((at, picture)) = place_of(&event, &element).zip(picture.borrow().as_ref().map(|picture| {
            let take = |at: (f64, f64)| {
                let id = picture.block_at(at)?;
                let size = picture.run.problem.buffers[id].size as f64;
                let above = match picture.frame.places[id] {
                    Some(place) => picture.address(at.1).0 - place.offset as f64,
                    // A block that waits hangs at its middle.
                    None => size / 2.0,
                };
                Some((id, above))
            };
            place_of(&event, &element).and_then(take)
        })) else {
            return;
        };
        out.emit(Action::Game(GameAction::Select(picture.map(|(id, _)| id))));
        if let Some((id, above)) = picture {
            capture(element.cast(), &event);
            *held.borrow_mut() = Some(Grip { id, above, from: at, moves: false });
        }
    });
    let (picture, held, element, out) = (shown.clone(), grip.clone(), node.clone(), page.send.clone());
    let moved = Callback::from(move |event: PointerEvent| {
        let (mut held, picture) = (held.borrow_mut(), picture.borrow());
        let Some(((grip, picture), at)) = held.as_mut().zip(picture.as_ref()).zip(place_of(&event, &element)) else {
            return;
        };
        grip.moves |= (at.0 - grip.from.0).hypot(at.1 - grip.from.1) >= CLICK;
        if grip.moves {
            let (address, bytes) = picture.address(at.1);
            let wanted = (address - grip.above).max(0.0) as u64;
            out.emit(Action::Game(GameAction::Lift(grip.id, wanted, (REACH * bytes) as u64)));
        }
    });
    let ends = |action: (Callback<Action>, GameAction)| {
        let held = grip.clone();
        Callback::from(move |_: PointerEvent| {
            if held.take().is_some_and(|grip| grip.moves) {
                emit(action.clone());
            }
        })
    };
    [down, moved, ends(send(GameAction::Drop)), ends(send(GameAction::PutBack))]
}

/// The pointer's place in px of the canvas from its corner.
fn place_of(event: &PointerEvent, node: &NodeRef) -> Option<(f64, f64)> {
    let rect = node.cast::<HtmlElement>()?.unchecked_into::<web_sys::Element>().get_bounding_client_rect();
    Some((event.client_x() as f64 - rect.left(), event.client_y() as f64 - rect.top()))
}
