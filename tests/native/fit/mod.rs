//! What makes a graph fit: the worked example of docs/fit.md, certificates, and changed graphs that
//! compute the same.

mod banks;
mod bounds;
mod brute;
mod choices;
mod execute;
mod forged;
mod kernels;
mod limits;
mod models;
mod parts;
mod pebbles;
mod random;
mod rules;
mod soundness;
mod windows;

use std::collections::{BTreeMap, BTreeSet};

use memplan_core::graph::{Attr, Graph, Kind, Node};
use memplan_core::plan::check;
use memplan_core::problem::{Scope, stated_parts};
use memplan_core::text::{Locale, Speech};
use memplan_fit::transform::{Net, RowRule, StripeRange, heights};
use memplan_fit::{Answer, Bounds, Budget, Lever, Prefer, Request, Runtime, StoredIn, fit, report_text, verify};
use memplan_formats::import::{self, Answers, Document};

use brute::{cheapest_stripes, joins, largest_load, least_of_orders};
use execute::{execute, extents, with_rows};
use pebbles::runs;
use random::{Numbers, is_whole, random_graph, scratch_by_chance};

fn graph_of(text: &str) -> Graph {
    match import::read(text.as_bytes(), Answers::default()).unwrap_or_else(|faults| panic!("{faults:?}")).document {
        Document::Graph(graph) => graph,
        other => panic!("{other:?}"),
    }
}

fn request(bytes: u64, allow: &str) -> Request {
    let memory = |name: &str, size, cost| StoredIn { name: name.into(), size, cost };
    Request {
        budget: Budget { memories: vec![memory("SRAM", bytes, 1), memory("DRAM", 1 << 40, 4)], ..Budget::default() },
        allow: Lever::list(allow).expect("levers"),
        limits: Bounds::default(),
        prefer: Prefer::Macs,
        scope: Scope::default(),
        curve: false,
    }
}

const FREE: &str = "planner,order,inplace,views";

fn with(paid: &str) -> String {
    format!("{FREE},{paid}")
}

fn solve(graph: &Graph, request: &Request) -> Answer {
    solve_for(graph, request, &|| false)
}

/// The same, as far as a search comes until `stop`.
fn solve_for(graph: &Graph, request: &Request, stop: &dyn Fn() -> bool) -> Answer {
    let answer = fit(graph, request, stop).unwrap_or_else(|message| panic!("{message:?}"));
    if let Some(finished) = &answer.finished {
        assert_eq!(check(&finished.problem, &finished.plan), []);
        assert!(finished.peak <= answer.record.budget.available);
    }
    assert_eq!(answer.finished.is_some(), answer.record.result == "fits");
    answer
}

/// Eight rows, a byte an element; channels x 1, p 2, a b c 4, d e 2.
const WORKED: &str = r#"{"format":"memory-graph/1","name":"worked","tensors":[
{"name":"x","dtype":"int8","shape":[1,1,8,1],"kind":"input"},
{"name":"wp","dtype":"int8","shape":[2,1,1,1],"kind":"weight"},
{"name":"wa","dtype":"int8","shape":[4,2,3,1],"kind":"weight"},
{"name":"wc","dtype":"int8","shape":[4,4,3,1],"kind":"weight"},
{"name":"wd","dtype":"int8","shape":[2,4,1,1],"kind":"weight"},
{"name":"p","dtype":"int8","shape":[1,2,8,1],"kind":"intermediate"},
{"name":"a","dtype":"int8","shape":[1,4,8,1],"kind":"intermediate"},
{"name":"b","dtype":"int8","shape":[1,4,8,1],"kind":"intermediate"},
{"name":"c","dtype":"int8","shape":[1,4,8,1],"kind":"intermediate"},
{"name":"d","dtype":"int8","shape":[1,2,8,1],"kind":"intermediate"},
{"name":"e","dtype":"int8","shape":[1,2,8,1],"kind":"output"}],
"nodes":[
{"name":"p","op":"conv2d","inputs":["x","wp"],"outputs":["p"]},
{"name":"a","op":"conv2d","inputs":["p","wa"],"outputs":["a"]},
{"name":"b","op":"relu","inputs":["a"],"outputs":["b"],"inplace":[[0,0]]},
{"name":"c","op":"conv2d","inputs":["b","wc"],"outputs":["c"]},
{"name":"d","op":"conv2d","inputs":["c","wd"],"outputs":["d"]},
{"name":"e","op":"add","inputs":["d","p"],"outputs":["e"],"inplace":[[0,0],[1,0]]}]}"#;

