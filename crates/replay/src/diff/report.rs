//! The differences in words: lines of a terminal, and Markdown for a comment on a change.

use super::{DiffRecord, LossRecord, ModelRecord, PartRecord, RowRecord, SideRecord};
use memplan_core::base::shown::{columns, html, markdown, padded, padded_before, visible};
use memplan_core::base::{Arg, Family, Message};
use memplan_core::text::{Speech, live};

/// Most letters of a comment.
const MAX_COMMENT: usize = 60_000;

/// First line of a comment, by which it is found again.
const MARKER: &str = "<!-- memplan -->";

/// Most storages reported that are no longer, or newly, overwritten in place.
const MAX_IN_PLACE: usize = 3;

/// Widest column of names.
const MAX_NAME: usize = 44;

/// One line a difference, at most `top` of each model.
pub fn report_text(record: &DiffRecord, top: usize, speech: Speech) -> String {
    let words = Words { speech };
    let mut text = String::new();
    for model in &record.models {
        let mut lines = vec![words.line(model)];
        lines.extend(words.sentences(model, true).into_iter().map(|sentence| format!("  {sentence}")));
        let rows: Vec<[String; 5]> = shown(model).take(top).map(|row| words.cells(model, row)).collect();
        let width = |at: usize| rows.iter().map(|row| columns(&row[at])).max().unwrap_or(0).min(MAX_NAME);
        let widths = [1, 2, 3].map(width);
        for [sign, name, bytes, life, note] in &rows {
            let [names, sizes, lives] = widths;
            let (name, bytes, life) = (padded(name, names), padded_before(bytes, sizes), padded(life, lives));
            lines.push(format!("  {sign} {name}  {bytes}  {life}  {note}").trim_end().to_string());
        }
        lines.extend(words.rest(model, top).into_iter().map(|sentence| format!("  {sentence}")));
        lines.iter().for_each(|line| text += &format!("{}\n", visible(line)));
    }
    if let Some(limit) = record.limit.as_ref().filter(|_| record.failed) {
        let key = if is_invalid(record) { "diff.failed-invalid" } else { "diff.failed" };
        text += &words.say(&Message::new(key).text("limit", limit.clone()));
        text.push('\n');
    }
    text
}

/// A comment: heading, table of the models, causes, rows, folded details. `links` are pairs of
/// words and address.
pub fn report_markdown(record: &DiffRecord, top: usize, links: &[(String, String)], speech: Speech) -> String {
    let words = Words { speech };
    let mut top = top;
    loop {
        let text = words.comment(record, top, links);
        if text.chars().count() <= MAX_COMMENT {
            return text;
        }
        if top == 0 {
            // So many models that the table alone is too long.
            let kept: String = text.chars().take(MAX_COMMENT - 1).collect();
            return kept.rsplit_once('\n').map_or(String::new(), |(lines, _)| format!("{lines}\n"));
        }
        top /= 2;
    }
}

/// What a list shows row by row: everything but what did not change.
fn shown(model: &ModelRecord) -> impl Iterator<Item = &RowRecord> {
    model.rows.iter().filter(|row| row.group != "same")
}

/// Whether a limit is held against a peak that says nothing, because the plan breaks rules.
fn is_invalid(record: &DiffRecord) -> bool {
    record.models.iter().any(|model| model.new.is_some() && model.is_invalid())
}

/// Whether there is anything to report.
fn is_changed(model: &ModelRecord) -> bool {
    let is_misread = |side: &Option<SideRecord>| side.as_ref().is_some_and(|side| side.misread.is_some());
    model.unrelated
        || is_misread(&model.old)
        || is_misread(&model.new)
        || model.is_invalid()
        || model.change_bytes != 0
        || shown(model).next().is_some()
        || !model.not_in_place.is_empty()
        || !model.in_place.is_empty()
        || model.old.is_none()
        || model.new.is_none()
}

struct Words {
    speech: Speech,
}

