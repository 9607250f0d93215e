//! A worksheet: two pages for the printer, without script. Page 1 has the buffers, questions and a
//! grid in which some buffers already lie; page 2 has the answers with the plans. Every figure
//! comes from runs of the planners.

mod grid;

use self::grid::{Drawn, Scale};
use maud::{Markup, PreEscaped, html};
use memplan_core::base::{Arg, Family, IdVec, Message, Unit};
use memplan_core::plan::PoolRole;
use memplan_core::problem::{BufferId, load, lower_bound};
use memplan_core::text::{Locale, Speech, live};
use memplan_planners as planner;
use memplan_replay::{Level, Run, why};
use memplan_scene::paint::svg::harmless;

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
pub struct WorksheetConfig<'a> {
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
pub fn write(config: &WorksheetConfig) -> Result<String, Message> {
    let Some(first) = config.runs.first().filter(|_| config.runs.len() <= MAX_PLANNERS) else {
        return Err(Message::new("worksheet.planners").count("most", MAX_PLANNERS as u64));
    };
    let buffers = first.problem.buffers.len();
    if buffers == 0 || buffers > MAX_BUFFERS {
        return Err(Message::new("worksheet.too-many").count("most", MAX_BUFFERS as u64).count("n", buffers as u64));
    }
    let decisions = first.timeline.frames(Level::Decisions).saturating_sub(1);
    if config.given > decisions {
        return Err(Message::new("worksheet.given-too-many").count("n", config.given).count("most", decisions));
    }
    if let Some(run) = config.runs.iter().find(|run| !is_one_arena(run)) {
        let planner = planner::title_of(&run.planner, config.speech);
        return Err(Message::new("worksheet.one-arena").text("planner", planner));
    }
    Ok(Sheet::new(config, first).document().into_string())
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
    config: &'a WorksheetConfig<'a>,
    first: &'a Run,
    /// Buffers in the order of the first planner.
    order: Vec<BufferId>,
    /// Scale of the grid, which does not tell how high the plans are.
    scale: Scale,
    /// Scale of the answers.
    answered: Scale,
}

