//! Scenes on a real canvas: the right colour at the right pixel.

use js_sys::{Array, Function, Reflect, Uint8ClampedArray};
use std::rc::Rc;

use memplan::painting::{Palette, clear, paint, paint_inside};
use memplan_core::graph::{self, Graph};
use memplan_core::problem::{self, Scope};
use memplan_core::trace::Recorder;
use memplan_planners::{self as planner, Input};
use memplan_replay::{Level, Run};
use memplan_scene::paint::{self, Changes, Theme, changes};
use memplan_scene::{
    Class, Color, Index, Ink, Layer, Mark, Marks, Part, Picture, Rect, Scene, Shape, Size, Style, Texture, Tone, View,
    stage,
};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

const SIZE: Size = (60.0, 40.0);
const FILL: Color = Color::Buffer(Part::Fill, Class::Category(0), Tone::Full);
const BORDER: Color = Color::Buffer(Part::Border, Class::Category(0), Tone::Full);

/// A canvas of a size in css pixels that is not part of any page.
pub fn canvas(size: Size, dpr: f64) -> CanvasRenderingContext2d {
    let document = web_sys::window().and_then(|window| window.document()).expect("a browser");
    let canvas: HtmlCanvasElement = document.create_element("canvas").expect("a canvas").unchecked_into();
    canvas.set_width((size.0 * dpr) as u32);
    canvas.set_height((size.1 * dpr) as u32);
    canvas.get_context("2d").expect("a context").expect("of a canvas").unchecked_into()
}

/// Red, green, blue and opacity of the canvas pixels in a box, row by row.
fn pixels(ctx: &CanvasRenderingContext2d, (x, y): (u32, u32), (w, h): (u32, u32)) -> Vec<u8> {
    let read: Function = Reflect::get(ctx, &"getImageData".into()).expect("a canvas reads").unchecked_into();
    let place = Array::of4(&x.into(), &y.into(), &w.into(), &h.into());
    let image: JsValue = read.apply(ctx, &place).expect("pixels inside");
    let data: Uint8ClampedArray = Reflect::get(&image, &"data".into()).expect("an image").unchecked_into();
    data.to_vec()
}

/// Red, green, blue and opacity of a canvas pixel.
fn pixel(ctx: &CanvasRenderingContext2d, x: u32, y: u32) -> [u8; 4] {
    pixels(ctx, (x, y), (1, 1)).try_into().expect("one pixel")
}

fn rgb(color: Color) -> [u8; 4] {
    let color = paint::Palette::of(Theme::Light).color(color);
    [color.red, color.green, color.blue, 255]
}

/// The built-in colours.
fn built_in(theme: Theme) -> Palette {
    Palette::from_css(theme, |_| String::new())
}

/// A ground with one bordered rectangle from (10, 10) to (30, 20).
fn one_rectangle() -> Scene {
    let mut layer = Layer::default();
    layer.rect(Rect::new(0.0, 0.0, SIZE.0, SIZE.1), Ink::fill(Color::Background));
    let mut mark = Mark::new(Shape::Rect(Rect::new(10.0, 10.0, 20.0, 10.0)), Ink::fill(FILL));
    mark.edge = Some(BORDER);
    layer.marks.push(mark);
    Scene::new(SIZE, vec![layer])
}

#[wasm_bindgen_test]
fn a_rectangle_has_its_colour_inside_and_the_ground_outside() {
    for dpr in [1.0, 2.0] {
        let ctx = canvas(SIZE, dpr);
        paint(&ctx, &one_rectangle(), &built_in(Theme::Light), dpr);
        let at = |x: f64, y: f64| pixel(&ctx, (x * dpr) as u32, (y * dpr) as u32);
        assert_eq!(at(20.0, 15.0), rgb(FILL), "inside, dpr {dpr}");
        assert_eq!(at(10.0, 15.0), rgb(BORDER), "the left edge, dpr {dpr}");
        assert_eq!(at(29.5, 15.0), rgb(BORDER), "the right edge, dpr {dpr}");
        assert_eq!(at(9.0, 15.0), rgb(Color::Background), "left of it, dpr {dpr}");
        assert_eq!(at(30.0, 15.0), rgb(Color::Background), "right edges belong to the neighbour, dpr {dpr}");
        assert_eq!(at(50.0, 35.0), rgb(Color::Background), "far away, dpr {dpr}");
    }
}

#[wasm_bindgen_test]
fn a_hatch_lets_the_ground_through() {
    let mut layer = Layer::default();
    layer.rect(Rect::new(0.0, 0.0, SIZE.0, SIZE.1), Ink::fill(Color::Background));
    layer.rect(Rect::new(0.0, 0.0, 30.0, SIZE.1), Ink::texture(Color::Peak, Texture::Slash));
    let scene = Scene::new(SIZE, vec![layer]);
    for dpr in [1.0, 2.0] {
        let ctx = canvas(SIZE, dpr);
        paint(&ctx, &scene, &built_in(Theme::Light), dpr);
        let ground = rgb(Color::Background);
        let inked = |from: f64, to: f64| {
            let columns = (from * dpr) as u32..(to * dpr) as u32;
            columns.filter(|&x| pixel(&ctx, x, (20.0 * dpr) as u32) != ground).count()
        };
        let all = (30.0 * dpr) as usize;
        assert!((1..all).contains(&inked(0.0, 30.0)), "lines with gaps, dpr {dpr}: {} of {all}", inked(0.0, 30.0));
        assert_eq!(inked(30.0, 60.0), 0, "the hatch ends with its rectangle, dpr {dpr}");
    }
}

