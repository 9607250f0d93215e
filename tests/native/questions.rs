//! Questions of exercises over many seeds: no habit answers them, and every sentence is true of its
//! frame, as plain sums over buffers and places tell it.

use std::collections::BTreeMap;

use memplan_core::base::{Arg, Message};
use memplan_core::plan::{Violation, check};
use memplan_core::problem::{Buffer, BufferId, Problem, Scope};
use memplan_engine::api;
use memplan_formats::import::Document;
use memplan_planners as planner;
use memplan_replay::{Frame, Run, why};
use memplan_teach::exercise::activity::Kind;
use memplan_teach::exercise::figure::Figure;
use memplan_teach::exercise::variant::{Difficulty, Facts, Instance, Placed, generate};
use memplan_teach::exercise::{
    Place, Verdict, beside, choices, is_question, judge, options, place_in_words, places, question,
};

/// Seeds of each of the three difficulties.
const SEEDS: u64 = 334;

fn instances(kind: Kind, planner: &str, seeds: u64) -> impl Iterator<Item = Instance> {
    let planner = planner::find(planner).expect("registered");
    let all = Difficulty::ALL.into_iter().flat_map(move |difficulty| (0..seeds).map(move |seed| (seed, difficulty)));
    all.map(move |(seed, difficulty)| generate(kind, planner, seed, difficulty).expect("an instance"))
}

fn run_of(instance: &Instance) -> Run {
    let ran = api::replay(&instance.document, instance.planner, &BTreeMap::new(), &Scope::default());
    ran.expect("a plan").0
}

fn load(problem: &Problem, step: u32) -> u64 {
    problem.buffers.iter().filter(|buffer| buffer.live.contains(step)).map(|buffer| buffer.size).sum()
}

fn bound(problem: &Problem) -> u64 {
    (0..problem.steps).map(|step| load(problem, step)).max().unwrap_or(0)
}

/// Whoever picks the first place of every list, or the lowest, or another by its rank, is right no
/// more often than somebody who guesses.
#[test]
fn no_habit_is_better_than_a_guess() {
    for planner in ["first-fit", "best-fit", "worst-fit"] {
        let (mut asked, mut chance) = (0.0, 0.0);
        let mut hits = BTreeMap::<&str, f64>::new();
        for instance in instances(Kind::Predict, planner, 100) {
            let run = run_of(&instance);
            for (at, decision) in (0..).zip(&run.timeline.decisions) {
                if !is_question(&run, at) || choices(&run, at) < 2 {
                    continue;
                }
                let list = options(&run, &run.frame(decision.begin), decision.buffer);
                let is_right = |place: &Place| judge(&run, at, place.spot()).expect("judged").verdict == Verdict::Right;
                let right: Vec<bool> = list.iter().map(is_right).collect();
                assert_eq!(right.iter().filter(|is_right| **is_right).count(), 1, "{}: {list:?}", run.problem.name);
                asked += 1.0;
                chance += 1.0 / list.len() as f64;
                let mut order: Vec<usize> = (0..list.len()).collect();
                order.sort_by_key(|&at| (list[at].pool, list[at].offset));
                let last = list.len() - 1;
                let habits = [
                    ("the first", 0),
                    ("the last", last),
                    ("the lowest", order[0]),
                    ("the second lowest", order[1]),
                    ("the highest", order[last]),
                ];
                for (habit, picked) in habits {
                    *hits.entry(habit).or_default() += f64::from(u8::from(right[picked]));
                }
            }
        }
        // What luck explains, at three standard deviations.
        let luck = 3.0 * (chance * (1.0 - chance / asked)).sqrt();
        for (habit, hits) in hits {
            assert!(hits <= chance + luck, "{planner}: {habit} is right {hits} of {asked} times, a guess {chance}");
        }
    }
}

/// The moment of a question: what lies beside the buffer that is placed, and what is free below.
struct Moment<'a> {
    run: &'a Run,
    before: Frame,
    after: Frame,
    buffer: BufferId,
    /// From, to and name of each buffer that is live at the same time and placed.
    taken: Vec<(u64, u64, &'a str)>,
}

