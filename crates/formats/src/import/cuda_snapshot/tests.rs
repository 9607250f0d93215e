use super::*;
use crate::import::{Format, Imported, read as read_any};
use memplan_core::base::Arg;
use memplan_core::plan::check;
use memplan_core::problem::{BufferId, Call};

const SMALL: [&[u8]; 4] = [
    include_bytes!("../../../../../tests/import/cuda_snapshot/small-2.pickle"),
    include_bytes!("../../../../../tests/import/cuda_snapshot/small-4.pickle"),
    include_bytes!("../../../../../tests/import/cuda_snapshot/small-5.pickle"),
    include_bytes!("../../../../../tests/import/cuda_snapshot/small-python.pickle"),
];

fn read_file(bytes: &[u8]) -> Imported {
    read_any(bytes, Answers::default()).unwrap_or_else(|faults| panic!("{faults:?}"))
}

fn plan_of(imported: &Imported) -> (&Problem, &Plan) {
    imported.document.own_plan().expect("a plan")
}

fn fault(bytes: &[u8]) -> Message {
    let mut faults = read_any(bytes, Answers::default()).expect_err("a faulty pickle");
    assert_eq!(faults.len(), 1);
    faults.remove(0).message
}

fn runs(bytes: &[u8]) -> Option<Arg> {
    let message = fault(bytes);
    assert_eq!(message.key, "fault.pickle-runs");
    message.arg("what").cloned()
}

#[test]
fn every_protocol_gives_the_same_plan() {
    let first = read_file(SMALL[0]);
    let (problem, plan) = plan_of(&first);
    assert_eq!(check(problem, plan), [], "an allocator gives no byte away twice");
    assert_eq!((first.format, problem.steps), (Format::CudaSnapshot, 41));
    assert_eq!(plan.pools.iter().map(|pool| pool.name.as_str()).collect::<Vec<_>>(), ["cuda:0"]);
    for bytes in &SMALL[1..] {
        let other = read_file(bytes);
        assert_eq!(other.document, first.document);
        assert_eq!((other.facts, other.warnings), (first.facts.clone(), first.warnings.clone()));
    }
}

#[test]
fn lives_and_addresses_follow_the_events() {
    let event = |action: &str, addr: u64, size: u64| (action.to_string(), addr, size);
    let base = 0x7f00_0000_0000;
    let read = read_file(&snapshot(&[
        event("segment_alloc", base + 0x40_0000, 4096),
        event("alloc", base + 0x40_0000, 100),
        event("alloc", base + 512, 700),
        event("free_requested", base + 512, 700),
        event("free_completed", base + 512, 700),
        event("alloc", base + 512, 512),
        // Allocated before the trace began.
        event("free_completed", base + 2048, 300),
        event("oom", 0, 1 << 40),
    ]));
    let (problem, plan) = plan_of(&read);
    let found: Vec<_> = problem
        .buffers
        .enumerate()
        .map(|(id, buffer)| {
            (buffer.live.start, buffer.live.end, buffer.size, plan.places[id].map(|place| place.offset))
        })
        .collect();
    // Three runs of addresses: two blocks of no listed segment, and the segment; each begins at a
    // multiple of 512.
    let expected = [(0, 6, 300, 1024), (1, 8, 100, 1536), (2, 4, 700, 0), (5, 8, 512, 0)];
    assert_eq!(found, expected.map(|(start, end, size, offset)| (start, end, size, Some(offset))));
    assert_eq!(plan.pools[memplan_core::plan::PoolId(0)].size, 1536 + 4096);
    assert_eq!(check(problem, plan), []);
    let warnings: Vec<_> = read.warnings.iter().map(|fault| (&*fault.message.key, fault.message.arg("n"))).collect();
    let one = Arg::Count(1);
    assert_eq!(warnings, [("warning.snapshot-early", Some(&one)), ("warning.snapshot-open", Some(&Arg::Count(2)))]);
    assert!(problem.buffers.iter().all(|buffer| buffer.align == 512));
}

/// A pickle of protocol 2 with one device and these events.
fn snapshot(events: &[(String, u64, u64)]) -> Vec<u8> {
    let mut bytes = b"\x80\x02}(".to_vec();
    text(&mut bytes, "segments");
    bytes.push(b']');
    text(&mut bytes, "device_traces");
    bytes.extend(b"](](");
    for (action, address, size) in events {
        bytes.extend(b"}(");
        for (key, number) in [("addr", address), ("size", size)] {
            text(&mut bytes, key);
            bytes.extend([0x8a, 9]);
            bytes.extend(number.to_le_bytes());
            bytes.push(0);
        }
        text(&mut bytes, "action");
        text(&mut bytes, action);
        bytes.push(b'u');
    }
    bytes.extend(b"eeu.");
    bytes
}

