//! The plan of a planner over one's own, in words: where it puts each block, beside where the block
//! lies.

use crate::learn::play::state::Game;
use memplan_core::base::Message;
use memplan_core::problem::BufferId;

/// A block with two places; none where it has no address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Beside {
    /// The block.
    pub id: BufferId,
    /// Where the planner puts it.
    pub theirs: Option<u64>,
    /// Where it lies in one's own plan.
    pub own: Option<u64>,
}

impl Beside {
    /// Whether it lies where the planner puts it.
    pub fn is_same(&self) -> bool {
        self.own.is_some() && self.own == self.theirs
    }
}

impl Game {
    /// The blocks in order of birth, each with the place that a planner gives it; none without
    /// blocks or such a plan.
    pub fn beside(&self, planner: &str) -> Option<Vec<Beside>> {
        let tray = self.tray()?;
        let rung = self.rungs().into_iter().find(|rung| rung.planner == planner)?;
        let row =
            |id: BufferId| Beside { id, theirs: rung.offsets.get(id).copied().flatten(), own: tray.offset_of(id) };
        Some(tray.ids().map(row).collect())
    }

    /// The same in one sentence, which is read out: the peak, and how many blocks lie where the
    /// planner puts them.
    pub fn beside_words(&self, planner: &str, title: String) -> Option<Message> {
        let rows = self.beside(planner)?;
        let peak = self.rungs().into_iter().find(|rung| rung.planner == planner)?.peak;
        let same = rows.iter().filter(|row| row.is_same()).count();
        let message = Message::new("game.beside").text("planner", title).bytes("peak", peak);
        Some(message.count("n", same).count("all", rows.len()))
    }
}
