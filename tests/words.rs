//! Every sentence exists in both languages with the same arguments, and every key the code uses exists.

use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;

use memplan::import::{self, Document};
use memplan::planner::{Made, REGISTRY, origin, run};
use memplan::problem::{Scope, lifetimes};
use memplan::replay::panel::{Cell, View, sections};
use memplan::replay::{Level, Run, Why, why};
use memplan::text::Locale;
use memplan::trace::{Note, Recorder};

/// Names in braces of a template.
fn arguments(template: &str) -> BTreeSet<&str> {
    let slots = template.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    slots.map(|slot| slot.split('|').next().unwrap_or_default()).collect()
}

#[test]
fn both_languages_have_the_same_keys_and_arguments() {
    assert_eq!(Locale::En.keys(), Locale::Zh.keys());
    for key in Locale::En.keys() {
        let (en, zh) = (Locale::En.template(key), Locale::Zh.template(key));
        assert!(!en.is_empty() && !zh.is_empty(), "{key} is empty");
        // A plural form may be all that English needs a count for.
        let missing: Vec<_> = arguments(zh).difference(&arguments(en)).copied().collect::<Vec<_>>();
        assert!(missing.is_empty(), "{key}: Chinese has {missing:?}, English has not");
        let plain = |template: &'static str| -> BTreeSet<&str> {
            let slots = template.split('{').skip(1).filter_map(|rest| rest.split('}').next());
            slots.filter(|slot| !slot.contains('|')).collect()
        };
        assert_eq!(plain(en), plain(zh), "{key}: arguments differ");
        assert_eq!(en.matches("[[").count(), en.matches("]]").count(), "{key}: unbalanced");
        assert_eq!(en.contains("[["), zh.contains("[["), "{key}: only one language marks what happened");
    }
}

/// String literals of the sources that look like keys and are used where keys are.
fn keys_in(text: &str) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    for start in ["Message::new(\"", ".word(\"", "template(\"", "word(if "] {
        for (at, _) in text.match_indices(start) {
            let rest = &text[at + start.len()..];
            if start == "word(if " {
                let call = rest.split(')').next().unwrap_or_default();
                keys.extend(call.split('"').skip(1).step_by(2).filter(|word| word.contains('.')).map(str::to_string));
            } else if let Some(key) = rest.split('"').next() {
                keys.insert(key.to_string());
            }
        }
    }
    keys
}

fn walk(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("readable").flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.extend(keys_in(&std::fs::read_to_string(path).expect("text")));
        }
    }
}

#[test]
fn every_key_the_code_uses_has_words() {
    let mut used = BTreeSet::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut used);
    assert!(used.len() > 150, "only {} keys were found", used.len());
    let known: BTreeSet<&str> = Locale::En.keys().into_iter().collect();
    let missing: Vec<_> = used.iter().filter(|key| !known.contains(key.as_str())).collect();
    assert!(missing.is_empty(), "no words for {missing:?}");
}

#[test]
fn every_note_has_words_for_its_numbers() {
    for note in Note::ALL {
        let key = format!("note.{}", note.key());
        let template = Locale::En.template(&key);
        assert_ne!(template, key, "no words for {key}");
        let slots: BTreeSet<&str> =
            note.slots().iter().map(|(_, name)| *name).filter(|name| !name.is_empty()).collect();
        assert_eq!(arguments(template), slots, "{key}");
    }
}

