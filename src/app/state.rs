//! Everything the page knows, and the one pure function that changes it.

#[cfg(test)]
mod tests;

mod modified;
mod opening;

use std::collections::BTreeMap;
use std::rc::Rc;

use opening::Batch;
pub use opening::without_weights;

use super::comparing::{Change, Comparing};
use super::editing::{Editing, Step};
use super::embed::Embed;
pub use super::model::{
    Action, Breaks, Bytes, Document, Download, Job, LaneShown, LinkPlace, Look, Mode, Motion, Notice, Origin, Overlay,
    Panels, Recent, Recovery, Restored, Shelved, Switch, Tab, Targets, Theme, Wanted,
};
use crate::base::{Message, Unit};
use crate::import::{Choices, Format, Question};
use crate::link::{Choice, Diagram, Done, Export, Failure, IMPORTED, Measured, Opened, Planned, Progress, stem};
use crate::planner;
use crate::problem::{BufferId, Scope};
use crate::replay::{Level, Run, is_fresh};
use crate::scene::{ColorBy, Index, Window};
use crate::text::{Locale, Speech};
use crate::trace::TreeNodeId;

/// The whole state of the page. Big values are shared, so that a copy is cheap.
#[derive(Clone, Debug)]
pub struct State {
    pub document: Option<Rc<Document>>,
    pub run: Option<Rc<Run>>,
    /// The graph being edited, once something was changed.
    pub editing: Option<Rc<Editing>>,
    /// The graph is to be put into a file as soon as it is planned.
    pub saving: bool,
    /// Changes of a graph that is no longer open, to go on with.
    pub recovery: Option<Rc<Recovery>>,
    /// Documents opened before, the latest first.
    pub recent: Rc<Vec<Recent>>,
    /// The browser keeps nothing for us, which was said.
    pub forgetful: bool,
    /// The page is part of another one.
    pub embed: Option<Embed>,
    /// This program shows one planner at a time; the other modes come with another one.
    pub lean: bool,
    pub mode: Mode,
    pub comparing: Comparing,
    /// Whether the diagram of the graph is in sight, and the one of the open document once it is laid out.
    pub wants_diagram: bool,
    pub diagram: Option<Rc<Diagram>>,
    pub violations: Rc<Vec<Message>>,
    /// Values asked for; the run may still be of the ones before.
    pub planner: String,
    pub options: BTreeMap<String, String>,
    pub scope: Scope,
    pub job: Option<Rc<Job>>,
    /// The job that gave the run that is shown.
    shown: Option<Rc<Job>>,
    /// The file written last.
    pub download: Option<Rc<Download>>,
    pub progress: Option<Progress>,
    /// What the present job would give if it ended now.
    best: Option<Bytes>,
    jobs: u32,
    /// A link is being followed: what is shown is still that of before, and no address of its own.
    pub visiting: bool,
    pub notice: Option<Rc<Notice>>,
    /// Files that came together: those shown in the list, and those still to be tried.
    pub batch: Batch,
    /// A document so large that the user is asked before it is planned.
    pub held: Option<Rc<Job>>,
    /// Whether what is remarkable about the open file stands above the plan.
    pub remarks: bool,
    pub level: Level,
    /// Number of events applied.
    pub cursor: u32,
    pub selection: Option<BufferId>,
    /// Candidate pointed at in the Why table.
    pub candidate: Option<u32>,
    pub node: Option<TreeNodeId>,
    /// The state of a beam shown on the plan until the next step.
    pub lane: Option<LaneShown>,
    pub playing: bool,
    /// Frames per 700 ms.
    pub speed: f64,
    pub wanted: Wanted,
    pub breaks: Breaks,
    pub look: Look,
    pub color_by: ColorBy,
    /// The part of the plan that the reader chose to see.
    pub view: Option<Window>,
    pub panels: Panels,
    pub overlay: Option<Overlay>,
    pub locale: Locale,
    pub theme: Theme,
    pub single_keys: bool,
    pub hint: bool,
    /// A confirmation of something that cannot be seen, and its number.
    pub toast: Option<(u32, Message)>,
}