fn text(bytes: &mut Vec<u8>, text: &str) {
    bytes.push(b'X');
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
}

#[test]
fn several_devices_are_several_memories() {
    let read = read_file(include_bytes!("../../../../../tests/import/cuda_snapshot/two_devices.pickle.gz"));
    let (problem, plan) = plan_of(&read);
    assert_eq!(check(problem, plan), []);
    assert_eq!(problem.memories.iter().map(|memory| memory.device.as_str()).collect::<Vec<_>>(), ["cuda:0", "cuda:1"]);
    assert!(problem.buffers.iter().all(|buffer| buffer.live.end <= problem.steps));
    assert!(problem.buffers.iter().any(|buffer| buffer.name.contains(".py:")), "named by their stack");
    let keys: Vec<&str> = read.facts.iter().map(|fact| fact.key.as_ref()).collect();
    let device = "fact.snapshot-device";
    assert_eq!(
        keys,
        [
            "fact.snapshot-time",
            device,
            device,
            "fact.snapshot-sizes",
            "fact.snapshot-rounding",
            "fact.snapshot-offline"
        ]
    );
    let (Some(Arg::Bytes(used)), Some(Arg::Bytes(need))) = (read.facts[5].arg("used"), read.facts[5].arg("need"))
    else {
        panic!("{:?}", read.facts[5])
    };
    // Two segments of 2 MiB a device. Blocks and loads as a Python script counts them, device by
    // device.
    assert_eq!((*used, *need), (8 << 20, 1_766_116 + 3_867_872));
    assert_eq!(problem.buffers.len(), 142 + 169);
    let rounding = (read.facts[4].arg("held"), read.facts[4].arg("asked"));
    assert_eq!(rounding, (Some(&Arg::Bytes(1_098_240 + 3_618_304)), Some(&Arg::Bytes(1_095_180 + 3_605_728))));
}

#[test]
fn whatever_would_run_is_named_and_not_run() {
    let system = Some(Arg::Text("posix.system".into()));
    assert_eq!(runs(include_bytes!("../../../../../tests/import/cuda_snapshot/hostile-2.pickle")), system);
    assert_eq!(runs(include_bytes!("../../../../../tests/import/cuda_snapshot/hostile-4.pickle")), system);
    for bytes in [
        &include_bytes!("../../../../../tests/import/cuda_snapshot/class-2.pickle")[..],
        include_bytes!("../../../../../tests/import/cuda_snapshot/class-4.pickle"),
    ] {
        let Some(Arg::Text(what)) = runs(bytes) else { panic!("a name") };
        assert!(what.ends_with(".Plain") || what.contains("copyreg"), "{what}");
    }
    let inst = runs(include_bytes!("../../../../../tests/import/cuda_snapshot/inst.pickle"));
    assert_eq!(inst, Some(Arg::Text("os.system".into())));
    let persid = runs(include_bytes!("../../../../../tests/import/cuda_snapshot/persid.pickle"));
    assert_eq!(persid, Some(Arg::Text("PERSID storage".into())));
    for (opcode, name) in [(b'R', "REDUCE"), (b'b', "BUILD"), (b'o', "OBJ"), (0x81, "NEWOBJ"), (b'Q', "BINPERSID")] {
        assert_eq!(runs(&[0x80, 4, b'N', b'N', opcode, b'.']), Some(Arg::Text(name.into())));
    }
}

#[test]
fn other_pickles_are_told_apart() {
    let other = fault(include_bytes!("../../../../../tests/import/cuda_snapshot/other.pickle"));
    assert_eq!(other.key, "fault.pickle-no-snapshot");
    assert_eq!(fault(b"\x80\x05N.").key, "fault.pickle-no-snapshot");
    assert_eq!(fault(b"\x80\x05\xff.").key, "fault.pickle-opcode");
    let empty = read_file(b"\x80\x02}X\x08\x00\x00\x00segments]s.");
    assert_eq!(empty.warnings[0].message.key, "warning.snapshot-empty");
    // An address that is allocated twice.
    let odd = read_file(&snapshot(&[("free".into(), 512, 8), ("alloc".into(), 512, 8), ("alloc".into(), 512, 9)]));
    assert_eq!(odd.warnings.last().and_then(|fault| fault.message.arg("n")), Some(&Arg::Count(1)));
    assert_eq!(plan_of(&odd).0.buffers[BufferId(0)].live, Live::new(1, 2));
}

