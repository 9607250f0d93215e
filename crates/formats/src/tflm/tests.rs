//! Damaged files, and rules that recorded cases do not show.

use super::*;
use memplan_core::plan::{Place, Plan, Pool, PoolId, PoolRole};

const MODEL: &[u8] = include_bytes!("../../../../tests/data/tflite/small_cnn_int8.tflite");

/// Everything that is done with a model.
fn take_the_whole_way(data: &[u8]) -> Result<(), Refusal> {
    let model = Model::read(data)?;
    let _ = model.plan(data)?;
    let found = arena(&model, None, &|_, _| None)?;
    let _ = (found.bound(), c_table(&found, "table"), problem(&model, &found, "model"));
    let offsets = vec![-1; model.tensors()];
    let written = write(data, &offsets)?;
    read_back(data, &written, &offsets)?;
    let order: Vec<usize> = (0..model.operators(0)).collect();
    reorder(data, 0, &order).map(|_| ())
}

#[test]
fn damaged_files_are_refused_and_nothing_panics() {
    take_the_whole_way(MODEL).expect("whole as it is");
    for length in (0..MODEL.len()).step_by(97) {
        let _ = take_the_whole_way(&MODEL[..length]);
    }
    // A fixed sequence: the same bytes at every run.
    let mut state = 7u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..3000 {
        let mut data = MODEL.to_vec();
        for _ in 0..=next(3) {
            // Structures lie at both ends of the file, weights between them.
            let at = if next(2) == 0 { next(600) } else { data.len() - 1 - next(4000) };
            data[at] = [0, 1, 0x7f, 0xff, next(256) as u8][next(5)];
        }
        let _ = take_the_whole_way(&data);
    }
}

fn plan_of(found: &Arena, places: &[u64]) -> Plan {
    let pool = Pool { name: "arena".into(), size: 0, device: "cpu".into(), role: PoolRole::Arena };
    let place = |&offset: &u64| Some(Place { pool: PoolId(0), offset });
    assert_eq!(found.requests.len(), places.len());
    Plan { pools: vec![pool].into(), places: places.iter().map(place).collect(), ..Plan::default() }
}

#[test]
fn the_own_addresses_of_the_greedy_planner_are_a_plan_as_large() {
    let model = Model::read(MODEL).expect("a model");
    let found = arena(&model, None, &|_, _| None).expect("an arena");
    let stated = offsets(&model, &found, &plan_of(&found, &found.places)).expect("one arena");
    assert_eq!(check(&model, &stated, &|_, _| None).expect("a right plan").head, found.head);
    let mut overlapping = plan_of(&found, &vec![0; found.places.len()]);
    let wrong = offsets(&model, &found, &overlapping).expect("one arena");
    assert_eq!(check(&model, &wrong, &|_, _| None).expect_err("an overlap").key, "tflm.overlap");
    overlapping.pools.iter_mut().for_each(|pool| pool.role = PoolRole::Storage);
    assert_eq!(offsets(&model, &found, &overlapping).expect_err("no addresses").key, "tflm.one-arena");
}

#[test]
fn a_plan_of_another_model_is_refused() {
    assert_eq!(write(MODEL, &[0; 3]).expect_err("three tensors").key, "tflm.count");
}

/// A plan is replaced where it stands, so that the file does not grow.
#[test]
fn a_second_plan_takes_the_place_of_the_first() {
    let count = Model::read(MODEL).expect("a model").tensors();
    let first = write(MODEL, &vec![-1; count]).expect("written");
    let mut other = vec![-1; count];
    other[0] = 16;
    let second = write(&first, &other).expect("written");
    assert_eq!(first.len(), second.len());
    assert_eq!(Model::read(&second).and_then(|model| model.plan(&second)).expect("a plan"), Some(other));
}