impl Default for State {
    fn default() -> Self {
        State {
            document: None,
            run: None,
            editing: None,
            saving: false,
            recovery: None,
            recent: Rc::default(),
            forgetful: false,
            embed: None,
            lean: false,
            mode: Mode::default(),
            comparing: Comparing::default(),
            wants_diagram: false,
            diagram: None,
            violations: Rc::default(),
            planner: String::new(),
            options: BTreeMap::new(),
            scope: Scope::default(),
            job: None,
            shown: None,
            download: None,
            progress: None,
            best: None,
            jobs: 0,
            visiting: false,
            notice: None,
            batch: Batch::default(),
            held: None,
            remarks: false,
            level: Level::Decisions,
            cursor: 0,
            selection: None,
            candidate: None,
            node: None,
            lane: None,
            playing: false,
            speed: 1.0,
            wanted: Wanted::Growth,
            breaks: Breaks::default(),
            look: Look::default(),
            color_by: ColorBy::default(),
            view: None,
            panels: Panels::default(),
            overlay: None,
            locale: Locale::En,
            theme: Theme::System,
            single_keys: true,
            hint: true,
            toast: None,
        }
    }
}
/// Decisions before and after the present one whose places looked at are kept.
const LOOKED_AT: u32 = 100;

impl State {
    /// What a page begins with, by itself or as a part of another one.
    pub fn new(embed: Option<Embed>, lean: bool) -> State {
        State { embed, lean, ..State::default() }
    }

    /// Language and the unit that fits the largest figure of the run.
    pub fn speech(&self) -> Speech {
        let largest = self.run.as_ref().map_or(0, |run| run.metrics.peak.max(run.metrics.lower_bound));
        Speech { locale: self.locale, unit: Unit::for_largest(largest) }
    }

    /// Frame number at the present level.
    pub fn frame(&self) -> u32 {
        self.run.as_ref().map_or(0, |run| run.timeline.frame_at(self.level, self.cursor))
    }

    /// Number of frames at the present level.
    pub fn frames(&self) -> u32 {
        self.run.as_ref().map_or(1, |run| run.timeline.frames(self.level).max(1))
    }

    /// Number of events applied one frame earlier; none at the first frame.
    pub fn cursor_before(&self) -> Option<u32> {
        let run = self.run.as_ref()?;
        Some(run.timeline.events_at(self.level, self.frame().checked_sub(1)?))
    }

    /// Whether the present job can be ended with a plan.
    pub fn has_best(&self) -> bool {
        self.best.is_some()
    }

    /// Whether the cursor stands at the last event.
    pub fn at_end(&self) -> bool {
        self.frame() + 1 >= self.frames()
    }

    /// The nearest frame after (before) the present one at which what is wanted happens, as a frame number.
    pub fn find(&self, wanted: Wanted, forward: bool) -> Option<u32> {
        let run = self.run.as_ref()?;
        let here = run.timeline.frame_at(Level::Decisions, self.cursor) as i64;
        let decisions = &run.timeline.decisions;
        let happens = |index: i64| self.happens(run, wanted, index as usize - 1);
        let found = if forward {
            (here + 1..=decisions.len() as i64).find(|&frame| happens(frame))
        } else {
            (1..here).rev().find(|&frame| happens(frame))
        };
        let frame = found?;
        Some(run.timeline.frame_at(self.level, decisions[frame as usize - 1].end))
    }

    /// Whether a decision is of the wanted kind.
    fn happens(&self, run: &Run, wanted: Wanted, decision: usize) -> bool {
        let facts = &run.timeline.decisions[decision];
        match wanted {
            Wanted::Growth => facts.grew,
            Wanted::NewPool => facts.outcome == crate::trace::Outcome::NewPool,
            Wanted::Fresh => is_fresh(run, decision),
            Wanted::Rejected => run.rejected(decision),
            Wanted::Selection => Some(facts.buffer) == self.selection,
            Wanted::Address => run.lies_on(facts.buffer, self.breaks.targets.address),
            Wanted::Step => run.problem.buffers[facts.buffer].live.contains(self.breaks.targets.step),
            Wanted::Node => self.node.is_some_and(|node| run.touches(decision, node)),
        }
    }

    /// How many decisions are of a kind.
    pub fn count(&self, wanted: Wanted) -> usize {
        let Some(run) = &self.run else { return 0 };
        (0..run.timeline.decisions.len()).filter(|&decision| self.happens(run, wanted, decision)).count()
    }

    fn breaks_at(&self, run: &Run, cursor: u32) -> bool {
        let frame = run.timeline.frame_at(Level::Decisions, cursor);
        let Some(decision) = frame.checked_sub(1) else { return false };
        let settled = run.timeline.decisions[decision as usize].end == cursor;
        let kinds = self.breaks.kinds.iter().any(|&kind| self.happens(run, kind, decision as usize));
        settled && (kinds || self.breaks.decisions.contains(&decision))
    }

    /// The next state.
    pub fn reduce(&self, action: Action) -> State {
        let mut next = self.clone();
        next.apply(action);
        next.compare_on();
        next
    }

