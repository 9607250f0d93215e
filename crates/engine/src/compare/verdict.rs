//! What a comparison comes to: the ranks of planners, and a sentence for each table.

use super::charts::{SweepPoints, swept_words};
use super::{Figure, FigureValue, GraphRow, PlannerChoice, RankingEntry, Vary};
use memplan_core::base::Message;
use memplan_core::plan::Figures;
use memplan_core::text::Speech;

/// The figures of an entry, if its plan can be the best.
fn contender(entry: &RankingEntry) -> Option<&Figures> {
    entry.result.as_ref().ok().map(|found| &found.figures).filter(|figures| figures.can_be_best())
}

/// Returns the rank of each entry. Equal needs share one, whatever time they took; a plan that
/// leaves buffers out or breaks rules has none.
pub fn ranks(entries: &[RankingEntry]) -> Vec<Option<usize>> {
    let needs: Vec<Option<u64>> =
        entries.iter().map(|entry| contender(entry).map(|figures| figures.metrics.need())).collect();
    let rank = |own: &u64| needs.iter().flatten().filter(|other| *other < own).count() + 1;
    needs.iter().map(|own| own.as_ref().map(rank)).collect()
}

/// Returns how many planners share the first rank, and whether no plan can need less.
pub fn ranking_verdict(entries: &[RankingEntry], speech: Speech) -> Option<Message> {
    let found = || entries.iter().filter_map(|entry| Some((entry, contender(entry)?)));
    let (first, figures) = found().min_by_key(|(_, figures)| figures.metrics.need())?;
    let (need, bound) = (figures.metrics.need(), figures.metrics.bound());
    let count = found().filter(|(_, figures)| figures.metrics.need() == need).count();
    let key = match (need == bound, count) {
        (true, _) => "compare.verdict.at-bound",
        (false, 1) => "compare.verdict.least",
        (false, _) => "compare.verdict.least-of-several",
    };
    let message = Message::new(key).count("n", count).count("all", entries.len()).bytes("bound", bound);
    let message = message.bytes("peak", need).bytes("above", need.saturating_sub(bound));
    Some(message.text("name", first.choice.words(speech)))
}

/// Returns what varying a value changes about a figure: a sentence for all planners if it changes
/// nothing, else one for each of them.
pub fn sweep_verdict(
    lines: &[(&PlannerChoice, &SweepPoints)],
    vary: &Vary,
    figure: &Figure,
    speech: Speech,
) -> Vec<Message> {
    struct Line {
        name: String,
        /// Values of the figure, each with the value that was varied, from least to most.
        values: Vec<(u64, FigureValue)>,
        is_flat: bool,
    }
    let line = |(choice, found): &(&PlannerChoice, &SweepPoints)| {
        let known = found.iter().filter_map(|(point, found)| Some((point.value, figure.value(found.as_ref().ok()?))));
        let mut values: Vec<(u64, FigureValue)> = known.filter(|(_, value)| value.number().is_some()).collect();
        let number = |value: &(u64, FigureValue)| value.1.number().unwrap_or_default();
        values.sort_by(|a, b| number(a).total_cmp(&number(b)));
        let is_flat = values.first().map(number) == values.last().map(number);
        (values.len() > 1).then(|| Line { name: choice.words(speech), values, is_flat })
    };
    let found: Vec<Line> = lines.iter().filter_map(line).collect();
    // Values without a plan say nothing.
    let known = lines.iter().flat_map(|(_, found)| found.iter()).filter(|(_, found)| found.is_ok());
    let values: Vec<u64> = known.map(|(point, _)| point.value).collect();
    let (Some(&from), Some(&to)) = (values.iter().min(), values.iter().max()) else { return Vec::new() };
    // Flags and choices are words.
    let with = |message: Message, name: &'static str, value: u64| {
        let words = swept_words(lines, vary, value);
        match words.parse::<u64>() {
            Ok(number) => message.count(name, number),
            Err(_) => message.text(name, words),
        }
    };
    let span = |key: &'static str| with(with(Message::new(key), "from", from), "to", to);
    if !found.is_empty() && found.iter().all(|line| line.is_flat) {
        let words = |line: &Line| format!("{} {}", line.name, line.values[0].1.words(speech));
        let names: Vec<String> = found.iter().map(words).collect();
        let message = span("compare.verdict.no-difference").text("what", vary.words(speech));
        return vec![message.text("names", names.join(", "))];
    }
    let sentence = |line: &Line| {
        let (low, high) = (line.values[0], line.values[line.values.len() - 1]);
        let key = if line.is_flat { "compare.verdict.flat" } else { "compare.verdict.varies" };
        let message = span(key).text("name", &line.name).text("low", low.1.words(speech));
        with(with(message, "at", low.0).text("high", high.1.words(speech)), "there", high.0)
    };
    found.iter().map(sentence).collect()
}

/// Returns on how many graphs each planner needs least of all.
pub fn graphs_verdict(rows: &[GraphRow], choices: &[PlannerChoice], speech: Speech) -> Option<Message> {
    let read: Vec<&Vec<RankingEntry>> = rows.iter().filter_map(|(_, entries)| entries.as_ref().ok()).collect();
    let need = |entry: &RankingEntry| contender(entry).map(|figures| figures.metrics.need());
    let is_best = |entries: &[RankingEntry], choice: &PlannerChoice| {
        let own = entries.iter().find(|entry| entry.choice == *choice).and_then(need);
        own.is_some() && own == entries.iter().filter(|entry| choices.contains(&entry.choice)).filter_map(need).min()
    };
    let mut counts: Vec<(usize, &PlannerChoice)> = choices
        .iter()
        .map(|choice| (read.iter().filter(|entries| is_best(entries, choice)).count(), choice))
        .filter(|(count, _)| *count > 0)
        .collect();
    counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let words = |&(count, choice): &(usize, &PlannerChoice)| {
        speech.say(&Message::new("compare.verdict.on").text("name", choice.words(speech)).count("n", count))
    };
    let names: Vec<String> = counts.iter().map(words).collect();
    // A lower number in the table is no contradiction where a plan leaves buffers out.
    let leaves_out = |entry: &RankingEntry| entry.result.is_ok() && contender(entry).is_none();
    let is_short = |choice: &&PlannerChoice| {
        read.iter().any(|entries| entries.iter().any(|entry| entry.choice == **choice && leaves_out(entry)))
    };
    let short: Vec<String> = choices.iter().filter(is_short).map(|choice| choice.words(speech)).collect();
    let key = if short.is_empty() { "compare.verdict.graphs" } else { "compare.verdict.graphs-short" };
    let message = Message::new(key).count("n", read.len()).text("names", names.join(", "));
    (!names.is_empty()).then_some(message.text("short", short.join(", ")))
}
