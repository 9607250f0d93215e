//! Make it fit: what is asked of the engine, the changes that are stepped through, and the link.

pub mod refused;

use crate::compare::diff::state::tests::{one_reply, settled};
use crate::export::state::ModelKind;
use crate::fit::state::answer::{operator_at, role};
use crate::fit::state::{FitChange, Taken, search};
use crate::open::state::document::Origin;
use crate::open::state::link::LinkPlace;
use crate::open::state::request::{draft_of, order};
use crate::shell::state::action::{Action, DocumentAction};
use crate::shell::state::keys::Command;
use crate::shell::state::panels::Mode;
use crate::shell::state::{State, address};
use crate::testing::answered;
use memplan_core::base::Message;
use memplan_core::text::{Locale, Speech};
use memplan_engine::Engine;
use memplan_engine::{Answer, AnswerToWrite, FitFile, Task};
use memplan_fit::{Lever, Runtime};
use memplan_formats::import::Answers;
use memplan_worker::WorkerReply;
use std::rc::Rc;

/// Three convolutions in a row: 64 bytes are alive at the second.
pub(crate) const TINY: &str = include_str!("../../../../tests/data/fit/tiny.json");

pub(crate) fn open(text: &str, fragment: &str) -> State {
    let restored = address::read(fragment).restored;
    let state = State::default().reduce(Action::Document(DocumentAction::Restore(Box::new(restored))));
    let open = DocumentAction::Open {
        origin: Origin::File("tiny.json".into()),
        bytes: text.as_bytes().to_vec().into(),
        choices: Answers::default(),
        place: Some(LinkPlace::default()),
    };
    settled(state.reduce(Action::Document(open)))
}

pub(crate) fn change(state: &State, change: FitChange) -> State {
    state.reduce(Action::Fit(change))
}

pub(crate) fn fitted(fragment: &str) -> State {
    open(TINY, fragment)
}

#[test]
fn a_budget_is_met_and_its_changes_are_stepped_through() {
    let state = fitted("mode=fit&mem=SRAM:32&allow=planner,stripes");
    let shown = state.fitting.shown().expect("an answer").clone();
    assert_eq!((shown.record.result.as_str(), shown.record.required.before), ("fits", 64));
    assert!(shown.record.required.after <= 32 && state.fitting.moves() == shown.record.moves.len());
    assert_eq!(shown.sides.len(), shown.record.moves.len() + 1, "a plan for every change");
    let peak = |moves: usize| shown.side(moves).expect("a plan").0.metrics.peak;
    assert_eq!((peak(0), peak(shown.record.moves.len())), (64, shown.record.required.after));
    // Taken back, the graph is as it was; there is nothing before that.
    let back = change(&state, FitChange::Next { forward: false });
    assert_eq!(back.fitting.moves(), 0);
    assert_eq!(change(&back, FitChange::Next { forward: false }).fitting.moves(), 0);
    assert!(
        address::write(&back).contains("mode=fit&mem=SRAM:32&allow=planner,stripes&move=0"),
        "{}",
        address::write(&back)
    );
    let again = change(&back, FitChange::Next { forward: true });
    assert_eq!((again.fitting.moves(), again.job().is_none()), (1, true), "nothing is searched for anew");
    // The answer is taken along.
    for file in FitFile::ALL {
        let saved = change(&state, FitChange::Save(file)).document.download.expect("a file").clone();
        assert!(saved.name.ends_with(file.suffix()) && !saved.contents.is_empty());
    }
}

