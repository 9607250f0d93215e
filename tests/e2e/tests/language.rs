//! Language and theme.

use std::collections::BTreeSet;

use memplan_core::text::{Locale, Speech};
use memplan_e2e::Page;
use memplan_planners::INFOS;
use serde_json::json;

use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    smoke("switching_changes_every_visible_word", switch),
    full("every_screen_speaks_chinese", screens),
    full("headlines_follow_the_language", headlines),
    full("a_reload_keeps_the_language", reload_language),
    full("the_browser_chooses_the_first_language", browser_language),
    smoke("the_theme_follows_the_system_or_the_switch", theme),
];

/// Templates of English sentences whose Chinese differs, as regular expressions: a text on a
/// Chinese page that matches one was not translated.
fn english() -> Vec<String> {
    let escape = |text: &str| {
        text.chars().fold(String::new(), |mut escaped, letter| {
            if ".*+?^${}()|[]\\/".contains(letter) {
                escaped.push('\\');
            }
            escaped.push(letter);
            escaped
        })
    };
    let pattern = |template: &str| {
        let mut pattern = String::from("^");
        let mut rest = unmarked(&template.replace("[[", "").replace("]]", ""));
        while let Some((before, after)) = rest.split_once('{') {
            pattern += &escape(before);
            pattern += ".*";
            rest = after.split_once('}').map_or(String::new(), |(_, after)| after.to_string());
        }
        pattern + &escape(&rest) + "$"
    };
    let letters = |template: &str| {
        let mut inside = false;
        let outside = template.chars().filter(|&letter| {
            inside = (inside || letter == '{') && letter != '}';
            !inside && letter.is_ascii_alphabetic()
        });
        outside.count()
    };
    let keys = Locale::En.keys().into_iter();
    let differing = keys.filter(|key| Locale::En.template(key) != Locale::Zh.template(key));
    // What an original calls itself is not translated, even where a planner of ours has a name like
    // it.
    let is_own = |template: &&str| {
        INFOS.iter().any(|info| info.name == *template && !Locale::has(&format!("planner.{}.variant", info.id)))
    };
    // Nor is what its parts are called, which stands as a term in Chinese sentences:
    // `((empty|Empty))`.
    let chinese: Vec<&str> = Locale::Zh.keys().into_iter().map(|key| Locale::Zh.template(key)).collect();
    let marked = chinese.iter().flat_map(|template| template.split("((").skip(1));
    let terms: BTreeSet<&str> = marked
        .filter_map(|rest| rest.split_once("))"))
        .filter_map(|(term, _)| term.split_once('|'))
        .map(|(_, words)| words)
        .collect();
    // A template of a letter or two would match names of the model, and so would the term that is
    // called as an operator of it.
    let told = differing
        .map(|key| Locale::En.template(key))
        .filter(|template| letters(template) >= 3 && !is_own(template) && !terms.contains(template))
        .filter(|template| *template != "view");
    told.map(pattern).collect()
}

/// A template without the marks of its terms.
fn unmarked(template: &str) -> String {
    let mut parts = template.split("((");
    let first = parts.next().unwrap_or_default().to_string();
    let words = |part: &str| part.split_once('|').map_or(part, |(_, words)| words).replacen("))", "", 1);
    parts.fold(first, |text, part| text + &words(part))
}

/// Visible texts, names for screen readers and titles that match one of the patterns.
const UNTRANSLATED: &str = "const patterns = arguments[0].map(p => new RegExp(p, 's'));
    const found = new Set();
    const look = (text, where) => { text = (text ?? '').trim().replace(/\\s+/g, ' ');
        if (/[A-Za-z]{3}/.test(text) && patterns.some(p => p.test(text))) found.add(where + ': ' + text.slice(0, 120)); };
    // Names of the model, of planners and of functions stay as they are in every language.
    const stays = '.name, .name-cell, .mono, code, em, kbd, .op, h1, .example .cut, [lang]:not(html)';
    for (const e of document.querySelectorAll('body *')) {
        if (e.closest('svg') || e.matches(stays) || !(e.checkVisibility() || e.closest('.visually-hidden'))) continue;
        // Whole sentences, and the pieces of which longer texts are made.
        // A name whose lines may break in it is one name.
        const breaks = [...e.children].some(child => child.tagName === 'WBR');
        if (e.children.length === 0 || breaks || e.matches('p, dd, li, td, label')) look(e.textContent, e.tagName);
        for (const node of e.childNodes) if (node.nodeType === 3 && !breaks) look(node.data, e.tagName);
        for (const name of ['aria-label', 'title', 'placeholder', 'aria-valuetext']) look(e.getAttribute(name), name);
    }
    return [...found];";

fn assert_chinese(page: &Page, screen: &str) {
    // Some words come a moment after the language.
    page.until_equal(&format!("what {screen} still says in English"), Vec::<String>::new(), |page| {
        page.browser.script(UNTRANSLATED, vec![json!(english())])
    });
}

