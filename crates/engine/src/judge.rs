//! A program that a student or a reader of a lesson wrote, judged on instances that nobody has
//! seen.
//!
//! The instances are made from the seed of the exercise, the student's name and the text of the
//! program. So a program cannot be written for those that an earlier check has shown, and the same
//! program gets the same verdict wherever it is judged.

use serde::{Deserialize, Serialize};

use super::answer::{Failure, Planned, refused};
use super::assignment::instance_of;
use super::exercise_keys::{value, writable};
use super::exercise_review::{PictureLook, SIZES};
use super::listener::NoListener;
use super::own::{Mistake, OwnProgram, is_writer_here, know_own, read_program};
use super::plan::plan;
use super::source::PlanTask;
use memplan_core::base::Message;
use memplan_core::plan::Plan;
use memplan_core::problem::{Scope, lower_bound};
use memplan_core::text::{Locale, Speech};
use memplan_formats::export;
use memplan_formats::import::Document;
use memplan_planners as planner;
use memplan_replay::{Frame, Run, why};
use memplan_scene::Size;
use memplan_scene::paint::{Theme, export_svg, invalid_svg};
use memplan_teach::choices::{LADDER, WELCOME};
use memplan_teach::exercise::activity::Asks;
use memplan_teach::exercise::link::{ExerciseLink, Source, ratio_text};
use memplan_teach::exercise::variant::{Difficulty, Instance, seed_for};

/// Instances that are made at most in search of those on which a peak can be reached that simple
/// rules miss, for each one that is wanted, and those of them that are as large as asked for.
const SEARCHED: u64 = 200;
const SEARCHED_AS_ASKED: u64 = 40;

/// What came of one instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum InstanceVerdict {
    /// Every place is the planner's, or the peak is small enough.
    Right,
    /// The first place that is another, counted by the planner's decisions from 1.
    Differs(u32),
    /// The peak is too large.
    Large,
    /// The plan breaks a rule.
    Broken,
    /// The program ended in a mistake.
    Stopped,
    /// An earlier instance ended in a mistake.
    Left,
}

/// The first instance that a program does not get right, or one that was asked for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FailedInstance {
    /// Its number, from 1; 0 if the program cannot be read.
    pub number: u32,
    /// What is wrong.
    pub why: Message,
    /// What the program itself gives as the reason of its place; none where nothing is compared.
    pub reason: Option<Message>,
    /// The instance as a file; empty if the program cannot be read.
    pub document: Vec<u8>,
    /// How many decisions of the planner are to be shown.
    pub frame: u32,
    /// The program's plan as an SVG document, up to the wrong place; empty if there is none.
    pub own: String,
    /// The planner's plan, up to the same buffer.
    pub planned: String,
}

/// A program that was judged.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct JudgedProgram {
    /// What came of each instance.
    pub verdicts: Vec<InstanceVerdict>,
    /// The first that is not right, or the one that was asked for.
    pub failed: Option<Box<FailedInstance>>,
}

impl JudgedProgram {
    /// Returns whether each instance is right.
    pub fn marks(&self) -> Vec<bool> {
        self.verdicts.iter().map(|verdict| *verdict == InstanceVerdict::Right).collect()
    }

    /// Returns how many instances are right.
    pub fn right(&self) -> usize {
        self.marks().into_iter().filter(|is_right| *is_right).count()
    }

    /// Returns where the program is wrong, if it cannot be read or ended in a mistake.
    pub fn mistake(&self) -> Option<Mistake> {
        let failed = self.failed.as_ref()?;
        let is_stopped = failed.number == 0
            || self.verdicts.get(failed.number as usize - 1).is_some_and(|it| *it == InstanceVerdict::Stopped);
        is_stopped.then(|| Mistake::of(&failed.why))
    }
}

/// What is judged.
pub(super) struct JudgeConfig<'a> {
    /// The exercise.
    pub link: &'a ExerciseLink,
    /// Name of the student; may be empty.
    pub name: &'a str,
    /// The program.
    pub code: &'a str,
    /// Language of the pictures.
    pub locale: Locale,
    /// Where they are looked at.
    pub look: PictureLook,
    /// The instance to be shown, from 1; none: the first that is not right.
    pub wanted: Option<u32>,
}

/// The instance that a student may look at before a program is judged: none of those that it is
/// judged on.
pub(super) fn shown(link: &ExerciseLink, name: &str) -> Result<Instance, Failure> {
    let mut hidden = Hidden::new(link, name, "");
    hidden.next(false)
}

