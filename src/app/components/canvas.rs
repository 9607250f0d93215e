//! Canvas elements: sizes in device pixels, one repaint per animation frame, colours read once a theme.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::prelude::*;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, HtmlElement, ResizeObserver};
use yew::prelude::*;

use crate::paint::Theme;
use crate::paint::canvas::{self, Palette};
use crate::scene::{Scene, Size};

/// Size of an element in css pixels, kept up to date.
#[hook]
pub fn use_size(node: NodeRef) -> Size {
    let size = use_state_eq(|| (0.0, 0.0));
    let set = size.setter();
    use_effect_with(node, move |node| {
        let observed = node.cast::<HtmlElement>().and_then(|element| {
            let measured = element.clone();
            let measure = move || set.set((measured.client_width() as f64, measured.client_height() as f64));
            measure();
            let heard = Closure::<dyn FnMut()>::new(measure);
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
    web_sys::window().map_or(1.0, |window| window.device_pixel_ratio()).max(0.5)
}

/// The colours of the style sheet for a theme.
pub fn palette(dark: bool) -> Palette {
    let window = web_sys::window();
    let root = window.as_ref().and_then(|window| window.document()).and_then(|document| document.document_element());
    let style = window.as_ref().zip(root).and_then(|(window, root)| window.get_computed_style(&root).ok().flatten());
    let value = |name: &str| {
        let value = style.as_ref().and_then(|style| style.get_property_value(name).ok());
        value.unwrap_or_default().trim().to_string()
    };
    Palette::from_css(if dark { Theme::Dark } else { Theme::Light }, value)
}

/// Paints a scene over the whole of a canvas.
pub fn paint(node: &NodeRef, scene: &Scene, size: Size, palette: &Palette) {
    let Some(element) = node.cast::<HtmlCanvasElement>() else { return };
    let pixels = device_pixels();
    let (width, height) = ((size.0 * pixels).round() as u32, (size.1 * pixels).round() as u32);
    if element.width() != width || element.height() != height {
        element.set_width(width);
        element.set_height(height);
    }
    let context = element.get_context("2d").ok().flatten().and_then(|context| context.dyn_into().ok());
    let Some(context): Option<CanvasRenderingContext2d> = context else { return };
    canvas::clear(&context, size, pixels);
    canvas::paint(&context, scene, palette, pixels);
}

type Paint = Box<dyn FnOnce()>;

/// Runs a paint at most once per animation frame, always with what was asked last.
#[derive(Clone, Default)]
pub struct Repaint {
    next: Rc<RefCell<Option<Paint>>>,
}

impl Repaint {
    /// Asks for `paint` at the next frame, in place of what was asked before.
    pub fn ask(&self, paint: impl FnOnce() + 'static) {
        let waiting = self.next.borrow_mut().replace(Box::new(paint)).is_some();
        if waiting {
            return;
        }
        let next = self.next.clone();
        let run = Closure::once_into_js(move || {
            let paint = next.borrow_mut().take();
            if let Some(paint) = paint {
                paint();
            }
        });
        if let Some(window) = web_sys::window() {
            // A window without frames (hidden for good) needs no picture.
            let _ = window.request_animation_frame(run.unchecked_ref());
        }
    }
}
