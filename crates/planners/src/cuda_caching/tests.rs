use super::whatif::settings_named;
use super::*;
use crate::testing;
use memplan_core::base::IdVec;
use memplan_core::plan::{Unplanned, check};
use memplan_core::problem::{
    BufferId, Call, FailedRequest, FinalSegment, HeldBlock, HeldPool, HeldRange, Problem, RecordedCall, Recording,
};
use memplan_core::trace::{Event, Note, Recorder, Silent};
use std::sync::Arc;

fn problem(buffers: &[(u64, u32, u32)]) -> Problem {
    let buffer = |&(size, start, end): &(u64, u32, u32)| testing::buffer("b", size, start, end);
    testing::problem(buffers.iter().map(buffer).collect())
}

fn planned(problem: &Problem, given: &[(&str, &str)]) -> Result<(Plan, Vec<Event>), PlanError> {
    let options = INFO.options(given.iter().copied()).expect("declared");
    let mut recorder = Recorder::default();
    let plan = CudaCaching.plan(Input { problem, graph: None }, &options, &mut recorder)?;
    assert_eq!(CudaCaching.plan(Input { problem, graph: None }, &options, &mut Silent).as_ref(), Ok(&plan));
    Ok((plan, recorder.events))
}

fn outcomes(events: &[Event]) -> Vec<Outcome> {
    let outcome = |event: &Event| if let Event::Place { outcome, .. } = event { Some(*outcome) } else { None };
    events.iter().filter_map(outcome).collect()
}

fn noted(events: &[Event], wanted: Note) -> Option<(u64, u64)> {
    events.iter().find_map(|event| match *event {
        Event::Note { note, a, b, .. } if note == wanted => Some((a, b)),
        _ => None,
    })
}

#[test]
fn blocks_are_split_joined_and_kept() {
    // Two parts of a segment of 20 MiB; when they are free again, it is one block.
    let problem =
        problem(&[(4 * MIB, 0, 2), (4 * MIB, 1, 2), (7 * MIB + 512, 2, 4), (12 * MIB, 3, 4), (100, 3, 4), (0, 3, 4)]);
    let (plan, events) = planned(&problem, &[]).expect("a plan");
    assert_eq!(check(&problem, &plan), []);
    let names: Vec<&str> = plan.pools.iter().map(|pool| pool.name.as_str()).collect();
    assert_eq!(names, ["large segment 0", "small segment 1"]);
    use Outcome::{NewPool, Nothing, Reuse, Split};
    // Less than 1 MiB is left behind the fourth.
    assert_eq!(outcomes(&events), [NewPool, Split, Split, Reuse, NewPool, Nothing]);
    assert_eq!(noted(&events, Note::CachePeak), Some((22 * MIB, 20 * MIB + 512)));
}

#[test]
fn a_rest_of_at_most_a_mebibyte_is_not_split_off() {
    let (_, events) = planned(&problem(&[(19 * MIB, 0, 1), (18 * MIB, 1, 2), (17 * MIB, 2, 3)]), &[]).expect("a plan");
    // Segments of 20 MiB by their own size: 19 rounds up to 20.
    assert_eq!(outcomes(&events), [Outcome::NewPool, Outcome::Split, Outcome::Split]);
    let (_, events) = planned(&problem(&[(20 * MIB, 0, 1), (19 * MIB, 1, 2)]), &[]).expect("a plan");
    assert_eq!(outcomes(&events), [Outcome::NewPool, Outcome::Reuse]);
    assert_eq!(noted(&events, Note::CacheWhole), Some((MIB, 20 * MIB)));
}

#[test]
fn expandable_segments_grow_in_one_pool() {
    let problem = problem(&[(12 * MIB, 0, 2), (30 * MIB, 1, 3), (11 * MIB, 2, 3)]);
    let (plan, events) = planned(&problem, &[("expandable_segments", "true")]).expect("a plan");
    assert_eq!(outcomes(&events), [Outcome::NewPool, Outcome::Grow, Outcome::Split]);
    assert_eq!((plan.pools.len(), plan.pools.iter().next().map(|pool| pool.size)), (1, Some(60 * MIB)));
    assert_eq!(check(&problem, &plan), []);
}

