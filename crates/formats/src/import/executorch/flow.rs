//! When values are in use in a program that jumps: the order of the instructions alone does not
//! show it, since branches exclude each other and loops go back.
//!
//! A value is in use at a step if some way through the program leads from a write to the step, and
//! from the step to a read. A move makes no copy: its result is another name of what was moved,
//! whose bytes are in use as long as that name is.

use super::calls::Form;
use super::steps::{Instructions, Role};

/// Most pairs of a step and a value that are followed, and most passes over them.
const MOST_PAIRS: usize = 1 << 26;
const MOST_PASSES: usize = 64;

/// Most steps that fill a part of a value and are looked at.
const MOST_FILLINGS: usize = 256;

/// A set of values at each step.
struct Sets {
    words: usize,
    bits: Vec<u64>,
}

impl Sets {
    fn new(steps: usize, values: usize) -> Sets {
        let words = values.div_ceil(64).max(1);
        Sets { words, bits: vec![0; words * steps] }
    }

    fn of(&self, step: usize) -> &[u64] {
        &self.bits[step * self.words..][..self.words]
    }

    fn has(&self, step: usize, value: usize) -> bool {
        self.of(step)[value / 64] >> (value % 64) & 1 == 1
    }

    /// Returns whether it was not there.
    fn put(&mut self, step: usize, value: usize) -> bool {
        let word = &mut self.bits[step * self.words + value / 64];
        let before = *word;
        *word |= 1 << (value % 64);
        *word != before
    }

    /// Replaces the set of a step; returns whether it was another one.
    fn set(&mut self, step: usize, new: &[u64]) -> bool {
        let old = &mut self.bits[step * self.words..][..self.words];
        let differs = old != new;
        old.copy_from_slice(new);
        differs
    }
}

/// The use of values at the steps of a program.
pub struct Flow {
    /// Values in use when a step begins. The last set is that of the end of the program.
    before: Sets,
    /// Values in use at a step under their own names.
    during: Sets,
    /// Values in use at a step under a name that they were moved to.
    held: Sets,
    steps: usize,
}

impl Flow {
    /// Follows all ways through the program; none if it is too large for that.
    pub fn of(all: &Instructions) -> Option<Flow> {
        let (steps, values) = (all.steps.len(), all.tensors.len());
        if values.div_ceil(64).checked_mul(64)?.checked_mul(steps + 1)? > MOST_PAIRS {
            return None;
        }
        let next = successors(all);
        let fillings = Fillings::of(all);
        let mut before = Sets::new(steps + 1, values);
        for (value, role) in all.roles.iter().enumerate() {
            if *role == Some(Role::State) || all.is_output(value) {
                before.put(steps, all.roots[value]);
            }
        }
        for pass in 0.. {
            if pass == MOST_PASSES {
                return None;
            }
            let mut changed = false;
            for step in (0..steps).rev() {
                let mut set = vec![0; before.words];
                next[step].iter().for_each(|&next| join(&mut set, &fillings.needed(&before, step, next)));
                let (reads, writes) = (all.reads(step), all.replaces(step));
                writes.for_each(|value| set[value / 64] &= !(1 << (value % 64)));
                reads.for_each(|value| set[value / 64] |= 1 << (value % 64));
                changed |= before.set(step, &set);
            }
            if !changed {
                break;
            }
        }
        let there = written(all, &next)?;
        let mut flow = Flow { during: Sets::new(steps, values), held: Sets::new(steps, values), before, steps };
        for step in 0..steps {
            let mut set = flow.before.of(step).to_vec();
            meet(&mut set, there.of(step));
            // What another way has written by the next step is not there on this one.
            let mut then = there.of(step).to_vec();
            all.writes(step).for_each(|value| then[value / 64] |= 1 << (value % 64));
            for &next in &next[step] {
                let mut after = fillings.needed(&flow.before, step, next);
                meet(&mut after, &then);
                join(&mut set, &after);
            }
            all.reads(step).chain(all.writes(step)).for_each(|value| set[value / 64] |= 1 << (value % 64));
            flow.during.set(step, &set);
        }
        flow.follow_moves(all, &next)?;
        Some(flow)
    }

