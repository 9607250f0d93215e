//! What stands around the picture: figures, the bars of the slider, what the peak is made of.

use maud::html;
use memplan_core::base::Message;
use memplan_core::plan::faults;
use memplan_core::problem::BufferId;
use memplan_core::text::{Locale, Speech};
use memplan_planners::title_of;
use memplan_replay::{Level, Run, gap, gap_sentences, made_and_read};
use memplan_scene::paint::svg::harmless;

/// Most buffers that the peak is told to be made of.
const MOST_ROWS: usize = 12;

/// Buffers looked at for the reasons of the waste.
const WORK: u64 = 1_000_000;

/// Height of the largest bar.
const BAR: f64 = 44.0;

/// Width of the bar of the largest buffer.
const SIZE_BAR: f64 = 100.0;

pub struct Words<'a> {
    pub run: &'a Run,
    pub speech: Speech,
    pub command: &'a str,
    /// The frames in the file.
    pub chosen: &'a [u32],
    pub first: u32,
}

impl Words<'_> {
    fn say(&self, message: &Message) -> String {
        harmless(&self.speech.say(message))
    }

    fn planner(&self) -> String {
        title_of(&self.run.planner, self.speech)
    }

    fn last(&self) -> u32 {
        self.run.timeline.frames(Level::Decisions) - 1
    }

    /// Graph and planner.
    pub fn heading(&self) -> String {
        let heading = Message::new("picture.heading").name("graph", self.run.problem.name.clone());
        self.say(&heading.text("planner", self.planner()))
    }

    /// The same as markup.
    pub fn title(&self) -> String {
        html! { (self.heading()) }.into_string()
    }

    /// Names and figures.
    pub fn head(&self) -> String {
        let (run, speech) = (self.run, self.speech);
        let (metrics, problem) = (&run.metrics, &run.problem);
        let counts =
            Message::new("html.counts").count("buffers", metrics.buffers).count("steps", u64::from(problem.steps));
        let broken = faults(problem, &run.plan).len() as u64;
        let checked = if broken > 0 {
            Message::new("above.broken").count("n", broken)
        } else {
            Message::new("html.checked").count("placed", metrics.placed).count("all", metrics.buffers)
        };
        let ratio = metrics.ratio.map_or_else(|| "–".to_string(), |ratio| format!("{ratio:.2}×"));
        let peak = if metrics.held.is_some() { "figure.held" } else { "term.peak" };
        let figures = [
            (peak, speech.bytes(metrics.need()), Some(metrics.need())),
            ("term.lower-bound", speech.bytes(metrics.bound()), None),
            ("figure.ratio", ratio, None),
            ("term.waste", speech.bytes(metrics.waste), None),
        ];
        let found = gap(run, WORK);
        let sentences: Vec<String> =
            gap_sentences(run, &found, Level::Decisions).iter().map(|sentence| self.say(sentence)).collect();
        html! {
            header {
                h1 { (harmless(&problem.name)) }
                p { (self.say(&counts)) " · " b { (self.planner()) } }
            }
            dl class="figures" {
                @for (name, value, bytes) in figures { div { dt { (speech.word(name)) } dd data-peak=[bytes] { (value) } } }
                div class="checked" {
                    dt { (speech.word("html.check")) }
                    dd class=(if broken > 0 { "wrong" } else { "right" }) { @if broken == 0 { "✓ " } (self.say(&checked)) }
                }
            }
            @if !sentences.is_empty() { p class="muted" { (sentences.join(if speech.locale == Locale::Zh { "" } else { " " })) } }
        }
        .into_string()
    }

    /// Bars of the buffers that the frames place, and what moves between them.
    pub fn steps(&self) -> String {
        let decisions = &self.run.timeline.decisions;
        let of = |frame: &u32| frame.checked_sub(1).and_then(|at| decisions.get(at as usize));
        let size = |frame: &u32| of(frame).map_or(0, |decision| self.run.problem.buffers[decision.buffer].size);
        let largest = self.chosen.iter().map(size).max().unwrap_or(0).max(1) as f64;
        let bars = |grew: bool| -> String {
            let wanted = self.chosen.iter().enumerate();
            let wanted = wanted.filter(|(_, frame)| of(frame).is_some_and(|decision| decision.grew) == grew);
            wanted
                .map(|(at, frame)| {
                    let height = (size(frame) as f64 / largest * BAR).max(1.0);
                    format!("M{at} 48v-{height:.1}h.8v{height:.1}z")
                })
                .collect()
        };
        let at = self.chosen.iter().position(|&frame| frame == self.first).unwrap_or(0);
        let word = |key: &str| self.speech.word(key);
        let view = format!("0 0 {} 48", self.chosen.len());
        let missing = self.last() as usize + 1 - self.chosen.len();
        html! {
            section class="steps" aria-label=(word("html.frames")) {
                p class="counter" { (word("fact.frame")) " " b id="frame" data-frame=(self.first) { (self.first) } " / " (self.last()) }
                div class="bars" {
                    svg viewBox=(view) preserveAspectRatio="none" aria-hidden="true" {
                        path class="bar" d=(bars(false)) {}
                        path class="bar grew" d=(bars(true)) {}
                        rect id="rest" x=(at + 1) y="0" width=(self.chosen.len()) height="48" {}
                        rect id="now" x=(at) y="0" width=".8" height="48" {}
                    }
                    input id="slider" type="range" min="0" max=(self.chosen.len() - 1) value=(at) aria-label=(word("fact.frame")) hidden;
                }
                p class="moves" id="moves" hidden {
                    button type="button" id="back" aria-label=(word("html.back")) { "◂" }
                    button type="button" id="on" aria-label=(word("html.on")) { "▸" }
                    button type="button" id="growth" { "▲ " (word("html.growth")) }
                }
            }
            @if missing > 0 {
                p class="muted" id="left-out" {
                    (self.say(&Message::new("html.some-frames").count("n", self.chosen.len() as u64).count("all", u64::from(self.last()) + 1)))
                }
            }
            noscript { p class="muted" { (word("html.no-script")) } }
        }
        .into_string()
    }

    /// The buffers that are live where the load is largest.
    pub fn peak(&self) -> String {
        let (run, speech) = (self.run, self.speech);
        let Some(step) = run.fullest().step() else { return String::new() };
        let is_live = |id: &BufferId| {
            let live = run.problem.buffers[*id].live;
            live.start <= step && step < live.end && run.problem.buffers[*id].size > 0
        };
        let mut live: Vec<BufferId> = run.problem.buffers.ids().filter(is_live).collect();
        live.sort_by_key(|&id| (std::cmp::Reverse(run.problem.buffers[id].size), id));
        let load = live.iter().map(|&id| run.problem.buffers[id].size).sum();
        let alive = Message::new("peak.alive").bytes("load", load).count("step", u64::from(step));
        let largest = live.first().map_or(1, |&id| run.problem.buffers[id].size).max(1) as f64;
        let hidden = live.len().saturating_sub(MOST_ROWS);
        let address =
            |id: BufferId| run.plan.places[id].map_or_else(|| "–".to_string(), |place| speech.bytes(place.offset));
        let width = |id: BufferId| format!("{:.1}", run.problem.buffers[id].size as f64 / largest * SIZE_BAR);
        html! {
            h2 { (speech.word("html.made-of")) }
            p class="muted" { (self.say(&alive)) }
            table class="list" {
                thead { tr {
                    th scope="col" { (speech.word("html.buffer")) }
                    th scope="col" { (speech.word("peak.made-read")) }
                    th scope="col" class="right" { (speech.word("html.size")) }
                    th scope="col" class="share" {}
                    th scope="col" class="right" { (speech.word("html.address")) }
                } }
                tbody {
                    @for &id in live.iter().take(MOST_ROWS) {
                        tr {
                            th scope="row" { (harmless(run.label(id))) }
                            td { (harmless(&made_and_read(run, speech, id))) }
                            td class="right" { (speech.bytes(run.problem.buffers[id].size)) }
                            td class="share" {
                                svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" { rect width=(width(id)) height="10" {} }
                            }
                            td class="right" { (address(id)) }
                        }
                    }
                }
            }
            @if hidden > 0 { p class="muted" { (self.say(&Message::new("peak.more").count("n", hidden as u64))) } }
        }
        .into_string()
    }

    pub fn foot(&self) -> String {
        html! {
            footer {
                span { (self.speech.word("html.by")) " " code { (harmless(self.command)) } }
                span { (self.speech.word("html.holds")) }
            }
        }
        .into_string()
    }
}