#[test]
fn a_card_that_is_too_small_ends_the_program_with_the_arithmetic() {
    let problem = problem(&[(12 * MIB, 0, 1), (13 * MIB, 1, 3), (30 * MIB, 2, 3)]);
    // The cached 12 MiB are given back first, which is enough for 13 but not for 30.
    let (plan, events) = planned(&problem, &[("card", "41943040")]).expect("a plan");
    let left_out: Vec<_> = plan.unplanned.clone();
    assert_eq!(left_out, [(BufferId(2), Unplanned::OutOfMemory)]);
    assert_eq!(noted(&events, Note::CacheOom), Some((30 * MIB, 26 * MIB)));
    assert_eq!(noted(&events, Note::CacheOomHeld), Some((14 * MIB, 13 * MIB + MIB)));
    let error = planned(&problem, &[("card", "1048576")]).expect_err("out of memory at once");
    let PlanError::Refused(message) = error else { panic!("{error:?}") };
    assert_eq!(message.key, "fault.cuda-first");
}

#[test]
fn settings_that_a_version_does_not_take_are_refused() {
    let problem = problem(&[(MIB, 0, 1)]);
    for (given, key) in [
        (vec![("max_split_size_mb", "10")], "fault.cuda-setting"),
        (vec![("large_segment_size_mb", "32"), ("version", "2.9")], "fault.cuda-setting"),
        (vec![("per_process_memory_fraction", "0.5")], "fault.cuda-fraction"),
    ] {
        let Err(PlanError::Refused(message)) = planned(&problem, &given) else { panic!("{given:?}") };
        assert_eq!(message.key, key, "{given:?}");
    }
}

/// A block of 3 MiB and a waiting one of 2 MiB in a segment of 20 MiB, then a request that the
/// waiting block would serve.
fn recorded() -> Problem {
    let mut problem = problem(&[(3 * MIB, 0, 5), (2 * MIB, 0, 3), (MIB + 512, 2, 5), (2 * MIB, 4, 5)]);
    let base = 1 << 32;
    let block = |address, requested, id| HeldBlock { address, requested, size: Some(requested), id };
    let call = |step, call, address| RecordedCall { step, call, address };
    let recording = Recording {
        held: vec![HeldRange { address: base, size: 20 * MIB, stream: 0, pool: HeldPool::Large, is_expandable: false }],
        blocks: vec![block(base, 3 * MIB, 0), block(base + 3 * MIB, 2 * MIB, 1)],
        calls: vec![
            call(0, Call::RecordStream { id: 1, stream: 9 }, None),
            call(0, Call::Free { id: 1 }, None),
            call(2, Call::Alloc { id: 2, bytes: MIB + 512, stream: 0 }, Some(base + 5 * MIB)),
            call(3, Call::Complete { stream: 9 }, None),
            call(4, Call::Alloc { id: 3, bytes: 2 * MIB, stream: 0 }, Some(base + 3 * MIB)),
        ],
        owners: [0, 1, 2, 3].map(|id| Some(BufferId(id))).to_vec(),
        ..Recording::default()
    };
    problem.recordings = Arc::new(vec![recording]);
    problem
}

#[test]
fn a_recording_is_repeated_with_its_start_and_its_streams() {
    let problem = recorded();
    let (plan, events) = planned(&problem, &[]).expect("a plan");
    let offsets: Vec<u64> = plan.places.iter().flatten().map(|place| place.offset).collect();
    assert_eq!(offsets, [0, 3 * MIB, 5 * MIB, 3 * MIB]);
    use Outcome::{Exact, Split, Stated};
    assert_eq!(outcomes(&events), [Stated, Stated, Split, Exact]);
    assert_eq!(check(&problem, &plan), []);
    let fidelity = fidelity(&problem.recordings[0], &Settings::new(Version::NEWEST), 1 << 30);
    assert_eq!((fidelity.requests, fidelity.equal, fidelity.first_difference), (2, 2, None));
}