    /// The bytes of what is moved are in use as long as the name that it is moved to, up to the
    /// next move to that name.
    fn follow_moves(&mut self, all: &Instructions, next: &[Vec<usize>]) -> Option<()> {
        let moves: Vec<(usize, usize, usize)> =
            (0..self.steps).filter_map(|step| all.moved(step).map(|(from, to)| (step, from, to))).collect();
        let mut left = MOST_PAIRS;
        loop {
            let mut changed = false;
            for &(step, from, to) in &moves {
                let mut seen = vec![false; self.steps];
                let mut open = next[step].clone();
                while let Some(at) = open.pop() {
                    if at >= self.steps || std::mem::replace(&mut seen[at], true) {
                        continue;
                    }
                    left = left.checked_sub(1)?;
                    if !(self.held.has(at, to) || self.before.has(at, to) && self.during.has(at, to)) {
                        continue;
                    }
                    changed |= self.held.put(at, from);
                    if !all.replaces(at).any(|value| value == to) {
                        open.extend(&next[at]);
                    }
                }
                left = left.checked_sub(self.steps / 8)?;
            }
            if !changed {
                return Some(());
            }
        }
    }

    /// Values in use when a step begins.
    pub fn needed_at(&self, step: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.before.words * 64).filter(move |&value| self.before.has(step, value))
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Whether a value is in use at a step under its own name.
    pub fn is_named(&self, step: usize, value: usize) -> bool {
        self.during.has(step, value)
    }

    /// Whether the bytes of a value are in use at a step under a name that it was moved to.
    pub fn is_held(&self, step: usize, value: usize) -> bool {
        self.held.has(step, value)
    }

    /// Whether two values are in use at the same step, each under its own name.
    pub fn meet(&self, one: usize, other: usize) -> bool {
        (0..self.steps).any(|step| self.during.has(step, one) && self.during.has(step, other))
    }
}

/// What loops fill part by part. A loop begins with the first part, so that nothing of what was
/// there before it is needed.
struct Fillings {
    /// First and last step of the loop, and the value.
    all: Vec<(usize, usize, usize)>,
}

impl Fillings {
    fn of(all: &Instructions) -> Fillings {
        let loop_of = |jump: usize| {
            let Form::Jump { to, .. } = all.steps[jump].form else { return None };
            all.first_step.get(to).filter(|&&first| first <= jump).map(|&first| (first, jump))
        };
        let loops: Vec<(usize, usize)> = (0..all.steps.len()).filter_map(loop_of).collect();
        let filling = |step: usize| {
            let around = loops.iter().filter(|(first, last)| (*first..=*last).contains(&step));
            let &(first, last) = around.min_by_key(|(first, last)| last - first)?;
            let value = all.roots[*all.steps[step].in_place.first()?];
            let names = |other: usize| all.reads(other).chain(all.writes(other)).any(|named| named == value);
            let is_alone = (first..=last).all(|other| other == step || !names(other));
            is_alone.then_some((first, last, value))
        };
        let parts = (0..all.steps.len()).filter(|&step| all.steps[step].form == Form::Part);
        Fillings { all: parts.take(MOST_FILLINGS).filter_map(filling).collect() }
    }

    /// Values that are needed on the way from a step to the next one.
    fn needed(&self, before: &Sets, step: usize, next: usize) -> Vec<u64> {
        let mut set = before.of(next).to_vec();
        let entered = self.all.iter().filter(|(first, last, _)| *first == next && !(*first..=*last).contains(&step));
        entered.for_each(|(_, _, value)| set[value / 64] &= !(1 << (value % 64)));
        set
    }
}

/// Values that a write on some way to a step has put there, when the step begins.
fn written(all: &Instructions, next: &[Vec<usize>]) -> Option<Sets> {
    let (steps, values) = (all.steps.len(), all.tensors.len());
    let mut there = Sets::new(steps + 1, values);
    for (value, role) in all.roles.iter().enumerate() {
        if matches!(role, Some(Role::Input | Role::State | Role::Constant)) {
            there.put(0, all.roots[value]);
        }
    }
    for _ in 0..MOST_PASSES {
        let mut changed = false;
        for step in 0..steps {
            let mut set = there.of(step).to_vec();
            all.writes(step).for_each(|value| set[value / 64] |= 1 << (value % 64));
            for &next in &next[step] {
                let mut joined = there.of(next).to_vec();
                join(&mut joined, &set);
                changed |= there.set(next, &joined);
            }
        }
        if !changed {
            return Some(there);
        }
    }
    None
}

