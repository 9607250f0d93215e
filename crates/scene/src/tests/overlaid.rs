//! Boxes that lie over one another, and signs that keep to what they are about.

use super::*;
use memplan_core::base::Sizes;
use memplan_core::text::Speech;

const PHONE: Size = (390.0, 320.0);

fn phone() -> Style {
    let speech = Speech { sizes: Sizes::Exact, ..Speech::default() };
    Style { speech, narrow: true, ..Style::default() }
}

/// The last frame on a phone, or one of so many decisions.
fn drawn(run: &Run, index: &Index, decisions: u32, marks: &Marks) -> Stage {
    let style = phone();
    let frame = run.frame(run.timeline.events_at(Level::Decisions, decisions));
    stage(Picture::new(run, index, &frame, &View::fit(index, PHONE, &style), PHONE, &style), marks)
}

fn texts(scene: &Scene) -> Vec<Text> {
    let text = |mark: &Mark| if let Shape::Text(text) = &mark.shape { Some((**text).clone()) } else { None };
    scene.marks().filter_map(text).collect()
}

/// The boxes of buffers in the order in which they are drawn.
fn boxes(stage: &Stage) -> Vec<Rect> {
    let is_box = |mark: &&Mark| match mark.ink.color {
        Color::Buffer(Part::Fill, ..) => mark.edge.is_some(),
        Color::Buffer(Part::Border, ..) => mark.ink == Ink::fill(mark.ink.color),
        _ => false,
    };
    let rect = |mark: &Mark| if let Shape::Rect(rect) = &mark.shape { Some(*rect) } else { None };
    stage.base.marks().filter(is_box).filter_map(rect).collect()
}

#[test]
fn a_box_inside_another_is_drawn_named_and_hit() {
    for (run, inner) in [
        (run(&[(1000, 0, 4, 0, 0), (240, 0, 4, 0, 300)]), BufferId(1)),
        (run(&[(240, 0, 4, 0, 300), (1000, 0, 4, 0, 0)]), BufferId(0)),
    ] {
        let index = Index::new(&run);
        let stage = drawn(&run, &index, 2, &Marks::default());
        let [outer, over] = boxes(&stage)[..] else { panic!("{:?}", boxes(&stage)) };
        assert!(outer.area() > over.area() && outer.holds(&over), "the smaller one last");
        let letters = |name: &str| {
            let named = texts(&stage.base).into_iter().find(|text| text.words.starts_with(name));
            lines::letters(&named.unwrap_or_else(|| panic!("{name} of {:?}", texts(&stage.base))))
        };
        assert!(over.holds(&letters("b240")) && !over.meets(&letters("b1000")));
        let (style, frame) = (phone(), last(&run));
        let view = View::fit(&index, PHONE, &style);
        let hits = hit(Picture::new(&run, &index, &frame, &view, PHONE, &style), over.centre());
        assert_eq!(hits.first(), Some(&Target::Buffer(inner)));
    }
}

#[test]
fn of_two_boxes_in_one_place_both_are_seen() {
    let run = run(&[(600, 0, 4, 0, 0), (600, 0, 4, 0, 0)]);
    let stage = drawn(&run, &Index::new(&run), 2, &Marks::default());
    let [under, over] = boxes(&stage)[..] else { panic!("{:?}", boxes(&stage)) };
    assert!(under.inset(3.0).holds(&over), "{under:?} {over:?}");
}

#[test]
fn the_words_about_the_peak_so_far_stand_at_its_own_line() {
    for second in [20, 60, 100, 200, 400, 900] {
        let run = run(&[(1000, 0, 3, 0, 0), (second, 1, 8, 0, 1000)]);
        let index = Index::new(&run);
        let (style, view) = (phone(), View::fit(&index, PHONE, &phone()));
        let projection = Projection::new(&index, &view, PHONE, &style);
        let y = |address: u64| projection.bands[0].y(address);
        let shown = texts(&drawn(&run, &index, 1, &Marks::default()).base);
        let so_far = shown.iter().find(|text| text.words.starts_with("peak so far"));
        let text = so_far.unwrap_or_else(|| panic!("{second}: no words"));
        let letters = lines::letters(text);
        let is_between = y(1000 + second) < letters.y && letters.bottom() <= y(1000);
        // Close to the line of the final peak they stand below their own.
        assert!(is_between || second < 200 && letters.y > y(1000), "{second}: {letters:?}");
        assert!((text.at.1 - y(1000)).abs() < 12.0, "{second}: {text:?} at {}", y(1000));
    }
}

