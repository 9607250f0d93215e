//! Accessibility by axe-core: every rule of WCAG 2.0 to 2.2, levels A and AA.

use std::collections::BTreeMap;
use std::fs;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::page::Page;
use crate::setup;

const RULES: [&str; 5] = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/// Looks at screens and keeps what it found, so that one run shows every fault of every screen.
pub struct Axe {
    script: String,
    /// Screens by what was found on them: the same fault of several screens is told once.
    findings: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
struct Finding {
    id: String,
    help: String,
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    target: Value,
    html: String,
    why: String,
}

impl Axe {
    pub fn load() -> Axe {
        let path = setup::from_environment("MEMPLAN_AXE").expect(
            "MEMPLAN_AXE names no axe.min.js, so accessibility cannot be checked. `cargo xtask test` sets it up.",
        );
        let script = fs::read_to_string(&path);
        let script = script.unwrap_or_else(|error| panic!("{} cannot be read: {error}.", path.display()));
        Axe { script, findings: BTreeMap::new() }
    }

    /// Checks the screen as it is.
    pub fn look(&mut self, page: &Page, screen: &str) {
        self.look_at(page, "html", screen);
    }

    /// Checks what an element holds: a menu covers a part of what lies under it, which is no fault
    /// of either.
    pub fn look_at(&mut self, page: &Page, css: &str, screen: &str) {
        if !page.eval::<bool>("'axe' in window") {
            page.browser.script::<Value>(&self.script, Vec::new());
        }
        page.until_painted();
        const RUN: &str = "const [rules, css, done] = arguments;
            axe.run(document.querySelector(css), { runOnly: { type: 'tag', values: rules }, rules: { 'target-size': { enabled: true } }, resultTypes: ['violations'] }).then(
                found => done(found.violations.map(v => ({ id: v.id, help: v.help, nodes: v.nodes.map(n =>
                    ({ target: n.target, html: n.html.slice(0, 160), why: n.failureSummary ?? '' })) }))),
                error => done([{ id: 'axe', help: String(error), nodes: [{ target: [], html: '', why: 'axe itself failed' }] }]));";
        let found: Vec<Finding> = page.browser.script_later(RUN, vec![json!(RULES), json!(css)]);
        for finding in found {
            for node in finding.nodes {
                let why = node.why.split_whitespace().collect::<Vec<_>>().join(" ");
                let told = format!("{} ({}): {} {}\n    {why}", finding.id, finding.help, node.target, node.html);
                self.findings.entry(told).or_default().push(screen.to_string());
            }
        }
    }

    /// Fails with everything that was found.
    pub fn assert_clean(self) {
        let told = self.findings.iter().map(|(told, screens)| format!("{told}\n    on: {}", screens.join("; ")));
        assert!(self.findings.is_empty(), "axe found faults:\n{}", told.collect::<Vec<_>>().join("\n"));
    }
}
