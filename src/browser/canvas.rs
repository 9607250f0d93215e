//! Canvas elements: sizes in device pixels, one repaint per animation frame, colours read once a
//! theme.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use gloo_events::EventListener;
use wasm_bindgen::prelude::*;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, HtmlElement, ResizeObserver};
use yew::prelude::*;

use crate::browser::dom::root;
use crate::browser::later::now;
use crate::browser::painting::{self, Palette};
use crate::browser::window;
use gloo_timers::callback::Timeout;
use memplan_scene::paint::{Changes, Theme, changes};
use memplan_scene::{Scene, Shift, Size};

/// Size of an element in css pixels, kept up to date.
#[hook]
pub fn use_size(node: NodeRef) -> Size {
    let size = use_state_eq(|| (0.0, 0.0));
    let set = size.setter();
    use_effect_with(node, move |node| {
        let observed = node.cast::<HtmlElement>().and_then(|element| {
            let measured = element.clone();
            let measure = move || set.set((measured.client_width() as f64, measured.client_height() as f64));
            // In a task of its own: the browser has just laid everything out, and what follows is
            // drawn.
            let heard = Closure::<dyn FnMut()>::new(move || _ = Timeout::new(0, measure.clone()).forget());
            let observer = ResizeObserver::new(heard.as_ref().unchecked_ref()).ok()?;
            observer.observe(&element);
            Some((observer, heard))
        });
        move || {
            if let Some((observer, _heard)) = observed {
                observer.disconnect();
            }
        }
    });
    *size
}

/// Device pixels per css pixel.
pub fn device_pixels() -> f64 {
    window().map_or(1.0, |window| window.device_pixel_ratio()).max(0.5)
}

thread_local! {
    /// The colours read last, and whether they are those of the dark theme.
    static COLOURS: RefCell<Option<(bool, Palette)>> = const { RefCell::new(None) };
}

/// Paints with the colours of a theme, which are read from the style sheet when the theme changes.
pub fn with_palette(dark: bool, paint: impl FnOnce(&Palette)) {
    COLOURS.with_borrow_mut(|colours| {
        if colours.as_ref().is_none_or(|(known, _)| *known != dark) {
            *colours = Some((dark, palette(dark)));
            PAINTED.with_borrow_mut(Vec::clear);
        }
        if let Some((_, palette)) = colours {
            paint(palette);
        }
    });
}

/// The colours of the style sheet for a theme.
fn palette(dark: bool) -> Palette {
    let style = window().zip(root()).and_then(|(window, root)| window.get_computed_style(&root).ok().flatten());
    let value = |name: &str| {
        let value = style.as_ref().and_then(|style| style.get_property_value(name).ok());
        value.unwrap_or_default().trim().to_string()
    };
    Palette::from_css(if dark { Theme::Dark } else { Theme::Light }, value)
}

/// A canvas and what was painted on it.
struct PaintedCanvas {
    canvas: HtmlCanvasElement,
    scene: Scene,
    pixels: f64,
    /// The browser took the picture away and gave an empty canvas back, as it may where memory is
    /// short.
    emptied: Rc<Cell<bool>>,
    _restored: EventListener,
}

impl PaintedCanvas {
    fn new(canvas: HtmlCanvasElement, scene: Scene, pixels: f64) -> PaintedCanvas {
        let emptied = Rc::new(Cell::new(false));
        let flag = emptied.clone();
        let element = canvas.clone();
        let restored = EventListener::new(&canvas, "contextrestored", move |_| {
            flag.set(true);
            paint_again(&element);
        });
        PaintedCanvas { canvas, scene, pixels, emptied, _restored: restored }
    }
}

thread_local! {
    /// Canvases that were painted with the present colours.
    static PAINTED: RefCell<Vec<PaintedCanvas>> = const { RefCell::new(Vec::new()) };
}

/// Paints what a canvas showed before the browser took the picture away.
fn paint_again(canvas: &HtmlCanvasElement) {
    let context = canvas.get_context("2d").ok().flatten().and_then(|context| context.dyn_into().ok());
    let Some(context): Option<CanvasRenderingContext2d> = context else { return };
    PAINTED.with_borrow(|painted| {
        let Some(shown) = painted.iter().find(|other| other.canvas == *canvas) else { return };
        COLOURS.with_borrow(|colours| {
            if let Some((_, palette)) = colours {
                painting::clear(&context, shown.scene.size, shown.pixels);
                painting::paint(&context, &shown.scene, palette, shown.pixels);
                shown.emptied.set(false);
            }
        });
    });
}

/// Forgets and returns what was painted on a canvas; forgets canvases that were removed from the
/// page, too.
fn forget(canvas: &HtmlCanvasElement) -> Option<PaintedCanvas> {
    PAINTED.with_borrow_mut(|painted| {
        painted.retain(|other| other.canvas.is_connected());
        let at = painted.iter().position(|other| other.canvas == *canvas)?;
        Some(painted.swap_remove(at))
    })
}

/// Paints a scene over the whole of a canvas.
pub fn paint(node: &NodeRef, scene: Scene, size: Size, palette: &Palette) {
    paint_finely(node, scene, size, device_pixels(), palette);
}