    fn apply(&mut self, action: Action) {
        match action {
            Action::Open { origin, bytes, choices, place } => {
                self.batch.give_up();
                self.open(origin, bytes, choices, place);
            }
            Action::Mode(mode) => {
                self.mode = mode;
                self.overlay = None;
            }
            Action::OpenAll(files) => self.open_all(files),
            Action::OpenLarge => self.open_large(),
            Action::Diagram(wanted) => {
                self.wants_diagram = wanted;
                if wanted && self.diagram.is_none() {
                    self.plan_again();
                }
            }
            Action::Edit(step) => self.edit(step),
            Action::TakeOver(handover, place) => self.take_over(*handover, place),
            Action::NotLoaded => {
                self.mode = Mode::Step;
                self.tell(Message::new("notice.not-loaded"));
            }
            Action::Recover { name, mut editing } => {
                editing.recovered();
                self.submit_draft(Origin::File(name), &editing);
                self.editing = Some(Rc::new(*editing));
                self.recovery = None;
            }
            Action::Found(recovery) => self.recovery = Some(Rc::new(recovery)),
            Action::Discard => self.recovery = None,
            Action::Recents(recent) => self.recent = Rc::new(recent),
            Action::NotKept => {
                if !std::mem::replace(&mut self.forgetful, true) {
                    self.toast_message(Message::new("toast.not-kept"));
                }
            }
            Action::Save => self.save(),
            Action::NotSaved(why) => {
                self.saving = false;
                self.toast_message(why);
            }
            Action::Saved => {
                self.saving = false;
                if let Some(editing) = &mut self.editing {
                    Rc::make_mut(editing).unsaved = false;
                }
            }
            Action::Choices(choices) => {
                if let Some(document) = self.document.clone() {
                    self.submit(document.origin.clone(), document.bytes.clone(), choices, false, None);
                }
            }
            Action::NotFetched(notice) => {
                self.visiting = false;
                self.notice = Some(Rc::new(notice));
            }
            Action::Heard { job, result } => self.hear(job, *result),
            Action::Measured { job, result } => self.measured(job, *result),
            Action::Compare(change) => self.comparing.apply(change),
            Action::AddToComparison => {
                self.mode = Mode::Compare;
                // The first one is put beside two others.
                if !self.comparing.columns.is_empty() {
                    self.comparing.apply(Change::Add(self.choice()));
                }
            }
            Action::OpenInSteps { choice, scope } => {
                self.mode = Mode::Step;
                self.scope = scope;
                self.planner = choice.planner;
                self.options = choice.options;
                self.plan_again();
            }
            Action::Export(export) => self.export(export),
            Action::Written { job, result } => self.take_file(job, result),
            Action::Progress { job, progress } => {
                if self.job.as_ref().is_some_and(|present| present.number == job) {
                    self.progress = Some(progress);
                }
            }
            Action::Best { job, answer } => {
                if self.job.as_ref().is_some_and(|present| present.number == job) {
                    self.best = Some(answer);
                }
            }
            Action::Crashed { job } => {
                if self.job.as_ref().is_some_and(|present| present.number == job) {
                    self.end_job();
                    self.comparing.give_up(&Message::new("notice.crashed"));
                    self.tell(Message::new("notice.crashed"));
                }
            }
            Action::Cancel => {
                if !self.keep_best() {
                    self.end_job();
                    self.comparing.give_up(&Message::new("fault.cancelled"));
                    self.fall_back();
                }
            }
            Action::Planner(id) => {
                if id != self.planner || self.run.is_none() {
                    // An option that every planner has is meant for all of them.
                    let kept = planner::BRANCH_SAFE.key;
                    let has = planner::info(&id).is_some_and(|info| info.options.iter().any(|spec| spec.key == kept));
                    self.options.retain(|key, _| has && key == kept);
                    self.planner = id;
                    self.plan_again();
                }
            }
            Action::NextPlanner { forward } => self.next_planner(forward),
            Action::Option { key, value } => {
                self.options.insert(key, value);
                self.plan_again();
            }
            Action::Options(settings) => {
                self.options.extend(settings);
                self.plan_again();
            }
            Action::LookClosely => self.look_closely(),
            Action::ResetOptions => {
                self.options.clear();
                self.plan_again();
            }
            Action::ResetAll => {
                self.options.clear();
                self.scope = Scope::default();
                self.plan_again();
            }
            Action::Scope(scope) => {
                self.scope = scope;
                self.plan_again();
            }
            Action::Restore(restored) => self.restore(*restored),
            Action::Move(motion) => self.go(motion),
            Action::Seek(frame) => self.seek(frame),
            Action::SeekBuffer(buffer) => {
                if let Some(run) = &self.run
                    && let Some(decision) = run.timeline.decision_of(buffer)
                {
                    self.cursor = run.timeline.decisions[decision].end;
                    self.moved();
                }
                self.selection = Some(buffer);
            }
            Action::Level(level) => {
                // The moment stays; only its number is another.
                self.level = level;
            }
            Action::Play(playing) => {
                if playing && self.at_end() {
                    self.seek(0);
                }
                self.playing = playing && self.run.is_some();
            }
            Action::Tick => self.tick(),
            Action::Speed(speed) => self.speed = speed,
            Action::Wanted(wanted) => self.wanted = wanted,
            Action::Targets(targets) => self.breaks.targets = targets,
            Action::RunTo { forward } => match self.find(self.wanted, forward) {
                Some(frame) => self.seek(frame),
                None => self.toast_message(Message::new("toast.not-found")),
            },
            Action::BreakHere => self.toggle_break(),
            Action::BreakOn(wanted) => {
                if !self.breaks.kinds.remove(&wanted) {
                    self.breaks.kinds.insert(wanted);
                }
            }
            Action::ClearBreaks => self.breaks = Breaks { targets: self.breaks.targets, ..Breaks::default() },
            Action::Select(selection) => {
                self.selection = selection;
                self.node = None;
            }
            Action::Point(candidate) => self.candidate = candidate,
            Action::Node(node) => self.node = node,
            Action::Lane(lane) => {
                self.lane = lane;
                self.playing = false;
            }
            Action::Switch(switch) => self.look.flip(switch),
            Action::ColorBy(color_by) => self.color_by = color_by,
            Action::Viewed(view) => self.view = view,
            Action::LeftTab(tab) => {
                self.panels.left = true;
                self.panels.left_tab = tab;
            }
            Action::DrawerTab(tab) => {
                self.panels.drawer_tab = tab;
                self.panels.right |= matches!(tab, Tab::Why | Tab::State);
            }
            Action::CloseMenus => {
                let menus = [
                    Overlay::Planners,
                    Overlay::Options,
                    Overlay::More,
                    Overlay::RunTo,
                    Overlay::Templates,
                    Overlay::Export,
                ];
                self.overlay = self.overlay.filter(|overlay| !menus.contains(overlay));
            }
            Action::ToggleLeft => self.panels.left = !self.panels.left,
            Action::ToggleRight => self.panels.right = !self.panels.right,
            Action::ToggleBoth => {
                let open = !(self.panels.left || self.panels.right);
                self.panels.left = open;
                self.panels.right = open;
            }
            Action::PanelWidth { left: true, width } => self.panels.left_width = width.clamp(220, 480),
            Action::PanelWidth { left: false, width } => self.panels.right_width = width.clamp(300, 520),
            Action::Overlay(overlay) => self.overlay = if self.overlay == overlay { None } else { overlay },
            Action::Locale(locale) => self.locale = locale,
            Action::Theme(theme) => self.theme = theme,
            Action::SingleKeys(on) => self.single_keys = on,
            Action::DismissNotice => {
                self.notice = None;
                self.held = None;
            }
            Action::DismissRemarks => self.remarks = false,
            Action::DismissHint => self.hint = false,
            Action::Toast(message) => self.toast_message(message),
            Action::ToastOver(number) => {
                if self.toast.as_ref().is_some_and(|(shown, _)| *shown == number) {
                    self.toast = None;
                }
            }
        }
    }

