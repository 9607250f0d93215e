//! What stands around the plan.

use std::rc::Rc;

use yew::prelude::*;

use crate::plan::legend::LegendBar;
use crate::plan::shared::{Shared, SharedView};
use crate::plan::viewing::{Picture, Viewing};
use crate::shell::state::State;
use crate::shell::state::action::{Action, SettingsAction, StepAction};
use crate::testing::{opened, screen};
use memplan_core::text::{Locale, Speech};
use memplan_scene::{Index, Marks, Shape, Style, View, stage};

/// The picture of the frame of a state on a wide window.
fn picture(state: &State) -> Picture {
    let run = state.document.run.clone().expect("a run");
    let index = Rc::new(Index::new(&run));
    let frame = Rc::new(run.frame(state.stepping.cursor));
    let style = Style { speech: Speech { locale: state.settings.locale, ..Speech::default() }, ..Style::default() };
    Picture { run, index, frame, style, size: (900.0, 500.0) }
}

#[test]
fn the_legend_calls_the_line_of_the_peak_what_its_label_calls_it() {
    for locale in Locale::ALL {
        let state = opened().reduce(Action::Settings(SettingsAction::Locale(locale)));
        let (last, mut names) = (state.frames() - 1, Vec::new());
        for frame in 1..=last {
            let state = state.clone().reduce(Action::Step(StepAction::Seek(frame)));
            let picture = picture(&state);
            let view = View::fit(&picture.index, picture.size, &picture.style);
            let drawn = stage(picture.under(&view), &Marks::default());
            // The words before the figure of each bold text: names of buffers are among them.
            let text = |mark: &memplan_scene::Mark| match &mark.shape {
                Shape::Text(text) if text.bold => {
                    let words = text.words.split(char::is_numeric).next().unwrap_or_default();
                    Some(words.trim().to_string())
                }
                _ => None,
            };
            let labels: Vec<String> = drawn.base.marks().filter_map(text).collect();
            let (picture, viewing) = (Shared(Some(picture)), SharedView(Rc::new(Viewing::default())));
            let page = screen(state, html! { <LegendBar {picture} {viewing} squeeze={None} /> });
            let keys = page.texts(".line-item");
            let key = keys.first().expect("the key of the peak");
            assert!(labels.contains(key), "{key} at the line {labels:?}");
            names.push(key.clone());
        }
        names.dedup();
        assert_eq!(names.len(), 2, "{names:?}");
    }
}