/// The worked example with what the interpreter of the tests needs to know of its convolutions.
fn worked() -> Graph {
    let mut graph = with_rows(graph_of(WORKED));
    for id in graph.nodes.ids().filter(|&id| graph.nodes[id].op == "conv2d").collect::<Vec<_>>() {
        let kernel = extents(&graph, graph.nodes[id].inputs[1])[2];
        let attrs = graph.nodes[id].attrs_mut();
        attrs.insert("stride".into(), Attr::Json("1".into()));
        attrs.insert("padding".into(), Attr::Json((kernel / 2).to_string()));
    }
    graph
}

#[test]
fn a_curve_that_a_search_had_no_time_for_is_told() {
    let graph = graph_of(WORKED);
    let request = Request { curve: true, ..request(24, &with("stripes")) };
    let told = |answer: &Answer| report_text(&answer.record, Runtime::Compiled, Speech::default());
    let whole = solve(&graph, &request);
    assert!(whole.record.curve.len() > 1 && whole.record.search.curve);
    assert!(!told(&whole).contains("no time to try lower budgets"), "{}", told(&whole));
    let cut = solve_for(&graph, &request, &|| true);
    assert!(cut.record.curve.len() == 1 && !cut.record.search.curve);
    assert!(told(&cut).contains("no time to try lower budgets"), "{}", told(&cut));
}

#[test]
fn the_worked_example_has_the_figures_of_the_document() {
    let graph = graph_of(WORKED);
    let of = |bytes, allow: &str| solve(&graph, &request(bytes, allow)).record;
    let figures = |bytes, paid: &str| {
        let record = of(bytes, &with(paid));
        (record.result.clone(), record.required.after, record.price.macs, record.price.bytes_moved)
    };
    let fits = |peak, macs, bytes| ("fits".to_string(), peak, macs, bytes);
    assert_eq!(of(80, "planner").required.after, 80);
    assert_eq!(figures(80, "stripes"), fits(80, 0, 0));
    // c, d and e in four stripes read the weights less often than in eight, which 70 bytes need.
    assert_eq!(figures(72, "stripes"), fits(72, 0, 0));
    assert_eq!(figures(70, "stripes"), fits(70, 0, 0));
    assert_eq!(figures(69, "stripes"), fits(68, 0, 0));
    assert_eq!(figures(72, "recompute"), fits(72, 16, 0));
    assert_eq!(figures(64, "spill"), fits(64, 0, 32));
    // Stripes of p..e cost 56, those of a..d 96.
    assert_eq!(figures(64, "stripes"), fits(64, 56, 0));
    assert_eq!(figures(56, "stripes"), fits(56, 144, 0));
    assert_eq!(figures(48, "stripes"), fits(48, 336, 0));
    let out = of(47, &with("stripes"));
    assert_eq!((out.result.as_str(), out.required.after), ("impossible", 48));
    let out = of(79, FREE);
    let certificate = out.certificate.expect("a certificate");
    let storages: Vec<(&str, u64, &str)> =
        certificate.storages.iter().map(|one| (one.name.as_str(), one.bytes, one.role.as_str())).collect();
    assert_eq!((certificate.op.as_str(), certificate.bound), ("c", 80));
    assert_eq!(storages, [("p", 16, "resting"), ("a", 32, "read"), ("c", 32, "made")]);
    // With everything, of either preference the cheaper.
    let all = of(64, "all");
    assert_eq!((all.result.as_str(), all.price.macs), ("fits", 0));
    let by_bytes = solve(&graph, &Request { prefer: Prefer::Bytes, ..request(64, "all") }).record;
    assert_eq!(by_bytes.price.bytes_moved, 0);
    assert!(by_bytes.price.macs <= 96, "{by_bytes:?}");
}

