//! What is drawn of a game.

use std::rc::Rc;

use yew::NodeRef;

use crate::browser::canvas::{paint_finely, with_palette};
use crate::context::Page;
use crate::learn::play::state::Game;
use crate::learn::play::state::blocks::events_of;
use crate::learn::play::state::debug::Finding;
use crate::plan::style::style_of;
use memplan_core::plan::{Place, Plan, PoolId};
use memplan_core::problem::BufferId;
use memplan_replay::{Frame, Run};
use memplan_scene::{
    self as scene, Guess, GuessTone, Index, Marks, Projection, Rect, Scene, Size, Style, Target, View,
};
use memplan_teach::exercise::board::Board;

/// How far from a finger a block that waits is looked for, nearest first, in px.
const FINGER: [f64; 3] = [7.0, 14.0, 20.0];

/// Height of a box that a finger hits without help, in px.
const GRIP: f64 = 24.0;

/// What is drawn.
pub struct Picture {
    pub run: Rc<Run>,
    pub frame: Frame,
    /// Names of the rows of the board; none where blocks are moved.
    pub rows: Option<Vec<String>>,
    /// The plan of a planner, pale over one's own.
    ghost: Option<Plan>,
    index: Index,
    view: View,
    style: Style,
    size: Size,
    marks: Marks,
}

impl Picture {
    /// The picture of a game at a size; none before there is one.
    pub fn new(page: &Page, game: &Game, size: Size) -> Option<Picture> {
        let run = game.drawn().filter(|_| size.0 > 0.0 && size.1 > 0.0)?;
        // A fault is shown once it is found.
        let found =
            game.finding().filter(|finding| finding.over).map(|finding| finding.chosen.iter().copied().collect());
        let blockers =
            game.tray().filter(|_| game.shown.is_none()).map(|tray| tray.blockers()).or(found).unwrap_or_default();
        let index = Index::of(&run);
        let claim = game.finding().map(Finding::claimed);
        let index = match game.height() {
            Some(height) => index.so_far(&run.problem, &[height]).with_conflict(Rc::new(blockers)),
            None => index.with_conflict(Rc::new(blockers)).with_height(claim.unwrap_or_default()),
        };
        let frame = game.finding().map_or_else(|| run.frame(events_of(&run)).at_rest(), Finding::frame);
        let style = style_of(page, &run);
        // Where a planner is to waste, the gaps that it leaves are hatched.
        let show_waste = style.show_waste || game.breaking().is_some();
        let style = Style { show_waste, ..style };
        // As long as the fault is open, any figure beside the peak that is claimed would be the
        // answer.
        let is_open = game.finding().is_some_and(|finding| !finding.over);
        let (show_peak, show_bound) = (style.show_peak && !is_open, style.show_bound && !is_open);
        let style = Style { show_peak, show_bound, ..style };
        let style = Style { dim: false, notes: false, show_reuse: false, show_tree: false, at_step: None, ..style };
        // Only blocks of one's own wait.
        let has_tray = game.tray().is_some();
        let style = Style { grips: style.narrow && has_tray, show_waiting: style.show_waiting && has_tray, ..style };
        let style = Style { any_waits: game.tray().is_some_and(|tray| !tray.is_in_turn()), ..style };
        let held = game.tray().and_then(|tray| tray.held()).filter(|held| held.at != held.drop);
        let guess = held.map(|held| Guess {
            buffer: held.id,
            place: Place { pool: PoolId(0), offset: held.drop },
            tone: GuessTone::Drops,
        });
        let index = match game.tray() {
            // Every block that waits can be taken from the lane, now or when those before it are
            // placed.
            Some(tray) => index.with_lane_rows(scene::waiting_rows(tray.problem(), size, &style)),
            None => index,
        };
        let view = View::fit(&index, size, &style);
        let selected = game.selected_in(&run);
        let mut chosen = game
            .finding()
            .filter(|finding| !finding.over)
            .into_iter()
            .flat_map(|finding| finding.chosen.iter().copied());
        let (first, second) = (chosen.next(), chosen.next());
        // Once the fault is found, the peak itself has its line and its words.
        let peak = frame.pools.first().map_or(0, |pool| pool.end);
        let claim = claim.filter(|claim| *claim != peak);
        let marks = Marks { selected: selected.or(first), hovered: second, guess, claim, ..Marks::default() };
        let names = |board: &Board| board.pieces.iter().map(|piece| piece.name.clone()).collect();
        let rows = game.breaking().map(|breaking| names(&breaking.board));
        let ghost = game.ghost();
        Some(Picture { run, rows, ghost, index, frame, view, style, size, marks })
    }

    fn scene(&self) -> scene::Picture<'_> {
        scene::Picture::new(&self.run, &self.index, &self.frame, &self.view, self.size, &self.style)
    }

    /// Paints it on a canvas.
    pub fn paint(&self, node: &NodeRef, dark: bool) {
        let Picture { ghost, style, size, marks, .. } = self;
        let stage = scene::stage(self.scene(), marks);
        let layers = [stage.base, stage.frame, stage.interaction].into_iter().flat_map(|scene| scene.layers);
        let pale = |plan: &Plan| scene::ghost(self.scene(), &plan.places);
        let scene = Scene::new(*size, layers.chain(ghost.as_ref().map(pale)).collect());
        with_palette(dark, |palette| paint_finely(node, scene, *size, 1.0 / style.pixel, palette));
    }

    /// The block at a point, the topmost first. On a phone, a block that waits is found from near
    /// it, and a low one that lies from as far as a finger is wide.
    pub fn block_at(&self, at: (f64, f64)) -> Option<BufferId> {
        let found = |at| {
            let hits = scene::hit(self.scene(), at);
            hits.into_iter().find_map(|target| if let Target::Buffer(id) = target { Some(id) } else { None })
        };
        let waits = |id: &BufferId| self.frame.places[*id].is_none();
        let is_near = |id: &BufferId, away: f64| {
            let high = self.rect(*id).map_or(GRIP, |rect| rect.h);
            waits(id) || high + 2.0 * away <= GRIP
        };
        let near = |away: f64| {
            let points = [(0.0, -away), (0.0, away), (-away, 0.0), (away, 0.0)].map(|by| (at.0 + by.0, at.1 + by.1));
            points.into_iter().filter_map(found).find(|id| is_near(id, away))
        };
        found(at).or_else(|| FINGER.into_iter().filter(|_| self.style.narrow).find_map(near))
    }

    /// The box of a block that lies.
    pub fn rect(&self, id: BufferId) -> Option<Rect> {
        scene::bounds(self.scene(), Target::Buffer(id))
    }

    fn projection(&self) -> Projection {
        Projection::new(&self.index, &self.view, self.size, &self.style)
    }

    /// The address at a height, below and above the plot, too; and the bytes of a px.
    pub fn address(&self, y: f64) -> (f64, f64) {
        let projection = self.projection();
        let zero = projection.address_to_y(PoolId(0), 0).unwrap_or(0.0);
        let bytes = 1.0 / projection.per_byte().max(f64::MIN_POSITIVE);
        ((zero - y) * bytes, bytes)
    }

    /// The step at `x` with its fraction.
    pub fn step(&self, x: f64) -> f64 {
        self.projection().x_to_step(x)
    }
}
