//! `banked_greedy`: greedy across a map of memories of limited size, the preferred one first.
//!
//! **From**: pytorch/executorch, pull request 21821, commit 1dab68c8,
//! `exir/banked_memory_planning.py`.
//! **Rule**: pinned specs first, then the others; in both parts in the order of greedy. A pinned
//! spec goes to its bank by greedy's rule. Any other is offered to the banks in order of
//! preference: a bank takes it if one of its shared objects has room, which costs nothing, or if a
//! new object fits into what is left of the bank. If none takes it, there is no plan.
//! **Time and alignment**: as greedy; a bank may ask for a larger alignment, a multiple of the
//! graph's.
//! **Cost**: O(n · objects · log n), as greedy.
//! **Does badly**: a free place in a slow bank is not looked at while a faster one can make a new
//! object. Nothing is moved later, and how often a buffer is used is not known: a large one that is
//! hardly used fills the fast bank.
//! **Differs**: a device other than the processor, which the original refuses, has the same banks
//! by itself.

use std::collections::{BTreeMap, BTreeSet};

use super::greedy::{free, order, stack};
use super::objects::Object;
use super::rules::quoted;
use super::spec::{Answer, Assigned, BankFault, Refusal, Settings, Spec};
use super::stage::Stage;
use crate::PlanError;
use memplan_core::base::{MAX_SAFE, Message};
use memplan_core::problem::Branches;
use memplan_core::trace::{Note, Outcome};

/// A memory of the map.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bank {
    /// Its name.
    pub name: String,
    /// Bytes that there are for the plan.
    pub size: u64,
    /// Number of its arena, from 1 on.
    pub mem_id: u32,
    /// Alignment in bytes of everything in it, if it asks for one.
    pub align: Option<u64>,
}

/// Largest alignment of a bank, so that rounded sizes stay whole numbers of JavaScript.
const MAX_ALIGN: u64 = 1 << 20;

impl Bank {
    /// Reads `fast=416;slow=4096/64#7`: name, `=`, bytes, and perhaps `/` alignment and `#` number
    /// of the arena; without a number, banks count from 1. They are divided by commas, semicolons
    /// or blanks, the preferred one first.
    ///
    /// # Errors
    /// [`PlanError::Refused`] with every bank that is not understood, or that has the name or
    /// number of an earlier one.
    pub fn read_all(text: &str) -> Result<Vec<Bank>, PlanError> {
        let words: Vec<&str> =
            text.split(|c: char| c == ',' || c == ';' || c.is_whitespace()).filter(|word| !word.is_empty()).collect();
        let (mut names, mut numbers) = (BTreeSet::new(), BTreeSet::new());
        let (mut banks, mut wrong) = (Vec::new(), Vec::new());
        for (index, &word) in words.iter().enumerate() {
            match Bank::read(word, index as u32 + 1) {
                Some(bank) if names.insert(bank.name.clone()) && numbers.insert(bank.mem_id) => banks.push(bank),
                _ => wrong.push(word),
            }
        }
        if words.is_empty() {
            wrong.push(text);
        }
        if wrong.is_empty() {
            return Ok(banks);
        }
        let message = Message::new("fault.executorch-banks").count("n", wrong.len() as u64);
        Err(PlanError::Refused(message.text("banks", quoted(&wrong))))
    }

    fn read(word: &str, number: u32) -> Option<Bank> {
        let (name, rest) = word.split_once('=').filter(|(name, _)| !name.is_empty())?;
        let (rest, mem_id) = match rest.split_once('#') {
            Some((rest, mem_id)) => (rest, mem_id.parse().ok().filter(|&mem_id| mem_id > 0)?),
            None => (rest, number),
        };
        let (size, align) = match rest.split_once('/') {
            Some((size, align)) => (size, Some(align.parse().ok().filter(|align| (1..=MAX_ALIGN).contains(align))?)),
            None => (rest, None),
        };
        let size = size.parse().ok().filter(|size| (1..=MAX_SAFE).contains(size))?;
        Some(Bank { name: name.to_string(), size, mem_id, align })
    }
}

/// An arena with its shared objects; one that only pins name has no bank, and no limit.
struct Arena<'a> {
    bank: Option<&'a Bank>,
    align: u64,
    /// Bytes reserved at its base.
    base: u64,
    objects: Vec<Object>,
    /// Bytes taken of the bank: reserved ones, objects, padding.
    used: u64,
}

