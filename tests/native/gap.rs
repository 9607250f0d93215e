//! The distance between plans and their bounds: the sums of all planners, and the reasons of known
//! plans.

use std::collections::BTreeMap;
use std::path::Path;

use memplan_core::problem::{Buffer, BufferId, Scope};
use memplan_core::text::{Locale, Speech};
use memplan_core::trace::Outcome;
use memplan_engine::api;
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::{self as planner, Info, REGISTRY};
use memplan_replay::{Case, Gap, GapBlocker, Growth, Level, Run, gap, gap_sentences, reason, record_gap};
use serde_json::Value;

fn document(path: &str) -> Document {
    let bytes =
        std::fs::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(path)).expect("the file is there");
    import::read(&bytes, Answers::default()).expect("a valid file").document
}

/// Searches are short: the sums do not depend on how good a plan is.
fn options(info: &Info) -> BTreeMap<String, String> {
    let short = [("nodes", "2000"), ("attempts", "30"), ("states", "300"), ("work", "1")];
    let has = |key: &str| info.options.iter().any(|spec| spec.key == key);
    short.into_iter().filter(|(key, _)| has(key)).map(|(key, value)| (key.to_string(), value.to_string())).collect()
}

fn run(document: &Document, planner: &str, options: &BTreeMap<String, String>) -> Run {
    match api::replay(document, planner, options, &Scope::default()) {
        Ok((run, _)) => run,
        Err(error) => panic!("{planner}: {error:?}"),
    }
}

/// What must hold of every growth whatever the planner.
fn check(run: &Run, gap: &Gap, about: &str) {
    let added: u64 = gap.growths.iter().map(|growth| growth.adds).sum();
    if run.metrics.held.is_some() {
        assert_eq!((gap.peak, added), (run.metrics.need(), 0), "{about}: no decision raises what is held");
        assert!(gap.above() == 0 || gap_sentences(run, gap, Level::Decisions)[0].key == "gap.held", "{about}");
        return;
    }
    assert_eq!(added, gap.above(), "{about}: the growths are the distance to the bound");
    assert_eq!((gap.peak, gap.placed_bound), (run.metrics.peak, run.metrics.bound()), "{about}");
    assert_eq!(added > 0, gap.peak > gap.bound, "{about}");
    // What the rows leave of the waste is what one sentence tells.
    let left_out = gap.bound - gap.placed_bound;
    if !gap.growths.is_empty() {
        assert_eq!(gap.above() + left_out, run.metrics.waste, "{about}");
    }
    let tells = gap_sentences(run, gap, Level::Decisions).iter().any(|sentence| sentence.key == "gap.left-out");
    assert_eq!(tells, left_out > 0, "{about}");
    for growth in &gap.growths {
        let known = growth.reason.as_ref().unwrap_or_else(|| panic!("{about}: no reason of {growth:?}"));
        let Buffer { size, live, .. } = run.problem.buffers[growth.buffer];
        let lives_too = |blocker: &GapBlocker| run.problem.buffers[blocker.buffer].live.meets(live);
        let hole = known.hole.map_or(0, |(from, to)| to - from);
        let is_true = match known.case {
            Case::Missed => hole >= size && known.free >= hole,
            Case::Cut => {
                let is_cut = known.largest.0.max(known.largest.1) < size;
                is_cut && known.hole.is_none() && known.free >= growth.adds
            }
            Case::Pool => known.free >= size && known.pool != growth.pool,
            // A test of its own makes it.
            Case::Rounding => known.hole.is_none(),
            Case::Full => known.hole.is_none() && known.blockers.iter().all(lives_too),
            Case::Recorded => growth.outcome == Outcome::Stated,
            Case::Pushed => run.plan.places[growth.buffer].is_some_and(|place| place.offset == growth.offset),
        };
        assert!(is_true, "{about}: {growth:?}");
    }
    for locale in Locale::ALL {
        let speech = Speech { locale, ..Speech::default() };
        let rows = gap.growths.iter().take(50).map(|growth| reason(run, growth, Level::Decisions));
        for sentence in gap_sentences(run, gap, Level::Decisions).into_iter().chain(rows) {
            let words = speech.say(&sentence);
            assert!(!words.is_empty() && !words.contains(['{', '}']), "{about}: {words}");
        }
    }
}