#[test]
fn a_recording_of_other_buffers_is_left_aside() {
    let mut problem = recorded();
    let mut buffers: IdVec<BufferId, _> = problem.buffers.clone();
    let more = buffers[BufferId(0)].clone();
    buffers.push(more);
    problem.buffers = buffers;
    let (_, events) = planned(&problem, &[]).expect("a plan");
    assert!(!outcomes(&events).contains(&Outcome::Stated));
}

#[test]
fn a_request_that_failed_fails_again_and_gives_the_cache_back() {
    let mut problem = problem(&[(12 * MIB, 0, 1), (12 * MIB, 3, 4)]);
    let call = |step, call, address| RecordedCall { step, call, address };
    let alloc = |id, mib| Call::Alloc { id, bytes: mib * MIB, stream: 0 };
    let recording = Recording {
        calls: vec![
            call(0, alloc(0, 12), Some(1 << 32)),
            call(1, Call::Free { id: 0 }, None),
            call(2, alloc(1, 900), None),
            call(3, alloc(2, 12), Some(1 << 33)),
        ],
        owners: vec![Some(BufferId(0)), None, Some(BufferId(1))],
        failed: vec![FailedRequest { step: 2, bytes: 900 * MIB, line: String::new(), within_reach: Some(100 * MIB) }],
        reserved: 12 * MIB,
        ..Recording::default()
    };
    problem.recordings = Arc::new(vec![recording]);
    let (plan, events) = planned(&problem, &[]).expect("a plan");
    assert_eq!(outcomes(&events), [Outcome::NewPool, Outcome::NewPool]);
    assert_eq!(plan.pools.iter().map(|pool| pool.size).collect::<Vec<_>>(), [12 * MIB, 12 * MIB]);
}

#[test]
fn freeing_a_part_of_a_segment_is_refused() {
    // A segment that was split under other settings: with max_split_size_mb its free rest counts as
    // a block that can be given back.
    let mut problem = problem(&[(3 * MIB, 0, 2), (90 * MIB, 1, 2)]);
    let base = 1 << 32;
    let held = HeldRange { address: base, size: 60 * MIB, stream: 0, pool: HeldPool::Large, is_expandable: false };
    let recording = Recording {
        held: vec![held],
        blocks: vec![HeldBlock { address: base, requested: 3 * MIB, size: Some(3 * MIB), id: 0 }],
        calls: vec![RecordedCall {
            step: 1,
            call: Call::Alloc { id: 1, bytes: 90 * MIB, stream: 0 },
            address: Some(0),
        }],
        owners: vec![Some(BufferId(0)), Some(BufferId(1))],
        ..Recording::default()
    };
    problem.recordings = Arc::new(vec![recording]);
    let given = [("max_split_size_mb", "20"), ("card", "104857600")];
    let Err(PlanError::Refused(message)) = planned(&problem, &given) else { panic!("not refused") };
    assert_eq!(message.key, "fault.cuda-breaks");
}

/// The calls of a program: sizes in MiB, each allocated at its step and freed at the other one.
fn program(sizes: &[(u64, u32, u32)]) -> Recording {
    let mut calls = Vec::new();
    for (id, &(mib, start, end)) in (0..).zip(sizes) {
        calls.push(RecordedCall {
            step: start,
            call: Call::Alloc { id, bytes: mib * MIB, stream: 0 },
            address: Some(0),
        });
        calls.push(RecordedCall { step: end, call: Call::Free { id }, address: None });
    }
    calls.sort_by_key(|call| call.step);
    Recording { calls, owners: vec![None; sizes.len()], ..Recording::default() }
}

