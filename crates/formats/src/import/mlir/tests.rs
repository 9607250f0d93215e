//! What the three readers make of small files.

use crate::import::{self, Answers, Document, Format, Imported};
use memplan_core::base::Message;
use memplan_core::graph::Fault;
use memplan_core::problem::{BufferId, Problem};

fn read(text: &str) -> Imported {
    import::read(text.as_bytes(), Answers::default()).unwrap_or_else(|faults| panic!("{faults:?}"))
}

fn faults(text: &str) -> Vec<(String, String)> {
    let faults: Vec<Fault> = import::read(text.as_bytes(), Answers::default()).map(|_| ()).expect_err("a fault");
    faults.into_iter().map(|fault| (fault.path, fault.message.key.to_string())).collect()
}

fn keys(read: &Imported) -> Vec<String> {
    let warnings = read.warnings.iter().map(|fault| &fault.message);
    read.facts.iter().chain(warnings).map(|message| message.key.to_string()).collect()
}

/// Name, bytes, alignment and live range of each buffer.
fn listed(problem: &Problem) -> Vec<(&str, u64, u64, (u32, u32))> {
    let buffers = problem.buffers.iter();
    buffers.map(|b| (b.name.as_str(), b.size, b.align, (b.live.start, b.live.end))).collect()
}

const KERNEL: &str = r#"#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @kernel(%arg0: i8) {
    %0 = ttg.local_alloc : () -> !ttg.memdesc<16x16xf16, #shared, #smem, mutable>
    ttg.local_dealloc %0 : !ttg.memdesc<16x16xf16, #shared, #smem, mutable>
    ttg.warp_specialize(%arg0)
    default {
      %2 = ttg.local_alloc {alignment = 64 : i32} : () -> !ttg.memdesc<2x16xf32, #shared, #smem, mutable>
      %3 = ttg.memdesc_trans %2 : !ttg.memdesc<2x16xf32, #shared, #smem> -> !ttg.memdesc<16x2xf32, #shared, #smem>
      %c = arith.constant 1 : i32
      ttg.local_dealloc %3 : !ttg.memdesc<16x2xf32, #shared, #smem, mutable>
      ttg.warp_yield
    }
    partition0(%arg1: i8) num_warps(2) {
      ttg.warp_return
    } : (i8) -> ()
    %r = "tt.reduce"(%arg0) ({
    ^bb0(%a: f32, %b: f32):
      tt.reduce.return %a : f32
    }) : (i8) -> i8
    tt.return
  }
}
"#;

#[test]
fn a_kernel_is_its_buffers_of_shared_memory() {
    let read = read(KERNEL);
    assert_eq!(read.format, Format::Ttgir);
    let Document::Buffers(problem) = &read.document else { panic!("{:?}", read.document) };
    let rows = [
        ("%0 16x16xf16", 512, 16, (0, 2)),
        ("default/%2 2x16xf32", 128, 64, (2, 6)),
        ("@kernel", 2, 4, (0, problem.steps)),
        ("ttg.warp_specialize", 1, 8, (9, 10)),
    ];
    assert_eq!(listed(problem), rows);
    let facts: Vec<_> = problem.buffers.iter().filter_map(|buffer| buffer.kernel.clone()).collect();
    assert_eq!(facts.iter().map(|facts| facts.endless).collect::<Vec<_>>(), [false, false, true, false]);
    assert!(facts[1].region.is_some() && facts[0].region.is_none());
    assert_eq!(keys(&read), ["fact.ttgir-scratch", "fact.ttgir-regions"]);
}

#[test]
fn buffers_of_partitions_are_named_after_them() {
    let own = "%2 = ttg.local_alloc : () -> !ttg.memdesc<8x8xf16, #shared, #smem, mutable>";
    let text = KERNEL.replace("ttg.warp_return\n    }", &format!("{own}\n      ttg.warp_return\n    }}\n    partition1() num_warps(2) {{\n      {own}\n      \"tt.reduce\"(%2) {{allocation.size = 64 : i32}} : (i8) -> i8\n      ttg.warp_return\n    }}"));
    let read = read(&text);
    let Document::Buffers(problem) = &read.document else { panic!("{:?}", read.document) };
    let names: Vec<&str> = problem.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "%0 16x16xf16",
            "default/%2 2x16xf32",
            "partition0/%2 8x8xf16",
            "partition1/%2 8x8xf16",
            "@kernel",
            "ttg.warp_specialize",
            "partition1/tt.reduce",
        ]
    );
}