/// Judges a program.
///
/// # Errors
/// [`Failure::NoWriter`]; a link that asks for no program; instances that there are none of.
pub(super) fn judged(config: &JudgeConfig) -> Result<JudgedProgram, Failure> {
    let link = config.link;
    if link.kind.activity().asks != Asks::Program {
        return value("kind", link.kind.name(), "write");
    }
    writable(link)?;
    if !is_writer_here() {
        return Err(Failure::NoWriter);
    }
    let mut verdicts = vec![InstanceVerdict::Left; usize::from(link.of)];
    let program = OwnProgram::of(config.code);
    match read_program(&program.code) {
        Ok(sheet) => {
            know_own(&program, &sheet);
        }
        Err(why) => {
            let failed = FailedInstance {
                number: 0,
                why,
                reason: None,
                document: Vec::new(),
                frame: 0,
                own: String::new(),
                planned: String::new(),
            };
            return Ok(JudgedProgram { verdicts, failed: Some(Box::new(failed)) });
        }
    }
    let mut hidden = Hidden::new(link, config.name, &program.id);
    let mut failed = None;
    for (at, verdict) in verdicts.iter_mut().enumerate() {
        // The first ones are as the teacher wants them; rare cases need more buffers.
        let is_hard = at * 3 >= usize::from(link.of);
        let instance = hidden.next(is_hard)?;
        let found = compare(config, &program, &instance)?;
        *verdict = found.verdict;
        let number = at as u32 + 1;
        let is_shown = config.wanted.map_or(*verdict != InstanceVerdict::Right, |wanted| wanted == number);
        if is_shown && failed.is_none() {
            failed = Some(Box::new(found.failed(config, number, &instance)));
        }
        if *verdict == InstanceVerdict::Stopped {
            // What stopped once stops again, and an endless loop takes its time.
            break;
        }
    }
    Ok(JudgedProgram { verdicts, failed })
}

/// The instances of a program, one after the other.
struct Hidden<'a> {
    link: &'a ExerciseLink,
    base: u64,
    round: u64,
}

impl Hidden<'_> {
    fn new<'a>(link: &'a ExerciseLink, name: &str, program: &str) -> Hidden<'a> {
        let seed = if let Source::Seed { seed, .. } = link.source { seed } else { 0 };
        Hidden { link, base: seed_for(seed_for(seed, name), program), round: 0 }
    }

    /// The next instance. Where a peak is asked for, the planner reaches it, and the simplest rule
    /// does not. If that is too rare, the rule may reach it, too: a student can change neither seed
    /// nor planner.
    fn next(&mut self, is_hard: bool) -> Result<Instance, Failure> {
        let mut reached = None;
        for searched in 0..SEARCHED {
            self.round += 1;
            let is_hard = is_hard || searched >= SEARCHED_AS_ASKED;
            let hardest = is_hard.then(|| Difficulty::ALL[Difficulty::ALL.len() - 1]);
            let instance = instance_of(self.link, seed_for(self.base, &self.round.to_string()), hardest)?;
            let Some(most) = self.link.most else { return Ok(instance) };
            let simple = if self.link.planner == WELCOME { LADDER[0] } else { WELCOME };
            let run_of = |id: &str| super::assignment::run(&instance.document, id, &[]);
            let is_small = |run: &Run| is_within(run.metrics.peak, lower_bound(&run.problem), most);
            if !is_small(&run_of(&self.link.planner)?) {
                continue;
            }
            if !is_small(&run_of(simple)?) {
                return Ok(instance);
            }
            reached.get_or_insert(instance);
        }
        reached.ok_or_else(|| refused(Message::new("variant.none-found").count("n", SEARCHED)))
    }
}

/// Whether a peak is at most so many hundredths of the bound.
fn is_within(peak: u64, bound: u64, most: u16) -> bool {
    u128::from(peak) * 100 <= u128::from(bound) * u128::from(most)
}

/// A ratio in hundredths, rounded up: what is too large does not look like what is allowed.
fn hundredths(peak: u64, bound: u64) -> u16 {
    (u128::from(peak) * 100).div_ceil(u128::from(bound.max(1))).try_into().unwrap_or(u16::MAX)
}

/// A program beside the planner on one instance.
struct Compared {
    verdict: InstanceVerdict,
    why: Message,
    /// The planner's run, and the event up to which it is shown.
    planned: (Run, u32),
    /// The program's, if it gave a plan.
    own: Option<(Run, u32)>,
    /// Decisions of the planner that are shown.
    frame: u32,
}

