//! What the pages may do: nothing but the files beside them runs or is fetched.

use memplan_e2e::Page;
use serde_json::Value;

use crate::{Test, full};

pub const TESTS: &[Test] = &[full("every_page_has_the_policy_and_a_violation_is_seen", policy)];

/// What every page says of itself, but for what it may connect to.
const POLICY: [&str; 9] = [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "connect-src 'self'",
];

/// The directives of a page as it is sent, and how much of it is script or style inside the page.
const SENT: &str = "fetch(location.href).then(answer => answer.text()).then(text => {
    const page = new DOMParser().parseFromString(text, 'text/html');
    const policy = page.querySelector('meta[http-equiv=Content-Security-Policy]');
    const before = [...page.querySelectorAll('script, link, style')].filter(e => !(policy.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING));
    const inside = [...page.querySelectorAll('*')].filter(e => e.matches('script:not([src]), style')
        || [...e.attributes].some(a => a.name === 'style' || a.name.startsWith('on')));
    arguments[0]([policy.content.split(';').map(directive => directive.trim()), before.length + inside.length]);
});";

fn policy(page: &mut Page) {
    for name in ["", "api.html", "bench.html?quick", "league.html"] {
        page.visit(name, "");
        let (mut directives, inside): (Vec<String>, usize) = page.browser.script_later(SENT, Vec::new());
        if name.is_empty() {
            // Opening by address, which only this page does, and only after a question.
            let connects = directives.iter_mut().find(|directive| *directive == "connect-src 'self' https:");
            *connects.expect("files of other sites can be opened") = "connect-src 'self'".into();
        }
        directives.sort();
        let mut wanted = POLICY.to_vec();
        wanted.sort_unstable();
        assert_eq!((directives, inside), (wanted.iter().map(|text| text.to_string()).collect(), 0), "{name}");
    }
    page.open("doc=ex:diamond&lang=en");
    page.forgive_console();
    assert!(page.take_violations().is_empty());
    // A style in markup, a script in the page, and an address that no link may lead to.
    for (what, script) in [
        ("style-src-attr", "document.body.insertAdjacentHTML('beforeend', '<i style=\"color: red\"></i>')"),
        (
            "script-src-elem",
            "document.body.append(Object.assign(document.createElement('script'), { text: 'window.ran = 1' }))",
        ),
        ("connect-src", "fetch('http://127.0.0.2:9/').catch(() => {})"),
    ] {
        page.browser.script::<Value>(&format!("{script};"), Vec::new());
        let seen = page.until_some(what, |page| Some(page.take_violations()).filter(|seen| !seen.is_empty()));
        assert!(seen.iter().all(|line| line.contains(what)), "{what}: {seen:?}");
    }
    assert!(!page.eval::<bool>("'ran' in window"));
}