    fn submit(&mut self, origin: Origin, bytes: Bytes, choices: Choices, same: bool, place: Option<LinkPlace>) {
        self.jobs += 1;
        self.playing = false;
        self.progress = None;
        let key = self.document.as_ref().filter(|_| same).map_or(self.jobs, |document| document.key);
        let choices = Choices { file: origin.name().into(), ..choices };
        self.job = Some(Rc::new(Job {
            number: self.jobs,
            key,
            origin,
            draft: None,
            editing: None,
            bytes,
            choices,
            scope: self.scope.clone(),
            planner: self.planner.clone(),
            options: self.options.clone(),
            same_document: same,
            place,
            window: None,
            diagram: self.wants_diagram,
            task: None,
            export: None,
        }));
    }

    /// The planner asked for with its options.
    pub fn choice(&self) -> Choice {
        Choice { planner: self.planner.clone(), options: self.options.clone() }
    }

    /// Has the comparison measured what it lacks, once the engine is free.
    fn compare_on(&mut self) {
        let Some(document) = self.document.clone().filter(|_| self.mode == Mode::Compare) else { return };
        if self.lean || self.job.is_some() || self.run.is_none() {
            return;
        }
        self.comparing.begin((document.key, self.scope.clone()));
        self.fill_columns();
        let Some(task) = self.comparing.wants() else { return };
        self.submit(document.origin.clone(), document.bytes.clone(), document.choices.clone(), true, None);
        if let Some(job) = &mut self.job {
            Rc::make_mut(job).task = Some(Rc::new(task));
        }
    }

