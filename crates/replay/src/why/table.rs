//! Which sentence explains a decision: a table of cases for the headline and one for the rule. Of
//! the rows that fit, the first holds.

use super::{is_alone, sides};
use crate::{Frame, Run};
use memplan_core::base::Family;
use memplan_core::plan::{PoolRole, Proof};
use memplan_core::problem::BufferId;
use memplan_core::trace::{IMPORTED, Note, Outcome, Sentences, Verdict};

use Condition::*;
use Key::{ByLayout, ByPlanner, BySource, Fixed, Texture};

/// A decision to be explained.
pub struct Case<'a> {
    pub run: &'a Run,
    pub frame: &'a Frame,
    pub focus: BufferId,
    outcome: Outcome,
    layout: Layout,
}

/// Which words fit what a planner does: those of trees, of storages without addresses, or of an
/// arena.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    Tree,
    Storage,
    List,
}

enum Condition {
    Always,
    /// The buffer asks for a texture; in a headline its sides are known too.
    AsksForTexture,
    TextureIsKnown,
    /// A free place was split that was not kept, so that nothing states how large it was.
    PlaceIsLost,
    /// The user's own program decides: nobody knows why.
    IsOwn,
    IsOwnAndGrows,
    /// The planner has a headline of its own for this outcome.
    HasOwnWords,
    /// Nothing else in the pool is live at the same time.
    Alone,
    AloneAndGrows,
    /// The peak stays: the place is above the heap top but below the peak, or at the end of a pool
    /// that another one hides.
    PeakStays,
    OnlyPool,
    /// The planner proves its plan; the rule of a gap depends on how far it came.
    ProvesFixed,
    ProvesQuickly,
    Proves,
    ProvesNothing,
    /// A place was refused for this reason, which explains a growth better than the growth does.
    Saw(Verdict),
}