impl Arena<'_> {
    fn left(&self) -> u64 {
        self.bank.map_or(u64::MAX, |bank| bank.size.saturating_sub(self.used))
    }

    /// Bytes that a new object takes; the first one brings the padding of its arena.
    fn cost(&self, size: u64, settings: &Settings) -> u64 {
        size + if self.objects.is_empty() { settings.padding } else { 0 }
    }

    fn end(&self) -> u64 {
        self.objects.last().map_or(self.base, |last| last.start + last.size)
    }

    /// Puts a spec into an object, which is made first if its number is beyond the last one.
    fn add(&mut self, spec: &Spec, size: u64, (number, inside): (usize, u64), stage: &mut Stage) -> u64 {
        if number == self.objects.len() {
            let start = self.end();
            self.objects.push(Object::new(start, size));
            stage.note(Note::Object, number as u32, size, start);
        }
        let object = &mut self.objects[number];
        object.add(spec, (inside, inside + size));
        stage.note(Note::Member, number as u32, inside, object.size - inside - size);
        object.start + inside
    }
}

/// What a run of the algorithm keeps.
struct Run<'a, 'p> {
    specs: &'a [Spec],
    settings: &'a Settings,
    stacking: bool,
    branches: &'a Branches,
    arenas: BTreeMap<u32, Arena<'a>>,
    places: Vec<Option<Assigned>>,
    stage: &'a mut Stage<'p>,
}

/// Places specs in banks, which are listed in order of preference; `stacking` is
/// `allow_overlapping_allocations`.
///
/// # Errors
/// [`Refusal::Bank`] with what does not fit where, [`Refusal::NotSorted`] where the original's
/// assertion fails, and [`Refusal::Cancelled`] when stopped.
pub fn banked(
    specs: &[Spec],
    banks: &[Bank],
    settings: &Settings,
    stacking: bool,
    branches: &Branches,
    stage: &mut Stage,
) -> Result<Answer, Refusal> {
    let uneven = banks.iter().find(|bank| bank.align.is_some_and(|align| !align.is_multiple_of(settings.align)));
    if let Some(bank) = uneven {
        let name = bank.name.clone();
        return Err(Refusal::Bank(BankFault::Align { bank: name, align: settings.align }));
    }
    let pins = specs.iter().filter(|spec| spec.base.is_none()).filter_map(|spec| spec.mem_id);
    let numbers: BTreeSet<u32> = banks.iter().map(|bank| bank.mem_id).chain(pins).collect();
    let arena = |mem_id: u32| {
        let bank = banks.iter().find(|bank| bank.mem_id == mem_id);
        let align = bank.and_then(|bank| bank.align).unwrap_or(settings.align);
        let base = settings.reserved(mem_id);
        (mem_id, Arena { bank, align, base, objects: Vec::new(), used: base })
    };
    let arenas = numbers.into_iter().map(arena).collect();
    let mut run = Run { specs, settings, stacking, branches, arenas, places: vec![None; specs.len()], stage };
    for (turn, bank) in banks.iter().enumerate() {
        let pool = run.stage.pool(bank.mem_id);
        run.stage.note(Note::Bank, pool, bank.size, turn as u64 + 1);
    }
    let (pinned, others): (Vec<usize>, Vec<usize>) =
        order(specs).into_iter().partition(|&index| specs[index].mem_id.is_some());
    for index in pinned {
        run.pin(index)?;
    }
    for index in others {
        run.offer(index, banks)?;
    }
    run.backed()?;
    let Run { arenas, places, .. } = run;
    let mut sizes = BTreeMap::new();
    for (mem_id, arena) in arenas {
        let size = arena.end() + if arena.objects.is_empty() { 0 } else { settings.padding };
        if let Some(bank) = arena.bank.filter(|bank| size > bank.size) {
            return Err(Refusal::Bank(BankFault::Reserved { bank: bank.name.clone(), need: size, have: bank.size }));
        }
        sizes.insert(mem_id, size);
    }
    Ok(Answer { arenas: sizes, places })
}

impl Run<'_, '_> {
    /// The object of an arena that takes a spec, and where inside; `sorted`: an object that is free
    /// is large enough.
    fn find(&mut self, index: usize, mem_id: u32, size: u64, sorted: bool, detail: bool) -> Found {
        let (spec, objects) = (&self.specs[index], &self.arenas[&mem_id].objects);
        if let Some(object) = free(objects, spec, size, sorted, self.branches, self.stage, detail)? {
            return Ok(Some((object, 0, Outcome::Reuse)));
        }
        if !self.stacking {
            return Ok(None);
        }
        let found = stack(objects, spec, size, self.branches, self.stage, detail);
        Ok(found.map(|(object, inside)| (object, inside, Outcome::Gap)))
    }

