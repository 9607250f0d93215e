//! What is to be said of a guess: whether it is what the planner did, whether it is better, what is
//! in the way, which rule decided, and which other rule it would have been.

use super::places::{Kind, Place, places, realised};
use memplan_core::base::{Arg, Message};
use memplan_core::plan::{Place as Spot, PoolId, PoolRole};
use memplan_core::problem::BufferId;
use memplan_core::trace::{Outcome, Verdict as Refusal};
use memplan_replay::{Frame, Run, why};

/// How good a guess is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    /// What the planner did.
    Right,
    /// Free, and the peak would rise less than it did.
    Better,
    /// Free, and right about the growth, but another place.
    Growth,
    /// Neither.
    Wrong,
}

impl Verdict {
    /// Its name in ids and classes.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Right => "right",
            Verdict::Better => "better",
            Verdict::Growth => "growth",
            Verdict::Wrong => "wrong",
        }
    }
}

/// A textbook rule for the choice among gaps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// First fit: the lowest gap.
    Lowest,
    /// Best fit: the smallest gap.
    Smallest,
    /// Worst fit: the largest gap.
    Largest,
}

/// What became of a guess.
#[derive(Clone, PartialEq, Debug)]
pub struct Judged {
    /// How good it is.
    pub verdict: Verdict,
    /// Where the buffer really went.
    pub truth: Spot,
    /// By how much the peak rose.
    pub grew: u64,
    /// By how much the guess would have raised it.
    pub guess_grows: u64,
    /// How many legal places there were to choose from.
    pub choices: usize,
    /// Whether the guess is free during the whole life of the buffer.
    pub is_free: bool,
    /// Key of the rule that decided.
    pub rule: String,
    /// The verdict in words.
    pub feedback: Message,
    /// Which rule would have made the guess, if it is another one than the planner's.
    pub like: Option<Message>,
}

/// Most buffers of a run that asks questions.
pub const MAX_BUFFERS: usize = 400;

/// Why a run asks no questions; nothing if it does.
pub fn refusal(run: &Run) -> Option<Message> {
    let decisions = &run.timeline.decisions;
    let all = |test: fn(Outcome) -> bool| decisions.iter().all(|decision| test(decision.outcome));
    if run.problem.buffers.len() > MAX_BUFFERS {
        return Some(Message::new("predict.off-large").count("most", MAX_BUFFERS as u64));
    }
    if decisions.is_empty() {
        return Some(Message::new("predict.off-figure"));
    }
    if all(|outcome| matches!(outcome, Outcome::Stated | Outcome::Nothing)) {
        return Some(Message::new("predict.off-stated"));
    }
    all(|outcome| matches!(outcome, Outcome::Apart | Outcome::Nothing)).then(|| Message::new("predict.off-apart"))
}

/// Whether there is something to ask about a decision: not about a buffer without bytes, with a
/// stated position, or whose place is not chosen among others.
pub fn is_question(run: &Run, decision: u32) -> bool {
    run.timeline.decisions.get(decision as usize).is_some_and(|decision| {
        let buffer = &run.problem.buffers[decision.buffer];
        let is_chosen = !matches!(decision.outcome, Outcome::Nothing | Outcome::Apart | Outcome::Stated);
        buffer.size > 0 && buffer.fixed.is_none() && is_chosen
    })
}

/// How many places there are to choose from at a decision.
pub fn choices(run: &Run, decision: u32) -> usize {
    let decision = run.timeline.decisions.get(decision as usize);
    decision.map_or(0, |decision| places(run, &run.frame(decision.begin), decision.buffer).len())
}

/// Key of the rule behind a decision: its kind.
pub fn rule_of(run: &Run, decision: u32) -> String {
    let end = run.timeline.decisions.get(decision as usize).map_or(0, |decision| decision.end);
    why(run, &run.frame(end)).rule.map_or_else(String::new, |rule| rule.key.into_owned())
}

