//! Buffers smaller than a pixel, added up to coverage: nothing disappears, nothing is drawn twice.

use super::geometry::{Point, Rect};
use super::ink::Ink;
use super::mark::Layer;

/// Levels of opacity.
const LEVELS: f64 = 8.0;
/// Most marks; more are made fewer by coarser cells.
const MOST: usize = 30_000;
/// The thinnest buffer alone is still seen.
const LEAST: f64 = 0.25;
/// From this coverage on a cell is dense.
const DENSE: f64 = 0.3;
/// Coverage below this is the rounding of sums.
const NOTHING: f64 = 1e-6;

/// A grid of cells over a panel that sums the areas of boxes.
///
/// A box is added at its corners alone: the sum over a row and a column of changes gives the coverage, so a million boxes cost
/// a million corners and one pass over the cells.
#[derive(Debug)]
pub struct Density {
    panel: Rect,
    cell: f64,
    columns: usize,
    rows: usize,
    changes: Vec<f64>,
}

impl Density {
    /// A grid over `panel` of square cells.
    pub fn new(panel: Rect, cell: f64) -> Density {
        let columns = (panel.w / cell).ceil().max(1.0) as usize;
        let rows = (panel.h / cell).ceil().max(1.0) as usize;
        // One more each way takes the falling edges at the far sides.
        let changes = vec![0.0; (columns + 2) * (rows + 2)];
        Density { panel, cell, columns, rows, changes }
    }

    /// Adds a box; what lies outside the panel is cut off.
    pub fn add(&mut self, rect: &Rect) {
        let x = edges(rect.x, rect.right(), self.panel.x, self.cell, self.columns);
        let y = edges(rect.y, rect.bottom(), self.panel.y, self.cell, self.rows);
        for (row, dy) in y {
            for (column, dx) in x {
                self.changes[row * (self.columns + 2) + column] += dx * dy;
            }
        }
    }

    /// Covered share of each cell, row by row; above 1 where boxes lie on each other.
    pub fn coverage(&self) -> Vec<f64> {
        let width = self.columns + 2;
        let mut above = vec![0.0; width];
        let mut coverage = Vec::with_capacity(self.columns * self.rows);
        for changes in self.changes.chunks_exact(width).take(self.rows) {
            let mut sum = 0.0;
            for (column, change) in changes.iter().enumerate() {
                above[column] += change;
                sum += above[column];
                if column < self.columns {
                    coverage.push(if sum > NOTHING { sum } else { 0.0 });
                }
            }
        }
        coverage
    }
}

/// Draws densities over one panel, each with an ink for sparse and one for dense cells: a cell has the ink of the density that
/// covers most of it, as opaque as all together cover it.
pub fn draw(grids: &[([Ink; 2], Density)], layer: &mut Layer) {
    let Some((_, first)) = grids.first() else { return };
    let mut cells = Cells {
        corner: (first.panel.x, first.panel.y),
        cell: first.cell,
        columns: first.columns,
        shares: grids.iter().map(|(_, grid)| grid.coverage()).collect(),
    };
    let mut runs = cells.runs();
    while runs.len() > MOST && cells.columns > 1 {
        cells = cells.coarser();
        runs = cells.runs();
    }
    runs.sort_by_key(|&(ink, level, _)| (ink, level));
    for (ink, level, rect) in runs {
        let alpha = level as f64 / LEVELS;
        let [sparse, dense] = grids[ink].0;
        layer.rect(rect, if alpha < DENSE { sparse } else { dense }.alpha(alpha));
    }
}

/// Covered shares of the cells of one panel, row by row, one list an ink.
struct Cells {
    corner: Point,
    cell: f64,
    columns: usize,
    shares: Vec<Vec<f64>>,
}

impl Cells {
    /// Runs of neighbours of equal ink and level.
    fn runs(&self) -> Vec<(usize, u32, Rect)> {
        let count = self.shares[0].len();
        let look = |cell: usize| {
            let (mut most, mut sum) = ((0, 0.0), 0.0);
            for (ink, shares) in self.shares.iter().enumerate() {
                sum += shares[cell];
                if shares[cell] > most.1 {
                    most = (ink, shares[cell]);
                }
            }
            let level = if sum == 0.0 { 0 } else { (sum.clamp(LEAST, 1.0) * LEVELS).round() as u32 };
            (most.0, level)
        };
        let looks: Vec<(usize, u32)> = (0..count).map(look).collect();
        let mut runs = Vec::new();
        for (row, looks) in looks.chunks_exact(self.columns).enumerate() {
            let mut from = 0;
            for run in looks.chunk_by(|a, b| a == b) {
                let (ink, level) = run[0];
                if level > 0 {
                    let (x, y) = (self.corner.0 + from as f64 * self.cell, self.corner.1 + row as f64 * self.cell);
                    runs.push((ink, level, Rect::new(x, y, run.len() as f64 * self.cell, self.cell)));
                }
                from += run.len();
            }
        }
        runs
    }