#[test]
fn copies_that_a_partition_or_a_loop_picks_are_stages() {
    let text = r#"#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @kernel(%n: i32) {
    %tiles = ttg.local_alloc : () -> !ttg.memdesc<3x16x16xf16, #shared, #smem, mutable>
    %kept = ttg.local_alloc : () -> !ttg.memdesc<5x8xf16, #shared, #smem, mutable>
    %turn = ttg.local_alloc : () -> !ttg.memdesc<4x8x8xf16, #shared, #smem, mutable>
    ttg.warp_specialize(%kept, %tiles)
    default {
      ttg.warp_yield
    }
    partition0(%k: !ttg.memdesc<5x8xf16, #shared, #smem, mutable>, %t: !ttg.memdesc<3x16x16xf16, #shared, #smem, mutable>) num_warps(2) {
      %i = arith.constant 1 : i32
      %view = ttg.memdesc_trans %k : !ttg.memdesc<5x8xf16, #shared, #smem> -> !ttg.memdesc<8x5xf16, #shared, #smem>
      %row = ttg.memdesc_index %view[%i] : !ttg.memdesc<8x5xf16, #shared, #smem> -> !ttg.memdesc<5xf16, #shared, #smem>
      %one = ttg.memdesc_index %t[%i] : !ttg.memdesc<3x16x16xf16, #shared, #smem> -> !ttg.memdesc<16x16xf16, #shared, #smem>
      ttg.warp_return
    } : (!ttg.memdesc<5x8xf16, #shared, #smem, mutable>, !ttg.memdesc<3x16x16xf16, #shared, #smem, mutable>) -> ()
    %last = scf.for %i = %n to %n step %n iter_args(%now = %turn) -> (!ttg.memdesc<4x8x8xf16, #shared, #smem, mutable>) : i32 {
      %one = ttg.memdesc_index %now[%i] : !ttg.memdesc<4x8x8xf16, #shared, #smem> -> !ttg.memdesc<8x8xf16, #shared, #smem>
      scf.yield %now : !ttg.memdesc<4x8x8xf16, #shared, #smem, mutable>
    }
    tt.return
  }
}
"#;
    let read = read(text);
    let Document::Buffers(problem) = &read.document else { panic!("{:?}", read.document) };
    let stages =
        |buffer: &memplan_core::problem::Buffer| buffer.kernel.as_ref().map(|facts| (facts.stages, facts.tile));
    let explicit: Vec<_> = problem.buffers.iter().take(3).filter_map(stages).collect();
    assert_eq!(explicit, [(3, [16, 16]), (0, [5, 8]), (4, [8, 8])]);
}

#[test]
fn offsets_of_a_kernel_are_its_plan() {
    let text = KERNEL
        .replace("ttg.local_alloc : ()", "ttg.local_alloc {allocation.offset = 256 : i32} : ()")
        .replace("{alignment = 64 : i32}", "{alignment = 64 : i32, allocation.offset = 0 : i32}")
        .replace("@kernel(%arg0: i8)", "@kernel(%arg0: i8) attributes {allocation.offset = 768 : i32}")
        .replace("} : (i8) -> ()", "} {allocation.offset = 776 : i32} : (i8) -> ()")
        .replace("4 : i32} {", "4 : i32, ttg.shared = 777 : i32} {");
    let read = read(&text);
    let Document::Plan(problem, plan) = &read.document else { panic!("{:?}", read.document) };
    let offsets: Vec<u64> = plan.places.iter().flatten().map(|place| place.offset).collect();
    assert_eq!((offsets, plan.peak(problem)), (vec![256, 0, 768, 776], 777));
    assert_eq!(keys(&read), ["fact.ttgir-shared", "fact.ttgir-regions"]);
}

