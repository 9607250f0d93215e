//! Planners that the user writes: the text in the editor, what is known of it, and which of its
//! statements is looked at.

pub mod action;
pub mod checking;
pub mod deleted;
pub mod drafts;
pub mod kept;
pub mod lines;
pub mod link;
pub mod link_keys;
pub mod names;
pub mod refused;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::open::state::document::{Bytes, Document};
use crate::open::state::query::Query;
use crate::own::state::action::OwnAction;
use crate::own::state::checking::{Checked, CheckedFor};
use crate::own::state::drafts::{Author, Draft};
use crate::own::state::lines::Lines;
use crate::own::state::link::OwnLink;
use crate::shell::state::State;
use crate::shell::state::panels::{Mode, RIGHT_WIDTH, Tab};
use memplan_core::base::Message;
use memplan_core::text::{Locale, Speech};
use memplan_engine::{
    Answer, Mistake, OWN_NAME, OwnAnswer, OwnProgram, OwnRead, OwnTask, PlannerChoice, Task, is_own, know_own,
};
use memplan_replay::Run;

/// The element id of the field of the editor.
pub const FIELD: &str = "own-code";

/// What stands in an empty editor below a comment: first fit, the shortest of all.
const FIRST_CODE: &str = "
fn place(buffer, gaps) {
    for gap in gaps {
        if gap.size >= buffer.size {
            return gap.start;
        }
    }
}
";

/// The first program of an empty editor.
pub fn first_program(locale: Locale) -> Rc<str> {
    let comment = Speech { locale, ..Speech::default() }.word("own.first-program");
    format!("// {comment}\n{FIRST_CODE}").into()
}

/// Whether a text is the first program, in whatever language.
fn is_first_program(code: &str) -> bool {
    code.ends_with(FIRST_CODE) && Locale::ALL.iter().any(|&locale| *first_program(locale) == *code)
}

/// Most versions that the engine is told of beside those of the list: some are compared.
const VERSIONS: usize = 8;

/// The least width of the panel with the editor, in px.
const WIDTH: u32 = 460;

/// Planners that the user writes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct OwnState {
    /// Whether the editor stands in the panel *Code*.
    pub open: bool,
    /// The programs of the list; none before the first one is written.
    drafts: Rc<Vec<Draft>>,
    /// Position of the one in the editor.
    at: usize,
    /// The key of the program that was made last.
    made: u32,
    /// Whether something was typed, or came in a link that was agreed to, since the page came.
    wrote: bool,
    /// The programs that were deleted and can be brought back, the last one last.
    deleted: Rc<Vec<Draft>>,
    /// Whether it was written since the last plan by it.
    pub(crate) is_written: bool,
    /// Whether the editor fills a small screen.
    pub large: bool,
    /// How many times the reader began to write: the editor takes the focus each time.
    pub begun: u32,
    /// The planner with its options, while it does not plan what is open.
    pub(crate) refused: Option<PlannerChoice>,
    /// What came of the last text that was checked.
    checked: Option<Rc<Checked>>,
    /// The last versions that plan, the newest last.
    versions: Rc<Vec<OwnProgram>>,
    /// Those that are short enough as text for a link, by the ids of their planners.
    packed: BTreeMap<String, Rc<str>>,
    /// The programs of a link, which wait for the reader's consent.
    pub link: Option<Rc<OwnLink>>,
    /// The statements of the shown decision.
    pub lines: Lines,
}

impl OwnState {
    /// The programs that a request may name.
    pub fn versions(&self) -> Rc<Vec<OwnProgram>> {
        self.versions.clone()
    }

    fn version(&self, id: &str) -> Option<&OwnProgram> {
        self.versions.iter().find(|program| program.id == id)
    }

    fn add(&mut self, program: OwnProgram, packed: Option<Rc<str>>) {
        packed.into_iter().for_each(|packed| drop(self.packed.insert(program.id.clone(), packed)));
        let versions = Rc::make_mut(&mut self.versions);
        versions.retain(|other| other.id != program.id);
        versions.push(program);
        let is_listed = |program: &OwnProgram| self.drafts.iter().any(|it| it.planned.as_ref() == Some(&program.id));
        let mut surplus = versions.iter().filter(|program| !is_listed(program)).count().saturating_sub(VERSIONS);
        versions.retain(|program| {
            let is_kept = surplus == 0 || is_listed(program);
            surplus -= usize::from(!is_kept);
            if !is_kept {
                self.packed.remove(&program.id);
            }
            is_kept
        });
    }
}

