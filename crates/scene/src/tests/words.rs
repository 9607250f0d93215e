//! What stands on the picture in words, and what is lit or drawn over it.

use super::*;
use memplan_core::base::Sizes;
use memplan_core::text::Speech;

/// The first buffer of an arena and a second one on top.
const TWO: [Box5; 2] = [(1000, 0, 3, 0, 0), (600, 1, 4, 0, 1000)];

fn picture(run: &Run, frame: u32, style: &Style, marks: &Marks) -> Stage {
    let index = Index::new(run);
    let view = View::fit(&index, SIZE, style);
    let frame = run.frame(run.timeline.events_at(Level::Decisions, frame));
    stage(Picture::new(run, &index, &frame, &view, SIZE, style), marks)
}

fn words(scene: &Scene) -> Vec<String> {
    let text = |mark: &Mark| if let Shape::Text(text) = &mark.shape { Some(text.words.clone()) } else { None };
    scene.marks().filter_map(text).map(|words| words.replace('\u{202f}', " ")).collect()
}

#[test]
fn an_arena_that_opens_does_not_grow() {
    let run = run(&TWO);
    let grown = |frame: u32| {
        let stage = picture(&run, frame, &Style::default(), &Marks::default());
        stage.base.marks().any(|mark| mark.ink.color == Color::ChosenSoft && mark.ink.alpha < 1.0)
    };
    assert_eq!([grown(1), grown(2)], [false, true]);
}

#[test]
fn the_line_of_the_final_peak_is_a_sign_until_it_is_reached() {
    let run = run(&TWO);
    let index = Index::new(&run);
    let drawn = |frame: u32, show_peak: bool| {
        let frame = run.frame(run.timeline.events_at(Level::Decisions, frame));
        signs(&run, &index, &frame, SIZE, &Style { show_peak, ..Style::default() }).final_peak
    };
    assert_eq!([(1, true), (2, true), (1, false)].map(|(frame, shown)| drawn(frame, shown)), [true, false, false]);
}

#[test]
fn the_peak_is_that_so_far_until_the_end() {
    let run = run(&TWO);
    let shown = |frame: u32| words(&picture(&run, frame, &Style::default(), &Marks::default()).base);
    assert!(shown(1).contains(&"peak so far 1 000 B".to_string()), "{:?}", shown(1));
    assert!(shown(2).contains(&"peak 1 600 B".to_string()), "{:?}", shown(2));
}

#[test]
fn notes_stand_in_place_of_names_and_touch_nothing() {
    let run = run(&TWO);
    for size in [SIZE, (540.0, 320.0)] {
        for narrow in [false, true] {
            let style = Style { notes: true, narrow, ..Style::default() };
            let index = Index::new(&run);
            let view = View::fit(&index, size, &style);
            let frame = run.frame(run.timeline.events_at(Level::Decisions, 1));
            let stage = stage(Picture::new(&run, &index, &frame, &view, size, &style), &Marks::default());
            let shown = words(&stage.frame);
            for words in ["b1000", "live range [0, 3)", "1 000 B"] {
                assert!(shown.iter().any(|shown| shown.starts_with(words)), "{narrow}: {words} of {shown:?}");
            }
            let text = |mark: &Mark| if let Shape::Text(text) = &mark.shape { Some(text.bounds()) } else { None };
            let boxes: Vec<Rect> = stage.frame.marks().filter_map(text).collect();
            for (number, a) in boxes.iter().enumerate() {
                assert!(boxes[number + 1..].iter().all(|b| !a.meets(b)), "{size:?} {narrow}: {shown:?}");
            }
        }
    }
    let plain = picture(&run, 1, &Style::default(), &Marks::default());
    assert!(!words(&plain.frame).iter().any(|words| words.starts_with("live range")));
}

#[test]
fn a_term_lights_up_on_the_topmost_layer() {
    let run = run(&TWO);
    let drawn = |term: Option<Term>| {
        let marks = Marks { term, ..Marks::default() };
        picture(&run, 1, &Style::default(), &marks).interaction.marks().count()
    };
    assert_eq!(drawn(None), 0);
    for term in [Term::LiveRange, Term::Buffer, Term::Load, Term::LowerBound, Term::PeakSoFar, Term::Arena] {
        assert!(drawn(Some(term)) > 0, "{term:?}");
    }
    assert_eq!(drawn(Some(Term::Ratio)), 0);
}

