//! The list of planners: what each takes for the open document, measured while the list is open,
//! and what of it is listed.

pub mod humps;
pub mod link_keys;
pub mod own;

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::compare::state::Change;
use crate::open::state::document::{Bytes, Document};
use crate::open::state::query::Query;
use crate::shell::state::State;
use crate::shell::state::panels::Overlay;
use memplan_core::base::{Message, decimal};
use memplan_core::problem::Scope;
use memplan_engine::{Answer, IMPORTED, PeakEntry, PeakFound, PlannerChoice, Task};
use memplan_planners::{self as planner, BRANCH_SAFE, Effort, Group, INFOS, Info, Needs};
use memplan_replay::Run;

/// Peaks of planners for the open document.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PlannerList {
    /// What is known.
    known: Rc<BTreeMap<PlannerChoice, Result<PeakFound, Message>>>,
    /// Searches that were asked for, the first of them next.
    asked: Vec<PlannerChoice>,
    /// The document, and its scope, that all of this belongs to.
    of: Option<(u32, Scope)>,
}

/// What is known of a planner's peak.
#[derive(Clone, PartialEq, Debug)]
pub enum Peak {
    /// The peak with its bound.
    Found(PeakFound),
    /// It is measured as soon as the worker is free.
    Unknown,
    /// It takes long, and is measured when it is asked for.
    OnDemand,
    /// It is shown once no question about the plan is open.
    Hidden,
    /// There is no plan, for this reason.
    Refused(Message),
}

/// A planner of the list.
#[derive(Clone, PartialEq, Debug)]
pub struct Pick {
    /// The planner with the options that it would run with, or with those of the plan shown.
    pub choice: PlannerChoice,
    /// Its group; none for the plan of the file.
    pub group: Option<Group>,
    /// What it takes.
    pub peak: Peak,
    /// Whether the document has what the planner needs.
    pub applies: bool,
    /// Whether it is the planner asked for.
    pub is_current: bool,
}

/// What is typed to find planners: words of names, and limits.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PickFilter {
    words: Vec<String>,
    ratio: Option<f64>,
    bytes: Option<f64>,
    graph: bool,
    storages: bool,
    search: bool,
}

impl PickFilter {
    /// Reads `inductor ≤1.1× ≤64KiB graph reuse search`.
    pub fn read(text: &str) -> PickFilter {
        let mut filter = PickFilter::default();
        for word in text.to_lowercase().split_whitespace() {
            match word {
                "graph" => filter.graph = true,
                "reuse" => filter.storages = true,
                "search" => filter.search = true,
                _ => match limit(word) {
                    Some(Limit::Ratio(ratio)) => filter.ratio = Some(ratio),
                    Some(Limit::Bytes(bytes)) => filter.bytes = Some(bytes),
                    None => filter.words.push(word.to_string()),
                },
            }
        }
        filter
    }

    /// Whether nothing is typed.
    pub fn is_empty(&self) -> bool {
        *self == PickFilter::default()
    }

    /// Whether what is typed is the id or the whole title of a planner.
    pub fn names(&self, pick: &Pick, title: &str) -> bool {
        let typed = self.words.join(" ");
        !typed.is_empty() && (typed == pick.choice.planner || typed == title.to_lowercase())
    }

    /// Whether a planner is listed; `title` are its names as they are shown.
    pub fn takes(&self, pick: &Pick, title: &str) -> bool {
        let info = planner::info(&pick.choice.planner);
        let names = format!("{title} {}", pick.choice.planner).to_lowercase();
        let found = match &pick.peak {
            Peak::Found(found) => Some(*found),
            Peak::Unknown | Peak::OnDemand | Peak::Hidden | Peak::Refused(_) => None,
        };
        let is = |asked: bool, property: fn(&Info) -> bool| !asked || info.is_some_and(property);
        let below = |limit: Option<f64>, value: Option<f64>| {
            limit.is_none_or(|limit| value.is_some_and(|value| value <= limit))
        };
        self.words.iter().all(|word| names.contains(word))
            && is(self.graph, |info| info.needs == Needs::Graph)
            && is(self.storages, |info| info.storages)
            && is(self.search, |info| info.effort == Effort::Search)
            && below(self.ratio, found.and_then(PeakFound::ratio))
            && below(self.bytes, found.map(|found| found.peak as f64))
    }
}

enum Limit {
    Ratio(f64),
    Bytes(f64),
}

