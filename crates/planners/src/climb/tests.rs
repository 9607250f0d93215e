//! Climbs: the incremental layout against the plain loop, glibc's numbers, TVM's quirks, and what
//! the budgets do.

use super::usmp::RandR;
use super::*;
use crate::find;
use crate::testing::{buffer, problem};
use memplan_core::plan::check;
use memplan_core::problem::{Problem, sample};
use memplan_core::trace::{Recorder, Silent};

/// The peak and what was reported.
fn run(id: &str, problem: &Problem, given: &[(&str, &str)]) -> (u64, Vec<(Note, u32, u64, u64)>) {
    let planner = find(id).expect("registered");
    let options = planner.info().options(given.iter().copied()).expect("declared");
    let mut recorder = Recorder::default();
    let input = Input { problem, graph: None };
    let plan = planner.plan(input, &options, &mut recorder).expect("applicable");
    assert_eq!(planner.plan(input, &options, &mut Silent), Ok(plan.clone()));
    assert_eq!(check(problem, &plan), []);
    let note = |event: &Event| match *event {
        Event::Note { note, subject, a, b } => Some((note, subject, a, b)),
        _ => None,
    };
    (plan.peak(problem), recorder.events.iter().filter_map(note).collect())
}

/// Reference: glibc 2.36, `unsigned s = 0; rand_r(&s)` six times, in C.
#[test]
fn random_numbers_are_those_of_glibc() {
    let mut random = RandR(0);
    let numbers: Vec<u32> = (0..6).map(|_| random.next()).collect();
    assert_eq!(numbers, RAND_R);
}

const RAND_R: [u32; 6] = [1012484, 1716955679, 1792309082, 229610924, 1639479903, 1362739833];

#[test]
fn changes_lead_to_what_placing_all_anew_leads_to() {
    for (seed, fit) in [(1, Fit::Lowest), (2, Fit::Tightest), (3, Fit::Lowest)] {
        let mut problem = sample(60, seed);
        problem.buffers.iter_mut().enumerate().for_each(|(at, buffer)| buffer.align = 1 << (at % 8));
        let field = Field::new(&problem, &Branches::default(), 1 << 20).expect("few pairs");
        let mut layout = Layout::new(&field, (0..field.ids.len() as u32).collect(), fit);
        let mut random = Random::new(seed);
        for round in 0..200 {
            let before = layout.offsets.clone();
            let count = layout.order.len();
            let (a, b) = (random.below(count) as u32, random.below(count) as u32);
            let shifts = round % 5 < 2;
            if shifts {
                layout.shift(a, b)
            } else {
                layout.swap(a, b)
            }
            let limit = if round % 3 == 0 { layout.peaks()[0] } else { u64::MAX };
            let is_within = layout.settle(limit);
            let anew = Layout::new(&field, layout.order.clone(), fit);
            assert_eq!(is_within, anew.peaks()[0] <= limit || before == anew.offsets, "{round}");
            if is_within && round % 2 == 0 {
                assert_eq!(layout.offsets, anew.offsets, "{round}");
            } else {
                if shifts {
                    layout.shift(b, a)
                } else {
                    layout.swap(a, b)
                }
                layout.take_back();
                assert_eq!(layout.offsets, before, "{round}");
            }
        }
    }
}

#[test]
fn a_layout_is_the_loop_of_the_gap_planners() {
    let problem = sample(80, 9);
    let order = orders::by_size(&problem);
    let input = Input { problem: &problem, graph: None };
    let field = Field::new(&problem, &Branches::default(), 1 << 20).expect("few pairs");
    for fit in [Fit::Lowest, Fit::Tightest] {
        let layout = Layout::new(&field, positions(&field, &order), fit);
        let style = Style { fit, align: 1, pads: true, pairs: None };
        let plan = gap_fit::plan(input, &INFO.defaults(), order.clone(), &style, &mut Silent).expect("applicable");
        let planned: Vec<u64> = field.ids.iter().map(|&id| plan.places[id].expect("placed").offset).collect();
        assert_eq!(layout.offsets, planned);
    }
}

/// Size order leaves a hole below the second 2: 7, where 6 is possible.
fn seven() -> Problem {
    problem(vec![
        buffer("a", 3, 0, 1),
        buffer("b", 2, 0, 2),
        buffer("c", 2, 1, 3),
        buffer("d", 1, 2, 3),
        buffer("e", 3, 2, 3),
    ])
}

#[test]
fn the_bound_ends_a_climb_and_is_told() {
    let (peak, emitted) = run("hill-climb", &seven(), &[]);
    assert_eq!(peak, 6);
    let climbed: Vec<_> = emitted.iter().filter(|(note, ..)| *note == Note::Climbed).collect();
    assert_eq!(climbed.len(), 6);
    assert_eq!(climbed[0].3, 6, "best first");
    assert!(emitted.contains(&(Note::AtBound, 0, 6, 6)));
}

