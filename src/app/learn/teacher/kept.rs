//! Results that a student had kept in the browser: nothing is kept unasked.

use yew::prelude::*;

use crate::app::browser::hooks::{use_effect_with, use_state_eq};
use crate::app::browser::kept::{keep_text, kept_text};
use crate::app::context::{Page, use_page};
use crate::app::state::action::{Action, TeachAction};
use crate::app::state::assigned::Assigned;

/// What they are kept under: lines of a link, a name and a code, with tabs between.
const ENTRY: &str = "memplan.results.1";

/// Most results that are kept; the oldest one goes.
const MOST: usize = 50;

/// A result that was kept: name and code.
type Kept = (String, String);

/// The result of a link.
fn find(text: &str, link: &str) -> Option<Kept> {
    let line = |line: &str| {
        let (of, rest) = line.split_once('\t')?;
        rest.split_once('\t').filter(|_| of == link).map(|(name, code)| (name.into(), code.into()))
    };
    text.lines().find_map(line)
}

/// The text with this result of a link in place of the one before, or with none.
fn with(text: &str, link: &str, result: Option<&Kept>) -> String {
    let is_other = |line: &&str| line.split('\t').next() != Some(link);
    let own = result.map(|(name, code)| [link, &name.replace(char::is_control, " "), code].join("\t"));
    let mut lines: Vec<String> = text.lines().filter(is_other).map(str::to_string).chain(own).collect();
    lines.drain(..lines.len().saturating_sub(MOST));
    lines.join("\n")
}

/// Shows the result of the exercise that was kept, once it is open.
#[hook]
pub fn use_kept(page: &Page, assigned: &Assigned) {
    let send = page.send.clone();
    use_effect_with(assigned.link.clone(), move |link| {
        let kept = kept_text(ENTRY).and_then(|text| find(&text, link));
        kept.into_iter().for_each(|(name, code)| send.emit(Action::Teach(TeachAction::Restore(name, code))));
    });
}

/// What may be kept.
#[derive(PartialEq, Properties)]
pub struct Outcome {
    pub link: String,
    pub name: String,
    pub code: String,
}

/// The button that keeps the result, or keeps it no longer.
#[component]
pub fn KeepResult(result: &Outcome) -> Html {
    let page = use_page();
    let text = || kept_text(ENTRY).unwrap_or_default();
    let own = (result.name.clone(), result.code.clone());
    let is_kept = use_state_eq(|| find(&text(), &result.link).as_ref() == Some(&own));
    let onclick = {
        let (is_kept, link) = (is_kept.clone(), result.link.clone());
        Callback::from(move |_: MouseEvent| {
            keep_text(ENTRY, &with(&text(), &link, Some(&own).filter(|_| !*is_kept)));
            is_kept.set(!*is_kept);
        })
    };
    let key = if *is_kept { "exercise.kept" } else { "exercise.keep" };
    html! {
        <button type="button" class="btn line" id="exercise-keep" aria-pressed={is_kept.to_string()} {onclick}>{ page.word(key) }</button>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_kept_in_place_of_the_one_before() {
        let result = |name: &str, code: &str| (name.to_string(), code.to_string());
        let text = with("", "a=1", Some(&result("Li\tLei", "MP1-1")));
        let text = with(&text, "b=2", Some(&result("Han", "MP1-2")));
        assert_eq!(find(&text, "a=1"), Some(result("Li Lei", "MP1-1")));
        let text = with(&text, "a=1", Some(&result("Li Lei", "MP1-3")));
        assert_eq!((find(&text, "a=1"), text.lines().count()), (Some(result("Li Lei", "MP1-3")), 2));
        let text = with(&text, "a=1", None);
        assert_eq!((find(&text, "a=1"), find(&text, "b=2")), (None, Some(result("Han", "MP1-2"))));
        let many = (0..60).fold(text, |text, at| with(&text, &format!("n={at}"), Some(&result("Han", "MP1-4"))));
        assert_eq!((many.lines().count(), find(&many, "b=2"), find(&many, "n=59").is_some()), (MOST, None, true));
    }
}