    /// A comparison begins with the planner shown and two that differ from it.
    fn fill_columns(&mut self) {
        if !self.comparing.columns.is_empty() {
            return;
        }
        let has_graph = self.document.as_ref().is_some_and(|document| document.graph.is_some());
        let applies = |id: &&str| planner::info(id).is_some_and(|info| planner::applicable(info, has_graph).is_ok());
        let first = self.choice();
        self.comparing.apply(Change::Add(first.clone()));
        let others = USUAL.into_iter().filter(applies).filter(|id| *id != first.planner);
        others.take(2).for_each(|id| self.comparing.apply(Change::Add(Choice::of(id))));
    }

    fn measured(&mut self, number: u32, result: Result<Measured, Failure>) {
        let Some(job) = self.job.clone().filter(|job| job.number == number) else { return };
        self.end_job();
        let graph = self.document.as_ref().and_then(|document| document.graph.clone());
        match (result, &job.task) {
            (Ok(measured), Some(task)) => self.comparing.take(task, measured, graph.as_ref(), index_of),
            _ => self.comparing.give_up(&Message::new("notice.crashed")),
        }
    }

    fn edit(&mut self, step: Step) {
        let Some(document) = self.document.clone() else { return };
        let Some(graph) = document.graph.clone() else { return };
        let editing = self.editing.get_or_insert_with(|| Rc::new(Editing::new(&graph)));
        if !Rc::make_mut(editing).take(step) {
            return;
        }
        self.panels.left_tab = Tab::Graph;
        let editing = editing.clone();
        // No longer the example: a link must carry it.
        self.submit_draft(Origin::File(document.origin.name().into()), &editing);
    }

    /// Whether the picture is of the graph before the last change.
    pub fn lags_behind(&self) -> bool {
        self.is_faulty() || self.run.is_some() && self.job.as_ref().is_some_and(|job| job.draft.is_some())
    }

    /// Whether the edited graph has faults, so that what is shown is the graph before them.
    pub fn is_faulty(&self) -> bool {
        self.editing.as_ref().is_some_and(|editing| !editing.faults.is_empty())
    }

    /// Asks for the graph as a file; one that came in another format is written by the worker first.
    fn save(&mut self) {
        let Some((document, graph)) =
            self.document.clone().and_then(|document| Some((document.clone(), document.graph.clone()?)))
        else {
            return self.toast_message(Message::new("toast.no-graph"));
        };
        self.saving = true;
        if document.format != Format::MemoryGraph && self.editing.is_none() {
            self.submit_draft(Origin::File(document.name.clone()), &Editing::new(&graph));
        }
    }

    fn submit_draft(&mut self, origin: Origin, editing: &Editing) {
        self.submit(origin, Bytes::default(), Choices::default(), false, None);
        if let Some(job) = &mut self.job {
            Rc::make_mut(job).draft = Some(Rc::new(editing.draft.clone()));
        }
    }

    /// A document as the other program had it, with what was done to it.
    pub(super) fn reopen(
        &mut self,
        origin: Origin,
        bytes: Bytes,
        choices: Choices,
        editing: Option<Editing>,
        place: LinkPlace,
    ) {
        self.submit(origin, bytes, choices, false, Some(place));
        if let Some(job) = &mut self.job {
            Rc::make_mut(job).editing = editing.map(Rc::new);
        }
    }

    /// Asks for the plan shown once more, as a file.
    fn export(&mut self, export: Export) {
        self.overlay = None;
        let (Some(run), None) = (&self.run, &self.job) else { return };
        let Some(shown) = &self.shown else { return self.toast_message(Message::new("toast.no-file")) };
        self.jobs += 1;
        self.job = Some(Rc::new(Job {
            number: self.jobs,
            planner: run.planner.clone(),
            same_document: true,
            place: None,
            export: Some(export),
            ..(**shown).clone()
        }));
    }

