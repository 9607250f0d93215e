//! The answer in words.

use super::record::{FitRecord, HeldRecord, LeverRecord, MoveRecord};
use crate::base::Message;
use crate::base::shown::{markdown, visible};
use crate::text::Speech;

fn say(message: &Message, speech: Speech) -> String {
    visible(&speech.say(message)).into_owned()
}

/// The price in words.
pub fn price(record: &super::record::PriceRecord) -> Message {
    let hundredths = record.macs_relative.map_or(0, |share| (share * 10_000.0).round() as u64);
    let percent = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    match (record.macs, record.bytes_moved) {
        (0, 0) => Message::new("fit.price-nothing"),
        (macs, 0) => Message::new("fit.price-macs").count("macs", macs).text("percent", percent),
        (0, bytes) => Message::new("fit.price-bytes").bytes("bytes", bytes),
        (macs, bytes) => {
            Message::new("fit.price-both").count("macs", macs).text("percent", percent).bytes("bytes", bytes)
        }
    }
}

fn verdict(record: &FitRecord) -> Message {
    let (available, after) = (record.budget.available, record.required.after);
    match record.result.as_str() {
        "fits" => Message::new("fit.fits")
            .bytes("after", after)
            .bytes("available", available)
            .bytes("spare", available.saturating_sub(after))
            .bytes("before", record.required.before),
        result => Message::new(match (result, whole(record)) {
            ("impossible", 0) => "fit.impossible",
            ("impossible", _) => "fit.impossible-held",
            _ => "fit.unknown",
        })
        .count("count", whole(record))
        .bytes("after", after)
        .bytes("available", available)
        .bytes("over", after.saturating_sub(available)),
    }
}

/// Number of operators that no stripe divides.
fn whole(record: &FitRecord) -> u64 {
    let is_whole = |held: &&HeldRecord| held.key != "fit.held-window";
    record.held.iter().filter(is_whole).map(|held| held.ops.len() as u64).sum()
}

/// Most names in a sentence.
const NAMES: usize = 4;

/// What stripes left whole or assumed, and why, a sentence a reason: an answer is proved with these as they are. Nothing if
/// stripes were not needed.
pub fn held(record: &FitRecord) -> Vec<Message> {
    let sentence = |held: &HeldRecord| {
        let key = match held.key.as_str() {
            "fit.held-window" => "fit.held-window",
            "fit.pinned-stride" => "fit.held-stride",
            "fit.pinned-rows" => "fit.held-rows",
            "fit.pinned-outputs" => "fit.held-outputs",
            _ => "fit.held-op",
        };
        let rest = if held.ops.len() > NAMES { ", …" } else { "" };
        let names = held.ops[..held.ops.len().min(NAMES)].join(", ") + rest;
        Message::new(key).count("count", held.ops.len() as u64).text("names", names)
    };
    let needs_none = record.result == "fits" && record.price.macs == 0;
    record.held.iter().filter(|_| !needs_none).map(sentence).collect()
}

/// How sure the price is.
pub fn sureness(record: &FitRecord) -> Message {
    let is_striped = record.allow.iter().any(|lever| lever == "stripes");
    Message::new(match (record.optimal, is_striped) {
        (true, true) => "fit.sure-stripes",
        (true, false) => "fit.sure",
        (false, _) => "fit.best-found",
    })
}

/// A change with its peaks and its price.
fn line(record: &MoveRecord) -> Message {
    Message::new("fit.move")
        .inner("what", record.why.message())
        .bytes("before", record.peak.before)
        .bytes("after", record.peak.after)
        .inner("price", price(&record.price))
}

