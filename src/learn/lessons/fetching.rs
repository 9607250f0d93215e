//! What the lessons need from the site: their index, the lesson that is open, the document of its
//! scene.

use std::rc::Rc;

use serde::de::DeserializeOwned;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::browser::files::{fetch, fetch_nearby};
use crate::context::Page;
use crate::context::open::open_example;
use crate::open::state::examples::example_file;
use crate::open::state::sites::stays_inside;
use crate::shell::state::action::{Action, DocumentAction, GameAction, LearnAction};
use crate::shell::state::panels::{Mode, Overlay};
use memplan_teach::lesson::{INDEX_FILE, from_file, lesson_file};
use memplan_worker::beside;

/// Fetches what Learn shows and has not yet, also while it is presented.
#[hook]
pub fn use_fetched(page: &Page) {
    let learning = &page.state.learning;
    let learns = page.state.view.mode == Mode::Learn;
    // What is looked for may be the title of a lesson.
    let names_lessons = learns || page.state.view.overlay == Some(Overlay::Find);
    let wants_index = names_lessons && learning.index.is_none() && !learning.failed;
    {
        let send = page.send.clone();
        use_effect_with(wants_index, move |&wanted| {
            if wanted {
                get(INDEX_FILE.to_string(), send, |index| LearnAction::Index(Rc::new(index)));
            }
        });
    }
    let wanted = learning.place.lesson.filter(|_| learns && learning.lesson.is_none() && !learning.failed);
    {
        let send = page.send.clone();
        use_effect_with(wanted, move |wanted| {
            if let Some(number) = *wanted {
                get(lesson_file(number), send, |lesson| LearnAction::Lesson(Rc::new(lesson)));
            }
        });
    }
    {
        let send = page.send.clone();
        let wanted = page.state.game_shown().and_then(|game| game.wanted()).map(str::to_string);
        use_effect_with(wanted, move |wanted: &Option<String>| {
            wanted.iter().for_each(|name| fetch_game(name.clone(), send.clone()))
        });
    }
    let send = page.send.clone();
    let scene = page.state.wanted_scene();
    use_effect_with(scene.as_ref().map(|scene| scene.asked), move |_| {
        if let Some(scene) = scene {
            send.emit(Action::Document(DocumentAction::Restore(Box::new(scene.restored))));
            open_example(scene.document, Some(scene.place), send);
        }
    });
}

/// Fetches the example that a game is of.
fn fetch_game(name: String, send: Callback<Action>) {
    spawn_local(async move {
        let bytes = match stays_inside(&name) {
            true => fetch_nearby(&format!("graphs/{}", example_file(&name))).await.ok(),
            false => None,
        };
        send.emit(Action::Game(GameAction::Fetched(bytes)));
    });
}

/// Fetches a file of the version and sends what is in it.
fn get<T: DeserializeOwned + 'static>(file: String, send: Callback<Action>, action: fn(T) -> LearnAction) {
    spawn_local(async move {
        let bytes = fetch(&beside(&file)).await.ok();
        let read = bytes.and_then(|bytes| from_file(&bytes));
        send.emit(Action::Learn(read.map_or(LearnAction::Failed, action)));
    });
}