/// What is asked about programs.
pub(crate) const QUERY: Query = Query {
    is_of: |task| matches!(task, Task::Own(_)),
    wants: |state, document| state.own_wants(document).map(Task::Own),
    take: |state, task, answer| {
        if let (Task::Own(task), Answer::Own(answer)) = (task, answer) {
            state.take_own(task, *answer);
        }
    },
    give_up: State::give_up_own,
};

impl State {
    pub(crate) fn on_own(&mut self, action: OwnAction) {
        match action {
            OwnAction::Write => self.write_own(None),
            OwnAction::Begin(name, code) => self.write_own(Some((&name, code, Author::Page))),
            // A page inside another one shows one plan, and has no editor.
            OwnAction::File(..) if self.settings.embed.is_some() => {}
            OwnAction::File(name, code) => self.write_own(Some((&name, code, Author::User))),
            OwnAction::Open(at) => {
                self.select_own(at);
                self.write_own(None);
            }
            OwnAction::Select(at) => self.select_own(at),
            OwnAction::New => self.add_own(false),
            OwnAction::Duplicate => self.add_own(true),
            OwnAction::Rename(name) => self.rename_own(&name),
            OwnAction::Delete => self.delete_own(),
            OwnAction::Type(of, code) => self.type_own(of, code),
            OwnAction::Enlarge(large) => self.own.large = large,
            OwnAction::Kept(kept) => self.own.take_kept(kept),
            OwnAction::BringBack(key) => self.bring_back_own(key),
            OwnAction::Agree => self.agree_to_link(),
            OwnAction::Refuse => self.own.link = None,
            OwnAction::At(at) => self.own.lines.at = Some(at),
            OwnAction::Lines(on) => self.step_by_lines(on),
            OwnAction::Again => self.own.checked = None,
        }
    }

    /// Opens the editor, with this text in place of what is there.
    fn write_own(&mut self, code: Option<(&str, Rc<str>, Author)>) {
        if self.settings.one_file {
            self.view.overlay = None;
            return self.notify(Message::new("notice.no-writer-inside"));
        }
        let first = || (OWN_NAME, first_program(self.settings.locale), Author::Page);
        if let Some((name, code, author)) = code.or_else(|| self.own.drafts.is_empty().then(first)) {
            let Some(at) = self.own.put(name, code, author) else { return self.own_list_is_full() };
            self.own.at = at;
        }
        (self.own.open, self.own.is_written) = (true, true);
        self.own.begun += 1;
        self.own.checked = None;
        self.view.overlay = None;
        self.view.mode = Mode::Step;
        let panels = &mut self.view.panels;
        (panels.right, panels.drawer, panels.tab) = (true, true, Some(Tab::Code));
        panels.right_width = panels.right_width.max(WIDTH).min(RIGHT_WIDTH.1);
        self.stepping.step = None;
    }

    /// Keeps in step with the planner that is chosen: the editor belongs to the user's own.
    pub(crate) fn own_follows(&mut self) {
        self.own.open = is_own(&self.document.planner);
        self.own.take_up(&self.document.planner);
        self.own.refused = None;
        // A text that is no longer looked at plans nothing.
        self.own.is_written &= self.own.open;
    }

    /// The id of the user's planner, while it is that of the page.
    pub fn own_planner(&self) -> Option<&str> {
        let planner = self.document.planner.as_str();
        self.own.version(planner).map(|program| program.id.as_str())
    }

    /// The mistake in the text of the editor, if it is known and has one.
    pub fn own_mistake(&self) -> Option<&Mistake> {
        let checked = self.own.checked.as_deref()?;
        checked.mistake.as_ref().filter(|_| self.own.program().as_ref() == Some(&checked.of.program))
    }

