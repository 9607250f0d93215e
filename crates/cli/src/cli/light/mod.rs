//! Frames of a run as one HTML file without the page: pictures, a slider, and Why beside them.
//!
//! The frame that the file begins with stands in it as it is, for readers without scripts. The
//! others are lists of lines: frames differ in few of the lines that their pictures are made of.

mod frames;
mod themes;
mod words;

use std::collections::BTreeMap;
use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use memplan_core::text::{Locale, Speech};
use memplan_replay::{Level, Run};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::one_file::filled;
use frames::Frames;

/// Most bytes of the file.
const MOST: usize = 300_000;

/// Most frames of a file, few enough to be gone through.
const MOST_FRAMES: usize = 240;

/// Frames to begin with where not even one fits in two widths.
const FEW_FRAMES: usize = 8;

const TEMPLATE: &str = include_str!("light.html");
const LOOKS: &str = include_str!("light.css");
const SCRIPT: &str = include_str!("light.js");

/// What is written.
pub struct Light<'a> {
    pub run: &'a Run,
    /// The frame to begin with; the one that made the peak if none is asked for.
    pub frame: Option<u32>,
    pub locale: Locale,
    /// The command that writes the file.
    pub command: String,
}

/// Returns the text of the file, and how many frames are left out of it.
pub fn light(asked: &Light) -> (String, u32) {
    let run = asked.run;
    let all = run.timeline.frames(Level::Decisions);
    let first = asked.frame.unwrap_or_else(|| at_peak(run));
    let (mut most, mut has_narrow) = (MOST_FRAMES, true);
    loop {
        let chosen = chosen(run, all, first, most);
        let text = written(asked, &chosen, first, has_narrow);
        if text.len() <= MOST || chosen.len() == 1 && !has_narrow {
            return (text, all - chosen.len() as u32);
        }
        if chosen.len() == 1 {
            // Phones show the other picture.
            (most, has_narrow) = (FEW_FRAMES, false);
            continue;
        }
        // A little less than what would fit if all frames took as much.
        most = (chosen.len() * MOST / text.len() * 9 / 10).clamp(1, chosen.len() - 1);
    }
}

/// The first frame at which the peak is as high as it gets.
fn at_peak(run: &Run) -> u32 {
    let decisions = &run.timeline.decisions;
    let highest = decisions.iter().map(|decision| decision.peak).max();
    let at = decisions.iter().position(|decision| Some(decision.peak) == highest);
    at.map_or(0, |at| at as u32 + 1)
}

/// At most so many frames: the one to begin with and the last, then those at which the peak grows,
/// then others at even distances.
fn chosen(run: &Run, all: u32, first: u32, most: usize) -> Vec<u32> {
    if all as usize <= most {
        return (0..all).collect();
    }
    let even = |frames: Vec<u32>, room: usize| -> Vec<u32> {
        if frames.len() <= room {
            return frames;
        }
        (0..room).map(|at| frames[at * frames.len() / room]).collect()
    };
    let grown = |(at, _): (usize, _)| at as u32 + 1;
    let growths = run.timeline.decisions.iter().enumerate().filter(|(_, decision)| decision.grew).map(grown);
    let mut chosen = vec![first, all - 1];
    chosen.truncate(most);
    chosen.extend(even(growths.collect(), most.saturating_sub(chosen.len())));
    chosen.sort_unstable();
    chosen.dedup();
    let others = (0..all).filter(|frame| chosen.binary_search(frame).is_err()).collect();
    chosen.extend(even(others, most.saturating_sub(chosen.len())));
    chosen.sort_unstable();
    chosen
}

fn written(asked: &Light, chosen: &[u32], first: u32, has_narrow: bool) -> String {
    let run = asked.run;
    let speech = Speech { locale: asked.locale, sizes: run.problem.sizes() };
    let words = words::Words { run, speech, command: &asked.command, chosen, first };
    let mut frames = Frames::new(run, speech, words.heading(), has_narrow);
    let at = chosen.iter().position(|&frame| frame == first).unwrap_or(0);
    let records: Vec<serde_json::Value> = chosen.iter().map(|&frame| frames.record(frame)).collect();
    let shown = frames.shown(first);
    let data = json!({ "at": at, "lines": frames.lines.all, "frames": records });
    let looks = format!("{}\n{LOOKS}", frames.colors.css());
    let parts = BTreeMap::from([
        ("lang", speech.locale.tag().to_string()),
        ("title", words.title()),
        ("looks-digest", digest(&looks)),
        ("script-digest", digest(SCRIPT)),
        ("looks", looks),
        ("script", SCRIPT.to_string()),
        ("head", words.head()),
        ("wide", shown.wide),
        ("narrow", shown.narrow),
        ("why", shown.why),
        ("steps", words.steps()),
        ("peak", words.peak()),
        ("foot", words.foot()),
        ("frames", packed(&data.to_string())),
    ]);
    filled(TEMPLATE, &parts)
}

/// A text as gzip in base64, which the script unpacks.
fn packed(text: &str) -> String {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    // Memory takes everything.
    let _ = gzip.write_all(text.as_bytes());
    STANDARD.encode(gzip.finish().unwrap_or_default())
}

/// What the policy of the file names a script or a style sheet by.
fn digest(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}