impl<'a> Moment<'a> {
    fn new(run: &'a Run, decision: usize) -> Moment<'a> {
        let decision = &run.timeline.decisions[decision];
        let (before, after, buffer) = (run.frame(decision.begin), run.frame(decision.end), decision.buffer);
        let live = run.problem.buffers[buffer].live;
        let is_beside = |other: &Buffer| other.size > 0 && other.live.start < live.end && live.start < other.live.end;
        let mut taken = Vec::new();
        for (id, place) in before.places.enumerate() {
            let (other, Some(place)) = (&run.problem.buffers[id], place) else { continue };
            if id != buffer && is_beside(other) {
                taken.push((place.offset, place.offset + other.size, other.name.as_str()));
            }
        }
        taken.sort_unstable();
        Moment { run, before, after, buffer, taken }
    }

    fn own(&self) -> &'a Buffer {
        &self.run.problem.buffers[self.buffer]
    }

    fn lies(&self) -> u64 {
        self.after.places[self.buffer].expect("placed").offset
    }

    /// Free bytes below buffers beside, with their length.
    fn gaps(&self) -> Vec<(u64, u64)> {
        let (mut end, mut gaps) = (0, Vec::new());
        for &(from, to, _) in &self.taken {
            if end < from {
                gaps.push((end, from - end));
            }
            end = end.max(to);
        }
        gaps
    }

    fn top(&self) -> u64 {
        self.taken.iter().map(|taken| taken.1).max().unwrap_or(0)
    }

    fn fitting(&self) -> Vec<(u64, u64)> {
        self.gaps().into_iter().filter(|gap| gap.1 >= self.own().size).collect()
    }

    fn grew(&self) -> u64 {
        self.after.peak - self.before.peak
    }

    fn growth_at(&self, offset: u64) -> u64 {
        (offset + self.own().size).saturating_sub(self.before.peak)
    }