impl Words {
    fn say(&self, message: &Message) -> String {
        self.speech.say(message)
    }

    fn bytes(&self, bytes: u64) -> String {
        self.speech.bytes(bytes)
    }

    /// `20.6 MiB → 28.6 MiB`, or the one size if nothing changed.
    fn turn(&self, old: Option<u64>, new: Option<u64>) -> String {
        let (old_words, new_words) = (old.map(|bytes| self.bytes(bytes)), new.map(|bytes| self.bytes(bytes)));
        match (old_words, new_words) {
            (Some(before), Some(after)) if old != new => format!("{before} → {after}"),
            (Some(one), _) | (None, Some(one)) => one,
            (None, None) => String::new(),
        }
    }

    /// `+8 MiB, +38.8 %`, or `0`; `invalid` if the plan of a side breaks rules.
    fn change(&self, model: &ModelRecord) -> String {
        if model.is_invalid() {
            return self.say(&Message::new("diff.invalid"));
        }
        let sign = if model.change_bytes < 0 { '−' } else { '+' };
        if model.change_bytes == 0 {
            return "0".into();
        }
        let bytes = format!("{sign}{}", self.bytes(model.change_bytes.unsigned_abs()));
        model.change_relative.map_or(bytes.clone(), |share| format!("{bytes}, {}", percent(share)))
    }

    fn line(&self, model: &ModelRecord) -> String {
        let side = |key: &'static str| Message::new(key).name("name", model.name.clone());
        let (Some(old), Some(new)) = (&model.old, &model.new) else {
            let figures = model.old.as_ref().or(model.new.as_ref());
            let key = if model.old.is_none() { "diff.only-new" } else { "diff.only-old" };
            return self.say(&side(key).bytes("peak", figures.map_or(0, |figures| figures.peak)));
        };
        let line = side("diff.line").text("peak", self.turn(Some(old.peak), Some(new.peak)));
        let line = line.text("bound", self.turn(Some(old.bound), Some(new.bound)));
        self.say(&line.text("change", self.change(model)))
    }

    /// The sentences of [`sentences`].
    fn sentences(&self, model: &ModelRecord, plain: bool) -> Vec<String> {
        let say = |message: Message| if plain { self.say(&message) } else { markdown(&self.say(&message)) };
        sentences(model).into_iter().map(say).collect()
    }

    /// Sign, name, bytes, life and note of a row.
    fn cells(&self, model: &ModelRecord, row: &RowRecord) -> [String; 5] {
        let (old, new) = (row.old.as_ref(), row.new.as_ref());
        let sign = match row.group {
            "entered" => "+",
            "left" => "-",
            "elsewhere" if old.is_none() => "+",
            "elsewhere" if new.is_none() => "-",
            _ => "~",
        };
        let both = |words: &dyn Fn(&PartRecord) -> String| match (old.map(words), new.map(words)) {
            (Some(before), Some(after)) if before != after => format!("{before} → {after}"),
            (Some(one), _) | (None, Some(one)) => one,
            (None, None) => String::new(),
        };
        let name = both(&|part| part.name.clone());
        let bytes = self.turn(old.map(|part| part.bytes), new.map(|part| part.bytes));
        let life = both(&|part| live(part.live.0, part.live.1));
        [sign.into(), name, bytes, life, self.say(&row_note(model, row))]
    }

    /// The sentences of [`details`].
    fn rest(&self, model: &ModelRecord, top: usize) -> Vec<String> {
        details(model, top).iter().map(|message| self.say(message)).collect()
    }