#[test]
fn a_guess_is_a_dashed_box_with_a_word_at_its_place() {
    let run = run(&TWO);
    let (buffer, place) = (BufferId(1), Place { pool: PoolId(0), offset: 100 });
    let drawn = |tone: GuessTone| {
        let marks = Marks { guess: Some(Guess { buffer, place, tone }), ..Marks::default() };
        picture(&run, 1, &Style::default(), &marks).interaction
    };
    let (index, style) = (Index::new(&run), Style::default());
    let projection = Projection::new(&index, &View::fit(&index, SIZE, &style), SIZE, &style);
    let wanted = &run.problem.buffers[buffer];
    let band = projection.band(place.pool).expect("the arena");
    let home = projection.snapped(projection.exact(band, wanted.live, place.offset, wanted.size));
    let asked = drawn(GuessTone::Grows);
    let is_dashed = |mark: &&Mark| mark.ink.stroke.is_some_and(|stroke| stroke.dash == Dash::Candidate);
    let boxes: Vec<&Shape> = asked.marks().filter(is_dashed).map(|mark| &mark.shape).collect();
    assert!(matches!(boxes[..], [Shape::Rect(rect)] if rect.centre() == home.centre()), "{boxes:?}");
    let shown = |tone: GuessTone| words(&drawn(tone)).concat();
    assert_eq!(shown(GuessTone::Grows), format!("{} here: the arena grows", wanted.name));
    assert_eq!(shown(GuessTone::Stays), format!("{} here: no growth", wanted.name));
    assert_eq!(
        (shown(GuessTone::Free), shown(GuessTone::Right)),
        ("your place: free, not chosen".into(), "your place".into())
    );
    assert_eq!(shown(GuessTone::Taken), "your place: not free");
}

#[test]
fn another_plan_lies_pale_over_the_one_that_is_drawn() {
    let run = run(&[(8, 0, 4, 0, 0), (4, 2, 6, 0, 8)]);
    let (index, style, frame) = (Index::new(&run), Style::default(), last(&run));
    let view = View::fit(&index, SIZE, &style);
    let places: memplan_core::base::IdVec<BufferId, Option<Place>> =
        vec![Some(Place { pool: PoolId(0), offset: 4 }), None].into();
    let layer = ghost(Picture::new(&run, &index, &frame, &view, SIZE, &style), &places);
    let own =
        bounds(Picture::new(&run, &index, &frame, &view, SIZE, &style), Target::Buffer(BufferId(0))).expect("drawn");
    let rects: Vec<Rect> = layer
        .marks
        .iter()
        .filter_map(|mark| if let Shape::Rect(rect) = &mark.shape { Some(*rect) } else { None })
        .collect();
    // Nothing is drawn of what has no place there.
    assert!(!rects.is_empty() && rects.iter().all(|rect| rect.bottom() < own.bottom() - own.h / 3.0), "{rects:?}");
    assert!(rects.iter().all(|rect| (rect.centre().0 - own.centre().0).abs() < 2.0), "the same steps");
    assert!(layer.marks.iter().any(|mark| matches!(&mark.shape, Shape::Text(text) if text.words == "b8")));
}

#[test]
fn a_few_waiting_buffers_are_boxes_with_names_and_many_are_bars() {
    let few = run(&TWO);
    let shown = words(&picture(&few, 1, &Style::default(), &Marks::default()).base);
    assert!(shown.contains(&"b600".to_string()) && shown.contains(&"600 B".to_string()), "{shown:?}");
    // The plot keeps its height from frame to frame.
    let height = |run: &Run, size: Size| {
        let (index, style) = (Index::new(run), Style::default());
        let projection = Projection::new(&index, &View::fit(&index, size, &style), size, &style);
        projection.lane.map(|lane| lane.h)
    };
    assert_eq!(height(&few, SIZE), Some(41.0));
    assert_eq!(height(&few, (800.0, 120.0)), Some(41.0), "few have names in a low panel too");
    assert_eq!(height(&few, (800.0, 40.0)), Some(26.0), "the lowest panel has bars");
    let many: Vec<Box5> = (0..17).map(|number| (100 + number as u64, number, number + 1, 0, 0)).collect();
    assert_eq!(height(&run(&many), SIZE), Some(26.0));
}

