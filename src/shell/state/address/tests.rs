//! Links and the states that they lead to.

use crate::compare::state::comparison::{Compared, Sheet, Sync};
use crate::learn::lessons::state::progress::LearnPlace;
use crate::open::state::link::LinkPlace;
use crate::shell::state::action::{Action, LearnAction, ViewAction};
use crate::shell::state::address::parts::*;
use crate::shell::state::address::*;
use crate::shell::state::look::Theme;
use crate::shell::state::panels::Tab;
use crate::step::state::breakpoints::{Breaks, Targets, Wanted};
use memplan_core::text::Locale;
use memplan_engine::{PlannerChoice, Vary};
use memplan_replay::Level;
use memplan_scene::{ColorBy, Window};

#[test]
fn a_link_leads_back_to_the_same_state() {
    let text = "doc=ex:resnet18&plan=inductor-tree&opt=memory_pool:none&with=inputs:0,align:256,@s0:8&f=37&lv=all&sel=a%26b%25&col=size&lang=zh&theme=dark&bp=grow,d12";
    let address = read(text);
    assert_eq!(address.target, Target::Example("resnet18".into()));
    assert_eq!(address.place, LinkPlace { frame: Some(37), selection: Some("a&b%".into()), step: None });
    let restored = &address.restored;
    assert_eq!(restored.planner.as_deref(), Some("inductor-tree"));
    assert_eq!(restored.options.get("memory_pool").map(String::as_str), Some("none"));
    let scope = restored.scope.clone().unwrap_or_default();
    assert_eq!((scope.inputs, scope.outputs, scope.align, scope.symbols.get("s0")), (false, true, 256, Some(&8)));
    assert_eq!(
        (restored.level, restored.locale, restored.theme),
        (Some(Level::All), Some(Locale::Zh), Some(Theme::Dark))
    );
    assert_eq!(restored.color_by, Some(ColorBy::Size));
    assert_eq!(write_breaks(&restored.breaks), "grow,d12");
    assert_eq!(write_scope(&scope), "inputs:0,align:256,@s0:8");
}

#[test]
fn classes_brought_out_and_hidden_are_in_the_link() {
    let restored = read("doc=ex:teaching&plan=first-fit&iso=1&hide=0,2").restored;
    assert_eq!(restored.filter.texts(), ("1".into(), "0,2".into()));
    let mut state = State::default();
    state.view.filter = restored.filter;
    assert!(write(&state).contains("iso=1&hide=0,2"), "{}", write(&state));
    let state = state.reduce(Action::View(ViewAction::ColorBy(ColorBy::Size)));
    assert!(!write(&state).contains("iso=") && !write(&state).contains("hide="), "other colours have other classes");
}

#[test]
fn a_counter_example_is_opened_by_a_link() {
    let address = read("doc=ex:cases/executorch-suite&plan=executorch-suite&opt=algorithms:naive;greedy");
    assert_eq!(address.target, Target::Example("cases/executorch-suite".into()));
    assert_eq!(address.restored.options.get("algorithms").map(String::as_str), Some("naive;greedy"));
    assert_eq!(escape("ex:cases/executorch-suite"), "ex:cases/executorch-suite");
}

#[test]
fn a_comparison_travels_in_the_link() {
    let restored = read("#doc=ex:resnet18&cmp=first-fit%7Cbeam%3Bk%3D4").restored;
    let choices = restored.compared.expect("columns").choices;
    assert_eq!(choices.iter().map(PlannerChoice::text).collect::<Vec<_>>(), ["first-fit", "beam;k=4"]);
    assert_eq!(read("#doc=ex:resnet18").restored.compared, None);
    let view = "ref:1,step:45,diff:1,fit:1,turn:1,sheet:charts,cur:12/4294967295";
    let compared = read(&format!("#cmp=naive&cv={view}&by=own")).restored.compared.expect("a view");
    assert_eq!((compared.reference, compared.step, compared.position), (1, Some(45), None));
    assert_eq!((compared.sync, compared.sheet), (Sync::Own, Sheet::Charts));
    assert_eq!(write_compared(&compared), view);
    let frame = read("#cmp=naive&cv=at:12&by=frame").restored.compared.expect("a view");
    assert_eq!((frame.sync, frame.position, write_compared(&frame).as_str()), (Sync::Frame, Some(12), "at:12"));
    assert_eq!(write_compared(&Compared::default()), "");
    let varied = read("#cmp=naive&cv=sheet:sweep&vary=@batch").restored.compared.expect("a sweep");
    assert_eq!((varied.sheet, varied.vary), (Sheet::Sweep, Vary::Symbol("batch".into())));
}

#[test]
fn a_comparison_of_an_older_link_shows_what_it_showed() {
    let view = |view: &str| {
        let compared = read(&format!("#cmp=naive{view}")).restored.compared.expect("a comparison");
        (compared.sync, compared.position)
    };
    assert_eq!(view("&cv=sync:buffer,at:12"), (Sync::Buffer, Some(12)));
    assert_eq!(view("&cv=at:7,sync:fraction"), (Sync::Fraction, Some(7)));
    assert_eq!(view("&cv=sync:independent"), (Sync::Own, None));
    // The finished plans, which are what every way to step begins with.
    assert_eq!(view("&cv=sync:final"), (Sync::Buffer, None));
    assert_eq!(view(""), (Sync::Buffer, None));
}

