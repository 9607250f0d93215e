//! Every sentence exists in both languages with the same arguments, and every key the code uses
//! exists.

use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;

use memplan_core::base::{Family, Term};
use memplan_core::problem::{Scope, lifetimes};
use memplan_core::text::Locale;
use memplan_core::trace::{Note, Outcome, Recorder};
use memplan_engine::FIGURES;
use memplan_formats::import::{self, Document};
use memplan_planners::{Made, REGISTRY, origin, run};
use memplan_replay::panel::{Cell, View, sections};
use memplan_replay::{Level, Run, Why, why};

#[test]
fn keys_stand_in_alphabetical_order() {
    for file in ["en.json", "zh.json"] {
        let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("crates/core/locales").join(file);
        let text = std::fs::read_to_string(path).expect("a file");
        let keys: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix('"')?.split('"').next()).collect();
        assert!(keys.len() > 2000, "one sentence a line");
        let wrong = keys.windows(2).find(|pair| pair[0] >= pair[1]);
        assert_eq!(wrong, None, "{file}: sort the sentences by their keys");
    }
}

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

/// Ids of the terms that a template marks.
fn terms(template: &str) -> BTreeSet<&str> {
    let marked = template.split("((").skip(1).filter_map(|rest| rest.split("))").next());
    marked.filter_map(|marked| marked.split_once('|')).map(|(id, _)| id).collect()
}

/// Sentences whose terms define themselves; all others are shown as plain text.
const DEFINING: [&str; 6] = ["effect.", "note.", "rule.", "start.see", "verdict.", "why."];

#[test]
fn terms_are_known_and_marked_in_both_languages() {
    let listed = |family: Family| family.names.split(' ').map(str::to_string).collect::<Vec<_>>();
    let all: Vec<String> = Term::ALL.iter().map(|term| term.name().to_string()).collect();
    for family in [Family::DEFINE, Family::DEFINE_NAME] {
        assert_eq!(listed(family), all, "{}", family.pattern);
    }
    let mut used = BTreeSet::new();
    for key in Locale::En.keys() {
        let marked = Locale::ALL.map(|locale| terms(locale.template(key)));
        assert_eq!(marked[0], marked[1], "{key}: terms differ");
        assert!(marked[0].iter().all(|id| Term::from_name(id).is_some()), "{key}: {:?}", marked[0]);
        for locale in Locale::ALL {
            let template = locale.template(key);
            let count = |mark| template.matches(mark).count();
            assert!(count("((") == 0 || count("((") == count("))"), "{key}: unbalanced");
            assert_eq!(count("(("), terms(template).len(), "{key}: a term is marked once");
            assert!(count("((") == 0 || DEFINING.iter().any(|start| key.starts_with(start)), "{key} is plain text");
        }
        used.extend(marked[0].iter().copied());
    }
    for term in ["live-range", "load", "bound", "peak", "waste", "pool", "gap", "in-place", "storage", "temporal"] {
        assert!(used.contains(term), "no sentence uses {term}");
    }
}

/// String literals of a source, without comments. No key has an escape.
fn literals(source: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find(['"', '/', '\'']) {
        let (before, tail) = rest.split_at(at);
        let skipped = ["'\"'", "'\\\"'", "'/'", "'\\''"].into_iter().find(|char| tail.starts_with(char));
        rest = if tail.starts_with("//") {
            tail.split_once('\n').map_or("", |(_, after)| after)
        } else if let Some(char) = skipped {
            &tail[char.len()..]
        } else if let Some(quoted) = tail.strip_prefix('"') {
            let hashes = before.len() - before.trim_end_matches('#').len();
            let is_raw = before[..before.len() - hashes].ends_with('r');
            let end = if is_raw {
                quoted.find(&format!("\"{}", "#".repeat(hashes)))
            } else {
                let mut escaped = false;
                quoted.find(|char| {
                    let ends = char == '"' && !escaped;
                    escaped = char == '\\' && !escaped;
                    ends
                })
            };
            let end = end.expect("a literal ends");
            found.push(&quoted[..end]);
            &quoted[end + 1..]
        } else {
            &tail[1..]
        };
    }
    found
}

/// String literals of the program, without those of unit tests.
fn written() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut folders = vec![root.join("src"), root.join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("readable").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
                let text = std::fs::read_to_string(path).expect("text");
                let program = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
                found.extend(literals(program).into_iter().map(str::to_string));
            }
        }
    }
    found
}

/// Literals that look like keys and name files.
const FILES: [&str; 5] = ["chart.csv", "chart.png", "chart.svg", "compare.{name}", "lesson.css"];

/// Whether a literal can only be a key, or a pattern of keys: words with dots between, the first of
/// them that of some key.
fn looks_like_a_key(text: &str, known: &BTreeSet<&str>) -> bool {
    let is_plain = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || "-_.{}".contains(char);
    let Some((room, rest)) = text.split_once('.') else { return false };
    let is_room = known.iter().any(|key| key.split_once('.').is_some_and(|(first, _)| first == room));
    is_room && !rest.is_empty() && text.chars().all(is_plain) && !FILES.contains(&text)
}

