//! Every fault is a sentence with its place and, where it can be known, what was meant.

use memplan_core::text::{Locale, Speech};

use super::{fault, fault_message};
use crate::Own;

#[test]
fn what_cannot_be_read_is_named_with_its_place() {
    let cases = [
        ("fn place(buffer, gaps) {\n    0", "Line 2, column 6: The program ends too early: a bracket is not closed."),
        ("def place(buffer, gaps) { 0 }", "Line 1, column 5: `def` is Python. Here it is written `fn`."),
        (
            "fn place(b, gaps) {\n  if b.size > 1 and b.size < 9 { 0 } else { 1 }\n}",
            "Line 2, column 17: `and` is Python. Here it is written `&&`.",
        ),
        ("fn place(b, gaps) {\n  let x = 1\n  x\n}", "Line 2, column 12: `;` is missing here."),
        (
            "fn place(buffer, gaps) { bufer.size }",
            "Line 1, column 26: There is no variable `bufer`. Did you mean `buffer`?",
        ),
        ("fn place(buffer, gaps) { None }", "Line 1, column 26: `None` is Python. Here it is written `()`."),
        (
            "let top = 0;\nfn place(buffer, gaps) { top = 1; top }",
            "Line 2, column 26: `top` cannot be changed here. Keep what changes in `this`, and its first value in `STATE`.",
        ),
        (
            "fn place(buffer, gaps) { \"a }",
            "Line 1, column 26: A text is not closed: its second quotation mark is missing.",
        ),
        (
            "fn place(buffer, gaps) { 1.5 }",
            "Line 1, column 28: Numbers are whole here, and `7 / 2` is 3. In place of `1.5 * x`, write `3 * x / 2`.",
        ),
        ("fn plaice(buffer, gaps) { 0 }", "The program has no function `place(buffer, gaps)` and no `plan(problem)`."),
        ("fn place(buffer) { 0 }", "The function `place` must be written as `place(buffer, gaps)`."),
        (
            "fn place(buffer, gaps) { 0 }\nfn plan(problem) { }",
            "A program has either `plan` or `place`. In a program with `plan`, `place` is the function that places a buffer.",
        ),
        ("const OPTIONS = 4;\nfn place(buffer, gaps) { 0 }", "Line 1: `OPTIONS` must be a map."),
        (
            "const OPTIONS = #{ k: [] };\nfn place(buffer, gaps) { 0 }",
            "Line 1: The option `k` is array. Options are integers from 0, texts, `true` or `false`.",
        ),
        (
            "const OPTIONS = #{\n  k: 1, // k: no\n  kk: -1,\n};\nfn place(buffer, gaps) { 0 }",
            "Line 3: The option `kk` is -1. Options are integers from 0, texts, `true` or `false`.",
        ),
        (
            "const OPTIONS = #{\n  factor: 1.5,\n};\nfn place(buffer, gaps) { 0 }",
            "Line 2, column 13: Numbers are whole here, those of options, too. Keep tenths, such as `k: 15`, and divide by 10 where it is used.",
        ),
        (
            "const OPTIONS = #{ k: 1 };\nfn place(buffer, gaps) { 1.5 }",
            "Line 2, column 28: Numbers are whole here, and `7 / 2` is 3. In place of `1.5 * x`, write `3 * x / 2`.",
        ),
        ("const STATE = 3;\nfn place(buffer, gaps) { 0 }", "Line 1: `STATE` must be a map."),
        ("\nconst PADDED = 3;\nfn place(buffer, gaps) { 0 }", "Line 2: `PADDED` must be `true` or `false`."),
        ("const ALIGN = 3;\nfn place(buffer, gaps) { 0 }", "Line 1: `ALIGN` must be a power of two."),
    ];
    let found = cases.map(|(code, _)| (code, fault(code)));
    assert_eq!(found, cases.map(|(code, expected)| (code, expected.to_string())));
}

