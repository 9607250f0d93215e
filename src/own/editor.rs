//! The editor: a field of the browser over the coloured lines of the same text.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use crate::browser::dom::{by_id, focus, on_window, until_then};
use crate::browser::typing::{erase, insert, rewrite};
use crate::context::{Layout, Page, use_page};
use crate::own::programs::Programs;
use crate::own::state::FIELD;
use crate::own::text::{LineMarks, lines, mended};
use crate::shell::state::action::{Action, DocumentAction, OwnAction};
use gloo_timers::callback::Timeout;
use memplan_core::base::Message;
use memplan_engine::Mistake;

/// How long a changed text waits for the next change before it runs, in milliseconds.
const TYPING: u32 = 300;

/// How long a run may take before the page says that it runs, in milliseconds.
const BLINK: u32 = 200;

/// Key of the sentence that the check was stopped by the reader.
const CANCELLED: &str = "fault.cancelled";

/// What one step of indentation is.
const INDENT: &str = "    ";

/// What is typed and not passed on yet.
#[derive(Clone, PartialEq)]
struct Typed {
    /// The key of the program in which it is typed.
    of: Option<u32>,
    /// The text that it began with.
    before: Rc<str>,
    /// The text with it.
    text: Rc<str>,
}

/// The last text that is not passed on yet, with the key of its program.
type Pending = RefCell<Option<(Option<u32>, Rc<str>)>>;

#[component]
pub fn Editor() -> Html {
    let page = use_page();
    let known: Rc<str> = page.state.own.code().cloned().unwrap_or_default();
    let of = page.state.own.key();
    let typed = use_state_eq(|| None::<Typed>);
    let pause = use_mut_ref(|| None::<Timeout>);
    let pending = use_memo((), |_| Pending::default());
    let leaves = use_mut_ref(|| Cell::new(false));
    // Another text than that which was typed on, or that came of it, is from elsewhere.
    let text = match &*typed {
        Some(typed) if typed.of == of && typed.before == known => typed.text.clone(),
        _ => known.clone(),
    };
    let is_new = text != known;
    let mistake = page.state.own_mistake().filter(|_| !is_new).cloned();
    let oninput = {
        let (typed, send, known) = (typed.setter(), page.send.clone(), known.clone());
        let (pause, pending) = (pause.clone(), pending.clone());
        Callback::from(move |event: InputEvent| {
            let text: Rc<str> = event.target_unchecked_into::<HtmlTextAreaElement>().value().into();
            typed.set(Some(Typed { of, before: known.clone(), text: text.clone() }));
            pending.replace(Some((of, text)));
            let (typed, send, pending) = (typed.clone(), send.clone(), pending.clone());
            let run = Timeout::new(TYPING, move || {
                tell(&pending, &send);
                // From here on the program is what the page knows, whoever changes it.
                typed.set(None);
            });
            pause.replace(Some(run));
        })
    };
    use_focus(&page);
    use_last_letters(&page, of, &pending);
    let flush = {
        let (send, typed) = (page.send.clone(), typed.setter());
        Callback::from(move |()| {
            tell(&pending, &send);
            pause.replace(None);
            typed.set(None);
        })
    };
    {
        // What is copied leads to the text of now.
        let flush = flush.clone();
        use_effect_with(page.state.view.sharing, move |sharing| sharing.iter().for_each(|_| flush.emit(())));
    }
    let onkeydown = {
        let leaves = leaves.clone();
        Callback::from(move |event: KeyboardEvent| on_key(&event, &leaves.borrow()))
    };
    let marks = if page.state.is_own_shown() && !is_new { LineMarks::of(&page) } else { LineMarks::default() };
    let marks = LineMarks { mistake: mistake.clone(), ..marks };
    let described = if mistake.is_some() { "own-mistake own-keys" } else { "own-keys" };
    html! { <>
        <Programs {flush} />
        <div class="code-box editing">
            <div class="code-lines" aria-hidden="true">{ lines(&text, &marks) }</div>
            <textarea id={FIELD} aria-label={page.state.own.name().to_string()} aria-describedby={described} aria-invalid={mistake.is_some().to_string()}
                spellcheck="false" autocomplete="off" autocapitalize="off" wrap="off" value={text.to_string()} {oninput} {onkeydown} />
        </div>
        // Always a child, if an empty one: where their number changes, the field before it would be
        // made anew, without its focus and what can be undone.
        if let Some(mistake) = &mistake { { wrong(&page, &text, mistake) } }
        <p class="muted own-keys" id="own-keys"><Running><span>{ page.word("own.runs") }</span></Running><span class="grow"></span>
            <span class="editor-keys"><kbd>{ "Esc" }</kbd>{ " " }<kbd>{ "Tab" }</kbd>{ " " }{ page.word("own.leaves") }</span></p>
    </> }
}

