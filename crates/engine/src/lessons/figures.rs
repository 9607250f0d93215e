//! Expressions and conditions over scenes: `size:A + size:B@other`, `bound > 1600`.

use std::collections::BTreeMap;

use super::staged::Staged;
use memplan_core::base::{Unit, exact};
use memplan_core::problem::{BufferId, load};
use memplan_core::text::{Locale, Speech};
use memplan_replay::Level;

/// A figure with what it counts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Number {
    /// Its value.
    pub value: f64,
    /// Whether it is a number of bytes.
    pub is_bytes: bool,
}

impl Number {
    fn count(value: impl Into<f64>) -> Number {
        Number { value: value.into(), is_bytes: false }
    }

    // Sizes stay below 2^53.
    fn bytes(value: u64) -> Number {
        Number { value: value as f64, is_bytes: true }
    }
}

/// The scenes of a lesson, and the one that a text stands beside.
#[derive(Clone, Copy)]
pub struct Scenes<'a> {
    /// All of them by name.
    pub all: &'a BTreeMap<String, Staged>,
    /// The one that a figure without a name is of.
    pub here: Option<&'a Staged>,
}

impl<'a> Scenes<'a> {
    /// The scene of a figure, and the figure without the scene's name.
    fn of<'t>(&self, figure: &'t str) -> Result<(&'a Staged, &'t str), String> {
        match figure.split_once('@') {
            Some((figure, name)) => {
                let scene = self.all.get(name).ok_or_else(|| format!("no scene {name}"))?;
                Ok((scene, figure))
            }
            None => Ok((self.here.ok_or_else(|| format!("no scene for {figure}"))?, figure)),
        }
    }

    /// The words for a mark that is a figure, an option or a live range, with the commas of a
    /// language.
    pub fn words(&self, mark: &str, locale: Locale) -> Result<String, String> {
        let (mark, form) = form_of(mark);
        if let Some(expression) = mark.strip_prefix('=') {
            let here = self.here.or_else(|| self.all.values().next()).ok_or("no scene")?;
            return Ok(written(self.number(expression)?, here, form));
        }
        let (staged, figure) = self.of(mark)?;
        let (key, name) = figure.split_once(':').unwrap_or((figure, ""));
        let live = |name| Ok::<_, String>(staged.run.problem.buffers[staged.buffer(name)?].live);
        match key {
            "option" => staged.option(name).map(str::to_string),
            "live" => live(name).map(|live| format!("[{}, {})", live.start, live.end)),
            "lifesteps" => live(name).map(|live| {
                let steps: Vec<String> = (live.start..live.end).map(|step| step.to_string()).collect();
                steps.join(&Speech { locale, ..Speech::default() }.word("list.separator"))
            }),
            "ratio" => Ok(format!("{:.2}", value(staged, "ratio", "")?.value)),
            _ => Ok(written(value(staged, key, name)?, staged, form)),
        }
    }

    /// The bytes of a mark that is a size with its unit; none for any other mark.
    pub fn bytes(&self, mark: &str) -> Option<u64> {
        let (mark, form) = form_of(mark);
        let number = match mark.strip_prefix('=') {
            Some(expression) => self.number(expression).ok()?,
            None => {
                let (staged, figure) = self.of(mark).ok()?;
                let (key, name) = figure.split_once(':').unwrap_or((figure, ""));
                value(staged, key, name).ok()?
            }
        };
        (number.is_bytes && form != Form::Bare).then_some(number.value as u64)
    }

    /// The value of an expression: figures and whole numbers with `+` and `-`.
    pub fn number(&self, expression: &str) -> Result<Number, String> {
        let mut total = Number::count(0u32);
        let mut sign = 1.0;
        let spaced = expression.replace('+', " + ").replace(" - ", " \u{2212} ");
        for token in spaced.split_whitespace() {
            match token {
                "+" => sign = 1.0,
                "\u{2212}" => sign = -1.0,
                _ => {
                    let number = match token.parse::<u32>() {
                        Ok(number) => Number::count(number),
                        Err(_) => {
                            let (staged, figure) = self.of(token)?;
                            let (key, name) = figure.split_once(':').unwrap_or((figure, ""));
                            value(staged, key, name)?
                        }
                    };
                    total.value += sign * number.value;
                    total.is_bytes |= number.is_bytes;
                }
            }
        }
        if total.value < 0.0 {
            return Err(format!("{expression} is below 0"));
        }
        Ok(total)
    }

    /// Whether a condition holds: two expressions with `=`, `!=`, `<`, `>`, `<=` or `>=` between.
    pub fn holds(&self, condition: &str) -> Result<bool, String> {
        let operators = ["!=", "<=", ">=", "=", "<", ">"];
        let found = operators.iter().find_map(|operator| Some((operator, condition.split_once(operator)?)));
        let (operator, (left, right)) = found.ok_or_else(|| format!("no condition: {condition}"))?;
        let (left, right) = (self.number(left)?.value, self.number(right)?.value);
        Ok(match *operator {
            "=" => (left - right).abs() < 1e-9,
            "!=" => (left - right).abs() >= 1e-9,
            "<" => left < right,
            ">" => left > right,
            "<=" => left <= right,
            _ => left >= right,
        })
    }

    /// The buffers of the scene that a query finds.
    pub fn set(&self, query: &str) -> Result<Vec<BufferId>, String> {
        let staged = self.here.ok_or("no scene")?;
        let problem = &staged.run.problem;
        let all = || problem.buffers.ids();
        let live_at = |step: u32| all().filter(move |&id| problem.buffers[id].live.contains(step)).collect();
        let is_sharing = |id: BufferId, other: BufferId| {
            let span = |id: BufferId| {
                staged.run.plan.places[id]
                    .map(|place| (place.pool, place.offset, place.offset + problem.buffers[id].size))
            };
            let (Some(one), Some(two)) = (span(id), span(other)) else { return false };
            one.0 == two.0 && one.1 < two.2 && two.1 < one.2
        };
        if let Some(step) = query.strip_prefix("live@") {
            return Ok(live_at(step.parse().map_err(|_| format!("no step {step}"))?));
        }
        let (key, argument) = query.split_once(':').unwrap_or((query, ""));
        Ok(match key {
            "at-peak" => live_at(load(problem, |_| true).peak_step()),
            "shares" | "shares+" => {
                let one = staged.buffer(argument)?;
                all().filter(|&id| (key == "shares+" || id != one) && is_sharing(id, one)).collect()
            }
            "aligned" => {
                let align: u64 = argument.parse().map_err(|_| format!("no alignment {argument}"))?;
                all().filter(|&id| problem.buffers[id].size.is_multiple_of(align.max(1))).collect()
            }
            "readers-one" => {
                let mut found = Vec::new();
                for id in all() {
                    if value(staged, "readers", &problem.buffers[id].name)?.value == 1.0 {
                        found.push(id);
                    }
                }
                found
            }
            "is" => argument.split(',').map(|name| staged.buffer(name.trim())).collect::<Result<_, _>>()?,
            _ => return Err(format!("no query {query}")),
        })
    }
}