impl<'a> Sheet<'a> {
    fn new(config: &'a WorksheetConfig, first: &'a Run) -> Sheet<'a> {
        let mut order: Vec<BufferId> = Vec::new();
        let decided = first.timeline.decisions.iter().map(|decision| decision.buffer);
        for id in decided.chain(first.problem.buffers.ids()) {
            if !order.contains(&id) {
                order.push(id);
            }
        }
        let highest = config.runs.iter().map(|run| run.metrics.peak).max().unwrap_or(0);
        let sizes: Vec<u64> = first.problem.buffers.iter().map(|buffer| buffer.size).collect();
        let scale = Scale::new(unit(config.runs), highest, first.problem.steps, &sizes);
        let answered = Scale::up_to(scale.unit, highest, first.problem.steps, &sizes);
        Sheet { config, first, order, scale, answered }
    }

    fn say(&self, message: &Message) -> String {
        harmless(&self.config.speech.say(message))
    }

    fn word(&self, key: &str) -> String {
        self.config.speech.word(key)
    }

    /// What a planner is called: a textbook rule by its name alone, the planner of a system with
    /// that.
    fn planner(&self, run: &Run) -> String {
        let is_textbook = Locale::has(&Family::PLANNER_SYSTEM.of([run.planner.as_str()]));
        let name = planner::info(&run.planner).filter(|_| is_textbook).map(|info| info.title(self.config.speech).1);
        name.unwrap_or_else(|| planner::title_of(&run.planner, self.config.speech))
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
        let events = self.first.timeline.events_at(Level::Decisions, self.config.given);
        IdVec::from(&self.first.frame(events).places)
    }

    fn document(&self) -> Markup {
        let title = self.say(&Message::new("worksheet.name").name("graph", self.first.problem.name.clone()));
        html! {
            (PreEscaped("<!doctype html>\n"))
            html lang=(self.config.speech.locale.tag()) { "\n"
                head {
                    meta charset="utf-8";
                    title { (title) } "\n"
                    // The page that makes it has the same rules, for its preview and for printing.
                    style {
                        "\n@page{size:" (self.config.paper.name()) ";margin:0}\n"
                        (PreEscaped(include_str!("sheet.css")))
                    }
                } "\n"
                body.paper { "\n" (self.questions(&title)) (self.answers(&title)) } "\n"
            } "\n"
        }
    }

    /// A page with what both have.
    fn page(&self, head: [Markup; 2], heading: &str, content: &Markup, foot: &str) -> Markup {
        let [left, right] = head;
        html! {
            section class={ "paper-sheet " (self.config.paper.name().to_ascii_lowercase()) } { "\n"
                div.paper-head { div { (left) } div { (right) } } "\n"
                h1 { (heading) } "\n"
                (content)
                div.foot { span { (foot) } span { (harmless(self.config.link)) } } "\n"
            } "\n"
        }
    }

    fn questions(&self, title: &str) -> Markup {
        let named = |key: &'static str, run: &Run| self.say(&Message::new(key).text("planner", self.planner(run)));
        let (blank, rule) = (html! { span.blank {} }, html! { span.rule {} });
        let right = html! {
            (self.word("worksheet.student")) " " (blank) (blank) (PreEscaped(" &emsp; "))
            (self.word("worksheet.date")) " " (blank)
        };
        let intro = Message::new(if self.config.given == 0 { "worksheet.intro-none" } else { "worksheet.intro" })
            .count("n", self.order.len() as u64)
            .count("given", self.config.given)
            .text("planner", self.planner(self.first));
        let rule_of = |run: &Run| {
            let rule = Message::new("worksheet.rule").text("planner", self.planner(run));
            self.say(&rule.inner("rule", Message::new(Family::HOW.of([run.planner.as_str(), "what"]))))
        };
        let unit = self.scale.unit.name();
        let mut questions = vec![html! { (self.word("worksheet.bound")) " " (blank) " " (unit) }];
        questions.extend(self.config.runs.iter().map(|run| {
            html! {
                (named("worksheet.peak", run)) " " (blank) " " (unit) br; (self.word("worksheet.ratio")) " " (blank)
            }
        }));
        questions.push(html! { (named("worksheet.grows", self.first)) (rule) });
        if self.config.runs.len() > 1 {
            questions.push(html! { (self.word("worksheet.differ")) (rule) (rule) });
        }
        let grid = Message::new("worksheet.grid").text("planner", self.planner(self.first));
        let grid = self.say(&grid.text("square", self.scale.unit.words(self.scale.square)));
        let step = self.word("worksheet.step");
        let drawn = Drawn {
            problem: &self.first.problem,
            places: self.drawn(),
            given: &|_| true,
            lines: Vec::new(),
            step: &step,
        };
        let (width, height) = self.config.paper.room();
        let used = 280.0 + 42.0 * (self.config.runs.len() as f64) + self.column_height(true);
        let size = (width, (height - used).clamp(200.0, 560.0));
        let content = html! {
            p { (self.say(&intro)) } "\n"
            @for run in self.config.runs { p { (rule_of(run)) } "\n" }
            p.words { (self.say(&Message::new("worksheet.words").live("live", 2, 5))) } "\n"
            div.paper-columns { "\n"
                (self.table(false))
                div { "\n"
                    p { b { "1" } " " (self.word("worksheet.load")) } "\n"
                    (self.loads(|_| String::new()))
                    @for (number, question) in (2..).zip(&questions) { p { b { (number) } " " (question) } "\n" }
                } "\n"
            } "\n"
            div.paper-plan { p { (grid) } "\n" (PreEscaped(grid::plan(&drawn, self.scale, size, &grid))) } "\n"
        };
        let head = [html! { (title) }, right];
        self.page(head, &self.word("worksheet.title"), &content, &self.word("worksheet.foot"))
    }

    /// About how many pixels the higher of the two columns takes. The style sheet makes pictures
    /// smaller if it is more.
    fn column_height(&self, is_asked: bool) -> f64 {
        let (runs, rows) = (self.config.runs.len() as f64, self.asked_steps().len().div_ceil(LOADS_IN_ROW) as f64);
        let differs = if self.config.runs.len() < 2 {
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
    fn table(&self, is_answered: bool) -> Markup {
        let unit = self.scale.unit;
        let from = |run: &Run| self.say(&Message::new("worksheet.from").text("planner", self.planner(run)));
        let cell = |run: &Run, id: BufferId| {
            let offset = self.offset(run, id).map(|offset| unit.figure(offset)).unwrap_or_default();
            match (is_answered, self.is_given(run, id)) {
                (true, _) => html! { td { (offset) } },
                (false, true) => html! { td.fill.given { (self.word("worksheet.given")) } },
                (false, false) => html! { td.fill {} },
            }
        };
        let row = |id: BufferId| {
            let buffer = &self.first.problem.buffers[id];
            html! {
                tr {
                    td { (harmless(&buffer.name)) }
                    td { (unit.figure(buffer.size)) }
                    td { (live(buffer.live.start, buffer.live.end)) }
                    @for run in self.config.runs { (cell(run, id)) }
                } "\n"
            }
        };
        html! {
            table.buffers {
                thead {
                    tr {
                        th { (self.word("exercise.column-name")) }
                        th { (unit.name()) }
                        th { (self.word("exercise.column-live")) }
                        @for run in self.config.runs { th { (from(run)) } }
                    }
                }
                tbody { "\n" @for &id in &self.order { (row(id)) } }
            } "\n"
        }
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

    fn loads(&self, of: impl Fn(u32) -> String) -> Markup {
        let steps = self.asked_steps();
        // Rows of as many boxes, as far as that goes.
        let rows = steps.len().div_ceil(LOADS_IN_ROW).max(1);
        html! {
            @for row in steps.chunks(steps.len().div_ceil(rows).max(1)) {
                table.paper-steps {
                    tr { @for step in row { th { (step) } } }
                    tr { @for &step in row { td { (of(step)) } } }
                } "\n"
            }
        }
    }

    fn answers(&self, title: &str) -> Markup {
        let loads = load(&self.first.problem, |_| true).by_step(self.first.problem.steps);
        let bound = lower_bound(&self.first.problem);
        let figure = |step: u32| self.scale.unit.figure(loads[step as usize]);
        let full: Vec<String> =
            (0..).zip(&loads).filter(|(_, load)| **load == bound).map(|(step, _): (u32, _)| step.to_string()).collect();
        let sentence = Message::new("worksheet.bound-is").text("bound", self.scale.unit.words(bound));
        let sentence = sentence.count("n", full.len() as u64).with("steps", Arg::Names(full));
        let mut list = vec![self.say(&sentence)];
        for run in self.config.runs {
            let sentence = Message::new("worksheet.peak-is")
                .text("planner", self.planner(run))
                .text("peak", self.scale.unit.words(run.metrics.peak));
            let ratio = if bound == 0 { 1.0 } else { run.metrics.peak as f64 / bound as f64 };
            list.push(self.say(&sentence.text("ratio", format!("{ratio:.2}"))));
        }
        list.push(self.growths());
        list.extend(self.difference());
        let (width, height) = self.config.paper.room();
        let count = self.config.runs.len() as f64;
        let used = 125.0 + self.column_height(false);
        let size = (width, ((height - used) / count - 28.0).clamp(110.0, 320.0));
        let step = self.word("worksheet.step");
        let plan = |run: &Run| {
            let sentence = Message::new("worksheet.plan").text("planner", self.planner(run));
            let caption = self.say(&sentence.text("peak", self.scale.unit.words(run.metrics.peak)));
            let line = |key: &'static str, bytes: u64, is_bound: bool| {
                let words = Message::new(key).text("size", self.scale.unit.words(bytes));
                (bytes, self.config.speech.say(&words), is_bound)
            };
            let lines =
                vec![line("worksheet.line-peak", run.metrics.peak, false), line("worksheet.line-bound", bound, true)];
            let given = |id: BufferId| self.is_given(run, id);
            let drawn =
                Drawn { problem: &run.problem, places: run.plan.places.clone(), given: &given, lines, step: &step };
            let picture = grid::plan(&drawn, self.answered, size, &caption);
            html! { div.paper-plan { p { (caption) } "\n" (PreEscaped(picture)) } "\n" }
        };
        let content = html! {
            div.paper-columns { "\n"
                (self.table(true))
                div { "\n"
                    ol { "\n"
                        li { (self.word("worksheet.load")) (self.loads(figure)) } "\n"
                        @for answer in &list { li { (answer) } "\n" }
                    } "\n"
                } "\n"
            } "\n"
            @for run in self.config.runs { (plan(run)) }
        };
        let head = [html! { (title) }, html! {}];
        self.page(head, &self.word("worksheet.answers"), &content, &self.word("worksheet.foot-answers"))
    }

    /// The buffers after the given ones that make the arena of the first planner grow.
    fn growths(&self) -> String {
        let growth = |at: u32| {
            let decision = &self.first.timeline.decisions[at as usize];
            let (before, after) = (self.first.frame(decision.begin), self.first.frame(decision.end));
            let grew = after.peak.saturating_sub(before.peak);
            let name = &self.first.problem.buffers[decision.buffer].name;
            (grew > 0).then(|| format!("{} +{}", harmless(name), self.scale.unit.words(grew)))
        };
        let count = self.first.timeline.decisions.len() as u32;
        let growths: Vec<String> = (self.config.given..count).filter_map(growth).collect();
        if growths.is_empty() { self.word("worksheet.grows-none") } else { growths.join(&self.word("list.separator")) }
    }

    /// The first buffer that the planners put in different places, with what each of them says of
    /// it.
    fn difference(&self) -> Option<String> {
        let runs = self.config.runs;
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
            format!("{}: {headline}", self.planner(run))
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

#[cfg(test)]
mod tests;
