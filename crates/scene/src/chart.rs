//! A chart as plain values: the page shows them as a table, `paint` draws them.

use serde::{Deserialize, Serialize};

use memplan_core::base::{Sizes, Unit, shown};

/// What is drawn, with all its words.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Chart {
    /// The heading.
    pub title: String,
    /// Names of the axes, with their units.
    pub x: String,
    /// The same for the vertical axis.
    pub y: String,
    /// How the values are drawn.
    pub form: ChartForm,
    /// The lines, in the order of the legend.
    pub series: Vec<Series>,
    /// Words of the places 0, 1, 2, … along the axis of what is compared; empty where that axis has
    /// numbers.
    pub places: Vec<String>,
    /// A line through everything, such as the lower bound.
    pub level: Option<(String, f64)>,
    /// The unit of the values, if they are sizes.
    pub unit: Option<Unit>,
    /// Words for the tint of what the second line of steps is above the first; nothing is tinted
    /// without.
    pub hatched: Option<String>,
    /// How far values of the vertical axis are apart.
    pub scale: ChartScale,
    /// Words and place of a point that matters: a line stands there from the bottom to the top.
    pub mark: Option<(String, f64, f64)>,
    /// Words and end of what no point can reach, from the left end of the axis on.
    pub beyond: Option<(String, f64)>,
}

/// How far values of the vertical axis are apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum ChartScale {
    /// As far as they differ.
    #[default]
    Linear,
    /// Each tenfold value as far from the next: for values that are all above 0.
    Logarithmic,
    /// As far as their square roots differ: small values are told apart beside large ones.
    SquareRoot,
}

impl ChartScale {
    /// The place of a value along the axis.
    pub fn place(self, value: f64) -> f64 {
        match self {
            ChartScale::Linear => value,
            ChartScale::Logarithmic => value.max(f64::MIN_POSITIVE).log10(),
            ChartScale::SquareRoot => value.max(0.0).sqrt(),
        }
    }

    /// The value at a place along the axis.
    pub fn value(self, place: f64) -> f64 {
        match self {
            ChartScale::Linear => place,
            ChartScale::Logarithmic => 10f64.powf(place),
            ChartScale::SquareRoot => place * place,
        }
    }
}

/// How values become a picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum ChartForm {
    /// Values that hold until the next point.
    #[default]
    Steps,
    /// Points joined by straight lines.
    Lines,
    /// One lying bar a place, from 0.
    Bars,
}

/// One line of a chart.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// Points from left to right, in the units of the axes.
    pub points: Vec<(f64, f64)>,
}

impl Chart {
    /// Returns a value in words: a size has the unit that suits it, other values have at most three
    /// decimals.
    pub fn value_words(&self, value: f64) -> String {
        match self.unit {
            Some(unit) => Sizes::Readable.words((value * unit.bytes() as f64).round() as u64),
            None => Chart::tick_words(value),
        }
    }

    /// Returns a number of an axis with as many digits as it needs, at most three behind the point.
    pub fn tick_words(value: f64) -> String {
        let digits = match value.abs() {
            large if large >= 100.0 => 0,
            large if large >= 1.0 => 2,
            _ => 3,
        };
        // Halves go up, as in all other figures.
        let text = format!("{:.digits$}", value + value.abs() * 1e-12);
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
    }

    /// Smallest and largest values of both axes, from 0 unless the chart is logarithmic; never
    /// empty.
    pub fn extent(&self) -> ((f64, f64), (f64, f64)) {
        let points = || self.series.iter().flat_map(|series| series.points.iter().copied());
        let wide = |(low, high): (f64, f64)| if high > low { (low, high) } else { (low, low + 1.0) };
        let most = |values: &mut dyn Iterator<Item = f64>| values.filter(|value| value.is_finite()).fold(0.0, f64::max);
        let x = match self.places.len() {
            0 => (0.0, most(&mut points().map(|point| point.0))),
            count => (-0.5, count as f64 - 0.5),
        };
        let level = self.level.iter().map(|(_, level)| *level);
        let top = most(&mut points().map(|point| point.1).chain(level));
        let least = points().map(|point| point.1).filter(|y| *y > 0.0).fold(f64::INFINITY, f64::min);
        let is_logarithmic = self.scale == ChartScale::Logarithmic;
        let y = if is_logarithmic && least.is_finite() { (least / 1.5, top * 1.5) } else { (0.0, top * 1.08) };
        (wide(x), wide(y))
    }

    /// All points as CSV: series, place, value. Of values that hold until the next point only the
    /// changes are stated, so that a long run with few changes has few lines.
    pub fn csv(&self) -> String {
        let quoted = |cell: &str| format!("\"{}\"", shown::cell(cell).replace('"', "\"\""));
        let heads = if self.y.is_empty() {
            [self.title.as_str(), "", &self.x]
        } else {
            [self.title.as_str(), &self.x, &self.y]
        };
        let mut text = heads.map(quoted).join(",") + "\n";
        let place = |x: f64| self.places.get(x as usize).cloned().unwrap_or_else(|| x.to_string());
        for series in &self.series {
            let mut before = None;
            for &(x, y) in &series.points {
                if self.form != ChartForm::Steps || before != Some(y) {
                    text += &[quoted(&series.name), quoted(&place(x)), y.to_string()].join(",");
                    text.push('\n');
                }
                before = Some(y);
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_along_an_axis_is_that_of_one_value() {
        for scale in [ChartScale::Linear, ChartScale::Logarithmic, ChartScale::SquareRoot] {
            for value in [0.25, 1.0, 21.0] {
                assert!((scale.value(scale.place(value)) - value).abs() < 1e-9, "{scale:?} {value}");
            }
            assert!(scale.place(4.0) < scale.place(9.0), "{scale:?}");
        }
        assert_eq!([0.0, 1.0, 4.0, 9.0].map(|value| ChartScale::SquareRoot.place(value)), [0.0, 1.0, 2.0, 3.0]);
    }

    #[test]
    fn the_file_of_a_long_run_states_only_changes() {
        let mut points: Vec<(f64, f64)> =
            (0..10_000).map(|step| (step as f64, if step < 5000 { 4.0 } else { 8.5 })).collect();
        points.push((10_000.0, 8.5));
        let series = vec![Series { name: "a \"b\"".into(), points }];
        let chart = Chart { title: "t".into(), x: "step".into(), y: "KiB".into(), series, ..Chart::default() };
        assert_eq!(chart.csv(), "\"t\",\"step\",\"KiB\"\n\"a \"\"b\"\"\",\"0\",4\n\"a \"\"b\"\"\",\"5000\",8.5\n");
        // Points of other charts are all of them measured.
        let lines = Chart { form: ChartForm::Lines, ..chart };
        assert_eq!(lines.csv().lines().count(), 10_002);
    }
}
