//! Searches over whole plans: the ways that were tried with what each leads to, and how a climb
//! went.

use super::{Cell, Row, Section, Table, View, notes};
use crate::{Frame, Run};
use memplan_core::base::{Arg, Message};
use memplan_core::trace::Note;

fn named(run: &Run, way: u32) -> Cell {
    Cell::Value(Arg::Text(run.way_name(way.into()).to_string()))
}

/// Ways tried with their totals, the one kept marked, those left out faded; a click on one of XLA's
/// ways plans with it alone.
pub fn ways(run: &Run, frame: &Frame) -> Option<Section> {
    let (mut tried, mut kept) = (Vec::new(), Vec::new());
    for (_, (note, way, total, _)) in run.noted(frame.events, &[Note::TryWay, Note::KeepWay]) {
        if note == Note::TryWay {
            tried.push((way, total));
        } else {
            // A planner that tries its ways in each memory keeps one of each.
            kept.extend(tried.iter().rposition(|&(other, _)| other == way));
        }
    }
    let largest = tried.iter().map(|&(_, total)| total).max()?;
    let row = |(index, &(way, total)): (usize, &(u32, u64))| Row {
        cells: vec![
            named(run, way),
            Cell::bytes(total),
            if largest > 0 { Cell::Bar(total as f64 / largest as f64) } else { Cell::Empty },
        ],
        changed: kept.contains(&index).then(|| Message::new("panel.changed.best")),
        settings: settings(run, way),
        ..Row::default()
    };
    let left_out = |(way, ..): (u32, u64, u64)| Row {
        cells: vec![named(run, way), Cell::Say(Message::new("panel.ways.skipped")), Cell::Empty],
        faded: true,
        ..Row::default()
    };
    let skipped = notes(run, frame.events, Note::SkipWay).map(left_out);
    let rows = tried.iter().enumerate().map(row).chain(skipped).collect();
    let current = kept.first().copied();
    Some(Section { id: "ways", view: View::Table(Table::new(&["way", "#total", "share"], rows, current)) })
}

/// The options that leave only this way.
fn settings(run: &Run, way: u32) -> Vec<(&'static str, String)> {
    let values = run.way_name(way.into()).split(", ").map(str::to_string);
    run.explanation.way_options.iter().copied().zip(values).collect()
}

/// Where climbs began and how far they came, best first.
pub fn climbs(run: &Run, frame: &Frame) -> Option<Section> {
    let row = |(index, (way, from, least)): (usize, (u32, u64, u64))| Row {
        cells: vec![named(run, way), Cell::bytes(from), Cell::bytes(least)],
        changed: (index == 0).then(|| Message::new("panel.changed.best")),
        ..Row::default()
    };
    let rows: Vec<Row> = notes(run, frame.events, Note::Climbed).enumerate().map(row).collect();
    let is_known = !rows.is_empty();
    let table = Table::new(&["way", "#start-peak", "#best-peak"], rows, Some(0));
    is_known.then_some(Section { id: "climbs", view: View::Table(table) })
}

/// The attempts that were taken, in order; worse ones, taken by chance, faded.
pub fn attempts(run: &Run, frame: &Frame) -> Option<Section> {
    let better = notes(run, frame.events, Note::Taken).map(|emitted| (emitted, false));
    let worse = notes(run, frame.events, Note::TakenWorse).map(|emitted| (emitted, true));
    let mut taken: Vec<((u32, u64, u64), bool)> = better.chain(worse).collect();
    taken.sort();
    let largest = taken.iter().map(|&((.., to), _)| to).max()?;
    let row = |&((attempt, from, to), faded): &((u32, u64, u64), bool)| Row {
        cells: vec![
            Cell::count(attempt),
            Cell::Grown(from, to),
            if largest > 0 { Cell::Bar(to as f64 / largest as f64) } else { Cell::Empty },
        ],
        faded,
        ..Row::default()
    };
    let rows: Vec<Row> = taken.iter().map(row).collect();
    let table = Table::new(&["#attempt", "#total", "share"], rows, None);
    Some(Section { id: "attempts", view: View::Table(table) })
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::super::sections;
    use super::*;
    use crate::Level;
    use memplan_core::problem::sample;
    use memplan_core::trace::Recorder;
    use memplan_planners::{Input, find, origin};

    fn tables(id: &str, given: &[(&str, &str)]) -> Vec<(&'static str, Table)> {
        let problem = sample(80, 3);
        let planner = find(id).unwrap();
        let options = planner.info().options(given.iter().copied()).unwrap();
        let mut recorder = Recorder::default();
        let plan = planner.plan(Input { problem: &problem, graph: None }, &options, &mut recorder).unwrap();
        let run = Run::new(Rc::new(problem), origin(id, 1), plan, recorder.events);
        let last = run.frame(run.timeline.events_at(Level::Decisions, u32::MAX));
        let table = |section: Section| match section.view {
            View::Table(table) => Some((section.id, table)),
            _ => None,
        };
        sections(&run, &last).into_iter().filter_map(table).collect()
    }

    fn table(id: &str, given: &[(&str, &str)], section: &str) -> Table {
        tables(id, given).into_iter().find(|(id, _)| *id == section).unwrap_or_else(|| panic!("{id}: no {section}")).1
    }

    #[test]
    fn a_packing_search_lists_six_and_a_row_is_a_setting() {
        let shown = table("xla-packing-search", &[], "ways");
        assert_eq!(shown.rows.len(), 6);
        let kept: Vec<usize> = (0..6).filter(|&row| shown.rows[row].changed.is_some()).collect();
        assert_eq!((kept.len(), shown.current), (1, Some(kept[0])));
        let setting = |key, value: &str| (key, value.to_string());
        assert_eq!(shown.rows[4].settings, [setting("order", "temporal"), setting("fit", "lowest")]);
        // The setting leaves one way, and then there is nothing to compare.
        let alone = tables("xla-packing-search", &[("order", "temporal"), ("fit", "lowest")]);
        assert!(alone.iter().all(|(id, _)| *id != "ways"));
    }

    #[test]
    fn a_portfolio_lists_its_planners_and_fades_those_left_out() {
        let shown = table("best", &[("work", "1")], "ways");
        assert_eq!(shown.rows[0].cells[0], Cell::Value(Arg::Text("greedy-by-size".into())));
        assert_eq!(shown.rows.iter().filter(|row| row.changed.is_some()).count(), 1);
        assert!(shown.rows.iter().all(|row| row.settings.is_empty()));
    }

    #[test]
    fn a_climb_lists_its_starts_best_first_and_the_attempts_taken() {
        let climbs = table("hill-climb", &[("attempts", "600")], "climbs");
        assert_eq!(climbs.rows.len(), 6);
        let best = |row: &Row| match row.cells[2] {
            Cell::Value(Arg::Bytes(bytes)) => bytes,
            _ => panic!("{row:?}"),
        };
        assert!(climbs.rows.windows(2).all(|pair| best(&pair[0]) <= best(&pair[1])));
        let attempts = table("usmp-hill-climb", &[], "attempts");
        let rises = |row: &Row| matches!(row.cells[1], Cell::Grown(from, to) if to > from);
        assert!(attempts.rows.iter().all(|row| row.faded == rises(row)) && !attempts.rows.is_empty());
    }
}