/// Operators of a library call each other; the line of the user's program names the block.
#[test]
fn blocks_are_named_by_the_program_and_keep_their_stack() {
    let read = read_file(include_bytes!("../../../../../tests/import/cuda_snapshot/own_lines.pickle"));
    let (problem, _) = plan_of(&read);
    let names: Vec<&str> = problem.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
    for own in ["scaled_dot_product_attention_block model.py:57 @", "linear_block model.py:64 @"] {
        assert!(names.iter().any(|name| name.starts_with(own)), "{names:?}");
    }
    assert!(!names.iter().any(|name| name.contains("functional.py")), "{names:?}");
    let linear = problem.buffers.iter().find(|buffer| buffer.name.contains("model.py:64")).expect("a block");
    let stack: Vec<&str> = problem.stacks.of(linear.stack.expect("a stack")).collect();
    let malloc = "c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::malloc CUDACachingAllocator.cpp:0";
    // Parts of a frame are cut to eighty letters.
    assert_eq!(stack[0], malloc);
    assert_eq!(stack[1..], ["linear functional.py:2371", "linear_block model.py:64", "train_step train.py:88"]);
}

/// Numbering each from the start, or going through a name for each event, would take hours.
#[test]
fn what_events_share_is_looked_at_once() {
    let mut same = b"\x80\x02}(X\x0d\x00\x00\x00device_traces](](".to_vec();
    same.extend(b"}(");
    text(&mut same, "action");
    text(&mut same, "free_completed");
    same.extend(b"uq\x01");
    same.extend(b"h\x01".repeat(400_000));
    same.extend(b"eeu.");
    let read = read_file(&same);
    let mut names = plan_of(&read).0.buffers.iter().map(|buffer| buffer.name.as_str());
    assert_eq!(names.next_back(), Some("block @0#400000"));

    let mut long = b"\x80\x02}(X\x0d\x00\x00\x00device_traces](](".to_vec();
    for event in 0..50_000 {
        long.extend(b"}(");
        text(&mut long, "action");
        text(&mut long, "alloc");
        text(&mut long, "frames");
        long.extend(b"]}(");
        for key in ["filename", "name"] {
            text(&mut long, key);
            if event == 0 {
                text(&mut long, &key.repeat(250_000));
                long.extend(if key == "name" { b"q\x02" } else { b"q\x01" });
            } else {
                long.extend(if key == "name" { b"h\x02" } else { b"h\x01" });
            }
        }
        long.extend(b"uau");
    }
    long.extend(b"eeu.");
    let read = read_file(&long);
    let (problem, _) = plan_of(&read);
    assert_eq!(problem.buffers.len(), 50_000);
    assert!(problem.buffers.iter().all(|buffer| buffer.name.len() < 200), "{}", problem.buffers[BufferId(0)].name);
}

#[test]
fn every_cut_is_told() {
    for bytes in [SMALL[0], SMALL[1]] {
        for length in 0..bytes.len().min(6000) {
            assert!(read_any(&bytes[..length], Answers::default()).is_err(), "cut at {length}");
        }
    }
}