#[test]
fn a_phone_says_how_many_more_buffers_wait() {
    let boxes: Vec<Box5> = (0..5).map(|number| (100 + number, 0, 3, 0, 100 * number)).collect();
    let (run, style) = (run(&boxes), Style { narrow: true, ..Style::default() });
    let index = Index::new(&run);
    let shown = |size: Size| {
        let frame = run.frame(0);
        let view = View::fit(&index, size, &style);
        words(&stage(Picture::new(&run, &index, &frame, &view, size, &style), &Marks::default()).base)
    };
    let low = shown((390.0, 130.0));
    assert!(low.contains(&"b100".to_string()) && low.contains(&"+2".to_string()), "{low:?}");
    assert!(!shown((390.0, 400.0)).iter().any(|words| words.starts_with('+')));
}

#[test]
fn a_decision_stands_at_the_live_range_of_its_buffer_whatever_step_is_read_off() {
    let run = planned("first-fit", &five_buffers::problem());
    let index = Index::new(&run);
    let view = View::fit(&index, SIZE, &Style::default());
    for (number, decision) in run.timeline.decisions.iter().enumerate() {
        let frame = run.frame(decision.end);
        let live = run.problem.buffers[decision.buffer].live;
        let drawn = |style: &Style| stage(Picture::new(&run, &index, &frame, &view, SIZE, style), &Marks::default());
        let elsewhere = (0..run.problem.steps).filter(|step| !live.contains(*step));
        for step in elsewhere {
            let style = Style { at_step: Some(step), ..Style::default() };
            assert_eq!(drawn(&style).frame, drawn(&Style::default()).frame, "decision {number}, step {step}");
        }
        let outline = drawn(&Style::default()).frame.marks().find_map(|mark| match mark.shape {
            Shape::Rect(rect) if mark.ink.stroke.is_some() && mark.ink.color == Color::Chosen => Some(rect),
            _ => None,
        });
        let rect = outline.expect("a chosen place");
        let projection = Projection::new(&index, &view, SIZE, &Style::default());
        let (left, right) = (projection.step_to_x(live.start as f64), projection.step_to_x(live.end as f64));
        assert!((rect.x - left).abs() < 2.0 && (rect.right() - right).abs() < 2.0, "{rect:?}, {left} to {right}");
    }
}

/// A run of a planner with its events.
pub(super) fn planned(planner: &str, problem: &Problem) -> Run {
    let mut recorder = memplan_core::trace::Recorder::default();
    let planner = memplan_planners::find(planner).expect("registered");
    let input = memplan_planners::Input { problem, graph: None };
    let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).expect("applicable");
    Run::new(Rc::new(problem.clone()), origin(planner.info().id, 1), plan, recorder.events)
}

/// A style that writes all bytes.
fn exact() -> Style {
    let speech = Speech { sizes: Sizes::Exact, ..Speech::default() };
    Style { speech, ..Style::default() }
}

#[test]
fn a_place_taken_off_the_start_of_the_free_bytes_is_outlined_and_named_where_the_buffer_lies() {
    // Its arena aligns to 64 B: the last buffer lies at 640 B, above the 600 B of the third one.
    let boxes = run(&[(1000, 0, 3, 0, 0), (640, 1, 5, 0, 0), (600, 3, 7, 0, 0), (320, 4, 6, 0, 0)]);
    let run = planned("tflite-arena", &boxes.problem);
    let (index, style) = (Index::new(&run), Style { narrow: true, ..exact() });
    let size = (390.0, 340.0);
    let view = View::fit(&index, size, &style);
    let id = BufferId(3);
    let number = run.timeline.decisions.iter().position(|decision| decision.buffer == id).expect("placed");
    let frame = run.frame(run.timeline.events_at(Level::Decisions, number as u32 + 1));
    let stage = stage(Picture::new(&run, &index, &frame, &view, size, &style), &Marks::default());
    let own = bounds(Picture::new(&run, &index, &frame, &view, size, &style), Target::Buffer(id)).expect("drawn");
    let is_outline = |mark: &&Mark| mark.ink.color == Color::Chosen && rect_of(mark).is_some();
    let outline = stage.frame.marks().find(is_outline).and_then(rect_of).expect("a chosen place");
    assert!((outline.y - own.y).abs() < 1.5 && (outline.bottom() - own.bottom()).abs() < 1.5, "{outline:?} {own:?}");
    let named = words(&stage.frame).into_iter().chain(words(&stage.base)).any(|words| words.contains("b320"));
    assert!(named, "{:?}", words(&stage.frame));
}