#[test]
fn stripes_of_a_to_d_have_the_figures_of_the_document() {
    let graph = graph_of(WORKED);
    let net = Net::of(&graph, &Scope::default(), &|_| true).expect("sizes");
    assert_eq!(net.ops.iter().map(|op| op.macs).collect::<Vec<_>>(), [16, 192, 0, 384, 64, 0]);
    let merged = net.merged();
    let alive: Vec<usize> = (0..net.bytes.len()).filter(|&at| net.life[at].0 <= 1 && net.life[at].1 > 1).collect();
    let range = StripeRange::new(&net, &merged, &alive, 1, 4).expect("a range");
    let figures = |height| range.block(height).map(|block| (block.stripes, block.peak, block.price.macs));
    assert_eq!(heights(8), [4, 3, 2, 1]);
    assert_eq!([4, 3, 2, 1].map(figures), [(2, 68, 48), (3, 64, 96), (4, 56, 144), (8, 48, 336)].map(Some));
}

/// Every node of the example has the name of what it makes.
#[test]
fn a_stripe_has_the_name_of_its_tensor_and_its_number() {
    let answer = solve(&graph_of(WORKED), &request(48, "planner,inplace,stripes"));
    let graph = answer.finished.expect("it fits").graph;
    let tensors: Vec<&str> = graph.tensors.iter().map(|tensor| tensor.name.as_str()).collect();
    let nodes: Vec<&str> = graph.nodes.iter().map(|node| node.name.as_str()).collect();
    for names in [&tensors, &nodes] {
        assert!(["c/0", "c/1", "c/7"].iter().all(|name| names.contains(name)), "{names:?}");
        assert!(!names.iter().any(|name| name.contains('.')), "{names:?}");
    }
}

#[test]
fn a_stripe_states_the_rows_that_its_window_reads() {
    let answer = solve(&graph_of(WORKED), &request(48, "planner,inplace,stripes"));
    let graph = answer.finished.expect("it fits").graph;
    let stated = |name: &str| {
        let node = graph.nodes.iter().find(|node| node.name == name).expect("a stripe");
        ["rows", "input_rows", "row_padding"].map(|key| match node.attrs.get(key) {
            Some(Attr::Text(text) | Attr::Json(text)) => text.as_str(),
            None => "",
        })
    };
    assert_eq!(stated("c/0"), ["[0,1]", "[0,2]", "[1,0]"]);
    assert_eq!(stated("c/3"), ["[3,4]", "[2,5]", "[0,0]"]);
    assert_eq!(stated("c/7"), ["[7,8]", "[6,8]", "[0,1]"]);
    assert_eq!(stated("b/3")[1..], ["", ""], "element by element");
}

/// Every change of the worked example, run in the memory of its plan.
#[test]
fn the_worked_example_computes_the_same_after_every_change() {
    let graph = worked();
    let vast = solve(&graph, &request(80, "planner")).finished.expect("a plan");
    let expected = execute(&vast.graph, &vast.problem, &vast.plan);
    assert!(expected["e"].iter().any(|&value| value != 0), "{expected:?}");
    for (bytes, paid, lever) in [
        (72, "stripes", "stripes"),
        (72, "recompute", "recompute"),
        (70, "stripes", "stripes"),
        (64, "spill", "spill"),
        (64, "stripes", "stripes"),
        (56, "stripes", "stripes"),
        (48, "stripes", "stripes"),
    ] {
        let answer = solve(&graph, &request(bytes, &with(paid)));
        assert!(answer.record.moves.iter().any(|one| one.lever == lever), "{bytes} {:?}", answer.record.moves);
        let finished = answer.finished.expect("it fits");
        assert_eq!(execute(&finished.graph, &finished.problem, &finished.plan), expected, "{bytes} {paid}");
    }
}

fn loads(answer: &Answer) -> Vec<u64> {
    let finished = answer.finished.as_ref().expect("a plan");
    let fast = |buffer: &memplan_core::problem::Buffer| finished.problem.memories[buffer.memory].device != "DRAM";
    let at = |step| {
        finished
            .problem
            .buffers
            .iter()
            .filter(|buffer| fast(buffer) && buffer.live.contains(step))
            .map(|b| b.size)
            .sum()
    };
    (0..finished.problem.steps).map(at).collect()
}

