//! The tables of docs/league.md.

use super::record::{Conditions, Entries, Entry, Figures, Measured, Row};
use super::standing::{Mark, Standing, distance, ratio, standing};
use memplan_core::base::exact;

/// Instances beside each other in one table.
const COLUMNS: usize = 9;

/// Returns a document with all tables written anew, each between `<!-- begin: NAME -->` and
/// `<!-- end: NAME -->`.
///
/// # Errors
/// A mark is missing from the document.
pub fn with_tables(document: &str, entries: &Entries, figures: &Figures) -> Result<String, String> {
    let order = standing(entries, figures);
    let tables = [
        ("summary", summary(entries, figures, &order)),
        ("results", by_planner(entries, figures, &order, Some("mean"), result)),
        ("times", by_planner(entries, figures, &order, None, time)),
        ("instances", instances(entries, figures)),
        ("conditions", conditions(entries, figures)),
    ];
    let mut text = document.to_string();
    for (name, table) in tables {
        let [begin, end] = ["begin", "end"].map(|side| format!("<!-- {side}: {name} -->\n"));
        let lost = || format!("the document lacks the marks of the section {name}");
        let (before, rest) = text.split_once(&begin).ok_or_else(lost)?;
        let (_, after) = rest.split_once(&end).ok_or_else(lost)?;
        text = format!("{before}{begin}{table}{end}{after}");
    }
    Ok(text)
}

/// The instances that were measured, with their entries.
fn pairs<'a>(entries: &'a Entries, figures: &'a Figures) -> Vec<(&'a Entry, &'a Measured)> {
    entries.instances.iter().filter_map(|entry| Some((entry, figures.of(&entry.id)?))).collect()
}

fn title(entry: &Entry) -> String {
    format!("{} {}", entry.group, entry.name)
}