    /// The model whose peak rose most.
    fn worst<'r>(&self, record: &'r DiffRecord) -> Option<&'r ModelRecord> {
        let changed = record.models.iter().filter(|model| is_changed(model));
        changed.max_by_key(|model| (model.is_invalid(), model.change_bytes))
    }

    fn comment(&self, record: &DiffRecord, top: usize, links: &[(String, String)]) -> String {
        let worst = self.worst(record);
        let title = match worst {
            None => Message::new("diff.title-same"),
            Some(model) => {
                let change = model.change_relative.filter(|_| model.change_bytes != 0).map(percent);
                let title = Message::new("diff.title").name("name", model.name.clone());
                let title = title.text("change", change.unwrap_or_else(|| self.change(model)));
                match record.limit.as_ref().filter(|_| record.failed) {
                    Some(limit) => {
                        let key = if is_invalid(record) { "diff.title-invalid" } else { "diff.title-failed" };
                        Message::new(key).inner("title", title).text("limit", limit.clone())
                    }
                    None => title,
                }
            }
        };
        let mut text = format!("{MARKER}\n### {}\n\n", markdown(&self.say(&title)));
        text += &format!("{}\n|---|---:|---:|---:|---:|---|\n", self.say(&Message::new("diff.columns")));
        for model in &record.models {
            text += &self.model_row(model);
        }
        if !record.unread.is_empty() {
            text += &format!("\n{}\n", markdown(&self.say(&record.unread_message())));
        }
        let mut changed: Vec<&ModelRecord> = record.models.iter().filter(|model| is_changed(model)).collect();
        changed.sort_by_key(|model| std::cmp::Reverse(model.change_bytes));
        for (at, model) in changed.into_iter().filter(|model| model.old.is_some() && model.new.is_some()).enumerate() {
            let body = self.model_body(model, top);
            // One in full, the others folded.
            text += &match at {
                0 => format!("\n{body}"),
                _ => {
                    let name = html(&model.name);
                    format!("\n<details><summary>{name} {}</summary>\n\n{body}\n</details>\n", self.change(model))
                }
            };
        }
        let planner = self.say(&Message::new("diff.planner").text("planner", record.planner.clone()));
        let linked = links
            .iter()
            .map(|(words, address)| format!("[{}](<{}>)", markdown(words), address.replace(['<', '>', '\n', ' '], "")));
        let foot: Vec<String> = linked.chain([markdown(&planner)]).collect();
        text + &format!("\n<sub>{}</sub>\n", foot.join(" · "))
    }

    fn model_row(&self, model: &ModelRecord) -> String {
        let peak =
            |side: &Option<super::SideRecord>| side.as_ref().map_or("—".to_string(), |side| self.bytes(side.peak));
        let bound = |side: &Option<super::SideRecord>| side.as_ref().map(|side| side.bound);
        let cause = cause(model).map_or(String::new(), |cause| markdown(&self.say(&cause)));
        let strong = |words: String| if model.change_bytes == 0 { words } else { format!("**{words}**") };
        let change = match (&model.old, &model.new) {
            (Some(_), Some(_)) => strong(self.change(model)),
            _ if model.is_invalid() => self.change(model),
            _ => String::new(),
        };
        let cells = [
            strong(markdown(&model.name)),
            peak(&model.old),
            strong(peak(&model.new)),
            change,
            self.turn(bound(&model.old), bound(&model.new)),
            cause,
        ];
        format!("| {} |\n", cells.join(" | "))
    }

    /// Sentences, rows and folded details of one model.
    fn model_body(&self, model: &ModelRecord, top: usize) -> String {
        let mut text = format!("{}\n", self.sentences(model, false).join(" "));
        if shown(model).next().is_some() && top > 0 {
            text += &format!("\n{}\n|:---:|---|---:|---|---|\n", self.say(&Message::new("diff.row-columns")));
            for row in shown(model).take(top) {
                let [sign, rest @ ..] = self.cells(model, row);
                text += &format!("| **{sign}** | {} |\n", rest.map(|cell| markdown(&cell)).join(" | "));
            }
        }
        let rest = self.rest(model, top);
        if let Some(first) = rest.first() {
            let list: String = rest.iter().map(|line| format!("- {}\n", markdown(line))).collect();
            let summary = if rest.len() == 1 { markdown(first) } else { self.say(&Message::new("diff.details")) };
            text += &match rest.len() {
                1 => format!("\n{summary}\n"),
                _ => format!("\n<details><summary>{summary}</summary>\n\n{list}\n</details>\n"),
            };
        }
        text
    }
}