#[test]
fn what_fails_while_it_runs_is_named_with_its_place() {
    let cases = [
        (
            "fn place(buffer, gaps) {\n  gaps[0].stat\n}",
            "Line 2, column 11: A Gap has no field `stat`; it has start, end, size, from, open. Did you mean `start`?",
        ),
        (
            "fn place(buffer, gaps) {\n  lowest(gaps)\n}\nfn lowst(gaps) { 0 }",
            "Line 2, column 3: There is no function `lowest` for (array). Did you mean `lowst`?",
        ),
        (
            "fn place(buffer, gaps) {\n  len(gaps, 1)\n}",
            "Line 2, column 3: `len` is Python. Here it is written `array.len()`.",
        ),
        ("fn place(buffer, gaps) {\n  buffer + 1\n}", "Line 2, column 10: `+` does not work on (Buffer, integer)."),
        (
            "fn place(buffer, gaps) {\n  gaps[9].start\n}",
            "Line 2, column 8: Position 9 is outside the array, which has 1 element.",
        ),
        (
            "fn place(buffer, gaps) {\n  if buffer.size > 100 { 0 }\n}",
            "Line 2: `place` returned nothing for a. It must return an offset, such as `gap.start`.",
        ),
        ("fn place(buffer, gaps) {\n  \"low\"\n}", "Line 2: `place` returned string for a. An offset is an integer."),
        ("fn place(buffer, gaps) {\n  0 - 1\n}", "Line 2: -1 is no offset for a: offsets are 0 to 2^53 - 1."),
        ("fn place(buffer, gaps) {\n  1 / 0\n}", "Line 2, column 5: Division by zero: 1 / 0."),
        ("fn place(buffer, gaps) {\n  throw \"no\"\n}", "Line 2, column 3: The program threw: no"),
        ("fn place(buffer, gaps) { #{ a: 1 }.b }", "Line 1, column 36: The map has no key `b`."),
        (
            "fn order(buffers) {\n  buffers.pop();\n  buffers\n}\nfn place(buffer, gaps) { 0 }",
            "Line 3: `order` left out 1 buffer: c.",
        ),
        (
            "fn order(buffers) { [buffers[0], buffers[0]] }\nfn place(buffer, gaps) { 0 }",
            "Line 1: `order` returned a twice.",
        ),
        (
            "fn order(buffers) { 7 }\nfn place(buffer, gaps) { 0 }",
            "Line 1: `order` must return an array of all buffers, and this is integer.",
        ),
        (
            "fn plan(problem) {\n  let a = problem.buffers[0];\n  place(a, 0);\n  place(a, 0);\n}",
            "Line 4, column 3: a was placed in line 3 already. A buffer is placed once.",
        ),
        ("fn plan(problem) { place(problem.buffers[0], 0); }", "The program gave no place to 2 buffers: b, c."),
        ("fn plan(problem) { place(problem.bufers[0], 0); }", "Line 1, column 34: The map has no key `bufers`."),
        (
            "fn plan(problem) { place(0, 0); }",
            "Line 1, column 20: There is no function `place` for (integer, integer).",
        ),
        (
            "fn place(buffer, gaps) { help() }\nfn help() { this.x }",
            "Line 2, column 13: `this` is known in `order`, `place` and `plan` only. Pass its values to other functions.",
        ),
        (
            "fn order(buffers) { buffers.sort(|a, b| \"x\"); buffers }\nfn place(buffer, gaps) { 0 }",
            "Line 1, column 29: The function of `sort` returned string. It must return an integer: below 0, the first comes first.",
        ),
        (
            "fn order(buffers) { buffers.sort(|b| b.size); buffers }\nfn place(buffer, gaps) { 0 }",
            "Line 1, column 29: `sort` needs a function of two values: `|a, b| a.size - b.size` puts the smallest first.",
        ),
        (
            "fn order(buffers) { let n = 1; buffers.sort(|b| b.size + n); buffers }\nfn place(buffer, gaps) { 0 }",
            "Line 1, column 40: `sort` needs a function of two values: `|a, b| a.size - b.size` puts the smallest first.",
        ),
        (
            "fn place(buffer, gaps) { gaps.filter(|a, b, c| true); 0 }",
            "Line 1, column 31: What calls the function in `|…|` gives it another number of values than it has parameters.",
        ),
        (
            "fn order(buffers) { buffers.sort(|a, b| a.sise - b.size); buffers }\nfn place(buffer, gaps) { 0 }",
            "Line 1, column 43: A Buffer has no field `sise`; it has id, name, size, align, start, end, kind, memory, readers. Did you mean `size`?",
        ),
    ];
    let found = cases.map(|(code, _)| (code, fault(code)));
    assert_eq!(found, cases.map(|(code, expected)| (code, expected.to_string())));
}

