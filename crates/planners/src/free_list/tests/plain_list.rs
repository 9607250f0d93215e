//! Pseudo-random problems: the plans of a plain list, and properties that hold for all of them.

use super::*;
use memplan_core::base::{Id, align_up};

/// Numbers without a pattern, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn problem(&mut self, mixed_alignment: bool, some_fixed: bool, equal_sizes: bool) -> Problem {
        let steps = 1 + self.below(20) as u32;
        let count = 1 + self.below(30);
        let buffers = (0..count).map(|index| {
            let start = self.below(steps as u64) as u32;
            let end = start + 1 + self.below((steps - start) as u64) as u32;
            let size = if equal_sizes { 8 } else { self.below(20) };
            let mut buffer = buffer(&format!("b{index}"), size, start, end);
            buffer.align = if mixed_alignment { 1 << self.below(4) } else { 1 };
            buffer.fixed = (some_fixed && self.below(4) == 0).then(|| self.below(10) * 8);
            buffer
        });
        let buffers = buffers.collect();
        problem(buffers)
    }
}

/// The rules read off a plain list: gaps between whatever is alive, in address order.
fn by_plain_list(problem: &Problem, fit: Fit, tie: &str, tail: bool, fixed: bool) -> Vec<u64> {
    let padded = |buffer: &Buffer| align_up(buffer.size, buffer.align);
    let mut offsets: Vec<Option<u64>> = vec![None; problem.buffers.len()];
    let mut mark = 0;
    for id in births(problem, tie) {
        let buffer = &problem.buffers[id];
        let size = padded(buffer);
        let stated = |buffer: &Buffer| buffer.fixed.filter(|_| fixed);
        let mut used: Vec<(u64, u64)> = vec![];
        for (other_id, other) in problem.buffers.enumerate().filter(|(_, other)| other.size > 0) {
            let offset = match (stated(other), offsets[other_id.index()]) {
                (Some(offset), _) if other.live.meets(buffer.live) => offset,
                (None, Some(offset)) if other.live.contains(buffer.live.start) => offset,
                _ => continue,
            };
            used.push((offset, offset + padded(other)));
        }
        used.sort();
        let mut gaps = vec![];
        let mut top = 0;
        for (start, end) in used {
            if top < start {
                gaps.push((top, start));
            }
            top = top.max(end);
        }
        if tail && top < mark {
            gaps.push((top, mark));
        }
        gaps.retain(|&(start, end)| align_up(start, buffer.align) + size <= end);
        let len = |gap: &&(u64, u64)| gap.1 - gap.0;
        let gap = match fit {
            Fit::First => gaps.first(),
            Fit::Best => gaps.iter().min_by_key(len),
            Fit::Worst => gaps.iter().rev().max_by_key(len),
        };
        let offset = match stated(buffer) {
            Some(offset) => offset,
            None if size == 0 => 0,
            None => align_up(gap.map_or(top, |gap| gap.0), buffer.align),
        };
        mark = mark.max(offset + size);
        offsets[id.index()] = Some(offset);
    }
    offsets.into_iter().flatten().collect()
}

#[test]
fn plans_equal_those_of_a_plain_list() {
    let mut dice = Dice(1);
    for round in 0..2000 {
        let fixed = round % 4 == 3;
        let problem = dice.problem(round % 2 == 1, fixed, false);
        let tie = ["index", "size", "long"][round % 3];
        let tail = round % 5 > 2;
        for (fit, id) in ALL {
            let given = [
                ("tie", tie),
                ("tail", if tail { "bounded" } else { "top" }),
                ("fixed", if fixed { "true" } else { "false" }),
            ];
            let plan = plan(id, &problem, &given);
            assert_eq!(offsets(&plan), by_plain_list(&problem, fit, tie, tail, fixed), "{id} {given:?} {problem:?}");
            if !fixed {
                assert_eq!(check(&problem, &plan), [], "{id} {given:?}");
            }
            let mut recorder = Recorder::default();
            let planner = find(id).unwrap();
            let options = planner.info().options(given).unwrap();
            let watched = planner.plan(Input { problem: &problem, graph: None }, &options, &mut recorder);
            assert_eq!(watched.as_ref(), Ok(&plan), "{id}: watching must not change the plan");
        }
    }
}

#[test]
fn equal_sizes_reach_the_bound() {
    let mut dice = Dice(2);
    for _ in 0..500 {
        let problem = dice.problem(false, false, true);
        for (_, id) in ALL {
            assert_eq!(plan(id, &problem, &[]).peak(&problem), lower_bound(&problem), "{id}");
        }
    }
}

#[test]
fn a_bounded_tail_makes_no_difference_to_first_fit() {
    let mut dice = Dice(3);
    for _ in 0..500 {
        let problem = dice.problem(true, false, false);
        assert_eq!(plan("first-fit", &problem, &[]), plan("first-fit", &problem, &[("tail", "bounded")]));
    }
}
