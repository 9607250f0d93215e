//! Make it fit: what is told of bad input and of what cannot be changed.

use crate::fit::state::FitChange;
use crate::fit::state::tests::{TINY, change, fitted, open};
use crate::shell::state::State;
use memplan_core::text::{Locale, Speech};
use memplan_fit::{Prefer, held};

#[test]
fn bad_input_is_told_in_a_sentence_with_the_remedy() {
    let refusal = |fragment: &str| {
        let state = fitted(fragment);
        assert!(state.job().is_none(), "nothing is asked again");
        let why = state.fitting.found.expect("an answer").expect_err("refused");
        Speech { locale: Locale::En, ..Speech::default() }.say(&why).replace('\u{202f}', " ")
    };
    for (fragment, sentence) in [
        ("mem=SRAM:0", "The memory SRAM has 0 bytes. State its size, such as 64 KiB."),
        (
            "mem=SRAM:-1",
            "-1 is no size. Use a number, with a point before decimals, and a unit, such as 64 KiB or 1.5 MiB.",
        ),
        (
            "mem=SRAM:9007199254740992",
            "is no size. Use a number, with a point before decimals, and a unit, such as 64 KiB or 1.5 MiB.",
        ),
        (
            "mem=SRAM:1e30",
            "1e30 is no size. Use a number, with a point before decimals, and a unit, such as 64 KiB or 1.5 MiB.",
        ),
        ("mem=SRAM:64,SRAM:128", "Two memories have the name SRAM. Give each a name of its own."),
        ("mem=SRAM:64,DRAM:128@-3", "-3 is no cost. Use a whole number from 0 to 1000000, such as 10."),
        (
            "mem=SRAM:64&scratch=-8",
            "-8 is no size. Use a number, with a point before decimals, and a unit, such as 64 KiB or 1.5 MiB.",
        ),
        ("mem=SRAM:64&scratch=60&persistent=4", "State a larger memory or less of the others."),
        (
            "mem=SRAM:64&ops=nobody,4",
            "Scratch is stated for nobody, but no operator has that name. The operators are: grow, bend, join.",
        ),
        ("mem=SRAM:64&ops=grow", "Line 1: grow is not `op,bytes`. Write the name of an operator, a comma and a size."),
        ("mem=SRAM:64,cpu:128", "The graph has a device of the name cpu already. Give the slower memory another name."),
    ] {
        let refusal = refusal(&format!("mode=fit&{fragment}"));
        assert!(refusal.contains(sentence), "{fragment}: {refusal}");
    }
}

#[test]
fn control_flow_and_custom_operators_are_named_with_the_remedy() {
    let graph = TINY
        .replace(r#""op":"silu","inputs":["a"]"#, r#""op":"while","inputs":["a"]"#)
        .replace(r#""op":"conv2d","inputs":["b","v"]"#, r#""op":"vendor.custom","inputs":["b","v"]"#);
    let state = open(&graph, "mode=fit&mem=SRAM:32&allow=planner,stripes");
    let record = &state.fitting.shown().expect("an answer").record;
    assert_eq!(record.result, "impossible");
    let refusal: Vec<String> = held(record).iter().map(|why| Speech::default().say(why)).collect();
    assert_eq!(refusal.len(), 1);
    assert!(
        refusal[0].contains("no rule for their rows is known: bend, join. Replace them by operators"),
        "{refusal:?}"
    );
}

#[test]
fn a_memory_without_a_size_is_filled_in_before_another_is_added() {
    let names =
        |state: &State| -> Vec<String> { state.fitting.form.memories.iter().map(|memory| memory[0].clone()).collect() };
    let add = |state: &State| change(state, FitChange::AddMemory);
    let one = add(&add(&fitted("mode=fit&mem=SRAM:32")));
    assert_eq!(names(&one), ["SRAM", "DRAM"]);
    let two = add(&change(&one, FitChange::Memory(1, 1, "1 MiB".into())));
    assert_eq!(names(&two), ["SRAM", "DRAM", "M2"]);
    // A name that is taken is not given again, and the fast memory stays.
    let two = change(&change(&two, FitChange::Memory(2, 1, "2 MiB".into())), FitChange::RemoveMemory(1));
    assert_eq!(names(&add(&two)), ["SRAM", "M2", "DRAM"]);
    assert_eq!(names(&change(&change(&two, FitChange::RemoveMemory(0)), FitChange::RemoveMemory(9))), ["SRAM", "M2"]);
}

#[test]
fn a_change_that_changes_nothing_keeps_the_answer() {
    let state = fitted("mode=fit&mem=SRAM:64");
    assert!(state.fitting.shown().is_some());
    let same = change(&state, FitChange::Prefer(state.fitting.form.prefer));
    assert_eq!((&same.fitting, same.job().is_none()), (&state.fitting, true));
    let other = change(&state, FitChange::Prefer(Prefer::Bytes));
    assert!(other.fitting.found.is_none() && other.job().is_some());
}
