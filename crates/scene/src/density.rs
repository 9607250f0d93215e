//! Buffers smaller than a pixel, added up to coverage: nothing disappears, nothing is drawn twice.

use super::geometry::Rect;
use super::ink::Ink;
use super::mark::Layer;

/// Levels of opacity.
const LEVELS: f64 = 8.0;
/// The thinnest buffer alone is still seen.
const LEAST: f64 = 0.25;
/// From this coverage on a cell is dense.
const DENSE: f64 = 0.3;
/// Coverage below this is the rounding of sums.
const NOTHING: f64 = 1e-6;
/// Most marks; more are made fewer by coarser cells.
const MOST: usize = 30_000;
/// Side of a cell by the number of boxes: with fine cells a crowd would be as many marks as before.
const CELLS: [(usize, f64); 2] = [(500, 1.0), (5_000, 2.0)];
const COARSE: f64 = 4.0;

/// A kind of boxes: an ink for cells with few of them and one for cells full of them.
pub type Inks = [Ink; 2];

/// Draws boxes, each with the number of its inks, as the density of cells over a panel: a cell has
/// the ink that covers most of it, and is as opaque as all together cover it.
pub fn draw(panel: Rect, boxes: &[(usize, Rect)], inks: &[Inks], layer: &mut Layer) {
    let order: Vec<usize> = (0..inks.len()).collect();
    let mut stripes = Vec::new();
    for cell in cells(boxes.len(), panel) {
        let mut grid = Grid::new(panel, cell);
        boxes.iter().for_each(|(ink, rect)| grid.add(*ink, rect));
        stripes = grid.stripes(&order);
        if !are_too_many(&stripes) {
            break;
        }
    }
    paint(stripes, inks, layer);
}

/// The sides of cells that suit so many boxes, the finest first: another is needed where the one
/// before it gives too many stripes.
pub fn cells(boxes: usize, panel: Rect) -> impl Iterator<Item = f64> {
    let first = CELLS.iter().find(|(most, _)| boxes <= *most).map_or(COARSE, |&(_, cell)| cell);
    std::iter::successors(Some(first), move |cell| (*cell < panel.w).then_some(cell * 2.0))
}

/// Whether stripes are more than are drawn.
pub fn are_too_many(stripes: &[Stripe]) -> bool {
    stripes.len() > MOST
}

/// Draws stripes, whose inks these are.
pub fn paint(mut stripes: Vec<Stripe>, inks: &[Inks], layer: &mut Layer) {
    stripes.sort_by_key(|stripe| (stripe.ink, stripe.level));
    for stripe in stripes {
        let alpha = stripe.level as f64 / LEVELS;
        let [sparse, dense] = inks[stripe.ink];
        layer.rect(stripe.rect, if alpha < DENSE { sparse } else { dense }.alpha(alpha));
    }
}

/// Neighbours in a row that look the same.
pub struct Stripe {
    ink: usize,
    level: u32,
    rect: Rect,
}

/// Square cells over a panel. A box is kept as the changes of coverage at its corners, so a large
/// box costs no more than a small one, and rows in which nothing changes cost nothing.
#[derive(Clone, Debug)]
pub struct Grid {
    panel: Rect,
    cell: f64,
    columns: usize,
    rows: usize,
    /// The rows of each ink.
    inks: Vec<Vec<GridRow>>,
}

/// A row of one ink.
#[derive(Clone, Debug, Default)]
struct GridRow {
    /// By how much the coverage grows from each column on; empty where nothing changes.
    changes: Vec<f64>,
    /// How many edges of boxes change it.
    edges: u32,
}

impl Grid {
    /// Cells without any box.
    pub fn new(panel: Rect, cell: f64) -> Grid {
        let count = |length: f64| (length / cell).ceil().max(1.0) as usize;
        Grid { panel, cell, columns: count(panel.w), rows: count(panel.h), inks: Vec::new() }
    }

    /// The side of a cell.
    pub fn cell(&self) -> f64 {
        self.cell
    }

    /// Adds a box; what lies outside the panel is cut off.
    pub fn add(&mut self, ink: usize, rect: &Rect) {
        if self.inks.len() <= ink {
            self.inks.resize(ink + 1, vec![GridRow::default(); self.rows]);
        }
        self.put(ink, rect, 1.0);
    }

    /// Takes a box out that was added before.
    pub fn remove(&mut self, ink: usize, rect: &Rect) {
        self.put(ink, rect, -1.0);
    }