#[test]
fn a_dump_states_the_size_of_scratch_and_its_last_module_counts() {
    let last = KERNEL.replace(
        "({\n    ^bb0",
        "<{axis = 0 : i32}> {allocation.offset = 0 : i32, allocation.size = 640 : i32} ({\n    ^bb0",
    );
    let dump = format!(
        "// -----// IR Dump Before A //----- //\n{KERNEL}// -----// IR Dump Before B //----- //\n{last}\n[allocation-shared-memory]: (\n// -----// IR Dump Before C //----- //\nllvm.func @kernel() {{\n"
    );
    let read = read(&dump);
    let Document::Buffers(problem) = &read.document else { panic!("{:?}", read.document) };
    assert_eq!(listed(problem)[4], ("tt.reduce %r", 640, 128, (11, 12)));
    assert_eq!(keys(&read), ["fact.ttgir-regions"]);
}

#[test]
fn kernels_without_buffers_and_unknown_types_are_named() {
    let text = KERNEL.replace("f16, #shared", "q7, #shared").replace("#shared, #smem", "#lost, #smem");
    let read = import::read(text.as_bytes(), Answers::default()).expect("scratch is left");
    let unknown = read.warnings.iter().filter(|fault| fault.message.key == "warning.ttgir-type").count();
    assert_eq!(unknown, 2);
    let empty = "module {\n  tt.func @f() {\n    ttg.barrier local\n    tt.return\n  }\n}\n";
    assert_eq!(faults(empty), [(String::new(), "fault.ttgir-nothing".to_string())]);
}

/// A damaged count must not become as many buffers.
#[test]
fn more_partitions_than_any_chip_has_are_a_type_that_is_not_known() {
    let partitioned = |count: u64| {
        let layout = format!(
            "#parts = #ttg.partitioned_shared<{{numPartitions = {count}, numGroups = 1, partitionDim = 0, partitionLayout = #shared}}>\n"
        );
        import::read(
            (layout + &KERNEL.replace("16x16xf16, #shared", "16x16xf16, #parts")).as_bytes(),
            Answers::default(),
        )
        .expect("a kernel")
    };
    let unknown =
        |read: &Imported| read.warnings.iter().filter(|fault| fault.message.key == "warning.ttgir-type").count();
    let few = partitioned(4);
    let Document::Buffers(problem) = &few.document else { panic!("{:?}", few.document) };
    assert_eq!((listed(problem)[0].1, unknown(&few)), (128, 0));
    assert_eq!(unknown(&partitioned(4_294_967_296)), 1);
}

/// Counts of a damaged file may be as large as a number can be, so their sum may be larger.
#[test]
fn more_warps_than_a_number_holds_are_refused() {
    let second = "    partition1(%arg1: i8) num_warps(1) {\n      ttg.warp_return\n    } : (i8) -> ()";
    let two = KERNEL.replace("    } : (i8) -> ()", &format!("    }}\n{second}"));
    let warps = |count: &str| import::read(two.replace("num_warps(2)", count).as_bytes(), Answers::default());
    let few = warps("num_warps(2)").expect("a kernel");
    let Document::Buffers(problem) = &few.document else { panic!("{:?}", few.document) };
    assert_eq!(listed(problem)[2], ("@kernel", 3, 4, (0, problem.steps)));
    let faults = warps("num_warps(18446744073709551615)").expect_err("too many");
    assert!(!faults.is_empty());
}

const FUNCTION: &str = r#"func.func @f(%p: i1, %n: index) {
  %a = memref.alloc() : memref<100xi8>
  %b = memref.alloc() alignment = 16 : memref<3x5xi1>
  %d = memref.alloc(%n) : memref<?xi8>
  %v = memref.subview %a[0] [10] [1] : memref<100xi8> to memref<10xi8>
  scf.if %p {
    memref.dealloc %b : memref<3x5xi1>
    %x = memref.alloc() : memref<8xi8>
    memref.dealloc %x : memref<8xi8>
  }
  memref.dealloc %v : memref<10xi8>
  return
}
"#;

