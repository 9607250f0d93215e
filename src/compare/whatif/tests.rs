//! The table of settings as a reader finds it.

use yew::prelude::*;

use crate::compare::Compare;
use crate::compare::diff::state::tests::settled;
use crate::compare::state::whatif::WhatIfChange;
use crate::compare::whatif::change;
use crate::open::state::document::Origin;
use crate::shell::state::State;
use crate::shell::state::action::{Action, CompareAction, DocumentAction, SettingsAction};
use crate::testing::{Screen, done, opened, screen};
use memplan_core::text::Locale;
use memplan_formats::import::Answers;

const SNAPSHOT: &[u8] = include_bytes!("../../../tests/golden/data/cuda_allocator/snapshots/gpt_inference.pickle.gz");

fn shown(state: State) -> Screen {
    screen(state, html! { <Compare dark=false /> })
}

/// A program on two streams whose request of 100 GiB failed on a card of 8 GiB.
const PLAIN: &[u8] = include_bytes!("../../../tests/golden/data/cuda_allocator/snapshots/plain.pickle.gz");

/// A program that was recorded from its middle on.
const CUT: &[u8] =
    include_bytes!("../../../tests/golden/data/cuda_allocator/snapshots/resnet_train_truncated.pickle.gz");

fn opened_snapshot(locale: Locale) -> State {
    opened_file(locale, SNAPSHOT)
}

fn opened_file(locale: Locale, bytes: &[u8]) -> State {
    let origin = Origin::File("recorded.pickle".into());
    let bytes = bytes.to_vec().into();
    let choices = Answers::default();
    let open = Action::Document(DocumentAction::Open { origin, bytes, choices, place: None });
    let state = done(State::default().reduce(Action::Settings(SettingsAction::Locale(locale))).reduce(open));
    state.reduce(Action::Compare(CompareAction::OpenWhatIf))
}

#[test]
fn rows_say_what_runs_and_the_verdict_names_the_cheapest_change() {
    for (locale, runs) in [
        (Locale::En, "The cheapest change that avoids it: large_segment_size_mb:12"),
        (Locale::Zh, "large_segment_size_mb:12"),
    ] {
        let waiting = done(opened_snapshot(locale));
        assert_eq!(shown(waiting.clone()).all("#whatif tbody tr").len(), 0);
        assert_eq!(shown(waiting.clone()).all("#whatif-left").len(), 1, "it is being measured");
        let state = settled(settled(waiting).reduce(change(WhatIfChange::Card("80 MiB".into()))));
        let page = shown(state);
        let rows = page.attributes("#whatif tbody tr", "data-settings");
        assert_eq!((rows.len(), rows[0].as_str(), rows[2].as_str()), (12, "", "large_segment_size_mb:12"));
        assert_eq!(page.attributes("#whatif tr.best-row", "data-settings"), ["large_segment_size_mb:12"]);
        assert_eq!(page.attributes("#whatif tbody tr", "data-runs")[..3], ["false", "false", "true"]);
        assert!(page.text("#whatif-verdict").contains(runs), "{}", page.text("#whatif-verdict"));
        assert_eq!(page.texts("#whatif-arithmetic li").len(), 4);
        // Both curves, the recorded settings first.
        assert_eq!(page.attributes(".whatif-curve", "data-row"), ["A", "B"]);
        assert_eq!(page.all(".whatif-curve .stop").len(), 1, "A ends, B runs");
        assert_eq!(page.attributes("#whatif-check", "data-equal"), ["true"]);
        assert!(page.texts("#whatif-cautions li").len() >= 4);
        assert_eq!(
            page.texts("#whatif-lines th"),
            [if locale == Locale::En { "line not recorded" } else { "未记录行" }]
        );
    }
}

#[test]
fn a_document_without_calls_offers_no_settings() {
    let state = opened().reduce(Action::Compare(CompareAction::OpenPlanners));
    assert!(shown(state).all("#kind-whatif").is_empty());
    let state = opened().reduce(Action::Compare(CompareAction::OpenWhatIf));
    assert_eq!(shown(state).all("#whatif-none").len(), 1);
}

#[test]
fn a_request_that_failed_is_told_apart_and_lines_add_up_to_what_is_allocated() {
    let state = settled(opened_file(Locale::En, PLAIN));
    let page = shown(state.clone());
    // The failure states what the card had free; 42 MiB were held besides.
    assert_eq!(page.attributes(".whatif-fields input", "value")[0], "8 GiB");
    let verdict = page.text("#whatif-verdict").replace('\u{202f}', " ");
    assert!(verdict.contains("but for the request that failed in the recording too: 100 GiB at event 97"), "{verdict}");
    let check = page.text("#whatif-check");
    assert!(check.contains("33 of 33 requests lie where they were, and 1 of 1 fail again"), "{check}");
    // A block that waits for the other stream is not allocated.
    let trying = &state.comparing.whatif;
    let facts = trying.facts.as_ref().and_then(|facts| facts.as_ref().ok()).expect("a recording");
    let own = &trying.rows[0].1.as_ref().expect("it runs").measured;
    assert_eq!((facts.peak.allocated, facts.peak.step), (own.allocated, own.allocated_step));
    assert_eq!(facts.peak.lines.iter().map(|(_, bytes)| bytes).sum::<u64>(), own.allocated);
    assert!(facts.peak.waiting > 0 && page.text("#whatif-peak").contains("wait for other streams"));
    // The figure beside a curve is that of the curve.
    let top = page.texts(".whatif-top").concat().replace('\u{202f}', " ");
    assert!(top.starts_with("reserved 132 MiB"), "{top}");
}

#[test]
fn settings_are_read_as_a_shell_sets_them_and_refusals_say_why() {
    let tried = |text: &str| change(WhatIfChange::Try(text.into()));
    let state = settled(settled(opened_file(Locale::En, CUT)).reduce(change(WhatIfChange::Card("120 MiB".into()))));
    let tries = [
        "export PYTORCH_CUDA_ALLOC_CONF=backend:native",
        "PYTORCH_ALLOC_CONF=\"max_split_size_mb:128\"",
        "backend:cudaMallocAsync",
        "per_process_memory_fraction:0.5",
    ];
    let state = tries.into_iter().fold(state, |state, text| settled(state.reduce(tried(text))));
    let rows = &state.comparing.whatif.rows;
    let found = |name: &str| rows.iter().find(|(change, _)| change == name).expect(name).1.as_ref();
    let key = |name: &str| found(name).map_or_else(|why| why.key.to_string(), |_| "runs".into());
    let keys = ["backend:native", "max_split_size_mb:128", tries[2], tries[3]].map(key);
    // What is held already is more than half of the card.
    assert_eq!(keys, ["runs", "runs", "fault.cuda-backend", "whatif.held-part"]);
    let state = settled(state.reduce(change(WhatIfChange::Card("300 MiB".into()))));
    let half = state.comparing.whatif.rows.iter().find(|(change, _)| change == tries[3]).expect("measured");
    let smallest = half.1.as_ref().expect("it runs").measured.smallest;
    assert_eq!(smallest.map(|bytes| bytes >> 20), Some(236), "twice what is held");
}