#[test]
fn words_wider_than_the_place_of_a_guess_stand_beside_it() {
    let run = run(&[(1000, 0, 3, 0, 0), (600, 3, 4, 0, 0), (400, 7, 8, 0, 0)]);
    let style = Style { narrow: true, ..exact() };
    for (buffer, offset) in [(BufferId(1), 200), (BufferId(2), 300)] {
        let place = Place { pool: PoolId(0), offset };
        let marks = Marks { guess: Some(Guess { buffer, place, tone: GuessTone::Free }), ..Marks::default() };
        let (index, size) = (Index::new(&run), (390.0, 340.0));
        let view = View::fit(&index, size, &style);
        let projection = Projection::new(&index, &view, size, &style);
        let wanted = &run.problem.buffers[buffer];
        let home = projection.exact(&projection.bands[0], wanted.live, place.offset, wanted.size);
        let frame = run.frame(run.timeline.events_at(Level::Decisions, 1));
        let stage = stage(Picture::new(&run, &index, &frame, &view, size, &style), &marks);
        let text = stage.interaction.marks().find_map(|mark| match &mark.shape {
            Shape::Text(text) if text.words.starts_with("your place") => Some(lines::letters(text)),
            _ => None,
        });
        let text = text.expect("words");
        assert!(!home.edges(1.0).iter().any(|edge| edge.meets(&text)), "{home:?} {text:?}");
    }
}

#[test]
fn the_steps_of_the_largest_load_are_kept_back_with_the_bound() {
    let run = run(&TWO);
    let marked = |show_bound: bool| {
        let marks = Marks { cursor: Some(0), ..Marks::default() };
        let drawn = words(&picture(&run, 2, &Style { show_bound, ..Style::default() }, &marks).interaction);
        drawn.into_iter().filter(|words| words.parse::<u32>().is_ok()).collect::<Vec<String>>()
    };
    assert_eq!(marked(true), ["0", "1"]);
    assert_eq!(marked(false), ["0"]);
}

#[test]
fn the_words_of_a_budget_stand_in_the_plot_and_clear_of_others() {
    let (run, style) = (run(&TWO), exact());
    let index = Index::new(&run);
    let plot = Projection::new(&index, &View::fit(&index, SIZE, &style), SIZE, &style).plot;
    for budget in [1, 8, 500, 990, 1010, 1590, 1600] {
        let marks = Marks { budget: Some(budget), ..Marks::default() };
        let stage = picture(&run, 2, &style, &marks);
        let text = |mark: &Mark| match &mark.shape {
            Shape::Text(text) => Some(text.clone()),
            _ => None,
        };
        let own = stage.interaction.marks().filter_map(text).find(|text| text.words.contains("available"));
        let own = lines::letters(&own.expect("the words of the line"));
        assert!(plot.holds(&own), "{budget}: {own:?} in {plot:?}");
        let others = stage.labels.iter().filter_map(text);
        others.for_each(|other| assert!(!lines::letters(&other).meets(&own), "{budget}: {} {own:?}", other.words));
    }
}

#[test]
fn names_can_be_read_under_the_veil_of_a_term() {
    let run = run(&TWO);
    let marks = Marks { term: Some(Term::Load), ..Marks::default() };
    let lit = words(&picture(&run, 2, &exact(), &marks).interaction);
    assert!(["b1000", "b600"].iter().all(|name| lit.iter().any(|words| words.contains(name))), "{lit:?}");
}

