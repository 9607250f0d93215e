//! What makes a graph fit: the worked example of docs/fit.md, certificates, and changed graphs that compute the same.

use std::collections::{BTreeMap, BTreeSet};

use memplan::base::Id;
use memplan::fit::{Answer, Bounds, Budget, Lever, Prefer, Request, StoredIn, fit, told_text, verify};
use memplan::graph::{Attr, Dim, Graph, Kind, Node, NodeId, TensorId};
use memplan::import::{self, Answers, Document};
use memplan::plan::check;
use memplan::problem::{Problem, Scope, lifetimes, load, stated_parts};
use memplan::text::{Locale, Speech};
use memplan::transform::{Block, Frame, Net, RowRule, heights, in_place, into_stripes, run_order, stated_rows};

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
    let frame = Frame::new(&net, &merged, &alive, 1, 4).expect("a range");
    let figures = |height| frame.block(height).map(|block| (block.stripes, block.peak, block.price.macs));
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

fn loads(answer: &Answer) -> Vec<u64> {
    let finished = answer.finished.as_ref().expect("a plan");
    let fast = |buffer: &memplan::problem::Buffer| finished.problem.memories[buffer.memory].device != "DRAM";
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
    for (bytes, allow) in [(79, FREE), (79, "planner"), (47, "planner,inplace,stripes"), (63, "planner,inplace,spill")]
    {
        let request = request(bytes, allow);
        let record = solve(&graph, &request).record;
        assert_eq!(record.result, "impossible", "{bytes} {allow}");
        assert_eq!(verify(&graph, &request, &record, &|| false), Ok(()));
        let mut other = record.clone();
        let certificate = other.certificate.as_mut().expect("one");
        certificate.op = "p".into();
        assert!(verify(&graph, &request, &other, &|| false).is_err());
        for index in 0..record.certificate.as_ref().map_or(0, |one| one.storages.len()) {
            let mut other = record.clone();
            other.certificate.as_mut().expect("one").storages[index].bytes += 1;
            assert!(verify(&graph, &request, &other, &|| false).is_err());
        }
        let mut other = record.clone();
        other.budget.available += 1;
        assert!(verify(&graph, &request, &other, &|| false).is_err());
        let mut larger = graph.clone();
        for tensor in larger.tensors.iter_mut().filter(|tensor| tensor.kind != Kind::Weight) {
            tensor.bytes = Some(40);
        }
        assert!(verify(&larger, &request, &record, &|| false).is_err());
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

/// Numbers that repeat: a linear congruential generator.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// A graph of up to eight operators with images of one column; a byte an element.
fn random_graph(numbers: &mut Numbers) -> Graph {
    let mut tensors = Vec::new();
    let mut nodes = Vec::new();
    let tensor = |name: &str, shape: [u64; 4], kind: &str| {
        format!(r#"{{"name":"{name}","dtype":"int8","shape":{shape:?},"kind":"{kind}"}}"#)
    };
    // Name, channels and rows of what was made.
    let mut made = vec![("x".to_string(), 1 + numbers.below(3), 6 + numbers.below(4))];
    tensors.push(tensor("x", [1, made[0].1, made[0].2, 1], "input"));
    let count = 3 + numbers.below(6);
    for index in 0..count {
        let name = format!("t{index}");
        let recent = made.len().saturating_sub(1 + numbers.below(2).min(made.len() as u64 - 1) as usize);
        let (input, channels, rows) = made[recent].clone();
        let kind = if index + 1 == count { "output" } else { "intermediate" };
        let mates: Vec<_> =
            made.iter().filter(|other| other.0 != input && (other.1, other.2) == (channels, rows)).cloned().collect();
        let beside: Vec<_> = made.iter().filter(|other| other.0 != input && other.2 == rows).cloned().collect();
        let (channels, rows) = match numbers.below(9) {
            0..=2 => {
                let (out, kernel) = (1 + numbers.below(4), [1, 3][numbers.below(2) as usize]);
                let stride = if kernel == 3 && rows >= 6 { 1 + numbers.below(2) } else { 1 };
                let pad = kernel / 2;
                tensors.push(tensor(&format!("w{index}"), [out, channels, kernel, 1], "weight"));
                nodes.push(format!(
                    r#"{{"name":"n{index}","op":"conv2d","inputs":["{input}","w{index}"],"outputs":["{name}"],"attrs":{{"stride":[{stride},1],"padding":[{pad},0]}}}}"#
                ));
                (out, (rows + 2 * pad - kernel) / stride + 1)
            }
            3 if rows >= 4 => {
                nodes.push(format!(
                    r#"{{"name":"n{index}","op":"max_pool2d","inputs":["{input}"],"outputs":["{name}"],"attrs":{{"kernel":[2,1],"stride":[2,1],"padding":[0,0]}}}}"#
                ));
                (channels, (rows - 2) / 2 + 1)
            }
            4 if !mates.is_empty() => {
                let other = &mates[numbers.below(mates.len() as u64) as usize].0;
                nodes.push(format!(
                    r#"{{"name":"n{index}","op":"add","inputs":["{input}","{other}"],"outputs":["{name}"],"inplace":[[0,0],[1,0]]}}"#
                ));
                (channels, rows)
            }
            7 | 8 if !beside.is_empty() => {
                let mut inputs = vec![(input.clone(), channels)];
                for _ in 0..1 + numbers.below(2) {
                    let (other, channels, _) = beside[numbers.below(beside.len() as u64) as usize].clone();
                    if !inputs.contains(&(other.clone(), channels)) {
                        inputs.push((other, channels));
                    }
                }
                if numbers.below(2) == 0 {
                    inputs.reverse();
                }
                let attrs = ["", r#","attrs":{"axis":1}"#, r#","attrs":{"dim":"-3"}"#][numbers.below(3) as usize];
                let names: Vec<&str> = inputs.iter().map(|(name, _)| name.as_str()).collect();
                nodes.push(format!(
                    r#"{{"name":"n{index}","op":"cat","inputs":{names:?},"outputs":["{name}"]{attrs}}}"#
                ));
                (inputs.iter().map(|(_, channels)| channels).sum(), rows)
            }
            5 if rows <= 5 => {
                nodes.push(format!(
                    r#"{{"name":"n{index}","op":"upsample_nearest2d","inputs":["{input}"],"outputs":["{name}"]}}"#
                ));
                (channels, 2 * rows)
            }
            _ => {
                nodes.push(format!(
                    r#"{{"name":"n{index}","op":"relu","inputs":["{input}"],"outputs":["{name}"],"inplace":[[0,0]]}}"#
                ));
                (channels, rows)
            }
        };
        tensors.push(tensor(&name, [1, channels, rows, 1], kind));
        made.push((name, channels, rows));
    }
    graph_of(&format!(
        r#"{{"format":"memory-graph/1","name":"random","tensors":[{}],"nodes":[{}]}}"#,
        tensors.join(","),
        nodes.join(",")
    ))
}

fn extents(graph: &Graph, tensor: TensorId) -> Vec<usize> {
    let number = |dim: &Dim| if let Dim::Fixed(extent) = dim { *extent as usize } else { panic!("open") };
    graph.tensors[tensor].shape.iter().map(number).collect()
}

fn numbers_of(node: &Node, name: &str) -> usize {
    let Some(Attr::Json(text) | Attr::Text(text)) = node.attrs.get(name) else { return 1 };
    text.trim_matches(['[', ']']).split(',').next().and_then(|first| first.trim().parse().ok()).expect("a number")
}

/// First byte of every tensor in the storage that holds it: a part of a concatenation begins at its range.
fn first_bytes(graph: &Graph) -> BTreeMap<TensorId, usize> {
    let mut root: BTreeMap<TensorId, TensorId> = graph.tensors.ids().map(|id| (id, id)).collect();
    for (input, output) in graph.nodes.iter().flat_map(|node| node.aliases().collect::<Vec<_>>()) {
        root.insert(output, root[&input]);
    }
    let mut start = BTreeMap::new();
    for (node, ranges) in graph.nodes.iter().filter_map(|node| Some((node, stated_parts(node)?))) {
        let channel: usize = extents(graph, node.outputs[0])[2..].iter().product();
        start.extend(node.inputs.iter().zip(ranges).map(|(input, (from, _))| (root[input], from as usize * channel)));
    }
    root.iter().map(|(&tensor, root)| (tensor, start.get(root).copied().unwrap_or(0))).collect()
}

/// Runs a graph in the memory of its plan, a byte an element, and returns what the graph outputs hold at the end.
fn execute(graph: &Graph, problem: &Problem, plan: &memplan::plan::Plan) -> BTreeMap<String, Vec<i8>> {
    let mut pools: Vec<Vec<i8>> = plan.pools.iter().map(|pool| vec![77; pool.size as usize]).collect();
    let (mut place, start) = (BTreeMap::new(), first_bytes(graph));
    for (id, buffer) in problem.buffers.enumerate() {
        let at = plan.places[id].expect("placed");
        let own = |&tensor: &TensorId| (tensor, (at.pool.index(), at.offset as usize + start[&tensor]));
        place.extend(buffer.tensors.iter().map(own));
    }
    // First row of what a tensor holds.
    let mut first: BTreeMap<TensorId, usize> = BTreeMap::new();
    let value = |name: &str, index: usize| {
        let seed = name.bytes().fold(7u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)));
        Numbers(seed ^ (index as u64) << 20).below(251) as i8
    };
    for (id, tensor) in graph.tensors.enumerate().filter(|(_, tensor)| tensor.kind == Kind::Input) {
        let (pool, offset) = place[&id];
        let count = extents(graph, id).iter().product();
        (0..count).for_each(|index| pools[pool][offset + index] = value(&tensor.name, index));
    }
    for node in graph.nodes.iter() {
        let output = node.outputs[0];
        if stated_parts(node).is_some() {
            // Nothing runs: what it joins must lie in its output.
            let buffer = problem.buffer_of(output);
            assert!(node.inputs.iter().all(|&input| problem.buffer_of(input) == buffer), "{}", node.name);
            continue;
        }
        let shape = extents(graph, output);
        let (a, b) = stated_rows(node).map_or((0, shape[2]), |(a, b)| (a as usize, b as usize));
        let base = if shape[2] == b - a { a } else { 0 };
        first.insert(output, base);
        let read = |pools: &[Vec<i8>], input: usize, channel: usize, row: usize| {
            let tensor = node.inputs[input];
            let (pool, offset) = place[&tensor];
            let shape = extents(graph, tensor);
            let local = row - first.get(&tensor).copied().unwrap_or(0);
            assert!(local < shape[2], "{} reads a row that is not there", node.name);
            pools[pool][offset + channel * shape[2] + local]
        };
        let channels = |input: usize| extents(graph, node.inputs[input])[1];
        // Rows of the whole input, where the window meets padding.
        let mut made = Vec::new();
        for channel in 0..shape[1] {
            for row in a..b {
                let result = match node.op.as_str() {
                    "conv2d" => {
                        let weight = node.inputs[1];
                        let (name, kernel) = (&graph.tensors[weight].name, extents(graph, weight)[2]);
                        let (stride, pad) = (numbers_of(node, "stride"), numbers_of(node, "padding"));
                        let rows = numbers_of(node, "whole");
                        let mut sum = 0i8;
                        for input in 0..channels(0) {
                            for tap in 0..kernel {
                                let at = row * stride + tap;
                                if at >= pad && at - pad < rows {
                                    let index = (channel * channels(0) + input) * kernel + tap;
                                    let term = value(name, index).wrapping_mul(read(&pools, 0, input, at - pad));
                                    sum = sum.wrapping_add(term);
                                }
                            }
                        }
                        sum
                    }
                    "max_pool2d" => read(&pools, 0, channel, 2 * row).max(read(&pools, 0, channel, 2 * row + 1)),
                    "upsample_nearest2d" => read(&pools, 0, channel, row / 2),
                    "add" => read(&pools, 0, channel, row).wrapping_add(read(&pools, 1, channel, row)),
                    "cat" => {
                        let mut own = (0, channel);
                        while own.1 >= channels(own.0) {
                            own = (own.0 + 1, own.1 - channels(own.0));
                        }
                        read(&pools, own.0, own.1, row)
                    }
                    "relu" => read(&pools, 0, channel, row).max(0),
                    _ => read(&pools, 0, channel, row),
                };
                made.push((channel * shape[2] + row - base, result));
            }
        }
        let (pool, offset) = place[&output];
        made.into_iter().for_each(|(index, result)| pools[pool][offset + index] = result);
        if node.op.starts_with("memplan.") {
            first.insert(output, first.get(&node.inputs[0]).copied().unwrap_or(0));
        }
    }
    let outputs = graph.tensors.enumerate().filter(|(_, tensor)| tensor.kind == Kind::Output);
    let bytes = outputs.map(|(id, tensor)| {
        let (pool, offset) = place[&id];
        let count: usize = extents(graph, id).iter().product();
        (tensor.name.clone(), pools[pool][offset..offset + count].to_vec())
    });
    bytes.collect()
}

/// The graph with the rows of the whole input at every convolution, which a stripe cannot see from its own input.
fn with_rows(mut graph: Graph) -> Graph {
    for id in graph.nodes.ids().collect::<Vec<_>>() {
        let rows = extents(&graph, graph.nodes[id].inputs[0])[2];
        graph.nodes[id].attrs_mut().insert("whole".into(), Attr::Json(rows.to_string()));
    }
    graph
}

/// The graph with every choice of concatenations whose inputs lie in their output: intermediates, each in one of them, of
/// which none is joined itself. The first joins none.
fn joins(graph: &Graph, may_join: bool) -> Vec<Graph> {
    let cats: Vec<NodeId> =
        graph.nodes.enumerate().filter(|(_, node)| node.op == "cat").map(|(id, _)| id).collect();
    let times = |tensor: &TensorId| cats.iter().filter(|&&cat| graph.nodes[cat].inputs.contains(tensor)).count();
    let is_part = |tensor: &TensorId| {
        let is_made = cats.iter().any(|&cat| graph.nodes[cat].outputs.contains(tensor));
        graph.tensors[*tensor].kind == Kind::Intermediate && times(tensor) == 1 && !is_made
    };
    let mut found = vec![graph.clone()];
    for &cat in cats.iter().filter(|&&cat| may_join && graph.nodes[cat].inputs.iter().all(is_part)) {
        let mut from = 0;
        let mut range = |input: &TensorId| {
            let range = (from, from + extents(graph, *input)[1]);
            from = range.1;
            format!("[{},{}]", range.0, range.1)
        };
        let ranges: Vec<String> = graph.nodes[cat].inputs.iter().map(&mut range).collect();
        for chosen in 0..found.len() {
            let mut joined = found[chosen].clone();
            let attrs = joined.nodes[cat].attrs_mut();
            attrs.insert("parts".into(), Attr::Json(format!("[{}]", ranges.join(","))));
            found.push(joined);
        }
    }
    found
}

/// The largest load of a graph as it is planned, with storage taken over or not.
fn largest_load(graph: &Graph, merges: bool) -> u64 {
    let net = Net::of(graph, &Scope::default(), &|_| true).expect("sizes");
    let merged = if merges { net.merged() } else { net.plain() };
    if net.parts.iter().all(|parts| parts.is_empty()) {
        return merged.load.into_iter().max().unwrap_or(0);
    }
    // Bytes between living parts count, too.
    let problem = lifetimes(&in_place(graph, &merged.pairs, &net.root), &Scope::default()).expect("sizes");
    let load = load(&problem, |_| true).max();
    assert!(load >= merged.load.into_iter().max().unwrap_or(0));
    load
}

/// What looks at a choice of ranges in stripes, each with its last operator.
type Judge<'a> = dyn FnMut(&[(Block, usize)]) + 'a;

/// Smallest number of multiplications more of all ways to run ranges in stripes within a capacity, by trying all of them, each
/// with every choice of concatenations in parts.
fn cheapest_stripes(graph: &Graph, capacity: u64, may_join: bool) -> Option<u64> {
    let joins = joins(graph, may_join);
    let net = Net::of(graph, &Scope::default(), &|_| true).expect("sizes");
    let merged = net.merged();
    let before = net.macs();
    let mut best = None;
    let mut chosen: Vec<(Block, usize)> = Vec::new();
    fn walk(
        at: usize,
        chosen: &mut Vec<(Block, usize)>,
        net: &Net,
        frames: &BTreeMap<(usize, usize), Frame>,
        judge: &mut Judge,
    ) {
        if at == net.ops.len() {
            return judge(chosen);
        }
        walk(at + 1, chosen, net, frames, judge);
        for last in at + 1..net.ops.len() {
            let Some(frame) = frames.get(&(at, last)) else { break };
            for height in heights(frame.rows()) {
                if let Some(block) = frame.block(height) {
                    chosen.push((block, last));
                    walk(last + 1, chosen, net, frames, judge);
                    chosen.pop();
                }
            }
        }
    }
    let mut frames = BTreeMap::new();
    for first in 0..net.ops.len() {
        let alive: Vec<usize> =
            (0..net.bytes.len()).filter(|&at| net.life[at].0 <= first && net.life[at].1 > first).collect();
        for last in first + 1..net.ops.len() {
            let Some(frame) = Frame::new(&net, &merged, &alive, first, last) else { break };
            frames.insert((first, last), frame);
        }
    }
    walk(0, &mut chosen, &net, &frames, &mut |chosen| {
        let frame = |block: &Block| &frames[&(block.first, block.last)];
        let blocks: Vec<_> =
            chosen.iter().map(|(block, _)| (*block, frame(block).schedule(block.height).expect("rows"))).collect();
        let whole: Vec<Vec<bool>> = chosen.iter().map(|(block, _)| frame(block).whole().to_vec()).collect();
        let striped: Vec<Graph> = joins.iter().map(|graph| into_stripes(graph, &blocks, &whole)).collect();
        let changed = Net::of(&striped[0], &Scope::default(), &|_| true).expect("sizes");
        if striped.iter().any(|striped| largest_load(striped, true) <= capacity) {
            // Rows that nobody reads are not made in stripes; that is no credit for other ranges.
            let macs: u64 = chosen.iter().map(|(block, _)| block.price.macs).sum();
            assert!(changed.macs() <= before + macs);
            best = Some(best.map_or(macs, |best: u64| best.min(macs)));
        }
    });
    best
}

/// The smallest largest load of all orders, with and without overwriting and concatenations in parts.
fn least_of_orders(graph: &Graph, merges: bool, may_join: bool) -> u64 {
    let mut best = u64::MAX;
    let joins = joins(graph, may_join);
    let makers: Vec<BTreeSet<usize>> = {
        let maker: BTreeMap<TensorId, usize> = graph
            .nodes
            .iter()
            .enumerate()
            .flat_map(|(step, node)| node.outputs.iter().map(move |&o| (o, step)))
            .collect();
        graph.nodes.iter().map(|node| node.inputs.iter().filter_map(|i| maker.get(i).copied()).collect()).collect()
    };
    fn walk(order: &mut Vec<usize>, makers: &[BTreeSet<usize>], judge: &mut dyn FnMut(&[usize])) {
        if order.len() == makers.len() {
            return judge(order);
        }
        for step in 0..makers.len() {
            if !order.contains(&step) && makers[step].iter().all(|maker| order.contains(maker)) {
                order.push(step);
                walk(order, makers, judge);
                order.pop();
            }
        }
    }
    walk(&mut Vec::new(), &makers, &mut |order| {
        let loads = joins.iter().map(|graph| largest_load(&run_order(graph, order), merges));
        best = best.min(loads.min().unwrap_or(0));
    });
    best
}

const STRIPES: &str = "planner,inplace,stripes";
const VIEWS: &str = "planner,inplace,views,stripes";

#[test]
fn changed_graphs_compute_the_same_and_agree_with_trying_everything() {
    let mut numbers = Numbers(19);
    let (mut fitted, mut striped, mut joined) = (BTreeMap::new(), 0, 0);
    for _ in 0..500 {
        let graph = with_rows(random_graph(&mut numbers));
        let vast = solve(&graph, &request(1 << 30, "planner")).finished.expect("a plan");
        let expected = execute(&vast.graph, &vast.problem, &vast.plan);
        let most = vast.peak;
        let capacity = most / 3 + numbers.below(most - most / 3 + 1);
        let mut prices = BTreeMap::new();
        for allow in [FREE, STRIPES, VIEWS, "planner,views", "planner,inplace,spill", "planner,recompute", "all"] {
            let request = request(capacity, allow);
            let answer = solve(&graph, &request);
            if let Some(finished) = &answer.finished {
                *fitted.entry(allow).or_insert(0) += 1;
                striped += u32::from(answer.record.moves.iter().any(|one| one.lever == "stripes"));
                let found = execute(&finished.graph, &finished.problem, &finished.plan);
                assert_eq!(found, expected, "{allow} {capacity} {:?}", answer.record.moves);
                prices.insert(allow, answer.record.price.macs);
                joined += u32::from(finished.graph.nodes.iter().any(|node| stated_parts(node).is_some()));
            }
            if answer.record.certificate.is_some() {
                assert_eq!(verify(&graph, &request, &answer.record, &|| false), Ok(()));
            }
            let result = answer.record.result.as_str();
            match allow {
                STRIPES | VIEWS => {
                    let best = cheapest_stripes(&graph, capacity, allow == VIEWS);
                    assert!(result != "impossible" || best.is_none(), "{capacity}");
                    if answer.record.optimal {
                        assert_eq!(Some(answer.record.price.macs), best, "{:?}", answer.record.moves);
                    }
                }
                FREE => {
                    let best = least_of_orders(&graph, true, true);
                    assert!(result != "impossible" || best > capacity, "{best} {capacity}");
                    assert!(result != "fits" || best <= capacity, "{best} {capacity}");
                }
                "planner,views" => {
                    let best = joins(&graph, true).iter().map(|graph| largest_load(graph, false)).min();
                    assert!(result != "impossible" || best > Some(capacity), "{best:?} {capacity}");
                    assert!(result != "fits" || best <= Some(capacity), "{best:?} {capacity}");
                }
                _ => {}
            }
        }
        // What lies in a concatenation never makes an answer dearer.
        if let Some(apart) = prices.get(STRIPES) {
            assert!(prices.get(VIEWS).is_some_and(|joined| joined <= apart), "{prices:?}");
        }
    }
    assert!(fitted.values().all(|&count| count > 40) && striped > 20 && joined > 100, "{fitted:?} {striped} {joined}");
}

/// Spilling and making again have no end on a large graph: the search ends after so many questions, a few seconds.
fn solve_large(graph: &Graph, budget: u64, paid: &str) -> Answer {
    let asked = std::cell::Cell::new(0);
    let request = request(budget, &format!("planner,inplace,views,{paid}"));
    solve_for(graph, &request, &|| asked.replace(asked.get() + 1) > 2_000)
}

/// `model, budget, levers that cost, most MACs, most bytes moved`: the table of docs/fit.md.
const MODELS: [(&str, u64, &str, u64, u64); 16] = [
    ("mobilenet_v2", 6_021_120, "", 0, 0),
    ("mobilenet_v2", 4_157_440, "stripes", 172_032, 0),
    ("mobilenet_v2", 3_118_080, "stripes", 516_096, 0),
    ("mobilenet_v2", 1_978_368, "stripes", 3_139_584, 0),
    ("mobilenet_v2", 1_053_696, "stripes", 34_420_736, 0),
    ("resnet18", 4_014_080, "", 0, 0),
    ("resnet18", 3_039_232, "stripes", 1_053_696, 0),
    ("resnet18", 2_021_376, "stripes", 13_526_016, 0),
    ("resnet18", 1_648_640, "stripes", 419_457_024, 0),
    ("resnet18", 1_605_632, "stripes", 1_872_783_360, 0),
    ("unet_512", 201_326_592, "", 0, 0),
    ("unet_512", 167_772_160, "stripes", 277_000_000, 0),
    ("unet_512", 134_217_728, "stripes", 97_148_469_248, 0),
    ("sd15_unet", 84_127_744, "", 0, 0),
    ("sd15_unet", 78_950_400, "recompute", 47_185_920, 0),
    ("sd15_unet", 62_914_560, "spill", 0, 126_816_256),
];

fn model(path: &std::path::Path) -> Graph {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    match import::read(&bytes, Answers::default()).unwrap_or_else(|faults| panic!("{faults:?}")).document {
        Document::Graph(graph) => graph,
        other => panic!("{other:?}"),
    }
}

#[test]
fn models_fit_at_these_prices() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/models");
    for (name, budget, paid, macs, bytes) in MODELS {
        let graph = model(&folder.join(format!("{name}.json.gz")));
        let record = match paid {
            "spill" | "recompute" => solve_large(&graph, budget, paid).record,
            "" => solve(&graph, &request(budget, FREE)).record,
            _ => solve(&graph, &request(budget, &with(paid))).record,
        };
        let is_within = record.price.macs <= macs && record.price.bytes_moved <= bytes;
        assert_eq!((record.result.as_str(), is_within), ("fits", true), "{name} {budget}: {record:?}");
    }
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
    let held = |record: &memplan::fit::FitRecord| -> Vec<(String, Vec<String>)> {
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
    let words = told_text(&stated, Speech { locale: Locale::En, ..Speech::default() });
    assert!(words.contains("proved with 2 operators held whole"), "{words}");
    assert!(words.contains("several strides or paddings explain the shapes: odd"), "{words}");
    assert_eq!(held(&solve(&graph(""), &request(40, "planner")).record), []);
}

#[test]
fn pooling_without_a_window_reads_what_every_common_window_needs() {
    // Rows in and out → the rows that output rows [1, 2) need: of two rows, and of three with or without padding.
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

#[test]
fn what_fits_in_less_fits_in_more() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tflite");
    let graph = model(&folder.join("small_cnn_int8.tflite"));
    for kib in 10..=20 {
        let record = solve(&graph, &request(kib << 10, "planner,order,stripes")).record;
        assert_eq!(record.result, "fits", "{kib} KiB");
    }
}

#[test]
fn what_was_brought_back_is_brought_back_again_without_a_copy_out() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/models");
    let graph = model(&folder.join("sd15_unet.json.gz"));
    let finished = solve_large(&graph, 62_914_560, "spill").finished.expect("a plan");
    let count = |op: &str| finished.graph.nodes.iter().filter(|node| node.op == op).count();
    assert!(count("memplan.fill") > count("memplan.spill") && count("memplan.spill") > 0);
}

/// Models for microcontrollers, in folders beside the directory that `MEMPLAN_GOLDEN` names.
#[test]
fn models_beside_the_golden_directory_fit_at_these_prices() {
    let Some(golden) = std::env::var_os("MEMPLAN_GOLDEN").map(std::path::PathBuf::from) else { return };
    let folder = golden.join("..");
    let models = [
        ("models/tflite/mobilenet_v2_035_96_int8.tflite", 94_464, 18_432),
        ("models/tflite/mobilenet_v2_035_96_int8.tflite", 64_512, 55_296),
        ("models/tflite/mobilenet_v2_035_96_int8.tflite", 47_616, 1_030_656),
        ("models/tflite/mobilenet_v2_035_96_int8.tflite", 40_320, 2_155_008),
        ("benchmarks/tflm/person_detect.tflite", 46_848, 6_144),
        ("benchmarks/tflm/person_detect.tflite", 40_704, 12_288),
        ("benchmarks/tflm/person_detect.tflite", 21_888, 1_211_136),
    ];
    for (path, budget, macs) in models.into_iter().filter(|(path, ..)| folder.join(path).exists()) {
        let record = solve(&model(&folder.join(path)), &request(budget, &with("stripes"))).record;
        assert_eq!((record.result.as_str(), record.price.macs <= macs), ("fits", true), "{path} {budget}: {record:?}");
    }
}