#[test]
fn the_growths_of_every_planner_on_every_example_sum_to_the_distance() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("www/graphs");
    let mut cases = [0; Case::ALL.len()];
    let mut storages = 0;
    for folder in [folder.clone(), folder.join("cases"), folder.join("new")] {
        for entry in std::fs::read_dir(folder).expect("examples").flatten() {
            let path = entry.path();
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            if path.extension().is_none_or(|ending| ending != "json") || name == "index" {
                continue;
            }
            let document = document(&path.to_string_lossy());
            for planner in REGISTRY {
                let info = planner.info();
                if planner::applicable(info, document.graph().is_some()).is_err() {
                    continue;
                }
                let run = run(&document, info.id, &options(info));
                let gap = gap(&run, u64::MAX);
                check(&run, &gap, &format!("{name}, {}", info.id));
                for growth in &gap.growths {
                    let known = growth.reason.as_ref().expect("checked");
                    cases[known.case as usize] += 1;
                    storages += usize::from(known.storage);
                }
            }
        }
    }
    // Rounding alone is rare: a test of its own makes it.
    assert!([0, 1, 2, 4, 6].into_iter().all(|case| cases[case] > 0) && storages > 0, "{cases:?}, {storages}");
}

#[test]
fn the_growths_on_real_networks_sum_to_the_distance() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/data/models");
    // Without optimisation the larger ones take minutes.
    let most = if cfg!(debug_assertions) { 300 } else { 3000 };
    let mut models = 0;
    for entry in std::fs::read_dir(folder).expect("models").flatten() {
        let path = entry.path().to_string_lossy().into_owned();
        if !path.ends_with(".json.gz") {
            continue;
        }
        let document = document(&path);
        if document.graph().is_none_or(|graph| graph.tensors.len() > most) {
            continue;
        }
        models += 1;
        for planner in REGISTRY {
            let run = run(&document, planner.info().id, &options(planner.info()));
            check(&run, &gap(&run, u64::MAX), &format!("{path}, {}", planner.info().id));
        }
    }
    assert!(models >= 8, "only {models} models");
}

fn frames(gap: &Gap) -> Vec<(usize, Case, u64)> {
    let row = |growth: &Growth| (growth.decision + 1, growth.reason.as_ref().expect("looked at").case, growth.adds);
    gap.growths.iter().map(row).collect()
}

#[test]
fn first_fit_cuts_the_free_bytes_of_the_unet_in_two() {
    let run = run(&document("www/graphs/unet_512.json"), "first-fit", &BTreeMap::new());
    let found = gap(&run, u64::MAX);
    assert_eq!(frames(&found), [(61, Case::Cut, 64 << 20)]);
    let known = found.growths[0].reason.as_ref().expect("looked at");
    assert_eq!((known.free, known.pieces, known.largest), (100_663_296, 2, (64 << 20, 32 << 20)));
    let between: Vec<(&str, Option<usize>)> =
        known.blockers.iter().map(|b| (run.problem.buffers[b.buffer].name.as_str(), b.decision)).collect();
    assert_eq!(between, [("relu_1", Some(6)), ("conv_transpose2d_3", Some(59))]);
    // Beyond the work allowed the sums stay, and the reasons are left out.
    let quick = gap(&run, 0);
    assert_eq!((quick.growths[0].adds, &quick.growths[0].reason), (64 << 20, &None));
    assert_eq!(gap_sentences(&run, &quick, Level::Decisions).last().expect("a sentence").key, "gap.not-looked");
}

