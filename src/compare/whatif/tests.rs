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

fn opened_snapshot(locale: Locale) -> State {
    let origin = Origin::File("gpt_inference.pickle".into());
    let bytes = SNAPSHOT.to_vec().into();
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