impl Compared {
    fn failed(self, config: &JudgeConfig, number: u32, instance: &Instance) -> FailedInstance {
        let theme = if config.look.dark { Theme::Dark } else { Theme::Light };
        let (width, height) = SIZES[1];
        let speech = Speech { locale: config.locale, ..Speech::default() };
        let by = |draw: fn(&Run, &Frame, Size, Theme, Speech) -> String| {
            move |(run, events): &(Run, u32)| draw(run, &run.frame(*events), (width, height), theme, speech)
        };
        let own = by(if self.verdict == InstanceVerdict::Broken { invalid_svg } else { export_svg });
        let differs = matches!(self.verdict, InstanceVerdict::Differs(_));
        let reason = self.own.as_ref().filter(|_| differs).map(|(run, events)| why(run, &run.frame(*events)).headline);
        FailedInstance {
            number,
            why: self.why,
            reason,
            document: file_of(instance),
            frame: self.frame,
            own: self.own.as_ref().map(own).unwrap_or_default(),
            planned: by(export_svg)(&self.planned),
        }
    }
}

/// An instance as a file.
pub(super) fn file_of(instance: &Instance) -> Vec<u8> {
    match &instance.document {
        Document::Graph(graph) => export::graph(graph).into_bytes(),
        _ => export::csv(&instance.problem, None).into_bytes(),
    }
}

fn compare(config: &JudgeConfig, program: &OwnProgram, instance: &Instance) -> Result<Compared, Failure> {
    let link = config.link;
    let planned = planned_by(&instance.document, &link.planner).map_err(refused)?;
    let (bound, graph) = (planned.metrics.bound(), instance.document.graph().cloned().map(std::rc::Rc::new));
    let reference = planned.into_run(graph.as_ref());
    let last = |run: &Run| run.timeline.decisions.last().map_or(0, |decision| decision.end);
    let found = planned_by(&instance.document, &program.id);
    let own = match found {
        Ok(own) => own,
        Err(why) => {
            let planned = (reference, 0);
            return Ok(Compared { verdict: InstanceVerdict::Stopped, why, planned, own: None, frame: 0 });
        }
    };
    let broken = own.violations.first().cloned();
    let (peak, plan) = (own.metrics.peak, own.plan.clone());
    let own = own.into_run(graph.as_ref());
    let offset = |plan: &Plan, id| plan.places[id].map(|place| place.offset);
    let differing = (1..).zip(&reference.timeline.decisions).find(|(_, decision)| {
        let id = decision.buffer;
        reference.problem.buffers[id].size > 0 && offset(&plan, id) != offset(&reference.plan, id)
    });
    let (ends, all) = ((last(&own), last(&reference)), reference.timeline.decisions.len() as u32);
    let right = || (InstanceVerdict::Right, Message::new("lesson.right"), ends, all);
    let (verdict, why, ends, frame) = match (broken, link.most, differing) {
        (Some(reason), ..) => {
            (InstanceVerdict::Broken, Message::new("write.broken").inner("reason", reason), ends, all)
        }
        (None, Some(most), _) if is_within(peak, bound, most) => right(),
        (None, Some(most), _) => {
            let why = Message::new("write.large").bytes("peak", peak).bytes("bound", bound);
            let why = why.text("ratio", ratio_text(hundredths(peak, bound))).text("most", ratio_text(most));
            (InstanceVerdict::Large, why, ends, all)
        }
        (None, None, None) => right(),
        (None, None, Some((at, decision))) => {
            let id = decision.buffer;
            let own_end = own.timeline.decision_of(id).map_or(ends.0, |at| own.timeline.decisions[at].end);
            let speech = Speech { locale: config.locale, ..Speech::default() };
            let why = Message::new("write.differs")
                .name("name", reference.problem.buffers[id].name.clone())
                .address("own", offset(&plan, id).unwrap_or_default())
                .address("wanted", offset(&reference.plan, id).unwrap_or_default())
                .text("planner", planner::name_in_text(&link.planner, false, speech));
            (InstanceVerdict::Differs(at), why, (own_end, decision.end), at)
        }
    };
    Ok(Compared { verdict, why, own: Some((own, ends.0)), frame, planned: (reference, ends.1) })
}

/// The plan of a planner with its default options, with every event.
fn planned_by(document: &Document, id: &str) -> Result<Planned, Message> {
    plan(document, &Scope::default(), &PlanTask::of(id), None, &mut NoListener).map_err(|none| none.why)
}