#[test]
fn a_function_is_its_allocations_with_their_releases() {
    let read = read(FUNCTION);
    assert_eq!(read.format, Format::MlirMemref);
    let Document::Buffers(problem) = &read.document else { panic!("{:?}", read.document) };
    assert_eq!(listed(problem), [("a", 100, 1, (0, 5)), ("b", 2, 16, (1, 4))]);
    assert_eq!(keys(&read), ["warning.mlir-dynamic", "warning.mlir-nested"]);
}

/// Name and live range of each buffer of a function with this body.
fn lives(body: &str) -> Vec<(String, (u32, u32))> {
    let text = format!("func.func @f(%p: i1, %n: index) {{\n{body}\n  return\n}}\n");
    let Document::Buffers(problem) = read(&text).document else { panic!("{text}") };
    problem.buffers.iter().map(|buffer| (buffer.name.clone(), (buffer.live.start, buffer.live.end))).collect()
}

/// Of `iree-opt` 3.13.0: 356 bytes, as `c` reuses those of `a`.
#[test]
fn a_buffer_is_released_through_every_view_that_the_pass_knows() {
    for view in [
        "%v, %o, %s:2, %t:2 = memref.extract_strided_metadata %a : memref<16x4xf32> -> memref<f32>, index, index, index, index, index",
        "%v = memref.assume_alignment %a, 16 : memref<16x4xf32>",
        "%v = memref.reshape %a(%n) : (memref<16x4xf32>, memref<1xi64>) -> memref<64xf32>",
        "%v = vector.type_cast %a : memref<16x4xf32> to memref<vector<16x4xf32>>",
        "%v = scf.execute_region -> memref<16x4xf32> {\n    scf.yield %a : memref<16x4xf32>\n  }",
        "%v = scf.execute_region -> memref<16x4xf32> {\n    cf.br ^bb1\n  ^bb1:\n    scf.yield %a : memref<16x4xf32>\n  }",
        "%v = memref.alloca_scope -> (memref<16x4xf32>) {\n    memref.alloca_scope.return %a : memref<16x4xf32>\n  }",
        "%v = affine.for %i = 0 to 4 iter_args(%q = %n) -> (memref<16x4xf32>) {\n    affine.yield %a : memref<16x4xf32>\n  }",
        "%v = affine.for %i = 0 to %n iter_args(%q = %a) -> (memref<16x4xf32>) {\n    affine.yield %n : memref<16x4xf32>\n  }",
        "%v = \"scf.for\"(%n, %n, %n, %a) ({\n  ^bb0(%i: index, %q: memref<16x4xf32>):\n    \"scf.yield\"(%q) : (memref<16x4xf32>) -> ()\n  }) : (index, index, index, memref<16x4xf32>) -> memref<16x4xf32>",
        "%v = \"scf.while\"(%a) ({\n  ^bb0(%q: memref<16x4xf32>):\n    \"scf.condition\"(%p, %q) : (i1, memref<16x4xf32>) -> ()\n  }, {\n  ^bb0(%q: memref<16x4xf32>):\n    \"scf.yield\"(%q) : (memref<16x4xf32>) -> ()\n  }) : (memref<16x4xf32>) -> memref<16x4xf32>",
    ] {
        let body = format!(
            "  %a = memref.alloc() : memref<16x4xf32>\n  {view}\n  memref.dealloc %v : memref<f32>\n  %c = memref.alloc() : memref<300xi8>\n  memref.dealloc %c : memref<300xi8>"
        );
        assert_eq!(lives(&body), [("a".into(), (0, 2)), ("c".into(), (3, 4))], "{view}");
    }
}