/// What happens to a buffer, as the last name of a rule and of its headline.
const OUTCOMES: &str = "alone alone-grows apart at-end at-end-inside enlarge enlarge-texture exact gap gap-fixed \
                        gap-open gap-quick grow in-place many-overlaps new-pool new-storage new-storage-texture \
                        order parallel reuse reuse-texture split stated";

/// Whether names may stand in the places of a family's stars.
fn may_be_named(family: Family, names: [&str; 2]) -> bool {
    let [first, last] = names;
    let is_planner = |id: &str| REGISTRY.iter().any(|planner| planner.info().id == id);
    let takes = |id: &str, option: &str| {
        let infos = REGISTRY.iter().map(|planner| planner.info());
        infos
            .filter(|info| id.is_empty() || info.id == id)
            .any(|info| info.options.iter().any(|spec| spec.key == option))
    };
    match family {
        Family::FIGURE | Family::FIGURE_IS => FIGURES.iter().any(|field| field.key == first),
        Family::HOW => is_planner(first) && ["what", "rule", "time", "weak", "differs"].contains(&last),
        Family::NOTE => Note::ALL.iter().any(|note| note.key() == first),
        Family::OPTION => takes("", first),
        Family::OPTION_OF => takes(first, last),
        Family::PANEL_PAIR => first.starts_with("in-place-") && Note::ALL.iter().any(|note| note.key() == first),
        Family::PLANNER_ABOUT | Family::PLANNER_CONVENTION | Family::PLANNER_SYSTEM | Family::PLANNER_VARIANT => {
            is_planner(first)
        }
        Family::RULE | Family::WHY => {
            let is_teller = is_planner(first) || ["tree", "list", "storage", "kept", "imported"].contains(&first);
            is_teller && OUTCOMES.split(' ').any(|outcome| outcome == last)
        }
        closed => closed.names.split(' ').any(|name| name == first),
    }
}

/// Whether a key belongs to a family: its pattern fits, and so do the names in the places of the
/// stars.
fn belongs(key: &str, family: Family) -> bool {
    let (start, rest) = family.pattern.split_once('*').expect("a star");
    let Some(names) = key.strip_prefix(start) else { return false };
    let (between, end) = rest.split_once('*').map_or((None, rest), |(between, end)| (Some(between), end));
    let Some(names) = names.strip_suffix(end) else { return false };
    match between {
        None => may_be_named(family, [names, ""]),
        Some(between) => names.rsplit_once(between).is_some_and(|(first, last)| may_be_named(family, [first, last])),
    }
}

#[test]
fn every_key_of_the_code_has_words_and_every_sentence_a_key() {
    let written = written();
    let known: BTreeSet<&str> = Locale::En.keys().into_iter().collect();
    let listed = Family::ALL.iter().filter(|family| !family.names.is_empty());
    let listed = listed.flat_map(|family| family.names.split(' ').map(|name| family.of([name])));
    let keys = written.iter().filter(|text| looks_like_a_key(text, &known)).cloned().chain(listed);
    // A computed key outside of the families is missing too: no key has braces.
    let missing: Vec<_> = keys.filter(|key| !known.contains(key.as_str())).collect();
    assert!(missing.is_empty(), "no words for {missing:?}");
    let is_used = |key: &str| written.contains(key) || Family::ALL.iter().any(|&family| belongs(key, family));
    let unused: Vec<_> = known.iter().filter(|key| !is_used(key)).collect();
    assert!(unused.is_empty(), "nothing uses {unused:?}");
}