    fn in_the_way(&self, offset: u64) -> Vec<&'a str> {
        let end = offset + self.own().size;
        self.taken.iter().filter(|taken| taken.0 < end && offset < taken.1).map(|taken| taken.2).collect()
    }

    /// Whether what a message states is so; a message that is not known is not so.
    fn states(&self, message: &Message) -> bool {
        let (own, lies, grew) = (self.own(), self.lies(), self.grew());
        let is = |name: &str, wanted: u64| matches!(message.arg(name), Some(&(Arg::Bytes(found) | Arg::Address(found) | Arg::Count(found))) if found == wanted);
        let about_own = message.arg("name") == Some(&Arg::Name(own.name.clone()))
            && is("size", own.size)
            && message.arg("live") == Some(&Arg::Live(own.live.start, own.live.end));
        let opened = is("from", self.before.peak) && is("to", self.after.peak) && grew > 0;
        let gap = self.gaps().into_iter().find(|gap| gap.0 == lies);
        match message.key.as_ref() {
            "why.list.new-pool" => about_own && self.before.peak == 0 && lies == 0 && is("to", own.size),
            "why.list.alone" => about_own && self.taken.is_empty() && lies == 0 && is("offset", 0) && grew == 0,
            "why.list.alone-grows" => about_own && self.taken.is_empty() && lies == 0 && opened,
            "why.list.at-end" => about_own && self.fitting().is_empty() && lies == self.top() && opened,
            "why.list.at-end-inside" => {
                about_own && self.fitting().is_empty() && lies == self.top() && is("offset", lies) && grew == 0
            }
            "why.list.exact" => about_own && is("offset", lies) && gap == Some((lies, own.size)) && grew == 0,
            "why.list.split" => {
                let left = gap.map_or(0, |gap| gap.1.saturating_sub(own.size));
                let is_gap = gap.is_some_and(|gap| is("room", gap.1)) && left > 0 && is("left", left);
                about_own && is("offset", lies) && is_gap && grew == 0
            }
            "effect.growth" => grew > 0,
            "effect.none" => grew == 0 && is("peak", self.after.peak),
            "effect.reuse" => {
                let Some(Arg::Name(name)) = message.arg("earlier") else { return false };
                let id = self.run.buffer_named(name).expect("a buffer");
                let (there, at) = (&self.run.problem.buffers[id], self.before.places[id].expect("placed").offset);
                let meets = at < lies + own.size && lies < at + there.size;
                meets
                    && there.live.end <= own.live.start
                    && is("step", u64::from(there.live.end.saturating_sub(1)))
                    && grew == 0
            }
            key if key.starts_with("rule.") => {
                let fitting = self.fitting();
                let wanted = match key.split('.').nth(1) {
                    _ if key.ends_with(".at-end") => return fitting.is_empty() && lies == self.top(),
                    _ if key.ends_with(".new-pool") => return self.before.peak == 0 && lies == 0,
                    Some("first-fit") => fitting.into_iter().min(),
                    Some("best-fit") => fitting.into_iter().min_by_key(|gap| (gap.1, gap.0)),
                    Some("worst-fit") => fitting.into_iter().min_by_key(|gap| (u64::MAX - gap.1, gap.0)),
                    _ => None,
                };
                wanted.is_some_and(|gap| gap.0 == lies)
            }
            _ => false,
        }
    }

    /// Whether a row of the places that were looked at is true.
    fn states_row(&self, offset: u64, room: u64, is_chosen: bool, message: &Message) -> bool {
        let (own, lies) = (self.own(), self.lies());
        let is = |name: &str, wanted: u64| message.arg(name) == Some(&Arg::Bytes(wanted));
        let is_gap = self.gaps().contains(&(offset, room));
        let is_top = offset == self.top() && room == u64::MAX;
        let is_taken = is_chosen && offset == lies;
        match message.key.as_ref() {
            "verdict.exact" => is_taken && is_gap && room == own.size && is("size", room),
            "verdict.split" => is_taken && is_gap && room > own.size && is("left", room - own.size),
            "verdict.fits" => !is_chosen && is_gap && room >= own.size && is("left", room - own.size),
            "verdict.too-small" => !is_chosen && is_gap && room < own.size && is("room", room) && is("size", own.size),
            "verdict.top" => is_taken && is_top && self.fitting().is_empty() && self.growth_at(lies) > 0,
            "verdict.top-inside" => is_taken && is_top && self.fitting().is_empty() && self.growth_at(lies) == 0,
            "verdict.top-alone" => is_taken && is_top && self.taken.is_empty() && lies == 0,
            "verdict.top-unused" => !is_chosen && is_top && !self.fitting().is_empty(),
            _ => false,
        }
    }

    /// Whether what is said of a guess is true.
    fn states_guess(&self, offset: u64, is_right: bool, message: &Message) -> bool {
        let (own, grew) = (self.own(), self.grew());
        let is = |name: &str, wanted: u64| message.arg(name) == Some(&Arg::Bytes(wanted));
        let (yours, blocked) = (self.growth_at(offset), self.in_the_way(offset));
        let is_free = blocked.is_empty();
        let other = is_free && !is_right && offset != self.lies();
        message.arg("name") == Some(&Arg::Name(own.name.clone()))
            && match message.key.as_ref() {
                "predict.right" => is_right && offset == self.lies() && grew == 0,
                "predict.right-grows" => is_right && offset == self.lies() && grew > 0 && is("grew", grew),
                "predict.blocked" => {
                    let mut names: Vec<String> = blocked.iter().map(|name| name.to_string()).collect();
                    let Some(Arg::Names(told)) = message.arg("names") else { return false };
                    let mut told = told.clone();
                    names.sort();
                    told.sort();
                    !is_right && !is_free && names == told
                }
                "predict.growth-grows" => other && grew > 0 && yours > 0 && is("grew", grew),
                "predict.growth-stays" => other && grew == 0 && yours == 0,
                "predict.wrong-stays" => other && grew == 0 && yours > 0 && is("yours", yours),
                "predict.better" => other && yours == 0 && grew > 0 && is("grew", grew),
                "predict.better-grows" => other && yours > 0 && is("saved", grew.saturating_sub(yours)) && yours < grew,
                _ => false,
            }
    }

    /// Whether a place of the list is described as it is.
    fn states_option(&self, place: &Place) -> bool {
        let end = place.offset + self.own().size;
        let (at, what) = place_in_words(self.run, &self.before, place, self.own().size);
        let grows = self.growth_at(place.offset) > 0;
        let is_at = match at.key.as_ref() {
            "predict.at" => !grows && at.arg("span") == Some(&Arg::Span(place.offset, end)),
            "predict.at-top" => grows && at.arg("offset") == Some(&Arg::Address(place.offset)),
            "predict.at-new-arena" => self.before.peak == 0,
            _ => false,
        };
        let is_what = match what.key.as_ref() {
            "predict.is-growth" => grows,
            "predict.is-no-growth" => !grows,
            "predict.is-new-arena" => self.before.peak == 0,
            _ => false,
        };
        is_at && is_what && place.grows_by == self.growth_at(place.offset)
    }
}