#[test]
fn what_is_out_of_reach_is_proved_and_another_lever_is_allowed() {
    let state = fitted("mode=fit&mem=SRAM:32");
    let record = &state.fitting.shown().expect("an answer").record;
    let certificate = record.certificate.as_ref().expect("a proof");
    assert_eq!((record.result.as_str(), certificate.bound), ("impossible", 64));
    assert_eq!(certificate.storages.iter().map(|storage| storage.bytes).sum::<u64>(), 64);
    assert!(state.fitting.shown().expect("an answer").side(0).is_some(), "the graph as it is can be looked at");
    let allowed = settled(change(&state, FitChange::Allow(Lever::Stripes, true)));
    assert_eq!(allowed.fitting.shown().expect("an answer").record.result, "fits");
    let only = settled(change(&allowed, FitChange::Only(Lever::Order)));
    assert_eq!(only.fitting.shown().expect("an answer").record.allow, ["planner", "order"]);
    let cheaper = settled(change(&state, FitChange::Budget(64)));
    assert_eq!(cheaper.fitting.form.memories[0][1], "64 B");
    assert_eq!(cheaper.fitting.shown().expect("an answer").record.result, "fits");
}

#[test]
fn changes_of_the_form_are_taken_back_and_made_again() {
    let state = fitted("mode=fit&mem=SRAM:32");
    assert!(!state.fitting.undo.can_undo());
    let allowed = settled(change(&state, FitChange::Allow(Lever::Stripes, true)));
    let larger = settled(change(&allowed, FitChange::Budget(64)));
    // What changes nothing is no change, and looking at another change neither.
    let same = settled(change(&larger, FitChange::Allow(Lever::Stripes, true)));
    let looked = change(&same, FitChange::Move(0));
    let asked = |state: &State, command| state.reduce(state.asked(command).expect("a use"));
    let back = settled(asked(&looked, Command::Undo));
    assert_eq!(
        (&back.fitting.form, back.fitting.shown().map(|shown| shown.record.budget.available)),
        (&allowed.fitting.form, Some(32))
    );
    let first = settled(asked(&back, Command::Undo));
    assert_eq!(first.fitting.shown().expect("an answer").record.result, "impossible");
    let none = asked(&first, Command::Undo);
    assert_eq!(
        (&none.fitting.form, none.job().is_none()),
        (&first.fitting.form, true),
        "nothing is left, nor searched anew"
    );
    assert!(none.fitting.shown().is_some());
    let again = settled(asked(&first, Command::Redo));
    assert_eq!((again.fitting.form == allowed.fitting.form, again.fitting.undo.can_redo()), (true, true));
    let other = change(&again, FitChange::Budget(48));
    assert!(!other.fitting.undo.can_redo(), "another change was made");
}

#[test]
fn a_memory_that_is_added_counts_once_its_size_is_stated() {
    let added = change(&fitted("mode=fit&mem=SRAM:32"), FitChange::AddMemory);
    assert!(added.fitting.shows_form, "its size can be filled in");
    let memories = |state: &State| {
        let request = state.fitting.form.request().expect("a question").expect("it is complete");
        (request.budget.memories, state.fitting.form.command("net.json", &state.document.scope))
    };
    let (alone, command) = memories(&added);
    assert_eq!((alone.len(), command.contains("DRAM")), (1, false), "nobody has 8 MiB that they did not state");
    let state = change(&added, FitChange::Memory(1, 1, "8 MiB".into()));
    let stated = memplan_fit::StoredIn::parse("DRAM=8MiB").expect("a memory");
    assert_eq!(memories(&state).0[1], stated, "it costs what it costs on the command line");
}

