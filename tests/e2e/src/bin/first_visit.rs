//! Visits the page that `MEMPLAN_DIST` names as one who comes for the first time, and prints the
//! numbers of the functions that run until the plan is shown and its visitor has begun to look
//! around. The program of the page is one that `xtask-split trace` made.

#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::process::ExitCode;

use memplan_e2e::page::{MIDDLE, NARROW, WIDE};
use memplan_e2e::pool::Pool;
use serde_json::json;

/// Windows, themes and languages that differ in what runs.
const VISITORS: [((u32, u32), &str, &str); 4] = [
    (WIDE, "light", "en-US"),
    (MIDDLE, "dark", "zh-CN"),
    (NARROW, "light", "en-US"),
    // A low window, as of a phone that is turned.
    ((844, 390), "dark", "zh-CN"),
];

fn main() -> ExitCode {
    match ran() {
        Ok(ran) => {
            ran.iter().for_each(|function| println!("{function}"));
            ExitCode::SUCCESS
        }
        Err(sentence) => {
            eprintln!("{sentence}");
            ExitCode::FAILURE
        }
    }
}

fn ran() -> Result<BTreeSet<u32>, String> {
    let pool = Pool::default();
    let page = pool.take()?;
    let mut ran = BTreeSet::new();
    // On a slow machine and a slow line, more is said about what is awaited.
    for ((size, scheme, language), is_slow) in
        VISITORS.into_iter().flat_map(|visitor| [(visitor, false), (visitor, true)])
    {
        let mut visitor = page.own(page.origin());
        if is_slow {
            visitor.browser.devtools("Emulation.setCPUThrottlingRate", json!({ "rate": 8 }));
            visitor.browser.devtools("Network.enable", json!({}));
            let line = json!({ "offline": false, "latency": 500, "downloadThroughput": 2e6, "uploadThroughput": 2e6 });
            visitor.browser.devtools("Network.emulateNetworkConditions", line);
        }
        let speaks = format!("Object.defineProperty(navigator, 'language', {{ get: () => '{language}' }});");
        visitor.browser.before_pages(&speaks);
        visitor.viewport(size);
        visitor.prefers(scheme);
        visitor.visit("", "");
        visitor.until_frame(1);
        visitor.until_gone("#first-picture");
        visitor.browser.hover(visitor.middle("#plan"));
        visitor.press("ArrowRight");
        visitor.until_frame(2);
        visitor.press("Tab");
        visitor.viewport((size.0 - 10, size.1 - 10));
        visitor.until_still::<u32>("all that follows", "window.memplanRan.size");
        ran.extend(visitor.eval::<Vec<u32>>("[...window.memplanRan]"));
    }
    Ok(ran)
}