    fn take_file(&mut self, number: u32, result: Result<Result<String, Message>, Failure>) {
        let Some(job) = self.job.clone().filter(|job| job.number == number) else { return };
        self.end_job();
        match (result, job.export) {
            (Ok(Ok(text)), Some(export)) => {
                let name = self.document.as_ref().map_or("plan", |document| stem(&document.name));
                // Names of graphs may hold what names of files may not.
                let safe = |c: char| if c.is_alphanumeric() || "-_. ".contains(c) { c } else { '_' };
                let name = format!("{}.{}", name.chars().take(80).map(safe).collect::<String>(), export.suffix());
                let number = self.download.as_ref().map_or(0, |download| download.number + 1);
                self.download = Some(Rc::new(Download { number, name, text }));
            }
            (Ok(Err(message)), _) => self.tell(message),
            _ => self.tell(Message::new("notice.crashed")),
        }
    }

    fn plan_again(&mut self) {
        if let Some(job) = self.job.clone().filter(|job| !job.same_document) {
            // A file on its way in is not thrown away for a new planner.
            self.submit(job.origin.clone(), job.bytes.clone(), job.choices.clone(), false, job.place.clone());
            if let Some(next) = &mut self.job {
                let next = Rc::make_mut(next);
                (next.draft, next.editing) = (job.draft.clone(), job.editing.clone());
            }
        } else if let Some(document) = self.document.clone() {
            self.submit(document.origin.clone(), document.bytes.clone(), document.choices.clone(), true, None);
        }
    }

    /// The same run once more, with the places looked at around the present decision.
    fn look_closely(&mut self) {
        let decision = self.run.as_ref().and_then(|run| run.timeline.decision_at(self.cursor));
        let Some(decision) = decision else { return };
        self.plan_again();
        if let Some(job) = &mut self.job {
            let decision = decision as u32;
            Rc::make_mut(job).window = Some((decision.saturating_sub(LOOKED_AT), decision + LOOKED_AT));
        }
    }

    fn end_job(&mut self) {
        self.visiting = false;
        self.job = None;
        self.progress = None;
        self.best = None;
    }

    /// What is asked for follows what is shown again, after a job that gave nothing.
    fn fall_back(&mut self) {
        if let Some(run) = &self.run {
            self.planner = run.planner.clone();
        }
    }

    /// Ends a search with the best plan that it has found so far; false if there is none.
    fn keep_best(&mut self) -> bool {
        let Some(job) = self.job.clone() else { return false };
        let known = self.progress.and_then(|progress| progress.best);
        let done = self.best.take().and_then(|answer| postcard::from_bytes::<Result<Done, Failure>>(&answer).ok());
        let Some(Ok(done)) = done else { return false };
        self.hear(job.number, Ok(done));
        // Nobody can run just this part of the search again to write it to a file.
        self.shown = None;
        let Some(run) = &self.run else { return false };
        let peak = run.metrics.peak;
        let bound = known.map_or(run.metrics.lower_bound, |(_, bound)| bound);
        self.tell(Message::new("notice.kept-best").bytes("peak", peak).bytes("bound", bound));
        true
    }

    fn hear(&mut self, number: u32, result: Result<Done, Failure>) {
        // Answers of jobs that are no longer wanted are dropped.
        let Some(job) = self.job.clone().filter(|job| job.number == number) else { return };
        self.end_job();
        match result {
            Ok(done) => {
                // What a link visit had to say stays; opening by hand answers what was said before.
                if job.place.is_none() {
                    self.notice = None;
                }
                self.batch_done();
                if let Some(opened) = done.opened.filter(|_| !job.same_document || self.document.is_none()) {
                    self.take_document(&job, opened);
                }
                if job.diagram {
                    self.diagram = done.diagram.map(Rc::new);
                }
                match done.planned {
                    Ok(planned) => self.take_plan(&job, planned),
                    // A link whose options the planner refuses still shows its document.
                    Err(why) if !job.same_document && !job.options.is_empty() => {
                        self.options.clear();
                        let place = job.place.clone().unwrap_or_default();
                        self.submit(job.origin.clone(), job.bytes.clone(), job.choices.clone(), true, Some(place));
                        self.tell(
                            Message::new("notice.options-refused").text("planner", &job.planner).inner("why", why),
                        );
                    }
                    Err(message) => {
                        self.fall_back();
                        self.tell(message);
                    }
                }
            }
            Err(Failure::Faults(faults)) if job.draft.is_some() => {
                if let Some(editing) = &mut self.editing {
                    Rc::make_mut(editing).faults = faults;
                }
            }
            Err(Failure::Faults(faults)) => {
                let title =
                    Message::new("notice.faults").count("n", faults.len() as u64).text("name", job.origin.name());
                self.not_opened(Notice { title, faults });
            }
            Err(Failure::Large(count)) => self.ask_about(job, count),
            Err(Failure::NoDocument) => self.tell(Message::new("notice.crashed")),
        }
    }