/// Judges a guess against a decision of the run; nothing if there is no such decision.
pub fn judge(run: &Run, decision: u32, guess: Spot) -> Option<Judged> {
    let decision = run.timeline.decisions.get(decision as usize)?;
    let buffer = decision.buffer;
    let (before, after) = (run.frame(decision.begin), run.frame(decision.end));
    let truth = after.places[buffer]?;
    let grew = after.peak.saturating_sub(before.peak);
    let list = places(run, &before, buffer);
    let size = run.problem.buffers[buffer].size;
    let at = list.iter().position(|place| (place.pool, place.offset) == (guess.pool, guess.offset));
    let guess_grows = at.map_or_else(|| growth(run, &before, buffer, guess), |at| list[at].grows_by);
    let blockers = if at.is_some() { Vec::new() } else { blockers(run, &before, buffer, guess) };
    let is_free = blockers.is_empty();
    let is_right = guess == truth || at.is_some() && at == realised(&list, truth, size, grew);
    // A place that was refused for the branches' sake is free by live range only.
    let is_open = !after.candidates.iter().any(|candidate| candidate.verdict == Refusal::Parallel);
    let verdict = match is_free {
        _ if is_right => Verdict::Right,
        true if guess_grows < grew && is_open => Verdict::Better,
        true if (guess_grows > 0) == (grew > 0) => Verdict::Growth,
        _ => Verdict::Wrong,
    };
    let rule = why(run, &after).rule.unwrap_or_else(|| Message::new("rule.nothing"));
    let like = like(&list, guess, truth).filter(|_| verdict != Verdict::Right).map(|rule| {
        Message::new(match rule {
            Rule::Lowest => "predict.like-lowest",
            Rule::Smallest => "predict.like-smallest",
            Rule::Largest => "predict.like-largest",
        })
    });
    let name = run.problem.buffers[buffer].name.clone();
    let key = match verdict {
        Verdict::Right if grew > 0 => "predict.right-grows",
        Verdict::Right => "predict.right",
        Verdict::Better if guess_grows > 0 => "predict.better-grows",
        Verdict::Better => "predict.better",
        Verdict::Growth if grew > 0 => "predict.growth-grows",
        Verdict::Growth => "predict.growth-stays",
        Verdict::Wrong if !blockers.is_empty() && is_storage(run, guess.pool) => "predict.blocked-storage",
        Verdict::Wrong if !blockers.is_empty() => "predict.blocked",
        Verdict::Wrong if grew > 0 => "predict.wrong-grows",
        Verdict::Wrong => "predict.wrong-stays",
    };
    let feedback = Message::new(key)
        .name("name", name)
        .bytes("grew", grew)
        .bytes("yours", guess_grows)
        .bytes("saved", grew.saturating_sub(guess_grows))
        .span("span", guess.offset, guess.offset + size)
        .count("pool", guess.pool.0)
        .count("n", blockers.len() as u64)
        .with("names", Arg::Names(blockers));
    let (choices, rule) = (list.len(), rule.key.into_owned());
    Some(Judged { verdict, truth, grew, guess_grows, choices, is_free, rule, feedback, like })
}

/// By how much a place that is not in the list would raise the peak.
fn growth(run: &Run, frame: &Frame, buffer: BufferId, guess: Spot) -> u64 {
    let end = frame.pools.iter().find(|pool| pool.id == guess.pool).map_or(0, |pool| pool.end);
    guess.offset.saturating_add(run.problem.buffers[buffer].size).saturating_sub(end)
}

fn is_storage(run: &Run, pool: PoolId) -> bool {
    run.plan.pools.get(pool).is_some_and(|pool| pool.role == PoolRole::Storage)
}

