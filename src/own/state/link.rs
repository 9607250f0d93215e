//! Programs that a link brings. They wait for the reader's consent, and stand in the address until
//! the answer: whoever loads the page again is asked again. Nobody is asked about programs that the
//! page wrote into its own address.

use std::rc::Rc;

use crate::compare::state::Change;
use crate::compare::state::comparison::Compared;
use crate::open::state::link::{LinkPlace, Restored};
use crate::own::state::drafts::Author;
use crate::own::state::names::clean_name;
use crate::own::state::{OwnState, is_first_program};
use crate::shell::state::State;
use crate::shell::state::panels::{Mode, Tab};
use memplan_core::base::Message;
use memplan_engine::{MAX_LINK, OWN_NAME, OwnProgram, PlannerChoice, is_own, know_own};
use memplan_planners as planner;
use memplan_planners::outside::Sheet;

/// Stands between the programs of a link.
const SEPARATOR: &str = "|";

/// The programs that a link carries, and what they are for.
#[derive(Clone, PartialEq, Debug)]
pub struct OwnLink {
    /// As the link has them.
    pub(super) packed: Vec<String>,
    /// What they are called, one name each.
    pub names: Vec<Rc<str>>,
    /// Whether the page had written it itself: nobody is asked, and the texts may be older than
    /// those that are kept.
    ours: bool,
    /// The texts, once they are unpacked.
    pub codes: Option<Vec<Rc<str>>>,
    /// The planner of the page with its options, if it is one of them.
    pub choice: Option<PlannerChoice>,
    /// The comparison in which they stand.
    pub compared: Option<Compared>,
    /// The moment that the link points at.
    pub place: LinkPlace,
    /// The panel beside it.
    pub panel: Option<Tab>,
}

/// Returns whether an address names more planners of users than it brings programs: those that
/// would make it too long are left out.
pub fn lacks_programs(address: &str) -> bool {
    let parts = address.split(['#', '&']).filter_map(|part| part.split_once('='));
    let unescaped = parts.map(|(key, value)| (key, value.replace("%7C", SEPARATOR).replace("%3B", ";")));
    let (mut named, mut brought): (Vec<String>, usize) = Default::default();
    for (key, value) in unescaped {
        match key {
            "code" => brought = value.split(SEPARATOR).count(),
            "plan" => named.push(value),
            "cmp" => named.extend(value.split(SEPARATOR).filter_map(|choice| Some(choice.split(';').next()?.into()))),
            _ => {}
        }
    }
    named.retain(|id| is_own(id));
    named.sort_unstable();
    named.dedup();
    named.len() > brought
}

impl OwnState {
    /// Adds the programs of a link to the list, or finds them there, and returns their positions;
    /// none, and the list is as it was, if it has no room for all of them. Those of the page itself
    /// may be older texts: the programs of their names stand for them.
    fn put_all(&mut self, programs: &[OwnProgram], ours: bool) -> Option<Vec<usize>> {
        let mut filled = self.clone();
        let mut places = Vec::new();
        for program in programs {
            let is_there = filled.drafts.iter().any(|draft| *draft.code == *program.code);
            let newer = || filled.drafts.iter().position(|draft| *draft.name == *program.name);
            let at = Some(()).filter(|()| ours && !is_there).and_then(|()| newer());
            places.push(match at {
                Some(at) => at,
                None => filled.put(&program.name, program.code.as_str().into(), Author::User)?,
            });
            // The next one takes no place of these.
            filled.at = filled.drafts.len();
        }
        let at = self.at;
        *self = OwnState { at, ..filled };
        Some(places)
    }
}

impl State {
    /// The programs that a link to this page carries: those of a link that wait, or that of the
    /// planner and those of the columns of a comparison, as many as are short enough.
    pub(crate) fn carried_programs(&self) -> Option<String> {
        let packed: Vec<String> = self.carried().into_iter().map(|(_, packed)| packed).collect();
        (!packed.is_empty()).then(|| packed.join(SEPARATOR))
    }