#[test]
fn every_sentence_about_a_place_is_true() {
    let mut met = BTreeMap::<String, usize>::new();
    for planner in ["first-fit", "best-fit", "worst-fit"] {
        let seeds = if planner == "first-fit" { SEEDS } else { 60 };
        for instance in instances(Kind::Predict, planner, seeds) {
            let run = run_of(&instance);
            for at in 0..run.timeline.decisions.len() {
                let moment = Moment::new(&run, at);
                let about = |message: &Message| format!("{planner} {} {at}: {message:?}", run.problem.name);
                let mut note = |message: &Message, is_true: bool| {
                    assert!(is_true, "{}", about(message));
                    *met.entry(message.key.to_string()).or_default() += 1;
                };
                let told = why(&run, &moment.after);
                let sentences = [Some(told.headline), told.rule, told.effect];
                sentences.iter().flatten().for_each(|message| note(message, moment.states(message)));
                assert_eq!(told.rows.len(), moment.after.candidates.len());
                for (row, looked) in told.rows.iter().zip(&moment.after.candidates) {
                    note(&row.verdict, moment.states_row(looked.offset, looked.room, row.chosen, &row.verdict));
                }
                let own = moment.own();
                let asked = question(&run, moment.buffer);
                let is_about = asked.arg("name") == Some(&Arg::Name(own.name.clone()))
                    && asked.arg("size") == Some(&Arg::Bytes(own.size));
                note(&asked, is_about);
                let beside = beside(&run, &moment.before, moment.buffer);
                let names: Vec<&str> = moment.taken.iter().map(|taken| taken.2).collect();
                let Some(Arg::Names(told)) = beside.arg("names") else { panic!("{beside:?}") };
                let is_so = told.iter().all(|name| names.contains(&name.as_str()))
                    && beside.arg("n") == Some(&Arg::Count(names.len() as u64))
                    && (beside.key == "predict.alone") == names.is_empty();
                note(&beside, is_so);
                let legal = places(&run, &moment.before, moment.buffer);
                for place in options(&run, &moment.before, moment.buffer) {
                    let is_free = moment.in_the_way(place.offset).is_empty();
                    assert_eq!(is_free, legal.contains(&place), "{planner} {at}: {place:?}");
                    assert!(moment.states_option(&place), "{planner} {} {at}: {place:?}", run.problem.name);
                    let judged = judge(&run, at as u32, place.spot()).expect("judged");
                    assert_eq!(judged.is_free, is_free);
                    let is_right = judged.verdict == Verdict::Right;
                    note(&judged.feedback, moment.states_guess(place.offset, is_right, &judged.feedback));
                    let fitting = moment.fitting();
                    let like = judged.like.map(|like| {
                        let is_so = match like.key.as_ref() {
                            "predict.like-lowest" => fitting.iter().map(|gap| gap.0).chain([moment.top()]).min(),
                            "predict.like-smallest" => fitting.iter().min_by_key(|gap| (gap.1, gap.0)).map(|gap| gap.0),
                            _ => fitting.iter().min_by_key(|gap| (u64::MAX - gap.1, gap.0)).map(|gap| gap.0),
                        } == Some(place.offset);
                        (like, is_so)
                    });
                    like.into_iter().for_each(|(like, is_so)| note(&like, is_so));
                }
            }
        }
    }
    for key in
        ["why.list.alone", "why.list.at-end-inside", "verdict.top-inside", "predict.blocked", "rule.best-fit.split"]
    {
        assert!(met.contains_key(key), "{key} was never said: {met:?}");
    }
}

/// Places that are legal, and the peak that they give.
fn peak_of(problem: &Problem, placed: &[Placed]) -> u64 {
    let of = |placed: &Placed| {
        let buffer = &problem.buffers[problem.buffer_named(&placed.name).expect("a buffer")];
        (placed.offset, placed.offset + buffer.size, buffer.live)
    };
    let all: Vec<_> = placed.iter().map(of).collect();
    assert_eq!(all.len(), problem.buffers.len());
    for (at, one) in all.iter().enumerate() {
        let other = all[..at].iter().find(|other| one.2.meets(other.2) && one.0 < other.1 && other.0 < one.1);
        assert!(other.is_none(), "{placed:?}");
    }
    all.iter().map(|place| place.1).max().unwrap_or(0)
}