#[test]
fn literals_are_found_and_comments_are_not() {
    let source = r###"let a = "why.rule"; // "why.comment"
        f('"', r#"a "raw" one"#, "an \"escape\"", 'x', "end")"###;
    assert_eq!(literals(source), ["why.rule", r#"a "raw" one"#, r#"an \"escape\""#, "end"]);
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
    let file = include_bytes!("../../www/graphs/two_branches.json");
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
    // Of a place that was not kept nothing states how large it was: `why.place-only` stands in
    // then.
    let rooms = known.iter().filter(|key| {
        let template = Locale::En.template(key);
        key.starts_with("why.") && ["{room}", "{left}"].iter().any(|slot| template.contains(slot))
    });
    let others: Vec<_> = rooms.filter(|key| !key.ends_with(".split")).collect();
    assert!(others.is_empty(), "{others:?}");
    // A planner has the headlines that it lists, and no others.
    for (info, outcome) in REGISTRY.iter().flat_map(|planner| Outcome::ALL.map(|outcome| (planner.info(), outcome))) {
        let key = format!("why.{}.{}", info.id, outcome.key());
        assert_eq!(info.explanation.headlines.contains(&outcome), known.contains(key.as_str()), "{key}");
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
        "xla-heap",
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

/// Chinese variants of a term, each with the word that all sentences use. `存活期间` is no noun for a
/// range.
const VARIANTS: [(&str, &str); 7] = [
    ("方框", "方块"),
    ("共用", "共享"),
    ("存活区间", "生存区间"),
    ("存活期", "生存区间"),
    ("生存期", "生存区间"),
    ("您", "你"),
    ("逐步模式", "单步模式"),
];

/// The variants in a Chinese text, each with the right word.
fn variants(text: &str) -> Vec<String> {
    let text = text.replace("存活期间", "");
    let found = VARIANTS.iter().filter(|(variant, _)| text.contains(variant));
    found.map(|(variant, word)| format!("{variant}: write {word}")).collect()
}

#[test]
fn chinese_has_one_word_for_a_thing() {
    assert_eq!(variants("在存活期间共享"), [""; 0]);
    assert_eq!(variants("两者共用，存活期不同"), ["共用: write 共享", "存活期: write 生存区间"]);
    let mut wrong = Vec::new();
    for key in Locale::Zh.keys() {
        wrong.extend(variants(Locale::Zh.template(key)).into_iter().map(|found| format!("{key}: {found}")));
    }
    let lessons = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("www/lessons");
    let mut read = 0;
    for entry in std::fs::read_dir(lessons).expect("lessons").flatten() {
        let text = std::fs::read_to_string(entry.path()).expect("text");
        let name = entry.file_name();
        wrong.extend(variants(&text).into_iter().map(|found| format!("{}: {found}", name.display())));
        read += 1;
    }
    assert!(read > 12, "only {read} lessons were read");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Most words of an English sentence of the page.
const MOST_WORDS: usize = 25;

/// Most Chinese characters of a Chinese sentence of the page: names, numbers and punctuation are
/// not counted.
const MOST_CHARACTERS: usize = 45;

/// A template as the page shows it, with a word in place of each argument, and the longest form of
/// a plural.
fn shown(template: &str) -> String {
    let marked = template.replace("[[", "").replace("]]", "");
    let mut text = String::new();
    for (number, part) in marked.split("((").enumerate() {
        // Before a term stands its id, which is not shown.
        let part = if number == 0 { part } else { part.split_once('|').map_or(part, |(_, words)| words) };
        text.push_str(&part.replacen("))", "", usize::from(number > 0)));
    }
    let mut parts = text.split('{');
    let mut shown = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (slot, rest) = part.split_once('}').expect("a brace closes");
        let forms = slot.split('|').skip(1);
        shown.push_str(forms.max_by_key(|form| form.split_whitespace().count()).unwrap_or("X"));
        shown.push_str(rest);
    }
    shown
}

/// Lengths of the sentences of a template, each with the sentence: words in English, Chinese
/// characters in Chinese.
fn lengths(locale: Locale, template: &str) -> Vec<(usize, String)> {
    let text = shown(template);
    let (sentences, length): (Vec<&str>, fn(&str) -> usize) = match locale {
        // A colon or a semicolon ends no sentence.
        Locale::En => (
            [". ", "! ", "? "].iter().fold(vec![text.as_str()], |parts, end| {
                parts.into_iter().flat_map(|part| part.split_inclusive(end)).collect()
            }),
            |sentence| sentence.split_whitespace().count(),
        ),
        Locale::Zh => (text.split_inclusive(['。', '！', '？']).collect(), |sentence| {
            sentence.chars().filter(|char| ('\u{4e00}'..='\u{9fff}').contains(char)).count()
        }),
    };
    sentences.into_iter().map(|sentence| (length(sentence), sentence.trim().to_string())).collect()
}

#[test]
fn sentences_are_short() {
    let text = "Take {count} ((live-range|live range)): {count|box|boxes of it}. [[Why]]? No.";
    let counts = |locale, text| lengths(locale, text).into_iter().map(|(length, _)| length).collect::<Vec<_>>();
    assert_eq!(counts(Locale::En, text), [7, 1, 1]);
    assert_eq!(counts(Locale::Zh, "取 {count} 个((buffer|缓冲区))，b 3 [0,2)。为什么？"), [5, 3]);
    let mut long = Vec::new();
    for (locale, most) in [(Locale::En, MOST_WORDS), (Locale::Zh, MOST_CHARACTERS)] {
        for key in locale.keys() {
            let found = lengths(locale, locale.template(key)).into_iter().filter(|(length, _)| *length > most);
            long.extend(
                found.map(|(length, sentence)| {
                    format!("{key} in {}: {length}, at most {most}: {sentence}", locale.name())
                }),
            );
        }
    }
    assert!(long.is_empty(), "split these sentences:\n{}", long.join("\n"));
}

#[test]
fn sentences_name_options_of_a_form_as_the_form_does() {
    for locale in Locale::ALL {
        for (sentence, names) in [
            ("teach.needs-seed", &["teach.source", "teach.source-seed"][..]),
            ("teach.needs-document", &["teach.source"]),
        ] {
            let text = locale.template(sentence);
            for name in names {
                assert!(
                    text.contains(&format!("“{}”", locale.template(name))),
                    "{sentence} in {}: {name}",
                    locale.name()
                );
            }
        }
    }
}
