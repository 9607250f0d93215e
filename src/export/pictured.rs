//! What of a comparison leaves the page as a picture: the bars, the columns as they stand, and the
//! sentence below each.

use crate::compare::state::comparison::Column;
use crate::compare::state::together::Stand;
use crate::context::Page;
use crate::context::same::Same;
use crate::plan::beside::{
    bound_is, by_need, distance, figures_words, finished_words, peak_of, style_beside, why_left_out,
};
use memplan_core::base::Message;
use memplan_core::plan::above;
use memplan_planners as planner;
use memplan_replay::{Run, twins, why};
use memplan_scene::paint::Carries;
use memplan_scene::{self as scene, Beside, Board, BoardBar, Caption, Index, Scene, Size, Style, Title};

/// All that the picture of a comparison is drawn from.
#[derive(Clone, PartialEq)]
pub struct Pictured {
    columns: Vec<PicturedColumn>,
    against: Option<Same<Run>>,
    bars: Vec<BoardBar>,
    unshared: Option<BoardBar>,
    bound: u64,
    fit_each: bool,
    /// The graph, and what its lower bound is.
    names: [String; 2],
    /// Which frame of the reference it is.
    moment: String,
    style: Style,
}

#[derive(Clone, PartialEq)]
struct PicturedColumn {
    run: Same<Run>,
    index: Same<Index>,
    /// Number of events applied; none for the finished plan.
    events: Option<u32>,
    style: Style,
    name: String,
    figures: String,
    why: String,
}

impl Pictured {
    /// The comparison on the page; none as long as it has no plan.
    pub fn of(page: &Page) -> Option<Pictured> {
        let (comparing, speech) = (&page.state.comparing, page.speech());
        let reference = comparing.reference()?;
        let own = comparing.reference_column()?;
        let step = comparing.step();
        let panel = (f64::INFINITY, 0.0);
        let column = |column: &Column| {
            let shown = column.plan()?;
            let stand = comparing.stand(column, shown);
            let reads = stand.finished && stand.left_out.is_none();
            let style = style_beside(page, &shown.run, panel, comparing.turned, !comparing.differences);
            let is_reference = std::ptr::eq(column, own);
            let frame = || shown.run.frame(stand.events);
            let say = |messages: &[Option<Message>]| {
                messages.iter().flatten().map(|message| speech.say(message)).collect::<Vec<String>>().join(" ")
            };
            let why = match stand {
                Stand { left_out: Some(id), .. } => say(&why_left_out(&shown.run, id)),
                Stand { finished: true, .. } => {
                    say(&[Some(above(&shown.run.problem, &shown.run.plan, &shown.found.figures, step))])
                }
                _ => say(&[Some(why(&shown.run, &frame()).headline)]),
            };
            Some(PicturedColumn {
                run: Same(shown.run.clone()),
                index: Same(shown.index().clone()),
                events: (!stand.finished).then_some(stand.events),
                style: Style { at_step: reads.then_some(step), squeeze: comparing.squeeze_of(shown), ..style },
                name: column.choice.words(speech),
                figures: match stand.finished {
                    true => finished_words(page, &shown.found.figures, is_reference),
                    false => figures_words(page, shown, &frame()).join(" · "),
                },
                why,
            })
        };
        let bar = |&(_, column, figures): &(usize, &Column, &memplan_core::plan::Figures)| {
            let bytes = peak_of(figures);
            let words = match (bytes, figures.objection()) {
                (Some(bytes), _) => format!("{} {}", speech.bytes(bytes), distance(page, figures)),
                (None, objection) => objection.map_or_else(String::new, |objection| speech.say(&objection)),
            };
            BoardBar { name: column.choice.words(speech), bytes, bound: figures.metrics.bound(), words }
        };
        let unshared = reference.run.problem.unshared();
        let bound = reference.found.figures.metrics.lower_bound;
        let (frame, last) = comparing.frame();
        Some(Pictured {
            columns: comparing.columns.iter().filter_map(column).collect(),
            against: comparing.differences.then(|| Same(reference.run.clone())),
            bars: by_need(comparing).iter().map(bar).collect(),
            unshared: Some(BoardBar {
                name: page.word("compare.unshared"),
                bytes: Some(unshared),
                bound,
                words: speech.bytes(unshared),
            }),
            bound,
            fit_each: comparing.fit_each,
            names: [reference.run.problem.name.clone(), bound_is(page, reference)],
            moment: if comparing.is_finished() {
                page.word("compare.finished")
            } else {
                speech.say(&Message::new("picture.frame").count("frame", frame).count("last", last))
            },
            style: Style { titles: true, ..style_beside(page, &reference.run, panel, false, false) },
        })
    }

