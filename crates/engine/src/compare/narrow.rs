//! The table of figures for a terminal of 80 columns: the figures that fit, the most telling first.

use super::table::FigureTable;
use super::{Figure, RankingEntry, in_tables};
use memplan_core::base::Family;
use memplan_core::base::shown::{column_count, columns, padded, padded_before, visible};

/// Widest line.
const WIDTH: usize = 80;

/// Width that a column of names has for certain, if it is alone or one of two: what is longer may
/// lose its middle.
const LEAST_NAME: [usize; 2] = [34, 16];

/// Figures in the order in which they get room.
const BY_WEIGHT: [&str; 14] = [
    "peak",
    "held",
    "lower_bound",
    "ratio",
    "valid",
    "waste",
    "time",
    "frames",
    "bound",
    "reuses",
    "utilisation",
    "fragmentation",
    "dependencies",
    "longest_after",
];

/// Blanks between two columns.
const GAP: usize = 2;

/// A line: graph and planner, and the cells of all figures or why there is no plan.
struct Line {
    names: Vec<String>,
    cells: Result<Vec<String>, String>,
    /// What the figures of a plan leave out.
    remark: Option<String>,
}

impl FigureTable<'_> {
    /// Aligned columns, no line longer than 80 letters. Reasons go on below.
    pub(super) fn narrow(&self) -> String {
        let several = self.is_of_several();
        let plain = |text: &str| visible(text).replace('\u{202f}', " ");
        let figures: Vec<&Figure> =
            in_tables().filter(|figure| BY_WEIGHT.contains(&figure.key) && self.is_known(figure)).collect();
        let mut names = vec![self.speech.word("compare.planner")];
        if several {
            names.insert(0, self.speech.word("compare.graph"));
        }
        let heads = figures.iter().map(|figure| plain(&self.head(figure)));
        let mut lines = vec![Line { names, cells: Ok(heads.collect()), remark: None }];
        for (graph, entry) in &self.rows {
            let mut names = vec![plain(&entry.choice.named_text())];
            if several {
                names.insert(0, plain(graph));
            }
            let remark = entry.result.as_ref().ok().and_then(|found| found.figures.remark());
            let remark = remark.map(|why| plain(&self.speech.say(&why)));
            lines.push(Line { names, cells: self.cells(entry, &figures, &plain), remark });
        }
        let width = |column: usize| {
            let cells = lines.iter().filter_map(|line| line.cells.as_ref().ok());
            cells.map(|cells| columns(&cells[column])).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..figures.len()).map(width).collect();
        let chosen = chosen(&figures, &widths, &name_widths(&lines));
        let room = WIDTH.saturating_sub(chosen.iter().map(|&column| widths[column] + GAP).sum());
        let name_widths = fitted(name_widths(&lines), room);
        lines.iter().map(|line| line.text(&name_widths, &chosen, &widths)).collect()
    }

    /// The head of a column; shorter than in wide tables where that one is long.
    fn head(&self, figure: &Figure) -> String {
        match figure.key {
            "ratio" => self.speech.word("compare.narrow-ratio"),
            "held" => self.speech.word("compare.narrow-held"),
            "time" => self.speech.word("compare.narrow-time"),
            key => self.speech.word(&Family::FIGURE.of([key])),
        }
    }

    fn cells(
        &self,
        entry: &RankingEntry,
        figures: &[&Figure],
        plain: &impl Fn(&str) -> String,
    ) -> Result<Vec<String>, String> {
        let found = entry.result.as_ref().map_err(|why| plain(&self.speech.say(why)))?;
        Ok(figures.iter().map(|figure| plain(&figure.value(found).words(self.speech))).collect())
    }
}

fn name_widths(lines: &[Line]) -> Vec<usize> {
    let count = lines.first().map_or(0, |line| line.names.len());
    let width = |column: usize| lines.iter().map(|line| columns(&line.names[column])).max().unwrap_or(0);
    (0..count).map(width).collect()
}

