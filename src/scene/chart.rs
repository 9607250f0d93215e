//! A chart as plain values: the page shows them as a table, `paint` draws them.

use serde::{Deserialize, Serialize};

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
    /// Words of the places 0, 1, 2, … along the axis of what is compared; empty where that axis has numbers.
    pub places: Vec<String>,
    /// A line through everything, such as the lower bound.
    pub level: Option<(String, f64)>,
    /// Each tenfold value as far from the next: for values that are all above 0.
    pub logarithmic: bool,
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
    /// Smallest and largest values of both axes, from 0 unless the chart is logarithmic; never empty.
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
        let y = if self.logarithmic && least.is_finite() { (least / 1.5, top * 1.5) } else { (0.0, top * 1.08) };
        (wide(x), wide(y))
    }
}