    /// The two files on the page; none as long as one of them has no plan.
    pub fn of_files(page: &Page) -> Option<Pictured> {
        let (diffing, speech) = (&page.state.diffing, page.speech());
        let shown = diffing.shown()?;
        let panel = (f64::INFINITY, 0.0);
        let steps = diffing.steps();
        let why: Vec<String> = shown.sentences.iter().map(|sentence| speech.say(sentence)).collect();
        let name = |side: usize| page.word(["diff.old", "diff.new"][side]);
        let column = |side: usize| {
            let (run, index) = shown.sides[side].clone();
            let figures = &shown.figures[side];
            let words = Message::new("picture.figures").bytes("peak", figures.peak).bytes("bound", figures.bound);
            let ratio = (figures.bound > 0).then(|| figures.peak as f64 / figures.bound as f64);
            let words = words.text("ratio", ratio.map_or_else(|| "–".into(), |ratio| format!("{ratio:.2}×")));
            PicturedColumn {
                style: Style { at_step: Some(steps[side]), ..style_beside(page, &run, panel, false, true) },
                run: Same(run),
                index: Same(index),
                events: None,
                name: name(side),
                figures: speech.say(&words),
                why: if side == 1 { why.join(" ") } else { String::new() },
            }
        };
        let bar = |side: usize| {
            let figures = &shown.figures[side];
            BoardBar {
                name: name(side),
                bytes: Some(figures.peak),
                bound: figures.bound,
                words: speech.bytes(figures.peak),
            }
        };
        Some(Pictured {
            style: Style { titles: true, ..style_beside(page, &shown.sides[1].0, panel, false, false) },
            columns: (0..2).map(column).collect(),
            against: None,
            bars: (0..2).map(bar).collect(),
            unshared: None,
            bound: shown.figures[1].bound,
            fit_each: false,
            names: [shown.name.clone(), planner::title_of(&shown.planner, speech)],
            moment: page.word("compare.finished"),
        })
    }

    /// Draws the picture at a size with pixels of a size, both in css pixels; `link` opens it.
    pub fn scenes(&self, size: Size, pixel: f64, carries: Carries, link: &str) -> Vec<Scene> {
        let plan = |column: &PicturedColumn| {
            let run = &column.run;
            column.events.map_or_else(|| run.finished(), |events| run.frame(events))
        };
        let frames: Vec<_> = self.columns.iter().map(plan).collect();
        let narrow = size.0 / self.columns.len().max(1) as f64 <= 520.0;
        let plans: Vec<Beside> = self
            .columns
            .iter()
            .zip(&frames)
            .map(|(column, frame)| {
                let run = &column.run;
                let against = self.against.as_ref().filter(|against| *against != run);
                Beside {
                    run,
                    index: &column.index,
                    frame,
                    style: Style { pixel, narrow: narrow || column.style.turned, ..column.style },
                    stepping: column.events.is_some(),
                    twins: against.map(|against| twins(run, &against.0)),
                    name: column.name.clone(),
                    figures: column.figures.clone(),
                    why: if carries.why { column.why.clone() } else { String::new() },
                }
            })
            .collect();
        let [graph, bound] = self.names.clone();
        let title = Title { graph, planner: bound, ..Title::default() };
        let board = Board {
            caption: Caption {
                title: carries.title.then_some(title),
                moment: carries.moment.then(|| self.moment.clone()),
                legend: carries.legend,
                why: None,
                link: (carries.link && !link.is_empty()).then(|| link.to_string()),
            },
            bars: self.bars.clone(),
            unshared: self.unshared.clone(),
            bound: self.bound,
            fit_each: self.fit_each,
        };
        scene::beside(&plans, &board, size, &Style { pixel, ..self.style })
    }

    /// Name of the graph.
    pub fn graph(&self) -> &str {
        &self.names[0]
    }
}
