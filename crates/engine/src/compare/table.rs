//! Figures as the text of a table, one line for each plan.

use serde_json::{Map, Value};

use super::{FIGURES, Figure, FigureValue, PlannerChoice, RankingEntry, in_tables};
use memplan_core::base::Family;
use memplan_core::base::shown::{columns, csv_field, markdown, padded, padded_before, visible};
use memplan_core::text::Speech;
use memplan_formats::export::json::pretty;
use memplan_planners::{INFOS, own_name};

/// Format of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableFormat {
    /// Aligned columns for a terminal.
    Plain,
    /// The columns of these that fit 80 letters.
    Narrow,
    /// CSV (RFC 4180).
    Csv,
    /// A Markdown table.
    Markdown,
    /// A JSON array of objects.
    Json,
    /// Markdown with a line for each planner and a column for each graph: peak over bound.
    Matrix,
}

/// Figures of the plans of one graph or several.
pub struct FigureTable<'a> {
    /// Plans with the names of their graphs.
    pub rows: Vec<(&'a str, &'a RankingEntry)>,
    /// Language of the formats for people, and how they state sizes.
    pub speech: Speech,
}

/// Keys of the figures in tables for people; CSV and JSON have all.
const SHOWN: [&str; 17] = [
    "peak",
    "held",
    "lower_bound",
    "bound",
    "ratio",
    "waste",
    "padding",
    "internal",
    "external",
    "utilisation",
    "fragmentation",
    "reuses",
    "dependencies",
    "longest_after",
    "time",
    "frames",
    "valid",
];