#[test]
fn the_tree_misses_a_hole_six_times_in_stable_diffusion() {
    let run = run(&document("tests/data/models/sd15_unet.json.gz"), "inductor-tree", &BTreeMap::new());
    let found = gap(&run, u64::MAX);
    check(&run, &found, "sd15_unet");
    let expected =
        [(53, 5_066_752), (168, 5_242_880), (224, 2_621_440), (225, 2_621_440), (385, 1_310_720), (543, 655_360)];
    assert_eq!(frames(&found), expected.map(|(frame, adds)| (frame, Case::Missed, adds)));
    let sentences: Vec<_> =
        gap_sentences(&run, &found, Level::Decisions).into_iter().map(|sentence| sentence.key).collect();
    assert_eq!(
        sentences,
        ["gap.many-part", "gap.placed-several", "gap.each.missed", "gap.rule", "gap.left-out"],
        "one rule, told once"
    );
}

/// Buffers as `name, size, first step, step after the last`.
fn buffers(rows: &[(&str, u64, u32, u32)]) -> Document {
    let rows: Vec<String> =
        rows.iter().map(|(name, size, start, end)| format!("{name},{start},{end},{size}")).collect();
    let text = format!("id,lower,upper,size\n{}\n", rows.join("\n"));
    import::read(text.as_bytes(), Answers::default()).expect("a valid list").document
}

#[test]
fn a_hole_that_only_alignment_makes_too_small_is_told_as_rounding() {
    // c needs the 224 bytes above a, but begins at the next multiple of 64.
    let document = buffers(&[("a", 40, 0, 4), ("b", 200, 0, 2), ("c", 224, 2, 4)]);
    let scope = Scope { align: 64, ..Scope::default() };
    let (run, _) = api::replay(&document, "first-fit", &BTreeMap::new(), &scope).expect("planned");
    let found = gap(&run, u64::MAX);
    check(&run, &found, "rounding");
    assert_eq!(frames(&found), [(3, Case::Rounding, 24)]);
}

#[test]
fn what_is_pushed_up_in_the_end_is_told_at_its_last_place() {
    let run = run(&document("www/graphs/cases/triton-shared.json"), "triton-shared", &BTreeMap::new());
    let found = gap(&run, u64::MAX);
    check(&run, &found, "pushed");
    let [only] = &found.growths[..] else { panic!("{:?}", found.growths) };
    let known = only.reason.as_ref().expect("a reason");
    assert_eq!((known.case, only.adds, only.offset), (Case::Pushed, 48, 112));
    let met: Vec<&str> = known.blockers.iter().map(|other| &*run.problem.buffers[other.buffer].name).collect();
    assert_eq!((&*run.problem.buffers[only.buffer].name, met), ("C", vec!["A"]));
}

/// What a planner holds beyond the life of a buffer is no gap for it.
#[test]
fn bytes_that_a_planner_still_holds_are_told_as_held() {
    for (planner, buffer, holder) in [("onnxsim", "C", "A"), ("onnxruntime", "C", "A")] {
        let run = run(&document(&format!("www/graphs/cases/{planner}.json")), planner, &BTreeMap::new());
        let found = gap(&run, u64::MAX);
        check(&run, &found, planner);
        let name = |id: BufferId| &*run.problem.buffers[id].name;
        let held: Vec<(&str, &str)> = found
            .growths
            .iter()
            .filter_map(|growth| Some((name(growth.buffer), name(growth.reason.as_ref()?.held?))))
            .collect();
        assert!(held.contains(&(buffer, holder)), "{planner}: {held:?} of {:?}", found.growths);
        let sentences = gap_sentences(&run, &found, Level::Decisions);
        let words: Vec<&str> = sentences.iter().map(|words| words.key.as_ref()).collect();
        assert!(words.iter().any(|key| key.contains("held")) && !words.contains(&"gap.rule"), "{planner}: {words:?}");
    }
}

#[test]
fn the_record_has_the_form_that_is_documented() {
    let run = run(&document("www/graphs/unet_512.json"), "first-fit", &BTreeMap::new());
    let text = memplan_formats::export::gap::gap(&record_gap(&run, &gap(&run, u64::MAX)));
    let sample = std::fs::read_to_string(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("docs/gap.md"))
        .expect("the page");
    let sample = sample.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a sample");
    let value = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    assert_eq!(value(&text), value(sample));
}