/// Of `iree-opt` 3.13.0: both live until the release of what either may be.
#[test]
fn branches_hand_buffers_on() {
    for choice in [
        "affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%n) -> memref<64xi8> {\n    affine.yield %a : memref<64xi8>\n  } else {\n    affine.yield %b : memref<64xi8>\n  }",
        "scf.index_switch %n -> memref<64xi8>\n  case 0 {\n    scf.yield %a : memref<64xi8>\n  }\n  default {\n    scf.yield %b : memref<64xi8>\n  }",
    ] {
        let body = format!(
            "  %a = memref.alloc() : memref<64xi8>\n  %b = memref.alloc() : memref<64xi8>\n  %r = {choice}\n  memref.dealloc %r : memref<64xi8>"
        );
        assert_eq!(lives(&body), [("a".into(), (0, 3)), ("b".into(), (1, 3))], "{choice}");
    }
}

/// A release through metadata that may also free a nested buffer: the pass leaves `a` alone.
#[test]
fn metadata_of_a_nested_buffer_may_be_released() {
    let body = "  %a = memref.alloc() : memref<64xi8>\n  %r = scf.if %p -> (memref<64xi8>) {\n    %x = memref.alloc() : memref<64xi8>\n    scf.yield %x : memref<64xi8>\n  } else {\n    scf.yield %a : memref<64xi8>\n  }\n  %v, %o, %s, %t = memref.extract_strided_metadata %r : memref<64xi8> -> memref<i8>, index, index, index\n  %c = memref.alloc() : memref<32xi8>\n  memref.dealloc %a : memref<64xi8>\n  memref.dealloc %v : memref<i8>\n  memref.dealloc %c : memref<32xi8>";
    assert_eq!(lives(body), [("c".into(), (3, 6))]);
}

/// Of `iree-opt` 3.13.0: a loop that surely runs never hands on what it began with.
#[test]
fn a_loop_that_runs_does_not_release_what_it_began_with() {
    let text = "func.func @f() {\n  %a = memref.alloc() : memref<64xi8>\n  %b = memref.alloc() : memref<64xi8>\n  %r = affine.for %i = 0 to 8 iter_args(%x = %a) -> (memref<64xi8>) {\n    affine.yield %b : memref<64xi8>\n  }\n  memref.dealloc %r : memref<64xi8>\n  return\n}\n";
    assert_eq!(faults(text), [("line 2".to_string(), "fault.mlir-no-dealloc".to_string())]);
}

/// The region of a `linalg.map` begins on a line of its own.
#[test]
fn a_region_on_the_next_line_belongs_to_its_operation() {
    let body = "  %a = memref.alloc() : memref<4xi8>\n  linalg.map outs(%a : memref<4xi8>)\n    (%init: i8) {\n      linalg.yield %p : i8\n    }\n  %b = memref.alloc() : memref<4xi8>\n  memref.dealloc %a : memref<4xi8>\n  memref.dealloc %b : memref<4xi8>";
    assert_eq!(lives(body), [("a".into(), (0, 3)), ("b".into(), (2, 4))]);
}

/// A function whose buffer `a` is released as `%v`, which comes from `view`.
fn released_behind(view: &str) -> String {
    format!(
        "func.func @f(%p: i1, %n: index) {{\n  %a = memref.alloc() : memref<64xi8>\n  {view}\n  memref.dealloc %v : memref<64xi8>\n  return\n}}\n"
    )
}

#[test]
fn an_operation_that_is_not_known_before_a_release_is_named() {
    for (view, op, line) in [
        ("%v = \"x.view\"(%a) : (memref<64xi8>) -> memref<64xi8>", "x.view", 3),
        ("%v = func.call @g(%a) : (memref<64xi8>) -> memref<64xi8>", "func.call", 3),
        (
            "%s = memref.cast %a : memref<64xi8> to memref<64xi8>\n  %t = x.one %s : memref<64xi8>\n  %v = x.two %t : memref<64xi8>",
            "x.one",
            4,
        ),
        ("%v = x.run -> memref<64xi8> {\n    x.yield %a : memref<64xi8>\n  }", "x.run", 3),
    ] {
        let read = import::read(released_behind(view).as_bytes(), Answers::default());
        let fault = read.map(|_| ()).expect_err("a fault").remove(0);
        let expected = Message::new("fault.mlir-unknown").text("op", op).count("line", line);
        assert_eq!((fault.path.as_str(), fault.message), ("line 2", expected), "{view}");
    }
    // Of these the pass of `iree-opt` 3.13.0 finds no release either.
    for view in [
        "%v = arith.select %p, %a, %a : memref<64xi8>",
        "%v = memref.realloc %a : memref<64xi8> to memref<64xi8>",
        "%v, %w = memref.distinct_objects %a, %a : memref<64xi8>, memref<64xi8>",
        "%d = memref.dim %a, %n : memref<64xi8>\n  %v = memref.alloc(%d) : memref<?xi8>",
    ] {
        assert_eq!(faults(&released_behind(view)), [("line 2".into(), "fault.mlir-no-dealloc".into())], "{view}");
    }
}