    /// What these programs are called; none if nobody named them.
    pub(crate) fn carried_names(&self) -> Option<String> {
        let names: Vec<Rc<str>> = self.carried().into_iter().map(|(name, _)| name).collect();
        names.iter().any(|name| **name != *OWN_NAME).then(|| names.join(SEPARATOR))
    }

    /// Names and packed texts of the programs that a link to this page carries.
    fn carried(&self) -> Vec<(Rc<str>, String)> {
        if let Some(link) = &self.own.link {
            return link.names.iter().cloned().zip(link.packed.iter().cloned()).collect();
        }
        let columns = self.comparing.columns.iter().filter(|_| self.view.mode == Mode::Compare);
        let columns = columns.map(|column| column.choice.planner.as_str());
        let mut carried: Vec<(Rc<str>, String)> = Vec::new();
        let mut named: Vec<&str> = Vec::new();
        let mut length = 0;
        for id in std::iter::once(self.document.planner.as_str()).chain(columns).filter(|id| is_own(id)) {
            let Some((packed, program)) = self.own.packed.get(id).zip(self.own.version(id)) else { continue };
            let is_short = length + packed.len() + SEPARATOR.len() <= MAX_LINK + SEPARATOR.len();
            if !named.contains(&id) && is_short {
                length += packed.len() + SEPARATOR.len();
                named.push(id);
                carried.push((program.name.as_str().into(), packed.to_string()));
            }
        }
        carried
    }

    /// Whether a link to this page leaves out the text in the editor: its plan is not by it.
    pub fn link_lacks_text(&self) -> bool {
        let leads_to_plan = !matches!(self.view.mode, Mode::Learn | Mode::Diff);
        let is_open = leads_to_plan && self.own.open && self.own.link.is_none();
        is_open && self.own.program().is_some_and(|program| program.id != self.document.planner)
    }

    /// Takes the programs of a link with what they are for. On a page inside a stranger's none is
    /// run.
    pub(crate) fn restore_own(&mut self, restored: &mut Restored) {
        self.own.link = None;
        let Some(packed) = restored.code.take() else { return };
        let packed: Vec<String> = packed.split(SEPARATOR).map(String::from).collect();
        let names = restored.names.take().unwrap_or_default();
        let names = names.split(SEPARATOR).map(clean_name).chain(std::iter::repeat(OWN_NAME.into()));
        let names = names.take(packed.len()).collect();
        let is_planner = restored.planner.as_deref().is_none_or(is_own);
        let choice = is_planner.then(|| PlannerChoice {
            planner: restored.planner.take().unwrap_or_default(),
            options: std::mem::take(&mut restored.options),
        });
        if is_planner {
            // Until the reader agrees, the document is planned as any other.
            self.document.planner.clear();
        }
        let compared = restored.compared.clone();
        if let Some(shown) = &mut restored.compared {
            // What stands beside a column goes with it.
            let kept: Vec<usize> =
                (0..shown.choices.len()).filter(|&number| !is_own(&shown.choices[number].planner)).collect();
            shown.reference = kept.iter().position(|&number| number == shown.reference).unwrap_or(0);
            shown.cursors = kept.iter().filter_map(|&number| shown.cursors.get(number).copied()).collect();
            shown.choices.retain(|choice| !is_own(&choice.planner));
        }
        if self.settings.stranger {
            return self.notify(Message::new("own.link-forbidden"));
        }
        if self.settings.one_file {
            return self.notify(Message::new("notice.no-writer-inside"));
        }
        let (place, panel, ours) = (LinkPlace::default(), restored.panel, restored.ours);
        self.own.link = Some(Rc::new(OwnLink { packed, names, ours, codes: None, choice, compared, place, panel }));
    }

    /// A planner that the reader chooses stands for that of a link that waits.
    pub(crate) fn choice_answers_link(&mut self) {
        self.answer_link(|link| link.choice = None);
    }

    /// Columns that the reader chooses stand for those of a link that waits.
    pub(crate) fn columns_answer_link(&mut self) {
        self.answer_link(|link| link.compared = None);
    }