#[test]
fn a_link_to_the_graph_of_a_model_keeps_its_name_and_what_runs_it() {
    let open = |name: &str, bytes: Vec<u8>, fragment: &str| {
        let restored = address::read(fragment).restored;
        let state = State::default().reduce(Action::Document(DocumentAction::Restore(Box::new(restored))));
        let (origin, choices) = (Origin::File(name.into()), Answers::default());
        let place = Some(LinkPlace::default());
        settled(state.reduce(Action::Document(DocumentAction::Open { origin, bytes: bytes.into(), choices, place })))
    };
    // Too large for a link as it is.
    let file = include_bytes!("../../../../tests/data/tflite/small_cnn_float32.tflite").to_vec();
    let fragment = "mode=fit&mem=SRAM:49152&allow=planner,stripes";
    let model = open("small.tflite", file, fragment);
    let address::Target::Inline(name, packed) = address::read(&address::write(&model)).target else { panic!("a link") };
    let linked = open(&name, packed.bytes().expect("bytes").to_vec(), fragment);
    for (state, kind) in [(&model, Some(ModelKind::TfLite)), (&linked, None)] {
        let document = state.document.open.as_ref().expect("a document");
        assert_eq!((document.name.as_str(), state.model()), ("small.tflite", kind));
        assert_eq!(state.runtime(), Runtime::TfLiteMicro);
        let refusal = state.fitting.shown().expect("an answer").record.refusal(state.runtime());
        assert_eq!(refusal.map(|why| why.key), Some("fit.not-run-stripes".into()));
    }
    assert_eq!((model.model_of_link(), linked.model_of_link()), (None, Some(ModelKind::TfLite)));
}

#[test]
fn an_empty_form_asks_nothing_and_a_bad_one_says_why() {
    let state = fitted("mode=fit");
    assert_eq!((state.view.mode, state.fitting.found.is_none(), state.job().is_none()), (Mode::Fit, true, true));
    let why = |fragment: &str| {
        let state = fitted(fragment);
        assert!(state.job().is_none());
        state.fitting.found.expect("an answer").expect_err("refused").key.into_owned()
    };
    assert_eq!(why("mode=fit&mem=SRAM:0"), "fit.empty-memory");
    assert_eq!(why("mode=fit&mem=SRAM:-1"), "fit.bad-size");
    assert_eq!(why("mode=fit&mem=SRAM:64&ops=nobody,4"), "fit.scratch-unknown");
    let list = open("id,lower,upper,size\na,0,2,8\n", "mode=fit&mem=SRAM:64");
    assert_eq!(list.fitting.found.expect("an answer").expect_err("refused").key, "fit.no-graph");
    // A field that is mended is asked about at once.
    let mended = change(&fitted("mode=fit&mem=SRAM:0"), FitChange::Memory(0, 1, "64".into()));
    assert!(mended.job().is_some_and(|job| job.task.as_ref().is_some_and(|task| matches!(**task, Task::Fit(_)))));
}

#[test]
fn a_search_that_is_stopped_keeps_what_it_found() {
    let asked = change(&fitted("mode=fit&mem=SRAM:64"), FitChange::Taken(Taken::Scratch, "8".into()));
    let stopped = asked.reduce(Action::Document(DocumentAction::Cancel));
    assert_eq!(stopped.fitting.found.as_ref().expect("an answer").as_ref().expect_err("none").key, "fault.cancelled");
    assert!(stopped.job().is_none(), "it is not asked again by itself");
    // The second search, for a better answer, is stopped: the first answer stays.
    let mut improving = settled(asked);
    improving.fitting.form.taken[0] = "16".into();
    let found = improving.fitting.found.clone();
    let kept = improving.reduce(Action::Document(DocumentAction::Cancel));
    assert_eq!(kept.fitting.found, found);
    // While one is searched for, another question takes its place.
    let first = change(&kept, FitChange::Taken(Taken::Scratch, "24".into()));
    let second = change(&first, FitChange::Taken(Taken::Scratch, "0".into()));
    assert_ne!(first.job().map(|job| job.number), second.job().map(|job| job.number));
}