    fn take_document(&mut self, job: &Job, opened: Opened) {
        let name = if opened.name.is_empty() { job.origin.name().into() } else { opened.name };
        match (&job.draft, &mut self.editing) {
            (Some(_), Some(editing)) => Rc::make_mut(editing).faults.clear(),
            _ => {
                // What is left behind unsaved can be gone back to.
                if let Some(left) = self.editing.take().filter(|editing| editing.unsaved) {
                    let opened = self.document.as_ref().map(|document| document.name.clone());
                    let own = Some(left.draft.name.clone()).filter(|name| !name.is_empty());
                    let name = own.or(opened).unwrap_or_default();
                    self.recovery = Some(Rc::new(Recovery { name, editing: (*left).clone() }));
                }
            }
        }
        self.editing = self.editing.take().or_else(|| job.editing.clone());
        self.diagram = None;
        self.remarks = job.draft.is_none() && !matches!(job.origin, Origin::Example(_)) && self.embed.is_none();
        if opened.questions.iter().any(|question| matches!(question, Question::Shapes(_))) {
            // Nothing can be planned before the user has stated the sizes.
            self.overlay = Some(Overlay::Report);
        }
        self.document = Some(Rc::new(Document {
            key: job.key,
            origin: job.origin.clone(),
            name,
            format: opened.format,
            graph: opened.graph.map(Rc::new),
            has_plan: opened.has_plan,
            facts: opened.facts,
            warnings: opened.warnings,
            questions: opened.questions,
            packed: opened.packed.map(Rc::from),
            bytes: opened.written.map_or_else(|| job.bytes.clone(), Rc::new),
            choices: job.choices.clone(),
        }));
        if job.draft.is_some() {
            // What was shown stays until the new plan is there, and tells where it is to be looked at.
            return;
        }
        self.run = None;
        self.violations = Rc::default();
        self.selection = None;
        self.node = None;
        self.lane = None;
        if self.panels.left_tab == Tab::Files && !matches!(&job.origin, Origin::Example(name) if name == START) {
            self.panels.left_tab = Tab::Graph;
        }
    }

    fn take_plan(&mut self, job: &Job, planned: Planned) {
        let focus = self.run.as_ref().and_then(|run| {
            let decision = run.timeline.decision_at(self.cursor)?;
            let at_end = run.timeline.frame_at(Level::Decisions, self.cursor) as usize == run.timeline.decisions.len();
            ((job.same_document || job.draft.is_some()) && !at_end)
                .then(|| run.problem.buffers[run.timeline.decisions[decision].buffer].name.clone())
        });
        let selected = self.run.as_ref().zip(self.selection).map(|(run, id)| run.problem.buffers[id].name.clone());
        let run = Run::new(Rc::new(planned.problem), &planned.planner, planned.plan, planned.events, planned.align);
        let of_file = || self.document.as_ref().and_then(|document| document.graph.clone());
        let run = run.with_graph(planned.graph.map(Rc::new).or_else(of_file));
        let run = run.with_window(planned.window);
        self.planner = planned.planner;
        self.violations = Rc::new(planned.violations);
        self.candidate = None;
        self.node = None;
        let wanted_frame = job.place.as_ref().and_then(|place| place.frame);
        self.cursor = match (wanted_frame, focus) {
            (Some(frame), _) => run.timeline.events_at(self.level, frame),
            // The same buffer's placement by another planner, rather than the same number.
            (None, Some(name)) => match run.problem.buffer_named(&name).and_then(|id| run.timeline.decision_of(id)) {
                Some(decision) => run.timeline.decisions[decision].end,
                None => run.timeline.events_at(self.level, u32::MAX),
            },
            (None, None) => run.timeline.events_at(self.level, u32::MAX),
        };
        let selected = job.place.as_ref().and_then(|place| place.selection.clone()).or(selected);
        self.selection = selected.and_then(|name| run.problem.buffer_named(&name));
        self.run = Some(Rc::new(run));
        self.shown = Some(Rc::new(job.clone()));
        self.moved();
    }

