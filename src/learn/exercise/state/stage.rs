//! How far an exercise is.

use crate::learn::play::state::Table;
use crate::shell::state::State;

/// How far an exercise is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Its link is read.
    Reading,
    /// It shows its questions, and waits for a name.
    Ready,
    /// Its document is on the way.
    Making,
    /// Questions are asked.
    Asking,
    /// The result code is written.
    Coding,
    /// It is over.
    Done,
}

impl State {
    /// Notes that the questions have begun, or cannot.
    pub(crate) fn exercise_on(&mut self) {
        let (is_game, is_proving) = (self.is_game_assigned(), self.is_proving());
        let is_lesson = self.asks_lessons();
        let refusal = self.predict_refusal().or_else(|| self.no_question());
        let Some(assigned) = &mut self.teaching.assigned else { return };
        if let Some(seconds) = assigned.handed_in.take_if(|_| !is_proving) {
            return self.finish(seconds);
        }
        // A game begins when its blocks are there; what is proved of them comes later.
        let is_waiting = self.teaching.wanted.is_some() || !self.document.status.is_idle();
        let waits = is_waiting && !is_game && !is_lesson;
        if assigned.stage != Stage::Making || waits {
            return;
        }
        if let Some(game) = self.game.as_ref().filter(|_| is_game) {
            match (&game.failure, &game.table) {
                (Some(why), _) => {
                    assigned.failure = Some(why.clone());
                    assigned.stage = Stage::Ready;
                }
                (None, Table::Empty) => {}
                _ => assigned.stage = Stage::Asking,
            }
            return;
        }
        if self.asks_lessons() {
            return self.find_question();
        }
        if self.asks_program() {
            return self.begin_program();
        }
        let notice = self.document.notice.as_ref().map(|notice| notice.title.clone());
        if self.asks_figures() {
            let why = self.ask_figures().or(notice);
            if let Some((assigned, why)) =
                self.teaching.assigned.as_mut().filter(|it| it.stage == Stage::Making).zip(why)
            {
                (assigned.failure, assigned.stage) = (Some(why), Stage::Ready);
            }
            return;
        }
        let Some(assigned) = &mut self.teaching.assigned else { return };
        if let Some(why) = notice.or(refusal) {
            assigned.failure = Some(why);
            assigned.stage = Stage::Ready;
        } else if self.predicting.on && !self.predicting.is_waiting() && self.document.run.is_some() {
            assigned.stage = Stage::Asking;
        }
    }
}
