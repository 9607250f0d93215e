//! Documents at addresses: asked about, fetched without a word of who asks, and never without an
//! end.

use memplan_e2e::Page;
use serde_json::{Value, json};

use crate::samples::GRAPH;
use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    smoke("another_site_is_asked_about_before_it_is_fetched", asked),
    full("a_download_ends_at_its_limits_and_when_it_is_cancelled", limits),
    full("no_link_leads_out_of_the_folder_of_the_page", outside),
];

const ADDRESS: &str = "https://models.example/little.json";

/// Takes the place of the other site: what is asked of it, and answers that a test gives.
fn stand_in(page: &Page) {
    page.browser.script::<Value>(
        "const real = window.fetch;
            Object.assign(window, { asked: [], aborted: 0, others: 0 });
            window.fetch = (address, init) => {
                if (!String(address).startsWith('https://models.example/')) { window.others++; return real.call(window, address, init); }
                asked.push([address, init.credentials, init.referrerPolicy, init.mode]);
                return new Promise((answer, refuse) => {
                    init.signal.addEventListener('abort', () => { window.aborted++; refuse(init.signal.reason); });
                    window.answer = (body, headers) => answer(new Response(body, { headers }));
                });
            };",
        Vec::new(),
    );
}

fn count(page: &Page, name: &str, wanted: usize) {
    page.until_equal(name, wanted, |page| page.eval::<usize>(&format!("window.{name}.length ?? window.{name}")));
}

fn asked(page: &mut Page) {
    page.open("doc=ex:diamond&plan=first-fit&f=3&lang=en");
    page.until_address("doc=ex:diamond");
    let before = page.facts();
    stand_in(page);
    let link = format!("doc=url:{ADDRESS}&plan=best-fit&f=2&lang=en");
    page.follow(&link);
    page.until_says("#address", &["another site, https://models.example.", ADDRESS]);
    page.click("#address-cancel");
    page.until_gone("#address");
    page.until_address("doc=ex:diamond");
    assert_eq!((page.facts(), page.eval::<usize>("asked.length")), (before, 0), "what was shown");
    // Escape says no, too.
    page.follow(&link);
    page.until_there("#address");
    page.press("Escape");
    page.until_gone("#address");
    count(page, "asked", 0);
    page.until_address("doc=ex:diamond");
    page.follow(&link);
    page.click("#address-fetch");
    count(page, "asked", 1);
    assert_eq!(page.eval::<Value>("asked[0]"), json!([ADDRESS, "omit", "no-referrer", "cors"]));
    page.browser.script::<Value>(
        "const bytes = new TextEncoder().encode(arguments[0]), half = bytes.length >> 1;
            answer(new ReadableStream({ start(to) { to.enqueue(bytes.slice(0, half)); window.rest = () => { to.enqueue(bytes.slice(half)); to.close(); }; } }),
                { 'content-length': String(bytes.length) });",
        vec![GRAPH.into()],
    );
    let half = (GRAPH.len() / 2).to_string();
    page.until_says("#address", &["Fetching https://models.example/little.json", &half]);
    page.until_facts("still what was shown", |facts| facts.planner == "first-fit" && facts.frame == 3);
    page.eval::<Option<bool>>("(rest(), null)");
    page.until_planner("best-fit");
    page.until_frame(2);
    page.until_gone("#address");
    page.until_text("h1", "little");
    page.until_address("doc=url:https://models.example/little.json");
    assert_eq!(page.eval::<usize>("aborted"), 1, "a request that is over is let go");
}

fn limits(page: &mut Page) {
    page.open("doc=ex:diamond&plan=first-fit&lang=en");
    stand_in(page);
    let fetch = |page: &Page, number: usize| {
        page.paste(ADDRESS);
        page.click("#address-fetch");
        count(page, "asked", number);
    };
    fetch(page, 1);
    page.until_says("#address", &["Fetching"]);
    page.click("#address-cancel");
    page.until_gone("#address");
    count(page, "aborted", 1);
    assert!(!page.is_there("#notice"), "the user said so");
    // Too large by what the site says, and by what comes.
    fetch(page, 2);
    page.eval::<Option<bool>>("(answer('x', { 'content-length': String(800 * 2 ** 20) }), null)");
    page.until_says("#notice", &[ADDRESS, "larger than 768 MiB"]);
    count(page, "aborted", 2);
    page.press("Escape");
    page.until_gone("#notice");
    fetch(page, 3);
    page.browser.script::<Value>(
        "const piece = new Uint8Array(64 * 2 ** 20); let left = 100;
            answer(new ReadableStream({ pull(to) { left-- ? to.enqueue(piece) : to.close(); }, cancel() {} }));",
        Vec::new(),
    );
    page.until_says("#notice", &[ADDRESS, "larger than 768 MiB"]);
    count(page, "aborted", 3);
    page.press("Escape");
    page.until_gone("#notice");
    // Half a minute, made short.
    page.browser.script::<Value>(
        "const wait = window.setTimeout; window.setTimeout = (then, time, ...rest) => wait(then, time === 30000 ? 10 : time, ...rest);",
        Vec::new(),
    );
    fetch(page, 4);
    page.until_says("#notice", &[ADDRESS, "sent nothing for 30 seconds"]);
    count(page, "aborted", 4);
    page.until_planner("first-fit");
}

fn outside(page: &mut Page) {
    page.open("doc=ex:diamond&plan=first-fit&lang=en");
    stand_in(page);
    for (address, told) in [
        ("url:../index.html", "was not fetched"),
        ("url://models.example/x.json", "was not fetched"),
        ("url:/x.json", "was not fetched"),
        ("url:graphs/%252e%252e/%252e%252e/x.json", "was not fetched"),
        ("url:http://models.example/x.json", "was not fetched"),
        ("ex:../../index", "could not be downloaded"),
        ("ex://models.example/x", "could not be downloaded"),
        ("ex:/x", "could not be downloaded"),
        ("ex:%252e%252e/index", "could not be downloaded"),
    ] {
        page.follow(&format!("doc={address}&lang=en"));
        page.until_says("#notice", &[told]);
        assert!(!page.is_there("#address"), "{address}");
        page.press("Escape");
        page.until_gone("#notice");
    }
    assert_eq!(page.eval::<(usize, usize)>("[asked.length, others]"), (0, 0), "nothing was fetched");
}
