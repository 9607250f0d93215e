//! Small plans as elements.

use yew::prelude::*;

use crate::context::Page;
use memplan_core::plan::PlanBox;
use memplan_planners as planner;
use memplan_scene::paint::{Theme, svg};
use memplan_scene::{Small, Tone, thumbnail_to};
use memplan_teach::lesson::Picture;

/// Size of the small plans of a paragraph in px.
const SMALL: (f64, f64) = (150.0, 92.0);

/// A small plan: boxes and the lower bound. Boxes above the bound stand out.
pub fn worst(boxes: &[PlanBox], bound: u64, size: (f64, f64), dark: bool) -> Html {
    small_plan(boxes, (bound, 0), size, dark, |to| to > bound)
}

/// A small plan: boxes and the lower bound.
pub fn drawn(boxes: &[PlanBox], bound: u64, size: (f64, f64), dark: bool) -> Html {
    small_plan(boxes, (bound, 0), size, dark, |_| false)
}

/// The two numbers are the lower bound and the least that the height shows.
fn small_plan(
    boxes: &[PlanBox],
    (bound, most): (u64, u64),
    size: (f64, f64),
    dark: bool,
    chosen: impl Fn(u64) -> bool,
) -> Html {
    let theme = if dark { Theme::Dark } else { Theme::Light };
    let small = |&(start, end, from, to): &PlanBox| Small {
        steps: (start, end),
        bytes: (from, to),
        tone: Tone::Full,
        chosen: chosen(to),
    };
    let boxes: Vec<Small> = boxes.iter().map(small).collect();
    let drawn = svg::to_svg(&[&thumbnail_to(&boxes, bound, most, size)], size, theme, "");
    Html::from_html_unchecked(AttrValue::from(drawn))
}

/// The small plans of a paragraph side by side and at one scale, each with its planner, its network
/// and its peak.
pub fn small_plans(page: &Page, plans: &[Picture], dark: bool) -> Html {
    if plans.is_empty() {
        return Html::default();
    }
    let most = plans.iter().map(Picture::top).max().unwrap_or(0);
    html! {
        <div class="three">{ for plans.iter().map(|plan| html! {
            <figure>
                <span class="pic" aria-hidden="true">{ small_plan(&plan.boxes, (plan.bound, most), SMALL, dark, |_| false) }</span>
                <figcaption><b>{ breaking(&planner::title_of(&plan.planner, page.speech())) }</b>
                    if let Some(network) = &plan.network { { network }<br /> }
                    if let Some(words) = plan.setting_words(page.speech()) { { words }<br /> }{ &plan.peak }</figcaption>
            </figure>
        }) }</div>
    }
}

/// A name that may break where a word begins inside it, such as `GreedyBySize`.
fn breaking(name: &str) -> Html {
    let is_start = |(at, letter): &(usize, char)| {
        letter.is_uppercase() && name[..*at].chars().next_back().is_some_and(char::is_lowercase)
    };
    let starts: Vec<usize> = name.char_indices().filter(is_start).map(|(at, _)| at).chain([name.len()]).collect();
    let from = std::iter::once(0).chain(starts.iter().copied());
    html! { { for from.zip(starts.iter()).enumerate().map(|(number, (from, &to))| html! { <>if number > 0 { <wbr /> }{ &name[from..to] }</> }) } }
}
