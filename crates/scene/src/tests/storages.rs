//! Storage blocks on a phone: their names and sizes stand beside the plot.

use super::*;

/// One buffer a storage, as high as those of eight.
fn storages(sizes: &[u64]) -> Run {
    let boxes: Vec<Box5> = (0..).zip(sizes).map(|(at, &size)| (size, at, at + 2, at, 0)).collect();
    let arena = run(&boxes);
    let mut plan = arena.plan.clone();
    plan.pools.iter_mut().for_each(|pool| pool.role = PoolRole::Storage);
    Run::new(arena.problem.clone(), origin("first-fit", 1), plan, arena.timeline.events.clone())
}

fn texts(stage: &Stage) -> Vec<Text> {
    let text = |mark: &Mark| if let Shape::Text(text) = &mark.shape { Some((**text).clone()) } else { None };
    stage.base.marks().filter_map(text).collect()
}

#[test]
fn every_storage_of_a_phone_has_its_name_clear_of_boxes() {
    let run = storages(&[1000, 256, 640, 64, 600, 320, 200, 500]);
    let (index, style) = (Index::new(&run), Style { narrow: true, ..Style::default() });
    for frame in [0, 3, 8] {
        let frame = run.frame(run.timeline.events_at(Level::Decisions, frame));
        for height in [260.0, 340.0] {
            let size = (390.0, height);
            let view = View::fit(&index, size, &style);
            let plot = Projection::new(&index, &view, size, &style).plot;
            let found = texts(&stage(Picture::new(&run, &index, &frame, &view, size, &style), &Marks::default()));
            for number in 0..8 {
                let name = found.iter().find(|text| text.words == format!("storage {number}"));
                let bounds = name.unwrap_or_else(|| panic!("storage {number} at {height}")).bounds();
                assert!(bounds.x >= 0.0 && bounds.right() <= plot.x, "{bounds:?}");
            }
        }
    }
}

#[test]
fn the_size_of_a_storage_stands_at_its_own_height() {
    let run = storages(&[1000, 100, 640]);
    let (index, style, size) = (Index::new(&run), Style { narrow: true, ..Style::default() }, (390.0, 320.0));
    let view = View::fit(&index, size, &style);
    let projection = Projection::new(&index, &view, size, &style);
    let found = texts(&stage(Picture::new(&run, &index, &last(&run), &view, size, &style), &Marks::default()));
    for (words, pool) in [("1 000 B", 0), ("100 B", 1), ("640 B", 2)] {
        let (upper, lower) = projection.bands[pool].edges();
        let is_size = |text: &&Text| text.words.replace('\u{202f}', " ") == words;
        let sizes: Vec<&Text> = found.iter().filter(is_size).collect();
        let is_own = |text: &&&Text| (upper - 6.0..=lower + 6.0).contains(&text.at.1);
        assert!(!sizes.is_empty() && sizes.iter().filter(is_own).count() == sizes.len(), "{words}: {sizes:?}");
        assert!(sizes.iter().any(|text| text.at.0 < projection.plot.x || pool == 1), "{words} beside the plot");
    }
}

#[test]
fn a_guess_has_its_words_in_the_row_of_its_own_storage() {
    let run = storages(&[1000, 700, 640]);
    let (index, style, size) = (Index::new(&run), Style { narrow: true, ..Style::default() }, (390.0, 280.0));
    let view = View::fit(&index, size, &style);
    let projection = Projection::new(&index, &view, size, &style);
    let frame = last(&run);
    for (pool, tone) in
        (0..3).flat_map(|pool| [GuessTone::Stays, GuessTone::Grows, GuessTone::Taken].map(|tone| (pool, tone)))
    {
        let place = Place { pool: PoolId(pool), offset: 0 };
        let marks = Marks { guess: Some(Guess { buffer: BufferId(2), place, tone }), ..Marks::default() };
        let stage = stage(Picture::new(&run, &index, &frame, &view, size, &style), &marks);
        let text = stage.interaction.marks().find_map(|mark| match &mark.shape {
            Shape::Text(text) if text.bold => Some(lines::letters(text)),
            _ => None,
        });
        let letters = text.expect("words");
        // A line leads from words in another row to the place.
        let is_leader = |mark: &&Mark| matches!(mark.shape, Shape::Lines(_)) && mark.ink.color == Color::Accent;
        if pool == 1 && stage.interaction.marks().any(|mark| is_leader(&mark)) {
            continue;
        }
        for band in projection.bands.iter().filter(|band| band.pool != place.pool) {
            let (upper, lower) = band.edges();
            assert!(letters.bottom() <= upper || lower <= letters.y, "{pool} {tone:?}: {letters:?} in {:?}", band.pool);
        }
    }
}

