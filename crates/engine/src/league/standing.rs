//! What the figures of all plans say together: who is first, what is proved, what is open.

use super::record::{Entries, Figures, Measured, Row};
use memplan_core::base::Unit;

/// How a plan stands among the plans of its instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// No plan is smaller: the peak is the lower bound, or a bound that a search has proved.
    Proved,
    /// The smallest plan that is known here; nobody has proved that none is smaller.
    Best,
    /// A smaller plan is known here.
    Behind,
    /// Not all buffers have a place, so the peak is no result.
    Part,
}

impl Measured {
    /// Returns the bytes below which no plan exists: the lower bound, or what a search has proved.
    pub fn floor(&self) -> u64 {
        self.rows.iter().filter_map(|row| row.proved).fold(self.bound, u64::max)
    }

    /// Returns the smallest peak of the plans with all buffers.
    pub fn best(&self) -> Option<u64> {
        self.rows.iter().filter(|row| row.placed == self.buffers).map(|row| row.peak).min()
    }

    /// Returns how a plan stands.
    pub fn mark(&self, row: &Row) -> Mark {
        match row.peak {
            _ if row.placed < self.buffers => Mark::Part,
            peak if peak <= self.floor() => Mark::Proved,
            peak if Some(peak) == self.best() => Mark::Best,
            _ => Mark::Behind,
        }
    }

    /// Returns whether some plan is proved to be the smallest.
    pub fn is_settled(&self) -> bool {
        self.best().is_some_and(|best| best <= self.floor())
    }

    /// Returns the row of a planner.
    pub fn row(&self, planner: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.planner == planner)
    }
}

/// A planner, or another program, over all instances.
#[derive(Clone, PartialEq, Debug)]
pub struct Standing {
    /// Its id or name.
    pub planner: String,
    /// Its rank from 1; none unless it has a plan with all buffers of every instance.
    pub rank: Option<usize>,
    /// Geometric mean of peak by lower bound over the instances whose buffers it places all.
    pub mean: Option<f64>,
}

/// Returns the order of the table: by the mean, those without a rank last.
pub fn standing(entries: &Entries, figures: &Figures) -> Vec<Standing> {
    let rows = figures.instances.iter().flat_map(|measured| &measured.rows);
    let others = rows.map(|row| &row.planner).filter(|name| !entries.planners.contains(name));
    let mut names: Vec<&String> = Vec::new();
    for name in entries.planners.iter().chain(others) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut found: Vec<(Standing, bool)> = names.into_iter().map(|name| means(name, figures)).collect();
    found.sort_by(|(a, a_is_whole), (b, b_is_whole)| {
        let mean = |standing: &Standing| standing.mean.unwrap_or(f64::MAX);
        b_is_whole.cmp(a_is_whole).then(mean(a).total_cmp(&mean(b)))
    });
    let ranked = |(place, (standing, is_whole)): (usize, (Standing, bool))| Standing {
        rank: is_whole.then_some(place + 1),
        ..standing
    };
    found.into_iter().enumerate().map(ranked).collect()
}

/// The mean of a planner, and whether it places all buffers of every instance.
fn means(name: &str, figures: &Figures) -> (Standing, bool) {
    let rows = figures.instances.iter().filter_map(|measured| Some((measured, measured.row(name)?)));
    let whole = rows.filter(|(measured, row)| row.placed == measured.buffers && measured.bound > 0);
    let logs: Vec<f64> = whole.map(|(measured, row)| (row.peak as f64 / measured.bound as f64).ln()).collect();
    let mean = (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp());
    let is_whole = !logs.is_empty() && logs.len() == figures.instances.len();
    (Standing { planner: name.into(), rank: None, mean }, is_whole)
}

/// Returns the peak by the bound: `1` where they are equal, three decimals below 1.1 and two above.
/// Where that would read 1.000, it is the bytes between them: `+2.19 KiB`.
pub fn distance(peak: u64, bound: u64) -> String {
    if peak == bound {
        return "1".into();
    }
    let text = ratio(peak as f64 / bound.max(1) as f64);
    if text != "1.000" {
        return text;
    }
    let more = peak.abs_diff(bound);
    format!("{}{}", if peak > bound { '+' } else { '−' }, Unit::of(more).words(more))
}

/// Returns a ratio in words, halves rounded up as on the page.
pub(super) fn ratio(ratio: f64) -> String {
    let rounded = |scale: f64| (ratio * scale).round() / scale;
    if ratio < 1.0995 { format!("{:.3}", rounded(1000.0)) } else { format!("{:.2}", rounded(100.0)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(planner: &str, peak: u64, placed: u64, proved: Option<u64>) -> Row {
        Row { planner: planner.into(), peak, placed, proved, ms: None }
    }

    fn instance(bound: u64, rows: &[Row]) -> Measured {
        Measured { buffers: 4, bound, rows: rows.to_vec(), ..Measured::default() }
    }

    #[test]
    fn only_bounds_prove_that_a_plan_is_the_smallest() {
        let of = |rows: &[Row]| {
            let measured = instance(100, rows);
            let marks: Vec<Mark> = measured.rows.iter().map(|row| measured.mark(row)).collect();
            (marks, measured.is_settled())
        };
        use Mark::{Behind, Best, Part, Proved};
        assert_eq!(of(&[row("a", 100, 4, None), row("b", 101, 4, None)]), (vec![Proved, Behind], true));
        assert_eq!(of(&[row("a", 102, 4, Some(100)), row("b", 101, 4, None)]), (vec![Behind, Best], false));
        assert_eq!(of(&[row("a", 102, 4, Some(102)), row("b", 102, 4, None)]), (vec![Proved, Proved], true));
        assert_eq!(of(&[row("a", 90, 3, None), row("b", 101, 4, None)]), (vec![Part, Best], false));
    }

    #[test]
    fn who_leaves_a_buffer_out_has_no_rank() {
        let entries = Entries { planners: ["a", "b", "c"].map(String::from).into(), ..Entries::default() };
        let figures = Figures {
            instances: vec![
                instance(100, &[row("a", 400, 4, None), row("b", 200, 4, None), row("c", 100, 4, None)]),
                instance(100, &[row("a", 100, 4, None), row("b", 100, 4, None), row("c", 90, 3, None)]),
                instance(100, &[row("a", 100, 4, None), row("b", 400, 4, None), row("d", 100, 4, None)]),
            ],
            ..Figures::default()
        };
        let found = standing(&entries, &figures);
        let shown: Vec<(&str, Option<usize>, Option<u32>)> = found
            .iter()
            .map(|one| (one.planner.as_str(), one.rank, one.mean.map(|mean| (mean * 100.0).round() as u32)))
            .collect();
        let expected =
            [("a", Some(1), Some(159)), ("b", Some(2), Some(200)), ("c", None, Some(100)), ("d", None, Some(100))];
        assert_eq!(shown, expected);
    }

    #[test]
    fn small_distances_are_bytes() {
        for (peak, shown) in [
            (1 << 30, "1"),
            ((1 << 30) + 2246, "+2\u{202f}246\u{202f}B"),
            ((1 << 30) + (1 << 20), "1.001"),
            ((1 << 30) / 100 * 109, "1.090"),
            ((1 << 30) / 100 * 110, "1.10"),
            (2 << 30, "2.00"),
            ((1 << 30) + (1 << 26), "1.063"),
        ] {
            assert_eq!(distance(peak, 1 << 30), shown);
        }
    }
}
