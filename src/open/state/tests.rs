//! Searches that are stopped, and workers that are not there.

use crate::open::state::document::Origin;
use crate::shell::state::State;
use crate::shell::state::action::{Action, DocumentAction};
use crate::testing::{TEACHING, done, opened};
use memplan_engine::Done;
use memplan_engine::Export;
use memplan_engine::Planned;
use memplan_engine::Progress;
use memplan_engine::START;
use memplan_formats::import::Answers;
use memplan_worker::Unstarted;
use std::rc::Rc;

#[test]
fn a_search_that_is_stopped_keeps_the_best_plan_so_far() {
    let shown = opened();
    let search = shown.reduce(Action::Document(DocumentAction::Planner("exact".into())));
    let job = search.job().expect("it is planned").number;
    // What is shown is the plan of the planner before, and says so.
    assert!(search.shows_before() && !shown.shows_before());
    // Without a plan so far the one before stays.
    let none = search.reduce(Action::Document(DocumentAction::Cancel));
    assert_eq!((none.document.planner.as_str(), none.job().is_none()), ("inductor-tree", true));
    assert!(none.document.notice.is_none() && !none.shows_before());

    let option = Action::Document(DocumentAction::Option { key: "memory_pool".into(), value: "none".into() });
    assert!(shown.reduce(option).shows_before(), "other options give another plan");
    assert!(!shown.reduce(Action::Document(DocumentAction::Export(Export::Plan))).shows_before());

    let found = done(shown.reduce(Action::Document(DocumentAction::Planner("first-fit".into()))))
        .document
        .run
        .expect("planned");
    let answer = Done {
        opened: None,
        planned: Ok(Planned {
            planner: "exact".into(),
            problem: (*found.problem).clone(),
            graph: None,
            plan: found.plan.clone(),
            metrics: found.metrics.clone(),
            events: found.timeline.events.to_vec(),
            align: 1,
            violations: Vec::new(),
            collisions: Vec::new(),
            window: None,
            builder: None,
        }),
        diagram: None,
    };
    let answer = Rc::new(postcard::to_stdvec(&answer).expect("plain values"));
    let late = search.reduce(Action::Document(DocumentAction::Best { job: job + 1, answer: answer.clone() }));
    assert!(!has_best(&late), "an answer to another job");
    let writing = shown.reduce(Action::Document(DocumentAction::Export(Export::Plan)));
    let number = writing.job().expect("it is written").number;
    assert!(
        !has_best(&writing.reduce(Action::Document(DocumentAction::Best { job: number, answer: answer.clone() }))),
        "a file is whole"
    );
    let progress = Progress { done: 1, total: 9, best: Some((found.metrics.peak, 7)) };
    let kept = search
        .reduce(Action::Document(DocumentAction::Best { job, answer }))
        .reduce(Action::Document(DocumentAction::Progress { job, progress }))
        .reduce(Action::Document(DocumentAction::Cancel));
    assert_eq!((kept.document.planner.as_str(), kept.job().is_none()), ("exact", true));
    assert_eq!(kept.document.run.as_ref().expect("a plan").metrics.peak, found.metrics.peak);
    let outcome = kept.document.notice.as_ref().map(|notice| (&*notice.title.key, notice.quiet));
    assert_eq!(outcome, Some(("notice.kept-best", true)), "a stop by the user is no fault");
    assert!(!kept.shows_before());
    let refused = kept.reduce(Action::Document(DocumentAction::Export(Export::Plan)));
    assert!(refused.job().is_none() && refused.view.toast.is_some());
    assert!(
        done(kept.reduce(Action::Document(DocumentAction::Planner("naive".into()))))
            .reduce(Action::Document(DocumentAction::Export(Export::Plan)))
            .job()
            .is_some()
    );
}

/// Whether the job of a state could be ended with a plan.
fn has_best(state: &State) -> bool {
    state.document.status.working().is_some_and(|working| working.best.is_some())
}

#[test]
fn a_worker_that_was_asked_for_nothing_is_reported_when_the_page_has_answered() {
    let key = |state: &State| state.document.notice.as_ref().map(|notice| notice.title.key.to_string());
    let fails = Action::Document(DocumentAction::Unstarted(0, Unstarted::OtherVersion));
    let expected = Some("notice.worker-other-version".to_string());
    let after = opened().reduce(fails.clone());
    assert_eq!(key(&after), expected);
    assert!(after.document.run.is_some(), "what is shown stays");
    // The worker fails while the page fetches its own answer, which clears older notices.
    let waiting = State::default().reduce(Action::Document(DocumentAction::Open {
        origin: Origin::Example(START.into()),
        bytes: TEACHING.to_vec().into(),
        choices: Answers::default(),
        place: None,
    }));
    let failed = waiting.reduce(fails);
    assert!(failed.job().is_some() && key(&failed).is_none());
    assert_eq!(key(&done(failed)), expected);
}

#[test]
fn a_worker_that_cannot_be_used_is_told_with_its_reason_and_not_as_lack_of_memory() {
    for (why, key) in
        [(Unstarted::Missing, "notice.worker-missing"), (Unstarted::OtherVersion, "notice.worker-other-version")]
    {
        let before = opened();
        let asked = before.reduce(Action::Document(DocumentAction::Planner("first-fit".into())));
        let number = asked.job().expect("asked for").number;
        let late = asked.reduce(Action::Document(DocumentAction::Unstarted(number - 1, why)));
        assert!(late.job().is_some() && late.document.notice.is_none(), "the answer to another job");
        let outcome = asked.reduce(Action::Document(DocumentAction::Unstarted(number, why)));
        assert_eq!(outcome.document.notice.as_ref().map(|notice| &*notice.title.key), Some(key));
        assert!(outcome.job().is_none());
        assert_eq!(outcome.document.planner, before.document.planner, "what is shown stays");
    }
}
