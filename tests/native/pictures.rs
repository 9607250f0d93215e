//! Pictures of every planner on every built-in example: what is drawn can be read, and says what
//! happens.

use std::rc::Rc;
use std::sync::OnceLock;

use memplan_core::base::Term;
use memplan_core::plan::Plan;
use memplan_core::problem::{Problem, Scope, Span, lifetimes};
use memplan_core::text::{Locale, Speech};
use memplan_core::trace::{Event, Recorder};
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::{self as planner, Effort, Input, REGISTRY, origin};
use memplan_replay::{Frame, Level, Run};
use memplan_scene::{
    Color, ColorBy, Index, Mark, Marks, Part, Picture, Point, Projection, Rect, ScrubberBars, Shape, Size, Stage,
    Style, Target, Text, Texture, View, hit, stage,
};

/// A run as threads may share it.
struct Recorded {
    name: String,
    planner: &'static planner::Info,
    problem: Problem,
    plan: Plan,
    events: Vec<Event>,
}

/// Networks on which a search takes minutes in a program that is not optimised.
const LARGE: usize = 200;

/// Every planner on every example that it applies to, planned once.
fn recorded() -> &'static [Recorded] {
    static RUNS: OnceLock<Vec<Recorded>> = OnceLock::new();
    RUNS.get_or_init(|| {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/graphs");
        let mut files: Vec<_> = [root.to_string(), format!("{root}/cases")]
            .iter()
            .flat_map(|folder| std::fs::read_dir(folder).expect("a folder"))
            .map(|file| file.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|end| end == "json") && !path.ends_with("index.json"))
            .collect();
        files.sort();
        files.iter().flat_map(|path| of_file(path)).collect()
    })
}

fn of_file(path: &std::path::Path) -> Vec<Recorded> {
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let bytes = std::fs::read(path).expect("a file");
    // Lists of examples stand beside the graphs.
    if !bytes.windows(12).any(|window| window == b"memory-graph") {
        return Vec::new();
    }
    let read = import::read(&bytes, Answers::default()).expect("a valid file");
    let Document::Graph(graph) = read.document else { return Vec::new() };
    let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    let quick = |info: &planner::Info| problem.buffers.len() <= LARGE || info.effort != Effort::Search;
    let planned = |planner: &&'static dyn planner::Planner| {
        let info = planner.info();
        let mut recorder = Recorder::default();
        let input = Input { problem: &problem, graph: Some(&graph) };
        let plan = planner.plan(input, &info.defaults(), &mut recorder).ok()?;
        Some(Recorded { name: name.clone(), planner: info, problem: problem.clone(), plan, events: recorder.events })
    };
    REGISTRY.iter().filter(|planner| quick(planner.info())).filter_map(planned).collect()
}

impl Recorded {
    fn run(&self) -> Run {
        let origin = origin(self.planner.id, self.planner.align);
        Run::new(Rc::new(self.problem.clone()), origin, self.plan.clone(), self.events.clone())
    }

    fn title(&self) -> String {
        format!("{} of {}", self.planner.id, self.name)
    }
}

#[test]
fn marks_of_the_scrubber_agree_with_what_is_run_to() {
    let mut seen = 0;
    for recorded in recorded() {
        let run = recorded.run();
        let decisions = &run.timeline.decisions;
        let size = (decisions.len() as f64 * 12.0 + 40.0, 48.0);
        let bars = ScrubberBars::new(&run, Level::Decisions, size, &Style::default());
        let marks = bars.marks_until(u32::MAX).collect::<Vec<_>>();
        let marked = |kind: fn(&memplan_scene::Happenings) -> u32| marks.iter().map(|mark| kind(&mark.happens)).sum();
        let (growths, pools): (u32, u32) = (marked(|happens| happens.growths), marked(|happens| happens.pools));
        assert_eq!(growths as usize, decisions.iter().filter(|decision| decision.grew).count(), "{}", recorded.title());
        let opened = decisions.iter().filter(|decision| decision.opens_pool()).count();
        // The only pool is no news.
        let told = if run.plan.pools.len() > 1 { opened } else { 0 };
        assert_eq!(pools as usize, told, "{}", recorded.title());
        // And a frame is marked as growth if and only if its peak is above that of the frame
        // before.
        let mut peak = 0;
        for (frame, decision) in (1..).zip(decisions) {
            let grows = marks.iter().any(|mark| mark.frames.0 == frame && mark.happens.growths > 0);
            assert_eq!(grows, decision.peak > peak, "{} frame {frame}", recorded.title());
            peak = decision.peak;
        }
        counts_of_the_menu(run, (growths as usize, opened));
        seen += 1;
    }
    assert!(seen > 500, "{seen}");
}