#[test]
fn names_on_the_veil_have_no_ground_of_their_own() {
    let run = run(&TWO);
    let marks = Marks { term: Some(Term::Load), ..Marks::default() };
    let lit = picture(&run, 2, &exact(), &marks).interaction;
    let is_ground = |mark: &Mark| matches!(mark.ink.color, Color::Buffer(Part::Fill, ..));
    let has_halo = |mark: &Mark| matches!(&mark.shape, Shape::Text(text) if text.halo.is_some_and(|(color, _)| color != Color::Background));
    assert!(!lit.marks().any(|mark| is_ground(mark) || has_halo(mark)));
}

#[test]
fn the_unit_of_addresses_stands_above_the_axis_at_every_width() {
    let run = run(&TWO);
    for narrow in [false, true] {
        let shown = words(&picture(&run, 2, &Style { narrow, ..exact() }, &Marks::default()).base);
        assert!(shown.contains(&"B".to_string()), "{narrow}: {shown:?}");
    }
}

#[test]
fn the_axis_tells_sizes_as_all_words_do() {
    let large = [(20_000, 0, 3, 0, 0), (600, 1, 4, 0, 20_000)];
    for (boxes, style, end) in
        [(TWO, exact(), "1 600"), (TWO, Style::default(), "1 600"), (large, Style::default(), "20.1")]
    {
        let shown = words(&picture(&run(&boxes), 2, &style, &Marks::default()).base);
        assert!(shown.contains(&end.to_string()), "{shown:?}");
        assert!(shown.iter().any(|words| words.starts_with(&format!("peak {end} "))), "{shown:?}");
    }
}

#[test]
fn the_bracket_of_a_live_range_leaves_the_name_alone() {
    let run = run(&TWO);
    let marks = Marks { term: Some(Term::LiveRange), ..Marks::default() };
    let stage = picture(&run, 1, &Style::default(), &marks);
    let texts = |scene: &Scene| -> Vec<(String, Rect)> {
        let text = |mark: &Mark| {
            if let Shape::Text(text) = &mark.shape { Some((text.words.clone(), text.bounds())) } else { None }
        };
        scene.marks().filter_map(text).collect()
    };
    let (_, range) = texts(&stage.interaction)
        .into_iter()
        .find(|(words, _)| *words == memplan_core::text::live(0, 3))
        .expect("the range");
    let (_, name) = texts(&stage.base).into_iter().find(|(words, _)| words == "b1000").expect("the name");
    assert!(name.bottom() < range.y, "{name:?} {range:?}");
}

#[test]
fn a_box_too_low_for_its_name_has_it_beside() {
    let run = run(&[(4000, 0, 4, 0, 0), (10, 1, 3, 0, 4000), (9, 2, 4, 0, 4010)]);
    let named = |frame: u32| words(&picture(&run, frame, &Style::default(), &Marks::default()).frame);
    assert!(named(2).contains(&"b10".to_string()), "{:?}", named(2));
    assert!(!named(1).contains(&"b4000".to_string()), "a high box has its name inside");
}

#[test]
fn the_height_of_a_plan_to_come_is_kept_back_with_the_peak() {
    let run = run(&[(1024, 0, 3, 0, 0), (512, 1, 4, 0, 1024), (512, 0, 4, 1, 0)]);
    let shown = |show_peak: bool| words(&picture(&run, 1, &Style { show_peak, ..exact() }, &Marks::default()).base);
    assert!(shown(true).contains(&"1 536".to_string()), "{:?}", shown(true));
    assert!(
        !shown(false).contains(&"1 536".to_string()) && shown(false).contains(&"512".to_string()),
        "{:?}",
        shown(false)
    );
}

#[test]
fn all_storages_fit_into_the_panel_of_a_phone() {
    let sizes = [1000, 256, 640, 64, 600, 320, 200, 500];
    let storages: Vec<Box5> = (0..).zip(sizes).map(|(at, size)| (size, at, at + 2, at, 0)).collect();
    let run = run(&storages);
    let style = Style { narrow: true, ..Style::default() };
    let index = Index::new(&run);
    for height in 200..400 {
        let size = (390.0, f64::from(height));
        let view = View::fit(&index, size, &style);
        let projection = Projection::new(&index, &view, size, &style);
        let top = projection.bands.iter().map(|band| band.edges().0).fold(f64::INFINITY, f64::min);
        assert!(top >= projection.plot.y - 1.0, "{height}: {top} lies above {}", projection.plot.y);
    }
}

