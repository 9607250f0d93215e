//! The one rule by which long names are cut. Every reader passes through it
//! ([`super::registry::Reader::read`]), so that no later part of the program meets a name of a
//! hundred thousand letters.

use std::collections::hash_map::Entry;

use super::document::Document;
use memplan_core::base::{Arg, Message, Names};
use memplan_core::graph::{Attr, Fault, Graph, MAX_NAME};
use memplan_core::plan::Plan;
use memplan_core::problem::Problem;

/// Letters that a cut name keeps of each end: with the ellipsis and a number between them, at most
/// [`MAX_NAME`].
const END: usize = 480;

/// Cuts the names of a document that have more than [`MAX_NAME`] letters, and returns how many
/// different ones there are. A name is cut alike wherever it stands, and differs from all others
/// afterwards.
pub fn cut(document: &mut Document) -> usize {
    let mut names = Cut::default();
    let mut any = false;
    each(document, &mut |name| any |= is_long(name));
    if !any {
        return 0;
    }
    each(document, &mut |name| {
        if !is_long(name) {
            names.taken.insert(name.clone(), ());
        }
    });
    each(document, &mut |name| {
        if is_long(name) {
            *name = names.short(name);
        }
    });
    names.short.len()
}

/// Cuts names and other words of the file in reports about it.
pub fn cut_faults(faults: &mut [Fault]) {
    for fault in faults {
        cut_text(&mut fault.path);
        cut_message(&mut fault.message);
    }
}

/// The same for a sentence.
pub fn cut_message(message: &mut Message) {
    for (_, arg) in &mut message.args {
        match arg {
            Arg::Text(text) | Arg::Name(text) => cut_text(text),
            Arg::Names(names) => names.iter_mut().for_each(cut_text),
            Arg::Inner(message) => cut_message(message),
            Arg::Count(_) | Arg::Bytes(_) | Arg::Address(_) | Arg::Live(..) | Arg::Span(..) | Arg::Frames(_) => {}
        }
    }
}

fn cut_text(text: &mut String) {
    if is_long(text) {
        *text = between(text, "…");
    }
}

/// Bytes first: letters are counted only of what may have too many.
fn is_long(name: &str) -> bool {
    name.len() > MAX_NAME && name.chars().nth(MAX_NAME).is_some()
}

/// Head and tail of a long name with something between them.
fn between(name: &str, middle: &str) -> String {
    let head = name.char_indices().nth(END).map_or(name.len(), |(at, _)| at);
    let tail = name.char_indices().nth_back(END - 1).map_or(0, |(at, _)| at);
    format!("{}{middle}{}", &name[..head], &name[tail.max(head)..])
}

#[derive(Default)]
struct Cut {
    /// Names that are in use.
    taken: Names<String, ()>,
    /// Long names with what they are cut to.
    short: Names<String, String>,
    /// How many names have been cut to the same head and tail.
    alike: Names<String, u64>,
}

impl Cut {
    fn short(&mut self, name: &str) -> String {
        if let Some(short) = self.short.get(name) {
            return short.clone();
        }
        let plain = between(name, "…");
        let number = self.alike.entry(plain.clone()).or_insert(0);
        let short = loop {
            *number += 1;
            let candidate = if *number == 1 { plain.clone() } else { between(name, &format!("…{number}…")) };
            if let Entry::Vacant(free) = self.taken.entry(candidate.clone()) {
                free.insert(());
                break candidate;
            }
        };
        self.short.insert(name.to_string(), short.clone());
        short
    }
}

/// Every name of a document.
fn each(document: &mut Document, visit: &mut dyn FnMut(&mut String)) {
    match document {
        Document::Graph(graph) => each_of_graph(graph, visit),
        Document::Buffers(problem) => each_of_problem(problem, visit),
        Document::Plan(problem, plan) => {
            each_of_problem(problem, visit);
            each_of_plan(plan, visit);
        }
        Document::Planned(graph, problem, plan) => {
            each_of_graph(graph, visit);
            each_of_problem(problem, visit);
            each_of_plan(plan, visit);
        }
    }
}

fn each_of_graph(graph: &mut Graph, visit: &mut dyn FnMut(&mut String)) {
    visit(&mut graph.name);
    graph.devices.iter_mut().for_each(&mut *visit);
    graph.tensors.iter_mut().for_each(|tensor| visit(&mut tensor.name));
    for node in graph.nodes.iter_mut() {
        visit(&mut node.name);
        visit(&mut node.op);
        // The modules and lines that buffers are grouped by are names, too.
        for key in ["module", "source"] {
            if let Some(Attr::Text(text)) = node.attrs_mut().get_mut(key) {
                visit(text);
            }
        }
    }
}

fn each_of_problem(problem: &mut Problem, visit: &mut dyn FnMut(&mut String)) {
    visit(&mut problem.name);
    problem.buffers.iter_mut().for_each(|buffer| visit(&mut buffer.name));
    problem.memories.iter_mut().for_each(|memory| visit(&mut memory.device));
    problem.order.iter_mut().flat_map(|order| &mut order.nodes).for_each(&mut *visit);
}

