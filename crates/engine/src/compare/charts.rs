//! Measurements → charts.

use super::{Figure, FigureValue, GrowthLine, Measurement, PlannerChoice, SweepPoint, Vary};
use memplan_core::base::{Family, Message, Unit};
use memplan_core::plan::{Metrics, Plan, tops_over_time};
use memplan_core::problem::{Problem, load};
use memplan_core::text::Speech;
use memplan_scene::{Chart, ChartForm, ChartScale, Series};

/// What a histogram classifies buffers by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counted {
    /// Bytes of a buffer.
    Sizes,
    /// Steps of a buffer's life.
    Lifetimes,
}

/// The lower bound of a chart, with its name: the one that all plans of the chart are measured
/// against, or that of everything asked for if some of them leave buffers out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ChartBound {
    bytes: u64,
    of_all: bool,
}

impl ChartBound {
    /// Returns the bound of plans of one graph.
    pub fn of<'a>(plans: impl IntoIterator<Item = &'a Metrics>) -> ChartBound {
        let plans: Vec<&Metrics> = plans.into_iter().collect();
        let of_all = plans.windows(2).any(|pair| pair[0].bound() != pair[1].bound());
        let bound = |metrics: &&Metrics| if of_all { metrics.lower_bound } else { metrics.bound() };
        ChartBound { bytes: plans.iter().map(bound).max().unwrap_or(0), of_all }
    }

    /// Returns the bound in bytes.
    pub fn bytes(self) -> u64 {
        self.bytes
    }

    fn level(self, unit: Unit, speech: Speech) -> (String, f64) {
        let key = if self.of_all { "chart.bound-of-all" } else { "chart.bound" };
        (speech.word(key), self.bytes as f64 / unit.bytes() as f64)
    }
}

/// Returns the chart of memory over time: for every plan the sum over pools of the highest live
/// end; below, the load.
pub fn curves(graph: &str, plans: &[(String, &Problem, &Plan)], bound: ChartBound, speech: Speech) -> Chart {
    let tops: Vec<Vec<(u32, u64)>> = plans.iter().map(|(_, problem, plan)| tops_over_time(problem, plan)).collect();
    let unit = speech.sizes.unit(tops.iter().flatten().map(|(_, top)| *top).fold(bound.bytes, u64::max));
    let scaled = |bytes: u64| bytes as f64 / unit.bytes() as f64;
    let curve = |name: &str, tops: &[(u32, u64)]| {
        let points = tops.iter().map(|&(step, top)| (step as f64, scaled(top)));
        Series { name: name.into(), points: points.collect() }
    };
    let of_load = plans.first().map(|(_, problem, _)| {
        let mut points: Vec<(f64, f64)> = load(problem, |_| true)
            .stretches(0, problem.steps)
            .map(|(step, _, bytes)| (step as f64, scaled(bytes)))
            .collect();
        points.dedup_by_key(|point| point.1);
        Series { name: speech.word("chart.load"), points }
    });
    let steps = plans.iter().map(|(_, problem, _)| problem.steps).max().unwrap_or(0);
    let mut series: Vec<Series> =
        plans.iter().zip(&tops).map(|((name, ..), tops)| curve(name, tops)).chain(of_load).collect();
    // The axis reaches to the end of the run.
    series.iter_mut().for_each(|series| {
        if let Some(&(_, last)) = series.points.last() {
            series.points.push((steps as f64, last));
        }
    });
    Chart {
        title: speech.say(&Message::new("chart.memory").name("graph", graph)),
        x: speech.word("chart.step"),
        y: unit.name().into(),
        unit: Some(unit),
        form: ChartForm::Steps,
        series,
        level: Some(bound.level(unit, speech)),
        ..Chart::default()
    }
}

/// Returns the chart of peaks side by side, with the bound.
pub fn peaks(graph: &str, found: &[(String, u64)], bound: ChartBound, speech: Speech) -> Chart {
    let unit = speech.sizes.unit(found.iter().map(|(_, peak)| *peak).fold(bound.bytes, u64::max));
    let scaled = |bytes: u64| bytes as f64 / unit.bytes() as f64;
    let points = found.iter().enumerate().map(|(number, (_, peak))| (number as f64, scaled(*peak)));
    Chart {
        title: speech.say(&Message::new("chart.peaks").name("graph", graph)),
        x: unit.name().into(),
        unit: Some(unit),
        form: ChartForm::Bars,
        series: vec![Series { name: speech.word("figure.peak"), points: points.collect() }],
        places: found.iter().map(|(name, _)| name.clone()).collect(),
        level: Some(bound.level(unit, speech)),
        ..Chart::default()
    }
}

