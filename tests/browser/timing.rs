//! How long painting takes, printed for whoever looks at the output; a busy machine must not fail a
//! test.

use memplan::painting::{Palette, paint};
use memplan_scene::paint::Theme;
use memplan_scene::{Class, Color, Ink, Layer, Mark, Part, Rect, Scene, Shape, Size, Tone};
use wasm_bindgen_test::{console_log, wasm_bindgen_test};

use super::painting::canvas;

const SIZE: Size = (1200.0, 700.0);
const ROUNDS: u32 = 10;

/// Bordered rectangles in rows, of changing kinds in runs as a plan has them.
fn rectangles(count: usize) -> Scene {
    let mut layer = Layer::default();
    let across = (count as f64).sqrt().ceil() as usize;
    let (w, h) = (SIZE.0 / across as f64, SIZE.1 / across as f64);
    layer.marks = (0..count)
        .map(|index| {
            let class = Class::Category((index / 500 % 8) as u8);
            let place = Rect::new((index % across) as f64 * w, (index / across) as f64 * h, w, h);
            let mut mark = Mark::new(Shape::Rect(place), Ink::fill(Color::Buffer(Part::Fill, class, Tone::Full)));
            mark.edge = Some(Color::Buffer(Part::Border, class, Tone::Full));
            mark
        })
        .collect();
    Scene::new(SIZE, vec![layer])
}

#[wasm_bindgen_test]
fn painting_ten_and_fifty_thousand_rectangles() {
    let clock = web_sys::window().and_then(|window| window.performance()).expect("a browser has a clock");
    let palette = Palette::from_css(Theme::Light, |_| String::new());
    for count in [10_000, 50_000] {
        for dpr in [1.0, 2.0] {
            let (scene, ctx) = (rectangles(count), canvas(SIZE, dpr));
            paint(&ctx, &scene, &palette, dpr);
            let start = clock.now();
            (0..ROUNDS).for_each(|_| paint(&ctx, &scene, &palette, dpr));
            let each = (clock.now() - start) / f64::from(ROUNDS);
            console_log!("{count} rectangles at {dpr} device pixels: {each:.1} ms");
        }
    }
}