/// Columns of figures that fit beside the names, in the order of the table.
fn chosen(figures: &[&Figure], widths: &[usize], names: &[usize]) -> Vec<usize> {
    let least = LEAST_NAME[usize::from(names.len() > 1)];
    let mut used = names.iter().map(|&name| name.min(least) + GAP).sum::<usize>().saturating_sub(GAP);
    let mut chosen = Vec::new();
    for key in BY_WEIGHT {
        let Some(column) = figures.iter().position(|figure| figure.key == key) else { continue };
        if used + GAP + widths[column] <= WIDTH {
            used += GAP + widths[column];
            chosen.push(column);
        }
    }
    chosen.sort_unstable();
    chosen
}

/// Widths of the columns of names that together take `room`: the widest gives way first.
fn fitted(mut widths: Vec<usize>, room: usize) -> Vec<usize> {
    let gaps = GAP * widths.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + gaps > room {
        match widths.iter_mut().max() {
            Some(widest) if *widest > 1 => *widest -= 1,
            _ => break,
        }
    }
    widths
}

/// A text of at most `width` columns, without its middle if it is wider.
fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.into();
    }
    let kept = width.saturating_sub(1);
    let fitting = |letters: &mut dyn Iterator<Item = char>, room: usize| -> Vec<char> {
        let mut used = 0;
        let fits = |letter: &char| {
            used += column_count(*letter);
            used <= room
        };
        letters.take_while(fits).collect()
    };
    let start = fitting(&mut text.chars(), kept.div_ceil(2));
    let end = fitting(&mut text.chars().rev(), kept / 2);
    start.into_iter().chain(['…']).chain(end.into_iter().rev()).collect()
}

impl Line {
    fn text(&self, names: &[usize], chosen: &[usize], widths: &[usize]) -> String {
        let start: Vec<String> =
            self.names.iter().zip(names).map(|(name, &width)| padded(&cut(name, width), width)).collect();
        let start = start.join("  ");
        let indent = " ".repeat(columns(&start) + GAP);
        let Ok(cells) = &self.cells else {
            return broken(format!("{start}  "), self.cells.as_ref().err().map_or("", String::as_str), &indent);
        };
        let cell = |&column: &usize| " ".repeat(GAP) + &padded_before(&cells[column], widths[column]);
        let rest: String = chosen.iter().map(cell).collect();
        let remark = self.remark.as_ref().map(|remark| broken(indent.clone(), remark, &indent));
        (start + &rest).trim_end().to_string() + "\n" + &remark.unwrap_or_default()
    }
}

/// Appends words to a line, which goes on below, behind `indent`, where it becomes too long.
fn broken(line: String, words: &str, indent: &str) -> String {
    let mut lines = vec![line];
    for word in words.split(' ') {
        let last = lines.last().map_or(0, |line| columns(line));
        if last + columns(word) > WIDTH && last > indent.len() {
            lines.push(indent.into());
        }
        if let Some(line) = lines.last_mut() {
            *line += word;
            *line += " ";
        }
    }
    lines.iter().map(|line| line.trim_end().to_string() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::super::FIGURES;
    use super::*;

    #[test]
    fn every_weighed_figure_exists() {
        for key in BY_WEIGHT {
            assert!(FIGURES.iter().any(|figure| figure.key == key), "{key}");
        }
    }

    #[test]
    fn a_long_name_loses_its_middle() {
        assert_eq!(cut("resnet18_dynamic_batch", 9), "resn…atch");
        assert_eq!((cut("abc", 3), cut("abcd", 3), cut("abcd", 1)), ("abc".into(), "a…d".into(), "…".into()));
        assert_eq!(fitted(vec![30, 10], 32), [20, 10]);
        assert_eq!((cut("内存规划器的比较", 9), columns("内存…比较")), ("内存…比较".into(), 9));
    }
}
