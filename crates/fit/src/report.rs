//! The answer in words.

use super::instance::Lever;
use super::record::{
    BudgetRecord, CertificateRecord, FitRecord, HeldRecord, LeverRecord, MoveRecord, PriceRecord, Why,
};
use super::runtime::Runtime;
use memplan_core::base::Message;
use memplan_core::base::shown::{markdown, visible};
use memplan_core::text::Speech;
use memplan_replay::compressed;

fn say(message: &Message, speech: Speech) -> String {
    visible(&speech.say(message)).into_owned()
}

/// A price in words, a part after the other. Bytes that lie in another memory are weighted by its
/// cost.
fn price(record: &PriceRecord, is_weighted: bool) -> Message {
    let hundredths = record.macs_relative.map_or(0, |share| (share * 10_000.0).round() as u64);
    let percent = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    let moved = if is_weighted { "fit.price-weighted" } else { "fit.price-bytes" };
    let parts = [
        (record.macs > 0).then(|| Message::new("fit.price-macs").count("macs", record.macs).text("percent", percent)),
        (record.bytes_moved > 0).then(|| Message::new(moved).bytes("bytes", record.bytes_moved)),
        (record.weight_bytes > 0).then(|| Message::new("fit.weights-again").bytes("bytes", record.weight_bytes)),
    ];
    let join = |first, second| Message::new("fit.price-both").inner("first", first).inner("second", second);
    parts.into_iter().flatten().reduce(join).unwrap_or_else(|| Message::new("fit.price-nothing"))
}

/// Whether a lever moves bytes to a memory for good, where every use of them is weighted by its
/// cost.
fn is_weighted(lever: &str) -> bool {
    lever == Lever::Bank.name()
}

impl FitRecord {
    /// What the answer costs, in words.
    pub fn price_in_words(&self) -> Message {
        price(&self.price, self.moves.iter().any(|one| is_weighted(&one.lever)))
    }
}

impl MoveRecord {
    /// What the change costs, in words.
    pub fn price_in_words(&self) -> Message {
        price(&self.price, is_weighted(&self.lever))
    }
}

impl LeverRecord {
    /// What the lever costs alone, in words.
    pub fn price_in_words(&self) -> Message {
        price(&self.price, is_weighted(&self.lever))
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
        result => Message::new(match (result, is_striped(record), whole(record)) {
            ("impossible", false, 0) => "fit.impossible",
            ("impossible", false, _) => "fit.impossible-held",
            ("impossible", true, 0) => "fit.impossible-stripes",
            ("impossible", true, _) => "fit.impossible-stripes-held",
            _ => "fit.unknown",
        })
        .count("count", whole(record))
        .bytes("after", after)
        .bytes("available", available)
        .bytes("over", after.saturating_sub(available)),
    }
}

/// Whether a proof is one about stripes: about the ranges that were looked at, and rows.
fn is_striped(record: &FitRecord) -> bool {
    record.certificate.as_ref().is_some_and(|certificate| certificate.kind == "stripes")
}

/// Most letters of a name in a sentence, and how many of them stand before what is left out.
const LETTERS: (usize, usize) = (48, 30);

/// A name as sentences have it if no other is shortened alike: what TFLite fused is told by its
/// first part, what exporters repeat is left out, and what is still too long loses its middle. JSON
/// has names whole.
fn short_name(name: &str) -> String {
    let short = compressed(name);
    let letters: Vec<char> = short.chars().collect();
    if letters.len() <= LETTERS.0 {
        return if short.is_empty() { name.to_string() } else { short.into_owned() };
    }
    let (most, first) = LETTERS;
    let part = |part: &[char]| part.iter().collect::<String>();
    format!("{}…{}", part(&letters[..first]), part(&letters[letters.len() - (most - first - 1)..]))
}

impl FitRecord {
    /// Returns a name as the sentences of this answer have it: short, unless that is what another
    /// name in them is shortened to.
    pub fn short_name(&self, name: &str) -> String {
        let short = short_name(name);
        let is_alike = short != name && self.names().any(|other| other != name && short_name(other) == short);
        if is_alike { name.to_string() } else { short }
    }

    /// Returns a reason as a message with short names.
    pub fn short_why(&self, why: &Why) -> Message {
        let args = why.args.iter().map(|(name, value)| (name.clone(), self.short_name(value))).collect();
        Why { key: why.key.clone(), args }.message()
    }

