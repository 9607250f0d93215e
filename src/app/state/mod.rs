//! Everything the page knows, and the one pure function that changes it.

pub mod action;
pub mod address;
pub mod answers;
pub mod comparing;
pub mod files;
pub mod find;
pub mod measuring;
pub mod modified;
pub mod opening;
pub mod planning;
pub mod stepping;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::app::model::breakpoints::Breaks;
use crate::app::model::breakpoints::Wanted;
use crate::app::model::document::Bytes;
use crate::app::model::document::Document;
use crate::app::model::document::Download;
use crate::app::model::document::Job;
use crate::app::model::document::Origin;
use crate::app::model::editing::Editing;
use crate::app::model::embed::Embed;
use crate::app::model::link::Awaited;
use crate::app::model::look::LaneShown;
use crate::app::model::look::Look;
use crate::app::model::look::Theme;
use crate::app::model::notice::Notice;
use crate::app::model::panels::LEFT_WIDTH;
use crate::app::model::panels::Mode;
use crate::app::model::panels::Overlay;
use crate::app::model::panels::Panels;
use crate::app::model::panels::RIGHT_WIDTH;
use crate::app::model::panels::Tab;
use crate::app::model::recovery::Recent;
use crate::app::model::recovery::Recovery;
use crate::app::state::action::Action;
use crate::app::state::comparing::{Change, Comparing};
use crate::app::state::opening::Batch;
use crate::base::{Message, Unit};
use crate::engine::{Diagram, Progress};
use crate::planner;
use crate::problem::{BufferId, Scope};
use crate::replay::{Level, Run};
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
    /// A link was followed to a file that is not here: the address stays until a document is opened.
    pub awaited: Option<Rc<Awaited>>,
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
            awaited: None,
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

impl State {
    /// What a page begins with, by itself or as a part of another one.
    pub fn new(embed: Option<Embed>) -> State {
        State { embed, ..State::default() }
    }

    /// Language and the unit that fits the largest figure of the run.
    pub fn speech(&self) -> Speech {
        let largest = self.run.as_ref().map_or(0, |run| run.metrics.peak.max(run.metrics.lower_bound));
        Speech { locale: self.locale, unit: Unit::for_largest(largest) }
    }

    /// Whether the present job can be ended with a plan.
    pub fn has_best(&self) -> bool {
        self.best.is_some()
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
            Action::Awaits { file, place } => self.await_file(file, place),
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
                // A file is of the whole search or of none.
                if self.job.as_ref().is_some_and(|present| present.number == job && present.export.is_none()) {
                    self.best = Some(answer);
                }
            }
            Action::Crashed { job } => {
                if let Some(job) = self.job.clone().filter(|present| present.number == job) {
                    self.end_job();
                    self.comparing.give_up(&Message::new("notice.crashed"));
                    self.stopped(&job);
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
                    Overlay::Spot,
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
            Action::PanelWidth { left: true, width } => {
                self.panels.left_width = width.clamp(LEFT_WIDTH.0, LEFT_WIDTH.1)
            }
            Action::PanelWidth { left: false, width } => {
                self.panels.right_width = width.clamp(RIGHT_WIDTH.0, RIGHT_WIDTH.1)
            }
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

/// The example that opens at the start.
pub const START: &str = "teaching";
