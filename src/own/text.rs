//! The lines of a program: numbers, colours, what ran, and what is wrong.

use std::collections::{BTreeMap, BTreeSet};

use yew::prelude::*;

use crate::context::Page;
use crate::own::highlight::{Kind, parts};
use memplan_engine::Mistake;

/// Most names of an order beside a line.
const NAMES: usize = 6;

/// What is marked in a program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LineMarks {
    /// The line that is looked at.
    pub lit: Option<u32>,
    /// Lines that ran.
    pub ran: BTreeSet<u32>,
    /// What lines changed, beside them.
    pub values: BTreeMap<u32, String>,
    /// What is wrong.
    pub mistake: Option<Mistake>,
}

impl LineMarks {
    /// The marks of the shown decision.
    pub fn of(page: &Page) -> LineMarks {
        let Some((followed, at)) = page.state.lines_here() else { return LineMarks::default() };
        let kept = &followed.statements.kept;
        let mut values = BTreeMap::new();
        for (index, statement) in kept.iter().enumerate().take(at + 1) {
            let last = index.checked_sub(1).map_or(0, |before| kept[before].line);
            if last > statement.line && is_loop(&followed.code, statement.line) {
                // The next turn begins: what its lines showed is of the one before.
                values.retain(|line, _| *line <= statement.line || *line > last);
            }
            if let Some((words, holds)) = &statement.condition {
                let verdict = if *holds { "✓ true" } else { "✗ false" };
                values.insert(statement.line, format!("{words} {verdict}"));
            }
            // Of the statement that is looked at nothing has changed yet, as its variables show.
            if let Some(next) = kept.get(index + 1).filter(|_| index < at) {
                let is_new = |value: &&(String, String)| !statement.values.contains(value);
                let changed = next.values.iter().filter(is_new).map(|(name, value)| format!("{name} = {value}"));
                let changed: Vec<String> = changed.collect();
                if !changed.is_empty() {
                    values.insert(statement.line, changed.join(", "));
                }
            }
        }
        if at + 1 == kept.len()
            && let Some(result) = page.frame.as_ref().and_then(|frame| result_of(page, frame))
        {
            values.insert(kept[at].line, format!("→ {result}"));
        }
        LineMarks {
            lit: Some(kept[at].line),
            ran: kept.iter().map(|statement| statement.line).collect(),
            values,
            mistake: None,
        }
    }
}

/// Whether a loop begins in a line that is told of at each turn.
fn is_loop(code: &str, line: u32) -> bool {
    let line = code.lines().nth((line as usize).saturating_sub(1)).unwrap_or_default().trim_start();
    line.starts_with("for ") || line.starts_with("while ")
}

/// The offset of the buffer that the shown decision places; before the first one, the order.
fn result_of(page: &Page, frame: &memplan_replay::Frame) -> Option<String> {
    let run = page.state.document.run.as_ref()?;
    let decisions = &run.timeline.decisions;
    let Some(decision) = frame.decision else {
        let names = decisions.iter().map(|decision| run.problem.buffers[decision.buffer].name.clone());
        let names: Vec<String> = names.take(NAMES).collect();
        let more = if decisions.len() > NAMES { ", …" } else { "" };
        return Some(format!("{}{more}", names.join(", ")));
    };
    run.plan.places[decisions[decision].buffer].map(|place| place.offset.to_string())
}

/// Draws the lines.
pub fn lines(code: &str, marks: &LineMarks) -> Html {
    html! {
        <>{ for parts(code).into_iter().enumerate().map(|(index, parts)| {
            let number = index as u32 + 1;
            let mistake = marks.mistake.as_ref().filter(|mistake| mistake.line == u64::from(number));
            let class = classes!("code-line", (marks.lit == Some(number)).then_some("lit"), marks.ran.contains(&number).then_some("ran"), mistake.map(|_| "bad"));
            let parts = match mistake.and_then(|mistake| wrong_word(&parts, mistake)) {
                Some((from, to)) => split_at(parts, from, to),
                None => parts.into_iter().map(|(kind, text)| (kind, text, false)).collect(),
            };
            html! {
                <div {class} key={number} data-line={number.to_string()} aria-current={(marks.lit == Some(number)).then_some("true")}>
                    <span class="code-number">{ number }</span>
                    <span class="code-text">{ for parts.into_iter().map(|(kind, text, is_wrong)| {
                        html! { <span class={classes!(kind.class(), is_wrong.then_some("wrong"))}>{ text }</span> }
                    }) }</span>
                    if let Some(value) = marks.values.get(&number) { <span class="code-value"><span>{ value }</span></span> }
                </div>
            }
        }) }</>
    }
}

