//! The link that the form makes.

use crate::learn::teacher::state::form::*;

fn with(fields: &[(Field, &str)]) -> Form {
    let mut form = Form::default();
    fields.iter().for_each(|(field, text)| form.write(*field, text.to_string()));
    form
}

#[test]
fn the_form_makes_a_link_that_is_read_back() {
    let link = with(&[(Field::Id, " ws 7 "), (Field::Seed, "42"), (Field::Tries, "3"), (Field::Lang, "zh")]).link(None);
    let link = link.expect("a link");
    let read = ExerciseLink::read(&link).expect("an exercise");
    assert_eq!((read.write(), read.id.as_str(), read.tries, read.lang), (link, "ws 7", Some(3), Some(Locale::Zh)));
    assert!(matches!(read.source, Source::Seed { seed: 42, .. }) && read.bits);
    assert_eq!((read.of, read.pass, read.help), (6, 4, Help::Why));
}

#[test]
fn a_kind_that_asks_for_less_is_passed_by_less() {
    for kind in Kind::ALL {
        let fault = with(&[(Field::Kind, kind.name())]).link(None).err();
        assert!(fault.is_none_or(|fault| fault.key != "teach.bad-pass"), "{}", kind.name());
    }
}

#[test]
fn the_open_document_is_asked_about_as_it_is_planned() {
    let offered = Offered {
        doc: "ex:learn/pin".into(),
        name: "pin".into(),
        planner: "best-fit".into(),
        options: [("tie".to_string(), "size".to_string())].into(),
        asked: [(0, "A"), (2, "B"), (3, "C")].map(|(decision, name)| (decision, name.to_string())).into(),
        ..Offered::default()
    };
    let form = with(&[(Field::Source, "open"), (Field::Of, "3"), (Field::Pass, "")]);
    let read = ExerciseLink::read(&form.link(Some(&offered)).expect("a link")).expect("an exercise");
    assert_eq!((read.planner.as_str(), read.pass, read.options.len()), ("best-fit", 3, 1));
    let packed = Offered { doc: "z:abc".into(), ..offered.clone() };
    assert!(form.link(Some(&packed)).expect("a link").contains("name=pin"));
    let why = |form: &Form, offered: Option<&Offered>| form.link(offered).expect_err("refused").key.into_owned();
    assert_eq!(why(&form, None), "teach.no-document");
    assert_eq!(why(&form, Some(&Offered { asked: Vec::new(), ..offered.clone() })), "teach.no-questions");
    assert_eq!(why(&form, Some(&Offered { doc: String::new(), ..offered.clone() })), "teach.too-long");
    let one = |decision: &str| {
        let form =
            with(&[(Field::Kind, "place"), (Field::Source, "open"), (Field::Pass, ""), (Field::Decision, decision)]);
        ExerciseLink::read(&form.link(Some(&offered)).expect("a link")).expect("an exercise")
    };
    assert_eq!((one("").frame, one("2").frame, one("2").of, one("2").bits), (Some(0), Some(2), 1, false));
    let seeded = with(&[(Field::Kind, "place"), (Field::Pass, "")]);
    assert_eq!(why(&seeded, Some(&offered)), "teach.needs-document");
    // Until it is written, the number of questions is no larger than there are questions.
    let few = with(&[(Field::Source, "open")]);
    let read = ExerciseLink::read(&few.link(Some(&offered)).expect("a link")).expect("an exercise");
    assert_eq!((read.of, read.pass), (3, 2));
    assert_eq!([Field::Of, Field::Pass].map(|field| few.shown(field, Some(&offered))), ["3", "2"]);
    assert_eq!([Field::Of, Field::Pass].map(|field| few.shown(field, None)), ["6", "4"]);
    let more = with(&[(Field::Source, "open"), (Field::Of, "4")]);
    assert_eq!(why(&more, Some(&offered)), "teach.bad-of", "there are three questions");
}

#[test]
fn what_is_hidden_stands_in_the_link() {
    let mut form = Form::default();
    for part in [Hidden::Bound, Hidden::Peak, Hidden::Curve, Hidden::Peak] {
        form.write(Field::Hide, form.toggled(part));
    }
    let link = form.link(None).expect("a link");
    assert!(link.contains("hide=curve%2Cbound") || link.contains("hide=curve,bound"), "{link}");
    assert_eq!(ExerciseLink::read(&link).map(|read| read.hide), Ok([Hidden::Curve, Hidden::Bound].into()));
    form.write(Field::Kind, "number".into());
    assert!(!form.may_hide() && form.hidden().is_empty(), "figures are kept back anyway");
}

#[test]
fn a_game_has_as_many_questions_as_goals() {
    let form = with(&[(Field::Kind, "pack"), (Field::Of, "9"), (Field::Pass, "2")]);
    let read = ExerciseLink::read(&form.link(None).expect("a link")).expect("an exercise");
    assert_eq!((read.kind, read.of, read.pass, read.bits), (Kind::Pack, 3, 2, false));
    let much = with(&[(Field::Kind, "debug"), (Field::Pass, "2")]);
    assert_eq!(much.link(None).expect_err("one goal").key, "teach.bad-goals");
    let open = with(&[(Field::Kind, "debug"), (Field::Source, "open"), (Field::Pass, "1")]);
    let offered = Offered { doc: "ex:teaching".into(), ..Offered::default() };
    assert_eq!(open.link(Some(&offered)).expect_err("there is no fault in it").key, "teach.needs-seed");
    let open = with(&[(Field::Kind, "pack"), (Field::Source, "open"), (Field::Pass, "1")]);
    assert!(open.link(Some(&offered)).expect("a link").contains("kind=pack"), "no question is needed");
    let distant = Offered { doc: "url:https://example.org/a.csv".into(), ..Offered::default() };
    assert_eq!(open.link(Some(&distant)).expect_err("not fetched").key, "teach.game-address");
}

#[test]
fn fields_that_are_no_numbers_are_named() {
    for (field, text, key) in [
        (Field::Seed, "-1", "teach.bad-seed"),
        (Field::Of, "many", "teach.bad-of"),
        (Field::Pass, "7", "teach.bad-pass"),
        (Field::Tries, "64", "teach.bad-tries"),
    ] {
        assert_eq!(with(&[(field, text)]).link(None).expect_err(text).key, key);
    }
}
