//! What a file holds.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::answers::Question;
use super::unshown::Unshown;
use memplan_core::base::{IdVec, Message};
use memplan_core::graph::{Fault, Graph, TensorId};
use memplan_core::plan::{Place, Plan, PoolId, Unplanned, is_takeover, misreading};
use memplan_core::problem::{BufferId, MemoryId, Problem, Recording, Scope, give_way, join_handed, lifetimes};

/// What a file is, and all it carries.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Document {
    /// Nodes in execution order; every planner can run.
    Graph(Graph),
    /// Sizes and live ranges only; planners that need a graph cannot run.
    Buffers(Problem),
    /// Buffers with addresses.
    Plan(Problem, Plan),
    /// Nodes, and the plan that the file's own maker has for them: its buffers and live ranges, and
    /// where they lie.
    Planned(Graph, Problem, Plan),
}

impl Document {
    /// The graph, if the file holds one.
    pub fn graph(&self) -> Option<&Graph> {
        match self {
            Document::Graph(graph) | Document::Planned(graph, ..) => Some(graph),
            Document::Buffers(_) | Document::Plan(..) => None,
        }
    }

    /// The name that the file gives; empty where it gives none.
    pub fn name(&self) -> &str {
        match self {
            Document::Graph(graph) | Document::Planned(graph, ..) => &graph.name,
            Document::Buffers(problem) | Document::Plan(problem, _) => &problem.name,
        }
    }

    /// Changes the name of everything that the document holds.
    pub fn rename(&mut self, name: &str) {
        if let Document::Graph(graph) | Document::Planned(graph, ..) = self {
            graph.name = name.into();
        }
        if let Document::Planned(_, problem, _) | Document::Buffers(problem) | Document::Plan(problem, _) = self {
            problem.name = name.into();
        }
    }

    /// The buffers of a document without a graph. Those of a plan state where they lie, in every
    /// memory that is one pool.
    pub fn buffers(&self) -> Option<Problem> {
        if self.graph().is_some() { None } else { self.clone().into_buffers() }
    }

    /// As [`Document::buffers`], of a document that is not needed any more.
    pub fn into_buffers(self) -> Option<Problem> {
        let (mut problem, plan) = match self {
            Document::Graph(_) | Document::Planned(..) => return None,
            Document::Buffers(problem) => return Some(problem),
            Document::Plan(problem, plan) => (problem, plan),
        };
        let mut pools: IdVec<MemoryId, Option<PoolId>> = IdVec::from_elem(None, problem.memories.len());
        let mut is_one = IdVec::from_elem(true, problem.memories.len());
        for (id, place) in plan.places.enumerate() {
            if let Some(place) = place {
                let memory = problem.buffers[id].memory;
                is_one[memory] &= *pools[memory].get_or_insert(place.pool) == place.pool;
            }
        }
        for id in problem.buffers.ids() {
            let buffer = &mut problem.buffers[id];
            let place = plan.places.get(id).copied().flatten().filter(|_| is_one[buffer.memory]);
            buffer.fixed = buffer.fixed.or(place.map(|place| place.offset));
        }
        // Elsewhere than in its donor's bytes an acceptor is in nobody's way but the donor's.
        Some(join_handed(problem, &plan.shared, &BTreeSet::new()).0)
    }

    /// Lets buffers whose bytes others take over in place give way to them, so that these bytes
    /// count once in every sum. The buffers of a graph that states no storages stay as they are:
    /// they are those of planners, who need not take over the same.
    pub fn count_handed_bytes_once(&mut self) {
        let (problem, plan) = match self {
            Document::Plan(problem, plan) => (problem, plan),
            Document::Planned(graph, problem, plan) if !graph.stated.is_empty() => (problem, plan),
            Document::Planned(..) | Document::Graph(_) | Document::Buffers(_) => return,
        };
        let sound = |&&(acceptor, donor): &&(BufferId, BufferId)| is_takeover(problem, plan, acceptor, donor);
        let pairs: Vec<_> = plan.shared.iter().filter(sound).copied().collect();
        give_way(problem, pairs);
    }

    /// The plan in the file, with the buffers it places.
    pub fn own_plan(&self) -> Option<(&Problem, &Plan)> {
        match self {
            Document::Plan(problem, plan) | Document::Planned(_, problem, plan) => Some((problem, plan)),
            Document::Graph(_) | Document::Buffers(_) => None,
        }
    }

    /// What the file records of a caching allocator, for each memory; nothing if it records none.
    pub fn recordings(&self) -> &[Recording] {
        self.own_plan().map_or(&[], |(problem, _)| &problem.recordings)
    }

