//! A worksheet: two pages for the printer, without script. Page 1 has the buffers, questions and a
//! grid in which some buffers already lie; page 2 has the answers with the plans. Every figure
//! comes from runs of the planners.

mod grid;

use std::fmt::Write;

use self::grid::{Drawn, Scale};
use memplan_core::base::{Family, IdVec, Message, Unit};
use memplan_core::plan::PoolRole;
use memplan_core::problem::{BufferId, load, lower_bound};
use memplan_core::text::{Locale, Speech, live};
use memplan_planners as planner;
use memplan_replay::{Level, Run, why};
use memplan_scene::paint::svg::escaped;

/// Most buffers: what fits on a page, and what a student can place in a quarter of an hour.
pub const MAX_BUFFERS: usize = 12;

/// Most planners on the answer page.
pub const MAX_PLANNERS: usize = 3;

/// Most loads that are asked for.
const MAX_LOADS: usize = 24;

/// Loads in a row of their table.
const LOADS_IN_ROW: usize = 6;

/// The size of the paper.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Paper {
    /// 210 × 297 mm.
    #[default]
    A4,
    /// 8.5 × 11 inches.
    Letter,
}

impl Paper {
    /// Its name in style sheets.
    const fn name(self) -> &'static str {
        match self {
            Paper::A4 => "A4",
            Paper::Letter => "letter",
        }
    }

    /// Width and height of a page in millimetres; a little less than the paper, so that rounding
    /// makes no third page.
    const fn millimetres(self) -> (f64, f64) {
        match self {
            Paper::A4 => (210.0, 296.8),
            Paper::Letter => (215.9, 279.2),
        }
    }

    /// Width inside the margins and height in css pixels.
    fn room(self) -> (f64, f64) {
        let (width, height) = self.millimetres();
        ((width - 32.0) / 25.4 * 96.0, height / 25.4 * 96.0)
    }
}

/// What a worksheet is made of.
#[derive(Clone, Copy, Debug)]
pub struct Wish<'a> {
    /// Runs of up to three planners on one document; the first one is drawn by hand.
    pub runs: &'a [Run],
    /// Decisions of the first run that are given.
    pub given: u32,
    /// The paper.
    pub paper: Paper,
    /// Where the exercise can be opened; may be empty.
    pub link: &'a str,
    /// Language of the sentences.
    pub speech: Speech,
}

/// The worksheet as an HTML document.
///
/// # Errors
/// Why there is none, in words: too many buffers or planners, more given than there is, or buffers
/// without an address in one arena.
pub fn write(wish: &Wish) -> Result<String, Message> {
    let Some(first) = wish.runs.first().filter(|_| wish.runs.len() <= MAX_PLANNERS) else {
        return Err(Message::new("worksheet.planners").count("most", MAX_PLANNERS as u64));
    };
    let buffers = first.problem.buffers.len();
    if buffers == 0 || buffers > MAX_BUFFERS {
        return Err(Message::new("worksheet.too-many").count("most", MAX_BUFFERS as u64).count("n", buffers as u64));
    }
    let decisions = first.timeline.frames(Level::Decisions).saturating_sub(1);
    if wish.given > decisions {
        return Err(Message::new("worksheet.given-too-many").count("n", wish.given).count("most", decisions));
    }
    if let Some(run) = wish.runs.iter().find(|run| !is_one_arena(run)) {
        let planner = planner::title_of(&run.planner, wish.speech);
        return Err(Message::new("worksheet.one-arena").text("planner", planner));
    }
    Ok(Sheet::new(wish, first).html())
}

/// Whether every buffer has an address in one arena.
fn is_one_arena(run: &Run) -> bool {
    let mut pools = run.plan.places.iter().map(|place| place.map(|place| place.pool));
    let Some(Some(first)) = pools.next() else { return false };
    let is_storage = run.plan.pools.get(first).is_some_and(|pool| pool.role == PoolRole::Storage);
    !is_storage && pools.all(|pool| pool == Some(first))
}

