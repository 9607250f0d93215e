//! Small files written for one effect each. Real ones are read in `tests/native/tflite.rs`.

use flatbuffers::{FlatBufferBuilder, TableFinishedWIPOffset, WIPOffset};

use super::*;
use crate::import::{Imported, Question, read as read_any};
use memplan_core::graph::{Dtype, Graph, Kind};
use memplan_core::plan::check;
use memplan_core::problem::{Scope, lifetimes};
use memplan_fit::transform::{Layout, RowRule, rule_of};

#[derive(Clone, Default)]
struct Made {
    name: &'static str,
    shape: Vec<i32>,
    element: i8,
    data: bool,
    variable: bool,
    signature: Vec<i32>,
}

/// Numbers at slots of a table.
type Slots = Vec<(u16, i32)>;

#[derive(Clone, Default)]
struct MadeGraph {
    name: &'static str,
    tensors: Vec<Made>,
    inputs: Vec<i32>,
    outputs: Vec<i32>,
    /// Index of the code, inputs, outputs.
    operators: Vec<(u32, Vec<i32>, Vec<i32>)>,
    /// Of each operator the kind of its options, padding, and numbers at slots; nothing of those
    /// beyond.
    options: Vec<(u8, i8, Slots)>,
}

#[derive(Clone, Default)]
struct MadeFile {
    graphs: Vec<MadeGraph>,
    codes: Vec<(i32, &'static str)>,
    offline: Option<Vec<i32>>,
}

type Table = WIPOffset<TableFinishedWIPOffset>;

impl MadeFile {
    fn bytes(&self) -> Vec<u8> {
        let mut fbb = FlatBufferBuilder::new();
        let graphs: Vec<Table> = self.graphs.iter().map(|graph| graph.write(&mut fbb)).collect();
        let graphs = fbb.create_vector(&graphs);
        let codes: Vec<Table> = self
            .codes
            .iter()
            .map(|(code, custom)| {
                let custom = fbb.create_string(custom);
                let table = fbb.start_table();
                fbb.push_slot::<i8>(4, (*code).min(127) as i8, 0);
                fbb.push_slot_always(6, custom);
                fbb.push_slot::<i32>(10, *code, 0);
                fbb.end_table(table)
            })
            .collect();
        let codes = fbb.create_vector(&codes);
        let plan: Vec<u8> = self.offline.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
        let buffers: Vec<Table> = [&[][..], &[1, 2, 3, 4], &plan]
            .iter()
            .map(|data| {
                let data = fbb.create_vector(data);
                let table = fbb.start_table();
                fbb.push_slot_always(4, data);
                fbb.end_table(table)
            })
            .collect();
        let buffers = fbb.create_vector(&buffers);
        let mut metadata = Vec::new();
        if self.offline.is_some() {
            let name = fbb.create_string("OfflineMemoryAllocation");
            let table = fbb.start_table();
            fbb.push_slot_always(4, name);
            fbb.push_slot::<u32>(6, 2, 0);
            metadata.push(fbb.end_table(table));
        }
        let metadata = fbb.create_vector(&metadata);
        let description = fbb.create_string("made by a test");
        let table = fbb.start_table();
        fbb.push_slot::<u32>(4, 3, 0);
        fbb.push_slot_always(6, codes);
        fbb.push_slot_always(8, graphs);
        fbb.push_slot_always(10, description);
        fbb.push_slot_always(12, buffers);
        fbb.push_slot_always(16, metadata);
        let root = fbb.end_table(table);
        fbb.finish(root, Some("TFL3"));
        fbb.finished_data().to_vec()
    }

    fn read(&self, answers: Answers) -> Imported {
        read_any(&self.bytes(), answers).unwrap_or_else(|faults| panic!("{faults:?}"))
    }

    fn graph(&self) -> Graph {
        self.read(Answers::default()).document.graph().expect("nodes").clone()
    }