#[test]
fn another_setting_avoids_an_out_of_memory() {
    // Three large segments are cached, none of which serves the last request.
    let recording = program(&[(12, 0, 1), (14, 2, 3), (16, 4, 9), (30, 10, 11)]);
    let what_if = WhatIf::new(&recording, None).expect("no settings");
    let plain = what_if.measure("", Some(40 * MIB)).expect("measured");
    assert_eq!((plain.reserved, plain.allocated, plain.gap), (72 * MIB, 30 * MIB, 42 * MIB));
    assert_eq!((plain.obtained, plain.allocated_step), (4, 10));
    // The cache is given back for it, so that 30 MiB are enough.
    assert_eq!(plain.on_card, Some(OnCard { obtained: 4, given: 3, stop: None, left_out: None }));
    assert_eq!(plain.smallest, Some(30 * MIB));
    let held = program(&[(12, 0, 20), (9, 1, 2), (30, 3, 4)]);
    let what_if = WhatIf::new(&held, None).expect("no settings");
    let small = what_if.measure("", Some(40 * MIB)).expect("measured");
    let stop = small.on_card.and_then(|on_card| on_card.stop).expect("out of memory");
    assert_eq!((stop.step, stop.segment, stop.given, stop.free), (3, 30 * MIB, 20 * MIB, 28 * MIB));
    assert_eq!((stop.largest, stop.is_recorded, small.smallest), (0, false, Some(42 * MIB)));
}

#[test]
fn usual_changes_leave_out_what_is_on() {
    let recording = Recording { settings: "expandable_segments:True".into(), ..program(&[(1, 0, 1)]) };
    let what_if = WhatIf::new(&recording, None).expect("settings");
    let usual = what_if.usual();
    assert_eq!(usual[0], "expandable_segments:False");
    assert!(usual.iter().all(|change| !change.contains("expandable_segments:True")), "{usual:?}");
    assert_eq!(what_if.text("max_split_size_mb:20"), "expandable_segments:True,max_split_size_mb:20");
    assert_eq!(settings_named("roundup_power2_divisions:[256:1,>:4],max_split_size_mb:20"), 2);
    let old = WhatIf::new(&recording, Some("2.9")).expect("settings");
    assert!(old.usual().iter().all(|change| !change.contains("large_segment_size_mb")));
}

#[test]
fn the_cheapest_change_names_the_fewest_settings() {
    let measured = |mib: u64, runs: bool| {
        let recording = program(&[(mib, 0, 1)]);
        let what_if = WhatIf::new(&recording, None).expect("no settings");
        let card = if runs { 100 * MIB } else { MIB };
        what_if.measure("", Some(card)).expect("measured")
    };
    let (small, large, fails) = (measured(20, true), measured(40, true), measured(10, false));
    let rows = [("a:1,b:2", Some(&small)), ("c:1", Some(&large)), ("d:1", Some(&small)), ("e:1", Some(&fails))];
    assert_eq!(cheapest(rows), Some(2));
    assert_eq!(cheapest([("e:1", Some(&fails)), ("f:1", None)]), None);
}