/// Returns the two pages of a worksheet that was written, without the document around them.
pub fn pages(html: &str) -> &str {
    let (_, rest) = html.split_once(BODY).unwrap_or_default();
    rest.split_once("</body>").map_or(rest, |(pages, _)| pages)
}

/// The tag before the first page.
const BODY: &str = "<body class=\"paper\">\n";

struct Sheet<'a> {
    wish: &'a Wish<'a>,
    first: &'a Run,
    /// Buffers in the order of the first planner.
    order: Vec<BufferId>,
    /// Scale of the grid, which does not tell how high the plans are.
    scale: Scale,
    /// Scale of the answers.
    answered: Scale,
}

impl<'a> Sheet<'a> {
    fn new(wish: &'a Wish, first: &'a Run) -> Sheet<'a> {
        let mut order: Vec<BufferId> = Vec::new();
        let decided = first.timeline.decisions.iter().map(|decision| decision.buffer);
        for id in decided.chain(first.problem.buffers.ids()) {
            if !order.contains(&id) {
                order.push(id);
            }
        }
        let highest = wish.runs.iter().map(|run| run.metrics.peak).max().unwrap_or(0);
        let sizes: Vec<u64> = first.problem.buffers.iter().map(|buffer| buffer.size).collect();
        let scale = Scale::new(unit(wish.runs), highest, first.problem.steps, &sizes);
        let answered = Scale::up_to(scale.unit, highest, first.problem.steps, &sizes);
        Sheet { wish, first, order, scale, answered }
    }

    fn say(&self, message: &Message) -> String {
        escaped(&self.wish.speech.say(message))
    }

    fn word(&self, key: &str) -> String {
        escaped(&self.wish.speech.word(key))
    }

    /// What a planner is called: a textbook rule by its name alone, the planner of a system with
    /// that.
    fn planner(&self, run: &Run) -> String {
        let is_textbook = Locale::has(&Family::PLANNER_SYSTEM.of([run.planner.as_str()]));
        let name = planner::info(&run.planner).filter(|_| is_textbook).map(|info| info.title(self.wish.speech).1);
        name.unwrap_or_else(|| planner::title_of(&run.planner, self.wish.speech))
    }

    /// Bytes in the unit of the sheet.
    fn amount(&self, bytes: u64) -> String {
        escaped(&self.scale.unit.words(bytes))
    }

    fn offset(&self, run: &Run, id: BufferId) -> Option<u64> {
        run.plan.places[id].map(|place| place.offset)
    }

    /// Whether a place is given: it is drawn, and the planner of a column takes it, too.
    fn is_given(&self, run: &Run, id: BufferId) -> bool {
        self.drawn()[id].is_some_and(|place| self.offset(run, id) == Some(place.offset))
    }

    /// Where buffers lie after the given decisions.
    fn drawn(&self) -> IdVec<BufferId, Option<memplan_core::plan::Place>> {
        let events = self.first.timeline.events_at(Level::Decisions, self.wish.given);
        self.first.frame(events).places
    }

    fn html(&self) -> String {
        let speech = self.wish.speech;
        let paper = self.wish.paper.name();
        let title = self.say(&Message::new("worksheet.name").name("graph", self.first.problem.name.clone()));
        // The page that makes it has the same rules, for its preview and for printing.
        let style = include_str!("sheet.css");
        format!(
            "<!doctype html>\n<html lang=\"{}\">\n<head><meta charset=\"utf-8\"><title>{title}</title>\n<style>\n@page{{size:{paper};margin:0}}\n{style}</style></head>\n{BODY}{}{}</body>\n</html>\n",
            speech.locale.tag(),
            self.questions(&title),
            self.answers(&title),
        )
    }

    fn head(&self, title: &str, right: &str, heading: &str) -> String {
        let paper = self.wish.paper.name().to_ascii_lowercase();
        format!(
            "<section class=\"paper-sheet {paper}\">\n<div class=\"paper-head\"><div>{title}</div><div>{right}</div></div>\n<h1>{heading}</h1>\n"
        )
    }

    fn foot(&self, left: &str) -> String {
        format!("<div class=\"foot\"><span>{left}</span><span>{}</span></div>\n</section>\n", escaped(self.wish.link))
    }

    fn questions(&self, title: &str) -> String {
        let named = |key: &'static str, run: &Run| self.say(&Message::new(key).text("planner", self.planner(run)));
        let blank = "<span class=\"blank\"></span>";
        let right =
            format!("{} {blank}{blank} &emsp; {} {blank}", self.word("worksheet.student"), self.word("worksheet.date"));
        let mut html = self.head(title, &right, &self.word("worksheet.title"));
        let intro = Message::new(if self.wish.given == 0 { "worksheet.intro-none" } else { "worksheet.intro" })
            .count("n", self.order.len() as u64)
            .count("given", self.wish.given)
            .text("planner", self.planner(self.first));
        put(&mut html, format_args!("<p>{}</p>\n", self.say(&intro)));
        for run in self.wish.runs {
            let rule = Message::new("worksheet.rule")
                .text("planner", self.planner(run))
                .inner("rule", Message::new(Family::HOW.of([run.planner.as_str(), "what"])));
            put(&mut html, format_args!("<p>{}</p>\n", self.say(&rule)));
        }
        let words = Message::new("worksheet.words").live("live", 2, 5);
        put(&mut html, format_args!("<p class=\"words\">{}</p>\n", self.say(&words)));
        put(&mut html, format_args!("<div class=\"paper-columns\">\n{}<div>\n", self.table(false)));
        let mut number = 0;
        let mut ask = |html: &mut String, text: &str| {
            number += 1;
            put(html, format_args!("<p><b>{number}</b> {text}</p>\n"));
        };
        ask(&mut html, &self.word("worksheet.load"));
        html += &self.loads(|_| String::new());
        let unit = self.scale.unit.name();
        ask(&mut html, &format!("{} {blank} {unit}", self.word("worksheet.bound")));
        for run in self.wish.runs {
            let ratio = self.word("worksheet.ratio");
            ask(&mut html, &format!("{} {blank} {unit}<br>{ratio} {blank}", named("worksheet.peak", run)));
        }
        let rules = "<span class=\"rule\"></span>";
        ask(&mut html, &format!("{}{rules}", named("worksheet.grows", self.first)));
        if self.wish.runs.len() > 1 {
            ask(&mut html, &format!("{}{rules}{rules}", self.word("worksheet.differ")));
        }
        let grid = Message::new("worksheet.grid").text("planner", self.planner(self.first));
        let grid = self.say(&grid.text("square", self.scale.unit.words(self.scale.square)));
        let step = self.wish.speech.word("worksheet.step");
        let drawn = Drawn {
            problem: &self.first.problem,
            places: self.drawn(),
            given: &|_| true,
            lines: Vec::new(),
            step: &step,
        };
        let (width, height) = self.wish.paper.room();
        let used = 280.0 + 42.0 * (self.wish.runs.len() as f64) + self.column_height(true);
        let size = (width, (height - used).clamp(200.0, 560.0));
        put(
            &mut html,
            format_args!(
                "</div>\n</div>\n<div class=\"paper-plan\"><p>{grid}</p>\n{}</div>\n",
                grid::plan(&drawn, self.scale, size, &grid)
            ),
        );
        html + &self.foot(&self.word("worksheet.foot"))
    }

    /// About how many pixels the higher of the two columns takes. The style sheet makes pictures
    /// smaller if it is more.
    fn column_height(&self, is_asked: bool) -> f64 {
        let (runs, rows) = (self.wish.runs.len() as f64, self.asked_steps().len().div_ceil(LOADS_IN_ROW) as f64);
        let differs = if self.wish.runs.len() < 2 {
            0.0
        } else if is_asked {
            95.0
        } else {
            50.0 * runs
        };
        let questions = 55.0 + 50.0 * rows + 46.0 * runs + 80.0 + differs;
        questions.max(48.0 + 26.0 * self.order.len() as f64)
    }

    /// The buffers: with addresses to be filled in, or with the answers.
    fn table(&self, is_answered: bool) -> String {
        let unit = self.scale.unit.name();
        let mut html = format!(
            "<table class=\"buffers\"><thead><tr><th>{}</th><th>{unit}</th><th>{}</th>",
            self.word("exercise.column-name"),
            self.word("exercise.column-live")
        );
        for run in self.wish.runs {
            let from = Message::new("worksheet.from").text("planner", self.planner(run));
            put(&mut html, format_args!("<th>{}</th>", self.say(&from)));
        }
        html += "</tr></thead><tbody>\n";
        for &id in &self.order {
            let buffer = &self.first.problem.buffers[id];
            let (size, life) = (self.scale.unit.figure(buffer.size), live(buffer.live.start, buffer.live.end));
            put(&mut html, format_args!("<tr><td>{}</td><td>{size}</td><td>{life}</td>", escaped(&buffer.name)));
            for run in self.wish.runs {
                let offset = self.offset(run, id).map(|offset| self.scale.unit.figure(offset)).unwrap_or_default();
                html += &match (is_answered, self.is_given(run, id)) {
                    (true, _) => format!("<td>{offset}</td>"),
                    (false, true) => format!("<td class=\"fill given\">{}</td>", self.word("worksheet.given")),
                    (false, false) => "<td class=\"fill\"></td>".to_string(),
                };
            }
            html += "</tr>\n";
        }
        html + "</tbody></table>\n"
    }

    /// All steps; of many, those at which the load changes.
    fn asked_steps(&self) -> Vec<u32> {
        let steps = self.first.problem.steps;
        if steps as usize <= MAX_LOADS {
            return (0..steps).collect();
        }
        let buffers = &self.first.problem.buffers;
        let is_change = |step: &u32| {
            let changes =
                |buffer: &memplan_core::problem::Buffer| buffer.live.start == *step || buffer.live.end == *step;
            *step == 0 || buffers.iter().any(changes)
        };
        (0..steps).filter(is_change).take(MAX_LOADS).collect()
    }

    fn loads(&self, of: impl Fn(u32) -> String) -> String {
        let mut html = String::new();
        let steps = self.asked_steps();
        // Rows of as many boxes, as far as that goes.
        let rows = steps.len().div_ceil(LOADS_IN_ROW).max(1);
        for row in steps.chunks(steps.len().div_ceil(rows).max(1)) {
            html += "<table class=\"paper-steps\"><tr>";
            row.iter().for_each(|step| put(&mut html, format_args!("<th>{step}</th>")));
            html += "</tr><tr>";
            row.iter().for_each(|&step| put(&mut html, format_args!("<td>{}</td>", of(step))));
            html += "</tr></table>\n";
        }
        html
    }

    fn answers(&self, title: &str) -> String {
        let mut html = self.head(title, "", &self.word("worksheet.answers"));
        put(&mut html, format_args!("<div class=\"paper-columns\">\n{}<div>\n", self.table(true)));
        let loads = load(&self.first.problem, |_| true).by_step(self.first.problem.steps);
        let bound = lower_bound(&self.first.problem);
        let figure = |step: u32| self.scale.unit.figure(loads[step as usize]);
        let mut list = vec![format!("{}{}", self.word("worksheet.load"), self.loads(figure))];
        let full: Vec<String> =
            (0..).zip(&loads).filter(|(_, load)| **load == bound).map(|(step, _): (u32, _)| step.to_string()).collect();
        let sentence = Message::new("worksheet.bound-is").text("bound", self.scale.unit.words(bound));
        list.push(self.say(&sentence.text("steps", full.join(", "))));
        for run in self.wish.runs {
            let sentence = Message::new("worksheet.peak-is")
                .text("planner", self.planner(run))
                .text("peak", self.scale.unit.words(run.metrics.peak));
            let ratio = if bound == 0 { 1.0 } else { run.metrics.peak as f64 / bound as f64 };
            list.push(self.say(&sentence.text("ratio", format!("{ratio:.2}"))));
        }
        list.push(self.growths());
        list.extend(self.difference());
        let items: String = list.iter().map(|item| format!("<li>{item}</li>\n")).collect();
        put(&mut html, format_args!("<ol>\n{items}</ol>\n</div>\n</div>\n"));
        let (width, height) = self.wish.paper.room();
        let count = self.wish.runs.len() as f64;
        let used = 125.0 + self.column_height(false);
        let size = (width, ((height - used) / count - 28.0).clamp(110.0, 320.0));
        let step = self.wish.speech.word("worksheet.step");
        for run in self.wish.runs {
            let sentence = Message::new("worksheet.plan").text("planner", self.planner(run));
            let caption = self.say(&sentence.text("peak", self.scale.unit.words(run.metrics.peak)));
            let line = |key: &'static str, bytes: u64, is_bound: bool| {
                let words = Message::new(key).text("size", self.scale.unit.words(bytes));
                (bytes, self.wish.speech.say(&words), is_bound)
            };
            let lines =
                vec![line("worksheet.line-peak", run.metrics.peak, false), line("worksheet.line-bound", bound, true)];
            let given = |id: BufferId| self.is_given(run, id);
            let drawn =
                Drawn { problem: &run.problem, places: run.plan.places.clone(), given: &given, lines, step: &step };
            let picture = grid::plan(&drawn, self.answered, size, &caption);
            put(&mut html, format_args!("<div class=\"paper-plan\"><p>{caption}</p>\n{picture}</div>\n"));
        }
        html + &self.foot(&self.word("worksheet.foot-answers"))
    }

    /// The buffers after the given ones that make the arena of the first planner grow.
    fn growths(&self) -> String {
        let growth = |at: u32| {
            let decision = &self.first.timeline.decisions[at as usize];
            let (before, after) = (self.first.frame(decision.begin), self.first.frame(decision.end));
            let grew = after.peak.saturating_sub(before.peak);
            let name = &self.first.problem.buffers[decision.buffer].name;
            (grew > 0).then(|| format!("{} +{}", escaped(name), self.amount(grew)))
        };
        let count = self.first.timeline.decisions.len() as u32;
        let growths: Vec<String> = (self.wish.given..count).filter_map(growth).collect();
        if growths.is_empty() { self.word("worksheet.grows-none") } else { growths.join(", ") }
    }

    /// The first buffer that the planners put in different places, with what each of them says of
    /// it.
    fn difference(&self) -> Option<String> {
        let runs = self.wish.runs;
        if runs.len() < 2 {
            return None;
        }
        let differs = |id: &&BufferId| runs.iter().any(|run| self.offset(run, **id) != self.offset(self.first, **id));
        let Some(&id) = self.order.iter().find(differs) else {
            return Some(self.word("worksheet.differ-none"));
        };
        let sentence = runs.iter().map(|run| {
            let decision = run.timeline.decisions.iter().find(|decision| decision.buffer == id);
            let headline = decision.map(|decision| why(run, &run.frame(decision.end)).headline);
            let headline = headline.map(|headline| self.say(&headline)).unwrap_or_default();
            format!("{}: {headline}", escaped(&self.planner(run)))
        });
        let name = Message::new("worksheet.differ-at").name("name", self.first.problem.buffers[id].name.clone());
        Some(format!("{} {}", self.say(&name), sentence.collect::<Vec<_>>().join(" ")))
    }
}

/// The largest unit of which every size and address is a whole multiple.
fn unit(runs: &[Run]) -> Unit {
    let is_whole = |unit: Unit| {
        runs.iter().all(|run| {
            let sizes = run.problem.buffers.iter().map(|buffer| buffer.size);
            let offsets = run.plan.places.iter().flatten().map(|place| place.offset);
            sizes.chain(offsets).all(|bytes| bytes.is_multiple_of(unit.bytes()))
        })
    };
    Unit::ALL.into_iter().rev().find(|&unit| is_whole(unit)).unwrap_or(Unit::B)
}

fn put(html: &mut String, arguments: std::fmt::Arguments) {
    html.write_fmt(arguments).expect("writing to a string");
}

#[cfg(test)]
mod tests;