#[test]
fn what_stops_play_keeps_its_numbers() {
    let breaks = read("#bp=grow,address:416,step:7,d3").restored.breaks;
    assert_eq!(breaks.targets, Targets { address: 416, step: 7 });
    assert_eq!(breaks.kinds.iter().copied().collect::<Vec<_>>(), [Wanted::Growth, Wanted::Address, Wanted::Step]);
    assert_eq!(write_breaks(&breaks), "grow,address:416,step:7,d3");
    let of_node = Breaks { kinds: [Wanted::Node].into(), ..Breaks::default() };
    assert_eq!(write_breaks(&of_node), "");
    assert!(read("#bp=step:99999999999,address:x").restored.breaks.kinds.is_empty());
}

#[test]
fn small_documents_travel_in_the_link() {
    let packed = memplan_engine::pack(b"{}").expect("short");
    let target = Target::Inline("mine".into(), packed.clone().into_bytes().into());
    assert_eq!(read(&format!("#doc={packed}&name=mine")).target, target);
}

#[test]
fn what_is_seen_travels_in_the_link() {
    let window = Window { steps: (-1.5, 44.25), bytes: Some((0.0, 5_242_880.0)) };
    assert_eq!(read("#view=-1.5,44.25,0,5242880").restored.view, Some(window));
    let state = State::default().reduce(Action::View(ViewAction::Viewed(Some(window))));
    assert!(write(&state).contains("view=-1.5,44.25,0,5242880"), "{}", write(&state));
    let all = Window { steps: (0.0, 8.0), bytes: None };
    assert_eq!(read("#view=0,8").restored.view, Some(all));
    let state = State::default().reduce(Action::View(ViewAction::Viewed(Some(all))));
    assert!(write(&state).contains("view=0,8&"), "{}", write(&state));
    for nonsense in ["", "1", "2,1", "1,2,x", "1,2,3", "2,1,0,5", "0,1,0,inf", "0,NaN,0,1", "1,2,3,4,5"] {
        assert_eq!(read(&format!("#view={nonsense}")).restored.view, None, "{nonsense}");
    }
}

#[test]
fn the_cursor_the_chosen_panel_and_the_slice_travel_in_the_link() {
    let address = read("#doc=ex:resnet18&f=12&t=7&panel=state&slice=0");
    assert_eq!((address.place.step, address.restored.panel), (Some(7), Some(Tab::State)));
    assert!(address.restored.no_slice && address.unknown.is_empty());
    let other = read("#t=x&panel=graph&slice=1");
    assert_eq!((other.place.step, other.restored.panel, other.restored.no_slice), (None, None, false));
    let mut state = State::default();
    state.stepping.step = Some(7);
    assert!(write(&state).contains("t=7") && !write(&state).contains("panel"), "{}", write(&state));
    state.view.panels.tab = Some(Tab::Why);
    state.view.look.slice = false;
    assert!(write(&state).contains("t=7&panel=why&slice=0"), "{}", write(&state));
}

#[test]
fn a_place_in_the_lessons_travels_in_the_link() {
    let place = |link: &str| read(link).restored.learn;
    assert_eq!(place("#learn"), Some(LearnPlace { lesson: None, paragraph: 0 }));
    assert_eq!(place("#learn=5&p=3&lang=zh"), Some(LearnPlace { lesson: Some(5), paragraph: 2 }));
    assert_eq!(place("#learn=x&p=-1"), Some(LearnPlace { lesson: None, paragraph: 0 }));
    assert_eq!(place("#doc=ex:teaching&p=3"), None);
    let open = |place| write(&State::default().reduce(Action::Learn(LearnAction::Open(place))));
    assert_eq!(open(LearnPlace { lesson: Some(5), paragraph: 2 }), "learn=5&p=3&lang=en");
    assert_eq!(open(LearnPlace::default()), "learn=&lang=en");
}

#[test]
fn nonsense_leads_to_the_start() {
    assert_eq!(read("").target, Target::Example(START.into()));
    let address = read("#doc=y:%%%&wat=1&f=minus");
    assert_eq!(address.target, Target::Example(START.into()));
    assert_eq!(address.unknown, ["wat"]);
    assert_eq!(address.place.frame, None);
}

#[test]
fn lessons_lead_to_views_that_there_are() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/www/");
    let mut named = 0;
    for path in std::fs::read_dir(format!("{folder}lessons")).expect("lessons").flatten().map(|entry| entry.path()) {
        let text = std::fs::read_to_string(&path).expect("a lesson");
        for link in text.split("{view:").skip(1).filter_map(|rest| rest.split(['|', '}']).next()) {
            let address = read(link);
            let Target::Example(name) = &address.target else { panic!("{link} opens no example") };
            let is_there = |suffix| std::path::Path::new(&format!("{folder}graphs/{name}.{suffix}")).exists();
            assert!(is_there("json") || is_there("csv"), "{link}");
            let leads = address.restored.fit.is_some() || address.restored.panel == Some(Tab::Code);
            assert!(leads && address.unknown.is_empty(), "{link}");
            named += 1;
        }
    }
    assert!(named > 0);
}

#[test]
fn every_key_that_is_written_is_read() {
    let games = crate::learn::play::state::link_keys::GAME;
    for key in keys().filter(|key| key.read.is_none()) {
        let is_read = keys().any(|other| other.key == key.key && other.read.is_some());
        assert!(is_read || games.iter().any(|game| game.key == key.key), "{}", key.key);
    }
    // One kind of links has a key once.
    for leads in [Leads::ToPlan, Leads::ToDiff, Leads::ToLearn] {
        let of: Vec<&str> = keys().filter(|key| key.of.contains(&leads)).map(|key| key.key).collect();
        let twice: Vec<&&str> = of.iter().filter(|key| of.iter().filter(|other| other == key).count() > 1).collect();
        assert!(twice.iter().all(|key| **key == "p"), "{leads:?}: {twice:?}");
    }
}