#[test]
fn hostile_pickles_take_neither_memory_nor_time() {
    let deep = [&b"\x80\x02"[..], &b"(".repeat(1 << 20)].concat();
    assert_eq!(fault(&deep).key, "fault.pickle-deep");
    let lists = [&b"\x80\x02"[..], &b"]".repeat(1 << 22)].concat();
    assert_eq!(fault(&lists).key, "fault.pickle-too-large");
    let nested = [&b"\x80\x02"[..], &b"]".repeat(1 << 10), &b"a".repeat(1 << 10), b"."].concat();
    assert_eq!(fault(&nested).key, "fault.pickle-broken");
    let values = [&b"\x80\x02"[..], &b"N".repeat(1 << 22)].concat();
    assert_eq!(fault(&values).key, "fault.pickle-too-large");
    assert_eq!(fault(b"\x80\x02]r\xff\xff\xff\xff.").key, "fault.pickle-broken");
    assert_eq!(fault(b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xff").key, "fault.pickle-truncated");
    assert_eq!(fault(b"\x80\x02\x8b\xff\xff\xff\x7f").key, "fault.pickle-truncated");
    assert_eq!(fault(b"\x80\x02.").key, "fault.pickle-broken");
    assert_eq!(fault(b"\x80\x02e").key, "fault.pickle-broken");
    assert_eq!(fault(b"\x80\x02h\x07").key, "fault.pickle-broken");
    // A list that holds itself, and one trace of a thousand events referred to a thousand times.
    let itself = read_any(b"\x80\x02}X\x08\x00\x00\x00segments]q\x00h\x00as.", Answers::default());
    assert!(itself.is_ok());
    let mut shared = b"\x80\x02}(X\x0d\x00\x00\x00device_traces](](".to_vec();
    shared.extend(b"}q\x01");
    shared.extend(b"h\x01".repeat(1000));
    shared.extend(b"eq\x02");
    shared.extend(b"h\x02".repeat(1000));
    shared.extend(b"eu.");
    assert_eq!(fault(&shared).key, "fault.snapshot-too-large");
    // Ends beyond the largest address, and sums that are not exact.
    let event = |address, size| snapshot(&[("alloc".to_string(), address, size)]);
    assert_eq!(fault(&event(u64::MAX - 3, 100)).key, "fault.snapshot-address");
    assert_eq!(fault(&event(0, u64::MAX >> 2)).key, "fault.sum-too-large");
}

const RECORDED: [(&str, &[u8]); 3] = [
    ("plain", include_bytes!("../../../../../tests/golden/data/cuda_allocator/snapshots/plain.pickle.gz")),
    ("pools", include_bytes!("../../../../../tests/golden/data/cuda_allocator/snapshots/pools.pickle.gz")),
    ("truncated", include_bytes!("../../../../../tests/golden/data/cuda_allocator/snapshots/truncated.pickle.gz")),
];

#[test]
fn the_calls_behind_the_events_are_kept() {
    let [plain, pools, truncated] = RECORDED.map(|(_, bytes)| {
        let read = read_file(bytes);
        let (problem, _) = plan_of(&read);
        (problem.recordings[0].clone(), problem.buffers.len())
    });
    let (recording, buffers) = plain;
    let count = |wanted: fn(&Call) -> bool| recording.calls.iter().filter(|call| wanted(&call.call)).count();
    // One request failed.
    assert_eq!(count(|call| matches!(call, Call::Alloc { .. })), 34);
    assert_eq!(recording.calls.iter().filter(|call| call.address.is_some()).count(), 33);
    assert_eq!(count(|call| matches!(call, Call::EmptyCache)), 1);
    assert!(recording.has_waits() && !recording.is_cut() && recording.settings.is_empty());
    assert_eq!(recording.failed.len(), 1);
    assert!(recording.failed[0].line.contains("train.py:"), "{}", recording.failed[0].line);
    // 42 MiB were still held, so the card of 8 GiB had 7.96 GiB free.
    assert_eq!((recording.failed[0].bytes, recording.failed[0].within_reach), (100 << 30, Some(8 << 30)));
    // The request that failed is no buffer.
    assert_eq!(recording.owners.iter().flatten().count(), buffers);
    assert!(pools.0.has_private_pools());
    let (recording, buffers) = truncated;
    assert!(recording.is_cut() && !recording.blocks.is_empty());
    assert_eq!(recording.owners.iter().flatten().count(), buffers);
}

#[test]
fn a_helper_that_every_layer_calls_names_no_block() {
    let read = read_file(RECORDED[0].1);
    let (problem, _) = plan_of(&read);
    let names: Vec<&str> = problem.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
    assert!(names.iter().all(|name| !name.contains("layer")), "{names:?}");
    assert!(names.iter().any(|name| name.starts_with("forward train.py:")), "{names:?}");
}

#[test]
fn a_recording_that_begins_with_a_free_is_not_odd() {
    let event = |action: &str, addr: u64, size: u64| (action.to_string(), addr, size);
    let read = read_file(&snapshot(&[
        event("free_completed", 4096, 512),
        event("alloc", 4096, 512),
        event("free_requested", 4096, 512),
        event("free_completed", 4096, 512),
    ]));
    assert_eq!(read.warnings, []);
    let (problem, _) = plan_of(&read);
    let recording = &problem.recordings[0];
    // Nothing waits for another stream: the block was given back just before.
    assert!(recording.blocks.is_empty() && !recording.has_waits());
    assert_eq!((problem.buffers.len(), recording.calls.len()), (1, 2));
}

const POOLS: &[u8] = include_bytes!("../../../../../tests/golden/data/cuda_allocator/snapshots/mem_pool.pickle.gz");

#[test]
fn private_pools_end_where_their_memory_goes_back() {
    let read = read_file(POOLS);
    let recording = &plan_of(&read).0.recordings[0];
    let at = |wanted: fn(&Call) -> bool| recording.calls.iter().filter(|call| wanted(&call.call)).count();
    assert_eq!(at(|call| matches!(call, Call::ReleasePool { .. })), 2);
    // Each `MemPool` gives its own memory back; then the program empties the cache.
    assert_eq!(at(|call| matches!(call, Call::EmptyPool { .. })), 2);
    let last = recording.calls.iter().rposition(|call| matches!(call.call, Call::EmptyPool { .. }));
    assert_eq!(last.map(|at| recording.calls[at + 1].call), Some(Call::EmptyCache));
}

#[test]
fn blocks_of_the_backward_thread_are_named_by_their_node() {
    let read = read_file(POOLS);
    let names: Vec<&str> = plan_of(&read).0.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
    assert!(names.iter().all(|name| !name.starts_with("torch::unwind")), "{names:?}");
    let node = "torch::autograd::generated::AddmmBackward0::apply libtorch_cpu.so @";
    assert!(names.iter().any(|name| name.starts_with(node)), "{names:?}");
}