#[test]
fn the_peak_of_an_invalid_plan_is_crossed_out() {
    let run = run(&[(1000, 0, 3, 0, 0), (600, 1, 8, 0, 0)]);
    let index = Index::new(&run);
    for (style, size) in [(phone(), PHONE), (Style { narrow: false, ..phone() }, (900.0, 400.0))] {
        let lines_through = |invalid: bool| {
            let style = Style { invalid, ..style };
            let frame = last(&run);
            let stage = stage(
                Picture::new(&run, &index, &frame, &View::fit(&index, size, &style), size, &style),
                &Marks::default(),
            );
            let words = texts(&stage.base).into_iter().chain(texts(&stage.frame));
            let peak = words.into_iter().find(|text| text.words.starts_with("peak")).expect("words");
            let letters = lines::letters(&peak);
            let is_through = |mark: &&Mark| match &mark.shape {
                Shape::Lines(lines) => lines.iter().any(|(from, to)| {
                    from.1 == to.1 && from.1 == peak.at.1 && from.0 == letters.x && to.0 <= letters.right()
                }),
                _ => false,
            };
            stage.base.marks().chain(stage.frame.marks()).filter(is_through).count()
        };
        assert_eq!((lines_through(false), lines_through(true)), (0, 1), "{size:?}");
    }
}

#[test]
fn the_words_about_a_peak_far_below_the_header_stand_at_its_line() {
    let run = run(&[(1000, 0, 3, 0, 0), (600, 3, 8, 0, 0)]);
    let index = Index::new(&run).with_height(2000);
    let line = Projection::new(&index, &View::fit(&index, PHONE, &phone()), PHONE, &phone()).bands[0].y(1000);
    let shown = texts(&drawn(&run, &index, 2, &Marks::default()).base);
    let words = shown.iter().find(|text| text.words.starts_with("peak")).expect("words");
    assert!((line - 16.0..line).contains(&words.at.1), "{words:?} at {line}");
}

#[test]
fn the_claimed_peak_is_not_written_on_the_bound() {
    let run = run(&[(1000, 0, 3, 0, 0), (600, 1, 4, 0, 1060)]);
    let index = Index::new(&run).with_height(1660);
    let (style, view) = (phone(), View::fit(&index, PHONE, &phone()));
    let bound = Projection::new(&index, &view, PHONE, &style).bands[0].y(1600);
    let stage = drawn(&run, &index, 2, &Marks { claim: Some(1660), ..Marks::default() });
    let found = texts(&stage.interaction).into_iter().find(|text| text.words.starts_with("claimed peak"));
    let letters = lines::letters(&found.expect("words"));
    assert!(bound < letters.y || letters.bottom() < bound, "{letters:?} {bound}");
}

#[test]
fn a_chosen_buffer_too_small_for_its_name_has_it_beside() {
    let run = run(&[(100_000, 0, 40, 0, 0), (500, 20, 21, 0, 100_000)]);
    let index = Index::new(&run);
    let named = |selected: Option<BufferId>| {
        let stage = drawn(&run, &index, 1, &Marks { selected, ..Marks::default() });
        texts(&stage.interaction).into_iter().any(|text| text.words == "b500")
    };
    assert!(!named(Some(BufferId(1))), "it waits");
    let last = |selected: Option<BufferId>| {
        let style = phone();
        let frame = run.frame(run.timeline.events_at(Level::All, u32::MAX)).at_rest();
        let view = View::fit(&index, PHONE, &style);
        let marks = Marks { selected, ..Marks::default() };
        let stage = stage(Picture::new(&run, &index, &frame, &view, PHONE, &style), &marks);
        texts(&stage.interaction).into_iter().filter(|text| text.words == "b500").count()
    };
    assert_eq!((last(Some(BufferId(1))), last(None), last(Some(BufferId(0)))), (1, 0, 0));
}