#[test]
fn the_only_storage_of_a_phone_has_no_words_about_a_load() {
    let run = storages(&[1000]);
    let (index, style, size) = (Index::new(&run), Style { narrow: true, ..Style::default() }, (390.0, 320.0));
    let view = View::fit(&index, size, &style);
    let found = texts(&stage(Picture::new(&run, &index, &last(&run), &view, size, &style), &Marks::default()));
    assert!(found.iter().all(|text| text.bounds().right() <= size.0), "{found:?}");
    assert!(found.iter().any(|text| text.words == "storage 0"));
}

#[test]
fn very_many_storages_of_a_phone_keep_their_room() {
    let run = storages(&[500; 40]);
    let (index, style, size) = (Index::new(&run), Style { narrow: true, ..Style::default() }, (390.0, 320.0));
    let plot = Projection::new(&index, &View::fit(&index, size, &style), size, &style).plot;
    let arena = Index::new(&crate::tests::run(&[(1000, 0, 3, 0, 0)]));
    assert_eq!(plot.x, Projection::new(&arena, &View::fit(&arena, size, &style), size, &style).plot.x);
}

#[test]
fn every_storage_with_a_header_tells_how_many_buffers_it_holds() {
    let run = storages(&[1000, 256, 640, 640, 600, 320, 200, 500]);
    let (index, style) = (Index::new(&run), Style::default());
    let (mut seen, mut faults) = (0, Vec::new());
    for (width, height) in [300.0, 420.0, 560.0, 780.0].into_iter().flat_map(|w| [420.0, 640.0].map(|h| (w, h))) {
        let size = (width, height);
        for number in 1..=8 {
            let frame = run.frame(run.timeline.events_at(Level::Decisions, number));
            let view = View::fit(&index, size, &style);
            let found = texts(&stage(Picture::new(&run, &index, &frame, &view, size, &style), &Marks::default()));
            for band in &Projection::new(&index, &view, size, &style).bands {
                let Some(head) = band.head.filter(|head| head.y > 6.0) else { continue };
                // What is not open yet holds none.
                let is_open = frame.places.iter().flatten().any(|place| place.pool == band.pool);
                let is_there = |text: &&Text| (text.at.1 - head.centre().1).abs() < 1.0;
                let is_told = found.iter().filter(is_there).any(|text| text.words.ends_with("1 buffer"));
                seen += usize::from(is_open);
                if is_open && !is_told {
                    faults.push(format!("{size:?} frame {number}: {:?}", band.pool));
                }
            }
        }
    }
    assert!(seen > 100 && faults.is_empty(), "{} of {seen}: {faults:#?}", faults.len());
}

#[test]
fn a_folded_storage_tells_only_what_happened_so_far() {
    let run = storages(&[588, 4590, 4590, 1720, 98, 300, 98, 5, 4]);
    let (index, style) = (Index::new(&run), Style::default());
    let mut seen = (0, 0);
    for (height, number) in [540.0, 640.0, 740.0].into_iter().flat_map(|height| (0..=9).map(move |at| (height, at))) {
        let size = (780.0, height);
        let view = View::fit(&index, size, &style);
        let frame = run.frame(run.timeline.events_at(Level::Decisions, number));
        let found = texts(&stage(Picture::new(&run, &index, &frame, &view, size, &style), &Marks::default()));
        for band in Projection::new(&index, &view, size, &style).bands.iter().filter(|band| band.is_folded) {
            let is_open = frame.places.iter().flatten().any(|place| place.pool == band.pool);
            let line = found.iter().find(|text| text.words.starts_with(&format!("storage {}:", band.pool.0)));
            let Some(line) = line else { continue };
            let expected = if is_open { "1 buffer" } else { "not opened yet" };
            assert!(line.words.ends_with(expected), "frame {number}: {}", line.words);
            seen = (seen.0 + usize::from(is_open), seen.1 + usize::from(!is_open));
        }
    }
    assert!(seen.0 > 5 && seen.1 > 5, "{seen:?}");
}