#[test]
fn a_change_is_a_choice_of_options_too() {
    let options = |recorded, change, card| {
        let (_, options) = super::planned_as(recorded, change, card);
        options.into_iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(options("", "", None), "");
    assert_eq!(options("expandable_segments:True", "", Some(5)), "card=5");
    let change = "large_segment_size_mb:12,expandable_segments:True";
    assert_eq!(options("", change, Some(7)), "card=7 expandable_segments=true large_segment_size_mb=12");
    let change = "roundup_power2_divisions:[256:1,>:8]";
    assert_eq!(options("", change, None), "roundup_power2_divisions=[256:1,>:8]");
    let change = "max_non_split_rounding_mb:64,throw_on_cudamalloc_oom:True";
    assert_eq!(options("", change, None), "max_non_split_rounding_mb=64 throw_on_cudamalloc_oom=true");
    // What is recorded as on can be taken back only together with all that is recorded.
    let recorded = "expandable_segments:True,max_split_size_mb:64";
    assert_eq!(options(recorded, "expandable_segments:False", None), "max_split_size_mb=64 recorded=false");
    let takes_back = options("throw_on_cudamalloc_oom:True", "throw_on_cudamalloc_oom:False", None);
    assert_eq!(takes_back, "recorded=false");
}

#[test]
fn what_is_allocated_at_the_peak_leaves_out_what_waits() {
    let problem = recorded();
    let peak = WhatIf::new(&problem.recordings[0], None).expect("no settings").at_peak().expect("it runs");
    assert_eq!((peak.step, peak.allocated, peak.waiting), (4, 6 * MIB + 512, 0));
    assert_eq!(peak.blocks, [(0, 3 * MIB), (2, MIB + 512), (3, 2 * MIB)]);
    // Before the wait is over, the largest sum is that at the start.
    let mut cut = problem.recordings[0].clone();
    cut.calls.truncate(3);
    let peak = WhatIf::new(&cut, None).expect("no settings").at_peak().expect("it runs");
    assert_eq!((peak.step, peak.allocated, peak.waiting), (0, 5 * MIB, 0));
}

#[test]
fn a_part_of_the_card_holds_what_was_held_at_first() {
    let problem = recorded();
    let what_if = WhatIf::new(&problem.recordings[0], None).expect("no settings");
    let half = |card| what_if.measure("per_process_memory_fraction:0.5", Some(card * MIB));
    assert_eq!(half(38).map_err(|why| why.key), Err("whatif.held-part".into()));
    assert_eq!(half(50).map(|measured| measured.smallest), Ok(Some(40 * MIB)));
}

#[test]
fn a_failed_request_that_no_card_holds_is_left_out_and_told() {
    let mut recording = program(&[(12, 0, 1), (14, 2, 3)]);
    let call = Call::Alloc { id: 2, bytes: 900 * MIB, stream: 0 };
    recording.calls.push(RecordedCall { step: 5, call, address: None });
    recording.owners.push(None);
    let what_if = WhatIf::new(&recording, None).expect("no settings");
    let on = |card: u64| what_if.measure("", Some(card * MIB)).expect("measured").on_card.expect("a card");
    let left_out = LeftOut { step: 5, bytes: 900 * MIB };
    assert_eq!((on(100).stop, on(100).left_out), (None, Some(left_out)));
    assert_eq!((on(1000).stop, on(1000).left_out), (None, None));
    assert_eq!(what_if.check(None).equal_failures, 1);
}

/// Every block of at least 20 MiB has a segment to itself under `max_split_size_mb`, and is handed
/// out whole to a smaller one. On a small card its segment is given back instead.
#[test]
fn a_block_that_is_handed_out_whole_is_no_need_of_a_card() {
    let recording = program(&[(88, 0, 1), (100, 2, 3), (70, 4, 9), (88, 5, 8)]);
    let what_if = WhatIf::new(&recording, None).expect("no settings");
    let change = "max_split_size_mb:20";
    let smallest = |card: u64| {
        let measured = what_if.measure(change, Some(card * MIB)).expect("measured");
        (measured.allocated, measured.on_card.is_some_and(|on_card| on_card.stop.is_none()), measured.smallest)
    };
    assert_eq!(smallest(160), (188 * MIB, true, Some(158 * MIB)));
    assert_eq!(smallest(157), (188 * MIB, false, Some(158 * MIB)));
}

#[test]
fn a_private_pool_that_ends_gives_its_own_memory_back() {
    let alloc = |id, mib| Call::Alloc { id, bytes: mib * MIB, stream: 0 };
    let calls = [
        alloc(0, 30),
        Call::BeginPool { pool: 3 },
        alloc(1, 64),
        Call::EndPool { pool: 3 },
        Call::BeginPool { pool: 3 },
        Call::EndPool { pool: 3 },
        Call::Free { id: 0 },
        Call::Free { id: 1 },
        Call::ReleasePool { pool: 3 },
        Call::EmptyPool { pool: 3 },
        alloc(2, 64),
    ];
    let call = |(step, call)| RecordedCall { step, call, address: Some(0) };
    let calls = (0..).zip(calls).map(call).collect();
    let mut recording = Recording { calls, owners: vec![None; 3], ..Recording::default() };
    let measured = |recording: &Recording| {
        let measured = WhatIf::new(recording, None).expect("no settings").measure("", None).expect("measured");
        (measured.reserved / MIB, measured.obtained)
    };
    // The cached 30 MiB of all others stay.
    assert_eq!(measured(&recording), (94, 3));
    recording.calls.retain(|call| !matches!(call.call, Call::ReleasePool { .. }));
    assert_eq!(measured(&recording), (158, 3));
}

#[test]
fn a_cut_recording_shows_where_its_first_blocks_end() {
    let base = 1 << 32;
    let held = |at, mib| HeldRange {
        address: base + at * MIB,
        size: mib * MIB,
        stream: 0,
        pool: HeldPool::Large,
        is_expandable: false,
    };
    let block = |at, mib, id| HeldBlock { address: base + at * MIB, requested: mib * MIB, size: None, id };
    let alloc = |id, mib: u64, at| RecordedCall {
        step: id,
        call: Call::Alloc { id, bytes: mib * MIB, stream: 0 },
        address: Some(base + at * MIB),
    };
    let equal = |text: &str, recording: &Recording| {
        let settings = Settings::of(text, Version::NEWEST).expect("settings");
        let fidelity = fidelity(recording, &settings, 1 << 30);
        (fidelity.equal, fidelity.requests)
    };
    // A block of 4 MiB that took 5: the next one begins behind them.
    let recording = Recording {
        held: vec![held(0, 20)],
        blocks: vec![block(0, 4, 0)],
        calls: vec![alloc(1, 3, 5)],
        owners: vec![None; 2],
        ..Recording::default()
    };
    assert_eq!(equal("", &recording), (1, 1));
    // A block of 50 MiB that has 60 to itself: the next one gets another segment.
    let recording = Recording {
        held: vec![held(0, 60)],
        blocks: vec![block(0, 50, 0)],
        calls: vec![alloc(1, 8, 200)],
        owners: vec![None; 2],
        segments: vec![(base + 200 * MIB, 20 * MIB)],
        ..Recording::default()
    };
    assert_eq!(equal("max_split_size_mb:20", &recording), (1, 1));
    assert_eq!(equal("", &recording), (0, 1));
}

/// Garbage is collected above 60% of what the process may hold: 60 MiB of a card of 200, but less
/// than 38 MiB of the smallest card that the recording allows.
#[test]
fn the_card_that_is_asked_about_counts_if_it_explains_the_recording() {
    let (first, second) = (1 << 32, 1 << 33);
    let call = |step, call, address| RecordedCall { step, call, address };
    let alloc = |id, mib: u64, stream| Call::Alloc { id, bytes: mib * MIB, stream };
    let last = |address, mib: u64| FinalSegment { address, blocks: vec![(mib * MIB, true)] };
    let recording = Recording {
        settings: "garbage_collection_threshold:0.6,per_process_memory_fraction:0.5".into(),
        calls: vec![
            call(0, alloc(0, 50, 0), Some(first)),
            call(1, Call::Free { id: 0 }, None),
            call(2, alloc(1, 12, 1), Some(second)),
            call(3, alloc(2, 50, 0), Some(first)),
        ],
        owners: vec![None; 3],
        segments: vec![(first, 50 * MIB), (second, 12 * MIB)],
        last: vec![last(first, 50), last(second, 12)],
        reserved: 62 * MIB,
        ..Recording::default()
    };
    let what_if = WhatIf::new(&recording, None).expect("settings");
    let is_whole = |card: Option<u64>| what_if.check(card.map(|mib| mib * MIB)).is_whole();
    assert!(!is_whole(None) && is_whole(Some(200)));
    // Of this one the process could not hold what it held.
    assert!(!is_whole(Some(100)));
}