    fn faults(&self) -> Vec<String> {
        let faults = read_any(&self.bytes(), Answers::default()).expect_err("refused");
        faults.iter().map(|fault| format!("{} {}", fault.path, fault.message.key)).collect()
    }
}

impl MadeGraph {
    fn write(&self, fbb: &mut FlatBufferBuilder) -> Table {
        let tensors: Vec<Table> = self.tensors.iter().map(|tensor| tensor.write(fbb)).collect();
        let tensors = fbb.create_vector(&tensors);
        let operators: Vec<Table> = self
            .operators
            .iter()
            .enumerate()
            .map(|(at, (code, inputs, outputs))| {
                let (inputs, outputs) = (fbb.create_vector(inputs), fbb.create_vector(outputs));
                let options = self.options.get(at).map(|(kind, padding, numbers)| {
                    let table = fbb.start_table();
                    fbb.push_slot::<i8>(4, *padding, 0);
                    numbers.iter().for_each(|&(slot, number)| fbb.push_slot::<i32>(slot, number, 0));
                    (*kind, fbb.end_table(table))
                });
                let table = fbb.start_table();
                if let Some((kind, options)) = options {
                    fbb.push_slot::<u8>(10, kind, 0);
                    fbb.push_slot_always(12, options);
                }
                fbb.push_slot::<u32>(4, *code, 0);
                fbb.push_slot_always(6, inputs);
                fbb.push_slot_always(8, outputs);
                fbb.end_table(table)
            })
            .collect();
        let operators = fbb.create_vector(&operators);
        let (inputs, outputs) = (fbb.create_vector(&self.inputs), fbb.create_vector(&self.outputs));
        let name = fbb.create_string(self.name);
        let table = fbb.start_table();
        fbb.push_slot_always(4, tensors);
        fbb.push_slot_always(6, inputs);
        fbb.push_slot_always(8, outputs);
        fbb.push_slot_always(10, operators);
        fbb.push_slot_always(12, name);
        fbb.end_table(table)
    }
}

impl Made {
    fn write(&self, fbb: &mut FlatBufferBuilder) -> Table {
        let (shape, signature) = (fbb.create_vector(&self.shape), fbb.create_vector(&self.signature));
        let name = fbb.create_string(self.name);
        let table = fbb.start_table();
        fbb.push_slot_always(4, shape);
        fbb.push_slot::<i8>(6, self.element, 0);
        fbb.push_slot::<u32>(8, u32::from(self.data), 0);
        fbb.push_slot_always(10, name);
        fbb.push_slot::<bool>(14, self.variable, false);
        if !self.signature.is_empty() {
            fbb.push_slot_always(18, signature);
        }
        fbb.end_table(table)
    }
}

fn tensor(name: &'static str, shape: &[i32]) -> Made {
    Made { name, shape: shape.to_vec(), ..Made::default() }
}

/// `x → RESHAPE → a → RESHAPE → b → ADD with c → d → ADD itself → y`; `c` is made from `x` by an
/// operator of its own.
fn chain() -> MadeFile {
    let names = ["x", "a", "b", "c", "d", "y"];
    let graph = MadeGraph {
        name: "main",
        tensors: names.map(|name| tensor(name, &[2, 3])).into(),
        inputs: vec![0],
        outputs: vec![5],
        operators: vec![
            (0, vec![0], vec![1]),
            (0, vec![1], vec![2]),
            (2, vec![0, -1], vec![3]),
            (1, vec![2, 3], vec![4]),
            (1, vec![4, 4], vec![5]),
        ],
        options: Vec::new(),
    };
    MadeFile { graphs: vec![graph], codes: vec![(22, ""), (0, ""), (32, "Mine")], offline: None }
}

fn offline(offsets: &[i32]) -> MadeFile {
    let head = [1, 1, offsets.len() as i32];
    MadeFile { offline: Some([&head, offsets].concat()), ..chain() }
}

#[test]
fn storage_is_shared_where_the_interpreter_shares_it() {
    let file = chain();
    let graph = file.graph();
    assert_eq!(
        graph.nodes.iter().map(|node| &node.op[..]).collect::<Vec<_>>(),
        ["RESHAPE", "RESHAPE", "Mine", "ADD", "ADD"]
    );
    assert_eq!(graph.nodes.iter().map(|node| node.inputs.len()).collect::<Vec<_>>(), [1, 1, 1, 2, 2]);
    // Of the graph input a copy is made.
    assert_eq!(graph.nodes.iter().map(|node| node.aliases().count()).collect::<Vec<_>>(), [0, 1, 0, 0, 0]);
    // Either operand of the first addition; no graph output overwrites anything.
    let inplace: Vec<_> = graph.nodes.iter().map(|node| node.inplace.clone()).collect();
    assert_eq!(inplace, [vec![], vec![], vec![], vec![(0, 0), (1, 0)], vec![]]);
    let facts: Vec<String> = file.read(Answers::default()).facts.iter().map(|fact| fact.key.to_string()).collect();
    assert_eq!(facts, ["fact.tflite-file", "fact.tflite-views", "fact.tflite-inplace", "fact.tflite-scratch"]);
}

#[test]
fn numbers_of_operators_are_those_of_the_schema() {
    let mut file = chain();
    file.codes = vec![(22, ""), (25, ""), (32, ""), (150, ""), (209, ""), (210, ""), (-1, "")];
    let graph = &mut file.graphs[0];
    graph.operators = (0..7).map(|code| (code, vec![0], vec![])).collect();
    graph.outputs = vec![];
    let ops: Vec<String> = file.graph().nodes.iter().map(|node| node.op.clone()).collect();
    assert_eq!(ops, ["RESHAPE", "SOFTMAX", "CUSTOM", "GELU", "STABLEHLO_CASE", "BUILTIN_210", "BUILTIN_-1"]);
}

#[test]
fn custom_operators_are_marked() {
    // Whatever its name is: `CONV_2D` of a vendor is not the interpreter's.
    let mut file = chain();
    file.codes[2].1 = "CONV_2D";
    for node in file.graph().nodes.iter() {
        assert_eq!((node.has_effects(), node.is_pure()), (node.op == "CONV_2D", node.op != "CONV_2D"), "{}", node.op);
    }
}

#[test]
fn every_kind_of_tensor_is_told() {
    let mut file = chain();
    let graph = &mut file.graphs[0];
    graph.tensors[0].signature = vec![-1, 3];
    graph.tensors[1].signature = vec![-1, 3];
    graph.tensors[3] = Made { element: 17, ..tensor("c", &[5]) };
    graph.tensors.push(Made { data: true, ..tensor("w", &[1]) });
    graph.tensors.push(Made { variable: true, ..tensor("state", &[7]) });
    graph.tensors.push(Made { element: 5, ..tensor("words", &[1]) });
    graph.tensors.push(tensor("unused", &[9]));
    graph.operators[2].1 = vec![0, 6, 7];
    graph.operators[3].2 = vec![4, 8];
    let read = file.read(Answers::default());
    let graph = read.document.graph().expect("nodes");
    let found: Vec<_> =
        graph.tensors.enumerate().map(|(id, there)| (&there.name[..], there.kind, graph.shape_words(id))).collect();
    let shape = |text: &str| text.to_string();
    assert_eq!(
        found,
        [
            ("x", Kind::Input, shape("d0×3")),
            ("a", Kind::Intermediate, shape("d0×3")),
            ("b", Kind::Intermediate, shape("2×3")),
            ("c", Kind::Intermediate, shape("5")),
            ("d", Kind::Intermediate, shape("2×3")),
            ("y", Kind::Output, shape("2×3")),
            ("w", Kind::Weight, shape("1")),
            ("state", Kind::Weight, shape("7")),
            ("words", Kind::Intermediate, shape("?")),
        ]
    );
    assert_eq!(graph.symbols["d0"].hint, 2);
    // Five elements of four bits.
    assert_eq!(graph.tensors[memplan_core::graph::TensorId(3)].dtype, Dtype::Int4);
    assert_eq!(graph.bytes_of(memplan_core::graph::TensorId(3), &Default::default()), Ok(3));
    let [Question::Shapes(open)] = &read.questions[..] else { panic!("{:?}", read.questions) };
    assert_eq!(open[0].tensor, "words");
    let mut answers = Answers::default();
    answers.shapes.insert("words".into(), "40 B".into());
    let answered = file.read(answers);
    assert!(answered.questions.is_empty());
    assert!(lifetimes(answered.document.graph().expect("nodes"), &Scope::default()).is_ok());
}

#[test]
fn one_subgraph_of_several_is_read() {
    let mut file = chain();
    file.codes.push((119, ""));
    let mut second = MadeGraph { name: "body", ..file.graphs[0].clone() };
    second.operators.truncate(1);
    second.outputs = vec![1];
    file.graphs[0].operators[2].0 = 3;
    file.graphs.push(second);
    let read = file.read(Answers::default());
    assert_eq!(read.questions, [Question::Model(vec!["main".into(), "body".into()])]);
    assert_eq!(read.warnings.iter().map(|fault| &fault.message.key[..]).collect::<Vec<_>>(), ["warning.tflite-calls"]);
    let body = file.read(Answers { model: "body".into(), ..Answers::default() });
    assert_eq!(body.document.graph().map(|graph| (graph.name.clone(), graph.nodes.len())), Some(("body".into(), 1)));
    let faults = read_any(&file.bytes(), Answers { model: "tail".into(), ..Answers::default() }).expect_err("no such");
    assert_eq!(faults[0].message.key, "fault.no-such-model");
}

#[test]
fn the_plan_in_the_metadata_is_the_files_own() {
    let read = offline(&[0, 24, 48, -1, 0, 24]).read(Answers::default());
    let Document::Planned(graph, problem, plan) = read.document else { panic!("a plan") };
    assert_eq!((graph.nodes.len(), plan.peak(&problem), plan.unplanned.len()), (5, 72, 1));
    assert_eq!(check(&problem, &plan), []);
    assert_eq!(plan.pools.iter().map(|pool| pool.size).collect::<Vec<_>>(), [72]);
    assert!(read.facts.iter().any(|fact| fact.key == "fact.tflite-offline"));
    // Nothing placed is no plan.
    assert!(matches!(offline(&[-1; 6]).read(Answers::default()).document, Document::Graph(_)));
}

#[test]
fn a_plan_may_lay_a_result_into_its_operand() {
    // RESHAPE in place, and an addition that overwrites what ends there.
    let read = offline(&[0, 24, 24, 48, 24, 0]).read(Answers::default());
    let Document::Planned(_, problem, plan) = read.document else { panic!("a plan") };
    assert_eq!((problem.buffers.len(), plan.peak(&problem), plan.shared.len()), (5, 72, 1));
    assert_eq!(check(&problem, &plan), []);
}

/// `command`, `scratch`, `fast` and `x` → `y`, as Vela compiles a whole model.
fn for_an_accelerator(offsets: &[i32]) -> MadeFile {
    let bytes = |name, count| Made { element: 9, ..tensor(name, &[count]) };
    let command = Made { data: true, ..bytes("command", 4) };
    let tensors = vec![command, bytes("scratch", 200), bytes("fast", 200), bytes("x", 96), bytes("y", 10)];
    let operators = vec![(0, vec![0, 1, 2, 3], vec![4])];
    let graph = MadeGraph { name: "main", tensors, inputs: vec![3], outputs: vec![4], operators, options: Vec::new() };
    let offline = Some([&[1, 1, offsets.len() as i32], offsets].concat());
    MadeFile { graphs: vec![graph], codes: vec![(32, "ethos-u")], offline }
}

#[test]
fn the_memory_of_an_accelerator_is_one_region() {
    let read = for_an_accelerator(&[-1, 0, 0, 0, 96]).read(Answers::default());
    assert_eq!(read.warnings, []);
    assert!(read.facts.iter().any(|fact| fact.key == "fact.tflite-region"));
    let Document::Planned(graph, problem, plan) = read.document else { panic!("a plan") };
    assert_eq!((problem.buffers.len(), plan.peak(&problem)), (1, 200));
    assert_eq!(check(&problem, &plan), []);
    // Any other plan has the region, too.
    let again = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    assert_eq!(
        again.buffers.iter().map(|buffer| (&buffer.name[..], buffer.size)).collect::<Vec<_>>(),
        [("scratch", 200)]
    );
    // A plan that keeps them apart, or none, makes them inputs.
    for offsets in [[-1, 0, 208, 416, 512], [-1; 5]] {
        let read = for_an_accelerator(&offsets).read(Answers::default());
        assert_eq!(read.warnings[0].message.key, "warning.flat-sourceless");
        assert_eq!(read.document.graph().map(|graph| graph.tensors.len()), Some(5));
    }
}

#[test]
fn a_plan_that_lies_about_its_length_is_left_out() {
    for words in [
        vec![],
        vec![1],
        vec![1, 1, 6],
        vec![1, 1, 6, 0, 0],
        vec![1, 1, i32::MAX, 0],
        vec![1, 1, -1],
        vec![1, 1, 2, 0, 0],
    ] {
        let read = MadeFile { offline: Some(words.clone()), ..chain() }.read(Answers::default());
        assert!(matches!(read.document, Document::Graph(_)), "{words:?}");
        assert_eq!(read.warnings[0].message.key, "warning.tflite-offline", "{words:?}");
    }
}

#[test]
fn indices_that_lead_nowhere_are_faults() {
    let mut file = chain();
    file.graphs[0].operators[0] = (9, vec![0], vec![1]);
    assert!(file.faults().contains(&"operators[0] fault.flat-index".to_string()), "{:?}", file.faults());
    let mut file = chain();
    file.graphs[0].operators[0].1 = vec![77, -2];
    assert_eq!(file.faults(), ["operators[0].inputs[0] fault.flat-index", "operators[0].inputs[1] fault.flat-index"]);
    let mut file = chain();
    file.graphs[0].inputs = vec![i32::MIN];
    assert_eq!(file.faults(), ["inputs[0] fault.flat-index"]);
    let mut file = chain();
    file.graphs[0].tensors[0].shape = vec![1; 65];
    assert_eq!(file.faults(), ["tensors[0].shape fault.rank"]);
    let mut file = chain();
    file.graphs[0].tensors[1].shape = vec![i32::MAX; 4];
    assert!(!file.faults().is_empty());
    assert_eq!(MadeFile::default().faults(), ["subgraphs fault.tflite-no-subgraph"]);
}

#[test]
fn operators_run_in_the_order_of_the_file_or_not_at_all() {
    let mut file = chain();
    file.graphs[0].operators.swap(0, 1);
    assert!(file.faults()[0].contains("fault.use-before-made"), "{:?}", file.faults());
}

#[test]
fn every_truncation_is_a_sentence_or_a_document() {
    let whole = offline(&[0, 24, 48, -1, 0, 24]).bytes();
    for end in 0..whole.len() {
        if let Err(faults) = read_any(&whole[..end], Answers::default()) {
            assert!(!faults.is_empty());
        }
    }
    let faults = read_any(&whole[..whole.len() / 2], Answers::default()).expect_err("half a file");
    assert!(faults[0].message.key.starts_with("fault.flat-"), "{faults:?}");
}

/// One shape of many extents that many tensors refer to: little to store, much to walk.
#[test]
fn a_file_that_refers_to_the_same_bytes_again_and_again_is_refused() {
    let mut fbb = FlatBufferBuilder::new();
    let shape = fbb.create_vector(&vec![1i32; 20_000]);
    let table = fbb.start_table();
    fbb.push_slot_always(4, shape);
    let one: Table = fbb.end_table(table);
    let tensors = fbb.create_vector(&vec![one; 20_000]);
    let table = fbb.start_table();
    fbb.push_slot_always(4, tensors);
    let graph: Table = fbb.end_table(table);
    let graphs = fbb.create_vector(&vec![graph; 20_000]);
    let table = fbb.start_table();
    fbb.push_slot_always(8, graphs);
    let root = fbb.end_table(table);
    fbb.finish(root, Some("TFL3"));
    let faults = read_any(fbb.finished_data(), Answers::default()).expect_err("refused");
    assert_eq!(faults[0].message.key, "fault.flat-limit");
}

#[test]
fn strides_paddings_and_dilations_of_windows_are_read() {
    let tensor = |name, shape: [i32; 4], data| Made { name, shape: shape.to_vec(), data, ..Made::default() };
    let file = MadeFile {
        graphs: vec![MadeGraph {
            tensors: vec![
                tensor("x", [1, 16, 16, 4], false),
                tensor("v", [4, 3, 3, 4], true),
                tensor("a", [1, 12, 12, 4], false),
                tensor("w", [1, 3, 3, 4], true),
                tensor("b", [1, 6, 12, 4], false),
                tensor("c", [1, 3, 6, 4], false),
            ],
            inputs: vec![0],
            outputs: vec![5],
            operators: vec![(0, vec![0, 1], vec![2]), (1, vec![2, 3], vec![4]), (2, vec![4], vec![5])],
            options: vec![
                (1, 1, vec![(6, 1), (8, 1), (12, 2), (14, 2)]),
                (2, 0, vec![(6, 1), (8, 2), (14, 1), (16, 3)]),
                (5, 1, vec![(6, 2), (8, 2), (10, 2), (12, 2)]),
            ],
            ..MadeGraph::default()
        }],
        codes: vec![(3, ""), (4, ""), (17, "")],
        ..MadeFile::default()
    };
    let graph = file.graph();
    let words = |at: usize, name: &str| {
        let (Attr::Text(text) | Attr::Json(text)) = graph.nodes.iter().nth(at)?.attrs.get(name)?;
        Some(text.as_str())
    };
    let stated = |at| ["padding", "strides", "dilations", "kernel"].map(|name| words(at, name));
    assert_eq!(stated(0), [Some("VALID"), Some("[1,1]"), Some("[2,2]"), None]);
    // Rows come first, although the file has columns first.
    assert_eq!(stated(1), [Some("SAME"), Some("[2,1]"), Some("[3,1]"), None]);
    assert_eq!(stated(2), [Some("VALID"), Some("[2,2]"), None, Some("[2,2]")]);
    let rules: Vec<RowRule> = graph.nodes.iter().map(|node| rule_of(&graph, node, Layout::of(&graph))).collect();
    let window = |stride, pad, kernel, dilation| RowRule::Window { stride, pad, kernel, dilation };
    // SAME: (6 - 1) * 2 + 7 - 12 = 5 rows of padding, two of them before.
    assert_eq!(rules, [window(1, 0, 3, 2), window(2, 2, 3, 3), window(2, 0, 2, 1)]);
}

#[test]
fn how_a_resize_and_a_transposed_convolution_count_rows_is_read() {
    let tensor = |name, shape: [i32; 4], data| Made { name, shape: shape.to_vec(), data, ..Made::default() };
    let resize = |corners| {
        let file = MadeFile {
            graphs: vec![MadeGraph {
                tensors: vec![
                    tensor("x", [1, 4, 4, 1], false),
                    tensor("a", [1, 12, 12, 1], false),
                    tensor("w", [1, 3, 3, 1], true),
                    tensor("b", [1, 36, 36, 1], false),
                ],
                inputs: vec![0],
                outputs: vec![3],
                operators: vec![(0, vec![0], vec![1]), (1, vec![2, 1], vec![3])],
                options: vec![(74, corners, vec![]), (49, 1, vec![(6, 3), (8, 3)])],
                ..MadeGraph::default()
            }],
            codes: vec![(97, ""), (67, "")],
            ..MadeFile::default()
        };
        let graph = file.graph();
        let rules: Vec<RowRule> = graph.nodes.iter().map(|node| rule_of(&graph, node, Layout::of(&graph))).collect();
        assert_eq!(graph.nodes.iter().nth(1).expect("two").attrs["strides"], Attr::Json("[3,3]".into()));
        rules
    };
    assert_eq!(resize(0), [RowRule::Scale, RowRule::Scale]);
    // Row 2 is that of round(2 * 3 / 11), not of 2 / 3.
    assert_eq!(resize(1), [RowRule::Pinned("fit.pinned-stride"), RowRule::Scale]);
}