fn switch(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=inductor-tree&f=37&lang=en");
    let left: Vec<String> = page.browser.script(UNTRANSLATED, vec![json!(english())]);
    assert!(left.len() > 30, "the patterns find English where there is English: {left:?}");
    let words = page.text(".page");
    page.click_named("中文");
    page.until("Chinese", "document.documentElement.lang === 'zh-CN'");
    assert_chinese(page, "the page");
    // Names of the model stay.
    page.until_says("#why-headline", &["relu_12"]);
    page.click_named("English");
    page.until("English", "document.documentElement.lang === 'en'");
    // There and back.
    page.until_text(".page", &words);
}

fn screens(page: &mut Page) {
    page.open("lang=zh");
    assert_chinese(page, "the start");
    for (what, open) in [
        ("the planners", "#planner-button"),
        ("the options", "#options-button"),
        ("the menu", "header .menu-host:last-child > button"),
    ] {
        page.click(open);
        page.until_there(".menu");
        assert_chinese(page, what);
        page.press("Escape");
        page.until_gone(".menu");
    }
    page.press("?");
    page.until_there("#dialog");
    assert_chinese(page, "the help");
    page.press("Escape");
    page.click("#more-button");
    page.click_named(Locale::Zh.template("header.report"));
    page.until_there("#dialog");
    assert_chinese(page, "the report");
    page.press("Escape");
    page.click("#left-tab-start");
    page.click(".all-terms summary");
    page.click("#strip-peak .term");
    page.until_there("#term-tip");
    assert_chinese(page, "the terms");
    page.click("#strip-peak .term");
    page.until_gone("#term-tip");
    page.drop_file("broken.json", crate::samples::BROKEN.as_bytes());
    page.until_there("#notice");
    assert_chinese(page, "a fault");
    page.press("Escape");
    page.click("#left-tab-buffers");
    page.click("#buffer-row-1");
    page.until_there("[aria-selected=true]#buffer-row-1");
    assert_chinese(page, "the buffers");
    page.open("doc=ex:resnet18&plan=first-fit&f=20&lang=zh");
    page.click("#right-tab-why");
    page.until_there(".candidates caption");
    assert_chinese(page, "a free list");
    let tabs: Vec<String> = page.eval("[...document.querySelectorAll('[role=tab][id]')].map(tab => tab.id)");
    assert!(tabs.len() >= 7, "both sides have tabs: {tabs:?}");
    for tab in tabs {
        page.click(&format!("#{tab}"));
        page.until_attribute(&format!("#{tab}"), "aria-selected", Some("true"));
        page.until_painted();
        assert_chinese(page, &tab);
    }
    for mode in ["edit", "compare", "fit"] {
        page.mode(mode);
        page.until_painted();
        assert_chinese(page, mode);
    }
}

fn headlines(page: &mut Page) {
    use memplan_replay::{Level, why};
    let run = crate::native::run(&crate::native::example("teaching"), "inductor-tree");
    let speech = Speech { locale: Locale::Zh, sizes: run.problem.sizes() };
    page.open("doc=ex:teaching&plan=inductor-tree&f=0&lang=zh");
    for number in 0..=8 {
        page.until_frame(number);
        let frame = run.frame(run.timeline.events_at(Level::Decisions, number));
        let said = crate::native::single_blanks(&speech.say(&why(&run, &frame).headline));
        page.until_text("#why-headline", &said);
        page.press("ArrowRight");
    }
}

fn reload_language(page: &mut Page) {
    page.open("lang=en");
    page.click_named("中文");
    page.until_address("lang=zh");
    page.browser.reload();
    page.until_planned();
    page.until_attribute("html", "lang", Some("zh-CN"));
    assert_chinese(page, "the page after a reload");
}

fn browser_language(page: &mut Page) {
    let set = |page: &Page, language: &str| {
        let agent: String = page.eval("navigator.userAgent");
        page.browser
            .devtools("Emulation.setUserAgentOverride", json!({ "userAgent": agent, "acceptLanguage": language }));
    };
    set(page, "zh-CN");
    page.open("");
    page.until("Chinese", "document.documentElement.lang === 'zh-CN'");
    set(page, "fr-FR");
    page.open("");
    page.until("English", "document.documentElement.lang === 'en'");
    set(page, "en-US");
}

fn theme(page: &mut Page) {
    let shown = |page: &Page| page.attribute("html", "data-theme").unwrap_or_default();
    let paper = |page: &Page| page.eval::<String>("getComputedStyle(document.body).backgroundColor");
    page.open("lang=en");
    page.until_equal("the theme", "light".to_string(), shown);
    let light = paper(page);
    page.prefers("dark");
    page.until("the system's theme", "document.documentElement.dataset.theme === 'dark'");
    page.until_equal("whether the colours follow", true, |page| paper(page) != light);
    page.click("header [title='Theme: as the system']");
    page.until("light", "document.documentElement.dataset.theme === 'light'");
    page.until_address("theme=light");
    page.click("header [title='Theme: light']");
    page.until("dark", "document.documentElement.dataset.theme === 'dark'");
    page.until_address("theme=dark");
    page.prefers("light");
    page.browser.reload();
    page.until_planned();
    // The link keeps it.
    page.until_equal("the theme", "dark".to_string(), shown);
    page.click("header [title='Theme: dark']");
    page.until("as the system", "document.documentElement.dataset.theme === 'light'");
    page.until("no theme in the address", "!location.hash.includes('theme=')");
}
