//! A scene with its plan.

use std::collections::BTreeMap;
use std::path::Path;

use super::source::{FrameSource, SceneSource};
use crate::{START, api};
use memplan_core::base::Unit;
use memplan_core::plan::Plan;
use memplan_core::problem::{BufferId, Scope};
use memplan_core::text::Locale;
use memplan_core::trace::Silent;
use memplan_formats::import::{self, Answers};
use memplan_planners::{self as planner, Input};
use memplan_replay::{Level, Run};
use memplan_scene::ColorBy;
use memplan_teach::lesson::{ALIGN, Picture, Scene, Seen, example_file};

/// A scene whose planner has run.
pub struct Staged {
    /// As the page gets it.
    pub scene: Scene,
    /// The whole run.
    pub run: Run,
    /// Number of frames, counted by decisions.
    pub frames: u32,
    /// All options of the planner with their values.
    pub options: BTreeMap<String, String>,
    /// The unit in which all its sizes are whole numbers.
    pub unit: Unit,
    /// Whether sizes are rounded: in bytes they would be too long for an axis, and a picture and
    /// its text write them alike.
    pub is_rounded: bool,
}

/// Bytes of all buffers from which sizes that are no whole KiB are rounded.
const LONG: u64 = 100_000;

impl Staged {
    /// Plans a scene. `graphs` is the folder of the built-in examples.
    ///
    /// # Errors
    /// Why it cannot be shown.
    pub fn new(source: &SceneSource, graphs: &Path) -> Result<Staged, String> {
        let is_plain = |part: &str| {
            !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        };
        if !source.document.split('/').all(is_plain) {
            return Err(format!("no example {}", source.document));
        }
        if !source.align.is_power_of_two() {
            return Err(format!("the alignment {} is no power of two", source.align));
        }
        let path = graphs.join(example_file(&source.document));
        let bytes = std::fs::read(&path).map_err(|_| format!("no example {}", source.document))?;
        let read =
            import::read(&bytes, Answers::default()).map_err(|_| format!("{} cannot be read", source.document))?;
        let scope = Scope { align: source.align, ..Scope::default() };
        let planned = api::replay(&read.document, &source.planner, &source.options, &scope);
        let (run, options) = planned.map_err(|error| api::say(&error.message, Locale::En))?;
        let frames = run.timeline.frames(Level::Decisions);
        let frame = match &source.frame {
            FrameSource::Number(number) => *number,
            FrameSource::Word(word) if word == "last" => frames - 1,
            FrameSource::Word(word) => return Err(format!("no frame {word}")),
        };
        if frame >= frames {
            return Err(format!("frame {frame} of {}, whose last one is {}", source.planner, frames - 1));
        }
        if let Some(name) = source.select.as_ref().filter(|name| run.buffer_named(name).is_none()) {
            return Err(format!("no buffer {name} to select"));
        }
        if source.step.is_some_and(|step| step >= run.problem.steps) {
            return Err(format!("the run has {} steps", run.problem.steps));
        }
        if let Some(name) = source.term.as_ref().filter(|name| memplan_core::base::Term::from_name(name).is_none()) {
            return Err(format!("no term {name}"));
        }
        if let Some(name) = source.colour.as_ref().filter(|name| ColorBy::from_name(name).is_none()) {
            return Err(format!("no colours by {name}"));
        }
        if let Some(fault) = source.view.and_then(|seen| fault_of(seen, run.problem.steps)) {
            return Err(fault);
        }
        let is_rounded = unit(&run) == Unit::B && run.problem.unshared() >= LONG;
        let scene = Scene {
            document: source.document.clone(),
            planner: source.planner.clone(),
            options: source.options.clone(),
            align: source.align,
            frame,
            step: source.step,
            select: source.select.clone(),
            panel: source.panel,
            exact: unit(&run) == Unit::B && !is_rounded,
            hide: source.hide.clone(),
            term: source.term.clone(),
            colour: source.colour.clone(),
            view: source.view,
            rest: source.rest,
            caption: None,
        };
        let unit = unit(&run);
        Ok(Staged { scene, run, frames, options, unit, is_rounded })
    }

    /// The buffer of this name.
    pub fn buffer(&self, name: &str) -> Result<BufferId, String> {
        self.run.buffer_named(name).ok_or_else(|| format!("no buffer {name} in {}", self.scene.document))
    }

    /// Bytes in the unit of the scene, with all their digits; rounded where the scene rounds.
    pub fn bytes(&self, bytes: u64) -> String {
        if self.is_rounded {
            return Unit::of(bytes).words(bytes);
        }
        let unit = if bytes.is_multiple_of(self.unit.bytes()) { self.unit } else { Unit::B };
        format!("{}\u{202f}{}", memplan_core::base::exact(bytes / unit.bytes()), unit.name())
    }

    /// The finished plan as a small picture beside others.
    pub fn picture(&self, beside: &[&Staged]) -> Picture {
        let problem = &self.run.problem;
        Picture {
            planner: self.scene.planner.clone(),
            network: Some(self.scene.document.clone()).filter(|name| name != START && !name.contains('/')),
            bound: self.run.metrics.bound(),
            peak: self.bytes(self.run.metrics.peak),
            setting: self.setting_among(beside),
            boxes: self.run.plan.boxes(problem),
        }
    }

    /// The first setting that is another one in a plan of the same planner among these.
    fn setting_among(&self, others: &[&Staged]) -> Option<(String, String)> {
        let others = || others.iter().filter(|other| other.scene.planner == self.scene.planner);
        if others().any(|other| other.scene.align != self.scene.align) {
            return Some((ALIGN.to_string(), self.bytes(self.scene.align)));
        }
        let differs = |(key, value): &(&String, &String)| {
            others().any(|other| other.options.get(*key).is_some_and(|other| other != *value))
        };
        let (key, value) = self.options.iter().find(differs)?;
        Some((key.clone(), value.clone()))
    }

    /// A value of an option, in words.
    pub fn option(&self, key: &str) -> Result<&str, String> {
        let value = self.options.get(key).map(String::as_str);
        value.ok_or_else(|| format!("{} has no option {key}", self.scene.planner))
    }
}

/// Why a part of a plan cannot be shown.
fn fault_of(seen: Seen, steps: u32) -> Option<String> {
    let (from, to) = seen.steps;
    if from >= to || to > steps {
        return Some(format!("no view of steps {from} to {to}: the run has {steps}"));
    }
    let (low, high) = seen.bytes.filter(|(low, high)| low >= high)?;
    Some(format!("no view of bytes {low} to {high}"))
}

/// The largest unit in which all sizes are whole numbers.
fn unit(run: &Run) -> Unit {
    let fits = |unit: &Unit| {
        let whole = |bytes: u64| bytes.is_multiple_of(unit.bytes());
        run.problem.buffers.iter().all(|buffer| whole(buffer.size)) && whole(run.metrics.peak)
    };
    Unit::ALL.into_iter().rev().find(fits).unwrap_or(Unit::B)
}

/// The plan that the planner of buffer lists, which searches, has for the scene.
pub fn best_plan(staged: &Staged) -> Option<Plan> {
    let planner = planner::find(planner::PORTFOLIO)?;
    let input = Input { problem: &staged.run.problem, graph: staged.run.graph.as_deref() };
    planner.plan(input, &planner.info().defaults(), &mut Silent).ok()
}
