//! Every fault is a sentence with its place and, where it can be known, what was meant.

use super::fault;

#[test]
fn what_cannot_be_read_is_named_with_its_place() {
    let cases = [
        ("fn place(buffer, gaps) {\n    0", "Line 2, column 6: The program ends too early: a bracket is not closed."),
        ("def place(buffer, gaps) { 0 }", "Line 1, column 5: `def` is Python. Here it is written `fn`."),
        (
            "fn place(b, gaps) {\n  if b.size > 1 and b.size < 9 { 0 } else { 1 }\n}",
            "Line 2, column 17: `and` is Python. Here it is written `&&`.",
        ),
        ("fn place(b, gaps) {\n  let x = 1\n  x\n}", "Line 3, column 3: `;` is missing here."),
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
            "Line 1, column 28: Numbers are whole here. Write 3 / 2 in place of 1.5, after a multiplication.",
        ),
        ("fn plaice(buffer, gaps) { 0 }", "The program has no function `place(buffer, gaps)` and no `plan(problem)`."),
        ("fn place(buffer) { 0 }", "The function `place` must be written as `place(buffer, gaps)`."),
        (
            "fn place(buffer, gaps) { 0 }\nfn plan(problem) { }",
            "A program has either `plan` or `place`. In a program with `plan`, `place` is the function that places a buffer.",
        ),
        ("const OPTIONS = 4;\nfn place(buffer, gaps) { 0 }", "`OPTIONS` must be a map."),
        (
            "const OPTIONS = #{ k: [] };\nfn place(buffer, gaps) { 0 }",
            "The option `k` is array. Options are integers from 0, texts, `true` or `false`.",
        ),
        ("const ALIGN = 3;\nfn place(buffer, gaps) { 0 }", "`ALIGN` must be a power of two."),
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
            "Line 2, column 8: Position 9 is outside the array, which has 1 elements.",
        ),
        (
            "fn place(buffer, gaps) {\n  if buffer.size > 100 { 0 }\n}",
            "Line 2: `place` returned nothing for a. It must return an offset, such as `gap.start`.",
        ),
        ("fn place(buffer, gaps) {\n  \"low\"\n}", "Line 2: `place` returned string for a. An offset is an integer."),
        ("fn place(buffer, gaps) {\n  0 - 1\n}", "Line 2: -1 is no offset for a: offsets are 0 to 2^53 - 1."),
        ("fn place(buffer, gaps) {\n  1 / 0\n}", "Line 2, column 5: The arithmetic fails: Division by zero: 1 / 0."),
        ("fn place(buffer, gaps) {\n  throw \"no\"\n}", "Line 2, column 3: The program threw: no"),
        ("fn place(buffer, gaps) { #{ a: 1 }.b }", "Line 1, column 36: The map has no key `b`."),
        (
            "fn order(buffers) {\n  buffers.pop();\n  buffers\n}\nfn place(buffer, gaps) { 0 }",
            "Line 3: `order` left out 1 buffers: c.",
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
            "fn order(buffers) { buffers.sort(|a, b| a.sise - b.size); buffers }\nfn place(buffer, gaps) { 0 }",
            "Line 1, column 43: A Buffer has no field `sise`; it has id, name, size, align, start, end, kind, memory, readers. Did you mean `size`?",
        ),
    ];
    let found = cases.map(|(code, _)| (code, fault(code)));
    assert_eq!(found, cases.map(|(code, expected)| (code, expected.to_string())));
}
