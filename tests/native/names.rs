//! Names may hold any letter: every format that is written reads back with the same names, and
//! pictures and pages stay what they are.

use std::collections::BTreeMap;

use memplan_core::base::shown::acts;
use memplan_core::base::{IdVec, MAX_SAFE};
use memplan_core::graph::{Attr, Dim, Dtype, Graph, Kind, Node, Tensor, TensorId, attrs};
use memplan_core::plan::{Plan, PlanFile, Quirk, QuirkKind};
use memplan_core::problem::{Buffer, BufferId, Live, Memory, MemoryId, Problem, Scope, lifetimes};
use memplan_core::trace::Silent;
use memplan_engine::api;
use memplan_formats::export;
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::{Input, find};
use memplan_replay::{Level, Run};
use memplan_scene::paint;
use memplan_scene::{Index, Style};
use proptest::prelude::*;

/// Names that have gone wrong somewhere, each with a reason.
const ODD: [&str; 26] = [
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    " a",
    "a ",
    "a",
    "'a",
    "''",
    "'=a",
    "=1+1",
    "-1",
    "+1",
    "@SUM(A1)",
    "\u{1b}[31m",
    "\u{202e}abc",
    "\u{0}",
    "\u{7f}\u{9b}",
    "\u{a0}",
    "\u{3000}a",
    "\u{feff}",
    "a,\"b\";c",
    "a:b %20%",
    "<b>&amp;</b>",
    "\\u001b",
];

/// Different names, some of them odd and the rest of any letters.
fn names() -> impl Strategy<Value = Vec<String>> {
    let odd = prop::sample::select(&ODD[..]).prop_map(String::from);
    let name = prop_oneof![odd, any::<String>(), "[ \t\r\n'=+@-]{1,4}"];
    prop::collection::btree_set(name.prop_filter("a name is not empty", |name| !name.is_empty()), 2..12)
        .prop_map(|names| names.into_iter().collect::<Vec<_>>())
        .prop_shuffle()
}

fn buffer(name: &str, size: u64, live: Live) -> Buffer {
    Buffer::of(name, size, live)
}

/// Buffers of these names, each of which meets the next, in one memory or two.
fn problem(names: &[String], device: Option<&String>) -> Problem {
    let memory = |device: &str| Memory { device: device.into(), mem_id: None };
    let mut memories: IdVec<MemoryId, Memory> = vec![memory("cpu")].into();
    if let Some(device) = device {
        memories.push(memory(device));
    }
    let count = memories.len();
    let life = |at: usize| Live::new(at as u32, at as u32 + 2);
    let with_memory = |(at, name): (usize, &String)| Buffer {
        memory: MemoryId((at % count) as u32),
        ..buffer(name, 8 + at as u64, life(at))
    };
    Problem {
        name: names[0].clone(),
        buffers: names.iter().enumerate().map(with_memory).collect(),
        memories,
        steps: names.len() as u32 + 1,
        ..Problem::default()
    }
}

/// A chain of nodes with these names, one tensor each.
fn graph(names: &[String]) -> Graph {
    let mut graph = Graph { name: names[0].clone(), ..Graph::default() };
    let device = graph.devices.push("cpu".into());
    for (at, name) in names.iter().enumerate() {
        let kind = if at == 0 { Kind::Input } else { Kind::Intermediate };
        let id = graph.tensors.push(Tensor {
            name: name.clone(),
            dtype: Dtype::Float32,
            shape: vec![Dim::Fixed(at as u64 + 1)],
            kind,
            bytes: None,
            device,
            own_device: true,
            align: None,
            mem_id: None,
            role: None,
        });
        if at > 0 {
            graph.nodes.push(Node {
                name: name.clone(),
                op: names[at - 1].clone(),
                inputs: vec![TensorId(id.0 - 1)],
                outputs: vec![id],
                inplace: vec![],
                ignore_inputs: vec![],
                device: None,
                attrs: attrs([(name.clone(), Attr::Text(name.clone()))]),
            });
        }
    }
    graph
}

