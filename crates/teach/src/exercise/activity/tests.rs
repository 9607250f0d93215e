use std::collections::BTreeSet;

use super::*;
use memplan_core::text::Locale;

/// All values are different.
fn are_unique<T: Ord>(values: impl Iterator<Item = T>) -> bool {
    let values: Vec<T> = values.collect();
    values.iter().collect::<BTreeSet<_>>().len() == values.len()
}

#[test]
fn names_and_numbers_belong_to_one_kind() {
    assert!(are_unique(Kind::ALL.iter().map(|kind| kind.name())));
    assert!(are_unique(Kind::ALL.iter().map(|kind| kind.activity().title)));
    assert!(are_unique(Kind::practised().iter().filter_map(|kind| kind.activity().practice).map(|it| it.number)));
    for kind in Kind::ALL {
        assert_eq!(Kind::of_name(kind.name()), Some(kind));
        assert!(!kind.name().is_empty() && kind.name().bytes().all(|letter| letter.is_ascii_lowercase()));
    }
    assert_eq!((Kind::of_name(""), Kind::of_name("Pack"), Kind::of_name("perfect")), (None, None, None));
}

#[test]
fn all_lists_every_kind_once() {
    assert!(are_unique(Kind::ALL.iter()));
    // `ALL` is in the order of the variants, so a gap would be seen here.
    assert!(Kind::ALL.iter().enumerate().all(|(at, kind)| *kind as usize == at));
    let games: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| kind.is_game()).collect();
    assert_eq!(Kind::GAMES.to_vec(), games);
}

#[test]
fn every_kind_has_its_words_in_both_languages() {
    for kind in Kind::ALL {
        let activity = kind.activity();
        let mut keys = vec![activity.title, activity.asks_words, activity.how];
        keys.extend(activity.about);
        if let Some(goals) = activity.goals() {
            keys.push(goals.best);
            keys.extend(goals.words.into_iter().chain(goals.of_open));
        }
        for key in keys {
            for locale in Locale::ALL {
                assert_ne!(locale.template(key), key, "{}: no words for {key} in {}", activity.name, locale.name());
            }
        }
    }
}

#[test]
fn the_parts_of_an_activity_fit_together() {
    for kind in Kind::ALL {
        let activity = kind.activity();
        let name = activity.name;
        assert!(kind.attempt().is_none() || activity.practice.is_some(), "{name}: the seed needs a number");
        assert_eq!(kind.attempt().is_some(), activity.buffers.has_seed(), "{name}");
        assert_eq!(activity.asks == Asks::Lessons, activity.buffers == Buffers::Lessons, "{name}");
        let Some(goals) = activity.goals() else { continue };
        assert!(goals.count > 0 && activity.about.is_some(), "{name}: a game has a goal and a card");
        assert!(goals.of_open.is_none() || activity.buffers.has_document(), "{name}");
        assert_eq!(goals.words.is_none(), activity.buffers == Buffers::Board, "{name}");
    }
}

#[test]
fn the_numbers_of_seeds_never_change() {
    let numbers = Kind::practised().into_iter().zip(1..);
    let numbers: Vec<String> = numbers.map(|(kind, number)| format!("{} {number}", kind.name())).collect();
    assert_eq!(numbers.join(", "), "predict 1, pack 2, break 3, order 4, debug 5, tetris 6, number 7, write 8");
    for (kind, number) in Kind::practised().into_iter().zip(1..) {
        assert_eq!(kind.activity().practice.map(|practice| practice.number), Some(number), "{}", kind.name());
    }
}

#[test]
fn questions_are_counted_where_there_are_many() {
    let of = |kind: Kind| [true, false].map(|is_seeded| kind.activity().questions(is_seeded));
    assert_eq!((of(Kind::Predict), of(Kind::Number)), ([None, None], [None, Some(1)]));
    assert_eq!((of(Kind::Place), of(Kind::Pack)), ([Some(1); 2], [Some(3); 2]));
    let bits = |kind: Kind| [1, 2].map(|of| kind.activity().has_bits(of));
    assert_eq!((bits(Kind::Predict), bits(Kind::Number), bits(Kind::Pack)), ([true; 2], [false, true], [false; 2]));
    assert!(Kind::Break.activity().is_passed_by_one(false) && !Kind::Debug.activity().is_passed_by_one(true));
    assert!(Kind::Place.activity().takes_address() && !Kind::Pack.activity().takes_address());
}