    fn put(&mut self, ink: usize, rect: &Rect, sign: f64) {
        let Some(rect) = rect.cut(&self.panel) else { return };
        let columns = ends((rect.x - self.panel.x) / self.cell, (rect.right() - self.panel.x) / self.cell);
        let rows = ends((rect.y - self.panel.y) / self.cell, (rect.bottom() - self.panel.y) / self.cell);
        for (row, dy) in rows.into_iter().filter(|(row, dy)| *row < self.rows && *dy != 0.0) {
            let GridRow { changes, edges } = &mut self.inks[ink][row];
            *edges = if sign > 0.0 { *edges + 1 } else { edges.saturating_sub(1) };
            if *edges == 0 {
                // Nothing is left, not even an error of rounding.
                changes.clear();
                continue;
            }
            // Changes behind the last row or column change nothing.
            changes.resize(self.columns, 0.0);
            for (column, dx) in columns {
                if let Some(change) = changes.get_mut(column) {
                    *change += sign * dx * dy;
                }
            }
        }
    }

    /// Visits each row in which something changes with the covered share of its cells, one list an
    /// ink in the given order of inks.
    fn changed_rows(&self, order: &[usize], mut visit: impl FnMut(usize, &[Vec<f64>])) {
        let inks: Vec<&[GridRow]> =
            order.iter().map(|&ink| self.inks.get(ink).map_or(&[][..], Vec::as_slice)).collect();
        let mut sums = vec![vec![0.0; self.columns]; inks.len()];
        let mut shares = sums.clone();
        for row in 0..self.rows {
            let changed = || {
                let changes = inks.iter().map(move |rows| rows.get(row).map_or(&[][..], |row| row.changes.as_slice()));
                changes.enumerate().filter(|(_, changes)| !changes.is_empty())
            };
            for (ink, changes) in changed() {
                let mut share = 0.0;
                for (column, change) in changes.iter().enumerate() {
                    sums[ink][column] += change;
                    share += sums[ink][column];
                    shares[ink][column] = if share > NOTHING { share } else { 0.0 };
                }
            }
            if changed().next().is_some() {
                visit(row, &shares);
            }
        }
    }

    /// The stripes to draw; their inks are numbered by the given order of the grid's.
    pub fn stripes(&self, order: &[usize]) -> Vec<Stripe> {
        let mut stripes: Vec<Stripe> = Vec::new();
        let mut last = (0, 0..0);
        self.changed_rows(order, |row, shares| {
            // What was found in the last changed row holds down to this one.
            stripes[last.1.clone()].iter_mut().for_each(|stripe| stripe.rect.h = (row - last.0) as f64 * self.cell);
            let first = stripes.len();
            self.stripes_of(row, shares, &mut stripes);
            last = (row, first..stripes.len());
        });
        let rest = self.rows - last.0;
        stripes[last.1].iter_mut().for_each(|stripe| stripe.rect.h = rest as f64 * self.cell);
        stripes
    }

    fn stripes_of(&self, row: usize, shares: &[Vec<f64>], stripes: &mut Vec<Stripe>) {
        let looks: Vec<(usize, u32)> = (0..self.columns).map(|column| look(shares, column)).collect();
        let mut from = 0;
        for stripe in looks.chunk_by(|a, b| a == b) {
            let (ink, level) = stripe[0];
            if level > 0 {
                let (x, y) = (from as f64 * self.cell, row as f64 * self.cell);
                let rect = Rect::new(self.panel.x + x, self.panel.y + y, stripe.len() as f64 * self.cell, self.cell);
                stripes.push(Stripe { ink, level, rect });
            }
            from += stripe.len();
        }
    }
}

/// Ink and level of a cell; level 0 where there is nothing.
fn look(shares: &[Vec<f64>], column: usize) -> (usize, u32) {
    let (mut most, mut sum) = ((0, 0.0), 0.0);
    for (ink, list) in shares.iter().enumerate() {
        sum += list[column];
        if list[column] > most.1 {
            most = (ink, list[column]);
        }
    }
    let level = if sum == 0.0 { 0 } else { (sum.clamp(LEAST, 1.0) * LEVELS).round() as u32 };
    (most.0, level)
}