#[test]
fn waste_is_a_bracket_and_the_gaps_of_the_fullest_step() {
    // At step 2 three are alive: 1 000 B, a gap of 24 B, 640 B, a gap of 128 B, and 64 B on top.
    let run = run(&[(1000, 0, 3, 0, 0), (640, 1, 5, 0, 1024), (64, 2, 4, 0, 1792)]);
    let marks = Marks { term: Some(Term::Waste), ..Marks::default() };
    for narrow in [false, true] {
        let picture = |frame: u32| picture(&run, frame, &Style { narrow, ..Style::default() }, &marks).interaction;
        let last = picture(3);
        for said in ["24 B", "128 B", "waste 152 B"] {
            assert!(words(&last).contains(&said.to_string()), "{said}: {:?}", words(&last));
        }
        let hatched = |scene: &Scene| scene.marks().filter(|mark| mark.ink.texture == Texture::Gap).count();
        assert_eq!((hatched(&last), hatched(&picture(2))), (2, 0), "nothing is known before the end");
    }
}

#[test]
fn the_bracket_of_the_waste_keeps_clear_of_names() {
    // The name of the long box stands beside the fullest step, at the height of the bracket.
    let run = run(&[(600, 0, 1, 0, 0), (100, 0, 2, 0, 700), (500, 3, 4, 0, 0)]);
    let marks = Marks { term: Some(Term::Waste), ..Marks::default() };
    let style = Style { narrow: true, ..Style::default() };
    for width in 300..420 {
        let (size, index) = ((f64::from(width), 340.0), Index::new(&run));
        let view = View::fit(&index, size, &style);
        let stage = stage(Picture::new(&run, &index, &last(&run), &view, size, &style), &marks);
        let brackets = stage.interaction.marks().filter_map(|mark| match &mark.shape {
            Shape::Lines(lines) => Some(lines.clone()),
            _ => None,
        });
        let lines: Vec<_> = brackets.flatten().collect();
        assert!(!lines.is_empty());
        let name = stage.labels.iter().find_map(|mark| match &mark.shape {
            Shape::Text(text) if text.words.starts_with("b100") => Some(lines::letters(text)),
            _ => None,
        });
        let name = name.expect("a name");
        assert!(
            lines.iter().all(|(from, to)| !Rect::between(*from, *to).inset(-1.0).meets(&name)),
            "{width}: {name:?}"
        );
    }
}

#[test]
fn the_peak_that_is_claimed_has_its_line_and_its_words() {
    let run = run(&TWO);
    for narrow in [false, true] {
        let style = Style { narrow, show_peak: false, show_bound: false, ..exact() };
        for claim in [1200, 1590, 1600] {
            let marks = Marks { claim: Some(claim), ..Marks::default() };
            let scene = picture(&run, 2, &style, &marks).interaction;
            assert!(
                words(&scene).iter().any(|words| words.starts_with("claimed peak")),
                "{claim}: {:?}",
                words(&scene)
            );
            assert!(scene.marks().any(|mark| mark.ink.color == Color::Peak && mark.ink.stroke.is_some()));
            assert!(!scene.marks().any(|mark| mark.ink.color == Color::Error), "what lies above is the answer");
        }
    }
}

#[test]
fn gaps_say_how_large_they_are() {
    let run = run(&[(500, 0, 4, 0, 0), (300, 0, 4, 0, 700)]);
    let style = Style { show_waste: true, ..Style::default() };
    assert!(words(&picture(&run, 2, &style, &Marks::default()).base).contains(&"200 B".to_string()));
}