    /// All names in the sentences of this answer.
    fn names(&self) -> impl Iterator<Item = &str> {
        let certificate = self.certificate.as_ref();
        let refusals = certificate.into_iter().flat_map(|one| &one.refusals).map(|refusal| &refusal.why);
        let levers = self.levers.iter().filter_map(|row| row.reason.as_ref());
        let reasons = self.moves.iter().map(|one| &one.why).chain(refusals).chain(levers);
        let of_proof = certificate.into_iter().flat_map(|one| &one.storages).map(|storage| &storage.name);
        let of_proof = of_proof.chain(certificate.map(|one| &one.op));
        let held = self.held.iter().flat_map(|held| &held.ops);
        reasons.flat_map(|why| &why.args).map(|(_, value)| value).chain(of_proof).chain(held).map(String::as_str)
    }
}

/// Number of operators that no stripe divides.
fn whole(record: &FitRecord) -> u64 {
    let is_whole = |held: &&HeldRecord| !["fit.held-window", "fit.held-turn"].contains(&held.key.as_str());
    record.held.iter().filter(is_whole).map(|held| held.ops.len() as u64).sum()
}

/// Most names in a sentence.
const NAMES: usize = 4;

/// What stripes left whole or assumed, and why, a sentence a reason: an answer is proved with these
/// as they are. Nothing if stripes were not needed.
pub fn held(record: &FitRecord) -> Vec<Message> {
    let sentence = |held: &HeldRecord| {
        let key = match held.key.as_str() {
            "fit.held-window" => "fit.held-window",
            "fit.held-turn" => "fit.held-turn",
            "fit.pinned-stride" => "fit.held-stride",
            "fit.pinned-rows" => "fit.held-rows",
            "fit.pinned-outputs" => "fit.held-outputs",
            "fit.pinned-layout" => "fit.held-layout",
            "fit.pinned-weight" => "fit.held-weight",
            // What fits needs no advice.
            _ if record.result == "fits" => "fit.held-op-fits",
            _ => "fit.held-op",
        };
        let rest = if held.ops.len() > NAMES { ", …" } else { "" };
        let names: Vec<String> = held.ops.iter().take(NAMES).map(|name| record.short_name(name)).collect();
        let names = names.join(", ") + rest;
        Message::new(key).count("count", held.ops.len() as u64).text("names", names)
    };
    let needs_none = record.result == "fits" && record.price.macs == 0;
    record.held.iter().filter(|held| !needs_none && !held.ops.is_empty()).map(sentence).collect()
}

/// What is proved of a budget that is out of reach.
pub fn proved(record: &FitRecord) -> Message {
    Message::new(match (is_striped(record), whole(record)) {
        (false, 0) => "fit.proved-impossible",
        (false, _) => "fit.proved-impossible-held",
        (true, 0) => "fit.proved-impossible-stripes",
        (true, _) => "fit.proved-impossible-stripes-held",
    })
    .count("count", whole(record))
}

/// How sure the price is.
pub fn sureness(record: &FitRecord) -> Message {
    let is_striped = record.allow.iter().any(|lever| lever == "stripes");
    let is_free = record.price.macs == 0 && record.price.bytes_moved == 0 && record.price.weight_bytes == 0;
    Message::new(match (record.optimal, is_striped && !is_free) {
        (true, true) => "fit.sure-stripes",
        (true, false) => "fit.sure",
        (false, _) if record.search.stripes => "fit.sure-stripes-alone",
        (false, _) => "fit.best-found",
    })
}

/// A change with its peaks and its price.
fn line(record: &FitRecord, one: &MoveRecord) -> Message {
    Message::new("fit.move")
        .inner("what", record.short_why(&one.why))
        .bytes("before", one.peak.before)
        .bytes("after", one.peak.after)
        .inner("price", one.price_in_words())
}