#[test]
fn the_worked_example_has_these_loads_step_by_step() {
    let graph = graph_of(WORKED);
    let of = |bytes, allow: &str| loads(&solve(&graph, &request(bytes, allow)));
    assert_eq!(of(80, "planner"), [24, 48, 80, 80, 64, 48]);
    assert_eq!(of(80, "planner,inplace"), [24, 48, 48, 80, 64, 32]);
    assert_eq!(of(72, &with("recompute")), [24, 56, 40, 72, 56, 40, 32]);
    assert_eq!(of(64, &with("spill")), [24, 48, 48, 32, 64, 48, 32, 32]);
}

#[test]
fn a_certificate_is_verified_and_refused_after_any_change() {
    let graph = graph_of(WORKED);
    for (bytes, allow, kind) in [
        (79, FREE, "orders"),
        (79, "planner", "load"),
        (47, "planner,inplace,stripes", "stripes"),
        (63, "planner,inplace,spill", "operator"),
    ] {
        let request = request(bytes, allow);
        let record = solve(&graph, &request).record;
        assert_eq!(record.result, "impossible", "{bytes} {allow}");
        let proof = record.certificate.clone().expect("one");
        assert_eq!(proof.kind, kind, "{bytes} {allow}");
        assert_eq!((proof.storages.is_empty(), proof.edges.is_empty()), (kind == "stripes", kind != "stripes"));
        assert_eq!(verify(&graph, &request, &record), Ok(()));
        for index in 0..proof.edges.len() {
            let mut other = record.clone();
            other.certificate.as_mut().expect("one").edges[index].peak += 1;
            assert!(verify(&graph, &request, &other).is_err());
        }
        for index in 0..proof.reached.len() {
            let mut other = record.clone();
            other.certificate.as_mut().expect("one").reached.remove(index);
            assert!(verify(&graph, &request, &other).is_err());
        }
        // The same report about another budget.
        let less = Request { budget: Budget { persistent: Some(1), ..request.budget.clone() }, ..request.clone() };
        assert!(verify(&graph, &less, &record).is_err());
        let mut other = record.clone();
        let certificate = other.certificate.as_mut().expect("one");
        certificate.op = "p".into();
        assert!(verify(&graph, &request, &other).is_err());
        for index in 0..record.certificate.as_ref().map_or(0, |one| one.storages.len()) {
            let mut other = record.clone();
            other.certificate.as_mut().expect("one").storages[index].bytes += 1;
            assert!(verify(&graph, &request, &other).is_err());
        }
        let mut other = record.clone();
        other.budget.available += 1;
        assert!(verify(&graph, &request, &other).is_err());
        let mut larger = graph.clone();
        for tensor in larger.tensors.iter_mut().filter(|tensor| tensor.kind != Kind::Weight) {
            tensor.bytes = Some(40);
        }
        assert!(verify(&larger, &request, &record).is_err());
    }
}

#[test]
fn bad_budgets_are_refused_in_a_sentence() {
    let graph = graph_of(WORKED);
    let key = |request: &Request| fit(&graph, request, &|| false).expect_err("refused").key.to_string();
    let mut none = request(64, "all");
    none.budget.memories.clear();
    assert_eq!(key(&none), "fit.memory-missing");
    let mut twice = request(64, "all");
    twice.budget.memories[1].name = "SRAM".into();
    assert_eq!(key(&twice), "fit.memory-twice");
    let mut full = request(64, "all");
    full.budget.persistent = Some(64);
    assert_eq!(key(&full), "fit.nothing-left");
    let mut scratch = request(64, "all");
    scratch.budget.by_operator = BTreeMap::from([("nobody".to_string(), 8)]);
    assert_eq!(key(&scratch), "fit.scratch-unknown");
    let mut device = request(64, "all");
    device.budget.memories[1].name = "cpu".into();
    assert_eq!(key(&device), "fit.memory-device");
    let mut vast = request(64, "all");
    vast.budget.memories[0].size = u64::MAX;
    assert_eq!(key(&vast), "fit.memory-vast");
    assert_eq!(Lever::list("planner,magic").expect_err("no lever").key, "fit.no-lever");
    assert_eq!(Lever::list("planner").expect("one"), BTreeSet::from([Lever::Planner]));
}