#[test]
fn a_ring_does_not_cover_the_outline_of_the_place_taken() {
    let run = run(&TWO);
    let marks = Marks { selected: Some(BufferId(0)), ..Marks::default() };
    let stage = picture(&run, 1, &Style::default(), &marks);
    let boxes = |scene: &Scene, color: Color| -> Vec<(Rect, f64)> {
        let lines = scene.marks().filter(|mark| mark.ink.color == color);
        lines.filter_map(|mark| Some((rect_of(mark)?, mark.ink.stroke?.width))).collect()
    };
    let (chosen, wide) = boxes(&stage.frame, Color::Chosen)[0];
    let (halo, around) = boxes(&stage.interaction, Color::Background)[0];
    assert!(chosen.inset(wide / 2.0).holds(&halo.inset(-around / 2.0)), "{chosen:?} {halo:?}");
}

#[test]
fn names_of_operations_stand_on_end_where_steps_are_narrow() {
    let run = run(&[(100, 0, 8, 0, 0)]);
    let index = Index::new(&run).with_ops(&run.problem, ["convolution", "relu", "add", "a", "b", "c", "d", "e"]);
    for (width, on_end, level) in [(900.0, 0, 8), (390.0, 8, 0), (120.0, 0, 0)] {
        let (size, style) = ((width, 400.0), Style { narrow: width < 600.0, ..Style::default() });
        let view = View::fit(&index, size, &style);
        let stage = stage(Picture::new(&run, &index, &last(&run), &view, size, &style), &Marks::default());
        let texts = || {
            let texts = stage.base.marks().filter_map(|mark| match &mark.shape {
                Shape::Text(text) if index.op(0).is_some() => Some(text),
                _ => None,
            });
            texts.filter(|text| (0..8).any(|step| index.op(step) == Some(text.words.as_str())))
        };
        let standing = texts().filter(|text| text.on_end).count();
        assert_eq!((standing, texts().count() - standing), (on_end, level), "{width}");
        for text in texts() {
            let bounds = text.bounds();
            assert!(bounds.bottom() <= size.1 && bounds.y > size.1 - 120.0, "{bounds:?}");
        }
    }
}

#[test]
fn names_on_end_leave_the_plot_its_height() {
    let run = run(&[(100, 0, 8, 0, 0)]);
    let index = Index::new(&run).with_ops(&run.problem, ["convolution", "relu", "add", "a", "b", "c", "d", "e"]);
    let style = Style { narrow: true, ..Style::default() };
    for height in 130..400 {
        let size = (390.0, f64::from(height));
        let projection = Projection::new(&index, &View::fit(&index, size, &style), size, &style);
        let is_low = projection.plot.h < 96.0;
        assert!(
            !is_low || projection.axis_x.h < 40.0,
            "{height}: {} px, names {}",
            projection.plot.h,
            projection.axis_x.h
        );
    }
}

#[test]
fn nodes_stand_under_the_axis_where_the_text_speaks_of_them() {
    let run = run(&[(100, 0, 2, 0, 0)]);
    let index = Index::new(&run).with_ops(&run.problem, ["conv", "conv"]);
    let classes = index.op_of_class(0).map(str::to_string);
    let named = index.with_step_names(["wide", "narrow"]);
    assert_eq!((named.op(0), named.op(1)), (Some("wide"), Some("narrow")));
    assert_eq!(named.op_of_class(0).map(str::to_string), classes, "colours are those of operations");
}

#[test]
fn the_only_pool_has_no_heading_at_any_width() {
    let run = run(&TWO);
    for narrow in [false, true] {
        let shown = words(&picture(&run, 2, &Style { narrow, ..exact() }, &Marks::default()).base);
        assert!(!shown.iter().any(|words| words.starts_with("pool") || words.contains("not opened")), "{shown:?}");
        let figures: &[&str] =
            if narrow { &["peak 1 600 B = lower bound"] } else { &["peak 1 600 B", "bound 1 600 B"] };
        for figure in figures {
            assert!(shown.contains(&figure.to_string()), "{figure} in {shown:?}");
        }
        let half = words(&picture(&run, 1, &Style { narrow, ..exact() }, &Marks::default()).base);
        assert!(half.contains(&"peak so far 1 000 B".to_string()), "{half:?}");
        let before = words(&picture(&run, 0, &Style { narrow, ..exact() }, &Marks::default()).base);
        assert!(!before.iter().any(|words| words.contains("not opened")), "{before:?}");
    }
}

