//! Keys: chords, where they act, and what they ask for.

use std::collections::BTreeSet;

use memplan::shell::state::keys::{Chord, KEYS, Key};

use crate::contract;

fn chord(chord: &Chord) -> String {
    let held = [
        (chord.ctrl, "Ctrl"),
        (chord.alt, "Alt"),
        (chord.shift == Some(true), "Shift"),
        (chord.shift == Some(false), "no Shift"),
    ];
    let key = match chord.key {
        Key::Named(" ") => "Space".to_string(),
        Key::Named(name) => name.to_string(),
        Key::Typed(letter) => letter.to_string(),
        Key::Placed(letter) => format!("the key at {letter}"),
    };
    held.iter().filter(|(held, _)| *held).map(|(_, name)| format!("{name} + ")).collect::<String>() + &key
}

#[test]
fn every_key_does_what_it_did() {
    let mut now = BTreeSet::new();
    for line in KEYS {
        for place in line.places {
            for binding in line.keys {
                let listed = if binding.listed { "" } else { ", not in the help" };
                now.insert(format!("{place:?}: {} -> {:?}{listed}", chord(&binding.chord), binding.command));
            }
        }
    }
    contract::extends("keys.txt", 100, &now);
}