const STRIPES: &str = "planner,inplace,stripes";
const VIEWS: &str = "planner,inplace,views,stripes";

#[test]
fn changed_graphs_compute_the_same_and_agree_with_trying_everything() {
    let (mut numbers, mut kernels) = (Numbers(19), Numbers(23));
    let (mut fitted, mut striped, mut joined, mut refuted) = (BTreeMap::new(), 0, 0, [0, 0]);
    for round in 0..500 {
        let graph = with_rows(random_graph(&mut numbers));
        let vast = solve(&graph, &request(1 << 30, "planner")).finished.expect("a plan");
        let expected = execute(&vast.graph, &vast.problem, &vast.plan);
        // In every second graph, kernels need bytes of their own.
        let by_operator = if round % 2 == 1 { scratch_by_chance(&mut kernels, &graph) } else { BTreeMap::new() };
        let asked = |bytes, allow| {
            let mut request = request(bytes, allow);
            request.budget.by_operator = by_operator.clone();
            request
        };
        let tried = asked(1 << 30, FREE).with_scratch(&graph).expect("its operators");
        let most = largest_load(&tried, false);
        let capacity = most / 3 + numbers.below(most - most / 3 + 1);
        let mut prices = BTreeMap::new();
        for allow in [FREE, STRIPES, VIEWS, "planner,views", "planner,inplace,spill", "planner,recompute", "all"] {
            let request = asked(capacity, allow);
            let answer = solve(&graph, &request);
            if let Some(finished) = &answer.finished {
                *fitted.entry(allow).or_insert(0) += 1;
                striped += u32::from(answer.record.moves.iter().any(|one| one.lever == "stripes"));
                let found = execute(&finished.graph, &finished.problem, &finished.plan);
                assert_eq!(found, expected, "{allow} {capacity} {:?}", answer.record.moves);
                prices.insert(allow, answer.record.price.macs);
                joined += u32::from(finished.graph.nodes.iter().any(|node| stated_parts(node).is_some()));
            }
            if answer.record.certificate.is_some() || round % 8 == 0 {
                assert_eq!(verify(&graph, &request, &answer.record), Ok(()), "{allow} {capacity}");
            }
            // Stripes hold whole what has no rule for its rows, and name it. A concatenation in
            // parts runs not at all.
            let whole = answer.record.held.iter().filter(|held| held.key != "fit.held-turn");
            let held: BTreeSet<&str> = whole.flat_map(|held| &held.ops).map(|op| &**op).collect();
            let is_held = |node: &&Node| is_whole(&graph, node) && (node.op != "cat" || held.contains(&*node.name));
            let whole = graph.nodes.iter().filter(|_| request.has(Lever::Stripes)).filter(is_held);
            assert_eq!(held, whole.map(|node| node.name.as_str()).collect(), "{allow}");
            let result = answer.record.result.as_str();
            match allow {
                STRIPES | VIEWS => {
                    let best = cheapest_stripes(&tried, capacity, allow == VIEWS);
                    assert!(result != "impossible" || best.is_none(), "{capacity}");
                    if answer.record.optimal {
                        assert_eq!(Some(answer.record.price.macs), best, "{:?}", answer.record.moves);
                    }
                }
                FREE => {
                    let best = least_of_orders(&tried, true, true);
                    assert!(result != "impossible" || best > capacity, "{best} {capacity}");
                    assert!(result != "fits" || best <= capacity, "{best} {capacity}");
                }
                "planner,views" => {
                    let best = joins(&tried, true).iter().map(|graph| largest_load(graph, false)).min();
                    assert!(result != "impossible" || best > Some(capacity), "{best:?} {capacity}");
                    assert!(result != "fits" || best <= Some(capacity), "{best:?} {capacity}");
                }
                "planner,inplace,spill" | "planner,recompute" => {
                    let runs = runs(&tried, &request.allow, capacity).expect("few states");
                    refuted[usize::from(allow == "planner,recompute")] += u32::from(result == "impossible");
                    assert!(result != "impossible" || !runs, "{allow} {capacity}");
                    assert!(result != "fits" || runs, "{allow} {capacity}");
                }
                _ => {}
            }
        }
        // What lies in a concatenation never makes an answer dearer.
        if let Some(apart) = prices.get(STRIPES) {
            assert!(prices.get(VIEWS).is_some_and(|joined| joined <= apart), "{prices:?}");
        }
    }
    assert!(fitted.values().all(|&count| count > 20) && striped > 20 && joined > 50, "{fitted:?} {striped} {joined}");
    assert!(refuted.iter().all(|&count| count > 30), "{refuted:?}");
}

