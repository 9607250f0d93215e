//! The plans of all planners on one instance.

use std::collections::BTreeMap;

use super::judge::{digest, judged};
use super::record::{Conditions, Measured, Row};
use memplan_core::problem::{Problem, Scope, lower_bound};
use memplan_core::trace::Silent;
use memplan_planners as planner;

/// Runs shorter than so many milliseconds are repeated, and the shortest counts.
const SHORT: f64 = 50.0;

/// Most runs of one planner.
const RUNS: usize = 5;

/// Plans by planner: offsets in bytes in the order of the instance.
type Offsets = BTreeMap<String, Vec<Option<u64>>>;

/// Runs planners with their default options on an instance. A planner that refuses the instance has
/// no row. `clock` returns milliseconds.
///
/// # Errors
/// There is no such planner, a plan has several pools, or it breaks a rule.
pub fn measured(
    id: &str,
    instance: &Problem,
    planners: &[String],
    ran: Conditions,
    clock: &dyn Fn() -> f64,
) -> Result<(Measured, Offsets), String> {
    let (mut rows, mut plans) = (Vec::new(), Offsets::new());
    for name in planners {
        let planner = planner::find(name).ok_or_else(|| format!("{name}: there is no such planner"))?;
        if planner::applicable(planner.info(), false).is_err() {
            continue;
        }
        let options = planner.info().defaults();
        let mut best: Option<(f64, planner::Made)> = None;
        for _ in 0..RUNS {
            let start = clock();
            let made = planner::run(planner, instance, None, &Scope::default(), &options, &mut Silent);
            let ms = clock() - start;
            let Ok(made) = made else { break };
            best = Some(best.map_or(ms, |(before, _)| before.min(ms))).map(|ms| (ms, made));
            if ms >= SHORT {
                break;
            }
        }
        let Some((ms, made)) = best else { continue };
        if made.plan.pools.len() > 1 {
            return Err(format!("{name} on {id}: a plan of {} pools has no single peak", made.plan.pools.len()));
        }
        let offsets: Vec<Option<u64>> = made.plan.places.iter().map(|place| place.map(|place| place.offset)).collect();
        let found = judged(instance, &offsets);
        if !found.violations.is_empty() {
            return Err(format!("{name} on {id}: the plan breaks {} rules", found.violations.len()));
        }
        let ms = Some((ms * 100.0).round() / 100.0);
        let proved = made.plan.proof.bound();
        rows.push(Row { planner: name.clone(), peak: found.peak, placed: found.placed, proved, ms });
        plans.insert(name.clone(), offsets);
    }
    Ok((Measured { rows, ran, ..described(id, instance) }, plans))
}

/// What is known of an instance without a planner.
fn described(id: &str, instance: &Problem) -> Measured {
    // The load of buffers of one byte counts them.
    let mut counted = instance.clone();
    counted.buffers.iter_mut().for_each(|buffer| buffer.size = 1);
    Measured {
        id: id.into(),
        buffers: instance.buffers.len() as u64,
        alive: lower_bound(&counted),
        bound: lower_bound(instance),
        digest: digest(instance),
        ..Measured::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::judge::buffers;
    use super::*;

    #[test]
    fn planners_are_measured_and_their_plans_kept() {
        let list = buffers(b"id,lower,upper,size\na,0,2,4\nb,1,3,4\nc,2,4,4\n").expect("a list");
        let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        let run = |planners: &[&str]| measured("small", &list, &names(planners), Conditions::default(), &|| 1.0);
        // The second needs a graph.
        let (found, plans) = run(&["first-fit", "onnxruntime", "exact"]).expect("measured");
        assert_eq!((found.buffers, found.alive, found.bound), (3, 2, 8));
        let rows: Vec<(&str, u64, Option<u64>)> =
            found.rows.iter().map(|row| (row.planner.as_str(), row.peak, row.proved)).collect();
        assert_eq!(rows, [("first-fit", 8, None), ("exact", 8, Some(8))]);
        assert_eq!(plans["first-fit"], [Some(0), Some(4), Some(0)]);
        assert!(run(&["no-planner"]).is_err());
        assert!(run(&["shared-objects-by-size"]).is_err(), "each object is a pool");
    }
}