fn each_of_plan(plan: &mut Plan, visit: &mut dyn FnMut(&mut String)) {
    for pool in plan.pools.iter_mut() {
        visit(&mut pool.name);
        visit(&mut pool.device);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::import::{Answers, Imported, read};
    use memplan_core::base::Arg;

    fn opened(text: &str) -> Imported {
        read(text.as_bytes(), Answers::default()).unwrap_or_else(|faults| panic!("{faults:?}"))
    }

    /// Two names that differ only in their middle, which is what is cut away, and one that is as
    /// long as a name may be.
    fn names() -> [String; 3] {
        let long = |middle: &str| format!("head{}{middle}{}tail", "é".repeat(50_000), "x".repeat(50_000));
        [long("a"), long("b"), "m".repeat(MAX_NAME)]
    }

    fn assert_cut(found: &[String]) {
        assert!(found.iter().all(|name| name.chars().count() <= MAX_NAME));
        assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len(), "{found:?}");
        assert!(
            found[..2].iter().all(|name| name.starts_with("headé") && name.ends_with("xtail") && name.contains('…'))
        );
        assert_eq!(found[2], "m".repeat(MAX_NAME));
    }

    fn assert_shortened(read: &Imported, cut: u64) {
        let fact = read.facts.iter().find(|fact| fact.key == "fact.names-cut").expect("it is in the report");
        assert_eq!((fact.arg("n"), fact.arg("limit")), (Some(&Arg::Count(cut)), Some(&Arg::Count(MAX_NAME as u64))));
    }

    fn buffers(problem: &Problem) -> Vec<String> {
        problem.buffers.iter().map(|buffer| buffer.name.clone()).collect()
    }

    #[test]
    fn every_format_of_buffers_passes_through_the_rule() {
        let [a, b, c] = names();
        let csv = format!("id,lower,upper,size,pool\n{a},0,1,1,{a}\n{b},0,1,1,x\n{c},0,1,1,x\n");
        let record = |name: &str| format!(r#"{{"name":"{name}","size":1,"start":0,"end":1,"pool":0,"offset":0}}"#);
        let records = names().map(|name| record(&name)).join(",");
        let plan = format!(r#"{{"format":"memory-plan/1","pools":[{{"size":1}}],"buffers":[{records}]}}"#);
        let event = |name: &str| {
            format!(r#"{{"name":"{name}","ph":"X","ts":0,"dur":8,"pid":1,"tid":0,"args":{{"Memory ID":1,"bytes":8}}}}"#)
        };
        let trace = format!("[{}]", names().map(|name| event(&name)).join(","));
        for text in [csv, plan, trace] {
            let read = opened(&text);
            let problem = match &read.document {
                Document::Buffers(problem) | Document::Plan(problem, _) => problem,
                other => panic!("{other:?}"),
            };
            assert_cut(&buffers(problem));
            assert!(problem.memories.iter().all(|memory| !is_long(&memory.device)));
            assert_shortened(&read, 2);
        }
    }

    #[test]
    fn a_graph_keeps_its_edges_and_every_reader_of_it_the_same_names() {
        let [a, b, c] = names();
        let tensor =
            |name: &str, kind: &str| format!(r#"{{"name":"{name}","dtype":"int8","shape":[4],"kind":"{kind}"}}"#);
        let text = format!(
            r#"{{"format":"memory-graph/1","name":"{a}","tensors":[{},{},{}],"nodes":[
            {{"name":"{a}","op":"{b}","inputs":["{a}"],"outputs":["{b}"],"attrs":{{"module":"{a}"}}}},
            {{"name":"{c}","op":"op","inputs":["{b}"],"outputs":["{c}"]}}]}}"#,
            tensor(&a, "input"),
            tensor(&b, "intermediate"),
            tensor(&c, "output"),
        );
        let read = opened(&text);
        let graph = read.document.graph().expect("a graph");
        let tensors: Vec<String> = graph.tensors.iter().map(|tensor| tensor.name.clone()).collect();
        assert_cut(&tensors);
        let first = graph.nodes.iter().next().expect("a node");
        assert_eq!((&first.name, &first.op, &graph.name), (&tensors[0], &tensors[1], &tensors[0]));
        assert_eq!(first.attrs["module"], Attr::Text(tensors[0].clone()));
        assert_shortened(&read, 2);
        // What is written with the cut names is read as it is.
        let again = opened(&crate::export::graph(graph));
        assert_eq!((again.document.graph(), again.facts.len()), (Some(graph), 0));
    }

    #[test]
    fn sentences_about_a_file_hold_no_long_names() {
        let [a, ..] = names();
        let faults = read(format!("id,lower,upper,size\n{a},0,1,1\n{a},0,1,1\n").as_bytes(), Answers::default());
        let sentence = format!("{:?}", faults.expect_err("a name twice"));
        assert!(sentence.contains("xtail") && sentence.chars().count() < 3 * MAX_NAME, "{sentence}");
    }

    #[test]
    fn a_hundred_thousand_names_with_the_same_ends_are_told_apart_in_one_pass() {
        let (head, tail) = ("h".repeat(END), "t".repeat(END));
        let mut cut = Cut::default();
        for number in 0..20_000 {
            let short = cut.short(&format!("{head}{number:0100}{tail}"));
            assert!(short.chars().count() <= MAX_NAME);
        }
        assert_eq!(cut.taken.len(), 20_000);
        assert_eq!(cut.alike.values().copied().collect::<Vec<_>>(), [20_000], "no number is tried twice");
    }
}
