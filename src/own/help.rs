//! What a program gets and what it writes, in short, beside the editor.

use yew::prelude::*;

use crate::context::Page;
use crate::own::editor::with_code;
use crate::shell::state::action::{Action, DocumentAction};
use memplan_planners as planner;
use memplan_teach::choices::WITH_PROGRAM;

/// What a program finds, with the key of the words about it.
const GETS: [(&str, &str); 6] = [
    ("buffer.name .size .start .end", "own.help.buffer"),
    (".align .kind .memory .readers .id", "own.help.more"),
    ("gaps", "own.help.gaps"),
    ("gap.start .end .size", "own.help.gap"),
    ("gap.open .from", "own.help.gap-more"),
    ("problem.buffers .nodes .steps .capacity", "own.help.problem"),
];

/// What a program writes.
const WRITES: [(&str, &str); 10] = [
    ("fn place(buffer, gaps)", "own.help.place"),
    ("fn order(buffers)", "own.help.order"),
    ("const STATE = #{ n: 0 };", "own.help.state"),
    ("const OPTIONS = #{ k: 4 };", "own.help.options"),
    ("k: #{ value: 4, min: 1, max: 8 } k: #{ value: \"a\", of: [\"a\", \"b\"] }", "own.help.limits-of"),
    ("const PADDED = true; const ALIGN = 16;", "own.help.padded"),
    ("fn plan(problem)", "own.help.plan"),
    ("place(b, 0); look(b, 0, \"…\"); note(\"…\")", "own.help.calls"),
    ("print(value)", "own.help.print"),
    ("min(a, b) max(a, b) align_up(offset, align)", "own.help.compute"),
];

/// Python, and the same here.
const PYTHON: [(&str, &str); 15] = [
    ("x = 1", "let x = 1;"),
    ("x += 1", "x += 1;"),
    ("for g in gaps:", "for g in gaps { }"),
    ("for i in range(n):", "for i in 0..n { }"),
    ("while a:", "while a { }"),
    ("if a and not b:", "if a && !b { }"),
    ("if a or b:", "if a || b { }"),
    ("elif c: else:", "else if c { } else { }"),
    ("def f(a):", "fn f(a) { }"),
    ("len(a)", "a.len()"),
    ("a[-1]", "a[-1]"),
    ("a.append(1)", "a.push(1);"),
    ("a.sort(key=lambda b: -b.size)", "a.sort(|x, y| y.size - x.size);"),
    ("None", "()"),
    ("# comment", "// comment"),
];

/// The help beside the editor, with planners to begin with.
pub fn help(page: &Page) -> Html {
    let begin = |id: &'static str| {
        let title = planner::title_of(id, page.speech());
        html! { <button type="button" class="btn line" data-begin={id} onclick={page.on(move || Action::Document(DocumentAction::Planner(id.into())))}>{ title }</button> }
    };
    // A planner that is a program only with an option cannot be begun with by its id alone.
    let begun = WITH_PROGRAM.iter().filter(|(_, options)| options.is_empty());
    let begins = html! { <>
        <h3>{ page.word("own.help.begin") }</h3>
        <p class="muted">{ page.word("own.help.begin-how") }</p>
        <p class="own-begin">{ for begun.map(|(id, _)| begin(id)) }</p>
    </> };
    html! { <section class="own-help" aria-label={page.word("own.help")}>{ python(page) }{ gets_and_writes(page) }{ begins }</section> }
}

/// The help for who writes a program in an exercise.
pub fn language(page: &Page) -> Html {
    html! { <section class="own-help" aria-label={page.word("own.help")}>{ python(page) }{ gets_and_writes(page) }</section> }
}

fn gets_and_writes(page: &Page) -> Html {
    let rows = |rows: &'static [(&'static str, &'static str)]| {
        html! { <dl>{ for rows.iter().map(|(code, key)| html! { <div><dt><code>{ *code }</code></dt><dd>{ with_code(&page.word(key)) }</dd></div> }) }</dl> }
    };
    html! { <>
        <h3>{ page.word("own.help.gets") }</h3>{ rows(&GETS) }
        <h3>{ page.word("own.help.writes") }</h3>{ rows(&WRITES) }
    </> }
}

fn python(page: &Page) -> Html {
    html! {
        <details><summary>{ page.word("own.help.python") }</summary>
            <table class="own-python"><thead><tr><th>{ "Python" }</th><th>{ page.word("own.help.here") }</th></tr></thead>
            <tbody>{ for PYTHON.iter().map(|(python, here)| html! { <tr><td><code>{ *python }</code></td><td><code>{ *here }</code></td></tr> }) }</tbody></table>
            <p>{ page.word("own.help.whole") }</p>
            <p>{ page.word("own.help.limits") }</p>
        </details>
    }
}