#[test]
fn what_stripes_leave_whole_or_assume_is_named() {
    let graph = |attrs: &str| {
        graph_of(&format!(
            r#"{{"format":"memory-graph/1","name":"pool","tensors":[
            {{"name":"x","dtype":"int8","shape":[1,1,8,8],"kind":"input"}},
            {{"name":"w","dtype":"int8","shape":[4,1,3,3],"kind":"weight"}},
            {{"name":"a","dtype":"int8","shape":[1,4,8,8],"kind":"intermediate"}},
            {{"name":"b","dtype":"int8","shape":[1,4,4,4],"kind":"intermediate"}},
            {{"name":"c","dtype":"int8","shape":[1,4,2,4],"kind":"intermediate"}},
            {{"name":"y","dtype":"int8","shape":[1,64],"kind":"output"}}],
            "nodes":[
            {{"name":"grow","op":"conv2d","inputs":["x","w"],"outputs":["a"]}},
            {{"name":"pool","op":"max_pool2d","inputs":["a"],"outputs":["b"]{attrs}}},
            {{"name":"odd","op":"max_pool2d","inputs":["b"],"outputs":["c"],"attrs":{{"stride":[2,1]}}}},
            {{"name":"end","op":"mystery","inputs":["c"],"outputs":["y"]}}]}}"#
        ))
    };
    let held = |record: &memplan_fit::FitRecord| -> Vec<(String, Vec<String>)> {
        record.held.iter().map(|held| (held.key.clone(), held.ops.clone())).collect()
    };
    let named = |key: &str, op: &str| (key.to_string(), vec![op.to_string()]);
    let open = solve(&graph(""), &request(40, "planner,stripes")).record;
    let rest = [named("fit.pinned-stride", "odd"), named("fit.pinned-op", "end")];
    assert_eq!(held(&open), [&[named("fit.held-window", "pool")][..], &rest].concat());
    let stated = graph(r#","attrs":{"kernel":[2,2],"stride":[2,2],"padding":[0,0]}"#);
    let stated = solve(&stated, &request(40, "planner,stripes")).record;
    assert_eq!(held(&stated), rest);
    assert_eq!(stated.result, "impossible");
    // The proof names how many operators it takes as whole.
    let words = report_text(&stated, Runtime::Compiled, Speech { locale: Locale::En, ..Speech::default() });
    assert!(words.contains("proved with 2 operators held whole"), "{words}");
    assert!(words.contains("the stride or padding is not known: odd"), "{words}");
    assert_eq!(held(&solve(&graph(""), &request(40, "planner")).record), []);
}

#[test]
fn pooling_without_a_window_reads_what_every_common_window_needs() {
    // Rows in and out → the rows that output rows [1, 2) need: of two rows, and of three with or
    // without padding.
    for (h, ho, rows) in [(8, 4, Some((1, 4))), (9, 4, Some((2, 5))), (9, 5, Some((1, 4))), (8, 8, None), (9, 3, None)]
    {
        let graph = graph_of(&format!(
            r#"{{"format":"memory-graph/1","name":"pool","tensors":[
            {{"name":"x","dtype":"int8","shape":[1,1,{h},{h}],"kind":"input"}},
            {{"name":"y","dtype":"int8","shape":[1,1,{ho},{ho}],"kind":"output"}}],
            "nodes":[{{"name":"pool","op":"max_pool2d","inputs":["x"],"outputs":["y"]}}]}}"#
        ));
        let rule = &Net::of(&graph, &Scope::default(), &|_| true).expect("sizes").ops[0].rule;
        let need = (!matches!(rule, RowRule::Pinned(_))).then(|| rule.need((1, 2), h, ho));
        assert_eq!(need, rows, "{h} {ho}");
    }
}