    /// The number of the job that runs the user's program for the panel *Code*, if one does.
    pub fn own_job(&self) -> Option<u32> {
        let runs = |task: &Task<Bytes>| matches!(task, Task::Own(OwnTask::Check(..) | OwnTask::Statements { .. }));
        self.job().filter(|job| job.task.as_deref().is_some_and(runs)).map(|job| job.number)
    }

    /// Whether the plan shown is that of the text in the editor.
    pub fn is_own_shown(&self) -> bool {
        let shown = self.document.run.as_ref().map(|run| run.planner.as_str());
        self.own.program().is_some_and(|program| shown == Some(&*program.id)) && !self.shows_before()
    }

    /// The end of the first decision of a new plan by the user's planner that differs from the plan
    /// shown, as long as the same buffers are planned; none if nothing differs.
    pub(crate) fn first_changed(&self, run: &Run) -> Option<u32> {
        let before = self.document.run.as_ref().filter(|before| is_own(&before.planner) && is_own(&run.planner))?;
        if before.planner == run.planner || before.problem != run.problem {
            return None;
        }
        let place = |run: &Run, buffer| run.plan.places[buffer].map(|place| place.offset);
        let mut pairs = run.timeline.decisions.iter().zip(&before.timeline.decisions);
        let differs = pairs.find(|(now, before_it)| {
            now.buffer != before_it.buffer || place(run, now.buffer) != place(before, now.buffer)
        });
        differs.map(|(now, _)| now.end)
    }

    /// Returns what is asked next about programs.
    fn own_wants(&mut self, document: &Document) -> Option<OwnTask> {
        if let Some(link) = self.own.link.as_ref().filter(|link| link.codes.is_none()) {
            return Some(OwnTask::Unpack(link.packed.clone()));
        }
        if let Some(of) = self.to_check(document)
            && self.own.checked.as_ref().is_none_or(|checked| checked.of != of)
        {
            return Some(OwnTask::Check(of.program, of.options));
        }
        // All of the list stand beside other planners.
        if self.view.mode == Mode::Compare
            && let Some(program) = self.own.next_unread()
        {
            return Some(OwnTask::Read(program));
        }
        self.lines_want(document)
    }

    fn take_own(&mut self, task: &OwnTask, answer: OwnAnswer) {
        match (task, answer) {
            (OwnTask::Check(program, _), OwnAnswer::Checked(result)) => self.take_checked(program, result),
            (OwnTask::Read(program), OwnAnswer::Read(OwnRead { sheet, packed })) => {
                know_own(program, &sheet);
                // It was deleted, or written in, meanwhile: the text of now is read by itself.
                let Some(before) = self.own.read_now(program) else { return };
                self.own.add(program.clone(), packed.map(Rc::from));
                self.columns_follow(before, program);
            }
            (OwnTask::Statements { .. }, OwnAnswer::Followed(result)) => self.take_lines(task, result),
            (OwnTask::Unpack(_), OwnAnswer::Unpacked(codes)) => {
                self.take_unpacked(codes.map(|codes| codes.into_iter().map(Rc::from).collect()))
            }
            // It answers what it is asked.
            _ => {}
        }
    }

    fn give_up_own(&mut self, task: Option<&Task<Bytes>>, why: &Message) {
        let task = task.and_then(|task| if let Task::Own(task) = task { Some(task) } else { None });
        if matches!(task, Some(OwnTask::Unpack(_))) {
            self.own.link = self.own.link.take().filter(|link| link.codes.is_some());
        }
        let of = self.document.open.clone().and_then(|document| self.to_check(&document));
        let is_given_up = |of: &CheckedFor| match task {
            Some(OwnTask::Check(program, _)) => of.program == *program,
            Some(_) => false,
            // Who cancelled something else has found no mistake in what is known.
            None => self.own.checked.as_ref().is_none_or(|checked| checked.of != *of),
        };
        if let Some(of) = of.filter(is_given_up) {
            self.own.checked = Some(Rc::new(Checked { of, mistake: Some(Mistake::of(why)) }));
        }
        if matches!(task, None | Some(OwnTask::Statements { .. })) {
            self.give_up_lines(why);
        }
    }
}