#[test]
fn slips_of_other_languages_and_keyboards_are_named_with_what_is_written_here() {
    let cases = [
        ("fn place（buffer, gaps) { 0 }", "Line 1, column 9: `（` is a full-width sign. Write `(`."),
        (
            "// （comment）\nfn place(buffer, gaps) {\n    gaps[-1].start；\n}",
            "Line 3, column 19: `；` is a full-width sign. Write `;`.",
        ),
        ("fn place(buffer, gaps) {\n  print(“x”); 0 }", "Line 2, column 9: `“` is a full-width sign. Write `\"`."),
        (
            "# first fit\nfn place(buffer, gaps) { 0 }",
            "Line 1, column 1: Comments begin with `//` here, and not with `#`.",
        ),
        (
            "fn place(buffer, gaps) {\n  x = 1;\n  x\n}",
            "Line 2, column 3: There is no variable `x` yet. A new one begins with `let`.",
        ),
        (
            "fn place(buffer, gaps) {\n  int i = 0;\n  i\n}",
            "Line 2, column 3: Variables have no type here: write `let i` in place of `int i`.",
        ),
        (
            "fn place(buffer, gaps) {\n  var  i = 0;\n  i\n}",
            "Line 2, column 3: Variables have no type here: write `let i` in place of `var  i`.",
        ),
        (
            "fn place(buffer, gaps) {\n  let mut i = 0;\n  i\n}",
            "Line 2, column 7: Variables have no type here: write `i` in place of `mut i`.",
        ),
        (
            "fn place(buffer, gaps):\n    0",
            "Line 1, column 23: Blocks stand in braces here: write `{` in place of `:`, and `}` after the last line of the block.",
        ),
        (
            "fn place(buffer, gaps) {\n  for gap in gaps:\n    0\n}",
            "Line 2, column 18: Blocks stand in braces here: write `{` in place of `:`, and `}` after the last line of the block.",
        ),
        (
            "fn place(buffer, gaps) {\n  gaps.sort(key=lambda g: g.size);\n  0\n}",
            "Line 2, column 17: `lambda` is Python. Here it is written `|a, b| a.size - b.size`.",
        ),
        ("fn place(b, gaps) {\n  let x = 1 // one\n\n  x\n}", "Line 2, column 12: `;` is missing here."),
        (
            "const STATE = #{ n: 0 };\nfn place(buffer, gaps) { STATE.n }",
            "Line 2, column 26: `STATE` is only where it begins. Inside of functions it is called `this`.",
        ),
        ("fn (buffer, gaps) { 0 }", "Line 1, column 4: The name of the function is missing after `fn`."),
        ("fn place { 0 }", "Line 1, column 10: Round brackets with the parameters are missing after `place`."),
        ("fn place(buffer, gaps) { break; 0 }", "Line 1, column 26: `break` and `continue` stand inside loops only."),
        ("fn place(变, gaps) { 0 }", "Line 1, column 10: `变` means nothing here."),
    ];
    let found = cases.map(|(code, _)| (code, fault(code)));
    assert_eq!(found, cases.map(|(code, expected)| (code, expected.to_string())));
}

#[test]
fn a_comparison_that_never_holds_is_named_before_anything_runs() {
    let cases = [
        (
            "fn place(buffer, gaps) {\n  if gaps > 3 { 1 } else { gaps[-1].start }\n}",
            "Line 2, column 11: `>` compares array with integer, which never holds. Did you mean `gaps.len()`?",
        ),
        (
            "fn place(buffer, gaps) {\n  for g in gaps {\n    if buffer.size <= g { return g.start; }\n  }\n  0\n}",
            "Line 3, column 20: `<=` compares integer with Gap, which never holds. Did you mean `g.size`?",
        ),
        (
            "fn order(all) {\n  if all == 0 { [] } else { all }\n}\nfn place(buffer, gaps) { 0 }",
            "Line 2, column 10: `==` compares array with integer, which never holds. Did you mean `all.len()`?",
        ),
        (
            "fn place(b, gaps) {\n  if b.kind == 1 { 0 } else { gaps[-1].start }\n}",
            "Line 2, column 13: `==` compares string with integer, which never holds.",
        ),
    ];
    let found = cases.map(|(code, _)| (code, fault(code)));
    assert_eq!(found, cases.map(|(code, expected)| (code, expected.to_string())));
}