/// What the state panel shows of every planner on an example, from the first frame to the last.
#[test]
fn every_section_of_the_panel_has_words() {
    let known: BTreeSet<&str> = Locale::En.keys().into_iter().collect();
    let file = include_bytes!("../www/graphs/two_branches.json");
    let Ok(Document::Graph(graph)) = import::read(file, import::Answers::default()).map(|read| read.document) else {
        panic!("the example is a graph")
    };
    let graph = Rc::new(graph);
    let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    let mut seen = BTreeSet::new();
    for planner in REGISTRY {
        let info = planner.info();
        let mut recorder = Recorder::default();
        let made = run(*planner, &problem, Some(&graph), &Scope::default(), &info.defaults(), &mut recorder);
        let Made { problem, reordered, plan } = made.expect("applicable");
        let ran = reordered.map_or_else(|| graph.clone(), Rc::new);
        let run = Run::new(Rc::new(problem), origin(info.id, info.align), plan, recorder.events).with_graph(Some(ran));
        for number in 0..run.timeline.frames(Level::Decisions) {
            let frame = run.frame(run.timeline.events_at(Level::Decisions, number));
            let Why { headline, rule, .. } = why(&run, &frame);
            seen.extend([Some(headline), rule].into_iter().flatten().map(|message| message.key.to_string()));
            for section in sections(&run, &frame) {
                seen.insert(format!("panel.{}", section.id));
                if let View::Table(table) = section.view {
                    seen.extend(table.columns.iter().map(|column| column.title.key.to_string()));
                    let cells = table.rows.iter().flat_map(|row| &row.cells);
                    seen.extend(cells.filter_map(|cell| match cell {
                        Cell::Say(message) => Some(message.key.to_string()),
                        _ => None,
                    }));
                }
            }
        }
    }
    for wanted in ["panel.order", "panel.column.then", "panel.node-order", "rule.first-fit.exact"] {
        assert!(seen.contains(wanted), "{wanted} in {seen:?}");
    }
    let missing: Vec<_> = seen.iter().filter(|key| !known.contains(key.as_str())).collect();
    assert!(missing.is_empty(), "no words for {missing:?}");
}

#[test]
fn every_planner_has_its_words() {
    let known: BTreeSet<&str> = Locale::En.keys().into_iter().collect();
    for planner in REGISTRY {
        let info = planner.info();
        assert!(known.contains(format!("planner.{}.about", info.id).as_str()), "planner.{}.about", info.id);
        if info.ranked {
            assert!(known.contains(format!("rule.{}.order", info.id).as_str()), "rule.{}.order", info.id);
        }
    }
    let lists = ["first-fit", "best-fit", "worst-fit"]
        .iter()
        .flat_map(|id| ["new-pool", "exact", "split", "at-end"].map(|word| format!("rule.{id}.{word}")));
    let trees = ["new-pool", "exact", "split", "grow", "at-end", "many-overlaps", "parallel"]
        .iter()
        .map(|word| format!("rule.tree.{word}"));
    let headlines = ["list", "tree"].iter().flat_map(|family| {
        ["new-pool", "exact", "split", "at-end", "at-end-inside"].map(|word| format!("why.{family}.{word}"))
    });
    let arenas = [
        "beam",
        "greedy-by-size",
        "greedy-by-breadth",
        "tflite-arena",
        "tflm-greedy",
        "xla-packing-search",
        "usmp-hill-climb",
        "hill-climb",
        "best",
        "reorder",
    ];
    let arenas = arenas.iter().flat_map(|id| ["new-pool", "gap", "at-end"].map(|word| format!("rule.{id}.{word}")));
    // By size no object is ever too small.
    let objects = ["by-size", "by-breadth", "by-size-improved", "in-order", "by-min-cost-flow"].iter().flat_map(|id| {
        let words =
            ["new-storage", "reuse", "enlarge"].into_iter().filter(|word| (*id, *word) != ("by-size", "enlarge"));
        words.map(|word| format!("rule.shared-objects-{id}.{word}")).collect::<Vec<_>>()
    });
    let pages = REGISTRY.iter().map(|planner| planner.info()).filter(|info| {
        matches!(info.id, "beam" | "greedy-by-size" | "greedy-by-breadth" | "tflite-arena" | "tflm-greedy")
            || info.id.starts_with("shared-objects-")
    });
    let pages = pages
        .flat_map(|info| ["what", "rule", "time", "weak", "differs"].map(|part| format!("how.{}.{part}", info.id)));
    let panels = ["lanes", "generations", "objects"].map(|id| format!("panel.{id}"));
    let columns = "generation successors kept best worst winner score object members names free-from";
    let columns = columns.split(' ').map(|key| format!("panel.column.{key}"));
    let changes = ["new", "taken", "enlarged"].map(|word| format!("panel.changed.{word}"));
    let more = arenas.chain(objects).chain(pages).chain(panels).chain(columns).chain(changes);
    for key in lists.chain(trees).chain(headlines).chain(more) {
        assert!(known.contains(key.as_str()), "{key}");
    }
}
