//! Accessibility by axe-core: every rule of WCAG 2.0 to 2.2, levels A and AA.

use std::fs;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::page::Page;
use crate::setup;

const RULES: [&str; 5] = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/// Looks at screens and keeps what it found, so that one run shows every fault of every screen.
pub struct Axe {
    script: String,
    findings: Vec<String>,
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
        Axe { script, findings: Vec::new() }
    }

    /// Checks the screen as it is.
    pub fn look(&mut self, page: &Page, screen: &str) {
        if !page.eval::<bool>("'axe' in window") {
            page.browser.script::<Value>(&self.script, Vec::new());
        }
        page.until_painted();
        const RUN: &str = "const done = arguments[1];
            axe.run(document, { runOnly: { type: 'tag', values: arguments[0] }, resultTypes: ['violations'] }).then(
                found => done(found.violations.map(v => ({ id: v.id, help: v.help, nodes: v.nodes.map(n =>
                    ({ target: n.target, html: n.html.slice(0, 160), why: n.failureSummary ?? '' })) }))),
                error => done([{ id: 'axe', help: String(error), nodes: [] }]));";
        let found: Vec<Finding> = page.browser.script_later(RUN, vec![json!(RULES)]);
        for finding in found {
            let nodes: Vec<String> = finding
                .nodes
                .iter()
                .take(4)
                .map(|node| format!("    {} {}\n      {}", node.target, node.html, node.why.replace('\n', " ")))
                .collect();
            let (id, help, count) = (finding.id, finding.help, finding.nodes.len());
            self.findings.push(format!("{screen}: {id} ({help}), {count} elements\n{}", nodes.join("\n")));
        }
    }

    /// Fails with everything that was found.
    pub fn assert_clean(self) {
        assert!(self.findings.is_empty(), "axe found faults:\n{}", self.findings.join("\n"));
    }
}