#[test]
fn what_an_arena_grew_by_stands_beside_its_arrow() {
    // The buffer that makes it grow, or a reason beside one, may be at either end.
    for (start, end) in [(0, 2), (3, 5), (6, 8)] {
        let run = run(&[(1000, 0, 8, 0, 0), (300, start, end, 0, 1000)]);
        let drawn = picture(&run, 2, &exact(), &Marks::default()).frame;
        let text = |mark: &Mark| match &mark.shape {
            Shape::Text(text) if text.words.starts_with('+') => Some(text.bounds()),
            _ => None,
        };
        let tip = |mark: &Mark| match &mark.shape {
            Shape::Polygon(corners) if mark.ink.color == Color::Chosen => corners.first().copied(),
            _ => None,
        };
        let (words, (x, _)) = (drawn.marks().find_map(text).expect("words"), drawn.marks().find_map(tip).expect("tip"));
        assert!(x > words.x - 20.0 && x < words.right() + 20.0, "{start}: {words:?} and an arrow at {x}");
    }
}

/// Eight buffers, some of them low.
fn eight() -> Problem {
    let boxes = [
        ("A", 1000, 0, 3),
        ("B", 640, 1, 5),
        ("C", 600, 3, 7),
        ("D", 320, 4, 6),
        ("E", 256, 0, 1),
        ("F", 200, 5, 7),
        ("G", 64, 2, 4),
        ("H", 500, 6, 8),
    ];
    let buffer = |(name, size, start, end): (&str, u64, u32, u32)| Buffer::of(name, size, Live { start, end });
    let memories = vec![Memory { device: "cpu".into(), mem_id: None }].into();
    Problem { buffers: boxes.into_iter().map(buffer).collect(), memories, steps: 8, ..Problem::default() }
}

#[test]
fn no_line_across_the_panel_runs_through_a_name_or_a_growth() {
    for planner in ["first-fit", "best-fit", "tflite-arena", "greedy-by-size", "naive"] {
        let run = planned(planner, &eight());
        let index = Index::new(&run);
        for (size, narrow) in [((900.0, 560.0), false), ((390.0, 288.0), true), ((520.0, 260.0), false)] {
            let style = Style { narrow, ..exact() };
            let view = View::fit(&index, size, &style);
            for number in 1..=8 {
                let frame = run.frame(run.timeline.events_at(Level::Decisions, number));
                let drawing = drawing::Drawing::new(Picture::new(&run, &index, &frame, &view, size, &style));
                let stage = stage(Picture::new(&run, &index, &frame, &view, size, &style), &Marks::default());
                let levels: Vec<f64> = bands::level_lines(&drawing).into_iter().map(|(y, _)| y).collect();
                let plot = drawing.projection.plot;
                for mark in stage.base.marks().chain(stage.frame.marks()) {
                    let Shape::Text(text) = &mark.shape else { continue };
                    let letters = lines::letters(text).inset(-1.0);
                    let is_word = text.halo.is_some() && plot.contains(text.at);
                    let is_struck = levels.iter().any(|y| letters.y < *y && *y < letters.bottom());
                    assert!(!is_word || !is_struck, "{planner} {size:?} frame {number}: {:?}", text.words);
                }
            }
        }
    }
}

#[test]
fn some_steps_of_all_addresses_show_the_names_of_all_pools() {
    let run = run(&[(1000, 0, 40, 0, 0), (600, 0, 40, 1, 0)]);
    let names: Vec<String> = (0..40).map(|step| format!("operator {step}")).collect();
    let index = Index::new(&run).with_step_names(names.iter().map(String::as_str));
    for narrow in [false, true] {
        let (size, style) = ((390.0, 288.0), Style { narrow, ..Style::default() });
        let some = Window { steps: (0.0, 4.0), bytes: None }.view(&index, size, &style);
        for view in [some, View::fit_largest_load(&index, size, &style)] {
            let projection = Projection::new(&index, &view, size, &style);
            let heads: Vec<Rect> = projection.bands.iter().filter_map(|band| band.head).collect();
            assert_eq!(heads.len(), 2);
            assert!(heads.iter().all(|head| head.y >= projection.plot.y - 8.0), "{heads:?} in {:?}", projection.plot);
        }
    }
}