/// Whose bytes a guess would use while they are alive.
fn blockers(run: &Run, frame: &Frame, buffer: BufferId, guess: Spot) -> Vec<String> {
    let wanted = &run.problem.buffers[buffer];
    let is_storage = is_storage(run, guess.pool);
    let in_the_way = |(id, place): (BufferId, &Option<Spot>)| {
        let there = &run.problem.buffers[id];
        let place = (*place).filter(|place| place.pool == guess.pool && there.live.meets(wanted.live))?;
        let meets = place.offset < guess.offset + wanted.size && guess.offset < place.offset + there.size;
        (id != buffer && there.size > 0 && (is_storage || meets)).then(|| there.name.clone())
    };
    frame.places.enumerate().filter_map(in_the_way).collect()
}

/// The textbook rule that takes the guess and not the truth, where there are gaps to choose from.
fn like(list: &[Place], guess: Spot, truth: Spot) -> Option<Rule> {
    let gaps: Vec<&Place> = list.iter().filter(|place| place.kind == Kind::Gap).collect();
    let is = |place: &Place, spot: Spot| (place.pool, place.offset) == (spot.pool, spot.offset);
    // Without a choice all rules take the same.
    let takes = |rule: Rule| match rule {
        // Also the room above everything alive, if there is no gap below it.
        Rule::Lowest => list.iter().min_by_key(|place| (place.kind == Kind::NewArena, place.offset)),
        Rule::Smallest => gaps.iter().min_by_key(|place| (place.room, place.offset)).copied(),
        Rule::Largest => gaps.iter().min_by_key(|place| (u64::MAX - place.room, place.offset)).copied(),
    };
    let has_storages = list.iter().any(|place| matches!(place.kind, Kind::NewStorage | Kind::Object));
    let rules = [Rule::Lowest, Rule::Smallest, Rule::Largest].into_iter().filter(|_| !has_storages && !gaps.is_empty());
    let mut found = rules.filter(|rule| takes(*rule).is_some_and(|place| is(place, guess) && !is(place, truth)));
    found.next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_core::problem::{Problem, Scope, lifetimes};
    use memplan_core::trace::Recorder;
    use memplan_planners::{self as planner, Input, REGISTRY, origin};
    use memplan_replay::Level;

    fn teaching() -> (Problem, memplan_core::graph::Graph) {
        let file = include_bytes!("../../../../www/graphs/teaching.json");
        let read = memplan_formats::import::read(file, memplan_formats::import::Answers::default()).expect("a graph");
        let memplan_formats::import::Document::Graph(graph) = read.document else { panic!("the example is a graph") };
        (lifetimes(&graph, &Scope::default()).expect("sizes are known"), graph)
    }

    fn run_of(planner: &dyn planner::Planner) -> Run {
        let ((problem, graph), mut recorder) = (teaching(), Recorder::default());
        let input = Input { problem: &problem, graph: Some(&graph) };
        let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).expect("applicable");
        let origin = origin(planner.info().id, planner.info().align);
        Run::new(problem.into(), origin, plan, recorder.events).with_graph(Some(graph.into()))
    }

    fn named(planner: &str) -> Run {
        run_of(planner::find(planner).expect("registered"))
    }

    /// What is said of putting the buffer of a name at an offset.
    fn judged(run: &Run, name: &str, offset: u64) -> Judged {
        let buffer = run.buffer_named(name).expect("a buffer");
        let decision = run.timeline.decision_of(buffer).expect("placed") as u32;
        judge(run, decision, Spot { pool: PoolId(0), offset }).expect("a decision")
    }

    #[test]
    fn the_planner_is_always_right_about_itself() {
        let mut seen = 0;
        for planner in REGISTRY {
            let run = run_of(*planner);
            for decision in 0..run.timeline.decisions.len() as u32 {
                let after = run.frame(run.timeline.events_at(Level::Decisions, decision + 1));
                let Some(truth) = after.focus.and_then(|focus| after.places[focus]) else { continue };
                let judged = judge(&run, decision, truth).expect("a decision");
                assert_eq!((judged.verdict, judged.truth), (Verdict::Right, truth), "{} {decision}", run.planner);
                assert_eq!(judged.rule, rule_of(&run, decision));
                assert!(judged.like.is_none());
                seen += 1;
            }
        }
        assert!(seen > 150, "{seen}");
    }

    #[test]
    fn a_guess_below_a_needless_growth_is_better() {
        // G could lie above B, below the peak; the tree does not see that and grows by 120.
        let run = named("inductor-tree");
        let better = judged(&run, "G", 1664);
        assert_eq!((better.verdict, better.grew, better.guess_grows), (Verdict::Better, 120, 0));
        assert_eq!(better.feedback.key, "predict.better");
        assert_eq!(better.feedback.arg("saved"), Some(&Arg::Bytes(120)));
        assert_eq!(better.rule, "rule.tree.many-overlaps");
        // The top is right wherever it begins exactly.
        assert_eq!(judged(&run, "G", 1792).verdict, Verdict::Right);
        let blocked = judged(&run, "G", 1024);
        assert_eq!((blocked.verdict, blocked.feedback.key.as_ref()), (Verdict::Wrong, "predict.blocked"));
        assert_eq!(blocked.feedback.arg("names"), Some(&Arg::Names(vec!["B".into()])));
        // F grows its slot; to put it on top is right about the growth only.
        let on_top = judged(&run, "F", 1664);
        assert_eq!((on_top.verdict, on_top.feedback.key.as_ref()), (Verdict::Growth, "predict.growth-grows"));
    }

    #[test]
    fn a_wrong_guess_tells_of_the_growth() {
        let run = named("first-fit");
        // B goes onto the bytes of E, which is dead: the arena grows by 384, not by 640.
        assert_eq!(judged(&run, "B", 1000).verdict, Verdict::Right);
        assert_eq!(judged(&run, "B", 1256).feedback.key, "predict.growth-grows");
        // D fits between; on top it would make the arena grow.
        let top = judged(&run, "D", 1704);
        assert_eq!((top.verdict, top.feedback.key.as_ref()), (Verdict::Wrong, "predict.wrong-stays"));
    }

    #[test]
    fn a_guess_by_another_textbook_rule_is_named() {
        let csv = b"id,lower,upper,size\na,0,1,96\np,0,9,16\nb,0,1,192\nq,0,9,16\nc,0,1,32\nr,0,9,16\nX,1,9,32\n";
        let read = memplan_formats::import::read(csv, memplan_formats::import::Answers::default()).expect("a list");
        let memplan_formats::import::Document::Buffers(problem) = read.document else {
            panic!("the example is a list")
        };
        let problem = std::rc::Rc::new(problem);
        let run = |id: &str| {
            let (planner, mut recorder) = (planner::find(id).expect("registered"), Recorder::default());
            let input = Input { problem: &problem, graph: None };
            let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).expect("applicable");
            Run::new(problem.clone(), origin(id, 1), plan, recorder.events)
        };
        let like = |id: &str, offset: u64| judged(&run(id), "X", offset).like.map(|like| like.key.into_owned());
        assert_eq!(like("best-fit", 0).as_deref(), Some("predict.like-lowest"));
        assert_eq!(like("best-fit", 112).as_deref(), Some("predict.like-largest"));
        assert_eq!(like("best-fit", 320), None, "that is what it did");
        assert_eq!(like("worst-fit", 320).as_deref(), Some("predict.like-smallest"));
        assert_eq!(judged(&run("best-fit"), "X", 112).verdict, Verdict::Growth);
    }

    #[test]
    fn planners_without_choices_ask_nothing() {
        for planner in REGISTRY {
            let run = run_of(*planner);
            let info = planner.info();
            let shares = !matches!(info.id, "naive" | "executorch-naive" | "lower-bound");
            assert_eq!(refusal(&run).is_none(), shares, "{}: {:?}", info.id, refusal(&run));
        }
    }
}
