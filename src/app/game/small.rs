//! Small plans as elements.

use yew::prelude::*;

use crate::paint::{Theme, svg};
use crate::plan::PlanBox;
use crate::scene::{Small, Tone, thumbnail};

/// A small plan: boxes and the lower bound. Boxes above the bound stand out.
pub fn worst(boxes: &[PlanBox], bound: u64, size: (f64, f64), dark: bool) -> Html {
    small_plan(boxes, bound, size, dark, |to| to > bound)
}

/// A small plan: boxes and the lower bound.
pub fn drawn(boxes: &[PlanBox], bound: u64, size: (f64, f64), dark: bool) -> Html {
    small_plan(boxes, bound, size, dark, |_| false)
}

fn small_plan(boxes: &[PlanBox], bound: u64, size: (f64, f64), dark: bool, chosen: impl Fn(u64) -> bool) -> Html {
    let theme = if dark { Theme::Dark } else { Theme::Light };
    let small = |&(start, end, from, to): &PlanBox| Small {
        steps: (start, end),
        bytes: (from, to),
        tone: Tone::Full,
        chosen: chosen(to),
    };
    let boxes: Vec<Small> = boxes.iter().map(small).collect();
    let drawn = svg::to_svg(&[&thumbnail(&boxes, bound, size)], size, theme, "");
    Html::from_html_unchecked(AttrValue::from(drawn))
}