fn counts_of_the_menu(run: Run, expected: (usize, usize)) {
    use memplan::step::state::breakpoints::Wanted;
    let mut state = memplan::shell::state::State::default();
    state.document.run = Some(Rc::new(run));
    assert_eq!((state.count(Wanted::Growth), state.count(Wanted::NewPool)), expected);
}

/// The panels in which pictures are looked at: a wide page, one beside a slice, one of middle
/// width, a phone, and the phone in Chinese.
fn panels() -> [(Size, Style); 5] {
    let wide = Style::default();
    // Beside a slice there is less room, and the words of the lines stand over the plan.
    let beside = Style { words_inside: true, at_step: Some(1), ..wide };
    let phone = Style { narrow: true, ..wide };
    let chinese = |style: Style| Style { speech: Speech { locale: Locale::Zh, ..style.speech }, ..style };
    [
        ((780.0, 600.0), wide),
        ((420.0, 560.0), beside),
        ((960.0, 420.0), chinese(wide)),
        ((390.0, 354.0), phone),
        ((390.0, 354.0), chinese(phone)),
    ]
}

/// Pictures of a run: its first frames, its last one and some between, each in all panels.
fn pictures(recorded: &Recorded, mut look: impl FnMut(&str, &Run, &Index, Size, &Style, &Stage)) {
    let run = recorded.run();
    let index = Index::new(&run);
    let last = run.timeline.frames(Level::Decisions) - 1;
    let mut frames = vec![1, 2, last / 3, last * 2 / 3, last];
    frames.sort_unstable();
    frames.dedup();
    for (size, style) in panels() {
        let view = View::fit(&index, size, &style);
        for &number in frames.iter().filter(|number| **number <= last) {
            let frame = run.frame(run.timeline.events_at(Level::Decisions, number));
            let frame = if style.at_step.is_some() { frame.at_rest() } else { frame };
            let marks = Marks { cursor: style.at_step, hovered: run.problem.buffers.ids().next(), ..Marks::default() };
            let stage = stage(Picture::new(&run, &index, &frame, &view, size, &style), &marks);
            let title =
                format!("{} frame {number} at {}×{} {:?}", recorded.title(), size.0, size.1, style.speech.locale);
            look(&title, &run, &index, size, &style, &stage);
        }
    }
}

/// The box of the letters, a little smaller than that of the line.
fn letters(text: &Text) -> Rect {
    let bounds = text.bounds();
    let height = 0.8 * text.size;
    if text.on_end {
        return Rect { x: text.at.0 - height / 2.0, w: height, ..bounds }.inset(0.5);
    }
    Rect { y: text.at.1 - height / 2.0, h: height, ..bounds }.inset(0.5)
}

/// Marks of all scenes in the order in which they are painted, with what their layers are cut to.
fn painted(stage: &Stage) -> Vec<(Option<Rect>, &Mark)> {
    let scenes = [&stage.base, &stage.frame, &stage.interaction];
    let layers = scenes.into_iter().flat_map(|scene| &scene.layers);
    layers.flat_map(|layer| layer.marks.iter().map(move |mark| (layer.clip, mark))).collect()
}

#[test]
fn words_stay_inside_the_picture_and_clear_of_each_other() {
    let mut faults = Vec::new();
    for recorded in recorded() {
        pictures(recorded, |title, _, _, size, _, stage| {
            let marks = painted(stage);
            let texts: Vec<(usize, &Text)> = marks
                .iter()
                .enumerate()
                .filter_map(
                    |(at, (_, mark))| if let Shape::Text(text) = &mark.shape { Some((at, &**text)) } else { None },
                )
                .collect();
            for (number, &(at, text)) in texts.iter().enumerate() {
                let rect = letters(text);
                if rect.x < 0.0 || rect.y < 0.0 || rect.right() > size.0 || rect.bottom() > size.1 {
                    faults.push(format!("{title}: {:?} is cut off: {rect:?}", text.words));
                }
                // Words over a ring are those below it, and words wholly under a plate are not
                // there.
                let is_covered =
                    |from: usize, rect: &Rect| marks[from..at].iter().any(|(_, mark)| is_ground(mark, rect));
                let other = texts[..number].iter().find(|(from, other)| {
                    letters(other).meets(&rect) && *other != text && !is_covered(*from, &letters(other))
                });
                // Two buffers of this example share bytes, as the original has it; in a narrow
                // panel their names meet.
                let may_meet = recorded.name == "nnvm-ignored-read" && size.0 < 500.0;
                if let Some((_, other)) = other.filter(|_| !may_meet) {
                    faults.push(format!("{title}: {:?} over {:?}", text.words, other.words));
                }
            }
        });
    }
    none(&faults);
}