/// Which side may be misread, whose fault it is, what is no longer in place and why, and what is in
/// place now.
pub fn sentences(model: &ModelRecord) -> Vec<Message> {
    let misread = |side: &Option<SideRecord>, key: &'static str| {
        let why = side.as_ref().and_then(|side| side.misread.clone());
        why.map(|why| Message::new(key).inner("why", why))
    };
    let sides = [misread(&model.old, "diff.misread-old"), misread(&model.new, "diff.misread-new")];
    let broken = |side: &Option<SideRecord>, key: &'static str| {
        let count = side.as_ref().map_or(0, |side| side.violations);
        (count > 0).then(|| Message::new(key).count("count", count))
    };
    let invalid = [broken(&model.old, "diff.invalid-old"), broken(&model.new, "diff.invalid-new")];
    let mut lines: Vec<Message> = sides.into_iter().chain(invalid).flatten().collect();
    if model.unrelated {
        lines.push(Message::new("diff.unrelated"));
        return lines;
    }
    lines.extend(model.not_in_place.iter().take(MAX_IN_PLACE).map(not_in_place));
    for won in model.in_place.iter().take(MAX_IN_PLACE) {
        lines.push(Message::new("diff.now-in-place").name("name", won.name.clone()).bytes("bytes", won.bytes));
    }
    let more = [&model.not_in_place, &model.in_place].map(|list| list.len().saturating_sub(MAX_IN_PLACE));
    if more != [0; 2] {
        lines.push(Message::new("diff.more-in-place").count("lost", more[0] as u64).count("won", more[1] as u64));
    }
    let (old, new) = (model.old.as_ref(), model.new.as_ref());
    if let Some((old, new)) = old.zip(new) {
        let rise = new.peak.saturating_sub(old.peak);
        let graph = new.bound.saturating_sub(old.bound);
        lines.extend(match model.blame {
            "graph" => Some(Message::new("diff.blame.graph")),
            "plan" => Some(Message::new("diff.blame.plan").bytes("bytes", rise)),
            "both" => Some(Message::new("diff.blame.both").bytes("graph", graph).bytes("plan", rise - graph)),
            _ => None,
        });
    }
    if let Some((step, load)) = model.same_place.filter(|_| model.change_bytes > 0) {
        lines.push(Message::new("diff.same-place").count("step", step).bytes("bytes", load));
    }
    lines
}

/// What a list of at most `top` rows leaves out.
pub fn details(model: &ModelRecord, top: usize) -> Vec<Message> {
    let mut lines = Vec::new();
    let left_out = shown(model).count().saturating_sub(top);
    if left_out > 0 {
        lines.push(Message::new("diff.more").count("n", left_out as u64));
    }
    let same = model.rows.iter().filter(|row| row.group == "same");
    let (count, bytes) = same.fold((0, 0), |(count, bytes), row| (count + 1, bytes + row.bytes));
    if count > 0 {
        lines.push(Message::new("diff.same").count("n", count as u64).bytes("bytes", bytes));
    }
    let operators = [&model.added, &model.removed, &model.moved].map(|list| list.len() as u64);
    if operators != [0; 3] {
        let [added, removed, moved] = operators;
        let operators = Message::new("diff.operators").count("added", added).count("removed", removed);
        lines.push(operators.count("moved", moved));
    }
    if let Some([user, earlier]) = model.reuses_lost.first() {
        let lost = Message::new("diff.reuse-lost").count("n", model.reuses_lost.len() as u64);
        lines.push(lost.name("name", user.clone()).name("earlier", earlier.clone()));
    }
    let left_out = model.new.as_ref().map_or(0, |new| new.left_out);
    if left_out > 0 {
        lines.push(Message::new("diff.weights").bytes("bytes", left_out));
    }
    let [certain, likely, guess] = model.matched;
    if likely + guess > 0 {
        let matched = Message::new("diff.matched").count("n", certain + likely + guess).count("certain", certain);
        lines.push(matched.count("likely", likely).count("guess", guess));
    }
    lines
}

