//! Which operators and kinds go to which arena, as a table: the rules of a custom memory pool pass.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::context::use_page;
use crate::widgets::button::IconButton;
use crate::widgets::icons::Icon;
use memplan_core::base::Message;
use memplan_core::graph::Kind;
use memplan_planners::Rules;

/// Option of the planners that take such rules.
pub const RULES: &str = "rules";

#[derive(Properties, PartialEq)]
pub struct RuleTableProps {
    /// The option's text.
    pub value: String,
    /// Called with another text.
    pub set: Callback<String>,
}

/// Draws the table of one option, be it that of the planner shown or of a column that is compared.
#[component]
pub fn RuleTable(props: &RuleTableProps) -> Html {
    let page = use_page();
    let (what, arena) = (use_node_ref(), use_node_ref());
    let lines: Vec<String> = lines(&props.value).map(String::from).collect();
    let set = {
        let set = props.set.clone();
        move |lines: &[String]| set.emit(lines.join(";"))
    };
    let add = {
        let (set, lines, what, arena) = (set.clone(), lines.clone(), what.clone(), arena.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let fields = what.cast::<HtmlInputElement>().zip(arena.cast::<HtmlInputElement>());
            let Some((what, arena)) = fields else { return };
            // What parts the rules of the option cannot be a part of one.
            let name: String = what.value().chars().filter(|&letter| !parts(letter)).collect();
            if name.is_empty() {
                return;
            }
            set(&[&lines[..], &[format!("{name}={}", arena.value())]].concat());
            what.set_value("");
        })
    };
    let graph = page.state.document.open.as_ref().and_then(|document| document.graph.clone());
    let hits = |line: &str| {
        let rules = Rules::read(line).ok()?;
        let run = page.state.document.run.as_ref()?;
        Some(rules.arenas(run.problem.buffers.iter(), graph.as_deref()).into_iter().flatten().count())
    };
    let mut operators: Vec<&str> =
        graph.iter().flat_map(|graph| graph.nodes.iter()).map(|node| node.op.as_str()).collect();
    operators.sort();
    operators.dedup();
    let row = |(index, line): (usize, &String)| {
        let (what, arena) = line.split_once('=').unwrap_or((line, ""));
        let remove = {
            let (set, lines) = (set.clone(), lines.clone());
            Callback::from(move |_: MouseEvent| {
                let mut left = lines.clone();
                left.remove(index);
                set(&left);
            })
        };
        let name = page.speech().say(&Message::new("rules.remove").text("what", what));
        let fits = match hits(line) {
            Some(0) => page.word("rules.no-hits"),
            Some(count) => page.speech().say(&Message::new("rules.hits").count("n", count)),
            None => String::new(),
        };
        html! {
            <tr><td class="mono">{ what }</td><td class="num">{ arena }</td><td class="muted">{ fits }</td>
                <td><IconButton name={name} icon={Icon::Close} onclick={remove} /></td></tr>
        }
    };
    html! {
        <form class="rules" id="rules" onsubmit={add}>
            <table>
                <thead><tr><th>{ page.word("rules.what") }</th><th class="num">{ page.word("rules.arena") }</th><th></th><th></th></tr></thead>
                <tbody>
                    { for lines.iter().enumerate().map(row) }
                    <tr>
                        <td><input type="text" class="small" id="rule-what" ref={what} list="rule-names" autocomplete="off" required=true
                            aria-label={page.word("rules.what")} placeholder="conv*" /></td>
                        <td><input type="number" class="small" id="rule-arena" ref={arena} min="1" max={u32::MAX.to_string()} value="2" required=true
                            aria-label={page.word("rules.arena")} /></td>
                        <td colspan="2"><button type="submit" class="btn line" id="rule-add">{ page.word("rules.add") }</button></td>
                    </tr>
                </tbody>
            </table>
            <datalist id="rule-names">
                { for operators.iter().map(|operator| html! { <option value={operator.to_string()} /> }) }
                { for Kind::ALL.iter().map(|kind| html! { <option value={format!("kind:{}", kind.name())} /> }) }
            </datalist>
        </form>
    }
}

/// Whether a letter stands between two rules.
fn parts(letter: char) -> bool {
    matches!(letter, ',' | ';' | '=') || letter.is_whitespace()
}

/// The rules of the option's text.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| letter != '=' && parts(letter)).filter(|line| !line.is_empty())
}