    fn restore(&mut self, restored: Restored) {
        self.visiting = true;
        self.notice = None;
        let known = |id: &String| id == IMPORTED || planner::info(id).is_some();
        let mut refused = Vec::new();
        if let Some(id) = restored.planner {
            if known(&id) {
                self.planner = id;
            } else {
                refused.push(id);
            }
        }
        self.options.clear();
        let info = planner::info(&self.planner);
        for (key, value) in restored.options {
            if info.is_some_and(|info| info.options([(key.as_str(), value.as_str())]).is_ok()) {
                self.options.insert(key, value);
            } else {
                refused.push(format!("{key}:{value}"));
            }
        }
        if !refused.is_empty() {
            self.toast_message(Message::new("toast.refused").text("values", refused.join(", ")));
        }
        self.scope = restored.scope.unwrap_or_default();
        self.level = restored.level.unwrap_or_default();
        self.color_by = restored.color_by.unwrap_or_default();
        self.view = restored.view;
        self.breaks = restored.breaks;
        self.mode = Mode::Step;
        if let Some(compared) = restored.compared {
            self.mode = Mode::Compare;
            self.comparing.apply(Change::Restore(Box::new(compared)));
        }
        if let Some(locale) = restored.locale {
            self.locale = locale;
        }
        if let Some(theme) = restored.theme {
            self.theme = theme;
        }
    }

    fn next_planner(&mut self, forward: bool) {
        let has_graph = self.document.as_ref().is_some_and(|document| document.graph.is_some());
        let mut ids: Vec<&str> = planner::INFOS
            .iter()
            .filter(|info| planner::applicable(info, has_graph).is_ok())
            .map(|info| info.id)
            .collect();
        if self.document.as_ref().is_some_and(|document| document.has_plan) {
            ids.insert(0, IMPORTED);
        }
        let here = ids.iter().position(|id| *id == self.planner).unwrap_or(0);
        let step = if forward { 1 } else { ids.len() - 1 };
        let id = ids[(here + step) % ids.len()].to_string();
        self.apply(Action::Planner(id));
    }

    fn go(&mut self, motion: Motion) {
        let Some(run) = self.run.clone() else { return };
        let (frame, last) = (self.frame(), self.frames() - 1);
        let buffers = run.timeline.frame_at(Level::Decisions, self.cursor);
        match motion {
            Motion::First => self.seek(0),
            Motion::Last => self.seek(last),
            Motion::Previous => self.seek(frame.saturating_sub(1)),
            Motion::Next => self.seek((frame + 1).min(last)),
            Motion::PreviousBuffer | Motion::NextBuffer => {
                let frame = if motion == Motion::NextBuffer { buffers + 1 } else { buffers.saturating_sub(1) };
                let events = run.timeline.events_at(Level::Decisions, frame);
                self.seek(run.timeline.frame_at(self.level, events));
            }
        }
    }

    fn seek(&mut self, frame: u32) {
        if let Some(run) = &self.run {
            self.cursor = run.timeline.events_at(self.level, frame);
            self.moved();
        }
    }

    fn moved(&mut self) {
        self.candidate = None;
        self.lane = None;
    }

    fn tick(&mut self) {
        let Some(run) = self.run.clone().filter(|_| self.playing) else { return };
        if let Some((first, last)) = self.embed.and_then(|embed| embed.lap)
            && (self.at_end() || self.frame() >= last)
        {
            return self.seek(first);
        }
        self.go(Motion::Next);
        let laps = self.embed.is_some_and(|embed| embed.lap.is_some());
        if self.at_end() && !laps || self.breaks_at(&run, self.cursor) {
            self.playing = false;
        }
    }

    fn toggle_break(&mut self) {
        let Some(run) = &self.run else { return };
        let Some(decision) = run.timeline.decision_at(self.cursor) else { return };
        if !self.breaks.decisions.remove(&(decision as u32)) {
            self.breaks.decisions.insert(decision as u32);
        }
    }

    fn tell(&mut self, title: Message) {
        self.notice = Some(Rc::new(Notice { title, faults: Vec::new() }));
    }

    fn toast_message(&mut self, message: Message) {
        let number = self.toast.as_ref().map_or(0, |(number, _)| number + 1);
        self.toast = Some((number, message));
    }
}

/// What the scene knows of a run whatever the frame.
pub fn index_of(run: &Run) -> Index {
    let index = Index::new(run);
    match &run.graph {
        Some(graph) => index.with_ops(&run.problem, graph.nodes.iter().map(|node| node.op.clone()).collect()),
        None => index,
    }
}

/// Planners that a comparison begins with beside the one shown.
const USUAL: [&str; 3] = ["inductor-tree", "first-fit", "greedy-by-size"];

/// The example that opens at the start.
pub const START: &str = "teaching";
