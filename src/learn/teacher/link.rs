//! The form that makes the link of an exercise.

use yew::prelude::*;

use crate::browser::location::page_address;
use crate::context::Page;
use crate::context::clipboard::copy;
use crate::learn::exercise::onward::refused;
use crate::learn::lessons::marked::marked;
use crate::learn::lessons::places::address;
use crate::learn::lessons::state::progress::LearnPlace;
use crate::learn::teacher::fields::{choice, counted, documents, hidden, lines, planners, text};
use crate::learn::teacher::state::figure_form::ASKED;
use crate::learn::teacher::state::form::{Corner, Field, OWN_FILE, Offered};
use crate::shell::state::action::{Action, TeachAction};
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::{Family, Message};
use memplan_core::text::Locale;
use memplan_planners as planner;
use memplan_teach::choices::WITH_PROGRAM;
use memplan_teach::exercise::activity::{Asks, Buffers, Kind};
use memplan_teach::lesson::{IndexEntry, Words, plain};

/// The form, and what it makes.
pub fn link_form(page: &Page) -> Html {
    let form = &page.state.teaching.form;
    let offered = page.state.offered();
    let activity = form.kind().activity();
    let goals = activity.goals();
    let kinds = Kind::ALL.map(|kind| (kind.name(), page.word(kind.activity().title)));
    html! {
        <section class="tcard" aria-labelledby="teach-link-title">
            <h2 id="teach-link-title">{ page.word("teach.link-title") }</h2>
            <p class="muted">{ page.word("teach.link-about") }</p>
            <div class="fields">
                { choice(page, Field::Kind, "teach.kind", &kinds) }
                if activity.buffers == Buffers::Board {
                    { choice(page, Field::Planner, "teach.planner", &breakable(page)) }
                    { text(page, Field::Beat, "teach.beat", "number") }
                } else if form.has_source() {
                    { source(page, offered.as_ref()) }
                }
                if form.is_seeded() {
                    { choice(page, Field::Planner, "teach.planner", &seeded_planners(page, activity.asks)) }
                    { text(page, Field::Seed, "teach.seed", "number") }
                    { choice(page, Field::Difficulty, "teach.difficulty", &levels(page)) }
                }
                if form.is_own() { { choice(page, Field::Planner, "teach.planner", &planners(page, true)) } }
                if activity.asks == Asks::OnePlace { { buffers(page, offered.as_ref()) } }
                if activity.asks == Asks::Figures { { figure(page, offered.as_ref()) } }
                if activity.asks == Asks::Program { { text(page, Field::Most, "teach.most", "number") } }
                if form.counts_questions() { { counted(page, Field::Of, if activity.asks == Asks::Program { "teach.of-sets" } else { "teach.of" }, offered.as_ref()) } }
                if !form.is_passed_by_one() {
                    { counted(page, Field::Pass, if goals.is_some() { "teach.pass-goals" } else { "teach.pass" }, offered.as_ref()) }
                }
                { text(page, Field::Tries, "teach.tries", "number") }
                if goals.is_none() && form.has_source() {
                    { choice(page, Field::Help, "teach.help", &[
                        ("none", page.word("teach.help-none")),
                        ("rule", page.word("teach.help-rule")),
                        ("why", page.word("teach.help-why")),
                    ]) }
                }
                if form.may_hide() { { hidden(page) } }
                { choice(page, Field::Lang, "teach.language", &languages(page)) }
                { text(page, Field::Id, "teach.id", "wide") }
            </div>
            if let Some(what) = goals.and_then(|goals| goals.words) { <p class="muted" id="teach-goals">{ page.word(what) }</p> }
            if activity.asks == Asks::Lessons { { questions(page) } }
            if activity.asks == Asks::Program {
                { lines(page, Field::Template, "teach.template", "4") }
                <p class="muted" id="teach-write">{ page.word("teach.write-about") }</p>
            }
            if form.is_own() { { lines(page, Field::Own, "teach.own", "6") } }
            { documents(page, Corner::Link) }
            { made(page, offered.as_ref()) }
        </section>
    }
}

/// The planners of instances; where a program is written, those that are programs of a few lines.
fn seeded_planners(page: &Page, asks: Asks) -> Vec<(&'static str, String)> {
    let mut all = planners(page, true);
    let is_written = |id: &str| WITH_PROGRAM.iter().any(|(planner, options)| *planner == id && options.is_empty());
    all.retain(|(id, _)| asks != Asks::Program || is_written(id));
    all
}

/// Instances from a seed, or the document that is open.
fn source(page: &Page, offered: Option<&Offered>) -> Html {
    let mut sources = vec![("seed", page.word("teach.source-seed"))];
    sources.push(("own", page.word("teach.source-own")));
    let open = offered.filter(|offered| offered.name != OWN_FILE).map(|offered| {
        let planner = planner::title_of(&offered.planner, page.speech());
        let message = Message::new("teach.source-open").text("name", &offered.name).text("planner", planner);
        page.speech().say(&message.count("n", offered.asked.len()))
    });
    sources.extend(open.map(|words| ("open", words)));
    choice(page, Field::Source, "teach.source", &sources)
}