/// Bytes as `iree-opt` 3.13.0 plans them.
#[test]
fn elements_have_the_bits_of_their_types() {
    let text = |kind: &str| {
        format!(
            "func.func @f() {{\n  %a = memref.alloc() : memref<{kind}>\n  %b = memref.alloc() : memref<16xi8>\n  memref.dealloc %a : memref<{kind}>\n  memref.dealloc %b : memref<16xi8>\n  return\n}}\n"
        )
    };
    for (element, bytes) in [
        ("f80", 50),
        ("f128", 80),
        ("si16", 10),
        ("ui8", 5),
        ("f4E2M1FN", 3),
        ("f6E2M3FN", 4),
        ("f8E8M0FNU", 5),
        ("tf32", 12),
        ("i257", 161),
        ("i1", 1),
        ("i0", 0),
    ] {
        let read = read(&text(&format!("5x{element}")));
        let Document::Buffers(problem) = &read.document else { panic!("{:?}", read.document) };
        assert_eq!((problem.buffers[BufferId(0)].size, keys(&read)), (bytes, Vec::<String>::new()), "{element}");
    }
    for kind in ["5xvector<4xf32>", "5xmemref<2xi8>", "5xf7"] {
        let read = read(&text(kind));
        let expected = Message::new("warning.mlir-type").name("name", "a").text("type", format!("memref<{kind}>"));
        assert_eq!(read.warnings.into_iter().map(|fault| fault.message).collect::<Vec<_>>(), [expected], "{kind}");
    }
    for (kind, key) in [
        ("5xf32, 3", Some("warning.mlir-space")),
        ("5xf32, #gpu.address_space<workgroup>", Some("warning.mlir-space")),
        ("5xf32, 0 : i32", None),
        ("4x4xf32, strided<[4, 1]>", Some("warning.mlir-layout")),
        ("4xf32, strided<[1]>", None),
        ("4x4xf32, affine_map<(d0, d1) -> (d1, d0)>", Some("warning.mlir-layout")),
        ("4x4xf32, #map", Some("warning.mlir-layout")),
        ("4x4xf32, affine_map<(d0, d1) -> (d0,d1)>", None),
        ("4x4xf32, affine_map<(d0, d1) -> (d0, d1)>, 1", Some("warning.mlir-space")),
    ] {
        let read = read(&format!("#map = affine_map<(d0, d1) -> (d1, d0)>\n{}", text(kind)));
        let Document::Buffers(problem) = &read.document else { panic!("{:?}", read.document) };
        assert_eq!((problem.buffers.len(), keys(&read)), (2, key.into_iter().map(str::to_string).collect()), "{kind}");
    }
}

#[test]
fn the_last_version_of_each_function_of_a_dump_counts() {
    let function = |name: &str, bytes: u64, release: &str| {
        format!(
            "func.func @{name}() {{\n  %a = memref.alloc() : memref<{bytes}xi8>\n  {release}\n  return\n}}\n// -----// IR Dump After B //----- //\n"
        )
    };
    let free = "memref.dealloc %a : memref<1xi8>";
    let dump = [
        function("f", 1, ""),
        function("f", 2, free),
        function("g", 3, free),
        function("f", 4, free),
        // Gathered into an arena.
        function("f", 5, ""),
        "func.func @f() {\n  return\n}\n".to_string(),
    ];
    let read = read(&format!("// -----// IR Dump After A //----- //\n{}", dump.concat()));
    let Document::Buffers(problem) = &read.document else { panic!("{:?}", read.document) };
    assert_eq!((problem.name.as_str(), problem.buffers[BufferId(0)].size), ("f", 4));
    assert_eq!(read.facts, [Message::new("fact.mlir-function").text("name", "f").count("n", 1)]);
}