/// The letters of a line, from and to, that are underlined: the word that was probably meant
/// otherwise, else the word at the place of the mistake.
fn wrong_word(parts: &[(Kind, String)], mistake: &Mistake) -> Option<(usize, usize)> {
    let line: Vec<char> = parts.iter().flat_map(|(_, text)| text.chars()).collect();
    let is_word = |index: usize| line.get(index).is_some_and(|letter| letter.is_alphanumeric() || *letter == '_');
    let column = (mistake.column as usize).checked_sub(1)?;
    if let Some((word, _)) = &mistake.remedy {
        let word: Vec<char> = word.chars().collect();
        let places = (0..line.len()).filter(|&from| line[from..].starts_with(&word));
        if let Some(from) = places.min_by_key(|from| from.abs_diff(column)) {
            return Some((from, from + word.len()));
        }
    }
    let from = column.min(line.len().checked_sub(1)?);
    let end = (from..line.len()).find(|&index| !is_word(index)).unwrap_or(line.len());
    Some((from, end.max(from + 1)))
}

/// The same parts, cut at two letters; those between are marked.
fn split_at(parts: Vec<(Kind, String)>, from: usize, to: usize) -> Vec<(Kind, String, bool)> {
    let mut found: Vec<(Kind, String, bool)> = Vec::new();
    let mut at = 0;
    for (kind, text) in parts {
        let mut piece = String::new();
        for letter in text.chars() {
            if (at == from || at == to) && !piece.is_empty() {
                found.push((kind, std::mem::take(&mut piece), (from..to).contains(&(at - 1))));
            }
            piece.push(letter);
            at += 1;
        }
        if !piece.is_empty() {
            found.push((kind, piece, (from..to).contains(&(at - 1))));
        }
    }
    found
}

/// Returns the text with the remedy of its mistake in place of the wrong word.
pub fn mended(code: &str, mistake: &Mistake) -> Option<String> {
    let (word, instead) = mistake.remedy.as_ref()?;
    let number = (mistake.line as usize).checked_sub(1)?;
    let line = parts(code).into_iter().nth(number)?;
    let (from, to) = wrong_word(&line, mistake)?;
    let letters: Vec<char> = line.iter().flat_map(|(_, text)| text.chars()).collect();
    if letters[from..to].iter().collect::<String>() != *word {
        return None;
    }
    let mended: String =
        letters[..from].iter().copied().chain(instead.chars()).chain(letters[to..].iter().copied()).collect();
    let lines = code.split('\n').enumerate().map(|(index, line)| if index == number { mended.as_str() } else { line });
    Some(lines.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_core::base::Message;

    fn mistake(line: u64, column: u64, remedy: Option<(&str, &str)>) -> Mistake {
        let remedy = remedy.map(|(word, instead)| (word.to_string(), instead.to_string()));
        Mistake { line, column, reason: Message::new("own-planner.unfinished"), remedy }
    }

    #[test]
    fn the_word_that_is_wrong_is_replaced_where_it_stands() {
        let code = "fn place(buffer, gaps) {\n    gap.sise + size.sise\n}";
        let found = mended(code, &mistake(2, 18, Some(("sise", "size"))));
        assert_eq!(found.as_deref(), Some("fn place(buffer, gaps) {\n    gap.sise + size.size\n}"));
        assert_eq!(mended(code, &mistake(2, 5, Some(("other", "size")))), None, "no such word is there");
        assert_eq!(mended(code, &mistake(9, 1, Some(("sise", "size")))), None);
    }

    #[test]
    fn the_wrong_word_is_marked_alone() {
        let parts = parts("if gap.sise >= 1").remove(0);
        let (from, to) = wrong_word(&parts, &mistake(1, 8, None)).expect("a word");
        let marked: Vec<String> =
            split_at(parts, from, to).into_iter().filter(|(.., wrong)| *wrong).map(|(_, text, _)| text).collect();
        assert_eq!(marked, ["sise"]);
    }
}