/// How the coverage of cells by `from..to` changes from cell to cell.
fn ends(from: f64, to: f64) -> [(usize, f64); 4] {
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

    fn drawn(panel: Rect, boxes: &[(usize, Rect)], inks: &[[Color; 2]]) -> Vec<Mark> {
        let inks: Vec<Inks> = inks.iter().map(|pair| pair.map(Ink::fill)).collect();
        let mut layer = Layer::default();
        draw(panel, boxes, &inks, &mut layer);
        layer.marks
    }

    fn filled(cell: f64, boxes: &[(usize, Rect)]) -> Grid {
        let mut grid = Grid::new(PANEL, cell);
        boxes.iter().for_each(|(ink, rect)| grid.add(*ink, rect));
        grid
    }

    #[test]
    fn a_box_that_is_taken_out_leaves_nothing() {
        let (kept, other) = (Rect::new(10.5, 21.5, 3.1, 0.3), Rect::new(11.3, 20.1, 4.7, 1.9));
        let look = |grid: &Grid| {
            let mut rows = Vec::new();
            grid.changed_rows(&[0, 1], |row, shares| rows.push((row, shares.to_vec())));
            rows
        };
        let mut grid = filled(1.0, &[(0, kept), (1, other)]);
        grid.remove(1, &other);
        assert_eq!(look(&grid), look(&filled(1.0, &[(0, kept)])));
        grid.remove(0, &kept);
        assert!(look(&grid).is_empty());
    }

    #[test]
    fn coverage_is_the_area_wherever_the_boxes_lie() {
        for cell in [1.0, 2.0, 3.0] {
            let mut boxes = Vec::new();
            for number in 0..500 {
                let spread = |step: usize, range: f64| (number * step % 97) as f64 / 97.0 * range;
                let rect = Rect::new(8.0 + spread(31, 10.0), 19.0 + spread(57, 7.0), spread(11, 3.0), spread(17, 0.9));
                boxes.push((number % 3, rect));
            }
            let grid = filled(cell, &boxes);
            let (mut sum, mut last) = (0.0, (0, 0.0));
            grid.changed_rows(&[0, 1, 2], |row, shares| {
                sum += last.1 * (row - last.0) as f64;
                last = (row, shares.iter().flatten().sum::<f64>());
            });
            sum += last.1 * (grid.rows - last.0) as f64;
            let sum = sum * cell * cell;
            let area: f64 = boxes.iter().filter_map(|(_, rect)| rect.cut(&PANEL)).map(|rect| rect.area()).sum();
            assert!((sum - area).abs() < 1e-6, "{sum} {area}");
        }
    }

    #[test]
    fn a_box_covers_its_cells_by_their_share() {
        let grid = filled(2.0, &[(0, Rect::new(11.0, 21.0, 4.0, 1.0))]);
        let mut rows = Vec::new();
        grid.changed_rows(&[0], |row, shares| rows.push((row, shares[0].clone())));
        assert_eq!(rows, [(0, vec![0.25, 0.5, 0.25, 0.0]), (1, vec![0.0; 4])]);
    }

    #[test]
    fn stripes_of_equal_cells_become_one_mark() {
        let boxes = [
            (0, Rect::new(10.0, 22.0, 8.0, 0.5)),
            (1, Rect::new(10.0, 22.5, 4.0, 0.125)),
            (0, Rect::new(10.0, 24.0, 8.0, 0.25)),
        ];
        let marks = drawn(PANEL, &boxes, &[[Color::Line, Color::Text], [Color::Line2, Color::Muted]]);
        let looks: Vec<(Color, f64)> = marks.iter().map(|mark| (mark.ink.color, mark.ink.alpha)).collect();
        assert_eq!(looks, [(Color::Line, 0.25), (Color::Text, 0.5), (Color::Text, 0.625)]);
    }

    #[test]
    fn a_crowd_is_drawn_in_coarser_cells() {
        let panel = Rect::new(0.0, 0.0, 1200.0, 800.0);
        let spot = |number: u32| {
            let (x, y) = ((number % 600) as f64 * 2.0, (number / 600) as f64 * 2.0);
            (number as usize % 2, Rect::new(x, y, 0.9, if number.is_multiple_of(3) { 0.9 } else { 0.3 }))
        };
        let boxes: Vec<(usize, Rect)> = (0..240_000).map(spot).collect();
        let marks = drawn(panel, &boxes, &[[Color::Text; 2], [Color::Muted; 2]]);
        assert!(!marks.is_empty() && marks.len() <= MOST);
    }
}