#[test]
fn the_bracket_of_the_waste_and_its_words_cross_no_box() {
    let run = run(&[(64, 0, 1, 0, 0), (48, 0, 3, 0, 64), (64, 3, 5, 0, 0), (48, 2, 4, 0, 112)]);
    let index = Index::new(&run);
    let stage = drawn(&run, &index, 4, &Marks { term: Some(Term::Waste), ..Marks::default() });
    let edges: Vec<Rect> = boxes(&stage).into_iter().flat_map(|rect| rect.edges(1.0)).collect();
    let shown = texts(&stage.interaction);
    let words: Vec<&Text> = shown.iter().filter(|text| text.bold).collect();
    assert!(words.iter().any(|text| text.words.starts_with("waste")), "{shown:?}");
    for text in words {
        assert!(!edges.iter().any(|edge| edge.meets(&lines::letters(text))), "{text:?}");
    }
}

#[test]
fn the_dashes_of_a_guess_strike_no_words_out() {
    let run = run(&[(1000, 0, 3, 0, 0), (300, 1, 8, 0, 1000)]);
    let place = Place { pool: PoolId(0), offset: 1060 };
    let guess = Guess { buffer: BufferId(1), place, tone: GuessTone::Grows };
    let stage = drawn(&run, &Index::new(&run), 1, &Marks { guess: Some(guess), ..Marks::default() });
    let marks: Vec<&Mark> = stage.interaction.marks().collect();
    let is_dashed = |mark: &&Mark| mark.ink.stroke.is_some_and(|stroke| stroke.dash == Dash::Candidate);
    let last = marks.iter().rposition(is_dashed).expect("a dashed box");
    let edges = rect_of(marks[last]).expect("a box").edges(1.0);
    let struck = |text: &Text| edges.iter().any(|edge| edge.meets(&lines::letters(text)));
    let words = texts(&stage.base).into_iter().find(|text| text.words.starts_with("peak so far")).expect("words");
    assert!(struck(&words), "{words:?} {edges:?}");
    let over =
        marks[last..].iter().filter_map(|mark| if let Shape::Text(text) = &mark.shape { Some(text) } else { None });
    assert!(over.into_iter().any(|text| **text == words));
}

/// The buffers of the first example, as a tree of places lays them.
const TREE: [Box5; 8] = [
    (1000, 0, 3, 0, 0),
    (256, 0, 1, 0, 1024),
    (640, 1, 5, 0, 1024),
    (64, 2, 4, 0, 1792),
    (600, 3, 7, 0, 0),
    (320, 4, 6, 0, 640),
    (200, 5, 7, 0, 1536),
    (500, 6, 8, 0, 1024),
];

#[test]
fn the_bracket_of_the_waste_lies_on_no_box_and_a_low_gap_is_hatched() {
    let run = run(&TREE);
    let index = Index::new(&run);
    for size in [(390.0, 320.0), (390.0, 260.0), (390.0, 220.0), (360.0, 240.0)] {
        let (style, frame) = (phone(), last(&run));
        let view = View::fit(&index, size, &style);
        let marks = Marks { term: Some(Term::Waste), ..Marks::default() };
        let stage = stage(Picture::new(&run, &index, &frame, &view, size, &style), &marks);
        let boxes = boxes(&stage);
        let words = texts(&stage.interaction);
        let words: Vec<&Text> = words.iter().filter(|text| text.bold).collect();
        assert!(!words.is_empty(), "{size:?}");
        for text in words {
            let letters = lines::letters(text);
            assert!(!boxes.iter().any(|rect| rect.meets(&letters)), "{size:?}: {text:?}");
        }
        let hatched = stage.interaction.marks().filter(|mark| mark.ink.texture == Texture::Gap);
        let hatched: Vec<Rect> = hatched.filter_map(rect_of).collect();
        assert!(hatched.len() == 2 && hatched.iter().all(|rect| rect.h >= 1.0), "{size:?}: {hatched:?}");
    }
}