#[test]
fn what_the_peak_is_made_of_is_told_for_any_operator() {
    let state = fitted("mode=fit&mem=SRAM:32&allow=planner,stripes");
    let shown = state.fitting.shown().expect("an answer");
    let side = shown.side(0).expect("the graph as it is");
    let run = &side.0;
    let steps = shown.fullest_steps(run, 2);
    assert_eq!((shown.fullest(run), steps.len(), steps[0].1), (steps[0], 2, 64));
    assert!(shown.fullest_steps(run, 99).is_sorted_by(|a, b| (b.1, a.0) <= (a.1, b.0)));
    let operator = operator_at(run, steps[0].0).expect("an operator");
    let listed = |step: u32| -> Vec<(&str, u64, &str)> {
        let operator = operator_at(run, step);
        let alive = shown.alive(side, step).into_iter();
        alive.map(|(buffer, bytes)| (&*buffer.name, bytes, role(operator, buffer))).collect()
    };
    let loads = shown.loads(run);
    for (step, &load) in (0..).zip(&loads) {
        assert_eq!(listed(step).iter().map(|one| one.1).sum::<u64>(), load, "step {step}");
    }
    assert_eq!(operator.inputs.len(), 1);
    assert_eq!(listed(steps[0].0).iter().map(|one| one.2).collect::<Vec<_>>(), ["fit.role-read", "fit.role-made"]);
    // What lies in a slower memory is not of the peak.
    let banked = fitted("mode=fit&mem=SRAM:32,DRAM:999@2&allow=planner,bank");
    let shown = banked.fitting.shown().expect("an answer");
    let side = shown.side(banked.fitting.moves()).expect("a plan");
    let slow = side.0.problem.buffers.iter().filter(|buffer| !shown.is_fast(&side.0, buffer)).count();
    assert!(slow > 0 && shown.fullest(&side.0).1 <= 32, "{slow} in DRAM");
}

#[test]
fn a_model_is_saved_as_an_answer_has_it_if_planner_and_order_alone_change() {
    let model = |fragment: &str| {
        let restored = address::read(fragment).restored;
        let state = State::default().reduce(Action::Document(DocumentAction::Restore(Box::new(restored))));
        let bytes = include_bytes!("../../../../tests/data/tflite/small_cnn_int8.tflite").to_vec().into();
        let (origin, choices) = (Origin::File("small.tflite".into()), Answers::default());
        let place = Some(LinkPlace::default());
        settled(state.reduce(Action::Document(DocumentAction::Open { origin, bytes, choices, place })))
    };
    let state = model("mode=fit&mem=SRAM:22528&allow=planner,order");
    let shown = state.fitting.shown().expect("an answer").clone();
    assert_eq!((shown.record.result.as_str(), state.model()), ("fits", Some(ModelKind::TfLite)));
    assert!(matches!(&shown.to_write, Some(Ok(answer)) if answer.room == 22_528), "{:?}", shown.to_write);
    let saved = settled(change(&state, FitChange::SaveModel));
    let file = saved.document.download.clone().expect("a file");
    assert_eq!((file.name.as_str(), file.contents.get(4..8)), ("small.fit-model.tflite", Some(&b"TFL3"[..])));
    let (_, listed) = saved.view.toast.clone().expect("what was saved");
    assert_eq!((listed.key, saved.fitting.unsaved.is_none()), ("fit.model-saved".into(), true));
    assert_eq!(
        saved.fitting.shown().map(|shown| shown.record.clone()),
        Some(shown.record.clone()),
        "nothing is asked anew"
    );
    // The engine refuses an arena that is larger than the memory.
    let asked = change(&state, FitChange::SaveModel);
    let job = asked.job().expect("a model to write").number;
    let over = Message::new("fit.arena-over").bytes("with", 2).bytes("room", 1);
    let refused = asked.reduce(answered(job, Ok(Answer::Written(Box::new(Err(over.clone()))))));
    assert_eq!((refused.fitting.unsaved.as_ref(), refused.job().is_none()), (Some(&over), true));
    assert!(refused.document.download.is_none());
    // Another question ends what is being written for the one before.
    let other = change(&change(&state, FitChange::SaveModel), FitChange::Budget(20_480));
    let task = other.job().and_then(|job| job.task.clone()).expect("a search");
    assert!(matches!(*task, Task::Fit(_)) && settled(other).document.download.is_none());
    // What is seen is saved at once, and the search goes on after it.
    let searching = change(&state, FitChange::Again);
    let first = one_reply(&searching);
    assert!(first.fitting.shown().is_some() && first.job().is_some(), "a better answer is looked for");
    let saving = change(&first, FitChange::SaveModel);
    let task = saving.job().and_then(|job| job.task.clone()).expect("a model to write");
    assert!(matches!(*task, Task::Write(_)));
    let after = one_reply(&saving);
    assert!(after.document.download.is_some() && after.job().is_some(), "and looked for again");
    // Another question forgets it.
    assert!(settled(change(&refused, FitChange::Again)).fitting.unsaved.is_none());
    // Stripes are no matter of plan and order.
    let striped = model("mode=fit&mem=SRAM:16384&allow=planner,stripes");
    let shown = striped.fitting.shown().expect("an answer");
    assert!(matches!(&shown.to_write, Some(Err(why)) if why.key == "fit.not-run-stripes"), "{:?}", shown.record.result);
    assert!(settled(change(&striped, FitChange::SaveModel)).document.download.is_none());
}

