//! What runs a model, and whether a plan is all that it needs to run an answer.

use serde::{Deserialize, Serialize};

use super::instance::Lever;
use super::record::{FitRecord, MoveRecord};
use memplan_core::base::Message;
use memplan_core::graph::Graph;

/// What runs a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Runtime {
    /// TensorFlow Lite Micro, which runs a `.tflite` file by the plan and in the order that the
    /// file states.
    TfLiteMicro,
    /// ExecuTorch, which runs a `.pte` file by the plan that the file states.
    ExecuTorch,
    /// Whatever a compiler makes of a graph.
    #[default]
    Compiled,
}

/// Most changes in a sentence.
const NAMED: usize = 4;

impl Runtime {
    /// Levers whose changes the runtime makes by itself.
    const fn own(self) -> &'static [Lever] {
        match self {
            Runtime::TfLiteMicro => &[Lever::Planner, Lever::Order],
            Runtime::ExecuTorch => &[Lever::Planner],
            Runtime::Compiled => &[Lever::Planner, Lever::Order, Lever::InPlace, Lever::Views, Lever::Bank],
        }
    }
}

impl FitRecord {
    /// Why a runtime cannot run the answer, and what to do; none if a plan is enough.
    pub fn refusal(&self, runtime: Runtime) -> Option<Message> {
        let is_own = |one: &MoveRecord| runtime.own().iter().any(|lever| lever.name() == one.lever);
        let mut others: Vec<&MoveRecord> = self.moves.iter().filter(|one| !is_own(one)).collect();
        others.sort_by_key(|one| one.stripes == 0);
        let is_striped = others.first()?.stripes > 0;
        let more = others.len().saturating_sub(NAMED);
        let named = others.iter().take(NAMED).map(|one| self.short_why(&one.why));
        let and_more = (more > 0).then(|| Message::new("fit.more-changes").count("count", more as u64));
        let join = |first, second| Message::new("fit.and").inner("first", first).inner("second", second);
        let what = named.chain(and_more).reduce(join)?;
        let key = match (runtime, is_striped) {
            (Runtime::TfLiteMicro, true) => "fit.not-run-stripes",
            (Runtime::TfLiteMicro, false) => "fit.not-run",
            (Runtime::ExecuTorch, _) => "fit.not-run-program",
            (Runtime::Compiled, true) => "fit.not-planned-stripes",
            (Runtime::Compiled, false) => "fit.not-planned",
        };
        let levers =
            if runtime == Runtime::ExecuTorch { &[Lever::Planner][..] } else { &[Lever::Planner, Lever::Order] };
        let alone = self.levers.iter().filter(|row| levers.iter().any(|lever| lever.name() == row.lever));
        let alone = alone.filter_map(|row| row.peak).min().unwrap_or(self.required.before);
        Some(Message::new(key).inner("what", what).bytes("alone", alone))
    }

    /// The order of the operators in which a model is written, as positions in its file; empty for
    /// that of the file.
    ///
    /// # Errors
    /// Changes that a plan cannot express, by name.
    pub fn order_to_write(&self, old: &Graph, new: &Graph) -> Result<Vec<usize>, Message> {
        if let Some(refusal) = self.refusal(Runtime::TfLiteMicro) {
            return Err(refusal);
        }
        let order = new.order_in(old);
        Ok(if order.is_sorted() { Vec::new() } else { order })
    }

    /// Refuses an answer that changes anything but the plan, which is all that an ExecuTorch
    /// program can take: its instructions keep their order.
    ///
    /// # Errors
    /// The other changes, by name.
    pub fn plan_to_write(&self) -> Result<(), Message> {
        self.refusal(Runtime::ExecuTorch).map_or(Ok(()), Err)
    }
}