/// Reads `≤1.1×` and `<=64kib`.
fn limit(word: &str) -> Option<Limit> {
    let rest = ["≤", "<=", "<"].into_iter().find_map(|sign| word.strip_prefix(sign))?;
    let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(rest.len());
    let (number, unit) = rest.split_at(end);
    let number = decimal(number)?;
    let times = match unit {
        "×" | "x" | "" => return Some(Limit::Ratio(number)),
        "b" => 1.0,
        "k" | "kib" | "kb" => 1024.0,
        "m" | "mib" | "mb" => 1_048_576.0,
        "g" | "gib" | "gb" => 1_073_741_824.0,
        _ => return None,
    };
    Some(Limit::Bytes(number * times))
}

/// Peaks of planners for the list. A planner without an answer is not asked about again.
pub(crate) const QUERY: Query = Query {
    is_of: |task| matches!(task, Task::Peaks(_)),
    wants: State::list_wants,
    take: |state, _, answer| {
        if let Answer::Peaks(entries) = answer {
            state.take_peaks(entries);
        }
    },
    give_up: |state, task, why| {
        if let Some(Task::Peaks(choices)) = task {
            let entries = choices.iter().map(|choice| (choice.clone(), Err(why.clone())));
            state.take_peaks(entries.collect());
        }
    },
};

impl State {
    /// All planners for the open document, with the plan of its file first, in order of groups and
    /// of peaks inside them; without groups if asked so.
    pub fn picks(&self, by_group: bool) -> Vec<Pick> {
        let document = self.document.open.as_ref();
        let (has_graph, has_plan) = document.map_or((false, false), |open| (open.graph.is_some(), open.has_plan));
        let own = has_plan.then(|| self.pick(PlannerChoice::of(IMPORTED), None, true));
        let mut picks: Vec<Pick> = own.into_iter().collect();
        for info in INFOS {
            let applies = planner::applicable(info, has_graph);
            let mut pick = self.pick(self.choice_of(info), Some(info), applies.is_ok());
            if let Err(why) = applies {
                pick.peak = Peak::Refused(why.message());
            }
            picks.push(pick);
        }
        picks.sort_by_key(|pick| {
            let peak = match &pick.peak {
                Peak::Found(found) => (u8::from(!found.is_whole()), found.peak),
                Peak::Unknown | Peak::OnDemand | Peak::Hidden => (2, 0),
                Peak::Refused(_) => (3, 0),
            };
            (pick.group.filter(|_| by_group), peak)
        });
        picks
    }

    fn pick(&self, choice: PlannerChoice, info: Option<&'static Info>, applies: bool) -> Pick {
        let is_current = self.document.planner == choice.planner;
        let shown = self.shown().filter(|(run, _)| run.planner == choice.planner);
        // The plan shown is known, and is that of its own options.
        let (run, choice) = match shown {
            Some((run, choice)) => (Some(run), choice),
            None => (None, choice),
        };
        let peak = match (run, self.peak_of(&choice)) {
            // Planners often end at the same peak.
            _ if self.hides().is_some() => Peak::Hidden,
            (Some(run), _) => Peak::Found(PeakFound::of(&run.metrics, self.is_sound(run))),
            (None, Some(Ok(found))) => Peak::Found(found),
            (None, Some(Err(why))) => Peak::Refused(why),
            (None, None)
                if info.is_some_and(|info| self.takes_long(info)) && !self.planner_list.asked.contains(&choice) =>
            {
                Peak::OnDemand
            }
            (None, None) => Peak::Unknown,
        };
        Pick { choice, group: info.map(|info| info.group), peak, applies, is_current }
    }

    /// Whether the plan shown keeps the rules.
    fn is_sound(&self, run: &Run) -> bool {
        self.document.violations.is_empty() && run.plan.misreading.is_none() && run.plan.quirks.is_empty()
    }

    /// What the plan shown takes.
    pub fn peak_shown(&self) -> Option<PeakFound> {
        self.document.run.as_ref().map(|run| PeakFound::of(&run.metrics, self.is_sound(run)))
    }

    /// The run with its planner and the options that gave it.
    fn shown(&self) -> Option<(&Run, PlannerChoice)> {
        let run = self.document.run.as_deref()?;
        let job = self.document.shown.as_ref().filter(|job| job.planner == run.planner);
        let options = job.map_or(&self.document.options, |job| &job.options);
        Some((run, PlannerChoice { planner: run.planner.clone(), options: options.clone() }))
    }

    /// A planner with the options that it keeps when it is chosen: what every planner has is meant
    /// for all of them.
    pub fn choice_of(&self, info: &Info) -> PlannerChoice {
        let key = BRANCH_SAFE.key;
        let kept = self.document.options.get(key).filter(|_| info.options.iter().any(|spec| spec.key == key));
        let options = kept.map(|value| (key.to_string(), value.clone()));
        PlannerChoice { planner: info.id.into(), options: options.into_iter().collect() }
    }