#[test]
fn a_program_is_saved_as_an_answer_has_it_if_the_planner_alone_changes() {
    let program = |fragment: &str| {
        let restored = address::read(fragment).restored;
        let state = State::default().reduce(Action::Document(DocumentAction::Restore(Box::new(restored))));
        let bytes = include_bytes!("../../../../tests/data/executorch/tiny_add_cat.pte").to_vec().into();
        let (origin, choices) = (Origin::File("tiny.pte".into()), Answers::default());
        let place = Some(LinkPlace::default());
        settled(state.reduce(Action::Document(DocumentAction::Open { origin, bytes, choices, place })))
    };
    let state = program("mode=fit&mem=SRAM:1000&scratch=100&allow=planner");
    assert_eq!(state.model(), Some(ModelKind::ExecuTorch));
    let Some(Ok(answer)) = state.model_to_write() else { panic!("{:?}", state.model_to_write()) };
    assert_eq!((answer.order.len(), answer.room), (0, 900), "scratch lies outside the planned memory");
    let saved = settled(change(&state, FitChange::SaveModel));
    let file = saved.document.download.clone().expect("a file");
    assert_eq!((file.name.as_str(), file.contents.get(4..6)), ("tiny.fit-model.pte", Some(&b"ET"[..])));
    let (_, listed) = saved.view.toast.clone().expect("what was saved");
    let listed = Speech { locale: Locale::En, ..Speech::default() }.say(&listed).replace('\u{202f}', " ");
    assert_eq!(
        listed,
        "Program saved. Planned memory: 896 B with this plan, 896 B as it was; no plan needs less than 896 B."
    );
    // The engine refuses what is larger than the budget leaves, and says what to do.
    let mut engine = Engine::default();
    let asked = change(&state, FitChange::SaveModel);
    let mut job = (**asked.job().expect("a program to write")).clone();
    let Some(Task::Write(mut task)) = job.task.as_deref().cloned() else { panic!("{:?}", job.task) };
    task.answer = Some(AnswerToWrite { order: Vec::new(), room: 895 });
    job.task = Some(Rc::new(Task::Write(task)));
    let WorkerReply(result) = order(&job, false, draft_of(&job)).run(&mut engine);
    let refused = asked.reduce(answered(job.number, result));
    assert_eq!(refused.fitting.unsaved.as_ref().map(|why| &*why.key), Some("fit.program-larger"));
    assert!(refused.document.download.is_none());
}

#[test]
fn searches_of_one_answer_take_five_seconds_at_most_and_ten_of_a_large_graph() {
    for (operators, most) in [(1_000, 5_000), (1_001, 10_000)] {
        let millis: Vec<u32> = (0..).map_while(|number| search(number, operators)).map(|(millis, _)| millis).collect();
        assert!(millis[0] <= 200 && millis.is_sorted() && millis.iter().sum::<u32>() <= most, "{millis:?}");
    }
}