/// How a mark asks for a size.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As the picture writes it.
    AsShown,
    /// Without its unit: `{size:X#}`.
    Bare,
    /// In the largest unit in which it is a whole number, for sums: `{size:X!}`.
    Whole,
}

/// A mark without the sign of its form, and the form.
fn form_of(mark: &str) -> (&str, Form) {
    let bare = mark.strip_suffix('#').map(|mark| (mark, Form::Bare));
    bare.or(mark.strip_suffix('!').map(|mark| (mark, Form::Whole))).unwrap_or((mark, Form::AsShown))
}

/// A number in words.
fn written(number: Number, staged: &Staged, form: Form) -> String {
    let whole = number.value.round().max(0.0) as u64;
    match (number.is_bytes, form) {
        (true, Form::Bare) if staged.is_rounded => Unit::of(whole).figure(whole),
        (true, Form::Bare) => exact(whole / staged.unit.bytes()),
        (true, Form::Whole) => in_whole(whole),
        (true, Form::AsShown) => staged.bytes(whole),
        (false, _) if number.value.fract().abs() < 1e-9 => exact(whole),
        (false, _) => format!("{:.2}", number.value),
    }
}

/// Bytes in the largest unit in which they are a whole number.
fn in_whole(bytes: u64) -> String {
    let unit = Unit::ALL.into_iter().rev().find(|unit| bytes.is_multiple_of(unit.bytes())).unwrap_or(Unit::B);
    format!("{}\u{202f}{}", exact(bytes / unit.bytes()), unit.name())
}