fn successors(all: &Instructions) -> Vec<Vec<usize>> {
    let steps = all.steps.len();
    let step_of = |number: usize| all.first_step.get(number).copied().unwrap_or(steps);
    let next = |(step, instruction): (usize, &super::steps::Instruction)| match instruction.form {
        Form::Jump { to, always: true } => vec![step_of(to)],
        Form::Jump { to, always: false } => vec![step + 1, step_of(to)],
        _ => vec![step + 1],
    };
    all.steps.iter().enumerate().map(next).collect()
}

fn join(set: &mut [u64], other: &[u64]) {
    set.iter_mut().zip(other).for_each(|(word, other)| *word |= other);
}

fn meet(set: &mut [u64], other: &[u64]) {
    set.iter_mut().zip(other).for_each(|(word, other)| *word &= other);
}

impl Instructions<'_> {
    /// The steps that jump back read what the steps between are run again with.
    pub fn close_loops(&mut self, flow: &Flow) {
        for at in 0..self.steps.len() {
            let Form::Jump { to, .. } = self.steps[at].form else { continue };
            let Some(&first) = self.first_step.get(to).filter(|&&first| first <= at) else { continue };
            let is_kept = |value: &usize| self.roles[*value].is_some_and(|role| role != Role::Constant);
            let needed: Vec<usize> = flow.needed_at(first).filter(is_kept).collect();
            let step = &mut self.steps[at];
            let is_there = |value: &usize| self.made_at[*value] == usize::MAX || self.made_at[*value] <= at;
            let new: Vec<usize> =
                needed.into_iter().filter(is_there).filter(|value| !step.inputs.contains(value)).collect();
            step.inputs.extend(new);
        }
    }

    /// What a loop fills part by part is there from its first step on, not only from the step that
    /// writes a part: each turn leaves the parts of the turns before alone.
    pub fn open_loops(&mut self, flow: &Flow) {
        for at in 0..self.steps.len() {
            let Form::Jump { to, .. } = self.steps[at].form else { continue };
            let Some(&start) = self.first_step.get(to).filter(|&&start| start <= at) else { continue };
            // All that a view makes is another name of what it reads.
            let Some(first) = (0..=start).rev().find(|&step| !self.steps[step].is_view) else { continue };
            let is_filled = |value: &usize| {
                let made = self.made_at[*value];
                self.roots[*value] == *value && (first + 1..=at).contains(&made) && !self.steps[made].is_view
            };
            let filled: Vec<usize> = flow.needed_at(start).filter(is_filled).collect();
            for value in filled {
                let made = std::mem::replace(&mut self.made_at[value], first);
                let writer = &mut self.steps[made];
                writer.outputs.retain(|&other| other != value);
                writer.inputs.push(value);
                writer.in_place.push(value);
                self.steps[first].outputs.push(value);
            }
        }
    }

    /// Number of branches that a value decides on, loops left out.
    pub fn conds(&self) -> usize {
        let is_forward = |(at, step): (usize, &super::steps::Instruction)| match step.form {
            Form::Jump { to, always: false } => self.first_step.get(to).is_some_and(|&first| first > at),
            _ => false,
        };
        self.steps.iter().enumerate().filter(|&step| is_forward(step)).count()
    }

    /// What a move gives a new name, and that name.
    pub fn moved(&self, step: usize) -> Option<(usize, usize)> {
        let step = &self.steps[step];
        let to = step.outputs.first().or(step.in_place.first());
        step.inputs.first().zip(to).filter(|_| step.form == Form::Move).map(|(&from, &to)| (self.roots[from], to))
    }

    /// Values that a step reads.
    fn reads(&self, step: usize) -> impl Iterator<Item = usize> + '_ {
        let renamed = self.moved(step).map(|(_, to)| to);
        let (step, roots) = (&self.steps[step], &self.roots);
        step.inputs.iter().map(|&value| roots[value]).filter(move |value| Some(*value) != renamed)
    }

    /// Values that a step writes, as a whole or in part.
    fn writes(&self, step: usize) -> impl Iterator<Item = usize> + '_ {
        let step = &self.steps[step];
        step.outputs.iter().chain(&step.in_place).map(|&value| self.roots[value])
    }

    /// Values of which a step leaves nothing.
    fn replaces(&self, step: usize) -> impl Iterator<Item = usize> + '_ {
        let moved = self.moved(step).map(|(_, to)| to);
        let step = &self.steps[step];
        let is_whole =
            move |value: &&usize| moved == Some(**value) || step.form != Form::View && !step.in_place.contains(value);
        step.outputs.iter().chain(&step.in_place).filter(is_whole).map(|&value| self.roots[value])
    }
}