#[test]
fn words_are_not_crossed_by_curves_levels_and_rings() {
    let mut faults = Vec::new();
    for recorded in recorded() {
        pictures(recorded, |title, _, _, _, _, stage| {
            let marks = painted(stage);
            for (number, (clip, mark)) in marks.iter().enumerate() {
                let Shape::Text(text) = &mark.shape else { continue };
                let rect = clip.map_or(Some(letters(text)), |clip| letters(text).cut(&clip));
                let Some(rect) = rect else { continue };
                for (other, (clip, line)) in marks.iter().enumerate() {
                    let Some(stroke) = line.ink.stroke else { continue };
                    let is_ring = other >= marks.len() - stage.interaction.marks().count();
                    if !is_ring && !matches!(line.ink.color, Color::Load | Color::Bound | Color::Peak | Color::Chosen) {
                        continue;
                    }
                    let crosses = stretches(&line.shape, stroke.width)
                        .into_iter()
                        .filter_map(|stretch| clip.map_or(Some(stretch), |clip| stretch.cut(&clip)))
                        .any(|stretch| stretch.meets(&rect));
                    let is_read = other < number && marks[other..number].iter().any(|(_, mark)| is_ground(mark, &rect));
                    // Set again over the ring.
                    let again = || marks[other..].iter().any(|(_, later)| later.shape == mark.shape);
                    if crosses && !is_read && !(other > number && again()) {
                        faults.push(format!("{title}: {:?} crossed by {:?} {is_ring}", text.words, line.ink.color));
                    }
                }
            }
        });
    }
    none(&faults);
}

/// Whether a mark is an opaque plate under or over all of a box.
fn is_ground(mark: &Mark, rect: &Rect) -> bool {
    match &mark.shape {
        Shape::Rect(plate) | Shape::Round(plate, _) => {
            mark.ink.stroke.is_none() && mark.ink.alpha == 1.0 && plate.inset(-1e-9).holds(rect)
        }
        _ => false,
    }
}

/// The stretches of a line as boxes.
fn stretches(shape: &Shape, width: f64) -> Vec<Rect> {
    let line = |ends: &[(f64, f64)]| Rect::between(ends[0], ends[1]).inset(-width / 2.0);
    match shape {
        Shape::Polyline(points) => points.windows(2).map(line).collect(),
        Shape::Lines(lines) => lines.iter().map(|&(from, to)| line(&[from, to])).collect(),
        Shape::Rect(rect) => {
            let corners = [
                (rect.x, rect.y),
                (rect.right(), rect.y),
                (rect.right(), rect.bottom()),
                (rect.x, rect.bottom()),
                (rect.x, rect.y),
            ];
            corners.windows(2).map(line).collect()
        }
        _ => Vec::new(),
    }
}

/// Fails with some of the faults, from all parts of the list.
fn none(faults: &[String]) {
    let sample: Vec<&String> = faults.iter().step_by(faults.len() / 25 + 1).collect();
    assert!(faults.is_empty(), "{} faults: {sample:#?}", faults.len());
}

/// The boxes of live buffers as they are drawn, each with its pool.
fn live_boxes(run: &Run, frame: &Frame, projection: &Projection) -> Vec<Rect> {
    let placed = run.problem.buffers.ids().filter_map(|id| Some((&run.problem.buffers[id], frame.places[id]?)));
    let boxes = placed.filter_map(|(buffer, place)| Some((buffer, place, projection.band(place.pool)?)));
    let spans = boxes.flat_map(|(buffer, place, band)| {
        let span = |span: Span| projection.exact(band, span.live, place.offset + span.low, span.high - span.low);
        buffer.spans().into_iter().map(span).collect::<Vec<_>>()
    });
    spans.map(|rect| projection.snapped(rect)).collect()
}