/// Sentences below the verdict: how much is known, and why a budget is out of reach.
fn remarks(record: &FitRecord) -> Vec<Message> {
    let mut found = Vec::new();
    if record.budget.scratch.is_none() && record.budget.by_operator.is_empty() || record.budget.persistent.is_none() {
        found.push(Message::new("fit.tensors-only"));
    }
    if !record.search.exhausted && !record.optimal && record.result != "impossible" {
        found.push(Message::new("fit.not-all").count("count", record.search.states));
    }
    found.extend(held(record));
    if record.result != "fits" {
        // A proof holds at any price.
        let may_be_limited = record.limits.is_stated() && record.certificate.is_none();
        found.extend(may_be_limited.then(|| Message::new("fit.limited")));
        let would_do = |row: &&LeverRecord| {
            row.peak.is_some_and(|peak| peak <= record.budget.available) && !record.is_too_dear(&row.price)
        };
        let others = record.levers.iter().filter(|row| !record.allow.contains(&row.lever)).filter(would_do);
        found.extend(others.map(|row| {
            let allow = Message::new("fit.else").text("lever", &row.lever).bytes("peak", row.peak.unwrap_or(0));
            allow.inner("price", price(&row.price))
        }));
    }
    let Some(certificate) = &record.certificate else { return found };
    match certificate.kind.as_str() {
        "stripes" => {
            let edges = Message::new("fit.edges").count("count", certificate.edges.len() as u64);
            found.push(edges.name("name", certificate.op.clone()).bytes("bound", certificate.bound));
        }
        _ => {
            found.push(
                Message::new("fit.at-operator").name("name", certificate.op.clone()).bytes("bound", certificate.bound),
            );
            for storage in &certificate.storages {
                let key = match storage.role.as_str() {
                    "read" => "fit.storage-read",
                    "made" => "fit.storage-made",
                    _ => "fit.storage-resting",
                };
                found.push(Message::new(key).name("name", storage.name.clone()).bytes("bytes", storage.bytes));
            }
        }
    }
    found.extend(certificate.ideals.map(|ideals| Message::new("fit.ideals").count("count", ideals)));
    found.extend(certificate.refusals.iter().map(|refusal| refusal.why.message()));
    found
}

/// The ladder: what every lever reaches alone.
fn ladder(record: &FitRecord, speech: Speech) -> Vec<(String, String)> {
    let row = |row: &LeverRecord| {
        let reached = match row.peak {
            Some(peak) => Message::new("fit.reaches").bytes("peak", peak).inner("price", price(&row.price)),
            None => Message::new("fit.not-tried"),
        };
        let reason = row.reason.as_ref().map(|why| format!(" ({})", say(&why.message(), speech))).unwrap_or_default();
        (row.lever.clone(), say(&reached, speech) + &reason)
    };
    record.levers.iter().map(row).collect()
}

/// The answer as lines of text.
pub fn told_text(record: &FitRecord, speech: Speech) -> String {
    let mut lines = vec![say(&verdict(record), speech)];
    if record.result == "fits" {
        lines.push(say(
            &Message::new("fit.price").inner("price", price(&record.price)).inner("sure", sureness(record)),
            speech,
        ));
    }
    for (number, one) in record.moves.iter().enumerate() {
        lines.push(format!("  {}  {}", number + 1, say(&line(one), speech)));
    }
    lines.extend(remarks(record).iter().map(|remark| format!("  {}", say(remark, speech))));
    lines.extend(ladder(record, speech).into_iter().map(|(lever, words)| format!("{lever}: {words}")));
    for (budget, macs, bytes) in &record.curve {
        let point = Message::new("fit.point").bytes("budget", *budget).count("macs", *macs).bytes("bytes", *bytes);
        lines.push(say(&point, speech));
    }
    lines.join("\n") + "\n"
}

/// The answer as Markdown.
pub fn told_markdown(record: &FitRecord, speech: Speech) -> String {
    let words = |message: &Message| markdown(&say(message, speech));
    let mut text = format!("### {}\n\n{}\n", markdown(&record.graph), words(&verdict(record)));
    if record.result == "fits" {
        text += &format!(
            "\n{}\n",
            words(&Message::new("fit.price").inner("price", price(&record.price)).inner("sure", sureness(record)))
        );
    }
    let remarks = remarks(record);
    if !remarks.is_empty() {
        text.push('\n');
    }
    remarks.iter().for_each(|remark| text += &format!("* {}\n", words(remark)));
    if !record.moves.is_empty() {
        text.push('\n');
    }
    for (number, one) in record.moves.iter().enumerate() {
        text += &format!("{}. {}\n", number + 1, words(&line(one)));
    }
    text += &format!("\n{}\n|---|---|\n", say(&Message::new("fit.columns"), speech));
    for (lever, words) in ladder(record, speech) {
        text += &format!("| {} | {} |\n", markdown(&lever), markdown(&words));
    }
    text
}