#[test]
fn text_of_a_program_before_the_first_module_is_skipped() {
    let warning = "/lib/triton/knobs.py:504: UserWarning: it is unset: \"ON {\n  warn_once(WARNING)\n";
    for text in [KERNEL, FUNCTION, PACK] {
        let plain = read(text);
        let behind = read(&format!("{warning}{text}"));
        assert_eq!((behind.format, format!("{:?}", behind.document)), (plain.format, format!("{:?}", plain.document)));
    }
    let lost = FUNCTION.replace("  memref.dealloc %v : memref<10xi8>\n", "");
    assert_eq!(faults(&format!("{warning}{lost}"))[0].0, "line 4");
    let on_one_line: String = FUNCTION.lines().collect();
    for text in ["{\n", "[\n", "<html>\n", "import triton\n  "] {
        let faults = faults(&format!("{text}{on_one_line}"));
        assert!(!faults[0].1.starts_with("fault.mlir"), "{faults:?}");
    }
}

#[test]
fn what_stops_the_pass_is_a_fault() {
    let lost = FUNCTION.replace("  memref.dealloc %v : memref<10xi8>\n", "");
    assert_eq!(faults(&lost), [("line 2".to_string(), "fault.mlir-no-dealloc".to_string())]);
    let block = FUNCTION.replace("  memref.dealloc %v", "  cf.br ^bb1\n^bb1:\n  memref.dealloc %v");
    assert_eq!(faults(&block), [("line 2".to_string(), "fault.mlir-block".to_string())]);
    let result = FUNCTION.replace("index) {", "index) -> memref<1xi8> {");
    assert_eq!(faults(&result), [("line 1".to_string(), "fault.mlir-result".to_string())]);
    assert_eq!(faults("// memref.alloc\n"), [(String::new(), "fault.mlir-nothing".to_string())]);
}

const PACK: &str = r#"util.func @p(%n: index) -> index {
  %c100 = arith.constant 100 : index
  %c64 = arith.constant 64 : index
  %0:4 = stream.resource.pack slices({
    [1, 3] = %c100,
    [0, 0] = %c64,
    [2, 4] = %c100
  }) : index
  util.return %0#0 : index
}
"#;

#[test]
fn a_pack_is_its_slices_in_their_order() {
    let read = read(PACK);
    assert_eq!(read.format, Format::IreeStream);
    let Document::Buffers(problem) = &read.document else { panic!("{:?}", read.document) };
    let rows = [("slice 0", 100, 1, (1, 4)), ("slice 1", 64, 1, (0, 1)), ("slice 2", 100, 1, (2, 5))];
    assert_eq!(listed(problem), rows);
}

#[test]
fn unknown_sizes_of_a_pack_are_symbols() {
    let read = read(&PACK.replace("[2, 4] = %c100", "[2, 4] = %n"));
    let Document::Graph(graph) = &read.document else { panic!("{:?}", read.document) };
    assert_eq!(graph.symbols.keys().collect::<Vec<_>>(), ["n_n"]);
    assert_eq!((graph.nodes.len(), graph.tensors.len()), (5, 3));
    assert_eq!(keys(&read), ["fact.pack-symbols"]);
    assert_eq!(faults(&PACK.replace("[2, 4]", "[4, 2]")), [("line 4".to_string(), "fault.pack-slice".to_string())]);
}