#[test]
fn a_climb_is_never_worse_than_its_starts() {
    for seed in 0..4 {
        let problem = sample(120, seed);
        let (peak, emitted) = run("hill-climb", &problem, &[("attempts", "400")]);
        let starts = emitted.iter().filter(|(note, ..)| *note == Note::Climbed).map(|&(.., from, _)| from);
        assert!(starts.clone().count() == 6 && starts.min() >= Some(peak), "{seed}");
        let other = run("hill-climb", &problem, &[("attempts", "400"), ("seed", "2")]).0;
        assert!(
            other
                <= emitted
                    .iter()
                    .filter(|(note, ..)| *note == Note::Climbed)
                    .map(|emitted| emitted.2)
                    .min()
                    .unwrap_or(0)
        );
    }
}

#[test]
fn work_ends_what_attempts_do_not() {
    let problem = sample(2_000, 1);
    for id in ["hill-climb", "usmp-hill-climb"] {
        let (_, emitted) = run(id, &problem, &[("attempts", "1000000"), ("work", "1")]);
        assert!(emitted.iter().any(|(note, ..)| *note == Note::ClimbWork), "{id}");
    }
    // Here even the neighbours cannot be listed, and the starts are compared.
    let crowd = problem_of_equals(1_500);
    let (peak, emitted) = run("hill-climb", &crowd, &[("work", "1")]);
    assert_eq!((peak, emitted.iter().filter(|(note, ..)| *note == Note::Climbed).count()), (1_500, 6));
    assert_eq!(run("usmp-hill-climb", &crowd, &[("work", "1")]).0, 1_500);
}

fn problem_of_equals(count: u32) -> Problem {
    problem((0..count).map(|at| buffer(&format!("b{at}"), 1, 0, 2)).collect())
}

#[test]
fn tvm_keeps_the_last_one_taken_not_the_best() {
    let mut last_was_worse = 0;
    for seed in 0..300 {
        let problem = crowded(seed);
        // Chance fades with the number of the attempt: at the first it is largest.
        let (peak, emitted) = run("usmp-hill-climb", &problem, &[("attempts", "3")]);
        let taken: Vec<_> =
            emitted.iter().filter(|(note, ..)| matches!(note, Note::Taken | Note::TakenWorse)).collect();
        let Some(last) = taken.last() else { continue };
        assert_eq!(last.3, peak, "{seed}");
        assert!(taken.windows(2).all(|pair| pair[0].3 == pair[1].2), "{seed}: each goes on from the one before");
        assert!(taken.iter().all(|emitted| (emitted.0 == Note::TakenWorse) == (emitted.3 > emitted.2)));
        last_was_worse += u32::from(taken.iter().any(|emitted| emitted.2 < peak));
    }
    assert!(last_was_worse > 0, "an answer above the best seen");
}

/// Ten buffers with much to gain and to lose.
fn crowded(seed: u64) -> Problem {
    let mut random = Random::new(seed);
    let mut drawn = |at: u32| {
        let (size, start) = (1 + random.below(8) as u64, random.below(6) as u32);
        buffer(&format!("b{at}"), size, start, start + 1 + random.below(6 - start as usize) as u32)
    };
    problem((0..10).map(&mut drawn).collect())
}

#[test]
fn memory_pressure_is_the_total_that_is_small_enough() {
    let (peak, emitted) = run("usmp-hill-climb", &seven(), &[("memory_pressure", "7")]);
    assert_eq!(peak, 7);
    assert!(emitted.contains(&(Note::ClimbEnd, 0, 0, 0)), "{emitted:?}");
}

/// Takes the best plan only once a search has gone on for a while.
#[derive(Default)]
struct Late {
    /// Reports of progress before it takes anything.
    wait: u32,
    pulses: u32,
    taken: Option<u64>,
    /// Reports of progress before the last plan that it took.
    last: u32,
}

impl Probe for Late {
    fn event(&mut self, _: Event) {}

    fn pulse(&mut self, _: u64, _: u64) -> ControlFlow<()> {
        self.pulses += 1;
        ControlFlow::Continue(())
    }

    fn best(&mut self, peak: u64, _: u64, offsets: &mut dyn FnMut() -> Vec<u64>) -> bool {
        if self.pulses < self.wait {
            return false;
        }
        assert!(!offsets().is_empty());
        assert!(self.taken.is_none_or(|before| peak < before), "what was taken is not offered again");
        (self.taken, self.last) = (Some(peak), self.pulses);
        true
    }
}

#[test]
fn a_plan_that_nobody_took_is_offered_again() {
    let problem = sample(90, 1);
    for (id, given) in
        [("hill-climb", vec![("attempts", "1000")]), ("usmp-hill-climb", vec![]), ("vela-hill-climb", vec![])]
    {
        let planner = find(id).expect("registered");
        let options = planner.info().options(given).expect("declared");
        let run = |wait: u32| {
            let mut probe = Late { wait, ..Late::default() };
            planner.plan(Input { problem: &problem, graph: None }, &options, &mut probe).expect("a plan");
            (probe.taken, probe.last)
        };
        let (best, last) = run(0);
        assert!(
            best.is_some_and(|best| best > lower_bound(&problem)),
            "{id}: a search that ends at the bound tells nothing"
        );
        // Whoever looks only after the best plan was found gets it all the same.
        assert_eq!(run(last + 1).0, best, "{id} after {last} reports");
    }
}