fn read(text: &str) -> Document {
    import::read(text.as_bytes(), Answers::default()).unwrap_or_else(|faults| panic!("{faults:?}\n{text:?}")).document
}

fn planned(problem: &Problem, graph: Option<&Graph>, planner: &str) -> Plan {
    let planner = find(planner).expect("registered");
    planner.plan(Input { problem, graph }, &planner.info().defaults(), &mut Silent).expect("applicable")
}

/// Sizes, lives, addresses and pools by name.
type Rows = BTreeMap<String, (u64, Live, Option<u64>, String)>;

fn rows(problem: &Problem, plan: Option<&Plan>) -> Rows {
    let row = |(id, buffer): (BufferId, &Buffer)| {
        let offset = plan.and_then(|plan| plan.places[id]).map(|place| place.offset);
        let device = problem.memories[buffer.memory].device.clone();
        (buffer.name.clone(), (buffer.size, buffer.live, offset, device))
    };
    problem.buffers.enumerate().map(row).collect()
}

/// All formats that hold a plan of buffers.
fn texts(problem: &Problem, plan: &Plan) -> [(&'static str, String); 5] {
    let file = PlanFile::new(problem, plan, "greedy-by-size", BTreeMap::new(), |message| message.key.to_string());
    [
        ("plan", export::plan(&file)),
        ("csv", export::csv(problem, Some(plan))),
        ("csv-times", export::csv_times(problem, Some(plan))),
        ("trace", export::trace(problem, Some(plan))),
        ("trace by step", export::trace_by_step(problem, Some(plan), None).expect("few events")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// Lists and plans of buffers, with a device of any name in all formats that state devices.
    #[test]
    fn buffers_of_any_name_read_back(names in names(), device in prop::sample::select(&ODD[..])) {
        let device = device.to_string();
        for device in [None, Some(&device)] {
            let problem = problem(&names, device);
            for (format, text) in [("csv", export::csv(&problem, None)), ("trace", export::trace(&problem, None))] {
                let Document::Buffers(again) = read(&text) else { panic!("buffers") };
                prop_assert_eq!(rows(&again, None), rows(&problem, None), "{}", format);
            }
            let mut plan = planned(&problem, None, "first-fit");
            // A word for an overlap that names another buffer.
            plan.quirks.push(Quirk { kind: QuirkKind::ALL[0], a: BufferId(0), b: BufferId(1) });
            for (format, text) in texts(&problem, &plan) {
                let Document::Plan(again, same) = read(&text) else { panic!("a plan") };
                let (mut found, mut expected) = (rows(&again, Some(&same)), rows(&problem, Some(&plan)));
                if format == "trace by step" {
                    // It numbers its memories.
                    found.values_mut().chain(expected.values_mut()).for_each(|row| row.3.clear());
                }
                prop_assert_eq!(found, expected, "{}", format);
                if let [Quirk { a, b, .. }] = same.quirks[..] {
                    prop_assert_eq!((&again.buffers[a].name, &again.buffers[b].name), (&names[0], &names[1]), "{}", format);
                } else {
                    prop_assert!(format.starts_with("trace"), "{}", format);
                }
                if !format.starts_with("csv") && format != "trace by step" {
                    prop_assert_eq!(&again.name, &problem.name, "{}", format);
                }
            }
        }
    }

    /// Graphs with names of tensors, nodes, operators and attributes.
    #[test]
    fn graphs_of_any_name_read_back(names in names()) {
        let graph = graph(&names);
        prop_assert_eq!(read(&export::graph(&graph)), Document::Graph(graph.clone()));
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        let plan = planned(&problem, Some(&graph), "nnvm");
        let text = export::graph_executor(&graph, &problem, &plan).expect("storages");
        let Document::Planned(again, found, same) = read(&text) else { panic!("a graph with its plan") };
        let all = |graph: &Graph| -> Vec<(String, String)> {
            let nodes = graph.nodes.iter().map(|node| (node.name.clone(), node.op.clone()));
            nodes.chain(graph.tensors.iter().map(|tensor| (tensor.name.clone(), String::new()))).collect()
        };
        prop_assert_eq!(all(&again), all(&graph));
        prop_assert_eq!(rows(&found, Some(&same)), rows(&problem, Some(&plan)));
    }

    /// In a picture and on a printed page names are text: the markup is that of the same picture
    /// with plain names.
    #[test]
    fn names_are_text_in_pictures_and_pages(names in names()) {
        let drawn = |names: &[String]| -> [String; 2] {
            let document = Document::Buffers(problem(names, None));
            let run: Run = api::replay(&document, "naive", &BTreeMap::new(), &Scope::default()).expect("planned").0;
            let frame = run.frame(run.timeline.events_at(Level::Decisions, 2));
            let options = BTreeMap::from([(names[0].clone(), names[1].clone())]);
            let shown = paint::Shown { level: Level::Decisions, options, link: &names[0] };
            let page = paint::print_page(&run, &Index::new(&run), &frame, &Style::default(), &shown);
            let chart = memplan_scene::Chart {
                title: names[0].clone(),
                places: names.to_vec(),
                series: vec![memplan_scene::Series { name: names[1].clone(), points: vec![(0.0, 1.0), (1.0, 2.0)] }],
                ..Default::default()
            };
            [page, paint::chart_svg(&chart, (400.0, 300.0), paint::Theme::Light).expect("there is room")]
        };
        for text in drawn(&names) {
            prop_assert!(!text.contains(|letter| letter != '\n' && acts(letter)), "{:?}", text);
            // Every `<` opens one of our own tags, every `&` one of the four words for marks.
            let tags = text.split('<').skip(1).map(|tag| tag.trim_start_matches('/'));
            let known = ["svg", "title", "g", "rect", "path", "text", "circle", "poly", "line", "defs", "clipPath", "pattern",
                "table", "t", "h1", "h2", "h3", "p", "d", "div", "section", "article", "header", "footer", "figure", "main",
                "span", "strong", "em", "b", "i", "a", "u", "ol", "li", "!DOCTYPE"];
            for tag in tags {
                let name: String = tag.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '!').collect();
                prop_assert!(known.iter().any(|known| name == *known || (known.len() > 3 && name.starts_with(known)) || (known.len() == 1 && name.starts_with(known) && name.len() < 6)), "{}", name);
            }
            for entity in text.split('&').skip(1) {
                prop_assert!(["amp;", "lt;", "gt;", "quot;", "#39;", "apos;"].iter().any(|known| entity.starts_with(known)), "{}", entity);
            }
        }
    }
}

/// Plans whose addresses come close to 2^53 are read as they were written, and beyond it nothing is
/// planned.
#[test]
fn sums_near_the_largest_number_read_back() {
    let half = MAX_SAFE / 2;
    for sizes in [[half, MAX_SAFE - half], [MAX_SAFE - 1, 1], [MAX_SAFE, 0]] {
        let named = ["a".to_string(), "b".to_string()];
        let mut problem = problem(&named, None);
        problem.buffers.iter_mut().zip(sizes).for_each(|(buffer, size)| buffer.size = size);
        let plan = planned(&problem, None, "first-fit");
        assert_eq!(plan.peak(&problem), MAX_SAFE);
        for (format, text) in texts(&problem, &plan) {
            let Document::Plan(again, same) = read(&text) else { panic!("a plan") };
            assert_eq!(rows(&again, Some(&same)), rows(&problem, Some(&plan)), "{format}");
            assert_eq!(same.peak(&again), MAX_SAFE, "{format}");
        }
        for text in [export::csv(&problem, None), export::trace(&problem, None)] {
            assert!(matches!(read(&text), Document::Buffers(again) if again.buffers[BufferId(0)].size == sizes[0]));
        }
        problem.buffers[BufferId(1)].size += 1;
        for text in [export::csv(&problem, None), export::trace(&problem, None)] {
            let faults = import::read(text.as_bytes(), Answers::default()).expect_err("a byte too many");
            assert!(
                ["fault.sum-too-large", "fault.csv-too-large", "fault.too-large"].contains(&&*faults[0].message.key)
            );
        }
    }
}