/// Paints a scene with so many canvas pixels a css pixel: a canvas that is shown magnified needs
/// more of them. What the canvas shows already is not painted again.
pub fn paint_finely(node: &NodeRef, scene: Scene, size: Size, pixels: f64, palette: &Palette) {
    let Some(canvas) = node.cast::<HtmlCanvasElement>() else { return };
    let context = canvas.get_context("2d").ok().flatten().and_then(|context| context.dyn_into().ok());
    let Some(context): Option<CanvasRenderingContext2d> = context else { return };
    let (width, height) = ((size.0 * pixels).round() as u32, (size.1 * pixels).round() as u32);
    let before =
        forget(&canvas).filter(|before| before.pixels == pixels && scene.size == size && !before.emptied.get());
    if canvas.width() != width || canvas.height() != height {
        canvas.set_width(width);
        canvas.set_height(height);
        painting::paint(&context, &scene, palette, pixels);
    } else {
        match before.map_or(Changes::Everywhere, |before| changes(&before.scene, &scene, pixels)) {
            Changes::Inside(boxes) if boxes.is_empty() => {}
            Changes::Inside(boxes) => painting::paint_inside(&context, &scene, &boxes, palette, pixels),
            Changes::Everywhere => {
                painting::clear(&context, size, pixels);
                painting::paint(&context, &scene, palette, pixels);
            }
        }
    }
    PAINTED.with_borrow_mut(|painted| painted.push(PaintedCanvas::new(canvas, scene, pixels)));
}

/// The pictures of canvases of one size, one over the other.
pub fn copy(nodes: [&NodeRef; 2]) -> Option<HtmlCanvasElement> {
    let sources: Vec<HtmlCanvasElement> = nodes.iter().filter_map(|node| node.cast()).collect();
    let first = sources.first()?;
    let image: HtmlCanvasElement = first.owner_document()?.create_element("canvas").ok()?.dyn_into().ok()?;
    image.set_width(first.width());
    image.set_height(first.height());
    let context: CanvasRenderingContext2d = image.get_context("2d").ok()??.dyn_into().ok()?;
    for source in &sources {
        context.draw_image_with_html_canvas_element(source, 0.0, 0.0).ok()?;
    }
    Some(image)
}

/// Puts a part of a picture of so many canvas pixels a css pixel elsewhere on a canvas, in css
/// pixels, inside the panel.
pub fn stamp(node: &NodeRef, image: &HtmlCanvasElement, shift: &Shift, pixels: f64) -> Option<()> {
    let element = node.cast::<HtmlCanvasElement>()?;
    forget(&element);
    let context: CanvasRenderingContext2d = element.get_context("2d").ok()??.dyn_into().ok()?;
    let Shift { from, to, panel } = shift;
    context.save();
    context.set_image_smoothing_enabled(false);
    context.begin_path();
    context.rect(panel.x, panel.y, panel.w, panel.h);
    context.clip();
    let drawn = context.draw_image_with_html_canvas_element_and_sw_and_sh_and_dx_and_dy_and_dw_and_dh(
        image,
        from.x * pixels,
        from.y * pixels,
        from.w * pixels,
        from.h * pixels,
        to.x,
        to.y,
        to.w,
        to.h,
    );
    context.restore();
    drawn.ok()
}

type Paint = Box<dyn FnOnce()>;

/// What a canvas waits to be painted with, if it waits.
type Waiting = Rc<RefCell<Option<Paint>>>;

/// Time in ms after which the canvases that are left wait for the next animation frame: painting
/// all of a large plan at once would hold up the page.
const SHARE: f64 = 8.0;

thread_local! {
    /// The canvases that wait, in the order in which they asked.
    static QUEUE: RefCell<VecDeque<Waiting>> = const { RefCell::new(VecDeque::new()) };
}

/// Runs a paint at most once per animation frame, always with what was asked last.
#[derive(Clone, Default)]
pub struct Repaint {
    next: Waiting,
}

impl Repaint {
    /// Asks for `paint` at the next frame, in place of what was asked before.
    pub fn ask(&self, paint: impl FnOnce() + 'static) {
        let is_waiting = self.next.borrow_mut().replace(Box::new(paint)).is_some();
        if is_waiting {
            return;
        }
        let is_first = QUEUE.with_borrow_mut(|queue| {
            queue.push_back(self.next.clone());
            queue.len() == 1
        });
        if is_first {
            at_next_frame();
        }
    }
}

fn at_next_frame() {
    if let Some(window) = window() {
        let run = Closure::once_into_js(paint_a_share);
        // A window without frames (hidden for good) needs no picture.
        let _ = window.request_animation_frame(run.unchecked_ref());
    }
}

/// Paints the canvases that wait, until the share of this frame is used up.
fn paint_a_share() {
    // The browser would lay the page out after this. The first words on a canvas ask for it anyway,
    // and it must not count as painting: what is left would come a frame after the panels.
    root().iter().for_each(|root| _ = root.client_height());
    let start = now();
    loop {
        // A paint may ask for another one.
        let Some(waiting) = QUEUE.with_borrow_mut(VecDeque::pop_front) else { return };
        let paint = waiting.borrow_mut().take();
        if let Some(paint) = paint {
            paint();
        }
        if now() - start > SHARE {
            break;
        }
    }
    if QUEUE.with_borrow(|queue| !queue.is_empty()) {
        at_next_frame();
    }
}
