//! Buffers smaller than a pixel, added up to coverage: nothing disappears, nothing is drawn twice.

use super::geometry::Rect;
use super::ink::Ink;
use super::mark::Layer;

/// Levels of opacity.
const LEVELS: f64 = 12.0;
/// The thinnest buffer alone is still seen.
const LEAST: f64 = 0.25;
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

    /// One mark for each run of cells of equal opacity.
    pub fn draw(&self, ink: Ink, layer: &mut Layer) {
        let level = |share: f64| if share == 0.0 { 0 } else { (share.clamp(LEAST, 1.0) * LEVELS).round() as u32 };
        let mut runs: Vec<(u32, Rect)> = Vec::new();
        for (row, cells) in self.coverage().chunks_exact(self.columns).enumerate() {
            let mut from = 0;
            for run in cells.chunk_by(|a, b| level(*a) == level(*b)) {
                if level(run[0]) > 0 {
                    let (x, y) = (self.panel.x + from as f64 * self.cell, self.panel.y + row as f64 * self.cell);
                    runs.push((level(run[0]), Rect::new(x, y, run.len() as f64 * self.cell, self.cell)));
                }
                from += run.len();
            }
        }
        runs.sort_by_key(|&(level, _)| level);
        for (level, rect) in runs {
            layer.rect(rect, ink.alpha(level as f64 / LEVELS));
        }
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

    #[test]
    fn runs_of_equal_cells_become_one_mark() {
        let mut density = Density::new(PANEL, 1.0);
        density.add(&Rect::new(10.0, 22.0, 8.0, 0.5));
        let mut layer = Layer::default();
        density.draw(Ink::fill(super::super::ink::Color::Text), &mut layer);
        assert_eq!(layer.marks.len(), 1);
        assert_eq!(layer.marks[0].ink.alpha, 0.5);
    }
}