/// The last letters are not lost when the editor goes or has another program, nor when the page
/// goes.
#[hook]
fn use_last_letters(page: &Page, of: Option<u32>, pending: &Rc<Pending>) {
    let (send, pending) = (page.send.clone(), pending.clone());
    {
        let (send, pending) = (send.clone(), pending.clone());
        use_effect_with(of, move |_| move || tell(&pending, &send));
    }
    use_effect_with((), move |_| {
        // A phone ends a page that it has hidden without a further word.
        let leaves = ["pagehide", "visibilitychange"];
        let listeners = leaves.map(|event| {
            let (send, pending) = (send.clone(), pending.clone());
            on_window(event, move |_| tell(&pending, &send))
        });
        move || drop(listeners)
    });
}

thread_local! {
    /// How many times the reader had begun to write when the field took the focus last.
    static FOCUSED: Cell<u32> = const { Cell::new(0) };
}

/// Gives the focus to the field once the reader begins to write.
#[hook]
fn use_focus(page: &Page) {
    // Where the keys are those of the screen, they would cover what is written.
    let is_narrow = page.layout == Layout::Narrow;
    use_effect_with(page.state.own.begun, move |&begun| {
        let is_new = FOCUSED.replace(begun) != begun && !is_narrow;
        // After the list, which gives the focus back, has gone.
        until_then(is_new.then(|| Timeout::new(0, at_the_start)))
    });
}

/// Gives the focus to the field with the caret at its start, so that the first lines are in sight.
fn at_the_start() {
    let field = by_id(FIELD).and_then(|field| field.dyn_into::<HtmlTextAreaElement>().ok());
    field.into_iter().for_each(|field| drop(field.set_selection_range(0, 0)));
    focus(FIELD);
}

#[derive(Properties, PartialEq)]
struct RunningProps {
    /// What stands there otherwise.
    children: Html,
}

/// That the program runs, with the way to stop it, once it takes longer than a blink.
#[component]
fn Running(props: &RunningProps) -> Html {
    let page = use_page();
    let number = page.state.own_job();
    let slow = use_state_eq(|| None::<u32>);
    {
        let slow = slow.setter();
        use_effect_with(number, move |number| {
            let number = *number;
            until_then(number.map(|number| Timeout::new(BLINK, move || slow.set(Some(number)))))
        });
    }
    if number.is_some() && *slow == number { running(&page) } else { props.children.clone() }
}

/// The words about the run, and the button.
pub fn running(page: &Page) -> Html {
    html! {
        <span class="own-running" role="status">{ page.word("own.running") }{ " " }
            <button type="button" class="btn line" id="own-cancel" onclick={page.on(|| Action::Document(DocumentAction::Cancel))}>{ page.word("working.cancel") }</button></span>
    }
}

/// Passes on what was typed since the last time.
fn tell(pending: &Pending, send: &Callback<Action>) {
    let typed = pending.borrow_mut().take();
    typed.into_iter().for_each(|(of, text)| send.emit(Action::Own(OwnAction::Type(of, text))));
}

/// What is wrong, with what was probably meant.
fn wrong(page: &Page, text: &str, mistake: &Mistake) -> Html {
    let line = Message::new("own.line").count("n", mistake.line);
    let remedy = mistake.remedy.as_ref().zip(mended(text, mistake)).map(|((_, instead), mended)| {
        let code: String = mended;
        // As if it was typed: it can be undone.
        let onclick = Callback::from(move |_: MouseEvent| rewrite(FIELD, &code));
        html! { <button type="button" class="btn line" id="own-remedy" {onclick}>
        { page.word("own.change-to") }{ " " }<code>{ instead.clone() }</code></button> }
    });
    html! {
        <div class="own-mistake" id="own-mistake" role="alert" data-line={mistake.line.to_string()}>
            <p>if mistake.line > 0 { <b>{ page.speech().say(&line) }</b>{ page.blank() } }{ with_code(&page.speech().say(&mistake.reason)) }</p>
            { remedy }
            if mistake.reason.key == CANCELLED {
                <button type="button" class="btn line" id="own-again" onclick={page.on(|| Action::Own(OwnAction::Again))}>{ page.word("own.again") }</button>
            }
        </div>
    }
}

/// A sentence in which what stands between backticks is code.
pub(super) fn with_code(sentence: &str) -> Html {
    let parts = sentence.split('`').enumerate();
    html! { <>{ for parts.map(|(index, part)| {
        let part = part.to_string();
        if index % 2 == 1 { html! { <code>{ part }</code> } } else { html! { { part } } }
    }) }</> }
}