#[test]
fn only_free_bytes_below_the_peak_are_hatched() {
    let (mut faults, mut seen) = (Vec::new(), 0);
    for recorded in recorded() {
        let run = recorded.run();
        let index = Index::new(&run);
        let last = run.timeline.frames(Level::Decisions) - 1;
        let fullest = index.total().peak_step();
        for (size, style) in [0, 3].map(|panel| panels()[panel]) {
            let view = View::fit(&index, size, &style);
            for number in [last / 2, last] {
                let frame = run.frame(run.timeline.events_at(Level::Decisions, number));
                let projection = Projection::new(&index, &view, size, &style);
                let live = live_boxes(&run, &frame, &projection);
                let budget = Some(run.metrics.peak / 2);
                let ways = [
                    (false, Marks { term: Some(Term::Waste), ..Marks::default() }),
                    (true, Marks { step: Some(fullest), budget, ..Marks::default() }),
                    (true, Marks { term: Some(Term::Gap), ..Marks::default() }),
                ];
                for (show_waste, marks) in ways {
                    let style = Style { show_waste, ..style };
                    let stage = stage(Picture::new(&run, &index, &frame, &view, size, &style), &marks);
                    let hatched = painted(&stage).into_iter().filter_map(|(clip, mark)| match &mark.shape {
                        Shape::Rect(rect) if matches!(mark.ink.texture, Texture::Gap | Texture::Padding) => {
                            clip.map_or(Some(*rect), |clip| rect.cut(&clip))
                        }
                        _ => None,
                    });
                    for rect in hatched {
                        seen += 1;
                        let title =
                            || format!("{} frame {number} at {}×{}: {rect:?}", recorded.title(), size.0, size.1);
                        // Edges lie on device pixels.
                        let met = |other: &&Rect| rect.cut(other).is_some_and(|both| both.w.min(both.h) > 1.0);
                        if let Some(other) = live.iter().find(met) {
                            faults.push(format!("{} over {other:?}", title()));
                        }
                        let ends = projection.bands.iter().zip(&frame.pools).any(|(band, pool)| {
                            let (a, b) = (band.y(0), band.y(pool.end));
                            a.min(b) - 1.0 <= rect.y && rect.bottom() <= a.max(b) + 1.0
                        });
                        if !ends {
                            faults.push(format!("{} lies above the peak", title()));
                        }
                    }
                }
            }
        }
    }
    none(&faults);
    assert!(seen > 5000, "{seen}");
}

#[test]
fn a_name_stands_on_its_box_or_at_the_end_of_a_line() {
    let (mut faults, mut tags, mut led) = (Vec::new(), 0, 0);
    for recorded in recorded() {
        pictures(recorded, |title, run, _, _, _, stage| {
            let marks = painted(stage);
            let fills: Vec<Rect> = marks
                .iter()
                .filter_map(|(_, mark)| match (&mark.shape, mark.ink.color) {
                    (Shape::Rect(rect) | Shape::Round(rect, _), Color::Buffer(Part::Fill, ..) | Color::ChosenSoft) => {
                        Some(*rect)
                    }
                    _ => None,
                })
                .collect();
            let lines: Vec<&(Point, Point)> = marks
                .iter()
                .filter_map(|(_, mark)| if let Shape::Lines(lines) = &mark.shape { Some(lines) } else { None })
                .flatten()
                .collect();
            let is_label = |words: &str| run.problem.buffers.ids().any(|id| run.label(id) == words);
            for (_, mark) in &marks {
                let Shape::Text(text) = &mark.shape else { continue };
                let rect = letters(text);
                match text.halo {
                    Some((Color::Buffer(Part::Fill, ..), _)) => {
                        if !fills.iter().any(|fill| fill.inset(-1.0).holds(&rect)) {
                            faults.push(format!("{title}: {:?} leaves its box", text.words));
                        }
                        // A low box has a tag that is higher than the box.
                        tags += usize::from(fills.iter().any(|fill| fill.h < rect.h && fill.meets(&rect)));
                    }
                    Some((Color::Background, _)) if text.size <= 12.0 && is_label(&text.words) => {
                        let near = text.bounds().inset(-3.0);
                        let leads = |(from, to): &&(Point, Point)| {
                            near.contains(*to) && fills.iter().any(|fill| fill.inset(-2.0).contains(*from))
                        };
                        led += 1;
                        if !lines.iter().any(leads) {
                            faults.push(format!("{title}: {:?} is beside its box without a line", text.words));
                        }
                    }
                    _ => {}
                }
            }
        });
    }
    none(&faults);
    assert!(tags > 100 && led > 10, "{tags} {led}");
}