/// The buffers of the open document of which one is asked about.
fn buffers(page: &Page, offered: Option<&Offered>) -> Html {
    let asked = offered.filter(|_| !page.state.teaching.form.is_seeded()).map(|offered| offered.asked.clone());
    let asked: Vec<(String, String)> =
        asked.into_iter().flatten().map(|(decision, name)| (decision.to_string(), name)).collect();
    if asked.is_empty() {
        return Html::default();
    }
    let choices: Vec<(&str, String)> = asked.iter().map(|(decision, name)| (decision.as_str(), name.clone())).collect();
    choice(page, Field::Decision, "teach.buffer", &choices)
}

/// The figure that is asked about, with the step or the buffer that it is of.
fn figure(page: &Page, offered: Option<&Offered>) -> Html {
    let form = &page.state.teaching.form;
    let asked = ASKED.map(|asked| (asked, page.word(&Family::TEACH_FIGURE.of([asked]))));
    let names = form.offsets(offered);
    let names: Vec<(&str, String)> = names.iter().map(|name| (name.as_str(), name.clone())).collect();
    html! { <>
        { choice(page, Field::Ask, "teach.figure", &asked) }
        if form.read(Field::Ask) == "load" { { text(page, Field::Step, "teach.step", "number") } }
        if form.read(Field::Ask) == "offset" && !names.is_empty() { { choice(page, Field::Buffer, "teach.buffer", &names) } }
    </> }
}

/// The questions of all lessons, a box each.
fn questions(page: &Page) -> Html {
    let form = &page.state.teaching.form;
    let asked = form.questions();
    let lesson = |number: u32| page.speech().say(&Message::new("learn.lesson").count("n", number));
    let boxed = |question: (u32, String), ask: &Words| {
        let toggled = form.toggled_question(&question);
        let onchange = page.on(move || Action::Teach(TeachAction::Write(Field::Questions, toggled.clone())));
        let id = format!("teach-question-{}-{}", question.0, question.1);
        // Links in a label would be pressed for the box.
        let ask = plain(ask.of(page.state.settings.locale), page.speech(), lesson);
        html! { <label><input type="checkbox" {id} checked={asked.contains(&question)} {onchange} /><b>{ &question.1 }</b><span>{ ask }</span></label> }
    };
    let of = |entry: &IndexEntry| {
        let (number, place) = (entry.number, LearnPlace { lesson: Some(entry.number), paragraph: 0 });
        html! {
            <li><a href={address(page, place)} target="_blank" rel="noopener">{ number }{ " · " }{ marked(page, &entry.title) }</a>
                <span class="boxes">{ for entry.tasks.iter().map(|(id, ask)| boxed((number, id.clone()), ask)) }</span></li>
        }
    };
    let index = page.state.learning.index.iter().flat_map(|index| index.iter()).filter(|entry| !entry.tasks.is_empty());
    html! {
        <div class="field-lines" role="group" aria-labelledby="teach-questions">
            <span class="muted" id="teach-questions">{ page.word("teach.questions") }</span>
            <ul class="lesson-questions">{ for index.map(of) }</ul>
        </div>
    }
}

/// The planners that can be made to waste.
fn breakable(page: &Page) -> Vec<(&'static str, String)> {
    let infos = planner::INFOS.iter().filter(|info| info.group != planner::Group::Reference);
    infos.map(|info| (info.id, planner::title_of(info.id, page.speech()))).collect()
}

fn levels(page: &Page) -> [(&'static str, String); 3] {
    [
        ("1", page.word("teach.difficulty-1")),
        ("2", page.word("teach.difficulty-2")),
        ("3", page.word("teach.difficulty-3")),
    ]
}

fn languages(page: &Page) -> Vec<(&'static str, String)> {
    let own = Locale::ALL.into_iter().map(|locale| (locale.name(), locale.own_name().to_string()));
    std::iter::once(("", page.word("teach.language-own"))).chain(own).collect()
}

/// The link with what can be done with it, or what is still wrong.
fn made(page: &Page, offered: Option<&Offered>) -> Html {
    let teaching = &page.state.teaching;
    let link = match (teaching.form.link(offered), &teaching.no_instance) {
        (Err(why), _) => return refused(page, &why),
        (Ok(_), Some(why)) if teaching.form.is_seeded() => return refused(page, why),
        (Ok(link), _) => link,
    };
    let site = page_address();
    let whole = format!("{site}#{link}");
    let frame = format!("{site}?embed=1#{link}").replace('&', "&amp;").replace('"', "&quot;");
    let markup = format!(
        r#"<iframe src="{frame}" title="memplan" width="900" height="640" loading="lazy" allow="clipboard-write"></iframe>"#
    );
    let copies = |text: String, toast: &'static str| {
        let send = page.send.clone();
        Callback::from(move |_: MouseEvent| {
            send.emit(Action::Teach(TeachAction::LinkTaken));
            copy(text.clone(), &send, Message::new(toast));
        })
    };
    html! { <>
        <p class="made"><code id="teach-made">{ &whole }</code></p>
        <div class="acts-row">
            <button type="button" class="btn main" id="teach-copy" onclick={copies(whole.clone(), "toast.copied")}>{ glyph(Icon::Link) }{ page.word("teach.copy") }</button>
            <button type="button" class="btn line" id="teach-embed" onclick={copies(markup, "toast.embed-copied")}>{ page.word("header.embed") }</button>
            <a class="btn line" id="teach-try" href={format!("#{link}")} onclick={page.on(|| Action::Teach(TeachAction::LinkTaken))} target="_blank" rel="noopener">{ page.word("teach.try") }</a>
        </div>
        <p class="muted">{ page.word("teach.link-note") }</p>
    </> }
}