/// Tab indents, unless Escape came before it; Enter keeps the indentation. Other keys are left to
/// the browser.
pub(super) fn on_key(event: &KeyboardEvent, leaves: &Cell<bool>) {
    // Keys that choose among the words of an input method are not the editor's; 229 is what
    // Safari says of the last of them.
    if event.is_composing() || event.key_code() == 229 {
        return;
    }
    let key = event.key();
    let is_plain = !(event.ctrl_key() || event.alt_key() || event.meta_key() || event.shift_key());
    let was_leaving = leaves.replace(key == "Escape");
    match key.as_str() {
        "Escape" => event.stop_propagation(),
        "Tab" if is_plain && !was_leaving => {
            event.prevent_default();
            indent(&event.target_unchecked_into());
        }
        "Backspace" if is_plain => {
            let field: HtmlTextAreaElement = event.target_unchecked_into();
            let (from, to) = selected(&field);
            if from == to && closes_a_block(&before_caret(&field)) {
                event.prevent_default();
                let _ = field.set_selection_range(from - INDENT.len() as u32, from);
                erase();
            }
        }
        "Enter" if is_plain => {
            let field: HtmlTextAreaElement = event.target_unchecked_into();
            event.prevent_default();
            insert(&format!("\n{}", indentation(&before_caret(&field))));
        }
        // Brackets of most keyboards need Shift or the right Alt.
        "}" if !event.meta_key() => {
            let field: HtmlTextAreaElement = event.target_unchecked_into();
            let (from, to) = selected(&field);
            if from == to && closes_a_block(&before_caret(&field)) {
                event.prevent_default();
                // What is selected is replaced, so that one undo brings it back.
                let _ = field.set_selection_range(from - INDENT.len() as u32, from);
                insert("}");
            }
        }
        _ => {}
    }
}

/// Indents at the caret, or all lines of which something is selected.
fn indent(field: &HtmlTextAreaElement) {
    let (from, to) = selected(field);
    let value = field.value();
    let first = before(&value, from);
    let marked = before(&value, to)[first.len()..].to_string();
    if !marked.contains('\n') && !marked.is_empty() {
        // A word is not worth more than what replaces it, but a key that indents replaces nothing.
        let _ = field.set_selection_range(from, from);
    }
    if !marked.contains('\n') {
        return insert(INDENT);
    }
    let begun = first.rsplit('\n').next().unwrap_or_default();
    let lines = indented(&format!("{begun}{marked}"));
    let start = from - begun.encode_utf16().count() as u32;
    let _ = field.set_selection_range(start, to);
    insert(&lines);
    let _ = field.set_selection_range(start, start + lines.encode_utf16().count() as u32);
}

/// Lines one step further inside; one of which nothing is selected, at the end, is left.
fn indented(lines: &str) -> String {
    let (body, rest) = match lines.strip_suffix('\n') {
        Some(body) => (body, "\n"),
        None => (lines, ""),
    };
    let deeper = |line: &str| if line.is_empty() { String::new() } else { format!("{INDENT}{line}") };
    body.split('\n').map(deeper).collect::<Vec<_>>().join("\n") + rest
}

/// What is selected, in units of UTF-16; twice the caret if nothing is.
fn selected(field: &HtmlTextAreaElement) -> (u32, u32) {
    let [from, to] = [field.selection_start(), field.selection_end()].map(|place| place.ok().flatten().unwrap_or(0));
    (from, to)
}

/// The text before the caret.
fn before_caret(field: &HtmlTextAreaElement) -> String {
    before(&field.value(), selected(field).0)
}

/// Whether a bracket that closes a block would stand alone in its line, a step too far inside.
fn closes_a_block(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.len() >= INDENT.len() && line.chars().all(|letter| letter == ' ')
}

/// The text before a place, which browsers count in units of UTF-16.
fn before(text: &str, caret: u32) -> String {
    let units: Vec<u16> = text.encode_utf16().take(caret as usize).collect();
    String::from_utf16_lossy(&units)
}

/// The indentation of the line after this text.
fn indentation(before: &str) -> String {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let blank: String = line.chars().take_while(|letter| *letter == ' ').collect();
    if line.trim_end().ends_with('{') { format!("{blank}{INDENT}") } else { blank }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_line_is_indented_like_the_one_before_and_deeper_in_a_block() {
        assert_eq!(indentation("fn place(buffer, gaps) {"), "    ");
        assert_eq!(indentation("fn f() {\n    let a = 1;"), "    ");
        assert_eq!(indentation("}\n"), "");
        assert_eq!(before("π𝛑x", 3), "π𝛑");
        assert_eq!(indented("a {\n\n    b\n"), "    a {\n\n        b\n");
        assert!(closes_a_block("fn f() {\n    ") && closes_a_block("fn f() {\n    if a {\n        "));
        assert!(!closes_a_block("fn f() {\n    x") && !closes_a_block("fn f() {\n") && !closes_a_block("  "));
    }
}