impl FigureTable<'_> {
    /// Returns the whole table as text.
    pub fn write(&self, form: TableFormat) -> String {
        match form {
            TableFormat::Plain => self.plain(),
            TableFormat::Narrow => self.narrow(),
            TableFormat::Csv => self.csv(),
            TableFormat::Markdown => self.markdown(),
            TableFormat::Json => self.json(),
            TableFormat::Matrix => self.matrix(),
        }
    }

    /// All figures, sizes in bytes, one line for each plan; the last columns are why there is no
    /// plan, and what people call a planner that a user wrote.
    fn csv(&self) -> String {
        let mut text = String::from("graph,planner");
        FIGURES.iter().for_each(|figure| text += &format!(",{}", figure.key));
        text += ",error,planner_name\n";
        for (graph, entry) in &self.rows {
            let mut cells = vec![csv_field(graph), csv_field(&entry.choice.text())];
            match &entry.result {
                Ok(found) => {
                    cells.extend(FIGURES.iter().map(|figure| figure.value(found).plain()));
                    cells.push(String::new());
                }
                Err(why) => {
                    cells.extend(FIGURES.iter().map(|_| String::new()));
                    cells.push(csv_field(&self.speech.say(why)));
                }
            }
            cells.push(own_name(&entry.choice.planner).map_or_else(String::new, csv_field));
            text += &cells.join(",");
            text.push('\n');
        }
        text
    }

    fn json(&self) -> String {
        let record = |(graph, entry): &(&str, &RankingEntry)| {
            let mut record = Map::new();
            record.insert("graph".into(), (*graph).into());
            record.insert("planner".into(), entry.choice.planner.clone().into());
            own_name(&entry.choice.planner).into_iter().for_each(|name| {
                record.insert("planner_name".into(), name.into());
            });
            let options = entry.choice.options.iter().map(|(key, value)| (key.clone(), Value::from(value.clone())));
            record.insert("options".into(), Value::Object(options.into_iter().collect()));
            match &entry.result {
                Ok(found) => FIGURES.iter().for_each(|figure| {
                    record.insert(figure.key.into(), value(figure.value(found)));
                }),
                Err(why) => {
                    record.insert("error".into(), self.speech.say(why).into());
                }
            }
            Value::Object(record)
        };
        let records = Value::Array(self.rows.iter().map(record).collect());
        pretty(&records) + "\n"
    }

    /// Whether the rows are of several graphs, which have a column then.
    pub(super) fn is_of_several(&self) -> bool {
        self.rows.windows(2).any(|pair| pair[0].0 != pair[1].0)
    }

    /// Whether any plan has the figure: in few, storages go back to an allocator.
    pub(super) fn is_known(&self, figure: &Figure) -> bool {
        let mut found = self.rows.iter().filter_map(|(_, entry)| entry.result.as_ref().ok());
        figure.key != "held" || found.any(|found| found.figures.metrics.held.is_some())
    }

    fn lines(&self) -> Vec<Vec<String>> {
        let shown: Vec<_> = in_tables().filter(|figure| SHOWN.contains(&figure.key) && self.is_known(figure)).collect();
        let several = self.is_of_several();
        let mut first = vec![self.speech.word("compare.planner")];
        if several {
            first.insert(0, self.speech.word("compare.graph"));
        }
        first.extend(shown.iter().map(|figure| self.speech.word(&Family::FIGURE.of([figure.key]))));
        let mut lines = vec![first];
        for (graph, entry) in &self.rows {
            let mut line = vec![entry.choice.named_text()];
            if several {
                line.insert(0, graph.to_string());
            }
            match &entry.result {
                Ok(found) => {
                    line.extend(shown.iter().map(|figure| figure.value(found).words(self.speech)));
                    line.extend(found.figures.remark().map(|why| self.speech.say(&why)));
                }
                Err(why) => line.push(self.speech.say(why)),
            }
            lines.push(line);
        }
        lines
    }

    fn markdown(&self) -> String {
        let mut text = String::new();
        let lines = self.lines();
        let width = lines.iter().map(Vec::len).max().unwrap_or(0);
        for (number, mut line) in lines.into_iter().enumerate() {
            line.resize(width, String::new());
            let cells: Vec<String> = line.iter().map(|cell| markdown(cell)).collect();
            text += &format!("| {} |\n", cells.join(" | "));
            if number == 0 {
                let rules = (0..width).map(|column| if column == 0 { " --- |" } else { " ---: |" });
                text += &format!("|{}\n", rules.collect::<String>());
            }
        }
        text
    }

    /// Planners in the order of the registry; the best of each graph is bold.
    fn matrix(&self) -> String {
        let mut graphs: Vec<&str> = self.rows.iter().map(|(graph, _)| *graph).collect();
        graphs.dedup();
        let mut planners: Vec<&PlannerChoice> = Vec::new();
        for (_, entry) in &self.rows {
            if !planners.contains(&&entry.choice) {
                planners.push(&entry.choice);
            }
        }
        let number = |choice: &&PlannerChoice| INFOS.iter().position(|info| info.id == choice.planner);
        planners.sort_by_key(|choice| (number(choice), choice.text()));
        let found = |graph: &str, choice: &PlannerChoice| {
            let here = self.rows.iter().filter(|(name, entry)| *name == graph && entry.choice == *choice);
            let valid =
                here.filter_map(|(_, entry)| entry.result.as_ref().ok()).filter(|found| found.figures.broken == 0);
            valid.min_by_key(|found| found.figures.metrics.need())
        };
        let best_of = |graph: &str| {
            let here = self.rows.iter().filter(|(name, _)| *name == graph);
            let sound =
                here.filter_map(|(_, entry)| entry.result.as_ref().ok()).filter(|found| found.figures.can_be_best());
            sound.map(|found| found.figures.metrics.need()).min()
        };
        let mut text = format!("| {} |", self.speech.word("compare.planner"));
        graphs.iter().for_each(|graph| text += &format!(" {} |", markdown(graph)));
        text += &format!("\n| --- |{}\n", " ---: |".repeat(graphs.len()));
        for choice in planners {
            // Ids and options alone have no marks.
            let name = choice.named_text();
            let shown = markdown(&name);
            text += &if shown == name { format!("| `{name}` |") } else { format!("| {shown} |") };
            for graph in &graphs {
                let best = best_of(graph);
                text += &match found(graph, choice).map(|found| (&found.figures.metrics, found.figures.can_be_best())) {
                    Some((metrics, sound)) => match metrics.ratio.map(|ratio| format!("{ratio:.3}")) {
                        Some(ratio) if sound && Some(metrics.need()) == best => format!(" **{ratio}** |"),
                        Some(ratio) => format!(" {ratio} |"),
                        None => " – |".into(),
                    },
                    None => " – |".into(),
                };
            }
            text.push('\n');
        }
        text
    }

    /// Thin spaces are plain ones, which align in every terminal, and names have no effect on it.
    fn plain(&self) -> String {
        let mut lines = self.lines();
        lines.iter_mut().flatten().for_each(|cell| *cell = visible(cell).replace('\u{202f}', " "));
        let count = lines.first().map_or(0, Vec::len);
        let width = |column: usize| {
            // What follows the last column is a remark.
            lines.iter().filter(|line| line.len() >= count).map(|line| columns(&line[column])).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..count).map(width).collect();
        let names = 1 + usize::from(self.is_of_several());
        let mut text = String::new();
        for line in &lines {
            let cell = |(column, cell): (usize, &String)| match widths.get(column) {
                Some(&width) if column < names => padded(cell, width),
                Some(&width) if line.len() >= count => padded_before(cell, width),
                _ => cell.clone(),
            };
            let cells: Vec<String> = line.iter().enumerate().map(cell).collect();
            text += cells.join("  ").trim_end();
            text.push('\n');
        }
        text
    }
}

fn value(cell: FigureValue) -> Value {
    match cell {
        FigureValue::Bytes(value) | FigureValue::Count(value) => value.into(),
        FigureValue::Ratio(value) | FigureValue::Share(value) | FigureValue::Millis(value) => value.into(),
        FigureValue::Yes(yes) => yes.into(),
        FigureValue::Unknown => Value::Null,
    }
}