    fn size(&self, index: usize, mem_id: u32) -> u64 {
        self.specs[index].bytes.next_multiple_of(self.arenas[&mem_id].align)
    }

    /// A pinned spec has no other bank.
    fn pin(&mut self, index: usize) -> Result<(), Refusal> {
        let spec = &self.specs[index];
        let mem_id = spec.arena();
        let detail = self.stage.begin(spec)?;
        let pool = self.stage.pool(mem_id);
        self.stage.note(Note::BankPin, pool, 0, 0);
        let size = self.size(index, mem_id);
        let found = self.find(index, mem_id, size, true, detail)?;
        if found.is_none() {
            let arena = &self.arenas[&mem_id];
            let (cost, left) = (arena.cost(size, self.settings), arena.left());
            if let Some(bank) = arena.bank.filter(|_| cost > left) {
                let (bank, size) = (bank.name.clone(), bank.size);
                return Err(Refusal::Bank(BankFault::Pinned { buffer: spec.buffer, bank, need: cost, left, size }));
            }
        }
        self.take(index, mem_id, size, found);
        Ok(())
    }

    /// Any other spec goes to the first bank that takes it.
    fn offer(&mut self, index: usize, banks: &[Bank]) -> Result<(), Refusal> {
        let spec = &self.specs[index];
        let detail = self.stage.begin(spec)?;
        for bank in banks {
            let mem_id = bank.mem_id;
            let size = self.size(index, mem_id);
            let found = self.find(index, mem_id, size, false, false)?;
            let arena = &self.arenas[&mem_id];
            let (cost, left) = (arena.cost(size, self.settings), arena.left());
            if found.is_none() && cost > left {
                let pool = self.stage.pool(mem_id);
                self.stage.note(Note::BankFull, pool, cost, left);
                continue;
            }
            if detail {
                // Again, this time with events: an event of a place cannot state its bank.
                self.find(index, mem_id, size, false, true)?;
            }
            self.take(index, mem_id, size, found);
            return Ok(());
        }
        let need = self.size(index, banks.first().map_or(0, |bank| bank.mem_id));
        let left = banks.iter().map(|bank| format!("{} {}/{}", bank.name, self.arenas[&bank.mem_id].left(), bank.size));
        let left = left.collect::<Vec<_>>().join(", ");
        Err(Refusal::Bank(BankFault::Nowhere { buffer: spec.buffer, need, left }))
    }

    fn take(&mut self, index: usize, mem_id: u32, size: u64, found: Option<(usize, u64, Outcome)>) {
        let spec = &self.specs[index];
        let Some(arena) = self.arenas.get_mut(&mem_id) else { return };
        let pool = self.stage.pool(mem_id);
        let (number, inside, outcome) = match found {
            Some(found) => {
                self.stage.note(Note::BankRide, pool, 0, 0);
                found
            }
            None => {
                let cost = arena.cost(size, self.settings);
                if arena.bank.is_some() {
                    self.stage.note(Note::BankTakes, pool, cost, arena.left());
                }
                arena.used += cost;
                (arena.objects.len(), 0, Outcome::NewStorage)
            }
        };
        let offset = arena.add(spec, size, (number, inside), self.stage);
        self.stage.place(outcome, spec, mem_id, offset);
        self.places[index] = Some(Assigned { mem_id, offset, object: number as u32 });
    }

    /// A spec that is made in place of another one lies where that one does, and costs nothing.
    fn backed(&mut self) -> Result<(), Refusal> {
        let mut waiting: Vec<usize> = (0..self.specs.len()).filter(|&index| self.specs[index].base.is_some()).collect();
        while !waiting.is_empty() {
            let before = waiting.len();
            let mut left = Vec::new();
            for index in waiting {
                let spec = &self.specs[index];
                let host = spec.base.and_then(|base| self.places.get(base.spec).copied().flatten());
                let Some(host) = host else {
                    left.push(index);
                    continue;
                };
                self.stage.begin(spec)?;
                self.stage.place(Outcome::InPlace, spec, host.mem_id, host.offset);
                self.places[index] = Some(host);
            }
            if left.len() == before {
                return Err(Refusal::BadBase);
            }
            waiting = left;
        }
        Ok(())
    }
}

type Found = Result<Option<(usize, u64, Outcome)>, Refusal>;