enum Key {
    Fixed(&'static str),
    /// The planner and the outcome, or another ending.
    ByPlanner(Option<&'static str>),
    /// The planner and the outcome, of a texture.
    Texture,
    ByLayout,
    /// Where a plan comes from that is shown without its decisions, and the outcome.
    BySource,
}

type Row = (Option<Layout>, Option<Outcome>, Condition, Key);

const TREE: Option<Layout> = Some(Layout::Tree);
const LIST: Option<Layout> = Some(Layout::List);

#[rustfmt::skip]
const HEADLINES: &[Row] = &[
    (None, Some(Outcome::Nothing), Always,         Fixed("why.nothing")),
    (None, Some(Outcome::Stated),  Always,         BySource),
    (None, Some(Outcome::Overlap), Always,         Fixed("why.overlap")),
    (None, Some(Outcome::Split),   PlaceIsLost,    Fixed("why.place-only")),
    (None, None,                   TextureIsKnown, Texture),
    (None, None,                   HasOwnWords,    ByPlanner(None)),
    (LIST, Some(Outcome::AtEnd),   IsOwnAndGrows,  Fixed("why.list.above-grows")),
    (LIST, Some(Outcome::AtEnd),   IsOwn,          Fixed("why.list.above")),
    (LIST, Some(Outcome::AtEnd),   AloneAndGrows,  Fixed("why.list.alone-grows")),
    (LIST, Some(Outcome::AtEnd),   Alone,          Fixed("why.list.alone")),
    (LIST, Some(Outcome::AtEnd),   PeakStays,      Fixed("why.list.at-end-inside")),
    (TREE, Some(Outcome::AtEnd),   PeakStays,      Fixed("why.tree.at-end-inside")),
    (TREE, Some(Outcome::NewPool), OnlyPool,       Fixed("why.opens-tree")),
    (None, None,                   Always,         ByLayout),
];

#[rustfmt::skip]
const RULES: &[Row] = &[
    (None, Some(Outcome::Nothing), Always,                     Fixed("rule.nothing")),
    (None, Some(Outcome::Stated),  Always,                     BySource),
    (None, Some(Outcome::Gap),     ProvesFixed,                ByPlanner(Some("gap-fixed"))),
    (None, Some(Outcome::Gap),     ProvesQuickly,              ByPlanner(Some("gap-quick"))),
    (None, Some(Outcome::Gap),     Proves,                     ByPlanner(Some("gap"))),
    (None, Some(Outcome::Gap),     ProvesNothing,              ByPlanner(Some("gap-open"))),
    (TREE, Some(Outcome::AtEnd),   Saw(Verdict::Parallel),     Fixed("rule.tree.parallel")),
    (TREE, Some(Outcome::AtEnd),   Saw(Verdict::ManyOverlaps), Fixed("rule.tree.many-overlaps")),
    (TREE, None,                   Always,                     ByLayout),
    (None, None,                   AsksForTexture,             Texture),
    (None, None,                   Always,                     ByPlanner(None)),
];

/// Where places come from that are shown without a decision: from a file, from a recording, or from
/// a search that was stopped.
pub fn stated_by(run: &Run) -> &str {
    match () {
        () if run.planner == IMPORTED => IMPORTED,
        // What was there before its first decision.
        () if run.explanation.headlines.contains(&Outcome::Stated) => &run.planner,
        () => "kept",
    }
}

impl<'a> Case<'a> {
    pub fn new(run: &'a Run, frame: &'a Frame, focus: BufferId, outcome: Outcome) -> Case<'a> {
        let pool = frame.places[focus].and_then(|place| run.plan.pools.get(place.pool));
        let layout = if !frame.layouts.is_empty() {
            Layout::Tree
        } else if pool.is_some_and(|pool| pool.role == PoolRole::Storage) {
            Layout::Storage
        } else {
            Layout::List
        };
        Case { run, frame, focus, outcome, layout }
    }

    /// Key of the sentence that states what happened.
    pub fn headline(&self) -> String {
        self.find(HEADLINES, Family::WHY)
    }

    /// Key of the rule that decided.
    pub fn rule(&self) -> String {
        self.find(RULES, Family::RULE)
    }

    fn find(&self, table: &[Row], family: Family) -> String {
        let fits = |(layout, outcome, condition, _): &&Row| {
            layout.is_none_or(|layout| layout == self.layout)
                && outcome.is_none_or(|outcome| outcome == self.outcome)
                && self.meets(condition)
        };
        let Some((.., key)) = table.iter().find(fits) else { return String::new() };
        let (planner, outcome) = (&*self.run.planner, self.outcome.key());
        match key {
            Fixed(key) => key.to_string(),
            ByPlanner(ending) => family.of([planner, ending.unwrap_or(outcome)]),
            Texture => family.of([planner, &format!("{outcome}-texture")]),
            BySource => family.of([stated_by(self.run), outcome]),
            ByLayout => {
                let layout = match self.layout {
                    Layout::Tree => "tree",
                    Layout::Storage => "storage",
                    Layout::List => "list",
                };
                family.of([layout, outcome])
            }
        }
    }

    fn meets(&self, condition: &Condition) -> bool {
        let Case { run, frame, focus, .. } = *self;
        let grows = frame.peak > frame.peak_before;
        let is_fixed = || run.problem.buffers[focus].fixed.is_some();
        let is_alone = || frame.places[focus].is_some_and(|place| is_alone(run, frame, focus, place.pool));
        match *condition {
            Always => true,
            AsksForTexture => self.asks_for_texture(),
            TextureIsKnown => self.asks_for_texture() && sides(frame, Note::Texture, None).is_some(),
            IsOwn => run.explanation.sentences == Sentences::Own,
            IsOwnAndGrows => grows && run.explanation.sentences == Sentences::Own,
            PlaceIsLost => frame.chosen().is_none(),
            HasOwnWords => run.explanation.headlines.contains(&self.outcome),
            Alone => is_alone(),
            AloneAndGrows => grows && is_alone(),
            PeakStays => !grows,
            OnlyPool => frame.pools.len() == 1,
            ProvesFixed => self.proves() && is_fixed(),
            ProvesQuickly => self.proves() && !run.has_note(Note::SearchAsk),
            Proves => self.proves() && matches!(run.plan.proof, Proof::Optimal { .. }),
            ProvesNothing => self.proves(),
            Saw(verdict) => frame.candidates.iter().any(|candidate| candidate.verdict == verdict),
        }
    }

    /// Whether the rule of a gap depends on how the search ended: it may claim that the gap was
    /// needed only if it ended with a proof.
    fn proves(&self) -> bool {
        self.run.explanation.sentences == Sentences::Proof
    }

    pub fn asks_for_texture(&self) -> bool {
        sides(self.frame, Note::TextureRequest, None).is_some()
    }
}