    /// The same, to be passed on beside the document: a document that is written as bytes lacks it.
    pub fn take_recordings(&mut self) -> Arc<Vec<Recording>> {
        match self {
            Document::Plan(problem, _) | Document::Planned(_, problem, _) => std::mem::take(&mut problem.recordings),
            Document::Graph(_) | Document::Buffers(_) => Arc::default(),
        }
    }

    /// Puts back what [`Document::take_recordings`] returned.
    pub fn put_recordings(&mut self, recordings: Arc<Vec<Recording>>) {
        if let Document::Plan(problem, _) | Document::Planned(_, problem, _) = self {
            problem.recordings = recordings;
        }
    }

    /// The plan in the file beside those of planners. Where the file states the storages of its
    /// graph, planners are asked for these; then it is their plan too: without the buffers that the
    /// scope leaves out and without tables, which are no tensors.
    pub fn own_plan_beside(&self, scope: &Scope) -> Option<(Cow<'_, Problem>, Cow<'_, Plan>)> {
        let (own, plan) = self.own_plan()?;
        let stated = self.graph().filter(|graph| !graph.stated.is_empty());
        let asked = stated.and_then(|graph| lifetimes(graph, &Scope { align: 1, ..scope.clone() }).ok());
        Some(asked.map_or((Cow::Borrowed(own), Cow::Borrowed(plan)), |asked| {
            let plan = moved(own, plan, &asked);
            (Cow::Owned(asked), Cow::Owned(plan))
        }))
    }
}

/// A plan of `own` as a plan of `asked`, whose buffers hold the same tensors; pools that then hold
/// nothing are left out.
fn moved(own: &Problem, plan: &Plan, asked: &Problem) -> Plan {
    let mut places: BTreeMap<TensorId, Place> = BTreeMap::new();
    for (id, buffer) in own.buffers.enumerate() {
        let place = plan.places.get(id).copied().flatten();
        places.extend(buffer.tensors.iter().filter_map(|&tensor| Some((tensor, place?))));
    }
    let mut found =
        Plan { proof: plan.proof, misreading: plan.misreading.clone(), returned: plan.returned, ..Plan::empty(asked) };
    let mut pools: BTreeMap<PoolId, PoolId> = BTreeMap::new();
    for (id, buffer) in asked.buffers.enumerate() {
        // Without bytes a buffer has no place in the file.
        let nowhere = (buffer.size == 0).then_some(Place { pool: PoolId(0), offset: 0 });
        let place = buffer.tensors.iter().find_map(|tensor| places.get(tensor).copied()).or(nowhere);
        match place.and_then(|place| Some((place, plan.pools.get(place.pool)?))) {
            Some((Place { pool, offset }, shown)) => {
                let pool = *pools.entry(pool).or_insert_with(|| found.pools.push(shown.clone()));
                found.places[id] = Some(Place { pool, offset });
            }
            None => found.unplanned.push((id, Unplanned::StatedByFile)),
        }
    }
    found
}

impl Document {
    /// Why memplan may misread the file, in a sentence: its own plan contradicts what was read.
    /// Nothing is written or proved from such a reading.
    pub fn misreading(&self) -> Option<&Message> {
        self.own_plan().and_then(|(_, plan)| plan.misreading.as_ref())
    }

    /// Compares the plan that the file's own system wrote with what was read; see
    /// [`misreading()`](memplan_core::plan::misreading).
    pub(super) fn find_misreading(&mut self, states_takeovers: bool) {
        if let Document::Plan(problem, plan) | Document::Planned(_, problem, plan) = self {
            plan.misreading = misreading(problem, plan, states_takeovers);
        }
    }
}

/// What a reader found in a file.
#[derive(Debug)]
pub struct Parsed {
    /// The graph, buffers or plan.
    pub document: Document,
    /// Facts for the report: decisions of the reader, and what the file states about itself, such
    /// as its producer.
    pub facts: Vec<Message>,
    /// What is odd in the file without being wrong.
    pub warnings: Vec<Fault>,
    /// What the file leaves open and the user may answer.
    pub questions: Vec<Question>,
    /// Whether the plan is the user's, in a layout that this project defines: then the plan is
    /// checked, and not the reader.
    pub is_of_user: bool,
    /// Values that the document does not show.
    pub unshown: Unshown,
}

impl Parsed {
    /// A document without remarks.
    pub fn plain(document: Document) -> Parsed {
        Parsed {
            document,
            facts: Vec::new(),
            warnings: Vec::new(),
            questions: Vec::new(),
            is_of_user: false,
            unshown: Unshown::default(),
        }
    }
}