/// What of the fast memory tensors have, and what of it is not stated.
pub fn counted(record: &FitRecord) -> Vec<Message> {
    let BudgetRecord { memories, scratch, by_operator, persistent, available } = &record.budget;
    let taken = scratch.unwrap_or(0).saturating_add(persistent.unwrap_or(0));
    let left = memories.first().filter(|_| taken > 0).map(|fast| {
        let left = Message::new("fit.left-of").bytes("available", *available).text("name", &fast.name);
        left.bytes("size", fast.size).bytes("taken", taken)
    });
    let unstated = match (scratch.is_none() && by_operator.is_empty(), persistent.is_none()) {
        (true, true) => Some("fit.tensors-only"),
        (true, false) => Some("fit.scratch-unstated"),
        (false, true) => Some("fit.persistent-unstated"),
        (false, false) => None,
    };
    let by_operator = by_operator.iter().map(|(_, bytes)| bytes).max().map(|most| {
        Message::new("fit.by-operator-stated").count("count", by_operator.len() as u64).bytes("most", *most)
    });
    let moves = |lever: &Lever| record.allow.iter().any(|name| name == lever.name());
    let is_moving = [Lever::Bank, Lever::Spill].iter().any(moves);
    let no_dearer = memories.split_first().filter(|_| is_moving).and_then(|(fast, slower)| {
        let name = &slower.iter().find(|memory| memory.cost <= fast.cost)?.name;
        Some(Message::new("fit.no-dearer").text("name", name).text("fast", &fast.name))
    });
    let reasons = left.into_iter().chain(by_operator).chain(unstated.map(Message::new));
    reasons.chain(no_dearer).collect()
}

impl FitRecord {
    /// Levers that are not allowed, and of which each alone would do at a price that may be paid;
    /// none of an answer that fits.
    pub fn remedies(&self) -> impl Iterator<Item = &LeverRecord> {
        let would_do = |row: &&LeverRecord| {
            row.peak.is_some_and(|peak| peak <= self.budget.available) && !self.is_too_dear(&row.price)
        };
        let others = self.levers.iter().filter(|row| !self.allow.contains(&row.lever));
        others.filter(|_| self.result != "fits").filter(would_do)
    }
}

/// Sentences below the verdict: how much is known, why a budget is out of reach, and what a runtime
/// needs besides the plan.
fn remarks(record: &FitRecord, runtime: Runtime, speech: Speech) -> Vec<String> {
    // What matters most comes first.
    let mut found: Vec<Message> = record.refusal(runtime).into_iter().collect();
    if record.result != "fits" {
        // A proof holds at any price.
        let may_be_limited = record.limits.is_stated() && record.certificate.is_none();
        found.extend(may_be_limited.then(|| Message::new("fit.limited")));
    }
    found.extend(counted(record));
    if !record.search.exhausted && !record.optimal && record.result != "impossible" {
        found.push(Message::new("fit.not-all").count("count", record.search.states));
    }
    found.extend(held(record));
    if record.result != "fits" {
        found.extend(record.remedies().map(|row| {
            let allow = Message::new("fit.else").text("lever", &row.lever).bytes("peak", row.peak.unwrap_or(0));
            allow.inner("price", row.price_in_words())
        }));
    }
    let small: Vec<&str> = record.search.small.iter().map(String::as_str).collect();
    if record.result == "unknown" && !small.is_empty() {
        found.push(Message::new("fit.memory-small").text("names", small.join(", ")));
    }
    let mut found: Vec<String> = found.iter().map(|message| say(message, speech)).collect();
    let Some(certificate) = &record.certificate else { return found };
    found.push(proof(record, certificate, speech));
    found.extend(certificate.ideals.map(|ideals| say(&Message::new("fit.ideals").count("count", ideals), speech)));
    found.extend(certificate.refusals.iter().map(|refusal| say(&record.short_why(&refusal.why), speech)));
    found
}

/// Most storages of a proof in a sentence; the rest is added up.
const STORAGES: usize = 8;

/// What a certificate says, in one line.
fn proof(record: &FitRecord, certificate: &CertificateRecord, speech: Speech) -> String {
    let op = record.short_name(&certificate.op);
    if certificate.kind == "stripes" {
        let edges = Message::new("fit.edges").count("count", certificate.edges.len() as u64);
        return say(&edges.name("name", op).bytes("bound", certificate.bound), speech);
    }
    let mut storages: Vec<_> = certificate.storages.iter().collect();
    storages.sort_by_key(|storage| std::cmp::Reverse(storage.bytes));
    let rest = storages.split_off(storages.len().min(STORAGES));
    let mut parts: Vec<Message> = Vec::new();
    for role in ["read", "made", "resting"] {
        let key = match role {
            "read" => "fit.storage-read",
            "made" => "fit.storage-made",
            _ => "fit.storage-resting",
        };
        let of_role = storages.iter().filter(|storage| storage.role == role);
        let part = |name: &str| Message::new(key).name("name", record.short_name(name));
        parts.extend(of_role.map(|one| part(&one.name).bytes("bytes", one.bytes)));
    }
    if !rest.is_empty() {
        let bytes = rest.iter().map(|storage| storage.bytes).fold(0, u64::saturating_add);
        parts.push(Message::new("fit.storage-more").count("count", rest.len() as u64).bytes("bytes", bytes));
    }
    let parts: Vec<String> = parts.iter().map(|part| say(part, speech)).collect();
    let head = Message::new(match (certificate.kind.as_str(), certificate.elsewhere) {
        ("memories", 0) => "fit.at-staying",
        ("memories", _) => "fit.at-memories",
        _ => "fit.at-operator",
    });
    let head = head.name("name", op).bytes("bound", certificate.bound).bytes("elsewhere", certificate.elsewhere);
    format!("{} {}", say(&head, speech), parts.join(", "))
}