/// As `iree-compile` 3.13.0 prints it before the pass: sizes stand in braces behind types, and
/// dispatches list what they read and write in regions.
const DUMP: &str = r#"util.func public @f(%arg0: !hal.buffer_view) -> !hal.buffer_view attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @f(%input0: tensor<32x48xf32>) -> (%output0: tensor<32x64xf32>)"}} {
  %c8192 = arith.constant 8192 : index
  %c4096 = arith.constant 4096 : index
  %c0 = arith.constant 0 : index
  %c6144 = arith.constant 6144 : index
  %c48 = arith.constant 48 : index
  %c32 = arith.constant 32 : index
  %element_type_f32 = hal.element_type<f32> : i32
  %dense_row_major = hal.encoding_type<dense_row_major> : i32
  hal.buffer_view.assert<%arg0 : !hal.buffer_view> message("input0") shape([%c32, %c48]) type(%element_type_f32) encoding(%dense_row_major)
  %0 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg0 : !hal.buffer_view -> tensor<32x48xf32> in !stream.resource<external>{%c6144}
  %c0_0 = arith.constant 0 : index
  %result, %result_timepoint = stream.resource.alloca uninitialized on(#hal.device.affinity<@__device_0>) : !stream.resource<external>{%c8192} => !stream.timepoint
  %1:3 = stream.resource.pack on(#hal.device.affinity<@__device_0>) slices({
    [0, 1] = %c6144,
    [1, 2] = %c4096
  }) : index
  %result_1, %result_timepoint_2 = stream.resource.alloca uninitialized on(#hal.device.affinity<@__device_0>) : !stream.resource<transient>{%1#0} => !stream.timepoint
  %2 = stream.timepoint.join max(%result_timepoint, %result_timepoint_2) => !stream.timepoint
  %3 = stream.cmd.execute on(#hal.device.affinity<@__device_0>) await(%2) => with(%0 as %arg1: !stream.resource<external>{%c6144}, %result as %arg2: !stream.resource<external>{%c8192}, %result_1 as %arg3: !stream.resource<transient>{%1#0}) {
    stream.cmd.dispatch @f_dispatch_0::@f_dispatch_0_matmul_32x48x48_f32 {
      ro %arg1[%c0 for %c6144] : !stream.resource<external>{%c6144},
      wo %arg3[%1#1 for %c6144] : !stream.resource<transient>{%1#0}
    }
    stream.cmd.dispatch @f_dispatch_1::@f_dispatch_1_matmul_32x32x48_f32 {
      ro %arg1[%c0 for %c6144] : !stream.resource<external>{%c6144},
      ro %arg3[%1#1 for %c6144] : !stream.resource<transient>{%1#0},
      wo %arg3[%1#2 for %c4096] : !stream.resource<transient>{%1#0}
    }
    stream.cmd.dispatch @f_dispatch_2::@f_dispatch_2_matmul_32x64x32_f32 {
      ro %arg3[%1#2 for %c4096] : !stream.resource<transient>{%1#0},
      wo %arg2[%c0_0 for %c8192] : !stream.resource<external>{%c8192}
    }
  } => !stream.timepoint
  %4 = stream.resource.dealloca on(#hal.device.affinity<@__device_0>) await(%3) => %result_1 : !stream.resource<transient>{%1#0} => !stream.timepoint
  %5 = stream.timepoint.join max(%4, %3) => !stream.timepoint
  %6 = stream.timepoint.await %5 => %result : !stream.resource<external>{%c8192}
  %7 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %6 : tensor<32x64xf32> in !stream.resource<external>{%c8192} -> !hal.buffer_view
  util.return %7 : !hal.buffer_view
}
"#;

#[test]
fn a_dump_of_the_compiler_with_sizes_behind_types_is_read() {
    let read = read(DUMP);
    assert_eq!(read.format, Format::IreeStream);
    let Document::Buffers(problem) = &read.document else { panic!("{:?}", read.document) };
    let sizes: Vec<(u64, (u32, u32))> =
        problem.buffers.iter().map(|buffer| (buffer.size, (buffer.live.start, buffer.live.end))).collect();
    assert_eq!(sizes, [(6144, (0, 2)), (4096, (1, 3))]);
}
