//! Links of exercises: what they say, what is refused, and that they are read back.

use proptest::prelude::*;

use super::*;

const SKETCH: &str = "#exercise=1&doc=ex:learn/fits-best&plan=first-fit&kind=predict&hide=peak,curve,why&help=rule&pass=6&of=8&tries=3&id=ws7";

fn read(text: &str) -> ExerciseLink {
    ExerciseLink::read(text).unwrap_or_else(|fault| panic!("{text}: {fault:?}"))
}

#[test]
fn the_canonical_text_and_its_fingerprint_never_change() {
    let link = read(SKETCH);
    assert_eq!(format!("#{}", link.write()), SKETCH);
    assert_eq!(link.fingerprint(), 1_135_204_815);
    // The order of the keys, the name of the exercise and its language make no difference; all else
    // does.
    let other = "of=8&pass=6&lang=zh&tries=3&help=rule&hide=why,curve,peak,peak&kind=predict&plan=first-fit&doc=ex%3Alearn%2Ffits-best&exercise=1&id=x%26y&difficulty=";
    let other = read(&other.replace("&difficulty=", ""));
    assert_eq!((other.fingerprint(), other.id.as_str(), other.lang), (link.fingerprint(), "x&y", Some(Locale::Zh)));
    let changed =
        [("of=8", "of=9"), ("pass=6", "pass=5"), ("tries=3", "tries=4"), ("help=rule", "help=why"), (",why", "")];
    for (from, to) in changed {
        assert_ne!(read(&SKETCH.replace(from, to)).fingerprint(), link.fingerprint(), "{to}");
    }
    assert_eq!(fnv1a(b""), 0x811c_9dc5);
    assert_eq!(fnv1a(b"foobar"), 0xbf9c_f968);
}

#[test]
fn what_is_not_known_is_refused_by_name() {
    let fault = |from: &str, to: &str| ExerciseLink::read(&SKETCH.replace(from, to)).expect_err(to);
    assert_eq!(fault("exercise=1", "exercise=2"), LinkFault::Version("2".into()));
    assert_eq!(fault("exercise=1&", ""), LinkFault::Version(String::new()));
    assert_eq!(fault("help=", "hepl="), LinkFault::Unknown(vec!["hepl".into()]));
    assert_eq!(fault("&id=ws7", "&embed=1&f9"), LinkFault::Unknown(vec!["embed".into(), "f9".into()]));
    assert_eq!(fault("&id", "&of=3&id"), LinkFault::Twice("of".into()));
    assert_eq!(fault("plan=first-fit&", ""), LinkFault::Missing("plan"));
    assert_eq!(fault("doc=ex:learn/fits-best&", ""), LinkFault::Missing("doc"));
    assert_eq!(fault("&of=8", ""), LinkFault::Missing("of"));
    assert_eq!(fault("&id", "&seed=7&id"), LinkFault::Both("doc", "seed"));
    assert_eq!(fault("&id", "&name=mine&id"), LinkFault::Both("name", "doc"));
    for (from, to, key) in [
        ("kind=predict", "kind=guess", "kind"),
        ("pass=6", "pass=9", "pass"),
        ("of=8", "of=+8", "of"),
        ("of=8", "of=256", "of"),
        ("tries=3", "tries=0", "tries"),
        ("hide=peak", "hide=peek", "hide"),
        ("doc=ex", "doc=file", "doc"),
        ("&id", "&opt=tie&id", "opt"),
    ] {
        let fault = fault(from, to);
        assert!(matches!(&fault, LinkFault::Value { key: found, .. } if *found == key), "{to}: {fault:?}");
        let sentence = memplan_core::text::Speech::default().say(&fault.message());
        assert!(sentence.contains(key), "{sentence}");
    }
    let sentence = memplan_core::text::Speech::default().say(&LinkFault::Unknown(vec!["hepl".into()]).message());
    assert!(sentence.contains("hepl"), "{sentence}");
}