#[test]
fn the_name_at_a_place_stands_in_no_place_that_was_refused() {
    let boxes = [(96, 0, 1), (16, 0, 5), (192, 0, 1), (24, 0, 5), (32, 0, 1), (18, 0, 5), (30, 1, 5), (192, 2, 5)];
    let boxes: Vec<Box5> = boxes.into_iter().map(|(size, start, end)| (size, start, end, 0, 0)).collect();
    let run = super::words::planned("best-fit", &run(&boxes).problem);
    let number = run.timeline.decisions.iter().position(|decision| decision.buffer == BufferId(6)).expect("placed");
    let index = Index::new(&run);
    let stage = drawn(&run, &index, number as u32 + 1, &Marks::default());
    let named = texts(&stage.frame).into_iter().find(|text| text.words.starts_with("b30")).expect("a name");
    let (style, view) = (phone(), View::fit(&index, PHONE, &phone()));
    let frame = run.frame(run.timeline.events_at(Level::Decisions, number as u32 + 1));
    let drawing = drawing::Drawing::new(Picture::new(&run, &index, &frame, &view, PHONE, &style));
    let found = callouts::callouts(&drawing);
    assert!(found.len() > 2, "{found:?}");
    for callout in found.iter().filter(|callout| !callout.chosen) {
        assert!(!callout.rect.inset(1.0).meets(&lines::letters(&named)), "{callout:?} {named:?}");
    }
}

#[test]
fn every_sign_of_a_phone_is_told() {
    let run = run(&[(1000, 0, 3, 0, 0), (600, 1, 4, 0, 1000)]);
    let index = Index::new(&run);
    let told = |decisions: u32| {
        let frame = run.frame(run.timeline.events_at(Level::Decisions, decisions));
        let signs = signs(&run, &index, &frame, PHONE, &phone());
        (signs.taken, signs.next, signs.unused)
    };
    assert_eq!([told(0), told(1), told(2)], [(false, true, true), (true, true, true), (true, false, false)]);
}

#[test]
fn the_line_of_a_cursor_runs_behind_a_tag_and_not_along_it() {
    let run = run(&[(1000, 0, 8, 0, 0), (20, 0, 8, 0, 1000), (20, 3, 6, 0, 1020)]);
    let (index, style, frame) = (Index::new(&run), phone(), last(&run));
    for width in 300..420 {
        let size = (f64::from(width), 320.0);
        let view = View::fit(&index, size, &style);
        let stage = stage(Picture::new(&run, &index, &frame, &view, size, &style), &Marks::default());
        let tag = |mark: &Mark| match (&mark.shape, mark.ink.color) {
            (Shape::Round(rect, _), Color::Buffer(Part::Fill, ..)) => Some(*rect),
            _ => None,
        };
        let tags: Vec<Rect> = stage.frame.marks().filter_map(tag).collect();
        assert!(!tags.is_empty(), "{width}");
        let projection = Projection::new(&index, &view, size, &style);
        for x in (0..8).map(|step| projection.step_to_x(f64::from(step) + 0.5)) {
            let is_at = |end: f64| (end - x).abs() < 3.0;
            assert!(!tags.iter().any(|tag| is_at(tag.x) || is_at(tag.right())), "{width}: {tags:?} at {x}");
        }
    }
}

#[test]
fn the_ring_of_the_chosen_buffer_does_not_cross_its_outline() {
    let (style, mut seen) = (phone(), 0);
    for second in (40..400).step_by(8) {
        let run = run(&[(1000, 0, 4, 0, 0), (second, 4, 8, 0, 1000)]);
        let index = Index::new(&run);
        let view = View::fit(&index, PHONE, &style);
        let projection = Projection::new(&index, &view, PHONE, &style);
        let high = projection.bands[0].y(1000) - projection.bands[0].y(1000 + second);
        let stage = drawn(&run, &index, 2, &Marks { selected: Some(BufferId(1)), ..Marks::default() });
        let rect = |mark: &Mark| if let Shape::Rect(rect) = &mark.shape { Some(*rect) } else { None };
        let is_ring = |mark: &&Mark| mark.ink == Ink::line(Color::Accent, 3.0);
        let ring = stage.interaction.marks().filter(is_ring).find_map(rect).expect("a ring");
        let outlined = boxes(&stage).into_iter().find(|rect| (rect.h - high).abs() < 2.0 && rect.x > 150.0);
        let outlined = outlined.unwrap_or_else(|| panic!("{second}: {:?}", boxes(&stage)));
        if high >= 23.0 {
            seen += 1;
            assert!(outlined.inset(2.0).holds(&ring) || ring.holds(&outlined), "{second}: {ring:?} {outlined:?}");
        }
    }
    assert!(seen > 5, "{seen}");
}