#[test]
fn names_on_patterns_have_a_ground() {
    let mut seen = 0;
    for recorded in recorded().iter().filter(|recorded| recorded.name == "teaching") {
        let run = recorded.run();
        let index = Index::new(&run);
        let style = Style { color_by: ColorBy::InPeak, ..Style::default() };
        let (size, view) = ((780.0, 600.0), View::fit(&index, (780.0, 600.0), &style));
        let frame = run.frame(run.timeline.events_at(Level::Decisions, u32::MAX));
        let stage = stage(Picture::new(&run, &index, &frame, &view, size, &style), &Marks::default());
        let marks = painted(&stage);
        for (number, (_, mark)) in marks.iter().enumerate() {
            let Shape::Text(text) = &mark.shape else { continue };
            let Some((Color::Buffer(_, class, _), _)) = text.halo else { continue };
            let ground = |(_, mark): &(Option<Rect>, &Mark)| matches!(&mark.shape, Shape::Rect(plate) | Shape::Round(plate, _) if mark.ink.texture == Texture::Solid && plate.holds(&letters(text)));
            let pattern = |(_, mark): &(Option<Rect>, &Mark)| matches!(&mark.shape, Shape::Rect(rect) if mark.ink.texture != Texture::Solid && rect.meets(&letters(text)));
            let last = marks[..number].iter().rposition(pattern).unwrap_or(0);
            assert!(marks[last..number].iter().any(ground), "{}: {}", recorded.title(), text.words);
            seen += u32::from(class.texture() != Texture::Solid);
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn every_pool_can_be_read_or_is_a_line() {
    let (mut thin, mut folded) = (0, 0);
    for recorded in recorded() {
        let run = recorded.run();
        let index = Index::new(&run);
        let frame = run.frame(run.timeline.events_at(Level::Decisions, u32::MAX));
        for (size, style) in panels().into_iter().take(2) {
            let view = View::fit(&index, size, &style);
            let projection = Projection::new(&index, &view, size, &style);
            let high: f64 =
                projection.bands.iter().map(|band| band.height() + band.head.map_or(0.0, |head| head.h)).sum();
            assert!(high <= projection.plot.h + 30.0, "{}: {high} of {}", recorded.title(), projection.plot.h);
            let own: f64 = projection.bands.iter().filter(|band| band.has_own_scale).map(|band| band.height()).sum();
            assert!(own <= projection.plot.h / 3.0, "{}", recorded.title());
            let mut by_bytes: Vec<_> = projection.bands.iter().filter(|band| band.height() > 0.0).collect();
            by_bytes.sort_by_key(|band| band.bytes);
            for pair in by_bytes.windows(2).filter(|pair| pair[0].bytes < pair[1].bytes && pair[0].head.is_some()) {
                assert!(pair[0].height() < pair[1].height(), "{}: {pair:?}", recorded.title());
            }
            for band in &projection.bands {
                let least = if band.has_own_scale { 20.0 } else { 28.0 };
                let readable = band.height() >= least || band.is_folded && band.height() == 0.0;
                assert!(
                    readable || band.head.is_none(),
                    "{} at {size:?}: {} of {}",
                    recorded.title(),
                    band.height(),
                    band.bytes
                );
                thin += u32::from(band.has_own_scale);
                if let Some(head) = band.head.filter(|_| band.is_folded) {
                    folded += 1;
                    let found =
                        hit(Picture::new(&run, &index, &frame, &view, size, &style), (head.x + 30.0, head.centre().1));
                    assert_eq!(found.first(), Some(&Target::Folded(band.pool)), "{}", recorded.title());
                    let opened = View::fit_pool(&index, size, &style, band.pool);
                    let opened = Projection::new(&index, &opened, size, &style);
                    let band = opened.band(band.pool).expect("the same pool");
                    assert!(band.bytes == 0 || !band.is_folded && band.height() >= 28.0, "{}", recorded.title());
                }
                for address in [0, band.bytes / 2].into_iter().filter(|_| band.has_own_scale) {
                    let y = band.y(address) + if band.is_upright() { -0.01 } else { 0.01 };
                    let found = band.address(y).expect("inside the band");
                    let close = 0.02 * band.bytes as f64 / band.height() + 1.0;
                    assert!(found.abs_diff(address) as f64 <= close, "{found} for {address}");
                }
            }
        }
    }
    assert!(thin > 20 && folded > 5, "{thin} {folded}");
}
