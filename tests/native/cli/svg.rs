//! `memplan svg`: the plan alone, and with what a reader elsewhere needs.

use super::{Folder, fine};

#[test]
fn a_picture_carries_what_is_asked_for_and_nothing_else() {
    let folder = Folder::new();
    let input = folder.file("seven.csv", super::BUFFERS);
    let draw = |more: &[&str]| {
        let base = ["svg", &input, "--planner", "first-fit", "--set", "tie=size", "--at", "3"];
        fine(&[&base[..], more].concat())
    };
    let has = |svg: &str, words: &str| svg.contains(&format!(">{words}"));
    let plain = draw(&[]);
    let marks = [("--title", "frame 3 of 7"), ("--title", "seven"), ("--legend", "lower bound"), ("--why", "c (3")];
    for (_, words) in marks {
        assert!(!has(&plain, words), "{words} is not asked for");
    }
    for (option, words) in marks {
        let svg = draw(&[option]);
        assert!(has(&svg, words), "{option}: {words}");
        let others = marks.iter().filter(|(other, _)| *other != option);
        others.for_each(|(other, words)| assert!(!has(&svg, words), "{option} without {other}: {words}"));
    }
    let titled = draw(&["--title"]);
    assert!(titled.contains("first fit") && titled.contains("tie=size"), "the planner and its options");
    let base = ["svg", &input, "--planner", "first-fit", "--title"];
    let (decided, alone) = (fine(&base), fine(&[&base[..], &["--plan-only"]].concat()));
    assert!(has(&decided, "frame 7 of 7") && !has(&alone, "frame ") && has(&alone, "seven"), "{alone}");
    // The number of the first place, which is a number of a step as well.
    let ones = |svg: &str| svg.matches(">1<").count();
    assert!(ones(&alone) < ones(&decided) && !has(&alone, "waiting"), "{alone}");
    super::refused(&[&base[..], &["--plan-only", "--at", "1"]].concat());
    let whole = draw(&["--title", "--legend", "--why", "--size", "640x480"]);
    assert!(whole.starts_with("<svg") && whole.contains("width=\"640\" height=\"480\""));
    assert_eq!(whole.matches("<g").count(), whole.matches("</g>").count());
}