    fn takes_long(&self, info: &Info) -> bool {
        let buffers = self.document.run.as_ref().map_or(0, |run| run.problem.buffers.len() as u32);
        info.effort == Effort::Search || !info.is_timed_on(buffers)
    }

    /// What the list or the comparison has measured of the open document.
    fn peak_of(&self, choice: &PlannerChoice) -> Option<Result<PeakFound, Message>> {
        let document = self.document.open.as_ref()?;
        let of = Some((document.key, self.document.scope.clone()));
        let own = || self.planner_list.known.get(choice).filter(|_| self.planner_list.of == of).cloned();
        let compared = || {
            let ranking =
                self.comparing.ranking.iter().filter(|_| self.comparing.of == of).flat_map(|rows| rows.iter());
            let mut entries = ranking.filter(|entry| entry.choice == *choice);
            let figures = entries.find_map(|entry| Some(&entry.result.as_ref().ok()?.figures))?;
            Some(Ok(PeakFound::of(&figures.metrics, figures.is_sound())))
        };
        own().or_else(compared)
    }

    /// Returns the next peak that the open list lacks.
    fn list_wants(&mut self, document: &Document) -> Option<Task<Bytes>> {
        if self.view.overlay != Some(Overlay::Planners) || self.document.run.is_none() {
            return None;
        }
        let of = Some((document.key, self.document.scope.clone()));
        if self.planner_list.of != of {
            self.planner_list = PlannerList { of, ..PlannerList::default() };
        }
        Some(Task::Peaks(vec![self.next_peak()?]))
    }

    fn next_peak(&self) -> Option<PlannerChoice> {
        let asked = self.planner_list.asked.iter().find(|choice| self.peak_of(choice).is_none());
        let mut lacking = self.picks(true);
        lacking.retain(|pick| pick.peak == Peak::Unknown);
        lacking.sort_by_key(|pick| planner::info(&pick.choice.planner).map(|info| info.complexity));
        asked.cloned().or_else(|| lacking.into_iter().next().map(|pick| pick.choice))
    }

    pub(crate) fn ask_peak(&mut self, choice: PlannerChoice) {
        if !self.planner_list.asked.contains(&choice) {
            self.planner_list.asked.push(choice);
        }
    }

    fn take_peaks(&mut self, entries: Vec<PeakEntry>) {
        Rc::make_mut(&mut self.planner_list.known).extend(entries);
    }

    /// Puts a planner beside the one shown, for the comparison.
    pub(crate) fn add_planner(&mut self, choice: PlannerChoice) {
        if self.comparing.columns.is_empty() {
            self.comparing.apply(Change::Add(self.choice()));
        }
        self.comparing.apply(Change::Add(choice.clone()));
        let added = self.comparing.columns.iter().any(|column| column.choice == choice);
        let name = choice.words(self.speech());
        let count = self.comparing.columns.len();
        self.view.confirm(if added {
            Message::new("toast.added").text("name", name).count("n", count)
        } else {
            Message::new("compare.full")
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pick(id: &str, peak: Peak) -> Pick {
        let group = planner::info(id).map(|info| info.group);
        Pick { choice: PlannerChoice::of(id), group, peak, applies: true, is_current: false }
    }

    #[test]
    fn words_and_limits_pick_planners() {
        let found = |peak| Peak::Found(PeakFound { peak, bound: 65_536, left_out: 0, sound: true });
        let reuse = pick("inductor-reuse", found(65_537));
        let takes = |text: &str, pick: &Pick| PickFilter::read(text).takes(pick, "Inductor memory_plan_reuse");
        for text in
            ["", "memory", "INDUCTOR plan", "≤1.1×", "<=1.1x", "≤65KiB", "<1m", "graph", "reuse", "inductor graph ≤2×"]
        {
            assert!(takes(text, &reuse), "{text}");
        }
        for text in ["tflite", "≤1×", "≤64KiB", "search", "memory tree", "≤x"] {
            assert!(!takes(text, &reuse), "{text}");
        }
        let names = |text: &str| PickFilter::read(text).names(&reuse, "Inductor memory_plan_reuse");
        assert!(names("Inductor-Reuse") && names("inductor memory_plan_reuse ≤2×") && !names("inductor") && !names(""));
        // What is not known is below no limit.
        assert!(!takes("≤9×", &pick("inductor-reuse", Peak::Unknown)));
        assert!(PickFilter::read(" ").is_empty() && !PickFilter::read("≤2×").is_empty());
    }
}
