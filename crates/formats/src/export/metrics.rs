//! Figures of plans as a table: CSV for spreadsheets, Markdown for documents.

use serde_json::Value;

use super::csv::Table;
use memplan_core::base::shown::markdown;
use memplan_core::plan::Metrics;

/// The figures of one plan.
#[derive(Clone, PartialEq, Debug)]
pub struct MetricsRow {
    /// Name of the graph or buffer list.
    pub graph: String,
    /// Registry id, or `imported`.
    pub planner: String,
    /// What people call a planner that a user wrote.
    pub planner_name: Option<String>,
    /// How many rules of plans this one breaks. The peak, ratio and waste of a plan that breaks any
    /// are not results.
    pub violations: u64,
    /// The figures themselves, sizes in bytes.
    pub metrics: Metrics,
}

const COLUMNS: [&str; 14] = [
    "graph",
    "planner",
    "violations",
    "peak",
    "lower_bound",
    "ratio",
    "waste",
    "unshared",
    "buffers",
    "placed",
    "pools",
    "reuses",
    "held",
    "planner_name",
];

/// Columns of text; the others are numbers.
const WORDS: [&str; 3] = ["graph", "planner", "planner_name"];

fn cells(row: &MetricsRow) -> [String; COLUMNS.len()] {
    let metrics = &row.metrics;
    let valid = |text: String| if row.violations == 0 { text } else { String::new() };
    [
        row.graph.clone(),
        row.planner.clone(),
        row.violations.to_string(),
        valid(metrics.peak.to_string()),
        // The peak is compared with what was placed.
        metrics.bound().to_string(),
        valid(metrics.ratio.map_or_else(String::new, |ratio| format!("{ratio:.4}"))),
        valid(metrics.waste.to_string()),
        metrics.unshared.to_string(),
        metrics.buffers.to_string(),
        metrics.placed.to_string(),
        metrics.pools.to_string(),
        metrics.reuses.to_string(),
        valid(metrics.held.map_or_else(String::new, |held| held.to_string())),
        row.planner_name.clone().unwrap_or_default(),
    ]
}

/// A header and a row a plan, sizes in bytes.
pub fn metrics_csv(rows: &[MetricsRow]) -> String {
    let mut table = Table::default();
    table.row(COLUMNS.iter());
    rows.iter().for_each(|row| table.row(cells(row).iter()));
    table.text()
}

/// The same as a Markdown table, numbers to the right.
pub fn metrics_markdown(rows: &[MetricsRow]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(&COLUMNS.map(String::from));
    let rule: Vec<String> =
        COLUMNS.iter().map(|column| if WORDS.contains(column) { "---" } else { "---:" }.into()).collect();
    text.push_str(&line(&rule));
    for row in rows {
        text.push_str(&line(&cells(row).map(|cell| markdown(&cell))));
    }
    text
}

/// The same as objects, with every figure: null where there is none, or where the plan breaks
/// rules.
pub fn metrics_records(rows: &[MetricsRow]) -> Vec<Value> {
    let record = |row: &MetricsRow| {
        let mut record = serde_json::to_value(&row.metrics).unwrap_or_default();
        record["graph"] = row.graph.clone().into();
        record["planner"] = row.planner.clone().into();
        row.planner_name.iter().for_each(|name| record["planner_name"] = name.as_str().into());
        record["violations"] = row.violations.into();
        // The peak is compared with what was placed.
        record["bound"] = row.metrics.bound().into();
        if row.violations > 0 {
            ["peak", "ratio", "waste"].into_iter().for_each(|figure| record[figure] = Value::Null);
        }
        record
    };
    rows.iter().map(record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_no_effect_in_a_table() {
        assert!(metrics_csv(&[row("=1+1", 0)]).contains("\n'=1+1,first-fit,"));
        let text = metrics_markdown(&[row("<b>|\r\nc", 0)]);
        assert!(text.contains("\n| \\<b\\>\\|  c | first-fit |"), "{text}");
        assert!(text.contains("| lower_bound |"), "{text}");
    }

    fn row(graph: &str, violations: u64) -> MetricsRow {
        let metrics = Metrics {
            peak: 12,
            lower_bound: 9,
            placed_lower_bound: 8,
            ratio: Some(1.5),
            waste: 4,
            unshared: 20,
            buffers: 3,
            placed: 2,
            pools: 1,
            reuses: 1,
            proved_bound: None,
            optimal: None,
            held: None,
        };
        MetricsRow { graph: graph.into(), planner: "first-fit".into(), planner_name: None, violations, metrics }
    }

    #[test]
    fn the_table_has_a_row_a_plan() {
        let text = metrics_csv(&[row("a, b", 0)]);
        let expected = "graph,planner,violations,peak,lower_bound,ratio,waste,unshared,buffers,placed,pools,reuses,held,planner_name\n\
                        \"a, b\",first-fit,0,12,8,1.5000,4,20,3,2,1,1,,\n";
        assert_eq!(text, expected);
        let text = metrics_markdown(&[row("a|b", 0)]);
        assert_eq!(text.lines().nth(1).map(|rule| rule.matches("---:").count()), Some(11));
        assert_eq!(
            text.lines().nth(2),
            Some("| a\\|b | first-fit | 0 | 12 | 8 | 1.5000 | 4 | 20 | 3 | 2 | 1 | 1 |  |  |")
        );
    }

    #[test]
    fn a_planner_that_a_user_wrote_has_its_name_in_every_form() {
        let own = MetricsRow { planner: "own-1".into(), planner_name: Some("mine.rhai".into()), ..row("a", 0) };
        let rows = [own, row("a", 0)];
        let csv = metrics_csv(&rows);
        let lines: Vec<&str> = csv.lines().collect();
        assert!(lines[1].starts_with("a,own-1,0,") && lines[1].ends_with(",mine.rhai"), "{csv}");
        assert!(metrics_markdown(&rows).lines().nth(2).is_some_and(|line| line.ends_with(" | mine.rhai |")));
        let records = metrics_records(&rows);
        assert_eq!((&records[0]["planner_name"], records[1].get("planner_name")), (&"mine.rhai".into(), None));
    }

    #[test]
    fn a_plan_that_breaks_rules_has_no_peak() {
        assert!(metrics_csv(&[row("a", 2)]).ends_with("a,first-fit,2,,8,,,20,3,2,1,1,,\n"));
    }
}