    fn answer_link(&mut self, answer: fn(&mut OwnLink)) {
        let Some(mut link) = self.own.link.take() else { return };
        answer(Rc::make_mut(&mut link));
        if link.choice.is_some() || link.compared.is_some() {
            self.own.link = Some(link);
        }
    }

    pub(super) fn take_unpacked(&mut self, codes: Option<Vec<Rc<str>>>) {
        let Some(link) = self.own.link.take().map(Rc::unwrap_or_clone) else { return };
        let Some(codes) = codes else { return self.view.confirm(Message::new("own.link-damaged")) };
        // What this browser keeps, or ran before, was written or agreed to here.
        let is_known = |code: &Rc<str>| {
            is_first_program(code)
                || self.own.drafts().iter().any(|draft| draft.code == *code)
                || self.own.versions.iter().any(|program| *program.code == **code)
        };
        let are_known = link.ours || codes.iter().all(is_known);
        self.own.link = Some(Rc::new(OwnLink { codes: Some(codes), ..link }));
        if are_known {
            self.agree_to_link();
        }
    }

    /// Takes what is known of a program of a link, which stands at this position of the list, and
    /// returns the id of its planner.
    fn take_linked(&mut self, at: usize, program: &OwnProgram, packed: String) -> String {
        let draft = &mut Rc::make_mut(&mut self.own.drafts)[at];
        let mut here = draft.program();
        if here.code == program.code {
            draft.planned.get_or_insert_with(|| here.id.clone());
        } else {
            // The last version that planned; that of now takes its place once it is checked.
            here = program.clone();
            (draft.planned, draft.is_read) = (Some(here.id.clone()), false);
        }
        if planner::info(&here.id).is_none() {
            // What it states of itself is known once the engine has read it.
            know_own(&here, &Sheet::default());
        }
        let id = here.id.clone();
        self.own.add(here, Some(packed.into()));
        id
    }

    /// Puts the programs of a link on the list, where they are kept, and that of the planner into
    /// the editor. The reader may have other programs of their names; then they get free ones.
    pub(super) fn agree_to_link(&mut self) {
        let Some(link) = self.own.link.take().map(Rc::unwrap_or_clone) else { return };
        let Some(codes) = &link.codes else { return };
        let programs: Vec<OwnProgram> =
            codes.iter().zip(&link.names).map(|(code, name)| OwnProgram::named(name, code)).collect();
        let Some(places) = self.own.put_all(&programs, link.ours) else {
            self.own.link = Some(Rc::new(link));
            return self.own_list_is_full();
        };
        self.own.wrote = true;
        let packed = places.iter().zip(&programs).zip(link.packed);
        let here: Vec<String> = packed.map(|((&at, program), packed)| self.take_linked(at, program, packed)).collect();
        let position = |id: &str| programs.iter().position(|program| program.id == id);
        if let Some(mut compared) = link.compared {
            for choice in &mut compared.choices {
                if let Some(number) = position(&choice.planner) {
                    choice.planner.clone_from(&here[number]);
                }
            }
            self.view.mode = Mode::Compare;
            self.comparing.apply(Change::Restore(Box::new(compared)));
        }
        let Some(PlannerChoice { planner, options }) = link.choice else { return };
        let number = position(&planner).unwrap_or(0);
        let Some((&at, here)) = places.get(number).zip(here.into_iter().nth(number)) else { return };
        self.own.at = at;
        self.own.is_written |= self.own.code().is_some_and(|code| **code != *programs[number].code);
        self.document.planner = here;
        (self.own.open, self.own.checked) = (true, None);
        self.document.options = options;
        self.document.is_fitted = false;
        self.view.panels.tab = link.panel.or(Some(Tab::Code));
        self.plan_again();
        // What was looked at meanwhile is the plan of another planner.
        if let Some(job) = self.job_mut() {
            job.place = Some(link.place);
        }
    }
}

#[cfg(test)]
mod tests;