#[test]
fn a_board_has_a_ratio_to_be_beaten_and_no_document() {
    const BREAK: &str = "exercise=1&plan=first-fit&kind=break&beat=1.82&of=1&tries=2&id=b";
    let link = read(BREAK);
    assert_eq!((link.write().as_str(), &link.source, link.beat), (BREAK, &Source::Board, Some(182)));
    assert_eq!(read(&BREAK.replace("1.82", "2")).write(), BREAK.replace("1.82", "2.00"));
    assert_ne!(read(&BREAK.replace("1.82", "1.83")).fingerprint(), link.fingerprint());
    let fault = |from: &str, to: &str| ExerciseLink::read(&BREAK.replace(from, to)).expect_err(to);
    assert_eq!(fault("&beat=1.82", ""), LinkFault::Missing("beat"));
    assert_eq!(fault("kind=break", "seed=7&kind=break"), LinkFault::Both("seed", "beat"));
    assert_eq!(fault("kind=break", "doc=ex:teaching&kind=break"), LinkFault::Both("doc", "beat"));
    assert_eq!(fault("kind=break", "kind=predict&doc=ex:teaching"), LinkFault::Unknown(vec!["beat".into()]));
    for wrong in ["", "0.99", "100", "1.825", "-2", "1,82", "2.x", "99999999"] {
        let fault = fault("1.82", wrong);
        assert!(matches!(&fault, LinkFault::Value { key: "beat", .. }), "{wrong}: {fault:?}");
    }
}

#[test]
fn lessons_have_the_documents_of_their_questions() {
    const LESSONS: &str = "exercise=1&kind=lesson&ask=1.a%2C2.b%2C3.c&pass=2&of=3&id=l";
    let link = read(LESSONS);
    assert_eq!((&link.source, link.planner.as_str(), link.pass), (&Source::Lessons, "", 2));
    assert_eq!(ExerciseLink::read(&link.write()), Ok(link.clone()));
    assert_eq!(lesson_questions(&link.ask).map(|asked| asked.len()), Some(3));
    let fault = |from: &str, to: &str| ExerciseLink::read(&LESSONS.replace(from, to)).expect_err(to);
    assert_eq!(fault("kind", "plan=first-fit&kind"), LinkFault::Both("plan", "kind"));
    assert_eq!(fault("kind", "seed=7&kind"), LinkFault::Both("seed", "kind"));
    for wrong in ["", "1", "1.a,1.a", "0.a", "a.1", "1.a b", "1.a,"] {
        assert_eq!(lesson_questions(wrong), None, "{wrong}");
    }
}

fn any_source() -> impl Strategy<Value = Source> {
    let document = |doc: String, name: String| Source::Document { doc, name };
    prop_oneof![
        "(ex|url):.*".prop_map(move |doc| document(doc, String::new())),
        ("z:.*", ".*").prop_map(move |(doc, name)| document(doc, name)),
        (0..=MAX_SEED, 1..=3_u8)
            .prop_map(|(seed, number)| Source::Seed { seed, difficulty: Difficulty::new(number).expect("1 to 3") }),
    ]
}

fn any_link() -> impl Strategy<Value = ExerciseLink> {
    let texts = (".+", prop::collection::btree_map(".*", ".*", 0..4), ".*", ".*");
    let kinds = prop::sample::select(Kind::ALL.to_vec());
    let hidden = prop::collection::btree_set(prop::sample::select(Hidden::ALL.to_vec()), 0..4);
    let help = prop::sample::select(Help::ALL.to_vec());
    let numbers = (1..=255_u8).prop_flat_map(|of| (0..=of, Just(of), prop::option::of(1..=MAX_TRIES)));
    let more = (
        any::<bool>(),
        prop::option::of(any::<u32>()),
        prop::option::of(prop::sample::select(Locale::ALL.to_vec())),
        RATIOS,
    );
    (any_source(), texts, kinds, hidden, help, numbers, more).prop_map(
        |(source, (planner, options, ask, id), kind, hide, help, (pass, of, tries), (bits, frame, lang, beat))| {
            let (source, beat, planner) = match kind.activity().buffers {
                Buffers::Board => (Source::Board, Some(beat), planner),
                Buffers::Lessons => (Source::Lessons, None, String::new()),
                _ => (source, None, planner),
            };
            ExerciseLink {
                source,
                planner,
                options,
                kind,
                frame,
                ask,
                beat,
                hide,
                help,
                pass,
                of,
                tries,
                bits,
                id,
                most: None,
                template: String::new(),
                lang,
            }
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(link in any_link()) {
        let text = link.write();
        prop_assert_eq!(ExerciseLink::read(&text), Ok(link.clone()));
        prop_assert_eq!(ExerciseLink::parse(link.pairs().into_iter().map(|(key, value)| (key.to_string(), value))), Ok(link));
    }
}
