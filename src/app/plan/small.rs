//! Small plans as elements.

use yew::prelude::*;

use crate::app::context::Page;
use crate::lesson::Picture;
use crate::paint::{Theme, svg};
use crate::plan::PlanBox;
use crate::planner;
use crate::scene::{Small, Tone, thumbnail};

/// Size of the small plans of a paragraph in px.
const SMALL: (f64, f64) = (150.0, 92.0);

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

/// The small plans of a paragraph side by side, each with its planner and its peak.
pub fn small_plans(page: &Page, plans: &[Picture], dark: bool) -> Html {
    if plans.is_empty() {
        return Html::default();
    }
    html! {
        <div class="three">{ for plans.iter().map(|plan| html! {
            <figure>
                <span class="pic" aria-hidden="true">{ drawn(&plan.boxes, plan.bound, SMALL, dark) }</span>
                <figcaption><b>{ planner::title_of(&plan.planner, page.speech()) }</b>
                    if let Some(words) = plan.setting_words(page.speech()) { { words }<br /> }{ &plan.peak }</figcaption>
            </figure>
        }) }</div>
    }
}