#[test]
fn every_goal_of_a_game_is_true() {
    for instance in instances(Kind::Pack, "best-fit", SEEDS) {
        let Facts::Pack { bound: told, first_fit, planner, places } = &instance.facts else { panic!("pack") };
        let peak = |id: &str| {
            let ran = api::replay(&instance.document, id, &BTreeMap::new(), &Scope::default());
            ran.expect("a plan").0.metrics.peak
        };
        assert_eq!((*told, *first_fit, *planner), (bound(&instance.problem), peak("first-fit"), peak("best-fit")));
        assert!(peak_of(&instance.problem, places) == *told && *first_fit > *told, "{}", instance.problem.name);
    }
    for instance in instances(Kind::Tetris, "first-fit", SEEDS) {
        let Facts::Tetris { order, bound: told, planner, places } = &instance.facts else { panic!("tetris") };
        let run = run_of(&instance);
        let decided = run.timeline.decisions.iter().map(|decision| run.problem.buffers[decision.buffer].name.clone());
        assert_eq!((order, *planner), (&decided.collect::<Vec<_>>(), run.metrics.peak));
        assert!(peak_of(&instance.problem, places) == *told && *told == bound(&instance.problem) && *planner > *told);
    }
    for instance in instances(Kind::Order, "first-fit", SEEDS) {
        let Facts::Order { written, best, order, operators } = &instance.facts else { panic!("order") };
        let row = |name: &String| operators.list.iter().position(|row| row.name == *name).expect("an operator");
        let rows: Vec<usize> = order.iter().map(row).collect();
        let highest = |order: &[usize]| operators.loads(order).into_iter().max().unwrap_or(0);
        let given: Vec<usize> = (0..operators.list.len()).collect();
        assert_eq!((*written, *best), (highest(&given), highest(&rows)));
        assert!(operators.fault(&rows).is_none() && best < written && rows.len() == given.len());
    }
    for instance in instances(Kind::Debug, "first-fit", SEEDS) {
        let Facts::Debug { violation, buffers, .. } = &instance.facts else { panic!("debug") };
        let Document::Plan(problem, plan) = &instance.document else { panic!("a plan") };
        assert_eq!(&check(problem, plan), std::slice::from_ref(violation));
        let name = |id: &BufferId| problem.buffers[*id].name.clone();
        let mut told = buffers.clone();
        told.sort();
        match violation {
            Violation::Overlap { a, b, .. } => {
                let mut names = vec![name(a), name(b)];
                names.sort();
                let place = |id: BufferId| plan.places[id].expect("placed").offset;
                let (one, other) = (&problem.buffers[*a], &problem.buffers[*b]);
                let shares = place(*a) < place(*b) + other.size && place(*b) < place(*a) + one.size;
                assert!(names == told && one.live.meets(other.live) && shares);
            }
            Violation::Misaligned { buffer, offset, align } => {
                assert!(told == [name(buffer)] && !offset.is_multiple_of(*align));
            }
            Violation::OutsidePool { buffer, end, size } => assert!(told == [name(buffer)] && end > size),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn every_figure_and_its_solution_are_true() {
    for instance in instances(Kind::Number, "first-fit", SEEDS) {
        let Facts::Number(figures) = &instance.facts else { panic!("figures") };
        let (run, problem) = (run_of(&instance), &instance.problem);
        let end = |id: BufferId| run.plan.places[id].expect("placed").offset + problem.buffers[id].size;
        let peak = problem.buffers.ids().map(end).max().unwrap_or(0);
        for (figure, value) in figures {
            let is = |message: &Message, name: &str| message.arg(name) == Some(&Arg::Bytes(*value));
            let told = figure.solution(&run);
            // A step told in a solution carries the value, and its names are all that are alive.
            let at_step = |step: u32| {
                let alive = problem.buffers.iter().filter(|buffer| buffer.live.contains(step));
                let names = Arg::Names(alive.map(|buffer| buffer.name.clone()).collect());
                told.arg("names") == Some(&names) && load(problem, step) == *value && is(&told, "value")
            };
            let is_true = match figure {
                Figure::Load(step) => at_step(*step) && told.arg("step") == Some(&Arg::Count(u64::from(*step))),
                Figure::Bound => match told.arg("step") {
                    Some(Arg::Count(step)) => at_step(*step as u32) && *value == bound(problem),
                    _ => false,
                },
                Figure::Peak => {
                    let Some(Arg::Name(name)) = told.arg("name") else { panic!("{told:?}") };
                    *value == peak && end(problem.buffer_named(name).expect("a buffer")) == peak && is(&told, "value")
                }
                Figure::Waste => {
                    *value == peak - bound(problem)
                        && told.arg("peak") == Some(&Arg::Bytes(peak))
                        && told.arg("bound") == Some(&Arg::Bytes(bound(problem)))
                        && is(&told, "value")
                }
                Figure::Offset(name) => {
                    let id = problem.buffer_named(name).expect("a buffer");
                    run.plan.places[id].is_some_and(|place| place.offset == *value)
                        && told.arg("at") == Some(&Arg::Address(*value))
                }
            };
            assert!(is_true, "{} {figure:?} {value}: {told:?}", problem.name);
            assert!(figure.misses(&run).iter().all(|(wrong, _)| wrong != value), "{} {figure:?}", problem.name);
        }
    }
}