    /// Cells of twice the side; those at the far edges count what lies beyond as empty.
    fn coarser(&self) -> Cells {
        let columns = self.columns.div_ceil(2);
        let halve = |shares: &Vec<f64>| {
            let rows = (shares.len() / self.columns).div_ceil(2);
            let mut coarse = vec![0.0; columns * rows];
            for (row, shares) in shares.chunks_exact(self.columns).enumerate() {
                for (column, share) in shares.iter().enumerate() {
                    coarse[row / 2 * columns + column / 2] += share / 4.0;
                }
            }
            coarse
        };
        Cells { corner: self.corner, cell: 2.0 * self.cell, columns, shares: self.shares.iter().map(halve).collect() }
    }
}

/// How the indicator of `from..to`, averaged over cells, changes from cell to cell: at most four changes.
fn edges(from: f64, to: f64, origin: f64, cell: f64, cells: usize) -> [(usize, f64); 4] {
    let clip = |value: f64| ((value - origin) / cell).clamp(0.0, cells as f64);
    let (from, to) = (clip(from), clip(to));
    let (first, last) = (from.floor(), to.floor());
    let (inside_first, inside_last) = (from - first, to - last);
    [
        (first as usize, 1.0 - inside_first),
        (first as usize + 1, inside_first),
        (last as usize, inside_last - 1.0),
        (last as usize + 1, -inside_last),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::ink::Color;
    use super::super::mark::Mark;
    use super::*;

    const PANEL: Rect = Rect::new(10.0, 20.0, 8.0, 6.0);

    #[test]
    fn coverage_is_the_area_wherever_the_boxes_lie() {
        let mut density = Density::new(PANEL, 1.0);
        let mut area = 0.0;
        for number in 0..500 {
            let spread = |step: usize, range: f64| (number * step % 97) as f64 / 97.0 * range;
            let rect = Rect::new(8.0 + spread(31, 10.0), 19.0 + spread(57, 7.0), spread(11, 3.0), spread(17, 0.9));
            density.add(&rect);
            area += rect.cut(&PANEL).map_or(0.0, |rect| rect.area());
        }
        let sum: f64 = density.coverage().iter().sum();
        assert!((sum - area).abs() < 1e-6, "{sum} {area}");
    }

    #[test]
    fn a_box_covers_its_cells_by_their_share() {
        let mut density = Density::new(PANEL, 2.0);
        density.add(&Rect::new(11.0, 21.0, 4.0, 1.0));
        let expected = [0.25, 0.5, 0.25, 0.0];
        for (cell, share) in density.coverage()[..4].iter().zip(expected) {
            assert!((cell - share).abs() < 1e-9);
        }
        assert!(density.coverage()[4..].iter().all(|&share| share == 0.0));
    }

    fn drawn(grids: &[([Ink; 2], Density)]) -> Vec<Mark> {
        let mut layer = Layer::default();
        draw(grids, &mut layer);
        layer.marks
    }

    #[test]
    fn runs_of_equal_cells_become_one_mark() {
        let (mut low, mut high) = (Density::new(PANEL, 1.0), Density::new(PANEL, 1.0));
        low.add(&Rect::new(10.0, 22.0, 8.0, 0.5));
        high.add(&Rect::new(10.0, 22.5, 4.0, 0.125));
        low.add(&Rect::new(10.0, 24.0, 8.0, 0.25));
        let inks = |sparse, dense| [Ink::fill(sparse), Ink::fill(dense)];
        let marks = drawn(&[(inks(Color::Line, Color::Text), low), (inks(Color::Line2, Color::Muted), high)]);
        let alphas: Vec<(Color, f64)> = marks.iter().map(|mark| (mark.ink.color, mark.ink.alpha)).collect();
        assert_eq!(alphas, [(Color::Line, 0.25), (Color::Text, 0.5), (Color::Text, 0.625)]);
    }

    #[test]
    fn a_crowd_is_drawn_in_coarser_cells() {
        let panel = Rect::new(0.0, 0.0, 301.0, 201.0);
        let mut density = Density::new(panel, 1.0);
        for number in 0..60_000 {
            let (x, y) = ((number % 300) as f64, (number / 300) as f64);
            density.add(&Rect::new(x, y, 0.9, if number % 2 == 0 { 0.9 } else { 0.3 }));
        }
        let marks = drawn(&[([Ink::fill(Color::Text); 2], density)]);
        assert!(!marks.is_empty() && marks.len() <= MOST);
    }
}