/// The ladder: what every lever reaches alone.
fn ladder(record: &FitRecord, speech: Speech) -> Vec<(String, String)> {
    let row = |row: &LeverRecord| {
        let reached = match row.peak {
            Some(peak) => Message::new("fit.reaches").bytes("peak", peak).inner("price", row.price_in_words()),
            None => Message::new("fit.not-tried"),
        };
        let reason =
            row.reason.as_ref().map(|why| format!(" ({})", say(&record.short_why(why), speech))).unwrap_or_default();
        (row.lever.clone(), say(&reached, speech) + &reason)
    };
    record.levers.iter().map(row).collect()
}

/// A heading and a line for each price; the last line tells if there was no time for lower budgets.
/// Nothing if the curve was not asked for.
fn curve(record: &FitRecord, speech: Speech) -> Vec<String> {
    let head = (!record.curve.is_empty()).then(|| say(&Message::new("fit.curve-head"), speech));
    let points = record.curve.iter().map(|(budget, macs, bytes)| {
        let point = Message::new("fit.point")
            .bytes("budget", *budget)
            .count("whole", *budget)
            .count("macs", *macs)
            .bytes("bytes", *bytes);
        format!("  {}", say(&point, speech))
    });
    let is_cut = !record.curve.is_empty() && !record.search.curve;
    let cut = is_cut.then(|| format!("  {}", say(&Message::new("fit.curve-cut"), speech)));
    head.into_iter().chain(points).chain(cut).collect()
}

/// The answer as lines of text. `runtime` is what is to run it.
pub fn report_text(record: &FitRecord, runtime: Runtime, speech: Speech) -> String {
    let mut lines = vec![say(&verdict(record), speech)];
    if record.result == "fits" {
        lines.push(say(
            &Message::new("fit.price").inner("price", record.price_in_words()).inner("sure", sureness(record)),
            speech,
        ));
    }
    for (number, one) in record.moves.iter().enumerate() {
        lines.push(format!("  {}  {}", number + 1, say(&line(record, one), speech)));
    }
    lines.extend(remarks(record, runtime, speech).iter().map(|remark| format!("  {remark}")));
    lines.extend(ladder(record, speech).into_iter().map(|(lever, words)| format!("{lever}: {words}")));
    lines.extend(curve(record, speech));
    lines.join("\n") + "\n"
}

/// The answer as Markdown. `runtime` is what is to run it.
pub fn report_markdown(record: &FitRecord, runtime: Runtime, speech: Speech) -> String {
    let words = |message: &Message| markdown(&say(message, speech));
    let mut text = format!("### {}\n\n{}\n", markdown(&record.graph), words(&verdict(record)));
    if record.result == "fits" {
        text += &format!(
            "\n{}\n",
            words(&Message::new("fit.price").inner("price", record.price_in_words()).inner("sure", sureness(record)))
        );
    }
    let remarks = remarks(record, runtime, speech);
    if !remarks.is_empty() {
        text.push('\n');
    }
    remarks.iter().for_each(|remark| text += &format!("* {}\n", markdown(remark)));
    if !record.moves.is_empty() {
        text.push('\n');
    }
    for (number, one) in record.moves.iter().enumerate() {
        text += &format!("{}. {}\n", number + 1, words(&line(record, one)));
    }
    text += &format!("\n{}\n|---|---|\n", say(&Message::new("fit.columns"), speech));
    for (lever, words) in ladder(record, speech) {
        text += &format!("| {} | {} |\n", markdown(&lever), markdown(&words));
    }
    for (number, line) in curve(record, speech).iter().enumerate() {
        text +=
            &if number == 0 { format!("\n{}\n\n", markdown(line)) } else { format!("* {}\n", markdown(line.trim())) };
    }
    text
}