/// The value of one figure of a scene.
fn value(staged: &Staged, key: &str, name: &str) -> Result<Number, String> {
    let (run, metrics) = (&staged.run, &staged.run.metrics);
    let problem = &run.problem;
    let step =
        || name.parse::<u32>().ok().filter(|step| *step < problem.steps).ok_or_else(|| format!("no step {name}"));
    let whole = |key: &str| -> Option<Number> {
        Some(match key {
            "peak" => Number::bytes(metrics.peak),
            "bound" => Number::bytes(metrics.bound()),
            "waste" => Number::bytes(metrics.waste),
            "total" => Number::bytes(problem.unshared()),
            "align" => Number::bytes(run.align),
            "sofar" => Number::bytes(run.frame(run.timeline.events_at(Level::Decisions, staged.scene.frame)).peak),
            "buffers" => Number::count(problem.buffers.len() as u32),
            "steps" => Number::count(problem.steps),
            "pools" => Number::count(run.plan.pools.len() as u32),
            "frames" => Number::count(staged.frames - 1),
            "dependencies" => Number::count(run.dependencies()?.list.len() as u32),
            "path" => Number::count(run.dependencies()?.longest_after),
            "path0" => Number::count(run.dependencies()?.longest_before),
            "ratio" => Number::count(metrics.ratio?),
            _ => return None,
        })
    };
    if name.is_empty() {
        return whole(key).ok_or_else(|| format!("no figure {key}"));
    }
    if key == "load" {
        return Ok(Number::bytes(load(problem, |_| true).at(step()?)));
    }
    let id = staged.buffer(name)?;
    let buffer = &problem.buffers[id];
    let place = || run.plan.places[id].ok_or_else(|| format!("{name} has no place"));
    let pool = || Ok::<u64, String>(run.plan.pools[place()?.pool].size);
    let decision = || {
        let found = run.timeline.decisions.iter().position(|decision| decision.buffer == id);
        found.ok_or_else(|| format!("{name} is never placed"))
    };
    Ok(match key {
        "size" => Number::bytes(buffer.size),
        "at" => Number::bytes(place()?.offset),
        "top" => Number::bytes(place()?.offset + buffer.size),
        "pool" => Number::bytes(pool()?),
        "left" => Number::bytes(pool()?.saturating_sub(buffer.size)),
        "padding" => {
            Number::bytes(buffer.size.next_multiple_of(buffer.align.max(staged.scene.align).max(1)) - buffer.size)
        }
        "grow" => {
            let decision = &run.timeline.decisions[decision()?];
            let peak = |events| run.timeline.state(events).peak();
            Number::bytes(peak(decision.end).saturating_sub(peak(decision.begin)))
        }
        "start" => Number::count(buffer.live.start),
        "end" => Number::count(buffer.live.end),
        "last" => Number::count(buffer.live.end - 1),
        "frame" => Number::count(decision()? as u32 + 1),
        "readers" => {
            let graph = run.graph.as_ref().ok_or("no graph")?;
            let is_read =
                |node: &memplan_core::graph::Node| node.inputs.iter().any(|input| buffer.tensors.contains(input));
            Number::count(graph.nodes.iter().filter(|node| is_read(node)).count() as u32)
        }
        _ => return Err(format!("no figure {key}:{name}")),
    })
}