#[wasm_bindgen_test]
fn a_layer_is_cut_off_at_its_clip() {
    let mut clipped = Layer::clipped(Rect::new(0.0, 0.0, 20.0, SIZE.1));
    clipped.rect(Rect::new(0.0, 0.0, SIZE.0, SIZE.1), Ink::fill(FILL));
    let mut after = Layer::default();
    after.rect(Rect::new(40.0, 0.0, 10.0, 10.0), Ink::fill(BORDER));
    let ctx = canvas(SIZE, 1.0);
    paint(&ctx, &Scene::new(SIZE, vec![clipped, after]), &built_in(Theme::Light), 1.0);
    assert_eq!(pixel(&ctx, 19, 20), rgb(FILL));
    assert_eq!(pixel(&ctx, 20, 20), [0; 4], "beyond the clip nothing is painted");
    assert_eq!(pixel(&ctx, 45, 5), rgb(BORDER), "the clip ends with its layer");
    clear(&ctx, SIZE, 1.0);
    assert_eq!(pixel(&ctx, 19, 20), [0; 4]);
}

#[wasm_bindgen_test]
fn colours_come_from_the_style_sheet() {
    let value = |name: &str| if name == "--c1" { "#ff0000" } else { "" }.to_string();
    let ctx = canvas(SIZE, 1.0);
    paint(&ctx, &one_rectangle(), &Palette::from_css(Theme::Light, value), 1.0);
    assert_eq!(pixel(&ctx, 20, 15), [255, 0, 0, 255]);
    // A dark palette paints another ground.
    paint(&ctx, &one_rectangle(), &built_in(Theme::Dark), 1.0);
    assert_eq!(pixel(&ctx, 50, 35), [0x14, 0x18, 0x1D, 255]);
}

fn planned(planner: &str, graph: &Graph) -> Run {
    let planner = planner::find(planner).expect("registered");
    let problem = problem::lifetimes(graph, &Scope::default()).expect("a sample has lives");
    let mut recorder = Recorder::default();
    let input = Input { problem: &problem, graph: Some(graph) };
    let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).expect("a plan");
    Run::new(Rc::new(problem), planner::origin(planner.info().id, 1), plan, recorder.events)
}

#[wasm_bindgen_test]
fn a_canvas_that_is_painted_where_it_changes_looks_like_one_painted_as_a_whole() {
    const ROOM: Size = (420.0, 300.0);
    let palette = built_in(Theme::Light);
    let runs = [("first-fit", graph::sample(150, 5)), ("inductor-tree", graph::sample(40, 9))];
    let mut in_part = 0;
    for (run, dpr) in runs.iter().map(|(id, graph)| planned(id, graph)).zip([1.0, 1.5]) {
        let style = Style { pixel: 1.0 / dpr, ..Style::default() };
        let index = Index::new(&run);
        let whole = View::fit(&index, ROOM, &style);
        let close = View { time: (20.0, 60.0), ..whole };
        for view in [whole, close] {
            let scene = |number: u32| {
                let frame = run.frame(run.timeline.events_at(Level::Decisions, number));
                let stage = stage(Picture::new(&run, &index, &frame, &view, ROOM, &style), &Marks::default());
                Scene::new(ROOM, stage.base.layers.into_iter().chain(stage.frame.layers).collect())
            };
            let (held, fresh) = (canvas(ROOM, dpr), canvas(ROOM, dpr));
            let all = ((ROOM.0 * dpr) as u32, (ROOM.1 * dpr) as u32);
            let mut before = Scene::default();
            // At the end most buffers are there, and the arena grows no more.
            let last = run.timeline.decisions.len() as u32;
            for number in last.saturating_sub(40)..=last {
                let now = scene(number);
                match changes(&before, &now, dpr) {
                    Changes::Inside(boxes) => {
                        paint_inside(&held, &now, &boxes, &palette, dpr);
                        in_part += 1;
                    }
                    Changes::Everywhere => {
                        clear(&held, ROOM, dpr);
                        paint(&held, &now, &palette, dpr);
                    }
                }
                clear(&fresh, ROOM, dpr);
                paint(&fresh, &now, &palette, dpr);
                let (held, fresh) = (pixels(&held, (0, 0), all), pixels(&fresh, (0, 0), all));
                // Soft edges of slanted and round lines depend on where the browser is told to
                // paint: up to 15 was seen. A line, an area or a word that is missing or left over
                // differs by more.
                let differs = |(a, b): (&u8, &u8)| a.abs_diff(*b) > 32;
                let other = held.iter().zip(&fresh).position(differs).map(|at| at as u32 / 4);
                assert_eq!(other.map(|at| (at % all.0, at / all.0)), None, "frame {number} at {dpr}");
                before = now;
            }
        }
    }
    assert!(in_part > 20, "{in_part} of 164 frames were painted in part");
}