/// The largest cause of a rise.
fn cause(model: &ModelRecord) -> Option<Message> {
    if model.change_bytes <= 0 {
        return None;
    }
    let largest = model.rows.iter().filter(|row| ["entered", "size"].contains(&row.group)).max_by_key(|row| row.bytes);
    if let Some(loss) = model.not_in_place.first() {
        // A second copy shows as a row of its own.
        if largest.is_none_or(|row| row.bytes <= loss.bytes) {
            return Some(Message::new("diff.cause.not-in-place").name("name", loss.name.clone()));
        }
    }
    let row = largest?;
    let key = if row.group == "size" { "diff.cause.larger" } else { "diff.cause.entered" };
    Some(Message::new(key).name("name", row.new.as_ref()?.name.clone()))
}

fn not_in_place(loss: &LossRecord) -> Message {
    let why = match loss.why {
        "forbidden" => Message::new("diff.why.forbidden"),
        "read_later" => {
            let why = Message::new("diff.why.read-later").count("step", loss.step.unwrap_or(0));
            why.name("by", loss.by.clone().unwrap_or_default())
        }
        "outside" => {
            let kind = loss.by.clone().unwrap_or_default();
            Message::new("diff.why.outside").inner("kind", Message::new(Family::KIND.of([&*kind])))
        }
        "kept" => Message::new("diff.why.kept"),
        "sizes" => Message::new("diff.why.sizes"),
        "unknown" => Message::new("diff.why.unknown"),
        _ => Message::new("diff.why.planner"),
    };
    let line = Message::new("diff.not-in-place").name("name", loss.name.clone()).bytes("bytes", loss.bytes);
    line.count("step", loss.steps.1).inner("why", why)
}

/// The words of a row besides its figures.
pub fn row_note(model: &ModelRecord, row: &RowRecord) -> Message {
    let step = |side: &Option<super::SideRecord>| side.as_ref().map_or(0, |side| side.step);
    let guess = row.confidence == Some("guess");
    let note = match (row.group, &row.old, &row.new) {
        ("entered", None, _) => Message::new("diff.row.new-at-peak").count("step", step(&model.new)),
        ("entered", ..) => Message::new("diff.row.entered").count("step", step(&model.new)),
        ("left", _, None) => Message::new("diff.row.gone-from-peak").count("step", step(&model.old)),
        ("left", ..) => Message::new("diff.row.left").count("step", step(&model.old)),
        ("size", Some(old), Some(new)) if new.bytes > old.bytes => {
            Message::new("diff.row.larger").bytes("bytes", new.bytes - old.bytes)
        }
        ("size", Some(old), Some(new)) if new.bytes < old.bytes => {
            Message::new("diff.row.smaller").bytes("bytes", old.bytes - new.bytes)
        }
        ("size", ..) => Message::new("diff.row.retyped"),
        ("lifetime", Some(old), Some(new)) => {
            let length = |part: &PartRecord| u64::from(part.live.1 - part.live.0);
            match length(new).checked_sub(length(old)) {
                Some(0) => Message::new("diff.row.other-steps"),
                Some(longer) => Message::new("diff.row.longer").count("n", longer),
                None => Message::new("diff.row.shorter").count("n", length(old) - length(new)),
            }
        }
        (_, None, _) => Message::new("diff.row.new"),
        (_, _, None) => Message::new("diff.row.gone"),
        _ => Message::new("diff.row.changed"),
    };
    if guess { Message::new("diff.row.guess").with("note", Arg::Inner(Box::new(note))) } else { note }
}

/// `+38.8 %`, with a true minus.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let digits = if percent.abs() < 10.0 { 2 } else { 1 };
    let text = format!("{:.digits$}", percent.abs());
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{}{text} %", if percent < 0.0 { '−' } else { '+' })
}
