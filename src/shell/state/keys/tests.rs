use std::collections::BTreeSet;

use crate::shell::state::keys::*;
use memplan_core::text::Locale;

fn stroke(key: &str, held: &str) -> Stroke {
    let code = format!("Key{}", key.to_uppercase());
    let held = |name: &str| held.contains(name);
    Stroke { key: key.into(), code, ctrl: held("ctrl"), alt: held("alt"), shift: held("shift") }
}

#[test]
fn the_table_is_what_the_page_acts_by() {
    for (key, held, place, wanted) in [
        ("ArrowRight", "", Place::Page, Some(Command::Next)),
        ("ArrowRight", "shift", Place::Page, Some(Command::NextBuffer)),
        ("ArrowRight", "alt", Place::Page, None),
        ("ArrowRight", "alt", Place::Canvas, Some(Command::NeighbourRight)),
        ("n", "", Place::Page, Some(Command::NextEvent)),
        ("N", "shift", Place::Page, Some(Command::PreviousEvent)),
        // With Caps Lock.
        ("N", "", Place::Page, Some(Command::NextEvent)),
        ("z", "", Place::Plan, Some(Command::FitSelection)),
        ("Z", "shift", Place::Plan, None),
        ("Z", "shift", Place::Page, Some(Command::Present)),
        ("Z", "shift", Place::Present, Some(Command::Present)),
        ("z", "ctrl", Place::Page, Some(Command::Undo)),
        ("Z", "ctrl shift", Place::Page, Some(Command::Redo)),
        ("?", "shift", Place::Page, Some(Command::Help)),
        ("l", "ctrl", Place::Page, None),
        ("b", "", Place::Page, Some(Command::Break)),
        ("b", "", Place::Present, Some(Command::Blank)),
        ("p", "", Place::Present, None),
        ("?", "shift", Place::Present, Some(Command::Help)),
        ("E", "shift", Place::Compare, Some(Command::PreviousDifference)),
        ("PageDown", "", Place::Present, Some(Command::Next)),
        ("PageDown", "", Place::Block, Some(Command::BlockDown)),
        ("PageDown", "", Place::Board, Some(Command::NextOnBoard)),
        ("ArrowLeft", "shift", Place::Board, Some(Command::StartEarlier)),
        ("ArrowUp", "alt", Place::Row, Some(Command::RowEarlier)),
        ("ArrowUp", "", Place::Row, None),
        ("y", "ctrl", Place::Page, Some(Command::Redo)),
    ] {
        assert_eq!(command(&stroke(key, held), place), wanted, "{held} {key} in {place:?}");
    }
    // The key left of S, whatever letter stands on it.
    let azerty = Stroke { key: "q".into(), code: "KeyA".into(), ..Stroke::default() };
    assert_eq!(command(&azerty, Place::Plan), Some(Command::PanLeft));
}

/// Places in which a key can act at the same moment.
const TOGETHER: [&[Place]; 6] = [
    &[Place::Page, Place::Compare, Place::Plan, Place::Canvas, Place::Question],
    &[Place::Present],
    &[Place::Cell],
    &[Place::Block],
    &[Place::Board],
    &[Place::Row],
];

#[test]
fn no_key_means_two_things_in_one_place() {
    for places in TOGETHER {
        let of_place = |line: &&Line| line.places.iter().any(|place| places.contains(place));
        let keys: Vec<&Binding> = KEYS.iter().filter(of_place).flat_map(|line| line.keys).collect();
        for (index, one) in keys.iter().enumerate() {
            for other in &keys[index + 1..] {
                let letter = |key: Key| match key {
                    Key::Typed(letter) | Key::Placed(letter) => letter.to_string(),
                    Key::Named(name) => name.to_string(),
                };
                let (a, b) = (one.chord, other.chord);
                let same = letter(a.key) == letter(b.key) && (a.ctrl, a.alt) == (b.ctrl, b.alt);
                let apart = a.shift.zip(b.shift).is_some_and(|(a, b)| a != b);
                assert!(!same || apart, "{one:?} and {other:?}");
            }
        }
    }
}

#[test]
fn the_help_explains_every_key_once() {
    let explained: Vec<&str> = KEYS.iter().map(|line| line.help).collect();
    let once: BTreeSet<&str> = explained.iter().copied().collect();
    assert_eq!(once.len(), explained.len());
    let sentences = Locale::En.keys().into_iter().filter(|key| key.starts_with("help."));
    // The heading, and what stands below the keys: the line on the mouse, and the link to the
    // licences.
    let others = ["help.title", "help.mouse", "help.licenses"];
    let sentences: BTreeSet<&str> = sentences.filter(|key| !others.contains(key)).collect();
    assert_eq!(once, sentences);
    for line in KEYS {
        assert!(!line.signs().is_empty() && !line.places.is_empty(), "{line:?}");
    }
}

#[test]
fn keys_are_written_as_they_are_pressed() {
    let signs = |help: &str| KEYS.iter().find(|line| line.help == help).map(Line::signs).unwrap_or_default();
    assert_eq!(signs("help.frame"), "→ ←");
    assert_eq!(signs("help.buffer"), "Shift + → ←");
    assert_eq!(signs("help.run-to"), "N  Shift + N");
    assert_eq!(signs("help.undo"), "Ctrl + Z  Ctrl + Shift + Z");
    assert_eq!(signs("help.zoom"), "+ − 0 9 Z");
    assert_eq!(aria(Command::NextBuffer, true), "Shift+ArrowRight");
    assert_eq!(aria(Command::Find, true), "/ Control+K");
    assert_eq!(aria(Command::ZoomIn, true), "W Plus");
    assert_eq!(aria(Command::Next, false), "ArrowRight");
    assert_eq!(aria(Command::Find, false), "Control+K");
    assert_eq!(aria(Command::Help, false), "");
}

/// The readme and the documents name keys as `<kbd>`: those that the table has.
#[test]
fn documents_name_keys_of_the_table() {
    let root = env!("CARGO_MANIFEST_DIR");
    let documents = std::fs::read_dir(format!("{root}/docs")).expect("documents").flatten().map(|entry| entry.path());
    let mut named = 0;
    let signs: BTreeSet<String> = KEYS.iter().flat_map(|line| line.keys).map(|binding| binding.chord.sign()).collect();
    for path in documents
        .chain([format!("{root}/README.md").into()])
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
    {
        let text = std::fs::read_to_string(&path).expect("a document");
        for key in text.split("<kbd>").skip(1).filter_map(|rest| rest.split("</kbd>").next()) {
            let known = ["Ctrl", "Shift", "Alt"].contains(&key) || signs.contains(key);
            assert!(known, "{} names the key {key}, which the page does not have", path.display());
            named += 1;
        }
    }
    assert!(named > 0, "the readme names some");
}
