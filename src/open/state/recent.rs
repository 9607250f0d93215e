//! Which documents the browser keeps.

use crate::open::state::recovery::Recent;

/// Documents kept.
const MAX_RECENT: usize = 10;

/// Bytes that all of them may take.
pub const MAX_KEPT: f64 = 50.0 * 1024.0 * 1024.0;

/// Sorts the latest first and takes off those that are too many, by count or by size. Returns the
/// names of these.
pub fn surplus(recent: &mut Vec<Recent>) -> Vec<String> {
    let mut from: Vec<Recent> = std::mem::take(recent);
    // Few, and nearly sorted: each goes before the first older one.
    for entry in from.drain(..) {
        let at = recent.iter().position(|other| other.time < entry.time).unwrap_or(recent.len());
        recent.insert(at, entry);
    }
    let mut bytes = 0.0;
    let kept = recent.iter().take(MAX_RECENT).take_while(|entry| {
        bytes += entry.size;
        bytes <= MAX_KEPT
    });
    let kept = kept.count();
    recent.drain(kept..).map(|entry| entry.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, time: f64, size: f64) -> Recent {
        Recent { name: name.into(), time, size }
    }

    #[test]
    fn ten_documents_and_fifty_mebibytes_are_kept() {
        let mut recent: Vec<Recent> = (0..12).map(|at| entry(&at.to_string(), at as f64, 1.0)).collect();
        assert_eq!(surplus(&mut recent), ["1", "0"]);
        assert_eq!(recent.first().map(|entry| entry.name.as_str()), Some("11"));
        let mut recent = vec![entry("old", 1.0, 1.0), entry("large", 2.0, MAX_KEPT - 2.0), entry("new", 3.0, 2.0)];
        assert_eq!(surplus(&mut recent), ["old"]);
        assert_eq!(recent.len(), 2);
    }
}