#[test]
fn the_words_about_the_claimed_peak_hide_no_box() {
    let run = run(&[(960, 0, 2, 0, 0), (832, 2, 3, 0, 0), (192, 2, 4, 0, 832)]);
    let index = Index::new(&run).with_height(1200);
    let style = Style { show_peak: false, show_bound: false, ..phone() };
    let frame = last(&run).at_rest();
    for claim in [960, 1000] {
        let marks = Marks { claim: Some(claim), ..Marks::default() };
        let view = View::fit(&index, PHONE, &style);
        let stage = stage(Picture::new(&run, &index, &frame, &view, PHONE, &style), &marks);
        let found = texts(&stage.interaction).into_iter().find(|text| text.words.starts_with("claimed peak"));
        let letters = lines::letters(&found.expect("words"));
        assert!(!boxes(&stage).iter().any(|rect| rect.meets(&letters)), "{claim}: {letters:?} {:?}", boxes(&stage));
    }
}

#[test]
fn padding_is_a_sign_where_it_is_high_enough_to_be_seen() {
    // 8 bytes of 1608 are padding.
    let mut run = run(&[(1000, 0, 3, 0, 0), (600, 1, 4, 0, 1008)]);
    run.align = 16;
    let seen = |size: Size, style: &Style| signs(&run, &Index::new(&run), &last(&run), size, style).padding;
    assert!(seen((1000.0, 600.0), &Style::default()) && !seen((390.0, 290.0), &phone()));
}

#[test]
fn the_words_about_a_place_of_ones_own_lie_on_no_box_of_another_buffer() {
    // Boxes on all sides of what is free, as low and as high ones.
    let layouts: [&[Box5]; 3] = [
        &[(300, 0, 2, 0, 0), (200, 2, 5, 0, 0), (400, 1, 3, 0, 300), (100, 3, 6, 0, 200), (250, 5, 8, 0, 0)],
        &[(100, 0, 6, 0, 0), (100, 0, 2, 0, 100), (60, 4, 6, 0, 100), (300, 0, 6, 0, 240), (80, 2, 4, 0, 100)],
        &[(500, 0, 1, 0, 0), (500, 1, 2, 0, 100), (500, 2, 3, 0, 0), (40, 0, 4, 0, 620), (120, 3, 4, 0, 0)],
    ];
    let (mut led, mut seen) = (0, 0);
    for (boxes, tone) in layouts.into_iter().flat_map(|boxes| {
        [GuessTone::Right, GuessTone::Free, GuessTone::Taken, GuessTone::Grows].map(|tone| (boxes, tone))
    }) {
        let run = run(boxes);
        let (index, style) = (Index::new(&run), phone());
        let view = View::fit(&index, PHONE, &style);
        let projection = Projection::new(&index, &view, PHONE, &style);
        let frame = last(&run);
        for (buffer, offset) in run.problem.buffers.ids().flat_map(|id| (0..14).map(move |at| (id, 50 * at))) {
            let place = Place { pool: PoolId(0), offset };
            let marks = Marks { guess: Some(Guess { buffer, place, tone }), ..Marks::default() };
            let picture = || Picture::new(&run, &index, &frame, &view, PHONE, &style);
            let drawn = interaction(picture(), &marks, &[]);
            // Above the panel nothing of the place is seen.
            let Some(words) = texts(&drawn).into_iter().find(|text| text.bold) else { continue };
            let letters = lines::letters(&words);
            assert!(Rect::new(0.0, 0.0, PHONE.0, PHONE.1).holds(&letters), "{letters:?}");
            for other in run.problem.buffers.ids().filter(|&id| id != buffer) {
                let rect = bounds(picture(), Target::Buffer(other)).expect("drawn");
                assert!(!rect.meets(&letters.inset(-1.0)), "{buffer:?} at {offset}: {} on {other:?}", words.words);
            }
            // Words that are not at the place have a line to it.
            let live = run.problem.buffers[buffer].live;
            let home = projection.exact(&projection.bands[0], live, offset, run.problem.buffers[buffer].size);
            let is_leader = |mark: &&Mark| matches!(mark.shape, Shape::Lines(_)) && mark.ink.color == Color::Accent;
            let has_leader = drawn.marks().filter(is_leader).count() == 1;
            let is_away = !home.inset(-80.0).meets(&letters);
            assert!(has_leader || !is_away, "{buffer:?} at {offset}: {home:?} {letters:?}");
            led += usize::from(has_leader);
            seen += 1;
        }
    }
    assert!(seen > 200 && led > 0 && led < seen / 2, "{led} of {seen}");
}
