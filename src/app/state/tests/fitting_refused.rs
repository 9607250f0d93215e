//! Make it fit: what is told of bad input and of what cannot be changed.

use super::fitting::{TINY, fitted, open};
use crate::fit::held;
use crate::text::{Locale, Speech};

#[test]
fn bad_input_is_told_in_a_sentence_with_the_remedy() {
    let told = |fragment: &str| {
        let state = fitted(fragment);
        assert!(state.job().is_none(), "nothing is asked again");
        let why = state.fitting.found.expect("an answer").expect_err("refused");
        Speech { locale: Locale::En, ..Speech::default() }.say(&why).replace('\u{202f}', " ")
    };
    for (fragment, sentence) in [
        ("mem=SRAM:0", "The memory SRAM has 0 bytes. State its size, such as 64 KiB."),
        ("mem=SRAM:-1", "-1 is no size. Use a number and a unit, such as 64 KiB or 2 MiB."),
        ("mem=SRAM:9007199254740992", "is no size. Use a number and a unit, such as 64 KiB or 2 MiB."),
        ("mem=SRAM:1e30", "1e30 is no size. Use a number and a unit, such as 64 KiB or 2 MiB."),
        ("mem=SRAM:64,SRAM:128", "Two memories have the name SRAM. Give each a name of its own."),
        ("mem=SRAM:64,DRAM:128@-3", "-3 is no cost. Use a whole number from 0 to 1000000, such as 10."),
        ("mem=SRAM:64&scratch=-8", "-8 is no size. Use a number and a unit, such as 64 KiB or 2 MiB."),
        ("mem=SRAM:64&scratch=60&persistent=4", "State a larger memory or less of the others."),
        (
            "mem=SRAM:64&ops=nobody,4",
            "Scratch is stated for nobody, but no operator has that name. The operators are: grow, bend, join.",
        ),
        ("mem=SRAM:64&ops=grow", "Line 1: grow is not `op,bytes`. Write the name of an operator, a comma and a size."),
        ("mem=SRAM:64,cpu:128", "The graph has a device of the name cpu already. Give the slower memory another name."),
    ] {
        let told = told(&format!("mode=fit&{fragment}"));
        assert!(told.contains(sentence), "{fragment}: {told}");
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
    let told: Vec<String> = held(record).iter().map(|why| Speech::default().say(why)).collect();
    assert_eq!(told.len(), 1);
    assert!(told[0].contains("no rule for their rows is known: bend, join. Replace them by operators"), "{told:?}");
}