#[test]
fn a_name_with_several_types_is_compared_as_it_comes() {
    for code in [
        "fn place(buffer, gaps) { let best = gaps; best = 3; if best > 2 { gaps[-1].start } else { 0 } }",
        "fn place(buffer, gaps) { gaps = gaps.len(); if gaps > 0 { 0 } else { 1 } }",
        "fn most(gaps) { if gaps > 0 { 0 } else { 1 } }\nfn place(buffer, gaps) { most(gaps.len()) }",
        "fn place(buffer, gaps) { for g in gaps { for g in 0..3 { if g > 1 { return gaps[-1].start; } } } 0 }",
        "fn place(buffer, gaps) { if problem_is(buffer) == () { gaps[-1].start } else { 0 } }\nfn problem_is(b) { }",
        "fn place(buffer, gaps) { for b in [buffer] { let sizes = gaps.map(|g| g.size).filter(|b| b > 1); } gaps[-1].start }",
    ] {
        assert_eq!(Own::of_code("mine.rhai", "mine.rhai", code.into()).map(|_| ()), Ok(()), "{code}");
    }
}

#[test]
fn values_of_two_types_are_named_where_no_place_comes_of_their_comparison() {
    let cases = [
        (
            "fn place(buffer, gaps) {\n  for g in gaps {\n    let wanted = \"big\";\n    if g.size >= wanted { return g.start; }\n  }\n}",
            "Line 4, column 15: `>=` compares integer with string, which never holds, and `place` returned nothing for a.",
        ),
        (
            "fn place(buffer, gaps) {\n  for g in gaps {\n    let wanted = buffer;\n    if g.size >= wanted { return g.start; }\n  }\n}",
            "Line 4, column 15: `>=` compares integer with Buffer, which never holds, and `place` returned nothing for a.",
        ),
        (
            "fn place(buffer, gaps) {\n  if gaps[0].size < 2 { 0 }\n}",
            "Line 2: `place` returned nothing for a. It must return an offset, such as `gap.start`.",
        ),
    ];
    let found = cases.map(|(code, _)| (code, fault(code)));
    assert_eq!(found, cases.map(|(code, expected)| (code, expected.to_string())));
}

#[test]
fn an_endless_loop_is_named_by_the_line_where_it_begins() {
    let code = "fn place(buffer, gaps) {\n  let i = 0;\n  while i < 1 {\n    for gap in gaps {\n      let a = gap.size;\n    }\n  }\n  i\n}";
    assert!(fault(code).starts_with("Line 3: Stopped after"), "{}", fault(code));
}

#[test]
fn no_sentence_about_a_program_that_cannot_be_read_has_words_of_another_language() {
    let programs = [
        "fn place（buffer, gaps) { 0 }",
        "fn place { 0 }",
        "fn (a) { 0 }",
        "fn place(buffer, gaps)",
        "fn place(a, a) { 0 }",
        "fn place(a, b) { 0 }\nfn place(a, b) { 0 }",
        "fn place(a, b) { fn c() { } }",
        "fn place(a, b) { let = 1; }",
        "fn place(a, b) { a. }",
        "fn place(a, b) { 1 = 2; }",
        "fn place(a, b) { a +; }",
        "fn place(a, b) { a === b }",
        "fn place(a, b) { a ? b }",
        "fn place(a, b) { 'ab' }",
        "fn place(a, b) { 0x }",
        "fn place(a, b) { let x = #{ k: 1, k: 2 }; }",
        "fn place(a, b) { switch a { _ => 1, 2 => 3 } }",
        "fn place(a, b) { 1 / 0 }",
        "fn place(a, b) { 9223372036854775807 + 1 }",
        "fn place(a, b) { a[] }",
        "export x;",
    ];
    let zh = Speech { locale: Locale::Zh, ..Speech::default() };
    for program in programs {
        let said = zh.say(&fault_message(program));
        let said = said.strip_prefix("mine.rhai：").expect("the file is named");
        // What stands between backticks is code.
        let words: String = said.split('`').step_by(2).collect();
        let foreign = words.split(|letter: char| !letter.is_ascii_alphabetic()).find(|word| word.len() > 3);
        assert_eq!(foreign, None, "{program}: {said}");
    }
}
