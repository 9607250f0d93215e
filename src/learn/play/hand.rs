//! What the pointer does on the plan of a game.

use std::cell::RefCell;
use std::rc::Rc;

use web_sys::Element;
use yew::prelude::*;

use crate::browser::dom::capture;
use crate::learn::play::picture::Picture;
use crate::learn::play::state::action::BoardField;
use crate::shell::state::action::{Action, GameAction};
use memplan_core::problem::BufferId;

/// How near an edge attracts a block, in px.
const REACH: f64 = 6.0;

/// How near to an edge of a box the pointer takes it, in px.
const EDGE: f64 = 8.0;

/// How far a pointer may move and still only select, in px.
const CLICK: f64 = 4.0;

const KIB: f64 = 1024.0;

/// What the pointer holds.
#[derive(Clone, Copy)]
enum Taken {
    /// A block, and how far above its lower edge it was taken, in bytes.
    Block(BufferId, f64),
    /// An edge of a box of the board, by its row, and the address of its lower edge.
    Edge(usize, BoardField, f64),
}

/// A pointer that is down.
#[derive(Clone, Copy)]
pub struct Grip {
    held: Taken,
    from: (f64, f64),
    moves: bool,
}

/// The pointer on a plan.
#[derive(Clone)]
pub struct Hand {
    pub send: Callback<Action>,
    pub shown: Rc<RefCell<Option<Picture>>>,
    pub grip: Rc<RefCell<Option<Grip>>>,
    pub node: NodeRef,
}

impl Hand {
    /// Down, moved, up, cancelled.
    pub fn handlers(&self) -> [Callback<PointerEvent>; 4] {
        let on = |act: fn(&Hand, &PointerEvent)| {
            let hand = self.clone();
            Callback::from(move |event: PointerEvent| act(&hand, &event))
        };
        [
            on(Hand::down),
            on(Hand::moved),
            on(|hand, _| hand.end(GameAction::Drop)),
            on(|hand, _| hand.end(GameAction::PutBack)),
        ]
    }

    /// A double press: another buffer for the board.
    pub fn double(&self) -> Callback<MouseEvent> {
        let hand = self.clone();
        Callback::from(move |event: MouseEvent| {
            let step = hand.place(&event).zip(hand.shown.borrow().as_ref()).map(|(at, picture)| picture.step(at.0));
            step.into_iter().for_each(|step| hand.emit(GameAction::Add(step.max(0.0) as u32)));
        })
    }

    fn emit(&self, action: GameAction) {
        self.send.emit(Action::Game(action));
    }

    fn down(&self, event: &PointerEvent) {
        let Some(at) = self.place(event) else { return };
        let (id, held) = match self.shown.borrow().as_ref() {
            Some(picture) => (picture.selectable(at), picture.held(at)),
            None => return,
        };
        self.emit(GameAction::Select(id));
        if let Some(held) = held {
            capture(self.node.cast(), event);
            *self.grip.borrow_mut() = Some(Grip { held, from: at, moves: false });
        }
    }

    fn moved(&self, event: &PointerEvent) {
        let Some(at) = self.place(event) else { return };
        let action = {
            let (mut grip, picture) = (self.grip.borrow_mut(), self.shown.borrow());
            let Some((grip, picture)) = grip.as_mut().zip(picture.as_ref()) else { return };
            grip.moves |= (at.0 - grip.from.0).hypot(at.1 - grip.from.1) >= CLICK;
            if !grip.moves {
                return;
            }
            let (address, bytes) = picture.address(at.1);
            match grip.held {
                Taken::Block(id, above) => {
                    GameAction::Lift(id, (address - above).max(0.0) as u64, (REACH * bytes) as u64)
                }
                Taken::Edge(row, BoardField::Size, below) => {
                    GameAction::Resize(row, BoardField::Size, ((address - below) / KIB).round().max(0.0) as u64)
                }
                Taken::Edge(row, field, _) => {
                    GameAction::Resize(row, field, picture.step(at.0).round().max(0.0) as u64)
                }
            }
        };
        self.emit(action);
    }

    fn end(&self, action: GameAction) {
        let ended = self.grip.borrow_mut().take();
        if ended.is_some_and(|grip| grip.moves) {
            self.emit(action);
        }
    }

    /// The pointer's place in px of the canvas from its corner.
    fn place(&self, event: &MouseEvent) -> Option<(f64, f64)> {
        let rect = self.node.cast::<Element>()?.get_bounding_client_rect();
        Some((event.client_x() as f64 - rect.left(), event.client_y() as f64 - rect.top()))
    }
}

impl Picture {
    /// The row of the board that a buffer of the plan has; none for blocks.
    fn row_of(&self, id: BufferId) -> Option<usize> {
        let name = &self.run.problem.buffers[id].name;
        self.rows.as_ref()?.iter().position(|row| row == name)
    }

    /// What a press selects: a block, or a row of the board.
    fn selectable(&self, at: (f64, f64)) -> Option<BufferId> {
        let id = self.block_at(at)?;
        if self.rows.is_some() { self.row_of(id).map(|row| BufferId(row as u32)) } else { Some(id) }
    }

    /// What a press takes.
    fn held(&self, at: (f64, f64)) -> Option<Taken> {
        if self.rows.is_some() {
            return self.edge(at);
        }
        let id = self.block_at(at)?;
        let above = match self.frame.places[id] {
            Some(place) => self.address(at.1).0 - place.offset as f64,
            // A block that waits hangs at its middle.
            None => self.run.problem.buffers[id].size as f64 / 2.0,
        };
        Some(Taken::Block(id, above))
    }

    /// The edge nearest to a point, of all boxes.
    fn edge(&self, at: (f64, f64)) -> Option<Taken> {
        let edges = self.run.problem.buffers.ids().filter_map(|id| {
            let (rect, row) = (self.rect(id)?, self.row_of(id)?);
            let below = self.frame.places[id]?.offset as f64;
            let beside = (rect.y..=rect.bottom()).contains(&at.1);
            let under = (rect.x..=rect.right()).contains(&at.0);
            let far = |distance: f64, is_near: bool| if is_near { distance.abs() } else { f64::INFINITY };
            let edges = [
                (far(at.0 - rect.right(), beside), BoardField::To),
                (far(at.0 - rect.x, beside), BoardField::From),
                (far(at.1 - rect.y, under), BoardField::Size),
            ];
            let nearest = edges.into_iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
            Some((nearest.0, Taken::Edge(row, nearest.1, below)))
        });
        edges.filter(|(distance, _)| *distance <= EDGE).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, held)| held)
    }
}