/// Names after each other.
fn listed<'a>(names: impl Iterator<Item = &'a Entry>) -> String {
    let names: Vec<String> = names.map(title).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

fn summary(entries: &Entries, figures: &Figures, order: &[Standing]) -> String {
    let pairs = pairs(entries, figures);
    let plans: usize = pairs.iter().map(|(_, measured)| measured.rows.len()).sum();
    let settled = pairs.iter().filter(|(_, measured)| measured.is_settled()).count();
    let open = pairs.iter().filter(|(_, measured)| !measured.is_settled()).map(|(entry, _)| *entry);
    let left = entries.instances.iter().filter(|entry| figures.of(&entry.id).is_none());
    format!(
        "* {} planners and programs, {} instances, {plans} plans, each checked.\n\
         * Settled: {settled} instances, on which some plan is proved to be the smallest.\n\
         * Open: {}.\n\
         * Not measured, as the files were not at hand: {}.\n",
        order.len(),
        pairs.len(),
        listed(open),
        listed(left)
    )
}

/// Tables of a row for each planner, with a cell for each of its plans.
fn by_planner(
    entries: &Entries,
    figures: &Figures,
    order: &[Standing],
    mean: Option<&str>,
    cell: fn(&Measured, &Row) -> String,
) -> String {
    let tables = pairs(entries, figures);
    let table = |some: &[(&Entry, &Measured)]| {
        let heads: String = some.iter().map(|(entry, _)| format!(" {} |", title(entry))).collect();
        let last = mean.map_or(String::new(), |mean| format!(" {mean} |"));
        let rules = "---:|".repeat(some.len() + usize::from(mean.is_some()));
        let mut text = format!("| | planner |{heads}{last}\n|---:|---|{rules}\n");
        for one in order {
            let cells: String = some
                .iter()
                .map(|(_, measured)| measured.row(&one.planner).map_or("–".into(), |row| cell(measured, row)))
                .map(|cell| format!(" {cell} |"))
                .collect();
            let rank = one.rank.map_or("–".into(), |rank| rank.to_string());
            let last = mean.map_or(String::new(), |_| format!(" {} |", one.mean.map_or("–".into(), ratio)));
            text.push_str(&format!("| {rank} | `{}` |{cells}{last}\n", one.planner));
        }
        text
    };
    tables.chunks(COLUMNS).map(table).collect::<Vec<_>>().join("\n")
}

fn result(measured: &Measured, row: &Row) -> String {
    let distance = distance(row.peak, measured.bound);
    match measured.mark(row) {
        Mark::Proved => format!("**✓ {distance}**"),
        Mark::Best => format!("**○ {distance}**"),
        Mark::Behind => distance,
        Mark::Part => format!("*{} of {}*", row.placed, measured.buffers),
    }
}

fn time(_: &Measured, row: &Row) -> String {
    match row.ms {
        None => "–".into(),
        Some(ms) if ms < 10.0 => format!("{ms:.2}"),
        Some(ms) => exact(ms.round() as u64),
    }
}

fn instances(entries: &Entries, figures: &Figures) -> String {
    let mut text =
        "| instance | buffers | most live | lower bound, bytes | smallest plan known here | source | license |\n\
                    |---|---:|---:|---:|---|---|---|\n"
            .to_string();
    for (entry, measured) in pairs(entries, figures) {
        let smallest = match measured.best() {
            Some(best) if best == measured.bound => "the bound".into(),
            Some(best) if measured.is_settled() => format!("{}, proved", exact(best)),
            Some(best) => format!("{}, open", exact(best)),
            None => "–".into(),
        };
        let source = match (&entry.link, &entry.made_of) {
            (Some(link), _) => format!("[{}]({link})", entry.source),
            (None, Some(file)) => format!("{}: `{file}`", entry.source),
            (None, None) => format!("`{}`", entry.source),
        };
        text.push_str(&format!(
            "| {} | {} | {} | {} | {smallest} | {source} | {} |\n",
            title(entry),
            measured.buffers,
            measured.alive,
            exact(measured.bound),
            entry.license
        ));
    }
    text
}

fn conditions(entries: &Entries, figures: &Figures) -> String {
    let mut found: Vec<(&Conditions, Vec<&Entry>)> = Vec::new();
    for (entry, measured) in pairs(entries, figures) {
        let is_same = |ran: &Conditions| {
            Conditions { load: None, ..ran.clone() } == Conditions { load: None, ..measured.ran.clone() }
        };
        match found.iter_mut().find(|(ran, _)| is_same(ran)) {
            Some((_, names)) => names.push(entry),
            None => found.push((&measured.ran, vec![entry])),
        }
    }
    let line = |(ran, names): &(&Conditions, Vec<&Entry>)| {
        let loads = names.iter().filter_map(|entry| figures.of(&entry.id)?.ran.load);
        let (low, high) = loads.fold((f64::MAX, f64::MIN), |(low, high), load| (low.min(load), high.max(load)));
        let load = if low > high { String::new() } else { format!(", load average {low:.1} to {high:.1}") };
        let clock = if ran.cpu { "processor time" } else { "wall time" };
        format!("* {}, {}, {clock}{load}: {}.\n", ran.date, ran.machine, listed(names.iter().copied()))
    };
    found.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_stand_between_their_marks() {
        let entry = |id: &str| Entry { id: id.into(), name: id.into(), group: "set".into(), ..Entry::default() };
        let entries = Entries { planners: vec!["a".into(), "b".into()], instances: vec![entry("x"), entry("y")] };
        let row = |planner: &str, peak, placed| Row { planner: planner.into(), peak, placed, ..Row::default() };
        let measured = Measured {
            id: "x".into(),
            buffers: 3,
            bound: 100,
            rows: vec![Row { ms: Some(1234.4), ..row("a", 150, 3) }, row("b", 90, 2)],
            ..Measured::default()
        };
        let figures = Figures { instances: vec![measured], ..Figures::default() };
        let names = ["summary", "results", "times", "instances", "conditions"];
        let empty: String = names.map(|name| format!("<!-- begin: {name} -->\nold\n<!-- end: {name} -->\n")).concat();
        let text = with_tables(&empty, &entries, &figures).expect("all marks");
        assert_eq!(with_tables(&text, &entries, &figures).as_deref(), Ok(&*text), "written twice");
        assert!(!text.contains("old"), "{text}");
        for line in [
            "* Open: set x.",
            "* Not measured, as the files were not at hand: set y.",
            "| 1 | `a` | **○ 1.50** | 1.50 |",
            "| – | `b` | *2 of 3* | – |",
            "| 1 | `a` | 1\u{202f}234 |",
        ] {
            assert!(text.contains(&format!("{line}\n")), "{line} in {text}");
        }
        assert!(with_tables("", &entries, &figures).is_err());
    }
}