/// Returns the chart of how many buffers have a size (a life) from one power of two up to the next.
pub fn histogram(problem: &Problem, counted: Counted, speech: Speech) -> Chart {
    let value = |buffer: &memplan_core::problem::Buffer| match counted {
        Counted::Sizes => buffer.size,
        Counted::Lifetimes => buffer.live.len() as u64,
    };
    let class = |value: u64| value.checked_ilog2().map_or(0, |power| power as usize + 1);
    let mut counts = [0u64; 65];
    problem.buffers.iter().for_each(|buffer| counts[class(value(buffer))] += 1);
    let first = counts.iter().position(|&count| count > 0).unwrap_or(0);
    let last = counts.iter().rposition(|&count| count > 0).unwrap_or(0);
    let label = |class: usize| match (class, counted) {
        (0, Counted::Sizes) => speech.bytes(0),
        (0, Counted::Lifetimes) => "0".into(),
        (class, Counted::Sizes) => {
            let from = 1u64 << (class - 1);
            speech.say(&Message::new("chart.from").bytes("value", from))
        }
        (class, Counted::Lifetimes) => {
            let from = 1u64 << (class - 1);
            speech.say(&Message::new("chart.from").text("value", from.to_string()))
        }
    };
    let title = match counted {
        Counted::Sizes => "chart.sizes",
        Counted::Lifetimes => "chart.lifetimes",
    };
    let points = (first..=last).map(|class| ((class - first) as f64, counts[class] as f64));
    Chart {
        title: speech.say(&Message::new(title).name("graph", problem.name.clone())),
        x: speech.word("chart.buffers"),
        form: ChartForm::Bars,
        series: vec![Series { name: speech.word("chart.buffers"), points: points.collect() }],
        places: (first..=last).map(label).collect(),
        ..Chart::default()
    }
}

/// The points of a sweep, each with what was measured there, or why nothing was.
pub type SweepPoints = [(SweepPoint, Result<Measurement, Message>)];

/// Returns the values at which any of these sweeps has a point, rising.
pub fn swept_values(lines: &[(&PlannerChoice, &SweepPoints)]) -> Vec<u64> {
    let mut values: Vec<u64> = lines.iter().flat_map(|(_, found)| found.iter().map(|(point, _)| point.value)).collect();
    values.sort();
    values.dedup();
    values
}

/// Returns a swept value as people read it.
pub fn swept_words(lines: &[(&PlannerChoice, &SweepPoints)], vary: &Vary, value: u64) -> String {
    let points = lines.iter().flat_map(|(_, found)| found.iter());
    let point = points.map(|(point, _)| point).find(|point| point.value == value);
    point.map_or_else(|| value.to_string(), |point| point.words(vary))
}

/// Returns the chart of one figure over the points of sweeps, with a line for each planner; points
/// without a plan are left out.
pub fn sweep_chart(lines: &[(&PlannerChoice, &SweepPoints)], vary: &Vary, figure: &Figure, speech: Speech) -> Chart {
    let known = || lines.iter().flat_map(|(_, found)| found.iter()).filter_map(|(_, found)| found.as_ref().ok());
    let bound = ChartBound::of(known().map(|found| &found.figures.metrics));
    let is_of_peak = matches!(vary, Vary::Align | Vary::Option(_)) && figure.key == "peak";
    let level = Some(bound.bytes()).filter(|bound| is_of_peak && *bound > 0);
    let sizes = known().filter_map(|found| match figure.value(found) {
        FigureValue::Bytes(bytes) => Some(bytes),
        _ => None,
    });
    let unit = sizes.chain(level).max().map(Unit::of);
    let scaled = |bytes: u64| bytes as f64 / unit.unwrap_or_default().bytes() as f64;
    let value = |cell: FigureValue| match cell {
        FigureValue::Bytes(bytes) => Some(scaled(bytes)),
        FigureValue::Share(share) => Some(share * 100.0),
        other => other.number(),
    };
    let values = swept_values(lines);
    let point = |(point, found): &(SweepPoint, Result<Measurement, Message>)| {
        let place = values.binary_search(&point.value).ok()?;
        Some((place as f64, value(figure.value(found.as_ref().ok()?))?))
    };
    let symbol = known().find_map(|found| match figure.value(found) {
        FigureValue::Bytes(_) => unit.map(Unit::name),
        FigureValue::Share(_) => Some("%"),
        FigureValue::Millis(_) => Some("ms"),
        _ => None,
    });
    let name = speech.word(&Family::FIGURE.of([figure.key]));
    let title = match lines {
        [(choice, _)] => choice.words(speech),
        _ => name.clone(),
    };
    let series = |(choice, found): &(&PlannerChoice, &SweepPoints)| {
        let name = if lines.len() == 1 { name.clone() } else { choice.words(speech) };
        Series { name, points: found.iter().filter_map(point).collect() }
    };
    Chart {
        title,
        x: vary.words(speech),
        y: symbol.map_or(name.clone(), |symbol| format!("{name}, {symbol}")),
        unit,
        form: ChartForm::Lines,
        series: lines.iter().map(series).collect(),
        places: values.iter().map(|&value| swept_words(lines, vary, value)).collect(),
        level: level.map(|bound| (speech.word("chart.bound"), scaled(bound))),
        ..Chart::default()
    }
}

/// Returns the chart of plan time against the number of buffers, both axes logarithmic.
pub fn growth_chart(found: &[GrowthLine], speech: Speech) -> Chart {
    let mut counts: Vec<u32> = found.iter().flat_map(|(_, times)| times.iter().map(|time| time.0)).collect();
    counts.sort();
    counts.dedup();
    let series = |(choice, times): &GrowthLine| {
        // The clock of a browser may be too coarse for a short run.
        let known = times.iter().filter(|(_, millis)| *millis > 0.0);
        let points = known.map(|(count, millis)| (counts.binary_search(count).unwrap_or(0) as f64, *millis));
        Series { name: choice.words(speech), points: points.collect() }
    };
    Chart {
        title: speech.word("chart.growth"),
        x: speech.word("chart.buffers"),
        y: "ms".into(),
        form: ChartForm::Lines,
        series: found.iter().map(series).collect(),
        places: counts.iter().map(u32::to_string).collect(),
        scale: ChartScale::Logarithmic,
        ..Chart::default()
    }
}
